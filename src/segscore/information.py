"""The information family: how much one segmentation tells about the other.

A point drawn at random lies in some segment of the truth and in some segment of the prediction. H(truth) and H(pred)
are the entropies of these two, in nats; H(truth | pred) is what the prediction leaves open about the truth (it merged
segments), H(pred | truth) what it claims beyond it (it split segments), and MI = H(truth) - H(truth | pred) what they
share. Arguments are those of `segscore.pairs`; all is O(r+s) unless said otherwise.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from . import _core
from .segmentation import Cuts

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
    """The entropies of two segmentations. The two conditional ones are the halves of `variation_of_information`."""

    truth: float
    pred: float
    joint: float
    truth_given_pred: float  # under-segmentation: what the prediction merged
    pred_given_truth: float  # over-segmentation: what the prediction split


def entropies(
    truth: Cuts, pred: Cuts, *, n: int | None = None, duration: float | None = None, base: float = math.e
) -> Entropies:
    """Return the entropies of both, of both together, and of each given the other.

    All at least 0, in nats, or in units of another base (2: bits). One segment has entropy 0.

    >>> e = entropies([3, 8], [4, 8], n=10)
    >>> round(e.truth, 6), round(e.pred, 6), round(e.pred_given_truth, 6)
    (1.029653, 1.05492, 0.250201)

    Reference: Shannon (1948).
    """
    return Entropies(*_core.information(truth, pred, n, duration, base))


def mutual_information(truth: Cuts, pred: Cuts, *, n: int | None = None, duration: float | None = None) -> float:
    """Return how much the prediction tells about the truth, in nats.

    MI = H(truth) - H(truth | pred), at least 0, at most the smaller entropy, symmetric, O(r+s). It is 0 if either side
    is one segment.

    >>> round(mutual_information([3, 8], [4, 8], n=10), 6)
    0.804719

    Reference: Shannon (1948).
    """
    return _core.mutual_information(truth, pred, n, duration)


def normalized_mutual_information(
    truth: Cuts, pred: Cuts, *, n: int | None = None, duration: float | None = None, average: str = "arithmetic"
) -> float:
    """Return the mutual information as a share of the entropies.

    MI / average, where average is the arithmetic, geometric, min or max of H(truth) and H(pred), or their joint
    entropy. In [0, 1], best 1, symmetric, O(r+s). It is 1 if both are one segment, 0 if one of them is.

    >>> round(normalized_mutual_information([3, 8], [4, 8], n=10), 6)
    0.772071
    >>> round(normalized_mutual_information([3, 8], [4, 8], n=10, average="joint"), 6)
    0.628758

    Reference: Vinh, Epps & Bailey (2010).
    """
    return _core.normalized_mutual_information(truth, pred, n, duration, average)


def adjusted_mutual_information(truth: Cuts, pred: Cuts, *, n: int | None = None, average: str = "arithmetic") -> float:
    """Return the mutual information, moved so that shuffling the points scores 0 on average.

    (MI - E) / (average - E), with E the mean over all shuffles of the points; averages as in
    `normalized_mutual_information`. At most 1, best 1, symmetric. It is 1 if the two are identical, else 0
    where average and E are equal. Not O(r+s): equal
    lengths are grouped, and of each distinct pair of lengths x, y the overlaps with a chance above 1e-18 are summed, at
    most min(x, y); in all O(n sqrt n) at worst.

    >>> round(adjusted_mutual_information([3, 8], [4, 8], n=10), 6)
    0.687277

    Reference: Vinh, Epps & Bailey (2010).
    """
    return _core.adjusted_mutual_information(truth, pred, n, None, average)


def variation_of_information(
    truth: Cuts, pred: Cuts, *, n: int | None = None, duration: float | None = None, base: float = math.e
) -> float:
    """Return what the two do not share: the information that each has beyond the other.

    H(truth | pred) + H(pred | truth), its two halves (`entropies` gives them); at least 0, at most log n, best 0,
    symmetric, a metric, O(r+s). In nats, or in units of another base (2: bits).

    >>> round(variation_of_information([3, 8], [4, 8], n=10), 6)
    0.475135

    Reference: Meila (2007).
    """
    return _core.variation_of_information(truth, pred, n, duration, base)


def homogeneity(truth: Cuts, pred: Cuts, *, n: int | None = None, duration: float | None = None) -> float:
    """Return how far each predicted segment lies within one true segment.

    MI / H(truth), in [0, 1], best 1, O(r+s); swapping the arguments gives `completeness`. It is 1 if the truth is one
    segment.

    >>> round(homogeneity([3, 8], [4, 8], n=10), 6)
    0.781544

    Reference: Rosenberg & Hirschberg (2007).
    """
    return _core.homogeneity(truth, pred, n, duration)


def completeness(truth: Cuts, pred: Cuts, *, n: int | None = None, duration: float | None = None) -> float:
    """Return how far each true segment lies within one predicted segment.

    MI / H(pred), in [0, 1], best 1, O(r+s); swapping the arguments gives `homogeneity`. It is 1 if the prediction is
    one segment.

    >>> round(completeness([3, 8], [4, 8], n=10), 6)
    0.762825

    Reference: Rosenberg & Hirschberg (2007).
    """
    return _core.completeness(truth, pred, n, duration)


def v_measure(
    truth: Cuts, pred: Cuts, *, n: int | None = None, duration: float | None = None, beta: float = 1.0
) -> float:
    """Return the weighted harmonic mean of `homogeneity` and `completeness`.

    (1 + beta) h c / (beta h + c), in [0, 1], best 1, symmetric for beta = 1, O(r+s). It is 0 if both are 0.

    >>> round(v_measure([3, 8], [4, 8], n=10), 6)
    0.772071

    Reference: Rosenberg & Hirschberg (2007).
    """
    return _core.v_measure(truth, pred, n, duration, beta)


def normalized_information_distance(
    truth: Cuts, pred: Cuts, *, n: int | None = None, duration: float | None = None
) -> float:
    """Return the share of the larger entropy that the two do not have in common.

    1 - MI / max(H(truth), H(pred)), in [0, 1], best 0, symmetric, a metric, O(r+s). It is 0 if both are one segment.

    >>> round(normalized_information_distance([3, 8], [4, 8], n=10), 6)
    0.237175

    Reference: Vinh, Epps & Bailey (2010).
    """
    return _core.normalized_information_distance(truth, pred, n, duration)
