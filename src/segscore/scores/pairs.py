"""The pair family: scores from pairs of points that both sides treat alike or differently.

A segmentation keeps a pair *together* if both points are in one segment; otherwise it splits the pair. The pairs are
counted as

=============  ==============================
``both``       together in both
``truth_only`` together only in the truth
``pred_only``  together only in the prediction
``neither``    split in both
=============  ==============================

In the formulas, P = ``both + pred_only`` is the number of pairs together in the prediction, Q = ``both + truth_only``
the number together in the truth, T = n(n-1)/2 the number of all pairs, and d = ``truth_only + pred_only`` the
disagreement. Every function is O(r+s) in time and O(1) in memory. With ``n=`` the counts are exact for every n < 2**63,
and the score is rounded once, at the end. ``docs/paper.md`` explains the algorithm.

All functions share these arguments:

truth, pred
    Two segmentations of the same points: interior cuts in any sequence, array, column or iterator of integers, or
    a `Segmentation`.
n
    The number of points. A `Segmentation` has its own length. For lists that end with n, as in ruptures, use
    ``Segmentation.from_ends(...)``: the length is never guessed.
duration
    Replaces n for real-valued cuts in (0, duration). Pairs of moments are then measured as areas rather than counted.
    Each of the four areas has a relative error of at most 4e-16 (areas below 1e-300 of the squared duration count as
    0), and each score has an absolute error of at most 2e-15.
"""

from __future__ import annotations

from typing import NamedTuple

from .. import _core
from .._core import rand_distance as _rand_distance
from .._core import rand_index as _rand_index
from ..segmentation.segmentation import Cuts
from ..segmentation.sides import known_lengths

__all__ = [
    "PairCounts",
    "adapted_rand_error",
    "adjusted_rand_index",
    "blanc",
    "fowlkes_mallows_index",
    "jaccard_index",
    "mirkin_distance",
    "modified_adjusted_rand_index",
    "normalized_mirkin_distance",
    "pair_counts",
    "pair_f1",
    "pair_precision",
    "pair_recall",
    "rand_distance",
    "rand_index",
]


class PairCounts(NamedTuple):
    """Pairs of points kept together by both segmentations, by one of them, or by neither.

    The numbers are exact integers, or areas with ``duration=``.
    """

    both: int | float
    truth_only: int | float
    pred_only: int | float
    neither: int | float


def rand_index(truth: Cuts, pred: Cuts, *, n: int | None = None, duration: float | None = None) -> float:
    """Share of pairs of points that both segmentations treat alike.

    (T - d) / T, in [0, 1], best 1, symmetric, O(r+s). The value is 1 for n < 2. The value is 0 only if one side is a
    single segment and the other side cuts every gap.

    >>> rand_index([3, 8], [4, 8], n=10)
    0.8444444444444444
    >>> rand_index([2.5, 7.0], [3.0, 7.25], duration=10.0)
    0.90125

    References: Rand (1971); Prates, "A more efficient algorithm to compute the Rand Index for change-point problems".
    """
    return _rand_index(truth, pred, n, duration)


def rand_distance(truth: Cuts, pred: Cuts, *, n: int | None = None, duration: float | None = None) -> float:
    """Share of pairs of points that the two segmentations treat differently.

    d / T, in [0, 1], best 0, symmetric, a metric, O(r+s). The value is 0 for n < 2. It is computed by a division of its
    own, because 1 - rand_index would lose digits where the segmentations nearly agree.

    >>> rand_distance([3, 8], [4, 8], n=10)
    0.15555555555555556

    Reference: Rand (1971); ruptures calls it hamming.
    """
    return _rand_distance(truth, pred, n, duration)


def pair_counts(truth: Cuts, pred: Cuts, *, n: int | None = None, duration: float | None = None) -> PairCounts:
    """Count the pairs of points kept together by both segmentations, by one, or by neither.

    The counts are integers of any size that add up to n(n-1)/2; all are 0 for n < 2. With ``duration=`` they are areas
    that add up to duration**2 / 2. O(r+s).

    >>> pair_counts([3, 8], [4, 8], n=10)
    PairCounts(both=10, truth_only=4, pred_only=3, neither=28)

    Reference: Hubert & Arabie (1985). scikit-learn's pair_confusion_matrix holds twice these numbers.
    """
    return PairCounts(*_core.pair_counts(truth, pred, n, duration))


def mirkin_distance(truth: Cuts, pred: Cuts, *, n: int | None = None, duration: float | None = None) -> int | float:
    """Number of ordered pairs of points that the two segmentations treat differently.

    2 d, an exact integer (an area with ``duration=``), at least 0, best 0, symmetric, a metric, O(r+s). The value is 0
    for n < 2.

    >>> mirkin_distance([3, 8], [4, 8], n=10)
    14

    Reference: Mirkin (1996).
    """
    if known_lengths(n, duration, (truth, pred))[1] is not None:
        return _core.mirkin_distance(truth, pred, n, duration)
    counts = pair_counts(truth, pred, n=n)
    return 2 * (counts.truth_only + counts.pred_only)


def normalized_mirkin_distance(
    truth: Cuts, pred: Cuts, *, n: int | None = None, duration: float | None = None
) -> float:
    """Mirkin distance divided by the square of the length.

    2 d / n**2, the probability that two points drawn with replacement are treated differently; in [0, 1), best 0,
    symmetric, a metric, O(r+s). The value is 0 for n = 0.

    >>> normalized_mirkin_distance([3, 8], [4, 8], n=10)
    0.14

    Reference: Mirkin (1996).
    """
    return _core.normalized_mirkin_distance(truth, pred, n, duration)


def pair_precision(truth: Cuts, pred: Cuts, *, n: int | None = None, duration: float | None = None) -> float:
    """Share of pairs together in the prediction that are also together in the truth.

    both / P, in [0, 1], best 1, O(r+s); swapping the arguments gives `pair_recall`. If the prediction keeps no pair
    together, the value is 1 if the truth keeps none together either, else 0. Also known as Wallace's index from
    prediction to truth.

    >>> pair_precision([3, 8], [4, 8], n=10)
    0.7692307692307693

    Reference: Wallace (1983).
    """
    return _core.pair_precision(truth, pred, n, duration)


def pair_recall(truth: Cuts, pred: Cuts, *, n: int | None = None, duration: float | None = None) -> float:
    """Share of pairs together in the truth that are also together in the prediction.

    both / Q, in [0, 1], best 1, O(r+s); swapping the arguments gives `pair_precision`. If the truth keeps no pair
    together, the value is 1 if the prediction keeps none together either, else 0.

    >>> pair_recall([3, 8], [4, 8], n=10)
    0.7142857142857143

    Reference: Wallace (1983).
    """
    return _core.pair_recall(truth, pred, n, duration)


def pair_f1(truth: Cuts, pred: Cuts, *, n: int | None = None, duration: float | None = None) -> float:
    """Harmonic mean of `pair_precision` and `pair_recall`.

    2 both / (P + Q), in [0, 1], best 1, symmetric, O(r+s). The value is 1 if neither side keeps any pair together.

    >>> pair_f1([3, 8], [4, 8], n=10)
    0.7407407407407407

    Reference: Dice (1945).
    """
    return _core.pair_f1(truth, pred, n, duration)


def adapted_rand_error(truth: Cuts, pred: Cuts, *, n: int | None = None, duration: float | None = None) -> float:
    """Adapted Rand error, used to rank segmentations of neurons: 1 - `pair_f1`.

    d / (P + Q), computed by a division of its own, in [0, 1], best 0, symmetric, O(r+s). The value is 0 if neither side
    keeps any pair together. scikit-image leaves out label 0 unless called with ``ignore_labels=()``.

    >>> adapted_rand_error([3, 8], [4, 8], n=10)
    0.25925925925925924

    Reference: Arganda-Carreras et al., "Crowdsourcing the creation of image segmentation algorithms for connectomics"
    (2015).
    """
    return _core.adapted_rand_error(truth, pred, n, duration)


def blanc(truth: Cuts, pred: Cuts, *, n: int | None = None, duration: float | None = None) -> float:
    """Mean of the F1 of pairs kept together and the F1 of pairs kept apart (BLANC).

    (2 both / (2 both + d) + 2 neither / (2 neither + d)) / 2, in [0, 1], best 1, symmetric, O(r+s). Most pairs are
    apart in both segmentations; here they have no more weight than the pairs together. A term is left out if neither
    side has pairs of its kind. The value is 1 for n < 2.

    >>> blanc([3, 8], [4, 8], n=10)
    0.8148148148148148

    Reference: Recasens & Hovy, "BLANC: implementing the Rand index for coreference evaluation" (2011); Luo et al.
    (2014).
    """
    return _core.blanc(truth, pred, n, duration)


def jaccard_index(truth: Cuts, pred: Cuts, *, n: int | None = None, duration: float | None = None) -> float:
    """Pairs together in both segmentations, divided by pairs together in at least one.

    both / (both + d), in [0, 1], best 1, symmetric, O(r+s). The value is 1 if neither side keeps any pair together.

    >>> jaccard_index([3, 8], [4, 8], n=10)
    0.5882352941176471

    Reference: Jaccard (1912); on pairs, Hubert & Arabie (1985).
    """
    return _core.jaccard_index(truth, pred, n, duration)


def fowlkes_mallows_index(truth: Cuts, pred: Cuts, *, n: int | None = None, duration: float | None = None) -> float:
    """Geometric mean of `pair_precision` and `pair_recall`.

    both / sqrt(P Q), in [0, 1], best 1, symmetric, O(r+s). The value is 0 if no pair is together in both. As an
    exception it is 1 if neither side keeps any pair together, because the two are then identical (scikit-learn returns
    0).

    >>> fowlkes_mallows_index([3, 8], [4, 8], n=10)
    0.7412493166611012

    Reference: Fowlkes & Mallows (1983).
    """
    return _core.fowlkes_mallows_index(truth, pred, n, duration)


def adjusted_rand_index(truth: Cuts, pred: Cuts, *, n: int | None = None, duration: float | None = None) -> float:
    """Rand Index adjusted for chance under random relabelling of the points.

    2 (both neither - truth_only pred_only) / (P (T - Q) + Q (T - P)), at most 1, best 1, symmetric, O(r+s). The value
    is 1 if the two are identical. A random *contiguous* prediction scores well above 0: see ``docs/paper.md``.

    >>> adjusted_rand_index([3, 8], [4, 8], n=10)
    0.6298472385428907

    Reference: Hubert & Arabie (1985).
    """
    return _core.adjusted_rand_index(truth, pred, n, duration)


def modified_adjusted_rand_index(
    truth: Cuts, pred: Cuts, *, n: int | None = None, duration: float | None = None
) -> float:
    """Rand Index adjusted for chance under a model with random segment sizes.

    (both - E) / ((P + Q) / 2 - E), where E estimates the number of pairs together in both from pairs of pairs on four
    distinct points. At most 1, best 1, symmetric, O(r+s). The value is nan for n < 4, and if neither side keeps any
    pair together. In continuous time it equals `adjusted_rand_index`.

    >>> modified_adjusted_rand_index([3, 8], [4, 8], n=10)
    0.631578947368421

    Reference: Sundqvist, Chiquet & Rigaill, "Adjusting the adjusted Rand Index" (2020).
    """
    return _core.modified_adjusted_rand_index(truth, pred, n, duration)
