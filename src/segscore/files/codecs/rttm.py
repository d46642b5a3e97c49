"""RTTM: turns of speakers, one per line, with 10 fields separated by spaces; several recordings in one file.

Only lines of the type SPEAKER are segments. The file name is the series, and the speaker is the label. RTTM is parsed
here, because the libraries that read it come with whole toolkits for audio. An end is the sum of onset and duration as
decimal numbers, so that turns that touch in the text touch in the segmentation.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

from ...segmentation.segmentation import Segmentation
from ...showing import count_text, path_text
from ..besides import Besides
from ..options import ReadOptions
from ..rows import Rows
from ..text import decimals, lines, seconds

__all__ = ["read", "write"]

SPEAKER_FIELDS = "SPEAKER file channel onset duration <NA> <NA> name <NA> <NA>"
OTHERS = re.compile(
    "LEXEME|NON-LEX|NON-SPEECH|NOSCORE|NO_RT_METADATA|SEGMENT|SU|A/P|CB|EDIT|FILLER|IP|SPKR-INFO"
)  # types of lines that are left out
NONE = "<NA>"


def read(path: Path, name: str, options: ReadOptions, besides: Besides) -> Iterator[Rows]:
    """Give the turns of each recording and channel."""
    found: dict[tuple[str, str], tuple[Any, Any, list[str], Any]] = {}
    known: dict[str, str] = {}  # one object per label
    others: dict[str, int] = {}
    confidences = channels = more = finest = 0
    for number, line in lines(path):
        words = line.split()
        if not words or line.startswith((";", "#")):
            continue
        where = f"{path_text(path)}, line {number}"
        if words[0] != "SPEAKER":
            if not OTHERS.fullmatch(words[0]):
                raise ValueError(f"{where} starts with {words[0]!r:.40}; expected {SPEAKER_FIELDS}")
            others[words[0]] = others.get(words[0], 0) + 1
            continue
        if len(words) != 10:
            espnet = " (9 fields are a variant with ends in place of durations, in samples)" if len(words) == 9 else ""
            raise ValueError(f"{where} has {count_text(len(words), 'field')}; expected 10: {SPEAKER_FIELDS}{espnet}")
        file, channel, onset, duration, speaker = words[1], words[2], words[3], words[4], words[7]
        starts, ends, labels, places = found.setdefault((file, channel), (array("d"), array("d"), [], array("q")))
        start = seconds(onset, where)
        seconds(duration, where)
        finest = max(finest, decimals(onset), decimals(duration))
        starts.append(start)
        ends.append(_sum(onset, duration, where))
        labels.append(known.setdefault(speaker, speaker))
        places.append(number)
        confidences += words[8] != NONE
        channels += channel not in ("1", NONE)
        more += any(words[k] != NONE for k in (5, 6, 9))
    if others:
        besides.notes.append("lines of other types: " + ", ".join(f"{count} {kind}" for kind, count in others.items()))
    if confidences:
        besides.notes.append(count_text(confidences, "confidence"))
    if channels and len({file for file, _ in found}) == len(found):  # otherwise the tiers are named by their channels
        besides.notes.append(f"channels other than 1 in {count_text(channels, 'line')}")
    if more:
        besides.notes.append(f"orthography, subtypes or lookahead times in {count_text(more, 'line')}")
    for (file, channel), (starts, ends, labels, places) in found.items():
        given = None if set(labels) == {NONE} else labels
        detail = f"channel {channel}"
        yield Rows(path_text(path), file, "", starts, ends, given, places, "time", detail=detail, decimals=finest)


def _sum(onset: str, duration: str, where: str) -> float:
    """Return the sum of two decimal numbers that floats can hold, rounded once."""
    whole = Decimal(0)
    for text in (onset, duration):
        if float(text):  # so that no exponent is out of range
            whole += Decimal(text)
    return seconds(str(whole), where)


def write(
    segmentations: Mapping[tuple[str, str], Segmentation], path: Path, name: str, tiers: str, lost: list[str]
) -> None:
    """Write the segments of each series as turns."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for (series, _), each in segmentations.items():
            labels = [NONE] * len(each) if each.labels is None else each.labels
            for (start, end), label in zip(each.segments, labels, strict=True):
                onset = Decimal(repr(start))
                duration = Decimal(repr(end)) - onset
                file.write(f"SPEAKER {series} 1 {onset:f} {duration:f} {NONE} {NONE} {label} {NONE} {NONE}\n")
