"""Each peer beside its replacement: the same call, the same number, on thousands of random and degenerate inputs.

Equal means equal to the last bit, or within 4 units in the last place of 1 where a sum of logarithms has no order of
its own; where a peer crashes or gives a number that cannot be, the value stands here.
"""

import importlib
import math
import re
import sys
import warnings
from decimal import Decimal
from itertools import product

import mir_eval
import numpy as np
import oracle
import pytest
import ruptures.metrics
import segeval
import sklearn.metrics
from nltk.metrics import segmentation as nltk_segmentation

import segscore as ss
from segscore import compat

EPS = np.finfo(float).eps
PLAIN_SUMS = sys.version_info < (3, 12)  # sum() of floats, which TCPDBench uses, is more exact since


def peer(name):
    """Import a peer that cannot be installed everywhere."""
    return pytest.importorskip(name, reason=f"{name} does not install on this Python", exc_type=ImportError)


def random_pairs(count, seed, most=60):
    """Yield (truth, pred, n): unlike, alike, identical, and with sides that have no cut or every cut."""
    rng = np.random.default_rng(seed)
    for k in range(count):
        n = int(rng.integers(2, most))
        sides = []
        for _ in range(2):
            share = rng.choice([0.0, 0.05, 0.2, 0.5, 1.0], p=[0.1, 0.3, 0.4, 0.15, 0.05])
            sides.append((np.flatnonzero(rng.random(n - 1) < share) + 1).tolist())
        if k % 5 == 0:
            sides[1] = sorted({min(n - 1, max(1, c + int(rng.integers(-2, 3)))) for c in sides[0]})
        if k % 50 == 0:
            sides[1] = sides[0]
        yield *sides, n


def every_small_pair(most=5):
    for n in range(2, most + 1):
        for truth, pred in product(oracle.segmentations(n), repeat=2):
            yield list(truth), list(pred), n


def all_pairs(count, seed, most=60):
    yield from every_small_pair()
    yield from random_pairs(count, seed, most)


def labels(cuts, n, recurring=0):
    runs = ss.Segmentation(cuts, n=n).to_labels()
    return (runs % recurring if recurring else runs).tolist()


def close(ours, theirs, units=4):
    """Whether two numbers are equal, or within units in the last place of 1 or of themselves."""
    return ours == theirs or abs(ours - theirs) <= units * EPS * max(1.0, abs(theirs))


def test_ruptures():
    theirs, ours = ruptures.metrics, compat.ruptures
    equal = 0
    for truth, pred, n in all_pairs(3000, 1):
        sides = [*truth, n], [*pred, n]
        assert ours.randindex(*sides) == theirs.randindex(*sides)
        assert ours.hamming(*sides) == theirs.hamming(*sides)
        for margin in (1, 2, 3.5, 10):
            if truth or not pred:
                assert ours.precision_recall(*sides, margin=margin) == theirs.precision_recall(*sides, margin=margin)
        assert ours.precision_recall(*sides) == (theirs.precision_recall(*sides) if truth or not pred else (0, 0))
        if truth and pred:
            assert ours.hausdorff(*sides) == theirs.hausdorff(*sides)
            assert ours.meantime(*sides) == theirs.meantime(*sides)
            equal += 1
    assert equal > 2000


def test_right_where_ruptures_fails():
    ours = compat.ruptures
    assert ours.randindex([1], [1]) == 1.0  # ZeroDivisionError
    assert ours.hausdorff([10], [10]) == 0.0  # ValueError
    assert ours.hausdorff([5, 10], [10]) == math.inf
    assert ours.meantime([10], [10]) == 0.0
    assert math.isnan(ours.meantime([10], [5, 10]))
    assert ours.precision_recall([10], [5, 10]) == (0.0, 0.0)  # ZeroDivisionError
    for sides in (([30_000, 100_000], [50_000, 100_000]), ([3 * 10**9, 10**10], [5 * 10**9, 10**10])):
        exact = ruptures.metrics.randindex(*sides)
        for kind in (np.int64, tuple, np.array):
            given = [np.array(side) if kind is np.array else tuple(side) for side in sides]
            assert ours.randindex(*given) == exact
    small = [[np.int32(x) for x in side] for side in ([30_000, 100_000], [50_000, 100_000])]
    assert ours.randindex(*small) == ruptures.metrics.randindex([30_000, 100_000], [50_000, 100_000])  # 3.5 there
    for wrong in ([5, 3, 10], [10, 5], [], [5, 5, 10]):
        with pytest.raises(ValueError, match=r"expected|must|outside"):
            ours.randindex(wrong, [5, 10])
    with pytest.raises(ValueError, match="the partitions end at 10 and 9; expected one length"):
        ours.hausdorff([5, 10], [5, 9])
    with pytest.raises(ValueError, match="margin = 0 is not positive"):
        ours.precision_recall([5, 10], [5, 10], margin=0)


@pytest.fixture(scope="module")
def tcpdbench():
    return peer("claspy.tests.evaluation")


@pytest.mark.slow
def test_tcpdbench(tcpdbench):
    rng = np.random.default_rng(2)
    ours = compat.tcpdbench
    for k, (_, pred, n) in enumerate(all_pairs(3000, 3, most=400)):
        count = int(rng.integers(1, 5))
        people = {}
        for name in range(count):
            cuts = (
                rng.integers(0, n, int(rng.integers(0, 9))).tolist()
                if k % 3
                else [max(0, min(n - 1, c + int(rng.integers(-4, 5)))) for c in pred]
            )
            people[f"annotator {name}"] = cuts
        margin = int(rng.integers(0, 9))
        for alpha in (0.5, 0.2):
            args = people, pred, margin, alpha
            mine, other = (m.f_measure(*args, return_PR=True) for m in (ours, tcpdbench))
            assert mine == other if PLAIN_SUMS else mine == pytest.approx(other, rel=4 * EPS)
            assert ours.f_measure(*args) == mine[0]
        mine, other = (m.covering(people, pred, n) for m in (ours, tcpdbench))
        assert mine == other if PLAIN_SUMS else close(mine, other)


def test_the_documented_examples_of_tcpdbench():
    ours = compat.tcpdbench
    assert ours.f_measure({1: [10, 20], 2: [11, 20], 3: [10], 4: [0, 5]}, [10, 20]) == 1.0
    assert ours.f_measure({1: [], 2: [10], 3: [50]}, [10]) == 0.9090909090909091
    assert ours.f_measure({1: [], 2: [10], 3: [50]}, []) == 0.8
    assert ours.covering({1: [10, 20], 2: [10], 3: [0, 5]}, [10, 20], 45) == 0.7962962962962963
    assert ours.covering({1: [], 2: [10], 3: [40]}, [10], 45) == 0.7954144620811286
    assert ours.covering({1: [], 2: [10], 3: [40]}, [], 45) == 0.8189300411522634


def test_tcpdbench_matches_in_the_order_of_a_set():
    found = [compat.tcpdbench.f_measure({1: [10 + s, 14 + s]}, [6 + s, 13 + s]) for s in range(400)]
    assert sorted(set(found)) == [2 / 3, 1.0]


def test_tcpdbench_in_time(tcpdbench):
    for args in (({1: [0.3, 0.7]}, [0.4, 0.8], 0.1), ({1: [1.1], 2: [2.2, 3.3]}, [1.2, 3.4], 0.1)):
        assert compat.tcpdbench.f_measure(*args) == tcpdbench.f_measure(*args)


def test_right_where_tcpdbench_fails():
    with pytest.raises(TypeError, match="annotations is list; expected a dict from annotators to cuts"):
        compat.tcpdbench.f_measure([[10], [20]], [10])
    with pytest.raises(ValueError, match="n_obs = 0 is not a length"):
        compat.tcpdbench.covering({1: []}, [], 0)
    with pytest.raises(ValueError, match="margin = -1 is negative"):
        compat.tcpdbench.f_measure({1: [3]}, [3], margin=-1)
    with pytest.raises(TypeError, match=r"10\.5 is a float"):
        compat.tcpdbench.covering({1: [10.5]}, [10], 30)
    assert compat.tcpdbench.covering({1: [-2, 5]}, [5], 10) == 1.0  # a negative cut hides the later ones: 0.5 there
    assert compat.tcpdbench.covering({1: [5, 12]}, [5], 10) == 1.0
    for score in (compat.tcpdbench.f_measure, lambda *sides: compat.tcpdbench.covering(*sides, 10)):
        with pytest.raises(ValueError, match="annotations is empty; expected at least one annotator"):
            score({}, [5])


def songs(count, seed):
    """Yield two labelled songs in seconds, on frames and between them, with labels that come back."""
    rng = np.random.default_rng(seed)
    for k in range(count):
        end = float(rng.choice([1.0, 7.3, 30.0, 61.7]))
        sides = []
        for _ in range(2):
            inner = np.unique(np.round(rng.uniform(0, end, int(rng.integers(0, 9))), int(rng.integers(1, 7))))
            times = np.concatenate([[0], inner[(inner > 0) & (inner < end)], [end]])
            names = [str(x) for x in rng.choice(["A", "a", "B", "c", "Verse"], times.size - 1)]
            sides += [np.column_stack([times[:-1], times[1:]]), names]
        if k % 20 == 0:
            sides[2:] = sides[:2]
        yield sides


OFF = 1e-12  # more than mir_eval's and scikit-learn's sums of gamma functions are off by


@pytest.mark.slow
def test_mir_eval():
    theirs, ours = mir_eval.segment, compat.mir_eval.segment
    worst = 0.0
    for k, (ref, ref_labels, est, est_labels) in enumerate(songs(1500, 4)):
        for window, trim, beta in ((0.5, False, 1.0), (3.0, True, 2.0), (0.1, False, 0.5)):
            if len(ref) > 1 and len(est) > 1:
                mine = ours.detection(ref, est, window=window, beta=beta, trim=trim)
                assert mine == theirs.detection(ref, est, window=window, beta=beta, trim=trim)
                mine = ours.deviation(ref, est, trim=trim)
                assert np.array_equal(mine, theirs.deviation(ref, est, trim=trim), equal_nan=True)
        sides = ref, ref_labels, est, est_labels
        frame = (0.1, 0.25, 0.37)[k % 3]
        if ref.max() / frame < 3:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            pairs = theirs.pairwise(*sides, frame_size=frame, beta=2.0)
            rand = theirs.rand_index(*sides, frame_size=frame)
        if not np.isnan(pairs).any():
            assert ours.pairwise(*sides, frame_size=frame, beta=2.0) == pairs
        assert ours.rand_index(*sides, frame_size=frame) == rand
        assert close(ours.ari(*sides, frame_size=frame), theirs.ari(*sides, frame_size=frame))
        for marginal, beta in ((False, 1.0), (True, 0.5)):
            mine = ours.nce(*sides, frame_size=frame, beta=beta, marginal=marginal)
            others = theirs.nce(*sides, frame_size=frame, beta=beta, marginal=marginal)
            assert all(close(*two) for two in zip(mine, others, strict=True)), (mine, others)
        assert ours.vmeasure(*sides) == ours.nce(*sides, marginal=True)
        if k % 5 == 0 and len(set(map(str.lower, ref_labels))) + len(set(map(str.lower, est_labels))) > 2:
            mine = ours.mutual_information(*sides, frame_size=frame)
            others = theirs.mutual_information(*sides, frame_size=frame)
            assert close(mine[0], others[0]) and close(mine[2], others[2]), (mine, others)
            worst = max(worst, abs(mine[1] - others[1]))
    assert worst < OFF


def test_mir_eval_evaluates_all():
    for k, (ref, ref_labels, est, est_labels) in enumerate(songs(60, 5)):
        if ref.max() < 2 or len(ref) < 2 or len(est) < 2:
            continue
        ref, est = ref + (0.5 if k % 2 else 0.0), est * (1.1 if k % 3 else 0.9)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            others = mir_eval.segment.evaluate(ref, [*ref_labels], est, [*est_labels], trim=bool(k % 2), beta=1.5)
        mine = compat.mir_eval.segment.evaluate(ref, ref_labels, est, est_labels, trim=bool(k % 2), beta=1.5)
        assert list(mine) == list(others)
        for name, value in others.items():
            loose = OFF / EPS if name == "Adjusted Mutual Information" else 4
            assert close(mine[name], value, loose) or math.isnan(value), (name, mine[name], value)


def test_right_where_mir_eval_fails():
    ours = compat.mir_eval.segment
    nothing, song = np.empty((0, 2)), np.array([[0, 5], [5, 10]])
    assert ours.mutual_information(song, ["a", "b"], song, ["a", "b"], frame_size=20) == (0.0, 1.0, 1.0)
    before = np.array([[-3, -1], [-1, 5], [5, 10]])
    clipped = mir_eval.segment.evaluate(before, ["x", "a", "b"], song, ["a", "b"])
    assert ours.evaluate(before, ["x", "a", "b"], song, ["a", "b"]) == pytest.approx(clipped, abs=1e-12)
    single = np.array([[0, 5.1], [5.1, 9.7]], dtype=np.float32), np.array([[0, 5.6], [5.6, 9.7]])
    assert ours.detection(*single) == mir_eval.segment.detection(*single)
    assert ours.rand_index(nothing, [], nothing, []) == 0.0  # a tuple there
    assert ours.ari(nothing, [], nothing, []) == 0.0
    assert ours.rand_index([[0, 1]], ["a"], [[0, 1]], ["b"], frame_size=1.0) == 1.0  # nan there
    halves = [[0, 1], [1, 2]]
    assert ours.pairwise(halves, ["a", "b"], halves, ["a", "b"], frame_size=1.0) == (1.0, 1.0, 1.0)
    assert ours.detection(song.tolist(), song.tolist()) == (1.0, 1.0, 1.0)  # lists have no shape there
    with pytest.raises(ValueError, match=r"the intervals end at 10\.0 and 9\.0; expected one end"):
        ours.ari(song, ["a", "b"], [[0, 9]], ["a"])
    with pytest.raises(ValueError, match="labels has 1 item for 2 intervals; expected one label per interval"):
        ours.ari(song, ["a"], song, ["a", "b"])
    for wrong in ([[3, 3]], [[-1, 3]], [1, 2, 3]):
        with pytest.raises(ValueError, match="expected"):
            ours.detection(wrong, song)


def masses(cuts, n):
    return tuple(ss.Segmentation(cuts, n=n).lengths)


@pytest.mark.slow
def test_segeval():
    ours = compat.segeval
    for truth, pred, n in all_pairs(1500, 6, most=40):
        hyp, ref = masses(pred, n), masses(truth, n)
        assert ours.compute_window_size(ref) == segeval.compute_window_size(ref)
        for k in (None, 1, 2, 5):
            window = {} if k is None else {"window_size": k}
            size = k or segeval.compute_window_size(ref)
            if size >= n:
                continue
            for options in ({}, {"one_minus": True}, {"return_parts": True}):
                assert ours.pk(hyp, ref, **window, **options) == segeval.pk(hyp, ref, **window, **options)
                if "one_minus" in options:
                    continue
                for fix in (False, True):
                    fixed = {"lamprier_et_al_2007_fix": fix}
                    assert ours.window_diff(hyp, ref, **window, **options, **fixed) == segeval.window_diff(
                        hyp, ref, **window, **options, **fixed
                    )
        if not truth and not pred:
            continue
        for n_t in (2, 3, 5):
            for score in ("boundary_similarity", "segmentation_similarity"):
                mine, others = getattr(ours, score), getattr(segeval, score)
                assert mine(hyp, ref, n_t=n_t) == others(hyp, ref, n_t=n_t)
                assert mine(hyp, ref, n_t=n_t, one_minus=True) == others(hyp, ref, n_t=n_t, one_minus=True)
                assert mine(hyp, ref, n_t=n_t, return_parts=True) == others(hyp, ref, n_t=n_t, return_parts=True)
    weight = segeval.weight_a, segeval.weight_s, segeval.weight_t
    assert ours.boundary_similarity((4, 6), (5, 5), weight=weight) == segeval.boundary_similarity(
        (4, 6), (5, 5), weight=weight
    )


def test_segeval_in_all_its_formats():
    ours = compat.segeval
    for truth, pred, n in random_pairs(300, 7, most=30):
        hyp, ref = masses(pred, n), masses(truth, n)
        positions = [segeval.convert_masses_to_positions(side) for side in (hyp, ref)]
        gaps = [segeval.boundary_string_from_masses(side) for side in (hyp, ref)]
        strings = ["".join("1" if gap else "0" for gap in side) for side in gaps]
        for side, position, gap, string in zip((hyp, ref), positions, gaps, strings, strict=True):
            assert ours.convert_masses_to_positions(side) == position
            assert ours.convert_positions_to_masses(position) == side
            assert ours.boundary_string_from_masses(side) == gap
            assert ours.convert_nltk_to_masses(string) == segeval.convert_nltk_to_masses(string) == side
        for style, sides in (("position", positions), ("nltk", strings), ("sets", gaps)):
            assert ours.boundary_similarity(*sides, boundary_format=style) == ours.boundary_similarity(hyp, ref)
            assert ours.pk(*sides, boundary_format=style) == ours.pk(hyp, ref)
    assert ours.BoundaryFormat.nltk == segeval.BoundaryFormat.nltk
    with pytest.raises(ValueError, match="boundary_format = 'mess' is unknown"):
        ours.pk((3, 4), (4, 3), boundary_format="mess")


def test_segeval_of_datasets():
    ours = compat.segeval
    positions = segeval.Dataset({"i": {"a": (1, 1, 1, 2, 2, 2), "b": (1, 1, 2, 2, 2, 2)}}, boundary_format="position")
    assert ours.pk(positions) == segeval.pk(positions)
    assert ours.boundary_similarity(positions, positions) == segeval.boundary_similarity(positions, positions)
    data = segeval.HEARST_1997_STARGAZER
    for score in ("pk", "window_diff", "boundary_similarity", "segmentation_similarity"):
        mine, others = getattr(ours, score), getattr(segeval, score)
        assert mine(data) == mine(dataset=data) == others(data)
        assert mine(segeval.HYPOTHESIS_STARGAZER, data) == others(segeval.HYPOTHESIS_STARGAZER, data)
    for data in (segeval.HEARST_1997_STARGAZER, segeval.KAZANTSEVA2012_G5, segeval.KAZANTSEVA2012_G2):
        for score in (
            "actual_agreement_linear",
            "fleiss_pi_linear",
            "fleiss_kappa_linear",
            "artstein_poesio_bias_linear",
        ):
            difference = getattr(ours, score)(data) - getattr(segeval, score)(data)
            assert abs(difference) < Decimal("1e-24"), score
        for score in ("fleiss_pi_linear", "fleiss_kappa_linear", "artstein_poesio_bias_linear"):
            both = zip(*(getattr(m, score)(data, return_parts=True) for m in (ours, segeval)), strict=True)
            assert all(abs(mine - other) < Decimal("1e-24") for mine, other in both)
        assert ours.compute_window_size(data) == segeval.compute_window_size(data)


SEVERAL_TYPES = "the boundaries have several types: 1, 2; expected one type (compare the types one by one)"
OF_PAIRS = ["pk", "window_diff", "boundary_similarity", "segmentation_similarity"]
OF_CODERS = ["actual_agreement_linear", "fleiss_pi_linear", "fleiss_kappa_linear", "artstein_poesio_bias_linear"]


@pytest.mark.parametrize(
    "coders",
    [
        {"a": [{1}, {2}, set()], "b": [{1}, set(), {2}]},  # both types on both sides
        {"a": [{1}, set(), set()], "b": [set(), {2}, set()]},  # each side has one type
        {"a": [{1, 2}, set(), set()], "b": [set(), set(), set()]},  # both types at one gap
        {"a": [{1}, set(), set()], "b": [{1}, set(), set()], "c": [set(), {2}, set()]},  # a third coder
    ],
)
def test_segeval_refuses_boundaries_of_several_types(coders):
    ours = compat.segeval
    data = segeval.Dataset({"i": coders}, boundary_format="sets")
    pair = list(coders.values())[-2:]
    for score in (getattr(ours, name) for name in OF_PAIRS):
        with pytest.raises(ValueError, match=re.escape(f"hypothesis and reference: {SEVERAL_TYPES}") + "$"):
            score(*pair, boundary_format="sets")
        for given in ([data], [data, data]):
            with pytest.raises(ValueError, match=re.escape(f"item 'i': {SEVERAL_TYPES}") + "$"):
                score(*given)
    for score in (getattr(ours, name) for name in OF_CODERS):
        with pytest.raises(ValueError, match=re.escape(f"item 'i': {SEVERAL_TYPES}") + "$"):
            score(data)
    with pytest.raises(ValueError, match=re.escape(f"reference: {SEVERAL_TYPES}") + "$"):
        ours.compute_window_size({"i": coders}, boundary_format="sets")
    assert {*OF_PAIRS, *OF_CODERS, "compute_window_size"} == {
        name for name in ours.__all__ if not re.match("convert|boundary_string|BoundaryFormat", name)
    }


@pytest.mark.parametrize("kind", [1, 5])
def test_segeval_of_one_type_of_boundary(kind):
    ours = compat.segeval
    sides = [{kind}, {kind}, set(), {kind}, set()], [{kind}, set(), {kind}, set(), set()]
    for score, options in product(OF_PAIRS[2:], ({}, {"return_parts": True}, {"one_minus": True})):
        found, wanted = (getattr(m, score)(*sides, boundary_format="sets", **options) for m in (ours, segeval))
        assert found == wanted, score
    other = {"a": [{2}, set(), set()], "b": [set(), {2}, set()]}  # each item may have a type of its own
    data = segeval.Dataset(
        {"i": dict(zip("ab", sides, strict=True)), "j": other}, boundary_format="sets", boundary_types={kind, 2}
    )
    for score in OF_CODERS:
        assert abs(getattr(ours, score)(data) - getattr(segeval, score)(data)) < Decimal("1e-24"), score
    for score in OF_PAIRS[2:]:  # segeval overwrites the types it is told
        assert getattr(ours, score)(data) == getattr(segeval, score)(data)
        found, wanted = (getattr(m, score)((4, 6), (5, 5), boundary_types={1, 2}) for m in (ours, segeval))
        assert found == wanted
    assert ours.compute_window_size(sides[0], boundary_format="sets") == 2
    assert ours.pk(*sides, boundary_format="sets") == segeval.pk((1, 1, 2, 2), (1, 2, 3))


def test_right_where_segeval_fails():
    ours = compat.segeval
    assert ours.window_diff((600, 600), (500, 700)) == Decimal(200) / (1200 - 300)  # AssertionError from k = 256 on
    assert ours.boundary_similarity((10,), (10,)) == 1  # ValueError
    assert ours.segmentation_similarity((10,), (10,)) == 1
    assert ours.pk((2,), (1, 1)) == 0  # no window: 0 there too
    assert ours.window_diff((2,), (1, 1)) == 0  # division by zero
    for masses_ in (((2,), (1, 1)), ((3, 4), (4, 3))):
        for k in (0, 2, 7, 9):
            fixed = {"lamprier_et_al_2007_fix": True, "window_size": k}
            assert ours.window_diff(*masses_, **fixed) == segeval.window_diff(*masses_, **fixed)
            assert ours.pk(*masses_, window_size=k) == segeval.pk(*masses_, window_size=k)
    both = {"return_parts": True, "one_minus": True}
    assert ours.window_diff((3, 7), (5, 5), **both) == segeval.window_diff((3, 7), (5, 5), **both)
    assert ours.compute_window_size(()) == segeval.compute_window_size(()) == 2
    with pytest.raises(TypeError, match="there is one segmentation; expected hypothesis and reference, or a dataset"):
        ours.pk((3, 4))
    positions = [1] * 300 + [400] * 300, [1] * 200 + [400] * 400
    assert ours.pk(*positions, boundary_format="position", window_size=10) == ours.pk(
        (300, 300), (200, 400), window_size=10
    )
    with pytest.raises(ValueError, match="the segmentations have 10 and 9 points; expected one length"):
        ours.pk((5, 5), (5, 4))


def strings(truth, pred, n):
    return ["".join("1" if c in set(cuts) else "0" for c in range(1, n)) for cuts in (truth, pred)]


def test_nltk():
    theirs, ours = nltk_segmentation, compat.nltk
    rng = np.random.default_rng(8)
    for truth, pred, n in all_pairs(3000, 9):
        ref, hyp = strings(truth, pred, n)
        if rng.random() < 0.3:  # a mark for the end
            ref, hyp = ref + "1", hyp + "1"
        default = round(len(ref) / (max(ref.count("1"), 1) * 2.0))
        if default <= len(ref):
            assert ours.pk(ref, hyp) == theirs.pk(ref, hyp)
        k = int(rng.integers(0, len(ref) + 1))
        assert ours.pk(ref, hyp, k) == theirs.pk(ref, hyp, k)
        assert ours.windowdiff(ref, hyp, k) == theirs.windowdiff(ref, hyp, k)
        assert ours.windowdiff(ref, hyp, k, weighted=True) == theirs.windowdiff(ref, hyp, k, weighted=True)
        assert ours.ghd(ref, hyp) == theirs.ghd(ref, hyp)
        costs = rng.uniform(0, 4, 3).round(3).tolist()
        if not costs[0] == costs[1] == 0:
            assert close(ours.ghd(ref, hyp, *costs), theirs.ghd(ref, hyp, *costs), 16)
        lists = [[int(mark) for mark in side] for side in (ref, hyp)]
        assert ours.pk(*lists, k, boundary=1) == theirs.pk(*lists, k, boundary=1)


def test_right_where_nltk_fails():
    ours = compat.nltk
    assert math.isnan(ours.pk("000", "010", 4))  # ZeroDivisionError: no window is that long
    assert ours.ghd("0" * 20_000 + "1", "0" * 20_000 + "1") == 0.0  # refused as too long
    for wrong in (
        lambda: ours.pk("00", "000"),
        lambda: ours.windowdiff("00", "01", 3),
        lambda: ours.pk("00", "01", -1),
    ):
        with pytest.raises(ValueError, match=r"expected|outside"):
            wrong()


def test_aeon():
    theirs, ours = peer("aeon.benchmarking.metrics.segmentation"), compat.aeon
    rng = np.random.default_rng(10)
    for _ in range(3000):
        truth, pred = (rng.integers(-5, 60, int(rng.integers(1, 12))).tolist() for _ in range(2))
        assert ours.count_error(truth, pred) == theirs.count_error(truth, pred)
        assert ours.prediction_ratio(truth, pred) == theirs.prediction_ratio(truth, pred)
        for symmetric in (True, False):
            assert ours.hausdorff_error(truth, pred, symmetric) == theirs.hausdorff_error(truth, pred, symmetric)
    assert ours.hausdorff_error([], []) == theirs.hausdorff_error([], []) == 0.0


def test_right_where_aeon_fails():
    ours = compat.aeon
    assert ours.count_error([3, 5], []) == 2  # ValueError: at least one change point
    assert ours.prediction_ratio([3, 5], []) == 0.0
    assert ours.prediction_ratio([], [3]) == math.inf
    assert ours.prediction_ratio([], []) == 1.0
    assert ours.hausdorff_error([], [3]) == ours.hausdorff_error([3], []) == math.inf
    small = [np.array(side, dtype) for dtype in (np.uint8, np.int8, np.uint64) for side in ([10, 100, 1], [12, 3])]
    assert [ours.hausdorff_error(*small[k : k + 2]) for k in (0, 2, 4)] == [88.0] * 3  # and not 254
    assert ours.hausdorff_error(np.int8([-100]), np.int8([100])) == 200.0
    assert ours.hausdorff_error([], [3], symmetric=False) == 0.0
    assert ours.count_error([[10], [20]], [[1]]) == 1
    with pytest.raises(TypeError, match="expected numbers"):
        ours.hausdorff_error(["a"], [1])


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:The number of unique classes")
def test_sklearn():
    theirs, ours = sklearn.metrics, compat.sklearn
    rng, worst, checked = np.random.default_rng(11), 0.0, 0
    for k, (truth, pred, n) in enumerate(random_pairs(1200, 12, most=120)):
        recurring = int(rng.integers(0, 5))
        sides = labels(truth, n, recurring), labels(pred, n, recurring)
        if k % 7 == 0:
            sides = tuple(np.array(side, dtype=str) for side in sides)
        assert np.array_equal(ours.pair_confusion_matrix(*sides), theirs.pair_confusion_matrix(*sides))
        for name in ("rand_score", "adjusted_rand_score", "fowlkes_mallows_score"):
            assert getattr(ours, name)(*sides) == getattr(theirs, name)(*sides), name
        assert close(ours.mutual_info_score(*sides), theirs.mutual_info_score(*sides))
        beta = {"beta": float(rng.choice([0.3, 1.0, 2.0]))}
        three = [m.homogeneity_completeness_v_measure(*sides, **beta) for m in (ours, theirs)]
        assert all(close(*two) for two in zip(*three, strict=True))
        assert (ours.homogeneity_score(*sides), ours.completeness_score(*sides)) == three[0][:2]
        assert ours.v_measure_score(*sides, **beta) == three[0][2]
        average = {"average_method": str(rng.choice(["arithmetic", "min", "geometric", "max"]))}
        assert close(*(m.normalized_mutual_info_score(*sides, **average) for m in (ours, theirs)))
        if k % 4 == 0 and 1 < len(set(sides[0])) < n and 1 < len(set(sides[1])) < n:
            mine, other = (m.adjusted_mutual_info_score(*sides) for m in (ours, theirs))
            worst = max(worst, abs(mine - other))
            checked += 1
    assert checked > 100 and worst < OFF


def test_right_where_sklearn_fails():
    ours = compat.sklearn
    assert ours.rand_score([], []) == ours.rand_score([1], [2]) == 1.0
    assert ours.fowlkes_mallows_score([1, 2, 3], [1, 2, 3]) == 0.0  # identical, but no pair is together: theirs, kept
    assert ours.mutual_info_score([], []) == 0.0
    with pytest.raises(ValueError, match="labels_true has 2 points and labels_pred 3; expected one length"):
        ours.rand_score([1, 2], [1, 2, 3])
    with pytest.raises(ValueError, match="labels_true has 2 dimensions; expected 1"):
        ours.rand_score([[1, 2]], [1, 2])
    with pytest.raises(
        ValueError, match="average_method = 'mean' is unknown; expected 'arithmetic', 'geometric', 'min' or 'max'"
    ):
        ours.normalized_mutual_info_score([1, 2], [1, 2], average_method="mean")


@pytest.mark.parametrize("module", compat.__all__)
def test_every_function_has_the_signature_of_its_peer(module):
    import inspect

    homes = {
        "ruptures": "ruptures.metrics",
        "tcpdbench": "claspy.tests.evaluation",
        "mir_eval": "mir_eval.segment",
        "segeval": "segeval",
        "nltk": "nltk.metrics.segmentation",
        "aeon": "aeon.benchmarking.metrics.segmentation",
        "sklearn": "sklearn.metrics",
    }
    theirs = peer(homes[module])
    ours = importlib.import_module(f"segscore.compat.{module}")
    ours = ours.segment if module == "mir_eval" else ours
    added = {"tcpdbench": {"clean", "scores"}}  # functions of ours that the peer does not have
    for name in set(ours.__all__) - added.get(module, set()):
        mine, other = getattr(ours, name), getattr(theirs, name)
        if module == "segeval":  # these take *args and **kwargs; their names are tested by use
            continue
        expected = {p.name: p.default for p in inspect.signature(other).parameters.values()}
        for gone in ("contingency", "sparse"):  # not taken; deprecated in older ones
            expected.pop(gone, None)
        assert {p.name: p.default for p in inspect.signature(mine).parameters.values()} == expected, name
