"""Rows that are not there: missing, unreadable and undefined rows, and tables of every kind."""

import itertools
import math

import numpy as np
import polars as pl
import pytest

import segscore as ss
from segscore.tables import files

NAMES = ["f1", "covering", "mean_error", "median_error", "pk"]


def results(methods=("crashes", "good", "shy"), count=24):
    """Return results: one method crashes on every fourth series, one never cuts on every third."""
    rng, rows = np.random.default_rng(3), []
    for k, method in itertools.product(range(count), methods):
        truth = sorted(rng.choice(np.arange(1, 60), 3, replace=False).tolist())
        pred, status = [cut + 1 for cut in truth], "ok"
        if method == "crashes" and k % 4 == 0:
            pred, status = None, "crash"
        elif method == "shy":
            pred = [] if k % 3 == 0 else [30]
        if method == "good":
            pred = truth[: 1 + k % 3]
        rows.append((f"s{k:02}", method, 64, truth, pred, status, 0.1 * k + 0.1))
    kinds = {"series": pl.String, "method": pl.String, "n": pl.Int64, "truth": pl.List(pl.Int64)}
    kinds |= {"pred": pl.List(pl.Int64), "status": pl.String, "seconds": pl.Float64}
    return pl.DataFrame(rows, kinds, orient="row")


def read_back(frame, path):
    """Return what the library reads of a CSV file that pandas wrote."""
    frame.to_csv(path, index=False)
    return files.read(str(path), scores=[*NAMES, "seconds"])


@pytest.mark.parametrize("evidence", ["all", "pred alone", "status alone"])
def test_the_same_study_has_the_same_board_through_every_door(tmp_path, evidence):
    table = results()
    dropped = {"all": [], "pred alone": ["status"], "status alone": ["pred"]}[evidence]
    scores = ss.score(table, metrics=NAMES, margin=2).drop(dropped)
    frame = ss.score(table.to_pandas(), metrics=NAMES, margin=2).drop(columns=dropped)
    own = [name for name in scores.columns if name not in table.columns]
    duckdb = pytest.importorskip("duckdb")
    relation = duckdb.connect().from_arrow(scores.to_arrow())
    doors = {
        "pandas": frame,
        "pyarrow": ss.score(table.to_arrow(), metrics=NAMES, margin=2).drop_columns(dropped),
        "duckdb": relation,
        "Polars with nan": scores.with_columns(pl.col(own).fill_null(math.nan)),
        "Polars with null": scores.with_columns(pl.col(own).fill_nan(None)),
        "pandas with its own nulls": frame.convert_dtypes(),
        "csv of pandas": read_back(frame, tmp_path / "scores.csv"),
    }
    for name in [*own, "seconds"]:
        board = ss.leaderboard(scores, name)
        for door, given in doors.items():
            other = ss.leaderboard(given, name)
            assert other.states.tolist() == board.states.tolist(), (door, name)
            assert other.places == board.places, (door, name)
            assert other == board and repr(other) == repr(board), (door, name)
    (f1,) = (ss.leaderboard(scores, name) for name in own if name.startswith("f1"))
    assert {s.method: (s.scored, s.failed, s.undefined) for s in f1.standings} == {
        "good": (24, 0, 0),
        "shy": (24, 0, 0),
        "crashes": (18, 6, 0),
    }
    errors = ss.leaderboard(scores, "mean_error")
    assert {s.method: (s.scored, s.failed, s.undefined) for s in errors.standings}["shy"] == (16, 0, 8)
    assert {s.method: (s.scored, s.failed, s.undefined) for s in errors.standings}["crashes"] == (18, 6, 0)


def test_nan_of_a_score_that_is_always_defined_is_a_failure_without_any_other_column():
    rows = {"method": ["a"] * 4 + ["b"] * 4, "series": list("wxyz") * 2}
    values = [1.0, 1.0, 1.0, math.nan, 0.9, 0.9, 0.9, 0.9]
    as_null = [None if value != value else value for value in values]
    for name in ("f1", "covering", "rand_index", "seconds", "annotated_f1", "f1(margin=3)"):
        board = ss.leaderboard(pl.DataFrame({**rows, name: values}), name)
        assert board == ss.leaderboard(pl.DataFrame({**rows, name: as_null}), name), name
        assert {s.method: (s.failed, s.undefined) for s in board.standings} == {"a": (1, 0), "b": (0, 0)}, name
        assert board.methods[0] == ("a" if name == "seconds" and board.rising else "b"), name
    board = ss.leaderboard(pl.DataFrame({**rows, "mean_error": values}), "mean_error")
    assert {s.method: (s.failed, s.undefined) for s in board.standings} == {"a": (0, 1), "b": (0, 0)}


def test_the_catalog_knows_which_scores_are_always_defined():
    names = [name for name, metric in ss.METRICS.items() if metric.column is None]
    rows = []
    for n in range(1, 7):
        sides = [[*cuts] for count in range(n) for cuts in itertools.combinations(range(1, n), count)]
        rows += [(truth, pred, n) for truth in sides for pred in sides]
    kinds = {"truth": pl.List(pl.Int64), "pred": pl.List(pl.Int64), "n": pl.Int64}
    table = pl.DataFrame(rows, kinds, orient="row")
    for margin in (0, 1, 9):
        found = ss.score(table, metrics=names, margin=margin)
        scores = found.drop(table.columns)
        assert scores.null_count().sum_horizontal().item() == 0
        undefined = [ss.METRICS[name.split("(")[0]] for name in scores.columns if scores[name].is_nan().any()]
        assert not [metric.name for metric in undefined if metric.is_always_defined]
    partial = {name for name, metric in ss.METRICS.items() if not metric.is_always_defined}
    assert partial == {metric.name for metric in undefined} | {"average_precision"}


def test_left_out_failures_do_not_help_silently():
    rng = np.random.default_rng(0)
    rows = [
        (method, f"s{k:02}", float(np.clip(level + 0.05 * rng.standard_normal() - 0.6 * (k < 30) * hard, 0, 1)))
        for method, level, hard in (("first", 0.8, 0), ("second", 0.7, 0), ("fragile", 0.9, 1))
        for k in range(75)
    ]
    full = pl.DataFrame(rows, ["method", "series", "covering"], orient="row")
    failed = full.with_columns(
        covering=pl.when((pl.col("method") == "fragile") & (pl.col("series") < "s30")).then(None).otherwise("covering")
    )
    assert ss.leaderboard(failed, "covering").places["fragile"] == 3
    board = ss.leaderboard(failed.drop_nulls(), "covering")
    assert board.places["fragile"] == 1
    assert board.notes == [
        "30 series are left out, because some ranked methods were not run there.",
        "fragile: no score on 30 of 75 series (30 not run); 3rd of 3 if rows without a score count as failures.",
    ]
    assert board.with_gaps_failed == ss.leaderboard(failed.drop_nulls(), "covering", missing="failed")
    assert board.with_gaps_failed.places == ss.leaderboard(failed, "covering").places


def test_many_methods_with_gaps_are_counted():
    rows = [(f"m{m:02}", f"s{k}", m / 20 + k / 100) for m in range(12) for k in range(6) if k != m % 6]
    board = ss.leaderboard(pl.DataFrame(rows, ["method", "series", "covering"], orient="row"), "covering")
    assert board.series == []
    assert sum("no score on 1 of 6 series (1 not run)" in note for note in board.notes) == 8
    assert board.notes[-1] == "4 other methods failed or have no score on some series."


def test_a_third_method_changes_nothing_between_two():
    rng = np.random.default_rng(7)
    for metric, policy in itertools.product(("covering", "hausdorff"), ("worst", "common", "omit")):
        values = rng.random((3, 30)).round(2)
        rows = [
            (f"m{m}", f"s{k:02}", f"g{k % 11}", None if rng.random() < 0.1 else float(values[m, k]))
            for m in range(3)
            for k in range(30)
            if m == 0 or rng.random() < 0.8
        ]
        table = pl.DataFrame(rows, ["method", "series", "group", metric], orient="row")
        for given in (table, table.drop("group")):
            three = ss.leaderboard(given, metric, failures=policy)
            two = ss.leaderboard(given.filter(pl.col("method") != "m2"), metric, failures=policy)
            (alone,) = two.differences().pairs
            (beside,) = [pair for pair in three.differences().of(alone.method) if pair.other == alone.other]
            kept = ("mean", "low", "high", "wins", "ties", "losses", "n", "p")
            assert repr([getattr(alone, name) for name in kept]) == repr([getattr(beside, name) for name in kept])
            assert beside.n > len(three.series) or policy == "omit"
