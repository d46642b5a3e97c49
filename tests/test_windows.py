"""The window family: counted window by window, and beside segeval and nltk."""

import math
from fractions import Fraction
from itertools import pairwise

import oracle
import pytest
from hypothesis import given
from hypothesis import strategies as st

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
    ("k", "kind"), [(0, ValueError), (-3, ValueError), (2.0, TypeError), (True, TypeError), ("2", TypeError)]
)
def test_bad_windows(k, kind):
    with pytest.raises(kind, match=f"k = {k!r} is .*expected"):
        ss.pk([3], [4], n=10, k=k)
    with pytest.raises(kind, match=f"k = {k!r} is .*expected"):
        ss.pk_curve([3], [4], n=10, k=[k])
    with pytest.raises(TypeError):
        ss.pk([3.0], [4.0], duration=10)


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
