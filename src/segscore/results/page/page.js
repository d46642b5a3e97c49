// The page of a report: shows the computed results, and matches and explains one series at a time as the library does.
"use strict";
(() => {
const data = JSON.parse(document.getElementById("data").textContent);
const $ = (id) => document.getElementById(id);
const state = { metric: data.metrics[0]?.name, other: null, sort: null, turned: false, series: 0, annotator: 0, margin: data.margin };

// ---- the library's computations for one pair of segmentations

// Indices into `optional` that are left over if all cuts of `forced` are matched, as `leave_over` of the core does.
function leftOver(forced, optional, margin) {
  const below = [], above = [], left = new Set();  // slopes: [stored, index], the nearest to d = 0 at the end
  let dropped = 0, chosen = 0, arrived = 0, inReach = 0, behind = 0;
  const insert = (slopes, slope, isNearer) => {
    let k = slopes.length;
    while (k > 0 && isNearer(slopes[k - 1][0])) --k;
    slopes.splice(k, 0, slope);
  };
  const balance = (at, seen) => {
    const size = Math.max(0, seen - arrived - dropped);
    for (let slope; below.length > size; above.push([slope[0] - 2 * at, slope[1]])) slope = below.pop();
    for (let slope; below.length < size; below.push([slope[0] + 2 * at, slope[1]])) slope = above.pop();
  };
  const arrive = (seen) => balance(forced[arrived++], seen);
  optional.forEach((cut, k) => {
    while (arrived < forced.length && forced[arrived] <= cut) arrive(k);
    while (behind < arrived && cut - forced[behind] > margin) ++behind;
    for (; chosen < behind; ++chosen) above.shift();
    if (below.length && below[below.length - 1][0] >= cut) insert(below, [cut, k], (stored) => stored >= cut);
    else insert(above, [-cut, k], (stored) => stored < -cut);
    balance(cut, k + 1);
    while (inReach < forced.length && forced[inReach] - cut <= margin) ++inReach;
    for (; dropped + inReach < k + 1; ++dropped) left.add(below.shift()[1]);
  });
  while (arrived < forced.length) arrive(optional.length);
  for (const [, k] of below) left.add(k);
  return left;
}

// Pairs of indices of matched cuts: the closest maximum matching, as `match_closest` of the core finds it.
function match(truth, pred, margin) {
  const partner = truth.map(() => null), spare = truth.map(() => false), scarce = pred.map(() => false);
  for (let i = 0, j = 0; i < truth.length && j < pred.length;) {
    if (Math.abs(truth[i] - pred[j]) <= margin) partner[i++] = j++;
    else if (truth[i] < pred[j]) ++i;
    else ++j;
  }
  for (let i = 0, high = 0, reached = 0; i < truth.length; ++i) {
    while (high < pred.length && pred[high] - truth[i] <= margin) ++high;
    if (partner[i] === null || partner[i] < reached) [spare[i], reached] = [true, high];
  }
  for (let i = truth.length - 1, low = pred.length, reached = low; i >= 0; --i) {
    while (low > 0 && truth[i] - pred[low - 1] <= margin) --low;
    if (partner[i] === null || partner[i] >= reached) [spare[i], reached] = [true, low];
    if (spare[i] && partner[i] !== null) scarce[partner[i]] = true;
  }
  const chosen = (cuts, optional, others, forced) => {
    const left = leftOver(others.filter((_, k) => forced(k)), cuts.filter((_, k) => optional(k)), margin);
    let seen = 0;
    return [...cuts.keys()].filter((k) => !(optional(k) && left.has(seen++)));
  };
  const j = chosen(pred, (k) => !scarce[k], truth, (k) => !spare[k]);
  return chosen(truth, (k) => spare[k], pred, (k) => scarce[k]).map((i, k) => [i, j[k]]);
}

// The overlap cells, each with the ends of the two segments around the cell.
function cells(truth, pred, n) {
  const found = [];
  for (let start = 0, i = 0, j = 0; start < n;) {
    const t = i < truth.length ? truth[i] : n, p = j < pred.length ? pred[j] : n, end = Math.min(t, p);
    found.push({ start, end, truth: t, prediction: p, beyond: t > p ? "truth" : "prediction" });
    if (t === end) ++i;
    if (p === end) ++j;
    start = end;
  }
  return found;
}

const disagreement = (found) => found.reduce((sum, c) => sum + (c.end - c.start) * Math.abs(c.truth - c.prediction), 0);

// The change of the Rand Index if a cut is removed, added or moved: rows [what, where, change], the largest first.
function blame(truth, pred, n) {
  const total = Math.max(1, n * (n - 1) / 2), rows = [];
  const before = (cuts, k) => (k > 0 ? cuts[k - 1] : 0), at = (cuts, k) => (k < cuts.length ? cuts[k] : n);
  for (let j = 0, i = 0; j < pred.length; ++j) {
    const cut = pred[j], left = before(pred, j), right = at(pred, j + 1);
    while (i < truth.length && truth[i] < cut) ++i;
    const together = truth[i] === cut ? 0
      : (cut - Math.max(left, before(truth, i))) * (Math.min(right, at(truth, i)) - cut);
    rows.push(["remove a predicted cut", String(cut), (2 * together - (cut - left) * (right - cut)) / total]);
  }
  for (let i = 0, j = 0; i < truth.length; ++i) {
    while (j < pred.length && pred[j] < truth[i]) ++j;
    if (pred[j] === truth[i]) continue;
    rows.push(["add a missed cut", String(truth[i]), (truth[i] - before(pred, j)) * (at(pred, j) - truth[i]) / total]);
  }
  const nearest = (cuts, place, cut) => {
    while (place + 1 < cuts.length && Math.abs(cuts[place + 1] - cut) < Math.abs(cuts[place] - cut)) ++place;
    return place;
  };
  for (let i = 0, j = 0, back = 0; i < truth.length && pred.length; ++i) {
    j = nearest(pred, j, truth[i]);
    back = nearest(truth, back, pred[j]);
    const t = truth[i], p = pred[j], left = before(pred, j), right = at(pred, j + 1);
    if (back !== i || t === p) continue;
    const cost = t < p
      ? (p - t) * (t - left) - (p - t) * (right - p) + 2 * (p - t) * (Math.min(right, at(truth, i + 1)) - p)
      : (t - p) * (right - t) - (t - p) * (p - left) + 2 * (t - p) * (p - Math.max(left, before(truth, i)));
    rows.push(["move to the true cut", `${p} -> ${t}`, cost / total]);
  }
  return rows.map((row, k) => [row, k]).sort((x, y) => y[0][2] - x[0][2] || x[1] - y[1]).map(([row]) => row);
}

// ---- tables and menus

function node(tag, text, attributes = {}) {
  const made = document.createElement(tag);
  if (text !== undefined && text !== null) made.textContent = text;
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

// Infinite numbers are the texts "∞" and "-∞", because JSON has no infinity.
const value = (x) => (x === "∞" ? Infinity : x === "-∞" ? -Infinity : x);
const number = (x, digits = 4) => (x === null || x === undefined ? "–" : typeof x === "string" ? x : x.toFixed(digits));
const signed = (x) => (x < 0 ? "−" : "+") + (x !== 0 && Math.abs(x) < 5e-5 ? Math.abs(x).toExponential(2) : Math.abs(x).toFixed(4));
const plus = (x, digits = 3) => (x < 0 ? "−" : "+") + Math.abs(x).toFixed(digits);
const pValue = (p) => (p === null ? "–" : p < 1e-4 ? "< 0.0001" : p.toFixed(4));
const equation = (p) => (p < 1e-4 ? "p < 0.0001" : `p = ${p.toFixed(4)}`);

function fillTable(table, head, rows, textual = [0]) {
  const cell = (tag, text, k) => {
    const made = node(tag, "", textual.includes(k) ? { class: "text" } : {});
    String(text).split(/(?<=_)/).forEach((part, k) => made.append(...(k ? [node("wbr")] : []), part));  // names break at _
    return made;
  };
  const line = node("tr");
  head.forEach((name, k) => { const made = cell("th", name, k); made.scope = "col"; line.append(made); });
  table.tHead.replaceChildren(line);
  table.tBodies[0].replaceChildren(...rows.map((row) => {
    const made = node("tr");
    made.append(...row.map((text, k) => cell(k ? "td" : "th", text, k)));
    made.firstChild.scope = "row";
    made.firstChild.style.fontWeight = "normal";
    return made;
  }));
}

function fillMenu(menu, names, values = names) {
  menu.replaceChildren(...names.map((name, k) => node("option", name, { value: values[k] })));
}

// ---- charts

const views = {};
const config = {
  background: "transparent", font: "system-ui, sans-serif",
  view: { stroke: null },
  axis: { labelColor: "currentColor", titleColor: "currentColor", domainColor: "currentColor", tickColor: "currentColor",
    gridColor: "currentColor", gridOpacity: 0.15, labelFontSize: 12, titleFontSize: 12, titleFontWeight: "normal" },
  legend: { labelColor: "currentColor", titleColor: "currentColor", labelFontSize: 12, titleFontSize: 12, titleFontWeight: "normal" },
  text: { color: "currentColor" }, rule: { color: "currentColor" },
  title: { color: "currentColor" },
};

// A chart without any number is hidden.
function shown(id, any) {
  $(id).parentElement.hidden = !any;
  return any;
}

// Draws a chart of the library with the given data and names, as wide as the page allows.
async function draw(id, name, datasets, names, description) {
  const place = $(id), labels = names.labels ?? [];
  const room = Math.max(240, place.parentElement.clientWidth || 640), limit = room < 560 ? 100 : 220;
  const margin = labels.length ? Math.min(limit, 8 + 7 * Math.max(...labels.map((x) => x.length))) : 40;
  const words = { "%metric%": names.metric ?? "", "%other%": names.other ?? "", "#666666": "currentColor" };
  let text = JSON.stringify(data.specs[name]);
  for (const [from, to] of Object.entries(words)) text = text.replaceAll(from, () => JSON.stringify(to).slice(1, -1));
  const spec = JSON.parse(text, function (key, value) {
    if (key === "width" && value === data.width) return Math.max(120, room - margin - 44 - (names.right ?? 0));
    if (key === "labelLimit") return limit;
    if (key === "limit") return Math.floor(room * 0.42);
    if (key === "legend" && value?.orient === "top" && room < 560) return { ...value, columns: 2 };
    if (value?.scheme) return { ...value, reverse: !known().rising };
    if (key === "data" && value?.name) return { name: value.name };
    return value;
  });
  if (names.height) spec.height = names.height;
  Object.assign(spec, { datasets, config, description });
  views[id]?.finalize();
  const actions = { export: true, source: false, compiled: false, editor: false };
  const { view } = await vegaEmbed(place, spec, { renderer: "svg", logLevel: 1 /* errors alone */, actions, downloadFileName: id, mode: "vega-lite" });
  views[id] = view;
  place.querySelector("summary")?.setAttribute("aria-label", "Save this chart");
  place.dataset.drawn = String(Number(place.dataset.drawn ?? 0) + 1);
  return view;
}

// ---- leaderboard

const board = () => data.boards[state.metric];
const known = () => data.metrics.find((m) => m.name === state.metric);
// The best method comes first, unless the order is reversed. Without a chosen column the order is that of the board.
const sorted = () => state.sort ?? board().order;
const ASCENDING = ["method", "rank", "failed", "undefined", "not_run", "unreadable"], COUNTS = ["wins", "scored", "averaged"];
const rising = () => (ASCENDING.includes(sorted()) || (!COUNTS.includes(sorted()) && !known().rising)) !== state.turned;

function standings() {
  const { columns, heading, notes } = board();
  const inOrder = (rows) => (state.sort === null ? rows : [...rows].sort((a, b) => {
    const [x, y] = state.sort === "method" ? [a.method, b.method] : [value(a[state.sort]), value(b[state.sort])];
    if (x === null || y === null) return (x === null) - (y === null);
    const order = typeof x === "string" ? x.localeCompare(y) : x === y ? 0 : x - y;
    return rising() ? order : -order;
  }));
  const rows = [...inOrder(board().standings), ...inOrder(board().others)];
  const table = $("standings");
  $("heading").textContent = heading;
  $("notes").replaceChildren(...notes.map((text) => node("li", text)));
  fillTable(table, columns.map(([, name]) => name), rows.map((s) => s.texts.map((text) => text || "–")));
  [...table.tHead.rows[0].cells].forEach((cell, k) => {
    const [key, name] = columns[k], button = node("button", name[0].toUpperCase() + name.slice(1), { type: "button" });
    button.onclick = () => {
      state.turned = sorted() === key && !state.turned;
      state.sort = key;
      standings();
      $("standings").tHead.rows[0].cells[k].firstChild.focus();
    };
    cell.replaceChildren(button);
    if (key === sorted()) cell.setAttribute("aria-sort", rising() ? "ascending" : "descending");
  });
  const lines = { human: "human (each annotator against the others)", chance: "chance (random segmentations)" };
  table.tFoot.replaceChildren(...Object.entries(board().references).map(([name, value]) => {
    const made = node("tr", null, { "data-reference": name });
    made.append(node("th", lines[name], { scope: "row" }), node("td", number(value)));
    made.append(...columns.slice(2).map(() => node("td", "")));
    return made;
  }));
}

async function leaderboard() {
  const { name, meaning } = known();
  $("others").textContent = data.others[name] ?? "";
  $("others").hidden = !data.others[name];
  $("meaning").textContent = `${name}: ${meaning} ${known().rising ? "Higher" : "Lower"} is better.`;
  standings();
  const { references } = board();
  $("references").textContent = "human" in references ? "The dashed line is the score of people against each other, and the dotted line is the score of chance."
    : "chance" in references ? "The dotted line is the score of chance. There is only one annotator, so there is no human line." : "";
  const best = board().standings[0];
  if (!shown("standings-chart", typeof best?.mean === "number" && board().standings.some((s) => s.scored))) return;
  await draw("standings-chart", "standings", board().charts.standings, { metric: name, labels: data.methods },
    `Means and intervals of ${name} for ${data.methods.length} methods; the best is ${best.method} with ${number(best.mean)}.`);
}

async function differences() {
  const kind = $("kind").value, found = board().differences[kind], signedNumber = (x) => (typeof x === "number" ? plus(x) : number(x));
  $("conclusion").textContent = found.conclusion;
  $("friedman").textContent = found.friedman === null ? "" : `Friedman's test of all methods gives ${equation(found.friedman)}; it decides nothing here.`;
  const head = ["Better", "Worse", "Mean difference", "95 % interval", "Wins/ties/losses", "Rank-biserial r", "p", "p, corrected", "Series", "Verdict"];
  fillTable($("pairs"), head, found.pairs.map(([better, worse, mean, low, high, wins, ties, losses, n, effect, p, corrected, verdict]) =>
    [board().standings[better].method, board().standings[worse].method, signedNumber(mean),
      low === null ? "–" : `${plus(low)} to ${plus(high)}`, `${wins}/${ties}/${losses}`, plus(effect, 2), pValue(p), pValue(corrected),
      `${n} of ${data.series.length}`, verdict]), [0, 1, 9]);
  const charts = board().charts, any = found.pairs.length > 0, names = board().standings.map((s) => s.method);
  const pairs = charts.pairs.map(([mean, counts, p, advantage, bold], k) =>
    ({ row: names[Math.floor(k / names.length)], column: names[k % names.length], mean, counts, p, advantage, bold: bold === 1 }));
  if (shown("pairs-chart", any)) await draw("pairs-chart", "pairs", { pairs }, { metric: state.metric }, `Matrix of pairs. ${board().differences.exact.conclusion}`);
  if (!shown("ranks-chart", any)) return;
  await draw("ranks-chart", "ranks", charts[kind], { metric: state.metric, height: charts[kind].height }, `Critical-difference diagram. ${found.conclusion}`);
}

// ---- distributions

function scoreRows(metric) {
  const found = data.boards[metric], values = data.values[metric], states = data.states[metric];
  return [...found.standings, ...found.others].flatMap(({ method }) => data.series.map((series, k) => {
    const m = data.methods.indexOf(method);
    return { method, series, value: values[m][k], state: data.stateNames[states[m][k]] };
  }).filter((row) => typeof row.value !== "string"));
}

async function distributions() {
  const rows = scoreRows(state.metric), names = { metric: state.metric, labels: data.methods };
  const without = rows.filter((row) => row.value === null).length;
  const any = without < rows.length;
  for (const id of ["scores-chart", "heatmap-chart", "against-chart"]) shown(id, any);
  if (!any) return;
  await draw("scores-chart", "scores", { scores: rows }, { ...names, right: 150 }, `Scores of each method over ${data.series.length} series, ${without} without a score.`);
  const view = await draw("heatmap-chart", "heatmap", { scores: rows }, names, 
    `Heat map of ${state.metric}, ${data.methods.length} methods by ${data.series.length} series, ${without} without a score; the table of standings has the means.`);
  view.addEventListener("click", (event, item) => {
    if (item?.datum?.series === undefined || !data.runs) return;
    openSeries(data.series.indexOf(item.datum.series));
    $("series").scrollIntoView();
  });
  const other = new Map(scoreRows(state.other).map((row) => [JSON.stringify([row.method, row.series]), row.value]));
  const both = rows.map((row) => ({ ...row, other: other.get(JSON.stringify([row.method, row.series])) }));
  if (!shown("against-chart", both.some((row) => row.value !== null && row.other !== null))) return;
  await draw("against-chart", "against", { against: both }, { metric: state.metric, other: state.other }, 
    `${state.metric} against ${state.other}, a point for each of ${both.length} runs.`);
}

// ---- every margin, every delay

async function curves() {
  $("curves").hidden = !data.curves.margins;
  document.querySelector("nav a[href='#curves']").hidden = !data.curves.margins;
  for (const [name, what] of [["margins", "F1 at every margin"], ["delays", "Share of changes detected within every delay"]]) {
    const found = data.curves[name];
    if (shown(`${name}-chart`, Boolean(found?.curves.length))) await draw(`${name}-chart`, name, found, {}, `${what}, ${data.methods.length} methods.`);
  }
}

// ---- one series

const run = () => data.runs[state.series];
const truth = () => run().truths[state.annotator][1];  // [name, cuts]
const chosen = () => [...document.querySelectorAll("#chosen input:checked")].map((box) => Number(box.value));
const margin = () => Number($("margin").value);

function matched(method) {
  const pred = run().preds[method];
  const pairs = match(truth(), pred, margin());
  const t = new Set(pairs.map((p) => p[0])), p = new Set(pairs.map((x) => x[1]));
  return { pairs, misses: truth().filter((_, k) => !t.has(k)), alarms: pred.filter((_, k) => !p.has(k)) };
}

function timelineRows() {
  const { n, truths, preds } = run(), cuts = [], rows = [];
  for (const [name, side] of truths) {
    rows.push(name);
    cuts.push(...side.map((cut) => ({ row: name, cut, kind: "true", end: n })));
  }
  for (const m of chosen()) {
    const row = rows.includes(data.methods[m]) ? `${data.methods[m]} (method)` : data.methods[m];
    rows.push(row);
    if (!preds[m]) continue;
    const { pairs, misses, alarms } = matched(m);
    const add = (list, kind) => cuts.push(...list.map((cut) => ({ row, cut, kind, end: n })));
    add(pairs.map(([, j]) => preds[m][j]), "matched");
    add(misses, "missed");
    add(alarms, "false");
  }
  return { cuts, ends: rows.map((row) => ({ row, start: 0, end: n })) };
}

function matches() {
  const share = (a, b) => (b ? a / b : null);
  $("margin-shown").textContent = `${Number(margin().toFixed(2))} of ${run().n} points`;
  fillTable($("matches"), ["Method", "Matched", "Missed", "False", "Precision", "Recall", "F1", state.metric],
    chosen().map((m) => {
      const score = number(data.values[state.metric][m][state.series]);
      if (!run().preds[m]) return [`${data.methods[m]}: ${run().errors[m] ?? "no prediction"}`, "–", "–", "–", "–", "–", "–", score];
      const { pairs, misses, alarms } = matched(m), none = !truth().length && !run().preds[m].length;
      const [p, r] = none ? [1, 1] : [share(pairs.length, pairs.length + alarms.length) ?? 0, share(pairs.length, pairs.length + misses.length) ?? 0];
      const f = none ? 1 : pairs.length ? 2 * p * r / (p + r) : 0;
      return [data.methods[m], pairs.length, misses.length, alarms.length, number(p), number(r), number(f), score];
    }));
}

async function timeline() {
  matches();
  const rows = timelineRows(), { signal } = run();
  const labels = rows.ends.map((row) => row.row);
  if (signal) rows.points = signal.map(([start, value]) => ({ start, end: start, value }));
  await draw("timeline-chart", signal ? "timelineWithSignal" : "timeline", rows, { labels },
    `Timeline of ${data.series[state.series]}: ${truth().length} true cuts and ${chosen().length} methods.`);
}

const SHOWN = 3000;

async function closer() {
  const m = Number($("method").value), pred = run().preds[m], { n } = run();
  $("blame").hidden = !pred;
  if (!shown("staircase-chart", Boolean(pred))) {
    $("area").textContent = `${data.methods[m] ?? "No method"}: ${run().errors[m] ?? "no prediction"}.`;
    return;
  }
  const found = cells(truth(), pred, n), area = disagreement(found), pairs = n * (n - 1) / 2;
  const index = pairs ? (pairs - area) / pairs : 1;
  $("area").textContent = `${data.methods[m]} and ${run().truths[state.annotator][0]} disagree on ${area.toLocaleString("en")} of `
    + `${pairs.toLocaleString("en")} pairs of points: Rand Index ${number(index)}.`
    + (found.length > SHOWN ? ` Only the ${SHOWN.toLocaleString("en")} cells with the largest disagreement are drawn.` : "");
  const size = (c) => (c.end - c.start) * Math.abs(c.truth - c.prediction);
  const drawn = found.length > SHOWN ? [...found].sort((x, y) => size(y) - size(x)).slice(0, SHOWN) : found;
  const rows = blame(truth(), pred, n);
  fillTable($("blame"), ["Change to the prediction", "Cut", "Change of the Rand Index"], rows.slice(0, 50).map(([what, where, change]) => [what, where, signed(change)]));
  await draw("staircase-chart", "staircase", { cells: drawn }, {}, $("area").textContent);
}

async function openSeries(k) {
  state.series = k;
  $("one").value = String(k);
  const names = run().truths.map(([name]) => name);
  fillMenu($("annotator"), names, names.map((_, a) => a));
  if (state.annotator >= names.length) state.annotator = 0;
  $("annotator").value = String(state.annotator);
  $("margin").step = Number.isInteger(data.margin) ? 1 : "any";
  $("margin").max = Math.max(20, Math.ceil(run().n * 0.05), state.margin);
  $("margin").value = state.margin;
  const empty = names.length === 0;
  $("with-truth").hidden = empty;
  $("no-series").hidden = !empty;
  $("no-series").textContent = "This series has no truth.";
  if (empty) return;
  await timeline();
  await closer();
}

// ---- the whole page

async function everything() {
  await leaderboard();
  await differences();
  await distributions();
  await curves();
  if (data.runs && run().truths.length) { await timeline(); await closer(); }
}

function computed() {
  fillTable($("definitions"), ["Score", "Meaning", "Best", "Bounds", "Reference"],
    data.metrics.map((m) => [m.name, m.meaning, m.best, m.bounds, m.reference]), [0, 1, 4]);
  $("conventions").replaceChildren(...data.conventions.map((text) => node("li", text)));
  $("provenance").replaceChildren(...Object.entries(data.provenance).flatMap(([name, value]) => [node("dt", name), node("dd", value, { class: "code" })]));
}

function failures() {
  const place = $("failures"), rows = data.failures;
  place.hidden = rows.length === 0;
  place.querySelector("summary").textContent = `${data.failed} run${data.failed === 1 ? "" : "s"} without a score`;
  fillTable(place.querySelector("table"), ["Method", "Series", "State", "Reason"], rows, [0, 1, 2, 3]);
}

async function start() {
  const dark = () => (document.documentElement.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  $("theme").onclick = () => { document.documentElement.dataset.theme = dark() ? "light" : "dark"; };
  document.querySelector("nav a[href='#reading']").onclick = () => { $("reading").firstElementChild.open = true; };
  const many = (count, what) => `${count.toLocaleString("en")} ${what}${count === 1 || what === "series" ? "" : "s"}`;
  $("counts").textContent = `${many(data.methods.length, "method")} on ${many(data.series.length, "series")}, ${many(data.metrics.length, "score")}`;
  $("banner").hidden = !data.banner;
  $("banner").textContent = data.banner ?? "";
  computed();
  failures();
  if (!data.methods.length || !data.metrics.length) {
    $("nothing").hidden = false;
    $("nothing").textContent = "The table has no rows, so there is nothing to compare.";
    for (const id of ["leaderboard", "differences", "distributions", "curves", "series"]) $(id).hidden = true;
    return;
  }
  const names = data.metrics.map((m) => m.name);
  fillMenu($("metric"), names);
  fillMenu($("other"), names);
  state.other = names[1] ?? names[0];
  $("other").value = state.other;
  $("metric").onchange = async () => { state.metric = $("metric").value; await everything(); };
  $("other").onchange = async () => { state.other = $("other").value; await distributions(); };
  $("kind").onchange = differences;
  if (data.runs) {
    fillMenu($("one"), data.series, data.series.map((_, k) => k));
    fillMenu($("method"), data.methods, data.methods.map((_, k) => k));
    const first = board().standings.slice(0, data.methods.length <= 10 ? 10 : 6).map((s) => s.method);
    data.methods.forEach((name, m) => {
      const label = node("label"), box = node("input", null, { type: "checkbox", value: m });
      box.checked = first.includes(name);
      box.onchange = timeline;
      label.append(box, " ", name);
      $("chosen").append(label);
    });
    const count = data.series.length;
    $("one").onchange = () => openSeries(Number($("one").value));
    $("previous").onclick = () => openSeries((state.series + count - 1) % count);
    $("next").onclick = () => openSeries((state.series + 1) % count);
    $("annotator").onchange = async () => { state.annotator = Number($("annotator").value); await timeline(); await closer(); };
    $("method").onchange = closer;
    $("margin").oninput = async () => {
      state.margin = margin();
      matches();
      await views["timeline-chart"].data("cuts", timelineRows().cuts).runAsync();
    };
  } else {
    $("up-close").hidden = true;
    $("no-series").hidden = false;
    $("no-series").textContent = "The table has only scores, neither truth nor predictions, so there is no series to show.";
  }
  await leaderboard();
  await differences();
  await distributions();
  await curves();
  if (data.runs) await openSeries(0);
  let waiting, width = innerWidth;
  addEventListener("resize", () => {
    if (innerWidth === width) return;
    clearTimeout(waiting);
    waiting = setTimeout(() => { width = innerWidth; everything(); }, 200);
  });
}

window.segscore = { match, cells, disagreement, blame, data };
start().then(() => { document.documentElement.dataset.ready = "yes"; });
})();
