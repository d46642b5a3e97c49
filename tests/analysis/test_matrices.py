"""All pairs: each entry is the score itself, for any number of threads; neighbours are those of the whole matrix."""

import math
import re
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from times import DURATIONS, NEAR

import segscore as ss


def some(count, n=300, seed=1):
    rng = np.random.default_rng(seed)
    return [np.unique(rng.integers(1, n, rng.integers(0, 12))).tolist() for _ in range(count)]


@pytest.mark.parametrize("name", [name for name, metric in ss.METRICS.items() if not metric.only_tables])
def test_each_entry_is_the_score(name):
    metric = ss.METRICS[name]
    n, sides = 300, some(6)
    margin = {"margin": 5} if metric.needs_margin else {}
    wanted = np.array([[metric.function(a, b, n=n, **margin) for b in sides] for a in sides], dtype=float)
    found = ss.pairwise(sides, n=n, metric=name, **margin)
    assert np.array_equal(np.triu(found), np.triu(wanted), equal_nan=True)
    assert np.allclose(found, wanted, rtol=1e-12, equal_nan=True)  # the mirrored half of a symmetric score
    assert np.array_equal(ss.cross(sides[:2], sides[2:], n=n, metric=name, **margin), wanted[:2, 2:], equal_nan=True)


def test_any_number_of_threads_gives_the_same_bits():
    sides = some(60)
    one = ss.pairwise(sides, n=300, metric="mutual_information", threads=1)
    for threads in (2, 3, 7, 100, None):
        assert np.array_equal(ss.pairwise(sides, n=300, metric="mutual_information", threads=threads), one)


def test_more_threads_than_the_machine_gives():
    code = """
import numpy, resource, segscore as ss  # numpy starts threads of its own, which the limit would refuse
resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
resource.setrlimit(resource.RLIMIT_AS, (4 * 10**9, 4 * 10**9))
print(ss.cross([[k % 50 + 1] for k in range(3000)], [[3]], n=100, threads=10**30).shape)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert run.stdout == "(3000, 1)\n"


def test_the_length_of_any_segmentation_is_that_of_all():
    known = ss.Segmentation([3], n=10)
    assert ss.pairwise([[3], known])[0, 1] == 1.0
    assert ss.cross([[3]], [known])[0, 0] == 1.0
    assert ss.nearest([[3], [4]], [known]).indices.tolist() == [[0]]


def test_every_kind_of_input():
    n = 300
    sides = [ss.Segmentation([3, 8], n=n), [4, 8], np.array([5], dtype=np.int16), (), iter([7])]
    found = ss.pairwise(sides, n=None)
    assert found.shape == (5, 5)
    assert found[0, 1] == ss.rand_index([3, 8], [4, 8], n=n)
    assert found[3, 4] == ss.rand_index([], [7], n=n)
    assert ss.pairwise([], n=9).shape == (0, 0)
    assert ss.cross([], [[3]], n=9).shape == (0, 1)
    assert ss.cross([ss.Segmentation([3], n=9)], [[4]])[0, 0] == ss.rand_index([3], [4], n=9)


@given(st.data())
def test_neighbours_are_those_of_the_whole_row(data):
    n = data.draw(st.sampled_from([2, 12, 500, 2**62]))
    cuts = st.sets(st.integers(1, n - 1), max_size=6).map(sorted)
    sides = data.draw(st.lists(cuts, min_size=1, max_size=40))
    queries = data.draw(st.lists(cuts, min_size=1, max_size=20))
    k = data.draw(st.integers(1, 5))
    found = ss.nearest(sides, queries, k, n=n)
    for row, query in enumerate(queries):
        counts = [ss.pair_counts(side, query, n=n) for side in sides]
        order = sorted(range(len(sides)), key=lambda i: (counts[i].truth_only + counts[i].pred_only, i))[:k]
        assert found.indices[row].tolist() == order
        assert found.scores[row].tolist() == [ss.rand_distance(sides[i], query, n=n) for i in order]
    assert ss.nearest(sides, [ss.Segmentation(queries[0], n=n)], k).indices.tolist() == found.indices[:1].tolist()


@pytest.mark.parametrize("name", [name for name, metric in ss.METRICS.items() if not metric.only_tables])
def test_neighbours_by_any_metric(name):
    metric = ss.METRICS[name]
    n, sides = 300, [*some(13), [7], [7], []]
    queries = [sides[4], [], [7]]
    margin = {"margin": 5} if metric.needs_margin else {}
    found = ss.nearest(sides, queries, 4, n=n, metric=name, **margin)
    for row, query in enumerate(queries):
        # The query is the truth, as in the rows of cross. Scores that are nan come last, and ties go to the first.
        scores = [metric.function(query, side, n=n, **margin) for side in sides]
        sign = 1 if metric.best == 0 else -1
        order = sorted(range(len(sides)), key=lambda i: (math.isnan(scores[i]), sign * np.nan_to_num(scores[i]), i))[:4]
        assert found.indices[row].tolist() == order
        assert np.array_equal(found.scores[row], [scores[i] for i in order], equal_nan=True)
    assert found.evaluated <= len(sides) * len(queries)


def test_neighbours_by_a_metric_with_options():
    sides, query = [[3], [8], [5, 9]], [6]
    assert ss.nearest(sides, [query], n=10, metric="f1(margin=1)").indices.tolist() == [[2]]
    assert ss.nearest(sides, [query], n=10, metric="f1", margin=2).indices.tolist() == [[1]]
    with pytest.raises(TypeError, match=r"^f1 has no margin; expected margin= "):
        ss.nearest(sides, [query], n=10, metric="f1")


def test_most_need_not_be_looked_at():
    rng = np.random.default_rng(3)
    n = 10_000
    sides = [np.unique(rng.integers(1, n, rng.integers(1, 60))) for _ in range(2000)]
    query = np.unique(np.clip(sides[17] + rng.integers(-3, 4, sides[17].size), 1, n - 1))
    found = ss.nearest(sides, [query], n=n)
    assert found.indices.tolist() == [[17]]
    assert found.evaluated < 20
    # In clusters, which distances to pivots tell apart.
    centres = [np.unique(rng.integers(1, n, 12)) for _ in range(20)]
    sides, queries = (
        [np.unique(np.clip(centres[k % 20] + rng.integers(-40, 41), 1, n - 1)) for k in range(count)]
        for count in (1000, 64)
    )
    many = ss.nearest(sides, queries, 3, n=n)
    each = [ss.nearest(sides, [query], 3, n=n) for query in queries]
    assert many.indices.tolist() == [one.indices[0].tolist() for one in each]
    assert many.evaluated < 0.5 * sum(one.evaluated for one in each)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: ss.pairwise([[3], [10]], n=9), ValueError, r"segmentations\[1\]\[0\] = 10 is outside 0 < cut < n = 9"),
        (lambda: ss.cross([[3]], [[10]], n=9), ValueError, r"b\[0\]\[0\] = 10 is outside"),
        (lambda: ss.pairwise([[3], 4], n=9), TypeError, r"segmentations\[1\]"),
        (lambda: ss.pairwise(3, n=9), TypeError, "segmentations is 3; expected a sequence of segmentations"),
        (lambda: ss.pairwise([[3]], n=9, metric="rand"), ValueError, "did you mean 'rand_index'"),
        (lambda: ss.pairwise([[3]], n=9, metric="f1"), TypeError, "f1 has no margin; expected margin="),
        (lambda: ss.pairwise([[3]], n=9, threads=0), ValueError, "threads = 0 is out of range"),
        (lambda: ss.nearest([[3]], [[4]], k=0, n=9), ValueError, "k = 0 is out of range"),
        (lambda: ss.nearest([[3]], [[10]], n=9), ValueError, r"queries\[0\]\[0\] = 10 is outside"),
    ],
)
def test_what_is_wrong_is_said(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_a_long_matrix_can_be_stopped():
    code = """
import signal, segscore as ss
signal.signal(signal.SIGALRM, signal.default_int_handler)
sides = [range(1, 3000, 2 + k % 5) for k in range(2000)]
signal.setitimer(signal.ITIMER_REAL, 0.7)
try:
    ss.pairwise(sides, n=3000, metric="mutual_information")
except KeyboardInterrupt:
    print("stopped")
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert run.stdout == "stopped\n"


def test_nearest_has_one_shape():
    sides = [[3, 8], [4, 8], [5]]
    for queries, k, shape in (([[4]], 2, (1, 2)), ([[4], [5]], 1, (2, 1)), ([], 2, (0, 2)), ([[4]], 9, (1, 3))):
        found = ss.nearest(sides, queries, k, n=10)
        assert found.indices.shape == found.scores.shape == shape
    for one in ([4, 7], np.array([4, 7])):
        with pytest.raises(
            TypeError, match=r"queries is one segmentation; expected a sequence of segmentations \(use \[query\]\)"
        ):
            ss.nearest(sides, one, n=10)
    with pytest.raises(TypeError, match="expected a sequence of segmentations"):
        ss.nearest(sides, ss.Segmentation([4], n=10))


# ---- in time ----

IN_TIME = [name for name, metric in ss.METRICS.items() if metric.in_time and not metric.only_tables]


@pytest.mark.parametrize("name", IN_TIME)
def test_each_entry_in_time_is_the_score(name):
    metric = ss.METRICS[name]
    sides = [[c * 0.37 for c in side] for side in some(5)]
    margin = {"margin": 1.5} if metric.needs_margin else {}
    wanted = np.array([[metric.function(a, b, duration=111.0, **margin) for b in sides] for a in sides])
    found = ss.pairwise(sides, duration=111.0, metric=name, **margin)
    assert np.array_equal(np.triu(found), np.triu(wanted), equal_nan=True)
    assert np.allclose(found, wanted, rtol=1e-12, equal_nan=True)
    known = [ss.Segmentation(side, duration=111.0) for side in sides]
    assert np.array_equal(ss.cross(known[:2], sides[2:], metric=name, **margin), wanted[:2, 2:], equal_nan=True)


@given(st.data())
def test_neighbours_in_time_are_those_of_the_whole_row(data):
    duration = data.draw(DURATIONS)
    cuts = st.sets(NEAR | st.floats(1e-12, 1 - 1e-12), max_size=5).map(
        lambda side: sorted({c * duration for c in side})
    )
    sides = data.draw(st.lists(cuts, min_size=1, max_size=40))
    queries = data.draw(st.lists(cuts, min_size=1, max_size=20))
    k = data.draw(st.integers(1, 5))
    for metric in ("rand_distance", "rand_index", "hausdorff"):
        found = ss.nearest(sides, queries, k, duration=duration, metric=metric)
        scores = ss.cross(queries, sides, duration=duration, metric=metric)
        sign = 1 if ss.METRICS[metric].best == 0 else -1
        for row in range(len(queries)):
            assert found.scores[row].tolist() == (sign * np.sort(sign * scores[row]))[:k].tolist()
            assert found.scores[row].tolist() == scores[row][found.indices[row]].tolist()
            if metric != "rand_index":  # 1 - distance rounds, and makes ties
                order = sorted(range(len(sides)), key=lambda i: (scores[row][i], i))[:k]
                assert found.indices[row].tolist() == order


def test_most_neighbours_in_time_are_not_compared():
    rng = np.random.default_rng(2)
    sides = [np.sort(rng.uniform(0, 1, rng.integers(1, 9))) for _ in range(2000)]
    found = ss.nearest(sides, sides[:50], duration=1.0)
    assert found.indices[:, 0].tolist() == list(range(50))
    assert found.evaluated < 50 * 2000 / 4


def test_lengths_in_time():
    known = ss.Segmentation([3.5], duration=10)
    assert ss.pairwise([[3.5], known])[0, 1] == 1.0
    assert ss.nearest([[3.5], [4]], [known]).indices.tolist() == [[0]]
    for call, error, message in (
        (
            lambda: ss.pairwise([known], duration=9),
            ValueError,
            "segmentations[0] has duration = 10.0 but the others have duration = 9.0; expected one length",
        ),
        (
            lambda: ss.cross([known], [ss.Segmentation([3], n=10)]),
            TypeError,
            "b[0] is a Segmentation in points; in time expected a sequence of times, or Segmentation(..., duration=)",
        ),
        (
            lambda: ss.pairwise([[3]], n=9, duration=9),
            TypeError,
            "n= and duration= exclude each other; expected one of them",
        ),
        (
            lambda: ss.pairwise([[9.5]], duration=9),
            ValueError,
            "segmentations[0][0] = 9.5 is outside 0 < cut < duration = 9.0",
        ),
        (
            lambda: ss.pairwise([[3.5]], duration=9, metric="boundary_similarity"),
            ValueError,
            "boundary_similarity counts points; expected n=, not duration= (count whole units such as milliseconds, or "
            "use f1 with margin=)",
        ),
    ):
        with pytest.raises(error, match=f"^{re.escape(message)}$"):
            call()


@pytest.mark.parametrize("unit", ["n", "duration"])
@pytest.mark.parametrize("threads", [1, 3])
def test_labelled_segmentations(unit, threads):
    rng = np.random.default_rng(4)

    def side(labelled):
        cuts = np.unique(rng.integers(1, 40, rng.integers(0, 6))).tolist()
        labels = rng.choice(list("ABC"), len(cuts) + 1).tolist() if labelled else None
        return ss.Segmentation(cuts, labels, **{unit: 40})

    sides, others = [side(k % 4 != 3) for k in range(9)], [side(False) for _ in range(4)]
    for metric in ("rand_index", "rand_distance", "covering", "v_measure"):
        score = getattr(ss, metric)
        for rows, columns in ((sides, others), (others, sides)):
            found = ss.cross(rows, columns, metric=metric, threads=threads)
            assert found.tolist() == [[score(a, b) for b in columns] for a in rows]
        found = ss.pairwise(sides, metric=metric, threads=threads)
        assert found.tolist() == [
            [pytest.approx(score(a, b), rel=1e-14) if score(a, b) != score(b, a) else score(a, b) for b in sides]
            for a in sides
        ]
        near = ss.nearest(sides, others, k=3, metric=metric, threads=threads)
        best = {"rand_distance": 1}.get(metric, -1)
        for row, query in enumerate(others):
            order = sorted(range(len(sides)), key=lambda k: (best * score(query, sides[k]), k))[:3]
            assert near.indices[row].tolist() == order
            assert near.scores[row].tolist() == [score(query, sides[k]) for k in order]
        assert near.evaluated == len(sides) * len(others)
    assert ss.cross([], sides).shape == (0, 9)
    plain = [each.without_labels() for each in sides]
    assert ss.pairwise(plain).tolist() != ss.pairwise(sides).tolist()
