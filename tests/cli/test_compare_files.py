"""`segscore compare` of files that end elsewhere, and of folders."""

import json
import math

import pytest
from click.testing import CliRunner

import segscore as ss
from segscore.cli import main
from segscore.compat.mir_eval import segment

LABELS = {"": "__T_MIN"}  # mir_eval's name of what a file leaves out


def run(*arguments):
    return CliRunner().invoke(main, [str(a) for a in arguments], prog_name="segscore")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("refs", "ests"):
        (tmp_path / name).mkdir()
    return tmp_path


@pytest.mark.parametrize("number", range(10))
def test_the_pairs_of_mir_eval_have_its_scores(published_data, number):
    files = published_data / "files" / "mir_eval"
    ref, est, theirs = (
        files / f"{name}{number:02d}.{suffix}" for name, suffix in (("ref", "lab"), ("est", "lab"), ("output", "json"))
    )
    wanted = json.loads(theirs.read_text())
    truth = ss.read(ref).only()
    pred = ss.read(est, like=truth).only()
    assert pred.duration == truth.duration
    sides = [
        value
        for each in (truth, pred)
        for value in (each.to_intervals()[:, :2].astype(float), [LABELS.get(x, x) for x in each.labels])
    ]
    assert segment.evaluate(*sides) == pytest.approx(wanted, abs=1e-12)
    for margin in (0.5, 3.0):
        result = run("compare", ref, est, "--margin", margin, "--metrics", "precision,recall,f1", "--as", "json")
        assert result.exit_code == 0, result.output
        found = {name.partition("(")[0]: value for name, value in json.loads(result.stdout).items()}
        # mir_eval also counts the start and the end of the track, which always match.
        hits = round(found["precision"] * len(pred.cuts))
        assert hits == round(found["recall"] * len(truth.cuts))
        assert (hits + 2) / (len(pred.cuts) + 2) == pytest.approx(wanted[f"Precision@{margin}"], abs=1e-12)
        assert (hits + 2) / (len(truth.cuts) + 2) == pytest.approx(wanted[f"Recall@{margin}"], abs=1e-12)
        interior = segment.detection(sides[0], sides[2], window=margin, trim=True)
        assert tuple(found.values()) == pytest.approx(interior, abs=1e-12)
        lines = [line for line in result.stderr.splitlines() if line.startswith(str(est))]
        ends = [float(path.read_text().split("\n")[-2].split()[1]) for path in (ref, est)]
        (line,) = lines
        assert ("filled up to the length" if ends[1] < ends[0] else "cut off at the length") in line


@pytest.mark.parametrize(
    ("name", "content", "wanted", "changes"),
    [
        (
            *("a.lab", "0 12 A\n12 25 B\n", ss.Segmentation([12, 25], ["A", "B", ""], duration=30)),
            ["1 segmentation was filled up to the length, by 5 s"],
        ),
        (
            *("a.lab", "0 12 A\n12 33 B\n33 40 C\n", ss.Segmentation([12], ["A", "B"], duration=30)),
            ["1 segmentation was cut off at the length, by 10 s"],
        ),
        (
            *("a.lab", "0.000 12.000 A\n12.000 29.998 B\n", ss.Segmentation([12], ["A", "B"], duration=30)),
            ["1 difference of at most 0.002 s between segments was closed as rounding"],
        ),
        (  # a table of segments, where other gaps are errors
            *("a.csv", "start,end\n0,12\n12,25\n", ss.Segmentation([12, 25], duration=30)),
            ["1 segmentation was filled up to the length, by 5 s"],
        ),
        (
            *("a.json", '[{"change_points": [12], "labels": ["A", "B"], "duration": 25}]'),
            ss.Segmentation([12, 25], ["A", "B", ""], duration=30),
            ["1 segmentation was filled up to the length, by 5 s"],
        ),
        (
            *("a.json", '[{"change_points": [12, 31, 35], "labels": ["A", "B", "C", "D"], "duration": 40}]'),
            ss.Segmentation([12], ["A", "B"], duration=30),
            ["1 segmentation was cut off at the length, by 5 s"],
        ),
        ("a.txt", "12\n20.5\n", ss.Segmentation([12, 20.5], duration=30), []),
        (
            *("a.txt", "12\n30.5\n", ss.Segmentation([12], duration=30)),
            ["1 segmentation was cut off at the length, by 0.5 s"],
        ),
    ],
)
def test_a_prediction_like_its_truth(folder, name, content, wanted, changes):
    (folder / name).write_text(content)
    found = ss.read(name, like=ss.Segmentation([3], ["x", "y"], duration=30))
    assert found.only() == wanted
    assert list(found.changes) == changes


def test_predictions_in_points_like_their_truth(folder):
    truth = ss.Segmentation([3], n=10)
    (folder / "a.bed").write_text("c\t0\t4\nc\t4\t8\n")
    assert ss.read("a.bed", like=truth).only() == ss.Segmentation([4, 8], n=10)
    (folder / "a.json").write_text('[{"change_points": [4], "n": 8}]')
    assert ss.read("a.json", like=truth).only() == ss.Segmentation([4, 8], n=10)
    (folder / "a.json").write_text('[{"change_points": [4, 9], "n": 8}]')
    with pytest.raises(ValueError, match=r"^a\.json, record 1: 9 is after the end, 8; expected cuts before the end$"):
        ss.read("a.json", like=truth)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"like": [3]}, TypeError, "like = [3] is a list; expected a Segmentation (the truth)"),
        (
            {"like": ss.Segmentation([3], n=9), "duration": 9},
            TypeError,
            "duration= and like= exclude each other; expected one of them",
        ),
        (
            {"like": ss.Segmentation([3], n=9)},
            ValueError,
            "a.lab holds times, but n = 9 counts points; expected like= in time",
        ),
    ],
)
def test_what_like_refuses(folder, options, error, message):
    (folder / "a.lab").write_text("0 12 A\n")
    with pytest.raises(error) as raised:
        ss.read("a.lab", **options)
    assert str(raised.value) == message


def test_compare_takes_the_length_of_the_truth_unless_told_otherwise(folder):
    (folder / "ref.lab").write_text("0.5 12 A\n12 30 B\n")
    (folder / "est.lab").write_text("0 12 A\n12 25 B\n")
    found = run("compare", "ref.lab", "est.lab", "--metrics", "f1", "--margin", 0.5, "--as", "csv")
    assert (found.exit_code, found.stdout) == (0, "score,value\nf1(margin=0.5),0.5\n")
    assert found.stderr == (
        "ref.lab: 1 gap became a segment, of 0.5 s\nest.lab: 1 segmentation was filled up to the length, by 5 s\n"
    )
    found = run("compare", "ref.lab", "est.lab", "--metrics", "f1", "--margin", 0.5, "--as", "csv", "--duration", 26)
    assert found.exit_code == 2
    assert found.stderr.startswith("segscore: ref.lab, line 2: the segment ends at 30.0, after the end, 26.0; expected")
    found = run("compare", "ref.lab", "est.lab", "--metrics", "covering", "--duration", 26, "--clip", "--as", "csv")
    assert found.exit_code == 0 and "ref.lab: 1 segmentation was cut off at the length, by 4 s" in found.stderr
    found = run("matrix", "ref.lab", "est.lab", "--metrics", "covering")
    assert found.exit_code == 2 and "duration = 30.0" in found.stderr


def test_compare_folders(folder):
    (folder / "refs" / "deep").mkdir()
    (folder / "ests" / "deep").mkdir()
    for name in ("a", "b", "deep/c"):
        ss.write(ss.Segmentation([4, 7], n=10), f"refs/{name}.json")
    (folder / "ests" / "a.csv").write_text("change_points,n\n[4],10\n")
    (folder / "ests" / "b.bed").write_text("b\t0\t4\nb\t4\t7\nb\t7\t10\n")
    (folder / "ests" / "deep" / "c.json").write_text('[{"change_points": [], "n": 10}]')
    (folder / "refs" / "README.md").write_text("")
    (folder / "ests" / "d.bed").write_text("")
    (folder / "ests" / ".hidden").write_text("")
    arguments = ("compare", "refs", "ests", "--metrics", "f1,mean_error", "--margin", 0)
    found = run(*arguments, "--as", "csv")
    assert found.exit_code == 0, found.output
    assert found.stdout.splitlines() == [
        "file,f1(margin=0),mean_error",
        f"a,{2 / 3!r},0.0",
        "b,1.0,0.0",
        "deep/c,0.0,nan",
        f"mean,{(2 / 3 + 1) / 3!r},0.0",
    ]
    assert found.stderr.splitlines() == [
        "mean of mean_error: without 1 file whose score is nan",
        "refs/README.md has no file of its name in the other folder",
        "ests/d.bed has no file of its name in the other folder",
    ]
    as_json = json.loads(run(*arguments, "--as", "json").stdout)
    assert as_json["files"]["deep/c"] == {"f1(margin=0)": 0.0, "mean_error": "nan"}
    assert math.isclose(as_json["mean"]["f1(margin=0)"], 5 / 9)
    table = run(*arguments).stdout
    assert [line.split() for line in table.splitlines()][2] == ["a", "0.6667", "0"]
    every = run("compare", "refs", "ests", "--margin", 1).stdout
    assert max(map(len, every.splitlines())) <= 160
    assert set(every.split()) >= {
        "file",
        "mean",
        *(name.partition("(")[0] for name in ss.compare([4], [5], n=10, margin=1)),
    }


@pytest.mark.parametrize(
    ("pred", "message"),
    [
        ("refs/a.json", "refs is a folder, but refs/a.json is not; expected two files or two folders"),
        ("3,8", "refs is a folder, but [3 8] is not; expected two files or two folders"),
        (
            "others",
            "refs and others have no files of one name; expected pairs such as a.lab and a.jams",
        ),
        ("twice", "twice/a.bed and twice/a.lab have one name; expected one file per name"),
        ("mixed", "a is in points, but b is in time; expected one kind"),
    ],
)
def test_errors_about_folders(folder, pred, message):
    for name in ("others", "twice", "mixed"):
        (folder / name).mkdir()
    ss.write(ss.Segmentation([4, 7], n=10), "refs/a.json")
    ss.write(ss.Segmentation([4, 7], duration=10), "refs/b.json")
    for name in ("twice/a.lab", "mixed/b.lab"):
        ss.write(ss.Segmentation([4], ["x", "y"], duration=10), name)
    for name in ("twice/a.bed", "mixed/a.bed"):
        ss.write({"a": ss.Segmentation([4], ["x", "y"], n=10)}, name)
    found = run("compare", "refs", pred)
    assert (found.exit_code, found.stdout) == (2, "")
    assert found.stderr == f"segscore: {message}\n"
