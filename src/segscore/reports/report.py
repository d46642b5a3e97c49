"""The report: one page, in one file, that anyone can open."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any, Literal

from .. import arguments
from ..boards.captions import spoken
from ..boards.cells import STATES
from ..boards.leaderboard import Failures, Leaderboard, leaderboards
from ..boards.references import against_others, references
from ..boards.significance import Differences
from ..charts import costs as cost_charts
from ..charts.drawing import WIDTH
from ..scores.catalog import METRICS
from ..scores.metric_text import lacks_margin, metric_of
from ..segmentation.lengths_of_time import LengthOfTime
from ..tables.columns import Column
from ..tables.options import Options, lengths_in
from ..tables.states import unreadable_in
from . import content
from .about import conventions_shown, provenance_shown
from .inputs import DEFAULT, Prepared, distance_of, has_cuts, prepared
from .overview import findings, overview_shown, seconds_of
from .runs import BLOCK, runs_shown, time_shown
from .writing import write_page

__all__ = ["DEFAULT", "report"]

Lines = dict[str, dict[str, float]]  # the scores of people and of chance, by metric
Tests = dict[str, Differences]  # differences on each board


def report(
    table: Any,  # noqa: ANN401
    out: str | os.PathLike[str] = "report.html",
    *,
    truths: Any = None,  # noqa: ANN401
    metrics: Iterable[str | Column] | None = None,
    margin: float | timedelta | None = None,
    failures: Failures = "worst",
    missing: Literal["drop", "failed"] = "drop",
    title: str = "Segmentation report",
    command: str | None = None,
    sources: Iterable[str | os.PathLike[str]] = (),
    seed: int = 0,
    on_error: Literal["raise", "null"] = "raise",
) -> Path:
    """Write a report about a table of results as one HTML file that needs no network.

    Returns the path of the file.

    Parameters
    ----------
    table
        Any table that `score` takes. The table has a column ``method`` and one of these sets of columns:

        - ``series``, ``n``, ``truth``, ``pred``: the cuts. With several annotators, ``truth`` holds a list of lists,
          or there is one row per annotator and a column ``annotator``;
        - ``series``, ``n``, ``change_points``, together with ``truths=``;
        - ``series`` and scores, with or without the cuts: the scores are taken as they are.

        A column ``duration`` in place of ``n`` says that the cuts are in time, in seconds. Columns ``start`` and
        ``end`` in place of ``n`` say that the cuts are timestamps. Columns ``truth_labels`` and
        ``pred_labels`` hold one label per segment, as in `score`; beside ``change_points`` the column is ``labels``.

        If a column ``params`` holds several settings of a method, one setting is chosen by the first score, as
        `segscore.study.select` does: the default setting, or else the choice of cross-validation. A chart shows the
        score of all settings by the value of each numeric parameter.

        A column ``signal`` may hold the values of a series, in any of its rows. With a column ``confidence``, one
        number per predicted cut, the report has precision-recall curves. With a column ``regions``, the annotated
        regions of a series as `label_error` takes them, and several penalties in ``params``, the report has ROC curves.
    out
        The path of the page, which ends with .html. The file appears when it is complete.
    truths
        For the long form: a table with the columns ``series`` and ``change_points``, and ``annotator`` if there are
        several annotators.
    metrics
        Names of scores, or a `Column` for a column that is not a metric of segscore. The default is the scores in the
        table, or else a dozen usual scores.
    margin
        The margin of `f1`, `f1_area` and all other metrics that take one, and the start of the slider; by default 5
        points, or 0.5 seconds. For timestamps it is a timedelta, by default a round length of time of at most 1/200 of
        the median span of the series.
        For scores that are in the table already, give the margin with which they were computed: otherwise the report
        has no lines of people and of chance for these scores.
    failures, missing
        How failures and missing rows count; see `leaderboard`.
    title, command, sources
        The heading, the command that made the page, and the input files, whose digests the page shows.
    seed
        The seed of the random segmentations, and of the folds if settings are chosen.
    on_error
        ``"raise"`` raises an error for a text that is not a list of cuts, and for an invalid truth or length.
        ``"null"`` leaves such rows out: a warning and a banner on the page give their number and the first of them.
        They are not failures of a method. A prediction that is not a segmentation is a failure of its method.

    """
    arguments.suffix(out, (".html", ".htm"))
    given = prepared(table, truths, metrics, distance_of(margin), seed, on_error)
    banner = unreadable_in(given.result)
    if banner is not None and on_error == "null":
        warnings.warn(banner, stacklevel=2)
    boards = _boards(given, failures, missing)
    tests = _tests(boards)
    lines = _lines(given, boards, seed)
    if command is None:
        policy = f"failures={failures!r}, missing={missing!r}"
        chosen = f"metrics={[*boards]}, {policy}, seed={seed}"
        command = f"segscore.report(table, {str(out)!r}, {chosen})"
    summary = _summary(given, boards, tests, lines)
    packages = next((board.cells.origins.versions for board in boards.values()), ())
    summary["provenance"] = provenance_shown(given.rows, command, sources, seed, packages)
    summary |= {"banner": banner, "policy": failures}
    blocks = _board_blocks(given, boards, tests, lines, missing)
    if summary["cuts"]:
        blocks |= _run_blocks(given, summary)
    blocks["curves"] = {
        **content.curves_shown(given),
        **content.penalties_shown(given.runs),
        "parameters": content.parameters_shown(given, seed),
    }
    return write_page(summary, blocks, title, Path(out))


def _boards(given: Prepared, failures: Failures, missing: str) -> dict[str, Leaderboard]:
    """Return the leaderboard of each score, in the order of the page; none if the table has no rows."""
    boards: dict[str, Leaderboard] = {}
    if given.result.height:
        policy: dict[str, Any] = {"failures": failures, "missing": missing}
        boards = leaderboards(given.result, map(given.column, given.names), "method", "series", **policy)
    for name, board in boards.items():
        board.title = spoken(name)
    return boards


def _tests(boards: Mapping[str, Leaderboard]) -> Tests:
    """Return the differences between methods on each board; the first score is the primary one."""
    primary = next(iter(boards), None)
    return {name: board.differences(secondary=name != primary) for name, board in boards.items()}


def _lines(given: Prepared, boards: Mapping[str, Leaderboard], seed: int) -> Lines:
    """Return the scores of people and of chance over the series of the leaderboards."""
    if not has_cuts(given.rows):
        return {}
    series = {name: boards[name].series for name in given.known if name in boards}
    unit = None if given.measure is None else given.measure.unit
    columns = given.counts.columns
    options = Options.of_results(columns, metrics=[*series], on_error="null", unit=unit)
    return references(given.counts, options, seed, series)


def _summary(given: Prepared, boards: dict[str, Leaderboard], tests: Tests, lines: Lines) -> dict[str, Any]:
    """Return what the page reads at once."""
    counted = given.unit.name if lengths_in(given.rows.columns) else None
    primary = next(iter(tests.values()), None)
    in_seconds = {"unit": "s", "step": 1000, "seconds": 1}
    return {
        "metrics": [content.described(board.column, given.measure, counted, given.margin) for board in boards.values()],
        "methods": given.methods,
        "series": given.series,
        "told": next((sorted(dict(board.cells.origins.told)) for board in boards.values()), []),
        "findings": findings(boards, primary, lines, seconds_of(given.result)),
        "overview": overview_shown(boards, given.methods, given.result, given.parts),
        "filter": given.filter,
        "cuts": has_cuts(given.rows) and given.result.height > 0,
        # Scores may be computed again only if all methods have the same truths.
        "live": not any(board.cells.origins.unequal for board in boards.values()),
        "others": _others_shown(given, lines),
        "margin": given.distance,
        "unit": given.unit.name,
        "time": in_seconds if isinstance(given.margin, LengthOfTime) else None,
        "powers": {name: metric.power for name, metric in METRICS.items() if metric.power},
        "width": WIDTH,
        "block": BLOCK,
        "stateNames": STATES,
        "conventions": conventions_shown(given.margin, given.unit, filter(lacks_margin, given.names)),
        "settings": content.settings_shown(given.rows, given.methods),
    }


def _others_shown(given: Prepared, lines: Lines) -> dict[str, str]:
    """Return sentences with the scores of methods against the same annotators as people."""
    people = lines.get("human", {})
    names = [name for name in given.known if name in people and metric_of(name).only_tables]  # type: ignore[union-attr]
    if not names:
        return {}
    options = Options.of_results(given.rows.columns, metrics=names)
    methods = against_others(given.rows, options)
    shown = {}
    for name in names:
        means = {method: scores[name] for method, scores in methods.items() if name in scores}
        listed = ", ".join(f"{method} {means[method]:.4f}" for method in sorted(means, key=lambda m: (-means[m], m)))
        shown[name] = (
            "People are scored against the other annotators. The scores of methods against the same sets, with each "
            f"annotator left out in turn, are {listed}; the score of people is {people[name]:.4f}."
        )
    return shown


def _board_blocks(
    given: Prepared, boards: dict[str, Leaderboard], tests: Tests, lines: Lines, missing: str
) -> dict[str, Any]:
    """Return the charts without data, the failures, and the leaderboard and the scores of each metric."""
    lengths, _ = given.lengths_shown
    blocks: dict[str, Any] = {
        "specs": content.specs(len(given.methods), cost_charts.is_shared(given.result), given.unit.axis, lengths),
        "failures": content.failures_shown(given.result, list(boards), given.parts),
    }
    for k, (name, board) in enumerate(boards.items()):
        more = {"policies": content.policies_shown(board), "cost": content.cost_shown(board, given.result, missing)}
        blocks[f"board-{k}"] = {**content.board_shown(board, lines, tests[name]), **more}
        blocks[f"scores-{k}"] = content.matrices_shown(board, given.methods, given.series)
    return blocks


def _run_blocks(given: Prepared, summary: dict[str, Any]) -> dict[str, Any]:
    """Return the cuts and the signals of all series, and add to the summary how the page counts times."""
    time = time_shown(given.counts, given.measure)
    coarse = 1 if time is None else time["coarse"]
    runs, signals = runs_shown(given.counts, given.measure, coarse)
    summary["time"] = time
    summary["live"] = summary["live"] and not any("too_fine" in run for run in runs)
    if time is not None and coarse > 1:
        summary["margin"] = given.distance / coarse
        summary["conventions"].append(f"This page rounds times down to whole {time['unit']}; scores are exact.")
    blocks: dict[str, Any] = {}
    for k in range(0, len(runs), BLOCK):
        blocks[f"runs-{k // BLOCK}"] = runs[k : k + BLOCK]
        if any(signals[k : k + BLOCK]):
            blocks[f"signals-{k // BLOCK}"] = signals[k : k + BLOCK]
    return blocks
