"""Scores for tables in memory: one new column per score."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from .. import _core
from ..optional import PolarsType, library
from ..optional import polars as pl
from ..segmentation.timestamps import ZONES
from .confidences import confidence_columns
from .options import Options, PairOptions, shows_options
from .plans import plans_of
from .states import FAILED, INVALID, SCORED, UNREADABLE, Notes, statuses
from .times import counted_times, mixed_rows

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from typing_extensions import Unpack

__all__ = ["NESTED", "as_kind_of", "columns_of", "dataframe", "free_name", "named", "score", "scored"]

Table = TypeVar("Table")
PolarsTable = TypeVar("PolarsTable", "pl.DataFrame", "pl.LazyFrame")
NESTED = r"^\s*[\[(]\s*(\[|\(|array\(|list\(|range\()"  # how a text begins that is a list of lists


@shows_options(PairOptions)
def score(
    table: Table,
    truth: str = "truth",
    pred: str = "pred",
    n: str | int | None = "n",
    *,
    threads: int | None = None,
    **options: Unpack[PairOptions],
) -> Table:
    """Score each row of a table, and return the table with one column per score.

    The name of a column is the text that `metric` writes, with the margin and all other options that are not the
    default: ``f1(margin=5)``. A column with this name is replaced.

    Parameters
    ----------
    table
        Polars DataFrame or LazyFrame, pandas DataFrame, pyarrow Table, DuckDB relation, or any object with
        ``__arrow_c_stream__`` (for which the result is a pyarrow Table).
    truth, pred
        The names of the columns of cuts: lists of integers of any width, in any of Arrow's kinds of list, or text as
        Python, NumPy, pandas and Polars print such lists (``docs/tables.md``). A row of the truth may hold several
        lists, one per annotator; the score is then the mean over the annotators.
    n
        The name of the column of lengths, or one length for all rows.
    metrics
        Names of metrics; by default the same as in `compare`. Metrics of the family annotators (`annotated_f1`) score
        the prediction against all annotators of the row together; a plain truth counts as one annotator.
        ``average_precision`` reads a column ``confidence``: a list of numbers per row, one per predicted cut.
    margin, relative_margin
        The margin of `f1`, `f1_area` and all other metrics that take one. For timestamps it is a timedelta.
    duration
        Replaces ``n`` for cuts in real-valued time: the name of a column, or one number.
    start, end
        Replace ``n`` for timestamps: the names of the columns of the first and the last time of each row, or one time
        for all rows. The cuts are then lists of timestamps of any unit, with a time zone or without. Scores that are
        distances or delays are in seconds.
    truth_labels, pred_labels
        The names of columns with one label per segment: lists of text, integers, real numbers, booleans or categories,
        or text such as ``["A", "B", "A"]``. Segments with the same label are one cluster. Metrics that take labels
        (the pair, information and overlap families; ``METRICS[name].takes_labels``) score the clusters. All other
        metrics compare cuts, and score the cuts as they are, whether the table has labels or not. On a side without
        labels, every segment is a cluster of its own. With several annotators, a row of the truth holds one list of
        labels per annotator.
    ends
        Replaces ``n``: the last value of each list is the length, as in ruptures. All lists of a row must end with the
        same length.
    on_error
        ``"raise"`` raises an error that names the first bad row (in a lazy table, any bad row) and the reason.
        ``"null"`` scores bad rows null, gives the reason in a column ``error``, and writes a column ``status``:
        ``"ok"``; ``"error"`` for a row without a prediction; ``"invalid"`` for a prediction that is not a segmentation;
        ``"unreadable"`` for a row that cannot be scored through no fault of the method, such as a text that is not a
        list, or a row without a truth. A warning gives the number of unreadable rows and the first of them. A status
        or error that the table has already is kept where ``score`` has nothing to say. In both cases a row without cuts
        or without a length scores null. A null among the cuts is an error, and so is an empty list of annotators.
    threads
        The number of threads; by default the number of cores.
    against
        ``"others"`` leaves out each annotator in turn, and takes the mean. These scores can be compared with the scores
        of people, who are scored against the other annotators.

    Examples
    --------
    >>> import polars as pl
    >>> table = pl.DataFrame({"truth": [[3, 8], [5]], "pred": [[4, 8], []], "n": [10, 9]})
    >>> score(table, metrics=["rand_index", "f1"], margin=1).select("rand_index", "f1(margin=1)").rows()
    [(0.8444444444444444, 1.0), (0.4444444444444444, 0.0)]
    >>> song = pl.DataFrame({"truth": [[4, 7]], "names": [["A", "B", "A"]], "pred": [[5]], "n": [10]})
    >>> score(song, truth_labels="names", metrics=["rand_index"])["rand_index"].round(4).to_list()
    [0.4667]

    """
    result: Table = scored(table, Options(truth=truth, pred=pred, n=n, threads=threads, **options))
    return result


def scored(
    table: Any,  # noqa: ANN401
    options: Options,
    notes: Notes | None = None,
    nested: bool = False,
) -> Any:  # noqa: ANN401
    """Score each row of a table of any kind, and return a table of the same kind.

    What there is to note about rows is added to ``notes``; without ``notes``, warnings say it. ``nested`` says that the
    table is a part of one with texts that are lists of lists.
    """
    _refuse_file(table)
    kind = _kind(table)
    if kind == "polars":
        return _scored_polars(table, options, notes)
    if kind == "pandas":
        options.check(table.columns)
        for name in (options.truth, options.pred) if options.in_dates else ():
            for row in mixed_rows(table[name]):
                raise TypeError(f"row {row}: {name} has times with and without a time zone; {ZONES}")
        try:
            table[options.columns].__arrow_c_stream__()
        except (ValueError, TypeError) as error:
            raise ValueError(_unreadable(error)) from None
        found = columns_of(table[options.columns], options)
        texts = _texts(found, options, lambda name: table[name].tolist() if name in table.columns else None)
        return table.assign(**found.values, **texts)
    if kind == "duckdb":
        return _relation(table, _scored_arrow(table.to_arrow_table(), options))
    if not hasattr(table, "__arrow_c_stream__") or type(table).__name__ == "Series":
        raise TypeError(
            f"table is {type(table).__name__}; expected a Polars, pandas, pyarrow or DuckDB table, or any object "
            "with __arrow_c_stream__"
        )
    return _scored_arrow(table if kind == "pyarrow" else library("pyarrow").table(table), options, nested)


class Columns(NamedTuple):
    """What the core says of the rows of a table."""

    values: dict[str, NDArray[np.float64]]  # one column per score
    states: NDArray[np.uint8]  # see `segscore.tables.states`
    errors: dict[int, str]

    @property
    def valid(self) -> NDArray[np.bool_]:
        """Mask of the rows that have scores."""
        valid: NDArray[np.bool_] = self.states == SCORED
        return valid


def columns_of(
    table: Any,  # noqa: ANN401
    options: Options,
    numbers: Any = None,  # noqa: ANN401
    notes: Notes | None = None,
    nested: bool = False,
) -> Columns:
    """Return the columns of scores of a table with an Arrow stream, and the states and errors of its rows.

    ``numbers`` are the row numbers in the whole table, if this is a part of it. ``nested`` says that the whole table
    has texts that are lists of lists.
    """
    problems: dict[int, tuple[int, str]] = {}
    if options.in_dates:
        counted = counted_times(table, options, nested)
        table, options, problems = counted.table, counted.options, counted.problems
    plans = plans_of(options.names, options.unit)
    others = options.against == "others"
    values, states, errors, empties = _core.score_table(
        table.__arrow_c_stream__(),
        options.truth,
        options.pred,
        options.truth_labels,
        options.pred_labels,
        plans.core,
        options.length,
        options.in_time,
        options.thread_count,
        nested,
        others,
    )
    rows = []
    if plans.confident:
        stream = table.__arrow_c_stream__()
        sides = (options.truth, options.pred, options.truth_labels, options.pred_labels)
        rows = _core.table_rows(stream, *sides, options.length, options.in_time, nested)
    confident: dict[str, NDArray[np.float64]] = {}
    if plans.confident:
        confident, refused = confidence_columns(rows, plans.confident, table, options.in_time)
        for row, problem in refused.items():
            states[row], errors[row] = INVALID, problem
    for row, (state, problem) in problems.items():
        if state == UNREADABLE or states[row] == FAILED:  # without a truth, the prediction does not matter
            states[row], errors[row] = state, problem
    own = notes or Notes(options)
    own.add(states, errors, empties, numbers)
    if errors and not options.reasons:
        raise ValueError(own.located(min(errors), errors[min(errors)], numbers))
    if notes is None:
        own.warn(unreadable=options.reasons and numbers is None)  # a batch of a lazy table has no count to tell
    found = dict(zip(plans.columns, values, strict=True)) | confident
    scores = {name: found[plans.sources.get(name, name)] for name in options.names}
    for name, (metric, _) in options.chosen.items():
        if options.unit is not None and metric.power:
            scores[name] = scores[name] * metric.in_seconds(options.unit)
    return Columns(scores, states, errors)


def _texts(found: Columns, options: Options, present: Callable[[str], list[Any] | None]) -> dict[str, list[str | None]]:
    """Return the columns status and error, if they are asked for; ``present`` gives those of the table."""
    if not options.reasons:
        return {}
    return statuses(found.states, found.errors, present("status"), present("error"))


def _scored_arrow(table: Any, options: Options, nested: bool = False) -> Any:  # noqa: ANN401
    pa = library("pyarrow")
    if not isinstance(table, pa.Table):
        table = pa.table(table)
    options.check(table.column_names)
    found = columns_of(table.select(options.columns), options, nested=nested)
    names = table.column_names
    texts = _texts(found, options, lambda name: table.column(name).to_pylist() if name in names else None)
    added = {name: pa.array(column, mask=~found.valid) for name, column in found.values.items()}
    for name, column in {**added, **{name: pa.array(text, pa.string()) for name, text in texts.items()}}.items():
        place = (names.index(name), name) if name in names else (name,)
        table = (table.set_column if name in names else table.append_column)(*place, column)
    return table


def _scored_polars(
    table: PolarsTable,
    options: Options,
    notes: Notes | None = None,
    numbers: pl.Series | None = None,
    nested: bool = False,
) -> PolarsTable:
    if isinstance(table, pl.LazyFrame):
        schema = table.collect_schema()
        options.check(schema.names())
        written: dict[str, PolarsType] = dict.fromkeys(options.names, pl.Float64)
        written |= {"status": pl.String, "error": pl.String} if options.reasons else {}
        if schema[options.truth] == pl.String:  # what [] means depends on the whole column
            is_nested = pl.col(options.truth).str.contains(NESTED).any()
            nested = bool(table.select(is_nested).collect(engine="streaming").item())
        # A batch does not know its place in the table, but an error has to name the row of the table.
        row = free_name("_row", schema.names())
        return table.with_row_index(row).map_batches(
            lambda batch: _scored_polars(batch.drop(row), options, notes, batch.get_column(row), nested),
            schema={**schema, **written},
            streamable=True,
        )
    options.check(table.columns)
    found = columns_of(table.select(options.columns), options, numbers, notes, nested)
    scores: pl.DataFrame = pl.DataFrame(found.values)
    if found.values and not found.valid.all():
        scores = scores.select(pl.when(pl.Series(found.valid)).then(pl.all()))
    texts: dict[str, list[str | None]]
    texts = _texts(found, options, lambda name: table[name].to_list() if name in table.columns else None)
    added = [*scores.get_columns(), *(pl.Series(name, x, dtype=pl.String) for name, x in texts.items())]
    return table.with_columns(added)


def dataframe(table: Any) -> pl.DataFrame:  # noqa: ANN401
    """Return a table of any kind as a Polars DataFrame."""
    if isinstance(table, pl.LazyFrame):
        return table.collect()
    if isinstance(table, pl.DataFrame):
        return table
    _refuse_file(table)
    try:
        return pl.DataFrame(table.to_arrow_table() if hasattr(table, "to_arrow_table") else table)
    except (ValueError, TypeError) as error:
        raise ValueError(_unreadable(error)) from None


def _refuse_file(table: object) -> None:
    """Raise an error for the name of a file, which Polars would take for a table of one column."""
    if isinstance(table, str | bytes | os.PathLike):
        raise TypeError(
            f"table is the file name {str(table)!r:.60}; expected a table (read the file first, for example with "
            "polars.read_parquet)"
        )


def named(table: pl.DataFrame, names: Iterable[str]) -> pl.DataFrame:
    """Return a Polars DataFrame whose columns of names are text; a missing name becomes null."""
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


def as_kind_of(like: Any, table: pl.DataFrame) -> Any:  # noqa: ANN401
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
