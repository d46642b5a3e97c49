"""The contingency table of two label arrays, computed from their runs of equal labels."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from ..segmentation.segmentation import Segmentation
from ..showing import count_text

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["Table"]


class Table(NamedTuple):
    """The non-empty cells of a contingency table, row by row.

    Rows and columns are the sorted labels of each side.
    """

    row: NDArray[Any]
    column: NDArray[Any]
    cells: NDArray[Any]
    truth: NDArray[Any]  # points of each label of the truth
    pred: NDArray[Any]
    n: int

    @classmethod
    def of_labels(cls, truth: ArrayLike, pred: ArrayLike) -> Table:
        """Count the points of each pair of labels, by runs of equal labels."""
        import numpy as np

        sides = _labels(truth, "labels_true"), _labels(pred, "labels_pred")
        n = sides[0].size
        if sides[1].size != n:
            raise ValueError(
                f"labels_true has {count_text(n, 'point')} and labels_pred {sides[1].size}; expected one length"
            )
        changes = [side[1:] != side[:-1] for side in sides]
        starts = np.concatenate([[0], np.flatnonzero(changes[0] | changes[1]) + 1])[: n and None]
        lengths = np.diff(starts, append=n)
        (_, rows), (_, columns) = (np.unique(side[starts], return_inverse=True) for side in sides)
        return cls.of_runs(rows.ravel(), columns.ravel(), lengths)

    @classmethod
    def of_runs(cls, rows: NDArray[Any], columns: NDArray[Any], lengths: NDArray[Any]) -> Table:
        """Count runs of numbered labels on each side; the numbers are 0, 1, ... without gaps."""
        import numpy as np

        def added(numbers: NDArray[Any]) -> NDArray[Any]:
            sums = np.zeros(int(numbers.max(initial=-1)) + 1, dtype=np.int64)
            np.add.at(sums, numbers, lengths)
            return sums

        width = int(columns.max(initial=0)) + 1
        keys, which = np.unique(rows * width + columns, return_inverse=True)
        row, column = np.divmod(keys, width)
        return cls(row, column, added(which.ravel()), added(rows), added(columns), int(lengths.sum()))

    def segmentations(self) -> tuple[Segmentation, Segmentation]:
        """Return two segmentations with labels that have this table."""
        cuts = self.cells.cumsum()[:-1]
        truth, pred = (Segmentation(cuts, side, n=self.n) for side in (self.row, self.column))
        return truth, pred

    def ordered_pairs(self) -> tuple[int, int, int, int]:
        """Return the ordered pairs apart in both, together in pred only, truth only, and both."""
        both, truth, pred = (sum(x * x for x in side.tolist()) for side in (self.cells, self.truth, self.pred))
        n = self.n
        return n * n - truth - pred + both, pred - both, truth - both, both - n

    def mutual_information(self) -> NDArray[Any]:
        """Return the terms of the mutual information, one per cell, as logarithms of counts."""
        import numpy as np

        share = self.cells / self.n
        expected = self.truth[self.row] * self.pred[self.column]
        within = np.log(self.cells) - math.log(self.n)
        across = -np.log(expected) + math.log(self.n) + math.log(self.n)
        terms: NDArray[Any] = share * within + share * across
        return terms

    def entropies(self) -> tuple[float, float]:
        """Return the entropy of each side, in nats."""
        import numpy as np

        def entropy(sizes: NDArray[Any]) -> float:
            return float(-np.sum((sizes / self.n) * (np.log(sizes) - math.log(self.n)))) if sizes.size > 1 else 0.0

        return entropy(self.truth), entropy(self.pred)


def _labels(given: ArrayLike, name: str) -> NDArray[Any]:
    import numpy as np

    labels = np.asarray(given)
    if labels.ndim != 1:
        raise ValueError(f"{name} has {labels.ndim} dimensions; expected 1 (one label per point)")
    if labels.dtype.kind in "fc" and not np.isfinite(labels).all():
        raise ValueError(f"{name} holds a label that is not a finite number; expected labels that can be compared")
    return labels
