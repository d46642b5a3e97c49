"""What is bold and underlined in a table of a paper, and how many decimals its numbers have."""

from __future__ import annotations

import math
from typing import Any, Literal, NamedTuple

from .conclusions import is_testable
from .ranking import Ranking
from .significance import NOT_SHOWN, WORSE, compared

__all__ = ["DECIMALS", "MOST", "Decimals", "Marks", "check_decimals", "decimal_text", "marks_of"]

DECIMALS = 3
MOST = 17  # decimals that a number may have
MOST_BY_ITSELF = 4  # decimals that decimals="auto" prints
Decimals = int | Literal["auto"]


class Marks(NamedTuple):
    """How the scores of a leaderboard are printed."""

    statistic: Literal["mean", "median"]  # orders the column: medians if no finite value is the worst
    places: int  # decimals
    is_log: bool  # whether the scale is logarithmic, so that small numbers keep as many digits
    bold: frozenset[str]  # the best method, and all that print the same
    underlined: frozenset[str]  # methods that are not significantly different from the best one
    tests: str  # the tests of the pairs; empty if no test is possible

    def style(self, method: str) -> tuple[bool, bool]:
        """Return whether a method is bold, and whether it is underlined."""
        return method in self.bold, method in self.underlined

    def text(self, value: float) -> str:
        """Return a number as it is printed in the column; nothing for nan."""
        return decimal_text(value, self.places, self.is_log)


def check_decimals(decimals: Any) -> None:  # noqa: ANN401
    """Raise an error for a number of decimals that cannot be printed."""
    if decimals != "auto" and not (type(decimals) is int and 0 <= decimals <= MOST):
        raise ValueError(f"decimals = {decimals!r:.40}; expected an integer from 0 to {MOST}, or 'auto'")


def marks_of(board: Ranking, decimals: Decimals) -> Marks:
    """Return what is bold and underlined in the column of a leaderboard."""
    statistic: Literal["mean", "median"] = "mean" if board.column.worst is not None else "median"
    values, is_log = {s.method: getattr(s, statistic) for s in board.standings}, board.column.scale == "log"
    known = {method: value for method, value in values.items() if value == value}
    if len(known) < 2 or 2 * len(board.series) < board.total:  # nothing to compare, or too few series for it
        places = _enough(board, board.methods[0]) if decimals == "auto" and known else decimals
        return Marks(statistic, DECIMALS if places == "auto" else places, is_log, frozenset(), frozenset(), "")
    best = (max if board.rising else min)(known, key=lambda method: known[method])
    places = _enough(board, best) if decimals == "auto" else decimals
    first = decimal_text(known[best], places, is_log)
    bold = frozenset(method for method, value in known.items() if decimal_text(value, places, is_log) == first)
    found = compared(board)
    own = found.of(best)
    if any(pair.verdict == WORSE for pair in own):  # on the series of both; the means are over other series
        return Marks(statistic, places, is_log, frozenset(), frozenset(), "")
    if board.failures == "omit" or not is_testable(board, found):
        return Marks(statistic, places, is_log, bold, frozenset(), "")
    alike = frozenset(pair.other for pair in own if pair.verdict == NOT_SHOWN)
    return Marks(statistic, places, is_log, bold, alike, found.tests)


def _enough(board: Ranking, best: str) -> int:
    """Return as many decimals as keep the standard error of the best mean below 5 units of the last decimal."""
    import numpy as np

    own = board.values[board.methods.index(best)]
    own = own[np.isfinite(own)]
    error = float(own.std(ddof=1)) / math.sqrt(own.size) if own.size > 1 else 0.0
    places = 0
    while places < MOST_BY_ITSELF and error < 5 * 10.0 ** -(places + 1):
        places += 1
    return places


def decimal_text(value: float, places: int, is_log: bool = False) -> str:
    """Return a number as text with ``places`` decimals; an empty text for nan.

    On a logarithmic scale, numbers below 1 have ``places`` significant digits instead of decimals.

    >>> decimal_text(0.0002, 3), decimal_text(0.0002, 3, is_log=True), decimal_text(12.5, 3, is_log=True)
    ('0.000', '0.000200', '12.500')
    """
    if math.isnan(value):
        return ""
    if is_log and places and 0 < abs(value) < 1:
        return f"{value:#.{places}g}"
    return f"{value:.{places}f}" if math.isinf(value) or abs(value) < 1e6 else f"{value:.4g}"
