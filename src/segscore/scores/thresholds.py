"""Predicted cuts with confidences: precision, recall and F1 at all thresholds at once.

A threshold keeps the predicted cuts whose ``confidence`` is at least the threshold. At each threshold, a maximum
matching of the kept cuts is found, as in `match`. So recall never falls when the threshold falls; with rules that match
the nearest or the first cut, recall may fall. `segscore.scores.boundaries` has the rule of the margin, and
`segscore.scores.pairs` explains the other arguments.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from .. import _core, arguments
from ..segmentation.segmentation import Cuts
from ..showing import Result, Shown, Table, count_text

__all__ = ["PrecisionRecallCurve", "average_precision", "precision_recall_curve"]


class ThresholdPoint(NamedTuple):
    """Kept cuts, matched pairs, precision, recall and F1 at one threshold."""

    threshold: float
    kept: int
    matched: int
    precision: float
    recall: float
    f1: float


class PrecisionRecallCurve(Result, Table):
    """Precision, recall and F1 at every threshold of a confidence, and the average precision.

    ``points`` holds one point per distinct confidence, from the highest down. ``best`` is the point with the largest
    F1, or None if there is no predicted cut.
    """

    __slots__ = ("average_precision", "points", "true_cuts")

    def __init__(self, points: Iterable[Sequence[Any]], true_cuts: int, average_precision: float) -> None:
        self.points = [ThresholdPoint(*point) for point in points]
        self.true_cuts = true_cuts
        self.average_precision = average_precision

    def __reduce__(self) -> tuple[type[PrecisionRecallCurve], tuple[Any, ...]]:
        return PrecisionRecallCurve, (self.points, self.true_cuts, self.average_precision)

    @property
    def best(self) -> ThresholdPoint | None:
        """The point with the largest F1; ties go to the higher threshold."""
        return max(self.points, key=lambda point: point.f1, default=None)

    def at(self, threshold: float) -> ThresholdPoint:
        """Return kept cuts, matched pairs, precision, recall and F1 at a threshold.

        >>> curve = precision_recall_curve([10, 30], [12, 29, 45], confidence=[0.9, 0.8, 0.7], n=100, margin=3)
        >>> curve.at(0.75).recall, curve.at(1.0).kept
        (1.0, 0)
        """
        arguments.number(threshold, "threshold")
        falling = [-point.threshold for point in self.points]
        place = bisect_right(falling, -threshold) - 1
        if place >= 0:
            return self.points[place]._replace(threshold=threshold)
        value = 0.0 if self.true_cuts else 1.0  # as `f1` without a predicted cut
        return ThresholdPoint(threshold, 0, 0, value, value, value)

    def to_dict(self) -> dict[str, Any]:
        """Return the points and the average precision as plain Python objects."""
        points = [point._asdict() for point in self.points]
        return {"true_cuts": self.true_cuts, "average_precision": self.average_precision, "points": points}

    def _table(self) -> tuple[type[ThresholdPoint], Iterable[ThresholdPoint]]:
        return ThresholdPoint, self.points

    def _shown(self) -> Shown:
        head = f"{count_text(self.true_cuts, 'true cut')}, average precision {self.average_precision:.4f}"
        best = self.best
        if best is not None:
            head += f", best F1 {best.f1:.4f} at threshold {best.threshold:g}"
        rows = [
            (f"{p.threshold:g}", str(p.kept), str(p.matched), f"{p.precision:.4f}", f"{p.recall:.4f}", f"{p.f1:.4f}")
            for p in self.points[:20]
        ]
        names = ("threshold", "kept", "matched", "precision", "recall", "f1")
        return Shown([head], names, "rrrrrr", rows, most=20, number=len(self.points))


def precision_recall_curve(
    truth: Cuts,
    pred: Cuts,
    *,
    confidence: Iterable[float],
    n: int | None = None,
    duration: float | None = None,
    margin: float | None = None,
    relative_margin: float | None = None,
) -> PrecisionRecallCurve:
    """Compute precision, recall and F1 at every threshold of the confidence, at a margin.

    ``confidence`` has one number per predicted cut; equal confidences are kept together. At each threshold, the values
    equal `precision`, `recall` and `f1` of the kept cuts. The cost is O(s + r log r), because the matching grows with
    each cut instead of being found anew.

    >>> precision_recall_curve([10, 30, 60], [12, 29, 45, 61], confidence=[0.9, 0.8, 0.7, 0.6], n=100, margin=3)
    3 true cuts, average precision 0.9167, best F1 0.8571 at threshold 0.6
    threshold  kept  matched  precision  recall      f1
          0.9     1        1     1.0000  0.3333  0.5000
          0.8     2        2     1.0000  0.6667  0.8000
          0.7     3        2     0.6667  0.6667  0.6667
          0.6     4        3     0.7500  1.0000  0.8571

    Reference: Edmonds & Fulkerson (1965) for the matroid; ``docs/curves.md`` for the method.
    """
    *columns, true_cuts, average = _core.threshold_curve(
        truth, pred, confidence, n, duration, margin, relative_margin, "precision_recall_curve"
    )
    return PrecisionRecallCurve(zip(*columns, strict=True), true_cuts, average)


def average_precision(
    truth: Cuts,
    pred: Cuts,
    *,
    confidence: Iterable[float],
    n: int | None = None,
    duration: float | None = None,
    margin: float | None = None,
    relative_margin: float | None = None,
) -> float:
    """Area below the precision-recall curve of predicted cuts with confidences, at a margin.

    The sum of (gain in recall) x precision over the distinct thresholds, from the highest down. In [0, 1], best 1, not
    symmetric, O(s + r log r). True cuts that no threshold finds add nothing. The value is nan if the truth has no
    cut, and 0 if the prediction has no cut.

    >>> truth, pred, confidence = [10, 30, 60], [12, 29, 45, 61], [0.9, 0.8, 0.7, 0.6]
    >>> round(average_precision(truth, pred, confidence=confidence, n=100, margin=3), 6)
    0.916667

    Reference: scikit-learn's average_precision_score has the same sum.
    """
    curve = _core.threshold_curve(truth, pred, confidence, n, duration, margin, relative_margin, "average_precision")
    return curve[-1]
