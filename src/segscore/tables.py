"""Tables: every row of two columns of cuts scored at once, whatever the table is made of.

A table is a Polars DataFrame or LazyFrame, a pandas DataFrame, a pyarrow Table, a DuckDB relation, or anything else
that hands out an Arrow stream; the same kind comes back, with the same rows in the same order and a column for each
score. The columns are read where they lie: no row becomes a Python object. Rows are shared among threads, and the
numbers depend neither on how many there are nor on how the table is cut into chunks.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from . import _core, arguments
from ._score import ROWS
from .optional import library

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["score", "score_long"]

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
    on_error: Literal["raise", "null"] = "raise",
    threads: int | None = None,
) -> Table:
    """Return the table with a column for each score of its rows.

    Parameters
    ----------
    table
        Polars DataFrame or LazyFrame, pandas DataFrame, pyarrow Table, DuckDB relation, or any object with
        ``__arrow_c_stream__`` (which comes back as a pyarrow Table).
    truth, pred
        The names of the columns of cuts: lists of integers of any width, in any of Arrow's kinds of list. A row of the
        truth may hold several lists, one an annotator; its score is the mean over them.
    n
        The name of the column of lengths, or one length for all rows.
    metrics
        Names of scores of the catalog; by default all that `compare` gives.
    margin, relative_margin
        For the scores at a margin, as everywhere.
    duration
        In place of n, the name of a column or one number: cuts are real-valued times.
    on_error
        ``"raise"`` names a row that is wrong, and why (the first one, unless the table is lazy); ``"null"`` scores it
        null and says why in a column ``error``. A row without cuts or without a length scores null either way; a null
        among the cuts is wrong, and so is an empty list of annotators.
    threads
        By default the number of cores.

    Examples
    --------
    >>> import polars as pl
    >>> table = pl.DataFrame({"truth": [[3, 8], [5]], "pred": [[4, 8], []], "n": [10, 9]})
    >>> score(table, metrics=["rand_index", "f1"], margin=1).select("rand_index", "f1").rows()
    [(0.8444444444444444, 1.0), (0.4444444444444444, 0.0)]

    """
    job = _Job(truth, pred, n, metrics, margin, relative_margin, duration, on_error, threads)
    scored: Table = job.run(table)
    return scored


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
    on_error: Literal["raise", "null"] = "raise",
    threads: int | None = None,
) -> Table:
    """Return a table of one segmentation a row, with the scores of each against the truths of its series.

    ``truths`` has a row for each annotator of each series; scores are means over them. A segmentation whose series
    has no truth scores null. Both tables may be of any kind that `score` takes; that of ``segmentations`` comes back.

    >>> import polars as pl
    >>> runs = pl.DataFrame({"series": ["a", "a"], "method": ["x", "y"], "change_points": [[4, 8], [5]], "n": [10, 10]})
    >>> people = pl.DataFrame({"series": ["a", "a"], "annotator": ["Ada", "Ben"], "change_points": [[3, 8], [4, 8]]})
    >>> score_long(runs, people, metrics=["rand_index"]).get_column("rand_index").round(4).to_list()
    [0.9222, 0.6556]
    """
    pl = library("polars")
    keys = [on] if isinstance(on, str) else list(on)
    runs = segmentations if isinstance(segmentations, pl.LazyFrame) else _polars(pl, segmentations)
    people = _polars(pl, truths)
    for table, side in ((runs, "segmentations"), (people, "truths")):
        present = table.collect_schema().names()
        for name in (*keys, cuts):
            if name not in present:
                raise ValueError(f"{side} have no column {name!r}; they have {', '.join(present) or 'none'}")
    truth = _free("_truth", runs.collect_schema().names())
    people = people.group_by(keys, maintain_order=True).agg(pl.col(cuts).alias(truth))
    if isinstance(runs, pl.LazyFrame):
        people = people.lazy()
    joined = runs.join(people, on=keys, how="left", maintain_order="left")
    job = _Job(truth, cuts, n, metrics, margin, relative_margin, None, on_error, threads)
    scored: Table = job.run(joined).drop(truth)
    if not isinstance(segmentations, pl.DataFrame | pl.LazyFrame):
        scored = _as_kind_of(segmentations, scored)
    return scored


class _Job:
    """What to score, and how."""

    def __init__(
        self,
        truth: str,
        pred: str,
        n: str | int | None,
        metrics: Iterable[str] | None,
        margin: float | None,
        relative_margin: float | None,
        duration: str | float | None,
        on_error: str,
        threads: int | None,
    ) -> None:
        from .catalog import chosen_metrics

        if on_error not in ("raise", "null"):
            raise ValueError(f"on_error = {on_error!r:.40} is unknown; expected 'raise' or 'null'")
        if margin is not None and relative_margin is not None:
            raise TypeError("margin= and relative_margin= exclude each other; expected one of them")
        has_margin = margin is not None or relative_margin is not None
        self.names = chosen_metrics(metrics, has_margin, duration is not None)
        self.truth, self.pred = truth, pred
        length = n if duration is None else duration
        if length is None:
            raise TypeError("there is no length; expected n=, the name of a column or a number, or duration=")
        self.length = length
        self.in_time = duration is not None
        self.margin, self.relative_margin = margin, relative_margin
        self.on_error, self.threads = on_error, arguments.threads(threads)

    @property
    def columns(self) -> list[str]:
        """The columns that are read."""
        read = [self.truth, self.pred, *([self.length] if isinstance(self.length, str) else [])]
        return list(dict.fromkeys(read))

    def check(self, columns: Iterable[str]) -> None:
        """Refuse a table without the columns that are read, or with one that would be written."""
        present = list(columns)
        for name in self.columns:
            if name not in present:
                raise ValueError(f"table has no column {name!r}; it has {', '.join(map(str, present)) or 'none'}")
        for name in (*self.names, *(["error"] if self.on_error == "null" else [])):
            if name in present:
                raise ValueError(f"table has a column {name!r} already; rename or drop it first")

    def compute(
        self,
        stream: object,
        numbers: Any = None,  # noqa: ANN401
    ) -> tuple[dict[str, NDArray[np.float64]], NDArray[np.bool_], dict[int, str]]:
        """Return a column for each score, which rows have them, and what is wrong with others.

        ``numbers`` are those of the rows in the whole table, of which this is a part.
        """
        values, valid, errors = _core.score_table(
            stream,
            self.truth,
            self.pred,
            bytes(ROWS[name] for name in self.names),
            self.length,
            self.in_time,
            self.margin,
            self.relative_margin,
            self.threads,
        )
        if errors and self.on_error == "raise":
            row = min(errors)
            raise ValueError(f"row {row if numbers is None else numbers[row]}: {errors[row]}")
        return dict(zip(self.names, values, strict=True)), valid.view(bool), errors

    def run(self, table: Any) -> Any:  # noqa: ANN401
        """Return the table with the scores, of the same kind."""
        kind = _kind(table)
        if kind == "polars":
            return self._polars(table)
        if kind == "pandas":
            self.check(table.columns)
            try:
                stream = table[self.columns].__arrow_c_stream__()
            except (ValueError, TypeError) as error:
                raise ValueError(_unreadable(error)) from None
            values, _, errors = self.compute(stream)
            if self.on_error == "null":
                values["error"] = [errors.get(row) for row in range(len(table))]  # type: ignore[assignment]
            return table.assign(**values)
        if kind == "duckdb":
            return _relation(table, self._arrow(table.to_arrow_table()))
        if not hasattr(table, "__arrow_c_stream__") or type(table).__name__ == "Series":
            raise TypeError(
                f"table is {type(table).__name__}; expected a Polars, pandas, pyarrow or DuckDB table, or any object "
                "with __arrow_c_stream__"
            )
        return self._arrow(table if kind == "pyarrow" else library("pyarrow").table(table))

    def _arrow(self, table: Any) -> Any:  # noqa: ANN401
        pa = library("pyarrow")
        if not isinstance(table, pa.Table):
            table = pa.table(table)
        self.check(table.column_names)
        values, valid, errors = self.compute(table.select(self.columns).__arrow_c_stream__())
        for name, column in values.items():
            table = table.append_column(name, pa.array(column, mask=~valid))
        if self.on_error == "null":
            reasons = pa.array([errors.get(row) for row in range(table.num_rows)], pa.string())
            table = table.append_column("error", reasons)
        return table

    def _polars(self, table: Any, numbers: Any = None) -> Any:  # noqa: ANN401
        pl = library("polars")
        if isinstance(table, pl.LazyFrame):
            schema = table.collect_schema()
            self.check(schema.names())
            written = dict.fromkeys(self.names, pl.Float64) | ({"error": pl.String} if self.on_error == "null" else {})
            if self.on_error == "null":
                return table.map_batches(self._polars, schema={**schema, **written}, streamable=True)
            # A batch does not know where it stands in the table, but an error has to say it.
            row = _free("_row", schema.names())
            return table.with_row_index(row).map_batches(
                lambda batch: self._polars(batch.drop(row), batch.get_column(row)),
                schema={**schema, **written},
                streamable=True,
            )
        self.check(table.columns)
        values, valid, errors = self.compute(table.select(self.columns).__arrow_c_stream__(), numbers)
        scores = pl.DataFrame(values)
        if not valid.all():
            scores = scores.select(pl.when(pl.Series(valid)).then(pl.all()))
        if self.on_error == "null":
            reasons = [errors.get(row) for row in range(table.height)] if errors else None
            scores = scores.with_columns(pl.Series("error", reasons or [None] * table.height, dtype=pl.String))
        return table.hstack(scores)


def _polars(pl: Any, table: Any) -> Any:  # noqa: ANN401
    if isinstance(table, pl.LazyFrame):
        return table.collect()
    if isinstance(table, pl.DataFrame):
        return table
    try:
        return pl.DataFrame(table.to_arrow_table() if hasattr(table, "to_arrow_table") else table)
    except (ValueError, TypeError) as error:
        raise ValueError(_unreadable(error)) from None


def _named(pl: Any, table: Any, names: Iterable[str]) -> Any:  # noqa: ANN401
    """Return a Polars DataFrame whose columns that name things are text; what has no name is called null, or NaN."""
    for name in names:
        kind = table.schema[name]
        if kind.is_nested() or kind in (pl.Binary, pl.Object):
            raise ValueError(f"column {name!r} holds {kind}; expected names: text or numbers")
        table = table.with_columns(pl.col(name).cast(pl.String).fill_null("null"))
    return table


def _unreadable(error: Exception) -> str:
    """Return what is wrong with a table of objects, such as lists in pandas, that has no types of Arrow."""
    text = ": ".join(map(str, reversed(error.args)))
    return f"table cannot be read: {text}; expected one type a column, and cuts that are integers alone (3, not 3.0)"


def _as_kind_of(like: Any, table: Any) -> Any:  # noqa: ANN401
    """Return a Polars DataFrame as the kind of another table."""
    kind = _kind(like)
    if kind == "pandas":
        scored = table.to_pandas()
        scored.index = like.index
        return scored
    arrow = table.to_arrow()
    return _relation(like, arrow) if kind == "duckdb" else arrow


def _relation(like: Any, scored: Any) -> Any:  # noqa: ANN401
    """Return an Arrow table as a relation of the connection of another; DuckDB finds it by the name it has here."""
    return like.query("_", "select * from scored").set_alias("scored")


def _kind(table: Any) -> str:  # noqa: ANN401
    """Return whose table it is, also if it is of a class that inherits from theirs."""
    kinds = {"DataFrame": ("pandas", "polars"), "LazyFrame": ("polars",), "DuckDBPyRelation": ("duckdb", "_duckdb")}
    for base in type(table).__mro__:
        owner = base.__module__.split(".")[0]
        if owner in kinds.get(base.__name__, ()):
            return owner.lstrip("_")
    owner = type(table).__module__.split(".")[0]
    return owner if owner == "pyarrow" else ""


def _free(name: str, taken: Iterable[str]) -> str:
    """Return a name for a column of our own that no column has."""
    used = set(taken)
    while name in used:
        name = f"_{name}"
    return name
