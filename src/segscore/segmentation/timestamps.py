"""Timestamps as exact integers: the number of units since a start.

A unit is a unit of NumPy's datetime64, from weeks to nanoseconds. Times with a time zone are converted to UTC, so the
days on which clocks change have 23 or 25 hours. Nothing is rounded, and nothing becomes a float.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from datetime import date, datetime, timedelta, timezone, tzinfo
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from ..arguments import choice
from .conversions import first_where, refuse_first

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["EPOCH", "FINER", "FINEST", "SECONDS", "ZONES", "Instants", "Origin", "cut_problem", "cuts_of_times"]
__all__ += ["finest", "in_one_unit", "in_unit", "instants_of", "is_timestamps", "origin_of", "range_problem"]
__all__ += ["refuse_mixed_zones", "refuse_other", "span_problem", "unit_beside"]

# Seconds per unit, from the coarsest to the finest unit.
SECONDS = {"W": Fraction(7 * 86400), "D": Fraction(86400), "h": Fraction(3600), "m": Fraction(60), "s": Fraction(1)}
SECONDS |= {unit: Fraction(1, 1000**k) for k, unit in enumerate(("ms", "us", "ns"), start=1)}
FINEST = list(SECONDS)[::-1]
FINER = ("ps", "fs", "as")  # units of NumPy that no clock needs, and that are refused
EPOCH = datetime(1970, 1, 1)
NAT = -(2**63)  # NaT as an integer
ZONES = "expected time zones on all times or on none of them"


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
        return (counts + self.start).view(f"datetime64[{self.unit}]")

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
    problem = span_problem(first, last, own_unit, zone)
    if problem is not None:
        raise ValueError(problem)
    refuse_first(
        (counts < first) | (counts > last), lambda k: cut_problem("times", k, counts, (first, last), own_unit, zone)
    )
    refuse_first(
        counts[1:] <= counts[:-1], lambda k: cut_problem("times", k + 1, counts, (first, last), own_unit, zone)
    )
    return counts - first, last - first, origin


def span_problem(first: int, last: int, unit: str, zone: str | None) -> str | None:
    """Return the error about a start and an end, as numbers of units since 1970, or None."""
    shown = Origin(0, unit, zone).shown
    if last <= first:
        return f"end = {shown(last)} does not exceed start = {shown(first)}; expected start < end"
    if last - first >= 2**63:
        return f"from start to end there are 2**63 {unit} or more; expected fewer (use a coarser unit)"
    return None


def cut_problem(
    name: str, k: int, counts: NDArray[np.int64], span: tuple[int, int], unit: str, zone: str | None
) -> str:
    """Return the error about a time that is outside a span, or not after the time before it."""
    shown = Origin(0, unit, zone).shown
    first, last = span
    time = f"{name}[{k}] = {shown(int(counts[k]))}"
    if not first <= counts[k] <= last:
        return f"{time} is outside {shown(first)} < time < {shown(last)}, start and end"
    remedy = "drop the repeat" if counts[k] == counts[k - 1] else "sort them first"
    before = f"{name}[{k - 1}] = {shown(int(counts[k - 1]))}"
    return f"{time} does not exceed {before}; times must strictly increase ({remedy})"


def range_problem(where: str, time: Origin, unit: str) -> str:
    """Return the error about a time that has no 64-bit number in a unit."""
    return (
        f"{where} = {time.shown(0)} is 2**63 {unit} or more from 1970; expected a time that fits (use a coarser unit)"
    )


def refuse_mixed_zones(zones: Iterable[tuple[str, str | None]]) -> None:
    """Raise unless all times, which are given with their names, have a time zone, or none of them has one."""
    first, *others = [*zones] or [("", None)]
    for other in others:
        if (other[1] is None) != (first[1] is None):
            has, lacks = (first[0], other[0]) if other[1] is None else (other[0], first[0])
            raise TypeError(f"{has} has a time zone but {lacks} does not; {ZONES}")


def in_unit(cuts: NDArray[np.int64], length: int, origin: Origin, unit: str) -> tuple[NDArray[np.int64], int, Origin]:
    """Return cuts and a length in another unit, or raise unless each is a whole number of units that fits."""
    import numpy as np

    def instants(counts: NDArray[np.int64]) -> Instants:
        return Instants(origin.times(counts).view(np.int64), origin.unit, origin.zone)

    read = [instants(np.zeros(1, dtype=np.int64)), instants(np.array([length])), instants(cuts)]
    starts, ends, times = in_one_unit(read, ["start", "end", "cuts"], unit)
    first, last = int(starts.counts[0]), int(ends.counts[0])
    problem = span_problem(first, last, unit, origin.zone)
    if problem is not None:
        raise ValueError(problem)
    return times.counts - first, last - first, Origin(first, unit, origin.zone)


def in_one_unit(read: list[Instants], names: list[str], unit: str | None) -> list[Instants]:
    """Return times in one unit, by default the finest of their units, or raise if some lack a time zone.

    Empty sequences have neither a unit nor a time zone.
    """
    dated = [(name, times) for name, times in zip(names, read, strict=True) if times.counts.size]
    refuse_mixed_zones((name, times.zone) for name, times in dated)
    if unit is None:
        unit = finest(*([times.unit for _, times in dated] or [times.unit for times in read]))
    else:
        choice(unit, "unit", SECONDS)
    return [_in_unit(times, unit, name) for times, name in zip(read, names, strict=True)]


def unit_beside(*sides: Any) -> str | None:  # noqa: ANN401
    """Return the unit of the timestamps among several inputs, or None without timestamps."""
    origin = origin_of(*sides)
    return None if origin is None else origin.unit


def origin_of(*sides: Any) -> Origin | None:  # noqa: ANN401
    """Return the start and unit of the timestamps of the first side that has any, or None."""
    return next((own for side in sides if (own := getattr(side, "_origin", None)) is not None), None)


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

    if isinstance(values, str | bytes | set | frozenset | dict) or not hasattr(values, "__iter__"):
        raise TypeError(f"{name} is {values!r:.60}; expected a sequence of times")
    if hasattr(values, "to_physical"):
        return _of_polars(values, name)
    values, zone = _without_zone(values)
    if not hasattr(values, "__array__"):
        return _of_objects(values, name)
    array = np.asarray(values)
    if array.ndim != 1:
        raise ValueError(f"{name} has {array.ndim} dimensions; expected 1 (a flat sequence of times)")
    if array.dtype.kind == "M":
        return _of_array(array, zone, name)
    if array.size and array.dtype.kind != "O":
        raise TypeError(f"{name} holds {array.dtype}; expected datetime64 (or numbers with n= or duration=)")
    return _of_objects(array, name)


def _of_polars(column: Any, name: str) -> Instants:  # noqa: ANN401
    """Return a column of Polars as integers."""
    kind = column.dtype
    unit = getattr(kind, "time_unit", None) or ("D" if str(kind) == "Date" else None)
    if unit is None and len(column):
        raise TypeError(f"{name} holds {kind}; expected Datetime or Date (use str.to_datetime())")
    if column.null_count():
        raise ValueError(f"{name}[{column.is_null().arg_max()}] is null; expected a time (drop it first)")
    return Instants(column.to_physical().to_numpy().astype("int64"), unit or "D", getattr(kind, "time_zone", None))


def _without_zone(values: Any) -> tuple[Any, str | None]:  # noqa: ANN401
    """Return a column of pandas or Arrow as an array in UTC, and its time zone; return other values unchanged."""
    import numpy as np

    kind: Any = getattr(values, "dtype", getattr(values, "type", None))
    arrow = getattr(kind, "pyarrow_dtype", kind)  # a type of pandas, or of Arrow itself
    if str(arrow).startswith("timestamp"):
        return np.asarray(values) if arrow is kind else values.to_numpy(dtype=f"datetime64[{arrow.unit}]"), arrow.tz
    if hasattr(kind, "tz"):
        return values.to_numpy(dtype=f"datetime64[{kind.unit}]"), _name_of(kind.tz)
    return values, None


def _of_objects(values: Iterable[Any], name: str) -> Instants:
    """Return objects of Python, NumPy or pandas as integers, in the finest of their units."""
    import numpy as np

    read = [_instant(value, _place(name, k)) for k, value in enumerate(values)]
    if not read:
        return Instants(np.empty(0, dtype=np.int64), "W", None)
    refuse_mixed_zones((_place(name, k), time.zone) for k, time in enumerate(read))
    unit = finest(*(time.unit for time in read))
    factors = {time.unit: int(SECONDS[time.unit] / SECONDS[unit]) for time in read}
    counts = [time.units * factors[time.unit] for time in read]
    for k, count in enumerate(counts):
        if abs(count) >= 2**63:
            _refuse_range(read[k], unit, _place(name, k))
    return Instants(np.array(counts, dtype=np.int64), unit, read[0].zone)


def _place(name: str, k: int) -> str:
    """Return how errors name one of several times; there is only one start and one end."""
    return name if name in ("start", "end") else f"{name}[{k}]"


class _Instant(NamedTuple):
    units: int  # since 1970
    unit: str
    zone: str | None


def _instant(value: Any, where: str) -> _Instant:  # noqa: ANN401
    """Return one time as an integer."""
    import numpy as np

    exact = value.to_datetime64() if hasattr(value, "to_datetime64") else value  # a Timestamp of pandas
    if isinstance(exact, np.datetime64):
        times, zone = _of_array(np.array([exact]), None, where, is_one=True), getattr(value, "tzinfo", None)
        return _Instant(int(times.counts[0]), times.unit, None if zone is None else _name_of(zone))
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
    elif unit in FINER:
        raise ValueError(f"{name} has the unit {unit}; expected ns or a coarser unit (use astype('datetime64[ns]'))")
    elif step != 1:
        array = array.astype(f"datetime64[{unit}]")
    counts = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("=")).view(np.int64)
    refuse_first(
        counts == NAT, lambda k: f"{name if is_one else f'{name}[{k}]'} is NaT; expected a time (drop it first)"
    )
    return Instants(counts, unit if unit in SECONDS else "W", zone)


def _in_unit(times: Instants, unit: str, name: str) -> Instants:
    """Return the same times in another unit, or raise if a time is not a whole number of the unit, or too large."""
    counts, factor = times.counts, SECONDS[times.unit] / SECONDS[unit]
    multiple, step = factor.numerator, factor.denominator
    if factor == 1 or not counts.size:
        return Instants(counts, unit, times.zone)

    def at(k: int) -> tuple[str, _Instant]:
        return _place(name, k), _Instant(int(counts[k]), times.unit, times.zone)

    if multiple > 1:
        most = (2**63 - 1) // multiple
        far = first_where((counts > most) | (counts < -most))
        if far is not None:
            where, instant = at(far)
            _refuse_range(instant, unit, where)
        return Instants(counts * multiple, unit, times.zone)
    broken = first_where(counts % step != 0)
    if broken is not None:
        where, (units, _, _) = at(broken)
        shown = Origin(units, times.unit, times.zone).shown(0)
        raise ValueError(f"{where} = {shown} is not a whole number of {unit}; expected a finer unit=")
    return Instants(counts // step, unit, times.zone)


def _refuse_range(own: _Instant, unit: str, where: str) -> None:
    raise ValueError(range_problem(where, Origin(own.units, own.unit, own.zone), unit))


def _name_of(zone: tzinfo) -> str:
    """Return the name of a time zone: Europe/Berlin, UTC, or a fixed offset such as +02:00.

    The rules of other zones are unknown here; times are then shown in UTC.
    """
    name = getattr(zone, "key", None) or getattr(zone, "zone", None)  # names in zoneinfo and in pytz
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
