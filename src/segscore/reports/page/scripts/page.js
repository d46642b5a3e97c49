// The whole page: what is shown, when it is drawn, and the choices at the top.

const shows = {
  overview: showOverview,
  differences: showDifferences,
  distributions: showDistributions,
  series: showSeries,
  curves: showCurves,
  about: showAbout,
};
const SMALL = 3000; // runs up to which all sections are drawn ahead, so that they open at once and can be printed
const stale = new Set(VIEWS);
const canDraw = canUnpack && data.methods.length > 0 && data.metrics.length > 0;
let busy = null;
let again = false;
let ahead = null;

async function render(view) {
  stale.delete(view);
  await shows[view]();
  $(view).classList.add("rendered");
}

// Draws the chosen section, and once more if something was chosen meanwhile.
async function refresh() {
  again = true;
  clearTimeout(ahead);
  if (busy) return busy;
  document.documentElement.dataset.busy = "yes";
  busy = (async () => {
    while (again) {
      again = false;
      for (const view of VIEWS) stale.add(view);
      sync();
      await render(state.view);
    }
  })();
  try {
    await busy;
  } finally {
    busy = null;
    delete document.documentElement.dataset.busy;
  }
  if (data.methods.length * data.series.length <= SMALL) ahead = setTimeout(drawAhead, 50);
}

async function drawAhead() {
  for (const view of VIEWS) {
    if (busy) return;
    if (stale.has(view)) {
      await render(view);
      ahead = setTimeout(drawAhead, 10);
      return;
    }
  }
  document.documentElement.dataset.complete = "yes";
}

function choose(changes) {
  const moves = "view" in changes && changes.view !== state.view;
  Object.assign(state, changes);
  if ("score" in changes) Object.assign(state, { sort: null, turned: false });
  if (moves) history.pushState(null, "", location.href);
  writeAddress();
  if (moves) scrollTo(0, 0);
  return refresh();
}

// Makes the controls say what is chosen.
function sync() {
  for (const view of VIEWS) {
    $(view).classList.toggle("current", view === state.view);
    const link = document.querySelector(`nav a[href="#${view}"]`);
    if (view === state.view) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  const nav = document.querySelector("nav");
  const left = (place) => place.getBoundingClientRect().left;
  // On a phone the chosen section is in view.
  nav.scrollLeft += left(nav.querySelector("[aria-current]")) - left(nav) - 40;
  $("metric").value = state.score;
  $("other").value = state.against;
  if (data.filter) $("part").value = state.part ?? "";
  if (Number($("margin").value) !== state.margin) {
    $("margin").max = Math.max(Number($("margin").max), state.margin);
    $("margin").value = state.margin;
  }
  sayMargin();
  staleNote();
  // The button keeps its room, so that the slider stays under the pointer.
  $("margin-reset").style.visibility = state.margin === data.margin ? "hidden" : "visible";
}

function startTheme() {
  const say = () => {
    $("theme").textContent = isDark() ? "Light" : "Dark";
    $("theme").setAttribute("aria-label", `Switch to ${isDark() ? "light" : "dark"} colours`);
  };
  $("theme").onclick = () => {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
    staircaseOf = null;
    say();
    if (canDraw) refresh();
  };
  say();
}

function startChoices() {
  const names = data.metrics.map((metric) => metric.name);
  const labels = data.metrics.map((metric) => metric.label);
  fillMenu($("metric"), labels, names);
  fillMenu($("other"), labels, names);
  $("metric").onchange = () => choose({ score: $("metric").value });
  $("other").onchange = () => choose({ against: $("other").value });
  if (data.filter) {
    $("part-choice").hidden = false;
    $("part-choice").firstElementChild.textContent = capital(data.filter.name);
    fillMenu($("part"), ["all", ...data.filter.parts], ["", ...data.filter.parts]);
    $("part").onchange = () => choose({ part: $("part").value || null });
  }
  $("margin-choice").hidden = !isLive();
  $("margin").max = data.unit === "points" ? Math.max(20, 4 * data.margin) : 8 * data.margin || 1;
  $("margin").step = data.time
    ? Math.max(1, Math.round(data.margin / 30))
    : Number.isInteger(data.margin) && data.unit === "points"
      ? 1
      : "any";
  $("margin").value = data.margin;
  const digits = $("margin").step === "1" ? $("margin").max.length : 7;
  $("margin-shown").style.width = `${data.time ? 16 : data.unit.length + 1 + digits}ch`; // the longest text fits
  $("margin").oninput = () => choose({ margin: Number(Number($("margin").value).toPrecision(6)) });
  $("margin-reset").onclick = () => {
    choose({ margin: data.margin });
    $("margin").focus();
  };
  for (const link of document.querySelectorAll("nav a, .skip"))
    link.onclick = (event) => {
      event.preventDefault();
      choose({ view: link.hash.slice(1) });
      if (link.className === "skip") $("table").querySelector("button")?.focus();
    };
  for (const each of document.querySelectorAll("[data-csv]"))
    each.onclick = () =>
      saveTable(
        $(each.dataset.csv),
        each.dataset.csv === "table" ? "overview" : each.dataset.csv === "standings" ? state.score : each.dataset.csv,
      );
  for (const each of document.querySelectorAll("[data-picture]"))
    each.onclick = () => savePicture($(each.dataset.picture), each.dataset.picture);
  $("all-scores").onclick = saveScores;
}

async function start() {
  startTheme();
  showFacts();
  $("banner").hidden = !data.banner;
  $("banner").textContent = isolated(data.banner ?? "");
  if (!data.methods.length || !data.metrics.length) {
    $("nothing").hidden = false;
    $("nothing").textContent = "The table has no rows, so there is nothing to compare.";
    for (const id of ["bar", "overview", "differences", "distributions", "series", "curves"]) $(id).hidden = true;
    $("about").classList.add("current");
    showAbout();
    return;
  }
  const off = !canUnpack
    ? "This browser cannot read the compressed parts of the page (it has no DecompressionStream), " +
      "so only the overview is shown."
    : core === null && data.cuts
      ? "This browser has no WebAssembly, so the page cannot compare cuts, and the margin cannot be changed. " +
        "All scores were computed when the report was made."
      : "";
  $("off").hidden = !off;
  $("off").textContent = off;
  readAddress();
  startChoices();
  startSeries();
  if (!canUnpack) {
    sync();
    for (const id of ["bar", "columns", "differences", "distributions", "series", "curves"]) $(id).hidden = true;
    $("overview").classList.add("current");
    for (const each of [...$("overview").children].slice(6)) each.hidden = true;
    findingsText();
    const names = shownColumns();
    fillTable(
      $("table"),
      ["Method", ...names.map((name) => data.metrics[metricNumber(name)].label)],
      data.methods.map((method, m) => [
        method,
        ...names.map((name) => minus(data.overview.scores[name].texts[m] || "–")),
      ]),
    );
    return;
  }
  addEventListener("popstate", () => {
    readAddress();
    refresh();
  });
  addEventListener("hashchange", () => {
    readAddress();
    refresh();
  });
  let waiting;
  let width = innerWidth;
  addEventListener("resize", () => {
    if (innerWidth === width || matchMedia("print").matches) return;
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      width = innerWidth;
      staircaseOf = null;
      refresh();
    }, 200);
  });
  await refresh();
}

loadEmbeddedCore()
  .then((found) => {
    core = found;
    window.segscore = { core, data, block, state, standingsOf, cellsOf, keptSeries, boardNow };
  })
  .then(start)
  .then(() => {
    document.documentElement.dataset.ready = "yes";
  });
