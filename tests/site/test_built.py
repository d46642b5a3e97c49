"""The built site in a real browser, from disk: `make test-docs` builds it first."""

import json
import re
import sys
from pathlib import Path

import nbformat
import pytest
from axe_playwright_python.sync_playwright import Axe

import segscore as ss

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs" / "site"))

import reference  # noqa: E402
from links import Site  # noqa: E402

FOLDER = ROOT / "build" / "site"
WIDE, PHONE = {"width": 1300, "height": 900}, {"width": 360, "height": 740}


@pytest.fixture(scope="module")
def site():
    return Site(FOLDER)


class Visitor:
    """A window of a browser: every request and every complaint is noted, and no request to a server is answered."""

    def __init__(self, browser, **options):
        self.context = browser.new_context(offline=True, **options)
        self.page = self.context.new_page()
        self.complaints, self.requests = [], []
        self.page.on("console", lambda said: self.complaints.append(said.text) if said.type == "error" else None)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))

    def open(self, name):
        self.page.goto((FOLDER / name).as_uri())
        return self.page

    def close(self):
        self.context.close()
        assert self.complaints == []
        assert [url for url in self.requests if not url.startswith(("file:", "data:", "blob:"))] == []


@pytest.fixture
def visitor(browser, request):
    opened = Visitor(browser, **getattr(request, "param", {"viewport": WIDE}))
    yield opened
    opened.close()


def test_every_public_name_has_an_anchor(site):
    there = {anchor for document in site.pages.values() for anchor in document.anchors}
    paths = [entry.path for page in reference.pages() for entry in page.entries]
    assert [path for path in paths if path not in there] == []
    assert {f"segscore.{name}" for name in ss.METRICS} <= there


@pytest.mark.parametrize(
    ("page", "call"),
    [
        ("segmentation", "Segmentation( cuts: Cuts = (),"),
        ("segmentations", "SoftSegmentation( cuts:"),
        ("stream", "WindowedRand(window: float, *, in_time: bool = False)"),
        ("study", "Grid( make:"),
    ],
)
def test_the_reference_says_how_a_class_is_called(page, call):
    text = (FOLDER / "reference" / f"{page}.html").read_text()
    assert call in re.sub(r"\s+", " ", re.sub("<[^>]+>", "", text))
    assert not re.search(r"<td><code>(labels|duration|cuts)</code></td>", text)  # the docstring explains these


def test_no_markdown_is_left_in_the_text(site):
    for path in site.pages:
        (article,) = re.findall("<article.*?</article>", path.read_text(), flags=re.DOTALL)
        text = re.sub(r"<(pre|code|script|math|svg)\b.*?</\1>|<[^>]+>", " ", article, flags=re.DOTALL)
        assert re.findall(r".{,40}(?:\]\(|\]\[|`|&lt;!--|:::).{,40}", text) == [], path


def test_no_link_is_broken_and_nothing_is_loaded_from_elsewhere(site):
    assert site.broken() == []
    assert site.foreign() == []


def test_every_page_is_within_two_clicks_of_the_front(site):
    clicks = site.clicks()
    assert [str(page) for page in site.pages if clicks.get(page, 3) > 2] == []
    assert len(clicks) > 70


def test_every_picture_says_what_it_shows(site):
    for path in site.pages:
        for tag in re.findall("<img[^>]*>", path.read_text()):
            alt = re.search(r'alt="([^"]*)"', tag)
            assert alt and len(alt[1]) > 3, (path, tag)


# Code, formulas, tables and charts scroll by themselves; nothing else of the text is wider than the window.
FITS = """() => [...document.querySelectorAll("article *")].filter((x) => {
  const scrolls = x.closest(".md-typeset__scrollwrap, pre, .formula, .highlight, svg, math, .md-typeset__table, .chart");
  return !scrolls && x.getClientRects().length && x.getBoundingClientRect().right > innerWidth + 1;
}).map((x) => x.outerHTML.slice(0, 80))"""


@pytest.mark.parametrize(
    "visitor",
    [{"viewport": WIDE, "color_scheme": "light"}, {"viewport": PHONE, "color_scheme": "dark", "has_touch": True}],
    ids=["wide, light", "phone, dark"],
    indirect=True,
)
def test_every_page_opens_from_disk_without_a_complaint(visitor, site):
    for path in site.pages:
        page = visitor.open(path.relative_to(site.root))
        assert page.locator("h1").count() == 1, path
        assert page.evaluate(FITS) == [], path
        broken = "[...document.images].filter((x) => x.complete && x.offsetParent && !x.naturalWidth).map((x) => x.src)"
        assert page.evaluate(broken) == [], path
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path


BAD = ("serious", "critical")
MAIN = ["index", "pair", "gallery", "playground", "faq", "mathematics", "demo", "scores", "tune", "reference/pairs"]


@pytest.mark.parametrize(
    "visitor",
    [{"viewport": WIDE, "color_scheme": "light"}, {"viewport": PHONE, "color_scheme": "dark"}],
    ids=["wide, light", "phone, dark"],
    indirect=True,
)
def test_axe_finds_nothing_serious(visitor):
    for name in MAIN:
        page = visitor.open(f"{name}.html")
        page.wait_for_load_state("load")
        found = Axe().run(page, options={"preload": False}).response["violations"]
        serious = [(fault["id"], fault["nodes"][0]["target"]) for fault in found if fault["impact"] in BAD]
        assert serious == [], name


@pytest.mark.parametrize("visitor", [{"viewport": WIDE}, {"viewport": PHONE, "has_touch": True}], indirect=True)
def test_the_search_finds_a_page_and_a_name_from_disk(visitor):
    page = visitor.open("reference/pairs.html")
    page.locator(".md-search__button, label[for=__search]").filter(visible=True).first.click()
    page.keyboard.type("consensus")
    name, guide = (
        page.locator("a[href*='/consensus.html?h=consensus']"),
        page.locator("a[href*='/consensus.html?h=consensus']"),
    )
    name.first.wait_for(timeout=20_000)
    assert "Compute the exact median segmentation" in name.first.inner_text()
    guide.first.click()
    page.wait_for_url("**/consensus.html*")
    assert page.locator("h1").inner_text().startswith("The consensus of several segmentations")


def test_examples_are_copied_without_prompts_and_outputs(visitor):
    visitor.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = visitor.open("index.html")
    page.locator(".md-code__button[data-md-type=copy]").first.click()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith("import segscore as ss\nss.rand_index([3, 8], [4, 8], n=10)")
    assert ">>>" not in copied and "0.84" not in copied


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_charts_follow_the_colour_scheme(browser, scheme):
    visitor = Visitor(browser, viewport=WIDE, color_scheme=scheme)
    page = visitor.open("gallery.html")
    seen = page.evaluate("[...document.querySelectorAll('img.chart')].filter((x) => x.offsetParent).map((x) => x.src)")
    assert len(seen) >= len(ss.charts.__all__)
    assert all(f"-{scheme}.svg" in source for source in seen)
    visitor.close()


def scores_of(page):
    rows = page.eval_on_selector_all(
        "#playground .scores tr", "rows => rows.map(r => [r.cells[0].innerText, r.cells[2].innerText])"
    )
    return {name: float(value) for name, value in rows}


def test_the_playground_shows_the_scores_of_the_library(visitor):
    page = visitor.open("playground.html")
    page.wait_for_selector("#playground[data-ready=yes]")

    def expect(truth, pred, margin=5):
        assert page.inner_text("#playground .call") == f"ss.compare({truth}, {pred}, n=100, margin={margin})"
        found = scores_of(page)
        wanted = ss.compare(truth, pred, n=100, margin=margin, metrics=list(found))
        wanted = {name: wanted[name] for name in found}
        assert found == pytest.approx(wanted, abs=6e-5, nan_ok=True)

    expect([30, 60], [34, 64])
    for name, pred in {"never cut": [], "three close together": [29, 30, 31, 60]}.items():
        page.get_by_role("button", name=name).click()
        expect([30, 60], pred)
    page.get_by_role("button", name="both 4 late").click()
    page.locator("[data-side=pred][data-cut='34']").focus()
    for key in ["ArrowRight", "PageUp", "ArrowLeft", "ArrowLeft"]:
        page.keyboard.press(key)
    expect([30, 60], [43, 64])
    page.keyboard.press("Delete")
    expect([30, 60], [64])
    page.locator("#playground input[type=range]").fill("2")
    page.locator("#playground input[type=checkbox]").check()
    expect([30, 60], [64], margin=2)
    assert len(scores_of(page)) == sum(not metric.only_tables for metric in ss.METRICS.values())


def test_cuts_are_dragged_added_and_removed(visitor):
    page = visitor.open("playground.html")
    page.wait_for_selector("#playground[data-ready=yes]")
    box = page.locator("#playground svg").bounding_box()

    def place(cut, lane):
        return box["x"] + 8 + cut / 100 * (box["width"] - 16), box["y"] + {"truth": 60, "pred": 135, "away": 400}[lane]

    def drag(start, end):
        page.mouse.move(*place(*start))
        page.mouse.down()
        page.mouse.move(*place(*end), steps=5)
        page.mouse.up()
        return page.inner_text("#playground .call")

    assert drag((34, "pred"), (50, "pred")) == "ss.compare([30, 60], [50, 64], n=100, margin=5)"
    assert drag((60, "truth"), (64, "truth")) == "ss.compare([30, 64], [50, 64], n=100, margin=5)"
    page.mouse.click(*place(80, "pred"))
    assert page.inner_text("#playground .call") == "ss.compare([30, 64], [50, 64, 80], n=100, margin=5)"
    assert drag((50, "pred"), (50, "away")) == "ss.compare([30, 64], [64, 80], n=100, margin=5)"
    page.mouse.dblclick(*place(80, "pred"))
    assert page.inner_text("#playground .call") == "ss.compare([30, 64], [64], n=100, margin=5)"


@pytest.mark.parametrize("visitor", [{"viewport": PHONE, "has_touch": True}], indirect=True)
def test_cuts_are_dragged_with_a_finger(visitor):
    page = visitor.open("playground.html")
    page.wait_for_selector("#playground[data-ready=yes]")
    page.locator("#playground svg").scroll_into_view_if_needed()
    box = page.locator("#playground svg").bounding_box()
    finger = visitor.context.new_cdp_session(page)

    def drag(start, end, last="touchEnd", down=0):
        for kind, cut, lower in [
            ("touchStart", start, 0),
            ("touchMove", (start + end) / 2, 0),
            ("touchMove", end, down),
        ]:
            place = {"x": box["x"] + 8 + cut / 100 * (box["width"] - 16), "y": box["y"] + 135 + lower}
            finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [place]})
        finger.send("Input.dispatchTouchEvent", {"type": last, "touchPoints": []})
        return page.inner_text("#playground .call")

    assert drag(34, 50) == "ss.compare([30, 60], [50, 64], n=100, margin=5)"
    # A touch that the system takes away, for example for a gesture of its own, removes no cut.
    assert drag(50, 45, "touchCancel", down=200) == "ss.compare([30, 60], [45, 64], n=100, margin=5)"
    page.touchscreen.tap(box["x"] + 8 + 0.8 * (box["width"] - 16), box["y"] + 135)
    page.wait_for_function("document.querySelector('#playground .call').innerText.includes('[45, 64, 80]')")


def test_the_live_report_works_inside_its_page(visitor):
    page = visitor.open("demo.html")
    frame = page.frame_locator("iframe.live")
    frame.locator("html[data-ready=yes]").wait_for(state="attached", timeout=60_000)
    assert "optimal, number known" in frame.locator("table").first.inner_text()
    sections = frame.locator("nav a").all_inner_texts()
    tour = re.findall(r"^\*\*\d\. .*?\*\* \((.+?)\)", (ROOT / "docs" / "demo.md").read_text(), flags=re.M)
    assert len(tour) == 5 and {name for named in tour for name in named.split(", ")} <= set(sections)


def test_the_notebook_is_valid_and_has_its_outputs():
    text = (FOLDER / "tutorial.ipynb").read_text()
    nbformat.validate(nbformat.from_dict(json.loads(text)))
    outputs = [output["data"] for cell in json.loads(text)["cells"] for output in cell.get("outputs", [])]
    assert any("PELT" in data["text/plain"] for data in outputs)
    assert sum("image/svg+xml" in data for data in outputs) == 3
