"""Bootstrap intervals: those of scipy up to the draws, the same in any order, and defined at the edges."""

import subprocess
import sys

import numpy as np
import pytest
from scipy import stats

from segscore.boards import intervals as intervals_module
from segscore.boards.intervals import interval, intervals, mean_of


@pytest.mark.parametrize("size", [10, 20, 75])
def test_the_interval_is_that_of_scipy(size):
    values = np.random.default_rng(size).exponential(1, size)
    found = interval(values)
    wanted = stats.bootstrap((values,), np.mean, method="BCa", rng=np.random.default_rng(5)).confidence_interval
    width = wanted.high - wanted.low
    assert found[:2] == pytest.approx(wanted, abs=0.05 * width)
    percentile = stats.bootstrap((values,), np.mean, method="percentile", rng=np.random.default_rng(5))
    assert found.high > percentile.confidence_interval.high  # skewed values: the interval reaches further up
    assert found.rough == (size < 20)


def test_groups_are_drawn_as_a_whole():
    rng = np.random.default_rng(0)
    groups = [f"g{k % 12}" for k in range(72)]
    level = {name: rng.normal() for name in set(groups)}
    values = np.array([level[name] for name in groups])
    by_group, by_series = interval(values, groups), interval(values)
    assert by_group.high - by_group.low > 2 * (by_series.high - by_series.low)
    assert by_group == pytest.approx(interval(sorted(level.values())))  # equal groups are one value each
    assert by_group.rough and not by_series.rough
    assert interval(values, [f"g{k % 9}" for k in range(72)]) is None  # nine groups are too few, 72 series are not
    alone = [str(k) for k in range(72)]
    assert interval(values, alone) == interval(values)
    unequal = [f"g{min(k, 15)}" for k in range(72)]
    low, high, _ = interval(values, unequal)
    assert low < values.mean() < high


def test_the_order_of_the_series_does_not_matter():
    rng = np.random.default_rng(1)
    values, groups = rng.normal(size=60), [f"g{k % 15}" for k in range(60)]
    for seed in (0, 7):
        order = np.random.default_rng(seed).permutation(60)
        assert interval(values[order], seed=seed) == interval(values, seed=seed)
        turned = [f"another {groups[k]}" for k in order]
        assert interval(values[order], turned, seed=seed) == interval(values, groups, seed=seed)
        assert mean_of(values[order]) == mean_of(values)
    assert interval(values, seed=0) != interval(values, seed=1)


def test_an_interval_does_not_depend_on_other_rows():
    rng = np.random.default_rng(2)
    rows = [rng.normal(size=75) for _ in range(8)] + [rng.normal(size=9), rng.normal(size=30)]
    assert intervals(rows) == [interval(row) for row in rows]
    assert intervals(rows)[8] is None
    assert intervals([]) == []


def test_the_edges_of_intervals():
    assert interval([]) is None
    assert interval([0.5] * 9) is None
    assert interval([0.1] * 10) == (0.1, 0.1, True)
    assert interval([0.1] * 20) == (0.1, 0.1, False)
    assert interval([0.0] * 20) == (0.0, 0.0, False)
    assert interval([0.1] * 20 + [np.inf]) is None
    assert interval([np.inf, -np.inf] * 10) is None
    assert interval([0.1] * 40 + [np.inf], [f"g{k % 11}" for k in range(41)]) is None
    one = interval([0.0] * 19 + [1.0])  # a single value that differs
    assert 0 <= one.low < 0.05 < one.high <= 1
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


@pytest.mark.parametrize("size", [10, 300, 1500])
@pytest.mark.parametrize("grouped", [False, True])
def test_the_means_of_all_draws_are_exact(size, grouped):
    """The draws as places, in integers of any size: a product of floats in any order has to give the same bits."""
    rng = np.random.default_rng(size)
    sums, counts = rng.normal(0, 1, size), rng.integers(1, 9, size) if grouped else np.ones(size)
    found = intervals_module._draw_means([(sums, counts.astype(float)), (sums**2, counts.astype(float))], 3)
    exponent = np.frexp(np.abs(sums).max())[1] + size.bit_length() - 52
    whole = [int(x) for x in np.rint(np.ldexp(sums, -exponent))]
    done = 0
    for draw in (0, 1, intervals_module.DRAWS - 1):
        count = max(1, 10**6 // size)
        done = draw // count * count
        places = np.random.default_rng([3, done]).integers(0, size, (min(count, 9999 - done), size))[draw - done]
        total = sum(whole[k] for k in places)
        assert found[0, draw] == np.ldexp(float(total), exponent) / sum(int(counts[k]) for k in places)


def test_the_draws_start_no_threads():
    code = (
        "import threading, os, numpy as np; from segscore.boards.intervals import intervals\n"
        "intervals([np.arange(1000.0)] * 10)\n"  # numpy is warm
        "start = [sum(os.times()[:2]), __import__('time').perf_counter()]\n"
        "for k in range(5): intervals([np.random.default_rng(k).random(1000)] * 10)\n"
        "spent = sum(os.times()[:2]) - start[0]; passed = __import__('time').perf_counter() - start[1]\n"
        "print(spent / passed)"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert float(found.stdout) < 1.15  # seconds of all cores for each second


def test_many_series_are_drawn_in_parts():
    values = np.random.default_rng(0).normal(0, 1, 3000)  # 30 million places, 334 draws at a time
    found = interval(values)
    spread = values.std() / np.sqrt(values.size)
    assert found[:2] == pytest.approx((values.mean() - 1.96 * spread, values.mean() + 1.96 * spread), abs=0.1 * spread)
