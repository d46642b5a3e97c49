"""TCPDBench (also claspy, TSSB): one prediction against several annotators.

Cuts are counted from 0. A 0 is added to every set, so that no set is empty. Precision is against the cuts of all
annotators together, recall is the mean over the annotators. Each true cut takes the nearest free prediction within the
margin, in the order in which Python iterates a set of integers. That order is not sorted, and the number of matches
depends on it. `segscore.annotated` uses a maximum matching instead.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Hashable, Iterable, Mapping

from .. import _core

__all__ = ["clean", "covering", "f_measure", "scores"]

Annotations = Mapping[Hashable, Iterable[int]]


def f_measure(
    annotations: Annotations,
    predictions: Iterable[int],
    margin: float = 5,
    alpha: float = 0.5,
    return_PR: bool = False,
) -> float | tuple[float, float, float]:
    """F-measure P R / (alpha R + (1 - alpha) P), optionally with P and R.

    >>> f_measure({1: [10, 20], 2: [11, 20], 3: [10], 4: [0, 5]}, [10, 20])
    1.0
    >>> f_measure({1: [], 2: [10], 3: [50]}, [10], return_PR=True)
    (0.9090909090909091, 1.0, 0.8333333333333333)
    """
    _check(annotations)
    if not margin >= 0:
        raise ValueError(f"margin = {margin} is negative; expected 0 or more")
    # The sets are built in the same steps as in TCPDBench, because the order of a set depends on how it was built.
    each = [set(cuts) for cuts in annotations.values()]
    for cuts in each:
        cuts.add(0)
    together: set[int] = set()
    for cuts in each:
        for cut in cuts:
            together.add(cut)
    predicted = sorted({0, *predictions})
    precision = _matched(together, predicted, margin) / len(predicted)
    recall = 1 / len(each) * _added(_matched(cuts, predicted, margin) / len(cuts) for cuts in each)
    f = precision * recall / (alpha * recall + (1 - alpha) * precision)
    return (f, precision, recall) if return_PR else f


def covering(annotations: Annotations, predictions: Iterable[int], n_obs: int) -> float:
    """Mean over the annotators of `segscore.covering` of their segments by the prediction.

    Cuts that are not inside the series are ignored.

    >>> covering({1: [10, 20], 2: [10], 3: [0, 5]}, [10, 20], 45)
    0.7962962962962963
    """
    _check(annotations)
    if n_obs < 1:
        raise ValueError(f"n_obs = {n_obs} is not a length; expected at least 1")

    def inside(cuts: Iterable[int]) -> list[int]:
        return sorted({cut for cut in cuts if 0 < cut < n_obs})

    predicted = inside(predictions)
    coverings = []
    for cuts in annotations.values():
        truth = inside(cuts)
        covered, start = 0.0, 0
        for end, iou in zip([*truth, n_obs], _core.best_ious(truth, predicted, n_obs), strict=True):
            covered += (end - start) * iou
            start = end
        coverings.append(covered / n_obs)
    return _added(coverings) / len(coverings)


def clean(predictions: Iterable[int], n_obs: int) -> list[int]:
    """Return the predictions that TCPDBench scores.

    They are in order, without duplicates, and 1 <= c < n_obs - 1. A cut before the last point is lost.

    >>> clean([9, 3, 3, 0, 8], 10)
    [3, 8]
    """
    return sorted({cut for cut in predictions if 1 <= cut < n_obs - 1})


def scores(annotations: Annotations, predictions: Iterable[int], n_obs: int, margin: float = 5) -> dict[str, float]:
    """Scores of one run as in the summaries of TCPDBench: f1, precision, recall and cover.

    The predictions are cleaned first (`clean`). The cover of an empty series is nan.

    >>> scores({1: [10, 20], 2: [11, 20], 3: [10]}, [10, 20, 44], 45)["f1"]
    1.0
    """
    cleaned = clean(predictions, n_obs)
    f1, precision, recall = f_measure(annotations, cleaned, margin=margin, return_PR=True)  # type: ignore[misc]
    cover = covering(annotations, cleaned, n_obs) if n_obs > 0 else math.nan
    return {"f1": f1, "precision": precision, "recall": recall, "cover": cover}


def _added(values: Iterable[float]) -> float:
    """Add numbers one after another, as sum() did before Python 3.12 and in published runs."""
    total = 0.0
    for value in values:
        total += value
    return total


def _check(annotations: Annotations) -> None:
    if not isinstance(annotations, Mapping):
        raise TypeError(f"annotations is {type(annotations).__name__}; expected a dict from annotators to cuts")
    if not annotations:
        raise ValueError("annotations is empty; expected at least one annotator")


def _matched(truth: set[int], predicted: list[int], margin: float) -> int:
    """Count the true cuts that find a prediction: each takes the nearest left, in set order."""
    left = predicted.copy()
    for cut in truth:
        place = bisect_left(left, cut)
        near = min(range(max(0, place - 1), min(len(left), place + 1)), key=lambda k: abs(cut - left[k]), default=None)
        if near is not None and abs(cut - left[near]) <= margin:
            del left[near]
    return len(predicted) - len(left)
