"""What detectors answer: cuts, ends, labels or intervals, which become cuts without any repair."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from .. import arguments
from ..segmentation.segmentation import Segmentation
from ..showing import count_text

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["ANSWER_KINDS", "Kind", "cuts_of"]

Kind = Literal["cuts", "ends", "labels", "intervals"]
ANSWER_KINDS = ("cuts", "ends", "labels", "intervals")


def cuts_of(answer: Any, n: int, kind: Kind | None = None, *, shift: int = 0) -> list[int]:  # noqa: ANN401
    """Convert the answer of a detector for a signal of n points into cuts.

    ``kind`` says what the answer holds:

    - ``"cuts"``: positions of changes; a leading 0 and a trailing n are dropped;
    - ``"ends"``: the ends of all segments, the last of which is n, as in ruptures;
    - ``"labels"``: one label per point;
    - ``"intervals"``: pairs [start, end) that do not overlap. Each start and end inside the signal is a cut.

    Without ``kind``, the shape of the answer decides: a `Segmentation` is taken as it is, n values are labels, pairs
    are intervals, and other lists, arrays and columns are cuts. A frame with a column ``ilocs``, as in sktime, is read
    by the same rule. Whole floats are accepted. ``shift`` is added to each cut. Cuts that are out of order, repeated or
    outside the signal raise the error that any score would raise.

    >>> cuts_of([100, 200], 200), cuts_of([0, 0, 1, 1, 1], 5), cuts_of([(0, 3), (3, 10)], 10)
    ([100], [2], [3])
    >>> cuts_of([99], 200, shift=1)
    [100]
    >>> cuts_of(100, 200)
    Traceback (most recent call last):
    TypeError: the answer is 100, a single int; expected a list of cuts, as [100]
    """
    n = arguments.integer(n, "n", least=0)
    arguments.choice(kind, "kind", (*ANSWER_KINDS, None))
    if isinstance(answer, Segmentation):
        if answer.duration is not None:
            raise ValueError(
                "the answer is a Segmentation in time; expected a Segmentation of the points of the signal"
            )
        if answer.n != n:
            raise ValueError(
                f"the answer has n = {answer.n} but the signal has {count_text(n, 'point')}; expected the same length"
            )
        found: Any = answer.cuts
    else:
        found = _positions(answer, n, kind)
    cuts = Segmentation([cut + shift for cut in found], n=n).cuts
    return list(cuts)


def _positions(answer: Any, n: int, kind: Kind | None) -> list[int]:  # noqa: ANN401
    """Return the interior positions in an answer, in the order of the answer."""
    labels = None
    if hasattr(answer, "columns") and hasattr(answer, "shape"):  # a frame of pandas
        answer, labels = _frame_column(answer)
    values = _answer_array(answer)
    if values.ndim == 1 and values.size and hasattr(values[0], "left") and hasattr(values[0], "right"):
        values = _interval_pairs(values)
    if kind == "intervals" or (kind is None and values.ndim == 2 and values.shape[1:] == (2,)):
        return _edges(values, n, labels)
    if values.ndim != 1:
        raise ValueError(f"the answer has shape {values.shape}; expected a list of cuts, or pairs (start, end)")
    if kind == "labels" or (kind is None and values.size == n > 0):
        if values.size != n:
            raise ValueError(
                f"the answer has {count_text(values.size, 'label')} but the signal has {count_text(n, 'point')}; "
                "expected one label per point"
            )
        if kind is None and values.dtype.kind == "b":
            raise TypeError(
                "the answer holds one bool per point, which may be marks or labels; expected kind='labels', or "
                "segscore.Segmentation.from_mask(marks)"
            )
        return Segmentation.from_labels(values).cuts
    ends = _integers(values)
    if kind == "ends" and (not ends or ends[-1] != n):
        raise ValueError(f"the ends stop at {ends[-1] if ends else 'nothing'}; expected the last end to be n = {n}")
    ends = ends[:-1] if ends and ends[-1] == n else ends
    return ends[1:] if ends and ends[0] == 0 else ends


def _frame_column(frame: Any) -> tuple[Any, Any]:  # noqa: ANN401
    """Return the positions of a frame of sktime, and the labels of its intervals if there are any."""
    names = list(frame.columns)
    if "ilocs" not in names:
        raise ValueError(
            f"the answer is a {type(frame).__name__} with the columns {', '.join(map(str, names)) or 'none'}; expected "
            "a column ilocs, or a list of cuts"
        )
    return frame["ilocs"], frame["labels"] if "labels" in names else None


def _answer_array(answer: Any) -> NDArray[Any]:  # noqa: ANN401
    """Return a list, an array or a column as an array, or raise with the remedy."""
    import numpy as np

    if answer is None:
        raise TypeError("the answer is None; expected a list of cuts, which is empty if nothing changes")
    if isinstance(answer, int | float | np.number) or getattr(answer, "ndim", None) == 0:
        raise TypeError(
            f"the answer is {answer!s:.40}, a single {type(answer).__name__}; expected a list of cuts, as [100]"
        )
    if np.ma.is_masked(answer):
        raise ValueError("the answer has masked values; expected cuts alone, as answer.compressed() gives")
    if not (isinstance(answer, list | tuple | range) or hasattr(answer, "__array__")):
        raise TypeError(
            f"the answer is a {type(answer).__name__}; expected a list or an array of cuts, a Segmentation, labels or "
            "intervals"
        )
    if len(answer) == 0:
        return np.empty(0, dtype=np.int64)
    try:
        return np.asarray(answer)
    except ValueError:
        raise ValueError("the answer holds lists of different lengths; expected cuts, or pairs (start, end)") from None


def _integers(values: NDArray[Any]) -> list[int]:
    """Return whole numbers as ints, or raise for the first that is not whole."""
    import numpy as np

    if values.dtype.kind in "iu":
        return [int(value) for value in values]
    numbers = values.astype(object) if values.dtype.kind in "fO" else ()
    if not len(numbers) and values.size:
        raise TypeError(f"the answer holds {values.dtype}; expected cuts as integers")
    found = []
    for k, value in enumerate(numbers):
        whole = isinstance(value, int | float | np.number) and not isinstance(value, bool | complex)
        if not whole or value != value or value in (float("inf"), -float("inf")) or value != int(value):
            raise ValueError(f"answer[{k}] = {value!r:.40} is not a whole number; expected cuts as integers")
        found.append(int(value))
    return found


def _interval_pairs(values: NDArray[Any]) -> NDArray[Any]:
    """Return intervals of pandas as pairs [start, end), or raise if they are closed in another way."""
    import numpy as np

    other = next((value for value in values if value.closed != "left"), None)
    if other is not None:
        raise ValueError(f"the interval {other} is closed at {other.closed}; expected intervals [start, end)")
    return np.array([(value.left, value.right) for value in values])


def _edges(values: NDArray[Any], n: int, labels: Any) -> list[int]:  # noqa: ANN401
    """Return the starts and ends of intervals inside the signal.

    Two adjacent intervals with the same label are one segment.
    """
    if not values.size:
        return []
    if values.ndim != 2 or values.shape[1] != 2:
        raise ValueError(f"the answer has shape {values.shape}; expected intervals as pairs (start, end)")
    starts, ends = _integers(values[:, 0]), _integers(values[:, 1])
    marks = list(range(len(starts))) if labels is None else list(labels)
    edges: list[int] = []
    for k, (start, end) in enumerate(zip(starts, ends, strict=True)):
        if not 0 <= start < end <= n:
            raise ValueError(
                f"the interval [{start}, {end}) is not inside the signal; expected 0 <= start < end <= {n}"
            )
        if k and start < ends[k - 1]:
            raise ValueError(
                f"the interval [{start}, {end}) overlaps [{starts[k - 1]}, {ends[k - 1]}); expected intervals in order "
                "that do not overlap"
            )
        joined = k > 0 and start == ends[k - 1]
        if joined and marks[k] == marks[k - 1]:
            edges.pop()
        elif not joined:
            edges.append(start)
        edges.append(end)
    return [edge for edge in edges if 0 < edge < n]
