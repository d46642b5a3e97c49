"""CSV and TSV with a header, read by Python's library, line by line.

The columns say what a line is: a segmentation, with a list of cuts in ``change_points``; a cut, with a number in
``cut``; or a segment, with numbers in ``start`` and ``end``. ``series`` and ``annotator``, ``method`` or ``tier`` name
the segmentation, and ``n`` or ``duration`` give its length. A file with one column of numbers and no header holds the
cuts of one segmentation.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ... import _core
from ...segmentation.segmentation import Segmentation
from ...showing import count_text, path_text
from ..besides import Besides
from ..formats import SEPARATORS
from ..options import ReadOptions
from ..records import CUTS_COLUMNS, Reader, records_of
from ..rows import Rows
from ..safe_json import loads
from ..text import LONGEST, REAL, first_twice, limit, lines, number_in

__all__ = ["read", "write"]

CUT = ("cut", "change_point")
Records = Iterator[tuple[int, dict[str, Any]]]


def read(path: Path, name: str, options: ReadOptions, besides: Besides) -> Iterator[Rows]:
    """Give the segmentations of a file."""
    table = _table(path, SEPARATORS[name])
    first = next(table, None)
    file = path_text(path)
    if first is None:
        raise ValueError(f"{file} is empty; expected a header, such as series,change_points,n")
    number, head = first
    names = [cell.strip() for cell in head]
    if len(names) == 1 and REAL.fullmatch(names[0]):
        records = _numbered(first, table, file)
        yield from _of_lines(Reader(file, path.stem, "line"), records, "cut", besides)
        return
    twice = first_twice(names)
    if twice is not None:
        raise ValueError(f"{file}, line {number}: the column {twice!r:.40} occurs twice; expected different names")
    reader = Reader(file, path.stem, "line")
    records = _records(names, table, file)
    if set(CUTS_COLUMNS) & set(names):
        for number, record in records:
            rows = reader.rows(_decoded_record(record, reader.where(number)), number)
            if rows is not None:
                yield rows
        reader.finish(besides)
    elif column := next((one for one in CUT if one in names), None):
        yield from _of_lines(reader, records, column, besides)
    elif {"start", "end"} <= set(names):
        yield from _of_segments(reader, records, besides)
    else:
        shape = dict.fromkeys(names)
        if set(shape) >= {"truth", "pred"}:
            reader.refuse_columns(shape, f"{file}, line {number}")
        raise ValueError(
            f"{file}, line {number} has the columns {', '.join(names):.200}; expected change_points, cut, or start and "
            "end"
        )


@contextmanager
def _long_cells() -> Iterator[None]:
    """Let Python's library read cells as long as a line may be."""
    old = csv.field_size_limit(limit(LONGEST))
    try:
        yield
    finally:
        csv.field_size_limit(old)


def _table(path: Path, separator: str) -> Iterator[tuple[int, list[str]]]:
    """Give the cells of each line that is not empty, with the number of the line."""
    cells = csv.reader((f"{line}\n" for _, line in lines(path)), delimiter=separator, strict=True)
    with _long_cells():
        while True:
            start = cells.line_num + 1
            try:
                row = next(cells, None)
            except csv.Error:
                raise ValueError(
                    f"{path_text(path)}, line {start}: a quoted cell is not closed; expected CSV"
                ) from None
            if row is None:
                return
            if row and (len(row) > 1 or row[0].strip()):
                yield start, row


def _records(names: list[str], table: Iterator[tuple[int, list[str]]], file: str) -> Records:
    """Give each line as a record; an empty cell is None."""
    for number, cells in table:
        if len(cells) != len(names):
            raise ValueError(
                f"{file}, line {number} has {count_text(len(cells), 'cell')}; expected {len(names)}, as in the header"
            )
        yield number, {name: cell if cell.strip() else None for name, cell in zip(names, cells, strict=True)}


def _numbered(first: tuple[int, list[str]], table: Iterator[tuple[int, list[str]]], file: str) -> Records:
    """Give each line of a file with one column and no header as a record."""
    yield first[0], {"cut": first[1][0]}
    yield from _records(["cut"], table, file)


def _decoded_record(record: dict[str, Any], where: str) -> dict[str, Any]:
    """Return a record with its numbers and lists decoded."""
    found = dict(record)
    for name in CUTS_COLUMNS:
        if found.get(name) is not None:
            found[name] = _cuts_in_cell(found[name], name, where)
    if found.get("labels") is not None:
        found["labels"] = loads(found["labels"], f"{where}, labels", 'a list of labels like ["A", "B"]')
    return _with_lengths(found, where)


def _with_lengths(record: dict[str, Any], where: str) -> dict[str, Any]:
    for name in ("n", "duration"):
        if record.get(name) is not None:
            record[name] = number_in(record[name].strip(), f"{where}, {name}")
    return record


def _cuts_in_cell(text: str, name: str, where: str) -> list[Any]:
    """Return a list of cuts that a cell holds as text."""
    try:
        found = _core.read_text(text, name)
    except ValueError as error:
        inner = text.strip().removeprefix("[").removesuffix("]")
        words = inner.split(",") if "," in inner else inner.split()
        if words and all(REAL.fullmatch(word.strip()) for word in words):  # real numbers
            return [number_in(word.strip(), where) for word in words]
        raise ValueError(f"{where}: {error}") from None
    if found is None or any(isinstance(cut, list) for cut in found):
        raise ValueError(f"{where}: {name} = {text!r:.40} is not one list; expected a list of cuts like [3, 8]")
    return list(found)


class _Group:
    """The lines of one segmentation."""

    def __init__(self) -> None:
        self.starts: list[Any] = []
        self.ends: list[Any] = []
        self.labels: list[str | None] = []
        self.lines: list[int] = []
        self.lengths: dict[str, Any] = {}


def _grouped(
    reader: Reader, records: Records, used: tuple[str, ...], groups: dict[Any, _Group]
) -> Iterator[tuple[_Group, dict[str, Any], int]]:
    """Give each record with the group of its segmentation."""
    for number, record in records:
        where = reader.where(number)
        name = reader.names(record, number)
        group = groups.setdefault(name, _Group())
        _with_lengths(record, where)
        for column in ("n", "duration"):
            value = reader.number(record, column, number)
            if value is not None and group.lengths.setdefault(column, value) != value:
                raise ValueError(
                    f"{where}: {column} = {value}, but {column} = {group.lengths[column]} above; expected one length "
                    "per segmentation"
                )
        known = {*used, "series", reader.tiers, "params", "n", "duration"}
        reader.others |= {column: None for column in record if column not in known}
        yield group, record, number


def _of_lines(reader: Reader, records: Records, column: str, besides: Besides) -> Iterator[Rows]:
    """Give the cuts of each segmentation, one per line; an empty cell is a segmentation without cuts."""
    groups: dict[Any, _Group] = {}
    for group, record, number in _grouped(reader, records, (column,), groups):
        if record[column] is not None:
            group.starts.append(number_in(record[column].strip(), reader.where(number)))
            group.lines.append(number)
    yield from _grouped_rows(reader, groups, besides, is_cuts=True)


def _of_segments(reader: Reader, records: Records, besides: Besides) -> Iterator[Rows]:
    """Give the segments of each segmentation, one per line."""
    groups: dict[Any, _Group] = {}
    for group, record, number in _grouped(reader, records, ("start", "end", "label"), groups):
        where = reader.where(number)
        for name, values in (("start", group.starts), ("end", group.ends)):
            if record[name] is None:
                raise ValueError(f"{where} has no {name}; expected a number")
            values.append(number_in(record[name].strip(), where))
        group.labels.append(record.get("label"))
        group.lines.append(number)
    yield from _grouped_rows(reader, groups, besides, is_cuts=False)


def _grouped_rows(reader: Reader, groups: dict[Any, _Group], besides: Besides, *, is_cuts: bool) -> Iterator[Rows]:
    for (series, tier, params), group in groups.items():
        if len(group.lengths) > 1:
            raise ValueError(f"{reader.file}: {series!r:.60} has n and duration; expected one of them")
        kind: Any = {"n": "points", "duration": "time"}.get(next(iter(group.lengths), ""))
        labelled = any(label is not None for label in group.labels)
        yield Rows(
            reader.file,
            series,
            tier,
            group.starts,
            None if is_cuts else group.ends,
            [label or "" for label in group.labels] if labelled else None,
            group.lines,
            kind,
            next(iter(group.lengths.values()), None),
            params,
        )
    reader.finish(besides)


def write(
    segmentations: Mapping[tuple[str, str], Segmentation], path: Path, name: str, tiers: str, lost: list[str]
) -> None:
    """Write one line per segmentation, with its cuts and labels as JSON lists."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter=SEPARATORS[name], lineterminator="\n")
        for k, record in enumerate(records_of(segmentations, tiers)):
            if not k:
                writer.writerow(record)
            cells = ((json.dumps(v, ensure_ascii=False) if isinstance(v, list) else v) for v in record.values())
            writer.writerow(["" if cell is None else repr(cell) if isinstance(cell, float) else cell for cell in cells])
