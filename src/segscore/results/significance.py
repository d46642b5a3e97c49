"""Significance: which differences between the methods of a leaderboard are statistically significant."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

from ..optional import library
from ..showing import Shown, pandas_table, plain, polars_table, same

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from .leaderboards import Leaderboard

__all__ = ["LEVEL", "Difference", "Differences", "differences"]

LEVEL = 0.05  # significance level of all tests


class Difference(NamedTuple):
    """Comparison of two methods.

    Wilcoxon tests take as the better method the one with the larger sum of signed ranks, Nemenyi's test the one with
    the better mean rank.
    """

    better: str
    worse: str
    p: float  # corrected for the number of comparisons
    share: float  # share of the common series on which the better method is better; ties count half
    mean: float  # mean difference of the scores on the common series
    significant: bool  # whether p and, if there is a Friedman test, its p are below 5 %
    series: int  # number of common series: those on which both methods have scores


class Differences(NamedTuple):
    """Result of the significance tests: one test over all methods, then one per pair."""

    test: str
    statistic: float
    p: float
    posthoc: str
    pairs: list[Difference]
    groups: list[tuple[str, ...]]  # neighbours in rank without a significant difference
    critical: float | None  # for Nemenyi: the smallest significant difference of mean ranks
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
        overall = f"{self.test}, p = {self.p:.2g}" if self.p == self.p else self.test
        lines = [self.conclusion, f"Test of all methods: {overall}. Tests of pairs: {self.posthoc}."]
        rows = [
            [
                *(pair.better, pair.worse, f"{pair.p:.2g}", f"{pair.share:.3f}", f"{pair.mean:.4f}"),
                *("yes" if pair.significant else "no", str(pair.series)),
            ]
            for pair in self.pairs
        ]
        return Shown(lines, Difference._fields if rows else (), "llrrrlr" if rows else "", rows)


def differences(board: Leaderboard, posthoc: str) -> Differences:
    """Test whether the methods of a leaderboard differ, and which pairs do."""
    import numpy as np

    if posthoc not in ("wilcoxon", "nemenyi"):
        raise ValueError(f"posthoc = {posthoc!r:.40} is unknown; expected 'wilcoxon' or 'nemenyi'")
    methods, count = board.methods, len(board.series)
    title = {"wilcoxon": "Wilcoxon signed-rank tests with Holm's correction", "nemenyi": "Nemenyi's test"}[posthoc]
    if len(methods) < 2 or count < 2:
        why = f"{_many(len(methods), 'method')} on {count} series"
        return Differences("none", np.nan, np.nan, title, [], [], None, f"There is nothing to compare: {why}.")
    stats = library("scipy.stats", extra="report")
    statistic, p = np.nan, np.nan
    if len(methods) > 2:
        with np.errstate(invalid="ignore", divide="ignore"):
            statistic, p = map(float, stats.friedmanchisquare(*-board.ranks))
        p = 1.0 if np.isnan(p) else p  # all scores are equal
    critical = None
    if posthoc == "nemenyi":
        studentized = stats.studentized_range.ppf(1 - LEVEL, len(methods), np.inf) / np.sqrt(2)
        critical = float(studentized * np.sqrt(len(methods) * (len(methods) + 1) / (6 * count)))
    corrected = _corrected(board, posthoc)
    pairs = []
    ranks = board.ranks.mean(axis=1)
    for (a, b), own in zip(combinations(range(len(methods)), 2), corrected, strict=True):
        apart = _apart(board, a, b)
        signed = float((np.sign(apart) * stats.rankdata(np.abs(apart))).sum()) if posthoc == "wilcoxon" else 0.0
        if signed < 0 or (signed == 0 and ranks[b] < ranks[a]):
            a, b, apart = b, a, -apart
        share = float(((apart > 0) + (apart == 0) / 2).mean()) if apart.size else np.nan
        mean = float(apart.mean() if board.rising else -apart.mean()) if apart.size else np.nan
        significant = bool(own < LEVEL and (np.isnan(p) or p < LEVEL))
        pairs.append(Difference(methods[a], methods[b], float(own), share, mean, significant, apart.size))
    test = "Friedman test" if len(methods) > 2 else "none, for two methods"
    found = Differences(test, statistic, p, title, pairs, _groups(board, pairs), critical, "")
    return found._replace(conclusion=_conclusion(board, found))


def _apart(board: Leaderboard, a: int, b: int) -> NDArray[np.float64]:
    """Return how much better one method is than another on each series scored for both."""
    import numpy as np

    both = ~np.isnan(board.values[a]) & ~np.isnan(board.values[b])
    with np.errstate(invalid="ignore"):
        apart = (board.values[a] - board.values[b])[both]
    apart = np.where(np.isnan(apart), 0.0, apart)  # both scores are infinite
    return apart if board.rising else -apart


def _corrected(board: Leaderboard, posthoc: str) -> list[float]:
    """Return the p-value of each pair of methods, corrected for the number of pairs."""
    import numpy as np

    pairs = list(combinations(range(len(board.methods)), 2))
    if posthoc == "nemenyi":
        found = library("scikit_posthocs", extra="report").posthoc_nemenyi_friedman(-board.ranks.T)
        return [float(found.iloc[a, b]) for a, b in pairs]
    stats = library("scipy.stats", extra="report")
    multitest = library("statsmodels.stats.multitest", extra="report")
    values = []
    for a, b in pairs:
        apart = _apart(board, a, b)
        largest = 1 + np.abs(apart[np.isfinite(apart)]).max(initial=0)
        apart = np.clip(apart, -largest, largest)  # infinite differences become larger than all finite ones
        values.append(float(stats.wilcoxon(apart).pvalue) if np.any(apart) else 1.0)
    return [float(p) for p in multitest.multipletests(values, alpha=LEVEL, method="holm")[1]]


def _groups(board: Leaderboard, pairs: list[Difference]) -> list[tuple[str, ...]]:
    """Return the longest runs of neighbours in rank without a significant difference."""
    significant = {frozenset(pair[:2]) for pair in pairs if pair.significant}
    order = [s.method for s in sorted(board.standings, key=lambda s: s.rank)]
    groups: list[tuple[str, ...]] = []
    end = 0
    for start in range(len(order)):
        stop = start + 1
        while stop < len(order) and not any(frozenset((order[stop], m)) in significant for m in order[start:stop]):
            stop += 1
        if stop > end and stop - start > 1:
            groups.append(tuple(order[start:stop]))
        end = max(end, stop)
    return groups


def _conclusion(board: Leaderboard, found: Differences) -> str:
    """State in plain words what may be concluded."""
    best = min(board.standings, key=lambda s: s.rank).method
    quoted = f'"{best}"'
    against = [pair for pair in found.pairs if best in pair[:2]]
    others = [(pair, pair.worse if pair.better == best else pair.better) for pair in against]
    worse = [other for pair, other in others if pair.significant and pair.better == best]
    better = [other for pair, other in others if pair.significant and pair.better != best]
    alike = [other for pair, other in others if not pair.significant and pair.series]
    apart = [other for pair, other in others if not pair.significant and not pair.series]
    count = len(board.series)
    if not any(pair.significant for pair in found.pairs):
        how = f"the Friedman test over {count} series gives p = {found.p:.2g}" if found.p == found.p else ""
        if not (found.p == found.p and found.p >= LEVEL):
            none = f"no pair differs significantly over {count} series ({found.posthoc}, 5 % level)"
            how += f", but {none}" if how else none
        return f"Nothing may be concluded about which method is better: {how}. The order of the methods may be chance."
    start = (
        f"The methods differ significantly (Friedman test over {count} series, p = {found.p:.2g}). "
        if found.p == found.p
        else ""
    )
    others_in_all = len(board.methods) - 1
    says = f"{quoted} has the best mean rank"
    if worse:
        says += f" and is significantly better than {_listed(worse, others_in_all)}"
    if alike:
        says += f"; it cannot be told apart from {_listed(alike, others_in_all)}"
    if better:
        says += f"; but where both have scores, it is significantly worse than {_listed(better, others_in_all)}"
    if apart:
        says += f"; it has no series in common with {_listed(apart, others_in_all)}"
    return f"{start}{says} ({found.posthoc}, 5 % level)."


def _listed(names: list[str], of: int) -> str:
    if len(names) == of and of > 1:
        return f"all {of} others"
    if len(names) > 4:
        return f"{len(names)} others"
    quoted = [f'"{name}"' for name in names]
    return " and ".join([", ".join(quoted[:-1]), quoted[-1]] if len(quoted) > 1 else quoted)


def _many(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"
