// What if: the cuts of one method can be moved, added and removed, and everything that depends on them follows.

const HANDLES = 400; // most cuts that can be edited at once; zoom in for more
// A side is {cuts, labels}, with one label per segment, or null for segments without labels.
const editing = { run: null, original: null, now: null, past: [], selected: null };

const sameList = (a, b) => a === b || (a?.length === b?.length && a.every((each, k) => each === b[k]));
const sameSide = (a, b) => sameList(a.cuts, b.cuts) && sameList(a.labels, b.labels);
const stepOf = (run) => (data.time ? Math.max(1, Math.round(run.length / 1000)) : run.whole ? 1 : run.length / 1000);
const truthSide = () => editing.run.truths[state.truth];

// The edited side that the address holds, or null. Labels are in the address as numbers, in the order of labelsOf.
function sideOfAddress(run, original) {
  const { cuts, labels } = state.edited ?? {};
  if (
    !cuts?.every((cut, k) => cut > (k ? cuts[k - 1] : 0) && cut < run.length && (!run.whole || Number.isInteger(cut)))
  )
    return null;
  if (!original.labels) return { cuts, labels: null };
  const names = labelsOf(run);
  const found = labels?.map((k) => names[k]);
  return found?.length === cuts.length + 1 && !found.includes(undefined) ? { cuts, labels: found } : null;
}

function startEditing(run, original) {
  const asked = sideOfAddress(run, original);
  if (!asked) state.edited = null;
  const keep = editing.run?.name === run.name && sameSide(editing.original, original) ? editing.past : [];
  Object.assign(editing, { run, original, now: asked ?? original, past: keep, selected: null });
}

// Takes a new side. `before` is the side to come back to; without it the step cannot be undone yet, as during a drag.
function edit(now, selected, before = null) {
  if (before && !sameSide(before, now)) editing.past.push(before);
  Object.assign(editing, { now, selected });
  const names = labelsOf(editing.run);
  state.edited = sameSide(now, editing.original)
    ? null
    : { cuts: now.cuts, labels: now.labels?.map((label) => names.indexOf(label)) ?? null };
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
  const {
    run,
    now: { cuts, labels },
  } = editing;
  const step = run.whole ? 1 : run.length * 1e-6;
  const low = (index ? cuts[index - 1] : 0) + step;
  const high = (index + 1 < cuts.length ? cuts[index + 1] : run.length) - step;
  const to = Math.min(high, Math.max(low, run.whole ? Math.round(place) : place));
  edit({ cuts: cuts.map((cut, k) => (k === index ? to : cut)), labels }, index, before);
}

// Both halves of a segment keep its label.
function addCut(place) {
  const { run, now } = editing;
  const { cuts, labels } = now;
  const to = run.whole ? Math.round(place) : place;
  if (to <= 0 || to >= run.length || cuts.includes(to)) return;
  const next = [...cuts, to].sort((a, b) => a - b);
  const index = next.indexOf(to);
  edit({ cuts: next, labels: labels?.toSpliced(index, 0, labels[index]) ?? null }, index, now);
}

// Without a cut, the segment before it goes on.
function removeCut(index) {
  if (index === null) return;
  const { now } = editing;
  edit({ cuts: now.cuts.toSpliced(index, 1), labels: now.labels?.toSpliced(index + 1, 1) ?? null }, null, now);
}

// A new cut by the keyboard goes into the middle of the longest segment.
function addInLongest() {
  const ends = [0, ...editing.now.cuts, editing.run.length];
  let best = 0;
  for (let k = 0; k + 1 < ends.length; ++k) if (ends[k + 1] - ends[k] > ends[best + 1] - ends[best]) best = k;
  addCut((ends[best] + ends[best + 1]) / 2);
  focusSelected();
}

function focusSelected() {
  $("editor").querySelector(".handle.selected")?.focus({ preventScroll: true });
}

function drawEditor() {
  const { run, now, original, selected } = editing;
  const { cuts } = now;
  const truth = truthSide().cuts;
  const scale = scaleFor(["original"]);
  const high = run.signal ? 110 : 64;
  const height = high + 66;
  const inside = Boolean(document.activeElement?.closest("#editor"));
  let svg = $("editor").querySelector("svg");
  if (!svg) {
    svg = drawn("svg", { role: "group" });
    $("editor").replaceChildren(svg);
    listen(svg);
  }
  for (const [key, to] of Object.entries({ width: scale.room, height, viewBox: `0 0 ${scale.room} ${height}` }))
    svg.setAttribute(key, to);
  svg.setAttribute(
    "aria-label",
    `Cuts of ${state.method} on ${run.name}: ${many(cuts.length, "cut")}; true cuts are dashed lines`,
  );
  const parts = [drawn("rect", { class: "track", x: scale.left, y: 4, width: scale.right - scale.left, height: high })];
  const add = { append: (...each) => parts.push(...each) };
  drawSignal(add, run, scale, 12, high - 16);
  drawLabels(add, run, scale, now, high - 8);
  for (const part of parts.slice(1)) part.setAttribute("pointer-events", "none");
  drawLines(add, truth, scale, { class: "cutline", y1: 4, y2: high + 4, "pointer-events": "none" });
  add.append(
    drawn("text", { x: scale.left - 8, y: 4 + high / 2 + 4, "text-anchor": "end" }, "edited"),
    drawn("text", { class: "soft", x: scale.left - 8, y: high + 20, "text-anchor": "end" }, "original"),
  );
  drawLabels(add, run, scale, original, high + 15);
  drawLines(add, original.cuts, scale, { class: "origin", y1: high + 8, y2: high + 22 });
  const found = matchOf(truth, cuts, run);
  const hits = new Set(found.matched);
  const visible = cuts.map((cut, k) => [cut, k]).filter(([cut]) => scale.sees(cut));
  for (const [cut, k] of visible.length > HANDLES ? [] : visible) {
    const kind = hits.has(cut) ? "matched" : "false";
    const x = scale.at(cut);
    const handle = drawn("g", {
      class: `handle${k === selected ? " selected" : ""}`,
      tabindex: 0,
      role: "slider",
      "data-index": k,
      "aria-label": `Predicted cut ${k + 1} of ${cuts.length}`,
      "aria-valuemin": 0,
      "aria-valuemax": run.length,
      "aria-valuenow": cut,
      "aria-valuetext": `${placeText(run, cut)}, ${kind === "matched" ? "matched" : "no true cut within the margin"}`,
      "aria-orientation": "horizontal",
    });
    handle.append(
      drawn("rect", { class: "hit", x: x - 12, y: 0, width: 24, height: high + 8 }),
      drawn("line", { class: kind, x1: x, x2: x, y1: 4, y2: high + 4 }),
      drawn("circle", { class: "ring", cx: x, cy: high / 2 + 4, r: 10 }),
      SHAPES[kind](x, high / 2 + 4),
    );
    add.append(handle);
  }
  if (visible.length > HANDLES)
    add.append(
      drawn(
        "text",
        { x: scale.left + 12, y: 24 },
        `There are ${visible.length.toLocaleString("en")} cuts here. Zoom in to edit them.`,
      ),
    );
  svg.replaceChildren(...parts);
  drawAxis(svg, run, scale, high + 30);
  if (inside && selected !== null) focusSelected();
  $("remove").disabled = selected === null;
  $("undo").disabled = !editing.past.length;
  $("restore").disabled = sameSide(now, original);
}

function listen(svg) {
  const place = (event) => scaleFor(["original"]).back(event.clientX - svg.getBoundingClientRect().left);
  // The hit areas of neighbours overlap, so the nearest cut within reach is meant.
  const nearest = (event) => {
    const { at, sees } = scaleFor(["original"]);
    const x = event.clientX - svg.getBoundingClientRect().left;
    let best = null;
    let reach = 14;
    if ($("editor").querySelector(".handle"))
      editing.now.cuts.forEach((cut, k) => {
        const far = Math.abs(at(cut) - x);
        if (sees(cut) && far < reach) [best, reach] = [k, far];
      });
    return best;
  };
  svg.onpointerdown = (event) => {
    svg.onpointerup = null; // of a press that ended elsewhere
    if (event.button > 0 || !event.target.closest(".handle, .track")) return;
    const index = nearest(event);
    if (index === null) {
      const x = event.clientX;
      svg.onpointerup = (e) => {
        svg.onpointerup = null;
        if (Math.abs(e.clientX - x) < 6) {
          addCut(place(e));
          focusSelected();
        }
      };
      return;
    }
    event.preventDefault();
    const before = editing.now;
    const from = before.cuts[index];
    const off = place(event) - from;
    let to = from;
    let waiting = null;
    svg.setPointerCapture(event.pointerId);
    editing.selected = index;
    drawEditor();
    focusSelected();
    svg.onpointermove = (e) => {
      to = place(e) - off;
      waiting ??= requestAnimationFrame(() => {
        waiting = null;
        moveCut(index, to);
      });
    };
    svg.onpointerup = svg.onpointercancel = (e) => {
      svg.onpointermove = svg.onpointerup = svg.onpointercancel = null;
      if (waiting !== null) cancelAnimationFrame(waiting);
      if (e.type === "pointerup") to = place(e) - off; // a cancelled drag has no place
      if (Math.abs(to - from) >= stepOf(editing.run) / 2 || editing.now !== before) moveCut(index, to, before);
    };
  };
  svg.addEventListener("focusin", (event) => {
    const handle = event.target.closest(".handle");
    if (handle && Number(handle.dataset.index) !== editing.selected) {
      editing.selected = Number(handle.dataset.index);
      drawEditor();
      focusSelected();
    }
  });
  svg.onkeydown = (event) => {
    const handle = event.target.closest(".handle");
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z") {
      event.preventDefault();
      undo();
      return;
    }
    if (!handle) return;
    const index = Number(handle.dataset.index);
    const step = stepOf(editing.run) * (event.shiftKey ? 10 : 1);
    const { now } = editing;
    const { cuts } = now;
    const to = {
      ArrowLeft: cuts[index] - step,
      ArrowDown: cuts[index] - step,
      ArrowRight: cuts[index] + step,
      ArrowUp: cuts[index] + step,
      PageDown: cuts[index] - 10 * step,
      PageUp: cuts[index] + 10 * step,
    }[event.key];
    if (to !== undefined) moveCut(index, to, now);
    else if (event.key === "Delete" || event.key === "Backspace") {
      removeCut(index);
      $("editor")
        .querySelector(`.handle[data-index="${Math.min(index, editing.now.cuts.length - 1)}"]`)
        ?.focus();
    } else return;
    event.preventDefault();
    if (to !== undefined) focusSelected();
  };
}

// The scores of the prediction and of the edited cuts, beside each other.
function scoreTable(table, entries) {
  const { run, original, now } = editing;
  const wanted = entries.map(([, entry]) => entry);
  const changed = !sameSide(original, now);
  const [before, after] = [original, now].map((side) =>
    core.scores(truthSide(), side, extent(run), wanted).map((x, k) => inSeconds(wanted[k].name ?? wanted[k], x)),
  );
  fillTable(
    table,
    ["Score", "Prediction", "Edited", "Change"],
    entries.map(([label, , rising], k) => {
      const change = after[k] - before[k];
      const shownChange = !changed
        ? ""
        : Number.isNaN(change)
          ? "–"
          : change === 0
            ? "0"
            : Number.isFinite(change)
              ? signed(change)
              : change > 0
                ? "+∞"
                : "−∞";
      const good =
        rising === null || !changed || !(Math.abs(change) > 0) ? "" : change > 0 === rising ? "better" : "worse";
      return [
        label,
        number(before[k]),
        changed ? node("b", number(after[k])) : number(after[k]),
        node("span", shownChange && good ? `${shownChange} ${good}` : shownChange, good ? { class: good } : {}),
      ];
    }),
  );
}

const CELLS = 3000;
// A cell of the staircases with its ends as dates, which vega takes as milliseconds since 1970.
const dated = (run, cell) =>
  data.time
    ? {
        ...cell,
        ...Object.fromEntries(
          ["start", "end", "truth", "prediction"].map((key) => [key, run.origin + cell[key] * data.time.step]),
        ),
      }
    : cell;
const pythonOf = (label) => (typeof label === "boolean" ? (label ? "True" : "False") : JSON.stringify(label));
// Timestamps are exact: the start, and the units since the start.
const timesAsPython = () => {
  const { run, now } = editing;
  const { unit } = data.time;
  const names = data.metrics.filter((metric) => metric.entry).map((metric) => metric.short);
  const labelled = Boolean(truthSide().labels ?? now.labels);
  const bare = labelled ? ".without_labels()" : "";
  const side = ({ cuts, labels }) =>
    `ss.Segmentation.from_timestamps(start + np.array([${cuts.join(", ")}], "timedelta64[${unit}]"), start, end` +
    `${labels ? `, [${labels.map(pythonOf).join(", ")}]` : ""})`;
  return (
    `import numpy as np\nimport segscore as ss\n\nstart = np.datetime64("${run.start}", "${unit}")\n` +
    `end = start + np.timedelta64(${run.length}, "${unit}")\ntruth = ${side(truthSide())}\npred = ${side(now)}\n` +
    `margin = np.timedelta64(${marginOf()}, "${unit}")  # ${lengthText(marginOf())}\n` +
    (data.metrics.some((metric) => data.powers[metric.entry?.name])
      ? `# Distances count units of the timestamps (${unit}) here, and seconds in the report.\n`
      : "") +
    `scores = ss.compare(truth, pred, margin=margin,\n    metrics=${JSON.stringify(names)})\n` +
    `print(scores)\nprint(ss.explain(truth${bare}, pred${bare}))\n`
  );
};
const asPython = () => {
  if (data.time) return timesAsPython();
  const { run, now } = editing;
  const names = data.metrics
    .filter((metric) => metric.entry && inCore(run, metric.entry.name))
    .map((metric) => metric.short);
  const length = `${run.whole ? "n" : "duration"}=${run.length}`;
  const labelled = Boolean(truthSide().labels ?? now.labels);
  const list = (labels) => `[${labels.map(pythonOf).join(", ")}]`;
  const side = ({ cuts, labels }) =>
    labelled
      ? `ss.Segmentation([${cuts.join(", ")}], ${length}${labels ? `, labels=${list(labels)}` : ""})`
      : `[${cuts.join(", ")}]`;
  return (
    `import segscore as ss\n\ntruth = ${side(truthSide())}\npred = ${side(now)}\n` +
    `scores = ss.compare(truth, pred${labelled ? "" : `, ${length}`}, margin=${marginOf()},\n` +
    `    metrics=${JSON.stringify(names)})\nprint(scores)\n` +
    `print(ss.explain(${labelled ? "truth.without_labels(), pred.without_labels()" : `truth, pred, ${length}`}))\n`
  );
};

let staircaseOf = null; // the size for which the staircase was drawn
async function showEdited() {
  const {
    run,
    now: { cuts },
  } = editing;
  const truth = truthSide().cuts;
  const margin = marginOf();
  const own = data.metrics.filter((metric) => metric.entry && inCore(run, metric.entry.name));
  const listed = new Set(
    own.filter((metric) => Object.keys(metric.entry).length === 1).map((metric) => metric.entry.name),
  );
  scoreTable(
    $("changed"),
    own.map((metric) => [metric.label, metric.margin ? { ...metric.entry, margin } : metric.entry, metric.rising]),
  );
  if ($("all-changed").open) {
    const rest = core.metrics.filter((name) => inCore(run, name) && !listed.has(name));
    scoreTable(
      $("all-changed").querySelector("table"),
      rest.map((name) => [capital(name.replaceAll("_", " ")), { name, margin }, null]),
    );
  }
  $("code").querySelector("pre").textContent = asPython();
  const rows = core.explain(truth, cuts, extent(run));
  const places = (where) =>
    run.whole && !data.time
      ? where.replace("->", "→")
      : where
          .split(" -> ")
          .map((place) => placeText(run, Number(place)))
          .join(" → ");
  fillTable(
    $("blame"),
    ["Change to the cuts", "Cut", "Rand index"],
    rows
      .slice(0, 12)
      .map(([what, where, change]) => [
        capital(what),
        node("span", places(where), data.time ? { style: "white-space:normal" } : {}),
        signed(change),
      ]),
  );
  $("of-labels").hidden = labelsOf(run).length === 0;
  const found = core.cells(truth, cuts, extent(run));
  const size = (cell) => (cell.end - cell.start) * Math.abs(cell.truth - cell.prediction);
  const pairs = run.whole ? (run.length * (run.length - 1)) / 2 : run.length ** 2 / 2;
  const area = found.reduce((total, cell) => total + size(cell), 0);
  const [index] = core.scores(truth, cuts, extent(run), ["rand_index"]);
  const share =
    run.whole && !data.time
      ? `${area.toLocaleString("en")} of ${pairs.toLocaleString("en")}`
      : `${number((100 * area) / pairs, 2)} % of the`;
  tell(
    $("area"),
    `${named(state.method)}${state.edited ? ", as edited," : ""} and ${named(run.truths[state.truth].name)} disagree ` +
      `on ${share} pairs of points: Rand index${labelsOf(run).length ? " of the cuts" : ""} ${number(index)}.` +
      (found.length > CELLS
        ? ` Only the ${CELLS.toLocaleString("en")} cells with the largest disagreement are drawn.`
        : ""),
  );
  const cells = found.length > CELLS ? [...found].sort((x, y) => size(y) - size(x)).slice(0, CELLS) : found;
  const key = `${run.name} ${innerWidth}`;
  if (staircaseOf === key && views["staircase-chart"]) {
    views["staircase-chart"]
      .data(
        "cells",
        cells.map((cell) => dated(run, cell)),
      )
      .run();
    quieten($("staircase-chart"));
    return;
  }
  if (staircaseOf === `${key} soon`) return;
  staircaseOf = `${key} soon`;
  await draw(
    "staircase-chart",
    "staircase",
    { cells: cells.map((cell) => dated(run, cell)) },
    { most: 700 },
    `Staircases of truth and prediction. ${$("area").textContent}`,
  );
  staircaseOf = key;
}

async function copyCode() {
  const text = asPython();
  let done = true;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    $("code").open = true;
    getSelection().selectAllChildren($("code").querySelector("pre"));
    done = document.execCommand("copy");
  }
  $("copied").textContent = done ? "Copied." : "The code is selected below; copy it with the keyboard.";
  setTimeout(() => {
    $("copied").textContent = "";
  }, 4000);
}
