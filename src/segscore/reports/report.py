"""The report: one page, in one file, that anyone can open."""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Iterable
from datetime import timedelta
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal, NamedTuple

from .. import arguments
from ..boards.captions import spoken
from ..boards.cells import STATES
from ..boards.choices import check_choices, has_several_settings
from ..boards.intervals import DRAWS
from ..boards.leaderboard import Failures, Leaderboard, leaderboards
from ..boards.provenance import origins_of
from ..boards.references import CHANCE_DRAWS, against_others, references
from ..boards.wording import listed
from ..charts import axes
from ..charts import costs as cost_charts
from ..charts.axes import Axis
from ..charts.drawing import WIDTH
from ..scores.catalog import METRICS, metric_of, parsed
from ..segmentation.timestamps import LengthOfTime, is_length_of_time
from ..study.selection import select
from ..tables.columns import Column, column_of
from ..tables.options import Options, lengths_in
from ..tables.score import scored
from ..tables.states import Notes, unreadable_in
from ..tables.units import Measure, in_dates, measured, usual_margin
from .content import (
    board_shown,
    cost_shown,
    curves_shown,
    described,
    failures_shown,
    matrices_shown,
    parameters_shown,
    penalties_shown,
    policies_shown,
    settings_shown,
    specs,
)
from .inputs import COLUMNS, DEFAULT, metrics_of, wide
from .overview import findings, overview_shown, seconds_of
from .runs import BLOCK, filter_shown, runs_shown, time_shown
from .writing import written

__all__ = ["DEFAULT", "report"]


class Unit(NamedTuple):
    """What cuts are counted in."""

    name: str
    margin: float  # by default
    axis: Axis
    convention: str


POINTS = Unit(
    "points",
    5,
    axes.POINTS,
    "The number of a cut is the number of points before the cut: cut 3 of 10 points separates the first three points "
    "from the other seven. The ends 0 and n are not cuts.",
)
SECONDS = Unit(
    "seconds",
    0.5,
    Axis("time (seconds)", "seconds"),
    "A cut is a time in seconds from the start of its series. The start and the end of a series are not cuts.",
)
CONVENTIONS = (
    "A predicted cut may match a true cut if they are at most the margin apart (inclusive). Each cut is matched at "
    "most once, and as many cuts as possible are matched. Among all such matchings, the timeline shows the one with "
    "the least sum of errors.",
    "With several annotators, a score is the mean over the annotators. The scores annotated F1, annotated "
    "precision and annotated recall take all annotators together, so they differ from F1, precision and recall. If a "
    "method has several rows for one series, their scores are averaged. The section about one series shows the first "
    "of these rows, with the truth and the length of the first row of the series.",
    "The windows of Pk and window diff are half as long as the mean true segment.",
    "Intervals are BCa bootstrap intervals of the mean over series, or over groups of series if the table has a "
    f"column group ({DRAWS:,} draws). There is no interval for fewer than 10 series, and an interval of fewer than 20 "
    "series is rough.",
    "A run is scored, undefined (the score has no value there), failed (there is no prediction, or one that cannot be "
    "scored), not run (there is no row, or no truth) or unreadable. Means, ranks, wins and tests of a score all use "
    "the same series and the same values; the line above the leaderboard says which, and what a failure counts as.",
    "Pairs of methods are compared by exact two-sided signed-rank tests over series, with Holm's correction over all "
    "pairs of one score, at the 5 % level. No test is possible if two methods differ on fewer than 6 series. The tests "
    "assume that series are independent. The first score is the primary one, and the others are secondary.",
    f"Chance is the mean score of about {CHANCE_DRAWS} random segmentations per series. They have as many cuts as an "
    "annotator's segmentation, and all such segmentations are equally likely. Human is the mean score of each "
    "annotator against the other annotators. Both are over the series of the leaderboard.",
)


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
        The seed of the bootstrap and of the random segmentations.
    on_error
        ``"raise"`` raises an error for a text that is not a list of cuts, and for an invalid truth or length.
        ``"null"`` leaves such rows out: a warning and a banner on the page give their number and the first of them.
        They are not failures of a method. A prediction that is not a segmentation is a failure of its method.

    """
    if Path(out).suffix.lower() not in (".html", ".htm"):
        raise ValueError(f"{out} ends with {Path(out).suffix or 'nothing'!r}; expected .html")
    used: Any = LengthOfTime.of(margin) if is_length_of_time(margin) else margin
    is_number = used is not None and not isinstance(used, LengthOfTime)
    if is_number and not 0 <= arguments.number(used, "margin", "a number, or a timedelta for timestamps") < math.inf:
        raise ValueError(f"margin = {margin!r:.40} is not a distance; expected a finite number, 0 or more")
    given = wide(table, truths, on_error)
    asked = [metrics] if isinstance(metrics, str | Column) else None if metrics is None else list(metrics)
    columns = {each.name: each for each in asked or () if isinstance(each, Column)}
    plain = None if asked is None else [each.name if isinstance(each, Column) else each for each in asked]
    names = metrics_of(given, plain)
    unit = SECONDS if lengths_in(given.columns) == ("duration",) else POINTS
    if used is None:
        used = usual_margin(given) if in_dates(given.columns) else unit.margin
    if used == 0 and in_dates(given.columns):
        used = LengthOfTime(Fraction(0))
    penalties = penalties_shown(given)  # of all settings, of which the rest of the page shows one
    parameters: list[dict[str, Any]] = []
    if has_several_settings(given):
        parameters = parameters_shown(given, columns.get(names[0]) or column_of(names[0]), used, seed)
        given = select(given, columns.get(names[0], names[0]), margin=used, seed=seed)
    check_choices(given, "method", "series", mixed=False)
    rows = given.select(name for name in given.columns if name in (*COLUMNS, *names))
    result = _scored(rows, names, used, on_error)
    banner = unreadable_in(result)
    if banner is not None and on_error == "null":
        warnings.warn(banner, stacklevel=2)
    known = [name for name in names if metric_of(name)]
    unsure = [name for name in known if margin is None and name in rows.columns and _lacks_margin(name)]
    boards: dict[str, Leaderboard] = {}
    for own, at in (([name for name in names if name not in unsure], used), (unsure, None)) if result.height else ():
        policy: dict[str, Any] = {"failures": failures, "missing": missing, "margin": at}
        boards |= leaderboards(result, [columns.get(name, name) for name in own], "method", "series", seed, **policy)
    names = [name for name in names if name in boards]
    boards = {name: boards[name] for name in names}
    for name, board in boards.items():
        board.title = spoken(name)
    cuts = {"truth", "pred"} <= set(rows.columns) and lengths_in(rows.columns) != ()
    counts, measure = measured(rows)  # timestamps as points, from here on
    if measure is not None:
        unit = _dates(measure)
    distance = float(used.seconds) if isinstance(used, LengthOfTime) else used
    if measure is not None and isinstance(used, LengthOfTime):
        distance = measure.units(used, "margin")
    sure = [name for name in known if name not in unsure]
    same = {name: boards[name].series for name in sure if name in boards}
    found: dict[str, dict[str, float]] = {}
    if cuts:
        own_unit = None if measure is None else measure.unit
        options = Options.of_results(counts.columns, metrics=list(same), margin=used, on_error="null", unit=own_unit)
        found = references(counts, options, seed, same)
    of_several = [name for name in sure if name in found.get("human", {}) and metric_of(name).only_tables]  # type: ignore[union-attr]
    if command is None:
        given_policy = f"failures={failures!r}, missing={missing!r}"
        chosen = f"metrics={names}, margin={_python(used)}, {given_policy}, seed={seed}"
        command = f"segscore.report(table, {str(out)!r}, {chosen})"
    methods, series = (result[name].unique(maintain_order=True).to_list() for name in ("method", "series"))
    seconds, parts = seconds_of(result), filter_shown(rows, series)
    of_parts = (
        [[name for name, own in zip(series, parts["of"], strict=True) if own == k] for k in range(len(parts["parts"]))]
        if parts
        else []
    )
    tests = boards[names[0]].differences() if names else None
    unequal = next((board.cells.origins.unequal for board in boards.values()), ())
    counted = unit.name if lengths_in(rows.columns) else None
    summary = {
        "metrics": [described(boards[name].column, measure, counted) for name in names],
        "methods": methods,
        "series": series,
        "findings": findings(boards, tests, found, seconds),
        "overview": overview_shown(boards, methods, result, of_parts),
        "filter": parts,
        "cuts": cuts and result.height > 0,
        "live": not unequal,  # whether scores may be computed again: all methods have the same truths
        "banner": banner,
        "others": _others_shown(rows, of_several, used, found),
        "margin": distance,
        "policy": failures,
        "unit": unit.name,
        "time": {"unit": "s", "step": 1000, "seconds": 1} if isinstance(used, LengthOfTime) else None,
        "powers": {name: metric.power for name, metric in METRICS.items() if metric.power},
        "width": WIDTH,
        "block": BLOCK,
        "stateNames": STATES,
        "conventions": [
            f"The margin of {listed([spoken(name) for name in unsure])} is not known, because these scores were in the "
            f"table. The slider starts at {_margin(used, unit)}."
            if unsure
            else f"The margin is {_margin(used, unit)}, unless the name of a score gives another margin.",
            unit.convention,
            *CONVENTIONS,
        ],
        "settings": settings_shown(rows, methods),
        "provenance": _provenance(rows, command, sources, seed),
    }
    lengths, step = (unit.axis.unit, 1.0) if measure is None else measure.shown_in(used)
    blocks: dict[str, Any] = {
        "specs": specs(len(methods), cost_charts.is_shared(result), unit.axis, lengths),
        "failures": failures_shown(result, names, of_parts),
    }
    for k, (name, board) in enumerate(boards.items()):
        more = {"policies": policies_shown(board), "cost": cost_shown(board, result, missing)}
        blocks[f"board-{k}"] = {**board_shown(board, found, name != names[0]), **more}
        blocks[f"scores-{k}"] = matrices_shown(board, methods, series)
    if summary["cuts"]:
        counts, _ = measured(result)
        time = summary["time"] = time_shown(counts, measure)
        coarse = 1 if time is None else time["coarse"]
        summary["margin"] = distance / coarse if coarse > 1 else distance
        if time is not None and coarse > 1:
            summary["conventions"].append(f"This page rounds times down to whole {time['unit']}; scores are exact.")
        runs, signals = runs_shown(counts, measure, coarse)
        summary["live"] = summary["live"] and not any("too_fine" in run for run in runs)
        for k in range(0, len(runs), BLOCK):
            blocks[f"runs-{k // BLOCK}"] = runs[k : k + BLOCK]
            if any(signals[k : k + BLOCK]):
                blocks[f"signals-{k // BLOCK}"] = signals[k : k + BLOCK]
        blocks["curves"] = curves_shown(counts, names, distance, seed, measure, step)
    blocks["curves"] = {**blocks.get("curves", {}), **penalties, "parameters": parameters}
    return written(summary, blocks, title, Path(out))


def _dates(measure: Measure) -> Unit:
    """Return the unit of timestamps."""
    where = "" if measure.zone is None else ", shown in UTC"
    convention = f"A cut is a time{where}. The start and the end of a series are not cuts."
    axis = Axis("time" if measure.zone is None else "time (UTC)", has_dates=True)
    return Unit("timestamps", 0, axis, convention)


def _margin(used: Any, unit: Unit) -> str:  # noqa: ANN401
    return str(used) if isinstance(used, LengthOfTime) else f"{used:g} {unit.name}"


def _python(margin: Any) -> str:  # noqa: ANN401
    """Return a margin as Python code."""
    if not isinstance(margin, LengthOfTime):
        return str(margin)
    seconds = margin.seconds
    return f"timedelta(seconds={int(seconds) if seconds.denominator == 1 else float(seconds)})"


def _lacks_margin(name: str) -> bool:
    """Return whether the name of a metric at a margin does not say which margin it is."""
    found, options = parsed(name)
    return found.needs_margin and not {"margin", "relative_margin"} & set(options)


def _others_shown(
    rows: Any,  # noqa: ANN401
    names: list[str],
    margin: Any,  # noqa: ANN401
    found: dict[str, dict[str, float]],
) -> dict[str, str]:
    """Return sentences with the scores of methods against the same annotators as people."""
    if not names:
        return {}
    methods = against_others(rows, Options.of_results(rows.columns, metrics=names, margin=margin))
    shown = {}
    for name in names:
        means = {method: scores[name] for method, scores in methods.items() if name in scores}
        listed = ", ".join(f"{method} {means[method]:.4f}" for method in sorted(means, key=lambda m: (-means[m], m)))
        shown[name] = (
            "People are scored against the other annotators. The scores of methods against the same sets, with each "
            f"annotator left out in turn, are {listed}; the score of people is {found['human'][name]:.4f}."
        )
    return shown


def _scored(rows: Any, names: list[str], margin: Any, on_error: str) -> Any:  # noqa: ANN401
    missing = [name for name in names if name not in rows.columns]
    if not missing:
        return rows
    notes = Notes(Options())
    options = Options.of_results(rows.columns, metrics=missing, margin=margin, on_error="null")
    result = scored(rows, options, notes)
    if on_error == "raise" and notes.refused is not None:
        row, problem = notes.refused
        raise ValueError(f"row {row}: {problem}")
    return result


def _provenance(table: Any, command: str, sources: Iterable[str | os.PathLike[str]], seed: int) -> dict[str, str]:  # noqa: ANN401
    import hashlib
    import platform
    from datetime import datetime, timezone
    from importlib import metadata

    found = {}
    for source in sources:
        with Path(source).open("rb") as file:
            digest = hashlib.sha256()
            while block := file.read(1 << 20):
                digest.update(block)
        found[f"Input {Path(source).name}"] = f"SHA-256 {digest.hexdigest()}"
    rows = hashlib.sha256(table.write_ndjson().encode()).hexdigest()
    libraries = ("segscore", "numpy", "polars", "scipy", "altair")
    versions = [f"{name} {metadata.version(name)}" for name in libraries]
    of_runs = origins_of(table, "method", "series").versions
    now = datetime.now(timezone.utc)
    return {
        "Made on": f"{now.day} {now:%B %Y, %H:%M} UTC",
        **found,
        "Rows": f"{table.height}; SHA-256 of the input rows, as JSON Lines: {rows}",
        "Command": command,
        "Seed": str(seed),
        "Versions": ", ".join([f"Python {platform.python_version()}", *versions]),
        **({"Versions of the runs": ", ".join(of_runs)} if of_runs else {}),
    }
