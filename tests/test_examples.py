"""The examples, at a small size."""

import importlib.util
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"


def example(name):
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_claims():
    simulation = example("claims")
    errors = {kind: simulation.claims(kind, 3, 12, 60) for kind in simulation.DRAWS}
    assert max(errors.values()) <= 0.06 + 3 * (0.05 * 0.95 / 60) ** 0.5  # three standard errors
    own, peer = simulation.powers(3, 15, 30)
    assert own == pytest.approx(peer, abs=0.03) and own > 0.1
    covered = simulation.coverage("normal", 12, 200)
    assert min(covered) > 0.95 - 3 * (0.05 * 0.95 / 200) ** 0.5


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


def test_a_week_of_timestamps(tmp_path, capsys):
    pytest.importorskip("altair")
    week = example("timestamps")
    assert week.MINUTES == (7 * 24 + 1) * 60  # clocks go back one hour
    week.main(str(tmp_path))
    printed = capsys.readouterr().out
    assert printed.startswith("f1(margin=15min), 12 series")
    assert (tmp_path / "week.html").stat().st_size > 10**5
