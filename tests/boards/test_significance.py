"""Which differences are significant: the tests, the verdicts, and the sentences."""

import math
from functools import cache
from itertools import combinations
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from test_leaderboards import scores, table

import segscore as ss
from segscore.boards.flips import LEVEL, flipped, holm
from segscore.boards.marks import marks_of
from segscore.boards.signed_ranks import rank_test, signed_ranks
from segscore.boards.significance import Difference
from segscore.boards.wording import in_digits, signed


@cache
def demo(metric):
    study = pl.read_parquet(Path(__file__).parents[1] / "five_signals.parquet")
    return ss.leaderboard(ss.score(study, metrics=[metric], margin=5, on_error="null"), metric)


def pair_of(found, one, other):
    return next(pair for pair in found.of(one) if pair.other == other)


def two(apart, metric="rand_index"):
    """Return the comparison of two methods with given differences."""
    apart = np.asarray(apart)
    return ss.leaderboard(table([0.5 + apart / 2, 0.5 - apart / 2], metric), metric).differences()


def test_each_pair_has_one_verdict_by_the_mean_with_holm():
    values = scores(5, 18, seed=3)
    board = ss.leaderboard(table(values))
    order = [int(m[1:]) for m in board.methods]
    found = board.differences()
    places = list(combinations(order, 2))
    assert [pair[:2] for pair in found.pairs] == [(f"m{a}", f"m{b}") for a, b in places]
    tested = [flipped((values[a] - values[b])[None, :], np.ones(18), 10)[0] for a, b in places]
    corrected = holm([each.p for each in tested])
    for pair, (a, b), own, p in zip(found.pairs, places, tested, corrected, strict=True):
        apart = values[a] - values[b]
        assert (pair.p, pair.low, pair.high) == pytest.approx(own)
        assert pair.corrected == pytest.approx(p)
        assert (pair.wins, pair.ties, pair.losses) == ((apart > 0).sum(), (apart == 0).sum(), (apart < 0).sum())
        assert pair.mean == pytest.approx(apart.mean())
        assert pair.effect == pytest.approx(signed_ranks(apart).effect)
        assert (pair.n, pair.of) == (18, 18)
        assert pair.verdict == ("not shown" if p > LEVEL else "better")
        turned = pair.seen_from(pair.other)
        assert turned.seen_from(pair.method) == pair
        assert turned.mean == -pair.mean and turned.verdict != "better"
    assert found.of("m2") == [pair.seen_from("m2") for pair in found.pairs if "m2" in pair[:2]]


def test_boards_by_mean_rank_test_ranks():
    values = scores(3, 15, seed=1)
    board = ss.leaderboard(table(values, "hausdorff"), "hausdorff")
    found = board.differences()
    assert "signed-rank tests with Holm over 3 pairs" in found.conclusion
    for pair in found.pairs:
        apart = values[int(pair.other[1:])] - values[int(pair.method[1:])]
        assert (pair.p, pair.low, pair.high) == (rank_test(apart), None, None)
        assert pair.effect == signed_ranks(apart).effect


def test_a_pair_does_not_depend_on_the_other_methods_or_on_the_order_of_the_rows():
    values = scores(5, 30, seed=4)
    (alone,) = ss.leaderboard(table(values[:2])).differences().pairs
    among = pair_of(ss.leaderboard(table(values)).differences(), alone.method, alone.other)
    assert among[3:-3] == alone[3:-3]
    shuffled = table(values).sample(fraction=1, shuffle=True, seed=1)
    assert ss.leaderboard(shuffled).differences() == ss.leaderboard(table(values)).differences()


def test_groups_are_the_longest_runs_of_which_no_two_differ():
    for seed in range(15):
        board = ss.leaderboard(table(scores(6, 14, seed)))
        found = board.differences()
        order = [s.method for s in sorted(board.standings, key=lambda s: s.rank)]
        significant = {frozenset(pair[:2]) for pair in found.pairs if pair.verdict != "not shown"}
        runs = [
            tuple(order[a:b])
            for a, b in combinations(range(len(order) + 1), 2)
            if b - a > 1 and not any(frozenset(x) in significant for x in combinations(order[a:b], 2))
        ]
        assert found.groups == [run for run in runs if not any(set(run) < set(other) for other in runs)]


# Worked numbers of the study that segscore brings along: the mean differences are those of numpy, and p those of
# scipy's permutation_test with 200,000 draws.
WORKED = [
    ("f1", "PELT, low penalty", "PELT", 0.073, (28, 6, 41), 0.043, 0.04),
    ("covering", "PELT", "bottom-up", 0.020, (58, 3, 14), 0.17, 0.53),
    ("f1", "bottom-up", "binary segmentation", 0.105, (31, 26, 18), 0.0005, 0.50),
]


@pytest.mark.parametrize(("metric", "one", "other", "mean", "counts", "p", "effect"), WORKED)
def test_worked_numbers(metric, one, other, mean, counts, p, effect):
    pair = pair_of(demo(metric).differences(), one, other)
    assert pair.mean == pytest.approx(mean, abs=5e-4)
    assert (pair.wins, pair.ties, pair.losses) == counts
    assert pair.p == pytest.approx(p, rel=0.1, abs=4e-4)
    assert pair.effect == pytest.approx(effect, abs=5e-3)
    assert (pair.n, pair.of) == (75, 75)


def test_the_policy_for_failures_decides_and_the_conclusion_says_so():
    kernel = "kernel, 12 points or more"
    board = demo("rand_index")
    filled = pair_of(board.differences(), "PELT", kernel)
    assert (filled.verdict, filled.n, filled.of) == ("better", 75, 75)
    assert filled.mean == pytest.approx(0.267, abs=5e-4)
    common = pair_of(board.under("common").differences(), kernel, "PELT")
    assert (common.verdict, common.n, common.of) == ("better", 45, 75)
    assert common.mean == pytest.approx(0.097, abs=5e-4)
    says = board.differences().conclusion
    assert " This depends on how rows without a score count (on the 45 common series, " in says
    assert "on the 45 common series, the verdict on " in says
    assert "depends" not in ss.leaderboard(table(scores(3, 20))).differences().conclusion
    omitted = board.under("omit").differences()
    assert (pair_of(omitted, "PELT", kernel).n, pair_of(omitted, "PELT", "bottom-up").n) == (45, 75)
    assert "This depends on the series, " in omitted.conclusion


def test_the_first_place_depends_on_the_policy():
    values = scores(3, 20)
    values[2, :15] = np.nan  # the best where it does not fail
    values[2, 15:] = 1.0
    found = ss.leaderboard(table(values)).differences()
    assert 'on the 5 common series, "m2" is first and the verdict on ' in found.conclusion


@pytest.mark.parametrize(("wins", "ties", "p"), [(6, 7, 0.03125), (6, 8, 0.03125), (5, 9, 0.0625), (4, 20, 0.125)])
def test_few_wins_among_ties(wins, ties, p):
    (pair,) = two([0.2] * wins + [0.0] * ties).pairs
    assert pair.p == pytest.approx(p, abs=0.015 if wins + ties > 20 else 0)  # random flips above 20 series
    assert (pair.corrected, pair.wins, pair.ties, pair.losses) == (pair.p, wins, ties, 0)
    assert pair.verdict == ("better" if wins == 6 else "not shown")


def test_no_difference_can_be_shown_with_few_series_or_groups():
    wide = [[0.9, 0.8, 0.9, 0.8, 0.9], [0.5, 0.4, 0.3, 0.2, 0.1]]
    few = ss.leaderboard(table(wide))
    assert few.differences().conclusion == (
        "By rand_index, no difference can be shown at the 5 % level: 1 pair needs 6 series, and there are 5."
    )
    assert [(pair.p, pair.verdict, pair.low) for pair in few.differences().pairs] == [(0.0625, "not shown", None)]
    assert (marks_of(few, 3).underlined, marks_of(few, 3).tests) == (frozenset(), "")
    values = np.linspace(0, 1, 10)[:, None] + np.linspace(0, 0.01, 10)
    found = ss.leaderboard(table(values)).differences()  # ten methods, each always better than the next
    assert found.conclusion == (
        "By rand_index, no difference can be shown at the 5 % level: 45 pairs need 11 series, and there are 10."
    )
    assert {pair.verdict for pair in found.pairs} == {"not shown"}
    more = np.linspace(0, 1, 10)[:, None] + np.linspace(0, 0.01, 11)
    assert {pair.verdict for pair in ss.leaderboard(table(more)).differences().pairs} == {"better"}
    wide = table(np.linspace(0, 1, 2)[:, None] + np.linspace(0, 0.01, 50))
    grouped = wide.with_columns(group=pl.col("series").str.slice(1).cast(pl.Int64) % 5)
    assert ss.leaderboard(grouped).differences().conclusion == (
        "By rand_index, no difference can be shown at the 5 % level: 1 pair needs 6 groups, and there are 5."
    )


def test_nothing_shown_is_no_proof():
    rng = np.random.default_rng(0)
    equal = ss.leaderboard(table(0.5 + rng.normal(0, 0.1, (4, 30)))).differences()
    assert equal.conclusion == (
        "By rand_index, no difference between the 4 methods is shown (5 % level, sign-flip tests with Holm over 6 "
        "pairs, 30 series taken as independent). This does not show that the methods are equal."
    )
    pair = two(rng.normal(0, 0.1, 30))
    one, other = pair.pairs[0][:2]
    assert pair.conclusion == (
        f'By rand_index, no difference between "{one}" and "{other}" is shown (5 % level, sign-flip test, 30 series '
        "taken as independent). This does not show that the methods are equal."
    )


def test_what_is_shown_is_said_with_its_test_and_its_series():
    values = np.array([[0.9], [0.5], [0.1]]) + scores(1, 30) / 20
    clear = ss.leaderboard(table(values)).differences()
    assert clear.conclusion == (
        'By rand_index, "m0" is better than "m1" and "m2" (mean difference 0.400 to 0.800) (5 % level, sign-flip tests '
        "with Holm over 3 pairs, 30 series taken as independent)."
    ).replace(") (5", "; 5")
    assert clear.groups == []
    rng = np.random.default_rng(4)
    near = np.vstack([values, values[0] + rng.normal(0, 0.02, 30) - 0.001])
    assert ss.leaderboard(table(near)).differences().conclusion == (
        'By rand_index, "m0" is better than "m1" and "m2" (mean difference 0.400 to 0.800; 5 % level, sign-flip tests '
        'with Holm over 6 pairs, 30 series taken as independent). "m0" is not shown to differ from "m3".'
    )


def test_an_interval_that_excludes_0_without_a_verdict_is_named():
    apart = np.random.default_rng(3).normal(0.02, 0.05, 30)
    values = [0.5 + apart, np.full(30, 0.5), *(0.2 + np.random.default_rng(5).uniform(0, 0.1, (8, 30)))]
    found = ss.leaderboard(table(values)).differences()
    pair = pair_of(found, "m0", "m1")
    assert pair.verdict == "not shown" and pair.excludes_0
    assert found.conclusion.endswith(
        f' "m0" is not shown to differ from "m1"; the interval of the difference to "m1" ({pair.mean:+.3f}, 95 % from '
        f"{pair.low:+.3f} to {pair.high:+.3f}), which is not corrected, excludes 0."
    )


def test_the_order_and_a_verdict_that_disagree_are_said_and_nothing_is_best():
    # By its own series m0 is first, but m1 is better on all series of both.
    values = np.array([[0.6] * 20 + [np.nan] * 20, [0.7] * 20 + [0.1] * 20]) + np.linspace(0, 0.05, 40)
    board = ss.leaderboard(table(values), failures="omit")
    found = board.differences()
    assert [pair[:3] for pair in found.pairs] == [("m0", "m1", "worse")]
    assert found.conclusion.startswith('By rand_index, "m0" is worse than "m1" (mean difference 0.100; ')
    assert 'This depends on the series, since "m0" has a better place than "m1" and is worse on ' in found.conclusion
    assert marks_of(board, 3).bold == frozenset()


def test_groups_are_the_units_of_the_tests():
    rng = np.random.default_rng(0)
    apart = np.repeat(rng.normal(0.02, 0.05, 12), 4) + rng.normal(0, 0.01, 48)
    given = table([0.5 + apart, np.full(48, 0.5)])
    grouped = given.with_columns(group=pl.col("series").str.slice(1).cast(pl.Int64) // 4)
    found = ss.leaderboard(grouped).differences()
    (pair,) = found.pairs
    (wanted,) = flipped(apart.reshape(12, 4).sum(axis=1)[None, :], np.full(12, 4.0))
    assert (pair.p, pair.low, pair.high) == pytest.approx(wanted)
    assert "sign-flip test, 48 series in 12 groups)" in found.conclusion
    (alone,) = ss.leaderboard(given).differences().pairs
    assert alone.verdict == "better" and pair.verdict == "not shown"


def test_secondary_scores_are_called_so():
    board = ss.leaderboard(table(scores(3, 20)))
    assert "secondary" not in board.differences().conclusion
    assert board.differences(secondary=True).conclusion.startswith("By rand_index, a secondary score, ")


def test_one_method_declared_beforehand():
    board = ss.leaderboard(table(scores(5, 30, seed=1)))
    found = board.differences(reference="m2")
    assert len(found.pairs) == 4 and all("m2" in pair[:2] for pair in found.pairs)
    assert [pair.corrected for pair in found.pairs] == holm([pair.p for pair in found.pairs])
    every = board.differences()
    assert [pair.p for pair in found.pairs] == [pair.p for pair in every.pairs if "m2" in pair[:2]]
    assert (found.reference, found.groups) == ("m2", [])
    assert 'sign-flip tests with Holm over 4 pairs with "m2"' in found.conclusion
    assert found.conclusion.startswith('By rand_index, "m2" is ')
    equal = ss.leaderboard(table(0.5 + np.random.default_rng(2).normal(0, 0.1, (3, 20)))).differences(reference="m1")
    assert equal.conclusion.startswith('By rand_index, no difference to "m1" is shown (5 % level, sign-flip tests with')
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        ss.leaderboard(table(scores(3, 8))).differences(reference="m9")
    assert str(caught.value) == "reference = 'm9' is not a ranked method; expected one of m2, m0, m1"


@pytest.mark.parametrize("groups", [None, 12])
def test_marks_follow_the_verdicts(groups):
    for seed in range(10):
        given = table(scores(5, 36, seed) / 8 + 0.1 * np.arange(5)[:, None] / 5)
        if groups:
            given = given.with_columns(group=pl.col("series").str.slice(1).cast(pl.Int64) % groups)
        board = ss.leaderboard(given)
        alike = {pair.other for pair in board.differences().of(board.methods[0]) if pair.verdict == "not shown"}
        marks = marks_of(board, 3)
        assert (marks.underlined, marks.tests) == (alike, "sign-flip tests with Holm over 10 pairs")
        (bold,) = marks.bold
        assert bold == board.methods[0]


def test_less_is_better_for_distances():
    values = np.array([[0.1], [0.3]]) + scores(1, 20) / 50
    (pair,) = ss.leaderboard(table(values, "pk"), "pk").differences().pairs
    assert (pair.method, pair.wins, pair.effect, pair.verdict) == ("m0", 20, 1, "better")
    assert pair.mean == pytest.approx(-0.2)
    assert pair.low == pytest.approx(pair.high) == pytest.approx(-0.2)
    assert pair.low <= pair.high


def test_infinite_distances_are_larger_than_all_others():
    rng = np.random.default_rng(1)
    values = np.array([rng.uniform(0, 1, 30), rng.uniform(2, 3, 30), np.full(30, np.inf)])
    found = ss.leaderboard(table(values, "hausdorff"), "hausdorff").differences()
    assert [pair[:3] for pair in found.pairs] == [
        ("m0", "m1", "better"),
        ("m0", "m2", "better"),
        ("m1", "m2", "better"),
    ]
    assert 'By hausdorff, "m0" is better than "m1" and "m2" (5 % level, signed-rank tests with' in found.conclusion
    both = ss.leaderboard(table(np.full((2, 8), np.inf), "hausdorff"), "hausdorff").differences()
    assert (both.pairs[0].ties, both.pairs[0].mean, both.pairs[0].verdict) == (8, 0, "not shown")


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
    assert equal.groups == [("m0", "m1", "m2")]
    assert {(pair.p, pair.verdict, pair.low, pair.high) for pair in equal.pairs} == {(1.0, "not shown", 0.0, 0.0)}


@pytest.mark.filterwarnings("error")
def test_methods_that_finished_on_no_common_series():
    rows = table([[0.5 + 0.1 * m if (s + m) % 3 else np.nan for s in range(9)] for m in range(3)])
    board = ss.leaderboard(rows, failures="common")
    found = board.differences()
    assert len(board.series) == 0
    assert [pair.n for pair in found.pairs] == [3, 3, 3]  # each pair is compared where both have a score
    assert {pair.verdict for pair in found.pairs} == {"not shown"}


def test_p_is_never_printed_as_0():
    values = [np.linspace(0.5, 0.9, 60), np.linspace(0.1, 0.2, 60), np.full(60, 0.05)]
    found = ss.leaderboard(table(np.array(values) - 1, "hausdorff"), "hausdorff").differences()
    assert all(0 < pair.p < 1e-15 for pair in found.pairs)
    text = repr(found)
    assert "< 0.0001" in text and "p = 0 " not in text and "e-" not in text


def test_the_same_in_any_order_of_the_rows():
    values = scores(4, 40, seed=2).round(1)  # many ties, and sums that depend on the order
    values[3, 4] = np.nan
    given = table(values).with_columns(group=pl.col("series").str.slice(1).cast(pl.Int64) % 13)
    first = ss.leaderboard(given)
    for seed in range(3):
        mixed = ss.leaderboard(given.sample(fraction=1, shuffle=True, seed=seed))
        assert mixed.differences().to_dict() == first.differences().to_dict()
        assert mixed.standings == first.standings


def test_tables_of_differences():
    found = ss.leaderboard(table(scores(3, 8))).differences()
    frame = found.to_polars()
    assert frame.columns == list(Difference._fields)
    assert found.to_pandas()["corrected"].tolist() == pytest.approx([pair.corrected for pair in found.pairs])


@pytest.mark.parametrize(
    ("p", "text"),
    [(0.0, "p < 0.0001"), (9.9e-5, "p < 0.0001"), (1e-4, "p = 0.0001"), (0.0312, "p = 0.031"), (1.0, "p = 1")],
)
def test_p_is_never_0_and_never_below_a_ten_thousandth_in_digits(p, text):
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
        assert (pair.method, pair.verdict) == (better, "better")
    assert board.differences().conclusion.endswith(
        'This depends on how rows without a score count (on the 20 common series, "a" is first and the verdict on 1 of 1 '
        "pair changes)."
    )
