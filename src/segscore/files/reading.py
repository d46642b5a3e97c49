"""Reading of segmentations from files of any known format."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from ..segmentation.segmentation import Segmentation
from ..showing import path_text
from .besides import Besides
from .formats import format_to_read
from .options import ReadOptions
from .rows import Rows
from .segmentations import Segmentations

__all__ = ["read"]


def read(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    series: str | None = None,
    tier: str | None = None,
    n: int | Mapping[str, int] | None = None,
    duration: float | Mapping[str, float] | None = None,
    sizes: str | os.PathLike[str] | None = None,
    ends: bool = False,
    unit: float | None = None,
    gap_label: str | None = None,
    overlap_label: str | None = None,
    tolerance: float | None = None,
    clip: bool = False,
    like: Segmentation | None = None,
) -> Segmentations:
    r"""Read the segmentations of a file, by series and tier.

    The format is told by the suffix of the file: .lab, .jams, .rttm, .uem, .bed, .TextGrid, .json (also of TCPDBench),
    .jsonl, .csv, .tsv, .parquet, .arrow, .npy, and .txt with one cut per line, with a time and a label per line, or
    with labels of Audacity. ``docs/files.md`` describes the formats.

    Parameters
    ----------
    path
        The file; with ``format="tcpdbench"`` also a folder of results.
    format
        The name of the format, if the suffix does not tell.
    series, tier
        Read only this series or tier. A tier is the segmentation of an annotator, a method or a layer.
    n, duration
        The length of the sequence in points or in seconds, or a mapping from series to lengths. Files of plain cuts
        need a length. The length replaces the length that the file gives.
    sizes
        A text file with a name and a length per line, as chrom.sizes, or a UEM file; in the unit of the file.
    ends
        Whether every list of cuts ends with the length, as in ruptures.
    unit
        The seconds per unit of the numbers of the file: 1e-7 for .lab files of HTK. Points become times.
    gap_label
        The label of gaps between segments. Without this label, gaps have the label ``""`` in formats where a gap means
        that nothing is there, and are an error in tables. If the segments have no labels, gaps have none either.
    overlap_label
        The label of places where segments overlap. Without this label, they have the labels of all their segments, as
        in ``"Ann+Bob"``, in formats of turns (RTTM, BED, Audacity), and are an error in others.
    tolerance
        Gaps and overlaps in time of at most this many seconds are rounding, and are closed. By default the precision of
        the format, or the last decimal of the file if that is more.
    clip
        Whether to cut off what lies after the end, instead of raising an error.
    like
        The truth, if the file is a prediction of it that may end elsewhere: the length is the truth's. What lies after
        the end is cut off, and a prediction that ends earlier gets one more segment, without a label, up to the end.
        ``changes`` says which.

    Returns
    -------
    Segmentations
        A mapping from (series, tier) to `Segmentation`; ``.only()`` returns the segmentation of a file that has one.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "song.lab").write_text("0.0 12.5 verse\n12.5 30.0 chorus\n")
    >>> read(folder / "song.lab").only()
    Segmentation([12.5], ['verse', 'chorus'], duration=30.0)

    """
    if not isinstance(path, str | os.PathLike):
        raise TypeError(f"path = {path!r:.40} is a {type(path).__name__}; expected the name of a file")
    file = Path(path)
    if "\0" in str(file):
        raise ValueError(f"path = {str(file)!r:.60} has a NUL character; expected the name of a file")
    known = format_to_read(file, format)
    options = ReadOptions(series, tier, n, duration, sizes, ends, unit, gap_label, overlap_label, tolerance, clip, like)
    besides = Besides()
    try:
        if file.is_dir() and known.name != "tcpdbench":
            raise IsADirectoryError(
                f"{path_text(path)} is a folder; expected a file, or format='tcpdbench' for a folder of results"
            )
        every = _with_different_names(list(known.functions().read(file, known.name, options, besides)))
    except OSError as error:
        if error.errno is None:
            raise
        raise type(error)(f"{path_text(path)} cannot be read: {error.strerror}; expected a file") from None
    kept = [rows for rows in every if _is_asked(rows, options)]
    if not kept:
        _refuse_nothing(every, options, path_text(path))
    found: dict[tuple[str, str], Segmentation] = {}
    for k, rows in enumerate(kept):
        found[rows.series, rows.tier] = rows.segmentation(options, known, besides)
        kept[k] = None  # type: ignore[call-overload]  # frees the memory of the rows
    about = {"notes": besides.texts(), "changes": besides.changes()}
    return Segmentations(found, tiers=besides.tiers, **about, file=path_text(path))


def _with_different_names(every: list[Rows]) -> list[Rows]:
    """Make the names of tiers of each series different: by their details, and then by numbers."""
    for shorten in (False, True):
        counts = Counter((rows.series, rows.tier) for rows in every)
        taken = set(counts)
        seen: Counter[tuple[str, str]] = Counter()
        for rows in every:
            name = (rows.series, rows.tier)
            if counts[name] < 2:
                continue
            if not shorten:
                rows.tier = f"{rows.tier} ({rows.detail})" if rows.tier and rows.detail else rows.tier or rows.detail
                continue
            seen[name] += 1
            number = seen[name]
            while (rows.series, f"{name[1]} {number}".strip()) in taken:
                number += 1
            rows.tier = f"{name[1]} {number}".strip()
            taken.add((rows.series, rows.tier))
    return every


def _is_asked(rows: Rows, options: ReadOptions) -> bool:
    return options.series in (None, rows.series) and options.tier in (None, rows.tier, rows.also)


def _refuse_nothing(every: list[Rows], options: ReadOptions, file: str) -> None:
    if not every:
        raise ValueError(f"{file} has no segmentation; expected at least one")
    asked = [
        f"{what} {name!r:.60}"
        for what, name in (("series", options.series), ("tier", options.tier))
        if name is not None
    ]
    names = list(dict.fromkeys(f"({rows.series!r:.40}, {rows.tier!r:.40})" for rows in every))
    more = f" and {len(names) - 8} more" if len(names) > 8 else ""
    raise ValueError(
        f"{file} has no {' with '.join(asked)}; expected one of (series, tier): {', '.join(names[:8])}{more}"
    )
