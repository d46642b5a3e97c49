"""Curves over penalties: the numbers of penaltyLearning's own tests, and the errors at every factor."""

import math
import pickle
import re

import numpy as np
import oracle
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_regions import REGIONS, annotated

import segscore as ss
from segscore.analysis import penalty_paths, region_tables
from segscore.charts.settings import numeric_parameters
from segscore.charts.thresholds import roc_rows

close = pytest.approx
PAIR = [(6, 8, ">0changes"), (2, 6, "normal")]  # cut 7 is a true positive, cut 4 a false positive


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
    assert [point[1:5] for point in curve.points] == [(1, 3, 1.0, 0.0), (0, 0, 0.0, 1.0)]


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
            errors = oracle.region_errors(regions[name], chosen[-1])
            sums = [sums[0] + errors[0], sums[1] + errors[1]]
        point = [p for p in curve.points if p.factor <= factor][-1]
        assert [point.false_positives, point.false_negatives] == sums


def test_the_areas_of_a_curve():
    paths = {"a": [(1, [3, 7]), (10, [7]), (100, [])]}
    curve = ss.label_roc(paths, {"a": REGIONS}, n={"a": 20})
    assert [point[:3] for point in curve.points] == [(0, 1, 0), (10, 0, 0), (100, 0, 1)]
    assert (curve.auc, curve.aum, curve.best.factor) == (1.0, 0.0, 10)
    tied = ss.label_roc({"a": [(1, [3, 7]), (10, [])]}, {"a": REGIONS}, n={"a": 20})
    assert [point[:3] for point in tied.points] == [(0, 1, 0), (10, 0, 1)]
    assert tied.best == tied.points[0]
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


def test_a_path_may_begin_with_the_penalty_0():
    # penaltyLearning's modelSelection gives the model with the most changes from the penalty 0 on.
    from_zero = ss.label_roc({"a": [(0, [3, 7]), (10, [7])]}, {"a": REGIONS}, n={"a": 20})
    assert from_zero == ss.label_roc({"a": [(1, [3, 7]), (10, [7])]}, {"a": REGIONS}, n={"a": 20})


@given(st.lists(annotated(), min_size=1, max_size=4), st.data())
def test_logarithms_of_penalties_give_the_same_curve(cases, data):
    # Powers of two, so that quotients and differences tie alike.
    exponents = st.integers(-20, 20)
    names = [str(k) for k in range(len(cases))]
    regions = {name: case[0] for name, case in zip(names, cases, strict=True)}
    n = {name: case[2] for name, case in zip(names, cases, strict=True)}
    powers = {name: data.draw(exponents) for name in names}
    paths = {name: [(k - 1, cuts) for k, cuts in enumerate(case[1])] for name, case in zip(names, cases, strict=True)}
    curve = ss.label_roc(
        {name: [(2.0**k, cuts) for k, cuts in path] for name, path in paths.items()},
        regions,
        n=n,
        predicted={name: 2.0**k for name, k in powers.items()},
    )
    for scale in (0.5, 2.0**300):  # the curve depends on the order of the factors alone
        logs = ss.label_roc(
            {name: [(k * scale, cuts) for k, cuts in path] for name, path in paths.items()},
            regions,
            n=n,
            predicted={name: k * scale for name, k in powers.items()},
            log_penalty=True,
        )
        assert [str(point[1:5]) for point in logs.points] == [str(point[1:5]) for point in curve.points]
        assert logs.aum == close(curve.aum / math.log(2) * scale)
        assert logs.auc == close(curve.auc, nan_ok=True)


def test_logarithms_beyond_every_float():
    paths = {"a": [(-math.inf, [3, 7]), (-2000, [4]), (2000, [7]), (5000, [])]}
    curve = ss.label_roc(paths, {"a": REGIONS}, n={"a": 20}, log_penalty=True)
    assert [point.log_factor for point in curve.points] == [-math.inf, -2000, 2000, 5000]
    assert [point.factor for point in curve.points] == [0, 0, math.inf, math.inf]
    assert curve.aum == 4000 and curve.best.log_factor == 2000
    assert str(curve).splitlines()[0].endswith("fewest errors 0 from factor exp(2000)")
    assert str(curve).splitlines()[2].split()[0] == "0" and str(curve).splitlines()[3].split()[0] == "exp(-2000)"
    shifted = ss.label_roc(paths, {"a": REGIONS}, n={"a": 20}, predicted={"a": 2000}, log_penalty=True)
    assert [point.factor for point in shifted.points] == [0, 0, 1, math.inf] and shifted.aum == 4000


def test_a_curve_in_time_is_that_in_points():
    paths = {"a": [(1, [3, 7]), (10, [7]), (100, [])], "b": [(2, [4]), (5, [4, 7])]}
    regions = {"a": REGIONS, "b": PAIR}
    in_points = ss.label_roc(paths, regions, n={"a": 20, "b": 20})
    halves = {name: [(penalty, [cut / 2 for cut in cuts]) for penalty, cuts in path] for name, path in paths.items()}
    scaled = {name: [(start / 2, end / 2, kind) for start, end, kind in own] for name, own in regions.items()}
    assert ss.label_roc(halves, scaled, duration={"a": 10.0, "b": 10.0}) == in_points


LENGTHS = "expected one of them, with the length of each series"


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
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
            lambda: ss.label_roc({"a": [(-1, [])]}, {"a": []}, n={"a": 9}),
            ValueError,
            "series 'a': penalty = -1 is out of range; expected 0 or a number from 1e-150 to 1e+150; for logarithms of penalties use log_penalty=True",
        ),
        (
            lambda: ss.label_roc({"a": [(1, [])]}, {"a": []}, n={"a": 9}, predicted={"a": 0}),
            ValueError,
            "series 'a': penalty = 0 is out of range; expected a number from 1e-150 to 1e+150; for logarithms of penalties use log_penalty=True",
        ),
        (  # the quotient of this penalty and another one would be 0
            lambda: ss.label_roc({"a": [(1e-300, [])]}, {"a": []}, n={"a": 9}, predicted={"a": 1e100}),
            ValueError,
            "series 'a': penalty = 1e-300 is out of range; expected 0 or a number from 1e-150 to 1e+150; for logarithms of penalties use log_penalty=True",
        ),
        (
            lambda: ss.label_roc({"a": [(1, [])]}, {"a": []}, n={"a": 9}, predicted={"a": -math.inf}, log_penalty=True),
            ValueError,
            "series 'a': log penalty = -inf is out of range; expected a number from -1e+150 to 1e+150",
        ),
        (
            lambda: ss.label_roc({"a": [(math.inf, [])]}, {"a": []}, n={"a": 9}, log_penalty=True),
            ValueError,
            "series 'a': log penalty = inf is out of range; expected -inf or a number from -1e+150 to 1e+150",
        ),
        (
            lambda: ss.label_roc({"a": [(1, [])]}, {"a": []}, n={"a": 9}, log_penalty="yes"),
            TypeError,
            "log_penalty = 'yes' is a str; expected True or False",
        ),
        (
            lambda: ss.label_roc({"a": [(10**400, [])]}, {"a": []}, n={"a": 9}),
            ValueError,
            f"series 'a': penalty = {10**39} is out of range; expected 0 or a number from 1e-150 to 1e+150; for logarithms of penalties use log_penalty=True",
        ),
        (
            lambda: ss.label_roc({"a": [("1", [])]}, {"a": []}, n={"a": 9}),
            TypeError,
            "series 'a': penalty = '1' is a str; expected 0 or a number from 1e-150 to 1e+150",
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
        (
            lambda: ss.label_roc({"a": [(1, [])]}, {"a": []}),
            TypeError,
            f"n= and duration= are both missing; {LENGTHS}",
        ),
        (
            lambda: ss.label_roc({"a": [(1, [])]}, {"a": []}, n={"a": 9}, duration={"a": 9.0}),
            TypeError,
            f"n= and duration= exclude each other; {LENGTHS}",
        ),
        (
            lambda: ss.label_roc({"a": [(1, [])]}, {"a": []}, duration={}),
            ValueError,
            "series 'a' has no length; expected duration= of each series of paths",
        ),
        (
            lambda: ss.label_roc({"a": [(1, [])]}, {"a": []}, n={"a": None}),
            TypeError,
            "series 'a', penalty 1.0: pred has no length; expected n= or duration=, or a Segmentation",
        ),
    ],
)
def test_wrong_arguments(call, error, message):
    with pytest.raises(error, match=f"^{re.escape(message)}$"):
        call()


def test_results():
    curve = ss.label_roc({"a": [(1, [3, 7]), (10, [])]}, {"a": REGIONS}, n={"a": 20})
    assert pickle.loads(pickle.dumps(curve)) == curve
    assert curve.to_polars().row(1) == (10.0, 0, 1, 0.0, 0.0, math.log(10))
    assert curve.to_dict()["auc"] == curve.auc


def test_a_flag_of_numpy_is_a_flag():
    found = ss.label_roc({"a": [(0, [3]), (1, [])]}, {"a": [(2, 4, "1change")]}, n={"a": 9}, log_penalty=np.True_)
    assert (
        found.points
        == ss.label_roc({"a": [(0, [3]), (1, [])]}, {"a": [(2, 4, "1change")]}, n={"a": 9}, log_penalty=True).points
    )
    with pytest.raises(ValueError, match=r"^series 'a' has the log penalty 1\.0 twice; expected each penalty once$"):
        ss.label_roc({"a": [(1, [3]), (1, [])]}, {"a": [(2, 4, "1change")]}, n={"a": 9}, log_penalty=True)


def test_charts_show_factors_beyond_every_float():
    paths = {"a": [(-math.inf, [3]), (-4000, []), (4000, [3, 5])]}
    curve = ss.label_roc(paths, {"a": [(2, 4, "1change"), (4, 6, "0changes")]}, n={"a": 9}, log_penalty=True)
    rows, _ = roc_rows({"x": curve})
    assert [row["factor"] for row in rows] == ["0", "exp(-4000)", "exp(4000)"]


def test_text_of_a_table_that_is_nested_too_deeply_is_refused():
    deep = "[" * 100_000
    with pytest.raises(ValueError, match="is not a JSON object"):
        penalty_paths._setting(deep)
    with pytest.raises(ValueError, match="is not JSON"):
        region_tables._decoded(deep)
    assert numeric_parameters(pl.DataFrame({"params": [deep]})) == []
