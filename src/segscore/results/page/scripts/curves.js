// Curves over all margins, delays, thresholds and penalties, and scores against time.

async function showCurves() {
  const found = await block("curves") ?? {}, { cost } = await boardOf(state.score), { label, spoken } = known();
  for (const [name, what] of [["margins", "F1 at every margin"], ["delays", "Share of changes detected within every delay"], ["thresholds", "Precision over recall at every threshold"]]) {
    const own = found[name];
    if (!shown(`${name}-chart`, Boolean(own?.curves.length))) continue;
    const last = new Map(own.curves.map((row) => [row.method, row]));
    await draw(`${name}-chart`, name, own, {}, `${what}. At the right end: ${[...last.values()].map((row) => `${row.method} ${row.mean.toFixed(3)}`).join(", ")}.`);
  }
  const { note, ...penalties } = found.penalties ?? {};
  $("penalties-note").textContent = note ?? "";
  if (shown("penalties-chart", Boolean(penalties.curves?.length))) {
    const methods = [...new Set(penalties.curves.map((row) => row.method))];
    await draw("penalties-chart", "penalties", penalties, {}, `Rates of errors in annotated regions for every penalty: ${methods.join(", ")}.`);
  }
  if (shown("cost-chart", cost.length > 0)) {
    await draw("cost-chart", "cost", { costs: cost }, { metric: label, most: 900 }, `Mean ${spoken} against median seconds: ${cost.map((row) => `${row.label} ${row.mean.toFixed(3)}, ${short(row.cost)} s`).join("; ")}.`);
  }
  $("no-curves").hidden = Boolean(found.margins?.curves.length || penalties.curves?.length || cost.length);
  $("no-curves").textContent = "The table has neither cuts nor regions nor seconds, so there are no curves.";
}
