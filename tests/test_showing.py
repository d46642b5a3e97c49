"""How results look, and that all of them pickle, copy, and become plain objects and tables."""

import copy
import json
import operator
import pickle
import sys
import xml.etree.ElementTree as ET
from html.parser import HTMLParser

import pandas as pd
import polars as pl
import pytest

import segscore as ss
from segscore.compat.disagreements import Disagreement, Disagreements
from segscore.scores.compare import Scores
from segscore.showing import Shown

HOSTILE = "<script>alert('x')</script> & \"y\"\n\x00" + "long " * 40
PEOPLE = {"Ada": [4, 8], "Ben": [4], HOSTILE: [5, 9]}
ANNOTATED = pl.DataFrame({"series": ["a"], "method": ["x"], "pred": [[7]], "n": [9]})


def board(methods=("ada", "ben", HOSTILE), series=12):
    rows = [
        (name, str(k), None if k == 0 and name == "ben" else (k + j) % 7 / 7)
        for j, name in enumerate(methods)
        for k in range(series)
    ]
    return ss.leaderboard(pl.DataFrame(rows, ["method", "series", "f1"], orient="row"), "f1")


RESULTS = {
    "Leaderboard": (
        board,
        [
            "f1 (margin not recorded), 12 series taken as independent, failures count as 0",
            "ada",
            "ben",
            "11 of 12",
            "of 3 on the 11 common series",
        ],
    ),
    "Leaderboard without scores": (lambda: board(series=1), ["0 of 1"]),
    "Differences": (lambda: board().differences(), ["Holm over 3 pairs", "not shown", "ada", "w/t/l", "12 of 12"]),
    "Differences of two": (lambda: board(["ada", "ben"]).differences(), ["sign-flip test", "ada", "ben"]),
    "Differences of one": (lambda: board(["ada"]).differences(), ["There is nothing to compare"]),
    "Annotated": (lambda: ss.annotated(PEOPLE, [4, 9], n=12, margin=1), ["probabilistic_rand_index", "f1", "min"]),
    "Agreement": (lambda: ss.agreement(PEOPLE, n=12), ["3 annotators", "Ada", "leave one out", "human"]),
    "Agreement of many": (lambda: ss.agreement([[k] for k in range(1, 11)], n=12), ["10 annotators", "kappa"]),
    "Consensus": (lambda: ss.consensus([[3, 8], [4, 8], [4, 7]], n=10), ["Segmentation([4, 8], n=10)", "distance"]),
    "Consensus of many": (lambda: ss.consensus([range(1, 80)] * 200, n=100), ["distance 0", "... and 190 more"]),
    "Online": (lambda: ss.online([3, 8], [4], n=10), ["miss rate", "0.5", "average run length"]),
    "LabelError": (lambda: ss.label_error([(2, 6, "normal")], [4], n=9), ["1 error in 1 region", "false positive"]),
    "LabelErrors": (lambda: ss.label_errors(ANNOTATED, {"a": [(2, 6, "normal")]}), ["1 region in 1 series", "0 of 1"]),
    "LabelRoc": (
        lambda: ss.label_roc({"a": [(1, [4]), (2, [])]}, {"a": [(2, 6, "normal"), (6, 8, "1change")]}, n={"a": 9}),
        ["AUC", "AUM", "from factor"],
    ),
    "MarginCurve": (lambda: ss.f1_curve([3, 8], [4, 9], n=10), ["2 true cuts", "from margin", "1.0000"]),
    "PrecisionRecallCurve": (
        lambda: ss.precision_recall_curve([3], [4, 6], confidence=[1, 2], n=9, margin=1),
        ["average precision 0.5000", "best F1 0.6667 at threshold 1", "kept"],
    ),
    "PrecisionRecallCurve without cuts": (
        lambda: ss.precision_recall_curve([], [], confidence=[], n=9, margin=1),
        ["0 true cuts, average precision nan"],
    ),
    "Explanation": (lambda: ss.explain([30, 60], [33, 60, 80], n=100), ["571 of 4950 pairs", "33 -> 30", "-0.1473"]),
    "Explanation of nothing": (lambda: ss.explain([], [], n=9), ["rand_index 1.0000"]),
    "Disagreements": (lambda: ss.disagreements([3], [4], n=9, margin=1), ["segeval, swapped", "cause", "mir_eval"]),
    "Disagreements with nan": (lambda: Disagreements([Disagreement("f1", "<b>", float("nan"), "")]), ["nan"]),
    "Scores": (lambda: ss.compare([3], [4], n=9, margin=1), ["rand_index", "0.7"]),
    "Scores of others": (lambda: Scores({"<b>&": 1.0}), ["1.0000"]),
}


@pytest.fixture(params=RESULTS)
def shown(request):
    make, words = RESULTS[request.param]
    return make(), words


def test_a_copy_equals_the_result(shown):
    result, _ = shown
    for copied in (pickle.loads(pickle.dumps(result)), copy.deepcopy(result), copy.copy(result)):
        assert type(copied) is type(result)
        assert copied == result
        assert not operator.ne(copied, result)
        assert repr(copied) == repr(result)


def test_another_result_is_not_equal():
    others = [make() for name, (make, _) in RESULTS.items()]
    for one in others:
        assert [one == other for other in others].count(True) == 1
        assert one != "text"
    assert board() != board(series=7)
    assert ss.annotated(PEOPLE, [4], n=12, metrics=[]) != ss.annotated(PEOPLE, [5], n=12, metrics=[])


def test_the_text_is_readable(shown):
    result, words = shown
    text = repr(result)
    assert all(len(line) <= 120 for line in text.splitlines())
    assert all(line.isprintable() for line in text.split("\n"))
    for word in words:
        assert word in text


class Reader(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.text = [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)

    def handle_data(self, data):
        self.text.append(data)


def test_the_html_is_well_formed(shown):
    result, words = shown
    html = result._repr_html_()
    ET.fromstring(f"<div>{html}</div>")
    reader = Reader()
    reader.feed(html)
    assert set(reader.tags) <= {"p", "table", "tr", "th", "td"}
    read = " ".join(reader.text)
    for word in words:
        assert word in read


def test_names_are_escaped_in_html():
    for name in ("Leaderboard", "Differences", "Agreement"):
        html = RESULTS[name][0]()._repr_html_()
        assert "&lt;script&gt;alert(&#x27;x&#x27;)&lt;/script&gt; &amp; &quot;y" in html.replace("\\&#x27;", "&#x27;")
        assert "<script" not in html
    assert "&lt;b&gt;&amp;" in RESULTS["Scores of others"][0]()._repr_html_()


def plain(value):
    if type(value) is dict:
        return all(type(key) in (str, int) and plain(each) for key, each in value.items())
    if type(value) is list:
        return all(map(plain, value))
    return type(value) in (str, int, float, bool, type(None))


def test_a_dict_is_plain(shown):
    result, _ = shown
    found = result.to_dict()
    assert plain(found)
    assert json.dumps(found)


def test_what_dicts_hold():
    assert ss.consensus([[3, 8], [4, 8], [4, 7]], n=10).to_dict() == {
        "segmentation": {"cuts": [4, 8], "n": 10},
        "distance": 12,
        "distances": [7, 0, 5],
    }
    explained = ss.explain([3], [4], n=9).to_dict()
    assert explained["n"] == 9 and explained["matched"] == [{"truth": 3, "pred": 4, "pairs": 8, "cost": 8 / 36}]
    found = ss.agreement([[3], [4]], n=9)
    assert found.to_dict()["leave_one_out"] == found.leave_one_out
    assert found.to_dict()["matrix"] == found.matrix.tolist()
    scores = ss.annotated(PEOPLE, [4, 9], n=12, metrics=["rand_index"])
    assert scores.to_dict()["f1"] is None and scores.to_dict()["covering"] == scores.covering
    assert scores.to_dict()["spreads"] == {"rand_index": scores["rand_index"]._asdict()}
    ranked = board()
    assert ranked.to_dict()["standings"][0] == ranked.standings[0]._asdict()
    assert ranked.to_dict()["ranks"] == ranked.ranks.tolist()
    rows = ss.disagreements([3], [4], n=9)
    assert rows.to_dict()["rows"][0] == rows[0]._asdict()


STANDING = ["method", "mean", "low", "high", "rough", "median", "rank", "wins", "averaged", "scored", "run", "failed"]
STANDING += ["undefined", "not_run", "unreadable"]
TABLES = {
    "Leaderboard": (lambda: board(series=12), STANDING, lambda x: x.standings),
    "Leaderboard of nothing": (lambda: board([], 0), STANDING, lambda x: []),
    "Differences": (
        lambda: board(series=12).differences(),
        [
            *("method", "other", "verdict", "mean", "low", "high", "wins", "ties", "losses", "effect", "p"),
            *("corrected", "n", "of"),
        ],
        lambda x: x.pairs,
    ),
    "Disagreements": (lambda: ss.disagreements([3], [4], n=9), ["score", "library", "value", "cause"], list),
    "PrecisionRecallCurve": (
        lambda: ss.precision_recall_curve([3], [4, 6], confidence=[1, 2], n=9, margin=1),
        ["threshold", "kept", "matched", "precision", "recall", "f1"],
        lambda _: [(2.0, 1, 0, 0.0, 0.0, 0.0), (1.0, 2, 1, 0.5, 1.0, 2 / 3)],
    ),
    "Online": (
        lambda: ss.online([3, 8], [4], n=10),
        ["change", "alarm", "delay"],
        lambda _: [(3, 4, 1), (8, None, None)],
    ),
    "LabelError": (
        lambda: ss.label_error([(2, 6, "normal")], [4], n=9),
        ["start", "end", "kind", "cuts", "false_positive", "false_negative", "weight"],
        lambda x: x.rows,
    ),
    "LabelErrors": (
        lambda: ss.label_errors(ANNOTATED, {"a": [(2, 6, "normal")]}),
        [
            *("method", "params", "series", "failed", "regions", "errors", "error_rate", "false_positives"),
            *("possible_false_positives", "false_negatives", "possible_false_negatives"),
        ],
        lambda x: x.rows,
    ),
    "LabelRoc": (
        lambda: ss.label_roc({"a": [(1, [4]), (2, [])]}, {"a": [(2, 6, "normal"), (6, 8, "1change")]}, n={"a": 9}),
        ["factor", "false_positives", "false_negatives", "false_positive_rate", "true_positive_rate", "log_factor"],
        lambda x: x.points,
    ),
    "MarginCurve": (
        lambda: ss.f1_curve([3, 5], [4], n=9),
        ["margin", "matched", "precision", "recall", "f1"],
        lambda _: [(0, 0, 0.0, 0.0, 0.0), (1, 1, 1.0, 0.5, 2 / 3)],
    ),
    "Explanation": (
        lambda: ss.explain([3, 5], [4], n=9),
        ["action", "pred", "truth", "change"],
        lambda _: [
            ("add a missed cut", None, 5, 4 / 36),
            ("add a missed cut", None, 3, 3 / 36),
            ("move to the true cut", 4, 3, 0),
            ("remove a predicted cut", 4, None, -18 / 36),
        ],
    ),
    "Scores": (lambda: ss.compare([3], [4], n=9), ["name", "value"], lambda x: list(x.items())),
    "Annotated": (
        lambda: ss.annotated([[4, 8], [4]], [4, 9], n=12, margin=1, metrics=["rand_index", "covering"]),
        ["score", "all_annotators", "mean", "min", "max"],
        lambda x: [
            ("covering", x.covering, *x["covering"]),
            ("f1", x.f1, None, None, None),
            ("normalized_probabilistic_rand_index", x.normalized_probabilistic_rand_index, None, None, None),
            ("precision", x.precision, None, None, None),
            ("probabilistic_rand_index", x.probabilistic_rand_index, None, None, None),
            ("recall", x.recall, None, None, None),
            ("rand_index", None, *x["rand_index"]),
        ],
    ),
    "Agreement": (
        lambda: ss.agreement({"Ada": [4, 8], 2: [4]}, n=12),
        ["annotator", "against", "score"],
        lambda x: [
            ("Ada", None, x.leave_one_out["Ada"]),
            ("Ada", "2", x.matrix[1, 0]),
            ("2", None, x.leave_one_out[2]),
            ("2", "Ada", x.matrix[0, 1]),
        ],
    ),
    "Consensus": (
        lambda: ss.consensus([[3, 8], [4, 8], [4, 7]], n=10),
        ["input", "distance"],
        lambda x: [(0, 7.0), (1, 0.0), (2, 5.0)],
    ),
    "Consensus of a long sequence": (
        lambda: ss.consensus([[2**40], [2**61]], n=2**62),
        ["input", "distance"],
        lambda x: list(enumerate(map(float, x.distances))),
    ),
}


@pytest.mark.parametrize("name", TABLES)
def test_tables(name):
    make, columns, rows_of = TABLES[name]
    result = make()
    rows = [tuple(row) for row in rows_of(result)]
    polars, pandas = result.to_polars(), result.to_pandas()
    assert isinstance(polars, pl.DataFrame) and isinstance(pandas, pd.DataFrame)
    assert polars.columns == list(pandas.columns) == columns
    assert polars.rows() == rows
    missing = [[None if pd.isna(each) else each for each in row] for row in pandas.itertuples(index=False)]
    assert missing == [list(row) for row in rows]


def test_columns_of_empty_tables_have_types():
    empty = ss.explain([], [], n=9)
    assert empty.to_polars().schema == {
        "action": pl.String,
        "pred": pl.Int64,
        "truth": pl.Int64,
        "change": pl.Float64,
    }
    assert [str(kind) for kind in empty.to_pandas().dtypes] == ["object", "Int64", "Int64", "float64"]


def test_a_missing_library_is_named(monkeypatch):
    scores = ss.compare([3], [4], n=9)
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError) as error:
        scores.to_pandas()
    assert str(error.value) == "pandas is not installed; install it: pip install pandas"


def test_numbers_of_wide_tables_are_cut_last():
    wide = Shown([], ["x", "y"], "lr", [["a" * 80, "1" * 60]])
    assert wide.text().split("\n")[1] == "a" * 57 + "…  " + "1" * 60
    wider = Shown([], ["x", "y"], "lr", [["a" * 80, "1" * 110]])
    assert wider.text().split("\n")[1] == "a" * 11 + "…  " + "1" * 105 + "…"


def test_wide_tables_are_cut():
    wide = Shown(["a " * 100], ["x", "y", "z"], "lrl", [["a" * 200, "1", "b" * 10], ["c", "22", ""]], most=1)
    assert wide.text().split("\n") == [
        ("a " * 60).rstrip(),
        ("a " * 40).rstrip(),
        "x" + " " * 106 + "y  z",
        "a" * 104 + "…  1  " + "b" * 10,
        "... and 1 more",
    ]
    assert len(wide.text().split("\n")[3]) == 120
