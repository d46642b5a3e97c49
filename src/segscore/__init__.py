"""How good is a segmentation? Every score, exact, from the cuts alone.

>>> import segscore as ss
>>> ss.rand_index([3, 8], [4, 8], n=10)
0.8444444444444444
"""

from typing import TYPE_CHECKING

from . import simulate
from .annotators import (
    Agreement,
    Annotated,
    Spread,
    agreement,
    annotated,
    cohen_kappa,
    fleiss_pi,
)
from .blame import (
    CellShare,
    CutChange,
    Explanation,
    MatchedPair,
    explain,
)
from .boundaries import (
    Match,
    count_error,
    directed_hausdorff,
    f1,
    hausdorff,
    match,
    mean_error,
    median_error,
    precision,
    recall,
)
from .catalog import (
    METRICS,
    Metric,
    Scores,
    compare,
)
from .chance import (
    RandTest,
    bernoulli,
    expected_rand_distance,
    expected_rand_index,
    order_adjusted_mutual_information,
    order_adjusted_rand_index,
    rand_index_variance,
    rand_test,
)
from .edits import (
    BoundaryEdits,
    boundary_edits,
    boundary_similarity,
    generalized_hamming,
    segmentation_similarity,
)
from .information import (
    Entropies,
    adjusted_mutual_information,
    completeness,
    entropies,
    homogeneity,
    mutual_information,
    normalized_information_distance,
    normalized_mutual_information,
    v_measure,
    variation_of_information,
)
from .matrices import (
    Nearest,
    cross,
    nearest,
    pairwise,
)
from .median import (
    Consensus,
    consensus,
)
from .overlap import (
    b_cubed_f1,
    b_cubed_precision,
    b_cubed_recall,
    coverage,
    covering,
    mean_iou,
    purity,
    purity_coverage_f1,
)
from .pairs import (
    PairCounts,
    adapted_rand_error,
    adjusted_rand_index,
    blanc,
    fowlkes_mallows_index,
    jaccard_index,
    mirkin_distance,
    modified_adjusted_rand_index,
    pair_counts,
    pair_f1,
    pair_precision,
    pair_recall,
    rand_distance,
    rand_index,
)
from .peers import (
    Disagreement,
    Disagreements,
    disagreements,
)
from .results.leaderboards import Leaderboard, Standing, leaderboard
from .results.significance import Difference, Differences
from .segmentation import Segmentation
from .states import LabelledSegmentation
from .stream import RunningRand
from .tables import (
    score,
    score_long,
)
from .windows import (
    pk,
    pk_curve,
    window_diff,
    window_diff_curve,
)

if TYPE_CHECKING:
    from .results import charts
    from .results.page import report

__version__ = "0.1.0"

__all__ = [
    "METRICS",
    "Agreement",
    "Annotated",
    "BoundaryEdits",
    "CellShare",
    "Consensus",
    "CutChange",
    "Difference",
    "Differences",
    "Disagreement",
    "Disagreements",
    "Entropies",
    "Explanation",
    "LabelledSegmentation",
    "Leaderboard",
    "Match",
    "MatchedPair",
    "Metric",
    "Nearest",
    "PairCounts",
    "RandTest",
    "RunningRand",
    "Scores",
    "Segmentation",
    "Spread",
    "Standing",
    "adapted_rand_error",
    "adjusted_mutual_information",
    "adjusted_rand_index",
    "agreement",
    "annotated",
    "b_cubed_f1",
    "b_cubed_precision",
    "b_cubed_recall",
    "bernoulli",
    "blanc",
    "boundary_edits",
    "boundary_similarity",
    "charts",
    "cohen_kappa",
    "compare",
    "completeness",
    "consensus",
    "count_error",
    "coverage",
    "covering",
    "cross",
    "directed_hausdorff",
    "disagreements",
    "entropies",
    "expected_rand_distance",
    "expected_rand_index",
    "explain",
    "f1",
    "fleiss_pi",
    "fowlkes_mallows_index",
    "generalized_hamming",
    "hausdorff",
    "homogeneity",
    "jaccard_index",
    "leaderboard",
    "match",
    "mean_error",
    "mean_iou",
    "median_error",
    "mirkin_distance",
    "modified_adjusted_rand_index",
    "mutual_information",
    "nearest",
    "normalized_information_distance",
    "normalized_mutual_information",
    "order_adjusted_mutual_information",
    "order_adjusted_rand_index",
    "pair_counts",
    "pair_f1",
    "pair_precision",
    "pair_recall",
    "pairwise",
    "pk",
    "pk_curve",
    "precision",
    "purity",
    "purity_coverage_f1",
    "rand_distance",
    "rand_index",
    "rand_index_variance",
    "rand_test",
    "recall",
    "report",
    "score",
    "score_long",
    "segmentation_similarity",
    "simulate",
    "v_measure",
    "variation_of_information",
    "window_diff",
    "window_diff_curve",
]


# Imported when first needed: name, and the module it is in.
_LATER = {"charts": ".results.charts", "compat": ".compat", "report": ".results.page"}


def __getattr__(name: str) -> object:
    if name in _LATER:
        import importlib

        module = importlib.import_module(_LATER[name], __name__)
        return getattr(module, name, module)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
