"""Why does my F1 differ from the F1 in a paper? The values by other libraries' conventions."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, overload

from ..scores import boundaries, edits, information, overlap, pairs, windows
from ..segmentation.lengths_of_time import counted
from ..segmentation.segmentation import Cuts, Segmentation
from ..segmentation.sides import both, refuse_labels, refuse_time
from ..showing import Result, Shown, Table, plain

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Disagreements", "disagreements"]


class Disagreement(NamedTuple):
    """The value of one library's convention, and the reason why it differs."""

    score: str
    library: str
    value: float
    cause: str


class Disagreements(Result, Table, Sequence[Disagreement]):
    """Table of the values that different libraries report, one row per score and library."""

    def __init__(self, rows: Sequence[Disagreement]) -> None:
        self._rows = tuple(rows)

    @overload
    def __getitem__(self, index: int) -> Disagreement: ...
    @overload
    def __getitem__(self, index: slice) -> Self: ...
    def __getitem__(self, index: int | slice) -> Disagreement | Self:
        return type(self)(self._rows[index]) if isinstance(index, slice) else self._rows[index]

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Disagreement]:
        return iter(self._rows)

    def of(self, score: str) -> Self:
        """Return the rows of one score."""
        return type(self)([row for row in self._rows if row.score == score])

    def to_dict(self) -> dict[str, list[dict[str, Any]]]:
        """Return the rows as plain Python objects."""
        return {"rows": plain(self._rows)}

    def _table(self) -> tuple[type[Disagreement], tuple[Disagreement, ...]]:
        return Disagreement, self._rows

    def _shown(self) -> Shown:
        rows = [(row.score, row.library, f"{row.value:.4f}", row.cause) for row in self._rows]
        return Shown([], Disagreement._fields, "llrl", rows, most=100)


def disagreements(
    truth: Cuts, pred: Cuts, *, n: int | None = None, duration: float | None = None, margin: float | None = None
) -> Disagreements:
    """Compute what each library's convention reports for one pair, with the reason.

    The first row of each score is segscore's own. Scores at a margin appear only if ``margin=`` is given. The numbers
    are those of ``segscore.compat``; for libraries without a module there, segscore applies their rule. Where a library
    fails, the value is what it should have returned, or nan. The value of pyannote is nan if more than a million pairs
    of cuts lie within the margin. Some libraries take a label or a mark per point, so n is at most 10**7, and
    ``duration=`` is refused: round times to points first.

    >>> disagreements([10, 14], [6, 13], n=100, margin=5).of("f1")
    score  library          value  cause
    f1     segscore        1.0000  maximum matching; the margin is included
    f1     ruptures        0.5000  the margin is excluded; a true cut uses up all predictions near it
    f1     TCPDBench       0.6667  a cut at 0 is added to both sides; matches in the order of a Python set
    f1     mir_eval        1.0000  the start and the end count as cuts
    f1     mir_eval, trim  1.0000  the start and the end do not count; 0 if either side has no cut
    f1     sktime          1.0000  the margin is excluded on the left; a prediction may be used several times
    f1     skchange        1.0000  each prediction tries only its nearest true cut
    f1     pyannote        1.0000  the closest pairs are matched first
    f1     tsseg           0.5000  each true cut in turn takes the nearest prediction that is still free
    """
    refuse_labels("disagreements", truth, pred)
    left, right = both(truth, pred, n, duration)
    refuse_time("disagreements", left)
    if left.n > 10**7:
        raise ValueError(f"n = {left.n} is too long for libraries that take a label per point; expected n <= 10**7")
    margin = counted(margin, "margin", left, right)
    if margin is not None:
        boundaries.f1(left, right, margin=margin)  # raises for an invalid margin
    conventions = _conventions(left, right, None if margin is None else float(margin))
    return Disagreements(
        [Disagreement(score, library, _value_or_nan(compute), cause) for score, library, cause, compute in conventions]
    )


def _value_or_nan(compute: Callable[[], Any]) -> float:
    try:
        return float(compute())
    except (ArithmeticError, ValueError):
        return math.nan


def _conventions(
    truth: Segmentation, pred: Segmentation, margin: float | None
) -> Iterator[tuple[str, str, str, Callable[[], Any]]]:
    """Yield per row the score, the library, the cause and a function that computes the value."""
    from . import aeon, mir_eval, nltk, ruptures, segeval, sklearn, tcpdbench

    n = truth.n
    ends = truth.to_ends(), pred.to_ends()
    labels = truth.to_labels(), pred.to_labels()
    cuts = truth.cuts, pred.cuts
    intervals = truth.to_intervals(), pred.to_intervals()
    numbers = list(map(str, range(len(truth)))), list(map(str, range(len(pred))))

    def framed(score: Callable[..., Any]) -> Any:  # noqa: ANN401
        return score(intervals[0], numbers[0], intervals[1], numbers[1], frame_size=1.0)

    if margin is not None:
        strict = "the margin is excluded; a true cut uses up all predictions near it"
        own = "maximum matching; the margin is included"
        yield "f1", "segscore", own, lambda: boundaries.f1(truth, pred, margin=margin)
        yield "f1", "ruptures", strict, lambda: _f1(*ruptures.precision_recall(*ends, margin))
        added = "a cut at 0 is added to both sides; matches in the order of a Python set"
        yield "f1", "TCPDBench", added, lambda: tcpdbench.f_measure({1: cuts[0]}, cuts[1], margin=margin)
        counted = "the start and the end count as cuts"
        yield "f1", "mir_eval", counted, lambda: mir_eval.segment.detection(*intervals, window=margin)[2]
        left_out = "the start and the end do not count; 0 if either side has no cut"
        yield "f1", "mir_eval, trim", left_out, lambda: mir_eval.segment.detection(*intervals, margin, trim=True)[2]
        for library, (cause, rule) in _RULES.items():
            yield "f1", library, cause, partial(rule, *cuts, margin)
    yield "rand_index", "segscore", "rounded once", lambda: pairs.rand_index(truth, pred)
    yield "rand_index", "ruptures", "1 - d / T, rounded twice", lambda: ruptures.randindex(*ends)
    yield "rand_index", "scikit-learn", "from one label per point", lambda: sklearn.rand_score(*labels)
    sampled = "from frames of 1 point; the value depends on the size of the frames"
    yield "rand_index", "mir_eval", sampled, lambda: framed(mir_eval.segment.rand_index)
    yield (
        "fowlkes_mallows_index",
        "segscore",
        "1 for identical segmentations",
        lambda: pairs.fowlkes_mallows_index(truth, pred),
    )
    alone = "0 if no pair is together on both sides, even for identical segmentations"
    yield "fowlkes_mallows_index", "scikit-learn", alone, lambda: sklearn.fowlkes_mallows_score(*labels)
    name = "normalized_mutual_information"
    yield (
        name,
        "segscore",
        "divided by the arithmetic mean of the entropies",
        lambda: information.normalized_mutual_information(truth, pred),
    )
    yield (
        name,
        "scikit-learn",
        "divided by the arithmetic mean of the entropies",
        lambda: sklearn.normalized_mutual_info_score(*labels),
    )
    yield (
        name,
        "mir_eval",
        "divided by the geometric mean of the entropies",
        lambda: framed(mir_eval.segment.mutual_information)[2],
    )
    largest = "divided by the larger entropy"
    yield name, "aricode", largest, lambda: information.normalized_mutual_information(truth, pred, average="max")
    yield "v_measure", "segscore", "1 if neither side has a cut", lambda: information.v_measure(truth, pred)
    yield "v_measure", "scikit-learn", "1 if neither side has a cut", lambda: sklearn.v_measure_score(*labels)
    yield "v_measure", "mir_eval", "0 if either side has no cut", lambda: framed(mir_eval.segment.vmeasure)[2]
    yield (
        "hausdorff",
        "segscore",
        "0 if neither side has a cut, inf if only one side has cuts",
        lambda: boundaries.hausdorff(truth, pred),
    )
    yield "hausdorff", "ruptures", "fails if a side has no cut", lambda: ruptures.hausdorff(*ends)
    given_n = "every number counts as a cut; here n too, as ruptures writes it"
    yield "hausdorff", "aeon, with n", given_n, lambda: aeon.hausdorff_error(*ends)
    yield (
        "covering",
        "segscore",
        "of the true segments by the predicted segments",
        lambda: overlap.covering(truth, pred),
    )
    reverse = "of the predicted segments by the true segments: arguments swapped"
    yield "covering", "swapped", reverse, lambda: overlap.covering(pred, truth)
    yield (
        "covering",
        "TCPDBench",
        "of the true segments by the predicted segments",
        lambda: tcpdbench.covering({1: cuts[0]}, cuts[1], n),
    )
    yield (
        "coverage",
        "pyannote",
        "also called coverage: the largest overlap, not divided by the union",
        lambda: overlap.coverage(truth, pred),
    )
    marks = [["1" if mark else "0" for mark in side.to_mask()[1:]] for side in (truth, pred)]
    closed = [[*side, "1"] for side in marks]
    lengths = pred.lengths, truth.lengths
    half = "the window is half the mean true segment; n - k windows"
    yield "pk", "segscore", half, lambda: windows.pk(truth, pred)
    yield "pk", "segeval", "the same window; the hypothesis is passed first", lambda: segeval.pk(*lengths)
    yield (
        "pk",
        "segeval, swapped",
        "the reference is passed first, so the window comes from the prediction",
        lambda: segeval.pk(*lengths[::-1]),
    )
    yield (
        "pk",
        "nltk",
        "one mark per gap; the window is computed from the number of marks",
        lambda: nltk.pk(marks[0], marks[1]),
    )
    yield (
        "pk",
        "nltk, with end",
        "also a mark for the end, so the window may differ",
        lambda: nltk.pk(closed[0], closed[1]),
    )
    yield "window_diff", "segscore", half, lambda: windows.window_diff(truth, pred)
    yield (
        "window_diff",
        "segeval",
        "the same window; the hypothesis is passed first",
        lambda: segeval.window_diff(*lengths),
    )
    fixed = "the windows also run over both ends (Lamprier et al. 2007)"
    yield "window_diff", "segeval, fixed", fixed, lambda: segeval.window_diff(*lengths, lamprier_et_al_2007_fix=True)
    yield (
        "boundary_similarity",
        "segscore",
        "1 if neither side has a cut",
        lambda: edits.boundary_similarity(truth, pred),
    )
    yield (
        "boundary_similarity",
        "segeval",
        "fails if neither side has a cut",
        lambda: segeval.boundary_similarity(*lengths),
    )


def _f1(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def _of_found(found: int, truth: list[int], pred: list[int]) -> float:
    if not truth or not pred:
        return float(not truth and not pred)
    return _f1(found / len(pred), found / len(truth))


def _sktime(truth: list[int], pred: list[int], margin: float) -> float:
    found = sum(bisect_right(pred, cut + margin) > bisect_right(pred, cut - margin) for cut in truth)
    return _of_found(found, truth, pred)


def _skchange(truth: list[int], pred: list[int], margin: float) -> float:
    tried = {near for cut in pred if truth and abs((near := _nearest(truth, cut)) - cut) <= margin}
    return _of_found(len(tried), truth, pred)


def _pyannote(truth: list[int], pred: list[int], margin: float) -> float:
    near = []
    for i, cut in enumerate(truth):
        reach = range(bisect_left(pred, cut - margin), bisect_right(pred, cut + margin))
        near += [(abs(cut - pred[j]), i, j) for j in reach]
        if len(near) > 10**6:  # pyannote tries all pairs, which would take too long
            return math.nan
    used: tuple[set[int], set[int]] = set(), set()
    for _, i, j in sorted(near):
        if i not in used[0] and j not in used[1]:
            used[0].add(i)
            used[1].add(j)
    return _of_found(len(used[0]), truth, pred)


def _tsseg(truth: list[int], pred: list[int], margin: float) -> float:
    left = pred.copy()
    order = {cut: place for place, cut in enumerate(set(pred))}  # ties go to the first cut of the set
    for cut in truth:
        if left and abs((near := _nearest(left, cut, order)) - cut) <= margin:
            left.remove(near)
    return _of_found(len(pred) - len(left), truth, pred)


def _nearest(cuts: list[int], cut: int, order: Mapping[int, int] | None = None) -> int:
    """Return the nearest of sorted cuts; ties go to the left, or to the first in ``order``."""
    place = bisect_left(cuts, cut)
    return min(cuts[max(0, place - 1) : place + 1], key=lambda other: (abs(other - cut), order[other] if order else 0))


_RULES: dict[str, tuple[str, Callable[[list[int], list[int], float], float]]] = {
    "sktime": ("the margin is excluded on the left; a prediction may be used several times", _sktime),
    "skchange": ("each prediction tries only its nearest true cut", _skchange),
    "pyannote": ("the closest pairs are matched first", _pyannote),
    "tsseg": ("each true cut in turn takes the nearest prediction that is still free", _tsseg),
}
