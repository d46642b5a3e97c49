"""Files as people have them: each format with its rounding, gaps, overlaps and marks, read without options."""

import json
import re

import pytest

import segscore as ss

NO_SEGMENTATION = {"bed/empty.bed", "bed/referencePoints_qc.bed"}  # nothing at all; points without a length


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def read(folder, name, content, **options):
    (folder / name).write_text(content)
    return ss.read(name, **options)


def test_real_files_are_read_without_options(published_data):
    refused, read_files = set(), 0
    for path in sorted((published_data / "files").rglob("*.*")):
        if path.suffix in (".md", ".json"):
            continue
        try:
            assert len(ss.read(path)) > 0
            read_files += 1
        except ValueError:
            refused.add(f"{path.parent.name}/{path.name}")
    assert refused == NO_SEGMENTATION
    assert read_files > 120


@pytest.mark.parametrize("file", ["0001_12step", "0335_allyourlife", "0874_realize"])
def test_rounding_adds_no_segments(published_data, file):
    path = published_data / "files" / "jams" / f"{file}.jams"
    content = json.loads(path.read_text())
    (rows,) = (each["data"] for each in content["annotations"] if each["namespace"].startswith("segment"))
    found = ss.read(path)
    assert [cut for cut in found.only().cuts if cut != rows[-1]["time"] + rows[-1]["duration"]] == [
        row["time"] for row in rows if row["time"]
    ]
    assert "closed as rounding" in found.changes[0]


@pytest.mark.parametrize(
    ("name", "content", "cuts", "labels", "changes"),
    [
        (  # less than the precision of the format
            *("a.lab", "0.000 12.496 A\n12.500 20.001 B\n20.000 30 A\n", [12.5, 20.0], ["A", "B", "A"]),
            ["2 differences of at most 0.004 s between segments were closed as rounding"],
        ),
        (  # the last decimal of the file is more than the precision of the format
            *("a.lab", "0.0 12.4 A\n12.5 20.0 B\n20.0 30 A\n", [12.5, 20.0], ["A", "B", "A"]),
            ["1 difference of at most 0.1 s between segments was closed as rounding"],
        ),
        (
            *("a.lab", "0.000 12.490 A\n12.500 30 B\n", [12.49, 12.5], ["A", "", "B"]),
            [
                "1 gap became a segment, of 0.01 s; 1 shorter than 0.05 s may be rounding, which tolerance= closes",
            ],
        ),
        (
            *("a.lab", "0.383 1.25 A\n1.25 1.25 mark\n2.125 3 B\n", [0.383, 1.25, 2.125], ["", "A", "", "B"]),
            ["1 segment of no length was left out", "2 gaps became segments, the shortest of 0.383 s"],
        ),
        (
            *("a.lab", "0 2.25 A\n1.25 3 A\n", [], ["A"]),  # overlapping segments with one label are joined
            [],
        ),
        (
            *("a.txt", "0.25\t1.5\tC\n1.25\t2.0\tB\n", [0.25, 1.25, 1.5], ["", "C", "B+C", "B"]),
            ["1 overlap became a segment, of 0.25 s", "1 gap became a segment, of 0.25 s"],
        ),
        ("a.txt", "0.0\t1.5\t\n1.5\t2.0\tB\n", [1.5], ["", "B"], []),
        ("a.txt", "0.0 1.5 verse one\n1.5 2.0 B\n", [1.5], ["verse one", "B"], []),
        (  # each label holds until the next time
            *("a.txt", "# SALAMI\n0.0\tSilence\n\n0.464\tA, a, Intro\n9.25\tb\n12.5\tEnd", [0.464, 9.25]),
            *(["Silence", "A, a, Intro", "b"], []),
        ),
        ("a.lab", "0.0 Silence\n0.5\tA\n9.25 end\n", [0.5], ["Silence", "A"], []),  # a .lab file without ends
        (
            *("a.txt", "0.25 intro\n4.5 verse\n4.5 chorus\n9.0 end\n", [0.25, 4.5], ["", "intro", "chorus"]),
            ["1 segment of no length was left out", "1 gap became a segment, of 0.25 s"],
        ),
        (
            *("a.txt", "-0.01 a\n9.0 b\n4.5 c\n12.0 end\n", [4.5, 9.0], ["a", "c", "b"]),
            ["1 time before 0 became 0", "the lines were sorted by their times"],
        ),
    ],
)
def test_times_as_people_write_them(folder, name, content, cuts, labels, changes):
    found = read(folder, name, content)
    assert found.only().cuts == cuts
    assert list(found.only().labels) == labels
    assert list(found.changes) == changes


def test_options_replace_what_formats_mean(folder):
    content = "0.0 12.49 A\n12.52 20 B\n"
    assert read(folder, "a.lab", content, tolerance=0.03).only().cuts == [12.52]
    assert read(folder, "a.lab", content, gap_label="-").only().labels == ("A", "-", "B")
    found = read(folder, "a.lab", "0.0 12.499 A\n12.5 20 B\n", tolerance=0)
    assert found.only().cuts == [12.499, 12.5]
    assert repr(found).splitlines()[-1].startswith("Changed: 1 gap became a segment, of 0.001 s; 1 shorter than")
    turns = "".join(f"SPEAKER x 1 {a} {b} <NA> <NA> {c} <NA> <NA>\n" for a, b, c in [(0.5, 3, "Ann"), (3, 2, "Bob")])
    found = read(folder, "a.rttm", turns)
    assert found.only() == ss.Segmentation([0.5, 3.0, 3.5], ["", "Ann", "Ann+Bob", "Bob"], duration=5)
    found = read(folder, "a.rttm", turns, overlap_label="both")
    assert found.only().labels == ("", "Ann", "both", "Bob")


def test_the_regions_of_uem_and_the_lengths_they_give(folder):
    (folder / "a.uem").write_text(";; AMI\nx 1 0.000 9.5\ny 1 0 4\n")
    turns = "SPEAKER x 1 1 2 <NA> <NA> A <NA> <NA>\nSPEAKER y 1 0 3 <NA> <NA> A <NA> <NA>\n"
    found = read(folder, "a.rttm", turns, sizes="a.uem")
    assert [each.duration for each in found.values()] == [9.5, 4.0]
    regions = read(folder, "b.uem", "x 1 5.0 20.0\nx 1 30.5 40\n")
    assert regions.only().segments == [(0, 5), (5, 20), (20, 30.5), (30.5, 40)]
    assert regions.only().labels == ("", "scored", "", "scored")
    assert ss.write(regions, "c.uem") == [] and ss.read("c.uem")["x", ""] == regions.only()
    message = "b.uem, line 1: the scored region of 'x' from 5.0 to 20.0 does not give a length; expected one region per"
    with pytest.raises(ValueError, match=f"^{re.escape(message)} recording, from 0$"):
        ss.read("a.rttm", sizes="b.uem")
    song = ss.Segmentation([3.0], ["A", "B"], duration=9)
    message = "'d' has other labels than 'scored' and '', and uem can hold only scored regions; rename the labels first"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        ss.write(song, "d.uem")
    assert not (folder / "d.uem").exists()


TIER = '"IntervalTier" "words" {0} {1} 2 {0} {2} "a" {2} {1} "b"\n'
HEAD = '"ooTextFile" "TextGrid" {} {} <exists> {}\n'


def test_textgrids_that_do_not_start_at_0(folder):
    tiers = TIER.format(1358.8925, 1422.5525, 1361.8925) + '"TextTier" "p" 1358.8925 1422.5525 1 1359.9925 "x"\n'
    found = read(folder, "a.TextGrid", HEAD.format(1358.8925, 1422.5525, 2) + tiers)
    assert found.only(tier="words") == ss.Segmentation([3.0], ["a", "b"], duration=63.66)
    assert found.only(tier="p") == ss.Segmentation([1.1], duration=63.66)
    assert found.changes == ("times count from the start of the file, 1358.8925 s",)
    tiers = TIER.format(-0.25, 2, "1/2") + TIER.format(0, 2, 1)
    found = read(folder, "a.TextGrid", HEAD.format(0, 2, 2) + tiers)  # all tiers of a file have one start
    assert [each.cuts for each in found.values()] == [[0.75], [0.25, 1.25]]
    with pytest.raises(ValueError, match=r"^a\.TextGrid, line 2: 1/0 divides by 0; expected a TextGrid that Praat"):
        read(folder, "a.TextGrid", HEAD.format(0, 2, 1) + TIER.format(0, 2, "1/0"))
    found = read(folder, "a.TextGrid", HEAD.format(0, 2, 1) + '"IntervalTier" "empty" 0 2 0\n')
    assert found.only() == ss.Segmentation([], duration=2)


def jams(*annotations, **metadata):
    return json.dumps({"annotations": list(annotations), "file_metadata": metadata})


def annotation(namespace, *rows, **more):
    return {
        "namespace": namespace,
        "data": [dict(zip(("time", "duration", "value", "confidence"), row, strict=True)) for row in rows],
        **more,
    }


def test_jams_with_other_fields(folder):
    segments = annotation("segment_open", (0.0, 5.0, "A", None), (5.0, 5.02, "B", float("inf")))
    onsets = annotation("onset", (0.5, 0.0, None, None), duration=float("nan"))
    content = jams(onsets, segments, annotation("segment_open"), duration=10.0, tempo=float("inf"))
    assert "Infinity" in content and "NaN" in content
    found = read(folder, "a.jams", content)
    assert found.only() == ss.Segmentation([5.0], ["A", "B"], duration=10.02)
    assert "1 annotation without segments" in found.notes
    assert found.changes == ("1 segmentation was longer than the length in the file, by 0.02 s",)


def test_changes_are_counted_over_all_series(folder):
    turns = [f"SPEAKER {k} 1 1 2 <NA> <NA> A <NA> <NA>\n" for k in range(1000)]
    assert read(folder, "a.rttm", "".join(turns)).changes == ("1000 gaps became segments, the shortest of 1 s",)
    bed = "track name=x\nbrowser position y\nchr1\t2\t9\tA\nchr1\t4\t6\tB\nchr2\t0\t5\t.\n\n"
    found = read(folder, "a.bed", bed)
    assert found.only("chr1") == ss.Segmentation([2, 4, 6], ["", "A", "A+B", "A"], n=9)
    assert found.changes == ("1 overlap became a segment, of 2", "1 gap became a segment, of 2")


def test_invalid_runs_of_tcpdbench_are_counted(folder):
    for k, cuts in enumerate([[27], [-1], [-1], None]):
        result = {"dataset": "nile", "script": "x.py", "status": "SUCCESS", "result": {"cplocations": cuts}}
        place = folder / "abed" / "nile" / f"best_{k}"
        place.mkdir(parents=True)
        (place / "1.json").write_text(json.dumps(result))
    found = ss.read("abed", format="tcpdbench", n=100)
    assert dict(found) == {("nile", "best_0"): ss.Segmentation([27], n=100)}
    assert found.notes == (
        "parameters, times and published scores",
        "2 runs with a cut below 0, which is invalid",
        "1 run without cuts",
    )
