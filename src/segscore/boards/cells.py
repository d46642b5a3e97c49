"""The states of a study: what is known of each method on each series."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..optional import polars as pl
from ..scores.catalog import Metric
from ..scores.metric_text import lacks_margin, metric_of
from ..tables.columns import KNOWN, Column, is_broken, status_of, value_of
from ..tables.decoding import with_cuts
from ..tables.groups import groups_of
from ..tables.options import Options, lengths_in
from ..tables.score import free_name, named, scored
from ..tables.states import FAILED, NOT_RUN, SCORED, UNDEFINED, UNREADABLE, UNREADABLE_STATUS
from ..tables.states import STATES as ALL_STATES
from .intervals import mean_of
from .provenance import Origins, origins_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

__all__ = ["FAILED", "NOT_RUN", "SCORED", "STATES", "UNDEFINED", "UNREADABLE", "Cells", "cells_of"]

STATES = ALL_STATES[: UNREADABLE + 1]  # the other states are those of rows
LARGEST_SCORE = 1e60  # the size of scores whose powers and sums are finite


@dataclass(frozen=True, eq=False)
class Cells:
    """One column of a study: a cell for each method and series, both in the order of their names.

    If a method has several rows for a series, the cell is failed if any of them failed, else undefined if any of them
    is undefined.
    """

    column: Column
    methods: list[str]
    series: list[str]
    groups: list[str] | None  # the group of each series
    states: NDArray[np.int8]  # methods x series
    sums: NDArray[np.float64]  # sum of the scores of the rows of a cell
    scored: NDArray[np.int64]  # number of rows that have a number
    failed: NDArray[np.int64]  # number of rows that failed
    truths: pl.DataFrame | None = field(repr=False)  # the truth and the length of each row
    origins: Origins

    @cached_property
    def metric(self) -> Metric | None:
        """The metric of the column, or None if the column is not a metric of segscore."""
        return metric_of(self.column.name)

    @cached_property
    def scores(self) -> NDArray[np.float64]:
        """The mean score of each cell; nan if the cell is not scored."""
        return self.filled(float("nan"))

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """The number of series in each state, one row per method."""
        import numpy as np

        return np.stack([(self.states == state).sum(axis=1) for state in range(len(STATES))], axis=1)

    def filled(self, fill: ArrayLike) -> NDArray[np.float64]:
        """Return the mean score of each cell, with a value for each row that failed; nan if there is no row."""
        import numpy as np

        with np.errstate(invalid="ignore", divide="ignore"):
            added = np.where(self.failed > 0, self.failed * np.broadcast_to(fill, self.sums.shape), 0.0)
            means = (self.sums + added) / (self.scored + self.failed)
        means[(self.states != SCORED) & (self.states != FAILED)] = np.nan
        return means

    @cached_property
    def gaps(self) -> NDArray[np.bool_]:
        """The cells without a score or a failure, on the series on which another method has one of these."""
        known = (self.states == SCORED) | (self.states == FAILED)
        gaps: NDArray[np.bool_] = ~known & known.any(axis=0)
        return gaps

    def with_gaps_failed(self) -> Cells:
        """Return the cells with all gaps as failures."""
        import numpy as np

        states = np.where(self.gaps, np.int8(FAILED), self.states)
        sums, scored, failed = (
            np.where(self.gaps, value, each) for value, each in ((0.0, self.sums), (0, self.scored), (1, self.failed))
        )
        return replace(self, states=states, sums=sums, scored=scored, failed=failed)

    @cached_property
    def without_cuts(self) -> NDArray[np.float64]:
        """The score of the prediction without cuts on each series with a failed run, and nan on other series."""
        import numpy as np

        name = self.column.name
        where = (
            "failures = 'no_cuts' needs the score of the prediction without cuts on each series, but {}; expected {}, "
            "or failures='worst'"
        )
        if self.metric is None:
            raise ValueError(where.format(f"column {name!r} is not a metric of segscore", "a metric of segscore"))
        if self.truths is None:
            absent = "the table has no columns truth and n (or duration, or start and end)"
            raise ValueError(where.format(absent, "these columns"))
        if lacks_margin(name):
            raise ValueError(where.format(f"the margin of {name} is not recorded", "a column such as 'f1(margin=5)'"))
        needed = [self.series[k] for k in np.flatnonzero((self.states == FAILED).any(axis=0))]
        lengths = lengths_in(self.truths.columns)
        in_time, in_dates = lengths == ("duration",), lengths == ("start", "end")
        rows = self.truths.filter(pl.col("series").is_in(needed)).unique(maintain_order=True)
        rows = with_cuts(rows, in_time=in_time, in_dates=in_dates)
        found: dict[str, list[float]] = {}
        if rows.height:
            kind = pl.Null if in_dates else pl.Float64 if in_time else pl.Int64
            rows = rows.with_columns(pred=pl.lit([], dtype=pl.List(kind)))
            result = scored(rows, Options.of_results(rows.columns, metrics=[name], on_error="null"))
            for series, value in result.select("series", name).drop_nulls().iter_rows():
                found.setdefault(series, []).append(value)
        return np.array([mean_of(found.get(series, [])) for series in self.series])


def cells_of(
    table: pl.DataFrame,
    columns: Sequence[Column],
    method: str,
    series: str,
    group: str = "group",
) -> dict[str, Cells]:
    """Return the cells of each column of a Polars DataFrame.

    A row is unreadable if its ``status`` says so. A row without a score says nothing about its method if it has no
    truth or no length: the cell then counts as not run. (If the table has no column ``truth``, that is a row with a
    prediction but without an error.) Any other row without a score is failed, or undefined as `_is_undefined` says.
    """
    import numpy as np

    names = [column.name for column in columns]
    for name in names:
        if not table.schema[name].is_numeric() and table.schema[name] != pl.Null:
            is_word = pl.col(name).cast(pl.Float64, strict=False).is_null() & pl.col(name).is_not_null()
            words = table.filter(is_word)[name].to_list() if table.schema[name] == pl.String else []
            what = f"{words[0]!r:.40}" if words else table.schema[name]
            raise ValueError(f"column {name!r} holds {what}; expected numbers")
    table = named(table, (method, series))
    methods, places = (sorted(table[name].unique().to_list()) for name in (method, series))
    number = {name: {key: k for k, key in enumerate(keys)} for name, keys in ((method, methods), (series, places))}
    lengths = lengths_in(table.columns)
    unreadable, pointless = _row_states(table, lengths)
    key = free_name("_", names)
    counts = [unreadable.sum().alias(f"{key}unreadable")]
    for name in names:
        value = value_of(name, table)
        absent = value.is_null() | value.is_nan()
        undefined = absent & _is_undefined(name, value, table)
        says_nothing = pointless if "truth" in table.columns else pointless & ~undefined
        counted = ~unreadable & ~(says_nothing & absent)
        counts += [
            value.filter(counted & ~absent).sort().alias(name),
            (counted & undefined).sum().alias(f"{key}undefined {name}"),
            (counted & absent & ~undefined).sum().alias(f"{key}failed {name}"),
        ]
    cells = table.group_by(method, series, maintain_order=True).agg(counts)
    rows = [number[method][each] for each in cells[method]], [number[series][each] for each in cells[series]]

    def spread(values: pl.Series, kind: type) -> NDArray[Any]:
        made: NDArray[Any] = np.zeros((len(methods), len(places)), dtype=kind)
        made[rows] = values.to_numpy()
        return made

    lost = spread(cells[f"{key}unreadable"], np.int64)
    truths, origins = _truths(table, series, lengths), origins_of(table, method, series)
    of_series = groups_of(table, series, group)
    groups = None if of_series is None else [of_series[place] for place in places]
    found = {}
    for column in columns:
        name = column.name
        known = spread(cells[name].list.len(), np.int64)
        without, failed = (spread(cells[f"{key}{what} {name}"], np.int64) for what in ("undefined", "failed"))
        sums = spread(cells[name].list.sum(), np.float64)
        without += np.isnan(sums)  # the sum of opposite infinities
        _check_scores(column, table[name].cast(pl.Float64).to_numpy())
        states = np.full(known.shape, NOT_RUN, dtype=np.int8)
        for state, where in ((UNREADABLE, lost), (SCORED, known), (UNDEFINED, without), (FAILED, failed)):
            states[where > 0] = state
        found[name] = Cells(column, methods, places, groups, states, sums, known, failed, truths, origins)
    return found


def _row_states(table: pl.DataFrame, lengths: Sequence[str]) -> tuple[pl.Expr, pl.Expr]:
    """Return two expressions: the row is unreadable; the row has no truth to score against."""
    pred = _prediction(table)
    if "truth" in table.columns:
        pointless = pl.any_horizontal(pl.col(name).is_null() for name in ("truth", *lengths))
    else:
        pointless = pl.lit(False) if pred is None else _has_answer(table)
    return status_of(table) == UNREADABLE_STATUS, pointless


def _prediction(table: pl.DataFrame) -> str | None:
    return next((name for name in ("pred", "change_points") if name in table.columns), None)


def _has_answer(table: pl.DataFrame) -> pl.Expr:
    """Return the expression for rows with a prediction, without an error, and with the status of a complete run."""
    answered: pl.Expr = ~is_broken(status_of(table))
    pred = _prediction(table)
    if pred is not None:
        answered &= pl.col(pred).is_not_null()
        if table.schema[pred] == pl.String:  # how CSV files hold no prediction
            answered &= ~pl.col(pred).str.strip_chars().is_in(["", "None", "nan"])
    return answered & pl.col("error").is_null() if "error" in table.columns else answered


def _is_undefined(name: str, value: pl.Expr, table: pl.DataFrame) -> pl.Expr:
    """Return the expression for rows whose score is undefined, among the rows without a score.

    A score that is defined for every valid input is never undefined. Any other score is undefined if the run has an
    answer: null and nan mean the same, because pandas and CSV files do not tell them apart. Only a table that says
    nothing about the runs has undefined scores as nan.
    """
    known = metric_of(name)
    if name in KNOWN or (known is not None and known.is_always_defined):
        return pl.lit(False)
    if _prediction(table) is None and "status" not in table.columns:
        return value.is_not_null()
    return _has_answer(table)


def _truths(table: pl.DataFrame, series: str, lengths: Sequence[str]) -> pl.DataFrame | None:
    """Return the truth and the length of each row that has both, or None."""
    if "truth" not in table.columns or not lengths:
        return None
    names = ["truth", *lengths, *(name for name in ("annotator", "truth_labels") if name in table.columns)]
    known = pl.all_horizontal(pl.col("truth", *lengths).is_not_null())
    return table.select(pl.col(series).alias("series"), *names).filter(known)


def _check_scores(column: Column, values: NDArray[np.float64]) -> None:
    """Raise an error for scores whose sums overflow, and for a score that is worse than the worst value.

    Otherwise a failure would be better than an answer.
    """
    import numpy as np

    largest = np.abs(values[np.isfinite(values)]).max(initial=0.0)
    if largest >= LARGEST_SCORE:
        raise ValueError(
            f"column {column.name!r} holds {largest:g}; expected numbers below {LARGEST_SCORE:g} in size (use another "
            "unit)"
        )
    defined = values[~np.isnan(values)]
    if column.worst is None or not defined.size:
        return
    rising = column.rising
    least = defined.min() if rising else defined.max()
    if (column.worst - least if rising else least - column.worst) > 1e-9:
        raise ValueError(
            f"column {column.name!r} holds {least:g}, which is worse than its worst value {column.worst:g}; expected "
            f"Column({column.name!r}, best={column.best!r}, worst=...) with the worst value, or None"
        )
