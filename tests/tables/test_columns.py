"""Columns of your own: their direction, worst value, unit and scale."""

import math
import re

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

import segscore as ss
from segscore.cli import main

TABLE = pl.DataFrame(
    {
        "series": ["x", "y"] * 3,
        "method": ["fast"] * 2 + ["slow"] * 2 + ["crash"] * 2,
        "seconds": [1.0, 2.0, 50.0, 60.0, 0.1, 0.1],
        "status": ["ok", "ok", "ok", "timeout", "crash", "ok"],
        "energy": [3.0, 4.0, 1.0, 1.0, 2.0, 2.0],
    }
)


def test_costs_are_known_by_name_and_a_fast_crash_is_not_fast():
    board = ss.leaderboard(TABLE, "seconds")
    assert board.column == ss.Column("seconds", best="low", worst=None, unit="s", scale="log")
    assert board.heading == "seconds (s), 2 series taken as independent, failures rank last"
    assert board.values.tolist() == [[1, 2], [math.inf, 0.1], [50, math.inf]]
    assert [(s.method, s.mean, s.median, s.failed) for s in board.standings] == [
        ("fast", 1.5, 1.5, 0),
        ("crash", 0.1, math.inf, 1),
        ("slow", 50, math.inf, 1),
    ]
    assert [ss.leaderboard(TABLE.rename({"seconds": name}), name).rising for name in ("cpu_seconds", "memory")] == [
        False,
        False,
    ]


def test_a_column_of_your_own_needs_a_direction():
    message = (
        "column 'energy' is not a metric of segscore, so its direction is unknown; expected Column('energy', "
        "best='high') or Column('energy', best='low')"
    )
    for call in (lambda: ss.leaderboard(TABLE, "energy"), lambda: ss.report(TABLE, "x.html", metrics=["energy"])):
        with pytest.raises(ValueError, match=rf"^{re.escape(message)}$"):
            call()
    table = TABLE.drop("status")
    assert ss.leaderboard(table, ss.Column("energy", best="low")).methods == ["slow", "crash", "fast"]
    assert ss.leaderboard(table, ss.Column("energy", best="high", worst=0)).methods == ["fast", "crash", "slow"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"best": "less"}, "best = 'less' is unknown; expected 'high' or 'low'"),
        (
            {"best": "low", "worst": math.inf},
            "worst = inf is not finite; expected a number, or None for no worst value",
        ),
        ({"best": "low", "scale": "cubic"}, "scale = 'cubic' is unknown; expected 'linear' or 'log'"),
    ],
)
def test_what_is_no_column(options, message):
    with pytest.raises(ValueError, match=rf"^{re.escape(message)}$"):
        ss.Column("x", **options)
    with pytest.raises(TypeError, match=r"^name = 3 is int; expected the name of a column$"):
        ss.Column(3, "low")
    for worst, found in (("1", "'1' is str"), (True, "True is bool"), ([1], "[1] is list")):
        with pytest.raises(TypeError, match=rf"^worst = {re.escape(found)}; expected a number, or None$"):
            ss.Column("x", "low", worst=worst)
    assert ss.Column("x", "low", worst=np.float32(3)).worst == 3.0


def test_numbers_on_a_logarithmic_scale_keep_their_digits():
    seconds = pl.DataFrame({"method": ["a", "b"], "series": ["s", "s"], "seconds": [0.0002, 0.00021]})
    board = ss.leaderboard(seconds, "seconds")
    assert [line.split()[:3] for line in repr(board).splitlines()[2:4]] == [
        ["a", "0.0002000", "0.0002000"],
        ["b", "0.0002100", "0.0002100"],
    ]
    lines = board.to_markdown().splitlines()
    assert lines[4].startswith("| a | 0.000200 | **0.000200** |")  # b does not print the same, so it is not bold
    assert lines[5].startswith("| b | 0.000210 | 0.000210 |")
    slow = ss.leaderboard(seconds.with_columns(pl.col("seconds") * 1e5), "seconds").to_markdown().splitlines()
    assert slow[4].startswith("| a | 20.000 | **20.000** |")
    plain = ss.leaderboard(seconds, ss.Column("seconds", "low")).to_markdown().splitlines()
    assert plain[5].startswith("| b | 0.000 | **0.000** |")
    big = pl.DataFrame({"method": ["a", "b"], "series": ["s", "s"], "memory": [123456789, 5]})
    assert "-1.235e+08" in repr(ss.leaderboard(big, "memory").differences())


def test_numbers_whose_sums_would_overflow_are_refused():
    table = pl.DataFrame({"method": ["a"], "series": ["s"], "energy": [-1e60]})
    message = "column 'energy' holds 1e+60; expected numbers below 1e+60 in size (use another unit)"
    with pytest.raises(ValueError, match=rf"^{re.escape(message)}$"):
        ss.leaderboard(table, ss.Column("energy", "low"))
    assert ss.leaderboard(table.with_columns(pl.col("energy") / 10), ss.Column("energy", "low")).methods == ["a"]


def run(*arguments):
    return CliRunner().invoke(main, list(map(str, arguments)))


def test_directions_on_the_command_line(tmp_path):
    path = tmp_path / "runs.parquet"
    TABLE.drop("status").write_parquet(path)
    unknown = (
        "segscore: column 'energy' is not a metric of segscore, so its direction is unknown; expected --lower energy or "
        "--higher energy\n"
    )
    for command in (
        ("summary", path, "--metrics", "energy"),
        ("report", path, "-o", tmp_path / "x.html", "--metrics", "energy"),
        ("plot", "leaderboard", path, "-o", tmp_path / "x.svg", "--metrics", "energy"),
    ):
        found = run(*command)
        assert (found.exit_code, found.output) == (2, unknown)
        assert run(*command, "--lower", "energy").exit_code == 0
    lines = run("summary", path, "--metrics", "energy,seconds", "--lower", "energy", "--as", "csv").output.split()
    assert [line.split(",")[1] for line in lines if line.startswith(("energy", "seconds"))] == [
        *("slow", "crash", "fast"),
        *("crash", "fast", "slow"),
    ]
    found = run("summary", path, "--metrics", "energy", "--lower", "energy", "--higher", "energy")
    assert found.output == "segscore: energy is in --lower and in --higher; expected one of them\n"
    found = run("summary", path, "--metrics", "seconds", "--higher", "seconds")
    assert found.output == "segscore: seconds is better if lower; expected no --lower and no --higher for seconds\n"
