"""The options of `score`, shared by tables in memory, files, Spark, Dask and the command line."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from datetime import timedelta
from typing import Any, Literal, TypedDict, TypeVar

from .. import arguments
from ..scores.catalog import LENGTH_OPTIONS, Metric
from ..scores.core_plans import chosen_metrics
from ..segmentation.lengths_of_time import LengthOfTime, is_length_of_time, no_length_of_time
from .plans import plans_of

__all__ = ["Options", "PairOptions", "ScoreOptions", "length_in", "lengths_in", "shows_options"]

Function = TypeVar("Function", bound=Callable[..., Any])

LENGTHS_OF_ROWS = (
    "the name of a column or a number, or ends=True for lists that end with the length, or start= and end= for "
    "timestamps"
)
STARTS = "start= and end=, the names of columns or one time for all rows"
LENGTHS = f"n= or duration=, {LENGTHS_OF_ROWS}"


def length_in(columns: Iterable[str]) -> str | None:
    """Return the column of lengths of a table of results: n, or duration for cuts in time, or None.

    >>> length_in(["series", "truth", "pred", "duration"])
    'duration'
    """
    return next((name for name in lengths_in(columns) if name in ("n", "duration")), None)


def lengths_in(columns: Iterable[str]) -> tuple[str, ...]:
    """Return the columns with the lengths of a table of results: n, or else duration, or else start and end.

    >>> lengths_in(["series", "truth", "pred", "start", "end"]), lengths_in(["series"])
    (('start', 'end'), ())
    """
    present = set(columns)
    return next((names for names in (("n",), ("duration",), ("start", "end")) if present.issuperset(names)), ())


class ScoreOptions(TypedDict, total=False):
    """The keyword arguments that all functions share which score tables; `segscore.score` explains them."""

    metrics: Iterable[str] | None
    margin: float | timedelta | None
    relative_margin: float | None
    duration: str | float | None
    start: Any
    end: Any
    ends: bool
    on_error: Literal["raise", "null"]
    against: Literal["all", "others"]


class PairOptions(ScoreOptions, total=False):
    """The shared keyword arguments for tables that hold the truth and the prediction in one row."""

    truth_labels: str | None
    pred_labels: str | None


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
    margin: Any = None
    relative_margin: float | None = None
    duration: str | float | None = None
    start: Any = None
    end: Any = None
    truth_labels: str | None = None
    pred_labels: str | None = None
    ends: bool = False
    on_error: str = "raise"
    threads: int | None = None
    against: str = "all"
    unit: str | None = None  # unit of timestamps that are counted already

    chosen: Mapping[str, tuple[Metric, dict[str, Any]]] = field(
        init=False, compare=False
    )  # the parsed metrics, by their names
    names: tuple[str, ...] = field(init=False)  # names of the scores
    thread_count: int = field(init=False)
    in_dates: bool = field(init=False)  # whether cuts are timestamps
    in_time: bool = field(init=False)  # whether cuts are real-valued times
    length: str | float | None = field(init=False)  # column of lengths, or one number; None if lists end with it
    columns: list[str] = field(init=False, compare=False)  # the columns that are read
    reasons: bool = field(init=False)  # whether the columns status and error say what became of each row

    def __post_init__(self) -> None:
        arguments.choice(self.on_error, "on_error", ("raise", "null"))
        arguments.choice(self.against, "against", ("all", "others"))
        self._set(
            ends=arguments.flag(self.ends, "ends"),
            in_dates=self.start is not None,
            in_time=self.duration is not None,
            reasons=self.on_error == "null",
        )
        has_length = self.n not in ("n", None)  # the default gives way to the others
        given = {"n=": has_length, "duration=": self.in_time, "ends=True": self.ends, "start=": self.in_dates}
        if (self.start is None) != (self.end is None):
            one, other = ("start=", "end=") if self.end is None else ("end=", "start=")
            raise TypeError(f"{one} is given without {other}; expected both for timestamps")
        arguments.exclusive(given)
        if self.n is None and self.duration is None and not self.ends and not self.in_dates:
            raise TypeError(f"there is no length; expected {LENGTHS}")
        for name, column in (("truth_labels", self.truth_labels), ("pred_labels", self.pred_labels)):
            if column is not None and not isinstance(column, str):
                raise TypeError(f"{name} = {column!r:.40} is {type(column).__name__}; expected the name of a column")
        self._check_length("margin", self.margin)
        chosen = chosen_metrics(self.metrics, self.margin, self.relative_margin, self.in_time, in_table=True)
        names = tuple(chosen)
        if self.margin is not None and is_length_of_time(self.margin):
            self._set(margin=LengthOfTime.of(self.margin))
        length = None if self.ends or self.in_dates else self.duration if self.in_time else self.n
        further = [metric.column for metric, _ in chosen.values() if metric.column]
        read = (self.truth, self.pred, self.truth_labels, self.pred_labels, length, self.start, self.end, *further)
        self._set(
            metrics=names,  # options may be copied, but an iterator can be read only once
            chosen=chosen,
            names=names,
            thread_count=arguments.threads(self.threads),
            length=length,
            columns=list(dict.fromkeys(name for name in read if isinstance(name, str))),
        )
        for name, (_, options) in chosen.items():
            for key, value in options.items():
                if key in LENGTH_OPTIONS and value is not self.margin:
                    self._check_length(f"{name}: {key}", value)
        plans_of(names, self.unit or ("ns" if self.in_dates else None))  # checks

    def _set(self, **fields: Any) -> None:  # noqa: ANN401
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    @classmethod
    def of_results(cls, columns: Iterable[str], **options: Any) -> Options:  # noqa: ANN401
        """Return the options of a table of results, whose columns have their usual names.

        These are ``truth``, ``pred``, and ``n`` or else ``duration``, or else ``start`` and ``end``; and
        ``truth_labels`` and ``pred_labels``, if there are any.
        """
        present = list(columns)
        given: dict[str, Any] = {name: name for name in ("truth_labels", "pred_labels") if name in present}
        given |= {name: name for name in lengths_in(present)}
        return cls(**{**given, **options})

    def _check_length(self, name: str, value: Any) -> None:  # noqa: ANN401
        """Refuse a length of time beside other cuts, and a number beside timestamps, whose unit it does not name."""
        is_time = is_length_of_time(value)
        if is_time and not self.in_dates and self.unit is None:
            raise TypeError(
                f"{name} = {LengthOfTime.of(value)} is a length of time, but the cuts are not timestamps; expected a "
                "number in the unit of the cuts (or start= and end=, the columns of the first and the last time)"
            )
        if value and not is_time and (self.in_dates or self.unit is not None):
            raise no_length_of_time(value, name)
        if is_time and LengthOfTime.of(value).seconds < 0:
            raise ValueError(f"{name} = {LengthOfTime.of(value)} is negative; expected 0 or more")

    def check(self, columns: Iterable[str]) -> None:
        """Refuse a table that lacks a column to read, or a score that would replace such a column."""
        present = list(columns)
        for name in self.columns:
            expected = LENGTHS if name == self.length else ""
            if self.in_dates and name in (self.start, self.end):
                expected = STARTS
            if name == "confidence" and name not in (self.truth, self.pred, self.length):
                expected = "the confidences for average_precision, one number per predicted cut"
            arguments.columns(present, [name], "table has", expected)
        for name in (*self.columns, *(("status", "error") if self.reasons else ())):
            if present.count(name) > 1:
                raise ValueError(f"table has the column {name!r} twice; expected different names")
        if self.ends and self.n in present:
            raise ValueError(
                f"the length is given twice, by column {self.n!r} and by ends=True; drop the column or ends=True"
            )
        for name in self.names:
            if name in self.columns:
                raise ValueError(f"column {name!r} is read, and would be overwritten by its score; rename it first")


Options.__init__.__qualname__ = "score"  # the name that errors about unknown keyword arguments show


def shows_options(shared: type) -> Callable[[Function], Function]:
    """Show shared options, which a function takes as ``**options``, in its signature with their defaults."""

    def shown(function: Function) -> Function:
        signature = inspect.signature(function)
        *own, _ = signature.parameters.values()
        defaults = {option.name: option.default for option in fields(Options)}
        own += [
            inspect.Parameter(
                name, inspect.Parameter.KEYWORD_ONLY, default=defaults[name], annotation=kind.__forward_arg__
            )
            for name, kind in inspect.get_annotations(shared).items()
        ]
        function.__signature__ = signature.replace(parameters=own)  # type: ignore[attr-defined]
        return function

    return shown
