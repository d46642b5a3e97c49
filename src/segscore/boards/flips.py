"""Sign flips: tests and intervals of means, by changing the signs of units (series or groups of series)."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["LEVEL", "NEAR", "Flipped", "Units", "flipped", "holm", "needed", "units_of"]

LEVEL = 0.05  # significance level of all tests
EXACT_MOST = 20  # largest number of units of which all sign flips are tried
FLIPS = 9_999  # random sign flips of more units
FLIPS_PER_TEST = 200  # for corrections over many tests, which need small p
AT_ONCE = 10**6  # signs drawn at once
NEAR = 1e-12  # numbers that differ by less, relative to the largest, differ by rounding


class Units(NamedTuple):
    """Sum and number of the values of each unit, in the order of the names of the units."""

    sums: NDArray[np.float64]
    counts: NDArray[np.float64]


class Flipped(NamedTuple):
    """Test of the mean by sign flips, and the interval of the means that the test does not reject at 5 %."""

    p: float
    low: float  # infinite if there are too few units
    high: float


def units_of(values: NDArray[np.float64], groups: Sequence[Hashable] | None) -> Units:
    """Return the units of values per series; ``groups`` are the names of the groups of the series."""
    import numpy as np

    if groups is None:
        return Units(values, np.ones(values.size))
    members: dict[Hashable, list[float]] = {}
    for group, value in zip(groups, values.tolist(), strict=True):
        members.setdefault(group, []).append(value)
    own = [members[name] for name in sorted(members, key=str)]
    return Units(np.array([math.fsum(each) for each in own]), np.array([float(len(each)) for each in own]))


def flipped(sums: NDArray[np.float64], counts: NDArray[np.float64], tests: int = 1) -> list[Flipped]:
    """Test whether the mean of each row of sums is 0, two-sided, and invert the test.

    All rows have the same units. If the differences of a unit are symmetric around a mean m, a change of the sign of
    its sum, less m per value, changes no probability. All sign flips of up to 20 units are tried, and otherwise random
    ones from a fixed seed, at least 9,999 and 200 per test of a family. p is the share of the flips, the observed signs
    included, with a sum at least as large. The test accepts m exactly if m lies between the mean of the units with
    changed signs and the mean of the other units, so the ends of the interval are quantiles of these means.

    >>> import numpy as np
    >>> flipped(np.array([[0.1, 0.2, 0.2, 0.3, 0.4, 0.6]]), np.ones(6))[0].p  # six wins
    0.03125
    """
    import numpy as np

    size, number = counts.size, float(counts.sum())
    if not size or not len(sums):
        return [Flipped(1.0, -math.inf, math.inf)] * len(sums)
    exponents = np.frexp(np.abs(sums).max(axis=1))[1] + size.bit_length() - 52
    whole = np.rint(np.ldexp(sums, -exponents[:, None]))  # integers whose sums are exact, in any order
    with np.errstate(divide="ignore"):
        changed = _changed_sums(counts, tests)
        shares = 1 / changed, 1 / (number - changed)
    many = changed.size + 1  # flips with the observed signs
    least = int(LEVEL * many)  # as many flips besides the observed signs have to accept a mean
    found = []
    for row, exponent in zip(whole, exponents.tolist(), strict=True):  # one by one, because 2^19 flips need memory
        part = _changed_sums(row, tests)
        total, near = float(row.sum()), NEAR * float(np.abs(row).sum())
        p = (1 + int((np.abs(total - 2 * part) >= abs(total) - near).sum())) / many
        low, high = -math.inf, math.inf
        if least:
            with np.errstate(invalid="ignore"):  # a random flip may change no sign
                one, other = part * shares[0], (total - part) * shares[1]
            low = float(np.partition(np.fmin(one, other), least - 1)[least - 1])
            high = float(np.partition(np.fmax(one, other), many - 1 - least)[many - 1 - least])
            low, high = (0.0 if abs(end) <= near / number else math.ldexp(end, exponent) for end in (low, high))
        found.append(Flipped(p, low, high))
    return found


def _changed_sums(row: NDArray[np.float64], tests: int) -> NDArray[np.float64]:
    """Return the sum of the units with changed signs in each flip."""
    import numpy as np

    if row.size <= EXACT_MOST:  # the last unit keeps its sign, because to change all signs changes nothing
        found = np.zeros(2 ** (row.size - 1))
        for k, value in enumerate(row[:-1].tolist()):
            np.add(found[: 2**k], value, out=found[2**k : 2 ** (k + 1)])
        return found[1:]
    many, done = max(FLIPS, FLIPS_PER_TEST * tests), 0
    found = np.empty(many)
    while done < many:
        signs = _signs(row.size, done, min(many - done, max(1, AT_ONCE // row.size)))
        # A product of matrices would start threads, which wait for each other on a busy machine.
        np.einsum("u,fu->f", row, signs.astype(float), out=found[done : done + len(signs)])
        done += len(signs)
    return found


@lru_cache(maxsize=128)  # the pairs of a leaderboard have the same number of units; a byte per sign, 128 MB at most
def _signs(size: int, start: int, count: int) -> NDArray[np.uint8]:
    """Return which units change their signs in each flip; the flips depend on the number of units alone."""
    import numpy as np

    return np.random.default_rng([size, start]).integers(0, 2, (count, size), dtype=np.uint8)


def needed(tests: int) -> int:
    """Return the smallest number of units with which a test can reach 5 %.

    The smallest p of n units is 2^(1 - n), and Holm's method multiplies the smallest p by the number of tests.

    >>> [needed(k * (k - 1) // 2) for k in (2, 3, 5, 10, 20)]  # all pairs of k methods
    [6, 7, 9, 11, 13]
    """
    least = 1
    while tests * 2.0 ** (1 - least) > LEVEL:
        least += 1
    return least


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values corrected for their number by Holm's method.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    corrected, largest = [0.0] * len(p_values), 0.0
    for done, k in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        largest = max(largest, min(1.0, (len(p_values) - done) * p_values[k]))
        corrected[k] = largest
    return corrected
