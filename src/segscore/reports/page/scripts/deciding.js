// Which series decide: those whose removal would change the order of the first two methods, and those that divide the
// methods most.

const LISTED = 5;

async function decisive() {
  const metric = known();
  const cells = await cellsOf(state.score);
  if (!cells) return null;
  const { standings, series } = standingsOf(metric, cells);
  const spreads = series
    .map((k) => {
      const all = standings
        .map(({ m }) => (data.policy === "omit" ? cells.scores : cells.counted)[m][k])
        .filter(isNumber);
      const [low, high] = [Math.min(...all), Math.max(...all)];
      return { k, spread: all.length > 1 && low < high ? high - low : 0 };
    })
    .sort((a, b) => b.spread - a.spread || a.k - b.k);
  if (standings.length < 2 || data.policy === "omit" || !series.length)
    return { metric, standings, series, spreads, leads: [], turning: [], fewest: null };
  // How much each series adds to the lead of the first method: in scores, or in ranks if the score has no worst value.
  const [first, second] = standings;
  const all = standings.map(({ m }) => m);
  const leads = series.map((k) => {
    if (metric.worst !== null)
      return { k, lead: (metric.rising ? 1 : -1) * (cells.counted[first.m][k] - cells.counted[second.m][k]) };
    const ranks = ranksOf(all.map((m) => (metric.rising ? 1 : -1) * cells.ranking[m][k]));
    return { k, lead: ranks[1] - ranks[0] };
  });
  const total = sum(leads.map((each) => each.lead));
  const least = 1e-12 * leads.reduce((most, { lead }) => Math.max(most, Math.abs(lead)), 1);
  const turning = leads.filter((each) => total - each.lead < -least).sort((a, b) => b.lead - a.lead);
  let fewest = 0;
  let left = total;
  for (const { lead } of [...leads].sort((a, b) => b.lead - a.lead)) {
    if (left < -least || lead <= 0) break;
    left -= lead;
    ++fewest;
  }
  return {
    metric,
    standings,
    series,
    spreads,
    leads,
    turning,
    fewest: left < -least ? fewest : null,
    tied: Math.abs(total) <= least,
  };
}

async function showDeciding() {
  const found = await decisive();
  if (!found) return;
  const { metric, standings, series, spreads, leads, turning, fewest, tied } = found;
  const [first, second] = standings;
  const said = [];
  if (leads.length && tied)
    said.push(
      `${named(first.method)} and ${named(second.method)} are equal by ${metric.spoken}, so any series may decide.`,
    );
  else if (leads.length && turning.length) {
    said.push(
      `${named(first.method)} is ahead of ${named(second.method)} by ${metric.spoken}, but without ` +
        (turning.length === 1
          ? `the series ${named(data.series[turning[0].k])}`
          : `any one of ${turning.length} series`) +
        ` ${named(second.method)} would be ahead.`,
    );
  } else if (leads.length && fewest !== null)
    said.push(
      `${named(first.method)} is ahead of ${named(second.method)} by ${metric.spoken}. No single series decides: ` +
        `at least ${fewest} of the ${series.length} series would have to be left out to change that.`,
    );
  else if (leads.length)
    said.push(
      `${named(first.method)} is ahead of ${named(second.method)} by ${metric.spoken}, whichever series are left out.`,
    );
  const cells = await cellsOf(state.score);
  if (!cells) return;
  const failed =
    data.policy !== "omit" && spreads.length > 0 && standings.some(({ m }) => cells.states[m][spreads[0].k] === FAILED);
  if (spreads.length && spreads[0].spread > 0)
    said.push(
      `The methods disagree most on ${named(data.series[spreads[0].k])}, where their scores span ` +
        `${number(spreads[0].spread, 3)}${failed ? ", counting a failure as on the leaderboard" : ""}.`,
    );
  tell($("deciding"), said.join(" ") || "There are too few methods or series to say which series decide.");
  const place = new Map(leads.map((each) => [each.k, each.lead]));
  const turns = new Set(turning.map((each) => each.k));
  const listed = [...new Set([...turning.map((each) => each.k), ...spreads.map((each) => each.k)])].slice(0, LISTED);
  const spreadOf = new Map(spreads.map((each) => [each.k, each.spread]));
  const head = [
    "Series",
    "Spread of the methods",
    ...(leads.length
      ? [`Lead of the first method${metric.worst === null ? " (in ranks)" : ""}`, "Decides the order"]
      : []),
    "Best method",
  ];
  fillTable(
    $("decisive"),
    head,
    listed.map((k) => {
      const best = [...standings]
        .filter(({ m }) => isNumber(cells.counted[m][k]))
        .sort((a, b) => (metric.rising ? -1 : 1) * (cells.counted[a.m][k] - cells.counted[b.m][k]) || 0)[0];
      const name =
        data.cuts && core
          ? button(
              data.series[k],
              () => choose({ series: data.series[k], edited: null }).then(() => bringUp("up-close")),
              { class: "link" },
            )
          : data.series[k];
      return [
        name,
        number(spreadOf.get(k), 3),
        ...(leads.length ? [signed(place.get(k), 3), turns.has(k) ? "yes" : "no"] : []),
        best ? visible(best.method) : "–",
      ];
    }),
    [0, leads.length ? 4 : 2],
  );
  $("decisive").hidden = !listed.length;
}

const MOST_ROWS = 300;

async function seriesTable() {
  const cells = await cellsOf(state.score);
  if (!cells) return;
  const { standings, others } = await boardNow();
  const methods = [...standings, ...others].map(({ method }) => data.methods.indexOf(method));
  const kept = keptSeries();
  const words = (m, k) =>
    cells.states[m][k] === SCORED ? number(cells.scores[m][k], 3, known().log) : data.stateNames[cells.states[m][k]];
  $("by-series").querySelector("summary").textContent =
    kept.length > MOST_ROWS ? `The scores of the first ${MOST_ROWS} series` : "The scores of every series";
  fillTable(
    $("by-series").querySelector("table"),
    ["Series", ...methods.map((m) => data.methods[m])],
    kept.slice(0, MOST_ROWS).map((k) => [data.series[k], ...methods.map((m) => words(m, k))]),
  );
}
