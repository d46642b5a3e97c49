"""Significance: which differences between methods are statistically significant."""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import arguments
from ..scores.catalog import metric_of
from ..showing import Shown, pandas_table, plain, polars_table, same
from .conclusions import conclusion, in_digits, p_value, signed
from .intervals import Interval, intervals, mean_of
from .rank_tests import critical_difference, friedman_test, neighbours, nemenyi_test
from .signed_ranks import LEVEL, NEAR, Probabilities, SignedRanks, holm, needed, probabilities, signed_ranks

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from .leaderboard import Leaderboard

__all__ = ["Difference", "Differences", "Paired", "differences", "paired"]

CERTAIN = 0.95  # posterior probability that a Bayesian verdict needs
ROPE = 0.01  # region of practical equivalence of scores between 0 and 1
KINDS = {"exact": "exact signed-rank tests", "nemenyi": "Nemenyi's test", "bayes": "Bayesian signed-rank tests"}


class Difference(NamedTuple):
    """Comparison of two methods over the series on which both have scores.

    The better method is the one that the test prefers if the difference is significant, and otherwise the one with the
    better mean.
    """

    better: str
    worse: str
    mean: float  # mean difference of the scores, better - worse, so it is negative if low scores are good
    low: float | None  # of the 95 % interval of the mean difference; None if there are fewer than 10 series or groups
    high: float | None
    share: float  # share of the series on which the better method is better; ties count half
    wins: int  # of the better method
    ties: int
    losses: int
    effect: float  # matched-pairs rank-biserial correlation, in [-1, 1]
    p: float | None  # exact and uncorrected; None if no test can reach 5 %, and for Bayesian tests
    corrected: float | None  # corrected for the number of pairs
    p_better: float | None  # posterior probabilities of the Bayesian test
    p_same: float | None
    p_worse: float | None
    significant: bool  # whether the corrected p is below 5 %, or for Bayesian tests p_better at least 95 %
    verdict: str  # "better", "mostly better", "better on average", "same" or "undecided"
    n: int  # series on which both methods have scores
    of: int  # series of the study


class Differences(NamedTuple):
    """Comparison of all pairs of methods of a leaderboard, and what may be concluded."""

    metric: str
    kind: str
    tests: str  # the tests of the pairs and their correction, in words
    statistic: float | None  # of the Friedman test of all methods, which needs three methods
    friedman: float | None  # its p, which decides nothing
    pairs: list[Difference]
    groups: list[
        tuple[str, ...]
    ]  # neighbours in rank of which no two differ significantly; none if no test is possible
    critical: float | None  # for Nemenyi: the smallest significant difference of mean ranks
    reference: str | None  # the only method that is compared with the others
    rope: float | None  # for Bayesian tests: the largest difference that does not matter
    conclusion: str

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as plain Python objects."""
        found: dict[str, Any] = plain(self._asdict())
        return found

    def to_polars(self) -> Any:  # noqa: ANN401
        """Return the pairs as a Polars DataFrame, one row per pair of methods."""
        return polars_table(Difference, self.pairs)

    def to_pandas(self) -> Any:  # noqa: ANN401
        """Return the pairs as a pandas DataFrame, one row per pair of methods."""
        return pandas_table(Difference, self.pairs)

    def __eq__(self, other: object) -> bool:
        return same(self.to_dict(), other.to_dict()) if isinstance(other, Differences) else NotImplemented

    def __ne__(self, other: object) -> bool:  # a tuple has its own
        return not self == other

    def __repr__(self) -> str:
        return self._shown().text()

    def _repr_html_(self) -> str:
        return self._shown().html()

    def _shown(self) -> Shown:
        lines = [self.conclusion]
        if self.pairs:
            lines.append(f"Tests of pairs by {self.metric}: {self.tests}.")
        if self.friedman is not None:
            lines.append(f"Friedman test of all methods: {p_value(self.friedman)}.")
        head, align = ["better", "worse", "mean", "95 %", "w/t/l", "r"], "llrrrr"
        head += ["worse, same, better"] if self.kind == "bayes" else ["p", "corrected"]
        rows = [
            [
                *(pair.better, pair.worse, signed(pair.mean)),
                "–" if pair.low is None or pair.high is None else f"{signed(pair.low)} to {signed(pair.high)}",
                f"{pair.wins}/{pair.ties}/{pair.losses}",
                f"{pair.effect:+.2f}",
                *_evidence(pair, self.kind),
                *(f"{pair.n} of {pair.of}", pair.verdict),
            ]
            for pair in self.pairs
        ]
        return Shown(lines, [*head, "n", "verdict"] if rows else (), align + "r" * (len(head) - 5) + "l", rows)


def _evidence(pair: Difference, kind: str) -> list[str]:
    if kind == "bayes":
        return [", ".join(f"{x:.3f}" for x in (pair.p_worse, pair.p_same, pair.p_better) if x is not None)]
    return ["–" if p is None else in_digits(p) for p in (pair.p, pair.corrected)]


def differences(
    board: Leaderboard,
    kind: str = "exact",
    *,
    reference: str | None = None,
    rope: float | None = None,
    secondary: bool = False,
) -> Differences:
    """Compare all pairs of methods of a leaderboard, or one method with all others."""
    _check(board, kind, reference, rope)

    def compared(other: Leaderboard) -> Differences:
        return _compared(other, kind, reference, rope)

    arguments.flag(secondary, "secondary")
    found = compared(board)
    return found._replace(conclusion=conclusion(board, found, compared, secondary))


def _check(board: Leaderboard, kind: str, reference: str | None, rope: float | None) -> None:
    arguments.choice(kind, "kind", KINDS)
    if reference is not None and kind == "nemenyi":
        raise ValueError(
            f"reference = {reference!r:.40} has no meaning for kind='nemenyi', which compares all pairs; expected "
            "kind='exact' or 'bayes'"
        )
    if reference is not None and reference not in board.methods:
        raise ValueError(
            f"reference = {reference!r:.40} is not a ranked method; expected one of {', '.join(board.methods)}"
        )
    if rope is not None and kind != "bayes":
        raise ValueError(f"rope = {rope!r:.40} has no meaning for kind={kind!r}; expected kind='bayes'")
    if rope is not None and not 0 <= rope < math.inf:
        raise ValueError(f"rope = {rope!r:.40} is not a difference; expected a finite number, 0 or more")
    metric = metric_of(board.metric)
    if kind == "bayes" and rope is None and not (metric and metric.low >= 0 and metric.high <= 1):
        raise ValueError(
            f"rope= is missing, and {board.metric!r} is not known to lie in [0, 1], where rope is {ROPE}; expected the "
            "largest difference that does not matter"
        )


class Paired(NamedTuple):
    """Two methods by their places, and how much better the first one is on each common series."""

    a: int
    b: int
    apart: NDArray[np.float64]
    ranks: SignedRanks
    interval: Interval | None  # of the mean of apart


def _compared(board: Leaderboard, kind: str, reference: str | None, rope: float | None) -> Differences:
    """Return all comparisons, without a conclusion."""
    if kind == "bayes" and rope is None:
        rope = ROPE
    pairs = [pair for pair in board.paired if reference in (None, board.methods[pair.a], board.methods[pair.b])]
    tests = KINDS[kind] if len(pairs) != 1 else KINDS[kind].removesuffix("s")
    if kind == "exact" and len(pairs) > 1:
        tests += f" with Holm over {len(pairs)} pairs" + (f' with "{reference}"' if reference is not None else "")
    elif kind == "bayes":
        tests += f" with rope {rope:g}"
    statistic, friedman = friedman_test(board)
    found = Differences(board.metric, kind, tests, statistic, friedman, [], [], None, reference, rope, "")
    if not pairs:
        return found
    if kind == "bayes":
        compared = [_bayesian(board, pair, rope or 0.0) for pair in pairs]
    else:
        tested = [_tested(board, pair, kind) for pair in pairs]
        own = [1.0 if p is None else p for p in tested]
        corrected = holm(own) if kind == "exact" else nemenyi_test(board, pairs)
        ranks = board.ranks.mean(axis=1)
        compared = [
            _difference(
                *(board, pair, p, None if p is None else q, None),
                pair.ranks.effect if kind == "exact" else float(ranks[pair.b] - ranks[pair.a]),
            )
            for pair, p, q in zip(pairs, tested, corrected, strict=True)
        ]
    possible = kind == "bayes" or len(board.series) >= needed(1)  # without a test, nothing is known to be alike
    groups = neighbours(board, compared) if reference is None and possible else []
    critical = critical_difference(board) if kind == "nemenyi" and possible else None
    return found._replace(pairs=compared, groups=groups, critical=critical)


def paired(board: Leaderboard) -> list[Paired]:
    """Return the paired differences of all pairs of methods."""
    places = list(combinations(range(len(board.methods)), 2))
    if not board.series:
        return []
    apart = [_apart(board, a, b) for a, b in places]
    found: list[Interval | None] = [None] * len(places)
    alike: dict[bytes, list[int]] = {}  # pairs with the same common series
    for k, (common, _) in enumerate(apart):
        alike.setdefault(common.tobytes(), []).append(k)
    for members in alike.values():
        common = apart[members[0]][0]
        groups = board.groups and [group for group, used in zip(board.groups, common, strict=True) if used]
        own_intervals = intervals([apart[k][1] for k in members], groups, board.seed)
        for k, each in zip(members, own_intervals, strict=True):
            found[k] = each
    return [
        Paired(a, b, values, signed_ranks(values), each)
        for (a, b), (_, values), each in zip(places, apart, found, strict=True)
    ]


def _apart(board: Leaderboard, a: int, b: int) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Return which series both methods have, and how much better the first method is on each of these."""
    import numpy as np

    one, other = board.values[a], board.values[b]
    common = ~np.isnan(one) & ~np.isnan(other)
    one, other = one[common], other[common]
    with np.errstate(invalid="ignore"):
        apart = one - other
    size = np.maximum(np.abs(one), np.abs(other))
    rounding = np.isfinite(size) & (np.abs(apart) <= NEAR * size)  # means of the same scores in another order
    apart[np.isnan(apart) | rounding] = 0.0  # nan: both scores are infinite
    return common, apart if board.rising else 0.0 - apart


def _tested(board: Leaderboard, pair: Paired, kind: str) -> float | None:
    """Return the exact p of a pair, or None if no test can reach 5 %."""
    used = pair.ranks.wins + pair.ranks.losses if kind == "exact" else len(board.series)
    return pair.ranks.p if used >= needed(1) else None


def _difference(
    board: Leaderboard,
    pair: Paired,
    p: float | None,
    corrected: float | None,
    chances: Probabilities | None,
    direction: float,
) -> Difference:
    """Put the better method first, and decide what may be said about the pair.

    ``direction`` is positive if the test prefers the first method.
    """
    mean = mean_of(pair.apart)
    low, high = pair.interval[:2] if pair.interval else (0.0, 0.0)
    possible = p is not None or chances is not None
    beyond = ((low > 0) - (high < 0)) if possible else 0  # side of 0 on which the interval is, if it is on one side
    if chances is None:
        significant = corrected is not None and corrected < LEVEL
    else:
        significant = max(chances.better, chances.worse) >= CERTAIN
    turned = (direction if significant else beyond or (0.0 if mean != mean else mean) or direction) < 0
    if significant:
        verdict = "better" if chances or beyond == (-1 if turned else 1) else "mostly better"
    elif chances:
        verdict = "same" if chances.same >= CERTAIN else "undecided"
    else:
        verdict = "better on average" if beyond else "undecided"
    sign = (1 if board.rising else -1) * (-1 if turned else 1)  # differences of scores, better - worse
    ends = sorted((sign * low, sign * high)) if pair.interval else (None, None)
    wins, ties, losses = pair.ranks[:3]
    if turned:
        wins, losses, chances = losses, wins, Probabilities(*chances[::-1]) if chances else None
    better, worse = (pair.b, pair.a) if turned else (pair.a, pair.b)
    number = len(pair.apart)
    return Difference(
        better=board.methods[better],
        worse=board.methods[worse],
        mean=sign * mean,
        low=ends[0],
        high=ends[1],
        share=(wins + ties / 2) / number if number else math.nan,
        wins=wins,
        ties=ties,
        losses=losses,
        effect=-pair.ranks.effect if turned else pair.ranks.effect,
        p=p,
        corrected=corrected,
        p_better=chances.better if chances else None,
        p_same=chances.same if chances else None,
        p_worse=chances.worse if chances else None,
        significant=significant,
        verdict=verdict,
        n=number,
        of=board.total,
    )


def _bayesian(board: Leaderboard, pair: Paired, rope: float) -> Difference:
    chances = probabilities(pair.apart, rope, board.seed)
    return _difference(board, pair, None, None, chances, chances.better - chances.worse)
