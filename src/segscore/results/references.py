"""The scores of people and of chance, to which a leaderboard is compared."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from .. import arguments, simulate
from ..optional import library
from ..segmentation import Segmentation
from ..tables.decoding import exact
from ..tables.frames import scored
from ..tables.options import Options

__all__ = ["CHANCE_DRAWS", "references"]

CHANCE_DRAWS = 100  # random segmentations per series


def references(runs: Any, options: Options, seed: int = 0) -> dict[str, dict[str, float]]:  # noqa: ANN401
    """Return the scores of people and of chance, averaged over the series of a table.

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
    for number, (series, n, truths) in enumerate(given.iter_rows()):
        share = -(-CHANCE_DRAWS // max(1, len(truths)))
        for k, own in enumerate(truths):
            others = [*truths[:k], *truths[k + 1 :]]
            if others:
                people.append((series, n, others, own))
            with suppress(ValueError, TypeError):  # an invalid truth has no scores
                state = np.random.SeedSequence([arguments.seed(seed), number, k]).generate_state(1, np.uint64)[0]
                random = simulate.segmentations(share, Segmentation(own, n=n), seed=int(state))
                drawn += [(series, n, truths, x.cuts) for x in random]
    found = {}
    kinds = {"series": pl.String, "n": pl.Int64, "truth": pl.List(pl.List(pl.Int64)), "pred": pl.List(pl.Int64)}
    for name, rows in (("human", people), ("chance", drawn)):
        if rows:
            result = scored(pl.DataFrame(rows, schema=kinds, orient="row"), options)
            # Collected as lists first, because the mean of a group may be summed in any order.
            columns = pl.col(options.names)
            groups = result.group_by("series", maintain_order=True).agg(columns.fill_nan(None))
            found[name] = groups.select(columns.list.mean()).mean()
    return {name: {k: v for k, v in row.row(0, named=True).items() if v is not None} for name, row in found.items()}
