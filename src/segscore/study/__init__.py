"""Studies: run detectors over series, and survive their failures.

>>> from segscore import simulate, study
>>> series = {"teeth": simulate.signal("teeth", seed=1)}
>>> detectors = {"halves": lambda signal: [len(signal) // 2]}
>>> runs = study.run(detectors, series, out=None, workers=1)
>>> runs.select("series", "method", "pred", "status").row(0)
('teeth', 'halves', [70], 'ok')

``detectors`` and ``answers`` hold what a detector is and how its answer becomes cuts, ``collection`` reads the series,
``pool`` and ``worker`` run one cell in a process that may be killed, ``journal`` keeps each finished cell, and
``runner`` puts them together.
"""

from .answers import cuts_of
from .detectors import Detector, Grid, Skip
from .runner import run

__all__ = ["Detector", "Grid", "Skip", "cuts_of", "run"]
