"""Columns that can be ranked: their direction, their worst value, their unit and their scale."""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import Literal, NamedTuple, SupportsFloat

from ..arguments import choice, columns
from ..optional import polars as pl
from ..scores.metric_text import metric_of, spelled

__all__ = ["KNOWN", "Column", "column_in", "column_of", "is_broken", "status_of", "value_of"]


class _Fields(NamedTuple):
    name: str
    best: Literal["high", "low"]
    worst: float | None = None
    unit: str = ""
    scale: Literal["linear", "log"] = "linear"


class Column(_Fields):
    """Direction, worst value, unit and scale of a column that is ranked.

    ``name``
        The name of the column.
    ``best``
        ``"high"`` if higher values are better, ``"low"`` if lower values are better.
    ``worst``
        The value that a failure counts as. None means that there is no worst value: failures rank last, and no mean
        includes them.
    ``unit``, ``scale``
        The unit, and the scale of axes: ``"linear"`` or ``"log"``.

    Metrics of segscore need no `Column`, and neither do ``seconds``, ``cpu_seconds`` and ``memory``.

    >>> Column("energy", best="low", unit="J")
    Column(name='energy', best='low', worst=None, unit='J', scale='linear')
    """

    __slots__ = ()

    def __new__(
        cls,
        name: str,
        best: Literal["high", "low"],
        worst: float | None = None,
        unit: str = "",
        scale: Literal["linear", "log"] = "linear",
    ) -> Column:
        """Check the values, so that a mistake is reported where it is made."""
        if not isinstance(name, str):
            raise TypeError(f"name = {name!r:.40} is {type(name).__name__}; expected the name of a column")
        choice(best, "best", ("high", "low"))
        if worst is not None and (isinstance(worst, bool) or not isinstance(worst, SupportsFloat)):
            raise TypeError(f"worst = {worst!r:.40} is {type(worst).__name__}; expected a number, or None")
        if worst is not None and not math.isfinite(worst):
            raise ValueError(f"worst = {worst!r:.40} is not finite; expected a number, or None for no worst value")
        choice(scale, "scale", ("linear", "log"))
        return super().__new__(cls, name, best, None if worst is None else float(worst), unit, scale)

    @property
    def rising(self) -> bool:
        """Whether higher values are better."""
        return self.best == "high"

    @property
    def bound(self) -> float:
        """The value that a failure ranks as: the worst value, infinite if there is none."""
        return (-math.inf if self.rising else math.inf) if self.worst is None else self.worst

    @property
    def bounds(self) -> tuple[float, float]:
        """The smallest and the largest value, as far as they are known."""
        known = metric_of(self.name)
        best = (math.inf if self.rising else -math.inf) if known is None else known.high if self.rising else known.low
        return (self.bound, best) if self.rising else (best, self.bound)


KNOWN = {
    column.name: column
    for column in (
        Column("seconds", "low", unit="s", scale="log"),
        Column("cpu_seconds", "low", unit="s", scale="log"),
        Column("memory", "low", unit="bytes", scale="log"),
    )
}


def column_of(given: str | Column) -> Column:
    """Return the `Column` of a name, or raise if its direction is unknown."""
    if isinstance(given, Column):
        return given
    known = metric_of(given)
    if known is not None:
        rising = known.best > known.low
        worst = known.low if rising else known.high
        return Column(given, "high" if rising else "low", worst if math.isfinite(worst) else None)
    if given in KNOWN:
        return KNOWN[given]
    raise ValueError(
        f"column {given!r} is not a metric of segscore, so its direction is unknown; expected "
        f"Column({given!r}, best='high') or Column({given!r}, best='low')"
    )


def column_in(names: Collection[str], given: str | Column, table: str = "scores have") -> Column:
    """Return the `Column` of a table that a name stands for, or raise if the table lacks the column.

    A short name such as ``f1`` stands for the only column of this metric. ``table`` names the table with its verb.
    """
    name = spelled(given.name if isinstance(given, Column) else given, names)
    remedy = f"this column; call score first, with metrics=[{name!r}]" if metric_of(name) else ""
    columns(names, [name], table, remedy)
    return given._replace(name=name) if isinstance(given, Column) else column_of(name)


def value_of(name: str, table: pl.DataFrame) -> pl.Expr:
    """Return the expression for the values of a column that count.

    The values of a failed run, by its ``status``, count only in columns of metrics: a fast crash is not fast.
    """
    value = pl.col(name).cast(pl.Float64)
    return value if metric_of(name) is not None else pl.when(~is_broken(status_of(table))).then(value)


def status_of(table: pl.DataFrame) -> pl.Expr:
    """Return the expression for the states of runs; runs of a table without states are complete."""
    return pl.col("status").cast(pl.String).fill_null("ok") if "status" in table.columns else pl.lit("ok")


def is_broken(status: pl.Expr) -> pl.Expr:
    """Return the expression for runs that failed."""
    return ~status.str.to_lowercase().is_in(["ok", "success"])
