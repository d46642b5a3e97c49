"""The window family: the cuts of both sides are compared in a sliding window of size k.

In points, a window holds k gaps, and there are n - k windows: the window that starts after x points holds the cuts c
with x < c <= x + k, for x = 0, 1, ..., n - k - 1. The default k is half the mean length of the true segments, rounded
half to even, at least 2. With k >= n no window fits, and the scores are nan.

In time (``duration=T``), the window that starts at x is (x, x + k], and x runs over all real numbers from 0 to T - k:
a score is the integral over x, divided by T - k. So it is the limit of the score in points for an ever finer sampling,
and for cuts and k that are whole numbers it is the score in points. The default k is half the mean length of the true
segments, T / (2 (s + 1)) for s true cuts, not rounded. With k >= T the scores are nan. The error of a score x in time
is at most 1e-15 x + 1e-30.

`segscore.scores.pairs` explains the arguments. All functions are O(r+s) for any k. They are symmetric only if k is
given, because the default k comes from the truth.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from .. import _core
from ..segmentation.segmentation import Cuts

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["pk", "pk_curve", "window_diff", "window_diff_curve"]


def pk(
    truth: Cuts, pred: Cuts, *, n: int | None = None, duration: float | None = None, k: float | None = None
) -> float:
    """Share of windows in which exactly one of the two segmentations has a cut.

    In [0, 1], best 0, O(r+s). The mean of Pk over all k, weighted by the number of windows, is the Rand distance.

    >>> pk([3, 8], [4, 8], n=10, k=2)
    0.25
    >>> pk([2.5, 7.0], [3.0, 7.25], duration=10.0, k=2.0)
    0.1875

    Reference: Beeferman, Berger & Lafferty (1999).
    """
    return _core.pk(truth, pred, n, duration, k)


def window_diff(
    truth: Cuts,
    pred: Cuts,
    *,
    n: int | None = None,
    duration: float | None = None,
    k: float | None = None,
    weighted: bool = False,
    lamprier: bool = False,
) -> float:
    """Share of windows in which the two segmentations have different numbers of cuts.

    In [0, 1], best 0, O(r+s). With ``weighted=True`` each window adds the difference of the two numbers, and the score
    may exceed 1. With ``lamprier=True`` the windows also run over both ends, so that cuts near an end count as much as
    others: there are n + k windows, and the sum is divided by n + k + 1, as in segeval. In time these windows start
    from -k to T, and the integral is divided by T + k.

    >>> window_diff([3, 8], [4, 8], n=10, k=2)
    0.25
    >>> round(window_diff([5], [3], n=10, k=2, lamprier=True), 4)
    0.3077

    Reference: Pevzner & Hearst (2002); Lamprier et al. (2007).
    """
    return _core.window_diff(truth, pred, n, duration, k, weighted, lamprier)


def pk_curve(
    truth: Cuts, pred: Cuts, *, n: int | None = None, duration: float | None = None, k: Iterable[float]
) -> NDArray[np.float64]:
    """Compute `pk` for each of several window sizes k, in O(r+s) per size.

    >>> pk_curve([3, 8], [4, 8], n=10, k=[1, 2, 3]).round(3).tolist()
    [0.222, 0.25, 0.286]

    Reference: Beeferman, Berger & Lafferty (1999).
    """
    import numpy as np

    return np.array(_core.window_curve(truth, pred, n, duration, "pk", _windows(k), False, False), dtype=np.float64)


def window_diff_curve(
    truth: Cuts,
    pred: Cuts,
    *,
    n: int | None = None,
    duration: float | None = None,
    k: Iterable[float],
    weighted: bool = False,
    lamprier: bool = False,
) -> NDArray[np.float64]:
    """Compute `window_diff` for each of several window sizes k, in O(r+s) per size.

    >>> window_diff_curve([3, 8], [4, 8], n=10, k=[1, 2, 3]).round(3).tolist()
    [0.222, 0.25, 0.286]

    Reference: Pevzner & Hearst (2002).
    """
    import numpy as np

    values = _core.window_curve(truth, pred, n, duration, "window_diff", _windows(k), weighted, lamprier)
    return np.array(values, dtype=np.float64)


def _windows(k: Iterable[float]) -> list[float]:
    """Return the window sizes as a list, or raise."""
    if isinstance(k, str) or not hasattr(k, "__iter__"):
        raise TypeError(f"k = {k!r:.40} is {type(k).__name__}; expected many sizes (for one use pk or window_diff)")
    return list(k)
