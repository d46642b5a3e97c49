// The core of segscore in the browser: its WebAssembly module, with the words of the Python library.
"use strict";

async function loadCore(bytes) {
  const stop = () => {
    throw new Error("the core wrote to a file");
  };
  const { instance } = await WebAssembly.instantiate(bytes, {
    wasi_snapshot_preview1: { fd_close: stop, fd_seek: stop, fd_write: stop },
  });
  const core = instance.exports;
  core._initialize();

  const text = (address) => {
    const memory = new Uint8Array(core.memory.buffer, address);
    return new TextDecoder().decode(memory.slice(0, memory.indexOf(0)));
  };
  const names = (count, name) => Array.from({ length: count }, (_, k) => text(name(k)));
  const metrics = names(core.metric_count(), core.metric_name);
  const options = names(core.option_count(), core.option_name);
  const kinds = names(core.option_count(), core.option_kind); // the kind of the values of each option
  const averages = names(core.average_count(), core.average_name);

  // Copies a typed array into the memory of the core, which may move whenever it grows.
  const copied = (array) => {
    const place = core.allocate(Math.max(8, array.byteLength));
    if (place === 0) throw new Error("there is not enough memory for the cuts");
    new array.constructor(core.memory.buffer, place, array.length).set(array);
    return place;
  };
  // Calls use(address, ...) with copies of typed arrays, and frees them afterwards.
  const lent = (arrays, use) => {
    const places = arrays.map(copied);
    try {
      return use(...places);
    } finally {
      places.forEach((place) => core.release(place));
    }
  };
  const taken = (Kind, place) => {
    const count = Number(new Kind(core.memory.buffer, place, 1)[0]);
    const list = Array.from(new Kind(core.memory.buffer, place, count + 1).slice(1), Number);
    core.release(place);
    return list;
  };
  const rows = (list, width) =>
    Array.from({ length: list.length / width }, (_, k) => list.slice(k * width, (k + 1) * width));

  // The length is a number of points, or {duration} for cuts in real-valued time.
  const isTime = (length) => typeof length === "object";
  const kindOf = (inTime) => (inTime ? Float64Array : BigInt64Array);
  const own = (inTime) => (inTime ? Number : BigInt);
  const named = (name, inTime) => core[inTime ? `${name}_in_time` : name];
  const sizeOf = (length) => {
    const inTime = isTime(length);
    const size = inTime ? length.duration : length;
    if (inTime && !(size > 0 && size < Infinity))
      throw new RangeError(`duration = ${size}: expected a positive number`);
    return size;
  };
  const checkCuts = (name, cuts, place, size, inTime) => {
    const at = named("fault", inTime)(place, cuts.length, own(inTime)(size));
    if (at >= 0)
      throw new RangeError(`${name}[${at}] = ${cuts[Number(at)]}: expected increasing cuts, 0 < cut < ${size}`);
  };
  // Calls use(function by name, both sides and the length) with checked cuts.
  const withCuts = (truth, pred, length, use) => {
    const inTime = isTime(length);
    const size = sizeOf(length);
    const sides = [truth, pred].map((cuts) => kindOf(inTime).from(cuts, own(inTime)));
    return lent(sides, (t, p) => {
      checkCuts("truth", truth, t, size, inTime);
      checkCuts("pred", pred, p, size, inTime);
      return use((name) => named(name, inTime), t, truth.length, p, pred.length, own(inTime)(size));
    });
  };

  // The metrics by their numbers, and one row of options for each; each entry is a name or {name, margin, k, ...}.
  const planOf = (wanted, inTime) => {
    const entries = wanted.map((entry) => (typeof entry === "string" ? { name: entry } : entry));
    const numbers = Uint32Array.from(entries, (entry) => {
      const number = metrics.indexOf(entry.name);
      if (number < 0) throw new RangeError(`${entry.name} is not a metric`);
      if (core.needs_margin(number) && !("margin" in entry || "relative_margin" in entry))
        throw new RangeError(`${entry.name} needs a margin`);
      if (inTime && !core.takes_time(number))
        throw new RangeError(`${entry.name} counts points: expected a number of points, not a duration`);
      options.forEach((option, k) => {
        const isWindow = option in entry && kinds[k] === "window";
        if (isWindow && !(entry[option] > 0 && (inTime || Number.isInteger(entry[option]))))
          throw new RangeError(`${option} = ${entry[option]}: expected a positive ${inTime ? "number" : "integer"}`);
      });
      return number;
    });
    const given = Float64Array.from(
      entries.flatMap((entry) =>
        options.map((option, k) =>
          option in entry ? (kinds[k] === "average" ? averages.indexOf(entry[option]) : Number(entry[option])) : NaN,
        ),
      ),
    );
    return [numbers, given];
  };

  // Copies pairs [truth, pred, length] to the core and checks them, once. A side is a list of cuts, or {cuts, labels}
  // with one label per segment; a side that occurs in several pairs is copied once. Returns what computes their scores.
  const gather = (pairs) => {
    const inTime = pairs.length > 0 && isTime(pairs[0][2]);
    const Kind = kindOf(inTime);
    const cast = own(inTime);
    const SIDE = 3;
    const UNLABELLED = 0xffffffff;
    const numbers = new Map();
    const sides = [];
    const cuts = [];
    const labels = [];
    const lengths = Kind.from(pairs, ([, , length]) => cast(sizeOf(length)));
    const add = (side, labelled, name) => {
      const known = numbers.get(side);
      if (known !== undefined && (sides[SIDE * known + 2] !== UNLABELLED) === labelled) return known;
      const own = side.cuts ?? side;
      const count = own.length + 1;
      if (side.labels && side.labels.length !== count)
        throw new RangeError(
          `${name} has ${side.labels.length} labels for ${count} segments: expected one label per segment`,
        );
      sides.push(cuts.length, own.length, labelled ? labels.length : UNLABELLED);
      for (const cut of own) cuts.push(cut);
      if (labelled) {
        // on a side without labels, every segment has a label of its own
        const codes = new Map();
        for (let k = 0; k < count; ++k) {
          const label = side.labels ? side.labels[k] : k;
          if (!codes.has(label)) codes.set(label, BigInt(codes.size));
          labels.push(codes.get(label));
        }
      }
      numbers.set(side, sides.length / SIDE - 1);
      return sides.length / SIDE - 1;
    };
    const both = new Uint32Array(2 * pairs.length);
    pairs.forEach(([truth, pred], k) => {
      const labelled = Boolean(truth.labels ?? pred.labels);
      both[2 * k] = add(truth, labelled, "truth");
      both[2 * k + 1] = add(pred, labelled, "pred");
    });
    const places = [Kind.from(cuts, cast), BigInt64Array.from(labels), Uint32Array.from(sides), both, lengths].map(
      copied,
    );
    const [first, , , pairsAt, lengthsAt] = places;
    const release = () => places.forEach((place) => core.release(place));
    try {
      pairs.forEach((pair, k) =>
        ["truth", "pred"].forEach((name, side) => {
          const at = SIDE * both[2 * k + side];
          checkCuts(
            name,
            pair[side].cuts ?? pair[side],
            first + 8 * sides[at],
            inTime ? pair[2].duration : pair[2],
            inTime,
          );
        }),
      );
    } catch (error) {
      release();
      throw error;
    }
    return {
      size: pairs.length,
      release,
      // The scores of the pairs from..to-1, those of one pair beside each other.
      scores(wanted, from = 0, to = pairs.length) {
        const [which, how] = planOf(wanted, inTime);
        const count = to - from;
        const found = new Float64Array(count * which.length);
        return lent([which, how, found], (metricsAt, optionsAt, foundAt) => {
          named("scores", inTime)(
            ...places.slice(0, 3),
            pairsAt + 8 * from,
            lengthsAt + 8 * from,
            count,
            metricsAt,
            optionsAt,
            which.length,
            foundAt,
          );
          return new Float64Array(core.memory.buffer, foundAt, found.length).slice();
        });
      },
    };
  };

  return {
    metrics,
    options,
    metricsInTime: metrics.filter((_, k) => core.takes_time(k)),
    metricsOfLabels: metrics.filter((_, k) => core.takes_labels(k)),
    gather,
    // The scores of several metrics for one pair. With labels, metrics that take labels score the clusters.
    scores(truth, pred, length, wanted) {
      const gathered = gather([[truth, pred, length]]);
      try {
        return Array.from(gathered.scores(wanted));
      } finally {
        gathered.release();
      }
    },
    // Pairs of indices of matched cuts: the closest maximum matching.
    match(truth, pred, length, margin) {
      return withCuts(truth, pred, length, (call, ...both) =>
        rows(taken(BigInt64Array, call("matched")(...both, margin)), 2),
      );
    },
    // The overlap cells, each with the ends of the two segments around the cell.
    cells(truth, pred, length) {
      const Kind = isTime(length) ? Float64Array : BigInt64Array;
      return withCuts(truth, pred, length, (call, ...both) => rows(taken(Kind, call("cells")(...both)), 4)).map(
        ([start, end, t, p]) => ({ start, end, truth: t, prediction: p, beyond: t > p ? "truth" : "prediction" }),
      );
    },
    // All changes of one cut: rows [what, where, change of the Rand Index], the most helpful first.
    explain(truth, pred, length) {
      const list = withCuts(truth, pred, length, (call, ...both) => taken(Float64Array, call("explained")(...both)));
      const next = () => {
        const [count] = list.splice(0, 1);
        return rows(list.splice(0, 3 * count), 3);
      };
      return [
        ...next().map(([cut, , change]) => ["remove a predicted cut", `${cut}`, change]),
        ...next().map(([cut, , change]) => ["add a missed cut", `${cut}`, change]),
        ...next()
          .filter(([t, p]) => t !== p)
          .map(([t, p, change]) => ["move to the true cut", `${p} -> ${t}`, change]),
      ].sort((x, y) => y[2] - x[2]);
    },
  };
}
