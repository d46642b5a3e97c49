"""The curve family: every value of a curve is that of the score at this margin, and areas are those of the definition."""

import math
import pickle
import re
from datetime import datetime, timedelta

import oracle
import pytest
from hypothesis import given
from hypothesis import strategies as st

import segscore as ss

close = pytest.approx


def steps(curve):
    return [(point.margin, point.matched) for point in curve.points]


def test_the_worked_curve():
    curve = ss.f1_curve([10, 30, 60], [12, 33, 50], n=100)
    assert steps(curve) == [(0, 0), (2, 1), (3, 2), (10, 3)]
    assert curve.area(10) == ss.f1_area([10, 30, 60], [12, 33, 50], n=100, margin=10) == 0.5
    assert curve.area(20) == ss.f1_area([10, 30, 60], [12, 33, 50], n=100, margin=20) == 0.75
    assert curve.area(relative_margin=0.2, of="precision") == curve.area(20, of="recall") == 0.75
    assert (curve.reaches(0.5), curve.reaches(1), curve.reaches(0.3, of="f1")) == (3, 10, 2)


@pytest.mark.slow
@pytest.mark.parametrize("n", range(0, 8))
def test_a_curve_is_the_score_at_every_margin(n):
    for truth in oracle.segmentations(n):
        for pred in oracle.segmentations(n):
            curve = ss.f1_curve(truth, pred, n=n)
            margins = [point.margin for point in curve.points]
            assert margins == sorted(set(margins)) and margins[0] == 0
            matched = [point.matched for point in curve.points]
            assert matched == sorted(set(matched))
            for margin in range(n + 1):
                at = curve.at(margin)
                assert at.f1 == ss.f1(truth, pred, n=n, margin=margin)
                assert at.precision == ss.precision(truth, pred, n=n, margin=margin)
                assert at.recall == ss.recall(truth, pred, n=n, margin=margin)
                assert at.matched == len(ss.match(truth, pred, n=n, margin=margin).pairs)
                area = ss.f1_area(truth, pred, n=n, margin=margin)
                assert area == close(oracle.f1_area(truth, pred, margin), rel=1e-15)
                assert curve.area(margin) == area


@given(st.data())
def test_curves_of_longer_ones(data):
    n = data.draw(st.integers(10, 300))
    cuts = st.sets(st.integers(1, n - 1), max_size=60).map(sorted)
    truth, pred = data.draw(cuts), data.draw(cuts)
    curve = ss.f1_curve(truth, pred, n=n)
    for margin in range(n + 1):
        assert curve.at(margin).f1 == ss.f1(truth, pred, n=n, margin=margin)
    upto = data.draw(st.integers(0, n))
    values = {
        "f1": ss.f1_area(truth, pred, n=n, margin=upto),
        **{of: curve.area(upto, of=of) for of in ("precision", "recall")},
    }
    for name, value in values.items():
        mean = [getattr(ss, name)(truth, pred, n=n, margin=margin) for margin in range(upto or 1)]
        assert value == close(sum(mean) / len(mean))
    # Eighths are exact as real numbers, so time has the same steps.
    in_time = ss.f1_curve([t / 8 for t in truth], [p / 8 for p in pred], duration=n / 8)
    assert [(8 * margin, matched) for margin, matched in steps(in_time)] == steps(curve)
    assert in_time.area(upto / 8) == close(curve.area(upto))
    assert ss.f1_area(pred, truth, n=n, margin=upto) == values["f1"]


@given(st.data())
def test_curves_in_time_need_no_grid(data):
    times = st.sets(st.floats(0.001, 0.999), max_size=20).map(sorted)
    truth, pred = data.draw(times), data.draw(times)
    curve = ss.f1_curve(truth, pred, duration=1.0)
    for margin in {abs(t - p) for t in truth for p in pred} | {0.0, 0.5}:
        for near in (margin, math.nextafter(margin, 2), max(0.0, math.nextafter(margin, -1))):
            assert curve.at(near).matched == len(ss.match(truth, pred, duration=1.0, margin=near).pairs)


def test_blocks_that_are_nested_and_undone():
    # All true cuts come first, so that each new pair shifts all pairs before.
    curve = ss.f1_curve(range(1, 301), range(301, 601), n=1000)
    assert steps(curve) == [(0, 0), *((k, k) for k in range(1, 301))]
    far = 2**62
    assert steps(ss.f1_curve([1, far], [far + 5], n=2**63 - 1)) == [(0, 0), (5, 1)]
    assert ss.f1_area([1], [far + 1], n=2**63 - 1, margin=2**63 - 1) == close(0.5)


def test_curves_without_cuts():
    neither, one = ss.f1_curve([], [], n=10), ss.f1_curve([], [5], n=10)
    assert neither.at(3) == (3, 0, 1.0, 1.0, 1.0)
    assert one.at(3) == (3, 0, 0.0, 0.0, 0.0)
    assert (neither.area(3), one.area(3), one.area(3, of="recall")) == (1.0, 0.0, 0.0)
    assert ss.f1_area([], [], n=10, margin=3) == 1 and ss.f1_area([5], [], n=10, margin=3) == 0
    assert one.reaches(0.5) == math.inf and neither.reaches(1) == 0
    assert ss.f1_area([], [], n=0, margin=3) == 1


def test_margins_of_areas():
    truth, pred = [10], [14]
    assert ss.f1_area(truth, truth, n=100, margin=0) == 1 and ss.f1_area(truth, pred, n=100, margin=0) == 0
    assert ss.f1_area(truth, pred, n=100, margin=8) == 0.5
    assert ss.f1_area(truth, pred, n=100, relative_margin=0.089) == 0.5
    for margin in (100, 101, 10**30, math.inf):  # margins above n count as n
        assert ss.f1_area(truth, pred, n=100, margin=margin) == 0.96
    assert ss.f1_area([1.0], [1.5], duration=10, margin=1) == 0.5


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: ss.f1_area([3], [4], n=9),
            TypeError,
            "f1_area has no margin; expected margin= (0 for the same cut) or relative_margin=",
        ),
        (
            lambda: ss.f1_curve([3], [4], n=9).area(),
            TypeError,
            "area has no margin; expected margin= (0 for the same cut) or relative_margin=",
        ),
        (
            lambda: ss.f1_curve([3], [4], n=9).area(-1),
            ValueError,
            "margin = -1.0 is negative or not a number; expected 0 or more",
        ),
        (
            lambda: ss.f1_curve([3], [4], n=9).at(math.nan),
            ValueError,
            "margin = nan is not a number; expected 0 or more",
        ),
        (
            lambda: ss.f1_curve([3], [4], n=9).at(None),
            TypeError,
            "margin = None is a NoneType; expected 0 or more",
        ),
        (
            lambda: ss.f1_curve([3], [4], n=9).at(-1),
            ValueError,
            "margin = -1.0 is negative or not a number; expected 0 or more",
        ),
        (lambda: ss.f1_curve([3], [4], n=9).reaches("a"), TypeError, "value = 'a' is a str; expected a number"),
        (
            lambda: ss.f1_curve([3], [4], n=9).reaches(math.nan),
            ValueError,
            "value = nan is not a number; expected a number",
        ),
        (
            lambda: ss.f1_curve([3], [4], n=9).area(1, of="f2"),
            ValueError,
            "of = 'f2' is unknown; expected 'f1', 'precision' or 'recall'",
        ),
    ],
)
def test_wrong_arguments_of_curves(call, error, message):
    with pytest.raises(error, match=f"^{re.escape(message)}$"):
        call()


def test_curves_as_results():
    curve = ss.f1_curve([10, 30, 60], [12, 33, 50], n=100)
    assert pickle.loads(pickle.dumps(curve)) == curve
    assert curve != ss.f1_curve([10], [12], n=100)
    assert curve.to_polars().row(1) == (2.0, 1, 1 / 3, 1 / 3, 1 / 3)
    assert curve.to_dict()["points"][3] == {"margin": 10, "matched": 3, "precision": 1.0, "recall": 1.0, "f1": 1.0}
    assert "<td>0.6667</td>" in curve._repr_html_()
    long = repr(ss.f1_curve(range(1, 301), range(301, 601), n=1000)).split("\n")
    assert len(long) == 23 and long[-1] == "... and 281 more"


def test_margins_of_timestamps_may_be_lengths_of_time():
    start, hour = datetime(2024, 1, 1), timedelta(hours=1)
    truth, pred = (
        ss.Segmentation.from_timestamps([start + k * hour for k in hours], start, start + 10 * hour)
        for hours in ((3, 6), (3.5, 7))
    )
    curve = pickle.loads(pickle.dumps(ss.f1_curve(truth, pred)))
    assert [curve.at(k * hour).f1 for k in (0.25, 0.5, 1)] == [0, 0.5, 1]
    assert curve.area(hour) == ss.f1_area(truth, pred, margin=hour) == 0.25
    assert "3600000000        2" in repr(curve)  # in microseconds, in full
    with pytest.raises(TypeError, match=r"^margin = .* is a length of time, but the cuts are not timestamps; expected"):
        ss.f1_curve([3], [4], n=9).at(hour)
