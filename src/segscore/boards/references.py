"""The scores of people and of predictions that ignore the signal, to which a leaderboard is compared."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from .. import arguments, simulate
from ..optional import library
from ..scores.metric_text import metric, metric_of, parsed
from ..segmentation.segmentation import Segmentation
from ..tables.decoding import exact
from ..tables.options import Options
from ..tables.score import scored
from ..tables.states import Notes
from .intervals import mean_of

__all__ = ["CHANCE_DRAWS", "against_others", "references"]

CHANCE_DRAWS = 999  # random segmentations per series
MOST_CUTS = 1_000_000  # of all random segmentations together; more or longer series have fewer draws


def against_others(runs: Any, options: Options) -> dict[str, dict[str, float]]:  # noqa: ANN401
    """Return the mean scores of methods, with each annotator left out in turn.

    Only series with several annotators count; rows without a score are left out.
    """
    pl = library("polars")
    several = runs.filter(pl.col("truth").list.len() > 1)
    if not options.names or not several.height:
        return {}
    columns = pl.col(options.names)
    result = scored(several, replace(options, against="others", on_error="null"), Notes(options))
    groups = result.group_by("method", "series", maintain_order=True).agg(columns.fill_nan(None))
    means = groups.with_columns(columns.list.mean()).group_by("method", maintain_order=True).agg(columns)
    found = means.with_columns(columns.list.mean()).rows(named=True)
    return {row["method"]: {k: row[k] for k in options.names if row[k] is not None} for row in found}


def references(
    runs: Any,  # noqa: ANN401
    options: Options,
    seed: int = 0,
    series: Mapping[str, Collection[str]] | None = None,
) -> dict[str, dict[str, float]]:
    """Return the scores of people and of predictions that ignore the signal, averaged over the series of a table.

    ``series`` gives the series that count for each metric, so that the lines are over the series of a leaderboard.

    human
        Each annotator against all other annotators of the series, if there are several.
    no cuts
        The prediction without cuts, with the label of the longest segment of the annotator.
    evenly spaced
        Segments of equal length, as many as an annotator has, and with the annotator's labels in their order.
    chance
        Random segmentations with as many cuts as an annotator's, all equally likely, and with the annotator's labels in
        their order: the exact mean for F1 in points, else the mean of 999 draws per series.
    """
    import numpy as np

    known = {name: metric_of(name) for name in options.names}
    names = [name for name, metric in known.items() if metric is None or metric.column is None]  # others need more
    if not names:
        return {}
    options = replace(options, metrics=names)
    pl, pa = library("polars"), library("pyarrow")
    people, blank, even, drawn = [], [], [], []
    length = "duration" if options.in_time else "n"
    kind = runs.schema[length]
    n = exact(pl.col(length), kind) if kind.is_float() and not options.in_time else pl.col(length)
    labels = options.truth_labels
    nothing = pl.lit(None).alias("_labels")
    given = runs.select("series", n, "truth", nothing if labels is None else pl.col(labels)).drop_nulls(
        ["series", length, "truth"]
    )
    given = given.unique("series", maintain_order=True)
    total: Any = given["truth"].list.eval(pl.element().list.len()).list.sum().sum()
    expected = {} if options.in_time else {name: text for name in options.names if (text := _expected(name))}
    draws = max(1, min(CHANCE_DRAWS, MOST_CUTS // max(1, total))) if len(expected) < len(options.names) else 0
    # Sorted, so that the draws of a series depend on the names of all series, and not on the order of the rows.
    for number, (place, n, truths, names) in enumerate(given.sort("series").iter_rows()):
        named = [None] * len(truths) if names is None else names
        # Sorted, so that the order of annotators changes neither the draws nor a digit.
        sides = sorted(zip(truths, named, strict=False), key=str)
        share = -(-draws // max(1, len(sides)))
        for k, (own, own_labels) in enumerate(sides):
            others = [*sides[:k], *sides[k + 1 :]]
            if others:
                people.append((place, n, *map(list, zip(*others, strict=True)), own, own_labels))
            with suppress(ValueError, TypeError):  # an invalid truth has no scores
                state = np.random.SeedSequence([arguments.seed(seed), number, k]).generate_state(1, np.uint64)[0]
                alike = Segmentation(own, **{length: n})
                truth = (place, n, *map(list, zip(*sides, strict=True)))
                drawn += [(*truth, x.cuts, own_labels) for x in simulate.segmentations(share, alike, rng=int(state))]
                even.append((*truth, _evenly_spaced(len(alike.cuts), alike.length, options.in_time), own_labels))
                sizes = [end - start for start, end in alike.segments]
                blank.append((*truth, [], own_labels and [own_labels[sizes.index(max(sizes))]]))
    found: dict[str, dict[str, float]] = {}
    cuts = pl.List(pl.Float64 if options.in_time else pl.Int64)
    inner = pl.List(pl.String) if labels is None else runs.schema[labels].inner
    kinds = {
        **{"series": pl.String, length: pl.Float64 if options.in_time else pl.Int64},
        **{"truth": pl.List(cuts), "truth_labels": pl.List(inner), "pred": cuts, "pred_labels": inner},
    }
    if labels is not None:  # a random segmentation has the labels of the annotator, in their order
        options = replace(options, truth_labels="truth_labels", pred_labels="pred_labels")
    for name, rows in (("human", people), ("no cuts", blank), ("evenly spaced", even), ("chance", drawn)):
        if rows:
            schema = pl.DataFrame(schema=kinds).to_arrow().schema
            columns = [
                pa.array(column, kind) for column, kind in zip(zip(*rows, strict=True), schema.types, strict=True)
            ]
            table = pl.DataFrame(pa.Table.from_arrays(columns, schema=schema))  # Polars is slower for lists in Python
            found[name] = _means(table, options, series)
            if name == "evenly spaced" and expected:  # the expected score depends only on the number of cuts
                by_chance = _means(table, replace(options, metrics=[*expected.values()]), series, expected)
    if even and expected:
        found["chance"] = {**found.get("chance", {}), **by_chance}
    return found


def _evenly_spaced(count: int, length: Any, in_time: bool) -> list[Any]:  # noqa: ANN401
    """Return cuts between segments of equal length, rounded to whole points unless cuts are in time."""
    places = range(1, count + 1)
    return [k * length / (count + 1) for k in places] if in_time else [k * length // (count + 1) for k in places]


def _expected(name: str) -> str | None:
    """Return the metric that is the exact mean of a score over random predictions, if there is one."""
    known, options = parsed(name)
    if known.name != "f1" or not set(options) <= {"margin", "relative_margin"}:
        return None
    return metric("expected_f1", **options)


def _means(
    table: Any,  # noqa: ANN401
    options: Options,
    series: Mapping[str, Collection[str]] | None,
    expected: Mapping[str, str] | None = None,
) -> dict[str, float]:
    """Return the mean over series of each score, or of what is expected of each score."""
    pl = library("polars")
    result = scored(table, options, Notes(options))
    # Collected as lists first, because the mean of a group may be summed in any order.
    columns = pl.col(options.names)
    groups = result.group_by("series", maintain_order=True).agg(columns.fill_nan(None))
    means = groups.with_columns(columns.list.mean())
    found = {}
    for name, column in (expected or {name: name for name in options.names}).items():
        kept = means if series is None else means.filter(pl.col("series").is_in(list(series[name])))
        value = mean_of(kept[column].drop_nulls())
        if value == value:
            found[name] = value
    return found
