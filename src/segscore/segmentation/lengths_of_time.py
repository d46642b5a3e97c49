"""Lengths of time, such as a margin of 5 minutes, and how they become numbers of a unit of timestamps."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import timedelta
from fractions import Fraction
from typing import Any

from .timestamps import FINER, SECONDS, unit_beside

__all__ = ["LengthOfTime", "counted", "in_units", "is_length_of_time", "no_length_of_time"]

# How lengths of time are written: the largest unit of which a length is a whole number.
WRITTEN = {"d": "D", "h": "h", "min": "m", "s": "s", "ms": "ms", "us": "us", "ns": "ns"}
LENGTH = re.compile(rf"([0-9]+(?:\.[0-9]+)?)({'|'.join(WRITTEN)})")


@dataclass(frozen=True, repr=False)
class LengthOfTime:
    """A length of time, exact, that is written as a number and a unit, as 5min.

    >>> LengthOfTime.of(timedelta(hours=1.5)), LengthOfTime.read("0.25s")
    (90min, 250ms)
    """

    seconds: Fraction

    @classmethod
    def of(cls, value: Any, name: str = "margin") -> LengthOfTime:  # noqa: ANN401
        """Return a timedelta of Python, NumPy or pandas as a length of time."""
        if isinstance(value, LengthOfTime):
            return value
        count, unit = _counted_in(value, name)
        return cls(count * SECONDS[unit])

    @classmethod
    def read(cls, text: str) -> LengthOfTime | None:
        """Return a length of time that is written as 5min, or None for another text."""
        found = LENGTH.fullmatch(text)
        return None if found is None else cls(Fraction(found[1]) * SECONDS[WRITTEN[found[2]]])

    def total_seconds(self) -> float:
        """Return the seconds, as a timedelta does."""
        return float(self.seconds)

    def __str__(self) -> str:
        whole = (f"{self.seconds / SECONDS[unit]}{name}" for name, unit in WRITTEN.items())
        return next((text for text in whole if "/" not in text), f"{float(self.seconds)}s") if self.seconds else "0s"

    def __repr__(self) -> str:
        return str(self)

    def __format__(self, form: str) -> str:
        return str(self)


_LENGTHS = (timedelta, LengthOfTime)


def is_length_of_time(value: object) -> bool:
    """Whether a value is a timedelta of Python, NumPy or pandas, or a `LengthOfTime`."""
    return isinstance(value, _LENGTHS) or type(value).__name__ == "timedelta64"


def no_length_of_time(value: Any, name: str) -> TypeError:  # noqa: ANN401
    """Return the error for another value than a length of time beside timestamps."""
    kind = "a number" if hasattr(value, "__float__") else f"of type {type(value).__name__}"
    return TypeError(
        f"{name} = {value!r:.60} is {kind}, but the cuts are timestamps; expected a length of time: "
        "timedelta(minutes=5), 5min inside the text of a metric and on the command line"
    )


def counted(value: Any, name: str, *sides: Any) -> Any:  # noqa: ANN401
    """Return a length of time as the number of units of the timestamps beside it; return other values unchanged.

    >>> from datetime import date
    >>> from segscore import Segmentation
    >>> day = Segmentation.from_timestamps([], date(2024, 1, 1), date(2024, 1, 2), unit="s")
    >>> counted(timedelta(minutes=5), "margin", day), counted(5, "margin", day)
    (300, 5)
    """
    return in_units(value, name, unit_beside(*sides)) if is_length_of_time(value) else value


def in_units(value: Any, name: str, unit: str | None) -> int:  # noqa: ANN401
    """Return a length of time as a number of units; without a unit, the cuts are not timestamps."""
    if unit is None:
        raise TypeError(
            f"{name} = {value!r:.60} is a length of time, but the cuts are not timestamps; "
            "expected a number in the unit of the cuts (or Segmentation.from_timestamps)"
        )
    units = LengthOfTime.of(value, name).seconds / SECONDS[unit]
    if units.denominator != 1:
        is_own = isinstance(value, LengthOfTime)
        own = WRITTEN[re.sub("[0-9.]", "", str(value))] if is_own else _counted_in(value, name)[1]
        raise ValueError(
            f"{name} = {value!r:.60} is not a whole number of {unit}, the unit of the timestamps; "
            f"expected a multiple of it (or timestamps with unit={own!r})"
        )
    return int(units)


def _counted_in(value: Any, name: str) -> tuple[int, str]:  # noqa: ANN401
    """Return a timedelta as a number of a unit, and the unit."""
    import numpy as np

    if isinstance(value, timedelta) and not hasattr(value, "to_timedelta64"):
        return value // timedelta(microseconds=1), "us"
    exact = value.to_timedelta64() if hasattr(value, "to_timedelta64") else value  # a Timedelta of pandas
    base, step = np.datetime_data(exact.dtype)
    if base in FINER:
        raise ValueError(f"{name} = {value!r:.60} has the unit {base}; expected ns or a coarser unit")
    if base not in SECONDS or np.isnat(exact):
        raise ValueError(f"{name} = {value!r:.60} has no fixed length; expected weeks, days, hours or shorter units")
    return int(exact.astype(np.int64)) * step, base
