// What the reader chose. The address of the page holds it, so that a link shows the same.

const VIEWS = ["overview", "differences", "distributions", "series", "curves", "about"];
const state = {
  view: "overview",
  score: data.metrics[0]?.name,
  part: null,
  margin: data.margin,
  series: data.series[0],
  truth: 0,
  method: null,
  against: data.metrics[1]?.name ?? data.metrics[0]?.name,
  sort: null,
  turned: false,
  columns: null,
  edited: null,
};

let usualMethod = null; // the method that is edited unless the reader chooses another one

const known = () => data.metrics[metricNumber(state.score)];
const seriesNumber = () => data.series.indexOf(state.series);
const methodNumber = () => data.methods.indexOf(state.method);

function readAddress() {
  const [view, query = ""] = location.hash.slice(1).split("?");
  const asked = new URLSearchParams(query);
  const oneOf = (key, all) => (all.includes(asked.get(key)) ? asked.get(key) : undefined);
  const names = data.metrics.map((metric) => metric.name);
  const margin = Number.parseFloat(asked.get("margin"));
  const columns = asked
    .get("columns")
    ?.split("|")
    .filter((name) => names.includes(name));
  const [cuts, labels = null] = (asked.get("edited") ?? "x")
    .split("/")
    .map((text) => text.split(" ").filter(Boolean).map(Number));
  Object.assign(state, {
    view: VIEWS.includes(view) ? view : "overview",
    score: oneOf("score", names) ?? names[0],
    part: data.filter ? (oneOf("part", data.filter.parts) ?? null) : null,
    margin: margin >= 0 ? margin : data.margin,
    series: oneOf("series", data.series) ?? data.series[0],
    truth: Math.max(0, Number.parseInt(asked.get("truth"), 10) || 0),
    method: oneOf("method", data.methods) ?? null,
    against: oneOf("against", names) ?? names[1] ?? names[0],
    columns: columns?.length ? columns : null,
    edited: cuts.every(Number.isFinite) ? { cuts, labels } : null,
  });
}

function writeAddress() {
  const usual = {
    score: data.metrics[0]?.name,
    part: null,
    margin: data.margin,
    series: data.series[0],
    truth: 0,
    method: usualMethod,
    against: data.metrics[1]?.name ?? data.metrics[0]?.name,
    columns: null,
    edited: null,
  };
  const asked = new URLSearchParams();
  for (const [key, plainValue] of Object.entries(usual)) {
    const own = state[key];
    if (own === plainValue || own === null || own === undefined) continue;
    asked.set(
      key,
      key === "columns"
        ? own.join("|")
        : key === "edited"
          ? [own.cuts, own.labels]
              .filter(Boolean)
              .map((list) => list.join(" "))
              .join("/")
          : String(own),
    );
  }
  const address = `#${state.view}${asked.size ? `?${asked}` : ""}`;
  if (location.hash !== address) history.replaceState(null, "", address);
}
