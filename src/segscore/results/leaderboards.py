"""Leaderboards: the methods of a study, ranked by a score over many series."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from .. import arguments
from ..catalog import canonical, metric_of
from ..optional import library
from ..showing import Shown, pandas_table, plain, polars_table, same
from ..tables.frames import dataframe, named
from .choices import check_choices
from .significance import Differences, differences

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["DRAWS", "HEAD", "Leaderboard", "Standing", "leaderboard", "leaderboards"]

DRAWS = 1000  # of the bootstrap
HEAD = ("method", "mean", "95 % interval", "median", "rank", "wins", "failures")


class Standing(NamedTuple):
    """Statistics of one method on a leaderboard."""

    method: str
    mean: float
    low: float  # of the 95 % bootstrap interval of the mean
    high: float
    median: float
    rank: float  # mean over the series; 1 is best, ties share, failures rank last
    wins: int  # number of series on which no method is better
    failures: int  # rows without a score, and series without a row

    def cells(self) -> list[str]:
        """Return the texts of a row under `HEAD`."""
        interval = f"{self.low:.4f} to {self.high:.4f}"
        numbers = [f"{self.mean:.4f}", interval, f"{self.median:.4f}", f"{self.rank:.2f}"]
        return [self.method, *numbers, str(self.wins), str(self.failures)]


class Leaderboard:
    """Methods ranked by a score, the best first.

    ``standings``
        A `Standing` for each method.
    ``methods``, ``series``, ``values``
        All scores, with one row per method in the order of the standings and one column per series; nan if there is
        no score.
    ``ranks``
        The rank of each method in each series: 1 is best, ties share, failures rank last.
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
        known = metric_of(metric)
        self.rising = known is None or known.best > known.low
        ranks = ranked(values if self.rising else -values)
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
        self.values, self.ranks = values[order], ranks[order]

    def differences(self, posthoc: Literal["wilcoxon", "nemenyi"] = "wilcoxon") -> Differences:
        """Test which methods differ significantly: Friedman, then Wilcoxon-Holm or Nemenyi.

        The tests are those of scipy, statsmodels and scikit-posthocs. The Friedman and Nemenyi tests use ranks, and
        failed runs rank last. Wilcoxon tests use the series on which both methods have scores.
        """
        return differences(self, posthoc)

    def to_dict(self) -> dict[str, Any]:
        """Return the metric, series, standings, scores and ranks as plain Python objects."""
        names = ("metric", "rising", "series", "standings", "values", "ranks")
        return {name: plain(getattr(self, name)) for name in names}

    def to_polars(self) -> Any:  # noqa: ANN401
        """Return the standings as a Polars DataFrame, one row per method."""
        return polars_table(Standing, self.standings)

    def to_pandas(self) -> Any:  # noqa: ANN401
        """Return the standings as a pandas DataFrame, one row per method."""
        return pandas_table(Standing, self.standings)

    def __eq__(self, other: object) -> bool:
        return same(self.to_dict(), other.to_dict()) if isinstance(other, Leaderboard) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return self._shown().text()

    def _repr_html_(self) -> str:
        return self._shown().html()

    def _shown(self) -> Shown:
        rows = [standing.cells() for standing in self.standings]
        return Shown([f"{self.metric}, {len(self.series)} series"], HEAD, "lrrrrrr", rows)


def leaderboard(
    scores: Any,  # noqa: ANN401
    metric: str = "rand_index",
    *,
    method: str = "method",
    series: str = "series",
    seed: int = 0,
    mixed: bool = False,
) -> Leaderboard:
    """Rank the methods of a scored table by one of its scores.

    ``scores`` is a table that `score` or `score_long` returned, or any table with these columns. If a method has
    several rows for one series (runs, annotators), they are averaged first. A missing method or series is called null,
    and nan is called NaN. ``seed`` is the seed of the bootstrap. Settings that `segscore.study.select` chose by
    different rules are not comparable; ``mixed=True`` ranks them all the same.

    >>> import polars as pl
    >>> scores = pl.DataFrame({"series": ["a", "b"] * 2, "method": ["x", "x", "y", "y"], "f1": [0.5, 0.75, 1, None]})
    >>> leaderboard(scores, "f1")
    f1, 2 series
    method    mean     95 % interval  median  rank  wins  failures
    y       1.0000  1.0000 to 1.0000  1.0000  1.50     1         1
    x       0.6250  0.5000 to 0.7500  0.6250  1.50     1         0
    """
    table = dataframe(scores)
    if metric not in table.columns:
        metric = canonical(metric)
    for name in (method, series, metric):
        if name not in table.columns:
            raise ValueError(f"scores have no column {name!r}; they have {', '.join(table.columns) or 'none'}")
    check_choices(table, method, series, mixed=mixed)
    return leaderboards(table, [metric], method, series, seed)[metric]


def leaderboards(table: Any, metrics: Iterable[str], method: str, series: str, seed: int) -> dict[str, Leaderboard]:  # noqa: ANN401
    """Return one leaderboard per score of a Polars DataFrame."""
    import numpy as np

    pl = library("polars")
    names = list(metrics)
    for name in names:
        if not table.schema[name].is_numeric() and table.schema[name] != pl.Null:
            raise ValueError(f"column {name!r} holds {table.schema[name]}; expected scores")
    table = named(table, (method, series))
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


def ranked(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the rank of each method on each series: the largest is 1, ties share, nan is last."""
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
