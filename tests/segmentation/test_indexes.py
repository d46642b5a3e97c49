"""Cuts at positions of an index: timestamps, times and points."""

from datetime import date, datetime, timedelta, timezone

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from segscore import Segmentation

HOURS = pd.date_range("2024-05-01", periods=10, freq="h", tz="Europe/Berlin", unit="us")  # pandas 2 would count ns
POINTS = Segmentation([3, 8], "ABA", n=10)


@pytest.mark.parametrize(
    "index",
    [HOURS, HOURS.to_series(), pl.Series(HOURS), HOURS.to_pydatetime(), list(HOURS), list(HOURS.to_pydatetime())],
    ids=["index", "series", "polars", "objects", "Timestamps", "datetimes"],
)
def test_an_index_of_timestamps(index):
    found = Segmentation.from_index(index, [3, 8])
    assert found == Segmentation.from_timestamps([HOURS[3], HOURS[8]], HOURS[0], HOURS[9] + timedelta(hours=1))
    assert (found.zone, found.n) == ("Europe/Berlin", 10 * 3_600_000_000)
    assert Segmentation.from_index(index, POINTS) == Segmentation(found, "ABA")
    assert Segmentation.from_index(index, POINTS, "abc") == Segmentation(found, "abc")
    late = Segmentation.from_index(index, [3, 8], end=datetime(2024, 5, 2, tzinfo=timezone.utc))
    assert late.to_timestamps().tolist() == found.to_timestamps().tolist()
    assert late.n == 26 * 3_600_000_000


def test_an_index_of_numbers():
    for index in (
        range(10),
        np.arange(10),
        pd.RangeIndex(10),
        pl.Series(range(10)),
        list(range(5, 15)),
        np.arange(3, 13),
    ):
        assert Segmentation.from_index(index, POINTS) == POINTS
    assert Segmentation.from_index(range(0, 20, 2), [3, 8]) == Segmentation([6, 16], n=20)
    assert Segmentation.from_index([0, 1, 5], [1], end=9) == Segmentation([1], n=9)
    seconds = np.arange(10) / 4
    for index in (
        seconds,
        seconds.tolist(),
        pd.Index(seconds),
        pl.Series(seconds),
        seconds + 7,
        seconds.astype(np.float32),
    ):
        assert Segmentation.from_index(index, [3, 8]) == Segmentation([0.75, 2], duration=2.5)
    assert Segmentation.from_index([0, 0.5, 3], [1], end=4) == Segmentation([0.5], duration=4)
    assert Segmentation.from_index([0.5], [], end=4) == Segmentation([], duration=3.5)
    # The steps of a computed index differ in the last digits.
    assert Segmentation.from_index(np.arange(0, 1, 0.1), [3]).duration == pytest.approx(1, rel=1e-15)
    assert Segmentation.from_index(np.linspace(1e6, 1e6 + 3, 301), [100]).duration == pytest.approx(3.01, rel=1e-9)
    days = pl.Series([date(2024, 2, 28), date(2024, 2, 29), date(2024, 3, 1)])
    assert Segmentation.from_index(days, [2]).cuts == [2]


@given(st.data())
def test_cuts_stand_at_the_index(data):
    index = sorted(data.draw(st.sets(st.integers(-(2**40), 2**40), min_size=2, max_size=20)))
    positions = sorted(data.draw(st.sets(st.integers(1, len(index) - 1))))
    end = index[-1] + data.draw(st.integers(1, 9))
    found = Segmentation.from_index(index, positions, end=end)
    assert found.cuts == [index[p] - index[0] for p in positions]
    assert found.n == end - index[0]
    times = np.array(index).astype("datetime64[ns]")
    stamped = Segmentation.from_index(times, positions, end=np.datetime64(end, "ns"))
    assert (stamped.cuts, stamped.n) == (found.cuts, found.n)
    assert stamped.to_timestamps().tolist() == times[positions].tolist()


UNEVEN = pd.DatetimeIndex(["2024-05-01", "2024-05-02", "2024-05-04"])
BAD = [
    (lambda: Segmentation.from_index(5, [1]), "index is 5; expected a sequence of times or numbers"),
    (lambda: Segmentation.from_index([], []), "index is empty; expected at least one value"),
    (
        lambda: Segmentation.from_index([3], []),
        "index has one value, and so no step; expected end=, the end of the last segment",
    ),
    (
        lambda: Segmentation.from_index(UNEVEN, [1]),
        "index has no single step: it differs between index[1] = 2024-05-02 and index[2] = 2024-05-04; "
        "expected end=, the end of the last segment",
    ),
    # A day of 23 hours: the end of the last day is not guessed.
    (
        lambda: Segmentation.from_index(pd.date_range("2024-03-30", periods=3, tz="Europe/Berlin"), [1]),
        "index has no single step: it differs between index[1] = 2024-03-30T23:00Z and index[2] = 2024-03-31T22:00Z; "
        "expected end=, the end of the last segment",
    ),
    (
        lambda: Segmentation.from_index([0.0, 0.5, 1.5], [1]),
        "index has no single step: it differs between index[0] = 0.0 and index[1] = 0.5; "
        "expected end=, the end of the last segment",
    ),
    (
        lambda: Segmentation.from_index([0.0, 1.0, 2.000001], [1]),  # more than rounding
        "index has no single step: it differs between index[0] = 0.0 and index[1] = 1.0; "
        "expected end=, the end of the last segment",
    ),
    (
        lambda: Segmentation.from_index([0, 2, 2], [1], end=9),
        "index[2] = 2 does not exceed index[1] = 2; expected an index that strictly increases",
    ),
    (
        lambda: Segmentation.from_index([0.0, np.nan], [1], end=9),
        "index[1] = nan is not finite; expected finite times (drop it first)",
    ),
    (
        lambda: Segmentation.from_index([0, 1, 2], [1], end=2),
        "end = 2 does not exceed index[2] = 2; expected the end of the last segment",
    ),
    (
        lambda: Segmentation.from_index(UNEVEN, [1], end=datetime(2024, 5, 3)),
        "end = 2024-05-03 does not exceed index[2] = 2024-05-04; expected the end of the last segment",
    ),
    (lambda: Segmentation.from_index([0, 1, 2], [5]), "positions[0] = 5 is outside 0 < cut < n = 3"),
    (
        lambda: Segmentation.from_index([0, 1, 2], Segmentation([1], n=4)),
        "positions have n = 4 but n = 3 was passed; expected one length",
    ),
    (
        lambda: Segmentation.from_index(UNEVEN, [1], end=datetime(2024, 5, 9, tzinfo=timezone.utc)),
        "end has a time zone but index does not; expected time zones on all times or on none of them",
    ),
    (
        lambda: Segmentation.from_index([-(2**62), 0, 2**62], [1]),
        "from index[0] to the end there are 2**63 or more; expected fewer (use a coarser index)",
    ),
    (
        lambda: Segmentation.from_index(np.array([2**63 - 20, 2**63 - 10]).view("M8[ns]"), [1]),
        "one step after index[1] = 2262-04-11T23:47:16.854775798 is 2**63 ns or more from 1970; expected end=, or a "
        "coarser index",
    ),
    (lambda: Segmentation.from_index(np.array([], "M8[s]"), []), "index is empty; expected at least one value"),
    (lambda: Segmentation.from_index([0, 1], [1], end=2.5), "end = 2.5 is a float; expected an integer"),
    (lambda: Segmentation.from_index(["a"], [], end=1), "index[0] = 'a' is a str; index must be integers"),
]


@pytest.mark.parametrize(("call", "message"), BAD)
def test_what_is_refused(call, message):
    with pytest.raises((ValueError, TypeError)) as raised:
        call()
    assert str(raised.value) == message
