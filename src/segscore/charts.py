"""Altair charts of segmentations and scores.

`segscore.results.charts` draws them, and says how they are shown and saved.
"""

from .results import charts as drawn
from .results.charts import *  # noqa: F403

__all__: list[str] = []
__all__ += drawn.__all__
