"""Charts: segmentations and scores to look at, as Altair charts.

They show in a notebook, and ``chart.save("x.svg")`` (or png, pdf) needs neither a browser nor a network; nor does
the page of ``chart.save("x.html", inline=True)``. The same charts are in that of `segscore.report`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

from .boundaries import match
from .explain import explain
from .leaderboard import Differences, Leaderboard
from .leaderboard import leaderboard as _leaderboard
from .optional import library
from .segmentation import Cuts, Segmentation
from .windows import pk_curve as _pk_curve

if TYPE_CHECKING:
    import numpy as np

__all__ = ["critical_difference", "heatmap", "leaderboard", "pk_curve", "scores", "staircase", "timeline"]

Rows = list[dict[str, Any]]

# What a cut is told apart by: colour (Okabe and Ito's, which the colour-blind can tell) and shape.
KINDS = ["true", "matched", "missed", "false"]
COLOURS = ["#666666", "#0072B2", "#E69F00", "#D55E00"]
SHAPES = ["M-0.15,-1H0.15V1H-0.15Z", "circle", "diamond", "cross"]
LINES = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#999999"]
WIDTH = 640
COLUMNS = 800  # of a timeline: cuts of a kind that share one are drawn once
SIGNAL = 2000  # points of a signal that are drawn


def timeline(
    truth: Cuts | Mapping[str, Cuts],
    pred: Cuts | Mapping[str, Cuts],
    *,
    n: int | None = None,
    margin: float = 0,
    signal: Sequence[float] | np.ndarray[Any, Any] | None = None,
) -> Any:  # noqa: ANN401
    """Return the timeline of a truth and of predictions: which cuts are matched, missed and false.

    Several annotators or methods are given by name; methods are matched with the first annotator. Dragging in the
    strip below shows a part; of what is visible, cuts in one column of the picture are drawn once.

    >>> chart = timeline([30, 60], {"late": [33, 61], "few": [60]}, n=100, margin=5)
    >>> type(chart).__name__
    'VConcatChart'
    """
    truths = {name: Segmentation(cuts, n=n) for name, cuts in _named(truth, "truth").items()}
    if not truths:
        raise ValueError("truth is empty; expected cuts, or a mapping of at least one name to cuts")
    first = next(iter(truths.values()))
    if any(side.n != first.n for side in truths.values()):
        raise ValueError(
            f"the truths have the lengths {', '.join(str(s.n) for s in truths.values())}; expected one length"
        )
    preds = {
        f"{name} (prediction)" if name in truths else name: Segmentation(cuts, n=None if n is None else first.n)
        for name, cuts in _named(pred, "prediction").items()
    }
    rows = [*truths, *preds]
    kinds: list[tuple[str, str, Sequence[float]]] = [(name, "true", side.cuts) for name, side in truths.items()]
    for name, side in preds.items():
        found = match(first, side, margin=margin)
        kinds += [(name, "matched", [p for _, p in found.pairs])]
        kinds += [(name, "missed", found.misses), (name, "false", found.false_alarms)]
    cuts = [{"row": name, "cut": cut, "kind": kind, "end": first.n} for name, kind, side in kinds for cut in side]
    points = [] if signal is None else _thinned(signal, first.n)
    ends = [{"row": name, "start": 0, "end": first.n} for name in rows]
    return _finished(_timeline(cuts, ends, points))


def _timeline(cuts: Rows, ends: Rows, points: Rows) -> Any:  # noqa: ANN401
    alt = _altair()
    visible = alt.selection_interval(name="visible", encodings=["x"])
    low, high = (f"(isValid(visible.start) ? visible.start[{k}] : {end})" for k, end in enumerate((0, "datum.end")))
    seen = f"datum.start <= {high} && datum.end >= {low}"
    place = alt.X("start:Q", title="point", scale=alt.Scale(domain=visible, nice=False))
    row = alt.Y("row:N", title=None, sort=None, axis=alt.Axis(labelLimit=220))
    kind = {
        "color": alt.Color(
            "kind:N", scale=alt.Scale(domain=KINDS, range=COLOURS), legend=alt.Legend(title=None, orient="top")
        ),
        "shape": alt.Shape("kind:N", scale=alt.Scale(domain=KINDS, range=SHAPES)),
    }
    line = alt.Chart(_data("ends", ends)).mark_rule(opacity=0.35).encode(x=place, x2="end:Q", y=row)
    line = line.transform_calculate(start=low, end=high)
    marks = (
        alt.Chart(_data("cuts", cuts))
        .transform_filter(f"datum.cut >= {low} && datum.cut <= {high}")
        .transform_calculate(column=f"floor((datum.cut - {low}) / ({high} - {low}) * {COLUMNS})")
        .transform_aggregate(start="min(cut)", last="max(cut)", count="count()", groupby=["row", "kind", "column"])
        .transform_calculate(lane="datum.kind == 'missed' ? 0 : datum.kind == 'false' ? 2 : 1")
        .mark_point(filled=True, size=70, opacity=1, strokeWidth=2)
        .encode(
            x=place,
            y=row,
            yOffset=alt.YOffset("lane:Q", scale=alt.Scale(domain=[-1.5, 3.5])),
            **kind,
            tooltip=[
                alt.Tooltip("row:N", title="of"),
                "kind:N",
                alt.Tooltip("start:Q", title="from"),
                alt.Tooltip("last:Q", title="to"),
                alt.Tooltip("count:Q", title="cuts"),
            ],
        )
    )
    step = alt.Step(28, **{"for": "position"})
    detail = alt.layer(line, marks).properties(width=WIDTH, height=step)
    overview = (
        alt.Chart(_data("ends", ends))
        .mark_rule(strokeWidth=8, opacity=0.35)
        .encode(
            x=alt.X("start:Q", title="drag here to see a part", scale=alt.Scale(nice=False)),
            x2="end:Q",
        )
        .transform_window(number="row_number()")
        .transform_filter("datum.number == 1")
        .add_params(visible)
        .properties(width=WIDTH, height=24)
    )
    if not points:
        return alt.vconcat(detail, overview)
    curve = (
        alt.Chart(_data("points", points))
        .transform_filter(seen)
        .mark_line(strokeWidth=1)
        .encode(x=place, y=alt.Y("value:Q", title="signal", scale=alt.Scale(zero=False)), color=alt.value(LINES[0]))
        .properties(width=WIDTH, height=140)
    )
    return alt.vconcat(curve, detail, overview)


def staircase(truth: Cuts, pred: Cuts, *, n: int | None = None) -> Any:  # noqa: ANN401
    """Return the picture of the Rand Index: the area between two staircases is the disagreement.

    Each staircase sends a point to the end of its segment; where they differ, the pairs in between are together in one
    of the two alone.

    >>> type(staircase([30, 60], [33, 60, 80], n=100)).__name__
    'LayerChart'
    """
    found = explain(truth, pred, n=n)
    left, right = Segmentation(truth, n=found.n), Segmentation(pred, n=found.n)
    pairs = found.n * (found.n - 1) // 2
    title = f"area = {found.disagreement:,} of {pairs:,} pairs; Rand Index {found.rand_index:.4f}"
    return _finished(_staircase(_cells(left, right)).properties(title=title))


def _cells(truth: Segmentation, pred: Segmentation) -> Rows:
    """Return the cells of the walk, with the ends of the two segments around each."""
    edges = sorted({0, truth.n, *truth.cuts, *pred.cuts})
    rows, sides = [], [iter([*side.cuts, side.n]) for side in (truth, pred)]
    ends = [next(side) for side in sides]
    for start, end in pairwise(edges):
        ends = [next(side) if reached <= start else reached for side, reached in zip(sides, ends, strict=True)]
        beyond = "truth" if ends[0] > ends[1] else "prediction"
        rows.append({"start": start, "end": end, "truth": ends[0], "prediction": ends[1], "beyond": beyond})
    return rows


def _staircase(cells: Rows) -> Any:  # noqa: ANN401
    alt = _altair()
    across = {"x": alt.X("start:Q", title="point", scale=alt.Scale(nice=False)), "x2": "end:Q"}
    title = "end of its segment"
    names = ["truth", "prediction"]
    colour, legend = alt.Scale(domain=names, range=[COLOURS[0], LINES[0]]), alt.Legend(title=None, orient="top")
    area = (
        alt.Chart(_data("cells", cells))
        .transform_filter("datum.truth != datum.prediction")
        .mark_rect(opacity=0.4)
        .encode(
            **across,
            y=alt.Y("truth:Q", title=title, scale=alt.Scale(nice=False)),
            y2="prediction:Q",
            color=alt.Color("beyond:N", scale=colour, legend=legend),
            tooltip=["start:Q", "end:Q", "truth:Q", "prediction:Q"],
        )
    )
    lines = [
        alt.Chart(_data("cells", cells))
        .transform_calculate(side=f"'{name}'")
        .mark_rule(strokeWidth=2, strokeDash=dash)
        .encode(**across, y=alt.Y(f"{name}:Q", title=title), color=alt.Color("side:N", scale=colour, legend=legend))
        for name, dash in zip(names, ([1, 0], [5, 3]), strict=True)
    ]
    return alt.layer(area, *lines).properties(width=WIDTH, height=320)


def leaderboard(
    scores: Any,  # noqa: ANN401
    metric: str = "rand_index",
    *,
    human: float | None = None,
    chance: float | None = None,
    method: str = "method",
    series: str = "series",
) -> Any:  # noqa: ANN401
    """Return the mean of each method with its 95 % interval, beside what people and chance score, if that is given.

    ``scores`` is a scored table, or a `Leaderboard`.
    """
    board = _board(scores, metric, method, series)
    return _finished(_standings(*_standing_rows(board, {"human": human, "chance": chance}), board.metric))


def _standing_rows(board: Leaderboard, references: Mapping[str, float | None]) -> tuple[Rows, Rows]:
    rows = [
        {"method": s.method, "mean": _json(s.mean), "low": _json(s.low), "high": _json(s.high)} for s in board.standings
    ]
    known = {name: value for name, value in references.items() if value is not None and _json(value) is not None}
    lines = [{"name": name, "value": value} for name, value in known.items()]
    return rows, lines


def _standings(rows: Rows, references: Rows, metric: str) -> Any:  # noqa: ANN401
    alt = _altair()
    axis = alt.X("low:Q", title=f"{metric}, mean and 95 % interval", scale=alt.Scale(zero=False))
    row = alt.Y("method:N", title=None, sort=None, axis=alt.Axis(labelLimit=220))
    base = alt.Chart(_data("standings", rows))
    tips = ["method:N", *(alt.Tooltip(f"{name}:Q", format=".4f") for name in ("mean", "low", "high"))]
    interval = base.mark_rule(strokeWidth=3, color=LINES[0]).encode(x=axis, x2="high:Q", y=row, tooltip=tips)
    mean = base.mark_point(filled=True, size=80, color=LINES[0]).encode(x=alt.X("mean:Q"), y=row, tooltip=tips)
    lines = alt.Chart(_data("references", references))
    dash = alt.Scale(domain=["human", "chance"], range=[[6, 3], [2, 3]])
    dashes = alt.StrokeDash("name:N", scale=dash, legend=None)
    rule = lines.mark_rule(strokeWidth=2, color=LINES[1]).encode(x="value:Q", strokeDash=dashes)
    name = lines.mark_text(baseline="bottom", dy=-3).encode(x="value:Q", y=alt.value(0), text="name:N")
    return alt.layer(rule, name, interval, mean).properties(width=WIDTH, height=alt.Step(24))


def critical_difference(
    scores: Any,  # noqa: ANN401
    metric: str = "rand_index",
    *,
    posthoc: Literal["wilcoxon", "nemenyi"] = "wilcoxon",
    method: str = "method",
    series: str = "series",
) -> Any:  # noqa: ANN401
    """Return the critical-difference diagram: methods by mean rank, with a bar over those that cannot be told apart.

    ``scores`` is a scored table, or a `Leaderboard`.

    Reference: Demšar, "Statistical comparisons of classifiers over multiple data sets" (2006).
    """
    board = _board(scores, metric, method, series)
    return _finished(_ranks(*_rank_rows(board, board.differences(posthoc)), board.metric))


def _rank_rows(board: Leaderboard, found: Differences) -> tuple[Rows, Rows, Rows]:
    """Return the methods, the bars over those that cannot be told apart, and the critical difference as a ruler."""
    order = sorted(board.standings, key=lambda s: s.rank)
    most = len(order)
    edges = {"left": 1 - 0.35 * max(1, most - 1), "right": most + 0.35 * max(1, most - 1)}
    bars = [(group, {s.method: s.rank for s in order}) for group in found.groups]
    groups = [
        {"low": ranks[group[0]], "high": ranks[group[-1]], "y": 0.6 + 0.45 * k, "what": ", ".join(group)}
        for k, (group, ranks) in enumerate(bars)
    ]
    ruler: Rows = []
    if found.critical is not None:
        ruler = [{"low": 1, "high": 1 + found.critical, "y": -0.6, "text": f"CD = {found.critical:.2f}"}]
    top = 0.9 + 0.45 * len(found.groups)
    rows = []
    for k, standing in enumerate(order):
        left = k < (most + 1) // 2
        level = k if left else most - 1 - k
        side = "left" if left else "right"
        rows.append(
            {"method": standing.method, "rank": standing.rank, "y": top + level, "edge": edges[side], "side": side}
        )
    return rows, groups, ruler


def _ranks(rows: Rows, groups: Rows, ruler: Rows, metric: str) -> Any:  # noqa: ANN401
    alt = _altair()
    rank = alt.X(
        "rank:Q",
        title=f"mean rank by {metric}, 1 is best",
        scale=alt.Scale(nice=False, zero=False),
        axis=alt.Axis(orient="top", grid=False, format="d", values=list(range(1, len(rows) + 1))),
    )
    depth = alt.Y("y:Q", axis=None, scale=alt.Scale(reverse=True, nice=False, zero=True, padding=12))
    base = alt.Chart(_data("ranks", rows))
    down = base.mark_rule().encode(x=rank, y=depth, y2=alt.datum(0))
    aside = base.mark_rule().encode(x=rank, x2="edge:Q", y=depth)
    tips = ["method:N", alt.Tooltip("rank:Q", format=".2f")]
    labels = [
        base.transform_filter(f"datum.side == '{side}'")
        .mark_text(align=side, baseline="bottom", dy=-2, limit=260)
        .encode(x="edge:Q", y=depth, text="method:N", tooltip=tips)
        for side in ("left", "right")
    ]
    bars = (
        alt.Chart(_data("groups", groups))
        .mark_rule(strokeWidth=6, strokeCap="round", color=LINES[0])
        .encode(x="low:Q", x2="high:Q", y=depth, tooltip=alt.Tooltip("what:N", title="not told apart"))
    )
    measure = alt.Chart(_data("ruler", ruler))
    ruled = [
        measure.mark_rule(strokeWidth=1.5).encode(x="low:Q", x2="high:Q", y=depth),
        *(
            measure.mark_tick(orient="vertical", size=10, thickness=1.5, color=COLOURS[0]).encode(x=f"{end}:Q", y=depth)
            for end in ("low", "high")
        ),
        measure.mark_text(align="left", dx=6).encode(x="high:Q", y=depth, text="text:N"),
    ]
    return alt.layer(down, aside, bars, *labels, *ruled).properties(width=WIDTH, height=_height(rows))


def _height(ranks: Rows) -> int:
    return int(62 + 22 * max((row["y"] for row in ranks), default=1))


def scores(
    scores: Any,  # noqa: ANN401
    metric: str = "rand_index",
    *,
    against: str | None = None,
    method: str = "method",
    series: str = "series",
) -> Any:  # noqa: ANN401
    """Return the scores of each method over the series, or two scores against each other; failures are marked."""
    board = _board(scores, metric, method, series)
    if against is None:
        return _finished(_spread(_score_rows(board), board.metric))
    if isinstance(scores, Leaderboard):
        raise TypeError("scores is a Leaderboard, which has one score; expected a table to draw two against each other")
    other = _leaderboard(scores, against, method=method, series=series)
    values = {(row["method"], row["series"]): row["value"] for row in _score_rows(other)}
    rows = [{**row, "other": values.get((row["method"], row["series"]))} for row in _score_rows(board)]
    return _finished(_against(rows, metric, against))


def _score_rows(board: Leaderboard) -> Rows:
    """Return a row for each score; failures have none, and what is infinite has no place."""
    return [
        {"method": method, "series": series, "value": _json(value)}
        for method, values in zip(board.methods, board.values.tolist(), strict=True)
        for series, value in zip(board.series, values, strict=True)
        if not math.isinf(value)
    ]


def _spread(rows: Rows, metric: str) -> Any:  # noqa: ANN401
    alt = _altair()
    row = alt.Y("method:N", title=None, sort=None, axis=alt.Axis(labelLimit=220))
    value = alt.X("value:Q", title=metric, scale=alt.Scale(zero=False))
    known = alt.Chart(_data("scores", rows)).transform_filter("isValid(datum.value)")
    points = (
        known.transform_window(number="row_number()")
        .transform_calculate(jitter="datum.number * 0.618034 % 1")
        .mark_circle(size=18, opacity=0.45, color=LINES[0])
        .encode(
            x=value,
            y=row,
            yOffset=alt.YOffset("jitter:Q", scale=alt.Scale(domain=[-0.4, 1.4])),
            tooltip=["method:N", "series:N", alt.Tooltip("value:Q", format=".4f")],
        )
    )
    boxes = known.mark_boxplot(outliers=False, size=14, opacity=0.55, color=COLOURS[0]).encode(x=value, y=row)
    failed = (
        alt.Chart(_data("scores", rows))
        .transform_filter("!isValid(datum.value)")
        .transform_aggregate(count="count()", groupby=["method"])
        .transform_calculate(text="'× ' + datum.count + (datum.count == 1 ? ' failure' : ' failures')")
        .mark_text(align="left", dx=8, color=COLOURS[3], fontWeight="bold")
        .encode(y=row, x=alt.value("width"), text="text:N")
    )
    return alt.layer(boxes, points, failed).properties(width=WIDTH, height=alt.Step(32))


def _against(rows: Rows, metric: str, other: str) -> Any:  # noqa: ANN401
    alt = _altair()
    picked = alt.selection_point(name="picked", fields=["method"], bind="legend")
    return (
        alt.Chart(_data("against", rows))
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
            tooltip=[
                "method:N",
                "series:N",
                alt.Tooltip("value:Q", format=".4f"),
                alt.Tooltip("other:Q", format=".4f"),
            ],
        )
        .add_params(picked)
        .properties(width=WIDTH, height=360)
    )


def heatmap(scores: Any, metric: str = "rand_index", *, method: str = "method", series: str = "series") -> Any:  # noqa: ANN401
    """Return the score of each method on each series as a colour; failures are crossed."""
    board = _board(scores, metric, method, series)
    return _finished(_heatmap(_score_rows(board), board.metric, board.rising))


def _heatmap(rows: Rows, metric: str, rising: bool) -> Any:  # noqa: ANN401
    """Draw what is better brighter."""
    alt = _altair()
    names = {"labelLimit": 220}
    x = alt.X("series:N", title=None, sort=None, axis=alt.Axis(labels=False, ticks=False))
    y = alt.Y("method:N", title=None, sort=None, axis=alt.Axis(**names))
    base = alt.Chart(_data("scores", rows))
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
            tooltip=["method:N", "series:N", alt.Tooltip("value:Q", format=".4f")],
        )
    )
    failed = (
        base.transform_filter("!isValid(datum.value)")
        .mark_point(shape="cross", angle=45, size=30, filled=True, color=COLOURS[3])
        .encode(x=x, y=y, tooltip=["method:N", "series:N"])
    )
    return alt.layer(cells, failed).properties(width=WIDTH, height=alt.Step(20))


def pk_curve(
    truth: Cuts, pred: Cuts | Mapping[str, Cuts], *, n: int | None = None, k: Iterable[int] | None = None
) -> Any:  # noqa: ANN401
    """Return Pk over the size of its window, for one prediction or several by name; half the mean segment is marked.

    >>> type(pk_curve([30, 60], {"late": [33, 61], "few": [60]}, n=100)).__name__
    'LayerChart'
    """
    alt = _altair()
    side = Segmentation(truth, n=n)
    if side.n < 2:
        raise ValueError(f"n = {side.n} has no window; expected at least 2 points")
    usual = max(1, min(side.n - 1, round(side.n / (2 * (len(side.cuts) + 1)))))
    sizes = list(k) if k is not None else _sizes(side.n, usual)
    if not sizes:
        raise ValueError("k is empty; expected sizes of windows")
    rows = [
        {"method": name, "k": size, "pk": float(value)}
        for name, cuts in _named(pred, "prediction").items()
        for size, value in zip(sizes, _pk_curve(side, Segmentation(cuts, n=side.n), k=sizes), strict=True)
    ]
    lines = (
        alt.Chart(_data("curves", rows))
        .mark_line()
        .encode(
            x=alt.X("k:Q", title="k, the size of the window"),
            y=alt.Y("pk:Q", title="Pk"),
            color=alt.Color("method:N", sort=None, scale=alt.Scale(range=LINES), legend=alt.Legend(title=None)),
            strokeDash=alt.StrokeDash("method:N", sort=None, legend=None),
            tooltip=["method:N", "k:Q", alt.Tooltip("pk:Q", format=".4f")],
        )
    )
    mark = alt.Chart(_data("usual", [{"k": usual}])).mark_rule(strokeDash=[2, 3]).encode(x="k:Q")
    return _finished(alt.layer(lines, mark).properties(width=WIDTH, height=300))


def _sizes(n: int, usual: int) -> list[int]:
    """Return the sizes of windows from 1 to four times the usual one, at most 200 of them."""
    most = min(n - 1, 4 * usual)
    return sorted({1 + round(k * (most - 1) / 199) for k in range(200)})


def _thinned(signal: Any, n: int, most: int = SIGNAL) -> Rows:  # noqa: ANN401
    """Return the points of a signal, of a long one the least and the largest of each stretch."""
    import numpy as np

    values = np.asarray(signal, dtype=float)
    if values.ndim != 1 or values.size != n:
        raise ValueError(f"signal has the shape {values.shape}; expected one number for each of n = {n} points")
    places = np.arange(n)
    if n > most:
        edges = np.linspace(0, n, most // 2 + 1).astype(int)
        low, high = np.where(np.isnan(values), np.inf, values), np.where(np.isnan(values), -np.inf, values)
        both = [(a + np.argmin(low[a:b]), a + np.argmax(high[a:b])) for a, b in pairwise(edges)]
        places = np.unique(np.asarray(both))
    return [{"start": int(k), "end": int(k), "value": _json(float(f"{values[k]:.4g}"))} for k in places]


def _board(scores: Any, metric: str, method: str, series: str) -> Leaderboard:  # noqa: ANN401
    board = scores if isinstance(scores, Leaderboard) else _leaderboard(scores, metric, method=method, series=series)
    if all(_json(standing.mean) is None for standing in board.standings):
        raise ValueError(f"no method has a finite score in {board.metric!r}; there is nothing to draw")
    return board


def _named(cuts: Cuts | Mapping[str, Cuts], name: str) -> dict[str, Cuts]:
    return {str(key): value for key, value in cuts.items()} if isinstance(cuts, Mapping) else {name: cuts}


def _json(value: float) -> float | None:
    """Return a number, or none where JSON knows none."""
    return value if abs(value) < float("inf") else None


def _data(name: str, rows: Rows) -> Any:  # noqa: ANN401
    """Return rows as data of a chart: one JSON text, of which Altair does not check every number.

    There is no "<" in it, so that no name ends the script that it is in.
    """
    alt = _altair()
    text = json.dumps(rows, separators=(",", ":")).replace("<", "\\u003c")
    return alt.InlineData(values=text, format=alt.JsonDataFormat(type="json"), name=name)


def _finished(chart: Any) -> Any:  # noqa: ANN401
    return (
        chart.configure_view(stroke=None)
        .configure_axis(labelFontSize=12, titleFontSize=12, titleFontWeight="normal", gridOpacity=0.4)
        .configure_legend(labelFontSize=12, titleFontSize=12, titleFontWeight="normal")
    )


def _altair() -> Any:  # noqa: ANN401
    return library("altair", extra="report")
