"""The information family: the slow definitions, scikit-learn, and what is degenerate."""

import math
import sys
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import product
from math import comb

import numpy as np
import oracle
import pytest
from hypothesis import given
from hypothesis import strategies as st

import segscore as ss

close = pytest.approx


def average(kind, a, b, joint):
    return {
        "arithmetic": (a + b) / 2,
        "geometric": math.sqrt(a * b),
        "min": min(a, b),
        "max": max(a, b),
        "joint": joint,
    }[kind]


@pytest.mark.parametrize("n", range(1, 8))
def test_equal_to_the_definitions_on_every_pair_of_segmentations(n):
    for truth in oracle.segmentations(n):
        for pred in oracle.segmentations(n):
            a, b, mi = oracle.entropy(truth, n), oracle.entropy(pred, n), oracle.mutual_information(truth, pred, n)
            e = ss.entropies(truth, pred, n=n)
            assert e == close((a, b, a + b - mi, a - mi, b - mi), abs=1e-12)
            assert ss.mutual_information(truth, pred, n=n) == close(mi, abs=1e-12)
            assert ss.variation_of_information(truth, pred, n=n) == close(a + b - 2 * mi, abs=1e-12)
            bits = ss.variation_of_information(truth, pred, n=n, base=2)
            assert bits == close((a + b - 2 * mi) / math.log(2), abs=1e-12)
            assert ss.homogeneity(truth, pred, n=n) == close(mi / a if a else 1.0, abs=1e-12)
            assert ss.completeness(truth, pred, n=n) == close(mi / b if b else 1.0, abs=1e-12)
            for kind in ("arithmetic", "geometric", "min", "max", "joint"):
                value = ss.normalized_mutual_information(truth, pred, n=n, average=kind)
                if not truth and not pred:
                    assert value == 1.0
                elif not truth or not pred:
                    assert value == 0.0
                else:
                    assert value == close(mi / average(kind, a, b, a + b - mi), abs=1e-12)


@pytest.mark.parametrize("n", range(1, 7))
@pytest.mark.parametrize("kind", ["arithmetic", "geometric", "min", "max", "joint"])
def test_adjusted_mutual_information_equal_to_its_definition(n, kind):
    for truth in oracle.segmentations(n):
        for pred in oracle.segmentations(n):
            value = ss.adjusted_mutual_information(truth, pred, n=n, average=kind)
            if truth == pred:
                assert value == 1.0
                continue
            a, b, mi = oracle.entropy(truth, n), oracle.entropy(pred, n), oracle.mutual_information(truth, pred, n)
            expected = oracle.expected_mutual_information(truth, pred, n)
            room = average(kind, a, b, a + b - mi) - expected
            assert value == (close((mi - expected) / room, abs=1e-9) if abs(room) > 1e-12 else 0.0)


@pytest.mark.filterwarnings("ignore:The number of unique classes")
@given(st.data())
def test_equal_to_scikit_learn(data):
    metrics = pytest.importorskip("sklearn.metrics")
    n = data.draw(st.integers(2, 300))
    cuts = st.sets(st.integers(1, n - 1), max_size=20).map(sorted)
    truth, pred = data.draw(cuts), data.draw(cuts)
    labels = ss.Segmentation(truth, n=n).to_labels(), ss.Segmentation(pred, n=n).to_labels()
    assert ss.mutual_information(truth, pred, n=n) == close(max(0, metrics.mutual_info_score(*labels)), abs=1e-12)
    assert ss.homogeneity(truth, pred, n=n) == close(metrics.homogeneity_score(*labels), abs=1e-9)
    for beta in (0.5, 1.0, 3.0):
        assert ss.v_measure(truth, pred, n=n, beta=beta) == close(metrics.v_measure_score(*labels, beta=beta), abs=1e-9)
    if truth != pred and max(len(truth), len(pred)) < n - 1:  # singletons are 0 / 0, which they round to 0 or 1
        for kind in ("arithmetic", "geometric", "min", "max"):
            theirs = metrics.normalized_mutual_info_score(*labels, average_method=kind)
            assert ss.normalized_mutual_information(truth, pred, n=n, average=kind) == close(theirs, abs=1e-9)
            theirs = metrics.adjusted_mutual_info_score(*labels, average_method=kind)
            assert ss.adjusted_mutual_information(truth, pred, n=n, average=kind) == close(theirs, abs=1e-7)


@given(st.data())
def test_within_their_error_of_more_digits(data):
    n = data.draw(st.integers(2, 300) | st.integers(2, 10**9))
    cuts = st.sets(st.integers(1, n - 1), max_size=20).map(sorted)
    truth, pred = data.draw(cuts), data.draw(cuts)
    mutual, normalized, homogeneity, completeness, v_measure = map(
        float, oracle.information_by_decimals(truth, range(99), pred, range(99), n)
    )
    within = {"rel": 4 * sys.float_info.epsilon, "abs": 4 * sys.float_info.epsilon}
    assert ss.mutual_information(truth, pred, n=n) == close(mutual, **within)
    assert ss.normalized_mutual_information(truth, pred, n=n) == close(normalized, **within)
    assert ss.homogeneity(truth, pred, n=n) == close(homogeneity, **within)
    assert ss.completeness(truth, pred, n=n) == close(completeness, **within)
    assert ss.v_measure(truth, pred, n=n) == close(v_measure, **within)


def test_nearly_nothing_in_common_keeps_its_digits():
    # By exact arithmetic; the difference of the plain sums is off from the 12th digit on.
    value = ss.completeness([6000, 12000], [1], n=18000)
    assert value == close(0.101746411292307544252689, rel=2e-13)


def test_the_running_example_and_bad_parameters():
    assert ss.normalized_mutual_information([3, 8], [4, 8], n=10, average="geometric") == close(0.772127, abs=5e-7)
    with pytest.raises(
        ValueError, match="average = 'mean' is unknown; expected one of arithmetic, geometric, min, max, joint"
    ):
        ss.normalized_mutual_information([3], [4], n=10, average="mean")
    for base in (0, 1, -2, 0.5, float("inf"), float("nan")):
        with pytest.raises(ValueError, match="is not a base of a logarithm; expected more than 1"):
            ss.variation_of_information([3], [4], n=10, base=base)
    with pytest.raises(ValueError, match=r"beta = -1\.0 is negative or not a number; expected 0 or more"):
        ss.v_measure([3], [4], n=10, beta=-1)


def test_very_unequal_segments():
    assert ss.adjusted_mutual_information([1], [2], n=10**14) == pytest.approx(0.65, abs=0.01)
    assert ss.v_measure([], [3], n=10, beta=0) == ss.v_measure([3], [], n=10, beta=0) == 0


def test_a_large_n_costs_nothing_but_the_adjusted_one():
    assert ss.mutual_information([10**18 // 2], [10**18 // 2], n=10**18) == close(math.log(2))
    assert ss.adjusted_mutual_information([10**6], [10**6 + 5], n=2 * 10**6) == close(1, abs=1e-3)


def entropies_by_decimals(truth, pred, n):
    """The entropies of each and of both together, with 60 digits."""
    sides = truth, pred, sorted({*truth, *pred})
    return [oracle.entropy_by_decimals([end - start for start, end in oracle.segments(side, n)], 60) for side in sides]


@given(st.data())
def test_a_few_points_of_very_many_keep_their_share(data):
    n = data.draw(st.sampled_from([2**53 + 1, 2**56, 2**62, 2**63 - 1]))
    near = st.integers(1, 40) | st.integers(1, 40).map(lambda c: n - c) | st.integers(1, n - 1)
    truth, pred = (sorted(data.draw(st.sets(near, max_size=4))) for _ in range(2))
    of_truth, of_pred, joint = entropies_by_decimals(truth, pred, n)
    found = ss.entropies(truth, pred, n=n)
    assert found.truth == pytest.approx(float(of_truth), rel=1e-13)
    assert found.pred == pytest.approx(float(of_pred), rel=1e-13)
    variation = float(joint - of_truth + (joint - of_pred))
    assert ss.variation_of_information(truth, pred, n=n) == pytest.approx(variation, rel=1e-13)
    mutual = float(of_truth + of_pred - joint)
    assert ss.mutual_information(truth, pred, n=n) == pytest.approx(mutual, rel=1e-12, abs=1e-15 * float(joint))


def test_the_adjusted_one_beyond_doubles():
    # E by its two terms, exact: one point of the truth's first segment is in the prediction's two, or in the rest.
    n = 2**53 + 1
    with localcontext() as context:
        context.prec = 80

        def log(x):
            return (Decimal(x.numerator) / Decimal(x.denominator)).ln()

        sizes = [1, n - 1], [2, n - 2]
        expected = Decimal(0)
        for x, y in product(*sizes):
            for k in range(max(1, x + y - n), min(x, y) + 1) if min(x, y) < 9 else (n - 3, n - 2):
                chance = Fraction(comb(x, k) * comb(n - x, y - k), n * (n - 1) // 2 if 2 in (y, n - y) else n)
                share = Decimal(chance.numerator) / Decimal(chance.denominator) * k / n
                expected += share * log(Fraction(k * n, x * y))
        of_truth, of_pred, joint = entropies_by_decimals([1], [2], n)
        adjusted = (of_truth + of_pred - joint - expected) / ((of_truth + of_pred) / 2 - expected)
    assert ss.adjusted_mutual_information([1], [2], n=n) == pytest.approx(float(adjusted), rel=1e-9)
    assert ss.adjusted_mutual_information([], [], n=2**63 - 1) == 1.0


def test_bases():
    for base in (2, 2.0, np.int64(2), np.float32(2), Fraction(2)):
        assert ss.variation_of_information([3], [5], n=9, base=base) == ss.variation_of_information(
            [3], [5], n=9, base=2
        )
    for base in ("2", None, True):
        with pytest.raises(TypeError, match="expected a number"):
            ss.variation_of_information([3], [5], n=9, base=base)
