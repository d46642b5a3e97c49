"""The consensus of several segmentations: their exact median under the Rand distance."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

from . import _core
from .matrices import listed
from .segmentation import Cuts, Segmentation, known_length
from .showing import Shown, pandas_table, polars_table

__all__ = ["Consensus", "consensus"]


class _Distance(NamedTuple):
    input: int
    distance: float  # because the number of pairs may exceed 64 bits


class Consensus(NamedTuple):
    """A consensus segmentation and the distances of the inputs from the consensus."""

    segmentation: Segmentation
    distance: int | float  # pairs of points treated differently, summed over the inputs with their weights
    distances: list[int]  # the same per input, without weights

    def to_dict(self) -> dict[str, Any]:
        """Return the cuts and n of the consensus and its distances as plain Python objects."""
        own = {"cuts": list(self.segmentation.cuts), "n": self.segmentation.n}
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
    segmentations: Iterable[Cuts], *, n: int | None = None, weights: Iterable[float] | None = None
) -> Consensus:
    """Compute the exact median segmentation under the Rand (Mirkin) distance.

    The consensus minimises the (weighted) number of pairs of points on which it and the inputs disagree. All its cuts
    are cuts of an input, and it has every cut that more than half of the total weight has. It is not the majority vote:
    the consensus of {1}, {2} and {3} is {2}. Ties go to the segmentation whose last cut is latest, then to the one
    whose second to last cut is latest, and so on. Integer weights are exact; with other weights sums are rounded, so
    nearly equal sums may be taken for ties. The method is a pruned dynamic programme over the U distinct cuts:
    typically O(U K) for K inputs, O(U**2) at worst.

    >>> consensus([[3, 8], [4, 8], [4, 7]], n=10)
    consensus Segmentation([4, 8], n=10), distance 12
    input  distance
        0         7
        1         0
        2         5
    >>> consensus([[1], [2], [3]], n=9).segmentation
    Segmentation([2], n=9)

    References: Mielikainen, Terzi & Tsaparas, "Aggregating time partitions" (2006); ``docs/consensus.md`` for the
    pruning.
    """
    given = listed(segmentations, "segmentations")
    if not given:
        raise ValueError("segmentations is empty; expected at least one")
    factors = None if weights is None else [w.__index__() if hasattr(w, "__index__") else w for w in weights]
    cuts, length, distances = _core.consensus(given, known_length(n, given), factors)
    if factors is None:
        total: int | float = sum(distances)
    elif all(isinstance(w, int) for w in factors):
        total = sum(w * d for w, d in zip(factors, distances, strict=True))
    else:
        total = math.fsum(float(w) * d for w, d in zip(factors, distances, strict=True))
    return Consensus(Segmentation(cuts, n=length), total, distances)
