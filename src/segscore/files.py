"""Files of tables: streamed through the scores, and written aside until they are complete."""

from __future__ import annotations

import atexit
import glob
import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from . import tables
from .catalog import METRICS
from .optional import library

__all__ = ["aside", "count_rows", "exact", "is_among", "is_aside", "polars", "read", "score_files", "with_cuts"]

FORMATS = {".parquet": "parquet", ".csv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl"}
ASIDE = ".segscore"  # how the folders end that outputs are written in
NAMES = ("series", "method", "annotator", "params", "dataset")  # columns that name things, and are text


def score_files(
    sources: Sequence[str],
    target: Path | IO[bytes],
    options: dict[str, Any],
    watch: Callable[[int], None] | None = None,
) -> None:
    """Score all rows of some files into one, or as JSON Lines into an open one; ``options`` are those of `score`.

    In CSV the cuts are JSON lists. ``watch`` is told how many rows have passed.
    """
    pl = polars()
    if isinstance(target, Path) and is_among(target, sources):
        raise ValueError(f"{target} is an input too, and would be lost; expected another output")
    with ExitStack() as stack:
        frame = _scanned(sources, [stack.enter_context(_stored(source)) for source in sources])
        schema = frame.collect_schema()
        names = {side: options[side] for side in ("truth", "pred")}
        decoded: dict[str, Any] = {}
        for side, name in names.items():
            cuts = _decoded(pl, frame, name, schema.get(name))
            if cuts is not None:
                names[side] = tables._free(f"_{name}", [*schema.names(), *decoded])
                decoded[names[side]] = cuts
        scored = tables.score(frame.with_columns(**decoded), **{**options, **names}).drop(list(decoded))
        if watch is not None:

            def watched(batch: Any) -> Any:  # noqa: ANN401
                watch(batch.height)
                return batch

            scored = scored.map_batches(watched, schema=scored.collect_schema(), streamable=True)
        if not isinstance(target, Path):
            with _interrupted_once():
                _sink_json_lines(pl, scored, target)
            return
        written = format_of(target)
        if written == "csv":
            scored = scored.with_columns(_as_json(pl, name) for name, kind in schema.items() if kind.is_nested())
        part = stack.enter_context(aside(target))
        with _interrupted_once():
            if written == "jsonl":
                _sink_json_lines(pl, scored, part)
            else:
                {"parquet": scored.sink_parquet, "csv": scored.sink_csv}[written](part)


@contextmanager
def _interrupted_once() -> Iterator[None]:
    """Make one KeyboardInterrupt of Ctrl-C.

    Polars raises one of its own, or what a score in one of its threads raised, and leaves Python's own pending.
    """
    try:
        yield
    except BaseException:
        time.sleep(0)  # Python raises what is pending here
        raise


def is_among(target: Path, sources: Sequence[str]) -> bool:
    """Return whether a file is one of some others, whatever it is called."""
    return any(Path(source).resolve() == target.resolve() for source in sources)


def count_rows(sources: Sequence[str]) -> int | None:
    """Return how many rows there are, if that is known without reading them."""
    if not all(source.lower().endswith(".parquet") for source in sources):
        return None
    pl = polars()
    return int(_scanned(sources, sources).select(pl.len()).collect().item())


def read(source: str, names: Sequence[str] = (), scores: Sequence[str] = ()) -> Any:  # noqa: ANN401
    """Return a file, or standard input, as a Polars DataFrame.

    ``names`` are columns that name things, beside the usual ones, and ``scores`` columns of scores, beside the catalog.
    """
    with _stored(source) as path:
        try:
            return with_cuts(_scanned([source], [path], {*NAMES, *names}, {*METRICS, *scores}).collect())
        except polars().exceptions.PolarsError as error:
            raise ValueError(f"{_called(source)} cannot be read: {error}") from None


def with_cuts(table: Any) -> Any:  # noqa: ANN401
    """Return a Polars DataFrame whose cuts, given as text or real numbers, are integers, and its signals numbers."""
    pl = polars()
    columns = {}
    for name in ("truth", "pred", "change_points"):
        decoded = _decoded(pl, table.lazy(), name, table.schema.get(name))
        if decoded is not None:
            columns[name] = decoded
    if table.schema.get("signal") == pl.String:
        columns["signal"] = pl.col("signal").str.json_decode(pl.List(pl.Float64))
    return table.with_columns(**columns)


def format_of(name: str | Path) -> str:
    """Return the format of a file by its name."""
    _check_name(name)
    suffix = Path(name).suffix.lower()
    if suffix not in FORMATS:
        raise ValueError(f"{name} ends with {suffix or 'nothing'!r}; expected {', '.join(FORMATS)}")
    return FORMATS[suffix]


def polars() -> Any:  # noqa: ANN401
    """Return polars, or say how to get it."""
    return library("polars")


@contextmanager
def _stored(source: str) -> Iterator[str]:
    """Give the path of a file; standard input, whatever its format, is one that is gone later."""
    if source != "-":
        yield source
        return
    head = sys.stdin.buffer.read(4)
    suffix = ".parquet" if head == b"PAR1" else ".jsonl" if head.lstrip()[:1] in (b"{", b"") else ".csv"
    with tempfile.NamedTemporaryFile(prefix="segscore-", suffix=suffix) as file:
        file.write(head)
        shutil.copyfileobj(sys.stdin.buffer, file, 1 << 20)
        file.flush()
        yield file.name


def _scanned(
    sources: Sequence[str],
    paths: Sequence[str],
    names: Collection[str] = NAMES,
    scores: Collection[str] = tuple(METRICS),
) -> Any:  # noqa: ANN401
    """Return one LazyFrame of the paths of some sources, which have the same columns.

    The types of text are inferred from all of it: what is a number in the first rows may be none later. But names are
    text: methods 1.1 and 1.10 are two. Infinities and nan are text in JSON Lines, and numbers again in ``scores``.
    """
    pl = polars()
    formats = [format_of(path) for path in paths]
    columns: dict[str, Any] = {}
    spelled: dict[str, Any] = {}  # scores that are read as text
    for source, path, kind in zip(sources, paths, formats, strict=True):
        try:
            frame = _scan(pl, kind, [path])
            found = dict(frame.collect_schema())
            if kind != "parquet":
                found |= {name: pl.String for name in names if name in found and not found[name].is_nested()}
                numbers = _spelled_numbers(pl, frame, [name for name in scores if found.get(name) == pl.String])
                found |= dict.fromkeys(numbers, pl.Float64)
                spelled |= dict.fromkeys(numbers, pl.String)
        except pl.exceptions.PolarsError as error:
            raise ValueError(f"{_called(source)} cannot be read as {kind}: {error}") from None
        both = _merged(pl, columns or found, found)
        if both is None or (kind == "parquet" and both != found):
            raise ValueError(
                f"{_called(source)} has the columns {_described(found)}, but {_called(sources[0])} has "
                f"{_described(columns)}; expected the same in all, or a folder as output"
            )
        columns = both
    stored = {**columns, **spelled}
    if len(set(formats)) == 1:  # not one scan a file: those would all be read ahead at once
        frames = [_scan(pl, formats[0], paths, stored)]
    else:
        frames = [_scan(pl, kind, [path], stored) for path, kind in zip(paths, formats, strict=True)]
    return pl.concat([frame.with_columns(pl.col(*spelled).cast(pl.Float64)) if spelled else frame for frame in frames])


def _spelled_numbers(pl: Any, frame: Any, names: Sequence[str]) -> list[str]:  # noqa: ANN401
    """Return which columns of text hold numbers alone, infinities and nan among them."""
    words = [
        (pl.col(name).cast(pl.Float64, strict=False).is_null() & pl.col(name).is_not_null()).any() for name in names
    ]
    return (
        [name for name, is_text in frame.select(words).collect().row(0, named=True).items() if not is_text]
        if names
        else []
    )


def _scan(pl: Any, kind: str, paths: Sequence[str], columns: dict[str, Any] | None = None) -> Any:  # noqa: ANN401
    if kind == "parquet":
        # In a folder, what other runs are writing is no part of the table.
        hidden = {"hidden_file_prefix": ["."]} if any(map(os.path.isdir, paths)) else {}
        return pl.scan_parquet(list(paths), glob=False, **hidden)
    if kind == "csv":
        return pl.scan_csv(list(paths), glob=False, schema_overrides=columns, infer_schema_length=None)
    return pl.scan_ndjson([glob.escape(path) for path in paths], schema=columns, infer_schema_length=None)


def _merged(pl: Any, left: dict[str, Any], right: dict[str, Any]) -> dict[str, Any] | None:  # noqa: ANN401
    """Return the types of the columns of two files: nulls may be anything, and integers real numbers."""

    def merged(x: Any, y: Any) -> Any:  # noqa: ANN401
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
    kinds = {name: merged(left[name], right[name]) for name in left}
    return None if any(kind is None for kind in kinds.values()) else kinds


def _called(source: str) -> str:
    return "standard input" if source == "-" else source


def _described(columns: dict[str, Any]) -> str:
    return ", ".join(f"{name} ({kind})" for name, kind in columns.items())


@contextmanager
def aside(target: Path) -> Iterator[Path]:
    """Give a path beside the target to write to, which takes the target's place if all went well.

    It is in a folder of its own, which is gone in the end, also if Ctrl-C comes twice; a writer that still runs then
    finds no place to go on. A run that is killed leaves its folder; the next one to the same target removes it. If the
    target is a link, it stays one, and what it points to is replaced.
    """
    if target.is_symlink():
        target = target.resolve()
    _check_name(target)
    if not target.parent.is_dir():
        raise ValueError(f"there is no folder {target.parent} for {target.name}; make it first")
    for left in target.parent.glob(f".{glob.escape(target.name)}.*{ASIDE}"):
        with suppress(OSError, ImportError):  # its run is alive, or another one removes it
            lock = _locked(left)
            shutil.rmtree(left, ignore_errors=True)
            os.close(lock)
    folder, held = _own_folder(target)

    def remove() -> None:
        shutil.rmtree(folder, ignore_errors=True)

    atexit.register(remove)
    try:
        yield folder / ".part"
        (folder / ".part").replace(target)
    finally:
        remove()
        atexit.unregister(remove)
        if held is not None:
            os.close(held)


def is_aside(path: str) -> bool:
    """Return whether a path is one that `aside` gives, or the folder of one."""
    return any(part.startswith(".") and part.endswith(ASIDE) for part in Path(path).parts)


def _own_folder(target: Path) -> tuple[Path, int | None]:
    """Make a folder beside the target, and hold a lock that says that its run is alive."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=f".{target.name}.", suffix=ASIDE, dir=target.parent))
        try:
            return folder, _locked(folder)
        except (BlockingIOError, FileNotFoundError):  # another run took it for a leftover before it was locked
            continue
        except (OSError, ImportError):  # there are no locks here, so that nobody removes leftovers either
            return folder, None


def _locked(folder: Path) -> int:
    """Return an open file whose lock marks a folder as used, or raise OSError; the lock ends with its process."""
    import fcntl

    file = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        (folder / ".lock").stat()  # may be gone since it was opened
    except OSError:
        os.close(file)
        raise
    return file


def _check_name(path: str | Path) -> None:
    """Refuse a name that Polars cannot open."""
    try:
        str(path).encode()
    except UnicodeEncodeError:
        shown = os.fsencode(path).decode("utf-8", "backslashreplace")
        raise ValueError(f"the name of {shown} is not UTF-8; rename the file or its folder") from None


def _decoded(pl: Any, frame: Any, name: str, kind: Any) -> Any:  # noqa: ANN401
    """Return the cuts of a column that holds them otherwise than as integers; None if it needs no decoding.

    What is no integer becomes a null among the cuts, which the scores refuse by its row.
    """
    column = pl.col(name)
    if kind == pl.String:
        several = column.str.contains(r"^\s*\[\s*\[")
        if frame.select(several.fill_null(False).any()).collect().item():
            inner = _from_text(pl, pl.element())
            lists = column.str.extract_all(r"\[[^\[\]]*\]").list.eval(inner)
            nobody = pl.lit([], dtype=pl.List(pl.List(pl.Int64)))
            bad = pl.lit([[None]], dtype=pl.List(pl.List(pl.Int64)))
            whole = column.is_null() | column.str.contains(_LISTS)
            return pl.when(column.str.contains(r"^\s*\[\s*\]\s*$")).then(nobody).when(whole).then(lists).otherwise(bad)
        return _from_text(pl, column)
    if isinstance(kind, pl.List) and isinstance(kind.inner, pl.List):
        inner = _integers(pl, pl.element(), kind.inner)
        return None if inner is None else column.list.eval(inner)
    return _integers(pl, column, kind) if isinstance(kind, pl.List) else None


_LIST = r"\[\s*(-?\d+\s*(,\s*-?\d+\s*)*)?\]"
_LISTS = rf"^\s*\[\s*({_LIST}\s*(,\s*{_LIST}\s*)*)?\]\s*$"


def _from_text(pl: Any, column: Any) -> Any:  # noqa: ANN401
    """Return the integers of texts like "[3, 8]"."""
    cuts = column.str.extract_all(r"-?\d+").cast(pl.List(pl.Int64), strict=False)
    whole = column.is_null() | column.str.contains(rf"^\s*{_LIST}\s*$")
    return pl.when(whole).then(cuts).otherwise(pl.lit([None], dtype=pl.List(pl.Int64)))


def _integers(pl: Any, column: Any, kind: Any) -> Any:  # noqa: ANN401
    """Return lists of texts or real numbers as lists of integers."""
    if kind.inner == pl.String:
        return column.cast(pl.List(pl.Int64), strict=False)
    if kind.inner in (pl.Float32, pl.Float64):
        return column.list.eval(exact(pl, pl.element(), kind.inner))
    return None


def exact(pl: Any, numbers: Any, kind: Any) -> Any:  # noqa: ANN401
    """Return real numbers as integers, null where they are none or so large that they may be rounded."""
    is_exact = (numbers == numbers.floor()) & (numbers.abs() < (2**24 if kind == pl.Float32 else 2**53))
    return pl.when(is_exact).then(numbers).cast(pl.Int64, strict=False)


def _sink_json_lines(pl: Any, frame: Any, target: Path | IO[bytes]) -> None:  # noqa: ANN401
    """Write rows as JSON Lines; infinities and nan, which JSON does not know, as "inf", "-inf" and "nan".

    Polars would write null for them, which is no score at all.
    """
    pieces: list[Any] = []
    others: list[str] = []  # columns since the last one of real numbers, encoded at once

    def flush() -> None:
        if others:
            pieces.append(pl.struct(others).struct.json_encode().str.slice(1).str.head(-1))
            others.clear()

    for name, kind in frame.collect_schema().items():
        if not kind.is_float():
            others.append(name)
            continue
        flush()
        text = pl.col(name).cast(pl.String)
        quoted = pl.format('"{}"', text.str.to_lowercase())
        value = pl.when(pl.col(name).is_finite()).then(text).otherwise(quoted).fill_null("null")
        pieces.append(pl.concat_str(pl.lit(json.dumps(name, ensure_ascii=False) + ":"), value))
    flush()
    row = pl.concat_str(pl.lit("{"), pl.concat_str(pieces, separator=","), pl.lit("}"))
    frame.select(row.alias("row")).sink_csv(target, include_header=False, quote_style="never")


def _as_json(pl: Any, name: str) -> Any:  # noqa: ANN401
    """Return lists and structs as JSON."""
    head = '{"x":'
    text = pl.struct(pl.col(name).alias("x")).struct.json_encode()
    inner = text.str.slice(len(head)).str.head(-1)
    return pl.when(pl.col(name).is_not_null()).then(inner).alias(name)
