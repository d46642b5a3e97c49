"""Results in time and with labels: leaderboards, references, curves, selection and the report."""

import json

import numpy as np
import polars as pl
import pytest

import segscore as ss
from segscore.boards.references import against_others, references
from segscore.reports.inputs import metrics_of
from segscore.tables.options import Options, length_in
from segscore.tables.wide import wide

NAMES = ["rand_index", "covering", "f1(margin=0.5)", "pk"]


def songs(count=12, seed=0):
    """Return runs of three methods on songs in seconds with labels; one run fails."""
    rng = np.random.default_rng(seed)
    rows = []
    for k in range(count):
        duration = 100 + k / 3
        truth = sorted((rng.random(6) * duration).round(3).tolist())
        labels = rng.choice(["verse", "chorus", "bridge"], 7).tolist()
        for method, noise in (("good", 0.2), ("bad", 3.0), ("lost", None)):
            pred = None if noise is None else sorted((rng.random(5) * 90 + 5 + noise).tolist())
            if method == "good":
                pred = [cut * (1 - 1e-4) for cut in truth]
            found = None if pred is None else rng.choice(["A", "B", "C"], len(pred) + 1).tolist()
            rows.append((f"s{k}", method, duration, truth, labels, pred, found))
    names = ["series", "method", "duration", "truth", "truth_labels", "pred", "pred_labels"]
    kinds = {"pred": pl.List(pl.Float64), "pred_labels": pl.List(pl.String)}
    return pl.DataFrame(rows, schema=names, schema_overrides=kinds, orient="row")


def by_hand(table, name, margin=0.5):
    """Return the score of each run: of the labels where a metric takes them, otherwise of the cuts."""
    found = []
    for row in table.iter_rows(named=True):
        if row["pred"] is None:
            found.append(None)
            continue
        sides = [
            ss.Segmentation(row[side], row[f"{side}_labels"], duration=row["duration"]) for side in ("truth", "pred")
        ]
        found.append(ss.compare(*sides, metrics=[name], margin=margin)[name])
    return found


def test_the_usual_columns_of_results():
    assert length_in(["truth", "n", "duration"]) == "n"
    assert length_in(["truth"]) is None
    options = Options.of_results(songs().columns, metrics=["f1"], margin=0.5)
    assert (options.length, options.in_time) == ("duration", True)
    assert (options.truth_labels, options.pred_labels) == ("truth_labels", "pred_labels")
    plain = Options.of_results(["truth", "pred", "n"])
    assert (plain.length, plain.truth_labels, plain.pred_labels) == ("n", None, None)


@pytest.mark.parametrize("failures", ["worst", "no_cuts", "omit"])
def test_leaderboards_of_results_in_time(failures):
    table = songs()
    options = {"truth_labels": "truth_labels", "pred_labels": "pred_labels", "duration": "duration"}
    scored = ss.score(table, metrics=NAMES, margin=0.5, on_error="null", **options)
    for name in NAMES:
        values = by_hand(table, name)
        assert scored[name].to_list() == values
        board = ss.leaderboard(scored, name, failures=failures)
        means = {standing.method: standing.mean for standing in board.standings}
        good = [value for value, method in zip(values, table["method"], strict=True) if method == "good"]
        assert means["good"] == pytest.approx(np.mean(good))
        if failures == "no_cuts":
            truths = [
                ss.Segmentation(row["truth"], row["truth_labels"], duration=row["duration"])
                for row in table.filter(method="lost").iter_rows(named=True)
            ]
            alone = [ss.compare(truth, [], metrics=[name], margin=0.5)[name] for truth in truths]
            assert means["lost"] == pytest.approx(np.mean(alone))


def test_people_and_chance_in_time():
    truths = {"a": (50.0, [[10.5, 30.0], [12.0, 30.25]]), "b": (40.5, [[20.0], [5.5]])}
    labels = {"a": [["x", "y", "x"], ["x", "y", "z"]], "b": [["x", "y"], ["y", "x"]]}
    rows = pl.DataFrame(
        [(name, length, cuts, labels[name]) for name, (length, cuts) in truths.items()],
        schema=["series", "duration", "truth", "truth_labels"],
        orient="row",
    )
    names = ["rand_index", "f1(margin=2)"]
    options = Options.of_results(rows.columns, metrics=names, margin=2.0, on_error="null")
    found = references(rows, options)
    means = {name: [] for name in names}
    for series, (length, people) in truths.items():
        sides = [ss.Segmentation(*side, duration=length) for side in zip(people, labels[series], strict=True)]
        both = [ss.compare(*pair, metrics=names, margin=2.0) for pair in (sides, sides[::-1])]
        for name in names:
            means[name].append(np.mean([scores[name] for scores in both]))
    assert found["human"] == {name: pytest.approx(np.mean(values)) for name, values in means.items()}
    assert found == references(rows, options)
    runs = rows.with_columns(
        method=pl.lit("m"), pred=pl.col("truth").list.first(), pred_labels=pl.col("truth_labels").list.first()
    )
    others = against_others(runs, Options.of_results(runs.columns, metrics=names, margin=2.0))
    assert set(others["m"]) == set(names)


def test_the_forms_of_a_table_of_results_in_time():
    table = songs(2).drop("truth_labels", "pred_labels")
    found = wide(table, None)
    assert found["truth"].to_list() == [[cuts] for cuts in table["truth"].to_list()]
    assert metrics_of(found, None) == [
        name for name in metrics_of(found.rename({"duration": "n"}), None) if ss.METRICS[name].in_time
    ]
    labelled = songs(2)
    assert wide(labelled, None)["truth_labels"].to_list() == [[labels] for labels in labelled["truth_labels"].to_list()]
    runs = labelled.select("series", "method", "duration", change_points="pred", labels="pred_labels")
    people = labelled.unique("series", maintain_order=True).select(
        "series", change_points="truth", labels="truth_labels"
    )
    long = wide(runs, people)
    assert long.select("truth", "truth_labels", "pred", "pred_labels").equals(
        wide(labelled, None).select("truth", "truth_labels", "pred", "pred_labels")
    )
    texts = labelled.with_columns(
        pl.Series(name, [None if x is None else json.dumps(x) for x in labelled[name].to_list()], dtype=pl.String)
        for name in ("truth", "truth_labels", "pred", "pred_labels")
    )
    assert wide(texts, None).equals(wide(labelled, None))
    several = pl.concat([labelled.with_columns(annotator=pl.lit(name)) for name in ("Ada", "Ben")])
    assert wide(several, None)["truth_labels"].to_list() == [
        [labels] * 2 for labels in labelled["truth_labels"].to_list()
    ]


def test_labels_of_mixed_kinds_stay_different_as_text():
    table = pl.DataFrame(
        {"method": ["m"] * 2, "series": ["a", "b"], "n": [9, 9], "truth": [[3], [4]], "pred": [[3], [4]]}
    ).with_columns(
        truth_labels=pl.Series(['[1, "1"]', '["A", 2.5]']), pred_labels=pl.Series(["['A', True]", "['B', 'A']"])
    )
    found = wide(table, None)
    assert found["truth_labels"].to_list() == [[["1", '"1"']], [['"A"', "2.5"]]]
    assert found["pred_labels"].to_list() == [['"A"', "true"], ['"B"', '"A"']]
    with pytest.raises(ValueError, match=r"^table, row 0: truth_labels = '\[A\]' is not a list of labels"):
        wide(table.with_columns(truth_labels=pl.lit("[A]")), None)


def test_curves_and_selection_in_time():
    from report_pages import data_of

    table = songs()
    rows = data_of(ss.charts.f1_curve(table, margin=0.5))["curves"]
    at = [row for row in rows if row["method"] == "bad" and row["x"] == 0.5]
    bad = table.filter(method="bad")
    assert at[0]["mean"] == pytest.approx(np.mean(by_hand(bad, "f1")))
    assert {row["x"] for row in rows} > {0.01, 1.0}
    delays = data_of(ss.charts.delays(table, max_delay=1.5))["curves"]
    assert max(row["x"] for row in delays) == 6
    grid = table.with_columns(
        params=pl.col("method").replace_strict({"good": '{"pen":1}', "bad": '{"pen":2}'}, default='{"pen":3}'),
        method=pl.lit("m"),
    )
    chosen = ss.study.select(grid, "rand_index", "oracle")
    assert chosen["rand_index"].to_list() == [
        max(x for x in by_hand(part, "rand_index") if x is not None)
        for part in table.partition_by("series", maintain_order=True)
    ]


@pytest.mark.parametrize("labelled", [False, True])
def test_a_report_in_time_says_so(tmp_path, labelled):
    table = songs() if labelled else songs().drop("truth_labels", "pred_labels")
    table = table.with_columns(signal=pl.lit([0.5] * 30))
    page = ss.report(table, tmp_path / "songs.html", metrics=["rand_index", "f1"]).read_text()
    assert "The margin is 0.5 seconds, unless the name of a score gives another margin." in page
    assert "A cut is a time in seconds from the start of its series." in page
    assert "points before the cut" not in page
