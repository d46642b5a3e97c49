"""How good is a segmentation? Every score, exact, from the cuts alone.

>>> import segscore as ss
>>> ss.rand_index([3, 8], [4, 8], n=10)
0.8444444444444444
"""

from .pairs import (
    PairCounts,
    adjusted_rand_index,
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
from .segmentation import Segmentation

__version__ = "0.1.0"

__all__ = [
    "PairCounts",
    "Segmentation",
    "adjusted_rand_index",
    "fowlkes_mallows_index",
    "jaccard_index",
    "mirkin_distance",
    "modified_adjusted_rand_index",
    "pair_counts",
    "pair_f1",
    "pair_precision",
    "pair_recall",
    "rand_distance",
    "rand_index",
]
