"""Scores on a Spark cluster."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from .optional import library
from .tables.options import Options, PairOptions, shows_options
from .tables.score import NESTED, scored

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["score"]


@shows_options(PairOptions)
def score(
    df: Any,  # noqa: ANN401
    truth: str = "truth",
    pred: str = "pred",
    n: str | int | None = "n",
    **options: Unpack[PairOptions],
) -> Any:  # noqa: ANN401
    """Score each row of a Spark DataFrame, as `segscore.score` does for other tables.

    Rows are scored on the workers in Arrow batches (``mapInArrow``), with one thread per task; the numbers are bit for
    bit those of a single machine. segscore must be installed on the workers. An error names the row within its batch.
    If the truths are text, Spark first looks through them for lists of lists.
    """
    types = library("pyspark.sql.types", extra="spark")
    checked = Options(truth=truth, pred=pred, n=n, threads=1, **options)
    checked.check(df.columns)
    written = dict.fromkeys(checked.names, types.DoubleType())
    written |= dict.fromkeys(("status", "error") if checked.reasons else (), types.StringType())
    fields = {field.name: field for field in df.schema.fields}
    is_text = isinstance(fields[truth].dataType, types.StringType)
    fields |= {name: types.StructField(name, kind) for name, kind in written.items()}
    nested = is_text and not df.where(df[truth].rlike(NESTED)).isEmpty()  # what [] means depends on the whole column

    def run(batches: Iterator[Any]) -> Iterator[Any]:
        pa = library("pyarrow")

        for batch in batches:
            yield from scored(pa.Table.from_batches([batch]), checked, nested=nested).to_batches()

    return df.mapInArrow(run, types.StructType([*fields.values()]))
