"""Files of every format on the command line: compare, matrix, consensus, plot, convert, and tables of other suffixes."""

import json

import polars as pl
import pytest
from click.testing import CliRunner

import segscore as ss
from segscore.cli import main

TRUTH = ss.Segmentation([12.5, 20], ["verse", "chorus", "verse"], duration=30)
PRED = ss.Segmentation([12, 21], ["A", "B", "A"], duration=30)


def run(*arguments):
    return CliRunner().invoke(main, [str(a) for a in arguments], prog_name="segscore")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ss.write(TRUTH, "truth.lab")
    ss.write(PRED, "pred.lab")
    return tmp_path


def scores(*arguments):
    found = run("compare", *arguments, "--as", "json")
    assert found.exit_code == 0, found.output
    return json.loads(found.stdout)


def test_compare_takes_files_of_every_format(folder):
    wanted = ss.compare(TRUTH, PRED, margin=0.5).to_dict()
    for name in (
        "truth.jams",
        "truth.TextGrid",
        "truth.rttm",
        "truth.jsonl",
        "truth.csv",
        "truth.parquet",
        "truth.arrow",
    ):
        ss.write(TRUTH, name)
        assert scores(name, "pred.lab", "--margin", 0.5) == pytest.approx(wanted, nan_ok=True), name
    ss.write(TRUTH, "labels.txt", format="audacity")
    assert scores("labels.txt", "labels.txt", "--format", "audacity")["rand_index"] == 1
    found = scores("truth.lab", "pred.lab", "--no-labels", "--margin", 0.5)
    assert found == pytest.approx(ss.compare(TRUTH.without_labels(), PRED.without_labels(), margin=0.5).to_dict())
    (folder / "pred.txt").write_text("12\n21\n")
    for pred in ("pred.txt", "12,21", "[12.0, 21.0]"):
        assert scores("truth.lab", pred, "--metrics", "covering")["covering"] == ss.covering(
            TRUTH, PRED.without_labels()
        )
    assert scores("12.5,20", "pred.txt", "--duration", 30)["rand_index"] == ss.rand_index(
        [12.5, 20], [12, 21], duration=30
    )


def test_times_and_labels_in_other_commands(folder):
    found = run("matrix", "truth.lab", "pred.lab", "--metrics", "covering")
    assert found.output.splitlines()[1] == f"truth.lab,1.0,{ss.covering(TRUTH, PRED)!r}"
    found = run("matrix", "truth.lab", "pred.lab", "--metrics", "f1(margin=0.5)")
    assert found.output.splitlines()[1] == f"truth.lab,1.0,{ss.f1(TRUTH, PRED, margin=0.5)!r}"
    assert found.output == run("matrix", "truth.lab", "pred.lab", "--metrics", "f1(margin=0.5)", "--no-labels").output
    found = run("consensus", "truth.lab", "truth.lab", "pred.lab")
    assert found.stdout.split() == ["12.5", "20.0"] and "26.75 (area of pairs of moments)" in found.stderr
    for chart in ("timeline", "staircase", "pk_curve"):
        found = run("plot", chart, "truth.lab", "pred.lab", "-o", f"{chart}.svg")
        assert found.exit_code == 0, found.output


def test_points_in_files(folder):
    (folder / "a.bed").write_text("c\t0\t3\nc\t3\t8\nc\t8\t10\nd\t0\t10\n")
    (folder / "people.json").write_text('{"c": {"Ada": [4, 8], "Ben": [5]}}')
    assert scores("a.bed", "4,8", "--series", "c")["rand_index"] == ss.rand_index([3, 8], [4, 8], n=10)
    found = run("matrix", "people.json", "--n", 10)
    assert found.output.splitlines()[0] == ',"people.json (c, Ada)","people.json (c, Ben)"'
    assert run("consensus", "people.json", "people.json", "--tier", "Ada", "--n", 10).stdout.split() == ["4", "8"]
    (folder / "plain.txt").write_text("4\n8\n")
    assert run("plot", "timeline", "a.bed", "plain.txt", "--series", "c", "-o", "x.svg").exit_code == 0
    assert (
        run("plot", "staircase", "people.json", "people.json", "--tier", "Ada", "--n", 10, "-o", "y.svg").exit_code == 0
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("compare", "gap.csv", "pred.lab", "--duration", 30),
            "gap.csv, line 2: the first segment starts at 0.5 in place of 0, a gap of 0.5; expected segments that touch: "
            "--tolerance for rounding, or --gap-label for the label of gaps",
        ),
        (
            ("matrix", "truth.lab", "short.lab"),
            "segmentations[1] has duration = 20.0 but the others have duration = 30.0; expected one length",
        ),
        (
            ("compare", "two.bed", "two.bed"),
            "two.bed has 2 segmentations; expected one: choose with --series or --tier among 'c', 'd'",
        ),
        (
            ("compare", "truth.lab", "pred.lab", "--tier", "x"),
            "truth.lab has no tier 'x'; expected one of (series, tier): ('truth', '')",
        ),
        (
            ("compare", "truth.lab", "pred.lab", "--n", 30),
            "truth.lab holds times, but n = 30 counts points; expected --duration",
        ),
        (
            ("convert", "truth.lab", "x.bed"),
            "x.bed: bed holds points, but ('truth', '') is in time; expected points: write the times with --to-unit for the "
            "seconds per point",
        ),
        (
            ("convert", "two.bed", "x.jams", "--unit", 1),
            "x.jams: jams holds one series, but there are 2: 'c', 'd'; choose one",
        ),
        (
            ("convert", "two.bed", "x.rttm"),
            "x.rttm: rttm holds times, but ('c', '') is in points; expected a segmentation in time: read the points with --unit "
            "for the seconds per point",
        ),
        (
            ("convert", "truth.lab", "truth.lab"),
            "truth.lab is also the input, and would be overwritten; expected another output",
        ),
        (("convert", "truth.lab", "x.y"), None),
    ],
)
def test_errors_in_the_words_of_options(folder, arguments, message):
    (folder / "gap.csv").write_text("start,end,label\n0.5,30,A\n")
    (folder / "short.lab").write_text("0 20 A\n")
    (folder / "two.bed").write_text("c\t0\t10\nd\t0\t10\n")
    found = run(*arguments)
    assert found.exit_code == 2 and found.output.startswith("segscore: ")
    if message is None:
        assert found.output.endswith("or --to for other names\n")
    else:
        assert found.output == f"segscore: {message}\n"
    assert not (folder / "x.bed").exists() and not (folder / "x.jams").exists()


def test_convert_says_what_is_lost(folder):
    found = run("convert", "truth.lab", "truth.parquet")
    assert (found.exit_code, found.stdout, found.stderr) == (0, "", "truth.parquet is written: 1 segmentation\n")
    assert ss.read("truth.parquet").only() == TRUTH
    found = run("convert", "truth.parquet", "cuts.txt")
    assert found.stderr == "cuts.txt is written: 1 segmentation\n  lost: labels\n  lost: the length of the sequence\n"
    (folder / "a.rttm").write_text("SPEAKER x 1 0 5 <NA> <NA> A 0.9 <NA>\nSPEAKER y 1 1 5 <NA> <NA> A <NA> <NA>\n")
    found = run("convert", "a.rttm", "a.csv", "--gap-label", "none")
    changed = "  changed: 1 gap became a segment, of 1 s\n"
    assert found.stderr == f"a.csv is written: 2 segmentations\n{changed}  lost: 1 confidence\n"
    assert (folder / "a.csv").read_text() == (
        'series,change_points,labels,duration\nx,[],"[""A""]",5.0\ny,[1.0],"[""none"", ""A""]",6.0\n'
    )
    found = run("convert", "a.rttm", "y.lab", "--gap-label", "none", "--series", "y")
    assert found.stderr == f"y.lab is written: 1 segmentation\n{changed}  lost: 1 confidence\n"
    assert run("convert", "truth.lab", "htk.lab", "--to-unit", "1e-7").exit_code == 0
    assert (folder / "htk.lab").read_text().splitlines()[0] == "0\t125000000\tverse"
    assert run("convert", "htk.lab", "again", "--unit", "1e-7", "--to", "textgrid").exit_code == 0
    assert ss.read("again", format="textgrid").only() == TRUTH


def test_tables_of_other_suffixes(folder):
    table = pl.DataFrame(
        {"series": ["a", "b"], "method": ["1.10", "x"], "truth": [[3, 8], []], "pred": [[4, 8], [5]], "n": [10, 10]}
    )
    texts = table.with_columns(pl.Series(name, [str(x.to_list()) for x in table[name]]) for name in ("truth", "pred"))
    texts.write_csv("runs.tsv", separator="\t")
    table.write_ipc("runs.arrow")
    (folder / "runs.json").write_text(json.dumps(table.to_dicts(), indent=2))
    wanted = ss.score(table, metrics=["rand_index"])["rand_index"].to_list()
    for source in ("runs.tsv", "runs.arrow", "runs.json"):
        for target in ("x.tsv", "x.arrow", "x.csv", "x.parquet", "x.jsonl"):
            found = run("score", source, "-o", target, "--metrics", "rand_index")
            assert found.exit_code == 0, (source, target, found.output)
            again = run("summary", target, "--as", "csv")
            assert again.exit_code == 0, (source, target, again.output)
            assert {line.split(",")[1] for line in again.output.splitlines()[1:]} == {"1.10", "x"}
    read = pl.read_ipc("x.arrow")["rand_index"].to_list()
    assert read == wanted
    (folder / "wrong.json").write_text('{"truth": [3]}')
    found = run("score", "wrong.json", "-o", "y.csv")
    assert (
        found.output
        == 'segscore: wrong.json is not a list of records; expected a table like [{"truth": [3], "pred": [4]}]\n'
    )


def test_truths_of_every_format(folder):
    runs = pl.DataFrame({"series": ["c", "d"], "method": ["x", "x"], "pred": [[4], [5]], "n": [10, 10]})
    runs.write_parquet("runs.parquet")
    (folder / "truths.bed").write_text("c\t0\t3\nc\t3\t10\nd\t0\t10\n")
    (folder / "truths.json").write_text(
        json.dumps([{"series": "c", "change_points": [3]}, {"series": "d", "change_points": []}])
    )
    for name in ("truths.bed", "truths.json"):
        found = run("score", "runs.parquet", "--truths", name, "-o", "x.parquet", "--metrics", "rand_index")
        assert found.exit_code == 0, found.output
        assert pl.read_parquet("x.parquet")["rand_index"].to_list() == [
            ss.rand_index([3], [4], n=10),
            ss.rand_index([], [5], n=10),
        ]
    (folder / "truths.bed").write_text("c\t1\t3\n")
    found = run("score", "runs.parquet", "--truths", "truths.bed", "-o", "y.parquet")
    assert found.exit_code == 2 and "--gap-label for the label of gaps" in found.output
    assert found.output.endswith("segscore convert has these options\n")


def test_names_that_look_like_markup_are_printed_as_they_are(folder):
    names = ["x[/b].lab", "[red]a.lab", ":smile:.lab"]
    for name in names:
        for side, segmentation in (("truths", TRUTH), ("preds", PRED)):
            path = folder / side / name
            path.parent.mkdir(parents=True, exist_ok=True)
            ss.write(segmentation, path)
    found = run("compare", "truths", "preds", "--metrics", "covering")
    assert found.exit_code == 0, found.output
    assert [line.split()[0] for line in found.output.splitlines()[1:-1]] == sorted(
        name.removesuffix(".lab") for name in names
    )
