"""Charts of differences between methods: the matrix of pairs and the critical-difference diagram."""

from __future__ import annotations

import math
from typing import Any

from ..boards.leaderboard import Leaderboard
from ..boards.significance import NOT_SHOWN, Difference, Differences
from ..boards.wording import in_digits, signed
from ..optional import altair as alt
from ..tables.columns import Column
from .boards import board_of_scores
from .drawing import COLOURS, LINES, WIDTH, Rows, data, finite, numbers
from .finish import finished

__all__ = ["critical_difference", "height_of", "pair_rows", "pairs", "pairs_chart", "rank_rows", "ranks_chart"]

INK = "#1a1a1a"  # colour of texts on coloured cells, in light and dark pages alike
CELL = (74, 46)  # width and height of a cell, in pixels


def pairs(
    scores: Any,  # noqa: ANN401
    metric: str | Column = "rand_index",
    *,
    method: str = "method",
    series: str = "series",
) -> alt.TopLevelMixin:
    """Draw the matrix of pairs: how much better the row is than the column, and the tests.

    A cell shows the mean difference of the scores (row - column), the numbers of series on which the method of the row
    wins, ties and loses, and the p of the test, which is not corrected. The text of a cell is bold if the difference is
    significant with Holm's correction over all pairs. The diagonal shows the means. Except for the bold type, a cell
    does not depend on the other methods. ``scores`` is a scored table or a `Leaderboard`.

    Reference: Ismail-Fawaz et al., "An approach to multiple comparison benchmark evaluations that is stable under
    manipulation of the comparate set" (2023).
    """
    board = board_of_scores(scores, metric, method, series)
    return finished(pairs_chart(pair_rows(board, board.differences()), board.metric))


def pair_rows(board: Leaderboard, differences: Differences) -> Rows:
    """Return one row per cell of the matrix of pairs, in the order of the leaderboard."""
    known = {frozenset(pair[:2]): pair for pair in differences.pairs}
    finite_means = [abs(pair.mean) for pair in differences.pairs if math.isfinite(pair.mean)]
    largest = max(finite_means, default=0.0) or 1.0
    means = {standing.method: standing.mean for standing in board.standings}
    rows: Rows = []
    for one in board.methods:
        for other in board.methods:
            pair = known.get(frozenset((one, other)))
            if pair is None:
                mean = finite(means[one]) if one == other else None
                rows.append({"row": one, "column": other, "mean": "" if mean is None else f"{mean:.3f}"})
            else:
                rows.append(_cell(pair.seen_from(one), largest, board.rising))
    return rows


def _cell(pair: Difference, largest: float, rising: bool) -> dict[str, Any]:
    advantage = pair.mean if rising else -pair.mean  # advantage of the row's method
    return {
        "row": pair.method,
        "column": pair.other,
        "mean": signed(pair.mean).replace("-", "−").replace("inf", "∞"),
        "counts": f"{pair.wins}/{pair.ties}/{pair.losses}",
        "p": f"p {in_digits(pair.p)}",
        "advantage": advantage if math.isfinite(advantage) else pair.effect * largest,
        "bold": pair.verdict != NOT_SHOWN,
    }


def pairs_chart(rows: Rows, metric: str) -> alt.TopLevelMixin:
    """Draw the matrix of pairs."""
    bare: dict[str, Any] = {"domain": False, "ticks": False}
    top = alt.Axis(orient="top", labelAngle=-35, labelLimit=150, titleAnchor="start", **bare)
    title = f"{metric}: row − column; wins/ties/losses of the row; p; bold: significant with Holm's correction"
    x = alt.X("column:N", title=title, sort=None, axis=top)
    y = alt.Y("row:N", title=None, sort=None, axis=alt.Axis(labelLimit=220, **bare))
    base = alt.Chart(data("pairs", rows)).encode(x=x, y=y)
    compared = base.transform_filter("isValid(datum.p)")
    words = {"mean": f"mean difference in {metric}", "counts": "wins/ties/losses", "p": "test"}
    tips = ["row:N", "column:N", *(alt.Tooltip(f"{name}:N", title=title) for name, title in words.items())]
    colour = alt.Color(
        "advantage:Q",
        scale=alt.Scale(domainMid=0, range=["#f2b48a", "#f7f5f2", "#8fbfe0"], interpolate="rgb"),
        legend=None,
    )
    every = base.mark_rect(opacity=0)  # first, so that rows and columns are in the order of the data
    cells = compared.mark_rect(stroke="white", strokeWidth=1).encode(color=colour, tooltip=tips)
    texts = []
    for bold in (True, False):
        own = compared.transform_filter(f"datum.bold == {str(bold).lower()}")
        style: dict[str, Any] = {"color": INK, "fontSize": 11, "fontWeight": "bold" if bold else "normal"}
        for name, down in (("mean", -13), ("counts", 0), ("p", 13)):
            texts.append(own.mark_text(dy=down, **style).encode(text=f"{name}:N", tooltip=tips))
    diagonal = base.transform_filter("!isValid(datum.p)").mark_text(color=COLOURS[0], fontSize=12).encode(text="mean:N")
    return alt.layer(every, cells, *texts, diagonal).properties(width=alt.Step(CELL[0]), height=alt.Step(CELL[1]))


def critical_difference(
    scores: Any,  # noqa: ANN401
    metric: str | Column = "rand_index",
    *,
    method: str = "method",
    series: str = "series",
) -> alt.TopLevelMixin:
    """Draw the critical-difference diagram of the mean ranks.

    A bar joins neighbours in mean rank of which no two differ significantly, by the verdicts of the leaderboard. Mean
    ranks depend on all methods; `pairs` shows differences that do not. ``scores`` is a scored table or a `Leaderboard`.

    Reference: Demšar, "Statistical comparisons of classifiers over multiple data sets" (2006).
    """
    board = board_of_scores(scores, metric, method, series)
    return finished(ranks_chart(*rank_rows(board, board.differences()), board.metric))


def rank_rows(board: Leaderboard, differences: Differences) -> tuple[Rows, Rows]:
    """Return the methods, and the bars over groups without significant differences."""
    if not board.series:
        return [], []
    order = sorted(board.standings, key=lambda s: s.rank)
    most = len(order)
    edges = {"left": 1 - 0.35 * max(1, most - 1), "right": most + 0.35 * max(1, most - 1)}
    bars = [(group, {s.method: s.rank for s in order}) for group in differences.groups]
    groups = [
        {"low": ranks[group[0]], "high": ranks[group[-1]], "y": 0.6 + 0.45 * k, "what": ", ".join(group)}
        for k, (group, ranks) in enumerate(bars)
    ]
    top = 0.9 + 0.45 * len(differences.groups)
    rows = []
    for k, standing in enumerate(order):
        left = k < (most + 1) // 2
        level = k if left else most - 1 - k
        side = "left" if left else "right"
        label = f"{standing.rank:.2f}  {standing.method}" if left else f"{standing.method}  {standing.rank:.2f}"
        place = {"y": top + level, "edge": edges[side], "side": side}
        rows.append({"method": standing.method, "rank": standing.rank, "label": label, **place})
    return rows, groups


def ranks_chart(rows: Rows, groups: Rows, metric: str) -> alt.TopLevelMixin:
    """Draw a critical-difference diagram."""
    rank = alt.X(
        "rank:Q",
        title=f"mean rank by {metric}, 1 is best",
        scale=alt.Scale(nice=False, zero=False),
        axis=alt.Axis(orient="top", grid=False, format="d", values=list(range(1, len(rows) + 1))),
    )
    depth = alt.Y("y:Q", axis=None, scale=alt.Scale(reverse=True, nice=False, zero=True, padding=12))
    base = alt.Chart(data("ranks", rows))
    down = base.mark_rule().encode(x=rank, y=depth, y2=alt.datum(0))
    aside = base.mark_rule().encode(x=rank, x2="edge:Q", y=depth)
    tips = ["method:N", *numbers("rank", form=".2f")]
    labels = [
        base.transform_filter(f"datum.side == '{side}'")
        .mark_text(align=side, baseline="bottom", dy=-2, limit=260)
        .encode(x="edge:Q", y=depth, text="label:N", tooltip=tips)
        for side in ("left", "right")
    ]
    bars = (
        alt.Chart(data("groups", groups))
        .mark_rule(strokeWidth=6, strokeCap="round", color=LINES[0])
        .encode(x="low:Q", x2="high:Q", y=depth, tooltip=alt.Tooltip("what:N", title="not shown to differ"))
    )
    return alt.layer(down, aside, bars, *labels).properties(width=WIDTH, height=height_of(rows))


def height_of(ranks: Rows) -> int:
    """Return the height of a critical-difference diagram, in pixels."""
    return int(62 + 22 * max((row["y"] for row in ranks), default=1))
