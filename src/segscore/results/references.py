"""The scores of people and of chance, to which a leaderboard is compared."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from .. import arguments, simulate
from ..optional import library
from ..segmentation import Segmentation
from ..tables.decoding import exact
from ..tables.frames import scored
from ..tables.notes import Notes
from ..tables.options import Options
from .intervals import mean_of

__all__ = ["CHANCE_DRAWS", "against_others", "references"]

CHANCE_DRAWS = 100  # random segmentations per series


def against_others(runs: Any, options: Options) -> dict[str, dict[str, float]]:  # noqa: ANN401
    """Return the mean scores of methods, with each annotator left out in turn.

    Only series with several annotators count; rows without a score are left out.
    """
    pl = library("polars")
    several = runs.filter(pl.col("truth").list.len() > 1)
    if not options.names or not several.height:
        return {}
    columns = pl.col(options.names)
    result = scored(several, replace(options, against="others", on_error="null"), Notes(options))
    groups = result.group_by("method", "series", maintain_order=True).agg(columns.fill_nan(None))
    means = groups.with_columns(columns.list.mean()).group_by("method", maintain_order=True).agg(columns)
    found = means.with_columns(columns.list.mean()).rows(named=True)
    return {row["method"]: {k: row[k] for k in options.names if row[k] is not None} for row in found}


def references(
    runs: Any,  # noqa: ANN401
    options: Options,
    seed: int = 0,
    series: Mapping[str, Collection[str]] | None = None,
) -> dict[str, dict[str, float]]:
    """Return the scores of people and of chance, averaged over the series of a table.

    ``series`` gives the series that count for each metric, so that the lines are over the series of a leaderboard.

    human
        Each annotator against all other annotators of the series, if there are several.
    chance
        Random segmentations with as many cuts as an annotator's, all equally likely.
    """
    import numpy as np

    if not options.names:
        return {}
    pl = library("polars")
    people, drawn = [], []
    kind = runs.schema["n"]
    n = exact(pl, pl.col("n"), kind) if kind.is_float() else pl.col("n")
    given = runs.select("series", n, "truth").drop_nulls().unique("series", maintain_order=True)
    # Sorted, so that the draws of a series depend on the names of all series, and not on the order of the rows.
    for number, (place, n, truths) in enumerate(given.sort("series").iter_rows()):
        truths.sort(key=str)  # so that the order of annotators changes neither the draws nor a digit
        share = -(-CHANCE_DRAWS // max(1, len(truths)))
        for k, own in enumerate(truths):
            others = [*truths[:k], *truths[k + 1 :]]
            if others:
                people.append((place, n, others, own))
            with suppress(ValueError, TypeError):  # an invalid truth has no scores
                state = np.random.SeedSequence([arguments.seed(seed), number, k]).generate_state(1, np.uint64)[0]
                random = simulate.segmentations(share, Segmentation(own, n=n), seed=int(state))
                drawn += [(place, n, truths, x.cuts) for x in random]
    found: dict[str, dict[str, float]] = {}
    kinds = {"series": pl.String, "n": pl.Int64, "truth": pl.List(pl.List(pl.Int64)), "pred": pl.List(pl.Int64)}
    for name, rows in (("human", people), ("chance", drawn)):
        if rows:
            result = scored(pl.DataFrame(rows, schema=kinds, orient="row"), options, Notes(options))
            # Collected as lists first, because the mean of a group may be summed in any order.
            columns = pl.col(options.names)
            groups = result.group_by("series", maintain_order=True).agg(columns.fill_nan(None))
            means = groups.with_columns(columns.list.mean())
            found[name] = {}
            for metric in options.names:
                kept = means if series is None else means.filter(pl.col("series").is_in(list(series[metric])))
                value = mean_of(kept[metric].drop_nulls())
                if value == value:
                    found[name][metric] = value
    return found
