"""Files that give the lengths of series: a name and a length per line, as chrom.sizes, or UEM."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ..showing import count_text, path_text
from .text import lines, number_in, seconds

__all__ = ["lengths_by_name", "regions"]

UEM_FIELDS = "expected file, channel, start and end"


def lengths_by_name(path: Path) -> dict[str, float]:
    """Return the lengths of a file with a name and a length per line, as chrom.sizes, or of a UEM file."""
    if path.suffix.lower() == ".uem":
        return _ends_of_regions(path)
    found: dict[str, float] = {}
    for number, line in lines(path):
        words = line.rsplit(None, 1)
        where = f"{path_text(path)}, line {number}"
        if not words or line.startswith("#"):
            continue
        if len(words) != 2:
            raise ValueError(f"{where}: {line!r:.40} is not a name and a length; expected lines like chr1 248956422")
        name = words[0].strip()
        if name in found:
            raise ValueError(f"{where}: {name!r:.60} has two lengths; expected one per name")
        found[name] = number_in(words[1], where)
    return found


def _ends_of_regions(path: Path) -> dict[str, float]:
    """Return the end of the scored region of each recording, or raise if a recording has more than one from 0."""
    found: dict[str, float] = {}
    for number, (file, _, start, end) in regions(path):
        where = f"{path_text(path)}, line {number}"
        length = seconds(end, where)
        if seconds(start, where) or found.setdefault(file, length) != length:
            raise ValueError(
                f"{where}: the scored region of {file!r:.60} from {start} to {end} does not give a length; expected "
                "one region per recording, from 0"
            )
    return found


def regions(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Give the number and the fields of each line."""
    for number, line in lines(path):
        words = line.split()
        if not words or line.startswith((";", "#")):
            continue
        if len(words) != 4:
            where = f"{path_text(path)}, line {number}"
            raise ValueError(f"{where} has {count_text(len(words), 'field')}; {UEM_FIELDS}")
        yield number, words
