"""Integers, threads, seeds and optional libraries: one check and one wording for all functions."""

import re
import subprocess
import sys

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

import segscore as ss
from segscore import arguments, optional
from segscore.cli import main

SIDE = ss.Segmentation([3], n=9)
REFUSED = [
    (lambda: ss.pairwise([[3]], n=9, threads=0), "threads = 0 is out of range; expected an integer of at least 1"),
    (lambda: ss.pairwise([[3]], n=9, threads=1.5), "threads = 1.5 is a float; expected an integer of at least 1"),
    (lambda: ss.nearest([[3]], [[4]], k=0, n=9), "k = 0 is out of range; expected an integer of at least 1"),
    (lambda: ss.nearest([[3]], [[4]], k=True, n=9), "k = True is a bool; expected an integer of at least 1"),
    (
        lambda: ss.rand_test([3], [4], n=9, draws=0),
        "draws = 0 is out of range; expected an integer from 1 to 1000000000",
    ),
    (
        lambda: ss.rand_test([3], [4], n=9, draws="x"),
        "draws = 'x' is a str; expected an integer from 1 to 1000000000",
    ),
    (
        lambda: ss.rand_test([3], [4], n=9, rng="x"),
        "rng = 'x' is a str; expected a Generator of NumPy, an integer or None",
    ),
    (lambda: ss.expected_rand_index([3], 1.5, n=9), "r = 1.5 is a float; expected an integer from 0 to 8"),
    (lambda: ss.expected_rand_index([3], 9, n=9), "r = 9 is out of range; expected an integer from 0 to 8"),
    (lambda: ss.simulate.signal("teeth", scale=0), "scale = 0 is out of range; expected an integer of at least 1"),
    (lambda: ss.simulate.signal("teeth", count=-1), "count = -1 is out of range; expected an integer of at least 0"),
    (
        lambda: ss.simulate.signal("teeth", rng=1.5),
        "rng = 1.5 is a float; expected a Generator of NumPy, an integer or None",
    ),
    (
        lambda: ss.simulate.signal(["teeth"]),
        "name = ['teeth'] is unknown; expected 'blocks', 'fms', 'mix', 'teeth' or 'stairs'",
    ),
    (
        lambda: ss.simulate.segmentations(-1, SIDE),
        "count = -1 is out of range; expected an integer of at least 0",
    ),
    (
        lambda: ss.RunningRand().truth(1.5),
        "the truth's cut = 1.5 is a float; expected an integer (or in_time=True for real-valued time)",
    ),
]


@pytest.mark.parametrize(("call", "message"), REFUSED)
def test_every_function_refuses_in_the_same_words(call, message):
    kind = TypeError if " is a " in message else ValueError
    with pytest.raises(kind, match=f"^{re.escape(message)}$"):
        call()


def test_integers_of_numpy_are_integers_but_arrays_are_not():
    assert type(arguments.integer(np.uint8(7), "k")) is int
    with pytest.raises(TypeError, match=r"^k = array\(\[1, 2\]\) is a ndarray; expected an integer$"):
        arguments.integer(np.array([1, 2]), "k")


def test_threads_and_seeds_have_defaults_and_limits():
    assert arguments.threads(None) >= 1
    assert arguments.threads(10**9) == arguments.MOST_THREADS
    assert arguments.seed(-1) == arguments.seed_of(-1) == 2**64 - 1
    assert len({arguments.seed(None) for _ in range(4)}) == 4


def test_a_missing_library_is_named_with_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy.stats", None)
    message = "^scipy is not installed; install the extra: pip install 'segscore[report]'$"
    with pytest.raises(ImportError, match=message.replace("[", r"\[").replace("]", r"\]")):
        optional.library("scipy.stats", extra="report")


def test_polars_and_altair_are_imported_when_they_are_first_used():
    code = """
import sys
import segscore as ss, segscore.charts.curves, segscore.tables.decoding
assert not {"polars", "altair"} & set(sys.modules)
sys.modules |= {"polars": None, "altair": None}
for call in (ss.compare([3], [4], n=9).to_polars, lambda: ss.charts.timeline([3], [4], n=9, margin=1)):
    try:
        call()
    except ImportError as error:
        print(error)
del sys.modules["polars"]
print(ss.compare([3], [4], n=9).to_polars().columns, "polars" in sys.modules)
"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (found.stderr, found.stdout) == (
        "",
        "polars is not installed; install the extra: pip install 'segscore[tables]'\n"
        "altair is not installed; install the extra: pip install 'segscore[report]'\n"
        "['name', 'value'] True\n",
    )


@pytest.mark.parametrize(
    ("call", "extra"),
    [
        (lambda: ss.report({}, "x.html"), "report"),
        (lambda: ss.leaderboard({}, "f1"), "tables"),
        (lambda: ss.score_long({}, {}), "tables"),
        (lambda: ss.study.run({}, {}), "study"),
        (lambda: ss.study.select({}, "f1"), "study"),
    ],
)
def test_without_polars_the_error_names_the_extra_of_the_function(monkeypatch, call, extra):
    monkeypatch.setitem(sys.modules, "polars", None)
    for name in [name for name in vars(optional.polars) if not name.startswith("_")]:
        monkeypatch.delattr(optional.polars, name)  # a name of Polars that an earlier test has used
    message = f"polars is not installed; install the extra: pip install 'segscore[{extra}]'"
    with pytest.raises(ImportError, match=f"^{re.escape(message)}$"):
        call()


@pytest.mark.parametrize("missing", ["click", "rich"])
@pytest.mark.parametrize("start", ["runpy.run_module('segscore', run_name='__main__')", "load()"])
def test_the_command_line_without_its_libraries_names_its_extra(missing, start):
    code = f"import runpy, sys; from importlib.metadata import entry_points; sys.modules[{missing!r}] = None\n"
    code += (
        f"(command,) = entry_points(group='console_scripts', name='segscore'); load = lambda: command.load()(); {start}"
    )
    done = subprocess.run([sys.executable, "-c", code, "metrics"], capture_output=True, text=True, timeout=60)
    message = f"segscore: {missing} is not installed; install the extra: pip install 'segscore[cli]'\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", message)


@pytest.mark.parametrize("module", ["segscore", "segscore._core", "segscore.cli", "click", "rich"])
def test_an_interrupt_while_the_command_is_imported_is_one_line(module):
    code = f"""
import sys
from importlib.metadata import entry_points

class Interrupt:
    def find_spec(self, name, *_):
        if name == {module!r}:
            raise KeyboardInterrupt

(command,) = entry_points(group="console_scripts", name="segscore")
sys.modules.pop({module!r}, None)
sys.meta_path.insert(0, Interrupt())
command.load()()
"""
    done = subprocess.run([sys.executable, "-c", code, "metrics"], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "segscore: interrupted\n")


def test_a_chart_without_the_library_that_saves_it_names_its_extra(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    (tmp_path / "a.txt").write_text("3\n")
    arguments = ["plot", "timeline", *[str(tmp_path / "a.txt")] * 2, "--n", "9", "-o", str(tmp_path / "x.svg")]
    found = CliRunner().invoke(main, arguments)
    message = "segscore: vl_convert is not installed; install the extra: pip install 'segscore[report]'\n"
    assert (found.exit_code, found.output) == (2, message)


RUNS = pl.DataFrame({"series": ["a"], "method": ["x"], "truth": [[3]], "pred": [[4]], "n": [9], "f1": [0.5]})


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("ends", lambda flag: ss.score(RUNS.drop("f1"), ends=flag)),
        ("ends", lambda flag: ss.score_long(*[RUNS.rename({"pred": "change_points"})] * 2, ends=flag)),
        ("one_based", lambda flag: ss.Segmentation.from_starts([1, 4], n=9, one_based=flag)),
        ("mixed", lambda flag: ss.leaderboard(RUNS, "f1", mixed=flag)),
        ("mixed", lambda flag: ss.publication(RUNS, ["f1"], mixed=flag)),
        ("secondary", lambda flag: ss.leaderboard(RUNS, "f1").differences(secondary=flag)),
        ("progress", lambda flag: ss.study.run({"x": list}, {"a": [1.0, 2.0]}, out=None, progress=flag)),
    ],
)
@pytest.mark.parametrize(("flag", "kind"), [("no", "a str"), (0, "an int"), (None, "a NoneType")])
def test_a_flag_is_true_or_false(name, call, flag, kind):
    with pytest.raises(TypeError, match=f"^{re.escape(f'{name} = {flag!r} is {kind}; expected True or False')}$"):
        call(flag)


def test_flags_of_numpy_are_flags():
    assert arguments.flag(np.True_, "ends") is True
    assert arguments.flag(np.False_, "ends") is False
