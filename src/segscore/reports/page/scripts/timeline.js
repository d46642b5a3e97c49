// The timeline of one series: the signal with the true cuts, and each method's matched, missed and false cuts.

const ROW = 26;
const SIGNAL = 130;
const FINEST = 1.5; // pixels; marks of one kind that are closer than the finest are drawn once
const zoom = { low: 0, high: 1, of: null };

const marginOf = () => state.margin;
function matchOf(truth, pred, run) {
  const pairs = core.match(truth, pred, extent(run), marginOf());
  const t = new Set(pairs.map((pair) => pair[0]));
  const p = new Set(pairs.map((pair) => pair[1]));
  return {
    pairs,
    matched: pred.filter((_, k) => p.has(k)),
    missed: truth.filter((_, k) => !t.has(k)),
    false: pred.filter((_, k) => !p.has(k)),
  };
}

// The horizontal scale that the timeline and the editor share, in the unit of the series.
function scaleFor(labels) {
  const room = Math.max(
    260,
    document.querySelector("main").clientWidth -
      2 * Number.parseFloat(getComputedStyle(document.querySelector("main")).paddingLeft),
  );
  const left = labels.length
    ? Math.min(room < 560 ? 96 : 200, 16 + 7 * Math.max(...labels.map((text) => text.length)))
    : 16;
  const right = room - 16;
  const { low, high } = zoom;
  const at = (place) => left + ((place - low) / (high - low)) * (right - left);
  return {
    room,
    left,
    right,
    at,
    back: (x) => low + ((x - left) / (right - left)) * (high - low),
    sees: (cut) => cut >= low && cut <= high,
  };
}

// Times have as many decimals as the part of the series that is seen can tell apart.
const decimals = () => Math.min(12, Math.max(0, 5 - Math.floor(Math.log10(zoom.high - zoom.low))));
const placeText = (run, place) =>
  (data.time ? timeText(run, place) : run.whole ? Math.round(place) : place).toLocaleString("en", {
    maximumFractionDigits: decimals(),
  });

// Times of a series that lasts less than a second are shown as the time since its start.
const hasDates = (run) => data.time && run.length * data.time.step >= 1000;
const dateAt = (run, place) => new Date(run.origin + place * data.time.step).toISOString().replace("T", " ");
function timeText(run, place) {
  if (!hasDates(run)) return `+${lengthText(place)}`;
  const text = dateAt(run, Math.round(place));
  const wide = (zoom.high - zoom.low) * data.time.step;
  return wide < 6e4 || !text.endsWith(".000Z")
    ? text.slice(0, 23)
    : text.endsWith(":00.000Z")
      ? text.slice(0, 16)
      : text.slice(0, 19);
}

const TICKS = [
  1,
  2,
  5,
  10,
  20,
  50,
  100,
  200,
  500,
  ...[1, 2, 5, 10, 15, 30].map((x) => x * 1e3),
  ...[1, 2, 5, 10, 15, 30].map((x) => x * 6e4),
  ...[1, 2, 3, 6, 12].map((x) => x * 36e5),
  ...[1, 2, 4, 7, 14, 30, 91, 182, 365, 730, 1826, 3652].map((x) => x * 864e5),
];
function timeTicks(run, { left, right }) {
  const { low, high } = zoom;
  const { step } = data.time;
  const rough = ((high - low) * step) / Math.max(2, Math.floor((right - left) / 90));
  const size = TICKS.find((x) => x >= rough) ?? TICKS.at(-1);
  const found = [];
  for (let at = Math.ceil((run.origin + low * step) / size) * size; at <= run.origin + high * step; at += size) {
    const text = new Date(at).toISOString();
    found.push([
      (at - run.origin) / step,
      at % 864e5 === 0
        ? text.slice(0, 10)
        : size >= 6e4
          ? text.slice(11, 16)
          : size >= 1e3
            ? text.slice(11, 19)
            : `${text.slice(17, 23)} s`,
    ]);
  }
  return found;
}
const labelledTicks = (run, scale) =>
  hasDates(run) ? timeTicks(run, scale) : ticksOf(run, scale).map((place) => [place, placeText(run, place)]);
const axisText = (run) =>
  hasDates(run) ? (data.time.utc ? "UTC" : "time") : data.time ? "since start" : run.whole ? "point" : data.unit;

function ticksOf(run, { left, right }) {
  const { low, high } = zoom;
  const rough = (high - low) / Math.max(2, Math.floor((right - left) / 90));
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max([1, 2, 5, 10].find((x) => x * power >= rough) * power, run.whole ? 1 : 0);
  const found = [];
  for (let place = Math.ceil(low / step) * step; place <= high + step * 1e-9; place += step)
    found.push(Math.abs(place) < step * 1e-9 ? 0 : place);
  return found;
}

function drawAxis(svg, run, scale, y) {
  svg.append(drawn("line", { class: "axis", x1: scale.left, x2: scale.right, y1: y, y2: y }));
  for (const [place, text] of labelledTicks(run, scale)) {
    const x = scale.at(place);
    const half = 3.5 * text.length;
    const anchor = x - half < scale.left - 4 ? "start" : x + half > scale.room ? "end" : "middle"; // within the axis
    svg.append(
      drawn("line", { class: "axis", x1: x, x2: x, y1: y, y2: y + 5 }),
      drawn("text", { class: "soft", x, y: y + 18, "text-anchor": text.length > 5 ? anchor : "middle" }, text),
    );
  }
  svg.append(drawn("text", { class: "soft", x: scale.left - 8, y: y + 18, "text-anchor": "end" }, axisText(run)));
}

const SHAPES = {
  true: (x, y) => drawn("line", { class: "true", x1: x, x2: x, y1: y - 9, y2: y + 9, "stroke-width": 2 }),
  matched: (x, y) => drawn("circle", { class: "matched", cx: x, cy: y, r: 4.5 }),
  missed: (x, y) => drawn("path", { class: "missed", d: `M${x},${y - 6}L${x + 5},${y}L${x},${y + 6}L${x - 5},${y}Z` }),
  false: (x, y) =>
    drawn("path", {
      class: "false",
      d: `M${x - 4.5},${y - 4.5}L${x + 4.5},${y + 4.5}M${x - 4.5},${y + 4.5}L${x + 4.5},${y - 4.5}`,
    }),
};

// The cuts that are seen, in groups that are drawn as one mark: a place, the first and the last cut, and their number.
function marksOf(cuts, scale) {
  const marks = [];
  for (const cut of cuts) {
    if (!scale.sees(cut)) continue;
    const x = scale.at(cut);
    const last = marks.at(-1);
    if (last && x - last.x < FINEST) {
      last.to = cut;
      ++last.count;
    } else marks.push({ x, from: cut, to: cut, count: 1 });
  }
  return marks;
}

// Vertical lines at cuts.
function drawLines(svg, cuts, scale, attributes) {
  for (const { x } of marksOf(cuts, scale)) svg.append(drawn("line", { ...attributes, x1: x, x2: x }));
}

// Marks of one kind on one line. The tip of a mark says how many cuts it stands for.
function drawMarks(svg, run, scale, cuts, kind, y, name) {
  for (const { x, from, to, count } of marksOf(cuts, scale)) {
    const mark = SHAPES[kind](Math.round(x * 100) / 100, y);
    const places =
      count > 1
        ? `${count} ${kind} cuts, ${placeText(run, from)} to ${placeText(run, to)}`
        : `${kind} cut ${placeText(run, from)}`;
    mark.dataset.kind = kind;
    mark.dataset.cut = from;
    mark.append(drawn("title", {}, `${name}: ${places}`));
    svg.append(mark);
  }
}

// Segments with labels are bands of colour behind the cuts of their line; a label has one colour in all lines.
const LABELS = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#999999"];
const labelsOf = (run) => [
  ...new Set([...run.truths.map((side) => side.labels), ...run.labels.flat()].flatMap((labels) => labels ?? [])),
];
function drawLabels(svg, run, scale, { cuts, labels }, y) {
  if (!labels) return;
  const ends = [0, ...cuts, run.length];
  const numbers = new Map(labelsOf(run).map((label, k) => [label, k]));
  let last = -Infinity;
  labels.forEach((label, k) => {
    const a = Math.max(scale.left, scale.at(ends[k]));
    const b = Math.min(scale.right, scale.at(ends[k + 1]));
    if (b <= a || b - last < FINEST / 4) return;
    last = b;
    const band = drawn("rect", {
      x: a,
      y: y - 8,
      width: b - a,
      height: 16,
      fill: LABELS[numbers.get(label) % LABELS.length],
      opacity: 0.35,
    });
    band.append(drawn("title", {}, String(label)));
    svg.append(band);
    if (b - a > 7 * String(label).length + 22)
      svg.append(drawn("text", { class: "label", x: a + 10, y: y + 4, "pointer-events": "none" }, String(label)));
  });
}

function drawSignal(svg, run, scale, top, height) {
  if (!run.signal) return;
  const [places, values] = run.signal;
  const known = values.filter(Number.isFinite);
  const low = Math.min(...known);
  const high = Math.max(...known);
  const y = (x) => top + height - (high > low ? (x - low) / (high - low) : 0.5) * height;
  let path = "";
  let open = false;
  places.forEach((place, k) => {
    const near =
      place >= zoom.low - (zoom.high - zoom.low) * 0.02 && place <= zoom.high + (zoom.high - zoom.low) * 0.02;
    if (!near || !Number.isFinite(values[k])) {
      open = false;
      return;
    }
    const x = Math.min(scale.right, Math.max(scale.left, scale.at(place)));
    path += `${open ? "L" : "M"}${x.toFixed(1)},${y(values[k]).toFixed(1)}`;
    open = true;
  });
  svg.append(drawn("path", { class: "signal", d: path }));
  for (const [text, at] of [
    [short(high), top + 10],
    [short(low), top + height],
  ])
    svg.append(drawn("text", { class: "soft", x: scale.left - 8, y: at, "text-anchor": "end" }, text));
}

const brief = (text, room) =>
  text.length * 7 > room ? `${text.slice(0, Math.max(3, Math.floor(room / 7) - 1))}…` : text;

function drawTimeline(run, methods) {
  const truth = run.truths[state.truth];
  const lines = [...run.truths.map((side) => side.name), ...methods.map((m) => data.methods[m])].map(visible);
  const scale = scaleFor([...lines, axisText(run)]);
  const top = run.signal ? SIGNAL + 16 : 8;
  const height = top + ROW * lines.length + 60;
  const summaries = [];
  const svg = drawn("svg", { width: scale.room, height, viewBox: `0 0 ${scale.room} ${height}`, role: "img" });
  if (run.signal) {
    drawLines(svg, truth.cuts, scale, { class: "cutline", y1: 4, y2: SIGNAL + 8 });
    drawSignal(svg, run, scale, 8, SIGNAL - 8);
  }
  const label = (text, y, attributes = {}) => {
    const bold = attributes["font-weight"] === 600 || attributes.class?.includes("edited"); // bold letters are wider
    const made = drawn(
      "text",
      { x: scale.left - 8, y: y + 4, "text-anchor": "end", ...attributes },
      brief(visible(text), (scale.left - 12) * (bold ? 0.87 : 1)),
    );
    made.append(drawn("title", {}, text));
    svg.append(made);
    return made;
  };
  run.truths.forEach((side, k) => {
    const y = top + ROW * k + ROW / 2;
    if (!side.labels) svg.append(drawn("line", { class: "rail", x1: scale.left, x2: scale.right, y1: y, y2: y }));
    drawLabels(svg, run, scale, side, y);
    drawMarks(svg, run, scale, side.cuts, "true", y, side.name);
    label(side.name, y, { "font-weight": k === state.truth ? 600 : 400 });
  });
  methods.forEach((m, k) => {
    const y = top + ROW * (run.truths.length + k) + ROW / 2;
    const pred = run.rows[m][0] ?? null;
    const name = data.methods[m];
    const made = label(name, y, { class: `name${name === state.method ? " edited" : ""}` });
    made.onclick = () => choose({ method: name, edited: null }).then(() => bringUp("what-if-title"));
    if (pred === null) {
      const why = run.rows[m].length ? `failed: ${run.errors[m] ?? "no prediction"}` : "not run";
      svg.append(drawn("line", { class: "failed-row", x1: scale.left, x2: scale.right, y1: y, y2: y }));
      const room = scale.right - scale.left;
      const back = drawn("rect", {
        x: scale.left + 8,
        y: y - 9,
        width: Math.min(room - 8, brief(why, room - 24).length * 6.6 + 8),
        height: 18,
        style: "fill:var(--ground)",
      });
      svg.append(back, drawn("text", { class: "failed-text", x: scale.left + 12, y: y + 4 }, brief(why, room - 24)));
      summaries.push(`${name} ${why}`);
      return;
    }
    if (!run.labels[m][0]) svg.append(drawn("line", { class: "rail", x1: scale.left, x2: scale.right, y1: y, y2: y }));
    drawLabels(svg, run, scale, { cuts: pred, labels: run.labels[m][0] }, y);
    const found = matchOf(truth.cuts, pred, run);
    for (const kind of ["missed", "matched", "false"]) drawMarks(svg, run, scale, found[kind], kind, y, name);
    summaries.push(
      `${name}: ${found.matched.length} matched, ${found.missed.length} missed, ${found.false.length} false`,
    );
  });
  const base = top + ROW * lines.length + 6;
  drawAxis(svg, run, scale, base);
  drawStrip(svg, run, scale, base + 28);
  svg.setAttribute(
    "aria-label",
    `Timeline of ${run.name}: ${many(truth.cuts.length, "true cut")}. ${summaries.join(". ")}.`,
  );
  $("timeline").replaceChildren(svg);
  $("timeline").dataset.drawn = String(Number($("timeline").dataset.drawn ?? 0) + 1);
}

// The strip below the axis shows which part of the series is seen. Dragging in it chooses another part.
function drawStrip(svg, run, scale, y) {
  const width = scale.right - scale.left;
  const x = (place) => scale.left + (place / run.length) * width;
  const group = drawn("g", { "data-control": "zoom", style: "cursor:crosshair" });
  const seen = drawn("rect", {
    class: "window",
    x: x(zoom.low),
    y,
    width: Math.max(2, x(zoom.high) - x(zoom.low)),
    height: 14,
    rx: 3,
  });
  group.append(drawn("rect", { class: "strip", x: scale.left, y, width, height: 14, rx: 3 }), seen);
  group.onpointerdown = (event) => {
    const box = svg.getBoundingClientRect();
    const place = (e) => Math.min(run.length, Math.max(0, ((e.clientX - box.left - scale.left) / width) * run.length));
    const start = place(event);
    group.setPointerCapture(event.pointerId);
    group.onpointermove = (e) => {
      const [a, b] = [Math.min(start, place(e)), Math.max(start, place(e))];
      seen.setAttribute("x", x(a));
      seen.setAttribute("width", Math.max(2, x(b) - x(a)));
    };
    group.onpointerup = group.onpointercancel = (e) => {
      group.onpointermove = group.onpointerup = group.onpointercancel = null;
      if (e.type === "pointercancel") {
        zoomTo(run, zoom.low, zoom.high);
        return;
      }
      const [a, b] = [Math.min(start, place(e)), Math.max(start, place(e))];
      if (x(b) - x(a) < 2) zoomTo(run, 0, run.length);
      else zoomTo(run, a, b);
    };
  };
  svg.append(group);
}

function zoomTo(run, low, high) {
  const least = run.whole ? Math.min(run.length, 4) : run.length / 1e6;
  const width = Math.min(run.length, Math.max(least, high - low));
  zoom.low = Math.min(Math.max(0, low), run.length - width);
  zoom.high = zoom.low + width;
  redrawSeries();
}
