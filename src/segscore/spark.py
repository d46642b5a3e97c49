"""Spark: the same scores of the same rows, on a cluster."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Literal

from .tables import _import, _Job

__all__ = ["score"]


def score(
    df: Any,  # noqa: ANN401
    truth: str = "truth",
    pred: str = "pred",
    n: str | int | None = "n",
    *,
    metrics: Iterable[str] | None = None,
    margin: float | None = None,
    relative_margin: float | None = None,
    duration: str | float | None = None,
    on_error: Literal["raise", "null"] = "raise",
) -> Any:  # noqa: ANN401
    """Return a Spark DataFrame with a column for each score, as `segscore.score` does for other tables.

    Rows are scored in Arrow batches where they lie (``mapInArrow``), one thread a task; the numbers are those of one
    machine to the last bit. segscore has to be installed on the workers. An error names the row within its batch.
    """
    try:
        from pyspark.sql.types import DoubleType, StringType, StructField, StructType
    except ImportError:
        raise ImportError("pyspark is needed for this; install segscore[spark]") from None
    job = _Job(truth, pred, n, metrics, margin, relative_margin, duration, on_error, threads=1)
    job.check(df.columns)
    fields = [StructField(name, DoubleType()) for name in job.names]
    fields += [StructField("error", StringType())] if on_error == "null" else []

    def run(batches: Iterator[Any]) -> Iterator[Any]:
        pa = _import("pyarrow")

        for batch in batches:
            yield from job.run(pa.Table.from_batches([batch])).to_batches()

    return df.mapInArrow(run, StructType([*df.schema.fields, *fields]))
