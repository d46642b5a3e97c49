"""Charts that a notebook draws without a network: Altair's own, except for how a notebook shows them."""

from __future__ import annotations

import html
from typing import Any

from ..optional import altair as alt
from .drawing import in_script, vega

__all__ = ["Chart", "LayerChart", "VConcatChart", "without_network"]

# The page writes its own script instead of calling Altair's `to_html`, in which a name can end the script element.
_PAGE = (
    '<!DOCTYPE html><meta charset="utf-8"><body style="margin: 0"><div id="chart"></div><script>{vega}</script>'
    '<script>vegaEmbed("#chart", {spec}, {{mode: "vega-lite"}}).catch(console.error);</script>'
)

# The chart appears some time after the frame is loaded, so the frame follows the size of the page.
_FOLLOW = (
    "const page = this.contentDocument.documentElement;"
    "new ResizeObserver(() => { this.style.height = page.offsetHeight + 'px'; }).observe(page);"
)


class _WithoutNetwork:
    """A chart that a notebook shows in a frame, as a page that holds the libraries that draw the chart.

    Altair's own way loads these libraries from a server. The frame keeps the scripts of several charts apart. If
    ``altair.renderers.enable`` chose another way, that way is used.
    """

    def _repr_mimebundle_(self, *args: Any, **options: Any) -> Any:  # noqa: ANN401
        if alt.renderers.active != "default":
            return super()._repr_mimebundle_(*args, **options)  # type: ignore[misc]
        spec = in_script(self.to_dict())  # type: ignore[attr-defined]
        page = _PAGE.format(vega=vega(), spec=spec)
        style = "width: 100%; height: 400px; border: 0"
        frame = f'<iframe srcdoc="{html.escape(page)}" style="{style}" onload="{html.escape(_FOLLOW)}"></iframe>'
        return {"text/html": frame, "text/plain": f"segscore chart, {type(self).__name__}"}


class Chart(_WithoutNetwork, alt.Chart):
    """An Altair Chart that a notebook draws without a network."""


class LayerChart(_WithoutNetwork, alt.LayerChart):
    """An Altair LayerChart that a notebook draws without a network."""


class VConcatChart(_WithoutNetwork, alt.VConcatChart):
    """An Altair VConcatChart that a notebook draws without a network."""


class HConcatChart(_WithoutNetwork, alt.HConcatChart):
    """An Altair HConcatChart that a notebook draws without a network."""


_KINDS = {alt.Chart: Chart, alt.LayerChart: LayerChart, alt.VConcatChart: VConcatChart, alt.HConcatChart: HConcatChart}


def without_network(chart: Any) -> alt.TopLevelMixin:  # noqa: ANN401
    """Return a copy of an Altair chart that a notebook draws without a network."""
    copied: alt.TopLevelMixin = chart.copy(deep=False)
    object.__setattr__(copied, "__class__", _KINDS[type(chart)])  # Altair's own setattr sets what is drawn
    return copied
