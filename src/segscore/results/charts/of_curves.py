"""Charts of curves: scores over all margins, thresholds, penalties and delays."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from ...curves import f1_curve as curve_of
from ...delays import online
from ...regions import LabelRoc
from ...tables.frames import dataframe
from ...tables.groups import groups_of
from ...thresholds import PrecisionRecallCurve
from ..intervals import intervals
from .drawing import COLOURS, LINES, WIDTH, Rows, altair, data, finished, finite

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "curve_chart",
    "delay_rows",
    "delays",
    "f1_curve",
    "label_roc",
    "margin_rows",
    "precision_recall",
    "titles_of",
]

HEIGHT = 320
MOST = 200  # points of a line
# Colours if there are more lines than `LINES` has: Tableau's twenty.
MANY = [
    *("#4c78a8", "#f58518", "#54a24b", "#b79a20", "#439894", "#e45756", "#79706e", "#d67195", "#b279a2", "#9e765f"),
    *("#9ecae9", "#ffbf79", "#88d27a", "#f2cf5b", "#83bcb6", "#ff9d98", "#bab0ac", "#fcbfd2", "#d6a5c9", "#d8b5a5"),
]


def f1_curve(
    runs: Any,  # noqa: ANN401
    score: Literal["f1", "precision", "recall"] = "f1",
    *,
    margin: float = 5,
    upto: float | None = None,
    seed: int = 0,
) -> Any:  # noqa: ANN401
    """Draw the mean F1, precision or recall of each method over all margins.

    ``runs`` is a table with the columns ``method``, ``series``, ``truth``, ``pred`` and ``n``. The dashed line marks
    ``margin``, and the margins go up to ``upto``, four times ``margin`` by default. The band is the 95 % interval of
    the mean over series, for 10 series or more. With several annotators a score is the mean over the annotators. A run
    without a prediction counts as 0.
    """
    if score not in ("f1", "precision", "recall"):
        raise ValueError(f"score = {score!r:.40} is unknown; expected one of f1, precision, recall")
    rows = margin_rows(_table(runs), score, margin, upto, seed)
    return finished(curve_chart(rows, [{"x": margin}], *titles_of(score)))


def margin_rows(table: Any, score: str, margin: float, upto: float | None, seed: int) -> Rows:  # noqa: ANN401
    """Return one row per method and margin: the mean over series and its interval."""
    import numpy as np

    grid = _grid(upto if upto is not None else 4 * margin or 20, margin)

    def values(truth: list[int], pred: list[int], n: int) -> NDArray[np.float64]:
        points = curve_of(truth, pred, n=n).points
        at = np.searchsorted([point.margin for point in points], grid, side="right") - 1
        return np.array([getattr(point, score) for point in points])[at]

    return _mean_rows(table, grid, values, seed)


def delays(
    runs: Any,  # noqa: ANN401
    *,
    max_delay: float | None = None,
    upto: float | None = None,
    seed: int = 0,
) -> Any:  # noqa: ANN401
    """Draw the share of changes that each method detects within a delay, over all delays.

    ``runs`` is a table with the columns ``method``, ``series``, ``truth``, ``pred`` and ``n``, where ``pred`` holds the
    times of alarms, as for `segscore.online`. The dashed line marks ``max_delay``. The delays go up to ``upto``, by
    default four times ``max_delay`` or the largest delay. The band is the 95 % interval of the mean over series, for 10
    series or more. Series without a change are left out, and a run without a prediction counts as 0.
    """
    rows = delay_rows(_table(runs), max_delay, upto, seed)
    return finished(curve_chart(rows, [] if max_delay is None else [{"x": max_delay}], *titles_of("delays")))


def delay_rows(table: Any, max_delay: float | None, upto: float | None, seed: int) -> Rows:  # noqa: ANN401
    """Return one row per method and delay: the mean share of detected changes, and its interval."""
    import numpy as np

    if upto is None and max_delay is not None:
        upto = 4 * max_delay
    if upto is None:
        cells = [(truth, pred, n) for truths, pred, n in _cells(table) for truth in truths if pred is not None]
        upto = max((delay for truth, pred, n in cells for delay in online(truth, pred, n=n).delays), default=1)
    grid = _grid(upto or 1, max_delay or 0)

    def values(truth: list[int], pred: list[int], n: int) -> NDArray[np.float64]:
        result = online(truth, pred, n=n)
        shares = np.searchsorted(sorted(result.delays), grid, side="right") / max(1, len(result.rows))
        return shares if result.rows else np.full(grid.size, np.nan)

    return _mean_rows(table, grid, values, seed)


def titles_of(score: str) -> tuple[str, str]:
    """Return the titles of both axes of a curve."""
    if score == "delays":
        return "delay", "share of changes detected, mean over series"
    return "margin", f"{score}, mean over series"


def precision_recall(
    curves: Mapping[str, PrecisionRecallCurve | Sequence[PrecisionRecallCurve]], *, seed: int = 0
) -> Any:  # noqa: ANN401
    """Draw precision over recall for cuts with confidences, one line per method.

    ``curves`` has for each method a curve of `segscore.precision_recall_curve`, or one curve per series. With one curve
    per series, the line is the mean over series, with the 95 % interval for 10 series or more. The precision at a
    recall is the precision at the highest threshold that reaches the recall, and 0 if no threshold reaches the recall.
    With one curve per method, dots mark the threshold with the largest F1.
    """
    import numpy as np

    if not isinstance(curves, Mapping):
        raise TypeError(f"curves = {curves!r:.40} is {type(curves).__name__}; expected a curve, or curves, per method")
    grid = np.linspace(0, 1, MOST + 1)
    least = 1e-9  # of recall; differences below are rounding
    rows: Rows = []
    best: Rows = []
    for method, given in curves.items():
        several = [given] if isinstance(given, PrecisionRecallCurve) else list(given)
        sampled = []
        for curve in several:
            recalls = [point.recall for point in curve.points]
            precisions = np.array([*(point.precision for point in curve.points), 0.0])
            sampled.append(precisions[np.searchsorted(recalls, np.maximum(grid, least) - least / 2, side="left")])
        rows += _summed(method, grid, np.array(sampled).reshape(len(sampled), grid.size), seed)
        if len(several) == 1 and several[0].best is not None:
            best.append({"method": method, "x": several[0].best.recall, "y": several[0].best.precision})
    title = (
        "precision, mean over series" if any(not isinstance(c, PrecisionRecallCurve) for c in curves.values()) else ""
    )
    return finished(curve_chart(rows, [], "recall", title or "precision", best=best, step="step-before"))


def label_roc(curves: Mapping[str, LabelRoc]) -> Any:  # noqa: ANN401
    """Draw the true positive rate over the false positive rate in annotated regions.

    ``curves`` has a curve of `segscore.label_roc` for each method, and each curve is a line. Dots mark the penalties
    with the fewest errors.
    """
    if not isinstance(curves, Mapping):
        raise TypeError(f"curves = {curves!r:.40} is {type(curves).__name__}; expected one curve per method")
    alt = altair()
    rows: Rows = []
    best: Rows = []
    for method, curve in curves.items():
        for k, point in enumerate(curve.points):
            own = {"x": finite(point.false_positive_rate), "y": finite(point.true_positive_rate)}
            rows.append({"method": method, "order": k, **own, "factor": point.factor})
        own = {"x": finite(curve.best.false_positive_rate), "y": finite(curve.best.true_positive_rate)}
        best.append({"method": method, **own})
    scale = alt.Scale(domain=[0, 1])
    x = alt.X("x:Q", title="false positive rate", scale=scale)
    y = alt.Y("y:Q", title="true positive rate", scale=scale)
    colour = _colour(len(curves))
    base = alt.Chart(data("curves", rows))
    lines = base.mark_line(point=alt.OverlayMarkDef(size=20)).encode(
        x=x, y=y, color=colour, order="order:Q", tooltip=["method:N", "factor:Q", "x:Q", "y:Q"]
    )
    dots = alt.Chart(data("best", best)).mark_point(size=90, filled=True).encode(x=x, y=y, color=colour)
    return finished(alt.layer(lines, dots).properties(width=HEIGHT, height=HEIGHT))


def _colour(methods: int) -> Any:  # noqa: ANN401
    alt = altair()
    scale = alt.Scale(range=LINES if methods <= len(LINES) else MANY)
    legend = alt.Legend(orient="top", symbolOpacity=1, columns=4, labelLimit=220)
    return alt.Color("method:N", title=None, scale=scale, legend=legend)


def curve_chart(
    rows: Rows,
    marks: Rows,
    x_title: str,
    y_title: str,
    *,
    best: Rows | None = None,
    step: str = "step-after",
    methods: int | None = None,
) -> Any:  # noqa: ANN401
    """Draw one line and band per method, the chosen value of x, and the best points.

    ``methods`` is the number of methods, if the rows come later.
    """
    alt = altair()
    x = alt.X("x:Q", title=x_title, scale=alt.Scale(nice=False))
    y = alt.Y("mean:Q", title=y_title, scale=alt.Scale(domain=[0, 1]))
    colour = _colour(len({row["method"] for row in rows}) if methods is None else methods)
    tips = ["method:N", "x:Q", *(alt.Tooltip(f"{name}:Q", format=".3f") for name in ("mean", "low", "high"))]
    base = alt.Chart(data("curves", rows))
    band = base.transform_filter("isValid(datum.low)").mark_area(opacity=0.15, interpolate=step)
    line = base.mark_line(interpolate=step, strokeWidth=2)
    layers = [
        band.encode(x=x, y=alt.Y("low:Q", title=y_title), y2="high:Q", color=colour),
        line.encode(x=x, y=y, color=colour, tooltip=tips),
        alt.Chart(data("marks", marks)).mark_rule(strokeDash=[4, 3], color=COLOURS[0]).encode(x="x:Q"),
    ]
    if best:
        dots = alt.Chart(data("best", best)).mark_point(size=90, filled=True)
        layers.append(dots.encode(x="x:Q", y="y:Q", color=colour))
    return alt.layer(*layers).properties(width=WIDTH, height=HEIGHT)


def _table(runs: Any) -> Any:  # noqa: ANN401
    """Return the rows that have a truth, with one list of cuts per annotator, or raise."""
    from ..page.forms import wide  # here and not above: the page uses these charts

    table = dataframe(runs)
    for name in ("method", "series", "truth", "pred", "n"):
        if name not in table.columns:
            raise ValueError(f"runs have no column {name!r}; they have {', '.join(table.columns) or 'none'}")
    return wide(table, None).drop_nulls(["truth", "n"])


def _grid(upto: float, marked: float) -> NDArray[np.float64]:
    """Return whole numbers from 0 on, at most `MOST` of them, and the marked one."""
    import numpy as np

    even = np.round(np.linspace(0, upto, min(MOST, int(upto)) + 1))
    return np.unique([*even, *([marked] if marked <= upto else [])])


def _mean_rows(
    table: Any,  # noqa: ANN401
    grid: NDArray[np.float64],
    values: Callable[[list[int], list[int], int], NDArray[np.float64]],
    seed: int,
) -> Rows:
    """Return the rows of all methods: the mean over series of the values of each run."""
    import numpy as np

    runs: dict[str, dict[str, list[NDArray[np.float64]]]] = {}
    for (truths, pred, n), method, series in zip(_cells(table), table["method"], table["series"], strict=True):
        # A run without a prediction detects nothing, but a value that no prediction has stays undefined.
        own = [values(truth, [] if pred is None else pred, n) * (pred is not None) for truth in truths]
        mean = np.mean([each for each in own if not np.isnan(each).any()] or [np.full(grid.size, np.nan)], axis=0)
        runs.setdefault(method, {}).setdefault(series, []).append(mean)
    groups = groups_of(table)
    rows: Rows = []
    for method, by_series in runs.items():
        means = {series: np.mean(repeated, axis=0) for series, repeated in by_series.items()}
        defined = {series: mean for series, mean in means.items() if not np.isnan(mean).any()}
        units = None if groups is None else [groups[series] for series in defined]
        rows += _summed(method, grid, np.array([*defined.values()]).reshape(-1, grid.size), seed, units)
    return rows


def _cells(table: Any) -> list[tuple[list[list[int]], list[int] | None, int]]:  # noqa: ANN401
    """Return the truths of all annotators, the prediction and the length of each row."""
    cells = table.select("truth", "pred", "n").iter_rows()
    return [
        ([truth for truth in truths if truth is not None], pred, int(n) if n == int(n) else n)
        for truths, pred, n in cells
    ]


def _summed(
    method: str,
    grid: NDArray[np.float64],
    values: NDArray[np.float64],
    seed: int,
    groups: Sequence[str] | None = None,
) -> Rows:
    """Return one row per point of the grid: the mean over series, with its interval over series or groups."""
    bands = intervals(values.T, groups, seed)
    means = values.mean(axis=0) if len(values) else grid * 0
    return [
        {
            "method": method,
            "x": float(x),
            "mean": float(mean),
            "low": None if band is None else finite(band.low),
            "high": None if band is None else finite(band.high),
        }
        for x, mean, band in zip(grid, means, bands, strict=True)
    ]
