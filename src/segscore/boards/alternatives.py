"""Alternatives: the same scores under other rules for failures, and for rows that are not there."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from .cells import STATES
from .failures import Failures
from .ranking import Ranking

__all__ = ["Alternative", "alternatives", "gap_words", "place_notes", "policy_words"]

MOST = 8  # largest number of methods whose places are listed


class Alternative(NamedTuple):
    """A leaderboard of the same scores under another rule."""

    words: str  # the rule, as it ends a sentence
    board: Ranking
    methods: Collection[str]  # to which the rule applies


def alternatives(board: Ranking) -> list[Alternative]:
    """Return the leaderboards under all other rules that can change something."""
    found = []
    policies: tuple[Failures, ...] = ("worst", "no_cuts", "common") if board.failed else ()
    for policy in policies:
        if policy == board.failures:
            continue
        try:
            other = board.under(policy)
        except ValueError:  # the scores without cuts cannot be computed
            continue
        common = f"on the {len(other.series)} common series"
        words = common if policy == "common" else policy_words(other).replace("failures", "if failures", 1)
        found.append(Alternative(words, other, board.failed))
    if board.gaps:
        found.append(Alternative("if rows without a score count as failures", board.with_gaps_failed, board.gaps))
    return found


def policy_words(board: Ranking) -> str:
    """Say how failures count on a leaderboard."""
    if board.failures == "worst":
        worst = board.column.worst
        return "failures rank last" if worst is None else f"failures count as {worst:g}"
    return {
        "no_cuts": "failures count as a prediction without cuts",
        "common": "only series without a failure count",
        "omit": "methods are scored on different series",
    }[board.failures]


def gap_words(board: Ranking, method: str) -> str:
    """Return on how many series a method has no score, and why: "no score on 2 of 9 series (2 not run)"."""
    own = board.cells.methods.index(method)
    states = board.cells.states[own][board.cells.gaps[own]].tolist()
    counts = {STATES[state]: states.count(state) for state in sorted(set(states))}
    why = ", ".join(f"{count} {state}" for state, count in counts.items())
    return f"no score on {len(states)} of {board.total} series ({why})"


def place_notes(board: Ranking) -> list[str]:
    """Return the places under other rules of each method that failed, or that has no score on a series."""
    texts: dict[str, list[str]] = {}
    moved: dict[str, int] = {}
    for words, other, methods in alternatives(board):
        for method in methods:
            own = texts.setdefault(method, [])
            if method in board.gaps and "rows without" in words:
                own.append(gap_words(board, method))
                words = "if rows without a score count as failures"
            if other.series and method in other.places:
                own.append(f"{_ordinal(other.places[method])} of {len(other.methods)} {words}")
                moved[method] = max(moved.get(method, 0), abs(other.places[method] - board.places.get(method, 0)))
            elif other.failures == "common":
                own.append("no series is common to all methods")
    order = [method for method in (*board.methods, *(s.method for s in board.below)) if texts.get(method)]
    shown = sorted(order, key=lambda method: -moved.get(method, 0))[:MOST]
    lines = [f"{method}: {'; '.join(texts[method])}." for method in order if method in shown]
    rest = len(order) - len(lines)
    return [*lines, *([f"{rest} other methods failed or have no score on some series."] if rest else [])]


def _ordinal(number: int) -> str:
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"
