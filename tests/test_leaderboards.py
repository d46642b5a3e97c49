"""Leaderboards and the tests of their differences, beside scipy, statsmodels and scikit-posthocs."""

import math
from itertools import combinations

import numpy as np
import polars as pl
import pytest
import scikit_posthocs
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests

import segscore as ss
from segscore.results.leaderboards import ranked
from segscore.results.references import references
from segscore.tables import Options


def table(values, metric="rand_index"):
    """Return a table of scores: a row of values for each method, nan where it failed."""
    rows = [
        (f"m{m}", f"s{s}", None if np.isnan(value) else float(value))
        for m, own in enumerate(values)
        for s, value in enumerate(own)
    ]
    return pl.DataFrame(rows, schema=["method", "series", metric], orient="row", infer_schema_length=None)


def scores(methods=4, series=20, seed=0):
    rng = np.random.default_rng(seed)
    return np.clip(rng.normal(0.6, 0.15, (methods, series)) + 0.08 * np.arange(methods)[:, None], 0, 1)


cells = st.one_of(st.just(np.nan), st.integers(0, 3).map(float), st.just(np.inf))


@given(st.integers(1, 5).flatmap(lambda k: st.lists(st.lists(cells, min_size=k, max_size=k), min_size=1, max_size=6)))
def test_ranks_are_those_of_scipy_with_failures_last(columns):
    values = np.array(columns).T
    worst = np.where(np.isnan(values), -1.0, values)  # below all others
    assert np.array_equal(ranked(values), stats.rankdata(-worst, axis=0))


def test_standings():
    values = scores()
    values[1, 3] = np.nan
    board = ss.leaderboard(table(values))
    assert board.methods == ["m3", "m2", "m1", "m0"]
    ranks = stats.rankdata(-np.where(np.isnan(values), -1, values), axis=0)
    for standing in board.standings:
        own = values[int(standing.method[1:])]
        known = own[~np.isnan(own)]
        assert standing.mean == pytest.approx(known.mean())
        assert standing.median == pytest.approx(np.median(known))
        assert standing.rank == pytest.approx(ranks[int(standing.method[1:])].mean())
        assert standing.failures == (1 if standing.method == "m1" else 0)
        assert standing.wins == int((own == np.nanmax(values, axis=0)).sum())
        wanted = stats.bootstrap((known,), np.mean, method="percentile", rng=np.random.default_rng(1))
        width = wanted.confidence_interval.high - wanted.confidence_interval.low
        assert standing.low == pytest.approx(wanted.confidence_interval.low, abs=0.15 * width)
        assert standing.high == pytest.approx(wanted.confidence_interval.high, abs=0.15 * width)
    assert board.standings == ss.leaderboard(table(values)).standings
    assert board.standings != ss.leaderboard(table(values), seed=1).standings
    assert np.array_equal(board.values, values[::-1], equal_nan=True)


def test_less_is_better_for_distances():
    board = ss.leaderboard(table([[1.0, 2.0], [0.0, 5.0], [3.0, 3.0]], "hausdorff"), "hausdorff")
    assert [(s.method, s.rank, s.wins) for s in board.standings] == [("m0", 1.5, 1), ("m1", 2.0, 1), ("m2", 2.5, 0)]


def test_rows_that_are_missing_twice_or_infinite():
    given = pl.DataFrame(
        {
            "method": ["a", "a", "a", "b", "c", "c"],
            "series": ["x", "x", "y", "x", "x", "y"],
            "hausdorff": [1.0, 3.0, None, 5.0, float("nan"), float("inf")],
        }
    )
    board = ss.leaderboard(given, "hausdorff")
    found = {s.method: s for s in board.standings}
    assert (found["a"].mean, found["a"].failures) == (2.0, 1)
    assert (found["b"].mean, found["b"].failures) == (5.0, 1)  # no row for y
    assert (found["c"].mean, found["c"].failures) == (np.inf, 1)
    assert [s.method for s in board.standings] == ["a", "b", "c"]
    assert "failures" in repr(board)
    assert board.differences().conclusion.startswith("Nothing may be concluded")


def test_what_is_no_leaderboard():
    with pytest.raises(ValueError, match=r"scores have no column 'f1'; they have method, series, rand_index"):
        ss.leaderboard(table([[1.0]]), "f1")
    with pytest.raises(ValueError, match="posthoc = 'tukey' is unknown; expected 'wilcoxon' or 'nemenyi'"):
        ss.leaderboard(table([[1.0]])).differences("tukey")
    empty = ss.leaderboard(table([[1.0]]).clear())
    assert empty.standings == []
    assert empty.differences().conclusion == "There is nothing to compare: 0 methods on 0 series."
    alone = ss.leaderboard(table([[1.0, 0.5]])).differences()
    assert alone.conclusion == "There is nothing to compare: 1 method on 2 series."


def test_the_tests_are_those_of_the_libraries():
    values = scores(5, 25, seed=3)
    board = ss.leaderboard(table(values))
    order = [int(m[1:]) for m in board.methods]
    found = board.differences()
    statistic, p = stats.friedmanchisquare(*values)
    assert (found.statistic, found.p) == pytest.approx((statistic, p))
    raw = [stats.wilcoxon(values[a] - values[b]).pvalue for a, b in combinations(order, 2)]
    wanted = multipletests(raw, method="holm")[1]
    assert [pair.p for pair in found.pairs] == pytest.approx(list(wanted))
    nemenyi = board.differences("nemenyi")
    matrix = scikit_posthocs.posthoc_nemenyi_friedman(values.T).to_numpy()
    assert [pair.p for pair in nemenyi.pairs] == pytest.approx([matrix[a, b] for a, b in combinations(order, 2)])
    for pair, (a, b) in zip(found.pairs, combinations(order, 2), strict=True):
        better, worse = (a, b) if pair.better == f"m{a}" else (b, a)
        apart = values[better] - values[worse]
        assert pair.share == pytest.approx((apart > 0).mean() + (apart == 0).mean() / 2)
        assert stats.wilcoxon(apart, alternative="greater").pvalue <= stats.wilcoxon(apart, alternative="less").pvalue
        assert pair.series == 25
        assert pair.mean == pytest.approx(apart.mean())
        assert pair.significant == (pair.p < 0.05 and p < 0.05)


def test_the_critical_difference_of_the_literature():
    # Demšar (2006), section 3.2.4: four classifiers on 14 data sets, CD = 1.25 by Nemenyi
    board = ss.leaderboard(table(scores(4, 14)))
    assert board.differences("nemenyi").critical == pytest.approx(1.25, abs=0.005)
    assert board.differences().critical is None


def test_groups_are_the_longest_runs_that_cannot_be_told_apart():
    for seed in range(30):
        board = ss.leaderboard(table(scores(6, 12, seed)))
        found = board.differences("nemenyi")
        order = [s.method for s in sorted(board.standings, key=lambda s: s.rank)]
        significant = {frozenset(pair[:2]) for pair in found.pairs if pair.significant}
        runs = [
            tuple(order[a:b])
            for a, b in combinations(range(len(order) + 1), 2)
            if b - a > 1 and not any(frozenset(x) in significant for x in combinations(order[a:b], 2))
        ]
        longest = [run for run in runs if not any(set(run) < set(other) for other in runs)]
        assert found.groups == longest


def test_conclusions_in_plain_words():
    clear = ss.leaderboard(table(np.array([[0.9], [0.5], [0.1]]) + scores(1, 30) / 20)).differences()
    assert clear.conclusion.startswith("The methods differ significantly (Friedman test over 30 series, p = ")
    assert '"m0" has the best mean rank and is significantly better than all 2 others (Wilcoxon' in clear.conclusion
    assert clear.groups == []
    two = ss.leaderboard(table(np.array([[0.9], [0.5]]) + scores(1, 30) / 20)).differences()
    assert two.conclusion.startswith('"m0" has the best mean rank and is significantly better than "m1" (Wilcoxon')
    assert np.isnan(two.p)
    equal = ss.leaderboard(table(np.full((3, 8), 0.5))).differences()
    assert equal.p == 1
    assert equal.conclusion.startswith("Nothing may be concluded about which method is better: the Friedman test over")
    few = ss.leaderboard(table([[1.0, 0.9, 0.8], [0.5, 0.4, 0.3]])).differences()  # no p below 1/4 is possible
    assert few.conclusion.startswith("Nothing may be concluded")
    assert equal.groups == [("m0", "m1", "m2")]
    failed = ss.leaderboard(table(np.full((3, 4), np.nan)))
    assert failed.differences().conclusion.startswith("Nothing may be concluded")
    assert [s.wins for s in failed.standings] == [0, 0, 0]


def test_the_better_one_is_the_one_the_test_says():
    rng = np.random.default_rng(0)
    often = np.concatenate(
        [rng.uniform(0.001, 0.002, 55), rng.uniform(-0.4, -0.2, 45)]
    )  # a little better, or much worse
    found = ss.leaderboard(table([0.5 + often, np.full(100, 0.5)])).differences()
    (pair,) = found.pairs
    assert (pair.better, pair.significant) == ("m1", True)
    assert pair.share == pytest.approx(0.45)
    assert pair.mean > 0
    assert found.conclusion.startswith(
        '"m0" has the best mean rank; but where both have scores, it is significantly worse than "m1"'
    )
    values = scores(3, 30)
    values[2, :25] = np.nan  # the best where it does not fail
    nemenyi = ss.leaderboard(table(values)).differences("nemenyi")
    assert all(pair.worse == "m2" for pair in nemenyi.pairs if "m2" in pair[:2])
    assert next(pair for pair in nemenyi.pairs if "m2" in pair[:2]).series == 5


def test_infinite_distances_are_the_worst_and_failures_cannot_be_compared():
    rng = np.random.default_rng(1)
    values = np.array([rng.uniform(0, 1, 30), rng.uniform(2, 3, 30), np.full(30, np.inf), np.full(30, np.nan)])
    found = ss.leaderboard(table(values, "hausdorff"), "hausdorff").differences()
    assert {(pair.better, pair.worse) for pair in found.pairs if pair.significant} == {
        ("m0", "m1"),
        ("m0", "m2"),
        ("m1", "m2"),
    }
    assert found.conclusion.count("cannot be told apart") == 0
    assert 'it has no series in common with "m3"' in found.conclusion
    both = ss.leaderboard(table(np.full((2, 8), np.inf), "hausdorff"), "hausdorff").differences()
    assert both.conclusion.startswith("Nothing may be concluded")


def test_columns_that_hold_no_scores():
    with pytest.raises(ValueError, match="column 'series' holds String; expected scores"):
        ss.leaderboard(table([[1.0]]), "series")


def test_chance_is_drawn_anew_for_each_series():
    rows = pl.DataFrame(
        {"series": [f"s{k}" for k in range(50)], "n": [1000] * 50, "truth": [[list(range(100, 900, 100))]] * 50}
    )
    options = Options(metrics=["rand_index"], on_error="null")
    found = [references(rows, options, seed)["chance"]["rand_index"] for seed in range(6)]
    assert found[0] == references(rows, options, 0)["chance"]["rand_index"]
    assert np.std(found) < 0.0015  # of one and the same 100 draws for all it would be 0.003
    assert np.mean(found) == pytest.approx(ss.expected_rand_index(range(100, 900, 100), 8, n=1000), abs=0.001)


def test_what_people_and_chance_score():
    truths = {"a": (50, [[10, 30], [12, 30], [30]]), "b": (40, [[20], [5, 21], []])}
    rows = pl.DataFrame(
        [(name, n, cuts) for name, (n, cuts) in truths.items() for _ in range(2)],
        schema={"series": pl.String, "n": pl.Int64, "truth": pl.List(pl.List(pl.Int64))},
        orient="row",
    )
    names = ["rand_index", "covering", "f1"]
    found = references(rows, Options(metrics=names, margin=3, on_error="null"))
    for name in names:
        means = []
        for n, people in truths.values():
            options = {"n": n, "metrics": [name], "margin": 3}
            alone = [
                np.mean([ss.compare(other, own, **options)[name] for k, other in enumerate(people) if k != j])
                for j, own in enumerate(people)
            ]
            means.append(np.mean(alone))
        assert found["human"][name] == pytest.approx(np.mean(means))
    expected = [
        np.mean([ss.expected_rand_index(truth, len(own), n=n) for own in people for truth in people])
        for n, people in truths.values()
    ]
    assert found["chance"]["rand_index"] == pytest.approx(np.mean(expected), abs=0.03)
    alone = references(rows.with_columns(pl.col("truth").list.head(1)), Options(metrics=names, margin=3))
    assert set(alone) == {"chance"}
    assert references(rows.clear(), Options(metrics=names, margin=3)) == {}


def test_what_has_no_name_is_named():
    scores = pl.DataFrame(
        {
            "series": [1.0, math.nan] * 3,
            "method": [math.nan] * 2 + [None] * 2 + [1.5] * 2,
            "f1": [0.9, 0.8, 0.6, 0.7, 0, 0],
        }
    )
    board = ss.leaderboard(scores, "f1")
    assert board.methods == ["NaN", "null", "1.5"]
    assert board.series == ["1.0", "NaN"]
    assert board.values.tolist() == [[0.9, 0.8], [0.6, 0.7], [0, 0]]
    table = pl.DataFrame({"series": ["a"], "method": [[1]], "f1": [1.0]})
    with pytest.raises(ValueError, match=r"^column 'method' holds List\(Int64\); expected names: text or numbers$"):
        ss.leaderboard(table, "f1")
