"""The window family: the cuts of both sides are compared in a sliding window of k gaps.

There are n - k windows. The default k is half the mean length of the true segments, rounded half to even, at least 2.
With k >= n no window fits, and the scores are nan. `segscore.pairs` explains the arguments. All functions are O(r+s)
for any k. They are symmetric only if k is given, because the default k comes from the truth.
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
    """Share of windows in which exactly one of the two segmentations has a cut.

    In [0, 1], best 0, O(r+s). The mean of Pk over all k, weighted by the number of windows, is the Rand distance.

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
    """Share of windows in which the two segmentations have different numbers of cuts.

    In [0, 1], best 0, O(r+s). With ``weighted=True`` each window adds the difference of the two numbers, and the score
    may exceed 1. With ``lamprier=True`` the windows also run over both ends, so that cuts near an end count as much as
    others: there are n + k windows, and the sum is divided by n + k + 1, as in segeval.

    >>> window_diff([3, 8], [4, 8], n=10, k=2)
    0.25
    >>> round(window_diff([5], [3], n=10, k=2, lamprier=True), 4)
    0.3077

    Reference: Pevzner & Hearst (2002); Lamprier et al. (2007).
    """
    return _core.window_diff(truth, pred, n, None, k, weighted, lamprier)


def pk_curve(truth: Cuts, pred: Cuts, *, n: int | None = None, k: Iterable[int]) -> NDArray[np.float64]:
    """Compute `pk` for each of several window sizes k, in O(r+s) per size.

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
    """Compute `window_diff` for each of several window sizes k, in O(r+s) per size.

    >>> window_diff_curve([3, 8], [4, 8], n=10, k=[1, 2, 3]).round(3).tolist()
    [0.222, 0.25, 0.286]

    Reference: Pevzner & Hearst (2002).
    """
    import numpy as np

    values = _core.window_curve(truth, pred, n, _windows(k), False, weighted, lamprier)
    return np.array(values, dtype=np.float64)


def _windows(k: Iterable[int]) -> list[int]:
    """Return the window sizes as a list, or raise."""
    if isinstance(k, str) or not hasattr(k, "__iter__"):
        raise TypeError(f"k = {k!r:.40} is {type(k).__name__}; expected many integers (for one use pk or window_diff)")
    return list(k)
