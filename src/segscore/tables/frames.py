"""Scores for tables in memory: one new column per score."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from .. import _core
from ..catalog import plan_of
from ..optional import library
from .options import Options

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["columns_of", "dataframe", "free_name", "named", "score", "score_long", "scored"]

Table = TypeVar("Table")


def score(
    table: Table,
    truth: str = "truth",
    pred: str = "pred",
    n: str | int | None = "n",
    *,
    metrics: Iterable[str] | None = None,
    margin: float | None = None,
    relative_margin: float | None = None,
    duration: str | float | None = None,
    ends: bool = False,
    on_error: Literal["raise", "null"] = "raise",
    threads: int | None = None,
) -> Table:
    """Score each row of a table, and return the table with one new column per score.

    Parameters
    ----------
    table
        Polars DataFrame or LazyFrame, pandas DataFrame, pyarrow Table, DuckDB relation, or any object with
        ``__arrow_c_stream__`` (for which the result is a pyarrow Table).
    truth, pred
        The names of the columns of cuts: lists of integers of any width, in any of Arrow's kinds of list. A row of the
        truth may hold several lists, one per annotator; the score is then the mean over the annotators.
    n
        The name of the column of lengths, or one length for all rows.
    metrics
        Names of metrics; the default is that of `compare`.
    margin, relative_margin
        The margin of precision, recall and f1.
    duration
        Replaces ``n`` for cuts in real-valued time: the name of a column, or one number.
    ends
        Replaces ``n``: the last value of each list is the length, as in ruptures. All lists of a row must end with the
        same length.
    on_error
        ``"raise"`` raises an error that names the first bad row (in a lazy table, any bad row) and the reason.
        ``"null"`` scores bad rows null, and gives the reason in a column ``error``. In both cases a row without cuts or
        without a length scores null. A null among the cuts is an error, and so is an empty list of annotators.
    threads
        The number of threads; by default the number of cores.

    Examples
    --------
    >>> import polars as pl
    >>> table = pl.DataFrame({"truth": [[3, 8], [5]], "pred": [[4, 8], []], "n": [10, 9]})
    >>> score(table, metrics=["rand_index", "f1"], margin=1).select("rand_index", "f1").rows()
    [(0.8444444444444444, 1.0), (0.4444444444444444, 0.0)]

    """
    options = Options(truth, pred, n, metrics, margin, relative_margin, duration, ends, on_error, threads)
    result: Table = scored(table, options)
    return result


def score_long(
    segmentations: Table,
    truths: Any,  # noqa: ANN401
    on: str | list[str] = "series",
    *,
    cuts: str = "change_points",
    n: str | int | None = "n",
    metrics: Iterable[str] | None = None,
    margin: float | None = None,
    relative_margin: float | None = None,
    ends: bool = False,
    on_error: Literal["raise", "null"] = "raise",
    threads: int | None = None,
) -> Table:
    """Score a table with one segmentation per row against the truths of its series.

    ``truths`` has one row per annotator and series; scores are means over the annotators. A segmentation whose series
    has no truth scores null. Both tables may be of any kind that `score` takes; the result is of the kind of
    ``segmentations``.

    >>> import polars as pl
    >>> runs = pl.DataFrame({"series": ["a", "a"], "method": ["x", "y"], "change_points": [[4, 8], [5]], "n": [10, 10]})
    >>> people = pl.DataFrame({"series": ["a", "a"], "annotator": ["Ada", "Ben"], "change_points": [[3, 8], [4, 8]]})
    >>> score_long(runs, people, metrics=["rand_index"]).get_column("rand_index").round(4).to_list()
    [0.9222, 0.6556]
    """
    pl = library("polars")
    keys = [on] if isinstance(on, str) else list(on)
    runs = segmentations if isinstance(segmentations, pl.LazyFrame) else dataframe(segmentations)
    people = dataframe(truths)
    for table, side in ((runs, "segmentations"), (people, "truths")):
        present = table.collect_schema().names()
        for name in (*keys, cuts):
            if name not in present:
                raise ValueError(f"{side} have no column {name!r}; they have {', '.join(present) or 'none'}")
    truth = free_name("_truth", runs.collect_schema().names())
    people = people.group_by(keys, maintain_order=True).agg(pl.col(cuts).alias(truth))
    if isinstance(runs, pl.LazyFrame):
        people = people.lazy()
    joined = runs.join(people, on=keys, how="left", maintain_order="left")
    options = Options(truth, cuts, n, metrics, margin, relative_margin, None, ends, on_error, threads)
    result: Table = scored(joined, options).drop(truth)
    if not isinstance(segmentations, pl.DataFrame | pl.LazyFrame):
        result = _as_kind_of(segmentations, result)
    return result


def scored(table: Any, options: Options) -> Any:  # noqa: ANN401
    """Score each row of a table of any kind, and return a table of the same kind."""
    kind = _kind(table)
    if kind == "polars":
        return _scored_polars(table, options)
    if kind == "pandas":
        options.check(table.columns)
        try:
            stream = table[options.columns].__arrow_c_stream__()
        except (ValueError, TypeError) as error:
            raise ValueError(_unreadable(error)) from None
        values, _, errors = columns_of(stream, options)
        if options.reasons:
            values["error"] = [errors.get(row) for row in range(len(table))]  # type: ignore[assignment]
        return table.assign(**values)
    if kind == "duckdb":
        return _relation(table, _scored_arrow(table.to_arrow_table(), options))
    if not hasattr(table, "__arrow_c_stream__") or type(table).__name__ == "Series":
        raise TypeError(
            f"table is {type(table).__name__}; expected a Polars, pandas, pyarrow or DuckDB table, or any object "
            "with __arrow_c_stream__"
        )
    return _scored_arrow(table if kind == "pyarrow" else library("pyarrow").table(table), options)


def columns_of(
    stream: object,
    options: Options,
    numbers: Any = None,  # noqa: ANN401
) -> tuple[dict[str, NDArray[np.float64]], NDArray[np.bool_], dict[int, str]]:
    """Return one column per score, a mask of the rows that have scores, and the errors of rows.

    ``numbers`` are the row numbers in the whole table, if this is a part of it.
    """
    values, valid, errors = _core.score_table(
        stream,
        options.truth,
        options.pred,
        plan_of(options.names, options.margin, options.relative_margin),
        options.length,
        options.in_time,
        options.thread_count,
    )
    if errors and not options.reasons:
        row = min(errors)
        raise ValueError(f"row {row if numbers is None else numbers[row]}: {errors[row]}")
    return dict(zip(options.names, values, strict=True)), valid.view(bool), errors


def _scored_arrow(table: Any, options: Options) -> Any:  # noqa: ANN401
    pa = library("pyarrow")
    if not isinstance(table, pa.Table):
        table = pa.table(table)
    options.check(table.column_names)
    values, valid, errors = columns_of(table.select(options.columns).__arrow_c_stream__(), options)
    for name, column in values.items():
        table = table.append_column(name, pa.array(column, mask=~valid))
    if options.reasons:
        reasons = pa.array([errors.get(row) for row in range(table.num_rows)], pa.string())
        table = table.append_column("error", reasons)
    return table


def _scored_polars(table: Any, options: Options, numbers: Any = None) -> Any:  # noqa: ANN401
    pl = library("polars")
    if isinstance(table, pl.LazyFrame):
        schema = table.collect_schema()
        options.check(schema.names())
        written = dict.fromkeys(options.names, pl.Float64) | ({"error": pl.String} if options.reasons else {})
        if options.reasons:
            return table.map_batches(
                lambda batch: _scored_polars(batch, options), schema={**schema, **written}, streamable=True
            )
        # A batch does not know its place in the table, but an error has to name the row of the table.
        row = free_name("_row", schema.names())
        return table.with_row_index(row).map_batches(
            lambda batch: _scored_polars(batch.drop(row), options, batch.get_column(row)),
            schema={**schema, **written},
            streamable=True,
        )
    options.check(table.columns)
    values, valid, errors = columns_of(table.select(options.columns).__arrow_c_stream__(), options, numbers)
    scores = pl.DataFrame(values)
    if values and not valid.all():
        scores = scores.select(pl.when(pl.Series(valid)).then(pl.all()))
    added = scores.get_columns()
    if options.reasons:
        reasons = [errors.get(row) for row in range(table.height)] if errors else None
        added.append(pl.Series("error", reasons or [None] * table.height, dtype=pl.String))
    return table.hstack(added)


def dataframe(table: Any) -> Any:  # noqa: ANN401
    """Return a table of any kind as a Polars DataFrame."""
    pl = library("polars")
    if isinstance(table, pl.LazyFrame):
        return table.collect()
    if isinstance(table, pl.DataFrame):
        return table
    try:
        return pl.DataFrame(table.to_arrow_table() if hasattr(table, "to_arrow_table") else table)
    except (ValueError, TypeError) as error:
        raise ValueError(_unreadable(error)) from None


def named(table: Any, names: Iterable[str]) -> Any:  # noqa: ANN401
    """Return a Polars DataFrame whose columns of names are text; a missing name becomes null."""
    pl = library("polars")
    for name in names:
        kind = table.schema[name]
        if kind.is_nested() or kind in (pl.Binary, pl.Object):
            raise ValueError(f"column {name!r} holds {kind}; expected names: text or numbers")
        text = table.get_column(name).cast(pl.String)
        if text.null_count() and (text == "null").any():
            raise ValueError(
                f"column {name!r} holds both null and the text 'null', which would become one name; expected another "
                "text in place of one of them"
            )
        table = table.with_columns(text.fill_null("null"))
    return table


def _unreadable(error: Exception) -> str:
    """Return the error for a table of Python objects that Arrow cannot read, as in pandas."""
    text = ": ".join(map(str, reversed(error.args)))
    return f"table cannot be read: {text}; expected one type per column, and only integers as cuts (3, not 3.0)"


def _as_kind_of(like: Any, table: Any) -> Any:  # noqa: ANN401
    """Return a Polars DataFrame as a table of the same kind as another."""
    kind = _kind(like)
    if kind == "pandas":
        scored = table.to_pandas()
        scored.index = like.index
        return scored
    arrow = table.to_arrow()
    return _relation(like, arrow) if kind == "duckdb" else arrow


def _relation(like: Any, scored: Any) -> Any:  # noqa: ANN401
    """Return an Arrow table as a DuckDB relation on the connection of another relation.

    DuckDB finds the table by the name of the variable here.
    """
    return like.query("_", "select * from scored").set_alias("scored")


def _kind(table: Any) -> str:  # noqa: ANN401
    """Return the library that a table belongs to; subclasses count."""
    kinds = {"DataFrame": ("pandas", "polars"), "LazyFrame": ("polars",), "DuckDBPyRelation": ("duckdb", "_duckdb")}
    for base in type(table).__mro__:
        owner = base.__module__.split(".")[0]
        if owner in kinds.get(base.__name__, ()):
            return owner.lstrip("_")
    owner = type(table).__module__.split(".")[0]
    return owner if owner == "pyarrow" else ""


def free_name(name: str, taken: Iterable[str]) -> str:
    """Return a column name that no column of the table has."""
    used = set(taken)
    while name in used:
        name = f"_{name}"
    return name
