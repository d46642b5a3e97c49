"""Publication: several leaderboards as one table for a paper, and one score of each series and method."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from ..arguments import choice
from ..boards.captions import caption_of, label_of
from ..boards.cells import FAILED, NOT_RUN, SCORED, UNDEFINED
from ..boards.leaderboard import Failures, Leaderboard, leaderboards
from ..boards.marks import DECIMALS, Decimals, check_decimals, marks_of
from ..boards.statistics import styled
from ..boards.typesetting import Cell, Head, Publication, Typeset
from ..tables.score import dataframe, named

if TYPE_CHECKING:
    from ..tables.columns import Column

__all__ = ["publication"]

LETTERS = {"timeout": "T", "memory": "O", "crash": "C"}  # letter of a failed run, by status; any other is F
MEANINGS = {
    "F": "F: failed",
    "T": "T: out of time",
    "O": "O: out of memory",
    "C": "C: crashed",
    "-": "-: not run",
    "?": "?: unreadable",
    "u": "u: undefined",
}


def publication(
    scores: Any,  # noqa: ANN401
    metrics: Iterable[str | Column],
    *,
    rows: Literal["method", "series"] = "method",
    method: str = "method",
    series: str = "series",
    group: str = "group",
    failures: Failures = "worst",
    missing: Literal["drop", "failed"] = "drop",
    decimals: Decimals = DECIMALS,
    references: Mapping[str, Mapping[str, float]] | None = None,
    mixed: bool = False,
) -> Publication:
    """Make a table for a paper: scores of each method, or of each series and method.

    Parameters
    ----------
    scores, method, series, group, failures, missing, mixed
        As in `leaderboard`.
    metrics
        Names of columns, or `Column` objects. The first score orders the methods.
    rows
        ``"method"``: one row per method, one column per score. ``"series"``: one row per series, one column per method;
        a letter says why a score is missing.
    decimals
        The number of decimals, or ``"auto"``: as many as keep the standard error of the best mean below 5 units of the
        last decimal, and at most 4.
    references
        Scores to print below a rule, such as those of people and of chance: for each name, the score of each metric.

    Examples
    --------
    >>> import polars as pl
    >>> values = {"f1(margin=5)": [0.5, 0.75, 1, None]}
    >>> scores = pl.DataFrame({"series": ["a", "b"] * 2, "method": ["x", "x", "y", "y"], **values})
    >>> print(publication(scores, ["f1"]).to_csv(), end="")
    method,f1(margin=5),f1(margin=5) scored,f1(margin=5) run
    x,0.625,2,2
    y,0.5,1,2

    """
    asked = [metrics] if isinstance(metrics, str) else list(metrics)
    choice(rows, "rows", ("method", "series"))
    if not asked:
        raise ValueError("metrics are empty; expected at least one metric")
    if rows == "series" and len(asked) > 1:
        raise ValueError(f"rows = 'series' prints one score, but there are {len(asked)} metrics; expected one metric")
    check_decimals(decimals)
    table = dataframe(scores)
    given: dict[str, Any] = {"group": group, "failures": failures, "missing": missing, "mixed": mixed}
    boards = list(leaderboards(table, asked, method, series, **given).values())
    if rows == "series":
        return _of_series(boards[0], decimals, _letters(table, method, series))
    return _of_methods(boards, decimals, references or {})


def _of_methods(
    boards: Sequence[Leaderboard], decimals: Decimals, references: Mapping[str, Mapping[str, float]]
) -> Publication:
    """Return one row per method, one column per score; unranked rows are below a rule."""
    marks = [marks_of(board, decimals) for board in boards]
    own = [{s.method: s for s in (*board.standings, *board.below)} for board in boards]
    ranked, below = boards[0].methods, [s.method for s in boards[0].below]
    same = all(
        len({(each[name].scored, each[name].run) for each in own}) == 1 for name in (*ranked, *below)
    )  # whether one column of counts is enough
    heads, names = [Head("Method", right=False)], ["method"]
    for board, mark in zip(boards, marks, strict=True):
        label = label_of(board.metric)
        heads.append(Head(label if mark.statistic == "mean" else f"{label} (median)", board.column.best))
        heads += [] if same else [Head("Scored")]
        names += [board.metric, f"{board.metric} scored", f"{board.metric} run"]
    heads += [Head("Scored")] if same else []
    rows, records = [], []
    for name in (*ranked, *below):
        row: list[Cell] = [Cell(name)]
        record: list[Any] = [name]
        for each, mark in zip(own, marks, strict=True):
            s = each[name]
            style = mark.style(name) if name in ranked else ()
            row.append(Cell(mark.text(getattr(s, mark.statistic)), *style))
            row += [] if same else [Cell(f"{s.scored}/{s.run}")]
            record += [getattr(s, mark.statistic), s.scored, s.run]
        row += [Cell(f"{own[0][name].scored}/{own[0][name].run}")] if same else []
        rows.append(row)
        records.append(record)
    for name, scores in references.items():
        row, record = [Cell(name)], [name]
        for board, mark in zip(boards, marks, strict=True):
            value = float(scores.get(board.metric, math.nan))
            row += [Cell(mark.text(value)), *([] if same else [Cell("")])]
            record += [value, None, None]
        rows.append([*row, *([Cell("")] if same else [])])
        records.append(record)
    notes = [f"{label_of(b.metric)}: {note}" if len(boards) > 1 else note for b in boards for note in b.notes]
    rule = len(ranked) if len(rows) > len(ranked) else None
    return Publication(Typeset(caption_of(boards, marks), heads, rows, rule, notes), names, records)


def _of_series(board: Leaderboard, decimals: Decimals, letters: Mapping[tuple[str, str], str]) -> Publication:
    """Return one row per series, one column per method, and the means below a rule."""
    import numpy as np

    marks = marks_of(board, decimals)
    scores = board.cells.scores[[board.cells.methods.index(method) for method in board.methods]]
    heads = [Head("Series", right=False), *(Head(method) for method in board.methods)]
    rows, records, used = [], [], set()
    for k, series in enumerate(board.all_series):
        values, texts = scores[:, k], []
        known = values[~np.isnan(values)]
        best = marks.text(float(known.max() if board.rising else known.min())) if known.size else None
        for method, value, state in zip(board.methods, values.tolist(), board.states[:, k].tolist(), strict=True):
            if state == SCORED:
                texts.append(marks.text(value))
            else:
                text = {UNDEFINED: "u", NOT_RUN: "-", FAILED: letters.get((method, series), "F")}.get(state, "?")
                texts.append(text)
                used.update(text.split("/"))
        rows.append([Cell(series), *(Cell(text, text == best) for text in texts)])
        records.append([series, *values.tolist()])
    rule = len(rows)
    standings = board.standings
    rows.append([Cell(marks.statistic.capitalize()), *(styled(s, marks, marks.statistic) for s in standings)])
    rows.append([Cell("Scored"), *(Cell(f"{s.scored}/{s.run}") for s in standings)])
    notes = ["; ".join(meaning for letter, meaning in MEANINGS.items() if letter in used) + "."] if used else []
    typeset = Typeset(caption_of([board], [marks]), heads, rows, rule, [*notes, *board.notes])
    return Publication(typeset, ["series", *board.methods], records)


def _letters(table: Any, method: str, series: str) -> dict[tuple[str, str], str]:  # noqa: ANN401
    """Return the letters of failed runs by the column ``status``, if the table has one."""
    if "status" not in table.columns:
        return {}
    found: dict[tuple[str, str], set[str]] = {}
    rows = named(table, (method, series)).select(method, series, "status").drop_nulls("status")
    for one, place, status in rows.iter_rows():
        if status not in ("ok", "unreadable"):
            found.setdefault((one, place), set()).add(LETTERS.get(status, "F"))
    return {key: "/".join(sorted(letters)) for key, letters in found.items()}
