"""The statistics of leaderboards as text, and as a table for a paper."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .captions import caption_of
from .marks import DECIMALS, Decimals, Marks, check_decimals, decimal_text, marks_of
from .ranking import Ranking
from .standings import Standing
from .typesetting import ARROWS, Cell, Head, Publication, Typeset
from .wording import notes

__all__ = ["shown_columns", "statistics", "styled"]

SHOWN_DECIMALS = 4  # decimals of numbers on a leaderboard


def shown_columns(board: Ranking) -> tuple[list[str], str, list[list[str]]]:
    """Return the head, the alignment and the rows of a leaderboard, without empty counts."""

    def text(value: float) -> str:
        return decimal_text(value, SHOWN_DECIMALS, board.column.scale == "log")

    rows = [(board, standing, text) for standing in (*board.standings, *board.below)]
    columns = _columns(rows)
    rough = any(standing.rough for _, standing, _ in rows)
    heads = ["rough 95 % interval" if rough and head == "95 % interval" else head for head in columns]
    return heads, "l" + "r" * (len(heads) - 1), list(map(list, zip(*columns.values(), strict=True)))


def _columns(rows: Sequence[tuple[Ranking, Standing, Callable[[float], str]]]) -> dict[str, list[str]]:
    """Return the texts of each column of statistics, without columns that are empty for all rows."""
    columns = {
        "method": [s.method for _, s, _ in rows],
        "mean": [text(s.mean) for _, s, text in rows],
        "95 % interval": [f"{text(s.low)} to {text(s.high)}" if s.low == s.low else "" for _, s, text in rows],
        "median": [text(s.median) for _, s, text in rows],
        "rank": [decimal_text(s.rank, 2) for _, s, _ in rows],
        "wins": [str(s.wins) if s.rank == s.rank else "" for _, s, _ in rows],
        "scored": [f"{s.scored} of {s.run}" for _, s, _ in rows],
    }
    if not any(columns["95 % interval"]):
        del columns["95 % interval"]
    if any(s.averaged != board.total for board, s, _ in rows):
        columns["mean over"] = [f"{s.averaged} of {board.total}" for board, s, _ in rows]
    for field in ("failed", "undefined", "not_run", "unreadable"):
        if any(getattr(s, field) for _, s, _ in rows):
            columns[field.replace("_", " ")] = [str(getattr(s, field)) for _, s, _ in rows]
    return columns


def statistics(boards: Sequence[Ranking], decimals: Decimals = DECIMALS, by: str = "method") -> Publication:
    """Return all statistics of leaderboards: one row per method, or per score and method."""
    check_decimals(decimals)
    marks = [marks_of(board, decimals) for board in boards]
    rows = [(b, s, m) for b, m in zip(boards, marks, strict=True) for s in (*b.standings, *b.below)]
    several, alone = len(boards) > 1, len({board.metric for board in boards}) < len(boards)
    best = "" if several else boards[0].column.best
    columns: dict[Head, list[Cell]] = {}
    if several:
        columns[Head("Score", right=False)] = [Cell(board.metric + ARROWS[board.column.best]) for board, *_ in rows]
    for name, texts in _columns([(b, s, m.text) for b, s, m in rows]).items():
        head = by if name == "method" else name
        head = head[:1].upper() + head[1:]
        if name in ("mean", "median"):
            columns[Head(head, best)] = [styled(s, m, name) for _, s, m in rows]
        elif not alone or name not in ("rank", "wins"):  # a method that is not compared with others has neither
            columns[Head(head, right=name != "method")] = list(map(Cell, texts))
    lines = [f"{board.metric}: {note}" if several else note for board in boards for note in notes(board)]
    rule = len(boards[0].standings) if len(boards) == 1 and boards[0].below else None
    cells = list(zip(*columns.values(), strict=True))
    typeset = Typeset(caption_of(boards, marks), list(columns), cells, rule, lines)
    without: dict[str, Any] = {"rank": None, "wins": None} if alone else {}
    records = [[board.metric, *(s._asdict() | without).values()] for board, s, _ in rows]
    return Publication(typeset, ["score", by, *Standing._fields[1:]], records)


def styled(standing: Standing, marks: Marks, statistic: str) -> Cell:
    """Return a statistic as a cell, with the style of its method if this statistic orders the column."""
    text = marks.text(getattr(standing, statistic))
    return Cell(text, *marks.style(standing.method)) if marks.statistic == statistic else Cell(text)
