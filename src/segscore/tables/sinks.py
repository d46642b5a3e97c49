"""Sinks of tables: JSON Lines and CSV without values that these formats cannot hold."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from ..optional import polars as pl
from .scans import has_reals

__all__ = ["as_json", "interrupted_once", "sink_json_lines", "with_finite_items"]


def sink_json_lines(frame: pl.LazyFrame, target: Path | IO[bytes]) -> None:
    """Write rows as JSON Lines, with infinities and nan as "inf", "-inf" and "nan".

    JSON has no such numbers; Polars would write null, which means that there is no score.
    """
    pieces: list[pl.Expr] = []
    others: list[str] = []  # columns since the last column of real numbers, encoded together

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


def with_finite_items(frame: pl.LazyFrame) -> pl.LazyFrame:
    """Return a LazyFrame that refuses infinities and nan in lists and structs."""
    schema = frame.collect_schema()
    nested = [name for name, kind in schema.items() if kind.is_nested() and has_reals(kind)]

    def checked(batch: pl.DataFrame) -> pl.DataFrame:
        for name in nested:
            for items in _leaves(batch.get_column(name)):
                if items.dtype.is_float() and not items.is_finite().all():
                    raise ValueError(
                        f"column {name!r} holds {items.filter(~items.is_finite())[0]} in a list or struct, which JSON "
                        "and CSV cannot hold; expected a .parquet file as output, or finite numbers"
                    )
        return batch

    return frame.map_batches(checked, schema=schema, streamable=True) if nested else frame


def _leaves(column: pl.Series) -> Iterator[pl.Series]:
    """Give the columns of values in nested lists and structs."""
    if isinstance(column.dtype, pl.List | pl.Array):
        yield from _leaves(column.explode())
    elif isinstance(column.dtype, pl.Struct):
        for field in column.struct.fields:
            yield from _leaves(column.struct.field(field))
    else:
        yield column


def as_json(name: str) -> pl.Expr:
    """Return lists and structs as JSON."""
    head = '{"x":'
    text = pl.struct(pl.col(name).alias("x")).struct.json_encode()
    inner = text.str.slice(len(head)).str.head(-1)
    return pl.when(pl.col(name).is_not_null()).then(inner).alias(name)


@contextmanager
def interrupted_once() -> Iterator[None]:
    """Raise exactly one KeyboardInterrupt for Ctrl-C.

    Polars raises one of its own, or raises what a score in one of its threads raised, and Python's own interrupt stays
    pending.
    """
    try:
        yield
    except BaseException:
        time.sleep(0)  # lets Python raise a pending interrupt here
        raise
