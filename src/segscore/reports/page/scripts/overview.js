// The first screen: the findings, and the overview of methods by scores.

const FIRST = 8; // scores of the overview unless the reader chooses others
const shownColumns = () => state.columns ?? data.metrics.slice(0, FIRST).map((metric) => metric.name);
const isChanged = () => state.part !== null || (state.margin !== data.margin && isLive());

// The column of a score: for each method the value, its text, and whether the method is best and ranked.
async function columnOf(metric) {
  const stored = data.overview.scores[metric.name];
  if (state.part === null && !isMoved(metric)) {
    return data.methods.map((_, m) => ({
      text: minus(stored.texts[m] || "–"),
      value: stored.texts[m] ? value(stored.texts[m]) : null,
      bold: stored.bold[m] === 1,
      same: stored.same[m] === 1,
      ranked: stored.ranked[m] === 1,
    }));
  }
  const cells = await cellsOf(metric.name);
  if (!cells) return null;
  const { standings, others, series } = standingsOf(metric, cells);
  const found = data.methods.map((method) => {
    const own = standings.find((each) => each.method === method) ?? others.find((each) => each.method === method);
    return {
      value: own[stored.statistic],
      text: number(own[stored.statistic], 3, metric.log),
      ranked: standings.includes(own),
      bold: false,
      same: false,
    };
  });
  const ranked = found.filter((each) => each.ranked && isNumber(each.value)).map((each) => each.value);
  const best = number(metric.rising ? Math.max(...ranked) : Math.min(...ranked), 3, metric.log);
  if (ranked.length > 1 && 2 * series.length >= keptSeries().length)
    for (const each of found) each.bold = each.ranked && each.text === best;
  return found;
}

// How strongly a cell is shaded, from 0 for the worst method to 1 for the best one.
function shades(column, rising) {
  const finite = column
    .map((each) => Number(each.value))
    .filter((x, k) => column[k].value !== null && Number.isFinite(x));
  const low = Math.min(...finite);
  const high = Math.max(...finite);
  const is = (end) => column.some((each) => each.value !== null && Number(each.value) === end);
  const least = is(rising ? -Infinity : Infinity) ? 0.2 : 0;
  const most = is(rising ? Infinity : -Infinity) ? 0.8 : 1; // infinite values are apart
  return column.map((each) => {
    const x = each.value === null ? NaN : Number(each.value);
    if (Number.isNaN(x) || !finite.length) return 0;
    if (!Number.isFinite(x)) return x > 0 === rising ? 1 : 0;
    const share = high === low ? 0.5 : (x - low) / (high - low);
    return least + (most - least) * (rising ? share : 1 - share);
  });
}

async function overviewTable() {
  const metrics = shownColumns().map((name) => data.metrics[metricNumber(name)]);
  const columns = [];
  for (const metric of metrics) columns.push(await columnOf(metric));
  if (columns.includes(null)) return;
  const { failed, seconds } = state.part === null ? data.overview : data.overview.parts[partNumber()];
  const anyFailed = failed.some(Boolean);
  const anySeconds = seconds.some((x) => x !== null);
  const { standings, others } = await boardNow();
  const order = [...standings, ...others].map((each) => data.methods.indexOf(each.method));
  const head = metrics.map((metric) => {
    const made = button(
      `${metric.label}\u00a0${metric.rising ? "↑" : "↓"}`,
      () => choose({ score: metric.name }).then(() => bringUp("board-title")),
      {
        "aria-pressed": String(metric.name === state.score),
        title: `${metric.meaning} ${metric.rising ? "Higher" : "Lower"} is better.`,
      },
    );
    if (data.overview.scores[metric.name].statistic === "median") made.append(node("span", " (median)"));
    return made;
  });
  const rows = order.map((m) => [
    data.methods[m],
    ...columns.map((column) => (column[m].bold ? node("strong", column[m].text) : column[m].text)),
    ...(anyFailed ? [String(failed[m])] : []),
    ...(anySeconds ? [seconds[m] === null ? "–" : String(Number(seconds[m].toPrecision(2)))] : []),
  ]);
  const table = $("table");
  fillTable(table, ["Method", ...head, ...(anyFailed ? ["Failed"] : []), ...(anySeconds ? ["Seconds"] : [])], rows);
  const strengths = columns.map((column, c) => shades(column, metrics[c].rising));
  [...table.tHead.rows[0].cells].forEach((cell, k) =>
    cell.classList.toggle("picked", k > 0 && metrics[k - 1]?.name === state.score),
  );
  [...table.tBodies[0].rows].forEach((row, r) => {
    metrics.forEach((_, c) => {
      const cell = row.cells[c + 1];
      const found = columns[c][order[r]];
      cell.classList.add("cell");
      cell.classList.toggle("same", found.same);
      cell.style.setProperty("--shade", (0.42 * strengths[c][order[r]]).toFixed(3));
      if (found.bold) cell.setAttribute("aria-label", `${found.text}, best`);
    });
    if (anyFailed) row.cells[metrics.length + 1].classList.toggle("failures", failed[order[r]] > 0);
  });
  const same = columns.some((column) => column.some((each) => each.same));
  const medians = metrics.some((metric) => data.overview.scores[metric.name].statistic === "median");
  const ofPart = state.part === null ? "" : ` of ${isolated(state.part)}`;
  const anyDash = columns.flat().some((each) => each.text === "–");
  $("overview-caption").textContent = [
    `${medians ? "Means (or medians, where the head says so)" : "Means"} over`,
    `${isChanged() ? `${many(keptSeries().length, "series")}${ofPart}` : "series"};`,
    "the best is bold, and a stronger shade is better.",
    ...(same ? ["Values underlined with dots do not differ significantly from the best."] : []),
    ...(anyDash ? ["A dash means that a method has no value on the series that count."] : []),
    ...(anySeconds ? ["Seconds are medians per series."] : []),
  ].join(" ");
  $("overview-caption").append(node("span", " Click a score to see its leaderboard.", { class: "screen" }));
}

function findingsText() {
  const kept = keptSeries().length;
  const where = [
    state.part === null ? "" : `${many(kept, "series")} of ${named(state.part)}`,
    state.margin !== data.margin && isLive() ? `a margin of ${marginText(state.margin)}` : "",
  ].filter(Boolean);
  tell(
    $("findings"),
    where.length
      ? `You are looking at ${where.join(", at ")}. Findings, intervals and tests are those of ` +
          `all ${many(data.series.length, "series")} at a margin of ${marginText(data.margin)}.`
      : data.findings.join(" "),
  );
}

async function showOverview() {
  findingsText();
  const place = $("columns").querySelector("fieldset");
  if (place.childElementCount < 2) {
    for (const metric of data.metrics) {
      const box = node("input", null, { type: "checkbox", value: metric.name });
      box.onchange = () => choose({ columns: [...place.querySelectorAll("input:checked")].map((each) => each.value) });
      place.append(node("label", null, {}, box, ` ${metric.label}`));
    }
  }
  for (const box of place.querySelectorAll("input")) box.checked = shownColumns().includes(box.value);
  $("columns").hidden = data.metrics.length < 2;
  await overviewTable();
  await showBoard();
}
