"""`annotated`, which computes many scores of one prediction against several annotators."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from .. import _core
from ..segmentation.segmentation import Cuts, Segmentation
from ..showing import Result, Shown, Table, plain
from . import overlap, pairs
from .annotators import Annotators, loaded, mean_in_order, segmentation_of, together
from .compare import compare
from .metric_text import spelled

__all__ = ["Annotated", "annotated"]


class Spread(NamedTuple):
    """Mean, minimum and maximum of a score over the annotators."""

    mean: float
    min: float
    max: float


class _Score(NamedTuple):
    score: str
    all_annotators: float | None
    mean: float | None
    min: float | None
    max: float | None


class Annotated(Result, Table, Mapping[str, Spread]):
    """Scores of one prediction against several annotators.

    The attributes are scores against all annotators together. The items, by name of a metric, are the mean, minimum and
    maximum of the scores against each annotator.
    """

    __slots__ = (
        "_spreads",
        "covering",
        "f1",
        "normalized_probabilistic_rand_index",
        "precision",
        "probabilistic_rand_index",
        "recall",
    )

    precision: float | None  # against the cuts of all annotators together
    recall: float | None  # the mean over the annotators
    f1: float | None  # harmonic mean of the two
    covering: float  # the mean over the annotators
    probabilistic_rand_index: float  # the mean Rand Index
    normalized_probabilistic_rand_index: float | None

    def __init__(self, values: dict[str, float | None], spreads: dict[str, Spread]) -> None:
        for name, value in values.items():
            setattr(self, name, value)
        self._spreads = spreads

    def __getitem__(self, name: str) -> Spread:
        return self._spreads[name if name in self._spreads else spelled(name, self._spreads)]

    def __iter__(self) -> Iterator[str]:
        return iter(self._spreads)

    def __len__(self) -> int:
        return len(self._spreads)

    def to_dict(self) -> dict[str, Any]:
        """Return all scores as plain Python objects; ``spreads`` holds mean, min and max."""
        return {**self._together(), "spreads": plain(self._spreads)}

    def _together(self) -> dict[str, float | None]:
        return {name: getattr(self, name) for name in self.__slots__ if name != "_spreads"}

    def _table(self) -> tuple[type[_Score], Iterable[_Score]]:
        together = {name: value for name, value in self._together().items() if value is not None}
        names = dict.fromkeys([*together, *self])
        return _Score, [_Score(name, together.get(name), *self.get(name, (None,) * 3)) for name in names]

    def _shown(self) -> Shown:
        rows = [[name, *("" if x is None else f"{x:.4f}" for x in values)] for name, *values in self._table()[1]]
        return Shown([], ("score", "all annotators", *Spread._fields), "lrrrr", rows, most=100)


def annotated(
    annotators: Annotators,
    pred: Cuts,
    *,
    n: int | None = None,
    duration: float | None = None,
    margin: float | None = None,
    metrics: Iterable[str] | None = None,
    dataset: Iterable[Cuts] | None = None,
) -> Annotated:
    """Score one prediction against several annotators.

    ``precision``, ``recall``, ``f1``
        As in TCPDBench, but with a maximum matching (``docs/annotators.md`` says what that changes). The start of the
        sequence counts as a cut of every side. Precision is against the cuts of all annotators together, recall is the
        mean over the annotators. Without ``margin=`` these three are None.
    ``covering``
        The mean over the annotators of the covering of their segments by the prediction.
    ``probabilistic_rand_index``
        The mean Rand Index over the annotators.
    ``normalized_probabilistic_rand_index``
        (PRI - E) / (1 - E): 0 for chance, 1 for the best. E is the mean over predictions with the same number of cuts,
        all equally likely (in time, each cut uniform on (0, duration)). With ``dataset=`` (other segmentations of this
        length), E is their mean Rand Index with the annotators, which is how the authors of the score estimate chance.
        If annotators have labels, the value is None unless ``dataset=`` is given, because chance is then not known.
    ``[name]``
        The mean, minimum and maximum over the annotators of each score in ``metrics``, by default those of
        `compare`. ``["f1"].mean`` is the mean of plain F1, which differs from ``.f1``.

    >>> people = {"Ada": [4, 8], "Ben": [4], "Cid": [5, 9]}
    >>> scores = annotated(people, [4, 9], n=12, margin=1, metrics=["rand_index"])
    >>> scores
    score                                all annotators    mean     min     max
    covering                                     0.8167
    f1                                           1.0000
    normalized_probabilistic_rand_index          0.5113
    precision                                    1.0000
    probabilistic_rand_index                     0.8485
    recall                                       1.0000
    rand_index                                           0.8485  0.7727  0.8939
    >>> scores["rand_index"].mean == scores.probabilistic_rand_index
    True
    >>> annotated([[12.5, 30.0], [13.0]], [12.0, 31.5], duration=60, margin=1).f1
    0.7407407407407406

    References: van den Burg & Williams, "An evaluation of change point detection algorithms" (2020); Unnikrishnan,
    Pantofaru & Hebert, "Toward objective evaluation of image segmentation algorithms" (2007).
    """
    truths, pred = loaded(annotators, pred, n, duration)
    values = together(truths, pred, margin)
    values["covering"] = mean_in_order([overlap.covering(truth, pred) for truth in truths])
    values["probabilistic_rand_index"] = mean_in_order([pairs.rand_index(truth, pred) for truth in truths])
    others = None if dataset is None else [segmentation_of(cuts, pred.n, pred.duration, "dataset") for cuts in dataset]
    values["normalized_probabilistic_rand_index"] = _normalized(truths, pred, others)
    names = metrics if metrics is None or isinstance(metrics, str) else tuple(metrics)
    scored = [compare(truth, pred, metrics=names, margin=margin) for truth in truths]
    spreads = {}
    for name in scored[0]:
        each = [scores[name] for scores in scored]
        spreads[name] = Spread(mean_in_order(each), min(each), max(each))
    return Annotated(values, spreads)


def _normalized(truths: list[Segmentation], pred: Segmentation, dataset: list[Segmentation] | None) -> float | None:
    """Return 1 - disagreement / disagreement by chance.

    This form subtracts no two numbers near 1, so it keeps its digits.
    """

    def disagreement(truth: Segmentation, other: Segmentation) -> float:
        counts = pairs.pair_counts(truth, other)
        return counts.truth_only + counts.pred_only

    if dataset is not None:
        if not dataset:
            raise ValueError("dataset is empty; expected segmentations of the same length")
        expected = mean_in_order([disagreement(truth, other) for truth in truths for other in dataset])
    elif any(side.labels is not None for side in [*truths, pred]):
        return None
    else:
        r = len(pred.cuts)
        expected = mean_in_order([_core.expected_disagreement(truth._cuts, truth.length, r) for truth in truths])
    disagreements = mean_in_order([disagreement(truth, pred) for truth in truths])
    if expected == 0:
        return 1.0 if disagreements == 0 else -math.inf
    return 1 - disagreements / expected
