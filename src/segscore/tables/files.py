"""Scores for files of tables, which are streamed; an output appears when it is complete."""

from __future__ import annotations

import glob
import json
import os
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

from ..files import read as read_segmentations
from ..files import tcpdbench_records
from ..files.arrow import refuse_damaged
from ..files.json import is_records, texts_of_records
from ..optional import library
from ..outputs import aside, check_name, resolved
from ..scores.metric_text import canonical, metric_of
from .damage import SEPARATORS, refuse_damaged_text, refuse_long_lines, refuse_repeated_keys, text_lines
from .decoding import CUTS, decoded, with_cuts
from .long import Truths, with_truths
from .options import Options, length_in, lengths_in
from .score import free_name, scored
from .states import Notes

__all__ = ["count_rows", "format_of", "holds_scores", "is_among", "read", "read_truths", "score_files"]

FORMATS = {
    ".parquet": "parquet",
    ".arrow": "arrow",
    ".csv": "csv",
    ".tsv": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
}
TYPED = ("parquet", "arrow")  # formats that store the types of columns
NAMES = ("series", "method", "annotator", "params", "dataset")  # columns of names, which stay text
NUMBERS = ("truth", "pred", "change_points", "signal", "n", "duration")  # columns of numbers besides the scores


def score_files(
    sources: Sequence[str],
    target: Path | IO[bytes],
    options: Options,
    watch: Callable[[int], None] | None = None,
    truths: Any = None,  # noqa: ANN401
) -> list[str]:
    """Score all rows of several files into one file, as `score` does; return notes about rows.

    The target is a path, or an open file that receives JSON Lines. In CSV the cuts are JSON lists. ``watch`` is called
    with the number of rows of each batch. ``truths`` is a table of `read_truths`, for files with one segmentation per
    row in the column of predictions, or else in ``change_points``.
    """
    pl = library("polars")
    if isinstance(target, Path) and is_among(target, sources):
        raise ValueError(f"{target} is also an input, and would be overwritten; expected another output")
    with ExitStack() as stack:
        paths = [stack.enter_context(_stored(source)) for source in sources]
        texts = {*CUTS, *(name for name in options.columns if name != options.length)}
        frame = _scanned(sources, paths, numbers=options.columns, texts=texts)
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
        read_as: dict[str, Any] = {}
        for side, name in names.items() if not options.in_dates else ():
            cuts = decoded(pl, name, frame.collect_schema().get(name), options.in_time)
            if cuts is not None:
                names[side] = free_name(f"_{name}", [*frame.collect_schema().names(), *read_as])
                read_as[names[side]] = cuts
        own = replace(options, truth=names["truth"], pred=names["pred"], truth_labels=own_labels)
        notes = Notes(options, lambda row: _place_of(sources, paths, row))
        result = scored(frame.with_columns(**read_as), own, notes)
        result = result.drop([*read_as, *added])
        if watch is not None:

            def watched(batch: Any) -> Any:  # noqa: ANN401
                watch(batch.height)
                return batch

            result = result.map_batches(watched, schema=result.collect_schema(), streamable=True)
        if not isinstance(target, Path) or format_of(target) not in TYPED:
            result = _with_finite_items(pl, result)
        if not isinstance(target, Path):
            with _interrupted_once():
                _sink_json_lines(pl, result, target)
            return notes.texts(options.reasons)
        written = format_of(target)
        if written in SEPARATORS:
            result = result.with_columns(_as_json(pl, name) for name, kind in schema.items() if kind.is_nested())
        part = stack.enter_context(aside(target))
        with _interrupted_once():
            if written == "jsonl":
                _sink_json_lines(pl, result, part)
            elif written in SEPARATORS:
                result.sink_csv(part, separator=SEPARATORS[written])
            else:
                {"parquet": result.sink_parquet, "arrow": result.sink_ipc}[written](part)
    return notes.texts(options.reasons)


@contextmanager
def _interrupted_once() -> Iterator[None]:
    """Raise exactly one KeyboardInterrupt for Ctrl-C.

    Polars raises one of its own, or raises what a score in one of its threads raised, and Python's own interrupt stays
    pending.
    """
    try:
        yield
    except BaseException:
        time.sleep(0)  # lets Python raise a pending interrupt here
        raise


def _place_of(sources: Sequence[str], paths: Sequence[str], row: int) -> str:
    """Return the file of a row of all files together, and the number of the row in the file."""
    pl = library("polars")
    for source, path in zip(sources[:-1], paths, strict=False):
        rows = int(_scan(pl, format_of(path), [path]).select(pl.len()).collect().item())
        if row < rows:
            return f"{_called(source)}, row {row}"
        row -= rows
    return f"{_called(sources[-1])}, row {row}"


def is_among(target: Path, sources: Sequence[str]) -> bool:
    """Return whether a file is one of several others, under any name."""
    return any(Path(source).resolve() == resolved(target) for source in sources)


def holds_scores(target: Path, sources: Sequence[str], options: Options) -> bool:
    """Return whether an output holds the scores that are asked for, of as many rows as the inputs have.

    The rows of standard input are not counted, because they can be read only once.
    """
    pl = library("polars")
    wanted = {*options.names, *(("status", "error") if options.reasons else ())}

    def rows(source: str) -> int:
        with _stored(source) as path:
            return int(_scan(pl, format_of(path), [path]).select(pl.len()).collect().item())

    try:
        if not wanted <= {*_scanned([str(target)], [str(target)]).collect_schema()}:  # which refuses a damaged file
            return False
        return "-" in sources or rows(str(target)) == sum(map(rows, sources))
    except (ValueError, pl.exceptions.PolarsError):
        return False


def count_rows(sources: Sequence[str]) -> int | None:
    """Return the number of rows if it is known without reading them, else None."""
    if not all(source.lower().endswith(".parquet") for source in sources):
        return None
    pl = library("polars")
    return int(_scanned(sources, sources).select(pl.len()).collect().item())


def read(
    source: str,
    names: Sequence[str] = (),
    scores: Sequence[str] = (),
    on_error: str = "raise",
    in_time: bool | None = None,
    in_dates: bool | None = None,
) -> Any:  # noqa: ANN401
    """Return a file or standard input as a Polars DataFrame.

    ``names`` are columns of names besides the usual ones; ``scores`` are columns of scores besides those of the
    catalog. Text in a column of scores is read as numbers if every text is a number. ``on_error`` says what happens to
    cuts that cannot be read, as in `with_cuts`. ``in_time`` says whether cuts are real-valued times; by default they
    are if there is a column ``duration`` and no column ``n``. ``in_dates`` says whether they are timestamps; by default
    they are if there are columns ``start`` and ``end``, and neither ``n`` nor ``duration``.
    """
    pl = library("polars")
    with _stored(source) as path:
        try:
            asked = {*scores, *map(canonical, scores)}
            frame = _scanned([source], [path], {*NAMES, *names}, asked)
            schema = frame.collect_schema()
            spelled = _spelled_numbers(pl, frame, [name for name in asked if schema.get(name) == pl.String])
            table = frame.with_columns(pl.col(name).cast(pl.Float64) for name in spelled).collect()
        except pl.exceptions.PolarsError as error:
            raise ValueError(f"{_called(source)} cannot be read; expected one type per column") from error
    if in_time is None:
        in_time = length_in(table.columns) == "duration"
    if in_dates is None:
        in_dates = lengths_in(table.columns) == ("start", "end")
    return with_cuts(table, on_error, lambda row: f"{_called(source)}, row {row}", in_time, in_dates)


def read_truths(source: str, on_error: str = "raise", in_time: bool | None = None, in_dates: bool | None = None) -> Any:  # noqa: ANN401
    """Return a file of truths as a Polars DataFrame: series, change_points, perhaps annotator.

    The file is a table, the annotations of TCPDBench as .json, or a file of segmentations of any other format that
    `segscore.read` knows.
    """
    if Path(source).suffix.lower() == ".json" and not is_records(Path(source)):
        truths = tcpdbench_records.read(source)
    elif Path(source).suffix.lower() not in (*FORMATS, ".json"):
        truths = _read_segmentations(source)
    else:
        truths = read(source, on_error=on_error, in_time=in_time, in_dates=in_dates)
    for name in ("series", "change_points"):
        if name not in truths.columns:
            raise ValueError(f"{source} has no column {name!r}; it has {', '.join(truths.columns)}; expected truths")
    return truths


def _read_segmentations(source: str) -> Any:  # noqa: ANN401
    """Return a file of segmentations as a table; an error says how `segscore convert` helps."""
    try:
        found = read_segmentations(source)
    except ValueError as error:
        remedy = re.sub(
            r"\b(gap_label|overlap_label|clip|unit|tolerance|n|duration|sizes|ends)=(True)?", r"--\1", str(error)
        )
        raise ValueError(remedy.replace("_label", "-label") + "; segscore convert has these options") from None
    return found.to_polars().rename({found.tiers: "annotator"}, strict=False)


def format_of(name: str | Path) -> str:
    """Return the format of a file, given by the end of its name."""
    check_name(name)
    suffix = Path(name).suffix.lower()
    if suffix not in FORMATS:
        raise ValueError(f"{name} ends with {suffix or 'nothing'!r}; expected {', '.join(FORMATS)}")
    return FORMATS[suffix]


@contextmanager
def _stored(source: str) -> Iterator[str]:
    """Give the path of a file; standard input and a JSON list of records become temporary files."""
    if source.lower().endswith(".json"):
        with tempfile.NamedTemporaryFile(prefix="segscore-", suffix=".jsonl") as file:
            file.writelines(f"{text}\n".encode() for text in texts_of_records(Path(source)))
            file.flush()
            yield file.name
        return
    if source != "-":
        yield source
        return
    if sys.stdin is None:
        raise OSError("standard input is closed; expected a table in a file or from a pipe")
    head = sys.stdin.buffer.read(4)
    suffix = ".parquet" if head == b"PAR1" else ".jsonl" if head.lstrip()[:1] in (b"{", b"") else ".csv"
    with tempfile.NamedTemporaryFile(prefix="segscore-", suffix=suffix) as file:
        file.write(head)
        shutil.copyfileobj(sys.stdin.buffer, file, 1 << 20)
        file.flush()
        yield file.name


def _scanned(
    sources: Sequence[str],
    paths: Sequence[str],
    names: Collection[str] = NAMES,
    numbers: Collection[str] = (),
    texts: Collection[str] = CUTS,
) -> Any:  # noqa: ANN401
    """Return one LazyFrame of several files that have the same columns.

    Columns of names are text, so that methods 1.1 and 1.10 are different. In CSV only lengths, scores and ``numbers``
    may be numbers; all other columns are text, which is kept as it is, and so are the columns of cuts, ``texts``. The
    types of numbers are inferred from the whole file, because a column that starts with integers may hold real numbers
    later. Infinities and nan are text in JSON Lines; in scores they become numbers again.
    """
    pl = library("polars")
    known = {*NUMBERS, *numbers} - {*names}
    formats = [format_of(path) for path in paths]
    columns: dict[str, Any] = {}
    spelled: dict[str, Any] = {}  # scores that are read as text
    for source, path, kind in zip(sources, paths, formats, strict=True):
        if kind in TYPED:
            _refuse_damaged(source, path, kind)
        else:
            refuse_long_lines(path, _called(source))
        if kind in SEPARATORS:
            refuse_damaged_text(pl, path, kind, _called(source))
        try:
            frame = _scan(pl, kind, [path])
            found = dict(frame.collect_schema())
            if kind not in TYPED:
                scores = [name for name in found if metric_of(name) and name not in names]
                kept = {*known, *scores} - {*texts} if kind in SEPARATORS else {*found} - {*names}
                found |= {name: pl.String for name in found if name not in kept and not found[name].is_nested()}
                words = _spelled_numbers(pl, frame, [name for name in scores if found[name] == pl.String])
                found |= dict.fromkeys(words, pl.Float64)
                spelled |= dict.fromkeys(words, pl.String)
        except pl.exceptions.PolarsError as error:
            if kind == "jsonl":
                refuse_damaged_text(pl, path, kind, _called(source))
            raise ValueError(f"{_called(source)} cannot be read as {kind}; expected one type per column") from error
        if kind == "jsonl":
            refuse_repeated_keys(pl, path, _called(source), found)
        both = _merged(pl, columns or found, found)
        if both is None or (kind in TYPED and both != found):
            raise ValueError(
                f"{_called(source)} has the columns {_described(found)}, but {_called(sources[0])} has "
                f"{_described(columns)}; expected the same in all, or a folder as output"
            )
        columns = both
    rounded = [k for k, v in columns.items() if k not in known and not metric_of(k) and _has_reals(pl, v)]
    for source, path, kind in zip(sources, paths, formats, strict=True):
        if kind == "jsonl":
            _refuse_changed_numbers(pl, source, path, [name for name in names if name in columns], rounded)
    stored = {**columns, **spelled}
    if len(set(formats)) == 1:  # with one scan per file, Polars would read all files ahead at once
        frames = [_scan(pl, formats[0], paths, stored)]
    else:
        frames = [_scan(pl, kind, [path], stored) for path, kind in zip(paths, formats, strict=True)]
    return pl.concat([frame.with_columns(pl.col(*spelled).cast(pl.Float64)) if spelled else frame for frame in frames])


def _refuse_damaged(source: str, path: str, kind: str) -> None:
    """Raise for a damaged file, or for a folder with one: Polars may end the process for it."""
    if not os.path.isdir(path):
        refuse_damaged(Path(path), kind, _called(source))
        return
    for file in sorted(Path(path).rglob(f"*.{kind}")):
        if not file.name.startswith("."):  # hidden files are unfinished outputs of other runs
            refuse_damaged(file, kind, str(file))


def _spelled_numbers(pl: Any, frame: Any, names: Sequence[str]) -> list[str]:  # noqa: ANN401
    """Return the text columns that hold only numbers, including infinities and nan."""
    words = [
        (pl.col(name).cast(pl.Float64, strict=False).is_null() & pl.col(name).is_not_null()).any() for name in names
    ]
    return (
        [name for name, is_text in frame.select(words).collect().row(0, named=True).items() if not is_text]
        if names
        else []
    )


class _Real(str):
    """A real number as JSON spells it."""

    __slots__ = ()


def _refuse_changed_numbers(pl: Any, source: str, path: str, names: Sequence[str], reals: Sequence[str]) -> None:  # noqa: ANN401
    """Refuse JSON Lines with numbers that Polars would change when it reads them.

    Polars would write the name 1.10 as 1.1, and would round an integer of 2**53 or more in a column of real numbers.
    The lines that may hold such a number are found as text, and only these lines are decoded.
    """

    def wrong(line: str) -> str | None:
        row = {}
        with suppress(ValueError):
            row = json.loads(line, parse_float=_Real)
        for name in names:
            if isinstance(row.get(name), _Real):
                return (
                    f"column {name!r} holds the real number {row[name]}, but a name must be exact; expected text: "
                    f'write "{row[name]}"'
                )
        for name in reals:
            for value in _items(row.get(name)):
                if isinstance(value, int) and abs(value) >= 2**53:
                    return (
                        f"column {name!r} holds {value} beside real numbers, and would be rounded; expected text: "
                        f'write "{value}", or use Parquet'
                    )
        return None

    keys = {name: pl.escape_regex(json.dumps(name, ensure_ascii=False)) for name in (*names, *reals)}
    patterns = [rf"[{{,]\s*{keys[name]}\s*:\s*-?[0-9]+[.eE]" for name in names]
    patterns += [rf"[{{,]\s*{keys[name]}\s*:\s*([\[{{].*[:\[,]\s*)?-?[0-9]{{16,}}\s*[,\]}}]" for name in reals]
    if not patterns:
        return
    suspects = text_lines(pl, path).filter(pl.col("line").str.contains("|".join(patterns)))
    problems = suspects.map_batches(
        lambda batch: pl.DataFrame({"line": filter(None, map(wrong, batch["line"]))}, schema={"line": pl.String}),
        streamable=True,
    )
    for (problem,) in problems.head(1).collect(engine="streaming").rows():
        raise ValueError(f"{_called(source)}: {problem}")


def _items(value: Any) -> Iterator[Any]:  # noqa: ANN401
    """Give all values in nested lists and dicts."""
    if isinstance(value, list | dict):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _items(item)
    else:
        yield value


def _has_reals(pl: Any, kind: Any) -> bool:  # noqa: ANN401
    """Return whether a type is that of real numbers, or of lists or structs with real numbers."""
    if isinstance(kind, pl.Struct):
        return any(_has_reals(pl, field.dtype) for field in kind.fields)
    return _has_reals(pl, kind.inner) if isinstance(kind, pl.List | pl.Array) else bool(kind.is_float())


def _scan(pl: Any, kind: str, paths: Sequence[str], columns: dict[str, Any] | None = None) -> Any:  # noqa: ANN401
    if kind == "parquet":
        # Hidden files in a folder are unfinished outputs of other runs.
        hidden = {"hidden_file_prefix": ["."]} if any(map(os.path.isdir, paths)) else {}
        return pl.scan_parquet(list(paths), glob=False, **hidden)
    if kind == "arrow":
        return pl.scan_ipc(list(paths), glob=False)
    if kind in SEPARATORS:
        return pl.scan_csv(
            list(paths), glob=False, separator=SEPARATORS[kind], schema_overrides=columns, infer_schema_length=None
        )
    return pl.scan_ndjson([glob.escape(path) for path in paths], schema=columns, infer_schema_length=None)


def _merged(pl: Any, left: dict[str, Any], right: dict[str, Any]) -> dict[str, Any] | None:  # noqa: ANN401
    """Return the common types of the columns of two files, or None if they do not fit.

    Nulls fit any type, and integers fit real numbers.
    """

    def merged(x: Any, y: Any) -> Any:  # noqa: ANN401
        if x == y or y == pl.Null:
            return x
        if x == pl.Null:
            return y
        if isinstance(x, pl.List) and isinstance(y, pl.List):
            inner = merged(x.inner, y.inner)
            return None if inner is None else pl.List(inner)
        return pl.Float64 if {x, y} == {pl.Int64, pl.Float64} else None

    if list(left) != list(right):
        return None
    kinds = {name: merged(left[name], right[name]) for name in left}
    return None if any(kind is None for kind in kinds.values()) else kinds


def _called(source: str) -> str:
    return "standard input" if source == "-" else source


def _described(columns: dict[str, Any]) -> str:
    return ", ".join(f"{name} ({kind})" for name, kind in columns.items())


def _sink_json_lines(pl: Any, frame: Any, target: Path | IO[bytes]) -> None:  # noqa: ANN401
    """Write rows as JSON Lines, with infinities and nan as "inf", "-inf" and "nan".

    JSON has no such numbers; Polars would write null, which means that there is no score.
    """
    pieces: list[Any] = []
    others: list[str] = []  # columns since the last column of real numbers, encoded together

    def flush() -> None:
        if others:
            pieces.append(pl.struct(others).struct.json_encode().str.slice(1).str.head(-1))
            others.clear()

    for name, kind in frame.collect_schema().items():
        if not kind.is_float():
            others.append(name)
            continue
        flush()
        text = pl.col(name).cast(pl.String)
        quoted = pl.format('"{}"', text.str.to_lowercase())
        value = pl.when(pl.col(name).is_finite()).then(text).otherwise(quoted).fill_null("null")
        pieces.append(pl.concat_str(pl.lit(json.dumps(name, ensure_ascii=False) + ":"), value))
    flush()
    row = pl.concat_str(pl.lit("{"), pl.concat_str(pieces, separator=","), pl.lit("}"))
    frame.select(row.alias("row")).sink_csv(target, include_header=False, quote_style="never")


def _with_finite_items(pl: Any, frame: Any) -> Any:  # noqa: ANN401
    """Return a LazyFrame that refuses infinities and nan in lists and structs."""
    schema = frame.collect_schema()
    nested = [name for name, kind in schema.items() if kind.is_nested() and _has_reals(pl, kind)]

    def checked(batch: Any) -> Any:  # noqa: ANN401
        for name in nested:
            for items in _leaves(pl, batch.get_column(name)):
                if items.dtype.is_float() and not items.is_finite().all():
                    raise ValueError(
                        f"column {name!r} holds {items.filter(~items.is_finite())[0]} in a list or struct, which JSON "
                        "and CSV cannot hold; expected a .parquet file as output, or finite numbers"
                    )
        return batch

    return frame.map_batches(checked, schema=schema, streamable=True) if nested else frame


def _leaves(pl: Any, column: Any) -> Iterator[Any]:  # noqa: ANN401
    """Give the columns of values in nested lists and structs."""
    if isinstance(column.dtype, pl.List | pl.Array):
        yield from _leaves(pl, column.explode())
    elif isinstance(column.dtype, pl.Struct):
        for field in column.struct.fields:
            yield from _leaves(pl, column.struct.field(field))
    else:
        yield column


def _as_json(pl: Any, name: str) -> Any:  # noqa: ANN401
    """Return lists and structs as JSON."""
    head = '{"x":'
    text = pl.struct(pl.col(name).alias("x")).struct.json_encode()
    inner = text.str.slice(len(head)).str.head(-1)
    return pl.when(pl.col(name).is_not_null()).then(inner).alias(name)
