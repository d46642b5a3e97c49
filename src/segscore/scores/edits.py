"""The edit family: the edits that turn one set of cuts into the other.

Cuts that both sides have are matched. Of the other cuts, a true and a predicted cut that are less than n_t apart count
as one cut that moved; the nearest pairs are taken first, and ties go to the left. The remaining true cuts are missed,
and the remaining predicted cuts are added. A miss or an addition costs 1, a move by o costs o / n_t.
`segscore.scores.pairs` explains the arguments. Edits count points, so ``duration=`` is refused: round times to points
first, or use the boundary family, which takes times.
"""

from __future__ import annotations

from typing import NamedTuple

from .. import _core
from ..segmentation.segmentation import Cuts

__all__ = [
    "BoundaryEdits",
    "boundary_edits",
    "boundary_similarity",
    "generalized_hamming",
    "segmentation_similarity",
]


class BoundaryEdits(NamedTuple):
    """Cuts that were matched, moved, missed and added.

    ``moved`` holds pairs (true cut, predicted cut).
    """

    matched: list[int]
    moved: list[tuple[int, int]]
    missed: list[int]
    added: list[int]


def boundary_edits(
    truth: Cuts, pred: Cuts, *, n: int | None = None, duration: float | None = None, n_t: int = 2
) -> BoundaryEdits:
    """Find the cuts that were matched, moved, missed and added.

    O(r+s) per pass. There is one pass for each distance below n_t at which cuts of both sides are still unpaired: at
    most n_t - 1 passes, and at most 2 min(r, s).

    >>> boundary_edits([3, 8, 20], [4, 8, 30], n=40)
    BoundaryEdits(matched=[8], moved=[(3, 4)], missed=[20], added=[30])

    Reference: Fournier (2013).
    """
    return BoundaryEdits(*_core.boundary_edits(truth, pred, n, duration, n_t))


def boundary_similarity(
    truth: Cuts, pred: Cuts, *, n: int | None = None, duration: float | None = None, n_t: int = 2
) -> float:
    """Boundary similarity: 1 - edit cost / (matched + moved + missed + added cuts).

    In [0, 1], best 1, symmetric, O(r+s) for n_t = 2, and otherwise O(r+s) per pass of `boundary_edits`. The value is 1
    if neither side has a cut (segeval raises an error).

    >>> boundary_similarity([3, 8], [4, 8], n=10)
    0.75

    Reference: Fournier (2013).
    """
    return _core.boundary_similarity(truth, pred, n, duration, n_t)


def segmentation_similarity(
    truth: Cuts, pred: Cuts, *, n: int | None = None, duration: float | None = None, n_t: int = 2
) -> float:
    """Segmentation similarity: 1 - edit cost / (number of gaps between points).

    1 - cost / (n - 1), in [0, 1], best 1, symmetric, O(n_t (r+s)). The value is 1 for n < 2.

    >>> round(segmentation_similarity([3, 8], [4, 8], n=10), 6)
    0.944444

    Reference: Fournier & Inkpen (2012).
    """
    return _core.segmentation_similarity(truth, pred, n, duration, n_t)


def generalized_hamming(
    truth: Cuts,
    pred: Cuts,
    *,
    n: int | None = None,
    duration: float | None = None,
    insertion: float = 2.0,
    deletion: float = 2.0,
    shift: float = 1.0,
) -> float:
    """Lowest cost of inserting, deleting and shifting predicted cuts to reach the true cuts.

    A missed cut costs ``insertion``, a false alarm costs ``deletion``, and a shift by o points costs ``shift * o``. At
    least 0, best 0, symmetric if insertion and deletion cost the same. O(r+s) if few cuts lie within (insertion +
    deletion) / shift of each other, O(rs) at worst.

    >>> generalized_hamming([3, 8, 20], [4, 8], n=40)
    3.0

    Reference: Bookstein, Kulyukin & Raita (2002).
    """
    return _core.generalized_hamming(truth, pred, n, duration, insertion, deletion, shift)
