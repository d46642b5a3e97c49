"""Writing of segmentations to files of any known format that can hold them."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..outputs import aside
from ..segmentation.segmentation import Segmentation
from ..segmentation.timestamps import SECONDS
from ..showing import path_text
from .formats import Format, format_of
from .safe_json import DIGITS
from .segmentations import Segmentations
from .text import units

__all__ = ["write"]

# What a name or a label must not contain, by format: the text would not be read back.
FORBIDDEN = {
    "csv": (r"\r|^\s+$", "a carriage return, or only spaces"),
    "tsv": (r"\r|^\s+$", "a carriage return, or only spaces"),
    "lab": (r"[\r\n]|^\s|\s$", "a line break, or a space at an end"),
    "time_label": (r"[\r\n]|^\s|\s$", "a line break, or a space at an end"),
    "uem": (r"\s|^[;#]", "a space, or a mark of comments at its start"),
    "audacity": (r"[\r\n\t]|^\s|\s$", "a tab or line break, or a space at an end"),
    "rttm": (r"\s|^$|^<NA>$", "a space, or <NA>, or nothing"),
    "bed": (
        r"[\r\n\t]|^\.?$|^\s|\s$|^\ufeff",
        "a tab or line break, a space at an end, a byte order mark, or only a dot or nothing",
    ),
}


def write(
    segmentations: Segmentation | Mapping[Any, Segmentation],
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    unit: float | None = None,
) -> list[str]:
    """Write segmentations to a file, and return what the format cannot hold.

    Parameters
    ----------
    segmentations
        One segmentation, the result of `segscore.read`, or a mapping from series or (series, tier) to segmentations.
    path
        The file; the suffix tells the format, as for `segscore.read`. The file appears when it is complete.
    format
        The name of the format, if the suffix does not tell.
    unit
        The seconds per unit of the numbers in the file: times are written as whole numbers of units. Times that are
        not whole numbers of units are an error.

    Returns
    -------
    list of str
        What was lost: labels, lengths or names that the format cannot hold. An empty list if the file holds everything.
        What the format cannot hold at all, such as two segmentations in one .lab file, is an error.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> song = Segmentation([12.5], ["verse", "chorus"], duration=30)
    >>> write(song, folder / "song.lab")
    []
    >>> write(song, folder / "song.txt")
    ['labels', 'the length of the sequence']

    """
    target = Path(path)
    known = format_of(target, format)
    found = _by_series_and_tier(segmentations, target)
    if unit is not None:
        found = Segmentations({name: _in_units(each, name, unit) for name, each in found.items()}, tiers=found.tiers)
    lost: list[str] = []
    found = _without_timestamps(found, known, lost)
    _refuse_kinds(found, known, target, unit)
    _refuse_names(found, known, target, lost)
    if any(each.labels is not None for each in found.values()):
        if known.labels:
            found = _with_text_labels(found, known, lost)
        else:
            lost.append("labels")
    if not known.length:
        lost.append("the length of the sequence")
    with aside(target) as part:
        known.functions().write(found, part, known.name, found.tiers, lost)
    return lost


def _by_series_and_tier(segmentations: object, target: Path) -> Segmentations:
    """Return what is given as segmentations by (series, tier), or raise."""
    if isinstance(segmentations, Segmentation):
        return Segmentations({(target.stem, ""): segmentations}, file=path_text(target))
    if not isinstance(segmentations, Mapping):
        kind = type(segmentations).__name__
        raise TypeError(f"segmentations is a {kind}; expected a Segmentation, or a mapping from (series, tier) to them")
    found: dict[tuple[str, str], Segmentation] = {}
    for name, each in segmentations.items():
        key = (name, "") if isinstance(name, str) else name
        if not (isinstance(key, tuple) and len(key) == 2 and all(isinstance(part, str) for part in key)):
            raise TypeError(f"segmentations has the key {name!r:.40}; expected a series or (series, tier) as text")
        if not isinstance(each, Segmentation):
            raise TypeError(f"segmentations[{name!r:.40}] is a {type(each).__name__}; expected a Segmentation")
        found[key] = each
    if not found:
        raise ValueError("segmentations is empty; expected at least one")
    tiers = getattr(segmentations, "tiers", "tier")
    return Segmentations(found, tiers=tiers, file=getattr(segmentations, "file", ""))


def _in_units(each: Segmentation, name: tuple[str, str], unit: float) -> Segmentation:
    """Return a segmentation in time as one in points of a unit, or raise if a time is not a whole number of units."""
    if each.duration is None:
        raise ValueError(f"{name!r:.80} is in points, but unit = {unit} is for times; expected no unit=")
    convert = units(unit)

    def whole(time: float) -> int:
        count: int = round(time / convert(1))
        if convert(count) != time:
            raise ValueError(f"{name!r:.80} has the time {time!r}, which is not a whole number of units of {unit} s")
        return count

    return Segmentation([whole(cut) for cut in each.cuts], each.labels, n=whole(each.duration))


def _without_timestamps(found: Segmentations, known: Format, lost: list[str]) -> Segmentations:
    """Return timestamps as numbers since their start, because no format holds timestamps, and say what is lost.

    Formats that hold times get seconds, and other formats get units.
    """
    plain: dict[tuple[str, str], Segmentation] = {}
    for name, each in found.items():
        plain[name] = each
        if each.unit is None:
            continue
        in_seconds = known.kinds == "time"
        unit = "s" if in_seconds else each.unit
        zone = "" if each.zone in (None, "UTC") else f" and the time zone {each.zone}"
        start = f"{each.start}{'' if each.zone is None else 'Z'}"
        about = f"the timestamps{zone}: the file holds numbers of {unit} since {start}"
        lost += [] if about in lost else [about]
        if in_seconds:
            factor = SECONDS[each.unit]
            cuts = [float(cut * factor) for cut in each.cuts]
            plain[name] = Segmentation(cuts, each.labels, duration=float(each.n * factor))
        else:
            plain[name] = Segmentation(each.cuts, each.labels, n=each.n)
    return Segmentations(plain, tiers=found.tiers, file=found.file)


def _refuse_kinds(found: Segmentations, known: Format, target: Path, unit: float | None) -> None:
    """Raise if the format holds only points, or only times, and something else is given."""
    for name, each in found.items():
        if not each.length:
            raise ValueError(f"{name!r:.80} is empty; expected a segmentation of positive length to write")
        if known.kinds == "time" and each.duration is None and unit is None:
            raise ValueError(
                f"{path_text(target)}: {known.name} holds times, but {name!r:.80} is in points; expected a "
                "segmentation in time: read the points with unit= for the seconds per point"
            )
        if known.kinds == "points" and each.duration is not None:
            raise ValueError(
                f"{path_text(target)}: {known.name} holds points, but {name!r:.80} is in time; expected points: write "
                "the times with unit= for the seconds per point"
            )


def _refuse_names(found: Segmentations, known: Format, target: Path, lost: list[str]) -> None:
    """Raise if the format holds fewer segmentations, and say which names are lost."""
    series = list(dict.fromkeys(own for own, _ in found))
    tiers = [tier for _, tier in found if tier]
    if not known.series and len(series) > 1:
        names = ", ".join(f"{name!r:.40}" for name in series[:8])
        raise ValueError(
            f"{path_text(target)}: {known.name} holds one series, but there are {len(series)}: {names}; choose one"
        )
    if not known.tiers and len(found) > len(series):
        names = ", ".join(f"({own!r:.40}, {tier!r:.40})" for own, tier in list(found)[:8])
        raise ValueError(
            f"{path_text(target)}: {known.name} holds one segmentation per series, but there are several: {names}; "
            "choose one"
        )
    if not known.series and series[0] not in (target.stem, Path(found.file).stem):
        lost.append(f"the name of the series, {series[0]!r:.60}")
    if not known.tiers and tiers:
        lost.append(f"the name of the {found.tiers}, {tiers[0]!r:.60}" + (" and others" if len(tiers) > 1 else ""))
    for name in series if known.series else []:
        _refuse_text(name, f"the series {name!r:.60}", known, target)
        if known.name == "bed" and re.match(r"#|(track|browser)\b", name):
            raise ValueError(
                f"{path_text(target)}: the series {name!r:.60} looks like a comment of BED; rename it first"
            )
    for name in tiers if known.tiers else []:
        _refuse_text(name, f"the tier {name!r:.60}", known, target)


def _with_text_labels(found: Segmentations, known: Format, lost: list[str]) -> Segmentations:
    """Return segmentations whose labels the format can hold, or raise."""
    first: dict[Any, Any] = {}  # the first of all equal labels: 1, 1.0 and True are one label
    for each in found.values():
        for label in each.labels or ():
            first.setdefault(label, label)
    kinds = {type(label).__name__ for label in first}
    if kinds - {"str"} and not (known.module in ("json", "csv", "arrow", "jams") and _are_plain(set(first), known)):
        if len({str(label) for label in first}) < len(first):
            raise ValueError(
                f"two labels have the same text, and {known.name} cannot tell them apart; expected labels of text"
            )
        lost.append(f"the types of labels ({', '.join(sorted(kinds))}), which become text")
        first = {label: str(label) for label in first}
    found = Segmentations(
        {
            name: each if each.labels is None else Segmentation(each, [first[label] for label in each.labels])
            for name, each in found.items()
        },
        tiers=found.tiers,
        file=found.file,
    )
    for name, each in found.items():
        for label in dict.fromkeys(each.labels or ()):
            _refuse_text(str(label), f"{name!r:.80}: the label {label!r:.60}", known, Path())
        if each.labels is not None and known.module in ("lab", "textgrid", "time_label") and not any(each.labels):
            raise ValueError(
                f"{name!r:.80} has only empty labels, which {known.name} reads as none; expected other labels"
            )
    return found


def _are_plain(labels: set[Any], known: Format) -> bool:
    """Return whether a format with values keeps labels: numbers in JSON, and in Arrow labels that are all integers."""
    if known.module == "arrow":
        return {type(label) for label in labels} == {int} and all(abs(label) < 2**63 for label in labels)
    numbers = [label for label in labels if type(label) in (int, float)]
    are_finite = all(math.isfinite(label) if type(label) is float else len(str(label)) <= DIGITS for label in numbers)
    return are_finite and all(type(label) in (str, int, float) for label in labels)


def _refuse_text(text: str, what: str, known: Format, target: Path) -> None:
    """Raise if a name or label would not be read back from a file of the format."""
    pattern, holds = FORBIDDEN.get(known.name, ("$^", ""))
    where = f"{path_text(target)}: " if str(target) != "." else ""
    if "\0" in text or any("\ud800" <= letter <= "\udfff" for letter in text):
        holds = "a NUL character or half a character"
    elif not re.search(pattern, text):
        return
    raise ValueError(f"{where}{what} has {holds}, which {known.name} cannot hold; rename it first")
