// One series, up close: the timeline, the matches, and the editor of the cuts of one method.

let current = null; // the run that is shown
const chosenMethods = () => [...$("chosen").querySelectorAll("input:checked")].map((box) => Number(box.value));

function matchesTable(run) {
  const wanted = ["precision", "recall", "f1"].map((name) => ({ name, margin: marginOf() }));
  const truth = run.truths[state.truth].cuts;
  fillTable(
    $("matches"),
    ["Method", "Matched", "Missed", "False", "Precision", "Recall", "F1"],
    chosenMethods().map((m) => {
      const pred = run.rows[m][0] ?? null;
      if (pred === null) {
        const reason = run.rows[m].length ? `failed, ${run.errors[m] ?? "no prediction"}` : "not run";
        return [`${isolated(data.methods[m])}: ${reason}`, "–", "–", "–", "–", "–", "–"];
      }
      const found = matchOf(truth, pred, run);
      return [
        data.methods[m],
        found.matched.length,
        found.missed.length,
        found.false.length,
        ...core.scores(truth, pred, extent(run), wanted).map((x) => number(x)),
      ];
    }),
  );
}

// Draws the series again after zooming or another margin; the editor keeps its cuts.
function redrawSeries() {
  if (!current?.truths.length) return;
  drawTimeline(current, chosenMethods());
  matchesTable(current);
  if (!$("what-if").hidden) {
    drawEditor();
    showEdited();
  }
}

async function fillMethods() {
  const place = $("chosen").querySelector("fieldset");
  const { standings } = await boardOf(state.score);
  if (place.childElementCount > 1) return;
  const first = standings.slice(0, data.methods.length <= 10 ? 10 : 6).map((each) => each.method);
  data.methods.forEach((name, m) => {
    const box = node("input", null, { type: "checkbox", value: m });
    box.checked = first.includes(name) || data.methods.length <= 10;
    box.onchange = redrawSeries;
    place.append(node("label", null, {}, box, ` ${name}`));
  });
}

async function showUpClose() {
  const kept = keptSeries();
  if (!kept.includes(seriesNumber())) state.series = data.series[kept[0]];
  if ($("one").length !== kept.length || $("one").options[0].value !== String(kept[0]))
    fillMenu(
      $("one"),
      kept.map((k) => data.series[k]),
      kept,
    );
  const run = await runOf(seriesNumber());
  const names = run.truths.map((side) => side.name);
  current = run;
  if (zoom.of !== run.name) Object.assign(zoom, { low: 0, high: run.length, of: run.name });
  $("one").value = String(seriesNumber());
  $("which").replaceChildren(": ", node("bdi", visible(run.name)));
  fillMenu(
    $("truth"),
    names,
    names.map((_, k) => k),
  );
  if (state.truth >= names.length) state.truth = 0;
  $("truth").value = String(state.truth);
  $("truth-choice").hidden = names.length < 2;
  const why = run.too_fine
    ? "This series has more places than the numbers of a browser can tell apart, so its cuts are not shown."
    : !names.length
      ? "This series has no truth."
      : !run.length
        ? "This series has no points."
        : "";
  $("with-truth").hidden = Boolean(why);
  $("no-truth").hidden = !why;
  $("no-truth").textContent = why;
  if (why) return;
  await fillMethods();
  usualMethod ??= (await boardOf(state.score)).standings[0]?.method ?? data.methods[0];
  state.method ??= usualMethod;
  $("method").value = String(methodNumber());
  const m = methodNumber();
  const pred = run.rows[m][0] ?? null;
  $("what-if").hidden = pred === null;
  $("no-prediction").hidden = pred !== null;
  const failure = `failed on this series: ${run.errors[m] ?? "no prediction"}`;
  if (pred === null)
    tell($("no-prediction"), `${named(state.method)} ${run.rows[m].length ? failure : "was not run on this series"}.`);
  drawTimeline(run, chosenMethods());
  matchesTable(run);
  if (pred === null) return;
  startEditing(run, { cuts: pred, labels: run.labels[methodNumber()][0] ?? null });
  drawEditor();
  await showEdited();
}

async function showSeries() {
  await showDeciding();
  await seriesTable();
  const close = data.cuts && core !== null;
  $("up-close").hidden = !close;
  $("no-cuts").hidden = close;
  $("by-series").open = $("by-series").open || !close;
  $("no-cuts").textContent = data.cuts
    ? ""
    : "The table has only scores, neither truth nor predictions, so there are no cuts to show.";
  $("no-cuts").hidden = close || data.cuts;
  if (close) await showUpClose();
}

function startSeries() {
  fillMenu(
    $("method"),
    data.methods,
    data.methods.map((_, k) => k),
  );
  const go = (k) => choose({ series: data.series[k], edited: null });
  const beside = (step) => {
    const kept = keptSeries();
    const at = kept.indexOf(seriesNumber());
    go(kept[(at + step + kept.length) % kept.length] ?? kept[0]);
  };
  $("one").onchange = () => go(Number($("one").value));
  $("previous").onclick = () => beside(-1);
  $("next").onclick = () => beside(1);
  $("truth").onchange = () => choose({ truth: Number($("truth").value) });
  $("method").onchange = () => choose({ method: data.methods[Number($("method").value)], edited: null });
  const width = () => zoom.high - zoom.low;
  const middle = () => (zoom.low + zoom.high) / 2;
  $("zoom-in").onclick = () => zoomTo(current, middle() - width() / 4, middle() + width() / 4);
  $("zoom-out").onclick = () => zoomTo(current, middle() - width(), middle() + width());
  $("earlier").onclick = () => zoomTo(current, zoom.low - width() / 2, zoom.high - width() / 2);
  $("later").onclick = () => zoomTo(current, zoom.low + width() / 2, zoom.high + width() / 2);
  $("add").onclick = addInLongest;
  $("remove").onclick = () => removeCut(editing.selected);
  $("undo").onclick = undo;
  $("restore").onclick = () => edit(editing.original, null, editing.now);
  $("copy").onclick = copyCode;
  $("all-changed").ontoggle = () => {
    if (editing.run) showEdited();
  };
}
