// Which differences are significant: the conclusion, the matrix of pairs and the critical-difference diagram.

function staleNote() {
  for (const place of document.querySelectorAll(".stale")) {
    place.hidden = !isChanged();
    place.textContent =
      `This section is about all ${many(data.series.length, "series")} at the margin of the report, ` +
      `${marginText(data.margin)}.`;
  }
}

async function showDifferences() {
  const board = await boardOf(state.score);
  const { label, spoken } = known();
  const found = board.differences;
  $("conclusion").textContent = isolated(found.conclusion);
  const head = [
    "Method",
    "Other method",
    "Verdict",
    "Mean difference",
    "95 % interval",
    "Wins/ties/losses",
    "Rank-biserial r",
    "p",
    "p, corrected",
    "Series",
  ];
  fillTable(
    $("pairs"),
    head,
    found.pairs.map(([method, other, verdict, mean, low, high, wins, ties, losses, effect, p, corrected, n]) => [
      board.standings[method].method,
      board.standings[other].method,
      verdict,
      typeof mean === "number" ? signed(mean, 3) : number(mean),
      low === null ? "—" : `${signed(low, 3)} to ${signed(high, 3)}`,
      `${wins}/${ties}/${losses}`,
      signed(effect, 2),
      pValue(p),
      pValue(corrected),
      `${n} of ${data.series.length}`,
    ]),
    [0, 1, 2],
  );
  const charts = board.charts;
  const any = found.pairs.length > 0;
  const names = board.standings.map((each) => each.method);
  const pairs = charts.pairs.map(([mean, counts, p, advantage, bold], k) => ({
    row: names[Math.floor(k / names.length)],
    column: names[k % names.length],
    mean,
    counts,
    p,
    advantage,
    bold: bold === 1,
  }));
  if (shown("pairs-chart", any))
    await draw(
      "pairs-chart",
      "pairs",
      { pairs },
      { metric: label },
      `Matrix of pairs by ${spoken}. ${found.conclusion}`,
    );
  if (!shown("ranks-chart", any)) return;
  const diagram = { ...charts.ranks, ranks: charts.ranks.ranks.map((row) => ({ ...row, label: isolated(row.label) })) };
  const ranks = charts.ranks.ranks.map((row) => `${row.method} ${row.rank.toFixed(2)}`).join(", ");
  describe("ranks-chart", { bars: charts.ranks.groups.length > 0 });
  await draw(
    "ranks-chart",
    "ranks",
    diagram,
    { metric: spoken, height: charts.ranks.height, least: 560, most: 900 },
    `Critical-difference diagram. Mean ranks: ${ranks}.`,
  );
}
