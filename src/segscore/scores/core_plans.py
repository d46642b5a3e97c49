"""The metrics that a call computes, and the core's plan for them.

A plan holds the number and the options of each metric. Plans are cached, because making one takes longer than scoring
short lists of cuts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from typing import Any, NoReturn

from .. import _core
from ..segmentation.lengths_of_time import LengthOfTime, in_units
from .catalog import METRICS, Metric, core_entry
from .metric_text import parsed, written

__all__ = ["chosen_metrics", "entries_of", "options_in", "plan_of", "plan_of_default_metrics", "refuse_alone"]


@cache
def _all_metrics(has_margin: bool, in_time: bool) -> Mapping[str, tuple[Metric, dict[str, Any]]]:
    """Return the metrics that `compare` computes by default, without options, by their names."""
    return {
        name: (metric, {})
        for name, metric in METRICS.items()
        if metric.cost == "O(r+s)"
        and metric.family != "delays"
        and not metric.only_tables
        and (has_margin or not metric.needs_margin)
        and (metric.in_time or not in_time)
    }


def chosen_metrics(
    metrics: Iterable[str] | None, has_margin: bool, in_time: bool, in_table: bool = False
) -> Mapping[str, tuple[Metric, dict[str, Any]]]:
    """Return the requested metrics and their options, by the texts that `metric` writes; by default all of them.

    Raise an error if a metric is unknown or has no value. ``in_table`` says whether the scores are those of a table.
    """
    if metrics is None:
        return _all_metrics(has_margin, in_time)
    if not isinstance(metrics, Iterable):
        raise TypeError(f"metrics = {metrics!r:.40} is {type(metrics).__name__}; expected names of scores")
    chosen: dict[str, tuple[Metric, dict[str, Any]]] = {}
    for text in (metrics,) if isinstance(metrics, str) else metrics:
        metric, options = parsed(text)
        name = written(metric, options)
        if metric.only_tables and not in_table:
            refuse_alone(metric)
        if metric.needs_margin and not (has_margin or {"margin", "relative_margin"} & set(options)):
            other = " or relative_margin=" if "relative_margin" in metric.parameters else ""
            raise TypeError(f"{name} has no margin; expected margin= (0 for the same cut){other}")
        if in_time and not metric.in_time:
            _core.refuse_time(name, metric.instead)
        if name in chosen:
            raise ValueError(f"{name} is asked for twice; expected each metric once")
        chosen[name] = (metric, options)
    return chosen


def refuse_alone(metric: Metric) -> NoReturn:
    """Raise the error for a metric that only tables compute where there is one truth and one prediction."""
    if metric.column is not None:
        raise ValueError(
            f"{metric.name} needs a {metric.column} of each predicted cut; expected a table with a column "
            f"{metric.column} (segscore.score()), or segscore.{metric.name}()"
        )
    raise ValueError(
        f"{metric.name} compares a prediction with several annotators; expected a table with several annotators "
        f"(segscore.score()), or segscore.{metric.name}()"
    )


def plan_of(
    names: tuple[str, ...], margin: float | None, relative_margin: float | None, unit: str | None = None
) -> _core.Plan:
    """Return the core's plan for metrics in the form that `metric` writes.

    The margins apply to the metrics that have no margin of their own. ``unit`` is the unit of timestamps, for lengths
    of time among the options.
    """
    return (_cached_plan if _is_plain(margin, relative_margin) else _plan)(names, margin, relative_margin, unit)


def plan_of_default_metrics(
    margin: float | None, relative_margin: float | None, in_time: bool
) -> tuple[tuple[str, ...], _core.Plan]:
    """Return the metrics that `compare` computes by default, and the core's plan for them."""
    return (_cached_default if _is_plain(margin, relative_margin) else _default)(margin, relative_margin, in_time)


def _plan(names: tuple[str, ...], margin: float | None, relative_margin: float | None, unit: str | None) -> _core.Plan:
    return _core.Plan(entries_of(names, unit), margin, relative_margin)


def _default(margin: float | None, relative_margin: float | None, in_time: bool) -> tuple[tuple[str, ...], _core.Plan]:
    names = tuple(_all_metrics(margin is not None or relative_margin is not None, in_time))
    return names, _plan(names, margin, relative_margin, None)


def _is_plain(margin: object, relative_margin: object) -> bool:
    """Whether a plan for these margins is cached: numbers of other types may have no hash."""
    return type(margin) in _PLAIN and type(relative_margin) in _PLAIN


_PLAIN = {int, float, type(None)}
_cached_plan = lru_cache(maxsize=256, typed=True)(_plan)
_cached_default = lru_cache(maxsize=256, typed=True)(_default)


def entries_of(names: tuple[str, ...], unit: str | None = None) -> list[tuple[int, tuple[Any, ...]]]:
    """Return for each metric its number in the core's catalog, and its options, with lengths of time in a unit."""
    return [core_entry(*options_in(name, unit)) for name in names]


def options_in(text: str, unit: str | None) -> tuple[Metric, dict[str, Any]]:
    """Return the metric that a text names, and its options, with lengths of time as numbers of a unit."""
    metric, options = parsed(text)
    for key, value in options.items():
        if isinstance(value, LengthOfTime):
            options[key] = in_units(value, f"{text}: {key}", unit)
    return metric, options
