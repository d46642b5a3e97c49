"""Annotated regions: the rows of penaltyLearning's own test, the definition by counting, and curves over penalties."""

import itertools
import math
import pickle
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import segscore as ss

close = pytest.approx
REGIONS = [(6, 8, "1change"), (2, 6, "0changes")]
KINDS = {"0changes": (0, 0), "1change": (1, 1), ">0changes": (1, math.inf), "normal": (0, 0)}
KINDS["breakpoint"] = (1, math.inf)


@pytest.mark.parametrize(
    ("cuts", "false_positives", "false_negatives"), [([], 0, 1), ([1], 0, 1), ([1, 7], 0, 0), ([6, 11, 17], 1, 1)]
)
def test_the_rows_of_penaltylearning(cuts, false_positives, false_negatives):
    found = ss.label_error(REGIONS, cuts, n=20)
    assert (found.false_positives, found.false_negatives) == (false_positives, false_negatives)
    assert (found.possible_false_positives, found.possible_false_negatives) == (2, 1)
    assert found.error_rate == (false_positives + false_negatives) / 2


def test_two_cuts_in_a_region_are_one_error():
    assert ss.label_error([(6, 8, "1change")], [7, 8], n=20).errors == 1
    assert ss.label_error([(6, 8, ">0changes")], [7, 8, 15], n=20).errors == 0
    assert ss.label_error([], [7], n=20).errors == 0 and math.isnan(ss.label_error([], [7], n=20).error_rate)


@st.composite
def annotated(draw):
    n = draw(st.integers(2, 60))
    ends = sorted(draw(st.sets(st.integers(0, n), min_size=2, max_size=12)))
    pairs = [pair for pair in itertools.pairwise(ends) if draw(st.booleans())]
    regions = [(*pair, draw(st.sampled_from(list(KINDS)))) for pair in pairs]
    cuts = st.sets(st.integers(1, n - 1), max_size=20).map(sorted)
    return draw(st.permutations(regions)), draw(st.lists(cuts, min_size=1, max_size=5)), n


def counted(regions, cuts):
    """(false positives, false negatives) by counting the cuts of each region."""
    numbers = [(sum(start < cut <= end for cut in cuts), *KINDS[kind]) for start, end, kind in regions]
    return sum(count > most for count, _, most in numbers), sum(count < least for count, least, _ in numbers)


@given(annotated())
def test_errors_by_the_definition(case):
    regions, (cuts, *_), n = case
    found = ss.label_error(regions, cuts, n=n)
    assert (found.false_positives, found.false_negatives) == counted(regions, cuts)
    assert [row[:3] for row in found.rows] == sorted(regions)
    scaled = [(start / 8, end / 8, kind) for start, end, kind in regions]
    assert counted(scaled, [cut / 8 for cut in cuts]) == counted(regions, cuts)
    in_time = ss.label_error(scaled, [cut / 8 for cut in cuts], duration=n / 8)
    assert [row.cuts for row in in_time.rows] == [row.cuts for row in found.rows]


@given(st.lists(annotated(), min_size=1, max_size=4), st.data())
def test_a_curve_has_the_errors_of_every_factor(cases, data):
    penalty = st.sampled_from([0.5, 1.0, 2.0, 3.0, 8.0])
    names = [str(k) for k in range(len(cases))]
    paths, predicted = {}, {}
    for name, (_, models, _) in zip(names, cases, strict=True):
        paths[name] = list(zip(range(1, len(models) + 1), models, strict=True))
        predicted[name] = data.draw(penalty)
    regions = {name: case[0] for name, case in zip(names, cases, strict=True)}
    curve = ss.label_roc(paths, regions, n={k: c[2] for k, c in zip(names, cases, strict=True)}, predicted=predicted)
    factors = [point.factor for point in curve.points]
    assert factors == sorted(set(factors)) and factors[0] == 0
    for factor in {*factors, *(f * 1.01 for f in factors), 0.001, 1.0, 100.0}:
        sums = [0, 0]
        for name in names:
            at = factor * predicted[name]
            chosen = [cuts for start, cuts in paths[name] if start / predicted[name] <= factor or start == 1]
            assert at >= 0
            errors = counted(regions[name], chosen[-1])
            sums = [sums[0] + errors[0], sums[1] + errors[1]]
        point = [p for p in curve.points if p.factor <= factor][-1]
        assert [point.false_positives, point.false_negatives] == sums


def test_the_areas_of_a_curve():
    paths = {"a": [(1, [3, 7]), (10, [7]), (100, [])]}
    curve = ss.label_roc(paths, {"a": REGIONS}, n={"a": 20})
    assert [point[:3] for point in curve.points] == [(0, 1, 0), (10, 0, 0), (100, 0, 1)]
    assert (curve.auc, curve.aum, curve.best.factor) == (1.0, 0.0, 10)
    # Both errors between two penalties: their minimum is 1 there, over the logarithm of the factor.
    both = ss.label_roc({"a": [(1, [7]), (2, [4]), (6, [7])]}, {"a": REGIONS}, n={"a": 20})
    assert both.aum == close(math.log(3))
    assert ss.label_roc({"a": [(1, [4])]}, {"a": REGIONS}, n={"a": 20}).aum == math.inf
    for ends in ([(1, [4]), (2, [7])], [(1, [7]), (2, [4])]):  # both errors remain at one end
        assert ss.label_roc({"a": ends}, {"a": REGIONS}, n={"a": 20}).aum == math.inf
    # A curve that goes back and forth: its area may leave [0, 1].
    assert both.auc == close(0.5 + 0.5)
    one = ss.label_roc({"a": [(5, [7])]}, {"a": [(6, 8, ">0changes")]}, n={"a": 20})
    assert math.isnan(one.points[0].false_positive_rate) and math.isnan(one.auc)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: ss.label_error([(2, 6)], [3], n=9),
            TypeError,
            "regions[0] = (2, 6) is not a region; expected (start, end, kind)",
        ),
        (
            lambda: ss.label_error([(2, 6, "two")], [3], n=9),
            ValueError,
            "regions[0] has the kind 'two'; expected one of 0changes, 1change, >0changes, normal, breakpoint",
        ),
        (
            lambda: ss.label_error([(6, 6, "1change")], [3], n=9),
            ValueError,
            "regions[0] ends at 6 and starts at 6; expected an end after the start",
        ),
        (
            lambda: ss.label_error([(5, 9, "1change"), (2, 6, "1change")], [3], n=9),
            ValueError,
            "regions has a region from 5 that overlaps the region from 2 to 6; expected regions that do not overlap",
        ),
        (
            lambda: ss.label_error([(2.5, 6, "1change")], [3], n=9),
            TypeError,
            "regions[0] goes from 2.5 to 6; expected integers (or duration= for real-valued time)",
        ),
        (
            lambda: ss.label_error([("a", 6, "1change")], [3.0], duration=9),
            TypeError,
            "regions[0] goes from 'a' to 6; expected numbers",
        ),
        (lambda: ss.label_roc({}, {}, n={}), ValueError, "paths is empty; expected at least one series"),
        (
            lambda: ss.label_roc({"a": []}, {"a": []}, n={"a": 9}),
            ValueError,
            "paths['a'] is empty; expected at least one penalty with its cuts",
        ),
        (
            lambda: ss.label_roc({"a": [(1, [])]}, {}, n={"a": 9}),
            ValueError,
            "series 'a' has no regions; expected regions of each series of paths",
        ),
        (
            lambda: ss.label_roc({"a": [(0, [])]}, {"a": []}, n={"a": 9}),
            ValueError,
            "series 'a' has the penalty 0; expected a positive number",
        ),
        (
            lambda: ss.label_roc({"a": [(1, [])]}, {"a": []}, n={}),
            ValueError,
            "series 'a' has no length; expected n= of each series of paths",
        ),
        (
            lambda: ss.label_roc({"a": [(1, [])]}, {"a": []}, n={"a": 9}, predicted={}),
            ValueError,
            "series 'a' has no predicted penalty; expected predicted= of each series of paths",
        ),
    ],
)
def test_wrong_arguments(call, error, message):
    with pytest.raises(error, match=f"^{re.escape(message)}$"):
        call()


def test_results():
    found = ss.label_error(REGIONS, [6], n=20)
    curve = ss.label_roc({"a": [(1, [3, 7]), (10, [])]}, {"a": REGIONS}, n={"a": 20})
    for result in (found, curve):
        assert pickle.loads(pickle.dumps(result)) == result
    assert found.to_polars().row(0) == (2.0, 6.0, "0changes", 1, True, False)
    assert curve.to_polars().row(1) == (10.0, 0, 1, 0.0, 0.0)
    assert found.to_dict()["false_positives"] == 1 and curve.to_dict()["auc"] == curve.auc
