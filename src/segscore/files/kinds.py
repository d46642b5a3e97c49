"""The formats of files: their names, their suffixes, and what each can hold."""

from __future__ import annotations

import importlib
import os
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal

from .text import shown

__all__ = ["FORMATS", "Format", "format_of"]


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

    def functions(self) -> Any:  # noqa: ANN401
        """Return the module that reads and writes the format."""
        return importlib.import_module(f".{self.module}", __package__)


FORMATS = {
    known.name: known
    for known in (
        Format("text", (".txt",), "cuts", series=False, tiers=False, labels=False, length=False),
        Format("npy", (".npy",), "cuts", series=False, tiers=False, labels=False, length=False),
        Format("json", (".json",), "json"),
        Format("jsonl", (".jsonl", ".ndjson"), "json"),
        Format("csv", (".csv",), "csv"),
        Format("tsv", (".tsv",), "csv"),
        Format("parquet", (".parquet",), "arrow"),
        Format("arrow", (".arrow", ".feather", ".ipc"), "arrow"),
        Format("tcpdbench", (), "tcpdbench", "points", labels=False, length=False),
        Format("lab", (".lab",), "lab", "time", series=False, tiers=False),
        Format("audacity", (), "lab", "time", series=False, tiers=False),
        Format("jams", (".jams",), "jams", "time", series=False),
        Format("rttm", (".rttm",), "rttm", "time", tiers=False),
        Format("bed", (".bed",), "bed", "points", tiers=False),
        Format("textgrid", (".textgrid",), "textgrid", "time", series=False),
    )
}


def format_of(path: str | os.PathLike[str], format: str | None = None) -> Format:
    """Return the format with a name, or else the format that the suffix of a file tells."""
    if format is not None:
        if not isinstance(format, str) or format not in FORMATS:
            near = get_close_matches(str(format), FORMATS, 1)
            meant = f"did you mean {near[0]!r}?" if near else f"expected {', '.join(FORMATS)}"
            raise ValueError(f"format = {format!r:.40} is not known; {meant}")
        return FORMATS[format]
    suffix = Path(path).suffix.lower()
    for known in FORMATS.values():
        if suffix in known.suffixes:
            return known
    every = [suffix for known in FORMATS.values() for suffix in known.suffixes]
    raise ValueError(
        f"{shown(path)} ends with {suffix or 'nothing'!r}; expected {', '.join(every)}, or format= for other names"
    )
