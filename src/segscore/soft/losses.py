"""The expected Rand distance as a loss with a gradient, from one value per gap.

`segscore.soft.segmentations` explains soft segmentations, and ``docs/soft.md`` what the loss rewards.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import _core

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["soft_rand_loss"]


class SoftRandLoss(NamedTuple):
    """The loss of each series, and its gradient."""

    loss: Any  # one float64 per series
    gradient: NDArray[Any]  # by each logit or probability, in the shape of the prediction


def soft_rand_loss(
    truth: ArrayLike,
    *,
    logits: ArrayLike | None = None,
    probabilities: ArrayLike | None = None,
    mask: ArrayLike | None = None,
) -> SoftRandLoss:
    """Compute the expected Rand distance of series and its gradient, from one value per gap.

    ``logits`` or ``probabilities`` has the shape (n - 1,) for one series of n points, or (series, n - 1). ``truth``
    has the same shape and holds 0 or 1, or probabilities; ``Segmentation.to_mask()[1:]`` has this form. ``mask`` has
    the same shape, and is True where the truth of a gap is known. A pair of points counts if all gaps between the two
    are known, so the mask serves for series of different lengths and for unlabelled stretches. Values at unknown gaps
    are not read, and their gradient is 0. The loss of a series is the mean over the pairs that count, or 0 if no pair
    counts.

    All sums are float64. The gradient is float32 if the prediction is float32, and float64 otherwise. The cost is O(n)
    for two walks, and the only large array is the gradient; input of other types than float64 and float32 is copied.
    The gradient by a logit has the factor p (1 - p), so it is small at a confident error: use an optimiser such as
    Adam.

    >>> truth = [0, 0, 1, 0, 0, 0, 0, 1, 0]
    >>> loss, gradient = soft_rand_loss(truth, probabilities=[0, 0, 0, 0.9, 0, 0, 0, 0.8, 0])
    >>> round(float(loss), 6)
    0.212444
    >>> (45 * gradient[[3, 7]]).round(6)
    array([-9.6, -8.8])

    Reference: ``docs/soft.md`` for the gradient.
    """
    import numpy as np

    if (logits is None) == (probabilities is None):
        raise TypeError("soft_rand_loss needs logits= or probabilities=; expected one of them")
    name = "probabilities" if logits is None else "logits"
    given = _number_array(probabilities if logits is None else logits, name)
    if given.dtype.kind not in "fiub":
        raise TypeError(f"{name} holds {given.dtype}; expected float32 or float64")
    if given.ndim not in (1, 2):
        raise ValueError(f"{name} has {given.ndim} dimensions; expected 1 (gaps) or 2 (series, gaps)")
    wanted, marks = _number_array(truth, "truth"), None if mask is None else _number_array(mask, "mask")
    for array, what in ((wanted, "truth"), (marks, "mask")):
        if array is not None and array.shape != given.shape:
            raise ValueError(
                f"{what} has shape {array.shape} but {name} has shape {given.shape}; expected one value per gap, "
                "n - 1 for n points"
            )
    if wanted.dtype.kind not in "fiub":
        raise TypeError(f"truth holds {wanted.dtype}; expected 0 and 1, or probabilities")
    if marks is not None and marks.dtype.kind != "b":
        raise TypeError(f"mask holds {marks.dtype}; expected bools, True where the truth is known")
    kind = np.float32 if given.dtype == np.float32 else np.float64
    rows = (1, given.size) if given.ndim == 1 else given.shape
    losses, gradient = np.empty(rows[0]), np.empty(rows, kind)
    _core.soft_losses(
        _broadcast_rows(wanted, rows, (np.float64, np.float32, np.bool_)),
        _broadcast_rows(given, rows, (np.float64, np.float32)),
        None if marks is None else _broadcast_rows(marks, rows, (np.bool_,)),
        name,
        logits is not None,
        given.ndim == 1,
        losses,
        gradient,
    )
    return SoftRandLoss(losses.reshape(given.shape[:-1])[()], gradient.reshape(given.shape))


def _number_array(given: ArrayLike | None, name: str) -> NDArray[Any]:
    """Return an array; gaps that are hidden by a masked array would otherwise be read."""
    import numpy as np

    if type(given).__name__ == "MaskedArray":
        raise TypeError(f"{name} is a MaskedArray; expected an array, and mask= where the truth is known (use .data)")
    try:
        return np.asarray(given)
    except ValueError:
        raise ValueError(
            f"{name} has rows of different lengths; expected one length (pad the rows, and use mask=)"
        ) from None


def _broadcast_rows(array: NDArray[Any], rows: tuple[int, ...], kinds: Sequence[type[Any]]) -> NDArray[Any]:
    """Return an array as rows next to each other in memory, as float64 if it is none of the kinds the core reads."""
    import numpy as np

    kind = array.dtype if array.dtype in kinds else np.float64
    return np.ascontiguousarray(array, dtype=kind).reshape(rows)
