"""The information family: how much information the two segmentations share.

A random point lies in one segment of the truth and in one segment of the prediction. H(truth) and H(pred) are the
entropies of these two random segments, in nats. H(truth | pred) is large if the prediction merges true segments,
H(pred | truth) is large if the prediction splits true segments. MI = H(truth) - H(truth | pred) is the mutual
information. `segscore.scores.pairs` explains the arguments. All functions are O(r+s) unless said otherwise.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from .. import _core
from ..segmentation.segmentation import Cuts

__all__ = [
    "Entropies",
    "adjusted_mutual_information",
    "completeness",
    "entropies",
    "homogeneity",
    "mutual_information",
    "normalized_information_distance",
    "normalized_mutual_information",
    "v_measure",
    "variation_of_information",
]


class Entropies(NamedTuple):
    """Entropies of two segmentations: of each, joint, and conditional.

    The two conditional entropies add up to `variation_of_information`.
    """

    truth: float
    pred: float
    joint: float
    truth_given_pred: float  # under-segmentation: what the prediction merged
    pred_given_truth: float  # over-segmentation: what the prediction split


def entropies(
    truth: Cuts, pred: Cuts, *, n: int | None = None, duration: float | None = None, base: float = math.e
) -> Entropies:
    """Compute the entropies of two segmentations: of each, joint, and conditional.

    All are at least 0, in nats by default or in units of another ``base`` (2 for bits). A single segment has entropy 0.

    >>> e = entropies([3, 8], [4, 8], n=10)
    >>> round(e.truth, 6), round(e.pred, 6), round(e.pred_given_truth, 6)
    (1.029653, 1.05492, 0.250201)

    Reference: Shannon (1948).
    """
    return Entropies(*_core.information(truth, pred, n, duration, base))


def mutual_information(truth: Cuts, pred: Cuts, *, n: int | None = None, duration: float | None = None) -> float:
    """Information that the truth and the prediction share, in nats.

    MI = H(truth) - H(truth | pred), at least 0, at most the smaller entropy, symmetric, O(r+s). The value is 0 if
    either side is a single segment.

    >>> round(mutual_information([3, 8], [4, 8], n=10), 6)
    0.804719

    Reference: Shannon (1948).
    """
    return _core.mutual_information(truth, pred, n, duration)


def normalized_mutual_information(
    truth: Cuts, pred: Cuts, *, n: int | None = None, duration: float | None = None, average: str = "arithmetic"
) -> float:
    """Mutual information divided by an average of the two entropies.

    MI / average, where ``average`` is the arithmetic, geometric, min or max of H(truth) and H(pred), or their joint
    entropy. In [0, 1], best 1, symmetric, O(r+s). The value is 1 if both sides are a single segment, and 0 if only one
    side is.

    >>> round(normalized_mutual_information([3, 8], [4, 8], n=10), 6)
    0.772071
    >>> round(normalized_mutual_information([3, 8], [4, 8], n=10, average="joint"), 6)
    0.628758

    Reference: Vinh, Epps & Bailey (2010).
    """
    return _core.normalized_mutual_information(truth, pred, n, duration, average)


def adjusted_mutual_information(
    truth: Cuts, pred: Cuts, *, n: int | None = None, duration: float | None = None, average: str = "arithmetic"
) -> float:
    """Mutual information adjusted for chance under random relabelling of the points.

    (MI - E) / (average - E), where E is the mean over all permutations of the points, and ``average`` is as in
    `normalized_mutual_information`. At most 1, best 1, symmetric. The value is 1 if the two are identical; otherwise it
    is 0 if the average and E are equal.

    O(n sqrt n) at worst. Segments of equal length are grouped; for each distinct pair of lengths x and y, at most
    min(x, y) overlaps are summed, namely those with a probability above 1e-18. In time E is 0, the limit for an ever
    finer sampling, so that the value is that of `normalized_mutual_information`.

    >>> round(adjusted_mutual_information([3, 8], [4, 8], n=10), 6)
    0.687277

    Reference: Vinh, Epps & Bailey (2010).
    """
    return _core.adjusted_mutual_information(truth, pred, n, duration, average)


def variation_of_information(
    truth: Cuts, pred: Cuts, *, n: int | None = None, duration: float | None = None, base: float = math.e
) -> float:
    """Sum of the conditional entropies of each segmentation given the other.

    H(truth | pred) + H(pred | truth), at least 0, at most log n, best 0, symmetric, a metric, O(r+s). In nats by
    default, or in units of another ``base`` (2 for bits). `entropies` gives the two terms.

    >>> round(variation_of_information([3, 8], [4, 8], n=10), 6)
    0.475135

    Reference: Meila (2007).
    """
    return _core.variation_of_information(truth, pred, n, duration, base)


def homogeneity(truth: Cuts, pred: Cuts, *, n: int | None = None, duration: float | None = None) -> float:
    """Share of the truth's entropy that the prediction explains.

    MI / H(truth), in [0, 1], best 1, O(r+s); swapping the arguments gives `completeness`. The value is 1 if every
    predicted segment lies within one true segment, and if the truth is a single segment.

    >>> round(homogeneity([3, 8], [4, 8], n=10), 6)
    0.781544

    Reference: Rosenberg & Hirschberg (2007).
    """
    return _core.homogeneity(truth, pred, n, duration)


def completeness(truth: Cuts, pred: Cuts, *, n: int | None = None, duration: float | None = None) -> float:
    """Share of the prediction's entropy that the truth explains.

    MI / H(pred), in [0, 1], best 1, O(r+s); swapping the arguments gives `homogeneity`. The value is 1 if every true
    segment lies within one predicted segment, and if the prediction is a single segment.

    >>> round(completeness([3, 8], [4, 8], n=10), 6)
    0.762825

    Reference: Rosenberg & Hirschberg (2007).
    """
    return _core.completeness(truth, pred, n, duration)


def v_measure(
    truth: Cuts, pred: Cuts, *, n: int | None = None, duration: float | None = None, beta: float = 1.0
) -> float:
    """Weighted harmonic mean of `homogeneity` and `completeness`.

    (1 + beta) h c / (beta h + c), in [0, 1], best 1, symmetric for beta = 1, O(r+s). The value is 0 if both h and c are
    0.

    >>> round(v_measure([3, 8], [4, 8], n=10), 6)
    0.772071

    Reference: Rosenberg & Hirschberg (2007).
    """
    return _core.v_measure(truth, pred, n, duration, beta)


def normalized_information_distance(
    truth: Cuts, pred: Cuts, *, n: int | None = None, duration: float | None = None
) -> float:
    """Share of the larger entropy that the two segmentations do not share.

    1 - MI / max(H(truth), H(pred)), in [0, 1], best 0, symmetric, a metric, O(r+s). The value is 0 if both sides are a
    single segment.

    >>> round(normalized_information_distance([3, 8], [4, 8], n=10), 6)
    0.237175

    Reference: Vinh, Epps & Bailey (2010).
    """
    return _core.normalized_information_distance(truth, pred, n, duration)
