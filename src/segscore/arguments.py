"""Arguments that many functions share: flags, numbers, threads, seeds, generators, suffixes, choices, and columns."""

from __future__ import annotations

import operator
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from .showing import path_text

if TYPE_CHECKING:
    from numpy.random import Generator

__all__ = ["choice", "columns", "exclusive", "flag", "integer", "number", "seed", "seed_of", "suffix", "threads"]

MOST_THREADS = 1024
Choice = TypeVar("Choice", bound=str | None)


def flag(value: object, name: str) -> bool:
    """Return an argument as a bool, or raise if it is neither True nor False, of Python or NumPy.

    >>> flag("no", "ends")
    Traceback (most recent call last):
    TypeError: ends = 'no' is a str; expected True or False
    """
    kind = type(value).__name__
    if kind not in ("bool", "bool_"):
        article = "an" if kind[0] in "aeiou" else "a"
        raise TypeError(f"{name} = {value!r:.40} is {article} {kind}; expected True or False")
    return bool(value)


def exclusive(given: Mapping[str, bool]) -> None:
    """Raise if more than one of several arguments is given, by their names as in a call.

    >>> exclusive({"n=": True, "duration=": False, "ends=True": True})
    Traceback (most recent call last):
    TypeError: n= and ends=True exclude each other; expected one of them
    """
    names = [name for name, is_given in given.items() if is_given]
    if len(names) > 1:
        raise TypeError(f"{' and '.join(names)} exclude each other; expected one of them")


def integer(value: object, name: str, *, least: int | None = None, most: int | None = None) -> int:
    """Return an argument as an int, or raise if it is not an integer or out of range.

    >>> integer(0, "k", least=1)
    Traceback (most recent call last):
    ValueError: k = 0 is out of range; expected an integer of at least 1
    """
    expected = "an integer"
    if least is not None:
        expected += f" of at least {least}" if most is None else f" from {least} to {most}"
    try:
        if isinstance(value, bool):
            raise TypeError
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(f"{name} = {value!r:.40} is a {type(value).__name__}; expected {expected}") from None
    if (least is not None and number < least) or (most is not None and number > most):
        raise ValueError(f"{name} = {number} is out of range; expected {expected}")
    return number


def number(value: object, name: str, expected: str = "a number") -> float:
    """Return an argument that is a real number unchanged, or raise; nan is not a number.

    >>> number("a", "value")
    Traceback (most recent call last):
    TypeError: value = 'a' is a str; expected a number
    """
    kind = type(value).__name__
    is_real = hasattr(value, "__float__") and kind not in ("bool", "bool_") and not getattr(value, "ndim", 0)
    if not is_real:
        article = "an" if kind[0] in "aeiou" else "a"
        raise TypeError(f"{name} = {value!r:.40} is {article} {kind}; expected {expected}")
    if value != value:
        raise ValueError(f"{name} = nan is not a number; expected {expected}")
    return value  # type: ignore[return-value]


def threads(count: int | None, name: str = "threads") -> int:
    """Return the number of threads to use; the default is the number of available cores."""
    if count is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(integer(count, name, least=1), MOST_THREADS)


def seed(number: int | None) -> int:
    """Return a seed below 2**64; the default is a random one."""
    return int.from_bytes(os.urandom(8), "little") if number is None else integer(number, "seed") % 2**64


def _alternatives(names: Sequence[str]) -> str:
    """Return alternatives as text.

    >>> _alternatives([".png", ".svg", ".pdf"])
    '.png, .svg or .pdf'
    """
    return " or ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def suffix(path: str | os.PathLike[str], expected: Sequence[str]) -> str:
    """Return the suffix of a file in lower case, or raise if it is not expected.

    >>> suffix("runs.gz", [".csv", ".tsv"])
    Traceback (most recent call last):
    ValueError: runs.gz ends with '.gz'; expected .csv or .tsv
    """
    ending = Path(path).suffix
    if ending.lower() not in expected:
        raise ValueError(f"{path_text(path)} ends with {ending or 'nothing'!r}; expected {_alternatives(expected)}")
    return ending.lower()


def seed_of(rng: Generator | int | None) -> int:
    """Return the seed for ``rng=``: an integer itself, one draw of a Generator, or a random seed.

    >>> seed_of("x")
    Traceback (most recent call last):
    TypeError: rng = 'x' is a str; expected a Generator of NumPy, an integer or None
    """
    if (draw := getattr(rng, "integers", None)) is not None:
        return int(draw(2**64, dtype="uint64"))
    try:
        return seed(rng)  # type: ignore[arg-type]
    except TypeError:
        kind = type(rng).__name__
        raise TypeError(f"rng = {rng!r:.40} is a {kind}; expected a Generator of NumPy, an integer or None") from None


def choice(value: Choice, name: str, expected: Iterable[Choice]) -> Choice:
    """Return an argument that is one of several names, or raise.

    >>> choice("zero", "failures", ["worst", "common", "omit"])
    Traceback (most recent call last):
    ValueError: failures = 'zero' is unknown; expected 'worst', 'common' or 'omit'
    """
    names = list(expected)
    if not isinstance(value, str | None) or value not in names:
        raise ValueError(f"{name} = {value!r:.40} is unknown; expected {_alternatives([*map(repr, names)])}")
    return value


def columns(present: Iterable[str], needed: Iterable[str], table: str, expected: str = "") -> None:
    """Raise for the first column that a table lacks; ``table`` names the table with its verb.

    >>> columns(["series", "pred"], ["series", "method"], "runs have")
    Traceback (most recent call last):
    ValueError: runs have no column 'method'; they have series, pred
    """
    names = list(map(str, present))
    for name in needed:
        if name not in names:
            pronoun = "they have" if table.endswith(" have") else "it has"
            remedy = f"; expected {expected}" if expected else ""
            raise ValueError(f"{table} no column {name!r}; {pronoun} {', '.join(names) or 'none'}{remedy}")
