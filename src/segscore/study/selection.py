"""The choice of settings: which setting of a grid represents a method on each series."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Literal

from .. import arguments
from ..optional import library
from ..optional import polars as pl
from ..scores.core_plans import chosen_metrics
from ..scores.metric_text import lacks_margin, spelled
from ..tables.choices import REFERENCE_RULES, Chosen
from ..tables.columns import Column, column_of, value_of
from ..tables.groups import groups_of
from ..tables.options import Options, lengths_in
from ..tables.score import dataframe, named, scored

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Choice", "select", "with_scores"]

Choice = Literal["default", "cv", "split", "best", "oracle", "each"]
CHOICES = ("default", "cv", "split", "best", "oracle", "each")
FOLDS = 5
FEW = 10  # with fewer groups than this, each group is a fold
CHOOSING = 0  # the fold of a split on which settings are chosen


def select(
    runs: Any,  # noqa: ANN401
    metric: str | Column = "rand_index",
    settings: Choice | None = None,
    *,
    margin: float | timedelta | None = None,
    seed: int = 0,
) -> pl.DataFrame:
    """Choose one setting per method and series by a score, and return its runs.

    ``runs`` is a table of `run`: the columns ``series``, ``method`` and ``params``, and either the score or ``truth``,
    ``pred`` and ``n``. ``metric`` is the name of a score; ``seconds``, ``cpu_seconds`` or ``memory``; or a
    `segscore.Column` for a column that is not a metric of segscore. The result is a Polars DataFrame with the score and
    a column ``settings``, which says how the settings were chosen, with the seed. Captions and boards read this column.

    ``settings``
        - ``"default"``: the setting marked in the column ``default``;
        - ``"cv"``: the setting with the best mean on other series, by 5-fold cross-validation. The folds are drawn over
          the column ``group``, if there is one, else over series. With fewer than 10 groups, each group is a fold.
          Tests on these scores find false differences about twice as often as their level says;
        - ``"split"``: the setting with the best mean on a random half of the groups (or series). Only the runs on the
          other half are returned, so tests on their scores are valid;
        - ``"best"``: the setting with the best mean over all series. The name of the method gets " (best)";
        - ``"oracle"``: the best setting on each series itself, as in TCPDBench. The name of the method gets
          " (oracle)";
        - ``"each"``: all settings, each as a method of its own.

        The default is ``"default"`` if every method with several settings has a default, else ``"cv"``.
    ``margin``
        The margin of ``metric``, if its name has none: ``"f1"`` with ``margin=5`` is ``"f1(margin=5)"``.
    ``seed``
        The seed of the folds, and of the halves.

    A run without a score counts as the worst value when a setting is chosen. Ties go to the default, then to the first
    setting of the grid.

    >>> import polars as pl
    >>> cell = {"series": ["a", "a", "b", "b"], "method": ["x"] * 4, "params": ['{"k":1}', '{"k":2}'] * 2}
    >>> runs = pl.DataFrame({**cell, "f1": [0.2, 0.4, 0.9, 0.3]})
    >>> select(runs, "f1", "oracle").select("method", "params", "f1").rows()
    [('x (oracle)', '{"k":2}', 0.4), ('x (oracle)', '{"k":1}', 0.9)]
    >>> select(runs, "f1", "split").select("series", "params", "settings").rows()
    [('b', '{"k":2}', 'split(of=2,on=1,seed=0,settings=2)')]
    """
    library("polars", extra="study")  # the error without Polars names this extra
    arguments.choice(settings, "settings", (*CHOICES, None))
    table, column = with_scores(runs, metric, margin)
    table = table.with_row_index("_row")
    grids = {method: _Grid(part) for (method,), part in table.group_by("method", maintain_order=True)}
    several = {method: grid for method, grid in grids.items() if len(grid.settings) > 1}
    if settings is None:
        settings = "default" if all(grid.default is not None for grid in several.values()) else "cv"
    folds, said = _folds(table, settings, seed) if several or settings == "split" else ({}, Chosen(settings))
    parts = []
    for method, grid in grids.items():
        chosen = grid.rows
        printed = pl.lit(method)
        count = len(grid.settings)
        if count > 1 and settings == "each":
            printed = pl.concat_str(pl.lit(f"{method} "), pl.col("params").fill_null("null"))
        elif count > 1:
            picked = _picked(method, grid, grid.values(column), settings, folds)
            wanted = pl.DataFrame({"series": grid.series, "_setting": picked}, schema_overrides={"_setting": pl.Int64})
            chosen = chosen.join(wanted, on=["series", "_setting"], how="semi", maintain_order="left")
            if settings in REFERENCE_RULES:  # they may stand on one board with the line that they are compared to
                printed = pl.lit(f"{method} ({settings})")
        text = said.text if said.rule in ("default", "each") else said._replace(settings=count).text
        parts.append(chosen.with_columns(printed.alias("method"), pl.lit(text).alias("settings")))
    if not parts:
        return table.drop("_row")
    result = pl.concat(parts).sort("_row").drop("_row", "_setting")
    if settings == "split":
        result = result.filter(~pl.col("series").is_in([name for name, fold in folds.items() if fold == CHOOSING]))
    return result


def with_scores(runs: Any, metric: str | Column, margin: Any) -> tuple[pl.DataFrame, Column]:  # noqa: ANN401
    """Return a table of runs with a score, computed if it is missing, and the `Column`."""
    table = dataframe(runs)
    arguments.columns(table.columns, ("series", "method"), "runs have")
    table = named(table, ("series", "method"))
    if "params" not in table.columns:
        table = table.with_columns(params=pl.lit(None, pl.String))
    asked = metric.name if isinstance(metric, Column) else metric
    if margin is not None and lacks_margin(asked):
        ((asked, _),) = chosen_metrics([asked], margin, None, False, in_table=True).items()
    name = spelled(asked, table.columns)
    if name not in table.columns:
        if not {"truth", "pred"} <= set(table.columns) or not lengths_in(table.columns):
            expected = "this column, or truth, pred and n (or duration, or start and end) to compute it"
            arguments.columns(table.columns, [name], "runs have", expected)
        table = scored(table, Options.of_results(table.columns, metrics=[name], on_error="null"))
    column = metric._replace(name=name) if isinstance(metric, Column) else column_of(name)
    return table.with_columns(pl.col(name).cast(pl.Float64)), column


class _Grid:
    """The runs of one method, with its settings and series in the order of the table."""

    def __init__(self, rows: pl.DataFrame) -> None:
        self.settings = rows["params"].unique(maintain_order=True).to_list()
        self.series = rows["series"].unique(maintain_order=True).to_list()
        number = {setting: k for k, setting in enumerate(self.settings)}
        places = [number[setting] for setting in rows["params"].to_list()]
        self.rows = rows.with_columns(pl.Series("_setting", places, pl.Int64))
        marked = []
        if "default" in rows.columns:
            marked = self.rows.filter(pl.col("default").fill_null(False))["_setting"].unique().to_list()
        if len(marked) > 1:
            raise ValueError(
                f"method {rows['method'][0]!r} has {len(marked)} settings that are marked as default; expected one"
            )
        self.default: int | None = marked[0] if marked else None

    def values(self, column: Column) -> NDArray[np.float64]:
        """Return the score of each setting on each series; higher is better, failures are worst."""
        import numpy as np

        filled = value_of(column.name, self.rows).fill_nan(None).fill_null(column.bound)
        means = self.rows.group_by("_setting", "series").agg(filled.sort().mean())
        place = {series: k for k, series in enumerate(self.series)}
        values = np.full((len(self.settings), len(self.series)), column.bound)
        for setting, series, value in means.iter_rows():
            values[setting, place[series]] = value
        return values if column.rising else -values

    def best(self, values: NDArray[np.float64]) -> int:
        """Return the setting with the best mean; ties go to the default, then to the first of the grid.

        Where the worst value is infinite, fewer failures come first, then the mean of the rest.
        """
        import numpy as np

        lost = np.isinf(values)
        sums = np.where(lost, 0.0, values).sum(axis=1) / np.maximum(1, (~lost).sum(axis=1))
        keys = [(int(lost[k].sum()), -float(sums[k]), k != self.default, k) for k in range(len(values))]
        return min(keys)[-1]


def _folds(table: pl.DataFrame, settings: str, seed: int) -> tuple[dict[str, int], Chosen]:
    """Return the fold of each series, where all series of a group are in one fold, and how settings are chosen.

    A split has two folds: settings are chosen on the first one, and only the series of the other one are scored.
    """
    if settings not in ("cv", "split"):
        return {}, Chosen(settings)
    groups = groups_of(table)
    units = groups or {name: name for name in table["series"].unique(maintain_order=True)}
    names = sorted(set(units.values()))  # sorted, so that the order of the rows does not change the folds
    if len(names) < 2:
        what = "cross-validation" if settings == "cv" else "a split"
        raise ValueError(f"there is 1 {'group' if groups else 'series'}; {what} needs at least 2")
    seed = arguments.integer(seed, "seed")
    random.Random(seed).shuffle(names)
    if settings == "split":
        first = len(names) // 2
        place = {name: CHOOSING if k < first else CHOOSING + 1 for k, name in enumerate(names)}
        said = Chosen("split", seed=seed, on=first, of=len(names), groups=groups is not None)
    else:
        count = len(names) if groups and len(names) < FEW else min(FOLDS, len(names))
        place = {name: k % count for k, name in enumerate(names)}
        said = Chosen("cv", seed=seed, folds=count)
    return {series: place[own] for series, own in units.items()}, said


def _picked(
    method: str, grid: _Grid, values: NDArray[np.float64], settings: str, folds: dict[str, int]
) -> Sequence[int]:
    """Return the chosen setting for each series."""
    if settings == "default":
        if grid.default is None:
            raise ValueError(
                f"method {method!r} has {len(grid.settings)} settings, and none is marked as default; expected "
                "settings='cv', 'split', 'best', 'oracle' or 'each'"
            )
        return [grid.default] * len(grid.series)
    if settings == "best":
        return [grid.best(values)] * len(grid.series)
    if settings == "oracle":
        return [grid.best(values[:, [k]]) for k in range(len(grid.series))]
    own = [folds[series] for series in grid.series]
    best = {}
    for fold in set(own) - {CHOOSING} if settings == "split" else set(own):
        training = [k for k, place in enumerate(own) if (place == CHOOSING if settings == "split" else place != fold)]
        if not training:
            raise ValueError(
                f"method {method!r} was run on none of the series on which its setting for series "
                f"{grid.series[own.index(fold)]!r} is chosen; expected runs on more series, or another seed="
            )
        best[fold] = grid.best(values[:, training])
    return [best.get(fold, grid.default or 0) for fold in own]
