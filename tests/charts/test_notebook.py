"""Charts in a notebook, in a real browser with the network off."""

import html
import re

import altair as alt
import pytest
from test_charts import CHARTS, scored

import segscore as ss

HOSTILE = "</script><b id='hostile'>"


def bundled(chart):
    return chart._repr_mimebundle_()["text/html"]


@pytest.mark.parametrize("name", CHARTS)
def test_nothing_is_loaded(name):
    frame = bundled(CHARTS[name]())
    assert frame.startswith('<iframe srcdoc="') and frame.count("<") == 2
    page = html.unescape(frame)
    assert not re.search(r"<(script|link)[^>]*\s(src|href)", page)
    assert "cdn" not in page.lower() and "import(" not in page.partition('vegaEmbed("#chart"')[2]


def test_changed_charts_stay_so():
    chart = CHARTS["staircase"]()
    for changed in (chart.properties(title="mine"), chart.copy(), chart.interactive()):
        assert "<iframe" in bundled(changed)


def test_another_renderer_is_respected():
    with alt.renderers.enable("png"):
        found = CHARTS["staircase"]()._repr_mimebundle_()
    assert list(found[0]) == ["image/png"]


def test_a_browser_draws_several_without_a_network(tmp_path, browser):
    charts = [CHARTS["timeline"](), CHARTS["heatmap"]()]
    charts += [ss.charts.scores(scored().rename({"rand_index": HOSTILE}), ss.Column(HOSTILE, best="high"))]
    page = tmp_path / "notebook.html"
    page.write_text("<!DOCTYPE html><body>" + "".join(map(bundled, charts)), encoding="utf-8")
    opened = browser.new_context(offline=True).new_page()
    complaints, requests = [], []
    opened.on("console", lambda message: complaints.append(message.text))
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    opened.on("request", lambda request: requests.append(request.url))
    opened.goto(page.as_uri())
    for k in range(len(charts)):
        inside = opened.frame_locator("iframe").nth(k)
        inside.locator("canvas, svg.marks").first.wait_for(timeout=60_000)
        assert inside.locator("#hostile").count() == 0
        drawn = inside.locator(".vega-embed").bounding_box()["height"]
        opened.wait_for_function(
            "([k, drawn]) => Math.abs(document.querySelectorAll('iframe')[k].offsetHeight - drawn) < 40",
            arg=[k, drawn],
        )
    opened.context.close()
    assert not complaints
    assert [url for url in requests if not url.startswith(("file:", "about:", "data:"))] == []
