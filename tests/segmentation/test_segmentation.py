"""Segmentation: an immutable value, and every way in and out."""

import copy
import itertools
import math
import pickle

import numpy as np
import oracle
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import segscore as ss
from segscore import Segmentation
from segscore.segmentation import conversions, segmentation

EXAMPLE = Segmentation([3, 8], n=10)


def every_segmentation(up_to=7):
    return [Segmentation(cuts, n=n) for n in range(up_to + 1) for cuts in oracle.segmentations(n)]


def test_what_it_shows():
    assert EXAMPLE.n == 10
    assert EXAMPLE.cuts == [3, 8]
    assert EXAMPLE.lengths == [3, 5, 2]
    assert EXAMPLE.segments == [(0, 3), (3, 8), (8, 10)]
    assert len(EXAMPLE) == 3
    assert repr(EXAMPLE) == "Segmentation([3, 8], n=10)"
    assert eval(repr(EXAMPLE)) == EXAMPLE
    long = Segmentation(range(1, 100), n=1000)
    assert repr(long) == "<Segmentation of 1000 points by 99 cuts: 1, 2, 3, 4, 5, 6, ..., 97, 98, 99>"


def test_nothing():
    empty = Segmentation([], n=0)
    assert (empty.cuts, empty.lengths, empty.segments, len(empty), bool(empty)) == ([], [], [], 0, True)
    assert empty == Segmentation([0], n=0) == Segmentation.from_lengths([]) == Segmentation.from_labels([])


def test_it_is_a_value():
    assert EXAMPLE == Segmentation((3, 8, 10), n=10) == Segmentation(EXAMPLE)
    assert hash(EXAMPLE) == hash(Segmentation([0, 3, 8, 10], n=10))
    assert Segmentation([3, 8], n=11) != EXAMPLE
    assert Segmentation([3], n=10) != EXAMPLE
    assert EXAMPLE != [3, 8]
    assert len({EXAMPLE, Segmentation.from_ends([3, 8, 10]), Segmentation([4], n=10)}) == 2
    assert pickle.loads(pickle.dumps(EXAMPLE)) == copy.deepcopy(EXAMPLE) == copy.copy(EXAMPLE) == EXAMPLE


SONG = Segmentation([2.5, 7], ["verse", "chorus", "verse"], duration=10)


def test_a_segmentation_in_time_with_labels():
    assert (SONG.n, SONG.duration, SONG.length, SONG.start, SONG.end, SONG.zone) == (None, 10.0, 10.0, None, None, None)
    assert (SONG.cuts, SONG.lengths, len(SONG)) == ([2.5, 7.0], [2.5, 4.5, 3.0], 3)
    assert SONG.segments == [(0.0, 2.5), (2.5, 7.0), (7.0, 10.0)]
    assert SONG.labels == ("verse", "chorus", "verse")
    assert repr(SONG) == "Segmentation([2.5, 7.0], ['verse', 'chorus', 'verse'], duration=10.0)"
    assert eval(repr(SONG)) == SONG == Segmentation(SONG) == Segmentation(SONG, duration=10)
    assert pickle.loads(pickle.dumps(SONG)) == copy.deepcopy(SONG) == copy.copy(SONG) == SONG
    assert hash(SONG) == hash(Segmentation([0, 2.5, 7.0, 10.0], SONG.labels, duration=10.0))
    plain = SONG.without_labels()
    assert plain == Segmentation([2.5, 7], duration=10) != SONG
    assert plain.without_labels() is plain
    assert Segmentation(plain, "ABA") == Segmentation([2.5, 7], "ABA", duration=10) != SONG
    assert Segmentation([], n=10) != Segmentation([], duration=10)
    assert Segmentation([], n=10) != Segmentation([], ["A"], n=10)
    many = Segmentation(np.arange(1, 100) / 4, [k % 3 for k in range(100)], duration=60)
    assert repr(many) == (
        "<Segmentation of duration 60.0 by 99 cuts, with 3 labels: "
        "0.25, 0.5, 0.75, 1.0, 1.25, 1.5, ..., 24.25, 24.5, 24.75>"
    )
    for array in (SONG.to_ends(), SONG.to_lengths(), plain.to_intervals()):
        assert array.dtype == np.float64
    assert SONG.to_ends().tolist() == [2.5, 7.0, 10.0]
    assert SONG.to_lengths().tolist() == SONG.lengths
    assert SONG.to_intervals().tolist() == [
        [*part, label] for part, label in zip(SONG.segments, SONG.labels, strict=True)
    ]
    assert Segmentation.from_intervals(SONG.to_intervals()) == SONG
    assert Segmentation.from_intervals(plain.to_intervals(), SONG.labels) == SONG
    assert Segmentation.from_intervals(SONG.segments, SONG.labels) == SONG


def test_labels_of_points():
    song = Segmentation([2, 4], "ABA", n=5)
    assert song.to_labels().tolist() == list("AABBA")
    assert song.to_labels().dtype == object
    assert Segmentation.from_labels(song.to_labels(), keep=True) == song
    assert Segmentation([2, 4], [3, 1, 3], n=5).to_labels().dtype == np.int64
    mixed = Segmentation([2, 4], [1, "1", (1, 2)], n=5).to_labels()
    assert mixed.tolist() == [1, 1, "1", "1", (1, 2)]
    assert Segmentation([1], ["A", "A"], n=2).to_labels().tolist() == ["A", "A"]  # the cut cannot be seen
    assert Segmentation([], [], n=0).to_labels().tolist() == []


@pytest.mark.parametrize("segmentation", every_segmentation(5), ids=repr)
def test_there_and_back_with_labels_and_in_time(segmentation):
    for labels in (None, [k % 2 for k in range(len(segmentation))]):
        points = Segmentation(segmentation, labels)
        assert Segmentation.from_intervals(points.segments, labels) == points
        assert Segmentation.from_intervals(points.to_intervals(), n=points.n) == points
        if labels:
            triples = [(*segment, label) for segment, label in zip(points.segments, labels, strict=True)]
            assert Segmentation.from_intervals(triples) == points
            assert Segmentation.from_labels(points.to_labels(), keep=True) == points
        if points.n:
            time = Segmentation(np.array(points.cuts) / 4, labels, duration=points.n / 4)
            assert Segmentation.from_intervals(time.segments, labels) == time
            assert Segmentation.from_intervals(time.to_intervals(), duration=time.duration) == time
            assert Segmentation.from_intervals(points.to_intervals(), duration=points.n) == Segmentation(
                points.cuts, labels, duration=points.n
            )
        for table, make in ((points.to_pandas(), list), (points.to_polars(), list)):
            label = make(table["label"]) if labels is not None else None
            pairs = list(zip(make(table["start"]), make(table["end"]), strict=True))
            assert Segmentation.from_intervals(pairs, label) == points
            assert list(table.columns) == ["start", "end"] + ["label"] * (labels is not None)


def test_tables():
    assert SONG.to_polars().to_dict(as_series=False) == {
        "start": [0.0, 2.5, 7.0],
        "end": [2.5, 7.0, 10.0],
        "label": ["verse", "chorus", "verse"],
    }
    assert SONG.to_pandas().to_dict("list") == SONG.to_polars().to_dict(as_series=False)
    mixed = Segmentation([3], ["a", 1], n=9)
    assert mixed.to_polars()["label"].to_list() == mixed.to_pandas()["label"].tolist() == ["a", 1]
    assert EXAMPLE.to_polars().dtypes == [pl.Int64, pl.Int64]


def test_gaps_are_filled_on_request():
    def filled(intervals, labels=None, **length):
        return Segmentation.from_intervals(intervals, labels, gap_label="-", **length)

    assert filled([(1, 3), (3, 4), (6, 7)], "abc", n=9) == Segmentation([1, 3, 4, 6, 7], "-ab-c-", n=9)
    assert filled([(1, 3, "a")]) == Segmentation([1], "-a", n=3)
    assert filled([(0, 3, "a")]) == Segmentation([], "a", n=3)
    assert filled([(0.5, 1.5, "a"), (2, 3, "-")], duration=4) == Segmentation([0.5, 1.5, 2, 3], "-a---", duration=4)
    assert filled([], [], n=9) == Segmentation([], "-", n=9)
    assert filled([], []) == Segmentation([], [], n=0)
    assert filled(np.array([[1, 2]]), [0]).labels == ("-", 0)


@given(st.data())
def test_gaps_equal_to_the_definition(data):
    n = data.draw(st.integers(1, 12))
    points = data.draw(st.lists(st.sampled_from("ab-"), min_size=n, max_size=n))
    whole = Segmentation.from_labels(points, keep=True)
    kept = [(*segment, label) for segment, label in zip(whole.segments, whole.labels, strict=True) if label != "-"]
    labels = [label for *_, label in kept]
    assert Segmentation.from_intervals([row[:2] for row in kept], labels, n=n, gap_label="-") == whole


@pytest.mark.parametrize("name", ["n", "_cuts", "cuts", "other", "labels", "duration", "_labels"])
def test_it_cannot_be_changed(name):
    with pytest.raises(AttributeError, match="a Segmentation cannot be changed"):
        setattr(EXAMPLE, name, 3)
    with pytest.raises(AttributeError, match="a Segmentation cannot be changed"):
        delattr(EXAMPLE, name)
    EXAMPLE.cuts.append(9)
    EXAMPLE.to_ends()[0] = 5
    assert EXAMPLE.cuts == [3, 8]


@pytest.mark.parametrize("segmentation", every_segmentation(), ids=repr)
def test_there_and_back(segmentation):
    n = segmentation.n
    assert Segmentation.from_ends(segmentation.to_ends()) == segmentation
    assert Segmentation.from_ends(segmentation.to_ends(), n=n) == segmentation
    assert Segmentation.from_lengths(segmentation.to_lengths()) == segmentation
    assert Segmentation.from_lengths(segmentation.lengths) == segmentation
    assert Segmentation.from_labels(segmentation.to_labels()) == segmentation
    assert Segmentation.from_mask(segmentation.to_mask()) == segmentation
    assert Segmentation.from_mask([0, *segmentation.to_mask().tolist()[1:]] if n else [], n=n) == segmentation
    assert Segmentation.from_mask(segmentation.to_mask().astype(int), n=n) == segmentation
    assert Segmentation.from_intervals(segmentation.to_intervals()) == segmentation
    assert Segmentation.from_intervals(segmentation.segments) == segmentation
    starts = [start for start, _ in segmentation.segments]
    assert Segmentation.from_starts(starts, n=n) == segmentation
    assert Segmentation.from_starts([s + 1 for s in starts], n=n, one_based=True) == segmentation
    assert Segmentation.from_starts([*(s + 1 for s in starts), n + 1], n=n, one_based=True) == segmentation
    assert segmentation.to_labels().tolist() == oracle.labels(segmentation.cuts, n)
    assert segmentation.to_lengths().tolist() == segmentation.lengths
    assert segmentation.to_intervals().tolist() == [list(segment) for segment in segmentation.segments]
    assert segmentation.to_mask().sum() == len(segmentation)
    if n:
        gaps = "".join("01"[c in segmentation.cuts] for c in range(1, n))
        assert Segmentation.from_mask(gaps, n=n) == segmentation
        assert Segmentation.from_mask("0" + gaps, n=n) == Segmentation.from_mask("1" + gaps, n=n) == segmentation


@given(st.sets(st.integers(1, 999)))
def test_there_and_back_for_longer_ones(cuts):
    segmentation = Segmentation(sorted(cuts), n=1000)
    for form in ("ends", "lengths", "labels", "mask", "intervals"):
        there = getattr(segmentation, f"to_{form}")()
        assert getattr(Segmentation, f"from_{form}")(there) == segmentation
        assert getattr(Segmentation, f"from_{form}")(there.tolist()) == segmentation
        assert getattr(Segmentation, f"from_{form}")(iter(there.tolist())) == segmentation


def test_dtypes():
    assert EXAMPLE.to_ends().dtype == EXAMPLE.to_lengths().dtype == EXAMPLE.to_labels().dtype == np.int64
    assert EXAMPLE.to_intervals().dtype == np.int64
    assert EXAMPLE.to_mask().dtype == bool


@pytest.mark.parametrize(
    ("labels", "cuts"),
    [
        ("aaabbbaaa", [3, 6]),
        ([0, 0, 1, 1, 0], [2, 4]),
        (["x", "x", None, None, "x"], [2, 4]),
        ([1, "1", 1, True], [1, 2]),
        (np.array([0.5, 0.5, 0.25]), [2]),
        (np.array(["a", "b"]), [1]),
        (pd.Series(list("aab"), dtype="category"), [2]),
        (pl.Series(["u", "v", "v"]), [1]),
        ([(1, 2), (1, 2), (3, 4)], [2]),
    ],
)
def test_labels_of_any_kind(labels, cuts):
    segmentation = Segmentation.from_labels(labels)
    assert segmentation.cuts == cuts
    assert segmentation.n == len(labels)


def test_a_million_points_are_vectorised():
    # Not a time but a count: no Python object per point, so the labels may be a mere repetition of one.
    labels = np.zeros(1_000_000, dtype=np.int8)
    labels[500_000:] = 1
    segmentation = Segmentation.from_labels(labels)
    assert segmentation == Segmentation.from_mask(segmentation.to_mask()) == Segmentation([500_000], n=1_000_000)
    assert segmentation.to_labels().sum() == 500_000
    assert Segmentation.from_lengths(np.ones(1_000_000, dtype=np.uint8)).to_ends()[-1] == 1_000_000


STARTS_LOOK = "the starts look 1-based (pass one_based=True, or put 0 first if a segment does start at 1)"
BAD = [
    (
        lambda: Segmentation([5, 3], n=9),
        "cuts[1] = 3 does not exceed cuts[0] = 5; cuts must strictly increase (sort them first)",
    ),
    (
        lambda: Segmentation(np.array([5, 3]), n=9),
        "cuts[1] = 3 does not exceed cuts[0] = 5; cuts must strictly increase (sort them first)",
    ),
    (lambda: Segmentation.from_ends([3, -1]), "ends stop at -1; expected the last end to be the length"),
    (lambda: Segmentation([3, 12], n=10), "cuts[1] = 12 is outside 0 < cut < n = 10"),
    (lambda: Segmentation(EXAMPLE, n=9), "cuts have n = 10 but n = 9 was passed; expected one length"),
    (
        lambda: Segmentation([1, 4, 11], n=10),
        "cuts[2] = 11 is outside 0 < cut < n = 10; cuts that end with n + 1 look like 1-based starts "
        "(use Segmentation.from_starts(..., one_based=True))",
    ),
    (lambda: Segmentation.from_ends([]), "ends is empty; expected the last end to be the length"),
    (
        lambda: Segmentation.from_ends([2, 7, 9], n=10),
        "ends stop at 9 but n = 10; ends that stop at n - 1 look like 0-based last points (add 1 to each)",
    ),
    (
        lambda: Segmentation.from_ends([4, 9, 11], n=10),
        "ends stop at 11 but n = 10; ends that stop at n + 1 look like 1-based starts (use from_starts(..., one_based=True))",
    ),
    (lambda: Segmentation.from_ends([4, 6], n=10), "ends stop at 6 but n = 10; expected the last end to be n"),
    (lambda: Segmentation.from_ends([4, 3]), "ends[0] = 4 is outside 0 < cut < n = 3"),
    (lambda: Segmentation.from_lengths([3, 0]), "lengths[1] = 0 is not positive; a segment has points (drop it)"),
    (lambda: Segmentation.from_lengths([2**62, 2**62]), "lengths[:2] sum to 2**63 or more; expected n < 2**63"),
    (
        lambda: Segmentation.from_lengths(np.array([[3, 1]])),
        "lengths has 2 dimensions; expected 1 (lengths are a flat sequence)",
    ),
    (
        lambda: Segmentation.from_lengths(np.array([2**63], "uint64")),
        "lengths[0] = 9223372036854775808 is out of range; expected integers below 2**63",
    ),
    (lambda: Segmentation.from_labels(np.zeros((2, 2))), "labels has 2 dimensions; expected 1 (one label per point)"),
    (
        lambda: Segmentation.from_labels([1.0, float("nan")]),
        "labels[1] = nan is not equal to itself; expected labels that can be compared",
    ),
    (lambda: Segmentation.from_mask([0, 1, 0]), "mask has 3 marks, one per point or one per gap; pass n=3 or n=4"),
    (lambda: Segmentation.from_mask([0, 2]), "mask[1] = 2 is neither 0 nor 1; expected marks"),
    (lambda: Segmentation.from_mask("0a", n=2), "mask[1] = a is neither 0 nor 1; expected marks"),
    (
        lambda: Segmentation.from_mask("0101"),
        "mask has 4 marks, one per point or one per gap; pass n=4 or n=5",
    ),
    (
        lambda: Segmentation.from_mask([0, 1], n=9),
        "mask has 2 marks but n = 9; expected n marks (points) or n - 1 (gaps)",
    ),
    (lambda: Segmentation.from_intervals([1, 2]), "intervals[0] = 1 is not a pair; expected (start, end) pairs"),
    (
        lambda: Segmentation.from_intervals([(2, 3)]),
        "intervals[0] starts at 2 but the sequence starts at 0; expected no gap (gap_label= fills gaps)",
    ),
    (
        lambda: Segmentation.from_intervals([(1, 3)]),
        "intervals[0] starts at 1 but the sequence starts at 0; starting with 1 they look 1-based "
        "(subtract 1 from each start)",
    ),
    (
        lambda: Segmentation.from_intervals([(0, 3), (2, 5)], "ab", gap_label="-"),
        "intervals[1] starts at 2 but intervals[0] ends at 3; expected them to tile without gap or overlap",
    ),
    (
        lambda: Segmentation.from_intervals([(3, 5), (0, 3)], "ab", gap_label="-"),
        "intervals[1] starts at 0 but intervals[0] ends at 5; expected them to tile without gap or overlap "
        "(sort them first)",
    ),
    (
        lambda: Segmentation.from_intervals([(0.0, 2.5), (2.25, 4)]),
        "intervals[1] starts at 2.25 but intervals[0] ends at 2.5; expected them to tile without gap or overlap",
    ),
    (
        lambda: Segmentation.from_intervals([(0.0, 2.5), (2.75, 4)]),
        "intervals[1] starts at 2.75 but intervals[0] ends at 2.5; expected them to tile without gap or overlap "
        "(gap_label= fills gaps)",
    ),
    (
        lambda: Segmentation.from_intervals([(1.0, 2.5)]),
        "intervals[0] starts at 1.0 but the sequence starts at 0; expected no gap (gap_label= fills gaps)",
    ),
    (
        lambda: Segmentation.from_intervals([(-1, 2, "a")], gap_label="-"),
        "intervals[0] starts at -1 but the sequence starts at 0; expected starts of at least 0",
    ),
    (
        lambda: Segmentation.from_intervals([(0, 3)], n=9),
        "intervals[0] ends at 3 but n = 9; expected no gap (gap_label= fills gaps)",
    ),
    (
        lambda: Segmentation.from_intervals([(0, 3, "a")], duration=2.5, gap_label="-"),
        "intervals[0] ends at 3.0 but duration = 2.5; expected ends up to duration",
    ),
    (
        lambda: Segmentation.from_intervals([], n=9),
        "intervals is empty but n = 9; expected no gap (gap_label= fills gaps)",
    ),
    (
        lambda: Segmentation.from_intervals([(0.0, math.nan)]),
        "interval ends[0] = nan is not finite; expected finite times (drop it first)",
    ),
    (
        lambda: Segmentation.from_intervals([(0, 3)], "ab"),
        "labels has 2 items for 1 interval; expected one per interval",
    ),
    (
        lambda: Segmentation.from_intervals([(0, 3, "a"), (3, 5)]),
        "intervals[1] = (3, 5) is not a triple; expected (start, end, label) triples",
    ),
    (lambda: Segmentation([3], duration=2.5), "cuts[0] = 3.0 is outside 0 < cut < duration = 2.5"),
    (
        lambda: Segmentation(SONG, duration=9),
        "cuts have duration = 10.0 but duration = 9.0 was passed; expected one length",
    ),
    (
        lambda: Segmentation([], duration=0),
        "duration = 0.0 is not positive and finite; expected the length of the recording",
    ),
    (lambda: Segmentation.from_intervals([(0, 3), (3, 3)]), "intervals[1] = [3, 3) is empty; expected start < end"),
    (
        lambda: Segmentation.from_intervals([(0, 3), (5, 6), (6, 8)]),
        "intervals[1] starts at 5 but intervals[0] ends at 3; expected them to tile without gap or overlap "
        "(gap_label= fills gaps)",
    ),
    (
        lambda: Segmentation.from_intervals([(0, 3), (4, 6)]),
        "intervals[1] starts at 4 but intervals[0] ends at 3; expected them to tile without gap or overlap; "
        "they look closed, with both ends inside (add 1 to each end)",
    ),
    (
        lambda: Segmentation.from_intervals([(0, 3), (4, 6), (9, 12)]),
        "intervals[1] starts at 4 but intervals[0] ends at 3; expected them to tile without gap or overlap "
        "(gap_label= fills gaps)",
    ),
    (lambda: Segmentation.from_starts([1, 4, 9], n=10), f"starts[0] = 1 without a 0 before it; {STARTS_LOOK}"),
    (
        lambda: Segmentation.from_starts([0, 4], n=10, one_based=True),
        "starts[0] = 0 but one_based=True; the starts look 0-based (drop one_based)",
    ),
    (
        lambda: Segmentation.from_labels(np.array(["2020-01-01", "NaT"], dtype="M8[D]")),
        "labels[1] = NaT is not equal to itself; expected labels that can be compared",
    ),
    (
        lambda: Segmentation.from_intervals([(0, 3), (3,)]),
        "intervals[1] = (3,) is not a pair; expected (start, end) pairs",
    ),
    (
        lambda: Segmentation.from_starts([1, 4, 12], n=10, one_based=True),
        "starts[2] = 12 is outside 1 <= start <= n + 1 = 11",
    ),
    (
        lambda: Segmentation.from_starts([1, 4, 4], n=10, one_based=True),
        "starts[2] = 4 does not exceed starts[1] = 4; starts must strictly increase (sort them first)",
    ),
    (
        lambda: Segmentation.from_starts([1, -(2**63)], n=2**63 - 2, one_based=True),
        f"starts[1] = {-(2**63)} is outside 1 <= start <= n + 1 = {2**63 - 1}",
    ),
    (lambda: Segmentation.from_starts([0, 12], n=10), "starts[1] = 12 is outside 0 < cut < n = 10"),
]


@pytest.mark.parametrize(("make", "message"), BAD)
def test_bad_values(make, message):
    with pytest.raises(ValueError) as raised:  # noqa: PT011
        make()
    assert str(raised.value) == message


BAD_TYPES = [
    (
        lambda: Segmentation([3.0], n=9),
        "cuts[0] = 3.0 is a float; cuts must be integers (use int(), or duration= for real-valued time)",
    ),
    (lambda: Segmentation(None, n=9), "cuts is None; expected a sequence of cuts"),
    (lambda: Segmentation([3], n=9.0), "n = 9.0 is a float; expected an integer"),
    (lambda: Segmentation.from_lengths([1.5]), "lengths[0] = 1.5 is a float; lengths must be integers (use int())"),
    (
        lambda: Segmentation.from_lengths([3, True]),
        "lengths[1] = True is a bool; lengths must be integers (for a mask use Segmentation.from_mask)",
    ),
    (lambda: Segmentation.from_mask([0.0, 1.0]), "mask holds float64; expected bools, or integers that are 0 or 1"),
    (
        lambda: Segmentation([3], n=9, duration=9),
        "n= and duration= exclude each other; expected one of them",
    ),
    (
        lambda: Segmentation.from_intervals([(0, 3)], n=9, duration=9),
        "n= and duration= exclude each other; expected one of them",
    ),
    (
        lambda: Segmentation(SONG, n=9),
        "cuts is a Segmentation in time; in points expected a sequence of cuts, or Segmentation(..., n=)",
    ),
    (lambda: SONG.to_labels(), "to_labels needs points, but this Segmentation is in time; use to_intervals()"),
    (lambda: SONG.to_mask(), "to_mask needs points, but this Segmentation is in time; use to_intervals()"),
    (
        lambda: SONG.to_timestamps(),
        "to_timestamps needs timestamps, but this Segmentation has none; use to_intervals()",
    ),
    (
        lambda: Segmentation.from_intervals([(1, 3)], gap_label="-"),
        "gap_label= needs a label for each interval; expected labels=, or (start, end, label) triples",
    ),
    (
        lambda: Segmentation.from_intervals([(0, 3, "a")], "a"),
        "intervals and labels= both have labels; expected one of them",
    ),
    (
        lambda: Segmentation.from_intervals([(0.0, 3.0)], n=3),
        "interval starts[0] = 0.0 is a float; interval starts must be integers (use int())",
    ),
    (lambda: Segmentation.from_starts([0.0], n=3), "starts[0] = 0.0 is a float; starts must be integers (use int())"),
    (
        lambda: Segmentation.from_starts([0, True, 3], n=5),
        "starts[1] = True is a bool; starts must be integers (for a mask use Segmentation.from_mask)",
    ),
    (
        lambda: Segmentation.from_intervals([(False, True), (1, 3)]),
        "interval starts[0] = False is a bool; interval starts must be integers (for a mask use Segmentation.from_mask)",
    ),
    (lambda: Segmentation.from_ends([3, 5], n=5.0), "n = 5.0 is a float; expected an integer"),
    (lambda: Segmentation.from_ends([1], n=True), "n = True is a bool; expected an integer"),
    (lambda: Segmentation.from_mask([1, 0, 0], n="x"), "n = 'x' is a str; expected an integer"),
    (lambda: Segmentation.from_lengths(None), "lengths is None; expected a sequence of lengths"),
    (lambda: Segmentation.from_labels(None), "labels is None; expected a sequence of labels"),
    (lambda: Segmentation.from_labels({1, 2}), "labels is {1, 2}; expected a sequence of labels"),
    (lambda: Segmentation.from_mask(5), "marks is 5; expected a sequence of marks"),
    (lambda: Segmentation.from_intervals(None), "intervals is None; expected a sequence of intervals"),
    (
        lambda: Segmentation.from_lengths(np.ma.array([1, 2], mask=[0, 1])),
        "lengths is a MaskedArray; expected lengths without gaps (use .compressed())",
    ),
    (
        lambda: Segmentation.from_labels(np.ma.array([1, 2], mask=[0, 1])),
        "labels is a MaskedArray; expected labels without gaps (use .compressed())",
    ),
    (
        lambda: Segmentation.from_labels(["a", pd.NA]),
        "labels cannot all be compared; expected a plain label per point (fill what is missing)",
    ),
]


@pytest.mark.parametrize(("make", "message"), BAD_TYPES)
def test_bad_types(make, message):
    with pytest.raises(TypeError) as raised:
        make()
    assert str(raised.value) == message


def test_subclasses_stay_what_they_are():
    class Mine(Segmentation):
        pass

    assert type(Mine([3], n=5)) is type(Mine.from_lengths([3, 2])) is type(copy.copy(Mine([3], n=5))) is Mine
    EXAMPLE.__init__()
    assert EXAMPLE.cuts == [3, 8]


def test_scores_of_segmentations_need_no_n():
    for a, b in itertools.product(every_segmentation(5), repeat=2):
        if a.n == b.n:
            assert ss.pair_counts(a, b) == ss.pair_counts(a.cuts, b.cuts, n=a.n)


@pytest.mark.parametrize("block", [1, 2, 3, 7])
def test_blocks(monkeypatch, block):
    rng = np.random.default_rng(block)
    several = [sorted(rng.choice(19, count, replace=False) + 1) for count in (0, 1, 5, 12, 19)]
    made = [(Segmentation(cuts, n=20), cuts) for cuts in several]
    for module in (conversions, segmentation):
        monkeypatch.setattr(module, "BLOCK", block)
    for whole, cuts in made:
        ends = [*cuts, 20]
        lengths = np.diff([0, *ends])
        labels = np.repeat(np.arange(len(ends)), lengths)
        starts = [0, *cuts]
        assert (whole.cuts, whole.to_ends().tolist()) == (cuts, ends)
        assert whole.segments == list(zip(starts, ends, strict=True))
        assert whole.lengths == whole.to_lengths().tolist() == lengths.tolist()
        assert whole.to_labels().tolist() == labels.tolist()
        assert np.flatnonzero(whole.to_mask()).tolist() == starts
        assert whole.to_intervals().tolist() == [list(pair) for pair in zip(starts, ends, strict=True)]
        assert Segmentation.from_lengths(lengths) == whole
        assert Segmentation.from_labels(labels) == Segmentation.from_labels(labels.tolist()) == whole
        assert Segmentation.from_mask(whole.to_mask()) == Segmentation.from_mask(whole.to_mask()[1:], n=20) == whole
        assert Segmentation.from_intervals(whole.to_intervals()) == whole
        assert Segmentation.from_starts(np.array(starts) + 1, n=20, one_based=True) == whole
        assert Segmentation.from_labels(labels, keep=True).labels == tuple(range(len(ends)))
    with pytest.raises(ValueError, match=r"^lengths\[5\] = 0 is not positive; a segment has points \(drop it\)$"):
        Segmentation.from_lengths([1, 2, 3, 4, 5, 0])
    with pytest.raises(ValueError, match=r"^lengths\[:5\] sum to 2\*\*63 or more; expected n < 2\*\*63$"):
        Segmentation.from_lengths([1, 2, 3, 2**62, 2**62, 7])
    with pytest.raises(ValueError, match=r"^mask\[6\] = 2 is neither 0 nor 1; expected marks$"):
        Segmentation.from_mask([1, 0, 0, 1, 0, 0, 2])
    with pytest.raises(ValueError, match=r"^labels\[4\] = nan is not equal to itself"):
        Segmentation.from_labels([1.0, 1.0, 2.0, 2.0, math.nan])
    with pytest.raises(ValueError, match=r"^intervals\[3\] starts at 7 but intervals\[2\] ends at 6"):
        Segmentation.from_intervals([(0, 2), (2, 4), (4, 6), (7, 9)])
