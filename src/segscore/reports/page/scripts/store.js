// The data of the page: a summary that is read at once, and compressed blocks that are read when they are needed.

const data = JSON.parse($("data").textContent);
const packed = new Map(
  [...document.querySelectorAll("script[data-block]")].map((script) => [script.dataset.block, script]),
);
const unpacked = new Map();
const [SCORED, UNDEFINED, FAILED, NOT_RUN, UNREADABLE] = ["scored", "undefined", "failed", "not run", "unreadable"].map(
  (name) => data.stateNames.indexOf(name),
);
const canUnpack = typeof DecompressionStream !== "undefined";
let core = null; // stays null where the browser has no WebAssembly

async function bytesOf(name) {
  const text = packed.get(name).textContent;
  const bytes = Uint8Array.fromBase64
    ? Uint8Array.fromBase64(text)
    : Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  return new Uint8Array(
    await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer(),
  );
}

function block(name) {
  if (!packed.has(name)) return Promise.resolve(null);
  if (!unpacked.has(name))
    unpacked.set(
      name,
      bytesOf(name).then((bytes) => JSON.parse(new TextDecoder().decode(bytes))),
    );
  return unpacked.get(name);
}

const metricNumber = (name) => data.metrics.findIndex((metric) => metric.name === name);
const boardOf = (name) => block(`board-${metricNumber(name)}`);

// The scores of all runs by a metric: values, states, and the values that count and that rank, with failures filled.
const matrices = new Map();
function scoresOf(name) {
  if (!matrices.has(name)) {
    matrices.set(
      name,
      block(`scores-${metricNumber(name)}`).then(({ values, states, fills }) => {
        const scores = values.map((row) => row.map(value));
        const counted = scores.map((row) => [...row]);
        const ranking = scores.map((row) => [...row]);
        for (const [m, k, count, rank] of fills) {
          counted[m][k] = value(count);
          ranking[m][k] = value(rank);
        }
        return { scores, states: states.map((row) => Uint8Array.from(row, Number)), counted, ranking };
      }),
    );
  }
  return matrices.get(name);
}

// One series: its length, the cuts of each annotator, for each method the cuts of its rows, and its signal.
async function runOf(k) {
  const [runs, signals] = await Promise.all([
    block(`runs-${Math.floor(k / data.block)}`),
    block(`signals-${Math.floor(k / data.block)}`),
  ]);
  const run = runs[k % data.block];
  return {
    ...run,
    name: data.series[k],
    signal: signals?.[k % data.block] ?? null,
    whole: data.unit === "points" || Boolean(data.time),
  };
}

// The length of a series as the core takes it: a number of points, or a duration if the cuts are real-valued.
const extent = (run) => (run.whole ? run.length : { duration: run.length });
const inCore = (run, name) => core.metrics.includes(name) && (run.whole || (core.metricsInTime ?? []).includes(name));

async function loadEmbeddedCore() {
  if (typeof WebAssembly === "undefined" || !canUnpack) return null;
  return loadCore(await bytesOf("core"));
}
