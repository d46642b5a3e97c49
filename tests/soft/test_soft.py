"""Soft segmentations: expected counts, their error and derivatives, against the definition in exact fractions."""

import importlib
import itertools
import math
import pickle
import re
import sys
import tracemalloc
from decimal import Context, Decimal
from fractions import Fraction

import numpy as np
import oracle
import pytest
from hypothesis import given
from hypothesis import strategies as st

import segscore as ss
from segscore import SoftSegmentation


def close(value, rel=1e-6, abs=0.0):  # without pytest's tolerance of 1e-12, which hides what is small
    return pytest.approx(value, rel=rel, abs=abs)


ROUNDING = Fraction(1, 2**53)


def together(side, x, y):
    """Return the exact probability that a side, {cut: probability}, keeps the points x < y together."""
    return math.prod((1 - Fraction(p) for cut, p in side.items() if x < cut <= y), start=Fraction(1))


def expected(truth, pred, n):
    """Return the four expected counts of pairs from their definition, as fractions."""
    counts = [Fraction(0)] * 4
    for x, y in itertools.combinations(range(n), 2):
        one, other = together(truth, x, y), together(pred, x, y)
        parts = one * other, one * (1 - other), (1 - one) * other, (1 - one) * (1 - other)
        counts = [count + part for count, part in zip(counts, parts, strict=True)]
    return counts


def soft(side, n):
    return SoftSegmentation(list(side), list(side.values()), n=n)


def is_close(found, exact, steps):
    """Whether a float has the stated relative error after so many cuts."""
    return abs(Fraction(found) - exact) <= 4 * (steps + 2) * ROUNDING * exact + Fraction(10) ** -300


def check(truth, pred, n):
    sides = soft(truth, n), soft(pred, n)
    exact = expected(truth, pred, n)
    counts = ss.soft_pair_counts(*sides)
    steps = len(truth) + len(pred)
    assert all(is_close(found, wanted, steps) for found, wanted in zip(counts[:4], exact, strict=True))
    total = Fraction(n * (n - 1), 2)
    distance = (exact[1] + exact[2]) / total if total else Fraction(0)
    assert is_close(ss.soft_rand_distance(*sides), distance, steps + 1)
    assert (
        abs(Fraction(ss.soft_rand_index(*sides)) - (1 - distance))
        <= 4 * (steps + 3) * ROUNDING * distance + 2 * ROUNDING
    )
    assert ss.soft_rand_index(*sides[::-1]) == close(ss.soft_rand_index(*sides), abs=1e-14)
    return counts


def test_worked_numbers():
    pred = SoftSegmentation([4, 8], [0.9, 0.8], n=10)
    assert 45 * ss.soft_rand_distance([3, 8], pred) == close(9.56, rel=1e-15)
    assert round(ss.soft_rand_index([3, 8], pred), 6) == 0.787556
    certain = SoftSegmentation([4, 8], [1, 1], n=10)
    assert 45 * ss.soft_rand_distance([3, 8], certain) == close(7, rel=1e-15)
    assert ss.soft_rand_distance(pred, [3, 8]) == ss.soft_rand_distance([3, 8], pred)
    assert ss.soft_pair_counts([3, 8], certain)[:4] == ss.pair_counts([3, 8], [4, 8], n=10)


VALUES = (0, 1, 0.5, 0.1)


@pytest.mark.parametrize("n", range(5))
def test_all_small_ones(n):
    places = range(1, n)
    for truth in itertools.product(VALUES, repeat=len(places)):
        for pred in itertools.product(VALUES, repeat=len(places)):
            check(dict(zip(places, truth, strict=True)), dict(zip(places, pred, strict=True)), n)


PROBABILITIES = st.one_of(
    st.floats(0, 1), st.sampled_from([0.0, 1.0, 1e-300, 1 - 2**-53, 1e-9, 1 - 1e-9, 0.5]), st.just(0.0)
)


def sides_of(n):
    return st.dictionaries(st.integers(1, n - 1), PROBABILITIES, max_size=12).map(
        lambda side: dict(sorted(side.items()))
    )


@given(st.data())
def test_longer_ones_have_the_stated_error(data):
    n = data.draw(st.integers(2, 30))
    check(data.draw(sides_of(n)), data.draw(sides_of(n)), n)


@given(st.data())
def test_sides_that_nearly_agree_keep_their_digits(data):
    n = data.draw(st.integers(2, 30))
    truth = dict.fromkeys(sorted(data.draw(st.sets(st.integers(1, n - 1)))), 1.0)
    off = data.draw(st.sampled_from([1e-3, 1e-9, 1e-14]))
    check(truth, {cut: 1 - off if cut in truth else off for cut in range(1, n)}, n)


@pytest.mark.parametrize("n", range(1, 7))
def test_probabilities_of_0_and_1_are_the_rand_index(n):
    for truth in oracle.segmentations(n):
        for pred in oracle.segmentations(n):
            dense = [
                SoftSegmentation.from_probabilities([float(c in cuts) for c in range(1, n)]) for cuts in (truth, pred)
            ]
            for one, other in itertools.product((dense[0], truth), (dense[1], pred, ss.Segmentation(pred, n=n))):
                assert ss.soft_rand_index(one, other, n=n) == ss.rand_index(truth, pred, n=n)
                assert ss.soft_rand_distance(one, other, n=n) == ss.rand_distance(truth, pred, n=n)
                assert ss.soft_pair_counts(one, other, n=n)[:4] == ss.pair_counts(truth, pred, n=n)


def test_long_ones_are_the_rand_index():
    rng = np.random.default_rng(0)
    for n in (10**6, 10**12, 2**62):
        truth, pred = (np.unique(rng.integers(1, n, 20_000)) for _ in range(2))
        one, other = (SoftSegmentation(cuts, np.ones(cuts.size), n=n) for cuts in (truth, pred))
        assert ss.soft_rand_distance(one, other) == close(ss.rand_distance(truth, pred, n=n), rel=1e-13)
        assert ss.soft_rand_index(one, other) == close(ss.rand_index(truth, pred, n=n), rel=2**-52)


def test_a_million_gaps_within_1e_9_of_the_truth():
    n, off = 10**6, 1e-9
    gaps = np.arange(1, n) % 100 == 0
    pred = SoftSegmentation.from_probabilities(np.where(gaps, 1 - off, off))
    # All cuts but one are right: pairs at most two segments apart differ with a probability of about off per cut.
    first = sum(m * (100 - m) for m in range(1, 100)) * (n // 100) * off
    across = 100 * 100 * (n // 100 - 1) * off
    assert ss.soft_rand_distance(np.flatnonzero(gaps) + 1, pred) * n * (n - 1) / 2 == close(first + across, rel=1e-6)


@given(st.data())
def test_time_is_measured_as_areas(data):
    n = data.draw(st.integers(2, 20))
    sides = [data.draw(sides_of(n)) for _ in range(2)]
    scale = data.draw(st.sampled_from([1.0, 0.5, 2.0**150, 2.0**-150]))
    in_time = [SoftSegmentation([c * scale for c in s], list(s.values()), duration=n * scale) for s in sides]
    counts = ss.soft_pair_counts(*in_time)
    # Points stand for intervals, of which each adds half a square to the pairs that are together.
    exact = expected(*sides, n)
    wanted = [(exact[0] + Fraction(n, 2)), *exact[1:]]
    for found, area in zip(counts[:4], wanted, strict=True):
        # Numbers below 1e-300 in the unit of the core have fewer digits.
        assert found == close(float(area) * scale * scale, rel=1e-13, abs=1e-300 * max(1, scale * scale))
    distance = ss.soft_rand_distance(*in_time)
    assert distance == close(float(2 * (exact[1] + exact[2]) / n**2), rel=1e-13, abs=1e-300)
    assert ss.soft_rand_index(*in_time) == close(1 - distance, rel=1e-13)
    hard = [c * scale for c in sides[0]]
    ones = SoftSegmentation(hard, [1.0] * len(hard), duration=n * scale)
    assert ss.soft_rand_distance(hard, in_time[1]) == ss.soft_rand_distance(ones, in_time[1], duration=n * scale)


@given(st.data())
def test_plug_in_values_are_the_formulas_of_the_counts(data):
    n = data.draw(st.integers(2, 20))
    counts = check(data.draw(sides_of(n)), data.draw(sides_of(n)), n)
    both, truth_only, pred_only, neither = counts[:4]
    truth, pred, total = both + truth_only, both + pred_only, n * (n - 1) / 2
    assert counts.plug_in_precision == close(both / pred if pred else float(truth == 0))
    assert counts.plug_in_recall == close(both / truth if truth else float(pred == 0))
    assert counts.plug_in_f1 == close(2 * both / (truth + pred) if truth + pred else 1)
    assert counts.plug_in_jaccard == close(both / (both + truth_only + pred_only) if truth + pred else 1)
    below = truth * (total - pred) + pred * (total - truth)
    if truth_only + pred_only > 1e-9 and below > 1e-9:
        wanted = 2 * (both * neither - truth_only * pred_only) / below
        assert counts.plug_in_adjusted_rand == close(wanted, abs=1e-6)


def test_logits_keep_both_probabilities():
    logits = [-800.0, -50.0, -1.0, 0.0, 1.0, 50.0, 800.0, math.inf, -math.inf]
    chances = SoftSegmentation.from_logits(logits)._chances
    cut, keep = (np.frombuffer(part) for part in chances)
    exact = [1 / (1 + math.exp(-z)) if z > -700 else 0.0 for z in logits]
    assert cut == close(exact, rel=1e-15)
    assert keep == close(cut[[6, 5, 4, 3, 2, 1, 0, 8, 7]], rel=1e-15)
    # Logits of +-50 at the right gaps: the distance is a sum of exp(-50), which 1 - p would lose.
    truth = [3, 8]
    pred = SoftSegmentation.from_logits([50.0 if c in truth else -50.0 for c in range(1, 10)])
    off = Fraction(1 / (1 + math.exp(50)))
    side = {c: 1 - off if c in truth else off for c in range(1, 10)}
    exact = expected(dict.fromkeys(truth, 1), side, 10)
    assert ss.soft_rand_distance(truth, pred) == close(float((exact[1] + exact[2]) / 45), rel=1e-14)


def test_samples_and_annotators_are_marginals():
    samples = [[3, 8], ss.Segmentation([4, 8], n=10), np.array([4, 7]), [8]]
    found = SoftSegmentation.from_samples(samples, n=10)
    assert found == SoftSegmentation([3, 4, 7, 8], [0.25, 0.5, 0.25, 0.75], n=10)
    assert SoftSegmentation.from_samples([ss.Segmentation([4], n=9), []], n=9).probability == [0.5]
    assert SoftSegmentation.from_samples([[0.5, 2.0], [2.0]], duration=3.0) == SoftSegmentation(
        [0.5, 2.0], [0.5, 1.0], duration=3.0
    )
    # 1 - 2 / 3 has a rounding error that 1 / 3 does not have.
    thirds = SoftSegmentation.from_samples([[4], [4], []], n=9)
    assert [np.frombuffer(part)[0] for part in thirds._chances] == [2 / 3, 1 / 3]
    annotators = ss.Segmentation([4], n=9), ss.Segmentation([5], n=9)
    assert SoftSegmentation.from_samples(annotators).n == 9


def test_dense_and_sparse_are_one():
    sparse = SoftSegmentation([2, 7], [0.5, 0.25], n=9)
    dense = SoftSegmentation.from_probabilities(sparse.to_probabilities())
    assert dense.to_probabilities().tolist() == [0, 0.5, 0, 0, 0, 0, 0.25, 0]
    for other in ([3], dense, sparse, []):
        assert ss.soft_rand_distance(other, sparse, n=9) == ss.soft_rand_distance(other, dense, n=9)
    assert SoftSegmentation.from_probabilities([]).n == 1


def test_soft_segmentations_are_values():
    one = SoftSegmentation([4, 8], [0.9, 0.8], n=10)
    assert one == SoftSegmentation([0, 4, 8, 10][1:3], (0.9, 0.8), n=10) != SoftSegmentation([4, 8], [0.9, 0.7], n=10)
    assert pickle.loads(pickle.dumps(one)) == one and hash(pickle.loads(pickle.dumps(one))) == hash(one)
    assert eval(repr(one)) == one
    in_time = SoftSegmentation([0.5], [0.25], duration=2)
    assert pickle.loads(pickle.dumps(in_time)) == in_time and eval(repr(in_time)) == in_time
    assert (in_time.n, in_time.duration, in_time.cuts) == (None, 2.0, [0.5])
    assert one != [4, 8]
    zero, negative = (SoftSegmentation([4], [p], n=10) for p in (0.0, -0.0))
    assert zero == negative and hash(zero) == hash(negative) and repr(negative) == "SoftSegmentation([4], [0.0], n=10)"
    many = SoftSegmentation.from_probabilities(np.full(99, 1 / 3))
    assert repr(many) == (
        "<SoftSegmentation of 99 cuts, n=100: [1, 2, 3, 4, 5, 6, ...], "
        "[0.333333, 0.333333, 0.333333, 0.333333, 0.333333, 0.333333, ...]>"
    )
    with pytest.raises(
        AttributeError, match=r"^a SoftSegmentation cannot be changed; make a new one instead of setting n$"
    ):
        one.n = 3
    with pytest.raises(AttributeError, match=r"^a SoftSegmentation cannot be changed; n cannot be deleted$"):
        del one.n


TEN = SoftSegmentation([4], [0.5], n=10)
IN_TIME = SoftSegmentation([4], [0.5], duration=10)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: SoftSegmentation([4, 8], [0.5], n=10),
            ValueError,
            "probability has 1 value for 2 cuts; expected one value per cut (0 and n are not cuts)",
        ),
        (
            lambda: SoftSegmentation([4, 8], [0.5, 1.5], n=10),
            ValueError,
            "probability[1] = 1.5 is not a probability; expected a number from 0 to 1",
        ),
        (
            lambda: SoftSegmentation([4], [math.nan], n=10),
            ValueError,
            "probability[0] = nan is not a probability; expected a number from 0 to 1",
        ),
        (
            lambda: SoftSegmentation([4], ["a"], n=10),
            TypeError,
            "probability[0] = 'a' is a str; probabilities must be real numbers",
        ),
        (
            lambda: SoftSegmentation([8, 4], [1, 1], n=10),
            ValueError,
            "cuts[1] = 4 does not exceed cuts[0] = 8; cuts must strictly increase (sort them first)",
        ),
        (
            lambda: SoftSegmentation([4], [1]),
            TypeError,
            "cuts have no length; expected n=, or Segmentation.from_ends() of lists that end with the length",
        ),
        (
            lambda: SoftSegmentation([4], [1], n=10, duration=10),
            TypeError,
            "n= and duration= exclude each other; expected one of them",
        ),
        (
            lambda: SoftSegmentation([4.0], [1], duration=3),
            ValueError,
            "cuts[0] = 4.0 is outside 0 < cut < duration = 3.0",
        ),
        (
            lambda: SoftSegmentation.from_logits([0, math.nan]),
            ValueError,
            "logits[1] = nan is not a number; expected logits, which may be infinite",
        ),
        (
            lambda: SoftSegmentation.from_samples(None, n=3),
            TypeError,
            "samples is a NoneType; expected several segmentations",
        ),
        (
            lambda: SoftSegmentation([3], [0.5], n=2**62).to_probabilities(),
            MemoryError,
            "to_probabilities makes one value per gap, too many for n = 4611686018427387904; use .cuts and .probability",
        ),
        (
            lambda: SoftSegmentation.from_samples([3, 4], n=5),
            TypeError,
            "samples[0] is an int; expected a sequence of cuts",
        ),
        (
            lambda: SoftSegmentation.from_samples([[3], [4]]),
            TypeError,
            "samples[0] has no length; expected n=, or Segmentation.from_ends() of lists that end with the length",
        ),
        (
            lambda: SoftSegmentation.from_samples([[3], ss.Segmentation([4], n=8)], n=9),
            ValueError,
            "samples[1] has n = 8 but n = 9 was passed; expected one length",
        ),
        (
            lambda: SoftSegmentation(ss.Segmentation([4], "ab", n=10), [0.5]),
            ValueError,
            "SoftSegmentation compares cuts, not labels; expected segmentations without labels "
            "(use .without_labels(), or a score of the pair, information or overlap family for the labels)",
        ),
        (
            lambda: SoftSegmentation.from_samples([], n=3),
            ValueError,
            "samples is empty; expected at least one segmentation",
        ),
        (
            lambda: SoftSegmentation.from_samples([ss.Segmentation([4], n=9), ss.Segmentation([4], n=8)]),
            ValueError,
            "samples[1] has n = 8 but the others have n = 9; expected one length",
        ),
        (
            lambda: IN_TIME.to_probabilities(),
            TypeError,
            "to_probabilities needs points, and times have no gaps; expected a soft segmentation with n",
        ),
        (
            lambda: ss.soft_rand_index(TEN, SoftSegmentation([4], [0.5], n=9)),
            ValueError,
            "pred has n = 9 but truth has n = 10; both sides must have one length",
        ),
        (
            lambda: ss.soft_rand_index([4], TEN, n=11),
            ValueError,
            "pred has n = 10 but n = 11 was passed; both sides must have one length",
        ),
        (
            lambda: ss.soft_rand_index(IN_TIME, [4.0], duration=9),
            ValueError,
            "truth has duration = 10.0 but duration = 9.0 was passed; both sides must have one length",
        ),
        (
            lambda: ss.soft_rand_index(TEN, IN_TIME),
            TypeError,
            "truth is a Segmentation in points; in time expected a sequence of times, or Segmentation(..., duration=)",
        ),
        (
            lambda: ss.soft_rand_index([3], [4]),
            TypeError,
            "truth and pred have no length; expected n=, or Segmentation.from_ends() of lists that end with the length",
        ),
        (
            lambda: ss.soft_rand_distance(ss.Segmentation([4], "ab", n=10), TEN),
            ValueError,
            "soft_rand_distance compares cuts, not labels; expected segmentations without labels "
            "(use .without_labels(), or a score of the pair, information or overlap family for the labels)",
        ),
        (lambda: ss.rand_index(TEN, [3], n=10), TypeError, "truth is a SoftSegmentation; expected a sequence of cuts"),
    ],
)
def test_wrong_arguments(call, error, message):
    with pytest.raises(error, match=f"^{re.escape(message)}$"):
        call()


def exact_loss(truth, pred, counts):
    """Return the loss of one series, its derivatives by the probabilities, and the sums of the sizes of their terms."""
    pairs = [(x, y) for x, y in itertools.combinations(range(len(pred) + 1), 2) if all(counts[x:y])]
    loss, derivatives, sizes = Fraction(0), [Fraction(0)] * len(pred), [Fraction(0)] * len(pred)

    def keep(side, x, y, without=None):
        return math.prod((1 - Fraction(side[k]) for k in range(x, y) if k != without), start=Fraction(1))

    for x, y in pairs:
        one, other = keep(truth, x, y), keep(pred, x, y)
        loss += one * (1 - other) + (1 - one) * other
        for k in range(x, y):  # the chance to be together is linear in 1 - p
            size = keep(pred, x, y, without=k)
            derivatives[k] -= (1 - 2 * one) * size
            sizes[k] += size
    total = max(len(pairs), 1)
    return loss / total, [each / total for each in derivatives], [each / total for each in sizes]


def check_loss(truth, pred, counts):
    loss, gradient = ss.soft_rand_loss(truth, probabilities=pred, mask=counts)
    exact, derivatives, sizes = exact_loss(truth, pred, counts)
    assert is_close(float(loss), exact, 2 * len(pred))
    check_gradient(gradient, derivatives, sizes)


def check_gradient(gradient, derivatives, sizes):
    bound = 4 * (2 * len(sizes) + 4) * ROUNDING
    for found, wanted, size in zip(gradient.tolist(), derivatives, sizes, strict=True):
        assert abs(Fraction(found) - wanted) <= bound * size + Fraction(10) ** -300


@pytest.mark.parametrize("gaps", range(4))
def test_all_small_losses_and_gradients(gaps):
    for truth in itertools.product((0, 1, 0.25), repeat=gaps):
        for pred in itertools.product((0, 1, 0.75), repeat=gaps):
            for counts in itertools.product((True, False), repeat=gaps):
                check_loss(np.array(truth, float), np.array(pred, float), np.array(counts, bool))


@given(st.data())
def test_longer_losses_and_gradients(data):
    gaps = data.draw(st.integers(1, 16))
    truth, pred = (data.draw(st.lists(PROBABILITIES, min_size=gaps, max_size=gaps)) for _ in range(2))
    if data.draw(st.booleans()):
        truth = [float(round(p)) for p in truth]
    check_loss(truth, pred, data.draw(st.lists(st.booleans(), min_size=gaps, max_size=gaps)))


@given(st.data())
def test_gradients_of_logits(data):
    """The error is bounded by the terms of each derivative, also where they nearly cancel between confident gaps."""
    gaps = data.draw(st.integers(1, 10))
    truth = data.draw(st.lists(st.sampled_from([0.0, 1.0]), min_size=gaps, max_size=gaps))
    values = st.sampled_from([0.0, 1.0, -1.0, 38.0, -38.0, 200.0, -200.0]) | st.floats(-50, 50)
    logits = data.draw(st.lists(values, min_size=gaps, max_size=gaps))
    pred = [1 / (1 + Fraction(Context(prec=250).exp(Decimal(-z)))) for z in logits]
    loss, gradient = ss.soft_rand_loss(truth, logits=logits)
    exact, derivatives, sizes = exact_loss(truth, pred, [True] * gaps)
    assert is_close(float(loss), exact, 8 * gaps)
    by_logit = [p * (1 - p) for p in pred]
    check_gradient(gradient, *([a * b for a, b in zip(each, by_logit, strict=True)] for each in (derivatives, sizes)))


def test_the_worked_gradient():
    truth, pred = np.zeros(9), np.zeros(9)
    truth[[2, 7]], pred[[3, 7]] = 1, (0.9, 0.8)
    loss, gradient = ss.soft_rand_loss(truth, probabilities=pred)
    assert 45 * loss == close(9.56, rel=1e-15)
    assert 45 * gradient[[3, 7]] == close(np.array([-9.6, -8.8]), rel=1e-14)


def test_losses_are_the_distance_and_gradients_its_differences():
    rng = np.random.default_rng(0)
    truth = (rng.random((3, 3000)) < 0.01).astype(float)
    logits = rng.normal(-3, 2, (3, 3000))
    losses, gradient = ss.soft_rand_loss(truth, logits=logits)
    for row in range(3):
        sides = np.flatnonzero(truth[row]) + 1, SoftSegmentation.from_logits(logits[row])
        assert losses[row] == close(ss.soft_rand_distance(*sides), rel=1e-13)
        for k in (0, 255, 256, 1499, 1500, 2743, 2744, 2999, *rng.integers(0, 3000, 5)):  # also at the bounds of blocks
            step = np.zeros(3000)
            step[k] = 1e-4
            up, down = (ss.soft_rand_loss(truth[row], logits=logits[row] + s * step).loss for s in (1, -1))
            assert gradient[row, k] == close((up - down) / 2e-4, rel=1e-5, abs=1e-11)


def test_a_mask_is_the_series_without_what_it_hides():
    rng = np.random.default_rng(1)
    truth, logits = (rng.random(50) < 0.2).astype(float), rng.normal(size=50)
    whole = ss.soft_rand_loss(truth, logits=logits)
    padded_truth, padded = np.full((2, 70), np.nan), np.full((2, 70), np.nan)
    padded_truth[0, :50], padded[0, :50] = truth, logits
    mask = np.zeros((2, 70), bool)
    mask[0, :50] = True
    loss, gradient = ss.soft_rand_loss(padded_truth, logits=padded, mask=mask)
    assert loss == close(np.array([whole.loss, 0.0]), rel=1e-14)
    assert gradient[0, :50] == close(whole.gradient, rel=1e-14) and not gradient[0, 50:].any() and not gradient[1].any()
    # An unlabelled gap splits a series into two, whose pairs are counted together.
    known = np.arange(50) != 20
    parts = [ss.soft_rand_loss(truth[part], logits=logits[part]).loss for part in (slice(20), slice(21, None))]
    pairs = 21 * 20 / 2, 30 * 29 / 2
    wanted = (parts[0] * pairs[0] + parts[1] * pairs[1]) / sum(pairs)
    assert ss.soft_rand_loss(truth, logits=logits, mask=known).loss == close(wanted, rel=1e-14)


def test_masks_at_the_bounds_of_blocks():
    """The derivatives of a long series with unknown gaps are those of its parts."""
    rng = np.random.default_rng(2)
    truth, logits = rng.random(1500) < 0.05, rng.normal(-2, 2, 1500)
    for hidden in ([255], [256], [255, 256, 749, 750, 1499], [0, 749], [750], [1243, 1244], list(range(250, 800))):
        known = ~np.isin(np.arange(1500), hidden)
        found = ss.soft_rand_loss(truth, logits=logits, mask=known)
        parts = np.split(np.arange(1500), np.flatnonzero(~known))
        parts = [part if known[part[0]] else part[1:] for part in parts if part.size > 0]
        pairs = [part.size * (part.size + 1) / 2 for part in parts]
        each = [ss.soft_rand_loss(truth[part], logits=logits[part]) for part in parts]
        assert found.loss == close(np.dot([e.loss for e in each], pairs) / sum(pairs), rel=1e-12)
        for part, own, weight in zip(parts, each, pairs, strict=True):
            assert found.gradient[part] == close(own.gradient * weight / sum(pairs), rel=1e-9, abs=1e-15)
        assert not found.gradient[~known].any()


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_a_million_gaps_need_one_vector(kind):
    rng = np.random.default_rng(3)
    truth, logits = (rng.random(10**6) < 1e-4).astype(kind), rng.normal(-9, 2, 10**6).astype(kind)
    tracemalloc.start()
    loss, gradient = ss.soft_rand_loss(truth, logits=logits)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1.01 * gradient.nbytes
    assert 0 < loss < 1 and np.isfinite(gradient).all() and gradient.all()
    pred = SoftSegmentation.from_logits(logits)
    assert loss == close(ss.soft_rand_distance(np.flatnonzero(truth) + 1, pred), rel=1e-11)


def test_types_of_losses():
    truth, logits = np.array([0, 1, 0], bool), np.array([-1, 2, 0.5])
    wide = ss.soft_rand_loss(truth, logits=logits)
    assert wide.gradient.dtype == np.float64 and isinstance(wide.loss, float)
    narrow = ss.soft_rand_loss(truth, logits=logits.astype(np.float32))
    assert narrow.gradient.dtype == np.float32 and narrow.loss == wide.loss
    assert narrow.gradient == close(wide.gradient, rel=1e-7)
    strided = ss.soft_rand_loss(np.repeat(truth, 2)[::2], logits=np.repeat(logits, 2)[::2])
    assert strided.gradient.tolist() == wide.gradient.tolist()
    assert ss.soft_rand_loss(np.zeros((4, 0)), logits=np.zeros((4, 0))).loss.tolist() == [0, 0, 0, 0]


def test_confident_logits_have_gradients():
    n = 2000
    truth = (np.arange(1, n) % 100 == 0).astype(float)
    loss, gradient = ss.soft_rand_loss(truth, logits=np.where(truth == 1, 40.0, -40.0))
    assert 0 < loss < 1e-15
    assert (gradient[truth == 1] < 0).all() and (gradient[truth == 0] > 0).all()
    wrong = ss.soft_rand_loss(truth, logits=np.where(truth == 1, -40.0, 40.0))
    assert np.isfinite(wrong.gradient).all() and 0 < abs(wrong.gradient).max() < 1e-17


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({}, TypeError, "soft_rand_loss needs logits= or probabilities=; expected one of them"),
        (
            {"logits": [0.0, 1.0], "probabilities": [0.0, 1.0]},
            TypeError,
            "soft_rand_loss needs logits= or probabilities=; expected one of them",
        ),
        (
            {"logits": [0.0]},
            ValueError,
            "truth has shape (2,) but logits has shape (1,); expected one value per gap, n - 1 for n points",
        ),
        (
            {"logits": [0.0, 1.0], "mask": [True]},
            ValueError,
            "mask has shape (1,) but logits has shape (2,); expected one value per gap, n - 1 for n points",
        ),
        ({"logits": ["a", "b"]}, TypeError, "logits holds <U1; expected float32 or float64"),
        (
            {"logits": np.ma.array([0.0, 1.0], mask=[0, 1])},
            TypeError,
            "logits is a MaskedArray; expected an array, and mask= where the truth is known (use .data)",
        ),
        (
            {"logits": [0.0, 1.0], "truth": np.ma.array([0.0, 1.0], mask=[0, 1])},
            TypeError,
            "truth is a MaskedArray; expected an array, and mask= where the truth is known (use .data)",
        ),
        (
            {"logits": [[0.0], [0.0, 1.0]]},
            ValueError,
            "logits has rows of different lengths; expected one length (pad the rows, and use mask=)",
        ),
        (
            {"truth": np.array([0, 2], np.uint8).view(bool), "logits": [0, 1]},
            ValueError,
            "truth[1] = 2.0 is not a probability; expected a number from 0 to 1",
        ),
        (
            {"truth": np.zeros(600), "probabilities": np.where(np.arange(600) == 555, -5e-324, 0)},
            ValueError,
            "probabilities[555] = -5e-324 is not a probability; expected a number from 0 to 1",
        ),
        (  # the first of several
            {"truth": np.zeros(2000), "logits": np.where(np.isin(np.arange(2000), [700, 1300, 1999]), math.nan, 0)},
            ValueError,
            "logits[700] = nan is not a number; expected logits, which may be infinite",
        ),
        ({"logits": [0, 1], "truth": ["a", "b"]}, TypeError, "truth holds <U1; expected 0 and 1, or probabilities"),
        (
            {"logits": [0, 1], "mask": [1, 1]},
            TypeError,
            "mask holds int64; expected bools, True where the truth is known",
        ),
        (
            {"logits": [[[0.0, 1.0]]]},
            ValueError,
            "logits has 3 dimensions; expected 1 (gaps) or 2 (series, gaps)",
        ),
        (
            {"logits": [0.0, math.nan]},
            ValueError,
            "logits[1] = nan is not a number; expected logits, which may be infinite",
        ),
        (
            {"probabilities": [0.0, 1.5]},
            ValueError,
            "probabilities[1] = 1.5 is not a probability; expected a number from 0 to 1",
        ),
        (
            {"truth": [[0, 0], [0, 2]], "probabilities": [[0, 0], [0, 1]]},
            ValueError,
            "truth[1, 1] = 2.0 is not a probability; expected a number from 0 to 1",
        ),
    ],
)
def test_wrong_arguments_of_the_loss(given, error, message):
    with pytest.raises(error, match=f"^{re.escape(message)}$"):
        ss.soft_rand_loss(given.pop("truth", [0, 1]), **given)


@pytest.mark.parametrize("name", ["jax", "torch"])
def test_without_the_library_the_error_names_the_extra(monkeypatch, name):
    module = importlib.import_module(f"segscore.{name}")
    for each in (name, f"{name}.numpy"):
        monkeypatch.setitem(sys.modules, each, None)
    message = f"{name} is not installed; install the extra: pip install 'segscore[{name}]'"
    with pytest.raises(ImportError, match=f"^{re.escape(message)}$"):
        module.soft_rand_loss([0.0], logits=[1.0])
