"""Signed-rank tests: equal to enumeration, to scipy where it is exact, and to the worked numbers."""

from itertools import combinations_with_replacement, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from segscore.boards.signed_ranks import holm, probabilities, signed_ranks


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
                assert signed_ranks(values).p == pytest.approx(enumerated(values), abs=1e-14)


@given(st.lists(st.integers(-5, 5), max_size=11))
def test_p_and_effect_equal_enumeration(values):
    found = signed_ranks(np.array(values) / 4)
    assert found.p == pytest.approx(enumerated(values), abs=1e-13)
    assert found[:3] == (sum(v > 0 for v in values), values.count(0), sum(v < 0 for v in values))
    used = [v for v in values if v]
    ranks = stats.rankdata(np.abs(used))
    assert found.positive == ranks[np.array(used) > 0].sum() if used else found.positive == 0
    assert found.effect == pytest.approx(np.sign(used) @ ranks / ranks.sum() if used else 0)
    turned = signed_ranks(-np.array(values) / 4)
    assert (turned.p, turned.wins, turned.effect) == (found.p, found.losses, -found.effect)


@pytest.mark.parametrize("size", [6, 20, 50, 200])
def test_p_is_that_of_scipy_without_ties(size):
    for seed in range(5):
        values = np.random.default_rng(seed).normal(0.2, 1, size)
        assert signed_ranks(values).p == pytest.approx(stats.wilcoxon(values, method="exact").pvalue, rel=1e-9)


@pytest.mark.parametrize(("wins", "ties", "p"), [(6, 7, 0.0313), (6, 8, 0.0313), (5, 9, 0.0625), (4, 20, 0.125)])
def test_ties_do_not_make_p_smaller(wins, ties, p):
    assert signed_ranks([0.1] * wins + [0.0] * ties).p == pytest.approx(p, abs=5.1e-5)


def test_many_differences_use_the_normal_distribution_with_ties():
    for seed in range(5):
        values = np.random.default_rng(seed).integers(-8, 10, 400) / 10
        wanted = stats.wilcoxon(values[values != 0], method="approx", correction=False).pvalue
        assert signed_ranks(values).p == pytest.approx(wanted, rel=1e-9)
    rng = np.random.default_rng(9)
    exact = rng.integers(-8, 10, 200) / 10 + 0.05
    normal = np.append(exact, [0.05, -0.05])  # one pair more, without weight
    assert signed_ranks(normal).p == pytest.approx(signed_ranks(exact).p, rel=0.15)


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
    assert signed_ranks([]) == (0, 0, 0, 0, 0, 1)
    assert signed_ranks([0.0] * 8) == (0, 8, 0, 0, 0, 1)
    assert signed_ranks([0.0]).effect == 0


def test_p_may_be_tiny_but_not_0():
    assert signed_ranks(np.arange(1, 201)).p == 2.0**-199
    assert 0 < signed_ranks(np.arange(1, 1001)).p < 1e-100


def test_holm():
    assert holm([]) == []
    assert holm([0.04]) == [0.04]
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])  # by hand
    assert holm([0.5, 0.6, 1.0]) == [1.0, 1.0, 1.0]


def test_holm_by_its_definition():
    rng = np.random.default_rng(0)
    for _ in range(50):
        values = rng.uniform(0, 0.3, 7).round(2).tolist()
        ordered = sorted(values)
        for value, corrected in zip(values, holm(values), strict=True):
            wanted = max((7 - j) * q for j, q in enumerate(ordered) if q <= value)
            assert corrected == pytest.approx(min(1, wanted))


def outer(values, rope, draws, seed):
    """Return the probabilities by the definition: the weight of every pair of differences, draw by draw."""
    values = np.append(0.0, values)
    sums = values[:, None] + values
    rng = np.random.default_rng(seed)
    decided = np.zeros(3)
    for weights in rng.dirichlet([0.5] + [1] * (values.size - 1), draws):
        pairs = np.outer(weights, weights)
        worse, better = pairs[sums < -2 * rope].sum(), pairs[sums > 2 * rope].sum()
        decided[np.argmax([worse, 1 - worse - better, better])] += 1
    return decided / draws


@pytest.mark.parametrize("rope", [0.0, 0.01, 0.2])
def test_the_bayesian_test_is_its_definition(rope):
    for seed in range(3):
        values = np.round(np.random.default_rng(seed).normal(0.05, 0.3, 12), 2)
        found = probabilities(values, rope)
        assert found == pytest.approx(outer(values, rope, 3000, seed), abs=0.04)
        assert sum(found) == pytest.approx(1)
        turned = probabilities(-values, rope)
        assert turned == pytest.approx(found[::-1], abs=0.01)


def test_the_bayesian_test_of_plain_cases():
    assert probabilities([0.0] * 20, 0.01) == (0, 1, 0)
    assert probabilities([0.5] * 20, 0.01).better > 0.999
    assert probabilities([-np.inf] * 20, 0.01).worse > 0.999
    assert probabilities([np.inf] * 10 + [-np.inf] * 10, 0.01) == pytest.approx(probabilities([9.0, -9.0] * 10, 0.01))
    values = np.random.default_rng(0).normal(0, 0.1, 30)
    assert probabilities(values, 0.02, seed=3) == probabilities(values[::-1], 0.02, seed=3)
    assert probabilities(values, 0.02, seed=3) != probabilities(values, 0.02, seed=4)
