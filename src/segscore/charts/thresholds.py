"""Charts over all thresholds and penalties: precision over recall, and ROC curves of annotated regions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Any

from ..analysis.penalties import LabelRoc
from ..analysis.region_tables import label_rocs
from ..optional import altair as alt
from ..optional import polars as pl
from ..scores.thresholds import PrecisionRecallCurve
from ..tables.confidences import confidence_curves
from ..tables.groups import groups_of
from .curves import MOST, check_distances, colour_of, counted_lengths, curve_chart, runs_of, runs_table, summed, unit_of
from .drawing import Rows, data, finite
from .finish import finished

__all__ = ["label_roc", "precision_recall", "recall_rows", "roc_chart", "roc_rows"]


SIDE = 280  # side of the square of rates, which fits on a phone


def precision_recall(
    curves: Any,  # noqa: ANN401
    *,
    margin: float | timedelta = 5,
) -> alt.TopLevelMixin:
    """Draw precision over recall for cuts with confidences, one line per method.

    ``curves`` is a table with the columns ``method``, ``series``, ``truth``, ``pred``, ``n`` (or ``duration``, or
    ``start`` and ``end``) and ``confidence``, scored at ``margin``; or it has for each method a curve of
    `segscore.precision_recall_curve`, or one curve per series. With several series, the line is the mean over series,
    with the 95 % interval for 6 series or more. The precision at a recall is the precision at the highest threshold
    that reaches the recall, and 0 if no threshold reaches the recall. So the area below the line is the mean average
    precision. Series without a true cut are left out, and a run without a prediction counts as 0. With one curve per
    method, dots mark the threshold with the largest F1.
    """
    if hasattr(curves, "columns") or hasattr(curves, "__arrow_c_stream__"):
        table, measure = runs_table(curves, "confidence")
        (reach,) = counted_lengths(measure, margin=margin)
        rows = recall_rows(table, reach)
        return finished(curve_chart(rows, [], "recall", "precision, mean over series", step="step-before"))
    if not isinstance(curves, Mapping):
        raise TypeError(f"curves = {curves!r:.40} is {type(curves).__name__}; expected a curve, or curves, per method")
    rows = []
    best: Rows = []
    is_mean = False
    for method, given in curves.items():
        several = [given] if isinstance(given, PrecisionRecallCurve) else _several(method, given)
        is_mean = is_mean or not isinstance(given, PrecisionRecallCurve)
        rows += _line(method, [[curve] for curve in several])
        if len(several) == 1 and several[0].best is not None:
            best.append({"method": method, "x": several[0].best.recall, "y": several[0].best.precision})
    title = "precision, mean over series" if is_mean else "precision"
    return finished(curve_chart(rows, [], "recall", title, best=best, step="step-before"))


def _several(method: str, given: Any) -> list[PrecisionRecallCurve]:  # noqa: ANN401
    several = list(given) if isinstance(given, Iterable) and not isinstance(given, str) else [given]
    for curve in several:
        if not isinstance(curve, PrecisionRecallCurve):
            raise TypeError(
                f"curves[{method!r:.40}] has {curve!r:.40}; expected a curve of precision_recall_curve(), or one per "
                "series"
            )
    return several


def recall_rows(table: pl.DataFrame, margin: float) -> Rows:
    """Return one row per method and recall: the mean precision over series, and its interval."""
    check_distances(margin=margin)
    runs: dict[str, dict[str, list[list[PrecisionRecallCurve | None]]]] = {}
    cells = zip(runs_of(table), table["confidence"].to_list(), table["method"], table["series"], strict=True)
    for (truths, pred, n), confidence, method, series in cells:
        if pred is None:
            found: list[PrecisionRecallCurve | None] = [None if truth else _nothing() for truth in truths]
        else:
            found = [*confidence_curves(truths, pred, {unit_of(table): n}, confidence, margin)]
        runs.setdefault(method, {}).setdefault(series, []).append(found)
    groups = groups_of(table)
    rows: Rows = []
    for method, by_series in runs.items():
        own = {series: [curve for curves in repeated for curve in curves] for series, repeated in by_series.items()}
        kept = [series for series, curves in own.items() if any(_counts(curve) for curve in curves)]
        units = None if groups is None else [groups[series] for series in kept]
        rows += _line(method, [own[series] for series in kept], units)
    return rows


def _nothing() -> PrecisionRecallCurve:
    """Return the curve of a series without a true cut, which does not count."""
    return PrecisionRecallCurve([], 0, float("nan"))


def _counts(curve: PrecisionRecallCurve | None) -> bool:
    """Return whether a curve has an average precision; None is a run without a prediction, which has 0."""
    return curve is None or curve.true_cuts > 0


def _line(
    method: str,
    of_series: Sequence[Sequence[PrecisionRecallCurve | None]],
    groups: Sequence[str] | None = None,
) -> Rows:
    """Return the mean precision at each recall; the curves of one series are averaged first."""
    import numpy as np

    grid = np.linspace(0, 1, MOST + 1)
    least = 1e-9  # smallest difference of recall; smaller ones are rounding
    sampled = []
    for curves in of_series:
        own = []
        for curve in filter(_counts, curves):
            points = [] if curve is None else curve.points
            precisions = np.array([*(point.precision for point in points), 0.0])
            recalls = [point.recall for point in points]
            own.append(precisions[np.searchsorted(recalls, np.maximum(grid, least) - least / 2, side="left")])
        if own:
            sampled.append(np.mean(own, axis=0))
    return summed(method, grid, np.array(sampled).reshape(-1, grid.size), groups)


def label_roc(curves: Any) -> alt.TopLevelMixin:  # noqa: ANN401
    """Draw the true positive rate over the false positive rate in annotated regions.

    ``curves`` has a curve for each method, as `segscore.label_rocs` returns them. ``curves`` may also be a table of
    runs over a grid of penalties, with the columns ``method``, ``series``, ``params``, ``pred``, ``n`` (or
    ``duration``) and ``regions``: the regions of each series, as `segscore.label_error` takes them. Dots mark the
    penalties with the fewest errors.
    """
    if hasattr(curves, "columns") or hasattr(curves, "__arrow_c_stream__"):
        curves = label_rocs(curves)
    if not isinstance(curves, Mapping):
        raise TypeError(f"curves = {curves!r:.40} is {type(curves).__name__}; expected one curve per method")
    for method, curve in curves.items():
        if not isinstance(curve, LabelRoc):
            raise TypeError(f"curves[{method!r:.40}] = {curve!r:.40} is not a curve; expected a curve of label_roc()")
    return finished(roc_chart(*roc_rows(curves), len(curves)))


def roc_rows(curves: Mapping[str, LabelRoc]) -> tuple[Rows, Rows]:
    """Return one row per method and factor, and one row per method for the factor with the fewest errors."""
    rows: Rows = []
    best: Rows = []
    for method, curve in curves.items():
        for k, point in enumerate(curve.points):
            own = {"x": finite(point.false_positive_rate), "y": finite(point.true_positive_rate)}
            rows.append({"method": method, "order": k, **own, "factor": point.factor_text})
        own = {"x": finite(curve.best.false_positive_rate), "y": finite(curve.best.true_positive_rate)}
        best.append({"method": method, **own})
    return rows, best


def roc_chart(rows: Rows, best: Rows, methods: int) -> alt.TopLevelMixin:
    """Draw one line per method, and a dot at its best point."""
    scale = alt.Scale(domain=[0, 1])
    x = alt.X("x:Q", title="false positive rate", scale=scale)
    y = alt.Y("y:Q", title="true positive rate", scale=scale)
    colour = colour_of(methods)
    base = alt.Chart(data("curves", rows))
    lines = base.mark_line(point=alt.OverlayMarkDef(size=20)).encode(
        x=x, y=y, color=colour, order="order:Q", tooltip=["method:N", "factor:N", "x:Q", "y:Q"]
    )
    dots = alt.Chart(data("best", best)).mark_point(size=90, filled=True).encode(x=x, y=y, color=colour)
    return alt.layer(lines, dots).properties(width=SIDE, height=SIDE)
