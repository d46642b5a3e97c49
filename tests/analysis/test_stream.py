"""Streams: every prefix of every stream, and time that only goes forward."""

import copy
import pickle
import re
from fractions import Fraction

import numpy as np
import oracle
import pytest
from hypothesis import given
from hypothesis import strategies as st
from times import cuts_in_time

import segscore as ss


@given(st.data())
def test_every_prefix_is_that_of_the_whole(data):
    n = data.draw(st.integers(1, 60))
    cuts = st.sets(st.integers(1, n), max_size=12).map(sorted)
    truth, pred = data.draw(cuts), data.draw(cuts)
    running = ss.RunningRand()
    for t in range(n + 1):
        inside = [[c for c in side if c < t] for side in (truth, pred)]
        assert running.pair_counts(t) == ss.pair_counts(*inside, n=t)
        assert running.at(t) == ss.rand_index(*inside, n=t)
        if t in truth:
            running.truth(t)
        if t in pred:
            running.pred(t)
    assert running.at(10**18) == ss.rand_index(truth, pred, n=10**18)


def test_only_the_cuts_matter_not_how_often_one_asks():
    asked, silent = ss.RunningRand(), ss.RunningRand()
    for t in range(1, 200):
        asked.at(t)
        for running in (asked, silent):
            if t % 7 == 0:
                running.truth(t)
            if t % 11 == 0:
                running.pred(np.int64(t))
    assert asked.pair_counts(200) == silent.pair_counts(200)


@pytest.mark.parametrize(
    ("calls", "error", "message"),
    [
        (
            [("truth", 5), ("pred", 4)],
            ValueError,
            "the prediction's cut 4 is before the present time 5; expected cuts in time order",
        ),
        ([("at", 9), ("truth", 8)], ValueError, "the truth's cut 8 is before the present time 9"),
        ([("truth", 5), ("truth", 5)], ValueError, "the truth's cut 5 was given already; expected cuts that increase"),
        ([("pred", 5), ("pred", 5)], ValueError, "the prediction's cut 5 was given already"),
        (
            [("pred", 0)],
            ValueError,
            "the prediction's cut 0 is not positive; expected the first point of a new segment",
        ),
        ([("at", 9), ("at", 8)], ValueError, "t = 8 is before the present time 9; expected a later time"),
        ([("truth", 1.5)], TypeError, "the truth's cut = 1.5 is a float; expected an integer"),
        ([("at", "x")], TypeError, "t = 'x' is a str; expected an integer"),
    ],
)
def test_time_goes_forward(calls, error, message):
    running = ss.RunningRand()
    *before, (name, argument) = calls
    for earlier, given_argument in before:
        getattr(running, earlier)(given_argument)
    with pytest.raises(error, match=message):
        getattr(running, name)(argument)


@pytest.mark.filterwarnings("error")
def test_numpy_integers_do_not_overflow():
    for kind, cuts, t in (
        (np.int32, (10, 50_000), 60_000),
        (np.int64, (10, 20), 4 * 10**9),
        (np.uint8, (10, 200), 255),
    ):
        running = ss.RunningRand()
        running.truth(kind(cuts[0]))
        running.pred(kind(cuts[1]))
        assert running.at(kind(t)) == ss.rand_index([cuts[0]], [cuts[1]], n=t)
        assert all(type(count) is int for count in running.pair_counts(t))


def test_a_refused_cut_changes_nothing():
    running = ss.RunningRand()
    running.truth(5)
    running.pred(7)
    for late in (3, 5, 6):
        with pytest.raises(ValueError, match=r"before the present time|already"):
            running.truth(late)
    with pytest.raises(ValueError, match="already"):
        running.pred(7)
    assert running.at(10) == ss.rand_index([5], [7], n=10)


@pytest.mark.parametrize("copied", [lambda x: pickle.loads(pickle.dumps(x)), copy.deepcopy])
def test_a_running_index_can_be_copied(copied):
    running = ss.RunningRand()
    running.truth(30)
    running.pred(2**62)
    twin = copied(running)
    assert twin.at(2**62 + 5) == running.at(2**62 + 5)
    twin.truth(2**62 + 6)
    assert twin.pair_counts(2**63 - 1) != running.pair_counts(2**63 - 1)


def test_the_longest_stream():
    with pytest.raises(ValueError, match="t = 9223372036854775808 is out of range; expected an integer from 0 to"):
        ss.RunningRand().at(2**63)


def test_what_a_stream_looks_like():
    running = ss.RunningRand()
    assert repr(running) == "RunningRand(now=0, last cut of the truth: none, last cut of the prediction: none)"
    running.truth(30)
    running.pred(33)
    running.at(40)
    assert repr(running) == "RunningRand(now=40, last cut of the truth: 30, last cut of the prediction: 33)"


@given(st.data())
def test_every_window_is_that_of_the_whole(data):
    n, window = data.draw(st.integers(1, 60)), data.draw(st.integers(1, 40))
    cuts = st.sets(st.integers(1, n), max_size=20).map(sorted)
    truth, pred = data.draw(cuts), data.draw(cuts)
    asks = data.draw(st.sets(st.integers(0, n)))
    latest = ss.WindowedRand(window)
    for t in range(n + 1):
        start = max(0, t - window)
        inside = [[c - start for c in side if start < c < t] for side in (truth, pred)]
        if t in asks:
            assert latest.pair_counts(t) == ss.pair_counts(*inside, n=t - start)
            assert latest.at(t) == ss.rand_index(*inside, n=t - start)
        for side, take in ((truth, latest.truth), (pred, latest.pred)):
            if t in side:
                take(t)


def test_a_window_forgets_and_keeps_little():
    latest = ss.WindowedRand(10)
    for t in range(1, 10_000):
        latest.truth(t)
        if t % 3 == 0:
            latest.pred(t)
    assert latest._pairs.kept() == 10
    assert pickle.loads(pickle.dumps(latest)).at(10_000) == latest.at(10_000)
    assert latest.at(20_000) == 1.0
    assert latest._pairs.kept() == 0
    far = ss.WindowedRand(2**62)
    far.truth(2**61)
    assert far.at(2**62) == ss.rand_index([2**61], [], n=2**62)
    with pytest.raises(ValueError, match=r"^window = 0 is out of range; expected an integer of at least 1$"):
        ss.WindowedRand(0)


@given(st.data())
def test_alarms_of_every_prefix(data):
    n = data.draw(st.integers(1, 60))
    cuts = st.sets(st.integers(1, n), max_size=12).map(sorted)
    truth, pred = data.draw(cuts), data.draw(cuts)
    limit = data.draw(st.none() | st.integers(0, 20))
    running = ss.RunningOnline(limit)
    for t in range(n + 1):
        whole = ss.online([c for c in truth if c < t], [c for c in pred if c < t], n=t, max_delay=limit)
        found = running.at(t)
        assert (found.changes, found.detected) == (len(whole.rows), whole.detected)
        assert (found.missed + found.waiting, found.false_alarms) == (len(whole.missed), len(whole.false_alarms))
        assert found.false_alarm_rate == whole.false_alarm_rate
        assert found.mean_delay == whole.mean_delay or np.isnan([found.mean_delay, whole.mean_delay]).all()
        assert (found.average_run_length, found.f1) == (whole.average_run_length, whole.f1)
        late = whole.missed and limit is not None and t - whole.missed[-1] > limit
        waits = whole.missed and whole.missed[-1] == whole.rows[-1].change and not late
        alarmed = waits and any(whole.missed[-1] <= alarm for alarm in whole.false_alarms)
        assert found.waiting == int(bool(waits and not alarmed))
        if t in truth:
            running.truth(t)
        if t in pred:
            running.pred(t)
    assert pickle.loads(pickle.dumps(running)).at(n) == running.at(n) or np.isnan(running.at(n).mean_delay)


def test_the_delay_limit_of_a_stream_is_inclusive():
    for alarm, detected in ((13, 1), (14, 0)):
        running = ss.RunningOnline(3)
        running.truth(10)
        assert (running.at(alarm).waiting, running.at(alarm).missed) == (detected, 1 - detected)
        running.pred(alarm)
        assert running.at(20)[:5] == (1, detected, 1 - detected, 0, 1 - detected)


def test_the_delay_limit_of_a_stream_is_any_number_as_in_online():
    for limit, detected in ((2.5, 0), (float("inf"), 1), (10**30, 1), (3.0, 1), (Fraction(5, 2), 0), (10**400, 1)):
        for in_time, length in ((False, {"n": 20}), (True, {"duration": 20.0})):
            if not in_time and limit == 2.5:
                with pytest.raises(
                    ValueError, match=r"^max_delay = .* is not whole, but the cuts are points; expected"
                ):
                    ss.RunningOnline(limit)
                with pytest.raises(
                    ValueError, match=r"^max_delay = 2\.5 is not whole, but the cuts are points; expected"
                ):
                    ss.online([10], [13], max_delay=limit, **length)
                continue
            running = ss.RunningOnline(limit, in_time=in_time)
            running.truth(10)
            running.pred(13)
            assert running.at(20).detected == detected
            assert ss.online([10], [13], max_delay=limit, **length).detected == detected


def test_a_change_comes_before_an_alarm_of_the_same_time():
    running = ss.RunningOnline()
    running.pred(5)
    message = "^the truth's cut 5 comes after an alarm at this time; expected the change first$"
    with pytest.raises(ValueError, match=message):
        running.truth(5)
    with pytest.raises(TypeError, match=r"^the truth's cut = array\(\[5, 6\]\) is a ndarray; expected an integer$"):
        running.truth(np.array([5, 6]))
    assert running.at(5)[:5] == (0, 0, 0, 0, 1)  # an alarm at the present time counts
    with pytest.raises(ValueError, match=r"^max_delay = -1 is negative; expected 0 or more$"):
        ss.RunningOnline(-1)


# ---- in time ----


def events(truth, pred, asks):
    """All cuts and questions in the order of time: questions before cuts, changes before alarms."""
    return sorted([*((t, 0) for t in asks), *((t, 1) for t in truth), *((t, 2) for t in pred)])


def right(found, exact, scale):
    """Whether areas are within the stated error."""
    return all(
        abs(Fraction(x) - y) <= Fraction(1e-15) * y + Fraction(1e-29) * scale for x, y in zip(found, exact, strict=True)
    )


@given(cuts_in_time(count=3), st.sampled_from([0.1, 0.5, 2.0]))
def test_every_prefix_and_window_in_time(case, share):
    truth, pred, asks, duration = case
    window = share * duration
    running, latest = ss.RunningRand(in_time=True), ss.WindowedRand(window, in_time=True)
    for t, what in events(truth, pred, [*asks, duration]):
        if what:
            for stream in (running, latest):
                (stream.truth if what == 1 else stream.pred)(t)
            continue
        inside = [[Fraction(c) for c in side if c < t] for side in (truth, pred)]
        exact = oracle.pair_areas(*inside, t)
        assert right(running.pair_counts(t), exact, Fraction(t) ** 2)
        assert abs(Fraction(running.at(t)) - oracle.rand_index(*exact)) <= Fraction(1e-15)
        start = max(Fraction(0), Fraction(t) - Fraction(window))
        exact = oracle.pair_areas(*([c - start for c in side if c > start] for side in inside), Fraction(t) - start)
        assert right(latest.pair_counts(t), exact, (Fraction(t) - start) ** 2)
        assert abs(Fraction(latest.at(t)) - oracle.rand_index(*exact)) <= Fraction(1e-15)
    for stream in (running, latest):
        assert pickle.loads(pickle.dumps(stream)).pair_counts(2 * duration) == stream.pair_counts(2 * duration)


def test_a_window_in_time_does_not_drift():
    rng = np.random.default_rng(3)
    latest, recent = ss.WindowedRand(1.0, in_time=True), [[], []]
    times = np.cumsum(rng.exponential(0.01, 20_000))
    for k, t in enumerate(times.tolist()):
        (latest.truth if k % 2 else latest.pred)(t)
        recent[k % 2].append(t)
    end = times[-1] + 0.001
    start = Fraction(end) - 1
    inside = [[Fraction(c) - start for c in side if c > start] for side in reversed(recent)]
    assert right(latest.pair_counts(end), oracle.pair_areas(*inside, 1), 1)
    assert latest._pairs.kept() < 200
    assert latest.at(end + 5) == 1.0
    assert latest._pairs.kept() == 0


@given(cuts_in_time(count=3), st.sampled_from([None, 0.05, 0.5]))
def test_alarms_of_every_prefix_in_time(case, share):
    truth, pred, asks, duration = case
    limit = None if share is None else share * duration
    running = ss.RunningOnline(limit, in_time=True)
    for t, what in events(truth, pred, [*asks, duration]):
        if what:
            (running.truth if what == 1 else running.pred)(t)
            continue
        whole = ss.online([c for c in truth if c < t], [c for c in pred if c < t], duration=t, max_delay=limit)
        running = pickle.loads(pickle.dumps(running))
        found = running.at(t)
        assert (found.changes, found.detected) == (len(whole.rows), whole.detected)
        assert (found.missed + found.waiting, found.false_alarms) == (len(whole.missed), len(whole.false_alarms))
        assert found.false_alarm_rate == whole.false_alarm_rate and found.f1 == whole.f1
        assert found.mean_delay == whole.mean_delay or np.isnan([found.mean_delay, whole.mean_delay]).all()
        assert found.average_run_length == whole.average_run_length


def test_streams_in_time_by_hand():
    running = ss.RunningRand(in_time=True)
    assert running.at(0) == 1.0
    running.truth(1)
    running.pred(np.float64(1.5))
    assert running.pair_counts(4.0) == (3.75, 1.25, 0.5, 2.5)
    assert running.at(4.0) == 6.25 / 8
    assert repr(running) == "RunningRand(now=4.0, last cut of the truth: 1.0, last cut of the prediction: 1.5)"
    alarms = ss.RunningOnline(0.5, in_time=True)
    alarms.truth(1.0)
    alarms.pred(1.25)
    alarms.pred(2.0)
    assert alarms.at(4.0)[:7] == (1, 1, 0, 0, 1, 0.25, 0.25)
    assert alarms.at(4.0).average_run_length == 3.75


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: ss.RunningRand().truth(1.5),
            TypeError,
            "the truth's cut = 1.5 is a float; expected an integer (or in_time=True for real-valued time)",
        ),
        (
            lambda: ss.RunningRand(in_time=True).truth(0.0),
            ValueError,
            "the truth's cut 0.0 is not positive; expected the start of a new segment",
        ),
        (
            lambda: ss.RunningRand(in_time=True).at(-1),
            ValueError,
            "t = -1 is out of range; expected 0, or a time from 1e-60 to 1e60 (use another unit)",
        ),
        (
            lambda: ss.RunningRand(in_time=True).pred(float("inf")),
            ValueError,
            "the prediction's cut = inf is out of range; expected 0, or a time from 1e-60 to 1e60 (use another unit)",
        ),
        # The square of such a time is beyond the range of a double, and the Rand Index would be nan.
        (
            lambda: ss.RunningRand(in_time=True).at(1e300),
            ValueError,
            "t = 1e+300 is out of range; expected 0, or a time from 1e-60 to 1e60 (use another unit)",
        ),
        (
            lambda: ss.RunningOnline(in_time=True).truth(1e-300),
            ValueError,
            "the truth's cut = 1e-300 is out of range; expected 0, or a time from 1e-60 to 1e60 (use another unit)",
        ),
        (
            lambda: ss.RunningRand(in_time=True).at(10**400),
            ValueError,
            f"t = {10**39} is out of range; expected 0, or a time from 1e-60 to 1e60 (use another unit)",
        ),
        (
            lambda: ss.WindowedRand(float("inf"), in_time=True),
            ValueError,
            "window = inf is out of range; expected a time from 1e-60 to 1e60 (use another unit)",
        ),
        (lambda: ss.RunningOnline("a"), TypeError, "max_delay = 'a' is a str; expected 0 or more"),
        (
            lambda: ss.RunningRand(in_time=True).at(float("nan")),
            ValueError,
            "t = nan is not a number; expected a number",
        ),
        (lambda: ss.RunningRand(in_time=True).at("x"), TypeError, "t = 'x' is a str; expected a number"),
        (lambda: ss.RunningRand(in_time="no"), TypeError, "in_time = 'no' is a str; expected True or False"),
        (
            lambda: ss.WindowedRand(0, in_time=True),
            ValueError,
            "window = 0 is out of range; expected a time from 1e-60 to 1e60 (use another unit)",
        ),
        (lambda: ss.WindowedRand(2.5), TypeError, "window = 2.5 is a float; expected an integer of at least 1"),
        (
            lambda: ss.RunningOnline(-0.5, in_time=True),
            ValueError,
            "max_delay = -0.5 is negative; expected 0 or more",
        ),
    ],
)
def test_what_is_wrong_in_time_is_said(call, error, message):
    with pytest.raises(error, match=f"^{re.escape(message)}$"):
        call()
