"""aeon.benchmarking.metrics.segmentation: scores of two arrays of change points in any order."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from .distances import nearest

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["count_error", "hausdorff_error", "prediction_ratio"]


def count_error(true_change_points: ArrayLike, pred_change_points: ArrayLike) -> int:
    """Absolute difference between the numbers of change points.

    >>> count_error([10, 20], [])
    2
    """
    return abs(_size(true_change_points) - _size(pred_change_points))


def hausdorff_error(
    true_change_points: ArrayLike, pred_change_points: ArrayLike, symmetric: bool = True, seed: int = 0
) -> float:
    """Largest distance from a change point to the nearest one of the other side.

    Every number that is passed counts as a change point.

    >>> hausdorff_error([10], [12, 50])
    40.0
    """
    truth, pred = _points(true_change_points), _points(pred_change_points)
    if truth.size == 0 or pred.size == 0:
        return 0.0 if truth.size == pred.size or (truth.size == 0 and not symmetric) else math.inf
    farthest = nearest(truth, pred).max()
    return float(max(farthest, nearest(pred, truth).max()) if symmetric else farthest)


def prediction_ratio(true_change_points: ArrayLike, pred_change_points: ArrayLike) -> float:
    """Number of predicted change points divided by the number of true ones.

    >>> prediction_ratio([10, 20], [10, 20, 30])
    1.5
    """
    truth, pred = _size(true_change_points), _size(pred_change_points)
    if truth == 0:
        return 1.0 if pred == 0 else math.inf
    return pred / truth


def _points(given: ArrayLike) -> NDArray[Any]:
    import numpy as np

    points = np.asarray(given).ravel()
    if points.size == 0:
        return np.empty(0)
    if points.dtype.kind not in "iufO":
        raise TypeError(f"change points hold {points.dtype}; expected numbers")
    wide = points.dtype.kind == "i" or (points.dtype.kind == "u" and points.max() < 2**63)
    return np.sort(points.astype(np.int64 if wide else float))


def _size(given: ArrayLike) -> int:
    import numpy as np

    return np.asarray(given).size
