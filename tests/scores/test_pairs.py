"""The pair family: values by hand, equality with the slow definitions and with the peers, and the laws."""

import math
import random
from decimal import Decimal, localcontext
from fractions import Fraction
from math import comb, nan

import numpy as np
import oracle
import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import segscore as ss
from segscore.scores import pairs

# (best, (low, high), symmetric) of each score of the family, as the catalog says: the tests say whether that is true.
LAWS = {
    name: (metric.best, (metric.low, metric.high), metric.symmetric)
    for name, metric in ss.METRICS.items()
    if metric.family == "pairs"
}


def score(name):
    return getattr(ss, name)


SCORES = pytest.mark.parametrize("name", LAWS)
OTHERWISE = {  # compared in other ways than as a quotient of the four counts
    *("mirkin_distance", "normalized_mirkin_distance", "fowlkes_mallows_index", "modified_adjusted_rand_index"),
}
BY_COUNTS = [name for name in LAWS if name not in OTHERWISE]


def test_every_score_of_the_family_is_under_law():
    assert {*LAWS, "pair_counts", "PairCounts"} == set(pairs.__all__)
    assert set(pairs.__all__) <= set(ss.__all__)


def rounded(fraction):
    """The nearest double of a Fraction (or nan)."""
    return fraction if fraction is nan else fraction.numerator / fraction.denominator


def same(value, expected):
    return value == expected or (math.isnan(value) and math.isnan(expected))


def nearest_square_root(square):
    """The double nearest to the square root of a Fraction."""
    with localcontext() as context:
        context.prec = 120
        return float((Decimal(square.numerator) / Decimal(square.denominator)).sqrt())


# ---- by hand ----


@pytest.mark.parametrize(
    ("name", "value"),
    {
        "rand_index": Fraction(38, 45),
        "rand_distance": Fraction(7, 45),
        "mirkin_distance": Fraction(14),
        "normalized_mirkin_distance": Fraction(7, 50),
        "pair_precision": Fraction(10, 13),
        "pair_recall": Fraction(10, 14),
        "pair_f1": Fraction(20, 27),
        "adapted_rand_error": Fraction(7, 27),
        "blanc": Fraction(22, 27),
        "jaccard_index": Fraction(10, 17),
        "adjusted_rand_index": Fraction(536, 851),
        "modified_adjusted_rand_index": Fraction(12, 19),
    }.items(),
)
def test_the_running_example(name, value):
    assert score(name)([3, 8], [4, 8], n=10) == rounded(value)


def test_the_running_example_in_counts():
    counts = ss.pair_counts([3, 8], [4, 8], n=10)
    assert counts == (10, 4, 3, 28)
    assert counts.both == 10
    assert counts.truth_only == 4
    assert repr(counts) == "PairCounts(both=10, truth_only=4, pred_only=3, neither=28)"
    assert ss.fowlkes_mallows_index([3, 8], [4, 8], n=10) == nearest_square_root(Fraction(100, 14 * 13))


@pytest.mark.parametrize(("truth", "pred", "value"), [([5], [3], 0.286624), ([2, 5], [4], 0.293194)])
def test_the_modified_index_of_the_spec(truth, pred, value):
    n = 10 if truth == [5] else 8
    assert ss.modified_adjusted_rand_index(truth, pred, n=n) == pytest.approx(value, abs=5e-7)


ALL = list(range(1, 6))
DEGENERATE = {  # truth, pred, n: rand, f1, precision, recall, jaccard, fowlkes-mallows, adjusted
    "no points": ([], [], 0, [1, 1, 1, 1, 1, 1, 1]),
    "one point": ([], [], 1, [1, 1, 1, 1, 1, 1, 1]),
    "two points, together": ([], [], 2, [1, 1, 1, 1, 1, 1, 1]),
    "two points, apart": ([1], [1], 2, [1, 1, 1, 1, 1, 1, 1]),
    "two points, differing": ([], [1], 2, [0, 0, 0, 0, 0, 0, 0]),
    "one segment": ([], [], 6, [1, 1, 1, 1, 1, 1, 1]),
    "every point apart": (ALL, ALL, 6, [1, 1, 1, 1, 1, 1, 1]),
    "one segment, cut everywhere": ([], ALL, 6, [0, 0, 0, 0, 0, 0, 0]),
    "every point apart, never cut": (ALL, [], 6, [0, 0, 0, 0, 0, 0, 0]),
}


@pytest.mark.parametrize("case", DEGENERATE)
def test_degenerate_input_has_its_value(case):
    truth, pred, n, values = DEGENERATE[case]
    names = ["rand_index", "pair_f1", "pair_precision", "pair_recall", "jaccard_index", "fowlkes_mallows_index"]
    assert [score(name)(truth, pred, n=n) for name in [*names, "adjusted_rand_index"]] == values
    assert ss.rand_distance(truth, pred, n=n) == 1 - values[0]


@pytest.mark.parametrize("n", range(4))
def test_the_modified_index_needs_four_points(n):
    assert math.isnan(ss.modified_adjusted_rand_index([], [], n=n))


def test_the_modified_index_of_nothing_together_is_undefined():
    assert math.isnan(ss.modified_adjusted_rand_index(ALL, ALL, n=6))
    assert ss.modified_adjusted_rand_index([], [], n=6) == 1.0


# ---- the slow definitions ----


@pytest.mark.parametrize("n", range(0, 9))
def test_equal_to_the_definitions_on_every_pair_of_segmentations(n):
    for truth in oracle.segmentations(n):
        for pred in oracle.segmentations(n):
            counts = ss.pair_counts(truth, pred, n=n)
            assert counts == oracle.pair_counts(truth, pred, n) == oracle.pair_counts_by_squares(truth, pred, n)
            for name in BY_COUNTS:
                assert score(name)(truth, pred, n=n) == rounded(getattr(oracle, name)(*counts)), (name, truth, pred)
            assert ss.mirkin_distance(truth, pred, n=n) == oracle.mirkin_distance(*counts)
            squared = oracle.fowlkes_mallows_index_squared(*counts)
            assert ss.fowlkes_mallows_index(truth, pred, n=n) == nearest_square_root(squared)


@pytest.mark.parametrize("n", range(0, 7))
def test_modified_index_equal_to_its_definition_on_every_pair_of_segmentations(n):
    for truth in oracle.segmentations(n):
        for pred in oracle.segmentations(n):
            exact = oracle.modified_adjusted_rand_index(truth, pred, n)
            assert same(ss.modified_adjusted_rand_index(truth, pred, n=n), rounded(exact)), (truth, pred)
            assert exact == oracle.modified_adjusted_rand_index_by_sums(truth, pred, n) or exact is nan


LIMITS = [2, 10, 1000, 2**27, 2**27 + 1, 2**31, 2**32 - 1, 2**32, 2**32 + 1, 3 * 10**9, 2**53, 10**18, 2**63 - 1]


@st.composite
def large_case(draw):
    n = draw(st.sampled_from(LIMITS) | st.integers(2, 2**63 - 1))
    cuts = st.sets(st.integers(1, n - 1), max_size=min(n - 1, 12)).map(sorted)
    return draw(cuts), draw(cuts), n


@given(large_case())
def test_correctly_rounded_at_any_n(case):
    truth, pred, n = case
    counts = ss.pair_counts(truth, pred, n=n)
    assert counts == oracle.pair_counts_by_squares(truth, pred, n)
    assert all(type(count) is int for count in counts)
    for name in BY_COUNTS:
        assert score(name)(truth, pred, n=n) == rounded(getattr(oracle, name)(*counts)), name
    assert ss.mirkin_distance(truth, pred, n=n) == 2 * (counts.truth_only + counts.pred_only)
    normalized = Fraction(2 * (counts.truth_only + counts.pred_only), n**2)
    assert ss.normalized_mirkin_distance(truth, pred, n=n) == rounded(normalized)
    squared = oracle.fowlkes_mallows_index_squared(*counts)
    assert ss.fowlkes_mallows_index(truth, pred, n=n) == nearest_square_root(squared)
    modified = oracle.modified_adjusted_rand_index_by_sums(truth, pred, n)
    assert same(ss.modified_adjusted_rand_index(truth, pred, n=n), rounded(modified))


def test_correctly_rounded_where_1_minus_the_distance_is_not():
    generator = random.Random(20)
    differs = 0
    for _ in range(2000):
        n = generator.randrange(2, 10**6)
        truth, pred = ([generator.randrange(1, n)] for _ in range(2))
        counts = ss.pair_counts(truth, pred, n=n)
        assert ss.rand_index(truth, pred, n=n) == rounded(oracle.rand_index(*counts))
        differs += ss.rand_index(truth, pred, n=n) != 1 - ss.rand_distance(truth, pred, n=n)
    assert differs > 100


def test_the_examples_of_a_large_n():
    n = 10**18
    assert ss.rand_index([n // 2], [], n=n) == (comb(n, 2) - (n // 2) ** 2) / comb(n, 2)
    assert ss.rand_distance([n // 2], [n // 2 + 1], n=n) == (n - 1) / comb(n, 2)
    assert ss.pair_counts([n // 2], [], n=n) == (2 * comb(n // 2, 2), 0, (n // 2) ** 2, 0)


@pytest.mark.parametrize("r", [2000, 50_000])
def test_long_inputs_walked_in_several_places_equal_the_squares(r):
    np = pytest.importorskip("numpy")
    generator = np.random.default_rng(r)
    for n in (10 * r, 2**32 + 1, 10**15):
        truth = np.unique(generator.integers(1, n, r))
        for pred in (np.unique(generator.integers(1, n, r)), np.unique(generator.integers(1, n, 3)), truth, truth[:-1]):
            expected = oracle.pair_counts_by_squares(truth.tolist(), pred.tolist(), n)
            assert ss.pair_counts(truth, pred, n=n) == expected
            assert ss.pair_counts(pred.tolist(), iter(truth.tolist()), n=n) == (
                expected[0], expected[2], expected[1], expected[3]
            )  # fmt: skip
            assert ss.mirkin_distance(truth, pred, n=n) == 2 * (expected[1] + expected[2])


@pytest.mark.parametrize("shape", ["one side first", "one side sparse", "one in the middle of the other"])
def test_lopsided_inputs(shape):
    np = pytest.importorskip("numpy")
    n = 10**6
    truth = np.arange(1, 5000)
    pred = {"one side first": truth + 5000, "one side sparse": truth[::700], "one in the middle of the other": None}[
        shape
    ]
    if pred is None:
        truth, pred = np.r_[1:2000, n - 2000 : n], np.arange(n // 2, n // 2 + 3000)
    assert ss.pair_counts(truth, pred, n=n) == oracle.pair_counts_by_squares(truth.tolist(), pred.tolist(), n)
    assert ss.modified_adjusted_rand_index(truth[:200], pred[:200], n=n) == rounded(
        oracle.modified_adjusted_rand_index_by_sums(truth[:200].tolist(), pred[:200].tolist(), n)
    )


# ---- the peers ----


def label_arrays(truth, pred, n):
    return ss.Segmentation(truth, n=n).to_labels(), ss.Segmentation(pred, n=n).to_labels()


@pytest.mark.filterwarnings("ignore:The number of unique classes")
@given(st.data())
def test_equal_to_scikit_learn(data):
    metrics = pytest.importorskip("sklearn.metrics")
    n = data.draw(st.integers(1, 60))
    cuts = st.sets(st.integers(1, max(n - 1, 1)), max_size=n - 1).map(sorted)
    truth, pred = data.draw(cuts) if n > 1 else [], data.draw(cuts) if n > 1 else []
    labels = label_arrays(truth, pred, n)
    counts = ss.pair_counts(truth, pred, n=n)
    matrix = metrics.cluster.pair_confusion_matrix(*labels)
    assert matrix.tolist() == [[2 * counts.neither, 2 * counts.pred_only], [2 * counts.truth_only, 2 * counts.both]]
    assert ss.rand_index(truth, pred, n=n) == pytest.approx(metrics.rand_score(*labels), rel=1e-15)
    assert ss.adjusted_rand_index(truth, pred, n=n) == pytest.approx(metrics.adjusted_rand_score(*labels), rel=1e-14)
    if counts.both or counts.truth_only + counts.pred_only:  # two identical sets of singletons score 0 there
        theirs = metrics.fowlkes_mallows_score(*labels)
        assert ss.fowlkes_mallows_index(truth, pred, n=n) == pytest.approx(theirs, rel=1e-14)


@given(st.data())
def test_equal_to_ruptures(data):
    metrics = pytest.importorskip("ruptures.metrics")
    n = data.draw(st.integers(2, 200))
    cuts = st.sets(st.integers(1, n - 1), max_size=n - 1).map(lambda s: [*sorted(s), n])
    truth, pred = data.draw(cuts), data.draw(cuts)
    assert ss.rand_index(truth, pred, n=n) == pytest.approx(metrics.randindex(truth, pred), abs=1e-15)


def test_right_where_ruptures_is_not():
    np = pytest.importorskip("numpy")
    truth, pred = np.array([30_000, 10**5], dtype=np.int32), np.array([10**5], dtype=np.int32)
    assert ss.rand_index(truth, pred, n=10**5) == rounded(oracle.rand_by_theorem([30_000], [], 10**5))
    with pytest.raises(ValueError, match="outside"):
        ss.rand_index([5, 3, 10], [5, 10], n=4)
    with pytest.raises(ValueError, match="does not exceed"):
        ss.rand_index([5, 3, 10], [5, 10], n=10)


# ---- the laws ----


@st.composite
def small_case(draw):
    n = draw(st.integers(0, 40))
    cuts = st.sets(st.integers(1, n - 1)).map(sorted) if n > 1 else st.just([])
    return draw(cuts), draw(cuts), n


@SCORES
@given(case=small_case())
def test_bounds_identity_symmetry_reversal(name, case):
    truth, pred, n = case
    f = score(name)
    best, (low, high), symmetric = LAWS[name]
    value = f(truth, pred, n=n)
    undefined = name == "modified_adjusted_rand_index" and (n < 4 or not ss.pair_counts(truth, pred, n=n).both)
    assert low <= value <= high or undefined
    assert f(truth, truth, n=n) == best or name == "modified_adjusted_rand_index"
    if symmetric:
        assert same(f(pred, truth, n=n), value)
    backwards = [[n - c for c in reversed(cuts)] for cuts in (truth, pred)]
    assert same(f(*backwards, n=n), value)
    assert same(f(ss.Segmentation.from_ends([*truth, n]), [*pred, n]), value)
    assert same(f([0, *truth, n] if n else [0], pred, n=n), value)


@given(case=small_case())
def test_precision_and_recall_change_places(case):
    truth, pred, n = case
    assert ss.pair_precision(truth, pred, n=n) == ss.pair_recall(pred, truth, n=n)


@SCORES
@given(case=small_case(), before=st.integers(0, 30), after=st.integers(0, 30))
def test_translation_changes_nothing(name, case, before, after):
    # A pattern among two long segments: all that counts is how many points lie outside it, not on which side.
    truth, pred, n = case
    if n == 0:
        return
    f = score(name)
    first, second = (
        [[c + shift for c in (0, *cuts, n)] for cuts in (truth, pred)] for shift in (before + 1, after + 1)
    )
    total = n + before + after + 2
    mirrored = [[c for c in cuts if 0 < c < total] for cuts in second]
    one = f(*[[c for c in cuts if 0 < c < total] for cuts in first], n=total)
    assert same(f(*mirrored, n=total), one)


KINDS = {
    "tuple": tuple,
    "iterator": iter,
    "int32": "int32",
    "uint64": "uint64",
    "strided": None,
    "Segmentation": ss.Segmentation,
}


@SCORES
@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=25)
@given(case=small_case())
def test_every_kind_of_input_scores_alike(name, kind, case):
    np = pytest.importorskip("numpy")
    truth, pred, n = case

    def make(cuts):
        if kind == "Segmentation":
            return ss.Segmentation(cuts, n=n)
        if kind == "strided":
            return np.repeat(np.array(cuts, dtype=np.int64), 2)[::2]
        return np.array(cuts, dtype=KINDS[kind]) if isinstance(KINDS[kind], str) else KINDS[kind](cuts)

    assert same(score(name)(make(truth), make(pred), n=n), score(name)(truth, pred, n=n))


@given(case=small_case(), shift=st.integers(0, 50), after=st.integers(0, 50))
def test_translation_moves_no_disagreement(case, shift, after):
    # Behind `shift` points that are a segment of their own, and before others, the same pattern disagrees as much.
    truth, pred, n = case
    inner = ss.mirkin_distance(truth, pred, n=n)
    moved = [[*([shift] if shift else []), *(c + shift for c in cuts)] for cuts in (truth, pred)]
    edge = [n + shift] if n and after else []
    assert ss.mirkin_distance(moved[0] + edge, moved[1] + edge, n=n + shift + after) == inner or n == 0


@given(case=small_case())
def test_continuous_time_on_the_grid(case):
    # Two moments fall into one unit interval with chance 1/n, and then nothing can part them.
    truth, pred, n = case
    if n == 0:
        return
    in_time = ss.rand_distance([float(c) for c in truth], [float(c) for c in pred], duration=float(n))
    assert in_time == pytest.approx(ss.rand_distance(truth, pred, n=n) * (n - 1) / n, rel=1e-14)


TIMES = st.lists(st.floats(0.001, 99.999), unique=True).map(sorted)


@SCORES
@given(truth=TIMES, pred=TIMES, scale=st.sampled_from([2.0, 0.25, 1024.0]))
def test_laws_of_continuous_time(name, truth, pred, scale):
    f = score(name)
    best, (low, high), symmetric = LAWS[name]
    value = f(truth, pred, duration=100.0)
    assert low <= value <= high
    assert f(truth, truth, duration=100.0) == best
    assert min(ss.pair_counts(truth, pred, duration=100.0)) >= 0
    if symmetric:
        assert f(pred, truth, duration=100.0) == pytest.approx(value, rel=1e-12, abs=1e-12)
    scaled = [[scale * c for c in cuts] for cuts in (truth, pred)]
    factor = scale**2 if name == "mirkin_distance" else 1.0
    assert f(*scaled, duration=100.0 * scale) == pytest.approx(value * factor, rel=1e-12, abs=1e-12)


@given(truth=TIMES, pred=TIMES)
def test_continuous_time_equal_to_the_squares(truth, pred):
    exact = oracle.rand_distance_in_time(truth, pred, 100)
    assert ss.rand_distance(truth, pred, duration=100.0) == pytest.approx(float(exact), rel=1e-14)
    assert ss.rand_index(truth, pred, duration=100.0) == pytest.approx(float(1 - exact), rel=1e-15)


def test_the_example_in_continuous_time():
    assert ss.rand_index([2.5, 7.0], [3.0, 7.25], duration=10.0) == 0.90125
    counts = ss.pair_counts([2.5, 7.0], [3.0, 7.25], duration=10.0)
    assert sum(counts) == 50.0
    assert ss.adjusted_rand_index([2.5], [3.0], duration=10) == ss.modified_adjusted_rand_index([2.5], [3], duration=10)


# Cuts that lie as close to each other, and to the ends, as doubles allow.
CLOSE = st.lists(
    st.builds(
        lambda x, far: 1.0 - x if far else x,
        st.one_of(st.floats(1e-150, 1e-3), st.floats(1e-16, 1e-12), st.floats(0.01, 0.99)),
        st.booleans(),
    ).filter(lambda cut: 0 < cut < 1),
    unique=True,
    max_size=6,
).map(sorted)


@given(truth=CLOSE, pred=CLOSE, duration=st.sampled_from([1.0, 3600.0, 2.0**-40, 1e-60, 1e60]))
@example(truth=[1e-17], pred=[], duration=1.0)
@example(truth=[], pred=[1e-290], duration=1.0)
@example(truth=[6.55452799922487e-105], pred=[], duration=1e-60)
@example(truth=[3.7108804214768595e-128], pred=[3.71088042147686e-128], duration=1e-60)
@example(truth=[1e-200], pred=[2e-200, 0.5], duration=1e60)
@example(truth=[1e-9], pred=[2e-9], duration=1.0)
@example(truth=[1.18e-14 / 3600], pred=[7.62e-15 / 3600], duration=3600.0)
def test_small_areas_are_not_lost_beside_large_ones(truth, pred, duration):
    truth, pred = ([cut * duration for cut in cuts] for cuts in (truth, pred))
    if any(len(set(cuts)) < len(cuts) or not all(0 < c < duration for c in cuts) for cuts in (truth, pred)):
        return
    areas = oracle.pair_areas(truth, pred, duration)
    found = ss.pair_counts(truth, pred, duration=duration)
    for area, exact in zip(found, areas, strict=True):
        assert abs(Fraction(area) - exact) <= Fraction(4e-16) * exact + Fraction(1e-300) * Fraction(duration) ** 2
    for name in ("adjusted_rand_index", "blanc", "pair_f1", "jaccard_index", "pair_precision", "adapted_rand_error"):
        exact = getattr(oracle, name)(*areas)
        assert abs(Fraction(getattr(ss, name)(truth, pred, duration=duration)) - exact) <= Fraction(2e-15)


def test_the_cancelling_examples():
    assert ss.adjusted_rand_index([1e-17], [], duration=1.0) == 0.0
    assert ss.adjusted_rand_index([1e-9], [2e-9], duration=1.0) == pytest.approx(2 / 3, abs=1e-8)
    value = ss.adjusted_rand_index([1.18e-14], [7.62e-15], duration=3600.0)
    assert value == pytest.approx(2 * 7.62 / (11.8 + 7.62), rel=1e-12)
    assert ss.blanc([1e-17], [], duration=1.0) == pytest.approx(0.5, abs=1e-15)
    for shortest, duration in ((5e-324, 1.0), (5e-324, 4.387758563391315e-25), (1e-100, 1e60)):
        assert ss.adjusted_rand_index([], [shortest], duration=duration) == 0.0
        assert ss.blanc([shortest], [], duration=duration) == pytest.approx(0.5, abs=1e-15)


LISTS = pl.List(pl.Int64)


@pytest.mark.parametrize("name", ["rand_index", "pair_f1", "adjusted_rand_index", "modified_adjusted_rand_index"])
def test_sums_beyond_64_bits_by_every_road(name):
    # Just above n = 2^32 the sums no longer fit: one score, compare, a table and a matrix take the wide ones.
    for n in (2**32, 2**32 + 1, 2**33 + 12345):
        for truth, pred in (([5, n - 7], [n - 6]), ([], [n // 2]), ([n // 2], [])):
            expected = float(
                oracle.modified_adjusted_rand_index_by_sums(truth, pred, n)
                if name.startswith("modified")
                else getattr(oracle, name)(*oracle.pair_counts_by_squares(truth, pred, n))
            )
            table = pl.DataFrame(
                {"truth": [truth], "pred": [pred], "n": [n]}, schema_overrides=dict.fromkeys(("truth", "pred"), LISTS)
            )
            assert score(name)(truth, pred, n=n) == expected
            assert ss.compare(truth, pred, n=n, metrics=[name])[name] == expected
            assert ss.score(table, metrics=[name])[name][0] == expected
            assert ss.cross([truth], [pred] * 4, n=n, metric=name).tolist() == [[expected] * 4]


def test_where_segments_start_in_long_walks():
    # The modified index reads both ends of both segments, also behind each piece of a walk in several places.
    rng = np.random.default_rng(3)
    for size, other in ((2000, 2000), (3000, 10), (40, 5000), (1500, 1499)):
        n = 4 * max(size, other)
        truth, pred = (sorted(rng.choice(np.arange(1, n), k, replace=False).tolist()) for k in (size, other))
        labelled = ss.Segmentation(truth, range(size + 1), n=n)
        arrays = np.array(truth), np.array(pred)  # lists are read in short blocks
        assert ss.modified_adjusted_rand_index(*arrays, n=n) == ss.modified_adjusted_rand_index(labelled, pred, n=n)
