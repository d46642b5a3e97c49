"""Second moments of the pairs kept together by random predictions, for the variance of the Rand Index.

The predictions have r cuts, all equally likely. In points, q(k, g) = C(n - 1 - g + k, r + k) / C(n - 1, r), so that
q(0, g) is the probability that none of g given gaps is cut. In time, with a duration of 1, q(k, g) = (1 - g)**(r + k) *
r! / (r + k)!, so that q(0, g) is the probability that no cut lies in a stretch of length g. Then q(k, g) -
q(k, g + 1) = q(k - 1, g) in points, and -dq(k, g)/dg = q(k - 1, g) in time.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from typing import Any

from .. import _core

__all__ = ["Moments", "MomentsInTime"]
__all__ += ["exact_chances", "exact_chances_in_time", "float_chances", "float_chances_in_time"]

Value = float | Fraction


def exact_chances(n: int, r: int) -> Callable[[int, int], Value]:
    """Return q(k, g) in points as fractions."""
    every = math.comb(n - 1, r)

    @cache
    def chance(k: int, g: int) -> Fraction:
        return Fraction(math.comb(n - 1 - g + k, r + k), every) if n - 1 - g + k >= 0 else Fraction(0)

    return chance


def float_chances(n: int, r: int) -> Callable[[int, int], Value]:
    """Return q(k, g) in points as floats."""

    @cache
    def chance(k: int, g: int) -> float:
        grown = math.prod((n - 1 + i) / (r + i) for i in range(1, k + 1))
        return grown * math.exp(_core.log_chance_to_miss(float(n - 1 + k), float(g), float(r + k)))

    return chance


def exact_chances_in_time(r: int) -> Callable[[int, Fraction], Value]:
    """Return q(k, g) in time as fractions."""

    @cache
    def chance(k: int, g: Fraction) -> Fraction:
        return Fraction(1 - g) ** (r + k) / math.prod(range(r + 1, r + k + 1))

    return chance


def float_chances_in_time(r: int) -> Callable[[int, float], Value]:
    """Return q(k, g) in time as floats."""

    @cache
    def chance(k: int, g: float) -> float:
        missed = math.exp((r + k) * math.log1p(-g)) if g < 1 else 0.0
        return missed / math.prod(range(r + 1, r + k + 1))

    return chance


class Moments:
    """Second moments in points, by telescoping sums over gaps.

    A sum of polynomial(g) q(k, g) over g equals two terms and a sum of the differences of the polynomial, which have a
    lower degree, times q(k + 1, g).
    """

    def __init__(self, chance: Callable[[int, Any], Value], add: Callable[[list[Value]], Value]) -> None:
        self.q, self.add = chance, add

    def summed(self, polynomial: Sequence[Value], k: int, low: Value, high: Value) -> list[Value]:
        """Return terms whose sum is that of polynomial(g) q(k, g) for g from low to high.

        The coefficients of the polynomial start with that of g**0.
        """
        terms: list[Value] = []
        while low <= high and any(polynomial):
            terms.append(_at(polynomial, low) * self.q(k + 1, low))
            terms.append(-_at(polynomial, high) * self.q(k + 1, high + 1))
            polynomial, k, low = _difference(polynomial), k + 1, low + 1
        return terms

    def mean(self, length: Value) -> list[Value]:
        """Return terms of the mean of the pairs together within a stretch."""
        return self.summed([length, -1], 0, 1, length - 1)

    def square(self, length: Value) -> list[Value]:
        """Return terms of the mean square of the pairs together within a stretch."""
        return self.summed([-(length**2), length**2 + length, 0, -1], 0, 1, length - 1)

    def across(self, a: Value, b: Value) -> list[Value]:
        """Return terms of the mean product of the pairs together within two different stretches."""
        q = self.q
        return [
            (a - 1) * (b - 1) * q(2, 2),
            -(b - 1) * (q(3, 3) - q(3, a + 2)),
            -(a - 1) * (q(3, 3) - q(3, b + 2)),
            q(4, 4) - q(4, a + 3) - q(4, b + 3) + q(4, a + b + 2),
        ]

    def mixed(self, start: Value, end: Value, n: Value) -> list[Value]:
        """Return terms of the mean product of the pairs together within a stretch and of all pairs together."""
        a, half = end - start, Fraction(1, 2)
        # (a - g) g (g + 1) / 2 q(0, g) + (a - g) (n - 1 + g) q(1, g + 1) - (a - g) q(2, g + 2), g from 1 to a - 1
        terms = self.summed([0, half * a, half * (a - 1), -half], 0, 1, a - 1)
        terms += self.summed([(a + 1) * (n - 2), a + 1 - (n - 2), -1], 1, 2, a)
        terms += [-term for term in self.summed([a + 2, -1], 2, 3, a + 1)]
        for outside in (start, n - end):  # k (k + 1) / 2 q(1, outside + k + 1), k from 1 to a - 1
            x = outside + 1
            shifted = [half * (x * x - x), half * (1 - 2 * x), half]
            terms += [-term for term in self.summed(shifted, 1, outside + 2, outside + a)]
        return terms

    def variance(self, segments: Sequence[tuple[Value, Value]], n: Value) -> Value:
        """Return the variance of the disagreement with a truth that has these segments.

        The disagreement is P - 2 N plus a constant, for P pairs together in the prediction and N pairs together in
        both.
        """
        lengths = Counter(end - start for start, end in segments)
        both_squared: list[Value] = []
        for a, times in lengths.items():
            both_squared += [times * term for term in self.square(a)]
            for b, others in lengths.items():
                count = times * (others - (a == b))
                both_squared += [count * term for term in self.across(a, b)] if count else []
        mixed = [term for start, end in segments for term in self.mixed(start, end, n)]
        together = self.add(self.mean(n))
        both = self.add([times * term for a, times in lengths.items() for term in self.mean(a)])
        return (
            self.add([*self.square(n), *(-4 * term for term in mixed), *(4 * term for term in both_squared)])
            - (together - 2 * both) ** 2
        )


class MomentsInTime(Moments):
    """Second moments in time, with a duration of 1: integrals in place of the sums, by parts."""

    def summed(self, polynomial: Sequence[Value], k: int, low: Value, high: Value) -> list[Value]:
        """Return terms whose sum is the integral of polynomial(g) q(k, g) over g from low to high."""
        terms: list[Value] = []
        while any(polynomial):
            terms.append(_at(polynomial, low) * self.q(k + 1, low))
            terms.append(-_at(polynomial, high) * self.q(k + 1, high))
            polynomial, k = [power * x for power, x in enumerate(polynomial)][1:], k + 1
        return terms

    def mean(self, length: Value) -> list[Value]:
        """Return terms of the mean of the area together within a stretch."""
        return self.summed([length, -1], 0, 0, length)

    def square(self, length: Value) -> list[Value]:
        """Return terms of the mean square of the area together within a stretch."""
        return self.summed([0, length**2, 0, -1], 0, 0, length)

    def across(self, a: Value, b: Value) -> list[Value]:
        """Return terms of the mean product of the areas together within two different stretches."""
        q = self.q
        return [
            a * b * q(2, 0),
            -b * (q(3, 0) - q(3, a)),
            -a * (q(3, 0) - q(3, b)),
            q(4, 0) - q(4, a) - q(4, b) + q(4, a + b),
        ]

    def mixed(self, start: Value, end: Value, n: Value) -> list[Value]:
        """Return terms of the mean product of the area together within a stretch and of all of the area together."""
        a = end - start
        # (a - g) (g**2 / 2 q(0, g) + (n + g) q(1, g) - q(2, g)), g from 0 to a
        terms = [term / 2 for term in self.summed([0, 0, a, -1], 0, 0, a)]
        terms += self.summed([a * n, a - n, -1], 1, 0, a)
        terms += [-term for term in self.summed([a, -1], 2, 0, a)]
        for x in (start, n - end):  # k**2 / 2 q(1, x + k), k from 0 to a
            terms += [-term / 2 for term in self.summed([x * x, -2 * x, 1], 1, x, x + a)]
        return terms


def _at(polynomial: Sequence[Value], g: Value) -> Value:
    value: Value = 0
    for coefficient in reversed(polynomial):
        value = value * g + coefficient
    return value


def _difference(polynomial: Sequence[Value]) -> list[Value]:
    """Return the coefficients of p(g) - p(g - 1)."""
    result: list[Value] = [0] * (len(polynomial) - 1)
    for power, coefficient in enumerate(polynomial):
        for lower in range(power):
            result[lower] -= coefficient * math.comb(power, lower) * (-1) ** (power - lower)
    return result
