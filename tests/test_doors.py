"""Every door is open to every kind of segmentation: points, time, labels and timestamps.

Each cell of the table is a test: what a door says of a kind of segmentation is what a single score says of the pair, or
the door refuses the kind and says what to use instead. A cell that is missing fails.
"""

import json
import re
import sys
import types
from datetime import datetime, timedelta
from itertools import product

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from click.testing import CliRunner
from report_pages import content

import segscore as ss
from segscore import Segmentation, dask, spark
from segscore.cli import main

KINDS = ("points", "time", "labels", "timestamps")
DOORS = (
    *("single scores", "compare"),
    *("annotated", "agreement", "consensus", "explain", "rand_test"),
    *("score", "score_long", "pairwise", "cross", "nearest", "spark", "dask"),
    *("timeline", "staircase", "pk_curve", "curves of runs", "leaderboard", "report"),
    *(
        "segscore score",
        "segscore compare",
        "segscore matrix",
        "segscore consensus",
        "segscore plot",
        "segscore report",
    ),
    *("RunningRand", "WindowedRand", "RunningOnline"),
)
CELLS = {}
# Files of single segmentations and streams hold numbers. Axes of dates are tested in test_axes.py.
WITHOUT_TIMESTAMPS = {
    *("timeline", "staircase", "pk_curve", "RunningRand", "WindowedRand", "RunningOnline"),
    *("segscore compare", "segscore matrix", "segscore consensus", "segscore plot"),
}
TABLE = [(door, kind) for door, kind in product(DOORS, KINDS) if kind != "timestamps" or door not in WITHOUT_TIMESTAMPS]

CUTS = {"truth": [4, 7, 12], "pred": [5, 12], "third": [4, 8, 13]}
LABELS = {"truth": ["A", "B", "A", "C"], "pred": ["x", "y", "x"], "third": ["A", "B", "B", "A"]}
N, STEP = 20, 0.25  # in time, a point is a quarter of a second
START, POINT = datetime(2024, 5, 1), timedelta(minutes=15)  # with timestamps, a point is a quarter of an hour
MARGIN = {"points": 1, "time": 0.25, "labels": 1, "timestamps": POINT}
NO_LABELS = (
    "compares cuts, not labels; expected segmentations without labels (use .without_labels(), or a score of the pair, "
    "information or overlap family for the labels)"
)
METRIC = "covering"


def length_of(kind):
    if kind == "timestamps":
        return {"start": START, "end": START + N * POINT}
    return {"duration": N * STEP} if kind == "time" else {"n": N}


def cuts_of(side, kind):
    if kind == "timestamps":
        return [START + cut * POINT for cut in CUTS[side]]
    return [cut * STEP for cut in CUTS[side]] if kind == "time" else CUTS[side]


def side_of(side, kind):
    """Return one side as a Segmentation of a kind."""
    if kind == "timestamps":
        # In minutes, because the time of some metrics grows with the number of units.
        return Segmentation.from_timestamps(cuts_of(side, kind), **length_of(kind), unit="m")
    return Segmentation(cuts_of(side, kind), LABELS[side] if kind == "labels" else None, **length_of(kind))


def sides_of(kind, *names):
    return [side_of(name, kind) for name in names or CUTS]


def names_of(kind):
    return [METRIC, ss.metric("f1", margin=MARGIN[kind])]


def expected(kind, metrics=None):
    """Return the scores of the prediction, by single scores alone."""
    found = {}
    for name in metrics or names_of(kind):
        metric = ss.METRICS[name.partition("(")[0]]
        margin = {"margin": MARGIN[kind]} if metric.needs_margin else {}
        sides = sides_of(kind, "truth", "pred")
        if not metric.takes_labels:
            sides = [side.without_labels() for side in sides]
        found[name] = metric.function(*sides, **margin)
    return found


def close(value):
    return pytest.approx(value, rel=1e-12, abs=1e-12, nan_ok=True)


def cell(*doors, kinds=KINDS):
    """Return a decorator that files a check under doors and kinds; the check gets the kind."""

    def file(check):
        for door, kind in product(doors, kinds):
            assert door in DOORS, door
            if (door, kind) not in TABLE:
                continue
            assert (door, kind) not in CELLS, (door, kind)
            CELLS[door, kind] = check
        return check

    return file


def refused(door, kind, call, message):
    """File a cell in which the door refuses a kind, with a message that says what to use instead."""

    @cell(door, kinds=[kind])
    def check(_):
        with pytest.raises((ValueError, TypeError), match=f"^{re.escape(message)}$"):
            call()


@pytest.mark.parametrize(("door", "kind"), TABLE)
def test_every_cell_of_the_table(door, kind, tmp_path, monkeypatch):
    check = CELLS[door, kind]  # a cell without a check fails
    wanted = check.__code__.co_varnames[: check.__code__.co_argcount]
    check(
        kind,
        **{name: value for name, value in (("tmp_path", tmp_path), ("monkeypatch", monkeypatch)) if name in wanted},
    )


def test_there_are_no_other_cells():
    assert set(CELLS) == set(TABLE)


# ---- single scores and compare


@cell("single scores")
def single_scores(kind):
    """Each metric takes the kinds that the catalog says, and refuses the others with a remedy."""
    truth, pred = sides_of(kind, "truth", "pred")
    for name, metric in ss.METRICS.items():
        if metric.only_tables:
            continue
        margin = {"margin": MARGIN[kind]} if metric.needs_margin else {}
        refusal = None
        if kind == "time" and not metric.in_time:
            refusal = f"{name} counts points; expected n=, not duration= (count whole units such as milliseconds"
        if refusal is None:
            found = metric.function(truth, pred, **margin)
            assert isinstance(found, float | int), name
            if kind == "time" and metric.high == 1:  # a share does not depend on the unit of time
                longer = [Segmentation([cut / STEP for cut in side.cuts], duration=N) for side in (truth, pred)]
                scaled = {"margin": MARGIN[kind] / STEP} if margin else {}
                assert found == close(metric.function(*longer, **scaled)), name
            if kind == "labels":  # one label per segment is no label at all
                apart = [Segmentation(side, range(len(side))) for side in (truth, pred)]
                plain = metric.function(*(side.without_labels() for side in apart), **margin)
                assert metric.function(*apart, **margin) == close(plain), name
        else:
            with pytest.raises(ValueError, match=f"^{re.escape(refusal)}"):
                metric.function(truth, pred, **margin)
    families = {m.family for m in ss.METRICS.values() if m.in_time}
    assert families >= {"pairs", "information", "overlap", "boundaries", "windows"}


@cell("compare")
def compare(kind):
    truth, pred = sides_of(kind, "truth", "pred")
    found = ss.compare(truth, pred, margin=MARGIN[kind])
    assert found.to_dict() == close(expected(kind, found))
    assert {*names_of(kind), "rand_index"} <= set(found)
    if kind in ("points", "time"):
        plain = ss.compare(cuts_of("truth", kind), cuts_of("pred", kind), margin=MARGIN[kind], **length_of(kind))
        assert plain == found


# ---- annotators, consensus, explain, rand_test


@cell("annotated")
def annotated(kind):
    truths = {"Ada": side_of("truth", kind), "Ben": side_of("third", kind)}
    found = ss.annotated(truths, side_of("pred", kind), margin=MARGIN[kind])
    each = [ss.covering(truth, side_of("pred", kind)) for truth in truths.values()]
    assert found["covering"].mean == close(np.mean(each))
    cuts = [side.without_labels() for side in truths.values()]
    pred = side_of("pred", kind).without_labels()
    matched = [ss.match(truth, pred, margin=MARGIN[kind]) for truth in cuts]
    recall = np.mean([(1 + len(m.pairs)) / (1 + len(truth.cuts)) for m, truth in zip(matched, cuts, strict=True)])
    assert found.recall == close(recall)


@cell("agreement")
def agreement(kind):
    found = ss.agreement({"Ada": side_of("truth", kind), "Ben": side_of("third", kind)}, metric=METRIC)
    assert found.matrix[0][1] == close(ss.covering(*sides_of(kind, "truth", "third")))


@cell("consensus", kinds=["points", "time", "timestamps"])
def consensus(kind):
    found = ss.consensus(sides_of(kind))
    assert set(found.segmentation.cuts) <= {cut for side in sides_of(kind) for cut in side.cuts}
    assert found.segmentation.length == side_of("truth", kind).length
    sums = [sum(ss.mirkin_distance(side, other) for other in sides_of(kind)) for side in sides_of(kind)]
    own = sum(ss.mirkin_distance(side, found.segmentation) for side in sides_of(kind))
    assert own <= min(sums) * (1 + 1e-12)


@cell("explain", kinds=["points", "time", "timestamps"])
def explain(kind):
    found = ss.explain(*sides_of(kind, "truth", "pred"))
    assert found.rand_index == close(ss.rand_index(*sides_of(kind, "truth", "pred")))


@cell("rand_test", kinds=["points", "time", "timestamps"])
def rand_test(kind):
    found = ss.rand_test(*sides_of(kind, "truth", "pred"), draws=20, rng=1)
    assert found.score == close(ss.rand_index(*sides_of(kind, "truth", "pred")))
    truth, _ = sides_of(kind, "truth", "pred")
    assert ss.rand_test(truth, truth, draws=20, rng=1).p_value == close(1 / 21)  # no draw is as good
    assert found.p_value * 21 == close(round(found.p_value * 21)) and found.p_value >= 1 / 21


# ---- tables


def table_of(kind):
    """Return a table of two equal rows with the truth and the prediction."""
    length = length_of(kind)
    columns = {"truth": [cuts_of("truth", kind)] * 2, "pred": [cuts_of("pred", kind)] * 2}
    if kind == "labels":
        columns |= {"truth_labels": [LABELS["truth"]] * 2, "pred_labels": [LABELS["pred"]] * 2}
    return pl.DataFrame({**columns, **{name: [value] * 2 for name, value in length.items()}})


def options_of(kind):
    return {
        "metrics": [METRIC, "f1"],
        "margin": MARGIN[kind],
        **({"duration": "duration"} if kind == "time" else {}),
        **({"start": "start", "end": "end"} if kind == "timestamps" else {}),
        **({"truth_labels": "truth_labels", "pred_labels": "pred_labels"} if kind == "labels" else {}),
    }


def assert_scored(table, kind):
    rows = pl.DataFrame(table).select(names_of(kind)).rows(named=True)
    assert rows == [close(expected(kind))] * 2


@cell("score")
def score(kind):
    table = table_of(kind)
    for given in (table, table.lazy(), table.to_arrow(), table.to_pandas(), pl.concat([table[:1], table[1:]])):
        found = ss.score(given, **options_of(kind))
        assert type(found) is type(given)
        assert_scored(found.collect() if isinstance(found, pl.LazyFrame) else found, kind)
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed")
    relation = duckdb.from_arrow(table.to_arrow())
    found = ss.score(relation, **options_of(kind))
    assert type(found) is type(relation)
    assert_scored(found.to_arrow_table(), kind)


@cell("score_long")
def score_long(kind):
    length = length_of(kind)
    runs = pl.DataFrame({"series": ["a", "a"], "change_points": [cuts_of("pred", kind)] * 2}).with_columns(
        **{name: pl.lit(value) for name, value in length.items()}
    )
    people = pl.DataFrame({"series": ["a"], "change_points": [cuts_of("truth", kind)]})
    options = {name: value for name, value in options_of(kind).items() if "labels" not in name}
    if kind == "labels":
        runs = runs.with_columns(labels=pl.Series([LABELS["pred"]] * 2))
        people = people.with_columns(labels=pl.Series([LABELS["truth"]]))
        options["labels"] = "labels"
    assert_scored(ss.score_long(runs, people, **options), kind)


def spark_frame(arrow, monkeypatch):
    """Return a stand-in for a Spark DataFrame; it hands out batches as Spark does, which `make test-cluster` runs."""

    class Field:
        def __init__(self, name, kind):
            self.name, self.dataType = name, kind

    module = types.ModuleType("pyspark.sql.types")
    module.StructField, module.DoubleType, module.StringType = Field, type("Double", (), {}), type("String", (), {})
    module.StructType = lambda fields: [field.name for field in fields]
    for name in ("pyspark", "pyspark.sql"):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    monkeypatch.setitem(sys.modules, "pyspark.sql.types", module)

    def type_of(kind):
        return module.StringType() if pa.types.is_large_string(kind) else kind

    class Frame:
        columns = arrow.column_names
        schema = types.SimpleNamespace(fields=[Field(field.name, type_of(field.type)) for field in arrow.schema])

        def __getitem__(self, name):
            return types.SimpleNamespace(rlike=lambda text: [re.search(text, x or "") for x in arrow[name].to_pylist()])

        def where(self, found):
            return types.SimpleNamespace(isEmpty=lambda: not any(found))

        def mapInArrow(self, run, schema):
            found = pa.Table.from_batches(run(iter(arrow.to_batches(max_chunksize=1))))
            assert found.column_names == schema
            return found

    return Frame()


@cell("spark")
def spark_score(kind, monkeypatch):
    assert_scored(spark.score(spark_frame(table_of(kind).to_arrow(), monkeypatch), **options_of(kind)), kind)


@pytest.mark.filterwarnings("ignore:.* cannot be read:UserWarning")
@pytest.mark.parametrize("last", ["[4]", "[[3], [4]]"])
def test_truths_in_text_are_nested_for_all_batches_of_spark_or_for_none(last, monkeypatch):
    table = pl.DataFrame({"truth": ["[]", "[]", "[3]", last], "pred": ["[3]"] * 4, "n": [6] * 4})
    options = {"metrics": ["rand_index"], "on_error": "null"}
    found = spark.score(spark_frame(table.to_arrow(), monkeypatch), **options)
    assert found.to_pylist() == ss.score(table, **options).to_dicts()


@pytest.mark.filterwarnings("ignore:.* cannot be read:UserWarning")
def test_truths_in_text_are_nested_for_all_batches_of_a_lazy_table_or_for_none():
    table = pl.DataFrame({"truth": ["[]"] * 200_000 + ["[[3], [4]]"], "pred": "[3]", "n": 6})
    options = {"metrics": ["rand_index"], "on_error": "null"}
    found = ss.score(table.lazy(), **options).collect(engine="streaming")
    assert found.equals(ss.score(table, **options))


@cell("dask")
def dask_score(kind, tmp_path):
    class Client:
        def submit(self, function, *args, retries, pure):
            return function(*args)

        def gather(self, futures):
            return futures

    table_of(kind).write_parquet(tmp_path / "runs.parquet")
    (written,) = dask.score(Client(), [tmp_path / "runs.parquet"], tmp_path / "out", **options_of(kind))
    assert_scored(pl.read_parquet(written), kind)


# ---- matrices


@cell("pairwise")
def pairwise(kind):
    sides = sides_of(kind)
    found = ss.pairwise(sides, metric=METRIC)
    assert found.tolist() == [[close(ss.covering(a, b)) for b in sides] for a in sides]


@cell("cross")
def cross(kind):
    rows, columns = sides_of(kind, "truth"), sides_of(kind, "pred", "third")
    found = ss.cross(rows, columns, metric=METRIC)
    assert found.tolist() == [[close(ss.covering(a, b)) for b in columns] for a in rows]


@cell("nearest")
def nearest(kind):
    sides, query = sides_of(kind, "pred", "third"), side_of("truth", kind)
    for metric in ("rand_distance", METRIC):
        found = ss.nearest(sides, [query], k=2, metric=metric)
        scores = [getattr(ss, metric)(query, side) for side in sides]
        best = sorted(range(2), key=lambda k: scores[k] if ss.METRICS[metric].best == 0 else -scores[k])
        assert found.indices.tolist() == [best]
        assert found.scores.tolist() == [[close(scores[k]) for k in best]]


# ---- charts and results


def data_of(chart):
    from report_pages import data_of as found

    return found(chart)


@cell("timeline")
def timeline(kind):
    pytest.importorskip("altair")
    chart = ss.charts.timeline(side_of("truth", kind), side_of("pred", kind), margin=MARGIN[kind])
    data = data_of(chart)
    assert [row["cut"] for row in data["cuts"] if row["kind"] == "true"] == cuts_of("truth", kind)
    titles = json.dumps(chart.to_dict())
    assert ('"time (seconds)"' in titles) == (kind == "time")
    assert ('"point"' in re.sub('"type": "point"', "", titles)) == (kind != "time")
    labels = [row["label"] for row in data.get("segments", [])]
    assert labels == ([*LABELS["truth"], *LABELS["pred"]] if kind == "labels" else [])


@cell("staircase", kinds=["points", "time"])
def staircase(kind):
    pytest.importorskip("altair")
    truth, pred = sides_of(kind, "truth", "pred")
    cells = data_of(ss.charts.staircase(truth, pred))["cells"]
    area = sum((c["end"] - c["start"]) * abs(c["truth"] - c["prediction"]) for c in cells)
    assert area == close(ss.explain(truth, pred).disagreement)


@cell("pk_curve", kinds=["points", "time", "labels"])
def pk_curve(kind):
    pytest.importorskip("altair")
    truth, pred = sides_of(kind, "truth", "pred")
    sizes = [0.3, 2.0] if kind == "time" else [2, 3]
    rows = data_of(ss.charts.pk_curve(truth, pred, k=sizes))["curves"]
    assert [row["pk"] for row in rows] == [ss.pk(truth, pred, k=k) for k in sizes]


def runs_of(kind, series=7):
    """Return a table of results of two methods: the prediction, and a run that failed."""
    one = table_of(kind).head(1)
    rows = [
        one.with_columns(series=pl.lit(f"s{k}"), method=pl.lit(method), pred=pl.col("pred") if method == "m" else None)
        for k in range(series)
        for method in ("m", "lost")
    ]
    return pl.concat(rows, how="vertical_relaxed")


@cell("curves of runs")
def curves_of_runs(kind):
    pytest.importorskip("altair")
    rows = data_of(ss.charts.f1_curve(runs_of(kind), margin=MARGIN[kind]))["curves"]
    margin = 15 if kind == "timestamps" else MARGIN[kind]  # the axis is in minutes
    at = {row["method"]: row["mean"] for row in rows if row["x"] == close(margin)}
    assert at == {"m": close(expected(kind)[names_of(kind)[1]]), "lost": 0}


@cell("leaderboard")
def leaderboard(kind):
    scored = ss.score(runs_of(kind), on_error="null", **options_of(kind))
    for name, value in expected(kind).items():
        for failures, lost in (("worst", 0.0), ("no_cuts", None)):
            board = ss.leaderboard(scored, name, failures=failures)
            means = {standing.method: standing.mean for standing in board.standings}
            assert means["m"] == close(value)
            if lost is None:
                truth = side_of("truth", kind)
                lost = ss.compare(truth, [], metrics=[name])[name]
            assert means["lost"] == close(lost)


def means_in(path):
    """Return the mean scores of the method m that a page holds."""
    boards = content(path)["boards"]
    return {name: {each["method"]: each["mean"] for each in boards[name]["standings"]}["m"] for name in boards}


@cell("report")
def report(kind, tmp_path):
    pytest.importorskip("altair")
    path = ss.report(runs_of(kind), tmp_path / "x.html", metrics=[METRIC, "f1"], margin=MARGIN[kind])
    page = path.read_text()
    assert means_in(path) == {name: close(expected(kind)[name]) for name in names_of(kind)}
    shown = "15min" if kind == "timestamps" else f"{MARGIN[kind]} {'seconds' if kind == 'time' else 'points'}"
    assert f"The margin is {shown}, unless the name of a score gives another margin." in page


# ---- the command line


def run(*arguments):
    return CliRunner().invoke(main, [str(a) for a in arguments], prog_name="segscore", catch_exceptions=False)


@cell("segscore score")
def segscore_score(kind, tmp_path):
    table_of(kind).with_columns(
        pl.Series(name, [json.dumps(cell, default=str) for cell in column.to_list()])
        for name, column in table_of(kind).to_dict().items()
        if column.dtype.is_nested()
    ).write_csv(tmp_path / "runs.csv")
    options = ["--metrics", f"{METRIC},f1", "--margin", "15min" if kind == "timestamps" else MARGIN[kind]]
    options += ["--duration", "duration"] if kind == "time" else []
    options += ["--start", "start", "--end", "end"] if kind == "timestamps" else []
    options += ["--truth-labels", "truth_labels", "--pred-labels", "pred_labels"] if kind == "labels" else []
    found = run("score", tmp_path / "runs.csv", "-o", tmp_path / "out.parquet", *options)
    assert found.exit_code == 0, found.output
    assert_scored(pl.read_parquet(tmp_path / "out.parquet"), kind)


@cell("segscore report")
def segscore_report(kind, tmp_path):
    pytest.importorskip("altair")
    runs_of(kind).write_parquet(tmp_path / "runs.parquet")
    found = run("report", tmp_path / "runs.parquet", "-o", tmp_path / "x.html", "--metrics", f"{METRIC},f1")
    assert found.exit_code == 0, found.output
    assert means_in(tmp_path / "x.html")[METRIC] == close(expected(kind)[METRIC])
    unit = {"time": "0.5 seconds", "timestamps": "1min"}.get(kind, "5 points")
    assert (
        f"The margin is {unit}, unless the name of a score gives another margin." in (tmp_path / "x.html").read_text()
    )


def files_of(kind, folder, *names):
    """Write one file per side: text with one cut per line, or segments in seconds with labels."""
    paths = []
    for name in names or CUTS:
        path = folder / f"{name}.{'lab' if kind == 'labels' else 'txt'}"
        lines = [str(cut) for cut in cuts_of(name, kind)]
        if kind == "labels":
            side = labelled_in_time(name)
            lines = [f"{a}\t{b}\t{label}" for (a, b), label in zip(side.segments, side.labels, strict=True)]
        path.write_text("\n".join(lines) + "\n")
        paths.append(path)
    return paths


def labelled_in_time(name):
    return Segmentation(cuts_of(name, "time"), LABELS[name], duration=N * STEP)


def given_length(kind):
    return {"points": ["--n", N], "time": ["--duration", N * STEP], "labels": []}[kind]


def in_files(kind, *names):
    """Return the sides that the files hold: files of labels are in seconds."""
    return [labelled_in_time(name) if kind == "labels" else side_of(name, kind) for name in names or CUTS]


@cell("segscore compare")
def segscore_compare(kind, tmp_path):
    margin = MARGIN[kind]
    found = run(
        "compare", *files_of(kind, tmp_path, "truth", "pred"), *given_length(kind), "--margin", margin, "--as", "json"
    )
    assert found.exit_code == 0, found.output
    scores = ss.compare(*in_files(kind, "truth", "pred"), margin=margin)
    assert {name: float(value) for name, value in json.loads(found.output).items()} == close(scores.to_dict())
    if kind != "labels":  # lists in place of files
        lists = [",".join(map(str, cuts_of(name, kind))) for name in ("truth", "pred")]
        assert run("compare", *lists, *given_length(kind), "--margin", margin, "--as", "json").output == found.output


@cell("segscore matrix")
def segscore_matrix(kind, tmp_path):
    found = run("matrix", *files_of(kind, tmp_path), *given_length(kind), "--metrics", METRIC)
    assert found.exit_code == 0, found.output
    rows = [[float(x) for x in line.split(",")[1:]] for line in found.output.splitlines()[1:]]
    assert rows == [[close(x) for x in row] for row in ss.pairwise(in_files(kind), metric=METRIC).tolist()]


@cell("segscore consensus")
def segscore_consensus(kind, tmp_path):
    """Labels are left out, because the median of clusters is another problem; the help says so."""
    found = run("consensus", *files_of(kind, tmp_path), *given_length(kind))
    assert found.exit_code == 0, found.output
    own = ss.consensus([side.without_labels() for side in in_files(kind)]).segmentation.cuts
    assert [float(line) for line in found.stdout.splitlines()] == own
    assert "labels are not used" in run("consensus", "--help").output


@cell("segscore plot")
def segscore_plot(kind, tmp_path):
    pytest.importorskip("altair")
    files = files_of(kind, tmp_path, "truth", "pred")
    found = run("plot", "timeline", *files, *given_length(kind), "-o", tmp_path / "x.svg")
    assert found.exit_code == 0, found.output
    picture = (tmp_path / "x.svg").read_text()
    assert ("time (seconds)" in picture) == (kind != "points")
    assert (">C</text>" in picture) == (kind == "labels")


# ---- kinds that a door refuses, with what to use instead

refused(
    "consensus",
    "labels",
    lambda: ss.consensus(sides_of("labels")),
    "segmentations[0] has labels; expected cuts without labels (use .without_labels())",
)
refused("explain", "labels", lambda: ss.explain(*sides_of("labels", "truth", "pred")), f"explain {NO_LABELS}")
refused("rand_test", "labels", lambda: ss.rand_test(*sides_of("labels", "truth", "pred")), f"chance {NO_LABELS}")
refused(
    "staircase", "labels", lambda: ss.charts.staircase(*sides_of("labels", "truth", "pred")), f"staircase {NO_LABELS}"
)


# ---- streams, which have no labels: a label would have to be known before its segment ends


def in_time(kind):
    return {"in_time": True} if kind == "time" else {}


def streamed(stream, kind):
    """Give all cuts to a stream in time order, a true cut before a predicted cut at the same time."""
    arrivals = [(cut, name) for name in ("truth", "pred") for cut in cuts_of(name, kind)]
    for cut, name in sorted(arrivals, key=lambda arrival: arrival[0]):
        getattr(stream, name)(cut)
    return stream


@cell("RunningRand", kinds=["points", "time"])
def running_rand(kind):
    length = side_of("truth", kind).length
    assert streamed(ss.RunningRand(**in_time(kind)), kind).at(length) == close(
        expected(kind, ["rand_index"])["rand_index"]
    )


@cell("WindowedRand", kinds=["points", "time"])
def windowed_rand(kind):
    length = side_of("truth", kind).length
    found = streamed(ss.WindowedRand(length, **in_time(kind)), kind).at(length)
    assert found == close(expected(kind, ["rand_index"])["rand_index"])


@cell("RunningOnline", kinds=["points", "time"])
def running_online(kind):
    length = side_of("truth", kind).length
    found = streamed(ss.RunningOnline(**in_time(kind)), kind).at(length)
    own = ss.online(*sides_of(kind, "truth", "pred"))
    assert (found.detected, found.missed) == (len(own.delays), len(own.rows) - len(own.delays))


@cell("RunningRand", "WindowedRand", "RunningOnline", kinds=["labels"])
def streams_take_no_labels(_):
    for stream in (ss.RunningRand(), ss.WindowedRand(10), ss.RunningOnline()):
        for name in ("truth", "pred"):
            with pytest.raises(TypeError):
                getattr(stream, name)(3, "A")
