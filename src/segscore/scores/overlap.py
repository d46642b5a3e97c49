"""The overlap family: how well each segment agrees with the best segment of the other side.

In the formulas, a is the length of a true segment, b the length of a predicted segment and c the length of their
overlap; c / (a + b - c) is their intersection over union. `segscore.scores.pairs` explains the arguments. All functions
are O(r+s), and an empty sequence scores 1.
"""

from __future__ import annotations

from .. import _core
from ..segmentation.segmentation import Cuts

__all__ = [
    "b_cubed_f1",
    "b_cubed_precision",
    "b_cubed_recall",
    "coverage",
    "covering",
    "mean_iou",
    "purity",
    "purity_coverage_f1",
]


def covering(
    truth: Cuts, pred: Cuts, *, n: int | None = None, duration: float | None = None, symmetric: bool = False
) -> float:
    """Mean of the best intersection over union of each true segment, weighted by length.

    (1/n) sum over true segments of a * max c / (a + b - c), in [0, 1], best 1, O(r+s). Not symmetric, because the sum
    runs over the true segments; with ``symmetric=True`` the score is the mean of both directions.

    >>> round(covering([4, 8], [3, 8], n=10), 12)
    0.82
    >>> round(covering([4, 8], [3, 8], n=10, symmetric=True), 12)
    0.8225

    Reference: Arbelaez et al. (2011); for change points van den Burg & Williams (2020).
    """
    return _core.covering(truth, pred, n, duration, symmetric)


def mean_iou(truth: Cuts, pred: Cuts, *, n: int | None = None, duration: float | None = None) -> float:
    """Mean of the best intersection over union of each true segment, all weighted equally.

    (1/S) sum over the S true segments of max c / (a + b - c), in [0, 1], best 1, O(r+s). Not symmetric.

    >>> round(mean_iou([4, 8], [3, 8], n=10), 12)
    0.85

    Reference: Everingham et al. (2010).
    """
    return _core.mean_iou(truth, pred, n, duration)


def purity(truth: Cuts, pred: Cuts, *, n: int | None = None, duration: float | None = None) -> float:
    """Share of points that belong to the dominant true segment of their predicted segment.

    (1/n) sum over predicted segments of max c, in [0, 1], best 1, O(r+s). Splitting a predicted segment never lowers
    the purity. Swapping the arguments gives `coverage`.

    >>> purity([4, 8], [3, 8], n=10)
    0.9

    Reference: Bredin (2017), pyannote.metrics.
    """
    return _core.purity(truth, pred, n, duration)


def coverage(truth: Cuts, pred: Cuts, *, n: int | None = None, duration: float | None = None) -> float:
    """Share of points that belong to the dominant predicted segment of their true segment.

    (1/n) sum over true segments of max c, in [0, 1], best 1, O(r+s). Merging predicted segments never lowers the
    coverage. Swapping the arguments gives `purity`.

    >>> coverage([4, 8], [3, 8], n=10)
    0.9

    Reference: Bredin (2017), pyannote.metrics.
    """
    return _core.coverage(truth, pred, n, duration)


def purity_coverage_f1(truth: Cuts, pred: Cuts, *, n: int | None = None, duration: float | None = None) -> float:
    """Harmonic mean of `purity` and `coverage`.

    In [0, 1], best 1, symmetric, O(r+s).

    >>> purity_coverage_f1([4, 8], [3, 8], n=10)
    0.9

    Reference: Bredin (2017), pyannote.metrics.
    """
    return _core.purity_coverage_f1(truth, pred, n, duration)


def b_cubed_precision(truth: Cuts, pred: Cuts, *, n: int | None = None, duration: float | None = None) -> float:
    """Mean over points of the share of their predicted segment that is in their true segment.

    (1/n) sum over overlaps of c * c / b, in [0, 1], best 1, O(r+s); swapping the arguments gives `b_cubed_recall`.

    >>> round(b_cubed_precision([4, 8], [3, 8], n=10), 12)
    0.84

    Reference: Bagga & Baldwin (1998).
    """
    return _core.b_cubed_precision(truth, pred, n, duration)


def b_cubed_recall(truth: Cuts, pred: Cuts, *, n: int | None = None, duration: float | None = None) -> float:
    """Mean over points of the share of their true segment that is in their predicted segment.

    (1/n) sum over overlaps of c * c / a, in [0, 1], best 1, O(r+s); swapping the arguments gives `b_cubed_precision`.

    >>> round(b_cubed_recall([4, 8], [3, 8], n=10), 12)
    0.85

    Reference: Bagga & Baldwin (1998).
    """
    return _core.b_cubed_recall(truth, pred, n, duration)


def b_cubed_f1(truth: Cuts, pred: Cuts, *, n: int | None = None, duration: float | None = None) -> float:
    """Harmonic mean of `b_cubed_precision` and `b_cubed_recall`.

    In [0, 1], best 1, symmetric, O(r+s).

    >>> round(b_cubed_f1([4, 8], [3, 8], n=10), 6)
    0.84497

    Reference: Bagga & Baldwin (1998).
    """
    return _core.b_cubed_f1(truth, pred, n, duration)
