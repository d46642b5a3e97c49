"""The curve family: precision, recall and F1 at all margins at once.

`segscore.scores.boundaries` has the rule of the margin, and `segscore.scores.pairs` explains the other arguments. The
number of matched pairs is a step function of the margin with at most min(r, s) steps, so a curve is a short list of
steps. `MarginCurve.at` equals `f1`, `precision` and `recall` at the same margin exactly. In time, the steps stand at
the distances as they are computed, so distances of 0.07 and 0.07000000000000028 are two steps.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple

from .. import _core, arguments
from ..segmentation.lengths_of_time import counted
from ..segmentation.segmentation import Cuts
from ..segmentation.timestamps import Origin, origin_of
from ..showing import Result, Shown, Table, count_text, number_text

__all__ = ["MarginCurve", "f1_area", "f1_curve"]

_SCORES = ("f1", "precision", "recall")


class CurvePoint(NamedTuple):
    """Matched pairs, precision, recall and F1 at one margin."""

    margin: float
    matched: int
    precision: float
    recall: float
    f1: float


class MarginCurve(Result, Table):
    """Precision, recall and F1 as exact step functions of the margin.

    ``points`` holds one point per step. The values of a point hold from its margin up to the margin of the next point.
    The first margin is 0. For timestamps, margins are numbers of the unit of the timestamps, and `at` and `area` also
    accept a timedelta.
    """

    __slots__ = ("_origin", "n", "points", "predicted_cuts", "true_cuts")

    def __init__(
        self,
        points: Iterable[Sequence[Any]],
        true_cuts: int,
        predicted_cuts: int,
        n: float,
        origin: Origin | None = None,
    ) -> None:
        self.points = [CurvePoint(*point) for point in points]
        self.true_cuts = true_cuts
        self.predicted_cuts = predicted_cuts
        self.n = n  # the length, or the duration
        self._origin = origin

    def __reduce__(self) -> tuple[type[MarginCurve], tuple[Any, ...]]:
        return MarginCurve, (self.points, self.true_cuts, self.predicted_cuts, self.n, self._origin)

    def at(self, margin: float) -> CurvePoint:
        """Return matched pairs, precision, recall and F1 at a margin.

        >>> f1_curve([10, 30, 60], [12, 33, 50], n=100).at(5).f1
        0.6666666666666666
        """
        margin = arguments.number(counted(margin, "margin", self), "margin", "0 or more")
        reach = _core.reach(margin, self.n)
        step = self.points[bisect_right([point.margin for point in self.points], reach) - 1]
        return step._replace(margin=margin)

    def area(
        self,
        margin: float | None = None,
        *,
        relative_margin: float | None = None,
        of: Literal["f1", "precision", "recall"] = "f1",
    ) -> float:
        """Compute the mean of F1, precision or recall over all margins from 0 to a margin.

        >>> curve = f1_curve([10, 30, 60], [12, 33, 50], n=100)
        >>> curve.area(10), curve.area(20, of="recall")
        (0.5, 0.75)
        """
        weight, whole = {
            "f1": (2, self.true_cuts + self.predicted_cuts),
            "precision": (1, self.predicted_cuts),
            "recall": (1, self.true_cuts),
        }[arguments.choice(of, "of", _SCORES)]
        margins, matched = [point.margin for point in self.points], [point.matched for point in self.points]
        margin = counted(margin, "margin", self)
        found = _core.margin_area(margins, matched, self.n, margin, relative_margin, weight, max(1, whole))
        return found if self.points[-1].matched else float(getattr(self.points[0], of))

    def reaches(self, value: float, *, of: Literal["f1", "precision", "recall"] = "recall") -> float:
        """Return the smallest margin at which F1, precision or recall is at least a value.

        The result is inf if no margin is large enough.

        >>> curve = f1_curve([10, 30, 60], [12, 33, 50], n=100)
        >>> curve.reaches(0.5), curve.reaches(1), f1_curve([10], [], n=100).reaches(0.5)
        (3, 10, inf)
        """
        arguments.choice(of, "of", _SCORES)
        arguments.number(value, "value")
        return next((point.margin for point in self.points if getattr(point, of) >= value), float("inf"))

    def to_dict(self) -> dict[str, Any]:
        """Return the points and the numbers of cuts as plain Python objects."""
        points = [point._asdict() for point in self.points]
        return {"n": self.n, "true_cuts": self.true_cuts, "predicted_cuts": self.predicted_cuts, "points": points}

    def _table(self) -> tuple[type[CurvePoint], Iterable[CurvePoint]]:
        return CurvePoint, self.points

    def _shown(self) -> Shown:
        head = ", ".join(
            count_text(count, noun)
            for count, noun in (
                (self.true_cuts, "true cut"),
                (self.predicted_cuts, "predicted cut"),
                (len(self.points) - 1, "step"),
            )
        )
        rows = [
            (number_text(p.margin), str(p.matched), f"{p.precision:.4f}", f"{p.recall:.4f}", f"{p.f1:.4f}")
            for p in self.points[:20]
        ]
        names = ("from margin", "matched", "precision", "recall", "f1")
        return Shown([head], names, "rrrrr", rows, most=20, number=len(self.points))


def f1_curve(truth: Cuts, pred: Cuts, *, n: int | None = None, duration: float | None = None) -> MarginCurve:
    """Compute F1, precision and recall at all margins at once, with a maximum matching at each.

    At each margin, the values equal `f1`, `precision` and `recall`. The cost is O((r+s) log(r+s)), plus O(r+s) per
    matched pair at worst. The cost does not depend on the number of margins.

    >>> f1_curve([10, 30, 60], [12, 33, 50], n=100)
    3 true cuts, 3 predicted cuts, 3 steps
    from margin  matched  precision  recall      f1
              0        0     0.0000  0.0000  0.0000
              2        1     0.3333  0.3333  0.3333
              3        2     0.6667  0.6667  0.6667
             10        3     1.0000  1.0000  1.0000

    Reference: Berge (1957) for the augmenting paths; ``docs/curves.md`` for the method.
    """
    *columns, true_cuts, predicted_cuts, length = _core.margin_curve(truth, pred, n, duration)
    return MarginCurve(zip(*columns, strict=True), true_cuts, predicted_cuts, length, origin_of(truth, pred))


def f1_area(
    truth: Cuts,
    pred: Cuts,
    *,
    n: int | None = None,
    duration: float | None = None,
    margin: float | None = None,
    relative_margin: float | None = None,
) -> float:
    """Mean of `f1` over all margins from 0 to a largest margin.

    The area below the curve of `f1_curve` up to ``margin``, divided by ``margin``, which is the largest error that is
    acceptable. In [0, 1], best 1, symmetric, O(r s) at worst. Nearer cuts score higher, and the value changes
    continuously with the cuts. With margin 0 the value equals `f1`; margins above n count as n. The value is 1 if
    neither side has a cut, and 0 if only one side has cuts.

    >>> f1_area([10, 30, 60], [12, 33, 50], n=100, margin=10)
    0.5

    Reference: ``docs/curves.md``.
    """
    return _core.f1_area(truth, pred, n, duration, margin, relative_margin)
