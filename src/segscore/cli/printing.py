"""How the commands read names and print tables."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from typing import Any

import click

import segscore as ss

from ..tables.notes import unreadable_in

METRIC = r"(?:[^,(]|\([^)]*\)?)*"  # commas in parentheses separate options, others separate metrics


def names_of(metrics: str | None) -> list[str] | None:
    """Return comma-separated metrics as a list; each may have options, as in "f1(margin=5),pk(k=20)"."""
    if metrics is None:
        return None
    names = [name.strip() for name in re.findall(METRIC, metrics) if name.strip()]
    if not names:
        raise ValueError("--metrics is empty; expected names of scores (segscore metrics lists them)")
    return names


def complete_metrics(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
    """Complete the last of several comma-separated names of scores."""
    last = re.findall(f"{METRIC}$", incomplete)[0]
    done = incomplete.removesuffix(last)
    return [done + name for name in ss.METRICS if name.startswith(last)]


def on_error(kept: str) -> Callable[[Any], Any]:
    """Return the option --on-error of a command for results; ``kept`` says what happens to an unreadable row."""
    return click.option(
        "--on-error",
        type=click.Choice(["raise", "null"]),
        default="raise",
        show_default=True,
        help=f"Stop at cuts that cannot be read, or {kept}.",
    )


def print_unreadable(table: Any) -> None:  # noqa: ANN401
    """Say how many rows of a Polars DataFrame cannot be read, and which is the first."""
    if note := unreadable_in(table):
        click.echo(f"segscore: {note}", err=True)


def print_table(head: list[str], rows: list[list[str]]) -> None:
    """Print a table as wide as the terminal."""
    from rich.console import Console
    from rich.table import Table

    table = Table(*head, box=None, pad_edge=False, header_style="bold")
    for row in rows:
        table.add_row(*row)
    Console(width=None if sys.stdout.isatty() else 160).print(table)


def print_csv(head: list[str], rows: list[list[str]]) -> None:
    """Print a table as CSV."""
    for row in (head, *rows):
        click.echo(",".join(_quoted(cell) if set(cell) & set(',"\r\n') else cell for cell in row))


def _quoted(cell: str) -> str:
    doubled = cell.replace('"', '""')
    return f'"{doubled}"'
