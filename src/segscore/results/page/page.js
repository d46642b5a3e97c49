// The page of a report: shows the computed results. The core of the library matches and explains one series at a time.
"use strict";
(() => {
const data = JSON.parse(document.getElementById("data").textContent);
const $ = (id) => document.getElementById(id);
let core = null;  // stays null where the browser has no WebAssembly
const state = { metric: data.metrics[0]?.name, other: null, sort: null, turned: false, series: 0, annotator: 0, margin: data.margin };

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
  const pairs = core.match(truth(), pred, run().n, margin());
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
  $("margin-shown").textContent = `${Number(margin().toFixed(2))} of ${run().n} points`;
  fillTable($("matches"), ["Method", "Matched", "Missed", "False", "Precision", "Recall", "F1", state.metric],
    chosen().map((m) => {
      const score = number(data.values[state.metric][m][state.series]);
      if (!run().preds[m]) return [`${data.methods[m]}: ${run().errors[m] ?? "no prediction"}`, "–", "–", "–", "–", "–", "–", score];
      const { pairs, misses, alarms } = matched(m), wanted = ["precision", "recall", "f1"].map((name) => ({ name, margin: margin() }));
      const scores = core.scores(truth(), run().preds[m], run().n, wanted);
      return [data.methods[m], pairs.length, misses.length, alarms.length, ...scores.map((x) => number(x)), score];
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
  const found = core.cells(truth(), pred, n), size = (c) => (c.end - c.start) * Math.abs(c.truth - c.prediction);
  const pairs = n * (n - 1) / 2, area = found.reduce((sum, c) => sum + size(c), 0);
  const [index] = core.scores(truth(), pred, n, ["rand_index"]);
  $("area").textContent = `${data.methods[m]} and ${run().truths[state.annotator][0]} disagree on ${area.toLocaleString("en")} of `
    + `${pairs.toLocaleString("en")} pairs of points: Rand Index ${number(index)}.`
    + (found.length > SHOWN ? ` Only the ${SHOWN.toLocaleString("en")} cells with the largest disagreement are drawn.` : "");
  const drawn = found.length > SHOWN ? [...found].sort((x, y) => size(y) - size(x)).slice(0, SHOWN) : found;
  const rows = core.explain(truth(), pred, n);
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
    $("no-series").textContent = core
      ? "The table has only scores, neither truth nor predictions, so there is no series to show."
      : "This browser has no WebAssembly, so the page cannot compare cuts. All scores above were computed when the report was made.";
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

async function embeddedCore() {
  if (typeof WebAssembly === "undefined") return null;
  return loadCore(Uint8Array.from(atob($("core").textContent), (letter) => letter.charCodeAt(0)));
}

embeddedCore()
  .then((found) => {
    core = found;
    if (!core) data.runs = null;
    window.segscore = { core, data };
  })
  .then(start)
  .then(() => { document.documentElement.dataset.ready = "yes"; });
})();
