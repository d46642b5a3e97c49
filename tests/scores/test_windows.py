"""The window family: counted window by window, and beside segeval and nltk."""

import math
import re
from fractions import Fraction
from itertools import pairwise

import oracle
import pytest
from hypothesis import given
from hypothesis import strategies as st
from times import NEAR, SHARES, cuts_in_time

import segscore as ss


def check(truth, pred, n, k):
    counts = oracle.window_counts(truth, pred, n, k)
    if not counts:
        assert math.isnan(ss.pk(truth, pred, n=n, k=k))
        assert math.isnan(ss.window_diff(truth, pred, n=n, k=k))
        return
    windows = len(counts)
    assert ss.pk(truth, pred, n=n, k=k) == sum((a > 0) != (b > 0) for a, b in counts) / windows
    assert ss.window_diff(truth, pred, n=n, k=k) == sum(a != b for a, b in counts) / windows
    assert ss.window_diff(truth, pred, n=n, k=k, weighted=True) == sum(abs(a - b) for a, b in counts) / windows
    beyond = oracle.window_counts([c + k for c in truth], [c + k for c in pred], n + 2 * k, k)
    fixed = Fraction(sum(a != b for a, b in beyond), n + k + 1)
    assert ss.window_diff(truth, pred, n=n, k=k, lamprier=True) == fixed.numerator / fixed.denominator


@pytest.mark.parametrize("n", range(1, 8))
def test_equal_to_the_definition_on_every_pair_of_segmentations(n):
    for truth in oracle.segmentations(n):
        for pred in oracle.segmentations(n):
            for k in range(1, n + 2):
                check(truth, pred, n, k)
            # the Rand distance is the mean of Pk over all k, by the number of windows
            weighted = sum((n - k) * ss.pk(truth, pred, n=n, k=k) for k in range(1, n))
            assert weighted == pytest.approx(ss.mirkin_distance(truth, pred, n=n) / 2)


@given(st.data())
def test_equal_to_the_definition_on_longer_ones(data):
    n = data.draw(st.integers(2, 120))
    cuts = st.sets(st.integers(1, n - 1)).map(sorted)
    check(data.draw(cuts), data.draw(cuts), n, data.draw(st.integers(1, n + 3)))


@pytest.mark.parametrize("n", range(1, 40))
def test_the_default_window_is_half_a_segment_rounded_half_to_even(n):
    for s in range(min(n, 12)):
        truth = list(range(1, s + 1))
        k = max(2, round(Fraction(n, 2 * (s + 1))))
        pred = [n - 1] if n > 1 else []
        ours, explicit = ss.pk(truth, pred, n=n), ss.pk(truth, pred, n=n, k=k)
        assert ours == explicit or (math.isnan(ours) and math.isnan(explicit))


@pytest.mark.parametrize("n", [2**62, 2**63 - 1])
def test_huge_lengths_do_not_overflow(n):
    truth, pred, k = [5, n // 2, n - 3], [5, n // 2 + 7], n - 5
    for lag in (3, n // 3, k):
        window = lambda cuts, x, lag=lag: sum(x <= c < x + lag for c in cuts)  # noqa: E731
        events = sorted({1, *(e for c in (*truth, *pred) for e in (c - lag + 1, c + 1) if 1 <= e <= n - lag)})
        lengths = [b - a for a, b in zip(events, [*events[1:], n - lag + 1], strict=True)]
        counts = [(window(truth, x), window(pred, x)) for x in events]
        differ = sum(size for size, (a, b) in zip(lengths, counts, strict=True) if a != b)
        missed = sum(size for size, (a, b) in zip(lengths, counts, strict=True) if (a > 0) != (b > 0))
        assert ss.window_diff(truth, pred, n=n, k=lag) == differ / (n - lag)
        assert ss.pk(truth, pred, n=n, k=lag) == missed / (n - lag)
        assert 0 < ss.window_diff(truth, pred, n=n, k=lag, lamprier=True) < 1


def test_curves():
    truth, pred = (
        [3, 8, 20],
        [4, 8, 25],
    )
    ks = [1, 2, 5, 29, 40]
    assert ss.pk_curve(truth, pred, n=30, k=ks).tolist()[:4] == [ss.pk(truth, pred, n=30, k=k) for k in ks[:4]]
    for options in ({}, {"weighted": True}, {"lamprier": True}):
        curve = ss.window_diff_curve(truth, pred, n=30, k=iter(ks), **options)
        assert curve.tolist()[:4] == [ss.window_diff(truth, pred, n=30, k=k, **options) for k in ks[:4]]
        assert math.isnan(curve[4]) != ("lamprier" in options)  # which has windows of any width


@pytest.mark.parametrize(
    ("k", "kind"), [(0, ValueError), (-3, ValueError), (2.5, TypeError), (True, TypeError), ("2", TypeError)]
)
def test_bad_windows(k, kind):
    with pytest.raises(kind, match=f"k = {k!r} is .*expected"):
        ss.pk([3], [4], n=10, k=k)
    with pytest.raises(kind, match=f"k = {k!r} is .*expected"):
        ss.pk_curve([3], [4], n=10, k=[k])


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"n": 10, "k": 2.0}, TypeError, "k = 2.0 is a float; expected an integer (or duration= for windows in time)"),
        ({"duration": 10, "k": 0}, ValueError, "k = 0 is out of range; expected 1 <= k < 2**63"),
        ({"duration": 10, "k": -0.5}, ValueError, "k = -0.5 is not positive and finite; expected the size of a window"),
        (
            {"duration": 10, "k": math.inf},
            ValueError,
            "k = inf is not positive and finite; expected the size of a window",
        ),
        (
            {"duration": 10, "k": math.nan},
            ValueError,
            "k = nan is not positive and finite; expected the size of a window",
        ),
        ({"duration": 10, "k": "2"}, TypeError, "k = '2' is a str; expected a number"),
        ({"duration": 10, "n": 10}, TypeError, "n= and duration= exclude each other; expected one of them"),
    ],
)
def test_what_is_wrong_is_said(options, error, message):
    for f in (ss.pk, ss.window_diff):
        with pytest.raises(error, match=f"^{re.escape(message)}$"):
            f([3], [4], **options)
    if "k" in options:
        with pytest.raises(error, match=f"^{re.escape(message)}$"):
            ss.pk_curve([3], [4], **{**options, "k": [options["k"]]})
    with pytest.raises(TypeError, match=r"^k = 2.5 is float; expected many sizes \(for one use pk or window_diff\)$"):
        ss.pk_curve([3], [4], duration=10, k=2.5)


# ---- in time ----

AMOUNTS = {
    (ss.pk, ()): lambda t, p: (t > 0) != (p > 0),
    (ss.window_diff, ()): lambda t, p: t != p,
    (ss.window_diff, ("weighted",)): lambda t, p: abs(t - p),
    (ss.window_diff, ("lamprier",)): lambda t, p: t != p,
    (ss.window_diff, ("weighted", "lamprier")): lambda t, p: abs(t - p),
}


def check_in_time(truth, pred, duration, k):
    for (f, flags), amount in AMOUNTS.items():
        options = dict.fromkeys(flags, True)
        found = f(truth, pred, duration=duration, k=k, **options)
        lamprier = "lamprier" in flags
        if k >= duration and not lamprier:
            assert math.isnan(found)
            continue
        stretches = oracle.window_stretches(truth, pred, duration, k, lamprier)
        whole = Fraction(duration) + Fraction(k) * (1 if lamprier else -1)
        exact = sum(length * amount(t, p) for length, t, p in stretches) / whole
        assert abs(Fraction(found) - exact) <= Fraction(1e-15) * exact + Fraction(1e-30), (f, flags, found, exact)


def test_hand_worked_windows_in_time():
    # (x, x + 2] holds 2.5 for x in [0.5, 2.5), 3 for x in [1, 3), 7 for x in [5, 7) and 7.25 for x in [5.25, 7.25); x ends
    # at 8. Only one side has a cut for x in [0.5, 1), [2.5, 3), [5, 5.25) and [7, 7.25): 1.5 of 8.
    assert ss.pk([2.5, 7.0], [3.0, 7.25], duration=10.0, k=2.0) == 1.5 / 8
    assert ss.window_diff([2.5, 7.0], [3.0, 7.25], duration=10.0, k=2.0) == 1.5 / 8
    # (x, x + 4] holds 3 for x in [0, 3), 4 for x in [0, 4) and 5 for x in [1, 5); x ends at 6.
    assert ss.pk([3.0, 4.0, 5.0], [4.0], duration=10, k=4) == 1 / 6
    assert ss.window_diff([3.0, 4.0, 5.0], [4.0], duration=10, k=4) == 5 / 6
    assert ss.window_diff([3.0, 4.0, 5.0], [4.0], duration=10, k=4, weighted=True) == 7 / 6
    # With the correction x runs from -4 to 10, and each cut is in windows of total length 4.
    assert ss.window_diff([3.0, 4.0, 5.0], [4.0], duration=10, k=4, weighted=True, lamprier=True) == 8 / 14
    assert ss.window_diff([3.0], [], duration=10, k=40, lamprier=True) == 40 / 50


@pytest.mark.parametrize("n", range(1, 7))
def test_windows_in_time_on_the_grid_are_those_in_points(n):
    for truth in oracle.segmentations(n):
        for pred in oracle.segmentations(n):
            for k in range(1, n):
                for f in (ss.pk, ss.window_diff):
                    assert f(truth, pred, duration=n, k=k) == f(truth, pred, n=n, k=k)
            assert math.isnan(ss.pk(truth, pred, duration=n, k=n))
            corrected = ss.window_diff(truth, pred, duration=n, k=2, lamprier=True)
            assert corrected * (n + 2) == pytest.approx(ss.window_diff(truth, pred, n=n, k=2, lamprier=True) * (n + 3))


@given(cuts_in_time(), NEAR | st.floats(1e-9, 1.5))
def test_windows_in_time_equal_the_exact_definition(case, k):
    truth, pred, duration = case
    check_in_time(truth, pred, duration, k * duration)


def test_sums_over_many_windows_in_time_do_not_round():
    # Each of the cuts 1, 2, ... is in windows of total length k, and no window holds two cuts.
    k, count = 0.1, 5000
    cuts = [float(c) for c in range(1, count + 1)]
    exact = count * Fraction(k) / (count + 1 - Fraction(k))
    for f in (ss.pk, ss.window_diff):
        assert abs(Fraction(f(cuts, [], duration=count + 1.0, k=k)) - exact) <= Fraction(1e-15) * exact


@given(st.data())
def test_windows_in_time_are_the_limit_of_those_in_points(data):
    cuts = st.sets(st.floats(0.01, 0.99), max_size=5).map(sorted)
    truth, pred, k = data.draw(cuts), data.draw(cuts), data.draw(st.floats(0.01, 0.9))
    n = 10**6
    sampled = [sorted({round(c * n) for c in cuts}) for cuts in (truth, pred)]
    # Each cut and each end moves by at most half a point, so each share of the windows by a few points.
    slack = 4 * (len(truth) + len(pred) + 2) / (n * (1 - k))
    for f, options in ((ss.pk, {}), (ss.window_diff, {}), (ss.window_diff, {"lamprier": True})):
        if [len(side) for side in sampled] == [len(truth), len(pred)]:
            in_time = f(truth, pred, duration=1.0, k=k, **options)
            assert f(*sampled, n=n, k=round(k * n), **options) == pytest.approx(in_time, abs=slack)


@given(SHARES, SHARES)
def test_the_rand_distance_is_the_mean_of_pk_over_all_windows_in_time(truth, pred):
    # (1 - k) pk(k) is linear between the distances of two cuts or ends, so the middle of each piece gives its integral.
    places = [0.0, *truth, *pred, 1.0]
    ks = sorted({abs(x - y) for x in places for y in places})
    pieces = [(b - a, (a + b) / 2) for a, b in pairwise(ks)]
    integral = sum(size * (1 - k) * ss.pk(truth, pred, duration=1.0, k=k) for size, k in pieces if 0 < k < 1)
    assert 2 * integral == pytest.approx(ss.rand_distance(truth, pred, duration=1.0), rel=1e-9, abs=1e-12)


def test_the_default_window_in_time_is_half_a_segment():
    for s in range(5):
        truth = [k + 0.5 for k in range(s)]
        wanted = ss.pk(truth, [3.25], duration=7.5, k=7.5 / 2 / (s + 1))
        assert ss.pk(truth, [3.25], duration=7.5) == wanted
        assert not math.isnan(wanted)


def test_curves_in_time():
    truth, pred, ks = [2.5, 7.0], [3.0, 7.25], [0.5, 1, 2.0, 9.5, 10.0]
    curve = ss.pk_curve(truth, pred, duration=10.0, k=ks)
    assert curve.tolist()[:4] == [ss.pk(truth, pred, duration=10.0, k=k) for k in ks[:4]] and math.isnan(curve[4])
    for options in ({}, {"weighted": True}, {"lamprier": True}):
        curve = ss.window_diff_curve(truth, pred, duration=10.0, k=ks, **options)
        assert curve.tolist()[:4] == [ss.window_diff(truth, pred, duration=10.0, k=k, **options) for k in ks[:4]]
        assert math.isnan(curve[4]) != ("lamprier" in options)


@given(st.data())
def test_equal_to_nltk(data):
    segmentation = pytest.importorskip("nltk.metrics.segmentation")
    n = data.draw(st.integers(4, 60))
    cuts = st.sets(st.integers(1, n - 1)).map(sorted)
    truth, pred, k = data.draw(cuts), data.draw(cuts), data.draw(st.integers(1, n - 2))
    strings = ["".join("01"[c in side] for c in range(1, n)) for side in (truth, pred)]
    assert ss.pk(truth, pred, n=n, k=k) == pytest.approx(segmentation.pk(*strings, k=k))
    assert ss.window_diff(truth, pred, n=n, k=k) == pytest.approx(segmentation.windowdiff(*strings, k))
    theirs = segmentation.windowdiff(*strings, k, weighted=True)
    assert ss.window_diff(truth, pred, n=n, k=k, weighted=True) == pytest.approx(theirs)


@given(st.data())
def test_equal_to_segeval(data):
    segeval = pytest.importorskip("segeval")
    n = data.draw(st.integers(6, 60))
    cuts = st.sets(st.integers(1, n - 1), min_size=1).map(sorted)
    truth, pred = data.draw(cuts), data.draw(cuts)
    masses = [tuple(ss.Segmentation(side, n=n).lengths) for side in (pred, truth)]  # hypothesis first
    assert ss.pk(truth, pred, n=n) == pytest.approx(float(segeval.pk(*masses)))
    assert ss.window_diff(truth, pred, n=n) == pytest.approx(float(segeval.window_diff(*masses)))
    theirs = float(segeval.window_diff(*masses, lamprier_et_al_2007_fix=True))
    assert ss.window_diff(truth, pred, n=n, lamprier=True) == pytest.approx(theirs)


def test_right_where_segeval_fails():
    segeval = pytest.importorskip("segeval")
    with pytest.raises(AssertionError):  # it compares integers by identity, and k is 300
        segeval.window_diff((700, 500), (600, 600))
    assert ss.window_diff([600], [700], n=1200) == 200 / 900


@given(st.data())
def test_the_corrected_windows_of_the_longest_sequence(data):
    n = 2**63 - 1
    k = data.draw(st.sampled_from([1, 2, 5, n - 2, n - 1]))
    near = st.integers(1, 6) | st.integers(1, 6).map(lambda c: n - c)
    truth, pred = (sorted(data.draw(st.sets(near, max_size=4))) for _ in range(2))

    def windows(cuts, x):
        return sum(x <= c < x + k for c in cuts)

    # The numbers change at few windows only: where a cut enters or leaves.
    events = sorted({1 - k, n + 1, *(c - k + 1 for c in truth + pred), *(c + 1 for c in truth + pred)})
    differ = sum(
        stop - start
        for start, stop in pairwise(events)
        if 1 - k <= start <= n and windows(truth, start) != windows(pred, start)
    )
    assert ss.window_diff(truth, pred, n=n, k=k, lamprier=True) == differ / (n + k + 1)
