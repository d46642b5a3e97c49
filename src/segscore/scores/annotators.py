"""Several annotators: scores against all annotators, and agreement between annotators.

``annotators`` is a mapping from names to cuts, or a sequence of cuts; cuts are given as for every score. All annotators
and the prediction have the same length: pass ``n=``, or ``duration=`` for cuts in time, or `Segmentation` objects,
which know their length. The scores of TCPDBench, `fleiss_pi` and `cohen_kappa` count points, and refuse ``duration=``.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import _core
from ..segmentation.segmentation import Cuts, Segmentation, known_lengths, one_origin
from ..segmentation.timestamps import counted
from ..showing import Result, Shown, Table, count_text, pandas_table, plain, polars_table, same
from . import edits, overlap, pairs

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "Agreement",
    "Annotated",
    "agreement",
    "annotated",
    "annotated_covering",
    "annotated_f1",
    "annotated_precision",
    "annotated_recall",
    "cohen_kappa",
    "fleiss_pi",
    "tcpdbench_covering",
    "tcpdbench_f1",
    "tcpdbench_precision",
    "tcpdbench_recall",
]

Annotators = Mapping[Any, Cuts] | Sequence[Cuts]
Side = Segmentation

MOST = 8  # annotators whose matrix of scores is shown


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
        return self._spreads[name]

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
    from . import catalog  # the catalog lists the metrics of this module, so it imports this module

    truths, found = _loaded(annotators, pred, n, duration)
    values = _together(truths, found, margin)
    values["covering"] = _mean([overlap.covering(truth, found) for truth in truths])
    values["probabilistic_rand_index"] = _mean([pairs.rand_index(truth, found) for truth in truths])
    others = None if dataset is None else [_side(cuts, found.n, found.duration, "dataset") for cuts in dataset]
    values["normalized_probabilistic_rand_index"] = _normalized(truths, found, others)
    names = metrics if metrics is None or isinstance(metrics, str) else tuple(metrics)
    scored = [catalog.compare(truth, found, metrics=names, margin=margin) for truth in truths]
    spreads = {}
    for name in scored[0]:
        each = [scores[name] for scores in scored]
        spreads[name] = Spread(_mean(each), min(each), max(each))
    return Annotated(values, spreads)


def annotated_precision(
    annotators: Annotators, pred: Cuts, *, n: int | None = None, duration: float | None = None, margin: float
) -> float:
    """Share of the predicted cuts that match a cut of any annotator.

    As ``annotated(...).precision``: the start of the sequence counts as a cut of every side, and a maximum matching
    is found. In [0, 1], best 1.

    >>> annotated_precision([[4, 8], [4]], [4, 11], n=12, margin=1)
    0.6666666666666666

    Reference: van den Burg & Williams, "An evaluation of change point detection algorithms" (2020).
    """
    return _of_all("precision", annotators, pred, n, duration, margin)


def annotated_recall(
    annotators: Annotators, pred: Cuts, *, n: int | None = None, duration: float | None = None, margin: float
) -> float:
    """Mean over the annotators of the share of their cuts that are found.

    As ``annotated(...).recall``: the start of the sequence counts as a cut of every side, and a maximum matching is
    found. In [0, 1], best 1.

    >>> annotated_recall([[4, 8], [4]], [4, 11], n=12, margin=1)
    0.8333333333333333

    Reference: van den Burg & Williams, "An evaluation of change point detection algorithms" (2020).
    """
    return _of_all("recall", annotators, pred, n, duration, margin)


def annotated_f1(
    annotators: Annotators, pred: Cuts, *, n: int | None = None, duration: float | None = None, margin: float
) -> float:
    """F1 against all annotators: harmonic mean of `annotated_precision` and `annotated_recall`.

    As ``annotated(...).f1``; TCPDBench's F1, but with a maximum matching. The mean over the annotators of `f1` is
    another number. In [0, 1], best 1.

    >>> annotated_f1([[4, 8], [4]], [4, 11], n=12, margin=1)
    0.7407407407407406

    Reference: van den Burg & Williams, "An evaluation of change point detection algorithms" (2020).
    """
    return _of_all("f1", annotators, pred, n, duration, margin)


def annotated_covering(
    annotators: Annotators, pred: Cuts, *, n: int | None = None, duration: float | None = None
) -> float:
    """Mean over the annotators of the covering of their segments by the prediction.

    As ``annotated(...).covering``. In [0, 1], best 1.

    >>> annotated_covering([[4, 8], [4]], [4, 9], n=12)
    0.8

    Reference: van den Burg & Williams, "An evaluation of change point detection algorithms" (2020).
    """
    truths, found = _loaded(annotators, pred, n, duration)
    return _mean([overlap.covering(truth, found) for truth in truths])


def tcpdbench_precision(
    annotators: Annotators, pred: Cuts, *, n: int | None = None, duration: float | None = None, margin: float = 5
) -> float:
    """Precision against all annotators with the matching and the cleaning of TCPDBench.

    The value of ``segscore.compat.tcpdbench.scores``. In [0, 1], best 1.

    >>> tcpdbench_precision([[4, 8], [4]], [4, 10], n=12, margin=1)
    0.6666666666666666

    Reference: van den Burg & Williams, "An evaluation of change point detection algorithms" (2020).
    """
    return _by_tcpdbench("precision", annotators, pred, n, duration, margin)


def tcpdbench_recall(
    annotators: Annotators, pred: Cuts, *, n: int | None = None, duration: float | None = None, margin: float = 5
) -> float:
    """Recall against all annotators with the matching and the cleaning of TCPDBench.

    The value of ``segscore.compat.tcpdbench.scores``. In [0, 1], best 1.

    >>> tcpdbench_recall([[4, 8], [4]], [4, 10], n=12, margin=1)
    0.8333333333333333

    Reference: van den Burg & Williams, "An evaluation of change point detection algorithms" (2020).
    """
    return _by_tcpdbench("recall", annotators, pred, n, duration, margin)


def tcpdbench_f1(
    annotators: Annotators, pred: Cuts, *, n: int | None = None, duration: float | None = None, margin: float = 5
) -> float:
    """F1 against all annotators with the matching and the cleaning of TCPDBench.

    The value of ``segscore.compat.tcpdbench.scores``, which depends on the order of a Python set; `annotated_f1` does
    not. In [0, 1], best 1.

    >>> tcpdbench_f1([[4, 8], [4]], [4, 10], n=12, margin=1)
    0.7407407407407406

    Reference: van den Burg & Williams, "An evaluation of change point detection algorithms" (2020).
    """
    return _by_tcpdbench("f1", annotators, pred, n, duration, margin)


def tcpdbench_covering(
    annotators: Annotators, pred: Cuts, *, n: int | None = None, duration: float | None = None
) -> float:
    """Mean covering over the annotators with the cleaning and the order of sums of TCPDBench.

    The value of ``segscore.compat.tcpdbench.scores``. In [0, 1], best 1.

    >>> tcpdbench_covering([[4, 8], [4]], [4, 9], n=12)
    0.8

    Reference: van den Burg & Williams, "An evaluation of change point detection algorithms" (2020).
    """
    return _by_tcpdbench("covering", annotators, pred, n, duration, 5)


class _Pair(NamedTuple):
    annotator: str
    against: str | None
    score: float


class Agreement(NamedTuple):
    """Agreement of annotators with each other: all pairs, leave-one-out, pi and kappa.

    ``pi`` and ``kappa`` count points; in time they are nan.
    """

    names: tuple[Hashable, ...]
    matrix: NDArray[np.float64]  # [i, j]: annotator j scored against annotator i
    leave_one_out: dict[Hashable, float]  # each annotator, scored against all others
    pi: float
    kappa: float

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as plain Python objects."""
        found: dict[str, Any] = plain(self._asdict())
        return found

    def to_polars(self) -> Any:  # noqa: ANN401
        """Return the scores of all annotators as a Polars DataFrame, one row per pair of annotators.

        ``against`` is null in the rows of scores against all other annotators.
        """
        return polars_table(*self._table())

    def to_pandas(self) -> Any:  # noqa: ANN401
        """Return the scores of all annotators as a pandas DataFrame, one row per pair of annotators.

        ``against`` is null in the rows of scores against all other annotators.
        """
        return pandas_table(*self._table())

    def _table(self) -> tuple[type[_Pair], Iterable[_Pair]]:
        names, rows = [str(name) for name in self.names], []
        for j, name in enumerate(self.names):
            rows.append(_Pair(names[j], None, self.leave_one_out[name]))
            rows += [_Pair(names[j], names[i], float(self.matrix[i, j])) for i in range(len(names)) if i != j]
        return _Pair, rows

    def __eq__(self, other: object) -> bool:
        return same(self.to_dict(), other.to_dict()) if isinstance(other, Agreement) else NotImplemented

    def __ne__(self, other: object) -> bool:  # a tuple has its own
        return not self == other

    def __repr__(self) -> str:
        return self._shown().text()

    def _repr_html_(self) -> str:
        return self._shown().html()

    def _shown(self) -> Shown:
        summary = f"mean {self.mean:.4f}, human {self.human:.4f}"
        if not math.isnan(self.pi):
            summary += f", pi {self.pi:.4f}, kappa {self.kappa:.4f}"
        columns = self.names if len(self.names) <= MOST else ()
        rows = [
            [str(name), f"{self.leave_one_out[name]:.4f}", *(f"{value:.4f}" for value in values[: len(columns)])]
            for name, values in zip(self.names, self.matrix.tolist(), strict=True)
        ]
        head = ["annotator", "leave one out", *map(str, columns)]
        line = f"{count_text(len(self.names), 'annotator')}: {summary}"
        return Shown([line], head, "l" + "r" * (len(head) - 1), rows)

    @property
    def mean(self) -> float:
        """Mean score over all pairs of different annotators."""
        count = len(self.names)
        return float((self.matrix.sum() - self.matrix.trace()) / (count * (count - 1)))

    @property
    def human(self) -> float:
        """Mean of `leave_one_out`: the score that a method must beat to outperform one more person."""
        return _mean(list(self.leave_one_out.values()))


def agreement(
    annotators: Annotators,
    *,
    n: int | None = None,
    duration: float | None = None,
    metric: str = "rand_index",
    margin: float | None = None,
    n_t: int = 2,
) -> Agreement:
    """Score each annotator against each other annotator, by any metric.

    ``leave_one_out`` scores each annotator against all others as `annotated` scores a prediction: ``precision``,
    ``recall`` and ``f1`` as `annotated` defines them, every other score as the mean over the others. ``matrix`` and
    ``mean`` always hold the plain score. ``pi`` and ``kappa`` are `fleiss_pi` and `cohen_kappa` of this one item, with
    the same ``n_t`` as the edit scores of the matrix. They count points, so in time they are nan.

    >>> people = {"Ada": [4, 8], "Ben": [4], "Cid": [5, 9]}
    >>> found = agreement(people, n=12)
    >>> found.matrix.round(3).tolist()
    [[1.0, 0.758, 0.803], [0.758, 1.0, 0.652], [0.803, 0.652, 1.0]]
    >>> round(found.mean, 3), round(found.human, 3), round(found.pi, 3)
    (0.737, 0.737, 0.403)
    >>> agreement({"Ada": [12.5, 30.0], "Ben": [13.0]}, duration=60)
    2 annotators: mean 0.7085, human 0.7085
    annotator  leave one out     Ada     Ben
    Ada               0.7085  1.0000  0.7085
    Ben               0.7085  0.7085  1.0000
    """
    import numpy as np

    from . import catalog

    sides = _sides(annotators, n, duration)
    _at_least_two(sides)

    chosen, options = catalog.parsed(metric)
    if chosen.only_tables:
        catalog.refuse_alone(chosen)
    if chosen.needs_margin and not {"margin", "relative_margin"} & set(options):
        options["margin"] = margin
    if "n_t" in chosen.parameters:
        options = {"n_t": n_t, **options}
    is_together = chosen.name in ("precision", "recall", "f1")
    if is_together and set(options) != {"margin"}:
        raise ValueError(
            f"{metric} has other options than margin; expected {chosen.name}(margin=...), because the score against "
            "several annotators has no other option"
        )

    def score(truth: Side, pred: Side) -> float:
        return chosen.function(truth, pred, **options)

    matrix = np.array([[score(truth, pred) for pred in sides.values()] for truth in sides.values()])
    left_out = {}
    for k, (name, side) in enumerate(sides.items()):
        others = [other for of, other in sides.items() if of != name]
        if is_together:
            left_out[name] = _together(others, side, options["margin"])[chosen.name] or 0.0
        else:
            left_out[name] = _mean(np.delete(matrix[:, k], k).tolist())
    pi = kappa = math.nan
    if all(side.duration is None for side in sides.values()):
        chance = chance_agreement([sides], n_t=n_t)
        pi, kappa = float(chance.pi), float(chance.kappa)
    return Agreement(tuple(sides), matrix, left_out, pi, kappa)


def fleiss_pi(
    items: Annotators | Mapping[Any, Mapping[Any, Cuts]] | Sequence[Mapping[Any, Cuts]],
    *,
    n: int | Mapping[Any, int] | Sequence[int] | None = None,
    duration: float | None = None,
    n_t: int = 2,
) -> float:
    """Agreement of annotators beyond chance by boundary similarity, with one shared cut rate.

    (A - E) / (1 - E), at most 1, best 1. A is the boundary similarity over all pairs of annotators and all items; E is
    the probability that two annotators cut the same gap by chance, if all annotators cut gaps at the same rate.
    ``items`` is one item (annotators with their cuts), or a mapping or sequence of items. Each of several items is a
    mapping from the same annotators to cuts, and ``n`` is one number for all items or one number per item. The value is
    1 if no annotator cuts anything. For two annotators it is Scott's pi. Gaps between points are counted, so
    ``duration=`` is refused.

    >>> fleiss_pi({"Ada": [4, 8], "Ben": [4, 9]}, n=12)
    0.7414529914529915

    References: Fleiss (1971); Fournier & Inkpen, "Segmentation similarity and agreement" (2012).
    """
    return float(chance_agreement(_items(items, n, duration, "fleiss_pi"), n_t=n_t).pi)


def cohen_kappa(
    items: Annotators | Mapping[Any, Mapping[Any, Cuts]] | Sequence[Mapping[Any, Cuts]],
    *,
    n: int | Mapping[Any, int] | Sequence[int] | None = None,
    duration: float | None = None,
    n_t: int = 2,
) -> float:
    """Agreement of annotators beyond chance by boundary similarity, with one cut rate each.

    As `fleiss_pi`, but E is the mean over pairs of annotators of the product of their own rates of cutting gaps.
    segeval calls it fleiss_kappa_linear.

    >>> cohen_kappa({"Ada": [4, 8], "Ben": [4]}, n=12)
    0.49159663865546216

    References: Cohen (1960); Davies & Fleiss (1982); Fournier & Inkpen (2012).
    """
    return float(chance_agreement(_items(items, n, duration, "cohen_kappa"), n_t=n_t).kappa)


class ChanceAgreement(NamedTuple):
    """Observed agreement by boundary similarity, and the agreement expected by chance, exact."""

    observed: Fraction
    expected_pi: Fraction
    expected_kappa: Fraction

    @property
    def pi(self) -> Fraction:
        """Agreement beyond chance, with one cut rate shared by all annotators."""
        return _beyond(self.observed, self.expected_pi)

    @property
    def kappa(self) -> Fraction:
        """Agreement beyond chance, with one cut rate per annotator."""
        return _beyond(self.observed, self.expected_kappa)


def chance_agreement(items: Sequence[Mapping[Any, Side]], *, n_t: int) -> ChanceAgreement:
    """Return the observed and the expected agreement over items with the same annotators."""
    if not items:
        raise ValueError("items is empty; expected at least one item")
    names = list(items[0])
    for item in items:
        _at_least_two(item)
        if set(item) != set(names):
            raise ValueError(f"items have different annotators, {names} and {list(item)}; expected the same in each")
    cuts: list[dict[Hashable, Segmentation]] = [
        {name: side.without_labels() for name, side in item.items()} for item in items
    ]
    unchanged, every = Fraction(0), 0
    for first, second in combinations(names, 2):
        for item in cuts:
            found = edits.boundary_edits(item[first], item[second], n_t=n_t)
            moved = sum(abs(truth - pred) for truth, pred in found.moved)
            unchanged += len(found.matched) + len(found.moved) - Fraction(moved, n_t)
            every += len(found.matched) + len(found.moved) + len(found.missed) + len(found.added)

    def share(sides: Iterable[Segmentation]) -> Fraction:
        sides = list(sides)
        return Fraction(sum(len(side) - 1 for side in sides), max(1, sum(side.n - 1 for side in sides)))

    alike = sum((share([side]) for item in cuts for side in item.values()), Fraction(0)) / (len(names) * len(cuts))
    own = [share(item[name] for item in cuts) for name in names]
    products = [x * y for x, y in combinations(own, 2)]
    return ChanceAgreement(
        unchanged / every if every else Fraction(1), alike * alike, sum(products, Fraction(0)) / len(products)
    )


def _beyond(observed: Fraction, expected: Fraction) -> Fraction:
    return Fraction(1) if expected == 1 else (observed - expected) / (1 - expected)


def _together(truths: list[Side], pred: Side, margin: float | None) -> dict[str, float | None]:
    """Return TCPDBench's precision, recall and F1, but with a maximum matching."""
    if margin is None:
        return {"precision": None, "recall": None, "f1": None}
    reach = counted(margin, "margin", *truths, pred)
    found = _core.together([truth._cuts for truth in truths], pred._cuts, pred.length, reach)
    return dict(zip(("precision", "recall", "f1"), found, strict=True))


def _of_all(
    part: str, annotators: Annotators, pred: Cuts, n: int | None, duration: float | None, margin: float
) -> float:
    if margin is None:
        raise TypeError(f"annotated_{part} has no margin; expected margin= (0 for the same cut)")
    return _together(*_loaded(annotators, pred, n, duration), margin)[part]  # type: ignore[return-value]


def _by_tcpdbench(
    part: str, annotators: Annotators, pred: Cuts, n: int | None, duration: float | None, margin: float
) -> float:
    from ..compat import tcpdbench

    truths, found = _loaded(annotators, pred, n, duration)
    if found.duration is not None:
        _core.refuse_time(f"tcpdbench_{part}", f"annotated_{part}")
    margin = counted(margin, "margin", *truths, found)
    scores = tcpdbench.scores({k: truth.cuts for k, truth in enumerate(truths)}, found.cuts, found.n, margin)
    return scores["cover" if part == "covering" else part]


def _normalized(truths: list[Side], pred: Side, dataset: list[Side] | None) -> float | None:
    """Return 1 - disagreement / disagreement by chance.

    This form subtracts no two numbers near 1, so it keeps its digits.
    """

    def disagreement(truth: Side, other: Side) -> float:
        counts = pairs.pair_counts(truth, other)
        return counts.truth_only + counts.pred_only

    if dataset is not None:
        if not dataset:
            raise ValueError("dataset is empty; expected segmentations of the same length")
        expected = _mean([disagreement(truth, other) for truth in truths for other in dataset])
    elif any(side.labels is not None for side in [*truths, pred]):
        return None
    else:
        r = len(pred.cuts)
        expected = _mean([_core.expected_disagreement(truth._cuts, truth.length, r) for truth in truths])
    found = _mean([disagreement(truth, pred) for truth in truths])
    if expected == 0:
        return 1.0 if found == 0 else -math.inf
    return 1 - found / expected


def _loaded(annotators: Annotators, pred: Cuts, n: int | None, duration: float | None) -> tuple[list[Side], Side]:
    """Return the segmentations of all annotators, and of the prediction."""
    named = _named(annotators)
    one_origin(annotators=named.values(), pred=[pred])
    sides = _sides(named, *known_lengths(n, duration, [pred]))
    if not sides:
        raise ValueError("annotators is empty; expected at least one annotator")
    truths = list(sides.values())
    return truths, _side(pred, truths[0].n, truths[0].duration, "pred")


def _named(annotators: Annotators) -> dict[Hashable, Cuts]:
    if isinstance(annotators, Segmentation | str) or not isinstance(annotators, Iterable):
        raise TypeError(f"annotators is {annotators!r:.40}; expected a mapping from names to cuts, or a list of cuts")
    return dict(annotators.items() if isinstance(annotators, Mapping) else enumerate(annotators))


def _sides(annotators: Annotators, n: int | None, duration: float | None = None) -> dict[Hashable, Side]:
    """Return the segmentations of all annotators, by name or by number, all of one length."""
    named = _named(annotators)
    one_origin(annotators=named.values())
    n, duration = known_lengths(n, duration, named.values())
    if n is None and duration is None and named:
        raise TypeError(
            "annotators have no length; expected n=, or Segmentation.from_ends() of lists that end with the length"
        )
    return {name: _side(cuts, n, duration, f"annotator {name!r}") for name, cuts in named.items()}


def _side(cuts: Cuts, n: int | None, duration: float | None, name: str) -> Side:
    if isinstance(cuts, Segmentation) and (cuts.duration is None) == (duration is None):
        given, unit = (n, "n") if duration is None else (duration, "duration")
        if given is not None and cuts.length != given:
            raise ValueError(
                f"{name} has {unit} = {cuts.length} but the others have {unit} = {given}; expected one length"
            )
        return cuts
    try:
        return Segmentation(cuts, n=n, duration=duration)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{name}: {error}") from None


def _items(items: Any, n: Any, duration: float | None, name: str) -> list[dict[Hashable, Side]]:  # noqa: ANN401
    """Return a list of items in points; a single item becomes a list of length 1. Refuse items in time."""
    found = _listed(items, n) if duration is None else []
    if duration is not None or any(side.duration is not None for item in found for side in item.values()):
        _core.refuse_time(name, "agreement with a metric")
    return found


def _listed(items: Any, n: Any) -> list[dict[Hashable, Side]]:  # noqa: ANN401
    inner = list(items.values() if isinstance(items, Mapping) else items)
    if not inner or not all(isinstance(item, Mapping) for item in inner):
        return [_sides(items, n)]
    if isinstance(n, Mapping):
        if not isinstance(items, Mapping) or set(n) != set(items):
            raise ValueError("n and items have different keys; expected a length for each item, by its name")
        n = [n[name] for name in items]
    lengths = list(n) if isinstance(n, Iterable) else [n] * len(inner)
    if len(lengths) != len(inner):
        raise ValueError(
            f"n has {count_text(len(lengths), 'length')} for {count_text(len(inner), 'item')}; "
            "expected one each, or one number"
        )
    return [_sides(item, length) for item, length in zip(inner, lengths, strict=True)]


def _at_least_two(sides: Mapping[Any, Any]) -> None:
    if len(sides) < 2:
        raise ValueError(f"there is {len(sides) or 'no'} annotator; expected at least two")


def _mean(values: list[float]) -> float:
    """Return the mean, added one value after another as in tables; sum() is compensated from Python 3.12 on."""
    total = 0.0
    for value in values:
        total += value
    return total / len(values)
