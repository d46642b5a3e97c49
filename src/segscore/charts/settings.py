"""Charts of settings: how scores and the number of cuts depend on a parameter."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Literal

from .. import arguments
from ..boards.intervals import interval
from ..optional import altair as alt
from ..optional import polars as pl
from ..scores.metric_text import metric_of, parsed, spelled
from ..study.selection import Choice, select, with_scores
from ..tables.columns import Column, value_of
from ..tables.groups import groups_of
from ..tables.options import Options, lengths_in
from ..tables.score import scored
from .drawing import LINES, Rows, data, finite, numbers
from .finish import finished

__all__ = ["numeric_parameters", "scale_of", "selection", "selection_chart", "selection_rows"]

PANEL = 220  # size of each of the three panels
# How settings are chosen, and the marks of these choices: one setting for all series is a point on the curve. A choice
# that differs between series has no place on the axis of the parameter, so its mean score is a line.
FIXED: dict[Choice, str] = {"default": "default", "best": "best for all series"}
VARYING: dict[Choice, str] = {"cv": "cross-validation", "oracle": "oracle (best on each series)"}


def selection(
    runs: Any,  # noqa: ANN401
    metric: str | Column = "f1",
    parameter: str | None = None,
    *,
    margin: float | None = None,
    seed: int = 0,
) -> alt.TopLevelMixin:
    """Draw a score, the number of cuts, precision and recall by the value of a parameter.

    ``runs`` is a table of `segscore.study.run` over a grid, with ``truth``, ``pred`` and ``n``. ``parameter`` is the
    name of a numeric parameter; by default the only one of the grids. If a grid has several parameters, the curves are
    means over the other parameters. The band is the 95 % interval of the mean over series (or groups), for 6 of them or
    more. Failed runs count as the worst value of a score.

    ``margin`` is the margin of precision and recall, and of ``metric`` if its name has none: by default that of
    ``metric``, or else 5.

    Marks show the default setting and the setting with the best mean; lines show the mean score of settings that are
    chosen by cross-validation, and of an oracle, as in `segscore.study.select`.
    """
    rows, choices, name, parameter = selection_rows(runs, metric, parameter, margin=margin, seed=seed)
    return selection_chart(rows, choices, name, parameter, scale_of(rows))


def scale_of(rows: Rows) -> Literal["log", "linear"]:
    """Return the kind of the scale for the values of the parameter."""
    spread = [row["value"] for row in rows]
    return "log" if min(spread) > 0 and max(spread) >= 10 * min(spread) else "linear"


def selection_chart(
    rows: Rows, choices: Rows, name: str, parameter: str, kind: Literal["log", "linear"]
) -> alt.TopLevelMixin:
    """Return the chart of the rows of `selection_rows`: ``name`` is the score, and ``kind`` the scale of the values."""
    across = alt.X("value:Q", title=parameter, scale=alt.Scale(type=kind, nice=False))
    below = alt.Legend(orient="bottom", labelLimit=0)
    colour = alt.Color("method:N", title=None, scale=alt.Scale(range=LINES), legend=below)
    tips = ["method:N", "value:Q", *numbers("score", "precision", "recall", form=".3f")]
    base, chosen = alt.Chart(data("settings", rows)), alt.Chart(data("choices", choices))
    y = alt.Y("score:Q", title=f"{name}, mean and 95 % interval", scale=alt.Scale(zero=False))
    said = ["method:N", "choice:N", *numbers("score", form=".3f")]
    shapes = alt.Scale(domain=list(FIXED.values()), range=["diamond", "square"])
    dashes = alt.Scale(domain=list(VARYING.values()), range=[[6, 3], [1, 3]])
    shape = alt.Shape("choice:N", title="setting", scale=shapes, legend=below)
    dash = alt.StrokeDash("choice:N", title="chosen by", scale=dashes, legend=below)
    score = alt.layer(
        base.mark_area(opacity=0.2).encode(x=across, y=alt.Y("low:Q"), y2="high:Q", color=colour),
        base.mark_line(point=True).encode(x=across, y=y, color=colour, tooltip=tips),
        chosen.transform_filter("datum.value !== null")
        .mark_point(size=160)
        .encode(x=across, y=y, color=colour, shape=shape, tooltip=said),
        chosen.transform_filter("datum.value === null")
        .mark_rule()
        .encode(y=y, color=colour, strokeDash=dash, tooltip=said),
    )
    count = alt.Y("cuts:Q", title="mean number of cuts (dashed: true)", scale=alt.Scale(type="symlog"))
    cuts = alt.layer(
        base.mark_line(point=True).encode(x=across, y=count, color=colour, tooltip=[*tips, "cuts:Q"]),
        base.mark_line(strokeDash=[4, 3]).encode(x=across, y="true_cuts:Q", color=colour),
    )
    path = base.mark_line(point=True).encode(
        x=alt.X("recall:Q", scale=alt.Scale(zero=False)),
        y=alt.Y("precision:Q", scale=alt.Scale(zero=False)),
        order="value:Q",
        color=colour,
        tooltip=tips,
    )
    return finished(alt.hconcat(*(panel.properties(width=PANEL, height=PANEL) for panel in (score, cuts, path))))


def selection_rows(
    runs: Any,  # noqa: ANN401
    metric: str | Column,
    parameter: str | None,
    *,
    margin: Any,  # noqa: ANN401
    seed: int,
) -> tuple[Rows, Rows, str, str]:
    """Return the rows of the curves, the rows of the choices, and the names of both axes."""
    name = spelled(metric.name if isinstance(metric, Column) else metric, runs.columns)
    common = {} if margin is None else {"margin": margin}
    if not common and metric_of(name) is not None:
        common = {key: value for key, value in parsed(name)[1].items() if key in ("margin", "relative_margin")}
    common = common or {"margin": 5}
    table, column = with_scores(runs, metric, margin if name in runs.columns else common.get("margin"))
    lengths = lengths_in(table.columns) or ("n",)
    expected = "truth, pred and n (or duration), to count cuts"
    arguments.columns(table.columns, ("truth", "pred", *lengths), "runs have", expected)
    options = Options.of_results(table.columns, metrics=["precision", "recall"], on_error="null", **common)
    table = scored(table, options)
    both = dict(zip(("precision", "recall"), options.names, strict=True))
    settings = {text: json.loads(text) for text in table["params"].drop_nulls().unique(maintain_order=True)}
    names = list(dict.fromkeys(key for setting in settings.values() for key in setting))
    if parameter is None and len(names) == 1:
        parameter = names[0]
    if parameter is None or parameter not in names:
        asked = "no parameter is given" if parameter is None else f"parameter = {parameter!r:.40} is unknown"
        raise ValueError(f"{asked}; the runs have the parameters {', '.join(names) or 'none'}")
    values = {text: setting.get(parameter) for text, setting in settings.items()}
    wrong = next((v for v in values.values() if v is not None and not isinstance(v, int | float)), None)
    if wrong is not None:
        raise ValueError(f"parameter {parameter!r} has the value {wrong!r:.40}; expected numbers")
    table = table.with_columns(_value=pl.col("params").replace_strict(values, default=None, return_dtype=pl.Float64))
    table = table.filter(pl.col("_value").is_not_null())
    filled = value_of(column.name, table).fill_nan(None).fill_null(pl.lit(column.worst, pl.Float64))
    truths = pl.col("truth").list.eval(pl.element().list.len()).list.mean()
    truth = table.schema["truth"]
    nested = isinstance(truth, pl.List) and isinstance(truth.inner, pl.List)
    per_series = table.group_by("method", "_value", "series", maintain_order=True).agg(
        filled.mean().alias("score"),
        *(pl.col(name).fill_nan(None).fill_null(0).mean().alias(side) for side, name in both.items()),
        pl.col("pred").list.len().mean().alias("cuts"),
        (truths if nested else pl.col("truth").list.len()).mean().alias("true_cuts"),
    )
    groups, rows = groups_of(table), Rows()
    for (method, value), part in per_series.group_by("method", "_value", maintain_order=True):
        solved = part.filter(pl.col("score").is_not_null())
        scores = solved["score"].to_numpy()
        own = None if groups is None else [groups[name] for name in solved["series"]]
        band = interval(scores, own, column.bounds) if len(scores) else None
        means = part.select("precision", "recall", "cuts", "true_cuts").mean().row(0, named=True)
        low, high = (None, None) if band is None else (finite(band.low), finite(band.high))
        rows.append({"method": method, "value": value, "score": _mean(solved), "low": low, "high": high, **means})
    rows.sort(key=lambda row: (row["method"], row["value"]))
    return rows, _choices(table, column, filled, groups, seed), column.name, parameter


def _choices(table: pl.DataFrame, column: Column, filled: pl.Expr, groups: Mapping[str, str] | None, seed: int) -> Rows:
    """Return the mean score of each method by each choice of a setting, and the parameter if it is the same for all."""
    rows: Rows = []
    for (method,), part in table.group_by("method", maintain_order=True):
        units = {groups[name] if groups else name for name in part["series"]}
        has = {"default": "default" in part.columns and bool(part["default"].any()), "cv": len(units) > 1}
        for rule, words in {**FIXED, **VARYING}.items():
            if has.get(rule, True) and part["params"].n_unique() > 1:
                chosen = select(part, column, rule, seed=seed)
                scores = chosen.group_by("series", maintain_order=True).agg(filled.mean().alias("score")).drop_nulls()
                value = chosen["_value"][0] if rule in FIXED else None
                rows.append({"method": method, "choice": words, "value": value, "score": _mean(scores)})
    return rows


def numeric_parameters(runs: pl.DataFrame) -> list[str]:
    """Return the parameters in the column params that have several values, all of them numbers.

    There are none if a setting is not the text of a JSON object.
    """
    values: dict[str, set[float | None]] = {}
    for text in runs["params"].drop_nulls().unique(maintain_order=True):
        try:
            setting = json.loads(text)
        except (TypeError, ValueError, RecursionError):
            return []
        if not isinstance(setting, dict):
            return []
        for key, value in setting.items():
            values.setdefault(key, set()).add(value if isinstance(value, int | float) else None)
    return [key for key, own in values.items() if len(own) > 1 and None not in own]


def _mean(scores: pl.DataFrame) -> float | None:
    """Return the mean of a column score, or None if the mean is not finite or there are no scores."""
    return finite(float(scores["score"].to_numpy().mean())) if scores.height else None
