"""Tests of paired differences: exact and Bayesian signed-rank tests, Holm's correction."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

__all__ = ["LEVEL", "NEAR", "Probabilities", "SignedRanks", "holm", "needed", "probabilities", "signed_ranks"]

LEVEL = 0.05  # significance level of all tests
EXACT_MOST = 200  # largest number of non-zero differences whose distribution is computed exactly
POSTERIOR_DRAWS = 50_000  # of the posterior distribution
PRIOR = 0.5  # weight of the prior observation, a difference of 0
NEAR = 1e-12  # sizes that differ by less, relative to the largest size, differ by rounding


class SignedRanks(NamedTuple):
    """Result of a signed-rank test of paired differences."""

    wins: int  # positive differences
    ties: int  # differences of 0, which the test drops
    losses: int
    positive: float  # sum of the ranks of the positive differences
    negative: float
    p: float  # two-sided

    @property
    def effect(self) -> float:
        """Matched-pairs rank-biserial correlation, in [-1, 1]; 0 if all differences are 0."""
        total = self.positive + self.negative
        return (self.positive - self.negative) / total if total else 0.0


class Probabilities(NamedTuple):
    """Posterior probabilities of negative, practically zero and positive differences."""

    worse: float
    same: float
    better: float


def signed_ranks(differences: ArrayLike) -> SignedRanks:
    """Test whether paired differences are symmetric around 0, exactly also with ties.

    Differences of 0 are dropped, and differences of equal size share the mean of their ranks. Up to 200 differences,
    p is exact: twice the probability of a rank sum at most as large as the smaller of the two, over all signs. Above,
    p comes from the normal distribution with the variance of the tied ranks. Infinite differences are larger than all
    finite ones. nan is an error of the caller.

    >>> signed_ranks([0.1, 0.2, 0.1, 0.3, 0.2, 0.4, 0, 0]).p  # six wins and two ties
    0.03125
    """
    import numpy as np

    values = np.asarray(differences, dtype=float)
    used = values[values != 0]
    doubled = _doubled_ranks(np.abs(used))
    positive, negative = int(doubled[used > 0].sum()), int(doubled[used < 0].sum())
    if used.size > EXACT_MOST:
        apart = abs(positive - negative) / math.sqrt(2 * int((doubled**2).sum()))
        p = math.erfc(apart)
    else:
        p = _exact(doubled, min(positive, negative))
    wins, losses = int((used > 0).sum()), int((used < 0).sum())
    return SignedRanks(wins, values.size - wins - losses, losses, positive / 2, negative / 2, p)


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


def needed(comparisons: int) -> int:
    """Return the smallest number of non-zero differences with which a test can reach 5 %.

    The smallest p of n differences is 2^(1 - n), and Holm's method multiplies the smallest p by the number of tests.

    >>> [needed(k * (k - 1) // 2) for k in (2, 3, 5, 10, 20)]  # all pairs of k methods
    [6, 7, 9, 11, 13]
    """
    least = 1
    while comparisons * 2.0 ** (1 - least) >= LEVEL:
        least += 1
    return least


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values corrected for their number by Holm's method.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    corrected, largest = [0.0] * len(p_values), 0.0
    for done, k in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        largest = max(largest, min(1.0, (len(p_values) - done) * p_values[k]))
        corrected[k] = largest
    return corrected


def probabilities(differences: ArrayLike, rope: float, seed: int = 0) -> Probabilities:
    """Return the posterior probabilities of the Bayesian signed-rank test.

    The differences and one prior difference of 0 with weight 0.5 get random weights from a Dirichlet distribution. A
    draw of weights decides for "better" if most of the weight is on pairs of differences whose mean exceeds ``rope``,
    the region of practical equivalence, for "worse" if most is on pairs whose mean is below ``-rope``, and otherwise
    for "same". The probabilities are shares of 50,000 draws.

    Reference: Benavoli et al., "Time for a change: a tutorial for comparing multiple classifiers through Bayesian
    analysis" (2017).
    """
    import numpy as np

    values = np.sort(np.asarray(differences, dtype=float))
    largest = 4 * (1 + rope + np.abs(values[np.isfinite(values)]).max(initial=0))
    values = np.clip(values, -largest, largest)  # an infinite difference outweighs every finite one
    prior = int(np.searchsorted(values, 0))
    values = np.insert(values, prior, 0.0)
    below = np.searchsorted(values, -2 * rope - values, side="left")  # number of partners with a sum below -2 rope
    above = np.searchsorted(values, 2 * rope - values, side="right")  # number of partners with no sum above 2 rope
    rng = np.random.default_rng([seed, 2])
    at_once = max(1, 10**6 // values.size)
    decided = np.zeros(3, dtype=np.int64)
    for start in range(0, POSTERIOR_DRAWS, at_once):
        count = min(at_once, POSTERIOR_DRAWS - start)
        weights = rng.standard_exponential((count, values.size))
        weights[:, prior] = rng.standard_gamma(PRIOR, count)
        weights /= weights.sum(axis=1, keepdims=True)
        sums = np.zeros((count, values.size + 1))
        np.cumsum(weights, axis=1, out=sums[:, 1:])
        worse = np.einsum("ij,ij->i", weights, sums[:, below])
        better = np.einsum("ij,ij->i", weights, sums[:, -1:] - sums[:, above])
        decided += np.bincount(np.argmax([worse, 1 - worse - better, better], axis=0), minlength=3)
    return Probabilities(*(decided / POSTERIOR_DRAWS).tolist())
