"""The command for tables: score."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import click

from ..outputs import is_aside
from ..segmentation.timestamps import EPOCH
from ..tables import files
from ..tables.options import Options
from ..tables.times import times_of_texts
from .printing import INTEGER, LENGTH, NUMBER, complete_metrics, echo, names_of, naming


@click.command()
@click.argument("inputs", nargs=-1, required=True, type=click.Path(allow_dash=True))
@click.option("-o", "--out", required=True, help="A file (.parquet, .csv, .jsonl), a folder, or - to print JSON Lines.")
@click.option("--truth", default="truth", show_default=True, help="The column of true cuts.")
@click.option("--pred", default="pred", show_default=True, help="The column of predicted cuts.")
@click.option(
    "--truths",
    type=click.Path(exists=True, dir_okay=False),
    help="A table of series, change_points and annotator, or annotations of TCPDBench (.json).",
)
@click.option("--truth-labels", metavar="COLUMN", help="The column of the labels of the true segments.")
@click.option("--pred-labels", metavar="COLUMN", help="The column of the labels of the predicted segments.")
@click.option("--n", default="n", show_default=True, help="The column of lengths, or one length.")
@click.option("--duration", help="In place of --n for cuts in real-valued time: a column, or one number.")
@click.option("--start", help="With --end in place of --n for timestamps: a column, or one time as 2024-05-01.")
@click.option("--end", help="The end of timestamps: a column, or one time.")
@click.option("--ends", is_flag=True, help="Every list ends with the length, as in ruptures.")
@click.option(
    "--metrics",
    shell_complete=complete_metrics,
    help="Comma-separated metrics; by default all O(r+s) metrics but delays.",
)
@click.option(
    "--margin",
    type=LENGTH,
    help="The margin of f1, f1_area and all other metrics that take one; 5min for timestamps.",
)
@click.option("--relative-margin", type=NUMBER, help="The margin as a share of the length.")
@click.option(
    "--on-error",
    type=click.Choice(["raise", "null"]),
    default="raise",
    show_default=True,
    help="Stop at a bad row, or give the row null scores.",
)
@click.option(
    "--against",
    type=click.Choice(["all", "others"]),
    default="all",
    show_default=True,
    help="Score against all annotators, or leave out each annotator in turn and take the mean.",
)
@click.option("--threads", type=INTEGER, help="The number of threads; by default the number of cores.")
@click.option("--resume", is_flag=True, help="Skip inputs whose output exists and holds these scores of all rows.")
def score(
    inputs: Sequence[str],
    out: str,
    truth: str,
    pred: str,
    truths: str | None,
    truth_labels: str | None,
    pred_labels: str | None,
    n: str,
    duration: str | None,
    start: str | None,
    end: str | None,
    ends: bool,
    metrics: str | None,
    margin: Any,  # noqa: ANN401
    relative_margin: float | None,
    on_error: str,
    against: str,
    threads: int | None,
    resume: bool,
) -> None:
    """Score every row of tables.

    Inputs are Parquet, CSV or JSON Lines files, patterns such as '*.csv', or - for standard input. Tables may be larger
    than memory. If the output is a folder, each input gets a file in the folder; otherwise all inputs are written to
    one file. An output file appears only when it is complete. --resume compares names of scores and numbers of rows;
    it does not see that an input has changed. In CSV files the cuts are texts like
    "[3, 8]", and labels are texts like '["A", "B", "A"]', one label per segment. With --truths, every row has the
    column series and one segmentation, in pred or change_points, and --truth-labels is a column of the truths.

    \b
    segscore score runs.parquet -o scores.parquet --metrics covering,f1 --margin 5
    segscore score 'results/*.csv' -o scored/ --on-error null --resume
    segscore score runs.csv --truths annotations.json -o scores.csv --margin 5
    segscore score songs.csv -o out.csv --duration seconds --truth-labels sections
    segscore score week.jsonl -o out.csv --start start --end end --margin 5min
    """
    options = Options(
        truth=truth,
        pred=pred,
        n=int(n) if re.fullmatch("-?[0-9]+", n) else n,
        duration=_column_or_number(duration),
        start=_name_or_time(start),
        end=_name_or_time(end),
        truth_labels=truth_labels,
        pred_labels=pred_labels,
        metrics=names_of(metrics),
        margin=margin,
        relative_margin=relative_margin,
        ends=ends,
        on_error=on_error,
        threads=threads,
        against=against,
    )
    found = _expanded(inputs)
    if threads is not None:  # Polars reads this when it is imported, which happens later
        os.environ.setdefault("POLARS_MAX_THREADS", str(max(1, threads)))
    if out != "-" and (out.endswith(("/", os.sep)) or Path(out).is_dir()):
        folder = Path(out)
        if "-" in found:
            raise ValueError(f"standard input has no name for a file in {out}; expected a file as output")
        folder.mkdir(parents=True, exist_ok=True)
        jobs: list[tuple[list[str], Path | None]] = [([file], folder / Path(file).name) for file in found]
        if len({target for _, target in jobs}) < len(jobs):
            raise ValueError("two inputs have the same name; expected different names in one output folder")
    else:
        jobs = [(found, None if out == "-" else Path(out))]
    people = None if truths is None else files.read_truths(truths, in_time=options.in_time, in_dates=options.in_dates)
    for sources, target in jobs:
        if resume and target is not None and target.is_file() and not files.is_among(target, sources):
            if files.holds_scores(target, sources, options):
                echo(f"segscore: {target} exists, skipped", err=True)
                continue
            echo(f"segscore: {target} exists, but does not hold these scores of all rows; scored again", err=True)
        with _progress(sources) as watch, naming(sources):
            output = sys.stdout.buffer if target is None else target
            notes = files.score_files(sources, output, options, watch, people)
        for note in notes:
            echo(f"segscore: {note}", err=True)


def _column_or_number(text: str | None) -> str | float | None:
    """Return a text that is a number as a number; other texts are names of columns."""
    try:
        return None if text is None else float(text)
    except ValueError:
        return text


def _name_or_time(text: str | None) -> str | datetime | None:
    """Return a text that is a time in ISO 8601 as a time; other texts are names of columns."""
    (count,), _, is_aware, problems = times_of_texts([text], "start")
    if text is None or problems:
        return text
    return EPOCH.replace(tzinfo=timezone.utc if is_aware else None) + timedelta(microseconds=count)


@contextmanager
def _progress(sources: list[str]) -> Iterator[Callable[[int], None] | None]:
    """Give a function that counts rows on a progress bar, if standard error is a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    rate = TextColumn("{task.fields[rate]}")
    columns = TextColumn("{task.completed:,.0f} rows"), BarColumn(), rate, TimeRemainingColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=files.count_rows(sources), rate="")

        def watch(rows: int) -> None:
            speed = bar.tasks[task].speed
            bar.update(task, advance=rows, rate=f"{speed:,.0f} rows/s" if speed else "")

        yield watch


def _expanded(inputs: Sequence[str]) -> list[str]:
    """Return the input files, with globs expanded in order."""
    import glob

    expanded: list[str] = []
    for given in inputs:
        if given == "-" or Path(given).exists():
            expanded.append(given)
            continue
        found = [file for file in sorted(glob.glob(given, recursive=True)) if not is_aside(file)]
        if not found:
            raise ValueError(f"{given} is not a file; expected a table (.parquet, .csv, .jsonl), a glob, or -")
        expanded += found
    return expanded
