"""Lines of a time and a label, as in SALAMI and Harmonix: each label holds until the time of the next line.

The last line is the end, whatever its label is. A time that stands in two lines has the label of the second.
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
from ..text import decimals, lines, seconds

__all__ = ["read", "write"]


def read(path: Path, name: str, options: ReadOptions, besides: Besides) -> Iterator[Rows]:
    """Give the segments of a file."""
    file = path_text(path)
    times: list[tuple[float, int, str]] = []  # with the number and the label of the line
    finest = early = 0
    for number, line in lines(path):
        words = line.split(None, 1)
        if not words or words[0].startswith("#"):
            continue
        time = seconds(words[0], f"{file}, line {number}")
        finest = max(finest, decimals(words[0]))
        early += time < 0
        times.append((max(time, 0.0), number, words[1].strip() if len(words) > 1 else ""))
    if len(times) < 2:
        raise ValueError(
            f"{file} has {count_text(len(times), 'line')} of a time and a label; expected at least two, because the "
            "last line is the end"
        )
    if early:
        besides.others[f"{count_text(early, 'time')} before 0 became 0"] = None
    if times != sorted(times, key=lambda each: each[0]):
        times.sort(key=lambda each: each[0])
        besides.others["the lines were sorted by their times"] = None
    starts, places = array("d", [time for time, *_ in times[:-1]]), array("q", [number for _, number, _ in times[:-1]])
    labels = [label for *_, label in times[:-1]]
    ends = array("d", [time for time, *_ in times[1:]])
    yield Rows(file, path.stem, "", starts, ends, labels if any(labels) else None, places, "time", decimals=finest)


def write(
    segmentations: Mapping[tuple[str, str], Segmentation], path: Path, name: str, tiers: str, lost: list[str]
) -> None:
    """Write the start and the label of each segment, and the end."""
    (segmentation,) = segmentations.values()
    labels = [""] * len(segmentation) if segmentation.labels is None else segmentation.labels
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for (start, _), label in zip(segmentation.segments, labels, strict=True):
            file.write(f"{start!r}\t{label}".rstrip("\t") + "\n")
        file.write(f"{segmentation.length!r}\tend\n")
