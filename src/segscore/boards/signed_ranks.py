"""Signed ranks of paired differences, with ties, and their test."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from .flips import NEAR, flipped, units_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

__all__ = ["SignedRanks", "rank_test", "signed_ranks"]

EXACT_MOST = 200  # largest number of non-zero differences whose distribution is computed exactly


class SignedRanks(NamedTuple):
    """Signs and ranks of paired differences."""

    wins: int  # positive differences
    ties: int  # differences of 0, which have no rank
    losses: int
    positive: float  # sum of the ranks of the positive differences
    negative: float

    @property
    def effect(self) -> float:
        """Matched-pairs rank-biserial correlation, in [-1, 1]; 0 if all differences are 0."""
        total = self.positive + self.negative
        return (self.positive - self.negative) / total if total else 0.0


def signed_ranks(differences: ArrayLike) -> SignedRanks:
    """Count the signs of paired differences, and add the ranks of their sizes.

    Differences of 0 are dropped, and differences of equal size share the mean of their ranks. Infinite differences are
    larger than all finite ones. nan is an error of the caller.
    """
    doubled = _doubled_signed_ranks(differences)
    wins, losses = int((doubled > 0).sum()), int((doubled < 0).sum())
    positive, negative = int(doubled[doubled > 0].sum()), -int(doubled[doubled < 0].sum())
    return SignedRanks(wins, doubled.size - wins - losses, losses, positive / 2, negative / 2)


def rank_test(differences: ArrayLike, groups: Sequence[Hashable] | None = None) -> float:
    """Return the two-sided p of the signed-rank test of paired differences, by series or by groups.

    A group contributes the sum of the signed ranks of its series. Up to 200 differences, p is exact, also with ties:
    twice the probability of a rank sum at most as large as the smaller of the two, over all signs of the units. Above,
    p comes from random sign flips.

    >>> rank_test([0.1, 0.2, 0.1, 0.3, 0.2, 0.4, 0, 0])  # six wins and two ties
    0.03125
    """
    import numpy as np

    doubled = _doubled_signed_ranks(differences)
    units = units_of(doubled.astype(float), groups)
    if np.count_nonzero(doubled) > EXACT_MOST:
        return flipped(units.sums[None, :], units.counts)[0].p
    sizes = np.abs(units.sums).astype(np.int64)
    return _exact(sizes, int(sizes.sum() - abs(int(units.sums.sum()))) // 2)


def _doubled_signed_ranks(differences: ArrayLike) -> NDArray[np.int64]:
    """Return twice the rank of each difference with its sign, which is an integer also for ties."""
    import numpy as np

    values = np.asarray(differences, dtype=float)
    doubled = np.zeros(values.size, dtype=np.int64)
    doubled[values != 0] = _doubled_ranks(np.abs(values[values != 0]))
    return np.where(values < 0, -doubled, doubled)


def _doubled_ranks(sizes: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return twice the rank of each size, which is an integer also for ties."""
    import numpy as np

    order = np.argsort(sizes, kind="stable")
    ascending = sizes[order]
    largest = ascending[np.isfinite(ascending)].max(initial=0)
    with np.errstate(invalid="ignore"):  # between two infinities there is no step
        steps = ascending[1:] - ascending[:-1] > NEAR * largest
    starts = np.flatnonzero(np.concatenate([[True], steps])) if sizes.size else np.empty(0, dtype=np.int64)
    counts = np.diff(np.append(starts, sizes.size))
    doubled = np.empty(sizes.size, dtype=np.int64)
    doubled[order] = np.repeat(2 * starts + counts + 1, counts)
    return doubled


def _exact(doubled: NDArray[np.int64], smaller: int) -> float:
    """Return the two-sided p of a rank sum: each rank is positive or negative with probability 1/2."""
    import numpy as np

    chances = np.zeros(int(doubled.sum()) + 1)
    chances[0], reached = 1.0, 0
    for rank in sorted(doubled.tolist()):
        before = chances[: reached + 1] / 2
        chances[: reached + 1] = before
        chances[rank : reached + rank + 1] += before
        reached += rank
    return min(1.0, 2 * float(chances[: smaller + 1].sum()))
