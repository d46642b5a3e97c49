"""Scans of files of tables: one LazyFrame of several files, whose rows Polars would not change or drop."""

from __future__ import annotations

import glob
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from ..files.codecs.arrow import refuse_damaged
from ..files.codecs.json import texts_of_records
from ..files.formats import SEPARATORS, table_format
from ..files.text import refuse_pipe
from ..optional import PolarsType
from ..optional import polars as pl
from ..scores.metric_text import metric_of
from .damage import (
    refuse_damaged_text,
    refuse_long_lines,
    refuse_repeated_keys,
    refuse_wide_objects,
    text_lines,
)
from .decoding import CUTS

__all__ = ["NAMES", "TYPED", "called", "has_reals", "scan", "scanned", "spelled_numbers"]
__all__ += ["refuse_words", "stored", "unreadable"]

TYPED = ("parquet", "arrow")  # formats that store the types of columns
NAMES = ("series", "method", "annotator", "params", "dataset")  # columns of names, which stay text
NUMBERS = ("truth", "pred", "change_points", "signal", "n", "duration")  # columns of numbers besides the scores


def unreadable(sources: Sequence[str], kind: str) -> ValueError:
    """Return the error for files that Polars cannot read; pyarrow reads texts and pages that Polars refuses."""
    expected = f"a whole {kind.capitalize()} file" if kind in TYPED else "one type per column"
    return ValueError(f"{', '.join(map(called, sources))} cannot be read as {kind}; expected {expected}")


def called(source: str) -> str:
    """Return what messages call a file: its path, or standard input."""
    return "standard input" if source == "-" else source


@contextmanager
def stored(source: str) -> Iterator[str]:
    """Give the path of a file; standard input and a JSON list of records become temporary files."""
    if source != "-" and not os.path.isdir(source):
        refuse_pipe(Path(source), Path(source).suffix[1:])
    if source.lower().endswith(".json"):
        with tempfile.NamedTemporaryFile(prefix="segscore-", suffix=".jsonl") as file:
            file.writelines(f"{text}\n".encode() for text in texts_of_records(Path(source)))
            file.flush()
            yield file.name
        return
    if source != "-":
        yield source
        return
    if sys.stdin is None:
        raise OSError("standard input is closed; expected a table in a file or from a pipe")
    head = sys.stdin.buffer.read(4)
    suffix = ".parquet" if head == b"PAR1" else ".jsonl" if head.lstrip()[:1] in (b"{", b"") else ".csv"
    with tempfile.NamedTemporaryFile(prefix="segscore-", suffix=suffix) as file:
        file.write(head)
        shutil.copyfileobj(sys.stdin.buffer, file, 1 << 20)
        file.flush()
        yield file.name


def scanned(
    sources: Sequence[str],
    paths: Sequence[str],
    names: Collection[str] = NAMES,
    numbers: Collection[str] = (),
    texts: Collection[str] = CUTS,
) -> pl.LazyFrame:
    """Return one LazyFrame of several files that have the same columns.

    Columns of names are text, so that methods 1.1 and 1.10 are different. In CSV only lengths, scores and ``numbers``
    may be numbers; all other columns are text, which is kept as it is, and so are the columns of cuts, ``texts``. The
    types of numbers are inferred from the whole file, because a column that starts with integers may hold real numbers
    later. Infinities and nan are text in JSON Lines; in scores they become numbers again.
    """
    known = {*NUMBERS, *numbers} - {*names}
    formats = [table_format(path) for path in paths]
    columns: dict[str, PolarsType] = {}
    spelled: dict[str, PolarsType] = {}  # scores that are read as text
    for source, path, kind in zip(sources, paths, formats, strict=True):
        if kind in TYPED:
            _refuse_damaged(source, path, kind)
        else:
            refuse_long_lines(path, called(source))
        if kind in SEPARATORS:
            refuse_damaged_text(path, kind, called(source))
        elif kind == "jsonl":
            refuse_wide_objects(path, called(source))
        try:
            frame = scan(kind, [path])
            if kind in SEPARATORS:
                refuse_words(frame, {*numbers} - {*texts}, called(source))
            found: dict[str, PolarsType] = dict(frame.collect_schema())
            if kind not in TYPED:
                scores = [name for name in found if metric_of(name) and name not in names]
                kept = {*known, *scores} - {*texts} if kind in SEPARATORS else {*found} - {*names}
                found |= {name: pl.String for name in found if name not in kept and not found[name].is_nested()}
                words = spelled_numbers(frame, [name for name in scores if found[name] == pl.String])
                found |= dict.fromkeys(words, pl.Float64)
                spelled |= dict.fromkeys(words, pl.String)
        except pl.exceptions.PolarsError as error:
            if kind == "jsonl":
                refuse_damaged_text(path, kind, called(source))
            raise unreadable([source], kind) from error
        if kind == "jsonl":
            refuse_repeated_keys(path, called(source), found)
        both = _merged(columns or found, found)
        if both is None or (kind in TYPED and both != found):
            raise ValueError(
                f"{called(source)} has the columns {_described(found)}, but {called(sources[0])} has "
                f"{_described(columns)}; expected the same in all, or a folder as output"
            )
        columns = both
    rounded = [k for k, v in columns.items() if k not in known and not metric_of(k) and has_reals(v)]
    for source, path, kind in zip(sources, paths, formats, strict=True):
        if kind == "jsonl":
            _refuse_changed_numbers(source, path, [name for name in names if name in columns], rounded)
    kinds = {**columns, **spelled}
    if len(set(formats)) == 1:  # with one scan per file, Polars would read all files ahead at once
        frames = [scan(formats[0], paths, kinds)]
    else:
        frames = [scan(kind, [path], kinds) for path, kind in zip(paths, formats, strict=True)]
    return pl.concat([frame.with_columns(pl.col(*spelled).cast(pl.Float64)) if spelled else frame for frame in frames])


def _refuse_damaged(source: str, path: str, kind: str) -> None:
    """Raise for a damaged file, or for a folder with one: Polars may end the process for it."""
    if not os.path.isdir(path):
        refuse_damaged(Path(path), kind, called(source))
        return
    for file in sorted(Path(path).rglob(f"*.{kind}")):
        if not file.name.startswith("."):  # hidden files are unfinished outputs of other runs
            refuse_damaged(file, kind, str(file))


def refuse_words(frame: pl.LazyFrame, names: Collection[str], where: str) -> None:
    """Raise for the first text of a column of numbers that is no number."""
    schema = frame.collect_schema()
    for name in names:
        if schema.get(name) == pl.String:
            words = frame.select(name, row=pl.int_range(pl.len())).filter(_is_word(name)).head(1).collect()
            for word, row in words.iter_rows():
                raise ValueError(f"{where}, row {row}: column {name!r} holds {word!r:.40}; expected a number")


def _is_word(name: str) -> pl.Expr:
    return pl.col(name).cast(pl.Float64, strict=False).is_null() & pl.col(name).is_not_null()


def spelled_numbers(frame: pl.LazyFrame, names: Sequence[str]) -> list[str]:
    """Return the text columns that hold only numbers, including infinities and nan."""
    words = [_is_word(name).any() for name in names]
    return (
        [name for name, is_text in frame.select(words).collect().row(0, named=True).items() if not is_text]
        if names
        else []
    )


class _Real(str):
    """A real number as JSON spells it."""

    __slots__ = ()


def _refuse_changed_numbers(source: str, path: str, names: Sequence[str], reals: Sequence[str]) -> None:
    """Refuse JSON Lines with numbers that Polars would change when it reads them.

    Polars would write the name 1.10 as 1.1, and would round an integer of 2**53 or more in a column of real numbers.
    The lines that may hold such a number are found as text, and only these lines are decoded.
    """

    def wrong(line: str) -> str | None:
        row = {}
        with suppress(ValueError):
            row = json.loads(line, parse_float=_Real)
        for name in names:
            if isinstance(row.get(name), _Real):
                return (
                    f"column {name!r} holds the real number {row[name]}, but a name must be exact; expected text: "
                    f'write "{row[name]}"'
                )
        for name in reals:
            for value in _items(row.get(name)):
                if isinstance(value, int) and abs(value) >= 2**53:
                    return (
                        f"column {name!r} holds {value} beside real numbers, and would be rounded; expected text: "
                        f'write "{value}", or use Parquet'
                    )
        return None

    keys = {name: pl.escape_regex(json.dumps(name, ensure_ascii=False)) for name in (*names, *reals)}
    patterns = [rf"[{{,]\s*{keys[name]}\s*:\s*-?[0-9]+[.eE]" for name in names]
    patterns += [rf"[{{,]\s*{keys[name]}\s*:\s*([\[{{].*[:\[,]\s*)?-?[0-9]{{16,}}\s*[,\]}}]" for name in reals]
    if not patterns:
        return
    suspects = text_lines(path).filter(pl.col("line").str.contains("|".join(patterns)))
    problems = suspects.map_batches(
        lambda batch: pl.DataFrame({"line": filter(None, map(wrong, batch["line"]))}, schema={"line": pl.String}),
        streamable=True,
    )
    for (problem,) in problems.head(1).collect(engine="streaming").rows():
        raise ValueError(f"{called(source)}: {problem}")


def _items(value: Any) -> Iterator[Any]:  # noqa: ANN401
    """Give all values in nested lists and dicts."""
    if isinstance(value, list | dict):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _items(item)
    else:
        yield value


def has_reals(kind: PolarsType) -> bool:
    """Return whether a type is that of real numbers, or of lists or structs with real numbers."""
    if isinstance(kind, pl.Struct):
        return any(has_reals(field.dtype) for field in kind.fields)
    return has_reals(kind.inner) if isinstance(kind, pl.List | pl.Array) else bool(kind.is_float())


def scan(kind: str, paths: Sequence[str], columns: dict[str, PolarsType] | None = None) -> pl.LazyFrame:
    """Return files of one format as a LazyFrame; ``columns`` are the types of columns of text."""
    if kind == "parquet":
        # Hidden files in a folder are unfinished outputs of other runs.
        hidden = ["."] if any(map(os.path.isdir, paths)) else None
        return pl.scan_parquet(list(paths), glob=False, hidden_file_prefix=hidden)
    if kind == "arrow":
        return pl.scan_ipc(list(paths), glob=False)
    if kind in SEPARATORS:
        return pl.scan_csv(
            list(paths), glob=False, separator=SEPARATORS[kind], schema_overrides=columns, infer_schema_length=None
        )
    return pl.scan_ndjson([glob.escape(path) for path in paths], schema=columns, infer_schema_length=None)


def _merged(left: dict[str, PolarsType], right: dict[str, PolarsType]) -> dict[str, PolarsType] | None:
    """Return the common types of the columns of two files, or None if they do not fit.

    Nulls fit any type, and integers fit real numbers.
    """

    def merged(x: PolarsType, y: PolarsType) -> PolarsType | None:
        if x == y or y == pl.Null:
            return x
        if x == pl.Null:
            return y
        if isinstance(x, pl.List) and isinstance(y, pl.List):
            inner = merged(x.inner, y.inner)
            return None if inner is None else pl.List(inner)
        return pl.Float64 if {x, y} == {pl.Int64, pl.Float64} else None

    if list(left) != list(right):
        return None
    kinds = {name: kind for name in left if (kind := merged(left[name], right[name])) is not None}
    return kinds if len(kinds) == len(left) else None


def _described(columns: dict[str, Any]) -> str:
    return ", ".join(f"{name} ({kind})" for name, kind in columns.items())
