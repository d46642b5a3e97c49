"""Errors in annotated regions of all methods and series of a table, and their ROC curves.

The predictions stand in a table of runs with one row per method and series, and the regions in another table with one
row per region. `segscore.analysis.regions` explains the regions and their errors.
"""

from __future__ import annotations

import json
import operator
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from .. import arguments
from ..optional import polars as pl
from ..showing import Result, Shown, Table, count_text, number_text
from ..tables.decoding import with_cuts
from ..tables.options import length_in
from ..tables.score import dataframe, named
from .penalties import LabelRoc, label_roc
from .penalty_paths import penalty_paths
from .regions import REGION_KINDS, Checked, LabelError, checked_regions, errors_in

__all__ = ["LabelErrors", "label_errors", "label_rocs", "rocs_of"]


class MethodErrors(NamedTuple):
    """Errors of one method, with one setting, in the regions of all series together."""

    method: str
    params: str | None
    series: int
    failed: int
    regions: int
    errors: float
    error_rate: float
    false_positives: float
    possible_false_positives: float
    false_negatives: float
    possible_false_negatives: float


class LabelErrors(Result, Table):
    """Errors of each method in the annotated regions of all series together.

    ``rows`` holds one row per method, or per method and setting if the runs have a column ``params``, from the lowest
    error rate to the highest. ``series`` is the number of series with regions, and ``failed`` is the number of these
    series without a prediction. All numbers of errors are sums of the weights of regions.
    """

    __slots__ = ("rows",)

    def __init__(self, rows: Iterable[Sequence[Any]]) -> None:
        self.rows = [MethodErrors(*row) for row in rows]

    def __reduce__(self) -> tuple[type[LabelErrors], tuple[Any, ...]]:
        return LabelErrors, (self.rows,)

    def to_dict(self) -> dict[str, Any]:
        """Return the rows as plain Python objects."""
        return {"rows": [row._asdict() for row in self.rows]}

    def _table(self) -> tuple[type[MethodErrors], Iterable[MethodErrors]]:
        return MethodErrors, self.rows

    def _shown(self) -> Shown:
        has_params = any(row.params is not None for row in self.rows)
        names = ("method", *(("params",) if has_params else ()), "errors", "error rate", "false positives")
        rows = [
            (
                row.method,
                *((row.params or "",) if has_params else ()),
                number_text(row.errors),
                f"{row.error_rate:.4f}",
                f"{number_text(row.false_positives)} of {number_text(row.possible_false_positives)}",
                f"{number_text(row.false_negatives)} of {number_text(row.possible_false_negatives)}",
                str(row.failed),
            )
            for row in self.rows
        ]
        head = f"{count_text(self.rows[0].regions, 'region')} in {self.rows[0].series} series"
        align = "llrrrrr" if has_params else "lrrrrr"
        return Shown([head], (*names, "false negatives", "failed"), align, rows)


def label_errors(runs: Any, regions: Any = None) -> LabelErrors:  # noqa: ANN401
    """Count the errors of each method in the annotated regions of all series.

    ``runs`` is a table with the columns ``series``, ``method``, ``pred`` and ``n``, or ``duration`` in place of ``n``
    for cuts in time. With a column ``params``, as in the runs of a study, each setting of a method is counted apart.
    ``regions`` is a table with one row per region and the columns ``series``, ``start``, ``end``, ``kind`` and, if
    regions have weights, ``weight``; or it has the regions of each series, as `label_error` takes them. By default the
    regions stand in a column ``regions`` of ``runs``.

    Series without regions do not count. If a method has no prediction on a series with regions, each of these regions
    is an error: a false negative if the region should hold a change, else a false positive.

    >>> import polars as pl
    >>> cell = {"series": ["a", "b", "a", "b"], "method": ["x", "x", "y", "y"], "n": [20, 20, 20, 20]}
    >>> runs = pl.DataFrame({**cell, "pred": [[7], [4], [3], None]})
    >>> regions = pl.DataFrame({
    ...     "series": ["a", "a", "b"], "start": [6, 2, 2], "end": [8, 6, 6],
    ...     "kind": ["1change", "0changes", ">0changes"],
    ... })
    >>> label_errors(runs, regions)
    3 regions in 2 series
    method  errors  error rate  false positives  false negatives  failed
    x            0      0.0000           0 of 2           0 of 2       0
    y            3      1.0000           1 of 2           2 of 2       1

    Reference: Hocking et al. (2013), "Learning smoothing models of copy number profiles using breakpoint annotations".
    """
    table = dataframe(runs)
    length = length_in(table.columns) or "n"
    columns = ["series", "method", "pred", length, *(["params"] if "params" in table.columns else [])]
    known = {series: _checked(own, series, length) for series, own in _regions_of(table, regions).items()}
    arguments.columns(table.columns, columns, "runs have")
    rows = with_cuts(named(table.select(columns), ("series", "method")), in_time=length == "duration")
    found: dict[tuple[str, str | None], dict[str, LabelError | None]] = {}
    for row in rows.iter_rows(named=True):
        series, params = row["series"], row.get("params")
        own = found.setdefault((row["method"], params if params is None else _text(params)), {})
        if series not in known:
            continue
        where = f"method {row['method']!r:.40}, series {series!r:.40}"
        if series in own:
            raise ValueError(f"{where} has two runs; expected one run per method, setting and series")
        own[series] = None
        if row["pred"] is not None:
            lengths = (None, row[length]) if length == "duration" else (row[length], None)
            try:
                own[series] = errors_in(known[series], row["pred"], *lengths)
            except (ValueError, TypeError) as error:
                raise type(error)(f"{where}: {error}") from None
    counted = (_summed(*key, own, known) for key, own in found.items())
    return LabelErrors(sorted(counted, key=operator.attrgetter("error_rate")))


def label_rocs(
    runs: Any,  # noqa: ANN401
    regions: Any = None,  # noqa: ANN401
    *,
    parameter: str | None = None,
    log_penalty: bool = False,
) -> dict[str, LabelRoc]:
    """Compute the ROC curve of each method in annotated regions, over all penalties of a study.

    ``runs`` is a table of runs over a grid of penalties, as for `segscore.study.penalty_paths`, and ``parameter`` is
    the name of the penalty in the grid; by default the only parameter. With ``log_penalty=True`` the parameter is the
    natural logarithm of the penalty. ``regions`` is the same as for `label_errors`.
    `segscore.charts.label_roc` draws the curves.

    >>> import polars as pl
    >>> cell = {"series": ["a", "a"], "method": ["x", "x"], "params": ['{"pen":1}', '{"pen":10}'], "n": [20, 20]}
    >>> runs = pl.DataFrame({**cell, "pred": [[3, 7], [7]]})
    >>> label_rocs(runs, {"a": [(6, 8, "1change"), (2, 6, "0changes")]})["x"].best.factor
    10.0

    Reference: Hocking et al., penaltyLearning (R package), ROChange.
    """
    curves, refused = rocs_of(runs, regions, parameter, log_penalty)
    for method, problem in refused.items():
        raise ValueError(f"method {method!r:.40}: {problem}")
    return curves


def rocs_of(
    runs: Any,  # noqa: ANN401
    regions: Any = None,  # noqa: ANN401
    parameter: str | None = None,
    log_penalty: bool = False,
) -> tuple[dict[str, LabelRoc], dict[str, str]]:
    """Return the ROC curve of each method of a table of runs, and why other methods have none."""
    table = dataframe(runs)
    known = _regions_of(table, regions)
    arguments.columns(table.columns, ["method"], "runs have")
    curves: dict[str, LabelRoc] = {}
    refused: dict[str, str] = {}
    for method in named(table, ["method"])["method"].unique(maintain_order=True):
        try:
            paths, lengths = penalty_paths(table, method, parameter)
            own: Any = {length_in(table.columns) or "n": lengths, "log_penalty": log_penalty}
            curves[method] = label_roc({series: paths[series] for series in paths if series in known}, known, **own)
        except (ValueError, TypeError) as error:  # noqa: PERF203 (one per method)
            refused[method] = str(error)
    return curves, refused


def _regions_of(table: pl.DataFrame, given: Any) -> dict[str, Any]:  # noqa: ANN401
    """Return the regions of each series: from a mapping, a table of regions, or the column ``regions`` of runs."""
    arguments.columns(table.columns, ["series"], "runs have")
    if isinstance(given, Mapping):
        regions = {str(series): own for series, own in given.items()}
    elif given is not None:
        if not hasattr(given, "columns") and not hasattr(given, "__arrow_c_stream__"):
            raise TypeError(
                f"regions is {type(given).__name__}; expected a table with one row per region, or the regions of each "
                "series"
            )
        regions = _gathered(dataframe(given))
    else:
        arguments.columns(table.columns, ["regions"], "runs have")
        known = named(table, ["series"]).select("series", "regions").drop_nulls().unique("series", maintain_order=True)
        regions = {series: _decoded(own) for series, own in known.iter_rows()}
    if not regions:
        raise ValueError("no series has regions; expected at least one region")
    present = set(named(table, ["series"])["series"])
    for series in regions:
        if series not in present:
            raise ValueError(f"series {series!r:.40} has regions but no run; expected a run on each such series")
    return regions


def _gathered(table: pl.DataFrame) -> dict[str, list[dict[str, Any]]]:
    """Return the regions of each series of a table with one row per region."""
    columns = ("start", "end", "kind", *(["weight"] if "weight" in table.columns else []))
    arguments.columns(table.columns, ("series", *columns), "regions have")
    regions: dict[str, list[dict[str, Any]]] = {}
    for row in named(table.select("series", *columns), ["series"]).iter_rows(named=True):
        regions.setdefault(row.pop("series"), []).append(row)
    return regions


def _decoded(given: Any) -> Any:  # noqa: ANN401
    """Return the regions of a row, which a CSV file holds as JSON."""
    try:
        return json.loads(given) if isinstance(given, str) else given
    except (ValueError, RecursionError):
        raise ValueError(f"regions = {given!r:.40} is not JSON; expected a list of (start, end, kind)") from None


def _text(params: Any) -> str:  # noqa: ANN401
    """Return the parameters of a run as text: `run` writes JSON, and other tables may hold a struct."""
    return params if isinstance(params, str) else json.dumps(params)


def _checked(regions: Any, series: str, length: str) -> list[Checked]:  # noqa: ANN401
    return checked_regions(regions, f"regions[{series!r:.40}]", length == "duration")


def _summed(
    method: str, params: str | None, found: Mapping[str, LabelError | None], known: Mapping[str, list[Checked]]
) -> MethodErrors:
    """Return the errors of a method in all regions together."""
    rows: list[Sequence[Any]] = []
    for series, regions in known.items():
        own = found.get(series)
        rows += own.rows if own is not None else _all_wrong(regions)
    failed = sum(found.get(series) is None for series in known)
    sums = LabelError(rows)
    return MethodErrors(
        method,
        params,
        len(known),
        failed,
        len(rows),
        sums.errors,
        sums.error_rate,
        sums.false_positives,
        sums.possible_false_positives,
        sums.false_negatives,
        sums.possible_false_negatives,
    )


def _all_wrong(regions: Iterable[Checked]) -> list[Sequence[Any]]:
    """Return one error per region, for a series without a prediction."""
    return [
        (start, end, kind, 0, REGION_KINDS[kind][0] == 0, REGION_KINDS[kind][0] > 0, weight)
        for start, end, kind, weight in regions
    ]
