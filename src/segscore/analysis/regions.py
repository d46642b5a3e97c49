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

from .. import _core, arguments
from ..segmentation.segmentation import Cuts, Segmentation
from ..segmentation.sides import known_lengths
from ..showing import Result, Shown, Table, count_text, number_text

__all__ = ["REGION_KINDS", "Checked", "LabelError", "Region", "checked_regions", "errors_in", "exact_sum"]
__all__ += ["label_error", "shortest"]

Region = Sequence[Any] | Mapping[str, Any]  # start, end, kind and weight
Checked = tuple[float, float, str, float]

# The fewest and the most changes of each kind.
REGION_KINDS: dict[str, tuple[int, float]] = {
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
        return shortest(exact_sum(row.weight for row in self.rows if row.false_positive))

    @property
    def false_negatives(self) -> float:
        """Number of regions with too few cuts."""
        return shortest(exact_sum(row.weight for row in self.rows if row.false_negative))

    @property
    def possible_false_positives(self) -> float:
        """Number of regions that limit the number of changes."""
        return shortest(exact_sum(row.weight for row in self.rows if REGION_KINDS[row.kind][1] < math.inf))

    @property
    def possible_false_negatives(self) -> float:
        """Number of regions with at least one change."""
        return shortest(exact_sum(row.weight for row in self.rows if REGION_KINDS[row.kind][0] > 0))

    @property
    def errors(self) -> float:
        """Number of regions with an error."""
        return self.false_positives + self.false_negatives

    @property
    def error_rate(self) -> float:
        """Share of regions with an error; nan without regions."""
        return self.errors / shortest(exact_sum(row.weight for row in self.rows)) if self.rows else math.nan

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers of errors and the rows as plain Python objects."""
        names = ("false_positives", "possible_false_positives", "false_negatives", "possible_false_negatives")
        return {**{name: getattr(self, name) for name in names}, "rows": [row._asdict() for row in self.rows]}

    def _table(self) -> tuple[type[RegionError], Iterable[RegionError]]:
        return RegionError, self.rows

    def _shown(self) -> Shown:
        positives, possible_positives, negatives, possible_negatives = map(
            number_text,
            (
                self.false_positives,
                self.possible_false_positives,
                self.false_negatives,
                self.possible_false_negatives,
            ),
        )
        line = (
            f"{count_text(self.errors, 'error')} in {count_text(len(self.rows), 'region')}: "
            f"{positives} of {possible_positives} false positives, {negatives} of {possible_negatives} false negatives"
        )
        verdicts = ("right", "false negative", "false positive")
        is_weighted = any(row.weight != 1 for row in self.rows)
        rows = [
            (
                f"({number_text(row.start)}, {number_text(row.end)}]",
                row.kind,
                *((number_text(row.weight),) if is_weighted else ()),
                str(row.cuts),
                verdicts[2 * row.false_positive + row.false_negative],
            )
            for row in self.rows[:20]
        ]
        names = ("region", "kind", *(("weight",) if is_weighted else ()), "cuts", "verdict")
        return Shown([line], names, "llrrl" if is_weighted else "llrl", rows, most=20, number=len(self.rows))


def exact_sum(weights: Iterable[float]) -> Fraction | int:
    """Return a sum of weights without rounding, so that the errors of a curve come back to 0."""
    return sum(weight if isinstance(weight, int) else Fraction(weight) for weight in weights)


def shortest(number: Fraction | int) -> float:
    """Return a sum of weights as an int if possible, and else as a float."""
    return int(number) if number.denominator == 1 else float(number)


def label_error(
    regions: Iterable[Region], pred: Cuts, *, n: int | None = None, duration: float | None = None
) -> LabelError:
    """Count the errors of predicted cuts in annotated regions.

    The best result has no errors. The cost is O(r + L log L) for L regions. `label_errors` counts the errors of all
    methods and series of a table.

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
    known = known_lengths(n, duration, (pred,))
    return errors_in(checked_regions(regions, "regions", known[1] is not None), pred, *known)


def errors_in(regions: list[Checked], pred: Cuts, n: int | None, duration: float | None) -> LabelError:
    """Return the errors of predicted cuts in regions that `checked_regions` has returned."""
    length, name = (duration, "duration") if n is None else (n, "n")
    if length is None:
        raise TypeError("pred has no length; expected n= or duration=, or a Segmentation")
    starts, ends = [region[0] for region in regions], [region[1] for region in regions]
    counts = _core.region_counts(pred, n, duration, starts, ends)
    rows = []
    for (start, end, kind, weight), count in zip(regions, counts, strict=True):
        if end <= 0 or start >= length:
            raise ValueError(
                f"a region goes from {start} to {end}, which is outside the series; expected regions between 0 and "
                f"{name} = {length}"
            )
        fewest, most = REGION_KINDS[kind]
        rows.append((start, end, kind, count, count > most, count < fewest, weight))
    return LabelError(rows)


def checked_regions(regions: Iterable[Region], name: str, in_time: bool) -> list[Checked]:
    """Return the regions in order, or raise; ``name`` names the regions in messages."""
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
    return str(arguments.choice(kind, f"the kind of {where}", REGION_KINDS))


def _weight(weight: Any, where: str) -> float:  # noqa: ANN401
    """Return the weight of a region, 1 by default, or raise."""
    if weight is None:
        return 1
    expected = "a positive number up to 1e60"
    if not 0 < arguments.number(weight, f"the weight of {where}", expected) <= 1e60:
        raise ValueError(f"the weight of {where} = {weight} is out of range; expected {expected}")
    return int(weight) if hasattr(weight, "__index__") else float(weight)
