// Play with cuts: the reader moves cuts, and the core of segscore, compiled for browsers, computes every number.
"use strict";

(async () => {
  const place = document.getElementById("playground");
  const n = 100;
  const PRESETS = {
    "both 4 late": [34, 64],
    "both 6 late": [36, 66],
    "one missed": [30],
    "one too many at the edge": [30, 60, 98],
    "three close together": [29, 30, 31, 60],
    "a cut every 10": [10, 20, 30, 40, 50, 60, 70, 80, 90],
    "never cut": [],
  };
  const FIRST = [
    "f1",
    "f1_area",
    "covering",
    "rand_index",
    "adjusted_rand_index",
    "order_adjusted_rand_index",
    "normalized_mutual_information",
    "hausdorff",
    "window_diff",
    "boundary_similarity",
  ];
  const state = { truth: [30, 60], pred: [34, 64], margin: 5, all: false };

  let core;
  try {
    core = await loadCore(Uint8Array.from(atob(coreBytes), (x) => x.charCodeAt(0)));
  } catch (error) {
    place.textContent = `This page needs WebAssembly, which this browser does not run: ${error.message}`;
    return;
  }

  const make = (parent, tag, given = {}, text = "") => {
    const svg = parent.namespaceURI === "http://www.w3.org/2000/svg" || tag === "svg";
    const element = svg ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
    Object.entries(given).forEach(([name, value]) => element.setAttribute(name, value));
    if (text) element.textContent = text;
    parent.append(element);
    return element;
  };

  // The parts of the page, from top to bottom.
  place.replaceChildren();
  const presets = make(place, "p", { class: "presets" });
  const picture = make(place, "svg", { height: 196, role: "group", "aria-label": "The true and the predicted cuts" });
  const controls = make(place, "p", { class: "controls" });
  const label = make(controls, "label", {}, "margin ");
  const margin = make(label, "input", { type: "range", min: 0, max: 20, step: 1, value: state.margin });
  const marginText = make(label, "output");
  const whole = make(make(controls, "label", {}, "all scores "), "input", { type: "checkbox" });
  const call = make(make(place, "pre"), "code", { class: "call" });
  const advice = make(place, "p", { class: "advice", "aria-live": "polite" });
  const table = make(place, "table", { class: "scores" });

  const sorted = (cuts) => [...new Set(cuts)].sort((x, y) => x - y);
  const change = (side, cuts, focus) => {
    state[side] = sorted(cuts);
    show(focus);
  };
  const LANES = { truth: 44, pred: 118 };
  const HEIGHT = 36;
  const LEFT = 8;
  const width = () => Math.max(200, picture.clientWidth || 640) - 2 * LEFT;
  const at = (cut) => LEFT + (cut / n) * width();
  const cutAt = (event) => {
    const x = event.clientX - picture.getBoundingClientRect().left;
    return Math.min(n - 1, Math.max(1, Math.round(((x - LEFT) / width()) * n)));
  };

  function drawLane(side, kinds) {
    const y = LANES[side];
    const cuts = state[side];
    make(
      picture,
      "text",
      { x: LEFT, y: side === "truth" ? y - 26 : y + HEIGHT + 38 },
      side === "truth" ? "truth" : "prediction",
    );
    [0, ...cuts].forEach((start, k) => {
      const end = cuts[k] ?? n;
      const segment = make(picture, "rect", {
        class: `segment ${k % 2 ? "odd" : "even"}`,
        x: at(start),
        y,
        width: at(end) - at(start),
        height: HEIGHT,
      });
      segment.onclick = (event) => change(side, [...cuts, cutAt(event)], [side, cutAt(event)]);
    });
    cuts.forEach((cut) => drawCut(side, cut, kinds[cut], y));
  }

  function drawCut(side, cut, kind, y) {
    const name = `${side === "truth" ? "true" : "predicted"} cut`;
    const group = make(picture, "g", {
      class: `cut ${kind}`,
      transform: `translate(${at(cut)} ${y})`,
      tabindex: 0,
      role: "slider",
      "aria-label": `${name}, ${kind}`,
      "aria-valuemin": 1,
      "aria-valuemax": n - 1,
      "aria-valuenow": cut,
      "data-side": side,
      "data-cut": cut,
    });
    make(group, "rect", { class: "grip", x: -14, y: side === "truth" ? -24 : -6, width: 28, height: HEIGHT + 30 });
    make(group, "line", { y1: -4, y2: HEIGHT + 4 });
    make(group, "text", { y: side === "truth" ? -10 : HEIGHT + 19, "text-anchor": "middle" }, String(cut));
    const others = state[side].filter((other) => other !== cut);
    const remove = () => change(side, others);
    const move = (to) => {
      if (to > 0 && to < n && !others.includes(to)) change(side, [...others, to], [side, to]);
    };
    group.onkeydown = (event) => {
      const step = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10 }[event.key];
      if (step) move(cut + step);
      else if (event.key === "Delete" || event.key === "Backspace") remove();
      else return;
      event.preventDefault();
    };
    group.ondblclick = remove;
    group.onpointerdown = (event) => {
      event.preventDefault();
      let present = cut;
      const drag = (later) => {
        const next = cutAt(later);
        if (next === present || others.includes(next)) return;
        present = next;
        change(side, [...others, next], [side, next]);
      };
      const drop = (later) => {
        removeEventListener("pointermove", drag);
        removeEventListener("pointerup", drop);
        removeEventListener("pointercancel", drop);
        const middle = picture.getBoundingClientRect().top + LANES[side] + HEIGHT / 2;
        // Dragged off its lane. A cancelled touch has no place, and removes nothing.
        if (later.type === "pointerup" && Math.abs(later.clientY - middle) > 90) change(side, others);
      };
      addEventListener("pointermove", drag);
      addEventListener("pointerup", drop);
      addEventListener("pointercancel", drop);
    };
  }

  function showScores() {
    const names = state.all ? core.metrics : FIRST;
    const values = core.scores(
      state.truth,
      state.pred,
      n,
      names.map((name) => (coreMetrics[name].margin ? { name, margin: state.margin } : name)),
    );
    const body = document.createElement("tbody");
    names.forEach((name, k) => {
      const { meaning, best, low, high, page } = coreMetrics[name];
      const value = values[k];
      const row = make(body, "tr", { title: meaning });
      const far = Math.abs(high - best) > Math.abs(low - best) ? high : low;
      const worst = best === 1 ? Math.max(0, far) : far; // bars of adjusted scores start at chance
      make(make(make(row, "th", { scope: "row" }), "a", { href: page }), "code", {}, name);
      const share =
        Number.isFinite(worst) && Number.isFinite(value) ? Math.max(0, (value - worst) / (best - worst)) : null;
      const bar = make(make(row, "td", { class: "bar" }), "span");
      bar.style.width = `${100 * (share ?? 0)}%`;
      make(
        row,
        "td",
        { class: "value" },
        Number.isFinite(value) ? value.toFixed(4).replace(/\.?0+$/, "") : String(value).replace("Infinity", "inf"),
      );
    });
    table.replaceChildren(body);
  }

  // Draws everything anew; `focus` is the cut that keeps the keyboard's focus.
  function show(focus) {
    const { truth, pred } = state;
    const pairs = core.match(truth, pred, n, state.margin);
    const kinds = {
      truth: Object.fromEntries(truth.map((cut) => [cut, "missed"])),
      pred: Object.fromEntries(pred.map((cut) => [cut, "false"])),
    };
    pairs.forEach(([t, p]) => {
      kinds.truth[truth[t]] = kinds.pred[pred[p]] = "matched";
    });
    picture.replaceChildren();
    pairs.forEach(([t, p]) =>
      make(picture, "line", {
        class: "match",
        x1: at(truth[t]),
        x2: at(pred[p]),
        y1: LANES.truth + HEIGHT,
        y2: LANES.pred,
      }),
    );
    drawLane("truth", kinds.truth);
    drawLane("pred", kinds.pred);
    if (focus)
      picture.querySelector(`[data-side="${focus[0]}"][data-cut="${focus[1]}"]`)?.focus({ preventScroll: true });
    marginText.textContent = ` ${state.margin}`;
    call.textContent = `ss.compare([${truth.join(", ")}], [${pred.join(", ")}], n=${n}, margin=${state.margin})`;
    const [first] = core.explain(truth, pred, n);
    advice.textContent =
      first && first[2] > 0
        ? `What would help the Rand Index most: ${first[0]}, ${first[1]} (+${first[2].toFixed(4)}).`
        : "No change of one cut helps the Rand Index.";
    showScores();
  }

  Object.entries(PRESETS).forEach(([name, cuts]) => {
    make(presets, "button", { type: "button" }, name).onclick = () => {
      Object.assign(state, { truth: [30, 60], pred: cuts });
      show();
    };
  });
  margin.oninput = () => {
    state.margin = Number(margin.value);
    show();
  };
  whole.onchange = () => {
    state.all = whole.checked;
    show();
  };
  new ResizeObserver(() => show()).observe(place);
  show();
  place.dataset.ready = "yes";
})();
