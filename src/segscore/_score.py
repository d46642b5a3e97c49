"""How the families reach the core: by the number of a score's row in the catalog."""

from __future__ import annotations

import math
from operator import index
from typing import SupportsIndex

from . import _core
from .segmentation import Cuts

ROWS = {row[0]: number for number, row in enumerate(_core.metrics())}
AVERAGES = ("arithmetic", "geometric", "min", "max", "joint")


def score_with(
    row: int,
    truth: Cuts,
    pred: Cuts,
    n: int | None,
    duration: float | None = None,
    *,
    margin: float | None = None,
    relative_margin: float | None = None,
    beta: float = 1.0,
    base: float = 0.0,
    average: str = "arithmetic",
    k: int | None = None,
    n_t: int = 2,
    insertion: float = 2.0,
    deletion: float = 2.0,
    shift: float = 1.0,
    symmetric: bool = False,
    weighted: bool = False,
    lamprier: bool = False,
) -> float:
    """Score with options, each checked here."""
    if average not in AVERAGES:
        raise ValueError(f"average = {average!r} is unknown; expected one of {', '.join(AVERAGES)}")
    return _core.score_with(
        row,
        truth,
        pred,
        n,
        duration,
        margin,
        relative_margin,
        at_least(0.0, beta, "beta"),
        base,
        AVERAGES.index(average),
        0 if k is None else whole(1, k, "k"),
        whole(1, n_t, "n_t"),
        at_least(0.0, insertion, "insertion"),
        at_least(0.0, deletion, "deletion"),
        at_least(0.0, shift, "shift"),
        symmetric,
        weighted,
        lamprier,
    )


def at_least(low: float, value: float, name: str) -> float:
    """Return a finite number that is at least low, or raise."""
    try:
        number = math.nan if isinstance(value, bool | str) else float(value)
    except (TypeError, OverflowError):
        number = math.nan
    if not low <= number < math.inf:
        raise ValueError(f"{name} = {value!r} is not a number that fits; expected {low:g} or more")
    return number


def whole(low: int, value: SupportsIndex, name: str) -> int:
    """Return an integer that is at least low, or raise."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name} = {value!r} is {type(value).__name__}; expected an integer")
    if not low <= index(value) < 2**63:
        raise ValueError(f"{name} = {value!r} is out of range; expected {low} or more")
    return index(value)
