"""Names of scores: they carry the options, through every kind of table and file, into boards and captions."""

import polars as pl
import pytest

import segscore as ss

TABLE = pl.DataFrame(
    {
        "series": ["a", "b"] * 2,
        "method": ["x"] * 2 + ["y"] * 2,
        "truth": [[3, 8]] * 4,
        "pred": [[4, 8], [3, 8], [5, 8], []],
        "n": [10] * 4,
    }
)


@pytest.mark.parametrize("given", [{"margin": 1}, {"relative_margin": 0.1}])
def test_the_common_margin_is_part_of_each_name_that_has_none(given):
    found = ss.score(TABLE, metrics=["f1", "f1(margin=2)", "covering", "f1(beta=2)"], **given)
    ((key, value),) = given.items()
    names = [f"f1({key}={value})", "f1(margin=2)", "covering", "f1(beta=2,margin=1)"]
    names[3] = ss.metric("f1", beta=2, **given)
    assert found.columns[5:] == names
    assert found[names[0]].to_list() == [ss.f1(*sides, n=10, **given) for sides in TABLE.select("truth", "pred").rows()]


def test_the_caption_names_the_margin_of_the_scores_after_any_file(tmp_path):
    scores = ss.score(TABLE, metrics=["f1"], margin=1)
    scores.write_parquet(tmp_path / "scores.parquet")
    flat = scores.drop("truth", "pred")
    flat.write_csv(tmp_path / "scores.csv")
    for read in (
        pl.read_parquet(tmp_path / "scores.parquet"),
        pl.read_csv(tmp_path / "scores.csv"),
        scores.to_pandas(),
    ):
        assert ss.leaderboard(read, "f1").heading.startswith("f1(margin=1), 2 series")
        assert ss.publication(read, ["f1"]).caption.startswith("Mean F1 at margin 1 (ends included")
    old = flat.rename({"f1(margin=1)": "f1"})
    assert ss.leaderboard(old, "f1").heading.startswith("f1 (margin not recorded), 2 series")
    for call in (ss.leaderboard, ss.publication):
        with pytest.raises(TypeError, match="margin"):
            call(scores, "f1", margin=50)


def test_a_short_name_is_the_only_column_of_its_metric():
    both = ss.score(TABLE, metrics=["f1(margin=1)", "f1(margin=2,beta=2)"])
    assert ss.leaderboard(both, "f1(beta=2)").metric == "f1(margin=2,beta=2)"
    message = r"^f1 fits f1\(margin=1\) and f1\(margin=2,beta=2\); expected one of these names$"
    for call in (
        lambda: ss.leaderboard(both, "f1"),
        lambda: ss.publication(both, ["f1"]),
        lambda: ss.charts.cost(both, "f1"),
    ):
        with pytest.raises(ValueError, match=message):
            call()
    assert ss.compare([3], [4], n=9, metrics=["f1"], margin=1).f1 == 1.0


def test_more_scores_can_be_added_to_a_scored_table():
    grid = pl.concat([TABLE.with_columns(params=pl.lit(f'{{"k":{k}}}')) for k in range(2)])
    chosen = ss.study.select(grid, "f1", "best", margin=1)
    more = ss.score(chosen, metrics=["f1", "covering"], margin=1)
    assert more.columns == [*chosen.columns, "covering"]
    assert more["f1(margin=1)"].to_list() == chosen["f1(margin=1)"].to_list()
    wrong = TABLE.with_columns(covering=pl.lit(7.0))
    wanted = ss.score(TABLE, metrics=["covering"])["covering"].to_list()
    for given in (wrong, wrong.lazy(), wrong.to_arrow(), wrong.to_pandas()):
        found = ss.score(given, metrics=["covering"])
        found = found.collect() if isinstance(found, pl.LazyFrame) else pl.DataFrame(found)
        assert found["covering"].to_list() == wanted
        assert found.columns == wrong.columns


@pytest.mark.parametrize("asked", ["f1(margin=5)", "covering"])
def test_a_table_that_lacks_a_score_says_to_call_score_first(asked):
    scores = ss.score(TABLE, metrics=["f1"], margin=1)
    for call in (ss.leaderboard, lambda table, name: ss.publication(table, [name])):
        with pytest.raises(ValueError, match=r"expected this column; call score first, with metrics="):
            call(scores, asked)
