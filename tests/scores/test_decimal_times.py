"""Decimal times and margins: rounding to binary loses no pair that is exactly at the margin."""

import math
from itertools import pairwise

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import segscore as ss

HUNDREDTHS = range(1, 301)


@pytest.mark.parametrize("duration", [3.01, 200, 86400.0, 1e6])
def test_two_decimals_at_every_margin(duration):
    # F1 is monotone in the margin, so three margins per pair stand for all margins from 0.00 to 3.00.
    for i in HUNDREDTHS:
        for j in HUNDREDTHS:
            steps = abs(i - j)
            truth, pred = [i / 100], [j / 100]
            assert ss.f1(truth, pred, duration=duration, margin=steps / 100) == 1.0
            if steps > 0:
                assert ss.f1(truth, pred, duration=duration, margin=(steps - 1) / 100) == 0.0


def test_mir_eval_matches_no_pair_that_segscore_loses():
    segment = pytest.importorskip("mir_eval.segment")
    lost = 0
    for i in range(1, 300, 13):
        for j in range(1, 300, 7):
            sides = [[[0, time / 100], [time / 100, 3.01]] for time in (i, j)]
            for steps in {max(1, abs(i - j) - 1), max(1, abs(i - j)), abs(i - j) + 1}:
                theirs = segment.detection(*map(_array, sides), window=steps / 100, trim=True)[2]
                ours = ss.f1([i / 100], [j / 100], duration=3.01, margin=steps / 100)
                assert ours == (1.0 if abs(i - j) <= steps else 0.0)
                # mir_eval adds the window to a time, which also rounds: it loses pairs exactly at the window.
                assert theirs == ours or (abs(i - j) == steps and theirs == 0)
                lost += theirs != ours
    assert lost > 0


def _array(intervals):
    import numpy as np

    return np.array(intervals, dtype=float)


def test_every_door_widens_the_margin():
    truth, pred, duration, margin = [10.0, 50.0], [10.07, 80.0], 200.0, 0.07
    assert pred[0] - truth[0] > margin
    options = {"duration": duration, "margin": margin}
    for score in (ss.precision, ss.recall, ss.f1):
        assert score(truth, pred, **options) == 0.5
    assert ss.f1(truth, pred, duration=duration, relative_margin=0.00035) == 0.5
    assert ss.compare(truth, pred, metrics=["f1"], **options).f1 == 0.5
    assert ss.match(truth, pred, **options).pairs == [(10.0, 10.07)]
    assert ss.f1_curve(truth, pred, duration=duration).at(margin).f1 == 0.5
    confident = {"confidence": [0.9, 0.1], **options}
    assert ss.precision_recall_curve(truth, pred, **confident).points[0].matched == 1
    assert ss.average_precision(truth, pred, **confident) == 0.5
    assert (
        ss.annotated({"a": truth, "b": [30.0]}, pred, **options).f1
        == ss.annotated_f1([truth, [30.0]], pred, **options)
        > 0.5
    )
    assert ss.annotated_precision({"a": truth, "b": [30.0]}, pred, **options) == 2 / 3
    assert ss.cross([truth], [pred], metric="f1", **options).item() == 0.5
    assert ss.online_f1(truth, pred, duration=duration, max_delay=margin) == 0.5
    assert ss.online(truth, pred, duration=duration, max_delay=margin).delays == [pred[0] - truth[0]]
    assert ss.online(truth, pred, duration=duration).f1_within(margin) == 0.5
    certain = ss.SoftSegmentation(pred, [1.0, 1.0], duration=duration)
    assert [each.observed for each in ss.soft_calibration([truth], [certain], margin=margin).bins] == [0.5]
    runs = pl.DataFrame({"truth": [truth], "pred": [pred], "duration": [duration]})
    assert ss.score(runs, metrics=["f1"], duration="duration", margin=margin)["f1(margin=0.07)"].to_list() == [0.5]


def test_a_stream_widens_its_limit():
    running = ss.RunningOnline(0.07, in_time=True)
    running.truth(10.0)
    assert running.at(10.07).waiting == 1
    running.pred(10.07)
    assert running.at(11.0).detected == 1
    late = ss.RunningOnline(0.07, in_time=True)
    late.truth(10.0)
    late.pred(10.0701)
    assert late.at(11.0).detected == 0


def test_margin_0_points_and_timestamps_stay_exact():
    close = math.nextafter(10.0, 11)
    assert ss.f1([10.0], [close], duration=200, margin=0) == 0.0
    assert ss.f1([10.0], [close], duration=200, margin=1e-300) == 1.0
    assert ss.online_f1([10.0], [close], duration=200, max_delay=0) == 0.0
    far = 2**62
    assert ss.f1([far], [far + 6], n=2**63 - 1, margin=5) == 0.0


@given(st.data())
def test_scores_of_decimal_times_are_those_of_hundredths(data):
    n = data.draw(st.integers(2, 5000))
    cuts = st.sets(st.integers(1, n - 1), max_size=20).map(sorted)
    truth, pred, margin = data.draw(cuts), data.draw(cuts), data.draw(st.integers(0, 30))
    in_time = [[cut / 100 for cut in side] for side in (truth, pred)]
    for score in (ss.precision, ss.recall, ss.f1):
        wanted = score(truth, pred, n=n, margin=margin)
        assert score(*in_time, duration=n / 100, margin=margin / 100) == wanted
    curve = ss.f1_curve(*in_time, duration=n / 100)
    values = [curve.at(step / 100).matched for step in range(margin + 1)]
    assert values == [len(ss.match(*in_time, duration=n / 100, margin=step / 100).pairs) for step in range(margin + 1)]
    assert values == [len(ss.match(truth, pred, n=n, margin=step).pairs) for step in range(margin + 1)]
    assert all(one <= other for one, other in pairwise(values))
