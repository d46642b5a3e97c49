"""Blame: where the disagreement of two segmentations comes from, and what each cut has to do with it."""

from __future__ import annotations

from functools import cached_property
from operator import itemgetter
from typing import NamedTuple

from . import _core
from .segmentation import Cuts

__all__ = ["Explanation", "explain"]


class CellShare(NamedTuple):
    """The points from start to end lie in one segment of each side; ``pairs`` is their share of the disagreement."""

    start: int
    end: int
    pairs: int


class CutChange(NamedTuple):
    """By how much the Rand Index would change without a predicted cut, or with a missed one added."""

    cut: int
    pairs: int  # by which the disagreement would change: less is better
    change: float  # of the Rand Index: more is better


class MatchedPair(NamedTuple):
    """A predicted cut and the true one that it stands for, each the nearest to the other."""

    truth: int
    pred: int
    pairs: int  # by which the disagreement would shrink if it were moved there
    cost: float  # of being off, in the Rand Index


class Explanation:
    """Who is to blame for a disagreement; the lists are sorted, the most to blame first.

    ``cells``
        Every overlap of a true and a predicted segment, with its share of the disagreement; the shares add up to it.
    ``predicted``
        Every predicted cut, by what removing it would do to the Rand Index; those that do harm come first.
    ``missed``
        Every true cut that was not predicted, by what adding it would do.
    ``matched``
        Every predicted cut that stands for a true one, by what it costs to be off by that much.
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
        """The number of pairs of points that the two treat differently."""
        return sum(cell.pairs for cell in self.cells)

    @property
    def rand_index(self) -> float:
        """The Rand Index."""
        total = self.n * (self.n - 1) // 2
        return (total - self.disagreement) / total if total else 1.0

    def rows(self) -> list[tuple[str, str, float]]:
        """Return all cuts in one table, (what, where, change of the Rand Index if it were so), the largest first."""
        rows = [("without a predicted cut", str(c.cut), c.change) for c in self.predicted]
        rows += [("with a missed cut", str(c.cut), c.change) for c in self.missed]
        rows += [("moved to the truth", f"{m.pred} -> {m.truth}", m.cost) for m in self.matched if m.pred != m.truth]
        return sorted(rows, key=lambda row: -row[2])

    def __repr__(self) -> str:
        shown, rows = 10, self.rows()
        lines = [
            f"rand_index {_index(self.rand_index)}: {self.disagreement} of {self.n * (self.n - 1) // 2} pairs disagree"
        ]
        if rows:
            width = max(len(where) for _, where, _ in rows[:shown])
            lines.append(f"{'if it were':<23}  {'cut':<{width}}  change of the Rand Index")
            lines += [f"{what:<23}  {where:<{width}}  {_shown(change)}" for what, where, change in rows[:shown]]
        if len(rows) > shown:
            lines.append(f"... and {len(rows) - shown} more")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        import html  # here and not above: the command line starts faster

        body = "".join(
            f"<tr><td>{html.escape(what)}</td><td>{html.escape(where)}</td><td>{_shown(change)}</td></tr>"
            for what, where, change in self.rows()[:50]
        )
        head = "<tr><th>if it were</th><th>cut</th><th>change of the Rand Index</th></tr>"
        return f"<p>Rand Index {self.rand_index:.4f}, {self.disagreement} pairs disagree</p><table>{head}{body}</table>"


def _shown(change: float) -> str:
    return f"{change:+.4f}" if change == 0 or abs(change) >= 5e-5 else f"{change:+.2e}"


def _index(value: float) -> str:
    short = f"{value:.4f}"
    return repr(value) if float(short) in (0, 1) and float(short) != value else short


def explain(truth: Cuts, pred: Cuts, *, n: int | None = None) -> Explanation:
    """Say where the disagreement of two segmentations comes from.

    The disagreement d counts the pairs of points that one side keeps together and the other splits; the Rand Index is
    1 - d over all pairs. Each overlap cell has a share of it, and the shares add up to d. Each predicted cut has a
    worth: how the Rand Index would change without it; each missed one, how it would change with it; each one that is
    merely off, how it would change if it were moved. All are exact, O(r + s) together and a sort.

    >>> explain([30, 60], [33, 60, 80], n=100)
    rand_index 0.8846: 571 of 4950 pairs disagree
    if it were               cut       change of the Rand Index
    without a predicted cut  80        +0.0808
    moved to the truth       33 -> 30  +0.0345
    with a missed cut        30        +0.0182
    without a predicted cut  60        -0.1091
    without a predicted cut  33        -0.1473
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
