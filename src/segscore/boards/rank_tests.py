"""Tests of mean ranks: Friedman's test, Nemenyi's test, and groups of neighbours in rank."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from ..optional import library
from .signed_ranks import LEVEL

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["friedman_test", "mean_ranks", "neighbours", "nemenyi_difference", "nemenyi_test"]


def friedman_test(ranks: NDArray[np.float64]) -> tuple[float | None, float | None]:
    """Return statistic and p of the Friedman test of the ranks of three methods or more, one row per method."""
    import numpy as np

    methods, series = ranks.shape
    if methods < 3 or series < 2:
        return None, None
    stats = library("scipy.stats", extra="report")
    with np.errstate(invalid="ignore", divide="ignore"):
        statistic, p = map(float, stats.friedmanchisquare(*-ranks))
    return (0.0, 1.0) if math.isnan(p) else (statistic, p)  # nan: all ranks are equal


def mean_ranks(ranks: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean rank of each method, one row per method; nan if the methods have no series in common."""
    import numpy as np

    means: NDArray[np.float64] = ranks.mean(axis=1) if ranks.shape[1] else np.full(len(ranks), math.nan)
    return means


def nemenyi_test(ranks: NDArray[np.float64], pairs: Sequence[tuple[int, int]]) -> list[float]:
    """Return the p of Nemenyi's test of each pair of rows, which needs no further correction."""
    import numpy as np

    stats = library("scipy.stats", extra="report")
    if not ranks.shape[1]:
        return [1.0] * len(pairs)
    means = mean_ranks(ranks)
    apart = np.array([abs(means[a] - means[b]) for a, b in pairs])
    return [float(p) for p in stats.studentized_range.sf(apart / _error(ranks), len(ranks), np.inf)]


def nemenyi_difference(ranks: NDArray[np.float64]) -> float:
    """Return the smallest difference of mean ranks that Nemenyi's test finds significant."""
    stats = library("scipy.stats", extra="report")
    return float(stats.studentized_range.ppf(1 - LEVEL, len(ranks), math.inf)) * _error(ranks)


def _error(ranks: NDArray[np.float64]) -> float:
    """Return the standard error of a mean rank if all methods are alike."""
    methods, series = ranks.shape
    return math.sqrt(methods * (methods + 1) / (12 * series))


def neighbours(means: Sequence[float], significant: Collection[frozenset[int]]) -> list[tuple[int, ...]]:
    """Return the longest runs of neighbours in mean rank of which no two differ significantly."""
    order = sorted(range(len(means)), key=means.__getitem__)
    groups: list[tuple[int, ...]] = []
    end = 0
    for start in range(len(order)):
        stop = start + 1
        while stop < len(order) and not any(frozenset((order[stop], k)) in significant for k in order[start:stop]):
            stop += 1
        if stop > end and stop - start > 1:
            groups.append(tuple(order[start:stop]))
        end = max(end, stop)
    return groups
