"""The chart of accuracy against cost."""

import json

import polars as pl
import pytest
from click.testing import CliRunner

import segscore as ss
from segscore.cli import main

ROWS = [  # method, f1, median seconds, on the front: the ten series of a study
    ("PELT in C", 0.959, 0.0002, True),
    ("PELT, jump 5", 0.957, 0.016, False),
    ("binary segmentation", 0.920, 0.045, False),
    ("bottom-up", 0.897, 0.013, False),
    ("window of 20", 0.373, 0.016, False),
    ("no cuts", 0.0, 0.0, False),  # the cheapest, trivially: hollow, and never a winner
]


def table(rows=ROWS, series=12):
    return pl.DataFrame(
        [
            (method, f"s{k:02}", score, seconds * (1 + k / 10 if k != 5 else 1.45), [] if method == "no cuts" else [3])
            for method, score, seconds, _ in rows
            for k in range(series)
        ],
        schema={
            "method": pl.String,
            "series": pl.String,
            "f1": pl.Float64,
            "seconds": pl.Float64,
            "pred": pl.List(int),
        },
        orient="row",
    )


def drawn(*args, **options):
    spec = ss.charts.cost(*args, **options).to_dict()
    layers = [layer for layer in spec["layer"] if "data" in layer]
    values = (layers[0] if layers else spec)["data"]["values"]
    return {row["method"]: row for row in (json.loads(values) if isinstance(values, str) else values)}


def test_the_front_of_the_worked_example():
    found = drawn(table(), "f1")
    assert {name: row["front"] for name, row in found.items()} == {name: front for name, *_, front in ROWS}
    assert [name for name, row in found.items() if row["trivial"]] == ["no cuts"]
    assert all(row["low"] == row["mean"] == row["high"] for row in found.values())
    assert found["no cuts"]["cost"] == pytest.approx(0.0001 * 1.5, rel=0.1)  # a log scale has no 0
    dear = drawn(
        table().with_columns(seconds=pl.col("seconds") + pl.when(pl.col("method") == "PELT in C").then(9).otherwise(0)),
        "f1",
    )
    assert [name for name, row in dear.items() if row["front"]] == ["PELT in C", "PELT, jump 5", "bottom-up"]


def test_seconds_of_a_shared_cluster_have_no_front():
    alone = table().with_columns(machine=pl.lit("Linux x86_64, 2 cores"))
    assert any(row["front"] for row in drawn(alone, "f1").values())
    shared = table().with_columns(machine=pl.lit("shared cluster: Linux x86_64, 2 cores"))
    assert not any(row["front"] for row in drawn(shared, "f1").values())
    titles = [json.dumps(ss.charts.cost(each, "f1").to_dict()) for each in (alone, shared)]
    assert ["median seconds, s (measured on a shared cluster)" in title for title in titles] == [False, True]


def test_a_fast_crash_is_not_cheap_and_a_timeout_is_censored():
    rows = [("good", 0.9, 2.0, True), ("crashes", 0.95, 0.01, False), ("slow", 0.92, 60.0, True)]
    made = table(rows).with_columns(
        status=pl.when(pl.col("method") == "good")
        .then(pl.lit("ok"))
        .when(pl.col("method") == "slow")
        .then(pl.lit("timeout"))
        .otherwise(pl.when(pl.col("series") < "s08").then(pl.lit("crash")).otherwise(pl.lit("ok")))
    )
    answered = pl.when(pl.col("status") == "ok")
    made = made.with_columns(f1=answered.then("f1"), pred=answered.then("pred"))
    found = drawn(made, "f1")
    assert {name: row["front"] for name, row in found.items()} == {"good": True, "crashes": False, "slow": False}
    assert found["crashes"]["mean"] == pytest.approx(0.95 / 3)
    assert found["slow"]["censored"] and found["slow"]["label"].startswith("slow (> ")
    assert drawn(made.drop("status"), "f1") == found  # a run without a score failed


def test_cost_on_the_command_line(tmp_path):
    table().write_parquet(tmp_path / "runs.parquet")
    out = tmp_path / "cost.svg"
    command = ["plot", "cost", str(tmp_path / "runs.parquet"), "--metrics", "f1", "-o", str(out)]
    found = CliRunner().invoke(main, command)
    assert found.exit_code == 0, found.output
    assert "median seconds, s" in out.read_text() and "bottom-up" in out.read_text()
    texts = table().with_columns(pred=pl.lit("[3]"))  # in CSV a column is text unless it is known to hold numbers
    texts.write_csv(tmp_path / "runs.csv")
    command[2] = str(tmp_path / "runs.csv")
    found = CliRunner().invoke(main, command)
    assert found.exit_code == 0, found.output
    found = CliRunner().invoke(main, [*command, "--against", "memory"])
    message = "scores have no column 'memory'; they have method, series, f1, seconds, pred"
    assert found.output == f"segscore: {command[2]}: {message}\n"
