"""Which lines may stand on one board: those whose settings were chosen by one rule, and references."""

from __future__ import annotations

from typing import Any

from .. import arguments
from ..optional import polars as pl
from ..tables.choices import REFERENCE_RULES, chosen_of

__all__ = ["check_choices", "has_several_settings"]


def has_several_settings(table: pl.DataFrame, method: str = "method", series: str = "series") -> tuple[Any, ...] | None:
    """Return the first method and series with more than one setting, or None."""
    if not {"params", method, series} <= set(table.columns):
        return None
    counts = table.group_by(method, series, maintain_order=True).agg(pl.col("params").n_unique())
    found = counts.filter(pl.col("params") > 1)
    return None if found.is_empty() else found.row(0)[:2]


def check_choices(table: pl.DataFrame, method: str, series: str, *, mixed: bool) -> None:
    """Raise if a board would average settings, or rank settings chosen by different rules."""
    arguments.flag(mixed, "mixed")
    if "settings" in table.columns and not mixed:
        rows = table.select(method, pl.col("settings").cast(pl.String).replace("", None)).unique(maintain_order=True)
        chosen = {chosen_of(text)._replace(settings=None): text for text in rows["settings"].drop_nulls()}
        rules = [text for rule, text in chosen.items() if rule.rule not in REFERENCE_RULES]  # references are not ranked
        if len(rules) > 1:
            raise ValueError(
                f"settings were chosen by different rules: {', '.join(rules)}; expected one rule, or mixed=True"
            )
        unknown = rows.filter(pl.col("settings").is_null())
        if rules and unknown.height:
            raise ValueError(
                f"column 'settings' is null for method {unknown[method][0]!r} and {rules[0]!r} elsewhere; expected the "
                "rule by which each setting was chosen, or mixed=True"
            )
    found = has_several_settings(table, method, series)
    if found is not None:
        raise ValueError(
            f"method {found[0]!r} has several settings on series {found[1]!r} (column params); expected one, as "
            "segscore.study.select chooses"
        )
