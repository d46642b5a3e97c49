"""mir_eval.segment: intervals in seconds, shape (segments, 2), with a label each.

The boundary scores count the start and the end of the track as boundaries unless ``trim=True``. The structure scores
sample the labels, in lower case, every ``frame_size`` seconds, and compare the frames as clusters. Here only the
placement of the frames costs time in proportion to their number; the rest depends on the number of segments.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ...scores import information
from ...showing import count_text
from ..contingency import Table
from ..distances import nearest

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = [
    "ari",
    "detection",
    "deviation",
    "evaluate",
    "mutual_information",
    "nce",
    "pairwise",
    "rand_index",
    "vmeasure",
]

Labels = Sequence[Any]
Three = tuple[float, float, float]


def detection(
    reference_intervals: ArrayLike,
    estimated_intervals: ArrayLike,
    window: float = 0.5,
    beta: float = 1.0,
    trim: bool = False,
) -> Three:
    """Precision, recall and F of boundaries matched one to one, at most ``window`` apart.

    >>> detection([[0, 5], [5, 9]], [[0, 5.4], [5.4, 9]])
    (1.0, 1.0, 1.0)
    """
    reference, estimated = _boundaries(reference_intervals, trim), _boundaries(estimated_intervals, trim)
    if reference.size == 0 or estimated.size == 0:
        return 0.0, 0.0, 0.0
    # The windows are in the order of their boundaries, so the earliest free boundary is the best choice.
    found = place = 0
    times = reference.tolist()
    for low, high in zip((estimated - window).tolist(), (estimated + window).tolist(), strict=True):
        while place < len(times) and times[place] < low:
            place += 1
        if place < len(times) and times[place] <= high:
            found += 1
            place += 1
    precision, recall = found / estimated.size, found / reference.size
    return precision, recall, _f_measure(precision, recall, beta)


def deviation(
    reference_intervals: ArrayLike, estimated_intervals: ArrayLike, trim: bool = False
) -> tuple[float, float]:
    """Median distances from reference boundaries to the nearest estimate, and back.

    >>> deviation([[0, 5], [5, 9]], [[0, 5.5], [5.5, 9]])
    (0.0, 0.0)
    """
    import numpy as np

    reference, estimated = _boundaries(reference_intervals, trim), _boundaries(estimated_intervals, trim)
    if reference.size == 0 or estimated.size == 0:
        return math.nan, math.nan
    return float(np.median(nearest(reference, estimated))), float(np.median(nearest(estimated, reference)))


def pairwise(
    reference_intervals: ArrayLike,
    reference_labels: Labels,
    estimated_intervals: ArrayLike,
    estimated_labels: Labels,
    frame_size: float = 0.1,
    beta: float = 1.0,
) -> Three:
    """Precision, recall and F of the pairs of frames with the same label."""
    table = _frames(reference_intervals, reference_labels, estimated_intervals, estimated_labels, frame_size)
    if table is None:
        return 0.0, 0.0, 0.0
    _, estimated_only, reference_only, both = table.ordered_pairs()
    reference, estimated = both + reference_only, both + estimated_only
    precision = both / estimated if estimated else float(reference == 0)
    recall = both / reference if reference else float(estimated == 0)
    return precision, recall, _f_measure(precision, recall, beta)


def rand_index(
    reference_intervals: ArrayLike,
    reference_labels: Labels,
    estimated_intervals: ArrayLike,
    estimated_labels: Labels,
    frame_size: float = 0.1,
    beta: float = 1.0,
) -> float:
    """Rand Index of the frames; ``beta`` has no effect.

    >>> round(rand_index([[0, 5], [5, 10]], ["a", "b"], [[0, 3], [3, 10]], ["a", "b"], frame_size=1.0), 4)
    0.6444
    """
    table = _frames(reference_intervals, reference_labels, estimated_intervals, estimated_labels, frame_size)
    if table is None:
        return 0.0
    apart, estimated_only, reference_only, both = table.ordered_pairs()
    total = apart + estimated_only + reference_only + both
    return (apart + both) / total if total else 1.0


def ari(
    reference_intervals: ArrayLike,
    reference_labels: Labels,
    estimated_intervals: ArrayLike,
    estimated_labels: Labels,
    frame_size: float = 0.1,
) -> float:
    """Adjusted Rand Index of the frames."""
    table = _frames(reference_intervals, reference_labels, estimated_intervals, estimated_labels, frame_size)
    if table is None:
        return 0.0
    _, estimated_only, reference_only, both = (pairs // 2 for pairs in table.ordered_pairs())
    if estimated_only == 0 and reference_only == 0:
        return 1.0
    reference, estimated, total = both + reference_only, both + estimated_only, table.n * (table.n - 1) // 2
    expected = (reference * estimated) / total
    return (both - expected) / ((estimated + reference) / 2.0 - expected)


def mutual_information(
    reference_intervals: ArrayLike,
    reference_labels: Labels,
    estimated_intervals: ArrayLike,
    estimated_labels: Labels,
    frame_size: float = 0.1,
) -> Three:
    """Mutual information of the frames: in nats, adjusted for chance, and normalised.

    The adjusted value uses the larger of the two entropies, the normalised value their geometric mean.
    """
    table = _frames(reference_intervals, reference_labels, estimated_intervals, estimated_labels, frame_size)
    if table is None:
        return 0.0, 0.0, 0.0
    mutual = float(table.mutual_information().sum()) if table.n else 0.0
    if table.truth.size < 2 and table.pred.size < 2:
        return mutual, 1.0, 1.0
    reference, estimated = table.entropies()
    adjusted = information.adjusted_mutual_information(*table.segmentations(), average="max")
    return mutual, adjusted, mutual / max(math.sqrt(reference * estimated), 1e-10)


def nce(
    reference_intervals: ArrayLike,
    reference_labels: Labels,
    estimated_intervals: ArrayLike,
    estimated_labels: Labels,
    frame_size: float = 0.1,
    beta: float = 1.0,
    marginal: bool = False,
) -> Three:
    """Normalised conditional entropies, each as 1 - H / max H, and their F.

    The first, for over-segmentation, divides H(estimated | reference) by the logarithm of the number of estimated
    labels, or by their entropy with ``marginal=True``. The second, for under-segmentation, exchanges the two sides.
    """
    import numpy as np

    table = _frames(reference_intervals, reference_labels, estimated_intervals, estimated_labels, frame_size)
    if table is None:
        return 0.0, 0.0, 0.0
    if table.n == 0:
        return 0.0, 0.0, 0.0
    shares = table.cells / table.n
    of_reference, of_estimated = (np.bincount(side, weights=shares) for side in (table.row, table.column))

    def left(given: NDArray[Any], of_given: NDArray[Any]) -> float:
        """Return the entropy in bits that is left of one side, given the other."""
        within = shares / of_given[given]
        return float(of_given.dot(np.bincount(given, weights=-within * np.log(within)) / np.log(2)))

    def entropy(of_side: NDArray[Any]) -> float:
        of_side = of_side / of_side.sum()
        return float(-(of_side * np.log(of_side)).sum() / np.log(2))

    reference_left, estimated_left = left(table.column, of_estimated), left(table.row, of_reference)
    if marginal:
        most_reference, most_estimated = entropy(of_reference), entropy(of_estimated)
    else:
        most_reference, most_estimated = np.log2(table.truth.size), np.log2(table.pred.size)
    under = float(1.0 - reference_left / most_reference) if most_reference > 0 else 0.0
    over = float(1.0 - estimated_left / most_estimated) if most_estimated > 0 else 0.0
    return over, under, _f_measure(over, under, beta)


def vmeasure(
    reference_intervals: ArrayLike,
    reference_labels: Labels,
    estimated_intervals: ArrayLike,
    estimated_labels: Labels,
    frame_size: float = 0.1,
    beta: float = 1.0,
) -> Three:
    """`nce` with ``marginal=True``: scikit-learn's completeness, homogeneity and V-measure."""
    sides = reference_intervals, reference_labels, estimated_intervals, estimated_labels
    return nce(*sides, frame_size=frame_size, beta=beta, marginal=True)


def evaluate(
    ref_intervals: ArrayLike,
    ref_labels: Labels,
    est_intervals: ArrayLike,
    est_labels: Labels,
    **kwargs: Any,  # noqa: ANN401
) -> dict[str, float]:
    """Compute all scores by name; the estimate is adjusted to the length of the reference.

    >>> song = [[0, 5], [5, 9]]
    >>> evaluate(song, ["verse", "chorus"], song, ["A", "B"])["V-measure"]
    1.0
    """
    reference, ref_labels = _spanned(ref_intervals, ref_labels, None)
    estimated, est_labels = _spanned(est_intervals, est_labels, float(reference.max()))
    boundaries = reference, estimated
    structure = reference, ref_labels, estimated, est_labels
    scores: dict[str, float] = {}

    def add(names: str, function: Callable[..., Any], sides: tuple[Any, ...], **options: float) -> None:
        taken = {name: kwargs[name] for name in inspect.signature(function).parameters.keys() & kwargs.keys()}
        values = function(*sides, **{**taken, **options})
        scores.update(zip(names.split("|"), values if isinstance(values, tuple) else (values,), strict=True))

    add("Precision@0.5|Recall@0.5|F-measure@0.5", detection, boundaries, window=0.5)
    add("Precision@3.0|Recall@3.0|F-measure@3.0", detection, boundaries, window=3.0)
    add("Ref-to-est deviation|Est-to-ref deviation", deviation, boundaries)
    add("Pairwise Precision|Pairwise Recall|Pairwise F-measure", pairwise, structure)
    add("Rand Index", rand_index, structure)
    add("Adjusted Rand Index", ari, structure)
    names = "Mutual Information|Adjusted Mutual Information|Normalized Mutual Information"
    add(names, mutual_information, structure)
    add("NCE Over|NCE Under|NCE F-measure", nce, structure)
    add("V Precision|V Recall|V-measure", vmeasure, structure)
    return scores


def _intervals(given: ArrayLike) -> NDArray[Any]:
    import numpy as np

    intervals = np.asarray(given)
    if intervals.dtype.kind != "f":  # mir_eval computes single precision in single precision
        intervals = intervals.astype(float)
    if intervals.size == 0:
        return intervals.reshape(0, 2)
    if intervals.ndim != 2 or intervals.shape[1] != 2:
        raise ValueError(f"intervals have the shape {intervals.shape}; expected (segments, 2)")
    if not (intervals >= 0).all():
        raise ValueError("intervals hold a time that is negative or not a number; expected seconds from 0 on")
    if (intervals[:, 1] <= intervals[:, 0]).any():
        raise ValueError("an interval ends before or where it starts; expected a positive duration")
    return intervals


def _boundaries(given: ArrayLike, trim: bool) -> NDArray[Any]:
    """Return all distinct starts and ends, rounded to five decimals as in mir_eval."""
    import numpy as np

    times = np.unique(np.round(_intervals(given), decimals=5))
    return times[1:-1] if trim else times


def _frames(
    reference_intervals: ArrayLike,
    reference_labels: Labels,
    estimated_intervals: ArrayLike,
    estimated_labels: Labels,
    frame_size: float,
) -> Table | None:
    """Return the table of the labels of all frames, or None if a side is empty."""
    import numpy as np

    sides = []
    for given, labels in ((reference_intervals, reference_labels), (estimated_intervals, estimated_labels)):
        intervals = _intervals(given)
        if len(intervals) != len(labels):
            raise ValueError(
                f"labels has {count_text(len(labels), 'item')} for {count_text(len(intervals), 'interval')}; "
                "expected one label per interval"
            )
        if intervals.size and not np.allclose(intervals.min(), 0.0):
            raise ValueError(f"intervals start at {intervals.min()}; expected 0")
        sides.append((intervals, labels))
    if any(intervals.size == 0 for intervals, _ in sides):
        return None
    ends = [intervals.max() for intervals, _ in sides]
    if not np.allclose(*ends):
        raise ValueError(f"the intervals end at {ends[0]} and {ends[1]}; expected one end")
    frames = []
    for intervals, labels in sides:
        # In single precision, as in mir_eval, because the rounding decides on which side of a boundary a frame falls.
        count = int(np.floor(intervals.max() / frame_size))
        times = (np.arange(count, dtype=np.float32) * frame_size + 0).astype(float)
        names = [str(label).lower() for label in labels]
        number = {name: k for k, name in enumerate(sorted({*names, "none"}))}  # gaps have the label None
        sampled = np.full(count, number["none"])
        starts = np.searchsorted(times, intervals[:, 0], side="left")
        stops = np.searchsorted(times, intervals[:, 1], side="right")
        for start, stop, name in zip(starts, stops, names, strict=True):
            sampled[start:stop] = number[name]
        frames.append(sampled)
    return Table.of_labels(*frames)


def _f_measure(precision: float, recall: float, beta: float) -> float:
    if precision == 0 and recall == 0:
        return 0.0
    return (1 + beta**2) * precision * recall / ((beta**2) * precision + recall)


def _spanned(given: ArrayLike, labels: Labels, end: float | None) -> tuple[NDArray[Any], list[Any]]:
    """Return the intervals from 0 to ``end``, cropped or padded with a labelled interval."""
    import numpy as np

    intervals, labels = np.asarray(given), list(labels)
    if intervals.ndim == 2 and (intervals < 0).any():  # crop what lies before the start
        passed = np.flatnonzero(intervals[:, 1] >= 0)
        first = passed[0] if passed.size else 0
        intervals, labels = np.maximum(0.0, intervals[first:]), labels[first:]
    intervals = _intervals(intervals)
    if intervals.size == 0:
        if end is None:
            raise ValueError("the reference has no intervals; expected at least one")
        return np.array([[0.0, end]]), ["__T_MIN"]
    if intervals.min() > 0:
        intervals, labels = np.vstack(([0.0, intervals.min()], intervals)), ["__T_MIN", *labels]
    if end is not None:
        behind = np.flatnonzero(intervals[:, 0] > end)
        if behind.size:
            intervals, labels = intervals[: behind[0]], labels[: behind[0]]
        intervals = np.minimum(end, intervals)
        if intervals.max() < end:
            intervals, labels = np.vstack((intervals, [intervals.max(), end])), [*labels, "__T_MAX"]
    return intervals, labels
