"""The prepared input of a report: one table whose rows are read, counted and scored once."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from .. import arguments
from ..boards.choices import check_choices, has_several_settings
from ..optional import polars as pl
from ..scores.catalog import METRICS
from ..scores.core_plans import chosen_metrics
from ..scores.metric_text import lacks_margin, metric_of, parsed, spelled
from ..segmentation.lengths_of_time import LengthOfTime, is_length_of_time
from ..study.selection import select
from ..tables.columns import Column
from ..tables.options import Options, lengths_in
from ..tables.score import scored
from ..tables.states import UNREADABLE_STATUS, Notes
from ..tables.units import Measure, in_dates, measured, usual_margin
from ..tables.wide import wide
from .about import IN_POINTS, IN_SECONDS, Unit, dates_of
from .runs import filter_shown

__all__ = ["DEFAULT", "Prepared", "distance_of", "has_cuts", "metrics_of", "prepared"]

DEFAULT = (
    "rand_index",
    "adjusted_rand_index",
    "covering",
    "f1",
    "precision",
    "recall",
    "normalized_mutual_information",
    "variation_of_information",
    "window_diff",
    "pk",
    "mean_error",
    "count_error",
)
USED_COLUMNS = (
    *("series", "method", "n", "duration", "start", "end"),
    *("truth", "pred", "truth_labels", "pred_labels", "confidence", "regions"),
    *("signal", "status", "error", "dataset", "group", "_annotators", "params", "settings", "versions", "machine"),
    *("seconds", "knows", "plan", "random", "seed"),
)


@dataclass(frozen=True, eq=False)
class Prepared:
    """The input of a report, as all its sections read it."""

    runs: pl.DataFrame  # table with all settings of all methods
    rows: pl.DataFrame  # table with one setting per method and series, as it was given
    result: pl.DataFrame  # the rows with their scores
    counts: pl.DataFrame  # the result with timestamps as points
    answered: (
        pl.Series | None
    )  # whether the prediction of each row could be scored; null for unreadable rows; None without cuts
    measure: Measure | None  # how timestamps were counted
    unit: Unit
    margin: Any  # where the slider starts: the first margin of a score, as a number, or a LengthOfTime for timestamps
    names: list[str]  # score names, in the order of the page
    columns: dict[str, Column]  # those that the caller described

    def column(self, name: str) -> str | Column:
        """Return the description of a score by the caller, or its name."""
        return self.columns.get(name, name)

    @property
    def known(self) -> list[str]:
        """The metrics of segscore whose margin is known."""
        return [name for name in self.names if metric_of(name) and not lacks_margin(name)]

    @cached_property
    def methods(self) -> list[str]:
        """The names of the methods, in the order of the rows."""
        return self._texts("method")

    @cached_property
    def series(self) -> list[str]:
        """The names of the series, in the order of the rows."""
        return self._texts("series")

    @cached_property
    def filter(self) -> dict[str, Any] | None:
        """The parts of the study that readers may look at alone."""
        return filter_shown(self.rows, self.series)

    @cached_property
    def parts(self) -> list[list[str]]:
        """The series of each part of the study."""
        shown = self.filter or {"parts": (), "of": ()}
        return [
            [name for name, part in zip(self.series, shown["of"], strict=True) if part == k]
            for k in range(len(shown["parts"]))
        ]

    @property
    def distance(self) -> Any:  # noqa: ANN401
        """The margin in the unit of the counted cuts."""
        if not isinstance(self.margin, LengthOfTime):
            return self.margin
        return float(self.margin.seconds) if self.measure is None else self.measure.units(self.margin, "margin")

    @property
    def lengths_shown(self) -> tuple[str | None, float]:
        """The unit in which charts show lengths, and the number of these units per counted unit."""
        return (self.unit.axis.unit, 1.0) if self.measure is None else self.measure.shown_in(self.margin)

    def _texts(self, column: str) -> list[str]:
        texts: list[str] = self.result[column].unique(maintain_order=True).to_list()
        return texts


def distance_of(margin: Any) -> Any:  # noqa: ANN401
    """Return a margin as a number or a length of time, or raise for what is neither; None stays None."""
    if margin is None or is_length_of_time(margin):
        return None if margin is None else LengthOfTime.of(margin)
    if not 0 <= arguments.number(margin, "margin", "a number, or a timedelta for timestamps") < math.inf:
        raise ValueError(f"margin = {margin!r:.40} is not a distance; expected a finite number, 0 or more")
    return margin


def prepared(
    table: Any,  # noqa: ANN401
    truths: Any,  # noqa: ANN401
    metrics: Iterable[str | Column] | None,
    margin: Any,  # noqa: ANN401
    seed: int,
    on_error: str,
) -> Prepared:
    """Return the input of a report: the table in its wide form, with one setting per method, counted and scored."""
    runs = wide(table, truths, on_error)
    asked = [metrics] if isinstance(metrics, str | Column) else None if metrics is None else list(metrics)
    plain = None if asked is None else [each.name if isinstance(each, Column) else each for each in asked]
    names = metrics_of(runs, plain)
    lengths = lengths_in(runs.columns)
    unit = IN_SECONDS if lengths == ("duration",) else IN_POINTS
    at = margin
    if at is None:
        at = usual_margin(runs) if in_dates(runs.columns) else unit.margin
    if at == 0 and in_dates(runs.columns):
        at = LengthOfTime(Fraction(0))
    missing = [name for name in names if name not in runs.columns]
    full = dict(zip(missing, chosen_metrics(missing, at, None, False, in_table=True), strict=True))
    names = [full.get(name, name) for name in names]
    both = zip(names, asked or (), strict=False)
    columns = {name: each._replace(name=name) for name, each in both if isinstance(each, Column)}
    margins = [parsed(name)[1].get("margin") for name in names if metric_of(name)]
    at = next((own for own in margins if own is not None), at)
    chosen = runs
    if has_several_settings(runs):
        chosen = select(runs, columns.get(names[0], names[0]), seed=seed)
    check_choices(chosen, "method", "series", mixed=False)
    rows = chosen.select(name for name in chosen.columns if name in (*USED_COLUMNS, *names))
    result, answered = _scored(rows, names, on_error)
    counts, measure = measured(result)
    if measure is not None:
        unit = dates_of(measure)
    return Prepared(runs, rows, result, counts, answered, measure, unit, at, names, columns)


def _scored(rows: pl.DataFrame, names: list[str], on_error: str) -> tuple[Any, Any]:
    """Return the rows with all scores, and whether the prediction of each row could be scored.

    Scores that are in the table stay as they are. Unreadable rows say nothing about their method, so they are null.
    """
    missing = [name for name in names if name not in rows.columns]
    if not missing and not has_cuts(rows):
        return rows, None
    table, asked = rows, missing
    if not missing:
        sides = ("truth", "pred", "status", *lengths_in(rows.columns))
        table, asked = rows.select(name for name in sides if name in rows.columns), ["count_error"]
    notes = Notes(Options())
    scores = scored(table, Options.of_results(table.columns, metrics=asked, on_error="null"), notes)
    if missing and on_error == "raise" and notes.refused is not None:
        row, problem = notes.refused
        raise ValueError(f"row {row}: {problem}")
    answered = pl.when(pl.col("status") != UNREADABLE_STATUS).then(pl.col(asked[0]).is_not_null()).alias("answered")
    return scores if missing else rows, scores.select(answered).to_series()


def has_cuts(rows: pl.DataFrame) -> bool:
    """Return whether a table of results has cuts and lengths, and not only scores."""
    return {"truth", "pred"} <= set(rows.columns) and lengths_in(rows.columns) != ()


def metrics_of(rows: pl.DataFrame, metrics: Iterable[str] | None) -> list[str]:
    """Return the scores to show: the requested ones, those in the table, or the usual ones."""
    order = {name: k for k, name in enumerate(METRICS)}
    places = {name: order[known.name] for name in rows.columns if (known := metric_of(name))}
    present = sorted(places, key=places.__getitem__)
    lengths = lengths_in(rows.columns) or ("n",)
    lacking = " and no ".join(name for name in ("truth", "pred", *lengths) if name not in rows.columns)
    if metrics is not None:
        asked = [metrics] if isinstance(metrics, str) else list(metrics)
        metrics = [spelled(name, rows.columns) for name in asked]
        if not metrics:
            raise ValueError("metrics is empty; expected names of scores")
        for name in metrics:
            if metrics.count(name) > 1:
                raise ValueError(f"{name} is asked for twice; expected each metric once")
        missing = [name for name in metrics if name not in rows.columns]
        if missing and lacking:
            raise ValueError(
                f"table has no column {missing[0]!r}, and no {lacking} to compute {missing[0]} with; it has "
                f"{', '.join(rows.columns)}; expected the columns truth, pred and n (or duration, or start and end), "
                f"or the column {missing[0]}"
            )
        if missing:
            chosen_metrics(missing, 0, None, lengths == ("duration",), in_table=True)  # raises for an unknown metric
        return metrics
    if not present and lacking:
        raise ValueError(
            f"table has no scores, and no {lacking} to compute scores with; it has {', '.join(rows.columns)}; expected "
            "the columns truth, pred and n (or duration, or start and end), or columns of scores"
        )
    return present or [name for name in DEFAULT if METRICS[name].in_time or lengths != ("duration",)]
