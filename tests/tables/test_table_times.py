"""Columns of timestamps in tables: exact integers since the start of each row, in one place for all doors."""

import json
import re
from datetime import date, datetime, timedelta, timezone
from fractions import Fraction
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from report_pages import content, data_of

import segscore as ss
from segscore import Segmentation
from segscore.cli import main
from segscore.segmentation.lengths_of_time import LengthOfTime
from segscore.tables.units import usual_margin

START, END = datetime(2024, 5, 1), datetime(2024, 5, 8)
TRUTH = [datetime(2024, 5, 3, 6), datetime(2024, 5, 6)]
PRED = [datetime(2024, 5, 3, 6, 20), datetime(2024, 5, 6, 2)]
ENDS = {"start": "start", "end": "end"}
METRICS = ["rand_index", "f1(margin=30min)", "f1(margin=1h)", "pk(k=6h)", "covering", "window_diff"]
MARGIN = timedelta(minutes=30)
BERLIN = ZoneInfo("Europe/Berlin")


def table(truth=TRUTH, pred=PRED, start=START, end=END):
    return pl.DataFrame({"truth": [truth], "pred": [pred], "start": [start], "end": [end]})


def sides(truth=TRUTH, pred=PRED, start=START, end=END):
    return [Segmentation.from_timestamps(side, start, end) for side in (truth, pred)]


def scores_of(frame):
    return {name: frame[name][0] for name in METRICS}


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_the_unit_is_the_finest_of_the_columns(unit):
    kind = pa.timestamp(unit)
    columns = {"truth": pa.array([TRUTH], pa.list_(kind)), "pred": pa.array([PRED], pa.large_list(pa.timestamp("s")))}
    columns |= {"start": pa.array([START.date()]), "end": pa.array([END], pa.timestamp("s"))}
    found = ss.score(pa.table(columns), **ENDS, metrics=METRICS, margin=MARGIN)
    pair = [Segmentation.from_timestamps(side, START, END, unit=unit) for side in (TRUTH, PRED)]
    assert scores_of(pl.DataFrame(found)) == ss.compare(*pair, metrics=METRICS, margin=MARGIN).to_dict()


def test_dates_count_days():
    days = [date(2024, 5, 1), date(2024, 5, 3), date(2024, 5, 4), date(2024, 5, 8)]
    given = table([days[1]], [days[2]], days[0], days[3])
    found = ss.score(given, **ENDS, metrics=["rand_index", "mean_error"])
    assert found["rand_index"][0] == ss.rand_index([2], [3], n=7)
    assert found["mean_error"][0] == 86400


@given(st.lists(st.integers(1, 2**62), min_size=2, max_size=6, unique=True), st.integers(-(2**61), 0))
def test_nanoseconds_beyond_2_to_the_53_are_exact(cuts, start):
    cuts, n = sorted(cuts), 2**62 + 1
    made = pa.timestamp("ns")
    columns = {
        "truth": pa.array([[start + cut for cut in cuts]], pa.list_(made)),
        "pred": pa.array([[start + cut for cut in cuts[1:]]], pa.list_(made)),
        "start": pa.array([start], made),
        "end": pa.array([start + n], made),
    }
    names = ["rand_index", "hausdorff", "covering", "adjusted_rand_index"]
    found = pl.DataFrame(ss.score(pa.table(columns), **ENDS, metrics=names))
    expected = ss.compare(cuts, cuts[1:], n=n, metrics=names)
    assert found["rand_index"][0] == expected.rand_index
    assert found["covering"][0] == expected.covering
    assert found["adjusted_rand_index"][0] == expected.adjusted_rand_index
    assert found["hausdorff"][0] == expected.hausdorff * float(Fraction(1, 10**9))


def test_two_cuts_one_nanosecond_apart_are_two_cuts():
    start = np.datetime64("2024-05-01T00:00:00.000000000")
    cuts = [start + np.timedelta64(10**17 + k, "ns") for k in (0, 1)]  # beyond 2**53
    kind = pl.List(pl.Datetime("ns"))
    given = pl.DataFrame(
        {
            "truth": pl.Series([[int((cut - np.datetime64(0, "ns")).astype(np.int64)) for cut in cuts]]).cast(kind),
            "pred": pl.Series([[int((cuts[0] - np.datetime64(0, "ns")).astype(np.int64))]]).cast(kind),
            "start": pl.Series(np.array([start])),
            "end": pl.Series(np.array([start + np.timedelta64(2 * 10**17, "ns")])),
        }
    )
    found = ss.score(given, **ENDS, metrics=["f1(margin=0)", "count_error"])
    assert found.select("f1(margin=0)", "count_error").row(0) == (pytest.approx(2 / 3), 1.0)


def test_a_day_on_which_clocks_change_has_25_hours():
    zones = {zone: [datetime(2024, 10, 27, tzinfo=BERLIN), datetime(2024, 10, 28, tzinfo=BERLIN)] for zone in (0,)}
    start, end = zones[0]
    noon = datetime(2024, 10, 27, 12, tzinfo=timezone.utc)
    for zone in ("Europe/Berlin", "UTC", "Asia/Kolkata"):
        kind = pl.Datetime("us", zone)
        given = table([noon], [], start, end).with_columns(pl.col("start", "end").cast(kind))
        given = given.with_columns(pl.col("truth").cast(pl.List(kind)), pl.col("pred").cast(pl.List(kind)))
        found = ss.score(given, **ENDS, metrics=["directed_hausdorff", "rand_index"])
        n, cut = 25 * 3600 * 10**6, 14 * 3600 * 10**6
        assert found["rand_index"][0] == ss.rand_index([cut], [], n=n)


def test_one_start_and_one_end_for_all_rows():
    assert (
        ss.score(table().drop("start", "end"), start=START, end=END, metrics=["f1"], margin=MARGIN)["f1(margin=30min)"][
            0
        ]
        == 0.5
    )


def test_distances_are_in_seconds_and_rates_per_second():
    names = [name for name, metric in ss.METRICS.items() if metric.power]
    found = ss.score(table(), **ENDS, metrics=names)
    single = ss.compare(*sides(), metrics=names)
    for name in names:
        assert found[name][0] == pytest.approx(single[name], rel=1e-15), name
    assert found["mean_error"][0] == 4200


@pytest.mark.parametrize("name", [name for name, m in ss.METRICS.items() if not m.only_tables and m.in_time])
def test_the_power_of_a_metric_is_how_it_follows_the_unit_of_time(name):
    margin = {"margin": 1.0} if ss.METRICS[name].needs_margin else {}
    wide = {"margin": 8.0} if margin else {}
    one = ss.METRICS[name].function([2.0, 5.0], [2.5, 7.0, 8.0], duration=10.0, **margin)
    eight = ss.METRICS[name].function([16.0, 40.0], [20.0, 56.0, 64.0], duration=80.0, **wide)
    if name not in ("mirkin_distance",):  # an area: it counts pairs
        assert eight == pytest.approx(one * 8.0 ** ss.METRICS[name].power)


def test_several_annotators():
    given = pl.DataFrame({"truth": [[TRUTH, PRED]], "pred": [PRED], "start": [START], "end": [END]})
    names = ["f1(margin=30min)", "annotated_f1(margin=30min)"]
    found = ss.score(given, **ENDS, metrics=names, margin=MARGIN).select(names).row(0)
    both = ss.annotated([*sides()], sides()[1], margin=MARGIN)
    assert found == ((0.5 + 1) / 2, both.f1)
    runs = pl.DataFrame({"series": ["a"], "change_points": [PRED], "start": [START], "end": [END]})
    people = pl.DataFrame({"series": ["a", "a"], "annotator": ["x", "y"], "change_points": [TRUTH, PRED]})
    assert ss.score_long(runs, people, **ENDS, metrics=names, margin=MARGIN).select(names).row(0) == found
    texts = people.with_columns(pl.Series("change_points", [str([str(t) for t in side]) for side in (TRUTH, PRED)]))
    assert ss.score_long(runs, texts, **ENDS, metrics=names, margin=MARGIN).select(names).row(0) == found


FAR = {"start": -(2**62), "end": 2**62}  # in microseconds since 1970
BAD_ROWS = [
    (
        table([END + timedelta(1)]),
        "unreadable",
        "truth[0] = 2024-05-09 is outside 2024-05-01 < time < 2024-05-08, start and end",
    ),
    (
        table(pred=[START - timedelta(1)]),
        "invalid",
        "pred[0] = 2024-04-30 is outside 2024-05-01 < time < 2024-05-08, start and end",
    ),
    (
        table(pred=PRED[::-1]),
        "invalid",
        "pred[1] = 2024-05-03T06:20 does not exceed pred[0] = 2024-05-06T02:00; times must strictly increase (sort them first)",
    ),
    (
        table(pred=[PRED[0], PRED[0]]),
        "invalid",
        "pred[1] = 2024-05-03T06:20 does not exceed pred[0] = 2024-05-03T06:20; times must strictly increase (drop the repeat)",
    ),
    (table(pred=[PRED[0], None]), "invalid", "pred[1] is null; expected a time"),
    (table(truth=[None, *TRUTH]), "unreadable", "truth[0] is null; expected a time"),
    (table(end=START), "unreadable", "end = 2024-05-01 does not exceed start = 2024-05-01; expected start < end"),
    (
        table(end=datetime(2300, 1, 1)).with_columns(pl.col("pred").cast(pl.List(pl.Datetime("ns")))),
        "unreadable",
        "end = 2300-01-01 is 2**63 ns or more from 1970; expected a time that fits (use a coarser unit)",
    ),
    (
        table().with_columns(pred=pl.Series([["yesterday"]])),
        "unreadable",
        "pred[0] = 'yesterday' is not a time; expected ISO 8601, as 2024-05-01T06:00:00",
    ),
    (
        table().with_columns(pred=pl.Series([["2024-05-03T06:00:00.000000001"]])),
        "unreadable",
        "pred[0] = '2024-05-03T06:00:00.000000001' has more than 6 decimals; expected microseconds (Parquet holds nanoseconds)",
    ),
    (
        table().with_columns(pred=pl.Series([["2024-05-03T06:00:00.0000010", "2024-05-03T06:00:00.0000011"]])),
        "unreadable",
        "pred[1] = '2024-05-03T06:00:00.0000011' has more than 6 decimals; expected microseconds (Parquet holds nanoseconds)",
    ),
    (
        table().with_columns(pl.Series(name, [count]).cast(pl.Datetime) for name, count in FAR.items()),
        "unreadable",
        "from start to end there are 2**63 us or more; expected fewer (use a coarser unit)",
    ),
    (
        table().with_columns(pred=pl.Series([["2024-05-03T06:00", "2024-05-03T07:00Z"]])),
        "unreadable",
        "pred[1] = '2024-05-03T07:00Z' has a time zone; expected time zones on all times or on none of them",
    ),
    (
        table().with_columns(pred=pl.Series([["2024-02-30"]])),
        "unreadable",
        "pred[0] = '2024-02-30' is not a time: day is out of range for month; expected a time that exists",
    ),
]


@pytest.mark.parametrize(("given", "status", "message"), BAD_ROWS)
def test_bad_rows_say_what_is_wrong(given, status, message):
    with pytest.raises(ValueError, match=f"^row 0: {re.escape(message)}$"):
        ss.score(given, **ENDS, metrics=["f1"], margin=MARGIN)
    good = ss.score(table(), **ENDS, metrics=["f1"], margin=MARGIN)
    both = pl.concat([table().cast(given.schema), given]) if "String" not in str(given.schema) else given
    options = {**ENDS, "metrics": ["f1"], "margin": MARGIN, "on_error": "null"}
    if status == "unreadable":
        with pytest.warns(UserWarning, match=re.escape(message)):
            found = ss.score(both, **options)
    else:
        found = ss.score(both, **options)
    assert found["status"][-1] == status
    assert found["error"][-1] == message
    assert found["f1(margin=30min)"][-1] is None
    if both.height == 2:
        assert found["f1(margin=30min)"][0] == good["f1(margin=30min)"][0]


def test_nulls_are_what_they_are_in_points():
    given = pl.concat(
        [table(), table().with_columns(pred=None), table().with_columns(truth=None)], how="vertical_relaxed"
    )
    with pytest.warns(UserWarning, match="the truth or the length is null"):
        found = ss.score(given, **ENDS, metrics=["f1"], margin=MARGIN, on_error="null")
    assert found["status"].to_list() == ["ok", "error", "unreadable"]
    for side in ENDS:
        with pytest.warns(UserWarning, match="the truth or the length is null"):
            found = ss.score(table(**{side: None}).cast(table().schema), **ENDS, metrics=["f1"], margin=MARGIN, on_error="null")  # fmt: skip
        assert found.select("status", "f1(margin=30min)").row(0) == ("unreadable", None)
    without = table(pred=PRED[::-1]).with_columns(truth=pl.lit(None, pl.List(pl.Datetime)))
    with pytest.warns(UserWarning, match="the truth or the length is null"):
        assert ss.score(without, **ENDS, metrics=["f1"], margin=MARGIN, on_error="null")["status"][0] == "unreadable"


def test_other_columns_stay_as_they_are():
    given = table().with_columns(n=pl.lit("a"), _n=pl.lit(2.5))
    found = ss.score(given, **ENDS, metrics=METRICS, margin=MARGIN)
    assert found.select(given.columns).equals(given)
    expected = scores_of(ss.score(table(), **ENDS, metrics=METRICS, margin=MARGIN))
    assert scores_of(found) == expected
    renamed = table().rename({"truth": "n", "pred": "_n"})
    assert scores_of(ss.score(renamed, truth="n", pred="_n", **ENDS, metrics=METRICS, margin=MARGIN)) == expected


def test_an_empty_text_of_annotators_beside_lists_of_lists_has_no_annotator():
    texts = ['[["2024-05-03"], ["2024-05-04"]]', "[]"]
    given = pl.DataFrame({"truth": texts, "pred": ['["2024-05-03"]'] * 2})
    message = "row 1: truth is an empty list of annotators; expected at least one, or null for no truth"
    with pytest.raises(ValueError, match=f"^{message}$"):
        ss.score(given, start=START, end=END, metrics=["f1"], margin=MARGIN)
    assert ss.score(given[1:], start=START, end=END, metrics=["f1"], margin=MARGIN)["f1(margin=30min)"].to_list() == [
        0.0
    ]


ZONED = table().with_columns(pl.col("start", "end").dt.replace_time_zone("Europe/Berlin"))
MIXED = pd.DataFrame({"truth": [[START, datetime(2024, 5, 2, tzinfo=timezone.utc)]], "pred": [[]]})
MIXED_PEOPLE = pd.DataFrame({"truth": [[[START], [datetime(2024, 5, 2, tzinfo=timezone.utc)]]], "pred": [[]]})
BAD_TABLES = [
    (ZONED, {}, "start has a time zone but truth does not; expected time zones on all times or on none of them"),
    *(
        (
            each,
            {"start": START, "end": END},
            "row 0: truth has times with and without a time zone; expected time zones on all times or on none of them",
        )
        for each in (MIXED, MIXED_PEOPLE)
    ),
    (table(), {"margin": 5}, "margin = 5 is a number, but the cuts are timestamps; expected a length of time: timedelta(minutes=5), 5min inside the text of a metric and on the command line"),
    (table(), {"metrics": ["pk(k=5)"]}, "pk(k=5): k = 5 is a number, but the cuts are timestamps; expected a length of time: timedelta(minutes=5), 5min inside the text of a metric and on the command line"),
    (table(), {"margin": "5min"}, "margin = '5min' is of type str, but the cuts are timestamps; expected a length of time: timedelta(minutes=5), 5min inside the text of a metric and on the command line"),
    (table(), {"margin": pd.NaT}, "margin = NaT is of type NaTType, but the cuts are timestamps; expected a length of time: timedelta(minutes=5), 5min inside the text of a metric and on the command line"),
    (table(), {"start": None, "end": None, "margin": 5}, "table has no column 'n'; it has truth, pred, start, end; expected n= or duration=, the name of a column or a number, or ends=True for lists that end with the length, or start= and end= for timestamps"),
    *(
        (table().with_columns(truth=pl.lit(text)), {}, f"row 0: truth = {text!r} is not a list of times, as in [\"2024-05-01T06:00:00\"]; write it again as JSON")
        for text in ("2024-05-03", "[datetime.datetime(2024, 5, 3, 0, 0)]", "[Timestamp('2024-05-03')]", '["2024-05-03", null]')
    ),
    (table(), {"end": None}, "start= is given without end=; expected both for timestamps"),
    (table(), {"n": 5}, "n= and start= exclude each other; expected one of them"),
    (table(), {"start": None, "end": None, "n": 5, "margin": 5}, "column 'truth' holds times; expected a list of integers per row (or start= and end= for timestamps)"),
    (
        table(),
        {"start": None, "end": None, "n": 5},
        "margin = 30min is a length of time, but the cuts are not timestamps; expected a number in the unit of the cuts (or start= and end=, the columns of the first and the last time)",
    ),
    (table().with_columns(pred=pl.Series([[3]])), {}, "column 'pred' holds int64; expected a list of timestamps per row (only the truth may have several)"),
    (table(), {"start": "begin"}, "table has no column 'begin'; it has truth, pred, start, end; expected start= and end=, the names of columns or one time for all rows"),
    (table(), {"margin": timedelta(-1)}, "margin = -1d is negative; expected 0 or more"),
    (table(), {"margin": np.timedelta64(5, "ns")}, "f1(margin=5ns): margin = 5ns is not a whole number of us, the unit of the timestamps; expected a multiple of it (or timestamps with unit='ns')"),
]  # fmt: skip


@pytest.mark.parametrize(("given", "options", "message"), BAD_TABLES)
def test_bad_tables_say_what_is_wrong(given, options, message):
    with pytest.raises((TypeError, ValueError), match=f"^{re.escape(message)}$"):
        ss.score(given, **{**ENDS, "metrics": ["f1"], "margin": MARGIN, **options})


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (timedelta(minutes=5), "5min"),
        (timedelta(hours=1.5), "90min"),
        (timedelta(days=14), "14d"),
        (timedelta(seconds=1.5), "1500ms"),
        (timedelta(0), "0s"),
        (np.timedelta64(1, "W"), "7d"),
        (np.timedelta64(3, "ns"), "3ns"),
        (pd.Timedelta("2h"), "2h"),
    ],
)
def test_a_length_of_time_has_one_text(value, text):
    name = ss.metric("f1", margin=value)
    assert name == f"f1(margin={text})"
    assert ss.metric("f1", margin=LengthOfTime.read(text)) == name
    assert str(LengthOfTime.read(text)) == text


def test_lengths_of_time_work_in_compare_matrices_and_tests():
    truth, pred = sides()
    for name in ("f1(margin=1h)", "f1(margin=1.0h)", "f1(margin=60min)"):
        assert ss.compare(truth, pred, metrics=[name]).to_dict() == {"f1(margin=1h)": 0.5}
        assert ss.pairwise([truth, pred], metric=name)[0, 1] == 0.5
        assert ss.nearest([truth], [pred], metric=name).scores.tolist() == [[0.5]]
        assert ss.rand_test(truth, pred, metric=name, draws=9, rng=1).score == 0.5
        assert ss.agreement([truth, pred], metric=name).matrix[0][1] == 0.5


@pytest.mark.parametrize("name", ["week.parquet", "week.arrow", "week.jsonl", "week.csv"])
@pytest.mark.parametrize("zone", [None, "Europe/Berlin"])
def test_files(tmp_path, name, zone):
    given = table()
    if zone is not None:
        given = given.with_columns(pl.col("start", "end").dt.replace_time_zone(zone))
        given = given.with_columns(pl.col("truth", "pred").list.eval(pl.element().dt.replace_time_zone(zone)))
    path = tmp_path / name
    given.write_parquet(tmp_path / "first.parquet")
    run = CliRunner().invoke(main, ["score", str(tmp_path / "first.parquet"), "-o", str(path), "--start", "start", "--end", "end", "--metrics", "covering"])  # fmt: skip
    assert run.exit_code == 0, run.output
    arguments = ["score", str(path), "-o", "-", "--start", "start", "--end", "end", "--margin", "30min"]
    run = CliRunner().invoke(main, [*arguments, "--metrics", "f1,f1(margin=1h),rand_index"])
    assert run.exit_code == 0, run.output
    found = json.loads(run.output)
    assert [found[key] for key in ("f1(margin=30min)", "f1(margin=1h)")] == [0.5, 0.5]
    assert found["rand_index"] == ss.rand_index(*sides())


def test_offsets_in_texts_say_the_instant():
    texts = {"truth": '["2024-05-03T08:00+02:00"]', "pred": '["2024-05-03T00:30:00.0-0530"]'}
    given = pl.DataFrame({**texts, "start": "2024-05-01T00:00Z", "end": "2024-05-08 02:00:00+02:00"})
    found = ss.score(given, **ENDS, metrics=["f1(margin=0)", "rand_index"])
    assert found.select("f1(margin=0)", "rand_index").row(0) == (1.0, 1.0)
    late = given.with_columns(
        end=pl.lit("2024-05-03T08:00+02:00"), truth=pl.lit('["2024-05-03T08:00:00.000001+02:00"]')
    )
    with pytest.raises(
        ValueError, match=r"^row 0: truth\[0\] = 2024-05-03T06:00:00.000001Z is outside 2024-05-01Z < time <"
    ):
        ss.score(late, **ENDS, metrics=["rand_index"])


def test_the_command_line_takes_one_time_and_refuses_other_lengths(tmp_path):
    table().drop("start").write_parquet(tmp_path / "week.parquet")
    arguments = ["score", str(tmp_path / "week.parquet"), "-o", "-", "--start", "2024-05-01", "--end", "end"]
    run = CliRunner().invoke(main, [*arguments, "--metrics", "f1", "--margin", "2h"])
    assert json.loads(run.output)["f1(margin=2h)"] == 1.0
    run = CliRunner().invoke(main, [*arguments, "--metrics", "f1", "--margin", "2hours"])
    assert run.output.startswith(
        "segscore: Invalid value for '--margin': '2hours' is not a length; expected a number, or 5min or 30s for "
        "timestamps"
    )
    run = CliRunner().invoke(main, [*arguments, "--metrics", "f1", "--margin", "5"])
    assert run.output.startswith("segscore: --margin 5 is a number, but the cuts are timestamps; expected a length")


def runs():
    """Return two methods on two series; one method failed once."""
    rows = [("a", "x", TRUTH, PRED), ("a", "y", TRUTH, TRUTH), ("b", "x", PRED, TRUTH), ("b", "y", PRED, None)]
    made = pl.DataFrame(rows, schema=["series", "method", "truth", "pred"], orient="row")
    return made.with_columns(start=pl.lit(START), end=pl.lit(END))


def test_a_leaderboard_names_the_margin_and_fills_failures():
    scores = ss.score(runs(), **ENDS, metrics=["f1", "f1(margin=1h)", "mean_error"], margin=MARGIN)
    board = ss.leaderboard(scores, "f1(margin=30min)", failures="no_cuts")
    assert board.heading.startswith("f1(margin=30min), 2 series")
    with pytest.raises(ValueError, match=r"^f1 fits f1\(margin=30min\) and f1\(margin=1h\); expected one of these"):
        ss.leaderboard(scores, "f1")
    values = dict(zip(board.methods, board.values.tolist(), strict=True))
    assert values["y"] == [1.0, pytest.approx(ss.f1(sides(PRED)[0], [], margin=MARGIN))]
    named = ss.leaderboard(scores, "f1(margin=1h)", failures="no_cuts")
    assert sorted(map(tuple, named.values.tolist())) == sorted(
        [(0.5, 0.5), (1.0, pytest.approx(ss.f1(sides(PRED)[0], [], margin=timedelta(hours=1))))]
    )
    assert "F1 at margin 1h" in ss.publication(scores, ["f1(margin=1h)"]).to_markdown()


@pytest.mark.parametrize(
    ("span", "unit", "margin"),
    [(timedelta(7), "us", "30min"), (timedelta(365), "us", "1d"), (timedelta(seconds=2), "us", "10ms"), (timedelta(30), "D", "1d")],
)  # fmt: skip
def test_the_usual_margin_is_round_and_counts_whole_units(span, unit, margin):
    given = table([], [], START, START + span)
    given = given.with_columns(pl.col("truth", "pred").cast(pl.List(pl.Datetime)))
    if unit == "D":
        given = given.with_columns(pl.col("start", "end").cast(pl.Date), truth=pl.lit(None), pred=pl.lit(None))
    assert str(usual_margin(given)) == margin


def test_charts_of_runs_are_in_a_unit_that_can_be_read():
    pytest.importorskip("altair")
    chart = ss.charts.f1_curve(runs(), margin=timedelta(hours=2))
    assert "margin (hours)" in json.dumps(chart.to_dict())
    assert [{"x": pytest.approx(2.0)}] in list(data_of(chart).values())
    assert "delay (minutes)" in json.dumps(ss.charts.delays(runs(), max_delay=timedelta(minutes=30)).to_dict())
    with pytest.raises(TypeError, match=r"^margin = 5 is a number, but the cuts are timestamps; expected a length of"):
        ss.charts.f1_curve(runs(), margin=5)
    in_points = pl.DataFrame({"series": ["a"], "method": ["x"], "truth": [[3]], "pred": [[4]], "n": [9]})
    with pytest.raises(TypeError, match=r"^margin = 1h is a length of time, but the cuts are not timestamps; expected"):
        ss.charts.f1_curve(in_points, margin=timedelta(hours=1))


@pytest.fixture(scope="module")
def week(tmp_path_factory):
    """Return the report of a week of timestamps."""
    pytest.importorskip("altair")
    path = tmp_path_factory.mktemp("week") / "week.html"
    names = ["f1", "f1(margin=1h)", "mean_error", "mean_delay(max_delay=3h)"]
    return ss.report(runs(), path, metrics=names, margin=MARGIN)


def test_a_report_counts_exactly_and_shows_lengths_of_time(week):
    page = content(week)
    assert page["margin"] == 1800 * 10**6
    assert page["time"] == {"unit": "us", "step": 1e-3, "seconds": 1e-6, "coarse": 1, "utc": False}
    first = page["runs"][0]
    assert (first["length"], first["start"]) == (7 * 86400 * 10**6, "2024-05-01T00:00:00.000000")
    assert first["origin"] == (START - datetime(1970, 1, 1)) / timedelta(milliseconds=1)
    assert first["truths"][0]["cuts"] == sides()[0].cuts
    assert page["values"]["mean_error"][0][0] == 4200
    assert [metric["label"] for metric in page["metrics"]] == [
        *("F1", "F1 at margin 1h", "Mean error (s)", "Mean delay, max delay 3h (s)")
    ]
    assert page["metrics"][1]["entry"] == {"name": "f1", "margin": 3600 * 10**6}
    assert [mark["x"] for mark in page["curves"]["margins"]["marks"]] == [pytest.approx(30)]
    assert "The margin is 30min, unless" in week.read_text()
    assert "f1(margin=30min)" in week.read_text()


def test_a_report_of_nanoseconds_is_counted_in_microseconds_where_numbers_of_a_page_are_not_exact(tmp_path):
    pytest.importorskip("altair")
    kind = pl.Datetime("ns")
    year = runs().with_columns(pl.col("truth", "pred").cast(pl.List(kind)), end=pl.lit(datetime(2025, 5, 8)))
    page = content(ss.report(year, tmp_path / "year.html", metrics=["f1"], margin=timedelta(days=1)))
    assert (page["time"]["unit"], page["time"]["coarse"], page["margin"]) == ("us", 1000, 86400 * 10**6)
    assert page["runs"][0]["truths"][0]["cuts"] == sides()[0].cuts
    assert "This page rounds times down to whole us; scores are exact." in page["conventions"]


def test_a_report_refuses_other_margins_and_leaves_out_unreadable_rows(tmp_path):
    pytest.importorskip("altair")
    with pytest.raises(
        TypeError, match=r"^f1\(margin=5\): margin = 5 is a number, but the cuts are timestamps; expected"
    ):
        ss.report(runs(), tmp_path / "x.html", metrics=["f1"], margin=5)
    bad = pl.concat([runs(), runs().with_columns(pl.col("start") + timedelta(3), series=pl.lit("c"))])
    with pytest.raises(ValueError, match=r"^row 4: truth\[0\] = 2024-05-03T06:00 is outside 2024-05-04 < time <"):
        ss.report(bad, tmp_path / "x.html", metrics=["f1"])
    with pytest.warns(UserWarning, match=r"^4 of 8 rows cannot be read"):
        page = content(ss.report(bad, tmp_path / "x.html", metrics=["f1"], on_error="null"))
    assert page["banner"].startswith("4 of 8 rows cannot be read and are left out; the first is row 4: truth[0] = ")


@pytest.mark.slow
def test_the_page_shows_dates_and_gives_code_that_runs(week, browser, capsys):
    for width in (1400, 390):
        page = browser.new_page(viewport={"width": width, "height": 900})
        errors = []
        page.on("pageerror", lambda error, found=errors: found.append(error))
        page.goto(week.as_uri())
        page.click("nav a[href='#series']")
        page.wait_for_selector("#blame td")
        page.wait_for_selector("#staircase-chart svg")
        assert page.text_content("#margin-shown") == "30 min"
        ticks = page.eval_on_selector_all("#timeline text.soft", "all => all.map((each) => each.textContent)")
        assert "2024-05-01" in ticks
        assert "time" in ticks
        tips = page.eval_on_selector_all("#timeline title", "all => all.map((each) => each.textContent)")
        assert "truth: true cut 2024-05-03 06:00" in tips
        assert page.evaluate("document.documentElement.scrollWidth") == width
        code = page.text_content("#code pre")
        assert errors == []
        page.close()
    found = {}
    exec(code, found)
    capsys.readouterr()
    assert found["truth"].start == np.datetime64(START)
    assert found["scores"]["f1(margin=30min)"] in (0.5, 1.0)
    assert set(found["scores"]) == {"f1(margin=30min)", "f1(margin=1h)", "mean_error", "mean_delay(max_delay=3h)"}
