"""The content of the page of a report: leaderboards, scores, failures, and charts without data."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import cache
from typing import Any

from ..analysis.region_tables import rocs_of
from ..boards.alternatives import policy_words
from ..boards.captions import label_of, spoken
from ..boards.cells import FAILED
from ..boards.choices import has_several_settings
from ..boards.failures import POLICIES
from ..boards.intervals import mean_of
from ..boards.leaderboard import Leaderboard
from ..boards.significance import Differences
from ..boards.statistics import shown_columns
from ..charts import boards as board_charts
from ..charts import comparisons as comparison_charts
from ..charts import costs as cost_charts
from ..charts import curves as curve_charts
from ..charts import cuts as cut_charts
from ..charts import settings as setting_charts
from ..charts import thresholds as threshold_charts
from ..charts.axes import POINTS, Axis
from ..charts.drawing import Rows
from ..optional import polars as pl
from ..scores.core_plans import options_in
from ..scores.metric_text import lacks_margin, metric_of, parsed, written
from ..showing import count_text
from ..tables.choices import choice_words
from ..tables.columns import Column, column_of
from ..tables.options import Options, length_in
from ..tables.score import scored
from ..tables.states import Notes
from ..tables.units import Measure
from .inputs import Prepared, has_cuts

__all__ = [
    *("board_shown", "cost_shown", "curves_shown", "described", "failures_shown", "matrices_shown"),
    *("parameters_shown", "penalties_shown", "policies_shown", "settings_shown", "specs"),
]

KEYS = {"95 % interval": "low", "rough 95 % interval": "low", "mean over": "averaged"}
UNITS_OF_SCORES = {"points": ("point", "points"), "seconds": ("s", "s"), "timestamps": ("s", "s")}  # one, and several
FAILURES = 500  # largest number of failures that are listed
SETTINGS = 5  # largest number of settings that are listed per method


def described(
    column: Column,
    measure: Measure | None = None,
    unit: str | None = None,
    margin: Any = None,  # noqa: ANN401
) -> dict[str, Any]:
    """Return the description of a score that the page shows.

    ``measure`` says how timestamps were counted, ``unit`` is the unit of the cuts, if there are any, and ``margin`` is
    where the slider starts. ``entry`` is how the core in the browser knows the score, or None. A score at this margin
    follows the slider: ``margin`` is then true, and ``label``, ``spoken``, ``short`` and ``entry`` have no margin.
    """
    name, known = column.name, metric_of(column.name)
    own = {} if known is None else parsed(name)[1]
    moves = known is not None and (lacks_margin(name) or own.get("margin", -1) == margin)
    at = f" at margin {own.pop('margin')}" if moves and "margin" in own else ""
    facts: dict[str, Any] = {"name": name, "short": name if known is None else written(known, own)}
    facts |= {"label": label_of(name).replace(at, ""), "spoken": spoken(name).replace(at, ""), "rising": column.rising}
    facts |= {"worst": column.worst, "unit": column.unit, "log": column.scale == "log"}
    if known is None:
        unit = f", in {column.unit}" if column.unit else ""
        said = {"meaning": f"A column of the table{unit}.", "best": "", "bounds": "", "reference": ""}
        return {**facts, **said, "entry": None, "margin": False}
    options = options_in(facts["short"], None if measure is None else measure.unit)[1]
    if unit is not None and known.power:
        one, several = UNITS_OF_SCORES[unit]
        facts["label"] += f" ({several})" if known.power == 1 else f" (per {one})"
    return {
        **facts,
        "meaning": re.sub("`(.+?)`", lambda found: spoken(found[1]), known.meaning),
        "best": f"{known.best:g}",
        "bounds": f"{known.low:g} to {known.high:g}".replace("inf", "∞").replace("-", "−"),
        "reference": known.reference,
        "entry": None if known.only_tables else {"name": known.name, **options},
        "margin": moves,
    }


def board_shown(board: Leaderboard, lines: dict[str, dict[str, float]], differences: Differences) -> dict[str, Any]:
    """Return the leaderboard, tests and chart data of one score."""
    own_lines = {name: values[board.metric] for name, values in lines.items() if board.metric in values}
    head, _, rows = shown_columns(board)
    both = zip([*board.standings, *board.below], rows, strict=True)
    made = [{**_numbers(standing._asdict()), "texts": row} for standing, row in both]  # the texts of the terminal
    shown: dict[str, Any] = {
        "heading": board.heading,
        "notes": board.notes,
        "columns": [[KEYS.get(name, name.replace(" ", "_")), name] for name in head],
        "order": "rank" if board.column.worst is None else "mean",
        "standings": made[: len(board.standings)],
        "others": made[len(board.standings) :],
        "references": _numbers(own_lines),
    }
    place = {method: k for k, method in enumerate(board.methods)}
    ranks, groups = comparison_charts.rank_rows(board, differences)
    shown["charts"] = {
        "ranks": {"ranks": ranks, "groups": groups, "height": comparison_charts.height_of(ranks)},
        "pairs": [_pair_shown(row) for row in comparison_charts.pair_rows(board, differences)],
    }
    shown["differences"] = {
        "conclusion": differences.conclusion,
        "pairs": [  # methods are given by their places in the standings
            [
                *(place[d.method], place[d.other], d.verdict),
                *(None if x is None else _short(x) for x in (d.mean, d.low, d.high)),
                *(d.wins, d.ties, d.losses),
                *(_short(x) for x in (d.effect, d.p, d.corrected)),
                d.n,
            ]
            for d in differences.pairs
        ],
    }
    return shown


def _pair_shown(row: dict[str, Any]) -> list[Any]:
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


def matrices_shown(board: Leaderboard, methods: list[str], series: list[str]) -> dict[str, Any]:
    """Return the scores and the states, one row per method in the order of the page, and what failures count as.

    States are digits. ``fills`` has for each failed cell its method and series, and its value and the value that ranks
    it: a cell with several rows may have failed in part.
    """
    cells = board.cells
    rows, columns = ({name: k for k, name in enumerate(names)} for names in (cells.methods, cells.series))
    places = [rows[method] for method in methods], [columns[name] for name in series]

    def placed(matrix: Any) -> Any:  # noqa: ANN401
        return matrix[places[0]][:, places[1]]

    states = placed(cells.states)
    failed = list(zip(*(each.tolist() for each in (states == FAILED).nonzero()), strict=True))
    ranking = placed(cells.filled(board.column.bound))
    counts = placed(cells.filled(cells.without_cuts)) if board.failures == "no_cuts" and failed else ranking
    return {
        "values": [[_number(value) for value in row] for row in placed(cells.scores).tolist()],
        "states": ["".join(map(str, row)) for row in states.tolist()],
        "fills": [[m, k, _number(float(counts[m, k])), _number(float(ranking[m, k]))] for m, k in failed],
    }


def policies_shown(board: Leaderboard) -> list[dict[str, Any]]:
    """Return place and mean of each ranked method under every policy for failures, if any method failed."""
    shown = []
    for policy in POLICIES if board.failed else ():
        try:
            other = board.under(policy)  # type: ignore[arg-type]
        except ValueError:  # the scores without cuts cannot be computed
            continue
        means = {m: mean_of(row[abs(row) < math.inf]) for m, row in zip(other.methods, other.values, strict=True)}
        rows = {method: [place, _number(means[method])] for method, place in other.places.items()}
        words = policy_words(other)
        facts = {"name": policy, "words": words[:1].upper() + words[1:], "series": len(other.series)}
        shown.append({**facts, "chosen": policy == board.failures, "rows": rows})
    return shown


def cost_shown(board: Leaderboard, result: pl.DataFrame, missing: str) -> Rows:
    """Return the mean score and the median seconds of each method, or nothing if the table has no seconds."""
    if "seconds" not in result.columns or board.metric == "seconds":
        return []
    given = {"method": "method", "series": "series", "missing": missing}
    return cost_charts.cost_rows(board, result, column_of("seconds"), given)


def settings_shown(rows: pl.DataFrame, methods: Sequence[str]) -> list[list[Any]]:
    """Return the settings of each method: how they were chosen, the most frequent ones, and their numbers of series."""
    if "params" not in rows.columns or rows["params"].null_count() == rows.height:
        return []
    table = rows.with_columns(pl.col("params").cast(pl.String))
    rule = pl.col("settings").cast(pl.String).first() if "settings" in rows.columns else pl.lit(None, pl.String)
    counts = table.group_by("method", "params", maintain_order=True).agg(
        rule.alias("rule"), pl.col("series").n_unique().alias("series")
    )
    words = {text: choice_words([text])[0] for text in counts["rule"].drop_nulls().unique()}
    counts = counts.with_columns(pl.col("rule").replace(words))
    shown: list[list[Any]] = []
    for method in methods:
        own = counts.filter(pl.col("method") == method).sort("series", descending=True, maintain_order=True)
        kept = own.head(SETTINGS).select("method", "rule", "params", "series").rows()
        shown += [list(row) for row in kept]
        if own.height > SETTINGS:
            rest = own[SETTINGS:]
            shown.append([method, rest["rule"][0], count_text(rest.height, "other setting"), rest["series"].sum()])
    return shown


def failures_shown(scored: pl.DataFrame, names: list[str], parts: Sequence[Sequence[str]]) -> dict[str, Any]:
    """Return the rows without any score, with their state and the reason, and the missing rows.

    ``parts`` are the series of each part of the study, of which the page can show each alone.
    """
    if not names:
        return {"failures": [], "failed": 0, "parts": [], "most": FAILURES}
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
    of_parts = [pl.col("series").is_in(list(part)) for part in parts]
    # The first ones of all rows and of each part.
    first = [
        of_part & (of_part.cast(pl.Int64).cum_sum() <= FAILURES)
        for of_part in (pl.col("series").is_not_null(), *of_parts)
    ]
    return {
        "failures": [list(row) for row in rows.filter(pl.any_horizontal(first)).iter_rows()],
        "failed": rows.height,
        "parts": [rows.filter(of_part).height for of_part in of_parts],
        "most": FAILURES,
    }


def curves_shown(given: Prepared) -> dict[str, Any]:
    """Return the data of the charts over all margins and, for scores of delays, all delays."""
    if given.answered is None or not given.rows.height:
        return {}
    length = length_in(given.counts.columns) or "n"
    needed = ("method", "series", "group", "truth", "pred", length, "confidence")
    table = given.counts.select(name for name in given.counts.columns if name in needed)
    # As on the leaderboard, a prediction that cannot be scored is a failure, and an unreadable row is left out.
    table = table.with_columns(pred=pl.when(given.answered).then("pred")).filter(given.answered.is_not_null())
    table = table.drop_nulls(["truth", length])
    margin, (_, step) = given.distance, given.lengths_shown
    curves = curve_charts.stretched(curve_charts.margin_rows(table, "f1", margin, None), step)
    shown = {"margins": {"curves": curves, "marks": [{"x": margin * step}]}}
    unit = None if given.measure is None else given.measure.unit
    limits = [options_in(name, unit)[1].get("max_delay") for name in given.names if _is_of_delays(name)]
    if limits:
        known = [limit for limit in limits if limit is not None]
        shares = curve_charts.delay_rows(table, known[0] if known else None, None)
        marks = [{"x": limit * step} for limit in dict.fromkeys(known)]
        shown["delays"] = {"curves": curve_charts.stretched(shares, step), "marks": marks}
    if "confidence" in table.columns:
        options = Options.of_results(table.columns, metrics=["average_precision"], margin=margin, on_error="null")
        status = scored(table, options, Notes(options)).get_column("status")
        sure = table.with_columns(pred=pl.when(status == "ok").then("pred"))
        shown["thresholds"] = {"curves": threshold_charts.recall_rows(sure, margin), "marks": []}
    return shown


def parameters_shown(given: Prepared, seed: int) -> list[dict[str, Any]]:
    """Return a chart for each numeric parameter of runs over a grid: the score and the cuts by its value."""
    if not has_cuts(given.runs) or not has_several_settings(given.runs):
        return []
    column = column_of(given.column(given.names[0]))
    shown = []
    for name in setting_charts.numeric_parameters(given.runs):
        settings, choices, _, _ = setting_charts.selection_rows(
            given.runs, column, name, margin=given.margin, seed=seed
        )
        chart = setting_charts.selection_chart([], [], label_of(column.name), name, setting_charts.scale_of(settings))
        shown.append({"name": name, "spec": chart.to_dict(), "data": {"settings": settings, "choices": choices}})
    return shown


def penalties_shown(rows: pl.DataFrame) -> dict[str, Any]:
    """Return the data of the chart over all penalties, for runs over a grid with annotated regions."""
    if not {"regions", "params", "pred", length_in(rows.columns)} <= set(rows.columns):
        return {}
    curves, refused = rocs_of(rows)
    drawn, best = threshold_charts.roc_rows(curves)
    note = "".join(f" {method} has no curve: {problem}." for method, problem in refused.items())
    return {"penalties": {"curves": drawn, "best": best, "note": note.strip()}}


def _is_of_delays(name: str) -> bool:
    known = metric_of(name)
    return known is not None and known.family == "delays"


@cache
def specs(methods: int, shared: bool, axis: Axis = POINTS, unit: str | None = None) -> dict[str, Any]:
    """Return the charts without data; the page inserts data and names. To build them takes a second.

    ``unit`` is the unit of margins and delays; None for points.
    """
    ranks: Rows = [{"y": k} for k in range(methods)]
    made = {
        "pairs": comparison_charts.pairs_chart([], "%metric%"),
        "ranks": comparison_charts.ranks_chart(ranks, [], "%metric%"),
        "scores": board_charts.spread_chart([], "%metric%"),
        "heatmap": board_charts.heatmap_chart([], "%metric%", rising=True),
        "against": board_charts.against_chart([], "%metric%", "%other%"),
        "cost": cost_charts.cost_chart([], "%metric%", column_of("seconds"), shared),
        "staircase": cut_charts.staircase_chart([], axis),
        "margins": curve_charts.curve_chart([], [], *curve_charts.titles_of("F1", unit), methods=methods),
        "delays": curve_charts.curve_chart([], [], *curve_charts.titles_of("delays", unit), methods=methods),
        "thresholds": curve_charts.curve_chart(
            [], [], "recall", "precision, mean over series", step="step-before", methods=methods
        ),
        "penalties": threshold_charts.roc_chart([], [], methods),
    }
    return {name: chart.to_dict() for name, chart in made.items()}
