"""Notes about the rows of a table: unreadable rows, empty texts, statuses."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

from .. import _core

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from .options import Options

__all__ = ["FAILED", "INVALID", "NOT_RUN", "SCORED", "STATES", "UNDEFINED", "UNREADABLE", "UNREADABLE_STATUS"]
__all__ += ["POLICIES", "WITHOUT_TRUTH", "Failures", "Notes", "empty_texts", "statuses", "unreadable_in"]

NO_TRUTH = "the truth or the length is null; expected both"

STATES = _core.STATES  # the names of all states, in the order of their numbers
SCORED, UNDEFINED, FAILED, NOT_RUN = map(STATES.index, ("scored", "undefined", "failed", "not run"))
UNREADABLE, INVALID, WITHOUT_TRUTH = map(STATES.index, ("unreadable", "invalid", "without truth"))

Failures = Literal["worst", "no_cuts", "common", "omit"]
POLICIES = ("worst", "no_cuts", "common", "omit")  # how failures count on a leaderboard

UNREADABLE_STATUS = "unreadable"  # the status of a row that cannot be scored through no fault of the method
STATUSES = {SCORED: "ok", FAILED: "error", INVALID: "invalid"}
STATUSES |= {UNREADABLE: UNREADABLE_STATUS, WITHOUT_TRUTH: UNREADABLE_STATUS}


class Notes:
    """Unreadable rows and empty texts of a table, collected while its batches are scored in any order.

    ``where`` names a row of the table in messages.
    """

    def __init__(self, options: Options, where: Callable[[int], str] = "row {}".format) -> None:
        self.where = where
        self.rows = self.unreadable = 0
        self.first: tuple[int, str] | None = None  # the first unreadable row, and why
        self.refused: tuple[int, str] | None = None  # the first that has an error, and is not just without a truth
        self.empty: list[str] = []  # columns with empty texts
        self._columns = {"truth": options.truth, "pred": options.pred}
        self._lock = threading.Lock()

    def add(self, states: NDArray[np.uint8], errors: dict[int, str], empties: dict[str, int], numbers: Any) -> None:  # noqa: ANN401
        """Add what the core says of a batch; ``numbers`` are the numbers of its rows in the table."""
        bad = ((states == UNREADABLE) | (states == WITHOUT_TRUTH)).nonzero()[0].tolist()
        with self._lock:
            self.rows += len(states)
            self.unreadable += len(bad)
            if bad:
                first = (_number(bad[0], numbers), errors.get(bad[0], NO_TRUTH))
                self.first = min(self.first or first, first)
            for row in bad:
                if row in errors:
                    refused = (_number(row, numbers), errors[row])
                    self.refused = min(self.refused or refused, refused)
                    break
            for side in empties:
                if self._columns[side] not in self.empty:
                    self.empty.append(self._columns[side])

    def located(self, row: int, problem: str, numbers: Any) -> str:  # noqa: ANN401
        """Return the error of a row of a batch, with its place."""
        return f"{self.where(_number(row, numbers))}: {problem}"

    def texts(self, unreadable: bool = True) -> list[str]:
        """Return one sentence per column with empty texts, and one for the unreadable rows."""
        found = [empty_texts(column) for column in self.empty]
        if unreadable and self.first is not None:
            row, problem = self.first
            found.append(unreadable_rows(self.unreadable, self.rows, f"{self.where(row)}: {problem}"))
        return found

    def warn(self, unreadable: bool = True) -> None:
        """Issue a warning for each sentence."""
        for text in self.texts(unreadable):
            warnings.warn(text, stacklevel=2)


def _number(row: int, numbers: Any) -> int:  # noqa: ANN401
    return row if numbers is None else int(numbers[row])


def empty_texts(column: str) -> str:
    """Return the warning for a column with empty texts."""
    return (
        f"column {column!r} has empty texts, which are read as no answer; list.join of Polars writes [] as an empty "
        "text too; expected '[]' for no cuts"
    )


def unreadable_rows(count: int, rows: int, example: str) -> str:
    """Return the sentence about rows that are unreadable."""
    return f"{count:,} of {rows:,} rows cannot be read and are left out; the first is {example}"


def unreadable_in(table: pl.DataFrame) -> str | None:
    """Return the sentence about the unreadable rows of a Polars DataFrame, or None."""
    if "status" not in table.columns:
        return None
    rows = table.with_row_index("_row").filter(table.get_column("status").cast(str) == UNREADABLE_STATUS)
    if not rows.height:
        return None
    error = rows["error"][0] if "error" in rows.columns else None
    return unreadable_rows(rows.height, table.height, f"row {rows['_row'][0]}: {error or NO_TRUTH}")


def statuses(
    states: NDArray[np.uint8], errors: dict[int, str], status: list[Any] | None, error: list[Any] | None
) -> dict[str, list[str | None]]:
    """Return the columns status and error of a scored table.

    ``status`` and ``error`` are the columns that the table has already. They are kept for rows that were scored, and
    for rows without a prediction.
    """
    import numpy as np

    own: list[str | None] = np.array([*map(STATUSES.get, range(len(STATES)))], dtype=object)[states].tolist()
    reasons: list[str | None] = [None] * len(own)
    for old, new in ((status, own), (error, reasons)):
        if old is not None:
            for row in ((states == SCORED) | (states == FAILED)).nonzero()[0].tolist():
                new[row] = old[row] if isinstance(old[row], str) else new[row]
    for row in (states == WITHOUT_TRUTH).nonzero()[0].tolist():
        reasons[row] = NO_TRUTH
    for row, problem in errors.items():
        reasons[row] = problem
    return {"status": own, "error": reasons}
