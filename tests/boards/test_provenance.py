"""What a table says of its runs besides their scores: settings, versions, time limits, unequal truths."""

import math
from importlib import metadata

import polars as pl
import pytest
from report_pages import content as held_by

import segscore as ss
from segscore.boards.provenance import Origins, origins_of

VERSIONS = '{"numpy":"2.2.6","ruptures":"1.1.10","segscore":"0.0.9"}'


def study(count=12, **more):
    """Return the scores of two methods on some series."""
    rows = [(m, f"s{k:02}", v + k / 100) for m, v in (("a", 0.5), ("b", 0.4)) for k in range(count)]
    return pl.DataFrame(rows, ["method", "series", "f1"], orient="row").with_columns(**more)


def test_a_table_that_says_nothing():
    assert origins_of(study(), "method", "series") == Origins()
    odd = study(versions=pl.lit("not JSON"), settings=pl.lit(None, pl.String), machine=pl.lit(None))
    assert origins_of(odd, "method", "series") == Origins()
    for text in ("[]", "[" * 100_000):
        assert origins_of(study(versions=pl.lit(text)), "method", "series") == Origins()
    assert origins_of(study(versions=pl.lit(["nested"])), "method", "series") == Origins()


@pytest.mark.parametrize(
    ("choice", "words"),
    [
        ("default", "Settings: defaults."),
        ("cv", "Settings: chosen by cross-validation."),
        ("best", "Settings: best for all series, chosen on these series."),
        ("oracle", "Settings: best on each series (oracle)."),
        ("each", "Settings: each is a method of its own."),
        ("by hand", "Settings: by hand."),
    ],
)
def test_the_caption_has_settings_and_versions(choice, words):
    table = study(settings=pl.lit(choice), versions=pl.lit(VERSIONS), machine=pl.lit("eight cores"))
    own = metadata.version("segscore")
    for made in (ss.publication(table, ["f1"]).caption, ss.leaderboard(table, "f1").to_markdown()):
        assert f" {words} " in made
        assert f" segscore {own}, numpy 2.2.6, ruptures 1.1.10; data " in made
        assert "Machine" not in made  # only seconds and memory depend on it
    plain = ss.publication(study(), ["f1"]).caption
    assert "Settings" not in plain
    assert f" segscore {own}; data " in plain


def test_the_caption_says_which_scores_were_planned():
    plan = ss.study.Plan("f1", margin=5)
    scores = study(plan=pl.lit(plan.text)).rename({"f1": "f1(margin=5)"}).with_columns(covering=pl.lit(0.5))
    both = ["f1(margin=5)", "covering"]
    said = f" Planned before the runs (plan {plan.digest}): F1 at margin 5. Chosen after the runs: covering. "
    assert said in ss.publication(scores, both).caption
    after = " Chosen after the runs: F1 at margin 5. "
    others = (
        ss.publication(scores, both[:1], failures="omit"),
        ss.publication(scores.with_columns(plan=pl.lit("no plan")), both[:1]),
        ss.publication(scores.with_columns(plan=pl.lit("[3]")), both[:1]),
        ss.publication(scores.with_columns(plan=pl.lit("[" * 100_000)), both[:1]),
        ss.publication(scores.with_columns(plan=pl.when(pl.col("method") == "a").then("plan")), both[:1]),
        ss.publication(
            scores.with_columns(
                plan=pl.when(pl.col("method") == "a").then("plan").otherwise(pl.lit(ss.study.Plan("pk").text))
            ),
            both[:1],
        ),
    )
    for made in others:
        assert after in made.caption and "Planned" not in made.caption
    for none in (scores.drop("plan"), scores.with_columns(plan=pl.lit(None, pl.String))):
        caption = ss.publication(none, both).caption
        assert "Planned" not in caption and "Chosen" not in caption


def test_the_caption_of_costs_names_the_machine():
    table = study(machine=pl.lit("eight cores")).rename({"f1": "seconds"})
    assert " Machine: eight cores. " in ss.publication(table, ["seconds"]).caption


def test_methods_that_are_told_something_of_the_truth_are_not_ranked(tmp_path):
    told = pl.when(pl.col("method") == "a").then(pl.lit("number of cuts"))
    setting = pl.when(pl.col("method") == "a").then(pl.lit("oracle(settings=7)")).otherwise(pl.lit("default"))
    alone = ss.leaderboard(study().filter(method="b"), "f1")
    for more, why in (
        ({"knows": told}, "number of cuts"),
        ({"settings": setting}, "best setting on each series"),
        ({"knows": told, "settings": setting}, "best setting on each series and number of cuts"),
    ):
        table = study(**more)
        table.write_csv(tmp_path / "a.csv")
        for scores in (table, pl.read_csv(tmp_path / "a.csv"), table.to_pandas()):
            board = ss.leaderboard(scores, "f1")
            assert board.methods == ["b"]
            assert board.standings == alone.standings
            (line,) = board.references
            assert (line.method, line.rank, line.wins, line.scored) == (
                "a",
                pytest.approx(math.nan, nan_ok=True),
                0,
                12,
            )
            assert line.mean == pytest.approx(0.555)
            assert board.notes == [f'Not ranked, because told something of the truth: "a" (the {why}).']
            assert board.differences().pairs == []
            lines = board.to_latex().splitlines()
            assert lines.index(r"\midrule", lines.index(r"\midrule") + 1) < lines.index(
                next(text for text in lines if text.startswith("a &"))
            )
    one = study(settings=pl.lit("oracle(settings=1)"))  # there was nothing to choose
    assert ss.leaderboard(one, "f1").methods == ["a", "b"]


def test_references_choose_no_series_and_failures_of_theirs_count():
    told = pl.when(pl.col("method") == "a").then(pl.lit("number of cuts"))
    scores = pl.when((pl.col("series") < "s06") & (pl.col("method") == "a")).then(None).otherwise("f1")
    table = study(knows=told).with_columns(f1=scores)
    means = {}
    for policy in ("worst", "common", "omit"):
        board = ss.leaderboard(table, "f1", failures=policy)
        assert (board.methods, len(board.series)) == (["b"], 12)
        means[policy] = board.references[0].mean
    assert means == pytest.approx({"worst": 0.585 / 2, "common": 0.585, "omit": 0.585})
    missing = ss.leaderboard(table.drop_nulls("f1"), "f1")
    assert (len(missing.series), missing.references[0].averaged) == (12, 6)


def test_a_board_of_references_alone_ranks_nobody(tmp_path):
    board = ss.leaderboard(study(settings=pl.lit("oracle")), "f1")
    assert (board.methods, [line.method for line in board.references]) == ([], ["a", "b"])
    assert [line.averaged for line in board.references] == [12, 12]
    assert board.differences().conclusion == "There is nothing to compare: 0 methods on 12 series."
    ss.report(study(settings=pl.lit("oracle")), tmp_path / "x.html")
    findings = held_by(tmp_path / "x.html")["findings"]
    assert findings == ["No method is ranked, because all methods are told something of the truth."]


def test_the_conclusion_names_runs_that_a_time_limit_stopped():
    late = pl.when(pl.col("series").is_in(["s03", "s04"]) & (pl.col("method") == "b")).then(pl.lit("timeout"))
    table = study(status=late.otherwise(pl.lit("ok")))
    table = table.with_columns(f1=pl.when(pl.col("status") == "ok").then("f1"))
    found = ss.leaderboard(table, "f1").differences().conclusion
    assert ' a time limit that stopped runs (2 of "b").' in found
    both = table.with_columns(status=pl.when(pl.col("series") == "s05").then(pl.lit("TIMEOUT")).otherwise("status"))
    found = ss.leaderboard(both, "f1").differences().conclusion
    assert ' a time limit that stopped runs (1 of "a" and 3 of "b").' in found
    assert "time limit" not in ss.leaderboard(table.drop("status"), "f1").differences().conclusion


def test_series_with_different_truths_or_lengths_are_noted():
    cuts = study(truth=pl.lit([3, 8]), n=pl.lit(20))
    assert ss.leaderboard(cuts, "f1").notes == []
    here = (pl.col("method") == "b") & pl.col("series").is_in(["s03", "s01"])
    note = (
        "2 series are scored against different truths or lengths for different methods, so the methods cannot be "
        "compared there; the first is 's01'."
    )
    for side, other in (("truth", [3, 9]), ("n", 21), ("truth", [[3, 8], [4]])):
        same = pl.lit([[3, 8]]) if side == "truth" and isinstance(other[0], list) else pl.col(side)
        changed = cuts.with_columns(pl.when(here).then(pl.lit(other)).otherwise(same).alias(side))
        assert ss.leaderboard(changed, "f1").notes == [note]
    # A row without a truth says nothing, and neither do annotators whose rows all methods have.
    unknown = cuts.with_columns(truth=pl.when(here).then(None).otherwise("truth"))
    assert ss.leaderboard(unknown, "f1").notes == []
    people = pl.concat([cuts, cuts.with_columns(truth=pl.lit([4]))])
    assert ss.leaderboard(people, "f1").notes == []


def test_the_report_has_versions_and_choices(tmp_path):
    runs = pl.DataFrame(
        {
            "method": ["a"] * 2 + ["b"] * 2,
            "series": ["s", "r"] * 2,
            "n": 20,
            "truth": [[3, 8]] * 4,
            "pred": [[3], [8], [], [3, 8]],
            "settings": "oracle",
            "versions": VERSIONS,
        }
    )
    ss.report(runs, tmp_path / "x.html", metrics=["covering"])
    content = held_by(tmp_path / "x.html")
    assert content["provenance"]["Versions of the runs"] == "numpy 2.2.6, ruptures 1.1.10"
    assert content["boards"]["covering"]["standings"] == []
    assert [line["method"] for line in content["boards"]["covering"]["others"]] == ["a", "b"]
    ss.report(runs.drop("versions", "settings"), tmp_path / "x.html", metrics=["covering"])
    assert "Versions of the runs" not in held_by(tmp_path / "x.html")["provenance"]
