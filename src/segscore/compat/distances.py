"""Distances from sorted numbers to the nearest of other numbers, also if they are not cuts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["nearest"]


def nearest(points: NDArray[Any], others: NDArray[Any]) -> NDArray[Any]:
    """Return the distance from each of ``points`` to the nearest of the others.

    Both are sorted, and neither is empty.
    """
    import numpy as np

    place = np.searchsorted(others, points)
    before = np.abs(points - others[np.maximum(place - 1, 0)])
    after = np.abs(points - others[np.minimum(place, others.size - 1)])
    distances: NDArray[Any] = np.minimum(before, after)
    return distances
