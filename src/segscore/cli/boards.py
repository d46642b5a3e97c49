"""Options of the commands that make leaderboards, and the command summary."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from .. import arguments
from ..boards.failures import MISSING, POLICIES
from ..boards.leaderboard import Leaderboard, leaderboards
from ..boards.marks import DECIMALS, MOST
from ..boards.statistics import statistics
from ..optional import polars as pl
from ..publications.publication import publication
from ..scores.metric_text import metric_of, spelled
from ..tables import files
from ..tables.columns import KNOWN, Column, column_in, column_of
from .printing import complete_metrics, echo, names_of, naming, on_error, print_unreadable, printed_as

__all__ = ["chosen_columns", "policies", "summary"]


def policies(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that say how failures count and which values of a column are better."""
    for option in (
        click.option("--higher", help="Comma-separated columns in which higher values are better."),
        click.option("--lower", help="Comma-separated columns in which lower values are better."),
        click.option(
            "--missing",
            type=click.Choice(MISSING),
            default="drop",
            show_default=True,
            help="Series on which some methods have no score or failure: drop them, or count these rows as failed.",
        ),
        click.option(
            "--failures",
            type=click.Choice(POLICIES),
            default="worst",
            show_default=True,
            help="How failures count: as the worst value, or as a prediction without cuts; or use only series without "
            "failures; or score each method on its own series.",
        ),
    ):
        command = option(command)
    return command


def chosen_columns(table: Any, names: list[str], lower: str | None, higher: str | None) -> list[str | Column]:  # noqa: ANN401
    """Return the columns with the directions that the command line gives.

    An unknown direction of a column of the table is an error. Other names stay as they are.
    """
    low, high = names_of(lower, "--lower") or [], names_of(higher, "--higher") or []
    found: list[str | Column] = []
    for name in names:
        if name in low and name in high:
            raise ValueError(f"{name} is in --lower and in --higher; expected one of them")
        if name in low or name in high:
            found.append(_directed(name, "low" if name in low else "high"))
        elif name in table.columns and metric_of(name) is None and name not in KNOWN:
            raise ValueError(
                f"column {name!r} is not a metric of segscore, so its direction is unknown; expected --lower {name} or "
                f"--higher {name}"
            )
        else:
            found.append(name)
    return found


def _directed(name: str, best: Any) -> Column:  # noqa: ANN401
    if metric_of(name) is None and name not in KNOWN:
        return Column(name, best)
    known = column_of(name)
    if known.best != best:
        better = "higher" if known.rising else "lower"
        raise ValueError(f"{name} is better if {better}; expected no --lower and no --higher for {name}")
    return known


def _decimals_option(_: click.Context, __: click.Parameter, value: str) -> int | str:
    """Return a number of decimals, or the word auto."""
    if value != "auto" and not (value.isascii() and value.isdigit() and int(value) <= MOST):
        raise ValueError(
            f"--decimals {value} is not a number of decimals; expected an integer from 0 to {MOST}, or auto"
        )
    return value if value == "auto" else int(value)


@click.command()
@click.argument("scores", type=click.Path(exists=True, dir_okay=False, allow_dash=True))
@click.option("--by", default="method", show_default=True, help="The column to group by.")
@click.option("--series", default="series", show_default=True, help="The column of series.")
@click.option(
    "--metrics", shell_complete=complete_metrics, help="Comma-separated columns; by default all columns of scores."
)
@policies
@click.option(
    "--rows",
    type=click.Choice(["board", "method", "series"]),
    default="board",
    show_default=True,
    help="board: all statistics of each score; method: one column per score; series: one score, one column per method.",
)
@printed_as("markdown", "latex", "html", "csv")
@click.option(
    "--decimals",
    callback=_decimals_option,
    default=str(DECIMALS),
    show_default=True,
    help="The number of decimals, or auto.",
)
@on_error("leave the row out")
def summary(
    scores: str,
    by: str,
    series: str,
    metrics: str | None,
    failures: str,
    missing: str,
    lower: str | None,
    higher: str | None,
    rows: Any,  # noqa: ANN401
    style: str,
    decimals: Any,  # noqa: ANN401
    on_error: str,
) -> None:
    """Summarise a scored table by method.

    The summary has the mean with a 95 % interval, the median, the mean rank, and how many series are scored,
    failed, undefined and not run. The caption says what the numbers are, so that the summary is ready for a paper.
    LaTeX needs the package booktabs.

    \b
    segscore summary scores.parquet --metrics f1,covering --as latex
    segscore summary scores.parquet --rows method --as latex --decimals auto
    segscore summary scores.parquet --metrics f1 --failures common
    """
    asked = names_of(metrics) or []
    table = files.read(scores, (by, series), asked, on_error)
    print_unreadable(table)
    names = [spelled(name, table.columns) for name in asked] or [name for name in table.columns if metric_of(name)]
    unpaired = series not in table.columns and series == "series"  # the default: then each method is alone
    arguments.columns(table.columns, (by, *([] if unpaired else [series])), f"{scores} has")
    for name in names:
        column_in(table.columns, Column(name, "high"), f"{scores} has")  # checks
    if not names:
        raise ValueError(f"{scores} has no column of scores; expected --metrics, or a table that segscore scored")
    columns = chosen_columns(table, names, lower, higher)
    given: dict[str, Any] = {"failures": failures, "missing": missing}
    with naming([scores]):
        if rows == "board":
            boards = (
                _unpaired(table, columns, by, series, given)
                if unpaired
                else leaderboards(table, columns, by, series, **given).values()
            )
            made = statistics(list(boards), decimals, by)
        else:
            shown: dict[str, Any] = {"rows": rows, "decimals": decimals}
            made = publication(table, columns, method=by, series=series, **shown, **given)
    echo(getattr(made, f"to_{style}")(), nl=False)


def _unpaired(
    table: Any,  # noqa: ANN401
    columns: list[str | Column],
    by: str,
    series: str,
    given: dict[str, Any],
) -> list[Leaderboard]:
    """Return a leaderboard of each method alone: without series, no row of one method belongs to a row of another."""
    if given["failures"] == "common" or given["missing"] == "failed":
        raise ValueError(
            f"the table has no column {series!r}, so rows of different methods cannot be compared; expected this "
            "column, or --series"
        )
    boards = [
        leaderboards(part.with_columns(pl.int_range(pl.len()).alias(series)), columns, by, series, **given)
        for part in table.partition_by(by, maintain_order=True)
    ]
    found = []
    for name in boards[0] if boards else ():
        own = [each[name] for each in boards]
        sign = -1 if own[0].rising else 1
        means = {id(board): board.standings[0].mean for board in own}
        found += sorted(own, key=lambda b: (means[id(b)] != means[id(b)], sign * means[id(b)], b.methods))
    return found
