"""Charts of cuts: timelines, staircases, and Pk as a function of the window size."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from ..analysis.explain import explain
from ..optional import altair as alt
from ..scores.boundaries import match
from ..scores.windows import pk_curve as pk_values
from ..segmentation.segmentation import Cuts, Segmentation
from ..segmentation.sides import both, known_lengths, refuse_labels
from .axes import POINTS, Axis, axis_of
from .drawing import COLOURS, CUT_KINDS, LINES, MANY, SHAPES, WIDTH, Rows, data, finite, numbers, rows_axis
from .finish import finished

if TYPE_CHECKING:
    import numpy as np

__all__ = ["SIGNAL", "pk_curve", "staircase", "staircase_chart", "thinned", "timeline"]

PICTURE_COLUMNS = 800  # columns of a timeline; several cuts of one kind in one column are drawn once
SIGNAL = 2000  # points of a signal that are drawn


def timeline(
    truth: Cuts | Mapping[str, Cuts],
    pred: Cuts | Mapping[str, Cuts],
    *,
    n: int | None = None,
    duration: float | None = None,
    margin: float = 0,
    signal: Sequence[float] | np.ndarray[Any, Any] | None = None,
    unit: str = "seconds",
) -> alt.TopLevelMixin:
    """Draw the timeline of a truth and of predictions: matched, missed and false cuts.

    Several annotators or methods are given as a mapping from names to cuts; methods are matched with the first
    annotator. Drag in the strip below the chart to zoom in. Cuts of one kind that fall into the same column of the
    picture are drawn once. The segments of a `Segmentation` with labels are coloured by their labels; the same label
    has the same colour in all rows.

    The axis counts points. With ``duration``, or in time, it shows times, and ``unit`` is their unit; for timestamps
    it shows dates. A signal has one value per point; in time and with dates its values are evenly spaced from the start
    on.

    >>> chart = timeline([30, 60], {"late": [33, 61], "few": [60]}, n=100, margin=5)
    >>> type(chart).__name__
    'VConcatChart'
    """
    given, predicted = _by_name(truth, "truth"), _by_name(pred, "prediction")
    own = [side.length for side in (*given.values(), *predicted.values()) if isinstance(side, Segmentation)]
    if len(set(own)) > 1:
        raise ValueError(f"the segmentations have the lengths {', '.join(map(str, own))}; expected one length")
    known = known_lengths(n, duration, given.values(), predicted.values())
    lengths: dict[str, Any] = dict(zip(("n", "duration"), known, strict=True))
    truths = {name: Segmentation(cuts, **lengths) for name, cuts in given.items()}
    if not truths:
        raise ValueError("truth is empty; expected cuts, or a mapping of at least one name to cuts")
    first = next(iter(truths.values()))
    preds = {
        f"{name} (prediction)" if name in truths else name: Segmentation(cuts, **lengths)
        for name, cuts in predicted.items()
    }
    sides = {**truths, **preds}
    axis = axis_of(sides.values(), unit)
    kinds: list[tuple[str, str, Sequence[float]]] = [(name, "true", side.cuts) for name, side in truths.items()]
    for name, side in preds.items():
        found = match(first, side, margin=margin)
        kinds += [(name, "matched", [p for _, p in found.pairs])]
        kinds += [(name, "missed", found.misses), (name, "false", found.false_alarms)]
    whole = {"begin": axis.at(0), "end": axis.at(first.length)}
    cuts = [{"row": name, "cut": axis.at(cut), "kind": kind, **whole} for name, kind, side in kinds for cut in side]
    whole_points = first.duration is None and not axis.has_dates
    points = [] if signal is None else thinned(signal, first.length, whole=whole_points, axis=axis)
    ends = [{"row": name, "start": whole["begin"], **whole} for name in sides]
    segments = [
        {"row": name, "from": axis.at(start), "to": axis.at(stop), "label": str(label), **whole}
        for name, side in sides.items()
        for (start, stop), label in zip(side.segments, side.labels or (), strict=False)
    ]
    return finished(_timeline_chart(cuts, ends, points, segments, axis))


def _timeline_chart(
    cuts: Rows, ends: Rows, points: Rows, segments: Rows | None = None, axis: Axis = POINTS
) -> alt.TopLevelMixin:
    """Draw cuts on one line per row, over segments that are coloured by their labels, and the signal above them."""
    visible = alt.selection_interval(name="visible", encodings=["x"])
    low, high = (
        f"(isValid(visible.start) ? visible.start[{k}] : {end})"
        for k, end in enumerate(("(datum.begin || 0)", "datum.end"))
    )
    seen = f"datum.start <= {high} && datum.end >= {low}"
    place = axis.across("start", domain=visible)
    row = rows_axis("row")
    kind = {
        "color": alt.Color(
            "kind:N", scale=alt.Scale(domain=CUT_KINDS, range=COLOURS), legend=alt.Legend(title=None, orient="top")
        ),
        "shape": alt.Shape("kind:N", scale=alt.Scale(domain=CUT_KINDS, range=SHAPES)),
    }
    column = f"floor((datum.cut - {low}) / ({high} - {low}) * {PICTURE_COLUMNS})"
    line = alt.Chart(data("ends", ends)).mark_rule(opacity=0.35).encode(x=place, x2="stop", y=row)
    line = line.transform_calculate(start=low, stop=high)  # not end, which `high` needs when the zoom is undone
    marks = (
        alt.Chart(data("cuts", cuts))
        .transform_filter(f"datum.cut >= {low} && datum.cut <= {high}")
        .transform_calculate(column=column)
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
                axis.tip("start", "from"),
                axis.tip("last", "to"),
                alt.Tooltip("count:Q", title="cuts"),
            ],
        )
    )
    step = alt.Step(28, **{"for": "position"})
    coloured = _coloured(segments, low, high, axis, place, row) if segments else []
    # The lines come first, so that the rows are in their order.
    detail = alt.layer(line, *coloured, marks).properties(width=WIDTH, height=step)
    overview = (
        alt.Chart(data("ends", ends))
        .mark_rule(strokeWidth=8, opacity=0.35)
        .encode(
            x=axis.across("start", title=None),
            x2="end",
            tooltip=alt.value("Drag to zoom in"),  # a tip, and not a title, which saved pictures would show too
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
    )
    true = (
        alt.Chart(data("cuts", cuts))
        .transform_filter(f"datum.kind == 'true' && datum.cut >= {low} && datum.cut <= {high}")
        .transform_calculate(column=column)
        .transform_aggregate(start="min(cut)", groupby=["column"])
        .mark_rule(strokeDash=[4, 3], color=COLOURS[0])
        .encode(x=place)
    )
    seen_signal = alt.layer(curve, true).properties(width=WIDTH, height=140)
    return alt.vconcat(seen_signal, detail, overview)


def _coloured(segments: Rows, low: str, high: str, axis: Axis, place: alt.X, row: alt.Y) -> list[alt.Chart]:
    """Return the bars of labelled segments, and the names of the labels where there is room for them."""
    labels = {segment["label"] for segment in segments}
    bars = (
        alt.Chart(data("segments", segments))
        .transform_filter(f"datum.from < {high} && datum.to > {low}")
        .transform_calculate(start=f"max(datum.from, {low})", stop=f"min(datum.to, {high})")
        .transform_calculate(share=f"(datum.stop - datum.start) / ({high} - {low})")
        .encode(x=place, y=row)
    )
    # The channel fill, and not color, which shows the kinds of cuts: each has its own legend. The labels stand only in
    # the data, where no text can be code.
    colour = alt.Fill(
        "label:N",
        sort=None,
        scale=alt.Scale(range=LINES if len(labels) <= len(LINES) else MANY),
        legend=alt.Legend(
            title="label", orient="bottom", symbolType="square", symbolOpacity=0.4, symbolStrokeWidth=0, columns=6
        ),
    )
    tips = [alt.Tooltip("row:N", title="of"), "label:N", axis.tip("from", "from"), axis.tip("to", "to")]
    # Unseen, so that labels keep their colours when only some of them are in sight.
    every = alt.Chart(data("segments", segments)).mark_point(size=0, opacity=0).encode(y=row, fill=colour)
    rect = bars.mark_bar(opacity=0.4, size=24, stroke="white", strokeWidth=0.5).encode(
        x2="stop", fill=colour, tooltip=tips
    )
    text = (
        bars.transform_filter(f"datum.share * {WIDTH} > 7 * length(datum.label) + 12")
        .mark_text(align="left", dx=6, dy=-7, fontSize=9, color=COLOURS[0])
        .encode(text="label:N", tooltip=tips)
    )
    return [every, rect, text]


def staircase(
    truth: Cuts, pred: Cuts, *, n: int | None = None, duration: float | None = None, unit: str = "seconds"
) -> alt.TopLevelMixin:
    """Draw the Rand Index: the area between two staircases is the disagreement.

    Each staircase maps a point to the end of its segment. Where the staircases differ, the pairs of points in between
    are together in only one of the two segmentations. The axes show points, times in a ``unit`` or dates, as those of
    `timeline`. Labels are refused, because a label may join segments that are far apart.

    >>> type(staircase([30, 60], [33, 60, 80], n=100)).__name__
    'LayerChart'
    """
    refuse_labels("staircase", truth, pred)
    axis = axis_of([side for side in (truth, pred) if isinstance(side, Segmentation)], unit)
    left, right = both(truth, pred, n, duration)
    if left.duration is not None:
        axis = axis_of([left], unit)
    found = explain(left, right)
    area = found.disagreement
    amount = f"{area:.6g} of {left.duration**2 / 2:.6g}" if left.n is None else f"{area:,} of {_pairs(left.n):,} pairs"
    chart = staircase_chart(overlap_cells(left, right, axis), axis)
    return finished(chart.properties(title=f"area = {amount}; Rand Index {found.rand_index:.4f}"))


def _pairs(n: int) -> int:
    return n * (n - 1) // 2


def overlap_cells(truth: Segmentation, pred: Segmentation, axis: Axis = POINTS) -> Rows:
    """Return the overlap cells in order, with the ends of both segments around each cell."""
    sides = [iter([*side.cuts, side.length]) for side in (truth, pred)]
    ends = [next(side) for side in sides]
    start, rows = 0.0, Rows()
    while start < truth.length:
        end = min(ends)
        beyond = "truth" if ends[0] > ends[1] else "prediction"
        at = {"start": start, "end": end, "truth": ends[0], "prediction": ends[1]}
        rows.append({**{name: axis.at(place) for name, place in at.items()}, "beyond": beyond})
        start = end
        ends = [next(side, old) if old == end else old for side, old in zip(sides, ends, strict=True)]
    return rows


def staircase_chart(cells: Rows, axis: Axis = POINTS) -> alt.TopLevelMixin:
    """Draw two staircases and the area between them."""
    across = {"x": axis.across("start"), "x2": "end"}
    title = "end of its segment"
    names = ["truth", "prediction"]
    colour, legend = alt.Scale(domain=names, range=[COLOURS[0], LINES[0]]), alt.Legend(title=None, orient="top")
    area = (
        alt.Chart(data("cells", cells))
        .transform_filter("datum.truth != datum.prediction")
        .mark_rect(opacity=0.4)
        .encode(
            **across,
            y=axis.up("truth", title),
            y2="prediction",
            color=alt.Color("beyond:N", scale=colour, legend=legend),
            tooltip=[axis.tip(name, name) for name in ("start", "end", "truth", "prediction")],
        )
    )
    lines = [
        alt.Chart(data("cells", cells))
        .transform_calculate(side=f"'{name}'")
        .mark_rule(strokeWidth=2, strokeDash=dash)
        .encode(**across, y=axis.up(name, title), color=alt.Color("side:N", scale=colour, legend=legend))
        for name, dash in zip(names, ([1, 0], [5, 3]), strict=True)
    ]
    return alt.layer(area, *lines).properties(width=WIDTH, height=320)


def pk_curve(
    truth: Cuts,
    pred: Cuts | Mapping[str, Cuts],
    *,
    n: int | None = None,
    duration: float | None = None,
    k: Iterable[float] | None = None,
    unit: str = "seconds",
) -> alt.TopLevelMixin:
    """Draw Pk as a function of the window size, for one or several predictions.

    Several predictions are given as a mapping from names to cuts. A line marks half the mean segment length, the usual
    window. In time the sizes are times, and ``unit`` is their unit; for timestamps they are numbers of the unit of the
    timestamps.

    >>> type(pk_curve([30, 60], {"late": [33, 61], "few": [60]}, n=100)).__name__
    'LayerChart'
    """
    predicted = _by_name(pred, "prediction")
    length = known_lengths(n, duration, [truth], predicted.values())
    side = Segmentation(truth, n=length[0], duration=length[1])
    if side.duration is None and side.n < 2:
        raise ValueError(f"n = {side.n} has no window; expected at least 2 points")
    usual = side.length / (2 * (len(side.cuts) + 1))
    if side.duration is None:
        usual = max(1, min(side.n - 1, round(usual)))
    sizes = list(k) if k is not None else _sizes(side, usual)
    if not sizes:
        raise ValueError("k is empty; expected sizes of windows")
    rows = [
        {"method": name, "k": float(size), "pk": float(value)}
        for name, cuts in predicted.items()
        for size, value in zip(sizes, pk_values(side, cuts, k=sizes), strict=True)
    ]
    counted = axis_of([side], unit).unit
    title = "k, the size of the window" + ("" if counted is None else f" ({counted})")
    lines = (
        alt.Chart(data("curves", rows))
        .mark_line()
        .encode(
            x=alt.X("k:Q", title=title),
            y=alt.Y("pk:Q", title="Pk"),
            color=alt.Color("method:N", sort=None, scale=alt.Scale(range=LINES), legend=alt.Legend(title=None)),
            strokeDash=alt.StrokeDash("method:N", sort=None, legend=None),
            tooltip=["method:N", "k:Q", *numbers("pk")],
        )
    )
    mark = alt.Chart(data("usual", [{"k": usual}])).mark_rule(strokeDash=[2, 3]).encode(x="k:Q")
    return finished(alt.layer(lines, mark).properties(width=WIDTH, height=300))


def _sizes(side: Segmentation, usual: float) -> list[Any]:
    """Return at most 200 window sizes up to four times the usual one: whole numbers in points."""
    if side.duration is not None:
        most = min(side.duration * (1 - 1e-9), 4 * usual)
        return [most * k / 200 for k in range(1, 201)]
    most = min(side.n - 1, 4 * usual)
    return sorted({1 + round(k * (most - 1) / 199) for k in range(200)})


def thinned(signal: Any, length: float, most: int = SIGNAL, whole: bool = True, axis: Axis = POINTS) -> Rows:  # noqa: ANN401
    """Return the points of a signal; for a long signal, the minimum and maximum of each stretch.

    ``whole`` says that the length is a number of points; otherwise the values are spread evenly over the time.
    """
    import numpy as np

    values = np.asarray(signal, dtype=float)
    if values.ndim != 1 or (whole and values.size != length):
        expected = f"one number for each of n = {length} points" if whole else "one number per point"
        raise ValueError(f"signal has the shape {values.shape}; expected {expected}")
    n = values.size
    places = np.arange(n)
    if n > most:
        edges = np.linspace(0, n, most // 2 + 1).astype(int)
        low, high = np.where(np.isnan(values), np.inf, values), np.where(np.isnan(values), -np.inf, values)
        both = [(a + np.argmin(low[a:b]), a + np.argmax(high[a:b])) for a, b in pairwise(edges)]
        places = np.unique(np.asarray(both))
    at = [axis.at(int(k) if whole else float(k) * length / n) for k in places]
    return [{"start": x, "end": x, "value": finite(float(f"{values[k]:.4g}"))} for x, k in zip(at, places, strict=True)]


def _by_name(cuts: Cuts | Mapping[str, Cuts], name: str) -> dict[str, Cuts]:
    return {str(key): value for key, value in cuts.items()} if isinstance(cuts, Mapping) else {name: cuts}
