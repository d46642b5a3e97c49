"""Standings: the statistics of each method on a leaderboard."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import compress
from typing import TYPE_CHECKING, NamedTuple

from .cells import Cells
from .failures import Counted, mean_ranks
from .intervals import Interval, intervals, mean_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Standing", "standings_of", "unranked"]


class Standing(NamedTuple):
    """Statistics of one method on a leaderboard."""

    method: str
    mean: float  # over the series of the leaderboard, failures included by its policy; infinite values are left out
    low: float  # end of the 95 % interval of the mean; nan if there are too few series
    high: float
    rough: bool  # whether the interval is over fewer than 100 series or groups
    median: float
    rank: float  # mean over the series; 1 is best, ties share, failures rank last
    wins: int  # number of series on which no method is better
    averaged: int  # number of series of the mean
    scored: int  # number of series with a score
    run: int  # number of series on which the method was run
    failed: int
    undefined: int
    not_run: int
    unreadable: int


def standings_of(cells: Cells, counted: Counted, groups: Sequence[str] | None) -> list[Standing]:
    """Return the statistics of each ranked method, the best first, and of the references.

    ``groups`` has the group of each series.
    """
    import numpy as np

    values, ranks = np.vstack([counted.values, counted.told]), counted.ranks
    finite = np.isfinite(values)
    if finite.all():
        bounds = intervals(values, groups, cells.column.bounds)
    else:
        bounds = [
            intervals([row[use]], groups and list(compress(groups, use)), cells.column.bounds)[0]
            for row, use in zip(values, finite, strict=True)
        ]
    methods = [*counted.methods, *counted.references]
    scores = cells.scores[methods][:, counted.series]
    wins = ((ranks == ranks.min(axis=0, initial=np.inf)) & ~np.isnan(scores[: len(ranks)])).sum(axis=1)
    unplaced = [(math.nan, 0)] * len(counted.references)
    places = [*zip(mean_ranks(ranks).tolist(), wins.tolist(), strict=True), *unplaced]
    return [_standing(cells, method, values[k], scores[k], bounds[k], *places[k]) for k, method in enumerate(methods)]


def unranked(cells: Cells, method: int) -> Standing:
    """Return the statistics of a method that has no rank, over the series on which it has scores."""
    return _standing(cells, method, cells.scores[method], cells.scores[method], None, math.nan, 0)


def _standing(
    cells: Cells,
    method: int,
    values: NDArray[np.float64],
    scores: NDArray[np.float64],
    bounds: Interval | None,
    rank: float,
    wins: int,
) -> Standing:
    import numpy as np

    defined = values[~np.isnan(values)]
    finite = defined[np.isfinite(defined)]
    with np.errstate(invalid="ignore"):  # between opposite infinities there is no median
        median = float(np.median(defined)) if defined.size else math.nan
    scored, undefined, failed, not_run, unreadable = cells.counts[method].tolist()
    return Standing(
        cells.methods[method],
        mean_of(finite if finite.size else scores[~np.isnan(scores)]),  # failures alone have no mean
        *(bounds or Interval(math.nan, math.nan, False)),
        median,
        rank,
        wins,
        int(finite.size),
        scored,
        scored + undefined + failed,
        failed,
        undefined,
        not_run,
        unreadable,
    )
