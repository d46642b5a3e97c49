"""Columns of labels: each row is what a labelled pair scores, whatever the labels are made of."""

import ast
import json
import math
import re

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import segscore as ss

METRICS = [
    "rand_index",
    "adjusted_rand_index",
    "variation_of_information",
    "covering",
    "f1(margin=2)",
    "pk",
    "count_error",
]
FACTS = {name: ss.METRICS[name.partition("(")[0]] for name in METRICS}
OF_LABELS = [name for name in METRICS if FACTS[name].takes_labels]


def rows_of(count, seed=1, n=40):
    """Return rows of (truth, labels of the truth, pred, labels of the prediction, n)."""
    rng = np.random.default_rng(seed)

    def side():
        cuts = np.unique(rng.integers(1, n, rng.integers(0, 7))).tolist()
        return cuts, rng.integers(0, 4, len(cuts) + 1).tolist()

    return [(*side(), *side(), n) for _ in range(count)]


def wanted(rows, truth_labels=True, pred_labels=True, labelled=ss.Segmentation):
    """Return the scores of labels where a metric takes labels, and otherwise those of the cuts."""
    found = []
    for truth, a, pred, b, n in rows:
        cuts = ss.compare(truth, pred, n=n, metrics=METRICS, margin=2)
        sides = labelled(truth, a, n=n) if truth_labels else truth, labelled(pred, b, n=n) if pred_labels else pred
        labels = ss.compare(*sides, n=n, metrics=OF_LABELS)
        found.append(tuple((labels if name in labels else cuts)[name] for name in METRICS))
    return found


def table_of(rows, kind=None, lists=pa.list_, names="ABCD"):
    """Return an Arrow table whose labels are of a type, with the names of the labels 0 to 3."""
    truth, a, pred, b, n = zip(*rows, strict=True)

    def column(side):
        spelled = [[names[label] for label in labels] for labels in side]
        return pa.array(spelled, lists(kind or pa.string()))

    cuts = pa.list_(pa.int64())
    columns = {"truth": pa.array(truth, cuts), "a": column(a), "pred": pa.array(pred, cuts), "b": column(b)}
    return pa.table({**columns, "n": pa.array(n)})


def scored(table, truth_labels="a", pred_labels="b", **options):
    return ss.score(table, metrics=METRICS, margin=2, truth_labels=truth_labels, pred_labels=pred_labels, **options)


def values_of(table):
    arrow = table if isinstance(table, pa.Table) else table.to_arrow() if hasattr(table, "to_arrow") else None
    arrow = table.to_arrow_table() if arrow is None else arrow
    return list(zip(*(arrow[name].to_pylist() for name in METRICS), strict=True))


TEXTS = ["verse", "chorus", "", "a longer name than twelve letters"]
KINDS = {
    **{str(kind): (kind, TEXTS) for kind in (pa.string(), pa.large_string(), pa.string_view())},
    **{str(kind): (kind, [1, 0, 7, 100]) for kind in (pa.uint8(), pa.uint16(), pa.uint32())},
    **{str(kind): (kind, [-1, 0, 1, 127]) for kind in (pa.int8(), pa.int16(), pa.int32(), pa.int64())},
    "large integers": (pa.uint64(), [2**64 - 1, 2**63, 0, 1]),
    "float": (pa.float32(), [0.5, math.inf, -0.5, 2.0]),
    "double": (pa.float64(), [0.1, 0.2, -math.inf, 1e300]),
}


@pytest.mark.parametrize("kind", KINDS)
def test_labels_of_every_type(kind):
    rows = rows_of(80)
    assert values_of(scored(table_of(rows, KINDS[kind][0], names=KINDS[kind][1]))) == wanted(rows)


@pytest.mark.parametrize("lists", [pa.list_, pa.large_list, pa.list_view, pa.large_list_view])
def test_every_kind_of_list(lists):
    rows = rows_of(80)
    table = table_of(rows, lists=lists)
    assert values_of(scored(table)) == wanted(rows)
    assert values_of(scored(table.slice(7, 50))) == wanted(rows[7:57])
    pieces = pa.concat_tables([table.slice(0, 3), table.slice(3, 30), table.slice(33)])
    assert values_of(scored(pieces, threads=2)) == wanted(rows)


def test_booleans_and_lists_of_one_size():
    rows = [([3], [0, label], [5], [1, 0], 9) for label in (0, 1, 1, 0, 1, 0, 0, 1, 1)]
    for lists in (pa.list_, lambda kind: pa.list_(kind, 2)):
        table = table_of(rows, pa.bool_(), lists, [False, True])
        assert values_of(scored(table)) == wanted(rows)
        assert values_of(scored(table.slice(3, 4))) == wanted(rows[3:7])


def test_a_dictionary_may_hold_a_value_twice():
    rows = [([3, 6], [0, 1, 2], [5], [0, 0], 9)]
    labels = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2]), pa.array(["A", "B", "A"]))
    table = table_of(rows).set_column(1, "a", pa.ListArray.from_arrays([0, 3], labels))
    assert values_of(scored(table)) == wanted([([3, 6], [0, 1, 0], [5], [0, 0], 9)])
    empty = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2]), pa.array(["A", None, "A"]))
    table = table_of(rows).set_column(1, "a", pa.ListArray.from_arrays([0, 3], empty))
    with pytest.raises(ValueError, match=r"^row 0: truth_labels\[1\] is null; expected a label for each segment$"):
        scored(table)
    far = pa.DictionaryArray.from_arrays(pa.array([0, 1, 9]), pa.array(["A", "B"]), safe=False)
    table = table_of(rows).set_column(1, "a", pa.ListArray.from_arrays([0, 3], far))
    with pytest.raises(ValueError, match=r"^row 0: a label lies outside of its dictionary; expected a valid Arrow tab"):
        scored(table)


@pytest.mark.parametrize("kind", [pa.bool_(), pa.int8(), pa.int64(), pa.float32(), pa.float64(), pa.string()])
def test_the_items_of_lists_may_be_part_of_an_array(kind):
    part = pa.array([1, 1, 1, 0, 1, 0]).cast(kind)[2:]
    table = table_of([([3, 6, 7], [0, 0, 0, 0], [5], [0, 0], 9)])
    table = table.set_column(1, "a", pa.ListArray.from_arrays([0, 4], part))
    assert values_of(scored(table)) == wanted([([3, 6, 7], [0, 1, 0, 1], [5], [0, 0], 9)])


def test_real_labels_are_equal_as_numbers_are():
    table = table_of([([3, 6], [0, 0, 0], [5], [0, 0], 9)])
    zeros = table.set_column(1, "a", pa.array([[0.0, 1.5, -0.0]]))
    assert values_of(scored(zeros)) == wanted([([3, 6], [0, 1, 0], [5], [0, 0], 9)])
    missing = table.set_column(1, "a", pa.array([[0.0, math.nan, 1.0]]))
    with pytest.raises(ValueError, match=r"^row 0: truth_labels\[1\] is nan; expected a label for each segment$"):
        scored(missing)


@pytest.mark.parametrize("kind", [pl.Categorical, pl.Enum(list("DCBA")), pl.String])
def test_polars_in_memory_and_lazy(kind):
    rows = rows_of(60)
    table = pl.DataFrame(table_of(rows)).with_columns(pl.col("a", "b").cast(pl.List(kind)))
    assert values_of(scored(table)) == wanted(rows)
    lazy = scored(table.lazy())
    assert values_of(lazy.collect()) == values_of(lazy.collect(engine="streaming")) == wanted(rows)
    assert scored(table).drop(METRICS).equals(table)


@pytest.mark.parametrize("write", [json.dumps, repr, lambda labels: json.dumps(labels, indent=1)])
def test_labels_as_text(write):
    rows = rows_of(60)
    table = pl.DataFrame(table_of(rows, names=TEXTS)).with_columns(
        pl.Series(name, [write(list(labels)) for labels in table_of(rows, names=TEXTS)[name].to_pylist()])
        for name in ("a", "b")
    )
    assert table.schema["a"] == pl.String
    assert values_of(scored(table)) == values_of(scored(table.lazy()).collect()) == wanted(rows)


def test_one_side_may_have_labels():
    rows = rows_of(60)
    table = table_of(rows)
    assert values_of(scored(table, pred_labels=None)) == wanted(rows, pred_labels=False)
    assert values_of(scored(table, truth_labels=None)) == wanted(rows, truth_labels=False)
    assert values_of(scored(table, None, None)) == wanted(rows, truth_labels=False, pred_labels=False)


def test_annotators_have_one_list_of_labels_each():
    one, other = rows_of(40, seed=2), rows_of(40, seed=3)
    both = [[(left[k], right[k]) for left, right in zip(one, other, strict=True)] for k in (0, 1)]
    table = pl.DataFrame(table_of(one)).with_columns(
        truth=pl.Series([list(sides) for sides in both[0]]),
        a=pl.Series([[["ABCD"[label] for label in labels] for labels in sides] for sides in both[1]]),
    )
    found = [
        tuple((x + y) / 2 for x, y in zip(left, right, strict=True))
        for left, right in zip(
            wanted(one), wanted([(*b[:2], *a[2:]) for a, b in zip(one, other, strict=True)]), strict=True
        )
    ]
    assert values_of(scored(table)) == found
    assert values_of(scored(table, against="others")) == pytest.approx(np.array(found))
    texts = table.with_columns(
        pl.Series(name, list(map(json.dumps, table[name].to_list()))) for name in ("truth", "a", "b")
    )
    assert values_of(scored(texts)) == found


def test_labels_in_time():
    rows = [([x / 4 for x in a], la, [x / 4 for x in b], lb, n / 4) for a, la, b, lb, n in rows_of(60)]
    names = [name for name in METRICS if FACTS[name].in_time]
    truth, a, pred, b, duration = zip(*rows, strict=True)
    table = pl.DataFrame({"truth": truth, "a": a, "pred": pred, "b": b, "duration": duration})
    options = {"metrics": names, "margin": 0.5, "truth_labels": "a", "pred_labels": "b"}
    found = ss.score(table, duration="duration", **options)
    assert found.select(names).rows() == [
        tuple(
            ss.compare(
                ss.Segmentation(x, lx, duration=d), ss.Segmentation(y, ly, duration=d), metrics=names, margin=0.5
            )
            .to_dict()
            .values()
        )
        for x, lx, y, ly, d in rows
    ]
    one = ss.score(table, duration=10.0, **options)
    assert one.select(names).equals(found.select(names))


def test_no_points_have_no_labels():
    table = pl.DataFrame(
        {"truth": [[]], "a": [[]], "pred": [[]], "b": [[]], "n": [0]},
        schema_overrides={"truth": pl.List(pl.Int64), "pred": pl.List(pl.Int64), "a": pl.List(pl.Null)},
    )
    assert scored(table)["rand_index"].to_list() == [1.0]


FAULTS = [
    ({"a": ["A"]}, "unreadable", "truth_labels has 1 label for 2 segments; expected one label per segment"),
    ({"b": ["A", "B", "A"]}, "invalid", "pred_labels has 3 labels for 2 segments; expected one label per segment"),
    ({"a": ["A", None]}, "unreadable", "truth_labels[1] is null; expected a label for each segment"),
    ({"b": [None, "A"]}, "invalid", "pred_labels[0] is null; expected a label for each segment"),
    ({"a": None}, "unreadable", "truth_labels is null; expected a label for each segment"),
    ({"b": None}, "invalid", "pred_labels is null; expected a label for each segment"),
    ({"b": None, "pred": None}, "error", None),
    ({"a": None, "truth": None}, "unreadable", "the truth or the length is null; expected both"),
]


@pytest.mark.parametrize("as_text", [False, True])
@pytest.mark.parametrize(("fault", "status", "reason"), FAULTS)
def test_what_is_wrong_with_a_row(fault, status, reason, as_text):
    row = {"truth": [3], "a": ["A", "B"], "pred": [4], "b": ["A", "B"], "n": 9}
    lists = {**dict.fromkeys(("truth", "pred"), pl.List(pl.Int64)), **dict.fromkeys("ab", pl.List(pl.String))}
    table = pl.DataFrame([row, row | fault], schema={**{name: lists.get(name, pl.Int64) for name in row}})
    if as_text:
        texts = {name: [None if x is None else json.dumps(x) for x in table[name].to_list()] for name in "ab"}
        table = table.with_columns(**{name: pl.Series(x, dtype=pl.String) for name, x in texts.items()})
    if status == "unreadable":
        with pytest.warns(UserWarning, match="1 of 2 rows cannot be read"):
            found = scored(table, on_error="null")
    else:
        found = scored(table, on_error="null")
    assert found["status"].to_list() == ["ok", status]
    assert found["error"].to_list() == [None, reason]
    assert found["rand_index"][1] is None
    assert found["count_error"][1] is None
    if reason is not None and reason[0] in "tp" and "the truth" not in reason:
        with pytest.raises(ValueError, match=f"^row 1: {re.escape(reason)}$"):
            scored(table)


def nested(**columns):
    return pl.DataFrame({"truth": [[[3], [4]]], "pred": [[4]], "n": [9], **columns})


@pytest.mark.parametrize(
    ("table", "error", "message"),
    [
        (nested(a=[["A", "B"]]), ValueError, "row 0: truth_labels has 1 list for 2 annotators; expected one list of "),
        (nested(a=[[["A", "B"]] * 3]), ValueError, "row 0: truth_labels has 3 lists for 2 annotators; expected one "),
        (nested(a=[[["A", "B"], None]]), ValueError, "row 0: truth_labels is null; expected a label for each segment"),
        (nested(a=["A"]), ValueError, 'row 0: truth_labels = \'A\' is not a list of labels, as in ["A", "B"]; write '),
        (nested(a=[5]), TypeError, "column 'a' holds numbers; expected a list of labels per row"),
        (
            nested(a=[[b"A"]]),
            TypeError,
            "column 'a' holds bytes; expected a list of labels per row: text, integers, real numbers or booleans",
        ),
        (nested(), ValueError, "table has no column 'a'; it has truth, pred, n"),
    ],
)
def test_columns_that_hold_no_labels(table, error, message):
    with pytest.raises(error) as raised:
        ss.score(table, metrics=["rand_index"], truth_labels="a")
    assert str(raised.value).startswith(message)


def test_labels_of_the_prediction_are_one_list():
    table = nested(b=[[["A", "B"]]])
    with pytest.raises(TypeError) as raised:
        ss.score(table, metrics=["rand_index"], pred_labels="b")
    assert str(raised.value) == (
        "column 'b' holds lists of lists; expected a list of labels per row (only the truth may have several)"
    )
    table = nested(b=['[["A", "B"]]'])
    message = "row 0: pred_labels is a list of lists; expected one list (only the truth may have several)"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        ss.score(table, metrics=["rand_index"], pred_labels="b")
    with pytest.warns(UserWarning, match="cannot be read"):
        found = ss.score(table, metrics=["rand_index"], pred_labels="b", on_error="null")
    assert found["status"].to_list() == ["unreadable"]


def test_a_column_of_labels_is_named_by_a_text():
    with pytest.raises(TypeError) as raised:
        ss.score(nested(), truth_labels=["A", "B"])
    assert str(raised.value) == "truth_labels = ['A', 'B'] is list; expected the name of a column"


def partition(labels):
    """Return the number of each label in the order in which they first occur."""
    seen = {}
    return [seen.setdefault((type(label) in (str, bool), label), len(seen)) for label in labels]


def is_read_as(text, labels):
    """Return whether a text is read as labels that are equal where the given labels are."""
    n = max(1, len(labels))
    table = pl.DataFrame({"cuts": [list(range(1, n))], "text": [text], "labels": [partition(labels)], "n": [n]})
    table = table.with_columns(pl.col("cuts").cast(pl.List(pl.Int64)))
    found = ss.score(table, "cuts", "cuts", metrics=["mirkin_distance"], truth_labels="text", pred_labels="labels")[
        "mirkin_distance"
    ]
    return found.to_list() == [0]


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ('["A", "B", "A"]', "ABA"),
        (" ['A',\n 'B' , \"A\"] ", "ABA"),
        ("('A', 'B',)", "AB"),
        ("[100000, 1e5, 100000.0, 1e22, 10000000000000000000000.0]", "AAABB"),
        ('["\\u0041", "A", "\\ud83d\\ude00", "😀"]', "AABB"),
        (r"""['it\'s', "it's", '\x41', 'A', '\U0001F600', '😀']""", "AABBCC"),
        (r'["a\\b", "a\/b", "a/b", "\n\r\t\b\f"]', "ABBC"),
        ("[1, 1.0, 1e0, +1, 01, -1]", "AAAAAB"),
        ('[1, "1", true, True, "true"]', "ABCCD"),
        ("[np.str_('A'), np.int64(3), 3, np.True_, true]", "ABBCC"),
        ("[9223372036854775807, 9223372036854775806]", "AB"),
        ("[0.1, 0.10, 0.2, 9223372036854775808]", "AABC"),
        ('["]", "[", ",", "null", "nan"]', "ABCDE"),
    ],
)
def test_texts_that_are_read(text, labels):
    assert is_read_as(text, labels)


NULL = "truth_labels is null; expected a label for each segment"
FORM = 'is not a list of labels, as in ["A", "B"]; write it again as JSON'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", NULL),
        ("  ", NULL),
        ("null", NULL),
        ("nan", NULL),
        ('["A", null]', "truth_labels[1] is null; expected a label for each segment"),
        ("['A', None]", "truth_labels[1] is None; expected a label for each segment"),
        ("[0.5, nan]", "truth_labels[1] is nan; expected a label for each segment"),
        *(
            (text, f"truth_labels = {quote}{text}{quote} {FORM}")
            for quote, text in [
                ("'", "A,B"),
                ("'", "[A, B]"),
                ('"', "['A' 'B']"),
                ("'", '["A", "B"'),
                ("'", '["A", "B"]]'),
                ("'", '["A"] ["B"]'),
                ("'", '["A",, "B"]'),
                ("'", '["A", "B",]'),
                ('"', "['A', 'B\\']"),
                ("'", '["A", "\\ud83d"]'),
                ("'", '["A", "\\ude00"]'),
                ("'", '["A", "\\U00110000"]'),
                ("'", '["A", "\\u12"]'),
                ("'", '["A", "\\q"]'),
                ("'", '[["A"], "B"]'),
                ("'", '["A", ["B"]]'),
                ("'", '[[["A", "B"]]]'),
                ("'", '{"A": 1}'),
                ("'", "[1, inf]"),
                ("'", "[1, 2x]"),
                ("'", "[1, np.x(np.x(2))]"),
            ]
        ),
    ],
)
def test_texts_that_are_refused(text, message):
    table = pl.DataFrame({"truth": [[3]], "pred": [[3]], "n": [9], "a": [text]})
    with pytest.raises(ValueError, match=f"^row 0: {re.escape(message)}$"):
        ss.score(table, metrics=["rand_index"], truth_labels="a")


def test_a_text_of_brackets_does_not_use_the_stack_up():
    for text in ("[" * 10**6, "[" + "np.x(" * 10**6):
        table = pl.DataFrame({"truth": [[3]], "pred": [[3]], "n": [9], "a": [text]})
        with pytest.raises(ValueError, match="is not a list of labels"):
            ss.score(table, metrics=["rand_index"], truth_labels="a")
    table = pl.DataFrame({"truth": ["[" + "np.x(" * 10**6], "pred": [[3]], "n": [9]})
    with pytest.raises(ValueError, match="is not a list of integers"):
        ss.score(table, metrics=["rand_index"])


@given(st.lists(st.one_of(st.text(max_size=4), st.integers(-3, 3)), min_size=1, max_size=6))
@example(["\x00", "\u2028", "\ufeff", "'\"", "\\"])
def test_what_json_and_python_write_is_read_again(labels):
    assert is_read_as(json.dumps(labels), labels)
    assert is_read_as(json.dumps(labels, ensure_ascii=False), labels)
    assert is_read_as(repr(labels), labels)


@given(st.text(alphabet="[](),'\"\\ \nuxU0148dDAe+-.trfalsN", max_size=14).map(lambda inner: f"[{inner}]"))
def test_no_text_is_read_in_part(text):
    table = pl.DataFrame({"truth": [[3]], "pred": [[3]], "n": [9], "a": [text]})
    try:
        labels = json.loads(text)
    except ValueError:
        try:
            labels = ast.literal_eval(text)
        except (ValueError, SyntaxError, MemoryError):
            labels = None
    try:
        ss.score(table, metrics=["rand_index"], truth_labels="a")
    except ValueError:
        return
    if labels is None:  # what Python does not read: a mixture of JSON's and Python's words
        assert set(text) & set("0tf+")
    else:
        assert len(labels[0]) == 2 if isinstance(labels[0], list | tuple) else len(labels) == 2
