// The core of segscore in the browser: its WebAssembly module, with the words of the Python library.
"use strict";

async function loadCore(bytes) {
  const stop = () => { throw new Error("the core wrote to a file"); };
  const { instance } = await WebAssembly.instantiate(bytes, { wasi_snapshot_preview1: { fd_close: stop, fd_seek: stop, fd_write: stop } });
  const core = instance.exports;
  core._initialize();

  const text = (address) => {
    const memory = new Uint8Array(core.memory.buffer, address);
    return new TextDecoder().decode(memory.slice(0, memory.indexOf(0)));
  };
  const names = (count, name) => Array.from({ length: count }, (_, k) => text(name(k)));
  const metrics = names(core.metric_count(), core.metric_name), options = names(core.option_count(), core.option_name);
  const averages = names(core.average_count(), core.average_name);

  // Calls use(address, ...) with copies of typed arrays, and frees them afterwards. Memory may move whenever it grows.
  const lent = (arrays, use) => {
    const places = arrays.map((array) => {
      const place = core.allocate(Math.max(8, array.byteLength));
      if (place === 0) throw new Error("there is not enough memory for the cuts");
      new array.constructor(core.memory.buffer, place, array.length).set(array);
      return place;
    });
    try { return use(...places); } finally { places.forEach((place) => core.release(place)); }
  };
  const taken = (Kind, place) => {
    const count = Number(new Kind(core.memory.buffer, place, 1)[0]);
    const list = Array.from(new Kind(core.memory.buffer, place, count + 1).slice(1), Number);
    core.release(place);
    return list;
  };
  const rows = (list, width) => Array.from({ length: list.length / width }, (_, k) => list.slice(k * width, (k + 1) * width));

  // Calls use(functions, both sides and the length) with checked cuts. The length is a number of points, or {duration}
  // for cuts in real-valued time.
  const isTime = (length) => typeof length === "object";
  const withCuts = (truth, pred, length, use) => {
    const inTime = isTime(length), size = inTime ? length.duration : length;
    if (inTime && !(size > 0 && size < Infinity)) throw new RangeError(`duration = ${size}: expected a positive number`);
    const sides = [truth, pred].map((cuts) => (inTime ? Float64Array.from(cuts) : BigInt64Array.from(cuts, BigInt)));
    const end = inTime ? size : BigInt(size), call = (name) => core[inTime ? `${name}_in_time` : name];
    return lent(sides, (t, p) => {
      [["truth", t], ["pred", p]].forEach(([name, place], k) => {
        const at = call("fault")(place, sides[k].length, end);
        if (at >= 0) throw new RangeError(`${name}[${at}] = ${sides[k][Number(at)]}: expected increasing cuts, 0 < cut < ${size}`);
      });
      return use(call, t, truth.length, p, pred.length, end);
    });
  };

  return {
    metrics,
    options,
    metricsInTime: metrics.filter((_, k) => core.takes_time(k)),
    // The scores of several metrics, each a name or {name, margin, k, ...}.
    scores(truth, pred, length, wanted) {
      const inTime = isTime(length);
      const entries = wanted.map((entry) => (typeof entry === "string" ? { name: entry } : entry));
      const numbers = Uint32Array.from(entries, (entry) => {
        const number = metrics.indexOf(entry.name);
        if (number < 0) throw new RangeError(`${entry.name} is not a metric`);
        if (core.needs_margin(number) && !("margin" in entry || "relative_margin" in entry)) throw new RangeError(`${entry.name} needs a margin`);
        if (inTime && !core.takes_time(number)) throw new RangeError(`${entry.name} counts points: expected a number of points, not a duration`);
        if ("k" in entry && !(entry.k > 0 && (inTime || Number.isInteger(entry.k)))) {
          throw new RangeError(`k = ${entry.k}: expected a positive ${inTime ? "number" : "integer"}`);
        }
        return number;
      });
      const given = Float64Array.from(entries.flatMap((entry) => options.map((option) => (
        option in entry ? (option === "average" ? averages.indexOf(entry.average) : Number(entry[option])) : NaN))));
      return withCuts(truth, pred, length, (call, ...both) => lent([numbers, given, new Float64Array(entries.length)], (which, how, found) => {
        call("scores")(...both, which, how, entries.length, found);
        return Array.from(new Float64Array(core.memory.buffer, found, entries.length));
      }));
    },
    // Pairs of indices of matched cuts: the closest maximum matching.
    match(truth, pred, length, margin) {
      const reach = isTime(length) ? Math.min(margin, length.duration) : BigInt(Math.floor(Math.min(margin, length)));
      return withCuts(truth, pred, length, (call, ...both) => rows(taken(BigInt64Array, call("matched")(...both, reach)), 2));
    },
    // The overlap cells, each with the ends of the two segments around the cell.
    cells(truth, pred, length) {
      const Kind = isTime(length) ? Float64Array : BigInt64Array;
      return withCuts(truth, pred, length, (call, ...both) => rows(taken(Kind, call("cells")(...both)), 4))
        .map(([start, end, t, p]) => ({ start, end, truth: t, prediction: p, beyond: t > p ? "truth" : "prediction" }));
    },
    // All changes of one cut: rows [what, where, change of the Rand Index], the most helpful first.
    explain(truth, pred, length) {
      const list = withCuts(truth, pred, length, (call, ...both) => taken(Float64Array, call("explained")(...both)));
      const next = () => { const [count] = list.splice(0, 1); return rows(list.splice(0, 3 * count), 3); };
      return [
        ...next().map(([cut, , change]) => ["remove a predicted cut", `${cut}`, change]),
        ...next().map(([cut, , change]) => ["add a missed cut", `${cut}`, change]),
        ...next().filter(([t, p]) => t !== p).map(([t, p, change]) => ["move to the true cut", `${p} -> ${t}`, change]),
      ].sort((x, y) => y[2] - x[2]);
    },
  };
}
