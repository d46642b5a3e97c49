"""Null hypotheses: what a random segmentation is.

In points:

=============  =======================================================================================================
``uniform``    the truth is fixed; the prediction has the same number of cuts, every set of gaps equally likely
``both``       both sides have the same numbers of cuts as given, every set of gaps equally likely
``bernoulli``  the truth is fixed; the prediction cuts each gap with probability p, see `bernoulli`
``shuffle``    the truth is fixed; the prediction has its own segments in a random order
=============  =======================================================================================================

In time (``duration=T``) there are no gaps. A random cut is uniform on (0, T):

=============  =======================================================================================================
``uniform``    the truth is fixed; the prediction has the same number of cuts, independent and uniform on (0, T)
``both``       both sides have the same numbers of cuts as given, independent and uniform on (0, T)
``poisson``    the truth is fixed; the prediction is a Poisson process, see `poisson`
``shuffle``    the truth is fixed; the prediction has its own segments in a random order
=============  =======================================================================================================

The values in time are the limits of those in points for an ever finer sampling, with ``poisson`` in place of
``bernoulli``.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["NULLS", "Null", "bernoulli", "numbered", "poisson"]

NULLS = ("uniform", "both", "bernoulli", "shuffle")
_NULLS_IN_TIME = ("uniform", "both", "poisson", "shuffle")
_MOST_CUTS = 1e15  # mean number of cuts of a Poisson process; a fine grid stands for time


class bernoulli(NamedTuple):
    """Null hypothesis in which each gap is cut independently with probability p.

    The text ``"bernoulli"`` takes as p the share of gaps that the prediction cuts.

    >>> from segscore import expected_rand_index
    >>> round(expected_rand_index([4, 8], 2, n=10, null=bernoulli(0.5)), 12)
    0.744401041667
    """

    p: float


class poisson(NamedTuple):
    """Null hypothesis in time in which cuts are a Poisson process with a rate.

    The rate is the mean number of cuts per unit of time. The text ``"poisson"`` takes as rate the number of
    predicted cuts divided by the duration.

    >>> from segscore import expected_rand_index
    >>> round(expected_rand_index([4.0, 8.0], 2, duration=10, null=poisson(0.2)), 12)
    0.641310332652
    """

    rate: float


Null = str | bernoulli | poisson


def numbered(null: Null, r: int, length: float) -> tuple[int, float]:
    """Return the core's number of a null hypothesis, and the probability of a cut in each gap.

    An int is a number of points, a float a duration. In time the second number is the mean number of cuts.
    """
    in_time = isinstance(length, float)
    names, own = (_NULLS_IN_TIME, "poisson(rate)") if in_time else (NULLS, "bernoulli(p)")
    expected = f"expected {', '.join(map(repr, names))} or {own}"
    if null == "bernoulli" or isinstance(null, bernoulli):
        if in_time:
            raise ValueError(f"null = {null!r} cuts gaps between points; in time {expected}")
        if isinstance(null, str):
            return 2, r / (length - 1) if length > 1 else 0.0
        if isinstance(null.p, str) or not hasattr(null.p, "__float__"):
            raise TypeError(f"p = {null.p!r:.40} is {type(null.p).__name__}; expected a probability")
        if not 0 <= null.p <= 1:
            raise ValueError(f"p = {null.p} is not a probability; expected 0 <= p <= 1")
        return 2, float(null.p)
    if null == "poisson" or isinstance(null, poisson):
        if not in_time:
            raise ValueError(f"null = {null!r} is a process in time; in points {expected}")
        if isinstance(null, str):
            return 2, float(r)
        if isinstance(null.rate, str) or not hasattr(null.rate, "__float__"):
            raise TypeError(f"rate = {null.rate!r:.40} is {type(null.rate).__name__}; expected a number")
        if not 0 <= null.rate * length <= _MOST_CUTS:
            raise ValueError(f"rate = {null.rate} is out of range; expected 0 <= rate * duration <= {_MOST_CUTS:g}")
        return 2, float(null.rate) * length
    if null not in names:
        raise ValueError(f"null = {null!r:.40} is unknown; {expected}")
    return names.index(null), 0.0
