// The scores behind the means: dots and boxes, the heat map, and one score against another.

const MOST_DRAWN = 400; // series; of more series, evenly spaced ones are drawn

function drawnSeries() {
  const kept = keptSeries();
  const step = kept.length / Math.min(MOST_DRAWN, kept.length);
  return Array.from({ length: Math.min(MOST_DRAWN, kept.length) }, (_, k) => kept[Math.floor(k * step)]);
}

async function scoreRows(name, series) {
  const cells = await cellsOf(name);
  if (!cells) return null;
  const { standings, others } = await boardNow();
  return [...standings, ...others].flatMap(({ method }) => {
    const m = data.methods.indexOf(method);
    return series.map((k) => {
      const score = cells.scores[m][k];
      const infinite = score === Infinity || score === -Infinity;
      return {
        method,
        series: data.series[k],
        value: infinite ? null : score,
        state: infinite ? "infinite" : data.stateNames[cells.states[m][k]],
      };
    });
  });
}

async function showDistributions() {
  const { label, spoken } = known();
  const series = drawnSeries();
  const rows = await scoreRows(state.score, series);
  const names = { metric: label, labels: data.methods };
  if (!rows) return;
  const count = keptSeries().length;
  const all = count > series.length ? await scoreRows(state.score, keptSeries()) : rows;
  if (!all) return;
  const lacking = all.filter((row) => row.value === null);
  const without = lacking.length; // all of these are counted
  $("sampled").hidden = count === series.length;
  $("sampled").textContent =
    `Of ${many(count, "series")}, ${series.length} are drawn, evenly spaced. ` +
    "Runs without a finite score are all counted.";
  const any = without < all.length;
  for (const id of ["scores-chart", "heatmap-chart", "against-chart"]) shown(id, any);
  if (any) {
    await draw(
      "scores-chart",
      "scores",
      { scores: [...rows.filter((row) => row.value !== null), ...lacking] },
      { ...names, right: 150 },
      `${capital(spoken)} of each method on ${many(count, "series")}, ${many(without, "run")} without a finite score.`,
    );
    const view = await draw(
      "heatmap-chart",
      "heatmap",
      { scores: rows },
      names,
      `Heat map of ${spoken}, ${many(data.methods.length, "method")} by ${many(count, "series")}, ` +
        `${many(without, "run")} without a finite score; the overview has the means.`,
    );
    view.addEventListener("click", (_, item) => {
      if (item?.datum?.series !== undefined)
        choose({ view: "series", series: item.datum.series, edited: null }).then(() => bringUp("up-close"));
    });
  }
  const other = new Map(
    ((await scoreRows(state.against, series)) ?? []).map((row) => [
      JSON.stringify([row.method, row.series]),
      row.value,
    ]),
  );
  const both = rows.map((row) => ({ ...row, other: other.get(JSON.stringify([row.method, row.series])) ?? null }));
  if (
    !shown(
      "against-chart",
      both.some((row) => row.value !== null && row.other !== null),
    )
  )
    return;
  const against = data.metrics[metricNumber(state.against)];
  await draw(
    "against-chart",
    "against",
    { against: both },
    { metric: label, other: against.label, most: 900 },
    `${capital(spoken)} against ${against.spoken}, a point for each of ${many(both.length, "run")}.`,
  );
}

// All scores of all runs, one line per method and series.
async function saveScores() {
  const all = await Promise.all(data.metrics.map((metric) => scoresOf(metric.name)));
  const rows = data.methods.flatMap((method, m) =>
    data.series.map((series, k) => [
      method,
      series,
      ...all.map(({ scores }) => {
        const x = scores[m][k];
        return x === Infinity ? "inf" : x === -Infinity ? "-inf" : x;
      }),
    ]),
  );
  save("scores.csv", csv([["method", "series", ...data.metrics.map((metric) => metric.name)], ...rows]), "text/csv");
}
