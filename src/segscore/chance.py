"""Chance-adjusted scores and tests in which chance is a random segmentation.

The adjusted Rand Index adjusts for random relabelling of the *points*, but segments are contiguous: a random contiguous
prediction has an adjusted Rand Index of 0.3 to 0.5 rather than 0. Here chance is a random segmentation, under one of
these null hypotheses:

=============  =======================================================================================================
``uniform``    the truth is fixed; the prediction has the same number of cuts, every set of gaps equally likely
``both``       both sides have the same numbers of cuts as given, every set of gaps equally likely
``bernoulli``  the truth is fixed; the prediction cuts each gap with probability p, see `bernoulli`
``shuffle``    the truth is fixed; the prediction has its own segments in a random order
=============  =======================================================================================================

In time (``duration=T``) there are no gaps. A random cut is uniform on (0, T):

=============  =======================================================================================================
``uniform``    the truth is fixed; the prediction has the same number of cuts, independent and uniform on (0, T)
``both``       both sides have the same numbers of cuts as given, independent and uniform on (0, T)
``poisson``    the truth is fixed; the prediction is a Poisson process, see `poisson`
``shuffle``    the truth is fixed; the prediction has its own segments in a random order
=============  =======================================================================================================

The values in time are the limits of those in points for an ever finer sampling, with ``poisson`` in place of
``bernoulli``. Which null hypothesis is right depends on the question. Each is misleading in some cases:
``docs/chance.md`` shows them.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

from . import _core, arguments, pairs
from .moments import (
    Moments,
    MomentsInTime,
    exact_chances,
    exact_chances_in_time,
    float_chances,
    float_chances_in_time,
)
from .segmentation import Cuts, Segmentation, both, refuse_labels
from .timestamps import counted, unit_beside

__all__ = [
    "RandTest",
    "bernoulli",
    "exact_rand_index_variance",
    "expected_rand_distance",
    "expected_rand_index",
    "order_adjusted_mutual_information",
    "order_adjusted_rand_index",
    "poisson",
    "rand_index_variance",
    "rand_test",
]

_NULLS = ("uniform", "both", "bernoulli", "shuffle")
_NULLS_IN_TIME = ("uniform", "both", "poisson", "shuffle")
_MOST_CUTS = 1e15  # mean number of cuts of a Poisson process; a fine grid stands for time


class bernoulli(NamedTuple):
    """Null hypothesis in which each gap is cut independently with probability p.

    The text ``"bernoulli"`` takes as p the share of gaps that the prediction cuts.

    >>> round(expected_rand_index([4, 8], 2, n=10, null=bernoulli(0.5)), 12)
    0.744401041667
    """

    p: float


class poisson(NamedTuple):
    """Null hypothesis in time in which cuts are a Poisson process with a rate.

    The rate is the mean number of cuts per unit of time. The text ``"poisson"`` takes as rate the number of
    predicted cuts divided by the duration.

    >>> round(expected_rand_index([4.0, 8.0], 2, duration=10, null=poisson(0.2)), 12)
    0.641310332652
    """

    rate: float


Null = str | bernoulli | poisson


def expected_rand_index(
    truth: Cuts, r: int, *, n: int | None = None, duration: float | None = None, null: Null = "uniform"
) -> float:
    """Mean Rand Index of a truth and random predictions with r cuts.

    In [0, 1], in closed form, O(s) for s true cuts. For ``bernoulli(p)`` and ``poisson(rate)`` the value of r does not
    matter; ``shuffle`` has no closed form. Where the value is near 1, use `expected_rand_distance`, which keeps the
    digits of 1 - value.

    >>> round(expected_rand_index([4, 8], 2, n=10), 12)
    0.704938271605
    >>> round(expected_rand_index([4, 8], 2, n=10, null="both"), 12)
    0.667283950617
    >>> round(expected_rand_index([4.0, 8.0], 2, duration=10), 12)
    0.696266666667
    """
    return 1 - expected_rand_distance(truth, r, n=n, duration=duration, null=null)


def expected_rand_distance(
    truth: Cuts, r: int, *, n: int | None = None, duration: float | None = None, null: Null = "uniform"
) -> float:
    """Mean Rand distance of a truth and random predictions with r cuts.

    The relative error is at most 1e-14.

    >>> round(expected_rand_distance([4, 8], 2, n=10), 12)
    0.295061728395
    >>> round(expected_rand_distance([4.0, 8.0], 2, duration=10), 12)
    0.303733333333
    """
    side = _side(truth, n, duration)
    expected = _expected(side, _number_of_cuts(r, side), null)
    total = pairs.pairs_among(side.n, side.duration)
    return expected / total if total else 0.0


def rand_index_variance(truth: Cuts, r: int, *, n: int | None = None, duration: float | None = None) -> float:
    """Variance of the Rand Index of a truth and random predictions with r cuts.

    O(s + D**2) for D distinct lengths of true segments. The variance is a difference of squares, with a relative error
    of about 1e-15 * mean**2 / variance. It is nan if few digits are left (very many cuts, and n above 1000 or, in time,
    more than 200 cuts of either side); ``docs/chance.md`` shows measured errors. The distribution is skewed, so do not
    derive a p-value from a normal distribution: use `rand_test`.

    >>> round(rand_index_variance([4, 8], 2, n=10), 12)
    0.012115531169
    """
    side = _side(truth, n, duration)
    cuts = _number_of_cuts(r, side)
    if _is_certain(side, cuts):
        return 0.0
    mean = _core.expected_disagreement(side._cuts, side.length, cuts) / float(pairs.pairs_among(side.n, side.duration))
    if side.duration is None:
        moments, is_small = Moments(float_chances(side.n, cuts), math.fsum), side.n <= 1000
        variance = float(moments.variance(side.segments, side.n)) / float(pairs.pairs_among(side.n, None)) ** 2
    else:
        moments, is_small = MomentsInTime(float_chances_in_time(cuts), math.fsum), cuts + len(side) <= 200
        shares = [(start / side.duration, end / side.duration) for start, end in side.segments]
        variance = 4 * float(moments.variance(shares, 1.0))
    # The variance is a difference of squares, which has no correct digits if it is this small beside the squared mean.
    if variance > 1e-10 * mean**2:
        return variance
    return float(exact_rand_index_variance(side, cuts)) if is_small else math.nan


def exact_rand_index_variance(truth: Cuts, r: int, *, n: int | None = None, duration: float | None = None) -> Fraction:
    """Exact variance of the Rand Index of a truth and random predictions, as a fraction.

    `rand_index_variance` for r cuts, without rounding. It takes seconds for hundreds of cuts.

    >>> exact_rand_index_variance([4, 8], 2, n=10)
    Fraction(7949, 656100)
    >>> exact_rand_index_variance([2.5], 1, duration=10)
    Fraction(1, 45)
    """
    side = _side(truth, n, duration)
    cuts = _number_of_cuts(r, side)
    if _is_certain(side, cuts):
        return Fraction(0)
    if side.duration is None:
        total = int(pairs.pairs_among(side.n, None))
        return Fraction(Moments(exact_chances(side.n, cuts), sum).variance(side.segments, side.n)) / total**2
    whole = Fraction(side.duration)
    shares = [(Fraction(start) / whole, Fraction(end) / whole) for start, end in side.segments]
    return 4 * Fraction(MomentsInTime(exact_chances_in_time(cuts), sum).variance(shares, Fraction(1)))


def order_adjusted_rand_index(
    truth: Cuts, pred: Cuts, *, n: int | None = None, duration: float | None = None, null: Null = "uniform"
) -> float:
    """Rand Index adjusted for chance under random placement of the predicted cuts.

    (RI - E) / (1 - E) = 1 - d / E[d], at most 1, best 1, O(r + s) with a factor of up to 128 for logarithms. E is the
    mean over predictions with the same number of cuts, all equally likely (or over another ``null``). The value is 1 if
    the two are identical. Not symmetric, because only the prediction is random. A cut near an end beats most random
    cuts: see ``docs/chance.md``.

    >>> round(order_adjusted_rand_index([4, 8], [3, 8], n=10), 12)
    0.47280334728
    >>> order_adjusted_rand_index([500], [250], n=1000) < 0 < 0.2 < pairs.adjusted_rand_index([500], [250], n=1000)
    True

    Reference: this library; after Gates & Ahn, "The impact of random models on clustering similarity" (2017).
    """
    if null == "uniform":
        return _core.order_adjusted_rand_index(truth, pred, n, duration)
    left, right = _both(truth, pred, n, duration)
    expected = _expected(left, len(right.cuts), null)
    counts = pairs.pair_counts(left, right)
    disagreement = counts.truth_only + counts.pred_only
    if disagreement == 0:
        return 1.0
    return 1 - disagreement / expected if expected else -math.inf


def order_adjusted_mutual_information(
    truth: Cuts, pred: Cuts, *, n: int | None = None, duration: float | None = None
) -> float:
    """Mutual information adjusted for chance under random placement of the predicted cuts.

    (MI - E) / (average entropy - E), at most 1, best 1, where E is the mean over predictions with the same number of
    cuts, all equally likely. The value is 1 if the two are identical; otherwise it is 0 if the average and E are equal.
    Not symmetric. O(n) at worst, and O(n / r) for many cuts; more than 2**32 steps are refused. In time E is the sum
    over true segments of a (b / 1 + b**2 / 2 + ... + b**r / r - (b + b**2 + ... + b**r) / (r + 1)), where a is the
    share of the segment and b = 1 - a, in O(r s) at worst.

    >>> round(order_adjusted_mutual_information([4, 8], [3, 8], n=10), 6)
    0.485297
    >>> round(order_adjusted_mutual_information([4.0, 8.0], [3.5, 8.0], duration=10), 6)
    0.723201

    Reference: this library; after Vinh, Epps & Bailey (2010).
    """
    return _core.order_adjusted_mutual_information(truth, pred, n, duration)


class RandTest(NamedTuple):
    """Result of a test of a score against random segmentations."""

    p_value: float  # (k + 1) / (draws + 1), where k draws score at least as well
    score: float
    expected: float  # mean under the null hypothesis, in closed form or else over the draws
    null: Null
    draws: int
    metric: str

    def __repr__(self) -> str:
        return (
            f"RandTest(p_value={self.p_value:.4g}, {self.metric}={self.score:.4f}, expected={self.expected:.4f}, "
            f"null={self.null!r}, draws={self.draws})"
        )


def rand_test(
    truth: Cuts,
    pred: Cuts,
    *,
    n: int | None = None,
    duration: float | None = None,
    null: Null = "uniform",
    draws: int = 9999,
    seed: int | None = None,
    metric: str = "rand_index",
    margin: float | None = None,
) -> RandTest:
    """Test whether a score is better than the scores of random segmentations.

    ``p_value`` is (k + 1) / (draws + 1), where k of the random segmentations score at least as well. It is a valid
    p-value for any number of draws, and uses no normal approximation. ``metric`` is any metric of the catalog; a score
    is better if it is nearer to the best value. Draws whose score is nan count as at least as good; if the score itself
    is nan, so is the p-value. The same ``seed`` gives the same draws on every machine; without a seed the draws differ
    from call to call.

    >>> rand_test([100, 200, 300], [105, 200, 290], n=400, seed=1)
    RandTest(p_value=0.0005, rand_index=0.9640, expected=0.7402, null='uniform', draws=9999)
    >>> rand_test([10.5, 20.0, 30.25], [10.0, 20.5, 29.0], duration=40, seed=1, metric="f1(margin=1.5)").p_value
    0.0026
    """
    from .catalog import chosen_metrics, parsed, plan_of

    left, right = _both(truth, pred, n, duration)
    (metric,) = chosen_metrics([metric], margin is not None, left.duration is not None)
    chosen, _ = parsed(metric)
    count = arguments.integer(draws, "draws", least=1, most=10**9)
    number, p = numbered(null, len(right.cuts), left.length)
    plan = plan_of((metric,), counted(margin, "margin", left, right), None, unit_beside(left, right))
    sides = left._cuts, right._cuts, left.length
    score, drawn = _core.drawn_scores(plan, *sides, number, p, count, arguments.seed(seed))
    if math.isnan(score):
        return RandTest(math.nan, score, math.nan, null, count, metric)
    more_is_better = chosen.best > chosen.low
    worse = sum(value < score for value in drawn) if more_is_better else sum(value > score for value in drawn)
    if metric in ("rand_index", "rand_distance") and null != "shuffle":
        expected = expected_rand_distance(left, len(right.cuts), null=null)
        expected = 1 - expected if metric == "rand_index" else expected
    else:
        values = [value for value in drawn if not math.isnan(value)]
        expected = math.fsum(values) / len(values) if values else math.nan
    return RandTest((count - worse + 1) / (count + 1), score, expected, null, count, metric)


def _side(cuts: Cuts, n: int | None, duration: float | None) -> Segmentation:
    refuse_labels("chance", cuts)
    return Segmentation(cuts, n=n, duration=duration)


def _both(truth: Cuts, pred: Cuts, n: int | None, duration: float | None) -> tuple[Segmentation, Segmentation]:
    refuse_labels("chance", truth, pred)
    return both(truth, pred, n, duration)


def _number_of_cuts(r: int, side: Segmentation) -> int:
    return arguments.integer(r, "r", least=0, most=max(0, side.n - 1) if side.duration is None else 2**63 - 1)


def _is_certain(side: Segmentation, cuts: int) -> bool:
    """Return whether there is only one prediction with so many cuts."""
    return cuts == 0 or (side.duration is None and (side.n < 2 or cuts == side.n - 1))


def numbered(null: Null, r: int, length: float) -> tuple[int, float]:
    """Return the core's number of a null hypothesis, and the probability of a cut in each gap.

    An int is a number of points, a float a duration. In time the second number is the mean number of cuts.
    """
    in_time = isinstance(length, float)
    names, own = (_NULLS_IN_TIME, "poisson(rate)") if in_time else (_NULLS, "bernoulli(p)")
    expected = f"expected one of {', '.join(names)}, or {own}"
    if null == "bernoulli" or isinstance(null, bernoulli):
        if in_time:
            raise ValueError(f"null = {null!r} cuts gaps between points; in time {expected}")
        if isinstance(null, str):
            return 2, r / (length - 1) if length > 1 else 0.0
        if isinstance(null.p, str) or not hasattr(null.p, "__float__"):
            raise TypeError(f"p = {null.p!r:.40} is {type(null.p).__name__}; expected a probability")
        if not 0 <= null.p <= 1:
            raise ValueError(f"p = {null.p} is not a probability; expected 0 <= p <= 1")
        return 2, float(null.p)
    if null == "poisson" or isinstance(null, poisson):
        if not in_time:
            raise ValueError(f"null = {null!r} is a process in time; in points {expected}")
        if isinstance(null, str):
            return 2, float(r)
        if isinstance(null.rate, str) or not hasattr(null.rate, "__float__"):
            raise TypeError(f"rate = {null.rate!r:.40} is {type(null.rate).__name__}; expected a number")
        if not 0 <= null.rate * length <= _MOST_CUTS:
            raise ValueError(f"rate = {null.rate} is out of range; expected 0 <= rate * duration <= {_MOST_CUTS:g}")
        return 2, float(null.rate) * length
    if null not in names:
        raise ValueError(f"null = {null!r:.40} is unknown; {expected}")
    return names.index(null), 0.0


def _expected(truth: Segmentation, r: int, null: Null) -> float:
    """Return the mean number of pairs of points on which a random prediction disagrees, or in time their mean area."""
    number, p = numbered(null, r, truth.length)
    if _NULLS[number] == "shuffle":
        raise ValueError("null = 'shuffle' has no closed form; expected another null (rand_test accepts 'shuffle')")
    if _NULLS[number] == "both":
        return _core.expected_disagreement_of_both(truth.length, r, len(truth.cuts))
    if _NULLS[number] == "bernoulli":
        return _core.expected_disagreement_of_random_cuts(truth._cuts, truth.length, p)
    return _core.expected_disagreement(truth._cuts, truth.length, r)
