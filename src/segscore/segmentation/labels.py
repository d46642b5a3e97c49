"""Labels of segments, which may recur: verse, chorus, verse; sleep, wake, sleep.

All segments with the same label are one cluster, so A B A has two clusters. The pair, information and overlap families
score the clusters; on a side without labels, every segment is a cluster of its own. The scores of the other families
compare cuts, and ignore labels. What explains or approximates a score of clusters from the cuts alone, such as
`explain`, refuses labels: pass ``segmentation.without_labels()`` to it.
"""

from __future__ import annotations

from array import array
from collections.abc import Hashable, Iterable

from ..showing import count_text

__all__ = ["codes_of", "labels_of"]


def labels_of(labels: Iterable[Hashable], count: int) -> tuple[Hashable, ...]:
    """Return labels as a tuple, or raise unless there is one label per segment.

    >>> labels_of("ABA", 3)
    ('A', 'B', 'A')
    """
    if isinstance(labels, set | frozenset | dict) or not hasattr(labels, "__iter__"):
        raise TypeError(f"labels is {labels!r:.40}; expected a sequence of labels, one per segment")
    given = tuple(labels.tolist() if hasattr(labels, "tolist") else labels)
    if len(given) != count:
        raise ValueError(
            f"labels has {count_text(len(given), 'item')} for {count_text(count, 'segment')}; expected one per segment"
        )
    return given


def codes_of(labels: tuple[Hashable, ...]) -> bytes:
    """Return the number of each label as int64: labels are numbered 0, 1, 2, ... as they first occur."""
    numbers: dict[Hashable, int] = {}
    for k, label in enumerate(labels):
        try:
            unequal = label != label
            numbers.setdefault(label, len(numbers))
        except TypeError:
            raise TypeError(f"labels[{k}] = {label!r:.40} is not hashable; expected a plain label") from None
        if unequal:
            raise ValueError(f"labels[{k}] = {label!r} is not equal to itself; expected labels that can be compared")
    return array("q", (numbers[label] for label in labels)).tobytes()
