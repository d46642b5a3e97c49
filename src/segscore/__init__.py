"""How good is a segmentation? All scores of the field, exact, from the cuts alone.

>>> import segscore as ss
>>> ss.rand_index([3, 8], [4, 8], n=10)
0.8444444444444444
"""

from typing import TYPE_CHECKING

# Each module lists its public names in `__all__`. Modules that other packages use have more of them than users need.
from . import (
    annotators,
    blame,
    boundaries,
    chance,
    curves,
    delays,
    edits,
    information,
    matrices,
    median,
    overlap,
    pairs,
    peers,
    penalties,
    simulate,
    soft,
    soft_decisions,
    soft_losses,
    stream,
    thresholds,
    windows,
)
from .annotators import *
from .blame import *
from .boundaries import *
from .catalog import METRICS, Metric, Scores, compare, metric
from .chance import *
from .curves import *
from .delays import *
from .edits import *
from .formats import Segmentations, read, write
from .information import *
from .matrices import *
from .median import *
from .overlap import *
from .pairs import *
from .peers import *
from .penalties import *
from .regions import LabelError, label_error
from .results.columns import Column
from .results.leaderboards import Leaderboard, leaderboard
from .results.publication import Publication, publication
from .results.significance import Differences
from .segmentation import Segmentation
from .soft import *
from .soft_decisions import *
from .soft_losses import *
from .stream import *
from .tables.frames import score
from .tables.long import score_long
from .thresholds import *
from .windows import *

if TYPE_CHECKING:
    from . import charts, compat, study
    from .results.annotated import LabelErrors, label_errors, label_rocs
    from .results.page import report

__version__ = "0.1.0"

__all__ = ["METRICS", "Column", "Differences", "LabelError", "LabelErrors", "Leaderboard", "Metric", "Publication"]
__all__ += ["Scores", "Segmentation", "charts", "compare", "compat", "label_error", "label_errors", "label_rocs"]
__all__ += ["leaderboard", "metric", "publication", "report", "score", "score_long"]
__all__ += ["simulate", "study"]
__all__ += ["Segmentations", "read", "write"]
__all__ += annotators.__all__
__all__ += blame.__all__
__all__ += boundaries.__all__
__all__ += chance.__all__
__all__ += curves.__all__
__all__ += delays.__all__
__all__ += edits.__all__
__all__ += information.__all__
__all__ += matrices.__all__
__all__ += median.__all__
__all__ += overlap.__all__
__all__ += pairs.__all__
__all__ += peers.__all__
__all__ += penalties.__all__
__all__ += soft.__all__
__all__ += soft_decisions.__all__
__all__ += soft_losses.__all__
__all__ += stream.__all__
__all__ += thresholds.__all__
__all__ += windows.__all__

# Names that are imported when first used, because they are slow to import, and their modules.
_LATER = {"charts": ".charts", "compat": ".compat", "report": ".results.page", "study": ".study"}
_LATER |= dict.fromkeys(("LabelErrors", "label_errors", "label_rocs"), ".results.annotated")


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
