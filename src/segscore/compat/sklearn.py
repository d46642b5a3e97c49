"""sklearn.metrics: one label per point; all points with the same label are one cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..arguments import choice
from ..scores import information
from .contingency import Table

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = [
    "adjusted_mutual_info_score",
    "adjusted_rand_score",
    "completeness_score",
    "fowlkes_mallows_score",
    "homogeneity_completeness_v_measure",
    "homogeneity_score",
    "mutual_info_score",
    "normalized_mutual_info_score",
    "pair_confusion_matrix",
    "rand_score",
    "v_measure_score",
]


def pair_confusion_matrix(labels_true: ArrayLike, labels_pred: ArrayLike) -> NDArray[Any]:
    """Ordered pairs of points: [[apart, in pred only], [in truth only, in both]].

    >>> pair_confusion_matrix([0, 0, 1, 1], [0, 0, 1, 2]).tolist()
    [[8, 0], [2, 2]]
    """
    import numpy as np

    counts = Table.of_labels(labels_true, labels_pred).ordered_pairs()
    return np.array(counts, dtype=np.int64 if max(counts) < 2**63 else object).reshape(2, 2)


def rand_score(labels_true: ArrayLike, labels_pred: ArrayLike) -> float:
    """Rand Index.

    >>> rand_score([0, 0, 1, 1], [0, 0, 1, 2])
    0.8333333333333334
    """
    apart, pred_only, truth_only, both = Table.of_labels(labels_true, labels_pred).ordered_pairs()
    total = apart + pred_only + truth_only + both
    return (apart + both) / total if total else 1.0


def adjusted_rand_score(labels_true: ArrayLike, labels_pred: ArrayLike) -> float:
    """Adjusted Rand Index.

    >>> adjusted_rand_score([0, 0, 1, 1], [0, 0, 1, 2])
    0.5714285714285714
    """
    tn, fp, fn, tp = Table.of_labels(labels_true, labels_pred).ordered_pairs()
    if fn == 0 and fp == 0:
        return 1.0
    return 2.0 * (tp * tn - fn * fp) / ((tp + fn) * (fn + tn) + (tp + fp) * (fp + tn))


def fowlkes_mallows_score(labels_true: ArrayLike, labels_pred: ArrayLike) -> float:
    """Fowlkes-Mallows index; 0 if no pair is together in both, even for identical labels.

    >>> fowlkes_mallows_score([0, 0, 1, 1], [0, 0, 1, 2])
    0.7071067811865476
    """
    import math

    _, pred_only, truth_only, both = Table.of_labels(labels_true, labels_pred).ordered_pairs()
    return math.sqrt(both / (both + pred_only)) * math.sqrt(both / (both + truth_only)) if both else 0.0


def mutual_info_score(labels_true: ArrayLike, labels_pred: ArrayLike) -> float:
    """Mutual information, in nats.

    >>> mutual_info_score([0, 0, 1, 1], [0, 0, 1, 2])
    0.6931471805599452
    """
    return _mutual(Table.of_labels(labels_true, labels_pred))


def normalized_mutual_info_score(
    labels_true: ArrayLike, labels_pred: ArrayLike, *, average_method: str = "arithmetic"
) -> float:
    """Mutual information divided by an average of the entropies.

    >>> normalized_mutual_info_score([0, 0, 1, 1], [0, 0, 1, 2])
    0.7999999999999999
    """
    table = Table.of_labels(labels_true, labels_pred)
    average = _average(table, average_method)
    if table.truth.size < 2 and table.pred.size < 2:
        return 1.0
    mutual = _mutual(table)
    return mutual / average if mutual else 0.0


def adjusted_mutual_info_score(
    labels_true: ArrayLike, labels_pred: ArrayLike, *, average_method: str = "arithmetic"
) -> float:
    """Mutual information adjusted for chance, as in `segscore.adjusted_mutual_information`.

    The value of scikit-learn differs by up to 4e-13 on the published data, because its expected value is less exact.

    >>> round(adjusted_mutual_info_score([0, 0, 1, 1], [0, 0, 1, 2]), 12)
    0.571428571429
    """
    table = Table.of_labels(labels_true, labels_pred)
    _average(table, average_method)
    return information.adjusted_mutual_information(*table.segmentations(), average=average_method)


def homogeneity_completeness_v_measure(
    labels_true: ArrayLike, labels_pred: ArrayLike, *, beta: float = 1.0
) -> tuple[float, float, float]:
    """Homogeneity, completeness and their weighted harmonic mean.

    >>> homogeneity_completeness_v_measure([0, 0, 1, 1], [0, 0, 0, 0])
    (0.0, 1.0, 0.0)
    """
    table = Table.of_labels(labels_true, labels_pred)
    mutual = _mutual(table)
    of_truth, of_pred = table.entropies()
    homogeneity = mutual / of_truth if of_truth else 1.0
    completeness = mutual / of_pred if of_pred else 1.0
    if homogeneity + completeness == 0.0:
        return homogeneity, completeness, 0.0
    v_measure = (1 + beta) * homogeneity * completeness / (beta * homogeneity + completeness)
    return homogeneity, completeness, v_measure


def homogeneity_score(labels_true: ArrayLike, labels_pred: ArrayLike) -> float:
    """Share of the entropy of the true labels that the predicted labels explain."""
    return homogeneity_completeness_v_measure(labels_true, labels_pred)[0]


def completeness_score(labels_true: ArrayLike, labels_pred: ArrayLike) -> float:
    """Share of the entropy of the predicted labels that the true labels explain."""
    return homogeneity_completeness_v_measure(labels_true, labels_pred)[1]


def v_measure_score(labels_true: ArrayLike, labels_pred: ArrayLike, *, beta: float = 1.0) -> float:
    """Weighted harmonic mean of homogeneity and completeness."""
    return homogeneity_completeness_v_measure(labels_true, labels_pred, beta=beta)[2]


def _mutual(table: Table) -> float:
    import numpy as np

    if table.truth.size < 2 or table.pred.size < 2:
        return 0.0
    terms = table.mutual_information()
    return max(0.0, float(np.where(np.abs(terms) < np.finfo(float).eps, 0.0, terms).sum()))


def _average(table: Table, method: str) -> float:
    import math

    truth, pred = table.entropies()
    averages = {
        "arithmetic": (truth + pred) / 2,
        "geometric": math.sqrt(truth * pred),
        "min": min(truth, pred),
        "max": max(truth, pred),
    }
    return averages[choice(method, "average_method", averages)]
