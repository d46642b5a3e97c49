"""The causes of the disagreement of two segmentations: `explain`."""

from __future__ import annotations

from functools import cached_property
from operator import itemgetter
from typing import NamedTuple

from . import _core
from .segmentation import Cuts

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


class Explanation:
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
        rows = [("remove a predicted cut", str(c.cut), c.change) for c in self.predicted]
        rows += [("add a missed cut", str(c.cut), c.change) for c in self.missed]
        rows += [("move to the true cut", f"{m.pred} -> {m.truth}", m.cost) for m in self.matched if m.pred != m.truth]
        return sorted(rows, key=lambda row: -row[2])

    def __repr__(self) -> str:
        shown, rows = 10, self.rows()
        lines = [
            f"rand_index {_index(self.rand_index)}: {self.disagreement} of {self.n * (self.n - 1) // 2} pairs disagree"
        ]
        if rows:
            width = max(len(where) for _, where, _ in rows[:shown])
            lines.append(f"{'change to the prediction':<24}  {'cut':<{width}}  change of the Rand Index")
            lines += [f"{what:<24}  {where:<{width}}  {_shown(change)}" for what, where, change in rows[:shown]]
        if len(rows) > shown:
            lines.append(f"... and {len(rows) - shown} more")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        import html  # imported here so that the command line starts faster

        body = "".join(
            f"<tr><td>{html.escape(what)}</td><td>{html.escape(where)}</td><td>{_shown(change)}</td></tr>"
            for what, where, change in self.rows()[:50]
        )
        head = "<tr><th>change to the prediction</th><th>cut</th><th>change of the Rand Index</th></tr>"
        return f"<p>Rand Index {self.rand_index:.4f}, {self.disagreement} pairs disagree</p><table>{head}{body}</table>"


def _shown(change: float) -> str:
    return f"{change:+.4f}" if change == 0 or abs(change) >= 5e-5 else f"{change:+.2e}"


def _index(value: float) -> str:
    short = f"{value:.4f}"
    return repr(value) if float(short) in (0, 1) and float(short) != value else short


def explain(truth: Cuts, pred: Cuts, *, n: int | None = None) -> Explanation:
    """Find the causes of the disagreement between two segmentations.

    The disagreement d is the number of pairs of points that one side keeps together and the other splits; the Rand
    Index is 1 - d / (number of pairs). Each overlap cell has a share of d, and the shares add up to d. For each
    predicted cut the result says how the Rand Index would change if the cut were removed, for each missed cut how it
    would change if the cut were added, and for each displaced cut how it would change if the cut were moved to its true
    place. All numbers are exact; O(r + s) and a sort.

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
