// Curves over all margins, delays, thresholds and penalties, and scores against time.

// One chart for each parameter of which several values were tried.
async function showParameters(parameters) {
  const place = $("parameters");
  const [first] = data.metrics;
  if (place.childElementCount === 0) {
    for (const [
      k,
      {
        name,
        data: { choices },
      },
    ] of parameters.entries()) {
      const hasLines = choices.some((row) => row.value === null);
      const text =
        `The primary score (${first.spoken}) of all settings by the value of ${name}, the number of cuts, and ` +
        "precision over recall: means over series. Diamonds and squares mark settings" +
        `${hasLines ? ", and horizontal lines are the means of choices that differ between series" : ""}. ` +
        "The rest of this report is about the chosen settings, which the section About lists.";
      place.append(
        node(
          "figure",
          null,
          {},
          node("div", null, { class: "chart", id: `parameter-${k}-chart` }),
          node("figcaption", text),
        ),
      );
    }
  }
  for (const [k, { name, spec, data: own }] of parameters.entries()) {
    const best = own.choices.map(
      (row) =>
        `${row.method}, ${row.choice}${row.value === null ? "" : ` ${short(row.value)}`}: ${number(row.score, 3)}`,
    );
    await draw(
      `parameter-${k}-chart`,
      spec,
      own,
      {},
      `${capital(first.spoken)} by the value of ${name}. ${best.join("; ")}.`,
    );
  }
}

async function showCurves() {
  const found = (await block("curves")) ?? {};
  const { cost } = await boardOf(state.score);
  const { label, spoken } = known();
  for (const [name, what] of [
    ["margins", "F1 at every margin"],
    ["delays", "Share of changes detected within every delay"],
    ["thresholds", "Precision over recall at every threshold"],
  ]) {
    const own = found[name];
    if (!shown(`${name}-chart`, Boolean(own?.curves.length))) continue;
    describe(`${name}-chart`, { band: own.curves.some((row) => row.low !== null), marks: own.marks.length > 0 });
    const last = new Map(own.curves.map((row) => [row.method, row]));
    const ends = [...last.values()].map((row) => `${row.method} ${row.mean.toFixed(3)}`);
    await draw(`${name}-chart`, name, own, {}, `${what}. At the right end: ${ends.join(", ")}.`);
  }
  const { note, ...penalties } = found.penalties ?? {};
  $("penalties-note").textContent = note ?? "";
  if (shown("penalties-chart", Boolean(penalties.curves?.length))) {
    const methods = [...new Set(penalties.curves.map((row) => row.method))];
    await draw(
      "penalties-chart",
      "penalties",
      penalties,
      {},
      `Rates of errors in annotated regions for every penalty: ${methods.join(", ")}.`,
    );
  }
  await showParameters(found.parameters ?? []);
  if (shown("cost-chart", cost.length > 0)) {
    const any = (key) => cost.some((row) => row[key]);
    describe("cost-chart", {
      interval: cost.some((row) => row.low !== null),
      front: cost.filter((row) => row.front).length > 1,
      trivial: any("trivial"),
      censored: any("censored"),
    });
    await draw(
      "cost-chart",
      "cost",
      { costs: cost },
      { metric: label, most: 900 },
      `Mean ${spoken} against median seconds: ` +
        `${cost.map((row) => `${row.label} ${row.mean.toFixed(3)}, ${short(row.cost)} s`).join("; ")}.`,
    );
  }
  $("no-curves").hidden = Boolean(
    found.margins?.curves.length || penalties.curves?.length || found.parameters?.length || cost.length,
  );
  $("no-curves").textContent = "The table has neither cuts nor regions nor seconds, so there are no curves.";
}
