"""Facts about the runs of a table: choices of settings, versions, time limits, unequal truths."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from ..tables.choices import chosen_of
from ..tables.options import lengths_in

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Origins", "origins_of"]


class Origins(NamedTuple):
    """Facts about the runs of a table, from the columns that a study writes."""

    settings: tuple[str, ...] = ()  # how settings were chosen, as in the column settings
    versions: tuple[str, ...] = ()  # of the packages that the detectors used
    machines: tuple[str, ...] = ()
    late: tuple[tuple[str, int], ...] = ()  # methods with runs that a time limit stopped, and the number of these runs
    unequal: tuple[str, ...] = ()  # series on which methods have different truths or lengths

    @property
    def rules(self) -> set[str]:
        """The rules by which settings were chosen."""
        return {chosen_of(text).rule for text in self.settings}


def origins_of(table: pl.DataFrame, method: str, series: str) -> Origins:
    """Return the facts about the runs of a Polars DataFrame."""
    return Origins(
        _column_texts(table, "settings"),
        _versions(table),
        _column_texts(table, "machine"),
        _timeouts(table, method),
        _unequal(table, method, series),
    )


def _column_texts(table: pl.DataFrame, name: str) -> tuple[str, ...]:
    import polars as pl

    if name not in table.columns or table.schema[name].is_nested():
        return ()
    return tuple(table[name].cast(pl.String).drop_nulls().unique().sort())


def _versions(table: pl.DataFrame) -> tuple[str, ...]:
    """Return package and version, as "ruptures 1.1.10"; segscore itself is left out."""
    found: set[tuple[str, str]] = set()
    for text in _column_texts(table, "versions"):
        try:
            packages = json.loads(text)
        except ValueError:
            continue
        if isinstance(packages, dict):
            found |= {(str(name), str(version)) for name, version in packages.items() if name != "segscore"}
    return tuple(f"{name} {version}" for name, version in sorted(found))


def _timeouts(table: pl.DataFrame, method: str) -> tuple[tuple[str, int], ...]:
    import polars as pl

    if "status" not in table.columns:
        return ()
    late = table.filter(pl.col("status").cast(pl.String).str.to_lowercase() == "timeout")
    return tuple(late.group_by(method).len().sort(method).iter_rows())


def _unequal(table: pl.DataFrame, method: str, series: str) -> tuple[str, ...]:
    """Return the series on which methods have different truths or lengths; rows without a truth do not count."""
    import polars as pl

    if "truth" not in table.columns:
        return ()
    sides = [name for name in ("truth", "truth_labels", *lengths_in(table.columns)) if name in table.columns]
    rows = table.select(method, series, *sides).drop_nulls(sides)
    methods = pl.col(method).n_unique()
    shared = rows.group_by(series, *sides).agg(methods.alias("_by")).group_by(series).agg(pl.col("_by").min())
    of = rows.group_by(series).agg(methods.alias("_of"))
    return tuple(shared.join(of, on=series).filter(pl.col("_by") < pl.col("_of"))[series].sort())
