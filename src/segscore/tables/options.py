"""The options of `score`, shared by tables in memory, files, Spark, Dask and the command line."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from .. import arguments
from ..catalog import chosen_metrics, metric_of
from .plans import plans_of

__all__ = ["Options", "length_in"]


LENGTHS_OF_ROWS = "the name of a column or a number, or ends=True for lists that end with the length"
LENGTHS = f"n= or duration=, {LENGTHS_OF_ROWS}"


def length_in(columns: Iterable[str]) -> str | None:
    """Return the column of lengths of a table of results: n, or duration for cuts in time, or None.

    >>> length_in(["series", "truth", "pred", "duration"])
    'duration'
    """
    present = set(columns)
    return next((name for name in ("n", "duration") if name in present), None)


@dataclass(frozen=True)
class Options:
    """The options of `segscore.score`, checked when they are made.

    >>> Options(metrics=["rand_index"], threads=1).names
    ('rand_index',)
    """

    truth: str = "truth"
    pred: str = "pred"
    n: str | int | None = "n"
    metrics: Iterable[str] | None = None
    margin: float | None = None
    relative_margin: float | None = None
    duration: str | float | None = None
    truth_labels: str | None = None
    pred_labels: str | None = None
    ends: bool = False
    on_error: str = "raise"
    threads: int | None = None
    against: str = "all"

    names: tuple[str, ...] = field(init=False)  # names of the scores
    thread_count: int = field(init=False)

    def __post_init__(self) -> None:
        if self.on_error not in ("raise", "null"):
            raise ValueError(f"on_error = {self.on_error!r:.40} is unknown; expected 'raise' or 'null'")
        if self.against not in ("all", "others"):
            raise ValueError(f"against = {self.against!r:.40} is unknown; expected 'all' or 'others'")
        object.__setattr__(self, "ends", arguments.flag(self.ends, "ends"))
        has_length = self.n not in ("n", None)  # the default gives way to the others
        given = {"n=": has_length, "duration=": self.duration is not None, "ends=True": self.ends}
        several = [name for name, is_given in given.items() if is_given]
        if len(several) > 1:
            raise TypeError(f"{several[0]} and {several[1]} exclude each other; expected one of them")
        if self.n is None and self.duration is None and not self.ends:
            raise TypeError(f"there is no length; expected {LENGTHS}")
        for name, column in (("truth_labels", self.truth_labels), ("pred_labels", self.pred_labels)):
            if column is not None and not isinstance(column, str):
                raise TypeError(f"{name} = {column!r:.40} is {type(column).__name__}; expected the name of a column")
        has_margin = self.margin is not None or self.relative_margin is not None
        names = chosen_metrics(self.metrics, has_margin, self.in_time, in_table=True)
        plans_of(names, self.margin, self.relative_margin)  # checks the margins
        # Options may be copied, but an iterator can be read only once, so the names are stored.
        for name, value in (
            ("metrics", names),
            ("names", names),
            ("thread_count", arguments.threads(self.threads)),
        ):
            object.__setattr__(self, name, value)

    @classmethod
    def of_results(cls, columns: Iterable[str], **options: Any) -> Options:  # noqa: ANN401
        """Return the options of a table of results, whose columns have their usual names.

        These are ``truth``, ``pred``, and ``n`` or else ``duration``; and ``truth_labels`` and ``pred_labels``, if
        there are any.
        """
        present = list(columns)
        given: dict[str, Any] = {name: name for name in ("truth_labels", "pred_labels") if name in present}
        if length_in(present) == "duration":
            given["duration"] = "duration"
        return cls(**{**given, **options})

    @property
    def in_time(self) -> bool:
        """Whether cuts are real-valued times."""
        return self.duration is not None

    @property
    def length(self) -> str | float | None:
        """The column of lengths or durations, or one number; None if lists end with the length."""
        if self.ends:
            return None
        return self.n if self.duration is None else self.duration

    @property
    def columns(self) -> list[str]:
        """The columns that are read."""
        further = [metric.column for metric in map(metric_of, self.names) if metric and metric.column]
        read = (self.truth, self.pred, self.truth_labels, self.pred_labels, self.length, *further)
        return list(dict.fromkeys(name for name in read if isinstance(name, str)))

    @property
    def reasons(self) -> bool:
        """Whether the columns status and error say what became of each row."""
        return self.on_error == "null"

    def check(self, columns: Iterable[str]) -> None:
        """Refuse a table that lacks a column to read, or already has a column that would be written."""
        present = list(columns)
        for name in self.columns:
            if name not in present:
                remedy = f"; expected {LENGTHS}" if name == self.length else ""
                if name == "confidence" and name not in (self.truth, self.pred, self.length):
                    remedy = "; expected the confidences for average_precision, one number per predicted cut"
                found = ", ".join(map(str, present)) or "none"
                raise ValueError(f"table has no column {name!r}; it has {found}{remedy}")
        if self.ends and self.n in present:
            raise ValueError(
                f"table has a column {self.n!r}, but with ends=True the lists end with the length; expected one of "
                f"them (drop the column, or leave out ends=True)"
            )
        for name in self.names:
            if name in present:
                raise ValueError(f"table has a column {name!r} already; rename or drop it first")
