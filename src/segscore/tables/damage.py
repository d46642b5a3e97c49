"""Damaged CSV, TSV and JSON Lines tables: Polars would fill or rename what is wrong, or refuse it in its own words.

Polars screens the lines, which is fast. Only a file with a line that may be wrong is read line by line in Python, to
find the line.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from ..files.formats import SEPARATORS
from ..files.safe_json import loads
from ..files.text import LONGEST, RAISE, first_twice, limit, lines
from ..optional import polars as pl
from ..showing import count_text, path_text

__all__ = ["refuse_damaged_text", "refuse_long_lines", "refuse_repeated_keys", "refuse_wide_objects"]
__all__ += ["text_lines"]

WIDEST = 2**14  # columns of a table that is text
OBJECT = '{"truth": [3], "pred": [4], "n": 10}'


def text_lines(path: str) -> pl.LazyFrame:
    """Return the lines of a text file as a LazyFrame with the column ``line``."""
    # Text has no unit separators, so every line is one field.
    return pl.scan_csv(
        path, glob=False, has_header=False, separator="\x1f", quote_char=None, schema={"line": pl.String}
    )


def refuse_long_lines(path: str, called: str) -> None:
    """Raise for a line that is so long that Polars might not have the memory for it."""
    size = limit(LONGEST)
    with open(path, "rb") as file, _called(path, called):
        while block := file.read(size):
            if len(block) == size and b"\n" not in block:  # every line of twice the limit has such a block
                deque(lines(Path(path)), maxlen=0)
                return


def refuse_damaged_text(path: str, kind: str, called: str) -> None:
    """Raise if a CSV, TSV or JSON Lines file is damaged, with the line; ``called`` names the file in messages."""
    with _called(path, called):
        if kind in SEPARATORS:
            _refuse_rows(path, SEPARATORS[kind], called)
        else:
            _refuse_objects(path, called)


@contextmanager
def _called(path: str, called: str) -> Iterator[None]:
    """Let errors name the file as the user does."""
    try:
        yield
    except ValueError as error:
        raise ValueError(str(error).replace(path_text(path), called, 1)) from None


def _refuse_rows(path: str, separator: str, called: str) -> None:
    cell = rf'(?:"(?:[^"\x00]|"")*"|[^"{separator}\x00\r\n]*)'
    rows = _rows(path, called)
    number, head = next(rows, (1, None))
    if head is None:
        raise ValueError(f"{called} is empty; expected a header, such as series,method,truth,pred,n")
    if not head.strip():
        raise ValueError(f"{called}, line {number} is empty; expected a header (remove the line)")
    count = head.count(separator) + 1  # or less, if there are quotes
    _refuse_wide(count, f"{called}, line {number}")
    any_row = re.compile(rf"{cell}(?:{separator}{cell})*")
    _refuse_quotes(any_row, head, f"{called}, line {number}")
    names = _cells(cell, separator, head)
    twice = first_twice(names)
    if twice is not None:
        raise ValueError(f"{called}, line {number}: the column {twice!r:.40} occurs twice; expected different names")
    pattern = rf"{cell}(?:{separator}{cell}){{{len(names) - 1}}}"
    if len(names) > 1 and _is_sound(path, ~pl.col("line").str.contains(rf"^\u{{feff}}?{pattern}$")):
        return
    _refuse_carriage_returns(path, called)
    row_pattern = re.compile(pattern)
    for number, row in rows:
        where = f"{called}, line {number}"
        if not row.strip():
            cells = count_text(len(names), "cell")
            raise ValueError(f"{where} is empty; expected {cells}, as in the header (remove the line)")
        if not row_pattern.fullmatch(row):
            _refuse_quotes(any_row, row, where)
            cells = count_text(len(_cells(cell, separator, row)), "cell")
            raise ValueError(f"{where} has {cells}; expected {len(names)}, as in the header")


def _refuse_wide(count: int, where: str) -> None:
    if count > limit(WIDEST):
        raise ValueError(
            f"{where} has {count:,} columns, and a table of text may have {limit(WIDEST):,}; expected fewer columns, "
            f"{RAISE}"
        )


def refuse_wide_objects(path: str, called: str) -> None:
    """Raise for JSON Lines with too many keys, whose types Polars would infer for hours."""
    keys = pl.col("line").str.extract_all(r'"(?:[^"\\]|\\.)*"\s*:').explode()
    with suppress(pl.exceptions.PolarsError):  # a file that is not text is refused in the words of the reader
        _refuse_wide(text_lines(path).select(keys.n_unique()).collect(engine="streaming").item(), called)


def _refuse_quotes(any_row: re.Pattern[str], row: str, where: str) -> None:
    if not any_row.fullmatch(row):
        raise ValueError(
            f"{where}: a cell has text next to a quote; expected quotes around the whole cell, and quotes inside it "
            "doubled"
        )


def _cells(cell: str, separator: str, row: str) -> list[str]:
    """Return the cells of a row that is well formed."""
    texts = [match[1] for match in re.finditer(rf"(?:^|{separator})({cell})", row)]
    return [text[1:-1].replace('""', '"') if text.startswith('"') else text for text in texts]


def _rows(path: str, called: str) -> Iterator[tuple[int, str]]:
    """Give each row of a delimited file with the number of its first line; a quoted cell may have several lines."""
    start, size, longest = 0, 0, limit(LONGEST)
    parts: list[str] = []
    is_open = False
    for number, line in lines(Path(path)):
        if not parts:
            start, size = number, 0
        parts.append(line)
        size += len(line) + 1
        is_open ^= line.count('"') % 2 == 1
        if is_open and size > longest:
            raise ValueError(
                f"{called}, line {start}: a quoted cell is not closed within {longest:,} characters; expected CSV, "
                f"{RAISE}"
            )
        if not is_open:
            yield start, "\n".join(parts)
            parts = []
    if parts:
        raise ValueError(f"{called}, line {start}: a quoted cell is not closed; expected CSV")


def _is_sound(path: str, suspect: pl.Expr) -> bool:
    """Return whether Polars finds no suspect line; text that Polars cannot read is suspect too."""
    try:
        line = pl.col("line")
        suspect |= line.is_null() | (line.str.len_chars() > limit(LONGEST))
        found = text_lines(path).select(suspect.any()).collect(engine="streaming")
    except pl.exceptions.PolarsError:
        return False
    return not found.item()


def _refuse_carriage_returns(path: str, called: str) -> None:
    """Raise for a line break of old Macs, which Polars does not know."""
    with open(path, "rb") as file:
        blocks = iter(lambda: file.read(2**20) + file.read(1), b"")
        if not any(re.search(rb"\r[^\n]|\r\Z", block) for block in blocks):
            return
    with open(path, encoding="utf-8", errors="replace", newline="") as file:
        is_open, number = False, 0
        while line := file.readline(limit(LONGEST)):
            number += 1
            is_open ^= line.count('"') % 2 == 1
            if line.endswith("\r") and not is_open:
                raise ValueError(
                    f"{called}, line {number} ends with a carriage return alone; expected line breaks of Unix or "
                    "Windows"
                )


def refuse_repeated_keys(path: str, called: str, schema: dict[str, Any]) -> None:
    """Raise for what Polars would accept or refuse late in JSON Lines: repeated keys, half characters, other values."""
    keys = [pl.escape_regex(json.dumps(name, ensure_ascii=False)) + r"\s*:" for name in {*_keys(schema.items())}]
    patterns = [f"{key}.*{key}" for key in keys]
    patterns += [r'\\u[^"]*"\s*:', r"\\u[dD][89a-fA-F]"]  # keys that are spelled with escapes; halves of characters
    patterns.append(r"^\s*[^{\s]")  # lines that are not objects
    if not _is_sound(path, pl.col("line").str.contains("|".join(patterns))):
        refuse_damaged_text(path, "jsonl", called)


def _keys(fields: Iterable[tuple[str, Any]]) -> Iterator[str]:
    """Give the names of all columns, and of all fields inside them."""
    for name, kind in fields:
        yield name
        while hasattr(kind, "inner"):
            kind = kind.inner
        yield from _keys(getattr(kind, "fields", ()) and [(field.name, field.dtype) for field in kind.fields])


def _refuse_objects(path: str, called: str) -> None:
    with open(path, "rb") as file:
        if file.read(3) == b"\xef\xbb\xbf":
            raise ValueError(f"{called}, line 1 starts with a byte order mark; expected UTF-8 without this mark")
    values: dict[str, Any] = {}
    is_empty = True
    _refuse_carriage_returns(path, called)
    for number, line in lines(Path(path)):
        if not line.strip():
            continue
        is_empty = False
        where = f"{called}, line {number}"
        record = loads(line, where, "one JSON object per line")
        if not isinstance(record, dict):
            raise ValueError(f"{where} is {record!r:.40}; expected an object like {OBJECT}")
        for name, value in record.items():
            above = values.setdefault(name, value) if value is not None else None
            if above is not None and _shape(above) != _shape(value):
                raise ValueError(
                    f"{where}: column {name!r:.40} holds {value!r:.40}, but {above!r:.40} above; expected one type per "
                    "column"
                )
    if is_empty:
        raise ValueError(f"{called} is empty; expected objects like {OBJECT}")


def _shape(value: Any) -> type | None:  # noqa: ANN401
    return type(value) if isinstance(value, list | dict) else None
