"""The causes of the disagreement of two segmentations: `explain`."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from heapq import merge
from itertools import islice
from struct import Struct
from typing import Any, NamedTuple, TypeVar, overload

from .. import _core
from ..segmentation.segmentation import Cuts
from ..segmentation.sides import pairs_among
from ..showing import Result, Shown, Table, count_text, plain

__all__ = ["Explanation", "explain"]


class CellShare(NamedTuple):
    """Points in one true and one predicted segment, and their share of the disagreement.

    The cell holds the points from ``start`` to ``end``; ``pairs`` is its share.
    """

    start: int | float
    end: int | float
    pairs: int | float


class CutChange(NamedTuple):
    """Change of the Rand Index if a predicted cut is removed or a missed cut is added."""

    cut: int | float
    pairs: int | float  # change of the disagreement; negative is better
    change: float  # change of the Rand Index; positive is better


class MatchedPair(NamedTuple):
    """A predicted cut and a true cut, each of which is the nearest to the other."""

    truth: int | float
    pred: int | float
    pairs: int | float  # decrease of the disagreement if the predicted cut moves to the true cut
    cost: float  # loss of Rand Index because the cut is displaced


_CAUSE = Struct("qq16s")  # two places, and a number of pairs: as the core stores a row
_CAUSE_IN_TIME = Struct("ddd")  # two places, and an area
_Row = TypeVar("_Row")


class Causes(Sequence[_Row]):
    """Rows of an explanation, the most harmful first. A row is made when it is read."""

    __slots__ = ("_layout", "_make", "_stored", "_total")

    def __init__(self, stored: bytes, make: Callable[[Any, Any, Any, Any], _Row], total: int | float) -> None:
        self._stored, self._make, self._total = stored, make, total
        self._layout = _CAUSE_IN_TIME if isinstance(total, float) else _CAUSE

    def __reduce__(self) -> tuple[Any, ...]:  # a Struct cannot be pickled
        return Causes, (self._stored, self._make, self._total)

    def __len__(self) -> int:
        return len(self._stored) // self._layout.size

    @overload
    def __getitem__(self, index: int) -> _Row: ...
    @overload
    def __getitem__(self, index: slice) -> list[_Row]: ...
    def __getitem__(self, index: int | slice) -> _Row | list[_Row]:
        places = range(len(self))[index]
        if isinstance(places, range):
            return [self[k] for k in places]
        return self._row(*self._layout.unpack_from(self._stored, places * self._layout.size))

    def __iter__(self) -> Iterator[_Row]:
        return (self._row(*fields) for fields in self._layout.iter_unpack(self._stored))

    def __eq__(self, other: object) -> bool:
        return list(self) == list(other) if isinstance(other, Causes | list) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(list(self))

    def _row(self, first: float, second: float, pairs: bytes | float) -> _Row:
        amount = int.from_bytes(pairs, sys.byteorder, signed=True) if isinstance(pairs, bytes) else pairs
        return self._make(first, second, amount, self._total)


def _cell(start: int | float, end: int | float, pairs: int | float, _: int | float) -> CellShare:
    return CellShare(start, end, pairs)


def _cut(cut: int | float, _: int | float, pairs: int | float, total: int | float) -> CutChange:
    return CutChange(cut, pairs, -pairs / total)


def _matched(truth: int | float, pred: int | float, pairs: int | float, total: int | float) -> MatchedPair:
    return MatchedPair(truth, pred, pairs, pairs / total)


class _Change(NamedTuple):
    """A change to the prediction, and the resulting change of the Rand Index."""

    action: str
    pred: float | None
    truth: float | None
    change: float

    def cuts(self) -> str:
        """Return the cut, or the two cuts of a move."""
        return " -> ".join(str(cut) for cut in (self.pred, self.truth) if cut is not None)


class _ChangeInPoints(NamedTuple):
    """The types of the columns of a table in points."""

    action: str
    pred: int | None
    truth: int | None
    change: float


class Explanation(Result, Table):
    """Causes of a disagreement, in sequences sorted by effect: the most harmful first.

    ``cells``
        Every overlap of a true and a predicted segment, with its share of the disagreement. The shares add up to the
        disagreement.
    ``predicted``
        Every predicted cut, with the change of the Rand Index if the cut is removed. Harmful cuts come first.
    ``missed``
        Every true cut that was not predicted, with the change of the Rand Index if the cut is added.
    ``matched``
        Every pair of a predicted and a true cut, each the nearest to the other, with the loss of Rand Index because
        the predicted cut is displaced.

    The table of `to_polars` and `to_pandas` holds all changes of cuts, the most helpful change first. ``pred`` is the
    predicted cut to remove or to move, ``truth`` is the true cut to add or to move to, and ``change`` is the change of
    the Rand Index.
    """

    def __init__(
        self,
        cells: Sequence[CellShare],
        predicted: Sequence[CutChange],
        missed: Sequence[CutChange],
        matched: Sequence[MatchedPair],
        n: Any,  # noqa: ANN401, an int, or None in time; code that knows that it has points need not check
        duration: float | None = None,
    ) -> None:
        self.cells, self.predicted, self.missed, self.matched = cells, predicted, missed, matched
        self.n, self.duration = n, duration

    @cached_property
    def disagreement(self) -> int | float:
        """Number of pairs of points that the two segmentations treat differently; an area in time."""
        amounts = (cell.pairs for cell in self.cells)
        return sum(amounts) if self.duration is None else math.fsum(amounts)

    @property
    def rand_index(self) -> float:
        """The Rand Index."""
        total = self._total()
        return (total - self.disagreement) / total if total else 1.0

    def _total(self) -> int | float:
        return pairs_among(self.n, self.duration)

    def rows(self) -> list[tuple[str, str, float]]:
        """Return all changes of cuts in one table, the most helpful first.

        A row holds the change, the cut, and the resulting change of the Rand Index.
        """
        return [(row.action, row.cuts(), row.change) for row in self._changes()]

    def to_dict(self) -> dict[str, Any]:
        """Return n or the duration, and four lists of causes, as plain Python objects."""
        names = ("cells", "predicted", "missed", "matched")
        length = {"n": self.n} if self.duration is None else {"duration": self.duration}
        return {**length, **{name: plain(list(getattr(self, name))) for name in names}}

    def _table(self) -> tuple[type[Any], Iterator[_Change]]:
        return _ChangeInPoints if self.duration is None else _Change, self._changes()

    def _changes(self) -> Iterator[_Change]:
        removed = (_Change("remove a predicted cut", c.cut, None, c.change) for c in self.predicted)
        added = (_Change("add a missed cut", None, c.cut, c.change) for c in self.missed)
        moved = (_Change("move to the true cut", m.pred, m.truth, m.cost) for m in self.matched if m.pred != m.truth)
        return merge(removed, added, moved, key=lambda row: -row.change)

    def _shown(self) -> Shown:
        verb = "disagrees" if self.disagreement == 1 else "disagree"
        found = f"{self.disagreement} of {count_text(self._total(), 'pair')} {verb}"
        if self.duration is not None:
            found = f"an area of {self.disagreement:g} of {self._total():g} disagrees"
        lines = [f"rand_index {_index(self.rand_index)}: {found}"]
        most = 10
        rows = [(row.action, row.cuts(), _signed(row.change)) for row in islice(self._changes(), most)]
        count = len(self.predicted) + len(self.missed) + sum(m.pred != m.truth for m in self.matched)
        head = ("change to the prediction", "cut", "change of the Rand Index") if rows else ()
        return Shown(lines, head, "l" * len(head), rows, most, number=count)


def _signed(change: float) -> str:
    return f"{change:+.4f}" if change == 0 or abs(change) >= 5e-5 else f"{change:+.2e}"


def _index(value: float) -> str:
    short = f"{value:.4f}"
    return repr(value) if float(short) in (0, 1) and float(short) != value else short


def explain(truth: Cuts, pred: Cuts, *, n: int | None = None, duration: float | None = None) -> Explanation:
    """Find the causes of the disagreement between two segmentations.

    The disagreement d is the number of pairs of points that one side keeps together and the other splits. The Rand
    Index is 1 - d / (number of pairs). Each overlap cell has a share of d, and the shares add up to d. The result also
    says how the Rand Index would change if one predicted cut were removed, if one missed cut were added, or if one
    displaced cut were moved to its true place. All numbers are exact. The cost is O(r + s) plus a sort.

    With ``duration=`` pairs of moments are measured as areas, out of duration**2 / 2. An area and a change x of the
    Rand Index have an error of at most 1e-15 x.

    >>> explain([30, 60], [33, 60, 80], n=100)
    rand_index 0.8846: 571 of 4950 pairs disagree
    change to the prediction  cut       change of the Rand Index
    remove a predicted cut    80        +0.0808
    move to the true cut      33 -> 30  +0.0345
    add a missed cut          30        +0.0182
    remove a predicted cut    60        -0.1091
    remove a predicted cut    33        -0.1473
    >>> explain([2.5, 7.0], [3.0, 7.25], duration=10.0)
    rand_index 0.9012: an area of 4.9375 of 50 disagrees
    change to the prediction  cut          change of the Rand Index
    move to the true cut      3.0 -> 2.5   +0.0625
    move to the true cut      7.25 -> 7.0  +0.0338
    add a missed cut          2.5          +0.0250
    add a missed cut          7.0          +0.0200
    remove a predicted cut    3.0          -0.1750
    remove a predicted cut    7.25         -0.2062
    """
    cells, predicted, missed, matched, length = _core.explain(truth, pred, n, duration)
    own = (length, None) if isinstance(length, int) else (None, length)
    total = pairs_among(*own) or 1
    return Explanation(
        Causes(cells, _cell, total),
        Causes(predicted, _cut, total),
        Causes(missed, _cut, total),
        Causes(matched, _matched, total),
        *own,
    )
