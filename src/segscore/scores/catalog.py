"""The catalog of all metrics, and `compare`, which computes many scores at once.

`METRICS` holds the facts about each metric. It drives `compare`, the tables of the documentation and the tests of laws.
The facts come from the core; meaning, options and reference come from the docstring and signature of the function.
"""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache, lru_cache
from typing import Any, NamedTuple, NoReturn

from .. import _core
from ..segmentation.segmentation import Cuts, known_lengths
from ..segmentation.timestamps import LengthOfTime, counted, in_units, is_length_of_time, unit_beside
from ..showing import Shown, Table
from . import annotators, boundaries, chance, curves, delays, edits, information, overlap, pairs, thresholds, windows

__all__ = [
    "LENGTHS",
    "METRICS",
    "Metric",
    "Scores",
    "canonical",
    "chosen_metrics",
    "compare",
    "metric",
    "metric_named",
    "metric_of",
]
__all__ += ["entries_of", "options_in", "parsed", "plan_of"]


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

    @property
    def power(self) -> int:
        """The power of the unit of the cuts in the score: 1 for a distance, -1 for a rate, else 0."""
        return _POWERS.get(self.name, 0)

    @property
    def needs_margin(self) -> bool:
        """Whether the metric needs a margin."""
        return "margin" in self.parameters

    @property
    def meaning(self) -> str:
        """The first line of the function's docstring."""
        return (inspect.getdoc(self.function) or "").split("\n")[0]

    @property
    def reference(self) -> str:
        """The publication that the metric comes from."""
        document = inspect.getdoc(self.function) or ""
        return " ".join(document.split("Reference")[-1].lstrip("s:").split())


_POWERS = dict.fromkeys(("hausdorff", "directed_hausdorff", "mean_error", "median_error"), 1)
_POWERS |= dict.fromkeys(("mean_delay", "delay_quantile", "average_run_length"), 1) | {"false_alarm_rate": -1}

# Options that are lengths along the series, and may be lengths of time where the cuts are timestamps.
_OPTIONS = _core.options()
LENGTHS = tuple(name for name, (kind, _) in _OPTIONS.items() if kind in ("length", "window"))

_FAMILIES = {
    family.__name__.split(".")[-1]: family
    for family in (pairs, information, chance, overlap, boundaries, curves, delays, windows, edits)
}

# The core has no rows for metrics against several annotators, because a row of the core compares two segmentations.
_OF_SEVERAL = [
    Metric(
        *(name, "annotators", 1.0, 0.0, 1.0, False, "O(r+s)", kinds, "" if "time" in kinds else f"annotated_{part}"),
        *(parameters, getattr(annotators, name), True),
    )
    for prefix, kinds in (("annotated", ("points", "time")), ("tcpdbench", ("points",)))
    for part, parameters in (("precision", ("margin",)), ("recall", ("margin",)), ("f1", ("margin",)), ("covering", ()))
    for name in (f"{prefix}_{part}",)
]

_OF_COLUMNS = [
    Metric(
        *("average_precision", "thresholds", 1.0, 0.0, 1.0, False, "O(s + r log r)", ("points", "time"), ""),
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


class _Score(NamedTuple):
    name: str
    value: float


class Scores(Table, Mapping[str, float]):
    """Scores by name: a mapping whose items are also attributes, and a table of scores.

    >>> scores = compare([3, 8], [4, 8], n=10, metrics=["rand_index", "covering"])
    >>> scores
    Scores(
        rand_index = 0.8444,  # best 1
        covering   = 0.8250,  # best 1
    )
    >>> scores.covering == scores["covering"]
    True
    >>> sorted(scores.to_dict())
    ['covering', 'rand_index']
    """

    __slots__ = ("_values",)

    def __init__(self, values: Mapping[str, float]) -> None:
        self._values = dict(values)

    def __reduce__(self) -> tuple[type[Scores], tuple[dict[str, float]]]:
        return Scores, (self._values,)

    def __getitem__(self, name: str) -> float:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __getattr__(self, name: str) -> float:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self._values[name]
        except KeyError:
            raise AttributeError(f"no score {name!r} here; there are {', '.join(self._values)}") from None

    def __dir__(self) -> Iterable[str]:
        return [*super().__dir__(), *self._values]

    def to_dict(self) -> dict[str, float]:
        """Return the scores as a plain dict."""
        return dict(self._values)

    def _table(self) -> tuple[type[_Score], Iterable[tuple[str, float]]]:
        return _Score, self._values.items()

    def __repr__(self) -> str:
        width = max(map(len, self._values), default=0)
        lines = (f"    {k:<{width}} = {_shown(v)},  # best {_best(k)}" for k, v in self._values.items())
        return "Scores(\n" + "\n".join(lines) + "\n)" if self._values else "Scores()"

    def _repr_html_(self) -> str:
        rows = [(name, _shown(value), _best(name), _meaning(name)) for name, value in self._values.items()]
        return Shown([], ("score", "value", "best", "meaning"), "lrrl", rows, most=100).html()


def compare(
    truth: Cuts,
    pred: Cuts,
    *,
    n: int | None = None,
    duration: float | None = None,
    metrics: Iterable[str] | None = None,
    margin: float | None = None,
    relative_margin: float | None = None,
) -> Scores:
    """Compute many scores of a truth and a prediction at once.

    Without ``metrics``, these are all metrics that cost O(r+s), with their default options. Metrics at a margin are
    included if a margin is given; metrics that count points are included unless the cuts are in time. Metrics of
    delays are included only if they are named, because they take the prediction as times of alarms. A metric in
    ``metrics`` that has no value for this input is an error. An entry of ``metrics`` may carry options, as `metric`
    writes them: ``"f1(margin=5)"``.

    If a side has labels, the metrics that take labels (``METRICS[name].takes_labels``) score the clusters, and all
    other metrics score the cuts as they are. Alone, such a metric refuses labels.

    >>> compare([3, 8], [4, 8], n=10, metrics=["rand_index", "f1"], margin=1).to_dict()
    {'rand_index': 0.8444444444444444, 'f1': 1.0}
    >>> from segscore import Segmentation
    >>> song = Segmentation([4, 7], ["verse", "chorus", "verse"], n=10)
    >>> compare(song, [5], metrics=["rand_index", "f1"], margin=1).to_dict()
    {'rand_index': 0.4666666666666667, 'f1': 0.6666666666666666}
    """
    if type(margin) not in _PLAIN:
        margin = counted(margin, "margin", truth, pred)
    in_time = known_lengths(n, duration, (truth, pred))[1] is not None
    if metrics is None:
        is_plain = type(margin) in _PLAIN and type(relative_margin) in _PLAIN
        make = _kept_plan_of_all if is_plain else _plan_of_all
        names, plan = make(margin, relative_margin, in_time)
    else:
        names = chosen_metrics(metrics, margin is not None or relative_margin is not None, in_time)
        plan = plan_of(names, margin, relative_margin, unit_beside(truth, pred))
    return Scores(_core.scores(plan, names, truth, pred, n, duration))


def _plan_of_all(
    margin: float | None, relative_margin: float | None, in_time: bool
) -> tuple[tuple[str, ...], _core.Plan]:
    names = _all_metrics(margin is not None or relative_margin is not None, in_time)
    return names, _plan(names, margin, relative_margin)


_PLAIN = {int, float, type(None)}  # types of margins for which plans are cached
_kept_plan_of_all = lru_cache(maxsize=256, typed=True)(_plan_of_all)


@cache
def _all_metrics(has_margin: bool, in_time: bool) -> tuple[str, ...]:
    """Return the names of the metrics that `compare` computes by default."""
    return tuple(
        name
        for name, metric in METRICS.items()
        if metric.cost == "O(r+s)"
        and metric.family != "delays"
        and not metric.only_tables
        and (has_margin or not metric.needs_margin)
        and (metric.in_time or not in_time)
    )


def chosen_metrics(
    metrics: Iterable[str] | None, has_margin: bool, in_time: bool, in_table: bool = False
) -> tuple[str, ...]:
    """Return the requested metrics in the form that `metric` writes; by default all of them.

    Raise an error if a metric is unknown or has no value. ``in_table`` says whether the scores are those of a table.
    """
    if metrics is None:
        return _all_metrics(has_margin, in_time)
    if not isinstance(metrics, Iterable):
        raise TypeError(f"metrics = {metrics!r:.40} is {type(metrics).__name__}; expected names of scores")
    names: list[str] = []
    for given in (metrics,) if isinstance(metrics, str) else metrics:
        found, options = parsed(given)
        name = _written(found, options)
        if found.only_tables and not in_table:
            refuse_alone(found)
        if found.needs_margin and not (has_margin or {"margin", "relative_margin"} & set(options)):
            other = " or relative_margin=" if "relative_margin" in found.parameters else ""
            raise TypeError(f"{name} has no margin; expected margin= (0 for the same cut){other}")
        if in_time and not found.in_time:
            _core.refuse_time(name, found.instead)
        if name in names:
            raise ValueError(f"{name} is asked for twice; expected each metric once")
        names.append(name)
    return tuple(names)


def refuse_alone(found: Metric) -> NoReturn:
    """Raise the error for a metric that only tables compute where there is one truth and one prediction."""
    if found.column is not None:
        raise ValueError(
            f"{found.name} needs a {found.column} of each predicted cut; expected a table with a column "
            f"{found.column} (segscore.score()), or segscore.{found.name}()"
        )
    raise ValueError(
        f"{found.name} compares a prediction with several annotators; expected a table with several annotators "
        f"(segscore.score()), or segscore.{found.name}()"
    )


def metric(name: str, **options: Any) -> str:  # noqa: ANN401
    """Write a metric with its options as the text that ``metrics=`` and ``metric=`` accept.

    The text is also the name of the column of scores. The options stand in the order of the metric's signature. Options
    that are equal to their default are left out, so that one definition has one text. For timestamps, ``margin``, ``k``
    and ``max_delay`` may be a timedelta, which is written as a number and one of the units d, h, min, s, ms, us, ns.

    >>> metric("f1", beta=2, margin=5.0)
    'f1(margin=5,beta=2)'
    >>> metric("f1", beta=1, margin=5)
    'f1(margin=5)'
    >>> from datetime import timedelta
    >>> metric("f1", margin=timedelta(minutes=5))
    'f1(margin=5min)'
    >>> compare([30], [34], n=100, metrics=[metric("f1", margin=3), "f1(margin=5)"]).to_dict()
    {'f1(margin=3)': 0.0, 'f1(margin=5)': 1.0}
    """
    if isinstance(name, str) and "(" in name:
        alone = metric_named(name.partition("(")[0].strip()).name
        raise ValueError(f"name = {name!r:.60} is not a name alone; expected metric({alone!r}, option=value)")
    found = metric_named(name)
    given = {key: LengthOfTime.of(x, key) if is_length_of_time(x) else x for key, x in options.items()}
    _check(found, given, found.name)
    return _written(found, given)


def parsed(text: str) -> tuple[Metric, dict[str, Any]]:
    """Return the metric that a text names, and the checked options in the text."""
    if not isinstance(text, str):
        raise TypeError(f"metric {text!r:.40} is {type(text).__name__}; expected the name of a metric")
    found, options = _parsed(text)
    return found, dict(options)


@lru_cache(maxsize=1024)
def _parsed(text: str) -> tuple[Metric, dict[str, Any]]:
    parts = re.fullmatch(r"\s*([^(),]*?)\s*(?:\(([^()]*)\)\s*)?", text)
    if parts is None:
        raise ValueError(
            f"metric {text!r:.60} is not of the form name(option=value,option=value); expected one metric per text"
        )
    name, rest = parts.groups()
    found = metric_named(name)
    options: dict[str, Any] = {}
    for item in rest.split(",") if rest and rest.strip() else []:
        key, equals, value = (part.strip() for part in item.partition("="))
        if not equals or not value:
            raise ValueError(f"metric {text!r:.60} has {item.strip()!r:.40}; expected option=value")
        if key in options:
            raise ValueError(f"metric {text!r:.60} has {key} twice; expected each option once")
        options[key] = _value(value)
    _check(found, options, text.strip(), f"{text.strip()}: ")
    return found, options


def metric_of(column: str) -> Metric | None:
    """Return the metric whose scores a column holds, by the name of the column, or None.

    >>> metric_of("window_diff(k=20)").best, metric_of("seconds")
    (0.0, None)
    """
    try:
        return parsed(column)[0]
    except (ValueError, TypeError):
        return None


def canonical(text: str) -> str:
    """Return the name of the column of a metric; return other names unchanged.

    >>> canonical("f1( margin = 5.0 )"), canonical("seconds")
    ('f1(margin=5)', 'seconds')
    """
    return text if metric_of(text) is None else _written(*parsed(text))


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


def plan_of(
    names: tuple[str, ...], margin: float | None, relative_margin: float | None, unit: str | None = None
) -> _core.Plan:
    """Return the core's plan for metrics in the form that `metric` writes.

    The margins apply to the metrics that have no margin of their own. ``unit`` is the unit of timestamps, for lengths
    of time among the options.
    """
    is_plain = type(margin) in _PLAIN and type(relative_margin) in _PLAIN
    return (_kept_plan if is_plain else _plan)(names, margin, relative_margin, unit)


def _plan(
    names: tuple[str, ...], margin: float | None, relative_margin: float | None, unit: str | None = None
) -> _core.Plan:
    return _core.Plan(entries_of(names, unit), margin, relative_margin)


def entries_of(names: tuple[str, ...], unit: str | None = None) -> list[tuple[int, tuple[Any, ...]]]:
    """Return for each metric its number in the core's catalog, and its options, with lengths of time in a unit."""
    return [_entry(*options_in(name, unit)) for name in names]


def options_in(text: str, unit: str | None) -> tuple[Metric, dict[str, Any]]:
    """Return the metric that a text names, and its options, with lengths of time as numbers of a unit."""
    found, options = parsed(text)
    for key, value in options.items():
        if isinstance(value, LengthOfTime):
            options[key] = in_units(value, f"{text}: {key}", unit)
    return found, options


def _entry(found: Metric, options: Mapping[str, Any]) -> tuple[int, tuple[Any, ...]]:
    values = tuple(options.get(key, default) for key, default in _defaults(found).items()) if options else ()
    return _numbers()[found.name], values


@cache
def _numbers() -> dict[str, int]:
    return {name: number for number, name in enumerate(METRICS)}


def _defaults(found: Metric) -> dict[str, Any]:
    """Return the default of each option. A margin has none, because the common margin replaces its default."""
    return {key: _OPTIONS[key][1] for key in found.parameters}


_kept_plan = lru_cache(maxsize=256, typed=True)(_plan)


def _check(found: Metric, options: Mapping[str, Any], text: str, where: str = "") -> None:
    """Raise an error if the metric takes no such options or values; ``where`` stands before an error about a value."""
    for key in options:
        if key not in found.parameters:
            takes = ", ".join(found.parameters) or "none"
            raise TypeError(f"{found.name} has no option {key!r}; it takes {takes}")
    for key, value in options.items():
        if key in LENGTHS and isinstance(value, str) and value.endswith("m") and LengthOfTime.read(f"{value}in"):
            raise ValueError(f"{where}{key} = {value!r:.40} is not a length of time; expected {value}in for minutes")
        if not is_length_of_time(value):
            continue
        if key not in LENGTHS:
            raise TypeError(f"{text}: {key} = {value!r:.60} is a length of time; expected a number")
        if LengthOfTime.of(value, key).seconds < 0:
            raise ValueError(f"{text}: {key} = {value!r:.60} is negative; expected 0 or more")
    # Any number in place of a length of time passes, because its unit is not known yet.
    options = {key: 1 if is_length_of_time(value) else value for key, value in options.items()}
    margins = [options.get(key) for key in ("margin", "relative_margin")]
    if None not in margins:
        raise TypeError(f"{text} has both margin and relative_margin; expected one of them")
    try:
        if found.only_tables:
            _core.Plan([], margins[0], margins[1])
        else:
            _core.Plan([_entry(found, options)], 0, None)  # the margin is for metrics without a margin of their own
    except (ValueError, TypeError) as error:
        raise type(error)(f"{where}{error}") from None


def _written(found: Metric, options: Mapping[str, object]) -> str:
    """Return the canonical text of a metric with options.

    Options stand in the order of the signature, without spaces, and each number has one text. Options that are equal to
    their default are left out, so that one definition has one text.
    """
    defaults = _defaults(found) if options else {}
    texts = {key: (_text(options[key]), _text(default)) for key, default in defaults.items() if key in options}
    given = [f"{key}={own}" for key, (own, default) in texts.items() if own not in ("None", default)]
    return f"{found.name}({','.join(given)})" if given else found.name


def _text(value: Any) -> str:  # noqa: ANN401
    """Return the one text of a value: a bool, a word, or a number, whatever type the number has.

    >>> _text(5.0), _text(1e-07), _text(10**20), _text(2**53 + 1)
    ('5', '1e-7', '1e20', '9007199254740993')
    """
    if isinstance(value, str | LengthOfTime | None) or type(value).__name__ in ("bool", "bool_"):
        return str(value)
    number = value.__index__() if hasattr(value, "__index__") else float(value)
    if abs(number) < 2**63 and number == int(number):
        return str(int(number))
    try:
        shown = repr(float(number))
    except OverflowError:
        shown = "inf"
    return re.sub(r"e\+?(-?)0*", r"e\1", shown)


def _value(text: str) -> Any:  # noqa: ANN401
    """Return the value of an option given as text: a number, a bool, a length of time as 5min, or a word.

    An integer may be written as 20.0.
    """
    if text in ("True", "true", "False", "false"):
        return text in ("True", "true")
    with suppress(ValueError):
        return int(text)
    with suppress(ValueError):
        number = float(text)
        return int(number) if number.is_integer() else number
    return LengthOfTime.read(text) or text


def _shown(value: float) -> str:
    if not math.isfinite(value) or value >= 1e6:
        return f"{value:g}"
    short = f"{value:.4f}"
    return repr(value) if float(short) in (0, 1) and float(short) != value else short


def _best(name: str) -> str:
    known = metric_of(name)
    return f"{known.best:g}" if known else "unknown"


def _meaning(name: str) -> str:
    known = metric_of(name)
    return known.meaning if known else ""
