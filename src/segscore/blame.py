"""The causes of the disagreement of two segmentations: `explain`."""

from __future__ import annotations

from functools import cached_property
from operator import itemgetter
from typing import Any, NamedTuple

from . import _core
from .segmentation import Cuts
from .showing import Result, Shown, Table, plain

__all__ = ["Explanation", "explain"]


class CellShare(NamedTuple):
    """Points in one true and one predicted segment, and their share of the disagreement.

    The cell holds the points from ``start`` to ``end``; ``pairs`` is its share.
    """

    start: int
    end: int
    pairs: int


class CutChange(NamedTuple):
    """Change of the Rand Index if a predicted cut is removed or a missed cut is added."""

    cut: int
    pairs: int  # change of the disagreement; negative is better
    change: float  # change of the Rand Index; positive is better


class MatchedPair(NamedTuple):
    """A predicted cut and a true cut, each of which is the nearest to the other."""

    truth: int
    pred: int
    pairs: int  # decrease of the disagreement if the predicted cut moves to the true cut
    cost: float  # loss of Rand Index because the cut is displaced


class _Change(NamedTuple):
    """A change to the prediction, and the resulting change of the Rand Index."""

    action: str
    pred: int | None
    truth: int | None
    change: float

    def cuts(self) -> str:
        """Return the cut, or the two cuts of a move."""
        return " -> ".join(str(cut) for cut in (self.pred, self.truth) if cut is not None)


class Explanation(Result, Table):
    """Causes of a disagreement, in lists sorted by effect: the most harmful first.

    ``cells``
        Every overlap of a true and a predicted segment, with its share of the disagreement. The shares add up.
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
        cells: list[CellShare],
        predicted: list[CutChange],
        missed: list[CutChange],
        matched: list[MatchedPair],
        n: int,
    ) -> None:
        self.cells, self.predicted, self.missed, self.matched, self.n = cells, predicted, missed, matched, n

    @cached_property
    def disagreement(self) -> int:
        """Number of pairs of points that the two segmentations treat differently."""
        return sum(cell.pairs for cell in self.cells)

    @property
    def rand_index(self) -> float:
        """The Rand Index."""
        total = self.n * (self.n - 1) // 2
        return (total - self.disagreement) / total if total else 1.0

    def rows(self) -> list[tuple[str, str, float]]:
        """Return all changes of cuts in one table, the most helpful first.

        A row holds the change, the cut, and the resulting change of the Rand Index.
        """
        return [(row.action, row.cuts(), row.change) for row in self._changes()]

    def to_dict(self) -> dict[str, Any]:
        """Return n and the four lists as plain Python objects."""
        return {name: plain(getattr(self, name)) for name in ("n", "cells", "predicted", "missed", "matched")}

    def _table(self) -> tuple[type[_Change], list[_Change]]:
        return _Change, self._changes()

    def _changes(self) -> list[_Change]:
        changes = [_Change("remove a predicted cut", c.cut, None, c.change) for c in self.predicted]
        changes += [_Change("add a missed cut", None, c.cut, c.change) for c in self.missed]
        moved = [m for m in self.matched if m.pred != m.truth]
        changes += [_Change("move to the true cut", m.pred, m.truth, m.cost) for m in moved]
        return sorted(changes, key=lambda row: -row.change)

    def _shown(self) -> Shown:
        pairs = self.n * (self.n - 1) // 2
        lines = [f"rand_index {_index(self.rand_index)}: {self.disagreement} of {pairs} pairs disagree"]
        rows = [(what, where, _signed(change)) for what, where, change in self.rows()]
        head = ("change to the prediction", "cut", "change of the Rand Index") if rows else ()
        return Shown(lines, head, "l" * len(head), rows, most=10)


def _signed(change: float) -> str:
    return f"{change:+.4f}" if change == 0 or abs(change) >= 5e-5 else f"{change:+.2e}"


def _index(value: float) -> str:
    short = f"{value:.4f}"
    return repr(value) if float(short) in (0, 1) and float(short) != value else short


def explain(truth: Cuts, pred: Cuts, *, n: int | None = None) -> Explanation:
    """Find the causes of the disagreement between two segmentations.

    The disagreement d is the number of pairs of points that one side keeps together and the other splits. The Rand
    Index is 1 - d / (number of pairs). Each overlap cell has a share of d, and the shares add up to d. The result also
    says how the Rand Index would change if one predicted cut were removed, if one missed cut were added, or if one
    displaced cut were moved to its true place. All numbers are exact. The cost is O(r + s) plus a sort.

    >>> explain([30, 60], [33, 60, 80], n=100)
    rand_index 0.8846: 571 of 4950 pairs disagree
    change to the prediction  cut       change of the Rand Index
    remove a predicted cut    80        +0.0808
    move to the true cut      33 -> 30  +0.0345
    add a missed cut          30        +0.0182
    remove a predicted cut    60        -0.1091
    remove a predicted cut    33        -0.1473
    """
    cells, predicted, missed, matched, length = _core.explain(truth, pred, n)
    total = max(1, length * (length - 1) // 2)
    return Explanation(
        list(map(CellShare._make, sorted(cells, key=itemgetter(2), reverse=True))),
        [CutChange(cut, pairs, -pairs / total) for cut, pairs in sorted(predicted, key=itemgetter(1))],
        [CutChange(cut, pairs, -pairs / total) for cut, pairs in sorted(missed, key=itemgetter(1))],
        [MatchedPair(t, p, pairs, pairs / total) for t, p, pairs in sorted(matched, key=itemgetter(2), reverse=True)],
        length,
    )
