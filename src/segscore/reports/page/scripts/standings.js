// Standings for a part of the series, or at another margin: the statistics of a leaderboard, from scores by the core.

const isLive = () => core !== null && data.cuts && data.live;
const isMoved = (metric) => metric.margin && state.margin !== data.margin && isLive();
const partNumber = () => data.filter.parts.indexOf(state.part);
const keptSeries = () => {
  const all = data.series.map((_, k) => k);
  return state.part === null ? all : all.filter((k) => data.filter.of[k] === partNumber());
};

function sum(values) {
  // with the rounding error carried along, so that the order of the series matters less
  let total = 0;
  let error = 0;
  for (const x of values) {
    const next = total + x;
    error += Math.abs(total) >= Math.abs(x) ? total - next + x : x - next + total;
    total = next;
  }
  return Number.isFinite(total) ? total + error : total; // the error of an infinite total is NaN
}
const meanOf = (values) => (values.length ? sum(values) / values.length : NaN);
function medianOf(values) {
  const sorted = Float64Array.from(values).sort();
  const half = sorted.length >> 1;
  if (!sorted.length) return NaN;
  return sorted.length % 2 || sorted[half] === sorted[half - 1] ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

// The runs of a block in the core: every prediction with every truth, and no cuts with every truth if failures count
// so.
const gathered = new Map();
async function gatheredBlock(b) {
  if (!gathered.has(b)) {
    const runs = await block(`runs-${b}`);
    const pairs = [];
    // The places of the pairs of a prediction, one pair for each truth. A method may have several rows, some of them
    // failed.
    const places = runs.map((run) => {
      const placed = (pred) => {
        pairs.push(...run.truths.map(({ cuts }) => [cuts, pred, extent(run)]));
        return pairs.length - run.truths.length;
      };
      if (!run.truths.length) return null;
      return {
        truths: run.truths.length,
        nothing: data.policy === "no_cuts" ? placed([]) : null,
        rows: run.rows.map((given) => given.map((pred) => (pred === null ? null : placed(pred)))),
      };
    });
    gathered.set(b, { places, core: core.gather(pairs) });
  }
  return gathered.get(b);
}

// Shows the chosen margin, and which share of the runs is computed as long as that takes.
function sayMargin(share = 1) {
  $("margin-shown").textContent =
    share < 1 ? `${lengthText(state.margin)}, ${Math.floor(100 * share)} %` : marginText(state.margin);
}

// All scores that depend on the margin, at the chosen margin, over all series. Returns null if the reader moved on.
const moved = { margin: null, found: null };
async function scoresAtMargin() {
  const margin = state.margin;
  if (moved.margin === margin) return moved.found;
  const metrics = data.metrics.filter((metric) => metric.margin && metric.entry);
  const entries = metrics.map((metric) => ({ ...metric.entry, margin }));
  const stored = await Promise.all(metrics.map((metric) => scoresOf(metric.name)));
  const made = stored.map(({ states }) => {
    const blank = () => data.methods.map(() => new Array(data.series.length).fill(null));
    return { scores: blank(), counted: blank(), ranking: blank(), states: states.map((row) => Uint8Array.from(row)) };
  });
  let since = performance.now();
  for (let start = 0; start < data.series.length; start += data.block) {
    const { places, core: pairs } = await gatheredBlock(start / data.block);
    const values = pairs.scores(entries);
    places.forEach((place, row) => {
      if (place === null) return;
      const k = start + row;
      const { truths, nothing, rows } = place;
      metrics.forEach((metric, e) => {
        const bound = metric.worst ?? (metric.rising ? -Infinity : Infinity);
        const at = (pair) => values[pair * entries.length + e];
        const mean = (first) =>
          truths === 1 ? at(first) : meanOf(Array.from({ length: truths }, (_, t) => at(first + t)));
        rows.forEach((given, m) => {
          if (stored[e].states[m][k] >= NOT_RUN) return;
          const own = given.length ? given : [null];
          const scored = own.filter((first) => first !== null).map(mean);
          const failed = own.length - scored.length; // a missing run counts as a failure here
          const filled = (fill) => (sum(scored) + (failed ? failed * fill : 0)) / own.length;
          const result = filled(NaN);
          made[e].states[m][k] = failed ? FAILED : Number.isNaN(result) ? UNDEFINED : SCORED;
          made[e].scores[m][k] = Number.isNaN(result) ? null : result;
          made[e].ranking[m][k] = failed ? filled(bound) : made[e].scores[m][k];
          made[e].counted[m][k] = failed ? filled(nothing === null ? bound : mean(nothing)) : made[e].scores[m][k];
        });
      });
    });
    if (performance.now() - since > 30) {
      sayMargin(start / data.series.length);
      await new Promise((go) => setTimeout(go));
      if (state.margin !== margin) return null;
      since = performance.now();
    }
  }
  sayMargin();
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
  const order = values
    .map((_, j) => j)
    .sort((a, b) => (values[a] === null) - (values[b] === null) || values[b] - values[a] || 0);
  const ranks = new Float64Array(values.length);
  for (let first = 0, next; first < order.length; first = next) {
    for (next = first + 1; next < order.length && values[order[next]] === values[order[first]]; ) ++next;
    for (let j = first; j < next; ++j) ranks[order[j]] = (first + 1 + next) / 2;
  }
  return ranks;
}

// The leaderboard of a score on the chosen series. It is kept with the scores, because several places of a section
// need it.
const ranked = new WeakMap();
function standingsOf(metric, cells) {
  if (ranked.get(cells)?.part !== state.part)
    ranked.set(cells, { part: state.part, ...rankedOn(metric, cells, keptSeries()) });
  return ranked.get(cells);
}

// The leaderboard of a score on some of the series, by the rules of the library's `leaderboard`.
function rankedOn(metric, cells, kept) {
  const { scores, states, counted, ranking } = cells;
  const omit = data.policy === "omit";
  const runs = data.methods.map((_, m) => kept.filter((k) => states[m][k] < NOT_RUN).length);
  const places = data.methods.map((_, m) => m);
  const references = places.filter((m) => data.told.includes(data.methods[m]));
  const placed = places.filter((m) => !references.includes(m) && 2 * runs[m] >= kept.length);
  const choosing = placed.length ? placed : references; // the methods that say which series count
  const own = (matrix, m, k) => (omit ? scores : matrix)[m][k];
  const series = kept.filter((k) =>
    omit
      ? choosing.some((m) => states[m][k] < NOT_RUN)
      : choosing.length > 0 &&
        choosing.every((m) => isNumber(counted[m][k]) && !(data.policy === "common" && states[m][k] === FAILED)),
  );
  const total = new Float64Array(placed.length);
  const wins = new Int32Array(placed.length);
  for (const k of series) {
    const ranks = ranksOf(
      placed.map((m) => {
        const x = own(ranking, m, k);
        return isNumber(x) ? (metric.rising ? x : -x) : null;
      }),
    );
    const best = Math.min(...ranks);
    ranks.forEach((rank, j) => {
      total[j] += rank;
      if (rank === best && isNumber(scores[placed[j]][k])) ++wins[j];
    });
  }
  const row = (m, over, values, rank, won) => {
    const finite = values.filter(Number.isFinite);
    const count = (state) => kept.filter((k) => states[m][k] === state).length;
    const shown = finite.length ? finite : over.map((k) => scores[m][k]).filter(isNumber);
    return {
      method: data.methods[m],
      m,
      mean: meanOf(shown),
      median: medianOf(values),
      rank,
      wins: won,
      averaged: finite.length,
      scored: count(SCORED),
      run: runs[m],
      failed: count(FAILED),
      undefined: count(UNDEFINED),
      not_run: count(NOT_RUN),
      unreadable: count(UNREADABLE),
      low: null,
      high: null,
    };
  };
  const rows = placed.map((m, j) =>
    row(
      m,
      series,
      series.map((k) => own(counted, m, k)).filter(isNumber),
      series.length ? total[j] / series.length : NaN,
      wins[j],
    ),
  );
  const key = (each) => (metric.worst === null ? each.rank : metric.rising ? -each.mean : each.mean);
  const order = (a, b) =>
    Number.isNaN(key(a)) - Number.isNaN(key(b)) || key(a) - key(b) || (a.method < b.method ? -1 : 1);
  const failed = (m, k) => data.policy === "common" && states[m][k] === FAILED;
  const known = (m) => series.map((k) => (failed(m, k) ? null : own(counted, m, k))).filter(isNumber);
  const others = places.filter((m) => !placed.includes(m) && !references.includes(m));
  return {
    standings: rows.sort(order),
    others: [
      ...references.map((m) => row(m, series, known(m), NaN, 0)),
      ...others.map((m) => row(m, kept, kept.map((k) => scores[m][k]).filter(isNumber), NaN, 0)),
    ],
    series,
  };
}
