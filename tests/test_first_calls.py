"""The first calls of newcomers: data as other libraries have them, and errors that name what to use instead."""

import re

import numpy as np
import polars as pl
import pytest

import segscore as ss
from segscore import Segmentation

LABELS = [0, 0, 0, 1, 1, 2]
FROM_LABELS = "for one label per point use Segmentation.from_labels"
FROM_MASK = ", for 0/1 marks Segmentation.from_mask"
FROM_INTERVALS = "for (start, end) pairs use Segmentation.from_intervals"
WHOLE = (
    "is not whole, but the cuts are points; expected an integer, relative_margin= for a share of the length, or "
    "duration= for cuts in time"
)


def increase(where, remedy):
    return f"{where}; cuts must strictly increase ({remedy})"


@pytest.mark.parametrize(
    ("truth", "message"),
    [
        (LABELS, increase("truth[1] = 0 does not exceed truth[0] = 0", FROM_LABELS)),
        (np.array(LABELS), increase("truth[1] = 0 does not exceed truth[0] = 0", FROM_LABELS)),
        ([2, 1, 1, 0, 0, 0], increase("truth[1] = 1 does not exceed truth[0] = 2", FROM_LABELS)),
        ([1, 0, 0, 1, 0, 0], increase("truth[1] = 0 does not exceed truth[0] = 1", FROM_LABELS + FROM_MASK)),
        ([0, 0, 1, 0, 0], increase("truth[1] = 0 does not exceed truth[0] = 0", FROM_LABELS + FROM_MASK)),
        ([3, 3], increase("truth[1] = 3 does not exceed truth[0] = 3", "drop the repeat")),
        ([5, 3], increase("truth[1] = 3 does not exceed truth[0] = 5", "sort them first")),
        (list("aabbbb"), f"truth[0] = 'a' is a str; cuts must be integers ({FROM_LABELS})"),
        (np.array(list("aabbbb")), f"truth holds <U1; cuts must be integers ({FROM_LABELS})"),
        (np.array([True, False]), "truth holds bool; cuts must be integers (for a mask use Segmentation.from_mask)"),
        ({"Ada": [3]}, "truth is a dict; expected a sequence of cuts (for several annotators use segscore.annotated)"),
        ({3}, "truth is a set; expected a sequence of cuts (use sorted())"),
        ([(0, 3), (3, 6)], f"truth[0] = (0, 3) is a tuple; cuts must be integers ({FROM_INTERVALS})"),
        (
            [[0, 3], [3, 6]],
            f"truth[0] = [0, 3] is a list; cuts must be integers ({FROM_INTERVALS}, for several annotators "
            "segscore.annotated)",
        ),
        (
            [[1, 2, 3, 4], [3]],
            "truth[0] = [1, 2, 3, 4] is a list; cuts must be integers (for several annotators use segscore.annotated)",
        ),
        (
            np.array([(0, 3), (3, 6)]),
            f"truth has 2 dimensions; expected 1 (cuts are a flat sequence; {FROM_INTERVALS})",
        ),
    ],
)
def test_what_is_no_list_of_cuts_is_named(truth, message):
    with pytest.raises((ValueError, TypeError), match=f"^{re.escape(message)}$"):
        ss.rand_index(truth, [3], n=6)


def test_long_labels_and_marks_are_recognised():
    for truth in ([0] * 500 + [1] * 500, np.eye(1, 1000, 300, dtype=int)[0], [0] * 300 + [1] + [0] * 698):
        with pytest.raises(ValueError, match=re.escape(FROM_LABELS + FROM_MASK)):
            ss.rand_index(truth, [3], n=1000)
    with pytest.raises(ValueError, match="from_labels"):
        Segmentation.from_ends(LABELS)


def test_what_the_errors_name_works():
    made = Segmentation.from_labels(LABELS)
    assert made == Segmentation.from_mask([1, 0, 0, 1, 0, 1]) == Segmentation.from_intervals([(0, 3), (3, 5), (5, 6)])
    assert ss.f1(made, [3], margin=0) == pytest.approx(2 / 3)


@pytest.mark.parametrize("at", [0.05, 2.5])
def test_a_margin_in_points_is_whole(at):
    one, sides = ss.Segmentation([3], n=10), {"truth": [3], "pred": [4], "n": 10}
    soft = ss.SoftSegmentation([3], [0.5], n=10)
    for call in (
        lambda: ss.f1(**sides, margin=at),
        lambda: ss.f1_area(**sides, margin=at),
        lambda: ss.order_adjusted_f1(**sides, margin=at),
        lambda: ss.match(**sides, margin=at),
        lambda: ss.compare(**sides, margin=at),
        lambda: ss.compare(**sides, metrics=[f"f1(margin={at})"]),
        lambda: ss.f1_curve(**sides).at(at),
        lambda: ss.f1_curve(**sides).area(at),
        lambda: ss.average_precision(**sides, confidence=[1], margin=at),
        lambda: ss.annotated({"a": [3]}, [4], n=10, margin=at),
        lambda: ss.annotated_f1([[3]], [4], n=10, margin=at),
        lambda: ss.cross([one], [one], metric="f1", margin=at),
        lambda: ss.soft_calibration([one], [soft], margin=at),
        lambda: ss.score(pl.DataFrame({"truth": [[3]], "pred": [[4]]}), n=10, metrics=["f1"], margin=at),
    ):
        with pytest.raises(ValueError, match=f"margin = {at} {re.escape(WHOLE)}$"):
            call()
    delay = (
        f"max_delay = {at} is not whole, but the cuts are points; expected an integer, or duration= for cuts in time"
    )
    for score in (ss.online_f1, ss.mean_delay, ss.online):
        with pytest.raises(ValueError, match=f"^{re.escape(delay)}$"):
            score(**sides, max_delay=at)
    assert ss.f1(**sides, margin=1.0) == ss.f1(**sides, margin=float("inf")) == 1.0


@pytest.mark.parametrize("share", [1, 5])
def test_a_relative_margin_is_below_1(share):
    message = (
        f"relative_margin = {share}.0 is no share of the length; expected a number below 1, or margin= in the unit of "
        "the cuts"
    )
    for length in ({"n": 10}, {"duration": 10}):
        for score in (ss.f1, ss.match, ss.compare):
            with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
                score([3], [4], relative_margin=share, **length)


def test_compare_names_the_scores_that_need_a_margin():
    scores = ss.compare([3], [4], n=10)
    assert scores.left_out == ("precision", "recall", "f1")
    assert repr(scores).endswith("    # left out without margin=: precision, recall, f1\n)")
    message = "f1 needs a margin; give margin= (0 for the same cut) or relative_margin="
    with pytest.raises(AttributeError, match=f"^{re.escape(message)}$"):
        scores.f1  # noqa: B018
    with pytest.raises(KeyError, match=re.escape(message)):
        scores["f1"]
    assert ss.compare([3], [4], n=10, margin=0).left_out == ss.compare([3], [4], n=10, metrics="pk").left_out == ()
    with pytest.raises(AttributeError, match=r"^no score 'f1' here; there are pk$"):
        ss.compare([3], [4], n=10, metrics="pk").f1  # noqa: B018


def test_a_series_of_sktime_holds_segments():
    pd = pytest.importorskip("pandas")
    index = pd.IntervalIndex.from_breaks([0, 3, 8, 10], closed="left")
    song, labelled = pd.Series([1, 2, 1], index=index), Segmentation([3, 8], [1, 2, 1], n=10)
    assert Segmentation(song) == Segmentation.from_intervals(song) == Segmentation(song, n=10) == labelled
    assert Segmentation(index, n=10) == Segmentation.from_intervals(index) == Segmentation([3, 8], n=10)
    assert ss.f1(song, [3, 8], margin=0) == ss.f1(song, [3, 8], n=10, margin=0) == 1.0
    assert ss.rand_index(song, [3, 8]) == ss.rand_index(labelled, [3, 8]) != 1
    assert ss.f1([3.5], pd.Series([1, 2], index=pd.IntervalIndex.from_breaks([0, 3.5, 9])), duration=9, margin=0) == 1
    with pytest.raises(ValueError, match=r"^truth has n = 10 but n = 12 was passed; both sides must have one length$"):
        ss.f1(song, [3], n=12, margin=0)
    assert Segmentation(pd.Series([3, 8]), n=10) == Segmentation([3, 8], n=10)


def test_intervals_keep_labels():
    for song in (Segmentation([4, 7], "ABA", n=10), Segmentation([4.5], [("x", 1), None], duration=10)):
        assert Segmentation.from_intervals(song.to_intervals()) == song
        assert song.to_intervals()[:, 2].tolist() == list(song.labels)


def test_single_scores_of_timestamps_are_in_seconds():
    from datetime import datetime, timedelta

    span = datetime(2024, 5, 1), datetime(2024, 5, 2)
    for unit in ("s", "ms", "ns"):
        sides = [Segmentation.from_timestamps([datetime(2024, 5, 1, h)], *span, unit=unit) for h in (6, 7)]
        assert ss.hausdorff(*sides) == ss.mean_error(*sides) == ss.mean_delay(*sides) == 3600
        assert ss.compare(*sides).hausdorff == ss.cross(*([s] for s in sides), metric="hausdorff").item() == 3600
        assert ss.nearest([sides[0]], [sides[1]], metric="hausdorff").scores.item() == 3600
        rate = ss.false_alarm_rate(*sides, max_delay=timedelta(minutes=5))
        assert rate == pytest.approx(1 / 86400)
