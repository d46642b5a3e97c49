"""The consensus of several segmentations: their exact median under the Rand distance."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

from .. import _core
from ..segmentation.segmentation import Cuts, Segmentation
from ..segmentation.sides import known_lengths, one_origin
from ..showing import Shown, pandas_table, polars_table
from .matrices import segmentation_list

__all__ = ["Consensus", "consensus"]


class _Distance(NamedTuple):
    input: int
    distance: float  # because the number of pairs may exceed 64 bits


class Consensus(NamedTuple):
    """A consensus segmentation and the distances of the inputs from the consensus."""

    segmentation: Segmentation
    distance: int | float  # pairs of points treated differently, summed over the inputs with their weights
    distances: list[Any]  # the same per input, without weights; in time these are areas of pairs of moments

    def to_dict(self) -> dict[str, Any]:
        """Return the cuts, the length and the distances of the consensus as plain Python objects."""
        side = self.segmentation
        length = {"n": side.n} if side.duration is None else {"duration": side.duration}
        own = {"cuts": list(side.cuts), **length}
        return {"segmentation": own, "distance": self.distance, "distances": list(self.distances)}

    def to_polars(self) -> Any:  # noqa: ANN401
        """Return the distance of each input from the consensus as a Polars DataFrame."""
        return polars_table(*self._table())

    def to_pandas(self) -> Any:  # noqa: ANN401
        """Return the distance of each input from the consensus as a pandas DataFrame."""
        return pandas_table(*self._table())

    def _table(self) -> tuple[type[_Distance], Iterable[_Distance]]:
        return _Distance, [_Distance(number, float(distance)) for number, distance in enumerate(self.distances)]

    def __repr__(self) -> str:
        return self._shown().text()

    def _repr_html_(self) -> str:
        return self._shown().html()

    def _shown(self) -> Shown:
        rows = [(str(number), str(distance)) for number, distance in enumerate(self.distances)]
        lines = [f"consensus {self.segmentation}, distance {self.distance}"]
        return Shown(lines, ("input", "distance"), "rr", rows, most=10)


def consensus(
    segmentations: Iterable[Cuts],
    *,
    n: int | None = None,
    duration: float | None = None,
    weights: Iterable[float] | None = None,
) -> Consensus:
    """Compute the exact median segmentation under the Rand (Mirkin) distance.

    The consensus minimises the (weighted) number of pairs of points on which it and the inputs disagree. All its cuts
    are cuts of an input, and it has every cut that more than half of the total weight has. It is not the majority vote:
    the consensus of {1}, {2} and {3} is {2}. Ties go to the segmentation whose last cut is latest, then to the one
    whose second to last cut is latest, and so on. Integer weights are exact; with other weights sums are rounded, so
    nearly equal sums may be taken for ties. In time, distances are areas of pairs of moments, and sums have twice the
    precision of a double. The method is a pruned dynamic programme over the U distinct cuts: typically O(U K) for K
    inputs, O(U**2) at worst.

    >>> consensus([[3, 8], [4, 8], [4, 7]], n=10)
    consensus Segmentation([4, 8], n=10), distance 12
    input  distance
        0         7
        1         0
        2         5
    >>> consensus([[1], [2], [3]], n=9).segmentation
    Segmentation([2], n=9)
    >>> consensus([[2.5, 7.0], [3.0, 7.25], [3.5, 7.0]], duration=10).segmentation
    Segmentation([3.0, 7.0], duration=10.0)

    References: Mielikainen, Terzi & Tsaparas, "Aggregating time partitions" (2006); ``docs/consensus.md`` for the
    pruning.
    """
    given = segmentation_list(segmentations, "segmentations")
    if not given:
        raise ValueError("segmentations is empty; expected at least one")
    origin = one_origin(segmentations=given)
    factors = None if weights is None else [w.__index__() if hasattr(w, "__index__") else w for w in weights]
    own = known_lengths(n, duration, given)
    cuts, length, distances = _core.consensus(given, *own, factors)
    in_time = own[1] is not None
    if factors is None and not in_time:
        total: int | float = sum(distances)
    elif factors is None:
        total = math.fsum(distances)
    elif all(isinstance(w, int) for w in factors) and not in_time:
        total = sum(w * d for w, d in zip(factors, distances, strict=True))
    else:
        total = math.fsum(float(w) * d for w, d in zip(factors, distances, strict=True))
    found = Segmentation(cuts, duration=length) if in_time else Segmentation(cuts, n=length)
    return Consensus(found._from(origin), total, distances)
