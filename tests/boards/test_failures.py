"""How failures count: the states of a study, the four policies, and what is said about them."""

import math
import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import segscore as ss
from segscore.boards.cells import STATES

KERNEL = "kernel, 12 points or more"


@pytest.fixture(scope="module")
def demo():
    """Return the scores of ten detectors on 75 series in 5 signals; one of the detectors fails on 30 series."""
    table = pl.read_parquet(Path(__file__).parents[1] / "five_signals.parquet")
    return ss.score(table, metrics=["f1", "covering", "rand_index", "mean_error"], margin=5, on_error="null")


@pytest.mark.parametrize(
    ("metric", "policy", "place", "mean", "series"),
    [
        ("f1", "omit", 4, 0.834, 75),
        ("f1", "common", 2, 0.834, 45),
        ("f1", "no_cuts", 8, 0.501, 75),
        ("f1", "worst", 8, 0.501, 75),
        ("covering", "omit", 2, 0.913, 75),
        ("covering", "common", 2, 0.913, 45),
        ("covering", "no_cuts", 8, 0.575, 75),
        ("covering", "worst", 8, 0.548, 75),
        ("rand_index", "omit", 2, 0.982, 75),
        ("rand_index", "common", 2, 0.982, 45),
        ("rand_index", "no_cuts", 8, 0.614, 75),
        ("rand_index", "worst", 8, 0.589, 75),
    ],
)
def test_the_place_of_the_failing_detector_of_the_demo(demo, metric, policy, place, mean, series):
    board = ss.leaderboard(demo, metric, failures=policy)
    assert board.methods.index(KERNEL) + 1 == place
    own = board.standings[place - 1]
    assert own.mean == pytest.approx(mean, abs=5e-4)
    assert (len(board.series), board.total) == (series, 75)
    assert (own.scored, own.run, own.failed) == (45, 75, 30)
    assert own.averaged == (75 if policy in ("worst", "no_cuts") else 45)
    assert np.isnan(board.values).any() == (policy == "omit")
    assert board == ss.leaderboard(demo, metric).under(policy)


def test_the_board_of_the_demo_says_what_failures_count_as(demo):
    board = ss.leaderboard(demo, "f1")
    lines = repr(board).splitlines()
    assert lines[0] == "f1(margin=5), 75 series taken as independent, failures count as 0"
    assert lines[1].split() == [
        "method",
        "mean",
        "rough",
        "95",
        "%",
        "interval",
        "median",
        "rank",
        "wins",
        "scored",
        "failed",
    ]
    assert re.fullmatch(r"optimal, number known +0\.9216 .* 75 of 75 +0", lines[2])
    assert re.fullmatch(rf"{KERNEL} +0\.5006 .* 45 of 75 +30", lines[9])
    assert lines[12:] == [
        f"{KERNEL}: 8th of 10 if failures count as a prediction without cuts; 2nd of 10 on the 45 common series.",
    ]
    html = board._repr_html_()
    assert "<td>45 of 75</td><td>30</td>" in html and lines[0] in html and lines[12] in html
    headings = [board.under(policy).heading for policy in ("no_cuts", "common", "omit")]
    assert headings == [
        "f1(margin=5), 75 series taken as independent, failures count as a prediction without cuts",
        "f1(margin=5), 45 of 75 series taken as independent, only series without a failure count",
        "f1(margin=5), 75 series taken as independent, methods are scored on different series",
    ]


def test_undefined_scores_leave_out_series_for_all_methods(demo):
    board = ss.leaderboard(demo, "mean_error")
    assert (len(board.series), board.total) == (21, 75)
    assert not np.isnan(board.values).any()
    counts = {s.method: (s.scored, s.failed, s.undefined) for s in board.standings}
    assert counts["PELT"] == (69, 0, 6)
    assert counts["window of 150"] == (25, 0, 50)
    assert counts["optimal, number known"] == (75, 0, 0)
    assert counts[KERNEL] == (45, 30, 0)
    assert board.heading == "mean_error, 21 of 75 series taken as independent, failures rank last"
    assert board.notes[:3] == [
        "Methods are ordered by mean rank, because mean_error has no finite worst value. Means are over the series "
        "with finite scores.",
        "54 series are left out, because mean_error is undefined for some methods there.",
        "mean_error cannot rank these methods, because mean_error is defined for all of them on only 21 of 75 series. "
        "Use a score that is defined for every prediction, such as covering.",
    ]
    assert [s.rank for s in board.standings] == sorted(s.rank for s in board.standings)


def test_a_failure_has_the_worst_value_of_the_score_in_both_directions():
    rows = {"method": ["a", "a", "b", "b"], "series": ["x", "y"] * 2}
    for metric, worst in (("covering", 0.0), ("pk", 1.0), ("adjusted_rand_index", -1.0)):
        board = ss.leaderboard(pl.DataFrame({**rows, metric: [0.2, None, 0.3, 0.4]}), metric)
        assert board.values[board.methods.index("a")].tolist() == [0.2, worst]
        assert board.methods == ["b", "a"]
        assert f"failures count as {worst:g}" in board.heading
    board = ss.leaderboard(pl.DataFrame({**rows, "hausdorff": [1.0, None, math.inf, 9.0]}), "hausdorff")
    assert board.values.tolist() == [[1, math.inf], [math.inf, 9]]
    assert board.ranks.tolist() == [[1, 2], [2, 1]]
    assert [(s.method, s.mean, s.averaged, s.wins) for s in board.standings] == [("a", 1, 1, 1), ("b", 9, 1, 1)]
    assert "mean over" in repr(board)


def test_a_failure_ranks_last_even_where_no_cuts_would_score_well():
    table = pl.DataFrame(
        {"series": ["x", "x"], "method": ["fails", "wrong"], "n": [10, 10], "truth": [[], []], "pred": [None, [5]]}
    )
    board = ss.leaderboard(ss.score(table, metrics=["covering"]), "covering", failures="no_cuts")
    assert board.methods == ["fails", "wrong"] and board.values[0].tolist() == [1.0]
    assert board.ranks[:, 0].tolist() == [2, 1]
    assert [s.wins for s in board.standings] == [0, 1]
    assert ss.leaderboard(ss.score(table, metrics=["covering"]), "covering").methods == ["wrong", "fails"]


@pytest.mark.parametrize(
    ("scores", "metric", "options", "reason", "remedy"),
    [
        (
            {"f1": [0.5, None]},
            "f1",
            {},
            "the table has no columns truth and n (or duration, or start and end)",
            "these columns",
        ),
        (
            {"f1": [0.5, None], "truth": [[3]] * 2, "n": [9, 9]},
            "f1",
            {},
            "the margin of f1 is not recorded",
            "a column such as 'f1(margin=5)'",
        ),
        (
            {"seconds": [0.5, None]},
            "seconds",
            {},
            "column 'seconds' is not a metric of segscore",
            "a metric of segscore",
        ),
    ],
    ids=["no truth", "no margin", "no metric"],
)
def test_what_has_no_score_without_cuts(scores, metric, options, reason, remedy):
    table = pl.DataFrame({"series": ["x", "y"], "method": ["a", "a"], **scores})
    message = (
        f"failures = 'no_cuts' needs the score of the prediction without cuts on each series, but {reason}; expected "
        f"{remedy}, or failures='worst'"
    )
    with pytest.raises(ValueError, match=rf"^{re.escape(message)}$"):
        ss.leaderboard(table, metric, failures="no_cuts", **options)
    with pytest.raises(ValueError, match=rf"^{re.escape(message)}$"):
        ss.leaderboard(table, metric, **options).under("no_cuts")


def test_options_that_do_not_exist():
    table = pl.DataFrame({"series": ["x"], "method": ["a"], "f1": [0.5]})
    with pytest.raises(
        ValueError, match=r"^failures = 'zero' is unknown; expected 'worst', 'no_cuts', 'common' or 'omit'$"
    ):
        ss.leaderboard(table, "f1", failures="zero")
    with pytest.raises(ValueError, match=r"^missing = 'zero' is unknown; expected 'drop' or 'failed'$"):
        ss.leaderboard(table, "f1", missing="zero")


def study(cells, metric="covering"):
    """Return a table of scores from texts: a number, "failed", "undefined", or nothing for no row."""
    rows = [
        (method, f"s{k}", {"failed": None, "undefined": math.nan}.get(cell, cell))
        for method, own in cells.items()
        for k, cell in enumerate(own)
        if cell != ""
    ]
    return pl.DataFrame(rows, {"method": pl.String, "series": pl.String, metric: pl.Float64}, orient="row")


def test_series_that_a_ranked_method_was_not_run_on_are_left_out():
    table = study({"a": [0.9, 0.8, 0.7, 0.1], "b": [0.5, 0.5, 0.5, ""], "c": [1.0, "", "", ""]})
    board = ss.leaderboard(table, "covering")
    assert board.methods == ["a", "b"] and board.series == ["s0", "s1", "s2"]
    assert board.heading == "covering, 3 of 4 series taken as independent"
    assert [(s.method, s.mean, s.scored, s.run, s.not_run) for s in board.others] == [("c", 1.0, 1, 1, 3)]
    assert math.isnan(board.others[0].rank)
    assert board.notes == [
        "1 series is left out, because some ranked methods were not run there.",
        'Not ranked, because run on fewer than half of the series: "c".',
        "b: no score on 1 of 4 series (1 not run); 2nd of 3 if rows without a score count as failures.",
        "c: no score on 3 of 4 series (3 not run); 3rd of 3 if rows without a score count as failures.",
    ]
    assert [line.split()[0] for line in repr(board).splitlines()[2:5]] == ["a", "b", "c"]
    strict = ss.leaderboard(table, "covering", missing="failed")
    assert strict.methods == ["a", "b", "c"] and len(strict.series) == 4
    assert [s.mean for s in strict.standings] == pytest.approx([0.625, 0.375, 0.25])
    assert [(s.failed, s.not_run) for s in strict.standings] == [(0, 0), (1, 0), (3, 0)]


def test_all_states_at_once():
    table = study({"a": [0.9, 0.8, "undefined", "failed", ""], "b": [0.5] * 5}, "mean_error")
    table = table.with_columns(pred=pl.when(pl.col("mean_error").is_not_null()).then([3]))
    wrong = pl.when((pl.col("method") == "b") & (pl.col("series") == "s1"))
    table = table.with_columns(status=wrong.then(pl.lit("unreadable")).otherwise(pl.lit("ok")))
    table = table.with_columns(mean_error=wrong.then(None).otherwise("mean_error"))
    board = ss.leaderboard(table, "mean_error")
    assert board.methods == ["b", "a"]
    assert [[STATES[state] for state in row] for row in board.states] == [
        ["scored"] * 1 + ["unreadable"] + ["scored"] * 3,
        ["scored", "scored", "undefined", "failed", "not run"],
    ]
    assert board.series == ["s0", "s3"]
    head = repr(board).splitlines()[1]
    assert head.endswith("scored  mean over  failed  undefined  not run  unreadable")
    assert board.notes[1] == "2 series are left out, because some ranked methods were not run or not readable there."
    assert board.notes[-2:] == [
        "b: no score on 1 of 5 series (1 unreadable); 1st of 2 if rows without a score count as failures.",
        "a: 2nd of 2 on the 1 common series; no score on 2 of 5 series (1 undefined, 1 not run); 2nd of 2 if rows "
        "without a score count as failures.",
    ]


def test_a_row_without_a_truth_says_nothing_about_its_method():
    table = pl.DataFrame(
        {
            "series": ["x", "y", "z"] * 2,
            "method": ["a"] * 3 + ["b"] * 3,
            "n": [10] * 6,
            "truth": [[5], None, [3]] * 2,
            "pred": [[5], [4], [3], [4], [4], None],
        }
    )
    board = ss.leaderboard(ss.score(table, metrics=["covering"]), "covering")
    assert [(s.method, s.scored, s.failed, s.not_run) for s in board.standings] == [("a", 2, 0, 1), ("b", 1, 1, 1)]
    assert board.series == ["x", "z"]
    strict = ss.leaderboard(ss.score(table, metrics=["covering"]), "covering", missing="failed")
    assert strict.series == ["x", "z"]  # no method was run on y
    people = table.select("series", pl.col("truth").alias("change_points")).filter(pl.col("series") != "y").head(2)
    runs = table.select("series", "method", "n", pl.col("pred").alias("change_points"))
    joined = ss.score_long(runs, people, metrics=["covering"])
    assert ss.leaderboard(joined, "covering").states.tolist() == board.states.tolist()


def test_rows_of_one_series_are_filled_and_then_averaged():
    table = pl.DataFrame({"series": ["x"] * 3, "method": ["a"] * 2 + ["b"], "covering": [0.8, None, 0.3]})
    board = ss.leaderboard(table, "covering")
    assert board.values.tolist() == [[0.4], [0.3]]
    assert [s.failed for s in board.standings] == [1, 0]  # a method that failed on a repeat failed on the series
    assert ss.leaderboard(table, "covering", failures="common").series == []


def test_the_order_of_the_rows_changes_no_bit():
    rng = np.random.default_rng(0)
    rows = [
        (f"m{m}", f"s{s}", f"g{s % 12}", None if rng.random() < 0.05 else float(rng.random()))
        for m in range(4)
        for s in range(25)
        for _ in range(3)
    ]
    table = pl.DataFrame(rows, ["method", "series", "group", "covering"], orient="row")
    board = ss.leaderboard(table, "covering")
    assert board.groups == [f"g{int(s[1:]) % 12}" for s in board.series]
    assert math.isfinite(board.standings[0].low)
    for seed in range(5):
        again = ss.leaderboard(table.sample(fraction=1, shuffle=True, seed=seed), "covering")
        assert again == board and repr(again) == repr(board)
    tied = pl.DataFrame({"method": ["b", "c", "a"], "series": ["x"] * 3, "covering": [0.5] * 3})
    assert ss.leaderboard(tied, "covering").methods == ["a", "b", "c"]


def test_a_series_has_one_group():
    table = pl.DataFrame({"method": ["a", "b"], "series": ["x", "x"], "group": ["g", "h"], "f1": [0.5, 0.6]})
    with pytest.raises(ValueError, match=r"^series 'x' is in the groups 'g' and 'h'; expected one group per series$"):
        ss.leaderboard(table, "f1")


def test_a_series_without_a_group_is_a_group_of_its_own():
    rows = [(m, f"s{s:02}", (s * 7 + ord(m)) % 10 / 10) for m in "ab" for s in range(20)]
    table = pl.DataFrame(rows, ["method", "series", "f1"], orient="row")
    alone = ss.leaderboard(table, "f1")
    for empty in (pl.lit(None), pl.lit(None, pl.String)):  # as a study writes series that have no group
        board = ss.leaderboard(table.with_columns(group=empty), "f1")
        assert board.groups is None and board == alone
    first = pl.when(pl.col("series") < "s02").then(pl.lit("first"))
    assert ss.leaderboard(table.with_columns(group=first), "f1").groups == ["first"] * 2 + alone.series[2:]


def test_a_score_worse_than_the_worst_is_refused():
    table = pl.DataFrame({"method": ["a", "b"], "series": ["x", "x"], "pk": [40.0, None]})
    message = (
        "column 'pk' holds 40, which is worse than its worst value 1; expected Column('pk', best='low', worst=...) "
        "with the worst value, or None"
    )
    with pytest.raises(ValueError, match=rf"^{re.escape(message)}$"):
        ss.leaderboard(table, "pk")
    assert ss.leaderboard(table, ss.Column("pk", best="low", worst=100)).methods == ["a", "b"]


def test_methods_that_are_equal_share_a_place():
    table = pl.DataFrame(
        {
            "method": ["a", "a", "b", "b", "c", "c"],
            "series": ["x", "y"] * 3,
            "f1": [None, 0.5, None, 0.5, 1.0, 1.0],
        }
    )
    board = ss.leaderboard(table, "f1")
    assert board.places == {"c": 1, "a": 2, "b": 2}
    assert board.notes == ["a: 2nd of 3 on the 1 common series.", "b: 2nd of 3 on the 1 common series."]
    # The first place does not change if the first method becomes one of several that are first.
    level = table.with_columns(f1=pl.when(pl.col("series") == "y").then(0.5).otherwise("f1"))
    assert ss.leaderboard(level, "f1", failures="common").places == {"a": 1, "b": 1, "c": 1}
    assert "is first" not in ss.leaderboard(level, "f1").differences().conclusion
    empty = ss.leaderboard(table.with_columns(f1=pl.when(pl.col("method") != "a").then("f1")), "f1", failures="omit")
    assert empty.places == {"c": 1, "b": 2, "a": 3}  # without a score


def test_without_a_common_series_only_that_is_said():
    cuts = {"truth": [[3]] * 2, "n": [9, 9]}
    table = pl.DataFrame({"method": ["a", "b"], "series": ["x", "x"], "mean_error": [0.0, None], **cuts})
    # Without cuts, mean_error is undefined, so there is no place under that policy.
    assert ss.leaderboard(table, "mean_error").notes[1:] == ["b: no series is common to all methods."]
    board = ss.leaderboard(table, "mean_error")
    assert math.isnan(board.standings[1].mean)  # failures have no mean
    assert board.standings[1].median == math.inf
    infinite = ss.leaderboard(table.with_columns(mean_error=pl.Series([0.0, math.inf])), "mean_error")
    assert infinite.standings[1].mean == math.inf  # but an infinite distance is a number


def test_only_a_score_wins():
    table = pl.DataFrame(
        {"method": ["a", "a", "b", "b"], "series": ["x", "y"] * 2, "f1": [None, 0.0, None, 0.0]},
        schema_overrides={"f1": pl.Float64},
    )
    # On x both methods failed, so they share the first rank there, but nobody won.
    assert [(s.method, s.wins, s.rank) for s in ss.leaderboard(table, "f1").standings] == [("a", 1, 1.5), ("b", 1, 1.5)]


def test_unreadable_rows_are_not_runs():
    table = pl.DataFrame(
        {"method": ["a", "a"], "series": ["x", "y"], "f1": [0.5, None], "status": ["ok", "unreadable"]}
    )
    (found,) = ss.leaderboard(table, "f1").standings
    assert (found.scored, found.run, found.failed, found.unreadable) == (1, 1, 0, 1)
    assert "1 of 1" in repr(ss.leaderboard(table, "f1")).splitlines()[2]


def test_rows_with_opposite_infinities_have_no_mean():
    table = pl.DataFrame({"method": ["a", "a", "a"], "series": ["x", "x", "y"], "e": [math.inf, -math.inf, 1.0]})
    (found,) = ss.leaderboard(table, ss.Column("e", "low")).standings
    assert (found.scored, found.undefined, found.mean) == (1, 1, 1.0)


@pytest.mark.parametrize(("series", "is_enough"), [(2, True), (3, False)])
def test_a_score_that_is_defined_on_fewer_than_half_of_the_series_cannot_rank(series, is_enough):
    values = [1.0] * (4 - series) + [math.nan] * series
    table = pl.DataFrame({"method": ["a"] * 4, "series": list("wxyz"), "mean_error": values})
    notes = " ".join(ss.leaderboard(table, "mean_error").notes)
    assert ("mean_error cannot rank these methods" in notes) == (not is_enough)
