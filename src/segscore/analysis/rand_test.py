"""Tests of a score against random segmentations, under a null hypothesis of `segscore.scores.nulls`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from .. import _core, arguments
from ..scores.chance import expected_rand_distance
from ..scores.core_plans import plan_of
from ..scores.metric_text import parsed
from ..scores.nulls import Null, numbered
from ..segmentation.segmentation import Cuts
from ..segmentation.sides import both, refuse_labels
from ..segmentation.timestamps import unit_beside

if TYPE_CHECKING:
    import numpy as np

__all__ = ["RandTest", "rand_test"]


class RandTest(NamedTuple):
    """Result of a test of a score against random segmentations."""

    p_value: float  # (k + 1) / (draws + 1), where k draws score at least as well
    score: float
    expected: float  # mean under the null hypothesis, in closed form or else over the draws
    null: Null
    draws: int
    metric: str

    def __repr__(self) -> str:
        return (
            f"RandTest(p_value={self.p_value:.4g}, {self.metric}={self.score:.4f}, expected={self.expected:.4f}, "
            f"null={self.null!r}, draws={self.draws})"
        )


def rand_test(
    truth: Cuts,
    pred: Cuts,
    *,
    n: int | None = None,
    duration: float | None = None,
    null: Null = "uniform",
    draws: int = 9999,
    rng: np.random.Generator | int | None = None,
    metric: str = "rand_index",
    margin: float | None = None,
) -> RandTest:
    """Test whether a score is better than the scores of random segmentations.

    ``p_value`` is (k + 1) / (draws + 1), where k of the random segmentations score at least as well. It is a valid
    p-value for any number of draws, and uses no normal approximation. ``metric`` is any metric of the catalog; a score
    is better if it is nearer to the best value. Draws whose score is nan count as at least as good; if the score itself
    is nan, so is the p-value. ``rng`` is a Generator of NumPy or a seed: the same seed gives the same draws on every
    machine. Without it the draws differ from call to call.

    >>> rand_test([100, 200, 300], [105, 200, 290], n=400, rng=1)
    RandTest(p_value=0.0005, rand_index=0.9640, expected=0.7402, null='uniform', draws=9999)
    >>> rand_test([10.5, 20.0, 30.25], [10.0, 20.5, 29.0], duration=40, rng=1, metric="f1(margin=1.5)").p_value
    0.0026
    """
    refuse_labels("chance", truth, pred)
    left, right = both(truth, pred, n, duration)
    (metric,), plan = plan_of([metric], margin, None, left.duration is not None, unit_beside(left, right))
    count = arguments.integer(draws, "draws", least=1, most=10**9)
    number, p = numbered(null, len(right.cuts), left.length)
    sides = left._cuts, right._cuts, left.length
    score, drawn = _core.drawn_scores(plan, *sides, number, p, count, arguments.seed_of(rng))
    if math.isnan(score):
        return RandTest(math.nan, score, math.nan, null, count, metric)
    chosen, _ = parsed(metric)
    more_is_better = chosen.best > chosen.low
    worse = sum(value < score for value in drawn) if more_is_better else sum(value > score for value in drawn)
    if metric in ("rand_index", "rand_distance") and null != "shuffle":
        expected = expected_rand_distance(left, len(right.cuts), null=null)
        expected = 1 - expected if metric == "rand_index" else expected
    else:
        values = [value for value in drawn if not math.isnan(value)]
        expected = math.fsum(values) / len(values) if values else math.nan
    return RandTest((count - worse + 1) / (count + 1), score, expected, null, count, metric)
