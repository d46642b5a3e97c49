"""A segmentation: a sequence of points, or a span of time, cut into segments that may have labels.

The one convention: a cut c stands between two points, ``x[:c] | x[c:]``. The first index of the new segment counted
from 0, and the last index of the old segment counted from 1, are this same integer. So 0 < c < n, and cuts strictly
increase. r cuts make r + 1 segments. In time, a cut is a real number, 0 < c < duration.

The properties return plain Python lists; the ``to_...`` methods return NumPy arrays or tables.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

from .._core import load_cuts, load_ends, load_n
from ..arguments import flag
from ..showing import count_text
from . import conversions, indexes, segment_tables, timestamps
from .conversions import BLOCK, blocks
from .labels import codes_of, labels_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from typing_extensions import Self

__all__ = ["Cuts", "Segmentation"]

# Any object that holds cuts: a sequence, an array, a column of a table, an iterator, or a segmentation.
Cuts: TypeAlias = "Segmentation | Iterable[Any]"

SHOWN = 12  # cuts that a repr shows in full


class Segmentation:
    """A sequence of points, or a span of time, cut into segments with or without labels.

    Immutable, and equal to every segmentation of the same points or times, cuts and labels. Timestamps are equal if
    they are the same instants, in any unit and any time zone.

    Parameters
    ----------
    cuts
        Interior cuts, strictly increasing; a leading 0 and a trailing n are accepted and dropped. A segmentation keeps
        its length and its labels.
    labels
        One hashable label per segment. Labels may recur, also in neighbouring segments: all segments with the same
        label are one cluster. Without labels, every segment is a cluster of its own.
    n
        The number of points. For a list that ends with n, use `from_ends`.
    duration
        The length of the span of time, in the unit of the cuts; instead of ``n``.

    Attributes
    ----------
    n
        The number of points; None in time.
    duration
        The length of the span of time; None in points.
    labels
        The labels, one per segment; None if the segments have no labels.

    Examples
    --------
    >>> s = Segmentation([3, 8], n=10)
    >>> s
    Segmentation([3, 8], n=10)
    >>> s.lengths
    [3, 5, 2]
    >>> s == Segmentation.from_ends([3, 8, 10])
    True
    >>> len(s)
    3
    >>> Segmentation([12.5, 30.25], ["verse", "chorus", "verse"], duration=60)
    Segmentation([12.5, 30.25], ['verse', 'chorus', 'verse'], duration=60.0)

    """

    __slots__ = ("_cuts", "_labels", "_origin", "duration", "labels", "n")

    _cuts: bytes  # int64 in points, float64 in time, native order
    _labels: bytes | None  # the number of each segment's label, int64
    _origin: timestamps.Origin | None  # the start and the unit of timestamps
    n: Any  # an int, or None in time; code that knows that it has points need not check
    duration: Any  # a float, or None in points
    labels: tuple[Hashable, ...] | None

    def __new__(
        cls,
        cuts: Cuts = (),
        labels: Iterable[Hashable] | None = None,
        *,
        n: int | None = None,
        duration: float | None = None,
    ) -> Self:
        """Check the cuts and the labels, and make the object."""
        if conversions.index_of_intervals(cuts) is not None:  # which may have labels
            cuts = cls.from_intervals(cuts, labels)  # type: ignore[arg-type]
        own = cuts if isinstance(cuts, Segmentation) else None
        made = cls._of(*load_cuts(cuts, n, duration, "cuts"), origin=own._origin if own else None)
        if labels is not None:
            return made._with(labels_of(labels, len(made)))
        return made if own is None else made._with(own.labels)

    @classmethod
    def _of(
        cls,
        cuts: bytes,
        length: float,
        labels: tuple[Hashable, ...] | None = None,
        origin: timestamps.Origin | None = None,
    ) -> Self:
        """Make a segmentation of cuts that are already checked; an int is a number of points, a float a duration."""
        made = super().__new__(cls)
        in_time = isinstance(length, float)
        for name, value in (
            ("_cuts", cuts),
            ("_labels", None if labels is None else codes_of(labels)),
            ("_origin", origin),
            ("n", None if in_time else length),
            ("duration", length if in_time else None),
            ("labels", labels),
        ):
            object.__setattr__(made, name, value)
        return made

    def _with(self, labels: tuple[Hashable, ...] | None) -> Self:
        return self._of(self._cuts, self.length, labels, self._origin)

    def _from(self, origin: timestamps.Origin | None) -> Self:
        return self._of(self._cuts, self.length, self.labels, origin)

    @classmethod
    def from_ends(cls, ends: Cuts, *, n: int | None = None) -> Self:
        """Make a segmentation from the ends of all segments; the last end is n, as in ruptures.

        >>> Segmentation.from_ends([3, 8, 10])
        Segmentation([3, 8], n=10)
        """
        cuts, length = load_ends(ends)
        if n is not None and load_n(n) != length:
            if length == n - 1:
                seems = "; ends that stop at n - 1 look like 0-based last points (add 1 to each)"
            elif length == n + 1:
                seems = "; ends that stop at n + 1 look like 1-based starts (use from_starts(..., one_based=True))"
            else:
                seems = "; expected the last end to be n"
            raise ValueError(f"ends stop at {length} but n = {n}{seems}")
        return cls._of(cuts, length)

    @classmethod
    def from_lengths(cls, lengths: Iterable[Any]) -> Self:
        """Make a segmentation from the lengths of all segments (segeval's masses).

        >>> Segmentation.from_lengths([3, 5, 2])
        Segmentation([3, 8], n=10)
        """
        ends = conversions.ends_of_lengths(lengths)
        return cls._of(*load_cuts(ends, int(ends[-1]) if ends.size else 0, None, "ends"))

    @classmethod
    def from_labels(cls, labels: Iterable[Any], *, keep: bool = False) -> Self:
        """Make a segmentation from one label per point: each run of equal labels is a segment.

        A label that recurs after another label starts a new segment. Only the cuts are kept, and every segment is a
        cluster of its own, unless ``keep=True``: then the segments keep their labels, and all segments with the same
        label are one cluster.

        >>> Segmentation.from_labels("aaabbbbbcc")
        Segmentation([3, 8], n=10)
        >>> Segmentation.from_labels([0, 0, 1, 1, 0], keep=True)
        Segmentation([2, 4], [0, 1, 0], n=5)
        """
        keeps = flag(keep, "keep")
        cuts, array = conversions.cuts_of_labels(labels)
        made = cls._of(*load_cuts(cuts, array.size, None, "cuts"))
        if not keeps:
            return made
        return made._with((*array[:1].tolist(), *array[cuts].tolist()))

    @classmethod
    def from_mask(cls, mask: Iterable[Any], *, n: int | None = None) -> Self:
        """Make a segmentation from 0/1 marks, one per point or one per gap.

        With n marks, a 1 marks the first point of a segment; the first mark may be 0 or 1. With n - 1 marks, mark k is
        the gap between the points k and k + 1. Without ``n`` the marks are one per point, and the first mark must be 1:
        otherwise both readings are possible. A string of marks always needs ``n``.

        >>> Segmentation.from_mask([1, 0, 0, 1, 0, 0, 0, 0, 1, 0])
        Segmentation([3, 8], n=10)
        >>> Segmentation.from_mask("001000010", n=10)
        Segmentation([3, 8], n=10)
        """
        return cls._of(*load_cuts(*conversions.cuts_of_mask(mask, n), None, "cuts"))

    @classmethod
    def from_intervals(
        cls,
        intervals: Iterable[Any],
        labels: Iterable[Hashable] | None = None,
        *,
        n: int | None = None,
        duration: float | None = None,
        gap_label: Hashable = None,
    ) -> Self:
        """Make a segmentation from half-open intervals [start, end) that tile 0..n or 0..duration.

        The intervals are in order. They are in time if a start or an end is not an integer, or if ``duration`` is
        given. Labels are given as ``labels``, one per interval, or in (start, end, label) triples. Without ``n`` and
        ``duration`` the last end is the length. An IntervalIndex of pandas, and a Series with one and labels, as in
        sktime, are intervals too.

        Gaps between intervals, before the first and after the last are errors. With ``gap_label`` each gap becomes a
        segment with this label. Intervals that overlap are always an error.

        >>> Segmentation.from_intervals([(0, 3), (3, 8), (8, 10)])
        Segmentation([3, 8], n=10)
        >>> Segmentation.from_intervals([(0.5, 2.0, "Ann"), (2.0, 3.5, "Bob")], duration=4, gap_label="silence")
        Segmentation([0.5, 2.0, 3.5], ['silence', 'Ann', 'Bob', 'silence'], duration=4.0)
        """
        ends, given, in_time = conversions.tiles_of(intervals, labels, n, duration, gap_label)
        if not ends.size:
            return cls._of(b"", 0, given)
        length = ends[-1].item()
        cuts, _ = load_cuts(ends, None if in_time else length, length if in_time else None, "ends")
        return cls._of(cuts, length, given)

    @classmethod
    def from_texts(cls, pieces: Iterable[str]) -> Self:
        """Make a segmentation of a text from its pieces in order, such as sentences or chunks.

        The points are the characters that are not white space, so that two ways to cut one text have one length,
        however they treat spaces and line breaks. Pieces of white space alone are no segments. Pieces that overlap, or
        leave text out, have another length than the text.

        >>> Segmentation.from_texts(["One two. ", "Three. "])
        Segmentation([7], n=13)
        >>> Segmentation.from_texts(["One", "two.  Three."])
        Segmentation([3], n=13)
        """
        return cls.from_lengths([count for count in conversions.characters_of(pieces) if count])

    @classmethod
    def from_starts(cls, starts: Iterable[Any], *, n: int, one_based: bool = False) -> Self:
        """Make a segmentation from the first point of each segment, counted from 0 or from 1.

        The start of the first segment may be left out. A last start after the last point is accepted and ignored.

        >>> Segmentation.from_starts([0, 3, 8], n=10)
        Segmentation([3, 8], n=10)
        >>> Segmentation.from_starts([1, 4, 9], n=10, one_based=True)
        Segmentation([3, 8], n=10)
        """
        return cls._of(*load_cuts(conversions.cuts_of_starts(starts, n, one_based), n, None, "starts"))

    @classmethod
    def from_timestamps(
        cls,
        times: Iterable[Any],
        start: Any,  # noqa: ANN401
        end: Any,  # noqa: ANN401
        labels: Iterable[Hashable] | None = None,
        *,
        unit: str | None = None,
    ) -> Self:
        """Make a segmentation of the time from start to end, from timestamps of the cuts.

        Times are datetime or date objects, datetime64 of NumPy, or timestamps of pandas, Polars or Arrow, with a time
        zone or without; all of them have one, or none. Cuts are exact integers: the number of units since the start.
        The unit is the finest of the given times, or ``unit``, one of W, D, h, m, s, ms, us, ns. Scores
        take two segmentations with the same start, end and unit; `in_unit` changes the unit. Options such as ``margin``
        may then be a timedelta.

        >>> from datetime import datetime
        >>> day = Segmentation.from_timestamps([datetime(2024, 5, 1, 6)], datetime(2024, 5, 1), datetime(2024, 5, 2))
        >>> day
        <Segmentation from 2024-05-01 to 2024-05-02, in us, by 1 cut: 2024-05-01T06:00>
        >>> day.cuts, day.n
        ([21600000000], 86400000000)
        >>> day.to_timestamps()
        array(['2024-05-01T06:00:00.000000'], dtype='datetime64[us]')
        """
        cuts, length, origin = timestamps.cuts_of_times(times, start, end, unit)
        made = cls._of(*load_cuts(cuts, length, None, "times"), origin=origin)
        return made if labels is None else made._with(labels_of(labels, len(made)))

    @classmethod
    def from_index(
        cls,
        index: Iterable[Any],
        positions: Cuts,
        labels: Iterable[Hashable] | None = None,
        *,
        end: Any = None,  # noqa: ANN401
    ) -> Self:
        """Make a segmentation from positions of cuts in an index of times or numbers.

        An index of timestamps gives a segmentation in timestamps, an index of floats one in time.
        The cut at position p stands at ``index[p]``, the first time of the new segment. Positions are cuts in points,
        or a `Segmentation` of ``len(index)`` points, whose labels are kept. The span starts at ``index[0]``, and ends
        at ``end``. Without ``end`` it ends one step after the last value of the index, and an index with different
        steps is an error. Numbers are measured from ``index[0]``; an index of integers gives points.

        >>> Segmentation.from_index([0.0, 0.5, 1.0, 1.5], [2])
        Segmentation([1.0], duration=2.0)
        >>> Segmentation.from_index([0.0, 0.5, 1.0, 3.0], [2], end=4)
        Segmentation([1.0], duration=4.0)
        """
        own = positions if isinstance(positions, Segmentation) else None
        cuts, length, origin = indexes.cuts_of_index(index, positions, end)
        made = cls._of(cuts.tobytes(), length, origin=origin)
        if labels is not None:
            return made._with(labels_of(labels, len(made)))
        return made if own is None else made._with(own.labels)

    def in_unit(self, unit: str) -> Self:
        """Return the same timestamps counted in another unit.

        The unit is one of W, D, h, m, s, ms, us, ns. A time that is not a whole number of units is an
        error.

        >>> from datetime import date
        >>> week = Segmentation.from_timestamps([date(2024, 5, 3)], date(2024, 5, 1), date(2024, 5, 8))
        >>> week.cuts, week.in_unit("h").cuts
        ([2], [48])
        >>> week == week.in_unit("h")
        True
        """
        if self._origin is None:
            raise TypeError("in_unit needs timestamps, but this Segmentation has none; use from_timestamps()")
        if unit == self._origin.unit:
            return self
        cuts, length, origin = timestamps.in_unit(self._array(), self.n, self._origin, unit)
        return self._of(cuts.tobytes(), length, self.labels, origin)

    def without_labels(self) -> Self:
        """Return the segmentation without labels, in which every segment is a separate cluster.

        >>> Segmentation([4, 7], "ABA", n=10).without_labels()
        Segmentation([4, 7], n=10)
        """
        return self if self.labels is None else self._with(None)

    @property
    def length(self) -> Any:  # noqa: ANN401
        """The length: n in points, duration in time."""
        return self.n if self.duration is None else self.duration

    @property
    def start(self) -> np.datetime64 | None:
        """The start of timestamps, in UTC if there is a time zone; None for other cuts."""
        return None if self._origin is None else self._origin.at(0)

    @property
    def end(self) -> np.datetime64 | None:
        """The end of timestamps, in UTC if there is a time zone; None for other cuts."""
        return None if self._origin is None else self._origin.at(self.n)

    @property
    def unit(self) -> str | None:
        """The unit in which timestamps are counted, such as ``"us"``; None for other cuts."""
        return None if self._origin is None else self._origin.unit

    @property
    def zone(self) -> str | None:
        """The name of the time zone of the start of timestamps; None without a time zone."""
        return None if self._origin is None else self._origin.zone

    @property
    def cuts(self) -> list[Any]:
        """The interior cuts: integers in points, floats in time."""
        view = self._view()
        if len(view) <= BLOCK:
            return view.tolist()
        return list(chain.from_iterable(view[part].tolist() for part in blocks(len(view))))

    @property
    def lengths(self) -> list[Any]:
        """The length of each segment: its number of points, or its duration."""
        return [end - start for start, end in self._ranges()]

    @property
    def segments(self) -> list[tuple[Any, Any]]:
        """The half-open range (start, end) of each segment."""
        return [(start, end) for start, end in self._ranges()]  # list() would not notice Ctrl-C

    def _view(self) -> memoryview[Any]:
        return memoryview(self._cuts).cast("q" if self.duration is None else "d")

    def _ranges(self) -> Iterator[tuple[Any, Any]]:
        start = 0 if self.duration is None else 0.0
        return pairwise([start, *self.cuts, self.length]) if self.length else iter(())

    def _array(self) -> NDArray[Any]:
        import numpy as np

        return np.frombuffer(self._cuts, dtype=np.int64 if self.duration is None else np.float64)

    def to_ends(self) -> NDArray[Any]:
        """Return the ends of all segments; the last end is n or the duration."""
        import numpy as np

        cuts = self._array()
        ends = np.empty(cuts.size + 1, dtype=cuts.dtype)
        ends[:-1], ends[-1] = cuts, self.length
        return ends

    def to_lengths(self) -> NDArray[Any]:
        """Return the length of each segment: its number of points, or its duration."""
        import numpy as np

        return np.diff(self.to_ends()[: len(self)], prepend=0)

    def to_labels(self) -> NDArray[Any]:
        """Return the label of each point, or without labels the number of its segment from 0.

        Neighbouring segments with the same label cannot be told apart in the result. Labels that are all integers give
        an array of integers, other labels an array of objects. In time there are no points: see `to_intervals`.

        >>> Segmentation([2, 4], n=5).to_labels()
        array([0, 0, 1, 1, 2])
        >>> Segmentation([2, 4], "ABA", n=5).to_labels()
        array(['A', 'A', 'B', 'B', 'A'], dtype=object)
        """
        import numpy as np

        self._refuse_time("to_labels")
        mask, numbers = self.to_mask(), np.empty(self.n, dtype=np.int64)
        for part in blocks(self.n):
            numbers[part] = mask[part].cumsum() + (numbers[part.start - 1] if part.start else -1)
        if self.labels is None:
            return numbers
        labels = np.array(self.labels) if set(map(type, self.labels)) == {int} else np.empty(len(self), dtype=object)
        labels[:] = self.labels
        every: NDArray[Any] = labels[numbers]
        return every

    def to_mask(self) -> NDArray[np.bool_]:
        """Return a mask that is True at the first point of each segment."""
        import numpy as np

        self._refuse_time("to_mask")
        mask = np.zeros(self.n, dtype=bool)
        mask[:1] = True
        mask[self._array()] = True
        return mask

    def to_intervals(self) -> NDArray[Any]:
        """Return the half-open interval [start, end) of each segment, one per row.

        `from_intervals` takes them. The array has integers in points, and floats in time. With labels, it is an array
        of objects, and its third column holds the labels: ``[:, :2].astype(float)`` are the intervals of mir_eval.

        >>> Segmentation([2, 4], n=5).to_intervals().tolist()
        [[0, 2], [2, 4], [4, 5]]
        >>> Segmentation([2], "AB", n=5).to_intervals().tolist()
        [[0, 2, 'A'], [2, 5, 'B']]
        """
        import numpy as np

        intervals = self._intervals()
        if self.labels is None:
            return intervals
        triples = np.empty((len(self), 3), dtype=object)
        triples[:, :2] = intervals
        triples[:, 2:] = conversions.objects_of(self.labels).reshape(-1, 1)
        return triples

    def _intervals(self) -> NDArray[Any]:
        import numpy as np

        ends = self.to_ends()[: len(self)]
        intervals = np.empty((len(self), 2), dtype=ends.dtype)
        intervals[:1, 0] = 0
        intervals[1:, 0], intervals[:, 1] = ends[:-1], ends
        return intervals

    def to_timestamps(self) -> NDArray[np.datetime64]:
        """Return the timestamps of the cuts as datetime64, in UTC if there is a time zone.

        NumPy has no time zones; the columns of `to_pandas` and `to_polars` have the time zone of the start.
        """
        if self._origin is None:
            raise TypeError("to_timestamps needs timestamps, but this Segmentation has none; use to_intervals()")
        return self._origin.times(self._array())

    def to_polars(self) -> Any:  # noqa: ANN401
        """Return a Polars DataFrame with the start, the end and the label of each segment.

        Without labels there is no column of labels. Timestamps keep their time zone; a fixed offset that Polars does
        not know becomes UTC.
        """
        return segment_tables.polars_frame(self._intervals(), self.labels, self._origin)

    def to_pandas(self) -> Any:  # noqa: ANN401
        """Return a pandas DataFrame with the start, the end and the label of each segment."""
        return segment_tables.pandas_frame(self._intervals(), self.labels, self._origin)

    def _refuse_time(self, name: str) -> None:
        if self.duration is not None:
            raise TypeError(f"{name} needs points, but this Segmentation is in time; use to_intervals()")

    def __len__(self) -> int:
        """Count the segments."""
        return len(self._cuts) // 8 + 1 if self.length else 0

    def __bool__(self) -> bool:
        return True

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Segmentation):
            return NotImplemented
        if self.unit != other.unit and self._origin is not None and other._origin is not None:
            fine = timestamps.finest(self._origin.unit, other._origin.unit)
            try:
                return self.in_unit(fine)._parts() == other.in_unit(fine)._parts()
            except ValueError:  # one of them has times for which the unit of the other is too fine
                return False
        return self._parts() == other._parts()

    def __hash__(self) -> int:
        if self._origin is None:
            return hash(self._parts())
        return hash((self._origin.instant, self._origin.instant_at(self.n), len(self._cuts), self.labels))

    def _parts(self) -> tuple[Any, ...]:
        return self.n, self.duration, self._cuts, self.labels, self._origin

    def __repr__(self) -> str:
        if self._origin is not None:
            return self._shown_timestamps(self._origin)
        cuts = self._view()
        length = f"n={self.n}" if self.duration is None else f"duration={self.duration}"
        if len(cuts) <= SHOWN:
            labels = "" if self.labels is None else f"{list(self.labels)}, "
            return f"Segmentation({cuts.tolist()}, {labels}{length})"
        whole = f"{self.n} points" if self.duration is None else f"duration {self.duration}"
        labels = "" if self.labels is None else f", with {count_text(len(set(self.labels)), 'label')}"
        first, last = str(cuts[:6].tolist())[1:-1], str(cuts[-3:].tolist())[1:-1]
        return f"<Segmentation of {whole} by {len(cuts)} cuts{labels}: {first}, ..., {last}>"

    def _shown_timestamps(self, origin: timestamps.Origin) -> str:
        cuts, shown = self._view(), origin.shown
        texts = [shown(cut) for cut in (cuts if len(cuts) <= SHOWN else cuts[:3])]
        texts += [] if len(cuts) <= SHOWN else ["...", shown(cuts[-1])]
        labels = "" if self.labels is None else f", with {count_text(len(set(self.labels)), 'label')}"
        number = count_text(len(cuts), "cut")
        zone = "" if self.zone in (None, "UTC") else f" ({self.zone})"
        span = f"from {shown(0)} to {shown(self.n)}{zone}, in {origin.unit}"
        return f"<Segmentation {span}, by {number}{labels}{': ' if texts else ''}{', '.join(texts)}>"

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a Segmentation cannot be changed; make a new one instead of setting {name}")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a Segmentation cannot be changed; {name} cannot be deleted")

    def __reduce__(self) -> tuple[Callable[..., Self], tuple[Any, ...]]:
        return type(self)._of, (self._cuts, self.length, self.labels, self._origin)
