"""The calibration signal: one step, which shows by how much a detector's answers are shifted."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["LENGTH", "STEP", "finds_step", "step"]

LENGTH, STEP = 200, 100


def step(channels: int, *, reverse: bool = False) -> NDArray[np.float64]:
    """Return a signal with one large step in the middle and a little noise, always the same.

    A reversed signal has its step in the same place, but other points around it.
    """
    import numpy as np

    rng = np.random.default_rng(0)
    level = np.where(np.arange(LENGTH) < STEP, 0.0, 10.0)
    values = level[:, None] + 0.1 * rng.standard_normal((LENGTH, max(1, channels)))
    values = values[::-1].copy() if reverse else values
    return values if channels > 0 else values[:, 0]


def finds_step(method: str, forward: list[int] | None, backward: list[int] | None) -> bool:
    """Return whether a method finds the step, or raise if it is one point off on both signals.

    >>> finds_step("X", [100], None)
    True
    >>> finds_step("X", [99], [99])
    Traceback (most recent call last):
    ValueError: X puts the cut at 99, but the step is at 100; expected shift=1 if this is its convention, else shift=0
    """
    if forward == backward and forward in ([STEP - 1], [STEP + 1]):
        raise ValueError(
            f"{method} puts the cut at {forward[0]}, but the step is at {STEP}; expected shift={STEP - forward[0]} if "
            "this is its convention, else shift=0"
        )
    return [STEP] in (forward, backward)
