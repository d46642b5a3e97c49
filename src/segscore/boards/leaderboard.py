"""Leaderboards: the methods of a study, ranked by a score over many series."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any, Literal

from .. import arguments
from ..showing import Result, Shown, Table, plain
from ..tables.columns import Column, column_in
from ..tables.score import dataframe
from .cells import cells_of
from .choices import check_choices
from .conclusions import conclusion
from .failures import Failures
from .marks import DECIMALS, Decimals
from .ranking import Ranking
from .significance import Differences, compared
from .standings import Standing
from .statistics import shown_columns, statistics
from .wording import heading, notes

__all__ = ["Failures", "Leaderboard", "leaderboard", "leaderboards"]


class Leaderboard(Ranking, Result, Table):
    """Methods ranked by a score, the best first.

    ``standings``
        A `Standing` for each ranked method, with its mean, median, mean rank and counts.
    ``references``
        A `Standing` without a rank for each method that is told something of the truth (the column ``knows``, or
        settings that were chosen with "best" or "oracle"), over the series that count.
    ``others``
        A `Standing` without a rank for each method that was run on fewer than half of the series.
    ``methods``, ``series``, ``values``
        The ranked methods, the series that count, and one score per method and series, with failures filled by the
        policy. If the score has no worst value, a failure is infinitely bad. There is no nan, except with
        ``failures="omit"``.
    ``scores``
        The scores before failures are filled; nan where the method has no score.
    ``states``, ``all_series``
        For each ranked method and each series of the study: 0 scored, 1 undefined, 2 failed, 3 not run, 4 unreadable.
    ``cells``
        The states and scores of all methods on all series, ranked or not, in the order of their names.
    ``ranks``
        The rank of each method in each series: 1 is best, ties share, failures rank last.
    ``column``, ``metric``, ``rising``
        The column that is ranked, its name, and whether higher values are better.
    ``failures``, ``missing``, ``groups``, ``total``
        How failures and missing rows count, the group of each series or None, and the number of all series of the
        study.
    ``places``, ``failed``, ``gaps``, ``under(failures, missing)``
        The place of each ranked method, where methods that are equal share the first of their places; the ranked
        methods that failed on a series; the number of series on which a method is not run, unreadable or undefined; and
        the leaderboard of the same scores under another policy.
    """

    @property
    def heading(self) -> str:
        """The score, the number of series, and how failures count."""
        return heading(self)

    @cached_property
    def notes(self) -> list[str]:
        """Sentences about what was left out, and about places under other policies."""
        return notes(self)

    def differences(self, *, reference: str | None = None, secondary: bool = False) -> Differences:
        """Give the verdict on each pair of methods, and say what may be concluded.

        The mean difference is tested by sign flips of the series, or of the groups of the series if there are any, with
        Holm's correction over all pairs. A leaderboard by mean ranks has signed-rank tests instead. The conclusion,
        tables, charts and reports read these verdicts.

        Parameters
        ----------
        reference
            A method that was chosen before the scores were seen. Only its pairs are compared.
        secondary
            Whether another score is the primary one; the conclusion then says so.

        """
        arguments.flag(secondary, "secondary")

        def compare(board: Ranking) -> Differences:
            return compared(board, reference)

        found = compare(self)
        return found._replace(conclusion=conclusion(self, found, compare, secondary))

    def to_dict(self) -> dict[str, Any]:
        """Return the metric, series, policy, standings, scores and ranks as plain Python objects."""
        names = ["metric", "rising", "failures", "missing", "series", "groups", "total", "standings"]
        names += ["references", "others", "scores", "values", "ranks", "states", "notes"]
        return {name: plain(getattr(self, name)) for name in names}

    def _table(self) -> tuple[type[Standing], list[Standing]]:
        return Standing, self.standings

    def to_latex(self, decimals: Decimals = DECIMALS) -> str:
        r"""Return all statistics as a LaTeX table; see `Publication`.

        The table needs ``\usepackage{booktabs}``.
        """
        return statistics([self], decimals).to_latex()

    def to_markdown(self, decimals: Decimals = DECIMALS) -> str:
        """Return all statistics as a Markdown table; see `Publication`."""
        return statistics([self], decimals).to_markdown()

    def to_html(self, decimals: Decimals = DECIMALS) -> str:
        """Return all statistics as an HTML table; see `Publication`."""
        return statistics([self], decimals).to_html()

    def to_csv(self) -> str:
        """Return all statistics as CSV, with one value per cell at full precision."""
        return statistics([self]).to_csv()

    def _shown(self) -> Shown:
        head, align, rows = shown_columns(self)
        return Shown([self.heading], head, align, rows, below=self.notes)


def leaderboard(
    scores: Any,  # noqa: ANN401
    metric: str | Column = "rand_index",
    *,
    method: str = "method",
    series: str = "series",
    group: str = "group",
    failures: Failures = "worst",
    missing: Literal["drop", "failed"] = "drop",
    mixed: bool = False,
) -> Leaderboard:
    """Rank the methods of a scored table by one of its scores.

    Parameters
    ----------
    scores
        A table that `score` or `score_long` returned, or any table with these columns. If a method has several rows
        for one series (runs, annotators), they are averaged first. A missing method or series is called null, and nan
        is called NaN. A row without a score, null or nan, is a failure; or undefined, if the score is not defined for
        every prediction and the row has an answer.
    metric
        The name of the column, or a `Column` that says which values are better. A short name such as ``f1`` stands for
        the only column of this metric, such as ``f1(margin=5)``.
    method, series, group
        The columns of methods, of series, and of groups of related series. The table need not have groups.
    failures
        ``"worst"``: a failure counts as the worst value of the score, or ranks last if the score has no finite worst
        value. ``"no_cuts"``: a failure counts as a prediction without cuts. ``"common"``: series on which any method
        failed are left out. ``"omit"``: each method is scored on its own series, so that means cannot be compared.
    missing
        ``"drop"``: series on which a ranked method was not run are left out; a method that was run on fewer than half
        of the series is not ranked. ``"failed"``: a row that is missing, unreadable or undefined is a failure, on all
        series on which another method has a score or a failure.
    mixed
        Whether to rank methods together although `segscore.study.select` chose their settings by different rules. Such
        scores are not comparable.

    Examples
    --------
    >>> import polars as pl
    >>> values = {"f1(margin=5)": [0.5, 0.75, 1, None]}
    >>> scores = pl.DataFrame({"series": ["a", "b"] * 2, "method": ["x", "x", "y", "y"], **values})
    >>> leaderboard(scores, "f1")
    f1(margin=5), 2 series taken as independent, failures count as 0
    method    mean  median  rank  wins  scored  failed
    x       0.6250  0.6250  1.50     1  2 of 2       0
    y       0.5000  0.5000  1.50     1  1 of 2       1
    y: 1st of 2 on the 1 common series.

    """
    table = dataframe(scores)
    arguments.columns(table.columns, (method, series), "scores have")
    given: dict[str, Any] = {"group": group, "failures": failures, "missing": missing, "mixed": mixed}
    (board,) = leaderboards(table, [metric], method, series, **given).values()
    return board


def leaderboards(
    table: Any,  # noqa: ANN401
    metrics: Iterable[str | Column],
    method: str,
    series: str,
    *,
    group: str = "group",
    failures: Any = "worst",  # noqa: ANN401
    missing: Any = "drop",  # noqa: ANN401
    mixed: bool = False,
) -> dict[str, Leaderboard]:
    """Return one leaderboard per score of a Polars DataFrame."""
    check_choices(table, method, series, mixed=mixed)
    columns = [column_in(table.columns, each) for each in metrics]
    cells = cells_of(table, columns, method, series, group)
    return {name: Leaderboard(each, failures, missing) for name, each in cells.items()}
