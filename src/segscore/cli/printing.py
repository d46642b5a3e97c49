"""How the commands read names and print tables."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import click

import segscore as ss

from ..boards.typesetting import csv_of
from ..segmentation.lengths_of_time import LengthOfTime
from ..showing import printable
from ..tables.states import unreadable_in

NARROWEST = 24  # columns of a terminal in which a sentence can be read
METRIC = r"(?:[^,(]|\([^)]*\)?)*"  # commas in parentheses separate options, others separate metrics


def _exact_number(text: str) -> float:
    """Return a number; a whole number becomes an integer, which keeps all digits."""
    try:
        return int(text)
    except ValueError:
        number = _float(text)
        return int(number) if number.is_integer() else number


def _float(text: str) -> float:
    """Return a number, or raise if it has digits and is too large for a float."""
    number = float(text)
    if math.isinf(number) and any(map(str.isdigit, text)):
        raise ValueError
    return number


def _number_or_time(text: str) -> Any:  # noqa: ANN401
    """Return a number or a length of time."""
    return LengthOfTime.read(text) or _exact_number(text)


class Number(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    """A number of an option; an error shows the value, and says what is expected."""

    def __init__(self, name: str, read: Callable[[str], Any], expected: str) -> None:
        self.name, self.read, self.expected = name, read, expected

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ANN401
        """Return a text as a number, or raise."""
        try:
            return self.read(value) if isinstance(value, str) else value
        except ValueError:
            self.fail(f"{value!r:.40} is not {self.expected}", param, ctx)


INTEGER = Number("integer", int, "an integer; expected digits, as 5")
NUMBER = Number("number", _float, "a number; expected digits, as 5 or 0.5")
DISTANCE = Number("number", _exact_number, "a number; expected points, or seconds for cuts in time, as 5 or 0.5")
LENGTH = Number("length", _number_or_time, "a length; expected a number, or 5min or 30s for timestamps")


def names_of(metrics: str | None, option: str = "--metrics") -> list[str] | None:
    """Return comma-separated metrics as a list, as of "f1(margin=5),pk(k=20)"."""
    if metrics is None:
        return None
    names = [name.strip() for name in re.findall(METRIC, metrics) if name.strip()]
    if not names:
        raise ValueError(f"{option} is empty; expected names of scores (segscore metrics lists them)")
    return names


def one_metric(help: str) -> Callable[[Any], Any]:
    """Return the option --metrics of a command that takes one metric."""

    def only(_: click.Context, __: click.Parameter, value: str) -> str:
        name, *others = names_of(value) or [""]
        if others:
            raise ValueError(f"--metrics has {len(others) + 1} metrics, {value}; expected one")
        return name

    return click.option(
        *("--metrics", "metric"),
        shell_complete=complete_metrics,
        callback=only,
        default="rand_index",
        show_default=True,
        help=help,
    )


def complete_metrics(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
    """Complete the last of several comma-separated names of scores."""
    last = re.findall(f"{METRIC}$", incomplete)[0]
    done = incomplete.removesuffix(last)
    return [done + name for name in ss.METRICS if name.startswith(last)]


def on_error(kept: str) -> Callable[[Any], Any]:
    """Return the option --on-error; ``kept`` says what happens to an unreadable row."""
    return click.option(
        "--on-error",
        type=click.Choice(["raise", "null"]),
        default="raise",
        show_default=True,
        help=f"Stop at cuts that cannot be read, or {kept}.",
    )


def printed_as(*names: str) -> Callable[[Any], Any]:
    """Return the option --as, which says how a result is printed; the first name is the default."""
    return click.option(
        "--as", "style", type=click.Choice(names), default=names[0], show_default=True, help="How to print the result."
    )


def echo(text: object, *, err: bool = False, nl: bool = True) -> None:
    """Print lines; control characters, for example of names in a file, are escaped on a terminal and in errors."""
    lines = str(text)
    if err or sys.stdout.isatty():
        lines = "\n".join(map(printable, lines.split("\n")))
    click.echo(lines, err=err, nl=nl, color=True)  # otherwise click removes escape codes from names in files and pipes


@contextmanager
def naming(sources: Sequence[str]) -> Iterator[None]:
    """Let an error about a table or one of its rows name the file."""
    try:
        yield
    except (ValueError, TypeError) as error:
        of_table = re.match(r"(the )?table |columns? |(runs|scores) have no column|(row \d)", str(error))
        if not of_table:
            raise
        names = ", ".join("standard input" if source == "-" else source for source in sources[:3])
        raise ValueError(f"{names}{', ...' * (len(sources) > 3)}{', ' if of_table[3] else ': '}{error}") from error


def print_unreadable(table: Any) -> None:  # noqa: ANN401
    """Say how many rows of a Polars DataFrame cannot be read, and which is the first."""
    if note := unreadable_in(table):
        echo(f"segscore: {note}", err=True)


def print_table(head: list[str], rows: list[list[str]]) -> None:
    """Print a table; if its sentences do not fit the terminal, print each row as a paragraph."""
    from rich.console import Console
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    head, *rows = ([printable(cell) for cell in row] for row in (head, *rows))
    console = Console(width=None if sys.stdout.isatty() else 160, markup=False, emoji=False)  # names may look like it
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    left = console.width - sum(widths[:-1]) - 2 * (len(widths) - 1)
    if left < NARROWEST < widths[-1]:
        for name, *facts, sentence in rows:
            console.print(Text(name, "bold"))
            named = ", ".join(f"{title} {fact}" for title, fact in zip(head[1:-1], facts, strict=True))
            console.print(*(Padding(Text(text), (0, 0, 0, 4)) for text in (sentence, named)), sep="\n")
        return
    table = Table(*head, box=None, pad_edge=False, header_style="bold")
    table.columns[0].no_wrap = not any(" " in row[0] for row in rows)  # otherwise long names would be cut
    for row in rows:
        table.add_row(*row)
    console.print(table)


def print_table_in_parts(head: list[str], rows: list[list[str]]) -> None:
    """Print a table of names and numbers, as several tables under each other if it is too wide for one."""
    from rich.console import Console

    width = Console().width if sys.stdout.isatty() else 160
    columns = list(zip(head, *rows, strict=True))
    widths = [2 + max(map(len, column)) for column in columns]
    start = 1
    while start < len(columns):
        stop = start + 1
        while stop < len(columns) and widths[0] + sum(widths[start : stop + 1]) <= width:
            stop += 1
        first, *others = zip(columns[0], *columns[start:stop], strict=True)
        print_table(list(first), [list(row) for row in others])
        start = stop


def print_csv(head: list[str], rows: list[list[str]]) -> None:
    """Print a table as CSV."""
    echo(csv_of(head, rows), nl=False)
