"""Tables of results with one row per method and series, from every form of such a table."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .. import arguments
from ..optional import library
from ..optional import polars as pl
from ..scores.metric_text import metric_of
from .decoding import with_cuts
from .options import lengths_in
from .score import dataframe, named

__all__ = ["wide"]


def wide(table: Any, truths: Any, on_error: str = "raise") -> pl.DataFrame:  # noqa: ANN401
    """Return the table with one row per method and series.

    The cuts are in ``truth`` (a list of lists, one per annotator) and ``pred``, and labels in ``truth_labels`` and
    ``pred_labels`` in the same way. Cuts are in time if there is a column ``duration`` and no column ``n``, and
    timestamps if there are only ``start`` and ``end``.
    ``on_error`` says what happens to texts that are not cuts, as in `with_cuts`.
    """
    library("polars", extra="report")
    return _wide(dataframe(table), None if truths is None else dataframe(truths), on_error)


def _wide(table: pl.DataFrame, truths: pl.DataFrame | None, on_error: str) -> pl.DataFrame:
    lengths = lengths_in([*table.columns, *(() if truths is None else truths.columns)])
    in_kind = lengths == ("duration",), lengths == ("start", "end")
    table = _named(table, ("method", "series"), "table", on_error, *in_kind)
    if truths is not None:
        truths = _named(truths, ("series", "change_points"), "truths", on_error, *in_kind)
        truths = truths.filter(pl.col("change_points").is_not_null())
        own = truths.group_by("series", maintain_order=True).agg(
            pl.col("change_points").alias("truth"),
            *([pl.col("labels").alias("truth_labels")] if "labels" in truths.columns else []),
            *([pl.col("annotator").cast(pl.String).alias("_annotators")] if "annotator" in truths.columns else []),
            *(pl.col(name).first() for name in lengths if name in truths.columns and name not in table.columns),
        )
        renamed = {} if "pred" in table.columns else {"change_points": "pred"}
        renamed |= {} if "pred_labels" in table.columns else {"labels": "pred_labels"}
        table = table.drop("truth", "truth_labels", strict=False).rename(renamed, strict=False)
        return table.join(own, on="series", how="left", maintain_order="left")
    if "change_points" in table.columns and "pred" not in table.columns:
        raise ValueError(
            "table has change_points but no truth; expected truths= with the columns series and change_points"
        )
    kind = table.schema.get("truth")
    if not isinstance(kind, pl.List):
        return table
    if "annotator" in table.columns and not isinstance(kind.inner, pl.List):
        people = table.unique(["series", "annotator"], maintain_order=True)
        sides = [name for name in ("truth", "truth_labels") if name in table.columns]
        own = people.group_by("series", maintain_order=True).agg(
            pl.col(sides), pl.col("annotator").cast(pl.String).alias("_annotators")
        )
        scores = [name for name in table.columns if metric_of(name)]
        first = [name for name in table.columns if name not in ("series", "method", "annotator", *sides, *scores)]
        kept = table.group_by("series", "method", maintain_order=True).agg(pl.col(first).first(), pl.col(scores).mean())
        return kept.join(own, on="series", how="left", maintain_order="left")
    for name in ("truth", "truth_labels"):
        kind = table.schema.get(name)
        if isinstance(kind, pl.List) and not isinstance(kind.inner, pl.List):
            alone = table.with_row_index("_row").group_by("_row", maintain_order=True).agg(name).get_column(name)
            table = table.with_columns(pl.when(pl.col(name).is_not_null()).then(alone).alias(name))
    return table


def _named(
    table: pl.DataFrame, needed: Iterable[str], what: str, on_error: str, in_time: bool, in_dates: bool
) -> pl.DataFrame:
    """Return a table whose names are text and whose cuts are integers."""
    arguments.columns(table.columns, needed, f"{what} has")
    table = table.drop("_annotators", strict=False)
    table = named(table, [name for name in ("series", "method") if name in table.columns])
    table = table.with_columns(
        pl.col(name).arr.to_list() for name, kind in table.schema.items() if isinstance(kind, pl.Array)
    )
    return with_cuts(table, on_error, lambda row: f"{what}, row {row}", in_time, in_dates)
