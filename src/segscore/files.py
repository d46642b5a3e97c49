"""Files of tables: streamed through the scores, and written aside until they are complete."""

from __future__ import annotations

import atexit
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Any

from . import tables

__all__ = ["aside", "count_rows", "polars", "read", "score_files"]

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
    with ExitStack() as stack:
        frame = _scanned(sources, [stack.enter_context(_stored(source)) for source in sources])
        schema = frame.collect_schema()
        text = [name for name in (options["truth"], options["pred"]) if schema.get(name) == pl.String]
        decoded = {f"_{name}": _from_json(pl, name) for name in text}
        names = {side: f"_{options[side]}" if options[side] in text else options[side] for side in ("truth", "pred")}
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
            scored = scored.with_columns(
                _as_json(pl, pl.col(name), kind).alias(name) for name, kind in schema.items() if kind.is_nested()
            )
        part = stack.enter_context(aside(target))
        {"parquet": scored.sink_parquet, "csv": scored.sink_csv, "jsonl": scored.sink_ndjson}[written](part)
        part.replace(target)


def count_rows(sources: Sequence[str]) -> int | None:
    """Return how many rows there are, if that is known without reading them."""
    if not all(source.endswith(".parquet") for source in sources):
        return None
    pl = polars()
    return int(_scanned(sources, sources).select(pl.len()).collect().item())


def read(source: str) -> Any:  # noqa: ANN401
    """Return a file, or standard input, as a Polars DataFrame."""
    with _stored(source) as path:
        try:
            return _scanned([source], [path]).collect()
        except polars().exceptions.PolarsError as error:
            raise ValueError(f"{_called(source)} cannot be read: {error}") from None


def format_of(name: str | Path) -> str:
    """Return the format of a file by its name."""
    suffix = Path(name).suffix
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
    """Return one LazyFrame of the paths of some sources, which have the same columns."""
    pl = polars()
    scans = {"parquet": pl.scan_parquet, "csv": pl.scan_csv, "jsonl": pl.scan_ndjson}
    formats = [format_of(path) for path in paths]
    columns: dict[str, Any] = {}
    for source, path, kind in zip(sources, paths, formats, strict=True):
        try:
            found = dict(scans[kind](path).collect_schema())
        except pl.exceptions.PolarsError as error:
            raise ValueError(f"{_called(source)} cannot be read as {kind}: {error}") from None
        if columns and found != columns:
            raise ValueError(
                f"{_called(source)} has the columns {_described(found)}, but {_called(sources[0])} has "
                f"{_described(columns)}; expected the same in all, or a folder as output"
            )
        columns = found
    if len(set(formats)) == 1:  # not one scan a file: those would all be read ahead at once
        return scans[formats[0]](list(paths))
    return pl.concat([scans[kind](path) for path, kind in zip(paths, formats, strict=True)], how="vertical")


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


def _from_json(pl: Any, name: str) -> Any:  # noqa: ANN401
    """Return the integers of a text like "[3, 8]"; what is none of them is null, which the scores refuse by its row."""
    cuts = pl.col(name).str.extract_all(r"[^\s,\[\]]+").cast(pl.List(pl.Int64), strict=False)
    whole = pl.col(name).is_null() | pl.col(name).str.contains(r"^\s*\[[^\[\]]*\]\s*$")
    return pl.when(whole).then(cuts).otherwise(pl.lit([None], dtype=pl.List(pl.Int64)))


def _as_json(pl: Any, column: Any, kind: Any) -> Any:  # noqa: ANN401
    """Return lists, and lists of lists, as texts."""
    if not isinstance(kind, pl.List | pl.Array):
        return column.cast(pl.String)
    items = column.cast(pl.List(kind.inner)).list.eval(_as_json(pl, pl.element(), kind.inner))
    return pl.concat_str(pl.lit("["), items.list.join(", "), pl.lit("]"))
