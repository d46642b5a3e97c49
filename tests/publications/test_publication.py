"""Tables for papers: marks, captions, counts, escaped names, and LaTeX that compiles."""

import csv
import html.parser
import os
import pickle
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import segscore as ss
from segscore.boards.captions import label_of
from segscore.boards.typesetting import Cell, Head, Typeset, html_of, latex_of, markdown_of

HOSTILE = [
    *("a_b & c%", "#1 $x$", "{brace} ~^\\", "[12pt]", "*star", "<b>bold</b> & | bar", "--dash-- `q` 'q' \"q\""),
    *("two\nlines", " ", "Ünïcödé", "\\input{/etc/passwd}", "%comment", "a\\\\b", "&amp;"),
]


def table(values, **more):
    """Return a scored table from the scores of each method, one per series."""
    rows = [(m, f"s{k:02}", v) for m, own in values.items() for k, v in enumerate(own)]
    return pl.DataFrame(rows, ["method", "series", "f1"], orient="row").with_columns(**more)


@pytest.fixture(scope="module")
def latex():
    """A function that compiles LaTeX; skips without pdflatex, unless SEGSCORE_LATEX asks for it."""
    program = os.environ.get("SEGSCORE_LATEX", shutil.which("pdflatex") or "")
    if not program:
        pytest.skip("pdflatex is not installed")

    def compiled(folder, *bodies):
        start = r"\documentclass{article}\usepackage{booktabs}\begin{document}"
        (folder / "x.tex").write_text("\n".join([start, *bodies, r"\end{document}"]), encoding="utf-8")
        run = subprocess.run(
            [program, "-halt-on-error", "-interaction=nonstopmode", "x.tex"],
            cwd=folder,
            capture_output=True,
            check=False,
        )
        assert run.returncode == 0, run.stdout.decode(errors="replace")[-2000:]
        return (folder / "x.log").read_text(errors="replace")

    return compiled


@pytest.fixture(scope="module")
def demo():
    runs = pl.read_parquet(Path(__file__).parents[1] / "five_signals.parquet")
    return ss.score(runs, metrics=["f1", "covering", "mean_error"], margin=5, on_error="null")


def test_the_rows_of_the_specification(demo):
    # study.md, section 6: three lines of the demo, methods and two scores
    made = ss.publication(demo, ["f1", "covering"]).to_latex()
    lines = made.splitlines()
    assert r"Method & F1 at margin 5 $\uparrow$ & Covering $\uparrow$ & Scored \\" in lines
    assert r"optimal, number known & \textbf{0.922} & \textbf{0.936} & 75/75 \\" in lines
    assert r"kernel, 12 points or more & 0.501 & 0.548 & 45/75 \\" in lines
    low = next(line for line in lines if line.startswith("PELT, low penalty"))
    assert (
        low.replace(r"\underline", "").replace("{", "").replace("}", "")
        == r"PELT, low penalty & 0.851 & 0.905 & 75/75 \\"
    )
    rules = [k for k, line in enumerate(lines) if line.endswith("rule")]
    assert [lines[k] for k in rules] == [r"\toprule", r"\midrule", r"\bottomrule"]
    assert "|" not in next(line for line in lines if line.startswith(r"\begin{tabular}"))


def test_the_caption_says_what_the_numbers_are(demo):
    caption = ss.publication(demo, ["f1"]).caption
    start = "Mean F1 at margin 5 (ends included, maximum matching; higher is better) over 75 series"
    assert caption.startswith(start)
    assert "Failures count as 0 (kernel, 12 points or more: 30)." in caption
    assert (
        "Bold: best; underlined: not significantly different from the best (5 % level, sign-flip tests with Holm over 45 "
        "pairs)." in caption
    )
    assert f"segscore {ss.__version__}; data " in caption
    # The digest is that of the scores, whatever the order of the rows, and changes with a score.
    assert ss.publication(demo.reverse(), ["f1"]).caption == caption
    changed = pl.when(pl.int_range(pl.len()) == 3).then(0.123).otherwise("f1(margin=5)")
    other = demo.with_columns(changed.alias("f1(margin=5)"))
    assert ss.publication(other, ["f1"]).caption[-13:] != caption[-13:]
    common = ss.publication(demo, ["f1"], failures="common").caption
    assert "over 45 of 75 series" in common
    assert "Only series without a failure count (kernel, 12 points or more: 30)." in common


@pytest.mark.parametrize(
    ("metric", "start"),
    [
        ("f1", "Mean F1, margin not recorded (ends included, maximum matching; higher is better) over 1 series."),
        ("f1(margin=2)", "Mean F1 at margin 2 (ends included, maximum matching; higher is better) over 1 series."),
        (
            "annotated_f1(margin=2)",
            "Mean annotated F1 at margin 2 (ends included, maximum matching; higher is better) over",
        ),
        ("pk", "Mean Pk (lower is better) over 1 series."),
        ("rand_index", "Mean Rand index (higher is better) over 1 series."),
    ],
)
def test_the_caption_names_margin_and_matching(metric, start):
    made = ss.publication(table({"a": [0.5]}).rename({"f1": metric}), [metric])
    assert made.caption.startswith(start)


def test_the_order_of_annotators_does_not_change_the_digest():
    people = pl.DataFrame({"series": "a", "change_points": [[14, 25, 42, 51], [32], [58]]})
    runs = pl.DataFrame({"series": ["a"] * 2, "method": ["x", "y"], "n": 60, "change_points": [[25, 54], [13, 43]]})
    scored = [ss.score_long(runs, own, metrics=["covering"]) for own in (people, people[[1, 2, 0]])]
    assert scored[0]["covering"].to_list() != scored[1]["covering"].to_list()  # in the last digit
    one, other = (ss.publication(own, ["covering"]).caption for own in scored)
    assert one == other


def test_bold_is_the_best_and_all_that_print_the_same():
    scores = table({"a": [0.5004], "b": [0.5001], "c": [0.4990]})
    lines = ss.publication(scores, ["f1"]).to_markdown().splitlines()
    assert "| a | **0.500** | 1/1 |" in lines
    assert "| b | **0.500** | 1/1 |" in lines
    assert "| c | 0.499 | 1/1 |" in lines
    four = ss.publication(scores, ["f1"], decimals=4).to_markdown().splitlines()
    assert "| a | **0.5004** | 1/1 |" in four
    assert "| b | 0.5001 | 1/1 |" in four


def test_underlined_are_those_that_cannot_be_told_apart_from_the_best():
    rng = np.random.default_rng(1)
    base = rng.uniform(0.3, 0.6, 20)
    near = base + rng.normal(0, 0.05, 20) - 0.005
    scores = table({"best": base + 0.02, "near": near, "far": base - 0.2})
    lines = ss.publication(scores, ["f1"]).to_markdown().splitlines()
    by = {line.split(" | ")[0][2:]: line for line in lines if line.startswith("| ")}
    assert "**" in by["best"]
    assert "<ins>" in by["near"]
    assert "<ins>" not in by["far"]
    assert "<ins>" not in by["best"]
    few = ss.publication(scores.filter(pl.col("series") < "s05"), ["f1"])
    assert "<ins>" not in few.to_markdown()
    assert "underlined" not in few.caption


def test_low_values_are_best_where_they_are():
    scores = table({"a": [1.0, 2.0], "b": [0.5, 0.5]}).rename({"f1": "seconds"})
    made = ss.publication(scores, ["seconds"]).to_markdown()
    assert "Seconds (median) ↓" in made
    assert "| b | **0.500** | 2/2 |" in made


@pytest.mark.parametrize(("error", "places"), [(0.02, 2), (0.0049, 3), (0.006, 2), (0.6, 0), (1e-9, 4), (0.0, 4)])
def test_automatic_decimals_follow_the_standard_error(error, places):
    # Two values a, b have the standard error |a - b| / 2.
    scores = table({"a": [0.5, 0.5 + 2 * error]})
    text = ss.publication(scores, ["f1"], decimals="auto").to_markdown().splitlines()[-1]
    shown = text.split(" | ")[1]
    assert len(shown.partition(".")[2]) == places


def test_counts_stand_beside_every_mean(demo):
    made = ss.publication(demo, ["f1", "mean_error"])
    assert made.to_latex().count("Scored") == 2  # the counts of the two scores differ
    rows = list(csv.DictReader(made.to_csv().splitlines()))
    kernel = next(row for row in rows if row["method"].startswith("kernel"))
    assert (kernel["f1(margin=5) scored"], kernel["f1(margin=5) run"]) == ("45", "75")
    assert "mean_error is undefined" in made.to_markdown().replace("\\", "")


def test_csv_has_full_precision(demo):
    board = ss.leaderboard(demo, "f1")
    rows = list(csv.DictReader(board.to_csv().splitlines()))
    assert [row["method"] for row in rows] == board.methods
    assert [float(row["mean"]) for row in rows] == [s.mean for s in board.standings]
    assert [int(row["failed"]) for row in rows] == [s.failed for s in board.standings]
    made = ss.publication(demo, ["f1"])
    means = [float(row["f1(margin=5)"]) for row in csv.DictReader(made.to_csv().splitlines())]
    assert means == [s.mean for s in board.standings]
    assert made.to_polars()["f1(margin=5)"].to_list() == means
    assert made.to_pandas()["f1(margin=5)"].tolist() == means


def test_series_by_methods_with_letters():
    scores = pl.DataFrame(
        {
            "series": ["a", "b", "c", "d", "e", "f"] * 2,
            "method": ["x"] * 6 + ["y"] * 6,
            "f1": [0.5, None, None, None, None, 0.25, 1.0, 0.5, 0.5, 0.5, 0.5, 0.25],
            "status": ["ok", "timeout", "memory", "crash", "error", "ok"] + ["ok"] * 6,
        }
    )
    made = ss.publication(scores, ["f1"], rows="series")
    lines = made.to_markdown().splitlines()
    assert "| a | **1.000** | 0.500 |" in lines
    assert lines[5:9] == [
        "| b | **0.500** | T |",
        "| c | **0.500** | O |",
        "| d | **0.500** | C |",
        "| e | **0.500** | F |",
    ]
    assert "| f | **0.250** | **0.250** |" in lines
    assert "| Scored | 6/6 | 2/6 |" in lines
    assert "F: failed; T: out of time; O: out of memory; C: crashed." in lines
    assert made.to_csv().splitlines()[:3] == ["series,y,x", "a,1.0,0.5", "b,0.5,"]
    missing = scores.filter(~((pl.col("series") == "b") & (pl.col("method") == "x"))).with_columns(
        f1=pl.when(pl.col("series") != "c").then("f1")
    )
    text = ss.publication(missing.rename({"f1": "mean_error"}), ["mean_error"], rows="series").to_markdown()
    assert "-: not run; u: undefined." in text


def test_references_stand_below_a_rule_and_are_never_bold(demo):
    people = {"human": {"f1(margin=5)": 0.999}, "chance": {"f1(margin=5)": 0.05, "covering": 0.5}}
    made = ss.publication(demo, ["f1", "covering"], references=people)
    lines = made.to_latex().splitlines()
    human = lines.index(r"human & 0.999 &  &  \\")
    assert lines[human - 1] == r"\midrule"
    assert lines[human + 1] == r"chance & 0.050 & 0.500 &  \\"
    assert 'style="border-top:1px solid"><td style="text-align:left">human' in made.to_html()


def test_methods_without_a_place_stand_below_a_rule():
    scores = table({"a": [0.5] * 4, "b": [0.6] * 4, "c": [0.9, None, None, None]})
    scores = scores.filter((pl.col("method") != "c") | pl.col("f1").is_not_null())
    lines = ss.publication(scores, ["f1"]).to_latex().splitlines()
    own = next(k for k, line in enumerate(lines) if line.startswith("c & "))
    assert lines[own] == r"c & 0.900 & 1/1 \\"
    assert lines[own - 1] == r"\midrule"


class _Texts(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.found, self.tags = [], set()

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)

    def handle_data(self, data):
        self.found.append(data)


def test_names_are_escaped(latex, tmp_path):
    scores = table({name: [0.5, 0.25] for name in HOSTILE})
    made = [ss.publication(scores, ["f1"]), ss.publication(scores, ["f1"], rows="series")]
    board = ss.leaderboard(scores, "f1")
    latex(tmp_path, *(each.to_latex() for each in made), board.to_latex())
    parser = _Texts()
    parser.feed(made[0].to_html())
    assert {" ".join(name.split()) for name in HOSTILE} - {""} <= set(parser.found)
    assert "b" not in parser.tags
    for line in made[0].to_markdown().splitlines():
        if line.startswith("|"):
            assert line.replace("\\\\", "").replace("\\|", "").count("|") == 4


def test_the_tables_of_the_demo_compile(demo, latex, tmp_path):
    made = ss.publication(demo, ["f1", "covering", "mean_error"]).to_latex()
    log = latex(tmp_path, made, ss.leaderboard(demo, "covering").to_latex())
    assert "Output written" in log


def test_a_planted_fault_does_not_compile(latex, tmp_path):
    with pytest.raises(AssertionError):
        latex(tmp_path, r"a_b")


def test_writers_of_one_table():
    made = Typeset(
        "A & B.", [Head("x|y", right=False), Head("f", "low")], [[Cell("m"), Cell("1", True, True)]], None, ["n_1"]
    )
    assert markdown_of(made) == "A \\& B.\n\n| x\\|y | f ↓ |\n|:---|---:|\n| m | <ins>**1**</ins> |\n\nn\\_1\n"
    assert r"\caption{A \& B.}" in latex_of(made)
    assert r"m & \underline{\textbf{1}} \\" in latex_of(made)
    assert "<u><strong>1</strong></u>" in html_of(made)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ({"metrics": []}, "metrics are empty; expected at least one metric"),
        (
            {"metrics": ["f1", "f1(margin=2)"], "rows": "series"},
            "rows = 'series' prints one score, but there are 2 metrics; expected one metric",
        ),
        ({"metrics": ["f1"], "rows": "x"}, "rows = 'x' is unknown; expected 'method' or 'series'"),
        ({"metrics": ["f1"], "decimals": -1}, "decimals = -1; expected an integer from 0 to 17, or 'auto'"),
        ({"metrics": ["f1"], "decimals": 2.0}, "decimals = 2.0; expected an integer from 0 to 17, or 'auto'"),
    ],
)
def test_errors_of_publication(call, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        ss.publication(table({"a": [0.5]}), **call)


def test_a_publication_is_a_result(demo):
    made = ss.publication(demo, ["f1"])
    assert pickle.loads(pickle.dumps(made)) == made
    assert repr(made).splitlines()[0].startswith("Mean F1")
    assert made._repr_html_().startswith("<p>Mean F1")
    assert made.to_dict()["rows"][0]["method"] == "optimal, number known"


def test_labels_of_scores():
    assert label_of("f1(margin=5)") == "F1 at margin 5"
    assert label_of("My column_A") == "My column_A"


@pytest.mark.parametrize(
    ("name", "cell", "note"),
    [
        ("&amp; $x$ ~~y~~ #1", r"\&amp; \$x\$ \~\~y\~\~ \#1", r"\&amp; \$x\$ \~\~y\~\~ \#1"),
        ("- item", "- item", r"\- item"),
        ("1. item", "1. item", r"1\. item"),
        ("= x", "= x", r"\= x"),
        ("# title", r"\# title", r"\# title"),
    ],
)
def test_names_in_markdown_are_text_in_cells_and_at_the_start_of_notes(name, cell, note):
    made = ss.leaderboard(table({name: [0.5, None], "other": [0.1, 0.2]}), "f1").to_markdown().splitlines()
    assert made[4].startswith(f"| {cell} | ")
    assert made[-1] == f"{note}: 1st of 2 on the 1 common series."


def test_what_the_test_tells_apart_is_not_underlined():
    # Six wins have p = 0.031, which is below 5 %; five have none.
    six = ss.publication(table({"a": [0.6] * 6, "b": [0.5] * 6}), ["f1"])
    assert "<ins>" not in six.to_markdown() and "underlined" in six.caption
    seven = table({"a": [0.6] * 6 + [0.4], "b": [0.5] * 7})  # p = 0.3
    assert "| b | <ins>0.500</ins> | 7/7 |" in ss.publication(seven, ["f1"]).to_markdown().splitlines()


def test_nothing_is_underlined_if_methods_have_different_series():
    values = table({"a": [0.6] * 8 + [None], "b": [0.5, 0.7] * 4 + [0.5]})
    made = ss.publication(values, ["f1"], failures="omit")
    assert "**0.600**" in made.to_markdown()
    assert "<ins>" not in made.to_markdown() and "underlined" not in made.caption
    assert "<ins>" in ss.publication(values, ["f1"], failures="common").to_markdown()


def test_nothing_is_bold_if_the_score_cannot_rank_the_methods():
    nan = float("nan")
    for defined, is_bold in ((1, False), (2, True)):  # of three series
        values = table({"a": [1.0] * defined + [nan] * (3 - defined), "b": [2.0] * 3}).rename({"f1": "mean_error"})
        assert ("**" in ss.publication(values, ["mean_error"]).to_markdown()) == is_bold


def test_the_letter_of_a_series_is_that_of_its_failed_rows():
    rows = pl.DataFrame(
        {
            "method": ["a"] * 3,
            "series": ["x"] * 3,
            "f1": [0.5, None, None],
            "status": ["ok", "timeout", "crash"],
        }
    )
    assert "| x | C/T |" in ss.publication(rows, ["f1"], rows="series").to_markdown().splitlines()
