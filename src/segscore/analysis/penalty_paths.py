"""Paths of predictions: what a method predicts on each series for each value of a penalty."""

from __future__ import annotations

import json
from typing import Any

from .. import arguments
from ..tables.decoding import with_cuts
from ..tables.options import length_in
from ..tables.score import dataframe, named

__all__ = ["penalty_paths"]


def penalty_paths(
    runs: Any,  # noqa: ANN401
    method: str,
    parameter: str | None = None,
) -> tuple[dict[str, list[tuple[float, list[float]]]], dict[str, float]]:
    """Return the predictions of a method by penalty, and the length, of each series of a study.

    ``runs`` is a table of `run` over a grid, with the columns ``series``, ``method``, ``params``, ``pred`` and ``n``,
    or ``duration`` in place of ``n`` for cuts in time. ``parameter`` is the name of the penalty in the grid; by default
    the only parameter. The two results are the arguments ``paths`` and ``n`` (or ``duration``) of `segscore.label_roc`.

    >>> import polars as pl
    >>> cell = {"series": ["a", "a"], "method": ["x", "x"], "params": ['{"pen":1}', '{"pen":10}'], "n": [20, 20]}
    >>> penalty_paths(pl.DataFrame({**cell, "pred": [[3, 7], [7]]}), "x")
    ({'a': [(1, [3, 7]), (10, [7])]}, {'a': 20})
    """
    table = dataframe(runs)
    length = length_in(table.columns) or "n"
    columns = ("series", "method", "params", "pred", length)
    arguments.columns(table.columns, columns, "runs have")
    table = with_cuts(named(table.select(columns), ("series", "method")), in_time=length == "duration")
    methods = table["method"].unique(maintain_order=True).to_list()
    if method not in methods:
        raise ValueError(f"method = {method!r:.40} is not in the runs; they have {', '.join(map(str, methods))}")
    paths: dict[str, list[tuple[float, list[float]]]] = {}
    lengths: dict[str, float] = {}
    for row in table.filter(table["method"] == method).iter_rows(named=True):
        setting = _setting(row["params"])
        if not setting:
            raise ValueError("a run has no parameters; expected a penalty in each run")
        key = next(iter(setting)) if parameter is None and len(setting) == 1 else parameter
        if key not in setting:
            asked = "no parameter is given" if key is None else f"parameter = {key!r:.40} is unknown"
            raise ValueError(f"{asked}; the runs have the parameters {', '.join(setting)}")
        series = row["series"]
        if row["pred"] is None or row[length] is None:
            raise ValueError(
                f"series {series!r:.40} has no prediction for {key} = {setting[key]}; expected a prediction for each "
                "penalty (drop the series, or the penalty)"
            )
        paths.setdefault(series, []).append((setting[key], row["pred"]))
        if lengths.setdefault(series, row[length]) != row[length]:
            raise ValueError(
                f"series {series!r:.40} has {length} = {lengths[series]} and {length} = {row[length]}; expected one "
                "length per series"
            )
    return paths, lengths


def _setting(params: Any) -> dict[str, Any]:  # noqa: ANN401
    """Return the parameters of a run: a struct, or a JSON object as `run` writes them."""
    try:
        found = json.loads(params) if isinstance(params, str) else params or {}
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise ValueError(f"params = {params!r:.60} is not a JSON object; expected the parameters of the run by name")
    return found
