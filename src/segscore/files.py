"""Files of tables: streamed through the scores, and written aside until they are complete."""

from __future__ import annotations

import atexit
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from . import tables

__all__ = ["count_rows", "polars", "scanned", "score_files"]

FORMATS = {".parquet": "parquet", ".csv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl"}


def score_files(
    sources: list[str], target: Path | IO[bytes], options: dict[str, Any], watch: Callable[[int], None] | None = None
) -> None:
    """Score all rows of some files into one, or as JSON Lines into an open one; ``options`` are those of `score`.

    In CSV the cuts are JSON lists. ``watch`` is told how many rows have passed.
    """
    pl = polars()
    frames = [scanned(source) for source in sources]
    frame = frames[0] if len(frames) == 1 else pl.concat(frames, how="vertical")
    schema = frame.collect_schema()
    text = [name for name in (options["truth"], options["pred"]) if schema.get(name) == pl.String]
    decoded = {f"_{name}": pl.col(name).str.json_decode(pl.List(pl.Int64)) for name in text}
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
        lists = [name for name, kind in schema.items() if kind.is_nested()]
        scored = scored.with_columns(_as_json(pl, name) for name in lists)
    # In a folder of its own, which is gone in the end, also if Ctrl-C comes twice; a writer that still runs then finds
    # no place to go on.
    folder = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    try:
        part = folder / "part"
        {"parquet": scored.sink_parquet, "csv": scored.sink_csv, "jsonl": scored.sink_ndjson}[written](part)
        part.replace(target)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def count_rows(sources: list[str]) -> int | None:
    """Return how many rows there are, if that is known without reading them."""
    if not all(source.endswith(".parquet") for source in sources):
        return None
    pl = polars()
    return sum(int(pl.scan_parquet(source).select(pl.len()).collect().item()) for source in sources)


def scanned(source: str) -> Any:  # noqa: ANN401
    """Return a LazyFrame of a file, or of JSON Lines from standard input."""
    pl = polars()
    if source == "-":
        return pl.scan_ndjson(sys.stdin.buffer.read())
    return {"parquet": pl.scan_parquet, "csv": pl.scan_csv, "jsonl": pl.scan_ndjson}[format_of(source)](source)


def format_of(name: str | Path) -> str:
    """Return the format of a file by its name."""
    suffix = Path(name).suffix
    if suffix not in FORMATS:
        raise ValueError(f"{name} ends with {suffix or 'nothing'!r}; expected {', '.join(FORMATS)}")
    return FORMATS[suffix]


def polars() -> Any:  # noqa: ANN401
    """Return polars, or say how to get it."""
    return tables._import("polars")


def _as_json(pl: Any, name: str) -> Any:  # noqa: ANN401
    items = pl.col(name).cast(pl.List(pl.String)).list.join(", ")
    return (pl.lit("[") + items + pl.lit("]")).alias(name)
