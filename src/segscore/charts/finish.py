"""The finish of all charts: fonts and lines, and drawing in a notebook without a network."""

from __future__ import annotations

from typing import Any

__all__ = ["finished"]


def finished(chart: Any) -> Any:  # noqa: ANN401
    """Return a chart with the common fonts and lines, for notebooks without a network."""
    from .notebook import without_network  # here and not above: Altair is optional

    return without_network(
        chart.configure_view(stroke=None)
        .configure_axis(labelFontSize=12, titleFontSize=12, titleFontWeight="normal", gridOpacity=0.4)
        .configure_legend(labelFontSize=12, titleFontSize=12, titleFontWeight="normal")
    )
