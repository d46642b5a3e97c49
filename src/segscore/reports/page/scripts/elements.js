// Elements of the page: nodes, numbers as text, tables, menus and files to save.

const $ = (id) => document.getElementById(id);

function node(tag, text, attributes = {}, ...children) {
  const made = document.createElement(tag);
  if (text !== undefined && text !== null) made.textContent = text;
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

function drawn(tag, attributes = {}, text = null) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (text !== null) made.textContent = text;
  return made;
}

// Infinite numbers are the texts "∞" and "-∞", because JSON has no infinity.
const value = (x) => (x === "∞" ? Infinity : x === "-∞" ? -Infinity : x);
const isNumber = (x) => typeof x === "number" && !Number.isNaN(x);

// Numbers have a minus sign rather than a hyphen.
const minus = (text) => text.replace(/-(?=[\d∞])/g, "−");

// A number with a fixed number of decimals, as the library prints it. Small numbers of logarithmic scales keep their
// digits.
function number(x, places = 4, log = false) {
  const known = value(x);
  if (!isNumber(known)) return "–";
  if (!Number.isFinite(known)) return known > 0 ? "∞" : "−∞";
  if (log && known !== 0 && Math.abs(known) < 1) return minus(known.toPrecision(places));
  return minus(Math.abs(known) < 1e6 ? known.toFixed(places) : known.toPrecision(4));
}
const short = (x) =>
  minus(
    x === 0 ? "0" : Math.abs(x) >= 1e5 || Math.abs(x) < 1e-3 ? x.toExponential(1) : String(Number(x.toPrecision(3))),
  );
// Lengths along a series: numbers of points or of seconds, or along timestamps the time that they count.
const SPANS = [
  ["d", 864e5],
  ["h", 36e5],
  ["min", 6e4],
  ["s", 1e3],
  ["ms", 1],
  ["µs", 1e-3],
  ["ns", 1e-6],
];
function lengthText(x) {
  if (!data.time) return short(x);
  const far = x * data.time.step;
  const [name, size] = SPANS.find(([, each]) => Math.abs(far) >= each) ?? (x ? SPANS.at(-1) : ["s", 1e3]);
  return `${Number((far / size).toPrecision(3))} ${name}`;
}
const marginText = (x) => `${lengthText(x)}${data.time ? "" : ` ${data.unit}`}`;
// A score that is a distance or a rate counts units of the timestamps in the core, and seconds everywhere else.
const inSeconds = (name, x) => (data.time && data.powers[name] ? x * data.time.seconds ** data.powers[name] : x);
const signed = (x, places = 4) =>
  (x < 0 ? "−" : "+") +
  (x !== 0 && Math.abs(x) < 0.5 * 10 ** -places ? minus(Math.abs(x).toExponential(2)) : Math.abs(x).toFixed(places));
const pValue = (p) => (p === null ? "–" : p < 1e-4 ? "< 0.0001" : p.toFixed(4));
const many = (count, what) => `${count.toLocaleString("en")} ${what}${count === 1 || what === "series" ? "" : "s"}`;
const capital = (text) => text.slice(0, 1).toUpperCase() + text.slice(1);

// A name that is empty could be neither seen nor clicked.
const visible = (text) => (String(text).trim() === "" ? "(no name)" : text);

// Names in sentences are between Unicode isolates, which become bold type: a name cannot turn the text around it.
const named = (name) => `\u2068${name}\u2069`;
function tell(place, text) {
  place.replaceChildren(
    ...text
      .split(/\u2068(.*?)\u2069/s)
      .map((part, k) => (k % 2 ? node("b", null, {}, node("bdi", visible(part))) : part)),
  );
}

// Texts of the library hold names as they are. A name that is written from right to left, or that has signs which turn
// text, gets isolates too.
const TURNING = /[\u0590-\u08ff\p{Bidi_Control}\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
let turningNames = null;
function isolated(text) {
  turningNames ??= [...data.methods, ...data.series, ...(data.filter?.parts ?? [])]
    .filter((name) => TURNING.test(name))
    .sort((a, b) => b.length - a.length);
  if (!turningNames.length) return text;
  return text.replace(
    new RegExp(turningNames.map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|"), "g"),
    named,
  );
}

// Names may break at "_", so that long ones fit.
function words(text) {
  return String(text)
    .split(/(?<=_)/)
    .flatMap((part, k) => (k ? [node("wbr"), part] : [part]));
}

// Fills a table with texts or nodes. The first cell of a row is its heading; `textual` columns are aligned to the left.
function fillTable(table, head, rows, textual = [0]) {
  const cell = (tag, content, k) => {
    const made = node(tag, null, textual.includes(k) ? { class: "text" } : {});
    made.append(...(content instanceof Node ? [content] : words(k === 0 ? visible(content) : content)));
    if (k === 0 && tag === "th" && visible(content) !== content) made.dataset.csv = content;
    if (tag === "td") made.dataset.label = typeof head[k] === "string" ? head[k] : head[k].textContent;
    return made;
  };
  const line = node("tr");
  head.forEach((name, k) => {
    const made = cell("th", name, k);
    made.scope = "col";
    line.append(made);
  });
  table.tHead.replaceChildren(line);
  table.tBodies[0].replaceChildren(
    ...rows.map((row) => {
      const made = node("tr");
      made.append(...row.map((content, k) => cell(k ? "td" : "th", content, k)));
      made.firstChild.scope = "row";
      return made;
    }),
  );
}

function fillMenu(menu, names, values = names) {
  menu.replaceChildren();
  names.forEach((name, k) => menu.append(node("option", visible(name), { value: values[k] }))); // too many for one call
}

function button(text, action, attributes = {}) {
  const made = node("button", visible(text), { type: "button", ...attributes });
  made.onclick = action;
  return made;
}

// Scrolls to what was asked for if it is below the upper half of the screen.
function bringUp(id) {
  if ($(id).getBoundingClientRect().top > innerHeight / 2) $(id).scrollIntoView();
}

function save(name, content, type) {
  const link = node("a", null, { href: URL.createObjectURL(new Blob([content], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

const quoted = (text) => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
const csv = (rows) => rows.map((row) => `${row.map((x) => quoted(String(x ?? ""))).join(",")}\n`).join("");
const plain = (text) =>
  text
    .replace(/−(?=[\d∞])/g, "-")
    .replace(/^–$/, "")
    .replace(/^(-?)∞$/, "$1inf");

// Saves what a table shows; cells that only draw something are left out.
function saveTable(table, name) {
  const rows = [...table.rows].map((row) =>
    [...row.cells]
      .filter((cell) => !cell.classList.contains("plot"))
      .map((cell) =>
        cell.matches("td:not(.text)") ? plain(cell.textContent.trim()) : (cell.dataset.csv ?? cell.textContent).trim(),
      ),
  );
  save(`${name}.csv`, csv(rows), "text/csv");
}

// Saves a drawing with its colours, which otherwise come from the style sheet of the page.
function savePicture(place, name) {
  const from = place.querySelector("svg");
  const copy = from.cloneNode(true);
  const of = from.querySelectorAll("*");
  copy.querySelectorAll("*").forEach((each, k) => {
    const style = getComputedStyle(of[k]);
    for (const key of [
      "fill",
      "stroke",
      "stroke-width",
      "stroke-dasharray",
      "opacity",
      "font-size",
      "font-family",
      "font-weight",
    ])
      each.style.setProperty(key, style.getPropertyValue(key));
  });
  copy.querySelectorAll("[data-control]").forEach((each) => each.remove());
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  save(`${name}.svg`, new XMLSerializer().serializeToString(copy), "image/svg+xml");
}
