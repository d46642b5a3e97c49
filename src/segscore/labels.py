"""Segmentations with labels that may recur: verse, chorus, verse; sleep, wake, sleep.

In a `Segmentation` every segment is a cluster of its own. In a `LabelledSegmentation` all segments with the same label
are one cluster, so A B A has two clusters. The pair, information and overlap families accept a `LabelledSegmentation`
on either side, and score the clusters; on a side without labels, every segment is a cluster of its own. The other
families compare cuts: pass ``.segmentation`` to them.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Hashable, Iterable
from typing import TYPE_CHECKING, Any, NoReturn

from .segmentation import Cuts, Segmentation, blocks

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["LabelledSegmentation"]


class LabelledSegmentation:
    """A sequence of n points, cut into labelled segments whose labels may recur. Immutable.

    Parameters
    ----------
    cuts
        Interior cuts, as for a `Segmentation`.
    labels
        One hashable label per segment. Labels may recur, also in neighbouring segments.
    n
        The number of points.

    Examples
    --------
    >>> song = LabelledSegmentation([4, 7], ["A", "B", "A"], n=10)
    >>> song
    LabelledSegmentation([4, 7], ['A', 'B', 'A'], n=10)
    >>> import segscore as ss
    >>> ss.pair_counts(song, [5], n=10)
    PairCounts(both=10, truth_only=14, pred_only=10, neither=11)
    >>> song == LabelledSegmentation.from_labels("AAAABBBAAA")
    True

    """

    __slots__ = ("_cuts", "_labels", "labels", "n")

    _cuts: bytes
    _labels: bytes  # the number of each segment's label, int64
    labels: tuple[Hashable, ...]
    n: int

    def __new__(cls, cuts: Cuts, labels: Iterable[Hashable], *, n: int | None = None) -> Self:
        """Check cuts and labels, and make the object."""
        segmentation = Segmentation(cuts, n=n)
        if isinstance(labels, set | frozenset | dict) or not hasattr(labels, "__iter__"):
            raise TypeError(f"labels is {labels!r:.40}; expected a sequence of labels, one per segment")
        given = tuple(labels.tolist() if hasattr(labels, "tolist") else labels)
        if len(given) != len(segmentation):
            count = len(segmentation)
            raise ValueError(f"labels has {len(given)} items for {count} segments; expected one per segment")
        return cls._of(segmentation, given)

    @classmethod
    def _of(cls, segmentation: Segmentation, labels: tuple[Hashable, ...]) -> Self:
        """Make a labelled segmentation of a segmentation and one label per segment."""
        numbers: dict[Hashable, int] = {}
        for k, label in enumerate(labels):
            try:
                unequal = label != label
                numbers.setdefault(label, len(numbers))
            except TypeError:
                raise TypeError(f"labels[{k}] = {label!r:.40} is not hashable; expected a plain label") from None
            if unequal:
                raise ValueError(
                    f"labels[{k}] = {label!r} is not equal to itself; expected labels that can be compared"
                )
        codes = array("q", (numbers[label] for label in labels)).tobytes()
        made = super().__new__(cls)
        for name, value in (
            ("_cuts", segmentation._cuts),
            ("_labels", codes),
            ("labels", labels),
            ("n", segmentation.n),
        ):
            object.__setattr__(made, name, value)
        return made

    @classmethod
    def from_labels(cls, labels: Iterable[Any]) -> Self:
        """Make a labelled segmentation from one label per point.

        There is a cut wherever the label changes; all segments with the same label are one cluster.

        >>> LabelledSegmentation.from_labels([0, 0, 1, 1, 0])
        LabelledSegmentation([2, 4], [0, 1, 0], n=5)
        """
        import numpy as np

        if not hasattr(labels, "__getitem__"):
            labels = list(labels)
        segmentation = Segmentation.from_labels(labels)
        starts = [0, *segmentation.cuts][: len(segmentation)]
        if isinstance(labels, np.ndarray):
            return cls._of(
                segmentation, tuple(x for part in blocks(len(starts)) for x in labels[starts[part]].tolist())
            )
        items = labels.tolist() if hasattr(labels, "tolist") else labels
        return cls._of(segmentation, tuple(items[start] for start in starts))

    @property
    def segmentation(self) -> Segmentation:
        """The segmentation without the labels."""
        return Segmentation._of(self._cuts, self.n)

    @property
    def cuts(self) -> list[int]:
        """The interior cuts."""
        return self.segmentation.cuts

    @property
    def segments(self) -> list[tuple[int, int]]:
        """The half-open range (start, end) of each segment."""
        return self.segmentation.segments

    def __len__(self) -> int:
        """Count the segments."""
        return len(self.labels)

    def __bool__(self) -> bool:
        return True

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LabelledSegmentation):
            return NotImplemented
        return (self.n, self._cuts, self.labels) == (other.n, other._cuts, other.labels)

    def __hash__(self) -> int:
        return hash((self.n, self._cuts, self.labels))

    def __repr__(self) -> str:
        if len(self) <= 12:
            return f"LabelledSegmentation({self.cuts}, {list(self.labels)}, n={self.n})"
        clusters = len(set(self.labels))
        return f"<LabelledSegmentation of {self.n} points by {len(self) - 1} cuts, with {clusters} labels>"

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a LabelledSegmentation cannot be changed; make a new one instead of setting {name}")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a LabelledSegmentation cannot be changed; {name} cannot be deleted")

    def __reduce__(self) -> tuple[Callable[..., Self], tuple[Segmentation, tuple[Hashable, ...]]]:
        return type(self)._of, (self.segmentation, self.labels)
