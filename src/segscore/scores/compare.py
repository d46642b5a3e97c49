"""`compare`, which computes many scores of a truth and a prediction at once."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from .. import _core
from ..segmentation.segmentation import Cuts
from ..segmentation.sides import known_lengths
from ..segmentation.timestamps import unit_beside
from ..showing import Shown, Table
from .core_plans import needing_a_margin, plan_of
from .metric_text import metric_of, short_names, spelled

__all__ = ["Scores", "compare"]


class _Score(NamedTuple):
    name: str
    value: float


class Scores(Table, Mapping[str, float]):
    """Scores by name: a mapping whose items are also attributes, and a table of scores.

    ``left_out`` names the scores at a margin that `compare` left out because no margin was given.

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

    __slots__ = ("_values", "left_out")

    def __init__(self, values: Mapping[str, float], left_out: tuple[str, ...] = ()) -> None:
        self._values, self.left_out = dict(values), left_out

    def __reduce__(self) -> tuple[type[Scores], tuple[dict[str, float], tuple[str, ...]]]:
        return Scores, (self._values, self.left_out)

    def __getitem__(self, name: str) -> float:
        try:
            return self._values[name if name in self._values else spelled(name, self._values)]
        except KeyError:
            raise KeyError(self._missing(name)) from None

    def _missing(self, name: str) -> str:
        if name in self.left_out:
            return f"{name} needs a margin; give margin= (0 for the same cut) or relative_margin="
        return f"no score {name!r} here; there are {', '.join(self._values)}"

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __getattr__(self, name: str) -> float:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self[name]
        except KeyError:
            raise AttributeError(self._missing(name)) from None

    def __dir__(self) -> Iterable[str]:
        return [*super().__dir__(), *(name.partition("(")[0] for name in self._values)]

    def to_dict(self) -> dict[str, float]:
        """Return the scores as a plain dict."""
        return dict(self._values)

    def _table(self) -> tuple[type[_Score], Iterable[tuple[str, float]]]:
        return _Score, self._values.items()

    def __repr__(self) -> str:
        margin, names = short_names([*self._values])
        width = max(map(len, names), default=0)
        values = zip(names, self._values.values(), strict=True)
        lines = [f"    {name:<{width}} = {_shown(value)},  # best {_best(name)}" for name, value in values]
        lines += [f"    # left out without margin=: {', '.join(self.left_out)}"] if self.left_out else []
        start = f"Scores(  # {margin}\n" if margin else "Scores(\n"
        return start + "\n".join(lines) + "\n)" if self._values else "Scores()"

    def _repr_html_(self) -> str:
        margin, names = short_names([*self._values])
        values = zip(names, self._values.values(), strict=True)
        rows = [(name, _shown(value), _best(name), _meaning(name)) for name, value in values]
        return Shown([margin] if margin else [], ("score", "value", "best", "meaning"), "lrrl", rows, most=100).html()


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
    included if a margin is given, and otherwise named by ``left_out``; metrics that count points are included unless
    the cuts are in time. Metrics of delays are included only if they are named, because they take the prediction as
    times of alarms. A metric in ``metrics`` that has no value for this input is an error. An entry of ``metrics`` may
    carry options, as `metric` writes them: ``"f1(margin=5)"``. ``margin`` and ``relative_margin`` are those of all
    metrics that take a margin and name none. The names of the scores have these options; a short name finds a score if
    it fits only one.

    If a side has labels, the metrics that take labels (``METRICS[name].takes_labels``) score the clusters, and all
    other metrics score the cuts and ignore the labels, here as alone.

    >>> compare([3, 8], [4, 8], n=10, metrics=["rand_index", "f1"], margin=1).to_dict()
    {'rand_index': 0.8444444444444444, 'f1(margin=1)': 1.0}
    >>> from segscore import Segmentation
    >>> song = Segmentation([4, 7], ["verse", "chorus", "verse"], n=10)
    >>> scores = compare(song, [5], metrics=["rand_index", "f1"], margin=1)
    >>> scores
    Scores(  # margin=1
        rand_index = 0.4667,  # best 1
        f1         = 0.6667,  # best 1
    )
    >>> scores["f1(margin=1)"] == scores["f1"] == scores.f1
    True
    """
    in_time = known_lengths(n, duration, (truth, pred))[1] is not None
    names, plan = plan_of(metrics, margin, relative_margin, in_time, unit_beside(truth, pred))
    no_margin = metrics is None and margin is None and relative_margin is None
    values = _core.scores(plan, names, truth, pred, n, duration)
    return Scores(values, needing_a_margin(in_time) if no_margin else ())


def _shown(value: float) -> str:
    if not math.isfinite(value) or value >= 1e6:
        return f"{value:g}"
    short = f"{value:.4f}"
    return repr(value) if float(short) in (0, 1) and float(short) != value else short


def _best(name: str) -> str:
    metric = metric_of(name)
    return f"{metric.best:g}" if metric else "unknown"


def _meaning(name: str) -> str:
    metric = metric_of(name)
    return metric.meaning if metric else ""
