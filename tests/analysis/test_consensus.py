"""The consensus: brute force over all segmentations, with weights, ties by their rule, and its size."""

import re
from fractions import Fraction
from itertools import combinations, combinations_with_replacement

import numpy as np
import oracle
import pytest
from hypothesis import given
from hypothesis import strategies as st
from times import DURATIONS, NEAR

import segscore as ss


def disagreement(a, b, n):
    _, truth_only, pred_only, _ = oracle.pair_counts(a, b, n)
    return truth_only + pred_only


def by_force(inputs, n, weights):
    """The least sum, and of all that have it the one whose cuts, read from the end, are latest."""
    totals = {
        tuple(c): sum(w * disagreement(c, b, n) for w, b in zip(weights, inputs, strict=True))
        for c in oracle.segmentations(n)
    }
    least = min(totals.values())
    return least, max((c for c, total in totals.items() if total == least), key=lambda c: c[::-1])


@pytest.mark.parametrize("n", range(1, 6))
def test_equal_to_brute_force_for_every_three_inputs(n):
    for inputs in combinations_with_replacement(list(oracle.segmentations(n)), 3):
        least, cuts = by_force(inputs, n, [1, 1, 1])
        found = ss.consensus(inputs, n=n)
        assert found.distance == least
        assert tuple(found.segmentation.cuts) == cuts
        assert found.distances == [disagreement(cuts, b, n) for b in inputs]


@given(st.data())
def test_equal_to_brute_force_with_weights(data):
    n = data.draw(st.integers(1, 7))
    cuts = st.sets(st.integers(1, max(1, n - 1))).map(lambda s: sorted(c for c in s if c < n))
    inputs = data.draw(st.lists(cuts, min_size=1, max_size=5))
    weights = data.draw(st.lists(st.integers(1, 9), min_size=len(inputs), max_size=len(inputs)))
    least, wanted = by_force(inputs, n, weights)
    found = ss.consensus(inputs, n=n, weights=weights)
    assert found.distance == least
    assert tuple(found.segmentation.cuts) == wanted
    halves = ss.consensus(inputs, n=n, weights=[w / 2 for w in weights])
    assert halves.distance == Fraction(least, 2)
    assert halves.segmentation == found.segmentation


def test_the_examples_of_the_spec():
    found = ss.consensus([[3, 8], [4, 8], [4, 7]], n=10)
    assert (found.segmentation.cuts, found.distance, found.distances) == ([4, 8], 12, [7, 0, 5])
    found = ss.consensus([[1], [2], [3]], n=9)
    assert (found.segmentation.cuts, found.distance) == ([2], 16)


def test_what_most_have_is_in_it_and_nothing_that_nobody_has():
    rng = np.random.default_rng(1)
    for _ in range(50):
        n = 2000
        inputs = [np.unique(rng.integers(1, n, 20)) for _ in range(4)]
        inputs = [np.unique(np.append(cuts, 777)) if k < 3 else cuts for k, cuts in enumerate(inputs)]
        found = ss.consensus(inputs, n=n)
        assert 777 in found.segmentation.cuts
        assert set(found.segmentation.cuts) <= {int(c) for cuts in inputs for c in cuts}
        assert found.distance <= min(
            sum(ss.mirkin_distance(a, b, n=n) // 2 for b in inputs) for a in (*inputs, [], [777])
        )


def test_weights_of_every_kind():
    inputs = [[3], [5 * 10**8]]
    exact = ss.consensus(inputs, n=10**9, weights=[100, 100]).distance
    for kind in (np.int64, np.int8, np.uint16):
        assert ss.consensus(inputs, n=10**9, weights=np.array([100, 100], kind)).distance == exact
    for kind in (np.float16, np.float32, float):
        assert ss.consensus(inputs, n=10**9, weights=np.array([100, 100], kind)).distance == pytest.approx(exact)
    assert ss.consensus([[5], []], n=10, weights=[2**60, 2**60 + 1]).segmentation.cuts == []
    with pytest.raises(
        ValueError, match=r"weights\[0\] = 18446744073709551616 is too large; expected an integer below"
    ):
        ss.consensus([[5], []], n=10, weights=[2**64, 2**64 + 1])
    assert ss.consensus([[3], ss.Segmentation([4], n=9)]).segmentation.n == 9
    with pytest.raises(TypeError, match="segmentations is"):
        ss.consensus(ss.Segmentation([3], n=9))


def test_long_and_odd_inputs():
    n = 10**12
    one = ss.Segmentation([5, 10**11, 7 * 10**11], n=n)
    assert ss.consensus([one, one]).segmentation == one
    assert ss.consensus([one]).distance == 0
    assert ss.consensus([[], []], n=0).segmentation.n == 0
    assert ss.consensus([[3], [4]], n=9, weights=[2, 1]).segmentation.cuts == [3]
    assert ss.consensus([range(1, 9)] * 3, n=9).segmentation.cuts == list(range(1, 9))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ss.consensus([], n=9), "segmentations is empty; expected at least one"),
        (
            lambda: ss.consensus([[3], [3, 2]], n=9),
            r"segmentations\[1\]\[1\] = 2 does not exceed segmentations\[1\]\[0\] = 3",
        ),
        (
            lambda: ss.consensus([[3], [3]], n=9, weights=[1]),
            "weights has 1 value for 2 segmentations; expected one weight per segmentation",
        ),
        (
            lambda: ss.consensus([[3]], n=9, weights=[0]),
            r"weights\[0\] = 0.0 is out of range; expected a weight above 0",
        ),
        (
            lambda: ss.consensus([[3]], n=9, weights=[-1]),
            r"weights\[0\] = -1.0 is out of range; expected a weight above 0",
        ),
        (lambda: ss.consensus([[3]] * 9, n=2**62), "is too long for that many inputs"),
        (
            lambda: ss.consensus([ss.Segmentation([3], n=9), ss.Segmentation([3], n=8)]),
            r"segmentations\[1\] has n = 8 but the others have n = 9; expected one length",
        ),
    ],
)
def test_what_is_wrong_is_said(call, message):
    with pytest.raises(ValueError, match=message):
        call()


# ---- in time ----


def area(a, b, duration):
    _, truth_only, pred_only, _ = oracle.pair_areas(a, b, duration)
    return truth_only + pred_only


def by_force_in_time(inputs, duration, weights):
    """The least sum over all subsets of the cuts, exactly, and of all that have it the one whose cuts are latest."""
    places = sorted({c for cuts in inputs for c in cuts})
    subsets = [cuts for r in range(len(places) + 1) for cuts in combinations(places, r)]
    totals = {c: sum(w * area(c, b, duration) for w, b in zip(weights, inputs, strict=True)) for c in subsets}
    least = min(totals.values())
    return least, max((c for c, total in totals.items() if total == least), key=lambda c: c[::-1])


@given(st.data())
def test_equal_to_brute_force_in_time(data):
    duration = data.draw(DURATIONS)
    cuts = st.sets(NEAR | st.floats(1e-12, 1 - 1e-12), max_size=3)
    inputs = [sorted({c * duration for c in side}) for side in data.draw(st.lists(cuts, min_size=1, max_size=3))]
    weights = data.draw(st.lists(st.sampled_from([1, 2, 0.5, 3.25]), min_size=len(inputs), max_size=len(inputs)))
    least, wanted = by_force_in_time(inputs, duration, [Fraction(w) for w in weights])
    found = ss.consensus(inputs, duration=duration, weights=weights)
    assert found.segmentation == ss.Segmentation(wanted, duration=duration)
    close = Fraction(1e-15)
    assert abs(Fraction(found.distance) - least) <= close * least + Fraction(1e-300)
    for each, side in zip(found.distances, inputs, strict=True):
        exact = area(wanted, side, duration)
        assert abs(Fraction(each) - exact) <= close * exact


@given(st.data())
def test_the_consensus_on_the_grid_is_near_that_in_points(data):
    # Pairs of points are areas without the points themselves, so for long segments both have the same median.
    n, scale = 12, 10**6
    cuts = st.sets(st.integers(1, n - 1), max_size=6).map(sorted)
    inputs = data.draw(st.lists(cuts, min_size=1, max_size=4))
    found = ss.consensus([[float(c) for c in side] for side in inputs], duration=n)
    fine = ss.consensus([[c * scale for c in side] for side in inputs], n=n * scale)
    assert found.distance == pytest.approx(fine.distance / scale**2, abs=1e-4)


def test_the_consensus_in_time_reads():
    found = ss.consensus([[2.5, 7.0], [3.0, 7.25], [3.5, 7.0]], duration=10)
    assert found.to_dict() == {
        "segmentation": {"cuts": [3.0, 7.0], "duration": 10.0},
        "distance": 8.1875,
        "distances": [3.25, 1.6875, 3.25],
    }
    own = [ss.Segmentation(cuts, duration=10) for cuts in ([2.5, 7.0], [3.0, 7.25])]
    assert ss.consensus([*own, [3.5, 7.0]]) == found
    for length, error, message in (
        ({"n": 10, "duration": 10}, TypeError, "n= and duration= exclude each other; expected one of them"),
        (
            {"duration": 9},
            ValueError,
            "segmentations[0] has duration = 10.0 but the others have duration = 9.0; expected one length",
        ),
        (
            {"n": 10},
            TypeError,
            "segmentations[0] is a Segmentation in time; in points expected a sequence of cuts, or Segmentation(..., n=)",
        ),
    ):
        with pytest.raises(error, match=f"^{re.escape(message)}$"):
            ss.consensus(own, **length)
