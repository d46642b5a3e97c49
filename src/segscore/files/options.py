"""Options of reading: which segmentations, how long they are, and what happens to gaps and overlaps."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..arguments import exclusive, flag, integer
from ..segmentation.segmentation import Segmentation
from .lengths import lengths_by_name

__all__ = ["ReadOptions"]


@dataclass(frozen=True)
class ReadOptions:
    """The options of `segscore.read`, checked."""

    series: str | None = None
    tier: str | None = None
    n: int | Mapping[str, int] | None = None
    duration: float | Mapping[str, float] | None = None
    sizes: str | os.PathLike[str] | None = None
    ends: bool = False
    unit: float | None = None
    gap_label: str | None = None
    overlap_label: str | None = None
    tolerance: float | None = None
    clip: bool = False
    like: Segmentation | None = None
    listed: dict[str, float] = field(default_factory=dict, init=False)  # the lengths of the sizes file

    def __post_init__(self) -> None:
        given = {f"{name}=": getattr(self, name) is not None for name in ("n", "duration", "sizes", "like")}
        exclusive(given | {"ends=True": flag(self.ends, "ends")})
        for name in ("series", "tier", "gap_label", "overlap_label"):
            value = getattr(self, name)
            if value is not None and not isinstance(value, str):
                raise TypeError(f"{name} = {value!r:.40} is a {type(value).__name__}; expected text")
        flag(self.clip, "clip")
        if self.like is not None:
            if not isinstance(self.like, Segmentation):
                kind = type(self.like).__name__
                raise TypeError(f"like = {self.like!r:.40} is a {kind}; expected a Segmentation (the truth)")
            object.__setattr__(self, "clip", True)
            object.__setattr__(self, "n", self.like.n)
            object.__setattr__(self, "duration", self.like.duration)
        if self.unit is not None:
            object.__setattr__(self, "unit", _finite_option(self.unit, "unit", positive=True))
        if self.tolerance is not None:
            object.__setattr__(self, "tolerance", _finite_option(self.tolerance, "tolerance", positive=False))
        if self.n is not None and not isinstance(self.n, Mapping):
            integer(self.n, "n", least=0)
        if self.duration is not None and not isinstance(self.duration, Mapping):
            object.__setattr__(self, "duration", _finite_option(self.duration, "duration", positive=False))
        if self.sizes is not None:
            self.listed.update(lengths_by_name(Path(self.sizes)))

    @property
    def is_timed(self) -> bool:
        """Whether the numbers of a file that may hold points or times are times."""
        return self.duration is not None or self.unit is not None

    def length(self, series: str, where: str) -> tuple[float | None, bool]:
        """Return the length that the options give for a series, and whether this length is in seconds.

        ``n=`` and ``sizes=`` are in the unit of the file, ``duration=`` is in seconds.
        """
        given: Any = self.n if self.duration is None else self.duration
        name = "n" if self.duration is None else "duration"
        if self.sizes is not None:
            given, name = self.listed, "sizes"
        if not isinstance(given, Mapping):
            return given, name == "duration"
        if series not in given:
            raise ValueError(f"{where}: {name}= has no length for the series {series!r:.60}; expected one per series")
        value = given[series]
        if name == "n":
            return integer(value, f"n[{series!r:.60}]", least=0), False
        length = _finite_option(value, f"{name}[{series!r:.60}]", positive=False)
        return (length, True) if name == "duration" else (value, False)


def _finite_option(value: Any, name: str, *, positive: bool) -> float:  # noqa: ANN401
    """Return an option as a finite number of at least 0, or raise."""
    expected = "a positive number" if positive else "a number of at least 0"
    if isinstance(value, bool | str | bytes) or not hasattr(value, "__float__"):
        raise TypeError(f"{name} = {value!r:.40} is a {type(value).__name__}; expected {expected}")
    try:
        number = float(value)
    except (OverflowError, TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number) or number < 0 or (positive and number == 0):
        raise ValueError(f"{name} = {value!r:.40} is out of range; expected {expected}")
    return number
