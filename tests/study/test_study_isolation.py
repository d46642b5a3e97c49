"""What a run does to its process, to other runs and to the study: nothing that another run can see."""

import gc
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import polars as pl
import pytest

from segscore import study
from segscore.study import calibration, machines
from segscore.study.pool import Limits, Pool

pytest.importorskip("cloudpickle", reason="cloudpickle is not installed")

LIMITS = Limits(timeout=60, memory=None, cores=1, warmup=60)


def run(detectors, series=2, **options):
    """Run detectors in one process, so that each run follows another."""
    signals = {f"s{k}": np.arange(40.0) + k for k in range(series)}
    return study.run(detectors, signals, **{"out": None, "workers": 1, "progress": False, **options})


def answers(detectors, **options):
    found = run(detectors, **options)
    keys = ("status", "pred", "error")
    return {name: set(map(str, found.filter(method=name).select(keys).rows())) for name in detectors}


def test_a_run_leaves_nothing_for_the_next_run():
    here = os.getcwd()
    seen = []

    class Counter:
        def __init__(self):
            self.count = 0

        def __call__(self, signal):
            self.count += 1
            return [self.count]

    def remembers(signal):
        seen.append(1)
        return [len(seen)]

    def moves(signal):
        assert os.getcwd() == here
        os.chdir("/")
        return [1]

    def closes(signal):
        print("still open")
        sys.stdout.close()
        os.close(2)
        return [1]

    def spoils(signal):
        assert signal[1] > 0
        signal[:] = 0
        return [1]

    detectors = {"counter": Counter(), "remembers": remembers, "moves": moves, "closes": closes, "spoils": spoils}
    assert answers(detectors, series=3) == {name: {"('ok', [1], None)"} for name in detectors}


def test_a_detector_that_forks_answers_once():
    def forks(signal):
        os.fork()
        return [len(signal) // 2]

    def uses_processes(signal):
        with multiprocessing.get_context("fork").Pool(2) as pool:
            return [sum(pool.map(abs, [1, 2, 3]))]

    found = answers({"forks": forks, "processes": uses_processes, "good": lambda signal: [3]}, series=4)
    assert found == {"forks": {"('ok', [20], None)"}, "processes": {"('ok', [6], None)"}, "good": {"('ok', [3], None)"}}


def test_the_end_of_a_process_is_seen_though_its_child_keeps_the_pipe_open(tmp_path):
    children = tmp_path / "children"

    def dies(signal):
        child = os.fork()
        if child == 0:
            time.sleep(1000)
        with open(children, "a") as file:
            file.write(f"{child}\n")
        os._exit(3)

    found = run({"dies": dies})
    assert found["error"].to_list() == ["the process ended with exit code 3"] * 2
    for child in map(int, children.read_text().split()):  # what a run started ends with its process
        deadline = time.monotonic() + 60
        while _is_alive(child) and time.monotonic() < deadline:
            time.sleep(0.01)
        assert not _is_alive(child)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux shows the environment of a process")
@pytest.mark.parametrize("how", ["ok", "crash", "timeout"])
def test_a_child_in_a_session_of_its_own_ends_with_the_study(tmp_path, how):
    children = tmp_path / "children"

    def starts(signal):
        if len(signal) == calibration.LENGTH:
            return []
        started = [subprocess.Popen(["sleep", "1000"], start_new_session=True).pid]
        if os.fork() == 0:  # a child that leaves its parent, its group and its session
            os.setsid()
            if (grandchild := os.fork()) == 0:
                time.sleep(1000)
            os._exit(children.with_suffix(".2").write_text(f"{grandchild}") and 0)
        os.wait()
        with open(children, "a") as file:
            file.write(f"{started[0]} {children.with_suffix('.2').read_text()}\n")
        if how == "crash":
            os._exit(3)
        time.sleep(1000 if how == "timeout" else 0)
        return []

    assert run({"x": starts}, series=1, timeout=5, warmup=5)["status"].to_list() == [how]
    found = [int(child) for child in children.read_text().split()]
    assert len(found) >= 2
    deadline = time.monotonic() + 20
    while any(map(_is_alive, found)) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert [child for child in found if _is_alive(child)] == []


def _is_alive(process):
    try:
        with open(f"/proc/{process}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_a_crash_is_blamed_on_a_run_only_if_it_happens_in_a_process_of_its_own():
    def late(signal):  # ends the process after its own run is over
        threading.Timer(0.05, os._exit, [5]).start()
        return [1]

    def longer(signal):
        time.sleep(0.2)
        return [2]

    found = answers({"late": late, "longer": longer, "crashes": lambda signal: os._exit(3)}, series=3)
    assert found["longer"] == {"('ok', [2], None)"}
    assert found["crashes"] == {"('crash', None, 'the process ended with exit code 3')"}


def test_an_error_is_kept_whatever_its_text_is():
    class Silent(Exception):
        def __str__(self):
            raise RuntimeError

    def silent(signal):
        raise Silent

    def half_a_character(signal):  # as in the name of a file that is not UTF-8
        raise ValueError("there is no file \udcff")

    def long(signal):
        raise ValueError("x" * 10**6)

    def interrupted(signal):
        os.kill(os.getpid(), signal_number)
        time.sleep(60)

    signal_number = signal.SIGINT
    found = run({"silent": silent, "half": half_a_character, "long": long, "interrupted": interrupted}, series=1)
    assert found["status"].to_list() == ["error"] * 4
    assert found["error"].to_list() == [
        "Silent", "ValueError: there is no file ?", "ValueError: " + "x" * 10_000, "KeyboardInterrupt"
    ]  # fmt: skip


def test_a_detector_that_cannot_be_loaded_says_so_in_each_run():
    class Broken:
        def __reduce__(self):
            return (__import__, ("no_such_module",))

        def __call__(self, signal):
            return []

    found = run({"broken": Broken()}, series=3)
    assert found["error"].to_list() == ["ModuleNotFoundError: No module named 'no_such_module'"] * 3


def test_an_answer_may_do_harm_too():
    class Exits:
        def __len__(self):
            return 1

        def __array__(self, *arguments, **options):
            os._exit(7)

    class Raises(Exits):
        def __array__(self, *arguments, **options):
            raise SystemExit("no")

    found = answers({"exits": lambda signal: Exits(), "raises": lambda signal: Raises(), "good": lambda signal: [3]})
    assert found["exits"] == {"('crash', None, 'the process ended with exit code 7')"}
    assert found["raises"] == {"('invalid', None, 'SystemExit: no')"}
    assert found["good"] == {"('ok', [3], None)"}


def test_hashes_of_texts_are_the_same_in_every_process():
    found = [run({"x": lambda signal: [1 + hash("text") % 39]}, series=1)["pred"][0].to_list() for _ in range(3)]
    assert found[0] == found[1] == found[2]


def test_the_warm_up_has_one_seed_and_leaves_the_seed_of_the_run_alone(tmp_path):
    marks, calls = tmp_path / "marks", []

    def marked(signal, seed):
        calls.append(1)
        with open(marks, "a") as file:
            kind = "warm" if len(signal) == calibration.LENGTH else "run"
            file.write(f"{kind} {seed} {np.random.randint(10**6)}\n")
        return [len(calls)]

    grid = study.Grid(lambda k: marked, {"k": [1, 2]})
    found = study.run({"x": grid}, {"a": np.zeros(50)}, out=None, workers=1, progress=False)
    assert found["pred"].to_list() == [[1], [1]]  # a run sees nothing of the warm-up
    lines = [line.split() for line in marks.read_text().splitlines()]
    warm = [line for line in lines if line[0] == "warm"]
    first = np.random.RandomState(0).randint(10**6)
    assert len(warm) == 3  # two calibrations of the first setting, and the warm-up of the second
    assert warm == [["warm", "0", str(first)]] * 3
    for _, seed, drawn in (line for line in lines if line[0] == "run"):
        assert int(drawn) == np.random.RandomState(int(seed) % 2**32).randint(10**6)


def test_a_warm_up_that_hangs_is_left_out():
    def made(k):
        def detect(signal):
            if len(signal) == calibration.LENGTH and k == 2:
                time.sleep(1000)
            return [k]

        return detect

    found = run({"x": study.Grid(made, {"k": [1, 2]})}, timeout=2, warmup=2)
    assert found["pred"].to_list() == [[1], [2]] * 2


def test_seconds_of_the_processor_include_those_of_children():
    def works_in_a_child(signal):
        child = os.fork()
        if child == 0:
            while time.process_time() < 0.2:
                pass
            os._exit(0)
        os.waitpid(child, 0)
        return []

    assert run({"x": works_in_a_child}, series=1)["cpu_seconds"][0] >= 0.19


def test_libraries_may_use_as_many_threads_as_cores_says():
    def threads(signal):
        return [int(os.environ["OMP_NUM_THREADS"]), 10 * int(os.environ["POLARS_MAX_THREADS"])]

    def cores(signal):
        return [os.cpu_count(), 10 * multiprocessing.cpu_count(), 39 if os.cpu_count() == joblib.cpu_count() else 38]

    joblib = pytest.importorskip("joblib")
    found = run({"x": threads, "y": cores}, series=1)
    assert found["pred"].to_list() == [[1, 10], [1, 10, 39]]
    assert run({"x": threads}, series=1, cores=3)["pred"].to_list() == [[3, 30]]
    assert run({"y": cores}, series=1, cores=2)["pred"].to_list() == [[2, 20, 39]]


def test_more_jobs_than_cores_are_lowered_where_they_can_be_set():
    class Jobs:
        def __init__(self):
            self.n_jobs = 32

        def fit_predict(self, signal):
            return [self.n_jobs]

    class Frozen(Jobs):
        n_jobs = property(lambda self: 32)

        def __init__(self):
            pass

    found = run({"jobs": Jobs(), "frozen": Frozen()}, series=1, cores=2)
    assert found.select("error", "pred").rows() == [(None, [2]), (None, [32])]


def test_what_libraries_keep_is_not_collected_before_each_run():
    # After the first call, in the calibration as well as in a warm-up, a collection looks at new objects alone.
    found = run({"x": study.Grid(lambda k: lambda signal: [1 + (gc.get_freeze_count() > 1000)], {"k": [1, 2]})})
    assert found["pred"].to_list() == [[2]] * 4


def test_detectors_and_outputs_that_cannot_work_are_refused_at_once(tmp_path):
    lock = threading.Lock()
    with pytest.raises(TypeError) as caught:
        run({"x": lambda signal: lock})
    assert str(caught.value) == (
        "detector 'x' cannot be sent to another process: cannot pickle '_thread.lock' object; expected a detector that "
        "opens files, locks and connections when it is called"
    )
    with pytest.raises(ValueError, match=r"^detectors has two names that are equal as text; expected different names$"):
        run({1: len, "1": len})
    (tmp_path / "folder.parquet").mkdir()
    ran = []
    for out, message in (
        (tmp_path / "folder.parquet", "is a folder; expected a regular file or a new name as output"),
        (tmp_path / "nowhere" / "runs.parquet", f"there is no folder {tmp_path / 'nowhere'} for runs.parquet; make it first"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=r"expected|first") as caught:
            run({"x": lambda signal: ran.append(1) or []}, out=out)
        assert str(caught.value).endswith(message)
    assert [path.name for path in tmp_path.iterdir()] == ["folder.parquet"]


def test_a_study_that_stops_leaves_the_table_of_before(tmp_path):
    out = tmp_path / "runs.parquet"
    before = run({"x": lambda signal: [3]}, out=out)
    with pytest.raises(ValueError, match="puts the cut at 99"):
        run({"x": lambda signal: [len(signal) // 2 - 1]}, out=out)
    assert pl.read_parquet(out).equals(before)


def test_a_worker_that_cannot_start_stops_the_study(monkeypatch):
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(RuntimeError) as caught:
        run({"x": lambda signal: []})
    assert str(caught.value) == (
        "10 worker processes in a row ended before they could run anything; run python -m segscore.study to see why"
    )


def test_seconds_of_a_cluster_are_marked():
    answer = {"status": "ok", "seconds": 2.0}
    here, there = machines.stamped(answer), machines.stamped(answer, shared=True)
    assert here["machine"] == machines.machine() and there["machine"] == "shared cluster: " + machines.machine()
    assert machines.machine().endswith(f", {os.cpu_count()} core{'' if os.cpu_count() == 1 else 's'}")


def test_the_processes_of_a_pool_end_with_it():
    import cloudpickle

    from segscore.study.worker import Task

    with Pool({"x": cloudpickle.dumps(lambda signal: [1])}, 2, LIMITS) as pool:
        tasks = [Task("x", None, "", np.zeros(10), 0) for _ in range(4)]
        assert sorted(number for number, _ in pool.run(tasks, 60)) == [0, 1, 2, 3]
        processes = [worker.process for worker in pool.workers]
        assert processes and all(process.poll() is None for process in processes)
    assert all(process.poll() == -signal.SIGKILL for process in processes)


def test_a_worker_ends_when_nobody_gives_it_work():
    done = subprocess.run([sys.executable, "-m", "segscore.study"], stdin=subprocess.DEVNULL, capture_output=True)
    assert done.returncode == 0 and b"ready" in done.stdout
