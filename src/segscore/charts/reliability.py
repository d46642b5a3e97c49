"""The reliability diagram: predicted probabilities of cuts against how often there is a cut."""

from __future__ import annotations

import math
from collections.abc import Mapping

from ..optional import altair as alt
from ..soft.decisions import SoftCalibration
from .drawing import COLOURS, LINES, Rows, data, numbers
from .finish import finished

__all__ = ["calibration"]

SIDE = 360  # width and height, in pixels
NORMAL = 1.959963984540054  # normal quantile of a 95 % interval


def calibration(curves: SoftCalibration | Mapping[str, SoftCalibration]) -> alt.TopLevelMixin:
    """Draw the reliability diagram of one or several curves of `segscore.soft_calibration`.

    Each point is a bin: the mean predicted probability against the share of the cuts that are right, with Wilson's 95 %
    interval, which treats the cases as independent. On the diagonal, probabilities are calibrated; below the diagonal,
    they are too high. The caption has the expected calibration error of each curve, and the mean error of a perfect
    forecaster with the same probabilities. Neither sees missed changes.

    Reference: Wilson, "Probable inference, the law of succession, and statistical inference" (1927).
    """
    named = {"": curves} if isinstance(curves, SoftCalibration) else curves
    if not isinstance(named, Mapping):
        message = f"curves is a {type(curves).__name__}; expected a SoftCalibration, or one per method in a dict"
        raise TypeError(message)
    rows: Rows = []
    for name, curve in named.items():
        for each in curve.bins:
            low, high = _wilson(each.observed, each.cuts)
            numbers = {"predicted": each.predicted, "observed": each.observed, "low": low, "high": high}
            rows.append({"method": name, **numbers, "cuts": each.cuts})
    caption = [
        (f"{name}: " if name else "")
        + f"calibration error {curve.error:.3f}, perfect forecaster {curve.perfect_error:.3f}"
        for name, curve in named.items()
    ]
    return finished(_chart(rows, list(named), [*caption, "Changes with no predicted cut near them are not counted."]))


def _wilson(share: float, count: int) -> tuple[float, float]:
    """Return Wilson's interval of a share."""
    squared = NORMAL * NORMAL / count
    centre, radius = share + squared / 2, NORMAL * math.sqrt((share * (1 - share) + squared / 4) / count)
    return max(0.0, (centre - radius) / (1 + squared)), min(1.0, (centre + radius) / (1 + squared))


def _chart(rows: Rows, methods: list[str], caption: list[str]) -> alt.TopLevelMixin:
    axis = alt.Axis(format="%", grid=True)
    whole = alt.Scale(domain=[0, 1])
    x = alt.X("predicted:Q", title="predicted probability of a cut", scale=whole, axis=axis)
    y = alt.Y("observed:Q", title="share that is right", scale=whole, axis=axis)
    legend = alt.Legend(title=None) if len(methods) > 1 else None
    colour = alt.Color("method:N", sort=None, scale=alt.Scale(domain=methods, range=LINES), legend=legend)
    tips: list[str | alt.Tooltip] = ["method:N", "cuts:Q", *numbers("predicted", "observed", form=".3f")]
    base = alt.Chart(data("bins", rows)).encode(x=x, color=colour, tooltip=tips)
    diagonal = alt.Chart(data("diagonal", [{"predicted": 0, "observed": 0}, {"predicted": 1, "observed": 1}]))
    right = diagonal.mark_line(strokeDash=[4, 4], color=COLOURS[0]).encode(x=x, y=y)
    spread = base.mark_rule().encode(y=alt.Y("low:Q", scale=whole, axis=axis, title="share that is right"), y2="high:Q")
    lines = base.mark_line(point=alt.OverlayMarkDef(size=50, filled=True)).encode(y=y)
    title = alt.Title("", subtitle=caption, orient="bottom", anchor="start")
    return alt.layer(right, spread, lines).properties(width=SIDE, height=SIDE, title=title)
