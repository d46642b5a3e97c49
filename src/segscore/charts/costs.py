"""The chart of accuracy against cost: which methods are worth their time."""

from __future__ import annotations

import math
from typing import Any, Literal

from .. import arguments
from ..boards.leaderboard import Failures, Leaderboard
from ..boards.leaderboard import leaderboard as board_of
from ..optional import altair as alt
from ..optional import polars as pl
from ..study.machines import SHARED
from ..tables.columns import Column, column_of
from ..tables.score import dataframe, named
from .drawing import COLOURS, LINES, WIDTH, Rows, data, finite, numbers
from .finish import finished

__all__ = ["cost", "cost_chart", "cost_rows"]


def cost(
    scores: Any,  # noqa: ANN401
    metric: str | Column = "rand_index",
    against: str | Column = "seconds",
    *,
    method: str = "method",
    series: str = "series",
    failures: Failures = "worst",
    missing: Literal["drop", "failed"] = "drop",
) -> alt.TopLevelMixin:
    """Draw the mean score of each method, with its 95 % interval, against its median cost.

    A line joins the Pareto front: the methods for which no other method is at least as good in score and cost, and
    better in one of the two. A run that failed has no cost, because a fast crash is not fast. A method whose median run
    failed or was stopped by a time limit is drawn at the largest cost of its runs, with ">". A method that never cuts
    is drawn hollow and is not on the Pareto front. Costs that were measured on a shared cluster, by the column
    ``machine``, are marked as such and have no Pareto front.
    """
    table = dataframe(scores)
    given: dict[str, Any] = {"method": method, "series": series, "missing": missing}
    board = board_of(table, metric, failures=failures, **given)
    column = column_of(against)
    arguments.columns(table.columns, [column.name], "scores have")
    rows = cost_rows(board, table, column, given)
    return finished(cost_chart(rows, board.metric, column, is_shared(table)))


def cost_rows(board: Leaderboard, table: pl.DataFrame, column: Column, given: dict[str, Any]) -> Rows:
    """Return one row per ranked method: mean, interval, median cost, and place on the front."""
    import numpy as np

    table = named(table, (given["method"], given["series"]))
    score = pl.col(board.metric).cast(pl.Float64)
    costs = board_of(table.with_columns(pl.when(score.is_not_null()).then(column.name)), column, **given)
    medians = dict(zip(costs.methods, np.median(costs.values, axis=1).tolist(), strict=True)) if costs.series else {}
    largest = dict(table.group_by(given["method"]).agg(pl.col(column.name).max()).iter_rows())
    trivial = _without_cuts(table, given["method"])
    rows: Rows = []
    for standing in board.standings:
        name, value = standing.method, medians.get(standing.method, math.nan)
        limit = largest[name]
        if finite(standing.mean) is None or limit is None or math.isnan(value):
            continue
        censored = math.isinf(value)
        rows.append(
            {
                "method": name,
                "mean": standing.mean,
                "low": finite(standing.low),
                "high": finite(standing.high),
                "cost": limit if censored else value,
                "label": f"{name} (> {limit:g})" if censored else name,
                "censored": censored,
                "trivial": name in trivial,
            }
        )
    shared = is_shared(table)
    for row in rows:
        row["front"] = not shared and not row["trivial"] and not any(_beats(other, row, board.rising) for other in rows)
    least = min((row["cost"] for row in rows if row["cost"] > 0), default=1.0)
    return [{**row, "cost": row["cost"] if row["cost"] > 0 or column.scale != "log" else least / 2} for row in rows]


def is_shared(table: pl.DataFrame) -> bool:
    """Return whether costs were measured on a shared cluster, where other work affects them."""
    if table.schema.get("machine") != pl.String:
        return False
    return bool(table["machine"].str.starts_with(SHARED).any())


def _beats(one: dict[str, Any], other: dict[str, Any], rising: bool) -> bool:
    """Return whether one method is at least as good as another in score and cost, and better in one of them."""
    better = one["mean"] - other["mean"] if rising else other["mean"] - one["mean"]
    cheaper = (other["censored"], other["cost"]) > (one["censored"], one["cost"])
    dearer = (other["censored"], other["cost"]) < (one["censored"], one["cost"])
    return bool(better >= 0 and not dearer and (better > 0 or cheaper))


def _without_cuts(table: pl.DataFrame, method: str) -> set[str]:
    """Return the methods that predict no cuts in any row."""
    pred = next((name for name in ("pred", "change_points") if isinstance(table.schema.get(name), pl.List)), None)
    if pred is None:
        return set()
    most = table.group_by(method).agg(pl.col(pred).list.len().max())
    return {name for name, longest in most.iter_rows() if longest == 0}


def cost_chart(rows: Rows, metric: str, column: Column, shared: bool = False) -> alt.TopLevelMixin:
    """Draw means and intervals against median costs, with the front as a line."""
    unit = (f", {column.unit}" if column.unit else "") + (" (measured on a shared cluster)" if shared else "")
    zero = alt.Undefined if column.scale == "log" else False  # a logarithmic scale has no 0
    x = alt.X("cost:Q", title=f"median {column.name}{unit}", scale=alt.Scale(type=column.scale, padding=30, zero=zero))
    y = alt.Y("mean:Q", title=f"{metric}, mean and 95 % interval", scale=alt.Scale(zero=False))
    base = alt.Chart(data("costs", rows))
    tips = ["method:N", *numbers("mean", "low", "high", "cost", form=".4~g")]
    front = base.transform_filter("datum.front").mark_line(color=LINES[1], strokeDash=[4, 3]).encode(x=x, y=y)
    bars = base.transform_filter("isValid(datum.low)").mark_rule(color=LINES[0]).encode(x=x, y="low:Q", y2="high:Q")
    points = base.mark_point(size=70, color=LINES[0]).encode(
        x=x,
        y=y,
        fill=alt.condition("datum.trivial", alt.value("transparent"), alt.value(LINES[0])),
        shape=alt.condition("datum.censored", alt.value("triangle-right"), alt.value("circle")),
        tooltip=tips,
    )
    names = base.mark_text(align="left", dx=8, dy=-6, limit=220, color=COLOURS[0]).encode(x=x, y=y, text="label:N")
    return alt.layer(front, bars, points, names).properties(width=WIDTH, height=360)
