"""Tests of mean ranks: Friedman's test, Nemenyi's test, and groups of neighbours in rank."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..optional import library
from .signed_ranks import LEVEL

if TYPE_CHECKING:
    from .leaderboard import Leaderboard
    from .significance import Difference, Paired

__all__ = ["critical_difference", "friedman_test", "neighbours", "nemenyi_test"]


def friedman_test(board: Leaderboard) -> tuple[float | None, float | None]:
    """Return statistic and p of the Friedman test of three methods or more."""
    import numpy as np

    if len(board.methods) < 3 or len(board.series) < 2:
        return None, None
    stats = library("scipy.stats", extra="report")
    with np.errstate(invalid="ignore", divide="ignore"):
        statistic, p = map(float, stats.friedmanchisquare(*-board.ranks))
    return (0.0, 1.0) if math.isnan(p) else (statistic, p)  # nan: all ranks are equal


def nemenyi_test(board: Leaderboard, pairs: Sequence[Paired]) -> list[float]:
    """Return the p of Nemenyi's test of each pair, which needs no further correction."""
    import numpy as np

    stats = library("scipy.stats", extra="report")
    ranks = board.ranks.mean(axis=1)
    apart = np.array([abs(ranks[pair.a] - ranks[pair.b]) for pair in pairs])
    k = len(board.methods)
    studentized = apart / math.sqrt(k * (k + 1) / (12 * len(board.series)))
    return [float(p) for p in stats.studentized_range.sf(studentized, k, np.inf)]


def critical_difference(board: Leaderboard) -> float:
    """Return the smallest difference of mean ranks that Nemenyi's test finds significant."""
    stats = library("scipy.stats", extra="report")
    k = len(board.methods)
    studentized = float(stats.studentized_range.ppf(1 - LEVEL, k, math.inf))
    return studentized * math.sqrt(k * (k + 1) / (12 * len(board.series)))


def neighbours(board: Leaderboard, pairs: Sequence[Difference]) -> list[tuple[str, ...]]:
    """Return the longest runs of neighbours in rank of which no two differ significantly."""
    significant = {frozenset(pair[:2]) for pair in pairs if pair.significant}
    ranks = board.ranks.mean(axis=1).tolist()
    order = [board.methods[k] for k in sorted(range(len(ranks)), key=ranks.__getitem__)]
    groups: list[tuple[str, ...]] = []
    end = 0
    for start in range(len(order)):
        stop = start + 1
        while stop < len(order) and not any(frozenset((order[stop], m)) in significant for m in order[start:stop]):
            stop += 1
        if stop > end and stop - start > 1:
            groups.append(tuple(order[start:stop]))
        end = max(end, stop)
    return groups
