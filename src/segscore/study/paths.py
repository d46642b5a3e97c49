"""Paths of predictions: what a method predicts on each series for each value of a penalty."""

from __future__ import annotations

import json
from typing import Any

from ..tables.frames import dataframe, named

__all__ = ["penalty_paths"]


def penalty_paths(
    runs: Any,  # noqa: ANN401
    method: str,
    parameter: str | None = None,
) -> tuple[dict[str, list[tuple[float, list[int]]]], dict[str, int]]:
    """Return the predictions of a method by penalty, and the length, of each series of a study.

    ``runs`` is a table of `run` over a grid, with ``series``, ``method``, ``params``, ``pred`` and ``n``. ``parameter``
    is the name of the penalty in the grid; by default the only parameter. The two results are the arguments ``paths``
    and ``n`` of `segscore.label_roc`.

    >>> import polars as pl
    >>> cell = {"series": ["a", "a"], "method": ["x", "x"], "params": ['{"pen":1}', '{"pen":10}'], "n": [20, 20]}
    >>> penalty_paths(pl.DataFrame({**cell, "pred": [[3, 7], [7]]}), "x")
    ({'a': [(1, [3, 7]), (10, [7])]}, {'a': 20})
    """
    table = dataframe(runs)
    for name in ("series", "method", "params", "pred", "n"):
        if name not in table.columns:
            raise ValueError(f"runs have no column {name!r}; they have {', '.join(table.columns) or 'none'}")
    table = named(table, ("series", "method"))
    methods = table["method"].unique(maintain_order=True).to_list()
    if method not in methods:
        raise ValueError(f"method = {method!r:.40} is not in the runs; they have {', '.join(map(str, methods))}")
    paths: dict[str, list[tuple[float, list[int]]]] = {}
    lengths: dict[str, int] = {}
    for row in table.filter(table["method"] == method).iter_rows(named=True):
        setting = json.loads(row["params"] or "{}")
        if not setting:
            raise ValueError("a run has no parameters; expected a penalty in each run")
        key = next(iter(setting)) if parameter is None and len(setting) == 1 else parameter
        if key not in setting:
            asked = "no parameter is given" if key is None else f"parameter = {key!r:.40} is unknown"
            raise ValueError(f"{asked}; the runs have the parameters {', '.join(setting)}")
        if row["pred"] is None or row["n"] is None:
            raise ValueError(
                f"series {row['series']!r:.40} has no prediction for {key} = {setting[key]}; expected a prediction "
                "for each penalty (drop the series, or the penalty)"
            )
        paths.setdefault(row["series"], []).append((setting[key], row["pred"]))
        lengths[row["series"]] = row["n"]
    return paths, lengths
