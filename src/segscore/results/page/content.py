"""The content of the page of a report: leaderboards, runs, failures, and charts without data."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from ...catalog import metric_of, parsed
from ...optional import library
from ...tables.frames import scored
from ...tables.notes import Notes
from ...tables.options import Options
from ..charts import of_curves, of_cuts, of_pairs, of_scores
from ..charts.drawing import Rows
from ..columns import Column
from ..leaderboards import Leaderboard
from ..significance import Differences
from ..standings import shown_columns

__all__ = ["board_shown", "curves_shown", "described", "failures_shown", "matrices_shown", "runs_shown", "specs"]

KEYS = {"95 % interval": "low", "rough 95 % interval": "low", "mean over": "averaged"}
FAILURES = 500  # largest number of failures that are listed
SIGNALS = 60_000  # largest number of points of all signals together


def described(column: Column) -> dict[str, Any]:
    """Return the description of a score that the page shows."""
    name, known = column.name, metric_of(column.name)
    facts = {"name": name, "rising": column.rising}
    if known is None:
        unit = f", in {column.unit}" if column.unit else ""
        return {**facts, "meaning": f"A column of the table{unit}.", "best": "", "bounds": "", "reference": ""}
    return {
        **facts,
        "meaning": known.meaning.replace("`", ""),
        "best": f"{known.best:g}",
        "bounds": f"[{known.low:g}, {known.high:g}]",
        "reference": known.reference,
    }


def board_shown(board: Leaderboard, found: dict[str, dict[str, float]], secondary: bool) -> dict[str, Any]:
    """Return the leaderboard, tests and chart data of one score."""
    lines = {name: values[board.metric] for name, values in found.items() if board.metric in values}
    standings, rules = of_scores.standing_rows(board, lines)
    head, _, rows = shown_columns([board])
    both = zip([*board.standings, *board.others], rows, strict=True)
    made = [{**_numbers(standing._asdict()), "texts": row} for standing, row in both]  # the texts of the terminal
    shown: dict[str, Any] = {
        "heading": board.heading,
        "notes": board.notes,
        "columns": [[KEYS.get(name, name.replace(" ", "_")), name] for name in head],
        "order": "rank" if board.column.worst is None else "mean",
        "standings": made[: len(board.standings)],
        "others": made[len(board.standings) :],
        "references": _numbers(lines),
        "differences": {},
        "charts": {"standings": {"standings": standings, "references": rules}},
    }
    place = {method: k for k, method in enumerate(board.methods)}
    for kind in ("exact", "nemenyi"):
        differences: Differences = board.differences(kind, secondary=secondary)
        ranks, groups, ruler = of_pairs.rank_rows(board, differences)
        shown["charts"][kind] = {
            "ranks": ranks,
            "groups": groups,
            "ruler": ruler,
            "height": of_pairs.height_of(ranks),
        }
        if kind == "exact":
            shown["charts"]["pairs"] = [_cell(row) for row in of_pairs.pair_rows(board, differences)]
        shown["differences"][kind] = {
            **_numbers({"friedman": differences.friedman, "statistic": differences.statistic}),
            "conclusion": differences.conclusion,
            "pairs": [  # methods are given by their places in the standings
                [
                    *(place[d.better], place[d.worse]),
                    *(None if x is None else _short(x) for x in (d.mean, d.low, d.high)),
                    *(d.wins, d.ties, d.losses, d.n),
                    *(None if x is None else _short(x) for x in (d.effect, d.p, d.corrected)),
                    d.verdict,
                ]
                for d in differences.pairs
            ],
        }
    return shown


def _cell(row: dict[str, Any]) -> list[Any]:
    """Return a cell of the matrix of pairs without its methods, which the page knows from its place."""
    return (
        [row["mean"], row["counts"], row["p"], _short(row["advantage"]), int(row["bold"])]
        if "p" in row
        else [row["mean"]]
    )


def _short(value: float) -> float | str | None:
    return _number(float(f"{value:.6g}"))


def _number(value: float) -> float | str | None:
    """Return a number for JSON, which has neither nan nor infinity."""
    return None if math.isnan(value) else "∞" if value == math.inf else "-∞" if value == -math.inf else value


def _numbers(row: dict[str, Any]) -> dict[str, Any]:
    return {name: _number(value) if isinstance(value, float) else value for name, value in row.items()}


def matrices_shown(board: Leaderboard, methods: list[str], series: list[str]) -> tuple[list[Any], list[str]]:
    """Return the scores and the states, as digits, one row per method in the order of the page."""
    cells = board.cells
    rows, columns = ({name: k for k, name in enumerate(names)} for names in (cells.methods, cells.series))
    places = [rows[method] for method in methods], [columns[name] for name in series]
    scores, states = (each[places[0]][:, places[1]].tolist() for each in (cells.scores, cells.states))
    return [[_number(value) for value in row] for row in scores], ["".join(map(str, row)) for row in states]


def runs_shown(scored: Any) -> list[dict[str, Any]]:  # noqa: ANN401
    """Return the cuts of each series: the truth per annotator, the prediction per method."""
    pl = library("polars")
    methods = {m: k for k, m in enumerate(scored["method"].unique(maintain_order=True))}
    points = max(200, min(of_cuts.SIGNAL, SIGNALS // scored["series"].n_unique()))
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
        for row in part.reverse().iter_rows(named=True):  # in reverse, so that the first of several rows is kept
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
    return [cut for cut in cuts if cut is not None and 0 < cut < n]  # the ends 0 and n may be given, and are dropped


def _signal(values: Any, n: int, series: str, points: int) -> list[list[float | None]]:  # noqa: ANN401
    try:
        return [[point["start"], point["value"]] for point in of_cuts.thinned(values, n, points)]
    except (ValueError, TypeError) as error:
        raise ValueError(f"series {series!r}: {error}") from None


def failures_shown(scored: Any, names: list[str]) -> dict[str, Any]:  # noqa: ANN401
    """Return the rows without any score, with their state and the reason, and the missing rows."""
    pl = library("polars")
    if not names:
        return {"failures": [], "failed": 0}
    status = pl.col("status").cast(pl.String) if "status" in scored.columns else pl.lit(None, pl.String)
    reason = pl.col("error") if "error" in scored.columns else pl.lit(None, pl.String)
    absent = pl.col("truth").is_null() if "truth" in scored.columns else pl.lit(False)
    unreadable = (status == "unreadable").fill_null(False)
    state = (
        pl.when(unreadable).then(pl.lit("unreadable")).when(absent).then(pl.lit("not run")).otherwise(pl.lit("failed"))
    )
    told = pl.when(~status.is_in(["ok", "error"])).then(status)  # these two do not say why there is no score
    why = pl.coalesce(reason, told, pl.when(absent).then(pl.lit("no truth")).otherwise(pl.lit("no prediction")))
    without = scored.filter(unreadable | pl.all_horizontal(pl.col(names).is_null()))
    rows = without.select("method", "series", state.alias("state"), why.alias("reason"))
    every = (
        scored.select("method")
        .unique(maintain_order=True)
        .join(scored.select("series").unique(maintain_order=True), how="cross")
    )
    missing = every.join(scored, on=["method", "series"], how="anti")
    rows = pl.concat([rows, missing.with_columns(state=pl.lit("not run"), reason=pl.lit("no row"))])
    return {"failures": [list(row) for row in rows.head(FAILURES).iter_rows()], "failed": rows.height}


def curves_shown(
    rows: Any,  # noqa: ANN401
    names: list[str],
    margin: float,
    seed: int,
) -> dict[str, Any]:
    """Return the data of the charts over all margins and, for scores of delays, all delays."""
    pl = library("polars")
    needed = ("method", "series", "group", "truth", "pred", "n")
    table = rows.select(name for name in rows.columns if name in needed).drop_nulls(["truth", "n"])
    # As on the leaderboard, a prediction that cannot be scored is a failure, and an unreadable row is left out.
    options = Options(metrics=["count_error"], on_error="null")
    table = scored(table, options, Notes(options)).filter(pl.col("status") != "unreadable")
    table = table.with_columns(pred=pl.when(pl.col("count_error").is_not_null()).then("pred"))
    found = {"margins": {"curves": of_curves.margin_rows(table, "f1", margin, None, seed), "marks": [{"x": margin}]}}
    limits = [parsed(name)[1].get("max_delay") for name in names if _is_of_delays(name)]
    if limits:
        known = [limit for limit in limits if limit is not None]
        shares = of_curves.delay_rows(table, known[0] if known else None, None, seed)
        found["delays"] = {"curves": shares, "marks": [{"x": limit} for limit in dict.fromkeys(known)]}
    return found


def _is_of_delays(name: str) -> bool:
    known = metric_of(name)
    return known is not None and known.family == "delays"


def specs(methods: int) -> dict[str, Any]:
    """Return the charts without data; the page inserts data and names."""
    ranks: Rows = [{"y": k} for k in range(methods)]
    ends: Rows = []
    made = {
        "standings": of_scores.standings_chart([], [], "%metric%"),
        "pairs": of_pairs.pairs_chart([], "%metric%"),
        "ranks": of_pairs.ranks_chart(ranks, [], [], "%metric%"),
        "scores": of_scores.spread_chart([], "%metric%"),
        "heatmap": of_scores.heatmap_chart([], "%metric%", rising=True),
        "against": of_scores.against_chart([], "%metric%", "%other%"),
        "timeline": of_cuts.timeline_chart([], ends, []),
        "timelineWithSignal": of_cuts.timeline_chart([], ends, [{}]),
        "staircase": of_cuts.staircase_chart([]),
        "margins": of_curves.curve_chart([], [], *of_curves.titles_of("f1"), methods=methods),
        "delays": of_curves.curve_chart([], [], *of_curves.titles_of("delays"), methods=methods),
    }
    return {name: chart.to_dict() for name, chart in made.items()}
