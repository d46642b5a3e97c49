"""The usual formats of segmentations as cuts: lengths, labels of points, marks, starts and intervals."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from .._core import load_duration, load_integers, load_n, load_reals
from ..arguments import exclusive, flag
from ..showing import count_text

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "BLOCK",
    "Tiles",
    "blocks",
    "characters_of",
    "cuts_of_labels",
    "cuts_of_mask",
    "cuts_of_starts",
    "ends_of_lengths",
    "index_of_intervals",
    "tiles_of",
]
__all__ += ["first_where", "integers_of", "objects_of", "reals_of", "refuse_first"]

BLOCK = 2**20  # Python objects that NumPy handles at once
NO_GAP = "expected no gap (gap_label= fills gaps)"


def blocks(size: int) -> Iterator[slice]:
    """Return slices for slow work of NumPy, which notices Ctrl-C only between two operations."""
    return (slice(start, min(start + BLOCK, size)) for start in range(0, size, BLOCK))


def ends_of_lengths(lengths: Iterable[Any]) -> NDArray[np.int64]:
    """Return the ends of segments with these lengths, or raise."""
    array = integers_of(lengths, "lengths")
    refuse_first(array < 1, lambda k: f"lengths[{k}] = {array[k]} is not positive; a segment has points (drop it)")
    ends = array.cumsum()
    refuse_first(ends < 1, lambda k: f"lengths[:{k + 1}] sum to 2**63 or more; expected n < 2**63")
    return ends


def characters_of(pieces: Iterable[str]) -> Iterator[int]:
    """Give the number of characters of each piece of a text, without white space."""
    if isinstance(pieces, str) or not hasattr(pieces, "__iter__"):
        raise TypeError(f"pieces is {pieces!r:.40}; expected a sequence of texts, such as a list of sentences")
    for k, piece in enumerate(pieces):
        if not isinstance(piece, str):
            raise TypeError(f"pieces[{k}] = {piece!r:.40} is a {type(piece).__name__}; expected a text")
        yield len("".join(piece.split()))


def cuts_of_labels(labels: Iterable[Any]) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Return the cuts where the label of a point changes, and the labels of all points as an array."""
    import numpy as np

    array = _labels(labels)
    if array.ndim != 1:
        raise ValueError(f"labels has {array.ndim} dimensions; expected 1 (one label per point)")

    def differ(some: NDArray[Any], others: NDArray[Any]) -> NDArray[np.bool_]:
        found = np.empty(some.size, dtype=bool)
        try:
            for part in blocks(some.size):
                found[part] = some[part] != others[part]
        except (TypeError, ValueError):  # for example pandas.NA, or arrays as labels
            message = "labels cannot all be compared; expected a plain label per point (fill what is missing)"
            raise TypeError(message) from None
        return found

    cuts = np.flatnonzero(differ(array[1:], array[:-1])) + 1
    refuse_first(
        differ(array, array),
        lambda k: f"labels[{k}] = {array[k]} is not equal to itself; expected labels that can be compared",
    )
    return cuts, array


def cuts_of_mask(mask: Iterable[Any], n: int | None) -> tuple[NDArray[np.int64], int]:
    """Return the marked cuts and the number of points, or raise."""
    import numpy as np

    array = _marks(mask)
    refuse_first((array != 0) & (array != 1), lambda k: f"mask[{k}] = {array[k]} is neither 0 nor 1; expected marks")
    size = array.size
    if n is None:
        if size and (isinstance(mask, str) or not array[0]):
            raise ValueError(
                f"mask has {count_text(size, 'mark')}, one per point or one per gap; pass n={size} or n={size + 1}"
            )
    elif size != load_n(n) and size != n - 1:
        raise ValueError(f"mask has {count_text(size, 'mark')} but n = {n}; expected n marks (points) or n - 1 (gaps)")
    of_gaps = n is not None and size == n - 1
    return np.flatnonzero(array) + of_gaps, size + of_gaps


def cuts_of_starts(starts: Iterable[Any], n: int, one_based: bool) -> NDArray[np.int64]:
    """Return starts counted from 0, or raise; the order of starts counted from 0 is not checked."""
    array = integers_of(starts, "starts")
    n = load_n(n)
    if not flag(one_based, "one_based"):
        if array.size and array[0] == 1:
            raise ValueError(
                "starts[0] = 1 without a 0 before it; the starts look 1-based "
                "(pass one_based=True, or put 0 first if a segment does start at 1)"
            )
        return array
    if array.size and array[0] == 0:
        raise ValueError("starts[0] = 0 but one_based=True; the starts look 0-based (drop one_based)")
    refuse_first(
        (array < 1) | (array > n + 1), lambda k: f"starts[{k}] = {array[k]} is outside 1 <= start <= n + 1 = {n + 1}"
    )
    refuse_first(
        array[1:] <= array[:-1],
        lambda k: (
            f"starts[{k + 1}] = {array[k + 1]} does not exceed starts[{k}] = {array[k]}; "
            "starts must strictly increase (sort them first)"
        ),
    )
    return array - 1


class Tiles(NamedTuple):
    """Segments without gap or overlap: the end and the label of each, and whether they are in time."""

    ends: NDArray[Any]
    labels: tuple[Hashable, ...] | None
    in_time: bool


def tiles_of(
    intervals: Iterable[Any],
    labels: Iterable[Hashable] | None,
    n: int | None,
    duration: float | None,
    gap_label: Hashable,
) -> Tiles:
    """Return intervals as segments that tile 0..n or 0..duration, or raise with the place of a gap or an overlap."""
    exclusive({"n=": n is not None, "duration=": duration is not None})
    starts, ends, given, in_time = _intervals(intervals, labels, n, duration)
    if gap_label is not None and given is None:
        raise TypeError("gap_label= needs a label for each interval; expected labels=, or (start, end, label) triples")
    refuses_gaps = gap_label is None
    name = "duration" if in_time else "n"
    length = load_duration(duration) if duration is not None else None if n is None else load_n(n)
    if not starts.size and (refuses_gaps or not length):
        if length:
            raise ValueError(f"intervals is empty but {name} = {length}; {NO_GAP}")
        return Tiles(ends, given, in_time)
    refuse_first(
        ~(ends > starts), lambda k: f"intervals[{k}] = [{starts[k]}, {ends[k]}) is empty; expected start < end"
    )
    if starts.size and starts[0] != 0 and (refuses_gaps or starts[0] < 0):
        expected = NO_GAP if starts[0] > 0 else "expected starts of at least 0"
        if starts[0] == 1 and not in_time:
            expected = "starting with 1 they look 1-based (subtract 1 from each start)"
        raise ValueError(f"intervals[0] starts at {starts[0]} but the sequence starts at 0; {expected}")

    def fault(k: int) -> str:
        remedy = "" if starts[k + 1] >= starts[k] else " (sort them first)"
        if starts[k + 1] > ends[k]:
            closed = not in_time and bool((starts[1:] == ends[:-1] + 1).all())
            remedy = " (gap_label= fills gaps)"
            remedy = "; they look closed, with both ends inside (add 1 to each end)" if closed else remedy
        return (
            f"intervals[{k + 1}] starts at {starts[k + 1]} but intervals[{k}] ends at {ends[k]}; "
            f"expected them to tile without gap or overlap{remedy}"
        )

    refuse_first(starts[1:] != ends[:-1] if refuses_gaps else starts[1:] < ends[:-1], fault)
    if length is not None and ends.size and (ends[-1] > length or (refuses_gaps and ends[-1] != length)):
        expected = f"expected ends up to {name}" if ends[-1] > length else NO_GAP
        raise ValueError(f"intervals[{ends.size - 1}] ends at {ends[-1]} but {name} = {length}; {expected}")
    if refuses_gaps:
        return Tiles(ends, given, in_time)
    return _with_gaps(starts, ends, given or (), length, gap_label, in_time)


def _with_gaps(
    starts: NDArray[Any],
    ends: NDArray[Any],
    labels: tuple[Hashable, ...],
    length: float | None,
    gap_label: Hashable,
    in_time: bool,
) -> Tiles:
    import numpy as np

    all_ends: list[Any] = []
    all_labels: list[Hashable] = []
    position = 0.0 if in_time else 0
    for start, end, label in zip(starts.tolist(), ends.tolist(), labels, strict=True):
        if start > position:
            all_ends.append(start)
            all_labels.append(gap_label)
        all_ends.append(end)
        all_labels.append(label)
        position = end
    if length is not None and length > position:
        all_ends.append(length)
        all_labels.append(gap_label)
    return Tiles(np.array(all_ends, dtype=ends.dtype), tuple(all_labels), in_time)


def integers_of(values: Iterable[Any], name: str) -> NDArray[np.int64]:
    """Make an array of integers in any order, or raise."""
    import numpy as np

    return np.frombuffer(load_integers(values, name), dtype=np.int64)


def reals_of(values: Iterable[Any], name: str) -> NDArray[np.float64]:
    """Make an array of finite real numbers in any order, or raise."""
    import numpy as np

    array = np.frombuffer(load_reals(values, name), dtype=np.float64)
    refuse_first(
        ~np.isfinite(array), lambda k: f"{name}[{k}] = {array[k]} is not finite; expected finite times (drop it first)"
    )
    return array


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
    return objects_of(list(labels))


def objects_of(items: Sequence[Any]) -> NDArray[Any]:
    """Make an array of Python objects, because NumPy would make 1 and "1" the same label."""
    import numpy as np

    array = np.empty(len(items), dtype=object)
    array[:] = items
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


def _intervals(
    intervals: Iterable[Any], labels: Iterable[Hashable] | None, n: int | None, duration: float | None
) -> tuple[NDArray[Any], NDArray[Any], tuple[Hashable, ...] | None, bool]:
    """Return the starts, the ends and the labels of intervals, and whether they are in time, or raise."""
    import numpy as np

    _refuse_unordered(intervals, "intervals")
    starts: Any
    ends: Any
    rows: Any = intervals
    index = index_of_intervals(rows)
    if index is not None:
        labels = rows if labels is None and index is not rows else labels
        rows = np.stack([np.asarray(index.left), np.asarray(index.right)], axis=1)
    if getattr(rows, "shape", ())[1:] == (3,):
        triples = np.asarray(rows)
        rows, labels = (triples[:, :2].tolist(), triples[:, 2]) if labels is None else (triples.tolist(), labels)
    if hasattr(rows, "__array__"):
        array = np.asarray(rows)
        if array.size and (array.ndim != 2 or array.shape[1] != 2):
            raise ValueError(f"intervals has shape {array.shape}; expected (start, end) pairs")
        starts, ends = array.reshape(-1, 2).T
        has_reals = array.size > 0 and array.dtype.kind == "f"
    else:
        rows = list(rows)
        width = 3 if rows and hasattr(rows[0], "__len__") and len(rows[0]) == 3 else 2
        noun, form = ("triple", "(start, end, label)") if width == 3 else ("pair", "(start, end)")
        for k, row in enumerate(rows):
            if not hasattr(row, "__len__") or isinstance(row, str | dict) or len(row) != width:
                raise ValueError(f"intervals[{k}] = {row!r:.40} is not a {noun}; expected {form} {noun}s")
        starts, ends = [row[0] for row in rows], [row[1] for row in rows]
        has_reals = any(_is_real(value) for side in (starts, ends) for value in side)
        if width == 3:
            if labels is not None:
                raise TypeError("intervals and labels= both have labels; expected one of them")
            labels = [row[2] for row in rows]
    in_time = duration is not None or (n is None and has_reals)
    read: Any = reals_of if in_time else integers_of
    starts, ends = read(starts, "interval starts"), read(ends, "interval ends")
    given = None
    if labels is not None:
        given = tuple(labels.tolist() if hasattr(labels, "tolist") else labels)
        if len(given) != starts.size:
            raise ValueError(
                f"labels has {count_text(len(given), 'item')} for {count_text(starts.size, 'interval')}; "
                "expected one per interval"
            )
    return starts, ends, given, in_time


def index_of_intervals(intervals: Any) -> Any:  # noqa: ANN401
    """Return an IntervalIndex of pandas, or that of a Series of labels as in sktime; None for other objects."""
    own = (intervals, getattr(intervals, "index", None))
    return next((index for index in own if type(index).__name__ == "IntervalIndex"), None)


def _is_real(value: object) -> bool:
    """Whether a value is a real number that is not an integer."""
    return hasattr(value, "__float__") and not hasattr(value, "__index__")


def first_where(marked: NDArray[np.bool_]) -> int | None:
    """Return the index of the first marked item, or None."""
    return int(marked.argmax()) if marked.any() else None


def refuse_first(is_faulty: NDArray[np.bool_], message: Callable[[int], str]) -> None:
    """Raise an error for the first faulty item, if there is one."""
    k = first_where(is_faulty)
    if k is not None:
        raise ValueError(message(k))
