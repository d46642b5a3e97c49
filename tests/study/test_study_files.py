"""Studies in files: `segscore run` with Python and TOML, and `segscore demo --live`."""

import sys
import textwrap
import time

import polars as pl
import pytest
from click.testing import CliRunner

import segscore as ss
from segscore import study
from segscore.cli import main
from segscore.study import digests
from segscore.study.scripts import read_study

pytest.importorskip("cloudpickle", reason="cloudpickle is not installed")


def run(*arguments):
    return CliRunner().invoke(main, [str(a) for a in arguments], prog_name="segscore")


@pytest.fixture(autouse=True)
def same_path(monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))


PYTHON = textwrap.dedent("""
    from __future__ import annotations
    from dataclasses import dataclass
    import segscore as ss
    from beside import third

    @dataclass
    class Part:
        number: int

        def __call__(self, signal):
            return [len(signal) // self.number]

    detectors = {"half": Part(2), "third": third, "fails": lambda signal: 1 / 0}
    series = {"teeth": ss.simulate.signal("teeth", rng=1), "stairs": ss.simulate.signal("stairs", rng=1)}
    timeout = 30
""")


def test_a_python_file_is_a_study_and_its_table_a_report(tmp_path):
    (tmp_path / "study.py").write_text(PYTHON)
    (tmp_path / "beside.py").write_text("def third(signal):\n    return [len(signal) // 3]\n")
    out = tmp_path / "runs.parquet"
    found = run("run", tmp_path / "study.py", "-o", out, "--workers", 2, "--repeats", 2)
    assert found.exit_code == 0, found.output
    assert found.output.endswith(f"{out} is written: 12 runs (8 ok, 4 error)\n")
    table = pl.read_parquet(out)
    assert table.filter(method="half")["pred"].to_list() == [[70], [70], [75], [75]]
    assert table.filter(method="third")["pred"].to_list() == [[46], [46], [50], [50]]
    again = run("run", tmp_path / "study.py", "-o", out, "--repeats", 2)
    assert again.exit_code == 0 and pl.read_parquet(out).equals(table)
    found = run("report", out, "-o", tmp_path / "report.html")
    assert found.exit_code == 0, found.output
    page = (tmp_path / "report.html").read_text()
    assert "half" in page and "fails" in page
    assert "segscore_study" not in sys.modules


def test_a_toml_file_is_a_study(tmp_path):
    pytest.importorskip("ruptures")
    if sys.version_info < (3, 11):
        pytest.skip("Python reads TOML from 3.11 on")
    (tmp_path / "study.toml").write_text(
        textwrap.dedent("""
            series = "signals.parquet"
            timeout = 30
            repeats = 2
            plan = {score = "f1", margin = 5, reference = "own"}

            [detectors.Binseg]
            use = "ruptures:Binseg"
            with = {jump = 1}
            predict = {n_bkps = 1}
            knows = "number of cuts"

            [detectors.grid]
            use = "ruptures:Dynp"
            with = {jump = 1}
            grid = {n_bkps = [1, 2]}
            default = {n_bkps = 2}

            [detectors.own]
            use = "near:middle"
            with = {by = 2}
            kind = "cuts"
        """)
    )
    (tmp_path / "near.py").write_text("def middle(signal, by):\n    return [len(signal) // by]\n")
    signal = [0.0] * 30 + [9.0] * 20 + [0.0] * 40
    pl.DataFrame({"series": ["a"], "signal": [signal], "truth": [[30, 50]]}).write_parquet(tmp_path / "signals.parquet")
    found = run("run", tmp_path / "study.toml", "-o", tmp_path / "runs.parquet")
    assert found.exit_code == 0, found.output
    table = pl.read_parquet(tmp_path / "runs.parquet")
    assert table["repeat"].to_list() == [0, 1] * 4
    plan = study.Plan("f1", margin=5, reference="own")
    assert set(table["plan"]) == {'{"failures":"worst","reference":"own","score":"f1(margin=5)"}'} == {plan.text}
    table = table.filter(repeat=1)
    assert table["params"].to_list() == [None, '{"n_bkps":1}', '{"n_bkps":2}', None]
    assert table["pred"].to_list()[2:] == [[30, 50], [45]]
    assert table["default"].to_list() == [True, False, True, True]
    assert table["knows"].to_list() == ["number of cuts", None, None, None]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("study.txt", "", "study.txt ends with '.txt'; expected .py or .toml"),
        ("study.py", "series = {}", "study.py has no detectors; expected a study that defines detectors and series"),
        ("study.py", "x = 1\n\ndef f():\n    1 / 0\nf()", "study.py, line 4: ZeroDivisionError: division by zero; expected a file that Python can run"),
        ("study.py", "x = 1\ny = (", "study.py, line 2: SyntaxError: '(' was never closed; expected a file that Python can run"),
        ("study.py", "import sys\nsys.exit(3)", "study.py, line 2: SystemExit: 3; expected a file that Python can run"),
        ("study.toml", "series = ", "study.toml is not TOML: "),
        ("study.toml", "x = 1", "study.toml has an unknown option 'x'; expected detectors, series, plan, out, workers, timeout, memory, repeats, seed, cores, warmup"),
        ("study.toml", "[detectors.a]\npen = 3", "detector 'a' has an unknown option 'pen'; expected use = 'module:name', and optionally with, predict, grid, default, kind, shift, knows"),
        ("study.toml", "[detectors]\na = 3", "detector 'a' is 3; expected use = 'module:name', and optionally with, predict, grid, default, kind, shift, knows"),
        ("study.toml", "[detectors.a]\nuse = 3", "detector 'a' has use = 3; expected use = 'module:name', and optionally with, predict, grid, default, kind, shift, knows"),
        ("study.toml", "[detectors.a]\nshift = 1", "detector 'a' has no use; expected use = 'module:name', and optionally with, predict, grid, default, kind, shift, knows"),
        ("study.toml", "plan = 3", "study.toml has plan = 3; expected score = 'f1', and optionally margin, failures, reference"),
        ("study.toml", "[plan]\nmargin = 3", "study.toml has a plan with no score; expected score = 'f1', and optionally margin, failures, reference"),
        ("study.toml", "[plan]\nscore = 'f1'\nlevel = 3", "study.toml has a plan with an unknown option 'level'; expected score = 'f1', and optionally margin, failures, reference"),
        ("study.toml", "[plan]\nscore = 'f1'", "the plan has score = 'f1', which needs a margin; expected 'f1(margin=5)'"),
        ("study.toml", "[plan]\nscore = 'covering'\nreference = 'b'\n[detectors.a]\nuse = 'json:loads'", "the plan has reference = 'b', which is not run; expected a"),
        ("study.toml", "repeats = 0\nseries = 'signals.parquet'\n[detectors.a]\nuse = 'json:loads'", "repeats = 0 is out of range; expected an integer of at least 1"),
        ("study.toml", "[detectors.a]\nuse = 'json:loads'\nknows = 3", "detector 'a' has knows = 3; expected words, as 'number of cuts'"),
        ("study.toml", "[detectors.a]\nuse = 'json:loads'\ngrid = 3", "detector 'a' has grid = 3; expected a table, as {pen = 3}"),
        ("study.toml", "series = 'signals.parquet'\n[detectors.a]\nuse = 'json:nothing'", "detector 'a' uses 'json:nothing', which cannot be imported: module 'json' has no attribute 'nothing'; expected 'module:name'"),
    ],
)  # fmt: skip
def test_a_file_that_is_no_study_is_refused(tmp_path, name, text, message):
    if name.endswith(".toml") and sys.version_info < (3, 11):
        pytest.skip("Python reads TOML from 3.11 on")
    (tmp_path / name).write_text(text)
    pl.DataFrame({"series": ["a"], "signal": [[0.0] * 30]}).write_parquet(tmp_path / "signals.parquet")
    with pytest.raises(ValueError, match=r"expected|TOML") as caught:
        read_study(tmp_path / name)
    assert message in str(caught.value)
    found = run("run", tmp_path / name)
    assert found.exit_code == 2 and found.output.count("\n") == 1


BAD = {
    "an option": "timeout = 0\n",
    "an unknown option": "x = 1\n",
    "the type of an option": "workers = 'x'\n",
    "an output": "out = 'runs.csv'\n",
    "no series": "",
    "series that are not there": "series = 'nowhere.csv'\n",
    "series that are damaged": "series = 'damaged.csv'\n",
    "a later detector": "series = 'signals.parquet'\n[detectors.b]\nuse = 3\n",
    "a name without a module": "series = 'signals.parquet'\n[detectors.b]\nuse = 'detect'\n",
    "a kind": "series = 'signals.parquet'\n[detectors.b]\nuse = 'json:loads'\nkind = 'marks'\n",
    "a shift": "series = 'signals.parquet'\n[detectors.b]\nuse = 'json:loads'\nshift = 0.5\n",
    "a grid": "series = 'signals.parquet'\n[detectors.b]\nuse = 'json:loads'\ngrid = {pen = []}\n",
}


@pytest.fixture
def harm(tmp_path):
    """A folder with series and a module that leaves a file when it is imported."""
    if sys.version_info < (3, 11):
        pytest.skip("Python reads TOML from 3.11 on")
    (tmp_path / "harm.py").write_text(
        f"open({str(tmp_path / 'harmed')!r}, 'w').close()\ndef detect(signal):\n    return []\n"
    )
    pl.DataFrame({"series": ["a"], "signal": [[0.0] * 30]}).write_parquet(tmp_path / "signals.parquet")
    (tmp_path / "damaged.csv").write_text("series,signal\n")
    return tmp_path


@pytest.mark.parametrize("what", BAD)
def test_nothing_is_imported_for_a_study_that_is_refused(harm, what):
    first, _, rest = BAD[what].partition("[")
    used = f"{first}\n[detectors.a]\nuse = 'harm:detect'\n{'[' if rest else ''}{rest}"
    (harm / "study.toml").write_text(used)
    for more in ((), ("--check",)):
        found = run("run", harm / "study.toml", *more)
        assert found.exit_code == 2 and found.output.count("\n") == 1, found.output
    assert not (harm / "harmed").exists() and "harm" not in sys.modules


def test_a_study_can_be_checked_without_an_import(harm):
    path = harm / "study.toml"
    path.write_text("series = 'signals.parquet'\n[detectors.a]\nuse = 'harm:detect'\n")
    found = run("run", path, "--check", "-o", harm / "runs.parquet")
    assert (found.exit_code, found.output) == (0, f"{path} is a study of 1 detector\n")
    assert sorted(file.name for file in harm.iterdir()) == ["damaged.csv", "harm.py", "signals.parquet", "study.toml"]
    (harm / "study.py").write_text("1 / 0")
    found = run("run", harm / "study.py", "--check")
    assert found.exit_code == 2 and found.output.endswith(
        f"{harm / 'study.py'} is a Python file, which cannot be checked without running it; expected a TOML file\n"
    )


def test_an_object_is_not_made_of_a_class_that_is_no_detector(harm):
    (harm / "study.toml").write_text(
        "series = 'signals.parquet'\n[detectors.a]\nuse = 'subprocess:Popen'\n"
        f"with = {{args = ['touch', '{harm / 'harmed'}']}}\n"
    )
    found = run("run", harm / "study.toml", "-o", harm / "runs.parquet")
    assert found.exit_code == 2 and found.output.endswith(
        "detector 'a' uses 'subprocess:Popen', a class whose objects are no detectors; expected a class with fit and "
        "predict, or with __call__\n"
    )
    time.sleep(0.5)
    assert not (harm / "harmed").exists()


def test_the_digest_of_a_file_sees_its_classes(tmp_path):
    (tmp_path / "beside.py").write_text("def third(signal):\n    return [len(signal) // 3]\n")
    found = []
    for text in (
        PYTHON,
        PYTHON,
        PYTHON.replace("// self.number", "// self.number + 1"),
        PYTHON.replace("Part(2)", "Part(4)"),
    ):
        (tmp_path / "study.py").write_text(text)
        found.append(digests.code_of(read_study(tmp_path / "study.py")["detectors"]["half"])[0])
    assert found[0] == found[1] and len(set(found)) == 3


def test_the_live_demo_runs_detectors_here(tmp_path, monkeypatch):
    pytest.importorskip("ruptures")
    reported = []

    def report(table, out, **options):  # the real page is written by `make demo`
        reported.append((table, options["command"]))
        out.write_text("page")
        return out

    monkeypatch.setattr(ss, "report", report)
    found = run("demo", "--live", "-o", tmp_path / "demo.html")
    assert found.exit_code == 0, found.output
    what = "Predictions made here just now: 6 detectors of ruptures on 10 simulated series, the standard signals at two"
    assert f"{what} levels of noise" in found.output
    ((table, command),) = reported
    assert command == "segscore demo --live"
    assert table["status"].to_list() == ["ok"] * 60 and table["signal"].null_count() == 0
