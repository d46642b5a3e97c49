"""Which differences are significant: the tests, the verdicts, and the sentences."""

import math
from functools import cache
from itertools import combinations
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy import stats
from test_leaderboards import scores, table

import segscore as ss
from segscore.boards.intervals import interval
from segscore.boards.signed_ranks import holm, signed_ranks
from segscore.boards.significance import Difference
from segscore.boards.wording import in_digits, p_value, signed


@cache
def demo(metric):
    study = pl.read_parquet(Path(ss.__file__).with_name("study.parquet"))
    return ss.leaderboard(ss.score(study, metrics=[metric], margin=5, on_error="null"), metric)


def pair_of(found, one, other):
    return next(pair for pair in found.pairs if {one, other} == set(pair[:2]))


def two(apart, metric="rand_index"):
    """Return the comparison of two methods with given differences."""
    apart = np.asarray(apart)
    return ss.leaderboard(table([0.5 + apart / 2, 0.5 - apart / 2], metric), metric).differences()


def test_the_tests_are_exact_with_holm():
    values = scores(5, 25, seed=3)
    board = ss.leaderboard(table(values))
    order = [int(m[1:]) for m in board.methods]
    found = board.differences()
    assert (found.statistic, found.friedman) == pytest.approx(tuple(stats.friedmanchisquare(*values)))
    raw = [stats.wilcoxon(values[a] - values[b], method="exact").pvalue for a, b in combinations(order, 2)]
    assert [pair.p for pair in found.pairs] == pytest.approx(raw)
    assert [pair.corrected for pair in found.pairs] == pytest.approx(holm(raw))
    for pair, (a, b) in zip(found.pairs, combinations(order, 2), strict=True):
        better, worse = (a, b) if pair.better == f"m{a}" else (b, a)
        apart = values[better] - values[worse]
        assert pair.worse == f"m{worse}"
        assert (pair.wins, pair.ties, pair.losses) == ((apart > 0).sum(), (apart == 0).sum(), (apart < 0).sum())
        assert pair.share == pytest.approx((apart > 0).mean() + (apart == 0).mean() / 2)
        assert pair.mean == pytest.approx(apart.mean())
        assert (pair.low, pair.high) == interval(apart)[:2]
        assert pair.effect == pytest.approx(signed_ranks(apart).effect)
        assert (pair.n, pair.of) == (25, 25)
        assert pair.significant == (pair.corrected < 0.05)


def test_no_gate():
    # Nine methods that are equal hide the tenth from Friedman's test, but not from the exact tests with Holm.
    rng = np.random.default_rng(15)
    values = 0.5 + rng.normal(0, 0.1, (10, 12))
    values[0] = values[1] + 0.05
    found = ss.leaderboard(table(values)).differences()
    assert found.friedman > 0.05
    assert [pair[:2] for pair in found.pairs if pair.significant] == [("m0", "m1")]


def test_nemenyi_is_that_of_the_literature():
    # Demšar (2006): table 5(a), and section 3.2.4, four classifiers on 14 data sets
    wanted = {2: 1.960, 3: 2.343, 4: 2.569, 5: 2.728, 6: 2.850, 7: 2.949, 8: 3.031, 9: 3.102, 10: 3.164}
    for k, q in wanted.items():
        found = ss.leaderboard(table(scores(k, 14))).differences("nemenyi")
        assert found.critical == pytest.approx(q * np.sqrt(k * (k + 1) / (6 * 14)), rel=5e-4)
    board = ss.leaderboard(table(scores(4, 14)))
    assert board.differences("nemenyi").critical == pytest.approx(1.25, abs=0.005)
    assert board.differences().critical is None
    found = ss.leaderboard(table(scores(6, 20))).differences("nemenyi")
    ranks = {s.method: s.rank for s in ss.leaderboard(table(scores(6, 20))).standings}
    for pair in found.pairs:
        assert pair.significant == (abs(ranks[pair.better] - ranks[pair.worse]) > found.critical)
        assert not pair.significant or ranks[pair.better] < ranks[pair.worse]


@pytest.mark.parametrize(
    ("between", "below", "apart", "critical", "significant"),
    [(0, 1, 0.467, 0.605, False), (0, 8, 0.467, 2.473, False), (8, 0, 4.2, 2.473, True)],
)
def test_nemenyi_depends_on_the_other_methods_and_the_exact_test_does_not(between, below, apart, critical, significant):
    sizes = np.where(np.arange(30) % 4 == 0, -1.0, 1.0) * (np.arange(30) + 1) / 100  # better on 22 of 30 series
    values = [0.6 + sizes, 0.6 - sizes]
    values += [np.full(30, 0.6) + k * 1e-4 for k in range(-between // 2, between // 2)]
    values += [np.full(30, 0.01) + k * 1e-3 for k in range(below)]
    board = ss.leaderboard(table(values))
    ranks = {s.method: s.rank for s in board.standings}
    nemenyi = board.differences("nemenyi")
    assert ranks["m1"] - ranks["m0"] == pytest.approx(apart, abs=5e-4)
    assert nemenyi.critical == pytest.approx(critical, abs=5e-4)
    assert pair_of(nemenyi, "m0", "m1").significant == significant
    (alone,) = ss.leaderboard(table(values[:2])).differences().pairs
    assert (alone.wins, alone.verdict) == (22, "better")
    among = pair_of(board.differences(), "m0", "m1")
    assert (among.p, among.mean, among.wins, among.low) == (alone.p, alone.mean, alone.wins, alone.low)


def test_nemenyi_prefers_the_better_mean_rank():
    rng = np.random.default_rng(0)
    apart = np.where(np.arange(60) < 40, 0.01, -0.3) * rng.uniform(0.9, 1, 60)  # 40 small wins, 20 large losses
    between = [np.full(60, 0.5) + k * 1e-4 for k in range(1, 9)]
    board = ss.leaderboard(table([0.5 + apart, *between, np.full(60, 0.5)]))
    nemenyi = pair_of(board.differences("nemenyi"), "m0", "m9")
    assert (nemenyi.better, nemenyi.significant) == ("m0", True)
    assert pair_of(board.differences(), "m0", "m9").better == "m9"


def test_groups_are_the_longest_runs_of_which_no_two_differ():
    for kind in ("exact", "nemenyi"):
        for seed in range(15):
            board = ss.leaderboard(table(scores(6, 14, seed)))
            found = board.differences(kind)
            order = [s.method for s in sorted(board.standings, key=lambda s: s.rank)]
            significant = {frozenset(pair[:2]) for pair in found.pairs if pair.significant}
            runs = [
                tuple(order[a:b])
                for a, b in combinations(range(len(order) + 1), 2)
                if b - a > 1 and not any(frozenset(x) in significant for x in combinations(order[a:b], 2))
            ]
            assert found.groups == [run for run in runs if not any(set(run) < set(other) for other in runs)]


# Worked numbers of the study that segscore brings along. The ends of intervals are those of scipy's BCa bootstrap.
WORKED = [
    ("f1", "PELT, low penalty", "PELT", 0.073, (0.011, 0.151), (28, 6, 41), 0.77, 0.04, "better on average"),
    ("covering", "PELT", "bottom-up", 0.020, (-0.014, 0.042), (58, 3, 14), 6.7e-5, 0.53, "mostly better"),
    ("f1", "bottom-up", "binary segmentation", 0.105, (0.055, 0.170), (31, 26, 18), 0.0018, 0.50, "better"),
]


@pytest.mark.parametrize(("metric", "better", "worse", "mean", "ends", "counts", "p", "effect", "verdict"), WORKED)
def test_mean_and_ranks_answer_two_questions(metric, better, worse, mean, ends, counts, p, effect, verdict):
    pair = pair_of(demo(metric).differences(), better, worse)
    assert (pair.better, pair.worse, pair.verdict) == (better, worse, verdict)
    assert pair.mean == pytest.approx(mean, abs=5e-4)
    assert (pair.low, pair.high) == pytest.approx(ends, abs=3e-3)
    assert (pair.wins, pair.ties, pair.losses) == counts
    assert pair.p == pytest.approx(p, rel=0.02)
    assert pair.effect == pytest.approx(effect, abs=5e-3)
    assert (pair.n, pair.of) == (75, 75)


def test_the_policy_for_failures_decides_and_the_conclusion_says_so():
    kernel = "kernel, 12 points or more"
    board = demo("rand_index")
    filled = pair_of(board.differences(), "PELT", kernel)
    assert (filled.better, filled.n, filled.of) == ("PELT", 75, 75)
    assert (filled.mean, filled.p) == (pytest.approx(0.267, abs=5e-4), pytest.approx(4e-4, rel=0.2))
    common = pair_of(board.under("common").differences(), "PELT", kernel)
    assert (common.better, common.n, common.of) == (kernel, 45, 75)
    assert (common.mean, common.p) == (pytest.approx(0.097, abs=5e-4), pytest.approx(0.013, abs=5e-4))
    assert "This depends on how failures are counted: " in board.differences().conclusion
    assert "on the 45 series without a failure, the verdict on " in board.differences().conclusion
    solved = ss.leaderboard(table(scores(3, 20))).differences()
    assert "failures" not in solved.conclusion
    omitted = board.under("omit").differences()
    assert (pair_of(omitted, "PELT", kernel).n, pair_of(omitted, "PELT", "bottom-up").n) == (45, 75)
    assert "Methods are scored on different series." in omitted.conclusion


def test_the_first_place_depends_on_the_policy():
    values = scores(3, 20)
    values[2, :15] = np.nan  # the best where it does not fail
    values[2, 15:] = 1.0
    found = ss.leaderboard(table(values)).differences()
    assert 'on the 5 series without a failure, "m2" is first and the verdict on ' in found.conclusion


@pytest.mark.parametrize(
    ("wins", "ties", "p", "verdict"),
    [(6, 7, 0.03125, "better"), (6, 8, 0.03125, "better"), (5, 9, None, "undecided"), (4, 20, None, "undecided")],
)
def test_few_wins_among_ties(wins, ties, p, verdict):
    found = two([0.2] * wins + [0.0] * ties)
    (pair,) = found.pairs
    assert (pair.p, pair.corrected, pair.wins, pair.ties, pair.losses) == (p, p, wins, ties, 0)
    assert pair.verdict == verdict
    if p is None:
        assert found.conclusion.startswith(
            f"{wins + ties} series, and two methods differ on at most {wins}: no test can show a difference in "
            "rand_index at 5 %; the order may be chance."
        )


def test_no_test_with_too_few_series():
    wide = [[0.9, 0.8, 0.9, 0.8, 0.9], [0.5, 0.4, 0.3, 0.2, 0.1]]
    few = ss.leaderboard(table(wide)).differences()
    assert few.conclusion == "5 series: no test can show a difference in rand_index at 5 %; the order may be chance."
    assert [(pair.p, pair.corrected, pair.significant, pair.low) for pair in few.pairs] == [(None, None, False, None)]
    nemenyi = ss.leaderboard(table(wide)).differences("nemenyi")
    assert (nemenyi.conclusion, nemenyi.pairs[0].corrected) == (few.conclusion, None)
    values = np.linspace(0, 1, 10)[:, None] + np.linspace(0, 0.01, 10)
    found = ss.leaderboard(table(values)).differences()  # ten methods, each always better than the next
    assert found.conclusion.startswith(
        "10 series: no test can show a difference in rand_index at 5 % among 10 methods, which needs 11 series; the "
        "order may be chance."
    )
    assert not any(pair.significant for pair in found.pairs)
    more = np.linspace(0, 1, 10)[:, None] + np.linspace(0, 0.01, 11)
    assert all(pair.significant for pair in ss.leaderboard(table(more)).differences().pairs)


def test_nothing_found_is_no_proof():
    rng = np.random.default_rng(0)
    equal = ss.leaderboard(table(0.5 + rng.normal(0, 0.1, (4, 30)))).differences()
    assert equal.conclusion == (
        "No pair of the 4 methods differs in rand_index at 5 % over 30 series (exact signed-rank tests, Holm). This "
        "does not prove that the methods are equal."
    )
    pair = two(rng.normal(0, 0.1, 30))
    assert pair.conclusion == (
        '"m0" and "m1" cannot be told apart in rand_index at 5 % over 30 series (exact signed-rank test). This does '
        "not prove that the methods are equal."
    ).replace('"m0" and "m1"', " and ".join(f'"{pair.pairs[0][k]}"' for k in (0, 1)))


def test_what_is_found_is_said_with_its_test_and_its_series():
    values = np.array([[0.9], [0.5], [0.1]]) + scores(1, 30) / 20
    clear = ss.leaderboard(table(values)).differences()
    assert clear.conclusion == (
        'By rand_index, "m0" is better than "m1" and "m2" (mean difference 0.400 to 0.800; 5 % level, exact '
        "signed-rank tests with Holm over 3 pairs, 30 series)."
    )
    assert clear.groups == []
    assert ss.leaderboard(table(values[:2])).differences().conclusion == (
        'By rand_index, "m0" is better than "m1" (mean difference 0.400; 5 % level, exact signed-rank test, 30 series).'
    )
    rng = np.random.default_rng(4)
    near = np.vstack([values, values[0] + rng.normal(0, 0.02, 30) - 0.001])
    assert ss.leaderboard(table(near)).differences().conclusion == (
        'By rand_index, "m0" is better than "m1" and "m2" (mean difference 0.400 to 0.800; 5 % level, exact '
        'signed-rank tests with Holm over 6 pairs, 30 series). It cannot be told apart from "m3".'
    )


def test_mean_and_ranks_that_disagree_are_said():
    board = demo("covering")
    assert (
        'It is mostly better than "bottom-up" (on 58 of 75 series), but not clearly so on average (+0.020, 95 % from '
    ) in board.differences(reference="PELT").conclusion
    low, own = (dict(zip(demo("f1").methods, demo("f1").values, strict=True))[m] for m in ("PELT, low penalty", "PELT"))
    conclusion = ss.leaderboard(table([low, own], "f1"), "f1").differences().conclusion
    assert conclusion.startswith(
        '"m0" and "m1" cannot be told apart in f1 at 5 % over 75 series (exact signed-rank test'
    )
    assert 'By f1, "m0" is better on average than "m1" (+0.073, 95 % from +0.01' in conclusion
    assert conclusion.endswith(") but wins on 28 series and loses on 41.")
    # often a little better, seldom much worse: the test and the mean are on two sides
    apart = np.concatenate([np.linspace(0.01, 0.02, 55), np.linspace(-0.9, -0.8, 10)])
    (pair,) = two(apart).pairs
    assert (pair.better, pair.verdict, pair.significant) == ("m0", "mostly better", True)
    assert pair.mean < 0 and pair.high < 0
    assert (
        'mostly worse than "m0" (on 55 of 65 series; 5 % level, exact signed-rank test, 65 series), but better on '
        in (two(apart).conclusion)
    )


def test_with_fewer_than_ten_series_a_difference_is_not_called_better():
    found = two(np.linspace(0.1, 0.2, 8))
    (pair,) = found.pairs
    assert (pair.verdict, pair.p, pair.low) == ("mostly better", 2**-7, None)
    assert found.conclusion == (
        'By rand_index, "m0" is mostly better than "m1" (on 8 of 8 series; 5 % level, exact signed-rank test, 8 '
        "series), but there is no interval of the mean difference, because there are few series."
    )
    rough = two(np.linspace(0.1, 0.2, 12))
    assert rough.conclusion == (
        'By rand_index, "m0" is better than "m1" (mean difference 0.150; 5 % level, exact signed-rank test, 12 series). '
        "The series are few (12), so the intervals are rough."
    )


def test_groups_of_series_are_named_and_drawn_as_a_whole():
    apart = np.random.default_rng(0).normal(0.05, 0.1, 48)
    given = table([0.5 + apart, np.full(48, 0.5)])
    grouped = given.with_columns(group=pl.col("series").str.slice(1).cast(pl.Int64) % 12)
    found = ss.leaderboard(grouped).differences()
    assert found.conclusion.endswith(
        "The 48 series are in 12 groups; the tests assume that series are independent. The groups are few (12), so the "
        "intervals are rough."
    )
    (pair,) = found.pairs
    assert (pair.low, pair.high) == pytest.approx(interval(apart, [k % 12 for k in range(48)])[:2])
    few = given.with_columns(group=pl.col("series").str.slice(1).cast(pl.Int64) % 5)
    assert ss.leaderboard(few).differences().pairs[0].low is None


def test_secondary_scores_are_called_so():
    board = ss.leaderboard(table(scores(3, 20)))
    assert "secondary" not in board.differences().conclusion
    assert board.differences(secondary=True).conclusion.endswith("rand_index is a secondary score.")


def test_one_method_declared_beforehand():
    values = scores(5, 30, seed=1)
    board = ss.leaderboard(table(values))
    found = board.differences(reference="m2")
    assert len(found.pairs) == 4 and all("m2" in pair[:2] for pair in found.pairs)
    assert [pair.corrected for pair in found.pairs] == holm([pair.p for pair in found.pairs])
    every = board.differences()
    assert [pair.p for pair in found.pairs] == [pair.p for pair in every.pairs if "m2" in pair[:2]]
    assert (found.reference, found.groups) == ("m2", [])
    assert 'exact signed-rank tests with Holm over 4 pairs with "m2"' in found.conclusion
    assert found.conclusion.startswith('By rand_index, "m2" is ')
    equal = ss.leaderboard(table(0.5 + np.random.default_rng(2).normal(0, 0.1, (3, 20)))).differences(reference="m1")
    assert equal.conclusion.startswith('No method can be told apart from "m1" in rand_index at 5 % over 20 series')


def test_the_bayesian_test_of_the_demo():
    found = demo("f1").differences("bayes", reference="PELT")
    pair = pair_of(found, "PELT", "PELT, jump 5")
    # baycomp says 0.000, 0.325 and 0.675; two standard errors of 50,000 draws are 0.004
    assert (pair.p_worse, pair.p_same, pair.p_better) == pytest.approx((0.0, 0.326, 0.674), abs=0.008)
    assert (pair.better, pair.verdict, pair.significant, pair.p, pair.corrected) == (
        *("PELT", "undecided", False),
        *(None, None),
    )
    assert pair_of(demo("f1").differences(), "PELT", "PELT, jump 5").p == pytest.approx(0.0074, abs=5e-5)
    sure = pair_of(found, "PELT", "window of 150")
    assert (sure.better, sure.verdict, sure.significant) == ("PELT", "better", True)
    assert found.rope == 0.01
    assert "Bayesian signed-rank tests with rope 0.01, 75 series)." in found.conclusion
    assert "0.000, " in repr(found)


def test_only_the_bayesian_test_says_the_same():
    rng = np.random.default_rng(0)
    values = 0.5 + rng.normal(0, 0.001, (2, 40))
    found = ss.leaderboard(table(values)).differences("bayes", rope=0.05)
    assert found.pairs[0].verdict == "same"
    assert 'is practically the same as "m' in found.conclusion
    assert "(probability of at least 95 %, Bayesian signed-rank test with rope 0.05, 40 series)" in found.conclusion


def test_less_is_better_for_distances():
    values = np.array([[0.1], [0.3]]) + scores(1, 20) / 50
    (pair,) = ss.leaderboard(table(values, "pk"), "pk").differences().pairs
    assert (pair.better, pair.wins, pair.effect, pair.verdict) == ("m0", 20, 1, "better")
    assert pair.mean == pytest.approx(-0.2)
    assert pair.low == pytest.approx(pair.high) == pytest.approx(-0.2)
    assert pair.low <= pair.high


def test_infinite_distances_are_larger_than_all_others():
    rng = np.random.default_rng(1)
    values = np.array([rng.uniform(0, 1, 30), rng.uniform(2, 3, 30), np.full(30, np.inf)])
    found = ss.leaderboard(table(values, "hausdorff"), "hausdorff").differences()
    assert [(p.better, p.worse, p.verdict) for p in found.pairs] == [
        ("m0", "m1", "better"),
        ("m0", "m2", "mostly better"),
        ("m1", "m2", "mostly better"),
    ]
    assert "because some runs failed or have infinite scores" in found.conclusion
    both = ss.leaderboard(table(np.full((2, 8), np.inf), "hausdorff"), "hausdorff").differences()
    assert (both.pairs[0].ties, both.pairs[0].mean, both.pairs[0].verdict) == (8, 0, "undecided")


def test_scores_that_differ_by_rounding_are_ties():
    values = np.array([[0.1 + 0.2] * 10, [0.3] * 10])
    assert values[0, 0] != values[1, 0]
    (pair,) = ss.leaderboard(table(values)).differences().pairs
    assert (pair.wins, pair.ties, pair.losses, pair.mean) == (0, 10, 0, 0)


def test_no_method_is_compared_with_nothing():
    assert ss.leaderboard(table([[1.0]]).clear()).differences().conclusion == (
        "There is nothing to compare: 0 methods on 0 series."
    )
    alone = ss.leaderboard(table([[1.0, 0.5]])).differences()
    assert alone.conclusion == "There is nothing to compare: 1 method on 2 series."
    equal = ss.leaderboard(table(np.full((3, 8), 0.5))).differences()
    assert (equal.friedman, equal.groups) == (1, [("m0", "m1", "m2")])
    assert equal.conclusion == (
        "8 series, and two methods differ on at most 0: no test can show a difference in rand_index at 5 %; the order "
        "may be chance."
    )


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("kind", ["exact", "nemenyi", "bayes"])
def test_methods_that_finished_on_no_common_series(kind):
    rows = table([[0.5 + 0.1 * m if (s + m) % 3 else np.nan for s in range(9)] for m in range(3)])
    board = ss.leaderboard(rows, failures="common")
    found = board.differences(kind)
    assert (len(board.series), found.groups, found.critical) == (0, [], None)
    assert [pair.n for pair in found.pairs] == [3, 3, 3]  # each pair is compared where both have a score
    assert all(pair.corrected is None for pair in found.pairs)


def test_p_is_never_printed_as_0():
    found = ss.leaderboard(
        table([np.linspace(0.5, 0.9, 60), np.linspace(0.1, 0.2, 60), np.full(60, 0.05)])
    ).differences()
    assert all(0 < pair.p < 1e-15 for pair in found.pairs)
    text = repr(found)
    assert "< 0.0001" in text and "p = 0 " not in text and "e-" not in text
    assert "Friedman test of all methods: p < 0.0001." in text


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["exact", "nemenyi", "bayes"])
def test_the_same_from_the_seed_in_any_order_of_the_rows(kind):
    values = scores(4, 40, seed=2).round(1)  # many ties, and sums that depend on the order
    values[3, 4] = np.nan
    given = table(values).with_columns(group=pl.col("series").str.slice(1).cast(pl.Int64) % 13)
    first = ss.leaderboard(given, seed=5).differences(kind)
    for seed in range(3):
        mixed = ss.leaderboard(given.sample(fraction=1, shuffle=True, seed=seed), seed=5).differences(kind)
        assert mixed.to_dict() == first.to_dict()
    assert ss.leaderboard(given, seed=6).differences(kind).to_dict() != first.to_dict()


def test_tables_of_differences():
    found = ss.leaderboard(table(scores(3, 8))).differences()
    frame = found.to_polars()
    assert frame.columns == list(Difference._fields)
    assert frame["low"].to_list() == [None] * 3
    assert found.to_pandas()["corrected"].tolist() == pytest.approx([pair.corrected for pair in found.pairs])


def test_what_cannot_be_compared():
    board = ss.leaderboard(table(scores(3, 8)))
    cases = [
        (("tukey", {}), "kind = 'tukey' is unknown; expected 'exact', 'nemenyi' or 'bayes'"),
        (("exact", {"reference": "m9"}), "reference = 'm9' is not a ranked method; expected one of m2, m0, m1"),
        (
            ("nemenyi", {"reference": "m1"}),
            "reference = 'm1' has no meaning for kind='nemenyi', which compares all pairs; expected kind='exact' or 'bayes'",
        ),
        (("exact", {"rope": 0.1}), "rope = 0.1 has no meaning for kind='exact'; expected kind='bayes'"),
        (("bayes", {"rope": -1}), "rope = -1 is not a difference; expected a finite number, 0 or more"),
    ]
    for (kind, options), message in cases:
        with pytest.raises(ValueError) as caught:  # noqa: PT011
            board.differences(kind, **options)
        assert str(caught.value) == message
    distances = ss.leaderboard(table(scores(3, 8), "hausdorff"), "hausdorff")
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        distances.differences("bayes")
    assert str(caught.value) == (
        "rope= is missing, and 'hausdorff' is not known to lie in [0, 1], where rope is 0.01; expected the largest "
        "difference that does not matter"
    )
    assert distances.differences("bayes", rope=2).rope == 2


@pytest.mark.parametrize(
    ("p", "text"),
    [(0.0, "p < 0.0001"), (9.9e-5, "p < 0.0001"), (1e-4, "p = 0.0001"), (0.0312, "p = 0.031"), (1.0, "p = 1")],
)
def test_p_is_never_0_and_never_below_a_ten_thousandth_in_digits(p, text):
    assert p_value(p) == text
    assert in_digits(p) == text.removeprefix("p ").removeprefix("= ")


def test_differences_as_text():
    values = (0.0, -0.0, 0.0005, 0.00049, -1.5, 1e6, math.nan)
    assert [signed(value) for value in values] == [
        *("+0.000", "+0.000", "+0.001", "+0.00049", "-1.500", "+1e+06", "–"),
    ]


def test_a_verdict_that_turns_around_changes():
    rng = np.random.default_rng(2)
    base = rng.uniform(0.3, 0.5, 40)
    rows = pl.DataFrame(
        {
            "method": ["a"] * 40 + ["b"] * 40,
            "series": [f"s{k:02}" for k in range(40)] * 2,
            "f1": [*(base[:20] + 0.1), *[None] * 20, *base],
        }
    )
    board = ss.leaderboard(rows, "f1")
    for own, better in ((board, "b"), (board.under("common"), "a")):
        (pair,) = own.differences().pairs
        assert (pair.better, pair.verdict) == (better, "better")
    assert board.differences().conclusion.endswith(
        'This depends on how failures are counted: on the 20 series without a failure, "a" is first and the verdict on 1 '
        "of 1 pair changes."
    )


def test_an_interval_without_a_significant_test_says_who_wins_where():
    differences = [0.01, 0.02, -0.03, 0.4, 0.5, 0.6, 0.7, 0, 0, 0]
    rows = pl.DataFrame(
        {
            "method": ["a"] * 10 + ["b"] * 10,
            "series": [f"s{k}" for k in range(10)] * 2,
            "f1": [*(0.2 + np.array(differences)), *[0.2] * 10],
        }
    )
    assert (
        " but the test does not show it: it wins on 6 series and loses on 1, corrected p = 0.078."
        in ss.leaderboard(rows, "f1").differences().conclusion
    )
