"""The report in a real browser, from disk, with the network off, as a person would use it."""

import html
import math
import re
from datetime import datetime
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from report_pages import content, runs

import segscore as ss
from segscore.boards import captions
from segscore.boards.statistics import shown_columns
from segscore.reports.report import DEFAULT
from segscore.scores.metric_text import spelled

ROOT = Path(__file__).parents[2]
HOSTILE = [
    "<script>window.hacked = 1</script>",
    "</script><img src=x onerror='window.hacked = 1'>",
    "$& %metric% \\u003c `${window.hacked = 1}`",
    "__proto__",
    "datum['x'] \\ \" '",
    "a very long name of a method that does not end " * 4,
]


class Page:
    """A report that is open, and what it complained about."""

    def __init__(self, browser, path, address="", ready=True, **options):
        self.context = browser.new_context(offline=True, **{"viewport": {"width": 1200, "height": 900}, **options})
        self.page = self.context.new_page()
        self.complaints, self.requests = [], []
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.open(path.as_uri() + address)

    def open(self, address):
        self.page.goto("about:blank")
        self.page.goto(address)
        self.page.wait_for_selector("html[data-ready=yes]", timeout=60_000)

    def settle(self):
        self.page.wait_for_selector("html:not([data-busy])", timeout=60_000)

    def see(self, view):
        self.page.click(f"nav a[href='#{view}']")
        self.settle()

    def choose(self, menu, option):
        names = self.page.eval_on_selector_all(f"{menu} option", "options => options.map(o => o.value)")
        self.page.select_option(menu, spelled(option, names) if menu == "#metric" else option)
        self.settle()

    def click(self, selector):
        self.page.click(selector)
        self.settle()

    def margin(self, margin):
        self.page.fill("#margin", str(margin))
        self.settle()

    def until(self, condition):
        """Wait until a condition holds. Playwright's own wait evaluates text in the page, which the page forbids."""
        for _ in range(600):
            if self.page.evaluate(f"Boolean({condition})"):
                return
            self.page.wait_for_timeout(50)
        raise AssertionError(f"{condition} does not come true")

    def text(self, selector):
        return self.page.text_content(selector)

    def texts(self, selector):
        return self.page.eval_on_selector_all(selector, "all => all.map(each => each.textContent)")

    def table(self, selector):
        """Return the texts of the cells of the body of a table, without those that only draw something."""
        script = (
            "t => [...t.rows].map(r => [...r.cells].filter(c => c.className !== 'plot').map(c => c.textContent.trim()))"
        )
        return self.page.eval_on_selector(f"{selector} tbody", script)

    def saved(self, selector):
        with self.page.expect_download() as found:
            self.page.click(selector)
        return found.value.suggested_filename, Path(found.value.path()).read_text()

    def close(self):
        self.context.close()
        assert self.complaints == []
        assert all(url.startswith(("file:", "data:", "blob:", "about:")) for url in self.requests)


def words(text):
    """Return the words of HTML or Markdown, without markup."""
    plain = html.unescape(re.sub(r"<[^>]*>", " ", text))
    return re.sub(r"[*#]|(?m:^- )", " ", plain).split()


@pytest.fixture
def opened(browser):
    pages = []

    def open_it(path, *args, **options):
        pages.append(Page(browser, path, *args, **options))
        return pages[-1]

    yield open_it
    for page in pages:
        page.close()


@pytest.fixture(scope="session")
def study(tmp_path_factory):
    """Return a report of several methods, with its table."""
    table = runs(("good", "poor", "none", "fails", "late"), [f"series {k}" for k in range(12)])
    signal = pl.Series([np.random.default_rng(n).normal(size=n).tolist() for n in table["n"]])
    number = pl.col("series").str.extract(r"(\d+)").cast(pl.Int64)
    part = pl.when(number < 7).then(pl.lit("early")).otherwise(pl.lit("late"))
    seconds = pl.col("method").replace_strict({"good": 0.5, "poor": 0.01, "none": 0.001, "late": 2.0, "fails": 0.1})
    table = table.with_columns(signal=signal, dataset=part, seconds=seconds)
    return table, ss.report(table, tmp_path_factory.mktemp("study") / "report.html", margin=3)


@pytest.mark.parametrize(
    ("section", "file"),
    [("reading", "docs/report.md"), ("licences", "THIRD_PARTY_NOTICES.md")],
    ids=["reading", "licences"],
)
def test_the_page_holds_the_texts_of_the_documentation(study, section, file):
    (shown,) = re.findall(f'<div id="{section}">(.*?)</div>', study[1].read_text(), flags=re.S)
    (documented,) = re.findall(r"<!-- (?:reading|third party) -->(.*?)<!-- end", (ROOT / file).read_text(), flags=re.S)
    assert words(shown) == words(documented)
    assert len(words(shown)) > 300
    assert shown.startswith("<details><summary>")


def test_the_first_screen(opened, study):
    """Title, findings, overview and leaderboard; nothing else is drawn before somebody asks for it."""
    page = opened(study[1])
    assert page.page.inner_text("h1") == "Segmentation report"
    facts = page.text("#facts").split(" · ")
    assert facts[:3] == ["5 methods", "12 series", "12 scores"]
    assert re.fullmatch(r"made on \d+ \w+ 20\d\d", facts[3]) and facts[4].startswith("segscore ")
    told = [re.sub("[\u2068\u2069]", "", each) for each in content(study[1])["findings"]]
    assert page.text("#findings") == " ".join(told)
    assert page.texts("#findings b")[0] == "good"
    visible = [
        view
        for view in ("overview", "differences", "distributions", "series", "curves", "about")
        if page.page.is_visible(f"#{view}")
    ]
    assert visible == ["overview"]
    for box in ("#findings", "#table", "#board-title"):  # without scrolling
        assert page.page.locator(box).bounding_box()["y"] < 900


def test_the_overview_has_the_best_in_bold_and_shades(opened, study):
    table, path = study
    page = opened(path)
    wide = ss.score(table, metrics=list(DEFAULT), margin=3, on_error="null")
    heads = page.texts("#table thead th")
    assert heads[:3] == ["Method", "Rand index\u00a0↑", "Adjusted Rand index\u00a0↑"] and heads[-2:] == [
        "Failed",
        "Seconds",
    ]
    rows = page.table("#table")
    board = ss.leaderboard(wide, "rand_index")
    assert [row[0] for row in rows] == board.methods
    assert [row[1] for row in rows] == [f"{s.mean:.3f}" for s in board.standings]
    assert [row[-2] for row in rows] == ["0", "0", "0", "0", "12"]
    assert [row[-1] for row in rows] == ["0.5", "2", "0.01", "0.001", "–"]
    assert page.texts("#table tbody tr:first-child strong") and not page.texts("#table tbody tr:last-child strong")
    shades = page.page.eval_on_selector_all(
        "#table tbody tr td:nth-child(2)", "all => all.map(c => Number(c.style.getPropertyValue('--shade')))"
    )
    assert shades == sorted(shades, reverse=True) and shades[0] > 0.4 and shades[-1] == 0
    page.click("#columns summary")
    page.page.uncheck("#columns input[value=covering]")
    page.page.check("#columns input[value=pk]")
    page.settle()
    heads = page.texts("#table thead th")
    assert "Pk\u00a0↓" in heads and "Covering\u00a0↑" not in heads
    page.click("#table thead button:has-text('Pk')")
    assert page.text("#board-title") == "Pk" and page.page.input_value("#metric") == "pk"
    assert page.page.get_attribute("#table thead button:has-text('Pk')", "aria-pressed") == "true"


def test_the_numbers_are_those_of_the_library(opened, study):
    table, path = study
    page = opened(path)
    names = page.page.eval_on_selector_all("#metric option", "options => options.map(o => o.value)")
    assert [name.removesuffix("(margin=3)") for name in names] == list(DEFAULT)
    wide = ss.score(table, metrics=names, margin=3, on_error="null")
    held = content(path)
    for name in names:
        board, label = ss.leaderboard(wide, name), held["metrics"][names.index(name)]
        board.title = captions.spoken(name)
        page.choose("#metric", name)
        head = page.texts("#standings thead button")
        wanted, _, rows = shown_columns(board)
        assert [text.lower() for text in head] == wanted
        assert page.table("#standings") == [
            [text.replace("inf", "∞").replace("-", "−") or "–" for text in row] for row in rows
        ]
        assert page.text("#heading").lower() == board.heading.lower()
        assert page.texts("#notes li") == board.notes
        assert page.text("#meaning").startswith(label["meaning"])
        exact = held["boards"][name]["standings"]
        means = [{math.inf: "∞"}.get(s.mean, s.mean) for s in board.standings]
        assert [row["mean"] for row in exact] == [None if mean != mean else mean for mean in means]
        differences = held["boards"][name]["differences"]
        assert differences["conclusion"] == board.differences(secondary=name != names[0]).conclusion
        pairs, own = differences["pairs"], board.differences().pairs
        assert [[board.methods[p[0]], board.methods[p[1]], p[2], *p[6:9], p[12]] for p in pairs] == [
            [*d[:3], d.wins, d.ties, d.losses, d.n] for d in own
        ]
        assert [p[11] for p in pairs] == pytest.approx([d.corrected for d in own], rel=1e-5)
    chance = [
        ss.expected_rand_index(row["truth"], 5, n=row["n"]) for row in table.unique("series").iter_rows(named=True)
    ]
    assert held["boards"]["rand_index"]["references"]["chance"] == pytest.approx(np.mean(chance), abs=0.02)
    assert page.page.evaluate("document.querySelectorAll('.forest .dot').length") > 0


def test_the_tests_of_differences(opened, study):
    table, path = study
    page = opened(path, "#differences?score=f1(margin=3)")
    board = ss.leaderboard(ss.score(table, metrics=["f1"], margin=3, on_error="null"), "f1")
    board.title = "F1 at margin 3"
    found = board.differences(secondary=True)
    assert page.text("#conclusion") == found.conclusion
    for row, d in zip(page.table("#pairs"), found.pairs, strict=True):
        assert [*row[:3], row[5], row[9]] == [*d[:3], f"{d.wins}/{d.ties}/{d.losses}", f"{d.n} of 12"]
        assert row[7] == ("< 0.0001" if d.p < 1e-4 else f"{d.p:.4f}")
    ranks = [f"{s.rank:.2f}" for s in board.standings]
    shown = " ".join(page.texts("#ranks-chart text"))
    assert all(rank in shown for rank in ranks)  # the diagram has the values of the ranks


def test_sorting_sorts_with_mouse_and_keyboard(opened, study):
    page = opened(study[1])

    def column(k):
        return [row[k] for row in page.table("#standings")]

    page.page.click("#standings thead button:has-text('Method')")
    assert column(0) == sorted(column(0))
    page.page.click("#standings thead button:has-text('Method')")
    assert column(0) == sorted(column(0), reverse=True)
    assert page.page.get_attribute("#standings th:first-child", "aria-sort") == "descending"
    page.page.focus("#standings thead button:has-text('Median')")
    page.page.keyboard.press("Enter")
    medians = [float(cell) for cell in column(3)]
    assert medians == sorted(medians, reverse=True) and medians[-1] == 0  # all runs of the last failed
    page.page.keyboard.press("Space")
    medians = [float(cell) for cell in column(3)]
    assert medians == sorted(medians)
    page.page.click("#standings thead button:has-text('Failed')")
    assert [int(cell) for cell in column(-1)] == sorted(int(cell) for cell in column(-1)) == [0, 0, 0, 0, 12]


def assert_shows(page, board, statistics=("mean", "median", "rank")):
    """Check that the leaderboard of the page is a leaderboard of the library."""
    head = [text.lower() for text in page.texts("#standings thead button")]
    rows = page.table("#standings")
    assert [row[0] for row in rows] == board.methods
    for name in statistics:
        wanted = [getattr(s, name) for s in board.standings]
        shown = [float(row[head.index(name)].replace("∞", "inf").replace("–", "nan")) for row in rows]
        assert shown == pytest.approx(wanted, abs=0.0051 if name == "rank" else 5.1e-5, nan_ok=True)
    wins = [row[head.index("wins")] for row in rows]
    assert wins == [str(s.wins) if s.rank == s.rank else "–" for s in board.standings]


@pytest.mark.parametrize("policy", ["worst", "no_cuts", "common", "omit"])
def test_the_margin_re_ranks_the_board(opened, tmp_path, policy):
    table = runs(("good", "poor", "none", "some"), [f"s{k}" for k in range(9)], annotators=2)
    nothing = pl.lit([[], []], pl.List(pl.List(pl.Int64)))  # here a prediction without cuts is perfect
    table = table.with_columns(truth=pl.when(pl.col("series") == "s1").then(nothing).otherwise("truth"))
    fails = (pl.col("method") == "some") & pl.col("series").is_in(["s1", "s4"])
    table = table.with_columns(pred=pl.when(~fails).then("pred"))
    table = pl.concat([table, table.filter(pl.col("series") == "s4", pl.col("method") != "poor")])  # twice the same run
    page = opened(
        ss.report(table, tmp_path / "x.html", metrics=["f1", "recall", "rand_index"], margin=2, failures=policy)
    )
    assert page.text("#margin-shown") == "2 points"
    for margin in (9, 0, 5):
        page.margin(margin)
        for metric in ("f1", "recall"):
            page.choose("#metric", metric)
            wide = ss.score(table, metrics=[metric], margin=margin, on_error="null")
            assert_shows(page, ss.leaderboard(wide, metric, failures=policy))
            label = "F1" if metric == "f1" else "Recall"
            assert page.text("#heading").startswith(f"{label} at margin {margin}, ")
        wide = ss.leaderboard(ss.score(table, metrics=["f1"], margin=margin, on_error="null"), "f1", failures=policy)
        shown = {row[0]: row[1] for row in page.table("#table")}
        assert shown == {s.method: f"{s.mean:.3f}" for s in wide.standings}
    assert "at a margin of 5 points." in page.text("#findings")
    page.click("#margin-reset")
    assert page.text("#margin-shown") == "2 points" and "F1 at margin 2" in page.text("#findings")


def test_the_margin_counts_the_series_of_all_blocks(opened, tmp_path):
    table = runs(("good", "poor"), [f"s{k}" for k in range(70)])  # a block has 64 series
    page = opened(ss.report(table, tmp_path / "many.html", metrics=["f1"], margin=5))
    page.margin(2)
    board = ss.leaderboard(ss.score(table, metrics=["f1"], margin=2), "f1")
    shown = [[row[0], row[1], row[2]] for row in page.table("#standings")]
    assert shown == [[each.method, f"{each.mean:.4f}", f"{each.median:.4f}"] for each in board.standings]
    assert "computed in this page" in page.text("#heading")


def test_the_margin_counts_missing_rows_as_failures(opened, tmp_path):
    table = runs(("good", "poor", "late"), [f"s{k}" for k in range(9)]).filter(
        (pl.col("method") != "late") | (pl.col("series") < "s5")
    )
    page = opened(ss.report(table, tmp_path / "x.html", metrics=["f1"], margin=2, missing="failed"))
    page.margin(6)
    wide = ss.score(table, metrics=["f1"], margin=6)
    assert_shows(page, ss.leaderboard(wide, "f1", missing="failed"))


def test_a_part_of_the_series(opened, study):
    table, path = study
    page = opened(path)
    page.choose("#part", "late")
    for metric in ("rand_index", "mean_error"):
        page.choose("#metric", metric)
        wide = ss.score(table.filter(pl.col("dataset") == "late"), metrics=[metric], margin=3, on_error="null")
        assert_shows(page, ss.leaderboard(wide, metric))
    assert "5 series of late" in page.text("#findings")
    page.choose("#metric", "rand_index")
    assert page.page.locator("#standings tfoot tr").count() == 0  # the line of chance is about all series
    page.see("series")
    assert "good is ahead of" in page.text("#deciding") and len(page.table("#decisive")) == 5
    page.see("differences")
    assert page.text(".stale") == "This section is about all 12 series at the margin of the report, 3 points."
    page.choose("#part", "")
    assert page.page.is_hidden(".stale")


def test_every_number_of_a_part_is_that_of_a_report_of_the_part_alone(opened, tmp_path):
    table = runs(("good", "poor", "none", "late"), [f"s{k:02}" for k in range(13)])
    number = pl.col("series").str.slice(1).cast(pl.Int64)
    fails = pl.struct("method", "series").is_in(
        [{"method": "poor", "series": each} for each in ("s01", "s09", "s11")] + [{"method": "good", "series": "s03"}]
    )
    table = table.with_columns(
        pred=pl.when(~fails).then("pred"),
        dataset=pl.when(number < 7).then(pl.lit("first")).otherwise(pl.lit("second")),
        seconds=number * pl.col("pred").list.len().fill_null(7) / 16,
    ).filter((pl.col("method") != "none") | ~pl.col("series").is_in(["s02", "s10"]))
    options = {"metrics": ["f1", "covering", "mean_error"], "margin": 3}
    whole = opened(ss.report(table, tmp_path / "whole.html", **options))
    tables = ("#table", "#failures table", "#decisive", "#by-series table", "#matches", "#changed", "#blame")
    texts = ("#table thead th", "#failures summary", "#deciding", "#one option", "#which", "#area")
    charts = ("scores", "heatmap", "against")

    def numbers(page):
        heads = page.texts("#standings thead button")
        columns = zip(heads, zip(*page.table("#standings"), strict=True), strict=True)
        found = {name: own for name, own in columns if "interval" not in name}  # a part has none
        found |= {place: page.table(place) for place in tables} | {place: page.texts(place) for place in texts}
        for chart in charts:
            found[chart] = sorted(page.texts(f"#{chart}-chart svg text"))
            drawing = page.page.locator(f"#{chart}-chart [role=graphics-document]").first
            found[f"{chart} in words"] = drawing.get_attribute("aria-label")
        return found

    for part in ("first", "second"):
        own = opened(ss.report(table.filter(pl.col("dataset") == part), tmp_path / f"{part}.html", **options))
        whole.choose("#part", part)
        for metric in options["metrics"]:
            shown = []
            for page in (whole, own):
                page.choose("#metric", metric)
                page.see("series")
                page.choose("#method", "1")
                page.see("distributions")
                page.see("overview")
                shown.append(numbers(page))
            for place, wanted in shown[1].items():
                assert shown[0][place] == wanted, (part, metric, place)
        for view in ("differences", "curves", "about"):  # these say that they are about all series
            whole.see(view)
            note = whole.page.inner_text(f"#{view} .stale")
            assert note == "This section is about all 13 series at the margin of the report, 3 points."
    whole.choose("#part", "")
    assert [row[-2] for row in whole.table("#table")] and whole.page.locator(".stale:visible").count() == 0


def test_the_list_of_failures_of_a_part_is_complete(opened, tmp_path):
    """A report lists 500 failures; those of a part are not cut off by those of the parts before."""
    table = runs(("good", "fails"), [f"s{k}" for k in range(520)])
    number = pl.col("series").str.slice(1).cast(pl.Int64)
    table = table.with_columns(group=pl.when(number < 510).then(pl.lit("many")).otherwise(pl.lit("few")))
    page = opened(ss.report(table, tmp_path / "x.html", metrics=["f1"]))
    for part, count, listed in (("", 520, 500), ("many", 510, 500), ("few", 10, 10)):
        page.choose("#part", part)
        assert page.text("#failures summary") == f"{count} runs without a score"
        first = 510 if part == "few" else 0
        assert [row[1] for row in page.table("#failures table")] == [f"s{first + k}" for k in range(listed)]


def test_which_series_decide(opened, tmp_path):
    rows = {"a": [0.9, 0.5, 0.5, 0.6], "b": [0.1, 0.6, 0.6, 0.7], "c": [0.0, 0.0, 0.0, 0.0]}
    table = pl.DataFrame(
        [(m, f"s{k}", v) for m, own in rows.items() for k, v in enumerate(own)],
        schema=["method", "series", "f1"],
        orient="row",
    )
    page = opened(ss.report(table, tmp_path / "x.html"), "#series")
    # With s0 "a" leads by 0.5; without s0 "b" leads by 0.3.
    assert page.text("#deciding").startswith(
        "a is ahead of b by F1, margin not recorded, but without the series s0 b would be ahead."
    )
    assert "The methods disagree most on s0, where their scores span 0.900." in page.text("#deciding")
    first = page.table("#decisive")[0]
    assert first == ["s0", "0.900", "+0.800", "yes", "a"]
    assert [row[3] for row in page.table("#decisive")] == ["yes", "no", "no", "no"]
    even = table.with_columns(f1=pl.when(pl.col("method") == "a").then(0.8).otherwise("f1"))
    page = opened(ss.report(even, tmp_path / "x.html"), "#series")
    assert "No single series decides" not in page.text("#deciding") and "whichever series are left out" in page.text(
        "#deciding"
    )
    board = ss.leaderboard(table.filter(pl.col("series") != "s0"), "f1")
    assert board.methods[0] == "b"


def test_the_spread_of_the_methods_is_not_smaller_than_a_lead(opened, tmp_path):
    """Both count a failure as the leaderboard counts it."""
    rows = {"a": [0.9, 0.8, 0.7], "b": [None, 0.7, 0.6], "c": [0.8, 0.75, 0.1]}
    table = pl.DataFrame(
        [(m, f"s{k}", v) for m, own in rows.items() for k, v in enumerate(own)],
        schema=["method", "series", "f1"],
        orient="row",
    )
    page = opened(ss.report(table, tmp_path / "x.html"), "#series")
    shown = {row[0]: row[1:3] for row in page.table("#decisive")}
    assert shown == {"s0": ["0.900", "+0.100"], "s1": ["0.100", "+0.050"], "s2": ["0.600", "+0.600"]}
    assert page.text("#deciding").endswith(
        "The methods disagree most on s0, where their scores span 0.900, counting a failure as on the leaderboard."
    )
    unbounded = {"a": [1.0, 2.0, 3.0], "b": [math.inf, 2.5, math.inf], "c": [4.0, 2.25, math.inf]}
    table = pl.DataFrame([(m, f"s{k}", v) for m, own in unbounded.items() for k, v in enumerate(own)], orient="row")
    table.columns = ["method", "series", "own"]
    page = opened(ss.report(table, tmp_path / "x.html", metrics=[ss.Column("own", best="low")]), "#series")
    assert page.texts("#decisive thead th")[1:3] == ["Spread of the methods", "Lead of the first method (in ranks)"]
    assert [row[:3] for row in page.table("#decisive")] == [
        ["s0", "∞", "+1.000"],
        ["s2", "∞", "+1.500"],
        ["s1", "0.500", "+1.000"],
    ]
    for policy in ("worst", "no_cuts", "common", "omit"):
        own = runs(("good", "poor", "late"), [f"s{k}" for k in range(8)])
        own = own.with_columns(pred=pl.when(~((pl.col("method") == "poor") & (pl.col("series") < "s4"))).then("pred"))
        page = opened(ss.report(own, tmp_path / "x.html", metrics=["f1", "pk"], failures=policy), "#series")
        for metric in ("f1", "pk"):
            page.choose("#metric", metric)
            for row in page.table("#decisive") if policy != "omit" else ():
                assert float(row[1]) >= abs(float(row[2].replace("−", "-"))) - 5e-4


def test_an_infinite_score_is_shaded_apart_from_finite_ones(opened, tmp_path):
    inf = math.inf
    for best, values, wanted in (
        ("low", [1.0, 3.0, inf, inf], [1, 0.2, 0, 0]),
        ("high", [1.0, 3.0, inf, -inf], [0.2, 0.8, 1, 0]),
        ("low", [2.0, inf, 2.0, 2.0], [0.6, 0, 0.6, 0.6]),
        ("high", [1.0, 2.0, 3.0, 3.0], [0, 0.5, 1, 1]),
    ):
        rows = [(m, s, v) for m, v in zip("abcd", values, strict=True) for s in "xyz"]
        table = pl.DataFrame(rows, schema=["method", "series", "own"], orient="row")
        page = opened(ss.report(table, tmp_path / "x.html", metrics=[ss.Column("own", best=best)]))
        shades = page.page.eval_on_selector_all(
            "#table tbody tr",
            "all => all.map(r => [r.cells[0].textContent, r.cells[1].style.getPropertyValue('--shade') / 0.42])",
        )
        assert [dict(shades)[m] for m in "abcd"] == pytest.approx(wanted, abs=0.01)


def test_captions_describe_only_what_is_drawn(opened, study, tmp_path):
    few = study[0].filter(pl.col("series") == "series 0", pl.col("method").is_in(["good", "poor"]))
    few = few.with_columns(seconds=pl.when(pl.col("method") == "good").then(0.01).otherwise(2.0))
    names = ["rand_index", "f1", "mean_delay"]
    page = opened(ss.report(few, tmp_path / "few.html", metrics=names, margin=3))
    full = opened(
        ss.report(study[0], tmp_path / "full.html", metrics=["rand_index", "f1", "miss_rate(max_delay=9)"], margin=3)
    )

    def captions(page, view):
        page.see(view)
        return " ".join(page.page.locator(f"#{view} figcaption:visible, #{view} .caption:visible").all_inner_texts())

    for view, sentences in {
        "overview": ["bars are their 95 % intervals"],
        "curves": [
            "interval as a band",
            "The dashed line is the delay limit of the scores.",
            ", with its 95 % interval,",
            "The dashed line joins the methods",
            "Hollow circles are methods that never cut",
            "A triangle is a method whose median run failed",
        ],
    }.items():
        with_all, with_few = captions(full, view), captions(page, view)
        for sentence in sentences:
            assert sentence in with_all and sentence not in with_few, sentence
    page.see("overview")
    assert "The dotted line is the score of chance" in page.page.inner_text("#references")
    page.choose("#metric", "mean_delay")
    drawn = page.page.locator("#standings tbody .line").count()
    assert ("dotted line" in page.page.inner_text("#references")) == (drawn > 0)


def test_a_critical_difference_diagram_joins_methods_that_are_not_shown_to_differ(opened, tmp_path):
    page = opened(ss.report(runs(series=("a",)), tmp_path / "one.html", metrics=["f1"]), "#differences")
    assert page.page.locator("#ranks-chart path[stroke-width='6'], #ranks-chart line[stroke-width='6']").count() == 1
    assert "1.00  good" in page.texts("#ranks-chart text")
    assert "A bar joins neighbours" in page.page.locator("#differences figcaption:visible").last.inner_text()


@pytest.mark.parametrize(
    ("address", "tapped", "seen"),
    [
        ("#series", "#decisive tbody tr:nth-child(3) button", "#up-close h2"),
        ("#distributions", "#heatmap-chart path[aria-label*='value']", "#up-close h2"),
        ("#overview", "#table thead button:has-text('Covering')", "#board-title"),
        ("#series", "#timeline .name:has-text('poor')", "#what-if-title"),
    ],
    ids=["series that decide", "heat map", "overview", "timeline"],
)
def test_what_is_tapped_on_a_phone_comes_into_view(opened, study, address, tapped, seen):
    page, _ = fingered(opened, study[1], address)
    page.page.wait_for_selector("html[data-complete=yes]", timeout=60_000)
    page.page.locator(tapped).first.tap()
    page.page.wait_for_timeout(100)
    page.settle()
    page.page.wait_for_timeout(100)
    box = page.page.locator(seen).first.bounding_box()
    assert 0 <= box["y"] < 400


def test_the_series_that_decide_are_those_that_change_the_order(opened, study):
    table, path = study
    page = opened(path)
    for metric in ("f1", "covering", "hausdorff", "count_error"):
        if metric not in DEFAULT:
            continue
        page.choose("#metric", metric)
        page.see("series")
        wide = ss.score(table, metrics=[metric], margin=3, on_error="null")
        first, second = ss.leaderboard(wide, metric).methods[:2]
        turned = set()
        for series in wide["series"].unique().to_list():
            places = ss.leaderboard(wide.filter(pl.col("series") != series), metric).places
            if places[second] < places[first]:
                turned.add(series)
        assert {row[0] for row in page.table("#decisive") if row[3] == "yes"} == turned
        page.see("overview")


def test_the_margin_slider_matches_as_the_library_does(opened, study):
    table, path = study
    page = opened(path, "#series")
    series = table["series"].unique(maintain_order=True).to_list()
    assert page.page.input_value("#margin") == "3"
    for k, margin in ((0, 3), (0, 0), (1, 1), (5, 7), (11, 19)):
        if page.page.input_value("#one") != str(k):
            page.choose("#one", str(k))
        page.margin(margin)
        own = table.filter(pl.col("series") == series[k])
        for row, shown in zip(own.iter_rows(named=True), page.table("#matches"), strict=True):
            if row["pred"] is None:
                assert shown[0] == "fails: failed, no prediction"
                continue
            found = ss.match(row["truth"], row["pred"], n=row["n"], margin=margin)
            names = ["precision", "recall", "f1"]
            scores = ss.compare(row["truth"], row["pred"], n=row["n"], metrics=names, margin=margin)
            counts = [len(x) for x in (found.pairs, found.misses, found.false_alarms)]
            assert [shown[0], *map(int, shown[1:4])] == [row["method"], *counts]
            assert [float(x) for x in shown[4:]] == pytest.approx([scores[name] for name in names], abs=5.1e-5)
        missed = page.page.eval_on_selector_all("#timeline [data-kind=missed]", "marks => marks.length")
        found = [
            ss.match(r["truth"], r["pred"], n=r["n"], margin=margin).misses
            for r in own.iter_rows(named=True)
            if r["pred"] is not None
        ]
        assert missed == sum(map(len, found))


def test_the_timeline_shows_true_cuts_on_the_signal_and_failures_as_failures(opened, study):
    page = opened(study[1], "#series")
    truth = study[0]["truth"][0].to_list()
    assert page.page.locator("#timeline .signal").count() == 1
    assert page.page.locator("#timeline .cutline").count() == len(truth)
    assert page.page.locator("#timeline .failed-row").count() == 1
    assert "failed: no prediction" in page.texts("#timeline text")
    label = page.page.get_attribute("#timeline svg", "aria-label")
    assert (
        f"{len(truth)} true cuts" in label
        and "fails failed: no prediction" in label
        and "none: 0 matched, 5 missed, 0 false" in label
    )
    name, picture = page.saved("[data-picture=timeline]")
    assert (
        name == "timeline.svg" and "<svg" in picture and "data-control" not in picture and "drag" not in picture.lower()
    )
    page.click("#timeline .name:has-text('poor')")
    assert page.page.input_value("#method") == "1"


def test_a_series_opens_by_menu_button_and_heat_map(opened, study):
    table, path = study
    page = opened(path, "#series")
    series = table["series"].unique(maintain_order=True).to_list()
    page.click("#next")
    assert page.page.input_value("#one") == "1"
    for button, wanted in (("#previous", "0"), ("#previous", "11"), ("#next", "0")):
        page.click(button)
        assert page.page.input_value("#one") == wanted
    page.page.click("#chosen summary")
    page.page.uncheck("#chosen input[value='1']")
    assert [row[0] for row in page.table("#matches")][:2] == ["good", "none"]
    assert "poor" not in page.texts("#timeline text.name")
    page.see("distributions")
    names = page.texts("#heatmap-chart text")
    assert series[0] in names and series[11] in names  # the columns have names
    page.page.query_selector(f"#heatmap-chart path[aria-label*='series: {series[7]};'][aria-label*='value']").click()
    page.settle()
    assert page.page.is_visible("#series") and page.page.input_value("#one") == "7"


def scores_of(page, column):
    return {row[0]: row[column] for row in page.table("#changed")}


def assert_edited(page, truth, n, margin, original):
    """Check that all numbers of the editor are those of the library for the cuts in the address."""
    cuts = page.page.evaluate("segscore.state.edited?.cuts") or original
    names = list(DEFAULT)
    labels = page.page.evaluate("segscore.data.metrics.map((m) => m.label)")
    for column, side in ((1, original), (2, cuts)):
        wanted = ss.compare(truth, side, n=n, metrics=names, margin=margin)
        shown = scores_of(page, column)
        for name, label in zip(names, labels, strict=True):
            assert float(shown[label].replace("–", "nan").replace("∞", "inf")) == pytest.approx(
                wanted[name], abs=5.1e-5, nan_ok=True
            )
    found = ss.explain(truth, cuts, n=n)
    rows = [[what.capitalize(), where.replace("->", "→")] for what, where, _ in found.rows()][:12]
    assert [row[:2] for row in page.table("#blame")] == rows
    assert f"disagree on {found.disagreement:,} of {n * (n - 1) // 2:,} pairs" in page.text("#area")
    handles = page.page.eval_on_selector_all(
        "#editor .handle", "all => all.map(h => Number(h.getAttribute('aria-valuenow')))"
    )
    assert handles == cuts
    matched = {p for _, p in ss.match(truth, cuts, n=n, margin=margin).pairs}
    kinds = page.page.eval_on_selector_all(
        "#editor .handle", "all => all.map(h => h.querySelector('line').getAttribute('class'))"
    )
    assert kinds == ["matched" if cut in matched else "false" for cut in cuts]
    return cuts


def pull(page, start, end, finger=None):
    """Drag from one place of the screen to another, with the mouse or with a finger, in small steps."""
    places = [[a + (b - a) * k / 8 for a, b in zip(start, end, strict=True)] for k in range(9)]
    if finger is None:
        page.page.mouse.move(*start)
        page.page.mouse.down()
        for place in places[1:]:
            page.page.mouse.move(*place)
            page.page.wait_for_timeout(20)
        page.page.mouse.up()
    else:
        for k, (x, y) in enumerate(places):
            touch(finger, "touchMove" if k else "touchStart", x, y)
            page.page.wait_for_timeout(20)
        touch(finger, "touchEnd")
    page.settle()


def touch(finger, kind, *place):
    points = [dict(zip("xy", place, strict=True))] if place else []
    finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})


def fingered(opened, path, address="", width=390):
    """Open a report on a screen that is touched. Return the page and the finger."""
    page = opened(path, address, viewport={"width": width, "height": 800}, has_touch=True, is_mobile=True)
    return page, page.context.new_cdp_session(page.page)


def drag(page, handle, by, finger=None):
    box = page.page.locator(handle).bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    pull(page, (x, y), (x + by, y), finger)


def test_what_if_with_the_mouse(opened, study):
    table, path = study
    row = table.row(0, named=True)
    truth, original, n = row["truth"], row["pred"], row["n"]
    page = opened(path, "#series?method=good")
    assert assert_edited(page, truth, n, 3, original) == original
    assert page.page.is_disabled("#undo") and page.page.is_disabled("#restore") and page.page.is_disabled("#remove")
    page.page.locator("#editor").scroll_into_view_if_needed()
    drag(page, "#editor .handle[data-index='1']", 60)
    moved = assert_edited(page, truth, n, 3, original)
    assert moved[1] > original[1] and [*moved[:1], *moved[2:]] == [*original[:1], *original[2:]]
    assert "better" in str(scores_of(page, 3)) or "worse" in str(scores_of(page, 3))
    box = page.page.locator("#editor .track").bounding_box()
    ends = [0, *moved, n]
    gap = max(range(len(ends) - 1), key=lambda k: ends[k + 1] - ends[k])
    page.page.mouse.click(box["x"] + box["width"] * (ends[gap] + ends[gap + 1]) / 2 / n, box["y"] + 20)
    added = assert_edited(page, truth, n, 3, original)
    assert len(added) == len(moved) + 1
    page.page.click("#remove")
    assert assert_edited(page, truth, n, 3, original) == moved
    for wanted in (added, moved, original):
        page.page.click("#undo")
        assert assert_edited(page, truth, n, 3, original) == wanted
    assert page.page.is_disabled("#undo")
    page.page.click("#add")
    page.page.click("#restore")
    assert assert_edited(page, truth, n, 3, original) == original
    cells = page.page.evaluate("document.querySelector('#staircase-chart').dataset.drawn")
    assert cells == "1"  # later changes only replace its data


def test_what_if_with_keys_and_in_the_address(opened, study):
    table, path = study
    row = table.row(0, named=True)
    truth, original, n = row["truth"], row["pred"], row["n"]
    page = opened(path, "#series?method=good")
    page.page.focus("#editor .handle[data-index='2']")
    for key in ("ArrowRight", "ArrowRight", "ArrowLeft", "ArrowRight"):
        page.page.keyboard.press(key)
    moved = assert_edited(page, truth, n, 3, original)
    assert moved == [*original[:2], original[2] + 2, *original[3:]]
    assert page.page.evaluate("document.activeElement.getAttribute('data-index')") == "2"  # the focus stays
    page.page.keyboard.press("Shift+ArrowLeft")
    low = max(original[1] + 1, original[2] + 2 - 10)
    assert assert_edited(page, truth, n, 3, original)[2] == low
    page.page.keyboard.press("Delete")
    assert len(assert_edited(page, truth, n, 3, original)) == len(original) - 1
    page.page.keyboard.press("Control+z")
    page.page.focus("#editor .handle[data-index='0']")
    page.page.keyboard.press("Control+z")
    assert assert_edited(page, truth, n, 3, original) == moved
    page.page.focus("#add")
    page.page.keyboard.press("Enter")
    cuts = assert_edited(page, truth, n, 3, original)
    address = page.page.url
    assert "edited=" in address
    other = opened(path, "#" + address.split("#")[1])
    assert assert_edited(other, truth, n, 3, original) == cuts
    other.margin(8)
    assert_edited(other, truth, n, 8, original)


def test_what_if_with_a_finger(opened, study):
    table, path = study
    row = table.row(0, named=True)
    page, finger = fingered(opened, path, "#series?method=good")
    page.page.locator("#editor").scroll_into_view_if_needed()
    drag(page, "#editor .handle[data-index='1']", 10, finger)
    page.until("segscore.state.edited !== null")
    assert assert_edited(page, row["truth"], row["n"], 3, row["pred"])[1] > row["pred"][1]


def test_a_drag_that_the_browser_ends_changes_nothing_more(opened, study):
    """A touch is cancelled if a second finger or the system takes over; a later tap elsewhere is not its end."""
    row = study[0].row(0, named=True)
    page, finger = fingered(opened, study[1], "#series?method=good")
    page.page.locator("#editor").scroll_into_view_if_needed()
    box = page.page.locator("#editor .handle[data-index='3'] .hit").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    for kind, *place in (("touchStart", x, y), ("touchMove", x + 4, y), ("touchMove", x + 12, y)):
        touch(finger, kind, *place)
        page.page.wait_for_timeout(50)
    moved = page.page.evaluate("segscore.state.edited.cuts[3]")
    cancelled = "new PointerEvent('pointercancel')"  # some browsers give no place, which is 0 here
    page.page.evaluate(f"document.querySelector('#editor svg').onpointercancel({cancelled})")
    touch(finger, "touchCancel")
    page.page.wait_for_timeout(50)
    assert assert_edited(page, row["truth"], row["n"], 3, row["pred"])[3] == moved > row["pred"][3]
    page.click("#restore")
    track = page.page.locator("#editor .track").bounding_box()
    ends = [0, *row["pred"], row["n"]]
    gap = max(range(len(ends) - 1), key=lambda k: ends[k + 1] - ends[k])
    x = track["x"] + track["width"] * (ends[gap] + ends[gap + 1]) / 2 / row["n"]
    touch(finger, "touchStart", x, track["y"] + 20)
    touch(finger, "touchCancel")
    page.page.touchscreen.tap(x, track["y"] + track["height"] + 40)  # below the cuts
    page.page.wait_for_timeout(50)
    assert assert_edited(page, row["truth"], row["n"], 3, row["pred"]) == row["pred"]


@pytest.fixture(scope="session")
def sliders(study, tmp_path_factory):
    """Return reports whose margins count points, seconds and timestamps, and one with many runs to score again."""
    folder = tmp_path_factory.mktemp("sliders")
    seconds = runs().with_columns(
        duration=pl.col("n") / 10,
        truth=pl.col("truth").list.eval(pl.element() / 10),
        pred=pl.col("pred").list.eval(pl.element() / 10),
    )
    start = pl.lit(datetime(2026, 1, 1))
    times = pl.element().cast(pl.Int64).mul(60_000_000).cast(pl.Duration("us")) + start
    dates = runs().with_columns(
        start=start,
        end=start + pl.duration(minutes="n"),
        truth=pl.col("truth").list.eval(times),
        pred=pl.col("pred").list.eval(times),
    )
    many = runs(("good", "poor", "late"), [f"series {k}" for k in range(700)])
    return {
        "points": study[1],
        "seconds": ss.report(seconds.drop("n"), folder / "seconds.html", metrics=["f1"]),
        "dates": ss.report(dates.drop("n"), folder / "dates.html", metrics=["f1"]),
        "many": ss.report(many, folder / "many.html", metrics=["f1", "recall"]),
    }


@pytest.mark.parametrize("by", ["mouse", "finger"])
@pytest.mark.parametrize("report", ["points", "seconds", "dates", "many"])
def test_the_margin_is_dragged_to_where_one_aims(opened, sliders, report, by):
    for width in (1200, 768, 390):
        if by == "mouse":
            page, finger = opened(sliders[report], viewport={"width": width, "height": 800}), None
        else:
            page, finger = fingered(opened, sliders[report], width=width)
        slider = page.page.locator("#margin")
        for share in (0.5, 0.8, 0.3):
            box, value, most = slider.bounding_box(), float(slider.input_value()), float(slider.get_attribute("max"))
            x, y = (box["x"] + 8 + (box["width"] - 16) * value / most, box["y"] + box["height"] / 2)
            pull(page, (x, y), (box["x"] + 8 + (box["width"] - 16) * share, y), finger)
            assert slider.bounding_box() == box
            assert page.page.evaluate("segscore.state.margin") == pytest.approx(
                share * most, abs=0.04 * most + 0.5 * (report == "points")
            )
        page.click("#margin-reset")
        assert slider.bounding_box() == box and not page.page.is_visible("#margin-reset")


def test_the_view_is_dragged_with_a_finger(opened, study):
    page, finger = fingered(opened, study[1], "#series")
    strip = page.page.locator("#timeline .strip")
    strip.scroll_into_view_if_needed()
    box, n = strip.bounding_box(), study[0]["n"][0]
    y = box["y"] + box["height"] / 2
    cuts = "[...document.querySelectorAll('#timeline [data-kind=true]')].map(mark => Number(mark.dataset.cut))"
    pull(page, (box["x"] + box["width"] / 2, y), (box["x"] + box["width"] - 1, y), finger)
    assert page.page.evaluate(cuts) == [cut for cut in study[0]["truth"][0] if cut >= n / 2]
    touch(finger, "touchStart", box["x"] + 20, y)
    touch(finger, "touchMove", box["x"] + 60, y)
    touch(finger, "touchCancel")  # leaves the view as it was
    page.page.wait_for_timeout(50)
    assert page.page.evaluate(cuts) == [cut for cut in study[0]["truth"][0] if cut >= n / 2]
    seen = page.page.locator("#timeline .window").bounding_box()
    assert seen["x"] == pytest.approx(box["x"] + box["width"] / 2, abs=2)


def test_copy_as_python_gives_the_same_numbers(opened, study, capsys):
    page = opened(study[1], "#series?method=good", permissions=["clipboard-read", "clipboard-write"])
    page.page.click("#add")
    page.page.click("#copy")
    page.until("document.querySelector('#copied').textContent !== ''")
    code = page.page.evaluate("navigator.clipboard.readText()")
    assert code == page.text("#code pre")
    scope = {}
    exec(code, scope)
    assert "explain" in code
    shown = list(scores_of(page, 2).values())
    assert [float(x) for x in shown] == pytest.approx([scope["scores"][name] for name in DEFAULT], abs=5.1e-5)
    page.page.click("#all-changed summary")
    page.page.wait_for_selector("#all-changed tbody tr")
    names = [name for name, metric in ss.METRICS.items() if not metric.only_tables and name not in DEFAULT]
    rows = {row[0]: row[2] for row in page.table("#all-changed table")}
    assert len(rows) == len(names)
    wanted = ss.hausdorff(scope["truth"], scope["pred"], n=study[0]["n"][0])
    assert float(rows["Hausdorff"]) == pytest.approx(wanted)


def test_the_address_holds_what_was_chosen(opened, study):
    page = opened(study[1])
    page.choose("#metric", "covering")
    assert page.page.url.endswith("#overview?score=covering")  # nothing else was chosen
    page.choose("#part", "early")
    page.margin(7)
    page.see("distributions")
    page.choose("#other", "pk")
    page.see("series")
    page.choose("#one", "4")
    page.choose("#method", "1")
    address = page.page.url
    again = opened(study[1], "#" + address.split("#")[1])
    assert again.page.is_visible("#series") and again.page.is_hidden("#overview")
    chosen = [again.page.input_value(menu) for menu in ("#metric", "#part", "#margin", "#other", "#one", "#method")]
    assert chosen == ["covering", "early", "7", "pk", "4", "1"]
    again.page.go_back()  # leaves the page, as it was opened here
    page.page.go_back()
    page.settle()
    assert page.page.is_visible("#distributions")
    strange = opened(study[1], "#nowhere?score=x&margin=-3&series=y&edited=9%205&truth=77&method=%3Cscript%3E")
    assert strange.page.is_visible("#overview") and strange.page.input_value("#metric") == "rand_index"
    strange.see("series")
    assert strange.page.is_visible("#editor svg")


def test_tables_can_be_saved(opened, study):
    table, path = study
    page = opened(path)
    name, text = page.saved("[data-csv=table]")
    assert name == "overview.csv"
    assert text.splitlines()[0].startswith("Method,Rand index") and len(text.splitlines()) == 6
    name, text = page.saved("[data-csv=standings]")
    assert name == "rand_index.csv"
    board = ss.leaderboard(ss.score(table, metrics=["rand_index"], on_error="null"), "rand_index")
    assert text.splitlines()[1].startswith(f"good,{board.standings[0].mean:.4f},")
    page.see("distributions")
    name, text = page.saved("#all-scores")
    found = pl.read_csv(text.encode(), null_values=[""])
    wide = ss.score(table, metrics=["f1"], margin=3, on_error="null").select("method", "series", "f1(margin=3)")
    joined = found.join(wide, on=["method", "series"], suffix="_own")
    assert joined.height == 60 and joined["f1(margin=3)"].equals(joined["f1(margin=3)_own"])


def test_the_page_computes_as_the_library_on_any_cuts(opened, study):
    page = opened(study[1])
    rng = np.random.default_rng(5)
    cases = []
    for _ in range(300):
        n = int(rng.integers(1, 40))
        truth, pred = (
            sorted(rng.choice(range(1, n + 1), rng.integers(0, n), replace=False).tolist()) for _ in range(2)
        )
        cases.append([[c for c in truth if c < n], [c for c in pred if c < n], n, int(rng.integers(0, 6))])
    found = page.page.evaluate(
        """cases => cases.map(([t, p, n, margin]) => [
            segscore.core.match(t, p, n, margin).map(([i, j]) => [t[i], p[j]]), segscore.core.explain(t, p, n)])""",
        cases,
    )
    for (truth, pred, n, margin), (pairs, explained) in zip(cases, found, strict=True):
        assert [tuple(pair) for pair in pairs] == ss.match(truth, pred, n=n, margin=margin).pairs
        assert [tuple(row) for row in explained] == ss.explain(truth, pred, n=n).rows()


def test_the_page_may_run_only_its_own_scripts(opened, study):
    page = opened(study[1])
    policy = page.page.get_attribute("meta[http-equiv]", "content")
    assert "unsafe-eval" not in policy.replace("wasm-unsafe-eval", "") and "script-src 'sha256-" in policy
    assert "'unsafe-inline'" not in policy.split("style-src")[0]
    # Later, because the policy does not bind what the tools of a developer evaluate at once.
    page.page.evaluate(
        """setTimeout(() => {
            try { window.made = Function('return 1')(); } catch (error) { window.made = error.name; }
            const script = document.createElement('script');
            script.textContent = 'window.injected = 1';
            document.body.append(script);
            window.finished = true;
        })"""
    )
    page.until("window.finished")
    assert page.page.evaluate("[window.made, window.injected]") == ["EvalError", None]
    page.complaints.clear()  # the refusals themselves


@pytest.mark.parametrize("missing", ["WebAssembly", "DecompressionStream"])
def test_without_new_parts_of_browsers_the_stored_numbers_are_shown(browser, study, missing):
    context = browser.new_context(offline=True)
    context.add_init_script(f"delete window.{missing}")
    page = context.new_page()
    page.goto(study[1].as_uri())
    page.wait_for_selector("html[data-ready=yes]", timeout=60_000)
    assert (
        page.inner_text("#off")
        == {
            "WebAssembly": "This browser has no WebAssembly, so the page cannot compare cuts, and the margin cannot be changed. "
            "All scores were computed when the report was made.",
            "DecompressionStream": "This browser cannot read the compressed parts of the page (it has no DecompressionStream), so "
            "only the overview is shown.",
        }[missing]
    )
    assert page.locator("#table tbody tr").count() == 5
    assert "good" in page.inner_text("#findings")
    assert page.is_hidden("#margin-choice")
    if missing == "WebAssembly":
        assert page.locator("#standings tbody tr").count() == 5
        page.click("nav a[href='#series']")
        assert page.is_hidden("#up-close") and page.is_visible("#decisive")
    else:  # nothing that would not work is shown
        assert page.is_hidden("#bar") and page.is_hidden("#columns") and page.is_hidden("[data-csv=standings]")
    context.close()


def test_without_scripts_the_page_says_what_it_needs(browser, study):
    context = browser.new_context(offline=True, java_script_enabled=False)
    page = context.new_page()
    page.goto(study[1].as_uri())
    assert "This page needs JavaScript" in page.inner_text("body")
    assert page.is_hidden("#bar") and page.is_hidden("#theme") and page.is_hidden("main")
    context.close()


def test_thousands_of_cuts_can_be_zoomed(opened, tmp_path):
    n = 10**6
    rng = np.random.default_rng(0)
    truth, pred = (np.sort(rng.choice(n - 1, 8_000, replace=False) + 1).tolist() for _ in range(2))
    table = pl.DataFrame({"series": ["long"], "method": ["m"], "n": [n], "truth": [truth], "pred": [pred]})
    page = opened(ss.report(table, tmp_path / "long.html", metrics=["rand_index", "f1"]), "#series")
    marks = "#timeline [data-kind]"
    assert 500 < page.page.locator(marks).count() <= 4 * 1200
    counts = [
        re.search(r": (?:([\d,]+) true cuts|true cut )", tip)[1] for tip in page.texts("#timeline [data-kind=true]")
    ]
    assert sum(int((count or "1").replace(",", "")) for count in counts) == 8_000
    assert "Zoom in to edit them" in page.text("#editor")
    strip = page.page.locator("#timeline .strip")
    strip.scroll_into_view_if_needed()
    box = strip.bounding_box()
    page.page.mouse.move(box["x"] + 200, box["y"] + 7)
    page.page.mouse.down()
    page.page.mouse.move(box["x"] + 204, box["y"] + 7, steps=3)
    page.page.mouse.up()
    places = page.page.eval_on_selector_all(marks, "marks => marks.map(m => Number(m.dataset.cut))")
    assert 0 < len(places) < 800 and max(places) - min(places) < n / 100  # now each cut is a mark of its own
    assert page.page.locator("#editor .handle").count() > 10
    page.page.click("#zoom-out")
    wider = page.page.eval_on_selector_all(marks, "marks => marks.map(m => Number(m.dataset.cut))")
    assert max(wider) - min(wider) > 1.5 * (max(places) - min(places))
    page.page.click("#later")
    later = page.page.eval_on_selector_all(marks, "marks => marks.map(m => Number(m.dataset.cut))")
    assert min(later) > min(wider)
    strip.click(position={"x": 50, "y": 7})  # a click without a drag shows all
    assert page.page.locator(marks).count() > 500


def test_more_cuts_than_a_call_takes_arguments(opened, tmp_path):
    n, size = 600_000, 150_000
    rng = np.random.default_rng(0)
    truth, pred = (np.sort(rng.choice(n - 1, size, replace=False) + 1).tolist() for _ in range(2))
    labels = pl.Series([[str(k % 3) for k in range(size + 1)]])
    table = pl.DataFrame({"series": ["long"], "method": ["m"], "n": [n], "truth": [truth], "pred": [pred]})
    table = table.with_columns(truth_labels=labels, pred_labels=labels, signal=pl.Series([rng.normal(size=n).tolist()]))
    page = opened(ss.report(table, tmp_path / "long.html", metrics=["rand_index"]), "#series")
    for place in ("#timeline", "#editor"):
        assert 500 < page.page.locator(f"{place} svg *").count() < 20_000
    assert page.table("#matches")[0][1] == str(len(ss.match(truth, pred, n=n, margin=5).pairs))
    assert page.text("#area").endswith(" are drawn.")


@pytest.mark.parametrize(
    ("columns", "why"),
    [
        (
            {"n": [2**62, 90], "truth": [[1, 2**62 - 1], [30]], "pred": [[2**60 + 1, 2**62 - 2, 2**62 - 1], [33]]},
            "This series has more places than the numbers of a browser can tell apart, so its cuts are not shown.",
        ),
        ({"n": [0, 90], "truth": [[], [30]], "pred": [[], [33]]}, "This series has no points."),
        ({"n": [1, 90], "truth": [[], [30]], "pred": [[], [33]]}, None),
        (
            {
                "start": [-(2**61), 0],
                "end": [2**61, 10**9],
                "truth": [[5000, 5001], [10**8]],
                "pred": [[5000, 5002], [2 * 10**8]],
            },
            "This series has more places than the numbers of a browser can tell apart, so its cuts are not shown.",
        ),
    ],
    ids=["2 ** 62 points", "no points", "one point", "times that round to the same"],
)
def test_series_that_cannot_be_drawn_say_why(opened, tmp_path, columns, why):
    each = pl.DataFrame({"series": ["a", "b"], **columns}).with_columns(pl.col("truth", "pred").cast(pl.List(pl.Int64)))
    if "start" in columns:
        time = pl.Datetime("ns")
        each = each.with_columns(pl.col("start", "end").cast(time), pl.col("truth", "pred").cast(pl.List(time)))
    table = each.join(pl.DataFrame({"method": ["x", "y"]}), how="cross")
    page = opened(ss.report(table, tmp_path / "x.html", metrics=["rand_index", "count_error"]), "#series")
    assert page.page.is_visible("#with-truth") == (why is None)
    assert why is None or page.page.inner_text("#no-truth") == why
    page.click("#next")
    assert page.page.is_visible("#with-truth")
    assert not any("NaN" in page.page.inner_html(place) for place in ("#timeline", "#editor", "#matches", "#changed"))
    page.see("overview")
    where = {"start": "start", "end": "end"} if "start" in columns else {}
    exact = ss.score(table, metrics=["rand_index"], **where)["rand_index"].mean()
    assert page.table("#standings")[0][1] == f"{exact:.4f}"
    # Margins are for all series, or for none.
    assert page.page.is_visible("#margin-choice") == (why is None or "no points" in why)
    if page.page.is_visible("#margin-choice"):
        page.margin(3)


@pytest.mark.parametrize("missing", [None, "DecompressionStream"])
def test_colours_change_where_nothing_else_is_drawn(browser, tmp_path, missing):
    context = browser.new_context(offline=True)
    if missing:
        context.add_init_script(f"delete window.{missing}")
    page = context.new_page()
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    table = runs() if missing else runs().clear()
    page.goto(ss.report(table, tmp_path / "x.html").as_uri())
    page.wait_for_selector("html[data-ready=yes]", timeout=60_000)
    before = page.evaluate("getComputedStyle(document.body).backgroundColor")
    for each in page.query_selector_all("button, summary"):
        if each.is_visible():
            each.click()
            page.wait_for_timeout(50)
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != before
    assert errors == []
    context.close()


def test_annotators_and_the_human_line(opened, tmp_path):
    table = runs(annotators=3)
    page = opened(ss.report(table, tmp_path / "people.html", metrics=["covering", "f1"], margin=2))
    human = [
        ss.covering(other, own, n=n)
        for n, people in table.unique("series").select("n", "truth").iter_rows()
        for k, own in enumerate(people)
        for j, other in enumerate(people)
        if j != k
    ]
    row = page.texts("tr[data-reference=human] th, tr[data-reference=human] td:not(.plot)")
    assert row[:2] == ["human (each annotator against the others)", f"{np.mean(human):.4f}"]
    assert "people score" in page.text("#findings")
    page.see("series")
    assert page.texts("#truth option") == ["annotator 1", "annotator 2", "annotator 3"]
    page.choose("#truth", "2")
    first = table.row(0, named=True)
    matched = ss.match(first["truth"][2], first["pred"], n=first["n"], margin=2)
    assert page.table("#matches")[0][1] == str(len(matched.pairs))


@pytest.mark.filterwarnings("ignore:.* rows cannot be read")
@pytest.mark.parametrize(
    "table",
    [
        pytest.param(runs().clear(), id="empty"),
        pytest.param(runs(("good",)), id="one method"),
        pytest.param(runs(series=("a",)), id="one series"),
        pytest.param(runs(("good",), ("a",)), id="one of each"),
        pytest.param(
            runs(("fails", "fails too")).with_columns(pred=pl.lit(None, pl.List(pl.Int64))), id="all failures"
        ),
        pytest.param(runs().with_columns(truth=pl.lit(None, pl.List(pl.Int64))), id="no truth"),
        pytest.param(runs().with_columns(n=pl.lit(7)), id="all rows wrong"),
        pytest.param(
            pl.DataFrame({"series": ["a"], "method": ["m"], "n": [1], "truth": [[]], "pred": [[]]}), id="n = 1"
        ),
        pytest.param(pl.concat([runs(), runs(seed=1)]), id="every row twice"),
        pytest.param(runs(("good", "none"), ("a", "b")).head(3), id="a row missing"),
        pytest.param(
            ss.score(runs(), metrics=["hausdorff"]).drop("truth", "pred", "n"), id="scores alone, some infinite"
        ),
        pytest.param(runs(HOSTILE, HOSTILE[:4]), id="hostile names"),
        pytest.param(runs(("m" * 300, "good"), ("s" * 300, "b")), id="names without an end"),
    ],
)
def test_odd_tables_are_correct_and_safe(opened, tmp_path, table):
    page = opened(ss.report(table, tmp_path / "odd.html", title=HOSTILE[0], on_error="null"))
    assert page.page.inner_text("h1") == HOSTILE[0]
    assert page.page.is_visible("#banner") == (
        "truth" in table.columns and (table["truth"].null_count() or 7 in table["n"]) > 0
    )
    assert page.page.evaluate("window.hacked") is None
    if table.height == 0:
        assert page.page.inner_text("#nothing") == "The table has no rows, so there is nothing to compare."
        assert page.page.is_hidden("#overview")
        return
    methods = table["method"].unique().to_list()
    assert sorted(row[0] for row in page.table("#standings")) == sorted(m.strip() for m in methods)
    names = page.page.eval_on_selector_all("#metric option", "options => options.map(o => o.value)")
    page.choose("#metric", names[-1])
    for view in ("differences", "distributions", "series", "curves", "about"):
        page.see(view)
        assert page.page.evaluate("document.documentElement.scrollWidth") <= 1200
    page.see("series")
    if page.page.is_visible("#next") and table["series"].n_unique() > 1:
        page.click("#next")
    assert page.page.evaluate("window.hacked") is None


def test_empty_and_turning_names_are_seen_and_turn_nothing(opened, tmp_path):
    turning = "\u202eturned"
    page = opened(ss.report(runs(("good", turning, ""), ("", turning, "c")), tmp_path / "names.html"), "#series")
    assert page.page.eval_on_selector_all("#deciding bdi", "all => all.length") >= 3
    around = (
        "all => all.map(each => [...each.childNodes].filter(part => part.nodeType === 3).map(part => part.data).join())"
    )
    assert not any("\u202e" in text for text in page.page.eval_on_selector_all("#deciding, #area", around))
    assert "(no name)" in page.texts("#decisive button")
    assert "(no name)" in page.texts("#timeline text")
    assert "(no name)" in page.texts("#method option")
    page.click("#decisive button:text-is('(no name)')")
    assert page.text("#which") == ": (no name)"
    page.see("overview")
    assert "(no name)" in [row[0] for row in page.table("#standings")]
    assert "(no name)" in [row[0] for row in page.table("#overview")]
    _, saved = page.saved("[data-csv=standings]")
    assert {line.split(",")[0] for line in saved.splitlines()[1:4]} == {"good", turning, ""}  # the names as they are


def test_names_from_right_to_left_turn_no_text_of_the_library(opened, tmp_path):
    right, other = "\u05d0 (1)", "\u05d0 (1)+"  # one name is the start of the other
    table = runs((right, "good", other), [f"s{k}" for k in range(8)])
    failed = pl.when((pl.col("method") == right) & (pl.col("series") == "s1")).then(None).otherwise("pred")
    page = opened(ss.report(table.with_columns(pred=failed), tmp_path / "names.html", metrics=["f1"]))
    page.see("differences")
    kept = [f"\u2068{name}\u2069" for name in (right, other)]
    assert kept[0] in page.text("#notes")
    for text in (page.text("#conclusion"), *page.texts("#ranks-chart text"), page.text("#notes")):
        for name in kept:
            text = text.replace(name, "")
        assert "\u05d0" not in text


def test_negative_numbers_have_a_minus_sign_and_files_a_hyphen(opened, tmp_path):
    scores = pl.DataFrame({"method": [*"aabb"], "series": [*"xyxy"], "gain": [-1.25, -0.5, 2.0, float("-inf")]})
    page = opened(ss.report(scores, tmp_path / "x.html", metrics=[ss.Column("gain", best="high")]))
    assert "−0.875" in page.text("#table") and "−0.8750" in page.text("#standings") and "−∞" in page.text("#standings")
    assert "-" not in page.text("#table tbody") + page.text("#standings tbody")
    saved = [page.saved(f"[data-csv={table}]")[1] for table in ("table", "standings")]
    assert all(",-0.875" in text and "−" not in text and "∞" not in text for text in saved)
    assert ",-inf" in saved[1]


def test_failures_are_listed_with_their_reasons(opened, tmp_path):
    table = runs(("good", "poor"))
    wrong = pl.when((pl.col("series") == "b") & (pl.col("method") == "poor")).then(pl.lit([9, 3])).otherwise("pred")
    page = opened(ss.report(table.with_columns(pred=wrong), tmp_path / "failed.html"))
    page.page.click("#failures summary")
    reason = "pred[1] = 3 does not exceed pred[0] = 9; cuts must strictly increase (sort them first)"
    assert page.page.inner_text("#failures summary") == "1 run without a score"
    assert page.table("#failures table") == [["poor", "b", "failed", reason]]
    page.page.click("#policies summary")
    assert [row[0] for row in page.table("#policies table")] == ["good", "poor"]
    page.see("distributions")
    assert "1 failed" in page.texts("#scores-chart text")
    page.see("series")
    page.choose("#one", "1")
    assert page.table("#matches")[1][0] == f"poor: failed, {reason}"
    page.choose("#method", "1")
    assert page.text("#no-prediction") == f"poor failed on this series: {reason}." and page.page.is_hidden("#what-if")


def test_infinite_scores_are_shown_and_no_failures(opened, tmp_path):
    scores = pl.DataFrame(
        {
            "method": ["a"] * 3 + ["b"] * 3 + ["c"] * 3,
            "series": ["x", "y", "z"] * 3,
            "hausdorff": [1.0, 2.0, 3.0, float("inf"), 1.0, None] + [float("inf")] * 3,
        }
    )
    page = opened(ss.report(scores, tmp_path / "inf.html"))
    assert [[row[0], row[1], row[2]] for row in page.table("#standings")] == [
        ["a", "2.0000", "2.0000"],
        ["b", "1.0000", "∞"],
        ["c", "∞", "∞"],
    ]
    assert [row[1] for row in page.table("#table")] == ["2.000", "∞", "∞"]
    assert "infinite" in page.text("#standings .forest .off")
    assert page.page.inner_text("#failures summary") == "1 run without a score"
    page.see("distributions")
    shown = page.texts("#scores-chart text")
    assert "3 infinite" in shown and any("1 failed" in text and "1 infinite" in text for text in shown)
    _, saved = page.saved("#all-scores")
    assert saved.splitlines()[4:8] == ["b,x,inf", "b,y,1", "b,z,", "c,x,inf"]


def test_a_page_without_cuts_is_complete(opened, tmp_path):
    scores = ss.score(runs(), metrics=["f1(margin=2)", "covering"]).select(
        "method", "series", "f1(margin=2)", "covering"
    )
    page = opened(ss.report(scores, tmp_path / "x.html"))
    assert len(page.table("#table")) == 3 and page.page.is_hidden("#margin-choice")
    page.see("series")
    assert (
        page.text("#no-cuts")
        == "The table has only scores, neither truth nor predictions, so there are no cuts to show."
    )
    assert page.page.is_hidden("#up-close") and page.page.is_visible("#decisive")
    rows = page.table("#by-series table")
    assert page.page.is_visible("#by-series table") and [row[0] for row in rows] == list("abcd")
    assert float(rows[0][1]) == pytest.approx(scores.filter(pl.col("method") == "good")["covering"][0], abs=5.1e-4)
    page.see("curves")
    assert page.text("#no-curves") == "The table has neither cuts nor regions nor seconds, so there are no curves."
    for chart in ("#margins-chart", "#delays-chart", "#cost-chart"):
        assert page.page.is_hidden(chart)


def test_a_series_without_truth_has_no_timeline(opened, tmp_path):
    table = runs().with_columns(truth=pl.when(pl.col("series") != "a").then("truth"))
    page = opened(ss.report(table, tmp_path / "some.html"), "#series")
    assert page.page.is_hidden("#with-truth")
    assert page.page.inner_text("#no-truth") == "This series has no truth."
    page.click("#next")
    assert page.page.is_visible("#with-truth")
    page.margin(9)
    page.click("#next")
    assert page.page.input_value("#margin") == "9"  # stays as it was set
    page.click("#previous")
    page.click("#previous")
    assert page.page.is_hidden("#with-truth")


def test_margins_that_are_no_integers(opened, tmp_path):
    table = runs(("good", "poor")).with_columns(
        pl.col("truth", "pred").list.eval(pl.element().cast(pl.Float64)), duration=pl.col("n").cast(pl.Float64)
    )
    page = opened(ss.report(table.drop("n"), tmp_path / "half.html", metrics=["f1"], margin=2.5))
    assert page.text("#margin-shown") == "2.5 seconds"
    stored = page.table("#standings")
    page.margin(3.25)
    page.margin(2.5)
    assert page.table("#standings") == stored


def test_songs_in_seconds_with_labels(opened, tmp_path):
    truth, pred = [12.5, 30.25, 48.0], [12.25, 31.5]
    labels = ["verse", "chorus", "verse", "outro"], ["A", "verse", "A"]
    sides = [ss.Segmentation(*side, duration=75.5) for side in zip((truth, pred), labels, strict=True)]
    row = {"duration": 75.5, "truth": truth, "truth_labels": labels[0], "pred": pred, "pred_labels": labels[1]}
    table = pl.DataFrame([{"series": f"song {k}", "method": "mine", **row} for k in range(2)])
    path = ss.report(table, tmp_path / "songs.html", metrics=["rand_index", "f1"], margin=0.5)
    page = opened(path)
    assert page.text("#margin-shown") == "0.5 seconds"
    assert page.page.get_attribute("#margin", "max") == "4"
    assert page.table("#overview")[0][1:] == [f"{ss.rand_index(*sides):.3f}", "0.400"]
    page.see("series")
    bands = page.page.eval_on_selector_all(
        "#timeline rect[opacity]", "all => all.map(each => [each.getAttribute('fill'), each.textContent])"
    )
    assert [label for _, label in bands] == [*labels[0], *labels[1]]
    assert len(set(map(tuple, bands))) == len(set(labels[0] + labels[1]))  # a label has one colour in all rows
    assert "seconds" in page.texts("#timeline text")
    assert page.page.is_visible("#of-labels")
    assert page.table("#changed")[0][1] == f"{ss.rand_index(*sides):.4f}"
    assert "Rand index of the cuts" in page.text("#area")
    assert ["Move to the true cut", "31.5 → 30.25"] in [row[:2] for row in page.table("#blame")]
    plain = ss.report(table.drop("truth_labels", "pred_labels"), tmp_path / "plain.html", metrics=["rand_index"])
    page = opened(plain, "#series")
    assert not page.page.is_visible("#of-labels")
    assert page.page.locator("#timeline rect[opacity]").count() == 0


def test_what_if_with_labels(opened, tmp_path):
    truth, pred, labels = [20, 50, 80], [25, 60], (["a", "b", "a", "c"], ["a", "b", "c"])
    row = {"n": 100, "truth": truth, "truth_labels": labels[0], "pred": pred, "pred_labels": labels[1]}
    table = pl.DataFrame([{"series": name, "method": "mine", **row} for name in "xy"])
    names = ["rand_index", "covering", "mutual_information", "f1"]
    path = ss.report(table, tmp_path / "labels.html", metrics=names, margin=5)
    page = opened(path, "#series")

    def bands():
        return page.texts("#editor rect[opacity]")

    def check(cuts, own):
        sides = ss.Segmentation(truth, n=100, labels=labels[0]), ss.Segmentation(cuts, n=100, labels=own)
        wanted = ss.compare(*sides, metrics=names, margin=5)
        assert [row[2] for row in page.table("#changed")] == [f"{wanted[name]:.4f}" for name in names]
        assert bands() == [*own, *labels[1]]

    check(pred, labels[1])
    page.page.focus("#editor .handle[data-index='1']")
    page.page.keyboard.press("Shift+ArrowLeft")
    check([25, 50], ["a", "b", "c"])
    page.click("#add")  # in the middle of the longest segment, the last one
    check([25, 50, 75], ["a", "b", "c", "c"])
    page.page.focus("#editor .handle[data-index='0']")
    page.click("#remove")
    check([50, 75], ["a", "c", "c"])
    address = page.page.url
    known = {}
    exec(page.text("#code pre").replace("print", "str"), known)  # what "copy as Python" gives
    assert [row[2] for row in page.table("#changed")] == [f"{known['scores'][name]:.4f}" for name in names]
    page.open(address)
    check([50, 75], ["a", "c", "c"])
    page.open(address.replace("%2F0+2+2", "%2F0+2"))  # one label is missing
    check(pred, labels[1])
    page.open(address.replace("%2F0+2+2", "%2F0+2+9"))  # there is no tenth label
    check(pred, labels[1])
    page.click("#add")
    page.click("#undo")
    check(pred, labels[1])
    page.open(
        address.replace("edited=50+75%2F0+2+2", "edited=25+60%2F0+0+2")
    )  # the cuts of the prediction, another label
    check(pred, ["a", "a", "c"])
    page.click("#restore")
    check(pred, labels[1])
    page.open(address.replace("edited=50+75%2F0+2+2", "edited=1+60%2F0+1+2"))
    page.page.focus("#editor .handle[data-index='0']")
    page.page.keyboard.press("ArrowLeft")  # there is no room
    check([1, 60], labels[1])
    assert page.page.is_disabled("#undo")


def test_the_curves_and_the_cost(opened, study, tmp_path):
    table = runs()
    margin = 2
    path = ss.report(table, tmp_path / "x.html", metrics=["f1", "miss_rate(max_delay=3)"], margin=margin)
    held = content(path)
    board = {standing["method"]: standing["mean"] for standing in held["boards"]["f1"]["standings"]}
    at = {row["method"]: row["mean"] for row in held["curves"]["margins"]["curves"] if row["x"] == margin}
    assert at == pytest.approx(board)
    assert held["curves"]["margins"]["marks"] == [{"x": margin}]
    assert held["curves"]["delays"]["marks"] == [{"x": 3}]
    page = opened(path, "#curves")
    charts = ("#margins-chart", "#delays-chart", "#cost-chart")
    assert [page.page.is_visible(chart) for chart in charts] == [True, True, False]
    page = opened(study[1], "#curves")
    assert [page.page.is_visible(chart) for chart in charts] == [True, False, True]
    assert {"good", "poor", "late"} <= set(page.texts("#cost-chart text"))


def test_the_chart_of_settings(opened, study, tmp_path):
    parts = [runs(("good", "poor"), [*"abcdefgh"], seed=k) for k in range(3)]
    grid = pl.concat(part.with_columns(params=pl.lit(f'{{"<i>k":{k + 1}}}')) for k, part in enumerate(parts))
    path = ss.report(grid, tmp_path / "grid.html", metrics=["f1"])
    for width in (1200, 390):
        page = opened(path, "#curves", viewport={"width": width, "height": 800})
        page.until("document.querySelector('#parameter-0-chart svg')")
        assert "by the value of <i>k" in page.text("#parameters figcaption")
        texts = page.texts("#parameter-0-chart svg text")
        assert {"<i>k", "recall", "precision", "best for all series", "oracle (best on each series)"} <= set(texts)
        assert not any(text.endswith("…") for text in texts)
        drawing, place = (
            page.page.locator(f"#parameter-0-chart{inner}").bounding_box() for inner in (" svg.marks", "")
        )
        assert drawing["width"] <= place["width"] + 1
    page = opened(study[1], "#curves")
    assert page.page.locator("#parameters figure").count() == 0


def test_rows_that_are_not_there_are_listed(opened, tmp_path):
    page = opened(ss.report(runs(("good", "none"), ("a", "b")).head(3), tmp_path / "missing.html"))
    page.page.click("#failures summary")
    assert page.table("#failures table") == [["none", "b", "not run", "no row"]]


def test_charts_have_texts_and_their_labels_do_not_collide(opened, study):
    overlaps = """chart => {
        const boxes = [...chart.querySelectorAll('.role-axis-label text')].filter(t => getComputedStyle(t).opacity > 0 && t.textContent && !/rotate/.test(t.getAttribute('transform')))
            .map(t => [t.getBoundingClientRect(), t.textContent]);
        return boxes.flatMap(([a, x], k) => boxes.slice(k + 1).filter(([b]) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 3 && b.top < a.bottom - 3).map(([, y]) => x + ' ' + y));
    }"""
    for width in (1200, 390):
        page = opened(study[1], viewport={"width": width, "height": 800})
        for view in ("differences", "distributions", "series", "curves"):
            page.see(view)
            for chart in page.page.query_selector_all(f"#{view} .chart"):
                if not chart.is_visible():
                    continue
                assert len(chart.query_selector("[role=graphics-document]").get_attribute("aria-label")) > 20
                assert chart.evaluate(overlaps) == []
            assert page.page.evaluate("document.documentElement.scrollWidth") <= width


def test_on_a_phone_in_the_dark_and_in_print(opened, study):
    page = opened(study[1], viewport={"width": 360, "height": 740}, color_scheme="dark")
    dark = page.page.evaluate("getComputedStyle(document.body).backgroundColor")
    for view in ("overview", "differences", "distributions", "series", "curves", "about"):
        page.see(view)
        assert page.page.evaluate("document.documentElement.scrollWidth") <= 360
    page.see("overview")
    outside = "[...document.querySelectorAll('#standings td, #standings th')].filter(c => c.getBoundingClientRect().right > 361).length"
    assert page.page.evaluate(outside) == 0  # no column falls off
    assert page.page.get_attribute("#theme", "aria-label") == "Switch to light colours"
    page.page.click("#theme")
    assert page.page.evaluate("getComputedStyle(document.body).backgroundColor") != dark
    page.page.click("#theme")
    page.page.set_viewport_size({"width": 1200, "height": 900})
    page.page.wait_for_selector("html[data-complete=yes]", timeout=60_000)
    page.page.emulate_media(media="print", color_scheme="dark")
    page.page.set_viewport_size({"width": 700, "height": 900})  # of paper; nothing is drawn again
    assert page.page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    shown = "[...document.querySelectorAll('select, input, nav, button:not(thead button, .link), summary')].filter(e => e.checkVisibility()).length"
    assert page.page.evaluate(shown) == 0  # paper has no controls
    for view in ("overview", "differences", "distributions", "series", "curves", "about"):
        assert page.page.is_visible(f"#{view}")  # all sections are printed
    wide = "[...document.querySelectorAll('.chart svg, .drawing svg, table')].filter(s => s.checkVisibility() && s.getBoundingClientRect().right > 701).map(s => s.id || s.parentElement.id)"
    assert page.page.evaluate(wide) == []


@pytest.mark.parametrize("view", ["overview", "curves", "about"])
def test_an_address_opens_with_the_name_of_its_section_in_view(opened, study, view):
    page = opened(study[1], f"#{view}", viewport={"width": 360, "height": 740})
    chosen = page.page.locator("nav [aria-current]").bounding_box()
    assert chosen["x"] >= 0 and chosen["x"] + chosen["width"] <= 360


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_keeps_anybody_out(opened, study, scheme):
    """axe-core finds nothing against WCAG 2.2 AA in any section."""
    from axe_playwright_python.sync_playwright import Axe

    page = opened(study[1], color_scheme=scheme)
    options = {"resultTypes": ["violations"], "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}
    for view in ("overview", "differences", "distributions", "series", "curves", "about"):
        page.see(view)
        found = Axe().run(page.page, options=options).response["violations"]
        assert [(each["id"], node["html"][:200]) for each in found for node in each["nodes"][:5]] == []
