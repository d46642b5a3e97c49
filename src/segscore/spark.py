"""Scores on a Spark cluster."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import timedelta
from typing import Any, Literal

from .optional import library
from .tables.options import Options
from .tables.score import NESTED, scored

__all__ = ["score"]


def score(
    df: Any,  # noqa: ANN401
    truth: str = "truth",
    pred: str = "pred",
    n: str | int | None = "n",
    *,
    metrics: Iterable[str] | None = None,
    margin: float | timedelta | None = None,
    relative_margin: float | None = None,
    duration: str | float | None = None,
    start: Any = None,  # noqa: ANN401
    end: Any = None,  # noqa: ANN401
    truth_labels: str | None = None,
    pred_labels: str | None = None,
    ends: bool = False,
    on_error: Literal["raise", "null"] = "raise",
    against: Literal["all", "others"] = "all",
) -> Any:  # noqa: ANN401
    """Score each row of a Spark DataFrame, as `segscore.score` does for other tables.

    Rows are scored on the workers in Arrow batches (``mapInArrow``), with one thread per task; the numbers are bit for
    bit those of a single machine. segscore must be installed on the workers. An error names the row within its batch.
    If the truths are text, Spark first looks through them for lists of lists.
    """
    types = library("pyspark.sql.types", extra="spark")
    options = Options(
        truth=truth,
        pred=pred,
        n=n,
        metrics=metrics,
        margin=margin,
        relative_margin=relative_margin,
        duration=duration,
        start=start,
        end=end,
        truth_labels=truth_labels,
        pred_labels=pred_labels,
        ends=ends,
        on_error=on_error,
        threads=1,
        against=against,
    )
    options.check(df.columns)
    written = dict.fromkeys(options.names, types.DoubleType())
    written |= dict.fromkeys(("status", "error") if options.reasons else (), types.StringType())
    fields = {field.name: field for field in df.schema.fields}
    is_text = isinstance(fields[truth].dataType, types.StringType)
    fields |= {name: types.StructField(name, kind) for name, kind in written.items()}
    nested = is_text and not df.where(df[truth].rlike(NESTED)).isEmpty()  # what [] means depends on the whole column

    def run(batches: Iterator[Any]) -> Iterator[Any]:
        pa = library("pyarrow")

        for batch in batches:
            yield from scored(pa.Table.from_batches([batch]), options, nested=nested).to_batches()

    return df.mapInArrow(run, types.StructType([*fields.values()]))
