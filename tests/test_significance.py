"""Which differences are significant, beside scipy, statsmodels and scikit-posthocs."""

from itertools import combinations

import numpy as np
import pytest
import scikit_posthocs
from scipy import stats
from statsmodels.stats.multitest import multipletests
from test_leaderboards import scores, table

import segscore as ss


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
    assert next(pair for pair in nemenyi.pairs if "m2" in pair[:2]).series == 30


def test_infinite_distances_are_the_worst_as_failures_are():
    rng = np.random.default_rng(1)
    values = np.array([rng.uniform(0, 1, 30), rng.uniform(2, 3, 30), np.full(30, np.inf), np.full(30, np.nan)])
    found = ss.leaderboard(table(values, "hausdorff"), "hausdorff").differences()
    assert {(pair.better, pair.worse) for pair in found.pairs if pair.significant} == {
        ("m0", "m1"),
        ("m0", "m2"),
        ("m1", "m2"),
        ("m0", "m3"),
        ("m1", "m3"),
    }
    assert found.conclusion.count("cannot be told apart") == 0
    both = ss.leaderboard(table(np.full((2, 8), np.inf), "hausdorff"), "hausdorff").differences()
    assert both.conclusion.startswith("Nothing may be concluded")
