"""One segmentation as a file holds it, and the checks that make it a `Segmentation`.

Every reader gives `Rows`: intervals with labels, or cuts. The checks are here, once for all formats. Their errors name
the file, the line and the value.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

from ..segmentation.segmentation import Segmentation
from .options import ReadOptions
from .text import units

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Besides", "Rows"]

HINT = "expected segments that touch, or gap_label= for the label of gaps"


@dataclass
class Besides:
    """What a file says besides its segmentations."""

    notes: list[str] = field(default_factory=list)  # what is left out
    tiers: str = "tier"  # what a tier is


@dataclass
class Rows:
    """Intervals or cuts of one series, as a file holds them."""

    file: str
    series: str
    tier: str
    starts: Any  # numbers; the cuts if there are no ends
    ends: Any = None
    labels: list[Any] | None = None
    lines: Sequence[int] | None = None  # where each number stands
    kind: Literal["points", "time"] | None = None  # None if the file does not say
    length: float | None = None  # in the unit of the file
    detail: str = ""  # what tells two rows with the same series and tier apart
    also: str = ""  # another name by which ``tier=`` finds the rows
    word: str = "line"

    def place(self, k: int) -> str:
        """Return where a number stands."""
        return self.file if self.lines is None else f"{self.file}, {self.word} {self.lines[k]}"

    @property
    def whole(self) -> str:
        """The file, with the series and tier if the file may have several."""
        names = [f"{what} {name!r:.60}" for what, name in (("series", self.series), ("tier", self.tier)) if name]
        return f"{self.file} ({', '.join(names)})" if names else self.file

    def is_timed(self, options: ReadOptions) -> bool:
        """Return whether the numbers become seconds, or raise if the options do not fit the file."""
        if self.kind == "time" and options.n is not None:
            raise ValueError(f"{self.file} holds times, but n = {options.n!r:.40} counts points; expected duration=")
        if self.kind == "points" and options.duration is not None and options.unit is None:
            raise ValueError(
                f"{self.file} holds points, but duration = {options.duration!r:.40} is in seconds; expected n=, or "
                "also unit= for the seconds per point"
            )
        return self.kind == "time" or options.unit is not None or (self.kind is None and options.is_timed)

    def segmentation(self, options: ReadOptions) -> Segmentation:
        """Return the segmentation that the rows make, or raise."""
        timed = self.is_timed(options)
        convert = units(options.unit) if timed else lambda values: values
        length, in_seconds = options.length(self.series, self.file)
        if length is None and self.length is not None:
            length, in_seconds = self.length, False
        if length is not None and timed and not in_seconds:
            length = convert(length)
        if length is not None and not timed:
            if length != int(length) or (isinstance(length, float) and length >= 2**53):
                raise ValueError(f"{self.whole}: the length {length} is not an integer; expected points, or duration=")
            length = int(length)
        if self.kind is None and self.ends is not None and length is None and options.unit is None:
            raise ValueError(
                f"{self.whole} does not say whether its numbers are points or times; expected n= for points, duration= "
                "for times, or unit=1 for seconds up to the last end"
            )
        starts = convert(self._numbers(self.starts, timed))
        if self.ends is None:
            return self._from_cuts(starts, length, timed, options)
        return self._from_intervals(starts, convert(self._numbers(self.ends, timed)), length, timed, options)

    def _numbers(self, values: Any, timed: bool) -> NDArray[Any]:  # noqa: ANN401
        """Return numbers as an array of float64 or int64, or raise."""
        import numpy as np

        limit = math.inf if timed else 2**63
        if isinstance(values, list) and any(not -limit < value < limit for value in values):
            k = next(k for k, value in enumerate(values) if not -limit < value < limit)
            expected = "expected finite numbers" + ("" if timed else " below 2**63")
            raise ValueError(f"{self.place(k)}: {values[k]} is out of range; {expected}")
        if timed:
            return np.array(values, dtype=np.float64)
        array = np.asarray(values) if len(values) else np.empty(0, dtype=np.int64)
        if array.dtype.kind == "f":
            wrong = ~((array == np.floor(array)) & (np.abs(array) < 2**53))
            if wrong.any():
                k = int(wrong.argmax())
                raise ValueError(
                    f"{self.place(k)}: {array[k]} is not a point; expected integers, or duration= for cuts in time"
                )
        elif array.dtype.kind == "u" and array.size and array.max() >= 2**63:
            k = int((array >= 2**63).argmax())
            raise ValueError(f"{self.place(k)}: {array[k]} is out of range; expected finite numbers below 2**63")
        return array.astype(np.int64)

    def _from_cuts(self, cuts: NDArray[Any], length: Any, timed: bool, options: ReadOptions) -> Segmentation:  # noqa: ANN401
        """Make a segmentation of cuts."""
        if options.ends:
            if not cuts.size:
                raise ValueError(f"{self.whole} has no cuts; with ends=True, expected cuts that end with the length")
            length = cuts[-1].item()
        if length is None:
            raise ValueError(
                f"{self.whole} has cuts but no length; expected n=, duration= for cuts in time, sizes= for a file of "
                "lengths, or ends=True for cuts that end with the length"
            )
        if self.lines is not None and cuts.size:
            self._check_order(cuts)
        labels = self.labels
        if options.clip:
            kept = cuts[cuts < length]
            inner, left = int((cuts > 0).sum()), int((kept > 0).sum())
            if labels is not None and len(labels) in (inner, inner + 1):  # the last cut may be the length of the file
                labels = labels[: left + 1]
            cuts = kept
        elif cuts.size and cuts[-1] > length and self.lines is not None:
            k = int((cuts > length).argmax())
            raise ValueError(
                f"{self.place(k)}: {_exact(cuts[k])} is after the end, {_exact(length)}; expected cuts before the end, "
                "or clip=True to leave them out"
            )
        return self._made(cuts, labels, length, timed)

    def _check_order(self, cuts: NDArray[Any]) -> None:
        """Raise if cuts do not strictly increase."""
        wrong = cuts[1:] <= cuts[:-1]
        if wrong.any():
            k = int(wrong.argmax())
            raise ValueError(
                f"{self.place(k + 1)}: {_exact(cuts[k + 1])} does not exceed {_exact(cuts[k])} before it; cuts must "
                "strictly increase (sort them first)"
            )
        if cuts[0] < 0:
            raise ValueError(f"{self.place(0)}: {_exact(cuts[0])} is negative; expected cuts of at least 0")

    def _from_intervals(
        self,
        starts: NDArray[Any],
        ends: NDArray[Any],
        length: Any,  # noqa: ANN401
        timed: bool,
        options: ReadOptions,
    ) -> Segmentation:
        """Make a segmentation of intervals, which are sorted first."""
        import numpy as np

        labels = self.labels
        if (starts[1:] < starts[:-1]).any():
            order = np.argsort(starts, kind="stable")
            starts, ends = starts[order], ends[order]
            labels = None if labels is None else [labels[k] for k in order]
            self.lines = None if self.lines is None else [self.lines[k] for k in order]
        self._check_intervals(starts, ends)
        if length is None:
            if not starts.size:
                raise ValueError(f"{self.whole} has no segment; expected at least one")
            length = ends.max().item()
        if options.clip:
            inside = starts < length
            starts, ends = starts[inside], np.minimum(ends[inside], length)
            labels = None if labels is None else labels[: starts.size]  # the starts are sorted
        tolerance = options.tolerance if timed else 0
        if starts.size and ends.max() > length + tolerance:
            k = int(ends.argmax())
            raise ValueError(
                f"{self.place(k)}: the segment ends at {_exact(ends[k])}, after the end, {_exact(length)}; expected "
                "segments before the end, or clip=True to cut them off"
            )
        if tolerance:
            starts, ends = self._closed(starts, ends, length, tolerance)
        if starts.size and (starts[1:] < np.maximum.accumulate(ends)[:-1]).any():
            starts, ends, labels = self._without_overlaps(starts, ends, labels, options.overlap_label)
        starts, labels = self._without_gaps(starts, ends, labels, length, options.gap_label)
        return self._made(starts[1:], labels, length, timed)

    def _check_intervals(self, starts: NDArray[Any], ends: NDArray[Any]) -> None:
        """Raise for the first interval that is empty or starts before 0."""
        wrong = (ends <= starts) | (starts < 0)
        if wrong.any():
            k = int(wrong.argmax())
            start, end = _exact(starts[k]), _exact(ends[k])
            what = (
                "is empty; expected start < end" if starts[k] >= 0 else "starts before 0; expected starts of at least 0"
            )
            raise ValueError(f"{self.place(k)}: the segment from {start} to {end} {what}")

    def _closed(
        self,
        starts: NDArray[Any],
        ends: NDArray[Any],
        length: float,
        tolerance: float,
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the intervals with gaps and overlaps of at most the tolerance closed."""
        import numpy as np

        starts, ends = starts.copy(), ends.copy()
        near = np.abs(starts[1:] - ends[:-1]) <= tolerance
        ends[:-1][near] = starts[1:][near]
        if starts.size and starts[0] <= tolerance:
            starts[0] = 0
        if ends.size and abs(ends[-1] - length) <= tolerance:
            ends[-1] = length
        empty = ends <= starts
        if empty.any():
            k = int(empty.argmax())
            raise ValueError(
                f"{self.place(k)}: the segment at {_exact(starts[k])} is not longer than the tolerance {tolerance}; "
                "expected longer segments, or a smaller tolerance="
            )
        return starts, ends

    def _without_overlaps(
        self, starts: NDArray[Any], ends: NDArray[Any], labels: list[Any] | None, overlap_label: str | None
    ) -> tuple[NDArray[Any], NDArray[Any], list[Any] | None]:
        """Return the intervals with each overlap as a segment of its own, or raise.

        Overlapping intervals of one label are joined.
        """
        import numpy as np

        if overlap_label is None:
            k = int((starts[1:] < np.maximum.accumulate(ends)[:-1]).argmax()) + 1
            before = int(ends[:k].argmax())
            other = (
                "the segment before it" if self.lines is None else f"the segment in {self.word} {self.lines[before]}"
            )
            raise ValueError(
                f"{self.place(k)}: the segment starts at {_exact(starts[k])}, but {other} ends at "
                f"{_exact(ends[before])}; "
                "expected segments that do not overlap, or overlap_label= for the label of overlaps"
            )
        names = list(range(starts.size)) if labels is None else labels  # without labels, every interval differs
        begin, finish = starts.tolist(), ends.tolist()
        ending = np.argsort(ends, kind="stable").tolist()
        edges = np.unique(np.concatenate([starts, ends])).tolist()
        pieces: list[tuple[Any, Any, tuple[Any, bool]]] = []
        active: dict[Any, int] = {}  # how many intervals of each label are open
        opened = closed = 0
        for edge, after in pairwise(edges):
            while closed < len(ending) and finish[ending[closed]] <= edge:
                name = names[ending[closed]]
                active[name] -= 1
                if not active[name]:
                    del active[name]
                closed += 1
            continues = bool(active)  # an interval of the last piece is still open
            while opened < len(begin) and begin[opened] <= edge:
                active[names[opened]] = active.get(names[opened], 0) + 1
                opened += 1
            if not active:
                continue
            overlaps = len(active) > 1
            kind = (overlap_label if overlaps else next(iter(active)), overlaps)
            if continues and pieces[-1][2] == kind:
                pieces[-1] = (pieces[-1][0], after, kind)
            else:
                pieces.append((edge, after, kind))
        self.lines = None  # the pieces are not lines of the file
        made = np.array([start for start, *_ in pieces], dtype=starts.dtype)
        stops = np.array([end for _, end, _ in pieces], dtype=ends.dtype)
        return made, stops, None if labels is None else [label for *_, (label, _) in pieces]

    def _without_gaps(
        self,
        starts: NDArray[Any],
        ends: NDArray[Any],
        labels: list[Any] | None,
        length: Any,  # noqa: ANN401
        gap_label: str | None,
    ) -> tuple[NDArray[Any], list[Any] | None]:
        """Return the starts and labels of intervals with each gap as a segment of its own, or raise.

        Without labels, a gap is a segment without a label.
        """
        import numpy as np

        befores = np.concatenate([np.zeros(1, dtype=ends.dtype), ends])  # where each gap would start
        afters = np.concatenate([starts, np.array([length], dtype=starts.dtype)])
        gaps = np.flatnonzero(befores < afters)
        if not gaps.size:
            return starts, labels
        if gap_label is None:
            raise ValueError(self._about_gap(befores, afters, int(gaps[0])))
        order = np.argsort(np.concatenate([starts, befores[gaps]]), kind="stable")
        filled = np.concatenate([starts, befores[gaps]])[order]
        if labels is None:
            return filled, None
        every: list[Any] = [*labels, *[gap_label] * gaps.size]
        return filled, [every[k] for k in order]

    def _about_gap(self, befores: NDArray[Any], afters: NDArray[Any], k: int) -> str:
        """Say where a gap is, and what closed or 1-based coordinates look like."""
        start, end = _exact(befores[k]), _exact(afters[k])
        if k == befores.size - 1:
            return f"{self.whole}: the last segment ends at {start}, but the length is {end}; {HINT}"
        where = self.place(k)
        if k == 0:
            seems = "; 1-based starts look like this (subtract 1 from each start)" if afters[0] == 1 else ""
            return f"{where}: the first segment starts at {end} in place of 0; {HINT}{seems}"
        closed = befores.dtype.kind == "i" and bool((afters[1:-1] == befores[1:-1] + 1).all())
        seems = "; closed intervals look like this (add 1 to each end)" if closed else ""
        return f"{where}: the segment starts at {end}, but the segment before it ends at {start}; {HINT}{seems}"

    def _made(self, cuts: NDArray[Any], labels: Sequence[Hashable] | None, length: Any, timed: bool) -> Segmentation:  # noqa: ANN401
        try:
            if timed:
                return Segmentation(cuts, labels, duration=length)
            return Segmentation(cuts, labels, n=length)
        except (TypeError, ValueError) as error:
            raise ValueError(f"{self.whole}: {error}") from None


def _exact(number: Any) -> str:  # noqa: ANN401
    """Return a number of NumPy or Python as Python prints it."""
    return repr(number.item() if hasattr(number, "item") else number)
