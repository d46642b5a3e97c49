"""Simulation: the standard test signals of the field, and random segmentations.

The signals are those of Fryzlewicz (2014), which are widely used to compare detectors of changes in the mean: step
functions with levels and change points from the literature, and Gaussian noise. In the literature, a change point is
the first point of the new segment counted from 1. A cut is the number of points before it, so the first change point of
blocks, 205, is the cut 204.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from . import _core, arguments
from .scores.nulls import Null, numbered
from .segmentation.conversions import blocks
from .segmentation.segmentation import Segmentation

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["SIGNALS", "Signal", "segmentations", "signal"]


class _Model(NamedTuple):
    n: int
    cuts: tuple[int, ...]
    levels: tuple[float, ...]
    sigma: float  # standard deviation of the noise in the literature


SIGNALS = {
    "blocks": _Model(
        2048,
        (204, 266, 307, 471, 511, 819, 901, 1331, 1556, 1597, 1658),
        (0, 14.64, -3.66, 7.32, -7.32, 10.98, -4.39, 3.29, 19.03, 7.68, 15.37, 0),
        10.0,
    ),
    "fms": _Model(497, (138, 225, 242, 299, 308, 332), (-0.18, 0.08, 1.07, -0.53, 0.16, -0.69, -0.16), 0.3),
    "mix": _Model(
        560,
        (10, 20, 40, 60, 90, 120, 160, 200, 250, 300, 360, 420, 490),
        (7, -7, 6, -6, 5, -5, 4, -4, 3, -3, 2, -2, 1, -1),
        4.0,
    ),
    "teeth": _Model(140, tuple(range(10, 140, 10)), (0, 1) * 7, 0.4),
    "stairs": _Model(150, tuple(range(10, 150, 10)), tuple(range(1, 16)), 0.3),
}
"""Length, cuts, levels and noise of the standard signals, by their names."""


class Signal(NamedTuple):
    """Simulated signals, their true segmentation, and their level at each point."""

    values: NDArray[np.float64]  # one signal, or one signal per row
    truth: Segmentation
    levels: NDArray[np.float64]


def signal(
    name: str,
    *,
    scale: int = 1,
    sigma: float | None = None,
    count: int | None = None,
    rng: np.random.Generator | int | None = None,
) -> Signal:
    """Simulate a standard signal with noise: blocks, fms, mix, teeth or stairs.

    ``scale`` repeats every point that many times. ``sigma`` is the standard deviation of the noise; the default is the
    value in the literature. ``count`` makes that many signals, one per row. ``rng`` is a Generator of NumPy or a
    seed: the same seed gives the same noise.

    >>> blocks = signal("blocks", rng=1)
    >>> blocks.values.shape, blocks.truth.cuts[:3]
    ((2048,), [204, 266, 307])
    >>> signal("teeth", scale=10, sigma=0, count=5).values.shape
    (5, 1400)

    Reference: Fryzlewicz, "Wild binary segmentation for multiple change-point detection" (2014).
    """
    import numpy as np

    model, factor = SIGNALS[arguments.choice(name, "name", SIGNALS)], arguments.integer(scale, "scale", least=1)
    deviation = model.sigma if sigma is None else float(sigma)
    if not 0 <= deviation < float("inf"):
        raise ValueError(f"sigma = {sigma!r:.40} is not a standard deviation; expected 0 or more")
    truth = Segmentation([cut * factor for cut in model.cuts], n=model.n * factor)
    levels = np.empty(truth.n)
    for (start, end), level in zip(truth.segments, model.levels, strict=True):
        levels[start:end] = level
    noise = np.random.default_rng(arguments.seed_of(rng))
    values = np.empty((1 if count is None else arguments.integer(count, "count", least=0), truth.n))
    for row in values:
        for part in blocks(truth.n):
            row[part] = levels[part] + deviation * noise.standard_normal(part.stop - part.start)
    return Signal(values[0] if count is None else values, truth, levels)


def segmentations(
    count: int, like: Segmentation, *, null: Null = "uniform", rng: np.random.Generator | int | None = None
) -> list[Segmentation]:
    """Draw random segmentations of the same length as another, under a null hypothesis.

    ``null`` is a null hypothesis of `segscore.scores.nulls`. ``uniform`` (and ``both``) draw as many cuts as ``like``
    has, all sets of gaps equally likely; ``bernoulli`` cuts each gap with the same probability; ``shuffle`` puts the
    segments of ``like`` in a random order. In time, cuts are uniform on (0, duration), or a Poisson process.
    ``rng`` is a Generator of NumPy or a seed.

    >>> segmentations(2, Segmentation([3, 8], n=10), null="shuffle", rng=1)
    [Segmentation([3, 8], n=10), Segmentation([2, 7], n=10)]
    """
    if not isinstance(like, Segmentation):
        raise TypeError(f"like is {like!r:.40}; expected a Segmentation, for its length and its cuts")
    wanted = arguments.integer(count, "count", least=0)
    number, p = numbered(null, len(like.cuts), like.length)
    drawn = _core.drawn_cuts(like._cuts, like.length, number, p, wanted, arguments.seed_of(rng))
    return [Segmentation._of(cuts, like.length, origin=like._origin) for cuts in drawn]
