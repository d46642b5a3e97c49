"""The sentences around a leaderboard: heading, notes, places under other policies, and numbers as text."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..scores.metric_text import lacks_margin
from ..showing import count_text
from ..tables.choices import choice_words, chosen_of
from .alternatives import place_notes, policy_words
from .cells import NOT_RUN, UNDEFINED, UNREADABLE
from .ranking import Ranking

__all__ = [
    *("heading", "in_digits", "listed", "named_score", "notes", "series_count", "series_words"),
    "signed",
]


def in_digits(p: float) -> str:
    """Return a p-value as text: never 0, and never below 0.0001 in digits."""
    return "< 0.0001" if p < 1e-4 else f"{p:.2g}"


def signed(value: float) -> str:
    """Return a difference as text with its sign, and a dash for nan."""
    if math.isnan(value):
        return "–"
    if 0 < abs(value) < 0.0005:
        return f"{value:+.2g}"
    return f"{value + 0.0:+.3f}" if abs(value) < 1e6 else f"{value:+.4g}"  # 0.0 is added because -0.0 has a sign


def listed(texts: Sequence[str]) -> str:
    """Return texts with commas and "and" between them."""
    return " and ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)


def named_score(board: Ranking) -> str:
    """Return the name of a score with its unit, or with a note if its margin is not recorded."""
    unit = "margin not recorded" if board.title == board.metric and lacks_margin(board.metric) else board.column.unit
    return f"{board.title} ({unit})" if unit else board.title


def heading(board: Ranking) -> str:
    """Return the score, the number of series, and how failures count if there are any."""
    parts = [named_score(board), series_words(board)]
    if board.failed or board.failures == "omit":
        parts.append(policy_words(board))
    return ", ".join(parts)


def notes(board: Ranking) -> list[str]:
    """Say which series and methods were left out, how the board is ordered, and places under other policies."""
    found = []
    states = board.states
    if board.column.worst is None and board.methods:
        found.append(
            f"Methods are ordered by mean rank, because {board.title} has no finite worst value. Means are over "
            "the series with finite scores."
        )
    if board.failures != "omit":
        missing = int((states >= NOT_RUN).any(axis=0).sum()) if states.size else 0
        if missing:
            why = "not run or not readable" if (states == UNREADABLE).any() else "not run"
            found.append(f"{_many(missing)} left out, because some ranked methods were {why} there.")
        ran = (states < NOT_RUN).all(axis=0)
        undefined = int((ran & (states == UNDEFINED).any(axis=0)).sum()) if states.size else 0
        if undefined:
            found.append(f"{_many(undefined)} left out, because {board.title} is undefined for some methods there.")
            if 2 * len(board.series) < board.total:
                found.append(
                    f"{board.title} cannot rank these methods, because {board.title} is defined for all of them on "
                    f"only {series_count(board)}. Use a score that is defined for every prediction, such as covering."
                )
    unequal = board.cells.origins.unequal
    if unequal:
        found.append(
            f"{_many(len(unequal))} scored against different truths or lengths for different methods, so "
            f"the methods cannot be compared there; the first is {unequal[0]!r}."
        )
    told = dict(board.cells.origins.told)
    if board.references:
        each = listed([f'"{standing.method}" (the {told[standing.method]})' for standing in board.references])
        found.append(f"Not ranked, because told something of the truth: {each}.")
    if board.others:
        names = listed([f'"{standing.method}"' for standing in board.others])
        found.append(f"Not ranked, because run on fewer than half of the series: {names}.")
    how = choice_words(text for text in board.cells.origins.settings if chosen_of(text).rule == "cv")
    if how and how != ["one per method"]:
        found.append(
            f"Settings were {listed(how)} on these series: tests at the 5 % level find a false difference in 10 to 15 "
            '% of such studies. Settings that are chosen with "split" have valid tests.'
        )
    return [*found, *place_notes(board)]


def series_count(board: Ranking) -> str:
    """Return the number of series that count, and the number of all series if some are left out."""
    count = len(board.series)
    return f"{count} series" if count == board.total else f"{count} of {board.total} series"


def series_words(board: Ranking) -> str:
    """Return the number of series that count, and of their groups; without groups, series are the units of tests."""
    if board.groups is None:
        return f"{series_count(board)} taken as independent"
    return f"{series_count(board)} in {count_text(len(set(board.groups)), 'group')}"


def _many(count: int) -> str:
    return f"{count} series {'is' if count == 1 else 'are'}"
