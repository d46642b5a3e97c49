"""Annotated regions: errors of predicted cuts where the number of changes is annotated.

A region is (start, end, kind). A cut c is in the region if start < c <= end, as in the R package penaltyLearning, where
a change "between X and X + 1" is the cut c = X. The kinds have the names of that package: ``"0changes"`` (or
``"normal"``), ``"1change"``, and ``">0changes"`` (or ``"breakpoint"``), which holds at least one change. Regions must
not overlap.

A region has a false positive if it holds more cuts than its kind allows, and a false negative if it holds fewer. So two
cuts in a region with one change are one error, and cuts outside all regions are no errors: a perfect result says
nothing about the rest of the series.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from . import _core
from .segmentation import Cuts
from .showing import Result, Shown, Table

__all__ = ["LabelError", "LabelRoc", "label_error", "label_roc"]

Region = tuple[float, float, str]  # start, end, kind

# The fewest and the most changes of each kind.
KINDS: dict[str, tuple[int, float]] = {
    "0changes": (0, 0),
    "1change": (1, 1),
    ">0changes": (1, math.inf),
    "normal": (0, 0),
    "breakpoint": (1, math.inf),
}


class RegionError(NamedTuple):
    """A region, the number of its cuts, and whether there are too many or too few cuts."""

    start: float
    end: float
    kind: str
    cuts: int
    false_positive: bool
    false_negative: bool


class LabelError(Result, Table):
    """Errors of predicted cuts in annotated regions: false positives and false negatives.

    ``rows`` holds one row per region, in order. A region of the kind ``"1change"`` can have too many or too few
    cuts, so it counts as a possible false positive and as a possible false negative.
    """

    __slots__ = ("rows",)

    def __init__(self, rows: Iterable[Sequence[Any]]) -> None:
        self.rows = [RegionError(*row) for row in rows]

    def __reduce__(self) -> tuple[type[LabelError], tuple[Any, ...]]:
        return LabelError, (self.rows,)

    @property
    def false_positives(self) -> int:
        """Number of regions with too many cuts."""
        return sum(row.false_positive for row in self.rows)

    @property
    def false_negatives(self) -> int:
        """Number of regions with too few cuts."""
        return sum(row.false_negative for row in self.rows)

    @property
    def possible_false_positives(self) -> int:
        """Number of regions that limit the number of changes."""
        return sum(KINDS[row.kind][1] < math.inf for row in self.rows)

    @property
    def possible_false_negatives(self) -> int:
        """Number of regions with at least one change."""
        return sum(KINDS[row.kind][0] > 0 for row in self.rows)

    @property
    def errors(self) -> int:
        """Number of regions with an error."""
        return self.false_positives + self.false_negatives

    @property
    def error_rate(self) -> float:
        """Share of regions with an error; nan without regions."""
        return self.errors / len(self.rows) if self.rows else math.nan

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers of errors and the rows as plain Python objects."""
        names = ("false_positives", "possible_false_positives", "false_negatives", "possible_false_negatives")
        return {**{name: getattr(self, name) for name in names}, "rows": [row._asdict() for row in self.rows]}

    def _table(self) -> tuple[type[RegionError], Iterable[RegionError]]:
        return RegionError, self.rows

    def _shown(self) -> Shown:
        line = (
            f"{self.errors} errors in {len(self.rows)} regions: {self.false_positives} of "
            f"{self.possible_false_positives} false positives, {self.false_negatives} of "
            f"{self.possible_false_negatives} false negatives"
        )
        verdicts = ("right", "false negative", "false positive")
        rows = [
            (f"({r.start:g}, {r.end:g}]", r.kind, str(r.cuts), verdicts[2 * r.false_positive + r.false_negative])
            for r in self.rows[:20]
        ]
        return Shown([line], ("region", "kind", "cuts", "verdict"), "llrl", rows, most=20, number=len(self.rows))


def label_error(
    regions: Iterable[Region], pred: Cuts, *, n: int | None = None, duration: float | None = None
) -> LabelError:
    """Count the errors of predicted cuts in annotated regions.

    The best result has no errors. The cost is O(r + L log L) for L regions.

    >>> label_error([(6, 8, "1change"), (2, 6, "0changes")], [6, 11, 17], n=20)
    2 errors in 2 regions: 1 of 2 false positives, 1 of 1 false negatives
    region  kind      cuts  verdict
    (2, 6]  0changes     1  false positive
    (6, 8]  1change      0  false negative

    Reference: Hocking et al. (2013), "Learning smoothing models of copy number profiles using breakpoint annotations".
    """
    return _errors(_checked(regions, "regions", duration is not None), pred, n, duration)


def _errors(regions: list[Region], pred: Cuts, n: int | None, duration: float | None) -> LabelError:
    starts, ends = [start for start, _, _ in regions], [end for _, end, _ in regions]
    counts = _core.region_counts(pred, n, duration, starts, ends)
    rows = []
    for (start, end, kind), count in zip(regions, counts, strict=True):
        fewest, most = KINDS[kind]
        rows.append((start, end, kind, count, count > most, count < fewest))
    return LabelError(rows)


def _checked(regions: Iterable[Region], name: str, in_time: bool) -> list[Region]:
    """Return the regions in order, or raise."""
    found: list[Region] = []
    for k, region in enumerate(regions):
        if isinstance(region, str) or not hasattr(region, "__len__") or len(region) != 3:
            raise TypeError(f"{name}[{k}] = {region!r:.60} is not a region; expected (start, end, kind)")
        start, end, kind = region
        for number in (start, end):
            if not hasattr(number, "__float__" if in_time else "__index__"):
                expected = "numbers" if in_time else "integers (or duration= for real-valued time)"
                raise TypeError(f"{name}[{k}] goes from {start!r:.40} to {end!r:.40}; expected {expected}")
        if kind not in KINDS:
            raise ValueError(f"{name}[{k}] has the kind {kind!r:.40}; expected one of {', '.join(KINDS)}")
        if not start < end:
            raise ValueError(f"{name}[{k}] ends at {end} and starts at {start}; expected an end after the start")
        found.append((start, end, kind))
    found.sort(key=lambda region: region[:2])
    for before, behind in pairwise(found):
        if behind[0] < before[1]:
            raise ValueError(
                f"{name} has a region from {behind[0]} that overlaps the region from {before[0]} to {before[1]}; "
                "expected regions that do not overlap"
            )
    return found


class RocPoint(NamedTuple):
    """Errors of all series together, from one factor of the penalties up to the next factor."""

    factor: float
    false_positives: int
    false_negatives: int
    false_positive_rate: float
    true_positive_rate: float


class LabelRoc(Result, Table):
    """False and true positive rates in annotated regions, over all factors of the penalties.

    ``points`` holds one point per interval of the factor that multiplies all predicted penalties, from factor 0 up.
    ``auc`` is the area below the curve by trapezoids. A curve need not be monotone, so ``auc`` may be outside [0, 1].
    ``aum`` is the area under the smaller of the two error counts, false positives and false negatives, over the
    logarithm of the factor. The best value is 0; the value is inf if both counts are positive at an end of the curve.
    """

    __slots__ = ("auc", "aum", "points")

    def __init__(self, points: Iterable[Sequence[Any]]) -> None:
        self.points = [RocPoint(*point) for point in points]
        self.auc = self._area()
        self.aum = self._minimum()

    def __reduce__(self) -> tuple[type[LabelRoc], tuple[Any, ...]]:
        return LabelRoc, (self.points,)

    @property
    def best(self) -> RocPoint:
        """The point with the fewest errors; ties go to the smallest factor."""
        return min(self.points, key=lambda point: point.false_positives + point.false_negatives)

    def _area(self) -> float:
        curve = [(point.false_positive_rate, point.true_positive_rate) for point in self.points]
        if math.hypot(*curve[0]) > math.hypot(*curve[-1]):
            curve.reverse()
        curve = [*([] if curve[0] == (0, 0) else [(0.0, 0.0)]), *curve, *([] if curve[-1] == (1, 1) else [(1.0, 1.0)])]
        return math.fsum((x - u) * (y + v) / 2 for (u, v), (x, y) in pairwise(curve))

    def _minimum(self) -> float:
        least = [min(point.false_positives, point.false_negatives) for point in self.points]
        if least[0] or least[-1]:
            return math.inf
        logarithms = [math.log(point.factor) for point in self.points[1:]]
        widths = (b - a for a, b in pairwise(logarithms))
        return math.fsum(errors * width for errors, width in zip(least[1:-1], widths, strict=True))

    def to_dict(self) -> dict[str, Any]:
        """Return the points and both areas as plain Python objects."""
        return {"auc": self.auc, "aum": self.aum, "points": [point._asdict() for point in self.points]}

    def _table(self) -> tuple[type[RocPoint], Iterable[RocPoint]]:
        return RocPoint, self.points

    def _shown(self) -> Shown:
        best = self.best
        line = (
            f"AUC {self.auc:.4f}, AUM {self.aum:.4f}, fewest errors {best.false_positives + best.false_negatives} from "
            f"factor {best.factor:g}"
        )
        rows = [
            (f"{p.factor:g}", str(p.false_positives), str(p.false_negatives), *(f"{rate:.4f}" for rate in p[3:]))
            for p in self.points[:20]
        ]
        names = ("from factor", "false positives", "false negatives", "false positive rate", "true positive rate")
        return Shown([line], names, "rrrrr", rows, most=20, number=len(self.points))


def label_roc(
    paths: Mapping[str, Iterable[tuple[float, Cuts]]],
    regions: Mapping[str, Iterable[Region]],
    *,
    n: Mapping[str, int],
    predicted: Mapping[str, float] | None = None,
) -> LabelRoc:
    """Compute the ROC curve of annotated regions over all penalties.

    ``paths`` has pairs (penalty, cuts) for each series. Penalties are positive. The cuts are the prediction from this
    penalty up to the next penalty; the cuts of the first penalty also hold for smaller penalties. ``predicted`` is the
    penalty that a model predicts for each series, 1 by default. All predicted penalties are multiplied by one factor,
    which runs from 0 to infinity. The cost is O(K log K) for K predictions, besides counting their errors.

    >>> paths = {"a": [(1, [3, 7]), (10, [7]), (100, [])]}
    >>> label_roc(paths, {"a": [(6, 8, "1change"), (2, 6, "0changes")]}, n={"a": 20})
    AUC 1.0000, AUM 0.0000, fewest errors 0 from factor 10
    from factor  false positives  false negatives  false positive rate  true positive rate
              0                1                0               0.5000              1.0000
             10                0                0               0.0000              1.0000
            100                0                1               0.0000              0.0000

    Reference: Hocking et al., penaltyLearning (R package), ROChange; Hillman & Hocking (2023) for the area under the
    minimum.
    """
    events: list[tuple[float, int, int]] = []  # factor, change of false positives, change of false negatives
    start = [0, 0]
    possible = [0, 0]
    for series, path in paths.items():
        for given, what, name in (
            (regions, "regions", "regions"),
            (n, "length", "n="),
            (predicted, "predicted penalty", "predicted="),
        ):
            if given is not None and series not in given:
                raise ValueError(f"series {series!r:.40} has no {what}; expected {name} of each series of paths")
        own = _checked(regions[series], f"regions[{series!r}]", False)
        at = 1.0 if predicted is None else predicted[series]
        models = sorted(((penalty, cuts) for penalty, cuts in path), key=lambda model: model[0])
        if not models:
            raise ValueError(f"paths[{series!r:.40}] is empty; expected at least one penalty with its cuts")
        for penalty in (at, *(penalty for penalty, _ in models)):
            if not 0 < penalty < math.inf:
                raise ValueError(f"series {series!r:.40} has the penalty {penalty}; expected a positive number")
        before = None
        for penalty, cuts in models:
            errors = _errors(own, cuts, n[series], None)
            now = (errors.false_positives, errors.false_negatives)
            if before is None:
                start = [start[0] + now[0], start[1] + now[1]]
                possible[0] += errors.possible_false_positives
                possible[1] += errors.possible_false_negatives
            elif now != before:
                events.append((penalty / at, now[0] - before[0], now[1] - before[1]))
            before = now
    if not paths:
        raise ValueError("paths is empty; expected at least one series")
    return LabelRoc(_points(start, sorted(events), possible))


def _points(start: list[int], events: list[tuple[float, int, int]], possible: list[int]) -> list[Sequence[Any]]:
    """Return the points of a curve: errors and rates, for each factor at which errors change."""

    def point(factor: float, positives: int, negatives: int) -> Sequence[Any]:
        rates = (
            positives / possible[0] if possible[0] else math.nan,
            1 - negatives / possible[1] if possible[1] else math.nan,
        )
        return (factor, positives, negatives, *rates)

    positives, negatives = start
    points = [point(0.0, positives, negatives)]
    for k, (factor, more_positives, more_negatives) in enumerate(events):
        positives, negatives = positives + more_positives, negatives + more_negatives
        if k + 1 == len(events) or events[k + 1][0] != factor:
            points.append(point(factor, positives, negatives))
    return points
