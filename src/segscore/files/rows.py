"""One segmentation as a file holds it, and the checks that make it a `Segmentation`.

Every reader gives `Rows`: intervals with labels, or cuts. The checks are here, once for all formats. Their errors name
the file, the line and the value.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from ..segmentation.segmentation import Segmentation
from .besides import Besides
from .formats import Format
from .intervals import Intervals
from .options import ReadOptions
from .text import exact, units

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Rows"]


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
    detail: str = ""  # tells two rows with the same series and tier apart
    also: str = ""  # another name by which ``tier=`` finds the rows
    word: str = "line"
    decimals: int = 0  # with which the times are written; 0 if they are not known, or whole numbers

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
            remedy = "duration=" if options.like is None else "like= in time"
            raise ValueError(f"{self.file} holds times, but n = {options.n!r:.40} counts points; expected {remedy}")
        if self.kind == "points" and options.duration is not None and options.unit is None:
            remedy = "n=" if options.like is None else "like= in points"
            raise ValueError(
                f"{self.file} holds points, but duration = {options.duration!r:.40} is in seconds; expected {remedy}, "
                "or also unit= for the seconds per point"
            )
        return self.kind == "time" or options.unit is not None or (self.kind is None and options.is_timed)

    def segmentation(self, options: ReadOptions, known: Format, besides: Besides) -> Segmentation:
        """Return the segmentation that the rows of a file of a known format make, or raise."""
        timed = self.is_timed(options)
        convert = units(options.unit) if timed else lambda values: values
        length, in_seconds = options.length(self.series, self.file)
        stated = length is None and self.length is not None  # in the file
        if stated:
            length, in_seconds = self.length, False
        if length is not None and timed and not in_seconds:
            length = convert(length)
        if length is not None and not timed:
            if length != int(length) or (isinstance(length, float) and length >= 2**53):
                raise ValueError(f"{self.whole}: the length {length} is not an integer; expected points, or duration=")
            length = int(length)
            if length >= 2**63:
                raise ValueError(f"{self.whole}: n = {length} is too large; expected 0 <= n < 2**63")
        if self.kind is None and self.ends is not None and length is None and options.unit is None:
            raise ValueError(
                f"{self.whole} does not say whether its numbers are points or times; expected n= for points, duration= "
                "for times, or unit=1 for seconds up to the last end"
            )
        starts = convert(self._numbers(self.starts, timed))
        tolerance = 0.0 if not timed else options.tolerance
        if tolerance is None:
            tolerance = max(known.tolerance, convert(10.0**-self.decimals) if self.decimals else 0.0)
        if self.ends is None:
            if options.like is not None and self.length is not None:
                starts = self._filled_up(starts, convert(self.length), length, tolerance, options.gap_label, besides)
            return self._from_cuts(starts, length, timed, options, besides)
        ends = convert(self._numbers(self.ends, timed))
        intervals = Intervals(self, starts, ends, self.labels, timed, known, besides)
        starts, labels, length = intervals.tiled(length, stated, tolerance, options)
        return self._made(starts[1:], labels, length, timed)

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

    def _filled_up(
        self,
        cuts: NDArray[Any],
        end: float,
        length: Any,  # noqa: ANN401
        tolerance: float,
        gap_label: str | None,
        besides: Besides,
    ) -> NDArray[Any]:
        """Return cuts with the end that the file gives as one more cut, if this end is before the length."""
        import numpy as np

        if end >= length - tolerance:
            return cuts
        self._refuse_late(cuts, end, "")
        besides.add("filled", [length - end], isinstance(length, float))
        if self.labels is not None:
            self.labels = [*self.labels, gap_label or ""]
        return np.append(cuts[cuts < end], np.array([end], dtype=cuts.dtype))

    def _from_cuts(
        self,
        cuts: NDArray[Any],
        length: Any,  # noqa: ANN401
        timed: bool,
        options: ReadOptions,
        besides: Besides,
    ) -> Segmentation:
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
            if cuts.size and cuts[-1] > length:
                besides.add("cut off", [cuts[-1].item() - length], timed)
            cuts = kept
        elif self.lines is not None:
            self._refuse_late(cuts, length, ", or clip=True to leave them out")
        return self._made(cuts, labels, length, timed)

    def _refuse_late(self, cuts: NDArray[Any], length: Any, remedy: str) -> None:  # noqa: ANN401
        """Raise if a cut is after the end."""
        if cuts.size and cuts[-1] > length:
            k = int((cuts > length).argmax())
            raise ValueError(
                f"{self.place(k)}: {exact(cuts[k])} is after the end, {exact(length)}; expected cuts before the end"
                f"{remedy}"
            )

    def _check_order(self, cuts: NDArray[Any]) -> None:
        """Raise if cuts do not strictly increase."""
        wrong = cuts[1:] <= cuts[:-1]
        if wrong.any():
            k = int(wrong.argmax())
            raise ValueError(
                f"{self.place(k + 1)}: {exact(cuts[k + 1])} does not exceed {exact(cuts[k])} before it; cuts must "
                "strictly increase (sort them first)"
            )
        if cuts[0] < 0:
            raise ValueError(f"{self.place(0)}: {exact(cuts[0])} is negative; expected cuts of at least 0")

    def _made(self, cuts: NDArray[Any], labels: Sequence[Hashable] | None, length: Any, timed: bool) -> Segmentation:  # noqa: ANN401
        try:
            if timed:
                return Segmentation(cuts, labels, duration=length)
            return Segmentation(cuts, labels, n=length)
        except (TypeError, ValueError) as error:
            raise ValueError(f"{self.whole}: {error}") from None
