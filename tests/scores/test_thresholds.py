"""Cuts with confidences: at every threshold the values are those of the kept cuts, matched anew."""

import itertools
import math
import pickle
import re

import numpy as np
import oracle
import polars as pl
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
    tied = ss.precision_recall_curve([10, 30], [10, 30, 50, 70], confidence=[4, 1, 1, 1], n=100, margin=0)
    assert [point.f1 for point in tied.points] == [2 / 3, 2 / 3] and tied.best.threshold == 4


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
            "confidence has 1 value for 2 predicted cuts; expected one value per cut (0 and n are not cuts)",
        ),
        (
            {"pred": [0, 4], "confidence": [1, 2]},
            ValueError,
            "confidence has 2 values for 1 predicted cut; expected one value per cut (0 and n are not cuts)",
        ),
        ({"confidence": [1, math.nan]}, ValueError, "confidence[1] = nan is not a number; expected numbers"),
        ({"confidence": [1, "a"]}, TypeError, "confidence[1] = 'a' is a str; confidences must be real numbers"),
        ({"confidence": 3}, TypeError, "confidence is an int; expected a sequence of confidences"),
        ({"confidence": "ab"}, TypeError, "confidence is a str; expected a sequence of confidences"),
        ({"confidence": {1, 2}}, TypeError, "confidence is a set; expected a sequence of confidences"),
        ({"confidence": [True, 1]}, TypeError, "confidence[0] = True is a bool; confidences must be real numbers"),
        ({"confidence": np.array([True])}, TypeError, "confidence holds bool; confidences must be real numbers"),
        (
            {"confidence": np.array([[1.0]])},
            ValueError,
            "confidence has 2 dimensions; expected 1 (confidences are a flat sequence)",
        ),
        (
            {"margin": None},
            TypeError,
            "precision_recall_curve has no margin; expected margin= (0 for the same cut) or relative_margin=",
        ),
    ],
)
def test_wrong_arguments(change, error, message):
    given = {"truth": [3], "pred": [4, 5], "confidence": [1, 2], "n": 9, "margin": 1} | change
    with pytest.raises(error, match=f"^{re.escape(message)}$"):
        ss.precision_recall_curve(given.pop("truth"), given.pop("pred"), **given)


def test_thresholds_that_are_not_numbers():
    curve = ss.precision_recall_curve([3], [4], confidence=[1], n=9, margin=1)
    for wrong, error, message in (
        (math.nan, ValueError, "threshold = nan is not a number; expected a number"),
        ("a", TypeError, "threshold = 'a' is a str; expected a number"),
        (True, TypeError, "threshold = True is a bool; expected a number"),
    ):
        with pytest.raises(error, match=f"^{re.escape(message)}$"):
            curve.at(wrong)
    assert curve.at(np.float32(1)).kept == curve.at(np.int8(1)).kept == 1


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


def table(**change):
    columns = {
        "series": ["a", "b", "a", "b"],
        "method": ["x", "x", "y", "y"],
        "truth": [[10, 30, 60], [50], [10, 30, 60], [50]],
        "pred": [[12, 29, 45, 61], [], [12], [49, 52]],
        "n": [100] * 4,
        "confidence": [[0.9, 0.8, 0.7, 0.6], [], [0.5], [0.1, 0.2]],
    }
    return pl.DataFrame(columns | change)


def by_row(given, **options):
    rows = given.select("truth", "pred", "confidence", "n").iter_rows()
    return [ss.average_precision(t, p, confidence=c, n=n, **options) for t, p, c, n in rows]


def test_a_table_with_confidences():
    names = ["average_precision", "average_precision(margin=0)", "average_precision(relative_margin=0.01)", "f1"]
    wanted = {
        "average_precision(margin=3)": by_row(table(), margin=3),
        "average_precision(margin=0)": by_row(table(), margin=0),
        "average_precision(relative_margin=0.01)": by_row(table(), margin=1),
    }
    for kind in (lambda t: t, lambda t: t.lazy(), lambda t: t.to_arrow(), lambda t: t.to_pandas()):
        scored = pl.DataFrame(
            found.collect() if hasattr(found := ss.score(kind(table()), metrics=names, margin=3), "collect") else found
        )
        assert {name: scored[name].to_list() for name in wanted} == wanted
    assert wanted["average_precision(margin=3)"] == [close(0.916667, abs=1e-6), 0, close(1 / 3), 1]
    halves = table().with_columns(pl.col("truth", "pred").list.eval(pl.element() / 2))
    in_time = ss.score(halves, n=None, duration=50, metrics=names[:1], margin=1.5)
    assert in_time["average_precision(margin=1.5)"].to_list() == wanted["average_precision(margin=3)"]
    board = ss.leaderboard(ss.score(table(), metrics=names[:1], margin=3), "average_precision")
    assert [standing.method for standing in board.standings] == ["y", "x"]
    several = table(truth=[[[10, 30], [12]], [[50], []], [[9]], [[1]]]).head(2)
    scores = ss.score(several, metrics=names[:1], margin=3)["average_precision(margin=3)"].to_list()
    each = [
        ss.average_precision(t, [12, 29, 45, 61], confidence=[9, 8, 7, 6], n=100, margin=3) for t in ([10, 30], [12])
    ]
    assert scores[0] == close(sum(each) / 2) and math.isnan(scores[1])  # as mean_delay: undefined for one annotator


def test_files_with_confidences(tmp_path):
    from segscore.cli import main

    lists = ("truth", "pred", "confidence")
    in_text = [{**row, **{name: str(row[name]) for name in lists}} for row in table().rows(named=True)]
    single = [{**row, "pred": "[12]", "confidence": 1} for row in in_text]  # a column of numbers in CSV
    for name, rows in (("a.csv", in_text), ("b.csv", single)):
        pl.DataFrame(rows).write_csv(tmp_path / name)
    table().write_ndjson(tmp_path / "c.jsonl")
    table().write_parquet(tmp_path / "d.parquet")
    for name in ("a.csv", "b.csv", "c.jsonl", "d.parquet"):
        arguments = [
            "score",
            tmp_path / name,
            "--metrics",
            "average_precision",
            "--margin",
            "3",
            "-o",
            tmp_path / "o.csv",
        ]
        assert main(list(map(str, arguments)), standalone_mode=False) in (0, None)
        found = pl.read_csv(tmp_path / "o.csv")["average_precision(margin=3)"].to_list()
        assert found == ([1 / 3, 0, 1 / 3, 0] if name == "b.csv" else by_row(table(), margin=3))


def test_confidences_that_cannot_be_read():
    wrong = table(confidence=[[0.9], [], None, [0.1, math.nan]])
    scored = ss.score(wrong, metrics=["average_precision", "f1"], margin=3, on_error="null")
    assert scored["status"].to_list() == ["invalid", "ok", "invalid", "invalid"]
    assert scored["average_precision(margin=3)"].to_list() == [None, 0, None, None]
    assert scored["error"].to_list() == [
        "confidence has 1 value for 4 predicted cuts; expected one value per cut (0 and n are not cuts)",
        None,
        "confidence is null; expected a list of numbers, one per predicted cut",
        "confidence[1] = nan is not a number; expected numbers",
    ]
    for runs, options, error, message in (
        (wrong, {}, ValueError, f"row 0: {scored['error'][0]}"),
        (
            table().drop("confidence"),
            {},
            ValueError,
            "table has no column 'confidence'; it has series, method, truth, pred, n; expected the confidences for "
            "average_precision, one number per predicted cut",
        ),
        (
            table(confidence=["[0.9, x]"] * 4),
            {},
            ValueError,
            "row 0: confidence = '[0.9, x]' is not a list of numbers; expected one per cut",
        ),
        (
            table(),
            {"margin": None},
            TypeError,
            "average_precision has no margin; expected margin= (0 for the same cut) or relative_margin=",
        ),
    ):
        with pytest.raises(error, match=f"^{re.escape(message)}$"):
            ss.score(runs, metrics=["average_precision"], **({"margin": 3} | options))
    message = (
        "average_precision needs a confidence of each predicted cut; expected a table with a column confidence "
        "(segscore.score()), or segscore.average_precision()"
    )
    for call in (
        lambda: ss.compare([3], [4], n=9, metrics=["average_precision"], margin=1),
        lambda: ss.pairwise([[3], [4]], n=9, metric="average_precision", margin=1),
    ):
        with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
            call()
