"""Charts of cuts: timelines, staircases, and Pk as a function of the window size."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from ...blame import Explanation, explain
from ...boundaries import match
from ...segmentation import Cuts, Segmentation, known_length
from ...windows import pk_curve as curve_of
from .drawing import COLOURS, KINDS, LINES, SHAPES, WIDTH, Rows, altair, data, finished, finite

if TYPE_CHECKING:
    import numpy as np

__all__ = ["SIGNAL", "pk_curve", "staircase", "staircase_chart", "thinned", "timeline", "timeline_chart"]

COLUMNS = 800  # of a timeline; several cuts of one kind in one column are drawn once
SIGNAL = 2000  # points of a signal that are drawn


def timeline(
    truth: Cuts | Mapping[str, Cuts],
    pred: Cuts | Mapping[str, Cuts],
    *,
    n: int | None = None,
    margin: float = 0,
    signal: Sequence[float] | np.ndarray[Any, Any] | None = None,
) -> Any:  # noqa: ANN401
    """Draw the timeline of a truth and of predictions: matched, missed and false cuts.

    Several annotators or methods are given as a mapping from names to cuts; methods are matched with the first
    annotator. Drag in the strip below the chart to zoom in. Cuts of one kind that fall into the same column of the
    picture are drawn once.

    >>> chart = timeline([30, 60], {"late": [33, 61], "few": [60]}, n=100, margin=5)
    >>> type(chart).__name__
    'VConcatChart'
    """
    given, predicted = _named(truth, "truth"), _named(pred, "prediction")
    own = [side.n for side in (*given.values(), *predicted.values()) if isinstance(side, Segmentation)]
    if len(set(own)) > 1:
        raise ValueError(f"the segmentations have the lengths {', '.join(map(str, own))}; expected one length")
    length = known_length(n, given.values(), predicted.values())
    truths = {name: Segmentation(cuts, n=length) for name, cuts in given.items()}
    if not truths:
        raise ValueError("truth is empty; expected cuts, or a mapping of at least one name to cuts")
    first = next(iter(truths.values()))
    preds = {
        f"{name} (prediction)" if name in truths else name: Segmentation(cuts, n=first.n)
        for name, cuts in predicted.items()
    }
    rows = [*truths, *preds]
    kinds: list[tuple[str, str, Sequence[float]]] = [(name, "true", side.cuts) for name, side in truths.items()]
    for name, side in preds.items():
        found = match(first, side, margin=margin)
        kinds += [(name, "matched", [p for _, p in found.pairs])]
        kinds += [(name, "missed", found.misses), (name, "false", found.false_alarms)]
    cuts = [{"row": name, "cut": cut, "kind": kind, "end": first.n} for name, kind, side in kinds for cut in side]
    points = [] if signal is None else thinned(signal, first.n)
    ends = [{"row": name, "start": 0, "end": first.n} for name in rows]
    return finished(timeline_chart(cuts, ends, points))


def timeline_chart(cuts: Rows, ends: Rows, points: Rows) -> Any:  # noqa: ANN401
    """Draw cuts on one line per row, and the signal above them."""
    alt = altair()
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
    line = alt.Chart(data("ends", ends)).mark_rule(opacity=0.35).encode(x=place, x2="end:Q", y=row)
    line = line.transform_calculate(start=low, end=high)
    marks = (
        alt.Chart(data("cuts", cuts))
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
        alt.Chart(data("ends", ends))
        .mark_rule(strokeWidth=8, opacity=0.35)
        .encode(
            x=alt.X("start:Q", title="drag here to zoom in", scale=alt.Scale(nice=False)),
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
        alt.Chart(data("points", points))
        .transform_filter(seen)
        .mark_line(strokeWidth=1)
        .encode(x=place, y=alt.Y("value:Q", title="signal", scale=alt.Scale(zero=False)), color=alt.value(LINES[0]))
        .properties(width=WIDTH, height=140)
    )
    return alt.vconcat(curve, detail, overview)


def staircase(truth: Cuts, pred: Cuts, *, n: int | None = None) -> Any:  # noqa: ANN401
    """Draw the Rand Index: the area between two staircases is the disagreement.

    Each staircase maps a point to the end of its segment. Where the staircases differ, the pairs of points in between
    are together in only one of the two segmentations.

    >>> type(staircase([30, 60], [33, 60, 80], n=100)).__name__
    'LayerChart'
    """
    found = explain(truth, pred, n=n)
    pairs = found.n * (found.n - 1) // 2
    title = f"area = {found.disagreement:,} of {pairs:,} pairs; Rand Index {found.rand_index:.4f}"
    return finished(staircase_chart(cells_of(found)).properties(title=title))


def cells_of(found: Explanation) -> Rows:
    """Return the overlap cells in order, with the ends of both segments around each cell.

    A cell ends where the shorter of its two segments ends. Its share of the disagreement is its length times the
    distance from there to the end of the longer segment.
    """
    predicted, rows = {change.cut for change in found.predicted}, []
    for start, end, pairs in sorted(found.cells):
        further = end + pairs // (end - start)
        beyond = "truth" if pairs and end in predicted else "prediction"
        ends = {"truth": end, "prediction": end, beyond: further}
        rows.append({"start": start, "end": end, **ends, "beyond": beyond})
    return rows


def staircase_chart(cells: Rows) -> Any:  # noqa: ANN401
    """Draw two staircases and the area between them."""
    alt = altair()
    across = {"x": alt.X("start:Q", title="point", scale=alt.Scale(nice=False)), "x2": "end:Q"}
    title = "end of its segment"
    names = ["truth", "prediction"]
    colour, legend = alt.Scale(domain=names, range=[COLOURS[0], LINES[0]]), alt.Legend(title=None, orient="top")
    area = (
        alt.Chart(data("cells", cells))
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
        alt.Chart(data("cells", cells))
        .transform_calculate(side=f"'{name}'")
        .mark_rule(strokeWidth=2, strokeDash=dash)
        .encode(**across, y=alt.Y(f"{name}:Q", title=title), color=alt.Color("side:N", scale=colour, legend=legend))
        for name, dash in zip(names, ([1, 0], [5, 3]), strict=True)
    ]
    return alt.layer(area, *lines).properties(width=WIDTH, height=320)


def pk_curve(
    truth: Cuts, pred: Cuts | Mapping[str, Cuts], *, n: int | None = None, k: Iterable[int] | None = None
) -> Any:  # noqa: ANN401
    """Draw Pk as a function of the window size, for one or several predictions.

    Several predictions are given as a mapping from names to cuts. A line marks half the mean segment length, the usual
    window.

    >>> type(pk_curve([30, 60], {"late": [33, 61], "few": [60]}, n=100)).__name__
    'LayerChart'
    """
    alt = altair()
    predicted = _named(pred, "prediction")
    side = Segmentation(truth, n=known_length(n, [truth], predicted.values()))
    if side.n < 2:
        raise ValueError(f"n = {side.n} has no window; expected at least 2 points")
    usual = max(1, min(side.n - 1, round(side.n / (2 * (len(side.cuts) + 1)))))
    sizes = list(k) if k is not None else _sizes(side.n, usual)
    if not sizes:
        raise ValueError("k is empty; expected sizes of windows")
    rows = [
        {"method": name, "k": size, "pk": float(value)}
        for name, cuts in predicted.items()
        for size, value in zip(sizes, curve_of(side, Segmentation(cuts, n=side.n), k=sizes), strict=True)
    ]
    lines = (
        alt.Chart(data("curves", rows))
        .mark_line()
        .encode(
            x=alt.X("k:Q", title="k, the size of the window"),
            y=alt.Y("pk:Q", title="Pk"),
            color=alt.Color("method:N", sort=None, scale=alt.Scale(range=LINES), legend=alt.Legend(title=None)),
            strokeDash=alt.StrokeDash("method:N", sort=None, legend=None),
            tooltip=["method:N", "k:Q", alt.Tooltip("pk:Q", format=".4f")],
        )
    )
    mark = alt.Chart(data("usual", [{"k": usual}])).mark_rule(strokeDash=[2, 3]).encode(x="k:Q")
    return finished(alt.layer(lines, mark).properties(width=WIDTH, height=300))


def _sizes(n: int, usual: int) -> list[int]:
    """Return at most 200 window sizes from 1 to four times the usual one."""
    most = min(n - 1, 4 * usual)
    return sorted({1 + round(k * (most - 1) / 199) for k in range(200)})


def thinned(signal: Any, n: int, most: int = SIGNAL) -> Rows:  # noqa: ANN401
    """Return the points of a signal; for a long signal, the minimum and maximum of each stretch."""
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
    return [{"start": int(k), "end": int(k), "value": finite(float(f"{values[k]:.4g}"))} for k in places]


def _named(cuts: Cuts | Mapping[str, Cuts], name: str) -> dict[str, Cuts]:
    return {str(key): value for key, value in cuts.items()} if isinstance(cuts, Mapping) else {name: cuts}
