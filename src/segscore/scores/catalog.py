"""The catalog of all metrics.

`METRICS` holds the facts about each metric. It drives `compare`, the tables of the documentation and the tests of laws.
The facts come from the core; meaning, options and reference come from the docstring and signature of the function.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

from .. import _core
from ..segmentation.timestamps import SECONDS
from ..showing import Shown
from . import annotators, boundaries, chance, curves, delays, edits, information, overlap, pairs, thresholds, windows

__all__ = ["LENGTH_OPTIONS", "METRICS", "Metric", "core_entry", "metric_named", "option_defaults"]


class Metric(NamedTuple):
    """Facts about one metric: family, best value, bounds, symmetry, cost, kinds and options.

    ``kinds`` are the kinds of segmentations that the metric takes: points, time, labels. Bounds, best value and
    symmetry hold for the default options.
    """

    name: str
    family: str
    best: float
    low: float
    high: float
    symmetric: bool
    cost: str
    power: int  # of the unit of the cuts in the score: 1 for a distance, -1 for a rate, else 0
    kinds: tuple[str, ...]  # the kinds of segmentations that the metric takes: points, time, labels
    instead: str  # what to use instead where the cuts are times; empty if the metric takes times
    parameters: tuple[str, ...]  # options of this metric, besides the arguments that all metrics share
    function: Callable[..., float]
    only_tables: bool = False  # whether it needs more than two sides: several annotators, or a further column
    column: str | None = None  # the further column of a table that the metric reads

    @property
    def in_time(self) -> bool:
        """Whether the metric takes cuts in time, with ``duration=`` or in a Segmentation."""
        return "time" in self.kinds

    @property
    def takes_labels(self) -> bool:
        """Whether the metric takes segmentations with labels, and then scores the clusters."""
        return "labels" in self.kinds

    def in_seconds(self, unit: str | None) -> float:
        """Return the factor that makes seconds of a score of timestamps; 1 without a unit."""
        return 1.0 if unit is None else float(SECONDS[unit] ** self.power)

    @property
    def needs_margin(self) -> bool:
        """Whether the metric needs a margin."""
        return "margin" in self.parameters

    @property
    def is_always_defined(self) -> bool:
        """Whether each valid pair has a score, so that a row without a score is a failure."""
        return self.name not in _UNDEFINED

    @property
    def meaning(self) -> str:
        """The first line of the function's docstring."""
        return (inspect.getdoc(self.function) or "").split("\n")[0]

    @property
    def reference(self) -> str:
        """The publication that the metric comes from."""
        document = inspect.getdoc(self.function) or ""
        return " ".join(document.split("Reference")[-1].lstrip("s:").split())


# Metrics that are nan for some valid segmentations: without a matched, a true or a predicted cut, or for few points.
_UNDEFINED = frozenset(
    {"modified_adjusted_rand_index", "mean_error", "median_error", "pk", "window_diff", "average_precision"}
    | {"mean_delay", "delay_quantile", "miss_rate"}
)

# Options that are lengths along the series, and may be lengths of time where the cuts are timestamps.
_OPTIONS = _core.options()
LENGTH_OPTIONS = tuple(name for name, (kind, _) in _OPTIONS.items() if kind in ("length", "window"))

_FAMILIES = {
    family.__name__.split(".")[-1]: family
    for family in (pairs, information, chance, overlap, boundaries, curves, delays, windows, edits)
}

# The core has no rows for metrics against several annotators, because a row of the core compares two segmentations.
_OF_SEVERAL = [
    Metric(
        *(f"annotated_{part}", "annotators", 1.0, 0.0, 1.0, False, "O(r+s)", 0, ("points", "time"), "", parameters),
        getattr(annotators, f"annotated_{part}"),
        only_tables=True,
    )
    for part, parameters in (("precision", ("margin",)), ("recall", ("margin",)), ("f1", ("margin",)), ("covering", ()))
]

_OF_COLUMNS = [
    Metric(
        *("average_precision", "thresholds", 1.0, 0.0, 1.0, False, "O(s + r log r)", 0, ("points", "time"), ""),
        ("margin", "relative_margin"),
        thresholds.average_precision,
        only_tables=True,
        column="confidence",
    )
]


class Catalog(Mapping[str, Metric]):
    """All metrics by name: a mapping that shows itself as a table, and that cannot be changed."""

    __slots__ = ("_metrics",)

    def __init__(self, metrics: Mapping[str, Metric]) -> None:
        self._metrics = dict(metrics)

    def __getitem__(self, name: str) -> Metric:
        return self._metrics[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._metrics)

    def __len__(self) -> int:
        return len(self._metrics)

    def _shown(self) -> Shown:
        rows = [(m.name, m.family, f"{m.best:g}", ", ".join(m.kinds), m.meaning) for m in self.values()]
        return Shown([], ("metric", "family", "best", "kinds", "meaning"), "llrll", rows, most=len(rows))

    def __repr__(self) -> str:
        return self._shown().text()

    def _repr_html_(self) -> str:
        return self._shown().html()


METRICS = Catalog(
    {facts[0]: Metric(*facts, getattr(_FAMILIES[facts[1]], facts[0])) for facts in _core.metrics()}
    | {metric.name: metric for metric in (*_OF_SEVERAL, *_OF_COLUMNS)}
)
"""Facts about every metric, by its name."""


def metric_named(name: str) -> Metric:
    """Return the metric with a name; the error for an unknown name suggests a similar one."""
    if not isinstance(name, str):
        raise TypeError(f"metric {name!r:.40} is {type(name).__name__}; expected the name of a metric")
    if name in METRICS:
        return METRICS[name]
    import difflib

    near = difflib.get_close_matches(str(name), METRICS, n=1, cutoff=0.4)
    hint = f"did you mean {near[0]!r}?" if near else "segscore.METRICS lists them"
    raise ValueError(f"unknown metric {name!r}; {hint}")


def core_entry(metric: Metric, options: Mapping[str, Any]) -> tuple[int, tuple[Any, ...]]:
    """Return the number of a metric in the core's catalog, and the values of all its options."""
    values = tuple(options.get(key, default) for key, default in option_defaults(metric).items()) if options else ()
    return _numbers()[metric.name], values


@cache
def _numbers() -> dict[str, int]:
    return {name: number for number, name in enumerate(METRICS)}


def option_defaults(metric: Metric) -> dict[str, Any]:
    """Return the default of each option. A margin has none, because the common margin replaces its default."""
    return {key: _OPTIONS[key][1] for key in metric.parameters}
