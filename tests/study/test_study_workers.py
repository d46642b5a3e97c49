"""The worker processes of a study: each belongs to one method, every wait has a limit, and nothing ends the study."""

import contextlib
import json
import math
import os
import pickle
import signal
import sys
import threading
import time
import warnings

import numpy as np
import polars as pl
import pytest

from segscore import study
from segscore.study import pool as pool_module
from segscore.study.pool import Limits, Pool
from segscore.study.worker import HEAD, MARK, Task, framed

cloudpickle = pytest.importorskip("cloudpickle", reason="cloudpickle is not installed")

LIMITS = Limits(timeout=60, memory=None, cores=1, warmup=60)


def run(detectors, series=3, **options):
    signals = {f"s{k}": np.arange(300.0) + k for k in range(series)}
    return study.run(detectors, signals, **{"out": None, "workers": 1, "progress": False, **options})


def answers(detectors, **options):
    return (
        run(detectors, **options).select("method", "series", "params", "status", "pred", "error").sort(pl.all()).rows()
    )


def test_methods_answer_together_what_each_answers_alone():
    def changes(signal):
        np.seterr(all="raise")
        warnings.simplefilter("error")
        os.environ["SEGSCORE_TEST"] = "1"
        np.set_printoptions(precision=2)
        sys.setrecursionlimit(150)
        return [1]

    def depth(left):
        return 0 if left == 0 else 1 + depth(left - 1)

    def warns(signal):
        warnings.warn("careful", stacklevel=1)
        return [2]

    detectors = {
        "changes": changes,
        "divides": lambda signal: [1 + int(np.isinf(np.ones(1) / np.zeros(1))[0])],
        "warns": warns,
        "prints": lambda signal: [len(str(np.array([1 / 3])))],
        "recurses": lambda signal: [depth(200)],
        "reads": lambda signal: [1 + ("SEGSCORE_TEST" in os.environ)],
    }
    alone = [row for name, detector in detectors.items() for row in answers({name: detector})]
    assert {row[3] for row in alone} == {"ok"}
    assert answers(detectors) == sorted(alone)
    assert answers(detectors, workers=2) == sorted(alone)


def test_settings_of_one_method_do_not_see_what_another_setting_did():
    def made(k):
        def detect(signal):
            quiet = np.geterr()["over"] != "raise" and "SEGSCORE_TEST" not in os.environ
            found = [2 if quiet and sys.getrecursionlimit() != 150 and warnings.filters[0][0] != "error" else 1]
            if k == 1:
                np.seterr(all="raise")
                warnings.simplefilter("error")
                os.environ["SEGSCORE_TEST"] = "1"
                sys.setrecursionlimit(150)
            return found

        return detect

    assert run({"x": study.Grid(made, {"k": [1, 2]})})["pred"].to_list() == [[2]] * 6


@pytest.mark.parametrize("idle", [32, 1])
def test_processes_are_reused_by_their_method_and_their_number_is_bounded(tmp_path, monkeypatch, idle):
    monkeypatch.setattr(pool_module, "IDLE", idle)
    marks = tmp_path / "marks"

    def made(name):
        def detect(signal):
            with open(marks, "a") as file:
                file.write(f"{name} {os.getpid()}\n")
            return [1]

        return detect

    blobs = {name: cloudpickle.dumps(made(name)) for name in "abcde"}
    tasks = [Task(name, None, "", np.zeros(300), 0) for _ in range(4) for name in blobs]
    with Pool(blobs, 2, LIMITS) as pool:
        for _ in pool.run(tasks, 60):
            assert len(pool.workers) <= min(len(blobs), idle) + 2
    processes = {name: set() for name in blobs}
    for line in marks.read_text().splitlines():
        name, process = line.split()
        processes[name].add(process)
    together = set().union(*processes.values())
    assert len(together) == sum(map(len, processes.values()))  # none of them ran two methods
    assert len(together) <= len(blobs) + 2 if idle > 1 else len(together) > len(blobs)


@pytest.fixture
def starter(tmp_path, monkeypatch):
    """A Python that ends at once while there are files named stop... in a folder, one of which each start removes."""
    script = tmp_path / "python"
    script.write_text(
        f'#!/bin/sh\nfor f in {tmp_path}/stop*; do if [ -e "$f" ]; then [ "$f" = {tmp_path}/stop ] || rm "$f"; kill -9 $$; fi; '
        f'done\nexec {sys.executable} "$@"\n'
    )
    script.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(script))
    return tmp_path


def test_a_worker_that_is_killed_while_it_starts_is_started_again(starter):
    for k in range(6):
        (starter / f"stop{k}").touch()
    assert run({"x": lambda signal: [3]}, workers=2)["pred"].to_list() == [[3]] * 3
    assert not list(starter.glob("stop*"))


def test_the_table_is_written_though_no_worker_starts_any_more(starter):
    out, stop = starter / "runs.parquet", starter / "stop"

    def last(signal):
        if signal[0] == 2:
            stop.touch()
            os._exit(1)
        return [3]

    run({"x": lambda signal: [3]}, out=out)
    with pytest.raises(RuntimeError) as caught:
        run({"x": lambda signal: [3], "last": last}, out=out)
    assert str(caught.value) == (
        "10 worker processes in a row ended before they could run anything; run python -m segscore.study to see why"
    )
    table = pl.read_parquet(out)
    assert table.filter(method="x").height == 3 and table.filter(method="last").height < 3
    stop.unlink()
    assert run({"x": lambda signal: [3], "last": lambda signal: [4]}, out=out)["pred"].to_list() == [[3], [4]] * 3


def test_studies_whose_workers_are_killed_at_random_moments_end_with_a_table():
    ended = threading.Event()
    tasks = [Task("x", None, "", np.zeros(300), 0) for _ in range(30)]
    with Pool({"x": cloudpickle.dumps(lambda signal: time.sleep(0.05) or [1])}, 2, LIMITS) as pool:

        def kills():
            moment = np.random.default_rng(1)
            for _ in range(8):  # fewer than the starts that may fail in a row
                ended.wait(moment.uniform(0, 0.3))
                for worker in list(pool.workers)[:1]:
                    worker.process.kill()

        killer = threading.Thread(target=kills)
        killer.start()
        found = dict(pool.run(tasks, 60))
        ended.set()
        killer.join()
    assert sorted(found) == list(range(30))
    assert {answer["status"] for answer in found.values()} <= {"ok", "crash"}


def test_a_worker_that_is_frozen_between_two_cells_is_replaced():
    limits = LIMITS._replace(timeout=5, warmup=5)
    with Pool({"x": cloudpickle.dumps(lambda signal: [1])}, 1, limits) as pool:
        for size in (10, 10**6):  # the second signal is larger than a pipe
            ((_, answer),) = pool.run([Task("x", None, "", np.zeros(size), 0)], 5)
            assert (answer["status"], answer["pred"]) == ("ok", [1])
            (worker,) = pool.workers
            os.kill(worker.process.pid, signal.SIGSTOP)
        ((_, answer),) = pool.run([Task("x", None, "", np.zeros(10), 0)], 5)
        assert (answer["status"], answer["pred"]) == ("ok", [1])


def test_loading_a_detector_has_a_time_limit():
    class Slow:
        def __reduce__(self):
            return (time.sleep, (1000,))

        def __call__(self, signal):
            return []

    found = run({"slow": Slow(), "good": lambda signal: [3]}, series=1, timeout=3, warmup=3)
    assert found.select("status", "error").rows() == [
        ("timeout", "the detector could not be loaded in 3 s; raise warmup="),
        ("ok", None),
    ]


EMPTY = {"status": "ok", "error": None, "traceback": None, "pred": None, "seconds": 0.0, "cpu_seconds": 0.0}
EMPTY |= {"warmup_seconds": None, "first_call": False, "memory": None, "random": None}


@pytest.mark.parametrize(
    "change",
    [
        *({"pred": pred} for pred in ([300], [0], [5, 4], [4, 4], [3.0], [True], ["3"], 3)),
        *({name: x} for name in ("seconds", "cpu_seconds", "warmup_seconds") for x in (math.nan, math.inf, -1.0, 1)),
        *({"memory": size} for size in (2**63, -1, 1.0, True)),
        *({"status": "odd"}, {"status": None}, {"first_call": 1}, {"random": 0}, {"error": 3}, {"more": 3}),
    ],
)
def test_an_answer_that_no_worker_writes_is_no_message(change):
    assert pool_module._is_message(["done", EMPTY | {"pred": [1, 299], "memory": 2**63 - 1}], 300)
    assert pool_module._is_message(["done", EMPTY | {"pred": []}], 0)
    assert not pool_module._is_message(["done", EMPTY | change], 300)


def pipes():
    """Return the descriptors that a run can find in its process."""
    found = []
    for name in os.listdir("/proc/self/fd"):
        with contextlib.suppress(OSError):
            found.append((int(name), os.readlink(f"/proc/self/fd/{name}")))
    return [number for number, place in found if place.startswith("pipe:")]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Linux alone lists the descriptors of a process")
def test_what_a_run_writes_to_the_pipe_of_answers_is_neither_unpickled_nor_the_end(tmp_path):
    class Harm:
        def __reduce__(self):
            return (open, (str(tmp_path / "harm"), "w"))

    old = pickle.dumps(("done", Harm()))
    forged = [
        ["done", {**EMPTY, "pred": ["x"]}],
        ["done", {**EMPTY, "pred": [2**70]}],
        ["done", {**EMPTY, "seconds": float("nan")}],
        ["done", None],
        ["more", None],
        ["loaded", None],
        3,
    ]
    cut_off = framed(b"[]")[:-1] + b"x"
    written = [
        b"x",
        b"hello " * 100,
        len(old).to_bytes(8, "little") + old,
        cut_off,
        framed(b"\xff"),
        framed(b"[" * 10**5),
        HEAD.pack(MARK, 2**62, 0),
    ]
    written += [framed(json.dumps(message).encode()) for message in forged]

    def made(k):
        def writes(signal):
            for place in pipes() if len(signal) == 300 else ():
                with contextlib.suppress(OSError):
                    os.write(place, written[k])
            return [3]

        return writes

    grid = study.Grid(made, {"k": list(range(len(written)))})
    found = run({"writes": grid, "good": lambda signal: [3]}, series=1, timeout=5, warmup=5)
    error = "the run wrote to the pipe through which its answer is sent"
    assert found.filter(method="writes").select("status", "error").rows() == [("crash", error)] * len(written)
    assert found.filter(method="good")["status"].to_list() == ["ok"]
    assert not (tmp_path / "harm").exists()


def compiles(signal):
    """A detector that needs 3 s for its first call in a process of each kind of signal, and no time for other calls."""
    kinds = sys.__dict__.setdefault("compiled_by_test", set())
    kind = (len(signal) // 100, signal.dtype.str)
    if kind not in kinds:
        time.sleep(3)
        kinds.add(kind)
    return [len(signal) // 2]


@pytest.mark.parametrize("workers", [1, 2])
def test_a_detector_that_compiles_on_its_first_call_does_not_time_out(workers):
    series = {f"s{k}": np.arange(300.0) + k for k in range(6)}
    series |= {"longer": np.arange(1000.0), "longest": np.arange(2000.0), "integers": np.arange(300)}
    detectors = {"x": compiles, "good": lambda signal: [len(signal) // 2]}
    found = study.run(detectors, series, out=None, workers=workers, timeout=2, warmup=60, progress=False)
    assert found["error"].to_list() == [None] * 18
    assert found["pred"].to_list() == [[n // 2] for n in found["n"]]
    assert found["seconds"].max() < 2 and found["first_call"].to_list() == [False] * 18


def test_whether_seconds_contain_a_first_call_is_stored():
    grid = study.Grid(lambda k: lambda signal: [k], {"k": [1, 2]})
    found = run({"x": grid}, series=3)
    assert found["first_call"].sum() == 1  # of the setting that was not called on the first series before its run
    assert found["first_call"].null_count() == 0


def test_a_method_that_is_always_too_slow_is_given_more_time_once(tmp_path):
    marks = tmp_path / "marks"

    def slow(signal):
        if len(signal) == 300:
            with open(marks, "a") as file:
                file.write("x")
            time.sleep(1000)
        return []

    found = run({"x": slow}, series=4, timeout=2, warmup=4)
    assert (
        sorted(found["error"])
        == ["the first call took more than 4 s; raise warmup= if later calls are faster, else timeout="]
        + ["the run took more than 2 s"] * 3
    )
    assert found["first_call"].to_list() == [True] * 4 and marks.read_text() == "xxxx"
