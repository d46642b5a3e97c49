"""The command line: `segscore --help`."""

from __future__ import annotations

import json
import math
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import segscore as ss

from . import files

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["main"]

HELP = {"help_option_names": ["-h", "--help"]}


class Commands(click.Group):
    """Errors are one line and a remedy, exit code 2; Ctrl-C is 130; --debug shows where it happened."""

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401
        """Run a command."""
        try:
            return super().invoke(ctx)
        except (click.ClickException, click.Abort, click.exceptions.Exit):
            raise
        except KeyboardInterrupt:
            click.echo("segscore: interrupted", err=True)
            ctx.exit(130)
        except Exception as error:
            if ctx.params.get("debug"):
                raise
            ours = isinstance(error, ValueError | TypeError | OSError | ImportError)
            remedy = "" if ours else f" ({type(error).__name__}; segscore --debug ... shows where)"
            click.echo(f"segscore: {_one_line(error)}{remedy}", err=True)
            ctx.exit(2)


@click.group(cls=Commands, context_settings=HELP)
@click.version_option(ss.__version__, prog_name="segscore")
@click.option("--debug", is_flag=True, help="Show the trace of an error.")
def main(debug: bool) -> None:
    """How good is a segmentation? Every score, exact, from the cuts alone.

    \b
    segscore compare truth.txt pred.txt --n 1000
    segscore score runs.parquet -o scores.parquet --metrics rand_index,f1 --margin 5
    segscore metrics
    """


@main.command()
@click.argument("truth", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("pred", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--n", type=int, help="The length. Without it both files must end with it.")
@click.option("--metrics", help="Names of scores, with commas; all by default.")
@click.option("--margin", type=float, help="For precision, recall and f1.")
@click.option("--format", "style", type=click.Choice(["table", "json", "csv"]), default="table", show_default=True)
def compare(truth: Path, pred: Path, n: int | None, metrics: str | None, margin: float | None, style: str) -> None:
    """Score two files of cuts: text with one a line, a JSON list, or .npy, of any size.

    \b
    segscore compare truth.txt pred.npy --n 1000000 --format json
    """
    with read_cuts(truth) as left, read_cuts(pred) as right:
        scores = ss.compare(left, right, n=n, metrics=_names(metrics), margin=margin).to_dict()
    if style == "json":
        click.echo(
            json.dumps({name: value if math.isfinite(value) else None for name, value in scores.items()}, indent=2)
        )
    elif style == "csv":
        click.echo("score,value")
        for name, value in scores.items():
            click.echo(f"{name},{value!r}")
    else:
        _print_table(
            ["score", "value", "best", "meaning"],
            [
                [name, f"{value:.6g}", f"{ss.METRICS[name].best:g}", ss.METRICS[name].meaning]
                for name, value in scores.items()
            ],
        )


@main.command()
@click.option("--format", "style", type=click.Choice(["table", "json", "csv"]), default="table", show_default=True)
def metrics(style: str) -> None:
    """List all scores: family, best value, bounds, symmetry, cost and meaning."""
    rows = [
        [m.name, m.family, f"{m.best:g}", f"[{m.low:g}, {m.high:g}]", "yes" if m.symmetric else "no", m.cost, m.meaning]
        for m in ss.METRICS.values()
    ]
    head = ["score", "family", "best", "bounds", "symmetric", "cost", "meaning"]
    if style == "json":
        click.echo(json.dumps([dict(zip(head, row, strict=True)) for row in rows], indent=2))
    elif style == "csv":
        _print_csv(head, rows)
    else:
        _print_table(head, rows)


@main.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--n", type=int, required=True, help="The length of all of them.")
@click.option("--metric", default="rand_index", show_default=True)
@click.option("--margin", type=float, help="For precision, recall and f1.")
@click.option("--threads", type=int, help="By default the number of cores.")
def matrix(paths: Sequence[Path], n: int, metric: str, margin: float | None, threads: int | None) -> None:
    """Print the matrix of a score between all files of cuts, as CSV."""
    sides = [_loaded(path) for path in paths]
    values = ss.pairwise(sides, n=n, metric=metric, margin=margin, threads=threads)
    names = [path.name for path in paths]
    _print_csv(["", *names], [[name, *map(repr, row)] for name, row in zip(names, values.tolist(), strict=True)])


@main.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--n", type=int, required=True, help="The length of all of them.")
def consensus(paths: Sequence[Path], n: int) -> None:
    """Print the cuts of the consensus of several files of cuts, one a line; the distances go to standard error."""
    found = ss.consensus([_loaded(path) for path in paths], n=n)
    for cut in found.segmentation.cuts:
        click.echo(cut)
    click.echo(f"disagreement with all: {found.distance} pairs", err=True)
    for path, distance in zip(paths, found.distances, strict=True):
        click.echo(f"  {path.name}: {distance}", err=True)


@main.command()
@click.argument("inputs", nargs=-1, required=True)
@click.option("-o", "--out", required=True, help="A file (.parquet, .csv, .jsonl), a folder, or - for JSON Lines.")
@click.option("--truth", default="truth", show_default=True, help="The column of true cuts.")
@click.option("--pred", default="pred", show_default=True, help="The column of predicted cuts.")
@click.option("--n", default="n", show_default=True, help="The column of lengths, or one length.")
@click.option("--metrics", help="Names of scores, with commas; all by default.")
@click.option("--margin", type=float, help="For precision, recall and f1.")
@click.option("--relative-margin", type=float, help="The same, as a share of n.")
@click.option("--on-error", type=click.Choice(["raise", "null"]), default="raise", show_default=True)
@click.option("--threads", type=int, help="By default the number of cores.")
@click.option("--resume", is_flag=True, help="Skip inputs whose output is there already.")
def score(
    inputs: Sequence[str],
    out: str,
    truth: str,
    pred: str,
    n: str,
    metrics: str | None,
    margin: float | None,
    relative_margin: float | None,
    on_error: str,
    threads: int | None,
    resume: bool,
) -> None:
    """Score every row of tables: Parquet, CSV, JSON Lines, globs, or - for standard input.

    Tables are streamed, so their size does not matter. An output appears when it is complete. With a folder as output
    there is one for each input, else all inputs go into one. In CSV the cuts are JSON lists: "[3, 8]".

    \b
    segscore score runs.parquet -o scores.parquet --metrics rand_index,covering,f1 --margin 5
    segscore score 'results/*.csv' -o scored/ --on-error null --resume
    """
    options = {
        "truth": truth,
        "pred": pred,
        "n": int(n) if n.isdigit() else n,
        "metrics": _names(metrics),
        "margin": margin,
        "relative_margin": relative_margin,
        "on_error": on_error,
        "threads": threads,
    }
    found = _expanded(inputs)
    if out != "-" and (out.endswith(("/", os.sep)) or Path(out).is_dir()):
        folder = Path(out)
        folder.mkdir(parents=True, exist_ok=True)
        jobs: list[tuple[list[str], Path | None]] = [([file], folder / Path(file).name) for file in found]
        if len({target for _, target in jobs}) < len(jobs):
            raise ValueError("two inputs have one name; expected different names for one output folder")
    else:
        jobs = [(found, None if out == "-" else Path(out))]
    for sources, target in jobs:
        if resume and target is not None and target.exists():
            click.echo(f"segscore: {target} is there already, skipped", err=True)
            continue
        _score_files(sources, target, options)


def _score_files(sources: list[str], target: Path | None, options: dict[str, Any]) -> None:
    with _progress(sources) as watch:
        files.score_files(sources, sys.stdout.buffer if target is None else target, options, watch)


@contextmanager
def _progress(sources: list[str]) -> Iterator[Callable[[int], None] | None]:
    """Give a function that counts rows on a bar, with rate and time left, if somebody is looking."""
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
    """Return the files that are meant, globs expanded in order."""
    import glob

    expanded: list[str] = []
    for given in inputs:
        found = [given] if given == "-" or Path(given).exists() else sorted(glob.glob(given, recursive=True))
        if not found:
            raise ValueError(f"{given} is no file; expected a table (.parquet, .csv, .jsonl), a glob, or -")
        expanded += found
    return expanded


@main.command()
@click.argument("scores", type=click.Path(exists=True, dir_okay=False))
@click.option("--by", default="method", show_default=True, help="The column to group by.")
@click.option("--series", default="series", show_default=True, help="The column over which ranks are taken.")
@click.option("--metrics", help="Columns of scores, with commas; by default all that are scores.")
@click.option(
    "--format", "style", type=click.Choice(["markdown", "latex", "csv"]), default="markdown", show_default=True
)
@click.option("--seed", type=int, default=0, show_default=True, help="Of the bootstrap.")
def summary(scores: str, by: str, series: str, metrics: str | None, style: str, seed: int) -> None:
    """Summarise scored tables: mean with a 95 % bootstrap interval, median, mean rank and failures of each method.

    \b
    segscore summary scores.parquet --by method --metrics f1,covering --format latex
    """
    import numpy as np

    pl = files.polars()
    table = files.read(scores)
    names = _names(metrics) or [name for name in table.columns if name in ss.METRICS]
    for name in (by, *names):
        if name not in table.columns:
            raise ValueError(f"{scores} has no column {name!r}; it has {', '.join(table.columns)}")
    if not names:
        raise ValueError(f"{scores} has no column of scores; expected --metrics, or a table that segscore scored")
    rows: list[list[str]] = []
    rng = np.random.default_rng(seed)
    for name in names:
        known = ss.METRICS.get(name)
        rising = known is None or known.best > known.low
        ranked = table.with_columns(pl.col(name).fill_nan(None))
        if series in table.columns:
            ranks = pl.col(name).rank("average", descending=rising).over(series)
            ranked = ranked.with_columns(_rank=ranks)
        groups = {}
        for (group,), part in ranked.group_by(by, maintain_order=True):
            groups[group] = part
        order = sorted(groups, key=lambda g: (groups[g][name].mean() is None, -(groups[g][name].mean() or 0)))
        for group in order if rising else order[::-1]:
            values = groups[group][name].drop_nulls().to_numpy()
            failures = str(groups[group].height - values.size)
            rank = groups[group]["_rank"].mean() if series in table.columns else None
            if values.size == 0:
                rows.append([name, str(group), "", "", "", "", failures])
                continue
            with np.errstate(invalid="ignore"):  # infinite distances have no interval
                drawn = (values[rng.integers(0, values.size, values.size)].mean() for _ in range(1000))
                low, high = np.quantile(np.fromiter(drawn, float), [0.025, 0.975])
            rows.append(
                [
                    name,
                    str(group),
                    f"{values.mean():.4f}",
                    f"{low:.4f} to {high:.4f}",
                    f"{np.median(values):.4f}",
                    "" if rank is None else f"{rank:.2f}",
                    failures,
                ]
            )
    head = ["score", by, "mean", "95 % interval", "median", "mean rank", "failures"]
    if style == "csv":
        _print_csv(head, rows)
    elif style == "latex":
        click.echo("\\begin{tabular}{ll" + "r" * 5 + "}")
        for line in (head, *rows):
            click.echo(" & ".join(cell.translate(_LATEX) for cell in line) + r" \\")
        click.echo("\\end{tabular}")
    else:
        click.echo("| " + " | ".join(head) + " |")
        click.echo("|" + "---|" * len(head))
        for line in rows:
            click.echo("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |")


_LATEX = str.maketrans({"_": r"\_", "%": r"\%", "&": r"\&", "#": r"\#", "$": r"\$"})


@contextmanager
def read_cuts(file: Path) -> Iterator[NDArray[np.int64]]:
    """Give the cuts of a file as an array that lies on disk: a .npy itself, of a text a copy that is gone later."""
    import numpy as np

    if file.suffix == ".npy":
        yield np.load(file, mmap_mode="r")
        return
    if file.suffix == ".json":
        yield np.asarray(json.loads(file.read_text()))
        return
    with tempfile.NamedTemporaryFile(prefix="segscore-", suffix=".cuts") as copy:
        with file.open() as lines:
            for number, block in _blocks(lines):
                _integers(block, file.name, number).tofile(copy)
        copy.flush()
        size = os.path.getsize(copy.name)
        yield np.memmap(copy.name, dtype=np.int64, mode="r") if size else np.empty(0, dtype=np.int64)


def _integers(words: list[str], name: str, line: int) -> NDArray[np.int64]:
    import numpy as np

    try:
        return np.array(words, dtype=np.int64)
    except (ValueError, OverflowError):
        wrong = next((word for word in words if not word.lstrip("+-").isdigit() or len(word) > 18), words[0])
        raise ValueError(f"{name}, from line {line} on: {wrong!r:.40} is no cut; expected one integer a line") from None


def _blocks(lines: Any, size: int = 1 << 16) -> Iterator[tuple[int, list[str]]]:  # noqa: ANN401
    """Yield (number of the first line, words) of so many lines at a time."""
    start, block = 1, []
    for number, line in enumerate(lines, 1):
        block += line.split()
        if number - start + 1 == size:
            yield start, block
            start, block = number + 1, []
    if block:
        yield start, block


def _loaded(file: Path) -> NDArray[np.int64]:
    import numpy as np

    with read_cuts(file) as cuts:
        return np.array(cuts)


def _names(metrics: str | None) -> list[str] | None:
    return None if metrics is None else [name.strip() for name in metrics.split(",") if name.strip()]


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__


def _print_table(head: list[str], rows: list[list[str]]) -> None:
    """Print a table as wide as the terminal."""
    from rich.console import Console
    from rich.table import Table

    table = Table(*head, box=None, pad_edge=False, header_style="bold")
    for row in rows:
        table.add_row(*row)
    Console(width=None if sys.stdout.isatty() else 160).print(table)


def _print_csv(head: list[str], rows: list[list[str]]) -> None:
    import csv

    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(rows)
