"""Publication: leaderboards as tables for a paper, with the caption that they need."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Literal

from ..arguments import choice
from ..boards.cells import FAILED, NOT_RUN, SCORED, UNDEFINED
from ..boards.leaderboard import Failures, Leaderboard, leaderboards
from ..boards.standings import Standing
from ..optional import library
from ..showing import Result, Shown, plain
from ..tables.score import dataframe, named
from .captions import caption_of, label_of
from .marks import DECIMALS, Decimals, check_decimals, marks_of, number
from .typesetting import ARROWS, Cell, Head, Typeset, csv_of, html_of, latex_of, markdown_of

if TYPE_CHECKING:
    from ..tables.columns import Column
    from .marks import Marks

__all__ = ["Publication", "publication", "statistics"]

LETTERS = {"timeout": "T", "memory": "O", "crash": "C"}  # of a failed run, by its status; any other is F
MEANINGS = {
    "F": "F: failed",
    "T": "T: out of time",
    "O": "O: out of memory",
    "C": "C: crashed",
    "-": "-: not run",
    "?": "?: unreadable",
    "u": "u: undefined",
}
COUNTS = {"failed": "Failed", "undefined": "Undefined", "not_run": "Not run", "unreadable": "Unreadable"}


class Publication(Result):
    """A table for a paper, as LaTeX, Markdown, HTML or CSV.

    The best value of a column is bold, and so are all values that are printed equal. A value is underlined if an exact
    signed-rank test cannot tell its method apart from the best one. The caption says what the numbers are.
    """

    def __init__(self, typeset: Typeset, names: Sequence[str], records: Iterable[Sequence[Any]]) -> None:
        self._typeset, self._names, self._records = typeset, list(names), [list(record) for record in records]

    @property
    def caption(self) -> str:
        """What the numbers are, how they were made, and what bold and underlined mean."""
        return self._typeset.caption

    def to_latex(self) -> str:
        r"""Return a LaTeX ``table``, which needs ``\usepackage{booktabs}``."""
        return latex_of(self._typeset)

    def to_markdown(self) -> str:
        """Return a Markdown table."""
        return markdown_of(self._typeset)

    def to_html(self) -> str:
        """Return an HTML table."""
        return html_of(self._typeset)

    def to_csv(self) -> str:
        """Return CSV with one value per cell, at full precision."""
        return csv_of(self._names, self._records)

    def to_polars(self) -> Any:  # noqa: ANN401
        """Return the table as a Polars DataFrame, at full precision."""
        return library("polars").DataFrame(self._records, self._names, orient="row", infer_schema_length=None)

    def to_pandas(self) -> Any:  # noqa: ANN401
        """Return the table as a pandas DataFrame, at full precision."""
        return library("pandas", extra=None).DataFrame(self._records, columns=self._names)

    def to_dict(self) -> dict[str, Any]:
        """Return the caption, the notes and the rows as plain Python objects."""
        rows = [dict(zip(self._names, plain(record), strict=True)) for record in self._records]
        return {"caption": self.caption, "notes": list(self._typeset.notes), "rows": rows}

    def _shown(self) -> Shown:
        table = self._typeset
        heads = [head.text + ARROWS[head.best] for head in table.heads]
        align = "".join("r" if head.right else "l" for head in table.heads)
        return Shown([self.caption], heads, align, [[c.text for c in row] for row in table.rows], below=table.notes)


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
    margin: float | timedelta | None = None,
    decimals: Decimals = DECIMALS,
    references: Mapping[str, Mapping[str, float]] | None = None,
    seed: int = 0,
    mixed: bool = False,
) -> Publication:
    """Make a table for a paper: scores of each method, or of each series and method.

    Parameters
    ----------
    scores, method, series, group, failures, missing, margin, seed, mixed
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
    >>> scores = pl.DataFrame({"series": ["a", "b"] * 2, "method": ["x", "x", "y", "y"], "f1": [0.5, 0.75, 1, None]})
    >>> print(publication(scores, ["f1"], margin=5).to_csv(), end="")
    method,f1,f1 scored,f1 run
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
    given: dict[str, Any] = {"group": group, "failures": failures, "missing": missing, "margin": margin, "mixed": mixed}
    boards = list(leaderboards(table, asked, method, series, seed, **given).values())
    if rows == "series":
        return _of_series(boards[0], decimals, _letters(table, method, series))
    return _of_methods(boards, decimals, references or {})


def statistics(boards: Sequence[Leaderboard], decimals: Decimals = DECIMALS, by: str = "method") -> Publication:
    """Return all statistics of leaderboards: one row per method, or per score and method."""
    check_decimals(decimals)
    marks = [marks_of(board, decimals) for board in boards]
    rows = [(b, s, m) for b, m in zip(boards, marks, strict=True) for s in (*b.standings, *b.others)]
    several, alone = len(boards) > 1, len({board.metric for board in boards}) < len(boards)
    best = "" if several else boards[0].column.best
    columns: dict[Head, list[Cell]] = {}
    if several:
        columns[Head("Score", right=False)] = [Cell(board.metric + ARROWS[board.column.best]) for board, *_ in rows]
    columns[Head(by[:1].upper() + by[1:], right=False)] = [Cell(s.method) for _, s, _ in rows]
    columns[Head("Mean", best)] = [_styled(s, m, "mean") for _, s, m in rows]
    if any(s.low == s.low for _, s, _ in rows):
        columns[Head("95 % interval")] = [
            Cell(f"{m.text(s.low)} to {m.text(s.high)}" if s.low == s.low else "") for _, s, m in rows
        ]
    columns[Head("Median", best)] = [_styled(s, m, "median") for _, s, m in rows]
    if not alone:  # a method that is not compared with others has neither a rank nor wins
        columns[Head("Rank")] = [Cell(number(s.rank, 2)) for _, s, _ in rows]
        columns[Head("Wins")] = [Cell(str(s.wins) if s.rank == s.rank else "") for _, s, _ in rows]
    columns[Head("Scored")] = [Cell(f"{s.scored} of {s.run}") for _, s, _ in rows]
    if any(s.averaged != board.total for board, s, _ in rows):
        columns[Head("Mean over")] = [Cell(f"{s.averaged} of {board.total}") for board, s, _ in rows]
    for field, head in COUNTS.items():
        if any(getattr(s, field) for _, s, _ in rows):
            columns[Head(head)] = [Cell(str(getattr(s, field))) for _, s, _ in rows]
    notes = [f"{board.metric}: {note}" if several else note for board in boards for note in board.notes]
    rule = len(boards[0].standings) if len(boards) == 1 and boards[0].others else None
    cells = list(zip(*columns.values(), strict=True))
    typeset = Typeset(caption_of(boards, marks), list(columns), cells, rule, notes)
    without: dict[str, Any] = {"rank": None, "wins": None} if alone else {}
    records = [[board.metric, *(s._asdict() | without).values()] for board, s, _ in rows]
    return Publication(typeset, ["score", by, *Standing._fields[1:]], records)


def _styled(standing: Standing, marks: Marks, statistic: str) -> Cell:
    text = marks.text(getattr(standing, statistic))
    return Cell(text, *marks.style(standing.method)) if marks.statistic == statistic else Cell(text)


def _of_methods(
    boards: Sequence[Leaderboard], decimals: Decimals, references: Mapping[str, Mapping[str, float]]
) -> Publication:
    """Return one row per method, one column per score; unranked rows are below a rule."""
    marks = [marks_of(board, decimals) for board in boards]
    own = [{s.method: s for s in (*board.standings, *board.others)} for board in boards]
    ranked, below = boards[0].methods, [s.method for s in boards[0].others]
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
    rows.append([Cell(marks.statistic.capitalize()), *(_styled(s, marks, marks.statistic) for s in standings)])
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
