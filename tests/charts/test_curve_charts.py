"""Charts of curves: the means over series of exactly the scores that the library computes, with the chosen value marked."""

import json
import re

import numpy as np
import polars as pl
import pytest
from report_pages import content

import segscore as ss
from segscore.charts import curves as curve_charts


def data_of(chart):
    """Return the named data of the layers of a chart."""
    layers = chart.to_dict()["layer"]
    return {layer["data"]["name"]: json.loads(layer["data"]["values"]) for layer in layers}


def runs(series=12, seed=0):
    """Runs of two methods; the second fails on the first series."""
    rng = np.random.default_rng(seed)
    rows = []
    for k in range(series):
        truth = sorted(rng.choice(np.arange(1, 200), 5, replace=False).tolist())
        near = sorted({min(199, max(1, cut + int(rng.integers(0, 9)))) for cut in truth})
        rows.append(("near", f"s{k}", truth, near, 200))
        rows.append(("even", f"s{k}", truth, None if k == 0 else [50, 100, 150], 200))
    return pl.DataFrame(rows, schema=["method", "series", "truth", "pred", "n"], orient="row")


def test_a_line_is_the_mean_of_the_scores_at_each_margin():
    table = runs()
    for score in ("f1", "precision", "recall"):
        drawn = data_of(ss.charts.f1_curve(table, score, margin=3))
        assert drawn["marks"] == [{"x": 3}]
        assert [row["x"] for row in drawn["curves"] if row["method"] == "near"] == list(range(13))
        for row in drawn["curves"]:
            scored = ss.score(table, metrics=[score], margin=row["x"], on_error="null")
            own = scored.filter(pl.col("method") == row["method"])
            values = own[f"{score}(margin={row['x']:g})"].fill_null(0)  # the failure
            assert row["mean"] == pytest.approx(values.mean())
            assert row["low"] is None or row["low"] <= row["mean"] <= row["high"]
        assert sum(row["low"] is not None for row in drawn["curves"]) > 5
    between = data_of(ss.charts.f1_curve(table, margin=2.5, upto=4))["curves"]
    assert sorted({row["x"] for row in between}) == [0, 1, 2, 2.5, 3, 4]  # the marked margin is a point of the line
    few = data_of(ss.charts.f1_curve(runs(series=5), upto=2))["curves"]
    assert [row["low"] for row in few] == [None] * 6  # no interval of fewer than 6 series
    assert max(row["x"] for row in data_of(ss.charts.f1_curve(table, margin=1000))["curves"]) == 4000


def test_lengths_may_be_real_numbers_that_are_whole():
    table = runs(3).cast({"n": float})
    assert data_of(ss.charts.f1_curve(table)) == data_of(ss.charts.f1_curve(runs(3)))
    assert data_of(ss.charts.delays(table)) == data_of(ss.charts.delays(runs(3)))
    with pytest.raises(TypeError, match=r"^n = 200\.5 is a float; expected an integer$"):
        ss.charts.f1_curve(table.with_columns(n=pl.col("n") + 0.5))


def test_several_annotators_and_groups():
    table = runs()
    both = pl.DataFrame(
        {
            "method": ["a"],
            "series": ["s"],
            "truth": [[[10, 20], [15]]],
            "pred": [[10]],
            "n": [30],
        }
    )
    (row,) = (row for row in data_of(ss.charts.f1_curve(both, margin=0, upto=5))["curves"] if row["x"] == 5)
    assert row["mean"] == (ss.f1([10, 20], [10], n=30, margin=5) + ss.f1([15], [10], n=30, margin=5)) / 2
    grouped = table.with_columns(group=pl.col("series").str.slice(0, 1))
    assert all(row["low"] is None for row in data_of(ss.charts.f1_curve(grouped))["curves"])  # all series are one group


def test_a_line_is_the_share_of_changes_detected_within_each_delay():
    table = runs()
    drawn = data_of(ss.charts.delays(table, max_delay=4, upto=10))
    assert drawn["marks"] == [{"x": 4}]
    for row in drawn["curves"]:
        own = table.filter(pl.col("method") == row["method"])
        metric = f"miss_rate(max_delay={row['x']:g})"
        values = 1 - ss.score(own, metrics=[metric], on_error="null")[metric].fill_null(1)
        assert row["mean"] == pytest.approx(values.mean())
    silent = pl.DataFrame({"method": ["a"], "series": ["s"], "truth": [[]], "pred": [[3]], "n": [9]})
    silent = silent.cast({"truth": pl.List(pl.Int64)})
    drawn = data_of(ss.charts.delays(pl.concat([table.head(1), silent])))["curves"]
    assert {row["method"] for row in drawn} == {"near"}  # the other method has no series with a change
    largest = max(row["x"] for row in data_of(ss.charts.delays(table))["curves"])
    found = [ss.online(t, p, n=n).delays for t, p, n in table.drop_nulls().select("truth", "pred", "n").iter_rows()]
    assert largest == max(delay for delays in found for delay in delays)


def test_precision_over_recall():
    truth, pred, confidence = [10, 30, 60], [12, 29, 45, 61], [0.9, 0.8, 0.7, 0.6]
    curve = ss.precision_recall_curve(truth, pred, confidence=confidence, n=100, margin=3)
    drawn = data_of(ss.charts.precision_recall({"a": curve}))
    at = {row["x"]: row["mean"] for row in drawn["curves"]}
    assert (at[0.0], at[0.3], at[0.5], at[0.67], at[1.0]) == (1, 1, 1, 0.75, 0.75)
    assert drawn["best"] == [{"method": "a", "x": 1.0, "y": 0.75}]
    # The mean over the recall is the average precision, and recall that is never reached has precision 0.
    assert np.mean([*at.values()][1:]) == pytest.approx(curve.average_precision, abs=0.005)
    half = ss.precision_recall_curve([10, 90], [10], confidence=[1], n=100, margin=3)
    several = data_of(ss.charts.precision_recall({"a": [curve, half]}))
    assert "best" not in several
    assert [row["mean"] for row in several["curves"] if row["x"] in (0.5, 1.0)] == [1.0, 0.375]
    # A series without a true cut has no average precision, so it does not count.
    empty = ss.precision_recall_curve([], [10], confidence=[1], n=100, margin=3)
    assert data_of(ss.charts.precision_recall({"a": [curve, empty]}))["curves"] == drawn["curves"]
    assert data_of(ss.charts.precision_recall({"a": [empty]}))["curves"] == []


def sure(series=12):
    """Runs with confidences: one series has no change, and one prediction is missing."""
    rng = np.random.default_rng(5)
    table = runs(series).with_columns(
        confidence=pl.Series(
            [None if pred is None else rng.random(len(pred)).tolist() for pred in runs(series)["pred"]]
        )
    )
    quiet = pl.DataFrame({"method": ["near"], "series": ["quiet"], "truth": [[]], "pred": [[3]], "n": [9]})
    quiet = quiet.cast({"truth": pl.List(pl.Int64)}).with_columns(confidence=pl.Series([[0.5]]))
    return pl.concat([table, quiet])


def test_a_failed_run_counts_as_0_even_if_no_cut_is_right():
    # Without a cut on either side F1 is 1, but a run without a prediction has found nothing.
    empty = pl.DataFrame(
        {"method": ["x", "x"], "series": ["s", "t"], "truth": [[], [5]], "pred": [None, [5]], "n": [9, 9]}
    )
    empty = empty.cast({"truth": pl.List(pl.Int64), "pred": pl.List(pl.Int64)})
    assert {row["mean"] for row in data_of(ss.charts.f1_curve(empty))["curves"]} == {0.5}
    # A series without a true cut has no precision at a recall, whether the run failed or not.
    confidence = pl.Series([None, [1.0]], dtype=pl.List(pl.Float64))
    drawn = data_of(ss.charts.precision_recall(empty.with_columns(confidence=confidence), margin=0))["curves"]
    assert {row["mean"] for row in drawn} == {1.0}


def test_precision_over_recall_is_the_mean_over_annotators():
    table = pl.DataFrame({"method": ["x"], "series": ["s"], "truth": [[[5], [2]]], "pred": [[5]], "n": [9]})
    for truths in ([[5], [2]], [[2], [5]]):
        given = table.with_columns(truth=pl.Series([truths]), confidence=pl.Series([[1.0]]))
        assert {row["mean"] for row in data_of(ss.charts.precision_recall(given, margin=0))["curves"]} == {0.5}


def test_precision_over_recall_of_a_table():
    table = sure()
    drawn = data_of(ss.charts.precision_recall(table, margin=3))
    scored = ss.score(table, metrics=["average_precision"], margin=3, on_error="null")
    for method in ("near", "even"):
        own = [row for row in drawn["curves"] if row["method"] == method]
        wanted = (
            scored.filter(pl.col("method") == method)["average_precision(margin=3)"].fill_null(0).fill_nan(None).mean()
        )
        assert np.mean([row["mean"] for row in own[1:]]) == pytest.approx(wanted, abs=0.005)
        assert all(row["low"] is None or row["low"] <= row["mean"] <= row["high"] for row in own)
    both = table.head(1).with_columns(truth=pl.concat_list(pl.col("truth").implode(), pl.lit([[]])))
    one = data_of(ss.charts.precision_recall(table.head(1), margin=3))
    assert data_of(ss.charts.precision_recall(both, margin=3)) == one  # an annotator without a cut does not count
    grouped = table.with_columns(group=pl.lit("g"))
    assert {row["low"] for row in data_of(ss.charts.precision_recall(grouped, margin=3))["curves"]} == {None}


def grid():
    """Runs of two methods over penalties, with annotated regions on one of two series."""
    rows = []
    for series, regions in (("s", [(6, 8, "1change"), (2, 6, "0changes")]), ("t", None)):
        own = None if regions is None else [{"start": a, "end": b, "kind": kind} for a, b, kind in regions]
        for method, paths in (("pelt", [(1, [3, 7]), (10, [7]), (100, [])]), ("flat", [(None, [7])])):
            for penalty, pred in paths:
                rows.append((method, series, [7], pred, 20, penalty and json.dumps({"pen": penalty}), own))
    return pl.DataFrame(rows, schema=["method", "series", "truth", "pred", "n", "params", "regions"], orient="row")


def test_rates_of_a_table_of_runs():
    only = grid().filter(pl.col("method") == "pelt")
    drawn = data_of(ss.charts.label_roc(only))
    assert [(row["x"], row["y"]) for row in drawn["curves"]] == [(0.5, 1), (0, 1), (0, 0)]
    as_text = only.with_columns(regions=pl.lit('[[6, 8, "1change"], [2, 6, "0changes"]]'))
    assert data_of(ss.charts.label_roc(as_text.filter(pl.col("series") == "s"))) == drawn


def test_the_report_has_curves_over_thresholds_and_penalties(tmp_path):
    def curves(table, **options):
        return content(ss.report(table, tmp_path / "x.html", margin=3, **options))["curves"]

    table = sure()
    wrong = table.with_columns(
        confidence=pl.when(pl.int_range(pl.len()) == 0).then(pl.lit([0.5])).otherwise("confidence")
    )
    for given, failed in ((table, None), (wrong, "s0")):  # wrong confidences are a failure
        own = given.with_columns(pred=pl.when(pl.col("series") != failed).then("pred")) if failed else given
        own = pl.concat([given.filter(pl.col("method") != "near"), own.filter(pl.col("method") == "near")])
        wanted = data_of(ss.charts.precision_recall(own, margin=3))["curves"]
        found = curves(given, metrics=["f1", "average_precision"])["thresholds"]["curves"]
        assert sorted(found, key=str) == sorted(wanted, key=str)
    found = curves(grid(), metrics=["f1"])["penalties"]
    assert [(row["x"], row["y"]) for row in found["curves"]] == [(0.5, 1), (0, 1), (0, 0)]
    message = "flat has no curve: a run has no parameters; expected a penalty in each run."
    assert found["note"] == message
    assert "thresholds" not in curves(runs(), metrics=["f1"]) and "penalties" not in curves(runs(), metrics=["f1"])


def test_a_report_in_time_has_curves_over_thresholds_and_penalties(tmp_path):
    halves = pl.col("truth", "pred").list.eval(pl.element() / 2)
    table = sure().with_columns(halves, duration=pl.col("n") / 2).drop("n")
    found = content(ss.report(table, tmp_path / "x.html", margin=1.5, metrics=["f1", "average_precision"]))["curves"]
    in_points = content(ss.report(sure(), tmp_path / "x.html", margin=3, metrics=["f1", "average_precision"]))["curves"]
    assert found["thresholds"] == in_points["thresholds"]
    only = grid().filter(pl.col("method") == "pelt")
    own = pl.element().struct.with_fields(pl.field(["start", "end"]) / 2)
    timed = only.with_columns(halves, pl.col("regions").list.eval(own), duration=pl.col("n") / 2).drop("n")
    assert data_of(ss.charts.label_roc(timed)) == data_of(ss.charts.label_roc(only))
    both = [content(ss.report(given, tmp_path / "x.html", metrics=["f1"], margin=1)) for given in (timed, only)]
    assert both[0]["curves"]["penalties"] == both[1]["curves"]["penalties"]


def test_rates_of_annotated_regions():
    paths = {"a": [(1, [3, 7]), (10, [7]), (100, [])]}
    curve = ss.label_roc(paths, {"a": [(6, 8, "1change"), (2, 6, "0changes")]}, n={"a": 20})
    drawn = data_of(ss.charts.label_roc({"pelt": curve}))
    assert [(row["x"], row["y"]) for row in drawn["curves"]] == [(0.5, 1), (0, 1), (0, 0)]
    assert drawn["best"] == [{"method": "pelt", "x": 0, "y": 1}]
    assert ss.charts.label_roc({"pelt": curve}).to_dict()["width"] <= 280  # with its axis, it fits on a phone


def test_more_methods_than_colours_have_more_colours():
    names = [f"m{k}" for k in range(9)]
    chart = ss.charts.f1_curve(
        pl.concat([runs(3).filter(pl.col("method") == "near").with_columns(method=pl.lit(name)) for name in names])
    )
    colours = chart.to_dict()["layer"][1]["encoding"]["color"]["scale"]["range"]
    assert len(set(colours)) >= 9
    assert len(ss.charts.f1_curve(runs(3)).to_dict()["layer"][1]["encoding"]["color"]["scale"]["range"]) == 7


@pytest.mark.parametrize("name", ["f1_curve", "delays", "precision_recall", "label_roc"])
def test_the_charts_save_without_a_browser(name, tmp_path):
    curve = ss.precision_recall_curve([10], [12], confidence=[1], n=100, margin=3)
    roc = ss.label_roc({"a": [(1, [7]), (2, [])]}, {"a": [(6, 8, "1change"), (2, 6, "normal")]}, n={"a": 20})
    given = {"precision_recall": {"<x>": curve}, "label_roc": {"<x>": roc}}.get(name, runs(3))
    getattr(ss.charts, name)(given).save(tmp_path / "x.svg")
    assert "<svg" in (tmp_path / "x.svg").read_text()


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: ss.charts.f1_curve(runs(), "f2"),
            ValueError,
            "score = 'f2' is unknown; expected 'f1', 'precision' or 'recall'",
        ),
        (
            lambda: ss.charts.f1_curve(runs().drop("n")),
            ValueError,
            "runs have no column 'n'; they have method, series, truth, pred",
        ),
        (
            lambda: ss.charts.delays(runs().drop("pred")),
            ValueError,
            "runs have no column 'pred'; they have method, series, truth, n",
        ),
        (
            lambda: ss.charts.precision_recall(3),
            TypeError,
            "curves = 3 is int; expected a curve, or curves, per method",
        ),
        (
            lambda: ss.charts.precision_recall({"a": [3]}),
            TypeError,
            "curves['a'] has 3; expected a curve of precision_recall_curve(), or one per series",
        ),
        (
            lambda: ss.charts.precision_recall(runs()),
            ValueError,
            "runs have no column 'confidence'; they have method, series, truth, pred, n",
        ),
        (
            lambda: ss.charts.label_roc({"a": 3}),
            TypeError,
            "curves['a'] = 3 is not a curve; expected a curve of label_roc()",
        ),
        (
            lambda: ss.charts.label_roc(runs()),
            ValueError,
            "runs have no column 'regions'; they have method, series, truth, pred, n",
        ),
        (
            lambda: ss.charts.label_roc(grid()),
            ValueError,
            "method 'flat': a run has no parameters; expected a penalty in each run",
        ),
        (
            lambda: ss.charts.label_roc(grid().with_columns(regions=pl.lit("6-8"))),
            ValueError,
            "regions = '6-8' is not JSON; expected a list of (start, end, kind)",
        ),
        (
            lambda: ss.charts.f1_curve(runs(), margin=-1),
            ValueError,
            "margin = -1 is not a distance; expected a finite number, 0 or more",
        ),
        (
            lambda: ss.charts.f1_curve(runs(), upto=float("inf")),
            ValueError,
            "upto = inf is not a distance; expected a finite number, 0 or more",
        ),
        (
            lambda: ss.charts.delays(runs(), max_delay="a"),
            TypeError,
            "max_delay = 'a' is a str; expected a finite number, 0 or more",
        ),
        (lambda: ss.charts.label_roc(3), TypeError, "curves = 3 is int; expected one curve per method"),
    ],
)
def test_wrong_arguments(call, error, message):
    with pytest.raises(error, match=f"^{re.escape(message)}$"):
        call()


def test_the_titles_of_axes():
    assert curve_charts.titles_of("f1") == ("margin (points)", "f1, mean over series")


@pytest.mark.parametrize(("name", "table"), [("precision_recall", sure(3)), ("label_roc", grid())])
def test_the_command_line_draws_curves_of_tables(name, table, tmp_path):
    from segscore.cli import main

    table.filter(pl.col("method") != "flat").write_parquet(tmp_path / "runs.parquet")
    main(["plot", name, str(tmp_path / "runs.parquet"), "-o", str(tmp_path / "x.svg")], standalone_mode=False)
    assert "<svg" in (tmp_path / "x.svg").read_text()


def test_the_command_line_draws_curves_of_a_csv_file(tmp_path):
    from segscore.cli import main

    only = grid().filter((pl.col("method") == "pelt") & (pl.col("series") == "s"))
    texts = [pl.Series(name, [str(cuts) for cuts in only[name].to_list()]) for name in ("truth", "pred")]
    regions = pl.lit('[[6, 8, "1change"], [2, 6, "0changes"]]')
    only.with_columns(texts).with_columns(regions=regions).write_csv(tmp_path / "runs.csv")
    main(["plot", "label_roc", str(tmp_path / "runs.csv"), "-o", str(tmp_path / "x.svg")], standalone_mode=False)
    assert "<svg" in (tmp_path / "x.svg").read_text()
