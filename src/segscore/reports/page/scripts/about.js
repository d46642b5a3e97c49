// How it was computed: definitions, settings, rules and origin.

function showAbout() {
  fillTable(
    $("definitions"),
    ["Score", "Meaning", "Name in Python", "Best", "Bounds", "Reference"],
    data.metrics.map((metric) => [
      metric.label,
      metric.meaning,
      node("code", null, {}, ...words(metric.name)),
      metric.best,
      metric.bounds,
      metric.reference,
    ]),
    [0, 1, 2, 5],
  );
  $("settings").hidden = !data.settings.length;
  fillTable(
    $("settings").querySelector("table"),
    ["Method", "Settings", "Chosen by", "Series"],
    data.settings.map(([method, rule, params, count]) => [method, params ?? "–", rule ?? "–", String(count)]),
    [0, 1, 2],
  );
  $("conventions").replaceChildren(...data.conventions.map((text) => node("li", text)));
  $("provenance").replaceChildren(
    ...Object.entries(data.provenance).flatMap(([name, text]) => [
      node("dt", name),
      node("dd", text, { class: "code" }),
    ]),
  );
}

function showFacts() {
  const made = data.provenance["Made on"].split(",")[0];
  const versions = data.provenance.Versions.split(", ").filter((text) => text.startsWith("segscore"));
  const runs = data.provenance["Versions of the runs"];
  $("facts").textContent = [
    many(data.methods.length, "method"),
    many(data.series.length, "series"),
    many(data.metrics.length, "score"),
    `made on ${made}`,
    ...versions,
    ...(runs ? [runs] : []),
  ].join(" · ");
}
