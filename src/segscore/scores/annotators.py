"""Scores of one prediction against several annotators together.

``annotators`` is a mapping from names to cuts, or a sequence of cuts; cuts are given as for every score. All annotators
and the prediction have the same length: pass ``n=``, or ``duration=`` for cuts in time, or `Segmentation` objects,
which know their length.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

from .. import _core
from ..segmentation.lengths_of_time import counted
from ..segmentation.segmentation import Cuts, Segmentation
from ..segmentation.sides import known_lengths, one_origin
from . import overlap

__all__ = ["annotated_covering", "annotated_f1", "annotated_precision", "annotated_recall"]

Annotators = Mapping[Any, Cuts] | Sequence[Cuts]


def annotated_precision(
    annotators: Annotators, pred: Cuts, *, n: int | None = None, duration: float | None = None, margin: float
) -> float:
    """Share of the predicted cuts that match a cut of any annotator.

    As ``annotated(...).precision``: the start of the sequence counts as a cut of every side, and a maximum matching
    is found. In [0, 1], best 1.

    >>> annotated_precision([[4, 8], [4]], [4, 11], n=12, margin=1)
    0.6666666666666666

    Reference: van den Burg & Williams, "An evaluation of change point detection algorithms" (2020).
    """
    return _of_all("precision", annotators, pred, n, duration, margin)


def annotated_recall(
    annotators: Annotators, pred: Cuts, *, n: int | None = None, duration: float | None = None, margin: float
) -> float:
    """Mean over the annotators of the share of their cuts that are found.

    As ``annotated(...).recall``: the start of the sequence counts as a cut of every side, and a maximum matching is
    found. In [0, 1], best 1.

    >>> annotated_recall([[4, 8], [4]], [4, 11], n=12, margin=1)
    0.8333333333333333

    Reference: van den Burg & Williams, "An evaluation of change point detection algorithms" (2020).
    """
    return _of_all("recall", annotators, pred, n, duration, margin)


def annotated_f1(
    annotators: Annotators, pred: Cuts, *, n: int | None = None, duration: float | None = None, margin: float
) -> float:
    """F1 against all annotators: harmonic mean of `annotated_precision` and `annotated_recall`.

    As ``annotated(...).f1``; TCPDBench's F1, but with a maximum matching. The mean over the annotators of `f1` is
    another number. In [0, 1], best 1.

    >>> annotated_f1([[4, 8], [4]], [4, 11], n=12, margin=1)
    0.7407407407407406

    Reference: van den Burg & Williams, "An evaluation of change point detection algorithms" (2020).
    """
    return _of_all("f1", annotators, pred, n, duration, margin)


def annotated_covering(
    annotators: Annotators, pred: Cuts, *, n: int | None = None, duration: float | None = None
) -> float:
    """Mean over the annotators of the covering of their segments by the prediction.

    As ``annotated(...).covering``. In [0, 1], best 1.

    >>> annotated_covering([[4, 8], [4]], [4, 9], n=12)
    0.8

    Reference: van den Burg & Williams, "An evaluation of change point detection algorithms" (2020).
    """
    truths, pred = loaded(annotators, pred, n, duration)
    return mean_in_order([overlap.covering(truth, pred) for truth in truths])


def together(truths: list[Segmentation], pred: Segmentation, margin: float | None) -> dict[str, float | None]:
    """Return TCPDBench's precision, recall and F1, but with a maximum matching."""
    if margin is None:
        return {"precision": None, "recall": None, "f1": None}
    reach = counted(margin, "margin", *truths, pred)
    found = _core.together([truth._cuts for truth in truths], pred._cuts, pred.length, reach)
    return dict(zip(("precision", "recall", "f1"), found, strict=True))


def _of_all(
    part: str, annotators: Annotators, pred: Cuts, n: int | None, duration: float | None, margin: float
) -> float:
    if margin is None:
        raise TypeError(f"annotated_{part} has no margin; expected margin= (0 for the same cut)")
    return together(*loaded(annotators, pred, n, duration), margin)[part]  # type: ignore[return-value]


def loaded(
    annotators: Annotators, pred: Cuts, n: int | None, duration: float | None
) -> tuple[list[Segmentation], Segmentation]:
    """Return the segmentations of all annotators, and of the prediction."""
    named = _named(annotators)
    one_origin(annotators=named.values(), pred=[pred])
    sides = segmentations_of(named, *known_lengths(n, duration, [pred]))
    if not sides:
        raise ValueError("annotators is empty; expected at least one annotator")
    truths = list(sides.values())
    return truths, segmentation_of(pred, truths[0].n, truths[0].duration, "pred")


def _named(annotators: Annotators) -> dict[Hashable, Cuts]:
    if isinstance(annotators, Segmentation | str) or not isinstance(annotators, Iterable):
        raise TypeError(f"annotators is {annotators!r:.40}; expected a mapping from names to cuts, or a list of cuts")
    return dict(annotators.items() if isinstance(annotators, Mapping) else enumerate(annotators))


def segmentations_of(
    annotators: Annotators, n: int | None, duration: float | None = None
) -> dict[Hashable, Segmentation]:
    """Return the segmentations of all annotators, by name or by number, all of one length."""
    named = _named(annotators)
    one_origin(annotators=named.values())
    n, duration = known_lengths(n, duration, named.values())
    if n is None and duration is None and named:
        raise TypeError(
            "annotators have no length; expected n=, or Segmentation.from_ends() of lists that end with the length"
        )
    return {name: segmentation_of(cuts, n, duration, f"annotator {name!r}") for name, cuts in named.items()}


def segmentation_of(cuts: Cuts, n: int | None, duration: float | None, name: str) -> Segmentation:
    """Return one input as a segmentation of the common length; errors start with its name."""
    if isinstance(cuts, Segmentation) and (cuts.duration is None) == (duration is None):
        given, unit = (n, "n") if duration is None else (duration, "duration")
        if given is not None and cuts.length != given:
            raise ValueError(
                f"{name} has {unit} = {cuts.length} but the others have {unit} = {given}; expected one length"
            )
        return cuts
    try:
        return Segmentation(cuts, n=n, duration=duration)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{name}: {error}") from None


def mean_in_order(values: list[float]) -> float:
    """Return the mean, added one value after another as in tables; sum() is compensated from Python 3.12 on."""
    total = 0.0
    for value in values:
        total += value
    return total / len(values)
