"""Leaderboards: standings, ranks, failures and names."""

import math
import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import segscore as ss
from segscore.boards.failures import ranked
from segscore.boards.intervals import interval
from segscore.cli import main


def table(values, metric="rand_index"):
    """Return a table of scores: a row of values for each method, nan where it failed."""
    rows = [
        (f"m{m}", f"s{s:02}", None if np.isnan(value) else float(value))
        for m, own in enumerate(values)
        for s, value in enumerate(own)
    ]
    return pl.DataFrame(rows, schema=["method", "series", metric], orient="row", infer_schema_length=None)


def scores(methods=4, series=20, seed=0):
    rng = np.random.default_rng(seed)
    return np.clip(rng.normal(0.6, 0.15, (methods, series)) + 0.08 * np.arange(methods)[:, None], 0, 1)


cells = st.one_of(st.just(np.nan), st.integers(0, 3).map(float), st.just(np.inf))


@given(st.integers(1, 5).flatmap(lambda k: st.lists(st.lists(cells, min_size=k, max_size=k), min_size=1, max_size=6)))
def test_ranks_are_those_of_scipy_with_failures_last(columns):
    values = np.array(columns).T
    worst = np.where(np.isnan(values), -1.0, values)  # below all others
    assert np.array_equal(ranked(values), stats.rankdata(-worst, axis=0))


def test_standings():
    values = scores()
    values[1, 3] = np.nan
    board = ss.leaderboard(table(values))
    assert board.methods == ["m3", "m2", "m1", "m0"]
    filled = np.nan_to_num(values)
    ranks = stats.rankdata(-filled, axis=0)
    for standing in board.standings:
        own = values[int(standing.method[1:])]
        known = filled[int(standing.method[1:])]
        assert standing.mean == pytest.approx(known.mean())
        assert standing.median == pytest.approx(np.median(known))
        assert standing.rank == pytest.approx(ranks[int(standing.method[1:])].mean())
        assert standing.failed == (1 if standing.method == "m1" else 0)
        assert (standing.scored, standing.run, standing.averaged) == (20 - standing.failed, 20, 20)
        assert standing.wins == int((own == np.nanmax(values, axis=0)).sum())
        assert (standing.low, standing.high, standing.rough) == interval(known)
    assert board.standings == ss.leaderboard(table(values)).standings
    assert np.array_equal(board.values, filled[::-1])
    assert np.array_equal(board.scores, values[::-1], equal_nan=True)


def test_less_is_better_for_distances():
    board = ss.leaderboard(table([[1.0, 2.0], [0.0, 5.0], [3.0, 3.0]], "hausdorff"), "hausdorff")
    assert [(s.method, s.rank, s.wins) for s in board.standings] == [("m0", 1.5, 1), ("m1", 2.0, 1), ("m2", 2.5, 0)]


@pytest.mark.parametrize("column", ["method", "series"])
def test_null_and_the_text_null_are_not_merged(tmp_path, column):
    names = {"method": ["x", "x", "x", "x"], "series": ["a", "b", "c", "d"]} | {column: [None, "null", "x", "y"]}
    scores = pl.DataFrame({**names, "f1": [0.5, 1.0, 0.5, 1.0]})
    message = (
        f"column '{column}' holds both null and the text 'null', which would become one name; expected another text "
        "in place of one of them"
    )
    for made in (ss.leaderboard, lambda table, metric: ss.report(table, tmp_path / "x.html", metrics=[metric])):
        with pytest.raises(ValueError, match=rf"^{re.escape(message)}$"):
            made(scores, "f1")
    scores.write_parquet(tmp_path / "scores.parquet")
    found = CliRunner().invoke(main, ["summary", str(tmp_path / "scores.parquet")])
    assert (found.exit_code, found.output) == (2, f"segscore: {tmp_path / 'scores.parquet'}: {message}\n")
    for alone in (scores.filter(pl.col(column).is_not_null()), scores.filter(pl.col(column).ne_missing("null"))):
        board = ss.leaderboard(alone, "f1")  # each method was run on one of three series, so that none is ranked
        assert "null" in (board.all_series if column == "series" else [s.method for s in board.others])
    # In pandas nan is a missing name, and "NaN" is a text.
    frame = pd.DataFrame({**names, column: [np.nan, "NaN", "x", "y"], "f1": [0.5, 1.0, 0.5, 1.0]})
    board = ss.leaderboard(frame, "f1")
    kept = board.all_series if column == "series" else [s.method for s in board.others]
    assert sorted(kept) == ["NaN", "null", "x", "y"]


def test_rows_that_are_missing_twice_or_infinite():
    given = pl.DataFrame(
        {
            "method": ["a", "a", "a", "b", "c", "c", "d", "d"],
            "series": ["x", "x", "y", "x", "x", "y", "x", "y"],
            "hausdorff": [1.0, 3.0, None, 5.0, 4.0, float("inf"), 6.0, float("nan")],
        }
    )
    board = ss.leaderboard(given, "hausdorff")  # b was not run on y, and d failed there
    assert (board.series, board.total) == (["x"], 2)
    assert [(s.method, s.mean, s.rank) for s in board.standings] == [("a", 2, 1), ("c", 4, 2), ("b", 5, 3), ("d", 6, 4)]
    assert {s.method: s[9:] for s in board.standings} == {
        "a": (1, 2, 1, 0, 0, 0),
        "b": (1, 1, 0, 0, 1, 0),
        "c": (2, 2, 0, 0, 0, 0),
        "d": (1, 2, 1, 0, 0, 0),
    }
    omitted = board.under("omit")
    assert [(s.method, s.mean, s.averaged) for s in omitted.standings] == [
        *(("c", 4, 1), ("a", 2, 1), ("b", 5, 1), ("d", 6, 1)),  # ranks 1.5, 1.75, 2.75 and 3.25
    ]


def test_what_is_no_leaderboard():
    with pytest.raises(ValueError, match=r"scores have no column 'f1'; they have method, series, rand_index"):
        ss.leaderboard(table([[1.0]]), "f1")
    empty = ss.leaderboard(table([[1.0]]).clear())
    assert empty.standings == []
    assert empty.differences().conclusion == "There is nothing to compare: 0 methods on 0 series."
    alone = ss.leaderboard(table([[1.0, 0.5]])).differences()
    assert alone.conclusion == "There is nothing to compare: 1 method on 2 series."


def test_columns_that_hold_no_scores():
    with pytest.raises(ValueError, match="column 'series' holds 's00'; expected numbers"):
        ss.leaderboard(table([[1.0]]), ss.Column("series", best="high"))


def test_what_has_no_name_is_named():
    scores = pl.DataFrame(
        {
            "series": [1.0, math.nan] * 3,
            "method": [math.nan] * 2 + [None] * 2 + [1.5] * 2,
            "f1": [0.9, 0.8, 0.6, 0.7, 0, 0],
        }
    )
    board = ss.leaderboard(scores, "f1")
    assert board.methods == ["NaN", "null", "1.5"]
    assert board.series == ["1.0", "NaN"]
    assert board.values.tolist() == [[0.9, 0.8], [0.6, 0.7], [0, 0]]
    table = pl.DataFrame({"series": ["a"], "method": [[1]], "f1": [1.0]})
    with pytest.raises(ValueError, match=r"^column 'method' holds List\(Int64\); expected names: text or numbers$"):
        ss.leaderboard(table, "f1")


@pytest.mark.parametrize(
    ("metric", "best"), [("hausdorff", "m0"), ("window_diff(k=20)", "m0"), ("f1(margin=5)", "m1"), ("seconds", "m0")]
)
def test_metrics_with_options_are_ranked_in_their_direction(metric, best):
    board = ss.leaderboard(table([[0.1, 0.2], [0.6, 0.5]], metric), metric)
    assert board.methods[0] == best and board.standings[0].rank == 1


def test_a_metric_is_found_in_any_spelling():
    assert ss.leaderboard(table([[0.1], [0.6]], "f1(margin=5,beta=2)"), "f1(beta=2.0, margin=5)").methods[0] == "m1"
