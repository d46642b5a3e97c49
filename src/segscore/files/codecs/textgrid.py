"""TextGrid files of Praat, in the long and the short text form, as UTF-8 or UTF-16.

Praat reads such a file as a sequence of free-standing numbers, quoted texts and flags, and skips every other word. The
reader here does so too, and thereby reads both forms alike. We parse TextGrid ourselves, so that errors name the line
and nothing is repaired silently; that takes fewer lines than the use of a library would.
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
from ..text import REAL, decimals, file_text, seconds

__all__ = ["read", "write"]

# A quoted text with doubled quotes, a comment, a word, or a quote without its partner. Words that are neither numbers
# nor flags are skipped.
TOKEN = re.compile(r'"([^"]*(?:""[^"]*)*)"|![^\n]*|([^\s"]+)|"')
NUMBER = re.compile(f"{REAL.pattern}(?:/(?:{REAL.pattern}))?")  # Praat reads fractions like 1/2 too
TEXTGRID_FILE = "expected a TextGrid that Praat saved as text"


class _Tokens:
    """The numbers, texts and flags of a file, one after another, with their lines."""

    def __init__(self, text: str, file: str) -> None:
        self.text, self.file = text, file
        self.found = TOKEN.finditer(text)
        self.at = 0  # where the last token starts, and the line of that place
        self.line = 1
        self.decimals = 0  # decimals of the last number

    def where(self) -> str:
        """Return the file and the line of the last token."""
        return f"{self.file}, line {self.line}"

    def next(self, kind: str, what: str) -> str:
        """Return the next token of a kind, "text", "number" or "flag", or raise."""
        for match in self.found:
            word = match[2]
            is_text = match[1] is not None
            if match[0] == '"':
                self.line += self.text.count("\n", self.at, match.start())
                raise ValueError(f"{self.where()}: a quote is not closed; {TEXTGRID_FILE}")
            is_flag = word is not None and word.startswith("<") and word.endswith(">")
            is_number = word is not None and NUMBER.fullmatch(word) is not None
            if not (is_text or is_flag or is_number):
                continue
            self.line += self.text.count("\n", self.at, match.start())
            self.at = match.start()
            if kind != ("text" if is_text else "flag" if is_flag else "number"):
                raise ValueError(f"{self.where()}: {match[0]!r:.40} is not {what}; {TEXTGRID_FILE}")
            return match[1].replace('""', '"') if is_text else word
        raise ValueError(f"{self.file} ends before {what}; {TEXTGRID_FILE}")

    def number(self, what: str) -> float:
        """Return the next number, which may be a fraction."""
        whole, _, divisor = self.next("number", what).partition("/")
        self.decimals = decimals(whole)
        value, by = seconds(whole, self.where()), seconds(divisor, self.where()) if divisor else 1.0
        if not by:
            raise ValueError(f"{self.where()}: {whole}/{divisor} divides by 0; {TEXTGRID_FILE}")
        return value / by

    def count(self, what: str) -> int:
        """Return the next number, which counts something."""
        value = self.number(what)
        if value < 0 or value != int(value):
            raise ValueError(f"{self.where()}: {value!r} is not {what}; expected an integer of at least 0")
        return int(value)


def read(path: Path, name: str, options: ReadOptions, besides: Besides) -> Iterator[Rows]:
    """Give each tier; the points of a point tier are cuts."""
    tokens = _Tokens(file_text(path), path_text(path))
    for kind, wanted in (("the type of the file", "ooTextFile"), ("the class of the file", "TextGrid")):
        found = tokens.next("text", kind)
        if found.split(" ")[0] != wanted:
            raise ValueError(f"{tokens.where()}: {kind} is {found!r:.40} in place of {wanted!r}; {TEXTGRID_FILE}")
    offset = tokens.number("the start of the file")
    tokens.number("the end of the file")
    if tokens.next("flag", "the flag <exists>") != "<exists>":
        raise ValueError(f"{tokens.where()}: there are no tiers; {TEXTGRID_FILE}")
    tiers = [_Tier(tokens) for _ in range(tokens.count("the number of tiers"))]
    offset = min([offset, *(tier.start for tier in tiers)])
    if offset:
        besides.others[f"times count from the start of the file, {offset!r} s"] = None
    finest = max((tier.decimals for tier in tiers), default=0)
    for tier in tiers:
        labels = tier.labels if any(tier.labels) and tier.is_intervals else None
        starts, ends, length = (_moved(times, offset) for times in (tier.starts, tier.ends, [tier.end]))
        ends = ends if tier.is_intervals else None
        yield Rows(
            tokens.file, path.stem, tier.name, starts, ends, labels, tier.places, "time", length[0], decimals=finest
        )
    marks = sum(any(tier.labels) for tier in tiers if not tier.is_intervals)
    if marks:
        besides.notes.append(f"the labels of points in {count_text(marks, 'tier')}, because a cut has no label")


class _Tier:
    """One tier, with its times as they stand in the file."""

    def __init__(self, tokens: _Tokens) -> None:
        kind = tokens.next("text", "the class of a tier")
        if kind not in ("IntervalTier", "TextTier"):
            raise ValueError(
                f"{tokens.where()}: {kind!r:.40} is not a class of tiers; expected IntervalTier or TextTier"
            )
        self.is_intervals = kind == "IntervalTier"
        self.name = tokens.next("text", "the name of a tier")
        self.start = tokens.number("the start of a tier")
        self.end = tokens.number("the end of a tier")
        self.starts, self.ends, self.places = array("d"), array("d"), array("q")
        self.labels: list[str] = []
        self.decimals = 0
        for _ in range(tokens.count("the number of intervals or points")):
            self.starts.append(self._time(tokens, "a time"))
            self.places.append(tokens.line)
            if self.is_intervals:
                self.ends.append(self._time(tokens, "the end of an interval"))
            self.labels.append(tokens.next("text", "a label"))

    def _time(self, tokens: _Tokens, what: str) -> float:
        """Return the next time, and keep the number of its decimals."""
        time = tokens.number(what)
        self.decimals = max(self.decimals, tokens.decimals)
        return time


def _moved(times: Any, offset: float) -> Any:  # noqa: ANN401
    """Return times that count from an offset, as differences of decimal numbers, rounded once."""
    if not offset:
        return times
    return array("d", [float(Decimal(repr(time)) - Decimal(repr(offset))) for time in times])


def write(
    segmentations: Mapping[tuple[str, str], Segmentation], path: Path, name: str, tiers: str, lost: list[str]
) -> None:
    """Write each segmentation as an interval tier, in the long form."""
    longest = max(each.length for each in segmentations.values())
    head = ['File type = "ooTextFile"', 'Object class = "TextGrid"', "", "xmin = 0", f"xmax = {longest!r}"]
    head += ["tiers? <exists>", f"size = {len(segmentations)}", "item []:"]
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write("\n".join(head) + "\n")
        for number, ((_, tier), each) in enumerate(segmentations.items(), 1):
            file.write(
                f'    item [{number}]:\n        class = "IntervalTier"\n        name = {_in_quotes(tier)}\n'
                f"        xmin = 0\n        xmax = {each.length!r}\n        intervals: size = {len(each)}\n"
            )
            labels = [""] * len(each) if each.labels is None else each.labels
            for k, ((start, end), label) in enumerate(zip(each.segments, labels, strict=True), 1):
                file.write(
                    f"        intervals [{k}]:\n            xmin = {start!r}\n            xmax = {end!r}\n"
                    f"            text = {_in_quotes(str(label))}\n"
                )


def _in_quotes(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'
