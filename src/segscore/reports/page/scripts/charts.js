// Charts of the library: specifications without data, which vega draws. vega is unpacked with the first chart.

const views = {};
const PLAIN = ["scores", "staircase", "ranks", "cost"];
const isDark = () =>
  (document.documentElement.dataset.theme ??
    (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
const CROWDED = 4000; // marks from which a canvas is faster than SVG

let vegaLoaded = null;
function loadVega() {
  vegaLoaded ??= bytesOf("vega").then((bytes) => {
    document.head.append(node("script", new TextDecoder().decode(bytes)));
  });
  return vegaLoaded;
}

function chartConfig(colour) {
  const plainText = {
    labelColor: colour,
    titleColor: colour,
    labelFontSize: 12,
    titleFontSize: 12,
    titleFontWeight: "normal",
  };
  return {
    background: "transparent",
    font: "system-ui, sans-serif",
    view: { stroke: null },
    axis: { ...plainText, domainColor: colour, tickColor: colour, gridColor: colour, gridOpacity: 0.15 },
    axisTemporal: { labelOverlap: "greedy", labelSeparation: 8, tickCount: 6 },
    axisQuantitative: { labelOverlap: "greedy", labelSeparation: 8, tickCount: 6 },
    axisXQuantitative: { labelFlush: true },
    legend: { ...plainText, labelLimit: 220 },
    text: { color: colour },
    rule: { color: colour },
    title: { color: colour },
  };
}

// Hides the parts of a caption about marks that the chart does not have.
function describe(id, marks) {
  for (const part of $(id).parentElement.querySelectorAll("figcaption [data-if]"))
    part.hidden = !marks[part.dataset.if];
}

// A chart without any number is hidden.
function shown(id, any) {
  $(id).parentElement.hidden = !any;
  return any;
}

// Groups of marks that vega calls symbols have no text: only the chart and its marks speak to a screen reader.
function quieten(place) {
  for (const each of place.querySelectorAll("g[role]:not([aria-label])")) {
    each.removeAttribute("role");
    each.removeAttribute("aria-roledescription");
  }
}

// Draws a chart, given by its specification or by its name among the usual ones, with data and names. The chart is as
// wide as the page allows.
async function draw(id, name, datasets, names, description) {
  await loadVega();
  const specs = await block("specs");
  const place = $(id);
  const labels = names.labels ?? [];
  const room = Math.max(
    240,
    document.querySelector("main").clientWidth -
      2 * Number.parseFloat(getComputedStyle(document.querySelector("main")).paddingLeft),
  );
  const limit = room < 560 ? 100 : 220;
  const margin = labels.length ? Math.min(limit, 8 + 7 * Math.max(...labels.map((x) => x.length))) : 40;
  const crowded = Math.max(...Object.values(datasets).map((rows) => rows.length ?? 0)) > CROWDED;
  const colour = crowded ? getComputedStyle(document.body).color : "currentColor";
  const replaced = { "%metric%": names.metric ?? "", "%other%": names.other ?? "", "#666666": colour };
  // On a dark page the usual blue is too dark; charts that tell methods apart by colour keep theirs.
  if (isDark() && PLAIN.includes(name)) replaced["#0072B2"] = "#56B4E9";
  let text = JSON.stringify(typeof name === "string" ? specs[name] : name);
  for (const [from, to] of Object.entries(replaced))
    text = text.replaceAll(from, () => JSON.stringify(to).slice(1, -1));
  const spec = JSON.parse(text, (key, given) => {
    if (key === "width" && given === data.width)
      return Math.max(names.least ?? 120, Math.min(names.most ?? 1200, room) - margin - 44 - (names.right ?? 0));
    if (key === "labelLimit") return Math.min(limit, given);
    if (key === "limit") return Math.floor(Math.max(names.least ?? 0, room) * 0.42);
    if (key === "legend" && given?.orient === "top" && room < 560) return { ...given, columns: 2 };
    if (given?.scheme) return { ...given, reverse: !known().rising };
    if (key === "data" && given?.name) return { name: given.name };
    return given;
  });
  if (names.height) spec.height = names.height;
  Object.assign(spec, { datasets, config: chartConfig(colour), description });
  if (spec.hconcat) {
    // panels beside each other, or below each other if there is little room; legends are below them
    const narrow = room < 1000;
    Object.assign(spec.config.legend, {
      orient: "bottom",
      direction: "vertical",
      layout: { bottom: { direction: narrow ? "vertical" : "horizontal", anchor: "start" } },
    });
    if (narrow) {
      spec.vconcat = spec.hconcat;
      delete spec.hconcat;
    }
  }
  views[id]?.finalize();
  const actions = { export: true, source: false, compiled: false, editor: false };
  const { view } = await vegaEmbed(place, spec, {
    renderer: crowded ? "canvas" : "svg",
    logLevel: 1 /* errors alone */,
    actions,
    downloadFileName: id,
    mode: "vega-lite",
    ast: true /* no eval */,
  });
  views[id] = view;
  place.querySelector("summary")?.setAttribute("aria-label", "Save this chart");
  if (crowded) {
    place.querySelector("canvas").setAttribute("role", "img");
    place.querySelector("canvas").setAttribute("aria-label", description);
  }
  quieten(place);
  place.dataset.drawn = String(Number(place.dataset.drawn ?? 0) + 1);
  return view;
}
