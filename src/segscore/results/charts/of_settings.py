"""Charts of settings: how a score, the number of cuts, precision and recall depend on a parameter."""

from __future__ import annotations

import json
from typing import Any

from ...catalog import canonical, metric_of
from ...optional import library
from ...study.selection import with_scores
from ...tables.frames import scored
from ...tables.options import Options
from ..intervals import interval
from .drawing import LINES, Rows, altair, data, finished, finite

__all__ = ["selection", "selection_rows"]

WIDTH = 260  # of each of the three panels


def selection(
    runs: Any,  # noqa: ANN401
    metric: str = "f1",
    parameter: str | None = None,
    *,
    margin: float = 5,
    seed: int = 0,
) -> Any:  # noqa: ANN401
    """Draw a score, the number of cuts, precision and recall by the value of a parameter.

    ``runs`` is a table of `segscore.study.run` over a grid, with ``truth``, ``pred`` and ``n``. ``parameter`` is the
    name of a numeric parameter; by default the only one of the grids. The band is the 95 % interval of the mean over
    series, for 10 series or more. Failed runs count as the worst value of a score. The default setting is marked.
    """
    rows, name, parameter = selection_rows(runs, metric, parameter, margin=margin, seed=seed)
    alt = altair()
    spread = [row["value"] for row in rows]
    kind = "log" if min(spread) > 0 and max(spread) >= 10 * min(spread) else "linear"
    across = alt.X("value:Q", title=parameter, scale=alt.Scale(type=kind, nice=False))
    colour = alt.Color("method:N", title=None, scale=alt.Scale(range=LINES))
    tips = ["method:N", "value:Q", *(alt.Tooltip(f"{key}:Q", format=".3f") for key in ("score", "precision", "recall"))]
    base = alt.Chart(data("settings", rows))
    marked = base.transform_filter("datum.default")
    y = alt.Y("score:Q", title=f"{name}, mean and 95 % interval", scale=alt.Scale(zero=False))
    score = alt.layer(
        base.mark_area(opacity=0.2).encode(x=across, y=alt.Y("low:Q"), y2="high:Q", color=colour),
        base.mark_line(point=True).encode(x=across, y=y, color=colour, tooltip=tips),
        marked.mark_point(size=160, shape="diamond").encode(x=across, y=y, color=colour),
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
    return finished(alt.hconcat(*(panel.properties(width=WIDTH, height=WIDTH) for panel in (score, cuts, path))))


def selection_rows(
    runs: Any,  # noqa: ANN401
    metric: str,
    parameter: str | None,
    *,
    margin: float,
    seed: int,
) -> tuple[Rows, str, str]:
    """Return one row per method and value of the parameter, the name of the score and that of the parameter."""
    pl = library("polars")
    table, name = with_scores(runs, metric, margin if _has_margin(metric) else None)
    missing = [column for column in ("precision", "recall") if column not in table.columns]
    if missing:
        table = scored(table, Options(metrics=missing, margin=margin, on_error="null"))
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
    marked = pl.col("default").fill_null(False).any() if "default" in table.columns else pl.lit(False)
    known = metric_of(name)
    worst = None if known is None else known.low if known.best > known.low else known.high
    filled = pl.col(name).fill_nan(None)
    filled = filled if worst is None or abs(worst) == float("inf") else filled.fill_null(worst)
    truths = pl.col("truth").list.eval(pl.element().list.len()).list.mean()
    nested = isinstance(table.schema["truth"].inner, pl.List)
    per_series = table.group_by("method", "_value", "series", maintain_order=True).agg(
        filled.mean().alias("score"),
        pl.col("precision", "recall").fill_nan(None).fill_null(0).mean(),
        pl.col("pred").list.len().mean().alias("cuts"),
        (truths if nested else pl.col("truth").list.len()).mean().alias("true_cuts"),
        marked.alias("default"),
    )
    rows: Rows = []
    for (method, value), part in per_series.group_by("method", "_value", maintain_order=True):
        scores = part["score"].drop_nulls().to_numpy()
        band = interval(scores, seed=seed) if len(scores) else None
        means = part.select("precision", "recall", "cuts", "true_cuts").mean().row(0, named=True)
        shown = {"score": finite(float(scores.mean())) if len(scores) else None}
        low, high = (None, None) if band is None else (finite(band.low), finite(band.high))
        own = {"method": method, "value": value, "default": bool(part["default"].any())}
        rows.append({**own, **shown, "low": low, "high": high, **means})
    return sorted(rows, key=lambda row: (row["method"], row["value"])), name, parameter


def _has_margin(metric: str) -> bool:
    known = metric_of(canonical(metric))
    return known is not None and known.needs_margin
