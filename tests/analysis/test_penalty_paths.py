"""Paths of predictions by penalty, from the runs of a study to a curve over penalties."""

import re

import polars as pl
import pytest

import segscore as ss


def runs(**change):
    table = {
        "series": ["a", "a", "b", "b", "a"],
        "method": ["x", "x", "x", "x", "y"],
        "params": ['{"pen":1}', '{"pen":10}', '{"pen":1}', '{"pen":10}', None],
        "pred": [[3, 7], [7], [5], [], [9]],
        "n": [20, 20, 30, 30, 20],
    }
    return pl.DataFrame(table | change)


def test_paths_of_a_study_become_a_curve():
    paths, n = ss.study.penalty_paths(runs(), "x")
    assert paths == {"a": [(1, [3, 7]), (10, [7])], "b": [(1, [5]), (10, [])]}
    assert n == {"a": 20, "b": 30}
    regions = {"a": [(6, 8, "1change"), (2, 6, "0changes")], "b": [(4, 6, "normal")]}
    curve = ss.label_roc(paths, regions, n=n)
    assert [point[:3] for point in curve.points] == [(0, 2, 0), (10, 0, 0)]
    two = runs(params=['{"pen":1,"k":2}', '{"pen":10,"k":2}', '{"pen":1,"k":2}', '{"pen":10,"k":2}', None])
    assert ss.study.penalty_paths(two, "x", "pen") == (paths, n)


def test_paths_of_cuts_in_time_as_text_and_of_settings_as_structs():
    paths, n = ss.study.penalty_paths(runs(), "x")
    texts = runs(pred=["[3, 7]", "[7]", "[5]", "[]", "[9]"])
    assert ss.study.penalty_paths(texts, "x") == (paths, n)
    structs = runs(params=[{"pen": 1}, {"pen": 10}, {"pen": 1}, {"pen": 10}, None])
    assert ss.study.penalty_paths(structs, "x") == (paths, n)
    in_time = runs(pred=[[1.5, 3.5], [3.5], [2.5], [], [4.5]]).rename({"n": "duration"})
    assert ss.study.penalty_paths(in_time, "x")[0]["a"] == [(1, [1.5, 3.5]), (10, [3.5])]


@pytest.mark.parametrize(
    ("table", "arguments", "message"),
    [
        (
            runs(params=["pen=1"] * 5),
            ["x"],
            "params = 'pen=1' is not a JSON object; expected the parameters of the run by name",
        ),
        (
            runs(params=["[1]"] * 5),
            ["x"],
            "params = '[1]' is not a JSON object; expected the parameters of the run by name",
        ),
        (
            runs(n=[20, 21, 30, 30, 20]),
            ["x"],
            "series 'a' has n = 20 and n = 21; expected one length per series",
        ),
        (runs().drop("params"), ["x"], "runs have no column 'params'; they have series, method, pred, n"),
        (runs(), ["z"], "method = 'z' is not in the runs; they have x, y"),
        (runs(), ["x", "k"], "parameter = 'k' is unknown; the runs have the parameters pen"),
        (runs(), ["y"], "a run has no parameters; expected a penalty in each run"),
        (
            runs(params=['{"pen":1,"k":2}'] * 5),
            ["x"],
            "no parameter is given; the runs have the parameters pen, k",
        ),
        (
            runs(pred=[None, [7], [5], [], [9]]),
            ["x"],
            "series 'a' has no prediction for pen = 1; expected a prediction for each penalty (drop the series, or the "
            "penalty)",
        ),
    ],
)
def test_wrong_runs(table, arguments, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        ss.study.penalty_paths(table, *arguments)
