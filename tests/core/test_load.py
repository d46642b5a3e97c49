"""The gate: every kind of input gives the same number, and bad input never gives one."""

import array
import gc
import itertools
import re
import subprocess
import sys
import threading
import tracemalloc

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import segscore as ss

TRUTH, PRED, N = [3, 8, 100, 120], [4, 8, 101], 127
VALUE = ss.rand_index(TRUTH, PRED, n=N)
WIDTHS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]


class Indexable:
    def __init__(self, value):
        self.value = value

    def __index__(self):
        return self.value


KINDS = {
    "list": list,
    "tuple": tuple,
    "generator": lambda cuts: (c for c in cuts),
    "iterator": iter,
    "map": lambda cuts: map(int, cuts),
    "list of numpy integers": lambda cuts: [np.int32(c) for c in cuts],
    "list of __index__": lambda cuts: [Indexable(c) for c in cuts],
    "list subclass": lambda cuts: type("Mine", (list,), {})(cuts),
    "deque": lambda cuts: __import__("collections").deque(cuts),
    "dict keys": lambda cuts: dict.fromkeys(cuts).keys(),
    "memoryview": lambda cuts: memoryview(array.array("q", cuts)),
    "memoryview, every second": lambda cuts: memoryview(array.array("i", [x for c in cuts for x in (c, 0)]))[::2],
    "object array": lambda cuts: np.array(cuts, dtype=object),
    "pandas": pd.Series,
    "pandas with index": lambda cuts: pd.Series(cuts, index=list("abcdefgh")[: len(cuts)]),
    "pandas nullable": lambda cuts: pd.Series(cuts, dtype="Int64"),
    "pandas arrow": lambda cuts: pd.Series(cuts, dtype="int64[pyarrow]"),
    "pandas index": pd.Index,
    "polars": pl.Series,
    "polars narrow": lambda cuts: pl.Series(cuts, dtype=pl.UInt8),
    "arrow": pa.array,
    "arrow chunked": lambda cuts: pa.chunked_array([cuts[:1], cuts[1:]]),
    "Segmentation": lambda cuts: ss.Segmentation(cuts, n=N),
    **{f"array {code}": lambda cuts, code=code: array.array(code, cuts) for code in "bBhHiIlLqQ"},
    **{f"numpy {width}": lambda cuts, width=width: np.array(cuts, dtype=width) for width in WIDTHS},
    **{f"numpy {w}, big-endian": lambda cuts, w=w: np.array(cuts, dtype=np.dtype(w).newbyteorder(">")) for w in WIDTHS},
    **{f"numpy {w}, strided": lambda cuts, w=w: np.repeat(np.array(cuts, dtype=w), 3)[::3] for w in WIDTHS},
    "numpy backwards": lambda cuts: np.array(cuts[::-1])[::-1],
    "numpy column": lambda cuts: np.array([cuts, cuts]).T[:, 1],
    "numpy unaligned": lambda cuts: np.frombuffer(b"x" + np.array(cuts, dtype="int64").tobytes(), "int64", offset=1),
    "numpy read-only": lambda cuts: np.frombuffer(np.array(cuts, dtype="int64").tobytes(), "int64"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_input_gives_the_same_number(kind):
    make = KINDS[kind]
    assert ss.rand_index(make(TRUTH), make(PRED), n=N) == VALUE
    assert ss.rand_index(make(TRUTH), PRED, n=N) == VALUE
    assert ss.rand_index(TRUTH, make(PRED), n=np.int64(N)) == VALUE
    assert ss.adjusted_rand_index(make(TRUTH), make(PRED), n=N) == ss.adjusted_rand_index(TRUTH, PRED, n=N)
    if kind != "Segmentation":
        ends = [ss.Segmentation.from_ends(make([*cuts, N])) for cuts in (TRUTH, PRED)]
        assert ss.rand_index(*ends) == ss.rand_index(ends[0], make([*PRED, N])) == VALUE
    else:
        assert ss.rand_index(make(TRUTH), make(PRED)) == ss.rand_index(make(TRUTH), PRED) == VALUE


@pytest.mark.parametrize("kind", ["list", "tuple", "generator", "range", "numpy", "float32", "ints", "pandas", "arrow"])
def test_every_kind_of_input_in_continuous_time(kind):
    make = {
        "list": list,
        "tuple": tuple,
        "generator": iter,
        "range": lambda cuts: range(2, 9, 2),
        "numpy": np.array,
        "float32": lambda cuts: np.array(cuts, dtype="float32"),
        "ints": lambda cuts: np.array(cuts, dtype="int16"),
        "pandas": pd.Series,
        "arrow": pa.array,
    }[kind]
    cuts = [2.0, 4.0, 6.0, 8.0]
    assert ss.rand_index(make(cuts), [3.0], duration=10) == ss.rand_index(cuts, [3.0], duration=10.0)


def test_ranges():
    assert ss.rand_index(range(2, 10, 2), range(3, 10, 3), n=10) == ss.rand_index([2, 4, 6, 8], [3, 6, 9], n=10)


@pytest.mark.parametrize(
    "empty", [[], (), np.array([]), np.array([], dtype=bool), pd.Series([], dtype=float), iter(())]
)
def test_empty_input_of_any_type_is_one_segment(empty):
    assert ss.rand_index(empty, [5], n=10) == ss.rand_index([], [5], n=10)


@given(st.lists(st.integers(1, 5000), unique=True).map(sorted), st.sampled_from(sorted(KINDS)), st.data())
def test_long_inputs_of_any_kind(cuts, kind, data):
    # Longer than the gate's buffer, so that blocks of both sides do not line up.
    if any(narrow in kind for narrow in ("8", "array b", "array B", "narrow", "index", "Segmentation")):
        return
    other = data.draw(st.lists(st.integers(1, 5000), unique=True).map(sorted)) + list(range(5001, 7000, 3))
    cuts = cuts + list(range(5001, 7000, 2))
    assert ss.pair_counts(KINDS[kind](cuts), other, n=7001) == ss.pair_counts(cuts, tuple(other), n=7001)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs Linux's limit on private memory")
@pytest.mark.parametrize("dtype", ["int64", "int32", ">u4"])
def test_memory_mapped_files_are_not_copied(tmp_path, dtype):
    # The process may take 2 MB more than it has; a copy of either file would be 4 MB or more.
    r = 1_000_000
    for k in range(2):
        file = np.memmap(tmp_path / str(k), dtype=dtype, mode="w+", shape=r)
        file[:] = np.arange(1, r + 1) * (2 + k)
        file.flush()
    code = f"""
import resource, numpy as np, segscore as ss
truth, pred = (np.memmap(rf"{tmp_path}/{{k}}", dtype="{dtype}", mode="r") for k in range(2))
ss.rand_index(truth[:5000], pred[:5000], n=10**7)
own = next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmData"))
resource.setrlimit(resource.RLIMIT_DATA, (own * 1024 + 2 * 2**20,) * 2)
print(ss.rand_index(truth, pred, n=10**7))
try:
    bytearray(4 * 2**20)
except MemoryError:
    print("limited")
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    expected = ss.rand_index(range(2, 2 * r + 1, 2), range(3, 3 * r + 1, 3), n=10**7)
    assert run.stdout.split() == [str(expected), "limited"]


def test_iterators_are_consumed_lazily():
    read = []

    def cuts(step):
        for k in itertools.count(1):
            read.append(k)
            yield step * k

    with pytest.raises(ValueError, match=r"truth\[\d+\] = \d+ is outside 0 < cut < n = 1000"):
        ss.rand_index(cuts(7), cuts(9), n=1000)
    assert len(read) < 2000

    tracemalloc.start()
    ss.rand_index((3 * k for k in range(1, 200_000)), (5 * k for k in range(1, 100_000)), n=10**6)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 50_000


def test_an_iterator_that_raises_raises_its_own_error_and_leaks_nothing():
    class Odd(Exception):
        pass

    def cuts():
        yield 3
        raise Odd("midway")

    with pytest.raises(Odd, match="midway"):
        ss.rand_index(cuts(), [4], n=10)
    item = 10**12
    before = sys.getrefcount(item)
    for _ in range(100):
        with pytest.raises(Odd):
            ss.rand_index([item], cuts(), n=10**13)
        with pytest.raises(ValueError, match="outside"):
            ss.rand_index([item, item], [], n=5)
    gc.collect()
    assert sys.getrefcount(item) == before


def test_buffers_are_given_back():
    data = array.array("q", [3, 8])
    for bad in ([9, 3], [1.5], ["x"]):
        with pytest.raises((ValueError, TypeError)):
            ss.rand_index(data, bad, n=10)
    wide = bytearray(16)
    with pytest.raises(TypeError):
        ss.rand_index(memoryview(wide).cast("d"), [], n=10)
    data.append(9)  # would raise BufferError if a view were still held
    wide.append(1)


def test_a_list_that_changes_while_it_is_read_is_refused():
    cuts = []

    class Shrink:
        def __index__(self):
            cuts.clear()
            return 3

    cuts.extend([Shrink(), 5, 7])
    with pytest.raises(ValueError, match="truth changed while it was read; expected input that does not change"):
        ss.rand_index(cuts, [3], n=10)
    pred = [1, 2, 3]

    class ShrinkPred:
        def __index__(self):
            pred.clear()
            return 3

    with pytest.raises(ValueError, match="pred changed while it was read; expected input that does not change"):
        ss.rand_index([1, ShrinkPred()], pred, n=10)


@pytest.mark.parametrize(
    "call",
    [
        "ss.rand_index(itertools.count(1), itertools.count(1), n=2**62)",
        "ss.adjusted_mutual_information([2**60], [2**61 + 5], n=2**62)",
        "ss.compare([2**60], [2**61 + 5], n=2**62, metrics=['adjusted_mutual_information'])",
        "ss.generalized_hamming(range(1, 60_000, 2), range(2, 60_000, 2), n=10**5, insertion=1e9)",
        "ss.window_diff_curve(range(1, 10**5, 3), range(2, 10**5, 3), n=10**5, k=range(2, 10**5))",
    ],
)
def test_what_takes_for_ever_can_be_stopped(call):
    code = f"""
import itertools, signal, segscore as ss
signal.setitimer(signal.ITIMER_REAL, 0.2)
signal.signal(signal.SIGALRM, signal.default_int_handler)
try:
    {call}
except KeyboardInterrupt:
    print("stopped")
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert run.stdout == "stopped\n"


def test_every_step_of_nonsense_ends():
    truth = np.full(2000, -(2**63), dtype=np.int64)
    truth[0], truth[-1] = 0, 1
    pred = np.zeros(100, dtype=np.int64)
    pred[-1] = 1
    with pytest.raises(ValueError, match=r"truth\[1\] = -9223372036854775808 is outside 0 < cut < n = 2"):
        ss.rand_index(truth, pred, n=2)


def test_iterators_may_end_with_the_largest_length():
    n = 2**63 - 1
    assert ss.pair_counts(iter([5, n]), iter([7, n]), n=n) == ss.pair_counts([5], [7], n=n)
    assert ss.Segmentation.from_ends(iter([5, n])) == ss.Segmentation([5], n=n)


def test_threads_share_arrays():
    truth, pred = np.arange(1, 200_000, 2), np.arange(1, 200_000, 3)
    expected = ss.rand_index(truth, pred, n=200_000)
    results = []
    threads = [
        threading.Thread(target=lambda: results.extend(ss.rand_index(truth, pred, n=200_000) for _ in range(20)))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [expected] * 80


# ---- bad input: every message, word for word ----

LONG = np.arange(1, 5001)
BAD_ORDER = LONG.copy()
BAD_ORDER[2500] = 7
VERY_NEGATIVE = LONG.copy()
VERY_NEGATIVE[2500] = -(2**63)
SORT = "cuts must strictly increase (sort them first)"

VALUE_ERRORS = [
    ([100, 200, 400, 350], [], {"n": 500}, f"truth[3] = 350 does not exceed truth[2] = 400; {SORT}"),
    ([], [3, 3], {"n": 5}, "pred[1] = 3 does not exceed pred[0] = 3; cuts must strictly increase (drop the repeat)"),
    ([0, 0], [], {"n": 5}, "truth[1] = 0 does not exceed truth[0] = 0; cuts must strictly increase (drop the repeat)"),
    ([], [5, 10, 20, 900], {"n": 800}, "pred[3] = 900 is outside 0 < cut < n = 800"),
    ([-1], [], {"n": 8}, "truth[0] = -1 is outside 0 < cut < n = 8"),
    ([4, -1], [], {"n": 8}, "truth[1] = -1 is outside 0 < cut < n = 8"),
    ([3, 8, 5], [], {"n": 8}, f"truth[2] = 5 does not exceed truth[1] = 8; {SORT}"),
    ([3, 8, 12], [], {"n": 8}, "truth[2] = 12 is outside 0 < cut < n = 8"),
    ([2**70], [], {"n": 8}, "truth[0] = 1180591620717411303424 is outside 0 < cut < 2**63"),
    ([-(2**70)], [], {"n": 8}, "truth[0] = -1180591620717411303424 is outside 0 < cut < 2**63"),
    (np.array([2**63], "uint64"), [], {"n": 8}, "truth[0] = 9223372036854775808 is outside 0 < cut < 2**63"),
    (np.array([2**63], ">u8"), [], {"n": 8}, "truth[0] = 9223372036854775808 is outside 0 < cut < 2**63"),
    (
        [1, 4, 11],
        [],
        {"n": 10},
        "truth[2] = 11 is outside 0 < cut < n = 10; cuts that end with n + 1 look like 1-based starts "
        "(use Segmentation.from_starts(..., one_based=True))",
    ),
    (BAD_ORDER, LONG, {"n": 6000}, f"truth[2500] = 7 does not exceed truth[2499] = 2500; {SORT}"),
    (LONG, BAD_ORDER, {"n": 6000}, f"pred[2500] = 7 does not exceed pred[2499] = 2500; {SORT}"),
    (LONG.tolist(), BAD_ORDER.tolist(), {"n": 6000}, f"pred[2500] = 7 does not exceed pred[2499] = 2500; {SORT}"),
    (LONG[:3], BAD_ORDER, {"n": 6000}, f"pred[2500] = 7 does not exceed pred[2499] = 2500; {SORT}"),
    (VERY_NEGATIVE, LONG, {"n": 6000}, f"truth[2500] = {-(2**63)} is outside 0 < cut < n = 6000"),
    (LONG, VERY_NEGATIVE, {"n": 6000}, f"pred[2500] = {-(2**63)} is outside 0 < cut < n = 6000"),
    ([], VERY_NEGATIVE, {"n": 6000}, f"pred[2500] = {-(2**63)} is outside 0 < cut < n = 6000"),
    ([1, -(2**63), 5], [0, 1, 0, 5], {"n": 8}, f"truth[1] = {-(2**63)} is outside 0 < cut < n = 8"),
    (
        np.array([[3, 8]]),
        [],
        {"n": 8},
        "truth has 2 dimensions; expected 1 (cuts are a flat sequence; for (start, end) pairs use Segmentation.from_intervals)",
    ),
    (np.array(3), [], {"n": 8}, "truth has 0 dimensions; expected 1 (cuts are a flat sequence)"),
    ([], [], {"n": -1}, "n = -1 is negative; expected 0 <= n < 2**63"),
    ([], [], {"n": -(2**80)}, "n = -1208925819614629174706176 is negative; expected 0 <= n < 2**63"),
    ([], [], {"n": 2**63}, "n = 9223372036854775808 is too large; expected 0 <= n < 2**63"),
    (
        ss.Segmentation([3], n=10),
        ss.Segmentation([3], n=11),
        {},
        "pred has n = 11 but truth has n = 10; both sides must have one length",
    ),
    (
        ss.Segmentation([3], n=10),
        [3],
        {"n": 9},
        "truth has n = 10 but n = 9 was passed; both sides must have one length",
    ),
    ([1.0], [], {"duration": 1e100}, "duration = 1e+100 is out of range; expected 1e-60 to 1e60 (use another unit)"),
    ([10**5000], [], {"n": 8}, "truth[0] = <int> is outside 0 < cut < 2**63"),
    (
        [1.0],
        [],
        {"duration": 0},
        "duration = 0.0 is not positive and finite; expected the length of the recording",
    ),
    (
        [1.0],
        [],
        {"duration": float("nan")},
        "duration = nan is not positive and finite; expected the length of the recording",
    ),
    (
        [1.0],
        [],
        {"duration": float("inf")},
        "duration = inf is not positive and finite; expected the length of the recording",
    ),
    ([1.0, float("nan")], [], {"duration": 5}, "truth[1] = nan is not a number; cuts must be finite (drop it first)"),
    (
        [],
        [1.0, float("nan"), 3.0],
        {"duration": 5},
        "pred[1] = nan is not a number; cuts must be finite (drop it first)",
    ),
    (
        [float("nan"), 2.0],
        [1.0, 3.0],
        {"duration": 5},
        "truth[0] = nan is not a number; cuts must be finite (drop it first)",
    ),
    ([1.0, float("inf")], [], {"duration": 5}, "truth[1] = inf is outside 0 < cut < duration = 5.0"),
    ([1.0, 6.5], [], {"duration": 5}, "truth[1] = 6.5 is outside 0 < cut < duration = 5.0"),
    ([-0.5], [], {"duration": 5}, "truth[0] = -0.5 is outside 0 < cut < duration = 5.0"),
    ([3.0, 2.5], [], {"duration": 5}, f"truth[1] = 2.5 does not exceed truth[0] = 3.0; {SORT}"),
]

INTEGERS = "cuts must be integers"
LABELS = "(for one label per point use Segmentation.from_labels)"
TYPE_ERRORS = [
    ([3.0], [], {"n": 8}, f"truth[0] = 3.0 is a float; {INTEGERS} (use int(), or duration= for real-valued time)"),
    (
        [1, float("nan")],
        [],
        {"n": 8},
        f"truth[1] = nan is a float; {INTEGERS} (use int(), or duration= for real-valued time)",
    ),
    (
        [3.0, 8.0],
        [4.0, 8.0],
        {"n": 10},
        f"truth[0] = 3.0 is a float; {INTEGERS} (use int(), or duration= for real-valued time)",
    ),
    ([np.float64(3)], [], {"n": 8}, None),
    ([1, True], [], {"n": 8}, f"truth[1] = True is a bool; {INTEGERS} (for a mask use Segmentation.from_mask)"),
    ([np.bool_(True)], [], {"n": 8}, None),
    ([1, "3"], [], {"n": 8}, f"truth[1] = '3' is a str; {INTEGERS}"),
    ([None], [], {"n": 8}, f"truth[0] = None is a NoneType; {INTEGERS}"),
    ([[3]], [], {"n": 8}, f"truth[0] = [3] is a list; {INTEGERS} (for several annotators use segscore.annotated)"),
    (None, [], {"n": 8}, "truth is None; expected a sequence of cuts"),
    ([], 5, {"n": 8}, "pred is an int; expected a sequence of cuts"),
    (
        "38",
        [],
        {"n": 9},
        "truth is a str; expected a sequence of cuts (for a string of labels use Segmentation.from_labels, of marks "
        "Segmentation.from_mask)",
    ),
    (
        b"38",
        [],
        {"n": 9},
        "truth is a bytes; expected a sequence of cuts (for a string of labels use Segmentation.from_labels, of marks "
        "Segmentation.from_mask)",
    ),
    ({3, 8}, [], {"n": 9}, "truth is a set; expected a sequence of cuts (use sorted())"),
    (
        {3: 8},
        [],
        {"n": 9},
        "truth is a dict; expected a sequence of cuts (for several annotators use segscore.annotated)",
    ),
    (
        np.array([3.0, 8.0]),
        [],
        {"n": 9},
        f"truth holds float64; {INTEGERS} (use .astype(int), or duration= for real-valued time)",
    ),
    (np.array([3.0, np.nan]), [], {"n": 9}, f"truth[1] is nan or missing; {INTEGERS} (drop it first)"),
    (pl.Series([3, None]), [], {"n": 9}, f"truth[1] is nan or missing; {INTEGERS} (drop it first)"),
    (pa.array([3, None]), [], {"n": 9}, f"truth[1] is nan or missing; {INTEGERS} (drop it first)"),
    (pd.Series([3, None]), [], {"n": 9}, f"truth[1] is nan or missing; {INTEGERS} (drop it first)"),
    (pd.Series([3, None], dtype="Int64"), [], {"n": 9}, None),
    (np.array([True, False]), [], {"n": 9}, f"truth holds bool; {INTEGERS} (for a mask use Segmentation.from_mask)"),
    (np.array(["a"]), [], {"n": 9}, f"truth holds <U1; {INTEGERS} {LABELS}"),
    (np.array([3j]), [], {"n": 9}, f"truth holds complex128; {INTEGERS}"),
    (np.array(["2020-01-01"], dtype="M8[D]"), [], {"n": 9}, None),
    (memoryview(array.array("d", [3.0])), [], {"n": 9}, None),
    (
        np.ma.array([3, 5, 8], mask=[0, 1, 0]),
        [],
        {"n": 9},
        "truth is a MaskedArray; expected cuts without gaps (use .compressed())",
    ),
    (["€" * 100], [], {"n": 9}, f"truth[0] = '{'€' * 18}... is a str; {INTEGERS} {LABELS}"),
    (
        np.array([3], dtype="float16"),
        [],
        {"duration": 9},
        "truth holds float16; cuts must be real numbers of 4 or 8 bytes (use .astype(float))",
    ),
    ([], [], {"n": 8.0}, "n = 8.0 is a float; expected an integer"),
    ([], [], {"n": True}, "n = True is a bool; expected an integer"),
    ([], [], {"n": "8"}, "n = '8' is a str; expected an integer"),
    ([], [], {"n": 8, "duration": 8.0}, "n= and duration= exclude each other; expected one of them"),
    ([], [], {"duration": "8"}, "duration = '8' is a str; expected a number"),
    ([], [], {"duration": True}, "duration = True is a bool; expected a number"),
    (
        [True],
        [],
        {"duration": 8},
        "truth[0] = True is a bool; cuts must be real numbers (for a mask use Segmentation.from_mask)",
    ),
    (["a"], [], {"duration": 8}, f"truth[0] = 'a' is a str; cuts must be real numbers {LABELS}"),
    (np.array([1j]), [], {"duration": 8}, "truth holds complex128; cuts must be real numbers"),
    (
        ss.Segmentation([3], n=9),
        [],
        {"duration": 8},
        "truth is a Segmentation in points; in time expected a sequence of times, or Segmentation(..., duration=)",
    ),
]
SCORES = [getattr(ss, name) for name in ss.pairs.__all__ if name != "PairCounts"]


def fresh(cuts):
    """A test's iterators are used once per score: make them anew."""
    return iter(list(cuts.__reduce__()[1][0])) if type(cuts).__name__ == "list_iterator" else cuts


@pytest.mark.parametrize(("truth", "pred", "given", "message"), VALUE_ERRORS)
def test_bad_values(truth, pred, given, message):
    for score in SCORES:
        with pytest.raises(ValueError) as raised:  # noqa: PT011
            score(fresh(truth), fresh(pred), **given)
        assert str(raised.value) == message


@pytest.mark.parametrize(("truth", "pred", "given", "message"), TYPE_ERRORS)
def test_bad_types(truth, pred, given, message):
    for score in SCORES:
        with pytest.raises(TypeError) as raised:
            score(truth, pred, **given)
        shown = str(raised.value)
        assert (
            shown == message
            if message
            else re.match(
                r"truth(\[\d\])?( = .* is an? \w+| holds \w+| is nan or missing); cuts must be integers", shown
            )
        )


@given(
    st.lists(st.integers(-(2**63), 2**63 - 1) | st.integers(-3, 12), max_size=6),
    st.lists(st.integers(-3, 12), max_size=6),
    st.integers(0, 12),
)
def test_what_is_not_a_segmentation_never_gives_a_number(truth, pred, n):
    def valid(cuts):
        return all(a < b for a, b in itertools.pairwise(cuts)) and all(0 <= c <= n for c in cuts)

    for make in (list, np.array, iter):
        try:
            ss.rand_index(make(truth), make(pred), n=n)
        except ValueError:
            assert not (valid(truth) and valid(pred))
        else:
            assert valid(truth) and valid(pred)


def test_one_iterator_is_not_two():
    cuts = iter([1, 2, 3])
    for length in ({"n": 10}, {"duration": 10.0}, {}):
        for score in SCORES:
            with pytest.raises(TypeError, match="truth and pred are the same iterator; expected two"):
                score(cuts, cuts, **length)


@pytest.mark.parametrize("method", ["__index__", "__iter__", "__float__"])
def test_what_an_object_raises_comes_through(method):
    def fail(self):
        raise TypeError("my own")

    item = type("Item", (), {method: fail})()
    cuts = item if method == "__iter__" else [item]
    with pytest.raises(TypeError, match="my own"):
        ss.rand_index(cuts, [], **({"duration": 9} if method == "__float__" else {"n": 9}))


def test_an_int_with_a_name_like_a_bool_is_an_int():
    assert ss.rand_index([type("bool_count", (int,), {})(3)], [3], n=9) == 1.0


@given(st.data())
def test_a_single_fault_in_a_long_array_is_found_and_named(data):
    size = data.draw(st.integers(1000, 4000))
    cuts = np.arange(10, 10 + 3 * size, 3)
    other = np.arange(11, 11 + 2 * size, 2)
    k = data.draw(st.integers(1, size - 1))
    wrong = data.draw(st.integers(-(2**63), int(cuts[k - 1])))
    cuts[k] = wrong
    name = data.draw(st.sampled_from(["truth", "pred"]))
    both = {"truth": other, "pred": other, name: cuts}
    with pytest.raises(ValueError) as raised:  # noqa: PT011
        ss.rand_index(**both, n=10**6)
    assert str(raised.value).startswith(f"{name}[{k}] = {wrong} ")


EVERY = [
    name for name, metric in ss.METRICS.items() if name != "adjusted_mutual_information" and not metric.only_tables
]


def metric(name, truth, pred, **length):
    options = {"margin": 1} if ss.METRICS[name].needs_margin else {}
    return getattr(ss, name)(truth, pred, **length, **options)


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("form", [list, np.array, iter], ids=["list", "array", "iterator"])
def test_faults_inside_a_side_are_seen_by_every_score(name, form):
    # Not among the ends, which are looked at on their own.
    faults = {
        "[2] = 5 does not exceed {side}[1] = 5; cuts must strictly increase (drop the repeat)": [3, 5, 5, 8, 9],
        "[2] = 4 does not exceed {side}[1] = 5; cuts must strictly increase (sort them first)": [3, 5, 4, 8, 9],
        "[0] = -1 is outside 0 < cut < n = 12": [-1, 5, 6, 8, 9],
        "[2] = -7 is outside 0 < cut < n = 12": [1, 5, -7, 8, 9],
    }
    for message, bad in faults.items():
        for side, sides in (("truth", (form(bad), form([2, 7]))), ("pred", (form([2, 7]), form(bad)))):
            with pytest.raises(ValueError, match=f"^{re.escape(side + message.format(side=side))}$"):
                metric(name, *sides, n=12)


@pytest.mark.parametrize("name", [name for name in EVERY if ss.METRICS[name].in_time])
@pytest.mark.parametrize("form", [list, np.array, iter], ids=["list", "array", "iterator"])
def test_faults_in_time_are_seen_by_every_score(name, form):
    faults = {
        "[2] = 5.5 does not exceed {side}[1] = 5.5; cuts must strictly increase (drop the repeat)": [3, 5.5, 5.5, 8, 9],
        "[2] = 4.0 does not exceed {side}[1] = 5.5; cuts must strictly increase (sort them first)": [3, 5.5, 4.0, 8, 9],
        "[2] = nan is not a number; cuts must be finite (drop it first)": [3, 5.5, float("nan"), 8, 9],
    }
    for message, bad in faults.items():
        for side, sides in (("truth", (form(bad), form([2.0, 7.0]))), ("pred", (form([2.0, 7.0]), form(bad)))):
            with pytest.raises(ValueError, match=f"^{re.escape(side + message.format(side=side))}$"):
                metric(name, *sides, duration=12.0)


@pytest.mark.parametrize("name", EVERY)
def test_segmentations_of_every_kind(name):
    points = ss.Segmentation([3, 8], n=12), ss.Segmentation([4, 9], n=12)
    time = ss.Segmentation([3, 8.5], duration=12), ss.Segmentation([4.25, 9], duration=12)
    expected = metric(name, [3, 8], [4, 9], n=12)
    for sides in (points, (points[0], [4, 9]), (iter([3, 8]), points[1])):
        assert metric(name, *sides) == expected
    for sides, said in (
        ((points[0], time[1]), "truth is a Segmentation in points"),
        ((time[0], points[1]), "pred is a Segmentation in points"),
    ):
        with pytest.raises(TypeError, match=f"^{said}; in time expected a sequence of times, or Segmentation"):
            metric(name, *sides)
    with pytest.raises(
        TypeError, match=r"^truth is a Segmentation in time; in points expected a sequence of cuts, or S"
    ):
        metric(name, *time, n=12)
    if not ss.METRICS[name].in_time:
        instead = ss.METRICS[name].instead
        message = f"{name} counts points; expected n=, not duration= (count whole units such as milliseconds, or use {instead})"
        assert instead.split()[0] in ss.METRICS
        with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
            metric(name, *time)
        with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
            ss.compare([3], [4], duration=12, metrics=[name])
        return
    expected = metric(name, [3, 8.5], [4.25, 9], duration=12)
    for sides in (time, (time[0], [4.25, 9]), (iter([3, 8.5]), time[1])):
        assert metric(name, *sides) == expected
    for sides in (time, (time[0], [4.25, 9]), (iter([3, 8.5]), time[1])):
        assert metric(name, *sides, duration=12) == expected
    with pytest.raises(
        ValueError, match=r"^pred has duration = 11.0 but truth has duration = 12.0; both sides must have"
    ):
        metric(name, time[0], ss.Segmentation([4], duration=11))
    with pytest.raises(ValueError, match=r"^truth has duration = 12.0 but duration = 11.0 was passed; both sides must"):
        metric(name, *time, duration=11)


@pytest.mark.parametrize("name", EVERY)
def test_a_repeat_across_two_blocks_of_an_iterator(name):
    for place in (255, 256, 257, 511, 512):
        bad = list(range(1, 1000))
        bad[place] = bad[place - 1]
        for side in ("truth", "pred"):
            sides = {"truth": [4, 900], "pred": [4, 900]} | {side: iter(bad)}
            message = (
                f"{side}[{place}] = {bad[place]} does not exceed {side}[{place - 1}] = {bad[place]}; cuts must strictly "
                "increase (drop the repeat)"
            )
            with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
                metric(name, **sides, n=2000)


def test_the_length_is_never_guessed():
    # Two detectors may agree on their last cut, which is no length then.
    remedy = "expected n=, or Segmentation.from_ends() of lists that end with the length"
    message = f"truth and pred have no length; {remedy}"
    for truth, pred in (([3, 8], [4, 8]), ([], []), (np.array([3, 8]), iter([8])), ([3, 8.0], [4, 8])):
        for name in [*EVERY, "adjusted_mutual_information"]:
            with pytest.raises(TypeError, match=f"^{re.escape(message)}$"):
                metric(name, truth, pred)
        with pytest.raises(TypeError, match=f"^{re.escape(message)}$"):
            ss.compare(truth, pred)
    assert ss.rand_index(ss.Segmentation.from_ends([3, 8]), [4]) == ss.rand_index([3], [4], n=8)
    cuts = [3, 8, 10]
    for call, found in (
        (lambda: ss.Segmentation(cuts), "cuts have"),
        (lambda: ss.Segmentation(cuts, "abc"), "cuts have"),
        (lambda: ss.rand_test(cuts, cuts), "truth and pred have"),
        (lambda: ss.disagreements(cuts, cuts), "truth and pred have"),
        (lambda: ss.charts.timeline(cuts, cuts), "cuts have"),
        (lambda: ss.match(cuts, cuts, margin=1), "truth and pred have"),
        (lambda: ss.explain(cuts, cuts), "truth and pred have"),
        (lambda: ss.pk_curve(cuts, cuts, k=[2]), "truth and pred have"),
        (lambda: ss.pairwise([cuts, cuts]), "segmentations[0] has"),
        (lambda: ss.cross([cuts], [cuts]), "a[0] has"),
        (lambda: ss.nearest([cuts], [cuts]), "segmentations[0] has"),
        (lambda: ss.consensus([cuts, cuts]), "segmentations[0] has"),
        (lambda: ss.annotated([cuts, cuts], cuts), "annotators have"),
        (lambda: ss.annotated_f1([cuts, cuts], cuts, margin=1), "annotators have"),
        (lambda: ss.agreement([cuts, cuts]), "annotators have"),
        (lambda: ss.fleiss_pi([cuts, cuts]), "annotators have"),
        (lambda: ss.cohen_kappa([cuts, cuts]), "annotators have"),
    ):
        with pytest.raises(TypeError, match=f"^{re.escape(f'{found} no length; {remedy}')}$"):
            call()


def test_blocks_of_a_long_array():
    block = 2**20
    for size in (block, block + 1, 2 * block + 1):
        cuts = np.arange(size + 2)  # with 0 and n
        assert ss.Segmentation(cuts, n=size + 1) == ss.Segmentation(cuts[1:-1], n=size + 1)
        assert ss.Segmentation.from_ends(cuts[1:]) == ss.Segmentation(cuts[1:-1], n=size + 1)
        assert len(ss.Segmentation(cuts, n=size + 1)) == size + 1
        assert ss.rand_index(cuts, [], n=size + 1) == ss.covering(cuts, cuts, n=size + 1) - 1
        for place in (block - 1, block, size - 1):
            faulty = cuts.copy()
            faulty[place] = faulty[place - 1]
            for use in (ss.rand_index, ss.covering):
                message = (
                    f"pred[{place}] = {place - 1} does not exceed pred[{place - 1}] = {place - 1}; "
                    "cuts must strictly increase (drop the repeat)"
                )
                with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
                    use([], faulty, n=2 * size)


@pytest.mark.parametrize(
    ("margin", "message"),
    [
        (np.array([3]), "margin = array([3]) is a ndarray; expected a number"),
        (np.array([1.5, 2]), "margin = array([1.5, 2. ]) is a ndarray; expected a number"),
    ],
)
def test_an_array_is_not_a_number(margin, message):
    with pytest.raises(TypeError, match=f"^{re.escape(message)}$"):
        ss.f1([3], [4], n=9, margin=margin)


def test_an_array_without_dimensions_is_a_number():
    assert ss.f1([3], [4], n=9, margin=np.array(1.0)) == ss.f1([3], [4], n=np.array(9), margin=np.array(1)) == 1
