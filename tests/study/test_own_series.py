"""Series as people have them: pairs in Python, tables with columns of arrays, and folders of CSV files."""

import re

import numpy as np
import polars as pl
import pytest

import segscore as ss
from segscore import study
from segscore.study.collection import read_series

SIGNAL = [0.0, 0.0, 0.0, 5.0, 5.0, 5.0]


def read(series):
    return {one.name: (one.signal.shape, one.truth) for one in read_series(series)}


def test_a_study_of_pairs_has_truths():
    runs = study.run({"mine": lambda signal: [3]}, {"a": (SIGNAL, [3])}, out=None, progress=False, workers=1)
    assert runs.select("series", "truth", "pred", "n").rows() == [("a", [3], [3], 6)]


@pytest.mark.parametrize(
    ("value", "shape", "truth"),
    [
        (SIGNAL, (6,), None),
        ((SIGNAL, None), (6,), None),
        ((SIGNAL, []), (6,), [[]]),
        ((np.array(SIGNAL), np.array([3])), (6,), [[3]]),
        ((np.ones((6, 2)), [3]), (6, 2), [[3]]),
        ((SIGNAL, ss.Segmentation([3], "ab", n=6)), (6,), [[3]]),
        ((SIGNAL, {"Ada": [3], "Bob": ss.Segmentation([2, 4], n=6)}), (6,), [[3], [2, 4]]),
        ((SIGNAL, [[3], np.array([2, 4])]), (6,), [[3], [2, 4]]),
        ((pl.Series(SIGNAL), pl.Series([3])), (6,), [[3]]),
        (np.ones((6, 2)), (6, 2), None),
    ],
)
def test_a_signal_with_its_truth(value, shape, truth):
    assert read({"a": value}) == {"a": (shape, truth)}


def test_a_table_of_pandas_may_hold_arrays():
    pd = pytest.importorskip("pandas")
    table = pd.DataFrame({"series": ["a", "b"], "signal": [np.ones(4), np.ones(5)], "truth": [np.array([2]), []]})
    assert read(table) == {"a": ((4,), [[2]]), "b": ((5,), [[]])}
    table["signal"] = [np.ones((4, 2)), np.ones((5, 2))]
    assert read(table) == {"a": ((4, 2), [[2]]), "b": ((5, 2), [[]])}
    assert read({"a": (pd.DataFrame({"x": SIGNAL, "y": SIGNAL}), [3])}) == {"a": ((6, 2), [[3]])}


def test_a_folder_of_csv_files_and_their_truths(tmp_path):
    (tmp_path / "a.csv").write_text("1\n2\n3\n4\n")
    (tmp_path / "b.csv").write_text("x,y\n1,0.5\n2,0.5\n3,0.5\n")
    (tmp_path / "c.csv").write_text("x\n1\n2\n")
    assert read(tmp_path) == {"a": ((4,), None), "b": ((3, 2), None), "c": ((2,), None)}
    (tmp_path / "truths.csv").write_text("series,cut\na,1\na,2\nb,2\n")
    assert read(str(tmp_path)) == {"a": ((4,), [[1, 2]]), "b": ((3, 2), [[2]]), "c": ((2,), None)}
    (tmp_path / "truths.csv").unlink()
    (tmp_path / "truths.json").write_text('{"a": {"Ada": [1], "Bob": [2, 3]}, "b": {"Ada": [2]}}')
    assert read(tmp_path) == {"a": ((4,), [[1], [2, 3]]), "b": ((3, 2), [[2]]), "c": ((2,), None)}
    assert [signal for one in read_series(tmp_path) for signal in one.signal[:1].tolist()] == [1, [1.0, 0.5], 1]


@pytest.mark.parametrize(
    ("series", "message"),
    [
        (
            {"a": [SIGNAL, [3]]},
            "the signal of series 'a' is [[0.0, 0.0, 0.0, 5.0, 5.0, 5.0], [3]]; expected numbers (a truth goes next to its "
            "signal: (signal, cuts), or the column truth of a table)",
        ),
        (
            {"a": {"signal": SIGNAL, "truth": [3]}},
            "the signal of series 'a' is {'signal': [0.0, 0.0, 0.0, 5.0, 5.0, 5.0], 'truth': [3]}; expected numbers (a "
            "truth goes next to its signal: (signal, cuts), or the column truth of a table)",
        ),
        (
            {"a": (SIGNAL, [0, 0, 0, 1, 1, 1])},
            "the truth of series 'a': cuts[1] = 0 does not exceed cuts[0] = 0; cuts must strictly increase (for one label "
            "per point use Segmentation.from_labels, for 0/1 marks Segmentation.from_mask)",
        ),
        (
            {"a": (np.ones((2, 6)), [3])},
            "the truth of series 'a', whose signal is an array of 2 rows (points) and 6 columns (channels): cuts[0] = 3 "
            "is outside 0 < cut < n = 2; cuts that end with n + 1 look like 1-based starts (use "
            "Segmentation.from_starts(..., one_based=True))",
        ),
        (
            pl.DataFrame({"series": ["a"], "signal": [SIGNAL], "change_points": [[3]]}),
            "series have a column 'change_points', which may be the truth; rename the column to truth, or drop the "
            "column",
        ),
    ],
)
def test_errors_say_where_the_truth_goes(series, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        read_series(series)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            "x,label\n1,0\n",
            "a.csv has a column 'label', which may be the truth; put the truths of all files into truths.csv, with the "
            "columns series and cut, or drop the column",
        ),
        (
            "x,day\n1,Monday\n",
            "a.csv has a column 'day' of String, not of numbers; expected one row per point, and one column of numbers "
            "per channel (drop the column)",
        ),
    ],
)
def test_csv_files_that_hold_more_than_a_signal(tmp_path, monkeypatch, content, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text(content)
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        read_series(".")
