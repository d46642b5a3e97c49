"""The chance family: expected scores of random segmentations, and scores that are adjusted for them.

The adjusted Rand Index adjusts for random relabelling of the *points*, but segments are contiguous: a random contiguous
prediction has an adjusted Rand Index of 0.3 to 0.5 rather than 0. Here chance is a random segmentation, under one of
the null hypotheses of `segscore.scores.nulls`. Which null hypothesis is right depends on the question. Each is
misleading in some cases: ``docs/chance.md`` shows them.
"""

from __future__ import annotations

import math
from fractions import Fraction

from .. import _core, arguments
from ..segmentation.segmentation import Cuts, Segmentation
from ..segmentation.sides import both, pairs_among, refuse_labels
from .nulls import NULLS, Null, numbered
from .pairs import pair_counts
from .rand_variance import (
    Moments,
    MomentsInTime,
    exact_chances,
    exact_chances_in_time,
    float_chances,
    float_chances_in_time,
)

__all__ = [
    "exact_rand_index_variance",
    "expected_f1",
    "expected_rand_distance",
    "expected_rand_index",
    "order_adjusted_f1",
    "order_adjusted_mutual_information",
    "order_adjusted_rand_index",
    "rand_index_variance",
]


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
    total = pairs_among(side.n, side.duration)
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
    mean = _core.expected_disagreement(side._cuts, side.length, cuts) / float(pairs_among(side.n, side.duration))
    if side.duration is None:
        moments, is_small = Moments(float_chances(side.n, cuts), math.fsum), side.n <= 1000
        variance = float(moments.variance(side.segments, side.n)) / float(pairs_among(side.n, None)) ** 2
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
        total = int(pairs_among(side.n, None))
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
    >>> from segscore import adjusted_rand_index
    >>> order_adjusted_rand_index([500], [250], n=1000) < 0 < 0.2 < adjusted_rand_index([500], [250], n=1000)
    True

    Reference: this library; after Gates & Ahn, "The impact of random models on clustering similarity" (2017).
    """
    if null == "uniform":
        return _core.order_adjusted_rand_index(truth, pred, n, duration)
    refuse_labels("chance", truth, pred)
    left, right = both(truth, pred, n, duration)
    expected = _expected(left, len(right.cuts), null)
    counts = pair_counts(left, right)
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


def expected_f1(
    truth: Cuts,
    pred: Cuts,
    *,
    n: int | None = None,
    duration: float | None = None,
    margin: float | None = None,
    relative_margin: float | None = None,
    beta: float = 1.0,
) -> float:
    """Mean F1 of random predictions with as many cuts as the prediction.

    The mean of `f1` over all sets of as many cuts, all equally likely. Only the number of predicted cuts matters, not
    where the cuts are: ``range(1, 6)`` stands for any 5 cuts. In [0, 1]. The value is exact up to rounding: if w is the
    number of gaps within the margin of a true cut, random cuts miss all of them with probability
    C(n - 1 - w, r) / C(n - 1, r). Where such windows of several true cuts overlap, the random cuts are counted from
    window to window, which takes O(r**2 s**2) at worst, and O(s) otherwise; more than 2**32 steps are refused. Points
    only. If neither side has a cut, the value is 1; if only one side has cuts, it is 0.

    >>> round(expected_f1([30, 60], [31, 80], n=100, margin=5), 12)
    0.210884353741

    Reference: this library.
    """
    return _core.expected_f1(truth, pred, n, duration, margin, relative_margin, beta)


def order_adjusted_f1(
    truth: Cuts,
    pred: Cuts,
    *,
    n: int | None = None,
    duration: float | None = None,
    margin: float | None = None,
    relative_margin: float | None = None,
    beta: float = 1.0,
) -> float:
    """F1 adjusted for chance under random placement of the predicted cuts.

    (F1 - E) / (1 - E), at most 1, best 1, where E is `expected_f1`: the mean over all predictions with as many cuts.
    So the mean over these predictions is 0. The value is 1 if F1 is 1, even if every prediction has this F1; it is 0 if
    only one side has cuts. Not symmetric, because only the prediction is random. Costs as much as `expected_f1`. Points
    only. Evenly spaced cuts match more true cuts than random ones do, so their value is often above 0 without any
    skill: see ``docs/chance.md``.

    >>> round(order_adjusted_f1([30, 60], [31, 80], n=100, margin=5), 12)
    0.366379310345

    Reference: this library; after Hubert & Arabie, "Comparing partitions" (1985).
    """
    return _core.order_adjusted_f1(truth, pred, n, duration, margin, relative_margin, beta)


def _side(cuts: Cuts, n: int | None, duration: float | None) -> Segmentation:
    refuse_labels("chance", cuts)
    return Segmentation(cuts, n=n, duration=duration)


def _number_of_cuts(r: int, side: Segmentation) -> int:
    return arguments.integer(r, "r", least=0, most=max(0, side.n - 1) if side.duration is None else 2**63 - 1)


def _is_certain(side: Segmentation, cuts: int) -> bool:
    """Return whether exactly one prediction has this number of cuts."""
    return cuts == 0 or (side.duration is None and (side.n < 2 or cuts == side.n - 1))


def _expected(truth: Segmentation, r: int, null: Null) -> float:
    """Return the mean number of pairs of points on which a random prediction disagrees, or in time their mean area."""
    number, p = numbered(null, r, truth.length)
    if NULLS[number] == "shuffle":
        raise ValueError("null = 'shuffle' has no closed form; expected another null (rand_test accepts 'shuffle')")
    if NULLS[number] == "both":
        return _core.expected_disagreement_of_both(truth.length, r, len(truth.cuts))
    if NULLS[number] == "bernoulli":
        return _core.expected_disagreement_of_random_cuts(truth._cuts, truth.length, p)
    return _core.expected_disagreement(truth._cuts, truth.length, r)
