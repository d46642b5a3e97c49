"""The consensus of several segmentations: the one with the least sum of Rand distances to all of them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

from . import _core
from .matrices import known_length, listed
from .segmentation import Cuts, Segmentation

__all__ = ["Consensus", "consensus"]


class Consensus(NamedTuple):
    """A consensus, and how far it is from what it was made of."""

    segmentation: Segmentation
    distance: int | float  # pairs of points treated differently, summed over the inputs with their weights
    distances: list[int]  # the same for each input, unweighted


def consensus(
    segmentations: Iterable[Cuts], *, n: int | None = None, weights: Iterable[float] | None = None
) -> Consensus:
    """Return the exact median segmentation under the Rand (Mirkin) distance.

    No other segmentation has a smaller (weighted) sum of pairs on which it and the inputs disagree. All its cuts are
    cuts of an input, and a cut that more than half of the weight has is always in it; but it is not the majority vote:
    of {1}, {2} and {3} the consensus is {2}. Of several with the same sum it is the one whose last cut is latest, then
    the one before it, and so on. Integer weights are exact; with others, sums are rounded, and nearly equal ones may
    be taken for each other. A pruned dynamic programme over the U different cuts: O(U K) for K inputs as a rule,
    O(U**2) at worst.

    >>> consensus([[3, 8], [4, 8], [4, 7]], n=10)
    Consensus(segmentation=Segmentation([4, 8], n=10), distance=12, distances=[7, 0, 5])
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
