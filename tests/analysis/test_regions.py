"""Annotated regions: the rows of penaltyLearning's own test, and the definition by counting."""

import itertools
import math
import pickle
import re

import oracle
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import segscore as ss

close = pytest.approx
REGIONS = [(6, 8, "1change"), (2, 6, "0changes")]


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


def test_a_region_may_begin_before_the_series_and_end_behind_it():
    assert ss.label_error([(-9, 4, "1change"), (8, 99, "0changes")], [1], n=9).errors == 0


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


@st.composite
def annotated(draw):
    n = draw(st.integers(2, 60))
    ends = sorted(draw(st.sets(st.integers(0, n), min_size=2, max_size=12)))
    pairs = [pair for pair in itertools.pairwise(ends) if draw(st.booleans())]
    regions = [(*pair, draw(st.sampled_from(list(oracle.KINDS_OF_REGIONS)))) for pair in pairs]
    cuts = st.sets(st.integers(1, n - 1), max_size=20).map(sorted)
    return draw(st.permutations(regions)), draw(st.lists(cuts, min_size=1, max_size=5)), n


@given(annotated())
def test_errors_by_the_definition(case):
    regions, (cuts, *_), n = case
    found = ss.label_error(regions, cuts, n=n)
    assert (found.false_positives, found.false_negatives) == oracle.region_errors(regions, cuts)
    assert [row[:3] for row in found.rows] == sorted(regions)
    scaled = [(start / 8, end / 8, kind) for start, end, kind in regions]
    assert oracle.region_errors(scaled, [cut / 8 for cut in cuts]) == oracle.region_errors(regions, cuts)
    in_time = ss.label_error(scaled, [cut / 8 for cut in cuts], duration=n / 8)
    assert [row.cuts for row in in_time.rows] == [row.cuts for row in found.rows]


REGION = "expected (start, end, kind) or (start, end, kind, weight)"
EVERY_KIND = (
    "'0changes', '0breakpoints', 'normal', '1change', '1breakpoint', '>0changes', '>0breakpoints' or 'breakpoint'"
)


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
            "the weight of regions[0] = 0 is out of range; expected a positive number up to 1e60",
        ),
        (
            lambda: ss.label_error([(2, 6, "normal", math.nan)], [3], n=9),
            ValueError,
            "the weight of regions[0] = nan is not a number; expected a positive number up to 1e60",
        ),
        (
            lambda: ss.label_error([(2, 6, "normal", 1e61)], [3], n=9),
            ValueError,
            "the weight of regions[0] = 1e+61 is out of range; expected a positive number up to 1e60",
        ),
        (
            lambda: ss.label_error([(2, 6, "normal", "x")], [3], n=9),
            TypeError,
            "the weight of regions[0] = 'x' is a str; expected a positive number up to 1e60",
        ),
        (
            lambda: ss.label_error([(2, 6, "two")], [3], n=9),
            ValueError,
            f"the kind of regions[0] = 'two' is unknown; expected {EVERY_KIND}",
        ),
        (
            lambda: ss.label_error([(2, 6, ["normal"])], [3], n=9),
            ValueError,
            f"the kind of regions[0] = ['normal'] is unknown; expected {EVERY_KIND}",
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
        (
            lambda: ss.label_error([(9, 12, "1change")], [3], n=9),
            ValueError,
            "a region goes from 9 to 12, which is outside the series; expected regions between 0 and n = 9",
        ),
        (
            lambda: ss.label_error([(-2.5, 0, "normal")], ss.Segmentation([3.5], duration=9)),
            ValueError,
            "a region goes from -2.5 to 0.0, which is outside the series; expected regions between 0 and duration = "
            "9.0",
        ),
        (
            lambda: ss.label_error([(2, 6, "normal")], [3]),
            TypeError,
            "pred has no length; expected n= or duration=, or a Segmentation",
        ),
    ],
)
def test_wrong_arguments(call, error, message):
    with pytest.raises(error, match=f"^{re.escape(message)}$"):
        call()


def test_results():
    found = ss.label_error(REGIONS, [6], n=20)
    assert pickle.loads(pickle.dumps(found)) == found
    assert found.to_polars().row(0) == (2.0, 6.0, "0changes", 1, True, False, 1.0)
    assert found.to_dict()["false_positives"] == 1
    # Positions on a chromosome are shown in full.
    far = ss.label_error([(1234567, 2345678, "normal", 1234567)], [1500000], n=9999999)
    assert repr(far).split("\n") == [
        "1234567 errors in 1 region: 1234567 of 1234567 false positives, 0 of 0 false negatives",
        "region              kind     weight  cuts  verdict",
        "(1234567, 2345678]  normal  1234567     1  false positive",
    ]
