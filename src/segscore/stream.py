"""Streams: scores of all points so far, or of the latest points, while cuts arrive."""

from __future__ import annotations

import math
from collections import deque
from typing import NamedTuple

from . import _core, arguments
from .pairs import PairCounts

__all__ = ["OnlineCounts", "RunningOnline", "RunningRand", "WindowedRand"]


class _Clock:
    """The present time of a stream: cuts of both sides and questions come in time order."""

    __slots__ = ("_last", "_now")

    def __init__(self) -> None:
        self._now = 0  # the latest cut or question
        self._last = {"truth": 0, "prediction": 0}  # the latest cut of each side

    def __repr__(self) -> str:
        last = ", ".join(f"last cut of the {side}: {cut or 'none'}" for side, cut in self._last.items())
        return f"{type(self).__name__}(now={self._now}, {last})"

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


class RunningRand(_Clock):
    """Rand Index of every prefix of a stream, from the cuts of both sides in time order.

    A cut at c means that point c starts a new segment. `truth` and `pred` take the next cut of their side; `at` returns
    the Rand Index of the first t points. Each call takes O(1) time, and the memory is O(1), however long the stream is.
    The numbers are exact at any length.

    Time only goes forward: a cut may not lie before an earlier cut or before a prefix that was asked for, because the
    cut would change an answer already given. If a detector reports late, for example at time 120 that point 100 started
    a new segment, do not ask for prefixes above 100 before time 120, or use `rand_index` at the end.

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

    __slots__ = ("_pairs",)

    def __init__(self) -> None:
        super().__init__()
        self._pairs = _core.RunningPairs()

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


class _Recent:
    """The cuts of one side in a window that moves on, and the pairs of points in its closed segments."""

    __slots__ = ("cuts", "pairs")

    def __init__(self) -> None:
        self.cuts: deque[int] = deque()
        self.pairs = 0  # together in the segments between two of the cuts

    def append(self, cut: int) -> None:
        if self.cuts and self.cuts[-1] == cut:
            return
        if self.cuts:
            self.pairs += math.comb(cut - self.cuts[-1], 2)
        self.cuts.append(cut)

    def together(self, start: int, end: int) -> int:
        """Return the number of pairs together in the points from start to end; forget the cuts before."""
        cuts = self.cuts
        while cuts and cuts[0] <= start:
            cut = cuts.popleft()
            if cuts:
                self.pairs -= math.comb(cuts[0] - cut, 2)
        if not cuts:
            return math.comb(end - start, 2)
        return self.pairs + math.comb(cuts[0] - start, 2) + math.comb(end - cuts[-1], 2)


class WindowedRand(_Clock):
    """Rand Index of the latest points of a stream, from the cuts of both sides in time order.

    As `RunningRand`, but `at` returns the Rand Index of the last ``window`` points before t. Older points do not count,
    so the value falls soon after a detector gets worse. Each call takes O(1) amortised time. The memory is bounded:
    only the cuts of the window are kept, fewer than ``window`` per side. The numbers are exact.

    >>> latest = WindowedRand(100)
    >>> latest.truth(30)
    >>> round(latest.at(100), 4)
    0.5758
    >>> latest.at(200)
    1.0
    """

    __slots__ = ("_both", "_pred", "_truth", "_window")

    def __init__(self, window: int) -> None:
        super().__init__()
        self._window = arguments.integer(window, "window", least=1)
        self._truth, self._pred, self._both = _Recent(), _Recent(), _Recent()

    def truth(self, cut: int) -> None:
        """Take the truth's next cut."""
        self._take(self._truth, self._arrive(cut, "truth"))

    def pred(self, cut: int) -> None:
        """Take the prediction's next cut."""
        self._take(self._pred, self._arrive(cut, "prediction"))

    def at(self, t: int) -> float:
        """Return the Rand Index of the last points before t."""
        both, truth_only, pred_only, neither = self.pair_counts(t)
        total = both + truth_only + pred_only + neither
        return (both + neither) / total if total else 1.0

    def pair_counts(self, t: int) -> PairCounts:
        """Count the pairs of the last points before t kept together by both sides, one, or neither."""
        end = self._reach(t)
        start = max(0, end - self._window)
        truth, pred, both = (side.together(start, end) for side in (self._truth, self._pred, self._both))
        return PairCounts(both, truth - both, pred - both, math.comb(end - start, 2) - truth - pred + both)

    def _take(self, side: _Recent, cut: int) -> None:
        side.append(cut)
        self._both.append(cut)
        for each in (self._truth, self._pred, self._both):  # forgets what no later window has
            each.together(max(0, cut - self._window), cut)


class OnlineCounts(NamedTuple):
    """Changes, detections, misses, false alarms and the mean delay so far.

    ``waiting`` is 1 if the latest change can still be detected, else 0. Such a change is not missed.
    """

    changes: int
    detected: int
    missed: int
    waiting: int
    false_alarms: int
    mean_delay: float
    false_alarm_rate: float


class RunningOnline(_Clock):
    """Delays, misses and false alarms of a detector so far, while changes and alarms arrive.

    `truth` takes the next change and `pred` the next alarm, in time order; a change comes before an alarm at the same
    time. `at` returns the counts of `online` for the first t points. Each call takes O(1) time, and the memory is O(1),
    however long the stream is.

    >>> running = RunningOnline(max_delay=200)
    >>> running.truth(1000)
    >>> for alarm in (1010, 1020):
    ...     running.pred(alarm)
    >>> running.at(1500)
    OnlineCounts(changes=1, detected=1, missed=0, waiting=0, false_alarms=1, mean_delay=10.0, false_alarm_rate=0.0006666666666666666)
    """  # noqa: E501

    __slots__ = ("_change", "_changes", "_delay", "_detected", "_false_alarms", "_limit")

    def __init__(self, max_delay: int | None = None) -> None:
        super().__init__()
        self._limit = 2**63 if max_delay is None else arguments.integer(max_delay, "max_delay", least=0)
        self._change: int | None = None  # the change that waits for its first alarm
        self._changes = self._detected = self._false_alarms = 0
        self._delay = 0  # of all detected changes together

    def truth(self, change: int) -> None:
        """Take the next change."""
        if change == self._last["prediction"] != 0:
            raise ValueError(f"the truth's cut {change} comes after an alarm at this time; expected the change first")
        self._change = self._arrive(change, "truth")
        self._changes += 1

    def pred(self, alarm: int) -> None:
        """Take the next alarm."""
        alarm = self._arrive(alarm, "prediction")
        change, self._change = self._change, None
        if change is not None and alarm - change <= self._limit:
            self._detected += 1
            self._delay += alarm - change
        else:
            self._false_alarms += 1

    def at(self, t: int) -> OnlineCounts:
        """Return the counts of the first t points."""
        t = self._reach(t)
        waiting = int(self._change is not None and t - self._change <= self._limit)
        missed = self._changes - self._detected - waiting
        mean = self._delay / self._detected if self._detected else math.nan
        rate = self._false_alarms / t if t else 0.0
        return OnlineCounts(self._changes, self._detected, missed, waiting, self._false_alarms, mean, rate)
