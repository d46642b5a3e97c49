"""Files of plain cuts: text with one cut per line, a JSON list of numbers, and .npy.

These files may be larger than memory: `cuts_on_disk` copies their numbers to a temporary array on disk, and maps it.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ... import _core
from ...segmentation.segmentation import Segmentation
from ...showing import path_text
from ..besides import Besides
from ..options import ReadOptions
from ..rows import Rows
from ..text import LONGEST, REAL, lines, refuse_pipe

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["cuts_on_disk", "integers", "is_list", "read", "write"]

READ_AT_ONCE = 1 << 20  # characters that are read at once
MAGIC = b"\x93NUMPY"
INTEGERS = "expected integers below 2**63"


def is_list(path: Path) -> bool:
    """Return whether a JSON file holds a flat list of cuts."""
    refuse_pipe(path, "json")
    with path.open(encoding="utf-8-sig", errors="replace") as file:
        start = file.read(256).split()
    return "".join(start)[:1] == "[" and "".join(start)[1:2] not in ("[", "{")


def read(path: Path, name: str, options: ReadOptions, besides: Besides) -> Iterator[Rows]:
    """Give the cuts of a file."""
    import numpy as np

    if name == "npy":
        yield Rows(path_text(path), path.stem, "", np.array(_mapped(path)))
        return
    is_json = name == "json"
    parts = [_parsed(words, path, is_json, options.is_timed) for words in _words(path, is_json)]
    kind = np.float64 if options.is_timed else np.int64
    cuts = np.concatenate(parts) if parts else np.empty(0, dtype=kind)
    yield Rows(path_text(path), path.stem, "", cuts, lines=_Places(path) if path.is_file() and not is_json else None)


class _Places(Sequence[int]):
    """The line of each number of a text, found when it is asked for."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __len__(self) -> int:
        return sum(len(line.split()) for _, line in lines(self.path))

    def __getitem__(self, k: Any) -> Any:  # noqa: ANN401
        for number, line in lines(self.path):
            k -= len(line.split())
            if k < 0:
                return number
        raise IndexError(k)


@contextmanager
def cuts_on_disk(path: Path, name: str) -> Iterator[NDArray[np.int64]]:
    """Give the cuts of a file in points as an array on disk.

    A .npy file is mapped directly; a text is first copied to a temporary array on disk.
    """
    import numpy as np

    if name == "npy":
        yield _mapped(path)
        return
    with tempfile.NamedTemporaryFile(prefix="segscore-", suffix=".cuts") as copy:
        for words in _words(path, name == "json"):
            _parsed(words, path, name == "json", False).tofile(copy)
        copy.flush()
        size = os.path.getsize(copy.name)
        yield np.memmap(copy.name, dtype=np.int64, mode="r") if size else np.empty(0, dtype=np.int64)


def _mapped(path: Path) -> NDArray[Any]:
    """Return the array of a .npy file, mapped to memory; no object of Python is ever loaded."""
    import numpy as np

    refuse_pipe(path, "npy")
    with path.open("rb") as file:
        if file.read(len(MAGIC)) != MAGIC:
            raise ValueError(f"{path_text(path)} is not a .npy file; expected numbers that numpy.save wrote")
    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except OSError:
        raise
    except Exception as error:  # NumPy parses the header as an expression of Python, which fails in many ways
        raise ValueError(
            f"{path_text(path)} is not a .npy file of numbers; expected numbers that numpy.save wrote"
        ) from error
    if array.ndim != 1 or array.dtype.kind not in "iuf":
        raise ValueError(
            f"{path_text(path)} holds an array of {array.dtype} with {array.ndim} dimensions; expected numbers in 1 "
            "dimension"
        )
    return array  # type: ignore[no-any-return]


def _words(path: Path, is_json: bool) -> Iterator[list[str]]:
    """Give the numbers of a text or of a JSON list as text, a part of the file at a time."""
    rest, first = "", True
    with path.open(encoding="utf-8-sig", errors="surrogateescape") as text:
        while block := text.read(READ_AT_ONCE):
            rest += block
            if is_json and first:
                rest, first = rest.lstrip(), False
                if not rest.startswith("["):
                    raise ValueError(f"{path_text(path)} holds {rest[:20]!r}; expected a JSON list of cuts like [3, 8]")
                rest = rest[1:]
            words = rest.split(",") if is_json else rest.split()
            is_whole = not is_json and rest[-1].isspace()
            rest = words.pop() if words and not is_whole else ""
            if len(rest) > LONGEST:
                raise ValueError(
                    f"{path_text(path)}: {rest.strip()[:20]!r}... has more than {LONGEST:,} characters; expected "
                    "numbers"
                )
            yield words
    if is_json:
        rest = rest.rstrip()
        if not rest.endswith("]"):
            raise ValueError(f"{path_text(path)} ends with {rest[-20:]!r}; expected a JSON list of cuts like [3, 8]")
        rest = rest[:-1]
    if rest.strip():
        yield [rest]


def _parsed(words: list[str], path: Path, is_json: bool, timed: bool) -> NDArray[Any]:
    """Return texts as numbers; an error names the line of the first text that is not a number."""
    import numpy as np

    with suppress(ValueError, OverflowError):
        if not timed:
            return integers(words, path_text(path))
        if all(REAL.fullmatch(word.strip()) for word in words):
            times = np.array(words, dtype=np.float64)
            if np.isfinite(times).all():
                return times
    wrong = next((word.strip() for word in words if not _is_number(word.strip(), timed)), words[0])
    where = path_text(path)
    if not is_json and path.is_file():  # a pipe cannot be read a second time, to find the line
        number = next((k for k, line in lines(path) if not all(_is_number(w, timed) for w in line.split())), None)
        where += "" if number is None else f", line {number}"
        if number is not None and _has_tabs(path, number):
            raise ValueError(
                f"{where} has fields separated by tabs; expected one cut per line, or format='audacity' for labels of "
                "Audacity"
            )
    raise ValueError(f"{where}: {wrong!r:.40} is not a {'time; expected numbers' if timed else f'cut; {INTEGERS}'}")


def _has_tabs(path: Path, number: int) -> bool:
    return any("\t" in line.strip() for k, line in lines(path) if k == number)


def integers(words: list[str], where: str) -> NDArray[np.int64]:
    """Return texts as integers, or raise; whole numbers as numpy.savetxt writes them are integers too."""
    import numpy as np

    if re.search(r"[^0-9+\-\s]", "".join(words)) is None:  # int() would also accept underscores
        with suppress(ValueError, OverflowError):
            return np.array(words, dtype=np.int64)
    elif all(REAL.fullmatch(word.strip()) for word in words):  # as numpy.savetxt writes them
        with suppress(ValueError):
            return np.array(_core.read_text(",".join(words), where), dtype=np.int64)
    wrong = next((word for word in words if not _is_number(word.strip(), False)), words[0])
    raise ValueError(f"{where}: {wrong.strip()!r:.40} is not a cut; {INTEGERS}")


def _is_number(word: str, timed: bool) -> bool:
    """Return whether a word is a time; or an integer, or a real number that is whole and lacks no digit."""
    if REAL.fullmatch(word) is None:
        return False
    if timed:
        return abs(float(word)) < float("inf")
    with suppress(ValueError):
        return bool(_core.read_text(word, "cut"))
    return False


def write(
    segmentations: Mapping[tuple[str, str], Segmentation], path: Path, name: str, tiers: str, lost: list[str]
) -> None:
    """Write the cuts of one segmentation."""
    import numpy as np

    (segmentation,) = segmentations.values()
    if name == "npy":
        with path.open("wb") as file:
            np.save(file, np.array(segmentation.cuts, dtype=np.int64 if segmentation.duration is None else np.float64))
        return
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(f"{cut!r}\n" for cut in segmentation.cuts)
