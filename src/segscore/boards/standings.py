"""Standings: the statistics of each method on a leaderboard, and their columns."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import compress
from typing import TYPE_CHECKING, NamedTuple

from ..publications.marks import number
from .cells import STATES
from .intervals import Interval, interval, intervals, mean_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from .leaderboard import Leaderboard

__all__ = ["Standing", "shown_columns", "standings_of", "unranked"]


DECIMALS = 4  # of numbers on a leaderboard


class Standing(NamedTuple):
    """Statistics of one method on a leaderboard."""

    method: str
    mean: float  # over the series of the leaderboard, failures included by its policy; infinite values are left out
    low: float  # of the 95 % bootstrap interval of the mean; nan if there are too few series
    high: float
    rough: bool  # whether the interval is over fewer than 20 series or groups
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


def standings_of(board: Leaderboard) -> list[Standing]:
    """Return the statistics of each ranked method, in the order of the board."""
    import numpy as np

    finite = np.isfinite(board.values)
    if finite.all():
        bounds = intervals(board.values, board.groups, board.seed)
    else:
        bounds = [
            interval(own[kept], board.groups and list(compress(board.groups, kept)), board.seed)
            for own, kept in zip(board.values, finite, strict=True)
        ]
    best = board.ranks == board.ranks.min(axis=0, initial=np.inf)
    wins = (best & ~np.isnan(board.scores)).sum(axis=1)
    ranks = board.ranks.mean(axis=1) if board.series else np.full(len(board.methods), math.nan)
    return [
        _standing(method, board.values[k], board.scores[k], board.states[k], bounds[k], float(ranks[k]), int(wins[k]))
        for k, method in enumerate(board.methods)
    ]


def unranked(method: str, values: NDArray[np.float64], states: NDArray[np.int8]) -> Standing:
    """Return the statistics of a method that has no rank, over the series on which it has scores."""
    return _standing(method, values, values, states, None, math.nan, 0)


def _standing(
    method: str,
    values: NDArray[np.float64],
    scores: NDArray[np.float64],
    states: NDArray[np.int8],
    bounds: Interval | None,
    rank: float,
    wins: int,
) -> Standing:
    import numpy as np

    known = values[~np.isnan(values)]
    finite = known[np.isfinite(known)]
    counts = [int((states == state).sum()) for state in range(len(STATES))]
    scored, undefined, failed, not_run, unreadable = counts
    return Standing(
        method,
        mean_of(finite if finite.size else scores[~np.isnan(scores)]),  # failures alone have no mean
        *(bounds or Interval(math.nan, math.nan, False)),
        float(np.median(known)) if known.size else math.nan,
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


def shown_columns(boards: Sequence[Leaderboard]) -> tuple[list[str], str, list[list[str]]]:
    """Return the head, the alignment and the rows of leaderboards, without empty counts."""

    def shown(value: float, board: Leaderboard) -> str:
        return number(value, DECIMALS, board.column.scale == "log")

    rows = [(board, standing) for board in boards for standing in (*board.standings, *board.others)]
    columns: dict[str, list[str]] = {
        "method": [s.method for _, s in rows],
        "mean": [shown(s.mean, b) for b, s in rows],
        "95 % interval": [f"{shown(s.low, b)} to {shown(s.high, b)}" if s.low == s.low else "" for b, s in rows],
        "median": [shown(s.median, b) for b, s in rows],
        "rank": [f"{s.rank:.2f}" if s.rank == s.rank else "" for _, s in rows],
        "wins": [str(s.wins) if s.rank == s.rank else "" for _, s in rows],
        "scored": [f"{s.scored} of {s.run}" for _, s in rows],
    }
    if any(s.averaged != board.total for board, s in rows):
        columns["mean over"] = [f"{s.averaged} of {board.total}" for board, s in rows]
    for name in ("failed", "undefined", "not run", "unreadable"):
        counts = [getattr(s, name.replace(" ", "_")) for _, s in rows]
        if any(counts):
            columns[name] = [str(count) for count in counts]
    if any(s.rough for _, s in rows):
        columns = {"rough 95 % interval" if name == "95 % interval" else name: own for name, own in columns.items()}
    columns = {name: own for name, own in columns.items() if "interval" not in name or any(own)}
    return list(columns), "l" + "r" * (len(columns) - 1), [list(row) for row in zip(*columns.values(), strict=True)]
