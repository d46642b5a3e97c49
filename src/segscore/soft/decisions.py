"""Decisions from probabilities: Brier score, calibration, decoding and thresholds.

`segscore.soft.segmentations` explains soft segmentations. Functions that learn from several series take ``truths`` and
``preds``, one of each per series; each prediction is a `SoftSegmentation`, which has its own length.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import _core, arguments
from ..scores.compare import compare
from ..scores.metric_text import parsed
from ..segmentation.segmentation import Cuts, Segmentation
from ..showing import Result, Shown, Table, count_text
from .segmentations import SoftCuts, SoftSegmentation, certain, located, parts_of, soft_rand_index

if TYPE_CHECKING:
    import numpy as np

__all__ = [
    "SoftCalibration",
    "soft_brier",
    "soft_calibration",
    "soft_decode",
    "soft_threshold",
]


# Truths that are drawn for the error of a perfect forecaster. The mean has a relative standard error of about 4 % for
# four cases, and of less for more cases.
PERFECT_DRAWS = 200


def soft_brier(truth: SoftCuts, pred: SoftCuts, *, n: int | None = None, duration: float | None = None) -> float:
    """Brier score of the probabilities of cuts: mean squared error over all gaps.

    The mean over the n - 1 gaps of (p - t)**2, where t is 1 if the truth cuts there, else 0. If the truth is soft, the
    value is the expectation. In [0, 1], best 0, O(r+s). The value is 0 for n < 2. Gaps that are not listed have p = 0.
    Times have no gaps, so ``duration`` is refused; `soft_calibration` takes times.

    >>> round(soft_brier([3, 8], SoftSegmentation([4, 8], [0.9, 0.8], n=10)), 6)
    0.205556

    Reference: Brier, "Verification of forecasts expressed in terms of probability" (1950).
    """
    in_time = any(isinstance(side, SoftSegmentation | Segmentation) and side.n is None for side in (truth, pred))
    if in_time or duration is not None:
        raise TypeError(
            "soft_brier needs points, and times have no gaps; expected soft segmentations with n (or soft_calibration "
            "for times)"
        )
    return _core.soft_brier(*parts_of(truth), *parts_of(pred), n)


class CalibrationBin(NamedTuple):
    """Predicted cuts in one bin of probabilities: mean probability, and share that is right."""

    low: float
    high: float
    cuts: int
    predicted: float
    observed: float


class SoftCalibration(Result, Table):
    """Reliability curve: predicted probabilities of cuts against how often there is a cut.

    ``bins`` holds the bins that are not empty. ``error`` is the expected calibration error: the mean absolute
    difference between ``predicted`` and ``observed``, weighted by the number of cuts in each bin. A perfect forecaster
    has an error too, because a few cases are never exactly as frequent as predicted: ``perfect_error`` is its mean if
    each listed cut is a true cut with its probability, independently of the others, from 200 draws of the truths with a
    fixed seed. Both are nan if there are no predicted cuts. The error does not see missed changes: a true cut where no
    cut is listed is no case.
    """

    __slots__ = ("bins", "perfect_error")

    def __init__(self, bins: Iterable[Sequence[Any]], perfect_error: float) -> None:
        self.bins = [CalibrationBin(*each) for each in bins]
        self.perfect_error = perfect_error

    def __reduce__(self) -> tuple[type[SoftCalibration], tuple[Any, ...]]:
        return SoftCalibration, (self.bins, self.perfect_error)

    @property
    def error(self) -> float:
        """The expected calibration error; nan if there are no predicted cuts."""
        total = sum(each.cuts for each in self.bins)
        off = sum(each.cuts * abs(each.predicted - each.observed) for each in self.bins)
        return off / total if total else float("nan")

    def to_dict(self) -> dict[str, Any]:
        """Return the bins and both errors as plain Python objects."""
        return {
            "error": self.error,
            "perfect_error": self.perfect_error,
            "bins": [each._asdict() for each in self.bins],
        }

    def _table(self) -> tuple[type[CalibrationBin], Iterable[CalibrationBin]]:
        return CalibrationBin, self.bins

    def _shown(self) -> Shown:
        rows = [
            (f"{each.low:g} to {each.high:g}", str(each.cuts), f"{each.predicted:.4f}", f"{each.observed:.4f}")
            for each in self.bins
        ]
        total = sum(each.cuts for each in self.bins)
        lines = [
            f"{count_text(total, 'predicted cut')}, expected calibration error {self.error:.4f} "
            f"(perfect forecaster: {self.perfect_error:.4f})"
        ]
        return Shown(lines, ("probability", "cuts", "predicted", "observed"), "lrrr", rows)


def soft_calibration(
    truths: Iterable[Cuts],
    preds: Iterable[SoftSegmentation],
    *,
    margin: float | None = None,
    relative_margin: float | None = None,
    bins: int = 10,
) -> SoftCalibration:
    """Compute the reliability curve of predicted probabilities at a margin.

    Each listed cut of a prediction is one case. Its predicted probability is the probability of at least one predicted
    cut within the margin of this cut: 1 - (product of 1 - p over the cuts within the margin). The case is right if the
    truth has a cut within the margin. With margin 0, the predicted probabilities are the probabilities of the cuts.
    The cases are put into ``bins`` bins of equal width. True cuts far from all listed cuts are ignored, so the error
    does not see missed changes; to include them, list all gaps (`SoftSegmentation.from_probabilities`), and use
    `soft_brier`. The cost is O(r+s) per series, times 201 for ``perfect_error``.

    >>> pred = SoftSegmentation([4, 8, 20, 31], [0.9, 0.8, 0.25, 0.15], n=50)
    >>> soft_calibration([[4, 9, 30]], [pred], margin=1, bins=4)
    4 predicted cuts, expected calibration error 0.3500 (perfect forecaster: 0.2509)
    probability  cuts  predicted  observed
    0 to 0.25       1     0.1500    1.0000
    0.25 to 0.5     1     0.2500    0.0000
    0.75 to 1       2     0.8500    1.0000

    Reference: Murphy & Winkler, "Reliability of subjective probability forecasts of precipitation and temperature"
    (1977).
    """
    import numpy as np

    count = arguments.integer(bins, "bins", least=1, most=10**6)
    generator = np.random.default_rng(0)
    sizes, sums = np.zeros(count, dtype=np.int64), np.zeros(count)
    hits = np.zeros((1 + PERFECT_DRAWS, count))  # a row for the truths, and rows for those of a perfect forecaster
    for number, (truth, pred) in enumerate(_paired(truths, preds)):
        places, chances = parts_of(pred)
        given = located(truth, pred.n, pred.duration, f"truths[{number}]")
        for k, side in enumerate(chain([given], _drawn(pred, generator))):
            found = _core.near_chances(side, places, chances, None, pred.duration, margin, relative_margin)
            predicted, right = map(np.frombuffer, found)
            if k == 0:
                place = np.minimum((predicted * count).astype(np.int64), count - 1)
                sizes += np.bincount(place, minlength=count)
                sums += np.bincount(place, predicted, count)
            hits[k] += np.bincount(place, right, count)
    errors = np.abs(hits - sums).sum(axis=1) / sizes.sum() if sizes.any() else np.full(len(hits), math.nan)
    rows = (
        (k / count, (k + 1) / count, int(sizes[k]), float(sums[k] / sizes[k]), float(hits[0, k] / sizes[k]))
        for k in np.flatnonzero(sizes).tolist()
    )
    return SoftCalibration(rows, float(errors[1:].mean()))


def _drawn(pred: SoftSegmentation, generator: np.random.Generator) -> Iterator[Segmentation]:
    """Draw truths for which a prediction is a perfect forecast: each cut is a true cut with its probability."""
    import numpy as np

    cuts, chances = np.array(pred.cuts), np.array(pred.probability)
    for _ in range(PERFECT_DRAWS):
        yield certain(pred, cuts[generator.random(cuts.size) < chances])


class SoftDecoding(NamedTuple):
    """Cuts that follow from a soft segmentation, and their expected Rand Index."""

    cuts: list[Any]  # integers, or times
    rand_index: float


def soft_decode(pred: SoftSegmentation, *, least_length: float | None = None) -> SoftDecoding:
    """Find the segmentation with the highest expected Rand Index, given a soft segmentation.

    The result is the median of all segmentations, weighted by their probabilities. It is found by the dynamic programme
    of `consensus`, exactly and without a threshold. It has every cut with a probability above 1/2, and may have others.
    ``least_length`` is the minimum length of a segment; the result is then the best choice among the listed cuts. Sums
    are float64, so nearly equal segmentations may be taken for ties, which go to the later cuts.

    The cost is O(U w) for U possible cuts, where w is the number of candidates for the start of a segment: about the
    number of cuts over which the probability of two points to be together falls to 1/2. At worst, if hardly any cut is
    probable, the cost is O(U**2).

    >>> soft_decode(SoftSegmentation([3, 4, 8], [0.4, 0.5, 0.3], n=10))
    SoftDecoding(cuts=[4], rand_index=0.7520000000000001)
    >>> soft_decode(SoftSegmentation([4, 8], [0.9, 0.8], n=10), least_length=3).cuts
    [4]

    References: Mielikainen, Terzi & Tsaparas, "Aggregating time partitions" (2006); ``docs/soft.md``.
    """
    _refuse_plain(pred, "pred")
    places, chances = parts_of(pred)
    cuts = _core.soft_best_cuts(places, chances, None, pred.duration, least_length)
    return SoftDecoding(cuts, soft_rand_index(certain(pred, cuts), pred))


class SoftThreshold(NamedTuple):
    """The best threshold, and its mean score over the series."""

    threshold: float
    score: float


def soft_threshold(
    truths: Iterable[Cuts], preds: Iterable[SoftSegmentation], *, metric: str = "rand_index"
) -> SoftThreshold:
    """Find the threshold of the probabilities with the best mean score over several series.

    A threshold keeps the cuts whose probability is at least the threshold. ``metric`` is a metric of the catalog, with
    its options: ``"f1(margin=5)"``. All distinct probabilities and infinity (no cut) are tried; ties go to the highest
    threshold. The score is computed once per distinct probability of each series. The score of the chosen threshold is
    too optimistic: choose the threshold on some series, and report the scores of other series.

    >>> preds = [SoftSegmentation([4, 8], [0.9, 0.3], n=10), SoftSegmentation([2, 5], [0.2, 0.6], n=10)]
    >>> soft_threshold([[4, 8], [5]], preds, metric="f1(margin=0)")
    SoftThreshold(threshold=0.3, score=1.0)
    """
    import numpy as np

    found, _ = parsed(metric)
    sign = 1.0 if found.best > found.low else -1.0
    steps: list[tuple[float, int, float]] = []  # threshold, series, score from this threshold down
    number = 0
    for number, (truth, pred) in enumerate(_paired(truths, preds), 1):
        cuts, probabilities = np.asarray(pred.cuts), np.asarray(pred.probability)
        checked = located(truth, pred.n, pred.duration, f"truths[{number - 1}]")
        own = truth if isinstance(truth, Segmentation) else checked  # with its labels, if it has any
        for threshold in (float("inf"), *np.unique(probabilities).tolist()):
            kept = certain(pred, cuts[probabilities >= threshold].tolist())
            (score,) = compare(own, kept, metrics=[metric]).values()
            if score != score:
                raise ValueError(
                    f"{metric} is nan for series {number - 1} at the threshold {threshold:g}; expected a metric that "
                    "is defined for each series"
                )
            steps.append((threshold, number - 1, score))
    if not number:
        raise ValueError("preds is empty; expected at least one series")
    steps.sort(key=lambda step: -step[0])
    present = [0.0] * number
    total, infinite = 0.0, 0  # the sum of the finite scores, and the number of the others
    best = float("inf"), -sign * float("inf")
    for place, (threshold, series, score) in enumerate(steps):
        for value, change in ((present[series], -1), (score, 1)):
            if math.isinf(value):
                infinite += change
            else:
                total += change * value
        present[series] = score
        is_last = place + 1 == len(steps) or steps[place + 1][0] != threshold
        found_now = -sign * float("inf") if infinite else total
        if is_last and sign * found_now > sign * best[1] + 1e-12 * number:  # sums of differences are rounded
            best = threshold, found_now
    chosen = {series: score for threshold, series, score in steps if threshold >= best[0]}
    return SoftThreshold(best[0], math.fsum(chosen.values()) / number)


def _refuse_plain(pred: object, name: str) -> None:
    if not isinstance(pred, SoftSegmentation):
        raise TypeError(f"{name} is a {type(pred).__name__}; expected a SoftSegmentation")


def _paired(truths: Iterable[Cuts], preds: Iterable[SoftSegmentation]) -> list[tuple[Cuts, SoftSegmentation]]:
    """Return one truth and one prediction per series."""
    if isinstance(preds, SoftSegmentation):
        raise TypeError("preds is a SoftSegmentation; expected one per series (put it into a list)")
    for given, name in ((truths, "truths"), (preds, "preds")):
        if isinstance(given, Segmentation) or not isinstance(given, Iterable):
            raise TypeError(f"{name} is a {type(given).__name__}; expected one segmentation per series")
    wanted, predicted = list(truths), list(preds)
    if len(wanted) != len(predicted):
        raise ValueError(
            f"truths has {count_text(len(wanted), 'segmentation')} and preds has {len(predicted)}; "
            "expected one of each per series"
        )
    for number, pred in enumerate(predicted):
        _refuse_plain(pred, f"preds[{number}]")
    return list(zip(wanted, predicted, strict=True))
