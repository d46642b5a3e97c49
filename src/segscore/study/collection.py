"""The series of a study: a mapping, a table, or a folder of CSV files or of the Turing Change Point Dataset."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import arguments
from ..files.reading import read
from ..files.safe_json import load
from ..files.text import REAL, refuse_pipe
from ..optional import polars as pl
from ..segmentation.segmentation import Segmentation
from ..showing import count_text, path_text
from ..tables.decoding import with_cuts
from ..tables.score import dataframe, named

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Series", "checked_name", "read_series"]

EXPECTED = (
    "expected a mapping from names to signals or to pairs (signal, cuts), a table with the columns series, signal and "
    "truth, or a folder of CSV files or of the Turing Change Point Dataset"
)
SIGNAL_FILE = "expected one row per point, and one column of numbers per channel"
# Other names of columns that may hold the truth.
OTHER_TRUTHS = frozenset(
    {"truths", "cuts", "change_points", "changepoint", "changepoints", "annotation", "annotations", "label", "labels"}
)


class Series(NamedTuple):
    """One series: its signal, the cuts of each annotator if they are known, and its group."""

    name: str
    signal: NDArray[Any]  # one value per point, or one row per point with one value per channel
    truth: list[list[int]] | None
    annotators: bool  # whether the truth was given as a list per annotator
    group: str | None


def read_series(series: Any) -> list[Series]:  # noqa: ANN401
    """Return the series in any of the accepted forms, or raise."""
    if isinstance(series, Mapping):
        found = [_series_of(str(name), *_parts(value)) for name, value in series.items()]
    elif isinstance(series, str | os.PathLike):
        found = _series_of_folder(Path(series))
    else:
        found = _series_of_table(series)
    if not found:
        raise ValueError(f"series is empty; {EXPECTED}")
    for one in found:
        checked_name(one.name, "the name of a series")
        checked_name(one.group or "", f"the group of series {one.name!r}")
    twice = next((name for name, count in Counter(one.name for one in found).items() if count > 1), None)
    if twice is not None:
        raise ValueError(f"series has two rows named {twice!r}; expected one row per series")
    return found


def checked_name(name: str, what: str) -> None:
    """Raise if a text cannot be written to a table: it has half characters, as names of files that are not UTF-8."""
    try:
        name.encode()
    except UnicodeEncodeError:
        raise ValueError(
            f"{what} is {name!r:.60}, which has half a character; expected text that UTF-8 can hold"
        ) from None


def _parts(value: Any) -> tuple[Any, Any, Any]:  # noqa: ANN401
    """Return the signal, truth and group of a value of a mapping: a signal, (signal, truth), or one of `simulate`."""
    if hasattr(value, "values") and hasattr(value, "truth") and hasattr(value, "levels"):
        return value.values, value.truth.cuts, None
    if isinstance(value, tuple) and len(value) == 2 and hasattr(value[0], "__len__"):
        return *value, None
    return value, None, None


def _series_of(name: str, signal: Any, truth: Any, group: Any) -> Series:  # noqa: ANN401
    import numpy as np

    try:
        values = np.asarray(signal)
        if values.dtype.kind == "O":
            values = values.astype(float)  # None becomes nan
        if values.dtype.kind not in "iufb":
            raise TypeError
    except (TypeError, ValueError):
        raise ValueError(
            f"the signal of series {name!r} is {signal!r:.60}; expected numbers (a truth goes next to its signal: "
            "(signal, cuts), or the column truth of a table)"
        ) from None
    if values.ndim not in (1, 2):
        raise ValueError(
            f"the signal of series {name!r} has {values.ndim} dimensions; expected one value per point, or one row per "
            "point with one value per channel"
        )
    try:
        truth = list(truth.values()) if isinstance(truth, Mapping) else truth  # by annotators
        is_list = not (truth is None or isinstance(truth, Segmentation | str))
        several = is_list and any(hasattr(part, "__len__") for part in truth)
        given = None if truth is None else truth if several else [truth]
        people = None if given is None else [list(Segmentation(part, n=len(values)).cuts) for part in given]
    except (TypeError, ValueError) as error:
        shape = "" if values.ndim == 1 else " of {} rows (points) and {} columns (channels)".format(*values.shape)
        raise ValueError(
            f"the truth of series {name!r}{shape and f', whose signal is an array{shape}'}: {error}"
        ) from None
    return Series(name, values, people, several, None if group is None else str(group))


def _series_of_table(table: Any) -> list[Series]:  # noqa: ANN401
    """Return the rows of a table with the columns series and signal."""
    if not (hasattr(table, "__arrow_c_stream__") or hasattr(table, "to_arrow_table") or hasattr(table, "collect")):
        raise TypeError(f"series is a {type(table).__name__}; {EXPECTED}")
    if hasattr(table, "assign") and "signal" in table.columns:  # pandas, whose cells may be arrays of channels
        table = table.assign(signal=[cell.tolist() if hasattr(cell, "tolist") else cell for cell in table["signal"]])
    frame = dataframe(table)
    _refuse_other_truths(frame.columns, "series have", "truth", "rename the column to truth")
    arguments.columns(frame.columns, ("series", "signal"), "series have")
    # Other columns, as the predictions of a table of results, are not needed; a signal may stand in one row of several.
    frame = named(frame, ["series"]).filter(pl.col("signal").is_not_null())
    frame = with_cuts(frame.select(name for name in frame.columns if name in ("series", "signal", "truth", "group")))
    keys = [name for name in ("series", "signal", "truth", "group") if name in frame.columns]
    rows = [dict(zip(keys, row, strict=True)) for row in frame.select(keys).iter_rows()]
    return [_series_of(row["series"], row["signal"], row.get("truth"), row.get("group")) for row in rows]


def _refuse_other_truths(columns: Iterable[str], where: str, name: str, remedy: str) -> None:
    """Raise if a column may hold the truth, which is not where the truth is looked for."""
    other = next((column for column in columns if column.lower() in OTHER_TRUTHS), None)
    if name not in columns and other is not None:
        raise ValueError(f"{where} a column {other!r}, which may be the truth; {remedy}, or drop the column")


def _series_of_folder(folder: Path) -> list[Series]:
    """Return the series of a folder: of CSV files, or of the Turing Change Point Dataset."""
    if not folder.is_dir():
        raise ValueError(f"there is no folder {folder}; {EXPECTED}")
    truths = next((path for path in sorted(folder.glob("truths.*"))), None)
    signals = {path.stem: _signal_of_csv(path) for path in sorted(folder.glob("*.csv")) if path != truths}
    if not signals:
        return _tcpd(folder)
    found = {} if truths is None else read(truths, n={name: len(signal) for name, signal in signals.items()})
    people: dict[str, dict[str, Segmentation]] = {name: {} for name in signals}
    for (name, tier), each in found.items():
        people[name][tier] = each
    truth = {name: next(iter(tiers.values())) if len(tiers) == 1 else tiers or None for name, tiers in people.items()}
    return [_series_of(name, signal, truth[name], None) for name, signal in signals.items()]


def _signal_of_csv(path: Path) -> NDArray[Any]:
    """Return a signal in a CSV file: one row per point, one column per channel, with or without a header."""
    refuse_pipe(path, "csv")
    file = path_text(path)
    with path.open(encoding="utf-8-sig", errors="replace") as lines:
        first = [cell.strip() for cell in lines.readline().split(",")]
    try:
        table = pl.read_csv(path, has_header=not all(map(REAL.fullmatch, first)), infer_schema_length=None)
    except (pl.exceptions.PolarsError, OSError) as error:
        raise ValueError(f"{file} is no CSV file of a signal: {error!s:.200}; {SIGNAL_FILE}") from None
    where = f"{file} has"
    _refuse_other_truths(
        table.columns, where, "", "put the truths of all files into truths.csv, with the columns series and cut"
    )
    for name, kind in table.schema.items():
        if not kind.is_numeric():
            raise ValueError(f"{where} a column {name!r} of {kind}, not of numbers; {SIGNAL_FILE} (drop the column)")
    values: NDArray[Any] = table.to_numpy()
    return values[:, 0] if values.shape[1] == 1 else values


def _tcpd(folder: Path) -> list[Series]:
    """Return the series of a folder of the Turing Change Point Dataset, with annotations.json if it is there."""
    places = (folder / "annotations.json", folder.parent / "annotations.json")
    place = next((place for place in places if place.is_file()), None)
    annotations = {} if place is None else _annotations(place)
    found = []
    for path in sorted(folder.rglob("*.json")):
        if path.name == "annotations.json":
            continue
        refuse_pipe(path, "json")
        name, signal = _name_and_signal(path)
        people = annotations.get(name)
        try:
            found.append(_series_of(name, signal, None if people is None else list(people.values()), None))
        except ValueError as error:
            raise ValueError(f"{path_text(path if place is None else place)}: {error}") from None
    return found


def _annotations(path: Path) -> dict[str, dict[str, list[int]]]:
    """Return the cuts of each series by annotator."""
    expected = "annotations {series: {annotator: [cuts]}}"
    found = load(path, expected)
    named: dict[str, Any] = found if isinstance(found, dict) else {"": None}
    for series, people in named.items():
        lists = people.values() if isinstance(people, dict) else [None]
        if not all(isinstance(cuts, list) and all(type(cut) is int for cut in cuts) for cuts in lists):
            where = (
                f" has {people!r:.40} for series {series!r:.40}" if isinstance(found, dict) else f" holds {found!r:.40}"
            )
            raise ValueError(f"{path_text(path)}{where}; expected {expected}")
    return named


def _name_and_signal(path: Path) -> tuple[str, Any]:
    """Return the name and the signal of a file of the Turing Change Point Dataset."""
    file = path_text(path)
    content = load(path, "a series of the Turing Change Point Dataset")
    if not isinstance(content, dict) or not {"name", "n_obs", "series"} <= content.keys():
        raise ValueError(f"{file} is not a series of the Turing Change Point Dataset; expected name, n_obs, series")
    name, n, parts = content["name"], content["n_obs"], content["series"]
    if not isinstance(name, str):
        raise ValueError(f"{file}: name = {name!r:.40}; expected text")
    if type(n) is not int or n < 0:
        raise ValueError(f"{file}: n_obs = {n!r:.40}; expected the number of observations")
    found = parts if isinstance(parts, list) else []
    channels: list[Any] = [part.get("raw") if isinstance(part, dict) else None for part in found]
    if not channels or not all(isinstance(channel, list) for channel in channels):
        raise ValueError(f"{file}: series = {parts!r:.40}; expected a list of channels, each with raw = [values]")
    for number, channel in enumerate(channels):
        if len(channel) != n:
            raise ValueError(
                f"{file}: n_obs = {n}, but series[{number}] has {count_text(len(channel), 'value')}; expected one "
                "value per observation"
            )
        odd = next(
            (k for k, value in enumerate(channel) if value is not None and type(value) not in (int, float)), None
        )
        if odd is not None:
            raise ValueError(f"{file}: series[{number}].raw[{odd}] = {channel[odd]!r:.40}; expected a number or null")
    return name, channels[0] if len(channels) == 1 else [list(values) for values in zip(*channels, strict=True)]
