"""Columns of timestamps as exact integers: the number of units since the start of each row.

This is the one place at which the timestamps of a table become cuts in points. The unit is the finest unit of the
columns, and the length of a row is the number of units from its start to its end.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import _core
from ..optional import library
from ..segmentation.timestamps import (
    EPOCH,
    SECONDS,
    ZONES,
    Origin,
    cut_problem,
    finest,
    instants_of,
    range_problem,
    refuse_mixed_zones,
    span_problem,
)
from .options import Options
from .states import INVALID, UNREADABLE

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["CountedTimes", "counted_times", "mixed_rows", "times_of_texts"]

ISO = re.compile(r"(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?)?(Z|[+-]\d\d:?\d\d)?")


class CountedTimes(NamedTuple):
    """A table whose timestamps are counted."""

    table: Any  # pyarrow Table, with cuts as integers and a new column of lengths
    options: Options  # options for this table
    unit: str
    zone: str | None
    starts: NDArray[np.int64]  # start of each row, in units since 1970
    problems: dict[int, tuple[int, str]]  # rows that cannot be counted: their state and the reason


class _Times(NamedTuple):
    """Times as integers in a unit of their own."""

    counts: NDArray[np.int64]
    missing: NDArray[np.bool_]
    unit: str | None  # None if all are missing
    zone: str | None


class _Lists(NamedTuple):
    """The times of one side, list by list; a row of the truth may have several lists."""

    times: _Times
    sizes: NDArray[np.int64]
    missing: NDArray[np.bool_]  # lists that are null
    rows: NDArray[np.int64]  # the row of each list
    counts: NDArray[np.int64] | None  # the number of lists of each row, if rows hold lists of lists
    absent: NDArray[np.bool_]  # rows that are null


def counted_times(table: Any, options: Options, nested: bool = False) -> CountedTimes:  # noqa: ANN401
    """Return a table with cuts as numbers of units since the start of each row.

    ``nested`` says that the whole table has texts that are lists of lists.
    """
    import numpy as np

    pa = library("pyarrow")
    if not isinstance(table, pa.Table):
        table = pa.table(table)
    problems: dict[int, tuple[int, str]] = {}
    sides = {
        side: _lists(pa, table.column(name), name, side, problems, nested)
        for side, name in (("truth", options.truth), ("pred", options.pred))
    }
    ends = {
        side: _column_or_time(pa, table, given, side, problems)
        for side, given in (("start", options.start), ("end", options.end))
    }
    every = {**ends, **{side: lists.times for side, lists in sides.items()}}
    known = {side: times for side, times in every.items() if times.unit is not None}
    if known:
        refuse_mixed_zones((side, times.zone) for side, times in known.items())
    unit = finest(*(times.unit for times in known.values() if times.unit)) if known else "us"
    zone = next((times.zone for times in known.values()), None)
    spans = _spans(ends["start"], ends["end"], unit, zone, problems)
    length = "n"
    while length in table.column_names:
        length = f"_{length}"
    for (side, lists), name in zip(sides.items(), (options.truth, options.pred), strict=True):
        table = table.set_column(
            table.column_names.index(name), name, _cuts(pa, side, lists, spans, unit, zone, problems)
        )
    lengths = np.where(spans.known, spans.ends - np.where(spans.known, spans.starts, 0), 0)
    table = table.append_column(length, pa.array(lengths, mask=~spans.known))
    counted = replace(options, n=length, start=None, end=None, unit=unit)
    return CountedTimes(table, counted, unit, zone, spans.starts, problems)


class _Spans(NamedTuple):
    """The first and the last time of each row, in units since 1970, and which rows have both."""

    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    known: NDArray[np.bool_]


def _scaled(times: _Times, unit: str) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return times in a finer unit, and which of them do not fit."""
    import numpy as np

    factor = 1 if times.unit is None else int(SECONDS[times.unit] / SECONDS[unit])
    far = np.abs(times.counts) > (2**63 - 1) // factor
    return np.where(far, 0, times.counts) * factor, far


def _spans(first: _Times, last: _Times, unit: str, zone: str | None, problems: dict[int, tuple[int, str]]) -> _Spans:
    """Return the spans of all rows, and add the problems of rows whose span cannot be counted."""
    import numpy as np

    (starts, far_starts), (ends, far_ends) = _scaled(first, unit), _scaled(last, unit)
    for side, times, far in (("start", first, far_starts), ("end", last, far_ends)):
        for row in np.flatnonzero(far & ~times.missing).tolist():
            problems.setdefault(row, (UNREADABLE, _far(side, times, row, unit)))
    known = ~(first.missing | far_starts | last.missing | far_ends)
    # Differences of real numbers do not overflow; the exact check decides about long spans.
    suspect = known & ((ends <= starts) | (ends.astype(float) - starts.astype(float) >= 2.0**62))
    for row in np.flatnonzero(suspect).tolist():
        problem = span_problem(int(starts[row]), int(ends[row]), unit, zone)
        known[row] = problem is None
        if problem is not None:
            problems.setdefault(row, (UNREADABLE, problem))
    return _Spans(starts, ends, known)


def _cuts(
    pa: Any,  # noqa: ANN401
    side: str,
    lists: _Lists,
    spans: _Spans,
    unit: str,
    zone: str | None,
    problems: dict[int, tuple[int, str]],
) -> Any:  # noqa: ANN401
    """Return a column of cuts, null in rows that cannot be counted, and add their problems."""
    import numpy as np

    values, far = _scaled(lists.times, unit)
    of_list = np.repeat(np.arange(lists.sizes.size), lists.sizes)
    row_of = lists.rows[of_list]
    place = np.arange(values.size) - np.repeat(np.cumsum(lists.sizes) - lists.sizes, lists.sizes)
    low, high, known = spans.starts[row_of], spans.ends[row_of], spans.known[row_of]
    again = np.zeros(values.size, dtype=bool)
    again[1:] = (values[1:] <= values[:-1]) & (of_list[1:] == of_list[:-1])
    wrong = (lists.times.missing | far | (values < low) | (values > high) | again) & known
    bad_rows, firsts = np.unique(row_of[wrong], return_index=True)
    for row, at in zip(bad_rows.tolist(), np.flatnonzero(wrong)[firsts].tolist(), strict=True):
        k = int(place[at])
        if lists.times.missing[at]:
            problem = f"{side}[{k}] is null; expected a time"
        elif far[at]:
            problem = _far(f"{side}[{k}]", lists.times, at, unit)
        else:
            problem = cut_problem(side, k, values[at - k :], (int(low[at]), int(high[at])), unit, zone)
        problems.setdefault(row, (UNREADABLE if side == "truth" else INVALID, problem))
    refused = np.zeros(lists.absent.size, dtype=bool)
    refused[[row for row, (state, _) in problems.items() if state == UNREADABLE or side == "pred"]] = True
    counts = np.where(wrong | ~known, 0, values - np.where(known, low, 0))
    return _column(pa, lists, counts, refused)


def _far(name: str, times: _Times, place: int, unit: str) -> str:
    return range_problem(name, Origin(int(times.counts[place]), times.unit or unit, times.zone), unit)


def _array(pa: Any, column: Any) -> Any:  # noqa: ANN401
    """Return a column as one array."""
    made = column.combine_chunks()
    return made if not hasattr(made, "chunks") else (made.chunk(0) if made.num_chunks else pa.array([], made.type))


def _is_list(pa: Any, kind: Any) -> bool:  # noqa: ANN401
    types = pa.types
    checks = [types.is_list, types.is_large_list, types.is_fixed_size_list]
    checks += [types.is_list_view, types.is_large_list_view]
    return any(check(kind) for check in checks)


def _is_text(pa: Any, kind: Any) -> bool:  # noqa: ANN401
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def _lists(
    pa: Any,  # noqa: ANN401
    column: Any,  # noqa: ANN401
    name: str,
    side: str,
    problems: dict[int, tuple[int, str]],
    nested: bool,
) -> _Lists:
    """Read a column of lists of times, or of lists of lists for several annotators."""
    import numpy as np

    pc = library("pyarrow.compute")
    array = _array(pa, column)
    is_several = side == "truth"
    texts = _innermost(pa, array.type)
    if _is_text(pa, texts):
        array = _from_texts(pa, array, side, problems, nested and side == "truth")
    rows = len(array)
    numbers = np.arange(rows, dtype=np.int64)
    no_times = _Times(np.zeros(0, np.int64), np.zeros(0, bool), None, None)
    if pa.types.is_null(array.type):
        return _Lists(no_times, np.zeros(rows, np.int64), np.ones(rows, bool), numbers, None, np.ones(rows, bool))
    expected = f"expected a list of timestamps per row{'' if is_several else ' (only the truth may have several)'}"
    if not _is_list(pa, array.type) or (_is_list(pa, array.type.value_type) and not is_several):
        raise TypeError(f"column {name!r} holds {array.type}; {expected}")

    def sized(lists: Any) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:  # noqa: ANN401
        sizes = pc.list_value_length(lists)
        return sizes.fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64), np.asarray(lists.is_null())

    absent = np.asarray(array.is_null())
    counts = None
    if _is_list(pa, array.type.value_type):
        counts, _ = sized(array)
        array = pc.list_flatten(array)
        numbers = np.repeat(numbers, counts)
    sizes, missing = sized(array)
    return _Lists(_times(pa, pc.list_flatten(array), name, expected), sizes, missing, numbers, counts, absent)


def _innermost(pa: Any, kind: Any) -> Any:  # noqa: ANN401
    while _is_list(pa, kind):
        kind = kind.value_type
    return kind


def _times(pa: Any, array: Any, name: str, expected: str) -> _Times:  # noqa: ANN401
    """Return an array of times as integers."""
    import numpy as np

    kind, missing = array.type, np.asarray(array.is_null())
    if pa.types.is_null(kind):
        return _Times(np.zeros(len(array), np.int64), missing, None, None)
    if pa.types.is_date(kind):
        counts, unit, zone = array.cast(pa.date32()).cast(pa.int32()).cast(pa.int64()), "D", None
    elif pa.types.is_timestamp(kind):
        counts, unit, zone = array.cast(pa.int64()), kind.unit, kind.tz
    else:
        raise TypeError(f"column {name!r} holds {kind}; {expected}")
    return _Times(counts.fill_null(0).to_numpy(zero_copy_only=False), missing, unit, zone)


def _column_or_time(pa: Any, table: Any, given: Any, side: str, problems: dict[int, tuple[int, str]]) -> _Times:  # noqa: ANN401
    """Return the starts or the ends of all rows: a column, or one time for all of them."""
    import numpy as np

    rows = table.num_rows
    if isinstance(given, str):
        array = _array(pa, table.column(given))
        if _is_text(pa, array.type):
            array = _from_texts(pa, array, side, problems)
        return _times(pa, array, given, "expected a timestamp per row")
    own = instants_of([given], side)
    return _Times(np.full(rows, own.counts[0]), np.zeros(rows, bool), own.unit, own.zone)


def _column(pa: Any, lists: _Lists, counts: NDArray[np.int64], refused: NDArray[np.bool_]) -> Any:  # noqa: ANN401
    """Return lists of integers in the place of lists of times; rows that are refused are null."""
    import numpy as np

    def of(sizes: NDArray[np.int64], missing: NDArray[np.bool_], values: Any) -> Any:  # noqa: ANN401
        offsets = np.concatenate([[0], np.cumsum(sizes)])
        return pa.LargeListArray.from_arrays(pa.array(offsets), values, mask=pa.array(missing))

    if lists.counts is None:
        return of(lists.sizes, lists.missing | refused, pa.array(counts))
    return of(lists.counts, lists.absent | refused, of(lists.sizes, lists.missing, pa.array(counts)))


def _from_texts(
    pa: Any,  # noqa: ANN401
    array: Any,  # noqa: ANN401
    side: str,
    problems: dict[int, tuple[int, str]],
    nested: bool = False,
) -> Any:  # noqa: ANN401
    """Convert a text column (times, lists of times, or printed lists) to timestamps."""
    values, depth, aware, found = times_of_texts(array.to_pylist(), side, nested)
    for row, problem in found.items():
        problems.setdefault(row, (UNREADABLE, problem))
    kind = pa.timestamp("us", "UTC" if aware else None)
    for _ in range(depth):
        kind = pa.list_(kind)
    return pa.array(values, kind)


def times_of_texts(cells: list[Any], side: str, nested: bool = False) -> tuple[list[Any], int, bool, dict[int, str]]:
    """Return what texts of times hold, how deep the lists are, whether there are time zones, and the errors of rows.

    A cell is a time in the columns start and end, else a list of times, or a text that is such a list; in the truth it
    may be a list of lists. Times are numbers of microseconds since 1970. ``nested`` says that other cells are lists of
    lists.

    >>> times_of_texts(['["1970-01-01", "1970-01-01T00:00:01.5"]', None], "pred")
    ([[0, 1500000], None], 1, False, {})
    """
    problems: dict[int, str] = {}
    zones: list[bool] = []  # whether the first time has a time zone

    def time(text: Any, where: str) -> int | None:  # noqa: ANN401
        if text is None:
            return None
        count, aware = _time_of(text, where)
        zones.append(aware) if not zones else None
        if aware != zones[0]:
            raise ValueError(f"{where} = {text!r:.40} has {'a' if aware else 'no'} time zone; {ZONES}")
        return count

    def cell(value: Any) -> Any:  # noqa: ANN401
        if side in ("start", "end"):
            return time(value, side)
        given = _listed(value, side) if isinstance(value, str) else value
        return None if given is None else [_each(item, f"{side}[{k}]", time) for k, item in enumerate(given)]

    values = []
    for row, value in enumerate(cells):
        try:
            values.append(None if value is None else cell(value))
        except ValueError as error:  # noqa: PERF203 (one per row)
            problems[row] = str(error)
            values.append(None)
    depth = 0 if side in ("start", "end") else 1
    if depth and (nested or any(isinstance(item, list) for row in values for item in row or ())):
        depth = 2
        values = [row if not row or isinstance(row[0], list) else [row] for row in values]
    return values, depth, bool(zones and zones[0]), problems


def _listed(text: str, side: str) -> list[Any] | None:
    """Return the texts in a list that is written as text, as lists of labels are."""
    try:
        return _core.read_labels(text, side)
    except ValueError:
        raise ValueError(
            f'{side} = {text!r:.60} is not a list of times, as in ["2024-05-01T06:00:00"]; write it again as JSON'
        ) from None


def _each(item: Any, where: str, time: Callable[[Any, str], int | None]) -> Any:  # noqa: ANN401
    return [_each(one, where, time) for one in item] if isinstance(item, list) else time(item, where)


def _time_of(text: Any, where: str) -> tuple[int, bool]:  # noqa: ANN401
    """Return a time in ISO 8601 as microseconds since 1970, and whether it has a time zone."""
    found = ISO.fullmatch(text.strip()) if isinstance(text, str) else None
    if found is None:
        raise ValueError(f"{where} = {text!r:.40} is not a time; expected ISO 8601, as 2024-05-01T06:00:00")
    day, minutes, seconds, decimals, zone = found.groups()
    if decimals is not None and len(decimals.rstrip("0")) > 6:
        raise ValueError(
            f"{where} = {text!r:.40} has more than 6 decimals; expected microseconds (Parquet holds nanoseconds)"
        )
    try:
        whole = datetime.fromisoformat(f"{day}T{minutes or '00:00'}:{seconds or '00'}")
    except ValueError as error:
        raise ValueError(f"{where} = {text!r:.40} is not a time: {error}; expected a time that exists") from None
    offset = timedelta(0)
    if zone not in (None, "Z"):
        sign = -1 if zone[0] == "-" else 1
        offset = sign * timedelta(hours=int(zone[1:3]), minutes=int(zone[-2:]))
    count = (whole - offset - EPOCH) // timedelta(microseconds=1) + int((decimals or "0").ljust(6, "0")[:6])
    return count, zone is not None


def mixed_rows(values: Any) -> Iterator[int]:  # noqa: ANN401
    """Give the rows of a column of Python objects in which some times have a time zone and some have none.

    Arrow would read times without a time zone as UTC.
    """
    for row, items in enumerate(values):
        if isinstance(items, list | tuple):
            flat = [x for item in items for x in (item if isinstance(item, list | tuple) else (item,))]
            aware = {x.tzinfo is not None for x in flat if isinstance(x, datetime)}
            if len(aware) > 1:
                yield row
