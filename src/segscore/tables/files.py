"""Scores for files of tables, which are streamed; an output appears when it is complete."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import IO

from .. import arguments
from ..files import read as read_segmentations
from ..files.codecs.json import is_records
from ..files.codecs.tcpdbench import read_tcpdbench
from ..files.formats import SEPARATORS, TABLES, table_format
from ..optional import polars as pl
from ..outputs import aside, resolved
from ..scores.metric_text import canonical
from .decoding import CUTS, decoded, with_cuts
from .long import Truths, with_truths
from .options import Options, length_in, lengths_in
from .scans import NAMES, TYPED, called, refuse_words, scan, scanned, spelled_numbers, stored, unreadable
from .score import free_name, scored
from .sinks import as_json, interrupted_once, sink_json_lines, with_finite_items
from .states import Notes

__all__ = ["count_rows", "holds_scores", "is_among", "read", "read_truths", "score_files"]


def score_files(
    sources: Sequence[str],
    target: Path | IO[bytes],
    options: Options,
    watch: Callable[[int], None] | None = None,
    truths: pl.DataFrame | None = None,
) -> list[str]:
    """Score all rows of several files into one file, as `score` does; return notes about rows.

    The target is a path, or an open file that receives JSON Lines. In CSV the cuts are JSON lists. ``watch`` is called
    with the number of rows of each batch. ``truths`` is a table of `read_truths`, for files with one segmentation per
    row in the column of predictions, or else in ``change_points``.
    """
    if isinstance(target, Path) and is_among(target, sources):
        raise ValueError(f"{target} is also an input, and would be overwritten; expected another output")
    with ExitStack() as stack:
        paths = [stack.enter_context(stored(source)) for source in sources]
        texts = {*CUTS, *(name for name in options.columns if name != options.length)}
        frame = scanned(sources, paths, numbers=options.columns, texts=texts)
        schema = frame.collect_schema()
        names = {"truth": options.truth, "pred": options.pred}
        own_labels = options.truth_labels
        added: list[str] = []
        if truths is not None:
            if options.pred not in schema and "change_points" in schema:
                names["pred"] = "change_points"
            columns = Truths.beside(schema.names(), "change_points", own_labels)
            frame = with_truths(frame, truths, ["series"], columns, options.in_time, options.in_dates)
            added = columns.added
            names["truth"] = columns.cuts_of_all
            own_labels = None if own_labels is None else columns.labels_of_all
        read_as: dict[str, pl.Expr] = {}
        for side, name in names.items() if not options.in_dates else ():
            cuts = decoded(name, frame.collect_schema().get(name), options.in_time)
            if cuts is not None:
                names[side] = free_name(f"_{name}", [*frame.collect_schema().names(), *read_as])
                read_as[names[side]] = cuts
        own = replace(options, truth=names["truth"], pred=names["pred"], truth_labels=own_labels)
        notes = Notes(options, lambda row: _place_of(sources, paths, row))
        result = scored(frame.with_columns(**read_as), own, notes)
        result = result.drop([*read_as, *added])
        if watch is not None:

            def watched(batch: pl.DataFrame) -> pl.DataFrame:
                watch(batch.height)
                return batch

            result = result.map_batches(watched, schema=result.collect_schema(), streamable=True)
        if not isinstance(target, Path) or table_format(target) not in TYPED:
            result = with_finite_items(result)
        if not isinstance(target, Path):
            with interrupted_once(), _whole(sources, paths):
                sink_json_lines(result, target)
            return notes.texts(options.reasons)
        written = table_format(target)
        if written in SEPARATORS:
            result = result.with_columns(as_json(name) for name, kind in schema.items() if kind.is_nested())
        part = stack.enter_context(aside(target))
        with interrupted_once(), _whole(sources, paths):
            if written == "jsonl":
                sink_json_lines(result, part)
            elif written in SEPARATORS:
                result.sink_csv(part, separator=SEPARATORS[written])
            else:
                {"parquet": result.sink_parquet, "arrow": result.sink_ipc}[written](part)
    return notes.texts(options.reasons)


@contextmanager
def _whole(sources: Sequence[str], paths: Sequence[str]) -> Iterator[None]:
    """Let an error of Polars in the data of Parquet or Arrow files name the files."""
    try:
        yield
    except pl.exceptions.ComputeError as error:
        kind = table_format(paths[0])
        if kind not in TYPED or "(os error " in str(error):  # perhaps of the output
            raise
        raise unreadable(sources, kind) from error


def _place_of(sources: Sequence[str], paths: Sequence[str], row: int) -> str:
    """Return the file of a row of all files together, and the number of the row in the file."""
    for source, path in zip(sources[:-1], paths, strict=False):
        rows = int(scan(table_format(path), [path]).select(pl.len()).collect().item())
        if row < rows:
            return f"{called(source)}, row {row}"
        row -= rows
    return f"{called(sources[-1])}, row {row}"


def is_among(target: Path, sources: Sequence[str]) -> bool:
    """Return whether a file is one of several others, under any name."""
    return any(Path(source).resolve() == resolved(target) for source in sources)


def holds_scores(target: Path, sources: Sequence[str], options: Options) -> bool:
    """Return whether an output holds the scores that are asked for, of as many rows as the inputs have.

    The rows of standard input are not counted, because they can be read only once.
    """
    wanted = {*options.names, *(("status", "error") if options.reasons else ())}

    def rows(source: str) -> int:
        with stored(source) as path:
            return int(scan(table_format(path), [path]).select(pl.len()).collect().item())

    try:
        if not wanted <= {*scanned([str(target)], [str(target)]).collect_schema()}:  # which refuses a damaged file
            return False
        return "-" in sources or rows(str(target)) == sum(map(rows, sources))
    except (ValueError, pl.exceptions.PolarsError):
        return False


def count_rows(sources: Sequence[str]) -> int | None:
    """Return the number of rows if it is known without reading them, else None."""
    if not all(source.lower().endswith(".parquet") and not Path(source).is_fifo() for source in sources):
        return None
    return int(scanned(sources, sources).select(pl.len()).collect().item())


def read(
    source: str,
    names: Sequence[str] = (),
    scores: Sequence[str] = (),
    on_error: str = "raise",
    in_time: bool | None = None,
    in_dates: bool | None = None,
) -> pl.DataFrame:
    """Return a file or standard input as a Polars DataFrame.

    ``names`` are columns of names besides the usual ones; ``scores`` are columns of scores besides those of the
    catalog. Text in a column of scores is read as numbers if every text is a number. ``on_error`` says what happens to
    cuts that cannot be read, as in `with_cuts`. ``in_time`` says whether cuts are real-valued times; by default they
    are if there is a column ``duration`` and no column ``n``. ``in_dates`` says whether they are timestamps; by default
    they are if there are columns ``start`` and ``end``, and neither ``n`` nor ``duration``.
    """
    with stored(source) as path:
        try:
            asked = {*scores, *map(canonical, scores)}
            frame = scanned([source], [path], {*NAMES, *names}, asked)
            schema = frame.collect_schema()
            if {*CUTS} & {*schema}:
                refuse_words(frame, {*lengths_in(schema)} & {"n", "duration"}, called(source))
            spelled = spelled_numbers(frame, [name for name in asked if schema.get(name) == pl.String])
            table = frame.with_columns(pl.col(name).cast(pl.Float64) for name in spelled).collect()
        except pl.exceptions.PolarsError as error:
            raise unreadable([source], table_format(path)) from error
    if in_time is None:
        in_time = length_in(table.columns) == "duration"
    if in_dates is None:
        in_dates = lengths_in(table.columns) == ("start", "end")
    return with_cuts(table, on_error, lambda row: f"{called(source)}, row {row}", in_time, in_dates)


def read_truths(
    source: str, on_error: str = "raise", in_time: bool | None = None, in_dates: bool | None = None
) -> pl.DataFrame:
    """Return a file of truths as a Polars DataFrame: series, change_points, perhaps annotator.

    The file is a table, the annotations of TCPDBench as .json, or a file of segmentations of any other format that
    `segscore.read` knows.
    """
    if Path(source).suffix.lower() == ".json" and not is_records(Path(source)):
        truths = read_tcpdbench(source)
    elif Path(source).suffix.lower() not in (*TABLES, ".json"):
        truths = _read_segmentations(source)
    else:
        truths = read(source, on_error=on_error, in_time=in_time, in_dates=in_dates)
    arguments.columns(truths.columns, ("series", "change_points"), f"{source} has", "truths")
    return truths


def _read_segmentations(source: str) -> pl.DataFrame:
    """Return a file of segmentations as a table; an error says how `segscore convert` helps."""
    try:
        found = read_segmentations(source)
    except ValueError as error:
        remedy = re.sub(
            r"\b(gap_label|overlap_label|clip|unit|tolerance|n|duration|sizes|ends)=(True)?", r"--\1", str(error)
        )
        raise ValueError(remedy.replace("_label", "-label") + "; segscore convert has these options") from None
    table: pl.DataFrame = found.to_polars()
    return table.rename({found.tiers: "annotator"}, strict=False)
