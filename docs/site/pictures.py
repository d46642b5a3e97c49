"""Charts as SVG for light and for dark pages."""

from __future__ import annotations

import json

# Text and lines on light and on dark ground, and colours of charts that are too dark for the latter.
INKS = {"light": "#1b1f24", "dark": "#e6edf3"}
LIGHTER = {"#0072B2": "#4aa8e0", "#D55E00": "#f0803c"}
GREY = "#666666"
# Room is left for wide letters, and narrower ones are drawn, because the picture does not grow with the reader's font.
MEASURED = "DejaVu Sans, Verdana, sans-serif"
DRAWN = "Arial, Liberation Sans, Helvetica, sans-serif"


def svg(chart: object, ink: str) -> str:
    """Return a chart as SVG on no ground, with its text and lines in one colour."""
    import vl_convert

    text = json.dumps(chart.to_dict()).replace(GREY, ink)
    for dark, light in LIGHTER.items() if ink == INKS["dark"] else ():
        text = text.replace(dark, light)
    spec = json.loads(text)
    colours = dict.fromkeys(["labelColor", "titleColor", "domainColor", "tickColor", "gridColor"], ink)
    config = spec.setdefault("config", {})
    config |= {
        "background": "transparent",
        "font": MEASURED,
        "padding": {"left": 24, "right": 24, "top": 8, "bottom": 8},
    }
    config["axis"] = config.get("axis", {}) | colours | {"gridOpacity": 0.15}
    config["legend"] = config.get("legend", {}) | {"labelColor": ink, "titleColor": ink}
    for mark in ("text", "rule", "title", "header"):
        names = ("labelColor", "titleColor") if mark == "header" else ("color",)
        config[mark] = config.get(mark, {}) | dict.fromkeys(names, ink)
    return vl_convert.vegalite_to_svg(spec).replace(MEASURED, DRAWN)
