"""Charts of scores: leaderboards, distributions and heat maps."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from ..boards.cells import STATES
from ..boards.leaderboard import Leaderboard
from ..boards.leaderboard import leaderboard as board_of
from ..optional import altair as alt
from ..tables.columns import Column
from .drawing import COLOURS, LINES, WIDTH, Rows, data, finite, numbers, rows_axis
from .finish import finished

__all__ = ["against_chart", "board_of_scores", "heatmap", "heatmap_chart", "leaderboard"]
__all__ += ["scores", "spread_chart"]

WITHOUT_SCORE = [*STATES[1:], "infinite"]  # why a cell has no finite score
MARKS = ["circle", "cross", "stroke", "square", "triangle-up"]  # marks of these cells in a heat map


def leaderboard(
    scores: Any,  # noqa: ANN401
    metric: str | Column = "rand_index",
    *,
    human: float | None = None,
    chance: float | None = None,
    method: str = "method",
    series: str = "series",
) -> alt.TopLevelMixin:
    """Draw the mean of each method with its 95 % interval, and the lines of people and chance.

    ``scores`` is a scored table or a `Leaderboard`. ``human`` and ``chance`` are optional.
    """
    board = board_of_scores(scores, metric, method, series)
    return finished(_standings_chart(*_standing_rows(board, {"human": human, "chance": chance}), board.metric))


def _standing_rows(board: Leaderboard, references: Mapping[str, float | None]) -> tuple[Rows, Rows]:
    """Return one row per method, and one per known reference."""
    rows = [
        {
            "method": s.method,
            "mean": finite(s.mean),
            "low": finite(s.low),
            "high": finite(s.high),
            **({"without": "infinite" if math.isinf(s.mean) else "no score"} if finite(s.mean) is None else {}),
        }
        for s in board.standings
    ]
    known = {name: value for name, value in references.items() if value is not None and finite(value) is not None}
    lines = [{"name": name, "value": value} for name, value in known.items()]
    return rows, lines


def _standings_chart(rows: Rows, references: Rows, metric: str) -> alt.TopLevelMixin:
    """Draw means and intervals, and the references as lines."""
    axis = alt.X("low:Q", title=f"{metric}, mean and 95 % interval", scale=alt.Scale(zero=False))
    row = rows_axis()
    base = alt.Chart(data("standings", rows))
    tips = ["method:N", *numbers("mean", "low", "high")]
    interval = base.mark_rule(strokeWidth=3, color=LINES[0]).encode(x=axis, x2="high:Q", y=row, tooltip=tips)
    mean = base.mark_point(filled=True, size=80, color=LINES[0]).encode(x=alt.X("mean:Q"), y=row, tooltip=tips)
    lines = alt.Chart(data("references", references))
    dash = alt.Scale(domain=["human", "chance"], range=[[6, 3], [2, 3]])
    dashes = alt.StrokeDash("name:N", scale=dash, legend=None)
    rule = lines.mark_rule(strokeWidth=2, color=LINES[1]).encode(x="value:Q", strokeDash=dashes)
    name = lines.mark_text(baseline="bottom", dy=-3).encode(x="value:Q", y=alt.value(0), text="name:N")
    without = base.transform_filter("isValid(datum.without)").mark_text(align="right", dx=-4, color=COLOURS[0])
    layers = [rule, name, interval, mean, without.encode(y=row, x=alt.value("width"), text="without:N")]
    return alt.layer(*layers).properties(width=WIDTH, height=alt.Step(24))


def scores(
    scores: Any,  # noqa: ANN401
    metric: str | Column = "rand_index",
    *,
    against: str | Column | None = None,
    method: str = "method",
    series: str = "series",
) -> alt.TopLevelMixin:
    """Draw the distribution of scores of each method, or one score against another.

    Series without a score are counted.
    """
    board = board_of_scores(scores, metric, method, series)
    if against is None:
        return finished(spread_chart(_score_rows(board), board.metric))
    if isinstance(scores, Leaderboard):
        raise TypeError("scores is a Leaderboard, which has one score; expected a table to draw two against each other")
    other = board_of(scores, against, method=method, series=series)
    values = {(row["method"], row["series"]): row["value"] for row in _score_rows(other)}
    rows = [{**row, "other": values.get((row["method"], row["series"]))} for row in _score_rows(board)]
    return finished(against_chart(rows, board.metric, other.metric))


def _score_rows(board: Leaderboard) -> Rows:
    """Return one row per method and series, with the score if there is a finite score, and the state of the run."""
    cells = board.cells
    names = [*board.methods, *(standing.method for standing in board.below)]
    rows = [(name, cells.scores[k].tolist(), cells.states[k]) for name in names for k in [cells.methods.index(name)]]
    return [
        {
            "method": method,
            "series": series,
            "value": finite(value),
            "state": "infinite" if math.isinf(value) else STATES[state],
        }
        for method, values, states in rows
        for series, value, state in zip(cells.series, values, states, strict=True)
    ]


def spread_chart(rows: Rows, metric: str) -> alt.TopLevelMixin:
    """Draw the scores of each method as points and a box, and count the series without a score."""
    row = rows_axis()
    value = alt.X("value:Q", title=metric, scale=alt.Scale(zero=False))
    known = alt.Chart(data("scores", rows)).transform_filter("isValid(datum.value)")
    points = (
        known.transform_window(number="row_number()")
        .transform_calculate(jitter="datum.number * 0.618034 % 1")
        .mark_circle(size=18, opacity=0.45, color=LINES[0])
        .encode(
            x=value,
            y=row,
            yOffset=alt.YOffset("jitter:Q", scale=alt.Scale(domain=[-0.4, 1.4])),
            tooltip=["method:N", "series:N", *numbers("value")],
        )
    )
    boxes = known.mark_boxplot(outliers=False, size=14, opacity=0.3, color=COLOURS[0]).encode(x=value, y=row)
    failed = (
        alt.Chart(data("scores", rows))
        .transform_filter("datum.state != 'scored'")
        .transform_aggregate(count="count()", groupby=["method", "state"])
        .transform_calculate(text="datum.count + ' ' + datum.state")
        .transform_aggregate([alt.AggregatedFieldDef(op="values", **{"as": "all"})], groupby=["method"])
        .transform_calculate(text="join(pluck(datum.all, 'text'), ', ')")
        .mark_text(align="left", dx=8, color=COLOURS[3], fontWeight="bold")
        .encode(y=row, x=alt.value("width"), text="text:N")
    )
    return alt.layer(boxes, points, failed).properties(width=WIDTH, height=alt.Step(32))


def against_chart(rows: Rows, metric: str, other: str) -> alt.TopLevelMixin:
    """Draw two scores of the same runs against each other."""
    picked = alt.selection_point(name="picked", fields=["method"], bind="legend")
    chart: alt.TopLevelMixin = (
        alt.Chart(data("against", rows))
        .transform_filter("isValid(datum.value) && isValid(datum.other)")
        .mark_point(size=40)
        .encode(
            x=alt.X("value:Q", title=metric, scale=alt.Scale(zero=False)),
            y=alt.Y("other:Q", title=other, scale=alt.Scale(zero=False)),
            color=alt.Color(
                "method:N",
                sort=None,
                scale=alt.Scale(range=LINES),
                legend=alt.Legend(title=None, columns=2, orient="bottom", labelLimit=220, symbolLimit=0),
            ),
            shape=alt.Shape("method:N", sort=None),
            opacity=alt.condition(picked, alt.value(0.9), alt.value(0.1)),
            tooltip=["method:N", "series:N", *numbers("value", "other")],
        )
        .add_params(picked)
        .properties(width=WIDTH, height=360)
    )
    return chart


def heatmap(
    scores: Any,  # noqa: ANN401
    metric: str | Column = "rand_index",
    *,
    method: str = "method",
    series: str = "series",
) -> alt.TopLevelMixin:
    """Draw the score of each method on each series as a colour; crosses are failures."""
    board = board_of_scores(scores, metric, method, series)
    return finished(heatmap_chart(_score_rows(board), board.metric, board.rising))


def heatmap_chart(rows: Rows, metric: str, rising: bool) -> alt.TopLevelMixin:
    """Draw a heat map in which better scores are brighter."""
    crowded = alt.Axis(ticks=False, labelAngle=-60, labelLimit=110, labelFontSize=10, labelOverlap=True)
    x = alt.X("series:N", title=None, sort=None, axis=crowded)
    y = rows_axis()
    base = alt.Chart(data("scores", rows))
    cells = (
        base.transform_filter("isValid(datum.value)")
        .mark_rect()
        .encode(
            x=x,
            y=y,
            color=alt.Color(
                "value:Q",
                scale=alt.Scale(scheme="viridis", reverse=not rising),
                legend=alt.Legend(title=metric, orient="top"),
            ),
            tooltip=["method:N", "series:N", *numbers("value")],
        )
    )
    failed = (
        base.transform_filter("datum.state != 'scored'")
        .mark_point(angle=45, size=30, filled=True, color=COLOURS[3])
        .encode(
            x=x,
            y=y,
            shape=alt.Shape("state:N", scale=alt.Scale(domain=WITHOUT_SCORE, range=MARKS), legend=None),
            tooltip=["method:N", "series:N", "state:N"],
        )
    )
    return alt.layer(cells, failed).properties(width=WIDTH, height=alt.Step(20))


def board_of_scores(scores: Any, metric: str | Column, method: str, series: str) -> Leaderboard:  # noqa: ANN401
    """Return the leaderboard of a scored table, or a given one, if there is a finite score to draw."""
    board = scores if isinstance(scores, Leaderboard) else board_of(scores, metric, method=method, series=series)
    if all(finite(standing.mean) is None or not standing.scored for standing in board.standings):
        raise ValueError(f"no method has a finite score in {board.metric!r}; there is nothing to draw")
    return board
