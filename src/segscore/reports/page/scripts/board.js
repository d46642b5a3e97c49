// The leaderboard of the chosen score.

const ASCENDING = ["method", "rank", "failed", "undefined", "not_run", "unreadable"];
const COUNTS = ["wins", "scored", "averaged"];
const HEADS = {
  method: "method",
  mean: "mean",
  low: "95 % interval",
  median: "median",
  rank: "rank",
  wins: "wins",
  scored: "scored",
  averaged: "mean over",
  failed: "failed",
  undefined: "undefined",
  not_run: "not run",
  unreadable: "unreadable",
};
const sortKey = (board) => state.sort ?? board.order;
const isRising = (board) =>
  (ASCENDING.includes(sortKey(board)) || (!COUNTS.includes(sortKey(board)) && !known().rising)) !== state.turned;

// The stored leaderboard, or one that is computed here for some of the series or another margin.
async function boardNow() {
  const stored = await boardOf(state.score);
  const metric = known();
  if (state.part === null && !isMoved(metric)) return stored;
  const cells = await cellsOf(state.score);
  if (!cells) return stored;
  const kept = keptSeries();
  const { standings, others, series } = standingsOf(metric, cells);
  const all = [...standings, ...others];
  const keys = [
    "method",
    "mean",
    "median",
    "rank",
    "wins",
    "scored",
    ...(all.some((each) => each.averaged !== kept.length) ? ["averaged"] : []),
    ...["failed", "undefined", "not_run", "unreadable"].filter((key) => all.some((each) => each[key])),
  ];
  const text = (each, key) =>
    ({
      method: each.method,
      mean: number(each.mean, 4, metric.log),
      median: number(each.median, 4, metric.log),
      rank: number(each.rank, 2),
      wins: Number.isNaN(each.rank) ? "" : String(each.wins),
      scored: `${each.scored} of ${each.run}`,
      averaged: `${each.averaged} of ${kept.length}`,
    })[key] ?? String(each[key]);
  for (const each of all) each.texts = keys.map((key) => text(each, key));
  const where =
    series.length === kept.length
      ? many(series.length, "series")
      : `${series.length} of ${many(kept.length, "series")}`;
  return {
    live: true,
    standings,
    others,
    order: stored.order,
    references: {},
    columns: keys.map((key) => [key, HEADS[key]]),
    heading:
      `${capital(metric.spoken)}${metric.margin ? ` at margin ${lengthText(state.margin)}` : ""}, ` +
      `${where}${state.part === null ? "" : ` of ${state.part}`}, computed in this page`,
    notes: [
      "There are no intervals and tests for this choice; " +
        "the section on significance is about all series at the margin of the report.",
    ],
    policies: [],
  };
}

const REFERENCES = {
  human: "human (each annotator against the others)",
  "no cuts": "no cuts",
  "evenly spaced": "evenly spaced (as many cuts as the truth)",
  chance: "chance (random cuts, as many as the truth)",
};
const DRAWN = ["human", "chance"]; // the references that are lines in every row

// The mean and its interval as a dot on a bar, on one scale for all methods.
function forest(each, scale, references) {
  const made = node("span", null, { class: "forest", "aria-hidden": "true" });
  const mean = value(each.mean);
  for (const [name, at] of Object.entries(references))
    if (DRAWN.includes(name) && Number.isFinite(value(at)))
      made.append(node("i", null, { class: `line ${name}`, style: `left:${scale(at)}%` }));
  if (!Number.isFinite(mean)) {
    made.append(node("i", isNumber(mean) ? "infinite" : "no score", { class: "off" }));
    return made;
  }
  if (each.low !== null && Number.isFinite(value(each.low)))
    made.append(
      node("i", null, {
        class: "range",
        style: `left:${scale(each.low)}%;width:${scale(each.high) - scale(each.low)}%`,
      }),
    );
  made.append(node("i", null, { class: "dot", style: `left:${scale(mean)}%` }));
  return made;
}

function standingsTable(board) {
  const { columns, references } = board;
  const table = $("standings");
  const inOrder = (rows) =>
    state.sort === null
      ? rows
      : [...rows].sort((a, b) => {
          const [x, y] = state.sort === "method" ? [a.method, b.method] : [value(a[state.sort]), value(b[state.sort])];
          const none = (z) => z === null || Number.isNaN(z);
          if (none(x) || none(y)) return none(x) - none(y);
          const order = typeof x === "string" ? x.localeCompare(y) : x === y ? 0 : x - y;
          return isRising(board) ? order : -order;
        });
  const rows = [...inOrder(board.standings), ...inOrder(board.others)];
  const ends = [...rows.flatMap((each) => [each.mean, each.low, each.high]), ...Object.values(references)]
    .map(value)
    .filter(Number.isFinite);
  const low = Math.min(...ends);
  const high = Math.max(...ends);
  const scale = (x) => (high > low ? 2 + (96 * (x - low)) / (high - low) : 50);
  const heads = columns.map(([key, name]) =>
    button(capital(name), () => {
      const turned = sortKey(board) === key && !state.turned;
      Object.assign(state, { turned, sort: key });
      standingsTable(board);
      [...table.tHead.querySelectorAll("button")].find((each) => each.textContent === capital(name)).focus();
    }),
  );
  const plot = node(
    "span",
    null,
    { class: "ends" },
    node("span", ends.length ? short(low) : ""),
    node("span", ends.length ? short(high) : ""),
  );
  const texts = (each) =>
    each.texts.map((text, k) => (k === 0 ? text : text === "" ? "–" : minus(text.replace(/\binf\b/g, "∞"))));
  fillTable(
    table,
    [heads[0], plot, ...heads.slice(1)],
    rows.map((each) => {
      const [first, ...rest] = texts(each);
      return [first, forest(each, scale, references), ...rest];
    }),
  );
  [...table.tHead.rows[0].cells].forEach((cell, k) => {
    const key = k === 0 ? columns[0][0] : k === 1 ? null : columns[k - 1][0];
    if (k === 1) {
      cell.classList.add("plot");
      cell.setAttribute("aria-label", "Mean and interval, drawn");
    }
    if (key === sortKey(board)) cell.setAttribute("aria-sort", isRising(board) ? "ascending" : "descending");
  });
  for (const row of table.tBodies[0].rows) row.cells[1].className = "plot";
  table.tFoot.replaceChildren(
    ...Object.entries(references).map(([name, at]) => {
      const made = node("tr", null, { "data-reference": name });
      const mean = node("td", number(at), { "data-label": "Mean" });
      made.append(
        node("th", REFERENCES[name], { scope: "row" }),
        node("td", null, { class: "plot" }, forest({ mean: at, low: null }, scale, {})),
        mean,
        ...columns.slice(2).map(() => node("td", "")),
      );
      return made;
    }),
  );
}

function policiesTable(board) {
  const place = $("policies");
  const { policies } = board;
  place.hidden = !policies.length;
  if (!policies.length) return;
  const head = [
    "Method",
    ...policies.map(
      (policy) => `${policy.words}${policy.chosen ? " (this report)" : ""}, ${many(policy.series, "series")}`,
    ),
  ];
  fillTable(
    place.querySelector("table"),
    head,
    board.standings.map(({ method }) => [
      method,
      ...policies.map((policy) => {
        const found = policy.rows[method];
        return found ? `${found[0]}. (${number(found[1], 3)})` : "–";
      }),
    ]),
  );
}

async function failuresTable() {
  const place = $("failures");
  const { failures, failed: all, parts, most } = await block("failures");
  const kept = new Set(keptSeries().map((k) => data.series[k]));
  const rows = failures.filter(([, series]) => kept.has(series)).slice(0, most);
  const failed = state.part === null ? all : parts[partNumber()];
  place.hidden = rows.length === 0;
  place.querySelector("summary").textContent = `${many(failed, "run")} without a score`;
  fillTable(place.querySelector("table"), ["Method", "Series", "State", "Reason"], rows, [0, 1, 2, 3]);
}

async function showBoard() {
  const metric = known();
  const board = await boardNow();
  const { references } = board;
  $("board-title").textContent = metric.label;
  $("meaning").textContent = `${metric.meaning} ${metric.rising ? "Higher" : "Lower"} is better.`;
  $("heading").textContent = isolated(capital(board.heading));
  $("notes").replaceChildren(...board.notes.map((text) => node("li", isolated(text))));
  const others = Object.hasOwn(data.others, metric.name) ? data.others[metric.name] : "";
  $("others").textContent = isolated(others);
  $("others").hidden = board.live || !others;
  standingsTable(board);
  const drawn = (name) => Number.isFinite(value(references[name]));
  const alone = "human" in references ? "" : " There is only one annotator, so there is no human line.";
  const lines = [
    drawn("human") ? "the dashed line is the score of people against each other" : "",
    drawn("chance") ? "the dotted line is the score of chance" : "",
  ]
    .filter(Boolean)
    .join(", and ");
  const hasIntervals = board.standings.some((each) => Number.isFinite(value(each.low)));
  $("references").textContent = board.standings.some((each) => isNumber(value(each.mean)))
    ? `Dots are means over series${hasIntervals ? ", and bars are their 95 % intervals" : ""}.` +
      `${lines ? ` ${capital(lines)}.${alone}` : ""}`
    : "";
  policiesTable(board);
  await failuresTable();
}
