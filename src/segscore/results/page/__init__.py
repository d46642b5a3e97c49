"""The report: one page, in one file, that anyone can open."""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

from ...catalog import metric_of, parsed
from ...study.selection import select
from ...tables.aside import aside
from ...tables.frames import scored
from ...tables.notes import Notes, unreadable_in
from ...tables.options import Options
from ..charts.drawing import WIDTH, vega
from ..choices import check_choices, has_several_settings
from ..columns import Column
from ..intervals import DRAWS
from ..leaderboards import Failures, Leaderboard, leaderboards
from ..origins import origins_of
from ..references import CHANCE_DRAWS, against_others, references
from ..states import STATES
from .content import board_shown, curves_shown, described, failures_shown, matrices_shown, runs_shown, specs
from .forms import COLUMNS, DEFAULT, metrics_of, wide
from .prose import details

__all__ = ["DEFAULT", "report"]

MARGIN = 5  # points
CONVENTIONS = (
    "The number of a cut is the number of points before the cut: cut 3 of 10 points separates the first three points "
    "from the other seven. The ends 0 and n are not cuts.",
    "A predicted cut may match a true cut if they are at most the margin apart (inclusive). Each cut is matched at "
    "most once, and as many cuts as possible are matched. Among all such matchings, the timeline shows the one with "
    "the least sum of errors.",
    "With several annotators, a score is the mean over the annotators. The scores annotated_f1, annotated_precision "
    "and annotated_recall take all annotators together, so they are other numbers than f1, precision and recall. If a "
    "method has several rows for one series, their scores are averaged. The section about one series shows the first "
    "of these rows, with the truth and the length of the first row of the series.",
    "The windows of pk and window_diff are half as long as the mean true segment.",
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
    margin: float | None = None,
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

        If a column ``params`` holds several settings of a method, one setting is chosen by the first score, as
        `segscore.study.select` does: the default setting, or else the choice of cross-validation.

        A column ``signal`` may hold the values of a series, in any of its rows.
    out
        The path of the page, which ends with .html. The file appears when it is complete.
    truths
        For the long form: a table with the columns ``series`` and ``change_points``, and ``annotator`` if there are
        several annotators.
    metrics
        Names of scores, or a `Column` for a column that is not a metric of segscore. The default is the scores in the
        table, or else a dozen usual scores.
    margin
        The margin of `f1`, `f1_area` and all other metrics that take one, and the start of the slider; 5 by default.
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
    if margin is not None and not 0 <= margin < math.inf:
        raise ValueError(f"margin = {margin!r:.40} is not a distance; expected a finite number, 0 or more")
    given = wide(table, truths, on_error)
    asked = [metrics] if isinstance(metrics, str | Column) else None if metrics is None else list(metrics)
    columns = {each.name: each for each in asked or () if isinstance(each, Column)}
    plain = None if asked is None else [each.name if isinstance(each, Column) else each for each in asked]
    names = metrics_of(given, plain)
    used = MARGIN if margin is None else margin
    if has_several_settings(given):
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
    cuts = {"truth", "pred", "n"} <= set(rows.columns)
    sure = [name for name in known if name not in unsure]
    same = {name: boards[name].series for name in sure if name in boards}
    found = references(rows, Options(metrics=list(same), margin=used, on_error="null"), seed, same) if cuts else {}
    of_several = [name for name in sure if name in found.get("human", {}) and metric_of(name).several]  # type: ignore[union-attr]
    if command is None:
        given_policy = f"failures={failures!r}, missing={missing!r}"
        command = f"segscore.report(table, {str(out)!r}, metrics={names}, margin={used}, {given_policy}, seed={seed})"
    content = {
        "metrics": [described(boards[name].column) for name in names],
        "methods": result["method"].unique(maintain_order=True).to_list(),
        "series": result["series"].unique(maintain_order=True).to_list(),
        "boards": {name: board_shown(boards[name], found, name != names[0]) for name in names},
        "runs": runs_shown(result) if cuts and result.height else None,  # None if the table has only scores
        "curves": curves_shown(result, names, used, seed) if cuts and result.height else {},
        "banner": banner,
        "others": _others_shown(rows, of_several, used, found),
        "margin": used,
        "width": WIDTH,
        "specs": specs(len(result["method"].unique())),
        "conventions": [
            f"The margin of {', '.join(unsure)} is not known, because these scores were in the table. The slider "
            f"starts at {used:g} points."
            if unsure
            else f"The margin is {used:g} points, unless the name of a score gives another margin.",
            *CONVENTIONS,
        ],
        "provenance": _provenance(rows, command, sources, seed),
        **failures_shown(result, names),
    }
    shown = {name: matrices_shown(board, content["methods"], content["series"]) for name, board in boards.items()}
    content["values"], content["states"] = ({name: pair[k] for name, pair in shown.items()} for k in (0, 1))
    content["stateNames"] = STATES
    return _written(content, title, Path(out))


def _lacks_margin(name: str) -> bool:
    """Return whether the name of a metric at a margin does not say which margin it is."""
    found, options = parsed(name)
    return found.needs_margin and not {"margin", "relative_margin"} & set(options)


def _others_shown(
    rows: Any,  # noqa: ANN401
    names: list[str],
    margin: float,
    found: dict[str, dict[str, float]],
) -> dict[str, str]:
    """Return sentences with the scores of methods against the same annotators as people."""
    if not names:
        return {}
    methods = against_others(rows, Options(metrics=names, margin=margin))
    shown = {}
    for name in names:
        means = {method: scores[name] for method, scores in methods.items() if name in scores}
        listed = ", ".join(f"{method} {means[method]:.4f}" for method in sorted(means, key=lambda m: (-means[m], m)))
        shown[name] = (
            "People are scored against the other annotators. The scores of methods against the same sets, with each "
            f"annotator left out in turn, are {listed}; the score of people is {found['human'][name]:.4f}."
        )
    return shown


def _scored(rows: Any, names: list[str], margin: float, on_error: str) -> Any:  # noqa: ANN401
    missing = [name for name in names if name not in rows.columns]
    if not missing:
        return rows
    notes = Notes(Options())
    result = scored(rows, Options(metrics=missing, margin=margin, on_error="null"), notes)
    if on_error == "raise" and notes.refused is not None:
        row, problem = notes.refused
        raise ValueError(f"row {row}: {problem}")
    return result


def _provenance(table: Any, command: str, sources: Iterable[str | os.PathLike[str]], seed: int) -> dict[str, str]:  # noqa: ANN401
    import hashlib
    import platform
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
    return {
        **found,
        "Rows": f"{table.height}; SHA-256 of the input rows, as JSON Lines: {rows}",
        "Command": command,
        "Seed": str(seed),
        "Versions": ", ".join([f"Python {platform.python_version()}", *versions]),
        **({"Versions of the runs": ", ".join(of_runs)} if of_runs else {}),
    }


def _written(content: dict[str, Any], title: str, out: Path) -> Path:
    import base64
    import html
    from importlib import resources

    assets = resources.files(__package__)
    parts = {
        "title": html.escape(title),
        "css": (assets / "page.css").read_text(encoding="utf-8"),
        "data": _json(content),
        "core": base64.b64encode((assets / "core.wasm").read_bytes()).decode(),
        "vega": vega(),
        "core_js": (assets / "core.js").read_text(encoding="utf-8"),
        "js": (assets / "page.js").read_text(encoding="utf-8"),
        "reading": details("reading"),
        "third_party": details("third_party"),
    }
    page = (assets / "page.html").read_text(encoding="utf-8")
    pieces = page.split("{{")
    whole = pieces[0] + "".join(parts[name] + rest for name, rest in (piece.split("}}", 1) for piece in pieces[1:]))
    with aside(out) as part:
        part.write_text(whole, encoding="utf-8")
    return out


def _json(value: Any, depth: int = 2) -> str:  # noqa: ANN401
    """Write JSON for a script element. Entries are written one by one: a single call cannot be interrupted."""
    import json

    def entry(key: str) -> str:
        return f"{_json(key, 0)}:{_json(value[key], depth - 1)}"

    if depth and isinstance(value, dict):
        return "{" + ",".join(map(entry, value)) + "}"
    if depth and isinstance(value, list):
        return "[" + ",".join(_json(item, depth - 1) for item in value) + "]"
    text = json.dumps(value, allow_nan=False, separators=(",", ":"), ensure_ascii=False)
    return text.replace("<", "\\u003c")  # so that no name can end the script element
