// What if: the cuts of one method can be moved, added and removed, and everything that depends on them follows.

const HANDLES = 400;  // most cuts that can be edited at once; zoom in for more
const editing = { run: null, original: [], cuts: [], past: [], selected: null };

const sameCuts = (a, b) => a.length === b.length && a.every((cut, k) => cut === b[k]);
const stepOf = (run) => (run.whole ? 1 : run.length / 1000);
const truthCuts = () => editing.run.truths[state.truth].cuts;

function startEditing(run, original) {
  const valid = state.cuts?.every((cut, k, all) => cut > (k ? all[k - 1] : 0) && cut < run.length && (!run.whole || Number.isInteger(cut)));
  if (state.cuts && !valid) state.cuts = null;
  const keep = editing.run?.name === run.name && sameCuts(editing.original, original) ? editing.past : [];
  Object.assign(editing, { run, original, cuts: state.cuts ?? original, past: keep, selected: null });
}

// Takes new cuts. `before` are the cuts to come back to; without it the step cannot be undone yet, as during a drag.
function edit(cuts, selected, before = null) {
  if (before && !sameCuts(before, cuts)) editing.past.push(before);
  Object.assign(editing, { cuts, selected });
  state.cuts = sameCuts(cuts, editing.original) ? null : cuts;
  if (before) writeAddress();
  drawEditor();
  showEdited();
}

function undo() {
  if (!editing.past.length) return;
  edit(editing.past.pop(), null);
  writeAddress();
}

function moveCut(index, place, before = null) {
  const { run, cuts } = editing, step = run.whole ? 1 : run.length * 1e-6;
  const low = (index ? cuts[index - 1] : 0) + step, high = (index + 1 < cuts.length ? cuts[index + 1] : run.length) - step;
  const to = Math.min(high, Math.max(low, run.whole ? Math.round(place) : place));
  edit(cuts.map((cut, k) => (k === index ? to : cut)), index, before);
}

function addCut(place) {
  const { run, cuts } = editing, to = run.whole ? Math.round(place) : place;
  if (to <= 0 || to >= run.length || cuts.includes(to)) return;
  const next = [...cuts, to].sort((a, b) => a - b);
  edit(next, next.indexOf(to), cuts);
}

function removeCut(index) {
  if (index === null) return;
  const { cuts } = editing;
  edit(cuts.filter((_, k) => k !== index), null, cuts);
}

// A new cut by the keyboard goes into the middle of the longest segment.
function addInLongest() {
  const ends = [0, ...editing.cuts, editing.run.length];
  let best = 0;
  for (let k = 0; k + 1 < ends.length; ++k) if (ends[k + 1] - ends[k] > ends[best + 1] - ends[best]) best = k;
  addCut((ends[best] + ends[best + 1]) / 2);
  focusSelected();
}

function focusSelected() {
  $("editor").querySelector(".handle.selected")?.focus({ preventScroll: true });
}

function drawEditor() {
  const { run, cuts, original, selected } = editing, truth = truthCuts(), scale = scaleFor($("editor"), run, ["original"]);
  const high = run.signal ? 110 : 64, height = high + 66, inside = Boolean(document.activeElement?.closest("#editor"));
  let svg = $("editor").querySelector("svg");
  if (!svg) {
    svg = drawn("svg", { role: "group" });
    $("editor").replaceChildren(svg);
    listen(svg);
  }
  for (const [key, to] of Object.entries({ width: scale.room, height, viewBox: `0 0 ${scale.room} ${height}` })) svg.setAttribute(key, to);
  svg.setAttribute("aria-label", `Cuts of ${state.method} on ${run.name}: ${cuts.length} cuts; true cuts are dashed lines`);
  const parts = [drawn("rect", { class: "track", x: scale.left, y: 4, width: scale.right - scale.left, height: high })], add = { append: (...each) => parts.push(...each) };
  drawSignal(add, run, scale, 12, high - 16);
  for (const part of parts.slice(1)) part.setAttribute("pointer-events", "none");
  for (const cut of truth.filter(scale.sees)) add.append(drawn("line", { class: "cutline", x1: scale.at(cut), x2: scale.at(cut), y1: 4, y2: high + 4, "pointer-events": "none" }));
  add.append(drawn("text", { x: scale.left - 8, y: 4 + high / 2 + 4, "text-anchor": "end" }, "edited"), drawn("text", { class: "soft", x: scale.left - 8, y: high + 20, "text-anchor": "end" }, "original"));
  for (const cut of original.filter(scale.sees)) add.append(drawn("line", { class: "origin", x1: scale.at(cut), x2: scale.at(cut), y1: high + 8, y2: high + 22 }));
  const found = matchOf(truth, cuts, run), hits = new Set(found.matched), visible = cuts.map((cut, k) => [cut, k]).filter(([cut]) => scale.sees(cut));
  for (const [cut, k] of visible.length > HANDLES ? [] : visible) {
    const kind = hits.has(cut) ? "matched" : "false", x = scale.at(cut);
    const handle = drawn("g", { class: `handle${k === selected ? " selected" : ""}`, tabindex: 0, role: "slider", "data-index": k, "aria-label": `Predicted cut ${k + 1} of ${cuts.length}`,
      "aria-valuemin": 0, "aria-valuemax": run.length, "aria-valuenow": cut, "aria-valuetext": `${placeText(run, cut)}, ${kind === "matched" ? "matched" : "no true cut within the margin"}`, "aria-orientation": "horizontal" });
    handle.append(drawn("rect", { class: "hit", x: x - 12, y: 0, width: 24, height: high + 8 }), drawn("line", { class: kind, x1: x, x2: x, y1: 4, y2: high + 4 }),
      drawn("circle", { class: "ring", cx: x, cy: high / 2 + 4, r: 10 }), SHAPES[kind](x, high / 2 + 4));
    add.append(handle);
  }
  if (visible.length > HANDLES) add.append(drawn("text", { x: scale.left + 12, y: 24 }, `There are ${visible.length.toLocaleString("en")} cuts here. Zoom in to edit them.`));
  svg.replaceChildren(...parts);
  drawAxis(svg, run, scale, high + 30);
  if (inside && selected !== null) focusSelected();
  $("remove").disabled = selected === null;
  $("undo").disabled = !editing.past.length;
  $("restore").disabled = sameCuts(cuts, original);
}

function listen(svg) {
  const place = (event) => scaleFor($("editor"), editing.run, ["original"]).back(event.clientX - svg.getBoundingClientRect().left);
  // The hit areas of neighbours overlap, so the nearest cut within reach is meant.
  const nearest = (event) => {
    const { at, sees } = scaleFor($("editor"), editing.run, ["original"]), x = event.clientX - svg.getBoundingClientRect().left;
    let best = null, reach = 14;
    if ($("editor").querySelector(".handle")) editing.cuts.forEach((cut, k) => { const far = Math.abs(at(cut) - x); if (sees(cut) && far < reach) [best, reach] = [k, far]; });
    return best;
  };
  svg.onpointerdown = (event) => {
    if (event.button > 0 || !event.target.closest(".handle, .track")) return;
    const index = nearest(event);
    if (index === null) {
      const x = event.clientX;
      svg.onpointerup = (e) => { svg.onpointerup = null; if (Math.abs(e.clientX - x) < 6) { addCut(place(e)); focusSelected(); } };
      return;
    }
    event.preventDefault();
    const before = editing.cuts, off = place(event) - before[index];
    svg.setPointerCapture(event.pointerId);
    editing.selected = index;
    drawEditor();
    focusSelected();
    let waiting = null;
    svg.onpointermove = (e) => {
      const to = place(e) - off;
      waiting ??= requestAnimationFrame(() => { waiting = null; moveCut(index, to); });
    };
    svg.onpointerup = svg.onpointercancel = (e) => {
      svg.onpointermove = svg.onpointerup = svg.onpointercancel = null;
      if (waiting !== null) cancelAnimationFrame(waiting);
      if (Math.abs(place(e) - off - before[index]) >= stepOf(editing.run) / 2 || editing.cuts !== before) moveCut(index, place(e) - off, before);
    };
  };
  svg.addEventListener("focusin", (event) => {
    const handle = event.target.closest(".handle");
    if (handle && Number(handle.dataset.index) !== editing.selected) { editing.selected = Number(handle.dataset.index); drawEditor(); focusSelected(); }
  });
  svg.onkeydown = (event) => {
    const handle = event.target.closest(".handle");
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z") { event.preventDefault(); undo(); return; }
    if (!handle) return;
    const index = Number(handle.dataset.index), step = stepOf(editing.run) * (event.shiftKey ? 10 : 1), { cuts } = editing;
    const to = { ArrowLeft: cuts[index] - step, ArrowDown: cuts[index] - step, ArrowRight: cuts[index] + step, ArrowUp: cuts[index] + step, PageDown: cuts[index] - 10 * step, PageUp: cuts[index] + 10 * step }[event.key];
    if (to !== undefined) moveCut(index, to, cuts);
    else if (event.key === "Delete" || event.key === "Backspace") { removeCut(index); $("editor").querySelector(`.handle[data-index="${Math.min(index, editing.cuts.length - 1)}"]`)?.focus(); }
    else return;
    event.preventDefault();
    if (to !== undefined) focusSelected();
  };
}

// The scores of the prediction and of the edited cuts, beside each other.
function scoreTable(table, entries) {
  const { run, original, cuts } = editing, wanted = entries.map(([, entry]) => entry), changed = !sameCuts(original, cuts);
  const [before, after] = [original, cuts].map((side) => core.scores(truthCuts(), side, extent(run), wanted));
  fillTable(table, ["Score", "Prediction", "Edited", "Change"], entries.map(([label, , rising], k) => {
    const change = after[k] - before[k];
    const shownChange = !changed ? "" : Number.isNaN(change) ? "–" : change === 0 ? "0" : Number.isFinite(change) ? signed(change) : change > 0 ? "+∞" : "−∞";
    const good = rising === null || !changed || !(Math.abs(change) > 0) ? "" : (change > 0) === rising ? "better" : "worse";
    return [label, number(before[k]), changed ? node("b", number(after[k])) : number(after[k]), node("span", shownChange && good ? `${shownChange} ${good}` : shownChange, good ? { class: good } : {})];
  }));
}

const CELLS = 3000;
const asPython = () => {
  const { run, cuts } = editing, names = data.metrics.filter((metric) => metric.entry).map((metric) => metric.name);
  return `import segscore as ss\n\ntruth = [${truthCuts().join(", ")}]\npred = [${cuts.join(", ")}]\n`
    + `scores = ss.compare(truth, pred, ${run.whole ? "n" : "duration"}=${run.length}, margin=${marginOf()},\n    metrics=${JSON.stringify(names)})\nprint(scores)\nprint(ss.explain(truth, pred, ${run.whole ? "n" : "duration"}=${run.length}))\n`;
};

let staircaseOf = null;  // the size for which the staircase was drawn
async function showEdited() {
  const { run, cuts } = editing, truth = truthCuts(), margin = marginOf();
  const own = data.metrics.filter((metric) => metric.entry && inCore(run, metric.entry.name)), listed = new Set(own.filter((metric) => Object.keys(metric.entry).length === 1).map((metric) => metric.entry.name));
  scoreTable($("changed"), own.map((metric) => [metric.label, metric.margin ? { ...metric.entry, margin } : metric.entry, metric.rising]));
  if ($("all-changed").open) {
    const rest = core.metrics.filter((name) => inCore(run, name) && !listed.has(name));
    scoreTable($("all-changed").querySelector("table"), rest.map((name) => [capital(name.replaceAll("_", " ")), { name, margin }, null]));
  }
  $("code").querySelector("pre").textContent = asPython();
  const rows = core.explain(truth, cuts, extent(run));
  const places = (where) => (run.whole ? where.replace("->", "→") : where.split(" -> ").map((place) => placeText(run, Number(place))).join(" → "));
  fillTable($("blame"), ["Change to the cuts", "Cut", "Rand index"], rows.slice(0, 12).map(([what, where, change]) => [capital(what), places(where), signed(change)]));
  $("cuts-alone").hidden = labelsOf(run).length === 0;
  const found = core.cells(truth, cuts, extent(run)), size = (cell) => (cell.end - cell.start) * Math.abs(cell.truth - cell.prediction);
  const pairs = run.whole ? run.length * (run.length - 1) / 2 : run.length ** 2 / 2, area = found.reduce((total, cell) => total + size(cell), 0), [index] = core.scores(truth, cuts, extent(run), ["rand_index"]);
  $("area").textContent = `${state.method}${state.cuts ? ", as edited," : ""} and ${run.truths[state.truth].name} disagree on ${run.whole ? `${area.toLocaleString("en")} of ${pairs.toLocaleString("en")}` : `${number(100 * area / pairs, 2)} % of the`} pairs of points: Rand index ${number(index)}.`
    + (found.length > CELLS ? ` Only the ${CELLS.toLocaleString("en")} cells with the largest disagreement are drawn.` : "");
  const cells = found.length > CELLS ? [...found].sort((x, y) => size(y) - size(x)).slice(0, CELLS) : found, key = `${run.name} ${innerWidth}`;
  if (staircaseOf === key && views["staircase-chart"]) { views["staircase-chart"].data("cells", cells).run(); quieten($("staircase-chart")); return; }
  if (staircaseOf === `${key} soon`) return;
  staircaseOf = `${key} soon`;
  await draw("staircase-chart", "staircase", { cells }, { most: 700 }, `Staircases of truth and prediction. ${$("area").textContent}`);
  staircaseOf = key;
}

async function copyCode() {
  const text = asPython();
  let done = true;
  try { await navigator.clipboard.writeText(text); } catch {
    $("code").open = true;
    getSelection().selectAllChildren($("code").querySelector("pre"));
    done = document.execCommand("copy");
  }
  $("copied").textContent = done ? "Copied." : "The code is selected below; copy it with the keyboard.";
  setTimeout(() => { $("copied").textContent = ""; }, 4000);
}
