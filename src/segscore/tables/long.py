"""Scores for tables with one segmentation per row, whose truths stand in another table."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from .. import arguments
from ..optional import polars as pl
from .decoding import with_cuts
from .options import LENGTHS_OF_ROWS, STARTS, Options, ScoreOptions, shows_options
from .score import as_kind_of, dataframe, free_name, scored

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["Truths", "score_long", "with_truths"]

Table = TypeVar("Table")
Frame = TypeVar("Frame", "pl.DataFrame", "pl.LazyFrame")


@shows_options(ScoreOptions)
def score_long(
    segmentations: Table,
    truths: Any,  # noqa: ANN401
    on: str | list[str] = "series",
    *,
    cuts: str = "change_points",
    n: str | int | None = "n",
    labels: str | None = None,
    threads: int | None = None,
    **options: Unpack[ScoreOptions],
) -> Table:
    """Score a table with one segmentation per row against the truths of its series.

    ``truths`` has one row per annotator and series; scores are means over the annotators. A segmentation whose series
    has no truth scores null. Both tables may be of any kind that `score` takes; the result is of the kind of
    ``segmentations``.

    ``cuts`` is the column of cuts in both tables; ``labels`` is a column with one label per segment in both tables, and
    its labels count as in `score`. The lengths, ``n`` or ``duration`` or ``start`` and ``end``, stand in
    ``segmentations``.

    >>> import polars as pl
    >>> runs = pl.DataFrame({"series": ["a", "a"], "method": ["x", "y"], "change_points": [[4, 8], [5]], "n": [10, 10]})
    >>> people = pl.DataFrame({"series": ["a", "a"], "annotator": ["Ada", "Ben"], "change_points": [[3, 8], [4, 8]]})
    >>> score_long(runs, people, metrics=["rand_index"]).get_column("rand_index").round(4).to_list()
    [0.9222, 0.6556]
    """
    keys = [on] if isinstance(on, str) else list(on)
    runs: Any = segmentations if isinstance(segmentations, pl.LazyFrame) else dataframe(segmentations)
    people = dataframe(truths)
    columns = Truths.beside(runs.collect_schema().names(), cuts, labels)
    checked = Options(
        truth=columns.cuts_of_all,
        pred=cuts,
        n=n,
        truth_labels=None if labels is None else columns.labels_of_all,
        pred_labels=labels,
        threads=threads,
        **options,
    )
    of_sides = [cuts] if labels is None else [cuts, labels]
    for table, side in ((runs, "segmentations"), (people, "truths")):
        present = table.collect_schema().names()
        given_lengths = (checked.length, checked.start, checked.end) if table is runs else ()
        lengths = [name for name in given_lengths if isinstance(name, str)]
        for name in (*keys, *of_sides, *lengths):
            length = STARTS if checked.in_dates else f"{'duration=' if checked.in_time else 'n='}, {LENGTHS_OF_ROWS}"
            arguments.columns(present, [name], f"{side} have", length if name in lengths else "")
    joined = with_truths(runs, people, keys, columns, checked.in_time, checked.in_dates)
    scores = scored(joined, checked).drop(columns.added)
    is_polars = isinstance(segmentations, pl.DataFrame | pl.LazyFrame)
    result: Table = scores if is_polars else as_kind_of(segmentations, scores)
    return result


class Truths(NamedTuple):
    """The columns of a table of truths, and the new columns that hold those of all annotators of a series."""

    cuts: str
    cuts_of_all: str
    labels: str | None = None
    labels_of_all: str = ""

    @classmethod
    def beside(cls, taken: Iterable[str], cuts: str, labels: str | None) -> Truths:
        """Choose names of new columns that a table of runs does not have."""
        used = list(taken)
        return cls(cuts, free_name("_truth", used), labels, free_name("_truth_labels", used))

    @property
    def added(self) -> list[str]:
        """The names of the new columns."""
        return [self.cuts_of_all] if self.labels is None else [self.cuts_of_all, self.labels_of_all]


def with_truths(
    runs: Frame,
    truths: pl.DataFrame,
    keys: list[str],
    columns: Truths,
    in_time: bool = False,
    in_dates: bool = False,
) -> Frame:
    """Return a Polars table of runs with the cuts and labels of all annotators in new columns."""
    cuts = columns.cuts
    if truths.schema[cuts] == pl.String or (in_dates and truths.schema[cuts] == pl.List(pl.String)):
        given = truths.rename({cuts: "change_points"})
        truths = with_cuts(given, in_time=in_time, in_dates=in_dates).rename({"change_points": cuts})
    kind = truths.schema[cuts]
    inner = kind.inner if isinstance(kind, pl.List | pl.Array) else None
    is_number = inner is not None and (inner.is_integer() or inner == pl.Null or (in_time and inner.is_numeric()))
    if in_dates:
        is_number = inner is not None and (inner in (pl.Date, pl.Null) or isinstance(inner, pl.Datetime))
    if kind != pl.Null and not is_number:
        numbers = "timestamps" if in_dates else "numbers" if in_time else "integers"
        raise TypeError(f"column {cuts!r} of the truths holds {kind}; expected a list of {numbers} per row")
    gathered = [pl.col(cuts).alias(columns.cuts_of_all)]
    if columns.labels is not None:
        arguments.columns(truths.columns, [columns.labels], "truths have")
        own = pl.col(columns.labels)
        if truths.schema[columns.labels] == pl.String:  # each text is a list, so the texts become a list of lists
            own = pl.format("[{}]", own.fill_null("null").str.join(","))
        gathered.append(own.alias(columns.labels_of_all))
    kinds = runs.collect_schema()
    people = truths.group_by(keys, maintain_order=True).agg(gathered)
    people = people.with_columns(pl.col(key).cast(kinds[key]) for key in keys)
    if isinstance(runs, pl.LazyFrame):
        return runs.join(people.lazy(), on=keys, how="left", maintain_order="left")
    return runs.join(people, on=keys, how="left", maintain_order="left")
