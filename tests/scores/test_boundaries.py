"""The boundary family: the matching is maximum, the distances are those of the definition, the margin has one rule."""

import math
import statistics

import numpy as np
import oracle
import pytest
from hypothesis import given
from hypothesis import strategies as st

import segscore as ss

close = pytest.approx


@pytest.mark.slow
@pytest.mark.parametrize("n", range(0, 8))
def test_the_matching_is_the_closest_maximum_matching(n):
    for margin in range(n + 1):
        for truth in oracle.segmentations(n):
            for pred in oracle.segmentations(n):
                best = oracle.closest_matchings(truth, pred, margin)
                found = ss.match(truth, pred, n=n, margin=margin)
                assert tuple(found.pairs) in best
                # Ties go to the left, on both sides at once.
                for side in (0, 1):
                    assert all(
                        ours[side] <= theirs[side]
                        for other in best
                        for ours, theirs in zip(found.pairs, other, strict=True)
                    )
                assert sorted([t for t, _ in found.pairs] + found.misses) == list(truth)
                assert sorted([p for _, p in found.pairs] + found.false_alarms) == list(pred)
                assert found.errors == [p - t for t, p in found.pairs]
                if truth and pred:
                    count = len(found.pairs)
                    assert ss.precision(truth, pred, n=n, margin=margin) == count / len(pred)
                    assert ss.recall(truth, pred, n=n, margin=margin) == count / len(truth)
                    assert ss.f1(truth, pred, n=n, margin=margin) == close(2 * count / (len(truth) + len(pred)))
                    beta = ss.f1(truth, pred, n=n, margin=margin, beta=2)
                    assert beta == close(5 * count / (4 * len(truth) + len(pred)))


@given(st.data())
def test_the_closest_matching_of_longer_ones(data):
    n = data.draw(st.integers(10, 200))
    cuts = st.sets(st.integers(1, n - 1), max_size=30).map(sorted)
    truth, pred, margin = data.draw(cuts), data.draw(cuts), data.draw(st.integers(0, 30))
    best = oracle.closest_matching(truth, pred, margin)
    found = ss.match(truth, pred, n=n, margin=margin)
    assert (len(found.pairs), sum(map(abs, found.errors))) == best
    # Eighths are exact as real numbers, so time has the same pairs.
    in_time = ss.match([t / 8 for t in truth], [p / 8 for p in pred], duration=n / 8, margin=margin / 8)
    assert [(t * 8, p * 8) for t, p in in_time.pairs] == found.pairs


def test_an_exact_hit_is_no_false_alarm():
    assert ss.match([30], [24, 26, 30], n=100, margin=5) == ([(30, 30)], [], [24, 26], [0])
    assert ss.match([24, 26, 30], [30], n=100, margin=5) == ([(30, 30)], [24, 26], [], [0])
    # The first of the two predictions matches the farther of two true cuts, so that both predictions are matched.
    assert ss.match([10, 11], [12, 13], n=100, margin=2).pairs == [(10, 12), (11, 13)]
    # As many cuts as possible are matched, even where an exact hit has to be given up.
    assert ss.match([30, 35], [25, 30], n=100, margin=5).pairs == [(30, 25), (35, 30)]
    assert ss.match([10], [8, 12], n=100, margin=5).pairs == [(10, 8)]


@pytest.mark.parametrize("n", range(1, 8))
def test_the_distances_are_those_of_the_definition(n):
    for truth in oracle.segmentations(n):
        for pred in oracle.segmentations(n):
            values = [
                f(truth, pred, n=n) for f in (ss.hausdorff, ss.directed_hausdorff, ss.mean_error, ss.median_error)
            ]
            assert ss.count_error(truth, pred, n=n) == abs(len(truth) - len(pred))
            if not truth and not pred:
                assert values == [0, 0, 0, 0]
            elif not truth or not pred:
                assert values[:2] == [math.inf, math.inf]
                assert all(math.isnan(value) for value in values[2:])
            else:
                there, back = oracle.nearest(truth, pred), oracle.nearest(pred, truth)
                assert values == [max(there + back), max(there), close(statistics.mean(back)), statistics.median(back)]


def test_long_chains_and_large_errors():
    truth, pred = list(range(2, 40_000, 2)), list(range(3, 40_000, 2))
    found = ss.match(truth, pred, n=40_001, margin=1)
    assert len(found.pairs) == len(truth) == len(found.errors)
    assert ss.generalized_hamming(truth, pred, n=40_001) == len(truth)
    s = (2**63 - 1) // 41
    found = ss.match([3 * s, 11 * s], [15 * s, 28 * s, 33 * s, 35 * s], n=2**63 - 1, margin=2**63 - 1)
    assert sum(map(abs, found.errors)) == 29 * s
    assert ss.match([1], [2**53 + 2], n=2**60, margin=2**53 + 1).pairs == [(1, 2**53 + 2)]
    assert ss.match([1], [2**53 + 2], n=2**60, margin=2**53).pairs == []


def test_weights_of_recall():
    assert ss.f1([3], [], n=10, margin=1, beta=0) == 0
    assert ss.f1([3, 8], [4], n=10, margin=1, beta=0) == ss.precision([3, 8], [4], n=10, margin=1) == 1
    assert ss.f1([3, 8], [4], n=10, margin=1, beta=1e200) == ss.recall([3, 8], [4], n=10, margin=1) == 0.5


TABLE = [  # the ten inputs on which eight libraries disagree; n = 100, margin 5
    ([10], [15], 1),
    ([10], [5], 1),
    ([10, 12], [9, 11], 1),
    ([10, 14], [13, 16], 1),
    ([10, 14], [6, 13], 1),
    ([50], [48, 50, 52], 0.5),
    ([48, 50, 52], [50], 0.5),
    ([], [], 1),
    ([], [50], 0),
    ([50], [], 0),
]


@pytest.mark.parametrize(("truth", "pred", "value"), TABLE)
def test_the_rule_of_the_margin(truth, pred, value):
    assert ss.f1(truth, pred, n=100, margin=5) == value
    assert ss.f1(truth, pred, n=100, relative_margin=0.059) == value
    assert ss.f1([c / 10 for c in truth], [c / 10 for c in pred], duration=10, margin=0.5) == close(value)


def test_margins():
    assert ss.f1([10], [11], n=100, margin=0) == 0
    assert ss.f1([10], [10], n=100, margin=0) == 1
    assert ss.f1([10], [99], n=100, margin=10**30) == 1
    assert ss.f1([10], [99], n=100, margin=math.inf) == 1
    for f in (ss.f1, ss.precision, ss.recall, ss.match):
        with pytest.raises(TypeError) as raised:
            f([3], [4], n=10)
        assert (
            str(raised.value)
            == f"{f.__name__} has no margin; expected margin= (0 for the same cut) or relative_margin="
        )
        with pytest.raises(ValueError, match=r"margin = -1.0 is negative or not a number; expected 0 or more"):
            f([3], [4], n=10, margin=-1)
        with pytest.raises(ValueError, match=r"relative_margin = nan is negative or not a number; expected 0 or more"):
            f([3], [4], n=10, relative_margin=math.nan)
        with pytest.raises(TypeError, match="margin = 'a' is a str; expected a number"):
            f([3], [4], n=10, margin="a")
        with pytest.raises(TypeError, match="margin= and relative_margin= exclude each other; expected one of them"):
            f([3], [4], n=10, margin=1, relative_margin=0.1)


def test_equal_to_ruptures():
    metrics = pytest.importorskip("ruptures.metrics")
    for truth in oracle.segmentations(7)[1:]:
        for pred in oracle.segmentations(7)[1:]:
            theirs = [*truth, 7], [*pred, 7]
            assert ss.hausdorff(truth, pred, n=7) == metrics.hausdorff(*theirs)
            assert ss.mean_error(truth, pred, n=7) == close(metrics.meantime(*theirs))


@given(st.data())
def test_equal_to_mir_eval(data):
    segment = pytest.importorskip("mir_eval.segment")
    np = pytest.importorskip("numpy")
    cuts = st.sets(st.integers(1, 99), min_size=1, max_size=12).map(sorted)
    truth, pred, margin = data.draw(cuts), data.draw(cuts), data.draw(st.integers(1, 9))
    intervals = [np.array(ss.Segmentation(c, n=100).to_intervals(), dtype=float) for c in (truth, pred)]
    theirs = segment.detection(*intervals, window=margin, trim=True)
    ours = [f(truth, pred, n=100, margin=margin) for f in (ss.precision, ss.recall, ss.f1)]
    assert ours == close(list(theirs))
    back, there = segment.deviation(*intervals, trim=True)
    assert (ss.median_error(pred, truth, n=100), ss.median_error(truth, pred, n=100)) == close((back, there))


@given(st.data())
def test_distances_in_time_are_those_of_the_definition_exactly(data):
    times = st.floats(0.01, 0.99) | st.integers(1, 99).map(lambda k: k / 100)
    a, b = (sorted(data.draw(st.sets(times, min_size=1, max_size=12))) for _ in range(2))
    there = max(min(abs(x - y) for y in b) for x in a)
    back = max(min(abs(x - y) for y in a) for x in b)
    assert ss.directed_hausdorff(a, b, duration=1.0) == there
    assert ss.directed_hausdorff(b, a, duration=1.0) == back
    assert ss.hausdorff(a, b, duration=1.0) == ss.hausdorff(b, a, duration=1.0) == max(there, back)


@given(st.data())
def test_distances_of_long_lists_are_those_of_the_definition(data):
    rng = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    n = data.draw(st.sampled_from([2000, 10**6]))
    a = np.unique(rng.integers(1, n, data.draw(st.integers(1, 400))))
    kind = data.draw(st.sampled_from(["other", "near", "same", "part"]))
    b = {
        "other": lambda: np.unique(rng.integers(1, n, data.draw(st.integers(1, 400)))),
        "near": lambda: np.unique(np.clip(a + rng.integers(-3, 4, a.size), 1, n - 1)),
        "same": lambda: a,
        "part": lambda: a[rng.random(a.size) < 0.7],
    }[kind]()
    if b.size == 0:
        return
    distances = np.abs(a[:, None] - b[None, :])
    there, back = distances.min(axis=1).max(), distances.min(axis=0).max()
    assert ss.directed_hausdorff(a, b, n=n) == there
    assert ss.directed_hausdorff(b, a, n=n) == back
    assert ss.hausdorff(a, b, n=n) == max(there, back)


def test_weights_and_margins_at_their_ends():
    for beta in (1e153, 1e154, 1e155, 1e300, math.inf):
        assert ss.f1([1, 5], [2], n=10, margin=1, beta=beta) == 0.5
    far = 2**60 + 1
    for margin in (far, np.int64(far), np.uint64(far), 10**400, math.inf):
        assert ss.f1([1], [far + 1], n=2**62, margin=margin) == 1.0
    for margin in (far - 1, np.int64(far - 1)):
        assert ss.f1([1], [far + 1], n=2**62, margin=margin) == 0.0


@pytest.mark.slow
def test_the_median_error_of_more_cuts_than_are_kept():
    rng = np.random.default_rng(0)
    for count in (2**20 + 5, 2**20 + 6):  # odd and even
        truth = np.sort(rng.choice(2**40, 1000, replace=False) + 1)
        pred = np.unique(rng.integers(1, 2**40, 2 * count))[:count]
        right = np.searchsorted(truth, pred).clip(1, truth.size - 1)
        apart = np.minimum(np.abs(pred - truth[right - 1]), np.abs(pred - truth[right]))
        assert ss.median_error(truth, pred, n=2**40 + 9) == np.median(apart)
        assert ss.median_error(truth * 0.5, pred * 0.5, duration=2.0**41) == np.median(apart) / 2


@pytest.mark.slow
def test_the_closest_matching_of_many_cuts_within_a_wide_margin():
    # All pairs are within the margin. Without a margin, the cheapest ten cuts to leave over are known by exchange: no
    # single exchange of a matched cut and a false alarm makes the sum smaller.
    rng = np.random.default_rng(8)
    truth, pred = (np.sort(rng.choice(10**7, size, replace=False)) + 1 for size in (30_000, 30_010))
    found = ss.match(truth, pred, n=2 * 10**7, margin=10**7)
    assert len(found.pairs) == 30_000
    assert len(found.false_alarms) == 10
    least = sum(map(abs, found.errors))
    chosen = np.array([p for _, p in found.pairs])
    for alarm in found.false_alarms:
        for k in rng.choice(30_000, 200, replace=False):
            other = np.sort(np.append(np.delete(chosen, k), alarm))
            assert np.abs(other - truth).sum() >= least


# Far from 0, neighbouring cuts are equal as 32-bit reals in time, and as 64-bit reals in points.
TRUTH, PRED = [5, 20, 41, 60], [6, 20, 22, 44, 61]
FAR = {
    "points": (lambda cut: 2**63 - 100 + cut, 1, {"n": 2**63 - 1}, {"n": 99}),
    "time": (lambda cut: 1e9 + cut / 8, 8, {"duration": 2e9}, {"duration": 99 / 8}),
}


@pytest.mark.parametrize("unit", FAR)
@pytest.mark.parametrize("margin", [0, 1, 2, 3])
def test_cuts_far_from_zero_are_matched_as_cuts_near_zero(unit, margin):
    place, scale, far, _ = FAR[unit]
    truth, pred = map(place, TRUTH), map(place, PRED)
    found = ss.match(truth, pred, margin=margin / scale, **far)
    wanted = ss.match(TRUTH, PRED, n=99, margin=margin)
    assert found.pairs == [(place(t), place(p)) for t, p in wanted.pairs]
    assert found.misses == [place(cut) for cut in wanted.misses]
    assert found.false_alarms == [place(cut) for cut in wanted.false_alarms]
    assert found.errors == [error / scale for error in wanted.errors]


@pytest.mark.parametrize("unit", FAR)
@pytest.mark.parametrize(
    "name", [name for name, metric in ss.METRICS.items() if metric.family in ("boundaries", "curves")]
)
def test_scores_far_from_zero_are_those_near_zero(name, unit):
    place, scale, far, near = FAR[unit]
    for margin in (0, 1, 2, 3):
        given = {"margin": margin / scale} if ss.METRICS[name].needs_margin else {}
        sides = [[place(cut) for cut in cuts] for cuts in (TRUTH, PRED)]
        close_by = [[cut / scale if scale > 1 else cut for cut in cuts] for cuts in (TRUTH, PRED)]
        assert getattr(ss, name)(*sides, **far, **given) == getattr(ss, name)(*close_by, **near, **given)
