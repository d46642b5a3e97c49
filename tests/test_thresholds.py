"""Cuts with confidences: at every threshold the values are those of the kept cuts, matched anew."""

import itertools
import math
import pickle
import re

import numpy as np
import oracle
import pytest
from hypothesis import given
from hypothesis import strategies as st

import segscore as ss

close = pytest.approx


def check(truth, pred, confidence, *, margin, **length):
    """Compare a curve with one matching per threshold, and the area with its definition; return the curve."""
    curve = ss.precision_recall_curve(truth, pred, confidence=confidence, margin=margin, **length)
    area = recall = 0.0
    assert [point.threshold for point in curve.points] == sorted(set(confidence), reverse=True)
    for point in curve.points:
        kept = [p for p, c in zip(pred, confidence, strict=True) if c >= point.threshold]
        given = {"margin": margin, **length}
        assert (point.kept, point.matched) == (len(kept), len(ss.match(truth, kept, **given).pairs))
        assert point.precision == ss.precision(truth, kept, **given)
        assert point.recall == ss.recall(truth, kept, **given) >= recall
        assert point.f1 == ss.f1(truth, kept, **given)
        assert curve.at(point.threshold) == point
        area += (point.recall - recall) * point.precision
        recall = point.recall
    average = ss.average_precision(truth, pred, confidence=confidence, margin=margin, **length)
    assert average == close(area, nan_ok=True) if truth else math.isnan(average)
    assert curve.average_precision == average or math.isnan(average)
    return curve


def test_the_worked_curve():
    truth, pred, confidence = [10, 30, 60], [12, 29, 45, 61], [0.9, 0.8, 0.7, 0.6]
    curve = check(truth, pred, confidence, n=100, margin=3)
    assert round(curve.average_precision, 6) == 0.916667
    assert curve.best == (0.6, 4, 3, 0.75, 1.0, close(6 / 7))
    assert curve.at(0.65)[:3] == (0.65, 3, 2)
    assert curve.at(2) == (2, 0, 0, 0.0, 0.0, 0.0)
    assert curve.at(-math.inf)[1:3] == (4, 3)


@pytest.mark.parametrize("n", range(1, 7))
def test_every_order_of_the_confidences(n):
    for truth in oracle.segmentations(n):
        for pred in oracle.segmentations(n):
            if len(pred) > 4:
                continue
            for confidence in itertools.permutations(range(len(pred))):
                for margin in range(3):
                    check(truth, pred, confidence, n=n, margin=margin)


@given(st.data())
def test_curves_of_longer_ones(data):
    n = data.draw(st.integers(10, 200))
    cuts = st.sets(st.integers(1, n - 1), max_size=40).map(sorted)
    truth, pred, margin = data.draw(cuts), data.draw(cuts), data.draw(st.integers(0, 40))
    confidence = [data.draw(st.sampled_from([0.1, 0.25, 0.5, 0.9, -3.0, math.inf])) for _ in pred]
    if data.draw(st.booleans()):
        confidence = list(np.random.default_rng(len(pred)).random(len(pred)))
    curve = check(truth, pred, confidence, n=n, margin=margin)
    in_time = [t / 8 for t in truth], [p / 8 for p in pred]
    assert check(*in_time, confidence, duration=n / 8, margin=margin / 8) == curve


def test_many_cuts():
    rng = np.random.default_rng(0)
    truth, pred = (np.unique(rng.integers(1, 10**6, 20_000)) for _ in range(2))
    confidence = rng.integers(0, 50, pred.size) / 50
    curve = ss.precision_recall_curve(truth, pred, confidence=confidence, n=10**6, margin=100)
    for point in curve.points:
        assert point.f1 == ss.f1(truth, pred[confidence >= point.threshold], n=10**6, margin=100)


def test_curves_without_cuts():
    assert ss.average_precision([5], [], confidence=[], n=10, margin=1) == 0
    assert math.isnan(ss.average_precision([], [], confidence=[], n=10, margin=1))
    assert math.isnan(ss.average_precision([], [5], confidence=[1], n=10, margin=1))
    empty = ss.precision_recall_curve([5], [], confidence=[], n=10, margin=1)
    assert empty.best is None and empty.points == [] and empty.at(0).f1 == 0
    assert ss.precision_recall_curve([], [5], confidence=[1], n=10, margin=1).at(2).f1 == 1


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (
            {"confidence": [1]},
            ValueError,
            "confidence has 1 values for 2 predicted cuts; expected one value per cut (0 and n are not cuts)",
        ),
        (
            {"pred": [0, 4], "confidence": [1, 2]},
            ValueError,
            "confidence has 2 values for 1 predicted cuts; expected one value per cut (0 and n are not cuts)",
        ),
        ({"confidence": [1, math.nan]}, ValueError, "confidence[1] = nan is not a number; expected numbers"),
        ({"confidence": [1, "a"]}, TypeError, "confidence[1] = 'a' is a str; confidence must be real numbers"),
        ({"confidence": 3}, TypeError, "confidence is an int; expected a sequence of confidence"),
        (
            {"margin": None},
            TypeError,
            "precision_recall_curve has no margin; expected margin= (0 for the same cut) or relative_margin=",
        ),
        (
            {"truth": ss.LabelledSegmentation([3], "ab", n=9)},
            ValueError,
            "precision_recall_curve compares cuts, not labels; expected the .segmentation of the labelled segmentation",
        ),
    ],
)
def test_wrong_arguments(change, error, message):
    given = {"truth": [3], "pred": [4, 5], "confidence": [1, 2], "n": 9, "margin": 1} | change
    with pytest.raises(error, match=f"^{re.escape(message)}$"):
        ss.precision_recall_curve(given.pop("truth"), given.pop("pred"), **given)


def test_thresholds_that_are_not_numbers():
    curve = ss.precision_recall_curve([3], [4], confidence=[1], n=9, margin=1)
    for wrong in (math.nan, "a"):
        message = f"threshold = {wrong!r} is not a number; expected a number"
        with pytest.raises(TypeError, match=f"^{re.escape(message)}$"):
            curve.at(wrong)


def test_curves_as_results():
    curve = ss.precision_recall_curve([3, 8], [4], confidence=[0.5], n=10, margin=1)
    assert pickle.loads(pickle.dumps(curve)) == curve
    assert curve.to_polars().row(0) == (0.5, 1, 1, 1.0, 0.5, 2 / 3)
    assert curve.to_dict() == {
        "true_cuts": 2,
        "average_precision": 0.5,
        "points": [{"threshold": 0.5, "kept": 1, "matched": 1, "precision": 1.0, "recall": 0.5, "f1": 2 / 3}],
    }
    assert "<td>0.6667</td>" in curve._repr_html_()
