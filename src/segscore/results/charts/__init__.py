"""Charts: segmentations and scores to look at, as Altair charts.

They show in a notebook, and ``chart.save("x.svg")`` (or png, pdf) needs neither a browser nor a network; nor does
the page of ``chart.save("x.html", inline=True)``. The same charts are in that of `segscore.report`.
"""

from .of_cuts import pk_curve, staircase, timeline
from .of_scores import critical_difference, heatmap, leaderboard, scores

__all__ = ["critical_difference", "heatmap", "leaderboard", "pk_curve", "scores", "staircase", "timeline"]
