"""Leaderboards: what the scores of many series say of the methods, and whether their differences are real."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from . import arguments, files, tables
from .catalog import METRICS
from .optional import library

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Difference", "Differences", "Leaderboard", "Standing", "leaderboard"]

LEVEL = 0.05  # of all tests
DRAWS = 1000  # of a bootstrap
CHANCE_DRAWS = 100  # random segmentations a series


class Standing(NamedTuple):
    """What a leaderboard says of one method."""

    method: str
    mean: float
    low: float  # of the 95 % bootstrap interval of the mean
    high: float
    median: float
    rank: float  # mean over the series; 1 is best, equal ones share, a failure comes last
    wins: int  # series on which no other is better
    failures: int  # rows without a score, and series without a row


class Difference(NamedTuple):
    """Two methods compared; which is the better one, the test says: by signed ranks, or by mean ranks for Nemenyi."""

    better: str
    worse: str
    p: float  # corrected for the number of comparisons
    share: float  # of the series that both have scores for on which the better one is better, equal ones counting half
    mean: float  # of the differences of their scores there
    real: bool  # whether p is below 5 %, and that of the Friedman test too
    series: int  # that both have scores for


class Differences(NamedTuple):
    """Whether the differences of a leaderboard are real: a test of all methods, then one of each pair."""

    test: str
    statistic: float
    p: float
    posthoc: str
    pairs: list[Difference]
    groups: list[tuple[str, ...]]  # neighbours in rank that cannot be told apart
    critical: float | None  # the difference of ranks that is real, for Nemenyi
    conclusion: str


class Leaderboard:
    """Methods by a score, the best first.

    ``standings``
        A `Standing` for each method.
    ``methods``, ``series``, ``values``
        All scores, a row for each method in the order of the standings, a column for each series; nan where there is
        none.
    """

    def __init__(
        self,
        metric: str,
        methods: Sequence[str],
        series: Sequence[str],
        values: NDArray[np.float64],
        failures: Sequence[int],
        seed: int = 0,
    ) -> None:
        import numpy as np

        self.metric, self.series = metric, list(series)
        self.rising = metric not in METRICS or METRICS[metric].best > METRICS[metric].low
        ranks = _ranks(values if self.rising else -values)
        rng = np.random.default_rng(arguments.seed(seed))
        standings = []
        for k, method in enumerate(methods):
            known = values[k][~np.isnan(values[k])]
            low, high = _interval(known, rng)
            standings.append(
                Standing(
                    method,
                    float(known.mean()) if known.size else np.nan,
                    low,
                    high,
                    float(np.median(known)) if known.size else np.nan,
                    float(ranks[k].mean()) if len(series) else np.nan,
                    int(((ranks[k] == ranks.min(axis=0)) & ~np.isnan(values[k])).sum()) if len(series) else 0,
                    int(failures[k]),
                )
            )
        sign = -1 if self.rising else 1
        order = sorted(
            range(len(standings)), key=lambda k: (np.isnan(standings[k].mean), sign * np.nan_to_num(standings[k].mean))
        )
        self.standings = [standings[k] for k in order]
        self.methods = [standings[k].method for k in order]
        self.values, self._ranks = values[order], ranks[order]

    def differences(self, posthoc: Literal["wilcoxon", "nemenyi"] = "wilcoxon") -> Differences:
        """Test whether the methods differ (Friedman), and which of them (Wilcoxon with Holm's correction, or Nemenyi).

        The tests are those of scipy, statsmodels and scikit-posthocs. Friedman and Nemenyi see ranks alone, in which a
        failure comes last; Wilcoxon sees the series that both methods have scores for.
        """
        return _differences(self, posthoc)

    def __repr__(self) -> str:
        head = ("method", "mean", "95 % interval", "median", "rank", "wins", "failures")
        rows = [
            (
                *(s.method, f"{s.mean:.4f}", f"{s.low:.4f} to {s.high:.4f}", f"{s.median:.4f}"),
                *(f"{s.rank:.2f}", str(s.wins), str(s.failures)),
            )
            for s in self.standings
        ]
        widths = [max(len(row[k]) for row in (head, *rows)) for k in range(len(head))]
        lines = (
            "  ".join(f"{cell:<{width}}" if k == 0 else f"{cell:>{width}}" for k, (cell, width) in enumerate(cells))
            for cells in (list(zip(row, widths, strict=True)) for row in (head, *rows))
        )
        return f"{self.metric}, {len(self.series)} series\n" + "\n".join(lines)


def leaderboard(
    scores: Any,  # noqa: ANN401
    metric: str = "rand_index",
    *,
    method: str = "method",
    series: str = "series",
    seed: int = 0,
) -> Leaderboard:
    """Return the methods of a scored table by one of its scores.

    ``scores`` is what `score` and `score_long` return, or any table with these columns; several rows of a method and
    a series (runs, annotators) are averaged first. A method or series without a name is called null, or NaN if it is
    nan. ``seed`` is that of the bootstrap.

    >>> import polars as pl
    >>> scores = pl.DataFrame({"series": ["a", "b"] * 2, "method": ["x", "x", "y", "y"], "f1": [0.5, 0.75, 1, None]})
    >>> leaderboard(scores, "f1")
    f1, 2 series
    method    mean     95 % interval  median  rank  wins  failures
    y       1.0000  1.0000 to 1.0000  1.0000  1.50     1         1
    x       0.6250  0.5000 to 0.7500  0.6250  1.50     1         0
    """
    pl = library("polars")
    table = tables._polars(pl, scores)
    for name in (method, series, metric):
        if name not in table.columns:
            raise ValueError(f"scores have no column {name!r}; they have {', '.join(table.columns) or 'none'}")
    return leaderboards(table, [metric], method, series, seed)[metric]


def leaderboards(table: Any, metrics: Iterable[str], method: str, series: str, seed: int) -> dict[str, Leaderboard]:  # noqa: ANN401
    """Return a leaderboard for each score of a Polars DataFrame."""
    import numpy as np

    pl = library("polars")
    names = list(metrics)
    for name in names:
        if not table.schema[name].is_numeric() and table.schema[name] != pl.Null:
            raise ValueError(f"column {name!r} holds {table.schema[name]}; expected scores")
    table = tables._named(pl, table, (method, series))
    scores = pl.col(names).cast(pl.Float64).fill_nan(None)
    groups = table.group_by(method, series, maintain_order=True).agg(
        scores, scores.null_count().name.suffix(" failures")
    )
    means = groups.with_columns(pl.col(names).list.mean())
    methods, places = means[method].unique(maintain_order=True), means[series].unique(maintain_order=True)
    number = {name: {key: k for k, key in enumerate(keys)} for name, keys in ((method, methods), (series, places))}
    rows = [number[method][key] for key in means[method]]
    columns = [number[series][key] for key in means[series]]
    boards = {}
    for name in names:
        values = np.full((len(methods), len(places)), np.nan)
        values[rows, columns] = means[name].fill_null(np.nan).to_numpy()
        failures = np.ones_like(values, dtype=int)
        failures[rows, columns] = means[f"{name} failures"].to_numpy()
        boards[name] = Leaderboard(
            name, methods.to_list(), places.to_list(), values, failures.sum(axis=1).tolist(), seed
        )
    return boards


def references(runs: Any, options: dict[str, Any], seed: int = 0) -> dict[str, dict[str, float]]:  # noqa: ANN401
    """Return what people and chance score, over the series of a table with its truths as lists of lists.

    human
        Each annotator against all others of the series, if there are others.
    chance
        Random segmentations, all with the same chance among those with as many cuts as an annotator's.
    """
    import numpy as np

    from . import simulate
    from .segmentation import Segmentation

    if not options["metrics"]:
        return {}
    pl = library("polars")
    people, drawn = [], []
    kind = runs.schema["n"]
    n = files.exact(pl, pl.col("n"), kind) if kind.is_float() else pl.col("n")
    given = runs.select("series", n, "truth").drop_nulls().unique("series", maintain_order=True)
    for number, (series, n, truths) in enumerate(given.iter_rows()):
        share = -(-CHANCE_DRAWS // max(1, len(truths)))
        for k, own in enumerate(truths):
            others = [*truths[:k], *truths[k + 1 :]]
            if others:
                people.append((series, n, others, own))
            with suppress(ValueError, TypeError):  # a truth that is none has no scores either
                state = np.random.SeedSequence([arguments.seed(seed), number, k]).generate_state(1, np.uint64)[0]
                random = simulate.segmentations(share, Segmentation(own, n=n), seed=int(state))
                drawn += [(series, n, truths, x.cuts) for x in random]
    found = {}
    kinds = {"series": pl.String, "n": pl.Int64, "truth": pl.List(pl.List(pl.Int64)), "pred": pl.List(pl.Int64)}
    for name, rows in (("human", people), ("chance", drawn)):
        if rows:
            scored = tables.score(pl.DataFrame(rows, schema=kinds, orient="row"), **options)
            # Lists first: the mean of a group may be summed in any order.
            columns = pl.col(options["metrics"])
            groups = scored.group_by("series", maintain_order=True).agg(columns.fill_nan(None))
            found[name] = groups.select(columns.list.mean()).mean()
    return {name: {k: v for k, v in row.row(0, named=True).items() if v is not None} for name, row in found.items()}


def _ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the rank of each method in each series: the largest is 1, equal ones share, nan comes last."""
    import numpy as np

    known = np.where(np.isnan(values), -np.inf, values)
    missing = np.isnan(values)
    ranks = np.empty_like(known)
    for k in range(len(values)):
        better = ((known > known[k]) | (missing[k] & ~missing)).sum(axis=0)
        equal = ((known == known[k]) & (missing == missing[k])).sum(axis=0)
        ranks[k] = better + (equal + 1) / 2
    return ranks


def _interval(values: NDArray[np.float64], rng: np.random.Generator) -> tuple[float, float]:
    """Return the 95 % percentile bootstrap interval of a mean."""
    import numpy as np

    if not values.size:
        return np.nan, np.nan
    at_once = max(1, 10**6 // values.size)
    means = np.empty(0)
    with np.errstate(invalid="ignore"):  # infinite distances have no interval
        while means.size < DRAWS:
            count = min(at_once, DRAWS - means.size)
            means = np.append(means, values[rng.integers(0, values.size, (count, values.size))].mean(axis=1))
        low, high = np.quantile(means, [0.025, 0.975])
    return float(low), float(high)


def _differences(board: Leaderboard, posthoc: str) -> Differences:
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
            statistic, p = map(float, stats.friedmanchisquare(*-board._ranks))
        p = 1.0 if np.isnan(p) else p  # all equal
    critical = None
    if posthoc == "nemenyi":
        studentized = stats.studentized_range.ppf(1 - LEVEL, len(methods), np.inf) / np.sqrt(2)
        critical = float(studentized * np.sqrt(len(methods) * (len(methods) + 1) / (6 * count)))
    corrected = _corrected(board, posthoc)
    pairs = []
    ranks = board._ranks.mean(axis=1)
    for (a, b), own in zip(combinations(range(len(methods)), 2), corrected, strict=True):
        apart = _apart(board, a, b)
        signed = float((np.sign(apart) * stats.rankdata(np.abs(apart))).sum()) if posthoc == "wilcoxon" else 0.0
        if signed < 0 or (signed == 0 and ranks[b] < ranks[a]):
            a, b, apart = b, a, -apart
        share = float(((apart > 0) + (apart == 0) / 2).mean()) if apart.size else np.nan
        mean = float(apart.mean() if board.rising else -apart.mean()) if apart.size else np.nan
        real = bool(own < LEVEL and (np.isnan(p) or p < LEVEL))
        pairs.append(Difference(methods[a], methods[b], float(own), share, mean, real, apart.size))
    test = "Friedman test" if len(methods) > 2 else "none, for two methods"
    found = Differences(test, statistic, p, title, pairs, _groups(board, pairs), critical, "")
    return found._replace(conclusion=_conclusion(board, found))


def _apart(board: Leaderboard, a: int, b: int) -> NDArray[np.float64]:
    """Return by how much a method is better than another on each series that both have scores for."""
    import numpy as np

    both = ~np.isnan(board.values[a]) & ~np.isnan(board.values[b])
    with np.errstate(invalid="ignore"):
        apart = (board.values[a] - board.values[b])[both]
    apart = np.where(np.isnan(apart), 0.0, apart)  # both infinite
    return apart if board.rising else -apart


def _corrected(board: Leaderboard, posthoc: str) -> list[float]:
    """Return the p-value of each pair of methods, corrected for their number."""
    import numpy as np

    pairs = list(combinations(range(len(board.methods)), 2))
    if posthoc == "nemenyi":
        found = library("scikit_posthocs", extra="report").posthoc_nemenyi_friedman(-board._ranks.T)
        return [float(found.iloc[a, b]) for a, b in pairs]
    stats = library("scipy.stats", extra="report")
    multitest = library("statsmodels.stats.multitest", extra="report")
    values = []
    for a, b in pairs:
        apart = _apart(board, a, b)
        largest = 1 + np.abs(apart[np.isfinite(apart)]).max(initial=0)
        apart = np.clip(apart, -largest, largest)  # infinite differences are larger than all others
        values.append(float(stats.wilcoxon(apart).pvalue) if np.any(apart) else 1.0)
    return [float(p) for p in multitest.multipletests(values, alpha=LEVEL, method="holm")[1]]


def _groups(board: Leaderboard, pairs: list[Difference]) -> list[tuple[str, ...]]:
    """Return the longest runs of neighbours in rank of which no two differ."""
    real = {frozenset(pair[:2]) for pair in pairs if pair.real}
    order = [s.method for s in sorted(board.standings, key=lambda s: s.rank)]
    groups: list[tuple[str, ...]] = []
    end = 0
    for start in range(len(order)):
        stop = start + 1
        while stop < len(order) and not any(frozenset((order[stop], m)) in real for m in order[start:stop]):
            stop += 1
        if stop > end and stop - start > 1:
            groups.append(tuple(order[start:stop]))
        end = max(end, stop)
    return groups


def _conclusion(board: Leaderboard, found: Differences) -> str:
    """Say in plain words what may be concluded."""
    best = min(board.standings, key=lambda s: s.rank).method
    quoted = f'"{best}"'
    against = [pair for pair in found.pairs if best in pair[:2]]
    others = [(pair, pair.worse if pair.better == best else pair.better) for pair in against]
    worse = [other for pair, other in others if pair.real and pair.better == best]
    better = [other for pair, other in others if pair.real and pair.better != best]
    alike = [other for pair, other in others if not pair.real and pair.series]
    apart = [other for pair, other in others if not pair.real and not pair.series]
    count = len(board.series)
    if not any(pair.real for pair in found.pairs):
        how = f"the Friedman test over {count} series gives p = {found.p:.2g}" if found.p == found.p else ""
        if not (found.p == found.p and found.p >= LEVEL):
            how += f"{', but ' if how else ''}no pair differs over {count} series ({found.posthoc}, 5 % level)"
        return f"Nothing may be concluded about which method is better: {how}. The order of the methods may be chance."
    start = f"The methods differ (Friedman test over {count} series, p = {found.p:.2g}). " if found.p == found.p else ""
    says = f"{quoted} has the best mean rank"
    if worse:
        says += f" and is better than {_listed(worse, 'other', len(board.methods) - 1)}"
    if alike:
        says += f"; it cannot be told apart from {_listed(alike, 'other', len(board.methods) - 1)}"
    if better:
        says += f"; but where both have scores, it is worse than {_listed(better, 'other', len(board.methods) - 1)}"
    if apart:
        says += f"; it has no series in common with {_listed(apart, 'other', len(board.methods) - 1)}"
    return f"{start}{says} ({found.posthoc}, 5 % level)."


def _listed(names: list[str], what: str, of: int) -> str:
    if len(names) == of and of > 1:
        return f"all {of} {what}s"
    if len(names) > 4:
        return f"{len(names)} {what}s"
    quoted = [f'"{name}"' for name in names]
    return " and ".join([", ".join(quoted[:-1]), quoted[-1]] if len(quoted) > 1 else quoted)


def _many(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"
