"""Segments as tables of Polars and pandas: one row per segment, with its start, its end and its label."""

from __future__ import annotations

from collections.abc import Hashable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ..optional import library
from ..optional import polars as pl

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .timestamps import Origin

__all__ = ["pandas_frame", "polars_frame"]


def polars_frame(intervals: NDArray[Any], labels: tuple[Hashable, ...] | None, origin: Origin | None) -> Any:  # noqa: ANN401
    """Return a Polars DataFrame with one row per interval."""
    columns = {}
    for k, name in enumerate(("start", "end")):
        column = pl.Series(
            name, _times(intervals[:, k], origin, "Polars", {"D": "D", "ms": "ms", "us": "us", "ns": "ns"})
        )
        if origin is not None and origin.zone is not None:
            column = column.cast(pl.Datetime("ms")) if column.dtype == pl.Date else column
            column = column.dt.replace_time_zone("UTC")
            with suppress(pl.exceptions.ComputeError):  # raised for a fixed offset that is not a number of hours
                column = column.dt.convert_time_zone(origin.zone)
        columns[name] = column
    if labels is not None:
        try:
            columns["label"] = pl.Series("label", list(labels))
        except (TypeError, pl.exceptions.PolarsError):  # labels of several types
            columns["label"] = pl.Series("label", list(labels), dtype=pl.Object)
    return pl.DataFrame(columns)


def pandas_frame(intervals: NDArray[Any], labels: tuple[Hashable, ...] | None, origin: Origin | None) -> Any:  # noqa: ANN401
    """Return a pandas DataFrame with one row per interval."""
    pd = library("pandas", extra=None)
    columns = {}
    for k, name in enumerate(("start", "end")):
        column = pd.Series(_times(intervals[:, k], origin, "pandas", {u: u for u in ("s", "ms", "us", "ns")}))
        if origin is not None and origin.zone is not None:
            column = column.dt.tz_localize("UTC").dt.tz_convert(origin.zone)
        columns[name] = column
    if labels is not None:
        columns["label"] = pd.Series(list(labels), dtype=None if labels else object)
    return pd.DataFrame(columns)


def _times(counts: NDArray[Any], origin: Origin | None, library_name: str, units: dict[str, str]) -> NDArray[Any]:
    """Return numbers, or timestamps in a unit that the library has, and that is not coarser than their own."""
    if origin is None:
        return counts
    times = origin.times(counts)
    unit = units.get(origin.unit, next(iter(u for u in units if u != "D")))
    with suppress(OverflowError):  # older versions of NumPy wrap around instead
        exact = times.astype(f"datetime64[{unit}]")
        if (exact.astype(times.dtype) == times).all():
            return exact
    raise ValueError(f"the timestamps exceed the range of {library_name} in {unit}; use to_timestamps()")
