"""Chance-adjusted scores and tests in which chance is a random segmentation.

The adjusted Rand Index adjusts for random relabelling of the *points*, but segments are contiguous: a random contiguous
prediction has an adjusted Rand Index of 0.3 to 0.5 rather than 0. Here chance is a random segmentation, under one of
these null hypotheses:

=============  =======================================================================================================
``uniform``    the truth is fixed; the prediction has the same number of cuts, every set of gaps equally likely
``both``       both sides have the same numbers of cuts as given, every set of gaps equally likely
``bernoulli``  the truth is fixed; the prediction cuts each gap with probability p, see `bernoulli`
``shuffle``    the truth is fixed; the prediction has its own segments in a random order
=============  =======================================================================================================

Which null hypothesis is right depends on the question. Each is misleading in some cases: ``docs/chance.md`` shows them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple

from . import _core, arguments, pairs
from .segmentation import Cuts, Segmentation, both

__all__ = [
    "RandTest",
    "bernoulli",
    "exact_rand_index_variance",
    "expected_rand_distance",
    "expected_rand_index",
    "order_adjusted_mutual_information",
    "order_adjusted_rand_index",
    "rand_index_variance",
    "rand_test",
]

_NULLS = ("uniform", "both", "bernoulli", "shuffle")


class bernoulli(NamedTuple):
    """Null hypothesis in which each gap is cut independently with probability p.

    The text ``"bernoulli"`` takes as p the share of gaps that the prediction cuts.

    >>> round(expected_rand_index([4, 8], 2, n=10, null=bernoulli(0.5)), 12)
    0.744401041667
    """

    p: float


Null = str | bernoulli


def expected_rand_index(truth: Cuts, r: int, *, n: int | None = None, null: Null = "uniform") -> float:
    """Mean Rand Index of a truth and random predictions with r cuts.

    In [0, 1], in closed form, O(s) for s true cuts. For ``bernoulli(p)`` the value of r does not matter; ``shuffle``
    has no closed form. Where the value is near 1, use `expected_rand_distance`, which keeps the digits of 1 - value.

    >>> round(expected_rand_index([4, 8], 2, n=10), 12)
    0.704938271605
    >>> round(expected_rand_index([4, 8], 2, n=10, null="both"), 12)
    0.667283950617
    """
    return 1 - expected_rand_distance(truth, r, n=n, null=null)


def expected_rand_distance(truth: Cuts, r: int, *, n: int | None = None, null: Null = "uniform") -> float:
    """Mean Rand distance of a truth and random predictions with r cuts.

    The relative error is at most 1e-14.

    >>> round(expected_rand_distance([4, 8], 2, n=10), 12)
    0.295061728395
    """
    side = _points(truth, n)
    expected = _expected(side, arguments.integer(r, "r", least=0, most=max(0, side.n - 1)), null)
    return expected / (side.n * (side.n - 1) / 2) if side.n > 1 else 0.0


def rand_index_variance(truth: Cuts, r: int, *, n: int | None = None) -> float:
    """Variance of the Rand Index of a truth and random predictions with r cuts.

    O(s + D**2) for D distinct lengths of true segments. The variance is a difference of squares, with a relative error
    of about 1e-15 * mean**2 / variance. It is nan if few digits are left (very many cuts, n above 1000);
    ``docs/chance.md`` shows measured errors. The distribution is skewed, so do not derive a p-value from a normal
    distribution: use `rand_test`.

    >>> round(rand_index_variance([4, 8], 2, n=10), 12)
    0.012115531169
    """
    side = _points(truth, n)
    cuts, points = arguments.integer(r, "r", least=0, most=max(0, side.n - 1)), side.n
    if points < 2 or cuts in (0, points - 1):
        return 0.0
    variance = float(_Moments(_float_chances(points, cuts), math.fsum).variance(side))
    mean = _core.expected_disagreement(side._cuts, points, cuts)
    # The variance is a difference of squares, which has no correct digits if it is this small beside the squared mean.
    if variance > 1e-10 * mean**2:
        return variance / float(points * (points - 1) // 2) ** 2
    return float(exact_rand_index_variance(side, cuts)) if points <= 1000 else math.nan


def exact_rand_index_variance(truth: Cuts, r: int, *, n: int | None = None) -> Fraction:
    """Exact variance of the Rand Index of a truth and random predictions, as a fraction.

    `rand_index_variance` for r cuts, without rounding. It takes seconds for hundreds of cuts.

    >>> exact_rand_index_variance([4, 8], 2, n=10)
    Fraction(7949, 656100)
    """
    side = _points(truth, n)
    cuts, points = arguments.integer(r, "r", least=0, most=max(0, side.n - 1)), side.n
    if points < 2 or cuts in (0, points - 1):
        return Fraction(0)
    total = points * (points - 1) // 2
    return Fraction(_Moments(_exact_chances(points, cuts), sum).variance(side)) / total**2


def order_adjusted_rand_index(truth: Cuts, pred: Cuts, *, n: int | None = None, null: Null = "uniform") -> float:
    """Rand Index adjusted for chance under random placement of the predicted cuts.

    (RI - E) / (1 - E) = 1 - d / E[d], at most 1, best 1, O(r + s) with a factor of up to 128 for logarithms. E is the
    mean over predictions with the same number of cuts, all equally likely (or over another ``null``). The value is 1 if
    the two are identical. Not symmetric, because only the prediction is random. A cut near an end beats most random
    cuts: see ``docs/chance.md``.

    >>> round(order_adjusted_rand_index([4, 8], [3, 8], n=10), 12)
    0.47280334728
    >>> order_adjusted_rand_index([500], [250], n=1000) < 0 < 0.2 < pairs.adjusted_rand_index([500], [250], n=1000)
    True

    Reference: this library; after Gates & Ahn, "The impact of random models on clustering similarity" (2017).
    """
    if null == "uniform":
        return _core.order_adjusted_rand_index(truth, pred, n, None)
    left, right = _both(truth, pred, n)
    expected = _expected(left, len(right.cuts), null)
    counts = pairs.pair_counts(left, right)
    disagreement = counts.truth_only + counts.pred_only
    if disagreement == 0:
        return 1.0
    return 1 - disagreement / expected if expected else -math.inf


def order_adjusted_mutual_information(truth: Cuts, pred: Cuts, *, n: int | None = None) -> float:
    """Mutual information adjusted for chance under random placement of the predicted cuts.

    (MI - E) / (average entropy - E), at most 1, best 1, where E is the mean over predictions with the same number of
    cuts, all equally likely. The value is 1 if the two are identical; otherwise it is 0 if the average and E are equal.
    Not symmetric. O(n) at worst, and O(n / r) for many cuts.

    >>> round(order_adjusted_mutual_information([4, 8], [3, 8], n=10), 6)
    0.485297

    Reference: this library; after Vinh, Epps & Bailey (2010).
    """
    return _core.order_adjusted_mutual_information(truth, pred, n, None)


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
    null: Null = "uniform",
    draws: int = 9999,
    seed: int | None = None,
    metric: str = "rand_index",
    margin: float | None = None,
) -> RandTest:
    """Test whether a score is better than the scores of random segmentations.

    ``p_value`` is (k + 1) / (draws + 1), where k of the random segmentations score at least as well. It is a valid
    p-value for any number of draws, and uses no normal approximation. ``metric`` is any metric of the catalog; a score
    is better if it is nearer to the best value. Draws whose score is nan count as at least as good; if the score itself
    is nan, so is the p-value. The same ``seed`` gives the same draws on every machine; without a seed the draws differ
    from call to call.

    >>> rand_test([100, 200, 300], [105, 200, 290], n=400, seed=1)
    RandTest(p_value=0.0005, rand_index=0.9640, expected=0.7402, null='uniform', draws=9999)
    """
    from .catalog import chosen_metrics, parsed, plan_of

    (metric,) = chosen_metrics([metric], margin is not None, False)
    chosen, _ = parsed(metric)
    left, right = _both(truth, pred, n)
    count = arguments.integer(draws, "draws", least=1, most=10**9)
    number, p = numbered(null, len(right.cuts), left.n)
    plan = plan_of((metric,), margin, None)
    score, drawn = _core.drawn_scores(plan, left._cuts, right._cuts, left.n, number, p, count, arguments.seed(seed))
    if math.isnan(score):
        return RandTest(math.nan, score, math.nan, null, count, metric)
    more_is_better = chosen.best > chosen.low
    worse = sum(value < score for value in drawn) if more_is_better else sum(value > score for value in drawn)
    if metric in ("rand_index", "rand_distance") and null != "shuffle":
        expected = expected_rand_distance(left, len(right.cuts), null=null)
        expected = 1 - expected if metric == "rand_index" else expected
    else:
        values = [value for value in drawn if not math.isnan(value)]
        expected = math.fsum(values) / len(values) if values else math.nan
    return RandTest((count - worse + 1) / (count + 1), score, expected, null, count, metric)


def _points(cuts: Cuts, n: int | None) -> Segmentation:
    _refuse_labels(cuts)
    return Segmentation(cuts, n=n)


def _both(truth: Cuts, pred: Cuts, n: int | None) -> tuple[Segmentation, Segmentation]:
    _refuse_labels(truth)
    _refuse_labels(pred)
    return both(truth, pred, n)


def _refuse_labels(cuts: Cuts) -> None:
    if hasattr(cuts, "_labels"):
        raise ValueError("chance compares cuts, not labels; expected the .segmentation of the labelled segmentation")


def numbered(null: Null, r: int, n: int) -> tuple[int, float]:
    """Return the core's number of a null hypothesis, and the probability of a cut in each gap."""
    if isinstance(null, bernoulli):
        if isinstance(null.p, str) or not hasattr(null.p, "__float__"):
            raise TypeError(f"p = {null.p!r:.40} is {type(null.p).__name__}; expected a probability")
        if not 0 <= null.p <= 1:
            raise ValueError(f"p = {null.p} is not a probability; expected 0 <= p <= 1")
        return _NULLS.index("bernoulli"), float(null.p)
    if null not in _NULLS:
        raise ValueError(f"null = {null!r:.40} is unknown; expected one of {', '.join(_NULLS)}, or bernoulli(p)")
    return _NULLS.index(null), r / (n - 1) if n > 1 else 0.0


def _expected(truth: Segmentation, r: int, null: Null) -> float:
    """Return the mean number of pairs of points on which a random prediction disagrees."""
    number, p = numbered(null, r, truth.n)
    if _NULLS[number] == "shuffle":
        raise ValueError("null = 'shuffle' has no closed form; expected another null (rand_test accepts 'shuffle')")
    if _NULLS[number] == "both":
        return _core.expected_disagreement_of_both(truth.n, r, len(truth.cuts))
    if _NULLS[number] == "bernoulli":
        return _core.expected_disagreement_of_bernoulli(truth._cuts, truth.n, p)
    return _core.expected_disagreement(truth._cuts, truth.n, r)


def _exact_chances(n: int, r: int) -> Any:  # noqa: ANN401
    """Return q(k, g) = C(n - 1 - g + k, r + k) / C(n - 1, r).

    q(0, g) is the probability that none of g given gaps is cut.
    """
    every = math.comb(n - 1, r)

    @cache
    def chance(k: int, g: int) -> Fraction:
        return Fraction(math.comb(n - 1 - g + k, r + k), every) if n - 1 - g + k >= 0 else Fraction(0)

    return chance


def _float_chances(n: int, r: int) -> Any:  # noqa: ANN401
    @cache
    def chance(k: int, g: int) -> float:
        grown = math.prod((n - 1 + i) / (r + i) for i in range(1, k + 1))
        return grown * math.exp(_core.log_chance_to_miss(float(n - 1 + k), float(g), float(r + k)))

    return chance


class _Moments:
    """Second moments of the numbers of pairs together under the uniform null, by telescoping sums over gaps.

    q(k, g) - q(k, g + 1) = q(k - 1, g). So a sum of polynomial(g) q(k, g) over g equals two terms and a sum of the
    differences of the polynomial, which have a lower degree, times q(k + 1, g).
    """

    def __init__(self, chance: Any, add: Any) -> None:  # noqa: ANN401
        self.q, self.add = chance, add

    def summed(self, polynomial: Sequence[int | Fraction], k: int, low: int, high: int) -> list[Any]:
        """Return terms whose sum is that of polynomial(g) q(k, g) for g from low to high.

        The coefficients of the polynomial start with that of g**0.
        """
        terms: list[Any] = []
        while low <= high and any(polynomial):
            terms.append(_at(polynomial, low) * self.q(k + 1, low))
            terms.append(-_at(polynomial, high) * self.q(k + 1, high + 1))
            polynomial, k, low = _difference(polynomial), k + 1, low + 1
        return terms

    def variance(self, truth: Segmentation) -> Any:  # noqa: ANN401
        """Return the variance of the disagreement.

        The disagreement is P - 2 N plus a constant, for P pairs together in the prediction and N pairs together in
        both.
        """
        n, q, half = truth.n, self.q, Fraction(1, 2)
        lengths = Counter(truth.lengths)

        def square(length: int) -> list[Any]:  # terms of the mean square of the pairs together within a stretch
            return self.summed([-(length**2), length**2 + length, 0, -1], 0, 1, length - 1)

        def across(a: int, b: int) -> list[Any]:  # terms of the mean product for two different segments
            return [
                (a - 1) * (b - 1) * q(2, 2),
                -(b - 1) * (q(3, 3) - q(3, a + 2)),
                -(a - 1) * (q(3, 3) - q(3, b + 2)),
                q(4, 4) - q(4, a + 3) - q(4, b + 3) + q(4, a + b + 2),
            ]

        both_squared: list[Any] = []
        for a, times in lengths.items():
            both_squared += [times * term for term in square(a)]
            for b, others in lengths.items():
                count = times * (others - (a == b))
                both_squared += [count * term for term in across(a, b)] if count else []
        mixed: list[Any] = []
        for start, end in truth.segments:
            a, before, after = end - start, start, n - end
            # (a - g) g (g + 1) / 2 q(0, g) + (a - g) (n - 1 + g) q(1, g + 1) - (a - g) q(2, g + 2), g from 1 to a - 1
            mixed += self.summed([0, half * a, half * (a - 1), -half], 0, 1, a - 1)
            mixed += self.summed([(a + 1) * (n - 2), a + 1 - (n - 2), -1], 1, 2, a)
            mixed += [-term for term in self.summed([a + 2, -1], 2, 3, a + 1)]
            for outside in (before, after):  # k (k + 1) / 2 q(1, outside + k + 1), k from 1 to a - 1
                x = outside + 1
                shifted = [half * (x * x - x), half * (1 - 2 * x), half]
                mixed += [-term for term in self.summed(shifted, 1, outside + 2, outside + a)]
        together = self.add(self.summed([n, -1], 0, 1, n - 1))
        both = self.add([times * term for a, times in lengths.items() for term in self.summed([a, -1], 0, 1, a - 1)])
        return (
            self.add([*square(n), *(-4 * term for term in mixed), *(4 * term for term in both_squared)])
            - (together - 2 * both) ** 2
        )


def _at(polynomial: Sequence[int | Fraction], g: int) -> int | Fraction:
    value: int | Fraction = 0
    for coefficient in reversed(polynomial):
        value = value * g + coefficient
    return value


def _difference(polynomial: Sequence[int | Fraction]) -> list[int | Fraction]:
    """Return the coefficients of p(g) - p(g - 1)."""
    result: list[int | Fraction] = [0] * (len(polynomial) - 1)
    for power, coefficient in enumerate(polynomial):
        for lower in range(power):
            result[lower] -= coefficient * math.comb(power, lower) * (-1) ** (power - lower)
    return result
