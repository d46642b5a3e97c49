"""Annotated regions: the rows of penaltyLearning's own test, the definition by counting, and curves over penalties."""

import itertools
import math
import pickle
import re

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import segscore as ss

close = pytest.approx
REGIONS = [(6, 8, "1change"), (2, 6, "0changes")]
KINDS = {
    **{
        "0changes": (0, 0),
        "1change": (1, 1),
        ">0changes": (1, math.inf),
        "normal": (0, 0),
        "breakpoint": (1, math.inf),
    },
    **{"0breakpoints": (0, 0), "1breakpoint": (1, 1), ">0breakpoints": (1, math.inf)},
}
PAIR = [(6, 8, ">0changes"), (2, 6, "normal")]  # cut 7 is a true positive, cut 4 a false positive


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


def test_an_error_counts_with_the_weight_of_its_region():
    # As penaltyLearning's labelError: the weights of errors, of possible errors and of all regions are summed.
    regions = [(6, 8, "1change", 2.5), {"start": 2, "end": 6, "kind": "0changes"}, (9, 12, ">0changes", 0.1)]
    found = ss.label_error(regions, [3, 11], n=20)
    assert (found.false_positives, found.false_negatives, found.errors) == (1, 2.5, 3.5)
    assert (found.possible_false_positives, found.possible_false_negatives) == (3.5, 2.6)
    assert found.error_rate == close(3.5 / 3.6)
    assert [row.weight for row in found.rows] == [1, 2.5, 0.1]
    assert repr(found).split("\n")[1:3] == [
        "region   kind       weight  cuts  verdict",
        "(2, 6]   0changes        1     1  false positive",
    ]
    twice = [(*region, 2) for region in REGIONS]
    for cuts in ([], [1, 7], [6, 11, 17], [3, 7, 8]):
        plain, double = ss.label_error(REGIONS, cuts, n=20), ss.label_error(twice, cuts, n=20)
        assert double.errors == 2 * plain.errors and double.error_rate == plain.error_rate
        assert type(plain.errors) is type(double.errors) is int


def test_weights_of_a_curve_do_not_round():
    # 0.1 + 0.2 - 0.1 - 0.2 is not 0 in floating point, and a remainder would make the area infinite.
    weighted = {name: [(6, 8, ">0changes", w), (2, 6, "normal", w)] for name, w in (("a", 0.1), ("b", 0.2), ("c", 0.7))}
    paths = {name: [(1, [4, 7]), (k + 2, []), (k + 9, [7]), (90, [])] for k, name in enumerate(weighted)}
    curve = ss.label_roc(paths, weighted, n=dict.fromkeys(weighted, 20))
    assert curve.aum < math.inf
    assert [point.false_negatives for point in curve.points if point.factor in (0, 11)] == [0, 0]
    assert curve.points[-1].true_positive_rate == 0 and curve.points[0].false_positive_rate == 1
    heavy = [(6, 8, ">0changes", 3), (2, 6, "normal")]
    curve = ss.label_roc({"a": [(1, [4]), (2, [7])]}, {"a": heavy}, n={"a": 20})
    assert [point[1:] for point in curve.points] == [(1, 3, 1.0, 0.0), (0, 0, 0.0, 1.0)]


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
    ("cuts", "area"),
    [
        ([[], [7], [4, 7], [4], [], [7], [4, 7]], 2),  # a curve with one loop
        ([[], [7], [4, 7]], 1),  # a curve in the reverse direction
        ([[4, 7], [7], []], 1),
        ([[7], [7, 17], [4, 7, 17]], 1),  # a curve in the reverse direction that lacks both ends
        ([[4, 7], [4, 17]], 0.5),  # one point that is joined to both ends
    ],
)
def test_the_areas_of_penaltylearning(cuts, area):
    further = [(start + 10, end + 10, kind) for start, end, kind in PAIR] if 17 in cuts[1] else []
    curve = ss.label_roc({"a": list(enumerate(cuts, 1))}, {"a": [*PAIR, *further]}, n={"a": 20})
    assert curve.auc == close(area)
    shuffled = list(reversed(list(enumerate(cuts, 1))))
    assert ss.label_roc({"a": shuffled}, {"a": [*PAIR, *further]}, n={"a": 20}) == curve


def test_the_ties_and_weights_of_penaltylearning():
    # Its test: three positive and three negative regions, of which one pair changes at the same penalty.
    regions, paths = {}, {}
    for k, at in enumerate((1, 2, 3)):  # a cut in a region with a change is lost at the penalty e^at
        regions[f"p{k}"], paths[f"p{k}"] = [(6, 8, "breakpoint")], [(0.1, [7]), (math.exp(at), [])]
    for k, at in enumerate((1, 0, -1)):
        regions[f"n{k}"], paths[f"n{k}"] = [(6, 8, "normal")], [(0.1, [7]), (math.exp(at), [])]
    n = dict.fromkeys(paths, 20)
    tied = ss.label_roc(paths, regions, n=n)
    assert [point.false_negatives for point in tied.points] == [0, 0, 0, 1, 2, 3]
    assert [point.false_positives for point in tied.points] == [3, 2, 1, 0, 0, 0]
    assert tied.auc == close(17 / 18)
    worse = {name: [(*own[0], 2 if name[0] == "p" else 1)] for name, own in regions.items()}
    weighted = ss.label_roc(paths, worse, n=n)
    assert [point.false_negatives for point in weighted.points] == [0, 0, 0, 2, 4, 6]
    assert weighted.auc == close(17 / 18) and weighted.points[3].true_positive_rate == close(2 / 3)


def test_the_area_under_the_minimum_of_penaltylearning():
    e = math.e
    regions = {"1": [(2, 6, "normal")], "2": [(6, 8, "breakpoint")]}
    paths = {
        "1": [(0.01, [4]), (1 / e, []), (1, [4]), (e, [])],
        "2": [(0.01, [7]), (1 / e, []), (1, [7]), (e, [])],
    }
    curve = ss.label_roc(paths, regions, n={"1": 20, "2": 20}, predicted={"1": e, "2": 1})
    assert curve.aum == close(1)
    paths = {"1": [(0.01, [4]), (1, [])], "2": [(0.01, [7]), (1, [])]}
    for predicted in ({"1": 1, "2": 1}, {"1": e, "2": 1 / e}):
        assert ss.label_roc(paths, regions, n={"1": 20, "2": 20}, predicted=predicted).aum == 0


REGION = "expected (start, end, kind) or (start, end, kind, weight)"
EVERY_KIND = "0changes, 0breakpoints, normal, 1change, 1breakpoint, >0changes, >0breakpoints, breakpoint"


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: ss.label_error([(2, 6)], [3], n=9), TypeError, f"regions[0] = (2, 6) is not a region; {REGION}"),
        (lambda: ss.label_error([3], [3], n=9), TypeError, f"regions[0] = 3 is not a region; {REGION}"),
        (lambda: ss.label_error(None, [3], n=9), TypeError, f"regions is NoneType; {REGION} for each region"),
        (lambda: ss.label_error("abc", [3], n=9), TypeError, f"regions is str; {REGION} for each region"),
        (
            lambda: ss.label_error(pl.DataFrame({"start": [2], "end": [6], "kind": ["normal"]}), [3], n=9),
            TypeError,
            f"regions is DataFrame; {REGION} for each region (of a table: .rows() in Polars, "
            ".to_records(index=False) in pandas)",
        ),
        (
            lambda: ss.label_error([{"start": 2, "end": 6}], [3], n=9),
            ValueError,
            "regions[0] has no kind; expected start, end, kind, and weight if regions have weights",
        ),
        (
            lambda: ss.label_error([{"start": 2, "end": 6, "kind": "normal", "w": 1}], [3], n=9),
            ValueError,
            "regions[0] has the name 'w'; expected start, end, kind, and weight if regions have weights",
        ),
        (
            lambda: ss.label_error([(2, 6, "normal", 0)], [3], n=9),
            ValueError,
            "the weight of regions[0] = 0 is out of range; expected a positive number",
        ),
        (
            lambda: ss.label_error([(2, 6, "normal", math.nan)], [3], n=9),
            ValueError,
            "the weight of regions[0] = nan is not a number; expected a positive number",
        ),
        (
            lambda: ss.label_error([(2, 6, "normal", "x")], [3], n=9),
            TypeError,
            "the weight of regions[0] = 'x' is a str; expected a positive number",
        ),
        (
            lambda: ss.label_error([(2, 6, "two")], [3], n=9),
            ValueError,
            f"regions[0] has the kind 'two'; expected one of {EVERY_KIND}",
        ),
        (
            lambda: ss.label_error([(2, 6, ["normal"])], [3], n=9),
            ValueError,
            f"regions[0] has the kind ['normal']; expected one of {EVERY_KIND}",
        ),
        (
            lambda: ss.label_error([(False, True, "normal")], [3], n=9),
            TypeError,
            "regions[0] goes from False to True; expected integers (or duration= for real-valued time)",
        ),
        (
            lambda: ss.label_error([(0, 2**63, "normal")], [3], n=9),
            ValueError,
            "regions[0] goes from 0 to 9223372036854775808; expected integers below 2**63",
        ),
        (
            lambda: ss.label_error([(0, 10**400, "normal")], [3.0], duration=9),
            ValueError,
            f"regions[0] goes from 0 to {10**39}; expected numbers below 1e308",
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
            "series 'a': penalty = 0 is out of range; expected a positive number",
        ),
        (
            lambda: ss.label_roc({"a": [("1", [])]}, {"a": []}, n={"a": 9}),
            TypeError,
            "series 'a': penalty = '1' is a str; expected a positive number",
        ),
        (
            lambda: ss.label_roc({"a": [(1, []), (1.0, [3])]}, {"a": []}, n={"a": 9}),
            ValueError,
            "series 'a' has the penalty 1.0 twice; expected each penalty once",
        ),
        (
            lambda: ss.label_roc({"a": [(1, [], 3)]}, {"a": []}, n={"a": 9}),
            TypeError,
            "paths['a'][0] = (1, [], 3) is not a pair; expected (penalty, cuts)",
        ),
        (
            lambda: ss.label_roc({"a": [(1, [30])]}, {"a": []}, n={"a": 9}),
            ValueError,
            "series 'a', penalty 1.0: pred[0] = 30 is outside 0 < cut < n = 9",
        ),
        (
            lambda: ss.label_roc({"a": [(1, [])]}, {"a": [], "b": []}, n={"a": 9}),
            ValueError,
            "series 'b' has regions but no path; expected a path of each such series",
        ),
        (
            lambda: ss.label_roc([(1, [])], {}, n={}),
            TypeError,
            "paths is list; expected a mapping from the names of series",
        ),
        (
            lambda: ss.label_roc({"a": [(1, [])]}, {}, n=9),
            TypeError,
            "n is int; expected a mapping from the names of series",
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
    assert found.to_polars().row(0) == (2.0, 6.0, "0changes", 1, True, False, 1.0)
    assert curve.to_polars().row(1) == (10.0, 0, 1, 0.0, 0.0)
    assert found.to_dict()["false_positives"] == 1 and curve.to_dict()["auc"] == curve.auc
