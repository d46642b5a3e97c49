"""Intervals of means: bootstrap-t by its definition, the same in any order, and defined at the edges."""

import subprocess
import sys
import tracemalloc

import numpy as np
import pytest

from segscore.boards.flips import flipped
from segscore.boards.intervals import interval, intervals, mean_of


def bootstrapped(sums, counts, draws=20_000):
    """Return the bootstrap-t interval by its definition, from other draws."""
    rng = np.random.default_rng(5)
    sums, counts = np.asarray(sums, dtype=float), np.asarray(counts, dtype=float)
    mean = sums.sum() / counts.sum()
    error = np.sqrt(((sums - mean * counts) ** 2).sum()) / counts.sum()
    distances = []
    for _ in range(draws):
        own = rng.integers(0, sums.size, sums.size)
        drawn = sums[own].sum() / counts[own].sum()
        spread = np.sqrt(((sums[own] - drawn * counts[own]) ** 2).sum()) / counts[own].sum()
        distances.append((drawn - mean) / spread)
    low, high = np.quantile(distances, [0.025, 0.975])
    return mean - high * error, mean - low * error


@pytest.mark.parametrize("size", [10, 20, 120])
def test_the_interval_is_its_definition(size):
    values = np.random.default_rng(size).exponential(1, size)
    found, wanted = interval(values), bootstrapped(values, np.ones(size))
    assert found[:2] == pytest.approx(wanted, abs=0.08 * (wanted[1] - wanted[0]))
    assert found.rough == (size < 100)
    assert found.high - values.mean() > values.mean() - found.low  # skewed values: the interval reaches further up


def test_groups_are_drawn_as_a_whole():
    rng = np.random.default_rng(0)
    groups = [f"g{k % 12}" for k in range(120)]
    level = {name: rng.normal() for name in set(groups)}
    values = np.array([level[name] for name in groups])
    by_group, by_series = interval(values, groups), interval(values)
    assert by_group.high - by_group.low > 2 * (by_series.high - by_series.low)
    assert by_group == pytest.approx(interval(sorted(level.values())))  # equal groups are one value each
    assert by_group.rough and not by_series.rough
    assert interval(values, [f"g{k % 5}" for k in range(120)]) is None  # five groups are too few, 120 series are not
    alone = [str(k) for k in range(120)]
    assert interval(values, alone) == interval(values)
    unequal = [f"g{min(k, 15)}" for k in range(120)]
    own = [[v for v, g in zip(values, unequal, strict=True) if g == name] for name in dict.fromkeys(unequal)]
    wanted = bootstrapped([sum(each) for each in own], [len(each) for each in own])
    assert interval(values, unequal)[:2] == pytest.approx(wanted, abs=0.15 * (wanted[1] - wanted[0]))


def test_the_order_of_the_series_does_not_matter():
    rng = np.random.default_rng(1)
    values, groups = rng.normal(size=60), [f"g{k % 15}" for k in range(60)]
    for seed in (0, 7):
        order = np.random.default_rng(seed).permutation(60)
        assert interval(values[order]) == interval(values)
        turned = [f"another {groups[k]}" for k in order]
        assert interval(values[order], turned) == interval(values, groups)
        assert mean_of(values[order]) == mean_of(values)


def test_an_interval_does_not_depend_on_other_rows():
    rng = np.random.default_rng(2)
    rows = [rng.normal(size=75) for _ in range(8)] + [rng.normal(size=5), rng.normal(size=30)]
    assert intervals(rows) == [interval(row) for row in rows]
    assert intervals(rows)[8] is None
    assert intervals([]) == []


def test_the_edges_of_intervals():
    assert interval([]) is None
    assert interval([0.5] * 5) is None
    assert interval([0.5] * 6) == (0.5, 0.5, True)
    assert interval([0.1] * 100) == (0.1, 0.1, False)
    assert interval([0.0] * 20) == (0.0, 0.0, True)
    assert interval([0.1] * 20 + [np.inf]) is None
    assert interval([np.inf, -np.inf] * 10) is None
    assert interval([0.1] * 40 + [np.inf], [f"g{k % 11}" for k in range(41)]) is None
    assert interval([0.0] * 19 + [1.0]) is None  # many draws have no spread: no mean is ruled out
    low, high, _ = interval([0.0] * 19 + [1.0], bounds=(0, 1))
    assert 0 <= low < 0.05 < high == 1
    large = interval(np.random.default_rng(0).normal(1e9, 1, 40))
    assert 1e9 - 1 < large.low < large.high < 1e9 + 1
    values = np.random.default_rng(0).exponential(size=12)
    wanted = interval(values)
    for size in (2.0**-300, 2.0**-900, 2.0**300):  # a unit changes nothing but the unit
        assert interval(values * size) == (wanted.low * size, wanted.high * size, True)


def test_means_at_the_edges():
    assert np.isnan(mean_of([]))
    assert mean_of([1.0, np.inf]) == np.inf
    assert np.isnan(mean_of([np.inf, -np.inf]))
    assert mean_of([0.1] * 10) == 0.1


def test_the_draws_start_no_threads():
    code = (
        "import os, time, numpy as np; from segscore.boards.flips import flipped\n"
        "from segscore.boards.intervals import intervals\n"
        "values = np.random.default_rng(0).random((5, 1000))\n"
        "def run(): intervals(values); flipped(values, np.ones(1000))\n"
        "run()\n"  # numpy is warm
        "start = [sum(os.times()[:2]), time.perf_counter()]\n"
        "for k in range(5): run()\n"
        "print((sum(os.times()[:2]) - start[0]) / (time.perf_counter() - start[1]))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert float(found.stdout) < 1.15  # seconds of all cores for each second


@pytest.mark.slow
def test_many_series_take_no_memory_for_all_draws_at_once():
    values = np.random.default_rng(0).random(20_000)
    tracemalloc.start()
    try:
        interval(values)
        flipped(values[None, :], np.ones(values.size))
        now, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert now < 320e6 and most < 500e6  # kept for other methods, and in all
