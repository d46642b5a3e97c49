"""Annotated regions: errors of predicted cuts where the number of changes is annotated.

A region is (start, end, kind), or (start, end, kind, weight), or a mapping with these names. A cut c is in the region
if start < c <= end, as in the R package penaltyLearning, where a change "between X and X + 1" is the cut c = X. The
kinds have the names of that package: ``"0changes"`` (no change; also ``"0breakpoints"`` and ``"normal"``),
``"1change"`` (exactly one change; also ``"1breakpoint"``), and ``">0changes"`` (at least one change; also
``">0breakpoints"`` and ``"breakpoint"``). Regions must not overlap.

A region has a false positive if it holds more cuts than its kind allows, and a false negative if it holds fewer. So two
cuts in a region with one change are one error, and cuts outside all regions are no errors: a perfect result says
nothing about the rest of the series. An error counts with the weight of its region, which is 1 by default.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple

from . import _core, arguments
from .segmentation import Cuts, Segmentation, known_lengths
from .showing import Result, Shown, Table

__all__ = ["LabelError", "LabelRoc", "label_error", "label_roc"]

Region = Sequence[Any] | Mapping[str, Any]  # start, end, kind and weight
Checked = tuple[float, float, str, float]

# The fewest and the most changes of each kind.
KINDS: dict[str, tuple[int, float]] = {
    **dict.fromkeys(("0changes", "0breakpoints", "normal"), (0, 0)),
    **dict.fromkeys(("1change", "1breakpoint"), (1, 1)),
    **dict.fromkeys((">0changes", ">0breakpoints", "breakpoint"), (1, math.inf)),
}


class RegionError(NamedTuple):
    """A region, the number of its cuts, whether there are too many or too few cuts, and the weight of an error."""

    start: float
    end: float
    kind: str
    cuts: int
    false_positive: bool
    false_negative: bool
    weight: float = 1


class LabelError(Result, Table):
    """Errors of predicted cuts in annotated regions: false positives and false negatives.

    ``rows`` holds one row per region, in order. A region of the kind ``"1change"`` can have too many or too few
    cuts, so it counts as a possible false positive and as a possible false negative. All numbers of errors are sums of
    the weights of regions.
    """

    __slots__ = ("rows",)

    def __init__(self, rows: Iterable[Sequence[Any]]) -> None:
        self.rows = [RegionError(*row) for row in rows]

    def __reduce__(self) -> tuple[type[LabelError], tuple[Any, ...]]:
        return LabelError, (self.rows,)

    @property
    def false_positives(self) -> float:
        """Number of regions with too many cuts."""
        return _plain(_exact(row.weight for row in self.rows if row.false_positive))

    @property
    def false_negatives(self) -> float:
        """Number of regions with too few cuts."""
        return _plain(_exact(row.weight for row in self.rows if row.false_negative))

    @property
    def possible_false_positives(self) -> float:
        """Number of regions that limit the number of changes."""
        return _plain(_exact(row.weight for row in self.rows if KINDS[row.kind][1] < math.inf))

    @property
    def possible_false_negatives(self) -> float:
        """Number of regions with at least one change."""
        return _plain(_exact(row.weight for row in self.rows if KINDS[row.kind][0] > 0))

    @property
    def errors(self) -> float:
        """Number of regions with an error."""
        return self.false_positives + self.false_negatives

    @property
    def error_rate(self) -> float:
        """Share of regions with an error; nan without regions."""
        return self.errors / _plain(_exact(row.weight for row in self.rows)) if self.rows else math.nan

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers of errors and the rows as plain Python objects."""
        names = ("false_positives", "possible_false_positives", "false_negatives", "possible_false_negatives")
        return {**{name: getattr(self, name) for name in names}, "rows": [row._asdict() for row in self.rows]}

    def _table(self) -> tuple[type[RegionError], Iterable[RegionError]]:
        return RegionError, self.rows

    def _shown(self) -> Shown:
        line = (
            f"{self.errors:g} errors in {len(self.rows)} regions: {self.false_positives:g} of "
            f"{self.possible_false_positives:g} false positives, {self.false_negatives:g} of "
            f"{self.possible_false_negatives:g} false negatives"
        )
        verdicts = ("right", "false negative", "false positive")
        is_weighted = any(row.weight != 1 for row in self.rows)
        rows = [
            (
                f"({row.start:g}, {row.end:g}]",
                row.kind,
                *((f"{row.weight:g}",) if is_weighted else ()),
                str(row.cuts),
                verdicts[2 * row.false_positive + row.false_negative],
            )
            for row in self.rows[:20]
        ]
        names = ("region", "kind", *(("weight",) if is_weighted else ()), "cuts", "verdict")
        return Shown([line], names, "llrrl" if is_weighted else "llrl", rows, most=20, number=len(self.rows))


def _exact(weights: Iterable[float]) -> Fraction | int:
    """Return a sum without rounding, so that the errors of a curve come back to 0."""
    return sum(weight if isinstance(weight, int) else Fraction(weight) for weight in weights)


def _plain(number: Fraction | int) -> float:
    return int(number) if number.denominator == 1 else float(number)


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
    >>> label_error([(6, 8, "1change", 2.5), (2, 6, "0changes")], [3], n=20).error_rate
    1.0

    Reference: Hocking et al. (2013), "Learning smoothing models of copy number profiles using breakpoint annotations".
    """
    if isinstance(pred, Segmentation) and pred.start is not None:
        raise TypeError("pred has timestamps, and regions have numbers; expected cuts as numbers (use pred.cuts)")
    in_time = known_lengths(n, duration, (pred,))[1] is not None
    return _errors(_checked(regions, "regions", in_time), pred, n, duration)


def _errors(regions: list[Checked], pred: Cuts, n: int | None, duration: float | None) -> LabelError:
    starts, ends = [region[0] for region in regions], [region[1] for region in regions]
    counts = _core.region_counts(pred, n, duration, starts, ends)
    rows = []
    for (start, end, kind, weight), count in zip(regions, counts, strict=True):
        fewest, most = KINDS[kind]
        rows.append((start, end, kind, count, count > most, count < fewest, weight))
    return LabelError(rows)


def _checked(regions: Iterable[Region], name: str, in_time: bool) -> list[Checked]:
    """Return the regions in order, or raise."""
    remedy = "expected (start, end, kind) or (start, end, kind, weight)"
    if isinstance(regions, str | Mapping) or hasattr(regions, "columns") or not isinstance(regions, Iterable):
        rows = " (of a table: .rows() in Polars, .to_records(index=False) in pandas)" * hasattr(regions, "columns")
        raise TypeError(f"{name} is {type(regions).__name__}; {remedy} for each region{rows}")
    found: list[Checked] = []
    for k, region in enumerate(regions):
        where = f"{name}[{k}]"
        if isinstance(region, Mapping):
            names = ("start", "end", "kind", "weight")
            unknown = [key for key in region if key not in names]
            absent = [key for key in names[:3] if key not in region]
            if unknown or absent:
                what = f"no {absent[0]}" if absent else f"the name {unknown[0]!r:.40}"
                raise ValueError(f"{where} has {what}; expected start, end, kind, and weight if regions have weights")
            values = [region[key] for key in names[:3]]
            weight = region.get("weight")
        elif isinstance(region, str) or not hasattr(region, "__len__") or len(region) not in (3, 4):
            text = " ".join(f"{region!r:.60}".split())
            raise TypeError(f"{where} = {text} is not a region; {remedy}")
        else:
            values = list(region)[:3]
            weight = region[3] if len(region) == 4 else None
        start, end, kind = values
        found.append((*_ends(start, end, where, in_time), _kind(kind, where), _weight(weight, where)))
    found.sort(key=lambda region: region[:2])
    for before, behind in pairwise(found):
        if behind[0] < before[1]:
            raise ValueError(
                f"{name} has a region from {behind[0]} that overlaps the region from {before[0]} to {before[1]}; "
                "expected regions that do not overlap"
            )
    return found


def _ends(start: Any, end: Any, where: str, in_time: bool) -> tuple[float, float]:  # noqa: ANN401
    """Return the start and the end of a region, or raise."""
    expected = "numbers" if in_time else "integers (or duration= for real-valued time)"
    for number in (start, end):
        is_number = hasattr(number, "__float__" if in_time else "__index__")
        if not is_number or type(number).__name__ in ("bool", "bool_"):
            raise TypeError(f"{where} goes from {start!r:.40} to {end!r:.40}; expected {expected}")
        if not in_time and not -(2**63) <= number < 2**63:
            raise ValueError(f"{where} goes from {start!r:.40} to {end!r:.40}; expected integers below 2**63")
    if not start < end:
        raise ValueError(f"{where} ends at {end} and starts at {start}; expected an end after the start")
    try:
        return (float(start), float(end)) if in_time else (int(start), int(end))
    except OverflowError:
        raise ValueError(f"{where} goes from {start!r:.40} to {end!r:.40}; expected numbers below 1e308") from None


def _kind(kind: Any, where: str) -> str:  # noqa: ANN401
    if not isinstance(kind, str) or kind not in KINDS:
        raise ValueError(f"{where} has the kind {kind!r:.40}; expected one of {', '.join(KINDS)}")
    return str(kind)


def _weight(weight: Any, where: str) -> float:  # noqa: ANN401
    """Return the weight of a region, 1 by default, or raise."""
    if weight is None:
        return 1
    expected = "a positive number"
    if not 0 < arguments.number(weight, f"the weight of {where}", expected) < math.inf:
        raise ValueError(f"the weight of {where} = {weight} is out of range; expected {expected}")
    return int(weight) if hasattr(weight, "__index__") else float(weight)


class RocPoint(NamedTuple):
    """Errors of all series together, from one factor of the penalties up to the next factor."""

    factor: float
    false_positives: float
    false_negatives: float
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
        fewest = best.false_positives + best.false_negatives
        line = f"AUC {self.auc:.4f}, AUM {self.aum:.4f}, fewest errors {fewest:g} from factor {best.factor:g}"
        rows = [
            (f"{p.factor:g}", f"{p.false_positives:g}", f"{p.false_negatives:g}", *(f"{rate:.4f}" for rate in p[3:]))
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
    which runs from 0 to infinity. Every series of ``regions`` needs a path. The cost is O(K log K) for K predictions,
    besides counting their errors.

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
    for given, name in ((paths, "paths"), (regions, "regions"), (n, "n"), (predicted, "predicted")):
        if given is not None and not isinstance(given, Mapping):
            raise TypeError(f"{name} is {type(given).__name__}; expected a mapping from the names of series")
    if not paths:
        raise ValueError("paths is empty; expected at least one series")
    for series in regions:
        if series not in paths:
            raise ValueError(f"series {series!r:.40} has regions but no path; expected a path of each such series")
    events: list[tuple[float, Any, Any]] = []  # factor, change of false positives, change of false negatives
    totals: list[Any] = [0, 0, 0, 0]  # errors at factor 0, and possible errors: false positives and false negatives
    for series, path in paths.items():
        for given, what, name in (
            (regions, "regions", "regions"),
            (n, "length", "n="),
            (predicted, "predicted penalty", "predicted="),
        ):
            if given is not None and series not in given:
                raise ValueError(f"series {series!r:.40} has no {what}; expected {name} of each series of paths")
        own = _checked(regions[series], f"regions[{series!r}]", False)
        at = 1.0 if predicted is None else _penalty(predicted[series], series)
        before = None
        for penalty, cuts in _models(path, series):
            try:
                rows = _errors(own, cuts, n[series], None).rows
            except (ValueError, TypeError) as error:
                raise type(error)(f"series {series!r:.40}, penalty {penalty}: {error}") from None
            now = [_exact(row.weight for row in rows if row[of]) for of in (4, 5)]
            if before is None:
                possible = [
                    _exact(row.weight for row in rows if KINDS[row.kind][1] < math.inf),
                    _exact(row.weight for row in rows if KINDS[row.kind][0] > 0),
                ]
                totals = [total + own for total, own in zip(totals, (*now, *possible), strict=True)]
            elif now != before:
                events.append((penalty / at, now[0] - before[0], now[1] - before[1]))
            before = now
    return LabelRoc(_points(totals, sorted(events)))


def _models(path: Iterable[tuple[float, Cuts]], series: str) -> list[tuple[float, Cuts]]:
    """Return the pairs (penalty, cuts) of a series by rising penalty, or raise."""
    models: dict[float, Cuts] = {}
    for k, model in enumerate(path if isinstance(path, Iterable) else [path]):
        if isinstance(model, str) or not hasattr(model, "__len__") or len(model) != 2:
            raise TypeError(f"paths[{series!r:.40}][{k}] = {model!r:.40} is not a pair; expected (penalty, cuts)")
        penalty = _penalty(model[0], series)
        if penalty in models:
            raise ValueError(f"series {series!r:.40} has the penalty {penalty} twice; expected each penalty once")
        models[penalty] = model[1]
    if not models:
        raise ValueError(f"paths[{series!r:.40}] is empty; expected at least one penalty with its cuts")
    return sorted(models.items(), key=lambda model: model[0])


def _penalty(penalty: Any, series: str) -> float:  # noqa: ANN401
    where, expected = f"series {series!r:.40}: penalty", "a positive number"
    if not 0 < arguments.number(penalty, where, expected) < math.inf:
        raise ValueError(f"{where} = {penalty} is out of range; expected {expected}")
    return float(penalty)


def _points(totals: list[Any], events: list[tuple[float, Any, Any]]) -> list[Sequence[Any]]:
    """Return the points of a curve: errors and rates, for each factor at which errors change."""
    positives, negatives, *possible = totals

    def point(factor: float) -> Sequence[Any]:
        rates = (
            float(positives / possible[0]) if possible[0] else math.nan,
            float(1 - Fraction(negatives) / possible[1]) if possible[1] else math.nan,
        )
        return (factor, _plain(positives), _plain(negatives), *rates)

    points = [point(0.0)]
    for k, (factor, more_positives, more_negatives) in enumerate(events):
        positives, negatives = positives + more_positives, negatives + more_negatives
        if k + 1 == len(events) or events[k + 1][0] != factor:
            points.append(point(factor))
    return points
