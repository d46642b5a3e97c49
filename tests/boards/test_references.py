"""What people and chance score."""

import numpy as np
import polars as pl
import pytest
from report_pages import content as held_by

import segscore as ss
from segscore.boards.references import references
from segscore.tables.options import Options


def test_chance_is_drawn_anew_for_each_series():
    rows = pl.DataFrame(
        {"series": [f"s{k}" for k in range(50)], "n": [1000] * 50, "truth": [[list(range(100, 900, 100))]] * 50}
    )
    options = Options(metrics=["rand_index"], on_error="null")
    found = [references(rows, options, seed)["chance"]["rand_index"] for seed in range(6)]
    assert found[0] == references(rows, options, 0)["chance"]["rand_index"]
    assert np.std(found) < 0.0015  # of one and the same 100 draws for all it would be 0.003
    assert np.mean(found) == pytest.approx(ss.expected_rand_index(range(100, 900, 100), 8, n=1000), abs=0.001)


def test_what_people_and_chance_score():
    truths = {"a": (50, [[10, 30], [12, 30], [30]]), "b": (40, [[20], [5, 21], []])}
    rows = pl.DataFrame(
        [(name, n, cuts) for name, (n, cuts) in truths.items() for _ in range(2)],
        schema={"series": pl.String, "n": pl.Int64, "truth": pl.List(pl.List(pl.Int64))},
        orient="row",
    )
    names = ["rand_index", "covering", "f1(margin=3)"]
    found = references(rows, Options(metrics=names, margin=3, on_error="null"))
    for name in names:
        means = []
        for n, people in truths.values():
            options = {"n": n, "metrics": [name], "margin": 3}
            alone = [
                np.mean([ss.compare(other, own, **options)[name] for k, other in enumerate(people) if k != j])
                for j, own in enumerate(people)
            ]
            means.append(np.mean(alone))
        assert found["human"][name] == pytest.approx(np.mean(means))
    evenly = {2: [16, 33], 1: [25]}, {1: [20], 2: [13, 26], 0: []}  # of 50 and of 40 points, by the number of cuts
    both = [(k, n, own, truth) for k, (n, people) in enumerate(truths.values()) for own in people for truth in people]

    def mean_over_series(score):
        values = [(k, score(truth, evenly[k][len(own)], n)) for k, n, own, truth in both]
        return np.mean([np.mean([value for place, value in values if place == k]) for k in range(len(truths))])

    for name in names:

        def value(truth, pred, n, name=name):
            return ss.compare(truth, pred, n=n, metrics=[name], margin=3)[name]

        blank, even = mean_over_series(lambda truth, _, n, value=value: value(truth, [], n)), mean_over_series(value)
        assert found["no cuts"][name] == pytest.approx(blank)
        assert found["evenly spaced"][name] == pytest.approx(even)
    exact_f1 = mean_over_series(lambda truth, cuts, n: ss.expected_f1(truth, cuts, n=n, margin=3))
    assert found["chance"]["f1(margin=3)"] == pytest.approx(exact_f1, rel=1e-12)
    expected = [
        np.mean([ss.expected_rand_index(truth, len(own), n=n) for own in people for truth in people])
        for n, people in truths.values()
    ]
    assert found["chance"]["rand_index"] == pytest.approx(np.mean(expected), abs=0.03)
    alone = references(rows.with_columns(pl.col("truth").list.head(1)), Options(metrics=names, margin=3))
    assert set(alone) == {"no cuts", "evenly spaced", "chance"}
    assert references(rows.clear(), Options(metrics=names, margin=3)) == {}


def test_references_are_over_the_series_of_the_leaderboard_in_any_order():
    rows = pl.DataFrame(
        {"series": ["a", "b", "c"], "n": [50, 40, 60], "truth": [[[10, 30], [30]], [[20], [5, 21]], [[7], [9]]]}
    )
    options = Options(metrics=["rand_index", "covering"], on_error="null")
    whole = references(rows, options)
    assert references(rows.reverse(), options) == whole
    assert references(rows.with_columns(pl.col("truth").list.reverse()), options) == whole  # other annotators first
    part = references(rows, options, series={"rand_index": ["a", "c"], "covering": ["a", "b", "c"]})
    assert part["human"]["covering"] == whole["human"]["covering"]
    assert part["chance"]["covering"] == whole["chance"]["covering"]
    alone = [ss.rand_index([30], [10, 30], n=50), ss.rand_index([7], [9], n=60)]
    assert part["human"]["rand_index"] == pytest.approx(np.mean(alone))
    assert part["chance"]["rand_index"] != whole["chance"]["rand_index"]
    nothing = references(rows, options, series={"rand_index": [], "covering": ["a"]})
    assert set(nothing["human"]) == set(nothing["chance"]) == {"covering"}


def test_the_lines_of_a_page_are_over_the_series_of_its_leaderboard(tmp_path):
    table = pl.DataFrame(
        {
            "series": ["a", "b"] * 2,
            "method": ["x", "x", "y", "y"],
            "n": [50, 400] * 2,
            "truth": [[25], [100]] * 2,
            "pred": [[20], [99], [25], []],  # mean_error is undefined for y on b
        }
    )
    content = held_by(ss.report(table, tmp_path / "x.html", metrics=["mean_error"]))
    first = pl.DataFrame({"series": ["a"], "n": [50], "truth": [[[25]]]})
    wanted = references(first, Options(metrics=["mean_error"], on_error="null"))
    assert content["boards"]["mean_error"]["heading"] == "mean error, 1 of 2 series taken as independent"
    assert content["boards"]["mean_error"]["references"]["chance"] == wanted["chance"]["mean_error"]


def test_people_and_methods_against_the_same_sets(published_data):
    """The numbers of the Turing Change Point Dataset, and of runs of TCPDBench v3 with default settings."""
    rows = pl.read_parquet(published_data / "segmentations.parquet").filter(
        pl.col("dataset").is_in(["tcpd", "tcpdbench_v3"])
    )
    people = rows.filter(pl.col("role") == "annotator").select("series", "n", "change_points")
    truths = people.group_by("series", maintain_order=True).agg(
        pl.col("n").first(), pl.col("change_points").alias("truth")
    )
    names = ["annotated_f1(margin=5)", "annotated_covering"]
    human = references(truths, Options(metrics=names))["human"]
    assert {name: round(value, 4) for name, value in human.items()} == {
        "annotated_f1(margin=5)": 0.8511,
        "annotated_covering": 0.7599,
    }
    runs = rows.filter(pl.col("by").is_in(["default_binseg", "default_bocpd", "default_zero"]))
    means = []
    for against in ("all", "others"):
        scored = ss.score_long(runs, people.drop("n"), metrics=names, against=against)
        means.append(scored.group_by("by").agg(pl.col(names).mean(), pl.len()).sort("by"))
    assert means[0]["annotated_f1(margin=5)"].round(4).to_list() == [0.7898, 0.7543, 0.6832]
    assert means[1]["annotated_f1(margin=5)"].round(4).to_list() == [0.7817, 0.7433, 0.6814]
    assert means[0]["len"].to_list() == [25, 27, 27]
    assert means[1]["annotated_covering"].to_list() == pytest.approx(
        means[0]["annotated_covering"].to_list(), rel=1e-14
    )


def test_the_report_shows_methods_against_the_same_sets_as_people(tmp_path):
    people = [[10, 30], [12, 30], [30]]
    runs = pl.DataFrame(
        {"series": ["a"] * 2, "method": ["x", "y"], "n": [50] * 2, "truth": [people] * 2, "pred": [[10, 30], None]}
    )
    page = ss.report(runs, tmp_path / "x.html", metrics=["annotated_f1", "f1"], margin=5).read_text()
    scored = ss.score(runs, metrics=["annotated_f1"], margin=5, against="others")["annotated_f1(margin=5)"][0]
    human = np.mean([ss.annotated(people[:k] + people[k + 1 :], people[k], n=50, margin=5).f1 for k in range(3)])
    wanted = (
        "People are scored against the other annotators. The scores of methods against the same sets, with each "
        f"annotator left out in turn, are x {scored:.4f}; the score of people is {human:.4f}."
    )
    assert f'"others":{{"annotated_f1(margin=5)":"{wanted}"}}' in page
    assert '"others":{}' in ss.report(runs, tmp_path / "x.html", metrics=["f1"], margin=5).read_text()
