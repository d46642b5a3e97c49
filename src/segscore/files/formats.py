"""The formats of files: their names, their suffixes, and what each can hold."""

from __future__ import annotations

import importlib
import os
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Literal

from ..arguments import suffix
from ..outputs import check_name

__all__ = ["FORMATS", "SEPARATORS", "TABLES", "Format", "format_of", "table_format"]


@dataclass(frozen=True)
class Format:
    """A format of files, and what a file of the format can hold."""

    name: str
    suffixes: tuple[str, ...]
    module: str  # of this package, with the functions read and write
    kinds: Literal["points", "time", "both"] = "both"
    series: bool = True  # whether a file may hold several series
    tiers: bool = True  # whether a series may have several segmentations
    labels: bool = True
    length: bool = True
    tables: bool = False  # whether tables of any columns can be stored too

    def functions(self) -> Any:  # noqa: ANN401
        """Return the module that reads and writes the format."""
        return importlib.import_module(f".{self.module}", __package__)


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
        Format("lab", (".lab",), "lab", "time", series=False, tiers=False),
        Format("audacity", (), "lab", "time", series=False, tiers=False),
        Format("jams", (".jams",), "jams", "time", series=False),
        Format("rttm", (".rttm",), "rttm", "time", tiers=False),
        Format("bed", (".bed",), "bed", "points", tiers=False),
        Format("textgrid", (".textgrid",), "textgrid", "time", series=False),
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


def table_format(path: str | os.PathLike[str]) -> str:
    """Return the name of the format of a table, told by the suffix of its file."""
    check_name(path)
    return SUFFIXES[suffix(path, TABLES)].name
