"""Intervals of a file become segments that tile the sequence: rounding, gaps, overlaps and ends are treated here."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Protocol

from .besides import Besides
from .formats import Format
from .options import ReadOptions
from .text import exact

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Intervals"]

NANOSECOND = 1e-9  # sums of floats that touch for the writer of a file differ by less
SLACK = 1 + 1e-6  # 1065.0 - 1064.995 is a little more than 0.005 for floats


class Placed(Protocol):
    """What knows where in a file each interval stands."""

    lines: Sequence[int] | None
    word: str

    @property
    def whole(self) -> str:
        """The file, with the series and tier if the file may have several."""

    def place(self, k: int) -> str:
        """Return where an interval stands."""


class Intervals:
    """The intervals of one series with their labels, in the order of their starts."""

    def __init__(
        self,
        rows: Placed,
        starts: NDArray[Any],
        ends: NDArray[Any],
        labels: list[Any] | None,
        timed: bool,
        known: Format,
        besides: Besides,
    ) -> None:
        self.rows, self.starts, self.ends, self.labels = rows, starts, ends, labels
        self.timed, self.known, self.besides = timed, known, besides

    def tiled(
        self,
        length: Any,  # noqa: ANN401
        stated: bool,
        tolerance: float,
        options: ReadOptions,
    ) -> tuple[NDArray[Any], list[Any] | None, Any]:
        """Return the starts and the labels of segments that tile the sequence, and its length, or raise.

        ``stated`` says that the length stands in the file; if segments end later, then the last end is the length.
        """
        self._sort()
        self._check()
        if length is None:
            if not self.starts.size:
                raise ValueError(f"{self.rows.whole} has no segment; expected at least one")
            length = self.ends.max().item()
        if options.clip:
            self._clip(length)
        elif stated and self.known.silence and self.ends.size and self.ends.max() > length + tolerance * SLACK:
            self.besides.add("extended", [self.ends.max().item() - length], self.timed)
            length = self.ends.max().item()
        if self.starts.size and self.ends.max() > length + tolerance * SLACK:
            k = int(self.ends.argmax())
            raise ValueError(
                f"{self.rows.place(k)}: the segment ends at {exact(self.ends[k])}, after the end, {exact(length)}; "
                "expected segments before the end, or clip=True to cut them off"
            )
        if tolerance and self.starts.size:
            self._close(length, tolerance * SLACK)
        if (self.starts[1:] < self._reached()[:-1]).any():
            self._split_overlaps(options.overlap_label)
        if options.like is not None and self.ends.size and self.ends.max() < length:
            self._fill_up(length, options.gap_label)
        return *self._filled(length, options), length

    def _take(self, chosen: Any) -> None:  # noqa: ANN401
        """Keep the intervals with these numbers, in this order."""
        self.starts, self.ends = self.starts[chosen], self.ends[chosen]
        self.labels = None if self.labels is None else [self.labels[k] for k in chosen]
        self.rows.lines = None if self.rows.lines is None else [self.rows.lines[k] for k in chosen]

    def _reached(self) -> NDArray[Any]:
        """Return how far the intervals up to each one reach."""
        import numpy as np

        return np.maximum.accumulate(self.ends)

    def _sort(self) -> None:
        import numpy as np

        if (self.starts[1:] < self.starts[:-1]).any():
            self._take(np.argsort(self.starts, kind="stable"))

    def _check(self) -> None:
        """Raise for the first interval that ends before its start, is empty, or starts before 0.

        Empty intervals in time are left out where gaps mean silence: files of music end with one, as a mark.
        """
        import numpy as np

        empty = self.ends == self.starts
        if self.timed and self.known.silence and empty.any() and not empty.all():
            self.besides.add("empty", [0.0] * int(empty.sum()), self.timed)
            self._take(np.flatnonzero(~empty))
        wrong = (self.ends <= self.starts) | (self.starts < 0)
        if wrong.any():
            k = int(wrong.argmax())
            start, end = exact(self.starts[k]), exact(self.ends[k])
            what = (
                "is empty; expected start < end"
                if self.starts[k] >= 0
                else "starts before 0; expected starts of at least 0"
            )
            raise ValueError(f"{self.rows.place(k)}: the segment from {start} to {end} {what}")

    def _clip(self, length: Any) -> None:  # noqa: ANN401
        """Cut off what lies after the end."""
        import numpy as np

        if self.starts.size and self.ends.max() > length:
            self.besides.add("cut off", [self.ends.max().item() - length], self.timed)
            self._take(np.flatnonzero(self.starts < length))
            self.ends = np.minimum(self.ends, length)

    def _fill_up(self, length: Any, gap_label: str | None) -> None:  # noqa: ANN401
        """Add a segment from the last end to the length."""
        import numpy as np

        reached = self.ends.max()
        self.besides.add("filled", [(length - reached).item()], self.timed)
        self.starts, self.ends = np.append(self.starts, reached), np.append(self.ends, self.ends.dtype.type(length))
        self.labels = None if self.labels is None else [*self.labels, gap_label or ""]

    def _close(self, length: float, tolerance: float) -> None:
        """Close gaps and overlaps of at most the tolerance: the start of the next segment counts.

        No segment becomes empty.
        """
        import numpy as np

        starts, ends = self.starts.copy(), self.ends.copy()
        near = (np.abs(starts[1:] - ends[:-1]) <= tolerance) & (starts[1:] > starts[:-1])
        ends[:-1][near] = starts[1:][near]
        if 0 < starts[0] <= tolerance:
            starts[0] = 0
        if abs(ends[-1] - length) <= tolerance and starts[-1] < length:
            ends[-1] = length
        moves = np.abs(np.concatenate([starts - self.starts, ends - self.ends]))
        self.besides.add("closed", moves[moves > NANOSECOND].tolist(), self.timed)
        self.starts, self.ends = starts, ends

    def _split_overlaps(self, overlap_label: str | None) -> None:
        """Make each overlap a segment, or raise. Overlapping intervals of one label are joined."""
        import numpy as np

        # Without labels, every interval differs.
        names = list(range(self.starts.size)) if self.labels is None else self.labels
        begin, finish = self.starts.tolist(), self.ends.tolist()
        ending = np.argsort(self.ends, kind="stable").tolist()
        edges = np.unique(np.concatenate([self.starts, self.ends])).tolist()
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
            if overlaps and overlap_label is None and not self.known.turns:
                self._refuse_overlap(edge)
            kind = (_name(active, overlap_label), overlaps)
            if continues and pieces[-1][2] == kind:
                pieces[-1] = (pieces[-1][0], after, kind)
            else:
                pieces.append((edge, after, kind))
        sizes = [end - start for start, end, (_, overlaps) in pieces if overlaps]
        self.besides.add("overlap", sizes, self.timed)
        self.rows.lines = None  # the pieces are not lines of the file
        self.starts = np.array([start for start, *_ in pieces], dtype=self.starts.dtype)
        self.ends = np.array([end for _, end, _ in pieces], dtype=self.ends.dtype)
        self.labels = None if self.labels is None else [label for *_, (label, _) in pieces]

    def _refuse_overlap(self, edge: Any) -> None:  # noqa: ANN401
        """Raise for the overlap that begins at an edge."""
        rows, starts, ends = self.rows, self.starts, self.ends
        k = int((starts == edge).nonzero()[0][-1])
        before = int(ends[:k].argmax())
        other = "the segment before it" if rows.lines is None else f"the segment in {rows.word} {rows.lines[before]}"
        size = f"{min(ends[before], ends[k]) - starts[k]:.6g}"
        raise ValueError(
            f"{rows.place(k)}: the segment starts at {exact(starts[k])}, but {other} ends at {exact(ends[before])}, an "
            f"overlap of {size}; expected segments that do not overlap{self._rounding()} overlap_label= for the label "
            "of overlaps"
        )

    def _rounding(self) -> str:
        """Return the remedy for rounding, which only times have."""
        return ": tolerance= for rounding, or" if self.timed else ", or"

    def _filled(self, length: Any, options: ReadOptions) -> tuple[NDArray[Any], list[Any] | None]:  # noqa: ANN401
        """Return the starts and labels of the segments with each gap as a segment, or raise.

        Without labels, a gap is a segment without a label.
        """
        import numpy as np

        befores = np.concatenate([np.zeros(1, dtype=self.ends.dtype), self.ends])  # where each gap would start
        afters = np.concatenate([self.starts, np.array([length], dtype=self.starts.dtype)])
        gaps = np.flatnonzero(befores < afters)
        if not gaps.size:
            return self.starts, self.labels
        self._check_gaps(befores, afters, gaps, options.gap_label)
        self.besides.add("gap", (afters[gaps] - befores[gaps]).tolist(), self.timed)
        order = np.argsort(np.concatenate([self.starts, befores[gaps]]), kind="stable")
        filled = np.concatenate([self.starts, befores[gaps]])[order]
        if self.labels is None:
            return filled, None
        every: list[Any] = [*self.labels, *[options.gap_label or ""] * gaps.size]
        return filled, [every[k] for k in order]

    def _check_gaps(
        self, befores: NDArray[Any], afters: NDArray[Any], gaps: NDArray[Any], gap_label: str | None
    ) -> None:
        """Raise for the first gap if gaps have no meaning, or look like closed or 1-based coordinates."""
        if gap_label is not None:
            return
        seems = ""
        if befores.dtype.kind == "i":
            inner = [k for k in gaps.tolist() if 0 < k < befores.size - 1]
            if inner and bool((afters[1:-1] == befores[1:-1] + 1).all()):
                seems = "; closed intervals look like this (add 1 to each end)"
            elif afters[0] == 1 and not inner:
                seems = "; 1-based starts look like this (subtract 1 from each start)"
        if self.known.silence and not seems:
            return
        k = int(gaps[0])
        start, end, size = exact(befores[k]), exact(afters[k]), f"{afters[k] - befores[k]:.6g}"
        if k == befores.size - 1:
            about = f"{self.rows.whole}: the last segment ends at {start}, but the length is {end}"
        elif k == 0:
            about = f"{self.rows.place(k)}: the first segment starts at {end} in place of 0"
        else:
            about = f"{self.rows.place(k)}: the segment starts at {end}, but the segment before it ends at {start}"
        hint = f"expected segments that touch{self._rounding()} gap_label= for the label of gaps"
        raise ValueError(f"{about}, a gap of {size}; {hint}{seems}")


def _name(active: dict[Any, int], overlap_label: str | None) -> Any:  # noqa: ANN401
    """Return the label of a place with the labels that are open there."""
    if len(active) == 1:
        return next(iter(active))
    return "+".join(sorted(map(str, active))) if overlap_label is None else overlap_label
