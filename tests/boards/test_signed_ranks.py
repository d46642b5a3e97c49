"""Signed-rank tests: equal to enumeration, to scipy where it is exact, and to the worked numbers."""

from itertools import combinations_with_replacement, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from segscore.boards.signed_ranks import rank_test, signed_ranks


def enumerated(values):
    """Return the two-sided p over all signs: the share of rank sums at least as far from the middle."""
    used = [value for value in values if value]
    ranks = stats.rankdata(np.abs(used))
    if not used:
        return 1.0
    signs = np.array(list(product([-1, 1], repeat=len(used))))
    sums = np.abs(signs @ ranks)
    return float((sums >= abs(ranks @ np.sign(used)) - 1e-9).mean())


def test_p_equals_enumeration_for_every_small_case():
    for size in range(6):
        for sizes in combinations_with_replacement(range(4), size):
            for signs in product([-1, 1], repeat=size):
                values = np.multiply(sizes, signs).astype(float)
                assert rank_test(values) == pytest.approx(enumerated(values), abs=1e-14)


@given(st.lists(st.integers(-5, 5), max_size=11))
def test_p_and_effect_equal_enumeration(values):
    found = signed_ranks(np.array(values) / 4)
    assert rank_test(np.array(values) / 4) == pytest.approx(enumerated(values), abs=1e-13)
    assert found[:3] == (sum(v > 0 for v in values), values.count(0), sum(v < 0 for v in values))
    used = [v for v in values if v]
    ranks = stats.rankdata(np.abs(used))
    assert found.positive == ranks[np.array(used) > 0].sum() if used else found.positive == 0
    assert found.effect == pytest.approx(np.sign(used) @ ranks / ranks.sum() if used else 0)
    turned = signed_ranks(-np.array(values) / 4)
    assert (turned.wins, turned.effect) == (found.losses, -found.effect)
    assert rank_test(-np.array(values) / 4) == rank_test(np.array(values) / 4)


@pytest.mark.parametrize("size", [6, 20, 50, 200])
def test_p_is_that_of_scipy_without_ties(size):
    for seed in range(5):
        values = np.random.default_rng(seed).normal(0.2, 1, size)
        assert rank_test(values) == pytest.approx(stats.wilcoxon(values, method="exact").pvalue, rel=1e-9)


@pytest.mark.parametrize(("wins", "ties", "p"), [(6, 7, 0.0313), (6, 8, 0.0313), (5, 9, 0.0625), (4, 20, 0.125)])
def test_ties_do_not_make_p_smaller(wins, ties, p):
    assert rank_test([0.1] * wins + [0.0] * ties) == pytest.approx(p, abs=5.1e-5)


def test_many_differences_use_random_flips():
    for seed in range(5):
        values = np.random.default_rng(seed).integers(-8, 10, 400) / 10
        wanted = stats.wilcoxon(values[values != 0], method="approx", correction=False).pvalue
        assert rank_test(values) == pytest.approx(wanted, abs=4 * np.sqrt(wanted * (1 - wanted) / 9999) + 2e-4)


def test_groups_contribute_the_sum_of_their_signed_ranks():
    rng = np.random.default_rng(0)
    for _ in range(20):
        values, groups = rng.integers(-4, 6, 18) / 4, rng.integers(0, 7, 18)
        ranks = np.zeros(18)
        ranks[values != 0] = stats.rankdata(np.abs(values[values != 0])) * np.sign(values[values != 0])
        sums = np.array([ranks[groups == g].sum() for g in range(7)])
        signs = np.array(list(product([-1, 1], repeat=7)))
        wanted = (np.abs(signs @ sums) >= abs(sums.sum()) - 1e-9).mean()
        assert rank_test(values, groups.tolist()) == pytest.approx(wanted)


def test_infinite_differences_are_the_largest_and_share_their_rank():
    inf = float("inf")
    for values in ([inf, -inf, inf, 0.5, -3.0, 2.0], [inf] * 6, [-inf, 1.0, 2.0, 3.0, 4.0, 5.0, 0.0]):
        replaced = np.clip(values, -99, 99)
        assert signed_ranks(values) == signed_ranks(replaced)


def test_sizes_that_differ_by_rounding_are_ties():
    assert 0.3 - 0.2 != 0.2 - 0.1
    values = [0.3 - 0.2, -(0.2 - 0.1), 0.5, 0.7, 0.9, 1.1]
    assert signed_ranks(values) == signed_ranks([1.0, -1.0, 5.0, 7.0, 9.0, 11.0])


def test_nothing_and_only_ties():
    assert signed_ranks([]) == (0, 0, 0, 0, 0)
    assert signed_ranks([0.0] * 8) == (0, 8, 0, 0, 0)
    assert rank_test([]) == rank_test([0.0] * 8) == 1
    assert signed_ranks([0.0]).effect == 0


def test_p_may_be_tiny_but_not_0():
    assert rank_test(np.arange(1, 201)) == 2.0**-199
    assert rank_test(np.arange(1, 1001)) == 1e-4  # random flips
