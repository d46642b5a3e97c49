"""Timestamps: exact integers of a unit, in any time zone, from and to every library."""

import copy
import pickle
import re
import zoneinfo
from datetime import date, datetime, timedelta, timezone, tzinfo

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import segscore as ss
from segscore import Segmentation

BERLIN, KOLKATA, NEW_YORK = map(zoneinfo.ZoneInfo, ("Europe/Berlin", "Asia/Kolkata", "America/New_York"))
START, END = datetime(2024, 5, 1), datetime(2024, 5, 2)
DAY = Segmentation.from_timestamps([datetime(2024, 5, 1, 6)], START, END)
HOUR = 3_600_000_000


def hours(*cuts, **more):
    return Segmentation.from_timestamps([START + timedelta(hours=cut) for cut in cuts], START, END, **more)


def test_what_it_shows():
    assert (DAY.cuts, DAY.n, DAY.duration) == ([6 * HOUR], 24 * HOUR, None)
    assert (DAY.start, DAY.end, DAY.zone) == (np.datetime64("2024-05-01"), np.datetime64("2024-05-02"), None)
    assert DAY.start.dtype == DAY.to_timestamps().dtype == "datetime64[us]"
    assert DAY.to_timestamps().tolist() == [datetime(2024, 5, 1, 6)]
    assert repr(DAY) == "<Segmentation from 2024-05-01 to 2024-05-02, in us, by 1 cut: 2024-05-01T06:00>"
    assert repr(hours(unit="h")) == "<Segmentation from 2024-05-01 to 2024-05-02, in h, by 0 cuts>"
    assert repr(hours(*range(1, 20), labels="abab" * 5)) == (
        "<Segmentation from 2024-05-01 to 2024-05-02, in us, by 19 cuts, with 2 labels: "
        "2024-05-01T01:00, 2024-05-01T02:00, 2024-05-01T03:00, ..., 2024-05-01T19:00>"
    )
    assert pickle.loads(pickle.dumps(DAY)) == copy.deepcopy(DAY) == Segmentation(DAY) == DAY
    assert hash(Segmentation(DAY)) == hash(DAY)
    assert Segmentation([6 * HOUR], n=24 * HOUR) != DAY != Segmentation([6 * HOUR], n=24 * HOUR)
    assert hours(0, 6, 24) == DAY
    assert hours(6, unit="h").cuts == [6]
    assert DAY.without_labels() is DAY
    assert Segmentation(DAY, "ab").without_labels() == DAY
    assert Segmentation(DAY, "ab").start == DAY.start


def test_one_instant_in_several_units():
    """Libraries count the same instants in different units: pandas 2 in ns, pandas 3 and Python in us."""
    coarse, fine = hours(6, 7, unit="h", labels="aba"), hours(6, 7, unit="ns", labels="aba")
    assert (coarse.unit, fine.unit, Segmentation([3], n=9).unit) == ("h", "ns", None)
    assert coarse == fine == hours(6, 7, labels="aba") and hash(coarse) == hash(fine) == hash(hours(6, 7, labels="aba"))
    assert coarse != hours(6, 8, unit="ns", labels="aba") and coarse != hours(6, 7, unit="ns")
    assert coarse != Segmentation.from_timestamps(
        [], np.datetime64("2024-05-01", "D"), np.datetime64("9999-01-01", "D")
    )
    assert Segmentation.from_timestamps([], date(2024, 5, 1), date(9999, 1, 1)) != fine  # no number of ns fits
    assert coarse.in_unit("ns").cuts == fine.cuts and fine.in_unit("h").cuts == [6, 7]
    assert fine.in_unit("ns") is fine and coarse.in_unit("s").labels == ("a", "b", "a")
    assert coarse.in_unit("us").zone is None
    berlin = Segmentation.from_timestamps([], datetime(2024, 5, 1, tzinfo=BERLIN), datetime(2024, 5, 2, tzinfo=BERLIN))
    assert berlin.in_unit("h").zone == "Europe/Berlin" and berlin.in_unit("h") == berlin
    assert berlin.in_unit("h") != hours(unit="us")
    assert ss.rand_index(coarse.in_unit("ns"), fine) == 1
    assert ss.f1(hours(6, 7, unit="h").in_unit("us"), hours(8, 9), margin=timedelta(hours=1)) == 0.5
    for unit in ("h", "us", "ns"):
        own, other = hours(6, 9, unit=unit), hours(7, unit=unit)
        assert ss.rand_index(own, other) == pytest.approx(ss.rand_index([6, 9], [7], duration=24), abs=0.05)


def test_units_of_several_hours():
    found = Segmentation.from_timestamps(np.array(["2024-05-01T06"], "M8[6h]"), START, END, unit="h")
    assert found.cuts == [6]


class Strange(tzinfo):
    """A time zone that has no offset without a time."""

    def utcoffset(self, when):
        return timedelta(hours=2 + 0 * when.year)

    def dst(self, when):
        return None


def test_a_time_zone_without_a_name():
    found = Segmentation.from_timestamps([], START.replace(tzinfo=Strange()), END.replace(tzinfo=Strange()))
    assert (found.zone, found.start, found.n) == ("UTC", np.datetime64("2024-04-30T22"), 24 * HOUR)


AWARE = datetime(2024, 5, 1, tzinfo=timezone.utc)
FORMS = {
    "datetime": lambda times: [t.replace(tzinfo=None) for t in times],
    "generator": lambda times: (t.replace(tzinfo=None) for t in times),
    "datetime64": lambda times: np.array([t.replace(tzinfo=None) for t in times], dtype="datetime64[us]"),
    "big endian": lambda times: np.array([t.replace(tzinfo=None) for t in times], dtype=">M8[us]"),
    "strided": lambda times: np.array([t.replace(tzinfo=None) for t in times for _ in "ab"], dtype="datetime64[us]")[
        ::2
    ],
    "scalars": lambda times: [np.datetime64(t.replace(tzinfo=None), "us") for t in times],
    "pandas": lambda times: pd.Series([t.replace(tzinfo=None) for t in times], dtype="datetime64[us]"),
    "index": lambda times: pd.DatetimeIndex([t.replace(tzinfo=None) for t in times], dtype="datetime64[us]"),
    "objects": lambda times: pd.Series([t.replace(tzinfo=None) for t in times], dtype=object),
    "Timestamp": lambda times: [pd.Timestamp(t.replace(tzinfo=None)) for t in times],
    "polars": lambda times: pl.Series([t.replace(tzinfo=None) for t in times], dtype=pl.Datetime("us")),
    "aware datetime": lambda times: [t.astimezone(KOLKATA) for t in times],
    "mixed zones": lambda times: [t.astimezone((KOLKATA, NEW_YORK)[k % 2]) for k, t in enumerate(times)],
    "aware pandas": lambda times: pd.Series(times, dtype="datetime64[us, UTC]").dt.tz_convert("Europe/Berlin"),
    "aware index": lambda times: pd.DatetimeIndex(times, dtype="datetime64[us, UTC]").tz_convert("America/New_York"),
    "aware objects": lambda times: pd.Series([pd.Timestamp(t).tz_convert("Asia/Kolkata") for t in times], dtype=object),
    "aware polars": lambda times: pl.Series(times, dtype=pl.Datetime("us", "UTC")).dt.convert_time_zone("Asia/Tokyo"),
    "arrow": lambda times: pytest.importorskip("pyarrow").array(
        times, pytest.importorskip("pyarrow").timestamp("us", "UTC")
    ),
    "naive arrow": lambda times: pytest.importorskip("pyarrow").array(
        [t.replace(tzinfo=None) for t in times], pytest.importorskip("pyarrow").timestamp("us")
    ),
    "arrow in pandas": lambda times: pd.Series(
        times, dtype=pd.ArrowDtype(pytest.importorskip("pyarrow").timestamp("us", "Europe/Berlin"))
    ),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("seconds", [(), (1,), (7200, 7201, 80_000)])
def test_every_form_gives_the_same_integers(form, seconds):
    times = [AWARE + timedelta(seconds=s, microseconds=1) for s in seconds]
    given_times = FORMS[form](times)
    naive = not form.startswith(("aware", "mixed", "arrow"))
    start, end = (t.replace(tzinfo=None) if naive else t for t in (AWARE, AWARE + timedelta(days=1)))
    found = Segmentation.from_timestamps(given_times, start, end)
    assert found.cuts == [1_000_000 * s + 1 for s in seconds]
    assert (found.n, found.zone) == (24 * HOUR, None if naive else "UTC")
    assert found.to_timestamps().tolist() == [t.replace(tzinfo=None) for t in times]


def test_the_unit_is_the_finest():
    def unit(*times):
        start, end, *cuts = times
        return Segmentation.from_timestamps(cuts, start, end).start.dtype.str[4:-1]

    first, second = date(2024, 1, 1), date(2024, 3, 1)
    assert unit(first, second) == "D"
    assert unit(first, second, datetime(2024, 2, 1)) == "us"
    assert unit(first, second, np.datetime64("2024-02-01T00", "h")) == "h"
    assert unit(first, pd.Timestamp(second).as_unit("s"), np.datetime64("2024-02-01T00", "ns")) == "ns"
    assert unit(date(1970, 1, 1), np.datetime64(9, "ms"), np.datetime64(1, "us")) == "us"
    zeros = Segmentation.from_timestamps([], np.datetime64(0, "ns"), np.datetime64(7 * 86400, "s"), unit="W")
    assert (zeros.cuts, zeros.n) == ([], 1)
    assert unit(np.datetime64("2024", "Y"), np.datetime64("2024-06", "M")) == "D"
    assert unit(np.datetime64("2024-01-04", "W"), np.datetime64("2024-02-01", "W")) == "W"
    assert unit(*np.array(["2024-01-01", "2024-01-02"], dtype="datetime64[10m]")) == "m"
    leap = Segmentation.from_timestamps([date(2024, 3, 1)], date(2024, 1, 1), date(2025, 1, 1))
    assert (leap.cuts, leap.n) == ([60], 366)
    polars = pl.Series([date(2024, 3, 1)])
    assert Segmentation.from_timestamps(polars, date(2024, 1, 1), date(2025, 1, 1)) == leap


# Nanoseconds since 1970 exceed 2**53, so a float would lose the last digits.
def test_nanoseconds_are_exact():
    start = np.datetime64("2024-05-01T00:00:00.000000001", "ns")
    times = start + np.array([1, 2, 3, 10**15 + 1]).astype("timedelta64[ns]")
    for form in (times, pd.Series(times), pl.Series(times), pd.DatetimeIndex(times).tz_localize("UTC")):
        zone = getattr(getattr(form, "dtype", None), "tz", None)
        ends = [start, times[-1] + np.timedelta64(1, "ns")]
        ends = [pd.Timestamp(t, tz=zone) for t in ends] if zone else ends
        found = Segmentation.from_timestamps(form, *ends)
        assert (found.cuts, found.n) == ([1, 2, 3, 10**15 + 1], 10**15 + 2)
        assert (found.to_timestamps() == times).all()
        assert Segmentation.from_timestamps(found.to_timestamps(), found.start, found.end).cuts == found.cuts


@pytest.mark.parametrize(
    ("zone", "day", "length"),
    [
        (BERLIN, (2024, 3, 31), 23),
        (BERLIN, (2024, 10, 27), 25),
        (NEW_YORK, (2024, 3, 10), 23),
        (NEW_YORK, (2024, 11, 3), 25),
        (KOLKATA, (2024, 3, 31), 24),
        (zoneinfo.ZoneInfo("Australia/Lord_Howe"), (2024, 4, 7), 24.5),
    ],
)
def test_days_on_which_clocks_change(zone, day, length):
    start = datetime(*day, tzinfo=zone)
    end = start + timedelta(days=1)  # by the clock on the wall
    found = Segmentation.from_timestamps([], start, end, unit="m")
    assert found.n == length * 60
    pandas = Segmentation.from_timestamps([], pd.Timestamp(start), pd.Timestamp(end), unit="m")
    polars = pl.Series([start, end])
    assert pandas == Segmentation.from_timestamps(polars[:0], polars[0], polars[1], unit="m") == found


def test_an_hour_that_comes_twice():
    first, again = (datetime(2024, 10, 27, 2, 30, fold=fold, tzinfo=BERLIN) for fold in (0, 1))
    found = Segmentation.from_timestamps(
        [first, again], datetime(2024, 10, 27, tzinfo=BERLIN), datetime(2024, 10, 28, tzinfo=BERLIN)
    )
    assert found.cuts == [HOUR * 5 // 2, HOUR * 7 // 2]
    assert found.zone == "Europe/Berlin"
    assert repr(found) == (
        "<Segmentation from 2024-10-26T22:00Z to 2024-10-27T23:00Z (Europe/Berlin), in us, by 2 cuts: "
        "2024-10-27T00:30Z, 2024-10-27T01:30Z>"
    )
    for table in (found.to_pandas(), found.to_polars()):
        starts = list(table["start"])
        assert [t.utcoffset() // timedelta(hours=1) for t in starts] == [2, 2, 1]
        assert [(t.hour, t.minute) for t in starts] == [(0, 0), (2, 30), (2, 30)]


ZONES = [None, timezone.utc, BERLIN, NEW_YORK, KOLKATA, timezone(timedelta(hours=-3)), timezone(timedelta(hours=5.5))]


@given(st.data())
def test_there_and_back(data):
    zone = data.draw(st.sampled_from(ZONES))
    zones = st.sampled_from([z for z in ZONES if z is not None]) if zone else st.none()
    # Moments of a week in which clocks change twice in some zones, most of them near the change.
    moments = st.integers(0, 7 * 24 * 60).map(lambda m: datetime(2024, 10, 25) + timedelta(minutes=m))
    times = sorted(data.draw(st.sets(moments, min_size=2, max_size=8)))
    if zone is not None:
        times = [t.replace(tzinfo=timezone.utc).astimezone(data.draw(zones)) for t in times]
        times[0] = times[0].astimezone(zone)
    start, *cuts, end = times
    labels = data.draw(st.none() | st.lists(st.sampled_from("ab"), min_size=len(cuts) + 1, max_size=len(cuts) + 1))
    found = Segmentation.from_timestamps(cuts, start, end, labels)
    utc = [t if zone is None else t.astimezone(timezone.utc) for t in times]
    since = [(t - utc[0]) // timedelta(microseconds=1) for t in utc[1:-1]]
    assert found.cuts == since
    for table in (found.to_pandas(), found.to_polars()):
        first, ends = next(iter(table["start"])), list(table["end"])
        assert [t if zone is None else t.astimezone(timezone.utc) for t in ends] == utc[1:]
        again = Segmentation.from_timestamps(ends[:-1], first, ends[-1], labels)
        assert again == found
        column = table["end"][: len(cuts)]
        assert Segmentation.from_timestamps(column, first, ends[-1], labels) == found
    again = Segmentation.from_timestamps(found.to_timestamps(), found.start, found.end, labels)
    assert again.cuts == found.cuts
    assert (again == found) == (zone is None)  # NumPy has no time zones
    names = {"UTC-03:00": "-03:00", "UTC+05:30": "+05:30", "None": None}
    assert found.zone == names.get(str(zone), str(zone))


def test_tables_of_coarse_and_fine_units():
    days = Segmentation.from_timestamps([date(2024, 2, 1)], date(2024, 1, 1), date(2024, 3, 1))
    assert days.to_polars().dtypes == [pl.Date, pl.Date]
    assert days.to_pandas()["end"].tolist() == [pd.Timestamp(2024, 2, 1), pd.Timestamp(2024, 3, 1)]
    assert (
        Segmentation.from_timestamps(days.to_polars()["start"][1:], *days.to_polars()["start"][:1], date(2024, 3, 1))
        == days
    )
    assert hours(6, unit="h").to_polars().dtypes == [pl.Datetime("ms"), pl.Datetime("ms")]
    naive = Segmentation.from_timestamps([], np.datetime64(0, "D"), np.datetime64(9, "D"))
    assert naive.to_polars().dtypes == [pl.Date, pl.Date]
    ends = [datetime(2024, 5, day, tzinfo=timezone.utc) for day in (1, 8)]
    aware = Segmentation.from_timestamps([], *ends, unit="D").to_polars()  # a date has no time zone
    assert aware.dtypes == [pl.Datetime("ms", "UTC")] * 2
    assert aware.row(0) == tuple(ends)
    far = Segmentation.from_timestamps([], np.datetime64(0, "W"), np.datetime64(2**60, "W"))
    with pytest.raises(ValueError, match=r"^the timestamps exceed the range of pandas in s; use to_timestamps\(\)$"):
        far.to_pandas()


SPAN = START, END
BAD = [
    (lambda: Segmentation.from_timestamps(5, *SPAN), "times is 5; expected a sequence of times"),
    (lambda: Segmentation.from_timestamps("2024", *SPAN), "times is '2024'; expected a sequence of times"),
    (
        lambda: Segmentation.from_timestamps(["2024"], *SPAN),
        "times[0] = '2024' is a str; expected a time: datetime, date, numpy.datetime64 or a timestamp of pandas or Polars",
    ),
    (
        lambda: Segmentation.from_timestamps([], 5, END),
        "start = 5 is an int; expected a time: datetime, date, numpy.datetime64 or a timestamp of pandas or Polars",
    ),
    (
        lambda: Segmentation.from_timestamps(np.array([5]), *SPAN),
        "times holds int64; expected datetime64 (or numbers with n= or duration=)",
    ),
    (
        lambda: Segmentation.from_timestamps(pl.Series(["2024"]), *SPAN),
        "times holds String; expected Datetime or Date (use str.to_datetime())",
    ),
    (
        lambda: Segmentation.from_timestamps(np.array([["2024"]], dtype="M8[D]"), *SPAN),
        "times has 2 dimensions; expected 1 (a flat sequence of times)",
    ),
    (
        lambda: Segmentation.from_timestamps([AWARE], *SPAN),
        "times has a time zone but start does not; expected time zones on all times or on none of them",
    ),
    (
        lambda: Segmentation.from_timestamps([START], AWARE, END),
        "start has a time zone but end does not; expected time zones on all times or on none of them",
    ),
    (
        lambda: Segmentation.from_timestamps(pl.Series([START]), AWARE, AWARE + timedelta(days=1)),
        "start has a time zone but times does not; expected time zones on all times or on none of them",
    ),
    (
        lambda: Segmentation.from_timestamps([START, AWARE], *SPAN),
        "times[1] has a time zone but times[0] does not; expected time zones on all times or on none of them",
    ),
    (lambda: Segmentation.from_timestamps([pd.NaT], *SPAN), "times[0] is NaT; expected a time (drop it first)"),
    (
        lambda: Segmentation.from_timestamps(pd.Series([START, None]), *SPAN),
        "times[1] is NaT; expected a time (drop it first)",
    ),
    (
        lambda: Segmentation.from_timestamps([], np.datetime64("NaT", "s"), END),
        "start is NaT; expected a time (drop it first)",
    ),
    (
        lambda: Segmentation.from_timestamps(pl.Series([START, None]), *SPAN),
        "times[1] is null; expected a time (drop it first)",
    ),
    (
        lambda: Segmentation.from_timestamps([], END, START),
        "end = 2024-05-01 does not exceed start = 2024-05-02; expected start < end",
    ),
    (
        lambda: hours(3, 25),
        "times[1] = 2024-05-02T01:00 is outside 2024-05-01 < time < 2024-05-02, start and end",
    ),
    (
        lambda: hours(6, 3),
        "times[1] = 2024-05-01T03:00 does not exceed times[0] = 2024-05-01T06:00; times must strictly increase "
        "(sort them first)",
    ),
    (
        lambda: hours(6, 6),
        "times[1] = 2024-05-01T06:00 does not exceed times[0] = 2024-05-01T06:00; times must strictly increase "
        "(drop the repeat)",
    ),
    (lambda: hours(6, labels="abc"), "labels has 3 items for 2 segments; expected one per segment"),
    (lambda: hours(6.5, unit="h"), "times[0] = 2024-05-01T06:30 is not a whole number of h; expected a finer unit="),
    (
        lambda: hours(6, unit="year"),
        "unit = 'year' is unknown; expected 'W', 'D', 'h', 'm', 's', 'ms', 'us' or 'ns'",
    ),
    (
        lambda: Segmentation.from_timestamps([], date(1, 1, 1), date(2, 1, 1), unit="ns"),
        "start = 0001-01-01 is 2**63 ns or more from 1970; expected a time that fits (use a coarser unit)",
    ),
    (
        lambda: Segmentation.from_timestamps([], np.datetime64(0, "ps"), END),
        "start has the unit ps; expected ns or a coarser unit (use astype('datetime64[ns]'))",
    ),
    (
        lambda: Segmentation.from_timestamps(np.array([0, 5], dtype="M8[as]"), *SPAN),
        "times has the unit as; expected ns or a coarser unit (use astype('datetime64[ns]'))",
    ),
    (
        lambda: Segmentation.from_timestamps([], np.datetime64(-(2**62), "ns"), np.datetime64(2**62, "ns")),
        "from start to end there are 2**63 ns or more; expected fewer (use a coarser unit)",
    ),
    (
        lambda: Segmentation.from_timestamps([np.datetime64(0, "ns"), date(9999, 1, 1)], *SPAN),
        "times[1] = 9999-01-01 is 2**63 ns or more from 1970; expected a time that fits (use a coarser unit)",
    ),
    (
        lambda: ss.f1(DAY, hours(7, unit="h"), margin=0),
        "pred counts h but truth counts us; expected one unit, so that numbers such as margin=5 have one meaning (use "
        "pred.in_unit('us'))",
    ),
    (
        lambda: ss.pairwise([hours(6, unit="s"), hours(6)]),
        "segmentations[1] counts us but segmentations[0] counts s; expected one unit, so that numbers such as margin=5 "
        "have one meaning (use segmentations[0].in_unit('us'))",
    ),
    (
        lambda: ss.annotated([hours(6, unit="s")], hours(6), margin=0),
        "pred counts us but annotators[0] counts s; expected one unit, so that numbers such as margin=5 have one meaning "
        "(use annotators[0].in_unit('us'))",
    ),
    (
        lambda: ss.rand_index(DAY, Segmentation.from_timestamps([], datetime(2024, 4, 30), END)),
        "pred starts at 2024-04-30 but truth starts at 2024-05-01; expected one start (pass the same start to "
        "from_timestamps)",
    ),
    (
        lambda: ss.rand_index(DAY, Segmentation.from_timestamps([], AWARE, datetime(2024, 5, 2, tzinfo=BERLIN))),
        "pred has a time zone but truth does not; expected time zones on both sides or on neither (give the times a "
        "time zone before from_timestamps)",
    ),
    (lambda: DAY.in_unit("D"), "cuts[0] = 2024-05-01T06:00 is not a whole number of D; expected a finer unit="),
    (
        lambda: Segmentation.from_timestamps([], date(1, 1, 1), date(2, 1, 1)).in_unit("ns"),
        "start = 0001-01-01 is 2**63 ns or more from 1970; expected a time that fits (use a coarser unit)",
    ),
    (
        lambda: Segmentation.from_timestamps(
            [], *(np.datetime64(s, "s") for s in (-9_000_000_000, 9_000_000_000))
        ).in_unit("ns"),
        "from start to end there are 2**63 ns or more; expected fewer (use a coarser unit)",
    ),
    (
        lambda: Segmentation([3], n=9).in_unit("s"),
        "in_unit needs timestamps, but this Segmentation has none; use from_timestamps()",
    ),
    (
        lambda: ss.rand_index(DAY, [3]),
        "truth has timestamps but pred does not; expected timestamps on both sides (use Segmentation.from_timestamps)",
    ),
    (
        lambda: ss.rand_index(Segmentation([3], n=DAY.n), DAY),
        "pred has timestamps but truth does not; expected timestamps on both sides (use Segmentation.from_timestamps)",
    ),
    (
        lambda: ss.rand_index(DAY, Segmentation.from_timestamps([], START, datetime(2024, 5, 3))),
        "pred has end = 2024-05-03 but truth has end = 2024-05-02; both sides must have one length",
    ),
    (
        lambda: ss.pairwise([[], DAY, [3]]),
        "segmentations[1] has timestamps but segmentations[2] does not; expected timestamps on both sides "
        "(use Segmentation.from_timestamps)",
    ),
    (
        lambda: ss.label_error([(1, 2, "1change")], DAY),
        "pred has timestamps, and regions have numbers; expected cuts as numbers (use pred.cuts)",
    ),
    (
        lambda: ss.f1([3], [4], n=9, margin=timedelta(1)),
        "margin = datetime.timedelta(days=1) is a length of time, but the cuts are not timestamps; expected a number in "
        "the unit of the cuts (or Segmentation.from_timestamps)",
    ),
    (
        lambda: ss.f1([3], [4], n=9, margin=np.timedelta64(1, "s")),
        "margin = np.timedelta64(1,'s') is a length of time, but the cuts are not timestamps; expected a number in the "
        "unit of the cuts (or Segmentation.from_timestamps)",
    ),
    (
        lambda: ss.f1(DAY, DAY, margin=np.timedelta64(1500, "ns")),
        "margin = np.timedelta64(1500,'ns') is not a whole number of us, the unit of the timestamps; expected a multiple "
        "of it (or timestamps with unit='ns')",
    ),
    (
        lambda: ss.f1(DAY, DAY, margin=np.timedelta64(1, "M")),
        "margin = np.timedelta64(1,'M') has no fixed length; expected weeks, days, hours or shorter units",
    ),
    (
        lambda: ss.f1(DAY, DAY, margin=np.timedelta64(5, "ps")),
        "margin = np.timedelta64(5,'ps') has the unit ps; expected ns or a coarser unit",
    ),
    (
        lambda: ss.f1(DAY, DAY, margin=timedelta(-1)),
        "margin = -8.64e+10 is negative or not a number; expected 0 or more",
    ),
    (
        lambda: ss.metric("f1", margin=timedelta(-1)),
        "f1: margin = -1d is negative; expected 0 or more",
    ),
    (
        lambda: ss.metric("f1", margin=1, beta=timedelta(1)),
        "f1: beta = 1d is a length of time; expected a number",
    ),
    (
        lambda: ss.compare(DAY, DAY, metrics=["f1(margin=5m)"]),
        "f1(margin=5m): margin = '5m' is not a length of time; expected 5min for minutes",
    ),
    (
        lambda: ss.metric("pk", k="2.5m"),
        "k = '2.5m' is not a length of time; expected 2.5min for minutes",
    ),
    (
        lambda: ss.compare([3], [4], n=9, metrics=["f1(margin=5min)"]),
        "f1(margin=5min): margin = 5min is a length of time, but the cuts are not timestamps; expected a number in the "
        "unit of the cuts (or Segmentation.from_timestamps)",
    ),
    (
        lambda: ss.compare(DAY, DAY, metrics=["f1(margin=5ns)"]),
        "f1(margin=5ns): margin = 5ns is not a whole number of us, the unit of the timestamps; expected a multiple of it "
        "(or timestamps with unit='ns')",
    ),
]


@pytest.mark.parametrize(("call", "message"), BAD)
def test_what_is_refused(call, message):
    with pytest.raises((ValueError, TypeError)) as raised:
        call()
    assert str(raised.value) == message


LATE = hours(7, 12)
EARLY = hours(6, 12)
ONE_HOUR = timedelta(hours=1)
OPTIONS = {
    "f1": lambda length: ss.f1(EARLY, LATE, margin=length),
    "compare": lambda length: ss.compare(EARLY, LATE, margin=length).to_dict(),
    "match": lambda length: ss.match(EARLY, LATE, margin=length),
    "f1_area": lambda length: ss.f1_area(EARLY, LATE, margin=length),
    "pk": lambda length: ss.pk(EARLY, LATE, k=length),
    "window_diff": lambda length: ss.window_diff(EARLY, LATE, k=length),
    "pk_curve": lambda length: ss.pk_curve(EARLY, LATE, k=[length]).tolist(),
    "online": lambda length: ss.online(EARLY, LATE, max_delay=length),
    "online_f1": lambda length: ss.online_f1(EARLY, LATE, max_delay=length),
    "rand_test": lambda length: ss.rand_test(EARLY, LATE, metric="f1", margin=length, draws=9, rng=1),
    "pairwise": lambda length: ss.pairwise([EARLY, LATE], metric="f1", margin=length).tolist(),
    "cross": lambda length: ss.cross([EARLY], [LATE], metric="f1", margin=length).tolist(),
    "nearest": lambda length: ss.nearest([EARLY], [LATE], metric="f1", margin=length).scores.tolist(),
    "annotated": lambda length: ss.annotated([EARLY, []], LATE, margin=length),
    "annotated_f1": lambda length: ss.annotated_f1([EARLY], LATE, margin=length),
    "average_precision": lambda length: ss.average_precision(EARLY, LATE, confidence=[0.5, 0.9], margin=length),
    "soft_calibration": lambda length: ss.soft_calibration(
        [EARLY], [ss.SoftSegmentation(LATE, [0.5, 0.9])], margin=length
    ),
    "soft_threshold": lambda _: ss.soft_threshold(
        [EARLY], [ss.SoftSegmentation(LATE, [0.5, 0.9])], metric="f1(margin=0)"
    ),
    "soft_decode": lambda length: ss.soft_decode(ss.SoftSegmentation(LATE, [0.5, 0.9]), least_length=length),
}


def without_margin(found):
    """Return a number, or a result as text without the margin, which names of scores give as it was given."""
    return found if isinstance(found, float) else re.sub(r"margin\S*\s*", "margin", repr(found))


@pytest.mark.parametrize("name", OPTIONS)
def test_lengths_of_time_as_options(name):
    for minutes in (60, 59, 1):
        expected = OPTIONS[name](minutes * 60_000_000)
        for length in (
            timedelta(minutes=minutes),
            np.timedelta64(minutes, "m"),
            np.timedelta64(minutes * 60_000_000_000, "ns"),
            pd.Timedelta(minutes=minutes),
        ):
            assert without_margin(OPTIONS[name](length)) == without_margin(expected)
    assert OPTIONS["f1"](ONE_HOUR) == 1.0 != OPTIONS["f1"](timedelta(minutes=59))


def test_results_stay_in_timestamps():
    assert ss.consensus([EARLY, LATE, LATE]).segmentation == LATE
    assert ss.consensus([EARLY, LATE, LATE, []]).segmentation.start == LATE.start
    assert {drawn.start for drawn in ss.simulate.segmentations(3, LATE, rng=1)} == {LATE.start}
    assert ss.rand_index(EARLY, []) == ss.rand_index(EARLY, hours())


@pytest.mark.parametrize("name", [name for name, metric in ss.METRICS.items() if not metric.only_tables])
def test_scores_are_those_of_the_integers(name):
    metric = ss.METRICS[name]
    options = {"margin": 1} if metric.needs_margin else {}
    truth, pred = hours(3, 8, 20, unit="h"), hours(4, 8, 19, unit="h")
    expected = metric.function([3, 8, 20], [4, 8, 19], n=24, **options)
    expected *= 3600.0**metric.power  # distances, delays and rates are in seconds
    assert metric.function(truth, pred, **options) == expected or expected != expected
