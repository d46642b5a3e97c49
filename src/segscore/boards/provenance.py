"""Facts about the runs of a table: choices of settings, references, plans, versions, time limits, unequal truths."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from ..tables.choices import REFERENCE_RULES, chosen_of
from ..tables.options import lengths_in

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Origins", "origins_of"]

TOLD = {"best": "best setting for all series", "oracle": "best setting on each series"}


class Origins(NamedTuple):
    """Facts about the runs of a table, from the columns that a study writes."""

    settings: tuple[str, ...] = ()  # how settings were chosen, as in the column settings
    versions: tuple[str, ...] = ()  # of the packages that the detectors used
    machines: tuple[str, ...] = ()
    late: tuple[tuple[str, int], ...] = ()  # methods with runs that a time limit stopped, and the number of these runs
    unequal: tuple[str, ...] = ()  # series on which methods have different truths or lengths
    told: tuple[tuple[str, str], ...] = ()  # methods that are told something of the truth, and what
    plans: tuple[str, ...] = ()  # the plans with which the runs were made, as JSON; "" if some runs have none


def origins_of(table: pl.DataFrame, method: str, series: str) -> Origins:
    """Return the facts about the runs of a Polars DataFrame."""
    return Origins(
        _column_texts(table, "settings"),
        _versions(table),
        _column_texts(table, "machine"),
        _timeouts(table, method),
        _unequal(table, method, series),
        _told(table, method),
        _plans(table),
    )


def _column_texts(table: pl.DataFrame, name: str) -> tuple[str, ...]:
    import polars as pl

    if name not in table.columns or table.schema[name].is_nested():
        return ()
    return tuple(table[name].cast(pl.String).drop_nulls().unique().sort())


def _plans(table: pl.DataFrame) -> tuple[str, ...]:
    plans = _column_texts(table, "plan")
    return (*plans, "") if plans and table["plan"].null_count() else plans


def _versions(table: pl.DataFrame) -> tuple[str, ...]:
    """Return package and version, as "ruptures 1.1.10"; segscore itself is left out."""
    found: set[tuple[str, str]] = set()
    for text in _column_texts(table, "versions"):
        try:
            packages = json.loads(text)
        except (ValueError, RecursionError):
            continue
        if isinstance(packages, dict):
            found |= {(str(name), str(version)) for name, version in packages.items() if name != "segscore"}
    return tuple(f"{name} {version}" for name, version in sorted(found))


def _told(table: pl.DataFrame, method: str) -> tuple[tuple[str, str], ...]:
    """Return the methods that declare that they know something of the truth, or whose settings were chosen by it."""
    import polars as pl

    names = [name for name in ("knows", "settings") if name in table.columns and not table.schema[name].is_nested()]
    rows = table.select(method, *(pl.col(name).cast(pl.String).fill_null("") for name in names)).unique()
    found: dict[str, set[str]] = {}
    for row in rows.iter_rows(named=True):
        chosen = chosen_of(row.get("settings", ""))
        by_truth = chosen.rule in REFERENCE_RULES and chosen.settings != 1
        found.setdefault(row[method], set()).update(
            filter(None, [row.get("knows", "").strip(), TOLD[chosen.rule] if by_truth else ""])
        )
    return tuple((name, " and ".join(sorted(known))) for name, known in sorted(found.items()) if known)


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
