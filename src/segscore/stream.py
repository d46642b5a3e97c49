"""Streams: the Rand Index of the stream so far, while cuts of both sides arrive.

The core needs the ends of all segments, which are not known while segments are open. So pairs are counted here whenever
a segment or an overlap cell closes.
"""

from __future__ import annotations

from . import arguments
from .pairs import PairCounts

__all__ = ["RunningRand"]


class RunningRand:
    """Rand Index of every prefix of a stream, from the cuts of both sides in time order.

    A cut at c means that point c starts a new segment. `truth` and `pred` take the next cut of their side; `at` returns
    the Rand Index of the first t points. Each call takes O(1) time, and the memory is O(1), however long the stream is.
    The numbers are exact at any length.

    Time only goes forward: a cut may not lie before an earlier cut or before a prefix that was asked for, because the
    cut would change an answer already given. If a detector reports late, for example at time 120 that point 100 started
    a new segment, ask only for prefixes up to 100 until then, or use `rand_index` at the end.

    >>> running = RunningRand()
    >>> running.truth(30)
    >>> running.pred(33)
    >>> running.at(40)
    0.8576923076923076
    >>> running.pair_counts(40)
    PairCounts(both=459, truth_only=21, pred_only=90, neither=210)
    >>> running.truth(35)
    Traceback (most recent call last):
    ValueError: the truth's cut 35 is late: time has come to 40; expected cuts in the order of time
    """

    __slots__ = ("_both", "_now", "_past", "_pred", "_pred_start", "_truth", "_truth_start")

    def __init__(self) -> None:
        self._now = 0  # the latest cut or prefix
        self._truth_start = self._pred_start = 0  # starts of the present segments
        # Numbers of pairs in closed segments of the truth, in closed segments of the prediction, and in closed cells.
        self._truth = self._pred = self._both = 0
        self._past = 0  # start of the present cell

    def truth(self, cut: int) -> None:
        """Take the truth's next cut."""
        cut = self._arrive(cut, "truth", self._truth_start)
        self._truth += _pairs(cut - self._truth_start)
        self._truth_start = cut

    def pred(self, cut: int) -> None:
        """Take the prediction's next cut."""
        cut = self._arrive(cut, "prediction", self._pred_start)
        self._pred += _pairs(cut - self._pred_start)
        self._pred_start = cut

    def at(self, t: int) -> float:
        """Return the Rand Index of the first t points."""
        counts = self.pair_counts(t)
        total = sum(counts)
        return (counts.both + counts.neither) / total if total else 1.0

    def pair_counts(self, t: int) -> PairCounts:
        """Count the pairs of the first t points kept together by both sides, one, or neither."""
        t = arguments.integer(t, "t")
        if t < self._now:
            raise ValueError(f"t = {t} is past: time has come to {self._now}; expected t of at least that")
        self._now = t
        truth = self._truth + _pairs(t - self._truth_start)
        pred = self._pred + _pairs(t - self._pred_start)
        both = self._both + _pairs(t - self._past)
        return PairCounts(both, truth - both, pred - both, _pairs(t) - truth - pred + both)

    def _arrive(self, cut: int, side: str, before: int) -> int:
        """Check a cut, close the cell that ends there, and return the cut as an int.

        Python's int does not overflow, in contrast to NumPy's.
        """
        cut = arguments.integer(cut, f"the {side}'s cut")
        if cut < 1:
            raise ValueError(f"the {side}'s cut {cut} is not positive; expected the first point of a new segment")
        if cut < self._now:
            raise ValueError(
                f"the {side}'s cut {cut} is late: time has come to {self._now}; expected cuts in the order of time"
            )
        if cut == before:
            raise ValueError(f"the {side}'s cut {cut} was given already; expected cuts that increase")
        self._now = cut
        self._both += _pairs(cut - self._past)
        self._past = cut
        return cut


def _pairs(points: int) -> int:
    return points * (points - 1) // 2
