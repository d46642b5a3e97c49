"""nltk.metrics.segmentation: two strings with one mark per gap, '1' where there is a cut."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ..scores import edits, windows

__all__ = ["ghd", "pk", "windowdiff"]

Marks = Sequence[Any]


def pk(ref: Marks, hyp: Marks, k: int | None = None, boundary: Any = "1") -> float:  # noqa: ANN401
    """Pk of two strings of marks.

    Without ``k`` the window is half the mean length of the reference's segments, as nltk counts them.

    >>> pk("0100" * 100, "1" * 400, 2)
    0.49874686716791977
    """
    n = _same_length(ref, hyp)
    if k is None:
        k = round(len(ref) / (max(_count(ref, boundary), 1) * 2.0))
    if k < 0:
        raise ValueError(f"k = {k} is negative; expected at least 0")
    if k == 0:
        return 0.0
    return windows.pk(_marked_cuts(ref, boundary), _marked_cuts(hyp, boundary), n=n, k=k) if k < n else math.nan


def windowdiff(seg1: Marks, seg2: Marks, k: int, boundary: Any = "1", weighted: bool = False) -> float:  # noqa: ANN401
    """WindowDiff for windows of k gaps.

    >>> windowdiff("000100000010", "000010000100", 3)
    0.3
    """
    n = _same_length(seg1, seg2)
    if not 0 <= k < n:
        raise ValueError(f"k = {k} is outside 0 <= k <= {n - 1}, the number of marks")
    if k == 0:
        return 0.0
    return windows.window_diff(_marked_cuts(seg1, boundary), _marked_cuts(seg2, boundary), n=n, k=k, weighted=weighted)


def ghd(
    ref: Marks,
    hyp: Marks,
    ins_cost: float = 2.0,
    del_cost: float = 2.0,
    shift_cost_coeff: float = 1.0,
    boundary: Any = "1",  # noqa: ANN401
) -> float:
    """Generalised Hamming distance of two strings of marks of any length.

    >>> ghd("1100100000", "1100010000", 1.0, 1.0, 0.5)
    0.5
    """
    return edits.generalized_hamming(
        _marked_cuts(ref, boundary),
        _marked_cuts(hyp, boundary),
        n=max(len(ref), len(hyp)) + 1,
        insertion=ins_cost,
        deletion=del_cost,
        shift=shift_cost_coeff,
    )


def _marked_cuts(marks: Marks, boundary: Any) -> list[int]:  # noqa: ANN401
    return [k for k, mark in enumerate(marks, 1) if mark == boundary]


def _count(marks: Marks, boundary: Any) -> int:  # noqa: ANN401
    return sum(mark == boundary for mark in marks)


def _same_length(truth: Marks, pred: Marks) -> int:
    if len(truth) != len(pred):
        raise ValueError(f"the segmentations have {len(truth)} and {len(pred)} marks; expected one length")
    return len(truth) + 1
