"""The commands for files of segmentations: compare, metrics, matrix, consensus, convert."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

import segscore as ss

from ..files import FORMATS
from ..scores.metric_text import parsed, short_names
from ..showing import count_text, path_text
from ..tables.files import is_among
from .printing import (
    DISTANCE,
    INTEGER,
    NUMBER,
    complete_metrics,
    echo,
    names_of,
    one_metric,
    print_csv,
    print_table,
    print_table_in_parts,
    printed_as,
)
from .reading import FILE_OR_CUTS, FILES, Reading, paired, reading, without_labels

ScoresOf = Callable[[Any, Any], tuple[str, dict[str, float]]]


@click.command()
@click.argument("truth", type=FILE_OR_CUTS)
@click.argument("pred", type=FILE_OR_CUTS)
@click.option(
    "--metrics",
    shell_complete=complete_metrics,
    help="Comma-separated metrics; by default all O(r+s) metrics but delays.",
)
@click.option("--margin", type=DISTANCE, help="The margin of f1, f1_area and all other metrics that take one.")
@click.option("--no-labels", is_flag=True, help="Compare the cuts alone, and not the labels.")
@printed_as("table", "json", "csv")
@reading
def compare(
    truth: Any,  # noqa: ANN401
    pred: Any,  # noqa: ANN401
    metrics: str | None,
    margin: float | None,
    no_labels: bool,
    style: str,
    reader: Reading,
) -> None:
    """Score two files or lists of cuts.

    A file is of any format that segscore reads: .lab, .TextGrid, .jams, .rttm, .bed, .json, .csv, .parquet and others;
    docs/files.md lists them. Text with one cut per line, JSON lists of cuts and .npy may be larger than memory. A list
    holds numbers separated by commas; "" is the list without cuts. A prediction in a file that ends elsewhere is cut
    off or filled up to the end of the truth. The files of two folders are paired by their names.

    \b
    segscore compare 3,8 4,8 --n 10
    segscore compare truth.lab pred.lab --metrics "rand_index,v_measure"
    segscore compare truth.lab pred.lab --no-labels --margin 0.5
    segscore compare truths/ predictions/ --margin 0.5 --as csv
    segscore compare truth.txt pred.npy --n 1000000 --as json
    segscore compare 3,8,10 4,8,10 --ends --metrics "f1(margin=1),pk(k=2)"
    """
    left_out: dict[str, None] = {}

    def scores_of(truth: Any, pred: Any) -> tuple[str, dict[str, float]]:  # noqa: ANN401
        """Return whether the cuts are in points or in time, and their scores."""
        with reader.truth_and_pred(truth, pred) as sides:
            length = reader.length(list(zip(("truth", "pred"), sides, strict=True)))
            left, right = (without_labels(side) for side in sides) if no_labels else sides
            in_time = "duration" in length or any(getattr(side, "duration", None) is not None for side in sides)
            scores = ss.compare(left, right, **length, metrics=names_of(metrics), margin=margin)
            left_out.update(dict.fromkeys(scores.left_out))
            return "time" if in_time else "points", scores.to_dict()

    folders = [isinstance(side, Path) and side.is_dir() for side in (truth, pred)]
    if all(folders):
        _compare_folders(truth, pred, scores_of, style)
    elif any(folders):
        folder, other = (truth, pred) if folders[0] else (pred, truth)
        raise ValueError(
            f"{path_text(folder)} is a folder, but {other!s:.60} is not; expected two files or two folders"
        )
    else:
        _print_scores(scores_of(truth, pred)[1], style)
    for line in reader.changes:
        echo(line, err=True)
    if left_out:
        echo(f"{', '.join(left_out)}: left out without --margin", err=True)


def _json_numbers(scores: dict[str, float]) -> dict[str, float | str]:
    """Return scores for JSON, which has neither infinity nor nan: they become texts, as in JSON Lines."""
    return {name: value if math.isfinite(value) else str(value) for name, value in scores.items()}


def _print_scores(scores: dict[str, float], style: str) -> None:
    if style == "json":
        echo(json.dumps(_json_numbers(scores), indent=2))
    elif style == "csv":
        echo("score,value")
        for name, value in scores.items():
            echo(f"{name},{value!r}")
    else:
        margin, names = short_names([*scores])
        if margin:
            echo(margin)
        print_table(
            ["score", "value", "best", "meaning"],
            [
                [name, f"{value:.6g}", f"{known.best:g}", known.meaning]
                for name, value in zip(names, scores.values(), strict=True)
                for known, _ in [parsed(name)]
            ],
        )


def _compare_folders(truths: Path, preds: Path, scores_of: ScoresOf, style: str) -> None:
    """Print the scores of each pair of files, and their means."""
    pairs, alone = paired(truths, preds)
    found: dict[str, dict[str, float]] = {}
    kinds: dict[str, str] = {}  # the first file in points, and in time
    for name, truth, pred in pairs:
        kind, found[name] = scores_of(truth, pred)
        kinds.setdefault(kind, name)
    if len(kinds) > 1:
        raise ValueError(f"{kinds['points']} is in points, but {kinds['time']} is in time; expected one kind")
    names = list(next(iter(found.values())))
    means: dict[str, float] = {}
    for name in names:
        values = [scores[name] for scores in found.values() if not math.isnan(scores[name])]
        means[name] = math.fsum(values) / len(values) if values else math.nan
        if len(values) < len(found):
            echo(f"mean of {name}: without {count_text(len(found) - len(values), 'file')} whose score is nan", err=True)
    rows = [*found.items(), ("mean", means)]
    if style == "json":
        files = {file: _json_numbers(scores) for file, scores in found.items()}
        echo(json.dumps({"files": files, "mean": _json_numbers(means)}, indent=2))
    elif style == "csv":
        print_csv(["file", *names], [[file, *map(repr, row.values())] for file, row in rows])
    else:
        texts = [[file, *(f"{value:.4g}" for value in row.values())] for file, row in rows]
        margin, names = short_names(names)
        if margin:
            echo(margin)
        print_table_in_parts(["file", *names], texts)
    for path in alone:
        echo(f"{path_text(path)} has no file of its name in the other folder", err=True)


@click.command()
@printed_as("table", "json", "csv")
def metrics(style: str) -> None:
    """List all metrics with their bounds, cost and meaning.

    \b
    segscore metrics
    segscore metrics --as json
    """
    rows = [
        [m.name, m.family, f"{m.best:g}", f"[{m.low:g}, {m.high:g}]", "yes" if m.symmetric else "no", m.cost, m.meaning]
        for m in ss.METRICS.values()
    ]
    head = ["score", "family", "best", "bounds", "symmetric", "cost", "meaning"]
    if style == "json":
        echo(json.dumps([dict(zip(head, row, strict=True)) for row in rows], indent=2))
    elif style == "csv":
        print_csv(head, rows)
    else:
        print_table(head, rows)


@click.command()
@click.argument("paths", nargs=-1, required=True, type=FILES)
@one_metric("The metric.")
@click.option("--margin", type=DISTANCE, help="The margin of f1, f1_area and all other metrics that take one.")
@click.option("--no-labels", is_flag=True, help="Compare the cuts alone, and not the labels.")
@click.option("--threads", type=INTEGER, help="The number of threads; by default the number of cores.")
@reading
def matrix(
    paths: Sequence[Path], metric: str, margin: float | None, no_labels: bool, threads: int | None, reader: Reading
) -> None:
    """Print the matrix of a score between files of cuts, as CSV.

    The files are of any format that segscore reads. Files with several tiers give one row per tier.

    \b
    segscore matrix a.txt b.txt c.txt --n 1000 --metrics "f1(margin=5)"
    segscore matrix annotations.json --series nile --n 100
    segscore matrix song.jams
    """
    sides = reader.every(paths)
    each = [without_labels(side) if no_labels else side for _, side in sides]
    values = ss.pairwise(each, **reader.length(sides), metric=metric, margin=margin, threads=threads)
    names = [os.path.basename(name) for name, _ in sides]
    print_csv(["", *names], [[name, *map(repr, row)] for name, row in zip(names, values.tolist(), strict=True)])


@click.command()
@click.argument("paths", nargs=-1, required=True, type=FILES)
@reading
def consensus(paths: Sequence[Path], reader: Reading) -> None:
    """Print the consensus of several files of cuts.

    The files are of any format that segscore reads; labels are not used. The cuts of the consensus go to standard
    output, one per line. The distances go to standard error.

    \b
    segscore consensus a.txt b.txt c.txt --n 1000
    segscore consensus annotations.json --series nile --n 100
    segscore consensus song.jams
    """
    sides = reader.every(paths)
    found = ss.consensus([without_labels(side) for _, side in sides], **reader.length(sides))
    for cut in found.segmentation.cuts:
        echo(cut)
    unit = "pairs" if found.segmentation.duration is None else "(area of pairs of moments)"
    echo(f"distance from all inputs: {found.distance} {unit}", err=True)
    for (name, _), distance in zip(sides, found.distances, strict=True):
        echo(f"  {os.path.basename(name)}: {distance}", err=True)


@click.command()
@click.argument("source", type=click.Path(exists=True, path_type=Path))
@click.argument("target", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--to", type=click.Choice(list(FORMATS)), metavar="FORMAT", help="The format of the output, as for --format."
)
@click.option("--to-unit", type=NUMBER, help="The seconds per unit in the output: times become whole numbers of units.")
@reading
def convert(source: Path, target: Path, to: str | None, to_unit: float | None, reader: Reading) -> None:
    """Convert a file of segmentations to another format.

    What the output cannot hold, such as labels or confidences, is printed on standard error. If the output cannot hold
    the segmentations themselves, nothing is written.

    \b
    segscore convert song.lab song.parquet
    segscore convert labels.txt song.jams --gap-label silence
    segscore convert talk.TextGrid talk.rttm --tier speaker
    segscore convert domains.bed domains.csv --sizes chrom.sizes
    """
    if is_among(target, [str(source)]):
        raise ValueError(f"{target} is also the input, and would be overwritten; expected another output")
    found = reader.read(source)
    try:
        changed = found.changes
        lost = [*found.notes, *ss.write(found, target, format=to, unit=to_unit)]
    except ValueError as error:  # in the words of the options for the output
        text = str(error).replace("times with unit=", "times with to_unit=").replace("or format=", "or to=")
        raise ValueError(text) from None
    echo(f"{path_text(target)} is written: {count_text(len(found), 'segmentation')}", err=True)
    for what in changed:
        echo(f"  changed: {what}", err=True)
    for what in lost:
        echo(f"  lost: {what}", err=True)
