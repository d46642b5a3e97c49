"""The finish of all charts: fonts and lines, and drawing in a notebook without a network."""

from __future__ import annotations

from ..optional import altair as alt

__all__ = ["finished"]


def finished(chart: alt.TopLevelMixin) -> alt.TopLevelMixin:
    """Return a chart with the common fonts and lines, for notebooks without a network."""
    from .notebook import without_network  # here and not above: Altair is optional

    return without_network(
        chart.configure_view(stroke=None)
        .configure_axis(labelFontSize=12, titleFontSize=12, titleFontWeight="normal", gridOpacity=0.4)
        .configure_legend(labelFontSize=12, titleFontSize=12, titleFontWeight="normal")
    )
