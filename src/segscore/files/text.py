"""Lines and numbers of text files, with errors that name file, line and value."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from ..showing import path_text

__all__ = [
    "LONGEST",
    "RAISE",
    "REAL",
    "WHOLE",
    "decimals",
    "exact",
    "file_text",
    "first_twice",
    "limit",
    "lines",
    "number_in",
    "point",
    "read_bytes",
    "refuse_pipe",
    "seconds",
    "units",
]

LARGEST = 2**27  # bytes of a file that is read as a whole
LONGEST = 2**24  # characters of one line
RAISE = "or a larger SEGSCORE_LIMITS in the environment"  # the end of errors of a limit
REAL = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
WHOLE = re.compile(r"[+-]?[0-9]{1,30}")
UNDECODED = re.compile("[\udc80-\udcff]")  # bytes that are not UTF-8, as Python marks them


def limit(usual: int) -> int:
    """Return a limit of size, which the environment variable SEGSCORE_LIMITS multiplies."""
    factor = os.environ.get("SEGSCORE_LIMITS", "1")
    if not re.fullmatch("0*[1-9][0-9]{0,8}", factor):
        raise ValueError(
            f"the environment variable SEGSCORE_LIMITS is {factor!r:.40}; expected a whole number, by which the usual "
            "limits of size are multiplied"
        )
    return usual * int(factor)


def first_twice(names: Iterable[str]) -> str | None:
    """Return the first name that occurs a second time, or None."""
    seen: set[str] = set()
    return next((name for name in names if name in seen or seen.add(name)), None)  # type: ignore[func-returns-value]


def refuse_pipe(path: Path, name: str) -> None:
    """Raise for a pipe or a device, if the format needs a file that can be read twice."""
    if path.exists() and not path.is_file():
        raise ValueError(
            f"{path_text(path)} can be read only once, as it is a pipe or a device; expected a file for the format "
            f"{name}"
        )


def lines(path: Path) -> Iterator[tuple[int, str]]:
    """Give the number and the text of each line of a file in UTF-8, one at a time, without its line break.

    Line breaks may be those of Unix, Windows or old Macs. A byte order mark is skipped.
    """
    with path.open(encoding="utf-8", errors="surrogateescape") as file:
        number, longest = 0, limit(LONGEST)
        while line := file.readline(longest + 1):
            number += 1
            if len(line) > longest:
                raise ValueError(
                    f"{path_text(path)}, line {number} has more than {longest:,} characters; expected shorter lines, "
                    f"{RAISE}"
                )
            if number == 1:
                line = line.removeprefix("\ufeff")
            if not line.isascii() or "\0" in line:
                _refuse_undecoded(line, f"{path_text(path)}, line {number}")
            yield number, line.removesuffix("\n")


def _refuse_undecoded(line: str, where: str) -> None:
    if line.startswith(("\udcff\udcfe", "\udcfe\udcff")):
        raise ValueError(f"{where} starts with a mark of UTF-16; expected UTF-8 (save the file as UTF-8)")
    if found := UNDECODED.search(line):
        raise ValueError(
            f"{where}: byte 0x{ord(found[0]) - 0xDC00:02x} is not UTF-8; expected UTF-8 (save the file as UTF-8)"
        )
    if "\0" in line:
        raise ValueError(f"{where} holds a NUL character; expected text")


def read_bytes(path: Path) -> bytes:
    """Return the bytes of a file that is read as a whole, or raise if the file is too large."""
    largest = limit(LARGEST)
    with path.open("rb") as file:
        content = file.read(largest + 1)
    if len(content) > largest:
        raise ValueError(
            f"{path_text(path)} is larger than {largest // 2**20} MiB, and this format is read as a whole; expected a "
            f"smaller file, the same segmentations as .jsonl, .csv or .parquet, {RAISE}"
        )
    return content


def file_text(path: Path) -> str:
    """Return a whole file as text: UTF-8, or UTF-16 with or without a byte order mark."""
    content = read_bytes(path)
    encoding = "utf-8-sig"
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        encoding = "utf-16"
    elif content[:1] == b"\0":
        encoding = "utf-16-be"
    elif content[1:2] == b"\0":
        encoding = "utf-16-le"
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise ValueError(
            f"{path_text(path)}, line {line}: byte 0x{content[min(error.start, len(content) - 1)]:02x} is not "
            f"{encoding[:6].rstrip('-').upper()}; expected UTF-8 or UTF-16 (save the file as UTF-8)"
        ) from None
    if "\0" in text:
        line = text[: text.index("\0")].count("\n") + 1
        raise ValueError(f"{path_text(path)}, line {line} holds a NUL character; expected text")
    return text


def seconds(text: str, where: str) -> float:
    """Return a number in a text, or raise: a time is a finite decimal number.

    >>> seconds("12.5", "a.lab, line 1")
    12.5
    """
    if REAL.fullmatch(text):
        value = float(text)
        if math.isfinite(value):
            return value
        raise ValueError(f"{where}: {text!r:.40} is too large for a number; expected a time below 1e308")
    raise ValueError(f"{where}: {text!r:.40} is not a time; expected a number like 12.5")


def decimals(text: str) -> int:
    """Return how many decimals a number is written with.

    >>> decimals("12.50")
    2
    """
    return 0 if text.isdecimal() else 20 if "e" in text or "E" in text else len(text.partition(".")[2])


def exact(number: Any) -> str:  # noqa: ANN401
    """Return a number of NumPy or Python as Python prints it."""
    return repr(number.item() if hasattr(number, "item") else number)


def number_in(text: str, where: str) -> float:
    """Return a number in a text, or raise; an integer keeps all digits.

    >>> number_in("9007199254740993", "chrom.sizes, line 1")
    9007199254740993
    """
    return int(text) if WHOLE.fullmatch(text) else seconds(text, where)


def point(text: str) -> int:
    """Return an integer in a text, or raise: a point is an integer below 2**63. The caller adds the place.

    >>> point("12")
    12
    """
    if text.isdecimal() and text.isascii() and len(text) < 19:  # nearly always
        return int(text)
    if WHOLE.fullmatch(text.strip()):
        value = int(text.strip())
        if abs(value) < 2**63:
            return value
        raise ValueError(f"{text.strip()} is too large; expected an integer below 2**63")
    raise ValueError(f"{text.strip()!r:.40} is not a point; expected an integer like 12")


def units(unit: float | None) -> Callable[[Any], Any]:
    """Return a function that converts a number or an array of numbers of a file to seconds.

    Units like 1e-7 are divisions by a whole number, so that each result is rounded once.

    >>> units(1e-7)(13_000_001)
    1.3000001
    """
    if unit is None or unit == 1:
        return lambda value: value * 1.0
    inverse = round(1 / unit)
    if inverse > 0 and 1 / inverse == unit:
        return lambda value: value / inverse
    return lambda value: value * unit
