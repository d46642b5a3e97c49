"""Significance: the verdict on each pair of methods."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ..showing import Shown, pandas_table, plain, polars_table, same
from .failures import mean_ranks
from .flips import LEVEL, holm
from .intervals import mean_of
from .ranking import Paired, Ranking
from .wording import in_digits, signed

if TYPE_CHECKING:
    import polars as pl

__all__ = ["BETTER", "NOT_SHOWN", "WORSE", "Difference", "Differences", "compared"]

BETTER, WORSE, NOT_SHOWN = "better", "worse", "not shown"


class Difference(NamedTuple):
    """Comparison of a method with another method, which has a worse place, on the series on which both have scores."""

    method: str
    other: str
    verdict: str  # whether the method is "better", "worse", or "not shown" to differ, at the 5 % level
    mean: float  # mean difference of the scores, method - other, so it is negative if low scores are good
    low: float | None  # of the 95 % interval of the mean difference, which is not corrected for the number of pairs
    high: float | None
    wins: int  # series on which the method is better
    ties: int
    losses: int
    effect: float  # matched-pairs rank-biserial correlation, in [-1, 1]; positive if the method is better
    p: float  # uncorrected
    corrected: float  # by Holm's method, for the number of pairs; the verdict depends on it
    n: int  # series on which both methods have scores
    of: int  # series of the study

    def seen_from(self, method: str) -> Difference:
        """Return the same comparison with one of its methods first."""
        if method == self.method:
            return self
        turned = {BETTER: WORSE, WORSE: BETTER, NOT_SHOWN: NOT_SHOWN}[self.verdict]
        low, high = (None if end is None else -end for end in (self.high, self.low))
        return self._replace(
            method=self.other,
            other=self.method,
            verdict=turned,
            mean=-self.mean,
            low=low,
            high=high,
            wins=self.losses,
            losses=self.wins,
            effect=-self.effect,
        )

    @property
    def excludes_0(self) -> bool:
        """Whether the interval, which is not corrected for the number of pairs, is on one side of 0."""
        return self.low is not None and self.high is not None and not self.low <= 0 <= self.high


class Differences(NamedTuple):
    """Comparison of all pairs of methods of a leaderboard, and what may be concluded."""

    metric: str
    tests: str  # the tests of the pairs and their correction, in words
    pairs: list[Difference]
    groups: list[tuple[str, ...]]  # neighbours in mean rank of which no two are shown to differ
    reference: str | None  # the only method that is compared with the others
    conclusion: str

    def of(self, method: str) -> list[Difference]:
        """Return the comparisons of one method with the other methods."""
        return [pair.seen_from(method) for pair in self.pairs if method in pair[:2]]

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
        head = ["method", "other", "verdict", "mean", "95 %", "w/t/l", "r", "p", "corrected", "n"]
        rows = [
            [
                *(pair.method, pair.other, pair.verdict, signed(pair.mean)),
                "—" if pair.low is None or pair.high is None else f"{signed(pair.low)} to {signed(pair.high)}",
                f"{pair.wins}/{pair.ties}/{pair.losses}",
                f"{pair.effect:+.2f}",
                *(in_digits(pair.p), in_digits(pair.corrected)),
                f"{pair.n} of {pair.of}",
            ]
            for pair in self.pairs
        ]
        how = f"Pairs by {self.metric}: {self.tests}, 5 % level; intervals are not corrected for the number of pairs."
        return Shown([self.conclusion, *([how] if rows else [])], head if rows else (), "lll" + "r" * 7, rows)


def compared(board: Ranking, reference: str | None = None) -> Differences:
    """Compare all pairs of methods, or one method with all others; the result has no conclusion yet.

    This is the only place that decides about a pair.
    """
    if reference is not None and reference not in board.methods:
        raise ValueError(
            f"reference = {reference!r:.40} is not a ranked method; expected one of {', '.join(board.methods)}"
        )
    pairs = [pair for pair in board.paired if reference in (None, board.methods[pair.a], board.methods[pair.b])]
    corrected = holm([pair.tested.p for pair in pairs])
    made = [_difference_of(board, pair, p) for pair, p in zip(pairs, corrected, strict=True)]
    tests = "signed-rank test" if board.by_rank else "sign-flip test"
    if len(pairs) > 1:
        tests += f"s with Holm over {len(pairs)} pairs" + (f' with "{reference}"' if reference is not None else "")
    groups: list[tuple[str, ...]] = []
    if reference is None and len(board.methods) > 1:
        differ = {frozenset(map(board.methods.index, pair[:2])) for pair in made if pair.verdict != NOT_SHOWN}
        means = mean_ranks(board.ranks).tolist()
        groups = [tuple(board.methods[k] for k in group) for group in _neighbours(means, differ)]
    return Differences(board.metric, tests, made, groups, reference, "")


def _difference_of(board: Ranking, pair: Paired, corrected: float) -> Difference:
    mean, tested = mean_of(pair.apart), pair.tested
    # A test of ranks prefers the larger sum of ranks, and a test of means the larger mean.
    preferred = pair.ranks.effect if math.isinf(tested.low) else mean
    verdict = NOT_SHOWN if corrected > LEVEL or not preferred else BETTER if preferred > 0 else WORSE
    sign = 1.0 if board.rising else -1.0
    low, high = sorted((sign * tested.low + 0.0, sign * tested.high + 0.0))
    bounded = math.isfinite(low)
    return Difference(
        method=board.methods[pair.a],
        other=board.methods[pair.b],
        verdict=verdict,
        mean=sign * mean + 0.0,
        low=low if bounded else None,
        high=high if bounded else None,
        wins=pair.ranks.wins,
        ties=pair.ranks.ties,
        losses=pair.ranks.losses,
        effect=pair.ranks.effect,
        p=tested.p,
        corrected=corrected,
        n=len(pair.apart),
        of=board.total,
    )


def _neighbours(means: Sequence[float], differ: Collection[frozenset[int]]) -> list[tuple[int, ...]]:
    """Return the longest runs of neighbours in mean rank of which no two are shown to differ."""
    order = sorted(range(len(means)), key=means.__getitem__)
    groups: list[tuple[int, ...]] = []
    end = 0
    for start in range(len(order)):
        stop = start + 1
        while stop < len(order) and not any(frozenset((order[stop], k)) in differ for k in order[start:stop]):
            stop += 1
        if stop > end and stop - start > 1:
            groups.append(tuple(order[start:stop]))
        end = max(end, stop)
    return groups
