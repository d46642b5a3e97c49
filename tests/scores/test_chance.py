"""Chance that respects order: the mean over all segmentations, exact fractions, and draws that are what they claim."""

import math
import re
from collections import Counter
from datetime import datetime
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import accumulate, combinations, pairwise, permutations
from math import comb

import numpy as np
import oracle
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from times import cuts_in_time

import segscore as ss
from segscore import _core


def rand_index(truth, pred, n):
    return oracle.rand_index(*oracle.pair_counts(truth, pred, n))


def mean(values):
    values = list(values)
    return sum(values) / len(values)


@pytest.mark.parametrize("n", range(0, 8))
def test_uniform_is_the_mean_over_all_predictions(n):
    for truth in oracle.segmentations(n):
        for r in range(max(n, 1)):
            scores = [rand_index(truth, pred, n) for pred in combinations(range(1, n), r)]
            wanted = mean(scores)
            assert ss.expected_rand_index(truth, r, n=n) == pytest.approx(float(wanted), rel=1e-14)
            assert ss.expected_rand_distance(truth, r, n=n) == pytest.approx(float(1 - wanted), rel=1e-13, abs=1e-300)
            variance = mean(x * x for x in scores) - wanted**2
            assert ss.exact_rand_index_variance(truth, r, n=n) == variance
            assert ss.rand_index_variance(truth, r, n=n) == pytest.approx(float(variance), rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("n", range(1, 7))
def test_both_is_the_mean_over_all_pairs(n):
    for s in range(n):
        for r in range(n):
            truths, preds = list(combinations(range(1, n), s)), list(combinations(range(1, n), r))
            wanted = mean(rand_index(truth, pred, n) for truth in truths for pred in preds)
            found = ss.expected_rand_distance(truths[0], r, n=n, null="both")
            assert found == pytest.approx(float(1 - wanted), rel=1e-14, abs=1e-300)


@pytest.mark.parametrize("n", range(1, 8))
@pytest.mark.parametrize(
    "p", [Fraction(0), Fraction(1, 1000), Fraction(1, 7), Fraction(1, 2), Fraction(9, 10), Fraction(1)]
)
def test_bernoulli_is_the_mean_over_all_segmentations_by_their_chance(n, p):
    for truth in oracle.segmentations(n):
        wanted = sum(
            rand_index(truth, pred, n) * p ** len(pred) * (1 - p) ** (n - 1 - len(pred))
            for pred in oracle.segmentations(n)
        )
        found = ss.expected_rand_distance(truth, 0, n=n, null=ss.bernoulli(float(p)))
        assert found == pytest.approx(float(1 - wanted), rel=1e-12, abs=1e-300)


def test_the_numbers_of_the_spec():
    assert ss.expected_rand_index([4, 8], 2, n=10) == pytest.approx(571 / 810, rel=1e-15)
    assert ss.order_adjusted_rand_index([4, 8], [3, 8], n=10) == pytest.approx(113 / 239, rel=1e-14)
    assert ss.exact_rand_index_variance([4, 8], 2, n=10) == Fraction(7949, 656100)
    assert ss.expected_rand_index([4, 8], 2, n=10, null="both") == pytest.approx(1081 / 1620, rel=1e-15)
    assert ss.expected_rand_index([4, 8], 2, n=10, null=ss.bernoulli(0.5)) == pytest.approx(5717 / 7680, rel=1e-15)
    assert ss.order_adjusted_mutual_information([4, 8], [3, 8], n=10) == pytest.approx(0.485297, abs=5e-7)
    table = [([500], 1, 0.6665), ([500], 3, 0.7122), (range(100, 1000, 100), 9, 0.8691), ([10], 1, 0.6660)]
    for truth, r, value in table:
        assert ss.expected_rand_index(truth, r, n=1000) == pytest.approx(value, abs=5e-5)
    assert ss.order_adjusted_rand_index([990], [10], n=1000) == pytest.approx(0.8825, abs=5e-5)
    assert ss.order_adjusted_rand_index([500], [250], n=1000) == pytest.approx(-0.126, abs=5e-4)
    assert ss.order_adjusted_rand_index([500], [400], n=1000) == pytest.approx(0.460, abs=5e-4)


def exact_uniform(lengths, n, r):
    def missed(length):
        return Fraction(comb(n - length, r + 2), comb(n, r + 2)) if length + r + 2 <= n else Fraction(0)

    together = Fraction(n * (n - 1 - r), r + 2)
    both = together * (r + 2 - sum(1 - missed(length) for length in lengths)) / (r + 1)
    return (together + sum(comb(length, 2) for length in lengths) - 2 * both) / comb(n, 2)


def exact_both(n, r, s):
    def together(m):
        return Fraction(n * (n - 1 - m), m + 2)

    both = sum(
        Fraction(comb(s, k) * comb(n - 1 - s, r - k), comb(n - 1, r)) * together(r + s - k)
        for k in range(min(r, s) + 1)
    )
    return (together(r) + together(s) - 2 * both) / comb(n, 2)


def exact_bernoulli(lengths, n, p):
    w = 1 - p

    def kept(length):
        return w / p**2 * (length * p - 1 + w**length)

    return (kept(n) + sum(comb(length, 2) - 2 * kept(length) for length in lengths)) / comb(n, 2)


@given(st.data())
def test_digits_are_kept_at_any_length(data):
    n = data.draw(st.sampled_from([2, 9, 300, 2000, 10**6, 10**9, 10**12]))
    ends = st.integers(1, 5) | st.integers(1, 5).map(lambda c: max(1, n - c)) | st.integers(1, n - 1)
    truth = ss.Segmentation(sorted(data.draw(st.sets(ends.map(lambda c: min(c, n - 1)), max_size=8))), n=n)
    r = data.draw(st.integers(0, min(n - 1, 300)))
    close = {"rel": 1e-14, "abs": 1e-300}
    wanted = exact_uniform(truth.lengths, n, r)
    assert ss.expected_rand_distance(truth, r) == pytest.approx(float(wanted), **close)
    wanted = exact_both(n, r, len(truth) - 1)
    assert ss.expected_rand_distance(truth, r, null="both") == pytest.approx(float(wanted), **close)


@given(st.data())
def test_digits_are_kept_for_any_chance_to_cut(data):
    n = data.draw(st.sampled_from([2, 9, 60, 300]))
    truth = ss.Segmentation(sorted(data.draw(st.sets(st.integers(1, n - 1), max_size=8))), n=n)
    p = data.draw(st.sampled_from([1e-12, 1e-6, 1e-3, 0.01, 0.3, 0.5, 0.99, 1 - 1e-9]) | st.floats(0.3 / n, 5 / n))
    if p > 1:
        return
    wanted = exact_bernoulli(truth.lengths, n, Fraction(p))
    found = ss.expected_rand_distance(truth, 0, null=ss.bernoulli(p))
    assert found == pytest.approx(float(wanted), rel=1e-11, abs=1e-300)


def expected_information(truth, r, n):
    return mean(oracle.mutual_information(truth, pred, n) for pred in combinations(range(1, n), r))


@pytest.mark.parametrize("n", range(2, 8))
def test_order_adjusted_information_by_all_predictions(n):
    for truth in oracle.segmentations(n):
        for r in range(n):
            expected = expected_information(truth, r, n)
            for pred in list(combinations(range(1, n), r))[::3]:
                found = ss.order_adjusted_mutual_information(truth, pred, n=n)
                if tuple(pred) == tuple(truth):
                    assert found == 1.0
                    continue
                average = (oracle.entropy(truth, n) + oracle.entropy(pred, n)) / 2
                room = average - expected
                wanted = (oracle.mutual_information(truth, pred, n) - expected) / room if abs(room) > 1e-9 else 0.0
                assert found == pytest.approx(wanted, abs=1e-9)


def test_adjusted_scores_of_random_predictions_are_zero_on_average():
    truth = ss.Segmentation(range(100, 1000, 100), n=1000)
    drawn = ss.simulate.segmentations(2000, truth, rng=3)
    ours = np.mean([ss.order_adjusted_rand_index(truth, pred) for pred in drawn])
    information = np.mean([ss.order_adjusted_mutual_information(truth, pred) for pred in drawn])
    plain = np.mean([ss.adjusted_rand_index(truth, pred) for pred in drawn])
    assert abs(ours) < 0.02
    assert abs(information) < 0.06  # its room depends on the prediction's entropy, so the mean of the quotient is not 0
    assert plain == pytest.approx(0.471, abs=0.01)


# ---- draws ----


def counts_of(null, like, draws=40_000):
    return Counter(tuple(side.cuts) for side in ss.simulate.segmentations(draws, like, null=null, rng=7))


def chi_square(counts, chances, draws):
    return sum((counts.get(key, 0) - draws * chance) ** 2 / (draws * chance) for key, chance in chances.items())


def test_every_set_is_as_likely_as_the_null_says():
    like, draws = ss.Segmentation([2, 3], n=7), 40_000
    sets = list(combinations(range(1, 7), 2))
    found = counts_of("uniform", like, draws)
    assert set(found) == set(sets)
    assert chi_square(found, {key: 1 / len(sets) for key in sets}, draws) < 50  # 14 degrees of freedom
    orders = Counter((a, a + b) for a, b, _ in [(2, 1, 4), (2, 4, 1), (1, 2, 4), (1, 4, 2), (4, 1, 2), (4, 2, 1)])
    found = counts_of("shuffle", like, draws)
    assert set(found) == set(orders)
    assert chi_square(found, dict.fromkeys(orders, 1 / 6), draws) < 30
    p = 0.3
    chances = {tuple(s): p ** len(s) * (1 - p) ** (6 - len(s)) for s in oracle.segmentations(7)}
    found = Counter(tuple(s.cuts) for s in ss.simulate.segmentations(draws, like, null=ss.bernoulli(p), rng=5))
    assert chi_square(found, chances, draws) < 120  # 63 degrees of freedom


def test_dense_and_sparse_draws_are_sets_of_the_right_size():
    for n, r in ((2, 0), (2, 1), (10, 9), (1000, 3), (1000, 900), (10**15, 5), (2**63 - 1, 3), (100, 12), (100, 13)):
        like = ss.Segmentation(range(1, r + 1), n=n)
        for side in ss.simulate.segmentations(20, like, rng=1):
            assert len(side.cuts) == r and side.n == n
            assert ss.Segmentation(side.cuts, n=n) == side  # in order, inside, different
    everything = ss.simulate.segmentations(3, ss.Segmentation([], n=5), null=ss.bernoulli(1.0))
    assert [side.cuts for side in everything] == [[1, 2, 3, 4]] * 3


def test_a_generator_gives_its_next_draw():
    like = ss.Segmentation([3, 5, 9], n=40)
    drawn = int(np.random.default_rng(8).integers(2**64, dtype=np.uint64))
    assert ss.simulate.segmentations(5, like, rng=np.random.default_rng(8)) == ss.simulate.segmentations(
        5, like, rng=drawn
    )
    rng = np.random.default_rng(8)
    assert ss.simulate.segmentations(5, like, rng=rng) != ss.simulate.segmentations(5, like, rng=rng)
    tests = [ss.rand_test(like, [4, 5, 20], rng=np.random.default_rng(8), draws=200) for _ in range(2)]
    assert tests[0] == tests[1] == ss.rand_test(like, [4, 5, 20], rng=drawn, draws=200)
    signals = [ss.simulate.signal("teeth", rng=rng).values for rng in (np.random.default_rng(8), drawn)]
    assert np.array_equal(*signals)


def test_the_same_seed_gives_the_same_draws():
    like = ss.Segmentation([3, 5, 9], n=40)
    for null in ("uniform", "both", "bernoulli", "shuffle"):
        first, second = (ss.simulate.segmentations(30, like, null=null, rng=11) for _ in range(2))
        assert first == second
        assert first != ss.simulate.segmentations(30, like, null=null, rng=12)
    tests = [ss.rand_test(like, [4, 5, 20], rng=3, draws=200) for _ in range(2)]
    assert tests[0] == tests[1]
    assert ss.simulate.segmentations(2, ss.Segmentation([3, 5, 9], n=40), rng=1)[0].cuts == [4, 30, 32]  # for ever


def test_the_p_value_is_the_share_of_predictions_that_are_as_good():
    truth, pred, n = [4, 8], [3, 8], 10
    found = ss.rand_test(truth, pred, n=n, draws=40_000, rng=1)
    assert found.score == ss.rand_index(truth, pred, n=n)
    assert found.expected == ss.expected_rand_index(truth, 2, n=n)
    assert found.p_value == pytest.approx(5 / 36, abs=0.006)
    plan = _core.Plan([(0, ())], None, None)
    drawn = _core.drawn_scores(
        plan, ss.Segmentation(truth, n=n)._cuts, ss.Segmentation(pred, n=n)._cuts, n, 0, 0.0, 99, 5
    )
    wanted = (sum(score >= found.score for score in drawn[1]) + 1) / 100
    assert ss.rand_test(truth, pred, n=n, draws=99, rng=5).p_value == wanted
    assert "p_value=0.1" in repr(found) and "null='uniform'" in repr(found)


@pytest.mark.parametrize("null", ["uniform", "both", "bernoulli", "shuffle", ss.bernoulli(0.02)])
def test_every_null_tests(null):
    truth, pred = [100, 200, 350], [101, 199, 352]
    found = ss.rand_test(truth, pred, n=500, null=null, draws=999, rng=2)
    assert 0.001 <= found.p_value < 0.2
    assert 0 < found.expected < found.score < 1
    worst = ss.rand_test(truth, [1], n=500, null=null, draws=99, rng=2)
    assert 0.01 <= worst.p_value <= 1


def test_any_score_can_be_tested():
    truth, pred = [100, 200, 350], [101, 201, 352]  # late, because an early alarm is false
    for name, metric in ss.METRICS.items():
        if metric.only_tables or metric.cost.startswith("O(n sqrt"):
            continue
        found = ss.rand_test(
            truth, pred, n=500, metric=name, draws=99, rng=2, margin=5 if metric.needs_margin else None
        )
        if name not in ("count_error", "mutual_information", "expected_f1"):
            assert found.p_value <= 0.2 or name == "generalized_hamming", (name, found)
    with pytest.raises(TypeError, match="f1 has no margin"):
        ss.rand_test(truth, pred, n=500, metric="f1")


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: ss.expected_rand_index([3], 9, n=9),
            ValueError,
            "r = 9 is out of range; expected an integer from 0 to 8",
        ),
        (lambda: ss.expected_rand_index([3], -1, n=9), ValueError, "r = -1 is out of range"),
        (
            lambda: ss.expected_rand_index([3], 1.5, n=9),
            TypeError,
            "r = 1.5 is a float; expected an integer from 0 to 8",
        ),
        (
            lambda: ss.expected_rand_index([3], 1, n=9, null="no"),
            ValueError,
            "null = 'no' is unknown; expected 'uniform', 'both', 'bernoulli', 'shuffle' or bernoulli(p)",
        ),
        (
            lambda: ss.expected_rand_index([3], 1, n=9, null="shuffle"),
            ValueError,
            "null = 'shuffle' has no closed form",
        ),
        (lambda: ss.expected_rand_index([3], 1, n=9, null=ss.bernoulli(2)), ValueError, "p = 2 is not a probability"),
        (lambda: ss.rand_test([3], [4], n=9, draws=0), ValueError, "draws = 0 is out of range"),
        (
            lambda: ss.rand_test([3], [4], n=9, draws=2**64),
            ValueError,
            "is out of range; expected an integer from 1 to",
        ),
        (lambda: ss.rand_test([3], [4], n=9, margin="x"), TypeError, "margin = 'x' is a str; expected a number"),
        (lambda: ss.expected_rand_index([3], 1, n=9, null=ss.bernoulli("a")), TypeError, "p = 'a' is str"),
        (
            lambda: ss.rand_test([3], [4], n=9, rng="x"),
            TypeError,
            "rng = 'x' is a str; expected a Generator of NumPy, an integer or None",
        ),
        (lambda: ss.rand_test([3], [4], n=9, metric="rand"), ValueError, "did you mean 'rand_index'"),
        (
            lambda: ss.rand_test(ss.Segmentation([3], n=9), ss.Segmentation([4], n=8)),
            ValueError,
            "pred has n = 8 but truth has n = 9; both sides must have one length",
        ),
    ],
)
def test_what_is_wrong_is_said(call, error, message):
    with pytest.raises(error, match=re.escape(message)):
        call()


def test_scores_without_a_value():
    found = ss.rand_test([], [3], n=10, metric="mean_error", draws=99, rng=1)
    assert math.isnan(found.p_value) and math.isnan(found.expected)
    found = ss.rand_test([3, 7], [4], n=10, metric="mean_error", null="bernoulli", draws=999, rng=1)
    assert math.isfinite(found.expected) and 0 < found.p_value <= 1
    without = 1 - (1 - (1 / 9)) ** 9  # draws without a cut have no error, and count as good
    assert found.p_value >= (1 - without) * 0.8
    assert ss.rand_test([3], [4], n=10, metric="rand_distance", rng=1).expected == ss.expected_rand_distance(
        [3], 1, n=10
    )
    assert ss.rand_test([3], [4], n=10, draws=np.int64(9), rng=np.int64(3)).draws == 9


def test_a_null_that_leaves_no_room():
    assert ss.order_adjusted_rand_index([], [3], n=10, null=ss.bernoulli(0)) == -math.inf
    assert ss.order_adjusted_rand_index([3], [3], n=10, null=ss.bernoulli(0)) == 1.0
    for null in ("bogus", "shuffle"):
        with pytest.raises(ValueError, match="null = "):
            ss.order_adjusted_rand_index([3], [3], n=10, null=null)


def test_the_variance_says_where_it_has_no_digits():
    assert math.isnan(ss.rand_index_variance([], 10**9 - 3, n=10**9))
    assert math.isnan(ss.rand_index_variance([], 10**12 - 1000, n=10**12))
    for n, r, truth in ((175, 2, range(1, 118)), (50_000, 1000, [100, 40_000]), (900, 890, [3])):
        exact = float(ss.exact_rand_index_variance(truth, r, n=n))
        assert ss.rand_index_variance(truth, r, n=n) == pytest.approx(exact, rel=1e-10)


def test_degenerate_input():
    for n in (0, 1):
        assert ss.expected_rand_index([], 0, n=n) == 1.0
        assert ss.order_adjusted_rand_index([], [], n=n) == 1.0
        assert ss.rand_test([], [], n=n, draws=9).p_value == 1.0
        assert ss.rand_index_variance([], 0, n=n) == 0.0
    assert ss.order_adjusted_rand_index([3], [], n=9) == 0.0  # one prediction without cuts: it is what chance gives
    assert ss.order_adjusted_rand_index([3], range(1, 9), n=9) == 0.0
    assert math.isfinite(ss.order_adjusted_mutual_information([3], range(1, 9), n=9))


# ---- in time ----


def kept_apart(truth, duration, far):
    """Twice the area of disagreement: pairs within a true segment that are split, pairs of two segments that are not.

    far(x) has as second derivative the chance that a stretch of a share x of the duration is not cut. Each area is the
    double integral over two segments, or over one segment twice.
    """
    ends = [type(far(0))(c) / type(far(0))(duration) for c in (0, *truth, duration)]
    lengths = [b - a for a, b in pairwise(ends)]
    within = [length**2 - 2 * (far(length) - far(0) - length * far(None)) for length in lengths]
    across = [
        2 * (far(c - b) - far(c - a) - far(d - b) + far(d - a))
        for (a, b), (c, d) in combinations(list(pairwise(ends)), 2)
    ]
    return sum(within) + sum(across)


def uniform_in_time(r):
    def far(x):  # (1 - x)**(r + 2) / ((r + 1) (r + 2)); without x, its slope at 0
        return Fraction(-1, r + 1) if x is None else (1 - Fraction(x)) ** (r + 2) / ((r + 1) * (r + 2))

    return far


def poisson_in_time(cuts):
    def far(x):  # exp(-cuts x) / cuts**2
        rate = Decimal(cuts)
        return -1 / rate if x is None else (-rate * Decimal(x)).exp() / rate**2

    return far


@given(cuts_in_time(count=1), st.integers(0, 300), st.integers(0, 40))
def test_the_mean_in_time_keeps_its_digits(case, r, s):
    truth, duration = case
    exact = kept_apart([Fraction(c) for c in truth], Fraction(duration), uniform_in_time(r))
    found = ss.expected_rand_distance(truth, r, duration=duration)
    assert abs(Fraction(found) - exact) <= Fraction(1e-14) * exact
    random = Fraction(2, r + 2) + Fraction(2, len(truth) + 2) - Fraction(4, r + len(truth) + 2)
    found = ss.expected_rand_distance(truth, r, duration=duration, null="both")
    assert abs(Fraction(found) - random) <= Fraction(1e-14) * random
    assert ss.expected_rand_index(truth, r, duration=duration) == 1 - ss.expected_rand_distance(
        truth, r, duration=duration
    )


@given(cuts_in_time(count=1), st.sampled_from([1e-9, 1e-3, 0.3, 0.999, 1.0, 1.7, 20.0, 1e4]))
def test_the_mean_of_a_poisson_process_keeps_its_digits(case, cuts):
    truth, duration = case
    with localcontext() as context:
        context.prec = 80
        exact = kept_apart([Decimal(c) for c in truth], Decimal(duration), poisson_in_time(cuts))
    found = ss.expected_rand_distance(truth, 0, duration=duration, null=ss.poisson(cuts / duration))
    assert found == pytest.approx(float(exact), rel=1e-14, abs=1e-300)


def test_by_hand_in_time():
    # For a cut in the middle and a random cut at the share u < 1/2, the distance is 2 (1/4 - u**2), with integral 1/6.
    assert ss.expected_rand_distance([5.0], 1, duration=10) == pytest.approx(1 / 3, rel=1e-15)
    assert ss.expected_rand_distance([], 1, duration=3) == pytest.approx(1 / 3, rel=1e-15)  # 2 u (1 - u)
    assert ss.exact_rand_index_variance([], 1, duration=3) == Fraction(4, 30) - Fraction(1, 9)
    assert ss.exact_rand_index_variance([2.5], 1, duration=10) == Fraction(1, 45)
    # E[MI] = a b / 2 summed over both segments: 1/4 for a cut in the middle and one random cut.
    mutual = ss.mutual_information([5.0], [2.0], duration=10)
    average = (math.log(2) - 0.2 * math.log(0.2) - 0.8 * math.log(0.8)) / 2
    wanted = (mutual - 0.25) / (average - 0.25)
    assert ss.order_adjusted_mutual_information([5.0], [2.0], duration=10) == pytest.approx(wanted, rel=1e-14)
    assert ss.order_adjusted_rand_index([5.0], [5.0], duration=10) == 1.0
    assert ss.order_adjusted_rand_index([5.0], [], duration=10) == 0.0
    wanted = 1 - ss.rand_distance([5.0], [2.0], duration=10) * 3
    assert ss.order_adjusted_rand_index([5.0], [2.0], duration=10) == pytest.approx(wanted, rel=1e-14)
    for null in ("both", "poisson", ss.poisson(0.3)):
        chance = ss.expected_rand_distance([5.0], 1, duration=10, null=null)
        wanted = 1 - ss.rand_distance([5.0], [2.0], duration=10) / chance
        assert ss.order_adjusted_rand_index([5.0], [2.0], duration=10, null=null) == pytest.approx(wanted, rel=1e-14)


def expected_information_in_time(truth, r, duration):
    """H_r + 1/(r + 1) - sum of (1 - b**(r + 1)) / (r + 1) + a sum of (1 - b**j) / j, from the integrals, exactly."""
    ends = [Fraction(c) / Fraction(duration) for c in (0, *truth, duration)]
    found = sum((Fraction(1, j) for j in range(1, r + 1)), Fraction(1, r + 1))
    for a in (y - x for x, y in pairwise(ends)):
        b = 1 - a
        found -= (1 - b ** (r + 1)) / (r + 1) + a * sum((1 - b**j) / j for j in range(1, r + 1))
    return found


@given(cuts_in_time(), st.booleans())
def test_the_mean_information_in_time_is_exact(case, same):
    truth, pred, duration = case
    pred = truth if same else pred
    found = ss.order_adjusted_mutual_information(truth, pred, duration=duration)
    if truth == pred:
        assert found == 1.0
        return
    expected = float(expected_information_in_time(truth, len(pred), duration))
    sums = ss.entropies(truth, pred, duration=duration)
    room = (sums.truth + sums.pred) / 2 - expected
    if room > 1e-3:
        mutual = ss.mutual_information(truth, pred, duration=duration)
        assert found == pytest.approx((mutual - expected) / room, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("truth", [[], [3], [2, 7], [1, 4, 5, 9]])
@pytest.mark.parametrize("pred", [[4], [1, 6], [3, 5, 8]])
def test_chance_in_time_is_the_limit_of_chance_in_points(truth, pred):
    n, fine = 10, 10**6
    in_points = [[c * fine for c in side] for side in (truth, pred)]
    for f in (ss.order_adjusted_rand_index, ss.order_adjusted_mutual_information, ss.adjusted_mutual_information):
        if f is not ss.adjusted_mutual_information:
            assert f(truth, pred, duration=n) == pytest.approx(f(*in_points, n=n * fine), abs=1e-5)
    coarse = [[c * 200 for c in side] for side in (truth, pred)]
    found = ss.adjusted_mutual_information(*coarse, n=200 * n)
    assert ss.adjusted_mutual_information(truth, pred, duration=n) == pytest.approx(found, abs=0.02)
    r = len(pred)
    for null in ("uniform", "both"):
        found = ss.expected_rand_distance(in_points[0], r, n=n * fine, null=null)
        assert ss.expected_rand_distance(truth, r, duration=n, null=null) == pytest.approx(found, abs=1e-5)
    rate = ss.bernoulli(r / (n * fine))
    found = ss.expected_rand_distance(in_points[0], 0, n=n * fine, null=rate)
    assert ss.expected_rand_distance(truth, r, duration=n, null="poisson") == pytest.approx(found, abs=1e-5)
    # The difference to 10 m points is about 1 / m, so two samplings give the limit.
    exact = ss.exact_rand_index_variance(truth, r, duration=n)
    one, two = (ss.exact_rand_index_variance([c * m for c in truth], r, n=n * m) for m in (100, 200))
    assert float(2 * two - one) == pytest.approx(float(exact), rel=1e-3, abs=1e-6)
    assert ss.rand_index_variance(truth, r, duration=n) == pytest.approx(float(exact), rel=1e-10)


def test_a_variance_in_time_without_digits():
    assert math.isnan(ss.rand_index_variance([], 10**7, duration=1.0))
    assert ss.rand_index_variance([0.5], 0, duration=1.0) == 0.0


def test_draws_in_time_are_what_they_claim():
    like = ss.Segmentation([0.5, 3.5, 4.0], duration=10)
    drawn = ss.simulate.segmentations(4000, like, rng=3)
    assert all(len(side.cuts) == 3 and side.duration == 10.0 for side in drawn)
    assert all(ss.Segmentation(side.cuts, duration=10) == side for side in drawn)  # in order, inside, different
    cuts = np.array([side.cuts for side in drawn])
    assert np.allclose(cuts.mean(axis=0), [2.5, 5.0, 7.5], atol=0.12)  # order statistics
    assert np.allclose(np.histogram(cuts, 10, (0, 10))[0] / cuts.size, 0.1, atol=0.012)
    numbers = [len(side.cuts) for side in ss.simulate.segmentations(4000, like, null=ss.poisson(0.7), rng=3)]
    assert np.mean(numbers) == pytest.approx(7, abs=0.15) and np.var(numbers) == pytest.approx(7, abs=0.5)
    orders = Counter(tuple(side.cuts) for side in ss.simulate.segmentations(24_000, like, null="shuffle", rng=3))
    lengths = [0.5, 3.0, 0.5, 6.0]
    wanted = Counter(tuple(accumulate(order))[:-1] for order in permutations(lengths))
    assert set(orders) == set(wanted)
    assert chi_square(orders, {key: count / 24 for key, count in wanted.items()}, 24_000) < 40  # 11 degrees of freedom
    assert ss.simulate.segmentations(1, like, rng=1)[0].cuts == [
        1.0015090353378397,
        7.471047161582187,
        8.116121588818848,
    ]  # for ever


@pytest.mark.parametrize("cuts", [[5e-324, 1e-300, 0.5], [0.5, 1 - 1e-16, 1 - 2**-53], [1e-17, 2e-17, 3e-17, 0.9]])
def test_short_segments_stay_apart_in_any_order(cuts):
    like = ss.Segmentation(sorted(set(cuts)), duration=1.0)
    for side in ss.simulate.segmentations(200, like, null="shuffle", rng=4):
        assert len(side.cuts) == len(like.cuts)
        assert ss.Segmentation(side.cuts, duration=1.0) == side


def test_the_p_value_in_time():
    # A random cut is as near to the middle as the prediction with probability 0.04.
    found = ss.rand_test([5.0], [5.2], duration=10, draws=40_000, rng=1)
    assert found.p_value == pytest.approx(0.04, abs=0.004)
    assert found.expected == ss.expected_rand_index([5.0], 1, duration=10)
    assert found == ss.rand_test(ss.Segmentation([5.0], duration=10), [5.2], draws=40_000, rng=1)
    for null in ("uniform", "both", "poisson", "shuffle", ss.poisson(0.02)):
        found = ss.rand_test([10.0, 20.5, 35], [10.1, 19.9, 35.2], duration=50, null=null, draws=999, rng=2)
        assert 0.001 <= found.p_value < 0.2
        assert 0 < found.expected < found.score < 1


@pytest.mark.parametrize(
    "name", [name for name, metric in ss.METRICS.items() if metric.in_time and not metric.only_tables]
)
def test_any_score_in_time_can_be_tested(name):
    margin = 0.5 if ss.METRICS[name].needs_margin else None
    truth, pred = [10.0, 20.5, 35], [10.1, 20.6, 35.2]
    found = ss.rand_test(truth, pred, duration=50, metric=name, draws=99, rng=2, margin=margin)
    score = ss.compare(truth, pred, duration=50, metrics=[name], margin=margin)[name]
    assert found.score == score
    assert found.p_value <= 0.2 or name in ("count_error", "mutual_information")


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: ss.expected_rand_index([3], 1, duration=9, null="bernoulli"),
            ValueError,
            "null = 'bernoulli' cuts gaps between points; in time expected 'uniform', 'both', 'poisson', 'shuffle' or "
            "poisson(rate)",
        ),
        (
            lambda: ss.rand_test([3], [4], duration=9, null=ss.bernoulli(0.5)),
            ValueError,
            "null = bernoulli(p=0.5) cuts gaps between points; in time expected 'uniform', 'both', 'poisson', 'shuffle' "
            "or poisson(rate)",
        ),
        (
            lambda: ss.rand_test([3], [4], n=9, null="poisson"),
            ValueError,
            "null = 'poisson' is a process in time; in points expected 'uniform', 'both', 'bernoulli', 'shuffle' or "
            "bernoulli(p)",
        ),
        (
            lambda: ss.rand_test([3], [4], duration=9, null="no"),
            ValueError,
            "null = 'no' is unknown; expected 'uniform', 'both', 'poisson', 'shuffle' or poisson(rate)",
        ),
        (
            lambda: ss.rand_test([3], [4], duration=9, null=ss.poisson(-1)),
            ValueError,
            "rate = -1 is out of range; expected 0 <= rate * duration <= 1e+15",
        ),
        (
            lambda: ss.rand_test([3], [4], duration=9, null=ss.poisson("a")),
            TypeError,
            "rate = 'a' is str; expected a number",
        ),
        (
            lambda: ss.rand_test([3], [4], duration=9, metric="boundary_similarity"),
            ValueError,
            "boundary_similarity counts points; expected n=, not duration= (count whole units such as milliseconds, or "
            "use f1 with margin=)",
        ),
        (
            lambda: ss.expected_rand_index([3], 1.5, duration=9),
            TypeError,
            "r = 1.5 is a float; expected an integer from 0 to 9223372036854775807",
        ),
        (
            lambda: ss.rand_test([3], ss.Segmentation([4], n=9), duration=9),
            TypeError,
            "pred is a Segmentation in points; in time expected a sequence of times, or Segmentation(..., duration=)",
        ),
    ],
)
def test_what_is_wrong_in_time_is_said(call, error, message):
    with pytest.raises(error, match=f"^{re.escape(message)}$"):
        call()


def test_the_mean_mutual_information_of_endless_work_is_refused():
    week = [
        ss.Segmentation.from_timestamps([datetime(2024, 5, day)], datetime(2024, 5, 1), datetime(2024, 5, 8))
        for day in (3, 4)
    ]
    for call, n in (
        (lambda: ss.order_adjusted_mutual_information(*week), 604_800_000_000),
        (lambda: ss.order_adjusted_mutual_information([3], range(1, 301), n=10**10), 10**10),
    ):
        message = (
            f"n = {n} is too large for order_adjusted_mutual_information, which would take more than 2**32 steps; "
            "expected a smaller n, timestamps in a coarser unit, or duration="
        )
        with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
            call()
    seconds = [side.in_unit("s") for side in week]
    times = [side.cuts[0] for side in seconds]
    limit = ss.order_adjusted_mutual_information(*([float(x)] for x in times), duration=604_800)
    assert ss.order_adjusted_mutual_information(*seconds) == pytest.approx(limit, abs=1e-5)
    table = pl.DataFrame({"truth": [[times[0] * 10**6]], "pred": [[times[1] * 10**6]], "n": [604_800_000_000]})
    with pytest.raises(ValueError, match=r"^row 0: n = 604800000000 is too large for order_adjusted_mutual_info"):
        ss.score(table, metrics=["order_adjusted_mutual_information"])
    # Many cuts end the work early: a stretch without a cut is soon improbable.
    assert ss.order_adjusted_mutual_information([3], range(10**6, 10**8, 10), n=10**11) < 1
