"""The functions of other libraries under their own names: only the import changes.

=============================  ======================================================================================
``ruptures.metrics``           ``from segscore.compat.ruptures import randindex, hausdorff, precision_recall, ...``
TCPDBench, claspy, TSSB        ``from segscore.compat.tcpdbench import f_measure, covering``
``mir_eval``                   ``from segscore.compat import mir_eval``, then ``mir_eval.segment.detection(...)``
``segeval``                    ``from segscore.compat import segeval``
``nltk.metrics.segmentation``  ``from segscore.compat.nltk import pk, windowdiff, ghd``
``aeon`` (segmentation)        ``from segscore.compat.aeon import count_error, hausdorff_error, prediction_ratio``
``sklearn.metrics``            ``from segscore.compat.sklearn import rand_score, adjusted_rand_score, ...``
=============================  ======================================================================================

Names, order of arguments, defaults, conventions and values are those of the other library. Where the other library
fails or returns an impossible number, the value here is the right one: ``docs/migrating.md`` lists these cases.
"""

from . import aeon, mir_eval, nltk, ruptures, segeval, sklearn, tcpdbench

__all__ = ["aeon", "mir_eval", "nltk", "ruptures", "segeval", "sklearn", "tcpdbench"]
