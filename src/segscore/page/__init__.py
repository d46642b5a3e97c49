"""The report: one page, in one file, that anyone can open."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from .. import charts, files, tables
from ..catalog import METRICS
from ..leaderboard import CHANCE_DRAWS, DRAWS, Differences, Leaderboard, leaderboards, references
from ..optional import library
from .given import COLUMNS, DEFAULT, metrics_of, wide

__all__ = ["DEFAULT", "report"]

MARGIN = 5  # points
FAILURES = 500  # that are listed with their reasons
SIGNALS = 60_000  # points of all signals together
CONVENTIONS = (
    "A cut is the number of points before it: cut 3 of 10 points separates the first three from the other seven. The "
    "ends 0 and n are no cuts.",
    "A predicted cut is matched with a true one if they are at most the margin apart (inclusive), each at most once, "
    "as many as can be.",
    "With several annotators, a score is the mean over them. Several rows of one method and series are averaged; up "
    "close, the first of them is shown, with the truth and the length of the first row of the series.",
    "The windows of pk and window_diff are half as long as the mean true segment.",
    f"Intervals are percentile bootstrap intervals of the mean over series ({DRAWS:,} draws).",
    "A failure is a row without a score, or a series without a row. It has no part in means, comes last in ranks, and "
    "the Friedman and Nemenyi tests see those ranks; Wilcoxon tests compare the series that both have scores for.",
    f"Chance is the mean score of about {CHANCE_DRAWS} random segmentations a series with as many cuts as an "
    "annotator's, all such segmentations being equally likely. Human is the mean score of each annotator against "
    "the others.",
)


def report(
    table: Any,  # noqa: ANN401
    out: str | os.PathLike[str] = "report.html",
    *,
    truths: Any = None,  # noqa: ANN401
    metrics: Iterable[str] | None = None,
    margin: float | None = None,
    title: str = "Segmentation report",
    command: str | None = None,
    sources: Iterable[str | os.PathLike[str]] = (),
    seed: int = 0,
) -> Path:
    """Write a page about a table of results, and return its path: one file that needs no network.

    Parameters
    ----------
    table
        Any table that `score` takes. It has a column ``method`` and one of these:

        - ``series``, ``n``, ``truth``, ``pred``: the cuts, with several annotators as a list of lists in ``truth``, or
          a row for each with a column ``annotator``;
        - ``series``, ``n``, ``change_points``, with ``truths``;
        - ``series`` and scores alone, or scores beside the cuts: then they are taken as they are.

        A column ``signal`` may hold the values of a series, in any of its rows.
    out
        Where to write, a name that ends with .html. It appears when it is complete.
    truths
        For the long form, a table of ``series``, ``change_points``, and ``annotator`` if there are several.
    metrics
        Names of scores; by default those in the table, or else a dozen that are usual.
    margin
        For precision, recall and f1, and where the slider starts; 5 by default. For scores that are in the table
        already, it is the margin they were computed with: without it there is no human and no chance line for them.
    title, command, sources
        The heading, how the page was made, and the files that it was made of, for their digests.
    seed
        Of the bootstrap and of the random segmentations.

    """
    pl = library("polars")
    if Path(out).suffix.lower() not in (".html", ".htm"):
        raise ValueError(f"{out} ends with {Path(out).suffix or 'nothing'!r}; expected .html")
    if margin is not None and not 0 <= margin < math.inf:
        raise ValueError(f"margin = {margin!r:.40} is no distance; expected a finite number, 0 or more")
    given = wide(table, truths)
    names = metrics_of(given, metrics)
    rows = given.select(name for name in given.columns if name in (*COLUMNS, *names))
    used = MARGIN if margin is None else margin
    scored = _scored(rows, names, used)
    boards = leaderboards(scored, names, "method", "series", seed) if scored.height else {}
    names = [name for name in names if name in boards]
    cuts = {"truth", "pred", "n"} <= set(rows.columns)
    known = [name for name in names if name in METRICS]
    unsure = [name for name in known if margin is None and METRICS[name].needs_margin and name in rows.columns]
    sure = [name for name in known if name not in unsure]
    found = references(rows, _options(sure, used), seed) if cuts else {}
    if command is None:
        command = f"segscore.report(table, {str(out)!r}, metrics={names}, margin={used}, seed={seed})"
    content = {
        "metrics": [_described(name) for name in names],
        "methods": [str(m) for m in scored["method"].unique(maintain_order=True)],
        "series": [str(s) for s in scored["series"].unique(maintain_order=True)],
        "boards": {name: _board(board, found) for name, board in boards.items()},
        "runs": _runs(pl, scored) if cuts and scored.height else None,  # None if there are scores alone
        "margin": used,
        "width": charts.WIDTH,
        "specs": _specs(len(scored["method"].unique())),
        "conventions": [
            f"The margin of {', '.join(unsure)} is not known: they were in the table. The slider starts at {used:g}."
            if unsure
            else f"The margin of precision, recall and f1 is {used:g} points.",
            *CONVENTIONS,
        ],
        "provenance": _provenance(rows, command, sources, seed),
        **_failures(scored, names),
    }
    content["values"] = {name: _matrix(board, content["methods"]) for name, board in boards.items()}
    return _written(content, title, Path(out))


def _options(names: list[str], margin: float) -> dict[str, Any]:
    return {"metrics": [name for name in names if name in METRICS], "margin": margin, "on_error": "null"}


def _scored(rows: Any, names: list[str], margin: float) -> Any:  # noqa: ANN401
    missing = [name for name in names if name not in rows.columns]
    if not missing:
        return rows
    return tables.score(rows.drop("error", strict=False), **_options(missing, margin))


def _described(name: str) -> dict[str, Any]:
    known = METRICS.get(name)
    if known is None:
        return {
            "name": name,
            "meaning": "A column of the table.",
            "rising": True,
            "best": "",
            "bounds": "",
            "reference": "",
        }
    return {
        "name": name,
        "meaning": known.meaning.replace("`", ""),
        "rising": known.best > known.low,
        "best": f"{known.best:g}",
        "bounds": f"[{known.low:g}, {known.high:g}]",
        "reference": known.reference,
    }


def _board(board: Leaderboard, found: dict[str, dict[str, float]]) -> dict[str, Any]:
    """Return what the page shows of one score."""
    lines = {name: values[board.metric] for name, values in found.items() if board.metric in values}
    standings, rules = charts._standing_rows(board, lines)
    shown: dict[str, Any] = {
        "standings": [_numbers(standing._asdict()) for standing in board.standings],
        "references": _numbers(lines),
        "differences": {},
        "charts": {"standings": {"standings": standings, "references": rules}},
    }
    place = {method: k for k, method in enumerate(board.methods)}
    for posthoc in ("wilcoxon", "nemenyi"):
        differences: Differences = board.differences(posthoc)
        ranks, groups, ruler = charts._rank_rows(board, differences)
        shown["charts"][posthoc] = {"ranks": ranks, "groups": groups, "ruler": ruler, "height": charts._height(ranks)}
        shown["differences"][posthoc] = {
            **_numbers({"p": differences.p, "statistic": differences.statistic}),
            "conclusion": differences.conclusion,
            "pairs": [  # by the places of the standings
                [place[d.better], place[d.worse], *(_short(x) for x in (d.p, d.share, d.mean)), int(d.real)]
                for d in differences.pairs
            ],
        }
    return shown


def _short(value: float) -> float | str | None:
    return _number(float(f"{value:.6g}"))


def _number(value: float) -> float | str | None:
    """Return a number for JSON, which knows no nan and no infinity."""
    return None if math.isnan(value) else "∞" if value == math.inf else "-∞" if value == -math.inf else value


def _numbers(row: dict[str, Any]) -> dict[str, Any]:
    return {name: _number(value) if isinstance(value, float) else value for name, value in row.items()}


def _matrix(board: Leaderboard, methods: list[str]) -> list[list[float | str | None]]:
    """Return the scores, a row for each method in the order of the page."""
    rows = dict(zip(board.methods, board.values.tolist(), strict=True))
    return [[_number(value) for value in rows[method]] for method in methods]


def _runs(pl: Any, scored: Any) -> list[dict[str, Any]]:  # noqa: ANN401
    """Return the cuts of each series: its truths by annotator, and a prediction for each method."""
    methods = {m: k for k, m in enumerate(scored["method"].unique(maintain_order=True))}
    points = max(200, min(charts.SIGNAL, SIGNALS // scored["series"].n_unique()))
    runs = []
    for (series,), part in scored.group_by("series", maintain_order=True):
        known = part.filter(pl.col("truth").is_not_null() & pl.col("n").is_not_null())
        truths = known["truth"][0].to_list() if known.height else []
        names = known["_annotators"][0] if "_annotators" in part.columns and known.height else None
        if names is None:
            names = ["truth"] if len(truths) == 1 else [f"annotator {k + 1}" for k in range(len(truths))]
        n = int(known["n"][0]) if known.height else 0
        preds: list[list[int] | None] = [None] * len(methods)
        errors: dict[int, str] = {}
        for row in part.reverse().iter_rows(named=True):  # of several rows the first stays
            k = methods[row["method"]]
            reason = row.get("error")
            preds[k] = None if reason or row["pred"] is None else _inside(row["pred"], n)
            if reason:
                errors[k] = reason
        signal = part["signal"].drop_nulls() if "signal" in part.columns else []
        sides = [(str(name), cuts) for name, cuts in zip(names, truths, strict=True) if cuts is not None]
        runs.append(
            {
                "n": n,
                "truths": [[name, _inside(cuts, n)] for name, cuts in sides],
                "preds": preds,
                "errors": errors,
                "signal": _signal(signal[0], n, series, points) if len(signal) and n else None,
            }
        )
    return runs


def _inside(cuts: Iterable[int | None], n: int) -> list[int]:
    return [cut for cut in cuts if cut is not None and 0 < cut < n]  # without the ends, which may be given


def _signal(values: Any, n: int, series: str, points: int) -> list[list[float | None]]:  # noqa: ANN401
    try:
        return [[point["start"], point["value"]] for point in charts._thinned(values, n, points)]
    except (ValueError, TypeError) as error:
        raise ValueError(f"series {series!r}: {error}") from None


def _failures(scored: Any, names: list[str]) -> dict[str, Any]:  # noqa: ANN401
    """Return the rows that have no score at all, with the reason, and the rows that are not there."""
    pl = library("polars")
    if not names:
        return {"failures": [], "failed": 0}
    reason = pl.col("error") if "error" in scored.columns else pl.lit(None, pl.String)
    failed = scored.filter(pl.all_horizontal(pl.col(names).cast(pl.Float64).fill_nan(None).is_null()))
    rows = failed.select("method", "series", reason.fill_null("no prediction").alias("reason"))
    every = (
        scored.select("method")
        .unique(maintain_order=True)
        .join(scored.select("series").unique(maintain_order=True), how="cross")
    )
    absent = every.join(scored, on=["method", "series"], how="anti").with_columns(reason=pl.lit("no row"))
    rows = pl.concat([rows, absent])
    return {"failures": [list(row) for row in rows.head(FAILURES).iter_rows()], "failed": rows.height}


def _specs(methods: int) -> dict[str, Any]:
    """Return the charts without data; the page puts data and names in."""
    ranks: charts.Rows = [{"y": k} for k in range(methods)]
    ends: charts.Rows = []
    made = {
        "standings": charts._standings([], [], "%metric%"),
        "ranks": charts._ranks(ranks, [], [], "%metric%"),
        "scores": charts._spread([], "%metric%"),
        "heatmap": charts._heatmap([], "%metric%", rising=True),
        "against": charts._against([], "%metric%", "%other%"),
        "timeline": charts._timeline([], ends, []),
        "timelineWithSignal": charts._timeline([], ends, [{}]),
        "staircase": charts._staircase([]),
    }
    return {name: chart.to_dict() for name, chart in made.items()}


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
    libraries = ("segscore", "numpy", "polars", "scipy", "statsmodels", "scikit-posthocs", "altair")
    versions = [f"{name} {metadata.version(name)}" for name in libraries]
    return {
        **found,
        "Rows": f"{table.height}; SHA-256 of what was used of them, as JSON Lines: {rows}",
        "Command": command,
        "Seed": str(seed),
        "Versions": ", ".join([f"Python {platform.python_version()}", *versions]),
    }


def _written(content: dict[str, Any], title: str, out: Path) -> Path:
    import html
    import json
    from importlib import resources

    vega = library("altair.utils._importers", extra="report")
    bundle = library("vl_convert", extra="report").javascript_bundle(vl_version=vega.vl_version_for_vl_convert())
    text = json.dumps(content, allow_nan=False, separators=(",", ":"), ensure_ascii=False)
    assets = resources.files(__package__)
    parts = {
        "title": html.escape(title),
        "css": (assets / "page.css").read_text(encoding="utf-8"),
        "data": text.replace("<", "\\u003c"),  # so that no name can end the script it is in
        "vega": bundle,
        "js": (assets / "page.js").read_text(encoding="utf-8"),
    }
    page = (assets / "page.html").read_text(encoding="utf-8")
    pieces = page.split("{{")
    whole = pieces[0] + "".join(parts[name] + rest for name, rest in (piece.split("}}", 1) for piece in pieces[1:]))
    with files.aside(out) as part:
        part.write_text(whole, encoding="utf-8")
    return out
