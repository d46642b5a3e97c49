"""Decisions from probabilities: Brier score, calibration, the best cuts and the best threshold, by brute force."""

import itertools
import math
import pickle
import re

import numpy as np
import oracle
import pytest
from hypothesis import given
from hypothesis import strategies as st

import segscore as ss
from segscore import SoftSegmentation

close = pytest.approx


def test_worked_brier():
    pred = SoftSegmentation([4, 8], [0.9, 0.8], n=10)
    assert ss.soft_brier([3, 8], pred) == close((1 + 0.81 + 0.04) / 9)
    assert ss.soft_brier([3, 8], [3, 8], n=10) == 0
    assert ss.soft_brier([], [], n=1) == ss.soft_brier([], [], n=0) == 0
    assert ss.soft_brier(
        [4, 8], SoftSegmentation.from_logits([-50.0] * 3 + [50.0] + [-50.0] * 3 + [50.0, -50.0])
    ) == close(math.exp(-100), rel=1e-12)


@given(st.data())
def test_brier_is_the_mean_of_squares(data):
    n = data.draw(st.integers(2, 20))
    wanted, given_ = (np.array(data.draw(st.lists(st.floats(0, 1), min_size=n - 1, max_size=n - 1))) for _ in range(2))
    pred = SoftSegmentation.from_probabilities(given_)
    hard = [c for c in range(1, n) if wanted[c - 1] > 0.5]
    assert ss.soft_brier(hard, pred) == close(np.mean((given_ - (wanted > 0.5)) ** 2), abs=1e-15)
    soft = SoftSegmentation.from_probabilities(wanted)
    assert ss.soft_brier(soft, pred) == close(np.mean((given_ - wanted) ** 2 + wanted * (1 - wanted)), abs=1e-15)


def expected_index(cuts, soft):
    return ss.soft_rand_index(cuts, soft)


@given(st.data())
def test_the_decoding_is_the_best_of_all_segmentations(data):
    n = data.draw(st.integers(1, 8))
    chances = data.draw(st.lists(st.sampled_from([0, 0.1, 0.3, 0.45, 0.5, 0.6, 1]), min_size=n - 1, max_size=n - 1))
    soft = SoftSegmentation.from_probabilities(chances)
    found = ss.soft_decode(soft)
    assert found.rand_index == expected_index(found.cuts, soft)
    assert found.rand_index == close(max(expected_index(cuts, soft) for cuts in oracle.segmentations(n)), abs=1e-14)
    assert {c for c in range(1, n) if chances[c - 1] > 0.5} <= set(found.cuts)
    least = data.draw(st.integers(1, n))
    limited = ss.soft_decode(soft, least_length=least)
    allowed = [c for c in oracle.segmentations(n) if min(np.diff([0, *c, n])) >= least]
    assert min(np.diff([0, *limited.cuts, n])) >= least
    assert limited.rand_index == close(max(expected_index(cuts, soft) for cuts in allowed), abs=1e-14)


@given(st.data())
def test_longer_decodings_with_a_least_length(data):
    """A plain dynamic programme over all starts, without any pruning, finds no better segmentation."""
    n = data.draw(st.integers(10, 60))
    rng = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    chances = rng.beta(0.2, data.draw(st.sampled_from([0.5, 2, 10])), n - 1)
    soft = SoftSegmentation.from_probabilities(chances)
    least = data.draw(st.integers(1, 12).filter(lambda least: least <= n))
    together = np.ones((n, n))
    for x, y in itertools.combinations(range(n), 2):
        together[x, y] = together[x, y - 1] * (1 - chances[y - 1])
    cost = np.triu(1 - 2 * together, 1)
    best = [0.0] + [math.inf] * n
    for b in range(1, n + 1):
        for a in range(b - least + 1):
            best[b] = min(best[b], best[a] + cost[a:b, a:b].sum())
    pairs = n * (n - 1) / 2
    wanted = 1 - (best[n] + np.triu(together, 1).sum()) / pairs
    assert ss.soft_decode(soft, least_length=least).rand_index == close(wanted, abs=1e-12)


def test_decoding_in_time():
    soft = SoftSegmentation([2.0, 4.5, 5.0], [0.4, 0.7, 0.2], duration=10.0)
    for least in (None, 0, 1.5, 5, 5.5):
        found = ss.soft_decode(soft, least_length=least)
        subsets = itertools.chain.from_iterable(itertools.combinations(soft.cuts, k) for k in range(4))
        allowed = [list(c) for c in subsets if min(np.diff([0, *c, 10.0])) >= (least or 0)]
        assert found.cuts in allowed
        assert found.rand_index == close(max(expected_index(c, soft) for c in allowed), abs=1e-14)


def test_decoding_of_samples_is_the_consensus_of_independent_ones():
    """Of two samples, whose cuts are far apart, the marginals are the samples."""
    assert ss.soft_decode(SoftSegmentation.from_samples([[5], [5], []], n=10)).cuts == [5]
    assert ss.soft_decode(SoftSegmentation([], [], n=0)) == ([], 1.0)


def near(cuts, place, margin):
    return [c for c in cuts if abs(c - place) <= margin]


@given(st.data())
def test_calibration_is_its_definition(data):
    n = data.draw(st.integers(2, 40))
    margin, bins = data.draw(st.integers(0, 10)), data.draw(st.integers(1, 12))
    truths, preds, cases = [], [], []
    for _ in range(data.draw(st.integers(0, 3))):
        truth = sorted(data.draw(st.sets(st.integers(1, n - 1))))
        side = dict(sorted(data.draw(st.dictionaries(st.integers(1, n - 1), st.floats(0, 1))).items()))
        truths.append(truth)
        preds.append(SoftSegmentation(list(side), list(side.values()), n=n))
        for cut in side:
            keep = math.prod(1 - side[c] for c in near(side, cut, margin))
            cases.append((side[cut] if margin == 0 else 1 - keep, bool(near(truth, cut, margin))))
    found = ss.soft_calibration(truths, preds, margin=margin, bins=bins)
    assert sum(each.cuts for each in found.bins) == len(cases)
    assert sum(each.cuts * each.predicted for each in found.bins) == close(sum(p for p, _ in cases), abs=1e-9)
    assert sum(each.cuts * each.observed for each in found.bins) == close(sum(hit for _, hit in cases))
    for each in found.bins:
        assert each.low - 1e-12 <= each.predicted <= each.high + 1e-12
        if margin == 0:
            own = [hit for p, hit in cases if each.low <= p < each.high or (p == 1 == each.high)]
            if abs(bins - 2 ** round(math.log2(bins))) == 0:  # bounds that floats hold
                assert (each.cuts, each.observed) == (len(own), close(sum(own) / len(own)))
    in_time = [SoftSegmentation([c / 8 for c in p.cuts], p.probability, duration=n / 8) for p in preds]
    assert ss.soft_calibration([[c / 8 for c in t] for t in truths], in_time, margin=margin / 8, bins=bins) == found


def test_right_probabilities_are_calibrated():
    rng = np.random.default_rng(0)
    chances = rng.random((40, 500)) ** 3
    truths = [np.flatnonzero(rng.random(500) < p) + 1 for p in chances]
    preds = [SoftSegmentation.from_probabilities(p) for p in chances]
    for margin in (0, 2):
        assert ss.soft_calibration(truths, preds, margin=margin).error < 0.01
    sharper = [SoftSegmentation.from_probabilities(p**3) for p in chances]
    assert ss.soft_calibration(truths, sharper, margin=0).error > 0.1


def test_calibrations_as_results():
    pred = SoftSegmentation([4, 8, 20, 31], [0.9, 0.8, 0.25, 0.15], n=50)
    found = ss.soft_calibration([[4, 9, 30]], [pred], margin=1, bins=4)
    assert pickle.loads(pickle.dumps(found)) == found
    assert found.to_polars().row(0) == (0.0, 0.25, 1, 0.15, 1.0)
    assert found.to_dict()["error"] == close(0.35)
    assert "<td>0.8500</td>" in found._repr_html_()
    nothing = ss.soft_calibration([], [], margin=0)
    assert math.isnan(nothing.error) and math.isnan(nothing.perfect_error)


@pytest.mark.parametrize("margin", [0, 1, 30])
def test_the_error_of_a_perfect_forecaster_is_its_mean_over_all_truths(margin):
    cuts, chances, bins = [4, 5, 20, 21, 31], [0.9, 0.55, 0.25, 0.15, 1.0], 4
    pred = SoftSegmentation(cuts, chances, n=50)
    mean = square = 0.0
    for present in itertools.product((False, True), repeat=len(cuts)):
        chance = math.prod(p if has else 1 - p for p, has in zip(chances, present, strict=True))
        truth = [cut for cut, has in zip(cuts, present, strict=True) if has]
        error = ss.soft_calibration([truth], [pred], margin=margin, bins=bins).error
        mean, square = mean + chance * error, square + chance * error**2
    found = ss.soft_calibration([[4]], [pred], margin=margin, bins=bins).perfect_error
    assert abs(found - mean) <= 3 * math.sqrt(max(0, square - mean**2) / 200) + 1e-12
    assert ss.soft_calibration([[9]], [pred], margin=margin, bins=bins).perfect_error == found


def test_the_calibration_error_does_not_see_missed_changes():
    sure = SoftSegmentation([10], [1.0], n=1000)
    found = ss.soft_calibration([range(10, 1000, 10)], [sure], margin=0)
    assert found.error == found.perfect_error == 0.0
    assert ss.recall(range(10, 1000, 10), [10], n=1000, margin=0) == 1 / 99


@given(st.data())
def test_the_threshold_is_the_best_of_all(data):
    truths, preds = [], []
    for _ in range(data.draw(st.integers(1, 4))):
        n = data.draw(st.integers(2, 12))
        truths.append(sorted(data.draw(st.sets(st.integers(1, n - 1)))))
        side = dict(
            sorted(data.draw(st.dictionaries(st.integers(1, n - 1), st.sampled_from([0.1, 0.3, 0.5, 0.9]))).items())
        )
        preds.append(SoftSegmentation(list(side), list(side.values()), n=n))
    metric = data.draw(st.sampled_from(["rand_index", "rand_distance", "f1(margin=1)", "covering"]))
    found = ss.soft_threshold(truths, preds, metric=metric)

    def mean(threshold):
        scores = []
        for truth, pred in zip(truths, preds, strict=True):
            kept = [c for c, p in zip(pred.cuts, pred.probability, strict=True) if p >= threshold]
            scores += ss.compare(truth, kept, n=pred.n, metrics=[metric]).values()
        return sum(scores) / len(scores)

    means = {threshold: mean(threshold) for threshold in (math.inf, 0.9, 0.5, 0.3, 0.1)}
    best = (min if metric == "rand_distance" else max)(means.values())
    assert found.score == close(best, abs=1e-12) and means[found.threshold] == close(best, abs=1e-12)
    assert all(value != close(best, abs=1e-10) for threshold, value in means.items() if threshold > found.threshold)


def test_distances_are_minimised():
    preds = [SoftSegmentation([4, 8], [0.9, 0.3], n=10), SoftSegmentation([2, 5], [0.2, 0.6], n=10)]
    assert ss.soft_threshold([[4, 8], [5]], preds, metric="rand_distance") == (0.3, 0.0)
    # Without any cut, which is the first threshold that is tried, the Hausdorff distance is infinite.
    assert ss.soft_threshold([[4], [5]], preds, metric="hausdorff") == (0.6, 0.0)
    assert ss.soft_threshold([[4], [5]], preds[::-1], metric="hausdorff") == (0.6, 1.0)
    none = [SoftSegmentation([], [], n=10)] * 2
    assert ss.soft_threshold([[4], [5]], none, metric="hausdorff") == (math.inf, math.inf)


SOFT = SoftSegmentation([4], [0.5], n=10)
IN_TIME = SoftSegmentation([4.0], [0.5], duration=10)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: ss.soft_brier([4.0], IN_TIME),
            TypeError,
            "soft_brier needs points, and times have no gaps; expected soft segmentations with n (or soft_calibration "
            "for times)",
        ),
        (
            lambda: ss.soft_brier([4.0], [4.5], duration=9),
            TypeError,
            "soft_brier needs points, and times have no gaps; expected soft segmentations with n (or soft_calibration "
            "for times)",
        ),
        (lambda: ss.soft_decode([4]), TypeError, "pred is a list; expected a SoftSegmentation"),
        (
            lambda: ss.soft_decode(SOFT, least_length=11),
            ValueError,
            "least_length = 11 exceeds n = 10; expected a length that one segment can have",
        ),
        (
            lambda: ss.soft_decode(IN_TIME, least_length=11),
            ValueError,
            "least_length = 11.0 exceeds duration = 10.0; expected a length that one segment can have",
        ),
        (
            lambda: ss.soft_decode(SOFT, least_length=0),
            ValueError,
            "least_length = 0 is out of range; expected 1 <= least_length < 2**63",
        ),
        (
            lambda: ss.soft_calibration([[4]], SOFT, margin=1),
            TypeError,
            "preds is a SoftSegmentation; expected one per series (put it into a list)",
        ),
        (
            lambda: ss.soft_calibration([[4]], [SOFT, SOFT], margin=1),
            ValueError,
            "truths has 1 segmentation and preds has 2; expected one of each per series",
        ),
        (
            lambda: ss.soft_calibration([[4]], [[4]], margin=1),
            TypeError,
            "preds[0] is a list; expected a SoftSegmentation",
        ),
        (
            lambda: ss.soft_calibration([[4], [14]], [SOFT, SOFT], margin=1),
            ValueError,
            "truths[1][0] = 14 is outside 0 < cut < n = 10",
        ),
        (
            lambda: ss.soft_calibration(None, [SOFT], margin=1),
            TypeError,
            "truths is a NoneType; expected one segmentation per series",
        ),
        (
            lambda: ss.soft_threshold([[4]], 0.5),
            TypeError,
            "preds is a float; expected one segmentation per series",
        ),
        (
            lambda: ss.soft_threshold(ss.Segmentation([4], n=10), [SOFT, SOFT]),
            TypeError,
            "truths is a Segmentation; expected one segmentation per series",
        ),
        (
            lambda: ss.soft_threshold([[4], SOFT], [SOFT, SOFT]),
            TypeError,
            "truths[1] is a SoftSegmentation; expected a sequence of cuts",
        ),
        (lambda: ss.soft_threshold([4], [SOFT]), TypeError, "truths[0] is an int; expected a sequence of cuts"),
        (
            lambda: ss.soft_threshold([[4], ss.Segmentation([4], n=9)], [SOFT, SOFT]),
            ValueError,
            "truths[1] has n = 9 but n = 10 was passed; expected one length",
        ),
        (
            lambda: ss.soft_calibration([[4]], [SOFT]),
            TypeError,
            "soft_calibration has no margin; expected margin= (0 for the same cut) or relative_margin=",
        ),
        (
            lambda: ss.soft_calibration([[4]], [SOFT], margin=1, bins=0),
            ValueError,
            "bins = 0 is out of range; expected an integer from 1 to 1000000",
        ),
        (lambda: ss.soft_threshold([], []), ValueError, "preds is empty; expected at least one series"),
        (
            lambda: ss.soft_threshold([[]], [SOFT], metric="mean_error"),
            ValueError,
            "mean_error is nan for series 0 at the threshold 0.5; expected a metric that is defined for each series",
        ),
    ],
)
def test_wrong_arguments(call, error, message):
    with pytest.raises(error, match=f"^{re.escape(message)}$"):
        call()


def test_an_unknown_metric():
    with pytest.raises(ValueError, match=r"^unknown metric 'rand'"):
        ss.soft_threshold([[4]], [SOFT], metric="rand")
