"""Charts of curves over all margins and delays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Literal

from .. import arguments
from ..boards.intervals import intervals
from ..optional import altair as alt
from ..optional import polars as pl
from ..scores.curves import f1_curve as curve_of
from ..scores.delays import Online, online
from ..segmentation.lengths_of_time import LengthOfTime, is_length_of_time, no_length_of_time
from ..tables.groups import groups_of
from ..tables.options import length_in, lengths_in
from ..tables.score import dataframe
from ..tables.units import Measure, measured, usual_margin
from ..tables.wide import wide
from .drawing import COLOURS, LINES, MANY, WIDTH, Rows, data, finite, numbers
from .finish import finished

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["MOST", "check_distances", "colour_of", "counted_lengths", "curve_chart", "delay_rows", "delays", "f1_curve"]
__all__ += ["margin_rows", "runs_of", "runs_table", "stretched", "summed", "titles_of", "unit_of"]

HEIGHT = 320
MOST = 200  # points of a line


def f1_curve(
    runs: Any,  # noqa: ANN401
    score: Literal["f1", "precision", "recall"] = "f1",
    *,
    margin: float | timedelta | None = None,
    upto: float | timedelta | None = None,
    unit: str = "seconds",
) -> alt.TopLevelMixin:
    """Draw the mean F1, precision or recall of each method over all margins.

    ``runs`` is a table with the columns ``method``, ``series``, ``truth``, ``pred`` and ``n``, or ``duration`` in place
    of ``n`` for cuts in time, whose unit is ``unit``, or ``start`` and ``end`` for timestamps. The dashed line marks
    ``margin``, by default 5, or for timestamps a round length of time that suits the series. Lengths along timestamps
    are timedeltas. The margins go up to ``upto``, four times ``margin`` by default. The band is the 95 % interval of
    the mean over series, for 6 series or more. With several annotators a score is the mean over the annotators. A run
    without a prediction counts as 0.
    """
    arguments.choice(score, "score", ("f1", "precision", "recall"))
    table, measure = runs_table(runs)
    own: Any = margin
    if own is None:
        own = 5 if measure is None else usual_margin(dataframe(runs))
    at, most = counted_lengths(measure, margin=own, upto=upto)
    rows = margin_rows(table, score, at, most)
    return _drawn(rows, [at], score, table, unit, measure, own)


def margin_rows(table: pl.DataFrame, score: str, margin: float, upto: float | None) -> Rows:
    """Return one row per method and margin: the mean over series and its interval."""
    import numpy as np

    check_distances(margin=margin, upto=upto)
    unit = unit_of(table)
    grid = _grid(upto if upto is not None else 4 * margin or 20, margin, unit == "n")

    def values(truth: list[float], pred: list[float], n: float) -> NDArray[np.float64]:
        points = curve_of(truth, pred, **{unit: n}).points  # type: ignore[arg-type]
        at = np.searchsorted([point.margin for point in points], grid, side="right") - 1
        return np.array([getattr(point, score) for point in points])[at]

    return _mean_rows(table, grid, values)


def delays(
    runs: Any,  # noqa: ANN401
    *,
    max_delay: float | timedelta | None = None,
    upto: float | timedelta | None = None,
    unit: str = "seconds",
) -> alt.TopLevelMixin:
    """Draw the share of changes that each method detects within a delay, over all delays.

    ``runs`` is a table with the columns ``method``, ``series``, ``truth``, ``pred`` and ``n`` (or ``duration``, in a
    ``unit``, or ``start`` and ``end``), where ``pred`` holds the times of alarms, as for `segscore.online`. The dashed
    line marks ``max_delay``. The delays go up to ``upto``, by default four times ``max_delay`` or the largest delay.
    The band is the 95 % interval of the mean over series, for 6 series or more. Series without a change are left out,
    a method without other series has no line, and a run without a prediction counts as 0.
    """
    table, measure = runs_table(runs)
    at, most = counted_lengths(measure, max_delay=max_delay, upto=upto)
    rows = delay_rows(table, at, most)
    own = max_delay if max_delay is not None or measure is None else usual_margin(dataframe(runs))
    return _drawn(rows, [] if at is None else [at], "delays", table, unit, measure, own)


def counted_lengths(measure: Measure | None, **given: Any) -> list[Any]:  # noqa: ANN401
    """Return lengths along the series as numbers, which are timedeltas along timestamps."""
    for name, value in given.items():
        if value is not None and measure is None and is_length_of_time(value):
            raise TypeError(
                f"{name} = {LengthOfTime.of(value, name)} is a length of time, but the cuts are not timestamps; "
                "expected a number in the unit of the cuts"
            )
        if value and measure is not None and not is_length_of_time(value):
            raise no_length_of_time(value, name)
    return [
        value if value is None or measure is None or not value else measure.units(value, name)
        for name, value in given.items()
    ]


def _drawn(
    rows: Rows,
    marks: Sequence[float],
    score: str,
    table: pl.DataFrame,
    unit: str,
    measure: Measure | None,
    length: Any,  # noqa: ANN401
) -> alt.TopLevelMixin:
    """Draw a curve over lengths; those along timestamps are in a unit in which they can be read."""
    name = None if unit_of(table) == "n" else unit
    step = 1.0
    if measure is not None:
        name, step = measure.shown_in(LengthOfTime.of(length))
    return finished(curve_chart(stretched(rows, step), [{"x": mark * step} for mark in marks], *titles_of(score, name)))


def stretched(rows: Rows, step: float) -> Rows:
    """Return the rows of a curve with lengths in another unit."""
    return rows if step == 1 else [{**row, "x": row["x"] * step} for row in rows]


def delay_rows(table: pl.DataFrame, max_delay: float | None, upto: float | None) -> Rows:
    """Return one row per method and delay: the mean share of detected changes, and its interval."""
    import numpy as np

    check_distances(max_delay=max_delay, upto=upto)
    if upto is None and max_delay is not None:
        upto = 4 * max_delay
    unit = unit_of(table)

    def found(truth: list[float], pred: list[float], n: float) -> Online:
        return online(truth, pred, **{unit: n})  # type: ignore[arg-type]

    if upto is None:
        cells = [(truth, pred, n) for truths, pred, n in runs_of(table) for truth in truths if pred is not None]
        upto = max((delay for cell in cells for delay in found(*cell).delays), default=1)
    grid = _grid(upto or 1, max_delay or 0, unit == "n")

    def values(truth: list[float], pred: list[float], n: float) -> NDArray[np.float64]:
        result = found(truth, pred, n)
        shares = np.searchsorted(sorted(result.delays), grid, side="right") / max(1, len(result.rows))
        return shares if result.rows else np.full(grid.size, np.nan)

    return _mean_rows(table, grid, values)


def check_distances(**given: float | None) -> None:
    """Raise an error for a distance on an axis that is negative or not finite."""
    expected = "a finite number, 0 or more"
    for name, value in given.items():
        if value is not None and not 0 <= arguments.number(value, name, expected) < float("inf"):
            raise ValueError(f"{name} = {value} is not a distance; expected {expected}")


def titles_of(score: str, unit: str | None = None) -> tuple[str, str]:
    """Return the titles of both axes of a curve; the unit is None for points."""
    counted = f" ({unit or 'points'})"
    if score == "delays":
        return f"delay{counted}", "share of changes detected, mean over series"
    return f"margin{counted}", f"{score}, mean over series"


def colour_of(methods: int) -> alt.Color:
    """Return the colours of methods, with their legend above the chart."""
    scale = alt.Scale(range=LINES if methods <= len(LINES) else MANY)
    legend = alt.Legend(orient="top", symbolOpacity=1, columns=4, labelLimit=220)
    return alt.Color("method:N", title=None, scale=scale, legend=legend)


def curve_chart(
    rows: Rows,
    marks: Rows,
    x_title: str,
    y_title: str,
    *,
    best: Rows | None = None,
    step: Literal["step-after", "step-before"] = "step-after",
    methods: int | None = None,
) -> alt.TopLevelMixin:
    """Draw one line and band per method, the chosen value of x, and the best points.

    ``methods`` is the number of methods, if the rows come later.
    """
    x = alt.X("x:Q", title=x_title, scale=alt.Scale(nice=False))
    y = alt.Y("mean:Q", title=y_title, scale=alt.Scale(domain=[0, 1]))
    colour = colour_of(len({row["method"] for row in rows}) if methods is None else methods)
    tips = ["method:N", "x:Q", *numbers("mean", "low", "high", form=".3f")]
    base = alt.Chart(data("curves", rows))
    band = base.transform_filter("isValid(datum.low)").mark_area(opacity=0.15, interpolate=step)
    line = base.mark_line(interpolate=step, strokeWidth=2)
    layers = [
        band.encode(x=x, y=alt.Y("low:Q", title=y_title), y2="high:Q", color=colour),
        line.encode(x=x, y=y, color=colour, tooltip=tips),
        alt.Chart(data("marks", marks)).mark_rule(strokeDash=[4, 3], color=COLOURS[0]).encode(x="x:Q"),
    ]
    if best:
        dots = alt.Chart(data("best", best)).mark_point(size=90, filled=True)
        layers.append(dots.encode(x="x:Q", y="y:Q", color=colour))
    return alt.layer(*layers).properties(width=WIDTH, height=HEIGHT)


def runs_table(runs: Any, *further: str) -> tuple[pl.DataFrame, Measure | None]:  # noqa: ANN401
    """Return the rows that have a truth, with one list of cuts per annotator, or raise for a missing column.

    Timestamps are counted.
    """
    table = dataframe(runs)
    lengths = lengths_in(table.columns) or ("n",)
    arguments.columns(table.columns, ("method", "series", "truth", "pred", *lengths, *further), "runs have")
    counts, measure = measured(wide(table, None))
    return counts.drop_nulls(["truth", unit_of(counts)]), measure


def unit_of(table: pl.DataFrame) -> str:
    """Return the name of the lengths of a table: n, or duration in time."""
    return length_in(table.columns) or "n"


def _grid(upto: float, marked: float, whole: bool) -> NDArray[np.float64]:
    """Return numbers from 0 on, at most `MOST` of them, and the marked one; whole numbers in points."""
    import numpy as np

    even = np.round(np.linspace(0, upto, min(MOST, int(upto)) + 1)) if whole else np.linspace(0, upto, MOST + 1)
    return np.unique([*even, *([marked] if marked <= upto else [])])


def _mean_rows(
    table: pl.DataFrame,
    grid: NDArray[np.float64],
    values: Callable[[list[float], list[float], float], NDArray[np.float64]],
) -> Rows:
    """Return the rows of all methods: the mean over series of the values of each run."""
    import numpy as np

    runs: dict[str, dict[str, list[NDArray[np.float64]]]] = {}
    for (truths, pred, n), method, series in zip(runs_of(table), table["method"], table["series"], strict=True):
        # A run without a prediction detects nothing, but a value that no prediction has stays undefined.
        own = [values(truth, [] if pred is None else pred, n) * (pred is not None) for truth in truths]
        mean = np.mean([each for each in own if not np.isnan(each).any()] or [np.full(grid.size, np.nan)], axis=0)
        runs.setdefault(method, {}).setdefault(series, []).append(mean)
    groups = groups_of(table)
    rows: Rows = []
    for method, by_series in runs.items():
        means = {series: np.mean(repeated, axis=0) for series, repeated in by_series.items()}
        defined = {series: mean for series, mean in means.items() if not np.isnan(mean).any()}
        units = None if groups is None else [groups[series] for series in defined]
        rows += summed(method, grid, np.array([*defined.values()]).reshape(-1, grid.size), units)
    return rows


def runs_of(table: pl.DataFrame) -> list[tuple[list[list[float]], list[float] | None, float]]:
    """Return the truths of all annotators, the prediction and the length of each row."""
    unit = unit_of(table)
    cells = table.select("truth", "pred", unit).iter_rows()
    return [
        ([truth for truth in truths if truth is not None], pred, int(n) if unit == "n" and n == int(n) else n)
        for truths, pred, n in cells
    ]


def summed(
    method: str, grid: NDArray[np.float64], values: NDArray[np.float64], groups: Sequence[str] | None = None
) -> Rows:
    """Return one row per point of the grid: the mean over series, with its interval over series or groups.

    A method without a series that has values has no rows.
    """
    if not len(values):
        return []
    bands = intervals(values.T, groups, (0, 1))
    means = values.mean(axis=0)
    return [
        {
            "method": method,
            "x": float(x),
            "mean": float(mean),
            "low": None if band is None else finite(band.low),
            "high": None if band is None else finite(band.high),
        }
        for x, mean, band in zip(grid, means, bands, strict=True)
    ]
