"""The boundary family: which cuts were found, and how far off they are.

The rule of the margin: a true cut t and a predicted cut p may be matched if |t - p| <= margin (inclusive, so margin 0
means the same cut). Each cut is matched at most once, and as many cuts as possible are matched. ``margin=`` is in the
unit of the cuts. ``relative_margin=0.01`` means floor(0.01 n) points in floating-point arithmetic (0.29 * 100 is
28.999...), or 0.01 of the duration. If neither side has a cut, precision, recall and F are 1; if only one side has
cuts, they are 0. Neither 0 nor n is a cut.

In time, a margin above 0 is widened by 4 units in the last place of the duration, because decimal times are rounded to
binary: 10.07 - 10.0 exceeds 0.07, and yet ``f1([10.0], [10.07], duration=200, margin=0.07)`` is 1. Margin 0, points and
timestamps are exact.

`segscore.scores.pairs` explains the other arguments. All functions are O(r+s) unless said otherwise.
"""

from __future__ import annotations

from typing import NamedTuple

from .. import _core
from ..segmentation.segmentation import Cuts

__all__ = [
    "Match",
    "count_error",
    "directed_hausdorff",
    "f1",
    "hausdorff",
    "match",
    "mean_error",
    "median_error",
    "precision",
    "recall",
]


class Match(NamedTuple):
    """Matched pairs of cuts, missed true cuts, false alarms, and the error of each pair.

    An error is predicted cut - true cut, so it is negative if the prediction is early.
    """

    pairs: list[tuple[float, float]]
    misses: list[float]
    false_alarms: list[float]
    errors: list[float]


def match(
    truth: Cuts,
    pred: Cuts,
    *,
    n: int | None = None,
    duration: float | None = None,
    margin: float | None = None,
    relative_margin: float | None = None,
) -> Match:
    """Match true and predicted cuts one to one: the closest maximum matching within the margin.

    As many cuts as possible are matched. Among all matchings with this number of pairs, the result is the one with the
    least sum of absolute errors. Ties go to the left: on both sides, the first, second, third, ... matched cut is as
    far left as in any such matching. Pairs do not cross. The cost is O((r+s) log(r+s)). With ``duration=`` the sums are
    rounded, so nearly equal sums may be taken for ties.

    >>> match([10, 50, 90], [8, 10, 52], n=100, margin=5)
    Match(pairs=[(10, 10), (50, 52)], misses=[90], false_alarms=[8], errors=[0, 2])

    Reference: Dulmage & Mendelsohn (1958) for the cuts that every maximum matching contains.
    """
    i, j, t, p = _core.match(truth, pred, n, duration, margin, relative_margin)
    pairs = [(t[a], p[b]) for a, b in zip(i, j, strict=True)]

    def left_over(cuts: list[float], matched: list[int]) -> list[float]:
        is_matched = bytearray(len(cuts))
        for k in matched:
            is_matched[k] = True
        return [cut for cut, found in zip(cuts, is_matched, strict=True) if not found]

    return Match(pairs, left_over(t, i), left_over(p, j), [b - a for a, b in pairs])


def precision(
    truth: Cuts,
    pred: Cuts,
    *,
    n: int | None = None,
    duration: float | None = None,
    margin: float | None = None,
    relative_margin: float | None = None,
) -> float:
    """Share of predicted cuts that match a true cut within the margin.

    In [0, 1], best 1, O(r+s); swapping the arguments gives `recall`.

    >>> precision([10, 50], [11, 30, 70], n=100, margin=5)
    0.3333333333333333

    Reference: van Rijsbergen (1979).
    """
    return _core.precision(truth, pred, n, duration, margin, relative_margin)


def recall(
    truth: Cuts,
    pred: Cuts,
    *,
    n: int | None = None,
    duration: float | None = None,
    margin: float | None = None,
    relative_margin: float | None = None,
) -> float:
    """Share of true cuts that match a predicted cut within the margin.

    In [0, 1], best 1, O(r+s); swapping the arguments gives `precision`.

    >>> recall([10, 50], [11, 30, 70], n=100, margin=5)
    0.5

    Reference: van Rijsbergen (1979).
    """
    return _core.recall(truth, pred, n, duration, margin, relative_margin)


def f1(
    truth: Cuts,
    pred: Cuts,
    *,
    n: int | None = None,
    duration: float | None = None,
    margin: float | None = None,
    relative_margin: float | None = None,
    beta: float = 1.0,
) -> float:
    """Harmonic mean of `precision` and `recall` at a margin.

    (1 + beta**2) m / (beta**2 s + r) for m matched pairs, s true cuts and r predicted cuts; in [0, 1], best 1,
    symmetric for beta = 1, O(r+s). With beta > 1 recall has more weight than precision.

    >>> f1([10, 50], [11, 30, 70], n=100, margin=5)
    0.4

    Reference: van Rijsbergen (1979).
    """
    return _core.f1(truth, pred, n, duration, margin, relative_margin, beta)


def hausdorff(truth: Cuts, pred: Cuts, *, n: int | None = None, duration: float | None = None) -> float:
    """Largest distance from a cut of either side to the nearest cut of the other side.

    At least 0, best 0, symmetric, a metric, O(r+s). The value is 0 if neither side has a cut, and inf if only one side
    has cuts.

    >>> hausdorff([10], [12, 50], n=100)
    40.0

    Reference: Hausdorff (1914).
    """
    return _core.hausdorff(truth, pred, n, duration)


def directed_hausdorff(truth: Cuts, pred: Cuts, *, n: int | None = None, duration: float | None = None) -> float:
    """Largest distance from a true cut to the nearest predicted cut: the worst miss.

    At least 0, best 0, O(r+s); swapping the arguments gives the worst false alarm. The value is 0 if neither side has a
    cut, and inf if only one side has cuts.

    >>> directed_hausdorff([10], [12, 50], n=100)
    2.0

    Reference: Hausdorff (1914).
    """
    return _core.directed_hausdorff(truth, pred, n, duration)


def mean_error(truth: Cuts, pred: Cuts, *, n: int | None = None, duration: float | None = None) -> float:
    """Mean distance from a predicted cut to the nearest true cut.

    At least 0, best 0, O(r+s). Missed cuts do not count. The value is 0 if neither side has a cut, and nan if only one
    side has cuts.

    >>> mean_error([10], [12, 50], n=100)
    21.0

    Reference: ruptures calls it meantime.
    """
    return _core.mean_error(truth, pred, n, duration)


def median_error(truth: Cuts, pred: Cuts, *, n: int | None = None, duration: float | None = None) -> float:
    """Median distance from a predicted cut to the nearest true cut.

    At least 0, best 0, O(r+s). Missed cuts do not count. The value is 0 if neither side has a cut, and nan if only one
    side has cuts.

    >>> median_error([10], [12, 13, 50], n=100)
    3.0

    Reference: Turnbull et al. (2007), mir_eval's deviation.
    """
    return _core.median_error(truth, pred, n, duration)


def count_error(truth: Cuts, pred: Cuts, *, n: int | None = None, duration: float | None = None) -> float:
    """Absolute difference between the numbers of true and predicted cuts.

    At least 0, best 0, symmetric, O(1) once the cuts are read. The positions of the cuts do not matter.

    >>> count_error([10], [12, 50], n=100)
    1.0

    Reference: Truong, Oudre & Vayatis (2020), annotation error.
    """
    return _core.count_error(truth, pred, n, duration)
