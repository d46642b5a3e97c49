"""How good is a segmentation? All scores of the field, exact, from the cuts alone.

>>> import segscore as ss
>>> ss.rand_index([3, 8], [4, 8], n=10)
0.8444444444444444
"""

from typing import TYPE_CHECKING

# Each module lists its public names in `__all__`. Modules that other packages use have more of them than users need.
from .analysis import matrices, penalties, stream
from .analysis.consensus import Consensus, consensus
from .analysis.explain import Explanation, explain
from .analysis.matrices import *
from .analysis.penalties import *
from .analysis.rand_test import RandTest, rand_test
from .analysis.regions import LabelError, label_error
from .analysis.stream import *
from .boards.leaderboard import Leaderboard, leaderboard
from .boards.significance import Differences
from .boards.typesetting import Publication
from .compat.disagreements import Disagreements, disagreements
from .files import Segmentations, read, write
from .publications.publication import publication
from .scores import (
    annotators,
    boundaries,
    chance,
    curves,
    delays,
    edits,
    information,
    overlap,
    pairs,
    thresholds,
    windows,
)
from .scores.agreement import Agreement, agreement, cohen_kappa, fleiss_pi
from .scores.annotated import Annotated, annotated
from .scores.annotators import *
from .scores.boundaries import *
from .scores.catalog import METRICS, Metric
from .scores.chance import *
from .scores.compare import Scores, compare
from .scores.curves import *
from .scores.delays import *
from .scores.edits import *
from .scores.information import *
from .scores.metric_text import metric
from .scores.nulls import bernoulli, poisson
from .scores.overlap import *
from .scores.pairs import *
from .scores.thresholds import *
from .scores.windows import *
from .segmentation.segmentation import Segmentation
from .soft import decisions, losses, segmentations
from .soft.decisions import *
from .soft.losses import *
from .soft.segmentations import *
from .tables.columns import Column
from .tables.long import score_long
from .tables.score import score

if TYPE_CHECKING:
    from . import charts, compat, simulate, study
    from .analysis.region_tables import LabelErrors, label_errors, label_rocs
    from .reports.report import report

__version__ = "0.1.0"

__all__ = ["METRICS", "Column", "Consensus", "Differences", "Disagreements", "Explanation", "LabelError"]
__all__ += ["LabelErrors", "Leaderboard", "Metric", "Publication", "RandTest", "Scores", "Segmentation"]
__all__ += ["Segmentations", "bernoulli", "charts", "compare", "compat", "consensus", "disagreements"]
__all__ += ["explain", "label_error", "label_errors", "label_rocs", "leaderboard", "metric", "poisson"]
__all__ += ["publication", "rand_test", "read", "report", "score", "score_long", "simulate", "study", "write"]
__all__ += ["Agreement", "Annotated", "agreement", "annotated", "cohen_kappa", "fleiss_pi"]
__all__ += annotators.__all__
__all__ += boundaries.__all__
__all__ += chance.__all__
__all__ += curves.__all__
__all__ += decisions.__all__
__all__ += delays.__all__
__all__ += edits.__all__
__all__ += information.__all__
__all__ += losses.__all__
__all__ += matrices.__all__
__all__ += overlap.__all__
__all__ += pairs.__all__
__all__ += penalties.__all__
__all__ += segmentations.__all__
__all__ += stream.__all__
__all__ += thresholds.__all__
__all__ += windows.__all__

# Names that are imported when first used, because they are slow to import, and their modules.
_LATER = {
    "charts": ".charts",
    "compat": ".compat",
    "simulate": ".simulate",
    "report": ".reports.report",
    "study": ".study",
}
_LATER |= dict.fromkeys(("LabelErrors", "label_errors", "label_rocs"), ".analysis.region_tables")


if not TYPE_CHECKING:  # a type checker would take it to mean that every name exists

    def __getattr__(name: str) -> object:
        if name in _LATER:
            import importlib

            module = importlib.import_module(_LATER[name], __name__)
            found = globals()[name] = getattr(module, name, module)
            return found
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
