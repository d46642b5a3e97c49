"""The sides of a score, a truth and a prediction: their common length and origin, and what a score refuses."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .. import _core
from .._core import load_both
from .segmentation import Cuts, Segmentation
from .timestamps import Origin, refuse_other

__all__ = ["both", "known_lengths", "one_origin", "pairs_among", "refuse_labels", "refuse_time"]


def both(truth: Cuts, pred: Cuts, n: int | None, duration: float | None = None) -> tuple[Segmentation, Segmentation]:
    """Return both sides as segmentations of one length: n or duration, or the length of a Segmentation on either side.

    Labels are dropped; `refuse_labels` refuses them.

    >>> both([3], Segmentation([4], n=9), None)
    (Segmentation([3], n=9), Segmentation([4], n=9))
    >>> both([3], Segmentation([4.5], duration=9), None)
    (Segmentation([3.0], duration=9.0), Segmentation([4.5], duration=9.0))
    """
    left, right, length = load_both(truth, pred, n, duration)
    origin = one_origin(truth=[truth], pred=[pred])
    return Segmentation._of(left, length, origin=origin), Segmentation._of(right, length, origin=origin)


def known_lengths(n: int | None, duration: float | None, *lists: Iterable[Any]) -> tuple[int | None, float | None]:
    """Return n and duration: those passed, or else those of the first Segmentation among the inputs.

    At most one of the two is a length: in points it is n, in time it is duration.

    >>> known_lengths(None, None, [[3], Segmentation([4.5], duration=9)])
    (None, 9.0)
    """
    if n is not None or duration is not None:
        return n, duration
    found = (side for sides in lists for side in sides if isinstance(side, Segmentation))
    return next(((side.n, side.duration) for side in found), (None, None))


def one_origin(**lists: Iterable[Any]) -> Origin | None:
    """Return the start and unit of all timestamps among named lists of inputs, or raise unless all have the same.

    Inputs without cuts may be of any kind. None stands for cuts that are not timestamps.
    """
    inputs = [(name, k, side) for name, sides in lists.items() for k, side in enumerate(sides)]
    if not any(isinstance(side, Segmentation) and side._origin is not None for _, _, side in inputs):
        return None
    known: tuple[str, Origin | None] | None = None
    for name, k, side in inputs:
        own = side._origin if isinstance(side, Segmentation) else None
        cuts = side._cuts if isinstance(side, Segmentation) else side
        if own is None and hasattr(cuts, "__len__") and not len(cuts):
            continue
        where = name if name in ("truth", "pred") else f"{name}[{k}]"
        if known is None:
            known = where, own
        refuse_other(*known, where, own)
    return known[1] if known else None


def refuse_time(name: str, *sides: object) -> None:
    """Raise if a side is a segmentation in time, for a function that counts points."""
    for side in sides:
        if isinstance(side, Segmentation) and side.duration is not None:
            _core.refuse_time(name, "")


def refuse_labels(name: str, *sides: object) -> None:
    """Raise if a side has labels, for a function that compares cuts."""
    for side in sides:
        if isinstance(side, Segmentation) and side.labels is not None:
            _core.refuse_labels(name)


def pairs_among(n: int | None, duration: float | None) -> int | float:
    """Return the number of pairs of n points, or the area of all pairs of moments of a duration."""
    return (n or 0) * ((n or 0) - 1) // 2 if duration is None else duration * duration / 2
