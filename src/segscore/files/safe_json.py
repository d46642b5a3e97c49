"""JSON, parsed by Python's library, with bounds and without surprises.

Numbers must be finite and of a size that a file may need, no object may have a key twice, and every error names the
place of the fault.
"""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any, NoReturn

from ..showing import path_text
from .text import file_text, first_twice

__all__ = ["DIGITS", "load", "loads"]

DIGITS = 40  # digits of an integer; no number of a file needs more
HUGE = re.compile(r"[0-9]{40}|[eE]\+?[0-9]{3}")  # in every text with a number that is too large
HALF = re.compile(r"\\u[dD][89a-fA-F]")  # in every text with half of a character that takes two escapes


def load(path: Path, expected: str, *, finite: bool = True) -> Any:  # noqa: ANN401
    """Return the content of a JSON file, or raise; ``expected`` says what the file should be.

    The file is read as a whole, so its size is bounded. Without ``finite``, numbers may be infinite or nan, as other
    libraries write them: the caller checks the numbers that it needs.
    """
    return loads(file_text(path), path_text(path), expected, finite=finite)


def loads(text: str, where: str, expected: str, *, finite: bool = True) -> Any:  # noqa: ANN401
    """Return the content of a JSON text, or raise with the place of the fault."""
    numbers: Any = {"parse_int": _integer} if HUGE.search(text) else {}  # it is slow
    if numbers and finite:
        numbers["parse_float"] = _finite
    constant = _constant if finite else float
    try:
        content = json.loads(text, **numbers, parse_constant=constant, object_pairs_hook=_object)
        if HALF.search(text):
            json.dumps(content, ensure_ascii=False).encode()
        return content
    except json.JSONDecodeError as error:
        at = f"line {error.lineno}, column {error.colno}" if "\n" in text else f"column {error.colno}"
        rest = text[error.pos : error.pos + 20]
        what = f"{rest!r} is not JSON" if rest.strip() else "the text ends too early"
        raise ValueError(f"{where}, {at}: {what}; expected {expected}") from None
    except _Refused as error:
        raise ValueError(f"{where}: {error}; expected {expected}") from None
    except UnicodeEncodeError as error:
        half = f"\\u{ord(error.object[error.start]):04x}"
        raise ValueError(f"{where}: {half} is half a character; expected {expected}") from None
    except RecursionError:
        raise ValueError(f"{where} has lists or objects too deep inside others; expected {expected}") from None


class _Refused(ValueError):
    """A value that JSON allows, or that Python's parser allows, but segscore does not."""


def _integer(text: str) -> int:
    if len(text) > DIGITS:
        raise _Refused(f"{text[:20]}... has {len(text)} digits")
    return int(text)


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise _Refused(f"{text:.40} is too large for a number")
    return value


def _constant(text: str) -> NoReturn:
    raise _Refused(f"{text} is not a number of JSON")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) < len(pairs):
        raise _Refused(f"the key {first_twice(name for name, _ in pairs)!r:.60} occurs twice in one object")
    return record
