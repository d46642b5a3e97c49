"""BED: intervals on chromosomes, counted from 0, with the end excluded; one per line, separated by tabs or spaces.

The chromosome is the series, and the name in the fourth column is the label. The file is read line by line, because
that needs no library, and the libraries for genomes are large.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ...segmentation.segmentation import Segmentation
from ...showing import count_text, path_text
from ..besides import Besides
from ..options import ReadOptions
from ..rows import Rows
from ..text import lines, point

__all__ = ["read", "write"]

HEADS = (["track"], ["browser"])


def read(path: Path, name: str, options: ReadOptions, besides: Besides) -> Iterator[Rows]:
    """Give the intervals of each chromosome."""
    found: dict[str, tuple[Any, Any, list[str], Any]] = {}
    known: dict[str, str] = {}  # one object per label
    more = 0
    file = path_text(path)
    chrom = None  # chromosome of the last line
    for number, line in lines(path):
        words = line.split("\t") if "\t" in line else line.split()
        if not words or words[0] != chrom:
            if not line.strip() or words[0].startswith("#") or words[0].split(None, 1)[:1] in HEADS:
                continue
            if not words[0].strip():
                raise ValueError(f"{file}, line {number} has no name of a chromosome; expected chrom, start and end")
            chrom = words[0]
            starts, ends, labels, places = found.setdefault(chrom, (array("q"), array("q"), [], array("q")))
        if len(words) < 3:
            raise ValueError(
                f"{file}, line {number}: {line!r:.40} has {count_text(len(words), 'field')}; "
                "expected chrom, start and end"
            )
        try:
            starts.append(point(words[1]))
            ends.append(point(words[2]))
        except ValueError as error:
            raise ValueError(f"{file}, line {number}: {error}") from None
        label = words[3] if len(words) > 3 else "."
        labels.append(known.setdefault(label, label))
        places.append(number)
        more += len(words) > 4
    if more:
        besides.notes.append(f"columns after the name (score, strand and others) in {count_text(more, 'line')}")
    for chrom, (starts, ends, labels, places) in found.items():
        given = None if set(labels) == {"."} else labels
        yield Rows(file, chrom, "", starts, ends, given, places, "points")


def write(
    segmentations: Mapping[tuple[str, str], Segmentation], path: Path, name: str, tiers: str, lost: list[str]
) -> None:
    """Write the segments of each series as intervals."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for (series, _), each in segmentations.items():
            labels = [None] * len(each) if each.labels is None else each.labels
            for (start, end), label in zip(each.segments, labels, strict=True):
                file.write(f"{series}\t{start}\t{end}" + ("\n" if label is None else f"\t{label}\n"))
