"""The overlap family: the slow definitions, the spec's numbers."""

from fractions import Fraction

import oracle
import pytest
from hypothesis import given
from hypothesis import strategies as st

import segscore as ss

close = pytest.approx


@pytest.mark.parametrize("n", range(0, 8))
def test_equal_to_the_definitions_on_every_pair_of_segmentations(n):
    for truth in oracle.segmentations(n):
        for pred in oracle.segmentations(n):
            there, back = oracle.covering(truth, pred, n), oracle.covering(pred, truth, n)
            assert ss.covering(truth, pred, n=n) == close(float(there), rel=1e-15)
            assert ss.covering(truth, pred, n=n, symmetric=True) == close(float((there + back) / 2), rel=1e-15)
            assert ss.mean_iou(truth, pred, n=n) == close(float(oracle.mean_iou(truth, pred, n)), rel=1e-15)
            coverage, purity = oracle.coverage(truth, pred, n), oracle.coverage(pred, truth, n)
            assert ss.coverage(truth, pred, n=n) == float(coverage)
            assert ss.purity(truth, pred, n=n) == float(purity)
            harmonic = 2 * coverage * purity / (coverage + purity)
            assert ss.purity_coverage_f1(truth, pred, n=n) == close(float(harmonic), rel=1e-15)
            precision, recall = oracle.b_cubed_precision(truth, pred, n), oracle.b_cubed_precision(pred, truth, n)
            assert ss.b_cubed_precision(truth, pred, n=n) == close(float(precision), rel=1e-14)
            assert ss.b_cubed_recall(truth, pred, n=n) == close(float(recall), rel=1e-14)
            f1 = 2 * precision * recall / (precision + recall)
            assert ss.b_cubed_f1(truth, pred, n=n) == close(float(f1), rel=1e-14)


@given(st.data())
def test_equal_to_the_definitions_on_longer_ones(data):
    n = data.draw(st.integers(2, 80))
    cuts = st.sets(st.integers(1, n - 1)).map(sorted)
    truth, pred = data.draw(cuts), data.draw(cuts)
    assert ss.covering(truth, pred, n=n) == close(float(oracle.covering(truth, pred, n)), rel=1e-14)
    assert ss.coverage(truth, pred, n=n) == close(float(oracle.coverage(truth, pred, n)), rel=1e-14)
    assert ss.purity(truth, pred, n=n) == close(float(oracle.coverage(pred, truth, n)), rel=1e-14)
    assert ss.mean_iou(truth, pred, n=n) == close(float(oracle.mean_iou(truth, pred, n)), rel=1e-14)
    assert ss.b_cubed_precision(truth, pred, n=n) == close(float(oracle.b_cubed_precision(truth, pred, n)), rel=1e-13)
    assert ss.b_cubed_recall(truth, pred, n=n) == close(float(oracle.b_cubed_precision(pred, truth, n)), rel=1e-13)


def test_the_numbers_of_the_field():
    assert ss.covering([5], [3], n=10) == close(0.65714, abs=5e-6)
    assert ss.covering([3], [5], n=10) == close(0.68)
    assert ss.coverage([5], [3], n=10) == ss.purity([5], [3], n=10) == 0.8
    assert ss.mean_iou([4, 8], [3, 8], n=10) == float(Fraction(17, 20))
