"""Cells of text: what libraries write for a list of cuts is read, or refused with a remedy; nothing is read in part."""

import io
import json
import re
from contextlib import suppress

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import segscore as ss
from segscore import _core
from segscore.tables.decoding import with_cuts
from segscore.tables.options import Options
from segscore.tables.states import SCORED, UNREADABLE, Notes

ONE = {
    "[3, 8]": [3, 8],
    "[]": [],
    " [ ] ": [],
    "[np.int64(135), 140]": [135, 140],
    "[np.int32(135), 140]": [135, 140],
    "[np.uint8(3)]": [3],
    "(np.int64(3),)": [3],
    "[np.float64(3.0)]": [3],
    "[3 8]": [3, 8],
    "[  3\n   8\r\n  12]": [3, 8, 12],
    "[3. 8.]": [3, 8],
    "[1.234567e+06 3.000000e+00]": [1234567, 3],
    "[1.2e+05 3.0e+00]": [120000, 3],
    "(3, 8)": [3, 8],
    "(3,)": [3],
    "()": [],
    "range(3, 6)": [3, 4, 5],
    "range(0, 10, 4)": [0, 4, 8],
    "range(5, 2)": [],
    "[3.0, 8.0]": [3, 8],
    "3,8": [3, 8],
    "3": [3],
    "3.000000000000000000e+00": [3],
    "array([3, 8])": [3, 8],
    "array([], dtype=int64)": [],
    "[-3]": [-3],
    "None": None,
    "nan": None,
    "NaN": None,
    "null": None,
    "<NA>": None,
    "": None,
    " ": None,
}
SEVERAL = {
    "[[3, 8], [4]]": [[3, 8], [4]],
    "[[]]": [[]],
    "[[3 8]\n [4 9]]": [[3, 8], [4, 9]],
    "[array([3, 8]), array([], dtype=int64), array([3.])]": [[3, 8], [], [3]],
    "[list([3, 8]) list([4])]": [[3, 8], [4]],
    "([3, 8], [4])": [[3, 8], [4]],
    "[(3, 8), range(3, 6)]": [[3, 8], [3, 4, 5]],
    "[[np.int64(3), 8], [4.0]]": [[3, 8], [4]],
}
LIST = "is not a list of integers, as in [3, 8]; write it again with .tolist()"
SHORT = 'was shortened when it was written (numpy prints "..." above 1000 values); write it again with .tolist()'
SET = "is a set, which has no order; write it again with sorted()"
DIGITS = "which may have lost digits when it was written; write it again with .astype(int).tolist()"
NOTHING = "holds {}; expected integers, and [] for no cuts"
REFUSED = {
    "[   0    1    2 ... 1997 1998 1999]": ("'[ 0 1 2 ... 1997 1998 1999]'", SHORT),
    "[0, 1, ..., 9]": ("'[0, 1, ..., 9]'", SHORT),
    "[[0 1 ... 9]\n [0 1 ... 9]]": ("'[[0 1 ... 9] [0 1 ... 9]]'", SHORT),
    "{8, 3}": ("'{8, 3}'", SET),
    "set()": ("'set()'", SET),
    "frozenset({8, 3})": ("'frozenset({8, 3})'", SET),
    "[1.23457e+06 3.00000e+00]": ("'[1.23457e+06 3.00000e+00]'", f"holds 1.23457e+06, {DIGITS}"),
    "[1.e+06 3.e+00]": ("'[1.e+06 3.e+00]'", f"holds 1.e+06, {DIGITS}"),
    "[1.23456789e+10 3.00000000e+00]": ("'[1.23456789e+10 3.00000000e+00]'", f"holds 1.23456789e+10, {DIGITS}"),
    "[1e+22]": ("'[1e+22]'", f"holds 1e+22, {DIGITS}"),
    "[3.5, 8]": ("'[3.5, 8]'", "holds 3.5, which is not a whole number; expected integers, as in [3, 8]"),
    "Index([3, 8], dtype='int64')": ("\"Index([3, 8], dtype='int64')\"", LIST),
    "array('q', [3, 8])": ("\"array('q', [3, 8])\"", LIST),
    "0    3\n1    8\ndtype: int64": ("'0 3 1 8 dtype: int64'", LIST),
    "{'a': 3}": ("\"{'a': 3}\"", LIST),
    "[[3], nan]": ("'[[3], nan]'", NOTHING.format("nan")),
    "[3, None]": ("'[3, None]'", NOTHING.format("None")),
    **{
        text: (f"'{text}'", LIST)
        for text in ("[3, 8", "3, 8]", "[3,,8]", "[3, 8,]", "[3 8, 9]", "[[3], 4]", "[3, [4]]", "[[[3]]]", "[True]", "3 8")
    },
    **{text: (f"'{text}'", LIST) for text in ("3;8", "[3, x]", "x", "[3] 4", "[0x10]", "[1_000]", "[3..]", "[٣]", "[[3][4]]")},
    **{text: (f"'{text}'", LIST) for text in ("range(3)", "range(3, 6, 0)", "range(9007199254740992, 9007199254740993)")},
    "['3']": ("\"['3']\"", LIST),
    "[3, 8" + " 9" * 100: ("'[3, 8" + " 9" * 27 + " (and more)'", LIST),
}  # fmt: skip


@pytest.mark.parametrize(("text", "cuts"), [*ONE.items(), *SEVERAL.items()])
def test_texts_that_are_read(text, cuts):
    assert _core.read_text(text, "pred") == cuts


@pytest.mark.parametrize(("text", "shown", "reason"), [(text, *said) for text, said in REFUSED.items()])
def test_texts_that_are_refused(text, shown, reason):
    with pytest.raises(ValueError, match=f"^{re.escape(f'pred = {shown} {reason}')}$"):
        _core.read_text(text, "pred")


def written(values, **kinds):
    """Return the cells that pandas writes for values in a CSV file."""
    text = pd.DataFrame({"pred": pd.Series(values, dtype=object)}).to_csv(**kinds)
    return pd.read_csv(io.StringIO(text), keep_default_na=False)["pred"].tolist()


CUTS = st.lists(st.integers(1, 10**7), unique=True, max_size=60).map(sorted)


@given(CUTS)
def test_what_libraries_write_is_read_again(cuts):
    forms = [cuts, np.array(cuts, dtype=int), tuple(cuts), [np.int64(cut) for cut in cuts], list(map(float, cuts))]
    for text in written(forms):
        assert _core.read_text(text, "pred") == cuts
    assert _core.read_text(json.dumps(cuts), "pred") == cuts
    if cuts:
        joined = pl.DataFrame({"x": [cuts]}).select(pl.col("x").cast(pl.List(pl.String)).list.join(","))
        assert _core.read_text(joined.item(), "pred") == cuts
    (text,) = written([np.array(cuts, dtype=float)])  # exact, or refused
    with suppress(ValueError):
        assert _core.read_text(text, "pred") == cuts
        return
    assert max(cuts) >= 10**6


@given(st.text("[](),. 0123456789enp-\n", max_size=12))
def test_no_text_is_read_in_part(text):
    try:
        found = _core.read_text(text, "pred")
    except ValueError:
        return
    numbers = [float(x) for x in re.findall(r"-?\d+\.?\d*(?:e[+-]?\d+)?|-?\.\d+", re.sub(r"np\.\w*", "", text))]
    flat = [] if found is None else [x for item in found for x in (item if isinstance(item, list) else [item])]
    assert flat == numbers


def table(**columns):
    rows = max(len(values) for values in columns.values())
    return pl.DataFrame({"truth": ["[3, 8]"] * rows, "n": [20] * rows, **columns})


def scored(table):
    found = ss.score(table, metrics=["rand_index"])
    return found.collect() if isinstance(found, pl.LazyFrame) else found


NAMES = ["rand_index", "f1(margin=1)"]
KINDS = {"DataFrame": lambda t: t, "LazyFrame": lambda t: t.lazy(), "pandas": lambda t: t.to_pandas()}
KINDS |= {"pyarrow": lambda t: t.to_arrow(), "large": lambda t: t.to_arrow(compat_level=pl.CompatLevel.oldest())}


@pytest.mark.parametrize("kind", KINDS)
def test_tables_of_text_have_the_scores_of_tables_of_lists(kind):
    given = {text: cuts for text, cuts in ONE.items() if cuts and min(cuts) >= 0 and max(cuts) < 20}
    texts = [*given, "[]", None, "[3, 8, 12, 13, 14, 15, 16]"]
    lists = [*given.values(), [], None, [3, 8, 12, 13, 14, 15, 16]]
    wanted = ss.score(pl.DataFrame({"truth": [[3, 8]] * len(lists), "pred": lists, "n": 20}), metrics=NAMES)
    found = ss.score(KINDS[kind](table(pred=texts)), metrics=NAMES)
    found = found.collect() if isinstance(found, pl.LazyFrame) else pl.DataFrame(found)
    assert found.select(pl.col(NAMES).fill_nan(None)).rows() == wanted.select(NAMES).rows()
    assert found["pred"].to_list() == texts


@pytest.mark.parametrize("kind", KINDS)
def test_annotators_as_text(kind):
    texts = [*SEVERAL, "[3, 8]"]
    lists = [*SEVERAL.values(), [[3, 8]]]
    wanted = ss.score(pl.DataFrame({"truth": lists, "pred": [[4]] * len(lists), "n": 20}), metrics=["rand_index"])
    found = ss.score(KINDS[kind](table(truth=texts, pred=["[4]"] * len(texts))), metrics=["rand_index"])
    found = found.collect() if isinstance(found, pl.LazyFrame) else pl.DataFrame(found)
    assert found["rand_index"].to_list() == wanted["rand_index"].to_list()
    # Beside lists of lists, [] may be a list without annotators, so it is not read as an annotator without cuts.
    nobody = table(truth=["[[3], [4]]", "[]"], pred=["[4]", "[4]"])
    with pytest.raises(
        ValueError, match=r"^row 1: truth is an empty list of annotators; expected at least one, or null"
    ):
        scored(KINDS[kind](nobody))
    several = table(pred=["[[4], [5]]"])
    with pytest.raises(
        ValueError, match=r"^row 0: pred is a list of lists; expected one list \(only the truth may have several\)$"
    ):
        ss.score(several, metrics=["rand_index"])


def test_times_as_text():
    texts, times = ["[1.5, 2.25]", "[1.5 2.25]", "(3,)"], [[1.5, 2.25], [1.5, 2.25], [3.0]]
    found = ss.score(pl.DataFrame({"truth": ["[2.0]"] * 3, "pred": texts}), duration=5, metrics=["rand_index"])
    lists = pl.DataFrame({"truth": [[2.0]] * 3, "pred": times})
    assert found["rand_index"].equals(ss.score(lists, duration=5, metrics=["rand_index"])["rand_index"])
    rounded = pl.DataFrame({"truth": ["[2.0]"], "pred": ["[1.12345678 2.        ]"]})
    with pytest.raises(ValueError, match=(
        r"^row 0: pred = '\[1.12345678 2. \]' holds times that NumPy may have rounded to 8 decimals; write it again with "
        r".tolist\(\)$"
    )):  # fmt: skip
        ss.score(rounded, duration=5, metrics=["rand_index"])


def test_empty_texts_are_no_answer_with_a_warning():
    message = (
        r"^column 'pred' has empty texts, which are read as no answer; list.join of Polars writes \[\] as an empty text "
        r"too; expected '\[\]' for no cuts$"
    )
    given = table(pred=["[4]", "", None])
    for kind in (given, given.to_pandas(), given.to_arrow()):
        with pytest.warns(UserWarning, match=message):
            found = pl.DataFrame(ss.score(kind, metrics=["rand_index"], on_error="null"))
        assert found["status"].to_list() == ["ok", "error", "error"]
        assert found["rand_index"].fill_nan(None).null_count() == 2
    with pytest.warns(UserWarning, match=message):
        ss.score(given.lazy(), metrics=["rand_index"]).collect()


MIXED = {
    "truth": [[3, 8], [3, 8], [3, 8], [8, 3], None, [3, 8], [3, 8]],
    "pred": ["[4]", "[0 1 ... 9]", "[8, 3]", "[9, 2]", "[4]", None, "[50]"],
    "n": [20] * 7,
}
WANTED = {
    "status": ["ok", "unreadable", "invalid", "unreadable", "unreadable", "error", "invalid"],
    "error": [
        None,
        f"pred = '[0 1 ... 9]' {SHORT}",
        "pred[1] = 3 does not exceed pred[0] = 8; cuts must strictly increase (sort them first)",
        "truth[1] = 3 does not exceed truth[0] = 8; cuts must strictly increase (sort them first)",
        "the truth or the length is null; expected both",
        None,
        "pred[0] = 50 is outside 0 < cut < n = 20",
    ],
}


@pytest.mark.parametrize("kind", KINDS)
def test_what_became_of_each_row(kind):
    given = KINDS[kind](pl.DataFrame(MIXED))
    any_row = "|".join(f"row {k}: {re.escape(x)}" for k, x in enumerate(WANTED["error"]) if x)
    first = any_row if kind == "LazyFrame" else f"row 1: {re.escape(WANTED['error'][1])}"
    with pytest.raises(ValueError, match=f"^({first})$"):
        scored(given)
    if kind == "LazyFrame":  # the number of rows is known when all batches are scored
        found = ss.score(given, metrics=["rand_index"], on_error="null").collect()
    else:
        note = f"3 of 7 rows cannot be read and are left out; the first is row 1: {WANTED['error'][1]}"
        with pytest.warns(UserWarning, match=f"^{re.escape(note)}$"):
            found = pl.DataFrame(ss.score(given, metrics=["rand_index"], on_error="null"))
    assert found.select("status", "error").to_dict(as_series=False) == WANTED
    assert found.columns == ["truth", "pred", "n", "rand_index", "status", "error"]


@pytest.mark.parametrize("kind", ["DataFrame", "LazyFrame", "pandas", "pyarrow"])
def test_the_status_of_a_runner_is_kept(kind):
    runs = {"truth": ["[3]"] * 4, "pred": ["[3]", None, "[9, 2]", None], "n": [20] * 4}
    runs |= {"status": ["ok", "timeout", "ok", None], "error": [None, "after 60 s", None, None], "seconds": [1.0] * 4}
    found = ss.score(KINDS[kind](pl.DataFrame(runs)), metrics=["rand_index"], on_error="null")
    found = found.collect() if isinstance(found, pl.LazyFrame) else pl.DataFrame(found)
    assert found["status"].to_list() == ["ok", "timeout", "invalid", "error"]
    assert found["error"].to_list()[:2] == [None, "after 60 s"]
    assert found["error"][2].startswith("pred[1] = 2 does not exceed")
    assert found.columns == ["truth", "pred", "n", "status", "error", "seconds", "rand_index"]


def test_the_first_unreadable_row_is_named_whatever_batch_comes_first():
    notes = Notes(Options(metrics=["rand_index"]))
    for rows in ([7, 8], [2, 5], [9, 11]):
        states = np.array([SCORED, UNREADABLE], dtype=np.uint8)
        notes.add(states, {1: f"problem of row {rows[1]}"}, {}, np.array(rows))
    assert (notes.rows, notes.unreadable, notes.first) == (6, 3, (5, "problem of row 5"))
    assert notes.refused == notes.first


def test_the_truth_of_a_row_is_named_before_its_prediction():
    table = pl.DataFrame({"truth": ["[3]", "{4}"], "pred": ["[3]", "[a]"]})
    message = "row 1: truth = '{4}' is a set, which has no order; write it again with sorted()"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        with_cuts(table)
    assert with_cuts(table, "null")["error"].to_list() == [None, message.removeprefix("row 1: ")]


def test_an_empty_list_among_lists_of_annotators_is_no_annotator():
    found = with_cuts(pl.DataFrame({"truth": ["[[3], []]", "[]", "[4]", None]}))["truth"].to_list()
    assert found == [[[3], []], [], [[4]], None]


@pytest.mark.parametrize(("kind", "largest"), [(pl.Float32, 2**24), (pl.Float64, 2**53)])
def test_real_numbers_that_may_be_rounded_are_no_cuts(kind, largest):
    table = pl.DataFrame({"pred": [[3.0, largest - 1.0], [3.0, float(largest)], [2.5]]}, schema={"pred": pl.List(kind)})
    assert with_cuts(table)["pred"].to_list() == [[3, largest - 1], [3, None], [None]]
