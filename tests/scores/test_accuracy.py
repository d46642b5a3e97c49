"""Accuracy in time: every family against exact fractions, within the bounds that docs/scores.md states.

Windows, explanations, consensus, chance and streams have their bounds tested in their own files.
"""

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import pairwise
from statistics import median

import oracle
import pytest
from hypothesis import example, given
from times import cuts_in_time

import segscore as ss

AWKWARD = [  # tiny gaps, nearly equal cuts
    ([1e-12], [2e-12], 1.0),
    ([1e-12], [], 1e9),
    ([0.5, 0.5 + 1e-12], [0.5 - 1e-16, 0.75], 1.0),
    ([1e-20], [], 1.0),
    ([1 - 1e-12], [1 - 2e-12], 1.0),
]


def awkward(test):
    for case in AWKWARD:
        test = example(case)(test)
    return given(cuts_in_time())(test)


def exactly(case):
    """Return the cuts and the duration as fractions."""
    truth, pred, duration = case
    return [Fraction(c) for c in truth], [Fraction(c) for c in pred], Fraction(duration)


def within(found, exact, relative=0.0, absolute=0.0):
    return abs(Fraction(found) - exact) <= Fraction(relative) * abs(exact) + Fraction(absolute)


def decimal(x):
    return Decimal(x.numerator) / Decimal(x.denominator)


@awkward
def test_information(case):
    """The entropies have a relative error of at most 1e-15, and the scores an absolute error of at most 4e-15."""
    truth, pred, n = exactly(case)
    with localcontext() as context:
        context.prec = 80

        def entropy(cuts):
            shares = [decimal((b - a) / n) for a, b in oracle.segments(cuts, n)]
            return -sum((share * share.ln() for share in shares), Decimal(0))

        joint = entropy(sorted({*truth, *pred}))
        h, g = entropy(truth), entropy(pred)
        mutual = h + g - joint
        scores = {
            "mutual_information": mutual,
            "variation_of_information": 2 * joint - h - g,
            "homogeneity": mutual / h if truth else Decimal(1),
            "completeness": mutual / g if pred else Decimal(1),
            "normalized_mutual_information": 2 * mutual / (h + g) if truth or pred else Decimal(1),
        }
        parts = {"truth": h, "pred": g, "joint": joint, "truth_given_pred": joint - g, "pred_given_truth": joint - h}
        wanted = {name: Fraction(value) for name, value in scores.items()}
        entropies = {name: Fraction(value) for name, value in parts.items()}
    sums = ss.entropies(*case[:2], duration=case[2])
    for name, exact in entropies.items():
        assert within(getattr(sums, name), exact, 1e-15, 1e-60), name
    for name, exact in wanted.items():
        assert within(getattr(ss, name)(*case[:2], duration=case[2]), exact, 0, 4e-15), name


@awkward
def test_overlap(case):
    """A relative error of at most 1e-15."""
    truth, pred, n = exactly(case)
    cells = [(b - a, d - c, common) for (a, b), (c, d), common in oracle.overlaps(truth, pred, n)]
    owners = [(a, b) for (a, b), _, _ in oracle.overlaps(truth, pred, n)]
    others = [b for _, b, _ in oracle.overlaps(truth, pred, n)]

    def best(own, value):
        found = {}
        for segment, (a, b, common) in zip(own, cells, strict=True):
            found[segment] = max(found.get(segment, 0), value(a, b, common))
        return found

    ious = best(owners, lambda a, b, c: c / (a + b - c))
    wanted = {
        "covering": sum((end - start) * iou for (start, end), iou in ious.items()) / n,
        "mean_iou": sum(ious.values()) / len(ious),
        "coverage": sum(best(owners, lambda a, b, c: c).values()) / n,
        "purity": sum(best(others, lambda a, b, c: c).values()) / n,
        "b_cubed_precision": sum(c * c / b for a, b, c in cells) / n,
        "b_cubed_recall": sum(c * c / a for a, b, c in cells) / n,
    }
    for name, exact in wanted.items():
        assert within(getattr(ss, name)(*case[:2], duration=case[2]), exact, 1e-15), name


@awkward
def test_boundaries(case):
    """Distances are rounded once; means and medians have a relative error of at most 4e-16."""
    truth, pred, _ = exactly(case)
    if not truth or not pred:
        return
    there, back = oracle.nearest(truth, pred), oracle.nearest(pred, truth)
    length = {"duration": case[2]}
    assert ss.directed_hausdorff(*case[:2], **length) == float(max(there))
    assert ss.hausdorff(*case[:2], **length) == float(max(*there, *back))
    assert within(ss.mean_error(*case[:2], **length), sum(back) / len(back), 4e-16)
    assert within(ss.median_error(*case[:2], **length), median(back), 4e-16)


@awkward
def test_delays(case):
    """Sums of delays have a relative error of at most 1e-15, and quantiles an error of 1e-15 of the largest delay."""
    truth, pred, n = exactly(case)
    delays, in_control = [], truth[0] if truth else n
    for k, change in enumerate(truth):
        end = truth[k + 1] if k + 1 < len(truth) else n
        first = next((alarm for alarm in pred if change <= alarm < end), None)
        if first is not None:
            delays.append(first - change)
            in_control += end - first
    length, false_alarms = {"duration": case[2]}, len(pred) - len(delays)
    if delays:
        assert within(ss.mean_delay(*case[:2], **length), sum(delays) / len(delays), 1e-15)
        quantile = ss.delay_quantile(*case[:2], **length)
        assert within(quantile, median(delays), 0, 1e-15 * float(max(delays)))
    if false_alarms:
        assert within(ss.average_run_length(*case[:2], **length), in_control / false_alarms, 1e-15)
        assert within(ss.false_alarm_rate(*case[:2], **length), false_alarms / n, 4e-16)


@awkward
def test_curves(case):
    """A relative error of at most 1e-15."""
    truth, pred, _ = exactly(case)
    if not truth or not pred or len(truth) + len(pred) > 8:
        return
    limit = Fraction(case[2] / 4)
    places = sorted({Fraction(0), limit, *(abs(t - p) for t in truth for p in pred if abs(t - p) < limit)})
    area = Fraction(0)
    for low, high in pairwise(places):
        matched, _ = oracle.matching(truth, pred, low)
        area += (high - low) * 2 * matched / (len(truth) + len(pred))
    assert within(ss.f1_area(*case[:2], duration=case[2], margin=case[2] / 4), area / limit, 1e-15, 1e-15)


@awkward
def test_pairs(case):
    """Areas have a relative error of at most 4e-16, and scores an absolute error of at most 2e-15."""
    areas = oracle.pair_areas(*case)
    for found, exact in zip(ss.pair_counts(*case[:2], duration=case[2]), areas, strict=True):
        assert within(found, exact, 4e-16)
    for name in ("rand_index", "rand_distance", "pair_precision", "jaccard_index", "adjusted_rand_index", "blanc"):
        exact = getattr(oracle, name)(*areas)
        assert within(getattr(ss, name)(*case[:2], duration=case[2]), exact, 0, 2e-15), name


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e9])
def test_order_adjusted_scores(scale):
    """1 - d / E[d] has an error of at most 2e-14 d / E[d]."""
    truth, pred = [0.1 * scale, 0.35 * scale, 0.8 * scale], [0.1 * scale, 0.4 * scale]
    exact = [[Fraction(c) for c in side] for side in (truth, pred)]
    n, m = Fraction(scale), len(pred) + 2
    shares = [(b - a) / n for a, b in oracle.segments(exact[0], n)]
    met = sum(1 - (1 - share) ** m for share in shares)
    chance = Fraction(2, m) + sum(share**2 for share in shares) - 4 * (m - met) / (m * (m - 1))
    ratio = oracle.rand_distance_in_time(*exact, n) / chance
    found = ss.order_adjusted_rand_index(truth, pred, duration=scale)
    assert within(found, 1 - ratio, 0, 2e-14 * float(ratio) + math.ulp(1.0))
