"""Labels of MIR (.lab) and of Audacity: a start, an end and a label per line, in seconds.

The fields of .lab are separated by spaces or tabs, and those of Audacity by tabs. Both are parsed here, because
splitting a line needs no library. In HTK the times of .lab are integers in units of 100 ns: they are read with
``unit=1e-7``.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping
from pathlib import Path

from ...segmentation.segmentation import Segmentation
from ...showing import count_text, path_text
from ..besides import Besides
from ..options import ReadOptions
from ..rows import Rows
from ..text import WHOLE, decimals, lines, seconds

__all__ = ["read", "write"]

LONG = 1e6  # seconds; more is not a recording, but probably units of HTK


def read(path: Path, name: str, options: ReadOptions, besides: Besides) -> Iterator[Rows]:
    """Give the segments of a file; points of Audacity are cuts."""
    starts, ends, places = array("d"), array("d"), array("q")
    labels: list[str] = []
    known: dict[str, str] = {}  # one object per label
    labelled, whole, frequencies, finest = False, True, 0, 0
    for number, line in lines(path):
        if name == "audacity":
            if line.startswith("\\"):
                frequencies += 1
                continue
            words = line.split("\t", 2)
        else:
            words = line.split(None, 2)
            if words and words[0].startswith("#"):
                continue
        if not line.strip():
            continue
        where = f"{path_text(path)}, line {number}"
        if len(words) < 2:
            separator = " separated by tabs" if name == "audacity" else ""
            raise ValueError(
                f"{where}: {line.strip()!r:.40} has no end; expected a start, an end and a label{separator}"
            )
        first, last = words[0].strip(), words[1].strip()
        whole = whole and bool(WHOLE.fullmatch(first) and WHOLE.fullmatch(last))
        finest = max(finest, decimals(first), decimals(last))
        starts.append(seconds(first, where))
        ends.append(seconds(last, where))
        label = words[2].strip() if len(words) > 2 else ""
        labelled = labelled or bool(label)
        labels.append(known.setdefault(label, label))
        places.append(number)
    if options.unit is None and whole and len(ends) and max(ends) >= LONG:
        raise ValueError(
            f"{path_text(path)} has only integers, up to {max(ends):.0f}, which look like the units of HTK; expected "
            "unit=1e-7 for units of 100 ns, or unit=1 for seconds"
        )
    if frequencies:
        besides.notes.append(f"{count_text(frequencies, 'line')} of frequencies")
    if name == "audacity" and len(starts) and starts == ends:
        if labelled:
            besides.notes.append("the labels of points, because a cut has no label")
        yield Rows(path_text(path), path.stem, "", starts, lines=places, kind="time")
        return
    yield Rows(
        path_text(path), path.stem, "", starts, ends, labels if labelled else None, places, "time", decimals=finest
    )


def write(
    segmentations: Mapping[tuple[str, str], Segmentation], path: Path, name: str, tiers: str, lost: list[str]
) -> None:
    """Write the segments of one segmentation, one per line."""
    (segmentation,) = segmentations.values()
    labels = [""] * len(segmentation) if segmentation.labels is None else segmentation.labels
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for (start, end), label in zip(segmentation.segments, labels, strict=True):
            file.write(f"{start!r}\t{end!r}\t{label}".rstrip("\t") + "\n")
