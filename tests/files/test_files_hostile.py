"""Careless and hostile files: a clear error soon, and in little memory."""

import contextlib
import json
import os
import re
import threading
import time
import tracemalloc

import numpy as np
import pytest
from click.testing import CliRunner

import segscore as ss
from segscore.cli import main
from segscore.files import FORMATS
from segscore.files.text import LARGEST, LONGEST, first_twice


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def refused(path, message, **options):
    with pytest.raises((ValueError, OSError), match=f"^{re.escape(message)}$"):
        ss.read(path, **options)


def test_names_that_occur_twice_are_found_in_one_pass(folder):
    """Comparing each of 300,000 names with all others would take minutes."""
    names = [f"c{k}" for k in range(300_000)]
    assert first_twice([*names, "c7", "c5"]) == "c7"
    assert first_twice(names) is None
    started = time.process_time()
    (folder / "x.csv").write_text(",".join([*names, "c7"]))
    refused("x.csv", "x.csv, line 1: the column 'c7' occurs twice; expected different names")
    (folder / "x.json").write_text(json.dumps(dict.fromkeys(names, 1))[:-1] + ', "c7": 1}')
    refused("x.json", "x.json: the key 'c7' occurs twice in one object; expected JSON")
    assert time.process_time() - started < 60


def test_a_quote_that_is_not_closed_takes_little_memory(folder):
    """Patterns that remember each character took a hundred times the size of the file."""
    (folder / "x.TextGrid").write_text('File type = "ooTextFile"\nObject class = "' + "a" * 4_000_000)
    tracemalloc.start()
    try:
        refused(
            "x.TextGrid",
            "x.TextGrid, line 2: a quote is not closed; expected a TextGrid that Praat saved as text",
        )
        assert tracemalloc.get_traced_memory()[1] < LARGEST + 50_000_000  # a read reserves LARGEST
    finally:
        tracemalloc.stop()
    text = 'File type = "ooTextFile" Object class = "TextGrid" 0 1 <exists> 1 "IntervalTier" "a" 0 1 1 0 1 "say ""b"""'
    (folder / "x.TextGrid").write_text(text)
    assert ss.read("x.TextGrid").only().labels == ('say "b"',)


def test_numbers_without_an_end(folder):
    shown = "'" + "1" * 20 + "'..."
    for name, start in (("x.txt", ""), ("x.json", "[")):
        (folder / name).write_text(start + "1" * (2 * LONGEST))
        refused(name, f"{name}: {shown} has more than {LONGEST:,} characters; expected numbers", n=9)
    with pytest.raises(ValueError, match="has more than"):
        ss.read("/dev/zero", format="text", n=9)


def test_half_a_character(folder):
    for where in (
        '{"series": "\\ud800", "change_points": [3], "n": 9}',
        '{"\\udfff": 1, "change_points": [3], "n": 9}',
    ):
        (folder / "x.json").write_text(where)
        half = re.search(r"\\u....", where)[0]
        refused("x.json", f"x.json: {half} is half a character; expected JSON")
    (folder / "x.json").write_text('{"series": "\\ud83d\\ude00 \\\\ud800", "change_points": [3], "n": 9}')
    assert ss.read("x.json").only("\U0001f600 \\ud800") == ss.Segmentation([3], n=9)


def test_pipes(folder):
    """A format that is read in one pass can come from a pipe; others say that they need a file."""

    def piped(content, **options):
        reading, writing = os.pipe()
        os.write(writing, content)
        os.close(writing)
        try:
            return ss.read(f"/dev/fd/{reading}", **options)
        finally:
            os.close(reading)

    assert piped(b"0 1 A\n1 2 B\n", format="lab").only() == ss.Segmentation([1.0], "AB", duration=2)
    assert piped(b"3\n8\n", format="text", n=10).only() == ss.Segmentation([3, 8], n=10)
    assert piped(b'{"change_points": [3], "n": 9}\n', format="jsonl").only() == ss.Segmentation([3], n=9)
    for name in ("json", "npy", "parquet", "arrow"):
        message = f"can be read only once, as it is a pipe or a device; expected a file for the format {name}$"
        with pytest.raises(ValueError, match=message):
            piped(b"[3, 8]", format=name, n=10)


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("content", [b"3\nx\n", b"8\n3\n", b"99\n", b"1\t2\n", b"[8, 3]", b"\xff", b""])
def test_a_named_pipe_is_opened_once(name, content, folder):
    os.mkfifo("pipe")

    def fill():
        with contextlib.suppress(BrokenPipeError), open("pipe", "wb") as pipe:
            pipe.write(content)

    def read():
        try:
            ss.read("pipe", format=name, n=10)
        except ValueError as error:
            found.append(str(error))

    found = []
    threads = [threading.Thread(target=work, daemon=True) for work in (fill, read)]
    for thread in threads:
        thread.start()
    threads[1].join(20)
    assert not threads[1].is_alive()
    if (name, content) == ("text", b"3\nx\n"):
        assert found == ["pipe: 'x' is not a cut; expected integers below 2**63"]
    with contextlib.suppress(OSError):  # formats that need a file do not open the pipe
        os.close(os.open("pipe", os.O_RDONLY | os.O_NONBLOCK))
    threads[0].join(20)


def test_names_of_files_that_cannot_be():
    refused("a\0.lab", "path = 'a\\x00.lab' has a NUL character; expected the name of a file")
    name = "a" * 5000 + ".lab"
    refused(name, f"{name} cannot be read: File name too long; expected a file")


def test_what_is_clipped_takes_its_labels_along(folder):
    (folder / "x.json").write_text('{"change_points": [0, 3, 8, 10], "labels": ["A", "B", "C"], "n": 10}')
    for n, wanted in (
        (10, ss.Segmentation([3, 8], "ABC", n=10)),
        (8, ss.Segmentation([3], "AB", n=8)),
        (5, ss.Segmentation([3], "AB", n=5)),
        (3, ss.Segmentation([], "A", n=3)),
    ):
        assert ss.read("x.json", n=n, clip=True).only() == wanted
    (folder / "x.json").write_text('{"change_points": [3, 8], "labels": ["A"], "n": 10}')
    refused(
        "x.json",
        "x.json, record 1 (series 'x'): labels has 1 item for 2 segments; expected one per segment",
        n=5,
        clip=True,
    )


def test_equal_labels_of_several_types_stay_one_label(folder):
    """1, 1.0 and True are one label for Python, and so for every score."""
    given = ss.Segmentation([1.0, 2.0], [1, 1.0, True], duration=3)
    for name in ("x.lab", "x.rttm", "x.TextGrid", "x.csv", "x.json", "x.parquet", "x.jams"):
        ss.write(given, name)
        assert len(set(ss.read(name).only().labels)) == 1, name


def test_timestamps_become_numbers_since_their_start(folder):
    start, end, cut = (np.datetime64(f"2024-05-0{day}T00", "ms") for day in (1, 3, 2))
    given = ss.Segmentation.from_timestamps([cut], start, end, "AB")
    since = "since 2024-05-01T00:00:00.000"
    assert ss.write(given, "x.json") == [f"the timestamps: the file holds numbers of ms {since}"]
    assert ss.read("x.json").only() == ss.Segmentation([86_400_000], "AB", n=172_800_000)
    assert ss.write(given, "x.lab") == [f"the timestamps: the file holds numbers of s {since}"]
    assert ss.read("x.lab").only() == ss.Segmentation([86_400], "AB", duration=172_800)
    pd = pytest.importorskip("pandas")
    zoned = [pd.Timestamp(f"2024-05-0{day}", tz="Europe/Berlin").as_unit("s") for day in (1, 2)]
    assert ss.write({"a": ss.Segmentation.from_timestamps([], *zoned)}, "x.bed") == [
        "the timestamps and the time zone Europe/Berlin: the file holds numbers of s since 2024-04-30T22:00:00Z"
    ]
    assert ss.read("x.bed").only() == ss.Segmentation([], n=86_400)


def test_what_rttm_and_jams_hold_besides(folder):
    """What a converted file does not hold any more is said."""
    (folder / "x.rttm").write_text("SPEAKER a 2 0 1 word <NA> Ann 0.5 <NA>\n")
    assert ss.read("x.rttm").notes == (
        "1 confidence",
        "channels other than 1 in 1 line",
        "orthography, subtypes or lookahead times in 1 line",
    )
    (folder / "x.rttm").write_text("SPEAKER a 1 0 1 <NA> <NA> Ann <NA> <NA>\nSPEAKER a 2 0 1 <NA> <NA> Bob <NA> <NA>\n")
    found = ss.read("x.rttm")
    assert (list(found), found.notes) == ([("a", "channel 1"), ("a", "channel 2")], ())
    song = ss.Segmentation([1.0], "AB", duration=3)
    assert ss.write({("x", "Ada"): song}, "x.jams") == []
    assert ss.read("x.jams").notes == ()
    content = json.loads((folder / "x.jams").read_text())
    content["annotations"][0]["annotation_metadata"]["annotator"]["email"] = "ada@example.org"
    (folder / "x.jams").write_text(json.dumps(content))
    assert ss.read("x.jams").notes == ("metadata of 1 annotation",)
    content["file_metadata"]["identifiers"] = {"mbid": "1"}
    content["annotations"][0] |= {"namespace": "segment_tut", "annotation_metadata": {}}
    (folder / "x.jams").write_text(json.dumps(content))
    assert ss.read("x.jams").notes == ("metadata of the recording", "the namespaces segment_tut")


def test_the_command_line_has_the_same_errors(folder):
    (folder / "x.json").write_text('[{"series": "\\ud800", "change_points": [3], "n": 9}]')
    found = CliRunner().invoke(main, ["matrix", "x.json"], prog_name="segscore")
    assert (found.exit_code, found.stderr) == (2, "segscore: x.json: \\ud800 is half a character; expected JSON\n")


def test_a_damaged_table_does_not_end_the_process(folder):
    """A page that claims to hold 2**60 values makes Polars reserve memory for them, which ends the process."""
    pl = pytest.importorskip("polars")
    table = pl.DataFrame({"truth": [[3, 8]] * 50, "pred": [[3]] * 50, "n": [10] * 50})
    for name, write in (("parquet", table.write_parquet), ("arrow", table.write_ipc)):
        write(f"x.{name}")
        whole = (folder / f"x.{name}").read_bytes()
        refused_by_us = 0
        for k in range(4, len(whole) - 8, max(1, len(whole) // 60)):
            damaged = bytearray(whole)
            damaged[k : k + 4] = b"\xff\xff\xff\x7f"
            (folder / f"x.{name}").write_bytes(damaged)
            arguments = ["score", f"x.{name}", "-o", "out.csv", "--metrics", "rand_index"]
            found = CliRunner().invoke(main, arguments, prog_name="segscore")
            assert found.exit_code in (0, 2), k
            assert "Traceback" not in found.output
            refused_by_us += found.stderr == (
                f"segscore: x.{name} cannot be read as {name}; expected a whole {name.capitalize()} file\n"
            )
        assert refused_by_us > 10, name


def test_lists_that_overlap_in_an_arrow_file_are_refused(folder):
    """Such lists would be read as wrong cuts, because only their first and last places are checked by default."""
    pa = pytest.importorskip("pyarrow")
    lists = pa.ListArray.from_arrays(pa.array([0, 2, 1, 3], pa.int32()), pa.array([3, 8, 9]))
    table = pa.table({"series": list("abc"), "change_points": lists, "n": [10] * 3})
    with pa.ipc.new_file("x.arrow", table.schema) as file:
        file.write_table(table)
    refused("x.arrow", "x.arrow cannot be read as arrow; expected a whole Arrow file")


def test_a_folder_with_a_damaged_table(folder):
    pl = pytest.importorskip("polars")
    (folder / "runs.parquet").mkdir()
    table = pl.DataFrame({"truth": [[3, 8]] * 50, "pred": [[3]] * 50, "n": [10] * 50})
    table.write_parquet("runs.parquet/a.parquet")
    (folder / "runs.parquet" / ".b.parquet").write_bytes(b"unfinished")
    arguments = ["score", "runs.parquet", "-o", "out.csv", "--metrics", "rand_index"]
    assert CliRunner().invoke(main, arguments, prog_name="segscore").exit_code == 0
    (folder / "runs.parquet" / "c.parquet").write_bytes((folder / "runs.parquet" / "a.parquet").read_bytes()[:-9])
    found = CliRunner().invoke(main, arguments, prog_name="segscore")
    assert found.exit_code == 2
    assert "c.parquet cannot be read as parquet; expected a whole Parquet file" in found.stderr


def tiers_of_praat(*tiers):
    """Return a TextGrid of 2 seconds in the short form; a tier is a name and its intervals."""
    words = ['"ooTextFile" "TextGrid" 0 2 <exists>', str(len(tiers))]
    for name, *intervals in tiers:
        words.append(f'"IntervalTier" "{name}" 0 2 {len(intervals)}')
        words += [f'{start} {end} "{label}"' for start, end, label in intervals]
    return "\n".join(words)


def test_small_differences_in_files(folder):
    """Each line here is a fault that no other test would notice."""
    (folder / "a.bed").write_text("c\t0\t3\nc\t4\t8\nc\t9\t12\nc\t20\t22\n")
    assert ss.read("a.bed", tolerance=5).only().cuts == [3, 4, 8, 9, 12, 20]  # points have no tolerance
    (folder / "a.lab").write_text("0.0000005 1 A\n")
    assert ss.read("a.lab").only() == ss.Segmentation([], "A", duration=1)
    turns = [(0, 1, "A"), (1, 1, "A"), (2, 2, "B"), (3, 2, "C")]
    (folder / "a.rttm").write_text("".join(f"SPEAKER x 1 {s} {d} <NA> <NA> {who} <NA> <NA>\n" for s, d, who in turns))
    assert ss.read("a.rttm", overlap_label="both").only() == ss.Segmentation(
        [1.0, 2.0, 3.0, 4.0], ["A", "A", "B", "both", "C"], duration=5
    )
    (folder / "a.TextGrid").write_text(tiers_of_praat(("a", (0, 1, "x"), (1.5, 2, "y"))))
    assert ss.read("a.TextGrid").only() == ss.Segmentation([1.0, 1.5], ["x", "", "y"], duration=2)
    one = (0, 2, "x")
    (folder / "a.TextGrid").write_text(tiers_of_praat(("a", one), ("a", one), ("a 1", one)))
    assert [tier for _, tier in ss.read("a.TextGrid")] == ["a 2", "a 3", "a 1"]
    own = {"namespace": "segment_open", "time": 5, "duration": 20, "data": [{"time": 5, "duration": 20, "value": "A"}]}
    (folder / "a.jams").write_text(json.dumps({"annotations": [own]}))
    assert ss.read("a.jams", gap_label="-").only() == ss.Segmentation([5.0], ["-", "A"], duration=25)
    (folder / "a.csv").write_text("start,end,label\n0,1,A\n1,2,\n")
    assert ss.read("a.csv", n=2).only().labels == ("A", "")
    (folder / "a.sizes").write_text("c 10\nc 11\n")
    refused("a.bed", "a.sizes, line 2: 'c' has two lengths; expected one per name", sizes="a.sizes")
