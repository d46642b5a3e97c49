"""Tables of runs with timestamps as tables of runs in points, for charts and for the page."""

from __future__ import annotations

from collections.abc import Collection
from fractions import Fraction
from typing import Any, NamedTuple

from ..optional import polars as pl
from ..segmentation.lengths_of_time import LengthOfTime, in_units
from ..segmentation.timestamps import SECONDS
from .options import Options, lengths_in
from .times import counted_times

__all__ = ["Measure", "in_dates", "measured", "usual_margin"]

NAMES = {"D": "days", "h": "hours", "m": "minutes", "s": "seconds", "ms": "milliseconds", "us": "microseconds"}
NAMES |= {"ns": "nanoseconds"}
SHARE = 200  # the usual margin is at most the span of a series divided by this
ROUND = [Fraction(size) * SECONDS[unit] for unit in ("ns", "us", "ms") for size in (1, 2, 5, 10, 20, 50, 100, 200, 500)]
ROUND += [Fraction(x) for x in (1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21600, 43200, 86400, 604800)]


class Measure(NamedTuple):
    """How timestamps were counted."""

    unit: str
    zone: str | None

    def shown_in(self, length: LengthOfTime) -> tuple[str, float]:
        """Return the unit in which lengths of this order are read, and the number of these units per count."""
        fit = (unit for unit in NAMES if length.seconds >= SECONDS[unit])
        unit = next(fit, "s" if not length.seconds else "ns")
        return NAMES[unit], float(SECONDS[self.unit] / SECONDS[unit])

    def units(self, length: Any, name: str) -> int:  # noqa: ANN401
        """Return a length of time as a number of units."""
        return in_units(length, name, self.unit)


def in_dates(columns: Collection[str]) -> bool:
    """Return whether the cuts of a table of results are timestamps, by its columns."""
    return lengths_in(columns) == ("start", "end")


def measured(table: pl.DataFrame) -> tuple[pl.DataFrame, Measure | None]:
    """Return a Polars DataFrame of runs with cuts as integers, n and ``_start``, and how its timestamps were counted.

    Rows that cannot be read lose their truth, and predictions that are not segmentations are dropped. A table without
    timestamps stays as it is.
    """
    if not in_dates(table.columns) or not {"truth", "pred"} <= set(table.columns):
        return table, None
    names = ["truth", "pred", "start", "end"]
    found = counted_times(table.select(names).to_arrow(), Options.of_results(names, metrics=["count_error"]))
    counts = pl.DataFrame(found.table)
    made = table.with_columns(counts["truth"], counts["pred"], counts["n"], pl.Series("_start", found.starts))
    return made, Measure(found.unit, found.zone)


def usual_margin(table: pl.DataFrame) -> LengthOfTime:
    """Return the largest round length of time, at most 1/200 of the median span of the rows, or else one unit."""
    counts, measure = measured(table)
    span: Any = counts["n"].median() if measure is not None else None
    if measure is None or span is None:
        return LengthOfTime(Fraction(1))
    one = SECONDS[measure.unit]
    whole = (size for size in ROUND if size <= Fraction(span) * one / SHARE and size % one == 0)
    return LengthOfTime(max(whole, default=one))
