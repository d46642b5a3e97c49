"""The paper, whole: every form of the Rand Index that it states equals the core, and its slips stay slips."""

from fractions import Fraction
from math import comb

import oracle
import pytest
from hypothesis import given
from hypothesis import strategies as st

import segscore as ss
from segscore import _core

FORMS = [
    oracle.rand_by_definition,
    oracle.rand_by_contingency_table,
    oracle.rand_by_theorem,
    oracle.rand_by_right_assignment,
    lambda truth, pred, n: oracle.algorithm_1(truth, pred, n)[0],
]


@st.composite
def two_segmentations(draw, max_n=200):
    n = draw(st.integers(2, max_n))
    cuts = st.sets(st.integers(1, n - 1)).map(sorted)
    return draw(cuts), draw(cuts), n


@pytest.mark.parametrize("n", range(2, 9))
def test_every_form_of_the_paper_on_every_pair_of_segmentations(n):
    for truth in oracle.segmentations(n):
        for pred in oracle.segmentations(n):
            value = ss.rand_index(truth, pred, n=n)
            exact = {form(truth, pred, n) for form in FORMS}
            assert len(exact) == 1, (truth, pred, exact)
            fraction = exact.pop()
            assert value == fraction.numerator / fraction.denominator, (truth, pred)


@given(two_segmentations())
def test_every_form_of_the_paper_on_long_sequences(case):
    truth, pred, n = case
    value = Fraction(oracle.rand_by_definition(truth, pred, n))
    assert all(form(truth, pred, n) == value for form in FORMS)
    assert ss.rand_index(truth, pred, n=n) == value.numerator / value.denominator


@pytest.mark.parametrize("n", range(1, 9))
def test_the_walk_visits_exactly_the_cells_of_the_union(n):
    for truth in oracle.segmentations(n):
        for pred in oracle.segmentations(n):
            assert _core.count_cells(truth, pred, n, None) == len({*truth, *pred}) + 1


@given(st.sets(st.integers(1, 10**5 - 1)), st.sets(st.integers(1, 10**5 - 1)), st.integers(0, 2000))
def test_the_walk_visits_exactly_the_cells_of_the_union_in_several_places_at_once(truth, pred, dense):
    np = pytest.importorskip("numpy")
    truth, pred = sorted(truth | set(range(1, dense))), sorted(pred | set(range(dense, 2 * dense)) - {0})
    cells = _core.count_cells(np.array(truth, dtype=np.int64), np.array(pred, dtype=np.int64), 10**5, None)
    assert cells == len({*truth, *pred}) + 1


def test_nothing_to_cut_is_no_cell():
    assert _core.count_cells([], [], 0, None) == 0


# ---- the slips of the paper, by the numbers of docs/paper.md ----


def cells(truth, pred, n):
    return _core.count_cells(truth, pred, n, None)


def test_slip_1_more_cells_than_r_plus_s():
    assert cells([], [], 1) == 1 > 0
    assert cells([1], [], 2) == 2 > 1


def test_slip_2_the_double_sum_has_more_than_r_times_s_terms():
    # With r = 0 and s = 1 a sum of rs = 0 terms would say 1; the sum of (r+1)(s+1) = 2 terms says 0.
    assert oracle.rand_by_theorem([], [1], 2) == oracle.rand_by_definition([], [1], 2) == 0


def test_slip_3_the_input_of_the_pseudocode_is_longer_than_r_plus_s():
    truth, pred, n = [3, 8], [4], 10
    printed = [0, *truth, n], [0, *pred, n]
    assert sum(map(len, printed)) == len(truth) + len(pred) + 4
    assert ss.rand_index(*printed, n=n) == ss.rand_index(truth, pred, n=n)


@pytest.mark.parametrize("n", [0, 1])
def test_slip_4_fewer_than_two_points_divide_by_zero(n):
    with pytest.raises(ZeroDivisionError):
        oracle.rand_by_definition([], [], n)
    assert ss.rand_index([], [], n=n) == 1.0


@pytest.mark.parametrize("n", range(2, 9))
def test_slip_5_zero_means_one_block_against_all_singletons(n):
    ends = {(), tuple(range(1, n))}
    for truth in oracle.segmentations(n):
        for pred in oracle.segmentations(n):
            value = ss.rand_index(truth, pred, n=n)
            assert (value == 0) == ({truth, pred} == ends)
            assert (value == 1) == (truth == pred)


def test_slip_5_nothing_in_common_is_not_zero():
    assert ss.rand_index([2], [1, 3], n=4) == 0.5
    smallest = {
        n: min(
            oracle.rand_by_theorem(a, b, n) for a in oracle.segmentations(n)[1:] for b in oracle.segmentations(n)[1:]
        )
        for n in range(3, 7)
    }
    assert smallest == {3: Fraction(1, 3), 4: Fraction(1, 3), 5: Fraction(3, 10), 6: Fraction(4, 15)}


def test_slip_6_the_end_of_the_last_segment_is_not_a_change_point():
    with pytest.raises(ValueError, match="empty"):
        min(c for c in [3, 8] if c >= 9)
    assert oracle.rand_by_right_assignment([3, 8], [4, 8], 10) == Fraction(38, 45)
    assert ss.rand_index([3, 8], [4, 8], n=10) == 38 / 45


def test_slip_7_the_last_point_adds_nothing():
    truth, pred, n = [3, 8], [4], 10
    without_last = sum(
        abs(next(c for c in (*truth, n) if c >= x) - next(c for c in (*pred, n) if c >= x)) for x in range(1, n)
    )
    assert ss.mirkin_distance(truth, pred, n=n) == 2 * without_last


def test_slip_8_segments_of_one_point_are_ranges_too():
    assert ss.rand_index([1], [1], n=2) == 1.0
    assert ss.Segmentation([1, 2], n=3).lengths == [1, 1, 1]


def test_slip_9_the_empty_overlaps_are_those_behind():
    # c_1 = 3 < c*_1 = 4, so segment 0 meets no later segment of the other side; I_00 itself is not empty.
    c, d = [0, 3, 8, 10], [0, 4, 8, 10]
    overlap = [max(0, min(c[1], d[j + 1]) - max(c[0], d[j])) for j in range(3)]
    assert overlap == [3, 0, 0]
    assert ss.pair_counts([3, 8], [4, 8], n=10).pred_only == overlap[0] * (4 - 3)


def test_slip_10_no_change_point_may_lie_below():
    truth, pred, n = [1], [3], 5
    below = [j for j, end in enumerate([*pred, n]) if end <= truth[0]]
    assert below == []
    assert oracle.algorithm_1(truth, pred, n) == (oracle.rand_by_definition(truth, pred, n), 3)


@pytest.mark.parametrize("n", range(2, 9))
def test_slip_10_the_pseudocode_iterates_exactly_r_plus_s_plus_1_times(n):
    for truth in oracle.segmentations(n):
        for pred in oracle.segmentations(n):
            assert oracle.algorithm_1(truth, pred, n)[1] == len(truth) + len(pred) + 1


def test_slip_11_a_word_must_hold_twice_the_bits_of_n():
    n = 2**32
    assert ss.pair_counts([], [], n=n).both == comb(n, 2) > 2**62
    assert ss.pair_counts([], [], n=n + 1).both == comb(n + 1, 2) > 2**63
    assert ss.pair_counts([], [], n=2**63 - 1).both == comb(2**63 - 1, 2) > 2**124


def test_slip_12_the_denominator_is_n_times_n_minus_1_over_2():
    both, truth_only, pred_only, neither = ss.pair_counts([3, 8], [4, 8], n=10)
    assert both + truth_only + pred_only + neither == 45 == 10 * 9 // 2
