"""A segmentation of n points, and conversions from and to the usual formats.

The one convention: a cut c stands between two points, ``x[:c] | x[c:]``. The first index of the new segment counted
from 0, and the last index of the old segment counted from 1, are this same integer. So 0 < c < n, and cuts strictly
increase. r cuts make r + 1 segments.

The properties return plain Python lists; the ``to_...`` methods return NumPy arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

from ._core import load_both, load_cuts, load_ends, load_integers, load_n
from .arguments import flag

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from typing_extensions import Self

    from .labels import LabelledSegmentation

__all__ = ["Cuts", "Segmentation", "both", "known_length"]

BLOCK = 2**20  # items that NumPy handles at once

# Any object that holds cuts: a sequence, an array, a column of a table, an iterator, or a segmentation.
Cuts: TypeAlias = "Segmentation | LabelledSegmentation | Iterable[Any]"


class Segmentation:
    """A sequence of n points, cut into segments. Immutable.

    Parameters
    ----------
    cuts
        Interior cuts, strictly increasing; a leading 0 and a trailing n are accepted and dropped.
    n
        The number of points. For a list that ends with n, use `from_ends`.

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

    """

    __slots__ = ("_cuts", "n")

    _cuts: bytes  # int64, native order
    n: int

    def __new__(cls, cuts: Cuts = (), *, n: int | None = None) -> Self:
        """Check the cuts, and make the object."""
        return cls._of(*load_cuts(cuts, n, "cuts"))

    @classmethod
    def _of(cls, cuts: bytes, n: int) -> Self:
        """Make a segmentation of cuts that are already checked."""
        segmentation = super().__new__(cls)
        object.__setattr__(segmentation, "_cuts", cuts)
        object.__setattr__(segmentation, "n", n)
        return segmentation

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
        array = _integers(lengths, "lengths")
        _refuse_first(
            array.size,
            lambda part: array[part] < 1,
            lambda k: f"lengths[{k}] = {array[k]} is not positive; a segment has points (drop it)",
        )
        ends = _filled(array.size, lambda part: array[part].cumsum())
        for part in blocks(ends.size):
            ends[part] += ends[part.start - 1] if part.start else 0
        _refuse_first(
            ends.size,
            lambda part: ends[part] < 1,
            lambda k: f"lengths[:{k + 1}] sum to 2**63 or more; expected n < 2**63",
        )
        return cls._of(*load_cuts(ends, int(ends[-1]) if ends.size else 0, "ends"))

    @classmethod
    def from_labels(cls, labels: Iterable[Any]) -> Self:
        """Make a segmentation from one label per point: each run of equal labels is a segment.

        A label that recurs after another label starts a new segment.

        >>> Segmentation.from_labels("aaabbbbbcc")
        Segmentation([3, 8], n=10)
        """
        import numpy as np

        array = _labels(labels)
        if array.ndim != 1:
            raise ValueError(f"labels has {array.ndim} dimensions; expected 1 (one label per point)")

        def differ(some: NDArray[Any], others: NDArray[Any]) -> NDArray[np.bool_]:
            try:
                return np.asarray(some != others, dtype=bool)
            except (TypeError, ValueError):  # for example pandas.NA, or arrays as labels
                message = "labels cannot all be compared; expected a plain label per point (fill what is missing)"
                raise TypeError(message) from None

        cuts = _where(array.size - 1, lambda part: differ(array[1:][part], array[:-1][part]), 1)
        _refuse_first(
            array.size,
            lambda part: differ(array[part], array[part]),
            lambda k: f"labels[{k}] = {array[k]} is not equal to itself; expected labels that can be compared",
        )
        return cls._of(*load_cuts(cuts, array.size, "cuts"))

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
        array = _marks(mask)
        _refuse_first(
            array.size,
            lambda part: (array[part] != 0) & (array[part] != 1),
            lambda k: f"mask[{k}] = {array[k]} is neither 0 nor 1; expected marks",
        )
        size = array.size
        if n is None:
            if size and (isinstance(mask, str) or not array[0]):
                raise ValueError(f"mask has {size} marks, one per point or one per gap; pass n={size} or n={size + 1}")
        elif size != load_n(n) and size != n - 1:
            raise ValueError(f"mask has {size} marks but n = {n}; expected n marks (points) or n - 1 (gaps)")
        of_gaps = n is not None and size == n - 1
        cuts = _where(size, lambda part: array[part] != 0, 1 if of_gaps else 0)
        return cls._of(*load_cuts(cuts, size + of_gaps, "cuts"))

    @classmethod
    def from_intervals(cls, intervals: Iterable[Any]) -> Self:
        """Make a segmentation from half-open intervals [start, end) that tile 0..n.

        >>> Segmentation.from_intervals([(0, 3), (3, 8), (8, 10)])
        Segmentation([3, 8], n=10)
        """
        starts, ends = _intervals(intervals)
        if not starts.size:
            return cls._of(b"", 0)
        if starts[0] != 0:
            seems = "; starting with 1 they look 1-based (subtract 1 from each start)" if starts[0] == 1 else ""
            raise ValueError(f"intervals[0] starts at {starts[0]} but the sequence starts at 0{seems}")
        _refuse_first(
            ends.size,
            lambda part: ends[part] <= starts[part],
            lambda k: f"intervals[{k}] = [{starts[k]}, {ends[k]}) is empty; expected start < end",
        )

        def gap(k: int) -> str:
            closed = bool((starts[1:] == ends[:-1] + 1).all())
            seems = "; they look closed, with both ends inside (add 1 to each end)" if closed else ""
            return (
                f"intervals[{k + 1}] starts at {starts[k + 1]} but intervals[{k}] ends at {ends[k]}; "
                f"expected them to tile without gap or overlap{seems}"
            )

        _refuse_first(ends.size - 1, lambda part: starts[1:][part] != ends[:-1][part], gap)
        return cls._of(*load_cuts(ends, int(ends[-1]), "ends"))

    @classmethod
    def from_starts(cls, starts: Iterable[Any], *, n: int, one_based: bool = False) -> Self:
        """Make a segmentation from the first point of each segment, counted from 0 or from 1.

        The start of the first segment may be left out. A last start after the last point is accepted and ignored.

        >>> Segmentation.from_starts([0, 3, 8], n=10)
        Segmentation([3, 8], n=10)
        >>> Segmentation.from_starts([1, 4, 9], n=10, one_based=True)
        Segmentation([3, 8], n=10)
        """
        array = _integers(starts, "starts")
        n = load_n(n)
        if not flag(one_based, "one_based"):
            if array.size and array[0] == 1:
                raise ValueError(
                    "starts[0] = 1 without a 0 before it; the starts look 1-based "
                    "(pass one_based=True, or put 0 first if a segment does start at 1)"
                )
            return cls._of(*load_cuts(array, n, "starts"))
        if array.size and array[0] == 0:
            raise ValueError("starts[0] = 0 but one_based=True; the starts look 0-based (drop one_based)")
        _refuse_first(
            array.size,
            lambda part: (array[part] < 1) | (array[part] > n + 1),
            lambda k: f"starts[{k}] = {array[k]} is outside 1 <= start <= n + 1 = {n + 1}",
        )
        _refuse_first(
            array.size - 1,
            lambda part: array[1:][part] <= array[:-1][part],
            lambda k: (
                f"starts[{k + 1}] = {array[k + 1]} does not exceed starts[{k}] = {array[k]}; "
                "starts must strictly increase (sort them first)"
            ),
        )
        return cls._of(*load_cuts(_filled(array.size, lambda part: array[part] - 1), n, "starts"))

    @property
    def cuts(self) -> list[int]:
        """The interior cuts."""
        view, found = memoryview(self._cuts).cast("q"), []
        for part in blocks(len(view)):
            found += view[part].tolist()
        return found

    @property
    def lengths(self) -> list[int]:
        """The number of points of each segment."""
        return [end - start for start, end in self._ranges()]

    @property
    def segments(self) -> list[tuple[int, int]]:
        """The half-open range (start, end) of each segment."""
        return [(start, end) for start, end in self._ranges()]  # list() would not notice Ctrl-C

    def _ranges(self) -> Iterator[tuple[int, int]]:
        return pairwise([0, *self.cuts, self.n]) if self.n else iter(())

    def to_ends(self) -> NDArray[np.int64]:
        """Return the ends of all segments; the last end is n."""
        import numpy as np

        cuts = np.frombuffer(self._cuts, dtype=np.int64)
        ends = np.empty(cuts.size + 1, dtype=np.int64)
        ends[-1] = self.n
        for part in blocks(cuts.size):
            ends[part] = cuts[part]
        return ends

    def to_lengths(self) -> NDArray[np.int64]:
        """Return the number of points of each segment."""
        ends = self.to_ends()
        lengths = _filled(len(self), lambda part: ends[part])
        for part in blocks(len(self) - 1):
            lengths[1:][part] -= ends[:-1][part]
        return lengths

    def to_labels(self) -> NDArray[np.int64]:
        """Return for each point the number of its segment, counted from 0."""
        mask = self.to_mask()
        labels = _filled(self.n, lambda part: mask[part].cumsum())
        for part in blocks(self.n):
            labels[part] += labels[part.start - 1] if part.start else -1
        return labels

    def to_mask(self) -> NDArray[np.bool_]:
        """Return a mask that is True at the first point of each segment."""
        import numpy as np

        mask = np.zeros(self.n, dtype=bool)
        mask[:1] = True
        cuts = np.frombuffer(self._cuts, dtype=np.int64)
        for part in blocks(cuts.size):
            mask[cuts[part]] = True
        return mask

    def to_intervals(self) -> NDArray[np.int64]:
        """Return the half-open interval of each segment, one per row."""
        import numpy as np

        ends, lengths = self.to_ends(), self.to_lengths()
        intervals = np.empty((len(self), 2), dtype=np.int64)
        for part in blocks(len(self)):
            intervals[part, 0] = ends[part] - lengths[part]
            intervals[part, 1] = ends[part]
        return intervals

    def __len__(self) -> int:
        """Count the segments."""
        return len(self._cuts) // 8 + 1 if self.n else 0

    def __bool__(self) -> bool:
        return True

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Segmentation):
            return NotImplemented
        return self.n == other.n and self._cuts == other._cuts

    def __hash__(self) -> int:
        return hash((self._cuts, self.n))

    def __repr__(self) -> str:
        cuts = memoryview(self._cuts).cast("q")
        if len(cuts) <= 12:
            return f"Segmentation({cuts.tolist()}, n={self.n})"
        first, last = str(cuts[:6].tolist())[1:-1], str(cuts[-3:].tolist())[1:-1]
        return f"<Segmentation of {self.n} points by {len(cuts)} cuts: {first}, ..., {last}>"

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a Segmentation cannot be changed; make a new one instead of setting {name}")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a Segmentation cannot be changed; {name} cannot be deleted")

    def __reduce__(self) -> tuple[Callable[[bytes, int], Self], tuple[bytes, int]]:
        return type(self)._of, (self._cuts, self.n)


def _integers(values: Iterable[Any], name: str) -> NDArray[np.int64]:
    """Make an array of integers in any order, or raise."""
    import numpy as np

    return np.frombuffer(load_integers(values, name), dtype=np.int64)


def _refuse_unordered(values: object, name: str) -> None:
    """Raise for an object that is not a sequence, and for an array with masked items."""
    if isinstance(values, set | frozenset | dict) or not hasattr(values, "__iter__"):
        raise TypeError(f"{name} is {values!r:.40}; expected a sequence of {name}")
    if type(values).__name__ == "MaskedArray":
        raise TypeError(f"{name} is a MaskedArray; expected {name} without gaps (use .compressed())")


def _labels(labels: Iterable[Any]) -> NDArray[Any]:
    """Make an array of labels in which different labels stay different."""
    import numpy as np

    _refuse_unordered(labels, "labels")
    if hasattr(labels, "__array__"):
        return np.asarray(labels)
    items = list(labels)  # kept as Python objects, because NumPy would make 1 and "1" the same label
    array = np.empty(len(items), dtype=object)
    for part in blocks(len(items)):
        array[part] = items[part]
    return array


def _marks(mask: Iterable[Any]) -> NDArray[Any]:
    """Make an array of marks from bools, integers or the characters of a string."""
    import numpy as np

    if isinstance(mask, str):
        return np.array([{"0": 0, "1": 1}.get(mark, mark) for mark in mask], dtype=object)
    _refuse_unordered(mask, "marks")
    array = np.asarray(mask if hasattr(mask, "__array__") else list(mask))
    if array.ndim != 1:
        raise ValueError(f"mask has {array.ndim} dimensions; expected 1")
    if array.size and array.dtype.kind not in "iub":
        raise TypeError(f"mask holds {array.dtype}; expected bools, or integers that are 0 or 1")
    return array


def _intervals(intervals: Iterable[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the starts and the ends of intervals as arrays, or raise."""
    import numpy as np

    _refuse_unordered(intervals, "intervals")
    if hasattr(intervals, "__array__"):
        rows = np.asarray(intervals)
        if rows.size and (rows.ndim != 2 or rows.shape[1] != 2):
            raise ValueError(f"intervals has shape {rows.shape}; expected (start, end) pairs")
        rows = rows.reshape(-1, 2)
        return _integers(rows[:, 0], "interval starts"), _integers(rows[:, 1], "interval ends")
    pairs = list(intervals)
    for k, pair in enumerate(pairs):
        if not hasattr(pair, "__len__") or isinstance(pair, str | dict) or len(pair) != 2:
            raise ValueError(f"intervals[{k}] = {pair!r:.40} is not a pair; expected (start, end) pairs")
    return (
        _integers([start for start, _ in pairs], "interval starts"),
        _integers([end for _, end in pairs], "interval ends"),
    )


def blocks(size: int) -> Iterator[slice]:
    """Return slices small enough that Ctrl-C is noticed between two operations of NumPy."""
    return (slice(start, min(start + BLOCK, size)) for start in range(0, size, BLOCK))


def _filled(size: int, values: Callable[[slice], NDArray[np.int64]]) -> NDArray[np.int64]:
    """Make an array of integers, block by block."""
    import numpy as np

    array = np.empty(size, dtype=np.int64)
    for part in blocks(size):
        array[part] = values(part)
    return array


def _where(size: int, is_marked: Callable[[slice], NDArray[np.bool_]], offset: int) -> NDArray[np.int64]:
    """Return the indices of marked items plus an offset, found block by block."""
    import numpy as np

    found = [np.flatnonzero(is_marked(part)) + (part.start + offset) for part in blocks(size)]
    indices = np.empty(sum(each.size for each in found), dtype=np.int64)
    end = 0
    for each in found:
        indices[end : end + each.size] = each
        end += each.size
    return indices


def _refuse_first(size: int, is_faulty: Callable[[slice], NDArray[np.bool_]], message: Callable[[int], str]) -> None:
    """Raise an error for the first faulty item, if there is one."""
    for part in blocks(size):
        faulty = is_faulty(part)
        if faulty.any():
            raise ValueError(message(part.start + int(faulty.argmax())))


def both(truth: Cuts, pred: Cuts, n: int | None) -> tuple[Segmentation, Segmentation]:
    """Return both sides as segmentations of one length: n, or the length of a Segmentation on either side.

    >>> both([3], Segmentation([4], n=9), None)
    (Segmentation([3], n=9), Segmentation([4], n=9))
    """
    left, right, length = load_both(truth, pred, n)
    return Segmentation._of(left, length), Segmentation._of(right, length)


def known_length(n: int | None, *lists: Iterable[Any]) -> int | None:
    """Return n, or the length of the first Segmentation among the inputs."""
    if n is not None:
        return n
    return next((side.n for sides in lists for side in sides if isinstance(side, Segmentation)), None)
