// Standings for a part of the series, or at another margin: the statistics of a leaderboard, from scores by the core.

const isLive = () => core !== null && data.cuts && data.live;
const isMoved = (metric) => metric.margin && state.margin !== data.margin && isLive();
const keptSeries = () => {
  const all = data.series.map((_, k) => k), part = state.part === null ? -1 : data.filter.parts.indexOf(state.part);
  return part < 0 ? all : all.filter((k) => data.filter.of[k] === part);
};

function sum(values) {  // with the rounding error carried along, so that the order of the series matters less
  let total = 0, error = 0;
  for (const x of values) {
    const next = total + x;
    error += Math.abs(total) >= Math.abs(x) ? total - next + x : x - next + total;
    total = next;
  }
  return total + error;
}
const meanOf = (values) => (values.length ? sum(values) / values.length : NaN);
function medianOf(values) {
  const sorted = Float64Array.from(values).sort(), half = sorted.length >> 1;
  if (!sorted.length) return NaN;
  return sorted.length % 2 || sorted[half] === sorted[half - 1] ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

// All scores that depend on the margin, at the chosen margin, over all series. Returns null if the reader moved on.
const moved = { margin: null, found: null };
async function scoresAtMargin() {
  const margin = state.margin;
  if (moved.margin === margin && moved.found) return moved.found;
  const metrics = data.metrics.filter((metric) => metric.margin && metric.entry), entries = metrics.map((metric) => ({ ...metric.entry, margin }));
  const runs = await allRuns(), stored = await Promise.all(metrics.map((metric) => scoresOf(metric.name)));
  const made = metrics.map((metric, e) => {
    const blank = () => data.methods.map(() => new Array(data.series.length).fill(null));
    return { scores: blank(), counted: blank(), ranking: blank(), states: stored[e].states.map((row) => Uint8Array.from(row)) };
  });
  let since = performance.now();
  for (let k = 0; k < runs.length; ++k) {
    const { truths, rows } = runs[k], length = extent(runs[k]);
    const mean = (pred) => {
      const each = truths.map(({ cuts }) => core.scores(cuts, pred, length, entries));
      return entries.map((_, e) => meanOf(each.map((scores) => scores[e])));
    };
    const nothing = data.policy === "no_cuts" && truths.length ? mean([]) : null;
    rows.forEach((given, m) => {
      if (stored.every(({ states }) => states[m][k] >= NOT_RUN) || !truths.length) return;
      const own = given.length ? given : [null];  // a missing run that counts as a failure
      const found = own.map((pred) => (pred === null ? null : mean(pred))), scored = found.filter((row) => row !== null);
      metrics.forEach((metric, e) => {
        if (stored[e].states[m][k] >= NOT_RUN) return;
        const failed = found.length - scored.length, bound = metric.worst ?? (metric.rising ? -Infinity : Infinity);
        const filled = (fill) => (sum(scored.map((row) => row[e])) + (failed ? failed * fill : 0)) / found.length;
        const result = filled(NaN);
        made[e].states[m][k] = failed ? FAILED : Number.isNaN(result) ? UNDEFINED : SCORED;
        made[e].scores[m][k] = Number.isNaN(result) ? null : result;
        made[e].ranking[m][k] = failed ? filled(bound) : made[e].scores[m][k];
        made[e].counted[m][k] = failed ? filled(nothing ? nothing[e] : bound) : made[e].scores[m][k];
      });
    });
    if (performance.now() - since > 30) {
      await new Promise((go) => setTimeout(go));
      if (state.margin !== margin) return null;
      since = performance.now();
    }
  }
  Object.assign(moved, { margin, found: new Map(metrics.map((metric, e) => [metric.name, made[e]])) });
  return moved.found;
}

async function cellsOf(name) {
  const metric = data.metrics[metricNumber(name)];
  if (!isMoved(metric)) return scoresOf(name);
  const found = await scoresAtMargin();
  return found ? found.get(name) : null;
}

// The ranks of values, 1 for the largest; ties share, and values that are missing come last.
function ranksOf(values) {
  return values.map((own) => {
    const missing = own === null, better = values.filter((x) => (missing ? x !== null : x > own && x !== null)).length;
    const equal = values.filter((x) => (missing ? x === null : x === own)).length;
    return better + (equal + 1) / 2;
  });
}

// The leaderboard of a score on some of the series, by the rules of the library's `leaderboard`.
function standingsOf(metric, cells, kept) {
  const { scores, states, counted, ranking } = cells, omit = data.policy === "omit";
  const runs = data.methods.map((_, m) => kept.filter((k) => states[m][k] < NOT_RUN).length);
  const placed = data.methods.map((_, m) => m).filter((m) => 2 * runs[m] >= kept.length);
  const own = (matrix, m, k) => (omit ? scores : matrix)[m][k];
  const series = kept.filter((k) => (omit ? placed.some((m) => states[m][k] < NOT_RUN)
    : placed.length > 0 && placed.every((m) => isNumber(counted[m][k]) && !(data.policy === "common" && states[m][k] === FAILED))));
  const total = new Float64Array(placed.length), wins = new Int32Array(placed.length);
  for (const k of series) {
    const ranks = ranksOf(placed.map((m) => { const x = own(ranking, m, k); return isNumber(x) ? (metric.rising ? x : -x) : null; })), best = Math.min(...ranks);
    ranks.forEach((rank, j) => { total[j] += rank; if (rank === best && isNumber(scores[placed[j]][k])) ++wins[j]; });
  }
  const row = (m, over, values, rank, won) => {
    const finite = values.filter(Number.isFinite), count = (state) => kept.filter((k) => states[m][k] === state).length;
    const shown = finite.length ? finite : over.map((k) => scores[m][k]).filter(isNumber);
    return { method: data.methods[m], m, mean: meanOf(shown), median: medianOf(values), rank, wins: won, averaged: finite.length, scored: count(0),
      run: runs[m], failed: count(2), undefined: count(1), not_run: count(3), unreadable: count(4), low: null, high: null };
  };
  const rows = placed.map((m, j) => row(m, series, series.map((k) => own(counted, m, k)).filter(isNumber), series.length ? total[j] / series.length : NaN, wins[j]));
  const key = (each) => (metric.worst === null ? each.rank : metric.rising ? -each.mean : each.mean);
  const order = (a, b) => Number.isNaN(key(a)) - Number.isNaN(key(b)) || key(a) - key(b) || (a.method < b.method ? -1 : 1);
  const others = data.methods.map((_, m) => m).filter((m) => !placed.includes(m));
  return { standings: rows.sort(order), others: others.map((m) => row(m, kept, kept.map((k) => scores[m][k]).filter(isNumber), NaN, 0)), series };
}
