"""ruptures.metrics: two lists of the ends of all segments; the last end is n."""

from __future__ import annotations

from ..scores import boundaries, pairs
from ..segmentation.segmentation import Cuts, Segmentation

__all__ = ["hamming", "hausdorff", "meantime", "precision_recall", "randindex"]


def randindex(bkps1: Cuts, bkps2: Cuts) -> float:
    """Rand Index, computed as in ruptures as 1 - d / T, which rounds twice.

    `segscore.rand_index` rounds once.

    >>> randindex([3, 8, 10], [4, 8, 10])
    0.8444444444444444
    """
    truth, pred = _both(bkps1, bkps2)
    counts, n = pairs.pair_counts(truth, pred), int(truth.n)
    if n < 2:
        return 1.0
    return 1.0 - (counts.truth_only + counts.pred_only) / (n * (n - 1) / 2)


def hamming(bkps1: Cuts, bkps2: Cuts) -> float:
    """1 - `randindex`, as in ruptures.

    `segscore.rand_distance` keeps the digits that this subtraction loses.
    """
    return 1 - randindex(bkps1, bkps2)


def hausdorff(bkps1: Cuts, bkps2: Cuts) -> float:
    """Largest distance from a cut of either side to the nearest cut of the other side.

    The last end, n, is not a cut.
    """
    return boundaries.hausdorff(*_both(bkps1, bkps2))


def meantime(true_bkps: Cuts, my_bkps: Cuts) -> float:
    """Mean distance from a predicted cut to the nearest true cut."""
    return boundaries.mean_error(*_both(true_bkps, my_bkps))


def precision_recall(true_bkps: Cuts, my_bkps: Cuts, margin: float = 10) -> tuple[float, float]:
    """Precision and recall by ruptures' rule.

    The margin itself is excluded, and the first true cut uses up all predictions near it.

    >>> precision_recall([10, 12, 100], [9, 11, 100], margin=5)
    (0.5, 0.5)
    """
    import numpy as np

    if not margin > 0:
        raise ValueError(f"margin = {margin} is not positive; expected more than 0 (segscore.f1 takes margin=0)")
    sides = _both(true_bkps, my_bkps)
    truth, pred = (side.to_ends()[:-1] for side in sides)
    margin = min(margin, sides[0].n)
    first = np.searchsorted(truth, pred - margin, side="right")
    belongs = first < truth.size
    belongs[belongs] = truth[first[belongs]] < pred[belongs] + margin
    found = np.unique(first[belongs]).size
    return found / max(pred.size, 1), found / max(truth.size, 1)


def _both(truth: Cuts, pred: Cuts) -> tuple[Segmentation, Segmentation]:
    sides = Segmentation.from_ends(truth), Segmentation.from_ends(pred)
    if sides[0].n != sides[1].n:
        raise ValueError(f"the partitions end at {sides[0].n} and {sides[1].n}; expected one length")
    if sides[0].n == 0:
        raise ValueError("a partition is empty; expected the ends of all segments, the last of which is n")
    return sides
