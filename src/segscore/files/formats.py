"""The formats of files: their names, their suffixes, and what each can hold."""

from __future__ import annotations

import importlib
import os
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal

from ..arguments import suffix
from ..outputs import check_name
from .text import REAL

__all__ = ["FORMATS", "SEPARATORS", "TABLES", "Format", "format_of", "format_to_read", "table_format"]

SNIFFED = 2**14  # characters of a .txt file that tell whether it has labels


@dataclass(frozen=True)
class Format:
    """A format of files, and what a file of the format can hold."""

    name: str
    suffixes: tuple[str, ...]
    module: str  # module of codecs with the functions read and write
    kinds: Literal["points", "time", "both"] = "both"
    series: bool = True  # whether a file may hold several series
    tiers: bool = True  # whether a series may have several segmentations
    labels: bool = True
    length: bool = True
    tables: bool = False  # whether tables of any columns can be stored too
    tolerance: float = 1e-6  # seconds; smaller gaps and overlaps are rounding
    silence: bool = False  # whether a place without a segment means that nothing is there
    turns: bool = False  # whether segments may overlap, as the turns of speakers do

    def functions(self) -> Any:  # noqa: ANN401
        """Return the module that reads and writes the format."""
        return importlib.import_module(f".codecs.{self.module}", __package__)


FORMATS = {
    each.name: each
    for each in (
        Format("text", (".txt",), "cuts", series=False, tiers=False, labels=False, length=False),
        Format("npy", (".npy",), "cuts", series=False, tiers=False, labels=False, length=False),
        Format("json", (".json",), "json"),
        Format("jsonl", (".jsonl", ".ndjson"), "json", tables=True),
        Format("csv", (".csv",), "csv", tables=True),
        Format("tsv", (".tsv",), "csv", tables=True),
        Format("parquet", (".parquet",), "arrow", tables=True),
        Format("arrow", (".arrow", ".feather", ".ipc"), "arrow", tables=True),
        Format("tcpdbench", (), "tcpdbench", "points", labels=False, length=False),
        Format("lab", (".lab",), "lab", "time", series=False, tiers=False, tolerance=0.005, silence=True),
        Format("audacity", (), "lab", "time", series=False, tiers=False, tolerance=0.005, silence=True, turns=True),
        Format("time_label", (), "time_label", "time", series=False, tiers=False, tolerance=0.005, silence=True),
        Format("jams", (".jams",), "jams", "time", series=False, tolerance=0.005, silence=True),
        Format("rttm", (".rttm",), "rttm", "time", tiers=False, tolerance=0.01, silence=True, turns=True),
        Format("uem", (".uem",), "uem", "time", tiers=False, tolerance=0.01, silence=True),
        Format("bed", (".bed",), "bed", "points", tiers=False, silence=True, turns=True),
        Format("textgrid", (".textgrid",), "textgrid", "time", series=False, tolerance=0.001, silence=True),
    )
}
SUFFIXES = {suffix: each for each in FORMATS.values() for suffix in each.suffixes}
TABLES = tuple(suffix for suffix, each in SUFFIXES.items() if each.tables)
SEPARATORS = {"csv": ",", "tsv": "\t"}


def format_of(path: str | os.PathLike[str], format: str | None = None) -> Format:
    """Return the format with a name, or else the format that the suffix of a file tells."""
    if format is None:
        return SUFFIXES[suffix(path, (*SUFFIXES, "format= for other names"))]
    if not isinstance(format, str) or format not in FORMATS:
        near = get_close_matches(str(format), FORMATS, 1)
        meant = f"did you mean {near[0]!r}?" if near else f"expected {', '.join(FORMATS)}"
        raise ValueError(f"format = {format!r:.40} is not known; {meant}")
    return FORMATS[format]


def format_to_read(path: str | os.PathLike[str], format: str | None = None) -> Format:
    """Return the format with a name, or else the one that the suffix and, in .txt and .lab files, the first lines tell.

    A .txt file with one cut per line may as well hold times with labels, as SALAMI and Audacity write them, and a .lab
    file may lack the ends.
    """
    known = format_of(path, format)
    if format is not None or known.name not in ("text", "lab") or not os.path.isfile(path):
        return known
    with Path(path).open(encoding="utf-8-sig", errors="replace") as file:
        start = file.read(SNIFFED)
    for line in start.splitlines()[: -1 if len(start) == SNIFFED else None]:
        words = line.split()
        if not words or REAL.fullmatch(words[0]) is None:
            continue
        numbers = [REAL.fullmatch(word) is not None for word in words[:3]]
        if known.name == "lab":  # the first line tells
            has_label = numbers[1:2] == [False] and words[1].lstrip("+-").lower() not in ("nan", "inf", "infinity")
            return FORMATS["time_label"] if has_label else known
        if not all(numbers):
            with_end = numbers[1]
            return FORMATS["time_label" if not with_end else "audacity" if "\t" in line else "lab"]
        if line.count("\t") == 2 and line.endswith("\t"):  # a label of Audacity without text
            return FORMATS["audacity"]
    return known


def table_format(path: str | os.PathLike[str]) -> str:
    """Return the name of the format of a table, told by the suffix of its file."""
    check_name(path)
    return SUFFIXES[suffix(path, TABLES)].name
