"""Decoding of cuts that a file stores as text, as lists of text or as real numbers."""

from __future__ import annotations

from typing import Any

from ..optional import library

__all__ = ["decoded", "exact", "with_cuts"]


def with_cuts(table: Any) -> Any:  # noqa: ANN401
    """Return a Polars DataFrame with cuts as integers and signals as numbers.

    Cuts may be given as text or as real numbers.
    """
    pl = library("polars")
    columns = {}
    for name in ("truth", "pred", "change_points"):
        cuts = decoded(pl, table.lazy(), name, table.schema.get(name))
        if cuts is not None:
            columns[name] = cuts
    if table.schema.get("signal") == pl.String:
        columns["signal"] = pl.col("signal").str.json_decode(pl.List(pl.Float64))
    return table.with_columns(**columns)


def decoded(pl: Any, frame: Any, name: str, kind: Any) -> Any:  # noqa: ANN401
    """Return the cuts of a column that stores them as text or real numbers, or None.

    None means that the column needs no decoding. An item that is not an integer becomes a null among the cuts; the
    scores refuse the null and name its row.
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
    """Return real numbers as integers; null if fractional, or so large that they may be rounded."""
    is_exact = (numbers == numbers.floor()) & (numbers.abs() < (2**24 if kind == pl.Float32 else 2**53))
    return pl.when(is_exact).then(numbers).cast(pl.Int64, strict=False)
