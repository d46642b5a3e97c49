"""Rankings: the methods of a study in the order of a score, with the series and the values that count."""

from __future__ import annotations

import math
from functools import cached_property
from itertools import combinations, compress
from typing import TYPE_CHECKING, NamedTuple

from .. import arguments
from .cells import FAILED, Cells
from .failures import MISSING, POLICIES, Failures, Missing, counted
from .flips import NEAR, Flipped, flipped, units_of
from .signed_ranks import SignedRanks, rank_test, signed_ranks
from .standings import Standing, standings_of, unranked

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from typing_extensions import Self

__all__ = ["Paired", "Ranking"]


class Paired(NamedTuple):
    """Two methods by their places, and how much better the first one is on each common series."""

    a: int
    b: int
    apart: NDArray[np.float64]
    ranks: SignedRanks
    tested: Flipped  # without an interval if the ranks are tested
    units: int  # series or groups


class Ranking:
    """The methods of a study in the order of a score: the data of a `Leaderboard`, which explains the attributes."""

    def __init__(self, cells: Cells, failures: Failures = "worst", missing: Missing = "drop") -> None:
        arguments.choice(failures, "failures", POLICIES)
        arguments.choice(missing, "missing", MISSING)
        self.failures, self.missing = failures, missing
        self._cells_of_rows = cells
        self._others: dict[tuple[str, str], Self] = {}
        self.cells = cells.with_gaps_failed() if missing == "failed" else cells
        self._counted = counted(self.cells, failures)
        self.column = cells.column
        self.metric, self.rising = cells.column.name, cells.column.rising
        self.title = self.metric  # how sentences name the score; a report names it in words
        self.all_series, self.total = cells.series, len(cells.series)
        placed, series = self._counted.methods, self._counted.series
        self.methods = [cells.methods[k] for k in placed]
        self.series = [cells.series[k] for k in series]
        self.groups = None if cells.groups is None else [cells.groups[k] for k in series]
        self.states: NDArray[np.int8] = self.cells.states[placed]
        self.scores: NDArray[np.float64] = self.cells.scores[placed][:, series]
        self.values, self.ranks = self._counted.values, self._counted.ranks

    @property
    def by_rank(self) -> bool:
        """Whether the methods are ordered by their mean rank, because the score has no finite worst value."""
        return self.column.worst is None

    @cached_property
    def standings(self) -> list[Standing]:
        """The statistics of each ranked method, the best first."""
        return self._standings[: len(self.methods)]

    @cached_property
    def references(self) -> list[Standing]:
        """The statistics of references, which have no rank, over the series of the leaderboard."""
        return self._standings[len(self.methods) :]

    @cached_property
    def _standings(self) -> list[Standing]:
        return standings_of(self.cells, self._counted, self.groups)

    @cached_property
    def others(self) -> list[Standing]:
        """The statistics of methods run on fewer than half of the series, over their own series."""
        return [unranked(self.cells, k) for k in self._counted.others]

    @property
    def below(self) -> list[Standing]:
        """The references, and the methods run on fewer than half of the series: the rows below a rule."""
        return [*self.references, *self.others]

    def under(self, failures: Failures, missing: Missing | None = None) -> Self:
        """Return the leaderboard of the same scores under another policy for failures, or for missing rows."""
        missing = self.missing if missing is None else missing
        if (failures, missing) == (self.failures, self.missing):
            return self
        if (failures, missing) not in self._others:
            self._others[failures, missing] = type(self)(self._cells_of_rows, failures, missing)
        return self._others[failures, missing]

    @cached_property
    def gaps(self) -> dict[str, int]:
        """The number of series without a score or a failure of each method that has such series.

        Only series count on which another method has a score or a failure.
        """
        counts = zip(self.cells.methods, self.cells.gaps.sum(axis=1).tolist(), strict=True)
        return {method: count for method, count in counts if count}

    @property
    def with_gaps_failed(self) -> Self:
        """The leaderboard of the same scores on which gaps are failures, which count as the worst value or no cuts."""
        return self.under(self.failures if self.failures == "no_cuts" else "worst", "failed")

    @property
    def places(self) -> dict[str, int]:
        """The place of each ranked method; methods that are equal share the first of their places."""
        return dict(zip(self.methods, self._counted.places, strict=True))

    @cached_property
    def failed(self) -> list[str]:
        """The ranked methods that failed on a series."""
        return [method for method, states in zip(self.methods, self.states, strict=True) if (states == FAILED).any()]

    @cached_property
    def paired(self) -> list[Paired]:
        """The paired differences of all pairs of methods, each tested once.

        A leaderboard by means tests the mean difference, and a leaderboard by mean ranks tests signed ranks.
        """
        import numpy as np

        places = list(combinations(range(len(self.methods)), 2))
        apart = [self._apart(a, b) for a, b in places]
        alike: dict[bytes, list[int]] = {}  # pairs with the same common series
        for k, (common, _) in enumerate(apart):
            alike.setdefault(common.tobytes(), []).append(k)
        found: dict[int, Paired] = {}
        for members in alike.values():
            common = apart[members[0]][0]
            groups = self.cells.groups and list(compress(self.cells.groups, common))
            counts = units_of(np.zeros(int(common.sum())), groups).counts
            by_mean = [k for k in members if not self.by_rank and np.isfinite(apart[k][1]).all()]
            sums = np.array([units_of(apart[k][1], groups).sums for k in by_mean])
            tested = dict(zip(by_mean, flipped(sums, counts, len(places)), strict=True))
            for k in members:
                values = apart[k][1]
                test = tested.get(k) or Flipped(rank_test(values, groups), -math.inf, math.inf)
                found[k] = Paired(*places[k], values, signed_ranks(values), test, counts.size)
        return [found[k] for k in range(len(places))]

    def _apart(self, a: int, b: int) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
        """Return on which series both methods have values, and how much better the first method is on each of these.

        These are all such series of the study, so that a pair does not depend on the other methods.
        """
        import numpy as np

        one, other = self._counted.every[a], self._counted.every[b]
        common = ~np.isnan(one) & ~np.isnan(other)
        one, other = one[common], other[common]
        with np.errstate(invalid="ignore"):
            apart = one - other
        size = np.maximum(np.abs(one), np.abs(other))
        rounding = np.isfinite(size) & (np.abs(apart) <= NEAR * size)  # means of the same scores in another order
        apart[np.isnan(apart) | rounding] = 0.0  # nan: both scores are infinite
        return common, apart if self.rising else 0.0 - apart
