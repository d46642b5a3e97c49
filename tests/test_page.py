"""The report in a real browser, from disk, with the network off, as a person would use it."""

import html
import json
import math
import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import segscore as ss
from segscore.results.columns import column_of
from segscore.results.page import DEFAULT
from segscore.results.page.content import described
from segscore.results.standings import shown_columns

ROOT = Path(__file__).parents[1]
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

    def __init__(self, browser, path, **options):
        self.context = browser.new_context(offline=True, **{"viewport": {"width": 1200, "height": 900}, **options})
        self.page = self.context.new_page()
        self.complaints, self.requests = [], []
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(path.as_uri())
        self.page.wait_for_selector("html[data-ready=yes]", timeout=60_000)

    def drawn(self, *charts):
        return [int(self.page.get_attribute(f"#{chart}", "data-drawn") or 0) for chart in charts]

    def after(self, action, *charts):
        """Do something, and wait until these charts are drawn again."""
        before = self.drawn(*charts)
        action()
        for chart, count in zip(charts, before, strict=True):
            self.page.wait_for_function(f"Number(document.querySelector('#{chart}').dataset.drawn ?? 0) > {count}")

    def table(self, selector):
        script = "t => [...t.rows].map(r => [...r.cells].map(c => c.innerText.trim()))"
        return self.page.eval_on_selector(f"{selector} tbody", script)

    def close(self):
        self.context.close()
        assert self.complaints == []
        assert all(url.startswith(("file:", "data:", "blob:")) for url in self.requests)


def words(text):
    """Return the words of HTML or Markdown, without markup."""
    plain = html.unescape(re.sub(r"<[^>]*>", " ", text))
    return re.sub(r"[*#]|(?m:^- )", " ", plain).split()


@pytest.mark.parametrize(
    ("section", "file"),
    [("reading", "docs/report.md"), ("licences", "THIRD_PARTY_NOTICES.md")],
    ids=["reading", "licences"],
)
def test_the_page_holds_the_texts_of_the_documentation(tmp_path, section, file):
    page = ss.report(runs(), tmp_path / "x.html", metrics=["rand_index"]).read_text()
    (shown,) = re.findall(f'<section id="{section}"[^>]*>(.*?)</section>', page, flags=re.S)
    (documented,) = re.findall(r"<!-- (?:reading|third party) -->(.*?)<!-- end", (ROOT / file).read_text(), flags=re.S)
    assert words(shown) == words(documented)
    assert len(words(shown)) > 300
    assert shown.startswith("<details><summary>")


def test_the_licences_name_every_library_of_the_charts():
    notices = (ROOT / "THIRD_PARTY_NOTICES.md").read_text()
    for name in ("vega", "vega-lite", "vega-embed"):
        assert re.search(rf"\*\*{name}\*\*: BSD-3-Clause. Copyright", notices)


@pytest.fixture
def opened(browser):
    pages = []

    def open_it(path, **options):
        pages.append(Page(browser, path, **options))
        return pages[-1]

    yield open_it
    for page in pages:
        page.close()


def runs(methods=("good", "poor", "none"), series=("a", "b", "c", "d"), annotators=1, seed=0):
    """Return a table of results; "none" never cuts, "fails" has no prediction."""
    rng = np.random.default_rng(seed)
    rows = []
    for name in series:
        n = int(rng.integers(60, 200))
        truth = sorted(rng.choice(np.arange(5, n - 5), 5, replace=False).tolist())
        people = [sorted({int(np.clip(c + rng.integers(-2, 3), 1, n - 1)) for c in truth}) for _ in range(annotators)]
        for method in methods:
            off = {"good": 2, "poor": 15}.get(method, 6)
            pred = sorted({int(np.clip(c + rng.integers(-off, off + 1), 1, n - 1)) for c in truth})
            pred = {"none": [], "fails": None}.get(method, pred)
            rows.append((name, method, n, people, pred))
    kinds = {"series": pl.String, "method": pl.String, "n": pl.Int64}
    lists = {"truth": pl.List(pl.List(pl.Int64)), "pred": pl.List(pl.Int64)}
    table = pl.DataFrame(rows, schema=kinds | lists, orient="row")
    return table if annotators > 1 else table.with_columns(pl.col("truth").list.first())


@pytest.fixture(scope="session")
def study(tmp_path_factory):
    """Return a report of several methods, with its table."""
    table = runs(("good", "poor", "none", "fails", "late"), [f"series {k}" for k in range(12)])
    signal = pl.Series([np.random.default_rng(n).normal(size=n).tolist() for n in table["n"]])
    table = table.with_columns(signal=signal)
    return table, ss.report(table, tmp_path_factory.mktemp("study") / "report.html", margin=3)


def test_it_opens_from_disk_without_a_complaint(opened, study):
    page = opened(study[1])
    assert page.page.inner_text("h1") == "Segmentation report"
    assert page.page.inner_text("#counts") == "5 methods on 12 series, 12 scores"
    charts = page.page.query_selector_all(".chart svg.marks")
    assert len(charts) == 9
    for chart in page.page.query_selector_all(".chart [role=graphics-document]"):
        assert len(chart.get_attribute("aria-label")) > 20  # the alt text
    assert page.page.is_visible("#conclusion")


def test_the_numbers_are_those_of_the_library(opened, study):
    table, path = study
    page = opened(path)
    names = page.page.eval_on_selector_all("#metric option", "options => options.map(o => o.value)")
    assert names == list(DEFAULT)
    wide = ss.score(table, metrics=names, margin=3, on_error="null")
    for name in names:
        board = ss.leaderboard(wide, name, margin=3)
        charts = ["against-chart", *(["standings-chart"] if board.series else [])]  # mean_error has no common series
        page.after(lambda name=name: page.page.select_option("#metric", name), *charts)
        head = page.page.eval_on_selector_all("#standings thead button", "names => names.map(n => n.textContent)")
        wanted, _, rows = shown_columns([board])
        assert [text.lower() for text in head] == wanted
        assert page.table("#standings") == [[text or "–" for text in row] for row in rows]
        assert page.page.text_content("#heading") == board.heading
        notes = page.page.eval_on_selector_all("#notes li", "items => items.map(i => i.textContent)")
        assert notes == board.notes
        secondary = name != names[0]
        exact = page.page.evaluate("name => segscore.data.boards[name].standings", name)
        means = [{math.inf: "∞"}.get(s.mean, s.mean) for s in board.standings]
        assert [row["mean"] for row in exact] == [None if mean != mean else mean for mean in means]
        assert page.page.inner_text("#conclusion") == board.differences(secondary=secondary).conclusion
        pairs = page.page.evaluate("name => segscore.data.boards[name].differences.nemenyi.pairs", name)
        own = board.differences("nemenyi").pairs
        assert [[board.methods[p[0]], board.methods[p[1]], *p[5:9], p[12]] for p in pairs] == [
            [*d[:2], d.wins, d.ties, d.losses, d.n, d.verdict] for d in own
        ]
        assert [p[11] for p in pairs] == pytest.approx([d.corrected for d in own], rel=1e-5)
        exact = board.differences().pairs
        cells = "rows => rows.map(row => [...row.cells].map(cell => cell.textContent))"  # the table is collapsed
        for row, d in zip(page.page.eval_on_selector_all("#pairs tbody tr", cells), exact, strict=True):
            assert [row[0], row[1], row[4], row[8], row[9]] == [
                *(d.better, d.worse, f"{d.wins}/{d.ties}/{d.losses}"),
                *(f"{d.n} of 12", d.verdict),
            ]
            assert row[6] == ("–" if d.p is None else "< 0.0001" if d.p < 1e-4 else f"{d.p:.4f}")
        assert page.page.inner_text("#meaning").startswith(f"{name}: ")
    assert page.page.text_content("#differences-title") == "Which differences are significant?"
    assert page.page.text_content("#pairs th:last-child") == "Verdict"
    chance = [
        ss.expected_rand_index(row["truth"], 5, n=row["n"]) for row in table.unique("series").iter_rows(named=True)
    ]
    found = page.page.evaluate("segscore.data.boards.rand_index.references.chance")
    assert found == pytest.approx(np.mean(chance), abs=0.02)


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


def test_the_margin_slider_matches_as_the_library_does(opened, study):
    table, path = study
    page = opened(path)
    series = table["series"].unique(maintain_order=True).to_list()
    assert page.page.input_value("#margin") == "3"
    for k, margin in ((0, 3), (0, 0), (1, 1), (5, 7), (11, 19)):
        if page.page.input_value("#one") != str(k):
            page.after(lambda k=k: page.page.select_option("#one", str(k)), "timeline-chart", "staircase-chart")
        page.page.fill("#margin", str(margin))
        own = table.filter(pl.col("series") == series[k])
        for row, shown in zip(own.iter_rows(named=True), page.table("#matches"), strict=True):
            if row["pred"] is None:
                assert shown[0] == "fails: no prediction"
                continue
            found = ss.match(row["truth"], row["pred"], n=row["n"], margin=margin)
            scores = ss.compare(
                row["truth"],
                row["pred"],
                n=row["n"],
                metrics=["precision", "recall", "f1", "rand_index"],
                margin=margin,
            )
            counts = [len(x) for x in (found.pairs, found.misses, found.false_alarms)]
            assert [shown[0], *map(int, shown[1:4])] == [row["method"], *counts]
            wanted = [scores[name] for name in ("precision", "recall", "f1", "rand_index")]
            assert [float(x) for x in shown[4:]] == pytest.approx(wanted, abs=5.1e-5)
        page.page.wait_for_timeout(100)
        drawn = page.page.eval_on_selector_all(
            "#timeline-chart path[aria-roledescription=point]",
            "marks => marks.map(m => m.getAttribute('aria-label')).filter(x => x.includes('kind: missed')).length",
        )
        misses = [
            ss.match(r["truth"], r["pred"], n=r["n"], margin=margin).misses
            for r in own.iter_rows(named=True)
            if r["pred"] is not None
        ]
        assert drawn == sum(map(len, misses))


def test_a_series_opens_by_menu_button_and_heat_map(opened, study):
    table, path = study
    page = opened(path)
    series = table["series"].unique(maintain_order=True).to_list()
    page.after(lambda: page.page.click("#next"), "timeline-chart")
    assert page.page.input_value("#one") == "1"
    for button, wanted in (("#previous", "0"), ("#previous", "11"), ("#next", "0")):
        page.after(lambda button=button: page.page.click(button), "timeline-chart", "staircase-chart")
        assert page.page.input_value("#one") == wanted
    cell = page.page.query_selector(f"#heatmap-chart path[aria-label*='series: {series[7]};'][aria-label*='value']")
    page.after(lambda: cell.click(), "timeline-chart")
    assert page.page.input_value("#one") == "7"
    page.after(lambda: page.page.uncheck("#chosen input[value='1']"), "timeline-chart")
    assert [row[0] for row in page.table("#matches")][:2] == ["good", "none"]
    labels = page.page.eval_on_selector_all("#timeline-chart text", "marks => marks.map(m => m.textContent)")
    assert "signal" in labels
    assert "poor" not in labels


def test_the_staircase_and_the_blame_are_those_of_explain(opened, study):
    table, path = study
    page = opened(path)
    for row in table.filter(pl.col("series") == "series 0").iter_rows(named=True):
        k = table["method"].unique(maintain_order=True).to_list().index(row["method"])
        page.page.select_option("#method", str(k))
        page.page.wait_for_function(f"document.querySelector('#area').textContent.startsWith({row['method']!r})")
        if row["pred"] is None:
            assert page.page.is_hidden("#blame")
            continue
        found = ss.explain(row["truth"], row["pred"], n=row["n"])
        text = page.page.inner_text("#area")
        assert f"disagree on {found.disagreement:,} of {row['n'] * (row['n'] - 1) // 2:,} pairs" in text
        assert f"Rand Index {found.rand_index:.4f}" in text
        assert [line[:2] for line in page.table("#blame")] == [[what, where] for what, where, _ in found.rows()]


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


def test_without_webassembly_the_stored_numbers_are_shown(browser, study):
    context = browser.new_context(offline=True)
    context.add_init_script("delete window.WebAssembly")
    page = context.new_page()
    page.goto(study[1].as_uri())
    page.wait_for_selector("html[data-ready=yes]", timeout=60_000)
    assert page.inner_text("#no-series") == (
        "This browser has no WebAssembly, so the page cannot compare cuts. "
        "All scores above were computed when the report was made."
    )
    assert page.is_hidden("#up-close")
    assert page.locator("#standings tbody tr").count() == 5
    context.close()


def test_dragging_shows_a_part_of_twenty_thousand_cuts(opened, tmp_path):
    n = 10**6
    rng = np.random.default_rng(0)
    truth, pred = (np.sort(rng.choice(n - 1, 20_000, replace=False) + 1).tolist() for _ in range(2))
    table = pl.DataFrame({"series": ["long"], "method": ["m"], "n": [n], "truth": [truth], "pred": [pred]})
    page = opened(ss.report(table, tmp_path / "long.html"))
    points = "#timeline-chart path[aria-roledescription=point]"
    assert 800 < len(page.page.query_selector_all(points)) <= 4 * 801
    page.page.locator("#timeline-chart").scroll_into_view_if_needed()
    box = page.page.query_selector(
        "#timeline-chart .mark-rule path[stroke-width='8'], #timeline-chart line[stroke-width='8']"
    ).bounding_box()
    middle = box["y"] + box["height"] / 2
    page.page.mouse.move(box["x"] + 200, middle)
    page.page.mouse.down()
    page.page.mouse.move(box["x"] + 202, middle, steps=3)
    page.page.mouse.up()
    page.page.wait_for_timeout(500)
    shown = page.page.eval_on_selector_all(points, "marks => marks.map(m => m.getAttribute('aria-label'))")
    assert 0 < len(shown) < 800  # two pixels of a thousand: now each cut is a mark of its own
    places = [int(re.search(r"(?:point|from|start): ([\d,]+)", label)[1].replace(",", "")) for label in shown]
    assert max(places) - min(places) < n / 100
    assert page.page.is_visible("#area")


def test_annotators_and_the_human_line(opened, tmp_path):
    table = runs(annotators=3)
    page = opened(ss.report(table, tmp_path / "people.html", metrics=["covering", "f1"], margin=2))
    assert page.page.eval_on_selector_all("#annotator option", "o => o.map(x => x.textContent)") == [
        "annotator 1",
        "annotator 2",
        "annotator 3",
    ]
    human = [
        ss.covering(other, own, n=n)
        for n, people in table.unique("series").select("n", "truth").iter_rows()
        for k, own in enumerate(people)
        for j, other in enumerate(people)
        if j != k
    ]
    row = page.page.inner_text("tr[data-reference=human]").split("\t")
    assert row[:2] == ["human (each annotator against the others)", f"{np.mean(human):.4f}"]
    page.after(lambda: page.page.select_option("#annotator", "2"), "timeline-chart", "staircase-chart")
    first = table.row(0, named=True)
    matched = ss.match(first["truth"][2], first["pred"], n=first["n"], margin=2)
    assert page.table("#matches")[0][1] == str(len(matched.pairs))


def test_every_form_of_the_input_gives_the_same_page(tmp_path):
    wide = runs(annotators=2)
    names = ["rand_index", "f1"]
    options = {"metrics": names, "margin": 3}

    def content(*args, **more):
        text = ss.report(*args, tmp_path / "x.html", **{**options, **more}).read_text()
        found = json.loads(re.search(r'id="data">(.*?)</script>', text, re.S)[1])
        return {key: found[key] for key in ("boards", "values", "methods", "series")}, found["runs"]

    wanted, shown = content(wide)
    long = wide.select("series", "method", "n", pl.col("pred").alias("change_points"))
    people = wide.unique("series", maintain_order=True).select("series", pl.col("truth").alias("change_points"))
    people = people.explode("change_points").with_columns(annotator=pl.Series(["annotator 1", "annotator 2"] * 4))
    assert content(long, truths=people) == (wanted, shown)
    rows = wide.explode("truth").with_columns(annotator=pl.Series(["annotator 1", "annotator 2"] * 12))
    assert content(rows) == (wanted, shown)
    assert content(wide.to_arrow()) == (wanted, shown)
    scored = ss.score(wide, **options)
    assert content(scored) == (wanted, shown)
    assert content(scored, metrics=None)[0] == wanted
    alone, nothing = content(scored.select("series", "method", *names))
    assert nothing is None
    assert alone["values"] == wanted["values"]


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
        assert page.page.is_hidden("#leaderboard")
        return
    methods = table["method"].unique().to_list()
    assert sorted(row[0] for row in page.table("#standings")) == sorted(m.strip() for m in methods)
    names = page.page.eval_on_selector_all("#metric option", "options => options.map(o => o.value)")
    drawn = ["standings-chart"] if page.page.is_visible("#standings-chart") else []
    page.after(lambda: page.page.select_option("#metric", names[-1]), *drawn)
    if "truth" in table.columns and table["truth"].null_count() == 0 and table["series"].n_unique() > 1:
        page.after(lambda: page.page.click("#next"), "timeline-chart")
    assert page.page.evaluate("document.documentElement.scrollWidth") <= 1200


def test_failures_are_listed_with_their_reasons(opened, tmp_path):
    table = runs(("good", "poor"))
    wrong = pl.when((pl.col("series") == "b") & (pl.col("method") == "poor")).then(pl.lit([9, 3])).otherwise("pred")
    page = opened(ss.report(table.with_columns(pred=wrong), tmp_path / "failed.html"))
    page.page.click("#failures summary")
    reason = "pred[1] = 3 does not exceed pred[0] = 9; cuts must strictly increase (sort them first)"
    assert page.page.inner_text("#failures summary") == "1 run without a score"
    assert page.table("#failures table") == [["poor", "b", "failed", reason]]
    labels = page.page.eval_on_selector_all("#scores-chart text", "marks => marks.map(m => m.textContent)")
    assert "1 failed" in labels
    page.after(lambda: page.page.select_option("#one", "1"), "timeline-chart")
    assert page.table("#matches")[1][0] == f"poor: {reason}"


def test_on_a_phone_in_the_dark_and_in_print(opened, study):
    page = opened(study[1], viewport={"width": 360, "height": 740}, color_scheme="dark")
    assert page.page.evaluate("document.documentElement.scrollWidth") <= 360
    dark = page.page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.page.click("#theme")
    assert page.page.evaluate("getComputedStyle(document.body).backgroundColor") != dark
    page.page.click("#theme")
    page.page.set_viewport_size({"width": 1200, "height": 900})
    page.page.wait_for_timeout(1500)  # until the charts are as wide
    page.page.emulate_media(media="print", color_scheme="dark")
    page.page.set_viewport_size({"width": 700, "height": 900})  # of paper; nothing is drawn again
    assert page.page.is_hidden("nav")
    assert page.page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    wide = "[...document.querySelectorAll('.chart svg')].filter(s => s.getBoundingClientRect().right > 700).length"
    assert page.page.evaluate(wide) == 0


def test_it_stays_small(tmp_path):
    table = runs([f"method {k}" for k in range(20)], [f"series {k}" for k in range(100)], annotators=2)
    assert ss.report(table, tmp_path / "large.html").stat().st_size < 3_300_000  # the core takes 250 kB
    rng = np.random.default_rng(0)
    first = pl.int_range(pl.len()).over("series") == 0
    signal = pl.Series([rng.normal(size=1000).tolist() for _ in range(table.height)])
    long = table.with_columns(n=1000, signal=pl.when(first).then(signal))
    assert ss.report(long, tmp_path / "signals.html").stat().st_size < 3_300_000


def test_infinity_is_no_failure(opened, tmp_path):
    scores = pl.DataFrame(
        {
            "method": ["a"] * 3 + ["b"] * 3,
            "series": ["x", "y", "z"] * 2,
            "hausdorff": [1.0, 2.0, 3.0, float("inf"), 1.0, None],
        }
    )
    page = opened(ss.report(scores, tmp_path / "inf.html"))
    rows = [["a", "2.0000", "2.0000", "1.33", "2", "3 of 3", "3 of 3", "0"]]
    rows += [["b", "1.0000", "inf", "1.67", "1", "2 of 3", "1 of 3", "1"]]
    assert page.table("#standings") == rows
    labels = page.page.eval_on_selector_all("#scores-chart text", "marks => marks.map(m => m.textContent)")
    assert "1 failed" in labels
    assert page.page.inner_text("#failures summary") == "1 run without a score"


def test_a_series_without_truth_has_no_controls(opened, tmp_path):
    table = runs().with_columns(truth=pl.when(pl.col("series") != "a").then("truth"))
    page = opened(ss.report(table, tmp_path / "some.html"))
    assert page.page.is_hidden("#with-truth")
    assert page.page.inner_text("#no-series") == "This series has no truth."
    page.after(lambda: page.page.click("#next"), "timeline-chart")
    assert page.page.is_visible("#with-truth")
    page.page.fill("#margin", "9")
    page.after(lambda: page.page.click("#next"), "timeline-chart")
    assert page.page.input_value("#margin") == "9"  # stays as it was set
    page.page.click("#previous")
    page.page.click("#previous")
    page.page.wait_for_selector("#with-truth", state="hidden")


def test_margins_that_are_no_integers(opened, tmp_path):
    table = runs(("good", "poor"))
    page = opened(ss.report(table, tmp_path / "half.html", metrics=["f1"], margin=2.5))
    assert page.page.inner_text("#margin-shown").startswith("2.5 of ")
    assert all(row[6] == row[7] for row in page.table("#matches"))


def test_the_curves_of_every_margin(opened, tmp_path):
    table = runs()
    margin = 2
    path = ss.report(table, tmp_path / "x.html", metrics=["f1", "miss_rate(max_delay=3)"], margin=margin)
    data = json.loads(re.search(r'id="data">(.*?)</script>', path.read_text(), re.S)[1])
    board = {standing["method"]: standing["mean"] for standing in data["boards"]["f1"]["standings"]}
    at = {row["method"]: row["mean"] for row in data["curves"]["margins"]["curves"] if row["x"] == margin}
    assert at == pytest.approx(board)
    assert data["curves"]["margins"]["marks"] == [{"x": margin}]
    assert data["curves"]["delays"]["marks"] == [{"x": 3}]
    page = opened(path)
    assert page.drawn("margins-chart", "delays-chart") == [1, 1]
    assert page.page.is_visible("#curves") and page.page.is_visible("nav a[href='#curves']")
    page = opened(ss.report(table, tmp_path / "x.html", metrics=["f1"], margin=margin))
    assert page.drawn("margins-chart", "delays-chart") == [1, 0]
    assert not page.page.is_visible("#delays-chart")
    scores = ss.score(table, metrics=["f1"], margin=margin).select("method", "series", "f1")
    page = opened(ss.report(scores, tmp_path / "x.html"))
    assert not page.page.is_visible("#curves") and not page.page.is_visible("nav a[href='#curves']")


@pytest.mark.filterwarnings("ignore:.* rows cannot be read")
def test_curves_leave_out_what_cannot_be_read(tmp_path):
    table = pl.DataFrame(
        {
            "method": ["m"] * 4,
            "series": list("abcd"),
            "truth": [[[5]], [[50]], [[5]], [[5]]],
            "pred": [[5], [5], [50], None],
            "n": [9] * 4,
        }
    )
    text = ss.report(table, tmp_path / "x.html", metrics=["f1"], on_error="null").read_text()
    data = json.loads(re.search(r'id="data">(.*?)</script>', text, re.S)[1])
    # The truth of b is not one. The predictions of c and d count as failures.
    assert {row["mean"] for row in data["curves"]["margins"]["curves"]} == {1 / 3}


def test_rows_that_are_not_there_are_listed(opened, tmp_path):
    page = opened(ss.report(runs(("good", "none"), ("a", "b")).head(3), tmp_path / "missing.html"))
    page.page.click("#failures summary")
    assert page.table("#failures table") == [["none", "b", "not run", "no row"]]


def test_names_of_any_type_and_cuts_as_people_have_them(tmp_path):
    table = runs(annotators=2)

    def content(given, **more):
        text = ss.report(given, tmp_path / "x.html", metrics=["f1"], margin=3, **more).read_text()
        return json.loads(re.search(r'id="data">(.*?)</script>', text, re.S)[1])

    wanted = content(table)["values"]
    day = pl.date(2026, 1, 1) + pl.duration(days=pl.col("series").rank("dense"))
    for given in (
        table.with_columns(series=day),
        table.with_columns(series=pl.col("series").rank("dense").cast(pl.Float64)),
        table.with_columns(method=pl.when(pl.col("method") != "none").then("method")),
        table.with_columns(pl.col("pred").cast(pl.List(pl.Float64)), pl.col("n").cast(pl.UInt16)),
        table.with_columns(pl.col("pred").list.eval(pl.element().cast(pl.String))),
        table.with_columns(note=pl.lit(b"\xff"), _annotators=pl.lit("x"), annotators=pl.lit("y")),
        table.to_pandas(),
    ):
        assert content(given)["values"] == wanted
    nothing = table.with_columns(series=pl.lit(float("nan")))
    assert content(nothing)["series"] == ["NaN"]
    people = pl.DataFrame(
        {"series": ["a", "a", "b"], "annotator": [1, 2, 1], "change_points": [[9], None, [5]], "n": [60, 60, 60]}
    )
    long = pl.DataFrame({"series": ["a", "b"], "method": ["m", "m"], "change_points": [[9], [6]], "truth": [[1], [2]]})
    assert content(long, truths=people)["values"] == {"f1": [[1.0, 1.0]]}
    bad = table.with_columns(truth=pl.when(pl.col("series") == "a").then([[3, None, 9]]).otherwise("truth"))
    fault = r"row 0: truth\[1\] is null or not an exact integer; expected only integers \(3, not 3.0\)$"
    with pytest.raises(ValueError, match=f"^{fault}"):
        content(bad)
    with pytest.warns(UserWarning, match=f"^3 of 12 rows cannot be read and are left out; the first is {fault}"):
        banner = content(bad, on_error="null")["banner"]
    assert banner.startswith("3 of 12 rows cannot be read")
    assert content(table.with_columns(my_loss=1.0))["methods"] == ["good", "poor", "none"]


def test_given_scores_have_no_lines_of_another_margin(tmp_path):
    scored = ss.score(runs(annotators=2), metrics=["f1", "covering"], margin=20)

    def lines(**more):
        text = ss.report(scored, tmp_path / "x.html", **more).read_text()
        boards = json.loads(re.search(r'id="data">(.*?)</script>', text, re.S)[1])["boards"]
        return {name: sorted(board["references"]) for name, board in boards.items()}

    assert lines() == {"f1": [], "covering": ["chance", "human"]}
    assert "The margin of f1 is not known, because these scores were in the table." in (tmp_path / "x.html").read_text()
    assert lines(margin=20) == {"f1": ["chance", "human"], "covering": ["chance", "human"]}


def test_what_is_no_report(tmp_path):
    out = tmp_path / "x.html"
    for table, message in (
        (runs().drop("method"), "table has no column 'method'; it has series, n, truth, pred"),
        (
            runs().drop("n"),
            "^table has no scores, and no n to compute scores with; it has series, method, truth, pred; expected the "
            "columns truth, pred and n, or columns of scores$",
        ),
        (
            runs().rename({"pred": "change_points"}),
            r"expected truths= with the columns series and change_points",
        ),
    ):
        with pytest.raises(ValueError, match=message):
            ss.report(table, out)
    with pytest.raises(ValueError, match="did you mean 'rand_index'"):
        ss.report(runs(), out, metrics=["rand"])
    for options, message in (
        (
            {"metrics": ["f1(margin=5)", "f1(margin=5.0)"]},
            r"^f1\(margin=5\) is asked for twice; expected each metric once$",
        ),
        ({"metrics": []}, "metrics is empty"),
        ({"margin": float("inf")}, "margin = inf is not a distance"),
        ({"margin": -1}, "margin = -1 is not a distance"),
        ({"metrics": [ss.Column("series", best="low")]}, "column 'series' holds String; expected scores"),
    ):
        with pytest.raises(ValueError, match=message):
            ss.report(runs(), out, **options)
    for name in ("x.pdf", "x"):
        with pytest.raises(ValueError, match=r"expected \.html"):
            ss.report(runs(), tmp_path / name)
    with pytest.raises(ValueError, match=r"series 'a': signal has the shape \(3,\); expected one number for each of n"):
        ss.report(runs().with_columns(signal=[1.0, 2.0, 3.0]), out)
    with pytest.raises(ValueError, match="truths has no column 'change_points'; it has series"):
        ss.report(runs(), out, truths=pl.DataFrame({"series": ["a"]}))
    with pytest.raises(ValueError, match="there is no folder"):
        ss.report(runs(), tmp_path / "nowhere" / "x.html")
    assert list(tmp_path.iterdir()) == []


def test_lengths_that_are_real_numbers_have_chance_too(tmp_path):
    rows = {"series": ["a"] * 2, "method": ["x", "y"], "truth": [[[1], [2]]] * 2, "pred": [[2]] * 2}
    pages = []
    for kind in (pl.Int64, pl.Float64):
        table = pl.DataFrame({**rows, "n": pl.Series([5, 5], dtype=kind)})
        pages.append(ss.report(table, tmp_path / "x.html", metrics=["rand_index"]).read_text())
    whole, real = (page[page.index('"references":{') :].split("}")[0] for page in pages)
    assert "chance" in whole and real == whole


def test_metrics_with_options_are_described():
    found = described(column_of("window_diff(k=20)"))
    assert (
        not found["rising"]
        and found["best"] == "0"
        and found["meaning"] == described(column_of("window_diff"))["meaning"]
    )
