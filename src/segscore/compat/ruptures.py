"""ruptures.metrics: two lists of the ends of all segments, the last of which is n."""

from __future__ import annotations

from .. import boundaries, pairs
from ..segmentation import Cuts, Segmentation

__all__ = ["hamming", "hausdorff", "meantime", "precision_recall", "randindex"]


def randindex(bkps1: Cuts, bkps2: Cuts) -> float:
    """Return the Rand Index, as 1 - d / T, which rounds twice; `segscore.rand_index` rounds once.

    >>> randindex([3, 8, 10], [4, 8, 10])
    0.8444444444444444
    """
    truth, pred = _both(bkps1, bkps2)
    counts, n = pairs.pair_counts(truth, pred), truth.n
    if n < 2:
        return 1.0
    return 1.0 - (counts.truth_only + counts.pred_only) / (n * (n - 1) / 2)


def hamming(bkps1: Cuts, bkps2: Cuts) -> float:
    """Return 1 - `randindex`; `segscore.rand_distance` keeps the digits that this loses."""
    return 1 - randindex(bkps1, bkps2)


def hausdorff(bkps1: Cuts, bkps2: Cuts) -> float:
    """Return the largest distance of a cut of either side to the nearest of the other; n is none."""
    return boundaries.hausdorff(*_both(bkps1, bkps2))


def meantime(true_bkps: Cuts, my_bkps: Cuts) -> float:
    """Return the mean distance of the predicted cuts to the nearest true one."""
    return boundaries.mean_error(*_both(true_bkps, my_bkps))


def precision_recall(true_bkps: Cuts, my_bkps: Cuts, margin: float = 10) -> tuple[float, float]:
    """Return precision and recall by ruptures' rule: a margin that excludes itself, and the first true cut takes all.

    A predicted cut belongs to the first true cut less than ``margin`` away, which counts once however many belong to
    it. So fewer are found than could be: `segscore.precision` and `segscore.recall` match as many as possible. A
    prediction without cuts scores (0, 0), also where the truth has none.

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
