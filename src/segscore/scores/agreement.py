"""Agreement of annotators with each other.

Annotators are given as for `annotated`: a mapping from names to cuts, or a sequence of cuts. `fleiss_pi` and
`cohen_kappa` count points, and refuse ``duration=``.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import _core
from ..segmentation.segmentation import Cuts, Segmentation
from ..showing import Shown, count_text, pandas_table, plain, polars_table, same
from . import edits
from .annotators import Annotators, mean_in_order, segmentations_of, together
from .core_plans import refuse_alone
from .metric_text import parsed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Agreement", "ChanceAgreement", "agreement", "chance_agreement", "cohen_kappa", "fleiss_pi"]

MOST = 8  # annotators whose matrix of scores is shown


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
        return mean_in_order(list(self.leave_one_out.values()))


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

    sides = segmentations_of(annotators, n, duration)
    _at_least_two(sides)

    chosen, options = parsed(metric)
    if chosen.only_tables:
        refuse_alone(chosen)
    if chosen.needs_margin and not {"margin", "relative_margin"} & set(options):
        options["margin"] = margin
    if "n_t" in chosen.parameters:
        options = {"n_t": n_t, **options}
    is_together = chosen.name in ("precision", "recall", "f1")
    if is_together and set(options) != {"margin"}:
        raise ValueError(
            f"{metric}: only margin is supported with several annotators; expected {chosen.name}(margin=...)"
        )

    def score(truth: Segmentation, pred: Segmentation) -> float:
        return chosen.function(truth, pred, **options)

    matrix = np.array([[score(truth, pred) for pred in sides.values()] for truth in sides.values()])
    left_out = {}
    for k, (name, side) in enumerate(sides.items()):
        others = [other for of, other in sides.items() if of != name]
        if is_together:
            left_out[name] = together(others, side, options["margin"])[chosen.name] or 0.0
        else:
            left_out[name] = mean_in_order(np.delete(matrix[:, k], k).tolist())
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


def chance_agreement(items: Sequence[Mapping[Any, Segmentation]], *, n_t: int) -> ChanceAgreement:
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


def _items(items: Any, n: Any, duration: float | None, name: str) -> list[dict[Hashable, Segmentation]]:  # noqa: ANN401
    """Return a list of items in points; a single item becomes a list of length 1. Refuse items in time."""
    found = _listed(items, n) if duration is None else []
    if duration is not None or any(side.duration is not None for item in found for side in item.values()):
        _core.refuse_time(name, "agreement with a metric")
    return found


def _listed(items: Any, n: Any) -> list[dict[Hashable, Segmentation]]:  # noqa: ANN401
    inner = list(items.values() if isinstance(items, Mapping) else items)
    if not inner or not all(isinstance(item, Mapping) for item in inner):
        return [segmentations_of(items, n)]
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
    return [segmentations_of(item, length) for item, length in zip(inner, lengths, strict=True)]


def _at_least_two(sides: Mapping[Any, Any]) -> None:
    if len(sides) < 2:
        raise ValueError(f"there is {len(sides) or 'no'} annotator; expected at least two")
