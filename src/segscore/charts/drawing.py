"""What all charts share: colours, sizes, and data as JSON."""

from __future__ import annotations

import json
from typing import Any

from ..optional import altair as alt
from ..optional import library

__all__ = ["COLOURS", "CUT_KINDS", "LINES", "MANY", "SHAPES", "WIDTH", "Rows"]
__all__ += ["data", "finite", "in_script", "numbers", "rows_axis", "vega"]

Rows = list[dict[str, Any]]

# Kinds of cuts differ in colour and in shape. The colours are Okabe and Ito's, which are safe for the colour-blind.
CUT_KINDS = ["true", "matched", "missed", "false"]
COLOURS = ["#666666", "#0072B2", "#E69F00", "#D55E00"]
SHAPES = ["M-0.15,-1H0.15V1H-0.15Z", "circle", "diamond", "cross"]
LINES = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#999999"]
# Colours if there are more lines or labels than `LINES` has: Tableau's twenty.
MANY = [
    *("#4c78a8", "#f58518", "#54a24b", "#b79a20", "#439894", "#e45756", "#79706e", "#d67195", "#b279a2", "#9e765f"),
    *("#9ecae9", "#ffbf79", "#88d27a", "#f2cf5b", "#83bcb6", "#ff9d98", "#bab0ac", "#fcbfd2", "#d6a5c9", "#d8b5a5"),
]
WIDTH = 640


def finite(value: float) -> float | None:
    """Return a finite number, or None for all others, because JSON cannot hold them."""
    return value if abs(value) < float("inf") else None


def data(name: str, rows: Rows) -> alt.InlineData:
    """Return rows as the data of a chart, as one JSON text that Altair does not validate.

    The text contains no "<", so that no name can end the script element around it.
    """
    return alt.InlineData(values=in_script(rows), format=alt.JsonDataFormat(type="json"), name=name)


def in_script(value: object) -> str:
    """Return JSON without "<", so that no name can end the script element around the JSON."""
    return json.dumps(value, separators=(",", ":")).replace("<", "\\u003c")


def vega() -> str:
    """Return the JavaScript libraries that draw charts, as one script."""
    version = alt.SCHEMA_VERSION.rpartition(".")[0]  # v6.4 for v6.4.1
    return str(library("vl_convert", extra="report").javascript_bundle(vl_version=version))


def rows_axis(field: str = "method") -> alt.Y:
    """Return the vertical axis with one row per name, in the order of the data."""
    return alt.Y(f"{field}:N", title=None, sort=None, axis=alt.Axis(labelLimit=220))


def numbers(*fields: str, form: str = ".4f") -> list[alt.Tooltip]:
    """Return the tips for fields that hold numbers."""
    return [alt.Tooltip(f"{field}:Q", format=form) for field in fields]
