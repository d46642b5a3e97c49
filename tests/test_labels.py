"""Labels that recur: clusters, by their definition and beside scikit-learn."""

import copy
import math
import pickle
from itertools import product

import numpy as np
import oracle
import pytest
from hypothesis import given
from hypothesis import strategies as st

import segscore as ss
from segscore import LabelledSegmentation


def test_the_example_of_the_spec():
    song = LabelledSegmentation([4, 7], "ABA", n=10)
    assert ss.pair_counts(song, [5], n=10) == (10, 14, 10, 11)
    assert song.labels == ("A", "B", "A")
    assert song.segmentation == ss.Segmentation([4, 7], n=10)
    assert (song.cuts, song.segments, len(song)) == ([4, 7], [(0, 4), (4, 7), (7, 10)], 3)
    assert repr(song) == "LabelledSegmentation([4, 7], ['A', 'B', 'A'], n=10)"
    assert (
        pickle.loads(pickle.dumps(song))
        == copy.deepcopy(song)
        == song
        == LabelledSegmentation([4, 7, 10], list("ABA"), n=10)
    )
    assert hash(song) == hash(LabelledSegmentation.from_labels("AAAABBBAAA"))
    assert song != LabelledSegmentation([4, 7], "ABC", n=10)
    assert song != song.segmentation


FAMILIES = ("pairs", "information", "overlap")
SCORES = [name for name, metric in ss.METRICS.items() if metric.family in FAMILIES]


@pytest.mark.parametrize("n", range(1, 6))
def test_pairs_equal_to_the_definition(n):
    for a, b in product(product(range(3), repeat=n), repeat=2):
        truth, pred = LabelledSegmentation.from_labels(a), LabelledSegmentation.from_labels(b)
        together = [(a[i] == a[j], b[i] == b[j]) for i in range(n) for j in range(i + 1, n)]
        expected = tuple(together.count(kind) for kind in ((True, True), (True, False), (False, True), (False, False)))
        assert ss.pair_counts(truth, pred) == expected
        assert ss.rand_index(truth, pred) == float(oracle.rand_index(*expected))
        assert ss.mirkin_distance(truth, pred) == 2 * (expected[1] + expected[2])


@pytest.mark.parametrize("name", SCORES)
@given(data=st.data())
def test_labels_that_do_not_recur_change_nothing(name, data):
    n = data.draw(st.integers(1, 30))
    cuts = st.sets(st.integers(1, n - 1)).map(sorted) if n > 1 else st.just([])
    sides = [ss.Segmentation(data.draw(cuts), n=n) for _ in range(2)]
    labelled = [LabelledSegmentation(side, range(len(side))) for side in sides]
    score = getattr(ss, name)
    for mixed in (labelled, [labelled[0], sides[1]], [sides[0], labelled[1]]):
        value, expected = score(*mixed), score(*sides)
        assert value == pytest.approx(expected, rel=1e-12, abs=1e-12) or (math.isnan(value) and math.isnan(expected))


def brute_overlap(a, b):
    a, b = np.array(a), np.array(b)
    best = {x: max(((a == x) & (b == y)).sum() / ((a == x) | (b == y)).sum() for y in set(b)) for x in set(a)}
    common = {x: max(((a == x) & (b == y)).sum() for y in set(b)) for x in set(a)}
    size = len(a)
    covering = sum((a == x).sum() * best[x] for x in best) / size
    return covering, sum(best.values()) / len(best), sum(common.values()) / size


@pytest.mark.filterwarnings("ignore:The number of unique classes")
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4)), min_size=2, max_size=60))
def test_equal_to_scikit_learn_and_to_the_definitions(points):
    metrics = pytest.importorskip("sklearn.metrics")
    a, b = [p[0] for p in points], [p[1] for p in points]
    truth, pred = LabelledSegmentation.from_labels(a), LabelledSegmentation.from_labels(np.array(b))
    close = pytest.approx
    assert ss.rand_index(truth, pred) == close(metrics.rand_score(a, b))
    assert ss.adjusted_rand_index(truth, pred) == close(metrics.adjusted_rand_score(a, b), abs=1e-12)
    assert ss.mutual_information(truth, pred) == close(max(0, metrics.mutual_info_score(a, b)), abs=1e-12)
    assert ss.homogeneity(truth, pred) == close(metrics.homogeneity_score(a, b), abs=1e-9)
    if ss.rand_distance(truth, pred) > 0:
        assert ss.adjusted_mutual_information(truth, pred) == close(metrics.adjusted_mutual_info_score(a, b), abs=1e-7)
    covering, mean_iou, coverage = brute_overlap(a, b)
    assert ss.covering(truth, pred) == close(covering)
    assert ss.mean_iou(truth, pred) == close(mean_iou)
    assert ss.coverage(truth, pred) == ss.purity(pred, truth) == close(coverage)
    scores = ss.compare(truth, pred, metrics=SCORES)
    for name in SCORES:
        value = getattr(ss, name)(truth, pred)
        assert scores[name] == close(value) or math.isnan(value)


def test_scores_of_cuts_refuse_labels():
    song = LabelledSegmentation([4, 7], "ABA", n=10)
    for name in ("hausdorff", "pk", "boundary_similarity"):
        with pytest.raises(
            ValueError,
            match=f"{name} compares cuts, not labels; expected the .segmentation of the labelled segmentation",
        ):
            getattr(ss, name)(song, [5])
    assert ss.hausdorff(song.segmentation, [5]) == 2
    for call in (
        lambda: ss.match(song, [5], margin=1),
        lambda: ss.boundary_edits(song, [5]),
        lambda: ss.pk_curve(song, [5], k=[2]),
    ):
        with pytest.raises(ValueError, match="compares cuts, not labels"):
            call()
    linear = [name for name in SCORES if ss.METRICS[name].cost == "O(r+s)"]
    assert list(ss.compare(song, [5], margin=1)) == linear


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: LabelledSegmentation([3], "A", n=9), "labels has 1 items for 2 segments; expected one per segment"),
        (
            lambda: LabelledSegmentation([3], None, n=9),
            "labels is None; expected a sequence of labels, one per segment",
        ),
        (
            lambda: LabelledSegmentation([3], [[1], 2], n=9),
            "labels[0] = [1] is not hashable; expected a plain label",
        ),
        (
            lambda: LabelledSegmentation([3], [1.0, float("nan")], n=9),
            "labels[1] = nan is not equal to itself; expected labels that can be compared",
        ),
        (
            lambda: setattr(LabelledSegmentation([3], "AB", n=9), "n", 3),
            "a LabelledSegmentation cannot be changed; make a new one instead of setting n",
        ),
    ],
)
def test_bad_labels(make, message):
    with pytest.raises((ValueError, TypeError, AttributeError)) as raised:
        make()
    assert str(raised.value) == message


def test_many_pairs_of_labels():
    rng = np.random.default_rng(1)
    truth, pred = rng.integers(0, 300, 20_000), np.repeat(rng.integers(0, 200, 10_000), 2)
    table = np.zeros((300, 200), dtype=int)
    np.add.at(table, (truth, pred), 1)

    def together(sizes):
        return int((sizes * (sizes - 1) // 2).sum())

    both, in_truth, in_pred = together(table), together(table.sum(axis=1)), together(table.sum(axis=0))
    found = ss.pair_counts(LabelledSegmentation.from_labels(truth), LabelledSegmentation.from_labels(pred))
    assert found[:3] == (both, in_truth - both, in_pred - both)
