"""Altair charts of segmentations and scores.

A notebook draws the charts without a network: each chart brings the libraries that draw it, about 1 MB. To choose
another renderer, call ``altair.renderers.enable``. ``chart.save("x.svg")`` (or png, pdf) needs neither a browser nor a
network, and ``chart.save("x.html", inline=True)`` writes a page that needs no network. `segscore.report` uses the same
charts.
"""

from .of_calibration import calibration
from .of_costs import cost
from .of_curves import delays, f1_curve
from .of_cuts import pk_curve, staircase, timeline
from .of_pairs import critical_difference, pairs
from .of_scores import heatmap, leaderboard, scores
from .of_settings import selection
from .of_thresholds import label_roc, precision_recall

__all__ = ["calibration", "cost", "critical_difference", "heatmap", "leaderboard", "pairs", "pk_curve", "scores"]
__all__ += ["delays", "f1_curve", "label_roc", "precision_recall"]
__all__ += ["selection", "staircase", "timeline"]
