"""How failures count: the series and the values of a leaderboard, by one policy."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, NamedTuple

from ..tables.states import POLICIES, Failures
from .cells import FAILED, NOT_RUN, SCORED, Cells
from .intervals import mean_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["MISSING", "POLICIES", "Counted", "Failures", "Missing", "counted", "mean_ranks", "ranked"]

Missing = Literal["drop", "failed"]
MISSING = ("drop", "failed")


class Counted(NamedTuple):
    """What counts on a leaderboard: methods and series by their numbers, values and ranks."""

    methods: list[int]  # those that are ranked, the best first
    places: list[int]  # the place of each of these; ties share the first of their places
    references: list[int]  # those that are told something of the truth
    others: list[int]  # those that were run on fewer than half of the series
    series: list[int]
    values: NDArray[np.float64]  # methods x series
    ranks: NDArray[np.float64]
    told: NDArray[np.float64]  # the values of the references on the series
    every: NDArray[np.float64]  # the values of the methods on all series of the study; nan where there is no value


def counted(cells: Cells, policy: str) -> Counted:
    """Choose the series, fill the failures and order the methods by one policy.

    A series counts only if all ranked methods were run on it and the score is defined for all of them. With the policy
    "omit", each method has its own series. A pair of methods is compared on the series on which both have values, so
    that the comparison does not depend on other methods. References are not ranked.
    """
    import numpy as np

    states, column, rising = cells.states, cells.column, cells.column.rising
    runs = (states < NOT_RUN).sum(axis=1)
    told = dict(cells.origins.told)
    references = [k for k, method in enumerate(cells.methods) if method in told]
    placed = [k for k in range(len(cells.methods)) if k not in references and 2 * runs[k] >= len(cells.series)]
    others = [k for k in range(len(cells.methods)) if k not in placed and k not in references]
    shown = [*placed, *references]
    own = states[shown]
    ranking = cells.filled(column.bound)[shown]
    values = cells.filled(cells.without_cuts)[shown] if policy == "no_cuts" and (own == FAILED).any() else ranking
    if policy == "omit":
        values, ranking = (np.where(own == SCORED, each, np.nan) for each in (values, ranking))
        series = np.flatnonzero((own[: len(placed) or None] < NOT_RUN).any(axis=0))
    else:
        if policy == "common":
            values = np.where(own == FAILED, np.nan, values)
        choosing = values[: len(placed) or None]  # references choose no series, unless there is nothing else
        kept = ~np.isnan(choosing).any(axis=0) & bool(shown)  # a cell that was not run or is undefined has no value
        series = np.flatnonzero(kept)
    lines, every = values[len(placed) :, series], values[: len(placed)]
    values, ranking = every[:, series], ranking[: len(placed), series]
    ranks = ranked(ranking if rising else -ranking)
    if column.worst is None:
        keys = mean_ranks(ranks)
    else:
        means = np.array([mean_of(row[~np.isnan(row)]) for row in values])
        keys = -means if rising else means
    known = [(bool(np.isnan(key)), float(np.nan_to_num(key))) for key in keys]  # nan is last
    order = sorted(range(len(placed)), key=lambda k: (known[k], k))
    placing = [1 + sum(other < known[k] for other in known) for k in order]
    methods = [placed[k] for k in order]
    found = (methods, placing, references, others, series.tolist())
    return Counted(*found, values[order], ranks[order], lines, every[order])


def mean_ranks(ranks: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean rank of each method, one row per method; nan if the methods have no series in common."""
    import numpy as np

    means: NDArray[np.float64] = ranks.mean(axis=1) if ranks.shape[1] else np.full(len(ranks), math.nan)
    return means


def ranked(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the rank of each method on each series: the largest is 1, ties share, nan is last."""
    import numpy as np

    known = np.where(np.isnan(values), -np.inf, values)
    missing = np.isnan(values)
    ranks = np.empty_like(known)
    for k in range(len(values)):
        better = ((known > known[k]) | (missing[k] & ~missing)).sum(axis=0)
        equal = ((known == known[k]) & (missing == missing[k])).sum(axis=0)
        ranks[k] = better + (equal + 1) / 2
    return ranks
