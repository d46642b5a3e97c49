"""The window family: a window of k gaps slides along, and both sides say what cuts it holds.

There are n - k windows. k is half the mean length of the truth's segments, rounded half to even, at least 2, unless it
is given; with k >= n no window fits, and the scores are nan. Arguments are those of `segscore.pairs`; all is O(r+s),
for any k. Not symmetric unless k is given, because k comes from the truth.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from . import _core
from .segmentation import Cuts

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["pk", "pk_curve", "window_diff", "window_diff_curve"]


def pk(truth: Cuts, pred: Cuts, *, n: int | None = None, k: int | None = None) -> float:
    """Return the share of windows in which one side has a cut and the other has none.

    In [0, 1], best 0, O(r+s). The Rand distance is its mean over all k, weighted by the number of windows.

    >>> pk([3, 8], [4, 8], n=10, k=2)
    0.25

    Reference: Beeferman, Berger & Lafferty (1999).
    """
    return _core.pk(truth, pred, n, None, k)


def window_diff(
    truth: Cuts,
    pred: Cuts,
    *,
    n: int | None = None,
    k: int | None = None,
    weighted: bool = False,
    lamprier: bool = False,
) -> float:
    """Return the share of windows in which the two sides have different numbers of cuts.

    In [0, 1], best 0, O(r+s). ``weighted=True`` adds up by how much they differ, which may exceed 1. ``lamprier=True``
    lets the window run over both ends, so that cuts near an end count as much as others (n + k windows, their number
    divided by n + k + 1, as segeval has it).

    >>> window_diff([3, 8], [4, 8], n=10, k=2)
    0.25
    >>> round(window_diff([5], [3], n=10, k=2, lamprier=True), 4)
    0.3077

    Reference: Pevzner & Hearst (2002); Lamprier et al. (2007).
    """
    return _core.window_diff(truth, pred, n, None, k, weighted, lamprier)


def pk_curve(truth: Cuts, pred: Cuts, *, n: int | None = None, k: Iterable[int]) -> NDArray[np.float64]:
    """Return `pk` for each of many k, O(r+s) each.

    >>> pk_curve([3, 8], [4, 8], n=10, k=[1, 2, 3]).round(3).tolist()
    [0.222, 0.25, 0.286]

    Reference: Beeferman, Berger & Lafferty (1999).
    """
    import numpy as np

    return np.array(_core.window_curve(truth, pred, n, _windows(k), True, False, False), dtype=np.float64)


def window_diff_curve(
    truth: Cuts,
    pred: Cuts,
    *,
    n: int | None = None,
    k: Iterable[int],
    weighted: bool = False,
    lamprier: bool = False,
) -> NDArray[np.float64]:
    """Return `window_diff` for each of many k, O(r+s) each.

    >>> window_diff_curve([3, 8], [4, 8], n=10, k=[1, 2, 3]).round(3).tolist()
    [0.222, 0.25, 0.286]

    Reference: Pevzner & Hearst (2002).
    """
    import numpy as np

    values = _core.window_curve(truth, pred, n, _windows(k), False, bool(weighted), bool(lamprier))
    return np.array(values, dtype=np.float64)


def _windows(k: Iterable[int]) -> list[int]:
    """Return the window sizes as a list, or raise."""
    if isinstance(k, str) or not hasattr(k, "__iter__"):
        raise TypeError(f"k = {k!r:.40} is {type(k).__name__}; expected many integers (for one use pk or window_diff)")
    return list(k)
