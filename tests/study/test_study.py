"""Studies: every run is isolated, every answer is read as it is, and no run is lost or doubled."""

import ctypes
import errno
import functools
import json
import os
import random
import signal
import subprocess
import sys
import textwrap
import threading
import time
from contextlib import suppress

import numpy as np
import polars as pl
import pytest

import segscore as ss
from segscore import study
from segscore.study import calibration, collection, detectors, digests, journal, progress
from segscore.study.cells import COLUMNS

pytest.importorskip("cloudpickle", reason="cloudpickle is not installed")

# Long limits, so that a loaded machine does not turn an answer into a timeout; a hanging detector costs this much once.
SHORT = {"timeout": 3, "warmup": 3}


def halves(length=140):
    return {"a": np.arange(length, dtype=float), "b": np.arange(length, dtype=float) ** 2}


def run(detectors, series=None, **options):
    return study.run(
        detectors, halves() if series is None else series, **{"out": None, "workers": 2, "progress": False, **options}
    )


# What detectors answer


@pytest.mark.parametrize(
    ("answer", "kind", "cuts"),
    [
        ([100], None, [100]),
        ([100, 200], None, [100]),  # ruptures: ends with n
        ([0, 100, 200], None, [100]),
        ([np.int32(100), 200], "ends", [100]),  # ruptures KernelCPD
        ([200], "ends", []),
        (np.array([100]), "cuts", [100]),
        (np.array([]), "cuts", []),  # claspy: float64
        (np.array([100.0]), None, [100]),
        ((100,), None, [100]),
        (range(50, 200, 50), None, [50, 100, 150]),
        ([], None, []),
        (np.repeat([0, 1], 100), None, [100]),
        (np.repeat([0.0, 1.0], 100), "labels", [100]),  # aeon HMM
        (["x"] * 100 + ["y"] * 100, None, [100]),
        ([(0, 100), (100, 200)], None, [100]),
        ([(0, 50), (100, 200)], "intervals", [50, 100]),
        (ss.Segmentation([100], n=200), None, [100]),
        (pl.Series([100, 150]), None, [100, 150]),
        (np.ma.array([100, 150]), None, [100, 150]),
    ],
)
def test_an_answer_is_read_by_its_kind(answer, kind, cuts):
    assert study.cuts_of(answer, 200, kind) == cuts


def test_a_frame_of_sktime_is_read_by_its_positions():
    pd = pytest.importorskip("pandas")
    assert study.cuts_of(pd.DataFrame({"ilocs": [100]}), 200) == [100]
    assert study.cuts_of(pd.DataFrame({"ilocs": []}), 200) == []
    assert study.cuts_of(pd.DataFrame({"ilocs": [0] * 60 + [1] * 140}), 200) == [60]
    intervals = pd.IntervalIndex.from_tuples([(0, 100), (100, 200)], closed="left")
    assert study.cuts_of(pd.DataFrame({"ilocs": intervals}), 200) == [100]
    points = pd.IntervalIndex.from_tuples([(k, k + 1) for k in range(200)], closed="left")
    assert study.cuts_of(pd.DataFrame({"ilocs": points, "labels": [0] * 70 + [1] * 130}), 200) == [70]
    with pytest.raises(
        ValueError, match=r"the interval \(0, 100\] is closed at right; expected intervals \[start, end\)"
    ):
        study.cuts_of(pd.DataFrame({"ilocs": pd.IntervalIndex.from_tuples([(0, 100)])}), 200)


@pytest.mark.parametrize(
    ("answer", "kind", "message"),
    [
        (100, None, "the answer is 100, a single int; expected a list of cuts, as [100]"),
        (np.float64(7), None, "the answer is 7.0, a single float64; expected a list of cuts, as [100]"),
        (np.array(7), None, "the answer is 7, a single ndarray; expected a list of cuts, as [100]"),
        (np.ma.array([3, 5], mask=[False, True]), None, "the answer has masked values; expected cuts alone, as answer.compressed() gives"),
        (None, None, "the answer is None; expected a list of cuts, which is empty if nothing changes"),
        ("abc", None, "the answer is a str; expected a list or an array of cuts, a Segmentation, labels or intervals"),
        (iter([3]), None, "the answer is a list_iterator; expected a list or an array of cuts, a Segmentation, labels or intervals"),
        ([2.5], None, "answer[0] = 2.5 is not a whole number; expected cuts as integers"),
        ([float("nan")], None, "answer[0] = nan is not a whole number; expected cuts as integers"),
        ([8, 3], None, "cuts[1] = 3 does not exceed cuts[0] = 8; cuts must strictly increase (sort them first)"),
        ([3, 3], None, "cuts[1] = 3 does not exceed cuts[0] = 3; cuts must strictly increase (drop the repeat)"),
        ([3, 12], None, "cuts[1] = 12 is outside 0 < cut < n = 10"),
        ([3, 9], "ends", "the ends stop at 9; expected the last end to be n = 10"),
        ([], "ends", "the ends stop at nothing; expected the last end to be n = 10"),
        ([0, 1], "labels", "the answer has 2 labels but the signal has 10 points; expected one label per point"),
        (np.zeros((2, 3)), None, "the answer has shape (2, 3); expected a list of cuts, or pairs (start, end)"),
        ([3], "intervals", "the answer has shape (1,); expected intervals as pairs (start, end)"),
        ([(0, 5), (4, 10)], None, "the interval [4, 10) overlaps [0, 5); expected intervals in order that do not overlap"),
        ([(0, 12)], None, "the interval [0, 12) is not inside the signal; expected 0 <= start < end <= 10"),
        ([True] * 10, None, "the answer holds one bool per point, which may be marks or labels; expected kind='labels', or segscore.Segmentation.from_mask(marks)"),
        (np.array(["3", "5"]), None, "the answer holds <U1; expected cuts as integers"),
        ([[1], [2, 3]], None, "the answer holds lists of different lengths; expected cuts, or pairs (start, end)"),
        (ss.Segmentation([3], n=9), None, "the answer has n = 9 but the signal has 10 points; expected the same length"),
        ([3], "marks", "kind = 'marks' is unknown; expected 'cuts', 'ends', 'labels', 'intervals' or None"),
    ],
)  # fmt: skip
def test_an_answer_that_is_no_cuts_is_refused(answer, kind, message):
    with pytest.raises((TypeError, ValueError)) as caught:
        study.cuts_of(answer, 10, kind)
    assert str(caught.value) == message


# Detectors, settings and seeds


def test_a_grid_is_every_combination_in_order_with_one_default():
    grid = study.Grid(lambda pen, jump: None, {"pen": [1.0, 2.5], "jump": [1, 5]}, default={"pen": 1, "jump": 5})
    found = detectors.settings_of("x", grid)
    assert [params for params, _ in found] == [
        {"pen": 1.0, "jump": 1}, {"pen": 1.0, "jump": 5}, {"pen": 2.5, "jump": 1}, {"pen": 2.5, "jump": 5}
    ]  # fmt: skip
    assert [default for _, default in found] == [False, True, False, False]
    assert detectors.settings_of("x", study.Grid(list, {"pen": [3]})) == [({"pen": 3}, True)]  # the only one
    assert detectors.canonical_params({"pen": np.float64(3), "a": "x"}, "x") == '{"a":"x","pen":3}'


@pytest.mark.parametrize(
    ("detector", "message"),
    [
        (study.Grid(list, {"pen": []}), "detector 'x' has no value for 'pen'; expected a list with at least one value"),
        (study.Grid(list, {"pen": [1, 1.0]}), "detector 'x' has two settings that are equal; expected different values in each list"),
        (study.Grid(list, {"pen": [1]}, default={"pen": 2}), "detector 'x' has the default {\"pen\":2}; expected a setting of its grid"),
        (study.Grid(list, {"pen": [{1}]}), "detector 'x' has the setting {'pen': {1}}; expected numbers, text, bools or None as values (let make build other objects)"),
        (study.Grid(list, {"pen": 3}), "detector 'x' has 'pen' = 3; expected a list of values"),
        (study.Grid(list, {"cost": "l2"}), "detector 'x' has 'cost' = 'l2'; expected a list of values"),
        (study.Grid(list, [("pen", [1])]), "detector 'x' has parameters = [('pen', [1])]; expected a mapping"),
        (study.Grid(list, {"pen": [1]}, default=[1]), "detector 'x' has default = [1]; expected a mapping"),
        (study.Grid(3, {"pen": [1]}), "detector 'x' has make = 3; expected a class or a function that returns a detector"),
        (3, "detector 'x' is 3; expected a function signal -> cuts, or an object with fit and predict"),
        (list, "detector 'x' is the class list; expected an object: list(...)"),
        (study.Detector(len, kind="marks"), "kind = 'marks' is unknown; expected 'cuts', 'ends', 'labels', 'intervals' or None"),
        (study.Detector(len, predict={"pen": 3}), "detector 'x' has predict = {'pen': 3}; expected predict= only for an object of ruptures"),
        (study.Detector(len, shift=0.5), "shift = 0.5 is a float; expected an integer"),
    ],
)  # fmt: skip
def test_a_detector_that_cannot_be_one_is_refused(detector, message):
    with pytest.raises((TypeError, ValueError)) as caught:
        run({"x": detector})
    assert str(caught.value) == message


def test_names_with_half_a_character_are_refused_before_the_first_run(tmp_path):
    ran = tmp_path / "ran"
    with pytest.raises(ValueError, match="half a character") as caught:
        run({"x": lambda signal: ran.touch() or [], "y\udcff": len})
    assert str(caught.value) == (
        "the name of a detector is 'y\\udcff', which has half a character; expected text that UTF-8 can hold"
    )
    assert not ran.exists()
    odd = study.Grid(lambda name: lambda signal: [len(name)], {"name": ["\udcff", "\ud800x"]})
    found = run({"x": odd}, out=tmp_path / "runs.parquet")  # settings are written as JSON, which escapes them
    assert found["pred"].to_list() == [[1], [2]] * 2
    assert [json.loads(text)["name"] for text in found["params"][:2]] == ["\udcff", "\ud800x"]


def test_a_ruptures_object_needs_what_predict_needs():
    rpt = pytest.importorskip("ruptures")
    with pytest.raises(
        ValueError, match="Pelt of ruptures, whose predict needs pen, n_bkps or epsilon; expected"
    ) as caught:
        run({"PELT": rpt.Pelt()})
    assert str(caught.value).endswith('study.Detector(Pelt(...), predict={"pen": 10})')


def test_a_seed_reaches_a_detector_in_every_way():
    def every(signal, random_state, seed=None):
        return [1 + random_state % 9, 10 + seed % 9, 20 + random.randrange(9), 30 + np.random.randint(9)]

    found = run({"x": every}, repeats=2, workers=1)
    again = run({"x": every}, repeats=2, workers=2)
    assert found["status"].to_list() == ["ok"] * 4
    assert found["pred"].to_list() == again["pred"].to_list()
    assert found["seed"].to_list() == [digests.run_seed(0, s, "x", None, r) for s in "ab" for r in (0, 1)]
    other = run({"x": every}, repeats=2, seed=1)
    assert found["pred"].to_list() != other["pred"].to_list()
    assert [cuts[0] for cuts in found["pred"]] == [1 + seed % 2**32 % 9 for seed in found["seed"]]
    assert [cuts[1] for cuts in found["pred"]] == [10 + seed % 9 for seed in found["seed"]]


def test_numbers_of_numpy_are_numbers():
    options = {"workers": 1, "timeout": 60, "warmup": 60, "repeats": 2, "seed": 3, "cores": 1, "memory": 10**9}
    plain = run({"x": lambda signal, seed: [1 + seed % 99]}, **options)
    found = run({"x": lambda signal, seed: [1 + seed % 99]}, **{name: np.int64(k) for name, k in options.items()})
    assert found["pred"].to_list() == plain["pred"].to_list() and found["status"].to_list() == ["ok"] * 4


# The series


def test_series_are_a_mapping_a_table_or_a_folder(tmp_path):
    made = ss.simulate.signal("teeth", rng=1)
    (one,) = collection.read_series({"teeth": made})
    assert (one.name, one.truth, one.group, len(one.signal)) == ("teeth", [made.truth.cuts], None, 140)
    table = pl.DataFrame({"series": ["a"], "signal": [[1.0, 2, 3]], "truth": [[[1], [2]]], "group": ["g"]})
    (one,) = collection.read_series(table)
    assert (one.truth, one.annotators, one.group) == ([[1], [2]], True, "g")
    results = pl.DataFrame({"series": ["a", "a"], "method": ["x", "y"], "signal": [None, [1.0, 2]], "pred": [[1], [1]]})
    (one,) = collection.read_series(results)  # a signal may stand in one row of several
    assert one.name == "a" and one.signal.tolist() == [1, 2]
    data = {"name": "nile", "n_obs": 3, "series": [{"label": "V1", "raw": [1, None, 3]}]}
    (tmp_path / "nile.json").write_text(json.dumps(data))
    (tmp_path / "annotations.json").write_text(json.dumps({"nile": {"6": [1], "7": []}}))
    (one,) = collection.read_series(tmp_path)
    assert (one.name, one.truth, one.annotators) == ("nile", [[1], []], True)
    assert np.isnan(one.signal[1])


GOOD = '{"name": "a", "n_obs": 4, "series": [{"raw": [1, null, 2.5, 3]}]}'
ONE = "a series of the Turing Change Point Dataset"


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("a.json", "", f", column 1: the text ends too early; expected {ONE}"),
        ("a.json", GOOD[:-2], f", column {len(GOOD) - 1}: the text ends too early; expected {ONE}"),
        ("a.json", GOOD.replace("2.5", "NaN"), f": NaN is not a number of JSON; expected {ONE}"),
        ("a.json", GOOD.replace("2.5", "1e999"), f": 1e999 is too large for a number; expected {ONE}"),
        ("a.json", GOOD.replace("2.5", "9" * 50), f": {'9' * 20}... has 50 digits; expected {ONE}"),
        ("a.json", '{"name": "b", ' + GOOD[1:], f": the key 'name' occurs twice in one object; expected {ONE}"),
        ("a.json", "[" * 10**5, f" has lists or objects too deep inside others; expected {ONE}"),
        ("a.json", b"\xff", ", line 1: byte 0xff is not UTF-8; expected UTF-8 or UTF-16 (save the file as UTF-8)"),
        ("a.json", GOOD.replace('"a"', '"\\udcff"'), f": \\udcff is half a character; expected {ONE}"),
        ("a.json", "[]", " is not a series of the Turing Change Point Dataset; expected name, n_obs, series"),
        ("a.json", GOOD.replace('"a"', "3"), ": name = 3; expected text"),
        ("a.json", GOOD.replace("4", '"4"'), ": n_obs = '4'; expected the number of observations"),
        ("a.json", GOOD.replace("4", "true"), ": n_obs = True; expected the number of observations"),
        ("a.json", GOOD.replace("4", "99"), ": n_obs = 99, but series[0] has 4 values; expected one value per observation"),
        ("a.json", GOOD.replace("]}]", ']}, {"raw": [1]}]'), ": n_obs = 4, but series[1] has 1 value; expected one value per observation"),
        ("a.json", GOOD.replace("2.5", '"2.5"'), ": series[0].raw[2] = '2.5'; expected a number or null"),
        ("a.json", GOOD.replace("2.5", "true"), ": series[0].raw[2] = True; expected a number or null"),
        ("a.json", GOOD.replace("2.5", "[2.5]"), ": series[0].raw[2] = [2.5]; expected a number or null"),
        ("a.json", GOOD.replace("raw", "values"), ": series = [{'values': [1, None, 2.5, 3]}]; expected a list of channels, each with raw = [values]"),
        ("a.json", '{"name": "a", "n_obs": 4, "series": {}}', ": series = {}; expected a list of channels, each with raw = [values]"),
        ("a.json", '{"name": "a", "n_obs": 4, "series": []}', ": series = []; expected a list of channels, each with raw = [values]"),
        ("annotations.json", "{", ", column 2: the text ends too early; expected annotations {series: {annotator: [cuts]}}"),
        ("annotations.json", "[]", " holds []; expected annotations {series: {annotator: [cuts]}}"),
        ("annotations.json", '{"a": [3]}', " has [3] for series 'a'; expected annotations {series: {annotator: [cuts]}}"),
        ("annotations.json", '{"a": {"6": 3}}', " has {'6': 3} for series 'a'; expected annotations {series: {annotator: [cuts]}}"),
        ("annotations.json", '{"a": {"6": [1.5]}}', " has {'6': [1.5]} for series 'a'; expected annotations {series: {annotator: [cuts]}}"),
        ("annotations.json", '{"a": {"6": [9]}}', ": the truth of series 'a': cuts[0] = 9 is outside 0 < cut < n = 4"),
    ],
)  # fmt: skip
def test_a_folder_with_a_damaged_file_is_refused_by_the_name_of_the_file(tmp_path, file, text, message):
    (tmp_path / "a.json").write_text(GOOD)
    (tmp_path / file).write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ValueError, match=r"expected|outside") as caught:
        study.run({"x": lambda signal: []}, tmp_path, out=None)
    assert str(caught.value) == f"{tmp_path / file}{message}"


@pytest.mark.parametrize("read", [collection.read_series, study.read_tcpdbench])
def test_a_named_pipe_in_a_folder_is_refused_and_nothing_waits_for_it(tmp_path, read):
    pipe = tmp_path / "a.json"
    os.mkfifo(pipe)

    def write():  # so that a reader does not wait here
        with suppress(BrokenPipeError):  # the reader may be gone before the byte comes
            pipe.write_bytes(b"{")

    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    with pytest.raises(ValueError, match="expected") as caught:
        read(tmp_path)
    assert str(caught.value) == (
        f"{pipe} can be read only once, as it is a pipe or a device; expected a file for the format json"
    )
    os.close(os.open(pipe, os.O_RDONLY | os.O_NONBLOCK))  # lets the thread end
    writer.join(timeout=10)


@pytest.mark.parametrize(
    ("series", "message"),
    [
        ({}, f"series is empty; {collection.EXPECTED}"),
        ({"a\udcff": [1, 2]}, "the name of a series is 'a\\udcff', which has half a character; expected text that UTF-8 can hold"),
        ({"a": ["x", "y"]}, "the signal of series 'a' is ['x', 'y']; expected numbers (a truth goes next to its signal: (signal, cuts), or the column truth of a table)"),
        ({"a": ["1", "2"]}, "the signal of series 'a' is ['1', '2']; expected numbers (a truth goes next to its signal: (signal, cuts), or the column truth of a table)"),
        ({"a": [1j, 2]}, "the signal of series 'a' is [1j, 2]; expected numbers (a truth goes next to its signal: (signal, cuts), or the column truth of a table)"),
        ({"a": np.zeros((2, 2, 2))}, "the signal of series 'a' has 3 dimensions; expected one value per point, or one row per point with one value per channel"),
        (3, f"series is a int; {collection.EXPECTED}"),
        ("/nowhere", f"there is no folder /nowhere; {collection.EXPECTED}"),
        (pl.DataFrame({"series": ["a"]}), "series have no column 'signal'; they have series"),
        (pl.DataFrame({"series": ["a", "a"], "signal": [[1.0], [2.0]]}), "series has two rows named 'a'; expected one row per series"),
        (pl.DataFrame({"series": ["a"], "signal": [[1.0, 2.0]], "truth": [[5]]}), "the truth of series 'a': cuts[0] = 5 is outside 0 < cut < n = 2"),
    ],
)  # fmt: skip
def test_series_that_cannot_be_read_are_refused(series, message):
    with pytest.raises((TypeError, ValueError)) as caught:
        study.run({"x": lambda signal: []}, series, out=None)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"timeout": 0}, "timeout = 0 is not a time limit; expected a positive number of seconds"),
        ({"timeout": True}, "timeout = True is not a time limit; expected a positive number of seconds"),
        ({"timeout": float("nan")}, "timeout = nan is not a time limit; expected a positive number of seconds"),
        ({"warmup": "x"}, "warmup = 'x' is not a time limit; expected a positive number of seconds"),
        ({"memory": 0}, "memory = 0 is out of range; expected an integer of at least 1"),
        ({"repeats": 0}, "repeats = 0 is out of range; expected an integer of at least 1"),
        ({"workers": 0}, "workers = 0 is out of range; expected an integer of at least 1"),
        ({"seed": "x"}, "seed = 'x' is a str; expected an integer"),
        ({"executor": 3}, "executor = 3 is a int; expected a distributed.Client"),
        ({"retry": "all"}, "retry = 'all' is unknown; expected 'failed' or None"),
        ({"out": "runs.csv"}, "runs.csv ends with '.csv'; expected .parquet"),
    ],
)
def test_limits_that_are_none_are_refused(options, message):
    with pytest.raises((TypeError, ValueError)) as caught:
        run({"x": lambda signal: []}, **options)
    assert str(caught.value) == message


# Isolation


def test_every_kind_of_failure_is_a_row_and_all_others_go_on():
    def long_in_c(signal):  # a call that never gives the interpreter's lock back
        ctypes.PyDLL(None).sleep(1000)

    def without_end(signal):
        while True:
            pass

    def too_much(signal):
        return np.ones(500_000_000)

    def skipped(signal):
        raise study.Skip("several channels")

    def wrong(signal):
        raise ValueError("first line\nsecond line")

    def silent(signal):
        raise KeyError

    failing = {
        "long in C": long_in_c,
        "without end": without_end,
        "too much": too_much,
        "fault": lambda signal: ctypes.string_at(0),
        "exit": lambda signal: os._exit(3),
        "sys.exit": lambda signal: sys.exit(3),
        "MemoryError": lambda signal: bytearray(2**62),
        "wrong": wrong,
        "silent": silent,
        "out of order": lambda signal: [5, 3],
        "number": lambda signal: 7,
        "skipped": skipped,
        "prints": lambda signal: print("noise") or (os.write(1, b"noise") and [70]),
        "good": lambda signal: [len(signal) // 2],
    }
    found = run(failing, memory=10**9, **SHORT)
    rows = {row["method"]: row for row in found.filter(series="a").iter_rows(named=True)}
    assert {name: (row["status"], row["error"]) for name, row in rows.items()} == {
        "long in C": ("timeout", "the run took more than 3 s"),
        "without end": ("timeout", "the run took more than 3 s"),
        "too much": ("memory", rows["too much"]["error"]),
        "fault": ("crash", "the process was killed by SIGSEGV"),
        "exit": ("crash", "the process ended with exit code 3"),
        "sys.exit": ("error", "SystemExit: 3"),
        "MemoryError": ("memory", "MemoryError"),
        "wrong": ("error", "ValueError: first line"),
        "silent": ("error", "KeyError"),
        "out of order": ("invalid", "ValueError: cuts[1] = 3 does not exceed cuts[0] = 5; cuts must strictly increase (sort them first)"),
        "number": ("invalid", "TypeError: the answer is 7, a single int; expected a list of cuts, as [100]"),
        "skipped": ("skip", "several channels"),
        "prints": ("ok", None),
        "good": ("ok", None),
    }  # fmt: skip
    assert "Unable to allocate" in rows["too much"]["error"]
    assert found.filter(series="b")["status"].to_list() == found.filter(series="a")["status"].to_list()
    assert found.filter(status="ok")["pred"].to_list() == [[70]] * 4
    assert found.filter(pl.col("status") != "ok")["pred"].null_count() == 24
    assert rows["without end"]["seconds"] == 3


def test_a_worker_that_dies_in_its_warm_up_is_replaced_and_the_run_goes_on_cold():
    def dies_on_steps(signal):
        if len(signal) == calibration.LENGTH:
            os._exit(1)
        return [len(signal) // 2]

    assert run({"x": dies_on_steps}, **SHORT)["pred"].to_list() == [[70], [70]]


def test_the_columns_are_those_of_the_contract(tmp_path):
    series = pl.DataFrame({"series": ["a"], "signal": [[0.0] * 50], "truth": [[20]], "group": ["g"]})
    grid = study.Grid(lambda k: lambda signal: [k], {"k": [10, 20]}, default={"k": 20})
    found = run({"x": grid}, series, out=tmp_path / "runs.parquet", seed=5)
    assert tuple(found.columns) == COLUMNS
    assert found.schema == {
        **{"series": pl.String, "group": pl.String, "method": pl.String, "params": pl.String, "default": pl.Boolean},
        **{
            "knows": pl.String,
            "repeat": pl.Int64,
            "n": pl.Int64,
            "truth": pl.List(pl.Int64),
            "pred": pl.List(pl.Int64),
        },
        **{"status": pl.String, "error": pl.String, "seconds": pl.Float64, "cpu_seconds": pl.Float64},
        **{"warmup_seconds": pl.Float64, "first_call": pl.Boolean, "memory": pl.Int64, "seed": pl.UInt64},
        **{"random": pl.Boolean, "started": pl.Datetime("ms", "UTC"), "machine": pl.String, "versions": pl.String},
        **{"plan": pl.String, "key": pl.String},
    }
    first, second = found.rows(named=True)
    assert (first["params"], first["default"], first["pred"]) == ('{"k":10}', False, [10])
    assert (second["params"], second["default"], second["pred"]) == ('{"k":20}', True, [20])
    assert (first["group"], first["n"], first["truth"], first["repeat"]) == ("g", 50, [20], 0)
    versions = json.loads(first["versions"])
    assert versions["segscore"] == ss.__version__ and versions["numpy"] == np.__version__
    assert pl.read_parquet(tmp_path / "runs.parquet").equals(found)


def test_truths_of_one_and_of_several_annotators_stand_in_one_table(tmp_path):
    for name, people in (("one", {"a": [1]}), ("two", {"a": [1], "b": [2]}), ("none", None)):
        data = {"name": name, "n_obs": 3, "series": [{"label": "V1", "raw": [1, 2, 3]}]}
        (tmp_path / f"{name}.json").write_text(json.dumps(data))
        if people is not None:
            known = tmp_path / "annotations.json"
            known.write_text(json.dumps({**(json.loads(known.read_text()) if known.exists() else {}), name: people}))
    found = run({"x": lambda signal: [1]}, tmp_path)
    assert dict(found.select("series", "truth").rows()) == {"one": [[1]], "two": [[1], [2]], "none": None}


def test_time_and_memory_are_those_of_the_call_alone():
    def works(signal):
        start = time.process_time()
        while time.process_time() - start < 0.2:
            pass
        return []

    def allocates(signal):
        return [int(np.ones(12_500_000).sum()) // 10**6]

    found = run({"works": works, "allocates": allocates, "nothing": lambda signal: []}, {"a": np.zeros(50)}, workers=1)
    rows = {row["method"]: row for row in found.iter_rows(named=True)}
    assert rows["works"]["seconds"] >= 0.19 and rows["works"]["cpu_seconds"] >= 0.19
    assert rows["works"]["warmup_seconds"] >= 0.19
    if rows["nothing"]["memory"] is not None:  # Linux alone
        assert 95e6 < rows["allocates"]["memory"] < 140e6
        assert rows["nothing"]["memory"] < 5e6


# Calibration


def test_a_detector_that_is_one_point_off_stops_the_study_unless_it_says_so():
    def last_points(signal):
        return [int(np.abs(np.diff(signal)).argmax())]

    series = {"a": np.repeat([0.0, 1.0], [30, 20])}
    with pytest.raises(ValueError, match="X puts the cut at 99, but") as caught:
        run({"X": last_points}, series)
    assert str(caught.value) == (
        "X puts the cut at 99, but the step is at 100; expected shift=1 if this is its convention, else shift=0"
    )
    assert run({"X": study.Detector(last_points, shift=1)}, series)["pred"].to_list() == [[30]]
    assert run({"X": study.Detector(last_points, shift=0)}, series)["pred"].to_list() == [[29]]


def test_only_the_same_shift_in_both_directions_is_a_convention():
    for cuts in ([99], [101]):
        with pytest.raises(ValueError, match=f"puts the cut at {cuts[0]}, but the step is at 100; expected shift="):
            calibration.finds_step("X", cuts, cuts)
    assert not calibration.finds_step("X", [99], [101])  # the noise decides, not a convention
    assert not calibration.finds_step("X", [99], None) and not calibration.finds_step("X", [98], [98])
    assert calibration.finds_step("X", [100], [99]) and calibration.finds_step("X", [99], [100])


def test_a_detector_that_does_not_find_the_step_is_only_noted(capfd):
    run({"x": lambda signal: [], "y": lambda signal: [len(signal) // 2]}, progress=True)
    assert capfd.readouterr().err == (
        "note: the convention of x is not checked, because the step of the calibration signal was not found\n"
    )


def test_the_calibration_signal_has_as_many_channels_as_the_series():
    assert calibration.step(0).shape == (200,)
    assert calibration.step(3).shape == (200, 3)
    assert np.array_equal(calibration.step(1, reverse=True)[::-1], calibration.step(1))
    found = run({"x": lambda signal: [signal.shape[1]] if signal.ndim == 2 else 1 / 0}, {"a": np.zeros((50, 3))})
    assert found["pred"].to_list() == [[3]]


# The journal


def test_a_study_goes_on_where_it_was_and_runs_changed_code_and_data_again(tmp_path, monkeypatch):
    marks, out = tmp_path / "marks", tmp_path / "runs.parquet"

    def counted(cut, text):
        def detect(signal, seed):
            if seed != 0:  # not in a first call outside of a run
                with open(text, "a") as file:
                    file.write("x")
            return [cut]

        return detect

    def count():
        number = len(marks.read_text()) if marks.exists() else 0
        marks.unlink(missing_ok=True)
        return number

    first = run({"x": counted(30, str(marks))}, out=out)
    assert count() == 2
    assert run({"x": counted(30, str(marks))}, out=out).equals(first)
    assert count() == 0
    assert run({"x": counted(31, str(marks))}, out=out)["pred"].to_list() == [[31], [31]]
    assert count() == 2
    changed = {**halves(), "b": np.ones(140)}
    assert run({"x": counted(31, str(marks))}, changed, out=out)["pred"].to_list() == [[31], [31]]
    assert count() == 1
    assert run({"x": counted(30, str(marks))}, out=out).equals(first)
    assert count() == 0
    assert run({"x": counted(30, str(marks))}, out=out, seed=1)["seed"].to_list() != first["seed"].to_list()
    assert count() == 2
    assert run({"x": counted(30, str(marks))}, out=out, repeats=2).height == 4
    assert count() == 2
    monkeypatch.setattr(digests, "_version", lambda package: "next")  # of NumPy, for example
    assert json.loads(run({"x": counted(30, str(marks))}, out=out)["versions"][0])["numpy"] == "next"
    assert count() == 2


def test_the_order_of_the_runs_is_shuffled(tmp_path):
    series = {f"s{k}": np.zeros(50) + k for k in range(12)}
    found = run({"x": lambda signal: [3], "y": lambda signal: [4]}, series, out=tmp_path / "runs.parquet", workers=1)
    lines = (tmp_path / "runs.parquet.journal").read_text().splitlines()
    ran = [(json.loads(line)["series"], json.loads(line)["method"]) for line in lines]
    table = found.select("series", "method").rows()
    assert sorted(ran) == sorted(table) and ran != table
    methods = [method for _, method in ran]
    assert methods[:12] != ["x"] * 12 and methods[:12] != ["y"] * 12  # a slow hour does not hit one method


def test_failed_runs_are_run_again_if_asked(tmp_path):
    switch, out = str(tmp_path / "switch"), tmp_path / "runs.parquet"

    def moody(signal):
        return [3] if os.path.exists(switch) else 1 / 0

    detectors = {"moody": moody, "good": lambda signal: [4]}
    first = run(detectors, out=out)
    assert first["status"].to_list() == ["error", "ok"] * 2
    (tmp_path / "switch").touch()
    assert run(detectors, out=out)["status"].to_list() == ["error", "ok"] * 2
    again = run(detectors, out=out, retry="failed")
    assert again["pred"].to_list() == [[3], [4]] * 2
    assert again.filter(method="good").equals(first.filter(method="good"))


def test_a_torn_line_is_dropped_and_a_foreign_file_is_refused(tmp_path):
    out = tmp_path / "runs.parquet"
    first = run({"x": lambda signal: [3]}, out=out)
    path = journal.journal_of(out)
    lines = path.read_text().splitlines(keepends=True)
    path.write_text(lines[0] + lines[1][:40])
    again = run({"x": lambda signal: [3]}, out=out)
    assert again.drop("started", "seconds", "cpu_seconds", "memory", "warmup_seconds").equals(
        first.drop("started", "seconds", "cpu_seconds", "memory", "warmup_seconds")
    )
    assert sorted(json.loads(line)["key"] for line in path.read_text().splitlines()) == sorted(first["key"].to_list())
    path.write_text("hello\n")
    with pytest.raises(ValueError, match="line 1: 'hello' is not a finished cell") as caught:
        run({"x": lambda signal: [3]}, out=out)
    assert str(caught.value) == (
        f"{path}, line 1: 'hello' is not a finished cell, or is damaged; expected a journal that segscore wrote (remove "
        "this line, or the file)"
    )


def test_a_damaged_journal_is_refused_or_gives_the_same_rows(tmp_path):
    path, noise = tmp_path / "runs.parquet.journal", np.random.default_rng(0)
    row = {"key": "k", "series": "\u00e4", "pred": [3, 17], "seconds": 0.1 + 0.2, "status": "ok", "error": None}
    with journal.Journal(path) as kept:
        kept.add(row)
        kept.add({**row, "key": "l", "memory": 12345})
        rows = kept.rows
    text = path.read_bytes()
    errors = []
    for _ in range(400):
        damaged = bytearray(text)
        start, size = noise.integers(len(text)), noise.integers(1, 6)
        damaged[start : start + size] = noise.bytes(noise.integers(0, 6))
        path.write_bytes(damaged)
        try:
            with journal.Journal(path) as found:
                assert all(rows[key] == value for key, value in found.rows.items())
        except ValueError as error:
            errors.append(str(error))
    assert 300 < len(errors) < 400 and all(" is not a finished cell, or is damaged; " in error for error in errors)
    for line in (
        b"[" * 10**5,
        b"3",
        b"{}",
        b'{"checksum":0}',
        b'{"checksum":2745614147}',
        b"\xff",
        b"",
        text[:20] + b"\x00" * 40,
    ):
        path.write_bytes(line + b"\n" + text)
        with pytest.raises(ValueError, match=r"line 1: .* is not a finished cell, or is damaged"):
            journal.Journal(path)


def test_a_full_disk_is_an_error_about_the_journal_after_the_table_is_written(tmp_path):
    resource = pytest.importorskip("resource", reason="this system has no limits of files")
    out, series = tmp_path / "runs.parquet", {f"s{k}": np.arange(50.0) for k in range(60)}
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2**14, before[1]))
    try:
        with pytest.raises(OSError, match="cannot be written") as caught:
            run({"x": lambda signal: [3]}, series, out=out)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    path = journal.journal_of(out)
    assert str(caught.value) == f"{path} cannot be written: {os.strerror(errno.EFBIG)}"
    assert 5 < pl.read_parquet(out).height == path.read_bytes().count(b"\n") < 60
    assert run({"x": lambda signal: [3]}, series, out=out)["status"].to_list() == ["ok"] * 60


def test_a_journal_that_is_no_regular_file_is_refused(tmp_path):
    path = journal.journal_of(tmp_path / "runs.parquet")
    expected = "expected a regular file or a new name as output"
    os.mkfifo(path)
    with pytest.raises(ValueError, match=f"^{path} is a FIFO, a socket or a device; {expected}$"):
        run({"x": lambda signal: [3]}, out=tmp_path / "runs.parquet")
    path.unlink()
    path.symlink_to("/dev/full")  # which never ends
    with pytest.raises(ValueError, match=f"^/dev/full is a FIFO, a socket or a device; {expected}$"):
        run({"x": lambda signal: [3]}, out=tmp_path / "runs.parquet")
    path.unlink()
    path.mkdir()
    with pytest.raises(ValueError, match=f"^{path} is a folder; {expected}$"):
        run({"x": lambda signal: [3]}, out=tmp_path / "runs.parquet")


def test_two_studies_do_not_write_to_one_journal(tmp_path):
    path = tmp_path / "runs.parquet.journal"
    with journal.Journal(path), pytest.raises(ValueError, match="another study is writing") as caught:
        journal.Journal(path)
    assert str(caught.value) == (
        f"another study is writing to {path}; expected another output (or wait until the other study ends)"
    )


STUDY = textwrap.dedent("""
    import os, sys, time
    import numpy as np
    from segscore import study

    def slow(signal):
        while len(signal) in (108, 109) and os.path.exists(hold):  # until the study is ended
            open(hold + str(len(signal)), "w").close()
            time.sleep(0.01)
        time.sleep(0.02)
        return [len(signal) // 2]

    hold = sys.argv[1] + ".hold"
    series = {f"s{k}": np.full(100 + k, float(k)) for k in range(10)}
    detectors = {"slow": slow, "fails": lambda signal: 1 / 0, "third": lambda signal: [len(signal) // 3]}
    study.run(detectors, series, out=sys.argv[1], workers=2, progress=False)
""")


def started(tmp_path, number):
    script, out = tmp_path / "script.py", tmp_path / f"runs{number}.parquet"
    script.write_text(STUDY)
    return out, lambda: subprocess.Popen([sys.executable, str(script), str(out)], stderr=subprocess.PIPE)


def lines_of(path):
    return path.read_bytes().count(b"\n") if path.exists() else 0


def check_complete(out):
    table = pl.read_parquet(out)
    assert table.height == 30 and table.n_unique("key") == 30
    wanted = [([c // 2], None, [c // 3]) for c in range(100, 110)]
    assert [tuple(table.filter(series=f"s{k}")["pred"].to_list()) for k in range(10)] == wanted
    keys = [json.loads(line)["key"] for line in journal.journal_of(out).read_text().splitlines()]
    assert sorted(keys) == sorted(table["key"].to_list())  # no run was lost, and none was made twice


@pytest.mark.parametrize("number", range(int(os.environ.get("SEGSCORE_KILLS", "5"))))
def test_a_killed_study_goes_on_without_loss_or_doubling(tmp_path, number):
    out, start = started(tmp_path, number)
    process = start()
    # The moment is random in the progress of the study, not in time, so that a slow machine meets every moment too.
    wanted = random.Random(number).randrange(0, 30)
    while process.poll() is None and lines_of(journal.journal_of(out)) < wanted:
        time.sleep(0.001)
    process.kill()
    process.communicate()  # also closes the pipe
    with start() as again:
        assert again.wait() == 0
    check_complete(out)


def test_ctrl_c_writes_the_table_of_what_is_done(tmp_path):
    out, start = started(tmp_path, 0)
    hold = tmp_path / "runs0.parquet.hold"
    hold.touch()
    process = start()
    while process.poll() is None and not all((tmp_path / f"{hold.name}{n}").exists() for n in (108, 109)):
        time.sleep(0.001)
    time.sleep(0.1)
    process.send_signal(signal.SIGINT)  # both workers hold, so the study cannot end by itself
    _, error = process.communicate()
    assert b"KeyboardInterrupt" in error and process.returncode != 0
    table = pl.read_parquet(out)
    assert 5 <= table.height == lines_of(journal.journal_of(out)) < 30
    hold.unlink()
    with start() as again:
        assert again.wait() == 0
    check_complete(out)


def test_the_processes_of_a_killed_study_end(tmp_path):
    mark = tmp_path / "pid"
    script = tmp_path / "script.py"
    script.write_text(
        "import os, sys, time, ctypes\nfrom segscore import study\nimport numpy as np\n"
        "def hangs(signal):\n"
        f"    open({str(mark)!r} + '.new', 'w').write(str(os.getpid())); os.rename({str(mark)!r} + '.new', {str(mark)!r})\n"
        "    ctypes.PyDLL(None).sleep(1000)\n"
        "study.run({'x': hangs}, {'a': np.zeros(50)}, out=None, timeout=1000, progress=False)\n"
    )
    if not sys.platform.startswith("linux"):
        pytest.skip("only Linux ends the children of a killed process")
    process = subprocess.Popen([sys.executable, str(script)])
    while process.poll() is None and not mark.exists():
        time.sleep(0.01)
    process.kill()
    process.wait()
    worker, deadline = int(mark.read_text()), time.monotonic() + 60
    while os.path.exists(f"/proc/{worker}/stat") and time.monotonic() < deadline:
        with open(f"/proc/{worker}/stat") as file:
            if file.read().rsplit(")", 1)[1].split()[0] == "Z":  # dead, and not yet waited for by its new parent
                break
        time.sleep(0.01)
    else:
        assert not os.path.exists(f"/proc/{worker}/stat")


# Digests


def test_the_digest_of_code_sees_code_closures_defaults_and_settings():
    def made(k):
        return lambda signal, add=0: [k + add]

    other = made(1)
    other.__defaults__ = (1,)
    digests_of = [
        digests.code_of(f)[0] for f in (made(1), made(2), other, lambda signal: [1], functools.partial(len, 3))
    ]
    assert len(set(digests_of)) == 5
    assert digests.code_of(made(1)) == digests.code_of(made(1))
    assert digests.code_of(lambda pen: pen)[0] != digests.code_of(lambda penalty: penalty)[0]  # called by name
    assert digests.code_of(lambda signal: np.zeros(3))[1] == ["numpy", "test_study"]


def test_the_digest_of_code_sees_all_that_a_class_brings():
    class Slotted:
        __slots__ = ("size",)

        def __init__(self, size):
            self.size = size

    assert digests.code_of(Slotted(3)) == digests.code_of(Slotted(3))
    assert digests.code_of(Slotted(3))[0] != digests.code_of(Slotted(4))[0]

    def other(source):
        """A detector whose class is defined by text, so that one word of it can differ."""
        names = {"__name__": "mine", "functools": functools}
        exec(textwrap.dedent(source), names)
        return digests.code_of(names["Detect"]())[0]

    source = """
        @functools.lru_cache
        def cached(n):
            return n + 1

        class Base:
            def inherited(self):
                return 2

            def __len__(self):
                return 3

            @property
            def own(self):
                return 4

            @staticmethod
            def static():
                return 5

            @classmethod
            def of_class(cls):
                return 6

        class Detect(Base):
            def __call__(self, signal):
                return [cached(len(signal))]
    """
    found = [other(source), other(source), *(other(source.replace(f"return {k}", "return 0")) for k in (2, 3, 4, 5, 6))]
    found.append(other(source.replace("n + 1", "n + 9")))
    assert found[0] == found[1] and len(set(found)) == 7


def test_the_digest_of_code_is_the_same_in_every_process():
    code = (
        "from segscore.study import digests; import numpy as np\n"
        "class Own:\n    def __init__(self): self.words = {'a', 'b', 'c'}; self.x = np.ones(3)\n"
        "    def __call__(self, signal): return [len(w) for w in {'some', 'words', 'here'} if w in ('x', 'y')]\n"
        "print(digests.code_of([Own(), lambda s: s in {'p', 'q', 'r'}])[0])"
    )
    found = {
        subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": str(k)}, capture_output=True, check=True).stdout
        for k in range(3)
    }  # fmt: skip
    assert len(found) == 1 and len(found.pop()) == 65


# Progress


class Terminal:
    def __init__(self, tty):
        self.text, self.tty = "", tty

    def isatty(self):
        return self.tty

    def write(self, text):
        self.text += text

    def flush(self):
        pass


def test_a_terminal_shows_a_bar_and_a_file_a_line(monkeypatch):
    stream = Terminal(True)
    bar = progress.Progress(4, shown=True, stream=stream)
    bar.finished(False)
    bar.finished(True)
    assert bar.text(10.0, "x has run for 3 s") == (
        "[############............] 2 of 4 runs, 1 failed, 0.2 per s, 10 s left; x has run for 3 s"
    )
    bar.show(now=True)
    bar.close()
    assert stream.text.endswith("\r") and "2 of 4 runs" in stream.text
    monkeypatch.setenv("COLUMNS", "30")
    narrow = progress.Progress(4, shown=True, stream=Terminal(True))
    narrow.show(now=True)
    assert narrow.stream.text == "[........................] 0 "  # a line that wraps could not be removed
    stream = Terminal(False)
    line = progress.Progress(4, shown=True, stream=stream)
    line.show()
    assert stream.text == ""
    line.last -= progress.EVERY
    line.show()
    assert stream.text == "0 of 4 runs, 0 per s, time left unknown\n"
