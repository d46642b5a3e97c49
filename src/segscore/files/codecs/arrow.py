"""Parquet and Arrow files, with one segmentation per row.

They are read by pyarrow, batch by batch, because pyarrow refuses a damaged file, while Polars may end the process.
Tables that Polars scores are first read to their end by pyarrow.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from struct import unpack_from
from typing import Any

from ...optional import PolarsType, library
from ...optional import polars as pl
from ...segmentation.segmentation import Segmentation
from ...showing import path_text
from ..besides import Besides
from ..options import ReadOptions
from ..records import CUTS_COLUMNS, TIERS, Reader, records_of
from ..rows import Rows
from ..text import RAISE, limit, refuse_pipe

__all__ = ["frame_of", "read", "refuse_damaged", "write"]

VALUES = 2**26  # most values of a column in a row group of Parquet, which is decoded as a whole
GROUP = 2**28  # most values of all columns in a row group
ROWS = 2**10  # that are decoded at once: a text that is stored once may stand in every row
BYTES = 2**32  # most bytes of a decoded row group
USED = (*CUTS_COLUMNS, *TIERS, "series", "params", "labels", "n", "duration")


def read(path: Path, name: str, options: ReadOptions, besides: Besides) -> Iterator[Rows]:
    """Give the segmentation of each row; only the columns that are needed become Python objects."""
    refuse_pipe(path, name)
    reader = Reader(path_text(path), path.stem, "row")
    number = 0
    for records in _caught(_batches(path, name, reader), path_text(path), name):
        for record in records:
            rows = reader.rows(record, number)
            number += 1
            if rows is not None:
                yield rows
    reader.finish(besides)


def _batches(path: Path, name: str, reader: Reader) -> Iterator[list[dict[str, Any]]]:
    """Give the rows of a file, a batch at a time, as records with the columns that are needed."""
    pa = library("pyarrow")
    with _opened(path, name) as (schema, batches):
        used = _used(schema.names, reader)
        for batch in batches(used):
            chosen = pa.record_batch([batch.column(column) for column in used], names=used)
            chosen.validate(full=True)  # offsets in a damaged file may point anywhere
            yield chosen.to_pylist()


@contextmanager
def _opened(path: Path, name: str) -> Iterator[tuple[Any, Callable[[list[str]], Iterable[Any]]]]:
    """Give the schema of a file, and a function that gives its batches; in Parquet, of some columns."""
    with ExitStack() as stack:
        path.open("rb").close()  # raises the error of Python if the file cannot be opened
        # A thread of pyarrow that still holds a file of Python when Python ends would end the process with SIGABRT.
        file = stack.enter_context(library("pyarrow").OSFile(os.fsencode(path)))
        if name == "parquet":
            table = stack.enter_context(library("pyarrow.parquet").ParquetFile(file))
            _refuse_many_values(table.metadata)
            yield table.schema_arrow, lambda columns: _of_groups(table, columns)
            return
        is_stream = file.read(6) != b"ARROW1"  # otherwise the file has an index of its batches
        ipc = library("pyarrow.ipc")
        _refuse_large_batches(path, is_stream)
        file.seek(0)
        found = stack.enter_context((ipc.open_stream if is_stream else ipc.open_file)(file))
        batches = found if is_stream else (found.get_batch(k) for k in range(found.num_record_batches))
        yield found.schema, lambda _: batches


def _of_groups(table: Any, columns: list[str]) -> Iterator[Any]:  # noqa: ANN401
    """Give the batches of a Parquet file, or raise for a row group that is far larger than the file says."""
    most = limit(BYTES)
    for group in range(table.num_row_groups):
        size = 0
        for batch in table.iter_batches(ROWS, row_groups=[group], columns=columns):
            size += batch.nbytes
            if size > most:
                raise _TooMany(
                    f"row group {group} has more than {most:,} bytes of values; expected smaller row groups, {RAISE}"
                )
            yield batch


class _TooMany(ValueError):
    """A column, a row group or a batch with more values than are read at once."""


def _refuse_many_values(metadata: Any) -> None:  # noqa: ANN401
    """Raise if a column or a row group has too many values: a file of a few bytes may claim any number."""
    most, together = limit(VALUES), limit(GROUP)
    for group in range(metadata.num_row_groups):
        count = 0
        for k in range(metadata.num_columns):
            column = metadata.row_group(group).column(k)
            count += column.num_values
            if column.num_values > most:
                raise _TooMany(
                    f"column {column.path_in_schema.split('.')[0]!r} has {column.num_values:,} values in row group "
                    f"{group}, and at most {most:,} are read at once; expected smaller row groups, {RAISE}"
                )
        if count > together:
            raise _TooMany(
                f"row group {group} has {count:,} values, and at most {together:,} are read at once; expected smaller "
                f"row groups, {RAISE}"
            )


def _refuse_large_batches(path: Path, is_stream: bool) -> None:
    """Raise if a batch of an Arrow file would be unpacked to far more bytes than are read at once.

    A packed buffer begins with its size when it is unpacked.
    """
    part, together = limit(8 * VALUES), limit(BYTES)
    with library("pyarrow").memory_map(os.fsencode(path)) as file:
        for number, message in enumerate(_batch_messages(file, is_stream)):
            head, body = message.metadata.to_pybytes(), message.body
            batch = _fields(head, _pointed(head, _fields(head, _pointed(head, 0))[2]))
            if message.type == "dictionary":
                batch = _fields(head, _pointed(head, batch[1]))
            if not batch[3]:  # not packed
                continue
            buffers = _pointed(head, batch[2])
            places = unpack_from(f"<{2 * unpack_from('<I', head, buffers)[0]}q", head, buffers + 4)
            sizes = [
                unpack_from("<q", body, at)[0] for at, stored in zip(places[::2], places[1::2], strict=True) if stored
            ]
            for size, most in ((max(sizes, default=0), part), (sum(sizes), together)):
                if size > most:
                    raise _TooMany(
                        f"batch {number} has {size:,} bytes of values, and at most {most:,} are read at once; expected "
                        f"smaller batches, {RAISE}"
                    )


def _batch_messages(file: Any, is_stream: bool) -> Iterator[Any]:  # noqa: ANN401
    """Give the messages of an Arrow file that hold batches or the values of dictionaries."""
    ipc = library("pyarrow.ipc")
    if is_stream:
        yield from (each for each in ipc.MessageReader.open_stream(file) if each.type != "schema")
        return
    file.seek(file.size() - 10)  # behind the footer, which has the place of each message
    length = unpack_from("<i", file.read(4))[0]
    file.seek(file.size() - 10 - length)
    footer = file.read(length)
    for vector in _fields(footer, _pointed(footer, 0))[2:4]:
        first = _pointed(footer, vector) if vector else 0
        for k in range(unpack_from("<I", footer, first)[0] if vector else 0):
            file.seek(unpack_from("<q", footer, first + 4 + 24 * k)[0])
            yield ipc.read_message(file)


def _fields(data: bytes, at: int) -> list[int]:
    """Return where the first four fields of a table of a FlatBuffer are; a field that is left out is at 0.

    Reference: https://arrow.apache.org/docs/format/Columnar.html#serialization-and-interprocess-communication-ipc.
    """
    names = at - int(unpack_from("<i", data, at)[0])
    count = (unpack_from("<H", data, names)[0] - 4) // 2
    found = [at + offset if offset else 0 for offset in unpack_from(f"<{min(count, 4)}H", data, names + 4)]
    return found + [0] * (4 - len(found))


def _pointed(data: bytes, at: int) -> int:
    return at + int(unpack_from("<I", data, at)[0])


def refuse_damaged(path: Path, name: str, called: str) -> None:
    """Raise if pyarrow cannot read a Parquet or Arrow file to its end, batch by batch.

    Polars ends the whole process for some damaged files, for example if a page claims to hold 2**60 values, and for
    others it panics. What pyarrow does not know is left to Polars, and so are lists of a fixed size: before version 26,
    pyarrow refused nulls among them.
    """
    pa = library("pyarrow")

    def batches() -> Iterator[None]:
        with _opened(path, name) as (schema, every), suppress(pa.ArrowNotImplementedError):
            for batch in every([field.name for field in schema if "fixed_size_list" not in str(field.type)]):
                if name == "arrow":  # where offsets are stored as they are, and may point anywhere
                    batch.validate(full=True)
                yield

    for _ in _caught(batches(), called, name):
        pass


def _used(columns: list[str], reader: Reader) -> list[str]:
    """Return the columns to read, or raise if there are no cuts among them."""
    if not set(CUTS_COLUMNS) & set(columns):
        raise _Columns(columns)
    reader.others |= {column: None for column in columns if column not in USED}
    return [column for column in dict.fromkeys(columns) if column in USED]


class _Columns(Exception):
    """The columns of a file that holds no cuts."""


def _caught(batches: Iterator[Any], file: str, name: str) -> Iterator[Any]:
    """Give the batches; a file that pyarrow cannot read is an error in our words."""
    limit(VALUES)  # raises if it is not a number, which is not an error of the file
    try:
        yield from batches
    except _Columns as error:
        Reader(file, "", "row").refuse_columns(dict.fromkeys(error.args[0]), file)
    except ImportError:
        raise
    except _TooMany as error:
        raise ValueError(f"{file}: {error}") from None
    except MemoryError as error:  # a damaged file may claim any size
        raise ValueError(
            f"{file} cannot be read as {name}: a part of it does not fit in memory; expected a whole "
            f"{name.capitalize()} file, or a computer with more memory"
        ) from error
    except Exception as error:  # pyarrow raises errors of many classes
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise ValueError(f"{file} cannot be read as {name}; expected a whole {name.capitalize()} file") from error


def frame_of(segmentations: Mapping[tuple[str, str], Segmentation], tiers: str) -> pl.DataFrame:
    """Return a Polars DataFrame with one row per segmentation."""
    every = segmentations.values()
    is_timed = any(each.duration is not None for each in every)
    for name, each in segmentations.items() if is_timed else ():
        if each.duration is None and each.cuts and each.cuts[-1] >= 2**53:
            raise ValueError(
                f"{name!r:.80} has the point {each.cuts[-1]}, which a column of points and times cannot hold; expected "
                "points below 2**53 next to times, or a table of each kind"
            )
    labels = {label for each in every for label in each.labels or ()}
    kinds: dict[str, PolarsType] = {
        "series": pl.String,
        tiers: pl.String,
        "change_points": pl.List(pl.Float64 if is_timed else pl.Int64),
        "labels": pl.List(pl.Int64 if labels and {*map(type, labels)} == {int} else pl.String),
        **{"n": pl.Int64, "duration": pl.Float64},
    }
    records = list(records_of(segmentations, tiers))
    names = list(records[0]) if records else ["series", "change_points"]
    return pl.DataFrame(records, schema={name: kinds[name] for name in names}, strict=False)


def write(
    segmentations: Mapping[tuple[str, str], Segmentation], path: Path, name: str, tiers: str, lost: list[str]
) -> None:
    """Write one row per segmentation."""
    table = frame_of(segmentations, tiers)
    if name == "parquet":
        table.write_parquet(path)
    else:
        table.write_ipc(path)
