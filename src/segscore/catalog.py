"""The catalog of all scores, and all of them at once.

`METRICS` says of each score what is true of it: it drives `compare`, the table of the documentation and the tests of
the laws. The core holds the facts; meaning, parameters and reference are those of the function itself.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import product
from types import MappingProxyType
from typing import NamedTuple

from . import _core, boundaries, chance, edits, information, overlap, pairs, windows
from ._score import ROWS
from .segmentation import Cuts

__all__ = ["METRICS", "Metric", "Scores", "compare"]


class Metric(NamedTuple):
    """What is true of a score. Bounds, best value and symmetry hold for its default parameters."""

    name: str
    family: str
    best: float
    low: float
    high: float
    symmetric: bool
    cost: str
    in_time: bool  # whether it takes duration=
    needs_margin: bool
    function: Callable[..., float]

    @property
    def meaning(self) -> str:
        """What it says, in one line."""
        first = (inspect.getdoc(self.function) or "").split("\n")[0]
        meaning = first.removeprefix("Return").removeprefix(",").strip()
        return meaning[:1].upper() + meaning[1:]

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of its own parameters, besides those that all scores share."""
        shared = ("truth", "pred", "n", "duration")
        return tuple(name for name in inspect.signature(self.function).parameters if name not in shared)

    @property
    def reference(self) -> str:
        """Where it comes from."""
        document = inspect.getdoc(self.function) or ""
        return " ".join(document.split("Reference")[-1].lstrip("s:").split())


_FAMILIES = {
    family.__name__.split(".")[-1]: family
    for family in (pairs, information, chance, overlap, boundaries, windows, edits)
}

METRICS: Mapping[str, Metric] = MappingProxyType(
    {row[0]: Metric(*row, getattr(_FAMILIES[row[1]], row[0])) for row in _core.metrics()}
)


_OF_CLUSTERS = ("pairs", "information", "overlap")


def _asked_for(has_margin: bool, in_time: bool, labelled: bool) -> tuple[tuple[str, ...], bytes]:
    """Return the scores that compare() gives without names, and the bytes of their rows."""
    names = tuple(
        name
        for name, metric in METRICS.items()
        if metric.cost == "O(r+s)"
        and (has_margin or not metric.needs_margin)
        and (metric.in_time or not in_time)
        and (metric.family in _OF_CLUSTERS or not labelled)
    )
    return names, bytes(ROWS[name] for name in names)


_ASKED_FOR = {case: _asked_for(*case) for case in product((False, True), repeat=3)}


class Scores(Mapping[str, float]):
    """Scores by name: a mapping that also has them as attributes.

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
        """Return a plain dict."""
        return dict(self._values)

    def __repr__(self) -> str:
        width = max(map(len, self._values), default=0)
        lines = (f"    {k:<{width}} = {_shown(v)},  # best {_best(k)}" for k, v in self._values.items())
        return "Scores(\n" + "\n".join(lines) + "\n)" if self._values else "Scores()"

    def _repr_html_(self) -> str:
        import html  # here and not above: the command line starts faster

        rows = "".join(
            f"<tr><th style='text-align:left'>{html.escape(name)}</th><td>{_shown(value)}</td>"
            f"<td>{_best(name)}</td><td style='text-align:left'>{html.escape(_meaning(name))}</td></tr>"
            for name, value in self._values.items()
        )
        return f"<table><tr><th>score</th><th>value</th><th>best</th><th>meaning</th></tr>{rows}</table>"


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
    """Return all scores, or those named, from one walk and one match.

    Without names: every score that is O(r+s), with its default parameters; those at a margin only if one is given,
    those that count points only without ``duration=``. A score that is named must have a value.

    >>> compare([3, 8], [4, 8], n=10, metrics=["rand_index", "f1"], margin=1).to_dict()
    {'rand_index': 0.8444444444444444, 'f1': 1.0}
    """
    if metrics is None:
        labelled = hasattr(truth, "_labels") or hasattr(pred, "_labels")
        has_margin = margin is not None or relative_margin is not None
        names, rows = _ASKED_FOR[has_margin, duration is not None, labelled]
        return Scores(_core.scores(names, rows, truth, pred, n, duration, margin, relative_margin))
    names = chosen_metrics(metrics, margin is not None or relative_margin is not None, duration is not None)
    rows = bytes(ROWS[name] for name in names)
    return Scores(_core.scores(names, rows, truth, pred, n, duration, margin, relative_margin))


def chosen_metrics(metrics: Iterable[str] | None, has_margin: bool, in_time: bool) -> tuple[str, ...]:
    """Return the names asked for, or raise if one of them has no value; without names those that compare() gives."""
    if metrics is None:
        return _ASKED_FOR[has_margin, in_time, False][0]
    if not isinstance(metrics, Iterable):
        raise TypeError(f"metrics = {metrics!r:.40} is {type(metrics).__name__}; expected names of scores")
    names = (metrics,) if isinstance(metrics, str) else tuple(metrics)
    for name in names:
        metric = metric_named(name)
        if metric.needs_margin and not has_margin:
            raise TypeError(f"{name} has no margin; expected margin= (0 for the same cut) or relative_margin=")
        if in_time and not metric.in_time:
            raise ValueError(f"{name} counts points; expected n=, not duration=")
    return names


def metric_named(name: str) -> Metric:
    """Return the metric of a name, or raise with the name that was probably meant."""
    if not isinstance(name, str):
        raise TypeError(f"metric {name!r:.40} is {type(name).__name__}; expected the name of a score")
    if name in METRICS:
        return METRICS[name]
    import difflib

    near = difflib.get_close_matches(str(name), METRICS, n=1, cutoff=0.4)
    hint = f"did you mean {near[0]!r}?" if near else "segscore.METRICS lists them"
    raise ValueError(f"unknown metric {name!r}; {hint}")


def _shown(value: float) -> str:
    if not math.isfinite(value) or value >= 1e6:
        return f"{value:g}"
    short = f"{value:.4f}"
    return repr(value) if float(short) in (0, 1) and float(short) != value else short


def _best(name: str) -> str:
    return f"{METRICS[name].best:g}" if name in METRICS else "unknown"


def _meaning(name: str) -> str:
    return METRICS[name].meaning if name in METRICS else ""
