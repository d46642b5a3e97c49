"""The files of TCPDBench: annotations, results of runs, summaries and scores, as segmentations and as tables."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ...optional import PolarsType
from ...optional import polars as pl
from ...segmentation.segmentation import Segmentation
from ...showing import path_text
from ..besides import Besides
from ..options import ReadOptions
from ..records import CUTS_COLUMNS
from ..rows import Rows
from ..safe_json import load
from ..text import refuse_pipe

__all__ = ["read", "read_tcpdbench", "rows_of", "write"]

# Methods in R whose scripts subtract 1 from a last point, counted from 1, which is the cut itself.
SHIFTED = ("amoc", "binseg", "cpnp", "pelt", "rfpop", "segneigh", "wbs")
PUBLISHED_STATUSES = {"SUCCESS": "ok", "SKIP": "skip", "FAIL": "error", "TIMEOUT": "timeout"}
MARKING_KEYS = {"summaries": {"dataset", "annotations", "results"}, "results": {"dataset", "status", "result"}}
OTHERS = "parameters, times and published scores"
PARTS = ("f1", "precision", "recall", "cover")


def read(path: Path, name: str, options: ReadOptions, besides: Besides) -> Iterator[Rows]:
    """Give the segmentations of a file, or of all .json files of a folder."""
    for file, kind, rows in files_of(path):
        yield from _content_rows(file, kind, rows, besides)


def rows_of(content: dict[str, Any], path: Path, besides: Besides, expected: str) -> Iterator[Rows]:
    """Give the segmentations of a JSON object that is a file of TCPDBench; ``expected`` says what else may be read."""
    try:
        kind, rows = kind_and_rows(content, path)
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
    for row in found:
        tier = row.get("annotator", row.get("method", ""))
        cuts = row["pred" if kind == "summaries" else "change_points"]
        if cuts is None:
            besides.counts["run", " without cuts"] += 1
            continue
        if kind != "annotations" and cuts and cuts[0] < 0:
            besides.counts["run", " with a cut below 0, which is invalid"] += 1
            continue
        n = row.get("n")
        yield Rows(file, row["series"], tier, cuts, kind="points", length=n, detail=row.get("params", ""))
    people = found[0].get("people", {}) if found and kind == "summaries" else {}
    for person, cuts in people.items():
        yield Rows(file, found[0]["series"], person, cuts, kind="points", length=found[0]["n"], detail="annotator")
    if kind != "annotations":
        besides.notes.append(OTHERS)


def write(
    segmentations: Mapping[tuple[str, str], Segmentation], path: Path, name: str, tiers: str, lost: list[str]
) -> None:
    """Write annotations: the cuts of each series by annotator."""
    content: dict[str, dict[str, list[int]]] = {}
    for (series, tier), each in segmentations.items():
        content.setdefault(series, {})[tier] = each.cuts
    for keys in (*({column} for column in CUTS_COLUMNS), *MARKING_KEYS.values()):
        if keys <= content.keys():
            names = ", ".join(map(repr, sorted(keys)))
            raise ValueError(f"tcpdbench cannot hold series with the names {names}, which mark other files; rename one")
    path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def read_tcpdbench(path: str | os.PathLike[str], *, shift_r: bool = False) -> pl.DataFrame:
    """Read a file of TCPDBench, or all .json files of a folder, as a Polars DataFrame.

    =======================  ==========================================================================================
    ``annotations.json``     ``series``, ``annotator``, ``change_points``: the truths of `segscore.score_long`
    ``summary_<series>``     ``series``, ``method``, ``params``, ``task``, ``n``, ``truth``, ``pred``, ``status`` and
                             the published scores ``published_f1``, ``..._precision``, ``..._recall``, ``..._cover``
    ``abed_results/...``     ``series``, ``method``, ``params``, ``task``, ``change_points``, ``status``, ``error`` and
                             ``seconds``; the files do not hold the length n
    files of scores          ``series``, ``method``, ``score``
    =======================  ==========================================================================================

    The method is the name of the folder of a result (``default_pelt``), or of its script. Locations are cuts: without
    duplicates, in order. ``status`` is ok, skip, error or timeout.

    With ``shift_r=True``, 1 is added to the locations of amoc, binseg, cpnp, pelt, rfpop, segneigh and wbs. Their R
    packages give the last point of a segment, counted from 1, which is the cut; the scripts of TCPDBench subtract 1.
    The published scores are those without the shift.
    """
    tables: dict[str, list[dict[str, Any]]] = {}
    for _, kind, rows in files_of(Path(path)):
        tables.setdefault(kind, []).extend(rows)
    cuts = pl.List(pl.Int64)
    kinds: dict[str, dict[str, PolarsType]] = {
        "annotations": {"series": pl.String, "annotator": pl.String, "change_points": cuts},
        "summaries": {
            **dict.fromkeys(("series", "method", "params", "task"), pl.String),
            **{"n": pl.Int64, "truth": pl.List(cuts), "pred": cuts, "status": pl.String},
            **{f"published_{part}": pl.Float64 for part in PARTS},
        },
        "results": {
            **dict.fromkeys(("series", "method", "params", "task"), pl.String),
            **{"change_points": cuts, "status": pl.String, "error": pl.String, "seconds": pl.Float64},
        },
        "scores": {"series": pl.String, "method": pl.String, "score": pl.Float64},
    }
    ((kind, rows),) = tables.items()
    table = pl.DataFrame(rows, schema=kinds[kind])
    name = {"summaries": "pred", "results": "change_points"}.get(kind)
    if not shift_r or name is None:
        return table
    is_shifted = pl.col("method").str.replace("^(default|oracle|best)_", "").is_in(SHIFTED)
    return table.with_columns(pl.when(is_shifted).then(pl.col(name).list.eval(pl.element() + 1)).otherwise(name))


def files_of(place: Path) -> Iterator[tuple[Path, str, list[dict[str, Any]]]]:
    """Give the name, the kind and the rows of a file, or of all .json files of a folder, which are of one kind."""
    files = sorted(place.rglob("*.json")) if place.is_dir() else [place]
    if not files:
        raise ValueError(f"{place} has no .json file; expected files of TCPDBench")
    kinds: dict[str, None] = {}
    for file in files:
        if file != place:
            refuse_pipe(file, "json")
        kind, rows = kind_and_rows(load(file, "a file of TCPDBench"), file)
        kinds[kind] = None
        if len(kinds) > 1:
            raise ValueError(f"{place} has {' and '.join(sorted(kinds))}; expected files of one kind in a folder")
        yield file, kind, rows


def kind_and_rows(content: Any, file: Path) -> tuple[str, list[dict[str, Any]]]:  # noqa: ANN401
    """Return what kind of file an object of JSON is, and its rows."""
    if not isinstance(content, dict):
        content = {}
    try:
        if MARKING_KEYS["summaries"] <= content.keys():
            return "summaries", _summary(content)
        if MARKING_KEYS["results"] <= content.keys():
            return "results", [_result(content, file)]
        values = [value for by in content.values() for value in by.values()]
        if values and all(isinstance(value, list) for value in values):
            return "annotations", [
                {"series": series, "annotator": person, "change_points": _sorted_cuts(cuts)}
                for series, people in content.items()
                for person, cuts in people.items()
            ]
        if values and all(value is None or isinstance(value, int | float) for value in values):
            return "scores", [
                {"series": series, "method": method, "score": None if value is None else float(value)}
                for series, methods in content.items()
                for method, value in methods.items()
            ]
    except (AttributeError, KeyError, TypeError, ValueError):
        pass
    raise ValueError(
        f"{file} is not a file of TCPDBench; expected annotations {{series: {{annotator: [cuts]}}}}, the result of a "
        "run, a summary, or scores {series: {method: number}}"
    )


def _sorted_cuts(locations: Iterable[int] | None) -> list[int] | None:
    """Return locations as cuts, without duplicates and in order."""
    if locations is None:
        return None
    cuts = list(locations)
    if not all(isinstance(cut, int) and not isinstance(cut, bool) and abs(cut) < 2**63 for cut in cuts):
        raise ValueError
    return sorted(set(cuts))


def _name(text: object) -> str:
    if not isinstance(text, str):
        raise ValueError
    return text


def _whole_length(n: object) -> int:
    if not isinstance(n, int) or isinstance(n, bool) or not 0 <= n < 2**63:
        raise ValueError
    return n


def _params(parameters: object) -> str:
    return json.dumps(parameters, sort_keys=True, separators=(",", ":"))


def _summary(content: dict[str, Any]) -> list[dict[str, Any]]:
    people = {person: _sorted_cuts(cuts) for person, cuts in content["annotations"].items()}
    rows = []
    for method, runs in content["results"].items():
        for run in runs:
            scores = run["scores"] or {}
            rows.append(
                {
                    **{"series": _name(content["dataset"]), "method": method, "params": _params(run.get("parameters"))},
                    **{"task": run.get("task_file"), "n": _whole_length(content["dataset_nobs"])},
                    **{"truth": list(people.values()), "people": people},
                    **{"pred": _sorted_cuts(run["cplocations"]), "status": PUBLISHED_STATUSES[run["status"]]},
                    **{f"published_{part}": scores.get(part) for part in PARTS},
                }
            )
    return rows


def _result(content: dict[str, Any], file: Path) -> dict[str, Any]:
    folder = file.resolve().parent.name
    is_method = folder.startswith(("default_", "oracle_", "best_"))
    error = content.get("error")
    seconds = content["result"].get("runtime")
    return {
        "series": _name(content["dataset"]),
        "method": folder if is_method else Path(content["script"]).stem,
        "params": _params(content.get("parameters")),
        "task": file.name,
        "change_points": _sorted_cuts(content["result"]["cplocations"]),
        "status": PUBLISHED_STATUSES[content["status"]],
        "error": None if error in (None, "None") else str(error),
        "seconds": None if seconds is None else float(seconds),
    }
