"""Errors in annotated regions over all penalties: the ROC curve of a detector.

Most detectors have a penalty: the larger the penalty, the fewer cuts. A path is what a detector predicts on one series
for each penalty. `segscore.analysis.regions` explains the regions and their errors.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple

from .. import arguments
from ..segmentation.segmentation import Cuts
from ..showing import Result, Shown, Table, number_text
from .regions import REGION_KINDS, Region, checked_regions, errors_in, exact_sum, shortest

__all__ = ["LabelRoc", "label_roc"]


class RocPoint(NamedTuple):
    """Errors of all series together, from one factor of the penalties up to the next factor."""

    factor: float
    false_positives: float
    false_negatives: float
    false_positive_rate: float
    true_positive_rate: float
    log_factor: float  # finite also where the factor itself is too large or too small for a float

    @property
    def factor_text(self) -> str:
        """The factor as text, as a power of e where it is too large or too small for a float."""
        is_float = 0 < self.factor < math.inf or self.log_factor == -math.inf
        return f"{self.factor:g}" if is_float else f"exp({self.log_factor:g})"


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
        logarithms = [point.log_factor for point in self.points[1:]]
        widths = (b - a for a, b in pairwise(logarithms))
        return math.fsum(errors * width for errors, width in zip(least[1:-1], widths, strict=True))

    def to_dict(self) -> dict[str, Any]:
        """Return the points and both areas as plain Python objects."""
        return {"auc": self.auc, "aum": self.aum, "points": [point._asdict() for point in self.points]}

    def _table(self) -> tuple[type[RocPoint], Iterable[RocPoint]]:
        return RocPoint, self.points

    def _shown(self) -> Shown:
        best = self.best
        fewest = number_text(best.false_positives + best.false_negatives)
        line = f"AUC {self.auc:.4f}, AUM {self.aum:.4f}, fewest errors {fewest} from factor {best.factor_text}"
        rows = [
            (p.factor_text, *map(number_text, p[1:3]), *(f"{rate:.4f}" for rate in p[3:5])) for p in self.points[:20]
        ]
        names = ("from factor", "false positives", "false negatives", "false positive rate", "true positive rate")
        return Shown([line], names, "rrrrr", rows, most=20, number=len(self.points))


def label_roc(
    paths: Mapping[str, Iterable[tuple[float, Cuts]]],
    regions: Mapping[str, Iterable[Region]],
    *,
    n: Mapping[str, int] | None = None,
    duration: Mapping[str, float] | None = None,
    predicted: Mapping[str, float] | None = None,
    log_penalty: bool = False,
) -> LabelRoc:
    """Compute the ROC curve of annotated regions over all penalties.

    ``paths`` has pairs (penalty, cuts) for each series. The cuts are the prediction from this penalty up to the next
    penalty; the cuts of the first penalty, which may be 0, also hold for smaller penalties. ``n`` has the length of
    each series, or ``duration`` if the cuts are times. ``predicted`` is the penalty that a model predicts for each
    series, 1 by default. All predicted penalties are multiplied by one factor, which runs from 0 to infinity. Every
    series of ``regions`` needs a path. With ``log_penalty=True`` the penalties of ``paths`` and ``predicted`` are
    natural logarithms, as penaltyLearning stores them; -inf stands for the penalty 0. The cost is O(K log K) for K
    predictions, besides counting their errors. `label_rocs` computes the curves of all methods of a table.

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
    if (n is None) == (duration is None):
        found = "are both missing" if n is None else "exclude each other"
        raise TypeError(f"n= and duration= {found}; expected one of them, with the length of each series")
    arguments.flag(log_penalty, "log_penalty")
    log_penalty = bool(log_penalty)  # not that of numpy
    length = "duration" if n is None else "n"
    of_series: dict[str, Any] = {"paths": paths, "regions": regions, length: duration if n is None else n}
    if predicted is not None:
        of_series["predicted"] = predicted
    for name, given in of_series.items():
        if not isinstance(given, Mapping):
            raise TypeError(f"{name} is {type(given).__name__}; expected a mapping from the names of series")
    if not paths:
        raise ValueError("paths is empty; expected at least one series")
    for series in regions:
        if series not in paths:
            raise ValueError(f"series {series!r:.40} has regions but no path; expected a path of each such series")
    # Factor or its logarithm, change of false positives, change of false negatives
    events: list[tuple[float, Any, Any]] = []
    totals: list[Any] = [0, 0, 0, 0]  # errors at factor 0, and possible errors: false positives and false negatives
    for series, path in paths.items():
        for name, what in (("regions", "regions"), (length, "length"), ("predicted", "predicted penalty")):
            if series not in of_series.get(name, paths):
                argument = name if name == "regions" else f"{name}="
                raise ValueError(f"series {series!r:.40} has no {what}; expected {argument} of each series of paths")
        own = checked_regions(regions[series], f"regions[{series!r}]", n is None)
        at = float(not log_penalty) if predicted is None else _penalty(predicted[series], series, log_penalty)
        known = (None if n is None else n[series], None if duration is None else duration[series])
        before = None
        for penalty, cuts in _models(path, series, log_penalty):
            try:
                rows = errors_in(own, cuts, *known).rows
            except (ValueError, TypeError) as error:
                raise type(error)(f"series {series!r:.40}, penalty {penalty}: {error}") from None
            now = [exact_sum(row.weight for row in rows if row[of]) for of in (4, 5)]
            if before is None:
                possible = [
                    exact_sum(row.weight for row in rows if REGION_KINDS[row.kind][1] < math.inf),
                    exact_sum(row.weight for row in rows if REGION_KINDS[row.kind][0] > 0),
                ]
                totals = [total + own for total, own in zip(totals, (*now, *possible), strict=True)]
            elif now != before:
                events.append((penalty - at if log_penalty else penalty / at, now[0] - before[0], now[1] - before[1]))
            before = now
    return LabelRoc(_points(totals, sorted(events), log_penalty))


def _models(path: Iterable[tuple[float, Cuts]], series: str, log_penalty: bool) -> list[tuple[float, Cuts]]:
    """Return the pairs (penalty, cuts) of a series by rising penalty, or raise."""
    models: dict[float, Cuts] = {}
    for k, model in enumerate(path if isinstance(path, Iterable) else [path]):
        if isinstance(model, str) or not hasattr(model, "__len__") or len(model) != 2:
            raise TypeError(f"paths[{series!r:.40}][{k}] = {model!r:.40} is not a pair; expected (penalty, cuts)")
        penalty = _penalty(model[0], series, log_penalty, or_zero=True)
        if penalty in models:
            what = f"{'log ' * log_penalty}penalty {penalty}"
            raise ValueError(f"series {series!r:.40} has the {what} twice; expected each penalty once")
        models[penalty] = model[1]
    if not models:
        raise ValueError(f"paths[{series!r:.40}] is empty; expected at least one penalty with its cuts")
    return sorted(models.items(), key=lambda model: model[0])


def _penalty(penalty: Any, series: str, log_penalty: bool, or_zero: bool = False) -> float:  # noqa: ANN401
    """Return a penalty or its logarithm, or raise; the range is limited, because factors are quotients of penalties."""
    where = f"series {series!r:.40}: {'log ' * log_penalty}penalty"
    least, zero = (-1e150, -math.inf) if log_penalty else (1e-150, 0)
    expected = f"{zero} or " * or_zero + f"a number from {least:g} to 1e+150"
    number = arguments.number(penalty, where, expected)
    if not (least <= number <= 1e150 or (or_zero and number == zero)):
        remedy = "" if log_penalty else "; for logarithms of penalties use log_penalty=True"
        raise ValueError(f"{where} = {penalty!r:.40} is out of range; expected {expected}{remedy}")
    return float(penalty)


def _points(totals: list[Any], events: list[tuple[float, Any, Any]], in_logarithms: bool) -> list[Sequence[Any]]:
    """Return the points of a curve: errors and rates, for each factor at which errors change."""
    positives, negatives, *possible = totals

    def point(factor: float, log_factor: float) -> Sequence[Any]:
        rates = (
            float(positives / possible[0]) if possible[0] else math.nan,
            float(1 - Fraction(negatives) / possible[1]) if possible[1] else math.nan,
        )
        return (factor, shortest(positives), shortest(negatives), *rates, log_factor)

    points = [point(0.0, -math.inf)]
    for k, (at, more_positives, more_negatives) in enumerate(events):
        positives, negatives = positives + more_positives, negatives + more_negatives
        if k + 1 == len(events) or events[k + 1][0] != at:
            points.append(point(_exponential(at), at) if in_logarithms else point(at, math.log(at)))
    return points


def _exponential(logarithm: float) -> float:
    try:
        return math.exp(logarithm)
    except OverflowError:
        return math.inf
