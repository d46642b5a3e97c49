"""The metrics that a call computes, and the core's plan for them.

A plan holds the number and the options of each metric. Plans are cached, because making one takes longer than scoring
short lists of cuts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from typing import Any, NoReturn

from .. import _core
from ..segmentation.lengths_of_time import LengthOfTime, in_units, is_length_of_time
from .catalog import METRICS, Metric, core_entry
from .metric_text import lacks_margin, parsed, written

__all__ = ["chosen_metrics", "entries_of", "needing_a_margin", "options_in", "plan_of", "refuse_alone"]


@cache
def _all_metrics(has_margin: bool, in_time: bool) -> tuple[str, ...]:
    """Return the metrics that `compare` computes by default."""
    return tuple(
        name
        for name, metric in METRICS.items()
        if metric.cost == "O(r+s)"
        and metric.family != "delays"
        and not metric.only_tables
        and (has_margin or not metric.needs_margin)
        and (metric.in_time or not in_time)
    )


def needing_a_margin(in_time: bool) -> tuple[str, ...]:
    """Return the metrics that `compare` computes by default only at a margin."""
    return tuple(name for name in _all_metrics(True, in_time) if name not in _all_metrics(False, in_time))


def chosen_metrics(
    metrics: Iterable[str] | None,
    margin: Any,  # noqa: ANN401
    relative_margin: float | None,
    in_time: bool,
    in_table: bool = False,
) -> Mapping[str, tuple[Metric, dict[str, Any]]]:
    """Return the requested metrics and their options, by the texts that `metric` writes; by default all of them.

    The common margin becomes an option of each metric that takes a margin and has none of its own, so that the text
    says how the score is made. Raise an error if a metric is unknown or has no value. ``in_table`` says whether the
    scores are those of a table.
    """
    common = {"margin": margin, "relative_margin": relative_margin}
    if is_length_of_time(margin):
        common["margin"] = LengthOfTime.of(margin)
    _core.Plan([], None if is_length_of_time(margin) else margin, relative_margin)  # checks
    common = {key: value for key, value in common.items() if value is not None}
    if metrics is None:
        metrics = _all_metrics(common != {}, in_time)
    if not isinstance(metrics, Iterable):
        raise TypeError(f"metrics = {metrics!r:.40} is {type(metrics).__name__}; expected names of scores")
    chosen: dict[str, tuple[Metric, dict[str, Any]]] = {}
    for text in (metrics,) if isinstance(metrics, str) else metrics:
        metric, options = parsed(text)
        if metric.only_tables and not in_table:
            refuse_alone(metric)
        if lacks_margin(text):
            options |= {key: value for key, value in common.items() if key in metric.parameters}
        name = written(metric, options)
        if in_time and not metric.in_time:
            _core.refuse_time(name, metric.instead)
        if lacks_margin(name):
            other = " or relative_margin=" if "relative_margin" in metric.parameters else ""
            raise TypeError(f"{name} has no margin; expected margin= (0 for the same cut){other}")
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
    metrics: Iterable[str] | None,
    margin: Any,  # noqa: ANN401
    relative_margin: float | None,
    in_time: bool,
    unit: str | None = None,
) -> tuple[tuple[str, ...], _core.Plan]:
    """Return the names of the requested scores, as `chosen_metrics` does, and the core's plan for them.

    ``unit`` is the unit of timestamps, for lengths of time among the options.
    """
    texts: Any = tuple(metrics) if isinstance(metrics, list) else metrics
    is_plain = texts is None or (type(texts) is tuple and all(type(text) is str for text in texts))
    is_plain = is_plain and type(margin) in _PLAIN and type(relative_margin) in _PLAIN  # others may have no hash
    return (_cached_plan if is_plain else _plan)(texts, margin, relative_margin, in_time, unit)


def _plan(
    metrics: Iterable[str] | None,
    margin: Any,  # noqa: ANN401
    relative_margin: float | None,
    in_time: bool,
    unit: str | None,
) -> tuple[tuple[str, ...], _core.Plan]:
    if is_length_of_time(margin):
        in_units(margin, "margin", unit)  # checks
    names = tuple(chosen_metrics(metrics, margin, relative_margin, in_time))
    return names, _core.Plan(entries_of(names, unit), None, None)


_PLAIN = {int, float, type(None)}
_cached_plan = lru_cache(maxsize=256, typed=True)(_plan)


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
