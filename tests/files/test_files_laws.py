"""Laws of all formats: what is written is read back, and a damaged file is a clear error or a segmentation."""

import json
import math
import re
import string

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import segscore as ss
from segscore.files import FORMATS

quick = settings(max_examples=40, suppress_health_check=list(HealthCheck))


def lengths_for(name, every):
    """Return the options that a format needs to read segmentations that it holds without their lengths."""
    if FORMATS[name].length:
        return {}
    kind = "n" if every[0].duration is None else "duration"
    return {kind: every[0].length}


def round_trip(found, name, folder):
    """Write and read again; return what was read and what was lost, or None if the format cannot hold it."""
    path = folder / f"x.{name}"
    try:
        lost = ss.write(found, path, format=name)
    except ValueError as error:
        assert re.search(r" hold|reads as none", str(error)), error  # noqa: PT017
        return None
    return ss.read(path, format=name, **lengths_for(name, list(found.values()))), lost


def plain(found):
    return {name: each.without_labels() for name, each in found.items()}


SONG = ss.Segmentation([12.5, 20.000001, 1 / 3 + 21], ["verse", "chorus", "verse", "A/B-1"], duration=30.1)
KNOWN = {
    "labelled times": {("x", ""): SONG},
    "times": {("x", ""): SONG.without_labels()},
    "one segment": {("x", ""): ss.Segmentation([], duration=0.1)},
    "points": {("x", ""): ss.Segmentation([3, 8], n=2**53 + 1)},
    "labelled points": {("x", ""): ss.Segmentation([3, 8], ["A", "B", "A"], n=10)},
    "annotators": {("x", name): ss.Segmentation(cuts, n=10) for name, cuts in {"Ada": [3], "Ben": []}.items()},
    "tiers": {("x", name): SONG if name == "1" else SONG.without_labels() for name in ("1", '"two"')},
    "series": {(name, ""): ss.Segmentation([5], ["A", "B"], n=10) for name in ("chr1", "chrX")},
    "both": {(name, tier): SONG for name in ("x", "y") for tier in ("1", "2")},
    "numbers": {("x", ""): ss.Segmentation([3], [1, 0], n=10)},
}


@pytest.mark.parametrize("kind", KNOWN)
def test_every_pair_of_formats(kind, tmp_path):
    found = KNOWN[kind]
    held = {name: made for name in FORMATS if (made := round_trip(found, name, tmp_path)) is not None}
    assert {"json", "jsonl", "csv", "tsv", "parquet", "arrow"} <= held.keys()
    for name, (again, lost) in held.items():
        texts = any("become text" in what for what in lost)
        renamed = any("the name of the" in what for what in lost)
        if not renamed:
            assert again.keys() == found.keys()
        for one, other in zip(again.values(), found.values(), strict=True):
            assert one.without_labels() == other.without_labels()
            if "labels" not in lost and not texts:
                assert one == other, name
        for target in held:
            onwards = round_trip(again, target, tmp_path)
            assert onwards is not None, (name, target)
            assert [each.cuts for each in onwards[0].values()] == [each.cuts for each in found.values()]
            if not (lost or onwards[1]):
                assert onwards[0] == again, (name, target)


def test_what_is_lost_and_what_is_refused(tmp_path):
    lost = {name: made[1] for name in FORMATS if (made := round_trip(KNOWN["labelled times"], name, tmp_path))}
    assert lost == {
        **{name: [] for name in ("json", "jsonl", "csv", "tsv", "parquet", "arrow", "lab", "audacity", "jams")},
        **{name: [] for name in ("rttm", "textgrid", "time_label")},
        **{name: ["labels", "the length of the sequence"] for name in ("text", "npy")},
    }
    for found, name, message in (
        (
            KNOWN["points"],
            "lab",
            "lab holds times, but ('x', '') is in points; expected a segmentation in time: read the points with unit= for the seconds per point",
        ),
        (
            KNOWN["times"],
            "bed",
            "bed holds points, but ('x', '') is in time; expected points: write the times with unit= for the seconds per point",
        ),
        (KNOWN["both"], "jams", "jams holds one series, but there are 2: 'x', 'y'; choose one"),
        (
            KNOWN["tiers"],
            "rttm",
            "rttm holds one segmentation per series, but there are several: ('x', '1'), ('x', '\"two\"'); choose one",
        ),
        (
            {"x": ss.Segmentation([], n=0)},
            "json",
            "('x', '') is empty; expected a segmentation of positive length to write",
        ),
        (
            {"x": ss.Segmentation([1.5], ["a b", "c"], duration=3)},
            "rttm",
            "('x', ''): the label 'a b' has a space, or <NA>, or nothing, which rttm cannot hold; rename it first",
        ),
        (
            {"x": ss.Segmentation([1.5], ["", ""], duration=3)},
            "lab",
            "('x', '') has only empty labels, which lab reads as none; expected other labels",
        ),
        (
            {"x": ss.Segmentation([1], [1, "1"], n=3)},
            "bed",
            "two labels have the same text, and bed cannot tell them apart; expected labels of text",
        ),
        (
            {"track a": ss.Segmentation([1], n=3)},
            "bed",
            "the series 'track a' looks like a comment of BED; rename it first",
        ),
    ):
        with pytest.raises(ValueError, match=f"{re.escape(message)}$"):
            ss.write(found, tmp_path / f"a.{name}")
    assert list(tmp_path.glob("a.*")) == []
    assert ss.write({"x": ss.Segmentation([1], [1, 0], n=3)}, tmp_path / "a.bed") == [
        "the types of labels (int), which become text"
    ]
    assert ss.write({("x", "Ada"): SONG}, tmp_path / "a.lab") == [
        "the name of the series, 'x'",
        "the name of the tier, 'Ada'",
    ]
    for wrong, message in (
        (3, "segmentations is a int; expected a Segmentation, or a mapping from (series, tier) to them"),
        ({3: SONG}, "segmentations has the key 3; expected a series or (series, tier) as text"),
        ({"x": [3]}, "segmentations['x'] is a list; expected a Segmentation"),
    ):
        with pytest.raises(TypeError, match=f"^{re.escape(message)}$"):
            ss.write(wrong, tmp_path / "b.json")
    with pytest.raises(ValueError, match=r"^segmentations is empty; expected at least one$"):
        ss.write({}, tmp_path / "b.json")


def test_units(tmp_path):
    song = ss.Segmentation([0.1, 0.3], ["a", "b", "a"], duration=0.7)
    assert ss.write(song, tmp_path / "x.lab", unit=1e-7) == []
    assert (tmp_path / "x.lab").read_text() == "0\t1000000\ta\n1000000\t3000000\tb\n3000000\t7000000\ta\n"
    assert ss.read(tmp_path / "x.lab", unit=1e-7).only() == song
    ss.write(song, tmp_path / "x.bed", unit=0.1)
    assert ss.read(tmp_path / "x.bed").only() == ss.Segmentation([1, 3], ["a", "b", "a"], n=7)
    assert ss.read(tmp_path / "x.bed", unit=0.1).only() == song
    assert ss.read(tmp_path / "x.bed", unit=0.1, n=9, gap_label="-").only().duration == 0.9
    with pytest.raises(ValueError, match=r"has the time 0\.1, which is not a whole number of units of 0\.25 s$"):
        ss.write(song, tmp_path / "x.bed", unit=0.25)
    with pytest.raises(ValueError, match=r"is in points, but unit = 0\.1 is for times; expected no unit=$"):
        ss.write(KNOWN["points"], tmp_path / "x.bed", unit=0.1)


@st.composite
def segmentations(draw):
    """One to three segmentations in points or in time, with labels or without."""
    in_time = draw(st.booleans())
    names = st.text(string.ascii_letters + string.digits + " é\"'", min_size=1, max_size=5).map(str.strip).filter(bool)
    series = draw(st.lists(names, min_size=1, max_size=2, unique=True))
    tiers = draw(st.lists(names, max_size=2, unique=True)) or [""]
    found = {}
    for key in [(one, tier) for one in series for tier in tiers]:
        number = st.floats(0.001, 1e6) if in_time else st.integers(1, 2**53)
        edges = sorted(draw(st.sets(number, min_size=1, max_size=6)))
        if in_time:  # segments are longer than the tolerance of reading
            edges = [edge for k, edge in enumerate(edges) if k == 0 or edge - edges[k - 1] > 1e-3]
        labels = draw(st.none() | st.lists(names, min_size=len(edges), max_size=len(edges)))
        length = {"duration": edges[-1]} if in_time else {"n": edges[-1]}
        found[key] = ss.Segmentation(edges[:-1], labels, **length)
    return found


@pytest.mark.parametrize("name", [name for name, known in FORMATS.items() if known.length])
@quick
@given(found=segmentations())
def test_what_is_written_is_read_back(name, tmp_path_factory, found):
    folder = tmp_path_factory.getbasetemp()
    made = round_trip(found, name, folder)
    if made is None:
        return
    again, lost = made
    assert list(again.values()) == list(found.values())
    if not lost and FORMATS[name].series:
        assert dict(again) == found


TEXTS = [
    "",
    " ",
    "a",
    "0",
    "1",
    "False",
    "None",
    "nan",
    "<NA>",
    ".",
    "a b",
    "#",
    "track",
    "\n",
    "\r",
    "\x1f",
    "\ufeffa",
]
TEXTS += ["annotations", "change_points", "cuts", "dataset", "result", "results", "status", "x/y", '"', "\u2028", "6"]
NUMBERS = [0, 1, 0.0, -0.0, 1.0, 0.5, 2**53 + 1, float(2**53), 2**63, 10**38, 10**41, 1e300, math.inf]
MIXED = [False, True, None, (1, 2), b"a", np.int64(1), np.float64(0.5), np.str_("a"), np.True_, 1j]
texts = st.sampled_from(TEXTS) | st.text(max_size=3)


@st.composite
def odd_segmentations(draw):
    """Segmentations with odd names, labels of mixed types, and large numbers."""
    found = {}
    for key in draw(st.lists(st.tuples(texts, texts), min_size=1, max_size=3, unique=True)):
        in_time = draw(st.booleans())
        numbers = [1.5, 2**60 + 2.0**10, 2.0**63, 1e20, 1e59] if in_time else [1, 2**53 + 1, 2**60 + 1, 2**63 - 1]
        edges = sorted(draw(st.sets(st.sampled_from(numbers), min_size=1)))
        names = st.lists(texts | st.sampled_from(NUMBERS + MIXED), min_size=len(edges), max_size=len(edges))
        length = {"duration": edges[-1]} if in_time else {"n": edges[-1]}
        found[key] = ss.Segmentation(edges[:-1], draw(st.none() | names), **length)
    return found


def partition(every):
    """Return for each label of segmentations the place of the first label that equals it."""
    labels = [label for each in every for label in each.labels or ()]
    first = {}
    return [first.setdefault(label, k) for k, label in enumerate(labels)]


@pytest.mark.parametrize("name", FORMATS)
@quick
@given(found=odd_segmentations())
@example(found={("x", ""): ss.Segmentation([3, 5], [2**53 + 1, 0, 0.0], n=9)})
@example(found={("x", ""): ss.Segmentation([3, 5], [0, False, "False"], n=9)})
@example(found={("x", ""): ss.Segmentation([3], [10**41, 0], n=9)})
@example(found={("change_points", "a"): ss.Segmentation([3], n=9)})
@example(found={(name, "a"): ss.Segmentation([3], n=9) for name in ("dataset", "status", "result")})
@example(found={("\ufeffx", ""): ss.Segmentation([3], n=9)})
@example(found={("x", ""): ss.Segmentation([1.5, 2.0**63], ["a", "b", "a"], duration=1e59)})
@example(found={("x", ""): ss.Segmentation([2**60 + 1], n=2**62), ("y", ""): ss.Segmentation([0.5], duration=1)})
def test_odd_names_and_labels_are_refused_or_read_back(name, tmp_path_factory, found):
    path = tmp_path_factory.getbasetemp() / ("odd.json" if name == "tcpdbench" else f"odd.{name}")
    try:
        lost = ss.write(found, path, format=name)
    except ValueError as error:
        assert re.search(r" hold|reads as none|cannot tell|looks like a comment", str(error)), error  # noqa: PT017
        return
    longest = max(found.values(), key=lambda each: each.length)
    length = {} if FORMATS[name].length else lengths_for(name, [longest])
    again = ss.read(path, format=name, **length)
    if name == "tcpdbench":
        assert ss.read(path, **length) == again  # as JSON
    assert len(again) == len(found)
    if FORMATS[name].series and not any("the name of the" in what for what in lost):
        assert again.keys() == found.keys()
    if again.keys() == found.keys():  # a format that nests tiers in series changes the order
        again = {key: again[key] for key in found}
    for one, other in zip(again.values(), found.values(), strict=True):
        assert one.cuts == other.cuts
        assert one.length == other.length or not FORMATS[name].length
        assert (one.labels is None) == (other.labels is None or not FORMATS[name].labels)
    if FORMATS[name].labels:
        assert partition(again.values()) == partition(found.values())
        if not any("become text" in what for what in lost):
            assert [each.labels for each in again.values()] == [each.labels for each in found.values()]


def test_sizes_keep_all_digits(tmp_path):
    (tmp_path / "x.txt").write_text("3\n")
    (tmp_path / "sizes").write_text(f"x {2**53 + 1}\n")
    assert ss.read(tmp_path / "x.txt", sizes=tmp_path / "sizes").only().n == 2**53 + 1
    assert ss.read(tmp_path / "x.txt", sizes=tmp_path / "sizes", unit=0.5).only().duration == 2.0**52
    for text, message in (
        (
            "9007199254740993.0",
            "(series 'x'): the length 9007199254740992.0 is not an integer; expected points, or duration=",
        ),
        (f"{2**63}", f"(series 'x'): n = {2**63} is too large; expected 0 <= n < 2**63"),
    ):
        (tmp_path / "sizes").write_text(f"x {text}\n")
        (tmp_path / "x.bed").write_text("x\t0\t3\n")
        for name in ("x.txt", "x.bed"):
            with pytest.raises(ValueError, match=re.escape(message)):
                ss.read(tmp_path / name, sizes=tmp_path / "sizes")
    for length in (2**63, {"x": 2**70}):
        with pytest.raises(ValueError, match=r"n = [0-9]+ is too large; expected 0 <= n < 2\*\*63$"):
            ss.read(tmp_path / "x.bed", n=length)


@pytest.mark.parametrize("name", ["parquet", "arrow"])
def test_points_next_to_times_are_not_rounded(name, tmp_path):
    found = {"x": ss.Segmentation([2**53 - 1], n=2**62), "y": ss.Segmentation([0.5], duration=1)}
    ss.write(found, tmp_path / f"a.{name}")
    assert list(ss.read(tmp_path / f"a.{name}").values()) == list(found.values())
    found["x"] = ss.Segmentation([2**53 + 1], n=2**62)
    message = (
        "('x', '') has the point 9007199254740993, which a column of points and times cannot hold; expected points "
    )
    message += "below 2**53 next to times, or a table of each kind"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        ss.write(found, tmp_path / f"b.{name}")
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        ss.Segmentations({(series, ""): each for series, each in found.items()}).to_polars()
    assert not (tmp_path / f"b.{name}").exists()


def test_tiers_are_named_by_a_column_that_is_read():
    with pytest.raises(ValueError, match=r"^tiers = 'speaker' is unknown; expected 'tier', 'annotator' or 'method'$"):
        ss.Segmentations({("x", "a"): SONG}, tiers="speaker")


def jams():
    data = [{"time": 0.0, "duration": 1.5, "value": "a", "confidence": 0.5}, {"time": 1.5, "duration": 2, "value": "b"}]
    one = {"namespace": "segment_open", "data": data, "annotation_metadata": {"annotator": {"name": "Ada"}}}
    many = [{"time": 0, "duration": 3.5, "value": {"label": "A", "level": 0}}]
    two = {"namespace": "multi_segment", "data": many, "time": 0, "duration": 3.5}
    return json.dumps({"annotations": [one, two], "file_metadata": {"duration": 3.5}}).encode()


SUMMARY = {"dataset": "nile", "dataset_nobs": 9, "annotations": {"6": [3]}}
SUMMARY["results"] = {"pelt": [{"parameters": None, "cplocations": [4], "scores": None, "status": "SUCCESS"}]}
RUN = {
    "dataset": "nile",
    "script": "x.R",
    "status": "SUCCESS",
    "error": None,
    "result": {"cplocations": [4], "runtime": 1},
}
TEXTGRID = """File type = "ooTextFile"
Object class = "TextGrid"
xmin = 0
xmax = 3.5
tiers? <exists>
size = 2
item []:
    item [1]:
        class = "IntervalTier"
        name = "w"
        xmin = 0
        xmax = 3.5
        intervals: size = 2
        intervals [1]:
            xmin = 0
            xmax = 1.5
            text = "a"
        intervals [2]:
            xmin = 1.5
            xmax = 3.5
            text = "b"
"TextTier" "p" 0 3.5 1 1.5 "x"
"""
RTTM = "SPEAKER x 1 0 1.5 <NA> <NA> A <NA> <NA>\nSPEAKER x 1 1.5 2 <NA> <NA> B 0.5 <NA>\nSPKR-INFO x 1 <NA>\n"
VALID = [
    ("text", b"3\n8\n"),
    ("json", b"[3, 8]"),
    ("json", b'[{"series": "x", "tier": "t", "change_points": [3, 8], "labels": ["a", 1, "a"], "n": 9, "z": null}]'),
    ("json", json.dumps({"nile": {"6": [3, 8], "7": []}}).encode()),
    ("json", json.dumps(SUMMARY).encode()),
    ("tcpdbench", json.dumps(RUN).encode()),
    ("jsonl", b'{"series": "x", "change_points": [3.5], "labels": ["a", "b"], "duration": 9}\n{"cuts": [], "n": 9}\n'),
    ("csv", b'series,annotator,change_points,labels,n\nx,a,"[3, 8]","[""p"", ""q"", ""p""]",9\nx,b,[],,9\n'),
    ("csv", b"series,start,end,label,duration\nx,0,1.5,a,3.5\nx,1.5,3.5,b,3.5\n"),
    ("csv", b"3\n8\n"),
    ("tsv", b"series\tcut\tn\nx\t3\t9\nx\t8\t9\ny\t\t9\n"),
    ("lab", b"0 1.5 a\n# c\n1.5\t3.5\tb c\n"),
    ("audacity", b"0\t1.5\ta\n\\\t100\t200\n1.5\t3.5\t\n"),
    ("time_label", b"0.0\tSilence\n# c\n1.5\tA, a\n3.5\tEnd\n"),
    ("jams", jams()),
    ("uem", b";; c\nx 1 0.000 9.5\ny 1 1 2\ny 1 4 5\n"),
    ("rttm", RTTM.encode()),
    ("bed", b"track x\nchr1\t0\t5\ta\t0\t+\nchr1\t5\t9\tb\nchr2 0 3\n"),
    ("textgrid", TEXTGRID.encode()),
    ("textgrid", TEXTGRID.encode("utf-16")),
]
PIECES = [
    b"\0",
    b"\xff",
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"\r\n",
    b"\r",
    b"\n\n",
    b"\t",
    b" ",
    b'"',
    b"'",
    b",",
    b"[",
    b"]",
]
PIECES += [
    b"{",
    b"}",
    b":",
    b"-",
    b"-1",
    b"1e400",
    b"-1e-400",
    b"nan",
    b"inf",
    b"NaN",
    b"null",
    b"true",
    b"9" * 25,
    b"1_0",
]
PIECES += [
    b"[" * 5000,
    b'{"a":' * 5000,
    b"0x10",
    b"1e999999999",
    b"1.5.5",
    b"<NA>",
    b"\xc3\xa9",
    b"\xed\xa0\x80",
    b"#",
    b"\\",
]
PIECES += [
    "٣".encode(),
    "\u2028".encode(),
    b"\x1f",
    b"\x85",
    b"1e-320",
    b"0.1",
    b"9223372036854775808",
    b'""',
    b"!",
    b"9" * 5000,
]


def changed(content, steps):
    """Return the content with a few changes at places, given as shares of its length."""
    for kind, place, more, size in steps:
        at = int(place * (len(content) + 1))
        if kind == "cut":
            content = content[:at]
        elif kind == "drop":
            content = content[:at] + content[at + size :]
        elif kind == "flip" and at < len(content):
            content = content[:at] + bytes([content[at] ^ (1 << size % 8)]) + content[at + 1 :]
        elif kind == "twice":
            content = content[:at] + content[at : at + 5 * size] + content[at:]
        elif kind == "put":
            content = content[:at] + more + content[at + size % 3 :]
    return content


kinds = st.sampled_from(["cut", "drop", "flip", "twice", "put", "put"])
steps = st.lists(
    st.tuples(kinds, st.floats(0, 1, exclude_max=True), st.sampled_from(PIECES), st.integers(1, 40)),
    min_size=1,
    max_size=3,
)
ways = st.sampled_from(
    [
        *({}, {"n": 9}, {"duration": 9}, {"ends": True}, {"unit": 0.5}, {"unit": 1e-7, "gap_label": "-"}),
        *(
            {"gap_label": "-", "overlap_label": "+"},
            {"gap_label": "-", "overlap_label": "+", "duration": 3, "clip": True},
        ),
    ]
)


def check_reading(path, name, options):
    """Read a file: the result is segmentations, or an error in our words."""
    try:
        found = ss.read(path, format=name, **options)
    except ValueError as error:
        text = str(error)
        assert type(error) is ValueError, repr(error)  # noqa: PT017
        assert path.name in text or "format" in text, text
        assert re.search(r"expected|write it again|must strictly increase|is outside 0 < cut", text), text
        assert "codec" not in text and "Traceback" not in text
        return
    for each in found.values():
        assert isinstance(each, ss.Segmentation) and each.length >= 0


@pytest.mark.parametrize(("name", "content"), VALID, ids=[f"{k}-{name}" for k, (name, _) in enumerate(VALID)])
@settings(max_examples=60, suppress_health_check=list(HealthCheck))
@given(steps=steps, options=ways)
@example(steps=[], options={})
def test_damaged_files_are_errors_in_our_words(name, content, tmp_path_factory, steps, options):
    path = tmp_path_factory.getbasetemp() / "damaged"
    path.write_bytes(changed(content, steps))
    check_reading(path, name, options)


@pytest.mark.parametrize("name", ["parquet", "arrow", "npy"])
def test_damaged_binary_files_are_errors_in_our_words(name, tmp_path, capfd):
    path = tmp_path / f"damaged.{name}"
    if name == "npy":
        np.save(path, np.array([3, 8]))
    else:
        ss.write(KNOWN["tiers"], path)
    whole = path.read_bytes()
    random = np.random.default_rng(1)
    for size in sorted({0, 1, 6, 8, 12, *random.integers(0, len(whole), 15).tolist()}):
        path.write_bytes(whole[:size])
        check_reading(path, name, {"n": 9})
    path.write_bytes(b"\x80\x04\x95cos\nsystem\n")
    check_reading(path, name, {"n": 9})


def test_every_format_is_damaged():
    assert {name for name, _ in VALID} == FORMATS.keys() - {"parquet", "arrow", "npy"}
