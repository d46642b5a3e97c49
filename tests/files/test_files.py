"""Files of segmentations: every format by hand, its traps, and the errors word for word."""

import json
import re

import numpy as np
import polars as pl
import pytest

import segscore as ss
from segscore.files import FORMATS, text
from segscore.files.formats import format_of, table_format

NA = "<NA>"


def made(folder, name, content, **more):
    path = folder / name
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        path.write_text(content, **more)
    return path


def turn(file, onset, duration, speaker, channel=1):
    return f"SPEAKER {file} {channel} {onset} {duration} {NA} {NA} {speaker} {NA} {NA}\n"


SONG = ss.Segmentation([12.5, 20.0], ["verse", "chorus", "verse"], duration=30)
LAB = "0.0 12.5 verse\n12.5\t20.0\tchorus\n20 30.0   verse\n"
LONG = """File type = "ooTextFile"
Object class = "TextGrid"

xmin = 0
xmax = 30
tiers? <exists>
size = 2
item []:
    item [1]:
        class = "IntervalTier"
        name = "form ""A""\"
        xmin = 0
        xmax = 30
        intervals: size = 3
        intervals [1]:
            xmin = 0
            xmax = 12.5
            text = "verse"
        intervals [2]:
            xmin = 12.5
            xmax = 20
            text = "chorus"
        intervals [3]:
            xmin = 20
            xmax = 30
            text = "verse"
    item [2]:
        class = "TextTier"
        name = "beats"
        xmin = 0
        xmax = 30
        points: size = 2
        points [1]:
            number = 12.5
            mark = ""
        points [2]:
            number = 20
            mark = "!"
"""
SHORT = """File type = "ooTextFile"
Object class = "TextGrid"

0
30
<exists>
2
"IntervalTier"
"form ""A\"""
0
30
3
0
12.5
"verse"
12.5
20
"chorus"
20
30
"verse"
"TextTier" "beats" 0 30 2 ! a comment 99
12.5 ""
20 "!"
"""


def jams(*annotations, duration=30):
    return json.dumps({"annotations": list(annotations), "file_metadata": {"duration": duration}, "sandbox": {}})


def annotation(name, rows, namespace="segment_open", **more):
    data = [{"time": start, "duration": length, "value": value, "confidence": None} for start, length, value in rows]
    return {"namespace": namespace, "annotation_metadata": {"annotator": {"name": name}}, "data": data, **more}


VERSES = [(0, 12.5, "verse"), (12.5, 7.5, "chorus"), (20, 10, "verse")]


@pytest.mark.parametrize(
    ("name", "content", "options"),
    [
        ("song.lab", LAB, {}),
        ("song.lab", "\ufeff# a comment\r\n" + LAB.replace("\n", "\r\n") + "\r\n", {}),
        ("song.lab", LAB.replace("\n", "\r"), {}),
        ("song.lab", "0 125000000 verse\n125000000 200000000 chorus\n200000000 300000000 verse", {"unit": 1e-7}),
        ("song.txt", "0.0\t12.5\tverse\n12.5\t20\tchorus\n\\\t100\t200\n20\t30\tverse\n", {"format": "audacity"}),
        ("song.TextGrid", LONG, {"tier": 'form "A"'}),
        ("song.TextGrid", SHORT, {"tier": 'form "A"'}),
        ("song.TextGrid", LONG.encode("utf-16"), {"tier": 'form "A"'}),
        ("song.TextGrid", LONG.encode("utf-16-be"), {"tier": 'form "A"'}),
        ("song.TextGrid", LONG.encode("utf-8-sig").replace(b"\n", b"\r\n"), {"tier": 'form "A"'}),
        ("song.jams", jams(annotation("Ada", VERSES)), {}),
        ("song.jams", jams(annotation("Ada", VERSES), annotation("", [(1, 2, "C")], "chord")), {}),
        (
            "song.rttm",
            turn("song", 0, 12.5, "verse") + turn("song", 12.5, 7.5, "chorus") + turn("song", 20, 10, "verse"),
            {},
        ),
        ("song.json", '{"change_points": [12.5, 20], "labels": ["verse", "chorus", "verse"], "duration": 30}', {}),
        ("song.jsonl", '{"cuts": [12.5, 20], "labels": ["verse", "chorus", "verse"]}\n', {"duration": 30}),
        ("song.csv", 'cuts,labels,duration\n"[12.5, 20.0]","[""verse"",""chorus"",""verse""]",30.0\n', {}),
        ("song.csv", "start,end,label\n0,12.5,verse\n12.5,20,chorus\n20,30,verse\n", {"unit": 1}),
        ("song.tsv", "start\tend\tlabel\n0\t12.5\tverse\n12.5\t20\tchorus\n20\t30\tverse\n", {"duration": 30}),
    ],
)
def test_a_song_in_every_format_of_times(tmp_path, name, content, options):
    assert ss.read(made(tmp_path, name, content), **options).only() == SONG


@pytest.mark.parametrize(
    ("name", "content", "options"),
    [
        ("a.txt", "3\n8\n", {"n": 10}),
        ("a.txt", "3 8\r\n10", {"ends": True}),
        ("a.txt", "3.000000000000000000e+00\n8.000000000000000000e+00\n", {"n": 10}),
        ("a.json", "[3, 8]", {"n": 10}),
        ("a.json", " [ 0, 3, 8, 10 ]\n", {"n": 10}),
        ("a.json", '[{"change_points": [3, 8], "n": 10}]', {}),
        ("a.jsonl", '\n{"cuts": [3, 8, 10], "other": {}}\n', {"ends": True}),
        ("a.csv", "3\n8\n", {"n": {"a": 10}}),
        ("a.csv", "cut,n\n3,10\n8,10\n", {}),
        ("a.csv", 'change_points,n\n"[np.int64(3), 8]",10\n', {}),
        ("a.csv", "change_points,n\n[3 8],10\n", {}),
        ("a.csv", "end,start\n8,3\n3,0\n10,8\n", {"n": 10}),
        ("a.tsv", "change_points\tn\n[3, 8]\t10\n", {}),
        ("a.bed", "browser x\ntrack name=y\n#\na\t0\t3\na\t3\t8\t.\na\t8\t10\n", {}),
        ("a.bed", "a 8 10\na 0 3\na 3 8\n", {"n": 10}),
        ("a.json", '{"a": {"Ada": [8, 3, 3]}}', {"n": 10}),
    ],
)
def test_points_in_every_format_of_points(tmp_path, name, content, options):
    assert ss.read(made(tmp_path, name, content), **options).only() == ss.Segmentation([3, 8], n=10)


def test_arrays_and_columns(tmp_path):
    np.save(tmp_path / "a.npy", np.array([3, 8]))
    assert ss.read(tmp_path / "a.npy", n=10).only() == ss.Segmentation([3, 8], n=10)
    assert ss.read(tmp_path / "a.npy", duration=10).only() == ss.Segmentation([3, 8], duration=10)
    assert ss.read(tmp_path / "a.npy", n=10, unit=0.5).only() == ss.Segmentation([1.5, 4], duration=5)
    table = pl.DataFrame(
        {
            "series": ["x", "x", "y", "y"],
            "method": ["p", "p", "p", "q"],
            "params": ["1", "2", "1", "1"],
            "change_points": [[3, 8], [4], [], None],
            "n": [10, 10, 5, 5],
            "seconds": [1.0, 2.0, 3.0, 4.0],
        }
    )
    table.write_parquet(tmp_path / "a.parquet")
    table.write_ipc(tmp_path / "a.arrow")
    table.write_ipc_stream(tmp_path / "b.arrow")
    for name in ("a.parquet", "a.arrow", "b.arrow"):
        found = ss.read(tmp_path / name)
        assert dict(found) == {
            ("x", "p (1)"): ss.Segmentation([3, 8], n=10),
            ("x", "p (2)"): ss.Segmentation([4], n=10),
            ("y", "p"): ss.Segmentation([], n=5),
        }
        assert (found.tiers, found.notes) == ("method", ("1 row without cuts (null)", "columns: seconds"))
    assert found.to_polars().columns == ["series", "method", "change_points", "n"]


def test_several_series_and_tiers(tmp_path):
    path = made(tmp_path, "a.rttm", turn("x", 0, 1, "A") + turn("y", 0, 2, "A") + turn("x", 1, 1, "B"))
    found = ss.read(path)
    assert list(found) == [("x", ""), ("y", "")]
    assert found["x", ""] == found.only("x") == ss.Segmentation([1.0], ["A", "B"], duration=2)
    assert ss.read(path, series="y").only() == found.only(series="y")
    path = made(tmp_path, "a.rttm", turn("x", 0, 1, "A") + turn("x", 0, 2, "A", 2))
    assert list(ss.read(path)) == [("x", "channel 1"), ("x", "channel 2")]
    found = ss.read(made(tmp_path, "a.TextGrid", LONG))
    assert list(found) == [("a", 'form "A"'), ("a", "beats")]
    assert found.only(tier="beats") == SONG.without_labels()
    assert found.notes == ("the labels of points in 1 tier, because a cut has no label",)
    same = LONG.replace('"beats"', '"form ""A"""')
    assert list(ss.read(made(tmp_path, "a.TextGrid", same))) == [("a", 'form "A" 1'), ("a", 'form "A" 2')]
    people = {"nile": {"6": [28], "7": []}, "well": {"6": [3]}}
    found = ss.read(made(tmp_path, "annotations.json", json.dumps(people)), n={"nile": 100, "well": 9})
    assert found.tiers == "annotator"
    assert found.of("nile") == {"6": ss.Segmentation([28], n=100), "7": ss.Segmentation([], n=100)}
    assert ss.annotated(found.of("nile"), [28], n=100).covering > 0.7
    assert ss.read(tmp_path / "annotations.json", n=100, format="tcpdbench", series="nile", tier="6").only().cuts == [
        28
    ]


def test_annotators_namespaces_and_levels_of_jams(tmp_path):
    levels = [
        (0, 30, {"label": "A", "level": 0}),
        (0, 20, {"label": "a", "level": 1}),
        (20, 10, {"label": "b", "level": 1}),
    ]
    path = made(
        tmp_path,
        "song.jams",
        jams(
            annotation("Ada", VERSES, "segment_salami_function"),
            annotation("Ada", [(0, 30, "A")], "segment_salami_upper"),
            annotation("Ben", [(0, 30, None)]),
            annotation("Cid", levels, "multi_segment"),
            annotation("Dan", [(0, 15, "C:maj"), (15, 15, "N")], "chord_harte"),
            annotation("Eva", [(0.5, 1.0, 1.0)], "beat", duration=30, time=0),
        ),
    )
    found = ss.read(path)
    assert [tier for _, tier in found] == [
        *("Ada (segment_salami_function)", "Ada (segment_salami_upper)"),
        *("Ben", "Cid (level 0)", "Cid (level 1)"),
    ]
    assert found.only(tier="Ada (segment_salami_function)") == SONG
    assert found.only(tier="Ben") == ss.Segmentation([], duration=30)
    assert found.only(tier="Cid (level 1)") == ss.Segmentation([20.0], ["a", "b"], duration=30)
    assert found.notes == (
        "annotations of other namespaces: chord_harte, beat",
        "the namespaces segment_salami_function, segment_salami_upper, multi_segment",
    )
    assert ss.read(path, tier="chord_harte").only() == ss.Segmentation([15.0], ["C:maj", "N"], duration=30)
    dense = {"time": [0, 12.5], "duration": [12.5, 17.5], "value": ["a", "b"], "confidence": [0.5, None]}
    path = made(tmp_path, "dense.jams", jams({"namespace": "segment_open", "data": dense}))
    assert ss.read(path).only() == ss.Segmentation([12.5], ["a", "b"], duration=30)
    assert ss.read(path).notes == ("1 confidence",)


def test_sums_of_decimals_touch(tmp_path):
    """0.1 + 0.2 is not 0.3 for floats, but it is for the writer of a file."""
    path = made(tmp_path, "a.rttm", turn("x", 0, 0.1, "A") + turn("x", 0.1, 0.2, "B") + turn("x", 0.3, 0.1, "C"))
    assert ss.read(path, tolerance=0).only() == ss.Segmentation([0.1, 0.3], ["A", "B", "C"], duration=0.4)
    path = made(tmp_path, "a.jams", jams(annotation("", [(0, 0.1, "A"), (0.1, 0.2, "B"), (0.3, 29.7, "C")])))
    assert ss.read(path).only() == ss.Segmentation([0.1, 0.3], ["A", "B", "C"], duration=30)


def test_gaps_and_overlaps(tmp_path):
    path = made(tmp_path, "a.rttm", turn("x", 1, 4, "A") + turn("x", 3, 4, "B") + turn("x", 6, 3, "B"))
    found = ss.read(path, gap_label="none", overlap_label="both", duration=10).only()
    assert found.segments == [(0, 1), (1, 3), (3, 5), (5, 9), (9, 10)]
    assert found.labels == ("none", "A", "both", "B", "none")
    path = made(tmp_path, "a.bed", "c\t2\t9\nc\t4\t6\n")  # without labels, gaps and overlaps have none
    found = ss.read(path, gap_label="none", overlap_label="both", n=12).only()
    assert found == ss.Segmentation([2, 4, 6, 9], n=12)
    path = made(tmp_path, "a.lab", "0 1 A\n1.0000004 2 B\n2 3.0000004 A\n")
    assert ss.read(path, duration=3).only() == ss.Segmentation([1.0000004, 2.0], ["A", "B", "A"], duration=3)
    assert ss.read(path, duration=2.5, clip=True).only().segments[-1] == (2.0, 2.5)
    assert ss.read(path, duration=1.5, clip=True).only().labels == ("A", "B")
    marks = made(tmp_path, "marks.txt", "1\t1\tx\n2\t2\t\n4\t4\t\n")
    assert ss.read(marks, format="audacity", duration=3, clip=True).only() == ss.Segmentation([1.0, 2.0], duration=3)


def test_sizes(tmp_path):
    sizes = made(tmp_path, "chrom.sizes", "chr1\t10\nchr2 5\n# comment\n\n")
    bed = made(tmp_path, "a.bed", "chr1\t0\t3\nchr1\t3\t10\nchr2\t0\t4\n")
    found = ss.read(bed, sizes=sizes, gap_label="none")
    assert [each.n for each in found.values()] == [10, 5]
    assert found.only("chr2").cuts == [4]
    wrong = made(tmp_path, "wrong.sizes", "chr1\t10\n")
    with pytest.raises(
        ValueError, match=re.escape("sizes= has no length for the series 'chr2'; expected one per series")
    ):
        ss.read(bed, sizes=wrong)


ERRORS = [
    ("a.lab", "0 1 A\n1 x B\n", {}, "a.lab, line 2: 'x' is not a time; expected a number like 12.5"),
    (
        "a.lab",
        "0 1 A\n1 1e400 B\n",
        {},
        "a.lab, line 2: '1e400' is too large for a number; expected a time below 1e308",
    ),
    ("a.lab", "0 nan A\n", {}, "a.lab, line 1: 'nan' is not a time; expected a number like 12.5"),
    ("a.lab", "0\n", {}, "a.lab, line 1: '0' has no end; expected a start, an end and a label"),
    (
        *("a.csv", "start,end\n0,1\n1.5,2\n", {"duration": 2}),
        "a.csv, line 3: the segment starts at 1.5, but the segment before it ends at 1.0, a gap of 0.5; expected segments "
        "that touch: tolerance= for rounding, or gap_label= for the label of gaps",
    ),
    (
        *("a.csv", "start,end\n0.383,1\n", {"unit": 1}),
        "a.csv, line 2: the first segment starts at 0.383 in place of 0, a gap of 0.383; expected segments that touch: "
        "tolerance= for rounding, or gap_label= for the label of gaps",
    ),
    (
        *("a.csv", "start,end\n0,1\n", {"duration": 2}),
        "a.csv (series 'a'): the last segment ends at 1.0, but the length is 2.0, a gap of 1; expected segments that touch: "
        "tolerance= for rounding, or gap_label= for the label of gaps",
    ),
    (
        *("a.lab", "0 2 A\n1 3 B\n", {}),
        "a.lab, line 2: the segment starts at 1.0, but the segment in line 1 ends at 2.0, an overlap of 1; expected "
        "segments that do not overlap: tolerance= for rounding, or overlap_label= for the label of overlaps",
    ),
    (
        *("a.lab", "0 2 A\n2 3 B\n", {"duration": 2.5}),
        "a.lab, line 2: the segment ends at 3.0, after the end, 2.5; expected segments before the end, or clip=True to cut "
        "them off",
    ),
    ("a.lab", "2 2 B\n", {}, "a.lab, line 1: the segment from 2.0 to 2.0 is empty; expected start < end"),
    ("a.lab", "0 2 A\n2 1 B\n", {}, "a.lab, line 2: the segment from 2.0 to 1.0 is empty; expected start < end"),
    ("a.bed", "c\t0\t3\nc\t3\t3\n", {}, "a.bed, line 2: the segment from 3 to 3 is empty; expected start < end"),
    (
        *("a.lab", "-1 2 A\n", {}),
        "a.lab, line 1: the segment from -1.0 to 2.0 starts before 0; expected starts of at least 0",
    ),
    (
        *("a.lab", "0 13000000 A\n", {}),
        "a.lab has only integers, up to 13000000, which look like the units of HTK; expected unit=1e-7 for units of 100 ns, or "
        "unit=1 for seconds",
    ),
    ("a.lab", "", {}, "a.lab (series 'a') has no segment; expected at least one"),
    ("a.lab", b"0 1 caf\xe9\n", {}, "a.lab, line 1: byte 0xe9 is not UTF-8; expected UTF-8 (save the file as UTF-8)"),
    (
        "a.lab",
        LAB.encode("utf-16"),
        {},
        "a.lab, line 1 starts with a mark of UTF-16; expected UTF-8 (save the file as UTF-8)",
    ),
    ("a.lab", "0 1 A\0\n", {}, "a.lab, line 1 holds a NUL character; expected text"),
    ("a.lab", LAB, {"n": 30}, "a.lab holds times, but n = 30 counts points; expected duration="),
    (
        *("a.bed", "c\t0\t5\n", {"duration": 5}),
        "a.bed holds points, but duration = 5.0 is in seconds; expected n=, or also unit= for the seconds per point",
    ),
    (
        *("a.bed", "c\t0\t3\nc\t4\t8\n", {}),
        "a.bed, line 2: the segment starts at 4, but the segment before it ends at 3, a gap of 1; expected segments that "
        "touch, or gap_label= for the label of gaps; closed intervals look like this (add 1 to each end)",
    ),
    (
        *("a.bed", "c\t1\t3\n", {}),
        "a.bed, line 1: the first segment starts at 1 in place of 0, a gap of 1; expected segments that touch, or gap_label= for "
        "the label of gaps; 1-based starts look like this (subtract 1 from each start)",
    ),
    ("a.bed", "c\t0\n", {}, "a.bed, line 1: 'c\\t0' has 2 fields; expected chrom, start and end"),
    ("a.bed", "c\t0\t5.5\n", {}, "a.bed, line 1: '5.5' is not a point; expected an integer like 12"),
    (
        "a.bed",
        "c\t0\t99999999999999999999\n",
        {},
        "a.bed, line 1: 99999999999999999999 is too large; expected an integer below 2**63",
    ),
    ("a.bed", "# nothing\n", {}, "a.bed has no segmentation; expected at least one"),
    (
        *("a.rttm", "SPEAKER x 1 0 8000 <NA> <NA> A <NA>\n", {}),
        "a.rttm, line 1 has 9 fields; expected 10: SPEAKER file channel onset duration <NA> <NA> name <NA> <NA> (9 fields are a "
        "variant with ends in place of durations, in samples)",
    ),
    (
        *("a.rttm", "hello\n", {}),
        "a.rttm, line 1 starts with 'hello'; expected SPEAKER file channel onset duration <NA> <NA> name <NA> <NA>",
    ),
    ("a.TextGrid", "", {}, "a.TextGrid ends before the type of the file; expected a TextGrid that Praat saved as text"),
    (
        *("a.TextGrid", '"ooTextFile"\n"Sound"', {}),
        "a.TextGrid, line 2: the class of the file is 'Sound' in place of 'TextGrid'; expected a TextGrid that Praat saved as "
        "text",
    ),
    (
        *("a.TextGrid", LONG.replace("xmax = 12.5", 'xmax = "x"'), {}),
        "a.TextGrid, line 17: '\"x\"' is not the end of an interval; expected a TextGrid that Praat saved as text",
    ),
    (
        *("a.TextGrid", LONG.replace('"verse"', '"verse', 1), {}),
        "a.TextGrid, line 22: '\"\\n        intervals [3]:\\n             is not a time; expected a TextGrid that Praat saved as text",
    ),
    (
        "a.TextGrid",
        LONG.encode()[:-3],
        {},
        "a.TextGrid, line 38: a quote is not closed; expected a TextGrid that Praat saved as text",
    ),
    ("a.jams", "[]", {}, 'a.jams is not JAMS; expected a JAMS file with a list of "annotations"'),
    (
        *("a.jams", jams(annotation("Ada", [(0, "x", "A")])), {}),
        "a.jams: annotations[0], observation 0: duration = 'x'; expected a number of seconds",
    ),
    (
        *("a.jams", jams(annotation("", [(0, 5, "A"), (4, 26, "B")])), {}),
        "a.jams: annotations[0], observation 1: the segment starts at 4.0, but the segment in observation 0 ends at 5.0, an "
        "overlap of 1; expected segments that do not overlap: tolerance= for rounding, or overlap_label= for the label of "
        "overlaps",
    ),
    (
        *("a.jams", jams(annotation("", [(0.5, 0, 1)], "beat"), annotation("", [])), {}),
        "a.jams has no segments; its namespaces are segment_open, beat; expected segment_*, multi_segment, or tier= for "
        "another namespace",
    ),
    (
        *("a.jams", jams(annotation("Ada", VERSES), duration=float("inf")), {}),
        "a.jams: file_metadata: duration = inf; expected a number of seconds",
    ),
    ("a.uem", "x 1 0\n", {}, "a.uem, line 1 has 3 fields; expected file, channel, start and end"),
    (
        "a.txt",
        "0 A\n",
        {},
        "a.txt has 1 line of a time and a label; expected at least two, because the last line is the end",
    ),
    ("a.json", "[3, 8", {"n": 9}, "a.json ends with ' 8'; expected a JSON list of cuts like [3, 8]"),
    ("a.json", "[3, 8.5]", {"n": 9}, "a.json: '8.5' is not a cut; expected integers below 2**63"),
    (
        "a.json",
        "[3, 8]",
        {},
        "a.json (series 'a') has cuts but no length; expected n=, duration= for cuts in time, sizes= for a file of lengths, or ends=True for cuts that end with the length",
    ),
    ("a.json", "{\n'a': 1}", {}, "a.json, line 2, column 1: \"'a': 1}\" is not JSON; expected JSON"),
    (
        "a.json",
        '{"cuts": [3], "cuts": [4]}',
        {"n": 9},
        "a.json: the key 'cuts' occurs twice in one object; expected JSON",
    ),
    ("a.json", '{"cuts": [NaN]}', {"n": 9}, "a.json: NaN is not a number of JSON; expected JSON"),
    ("a.json", '{"cuts": [1e999]}', {"n": 9}, "a.json: 1e999 is too large for a number; expected JSON"),
    ("a.json", "[[" * 100_000, {"n": 9}, "a.json has lists or objects too deep inside others; expected JSON"),
    (
        "a.json",
        jams(annotation("", VERSES)),
        {},
        "a.json looks like JAMS; expected format='jams', or a name that ends with .jams",
    ),
    (
        "a.jsonl",
        '{"cuts": [3]}\n[4]\n',
        {"n": 9},
        'a.jsonl, line 2 is [4]; expected an object like {"change_points": [3, 8]}',
    ),
    (
        "a.jsonl",
        '{"cuts": [3]}\n{"cuts": [4]}\n',
        {"n": 9},
        "a.jsonl, line 2 has the same series, 'a', and tier, '', as line 1; expected different names",
    ),
    (
        "a.jsonl",
        '{"cuts": [3], "n": 9, "duration": 9}',
        {},
        "a.jsonl, line 1 has n = 9 and duration = 9; expected one of them",
    ),
    (
        "a.jsonl",
        '{"cuts": [3, "4"]}',
        {"n": 9},
        "a.jsonl, line 1: cuts[1] = '4' is not a number; expected a list of cuts",
    ),
    (
        "a.jsonl",
        '{"cuts": [3], "labels": ["A"]}',
        {"n": 9},
        "a.jsonl, line 1 (series 'a'): labels has 1 item for 2 segments; expected one per segment",
    ),
    (
        "a.jsonl",
        '{"cuts": [3, 2]}',
        {"n": 9},
        "a.jsonl, line 1 (series 'a'): cuts[1] = 2 does not exceed cuts[0] = 3; cuts must strictly increase (sort them first)",
    ),
    (
        "a.jsonl",
        '{"truth": [3], "pred": [2]}',
        {"n": 9},
        "a.jsonl, line 1 has the columns truth and pred; expected one segmentation per row in change_points (segscore.score() scores tables of truth and pred)",
    ),
    (
        "a.csv",
        "cut\n3\n2\n",
        {"n": 9},
        "a.csv, line 3: 2 does not exceed 3 before it; cuts must strictly increase (sort them first)",
    ),
    (
        "a.csv",
        "cut\n3\n12\n",
        {"n": 9},
        "a.csv, line 3: 12 is after the end, 9; expected cuts before the end, or clip=True to leave them out",
    ),
    (
        "a.csv",
        "cut\n3\n4.5\n",
        {"n": 9},
        "a.csv, line 3: 4.5 is not a point; expected integers, or duration= for cuts in time",
    ),
    ("a.csv", "cut,n\n3,9\n4,8\n", {}, "a.csv, line 3: n = 8, but n = 9 above; expected one length per segmentation"),
    (
        "a.csv",
        "a,b\n3,2\n",
        {"n": 9},
        "a.csv, line 1 has the columns a, b; expected change_points, cut, or start and end",
    ),
    ("a.csv", "cut,cut\n3,2\n", {"n": 9}, "a.csv, line 1: the column 'cut' occurs twice; expected different names"),
    ("a.csv", "cut,b\n3\n", {"n": 9}, "a.csv, line 2 has 1 cell; expected 2, as in the header"),
    ("a.csv", 'cut\n"3\n', {"n": 9}, "a.csv, line 2: a quoted cell is not closed; expected CSV"),
    ("a.csv", "", {"n": 9}, "a.csv is empty; expected a header, such as series,change_points,n"),
    ("a.csv", "change_points\n[3 ... 8]\n", {"n": 9}, None),
    (
        "a.csv",
        "start,end\n0,3\n",
        {},
        "a.csv (series 'a') does not say whether its numbers are points or times; expected n= for points, duration= for times, or unit=1 for seconds up to the last end",
    ),
    ("a.txt", "3\nx\n", {"n": 9}, "a.txt, line 2: 'x' is not a cut; expected integers below 2**63"),
    (
        "a.txt",
        "3\n2\n",
        {"n": 9},
        "a.txt, line 2: 2 does not exceed 3 before it; cuts must strictly increase (sort them first)",
    ),
    (
        "a.txt",
        "0.5\t1.5\n",
        {"n": 9},
        "a.txt, line 1 has fields separated by tabs; expected one cut per line, or format='audacity' for labels of Audacity",
    ),
    ("a.npy", b"\x80\x04N.", {"n": 9}, "a.npy is not a .npy file; expected numbers that numpy.save wrote"),
    ("a.parquet", b"PAR1", {"n": 9}, "a.parquet cannot be read as parquet; expected a whole Parquet file"),
    ("a.arrow", b"ARROW1", {"n": 9}, "a.arrow cannot be read as arrow; expected a whole Arrow file"),
    ("a.xyz", "", {}, None),
    ("a.lab", LAB, {"tier": "x"}, "a.lab has no tier 'x'; expected one of (series, tier): ('a', '')"),
    ("a.lab", LAB, {"format": "labs"}, "format = 'labs' is not known; did you mean 'lab'?"),
    ("a.lab", LAB, {"unit": 0}, "unit = 0 is out of range; expected a positive number"),
]


@pytest.mark.parametrize(("name", "content", "options", "message"), ERRORS)
def test_errors_word_for_word(tmp_path, monkeypatch, name, content, options, message):
    monkeypatch.chdir(tmp_path)
    made(tmp_path, name, content)
    with pytest.raises(ValueError) as raised:  # noqa: PT011
        ss.read(name, **options)
    if message is not None:
        assert str(raised.value) == message


def test_other_errors(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FileNotFoundError, match=r"^a\.lab cannot be read: No such file or directory; expected a file$"):
        ss.read("a.lab")
    with pytest.raises(IsADirectoryError, match="is a folder; expected a file, or format='tcpdbench'"):
        ss.read(tmp_path, format="lab")
    with pytest.raises(TypeError, match=r"^n= and duration= exclude each other; expected one of them$"):
        ss.read("a.lab", n=3, duration=3)
    with pytest.raises(TypeError, match=r"^path = 3 is a int; expected the name of a file$"):
        ss.read(3)
    found = ss.read(made(tmp_path, "a.bed", "x\t0\t3\ny\t0\t3\n"))
    with pytest.raises(
        ValueError, match=re.escape("has 2 segmentations; expected one: choose with series= or tier= among 'x', 'y'")
    ):
        found.only()
    with pytest.raises(ValueError, match=re.escape("has no series 'z'; it has 'x', 'y'")):
        found.of("z")


def test_large_documents_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(text, "LARGEST", 1 << 20)
    path = made(tmp_path, "a.jams", " " * (1 << 20) + "{}")
    with pytest.raises(
        ValueError,
        match=r"a.jams is larger than 1 MiB, and this format is read as a whole; expected a smaller file, "
        "the same segmentations as .jsonl, .csv or .parquet, or a larger SEGSCORE_LIMITS in the environment",
    ):
        ss.read(path)
    monkeypatch.setattr(text, "LONGEST", 1000)
    path = made(tmp_path, "a.bed", "c\t0\t5\n" + "x" * 2000)
    with pytest.raises(ValueError, match="line 2 has more than 1,000 characters; expected shorter lines"):
        ss.read(path)


def test_suffixes():
    assert format_of("x/a.TEXTGRID").name == "textgrid"
    assert format_of("a.ndjson").name == "jsonl"
    suffixes = [suffix for known in FORMATS.values() for suffix in known.suffixes]
    assert len(suffixes) == len(set(suffixes))
    with pytest.raises(ValueError, match=re.escape("a.gz ends with '.gz'; expected .txt, .npy, .json,")):
        format_of("a.gz")


def test_tables_have_the_formats_of_tables():
    names = ("a.CSV", "a.tsv", "a.jsonl", "a.ndjson", "a.parquet", "a.arrow", "a.feather", "a.ipc")
    formats = ["csv", "tsv", "jsonl", "jsonl", "parquet", "arrow", "arrow", "arrow"]
    assert [table_format(name) for name in names] == formats
    expected = "expected .jsonl, .ndjson, .csv, .tsv, .parquet, .arrow, .feather or .ipc"
    for name, ending in (("a.bed", ".bed"), ("a", "nothing")):
        with pytest.raises(ValueError, match=f"^{re.escape(f'{name} ends with {ending!r}; {expected}')}$"):
            table_format(name)


def test_results_of_tcpdbench(tmp_path):
    runs = {
        "dataset": "nile",
        "dataset_nobs": 100,
        "annotations": {"6": [28], "7": [29]},
        "results": {
            "pelt": [
                {"parameters": {"a": k}, "cplocations": cuts, "scores": None, "status": status}
                for k, (cuts, status) in enumerate(
                    [([27], "SUCCESS"), ([], "SUCCESS"), (None, "FAIL"), (None, "TIMEOUT")]
                )
            ]
        },
    }
    path = made(tmp_path, "summary_nile.json", json.dumps(runs))
    found = ss.read(path)
    assert found.notes == ("parameters, times and published scores", "2 runs without cuts")
    assert found.of("nile") == {
        'pelt ({"a":0})': ss.Segmentation([27], n=100),
        'pelt ({"a":1})': ss.Segmentation([], n=100),
        "6": ss.Segmentation([28], n=100),
        "7": ss.Segmentation([29], n=100),
    }
    result = {"dataset": "nile", "script": "pelt.R", "status": "SUCCESS", "result": {"cplocations": [27, 0]}}
    folder = tmp_path / "abed_results" / "nile" / "default_pelt"
    folder.mkdir(parents=True)
    made(folder, "1.json", json.dumps(result))
    assert ss.read(tmp_path / "abed_results", format="tcpdbench", n=100).of("nile") == {
        "default_pelt": ss.Segmentation([27], n=100)
    }
    with pytest.raises(
        ValueError, match="holds scores of TCPDBench and no cuts; expected annotations, results or a summary"
    ):
        ss.read(made(tmp_path, "scores.json", '{"nile": {"pelt": 0.5}}'), n=9)
