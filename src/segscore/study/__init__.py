"""Studies: run detectors over series, record failures, and choose settings fairly.

>>> from segscore import simulate, study
>>> series = {"teeth": simulate.signal("teeth", rng=1)}
>>> detectors = {"halves": lambda signal: [len(signal) // 2]}
>>> runs = study.run(detectors, series, out=None, workers=1)
>>> runs.select("series", "method", "pred", "status").row(0)
('teeth', 'halves', [70], 'ok')

``detectors`` and ``answers`` hold what a detector is and how its answer becomes cuts, ``collection`` reads the series,
``cells`` lists the runs and makes the table, ``pool`` and ``worker`` run one cell in a process that may be killed,
``cluster`` does so on Dask, ``journal`` keeps each finished cell, ``plans`` holds what is fixed before the runs,
``runner`` puts them together, ``scripts`` reads studies from files, and ``selection`` chooses settings.
`read_tcpdbench` reads the published files of TCPDBench, and `penalty_paths` returns the predictions of a method by
penalty.
"""

from ..analysis.penalty_paths import penalty_paths
from ..files.codecs.tcpdbench import read_tcpdbench
from .answers import cuts_of
from .detectors import Detector, Grid, Skip
from .plans import Plan
from .runner import run
from .selection import select

__all__ = ["Detector", "Grid", "Plan", "Skip", "cuts_of", "penalty_paths", "read_tcpdbench", "run", "select"]
