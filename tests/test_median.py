"""The consensus: brute force over all segmentations, with weights, ties by their rule, and its size."""

from fractions import Fraction
from itertools import combinations_with_replacement

import numpy as np
import oracle
import pytest
from hypothesis import given
from hypothesis import strategies as st

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
            "there are 1 weights for 2 segmentations; expected one weight per segmentation",
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
