"""Bootstrap intervals of means over series."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from functools import lru_cache
from statistics import NormalDist
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

__all__ = ["DRAWS", "LEAST", "ROUGH", "Interval", "interval", "intervals", "mean_of"]

DRAWS = 9_999  # of the bootstrap
LEAST = 10  # units (series or groups) that an interval needs
ROUGH = 20  # units from which the coverage is close to 95 %


class Interval(NamedTuple):
    """95 % interval of a mean."""

    low: float
    high: float
    rough: bool  # whether there are fewer than 20 units, so that fewer than 95 % of such intervals hold the mean


def interval(values: ArrayLike, groups: Sequence[Hashable] | None = None, seed: int = 0) -> Interval | None:
    """Return the 95 % BCa bootstrap interval of the mean of one value per series.

    See `intervals`.

    >>> interval([0.2, 0.4, 0.4, 0.5, 0.6, 0.6, 0.7, 0.8, 0.9])  # fewer than 10 series
    >>> interval([0.5] * 20)
    Interval(low=0.5, high=0.5, rough=False)
    """
    return intervals([values], groups, seed)[0]


def intervals(
    rows: Iterable[ArrayLike], groups: Sequence[Hashable] | None = None, seed: int = 0, least: int = LEAST
) -> list[Interval | None]:
    """Return the 95 % interval of the mean of each row of values, one value per series.

    The intervals are bootstrap intervals, bias-corrected and accelerated (BCa), of 9,999 draws. The unit that is drawn
    is the series or, if ``groups`` names the group of each series, the group. A row with fewer than 10 units
    (``least``) or with an infinite value has no interval. If all values are equal, the interval is that value.

    The same values, groups and seed give the same interval, bit for bit, in any order of the series.

    Reference: Efron, "Better bootstrap confidence intervals" (1987).
    """
    import numpy as np

    given = [np.asarray(row, dtype=float) for row in rows]
    units = [_units(row, groups) for row in given]
    kept = [k for k, (sums, _) in enumerate(units) if sums.size >= least and np.isfinite(given[k]).all()]
    found: list[Interval | None] = [None] * len(given)
    for size in {units[k][0].size for k in kept}:
        own = [k for k in kept if units[k][0].size == size]
        for k, means in zip(own, _draw_means([units[k] for k in own], seed), strict=True):
            found[k] = _bca(*units[k], means)
    return found


def mean_of(values: ArrayLike) -> float:
    """Return the correctly rounded mean, which is the same in any order; nan for no values."""
    import numpy as np

    numbers = np.asarray(values, dtype=float)
    if not np.isfinite(numbers).all() or not numbers.size:
        with np.errstate(invalid="ignore"):
            return float(numbers.mean()) if numbers.size else math.nan
    return math.fsum(numbers.tolist()) / numbers.size


def _units(
    values: NDArray[np.float64], groups: Sequence[Hashable] | None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the sum and the number of the values of each unit, in an order that depends on the values alone."""
    import numpy as np

    if groups is None:
        return np.sort(values), np.ones(values.size)
    members: dict[Hashable, list[float]] = {}
    for group, value in zip(groups, values.tolist(), strict=True):
        members.setdefault(group, []).append(value)
    with np.errstate(invalid="ignore"):
        totals = sorted((math.fsum(own) if np.isfinite(own).all() else math.nan, len(own)) for own in members.values())
    return np.array([total for total, _ in totals]), np.array([float(count) for _, count in totals])


def _draw_means(units: list[tuple[NDArray[np.float64], NDArray[np.float64]]], seed: int) -> NDArray[np.float64]:
    """Return the mean of each row in each draw; all rows have the same number of units.

    The sums are rounded to integers so small that their weighted sums are exact. So the order of the additions, the
    number of rows and the machine do not change a bit. einsum is used in place of a product of matrices because that
    product starts threads, which wait for each other on a busy machine.
    """
    import numpy as np

    sums, counts = (np.array(each) for each in zip(*units, strict=True))
    size = sums.shape[1]
    exponents = np.frexp(np.abs(sums).max(axis=1))[1] + size.bit_length() - 52
    integers = np.rint(np.ldexp(sums, -exponents[:, None]))
    weights = counts[:1] if (counts == counts[0]).all() else counts
    means = np.empty((len(units), DRAWS))
    done = 0
    while done < DRAWS:
        times = _draw_counts(size, done, seed).astype(float)
        part = slice(done, done + len(times))
        totals, numbers = (np.einsum("ru,du->rd", each, times) for each in (integers, weights))
        means[:, part] = np.ldexp(totals, exponents[:, None]) / numbers
        done += len(times)
    return means


@lru_cache(maxsize=64)  # the leaderboards of a report have the same number of series
def _draw_counts(size: int, done: int, seed: int) -> NDArray[np.uint8]:
    """Return how often each unit is drawn in each of the next draws, at most a million numbers."""
    import numpy as np

    count = min(max(1, 10**6 // size), DRAWS - done)
    places = np.random.default_rng([seed, done]).integers(0, size, (count, size)) + size * np.arange(count)[:, None]
    return np.bincount(places.ravel(), minlength=count * size).reshape(count, size).astype(np.uint8)


def _bca(sums: NDArray[np.float64], counts: NDArray[np.float64], means: NDArray[np.float64]) -> Interval:
    """Return the bias-corrected and accelerated interval from the means of the draws."""
    import numpy as np

    normal, rough = NormalDist(), sums.size < ROUGH
    total, number = math.fsum(sums.tolist()), float(counts.sum())
    mean = total / number
    without = (total - sums) / (number - counts)  # jackknife
    apart = without.mean() - without
    near = 1e-12 * max(abs(mean), float(np.abs(without).max()))  # below this, differences are rounding
    if np.abs(apart).max() <= near:
        return Interval(mean, mean, rough)
    apart /= np.abs(apart).max()  # powers of small numbers would be 0
    acceleration = float((apart**3).sum() / (6 * (apart**2).sum() ** 1.5))
    share = float(((means < mean - near).mean() + (means <= mean + near).mean()) / 2)  # draws equal to it count half
    bias = normal.inv_cdf(min(max(share, 0.5 / DRAWS), 1 - 0.5 / DRAWS))
    ends = (bias + normal.inv_cdf(0.025), bias + normal.inv_cdf(0.975))
    low, high = np.quantile(means, [normal.cdf(bias + end / (1 - acceleration * end)) for end in ends]).tolist()
    return Interval(low, high, rough)
