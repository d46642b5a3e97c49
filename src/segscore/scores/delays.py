"""The delay family: delays, misses and false alarms of a detector that watches a stream.

``truth`` holds the changes and ``pred`` the times of the alarms: an alarm at time a is raised when point a arrives. The
rule of segments: the first alarm at or after a change, and before the next change, detects the change if its delay is
at most ``max_delay`` (inclusive; without ``max_delay=`` every delay is accepted). Every other alarm is false: an alarm
before the first change, a late alarm, or a second alarm after the same change. An alarm before a change never detects
the change. As everywhere, 0 and n are not cuts, so alarms at 0 and n do not count. In time, a ``max_delay`` above 0 is
widened by 4 units in the last place of the time of the alarm, because decimal times are rounded to binary.

`segscore.scores.pairs` explains the other arguments. All functions are O(r+s) for r alarms and s changes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from .. import _core, arguments
from ..segmentation.lengths_of_time import counted
from ..segmentation.segmentation import Cuts
from ..segmentation.timestamps import Origin, origin_of
from ..showing import Result, Shown, Table, number_text

__all__ = [
    "Online",
    "average_run_length",
    "delay_quantile",
    "false_alarm_rate",
    "mean_delay",
    "miss_rate",
    "online",
    "online_f1",
]


class Detection(NamedTuple):
    """A change, its alarm and its delay; alarm and delay are None for a missed change."""

    change: float
    alarm: float | None
    delay: float | None


class Online(Result, Table):
    """Detections, missed changes and false alarms of a detector that watches a stream.

    ``rows`` holds one row per change. Only detected changes have delays, so read the delays together with
    ``miss_rate``. ``in_control`` is the time before the first change, and from each detection to the next change.
    """

    __slots__ = ("_limit", "_origin", "false_alarms", "in_control", "n", "rows")

    def __init__(
        self,
        rows: Iterable[Sequence[Any]],
        false_alarms: Iterable[float],
        n: float,
        in_control: float,
        limit: float | None = None,
        origin: Origin | None = None,
    ) -> None:
        self.rows = [Detection(*row) for row in rows]
        self.false_alarms = list(false_alarms)
        self.n = n  # the length, or the duration
        self.in_control = in_control
        self._limit = limit  # largest delay
        self._origin = origin

    def __reduce__(self) -> tuple[type[Online], tuple[Any, ...]]:
        return Online, (self.rows, self.false_alarms, self.n, self.in_control, self._limit, self._origin)

    def _score(self, score: Callable[..., float], limit: float | None, *options: float) -> float:
        """Compute a score of the catalog from the changes and the alarms."""
        changes = [row.change for row in self.rows]
        alarms = sorted([*self.false_alarms, *(row.alarm for row in self.rows if row.alarm is not None)])
        lengths = (None, self.n) if isinstance(self.n, float) else (self.n, None)
        return score(changes, alarms, *lengths, limit, *options)

    @property
    def delays(self) -> list[float]:
        """Delays of the detected changes, in time order."""
        return [row.delay for row in self.rows if row.delay is not None]

    @property
    def detected(self) -> int:
        """Number of detected changes."""
        return len(self.delays)

    @property
    def missed(self) -> list[float]:
        """Changes that no alarm detects."""
        return [row.change for row in self.rows if row.delay is None]

    @property
    def miss_rate(self) -> float:
        """Share of changes that are missed; nan without a change."""
        return self._score(_core.miss_rate, self._limit)

    @property
    def mean_delay(self) -> float:
        """Mean delay of the detected changes, also known as ARL1; nan if no change is detected."""
        return self._score(_core.mean_delay, self._limit)

    @property
    def median_delay(self) -> float:
        """Median delay of the detected changes; nan if no change is detected."""
        return self.quantile(0.5)

    @property
    def largest_delay(self) -> float:
        """Largest delay of the detected changes; nan if no change is detected."""
        return max(self.delays, default=math.nan)

    @property
    def penalised_mean_delay(self) -> float:
        """Mean delay over all changes; a missed change counts as the length of its segment."""
        ends = [*(row.change for row in self.rows), self.n][1:]
        waits = [end - row.change if row.delay is None else row.delay for row, end in zip(self.rows, ends, strict=True)]
        return math.fsum(waits) / len(waits) if waits else math.nan

    @property
    def false_alarm_rate(self) -> float:
        """Number of false alarms per point, or per unit of time."""
        return self._score(_core.false_alarm_rate, self._limit)

    @property
    def average_run_length(self) -> float:
        """Time in control per false alarm, also known as ARL0; inf without a false alarm."""
        return self._score(_core.average_run_length, self._limit)

    @property
    def f1(self) -> float:
        """F1: harmonic mean of the share of true alarms and the share of detected changes."""
        return self._score(_core.online_f1, self._limit)

    def f1_within(self, delay: float) -> float:
        """Compute F1 for a delay limit: detections with a larger delay are misses and false alarms.

        For timestamps, the limit may be a timedelta.

        >>> result = online([100, 300], [104, 350], n=500)
        >>> [result.f1_within(delay) for delay in (3, 4, 50)]
        [0.0, 0.5, 1.0]
        """
        limit = arguments.number(counted(delay, "delay", self), "delay", "0 or more")
        if limit < 0:
            raise ValueError(f"delay = {delay} is negative; expected 0 or more")
        return self._score(_core.online_f1, limit if self._limit is None else min(limit, self._limit))

    def quantile(self, share: float) -> float:
        """Compute a quantile of the delays of the detected changes, with linear interpolation.

        >>> online([100, 200, 300], [101, 204, 310], n=500).quantile(0.9)
        8.8
        """
        return self._score(_core.delay_quantile, self._limit, share)

    def to_dict(self) -> dict[str, Any]:
        """Return the summary, the detections and the false alarms as plain Python objects."""
        own = {"false_alarms": list(self.false_alarms), "rows": [row._asdict() for row in self.rows]}
        return {"n": self.n, **dict(self._summary()), **own}

    def _summary(self) -> list[tuple[str, float]]:
        names = ("detected", "miss_rate", "mean_delay", "median_delay", "largest_delay", "false_alarm_rate")
        return [
            ("changes", len(self.rows)),
            *((name, getattr(self, name)) for name in names),
            ("false_alarms", len(self.false_alarms)),
            ("average_run_length", self.average_run_length),
            ("f1", self.f1),
        ]

    def _table(self) -> tuple[type[Detection], Iterable[Detection]]:
        return Detection, self.rows

    def _shown(self) -> Shown:
        rows = [(name.replace("_", " "), number_text(value)) for name, value in self._summary()]
        return Shown([], ("", "value"), "lr", rows)


def online(
    truth: Cuts,
    pred: Cuts,
    *,
    n: int | None = None,
    duration: float | None = None,
    max_delay: float | None = None,
) -> Online:
    """Find which alarms detect which changes, with delays, misses, false alarms and run lengths.

    >>> online([1000, 2000], [1010, 1020, 1030, 2500], n=3000, max_delay=200)
                           value
    changes                    2
    detected                   1
    miss rate                0.5
    mean delay                10
    median delay              10
    largest delay             10
    false alarm rate       0.001
    false alarms               3
    average run length   663.333
    f1                  0.333333

    Reference: Page (1954) for run lengths; Aminikhanghahi & Cook (2017).
    """
    changes, alarms, all_changes, all_alarms, length, in_control = _core.online(truth, pred, n, duration, max_delay)
    found = dict(zip(changes, alarms, strict=True))
    rows = []
    for k, change in enumerate(all_changes):
        alarm = all_alarms[found[k]] if k in found else None
        rows.append((change, alarm, None if alarm is None else alarm - change))
    used = set(alarms)
    false_alarms = (alarm for k, alarm in enumerate(all_alarms) if k not in used)
    limit = counted(max_delay, "max_delay", truth, pred)
    return Online(rows, false_alarms, length, in_control, limit, origin_of(truth, pred))


def online_f1(
    truth: Cuts,
    pred: Cuts,
    *,
    n: int | None = None,
    duration: float | None = None,
    max_delay: float | None = None,
) -> float:
    """F1 of alarms that detect changes within a delay limit.

    2 d / (r + s) for d detected changes, r alarms and s changes; in [0, 1], best 1, not symmetric, O(r+s). The value is
    1 if there are neither changes nor alarms, and 0 if there are only changes or only alarms.

    >>> online_f1([100, 300], [104, 350], n=500, max_delay=10)
    0.5

    Reference: van Rijsbergen (1979).
    """
    return _core.online_f1(truth, pred, n, duration, max_delay)


def mean_delay(
    truth: Cuts,
    pred: Cuts,
    *,
    n: int | None = None,
    duration: float | None = None,
    max_delay: float | None = None,
) -> float:
    """Mean delay of the alarms that detect a change, within a delay limit.

    At least 0, best 0, not symmetric, O(r+s). Missed changes do not count, so report `miss_rate` too. The value is nan
    if no change is detected.

    >>> mean_delay([100, 300], [104, 350], n=500)
    27.0

    Reference: Page (1954), average run length under a change.
    """
    return _core.mean_delay(truth, pred, n, duration, max_delay)


def delay_quantile(
    truth: Cuts,
    pred: Cuts,
    *,
    n: int | None = None,
    duration: float | None = None,
    max_delay: float | None = None,
    share: float = 0.5,
) -> float:
    """Quantile of the delays of the alarms that detect a change; the median by default.

    The delay that a ``share`` of the detected changes does not exceed, with linear interpolation between two delays. At
    least 0, best 0, not symmetric, O(r+s). Missed changes do not count, so report `miss_rate` too. The value is nan if
    no change is detected.

    >>> delay_quantile([100, 200, 300], [101, 204, 310], n=500, share=0.9)
    8.8

    Reference: Hyndman & Fan (1996), definition 7.
    """
    return _core.delay_quantile(truth, pred, n, duration, max_delay, share)


def miss_rate(
    truth: Cuts,
    pred: Cuts,
    *,
    n: int | None = None,
    duration: float | None = None,
    max_delay: float | None = None,
) -> float:
    """Share of changes that no alarm detects within a delay limit.

    In [0, 1], best 0, not symmetric, O(r+s). The value is nan if there is no change.

    >>> miss_rate([100, 300], [104, 350], n=500, max_delay=10)
    0.5

    Reference: Aminikhanghahi & Cook (2017).
    """
    return _core.miss_rate(truth, pred, n, duration, max_delay)


def false_alarm_rate(
    truth: Cuts,
    pred: Cuts,
    *,
    n: int | None = None,
    duration: float | None = None,
    max_delay: float | None = None,
) -> float:
    """Number of alarms that detect no change within a delay limit, per point or unit of time.

    At least 0, best 0, not symmetric, O(r+s). The value is 0 if n is 0.

    >>> false_alarm_rate([100, 300], [104, 350], n=500, max_delay=10)
    0.002

    Reference: Aminikhanghahi & Cook (2017).
    """
    return _core.false_alarm_rate(truth, pred, n, duration, max_delay)


def average_run_length(
    truth: Cuts,
    pred: Cuts,
    *,
    n: int | None = None,
    duration: float | None = None,
    max_delay: float | None = None,
) -> float:
    """Time in control per false alarm, also known as ARL0, with a delay limit.

    The time in control is the time before the first change, and from each detection to the next change. At least 0,
    best inf, not symmetric, O(r+s). The value is inf if there is no false alarm.

    >>> average_run_length([100, 300], [104, 350], n=500, max_delay=10)
    296.0

    Reference: Page (1954).
    """
    return _core.average_run_length(truth, pred, n, duration, max_delay)
