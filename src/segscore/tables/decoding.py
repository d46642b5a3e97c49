"""Decoding of cuts and labels that a table stores as text, as lists of text or as real numbers."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from typing import Any

from .. import _core
from ..optional import PolarsType
from ..optional import polars as pl
from .states import UNREADABLE_STATUS, empty_texts
from .times import times_of_texts

__all__ = ["CUTS", "decoded", "exact", "with_cuts"]

CUTS = ("truth", "pred", "change_points")  # the usual names of columns of cuts
ENDS = ("start", "end")  # the usual names of columns of the first and the last time
LABELS = ("truth_labels", "pred_labels", "labels")  # the usual names of columns of labels


def with_cuts(
    table: pl.DataFrame,
    on_error: str = "raise",
    where: Callable[[int], str] = "row {}".format,
    in_time: bool = False,
    in_dates: bool = False,
) -> pl.DataFrame:
    """Return a Polars DataFrame with cuts as integers, or in time as real numbers, and labels and signals as lists.

    ``in_dates`` says that cuts, starts and ends are timestamps; texts in ISO 8601 become timestamps. Cuts may be given
    as text or as real numbers. A text that is not a list of cuts is an error. With ``on_error="null"`` the cuts of its
    row are null, and the columns ``status`` and ``error`` say why. A row whose status is unreadable already is not an
    error. ``where`` names a row in messages.
    """
    columns: dict[str, pl.Expr | pl.Series] = {}
    known = table["status"].to_list() if "status" in table.columns else [None] * table.height
    problems: dict[int, str] = {}
    for name in (*CUTS, *ENDS) if in_dates else ():
        if _innermost(table.schema.get(name)) == pl.String:
            columns[name], found = _from_dates(table.get_column(name))
            problems = found | problems
    for name in CUTS if not in_dates else ():
        kind = table.schema.get(name)
        if kind == pl.String:
            columns[name], found = _from_texts(table.get_column(name), in_time)
            problems = found | problems
        elif (cuts := decoded(name, kind, in_time)) is not None:
            columns[name] = cuts
    for name in LABELS:
        if table.schema.get(name) == pl.String:
            columns[name], found = _labels_from_texts(table.get_column(name))
            problems = found | problems
    if table.schema.get("signal") == pl.String:
        columns["signal"] = pl.col("signal").str.json_decode(pl.List(pl.Float64))
    new = sorted(row for row in problems if known[row] != UNREADABLE_STATUS)
    if new and on_error == "raise":
        raise ValueError(f"{where(new[0])}: {problems[new[0]]}")
    if new:
        old = table["error"].to_list() if "error" in table.columns else [None] * table.height
        for row in new:
            known[row], old[row] = UNREADABLE_STATUS, problems[row]
        columns |= {name: pl.Series(x, dtype=pl.String) for name, x in (("status", known), ("error", old))}
    return table.with_columns(**columns)


def _innermost(kind: Any) -> Any:  # noqa: ANN401
    """Return the type of the values of a column, whatever lists they stand in."""
    while hasattr(kind, "inner"):
        kind = kind.inner
    return kind


def _from_dates(column: pl.Series) -> tuple[pl.Series, dict[int, str]]:
    """Return a column of texts that hold times as timestamps, and the errors of its rows."""
    values, depth, aware, problems = times_of_texts(column.to_list(), column.name)
    kind: PolarsType = pl.Datetime("us", "UTC" if aware else None)
    counts: PolarsType = pl.Int64
    for _ in range(depth):
        kind, counts = pl.List(kind), pl.List(counts)
    return pl.Series(column.name, values, dtype=counts).cast(kind), problems


def _from_texts(column: pl.Series, in_time: bool) -> tuple[pl.Series, dict[int, str]]:
    """Return a column of texts as lists of cuts, and the errors of its rows.

    A column of truths is a column of lists of lists if one text is a list of lists.
    """
    name = column.name
    values, problems = _read_all(column, lambda text: _core.read_text(text, name, in_time))
    if any(text is not None and not text.strip() for text in column):
        warnings.warn(empty_texts(name), stacklevel=2)
    nested = {row for row, cuts in enumerate(values) if cuts and isinstance(cuts[0], list)}
    kind = pl.List(pl.Float64 if in_time else pl.Int64)
    if name == "truth" and nested:
        kind = pl.List(kind)
        for row, cuts in enumerate(values):
            if cuts is not None and row not in nested:
                values[row] = [cuts] if cuts else []  # an empty list of annotators, which scores refuse
    else:
        for row in nested:
            problems[row] = f"{name} is a list of lists; expected one list (only the truth may have several)"
            values[row] = None
    return pl.Series(name, values, dtype=kind), problems


def _read_all(column: pl.Series, read: Callable[[str], Any]) -> tuple[list[Any], dict[int, str]]:
    """Return what the texts of a column hold, None for those that cannot be read, and the errors of the rows."""
    problems: dict[int, str] = {}

    def value(row: int, text: str | None) -> Any:  # noqa: ANN401
        try:
            return None if text is None else read(text)
        except ValueError as error:
            problems[row] = str(error)
            return None

    return [value(row, text) for row, text in enumerate(column)], problems


def _labels_from_texts(column: pl.Series) -> tuple[pl.Series, dict[int, str]]:
    """Return a column of texts as lists of labels, and the errors of its rows.

    Labels that are not all texts become JSON, so that the number 1 and the text "1" stay different. A column is one of
    lists of lists if one text is a list of lists.
    """
    values, problems = _read_all(column, lambda text: _core.read_labels(text, column.name))
    nested = any(labels and isinstance(labels[0], list) for labels in values)
    lists = [
        labels if labels is None or (labels and isinstance(labels[0], list)) or not nested else [labels]
        for labels in values
    ]

    def all_texts(labels: object) -> bool:
        return labels is None or isinstance(labels, str) or (isinstance(labels, list) and all(map(all_texts, labels)))

    def written(labels: Any) -> Any:  # noqa: ANN401
        if isinstance(labels, list):
            return [written(label) for label in labels]
        return None if labels is None else json.dumps(labels, ensure_ascii=False)

    if not all(map(all_texts, lists)):
        lists = [written(labels) for labels in lists]
    kind = pl.List(pl.List(pl.String)) if nested else pl.List(pl.String)
    return pl.Series(column.name, lists, dtype=kind), problems


def decoded(name: str, kind: pl.DataType | None, in_time: bool = False) -> pl.Expr | None:
    """Return the cuts of a column that stores them as lists of texts or real numbers, or None.

    None means that the column needs no decoding. An item that is not an integer, or in time not a number, becomes a
    null among the cuts; the scores refuse the null and name its row.
    """
    if isinstance(kind, pl.List) and isinstance(kind.inner, pl.List):
        inner = _numbers(pl.element(), kind.inner, in_time)
        return None if inner is None else pl.col(name).list.eval(inner)
    return _numbers(pl.col(name), kind, in_time) if isinstance(kind, pl.List) else None


def _numbers(column: pl.Expr, kind: pl.List, in_time: bool) -> pl.Expr | None:
    """Return lists of texts or real numbers as lists of integers, or in time as lists of real numbers."""
    if kind.inner == pl.String:
        return column.cast(pl.List(pl.Float64 if in_time else pl.Int64), strict=False)
    if kind.inner in (pl.Float32, pl.Float64) and not in_time:
        return column.list.eval(exact(pl.element(), kind.inner))
    return None


def exact(numbers: pl.Expr, kind: PolarsType) -> pl.Expr:
    """Return real numbers as integers; null if fractional, or so large that they may be rounded."""
    is_exact = (numbers == numbers.floor()) & (numbers.abs() < (2**24 if kind == pl.Float32 else 2**53))
    return pl.when(is_exact).then(numbers).cast(pl.Int64, strict=False)
