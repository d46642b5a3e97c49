"""Expected F1 of random cuts: the mean over all predictions with as many cuts, at every margin and any length."""

import math
import random
import re
from fractions import Fraction
from itertools import combinations

import numpy as np
import oracle
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import segscore as ss


def expected(truth, cuts, n, margin, **options):
    return ss.expected_f1(truth, range(1, cuts + 1), n=n, margin=margin, **options)


@pytest.mark.parametrize("n", range(0, 8))
def test_it_is_the_mean_over_all_predictions(n):
    for truth in oracle.segmentations(n):
        for cuts in range(max(n, 1)):
            preds = list(combinations(range(1, n), cuts))
            for margin in range(n + 1):
                wanted = oracle.expected_f1(truth, cuts, n, margin)
                assert expected(truth, cuts, n, margin) == pytest.approx(float(wanted), rel=1e-14, abs=1e-300)
                if margin <= 2:
                    adjusted = [ss.order_adjusted_f1(truth, pred, n=n, margin=margin) for pred in preds]
                    assert wanted == 1 or sum(adjusted) == pytest.approx(0, abs=1e-12)


@given(st.data())
def test_it_is_the_mean_over_all_predictions_of_longer_ones(data):
    n = data.draw(st.integers(8, 13))
    truth = data.draw(st.sets(st.integers(1, n - 1)).map(sorted))
    cuts, margin = data.draw(st.integers(0, n - 1)), data.draw(st.integers(0, 5))
    wanted = float(oracle.expected_f1(truth, cuts, n, margin))
    assert expected(truth, cuts, n, margin) == pytest.approx(wanted, rel=1e-13)


@pytest.mark.parametrize("beta", [0, 0.5, 3, 1e200])
def test_weights_of_recall(beta):
    truth, n, cuts, margin = [2, 3, 7], 9, 4, 1
    preds = list(combinations(range(1, n), cuts))
    wanted = sum(ss.f1(truth, pred, n=n, margin=margin, beta=beta) for pred in preds) / len(preds)
    assert expected(truth, cuts, n, margin, beta=beta) == pytest.approx(wanted, rel=1e-14)


@pytest.mark.parametrize(("s", "r", "n", "margin"), [(40, 60, 2000, 30), (300, 200, 5000, 40), (5, 400, 1000, 3)])
def test_it_is_the_mean_of_random_draws(s, r, n, margin):
    generator = np.random.default_rng(1)
    truth = sorted(random.Random(1).sample(range(1, n), s))
    drawn = [
        ss.f1(truth, np.sort(generator.choice(n - 1, r, replace=False) + 1), n=n, margin=margin) for _ in range(2000)
    ]
    error = float(np.std(drawn)) / math.sqrt(len(drawn))
    assert abs(float(np.mean(drawn)) - expected(truth, r, n, margin)) < 4 * error


@pytest.mark.parametrize("n", [10**4, 10**9, 2**62, 2**63 - 1])
@pytest.mark.parametrize("share", [0.001, 0.1, 0.4])
def test_any_length_by_fractions(n, share):
    gaps, margin = n - 1, max(1, int(n * share))
    # One cut takes one true cut if it is in any window.
    one, other = n // 2, n // 2 + margin // 2
    union = min(gaps, other + margin) - max(1, one - margin) + 1
    assert expected([one, other], 1, n, margin) == pytest.approx(float(Fraction(2 * union, 3 * gaps)), rel=1e-13)
    # Two cuts take both, unless one is outside both windows, or both are in the same window only.
    only_one = (other - margin) - max(1, one - margin) if other - margin > 1 else 0
    only_other = min(gaps, other + margin) - (one + margin) if one + margin < gaps else 0
    outside = gaps - union
    some = 1 - Fraction(math.comb(outside, 2), math.comb(gaps, 2))
    both = math.comb(union, 2) - math.comb(only_one, 2) - math.comb(only_other, 2)
    wanted = (some + Fraction(both, math.comb(gaps, 2))) / 2
    assert expected([one, other], 2, n, margin) == pytest.approx(float(wanted), rel=1e-13)
    # Windows that share no gap, by the closed form.
    far = [n // 5, n // 2, n - n // 5]
    width = 2 * (n // 50) + 1
    missed = Fraction(math.comb(gaps - width, 7), math.comb(gaps, 7))
    assert expected(far, 7, n, n // 50) == pytest.approx(float(2 * 3 * (1 - missed) / 10), rel=1e-13)


def test_a_scan_of_windows_that_only_touch_is_the_closed_form():
    # At margin 4 the windows of cuts at a distance of 10 share no gap, and at margin 5 each two neighbours share one.
    apart = [10 * k for k in range(1, 100)]
    closed = 1 - Fraction(math.comb(1000 - 1 - 9, 50), math.comb(1000 - 1, 50))
    assert expected(apart, 50, 1000, 4) == pytest.approx(float(2 * 99 * closed / 149), rel=1e-13)
    assert expected(apart, 50, 1000, 5) > expected(apart, 50, 1000, 4)


def test_the_worked_numbers():
    alarms = range(100, 20_000, 100)
    for cuts, score, chance in ((5, 0.049, 0.031), (50, 0.402, 0.256), (150, 0.860, 0.547)):
        truth = range(66, 66 + 133 * cuts, 133)
        assert len(alarms) == 199 and len(truth) == cuts
        options = {"n": 20_000, "margin": 50}
        assert round(ss.f1(truth, alarms, **options), 3) == score
        assert round(ss.expected_f1(truth, alarms, **options), 3) == chance
        adjusted = ss.order_adjusted_f1(truth, alarms, **options)
        assert adjusted == pytest.approx((ss.f1(truth, alarms, **options) - chance) / (1 - chance), abs=2e-3)
    assert round(adjusted, 2) == 0.69


def test_degenerate_input():
    for n in (0, 1, 2, 9):
        assert ss.expected_f1([], [], n=n, margin=1) == ss.order_adjusted_f1([], [], n=n, margin=1) == 1.0
    for truth, pred in (([3], []), ([], [3])):
        assert ss.expected_f1(truth, pred, n=9, margin=1) == ss.order_adjusted_f1(truth, pred, n=9, margin=1) == 0.0
    # Every prediction with one cut has F1 = 1, so no prediction is worse, and the adjusted value is 1.
    assert ss.expected_f1([3], [8], n=9, margin=9) == ss.order_adjusted_f1([3], [8], n=9, margin=9) == 1.0
    assert ss.order_adjusted_f1([3, 5], [3], n=9, margin=0, beta=0) == 1.0
    assert ss.expected_f1(range(1, 9), range(1, 9), n=9, margin=0) == pytest.approx(1)
    # No matches are possible beyond the smaller number of cuts.
    assert ss.expected_f1([3], range(1, 9), n=9, margin=2**63 - 1) == pytest.approx(2 / 9, rel=1e-15)
    assert ss.order_adjusted_f1([3], [9], n=20, margin=1) < 0


def test_every_door():
    truth, pred, n = [30, 60, 64], [31, 80], 100
    wanted = ss.order_adjusted_f1(truth, pred, n=n, margin=5)
    mean = ss.expected_f1(truth, pred, n=n, margin=5)
    assert wanted == pytest.approx((0.4 - mean) / (1 - mean), rel=1e-14)
    assert wanted == ss.order_adjusted_f1(truth, pred, n=n, relative_margin=0.05)
    names = ["expected_f1", "order_adjusted_f1"]
    assert ss.compare(truth, pred, n=n, metrics=names, margin=5).to_dict() == {
        "expected_f1(margin=5)": mean,
        "order_adjusted_f1(margin=5)": wanted,
    }
    table = ss.score(pl.DataFrame({"truth": [truth], "pred": [pred], "n": [n]}), metrics=names, margin=5)
    assert table.select(pl.col("^.*_f1.*$")).row(0) == (mean, wanted)
    assert ss.cross([truth], [pred], metric="order_adjusted_f1", n=n, margin=5).item() == wanted
    # The mean over both orders of the sides is another number, because only the prediction is random.
    assert ss.order_adjusted_f1(pred, truth, n=n, margin=5) != wanted
    for name in names:
        message = (
            f"{name} counts points; expected n=, not duration= (count whole units such as milliseconds, or use f1 with "
            "margin=)"
        )
        with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
            getattr(ss, name)([3.0], [4.0], duration=9.0, margin=1.0)


def test_work_that_would_take_too_long_is_refused():
    truth, pred = range(100, 10**6, 100), range(50, 10**6, 100)
    message = (
        "margin = 500 makes windows of the true cuts overlap, and the expected F1 of 10000 cuts would take more than "
        "2**32 steps; expected a smaller margin or fewer cuts"
    )
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        ss.expected_f1(truth, pred, n=10**6, margin=500)
    assert 0.4 < ss.expected_f1(truth, pred, n=10**6, margin=49) < 1
