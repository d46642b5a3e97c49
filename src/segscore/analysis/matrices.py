"""Scores between many segmentations: all pairs, two groups, and nearest neighbours.

Segmentations are given as sequences of interior cuts with ``n=`` or, in time, ``duration=``, or as `Segmentation`
objects, which know their length. They are read once, and no pair becomes a Python object. Several threads work without
the interpreter's lock; the numbers do not depend on the number of threads. If a segmentation has labels, the metric
must take labels: it scores the clusters, and on a side without labels every segment is a cluster of its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from .. import _core, arguments
from ..segmentation.segmentation import Cuts, Segmentation
from ..segmentation.sides import known_lengths, one_origin
from ..segmentation.timestamps import unit_beside

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Nearest", "cross", "nearest", "pairwise"]


def pairwise(
    segmentations: Iterable[Cuts],
    *,
    n: int | None = None,
    duration: float | None = None,
    metric: str = "rand_index",
    margin: float | None = None,
    threads: int | None = None,
) -> NDArray[np.float64]:
    """Compute the matrix of a score between all pairs of segmentations.

    Row i is the truth, column j the prediction. A symmetric score is computed once per pair; where the score is
    rounded, the last digit may differ from a call with swapped arguments. ``threads`` is by default the number
    of cores.

    >>> pairwise([[3, 8], [4, 8], [5]], n=10).round(3).tolist()
    [[1.0, 0.844, 0.6], [0.844, 1.0, 0.711], [0.6, 0.711, 1.0]]
    >>> pairwise([[2.5, 7.0], [3.0, 7.25]], duration=10.0).tolist()
    [[1.0, 0.90125], [0.90125, 1.0]]
    """
    given = segmentation_list(segmentations, "segmentations")
    return _matrix(given, None, n, duration, metric, margin, threads)


def cross(
    a: Iterable[Cuts],
    b: Iterable[Cuts],
    *,
    n: int | None = None,
    duration: float | None = None,
    metric: str = "rand_index",
    margin: float | None = None,
    threads: int | None = None,
) -> NDArray[np.float64]:
    """Compute the matrix of a score between truths ``a`` (rows) and predictions ``b`` (columns).

    >>> cross([[3, 8]], [[4, 8], [5]], n=10, metric="covering").round(3).tolist()
    [[0.825, 0.474]]
    """
    return _matrix(segmentation_list(a, "a"), segmentation_list(b, "b"), n, duration, metric, margin, threads)


class Nearest(NamedTuple):
    """Nearest segmentations of each query, one row per query, the nearest first."""

    indices: NDArray[np.int64]
    scores: NDArray[np.float64]  # values of the metric, with the query as the truth
    evaluated: int  # number of pairs of segmentations that were compared


def nearest(
    segmentations: Iterable[Cuts],
    queries: Iterable[Cuts],
    k: int = 1,
    *,
    n: int | None = None,
    duration: float | None = None,
    metric: str = "rand_distance",
    margin: float | None = None,
    threads: int | None = None,
) -> Nearest:
    """Find the k segmentations nearest to each query by a metric, exactly.

    The arrays have one row per query and one column per neighbour. The nearest segmentations are those with the best
    scores, as in the rows of ``cross(queries, segmentations)``: the query is the truth. Ties go to the first; scores
    that are nan come last.

    By `rand_distance` and the metrics that give the same order (`rand_index`, `mirkin_distance`,
    `normalized_mirkin_distance`), most segmentations need not be compared: two segmentations that keep P and Q pairs
    together are at least |P - Q| apart, and for many queries, the triangle inequality over a few pivots excludes more.
    By any other metric, and if a segmentation has labels, every query is compared with every segmentation. In time,
    distances that differ by less than their rounding may count as ties.

    >>> nearest([[3, 8], [4, 8], [5]], [[4, 7]], k=2, n=10).indices.tolist()
    [[1, 0]]
    >>> nearest([[3, 8], [4, 8], [5]], [[4, 7]], n=10, metric="f1(margin=1)").scores.tolist()
    [[1.0]]
    """
    import numpy as np

    given, asked = segmentation_list(segmentations, "segmentations"), segmentation_list(queries, "queries")
    if asked and all(hasattr(item, "__index__") and not hasattr(item, "__len__") for item in asked):
        raise TypeError("queries is one segmentation; expected a sequence of segmentations (use [query])")
    one_origin(segmentations=given, queries=asked)
    lengths = known_lengths(n, duration, given, asked)
    unit = unit_beside(*given, *asked)
    plan, factor = _plan(metric, margin, lengths[1] is not None, unit)
    count = min(arguments.integer(k, "k", least=1), max(1, len(given)))
    shape = len(asked), min(count, len(given))
    indices, scores = np.empty(shape, dtype=np.int64), np.empty(shape)
    evaluated = _core.nearest(plan, given, asked, *lengths, arguments.threads(threads), indices, scores)
    return Nearest(indices, scores * factor, evaluated)


def _matrix(
    rows: list[Cuts],
    columns: list[Cuts] | None,
    n: int | None,
    duration: float | None,
    metric: str,
    margin: float | None,
    threads: int | None,
) -> NDArray[np.float64]:
    import numpy as np

    one_origin(**({"segmentations": rows} if columns is None else {"a": rows, "b": columns}))
    lengths = known_lengths(n, duration, rows, columns or [])
    unit = unit_beside(*rows, *(columns or []))
    plan, factor = _plan(metric, margin, lengths[1] is not None, unit)
    result = np.empty((len(rows), len(rows if columns is None else columns)))
    _core.score_matrix(plan, rows, columns, *lengths, arguments.threads(threads), result)
    return result if factor == 1 else result * factor


def _plan(metric: str, margin: float | None, in_time: bool, unit: str | None) -> tuple[_core.Plan, float]:
    """Return the core's plan for one metric, and the factor that makes seconds of a score of timestamps."""
    from ..scores.core_plans import plan_of
    from ..scores.metric_text import parsed

    (name,), plan = plan_of([metric], margin, None, in_time, unit)
    return plan, parsed(name)[0].in_seconds(unit)


def segmentation_list(segmentations: object, name: str) -> list[Cuts]:
    if isinstance(segmentations, Segmentation | str | bytes) or not isinstance(segmentations, Iterable):
        raise TypeError(f"{name} is {segmentations!r:.40}; expected a sequence of segmentations")
    return list(segmentations)
