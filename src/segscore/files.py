"""Files of tables: streamed through the scores, and written aside until they are complete."""

from __future__ import annotations

import atexit
import glob
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Any

from . import tables

__all__ = ["aside", "count_rows", "is_among", "polars", "read", "score_files", "with_cuts"]

FORMATS = {".parquet": "parquet", ".csv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl"}


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
            scored.sink_ndjson(target)
            return
        written = format_of(target)
        if written == "csv":
            scored = scored.with_columns(_as_json(pl, name) for name, kind in schema.items() if kind.is_nested())
        part = stack.enter_context(aside(target))
        {"parquet": scored.sink_parquet, "csv": scored.sink_csv, "jsonl": scored.sink_ndjson}[written](part)
        part.replace(target)


def is_among(target: Path, sources: Sequence[str]) -> bool:
    """Return whether a file is one of some others, whatever it is called."""
    return any(Path(source).resolve() == target.resolve() for source in sources)


def count_rows(sources: Sequence[str]) -> int | None:
    """Return how many rows there are, if that is known without reading them."""
    if not all(source.lower().endswith(".parquet") for source in sources):
        return None
    pl = polars()
    return int(_scanned(sources, sources).select(pl.len()).collect().item())


def read(source: str) -> Any:  # noqa: ANN401
    """Return a file, or standard input, as a Polars DataFrame."""
    with _stored(source) as path:
        try:
            return with_cuts(_scanned([source], [path]).collect())
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
    suffix = Path(name).suffix.lower()
    if suffix not in FORMATS:
        raise ValueError(f"{name} ends with {suffix or 'nothing'!r}; expected {', '.join(FORMATS)}")
    return FORMATS[suffix]


def polars() -> Any:  # noqa: ANN401
    """Return polars, or say how to get it."""
    return tables._import("polars")


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


def _scanned(sources: Sequence[str], paths: Sequence[str]) -> Any:  # noqa: ANN401
    """Return one LazyFrame of the paths of some sources, which have the same columns.

    The types of text are inferred from all of it: what is a number in the first rows may be none later.
    """
    pl = polars()
    formats = [format_of(path) for path in paths]
    columns: dict[str, Any] = {}
    for source, path, kind in zip(sources, paths, formats, strict=True):
        try:
            found = dict(_scan(pl, kind, [path]).collect_schema())
        except pl.exceptions.PolarsError as error:
            raise ValueError(f"{_called(source)} cannot be read as {kind}: {error}") from None
        both = _merged(pl, columns or found, found)
        if both is None or (kind == "parquet" and both != found):
            raise ValueError(
                f"{_called(source)} has the columns {_described(found)}, but {_called(sources[0])} has "
                f"{_described(columns)}; expected the same in all, or a folder as output"
            )
        columns = both
    if len(set(formats)) == 1:  # not one scan a file: those would all be read ahead at once
        return _scan(pl, formats[0], paths, columns)
    frames = [_scan(pl, kind, [path], columns) for path, kind in zip(paths, formats, strict=True)]
    return pl.concat(frames, how="vertical")


def _scan(pl: Any, kind: str, paths: Sequence[str], columns: dict[str, Any] | None = None) -> Any:  # noqa: ANN401
    if kind == "parquet":
        return pl.scan_parquet(list(paths), glob=False)
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
    """Give a path beside the target to write to.

    It is in a folder of its own, which is gone in the end, also if Ctrl-C comes twice; a writer that still runs then
    finds no place to go on.
    """
    if not target.parent.is_dir():
        raise ValueError(f"there is no folder {target.parent} for {target.name}; make it first")
    folder = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))

    def remove() -> None:
        shutil.rmtree(folder, ignore_errors=True)

    atexit.register(remove)
    try:
        yield folder / "part"
    finally:
        remove()
        atexit.unregister(remove)


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
            bad = pl.lit([[None]], dtype=pl.List(pl.List(pl.Int64)))
            return pl.when(column.is_null() | column.str.contains(_LISTS)).then(lists).otherwise(bad)
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
        item = pl.element()
        return column.list.eval(pl.when(item == item.floor()).then(item).cast(pl.Int64, strict=False))
    return None


def _as_json(pl: Any, name: str) -> Any:  # noqa: ANN401
    """Return lists and structs as JSON."""
    head = '{"x":'
    text = pl.struct(pl.col(name).alias("x")).struct.json_encode()
    inner = text.str.slice(len(head)).str.head(-1)
    return pl.when(pl.col(name).is_not_null()).then(inner).alias(name)
