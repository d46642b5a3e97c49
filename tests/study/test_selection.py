"""The choice of settings: what each rule picks, how this is printed, and what an oracle is worth."""

import importlib.util
import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from report_pages import content

import segscore as ss
from segscore import study

EXAMPLE = Path(__file__).parents[2] / "examples" / "oracle.py"


def grid(scores, *, default=None, groups=None, method="x"):
    """A scored table of one method: a row of scores per setting."""
    rows = [
        {
            "series": f"s{k}", "group": None if groups is None else groups[k], "method": method,
            "params": f'{{"k":{setting}}}', "default": None if default is None else setting == default, "f1": value,
        }
        for setting, values in enumerate(scores)
        for k, value in enumerate(values)
    ]  # fmt: skip
    kinds = {"group": pl.String, "default": pl.Boolean, "f1": pl.Float64}
    return pl.DataFrame(rows, schema_overrides=kinds).sort("series", maintain_order=True)


def picked(table, settings, **options):
    found = study.select(table, "f1", settings, **options)
    return [int(text[5:-1]) for text in found["params"]]


SCORES = [[0.1, 0.9, 0.5], [0.6, 0.4, 0.6], [0.2, 0.2, 0.7]]
HALVES = pl.concat([grid(SCORES), grid(SCORES, method="y")])


def test_each_rule_picks_its_setting():
    table = grid(SCORES, default=2)
    assert picked(table, "default") == [2, 2, 2]
    assert picked(table, "best") == [1, 1, 1]
    assert picked(table, "oracle") == [1, 0, 2]
    assert study.select(table, "f1", "oracle")["f1"].to_list() == [0.6, 0.9, 0.7]
    each = study.select(table, "f1", "each")
    assert each.height == 9 and each["method"].unique(maintain_order=True).to_list() == [
        'x {"k":0}',
        'x {"k":1}',
        'x {"k":2}',
    ]


def test_cross_validation_never_sees_the_series_that_it_scores():
    # Each series is solved by one setting alone, so a choice that saw it would have the score 1.
    table = grid(np.eye(6).tolist())
    assert study.select(table, "f1", "cv")["f1"].to_list() == [0.0] * 6
    assert study.select(table, "f1", "oracle")["f1"].to_list() == [1.0] * 6


def test_folds_are_drawn_over_groups():
    # Each setting solves the series of one group. Other series of the same group would show which setting this is.
    scores, groups = np.repeat(np.eye(2), [4, 2], axis=1).tolist(), ["a"] * 4 + ["b"] * 2
    for seed in range(5):
        assert picked(grid(scores, groups=groups), "cv", seed=seed) == [1] * 4 + [0] * 2
        alone = study.select(grid(scores), "f1", "cv", seed=seed)
        assert alone["method"][0] == "x"
        assert alone["settings"][0] == f"cv(folds=5,seed={seed},settings=2)"
        assert alone["f1"].sum() >= 3
    said = study.select(grid(scores, groups=groups), "f1", "cv")["settings"][0]
    assert said == "cv(folds=2,seed=0,settings=2)"
    many = [f"g{k % 12}" for k in range(24)]
    found = study.select(grid(np.ones((2, 24)).tolist(), groups=many), "f1", "cv")
    assert found["settings"][0] == "cv(folds=5,seed=0,settings=2)"


def test_the_order_of_the_rows_does_not_change_the_folds():
    rng = np.random.default_rng(4)
    table = grid(rng.random((6, 11)).tolist())
    chosen = study.select(table, "f1", "cv").sort("series")
    assert chosen["params"].n_unique() > 1  # so that other folds would choose otherwise
    for shift in (1, 5, 9):
        turned = pl.concat([table.filter(pl.col("series") == f"s{(k * 7 + shift) % 11}") for k in range(11)])
        assert study.select(turned, "f1", "cv").sort("series").equals(chosen)


def test_folds_depend_on_the_seed_alone():
    scores = np.random.default_rng(0).random((4, 15)).tolist()
    choices = [picked(grid(scores), "cv", seed=seed) for seed in range(8)]
    assert choices == [picked(grid(scores), "cv", seed=seed) for seed in range(8)]
    assert len({tuple(found) for found in choices}) > 1


def test_a_series_without_a_group_is_a_group_of_its_own():
    # The series of group a show each other's best setting; s4 and s5 are no group together.
    scores, groups = np.repeat(np.eye(2), [4, 2], axis=1).tolist(), ["a"] * 4 + [None] * 2
    found = study.select(grid(scores, groups=groups), "f1", "cv")
    assert found["settings"][0] == "cv(folds=3,seed=0,settings=2)"
    assert picked(grid(scores, groups=groups), "cv") == [1] * 4 + [0] * 2


def test_a_failure_counts_as_the_worst_value_and_ties_go_to_the_default():
    assert picked(grid([[None, 0.9, 0.9], [0.65, 0.65, 0.65]]), "best") == [1, 1, 1]
    assert picked(grid([[float("nan"), 0.9, 0.9], [0.65, 0.65, 0.65]]), "best") == [1, 1, 1]
    assert picked(grid([[0.5, 0.5], [0.5, 0.5], [0.5, 0.5]], default=2), "best") == [2, 2]
    assert picked(grid([[0.5, 0.5], [0.5, 0.5]]), "oracle") == [0, 0]
    missing = grid([[0.9, 0.9, 0.9], [0.7, 0.7, 0.7]]).filter(
        ~((pl.col("series") == "s0") & pl.col("params").str.contains("0"))
    )
    assert picked(missing, "best") == [1, 1, 1]


def test_a_score_without_a_worst_value_counts_failures_first():
    table = grid([[5.0, None, 5.0], [9.0, 9.0, 9.0], [8.0, 9.0, 9.0]]).rename({"f1": "hausdorff"})
    assert study.select(table, "hausdorff", "best")["hausdorff"].to_list() == [8.0, 9.0, 9.0]
    seconds = table.rename({"hausdorff": "seconds"})
    assert study.select(seconds, "seconds", "best")["seconds"].to_list() == [8.0, 9.0, 9.0]
    own = table.rename({"hausdorff": "own"})
    assert study.select(own, ss.Column("own", best="low"), "best")["own"].to_list() == [8.0, 9.0, 9.0]
    assert study.select(own, ss.Column("own", best="high"), "best")["own"].to_list() == [9.0, 9.0, 9.0]
    assert study.select(own, ss.Column("own", best="low", worst=9), "best")["own"].to_list() == [5.0, None, 5.0]


def test_a_fast_crash_is_not_chosen_for_its_speed():
    table = grid([[0.1, 0.1], [5.0, 5.0]]).rename({"f1": "seconds"})
    status = pl.when(pl.col("params").str.contains("0")).then(pl.lit("crash")).otherwise(pl.lit("ok"))
    for rule in ("best", "oracle"):
        found = study.select(table.with_columns(status=status), "seconds", rule)
        assert found["seconds"].to_list() == [5.0, 5.0]
    assert study.select(table, "seconds", "best")["seconds"].to_list() == [0.1, 0.1]


def test_without_a_rule_the_default_is_taken_or_else_cross_validation():
    assert study.select(grid(SCORES, default=0), "f1")["settings"].unique().to_list() == ["default"]
    assert study.select(grid(SCORES), "f1")["settings"].unique().to_list() == ["cv(folds=3,seed=0,settings=3)"]
    one = grid([[0.1, 0.2, 0.3]])
    assert study.select(one, "f1", "oracle")["method"].unique().to_list() == ["x"]  # nothing was chosen


def test_runs_are_scored_if_the_score_is_not_there():
    cells = {"series": ["a"] * 2, "method": ["x"] * 2, "params": ["1", "2"], "n": [100] * 2, "truth": [[50]] * 2}
    runs = pl.DataFrame({**cells, "pred": [[40], [47]], "error": [None, None]})
    found = study.select(runs, "f1", "best", margin=5)
    assert found.select("params", "f1(margin=5)").rows() == [("2", 1.0)]
    assert study.select(runs, "f1(margin=10)", "best")["params"].to_list() == ["1"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: study.select(grid(SCORES), "f1", "tuned"), "settings = 'tuned' is unknown; expected 'default', 'cv', 'split', 'best', 'oracle', 'each' or None"),
        (lambda: study.select(grid(SCORES), "f1", "default"), "method 'x' has 3 settings, and none is marked as default; expected settings='cv', 'split', 'best', 'oracle' or 'each'"),
        (lambda: study.select(grid([[1.0], [0.5]]), "f1", "cv"), "there is 1 series; cross-validation needs at least 2"),
        (lambda: study.select(grid([[1.0], [0.5]]), "f1", "split"), "there is 1 series; a split needs at least 2"),
        (lambda: study.select(grid(np.eye(2, 4).tolist(), groups=["g"] * 4), "f1", "split"), "there is 1 group; a split needs at least 2"),
        (lambda: study.select(HALVES.filter((pl.col("method") == "y") | (pl.col("series") != "s0")), "f1", "split"), "method 'x' was run on none of the series on which its setting for series 's1' is chosen; expected runs on more series, or another seed="),
        (lambda: study.select(pl.concat([grid(SCORES), grid(SCORES, method="y").filter(series="s1")]), "f1", "cv"), "method 'y' was run on none of the series on which its setting for series 's1' is chosen; expected runs on more series, or another seed="),
        (lambda: study.select(grid(SCORES).rename({"f1": "own"}), "own", "best"), "column 'own' is not a metric of segscore, so its direction is unknown; expected Column('own', best='high') or Column('own', best='low')"),
        (lambda: study.select(grid(SCORES), "covering"), "runs have no column 'covering'; they have series, group, method, params, default, f1; expected this column, or truth, pred and n (or duration, or start and end) to compute it"),
        (lambda: study.select(grid(SCORES).drop("series"), "f1"), "runs have no column 'series'; they have group, method, params, default, f1"),
        (lambda: study.select(grid(SCORES).with_columns(default=True), "f1"), "method 'x' has 3 settings that are marked as default; expected one"),
        (lambda: study.select(grid([[1.0, 0.5], [0.5, 1.0]], groups=["g", "h"]).with_columns(series=pl.lit("s0")), "f1", "cv"), "series 's0' is in the groups 'g' and 'h'; expected one group per series"),
    ],
)  # fmt: skip
def test_what_cannot_be_chosen_is_refused(call, message):
    with pytest.raises(ValueError, match=r"expected|needs|have") as caught:
        call()
    assert str(caught.value) == message


def test_boards_refuse_lines_with_different_choices():
    table = grid(SCORES, default=0)
    other = study.select(grid(SCORES, default=0, method="y"), "f1", "default")
    mixed = pl.concat([study.select(table, "f1", "cv"), other])
    with pytest.raises(ValueError, match="different rules") as caught:
        ss.leaderboard(mixed, "f1")
    assert str(caught.value) == (
        "settings were chosen by different rules: cv(folds=3,seed=0,settings=3), default; expected one rule, or mixed=True"
    )
    with pytest.raises(ValueError, match=f"^{re.escape(str(caught.value))}$"):
        ss.publication(mixed, ["f1"])
    assert len(ss.leaderboard(mixed, "f1", mixed=True).methods) == 2
    assert len(ss.publication(mixed, ["f1"], mixed=True).to_polars()) == 2
    for rule in ("oracle", "best"):  # references stand on every board, and are not ranked
        board = ss.leaderboard(pl.concat([study.select(table, "f1", rule), other]), "f1")
        assert (board.methods, [line.method for line in board.references]) == (["y"], [f"x ({rule})"])
    message = (
        "method 'x' has several settings on series 's0' (column params); expected one, as segscore.study.select chooses"
    )
    for call in (lambda: ss.leaderboard(table, "f1"), lambda: ss.publication(table, ["f1"])):
        with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
            call()
    assert ss.leaderboard(study.select(table, "f1", "cv"), "f1").methods == ["x"]


def test_a_split_scores_only_series_on_which_nothing_was_chosen():
    # Each setting solves two series. A setting that is chosen on one half solves nothing in the other half.
    rng = np.random.default_rng(1)
    for seed in range(20):
        scores = rng.random((3, 9))
        table = grid(scores.tolist())
        found = study.select(table, "f1", "split", seed=seed)
        scored = found["series"].to_list()
        assert len(scored) == 5
        assert found["params"].n_unique() == 1
        chosen = int(found["params"][0][5:-1])
        others = [k for k in range(9) if f"s{k}" not in scored]
        assert chosen == scores[:, others].mean(axis=1).argmax()
        assert found["settings"].unique().to_list() == [f"split(of=9,on=4,seed={seed},settings=3)"]


def test_a_split_depends_on_the_seed_and_the_names_of_the_series_alone():
    table = pl.concat([grid(np.random.default_rng(0).random((2, 10)).tolist(), method=name) for name in "xy"])
    halves = [frozenset(study.select(table, "f1", "split", seed=seed)["series"]) for seed in range(12)]
    assert len(set(halves)) > 3
    for shuffled in (table.reverse(), table.sample(fraction=1, shuffle=True, seed=3), table.filter(method="y")):
        again = [frozenset(study.select(shuffled, "f1", "split", seed=seed)["series"]) for seed in range(12)]
        assert again == halves
    other = grid([[0.1] * 10], method="z")  # a method with one setting is scored on the same half
    both = study.select(pl.concat([table, other]), "f1", "split")
    assert {frozenset(part["series"]) for _, part in both.group_by("method")} == {halves[0]}
    assert frozenset(study.select(other, "f1", "split")["series"]) == halves[0]


def test_a_split_keeps_groups_together():
    groups = [f"g{k % 5}" for k in range(20)]
    for seed in range(8):
        table = grid(np.random.default_rng(seed).random((2, 20)).tolist(), groups=groups)
        found = study.select(table, "f1", "split", seed=seed)
        kept = set(found["group"])
        assert len(kept) == 3
        assert (
            found["series"].to_list()
            == table.filter(pl.col("group").is_in(kept))["series"].unique(maintain_order=True).to_list()
        )
        assert found["settings"][0] == f"split(groups=1,of=5,on=2,seed={seed},settings=2)"


def test_tests_after_a_split_hold_their_level():
    # Two detectors that know nothing, one of them with 20 settings: no choice may make it look better.
    rng = np.random.default_rng(5)
    wins = {"split": 0.0, "best": 0.0}
    for _ in range(60):
        table = pl.concat([grid(rng.random((20, 20)).tolist()), grid(rng.random((1, 20)).tolist(), method="y")])
        for rule in wins:
            means = study.select(table, "f1", rule).group_by(pl.col("method").str.head(1)).agg(pl.col("f1").mean())
            means = dict(means.iter_rows())
            wins[rule] += (means["x"] - means["y"]) / 60
    assert abs(wins["split"]) < 0.05 < wins["best"]


def test_how_settings_were_chosen_stands_once(tmp_path):
    rng = np.random.default_rng(2)
    table = pl.concat([grid(rng.random((k, 12)).tolist(), method=name) for name, k in (("x", 3), ("y", 7), ("z", 1))])
    cv = "chosen by 5-fold cross-validation over 3 to 7 settings"
    split = "chosen on a random 6 of 12 series, which are not scored (3 to 7 settings)"
    for rule, words in (
        ("cv", cv),
        ("split", split),
        ("best", "best for all series, chosen on these series (3 to 7 settings)"),
    ):
        chosen = study.select(table, "f1", rule)
        chosen.write_csv(tmp_path / "a.csv")
        for scores in (chosen, pl.read_csv(tmp_path / "a.csv"), chosen.to_pandas()):
            board = ss.leaderboard(scores, "f1")
            assert f" Settings: {words}. " in board.to_markdown()
            assert sorted(board.methods) == (["z"] if rule == "best" else ["x", "y", "z"])
            assert [line.method for line in board.references] == (["x (best)", "y (best)"] if rule == "best" else [])
            caveat = (
                "Settings were chosen by 5-fold cross-validation over 3 to 7 settings on these series: tests at the 5 % level "
                'find a false difference in 10 to 15 % of such studies. Settings that are chosen with "split" have valid tests.'
            )
            assert [note for note in board.notes if "Settings" in note] == ([caveat] if rule == "cv" else [])
    alone = ss.leaderboard(study.select(table.filter(method="z"), "f1", "cv"), "f1")  # nothing was chosen
    assert not any("Settings" in note for note in alone.notes)
    assert " Settings: one per method. " in alone.to_markdown()


def test_unknown_choices_beside_known_ones_are_refused():
    chosen = study.select(grid(SCORES), "f1", "cv")
    other = grid([[0.3, 0.2, 0.1]], method="y")
    for unknown in (pl.lit(None, pl.String), pl.lit("")):
        mixed = pl.concat([chosen, other.with_columns(settings=unknown)], how="diagonal")
        message = (
            "column 'settings' is null for method 'y' and 'cv(folds=3,seed=0,settings=3)' elsewhere; expected the rule by "
            "which each setting was chosen, or mixed=True"
        )
        for call in (ss.leaderboard, ss.publication):
            with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
                call(mixed, "f1") if call is ss.leaderboard else call(mixed, ["f1"])
        assert len(ss.leaderboard(mixed, "f1", mixed=True).methods) == 2
    assert ss.leaderboard(other.with_columns(settings=pl.lit(None, pl.String)), "f1").methods == ["y"]


def test_lines_of_two_seeds_are_two_rules():
    both = [study.select(grid(SCORES, method=name), "f1", "cv", seed=seed) for seed, name in enumerate("xy")]
    with pytest.raises(ValueError, match="different rules"):
        ss.leaderboard(pl.concat(both), "f1")


@pytest.mark.slow
def test_a_report_of_runs_over_a_grid_chooses_a_setting(tmp_path):
    cells = [(series, setting) for series in ("a", "b") for setting in (1, 2)]
    runs = pl.DataFrame(
        {
            "series": [series for series, _ in cells], "method": "x", "params": [str(k) for _, k in cells],
            "default": [k == 2 for _, k in cells], "n": 100, "truth": [[50]] * 4, "pred": [[10 * k] for _, k in cells],
        }
    )  # fmt: skip
    page = content(ss.report(runs, tmp_path / "a.html", metrics=["rand_index"]))
    assert [run["rows"] for run in page["runs"]] == [[[[20]]]] * 2  # of one method, with one row
    page = ss.report(runs.with_columns(energy=1.0), tmp_path / "c.html", metrics=[ss.Column("energy", best="low")])
    assert "energy" in page.read_text()
    page = ss.report(runs.drop("default"), tmp_path / "b.html", metrics=["rand_index"]).read_text()
    assert "chosen by 2-fold cross-validation over 2 settings" in page
    assert "x (chosen" not in page


def test_an_oracle_makes_much_of_detectors_that_know_nothing():
    spec = importlib.util.spec_from_file_location("oracle", EXAMPLE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found = module.simulated(series=30, settings=20, seed=1)
    chance = found["chance"]
    assert 0.03 < chance < 0.08
    assert found["oracle"] > 4 * chance
    assert found["best"] < 2.2 * chance
    assert found["cv"] < 1.7 * chance
