"""Tables: each row is what the functions say, whatever the table is made of and however it is cut up."""

import dataclasses
import inspect
import pickle
import pydoc
import re
from contextlib import nullcontext
from itertools import pairwise
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import segscore as ss
from segscore import dask, spark
from segscore.tables.options import Options
from segscore.tables.score import columns_of

METRICS = ["rand_index", "covering", "f1(margin=2)", "pk", "mutual_information"]


def rows_of(count, seed=1, n=60):
    rng = np.random.default_rng(seed)

    def cuts():
        return np.unique(rng.integers(1, n, rng.integers(0, 9))).tolist()

    return [(cuts(), cuts(), n + int(rng.integers(0, 5))) for _ in range(count)]


def wanted(rows, metrics=METRICS, margin=2):
    return [
        tuple(ss.compare(truth, pred, n=n, metrics=metrics, margin=margin).to_dict().values())
        for truth, pred, n in rows
    ]


def polars_of(rows):
    truth, pred, n = zip(*rows, strict=True) if rows else ([], [], [])
    schema = {"truth": pl.List(pl.Int64), "pred": pl.List(pl.Int64), "n": pl.Int64}
    return pl.DataFrame({"truth": truth, "pred": pred, "n": n}, schema=schema)


def scored(table, **options):
    return ss.score(table, metrics=METRICS, margin=2, **options)


def test_every_kind_of_table_comes_back_with_the_scores():
    rows = rows_of(300)
    table, values = polars_of(rows).with_row_index("id"), wanted(rows)
    assert scored(table).select(METRICS).rows() == values
    assert scored(table).drop(METRICS).equals(table)
    lazy = scored(table.lazy())
    assert isinstance(lazy, pl.LazyFrame)
    assert lazy.collect().select(METRICS).rows() == values
    assert lazy.collect(engine="streaming").select(METRICS).rows() == values
    assert lazy.collect_schema().names() == ["id", "truth", "pred", "n", *METRICS]
    arrow = scored(table.to_arrow())
    assert isinstance(arrow, pa.Table)
    assert list(zip(*(arrow[m].to_pylist() for m in METRICS), strict=True)) == values
    frame = table.to_pandas()
    frame.index = range(100, 400)
    found = scored(frame)
    assert isinstance(found, pd.DataFrame)
    assert list(found.index) == list(range(100, 400))
    assert list(found[METRICS].itertuples(index=False, name=None)) == values
    assert "rand_index" not in frame.columns  # the table itself is left alone


def test_anything_that_hands_out_a_stream():
    class Stream:
        def __init__(self, table):
            self.table = table

        def __arrow_c_stream__(self, requested_schema=None):
            return self.table.__arrow_c_stream__(requested_schema)

    rows = rows_of(20)
    found = scored(Stream(polars_of(rows)))
    assert list(zip(*(found[m].to_pylist() for m in METRICS), strict=True)) == wanted(rows)


LISTS = {
    "list": pa.list_,
    "large_list": pa.large_list,
    "list_view": pa.list_view,
    "large_list_view": pa.large_list_view,
}
WIDTHS = [pa.int8(), pa.uint8(), pa.int16(), pa.uint16(), pa.int32(), pa.uint32(), pa.int64(), pa.uint64()]


@pytest.mark.parametrize("kind", LISTS)
@pytest.mark.parametrize("width", WIDTHS, ids=str)
def test_every_kind_of_list_and_width(kind, width):
    rows = rows_of(60)
    truth, pred, n = zip(*rows, strict=True)
    of = LISTS[kind]
    field = pa.field("odd name", width)
    table = pa.table(
        {
            "truth": pa.array(truth, of(field)),
            "pred": pa.array(pred, of(field)),
            "n": pa.array(n, width),
        }
    )
    found = scored(table.slice(7, 40))
    assert list(zip(*(found[m].to_pylist() for m in METRICS), strict=True)) == wanted(rows[7:47])


def test_lists_of_one_size():
    truth, pred = [[3, 8], [2, 5], [1, 9]], [[4, 8], [2, 6], [1, 2]]
    fixed = pa.list_(pa.int32(), 2)
    table = pa.table({"truth": pa.array(truth, fixed), "pred": pa.array(pred, fixed)}).slice(1)
    found = ss.score(table, n=10, metrics=["rand_index"])
    assert found["rand_index"].to_pylist() == [
        ss.rand_index(t, p, n=10) for t, p in zip(truth[1:], pred[1:], strict=True)
    ]


@given(st.data())
def test_chunks_and_threads_change_nothing(data):
    rows = rows_of(data.draw(st.integers(0, 200)), seed=data.draw(st.integers(0, 9)))
    whole = polars_of(rows).to_arrow()
    cuts = sorted(data.draw(st.sets(st.integers(0, len(rows)), max_size=4)))
    columns = {}
    for name in whole.column_names:  # chunks that do not line up
        places = [0, *sorted(data.draw(st.sets(st.sampled_from([0, *cuts, len(rows)]), max_size=3))), len(rows)]
        column = whole[name].combine_chunks()
        pieces = [column.slice(a, b - a) for a, b in pairwise(places)]
        columns[name] = pa.chunked_array(pieces, whole.schema.field(name).type)
    one = scored(whole, threads=1)
    many = scored(pa.table(columns), threads=data.draw(st.integers(1, 5)))
    assert many.select(METRICS).equals(one.select(METRICS))
    assert list(zip(*(one[m].to_pylist() for m in METRICS), strict=True)) == wanted(rows)


def test_nulls_score_null():
    table = pl.DataFrame(
        {"truth": [[3], None, [3], [3]], "pred": [[4], [4], None, [4]], "n": [9, 9, 9, None]},
        schema={"truth": pl.List(pl.Int64), "pred": pl.List(pl.Int64), "n": pl.Int64},
    )
    found = ss.score(table, metrics=["rand_index"])
    assert found["rand_index"].to_list() == [ss.rand_index([3], [4], n=9), None, None, None]
    assert ss.score(table.to_arrow(), metrics=["rand_index"])["rand_index"].null_count == 3
    assert ss.score(table.to_pandas(), metrics=["rand_index"])["rand_index"].isna().tolist() == [
        False,
        True,
        True,
        True,
    ]
    with pytest.warns(
        UserWarning, match=r"^2 of 4 rows cannot be read and are left out; the first is row 1: the truth or"
    ):
        found = ss.score(table, metrics=["rand_index"], on_error="null")
    assert found["status"].to_list() == ["ok", "unreadable", "error", "unreadable"]
    assert found["error"].is_null().to_list() == [True, False, True, False]
    with pytest.raises(ValueError, match=r"row 0: n = 9\.5 is not a length; expected an integer"):
        ss.score(table.with_columns(n=9.5))


def test_nulls_behind_any_offset():
    # The bits of validity start anywhere in a byte: of rows, of annotators, and of lengths.
    rng = np.random.default_rng(5)
    truth = [None if rng.random() < 0.3 else [[3, 8], None] if rng.random() < 0.2 else [[3, 8]] for _ in range(40)]
    pred = [None if rng.random() < 0.3 else [4] for _ in range(40)]
    n = [None if rng.random() < 0.3 else 10 for _ in range(40)]
    table = pa.table(
        {
            "truth": pa.array(truth, pa.list_(pa.list_(pa.int64()))),
            "pred": pa.array(pred, pa.list_(pa.int64())),
            "n": pa.array(n, pa.int64()),
        }
    )
    value = ss.rand_index([3, 8], [4], n=10)
    expected = [
        value if t == [[3, 8]] and p is not None and length is not None else None
        for t, p, length in zip(truth, pred, n, strict=True)
    ]
    assert None in expected and value in expected
    for start in range(20):
        for stop in (start + 1, start + 7, 40):
            found = ss.score(table.slice(start, stop - start), metrics=["rand_index"])["rand_index"].to_pylist()
            assert found == expected[start:stop]


def test_a_null_annotator_scores_null():
    table = pl.DataFrame(
        {"truth": [[[3], None], [None], [[3], [4]]], "pred": [[3]] * 3, "n": [9] * 3},
        schema_overrides={"truth": pl.List(pl.List(pl.Int64))},
    )
    found = ss.score(table, metrics=["rand_index", "f1"], margin=0)
    assert found["rand_index"].to_list()[:2] == [None, None]
    assert found["f1(margin=0)"].to_list() == [None, None, 0.5]


def test_lists_that_lie_outside_of_their_column_are_refused():
    memory = np.array([0, 1, 2], dtype=np.int32)
    lists = pa.Array.from_buffers(
        pa.list_(pa.int64()), 2, [None, pa.py_buffer(memory)], children=[pa.array([3, 4], pa.int64())]
    )
    table = pa.table({"truth": lists, "pred": [[3], [4]], "n": [9, 9]})
    assert ss.score(table, metrics=["rand_index"])["rand_index"].to_pylist() == [1.0, 1.0]
    for wrong in ([0, 1, 2**31 - 1], [0, -5, 2], [0, 2, 1], [7, 8, 9]):
        memory[:] = wrong  # by somebody who may, and must not
        with pytest.warns(UserWarning, match=r"rows cannot be read and are left out; the first is row"):
            found = ss.score(table, metrics=["rand_index"], on_error="null")
        assert "the list lies outside of its column; expected a valid Arrow table" in found["error"].to_pylist()


def test_several_annotators_are_averaged():
    table = pl.DataFrame({"truth": [[[3, 8], [4]], [[5]], None], "pred": [[4, 8], [5], [5]], "n": [10, 10, 10]})
    found = ss.score(table, metrics=["rand_index", "covering"])
    each = [ss.rand_index(truth, [4, 8], n=10) for truth in ([3, 8], [4])]
    assert found["rand_index"].to_list() == [sum(each) / 2, 1.0, None]
    assert found["covering"][0] == ss.annotated([[3, 8], [4]], [4, 8], n=10).covering
    with pytest.raises(TypeError, match="column 'pred' holds lists of lists; expected a list of integers per row"):
        ss.score(table.rename({"truth": "pred", "pred": "truth"}))


def test_times_in_place_of_points():
    table = pl.DataFrame({"truth": [[2.5, 7.0], [1.0]], "pred": [[3.0, 7.25], [1]], "end": [10.0, 4.0]})
    metrics = ["rand_index", "covering", "f1(margin=0.5)"]
    found = ss.score(table, duration="end", metrics=metrics, margin=0.5)
    for row, (truth, pred, end) in enumerate(table.rows()):
        assert found.select(metrics).row(row) == tuple(
            ss.compare(truth, pred, duration=end, metrics=metrics, margin=0.5).to_dict().values()
        )
    assert ss.score(table, duration=20.0, metrics="rand_index")["rand_index"][0] == ss.rand_index(
        [2.5, 7.0], [3.0, 7.25], duration=20.0
    )
    whole = ss.score(table.cast({"truth": pl.List(pl.Float32)}), duration="end", metrics=["rand_index"])
    assert whole["rand_index"][1] == 1.0


def test_one_length_for_all_rows_and_relative_margins():
    table = polars_of(rows_of(20)).drop("n")
    found = ss.score(table, n=100, metrics=["f1"], relative_margin=0.02)
    assert found["f1(relative_margin=0.02)"].to_list() == [
        ss.f1(t, p, n=100, relative_margin=0.02) for t, p in table.rows()
    ]
    far = pl.DataFrame({"truth": [[3]], "pred": [[2**62]]})
    assert ss.score(far, n=2**63 - 1, metrics=["rand_index"])["rand_index"][0] == ss.rand_index(
        [3], [2**62], n=2**63 - 1
    )


def test_all_scores_by_default():
    table = polars_of(rows_of(5))
    assert ss.score(table).columns[3:] == list(ss.compare([3], [4], n=9))
    assert ss.score(table, margin=1).columns[3:] == list(ss.compare([3], [4], n=9, margin=1))


def test_bad_rows():
    rows = [*rows_of(5), ([3, 2], [4], 9), ([3], [900], 800), ([3], [4], -1), ([3], [4], 9)]
    table = polars_of(rows)
    with pytest.raises(ValueError, match=r"^row 5: truth\[1\] = 2 does not exceed truth\[0\] = 3; cuts must strictly"):
        ss.score(table, metrics=["rand_index"])
    for kind in (table, table.to_arrow(), table.to_pandas(), table.lazy()):
        with (
            nullcontext() if isinstance(kind, pl.LazyFrame) else pytest.warns(UserWarning, match=r"^2 of 9 rows cannot")
        ):
            found = ss.score(kind, metrics=["rand_index"], on_error="null")
        found = found.collect() if isinstance(found, pl.LazyFrame) else pl.DataFrame(found)
        assert found["error"].is_null().to_list() == [True] * 5 + [False] * 3 + [True]
        assert found["error"][6] == "pred[0] = 900 is outside 0 < cut < n = 800"
        assert found["error"][7] == "n is out of range; expected 0 <= n < 2**63"
        assert found["rand_index"][8] == ss.rand_index([3], [4], n=9)
    holes = pa.table({"truth": pa.array([[3, None]], pa.list_(pa.int64())), "pred": [[4]], "n": [9]})
    with pytest.raises(ValueError, match=r"row 0: truth\[1\] is null or not an exact integer; expected only integers"):
        ss.score(holes)
    large = pa.table({"truth": pa.array([[2**63]], pa.list_(pa.uint64())), "pred": [[4]], "n": [9]})
    with pytest.raises(ValueError, match=r"row 0: truth\[0\] is outside 0 < cut < 2\*\*63"):
        ss.score(large)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda t: ss.score(t, truth="trut"), ValueError, "table has no column 'trut'; it has truth, pred, n"),
        (lambda t: ss.score(t, n=None), TypeError, "there is no length; expected n="),
        (lambda t: ss.score(t, metrics=["f1"]), TypeError, "f1 has no margin"),
        (lambda t: ss.score(t, metrics=["rand"]), ValueError, "did you mean 'rand_index'"),
        (
            lambda t: ss.score(t, on_error="skip"),
            ValueError,
            "on_error = 'skip' is unknown; expected 'raise' or 'null'",
        ),
        (lambda t: ss.score(t, margin=1, relative_margin=0.1), TypeError, "exclude each other"),
        (lambda t: ss.score(t, margin=-1), ValueError, r"margin = -1\.0 is negative"),
        (
            lambda t: ss.score(t.rename({"n": "rand_index"}), n="rand_index"),
            ValueError,
            "column 'rand_index' is read, and would be overwritten by its score; rename it first",
        ),
        (lambda t: ss.score(t, pred="n"), TypeError, "column 'n' holds numbers; expected a list of integers"),
        (lambda t: ss.score(t, n="truth"), TypeError, "column 'truth' holds lists"),
        (lambda t: ss.score(t.cast({"truth": pl.List(pl.Float64)})), TypeError, "column 'truth' holds real numbers"),
        (lambda t: ss.score(t.cast({"truth": pl.List(pl.String)})), TypeError, "column 'truth' holds text"),
        (lambda t: ss.score(t["truth"]), TypeError, "expected a Polars, pandas, pyarrow or DuckDB table"),
        (lambda t: ss.score([1, 2]), TypeError, "table is list; expected a Polars, pandas, pyarrow or DuckDB table"),
    ],
)
def test_what_is_wrong_is_said(call, error, message):
    with pytest.raises(error, match=message):
        call(polars_of(rows_of(3)))


def test_long_tables():
    runs = pl.DataFrame(
        {
            "series": ["a", "b", "a", "c"],
            "method": ["x", "x", "y", "x"],
            "change_points": [[4, 8], [5], [5], [1]],
            "n": [10, 9, 10, 5],
        }
    )
    people = pl.DataFrame({"series": ["a", "b", "a"], "change_points": [[3, 8], [5], [4, 8]]})
    for kind in (runs, runs.lazy(), runs.to_arrow(), runs.to_pandas()):
        for truths in (people, people.to_arrow()):
            found = ss.score_long(kind, truths, metrics=["rand_index"])
            assert type(found) is type(kind)
            found = found.collect() if isinstance(found, pl.LazyFrame) else pl.DataFrame(found)
            values = found["rand_index"].fill_nan(None).to_list()
            assert values[0] == (ss.rand_index([3, 8], [4, 8], n=10) + 1) / 2
            assert values[1] == 1.0 and values[3] is None
            assert found.columns == ["series", "method", "change_points", "n", "rand_index"]


def test_lists_of_nothing_but_nulls():
    nulls = pl.DataFrame({"truth": [[3], [2], [1]], "pred": [[None], [], None], "n": [5, 5, 5]})
    with pytest.raises(ValueError, match=r"row 0: pred\[0\] is null or not an exact integer; expected only integers"):
        ss.score(nulls, metrics=["rand_index"])
    scored = ss.score(nulls, metrics=["rand_index"], on_error="null")
    assert scored["rand_index"].to_list() == [None, ss.rand_index([2], [], n=5), None]
    several = pl.DataFrame({"truth": [[[None]]], "pred": [[3]], "n": [5]})
    with pytest.raises(ValueError, match=r"row 0: truth\[0\] is null"):
        ss.score(several, metrics=["rand_index"])
    for column in ("truth", "pred", "n"):
        table = pl.DataFrame({"truth": [[3]], "pred": [[2]], "n": [5]}).with_columns(pl.lit(None).alias(column))
        assert ss.score(table, metrics=["rand_index"])["rand_index"].to_list() == [None]


def test_dictionaries_are_refused_not_misread():
    lists = pa.ListArray.from_arrays(pa.array([0, 2, 3]), pa.array([300, 800, 500]).dictionary_encode())
    pred = pa.array([[400, 800], []], pa.list_(pa.int64()))
    with pytest.raises(TypeError, match="column 'truth' holds dictionary-encoded values; expected a list of integers"):
        ss.score(pa.table({"truth": lists, "pred": pred, "n": [1000, 900]}), metrics=["rand_index"])
    with pytest.raises(TypeError, match="column 'n' holds dictionary-encoded values; expected an integer per row"):
        ss.score(pa.table({"truth": pred, "pred": pred, "n": pa.array([1000, 900]).dictionary_encode()}))


def test_columns_of_our_own_do_not_collide():
    runs = pl.DataFrame({"series": ["a", "b"], "change_points": [[4, 8], [5]], "n": [10, 10], "_truth": [[1], [2]]})
    people = pl.DataFrame({"series": ["a", "a"], "change_points": [[3, 8], [4, 8]]})
    scored = ss.score_long(runs, people, metrics=["rand_index"])
    assert scored.columns == [*runs.columns, "rand_index"]
    assert scored["rand_index"][1] is None
    assert scored["_truth"].to_list() == [[1], [2]]
    lazy = pl.LazyFrame({"truth": [[3]], "pred": [[2]], "n": [5], "_row": [7]})
    assert ss.score(lazy, metrics=["rand_index"]).collect()["_row"].to_list() == [7]
    with pytest.raises(ValueError, match="truths have no column 'series'; they have change_points"):
        ss.score_long(runs, people.drop("series"))


def test_tables_of_other_connections_and_classes():
    connection = duckdb.connect()
    given = connection.sql("select [3, 8] as truth, [4, 8] as pred, 10 as n, 1 as k")
    scored = ss.score(given, metrics=["rand_index"])
    assert scored.join(given.set_alias("given"), "k").fetchall()[0][4] == ss.rand_index([3, 8], [4, 8], n=10)

    class Mine(pd.DataFrame):
        @property
        def _constructor(self):
            return Mine

    assert isinstance(ss.score(Mine({"truth": [[3]], "pred": [[2]], "n": [5]}), metrics=["rand_index"]), Mine)


def test_a_relative_margin_of_the_longest_table():
    table = pl.DataFrame({"truth": [[1, 2**62]], "pred": [[3]], "n": [2**63 - 1]})
    wanted = ss.f1([1, 2**62], [3], n=2**63 - 1, relative_margin=0.75)
    assert ss.score(table, metrics=["f1"], relative_margin=0.75)["f1(relative_margin=0.75)"].to_list() == [wanted]


def test_a_slice_of_a_stream_of_structs():
    rows = pa.array([{"truth": [3, 8], "pred": [4, 8], "n": 10}, {"truth": [5], "pred": [], "n": 9}] * 2)
    kind = pa.struct({"truth": pa.list_(pa.int64()), "pred": pa.list_(pa.int64()), "n": pa.int64()})
    part = pa.chunked_array([rows.cast(kind)[1:3]])
    found = columns_of(part, Options(metrics=["rand_index"]))
    assert found.values["rand_index"].tolist() == [ss.rand_index([5], [], n=9), ss.rand_index([3, 8], [4, 8], n=10)]
    assert found.valid.all()
    assert not found.errors


def test_lengths_that_are_real_numbers_are_exact_or_refused():
    large = 2**53
    for kind, n in ((pl.Float64, large - 1), (pl.Float32, 2**24 - 1)):
        table = pl.DataFrame({"truth": [[3]], "pred": [[5]], "n": pl.Series([n], dtype=kind)})
        assert ss.score(table, metrics=["rand_index"])["rand_index"][0] == ss.rand_index([3], [5], n=n)
        table = table.with_columns(n=(pl.col("n") + 1).cast(kind))
        message = rf"^row 0: n = {n + 1}\.0 is a real number that may be rounded; expected an integer$"
        with pytest.raises(ValueError, match=message):
            ss.score(table, metrics=["rand_index"])
    frame = pd.DataFrame({"truth": [[3], [4]], "pred": [[5], [6]], "n": [large + 1, None]})
    with pytest.raises(
        ValueError, match=r"^row 0: n = 9007199254740992\.0 is a real number that may be rounded; expec"
    ):
        ss.score(frame, metrics=["rand_index"])
    frame = frame.assign(n=pd.array([large + 1, None], dtype="Int64"))
    assert ss.score(frame, metrics=["rand_index"])["rand_index"][0] == ss.rand_index([3], [5], n=large + 1)


def test_lists_of_pandas_that_are_not_exact_are_refused(tmp_path):
    frame = pd.DataFrame(
        {"series": ["a"], "method": ["x"], "truth": [[1, 2.0, 2**53 + 1]], "pred": [[3]], "n": [2**60]}
    )
    message = r"^table cannot be read: .*; expected one type per column, and only integers as cuts \(3, not 3\.0\)$"
    for call in (lambda: ss.score(frame), lambda: ss.report(frame, tmp_path / "x.html")):
        with pytest.raises(ValueError, match=message) as error:
            call()
        assert type(error.value) is ValueError


def test_no_annotator_is_refused():
    table = pl.DataFrame({"truth": [[[3]], []], "pred": [[4], [4]], "n": [9, 9]})
    reason = "truth is an empty list of annotators; expected at least one, or null for no truth"
    with pytest.raises(ValueError, match=f"^row 1: {reason}$"):
        ss.score(table)
    with pytest.warns(
        UserWarning, match=rf"^1 of 2 rows cannot be read and are left out; the first is row 1: {reason}$"
    ):
        scored = ss.score(table, metrics=["rand_index"], on_error="null")
    assert scored["error"].to_list() == [None, reason]


def test_the_options_are_one_object_with_the_names_and_defaults_of_score():
    given = {field.name: field.default for field in dataclasses.fields(Options) if field.init}
    del given["unit"]  # of timestamps that are counted, which a user never is asked for
    own = {p.name: p.default for p in inspect.signature(ss.score).parameters.values() if p.name != "table"}
    assert given == own
    for function in (spark.score, dask.score):
        taken = {p.name: p.default for p in inspect.signature(function).parameters.values()}
        assert {name: taken[name] for name in given if name != "threads"} == {
            k: v for k, v in own.items() if k != "threads"
        }
    taken = {p.name: p.default for p in inspect.signature(ss.score_long).parameters.values()}
    assert own.keys() - taken.keys() == {"truth", "pred", "truth_labels", "pred_labels"}
    for function in (ss.score, ss.score_long, spark.score, dask.score):
        assert "margin: 'float | timedelta | None' = None" in pydoc.plain(pydoc.render_doc(function))


def test_an_unknown_option_is_refused_by_the_name_of_the_function():
    hint = r"(\. Did you mean 'metrics'\?)?"  # from CPython 3.13 on
    with pytest.raises(TypeError, match=rf"^score\(\) got an unexpected keyword argument 'metric'{hint}$"):
        ss.score(pl.DataFrame({"truth": [[3]], "pred": [[4]], "n": [10]}), metric="f1")


def test_options_survive_iterators_copies_and_the_way_to_a_worker():
    options = Options(metrics=iter(["f1", "rand_index"]), margin=2, on_error="null", threads=1)
    for copy in (pickle.loads(pickle.dumps(options)), dataclasses.replace(options), options):
        assert copy == options
        assert copy.names == ("f1(margin=2)", "rand_index")
    with pytest.raises(dataclasses.FrozenInstanceError):
        options.margin = 3
    with pytest.raises(
        TypeError,
        match=r"^there is no length; expected n= or duration=, the name of a column or a number, or ends=True for lists "
        r"that end with the length, or start= and end= for timestamps$",
    ):
        Options(n=None)


def ends_table():
    return pl.DataFrame(
        {"truth": [[3, 8, 10], [9], [5, 9], None], "pred": [[4, 8, 10], [2, 9], [9], [9]]},
        schema=dict.fromkeys(("truth", "pred"), pl.List(pl.Int64)),
    )


@pytest.mark.parametrize("kind", [pl.DataFrame, pl.LazyFrame, pl.DataFrame.to_pandas, pl.DataFrame.to_arrow])
def test_lists_that_end_with_the_length(kind):
    table = ends_table()
    found = ss.score(kind(table), metrics=["rand_index"], ends=True)
    found = found.collect() if isinstance(found, pl.LazyFrame) else pl.DataFrame(found)
    wanted = [ss.rand_index([3, 8], [4, 8], n=10), ss.rand_index([], [2], n=9), ss.rand_index([5], [], n=9), None]
    assert found["rand_index"].to_list() == wanted


def test_annotators_and_long_tables_that_end_with_the_length():
    table = pl.DataFrame({"truth": [[[3, 10], [10]]], "pred": [[4, 10]]})
    wanted = (ss.rand_index([3], [4], n=10) + ss.rand_index([], [4], n=10)) / 2
    assert ss.score(table, metrics=["rand_index"], ends=True)["rand_index"].to_list() == [wanted]
    runs = pl.DataFrame({"series": ["a"], "change_points": [[4, 10]]})
    people = pl.DataFrame({"series": ["a", "a"], "change_points": [[3, 10], [10]]})
    assert ss.score_long(runs, people, metrics=["rand_index"], ends=True)["rand_index"].to_list() == [wanted]


def test_lists_that_end_with_different_lengths_are_errors_of_their_rows():
    rows = [
        ([[3, 9]], [4, 10], "truth ends with 9 but pred ends with 10; with ends=True, expected every list to end with the length"),
        ([[3, 9], [3, 8]], [9], "truth ends with 8 but pred ends with 9; with ends=True, expected every list to end with the length"),
        ([[]], [9], "truth is empty; with ends=True, expected a list that ends with the length"),
        ([[9]], [], "pred is empty; with ends=True, expected a list that ends with the length"),
        ([[9]], [-4], "pred ends with -4; with ends=True, expected a length, 0 or more"),
        ([[9, 3, 9]], [9], "truth[1] = 3 does not exceed truth[0] = 9; cuts must strictly increase (sort them first)"),
        ([[9]], [3, None], "pred[1] is null or not an exact integer; expected only integers (3, not 3.0)"),
        ([[3, 9]], [9], None),
    ]  # fmt: skip
    table = pl.DataFrame({"truth": [row[0] for row in rows], "pred": [row[1] for row in rows]})
    with pytest.warns(
        UserWarning, match=r"^3 of 8 rows cannot be read and are left out; the first is row 1: truth ends"
    ):
        found = ss.score(table, metrics=["rand_index"], ends=True, on_error="null")
    bad, unread = "invalid", "unreadable"
    assert found["status"].to_list() == [bad, unread, unread, bad, bad, unread, bad, "ok"]
    assert found["error"].to_list() == [row[2] for row in rows]
    assert found["rand_index"].is_null().to_list() == [True] * 7 + [False]
    with pytest.raises(ValueError, match=r"^row 0: truth ends with 9 but pred ends with 10; "):
        ss.score(table, metrics=["rand_index"], ends=True)


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"n": None}, TypeError, "there is no length; expected n= or duration=, the name of a column or a number, or "
         "ends=True for lists that end with the length, or start= and end= for timestamps"),
        ({}, ValueError, "table has no column 'n'; it has truth, pred; expected n= or duration=, the name of a column "
         "or a number, or ends=True for lists that end with the length, or start= and end= for timestamps"),
        ({"n": 9, "ends": True}, TypeError, "n= and ends=True exclude each other; expected one of them"),
        ({"duration": 9, "ends": True}, TypeError, "duration= and ends=True exclude each other; expected one of them"),
        ({"n": 9, "duration": 9.0}, TypeError, "n= and duration= exclude each other; expected one of them"),
        ({"n": "length", "duration": 9.0}, TypeError, "n= and duration= exclude each other; expected one of them"),
    ],
)  # fmt: skip
def test_a_table_without_lengths_is_refused_with_the_remedy(options, kind, message):
    with pytest.raises(kind) as error:
        ss.score(ends_table(), metrics=["rand_index"], **options)
    assert str(error.value) == message


def test_a_duration_in_a_column_is_checked_as_one_for_all_rows():
    durations = [5.0, 0.0, -1.0, float("inf"), float("nan"), 1e70, 1e-70, None]
    table = pl.DataFrame(
        {"truth": [[]] * 8, "pred": [[]] * 8, "d": durations},
        schema_overrides=dict.fromkeys(("truth", "pred"), pl.List(pl.Float64)),
    )
    with pytest.warns(
        UserWarning, match=r"^7 of 8 rows cannot be read and are left out; the first is row 1: duration = 0"
    ):
        found = ss.score(table, metrics=["rand_index"], duration="d", on_error="null")
    for duration, error in zip(durations[1:-1], found["error"][1:-1], strict=True):
        with pytest.raises(ValueError, match=r"^duration = ") as alone:
            ss.score(table, metrics=["rand_index"], duration=duration)
        assert error == str(alone.value)
    assert found["error"][0] is None
    assert found["error"][7] == "the truth or the length is null; expected both"
    assert found["rand_index"].to_list() == [1.0] + [None] * 7


@pytest.mark.parametrize("kind", ["polars", "lazy", "pandas", "pyarrow"])
def test_no_metrics_add_no_scores_but_still_the_reasons(kind):
    table = pl.DataFrame({"truth": [[3], [4, 3], None], "pred": [[4]] * 3, "n": [9] * 3})
    made = {
        "polars": lambda t: t,
        "lazy": pl.DataFrame.lazy,
        "pandas": pl.DataFrame.to_pandas,
        "pyarrow": pl.DataFrame.to_arrow,
    }
    with nullcontext() if kind == "lazy" else pytest.warns(UserWarning, match=r"^2 of 3 rows cannot be read"):
        scored = ss.score(made[kind](table), metrics=[], on_error="null")
    found = pl.DataFrame(scored.collect() if kind == "lazy" else scored)
    fault = "truth[1] = 3 does not exceed truth[0] = 4; cuts must strictly increase (sort them first)"
    assert found.columns == ["truth", "pred", "n", "status", "error"]
    assert found["error"].to_list() == [None, fault, "the truth or the length is null; expected both"]
    assert list(pl.DataFrame(ss.score(made["pyarrow"](table[:1]), metrics=[])).columns) == ["truth", "pred", "n"]


def test_a_column_of_lengths_and_ends_exclude_each_other():
    table = ends_table().with_columns(n=9)
    message = "^the length is given twice, by column 'n' and by ends=True; drop the column or ends=True$"
    with pytest.raises(ValueError, match=message):
        ss.score(table, metrics=["rand_index"], ends=True)
    assert ss.score(table, n=None, metrics=["rand_index"], ends=True).height == 4


@pytest.mark.parametrize("kind", [str, Path])
@pytest.mark.parametrize(
    "call",
    [
        ss.score,
        lambda file: ss.score_long(file, pl.DataFrame()),
        lambda file: ss.score_long(pl.DataFrame(), file),
        lambda file: ss.leaderboard(file, "f1"),
        lambda file: ss.publication(file, ["f1"]),
        lambda file: ss.report(file, "x.html"),
        lambda file: ss.report(pl.DataFrame({"method": [], "series": []}), "x.html", truths=file),
        lambda file: ss.study.select(file, "f1"),
    ],
)
def test_a_file_name_is_no_table(kind, call):
    message = (
        "table is the file name 'runs.parquet'; expected a table (read the file first, for example with "
        "polars.read_parquet)"
    )
    with pytest.raises(TypeError, match=f"^{re.escape(message)}$"):
        call(kind("runs.parquet"))


def test_long_tables_without_lengths_name_only_their_own_columns():
    runs = pl.DataFrame({"series": ["a"], "change_points": [[4, 8]]})
    people = pl.DataFrame({"series": ["a"], "change_points": [[3, 8]]})
    message = (
        "segmentations have no column 'n'; they have series, change_points; expected n=, the name of a column or a "
        "number, or ends=True for lists that end with the length, or start= and end= for timestamps"
    )
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        ss.score_long(runs, people)
    with pytest.raises(ValueError, match=r"^row 0: truth\[1\] = 8 is outside 0 < cut < n = 5$"):
        ss.score_long(runs, people, n=5)
    for cuts, kind in (([[3.5]], "List(Float64)"), ([3], "Int64"), ([[[3]]], "List(List(Int64))"), ([True], "Boolean")):
        message = f"column 'change_points' of the truths holds {kind}; expected a list of integers per row"
        with pytest.raises(TypeError, match=f"^{re.escape(message)}$"):
            ss.score_long(runs, people.with_columns(change_points=pl.Series(cuts)), n=10)
