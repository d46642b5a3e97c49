"""The files of TCPDBench: annotations, results of runs, and summaries, read by `segscore.study.read_tcpdbench`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ..segmentation.segmentation import Segmentation
from ..showing import count_text, path_text
from . import tcpdbench_records
from .options import ReadOptions
from .records import CUTS_COLUMNS
from .rows import Besides, Rows

__all__ = ["read", "rows_of", "write"]


def read(path: Path, name: str, options: ReadOptions, besides: Besides) -> Iterator[Rows]:
    """Give the segmentations of a file, or of all .json files of a folder."""
    for file, kind, rows in tcpdbench_records.files_of(path):
        yield from _content_rows(file, kind, rows, besides)


def rows_of(content: dict[str, Any], path: Path, besides: Besides, expected: str) -> Iterator[Rows]:
    """Give the segmentations of a JSON object that is a file of TCPDBench; ``expected`` says what else may be read."""
    try:
        kind, rows = tcpdbench_records.kind_and_rows(content, path)
    except ValueError:
        names = ", ".join(map(repr, content))
        raise ValueError(
            f"{path_text(path)} holds an object with the keys {names or '(none)':.100}; {expected}"
        ) from None
    yield from _content_rows(path, kind, rows, besides)


def _content_rows(path: Path, kind: str, found: list[dict[str, Any]], besides: Besides) -> Iterator[Rows]:
    file = path_text(path)
    if kind == "scores":
        raise ValueError(f"{file} holds scores of TCPDBench and no cuts; expected annotations, results or a summary")
    besides.tiers = "annotator" if kind == "annotations" else "method"
    failed = 0
    for row in found:
        tier = row.get("annotator", row.get("method", ""))
        cuts = row["pred" if kind == "summaries" else "change_points"]
        if cuts is None:
            failed += 1
            continue
        n = row.get("n")
        yield Rows(file, row["series"], tier, cuts, kind="points", length=n, detail=row.get("params", ""))
    people = found[0].get("people", {}) if found and kind == "summaries" else {}
    for person, cuts in people.items():
        yield Rows(file, found[0]["series"], person, cuts, kind="points", length=found[0]["n"], detail="annotator")
    if failed:
        besides.notes.append(f"{count_text(failed, 'run')} without cuts in {file}")
    if kind != "annotations":
        besides.notes.append("parameters, times and published scores")


def write(
    segmentations: Mapping[tuple[str, str], Segmentation], path: Path, name: str, tiers: str, lost: list[str]
) -> None:
    """Write annotations: the cuts of each series by annotator."""
    content: dict[str, dict[str, list[int]]] = {}
    for (series, tier), each in segmentations.items():
        content.setdefault(series, {})[tier] = each.cuts
    for keys in (*({column} for column in CUTS_COLUMNS), *tcpdbench_records.MARKING_KEYS.values()):
        if keys <= content.keys():
            names = ", ".join(map(repr, sorted(keys)))
            raise ValueError(f"tcpdbench cannot hold series with the names {names}, which mark other files; rename one")
    path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
