"""UEM: the scored regions of recordings, one per line: file, channel, start and end.

A file of regions is a segmentation: the regions have the label ``scored``, and what lies outside has no label. As
``sizes=`` of an RTTM file, a UEM file gives the lengths of the recordings.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ...segmentation.segmentation import Segmentation
from ...showing import path_text
from ..besides import Besides
from ..lengths import regions
from ..options import ReadOptions
from ..rows import Rows
from ..text import decimals, seconds

__all__ = ["read", "write"]

SCORED = "scored"


def read(path: Path, name: str, options: ReadOptions, besides: Besides) -> Iterator[Rows]:
    """Give the scored regions of each recording and channel."""
    found: dict[tuple[str, str], tuple[Any, Any, Any]] = {}
    finest = 0
    for number, (file, channel, start, end) in regions(path):
        where = f"{path_text(path)}, line {number}"
        starts, ends, places = found.setdefault((file, channel), (array("d"), array("d"), array("q")))
        starts.append(seconds(start, where))
        ends.append(seconds(end, where))
        places.append(number)
        finest = max(finest, decimals(start), decimals(end))
    for (file, channel), (starts, ends, places) in found.items():
        labels = [SCORED] * len(starts)
        detail = f"channel {channel}"
        yield Rows(path_text(path), file, "", starts, ends, labels, places, "time", detail=detail, decimals=finest)


def write(
    segmentations: Mapping[tuple[str, str], Segmentation], path: Path, name: str, tiers: str, lost: list[str]
) -> None:
    """Write the segments that are labelled as scored; the others must have no label."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for (series, _), each in segmentations.items():
            labels = each.labels or [None] * len(each)
            if not series:
                raise ValueError("a series has no name, and uem can hold only names; name the series first")
            if SCORED not in labels or not {*labels} <= {SCORED, ""}:
                raise ValueError(
                    f"{series!r:.60} has other labels than 'scored' and '', and uem can hold only scored regions; "
                    "rename the labels first"
                )
            for (start, end), label in zip(each.segments, labels, strict=True):
                if label == SCORED:
                    file.write(f"{series} 1 {start!r} {end!r}\n")
            if labels[-1] != SCORED:
                lost.append(f"the length of the series {series!r:.60}")
