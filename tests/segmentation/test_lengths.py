"""The length of two sides: n=, or that of a Segmentation on either side; the two sides never differ silently."""

import inspect
import re

import pytest

import segscore as ss

OPTIONS = {
    "match": {"margin": 1},
    "pk_curve": {"k": [2, 3]},
    "window_diff_curve": {"k": [2, 3]},
    "rand_test": {"draws": 9, "rng": 1},
    "precision_recall_curve": {"margin": 1, "confidence": [0.5, 0.7]},
    "average_precision": {"margin": 1, "confidence": [0.5, 0.7]},
    "disagreements": {"margin": 1},
}


def options_of(name):
    """Return what a function of two sides needs besides the sides and their length."""
    needs_margin = name in ss.METRICS and ss.METRICS[name].needs_margin
    return OPTIONS.get(name, {"margin": 1} if needs_margin else {})


FUNCTIONS = {name: getattr(ss, name) for name in ss.__all__ if inspect.isfunction(getattr(ss, name))}
OF_TWO = [name for name, f in FUNCTIONS.items() if list(inspect.signature(f).parameters)[:2] == ["truth", "pred"]]


def result(name, truth, pred, **length):
    found = getattr(ss, name)(truth, pred, **options_of(name), **length)
    return found.tolist() if hasattr(found, "tolist") else found


@pytest.mark.parametrize("name", OF_TWO)
def test_the_length_of_either_side_is_that_of_both(name):
    truth, pred = [3, 8], [4, 8]
    wanted = repr(result(name, truth, pred, n=30))
    assert repr(result(name, truth, ss.Segmentation(pred, n=30))) == wanted
    assert repr(result(name, ss.Segmentation(truth, n=30), pred)) == wanted
    assert repr(result(name, truth, ss.Segmentation(pred, n=30), n=30)) == wanted


@pytest.mark.parametrize("name", OF_TWO)
def test_two_lengths_are_refused(name):
    long, short = ss.Segmentation([3, 8], n=30), ss.Segmentation([4, 8], n=20)
    for truth, pred, length, message in (
        (long, short, {}, "pred has n = 20 but truth has n = 30; both sides must have one length"),
        (short, long, {}, "pred has n = 30 but truth has n = 20; both sides must have one length"),
        (long, short, {"n": 30}, "pred has n = 20 but n = 30 was passed; both sides must have one length"),
        ([3, 8], short, {"n": 30}, "pred has n = 20 but n = 30 was passed; both sides must have one length"),
        (short, [3, 8], {"n": 30}, "truth has n = 20 but n = 30 was passed; both sides must have one length"),
    ):
        with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
            result(name, truth, pred, **length)


COUNT_POINTS = {
    *(name for name in OF_TWO if name in ss.METRICS and not ss.METRICS[name].in_time),
    *("boundary_edits", "disagreements"),
}


@pytest.mark.parametrize("name", [name for name in OF_TWO if name != "soft_brier"])  # which has an error of its own
def test_each_takes_a_duration_or_says_that_it_counts_points(name):
    truth, pred, duration = [3.5, 8.25], [4.0, 8.25], 30.5
    known = [ss.Segmentation(cuts, duration=duration) for cuts in (truth, pred)]
    assert "duration" in inspect.signature(getattr(ss, name)).parameters
    if name not in COUNT_POINTS:
        wanted = repr(result(name, truth, pred, duration=duration))
        assert repr(result(name, known[0], pred)) == repr(result(name, truth, known[1])) == wanted
        assert repr(result(name, *known, duration=duration)) == wanted
        with pytest.raises(TypeError, match=r"^n= and duration= exclude each other; expected one of them$"):
            result(name, truth, pred, n=30, duration=duration)
        message = "pred has duration = 31.0 but truth has duration = 30.5; both sides must have one length"
        with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
            result(name, known[0], ss.Segmentation(pred, duration=31))
        return
    for sides, length in (((truth, pred), {"duration": duration}), (known, {})):
        message = f"{name} counts points; expected n=, not duration= (count whole units such as milliseconds"
        with pytest.raises(ValueError, match=f"^{re.escape(message)}[a-z0-9=, ]*[)]$"):
            result(name, *sides, **length)


def test_charts_take_the_length_of_either_side():
    pred = ss.Segmentation([4, 8], n=30)
    wanted = ss.charts.timeline([3, 8], [4, 8], n=30).to_dict()
    assert ss.charts.timeline([3, 8], {"prediction": pred}).to_dict() == wanted
    wanted = ss.charts.pk_curve([3, 8], [4, 8], n=30).to_dict()
    assert ss.charts.pk_curve([3, 8], {"prediction": pred}).to_dict() == wanted
    with pytest.raises(ValueError, match=r"^the segmentations have the lengths 20, 30; expected one length$"):
        ss.charts.timeline(ss.Segmentation([3], n=20), pred)
    message = "pred has n = 30 but truth has n = 20; both sides must have one length"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        ss.charts.pk_curve(ss.Segmentation([3], n=20), pred)
