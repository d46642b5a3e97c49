"""Timestamps as exact integers: the number of units since a start.

A unit is a unit of NumPy's datetime64, from weeks to attoseconds. Times with a time zone are converted to UTC, so the
days on which clocks change have 23 or 25 hours. Nothing is rounded, and nothing becomes a float.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime, timedelta, timezone, tzinfo
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from ..arguments import choice
from .conversions import filled, first_where, refuse_first

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["EPOCH", "FINEST", "SECONDS", "Instants", "LengthOfTime", "Origin", "counted", "cuts_of_times", "finest"]
__all__ += ["in_one_unit", "in_unit", "in_units", "instants_of", "is_length_of_time", "is_timestamps"]
__all__ += ["no_length_of_time", "origin_of", "refuse_other", "unit_beside"]

# Seconds per unit, from the coarsest to the finest unit.
SECONDS = {"W": Fraction(7 * 86400), "D": Fraction(86400), "h": Fraction(3600), "m": Fraction(60), "s": Fraction(1)}
SECONDS |= {unit: Fraction(1, 1000**k) for k, unit in enumerate(("ms", "us", "ns", "ps", "fs", "as"), start=1)}
FINEST = list(SECONDS)[::-1]
EPOCH = datetime(1970, 1, 1)
MISSING = -(2**63)  # NaT as an integer
# How lengths of time are written: the largest unit of which a length is a whole number.
WRITTEN = {"d": "D", "h": "h", "min": "m", "s": "s", "ms": "ms", "us": "us", "ns": "ns"}
WRITTEN |= {unit: unit for unit in ("ps", "fs", "as")}
LENGTH = re.compile(rf"([0-9]+(?:\.[0-9]+)?)({'|'.join(WRITTEN)})")


class Origin:
    """Where the timestamps of a segmentation start, and their unit: equal for equal instants in any time zone."""

    __slots__ = ("start", "unit", "zone")

    def __init__(self, start: int, unit: str, zone: str | None) -> None:
        self.start = start  # units since 1970, in UTC if there is a zone
        self.unit = unit
        self.zone = zone  # None for times without a time zone

    def _parts(self) -> tuple[int, str, bool]:
        return self.start, self.unit, self.zone is None

    def __eq__(self, other: object) -> bool:
        return self._parts() == other._parts() if isinstance(other, Origin) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._parts())

    def __reduce__(self) -> tuple[type[Origin], tuple[int, str, str | None]]:
        return Origin, (self.start, self.unit, self.zone)

    @property
    def instant(self) -> Fraction:
        """The start in seconds since 1970."""
        return self.instant_at(0)

    def instant_at(self, count: int) -> Fraction:
        """Return the time that is a number of units after the start, in seconds since 1970."""
        return (self.start + count) * SECONDS[self.unit]

    def at(self, count: int) -> np.datetime64:
        """Return the time that is a number of units after the start."""
        import numpy as np

        found: np.datetime64 = self.times(np.array([count]))[0]
        return found

    def times(self, counts: NDArray[np.int64]) -> NDArray[np.datetime64]:
        """Return the times that are numbers of units after the start."""
        return filled(counts.size, lambda part: counts[part] + self.start).view(f"datetime64[{self.unit}]")

    def shown(self, count: int) -> str:
        """Return a time as text, as short as possible, with Z for UTC."""
        import numpy as np

        text = str(np.datetime_as_string(self.at(count), unit="auto"))
        minutes = ":00" if len(text.partition("T")[2]) == 2 else ""
        return f"{text}{minutes}{'' if self.zone is None else 'Z'}"


def finest(*units: str) -> str:
    """Return the finest of several units."""
    return min(units, key=FINEST.index)


class Instants(NamedTuple):
    """Times as integers: the number of units since 1970, in UTC if there is a zone."""

    counts: NDArray[np.int64]
    unit: str
    zone: str | None


def cuts_of_times(
    times: Any,  # noqa: ANN401
    start: Any,  # noqa: ANN401
    end: Any,  # noqa: ANN401
    unit: str | None,
) -> tuple[NDArray[np.int64], int, Origin]:
    """Return cuts as numbers of units since the start, the number of units from start to end, and the origin."""
    read = [instants_of([start], "start"), instants_of([end], "end"), instants_of(times, "times")]
    starts, ends, (counts, own_unit, _) = in_one_unit(read, ["start", "end", "times"], unit)
    first, last, zone = int(starts.counts[0]), int(ends.counts[0]), starts.zone
    origin = Origin(first, own_unit, zone)
    if last <= first:
        shown_end = Origin(last, own_unit, zone).shown(0)
        raise ValueError(f"end = {shown_end} does not exceed start = {origin.shown(0)}; expected start < end")
    _refuse_long(first, last, own_unit)

    def shown(k: int) -> str:
        return f"times[{k}] = {Origin(int(counts[k]), own_unit, zone).shown(0)}"

    refuse_first(
        counts.size,
        lambda part: (counts[part] < first) | (counts[part] > last),
        lambda k: f"{shown(k)} is outside {origin.shown(0)} < time < {origin.shown(last - first)}, start and end",
    )
    refuse_first(
        counts.size - 1,
        lambda part: counts[1:][part] <= counts[:-1][part],
        lambda k: (
            f"{shown(k + 1)} does not exceed {shown(k)}; times must strictly increase "
            f"({'drop the repeat' if counts[k + 1] == counts[k] else 'sort them first'})"
        ),
    )
    return filled(counts.size, lambda part: counts[part] - first), last - first, origin


def in_unit(cuts: NDArray[np.int64], length: int, origin: Origin, unit: str) -> tuple[NDArray[np.int64], int, Origin]:
    """Return cuts and a length in another unit, or raise unless each is a whole number of units that fits."""
    import numpy as np

    def instants(counts: NDArray[np.int64]) -> Instants:
        return Instants(origin.times(counts).view(np.int64), origin.unit, origin.zone)

    read = [instants(np.zeros(1, dtype=np.int64)), instants(np.array([length])), instants(cuts)]
    starts, ends, times = in_one_unit(read, ["start", "end", "cuts"], unit)
    first, last = int(starts.counts[0]), int(ends.counts[0])
    _refuse_long(first, last, unit)
    return filled(cuts.size, lambda part: times.counts[part] - first), last - first, Origin(first, unit, origin.zone)


def _refuse_long(first: int, last: int, unit: str) -> None:
    if last - first >= 2**63:
        raise ValueError(f"from start to end there are 2**63 {unit} or more; expected fewer (pass a coarser unit=)")


def in_one_unit(read: list[Instants], names: list[str], unit: str | None) -> list[Instants]:
    """Return times in one unit, by default the finest of their units, or raise if some lack a time zone.

    Empty sequences have neither a unit nor a time zone.
    """
    known = [own for own in read if own.counts.size]
    for own, name in zip(read, names, strict=True):
        if own.counts.size and (own.zone is None) != (known[0].zone is None):
            one, other = (names[0], name) if own.zone is None else (name, names[0])
            raise TypeError(
                f"{one} has a time zone but {other} does not; expected time zones on all times or on none of them"
            )
    if unit is None:
        unit = finest(*(own.unit for own in known or read))
    else:
        choice(unit, "unit", SECONDS)
    return [_in_unit(own, unit, name) for own, name in zip(read, names, strict=True)]


@dataclass(frozen=True, repr=False)
class LengthOfTime:
    """A length of time, exact, that is written as a number and a unit, as 5min.

    >>> LengthOfTime.of(timedelta(hours=1.5)), LengthOfTime.read("0.25s")
    (90min, 250ms)
    """

    seconds: Fraction

    @classmethod
    def of(cls, value: Any, name: str = "margin") -> LengthOfTime:  # noqa: ANN401
        """Return a timedelta of Python, NumPy or pandas as a length of time."""
        if isinstance(value, LengthOfTime):
            return value
        count, unit = _counted_in(value, name)
        return cls(count * SECONDS[unit])

    @classmethod
    def read(cls, text: str) -> LengthOfTime | None:
        """Return a length of time that is written as 5min, or None for another text."""
        found = LENGTH.fullmatch(text)
        return None if found is None else cls(Fraction(found[1]) * SECONDS[WRITTEN[found[2]]])

    def total_seconds(self) -> float:
        """Return the seconds, as a timedelta does."""
        return float(self.seconds)

    def __str__(self) -> str:
        whole = (f"{self.seconds / SECONDS[unit]}{name}" for name, unit in WRITTEN.items())
        return next((text for text in whole if "/" not in text), f"{float(self.seconds)}s") if self.seconds else "0s"

    def __repr__(self) -> str:
        return str(self)

    def __format__(self, form: str) -> str:
        return str(self)


def is_length_of_time(value: object) -> bool:
    """Whether a value is a timedelta of Python, NumPy or pandas, or a `LengthOfTime`."""
    return isinstance(value, timedelta | LengthOfTime) or type(value).__name__ == "timedelta64"


def no_length_of_time(value: Any, name: str) -> TypeError:  # noqa: ANN401
    """Return the error for another value than a length of time beside timestamps."""
    kind = "a number" if hasattr(value, "__float__") else f"of type {type(value).__name__}"
    return TypeError(
        f"{name} = {value!r:.60} is {kind}, but the cuts are timestamps; expected a length of time: "
        "timedelta(minutes=5), 5min inside the text of a metric and on the command line"
    )


def unit_beside(*sides: Any) -> str | None:  # noqa: ANN401
    """Return the unit of the timestamps among several inputs, or None without timestamps."""
    origin = origin_of(*sides)
    return None if origin is None else origin.unit


def origin_of(*sides: Any) -> Origin | None:  # noqa: ANN401
    """Return the start and unit of the timestamps of the first side that has any, or None."""
    return next((own for side in sides if (own := getattr(side, "_origin", None)) is not None), None)


def counted(value: Any, name: str, *sides: Any) -> Any:  # noqa: ANN401
    """Return a length of time as the number of units of the timestamps beside it; return other values unchanged.

    >>> from segscore import Segmentation
    >>> day = Segmentation.from_timestamps([], date(2024, 1, 1), date(2024, 1, 2), unit="s")
    >>> counted(timedelta(minutes=5), "margin", day), counted(5, "margin", day)
    (300, 5)
    """
    return in_units(value, name, unit_beside(*sides)) if is_length_of_time(value) else value


def in_units(value: Any, name: str, unit: str | None) -> int:  # noqa: ANN401
    """Return a length of time as a number of units; without a unit, the cuts are not timestamps."""
    if unit is None:
        raise TypeError(
            f"{name} = {value!r:.60} is a length of time, but the cuts are not timestamps; "
            "expected a number in the unit of the cuts (or Segmentation.from_timestamps)"
        )
    units = LengthOfTime.of(value, name).seconds / SECONDS[unit]
    if units.denominator != 1:
        is_own = isinstance(value, LengthOfTime)
        own = WRITTEN[re.sub("[0-9.]", "", str(value))] if is_own else _counted_in(value, name)[1]
        raise ValueError(
            f"{name} = {value!r:.60} is not a whole number of {unit}, the unit of the timestamps; "
            f"expected a multiple of it (or timestamps with unit={own!r})"
        )
    return int(units)


def _counted_in(value: Any, name: str) -> tuple[int, str]:  # noqa: ANN401
    """Return a timedelta as a number of a unit, and the unit."""
    import numpy as np

    if isinstance(value, timedelta) and not hasattr(value, "to_timedelta64"):
        return value // timedelta(microseconds=1), "us"
    exact = value.to_timedelta64() if hasattr(value, "to_timedelta64") else value  # a Timedelta of pandas
    base, step = np.datetime_data(exact.dtype)
    if base not in SECONDS or np.isnat(exact):
        raise ValueError(f"{name} = {value!r:.60} has no fixed length; expected weeks, days, hours or shorter units")
    return int(exact.astype(np.int64)) * step, base


def refuse_other(one: str, origin: Origin | None, other: str, others: Origin | None) -> None:
    """Raise unless two named inputs have timestamps with the same start and unit, or neither has timestamps."""
    if origin == others:
        return
    if origin is None or others is None:
        has, lacks = (one, other) if others is None else (other, one)
        raise TypeError(
            f"{has} has timestamps but {lacks} does not; expected timestamps on both sides "
            "(use Segmentation.from_timestamps)"
        )
    if (origin.zone is None) != (others.zone is None):
        has, lacks = (one, other) if others.zone is None else (other, one)
        raise TypeError(
            f"{has} has a time zone but {lacks} does not; expected time zones on both sides or on neither (give the "
            "times a time zone before from_timestamps)"
        )
    if origin.instant != others.instant:
        raise ValueError(
            f"{other} starts at {others.shown(0)} but {one} starts at {origin.shown(0)}; expected one start (pass the "
            "same start to from_timestamps)"
        )
    coarse, fine = sorted([(one, origin.unit), (other, others.unit)], key=lambda side: -FINEST.index(side[1]))
    raise ValueError(
        f"{other} counts {others.unit} but {one} counts {origin.unit}; expected one unit, so that numbers such as "
        f"margin=5 have one meaning (use {coarse[0]}.in_unit({fine[1]!r}))"
    )


def is_timestamps(values: Any) -> bool:  # noqa: ANN401
    """Whether values are a column, an array or a list of times, as opposed to numbers."""
    kind = str(getattr(values, "dtype", getattr(values, "type", ""))).lower()
    if kind not in ("", "object"):
        return kind.startswith(("datetime", "timestamp", "date", "<m8", ">m8"))
    first = next(iter(values), None) if hasattr(values, "__iter__") else None
    return isinstance(first, date) or type(first).__name__ == "datetime64"


def instants_of(values: Any, name: str) -> Instants:  # noqa: ANN401
    """Return times as integers: a column of pandas, Polars or Arrow, an array of NumPy, or any sequence of times."""
    import numpy as np

    where = name if name in ("start", "end") else None
    if isinstance(values, str | bytes | set | frozenset | dict) or not hasattr(values, "__iter__"):
        raise TypeError(f"{name} is {values!r:.60}; expected a sequence of times")
    kind: Any = getattr(values, "dtype", getattr(values, "type", None))
    zone = None
    if hasattr(values, "to_physical"):  # a column of Polars
        unit = getattr(kind, "time_unit", None) or ("D" if str(kind) == "Date" else None)
        if unit is None and len(values):
            raise TypeError(f"{name} holds {kind}; expected Datetime or Date (use str.to_datetime())")
        if values.null_count():
            raise ValueError(f"{name}[{values.is_null().arg_max()}] is null; expected a time (drop it first)")
        return Instants(values.to_physical().to_numpy().astype(np.int64), unit or "D", getattr(kind, "time_zone", None))
    arrow = getattr(kind, "pyarrow_dtype", kind)  # of pandas, or of Arrow itself
    if str(arrow).startswith("timestamp"):
        zone = arrow.tz
        values = np.asarray(values) if arrow is kind else values.to_numpy(dtype=f"datetime64[{arrow.unit}]")
    elif hasattr(kind, "tz"):  # a column of pandas
        zone, values = _name_of(kind.tz), values.to_numpy(dtype=f"datetime64[{kind.unit}]")
    if hasattr(values, "__array__") and not isinstance(values, datetime):
        array = np.asarray(values)
        if array.ndim != 1:
            raise ValueError(f"{name} has {array.ndim} dimensions; expected 1 (a flat sequence of times)")
        if array.dtype.kind == "M":
            return _of_array(array, zone, name)
        if array.size and array.dtype.kind != "O":
            raise TypeError(f"{name} holds {array.dtype}; expected datetime64 (or numbers with n= or duration=)")
        values = array
    read = [_instant(value, where or f"{name}[{k}]") for k, value in enumerate(values)]
    if not read:
        return Instants(np.empty(0, dtype=np.int64), "W", None)
    zone = read[0].zone
    for k, own in enumerate(read):
        if (own.zone is None) != (zone is None):
            one, other = (0, k) if zone is not None else (k, 0)
            raise TypeError(
                f"{name}[{one}] has a time zone but {name}[{other}] does not; "
                "expected time zones on all times or on none of them"
            )
    unit = finest(*(own.unit for own in read))
    factors = {own.unit: int(SECONDS[own.unit] / SECONDS[unit]) for own in read}
    counts = [own.units * factors[own.unit] for own in read]
    for k, count in enumerate(counts):
        if abs(count) >= 2**63:
            _refuse_range(read[k], unit, where or f"{name}[{k}]")
    return Instants(np.array(counts, dtype=np.int64), unit, zone)


class _Instant(NamedTuple):
    units: int  # since 1970
    unit: str
    zone: str | None


def _instant(value: Any, where: str) -> _Instant:  # noqa: ANN401
    """Return one time as an integer."""
    import numpy as np

    if hasattr(value, "to_datetime64"):  # a Timestamp of pandas
        zone = getattr(value, "tzinfo", None)
        own = _of_array(np.array([value.to_datetime64()]), None, where, is_one=True)
        return _Instant(int(own.counts[0]), own.unit, None if zone is None else _name_of(zone))
    if isinstance(value, np.datetime64):
        own = _of_array(np.array([value]), None, where, is_one=True)
        return _Instant(int(own.counts[0]), own.unit, None)
    if isinstance(value, datetime):
        zone = value.tzinfo if value.utcoffset() is not None else None
        since = value - (EPOCH if zone is None else EPOCH.replace(tzinfo=timezone.utc))
        return _Instant(since // timedelta(microseconds=1), "us", None if zone is None else _name_of(zone))
    if isinstance(value, date):
        return _Instant((value - EPOCH.date()).days, "D", None)
    raise TypeError(
        f"{where} = {value!r:.60} is {'an' if type(value).__name__[0] in 'aeiou' else 'a'} {type(value).__name__}; "
        "expected a time: datetime, date, numpy.datetime64 or a timestamp of pandas or Polars"
    )


def _of_array(array: NDArray[Any], zone: str | None, name: str, *, is_one: bool = False) -> Instants:
    """Return an array of datetime64 as integers."""
    import numpy as np

    unit, step = np.datetime_data(array.dtype)
    if unit in ("M", "Y"):
        array, unit, step = array.astype("datetime64[D]"), "D", 1
    elif step != 1:
        array = array.astype(f"datetime64[{unit}]")
    counts = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("=")).view(np.int64)
    refuse_first(
        counts.size,
        lambda part: counts[part] == MISSING,
        lambda k: f"{name if is_one else f'{name}[{k}]'} is NaT; expected a time (drop it first)",
    )
    return Instants(counts, unit if unit in SECONDS else "W", zone)


def _in_unit(own: Instants, unit: str, name: str) -> Instants:
    """Return the same times in another unit, or raise if a time is not a whole number of the unit, or too large."""
    counts, factor = own.counts, SECONDS[own.unit] / SECONDS[unit]
    times, step = (min(part, 2**63 - 1) for part in (factor.numerator, factor.denominator))  # beyond, only 0 fits
    if factor == 1 or not counts.size:
        return Instants(counts, unit, own.zone)

    def at(k: int) -> tuple[str, _Instant]:
        where = name if name in ("start", "end") else f"{name}[{k}]"
        return where, _Instant(int(counts[k]), own.unit, own.zone)

    if times > 1:
        most = (2**63 - 1) // factor.numerator
        far = first_where(counts.size, lambda part: (counts[part] > most) | (counts[part] < -most))
        if far is not None:
            where, instant = at(far)
            _refuse_range(instant, unit, where)
        return Instants(filled(counts.size, lambda part: counts[part] * times), unit, own.zone)
    broken = first_where(counts.size, lambda part: counts[part] % step != 0)
    if broken is not None:
        where, (units, _, _) = at(broken)
        shown = Origin(units, own.unit, own.zone).shown(0)
        raise ValueError(f"{where} = {shown} is not a whole number of {unit}; expected a finer unit=")
    return Instants(filled(counts.size, lambda part: counts[part] // step), unit, own.zone)


def _refuse_range(own: _Instant, unit: str, where: str) -> None:
    shown = Origin(own.units, own.unit, own.zone).shown(0)
    raise ValueError(
        f"{where} = {shown} is 2**63 {unit} or more from 1970; expected a time that fits (pass a coarser unit=)"
    )


def _name_of(zone: tzinfo) -> str:
    """Return the name of a time zone: Europe/Berlin, UTC, or a fixed offset such as +02:00.

    The rules of other zones are unknown here; times are then shown in UTC.
    """
    name = getattr(zone, "key", None) or getattr(zone, "zone", None)  # of zoneinfo and of pytz
    offset = None
    with suppress(Exception):  # classes of users need not know an offset without a time
        offset = zone.utcoffset(None)
    if name is not None or offset is None:
        return str(name or "UTC")
    if not offset:
        return "UTC"
    minutes, seconds = divmod(abs(offset) // timedelta(seconds=1), 60)
    if seconds:
        return "UTC"
    return f"{'-' if offset < timedelta(0) else '+'}{minutes // 60:02}:{minutes % 60:02}"
