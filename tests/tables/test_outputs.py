"""Outputs of tables: errors name the output, and --resume keeps only outputs that hold what is asked for."""

import os
import re
import subprocess
import sys

import polars as pl
import pyarrow as pa
import pytest
from click.testing import CliRunner

import segscore as ss
from segscore.cli import main
from segscore.outputs import aside


def run(*arguments):
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table = pl.DataFrame({"truth": [[3, 8]] * 3, "pred": [[4, 8]] * 3, "n": [10] * 3})
    table.write_parquet("x.parquet")
    table.write_ndjson("x.jsonl")
    table.with_columns(truth=pl.lit("[3, 8]"), pred=pl.lit("[4, 8]")).write_csv("x.csv")
    return table


@pytest.mark.parametrize("kind", ["parquet", "jsonl", "csv"])
@pytest.mark.parametrize("before", ["empty", "other metrics", "other rows", "no statuses", "cut off"])
def test_resume_scores_again_what_is_not_the_output_asked_for(table, kind, before):
    asked = ("score", f"x.{kind}", "-o", "out/", "--metrics", "rand_index", "--on-error", "null")
    out = f"out/x.{kind}"
    assert run(*asked).exit_code == 0
    with open(out, "rb") as file:
        whole = file.read()
    if before == "empty":
        open(out, "wb").close()
    elif before == "cut off":
        with open(out, "wb") as file:
            file.write(whole[:-10])
    elif before == "other metrics":
        assert run("score", f"x.{kind}", "-o", "out/", "--metrics", "covering", "--on-error", "null").exit_code == 0
    elif before == "no statuses":
        assert run("score", f"x.{kind}", "-o", "out/", "--metrics", "rand_index").exit_code == 0
    else:
        rows = pl.read_parquet(out)[:1] if kind == "parquet" else None
        if rows is None:
            with open(out, "wb") as file:
                file.writelines(whole.splitlines(keepends=True)[: 2 if kind == "csv" else 1])
        else:
            rows.write_parquet(out)
    found = run(*asked, "--resume")
    assert (found.output, found.exit_code) == (
        f"segscore: {out} exists, but does not hold these scores of all rows; scored again\n",
        0,
    )
    with open(out, "rb") as file:
        assert file.read() == whole
    assert run(*asked, "--resume").output == f"segscore: {out} exists, skipped\n"


FULL = """
import resource, signal, sys
from segscore.cli import main
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
import polars
resource.setrlimit(resource.RLIMIT_FSIZE, (20, 20))
main(sys.argv[1:])
"""


@pytest.mark.parametrize("out", ["out.parquet", "out.csv", "out.jsonl", "out.arrow"])
def test_a_full_disk_names_the_output(table, out):
    arguments = ["score", "x.parquet", "-o", out, "--metrics", "rand_index"]
    found = subprocess.run([sys.executable, "-c", FULL, *arguments], capture_output=True, text=True, check=False)
    assert (found.stderr, found.returncode) == (f"segscore: {out} cannot be written: File too large\n", 2)
    assert sorted(os.listdir()) == ["x.csv", "x.jsonl", "x.parquet"]


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (lambda _: OSError(28, "No space left on device"), "No space left on device"),
        (lambda _: RuntimeError("No space left on device (os error 28): ..."), "No space left on device"),
        (lambda part: PermissionError(13, "Permission denied", str(part)), "Permission denied"),
    ],
)
def test_errors_of_an_output_name_the_output(tmp_path, error, why):
    target = tmp_path / "out.csv"

    def fail():
        with aside(target) as part:
            raise error(part)

    with pytest.raises(OSError, match=f"^{re.escape(f'{target} cannot be written: {why}')}$"):
        fail()


def test_errors_of_other_files_stay(tmp_path):
    with pytest.raises(FileNotFoundError, match="other"), aside(tmp_path / "out.csv"):
        raise FileNotFoundError(2, "No such file", "other")


def test_a_folder_without_permission_names_the_output(tmp_path, monkeypatch):
    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied", str(tmp_path / ".out.csv.abc.segscore"))

    monkeypatch.setattr("tempfile.mkdtemp", refuse)
    with pytest.raises(PermissionError) as found, aside(tmp_path / "out.csv"):
        pass
    assert str(found.value) == f"{tmp_path / 'out.csv'} cannot be written: Permission denied"


@pytest.mark.parametrize(
    ("command", "error"),
    [
        ("score x.csv -o y.csv --pred n", "column 'n' holds "),
        ("score x.csv -o y.csv --pred other", "table has no column 'other'; it has truth, pred, n"),
        ("report x.csv", "table has no column 'method'; it has truth, pred, n"),
        ("plot delays x.csv -o y.svg", "runs have no column 'method'; they have truth, pred, n"),
        ("plot heatmap x.csv -o y.svg", "scores have no column 'method'; they have truth, pred, n"),
    ],
)
def test_errors_about_a_table_name_its_file(table, command, error):
    found = run(*command.split(" "))
    assert found.output.startswith(f"segscore: x.csv: {error}"), found.output
    assert found.exit_code == 2


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
def test_a_full_standard_output_is_named(table):
    for command in ("score x.csv -o -", "score x.csv -o - --metrics f1 --margin 1", "compare 3 4 --n 9"):
        program = f'"{sys.executable}" -m segscore {command} > /dev/full'
        found = subprocess.run(program, shell=True, capture_output=True, text=True, timeout=60, check=False)
        why = "No space left on device; expected an open file or pipe with space"
        assert (found.stderr, found.returncode) == (f"segscore: standard output cannot be written: {why}\n", 2)


@pytest.mark.parametrize("name", ["truth", "pred", "n"])
def test_a_column_that_occurs_twice_is_refused(name):
    columns = {"truth": [[3]], "pred": [[4]], "n": [9]}
    names = [*columns, name]
    arrow = pa.table([pa.array(columns[each]) for each in names], names=names)
    for given in (arrow, arrow.to_pandas()):
        with pytest.raises(ValueError, match=f"^table has the column '{name}' twice; expected different names$"):
            ss.score(given, metrics=["rand_index"])
