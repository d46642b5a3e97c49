"""Intervals of means over series, and means that do not depend on the order of their values."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from .flips import NEAR, Units, needed, units_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

__all__ = ["ROUGH", "Interval", "interval", "intervals", "mean_of"]

DRAWS = 4_999  # of the bootstrap
AT_ONCE = 10**7  # most units drawn at once, which bounds the memory
LEAST = needed(1)  # units (series or groups) that an interval needs, as a test does
UNBOUNDED = (-math.inf, math.inf)
ROUGH = 100  # units from which the coverage is close to 95 %, also of skewed values of which most are equal


class Interval(NamedTuple):
    """95 % interval of a mean."""

    low: float
    high: float
    rough: bool  # whether there are fewer than 100 units, so that fewer than 95 % of such intervals may hold the mean


def interval(
    values: ArrayLike, groups: Sequence[Hashable] | None = None, bounds: tuple[float, float] = UNBOUNDED
) -> Interval | None:
    """Return the 95 % interval of the mean of one value per series.

    See `intervals`.

    >>> interval([0.2, 0.4, 0.4, 0.5, 0.6])  # fewer than 6 series
    >>> interval([0.5] * 6)
    Interval(low=0.5, high=0.5, rough=True)
    """
    return intervals([values], groups, bounds)[0]


def intervals(
    rows: Iterable[ArrayLike], groups: Sequence[Hashable] | None = None, bounds: tuple[float, float] = UNBOUNDED
) -> list[Interval | None]:
    """Return the 95 % interval of the mean of each row of values, one value per series.

    The intervals are bootstrap-t intervals of 4,999 draws from a fixed seed. The unit that is drawn is the series or,
    if ``groups`` names the group of each series, the group. A row with fewer than 6 units or with an infinite value has
    no interval. An end beyond the ``bounds`` of the values is the bound; if so many values are equal that an end is
    infinite, there is no interval. If all values are equal, the interval is that value. The same values give the same
    interval, bit for bit, in any order of the series.

    Reference: Efron, "Nonparametric standard errors and confidence intervals" (1981).
    """
    import numpy as np

    found: list[Interval | None] = []
    for row in rows:
        values = np.asarray(row, dtype=float)
        units = units_of(values, groups) if np.isfinite(values).all() else None
        found.append(_bootstrapped(units, bounds) if units is not None and units.counts.size >= LEAST else None)
    return found


def mean_of(values: ArrayLike) -> float:
    """Return the correctly rounded mean, which is the same in any order; nan for no values."""
    import numpy as np

    numbers = np.asarray(values, dtype=float)
    if not np.isfinite(numbers).all() or not numbers.size:
        with np.errstate(invalid="ignore"):
            return float(numbers.mean()) if numbers.size else math.nan
    return math.fsum(numbers.tolist()) / numbers.size


def _bootstrapped(units: Units, bounds: tuple[float, float]) -> Interval | None:
    """Return the bootstrap-t interval: draws of units say how many standard errors a mean may be off."""
    import numpy as np

    sums, counts = units
    order = np.lexsort((counts, sums))  # the interval depends on the values alone
    sums, counts = sums[order], counts[order]
    mean, rough = math.fsum(sums.tolist()) / float(counts.sum()), counts.size < ROUGH
    apart = sums - mean * counts
    size = float(np.abs(apart).max())
    if size <= NEAR * float(np.abs(sums).max()):
        return Interval(mean, mean, rough)
    apart /= size  # squares of small numbers would be 0
    summed, done = np.empty((5, DRAWS)), 0
    while done < DRAWS:
        times = _times_drawn(counts.size, done, min(DRAWS - done, max(1, AT_ONCE // counts.size))).astype(float)
        for to, each in zip(summed, (counts, apart, apart**2, apart * counts, counts**2), strict=True):
            # A product of matrices would start threads, which wait for each other on a busy machine.
            np.einsum("u,du->d", each, times, out=to[done : done + len(times)])
        done += len(times)
    number, total, squares, products, weights = summed
    shift = total / number
    errors = np.sqrt(np.maximum(squares - 2 * shift * products + shift**2 * weights, 0)) / number
    errors[errors < 1e-9 / number] = 0  # all units of the draw are equal
    with np.errstate(divide="ignore", invalid="ignore"):
        distances = np.where(shift == 0, 0.0, shift / errors)
    high, low = np.quantile(distances, [0.025, 0.975], method="closest_observation").tolist()
    error = size * math.sqrt(float((apart**2).sum())) / float(counts.sum())
    ends = max(mean - low * error, bounds[0]), min(mean - high * error, bounds[1])
    return Interval(*ends, rough) if all(map(math.isfinite, ends)) else None


@lru_cache(maxsize=8)  # the methods of a report have the same number of units; 160 MB at most
def _times_drawn(size: int, start: int, count: int) -> NDArray[np.uint16]:
    """Return how often each unit is drawn in some of the draws, which depend on the number of units alone."""
    import numpy as np

    rng = np.random.default_rng([size, start] if start else size)
    found = np.empty((count, size), dtype=np.uint16)
    for draw in found:
        draw[:] = np.bincount(rng.integers(0, size, size), minlength=size)
    return found
