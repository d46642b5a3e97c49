"""Real clusters on this machine, each with a worker killed in the middle: the numbers are those of one process."""

import os
import shutil
import signal
import threading
import time
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import segscore as ss

METRICS = ["rand_index", "covering", "f1", "mutual_information"]


def table(rows, seed):
    rng = np.random.default_rng(seed)

    def side():
        return [np.unique(rng.integers(1, 500, rng.integers(0, 20))).tolist() for _ in range(rows)]

    return pl.DataFrame(
        {"id": range(seed * rows, (seed + 1) * rows), "truth": side(), "pred": side(), "n": [500] * rows}
    )


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    for k in range(8):
        table(20_000, k).write_parquet(folder / f"run{k}.parquet")
    return sorted(folder.glob("*.parquet"))


@pytest.fixture(scope="module")
def wanted(files):
    return ss.score(pl.read_parquet(files), metrics=METRICS, margin=5).sort("id")


def children_of(pid):
    """All processes below one, with their command lines."""
    found, parents = [], {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
            except OSError:
                continue
    wave = [pid]
    while wave:
        wave = [child for child, parent in parents.items() if parent in wave]
        found += wave
    return found


def command(pid):
    try:
        return (Path("/proc") / str(pid) / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


def test_dask_with_a_worker_killed(files, wanted, tmp_path):
    distributed = pytest.importorskip("distributed", reason="dask is not installed")
    from segscore import dask

    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        workers = list(client.run(os.getpid).values())
        killed = []

        def kill():
            while not list(tmp_path.glob("scored/*")):
                time.sleep(0.005)
            os.kill(workers[0], signal.SIGKILL)
            killed.append(workers[0])

        killer = threading.Thread(target=kill, daemon=True)
        killer.start()
        written = dask.score(client, files, tmp_path / "scored", metrics=METRICS, margin=5)
        killer.join(timeout=10)
    assert killed, "the worker was not killed in the middle"
    assert [file.name for file in written] == [file.name for file in files]
    found = pl.read_parquet(written).sort("id")
    assert found.equals(wanted)
    with pytest.raises(TypeError, match="f1 has no margin"):
        dask.score(None, files, tmp_path / "other", metrics=["f1"])


def test_a_study_on_dask_with_a_worker_killed(tmp_path):
    distributed = pytest.importorskip("distributed", reason="dask is not installed")
    from segscore import study
    from segscore.study.journal import journal_of

    def random(signal, seed):
        time.sleep(0.05)
        return [1 + seed % 99]

    detectors = {"random": random, "fails": lambda signal: 1 / 0, "exits": lambda signal: os._exit(3)}
    series = {f"s{k}": np.full(100, float(k)) for k in range(12)}
    out = tmp_path / "runs.parquet"
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        workers = list(client.run(os.getpid).values())
        killed = []

        def kill():
            while not (journal_of(out).exists() and journal_of(out).stat().st_size):
                time.sleep(0.005)
            os.kill(workers[0], signal.SIGKILL)
            killed.append(workers[0])

        killer = threading.Thread(target=kill, daemon=True)
        killer.start()
        found = study.run(detectors, series, out=out, executor=client, progress=False)
        killer.join(timeout=10)
    assert killed, "the worker was not killed in the middle"
    measured = ["seconds", "cpu_seconds", "warmup_seconds", "memory", "started", "machine"]
    alone = study.run(detectors, series, out=None, progress=False)
    assert found.drop(measured).equals(alone.drop(measured))
    assert found["status"].to_list() == ["ok", "error", "crash"] * 12
    assert found["machine"].to_list() == [f"shared cluster: {alone['machine'][0]}"] * 36
    assert pl.read_parquet(out).equals(found)


@pytest.mark.filterwarnings("ignore")  # Spark has something to say about everything
def test_spark_with_a_worker_killed(files, wanted, tmp_path):
    pyspark = pytest.importorskip("pyspark", reason="pyspark is not installed")
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java")
    from segscore import spark

    session = (
        pyspark.sql.SparkSession.builder.master("local-cluster[2,1,1024]")
        .appName("segscore")
        .config("spark.ui.enabled", "false")
        .config("spark.task.maxFailures", "8")
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", "1000")
        .getOrCreate()
    )
    try:
        frame = session.read.parquet(*map(str, files)).repartition(32)
        scored = spark.score(frame, metrics=METRICS, margin=5)
        assert scored.columns == ["id", "truth", "pred", "n", *METRICS]
        killed = []

        def kill():  # an executor, with the Python workers below it, once it is at work
            deadline = time.time() + 100
            while time.time() < deadline and not killed:
                executors = [pid for pid in children_of(os.getpid()) if "CoarseGrainedExecutorBackend" in command(pid)]
                busy = [pid for pid in executors if any("pyspark" in command(child) for child in children_of(pid))]
                if busy:
                    os.kill(busy[0], signal.SIGKILL)
                    killed.append(busy[0])
                time.sleep(0.02)

        killer = threading.Thread(target=kill, daemon=True)
        killer.start()
        scored.write.parquet(str(tmp_path / "scored"))
        killer.join(timeout=10)
        assert killed, "the executor was not killed in the middle"
    finally:
        session.stop()
    found = pl.read_parquet(tmp_path / "scored" / "*.parquet").sort("id")
    assert found.select(METRICS).equals(wanted.select(METRICS))
    assert found["id"].to_list() == wanted["id"].to_list()


def test_spark_says_what_is_wrong():
    pytest.importorskip("pyspark", reason="pyspark is not installed")
    from segscore import spark

    class Frame:
        columns = ("truth", "n")

    with pytest.raises(ValueError, match="table has no column 'pred'; it has truth, n"):
        spark.score(Frame())
