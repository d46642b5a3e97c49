"""What all charts share: colours, sizes, data as JSON, and the finish."""

from __future__ import annotations

import json
from typing import Any

from ...optional import library

__all__ = ["COLOURS", "KINDS", "LINES", "SHAPES", "WIDTH", "Rows", "altair", "data", "finished", "finite"]

Rows = list[dict[str, Any]]

# Kinds of cuts differ in colour and in shape. The colours are Okabe and Ito's, which are safe for the colour-blind.
KINDS = ["true", "matched", "missed", "false"]
COLOURS = ["#666666", "#0072B2", "#E69F00", "#D55E00"]
SHAPES = ["M-0.15,-1H0.15V1H-0.15Z", "circle", "diamond", "cross"]
LINES = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#999999"]
WIDTH = 640


def finite(value: float) -> float | None:
    """Return a finite number, or None because JSON has no other."""
    return value if abs(value) < float("inf") else None


def data(name: str, rows: Rows) -> Any:  # noqa: ANN401
    """Return rows as the data of a chart, as one JSON text that Altair does not validate.

    The text contains no "<", so that no name can end the script element around it.
    """
    alt = altair()
    text = json.dumps(rows, separators=(",", ":")).replace("<", "\\u003c")
    return alt.InlineData(values=text, format=alt.JsonDataFormat(type="json"), name=name)


def finished(chart: Any) -> Any:  # noqa: ANN401
    """Return a chart with the fonts and lines that all charts share."""
    return (
        chart.configure_view(stroke=None)
        .configure_axis(labelFontSize=12, titleFontSize=12, titleFontWeight="normal", gridOpacity=0.4)
        .configure_legend(labelFontSize=12, titleFontSize=12, titleFontWeight="normal")
    )


def altair() -> Any:  # noqa: ANN401
    """Import Altair; the error names the extra to install."""
    return library("altair", extra="report")
