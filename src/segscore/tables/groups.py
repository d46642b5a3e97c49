"""Groups of related series: the units over which intervals and folds are drawn."""

from __future__ import annotations

from ..optional import polars as pl
from .score import named

__all__ = ["groups_of"]


def groups_of(table: pl.DataFrame, series: str = "series", group: str = "group") -> dict[str, str] | None:
    """Return the group of each series of a Polars DataFrame, or None if no series has one.

    A series without a group is a group of its own. A series in two groups is an error.
    """
    if group not in table.columns or table[group].null_count() == table.height:
        return None
    known = named(table.filter(pl.col(group).is_not_null()), [group]).select(series, group)
    alone = table.filter(pl.col(group).is_null()).select(series, pl.col(series).alias(group))
    found: dict[str, str] = {}
    for name, own in pl.concat([known, alone]).unique(maintain_order=True).iter_rows():
        if found.setdefault(name, own) != own:
            raise ValueError(
                f"series {name!r} is in the groups {found[name]!r} and {own!r}; expected one group per series"
            )
    return found
