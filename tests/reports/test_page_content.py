"""What the page of a report holds: the same for every form of the input, small, and told in plain sentences."""

import json
import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from report_pages import content, runs

import segscore as ss
from segscore.charts.settings import selection_rows
from segscore.reports.content import described
from segscore.reports.overview import findings
from segscore.tables.columns import column_of

ROOT = Path(__file__).parents[2]


def said(table, metrics, margin=3, **more):
    """Return the findings of a table, without the isolates around names."""
    wide = ss.score(table, metrics=metrics, margin=margin, on_error="null")
    boards = {board.metric: board for board in (ss.leaderboard(wide, name) for name in metrics)}
    first = next(iter(boards.values()))
    told = findings(boards, first.differences(), more.get("lines", {}), more.get("seconds", {}))
    return [re.sub("[\u2068\u2069]", "", sentence) for sentence in told]


def test_the_findings_in_plain_sentences():
    series = [f"s{k:02}" for k in range(30)]
    told = said(runs(("good", "poor", "none"), series), ["f1", "rand_index"], lines={"chance": {"f1(margin=3)": 0.25}})
    assert re.fullmatch(r"good has the highest mean F1 at margin 3 of 3 methods: 0\.\d{3} on 30 series\.", told[0])
    assert re.fullmatch(
        r"By f1\(margin=3\), good is better than poor and none \(mean difference 0\.\d{3} to 0\.\d{3}; 5 % level, "
        r"sign-flip tests with Holm over 3 pairs, 30 series taken as independent\)\.",
        told[1],
    )
    assert told[2] == "The same method is first by the other score too."
    assert told[3:] == [
        "By the same score, random cuts score 0.250.",
        "none has no better mean than the best of these predictions that ignore the signal.",
    ]
    told = said(
        runs(("good", "poor"), series),
        ["f1"],
        lines={"no cuts": {"f1(margin=3)": 0.0}, "evenly spaced": {"f1(margin=3)": 1.0}},
    )
    assert told[-2:] == [
        "By the same score, a prediction without cuts scores 0.000 and evenly spaced cuts score 1.000.",
        "good and poor have no better mean than the best of these predictions that ignore the signal.",
    ]
    told = said(runs(("good", "fails"), series), ["f1"], seconds={"good": 0.0123, "fails": 2.0})
    assert told[2] == "fails failed on 30 of 30 series; failures count as 0."
    assert told[3] == "The fastest method is good, with a median of 0.012 s per series."


@pytest.mark.parametrize(
    ("table", "metrics", "told"),
    [
        (runs(("good",), ("a",)), ["f1"], "There is one method, good, with a mean F1 at margin 3 of 1.000 on 1 series."),
        (runs(("none", "nothing", "zero")).with_columns(pred=[]), ["f1"], "none, nothing and zero share the highest mean F1 at margin 3, 0.000, of 3 methods on 4 series."),
        (runs(("good", "fails")), ["hausdorff"], "good has the best mean rank by Hausdorff, 1.00 of 2 methods on 4 series."),
        (runs(("none", "good")), ["mean_error"], "No series has a mean error of all methods, so the methods cannot be ranked by this score."),
    ],
)  # fmt: skip
def test_the_first_finding(table, metrics, told):
    assert said(table, metrics)[0] == told


def test_few_series_cannot_be_tested_and_other_scores_may_disagree():
    assert said(runs(("good", "poor")), ["f1"])[1] == (
        "By f1(margin=3), no difference can be shown at the 5 % level: 1 pair needs 6 series, and there are 4."
    )
    many = runs(("good", "none", "late"), [f"s{k:02}" for k in range(20)])
    assert said(many, ["precision", "recall", "count_error"])[2:] == ["The same method is first by all 2 other scores."]
    names = {"f1": [0.9, 0.8], "covering": [0.1, 0.2], "pk": [0.5, 0.1]}
    table = pl.DataFrame(
        {
            "method": ["a"] * 8 + ["b"] * 8,
            "series": list("abcdefgh") * 2,
            **{k: [v[0]] * 8 + [v[1]] * 8 for k, v in names.items()},
        }
    )
    boards = {name: ss.leaderboard(table, name) for name in names}
    told = findings(boards, boards["f1"].differences(), {}, {})
    assert (
        told[2] == "The same method is first by none of the 2 other scores; \u2068b\u2069 is first by covering and Pk."
    )
    two = {name: boards[name] for name in ("f1", "pk")}
    assert findings(two, boards["f1"].differences(), {}, {})[2] == "By the other score, Pk, \u2068b\u2069 is first."
    names = ["f1", "covering", "mean_error", "median_error"]  # no series has an error of a method without cuts
    assert said(runs(("good", "none")), names)[2:4] == [
        "The same method is first by the other score too.",
        "By mean error and median error, the methods cannot be ranked.",
    ]


def test_no_rows_have_nothing_to_tell():
    assert findings({}, None, {}, {}) == ["The table has no rows, so there is nothing to compare."]


def test_names_of_scores_are_words_and_know_the_core(tmp_path):
    page = content(
        ss.report(runs(annotators=2), tmp_path / "x.html", metrics=["f1", "f1(margin=2)", "adjusted_rand_index"])
    )
    facts = [(m["label"], m["spoken"], m["entry"], m["margin"]) for m in page["metrics"]]
    assert facts == [
        ("F1", "F1", {"name": "f1"}, True),  # follows the slider, which starts at the margin of the first score
        ("F1 at margin 2", "F1 at margin 2", {"name": "f1", "margin": 2}, False),
        ("Adjusted Rand index", "adjusted Rand index", {"name": "adjusted_rand_index"}, False),
    ]
    board = page["boards"]["adjusted_rand_index"]
    assert board["heading"].startswith("adjusted Rand index, 4 series")
    assert "adjusted_rand_index" not in board["differences"]["conclusion"]


def test_the_overview_marks_the_best_and_counts_failures(tmp_path):
    table = runs(("good", "poor", "fails"), [f"s{k}" for k in range(8)]).with_columns(seconds=pl.lit(0.5))
    page = content(ss.report(table, tmp_path / "x.html", metrics=["f1", "hausdorff"], margin=3))["overview"]
    board = ss.publication(ss.score(table, metrics=["f1", "hausdorff"], margin=3, on_error="null"), ["f1", "hausdorff"])
    texts = [page["scores"][name]["texts"] for name in ("f1(margin=3)", "hausdorff")]
    assert all(text in board.to_markdown() for own in texts for text in own if text not in ("", "∞"))
    assert page["scores"]["f1(margin=3)"]["bold"] == [1, 0, 0]
    assert page["scores"]["hausdorff"]["statistic"] == "median"
    assert page["failed"] == [0, 0, 8]
    assert page["seconds"] == [0.5, 0.5, None]  # a failed run has no time


def test_the_overview_marks_what_does_not_differ_from_the_best(tmp_path):
    near = [0.01 * (-1) ** k for k in range(12)]
    scores = {"a": [0.9] * 12, "b": [0.899 + x for x in near], "c": [0.1] * 12}
    rows = [(method, f"s{k}", value) for method, own in scores.items() for k, value in enumerate(own)]
    table = pl.DataFrame(rows, schema=["method", "series", "f1"], orient="row")
    overview = content(ss.report(table, tmp_path / "x.html"))["overview"]["scores"]["f1"]
    assert (overview["bold"], overview["same"]) == ([1, 0, 0], [0, 1, 0])


def test_the_ends_of_a_series_are_not_cuts_of_the_page(tmp_path):
    table = pl.DataFrame({"series": ["s"], "method": ["m"], "n": [10], "truth": [[0, 4, 10]], "pred": [[0, 3, 10]]})
    [run] = content(ss.report(table, tmp_path / "x.html", metrics=["rand_index"]))["runs"]
    assert (run["truths"][0]["cuts"], run["rows"]) == ([4], [[[3]]])


def test_settings_are_listed(tmp_path):
    table = runs(("good", "poor")).with_columns(params=pl.lit('{"k":1}'))
    page = content(ss.report(table, tmp_path / "x.html", metrics=["f1"]))
    assert page["settings"] == [["good", None, '{"k":1}', 4], ["poor", None, '{"k":1}', 4]]
    grid = pl.concat([table, runs(("good", "poor"), seed=1).with_columns(params=pl.lit('{"k":2}'))])
    page = content(ss.report(grid, tmp_path / "x.html", metrics=["f1"]))
    assert {row[1] for row in page["settings"]} == {"chosen by 4-fold cross-validation over 2 settings"}
    assert sum(row[3] for row in page["settings"]) == 8


def test_each_numeric_parameter_has_a_chart(tmp_path):
    own = [{"k": 1, "kind": "x"}, {"k": 2, "kind": "y"}, {"k": 4, "kind": "y"}]
    parts = [runs(("good", "poor"), seed=k).with_columns(params=pl.lit(json.dumps(each))) for k, each in enumerate(own)]
    grid = pl.concat(parts)
    [shown] = content(ss.report(grid, tmp_path / "x.html", metrics=["f1", "covering"], margin=3))["curves"][
        "parameters"
    ]
    assert shown["name"] == "k"  # the values of "kind" are no numbers
    settings, choices, _, _ = selection_rows(grid, "f1", "k", margin=3, seed=0)
    assert shown["data"] == {"settings": settings, "choices": choices}
    assert [row["value"] for row in shown["data"]["settings"]] == [1, 2, 4, 1, 2, 4]
    assert "good" not in json.dumps(shown["spec"])  # the data are there once
    assert content(ss.report(parts[0], tmp_path / "x.html", metrics=["f1"]))["curves"]["parameters"] == []
    scores = grid.select("series", "method", "params", f1=pl.lit(0.5))
    assert content(ss.report(scores, tmp_path / "x.html", metrics=["f1"]))["curves"]["parameters"] == []


def test_places_under_every_policy(tmp_path):
    table = runs(("good", "poor", "none"), [f"s{k}" for k in range(8)])
    table = table.with_columns(pred=pl.when(~((pl.col("method") == "good") & (pl.col("series") == "s1"))).then("pred"))
    board = content(ss.report(table, tmp_path / "x.html", metrics=["f1"], margin=3))["boards"]["f1"]
    wide = ss.leaderboard(ss.score(table, metrics=["f1"], margin=3, on_error="null"), "f1")
    assert [policy["name"] for policy in board["policies"]] == ["worst", "no_cuts", "common", "omit"]
    for policy in board["policies"]:
        other = wide.under(policy["name"])
        assert {m: row[0] for m, row in policy["rows"].items()} == other.places
        assert {m: row[1] for m, row in policy["rows"].items()} == {s.method: s.mean for s in other.standings}
        assert policy["chosen"] == (policy["name"] == "worst")


def test_parts_of_a_study(tmp_path):
    table = runs()
    own = table.with_columns(dataset=pl.when(pl.col("series") < "c").then(pl.lit("one")).otherwise(pl.lit("two")))
    assert content(ss.report(own, tmp_path / "x.html"))["filter"] == {
        "name": "dataset",
        "parts": ["one", "two"],
        "of": [0, 0, 1, 1],
    }
    alone = table.with_columns(group=pl.col("series"))  # a part of one series each is no part
    assert content(ss.report(alone, tmp_path / "x.html"))["filter"] is None


def test_every_form_of_the_input_gives_the_same_page(tmp_path):
    wide = runs(annotators=2)
    names = ["rand_index", "f1(margin=3)"]
    options = {"metrics": names}

    def shown_of(*args, **more):
        found = content(ss.report(*args, tmp_path / "x.html", **{**options, **more}))
        return {key: found[key] for key in ("boards", "scores", "methods", "series")}, found["runs"]

    wanted, shown = shown_of(wide)
    long = wide.select("series", "method", "n", pl.col("pred").alias("change_points"))
    people = wide.unique("series", maintain_order=True).select("series", pl.col("truth").alias("change_points"))
    people = people.explode("change_points").with_columns(annotator=pl.Series(["annotator 1", "annotator 2"] * 4))
    assert shown_of(long, truths=people) == (wanted, shown)
    rows = wide.explode("truth").with_columns(annotator=pl.Series(["annotator 1", "annotator 2"] * 12))
    assert shown_of(rows) == (wanted, shown)
    assert shown_of(wide.to_arrow()) == (wanted, shown)
    scored = ss.score(wide, **options)
    assert shown_of(scored) == (wanted, shown)
    assert shown_of(scored, metrics=None)[0] == wanted
    alone, nothing = shown_of(scored.select("series", "method", *names))
    assert nothing is None
    assert alone["scores"] == wanted["scores"]


def test_it_stays_small(tmp_path):
    table = runs([f"method {k}" for k in range(20)], [f"series {k}" for k in range(100)], annotators=2)
    assert (
        ss.report(table, tmp_path / "large.html", metrics=["rand_index", "covering", "f1"]).stat().st_size < 1_100_000
    )  # vega takes 400 kB
    rng = np.random.default_rng(0)
    first = pl.int_range(pl.len()).over("series") == 0
    signal = pl.Series([rng.normal(size=1000).tolist() for _ in range(table.height)])
    long = table.with_columns(n=1000, signal=pl.when(first).then(signal))
    assert ss.report(long, tmp_path / "signals.html", metrics=["rand_index"]).stat().st_size < 1_500_000


@pytest.mark.filterwarnings("ignore:.* rows cannot be read")
def test_curves_leave_out_what_cannot_be_read(tmp_path):
    table = pl.DataFrame(
        {
            "method": ["m"] * 4,
            "series": list("abcd"),
            "truth": [[[5]], [[50]], [[5]], [[5]]],
            "pred": [[5], [5], [50], None],
            "n": [9] * 4,
        }
    )
    data = content(ss.report(table, tmp_path / "x.html", metrics=["f1"], on_error="null"))
    # The truth of b is not one. The predictions of c and d count as failures.
    assert {row["mean"] for row in data["curves"]["margins"]["curves"]} == {1 / 3}


@pytest.mark.filterwarnings("ignore:.* rows cannot be read")
def test_curves_leave_out_predictions_that_cannot_be_read(tmp_path):
    cells = {"method": ["m"] * 3, "series": list("abc"), "truth": ["[5]"] * 3, "pred": ["[5]", "five", None]}
    data = content(ss.report(pl.DataFrame({**cells, "n": [9] * 3}), tmp_path / "x.html", on_error="null"))
    # The prediction of b is unreadable, so b says nothing about the method; c is a failure.
    assert {row["mean"] for row in data["curves"]["margins"]["curves"]} == {1 / 2}


def test_names_of_any_type_and_cuts_as_people_have_them(tmp_path):
    table = runs(annotators=2)

    def page(given, **more):
        return content(ss.report(given, tmp_path / "x.html", metrics=["f1"], margin=3, **more))

    wanted = page(table)["values"]
    day = pl.date(2026, 1, 1) + pl.duration(days=pl.col("series").rank("dense"))
    for given in (
        table.with_columns(series=day),
        table.with_columns(series=pl.col("series").rank("dense").cast(pl.Float64)),
        table.with_columns(method=pl.when(pl.col("method") != "none").then("method")),
        table.with_columns(pl.col("pred").cast(pl.List(pl.Float64)), pl.col("n").cast(pl.UInt16)),
        table.with_columns(pl.col("pred").list.eval(pl.element().cast(pl.String))),
        table.with_columns(note=pl.lit(b"\xff"), _annotators=pl.lit("x"), annotators=pl.lit("y")),
        table.to_pandas(),
    ):
        assert page(given)["values"] == wanted
    nothing = table.with_columns(series=pl.lit(float("nan")))
    assert page(nothing)["series"] == ["NaN"]
    people = pl.DataFrame(
        {"series": ["a", "a", "b"], "annotator": [1, 2, 1], "change_points": [[9], None, [5]], "n": [60, 60, 60]}
    )
    long = pl.DataFrame({"series": ["a", "b"], "method": ["m", "m"], "change_points": [[9], [6]], "truth": [[1], [2]]})
    assert page(long, truths=people)["values"] == {"f1(margin=3)": [[1.0, 1.0]]}
    bad = table.with_columns(truth=pl.when(pl.col("series") == "a").then([[3, None, 9]]).otherwise("truth"))
    fault = r"row 0: truth\[1\] is null or not an exact integer; expected only integers \(3, not 3.0\)$"
    with pytest.raises(ValueError, match=f"^{fault}"):
        page(bad)
    with pytest.warns(UserWarning, match=f"^3 of 12 rows cannot be read and are left out; the first is {fault}"):
        banner = page(bad, on_error="null")["banner"]
    assert banner.startswith("3 of 12 rows cannot be read")
    assert page(table.with_columns(my_loss=1.0))["methods"] == ["good", "poor", "none"]


def test_scores_whose_margin_is_not_recorded_have_no_lines(tmp_path):
    scored = ss.score(runs(annotators=2), metrics=["f1", "covering"], margin=20)

    def page(table):
        return content(ss.report(table, tmp_path / "x.html"))

    every = ["chance", "evenly spaced", "human", "no cuts"]

    def lines(found):
        return {name: sorted(board["references"]) for name, board in found["boards"].items()}

    found = page(scored)
    assert lines(found) == {"f1(margin=20)": every, "covering": every}
    assert found["margin"] == 20
    assert found["boards"]["f1"]["heading"] == "F1 at margin 20, 4 series taken as independent"
    old = page(scored.rename({"f1(margin=20)": "f1"}))
    assert lines(old) == {"f1": [], "covering": every}
    assert old["conventions"][0] == "The margin of f1 is not recorded in the table. The slider starts at 5 points."
    assert old["boards"]["f1"]["heading"] == "F1, margin not recorded, 4 series taken as independent"


def test_the_margin_of_a_score_that_chose_the_settings_is_known(tmp_path):
    grid = pl.concat([runs(seed=k).with_columns(params=pl.lit(f'{{"k":{k}}}')) for k in range(2)])
    page = content(ss.report(grid, tmp_path / "x.html", metrics=["f1"]))
    assert page["conventions"][0] == "The margin is 5 points, unless the name of a score gives another margin."
    assert sorted(page["boards"]["f1"]["references"]) == ["chance", "evenly spaced", "no cuts"]


def test_what_is_no_report(tmp_path):
    out = tmp_path / "x.html"
    for table, message in (
        (runs().drop("method"), "table has no column 'method'; it has series, n, truth, pred"),
        (
            runs().drop("n"),
            "^table has no scores, and no n to compute scores with; it has series, method, truth, pred; expected the "
            r"columns truth, pred and n \(or duration, or start and end\), or columns of scores$",
        ),
        (
            runs().rename({"pred": "change_points"}),
            r"expected truths= with the columns series and change_points",
        ),
    ):
        with pytest.raises(ValueError, match=message):
            ss.report(table, out)
    with pytest.raises(ValueError, match="did you mean 'rand_index'"):
        ss.report(runs(), out, metrics=["rand"])
    for options, message in (
        (
            {"metrics": ["f1(margin=5)", "f1(margin=5.0)"]},
            r"^f1\(margin=5\) is asked for twice; expected each metric once$",
        ),
        ({"metrics": []}, "metrics is empty"),
        ({"margin": float("inf")}, "margin = inf is not a distance"),
        ({"margin": -1}, "margin = -1 is not a distance"),
        ({"metrics": [ss.Column("series", best="low")]}, "column 'series' holds 'a'; expected numbers"),
    ):
        with pytest.raises(ValueError, match=message):
            ss.report(runs(), out, **options)
    with pytest.raises(
        TypeError, match=r"^margin = '5min' is a str; expected a number, or a timedelta for timestamps$"
    ):
        ss.report(runs(), out, margin="5min")
    for name in ("x.pdf", "x"):
        with pytest.raises(ValueError, match=r"expected \.html"):
            ss.report(runs(), tmp_path / name)
    with pytest.raises(ValueError, match=r"series 'a': signal has the shape \(3,\); expected one number for each of n"):
        ss.report(runs().with_columns(signal=[1.0, 2.0, 3.0]), out)
    with pytest.raises(ValueError, match="truths has no column 'change_points'; it has series"):
        ss.report(runs(), out, truths=pl.DataFrame({"series": ["a"]}))
    with pytest.raises(ValueError, match="there is no folder"):
        ss.report(runs(), tmp_path / "nowhere" / "x.html")
    assert list(tmp_path.iterdir()) == []


def test_lengths_that_are_real_numbers_have_chance_too(tmp_path):
    rows = {"series": ["a"] * 2, "method": ["x", "y"], "truth": [[[1], [2]]] * 2, "pred": [[2]] * 2}
    pages = []
    for kind in (pl.Int64, pl.Float64):
        table = pl.DataFrame({**rows, "n": pl.Series([5, 5], dtype=kind)})
        pages.append(content(ss.report(table, tmp_path / "x.html", metrics=["rand_index"])))
    whole, real = (page["boards"]["rand_index"]["references"] for page in pages)
    assert "chance" in whole and real == whole


@pytest.mark.parametrize(
    ("unit", "labels"),
    [
        ("points", ["Hausdorff (points)", "False alarm rate (per point)", "F1"]),
        ("seconds", ["Hausdorff (s)", "False alarm rate (per s)", "F1"]),
        ("timestamps", ["Hausdorff (s)", "False alarm rate (per s)", "F1"]),
        (None, ["Hausdorff", "False alarm rate", "F1"]),
    ],
)
def test_lengths_and_rates_have_units(unit, labels):
    columns = [column_of(name) for name in ("hausdorff", "false_alarm_rate", "f1(margin=5)")]
    assert [described(column, unit=unit, margin=5)["label"] for column in columns] == labels


def test_the_unit_of_a_table_without_lengths_is_not_known(tmp_path):
    with_cuts = content(ss.report(runs(), tmp_path / "cuts.html", metrics=["hausdorff"]))
    scores = ss.score(runs(), metrics=["hausdorff"]).select("method", "series", "hausdorff")
    without = content(ss.report(scores, tmp_path / "scores.html"))
    assert [page["metrics"][0]["label"] for page in (with_cuts, without)] == ["Hausdorff (points)", "Hausdorff"]


def test_metrics_with_options_are_described():
    found = described(column_of("window_diff(k=20)"))
    assert (
        not found["rising"]
        and found["best"] == "0"
        and found["meaning"] == described(column_of("window_diff"))["meaning"]
    )


def test_the_licences_name_every_library_of_the_charts():
    notices = (ROOT / "THIRD_PARTY_NOTICES.md").read_text()
    for name in ("vega", "vega-lite", "vega-embed", "vega-interpreter, inside vega-embed"):
        assert re.search(rf"\*\*{name}\*\*: BSD-3-Clause. Copyright", notices)
    assert "**libc++, libc++abi and compiler-rt, inside segscore's WebAssembly module**: Apache-2.0" in notices
    assert "**wasi-libc, inside the same module**: MIT. It contains musl (MIT" in notices
