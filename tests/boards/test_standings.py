"""Standings: the library's and those of the page, which computes them for parts of a study and other margins.

The library and the script `standings.js` each have the rules. The test below holds them together: it compares both
on 1,000 random boards under every policy for failures.
"""

import json
import math

import numpy as np
import polars as pl

import segscore as ss
from segscore.boards.cells import FAILED, NOT_RUN, SCORED, UNDEFINED, UNREADABLE, Cells
from segscore.boards.failures import POLICIES
from segscore.boards.provenance import Origins
from segscore.boards.ranking import Ranking
from segscore.reports.content import matrices_shown
from segscore.tables.columns import Column, column_of

COLUMNS = [
    *map(column_of, ("rand_index", "window_diff(k=2)", "mean_error", "seconds")),
    *(Column("gain", "high"), Column("energy", "low", worst=3.0)),
]
EXACT = ("method", "wins", "averaged", "scored", "run", "failed", "undefined", "not_run", "unreadable")
SCRIPT = """boards => JSON.stringify(JSON.parse(boards).map(({ policy, metric, methods, told, series, part, matrices: { values, states, fills } }) => {
  const { data, state, standingsOf } = window.segscore;
  const number = x => ({ "∞": Infinity, "-∞": -Infinity })[x] ?? x;
  const scores = values.map(row => row.map(number)), counted = scores.map(row => [...row]);
  const ranking = scores.map(row => [...row]);
  for (const [m, k, count, rank] of fills) { counted[m][k] = number(count); ranking[m][k] = number(rank); }
  Object.assign(data, { policy, methods, told, series, filter: { parts: ["rest", "part"], of: part ?? [] } });
  state.part = part ? "part" : null;
  const cells = { scores, counted, ranking, states: states.map(row => Uint8Array.from(row, Number)) };
  const found = standingsOf(metric, cells);
  const plain = ([key, x]) => [key, typeof x === "number" && !Number.isFinite(x) ? String(x) : x];
  const rows = each => each.map(({ m, low, high, ...row }) => Object.fromEntries(Object.entries(row).map(plain)));
  return { series: found.series, standings: rows(found.standings), others: rows(found.others) };
}))"""


def random_cells(rng, column):
    """Return cells of up to 5 methods and 7 series with ties, infinities, failures in part and missing runs."""
    methods, series = rng.integers(1, 6), rng.integers(1, 8)
    shape = (methods, series)
    weights = rng.dirichlet([4, 0.5, 1, 0.5, 0.3])
    states = rng.choice([SCORED, UNDEFINED, FAILED, NOT_RUN, UNREADABLE], shape, p=weights).astype(np.int8)
    scored, failed = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
    scored[states == SCORED] = rng.integers(1, 4, (states == SCORED).sum())
    failed[states == FAILED] = rng.integers(1, 3, (states == FAILED).sum())
    scored[states == FAILED] = rng.integers(0, 3, (states == FAILED).sum())
    pool = [0, 0.1, 1 / 3, 0.5, 2 / 3, 1, *([] if column.worst is not None else [3.5, math.inf, -math.inf])]
    sums = np.where(scored > 0, rng.choice(pool, shape) * np.maximum(scored, 1), 0.0)
    names = [f"m{k}" for k in range(methods)], [f"s{k}" for k in range(series)]
    told = tuple((name, "truth") for name in names[0] if rng.random() < 0.2)
    cells = Cells(column, *names, None, states, sums, scored, failed, None, Origins(told=told))
    cells = cells.with_gaps_failed() if rng.random() < 0.2 else cells
    return given(cells, rng.choice([*pool, math.nan], series))


def given(cells, without_cuts):
    """Give the cells their scores of the prediction without cuts, which would be computed from the truths."""
    vars(cells)["without_cuts"] = without_cuts
    return cells


def part_of(cells, chosen):
    """Return the cells of some series."""
    matrices = [each[:, chosen] for each in (cells.states, cells.sums, cells.scored, cells.failed)]
    series = [name for name, use in zip(cells.series, chosen, strict=True) if use]
    part = Cells(cells.column, cells.methods, series, None, *matrices, None, cells.origins)
    return given(part, cells.without_cuts[chosen])


def shown(standing):
    """Return the facts of a standing as the script writes them."""
    exact = {name: getattr(standing, name) for name in EXACT}
    numbers = {name: getattr(standing, name) for name in ("mean", "median", "rank")}
    words = {math.inf: "Infinity", -math.inf: "-Infinity"}
    return exact | {name: "NaN" if x != x else words.get(x, x) for name, x in numbers.items()}


def test_the_page_and_the_library_agree_on_random_boards(browser, tmp_path):
    rng = np.random.default_rng(0)
    asked, wanted = [], []
    for k in range(1_000):
        column = COLUMNS[k % len(COLUMNS)]
        cells = random_cells(rng, column)
        chosen = rng.random(len(cells.series)) < 0.6 if rng.random() < 0.5 else None
        part = cells if chosen is None else part_of(cells, chosen)
        for policy in POLICIES:
            asked.append(
                {
                    "policy": policy,
                    "metric": {"rising": column.rising, "worst": column.worst},
                    "methods": cells.methods,
                    "told": [name for name, _ in cells.origins.told],
                    "series": cells.series,
                    "part": None if chosen is None else chosen.astype(int).tolist(),
                    "matrices": matrices_shown(Ranking(cells, policy), cells.methods, cells.series),
                }
            )
            ranking = Ranking(part, policy)
            wanted.append(
                {
                    "series": [cells.series.index(name) for name in ranking.series],
                    "standings": [shown(standing) for standing in ranking.standings],
                    "others": [shown(standing) for standing in ranking.below],
                }
            )
    table = pl.DataFrame({"series": ["a"], "method": ["x"], "truth": [[30]], "pred": [[31]], "n": [60]})
    path = ss.report(table, tmp_path / "report.html", metrics=["rand_index"])
    page = browser.new_context(offline=True).new_page()
    page.goto(path.as_uri())
    page.wait_for_selector("html[data-ready=yes]", timeout=60_000)
    found = json.loads(page.evaluate(SCRIPT, json.dumps(asked)))  # as text, which is faster than as values
    page.context.close()
    assert len(found) == len(wanted) == 4_000
    for question, one, other in zip(asked, found, wanted, strict=True):
        assert one == other, question
