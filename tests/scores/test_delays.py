"""The delay family: alarms, changes and delays by the rule of segments, for one series, tables and streams."""

import itertools
import math
import pickle
import re
from datetime import datetime, timedelta

import oracle
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import segscore as ss

close = pytest.approx
METRICS = ("online_f1", "mean_delay", "miss_rate", "false_alarm_rate", "average_run_length")


def by_definition(changes, alarms, limit, end):
    """{change: alarm} and the false alarms: the first alarm of each segment, if it is not too late."""
    found = {}
    for start, stop in itertools.pairwise([*changes, end]):
        inside = [alarm for alarm in alarms if start <= alarm < stop]
        if inside and inside[0] - start <= limit:
            found[start] = inside[0]
    return found, [alarm for alarm in alarms if alarm not in found.values()]


def check(truth, pred, end, limit, scale=1, **length):
    result = ss.online(truth, pred, max_delay=None if limit == math.inf else limit, **length)
    found, false = by_definition(truth, pred, limit, end)
    assert [(row.change, row.alarm) for row in result.rows] == [(change, found.get(change)) for change in truth]
    delays = [alarm - change for change, alarm in found.items()]
    assert result.delays == delays
    assert result.false_alarms == false
    assert result.missed == [change for change in truth if change not in found]
    assert result.f1 == close(2 * len(found) / (len(truth) + len(pred)) if truth or pred else 1)
    assert result.miss_rate == close((len(truth) - len(found)) / len(truth) if truth else math.nan, nan_ok=True)
    assert result.mean_delay == close(sum(delays) / len(delays) if delays else math.nan, nan_ok=True)
    assert result.false_alarm_rate == close(len(false) / end if end else 0)
    options = {} if limit == math.inf else {"max_delay": limit}
    for name in METRICS:
        value = getattr(result, "f1" if name == "online_f1" else name)
        assert getattr(ss, name)(truth, pred, **length, **options) == close(value, nan_ok=True), name
    for share in (0, 0.3, 0.5, 1):
        wanted = result.quantile(share)
        assert ss.delay_quantile(truth, pred, **length, **options, share=share) == close(wanted, nan_ok=True)
    return result


@pytest.mark.parametrize("n", range(1, 8))
def test_every_pair_by_the_definition(n):
    for truth in oracle.segmentations(n):
        for pred in oracle.segmentations(n):
            for limit in (0, 1, 2, math.inf):
                result = check(truth, pred, n, limit, n=n)
                # The time in control is the number of points at which no change waits.
                waits = set()
                for row, end in zip(result.rows, [*truth, n][1:], strict=True):
                    waits |= set(range(row.change, end if row.alarm is None else row.alarm))
                assert result.in_control == n - len(waits)
                for delay in range(n):
                    assert result.f1_within(delay) == ss.online_f1(truth, pred, n=n, max_delay=min(limit, delay))


@given(st.data())
def test_longer_ones_and_time(data):
    n = data.draw(st.integers(10, 300))
    cuts = st.sets(st.integers(1, n - 1), max_size=40).map(sorted)
    truth, pred = data.draw(cuts), data.draw(cuts)
    limit = data.draw(st.integers(0, 60) | st.just(math.inf))
    result = check(truth, pred, n, limit, n=n)
    scaled = [[cut / 8 for cut in side] for side in (truth, pred)]
    in_time = check(*scaled, n / 8, limit / 8, duration=n / 8)
    assert in_time.delays == [delay / 8 for delay in result.delays]
    assert in_time.in_control == close(result.in_control / 8)


def test_the_worked_example():
    # CapyMOA reports a recall of 0.75 here, with one of two changes found.
    result = ss.online([1000, 2000], [1010, 1020, 1030, 2500], n=3000, max_delay=200)
    assert (result.detected, result.missed, result.false_alarms) == (1, [2000], [1020, 1030, 2500])
    assert (result.mean_delay, result.miss_rate, result.f1) == (10, 0.5, close(1 / 3))
    assert (result.in_control, result.average_run_length) == (1990, close(1990 / 3))
    assert result.penalised_mean_delay == (10 + 1000) / 2
    assert result.false_alarm_rate == 0.001


def test_the_result_has_exactly_the_scores_of_the_catalog():
    # A mean of delays that are summed as doubles differs from the exact mean in the last digit.
    truth = [865701881190521134, 2352596571770045650, 4145823292899356485, 4569582132408609674, 6009884435798102114]
    pred = [3595351650018309043, 5602626625780437639, 8239395385945212841]
    seconds = [0.5051306531578371, 1.0443943554531305, 1.5356242002509233, 4.028680562662264, 4.489331273175345]
    alarms = [0.8218265661015388, 2.774366924899134, 4.653538255527745, 5.929188426410194, 7.059179964981534]
    for *sides, length in ((truth, pred, {"n": 2**63 - 1}), (seconds, alarms, {"duration": 7.3})):
        for limit in (None, 1):
            options = length | {"max_delay": limit}
            result = ss.online(*sides, **options)
            for name in ("mean_delay", "miss_rate", "false_alarm_rate", "average_run_length"):
                value = getattr(ss, name)(*sides, **options)
                assert getattr(result, name) == value or math.isnan(value)
            assert result.f1 == ss.online_f1(*sides, **options)
            assert str(result.quantile(0.3)) == str(ss.delay_quantile(*sides, **options, share=0.3))


def test_a_delay_limit_of_timestamps():
    start, hour = datetime(2024, 1, 1), timedelta(hours=1)
    truth, pred = (
        ss.Segmentation.from_timestamps([start + k * hour for k in hours], start, start + 10 * hour)
        for hours in ((3, 6), (3.5, 7))
    )
    result = ss.online(truth, pred)
    assert [result.f1_within(limit * hour) for limit in (0.25, 0.5, 1)] == [0, 0.5, 1]
    assert ss.online(truth, pred, max_delay=hour / 2).f1_within(hour) == 0.5
    assert pickle.loads(pickle.dumps(result)).f1_within(hour) == 1
    assert "1800000000" in repr(ss.online(truth, pred, max_delay=hour / 2))  # the delay in microseconds, in full
    with pytest.raises(TypeError, match="is a length of time, but the cuts are not timestamps"):
        ss.online([3], [4], n=9).f1_within(hour)


def test_quantiles_of_delays():
    result = ss.online([100, 200, 300, 400], [101, 204, 310, 499], n=500)
    assert (result.median_delay, result.largest_delay) == (7, 99)
    assert [result.quantile(share) for share in (0, 0.25, 0.5, 1)] == [1, 3.25, 7, 99]
    nothing = ss.online([100], [], n=500)
    assert all(math.isnan(x) for x in (nothing.median_delay, nothing.largest_delay, nothing.mean_delay))
    assert nothing.miss_rate == 1 and nothing.average_run_length == math.inf
    assert nothing.penalised_mean_delay == 400
    assert ss.online([100, 350], [], n=500).penalised_mean_delay == (250 + 150) / 2  # each until the next change
    quiet = ss.online([], [50], n=500)
    assert math.isnan(quiet.miss_rate) and quiet.false_alarms == [50] and quiet.average_run_length == 500
    assert ss.online([], [], n=0).false_alarm_rate == 0 and ss.online([], [], n=9).f1 == 1


def test_a_table_of_alarms_and_a_leaderboard():
    table = pl.DataFrame(
        {
            "series": ["a", "a", "b", "b"],
            "method": ["slow", "fast", "slow", "fast"],
            "truth": [[100, 300], [100, 300], [50], [50]],
            "pred": [[140, 350], [104, 301], [90], [52, 60]],
            "n": [500, 500, 200, 200],
        }
    )
    names = ["mean_delay(max_delay=45)", "miss_rate(max_delay=45)", "false_alarm_rate", "online_f1"]
    names += ["delay_quantile", "delay_quantile(share=0.9)", "average_run_length"]
    scored = ss.score(table, metrics=names)
    assert scored["delay_quantile"].to_list() == [45, 2.5, 40, 2]
    assert scored["delay_quantile(share=0.9)"].to_list() == [close(49), close(3.7), 40, 2]
    assert scored["average_run_length"].to_list() == [math.inf, math.inf, math.inf, 198]
    assert scored["mean_delay(max_delay=45)"].to_list() == [40, 2.5, 40, 2]
    assert scored["miss_rate(max_delay=45)"].to_list() == [0.5, 0, 0, 0]
    board = ss.leaderboard(scored, "mean_delay(max_delay=45)")
    assert [standing.method for standing in board.standings] == ["fast", "slow"]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: ss.online([3], [4], n=9, max_delay=-1),
            ValueError,
            "max_delay = -1.0 is negative or not a number; expected 0 or more",
        ),
        (
            lambda: ss.delay_quantile([3], [4], n=9, share=1.5),
            ValueError,
            "share = 1.5 is not a share; expected a number from 0 to 1",
        ),
        (
            lambda: ss.delay_quantile([3], [4], n=9, share=None),
            TypeError,
            "share = None is a NoneType; expected a number",
        ),
        (lambda: ss.mean_delay([3], [4], n=9, max_delay="a"), TypeError, "max_delay = 'a' is a str; expected a number"),
        (
            lambda: ss.online([3], [4], n=9).quantile(1.5),
            ValueError,
            "share = 1.5 is not a share; expected a number from 0 to 1",
        ),
        (
            lambda: ss.online([3], [4], n=9).quantile([0.1, 0.9]),
            TypeError,
            "share = [0.1, 0.9] is a list; expected a number",
        ),
        (lambda: ss.online([3], [4], n=9).f1_within("a"), TypeError, "delay = 'a' is a str; expected 0 or more"),
        (lambda: ss.online([3], [4], n=9).f1_within(-1), ValueError, "delay = -1 is negative; expected 0 or more"),
    ],
)
def test_wrong_arguments(call, error, message):
    with pytest.raises(error, match=f"^{re.escape(message)}$"):
        call()


def test_results():
    result = ss.online([100, 300], [104, 250, 350], n=500, max_delay=10)
    assert pickle.loads(pickle.dumps(result)) == result
    assert result.to_polars().rows() == [(100.0, 104.0, 4.0), (300.0, None, None)]
    assert result.to_dict()["false_alarms"] == [250, 350] and result.to_dict()["n"] == 500
    assert result.to_dict()["rows"][1] == {"change": 300, "alarm": None, "delay": None}
    assert "false alarm rate" in repr(result) and "<td>0.4</td>" in result._repr_html_()
