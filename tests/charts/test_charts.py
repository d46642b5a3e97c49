"""Charts: what they show is what the library says, and they save without a browser."""

import math
import re

import numpy as np
import polars as pl
import pytest
from report_pages import data_of

import segscore as ss
from segscore.charts import cuts as cut_charts

TRUTH, PREDS = [30, 60], {"late": [33, 61], "few": [60], "none": []}


def scored(methods=3, series=6, seed=0):
    rng = np.random.default_rng(seed)
    rows = [
        (f"m{m}", f"s{s}", None if (m, s) == (0, 0) else float(rng.uniform(0.2 * m, 1)), float(rng.uniform(0, 1)))
        for m in range(methods)
        for s in range(series)
    ]
    return pl.DataFrame(rows, schema=["method", "series", "rand_index", "f1"], orient="row")


def grid_of_runs():
    """Runs of one method with three penalties on twelve series; the largest penalty fails on the first series."""
    preds = {1: [20, 30, 60], 3: [30, 60], 10: [30]}
    rows = [
        (f"s{k}", "x", f'{{"pen":{pen}}}', pen == 3, 100, TRUTH, None if (pen, k) == (10, 0) else pred)
        for k in range(12)
        for pen, pred in preds.items()
    ]
    return pl.DataFrame(rows, schema=["series", "method", "params", "default", "n", "truth", "pred"], orient="row")


def calibrations():
    """Return the reliability curves of two predictions."""
    preds = {"sure": [0.9, 0.8, 0.05], "unsure": [0.6, 0.4, 0.3]}
    soft = {name: ss.SoftSegmentation([30, 59, 80], p, n=100) for name, p in preds.items()}
    return {name: ss.soft_calibration([TRUTH], [pred], margin=1) for name, pred in soft.items()}


CHARTS = {
    "timeline": lambda: ss.charts.timeline(TRUTH, PREDS, n=100, margin=2),
    "timeline with a signal": lambda: ss.charts.timeline(
        {"Ada": [30], "Ben": [31, 60]}, [33], n=100, signal=range(100)
    ),
    "staircase": lambda: ss.charts.staircase(TRUTH, PREDS["late"], n=100),
    "leaderboard": lambda: ss.charts.leaderboard(scored(), human=0.9, chance=0.3),
    "critical_difference": lambda: ss.charts.critical_difference(scored()),
    "pairs": lambda: ss.charts.pairs(scored()),
    "scores": lambda: ss.charts.scores(scored()),
    "scores against others": lambda: ss.charts.scores(scored(), "rand_index", against="f1"),
    "heatmap": lambda: ss.charts.heatmap(scored()),
    "pk_curve": lambda: ss.charts.pk_curve(TRUTH, PREDS, n=100),
    "calibration": lambda: ss.charts.calibration(calibrations()),
    "selection": lambda: ss.charts.selection(grid_of_runs(), "f1"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CHARTS)
def test_every_chart_saves_without_a_browser(name, tmp_path):
    chart = CHARTS[name]()
    starts = {"svg": b"<svg", "png": b"\x89PNG", "pdf": b"%PDF", "html": b"\n<!DOCTYPE html"}
    for kind, start in starts.items():
        chart.save(str(tmp_path / f"chart.{kind}"), **({"inline": True} if kind == "html" else {}))
        assert (tmp_path / f"chart.{kind}").read_bytes().lstrip().startswith(start.lstrip())
    page = (tmp_path / "chart.html").read_text()
    assert not re.search(r"<(script|link)[^>]+(src|href)=", page)  # nothing from elsewhere


def test_the_timeline_is_what_match_says():
    for margin in (0, 1, 3):
        cuts = data_of(ss.charts.timeline(TRUTH, PREDS, n=100, margin=margin))["cuts"]
        assert [row["cut"] for row in cuts if row["kind"] == "true"] == TRUTH
        for name, pred in PREDS.items():
            found = ss.match(TRUTH, pred, n=100, margin=margin)
            own = [row for row in cuts if row["row"] == name]
            assert [r["cut"] for r in own if r["kind"] == "matched"] == [p for _, p in found.pairs]
            assert [r["cut"] for r in own if r["kind"] == "missed"] == found.misses
            assert [r["cut"] for r in own if r["kind"] == "false"] == found.false_alarms


def test_a_hit_is_not_drawn_as_a_false_alarm():
    cuts = data_of(ss.charts.timeline([30], [24, 26, 30], n=100, margin=5))["cuts"]
    assert [row["cut"] for row in cuts if row["kind"] == "matched"] == [30]
    assert [row["cut"] for row in cuts if row["kind"] == "false"] == [24, 26]


def test_twenty_thousand_cuts_are_drawn_by_what_is_visible(tmp_path):
    n = 10**6
    rng = np.random.default_rng(0)
    truth, pred = (np.sort(rng.choice(n - 1, 20_000, replace=False) + 1) for _ in range(2))
    ss.charts.timeline(truth, pred, n=n, margin=20, signal=rng.normal(size=n)).save(str(tmp_path / "many.svg"))
    drawn = (tmp_path / "many.svg").read_text().count('aria-roledescription="point"')
    assert 0 < drawn <= 4 * (cut_charts.PICTURE_COLUMNS + 1)  # four kinds of cuts
    assert (tmp_path / "many.svg").stat().st_size < 3_000_000


def test_a_timeline_shows_true_cuts_on_the_signal_and_no_instruction(tmp_path):
    ss.charts.timeline([30, 60], [33], n=100, margin=2, signal=np.arange(100.0)).save(str(tmp_path / "t.svg"))
    picture = (tmp_path / "t.svg").read_text()
    assert "drag" not in picture.lower()
    assert picture.count('stroke-dasharray="4,3"') == 2  # one dashed line per true cut
    spec = ss.charts.timeline([30, 60], [33], n=100, signal=np.arange(100.0)).to_dict()
    assert "Drag to zoom in" in str(spec)  # a tip


def test_ranks_series_and_infinite_scores_are_named():
    scores = pl.DataFrame(
        {
            "method": ["a"] * 3 + ["b"] * 3,
            "series": list("xyz") * 2,
            "hausdorff": [1.0, 2.0, 3.0, math.inf, math.inf, math.inf],
        }
    )
    ranks = data_of(ss.charts.critical_difference(scores, "hausdorff"))["ranks"]
    assert [row["label"] for row in ranks] == ["1.00  a", "b  2.00"]
    heat = ss.charts.heatmap(scores, "hausdorff")
    assert data_of(heat)["scores"][-1] == {"method": "b", "series": "z", "value": None, "state": "infinite"}
    assert "'labels': False" not in str(heat.to_dict())
    rows = data_of(ss.charts.leaderboard(scores, "hausdorff"))["standings"]
    assert [row.get("without") for row in rows] == [None, "infinite"]


@pytest.mark.slow
def test_the_area_of_the_staircase_is_the_disagreement():
    rng = np.random.default_rng(1)
    for _ in range(50):
        n = int(rng.integers(2, 60))
        truth, pred = (sorted(rng.choice(range(1, n), rng.integers(0, n), replace=False).tolist()) for _ in range(2))
        cells = data_of(ss.charts.staircase(truth, pred, n=n))["cells"]
        area = sum((c["end"] - c["start"]) * abs(c["truth"] - c["prediction"]) for c in cells)
        assert area == ss.explain(truth, pred, n=n).disagreement
        assert [(c["start"], c["end"]) for c in cells] == sorted(
            (c.start, c.end) for c in ss.explain(truth, pred, n=n).cells
        )
        for cell in cells:  # each staircase sends a point to the end of its segment
            ends = [min(end for end in [*cuts, n] if end > cell["start"]) for cuts in (truth, pred)]
            assert [cell["truth"], cell["prediction"]] == ends
            assert cell["beyond"] == ("truth" if ends[0] > ends[1] else "prediction")
        assert data_of(ss.charts.staircase(iter(truth), iter(pred), n=n))["cells"] == cells


def test_leaderboards_show_the_standings():
    board = ss.leaderboard(scored(3, 12))
    chart = data_of(ss.charts.leaderboard(board, human=0.9))
    assert [(r["method"], r["mean"], r["low"], r["high"]) for r in chart["standings"]] == [
        (s.method, s.mean, *(None if end != end else end for end in (s.low, s.high))) for s in board.standings
    ]
    assert chart["references"] == [{"name": "human", "value": 0.9}]
    ranks = data_of(ss.charts.critical_difference(board))["ranks"]
    assert {r["method"]: r["rank"] for r in ranks} == {s.method: s.rank for s in board.standings}
    bars = data_of(ss.charts.critical_difference(board))["groups"]
    assert [row["what"] for row in bars] == [", ".join(group) for group in board.differences().groups]
    values = data_of(ss.charts.heatmap(board))["scores"]
    assert len(values) == 36
    assert [r for r in values if r["value"] is None] == [
        {"method": "m0", "series": "s0", "value": None, "state": "failed"}
    ]
    both = data_of(ss.charts.scores(scored(3, 12), "rand_index", against="f1"))["against"]
    table = {(m, s): (a, b) for m, s, a, b in scored(3, 12).iter_rows()}
    assert all((r["value"], r["other"]) == table[r["method"], r["series"]] for r in both)


@pytest.mark.parametrize("metric", ["rand_index", "pk"])
def test_the_matrix_of_pairs_is_what_differences_say(metric):
    table = scored(4, 30).rename({"rand_index": metric})
    board = ss.leaderboard(table, metric)
    found = board.differences()
    cells = data_of(ss.charts.pairs(board))["pairs"]
    assert [(c["row"], c["column"]) for c in cells] == [(a, b) for a in board.methods for b in board.methods]
    by = {(c["row"], c["column"]): c for c in cells}
    for standing in board.standings:
        diagonal = by[standing.method, standing.method]
        assert diagonal == {"row": standing.method, "column": standing.method, "mean": f"{standing.mean:.3f}"}
    assert {pair.verdict for pair in found.pairs} == {"better", "not shown"}
    for pair in found.pairs:
        one, other = by[pair.method, pair.other], by[pair.other, pair.method]
        assert (one["mean"], other["mean"]) == tuple(f"{x:+.3f}".replace("-", "−") for x in (pair.mean, -pair.mean))
        assert one["counts"] == f"{pair.wins}/{pair.ties}/{pair.losses}"
        assert other["counts"] == f"{pair.losses}/{pair.ties}/{pair.wins}"
        assert one["p"] == other["p"] == ("p < 0.0001" if pair.p < 1e-4 else f"p {pair.p:.2g}")
        assert one["bold"] is other["bold"] is (pair.verdict == "better")
        assert one["advantage"] == -other["advantage"] == (pair.mean if board.rising else -pair.mean)


def test_a_matrix_without_tests_and_with_infinite_scores():
    few = data_of(ss.charts.pairs(scored(3, 5)))["pairs"]
    assert {cell["bold"] for cell in few if "p" in cell} == {False}
    infinite = pl.DataFrame(
        {
            "method": ["a"] * 8 + ["b"] * 8,
            "series": [f"s{k}" for k in range(8)] * 2,
            "hausdorff": [1.0] * 8 + [2.0] * 7 + [float("inf")],
        }
    )
    cells = data_of(ss.charts.pairs(infinite, "hausdorff"))["pairs"]
    assert [(cell["mean"], cell["advantage"]) for cell in cells if "p" in cell] == [("−∞", 1.0), ("+∞", -1.0)]


def test_the_curve_is_pk():
    rows = data_of(ss.charts.pk_curve(TRUTH, PREDS, n=100, k=[1, 5, 9]))["curves"]
    wanted = [float(v) for pred in PREDS.values() for v in ss.pk_curve(TRUTH, pred, n=100, k=[1, 5, 9])]
    assert [row["pk"] for row in rows] == wanted
    usual = data_of(ss.charts.pk_curve(TRUTH, PREDS, n=100))
    assert ss.pk(TRUTH, [33, 61], n=100) == next(
        r["pk"] for r in usual["curves"] if r["k"] == usual["usual"][0]["k"] and r["method"] == "late"
    )


def test_names_are_never_code(tmp_path):
    name = "</script><script>alert(1)</script> 'datum' [x].y %"
    table = scored().with_columns(pl.col("method").str.replace("m0", name, literal=True))
    for chart in (
        ss.charts.timeline({name: TRUTH}, {name + "2": [33]}, n=100),
        ss.charts.timeline(ss.Segmentation(TRUTH, [name, "b", name], n=100), [33]),
        ss.charts.leaderboard(table),
        ss.charts.critical_difference(table),
        ss.charts.pairs(table),
        ss.charts.scores(table),
        ss.charts.heatmap(table),
    ):
        chart.save(str(tmp_path / "chart.svg"))
        svg = (tmp_path / "chart.svg").read_text()
        assert "<script" not in svg
        assert "&lt;/script" in svg
        chart.save(str(tmp_path / "chart.html"), inline=True)
        assert "<script>alert" not in (tmp_path / "chart.html").read_text()


def test_selection_curves_are_the_means_over_series():
    assert TRUTH == [30, 60]
    found = data_of(ss.charts.selection(grid_of_runs(), "f1", margin=0))["settings"]
    shown = [(row["value"], row["cuts"], row["true_cuts"], row["recall"]) for row in found]
    assert shown == [(1, 3, 2, 1), (3, 2, 2, 1), (10, 1, 2, pytest.approx(11 / 12 / 2))]
    assert [row["score"] for row in found] == pytest.approx([0.8, 1, 2 / 3 * 11 / 12])  # a failure counts as 0
    assert [row["precision"] for row in found] == pytest.approx([2 / 3, 1, 11 / 12])
    assert (
        found[2]["low"] < found[2]["score"] <= found[2]["high"] and found[1]["low"] == found[1]["high"] == 1
    )  # one series of 12 differs
    with pytest.raises(ValueError, match="parameter = 'k' is unknown; the runs have the parameters pen"):
        ss.charts.selection(grid_of_runs(), "f1", "k")
    two = grid_of_runs().with_columns(params=pl.lit('{"a":1,"b":2}'))
    with pytest.raises(ValueError, match="no parameter is given; the runs have the parameters a, b"):
        ss.charts.selection(two, "f1")
    words = grid_of_runs().with_columns(params=pl.lit('{"a":"x"}'))
    with pytest.raises(ValueError, match="parameter 'a' has the value 'x'; expected numbers"):
        ss.charts.selection(words, "f1")


def test_choices_of_settings_are_marked_on_the_selection_curves():
    # Each penalty is the best on some series: pen = 1 has the best mean, pen = 3 is the default.
    best = {"s0": 3, "s1": 1, "s2": 1, "s3": 10}
    rows = [
        (series, "x", f'{{"pen":{pen}}}', pen == 3, 100, TRUTH, TRUTH if pen == own else TRUTH[:1])
        for series, own in best.items()
        for pen in (1, 3, 10)
    ]
    runs = pl.DataFrame(rows, schema=["series", "method", "params", "default", "n", "truth", "pred"], orient="row")

    def marks(runs, **options):
        return {
            row["choice"]: (row["value"], round(row["score"], 6))
            for row in data_of(ss.charts.selection(runs, "recall", margin=0, **options))["choices"]
        }

    cv = ss.study.select(runs, "recall", "cv", margin=0, seed=3)["recall(margin=0)"].mean()
    assert marks(runs, seed=3) == {
        "default": (3, 0.625), "best for all series": (1, 0.75), "cross-validation": (None, cv),
        "oracle (best on each series)": (None, 1),
    }  # fmt: skip
    assert list(marks(runs.drop("default"))) == [
        "best for all series",
        "cross-validation",
        "oracle (best on each series)",
    ]
    assert list(marks(runs.filter(series="s0"))) == ["default", "best for all series", "oracle (best on each series)"]
    grouped = runs.with_columns(group=pl.lit("g"))
    assert list(marks(grouped)) == ["default", "best for all series", "oracle (best on each series)"]
    assert marks(runs.filter(pl.col("default"))) == {}  # one setting is no choice
    with pytest.raises(
        ValueError,
        match=r"^runs have no column 'pred'; they have .*; expected truth, pred and n \(or duration\), to count cuts$",
    ):
        ss.charts.selection(runs.with_columns(recall=1.0).drop("pred"), "recall")


def test_three_panels_of_settings_fit_a_page_with_a_complete_legend(tmp_path):
    ss.charts.selection(grid_of_runs(), "f1").save(tmp_path / "chart.svg")
    svg = (tmp_path / "chart.svg").read_text()
    assert ">oracle (best on each series)</text>" in svg and ">best for all series</text>" in svg
    assert float(re.search(r'width="([\d.]+)"', svg)[1]) < 900


def test_the_bands_of_selection_curves_are_over_groups():
    runs = grid_of_runs().with_columns(group=pl.col("series").str.slice(1).cast(pl.Int64) // 2)
    found = data_of(ss.charts.selection(runs, "f1"))["settings"]
    assert found[2]["low"] == 0  # one group of six differs
    few = runs.with_columns(group=pl.col("series").str.slice(1).cast(pl.Int64) // 3)
    assert [row["low"] for row in data_of(ss.charts.selection(few, "f1"))["settings"]] == [None] * 3  # four groups
    found = data_of(ss.charts.selection(runs.with_columns(group=pl.lit(None)), "f1"))["settings"]
    assert all(row["low"] is not None for row in found)


def test_a_column_of_ones_own_is_drawn_by_the_parameter():
    runs = grid_of_runs().with_columns(energy=pl.col("params").str.len_chars().cast(pl.Float64))
    chart = ss.charts.selection(runs, ss.Column("energy", best="low"))
    assert [row["score"] for row in data_of(chart)["settings"]] == [9, 9, 10]
    assert data_of(chart)["choices"][1] == {"method": "x", "choice": "best for all series", "value": 3, "score": 9}


def test_what_is_no_chart():
    with pytest.raises(
        ValueError, match=r"signal has the shape \(3,\); expected one number for each of n = 100 points"
    ):
        ss.charts.timeline(TRUTH, [33], n=100, signal=[1, 2, 3])
    with pytest.raises(ValueError, match=r"^the segmentations have the lengths 100, 200; expected one length$"):
        ss.charts.timeline({"a": ss.Segmentation([30], n=100), "b": ss.Segmentation([30], n=200)}, [30])
    with pytest.raises(ValueError, match="k is empty"):
        ss.charts.pk_curve(TRUTH, PREDS, n=100, k=[])
    with pytest.raises(TypeError, match="scores is a Leaderboard, which has one score"):
        ss.charts.scores(ss.leaderboard(scored()), against="f1")
    rows = [row["row"] for row in data_of(ss.charts.timeline({"a": [30]}, {"a": [40]}, n=100))["ends"]]
    assert rows == ["a", "a (prediction)"]
    with pytest.raises(ValueError, match="truth is empty"):
        ss.charts.timeline({}, [33], n=100)
    with pytest.raises(ValueError, match="n = 1 has no window"):
        ss.charts.pk_curve([], [], n=1)
    with pytest.raises(ValueError, match="scores have no column 'covering'"):
        ss.charts.heatmap(scored(), "covering")
    failed = scored().with_columns(rand_index=pl.lit(None, pl.Float64))
    for nothing in (failed, failed.clear()):
        of_scores = (ss.charts.heatmap, ss.charts.scores, ss.charts.leaderboard)
        for chart in (*of_scores, ss.charts.pairs, ss.charts.critical_difference):
            with pytest.raises(
                ValueError, match="no method has a finite score in 'rand_index'; there is nothing to draw"
            ):
                chart(nothing)
    for empty in (ss.charts.timeline([], [], n=0), ss.charts.staircase([], [], n=0)):
        assert empty.to_dict()


def test_the_calibration_chart_has_the_bins_and_their_intervals():
    found = calibrations()
    rows = data_of(ss.charts.calibration(found))["bins"]
    assert [(r["method"], r["predicted"], r["observed"], r["cuts"]) for r in rows] == [
        (name, each.predicted, each.observed, each.cuts) for name, curve in found.items() for each in curve.bins
    ]
    assert all(0 <= r["low"] <= r["observed"] <= r["high"] <= 1 for r in rows)
    single = data_of(ss.charts.calibration(found["sure"]))["bins"]
    assert [r["observed"] for r in single] == [r["observed"] for r in rows if r["method"] == "sure"]
    with pytest.raises(TypeError, match=r"^curves is a list; expected a SoftCalibration, or one per method in a dict$"):
        ss.charts.calibration([found["sure"]])
