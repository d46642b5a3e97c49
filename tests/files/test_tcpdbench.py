"""The files of TCPDBench, as tables."""

import json

import polars as pl
import pytest

import segscore as ss
from segscore.compat import tcpdbench
from segscore.study import read_tcpdbench

PEOPLE = {"nile": {"6": [28], "7": [28, 60], "8": []}, "other": {"6": [3]}}
N = 100


def summary(shift=0):
    runs = {
        "default_pelt": [([27 + shift], "SUCCESS"), (None, "TIMEOUT")],
        "oracle_ecp": [([28, 99], "SUCCESS"), ([], "SUCCESS"), (None, "FAIL")],
    }
    return {
        "dataset": "nile",
        "dataset_nobs": N,
        "dataset_ndim": 1,
        "annotations": PEOPLE["nile"],
        "results": {
            method: [
                {
                    "parameters": {"pen": k, "a": None},
                    "task_file": f"{k}.json",
                    "cplocations": cuts,
                    "scores": None if cuts is None else tcpdbench.scores(PEOPLE["nile"], cuts, N),
                    "status": status,
                }
                for k, (cuts, status) in enumerate(found)
            ]
            for method, found in runs.items()
        },
    }


def result(**more):
    found = {"script": "/x/cpdbench_pelt.R", "hostname": "h", "dataset": "nile", "command": "...", "status": "SUCCESS"}
    found |= {
        "error": "None",
        "parameters": {"b": 1, "a": "x"},
        "result": {"cplocations": [60, 27, 27], "runtime": 0.5},
    }
    return found | more


def written(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content))
    return path


def test_annotations(tmp_path):
    found = read_tcpdbench(written(tmp_path / "annotations.json", PEOPLE))
    assert found.rows() == [("nile", "6", [28]), ("nile", "7", [28, 60]), ("nile", "8", []), ("other", "6", [3])]
    assert found.columns == ["series", "annotator", "change_points"]
    assert read_tcpdbench(tmp_path / "annotations.json", shift_r=True).equals(found)


def test_summaries_and_their_published_scores(tmp_path):
    path = written(tmp_path / "summary_nile.json", summary())
    found = read_tcpdbench(path)
    assert found["status"].to_list() == ["ok", "timeout", "ok", "ok", "error"]
    assert found["pred"].to_list() == [[27], None, [28, 99], [], None]
    assert found["params"][0] == '{"a":null,"pen":0}'
    assert found["truth"].to_list() == [[[28], [28, 60], []]] * 5
    for run in found.filter(pl.col("status") == "ok").iter_rows(named=True):
        scores = tcpdbench.scores(dict(enumerate(run["truth"])), run["pred"], run["n"])
        assert scores == {name: run[f"published_{name}"] for name in ("f1", "precision", "recall", "cover")}
    scored = ss.score(found, metrics=["annotated_f1(margin=5)"], on_error="null")
    assert scored["annotated_f1(margin=5)"].null_count() == 2
    assert scored["status"].to_list() == found["status"].to_list()


def test_results_of_runs(tmp_path):
    folder = tmp_path / "abed_results" / "nile"
    written(folder / "default_pelt" / "0a.json", result())
    failed = result(status="FAIL", error="no memory", result={"cplocations": None, "runtime": None})
    written(folder / "oracle_ecp" / "1b.json", failed)
    written(folder / "oracle_ecp" / "2c.json", result(status="SKIP", result={"cplocations": None}))
    found = read_tcpdbench(tmp_path / "abed_results")
    assert found.select("series", "method", "params", "task", "change_points", "status", "error", "seconds").rows() == [
        ("nile", "default_pelt", '{"a":"x","b":1}', "0a.json", [27, 60], "ok", None, 0.5),
        ("nile", "oracle_ecp", '{"a":"x","b":1}', "1b.json", None, "error", "no memory", None),
        ("nile", "oracle_ecp", '{"a":"x","b":1}', "2c.json", None, "skip", None, None),
    ]
    people = read_tcpdbench(written(tmp_path / "annotations.json", PEOPLE))
    scored = ss.score_long(found, people, n=N, metrics=["annotated_f1(margin=5)"])
    assert scored["annotated_f1(margin=5)"].to_list() == [
        ss.annotated([[28], [28, 60], []], [27, 60], n=N, margin=5).f1,
        None,
        None,
    ]
    alone = read_tcpdbench(written(tmp_path / "x.json", result()))
    assert alone["method"].to_list() == ["cpdbench_pelt"]


def test_the_shift_of_the_methods_in_r_is_an_option(tmp_path):
    path = written(tmp_path / "summary_nile.json", summary())
    assert read_tcpdbench(path, shift_r=True)["pred"].to_list() == [[28], None, [28, 99], [], None]
    covering = [
        ss.score(read_tcpdbench(path, shift_r=shift)[:1], metrics=["annotated_covering"])["annotated_covering"][0]
        for shift in (False, True)
    ]
    assert covering == [ss.annotated_covering([[28], [28, 60], []], [cut], n=N) for cut in (27, 28)]
    results = written(tmp_path / "default_wbs" / "0a.json", result())
    assert read_tcpdbench(results, shift_r=True)["change_points"].to_list() == [[28, 61]]


def test_files_of_scores(tmp_path):
    found = read_tcpdbench(written(tmp_path / "f1.json", {"nile": {"pelt": 0.5, "ecp": None}, "other": {"pelt": 1}}))
    assert found.rows() == [("nile", "pelt", 0.5), ("nile", "ecp", None), ("other", "pelt", 1.0)]


def test_files_that_are_not_those_of_tcpdbench(tmp_path):
    other = (
        " is not a file of TCPDBench; expected annotations {series: {annotator: [cuts]}}, the result of a run, a summary, "
        "or scores {series: {method: number}}"
    )
    for content in ([3], {}, {"a": 3}, {"a": {"b": "x"}}, {"a": {"b": [3.5]}}, {**result(), "status": "?"}):
        path = written(tmp_path / "x" / "x.json", content)
        with pytest.raises(ValueError, match="is not a file") as error:
            read_tcpdbench(path)
        assert str(error.value) == f"{path}{other}"
    (tmp_path / "x" / "x.json").write_text("{")
    with pytest.raises(ValueError, match=r"x\.json, column 2: the text ends too early; expected a file of TCPDBench$"):
        read_tcpdbench(tmp_path / "x")
    written(tmp_path / "x" / "x.json", PEOPLE)
    written(tmp_path / "x" / "y.json", result())
    with pytest.raises(ValueError, match=r"x has annotations and results; expected files of one kind in a folder$"):
        read_tcpdbench(tmp_path / "x")
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match=r"empty has no \.json file; expected files of TCPDBench$"):
        read_tcpdbench(tmp_path / "empty")
    assert isinstance(read_tcpdbench(str(tmp_path / "x" / "x.json")), pl.DataFrame)
