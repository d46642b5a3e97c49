"""Errors in annotated regions of all methods and series of a table, and their curves over penalties."""

import json
import math
import pickle
import re

import polars as pl
import pytest

import segscore as ss

REGIONS = pl.DataFrame(
    {
        "series": ["a", "a", "b"],
        "start": [6, 2, 2],
        "end": [8, 6, 6],
        "kind": ["1change", "0changes", ">0changes"],
        "weight": [1, 1, 3],
    }
)
BY_SERIES = {"a": [(6, 8, "1change"), (2, 6, "0changes")], "b": [(2, 6, ">0changes", 3)]}


def runs(**change):
    table = {
        "series": ["a", "b", "c", "a", "b", "a"],
        "method": ["x", "x", "x", "y", "y", "z"],
        "pred": [[3, 7], [4], [5], [7], None, [6]],
        "n": [20, 20, 20, 20, 20, 20],
    }
    return pl.DataFrame(table | change)


def grid():
    """Two methods with three penalties, on two series."""
    paths = {("x", "a"): [[3, 7], [7], []], ("x", "b"): [[4], [4], []], ("y", "a"): [[7], [7], [7]]}
    paths["y", "b"] = [[], [4], []]
    rows = [
        (method, series, json.dumps({"pen": penalty}), pred, 20)
        for (method, series), path in paths.items()
        for penalty, pred in zip((1, 10, 100), path, strict=True)
    ]
    return pl.DataFrame(rows, schema=["method", "series", "params", "pred", "n"], orient="row")


def test_errors_of_all_series_by_hand():
    found = ss.label_errors(runs(), REGIONS)
    # x: a false positive in (2, 6] of a. y: all of b is wrong, which has the weight 3. z: both of a, and all of b.
    assert [row[:1] + row[2:] for row in found.rows] == [
        ("x", 2, 0, 3, 1, 0.2, 1, 2, 0, 4),
        ("y", 2, 1, 3, 3, 0.6, 0, 2, 3, 4),
        ("z", 2, 1, 3, 5, 1.0, 1, 2, 4, 4),
    ]
    assert repr(found) == (
        "3 regions in 2 series\n"
        "method  errors  error rate  false positives  false negatives  failed\n"
        "x            1      0.2000           1 of 2           0 of 4       0\n"
        "y            3      0.6000           0 of 2           3 of 4       1\n"
        "z            5      1.0000           1 of 2           4 of 4       1"
    )
    assert pickle.loads(pickle.dumps(found)) == found
    assert found.to_polars()["error_rate"].to_list() == [0.2, 0.6, 1.0]
    assert found.to_dict()["rows"][0]["method"] == "x"


def test_the_errors_are_those_of_each_series():
    by_hand = [ss.label_error(BY_SERIES[name], cuts, n=20) for name, cuts in (("a", [3, 7]), ("b", [4]))]
    pooled = ss.label_errors(runs(), BY_SERIES).rows[0]
    for name in ("errors", "false_positives", "false_negatives", "possible_false_positives"):
        assert getattr(pooled, name) == sum(getattr(own, name) for own in by_hand)


def test_every_form_of_regions_and_of_tables_is_the_same():
    wanted = ss.label_errors(runs(), REGIONS)
    lists = [None if name not in BY_SERIES else json.dumps(BY_SERIES[name]) for name in runs()["series"]]
    in_column = runs(regions=lists)
    text = runs(pred=["[3, 7]", "[4]", "[5]", "[7]", None, "[6]"])
    halves = [None if cuts is None else [cut / 2 for cut in cuts] for cuts in runs()["pred"].to_list()]
    in_time = runs(pred=halves).drop("n").with_columns(duration=pl.lit(10.0))
    scaled = REGIONS.with_columns(pl.col("start", "end") / 2)
    for table, regions in (
        (runs(), BY_SERIES),
        (runs().to_pandas(), REGIONS.to_pandas()),
        (runs().to_arrow(), REGIONS.to_arrow()),
        (in_column, None),
        (text, REGIONS),
        (in_time, scaled),
    ):
        assert ss.label_errors(table, regions) == wanted


def test_each_setting_of_a_method_is_counted_apart():
    found = ss.label_errors(grid(), REGIONS)
    assert [(row.method, row.params, row.errors) for row in found.rows][:2] == [
        ("x", '{"pen": 10}', 0),
        ("y", '{"pen": 10}', 0),
    ]
    assert sorted(row.errors for row in found.rows) == [0, 0, 1, 3, 3, 4]
    assert repr(found).split("\n")[1] == (
        "method  params        errors  error rate  false positives  false negatives  failed"
    )
    settings = grid().with_columns(params=pl.struct(pen=pl.col("params").str.json_path_match("$.pen").cast(int)))
    assert [row[2:] for row in ss.label_errors(settings, REGIONS).rows] == [row[2:] for row in found.rows]


def test_curves_of_all_methods():
    curves = ss.label_rocs(grid(), REGIONS)
    assert list(curves) == ["x", "y"]
    for method, curve in curves.items():
        paths, n = ss.study.penalty_paths(grid(), method)
        assert curve == ss.label_roc(paths, BY_SERIES, n=n)
    assert [point[:3] for point in curves["x"].points] == [(0, 1, 0), (10, 0, 0), (100, 0, 4)]
    halves = grid().with_columns(pred=pl.col("pred").list.eval(pl.element() / 2), duration=pl.lit(10.0)).drop("n")
    assert ss.label_rocs(halves, REGIONS.with_columns(pl.col("start", "end") / 2)) == curves
    both = grid().with_columns(params=pl.col("params").str.replace("}", ', "k": 2}', literal=True))
    assert ss.label_rocs(both, REGIONS, parameter="pen") == curves
    # Series without regions do not count.
    further = pl.concat([grid(), grid().filter(pl.col("series") == "a").with_columns(series=pl.lit("c"))])
    assert ss.label_rocs(further, REGIONS) == curves


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: ss.label_errors(runs()),
            ValueError,
            "runs have no column 'regions'; they have series, method, pred, n",
        ),
        (
            lambda: ss.label_errors(runs().drop("n"), REGIONS),
            ValueError,
            "runs have no column 'n'; they have series, method, pred",
        ),
        (
            lambda: ss.label_errors(runs(), REGIONS.drop("kind")),
            ValueError,
            "regions have no column 'kind'; they have series, start, end, weight",
        ),
        (
            lambda: ss.label_errors(runs(), [(2, 6, "normal")]),
            TypeError,
            "regions is list; expected a table with one row per region, or the regions of each series",
        ),
        (
            lambda: ss.label_errors(runs(), REGIONS.head(0)),
            ValueError,
            "no series has regions; expected at least one region",
        ),
        (
            lambda: ss.label_errors(runs(), {"q": []}),
            ValueError,
            "series 'q' has regions but no run; expected a run on each such series",
        ),
        (
            lambda: ss.label_errors(pl.concat([runs(), runs()]), REGIONS),
            ValueError,
            "method 'x', series 'a' has two runs; expected one run per method, setting and series",
        ),
        (
            lambda: ss.label_errors(pl.concat([runs(), runs()[4:5]]), REGIONS),  # neither run has a prediction
            ValueError,
            "method 'y', series 'b' has two runs; expected one run per method, setting and series",
        ),
        (
            lambda: ss.label_errors(runs(n=[5] * 6), REGIONS),
            ValueError,
            "method 'x', series 'a': pred[1] = 7 is outside 0 < cut < n = 5",
        ),
        (
            lambda: ss.label_errors(runs(n=[None] * 6), REGIONS),
            TypeError,
            "method 'x', series 'a': pred has no length; expected n= or duration=, or a Segmentation",
        ),
        (
            lambda: ss.label_errors(runs(), REGIONS.with_columns(start=pl.lit(2.5))),
            TypeError,
            "regions['a'][0] goes from 2.5 to 8; expected integers (or duration= for real-valued time)",
        ),
        (
            lambda: ss.label_errors(runs(regions=["6-8"] * 6)),
            ValueError,
            "regions = '6-8' is not JSON; expected a list of (start, end, kind)",
        ),
        (
            lambda: ss.label_rocs(runs(params=[None] * 6), BY_SERIES),
            ValueError,
            "method 'x': a run has no parameters; expected a penalty in each run",
        ),
        (
            lambda: ss.label_rocs(grid().filter(pl.col("series") != "b"), {"a": []} | {"b": []}),
            ValueError,
            "series 'b' has regions but no run; expected a run on each such series",
        ),
    ],
)
def test_wrong_arguments(call, error, message):
    with pytest.raises(error, match=f"^{re.escape(message)}$"):
        call()


def test_no_regions_of_a_series_are_no_errors():
    assert math.isnan(ss.label_errors(runs(), {"a": []}).rows[0].error_rate)
