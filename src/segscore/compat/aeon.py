"""aeon.benchmarking.metrics.segmentation: two arrays of change points, in any order, wherever they lie."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ._distances import nearest

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["count_error", "hausdorff_error", "prediction_ratio"]


def count_error(true_change_points: ArrayLike, pred_change_points: ArrayLike) -> int:
    """Return by how many the numbers of change points differ.

    >>> count_error([10, 20], [])
    2
    """
    return abs(_points(true_change_points).size - _points(pred_change_points).size)


def hausdorff_error(
    true_change_points: ArrayLike, pred_change_points: ArrayLike, symmetric: bool = True, seed: int = 0
) -> float:
    """Return the largest distance of a change point to the nearest of the other side; whatever is passed counts.

    Not symmetric it is that of the true ones alone. Nothing is drawn, so ``seed`` changes nothing.

    >>> hausdorff_error([10], [12, 50])
    40.0
    """
    truth, pred = _points(true_change_points), _points(pred_change_points)
    if truth.size == 0 or pred.size == 0:
        return 0.0 if truth.size == pred.size else math.inf
    farthest = nearest(truth, pred).max()
    return float(max(farthest, nearest(pred, truth).max()) if symmetric else farthest)


def prediction_ratio(true_change_points: ArrayLike, pred_change_points: ArrayLike) -> float:
    """Return the number of predicted change points over that of the true ones.

    >>> prediction_ratio([10, 20], [10, 20, 30])
    1.5
    """
    truth, pred = _points(true_change_points).size, _points(pred_change_points).size
    if truth == 0:
        return 1.0 if pred == 0 else math.inf
    return pred / truth


def _points(given: ArrayLike) -> NDArray[Any]:
    import numpy as np

    points = np.asarray(given)
    if points.ndim != 1:
        raise ValueError(f"change points have {points.ndim} dimensions; expected 1")
    if points.size and not np.issubdtype(points.dtype, np.number):
        raise TypeError(f"change points hold {points.dtype}; expected numbers")
    return np.sort(points)
