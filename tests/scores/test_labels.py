"""Labels that recur: clusters, by their definition and beside scikit-learn."""

import copy
import math
import pickle
from bisect import bisect
from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import oracle
import pytest
from hypothesis import given
from hypothesis import strategies as st

import segscore as ss
from segscore import Segmentation


def test_the_example_of_the_spec():
    song = Segmentation([4, 7], "ABA", n=10)
    assert ss.pair_counts(song, [5], n=10) == (10, 14, 10, 11)
    assert song.labels == ("A", "B", "A")
    assert song.without_labels() == ss.Segmentation([4, 7], n=10)
    assert (song.cuts, song.segments, len(song)) == ([4, 7], [(0, 4), (4, 7), (7, 10)], 3)
    assert repr(song) == "Segmentation([4, 7], ['A', 'B', 'A'], n=10)"
    assert (
        pickle.loads(pickle.dumps(song)) == copy.deepcopy(song) == song == Segmentation([4, 7, 10], list("ABA"), n=10)
    )
    assert hash(song) == hash(Segmentation.from_labels("AAAABBBAAA", keep=True))
    assert song != Segmentation([4, 7], "ABC", n=10)
    assert song != song.without_labels()


FAMILIES = ("pairs", "information", "overlap")
SCORES = [name for name, metric in ss.METRICS.items() if metric.family in FAMILIES]


@pytest.mark.parametrize("n", range(1, 6))
def test_pairs_equal_to_the_definition(n):
    for a, b in product(product(range(3), repeat=n), repeat=2):
        truth, pred = Segmentation.from_labels(a, keep=True), Segmentation.from_labels(b, keep=True)
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
    labelled = [Segmentation(side, range(len(side))) for side in sides]
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
    truth, pred = Segmentation.from_labels(a, keep=True), Segmentation.from_labels(np.array(b), keep=True)
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


@pytest.mark.parametrize(("left", "right"), [("ABA", None), (None, "AB"), ("ABA", "BB")])
def test_scores_of_cuts_ignore_labels_in_every_call(left, right):
    song, other = Segmentation([4, 7], left, n=10), Segmentation([5], right, n=10)
    plain = song.without_labels(), other.without_labels()
    for name, metric in ss.METRICS.items():
        if metric.takes_labels or metric.only_tables:
            continue
        margin = {"margin": 1} if metric.needs_margin else {}
        value = pytest.approx(metric.function(*plain, **margin), nan_ok=True)
        assert metric.function(song, other, **margin) == value
        assert ss.compare(song, other, metrics=[name], **margin)[name] == value
        assert ss.cross([song], [other], metric=name, **margin).item() == value
    for call in (
        lambda truth, pred: ss.match(truth, pred, margin=1),
        lambda truth, pred: ss.boundary_edits(truth, pred),
        lambda truth, pred: ss.pk_curve(truth, pred, k=[2]),
        lambda truth, pred: ss.online(truth, pred, max_delay=2),
        lambda truth, pred: ss.f1_curve(truth, pred),
        lambda truth, pred: ss.precision_recall_curve(truth, pred, confidence=[0.5], margin=1),
        lambda truth, pred: ss.annotated({"a": truth, "b": [4]}, pred, margin=1).f1,
        lambda truth, pred: ss.label_error([(0, 5, "1change")], pred),
    ):
        assert call(song, other) == call(*plain)


def test_what_explains_clusters_from_cuts_refuses_labels():
    song = Segmentation([4, 7], "ABA", n=10)
    for name, call in (("explain", ss.explain), ("chance", ss.rand_test), ("disagreements", ss.disagreements)):
        with pytest.raises(
            ValueError,
            match=rf"^{name} compares cuts, not labels; expected segmentations without labels "
            r"\(use .without_labels\(\), or a score of the pair, information or overlap family for the labels\)$",
        ):
            call(song, [5])


@pytest.mark.parametrize("unit", ["n", "duration"])
def test_compare_scores_clusters_where_a_metric_takes_labels_and_cuts_elsewhere(unit):
    song, length = Segmentation([4, 7], "ABA", **{unit: 10}), {unit: 10}
    plain = ss.compare([4, 7], [5], margin=1, **length)
    found = ss.compare(song, [5], margin=1)
    assert list(found) == list(plain)
    for name, value in found.items():
        metric = ss.METRICS[name.partition("(")[0]]
        taken = metric.takes_labels
        margin = {"margin": 1} if metric.needs_margin else {}
        assert value == metric.function(song if taken else song.without_labels(), [5], **margin)
        assert value == plain[name] or taken
    assert found["rand_index"] != plain["rand_index"]
    chosen = ["f1", "rand_index", *(["order_adjusted_rand_index"] if unit == "n" else [])]
    named = ss.compare(song, song, metrics=chosen, margin=1)
    assert named.to_dict() == dict.fromkeys(["f1(margin=1)", *chosen[1:]], 1.0)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Segmentation([3], "A", n=9), "labels has 1 item for 2 segments; expected one per segment"),
        (
            lambda: Segmentation([3], 7, n=9),
            "labels is 7; expected a sequence of labels, one per segment",
        ),
        (
            lambda: Segmentation([3], {"A": 1}, n=9),
            "labels is {'A': 1}; expected a sequence of labels, one per segment",
        ),
        (lambda: Segmentation.from_labels("AB", keep=1), "keep = 1 is an int; expected True or False"),
        (
            lambda: Segmentation([3], [[1], 2], n=9),
            "labels[0] = [1] is not hashable; expected a plain label",
        ),
        (
            lambda: Segmentation([3], [1.0, float("nan")], n=9),
            "labels[1] = nan is not equal to itself; expected labels that can be compared",
        ),
        (
            lambda: setattr(Segmentation([3], "AB", n=9), "n", 3),
            "a Segmentation cannot be changed; make a new one instead of setting n",
        ),
    ],
)
def test_bad_labels(make, message):
    with pytest.raises((ValueError, TypeError, AttributeError)) as raised:
        make()
    assert str(raised.value) == message


IN_TIME = [name for name in SCORES if ss.METRICS[name].in_time]


def by_fractions(truth, pred):
    """The four areas of pairs of moments, from the exact sizes of the clusters."""
    table, duration = {}, Fraction(truth.duration)
    ends = sorted({*truth.to_ends().tolist(), *pred.to_ends().tolist()})
    for start, end in pairwise([0.0, *ends]):
        key = tuple(side.labels[bisect(side.cuts, start)] for side in (truth, pred))
        table[key] = table.get(key, 0) + Fraction(end) - Fraction(start)

    def together(parts):
        sizes = {}
        for key, size in table.items():
            sizes[parts(key)] = sizes.get(parts(key), 0) + size
        return sum(size * size for size in sizes.values()) / 2

    both, in_truth, in_pred = together(lambda key: key), together(lambda key: key[0]), together(lambda key: key[1])
    return both, in_truth - both, in_pred - both, duration * duration / 2 - in_truth - in_pred + both


def labelled(times, labels, duration):
    return Segmentation(times, [labels[k % len(labels)] for k in range(len(times) + 1)], duration=duration)


@pytest.mark.parametrize("n", range(1, 5))
def test_pairs_in_time_equal_to_the_definition(n):
    for a, b in product(product(range(2), repeat=n), product(range(3), repeat=n)):
        points = [Segmentation.from_labels(side, keep=True) for side in (a, b)]
        truth, pred = (Segmentation([cut / 8 for cut in side.cuts], side.labels, duration=n / 8) for side in points)
        expected = by_fractions(truth, pred)
        assert ss.pair_counts(truth, pred) == tuple(map(float, expected))
        assert ss.rand_index(truth, pred) == pytest.approx(
            float((expected[0] + expected[3]) / sum(expected)), abs=1e-15
        )
        for name in IN_TIME:
            # Sizes are shares of the length, in points and in time; only chance depends on the number of points.
            if ss.METRICS[name].family != "pairs" and name != "adjusted_mutual_information":
                assert getattr(ss, name)(truth, pred) == pytest.approx(getattr(ss, name)(*points), abs=1e-15), name


TIMES = st.sets(st.floats(1e-9, 1 - 1e-9), max_size=30).map(sorted)
LABELS = st.lists(st.integers(0, 3), min_size=1, max_size=31)


# The sizes of clusters have twice the precision of a double, so small areas are not differences of large ones.
@given(TIMES, LABELS, TIMES, LABELS, st.sampled_from([1.0, 3e-50, 7e50]))
def test_areas_in_time_are_exact_to_the_last_digits(truth, truth_labels, pred, pred_labels, scale):
    truth, pred = (
        labelled(sorted({t * scale for t in side} - {0.0, scale}), labels, scale)
        for side, labels in ((truth, truth_labels), (pred, pred_labels))
    )
    for found, expected in zip(ss.pair_counts(truth, pred), by_fractions(truth, pred), strict=True):
        assert abs(Fraction(found) - expected) <= Fraction(1, 10**15) * expected
    for name in IN_TIME:
        metric = ss.METRICS[name]
        assert metric.low <= getattr(ss, name)(truth, pred) <= metric.high * (1 + 1e-15)


@given(truth=TIMES, pred=TIMES, labels=LABELS)
def test_laws_in_time(truth, pred, labels):
    own = [Segmentation(side, range(len(side) + 1), duration=1) for side in (truth, pred)]
    plain = [side.without_labels() for side in own]
    song, one = labelled(truth, labels, 1.0), Segmentation(truth, ["A"] * (len(truth) + 1), duration=1)
    whole = Segmentation([], duration=1)
    assert ss.entropies(one, song).truth == 0
    for name in IN_TIME:
        score, best = getattr(ss, name), ss.METRICS[name].best
        expected = pytest.approx(score(*plain), rel=1e-13, abs=1e-13)
        assert score(*own) == score(own[0], plain[1]) == score(plain[0], own[1]) == expected
        assert score(own[0], pred) == score(own[0], iter(pred), duration=1) == expected
        assert score(one, song) == pytest.approx(score(whole, song), rel=1e-13, abs=1e-13)
        if math.isfinite(best):
            assert score(song, song) == pytest.approx(best, abs=1e-15)


def test_many_pairs_of_labels():
    rng = np.random.default_rng(1)
    truth, pred = rng.integers(0, 300, 20_000), np.repeat(rng.integers(0, 200, 10_000), 2)
    table = np.zeros((300, 200), dtype=int)
    np.add.at(table, (truth, pred), 1)

    def together(sizes):
        return int((sizes * (sizes - 1) // 2).sum())

    both, in_truth, in_pred = together(table), together(table.sum(axis=1)), together(table.sum(axis=0))
    found = ss.pair_counts(Segmentation.from_labels(truth, keep=True), Segmentation.from_labels(pred, keep=True))
    assert found[:3] == (both, in_truth - both, in_pred - both)
