"""The commands for results: report, plot and demo."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Any, Literal

import click

import segscore as ss

from ..arguments import suffix
from ..boards.statistics import shown_columns
from ..optional import library
from ..optional import polars as pl
from ..outputs import aside
from ..scores.metric_text import spelled
from ..showing import count_text
from ..tables import files
from ..tables.options import lengths_in
from . import studies
from .boards import chosen_columns, policies
from .printing import (
    INTEGER,
    LENGTH,
    complete_metrics,
    echo,
    names_of,
    naming,
    on_error,
    one_metric,
    print_table,
    print_unreadable,
)
from .reading import Reading, reading

MARGIN = 5  # margin of the demo
OUT = click.Path(dir_okay=False, path_type=Path)


@click.command()
@click.argument("table", type=click.Path(exists=True, dir_okay=False, allow_dash=True))
@click.option("-o", "--out", default="report.html", show_default=True, type=OUT)
@click.option(
    "--truths",
    type=click.Path(exists=True, dir_okay=False),
    help="A table of series, change_points and annotator, or annotations of TCPDBench (.json).",
)
@click.option(
    "--metrics",
    shell_complete=complete_metrics,
    help="Comma-separated metrics; by default those in the table, or a dozen usual ones.",
)
@click.option(
    "--margin",
    type=LENGTH,
    help="The margin of f1, f1_area and all other metrics that take one; by default 5 points, or 0.5 seconds. "
    "For timestamps it is a length of time, as 5min.",
)
@policies
@click.option("--title", default="Segmentation report", show_default=True)
@click.option(
    "--seed",
    type=INTEGER,
    default=0,
    show_default=True,
    help="The seed of the random segmentations and of the folds.",
)
@on_error("leave the row out and say so on the page")
def report(
    table: str,
    out: Path,
    truths: str | None,
    metrics: str | None,
    margin: Any,  # noqa: ANN401
    failures: Any,  # noqa: ANN401
    missing: Any,  # noqa: ANN401
    lower: str | None,
    higher: str | None,
    title: str,
    seed: int,
    on_error: Literal["raise", "null"],
) -> None:
    """Write a report about a table of results, as one HTML file.

    Anyone can open the report in a browser, without a network. The table has the columns method, series, n, truth and
    pred; or method, series and scores; or method, series, n and change_points, with --truths. A column signal is drawn
    above the cuts of its series. A column duration in place of n is for cuts in seconds, and the columns truth_labels
    and pred_labels are for the labels of segments.

    \b
    segscore report runs.parquet -o report.html
    segscore report runs.parquet --truths annotations.parquet --margin 5
    """
    inputs = [source for source in (table, truths) if source not in (None, "-")]
    if files.is_among(out, inputs):
        raise ValueError(f"{out} is also an input, and would be overwritten; expected another output")
    asked = names_of(metrics)
    runs = files.read(table, scores=asked or (), on_error=on_error)
    columns = None if asked is None else chosen_columns(runs, asked, lower, higher)
    people = None if truths is None else files.read_truths(truths, on_error, *_kind_of(runs))
    with naming([table]):
        written = ss.report(
            runs,
            out,
            truths=people,
            metrics=columns,
            failures=failures,
            missing=missing,
            margin=margin,
            title=title,
            command=shlex.join(["segscore", *sys.argv[1:]]),
            sources=inputs,
            seed=seed,
            on_error=on_error,
        )
    echo(f"{written} is written ({written.stat().st_size / 1e6:.1f} MB); open it in any browser", err=True)


def _kind_of(runs: Any) -> tuple[bool | None, bool | None]:  # noqa: ANN401
    """Return whether the cuts of a table are in time, and whether they are timestamps, or None if nothing says so."""
    lengths = lengths_in(runs.columns)
    return (lengths == ("duration",), lengths == ("start", "end")) if lengths else (None, None)


OF_CUTS = ("timeline", "staircase", "pk_curve")
OF_RUNS = ("delays", "f1_curve", "label_roc", "precision_recall")
OF_SCORES = ("cost", "leaderboard", "pairs", "critical_difference", "scores", "heatmap")


@click.command()
@click.argument("chart", type=click.Choice([*OF_CUTS, *OF_RUNS, *OF_SCORES]), metavar="CHART")
@click.argument("inputs", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, allow_dash=True))
@click.option("-o", "--out", required=True, type=OUT, help="A file that ends with .html, .png, .svg or .pdf.")
@click.option(
    "--margin",
    type=LENGTH,
    help="timeline: the margin of a match, 0 by default. f1_curve: the marked margin, 5 by default. "
    "precision_recall: the margin of a match, 5 by default.",
)
@click.option("--max-delay", type=LENGTH, help="delays: the marked delay limit.")
@one_metric("Charts of scores: the metric.")
@click.option("--against", help="scores: a second metric, drawn against the first; cost: the cost, by default seconds.")
@on_error("leave the row out")
@policies
@reading
def plot(
    chart: str,
    inputs: Sequence[str],
    out: Path,
    margin: Any,  # noqa: ANN401
    max_delay: Any,  # noqa: ANN401
    metric: str,
    against: str | None,
    failures: str,
    missing: str,
    lower: str | None,
    higher: str | None,
    on_error: str,
    reader: Reading,
) -> None:
    """Draw a chart of cuts, of results or of scores.

    The charts of cuts are timeline, staircase and pk_curve. Their first file is the truth, and the other files are
    predictions, in any of the known formats. The charts of a table of results, with the columns method,
    series, truth, pred and n, are f1_curve, delays, precision_recall (with a column confidence), and label_roc (with
    the columns regions and params). The charts of a scored table are leaderboard, pairs, critical_difference, scores,
    heatmap and cost.

    \b
    segscore plot timeline truth.txt pred.txt --n 1000 -o timeline.svg
    segscore plot timeline truth.lab pred.lab -o timeline.svg
    segscore plot f1_curve runs.parquet --margin 5 -o curve.svg
    segscore plot pairs scores.parquet --metrics f1 -o pairs.svg
    segscore plot critical_difference scores.parquet --metrics f1 -o ranks.pdf
    """
    ending = suffix(out, (".html", ".png", ".svg", ".pdf"))[1:]
    draw = getattr(ss.charts, chart)
    library("vl_convert", extra="report")  # Altair needs it to save a chart
    if chart in OF_CUTS:
        if len(inputs) < 2 or (chart == "staircase" and len(inputs) > 2):
            count = "two files" if chart == "staircase" else "at least two files"
            raise ValueError(f"{chart} has {count_text(len(inputs), 'input')}; expected {count}, the truth first")
        with reader.sides([Path(name) for name in inputs]) as sides:
            length = reader.length(list(zip(inputs, sides, strict=True)))
            every = [ss.Segmentation(side, **length) for side in sides]
        truth, *preds = every if chart == "timeline" else [side.without_labels() for side in every]
        names = [click.format_filename(Path(name).stem) for name in inputs[1:]]
        if len(set(names)) < len(names):
            names = [click.format_filename(name) for name in inputs[1:]]
        shown: Any = preds[0] if chart == "staircase" else dict(zip(names, preds, strict=True))
        made = draw(truth, shown, **({"margin": margin or 0} if chart == "timeline" else {}))
    elif len(inputs) != 1:
        what = "table of results" if chart in OF_RUNS else "scored table"
        raise ValueError(f"{chart} has {count_text(len(inputs), 'input')}; expected one {what}")
    elif chart in OF_RUNS:
        table = files.read(inputs[0], on_error=on_error)
        print_unreadable(table)
        options = {"delays": {"max_delay": max_delay}, "label_roc": {}}.get(chart, {"margin": margin})
        with naming(inputs):
            made = draw(table, **{name: value for name, value in options.items() if value is not None})
    else:
        against = "seconds" if chart == "cost" and against is None else against
        names = [name for name in (metric, against) if name is not None]
        table = files.read(inputs[0], scores=names, on_error=on_error)
        print_unreadable(table)
        names = [spelled(name, table.columns) for name in names]
        columns = chosen_columns(table, names, lower, higher)
        policy: dict[str, Any] = {"failures": failures, "missing": missing}
        with naming(inputs):
            if chart == "cost":
                made = draw(table, *columns, **policy)
            elif chart == "scores":
                made = draw(table, *columns[:1], against=columns[1] if len(columns) > 1 else None)
            else:
                made = draw(ss.leaderboard(table, columns[0], **policy))
    with aside(out) as part:
        made.save(str(part), format=ending, **({"inline": True} if ending == "html" else {}))


@click.command()
@click.option("-o", "--out", default="segscore-demo.html", show_default=True, type=OUT)
@click.option("--live", is_flag=True, help="Run fewer detectors on fewer series here, in place of stored predictions.")
def demo(out: Path, live: bool) -> None:
    """Score stored predictions of detectors, and write the report.

    The predictions of the detectors of ruptures on simulated signals are part of segscore. They are scored, ranked
    and tested.

    \b
    segscore demo -o demo.html
    segscore demo --live
    """
    from rich.console import Console
    from rich.progress import track

    if live:
        table = studies.live()
    else:
        with resources.as_file(resources.files("segscore") / "study.parquet") as path:
            table = pl.read_parquet(path)
    console = Console(stderr=True)
    names = ["rand_index", "covering", "f1"]
    what = "Predictions made here just now" if live else "Stored predictions (part of segscore), scored here"
    echo(
        f"{what}: {table['method'].n_unique()} detectors of ruptures on {table['series'].n_unique()} simulated series, "
        f"{'the standard signals at two' if live else '25 signals at three'} levels of noise"
    )
    parts = list(table.partition_by("series", maintain_order=True))
    scored = pl.concat(
        ss.score(part, metrics=names, margin=MARGIN, on_error="null")
        for part in track(parts, "scoring", console=console, transient=True)
    )
    for name in names:
        board = ss.leaderboard(scored, name)
        head, _, rows = shown_columns(board)
        echo(f"\n{board.heading}")
        print_table(head, rows)
        for note in board.notes:
            echo(note)
        echo(board.differences(secondary=name != names[0]).conclusion)
    echo("")
    with console.status("writing the report"):
        written = ss.report(
            table,
            out,
            margin=MARGIN,
            title="Detectors of ruptures on simulated signals",
            command="segscore demo --live" if live else "segscore demo",
        )
    echo(f"The report is {written.resolve()}: open it in any browser.")
