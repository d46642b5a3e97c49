"""The edit family: Fournier's edits and Bookstein's distance, by their definitions and beside segeval and nltk."""

import math

import oracle
import pytest
from hypothesis import given
from hypothesis import strategies as st

import segscore as ss


def check(truth, pred, n, n_t):
    matched, moved, missed, added = oracle.boundary_edits(truth, pred, n_t)
    edits = ss.boundary_edits(truth, pred, n=n, n_t=n_t)
    assert edits == (matched, moved, missed, added)
    cost = len(missed) + len(added) + sum(abs(t - p) for t, p in moved) / n_t
    count = len(matched) + len(moved) + len(missed) + len(added)
    assert ss.boundary_similarity(truth, pred, n=n, n_t=n_t) == pytest.approx(1 - cost / count if count else 1.0)
    similarity = 1 - cost / (n - 1) if n > 1 else 1.0
    assert ss.segmentation_similarity(truth, pred, n=n, n_t=n_t) == pytest.approx(similarity)


@pytest.mark.parametrize("n", range(0, 8))
def test_equal_to_the_definition_on_every_pair_of_segmentations(n):
    for truth in oracle.segmentations(n):
        for pred in oracle.segmentations(n):
            for n_t in (1, 2, 3, 5):
                check(truth, pred, n, n_t)
            for costs in ((2.0, 2.0, 1.0), (1.0, 3.0, 0.5), (1.5, 0.25, 2.0), (1.0, 1.0, 0.0), (0.0, 0.0, 1.0)):
                names = dict(zip(("insertion", "deletion", "shift"), costs, strict=True))
                value = ss.generalized_hamming(truth, pred, n=n, **names)
                assert value == pytest.approx(oracle.generalized_hamming(truth, pred, *costs))


@given(st.data())
def test_equal_to_the_definition_on_longer_ones(data):
    n = data.draw(st.integers(2, 300))
    cuts = st.sets(st.integers(1, n - 1)).map(sorted)
    truth, pred = data.draw(cuts), data.draw(cuts)
    check(truth, pred, n, data.draw(st.integers(1, 12)))
    costs = data.draw(st.tuples(*[st.sampled_from([0.5, 1.0, 2.0, 7.0])] * 3))
    value = ss.generalized_hamming(truth, pred, n=n, insertion=costs[0], deletion=costs[1], shift=costs[2])
    assert value == pytest.approx(oracle.generalized_hamming(truth, pred, *costs))


def test_a_huge_n_t_ends():
    assert ss.boundary_edits([10], [10**15], n=10**16, n_t=10**12).missed == [10]
    assert ss.boundary_similarity([1, 2**61], [], n=2**62, n_t=2**62) == 0
    assert ss.boundary_edits([10**9 * i for i in range(1, 6)], [], n=10**10, n_t=2 * 10**9).missed[0] == 10**9
    assert ss.boundary_edits([1, 2**61], [2**60], n=2**62, n_t=2**62).moved == [(1, 2**60)]
    with pytest.raises(ValueError, match="n_t = 0 is out of range; expected 1 <= n_t <"):
        ss.boundary_edits([10], [20], n=30, n_t=0)


@given(st.data())
def test_equal_to_segeval(data):
    segeval = pytest.importorskip("segeval")
    n = data.draw(st.integers(3, 60))
    cuts = st.sets(st.integers(1, n - 1), min_size=1).map(sorted)
    truth, pred, n_t = data.draw(cuts), data.draw(cuts), data.draw(st.integers(2, 6))
    masses = [tuple(ss.Segmentation(side, n=n).lengths) for side in (pred, truth)]
    theirs = float(segeval.boundary_similarity(*masses, n_t=n_t))
    assert ss.boundary_similarity(truth, pred, n=n, n_t=n_t) == pytest.approx(theirs)
    theirs = float(segeval.segmentation_similarity(*masses, n_t=n_t))
    assert ss.segmentation_similarity(truth, pred, n=n, n_t=n_t) == pytest.approx(theirs)


def test_right_where_segeval_fails():
    segeval = pytest.importorskip("segeval")
    with pytest.raises(ValueError, match="empty"):
        segeval.boundary_similarity((10,), (10,))
    assert ss.boundary_similarity([], [], n=10) == ss.segmentation_similarity([], [], n=10) == 1.0


@given(st.data())
def test_equal_to_nltk(data):
    segmentation = pytest.importorskip("nltk.metrics.segmentation")
    n = data.draw(st.integers(2, 40))
    cuts = st.sets(st.integers(1, n - 1)).map(sorted)
    truth, pred = data.draw(cuts), data.draw(cuts)
    costs = data.draw(st.tuples(*[st.sampled_from([0.5, 1.0, 2.0])] * 3))
    strings = ["".join("01"[c in side] for c in range(1, n)) for side in (truth, pred)]
    theirs = segmentation.ghd(*strings, *costs)
    ours = ss.generalized_hamming(truth, pred, n=n, insertion=costs[0], deletion=costs[1], shift=costs[2])
    assert ours == pytest.approx(theirs)


def test_costs_of_very_different_size_are_not_lost():
    assert ss.generalized_hamming([1, 2, 3], [1, 2, 3], n=10, insertion=0.1, deletion=0.7) == 0.0
    assert ss.generalized_hamming([5], [6], n=10, insertion=1e17, deletion=1e17, shift=1) == 1.0
    assert ss.generalized_hamming([5, 9], [6, 8], n=10, insertion=1e17, deletion=1e17, shift=1) == 2.0
    assert ss.generalized_hamming([5, 9], [6], n=10, insertion=1e17, deletion=1e17, shift=1) == 1e17 + 1
    assert ss.generalized_hamming([1], [2**63 - 2], n=2**63 - 1, shift=0) == 0.0
    assert ss.generalized_hamming([1], [2], n=10, insertion=0, deletion=0, shift=0) == 0.0
    with pytest.raises(ValueError, match=r"insertion = inf is too large; expected a cost up to 1e250"):
        ss.generalized_hamming([1], [2], n=10, insertion=math.inf)


@given(st.data())
def test_the_distance_is_never_negative_and_zero_for_the_same(data):
    n = 40
    truth, pred = (sorted(data.draw(st.sets(st.integers(1, n - 1), max_size=9))) for _ in range(2))
    costs = {name: data.draw(st.floats(0, 5)) for name in ("insertion", "deletion", "shift")}
    assert ss.generalized_hamming(truth, truth, n=n, **costs) == 0
    assert ss.generalized_hamming(truth, pred, n=n, **costs) >= 0
