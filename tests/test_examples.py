"""The simulations behind the rules of significance, at a small size."""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"


def example(name):
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_false_alarms():
    simulation = example("false_alarms")
    found = dict(zip(simulation.RULES, simulation.share(5, 20, 0, 200), strict=True))
    assert found["exact tests, Holm"] < 0.08  # 0.043 in 2,000 studies; three standard errors are 0.043
    assert found["Friedman gate, then Holm"] <= found["exact tests, Holm"]
    assert found["Nemenyi"] < 0.09
    assert 0.2 < found["uncorrected"] < 0.4
    worse = dict(zip(simulation.RULES, simulation.share(10, 20, 1, 60), strict=True))
    assert worse["exact tests, Holm"] < 0.12
    assert worse["aeon's rule"] > worse["exact tests, Holm"]
    assert worse["uncorrected"] > 0.4


def test_a_true_difference_is_no_false_alarm():
    simulation = example("false_alarms")
    values = np.random.default_rng(0).normal(size=(3, 30)) * 0.01
    values[2] -= 9
    assert simulation.alarms(values, 1) == [False] * 5
    assert simulation.alarms(values, 0) == [True] * 5


def test_coverage():
    simulation = example("coverage")
    few, many = simulation.coverage(5, 300), simulation.coverage(75, 300)
    assert all(few < 0.85)  # five series are too few for any of the intervals
    assert all((many > 0.88) & (many < 0.985))
    assert simulation.drawn(np.random.default_rng(0), 1000, 200).mean() == pytest.approx(simulation.MEAN, abs=0.01)


def test_learning(monkeypatch, capsys):
    pytest.importorskip("jax", reason="jax is not installed")
    monkeypatch.setattr(sys, "argv", ["learning", "--quick"])
    simulation = example("learning")
    page = simulation.PAGE.read_text()
    simulation.main()
    printed = capsys.readouterr().out
    rows = [line for line in printed.splitlines() if line.startswith("| ")]
    assert len(rows) == 1 + 2 * 2 * len(simulation.ARMS)  # a head, and two sets of signals with two decodings
    assert rows[0] == page.split("<!-- learning -->\n")[1].splitlines()[0]
    assert page == simulation.PAGE.read_text()


@pytest.mark.parametrize(("name", "option", "lines"), [("false_alarms", "--studies", 8), ("coverage", "--samples", 5)])
def test_the_tables_are_printed(name, option, lines, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", [name, option, "2"])
    example(name).main()
    assert len(capsys.readouterr().out.splitlines()) == lines


def test_a_week_of_timestamps(tmp_path, capsys):
    pytest.importorskip("altair")
    week = example("timestamps")
    assert week.MINUTES == (7 * 24 + 1) * 60  # clocks go back one hour
    week.main(str(tmp_path))
    printed = capsys.readouterr().out
    assert printed.startswith("f1 at margin 15min, 12 series")
    assert (tmp_path / "week.html").stat().st_size > 10**5
