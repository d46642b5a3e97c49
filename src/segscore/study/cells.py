"""The cells of a study: which runs there are, what the journal keeps of each, and the table."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from ..optional import PolarsType
from ..optional import polars as pl
from .collection import Series
from .detectors import canonical_params, settings_of
from .digests import code_of, digest, run_seed, signal_digest, versions_of
from .worker import Task

__all__ = ["COLUMNS", "FAILED_STATUSES", "Cell", "row_of", "study_cells", "table_of"]

COLUMNS = (
    *("series", "group", "method", "params", "default", "knows", "repeat", "n", "truth", "pred", "status", "error"),
    *("seconds", "cpu_seconds", "warmup_seconds", "first_call", "memory", "seed", "random", "started", "machine"),
    *("versions", "plan", "key"),
)
FAILED_STATUSES = ("error", "timeout", "memory", "crash", "invalid")


class Cell(NamedTuple):
    """One run of a study: a series, a method with one setting, and a repeat."""

    series: Series
    method: str
    params: dict[str, Any] | None
    setting: str | None  # the parameters as text
    default: bool
    knows: str | None
    repeat: int
    seed: int
    versions: str
    key: str

    def task(self, memory: int | None) -> Task:
        """Return what a worker needs to run the cell."""
        return Task(self.method, self.params, self.setting or "", self.series.signal, self.seed, memory)


def study_cells(methods: Mapping[str, Any], collected: Sequence[Series], repeats: int, seed: int) -> list[Cell]:
    """Return all cells in order: series, method, setting, repeat."""
    known = {}
    for name, detector in methods.items():
        knows = getattr(detector, "knows", None)
        code, packages = code_of(detector if knows is None else replace(detector, knows=None))  # words change no answer
        versions = json.dumps(versions_of(packages), sort_keys=True, separators=(",", ":"))
        texts = [
            (params, None if params is None else canonical_params(params, name), default)
            for params, default in settings_of(name, detector)
        ]
        known[name] = (code, versions, knows, texts)
    cells = []
    for one in collected:
        data = signal_digest(one.signal)
        for name, (code, versions, knows, texts) in known.items():
            for params, text, default in texts:
                for repeat in range(repeats):
                    own = run_seed(seed, one.name, name, text, repeat)
                    key = digest(one.name, name, text, data, repeat, seed, versions, code)
                    cells.append(Cell(one, name, params, text, default, knows, repeat, own, versions, key))
    return cells


def row_of(cell: Cell, answer: Mapping[str, Any], plan: str | None) -> dict[str, Any]:
    """Return what the journal keeps of a finished cell, with the plan at the time of the run."""
    named = {"key": cell.key, "series": cell.series.name, "method": cell.method, "params": cell.setting}
    return {**named, "repeat": cell.repeat, "seed": cell.seed, "versions": cell.versions, "plan": plan, **answer}


def table_of(cells: Sequence[Cell], rows: Mapping[str, Mapping[str, Any]]) -> pl.DataFrame:
    """Return the finished cells in the order of the study, one row each."""
    done = [(cell, rows[cell.key]) for cell in cells if cell.key in rows]
    several = any(cell.series.annotators for cell, _ in done)
    cuts = pl.List(pl.Int64)

    def truth(cell: Cell) -> Any:  # noqa: ANN401
        known = cell.series.truth
        return known if known is None or several else known[0]

    own: dict[str, tuple[PolarsType, Callable[[Cell], Any]]] = {
        "series": (pl.String, lambda cell: cell.series.name),
        "group": (pl.String, lambda cell: cell.series.group),
        "method": (pl.String, lambda cell: cell.method),
        "params": (pl.String, lambda cell: cell.setting),
        "default": (pl.Boolean, lambda cell: cell.default),
        "knows": (pl.String, lambda cell: cell.knows),
        "repeat": (pl.Int64, lambda cell: cell.repeat),
        "n": (pl.Int64, lambda cell: len(cell.series.signal)),
        "truth": (pl.List(cuts) if several else cuts, truth),
    }
    kept: dict[str, PolarsType] = {
        **{"pred": cuts, "status": pl.String, "error": pl.String},
        **{"seconds": pl.Float64, "cpu_seconds": pl.Float64, "warmup_seconds": pl.Float64},
        **{"first_call": pl.Boolean, "memory": pl.Int64},
        **{"seed": pl.UInt64, "random": pl.Boolean, "started": pl.String, "machine": pl.String},
        **{"versions": pl.String, "plan": pl.String, "key": pl.String},
    }
    columns = [pl.Series(name, [make(cell) for cell, _ in done], kind) for name, (kind, make) in own.items()]
    columns += [pl.Series(name, [row[name] for _, row in done], kind) for name, kind in kept.items()]
    table = pl.DataFrame(columns).select(COLUMNS)
    return table.with_columns(pl.col("started").str.to_datetime(time_unit="ms", time_zone="UTC"))
