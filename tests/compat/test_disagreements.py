"""What each library says of one pair: by its rule, in the table of ten inputs, and beside the replacements."""

import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import segscore as ss
from segscore import compat

# truth, pred (n = 100, margin 5): ruptures, mir_eval with and without trim, TCPDBench, sktime, skchange, pyannote, tsseg;
# as the libraries themselves say. Where one of them fails, None.
TABLE = [
    ([10], [15], [0, 1, 1, 1, 1, 1, 1, 1]),
    ([10], [5], [0, 1, 1, 1, 0, 1, 1, 1]),
    ([10, 12], [9, 11], [0.5, 1, 1, 1, 1, 0.5, 1, 1]),
    ([10, 14], [13, 16], [1, 1, 1, 1, 1, 0.5, 0.5, 1]),
    ([10, 14], [6, 13], [0.5, 1, 1, 0.667, 1, 1, 1, 0.5]),
    ([50], [48, 50, 52], [0.5, 0.5, 0.75, 0.667, 0.5, 0.5, 0.5, 0.5]),
    ([48, 50, 52], [50], [0.5, 0.5, 0.75, 0.667, 1.5, 0.5, 0.5, 0.5]),
    ([], [], [0, 0, 1, 1, 1, 1, 1, 1]),
    ([], [50], [None, 0, 0.8, 0.667, 0, 0, 0, 0]),
    ([50], [], [0, 0, 0.8, 0.667, 0, 0, 0, 0]),
]
LIBRARIES = ["ruptures", "mir_eval, trim", "mir_eval", "TCPDBench", "sktime", "skchange", "pyannote", "tsseg"]


@pytest.mark.parametrize(("truth", "pred", "values"), TABLE)
def test_every_library_says_what_it_says(truth, pred, values):
    found = {row.library: row.value for row in ss.disagreements(truth, pred, n=100, margin=5).of("f1")}
    assert found.pop("segscore") == ss.f1(truth, pred, n=100, margin=5)
    for library, value in zip(LIBRARIES, values, strict=True):
        assert found[library] == pytest.approx(0 if value is None else value, abs=5e-4), library
    assert set(found) == set(LIBRARIES)


@given(*[st.sets(st.integers(1, 99), max_size=6)] * 2, st.integers(0, 9))
@example({7, 8}, {6, 8}, 1)
def test_tsseg_breaks_ties_in_the_order_of_a_set(truth, pred, margin):
    left, matched = set(sorted(pred)), 0  # noqa: C414 (the order depends on the order of insertion)
    for cut in sorted(truth):
        if near := [other for other in left if abs(other - cut) <= margin]:
            left.remove(min(near, key=lambda other: abs(other - cut)))
            matched += 1
    rows = ss.disagreements(sorted(truth), sorted(pred), n=100, margin=margin).of("f1")
    total = len(truth) + len(pred)
    expected = 2 * matched / total if total else 1.0
    assert {row.library: row.value for row in rows}["tsseg"] == pytest.approx(expected)


def test_the_table_reads_as_one():
    table = ss.disagreements([10, 14], [6, 13], n=100, margin=5)
    lines = repr(table.of("f1")).splitlines()
    assert lines[0].split() == ["score", "library", "value", "cause"]
    assert lines[1].startswith("f1     segscore")
    assert len(lines) == 10
    assert len(table) == len(list(table)) == len(repr(table).splitlines()) - 1
    assert table[0].score == "f1" and len(table[:3]) == 3
    assert "<table>" in table._repr_html_() and "<td style='text-align:left'>ruptures</td>" in table._repr_html_()
    assert not ss.disagreements([10], [12], n=100).of("f1")
    assert {row.score for row in table} >= {"f1", "rand_index", "pk", "window_diff", "covering", "hausdorff"}


def test_numbers_of_the_comparison_of_libraries():
    table = {(row.score, row.library): row.value for row in ss.disagreements([5], [3], n=10, margin=1)}
    assert table["normalized_mutual_information", "scikit-learn"] == pytest.approx(0.42079, abs=5e-6)
    assert table["normalized_mutual_information", "mir_eval"] == pytest.approx(0.42163, abs=5e-6)
    assert table["normalized_mutual_information", "aricode"] == pytest.approx(0.39582, abs=5e-6)
    assert table["rand_index", "ruptures"] == pytest.approx(0.6444, abs=5e-5)
    assert table["rand_index", "mir_eval"] == pytest.approx(0.6444, abs=5e-5)
    assert table["covering", "segscore"] == pytest.approx(0.65714, abs=5e-6)
    assert table["covering", "swapped"] == pytest.approx(0.68)
    assert table["coverage", "pyannote"] == pytest.approx(0.8)
    assert table["pk", "segeval"] == pytest.approx(0.5)
    assert table["pk", "nltk"] == pytest.approx(0.5)
    assert table["pk", "nltk, with end"] == pytest.approx(0.4444, abs=5e-5)
    assert table["window_diff", "segeval, fixed"] == pytest.approx(0.3077, abs=5e-5)


@given(st.data())
def test_any_pair_has_a_table(data):
    n = data.draw(st.integers(0, 40))
    cuts = st.sets(st.integers(1, n - 1)).map(sorted) if n > 1 else st.just([])
    truth, pred = data.draw(cuts), data.draw(cuts)
    table = ss.disagreements(truth, pred, n=n, margin=data.draw(st.integers(0, 5)))
    for row in table:
        if row.library == "segscore" and row.score in ss.METRICS and row.score != "f1":
            wanted = ss.METRICS[row.score].function(truth, pred, n=n)
            assert row.value == wanted or (math.isnan(row.value) and math.isnan(wanted))
    if truth and pred:
        ends = [*truth, n], [*pred, n]
        by = {(row.score, row.library): row.value for row in table}
        assert by["hausdorff", "ruptures"] == compat.ruptures.hausdorff(*ends)


def test_what_is_wrong_is_said():
    for margin in (-1, math.nan):
        with pytest.raises(ValueError, match="is negative or not a number; expected 0 or more"):
            ss.disagreements([3], [4], n=9, margin=margin)
    with pytest.raises(TypeError, match="margin = '5' is a str; expected a number"):
        ss.disagreements([3], [4], n=9, margin="5")
    with pytest.raises(ValueError, match="disagreements compares cuts, not labels"):
        ss.disagreements(ss.Segmentation([3], "ab", n=9), [4])
    wide = ss.disagreements(range(1, 9000, 4), range(2, 9000, 4), n=9000, margin=9000)
    assert math.isnan(next(row.value for row in wide if row.library == "pyannote"))
    with pytest.raises(ValueError, match="n = 100000000 is too long for libraries that take a label per point"):
        ss.disagreements([3], [4], n=10**8)
