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
SCORES = ["rand_index", "covering", "f1(margin=5)", "mutual_information"]  # their names with margin=5
NAMES = {"time": ["rand_index", "f1(margin=0.5)"]}


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


def small_table(kind):
    """Return a small table in time or with labels, and the options of `score` for it."""
    rng = np.random.default_rng(1)
    rows = 200

    def side():
        return [sorted({int(cut) for cut in rng.integers(1, 100, 5)}) for _ in range(rows)]

    columns = {"id": range(rows), "truth": side(), "pred": side()}
    options = {"metrics": METRICS, "margin": 5}
    if kind == "time":
        columns |= {name: [[cut / 8 for cut in cuts] for cuts in columns[name]] for name in ("truth", "pred")}
        columns["seconds"] = [12.5] * rows
        return pl.DataFrame(columns), {**options, "margin": 0.5, "duration": "seconds"}
    for name in ("truth", "pred"):
        columns[f"{name}_labels"] = [rng.choice(["A", "B"], len(cuts) + 1).tolist() for cuts in columns[name]]
    columns["n"] = [100] * rows
    return pl.DataFrame(columns), {**options, "truth_labels": "truth_labels", "pred_labels": "pred_labels"}


def single_scores(table, kind):
    """Return the Rand index and F1 of each row, by single scores alone."""
    found = []
    for row in table.iter_rows(named=True):
        length = {"duration": row["seconds"]} if kind == "time" else {"n": row["n"]}
        sides = [ss.Segmentation(row[name], row.get(f"{name}_labels"), **length) for name in ("truth", "pred")]
        margin = 0.5 if kind == "time" else 5
        plain = [side.without_labels() for side in sides]
        found.append((ss.rand_index(*sides), ss.f1(*plain, margin=margin)))
    return found


@pytest.mark.parametrize("kind", ["time", "labels"])
def test_dask_in_time_and_with_labels(kind, tmp_path):
    distributed = pytest.importorskip("distributed", reason="dask is not installed")
    from segscore import dask

    table, options = small_table(kind)
    parts = [tmp_path / "a.parquet", tmp_path / "b.parquet"]
    table.head(120).write_parquet(parts[0])
    table.tail(80).write_parquet(parts[1])
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        found = pl.read_parquet(dask.score(client, parts, tmp_path / "scored", **options)).sort("id")
    assert found.equals(ss.score(table, **options))
    assert found.select(NAMES.get(kind, ["rand_index", "f1(margin=5)"])).rows() == single_scores(table, kind)


@pytest.mark.filterwarnings("ignore")  # Spark has something to say about everything
def test_spark_in_time_and_with_labels(tmp_path):
    pyspark = pytest.importorskip("pyspark", reason="pyspark is not installed")
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java")
    from segscore import spark

    session = pyspark.sql.SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    try:
        for kind in ("time", "labels"):
            table, options = small_table(kind)
            table.write_parquet(tmp_path / f"{kind}.parquet")
            frame = session.read.parquet(str(tmp_path / f"{kind}.parquet")).repartition(4)
            rows = sorted(spark.score(frame, **options).collect(), key=lambda row: row["id"])
            assert [
                tuple(row[name] for name in NAMES.get(kind, ["rand_index", "f1(margin=5)"])) for row in rows
            ] == single_scores(table, kind)
    finally:
        session.stop()


@pytest.mark.filterwarnings("ignore")
def test_truths_in_text_are_nested_for_the_whole_table_on_every_machine(tmp_path):
    """What [] means depends on the other rows of the column, which may be in other batches and partitions."""
    distributed = pytest.importorskip("distributed", reason="dask is not installed")
    pyspark = pytest.importorskip("pyspark", reason="pyspark is not installed")
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java")
    from segscore import dask, spark

    options = {"metrics": ["rand_index", "covering"], "on_error": "null"}
    session = (
        pyspark.sql.SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", "2")
        .getOrCreate()
    )
    tables = [
        pl.DataFrame({"id": range(6), "truth": texts, "pred": ["[3]"] * 6, "n": [6] * 6, "status": [7] * 6})
        for texts in (
            ["[]", "[]", "[3]", "[4]", "[2, 3]", "[]"],
            ["[]", "[3]", "[]", "[4]", "[[3], [4]]", "[[3]]"],
            [" ( [2] , [3] )", "[]", "[]", "[3]", None, "x"],
        )
    ]
    try:
        for table in tables:
            rows = [pyspark.sql.Row(**row) for row in table.to_dicts()]
            frame = session.createDataFrame(rows, "id long, truth string, pred string, n long, status int").repartition(
                3
            )
            found = sorted(spark.score(frame, **options).collect(), key=lambda row: row["id"])
            assert [row.asDict() for row in found] == ss.score(table, **options).to_dicts()
    finally:
        session.stop()
    paths = [tmp_path / f"{k}.csv" for k in range(len(tables))]
    for table, path in zip(tables, paths, strict=True):
        table.drop("status").write_csv(path)
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        outputs = dask.score(client, paths, tmp_path / "scored", **options)
    for table, output in zip(tables, outputs, strict=True):
        wanted = ss.score(table.drop("status"), **options).select("rand_index", "covering", "status", "error")
        assert pl.read_csv(output).select(wanted.columns).equals(wanted)


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
    measured = ["seconds", "cpu_seconds", "warmup_seconds", "first_call", "memory", "started", "machine"]
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
        assert scored.columns == wanted.columns == ["id", "truth", "pred", "n", *SCORES]
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
    assert found.select(SCORES).equals(wanted.select(SCORES))
    assert found["id"].to_list() == wanted["id"].to_list()


def test_spark_says_what_is_wrong():
    pytest.importorskip("pyspark", reason="pyspark is not installed")
    from segscore import spark

    class Frame:
        columns = ("truth", "n")

    with pytest.raises(ValueError, match="table has no column 'pred'; it has truth, n"):
        spark.score(Frame())
