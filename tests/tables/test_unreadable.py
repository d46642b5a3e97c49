"""Rows that cannot be read stop every command, or are left out; they are never failures of a method."""

import json
import re

import polars as pl
import pytest
from click.testing import CliRunner
from report_pages import content as held_by

import segscore as ss
from segscore.cli import main

SHORT = (
    "pred = '[ 0 1 ... 9]' was shortened when it was written (numpy prints \"...\" above 1000 values); write it again "
    "with .tolist()"
)
ROWS = 18


def run(*arguments):
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


@pytest.fixture
def runs(tmp_path, monkeypatch):
    """Write a table of two methods on nine series, whose row 17 was shortened by NumPy."""
    monkeypatch.chdir(tmp_path)
    preds = ["[np.int64(30), 80]"] * 17 + ["[   0    1 ...    9]"]
    table = pl.DataFrame(
        {
            "series": [f"s{k // 2}" for k in range(ROWS)],
            "method": ["x", "y"] * (ROWS // 2),
            "n": 100,
            "truth": "[30, 80]",
            "pred": preds,
            "f1": [1.0] * 17 + [None],
        }
    )
    table.write_csv("scored.csv")
    table.drop("f1").write_csv("runs.csv")
    return tmp_path


COMMANDS = {
    "score": ["runs.csv", "-o", "out.csv", "--metrics", "rand_index"],
    "report": ["runs.csv", "-o", "out.html", "--metrics", "rand_index"],
    "summary": ["scored.csv", "--metrics", "f1"],
    "plot": ["heatmap", "scored.csv", "--metrics", "f1", "-o", "out.svg"],
}


@pytest.mark.parametrize("command", COMMANDS)
def test_unreadable_cuts_stop_every_command(runs, command):
    arguments = COMMANDS[command]
    file = next(name for name in arguments if name.endswith(".csv"))
    found = run(command, *arguments)
    assert found.exit_code == 2
    assert found.output == f"segscore: {file}, row 17: {SHORT}\n"
    assert not list(runs.glob("out.*"))
    found = run(command, *arguments, "--on-error", "null")
    assert found.exit_code == 0, found.output
    place = f"{file}, row 17" if command == "score" else "row 17"
    assert f"segscore: 1 of 18 rows cannot be read and are left out; the first is {place}: {SHORT}\n" in found.output


@pytest.mark.slow
def test_the_page_has_a_banner_and_counts_no_failure(runs):
    assert run("report", *COMMANDS["report"], "--on-error", "null").exit_code == 0
    text = (runs / "out.html").read_text()
    content = held_by(runs / "out.html")
    assert content["banner"] == f"1 of 18 rows cannot be read and are left out; the first is row 17: {SHORT}"
    assert '<p id="banner" class="note" role="alert" hidden></p>' in text
    with pytest.raises(ValueError, match=f"^table, row 17: {re.escape(SHORT)}$"):
        ss.report(pl.read_csv("runs.csv"), "out.html")
    with pytest.warns(UserWarning, match=f"^{re.escape(content['banner'])}$"):
        ss.report(pl.read_csv("runs.csv"), "out.html", on_error="null", metrics=["rand_index"])
    ss.report(pl.read_csv("runs.csv")[:17], "out.html", metrics=["rand_index"])
    assert '"banner":null' in (runs / "out.html").read_text()


@pytest.mark.slow
def test_a_truth_that_is_none_stops_the_report(runs):
    table = pl.DataFrame(
        {"series": ["a", "b"], "method": ["x", "x"], "n": [9, 9], "truth": [[3], [8, 3]], "pred": [[3], [9, 2]]}
    )
    with pytest.raises(ValueError, match=r"^row 1: truth\[1\] = 3 does not exceed truth\[0\] = 8; cuts must strictly"):
        ss.report(table.with_columns(pred=pl.Series([[3], [4]])), "out.html", metrics=["rand_index"])
    # A prediction that is no segmentation is a failure of the method: it does not stop the report, and there is no banner.
    ss.report(table.with_columns(truth=pl.Series([[3], [3]])), "out.html", metrics=["rand_index"])
    content = held_by(runs / "out.html")
    why = "pred[1] = 2 does not exceed pred[0] = 9; cuts must strictly increase (sort them first)"
    assert content["failures"] == [["x", "b", "failed", why]]
    assert (content["failed"], content["banner"], content["states"]) == (1, None, {"rand_index": ["02"]})
    without = table.with_columns(truth=pl.Series([[3], [3]]), pred=pl.Series([[3], None]))
    for status, why in ((None, "no prediction"), ("error", "no prediction"), ("timeout", "timeout")):
        ss.report(without.with_columns(status=pl.lit(status, pl.String)), "out.html", metrics=["rand_index"])
        content = held_by(runs / "out.html")
        assert content["failures"] == [["x", "b", "failed", why]]


@pytest.mark.parametrize("text", ["[3, 9223372036854775808]", "[-9223372036854775809]", "[3, 99999999999999999999]"])
def test_integers_that_no_table_can_hold_are_unreadable_everywhere(tmp_path, text):
    """A list of such integers would be a failure of the method; a text that holds them is no list of cuts."""
    number = text.strip("[]").split(", ")[-1]
    problem = f"pred = '{text}' holds {number}, which is outside 0 < cut < 2**63; expected cuts"
    table = pl.DataFrame({"series": ["a"], "method": ["x"], "n": [9], "truth": ["[3]"], "pred": [text]})
    with pytest.raises(ValueError, match=f"^row 0: {re.escape(problem)}$"):
        ss.score(table, metrics=["rand_index"])
    with pytest.raises(ValueError, match=f"^table, row 0: {re.escape(problem)}$"):
        ss.report(table, tmp_path / "x.html", metrics=["rand_index"])
    with pytest.warns(UserWarning, match="^1 of 1 rows cannot be read"):
        scored = ss.score(table, metrics=["rand_index"], on_error="null")
    assert scored.select("status", "error").row(0) == ("unreadable", problem)


def test_the_output_of_score_can_be_summarised(runs):
    assert run("score", *COMMANDS["score"], "--on-error", "null").exit_code == 0
    scored = pl.read_csv("out.csv")
    assert scored["status"].to_list() == ["ok"] * 17 + ["unreadable"]
    assert scored["error"][17] == SHORT
    found = run("summary", "out.csv")
    assert found.exit_code == 0  # the row is marked already
    assert "segscore: 1 of 18 rows cannot be read and are left out" in found.output


def test_the_file_of_a_bad_row_is_named(runs):
    text = (runs / "runs.csv").read_text()
    (runs / "a.csv").write_text("\n".join(text.splitlines()[:11]) + "\n")
    found = run("score", "a.csv", "runs.csv", "-o", "out.csv", "--metrics", "rand_index")
    assert found.output == f"segscore: runs.csv, row 17: {SHORT}\n"
    found = run("score", "runs.csv", "a.csv", "-o", "out.csv", "--metrics", "rand_index")
    assert found.output == f"segscore: runs.csv, row 17: {SHORT}\n"
    found = CliRunner().invoke(main, ["score", "-", "-o", "out.csv", "--metrics", "rand_index"], input=text)
    assert found.output == f"segscore: standard input, row 17: {SHORT}\n"


def test_empty_cells_of_a_file(tmp_path):
    (tmp_path / "in.csv").write_text(
        'series,method,truth,pred,n\na,x,"[3]",,9\nb,x,"[3]","",9\nc,x,"[3]",3,9\nd,x,3,[],9\n'
    )
    found = run(
        "score", tmp_path / "in.csv", "-o", tmp_path / "out.csv", "--metrics", "rand_index", "--on-error", "null"
    )
    assert found.exit_code == 0
    assert found.output == (
        "segscore: column 'pred' has empty texts, which are read as no answer; list.join of Polars writes [] as an empty "
        "text too; expected '[]' for no cuts\n"
    )
    scored = pl.read_csv(tmp_path / "out.csv")
    assert scored["status"].to_list() == ["error", "error", "ok", "ok"]
    assert scored["rand_index"].to_list() == [None, None, 1.0, ss.rand_index([3], [], n=9)]


@pytest.mark.parametrize("name", ["people.json", "people.csv", "people.jsonl", "people.parquet"])
def test_truths_of_every_format(tmp_path, name):
    people = {"a": {"6": [3, 8], "7": [4, 8]}, "b": {"6": []}}
    rows = [(series, person, cuts) for series, by in people.items() for person, cuts in by.items()]
    table = pl.DataFrame(rows, schema=["series", "annotator", "change_points"], orient="row")
    if name.endswith("json"):
        (tmp_path / name).write_text(json.dumps(people))
    elif name.endswith("csv"):
        texts = [json.dumps(cuts) for *_, cuts in rows]
        table.with_columns(change_points=pl.Series(texts)).write_csv(tmp_path / name)
    elif name.endswith("jsonl"):
        table.write_ndjson(tmp_path / name)
    else:
        table.write_parquet(tmp_path / name)
    runs = pl.DataFrame(
        {"series": ["a", "b", "a"], "method": ["x", "x", "y"], "pred": ["[4 8]", "3", "[]"], "n": [10, 9, 10]}
    )
    runs.write_csv(tmp_path / "runs.csv")
    metrics = ["annotated_f1(margin=1)", "covering"]
    given = ("--truths", tmp_path / name, "--metrics", ",".join(metrics), "--margin", 1)
    found = run("score", tmp_path / "runs.csv", "-o", tmp_path / "out.csv", *given)
    assert found.exit_code == 0, found.output
    scored = pl.read_csv(tmp_path / "out.csv")
    assert scored.columns == [*runs.columns, *metrics]
    for row, cuts in zip(scored.iter_rows(named=True), ([4, 8], [3], []), strict=True):
        truths = list(people[row["series"]].values())
        wanted = ss.annotated(truths, cuts, n=row["n"], margin=1)
        assert (row["annotated_f1(margin=1)"], row["covering"]) == (wanted.f1, wanted.covering)
    found = run("report", tmp_path / "runs.csv", "-o", tmp_path / "x.html", *given)
    assert found.exit_code == 0, found.output
    assert '"name":"annotated_f1(margin=1)"' in (tmp_path / "x.html").read_text()


def test_truths_without_their_columns(tmp_path):
    (tmp_path / "people.csv").write_text("series,cuts\na,[3]\n")
    (tmp_path / "runs.csv").write_text("series,pred,n\na,[3],9\n")
    found = run("score", tmp_path / "runs.csv", "-o", tmp_path / "x.csv", "--truths", tmp_path / "people.csv")
    assert found.output == (
        f"segscore: {tmp_path / 'people.csv'} has no column 'change_points'; it has series, cuts; expected truths\n"
    )


def test_an_unreadable_row_is_listed_even_with_a_score(tmp_path):
    rows = {"method": ["x", "x"], "series": ["a", "b"], "f1": [1.0, 0.5], "status": ["ok", "unreadable"]}
    with pytest.warns(UserWarning, match="^1 of 2 rows cannot be read"):
        ss.report(pl.DataFrame(rows), tmp_path / "x.html", metrics=["f1"], on_error="null")
    content = held_by(tmp_path / "x.html")
    assert content["failures"] == [["x", "b", "unreadable", "unreadable"]]
    assert content["boards"]["f1"]["standings"][0]["mean"] == 1.0
