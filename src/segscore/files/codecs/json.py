"""Segmentations in JSON and JSON Lines.

A JSON file holds a list of cuts, one record, a list of records, or a file of TCPDBench. A JSON Lines file holds one
record per line, and is read line by line. A record is an object with ``change_points`` and, optionally, ``series``,
``annotator``, ``method`` or ``tier``, ``labels``, and ``n`` or ``duration``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ...segmentation.segmentation import Segmentation
from ...showing import path_text
from ..besides import Besides
from ..options import ReadOptions
from ..records import CUTS_COLUMNS, Reader, records_of
from ..rows import Rows
from ..safe_json import load, loads
from ..text import file_text, lines, refuse_pipe
from . import cuts, tcpdbench

__all__ = ["is_records", "read", "texts_of_records", "write"]

JSON_FILE = "expected a list of cuts like [3, 8], records with change_points, or a file of TCPDBench"


def is_records(path: Path) -> bool:
    """Return whether a JSON file is a list of objects, judged by its start."""
    refuse_pipe(path, "json")
    with path.open(encoding="utf-8-sig", errors="replace") as file:
        return re.match(r"\s*\[\s*\{", file.read(4096)) is not None


def texts_of_records(path: Path) -> Iterator[str]:
    """Give each record of a JSON list as one line of text, spelled as in the file."""
    file, text = path_text(path), file_text(path)
    content = loads(text, file, "a list of records")
    if not isinstance(content, list) or not all(isinstance(record, dict) for record in content):
        raise ValueError(f"{file} is not a list of records; expected a table like " + '[{"truth": [3], "pred": [4]}]')
    at, decoder = text.index("[") + 1, json.JSONDecoder()
    for _ in content:
        at = text.index("{", at)
        end = decoder.raw_decode(text, at)[1]
        yield " ".join(text[at:end].splitlines())
        at = end


def read(path: Path, name: str, options: ReadOptions, besides: Besides) -> Iterator[Rows]:
    """Give the rows of a JSON or JSON Lines file."""
    if name == "jsonl":
        yield from _read_lines(path, besides)
        return
    if cuts.is_list(path):
        yield from cuts.read(path, "json", options, besides)
        return
    content = load(path, "JSON")
    if isinstance(content, dict) and not content.keys() & set(CUTS_COLUMNS):
        if {"annotations", "file_metadata"} <= content.keys() and isinstance(content["annotations"], list):
            raise ValueError(
                f"{path_text(path)} looks like JAMS; expected format='jams', or a name that ends with .jams"
            )
        yield from tcpdbench.rows_of(content, path, besides, JSON_FILE)
        return
    if not isinstance(content, dict | list):
        raise ValueError(f"{path_text(path)} holds {content!r:.40}; {JSON_FILE}")
    reader = Reader(path_text(path), path.stem, "record")
    for number, record in enumerate([content] if isinstance(content, dict) else content, 1):
        yield from _record_rows(reader, record, number)
    reader.finish(besides)


def _read_lines(path: Path, besides: Besides) -> Iterator[Rows]:
    reader = Reader(path_text(path), path.stem, "line")
    for number, line in lines(path):
        if line.strip():
            record = loads(line, reader.where(number), "one JSON object per line")
            yield from _record_rows(reader, record, number)
    reader.finish(besides)


def _record_rows(reader: Reader, record: Any, number: int) -> Iterator[Rows]:  # noqa: ANN401
    if not isinstance(record, dict):
        raise ValueError(
            f'{reader.where(number)} is {record!r:.40}; expected an object like {{"change_points": [3, 8]}}'
        )
    rows = reader.rows(record, number)
    if rows is not None:
        yield rows


def write(
    segmentations: Mapping[tuple[str, str], Segmentation], path: Path, name: str, tiers: str, lost: list[str]
) -> None:
    """Write records, one per line."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        texts = (json.dumps(record, ensure_ascii=False, allow_nan=False) for record in records_of(segmentations, tiers))
        if name == "jsonl":
            file.writelines(f"{text}\n" for text in texts)
            return
        for k, text in enumerate(texts):
            file.write(f"{',' if k else '['}\n{text}")
        file.write("\n]\n")
