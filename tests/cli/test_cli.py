"""The command line, as a person types it."""

import contextlib
import csv
import json
import math
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time

import click
import numpy as np
import pandas as pd
import polars as pl
import pytest
from click.testing import CliRunner
from report_pages import content as held_by

import segscore as ss
from segscore.cli import main
from segscore.cli.printing import LENGTH as LENGTHS
from segscore.cli.printing import complete_metrics
from segscore.outputs import aside
from segscore.scores.metric_text import short_names


def run(*arguments, **options):
    return CliRunner().invoke(main, [str(a) for a in arguments], prog_name="segscore", **options)


@pytest.fixture
def cuts(tmp_path):
    (tmp_path / "a.txt").write_text("3\n8\n")
    (tmp_path / "b.json").write_text("[4, 8]")
    np.save(tmp_path / "c.npy", np.array([5]))
    return tmp_path


def test_compare_reads_every_kind_of_file(cuts):
    for name, pred in (("b.json", [4, 8]), ("c.npy", [5]), ("a.txt", [3, 8])):
        found = run("compare", cuts / "a.txt", cuts / name, "--n", 10, "--margin", 1, "--as", "json")
        assert found.exit_code == 0, found.output
        assert json.loads(found.output) == pytest.approx(dict(ss.compare([3, 8], pred, n=10, margin=1)))
    found = run(
        "compare", cuts / "a.txt", cuts / "b.json", "--n", 10, "--metrics", "rand_index,covering", "--as", "csv"
    )
    assert found.output.splitlines()[:2] == ["score,value", "rand_index,0.8444444444444444"]
    found = run("compare", cuts / "a.txt", cuts / "b.json", "--n", 10, "--metrics", "rand_index")
    assert "0.844444" in found.output and "Share of pairs" in found.output


def on_terminal(columns, *arguments):
    """Return the lines that a command prints on a terminal of a width."""
    reading, writing = os.openpty()
    environment = {**os.environ, "COLUMNS": str(columns), "NO_COLOR": "1", "TERM": "dumb"}
    program = [sys.executable, "-m", "segscore", *arguments]
    with subprocess.Popen(program, stdout=writing, env=environment) as process:
        os.close(writing)
        written = b""
        with contextlib.suppress(OSError):  # the end of a terminal is an error on Linux
            while part := os.read(reading, 1 << 16):
                written += part
    os.close(reading)
    assert process.returncode == 0
    return [line.rstrip() for line in written.decode().splitlines()]


@pytest.mark.slow
@pytest.mark.parametrize("columns", [80, 100, 160])
def test_no_name_of_a_metric_is_cut_on_a_terminal(columns):
    for command in (["metrics"], ["compare", "3,8", "4,8", "--n", "10", "--margin", "1"]):
        lines = on_terminal(columns, *command)
        assert max(map(len, lines)) <= columns
        assert "…" not in "".join(lines)
        names = [line.split()[0] for line in lines if line and not line.startswith(" ")]
        shown = ss.METRICS if command == ["metrics"] else ss.compare([3, 8], [4, 8], n=10, margin=1)
        _, short = short_names(list(shown))
        assert [name for name in names if name not in ("score", "margin=1")] == short
        assert ("margin=1" in lines) == (command[0] == "compare")
        text = " ".join(" ".join(lines).split())
        assert columns < 160 or ss.METRICS["rand_index"].meaning in text
    if columns == 80:
        assert on_terminal(80, "metrics")[:3] == [
            "rand_index",
            "    Share of pairs of points that both segmentations treat alike.",
            "    family pairs, best 1, bounds [0, 1], symmetric yes, cost O(r+s)",
        ]


@pytest.mark.parametrize("command", [(), *((name,) for name in main.commands)], ids=str)
def test_help_fits_a_terminal_of_80_columns(command):
    found = run(*command, "--help", terminal_width=80)
    assert found.exit_code == 0
    assert [line for line in found.output.splitlines() if len(line) > 80] == []


def test_long_texts_are_not_kept_in_memory(tmp_path):
    for name, step in (("a.txt", 3), ("b.txt", 4)):
        with (tmp_path / name).open("w") as file:
            file.writelines(f"{c}\n" for c in range(step, 600_000, step))
    found = run(
        "compare", tmp_path / "a.txt", tmp_path / "b.txt", "--n", 600_000, "--metrics", "rand_index", "--as", "csv"
    )
    wanted = ss.rand_index(range(3, 600_000, 3), range(4, 600_000, 4), n=600_000)
    assert found.output.splitlines()[1] == f"rand_index,{wanted!r}"


def test_errors_are_one_line_and_code_2(cuts):
    (cuts / "bad.txt").write_text("3\nx\n")
    for arguments, message in (
        (("compare", cuts / "a.txt", cuts / "b.json", "--n", 5), "segscore: truth[1] = 8 is outside 0 < cut < n = 5"),
        (("compare", cuts / "a.txt", cuts / "bad.txt", "--n", 9), "bad.txt, line 2: 'x' is not a cut"),
        (("compare", cuts / "a.txt", cuts / "b.json", "--n", 9, "--metrics", "rand"), "did you mean 'rand_index'?"),
        (
            ("score", "nothing-*.parquet", "-o", "x.parquet"),
            "segscore: nothing-*.parquet is not a file; expected a table",
        ),
    ):
        found = run(*arguments)
        assert found.exit_code == 2
        assert message in found.output and "Traceback" not in found.output
        assert len(found.output.strip().splitlines()) == 1
    found = run("--debug", "score", "nothing\x1b[31m.csv", "-o", "x.csv")
    assert found.exit_code == 1 and found.output.startswith("Traceback (most recent call last):\n")
    assert "\nValueError: nothing\\x1b[31m.csv is not a file; " in found.output and "\x1b" not in found.output


def test_help_version_and_metrics():
    assert ss.__version__ in run("--version").output
    for command in main.commands:
        found = run(command, "--help")
        assert found.exit_code == 0 and "Usage" in found.output
    listed = json.loads(run("metrics", "--as", "json").output)
    assert [row["score"] for row in listed] == list(ss.METRICS)
    assert run("metrics").output.splitlines()[0].split()[:2] == ["score", "family"]


def test_matrix_and_consensus(cuts):
    found = run("matrix", cuts / "a.txt", cuts / "b.json", cuts / "c.npy", "--n", 10)
    rows = [line.split(",") for line in found.output.splitlines()]
    assert rows[0] == ["", "a.txt", "b.json", "c.npy"]
    assert float(rows[1][2]) == ss.rand_index([3, 8], [4, 8], n=10)
    found = run("consensus", cuts / "a.txt", cuts / "b.json", cuts / "b.json", "--n", 10)
    assert found.stdout.splitlines() == ["4", "8"]


def table(rows=200, seed=1):
    rng = np.random.default_rng(seed)

    def side():
        return [np.unique(rng.integers(1, 60, rng.integers(0, 7))).tolist() for _ in range(rows)]

    lists = {"truth": side(), "pred": side()}
    methods = [f"m{k % 3}" for k in range(rows)]
    return pl.DataFrame({"series": [k // 3 for k in range(rows)], "method": methods, **lists, "n": [60] * rows})


def read(path):
    return {".parquet": pl.read_parquet, ".csv": pl.read_csv, ".jsonl": pl.read_ndjson}[path.suffix](path)


@pytest.mark.parametrize("source", ["parquet", "csv", "jsonl"])
@pytest.mark.parametrize("target", ["parquet", "csv", "jsonl"])
def test_score_from_any_format_to_any_other(tmp_path, source, target):
    data = table()
    given, out = tmp_path / f"in.{source}", tmp_path / f"out.{target}"
    if source == "csv":
        data.with_columns(pl.col("truth", "pred").map_elements(lambda x: json.dumps(x.to_list()), pl.String)).write_csv(
            given
        )
    else:
        data.write_parquet(given) if source == "parquet" else data.write_ndjson(given)
    found = run("score", given, "-o", out, "--metrics", "rand_index,f1", "--margin", 2)
    assert found.exit_code == 0, found.output
    assert found.output == ""
    wanted = ss.score(data, metrics=["rand_index", "f1"], margin=2)
    assert read(out)["rand_index"].to_list() == wanted["rand_index"].to_list()
    assert read(out)["f1(margin=2)"].to_list() == wanted["f1(margin=2)"].to_list()
    assert read(out)["method"].to_list() == data["method"].to_list()
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted([given.name, out.name])
    if target == "csv":  # goes in again
        again = run("score", out, "-o", tmp_path / "again.parquet", "--metrics", "covering")
        assert again.exit_code == 0, again.output


def test_globs_folders_and_resume(tmp_path):
    for k in range(3):
        table(seed=k).write_parquet(tmp_path / f"run{k}.parquet")
    out = tmp_path / "scored"
    found = run("score", tmp_path / "run*.parquet", "-o", f"{out}/", "--metrics", "rand_index")
    assert found.exit_code == 0, found.output
    assert sorted(p.name for p in out.iterdir()) == ["run0.parquet", "run1.parquet", "run2.parquet"]
    (out / "run1.parquet").unlink()
    before = (out / "run0.parquet").stat().st_mtime_ns
    found = run("score", tmp_path / "run*.parquet", "-o", out, "--metrics", "rand_index", "--resume")
    assert (out / "run1.parquet").exists() and (out / "run0.parquet").stat().st_mtime_ns == before
    assert found.output.count("exists, skipped") == 2
    one = tmp_path / "all.parquet"
    assert run("score", tmp_path / "run*.parquet", "-o", one, "--metrics", "rand_index").exit_code == 0
    assert pl.read_parquet(one).height == 600


def piped(given, *arguments):
    command = [sys.executable, "-c", "from segscore.cli import main; main()", *arguments]
    return subprocess.run(command, input=given, capture_output=True, timeout=60, check=False)


@pytest.mark.slow
def test_standard_input_and_output(tmp_path):
    data = pl.DataFrame({"truth": [[3, 8]], "pred": [[4, 8]], "n": [10]})
    data.write_parquet(tmp_path / "in.parquet")
    for given in (
        b'{"truth": [3, 8], "pred": [4, 8], "n": 10}\n',
        b'truth,pred,n\n"[3, 8]","[4,8]",10\n',
        (tmp_path / "in.parquet").read_bytes(),
    ):
        found = piped(given, "score", "-", "-o", "-", "--metrics", "rand_index")
        assert json.loads(found.stdout)["rand_index"] == ss.rand_index([3, 8], [4, 8], n=10)
    found = piped(b"", "score", "-", "-o", "-")
    assert found.returncode == 2
    assert found.stderr.startswith(b"segscore: standard input is empty; expected objects like")


def test_files_that_cannot_be_read_are_named(tmp_path):
    (tmp_path / "noise.parquet").write_bytes(b"no table")
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "cut.jsonl").write_text('{"truth": [3')
    (tmp_path / "words.csv").write_text('truth,pred,n\n"[3]","[4]",9\n"[3, x]","[4]",9\n')
    (tmp_path / "nested.csv").write_text('truth,pred,n\n"[[3], [4]]","[4,,5]",9\n')
    (tmp_path / "fine.jsonl").write_text('{"truth": [3], "pred": [4], "n": 9}\n')
    for names, message in (
        (["noise.parquet"], "noise.parquet cannot be read as parquet; expected a whole Parquet file"),
        (["empty.csv"], "empty.csv is empty; expected a header, such as series,method,truth,pred,n"),
        (["cut.jsonl"], "cut.jsonl, line 1, column 13: the text ends too early; expected one JSON object per line"),
        (
            ["words.csv"],
            "words.csv, row 1: truth = '[3, x]' is not a list of integers, as in [3, 8]; write it again with",
        ),
        (["nested.csv"], "nested.csv, row 0: pred = '[4,,5]' is not a list of integers, as in [3, 8]; write it again"),
        (["fine.jsonl", "noise.parquet"], "noise.parquet cannot be read as parquet; expected a whole Parquet file"),
        (["fine.jsonl", "words.csv"], "n (Int64); expected the same in all, or a folder as output"),
    ):
        found = run("score", *(tmp_path / name for name in names), "-o", tmp_path / "out.parquet")
        assert found.exit_code == 2
        assert message in found.output
        assert len(found.output.strip().splitlines()) == 1
        assert not (tmp_path / "out.parquet").exists()
    found = run("score", tmp_path / "fine.jsonl", "-o", tmp_path / "nowhere" / "out.parquet")
    assert found.exit_code == 2
    assert "there is no folder" in found.output


def test_types_are_those_of_the_whole_text(tmp_path):
    late = '{"truth": [], "pred": [1], "n": 5}\n' * 100
    (tmp_path / "late.jsonl").write_text(late + '{"truth": [1], "pred": [2], "n": 5, "note": "x"}\n')
    assert run("score", tmp_path / "late.jsonl", "-o", tmp_path / "out.jsonl", "--metrics", "rand_index").exit_code == 0
    last = pl.read_ndjson(tmp_path / "out.jsonl", infer_schema_length=None).row(-1, named=True)
    assert (last["rand_index"], last["note"]) == (ss.rand_index([1], [2], n=5), "x")
    (tmp_path / "bad.jsonl").write_text(late + '{"truth": ["x"], "pred": [2.5], "n": 5}\n')
    bad = ("score", tmp_path / "bad.jsonl", "-o", tmp_path / "bad.csv", "--metrics", "rand_index")
    assert "row 100: truth[0] is null or not an exact integer" in run(*bad).output.replace("pred", "truth")
    assert run(*bad, "--on-error", "null").exit_code == 0
    assert pl.read_csv(tmp_path / "bad.csv", infer_schema_length=None)["rand_index"].null_count() == 1
    (tmp_path / "late.csv").write_text("id,truth,pred,n\n" + '1,"[3]","[2]",5\n' * 100 + 'x,"[3]","[2]",5.0\n')
    assert run("score", tmp_path / "late.csv", "-o", tmp_path / "out.csv", "--metrics", "rand_index").exit_code == 0
    (tmp_path / "e1.jsonl").write_text('{"truth": [3], "pred": [], "n": 5}\n')
    (tmp_path / "e2.jsonl").write_text('{"truth": [3], "pred": [2], "n": 5}\n')
    both = ("score", tmp_path / "e1.jsonl", tmp_path / "e2.jsonl", "-o", tmp_path / "both.csv")
    assert run(*both, "--metrics", "rand_index").exit_code == 0
    assert pl.read_csv(tmp_path / "both.csv").height == 2


def test_nulls_and_names_are_kept_in_csv(tmp_path):
    data = pl.DataFrame({"truth": [[1, None, 3]], "pred": [[1]], "n": [5], "_truth": ["mine"], "tags": [['a,b"', "c"]]})
    data.write_parquet(tmp_path / "in.parquet")
    assert run("score", tmp_path / "in.parquet", "-o", tmp_path / "out.csv", "--on-error", "null").exit_code == 0
    row = pl.read_csv(tmp_path / "out.csv").row(0, named=True)
    assert json.loads(row["truth"]) == [1, None, 3]
    assert json.loads(row["tags"]) == ['a,b"', "c"]
    assert row["_truth"] == "mine"
    again = run("score", tmp_path / "out.csv", "-o", tmp_path / "again.csv", "--metrics", "pair_f1")
    assert again.exit_code == 2  # the null is still one


def test_inputs_are_never_overwritten(tmp_path):
    table(50).write_parquet(tmp_path / "in.parquet")
    before = (tmp_path / "in.parquet").read_bytes()
    for out in (f"{tmp_path}/", tmp_path / "in.parquet", tmp_path / "." / "in.parquet"):
        found = run("score", tmp_path / "in.parquet", "-o", out, "--metrics", "rand_index")
        assert found.exit_code == 2
        assert "is also an input, and would be overwritten; expected another output" in found.output
    assert (tmp_path / "in.parquet").read_bytes() == before


def test_names_with_signs_of_globs_and_in_capitals(tmp_path):
    line = '{"truth": [3], "pred": [2], "n": 5}\n'
    for name in ("a[1].jsonl", "a1.jsonl", "a*b.JSONL"):
        (tmp_path / name).write_text(line)
        found = run("score", tmp_path / name, "-o", tmp_path / "out.csv", "--metrics", "rand_index")
        assert found.exit_code == 0, found.output
        assert pl.read_csv(tmp_path / "out.csv").height == 1
    pl.read_ndjson(tmp_path / "a1.jsonl").write_parquet(tmp_path / "p[1].parquet")
    assert run("score", tmp_path / "p[1].parquet", "-o", tmp_path / "p.csv", "--metrics", "rand_index").exit_code == 0


def test_usage_errors_are_one_line_too(tmp_path, cuts):
    for arguments, message in (
        (("matrix", cuts / "a.txt", "nofile"), "does not exist; see segscore matrix --help"),
        (("nope",), "No such command 'nope'; see segscore --help"),
        (("--nope",), "No such option '--nope'; see segscore --help"),
        (
            ("score", "x.csv"),
            "-o is missing; expected a file (.parquet, .csv, .jsonl), a folder, or - to print JSON Lines; see segscore score --help",
        ),
        (
            ("plot", "pairs", cuts / "a.txt"),
            "-o is missing; expected a file that ends with .html, .png, .svg or .pdf; see segscore plot --help",
        ),
        (
            ("matrix", cuts / "a.txt", "--n", 9, "--metrics", "f1,covering"),
            "--metrics has 2 metrics, f1,covering; expected one",
        ),
        (("metrics", "--as", "xml"), "'xml' is not one of"),
        (("compare", cuts / "a.txt", cuts / "b.json", "--n", 9, "--metrics", ","), "--metrics is empty"),
        (("score", "-", "-o", f"{tmp_path}/"), "standard input has no name"),
    ):
        found = run(*arguments)
        assert found.exit_code == 2, found.output
        assert message in found.output
        assert len(found.output.strip().splitlines()) == 1


INTEGER = "is not an integer; expected digits, as 5"
NUMBER = "is not a number; expected digits, as 5 or 0.5"
DISTANCE = "is not a number; expected points, or seconds for cuts in time, as 5 or 0.5"
LENGTH = "is not a length; expected a number, or 5min or 30s for timestamps"
NUMBERS = {
    **dict.fromkeys(["--n", "--threads", "--seed", "--workers", "--memory", "--repeats"], INTEGER),
    **dict.fromkeys(["--duration", "--unit", "--tolerance", "--to-unit", "--relative-margin", "--timeout"], NUMBER),
    **dict.fromkeys(["--margin", "--max-delay"], LENGTH),
}


@pytest.mark.parametrize("command", main.commands)
def test_options_of_numbers_show_the_value_and_what_is_expected(command, cuts):
    arguments = {"plot": ["pairs", cuts / "a.txt"], "compare": ["3", "4"], "convert": [cuts / "a.txt", cuts / "b.txt"]}
    options = [option for param in main.commands[command].params for option in param.opts if option in NUMBERS]
    if command == "score":
        options = [option for option in options if option not in ("--n", "--duration")]  # a column, or a number
    for option in options:
        expected = DISTANCE if option == "--margin" and command in ("compare", "matrix") else NUMBERS[option]
        found = run(command, *arguments.get(command, [cuts / "a.txt"]), option, "5m")
        line = f"segscore: Invalid value for '{option}': '5m' {expected}; see segscore {command} --help"
        assert (found.exit_code, found.output) == (2, f"{line}\n")
    bare = (type(click.INT), type(click.FLOAT), click.IntRange, click.FloatRange)
    assert not [param for param in main.commands[command].params if isinstance(param.type, bare)]  # without our message
    for option in options:
        found = run(command, *arguments.get(command, [cuts / "a.txt"]), option)
        line = f"segscore: Option '{option}' requires an argument; see segscore {command} --help\n"
        assert (found.exit_code, found.output) == (2, line)
        digits = "9" * 400 + ".5"
        found = run(command, *arguments.get(command, [cuts / "a.txt"]), option, digits)
        line = f"segscore: Invalid value for '{option}': {digits!r:.40} is not "
        assert (found.exit_code, found.output[: len(line)]) == (2, line)


EVIL = "\x1b[31m\x9b\x07\u202e"
ESCAPED = "\\x1b[31m\\x9b\\x07\\u202e"


@pytest.mark.parametrize(
    "command",
    [
        f"compare {EVIL}.txt 3 --n 9",
        f"compare {EVIL} 3 --n 9",
        f"convert {EVIL}.txt {EVIL}.json --n 9",
        f"consensus {EVIL}.txt --n 9",
        f"compare 3 4 --n 9 --metrics {EVIL}",
        f"summary {EVIL}.csv --metrics {EVIL}",
        f"summary {EVIL}.csv --by {EVIL}2",
        "summary {EVIL}.csv --metrics f1",
        f"score {EVIL}.csv -o x.csv",
        f"score {EVIL}2.csv -o x.csv",
        f"score runs.csv -o {EVIL}/ --metrics rand_index --n 9 --resume",
        f"report {EVIL}.csv --metrics f1 -o {EVIL}.html",
        f"plot {EVIL} {EVIL}.csv -o x.svg",
        f"run --check {EVIL}.toml",
        f"run --check {EVIL}2.toml",
        f"{EVIL}",
    ],
)
def test_control_characters_of_names_are_escaped(command, tmp_path):
    (tmp_path / f"{EVIL}.txt").write_text("3\n")
    (tmp_path / f"{EVIL}.csv").write_text(f"series,method,f1,{EVIL}\na,{EVIL},0.5,1\na,b,0.25,2\n")
    (tmp_path / "runs.csv").write_text('truth,pred\n"[3]","[4]"\n')
    (tmp_path / f"{EVIL}.toml").write_text(f'detectors.a.use = "a:b"\nseries = ["{tmp_path}/s.csv"]\n')
    (tmp_path / f"{EVIL}2.toml").write_text('detectors.a.use = "a:b"\nseries = "s.jsonl"\n')
    (tmp_path / "s.jsonl").write_text('{"series": "a", "signal": [1, 2, 3]}\n')
    (tmp_path / EVIL).mkdir()
    (tmp_path / EVIL / "runs.csv").write_text("x\n")
    words = command.replace("{EVIL}", EVIL).split(" ")
    reading, writing = os.openpty()
    program = [sys.executable, "-m", "segscore", *words]
    with subprocess.Popen(program, cwd=tmp_path, stdout=writing, stderr=subprocess.STDOUT) as process:
        os.close(writing)
        shown = b""
        with contextlib.suppress(OSError):  # the terminal is closed
            while part := os.read(reading, 4096):
                shown += part
        os.close(reading)
    text = shown.decode()
    assert "\x1b[31m" not in text and not {"\x9b", "\x07", "\u202e"} & set(text)
    assert ESCAPED in text.replace("\\\\", "\\") or not process.returncode


def test_what_is_not_shown_on_a_terminal_keeps_its_characters(tmp_path):
    (tmp_path / "s.csv").write_text(f"series,method,f1\na,{EVIL},0.5\na,b,0.25\n")
    found = piped(b"", "summary", str(tmp_path / "s.csv"), "--metrics", "f1", "--as", "csv")
    assert EVIL in found.stdout.decode()


@pytest.mark.parametrize("command", ["score - -o x.csv", "summary -", "report -"])
def test_without_standard_input(tmp_path, command):
    program = f'"{sys.executable}" -m segscore {command} <&-'
    found = subprocess.run(program, shell=True, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    message = "segscore: standard input is closed; expected a table in a file or from a pipe\n"
    assert (found.returncode, found.stderr) == (2, message)


def test_options_keep_all_digits_of_a_number():
    for text, value in (("9007199254740993", 2**53 + 1), ("1e3", 1000), ("0.5", 0.5), ("5min", "5min")):
        assert str(LENGTHS.convert(text, None, None)) == str(value)


def test_panics_are_errors(tmp_path):
    pl.DataFrame({"truth": [[1]], "pred": [[1]], "n": [9], "b": [b"\xff"]}).write_parquet(tmp_path / "b.parquet")
    found = piped(b"", "score", str(tmp_path / "b.parquet"), "-o", "-", "--metrics", "rand_index")
    assert found.returncode == 2
    assert found.stderr.decode().splitlines()[-1].startswith("segscore: ")
    assert b"Traceback" not in found.stderr


@pytest.mark.slow
@pytest.mark.parametrize("unbuffered", [None, "1"])
@pytest.mark.parametrize(
    "command",
    [
        "--help",
        "--version",
        "score --help",
        "compare a.txt b.json --n 10",
        "compare a.txt b.json --n 10 --as json",
        "compare a.txt b.json --n 10 --as csv",
        "matrix a.txt b.json --n 10",
        "consensus a.txt b.json --n 10",
        "demo -o demo.html",
        "metrics",
        "metrics --as json",
        "metrics --as csv",
        "score short.parquet -o -",
        "score long.parquet -o -",
        "summary scores.parquet",
        "summary scores.parquet --as latex",
        "summary scores.parquet --as csv",
    ],
)
def test_a_closed_pipe_ends_every_command_quietly(cuts, command, unbuffered):
    table(50).write_parquet(cuts / "short.parquet")
    ss.score(table(50), metrics=["rand_index"]).write_parquet(cuts / "scores.parquet")
    if "long" in command:
        pl.concat([table(2000)] * 100).write_parquet(cuts / "long.parquet")
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    if unbuffered is not None:
        environment["PYTHONUNBUFFERED"] = unbuffered
    program = [sys.executable, "-c", "from segscore.cli import main; main()", *command.split()]
    reading, writing = os.pipe()
    os.close(reading)
    try:
        found = subprocess.run(
            program, cwd=cuts, env=environment, stdout=writing, stderr=subprocess.PIPE, timeout=60, check=False
        )
    finally:
        os.close(writing)
    assert found.stderr == b""
    assert found.returncode == 1


@pytest.mark.slow
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("place", ["&-", "/dev/full"])
@pytest.mark.parametrize(
    "command",
    [
        "--help",
        "--version",
        "score --help",
        "compare a.txt b.json --n 10",
        "compare a.txt b.json --n 10 --as json",
        "matrix a.txt b.json --n 10",
        "consensus a.txt b.json --n 10",
        "metrics",
        "score short.parquet -o -",
        "summary scores.parquet --as csv",
    ],
)
def test_output_that_cannot_be_written_is_one_line(cuts, command, place, unbuffered):
    table(50).write_parquet(cuts / "short.parquet")
    ss.score(table(50), metrics=["rand_index"]).write_parquet(cuts / "scores.parquet")
    program = f'"{sys.executable}" -c "from segscore.cli import main; main()" {command} >{place}'
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    found = subprocess.run(
        ["sh", "-c", program], cwd=cuts, env=environment, stderr=subprocess.PIPE, text=True, timeout=60, check=False
    )
    reason = "Bad file descriptor" if place == "&-" else "No space left on device"
    assert found.returncode == 2
    assert found.stderr.startswith("segscore: ") and reason in found.stderr and found.stderr.count("\n") == 1
    if not unbuffered and command in ("--version", "matrix a.txt b.json --n 10"):
        sentence = f"standard output cannot be written: {reason}; expected an open file or pipe with space"
        assert found.stderr == f"segscore: {sentence}\n"


def test_commands_that_print_nothing_need_no_output(cuts):
    table(50).write_parquet(cuts / "short.parquet")
    program = f'"{sys.executable}" -c "from segscore.cli import main; main()" score short.parquet -o out.csv >&-'
    found = subprocess.run(["sh", "-c", program], cwd=cuts, stderr=subprocess.PIPE, timeout=60, check=False)
    assert (found.returncode, found.stderr) == (0, b"")
    assert pl.read_csv(cuts / "out.csv").height == 50


def test_csv_quotes_every_end_of_line(tmp_path):
    names = ["a\rb", "a\nb", "a,b", 'a"b', "plain"]
    pl.DataFrame({"method": names, "series": ["s"] * 5, "f1": [0.5] * 5}).write_parquet(tmp_path / "scores.parquet")
    found = piped(b"", "summary", str(tmp_path / "scores.parquet"), "--as", "csv")
    for name in names:
        quoted = name if name == "plain" else '"{}"'.format(name.replace('"', '""'))
        assert f"\nf1,{quoted},0.5,".encode() in found.stdout
    assert pl.read_csv(found.stdout)["method"].to_list() == sorted(names)  # they tie, so their names order them


def test_files_of_cuts_as_people_have_them(tmp_path):
    wanted = ss.rand_index([3, 8], [4, 8], n=10)
    (tmp_path / "pred.txt").write_text("4\n8\n")
    for name, text in (
        ("bom.txt", "\ufeff3\n8\n"),
        ("crlf.txt", "3\r\n8\r\n\r\n"),
        ("line.txt", "3 8"),
        ("bom.json", "\ufeff[3, 8]"),
        ("lines.json", " [\n3,\n8\n]\n"),
        ("savetxt.txt", "3.000000000000000000e+00\n8.000000000000000000e+00\n"),  # numpy.savetxt
        ("reals.json", "[3.0, 8]"),
    ):
        (tmp_path / name).write_text(text, encoding="utf-8")
        found = run("compare", tmp_path / name, tmp_path / "pred.txt", "--n", 10, "--as", "json")
        assert json.loads(found.stdout)["rand_index"] == wanted
    for name, text, message in (
        ("words.txt", "3\n1_0\n", "words.txt, line 2: '1_0' is not a cut; expected integers below 2**63"),
        ("other.txt", "\u0663\n", "is not a cut"),
        ("large.txt", "3\n99999999999999999999\n", "'99999999999999999999' is not a cut"),
        (
            "object.json",
            '{"a": 1}',
            "object.json holds an object with the keys 'a'; expected a list of cuts like [3, 8], rec",
        ),
        ("half.json", "[3, 8", "expected a JSON list of cuts like [3, 8]"),
        ("gap.json", "[3,,8]", "'' is not a cut"),
        ("real.json", "[3.5]", "'3.5' is not a cut"),
        ("half.txt", "3.000e+00\n8.500e+00\n", "'8.500e+00' is not a cut; expected integers below 2**63"),
        ("rounded.txt", "3.000e+00\n1.235e+06\n", "'1.235e+06' is not a cut; expected integers below 2**63"),
        ("none.txt", "3.0\nnan\n", "'nan' is not a cut"),
        ("empty.json", "", "empty.json, column 1: the text ends too early; expected JSON"),
        ("noise.npy", "noise", "noise.npy is not a .npy file; expected numbers that numpy.save wrote"),
    ):
        (tmp_path / name).write_text(text, encoding="utf-8")
        found = run("compare", tmp_path / name, tmp_path / "pred.txt", "--n", 10)
        assert found.exit_code == 2
        assert message in found.output
    (tmp_path / "none.json").write_text("[]")
    assert run("compare", tmp_path / "none.json", tmp_path / "pred.txt", "--n", 10).exit_code == 0


def test_comparing_needs_no_memory_for_the_cuts(tmp_path):
    resource = pytest.importorskip("resource")
    count = 3_000_000  # 24 MB a side, of which no copy fits
    for name, step in (("a.npy", 3), ("b.npy", 4)):
        np.save(tmp_path / name, np.arange(step, step * count, step))
    (tmp_path / "c.json").write_text(str(list(range(5, 5 * count, 5))))
    script = (
        "import resource, sys; from segscore.cli import main; import numpy\n"
        "used = int([l for l in open('/proc/self/status') if l.startswith('VmData')][0].split()[1]) * 1024\n"
        f"resource.setrlimit(resource.RLIMIT_DATA, (used + {count * 8},) * 2); main()"
    )
    for pred in ("b.npy", "c.json"):
        command = ["compare", str(tmp_path / "a.npy"), str(tmp_path / pred), "--n", str(5 * count), "--margin", "1"]
        found = subprocess.run(
            [sys.executable, "-c", script, *command, "--as", "json"],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert found.returncode == 0, found.stderr
        assert len(json.loads(found.stdout)) > 20
    assert resource.RLIMIT_DATA


def test_completion():
    def completed(words, last):
        environment = {**os.environ, "_SEGSCORE_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": last}
        command = [sys.executable, "-c", "from segscore.cli import main; main(prog_name='segscore')"]
        found = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)
        return [line.split(",", 1)[1] for line in found.stdout.splitlines()]

    assert "score" in completed("segscore sc", "1")
    assert completed("segscore score --metrics rand_index,cover", "3") == ["rand_index,covering", "rand_index,coverage"]


def test_several_annotators_to_csv(tmp_path):
    (tmp_path / "in.jsonl").write_text('{"truth": [[1], [2, 3]], "pred": [1], "n": 5}\n')
    assert run("score", tmp_path / "in.jsonl", "-o", tmp_path / "out.csv", "--metrics", "covering").exit_code == 0
    assert (tmp_path / "out.csv").read_text().splitlines()[1].startswith('"[[1],[2,3]]",[1],5,')
    assert run("score", tmp_path / "out.csv", "-o", tmp_path / "again.csv", "--metrics", "rand_index").exit_code == 0
    both = pl.read_csv(tmp_path / "again.csv")
    assert both["covering"][0] == pytest.approx(np.mean([ss.covering(t, [1], n=5) for t in ([1], [2, 3])]))
    assert both["rand_index"][0] == pytest.approx(np.mean([ss.rand_index(t, [1], n=5) for t in ([1], [2, 3])]))


def test_bad_rows_leave_no_half_file(tmp_path):
    data = table(50_000)
    bad = data.with_columns(pl.when(pl.int_range(pl.len()) == 40_000).then(99).otherwise("n").alias("n"))
    bad = bad.with_columns(pl.when(pl.col("n") == 99).then([3, 2]).otherwise("truth").alias("truth"))
    bad.write_parquet(tmp_path / "bad.parquet", row_group_size=5000)
    found = run("score", tmp_path / "bad.parquet", "-o", tmp_path / "out.parquet", "--metrics", "rand_index")
    assert found.exit_code == 2
    assert "row 40000: truth[1] = 2 does not exceed truth[0] = 3" in found.output
    assert [p.name for p in tmp_path.iterdir()] == ["bad.parquet"]
    found = run(
        "score",
        tmp_path / "bad.parquet",
        "-o",
        tmp_path / "out.parquet",
        "--metrics",
        "rand_index",
        "--on-error",
        "null",
    )
    assert found.exit_code == 0
    scored = pl.read_parquet(tmp_path / "out.parquet")
    assert scored["error"].null_count() == 49_999 and scored["rand_index"][40_000] is None


def test_ctrl_c_ends_cleanly(tmp_path):
    pl.concat([table(2000)] * 200).write_parquet(tmp_path / "long.parquet")
    command = [sys.executable, "-c", "from segscore.cli import main; main()", "score", str(tmp_path / "long.parquet")]
    process = subprocess.Popen([*command, "-o", str(tmp_path / "out.parquet")], stderr=subprocess.PIPE, text=True)
    while not list(tmp_path.glob(".out.parquet.*")) and process.poll() is None:  # until it is at work
        time.sleep(0.01)
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert errors.strip() == "segscore: interrupted"
    assert [p.name for p in tmp_path.iterdir()] == ["long.parquet"]


def test_summary(tmp_path):
    scored = ss.score(table(), metrics=["rand_index", "hausdorff"])
    scored = scored.with_columns(
        pl.when(pl.col("method") == "m1").then(None).otherwise("rand_index").alias("rand_index")
    )
    scored.write_parquet(tmp_path / "scores.parquet")
    found = run("summary", tmp_path / "scores.parquet", "--metrics", "rand_index")
    assert found.exit_code == 0, found.output
    heading, _, *rest = found.output.splitlines()
    start = "Mean Rand index (higher is better) over 66 of 67 series. Failures count as 0 (m1: 67). Bold: best; underlined: "
    assert heading.startswith(start)
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in rest if line.startswith("|")]
    columns = ["Mean ↑", "95 % interval", "Median ↑", "Rank", "Wins", "Scored", "Mean over", "Failed", "Not run"]
    assert lines[0] == ["Method", *columns]
    common = scored.filter(pl.len().over("series") == 3)  # one series was run by two of the three methods
    best = common.group_by("method").agg(pl.col("rand_index").mean()).drop_nulls().sort("rand_index", descending=True)
    assert [line[0] for line in lines[2:]] == [*best["method"].to_list(), "m1"]
    assert float(lines[2][1].strip("*")) == pytest.approx(best["rand_index"][0], abs=1e-3)
    assert lines[-1][1:] == ["0.000", "0.000 to 0.000", "0.000", "3.00", "0", "0 of 67", "66 of 67", "67", "0"]
    assert [line for line in rest[-7:] if line] == [
        "1 series is left out, because some ranked methods were not run there.",
        "66 series are scored against different truths or lengths for different methods, so the methods cannot be "
        "compared there; the first is '0'.",
        "m2: no score on 1 of 67 series (1 not run); 1st of 3 if rows without a score count as failures.",
        "m1: 3rd of 3 if failures count as a prediction without cuts; no series is common to all methods.",
    ]
    both = ("summary", tmp_path / "scores.parquet", "--metrics", "rand_index,hausdorff")
    assert [line[:13] for line in run(*both).output.splitlines()[2:]][:1] == ["| Score | Meth"[:13]]
    head = run(*both, "--rows", "method", "--decimals", "auto").output.splitlines()[2]
    assert head == "| Method | Rand index ↑ | Scored | Hausdorff (median) ↓ | Scored |"
    assert (
        run(*both[:2], "--metrics", "rand_index", "--rows", "series").output.splitlines()[2].startswith("| Series | m")
    )
    assert "<caption>Mean Rand index" in run(*both[:2], "--metrics", "rand_index", "--as", "html").output
    assert run(*both, "--decimals", "x").stderr == (
        "segscore: --decimals x is not a number of decimals; expected an integer from 0 to 17, or auto\n"
    )
    assert run("summary", tmp_path / "scores.parquet", "--as", "csv").output.startswith("score,method,mean")
    assert r"\caption{Scores: Rand index" in run("summary", tmp_path / "scores.parquet", "--as", "latex").output
    assert run("summary", tmp_path / "scores.parquet", "--by", "nobody").exit_code == 2
    several = [line.split(" | ")[0] for line in run(*both).output.splitlines()[4:10]]
    assert several == ["| rand\\_index ↑"] * 3 + ["| hausdorff ↓"] * 3


def test_summary_without_series(tmp_path):
    rows = pl.DataFrame({"method": ["a", "b", "b"], "f1": [0.5, 0.75, 0.25], "covering": [0.5, 0.5, 0.25]})
    rows.write_csv(tmp_path / "x.csv")
    found = run("summary", tmp_path / "x.csv", "--metrics", "f1").output
    # Rows of one method do not belong to rows of another, so there are neither ranks nor wins.
    assert [line.split(" | ")[1:] for line in found.splitlines()[2:] if line.startswith("|")][::2] == [
        ["Method", "Mean", "Median", "Scored |"],
        ["a", "0.500", "0.500", "1 of 1 |"],
    ]
    values = [line.split(",")[:9] for line in run("summary", tmp_path / "x.csv", "--as", "csv").output.splitlines()]
    assert [(line[1], line[7], line[8]) for line in values] == [
        ("method", "rank", "wins"),
        *[("a", "", ""), ("b", "", "")] * 2,
    ]
    # A name that was asked for must be there: without it, methods would not be compared.
    found = run("summary", tmp_path / "x.csv", "--series", "serie")
    assert found.output == f"segscore: {tmp_path / 'x.csv'} has no column 'serie'; it has method, f1, covering\n"


def test_a_remedy_with_a_value_is_an_option(tmp_path):
    rows = {"method": ["a", "b"], "series": ["x", "x"], "f1": [0.5, None], "truth": [[3]] * 2, "n": [9, 9]}
    pl.DataFrame(rows).write_parquet(tmp_path / "x.parquet")
    found = run("summary", tmp_path / "x.parquet", "--failures", "no_cuts")
    assert found.output == (
        "segscore: --failures 'no_cuts' needs the score of the prediction without cuts on each series, but the margin of "
        "f1 is not recorded; expected a column such as 'f1(margin=5)', or --failures worst\n"
    )


@pytest.mark.slow
def test_report_plot_and_demo(tmp_path, cuts):
    data = table().with_columns(series=pl.int_range(pl.len()) % 20)
    data.write_parquet(tmp_path / "runs.parquet")
    page = tmp_path / "report.html"
    arguments = ("report", tmp_path / "runs.parquet", "-o", page, "--metrics", "covering,f1", "--margin", 2)
    found = run(*arguments, "--title", "A & B")
    assert found.exit_code == 0, found.output
    assert f"{page} is written" in found.output
    assert "<title>A &amp; B</title>" in page.read_text()
    scored = ss.score(data, metrics=["f1"], margin=2)
    scored.write_parquet(tmp_path / "scores.parquet")
    for chart, inputs, more in (
        ("timeline", (cuts / "a.txt", cuts / "b.json", cuts / "c.npy"), ("--n", 10, "--margin", 1)),
        ("staircase", (cuts / "a.txt", cuts / "b.json"), ("--n", 10)),
        ("pk_curve", (cuts / "a.txt", cuts / "b.json"), ("--n", 10)),
        ("f1_curve", (tmp_path / "runs.parquet",), ("--margin", 2)),
        ("f1_curve", (tmp_path / "runs.parquet",), ()),
        ("delays", (tmp_path / "runs.parquet",), ("--max-delay", 3)),
        ("leaderboard", (tmp_path / "scores.parquet",), ("--metrics", "f1")),
        ("critical_difference", (tmp_path / "scores.parquet",), ("--metrics", "f1")),
        ("pairs", (tmp_path / "scores.parquet",), ("--metrics", "f1")),
        ("scores", (tmp_path / "scores.parquet",), ("--metrics", "f1", "--against", "f1")),
        ("heatmap", (tmp_path / "scores.parquet",), ("--metrics", "f1")),
    ):
        found = run("plot", chart, *inputs, "-o", tmp_path / f"{chart}.svg", *more)
        assert found.exit_code == 0, found.output
        assert (tmp_path / f"{chart}.svg").read_text().startswith("<svg")
    data.with_columns(pl.col("truth", "pred").map_elements(lambda x: json.dumps(x.to_list()), pl.String)).write_csv(
        tmp_path / "runs.csv"
    )
    found = run("report", tmp_path / "runs.csv", "-o", tmp_path / "csv.html", "--metrics", "covering,f1", "--margin", 2)
    assert found.exit_code == 0, found.output
    assert "SHA-256" in (tmp_path / "csv.html").read_text()
    for arguments, message in (
        (
            ("report", tmp_path / "runs.parquet", "-o", tmp_path / "runs.parquet"),
            "is also an input, and would be overwritten",
        ),
        (("report", tmp_path / "runs.parquet", "-o", tmp_path / "x.pdf"), "expected .html or .htm"),
        (("plot", "timeline", cuts / "a.txt", "-o", "x.svg"), "timeline has 1 input; expected at least two files"),
        (("plot", "staircase", *[cuts / "a.txt"] * 3, "-o", "x.svg"), "expected two files, the truth first"),
        (
            ("plot", "delays", *[cuts / "a.txt"] * 2, "-o", "x.svg"),
            "delays has 2 inputs; expected one table of results",
        ),
        (("plot", "heatmap", tmp_path / "scores.parquet", "-o", "x.gif"), "expected .html, .png, .svg or .pdf"),
        (("plot", "heatmap", "nothing.parquet", "-o", "x.svg"), "nothing.parquet"),
        (("plot", "pie", "x", "-o", "x.svg"), "'pie' is not one of"),
        (("report", tmp_path / "runs.parquet", "--metrics", "rand"), "did you mean 'rand_index'?"),
        (("report", "nothing.parquet"), "nothing.parquet"),
    ):
        found = run(*arguments)
        assert found.exit_code == 2
        assert message in found.output
        assert len(found.output.strip().splitlines()) == 1


@pytest.mark.slow
def test_the_demo_and_its_page_agree(tmp_path):
    found = run("demo", "-o", tmp_path / "demo.html")
    assert found.exit_code == 0, found.output
    lines = found.output.splitlines()
    assert lines[0] == (
        "Stored predictions (part of segscore), scored here: 10 detectors of ruptures on 75 simulated series, 25 "
        "signals at three levels of noise"
    )
    assert f"The report is {tmp_path / 'demo.html'}: open it in any browser." == lines[-1]
    content = held_by(tmp_path / "demo.html")
    for name, spoken in (("rand_index", "Rand index"), ("covering", "covering"), ("f1(margin=5)", "F1 at margin 5")):
        board = content["boards"][name]
        start = lines.index(board["heading"].replace(spoken, name))
        rows = [re.split(" {2,}", line.strip()) for line in lines[start + 1 : start + 12]]
        every = (*board["standings"], *board["others"])
        texts = [[text for text in s["texts"] if text] for s in every]  # a reference has no rank and no wins
        assert rows == [[title for _, title in board["columns"]], *texts]
        assert lines[start + 12 : start + 12 + len(board["notes"])] == board["notes"]
    assert content["boards"]["f1"]["heading"] == "F1 at margin 5, 75 series in 25 groups, failures count as 0"
    said = content["boards"]["f1"]["differences"]["conclusion"]
    assert said.replace("F1 at margin 5", "f1(margin=5)") in lines


METHODS = ["1.1", "1.10", "1.1", "1.10"]
SERIES = ["001", "001", "01", "1"]


def named(path):
    """Write rows whose names look like numbers."""
    text = "method,series,params,dataset,annotator,truth,pred,n\n"
    for method, series in zip(METHODS, SERIES, strict=True):
        text += f'{method},{series},1.10,007,1e3,"[3, 8]","[{4 if method == "1.1" else 8}]",10\n'
    path.write_text(text)
    return path


@pytest.mark.parametrize("target", ["parquet", "csv", "jsonl"])
def test_names_that_look_like_numbers_stay_as_they_are(tmp_path, target):
    out = tmp_path / f"out.{target}"
    assert run("score", named(tmp_path / "in.csv"), "-o", out, "--metrics", "rand_index").exit_code == 0
    text = pl.read_csv(out, infer_schema=False) if target == "csv" else read(out)
    assert text["method"].to_list() == METHODS
    assert text["series"].to_list() == SERIES
    assert text.row(0)[2:5] == ("1.10", "007", "1e3")
    lines = run("summary", out, "--as", "csv").output.splitlines()
    assert [line.split(",")[1] for line in lines[1:]] == ["1.1", "1.10"]
    assert [line.split(",")[-2] for line in lines[1:]] == ["1", "1"]  # not run: of 001, 01 and 1, each has two
    if target != "parquet":  # what the user calls a name is one too
        renamed = tmp_path / f"renamed.{target}"
        renamed.write_text(out.read_text().replace("method", "config").replace("series", "place"))
        again = run("summary", renamed, "--by", "config", "--series", "place", "--as", "csv").output.splitlines()
        assert again[1:] == lines[1:]


UNKNOWN = {"run": ["001", "1", "1e3"], "model": ["1.10", "1.1", "1.10"], "id": ["9007199254740993", "1.5", " 7 "]}


@pytest.mark.parametrize("target", ["parquet", "csv", "jsonl"])
def test_columns_of_csv_that_segscore_does_not_know_are_text(tmp_path, target):
    text = "run,model,id,gain,f1(margin=5),truth,pred,n\n"
    for k, pred in enumerate(([3], [4], [])):
        names = ",".join(column[k] for column in UNKNOWN.values())
        text += f'{names},{k}.50,{k}.50,"[3]","{pred}",10\n'
    (tmp_path / "in.csv").write_text(text)
    out = tmp_path / f"out.{target}"
    found = run("score", tmp_path / "in.csv", "-o", out, "--metrics", "rand_index")
    assert found.output == ""
    written = pl.read_csv(out, infer_schema=False) if target == "csv" else read(out)
    assert written.select(*UNKNOWN).to_dict(as_series=False) == UNKNOWN
    assert written["gain"].to_list() == ["0.50", "1.50", "2.50"]
    assert written["f1(margin=5)"].cast(pl.Float64).to_list() == [0.5, 1.5, 2.5]
    if target != "csv":
        assert written["f1(margin=5)"].dtype == pl.Float64
    for by, wanted in (("model", ["1.1", "1.10"]), ("id", sorted(UNKNOWN["id"]))):
        found = run("summary", out, "--by", by, "--metrics", "gain,f1(margin=5)", "--higher", "gain", "--as", "csv")
        rows = [line.split(",") for line in found.output.splitlines()[1:]]
        assert sorted(row[1] for row in rows if row[0] == "gain") == wanted
        assert [row[1:] for row in rows if row[0] == "gain"] == [row[1:] for row in rows if row[0] != "gain"]


def test_names_in_the_report_and_in_json_lines(tmp_path):
    page = tmp_path / "report.html"
    assert run("report", named(tmp_path / "in.csv"), "-o", page, "--metrics", "covering").exit_code == 0
    for names in ('"methods":["1.1","1.10"]', '"series":["001","01","1"]'):
        assert names in page.read_text()
    rows = ["9007199254740993", '"9007199254740992"', '"1.5"', '"01"', "1", "null"]
    lines = [f'{{"method": "x", "series": {series}, "truth": [3], "pred": [3], "n": 9}}\n' for series in rows]
    (tmp_path / "in.jsonl").write_text("".join(lines))
    out = tmp_path / "out.parquet"
    assert run("score", tmp_path / "in.jsonl", "-o", out, "--metrics", "rand_index").exit_code == 0
    series = ["9007199254740993", "9007199254740992", "1.5", "01", "1", None]
    assert pl.read_parquet(out)["series"].to_list() == series
    (tmp_path / "nested.jsonl").write_text('{"params": {"a": 1}, "truth": [3], "pred": [3], "n": 9}\n')
    assert run("score", tmp_path / "nested.jsonl", "-o", out, "--metrics", "rand_index").exit_code == 0
    assert pl.read_parquet(out)["params"].to_list() == [{"a": 1}]


def test_numbers_in_json_lines_that_would_change_are_refused(tmp_path):
    large = 2**53 + 1
    name = "column '{}' holds the real number {}, but a name must be exact; expected text: write \"{}\""
    integer = (
        f"column '{{}}' holds {large} beside real numbers, and would be rounded; expected text: write \"{large}\", "
        "or use Parquet"
    )
    for rows, message in (
        (['"method": 1.10', '"method": 1.1'], name.format("method", "1.10", "1.10")),
        (['"method": "x"', '"method" : -1e3'], name.format("method", "-1e3", "-1e3")),
        (['"series": 3', '"series": 2.0'], name.format("series", "2.0", "2.0")),
        (['"a \\"b\\"": 1.5', f'"a \\"b\\"": {large}'], integer.format('a "b"')),
        (['"id": 1.5, "x": 1', f'"id": {large}, "x": 1'], integer.format("id")),
        (['"id": [1.5]', f'"id": [7, {large}]'], integer.format("id")),
        (['"id": {"a": 1.5}', f'"id": {{"a": {large}}}'], integer.format("id")),
        (['"id": [{"a": [1.5]}]', f'"id": [{{"a": [ {large} ]}}]'], integer.format("id")),
        ([f'"id": {large}, "x": 1.5', f'"id": {large}, "x": 2'], ""),  # the large integers are exact
        (['"id": 1.5, "x": {"id": 2}', f'"id": 0.1, "x": {{"id": {large}}}'], ""),
        (['"method": "x", "params": {"method": 1.5}'] * 2, ""),
        (['"id": 1.5, "pad": "\\"id\\": 9007199254740993,"', '"id": 9007199254740993.0, "pad": ""'], ""),
        (['"id": 9007199254740991', '"id": 1.5'], ""),
    ):
        lines = [f'{{{row}, "truth": [3], "pred": [3], "n": 9}}\n' for row in rows]
        one, other = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
        one.write_text("".join(lines))
        found = run("score", one, "-o", tmp_path / "out.parquet", "--metrics", "rand_index")
        assert found.output == (f"segscore: {one}: {message}\n" if message else ""), rows
        one.write_text(lines[0])
        other.write_text(lines[1])
        found = run("score", one, other, "-o", tmp_path / "out.parquet", "--metrics", "rand_index")
        if "{" not in rows[0]:  # else the structs differ
            assert message in found.output and bool(message) == bool(found.output), rows
    (tmp_path / "by.jsonl").write_text('{"model": 1.10, "f1": 1}\n{"model": 1.1, "f1": 0.5}\n')
    found = run("summary", tmp_path / "by.jsonl", "--by", "model")
    assert found.output == f"segscore: {tmp_path}/by.jsonl: {name.format('model', '1.10', '1.10')}\n"
    (tmp_path / "gain.jsonl").write_text(f'{{"method": "x", "gain": {large}}}\n{{"method": "x", "gain": 0.5}}\n')
    assert run("summary", tmp_path / "gain.jsonl", "--metrics", "gain", "--higher", "gain").exit_code == 0


@pytest.mark.parametrize("target", ["parquet", "csv", "jsonl", "-"])
def test_infinities_and_nan_go_through_every_format(tmp_path, target):
    data = pl.DataFrame(
        {
            "series": ["a", "b"] * 2,
            "method": ["none", "none", "some", "some"],
            "truth": [[3]] * 4,
            "pred": [[], [], [5], [4]],
            "n": [9] * 4,
            "gain": [-math.inf, math.nan, 0.1, None],
            'a "b"': [1.5] * 4,
        }
    )
    data.write_parquet(tmp_path / "in.parquet")
    out = tmp_path / ("out.jsonl" if target == "-" else f"out.{target}")
    command = ("score", str(tmp_path / "in.parquet"), "-o", "-" if target == "-" else str(out))
    found = piped(b"", *command, "--metrics", "hausdorff,rand_index")
    assert found.returncode == 0, found.stderr
    if target == "-":
        out.write_bytes(found.stdout)
    if out.suffix == ".jsonl":
        rows = [json.loads(line) for line in out.read_text().splitlines()]
        assert [row["hausdorff"] for row in rows] == ["inf", "inf", 2.0, 1.0]
        assert [row["gain"] for row in rows] == ["-inf", "nan", 0.1, None]
        assert [row['a "b"'] for row in rows] == [1.5] * 4
        assert list(rows[0]) == [*data.columns, "hausdorff", "rand_index"]
        table = pd.read_json(out, lines=True)
        assert table["hausdorff"].tolist() == [math.inf, math.inf, 2, 1]
    summary = ("summary", out, "--as", "csv", "--metrics", "hausdorff,gain", "--higher", "gain")
    rows = [line.split(",") for line in run(*summary).output.splitlines()]
    kept = [rows[0].index(name) for name in ("score", "method", "mean", "median", "scored", "failed", "undefined")]
    assert [[row[k] for k in kept] for row in rows[1:]] == [
        ["hausdorff", "some", "1.5", "1.5", "2", "0", "0"],
        ["hausdorff", "none", "inf", "inf", "2", "0", "0"],
        ["gain", "some", "0.1", "0.1", "1", "0", "1"],
        ["gain", "none", "-inf", "-inf", "1", "0", "1"],
    ]
    again = tmp_path / "again.parquet"
    found = run("score", out, out, "-o", again, "--metrics", "covering")
    assert found.exit_code == 0, found.output
    assert pl.read_parquet(again)["hausdorff"].to_list() == [math.inf, math.inf, 2, 1] * 2
    for chart in ("leaderboard", "heatmap"):
        assert run("plot", chart, out, "-o", tmp_path / "x.svg", "--metrics", "gain", "--higher", "gain").exit_code == 0
    assert (
        run("report", out, "-o", tmp_path / "x.html", "--metrics", "hausdorff,gain", "--higher", "gain").exit_code == 0
    )


def test_infinities_in_lists_are_refused_in_text(tmp_path):
    good, data = tmp_path / "good.parquet", tmp_path / "in.parquet"
    for name, values, shown in (
        ("signal", [[1.0, None], [], None, [math.inf]], "inf"),
        ("signal", [[[1.0]], [[math.nan]], None, []], "nan"),
        ("extra", [{"a": [1.0], "b": "x"}, None, {"a": [-math.inf], "b": "y"}, None], "-inf"),
        ("extra", pl.Series([[1.0, 2.0], None, [0.0, math.nan], None], dtype=pl.Array(pl.Float32, 2)), "nan"),
    ):
        rows = pl.DataFrame({"truth": [[3]] * 4, "pred": [[4]] * 4, "n": [9] * 4, name: values})
        rows.write_parquet(data)
        rows.head(1).write_parquet(good)
        message = (
            f"segscore: {data}: column '{name}' holds {shown} in a list or struct, which JSON and CSV cannot hold; "
            "expected a .parquet file as output, or finite numbers\n"
        )
        for out in ("out.csv", "out.jsonl", "out.parquet"):
            found = run("score", data, "-o", tmp_path / out, "--metrics", "rand_index")
            assert found.output == ("" if out == "out.parquet" else message)
            assert (tmp_path / out).exists() == (out == "out.parquet")
            assert run("score", good, "-o", tmp_path / out, "--metrics", "rand_index").output == ""
            (tmp_path / out).unlink()
    found = piped(b"", "score", str(data), "-o", "-", "--metrics", "rand_index")
    assert (found.returncode, found.stderr.decode()) == (2, message)


def test_one_file_with_an_infinity_and_one_without(tmp_path):
    row = '{{"series": "a", "method": "x", "truth": [3], "pred": [3], "n": 9, "hausdorff": {}}}\n'
    (tmp_path / "a.jsonl").write_text(row.format('"inf"') + row.format("0.5"))
    (tmp_path / "b.jsonl").write_text(row.format("2") + row.format("null"))
    for order in ("ab", "ba"):
        given = [tmp_path / f"{name}.jsonl" for name in order]
        out = tmp_path / "out.parquet"
        assert run("score", *given, "-o", out, "--metrics", "rand_index").exit_code == 0
        wanted = {"a": [math.inf, 0.5], "b": [2, None]}
        assert pl.read_parquet(out)["hausdorff"].to_list() == wanted[order[0]] + wanted[order[1]]
    (tmp_path / "words.jsonl").write_text(row.format('"inf"') + row.format('"far"'))
    found = run("summary", tmp_path / "words.jsonl")
    assert found.output == f"segscore: {tmp_path / 'words.jsonl'}: column 'hausdorff' holds 'far'; expected numbers\n"


def test_compare_writes_infinities_as_text(cuts):
    (cuts / "none.txt").write_text("")
    found = run("compare", cuts / "a.txt", cuts / "none.txt", "--n", 10, "--as", "json")
    scores = json.loads(found.stdout)
    assert scores["hausdorff"] == "inf"
    assert {name: float(value) for name, value in scores.items()} == pytest.approx(
        dict(ss.compare([3, 8], [], n=10)), nan_ok=True
    )


def test_integers_are_exact_or_refused(tmp_path):
    """2**53 + 1 is no float: beside floats it would be rounded."""
    large, more = 2**53 + 1, 2**53 + 4
    wanted = ss.rand_index([large], [large + 1], n=more)
    row = '{{"truth": {}, "pred": [{}], "n": {}}}\n'
    cut = "truth[{}] is null or not an exact integer; expected only integers (3, not 3.0)"
    length = "n = 9007199254740996.0 is a real number that may be rounded; expected an integer"
    digits = f"{large}.0, which may have lost digits when it was written; write it again with .astype(int).tolist()"
    for name, text, message in (
        ("a.jsonl", row.format([large], large + 1, more), ""),
        ("b.jsonl", row.format([1, 2.0, large], large + 1, more), f"row 0: {cut.format(2)}"),
        ("c.jsonl", row.format([2.0], 3, 9) + row.format([-large], 3, more), f"row 1: {cut.format(0)}"),
        ("d.jsonl", row.format([[2.0], [large]], 3, more), f"row 0: {cut.format(0)}"),
        ("e.jsonl", row.format([2.0], 3, 9.0) + row.format([3], 3, more), f"row 1: {length}"),
        ("a.csv", f'truth,pred,n\n"[{large}]","[{large + 1}]",{more}\n', ""),
        ("b.csv", f'truth,pred,n\n"[3]","[4]",9.0\n"[{large}]","[{large + 1}]",{more}\n', f"row 1: {length}"),
        ("c.csv", f'truth,pred,n\n"[{large}.0]","[4]",{more}\n', f"row 0: truth = '[{large}.0]' holds {digits}"),
    ):
        (tmp_path / name).write_text(text)
        out = tmp_path / "out.parquet"
        found = run("score", tmp_path / name, "-o", out, "--metrics", "rand_index")
        assert found.output == (f"segscore: {tmp_path / name}, {message}\n" if message else "")
        if not message:
            assert pl.read_parquet(out)["rand_index"].to_list() == [wanted]
    (tmp_path / "f.jsonl").write_text(row.format([2], 3, 9.0))
    found = run("score", tmp_path / "f.jsonl", tmp_path / "a.jsonl", "-o", out, "--metrics", "rand_index")
    assert found.output == f"segscore: {tmp_path / 'a.jsonl'}, row 0: {length}\n"
    lines = (tmp_path / "e.jsonl").read_text().replace('{"', '{"method": "x", "series": 1, "')
    (tmp_path / "runs.jsonl").write_text(lines)
    report = ("report", tmp_path / "runs.jsonl", "-o", tmp_path / "x.html", "--metrics", "covering")
    assert run(*report).output == f"segscore: {tmp_path / 'runs.jsonl'}, row 1: {length}\n"
    assert run(*report, "--on-error", "null").exit_code == 0
    banner = f"1 of 2 rows cannot be read and are left out; the first is row 1: {length}"
    assert f'"banner":"{banner}"' in (tmp_path / "x.html").read_text()


def test_no_annotator_is_none(tmp_path):
    (tmp_path / "in.csv").write_text('truth,pred,n\n"[[3], [4]]","[4]",9\n" [ ] ","[4]",9\n"[[]]","[4]",9\n')
    found = run("score", tmp_path / "in.csv", "-o", tmp_path / "out.csv", "--metrics", "rand_index")
    reason = "truth is an empty list of annotators; expected at least one, or null for no truth"
    assert found.output == f"segscore: {tmp_path / 'in.csv'}, row 1: {reason}\n"
    found = run(
        "score", tmp_path / "in.csv", "-o", tmp_path / "out.csv", "--metrics", "rand_index", "--on-error", "null"
    )
    assert found.exit_code == 0
    scored = pl.read_csv(tmp_path / "out.csv")
    assert scored["error"].to_list() == [None, reason, None]
    assert scored["rand_index"][2] == ss.rand_index([], [4], n=9)


def names_in(folder):
    return sorted(path.name for path in folder.iterdir())


def test_what_a_killed_run_leaves_is_removed(tmp_path):
    pl.concat([table(2000)] * 200).write_parquet(tmp_path / "long.parquet")
    table(20).write_parquet(tmp_path / "short.parquet")
    out = tmp_path / "out.parquet"
    program = [sys.executable, "-c", "from segscore.cli import main; main()"]
    with subprocess.Popen([*program, "score", str(tmp_path / "long.parquet"), "-o", str(out)]) as process:
        while not list(tmp_path.glob(".out.parquet.*/*")) and process.poll() is None:  # until it is at work
            time.sleep(0.01)
        process.kill()
    (left,) = tmp_path.glob(".out.parquet.*")
    (tmp_path / ".out.parquet.mine").mkdir()  # of somebody else
    with aside(out) as part, aside(tmp_path / "other.parquet") as other:  # going on
        assert not left.exists()
        part.write_text("the last one wins")
        other.touch()
        going = [part.parent.name, other.parent.name]
        found = run("score", tmp_path / "short.parquet", "-o", out, "--metrics", "rand_index")
        assert found.exit_code == 0, found.output
        assert pl.read_parquet(out).height == 20
        both = [".out.parquet.mine", "long.parquet", "out.parquet", "short.parquet"]
        assert names_in(tmp_path) == sorted([*going, *both])
    assert out.read_text() == "the last one wins"
    assert names_in(tmp_path) == sorted([*both, "other.parquet"])


def test_what_an_interrupted_removal_leaves_is_removed_at_exit(tmp_path):
    script = """
import shutil
from pathlib import Path
from segscore.outputs import aside
from segscore.scores.metric_text import short_names

def removed(folder, remove=shutil.rmtree, **options):
    shutil.rmtree = remove
    raise KeyboardInterrupt

shutil.rmtree = removed
try:
    with aside(Path("out.parquet")) as part:
        part.touch()
        raise KeyboardInterrupt
except KeyboardInterrupt:
    print(part.exists())
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"
    assert names_in(tmp_path) == []


@pytest.mark.parametrize("name", ["a[b].parquet", "*.parquet", "?.parquet"])
def test_leftovers_of_names_with_wildcards(tmp_path, name):
    own, other = tmp_path / f".{name}.abc.segscore", tmp_path / ".b.parquet.abc.segscore"
    own.mkdir()
    other.mkdir()
    with aside(tmp_path / name) as part:
        assert not own.exists() and other.exists()
        part.touch()
    assert names_in(tmp_path) == sorted([name, other.name])


def test_a_folder_that_another_run_removes_before_it_is_locked(tmp_path, monkeypatch):
    import fcntl

    lock = fcntl.flock
    removed = []

    def removed_first(file, operation):
        if not removed:
            removed.extend(tmp_path.glob(".out.parquet.*"))
            shutil.rmtree(removed[0])
        lock(file, operation)

    monkeypatch.setattr(fcntl, "flock", removed_first)
    with aside(tmp_path / "out.parquet") as part:
        part.write_text("complete")
        assert part.parent != removed[0]
    assert (tmp_path / "out.parquet").read_text() == "complete"
    assert names_in(tmp_path) == ["out.parquet"]


def test_what_is_written_aside_is_not_read(tmp_path):
    folder = tmp_path / "runs.parquet"
    folder.mkdir()
    table(20).write_parquet(folder / "a.parquet")
    with aside(folder / "b.parquet") as part:
        part.write_text("half a file")
        for given in (folder, f"{folder}/*", f"{folder}/**/*.parquet", f"{tmp_path}/*"):
            found = run("score", given, "-o", tmp_path / "out.csv", "--metrics", "rand_index")
            assert found.exit_code == 0, found.output
            assert pl.read_csv(tmp_path / "out.csv").height == 20
            (tmp_path / "out.csv").unlink()
        for given in (f"{folder}/.b*", f"{folder}/.*/.*"):
            found = run("score", given, "-o", tmp_path / "out.csv", "--metrics", "rand_index")
            assert found.output.startswith(f"segscore: {given} is not a file; expected a table")


def test_a_link_as_output_stays_one(tmp_path, cuts):
    table(20).write_parquet(tmp_path / "in.parquet")
    (tmp_path / "far").mkdir()
    for command, name in (
        (("score", tmp_path / "in.parquet", "--metrics", "rand_index"), "out.csv"),
        (("report", tmp_path / "in.parquet", "--metrics", "rand_index"), "page.html"),
        (("plot", "staircase", cuts / "a.txt", cuts / "b.json", "--n", 10), "chart.svg"),
    ):
        link, real = tmp_path / name, tmp_path / "far" / name
        link.symlink_to(f"far/{name}")  # which is not there yet
        for _ in range(2):
            found = run(*command, "-o", link)
            assert found.exit_code == 0, found.output
            assert link.is_symlink() and real.stat().st_size > 100
            real.write_text("old")
    assert names_in(tmp_path / "far") == ["chart.svg", "out.csv", "page.html"]
    (tmp_path / "lost.csv").symlink_to("nowhere/lost.csv")
    found = run("score", tmp_path / "in.parquet", "-o", tmp_path / "lost.csv")
    assert found.output == f"segscore: there is no folder {tmp_path}/nowhere for lost.csv; make it first\n"


def test_an_output_keeps_its_permissions(tmp_path, cuts):
    table(20).write_parquet(tmp_path / "in.parquet")
    for command, name in (
        (("score", tmp_path / "in.parquet", "--metrics", "rand_index"), "out.csv"),
        (("report", tmp_path / "in.parquet", "--metrics", "rand_index"), "page.html"),
        (("plot", "staircase", cuts / "a.txt", cuts / "b.json", "--n", 10), "chart.svg"),
    ):
        assert run(*command, "-o", tmp_path / name).exit_code == 0
        (tmp_path / "new").touch()
        assert (tmp_path / name).stat().st_mode == (tmp_path / "new").stat().st_mode
        for mode in (0o600, 0o640, 0o666):
            (tmp_path / name).chmod(mode)
            assert run(*command, "-o", tmp_path / name).exit_code == 0
            assert (tmp_path / name).stat().st_mode & 0o777 == mode


def test_outputs_that_are_no_regular_files_are_refused(tmp_path, cuts):
    table(20).write_parquet(tmp_path / "in.parquet")
    for command, name in (
        (("score", tmp_path / "in.parquet", "--metrics", "rand_index"), "out.csv"),
        (("report", tmp_path / "in.parquet", "--metrics", "rand_index"), "page.html"),
        (("plot", "staircase", cuts / "a.txt", cuts / "b.json", "--n", 10), "chart.svg"),
    ):
        fifo, loop, null = (tmp_path / f"{kind}-{name}" for kind in ("fifo", "loop", "null"))
        os.mkfifo(fifo)
        null.symlink_to("/dev/null")
        loop.symlink_to(f"again-{name}")
        (tmp_path / f"again-{name}").symlink_to(loop.name)
        expected = "expected a regular file or a new name as output"
        for out, message in (
            (fifo, f"{fifo} is a FIFO, a socket or a device; {expected}"),
            (null, f"/dev/null is a FIFO, a socket or a device; {expected}"),
            (loop, f"{loop} is a link that leads back to itself; remove the link, or choose another output"),
        ):
            found = run(*command, "-o", out)
            assert (found.exit_code, found.output) == (2, f"segscore: {message}\n")
        assert fifo.is_fifo() and loop.is_symlink() and null.is_char_device()
    folder = tmp_path / "folder.html"
    folder.mkdir()
    with pytest.raises(ValueError, match=rf"^{folder} is a folder; {expected}$"):
        ss.report(table(20), folder, metrics=["rand_index"])


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
def test_names_of_files_that_are_not_utf8(tmp_path):
    name = os.fsdecode(b"caf\xe9")
    (tmp_path / f"{name}.csv").write_text('method,series,truth,pred,n\nx,a,"[3, 8]","[4, 8]",10\n')
    (tmp_path / "fine.csv").write_text((tmp_path / f"{name}.csv").read_text())
    (tmp_path / f"{name}.txt").write_text("3\n8\n")
    shown = f"{tmp_path}/caf\\xe9"
    for arguments, ending in (
        (("score", f"{name}.csv", "-o", "out.csv"), "csv"),
        (("score", "*.csv", "-o", "out.csv"), "csv"),
        (("score", "fine.csv", "-o", f"{name}.jsonl"), "jsonl"),
        (("summary", f"{name}.csv", "--metrics", "n"), "csv"),
        (("report", f"{name}.csv", "-o", "x.html"), "csv"),
        (("report", "fine.csv", "-o", f"{name}.html"), "html"),
        (("plot", "staircase", f"{name}.txt", f"{name}.txt", "--n", "10", "-o", f"{name}.svg"), "svg"),
    ):
        given = [str(tmp_path / word) if "." in word else word for word in arguments]
        found = piped(b"", *given)
        wanted = f"segscore: the name of {shown}.{ending} is not UTF-8; rename the file or its folder\n"
        assert (found.returncode, found.stderr.decode()) == (2, wanted)
    both = [str(tmp_path / f"{name}.txt")] * 2
    assert float(piped(b"", "compare", *both, "--n", "10", "--as", "csv").stdout.split()[1].split(b",")[1]) == 1
    assert piped(b"", "matrix", *both, "--n", "10").stdout.decode().splitlines()[0] == ",caf\ufffd.txt,caf\ufffd.txt"
    assert piped(b"", "plot", "timeline", *both, "--n", "10", "-o", str(tmp_path / "x.svg")).returncode == 0


OPTIONS = "f1(margin=5),f1(margin=10,beta=2),window_diff(k=20)"


def test_metrics_with_options(tmp_path, cuts):
    names = ["f1(margin=5)", "f1(margin=10,beta=2)", "window_diff(k=20)"]
    table().write_parquet(tmp_path / "runs.parquet")
    found = run("score", tmp_path / "runs.parquet", "-o", tmp_path / "scores.csv", "--metrics", OPTIONS)
    assert found.exit_code == 0, found.output
    scored = pl.read_csv(tmp_path / "scores.csv")
    assert scored.columns[-3:] == names
    wanted = ss.score(table(), metrics=names)
    assert scored.select(names).rows() == wanted.select(names).rows()
    found = run("compare", cuts / "a.txt", cuts / "b.json", "--n", 100, "--metrics", OPTIONS)
    assert found.exit_code == 0, found.output
    assert [line.split()[0] for line in found.output.splitlines()[1:]] == names
    assert found.output.splitlines()[3].split()[2] == "0"  # the best value of window_diff
    found = run("matrix", cuts / "a.txt", cuts / "b.json", "--n", 10, "--metrics", "f1(margin=1)")
    assert found.output.splitlines()[1:] == ["a.txt,1.0,1.0", "b.json,1.0,1.0"]
    # Results: by default all columns that are scores, and the best method first, which has the lowest window_diff.
    found = run("summary", tmp_path / "scores.csv", "--as", "csv")
    assert found.exit_code == 0, found.output
    rows = list(csv.reader(found.output.splitlines()))[1:]
    assert [row[0] for row in rows[::3]] == names
    means = [float(row[2]) for row in rows]
    assert means[:3] == sorted(means[:3], reverse=True) and means[6:] == sorted(means[6:])
    found = run("summary", tmp_path / "scores.csv", "--metrics", "window_diff( k=20.0 )", "--as", "csv")
    assert list(csv.reader(found.output.splitlines()))[1:] == rows[6:]
    found = run("plot", "heatmap", tmp_path / "scores.csv", "--metrics", names[2], "-o", tmp_path / "heat.html")
    assert found.exit_code == 0, found.output
    assert '"reverse": true' in (tmp_path / "heat.html").read_text()
    for source in ("runs.parquet", "scores.csv"):
        found = run("report", tmp_path / source, "--metrics", OPTIONS, "-o", tmp_path / "report.html")
        assert found.exit_code == 0, found.output


def test_infinities_of_metrics_with_options_are_numbers(tmp_path):
    (tmp_path / "scores.jsonl").write_text(
        '{"series":1,"method":"a","hausdorff":"inf","mean_error":1.5,"f1(margin=5)":"nan"}\n'
        '{"series":1,"method":"b","hausdorff":2.0,"mean_error":2.5,"f1(margin=5)":0.5}\n'
    )
    found = run("summary", tmp_path / "scores.jsonl", "--as", "csv")
    assert found.exit_code == 0, found.output
    rows = [line.split(",")[:3] for line in found.output.splitlines()[1:]]
    assert rows == [
        ["hausdorff", "b", "2.0"],
        ["hausdorff", "a", "inf"],
        ["mean_error", "a", "1.5"],
        ["mean_error", "b", "2.5"],
        ["f1(margin=5)", "b", "0.5"],
        ["f1(margin=5)", "a", "0.0"],  # a failure, because f1 is never undefined
    ]


def test_completion_of_metrics_with_options():
    def completed(text):
        return complete_metrics(None, None, text)

    assert completed("f1(margin=5,beta=2),window_d") == ["f1(margin=5,beta=2),window_diff"]
    assert completed("f1(margin=5,b") == []


def test_score_takes_lists_that_end_with_the_length(tmp_path):
    data = pl.DataFrame({"truth": ["[3, 8, 10]", "[5, 9]"], "pred": ["[4, 8, 10]", "[9]"]})
    data.write_csv(tmp_path / "runs.csv")
    found = run("score", tmp_path / "runs.csv", "-o", tmp_path / "out.csv", "--ends", "--metrics", "rand_index")
    assert found.exit_code == 0, found.output
    wanted = [ss.rand_index([3, 8], [4, 8], n=10), ss.rand_index([5], [], n=9)]
    assert pl.read_csv(tmp_path / "out.csv")["rand_index"].to_list() == wanted


def test_compare_takes_lists_as_well_as_files(cuts):
    def rand(*arguments):
        found = run("compare", *arguments, "--metrics", "rand_index", "--as", "csv")
        assert found.exit_code == 0, found.output
        return float(found.output.splitlines()[1].split(",")[1])

    wanted = ss.rand_index([3, 8], [4, 8], n=10)
    assert rand("3,8", "4,8", "--n", 10) == wanted
    assert rand(cuts / "a.txt", "[4, 8]", "--n", 10) == wanted
    assert rand("3,8,10", "4,8,10", "--ends") == wanted
    assert rand("", "[]", "--n", 10) == 1
    assert rand("", "5", "--n", 10) == ss.rand_index([], [5], n=10)
    for text in ("3;8", "nothing.txt", "3,x", "3,,8", "[3"):
        found = run("compare", text, "4,8", "--n", 10)
        assert found.exit_code == 2
        assert found.output == (
            f"segscore: Invalid value for 'TRUTH': {text!r} is neither a file nor a list; expected a file of cuts, or "
            "numbers like 3,8; see segscore compare --help\n"
        )


def test_files_of_cuts_that_end_with_the_length(tmp_path):
    (tmp_path / "a.txt").write_text("3\n8\n10\n")
    (tmp_path / "b.json").write_text("[4, 8, 10]")
    (tmp_path / "c.txt").write_text("9\n")
    (tmp_path / "d.txt").write_text("")
    a, b, c, d = (tmp_path / name for name in ("a.txt", "b.json", "c.txt", "d.txt"))
    wanted = ss.rand_index([3, 8], [4, 8], n=10)
    found = run("compare", a, b, "--ends", "--metrics", "rand_index", "--as", "csv")
    assert found.output.splitlines()[1] == f"rand_index,{wanted!r}"
    assert run("matrix", a, b, "--ends").output.splitlines()[1] == f"a.txt,1.0,{wanted!r}"
    assert run("consensus", a, b, b, "--ends").stdout.splitlines() == ["4", "8"]
    assert run("plot", "timeline", a, b, "--ends", "-o", tmp_path / "x.html").exit_code == 0
    for command, message in (
        (("compare", a, c, "--ends"), "pred ends with 9 but truth ends with 10"),
        (("compare", a, d, "--ends"), "pred is empty"),
        (("matrix", a, c, "--ends"), f"{c} ends with 9 but {a} ends with 10"),
        (("consensus", a, c, "--ends"), f"{c} ends with 9 but {a} ends with 10"),
        (("plot", "timeline", a, c, "--ends", "-o", tmp_path / "y.html"), f"{c} ends with 9 but {a} ends with 10"),
        (("compare", a, b, "--ends", "--n", 10), "exclude each other; expected one of them"),
        (("compare", a, b), "there is no length; expected "),
        (("matrix", a, b), "there is no length; expected "),
        (("consensus", a, b), "there is no length; expected "),
        (("plot", "timeline", a, b, "-o", tmp_path / "y.html"), "there is no length; expected "),
    ):
        found = run(*command)
        assert found.exit_code == 2 and message in found.output, found.output


def test_the_module_runs_and_the_command_alone_prints_its_help():
    found = run()
    assert found.exit_code == 0 and found.output == run("--help").output
    command = [sys.executable, "-m", "segscore", "compare", "3,8", "4,8", "--n", "10", "--metrics", "rand_index"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert "0.844444" in done.stdout


def test_the_list_of_commands_is_uncut():
    text = run("--help", env={"COLUMNS": "80"}, terminal_width=80).output
    listed = text[text.index("Commands:") :].splitlines()[1:]
    assert [line.split()[0] for line in listed] == sorted(main.commands)  # one line per command
    assert "..." not in text[text.index("Commands:") :]


def test_errors_speak_of_options(tmp_path):
    lists = pl.DataFrame({"truth": [[3, 9]], "pred": [[9]]})
    lists.write_parquet(tmp_path / "lists.parquet")
    lists.with_columns(n=9).write_parquet(tmp_path / "runs.parquet")
    pl.DataFrame({"series": "a", "method": "x", "change_points": [[3]], "n": 9}).write_parquet(
        tmp_path / "long.parquet"
    )
    (tmp_path / "a.txt").write_text("3\n")
    lists.with_columns(method=pl.lit("x"), series=pl.lit("a")).write_parquet(tmp_path / "no_n.parquet")
    score = ("score", tmp_path / "runs.parquet", "-o", tmp_path / "x.parquet")
    for arguments, message in (
        (("compare", "3", "4"), "there is no length; expected --n, or --ends for inputs that end with the length"),
        (("compare", "3", "4", "--n", 9, "--ends"), "--n and --ends exclude each other; expected one of them"),
        (
            ("compare", "3", "4", "--n", 9, "--metrics", "f1"),
            "f1 has no margin; expected --margin (0 for the same cut)",
        ),
        (
            (*score, "--metrics", "f1"),
            "f1 has no margin; expected --margin (0 for the same cut) or --relative-margin",
        ),
        (
            (*score, "--margin", 1, "--relative-margin", 0.1),
            "--margin and --relative-margin exclude each other; expected one of them",
        ),
        (
            (*score, "--ends"),
            "the length is given twice, by column 'n' and by --ends; drop the column or --ends",
        ),
        (
            ("score", tmp_path / "lists.parquet", "-o", tmp_path / "x.parquet"),
            "table has no column 'n'; it has truth, pred; expected --n or --duration, the name of a column or a number, or --ends for "
            "lists that end with the length, or --start and --end for timestamps",
        ),
        (
            ("report", tmp_path / "long.parquet", "-o", tmp_path / "x.html"),
            "table has change_points but no truth; expected --truths with the columns series and change_points",
        ),
        ((*score, "--threads", 0), "--threads 0 is out of range; expected an integer of at least 1"),
        (
            ("compare", "3", "4", "--n", 9, "--metrics", "f1(margin=1,margin=2)"),
            "metric 'f1(margin=1,margin=2)' has margin twice; expected each option once",
        ),
        (
            ("compare", "3", "4", "--n", 9, "--metrics", "f1(margin=5,relative_margin=0.1)"),
            "f1(margin=5,relative_margin=0.1) has both margin and relative_margin; expected one of them",
        ),
        (
            ("compare", "3", "4", "--n", 9, "--metrics", "f1(margin=-1)"),
            "f1(margin=-1): margin = -1.0 is negative or not a number; expected 0 or more",
        ),
        (
            ("compare", "3", "4", "--n", 9, "--metrics", "f1", "--margin", -1),
            "--margin -1.0 is negative or not a number; expected 0 or more",
        ),
        (
            ("compare", "3", "4", "--n", 9, "--metrics", "annotated_f1", "--margin", 1),
            "annotated_f1 compares a prediction with several annotators; expected a table with several annotators "
            "(segscore score)",
        ),
        (
            ("matrix", tmp_path / "a.txt", "--n", 9, "--metrics", "annotated_f1", "--margin", 1),
            "annotated_f1 compares a prediction with several annotators; expected a table with several annotators "
            "(segscore score)",
        ),
        ((*score, "--metrics", "annotated_f1"), "annotated_f1 has no margin; expected --margin (0 for the same cut)"),
        (
            (*score, "--metrics", "annotated_f1", "--relative-margin", 0.1),
            "annotated_f1 has no margin; expected --margin (0 for the same cut)",
        ),
        (
            ("report", tmp_path / "no_n.parquet", "-o", tmp_path / "x.html"),
            "table has no scores, and no n to compute scores with; it has truth, pred, method, series; expected the "
            "columns truth, pred and n (or duration, or start and end), or columns of scores",
        ),
        (
            ("report", tmp_path / "no_n.parquet", "-o", tmp_path / "x.html", "--metrics", "f1"),
            "table has no column 'f1', and no n to compute f1 with; it has truth, pred, method, series; expected the "
            "columns truth, pred and n (or duration, or start and end), or the column f1",
        ),
    ):
        found = run(*arguments)
        where = f"{arguments[1]}: " if message.startswith("table ") else ""  # errors about a table name its file
        assert (found.exit_code, found.output) == (2, f"segscore: {where}{message}\n")


def examples():
    pages = [run("--help").output, *(run(name, "--help").output for name in main.commands)]
    return [[line.strip() for line in page.splitlines() if line.strip().startswith("segscore ")] for page in pages]


@pytest.mark.slow
def test_every_help_has_examples_that_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("truth", "pred", "a", "b", "c"):
        (tmp_path / f"{name}.txt").write_text("30\n80\n")
    np.save("pred.npy", np.array([30, 90]))
    song = ss.Segmentation([12.5, 20], ["verse", "chorus", "verse"], duration=30)
    for name in ("truth.lab", "pred.lab", "song.lab", "song.jams"):
        ss.write(song, name)
    ss.write(song, "labels.txt", format="audacity")
    ss.write({("talk", "speaker"): song}, "talk.TextGrid")
    (tmp_path / "domains.bed").write_text("chr1\t0\t30\nchr1\t40\t90\n")
    (tmp_path / "chrom.sizes").write_text("chr1\t100\n")
    (tmp_path / "songs.csv").write_text(
        'truth,pred,seconds,sections\n"[12.5, 20]","[12, 21]",30,"[""A"", ""B"", ""A""]"\n'
    )
    (tmp_path / "week.jsonl").write_text(
        '{"truth": ["2024-05-03"], "pred": ["2024-05-03T00:04"], "start": "2024-05-01", "end": "2024-05-08"}\n'
    )
    runs = table(30).with_columns(pl.col("pred").alias("change_points"))
    (tmp_path / "study.py").write_text(
        "import segscore as ss\n"
        "detectors = {'half': lambda signal: [len(signal) // 2]}\n"
        "series = {'teeth': ss.simulate.signal('teeth', rng=1)}\n"
    )
    for name in ("results", "truths", "predictions"):
        (tmp_path / name).mkdir()
    for name in ("truths", "predictions"):
        ss.write(song, f"{name}/song.lab")
    texts = [pl.col(name).map_elements(lambda x: json.dumps(x.to_list()), pl.String) for name in ("truth", "pred")]
    runs.drop("change_points").with_columns(texts).write_csv("results/one.csv")
    runs.drop("change_points", "truth").with_columns(texts[1]).write_csv("runs.csv")
    people = {name: {"6": [3]} for name in [*runs["series"].unique(), "nile"]}
    (tmp_path / "annotations.json").write_text(json.dumps(people))
    runs.unique("series").select("series", pl.col("truth").alias("change_points")).write_parquet("annotations.parquet")
    for page in examples():
        assert page
        for line in dict.fromkeys(page):
            runs.write_parquet("runs.parquet")
            ss.score(runs, metrics=["rand_index", "covering", "f1"], margin=5).write_parquet("scores.parquet")
            found = run(*shlex.split(line)[1:])
            assert found.exit_code == 0, (line, found.output)


def test_the_help_of_plot_names_every_chart():
    chart, *_ = main.commands["plot"].params
    words = set(re.findall(r"\w+", run("plot", "--help").output.split("Options:")[0]))
    assert set(chart.type.choices) - words == set()
