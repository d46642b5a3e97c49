"""Significance: which differences between methods are statistically significant."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import arguments
from ..showing import Shown, pandas_table, plain, polars_table, same
from .intervals import mean_of
from .rank_tests import friedman_test, mean_ranks, neighbours, nemenyi_difference, nemenyi_test
from .ranking import Paired, Ranking
from .signed_ranks import LEVEL, Probabilities, holm, needed, probabilities
from .wording import in_digits, p_value, signed

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Difference", "Differences", "check_comparison", "compared"]

CERTAIN = 0.95  # posterior probability that a Bayesian verdict needs
ROPE = 0.01  # region of practical equivalence of scores between 0 and 1
TESTS = {"exact": "exact signed-rank tests", "nemenyi": "Nemenyi's test", "bayes": "Bayesian signed-rank tests"}


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

    def to_polars(self) -> pl.DataFrame:
        """Return the pairs as a Polars DataFrame, one row per pair of methods."""
        table: pl.DataFrame = polars_table(Difference, self.pairs)
        return table

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


def check_comparison(board: Ranking, kind: str, reference: str | None, rope: float | None) -> None:
    """Raise an error for a comparison that is unknown, or that has no meaning for the methods of a board."""
    arguments.choice(kind, "kind", TESTS)
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
    metric = board.cells.metric
    if kind == "bayes" and rope is None and not (metric and metric.low >= 0 and metric.high <= 1):
        raise ValueError(
            f"rope= is missing, and {board.metric!r} is not known to lie in [0, 1], where rope is {ROPE}; expected the "
            "largest difference that does not matter"
        )


def compared(board: Ranking, kind: str, reference: str | None, rope: float | None) -> Differences:
    """Compare all pairs of methods, or one method with all others; the result has no conclusion yet."""
    if kind == "bayes" and rope is None:
        rope = ROPE
    pairs = [pair for pair in board.paired if reference in (None, board.methods[pair.a], board.methods[pair.b])]
    tests = TESTS[kind] if len(pairs) != 1 else TESTS[kind].removesuffix("s")
    if kind == "exact" and len(pairs) > 1:
        tests += f" with Holm over {len(pairs)} pairs" + (f' with "{reference}"' if reference is not None else "")
    elif kind == "bayes":
        tests += f" with rope {rope:g}"
    statistic, friedman = friedman_test(board.ranks)
    found = Differences(board.metric, kind, tests, statistic, friedman, [], [], None, reference, rope, "")
    if not pairs:
        return found
    means = mean_ranks(board.ranks)
    if kind == "bayes":
        tested_pairs = [_bayesian(board, pair, rope or 0.0) for pair in pairs]
    else:
        tested = [_testable_p(board, pair, kind) for pair in pairs]
        if kind == "exact":
            corrected = holm([1.0 if p is None else p for p in tested])
        else:
            corrected = nemenyi_test(board.ranks, [pair[:2] for pair in pairs])
        tested_pairs = [
            _difference_of(
                *(board, pair, p, None if p is None else q, None),
                pair.ranks.effect if kind == "exact" else float(means[pair.b] - means[pair.a]),
            )
            for pair, p, q in zip(pairs, tested, corrected, strict=True)
        ]
    possible = kind == "bayes" or len(board.series) >= needed(1)  # without a test, nothing is known to be alike
    groups: list[tuple[str, ...]] = []
    if reference is None and possible:
        differ = {frozenset(map(board.methods.index, pair[:2])) for pair in tested_pairs if pair.significant}
        groups = [tuple(board.methods[k] for k in group) for group in neighbours(means.tolist(), differ)]
    critical = nemenyi_difference(board.ranks) if kind == "nemenyi" and possible else None
    return found._replace(pairs=tested_pairs, groups=groups, critical=critical)


def _testable_p(board: Ranking, pair: Paired, kind: str) -> float | None:
    """Return the exact p of a pair, or None if no test can reach 5 %."""
    used = pair.ranks.wins + pair.ranks.losses if kind == "exact" else len(board.series)
    return pair.ranks.p if used >= needed(1) else None


def _difference_of(
    board: Ranking,
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


def _bayesian(board: Ranking, pair: Paired, rope: float) -> Difference:
    chances = probabilities(pair.apart, rope, board.seed)
    return _difference_of(board, pair, None, None, chances, chances.better - chances.worse)
