"""Streams: the Rand Index of all that has passed so far, while cuts of both sides arrive."""

from __future__ import annotations

from . import _core, arguments
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
    ValueError: the truth's cut 35 is before the present time 40; expected cuts in time order
    """

    __slots__ = ("_last", "_now", "_pairs")

    def __init__(self) -> None:
        self._now = 0  # the latest cut or prefix
        self._last = {"truth": 0, "prediction": 0}  # the latest cut of each side
        self._pairs = _core.RunningPairs()

    def __repr__(self) -> str:
        last = ", ".join(f"last cut of the {side}: {cut or 'none'}" for side, cut in self._last.items())
        return f"RunningRand(now={self._now}, {last})"

    def truth(self, cut: int) -> None:
        """Take the truth's next cut."""
        self._pairs.cut_truth(self._arrive(cut, "truth"))

    def pred(self, cut: int) -> None:
        """Take the prediction's next cut."""
        self._pairs.cut_pred(self._arrive(cut, "prediction"))

    def at(self, t: int) -> float:
        """Return the Rand Index of the first t points."""
        return self._pairs.rand_index(self._reach(t))

    def pair_counts(self, t: int) -> PairCounts:
        """Count the pairs of the first t points kept together by both sides, one, or neither."""
        return PairCounts(*self._pairs.counts(self._reach(t)))

    def _reach(self, t: int) -> int:
        t = arguments.integer(t, "t", least=0, most=2**63 - 1)
        if t < self._now:
            raise ValueError(f"t = {t} is before the present time {self._now}; expected a later time")
        self._now = t
        return t

    def _arrive(self, cut: int, side: str) -> int:
        """Check the next cut of a side, and return it."""
        cut = arguments.integer(cut, f"the {side}'s cut", most=2**63 - 1)
        if cut < 1:
            raise ValueError(f"the {side}'s cut {cut} is not positive; expected the first point of a new segment")
        if cut < self._now:
            raise ValueError(
                f"the {side}'s cut {cut} is before the present time {self._now}; expected cuts in time order"
            )
        if cut == self._last[side]:
            raise ValueError(f"the {side}'s cut {cut} was given already; expected cuts that increase")
        self._now = self._last[side] = cut
        return cut
