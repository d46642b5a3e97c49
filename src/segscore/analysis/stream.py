"""Streams: scores of all points so far, or of the latest points, while cuts arrive.

A stream counts points: cuts and times are integers. With ``in_time=True`` they are real numbers, and the scores are
those with ``duration=t``. A stream has no length that would tell the two apart, so the flag does.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from .. import _core, arguments
from ..scores.pairs import PairCounts

__all__ = ["OnlineCounts", "RunningOnline", "RunningRand", "WindowedRand"]


class _Clock:
    """The present time of a stream: cuts of both sides and questions come in time order."""

    __slots__ = ("_in_time", "_last", "_now")

    def __init__(self, in_time: bool) -> None:
        self._in_time = arguments.flag(in_time, "in_time")
        self._now: Any = 0  # the latest cut or question
        self._last: dict[str, Any] = {"truth": 0, "prediction": 0}  # the latest cut of each side

    def __repr__(self) -> str:
        last = ", ".join(f"last cut of the {side}: {cut or 'none'}" for side, cut in self._last.items())
        return f"{type(self).__name__}(now={self._now}, {last})"

    def _place(self, value: object, name: str, least: int | None = None) -> Any:  # noqa: ANN401
        """Return a place in the stream: an integer, or in time a float."""
        if not self._in_time:
            if isinstance(value, float):
                remedy = "expected an integer (or in_time=True for real-valued time)"
                raise TypeError(f"{name} = {value!r} is a float; {remedy}")
            return arguments.integer(value, name, least=least, most=2**63 - 1)
        time = arguments.number(value, name)
        if abs(time) > 1e60 or 0 < abs(time) < 1e-60 or (least is not None and time < least):
            raise ValueError(
                f"{name} = {time!s:.40} is out of range; expected 0, or a time from 1e-60 to 1e60 (use another unit)"
            )
        return float(time)

    def _reach(self, t: float) -> Any:  # noqa: ANN401
        t = self._place(t, "t", 0)
        if t < self._now:
            raise ValueError(f"t = {t} is before the present time {self._now}; expected a later time")
        self._now = t
        return t

    def _arrive(self, cut: float, side: str) -> Any:  # noqa: ANN401
        """Check the next cut of a side, and return it."""
        cut = self._place(cut, f"the {side}'s cut")
        if cut <= 0:
            first = "start" if self._in_time else "first point"
            raise ValueError(f"the {side}'s cut {cut} is not positive; expected the {first} of a new segment")
        if cut < self._now:
            raise ValueError(
                f"the {side}'s cut {cut} is before the present time {self._now}; expected cuts in time order"
            )
        if cut == self._last[side]:
            raise ValueError(f"the {side}'s cut {cut} was given already; expected cuts that increase")
        self._now = self._last[side] = cut
        return cut


class _Counted(_Clock):
    """A stream whose pairs the core counts."""

    __slots__ = ("_pairs",)

    _pairs: Any

    def truth(self, cut: float) -> None:
        """Take the truth's next cut."""
        self._pairs.cut_truth(self._arrive(cut, "truth"))

    def pred(self, cut: float) -> None:
        """Take the prediction's next cut."""
        self._pairs.cut_pred(self._arrive(cut, "prediction"))

    def at(self, t: float) -> float:
        """Return the Rand Index of the points, or of the time, that count at time t."""
        index: float = self._pairs.rand_index(self._reach(t))
        return index

    def pair_counts(self, t: float) -> PairCounts:
        """Count the pairs kept together by both sides, one, or neither at time t; in time return areas."""
        return PairCounts(*self._pairs.counts(self._reach(t)))


class RunningRand(_Counted):
    """Rand Index of every prefix of a stream, from the cuts of both sides in time order.

    A cut at c means that point c starts a new segment. `truth` and `pred` take the next cut of their side; `at` returns
    the Rand Index of the first t points. Each call takes O(1) time, and the memory is O(1), however long the stream is.
    The numbers are exact at any length.

    Time only goes forward: a cut may not lie before an earlier cut or before a prefix that was asked for, because the
    cut would change an answer already given. If a detector reports late, for example at time 120 that point 100 started
    a new segment, do not ask for prefixes above 100 before time 120, or use `rand_index` at the end.

    With ``in_time=True``, `at` returns the Rand Index of the first t units of time, and `pair_counts` returns areas.
    After N cuts, an area x has an error of at most 1e-15 x + 1e-31 N t**2.

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
    >>> seconds = RunningRand(in_time=True)
    >>> seconds.truth(2.5)
    >>> seconds.pred(3.0)
    >>> seconds.at(10.0)
    0.905
    """

    __slots__ = ()

    def __init__(self, *, in_time: bool = False) -> None:
        super().__init__(in_time)
        self._pairs = _core.RunningAreas() if in_time else _core.RunningPairs()


class WindowedRand(_Counted):
    """Rand Index of the latest points of a stream, from the cuts of both sides in time order.

    As `RunningRand`, but `at` returns the Rand Index of the last ``window`` points before t. Older points do not count,
    so the value falls soon after a detector gets worse. Each call takes O(1) amortised time. The memory is bounded:
    only the cuts of the window are kept, at most ``window`` per side. The numbers are exact. With ``in_time=True``, the
    window is a time, and after N cuts an area x has an error of at most 1e-15 x + 1e-31 N window**2.

    >>> latest = WindowedRand(100)
    >>> latest.truth(30)
    >>> round(latest.at(100), 4)
    0.5758
    >>> latest.at(200)
    1.0
    >>> seconds = WindowedRand(2.5, in_time=True)
    >>> seconds.truth(30.5)
    >>> seconds.at(31.5), seconds.at(33.0)
    (0.52, 1.0)
    """

    __slots__ = ()

    def __init__(self, window: float, *, in_time: bool = False) -> None:
        super().__init__(in_time)
        if not in_time:
            self._pairs = _core.WindowedPairs(min(arguments.integer(window, "window", least=1), 2**63 - 1))
            return
        size = arguments.number(window, "window")
        if not 1e-60 <= size <= 1e60:
            raise ValueError(
                f"window = {window!s:.40} is out of range; expected a time from 1e-60 to 1e60 (use another unit)"
            )
        self._pairs = _core.WindowedAreas(float(size))


class OnlineCounts(NamedTuple):
    """Changes, detections, misses, false alarms, mean delay, run length and F1 so far.

    ``waiting`` is 1 if the latest change can still be detected, else 0. Such a change is not missed, but like a missed
    change it counts in ``f1``, and the time since the change is not in control. Quantiles of delays are not among the
    counts, because exact quantiles need the memory of all delays; `segscore.online` computes them afterwards.
    """

    changes: int
    detected: int
    missed: int
    waiting: int
    false_alarms: int
    mean_delay: float
    false_alarm_rate: float
    average_run_length: float
    f1: float


class RunningOnline(_Clock):
    """Delays, misses and false alarms of a detector so far, while changes and alarms arrive.

    `truth` takes the next change and `pred` the next alarm, in time order; a change comes before an alarm at the same
    time. `at` returns the counts of all changes and alarms so far. They are those of `online` for the first t points,
    and of events at time t itself, if these have arrived. Each call takes O(1) time, and the memory is O(1), however
    long the stream is. With ``in_time=True``, changes, alarms and the limit are real-valued times.

    >>> running = RunningOnline(max_delay=200)
    >>> running.truth(1000)
    >>> for alarm in (1010, 1020):
    ...     running.pred(alarm)
    >>> now = running.at(1500)
    >>> now.changes, now.detected, now.false_alarms, now.mean_delay, now.average_run_length
    (1, 1, 1, 10.0, 1490.0)
    """

    __slots__ = ("_detections",)

    def __init__(self, max_delay: float | None = None, *, in_time: bool = False) -> None:
        super().__init__(in_time)
        most = 1e60 if self._in_time else 2**63 - 1  # no delay is larger
        limit = most if max_delay is None else arguments.number(max_delay, "max_delay", "0 or more")
        if limit < 0:
            raise ValueError(f"max_delay = {max_delay!s:.40} is negative; expected 0 or more")
        limit = min(limit, most)
        if not self._in_time and limit != int(limit):
            raise ValueError(
                f"max_delay = {max_delay!s:.40} is not whole, but the cuts are points; expected an integer, or "
                "in_time=True"
            )
        self._detections: Any = (
            _core.RunningDetectionsInTime(float(limit)) if self._in_time else _core.RunningDetections(int(limit))
        )

    def truth(self, change: float) -> None:
        """Take the next change."""
        change = self._place(change, "the truth's cut")
        if change == self._last["prediction"] != 0:
            raise ValueError(f"the truth's cut {change} comes after an alarm at this time; expected the change first")
        self._detections.take_change(self._arrive(change, "truth"))

    def pred(self, alarm: float) -> None:
        """Take the next alarm."""
        self._detections.take_alarm(self._arrive(alarm, "prediction"))

    def at(self, t: float) -> OnlineCounts:
        """Return the counts of the first t points."""
        return OnlineCounts(*self._detections.counts(self._reach(t)))
