"""Axes along a series: points, times in a unit, or dates."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from ..optional import altair as alt
from ..segmentation.segmentation import Segmentation

__all__ = ["POINTS", "Axis", "axis_of"]


UNITS = {"W": "weeks", "D": "days", "h": "hours", "m": "minutes", "s": "seconds", "ms": "milliseconds"}
UNITS |= {"us": "microseconds", "ns": "nanoseconds"}


class Axis(NamedTuple):
    """How the places of a series are drawn.

    Dates are drawn in UTC, as milliseconds since 1970.
    """

    title: str
    unit: str | None = None  # unit of lengths along the axis; None for points
    origin: float = 0
    step: float = 1  # milliseconds of a point, for dates
    has_dates: bool = False

    def at(self, place: float) -> float:
        """Return a place as the number that the chart draws."""
        return self.origin + place * self.step if self.has_dates else place

    def across(self, field: str, *, title: str | None = "", **scale: Any) -> alt.X:  # noqa: ANN401
        """Return the horizontal axis for a field; by default with the title of the axis."""
        kind: dict[str, Any] = {"type": "utc"} if self.has_dates else {}
        own = self.title if title == "" else title
        return alt.X(self.of(field), title=own, scale=alt.Scale(nice=False, **kind, **scale))

    def up(self, field: str, title: str) -> alt.Y:
        """Return the vertical axis for a field."""
        kind: dict[str, Any] = {"type": "utc"} if self.has_dates else {}
        return alt.Y(self.of(field), title=title, scale=alt.Scale(nice=False, **kind))

    def of(self, field: str) -> str:
        """Return a field with its type, as Altair writes it."""
        return f"{field}:{'T' if self.has_dates else 'Q'}"

    def tip(self, field: str, title: str) -> alt.Tooltip:
        """Return the tip for a field."""
        tip = alt.Tooltip(self.of(field), title=title)
        return tip.format("%Y-%m-%d %H:%M:%S.%L").formatType("utc") if self.has_dates else tip


POINTS = Axis("point")


def axis_of(sides: Iterable[Segmentation], unit: str) -> Axis:
    """Return the axis of segmentations of one length; ``unit`` is the unit of times that are numbers."""
    import numpy as np

    for side in sides:
        if side.start is not None:
            own: Any = np.datetime_data(side.start.dtype)[0]
            step = float(np.timedelta64(1, own) / np.timedelta64(1, "ms"))
            since = float((side.start - np.datetime64(0, "s")) / np.timedelta64(1, "ms"))
            return Axis("time" if side.zone is None else "time (UTC)", UNITS[own], since, step, has_dates=True)
        if side.duration is not None:
            return Axis(f"time ({unit})", unit)
    return POINTS
