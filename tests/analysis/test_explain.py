"""Blame: every number is what really happens when the cut is removed, added or moved."""

import pickle
from fractions import Fraction

import oracle
import pytest
from hypothesis import given
from hypothesis import strategies as st
from times import cuts_in_time

import segscore as ss


def disagreement(a, b, n):
    _, truth_only, pred_only, _ = oracle.pair_counts(a, b, n)
    return truth_only + pred_only


def mutually_nearest(truth, pred):
    """(t, p), each the nearest of the other side to the other, of two the left one."""

    def nearest(cuts, cut):
        return min(cuts, key=lambda other: (abs(other - cut), other))

    return [(t, nearest(pred, t)) for t in truth if pred and nearest(truth, nearest(pred, t)) == t]


def check(truth, pred, n):
    truth, pred = list(truth), list(pred)
    now = disagreement(truth, pred, n)
    total = max(1, n * (n - 1) // 2)
    found = ss.explain(truth, pred, n=n)
    assert found.disagreement == sum(cell.pairs for cell in found.cells) == now
    assert found.rand_index == ss.rand_index(truth, pred, n=n)
    assert sorted((c.start, c.end) for c in found.cells) == oracle_cells(truth, pred, n)
    assert sorted(c.cut for c in found.predicted) == pred
    for cut, pairs, change in found.predicted:
        assert pairs == disagreement(truth, [c for c in pred if c != cut], n) - now
        assert change == -pairs / total
    assert sorted(c.cut for c in found.missed) == sorted(set(truth) - set(pred))
    for cut, pairs, change in found.missed:
        assert pairs == disagreement(truth, sorted([*pred, cut]), n) - now
        assert change == -pairs / total
    assert sorted((m.truth, m.pred) for m in found.matched) == mutually_nearest(truth, pred)
    for t, p, pairs, cost in found.matched:
        assert pairs == now - disagreement(truth, sorted([*(c for c in pred if c != p), t]), n)
        assert cost == pairs / total
    assert [c.pairs for c in found.cells] == sorted((c.pairs for c in found.cells), reverse=True)
    assert [c.change for c in found.predicted] == sorted((c.change for c in found.predicted), reverse=True)


def oracle_cells(truth, pred, n):
    ends = sorted({*truth, *pred, n} - {0})
    return list(zip([0, *ends], ends, strict=False)) if n else []


@pytest.mark.parametrize("n", range(0, 7))
def test_every_pair_of_segmentations(n):
    for truth in oracle.segmentations(n):
        for pred in oracle.segmentations(n):
            check(truth, pred, n)


@given(st.data())
def test_longer_ones(data):
    n = data.draw(st.integers(7, 40))
    cuts = st.sets(st.integers(1, n - 1), max_size=9).map(sorted)
    check(data.draw(cuts), data.draw(cuts), n)


def area(truth, pred, duration):
    _, truth_only, pred_only, _ = oracle.pair_areas(truth, pred, duration)
    return truth_only + pred_only


def check_in_time(truth, pred, duration):
    """Every number is what really happens, within the stated errors."""
    now, total = area(truth, pred, duration), Fraction(duration) ** 2 / 2
    slack, least = Fraction(1e-15), Fraction(1e-30)
    found = ss.explain(truth, pred, duration=duration)
    assert sorted((c.start, c.end) for c in found.cells) == oracle_cells(truth, pred, duration)
    ends = [[*map(Fraction, cuts), Fraction(duration)] for cuts in (truth, pred)]
    for start, end, pairs in found.cells:
        t, p = (next(c for c in cuts if c > start) for cuts in ends)
        exact = (Fraction(end) - Fraction(start)) * abs(t - p)
        assert abs(Fraction(pairs) - exact) <= slack * exact + least * total
    assert abs(Fraction(found.disagreement) - now) <= slack * now
    assert abs(Fraction(found.rand_index) - (1 - now / total)) <= slack

    def right(change, other):
        exact = (now - area(truth, other, duration)) / total
        return abs(Fraction(change) - exact) <= slack * abs(exact) + least

    assert sorted(c.cut for c in found.predicted) == pred
    assert all(right(change, [c for c in pred if c != cut]) for cut, _, change in found.predicted)
    assert sorted(c.cut for c in found.missed) == sorted(set(truth) - set(pred))
    assert all(right(change, sorted([*pred, cut])) for cut, _, change in found.missed)
    assert sorted((m.truth, m.pred) for m in found.matched) == mutually_nearest(truth, pred)
    for t, p, pairs, cost in found.matched:
        assert right(cost, sorted([*(c for c in pred if c != p), t]))
        assert cost == pairs / float(total)
    assert [c.change for c in found.predicted] == sorted((c.change for c in found.predicted), reverse=True)


@given(cuts_in_time())
def test_in_time(case):
    check_in_time(*case)


def test_in_time_by_hand():
    # One missed cut in the middle splits the area 3 * 1 that the prediction keeps together; the whole area is 8.
    found = ss.explain([1.0], [], duration=4)
    assert (found.n, found.duration, found.disagreement, found.rand_index) == (None, 4.0, 3.0, 0.625)
    assert list(found.missed) == [(1.0, -3.0, 0.375)]
    assert list(found.cells) == [(0.0, 1.0, 3.0), (1.0, 4.0, 0.0)]
    assert found.to_dict()["duration"] == 4.0 and "n" not in found.to_dict()
    assert pickle.loads(pickle.dumps(found)) == found
    assert found.to_polars().row(0) == ("add a missed cut", None, 1.0, 0.375)
    assert repr(found).splitlines()[0] == "rand_index 0.6250: an area of 3 of 8 disagrees"
    moved = ss.explain([1.0], [1.5], duration=4).matched[0]
    assert moved == (1.0, 1.5, 0.5 * 1.0 + 0.5 * 2.5, 1.75 / 8)


def test_exact_at_any_length():
    n = 2**63 - 1
    found = ss.explain([2**62], [2**62 + 1], n=n)
    counts = ss.pair_counts([2**62], [2**62 + 1], n=n)
    assert found.disagreement == counts.truth_only + counts.pred_only
    assert found.matched[0].pairs == found.disagreement
    assert found.matched[0][:2] == (2**62, 2**62 + 1)


def test_it_reads():
    text = repr(ss.explain([30, 60], [33, 60, 80], n=100))
    assert text.splitlines()[0].startswith("rand_index 0.8")
    assert "remove a predicted cut    80" in text and "move to the true cut      33 -> 30" in text
    long = repr(ss.explain(range(10, 1000, 20), range(13, 1000, 20), n=1000))
    assert long.endswith(" more") and len(long.splitlines()) == 13
    assert "<table>" in ss.explain([3], [4], n=9)._repr_html_()
    tiny = repr(ss.explain([50], [51], n=10**7))
    assert "rand_index 0.99999" in tiny and "e-07" in tiny
    assert repr(ss.explain([], [], n=9)) == "rand_index 1.0000: 0 of 36 pairs disagree"
    with pytest.raises(ValueError, match="compares cuts, not labels"):
        ss.explain(ss.Segmentation([3], "ab", n=9), [3])


def test_causes_are_sequences():
    found = ss.explain([30, 60], [33, 60, 80], n=100)
    rows = list(found.predicted)
    assert [row.cut for row in rows] == [80, 60, 33]
    assert found.predicted == rows == found.predicted[:] == [found.predicted[k] for k in range(3)]
    assert found.predicted[-1] == rows[-1] and found.predicted[::-1] == rows[::-1] and len(found.predicted) == 3
    assert found.predicted != rows[:2] and found.predicted != 3
    assert (
        repr(found.missed)
        == repr(list(found.missed))
        == repr([(30, -90, 90 / 4950)]).replace("(30, -90, ", "CutChange(cut=30, pairs=-90, change=")
    )
    with pytest.raises(IndexError):
        found.predicted[3]
    assert pickle.loads(pickle.dumps(found)) == found
    assert found.to_dict()["cells"][0] == {"start": 60, "end": 80, "pairs": 400}
