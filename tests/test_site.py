"""The site: what its pages are made of. `make test-docs` looks at the built site in a browser."""

import importlib
import inspect
import json
import re
import sys
from pathlib import Path

import pytest

import segscore as ss

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
sys.path.insert(0, str(DOCS / "site"))

import docstrings  # noqa: E402
import doctests  # noqa: E402
import links  # noqa: E402
import notebooks  # noqa: E402
import pages  # noqa: E402
import pictures  # noqa: E402
import reference  # noqa: E402

CONFIGURATION = (DOCS / "site" / "zensical.toml").read_text()


def in_navigation():
    """Return the pages that the navigation names; lines of comments reserve places."""
    lines = [line for line in CONFIGURATION.split("\n") if not line.lstrip().startswith("#")]
    return re.findall(r'= "([\w/-]+\.md)"', "\n".join(lines))


def test_every_page_is_in_the_navigation_once():
    named, there = in_navigation(), {path.name for path in DOCS.glob("*.md")}
    missing = sorted(there - set(named))
    assert missing == [], f'add a line {{ "Title" = "{missing[0]}" }}, to nav in docs/site/zensical.toml'
    assert sorted(named) == sorted(there | set(pages.ROOT.values()) | {"reference/index.md"})


def test_the_guide_has_a_page_for_each_task():
    tasks = ["Score a pair", "Score a table", "Compare detectors", "Several annotators", "Tune without cheating"]
    tasks += ["Every margin", "Time and labels", "Soft cuts", "Detectors in production", "Streams", "Clusters"]
    assert [task for task in tasks if f'"{task}" = ' not in CONFIGURATION] == []


@pytest.mark.parametrize("module", [ss, *reference.modules()], ids=lambda module: module.__name__)
def test_every_public_name_is_in_the_reference(module):
    found = {id(entry.value): entry.path for page in reference.pages() for entry in page.entries}
    for name in module.__all__:
        value = getattr(module, name)
        assert inspect.ismodule(value) or id(value) in found, f"{module.__name__}.{name}"


def test_the_modules_of_the_reference_are_all_that_users_import():
    names = {module.__name__ for module in reference.modules()}
    assert names >= {f"segscore.{name}" for name in ("charts", "study", "simulate", "compat", "spark", "dask")}
    assert names >= {f"segscore.compat.{name}" for name in ss.compat.__all__} | {"segscore.jax"}


def test_every_entry_is_on_one_page_with_its_first_line():
    every = reference.pages()
    paths = [entry.path for page in every for entry in page.entries]
    assert len(paths) == len(set(paths)) > 150
    overview = reference.overview()
    for page in every:
        text = reference.written(page)
        assert text.startswith("# ")
        for entry in page.entries:
            assert f"\n::: {entry.path}\n" in text
            assert f"][{entry.path}] | " in overview
            assert 10 < len(entry.meaning) <= 90, entry.path
    assert "| [`METRICS`][segscore.METRICS] | Facts about every metric, by its name. |" in overview


def test_a_docstring_becomes_markdown():
    text = inspect.cleandoc(
        """Score each row, as `rand_index` and `unknown` do.

        =============  ==========
        ``both``       in both
        ``neither``    in neither
        =============  ==========

        Parameters
        ----------
        truth, pred
            Cuts below 2**63, or ``x**y``:

            - a list
        n
            The length.

        >>> rand_index([3], [4], n=10)
        0.8
        >>> 1
        1

        The end, as in ``docs/curves.md``. ``docs/chance.md`` has more.
        """
    )
    assert docstrings.markdown(text, "segscore.tables.score.score").split("\n") == [
        "Score each row, as [`rand_index`][segscore.rand_index] and `unknown` do.",
        *("", "", "| | |", "|---|---|", "| ``both`` | in both |", "| ``neither`` | in neither |", ""),
        *("", "**Parameters**", ""),
        *("", "`truth`, `pred`", ":   Cuts below 2\\*\\*63, or ``x**y``:", "    ", "    - a list", ""),
        *("", "`n`", ":   The length.", ""),
        *("", "```pycon", ">>> rand_index([3], [4], n=10)", "0.8", ">>> 1", "1", "```", ""),
        "",
        "The end, as in the page [“Curves”](../curves.md). The page [“Chance that respects order”](../chance.md) has more.",
    ]


@pytest.mark.parametrize(
    ("name", "where", "path"),
    [
        ("rand_index", "segscore.scores.pairs.rand_distance", "segscore.rand_index"),
        ("pairs", "segscore.charts.comparisons.critical_difference", "segscore.charts.pairs"),
        ("from_ends", "segscore.segmentation.segmentation.Segmentation", "segscore.Segmentation.from_ends"),
        ("randindex", "segscore.compat.ruptures.hamming", "segscore.compat.ruptures.randindex"),
        ("segscore.study.select", "segscore.boards.leaderboard.leaderboard", "segscore.study.select"),
        ("rand_index", "segscore.scores.pairs.rand_index", None),
        ("no_such_name", "segscore.scores.pairs", None),
    ],
)
def test_a_name_in_a_docstring_means_the_nearest_one(name, where, path):
    assert docstrings.resolved(name, where) == path


def test_no_docstring_keeps_a_table_or_an_example_that_markdown_does_not_know():
    for page in reference.pages():
        for text in [page.module.__doc__, *(entry.value.__doc__ or "" for entry in page.entries)]:
            shown = re.sub(r"^ *```.*?^ *```$", "", docstrings.markdown(inspect.cleandoc(text), "x"), flags=re.S | re.M)
            assert not re.search(r"^ *>>>|^={3}|^-{3,}$", shown, flags=re.MULTILINE), shown


def test_the_gallery_draws_every_chart():
    text = (DOCS / "gallery.md").read_text()
    assert sorted(re.findall(r"^### (\w+)$", text, flags=re.M)) == sorted(ss.charts.__all__)
    for part in text.split("\n### ")[1:]:
        name = part.split("\n")[0]
        assert f"ss.charts.{name}(" in part
        assert doctests.CHART.search(part), name


def test_every_question_is_answered_with_an_example():
    asked = ["Is n included?", "Why is my F1 different from that paper's?", "What if my detector fails?"]
    asked += ["Why is the adjusted Rand Index 0.4 for random cuts?", "Which margin?"]
    asked += ["Can I compare segmentations of different lengths?"]
    answers = dict(part.split("\n", 1) for part in (DOCS / "faq.md").read_text().split("\n## ")[1:])
    assert [question for question in asked if question not in answers] == []
    assert [question for question, answer in answers.items() if "\n>>> " not in answer] == []


PAGE = """# Title

Text with `f1_curve` and $`x^2`$.

```python
>>> x = 2
>>> x + 1
3
>>> Path("made.txt").write_text("here")  # doctest: +SKIP
>>> print("a\\n\\nb")
a
<BLANKLINE>
b

```

<!-- chart: x: a picture -->

The end.
"""


def test_examples_are_run_and_compared():
    charts, variables = doctests.run("page.md", PAGE)
    assert charts == {"x": 2} and variables["x"] == 2
    with pytest.raises(doctests.Failure, match=r"(?s)page.md., line 7,.*Expected:\n +4\nGot:\n +3"):
        doctests.run("page.md", PAGE.replace("\n3\n", "\n4\n"))
    with pytest.raises(doctests.Failure, match=r"page.md, line 20: the chart x is shown twice"):
        doctests.run("page.md", PAGE + "<!-- chart: x: a picture -->\n")


@pytest.mark.parametrize("mark", ["<!-- chart: x -->", "<!-- chart x: a picture -->", "<!--chart: x: a picture-->"])
def test_a_chart_needs_a_text_for_readers_who_do_not_see_it(mark):
    wanted = f"page.md, line 17: {mark}; expected <!-- chart: name: what the picture shows -->"
    with pytest.raises(doctests.Failure, match=re.escape(wanted)):
        doctests.run("page.md", PAGE.replace("<!-- chart: x: a picture -->", mark))


def test_a_page_that_writes_files_leaves_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    doctests.run("page.md", ">>> from pathlib import Path\n>>> Path('made.txt').write_text('here')\n4\n")
    assert list(tmp_path.iterdir()) == []


def test_a_page_as_the_site_shows_it(monkeypatch):
    monkeypatch.setattr(pages, "formula", lambda latex, display: f"<{latex}, {display}>")
    text = f"{PAGE}\n```math\na + b, \\qquad\nc, \\quad d\n```\n\nSee [x](../CHANGELOG.md), [y](docs/scores.md#a), [scores.md](scores.md), "
    text += "`docs/curves.md` and [`z_z`](tables.md).\n\n    $ `f1_curve`\n"
    shown = pages.shown(text, {"x": "![picture](x.svg)"})
    assert "Text with [`f1_curve`][segscore.f1_curve] and <x^2, False>." in shown
    assert '```pycon\n>>> x = 2\n>>> x + 1\n3\n>>> Path("made.txt").write_text("here")\n' in shown
    assert "a\n\nb\n```\n\n![picture](x.svg)\n" in shown
    assert '<div class="formula"><a + b, , True>\n<c, , True>\n<d, True></div>' in shown
    named = "[“Every score”](scores.md), [“Curves”](curves.md)"
    assert f"See [x](changelog.md), [y](scores.md#a), {named} and [`z_z`](tables.md).\n\n    $ `f1_curve`\n" in shown


def test_the_notebook_is_the_page():
    text = (DOCS / "tutorial.md").read_text()
    cells = notebooks.cells(text)
    code = [source for kind, source, _ in cells if kind == "code"]
    parsed = doctests.doctest.DocTestParser().get_examples(text)
    assert "\n".join(code).split("\n") == "".join(example.source for example in parsed).rstrip().split("\n")
    assert sum(kind == "chart" for kind, *_ in cells) == len(doctests.CHART.findall(text)) > 0
    linked = "See [a page](demo.md) and [its part](study.md#how-a-run-can-end)."
    assert notebooks.cells(linked) == [("markdown", "See *a page* and *its part*.", "")]
    made = json.loads(notebooks.notebook(PAGE.replace("<!-- chart: x: a picture -->", ""), {}))
    kinds = [(cell["cell_type"], cell["source"]) for cell in made["cells"]]
    assert kinds[1:3] == [("code", "x = 2\nx + 1"), ("code", 'Path("made.txt").write_text("here")\nprint("a\\n\\nb")')]
    assert [cell["outputs"][0]["data"]["text/plain"] for cell in made["cells"][1:3]] == ["3", "a\n\nb"]
    assert (made["nbformat"], len({cell["id"] for cell in made["cells"]})) == (4, len(kinds))


def test_faults_of_a_site_are_found(tmp_path):
    made = {
        "index.html": '<a href="a.html#there">a</a><a href="https://example.org">out</a><img src="x.svg">',
        "a.html": '<p id="there"></p><a href="b.html">b</a><a href="b.html#gone">b</a><a href="none.html">none</a>',
        "b.html": '<a href="deep/c.html">c</a><script src="https://example.org/x.js"></script>',
        "deep/c.html": '<a href="../index.html">front</a><link rel="canonical" href="https://example.org/c">',
        "lost.html": '<p style="background: url(//example.org/y.png)"></p><img src="data:image/png;base64,">',
        "404.html": '<a href="nothing.html"></a>',
        "x.svg": "",
        "style.css": "@font-face { src: url('https://example.org/z.woff2') } a { background: url(x.svg) }",
    }
    (tmp_path / "deep").mkdir()
    for name, text in made.items():
        (tmp_path / name).write_text(text)
    site = links.Site(tmp_path)
    assert site.broken() == ["a.html: b.html#gone", "a.html: none.html"]
    elsewhere = ["b.html: https://example.org/x.js", "lost.html: //example.org/y.png"]
    assert site.foreign() == [*elsewhere, "style.css: https://example.org/z.woff2"]
    clicks = {str(page.relative_to(site.root)): count for page, count in site.clicks().items()}
    assert clicks == {"index.html": 0, "a.html": 1, "b.html": 2, "deep/c.html": 3}


def test_the_site_asks_no_server_for_anything():
    assert re.search(r"^font = false", CONFIGURATION, flags=re.M)
    assert re.findall(r'^polyfills = \["(.*)"\]', CONFIGURATION, flags=re.M) == ["assets/iframe-worker.js"]
    for file in [DOCS / "site" / "zensical.toml", *(DOCS / "site" / "assets").iterdir()]:
        found = set(re.findall(r"https?://[^\s\"'`]+", file.read_text()))
        assert found <= {"http://www.w3.org/2000/svg"}, file


def test_the_playground_has_no_score_of_its_own():
    script = (DOCS / "site" / "assets" / "playground.js").read_text()
    assert re.findall(r"core\.(\w+)\(", script) == ["scores", "match", "explain"]
    assert len(script) < 10_000
    named = re.findall(r'"(\w+)"', script.split("const FIRST = ")[1].split("];")[0])
    assert [name for name in named if name not in ss.METRICS] == []


def test_the_readme_leads_to_the_site():
    readme = (ROOT / "README.md").read_text()
    assert len(readme.splitlines()) <= 150
    assert "(docs/index.md)" in readme and "make docs" in readme and "build/site/index.html" in readme
    assert "](docs/images/report.png)" in readme and (DOCS / "images" / "report.png").is_file()


@pytest.mark.parametrize("file", sorted([*ROOT.glob("*.md"), *DOCS.glob("*.md")]), ids=lambda file: file.name)
def test_links_lead_to_files_in_the_repository_too(file):
    prose = re.sub(r"^```.*?^```$|`[^`\n]*`", "", file.read_text(), flags=re.DOTALL | re.MULTILINE)
    found = [link.partition("#")[0] for link in re.findall(r"\]\(([^)\s]+)\)", prose) if "://" not in link]
    built = re.compile(r"reference/\w+\.md")  # made with the site
    assert [link for link in found if link and not built.fullmatch(link) and not (file.parent / link).exists()] == []


def test_charts_are_drawn_for_light_and_for_dark_pages():
    chart = ss.charts.staircase([30, 60], [33, 60, 80], n=100)
    light, dark = (pictures.svg(chart, pictures.INKS[ground]) for ground in ("light", "dark"))
    assert "#1b1f24" in light and "#e6edf3" not in light and "#4aa8e0" not in light
    assert "#e6edf3" in dark and "#1b1f24" not in dark and "#4aa8e0" in dark and "#0072b2" not in dark.lower()


def test_the_front_leads_to_every_task():
    front = (DOCS / "index.md").read_text()
    tasks = ["pair", "tables", "compare", "annotators", "tune", "curves", "soft", "online", "streams", "clusters"]
    assert [task for task in [*tasks, "playground", "tutorial", "demo", "faq"] if f"]({task}.md)" not in front] == []


def test_modules_of_the_site_do_not_need_what_builds_it():
    for name in ("docstrings", "doctests", "links", "notebooks", "pages", "pictures", "reference"):
        imported = re.findall(r"^(?:import|from) (\w+)", (DOCS / "site" / f"{name}.py").read_text(), flags=re.M)
        known = {"segscore", "docstrings", "doctests", "pages", "pictures"} | set(sys.stdlib_module_names)
        assert set(imported) <= known, name
        importlib.import_module(name)
