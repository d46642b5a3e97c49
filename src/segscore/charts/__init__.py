"""Altair charts of segmentations and scores.

A notebook draws the charts without a network: each chart brings the libraries that draw it, about 1 MB. To choose
another renderer, call ``altair.renderers.enable``. ``chart.save("x.svg")`` (or png, pdf) needs neither a browser nor a
network, and ``chart.save("x.html", inline=True)`` writes a page that needs no network. `segscore.report` uses the same
charts.
"""

from .boards import heatmap, leaderboard, scores
from .comparisons import critical_difference, pairs
from .costs import cost
from .curves import delays, f1_curve
from .cuts import pk_curve, staircase, timeline
from .reliability import calibration
from .settings import selection
from .thresholds import label_roc, precision_recall

__all__ = ["calibration", "cost", "critical_difference", "heatmap", "leaderboard", "pairs", "pk_curve", "scores"]
__all__ += ["delays", "f1_curve", "label_roc", "precision_recall"]
__all__ += ["selection", "staircase", "timeline"]
