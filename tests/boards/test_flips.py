"""Sign flips: the test by enumeration, its inversion, groups as units, and Holm's correction."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from segscore.boards.flips import LEVEL, flipped, holm, needed, units_of


def enumerated(sums, counts, mean=0.0):
    """Return the two-sided p over all signs, of the hypothesis that the mean is ``mean``."""
    apart = np.asarray(sums, dtype=float) - mean * np.asarray(counts)
    signs = np.array(list(product([-1, 1], repeat=apart.size)))
    return float((np.abs(signs @ apart) >= abs(apart.sum()) - 1e-9 * np.abs(apart).sum()).mean())


@given(st.lists(st.tuples(st.integers(-6, 6), st.integers(1, 3)), min_size=1, max_size=9))
def test_p_is_that_of_all_signs_and_the_interval_has_the_means_that_are_not_rejected(units):
    sums, counts = (np.array(each, dtype=float) for each in zip(*units, strict=True))
    ((p, low, high),) = flipped(sums[None, :], counts)
    assert p == pytest.approx(enumerated(sums, counts))
    if len(units) < 6:
        assert (low, high) == (-np.inf, np.inf)
        return
    near = 1e-6
    for inside in (low, high, (low + high) / 2):
        assert enumerated(sums, counts, inside) > LEVEL
    for outside in (low - near, high + near):
        assert enumerated(sums, counts, outside) <= LEVEL
    assert (p <= LEVEL) == (not low <= 0 <= high)


def test_random_flips_agree_with_all_flips():
    rng = np.random.default_rng(0)
    for _ in range(10):
        values = rng.normal(0.3, 1, 20)
        (exact,) = flipped(values[None, :], np.ones(20))
        (drawn,) = flipped(np.append(values, 0.0)[None, :], np.ones(21))  # a unit that changes no sum
        assert drawn.p == pytest.approx(exact.p, abs=4 * np.sqrt(exact.p / 9999) + 1e-4)
        assert (drawn.p <= LEVEL) == (not drawn.low <= 0 <= drawn.high)
        assert drawn.high - drawn.low == pytest.approx(exact.high - exact.low, rel=0.1)
    assert flipped(np.ones((1, 30)), np.ones(30))[0] == (1e-4, 1.0, 1.0)
    assert flipped(np.ones((1, 30)), np.ones(30), tests=1000)[0].p == 1 / 200_001


def test_a_test_does_not_depend_on_other_rows_or_on_the_unit():
    values = np.random.default_rng(1).normal(0.1, 1, (6, 40)).round(1)
    every = flipped(values, np.ones(40))
    for row, found in zip(values, every, strict=True):
        assert flipped(row[None, :], np.ones(40)) == [found]
        p, low, high = flipped(-row[None, :] * 2.0**-300, np.ones(40))[0]
        assert (p, low, high) == (found.p, -found.high * 2.0**-300, -found.low * 2.0**-300)


def test_values_that_differ_by_rounding_have_the_same_sums():
    apart = np.array([0.3 - 0.2, 0.2 - 0.1, -0.1, 0.1, 0.4 - 0.3, 0.1, 0.1])
    assert flipped(apart[None, :], np.ones(7))[0].p == enumerated(np.sign(apart), np.ones(7))
    assert flipped(np.zeros((1, 8)), np.ones(8)) == [(1.0, 0.0, 0.0)]
    assert flipped(np.zeros((1, 0)), np.ones(0)) == [(1.0, -np.inf, np.inf)]


def test_units_are_groups_in_the_order_of_their_names():
    values = np.array([1.0, 2.0, 4.0, 8.0])
    sums, counts = units_of(values, ["b", "a", "b", "c"])
    assert (sums.tolist(), counts.tolist()) == ([2.0, 5.0, 8.0], [1.0, 2.0, 1.0])
    assert units_of(values, None).sums.tolist() == values.tolist()


def test_the_smallest_p_reaches_the_level_with_as_many_units_as_needed():
    for tests in (1, 3, 10, 45, 190):
        for units, reaches in ((needed(tests), True), (needed(tests) - 1, False)):
            p = flipped(np.ones((1, units)), np.ones(units))[0].p
            assert (p == 2.0 ** (1 - units), tests * p <= LEVEL) == (True, reaches)


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
