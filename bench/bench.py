"""Every speed that segscore claims, as ratios measured in one run. `make bench` runs it.

Each line alternates what it compares, repeats, and keeps the best of each, because machines are noisy. Turns are short,
so that some of them are undisturbed even if others use the machine. The limit is the time that numpy takes to read the
input once. `python bench/bench.py growth families` runs only the named parts. With `--processor-time` the time in which
others have the processor does not count, which suits parts without threads and without other processes.
"""

import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
import timeit
from pathlib import Path

import numba
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import ruptures.metrics
import segeval
import sklearn.metrics
from nltk.metrics import segmentation as nltk_segmentation

import segscore as ss

ROWS = []
TIMER = time.process_time if "--processor-time" in sys.argv else time.perf_counter


def best(*calls, number=1, repeat=7):
    """Return the best time of one call of each, in seconds, measured in turns."""
    timers = [timeit.Timer(call, timer=TIMER) if callable(call) else timeit.Timer(*call) for call in calls]
    numbers = number if isinstance(number, list) else [number] * len(timers)
    times = [[] for _ in timers]
    for _ in range(repeat):
        for timer, count, measured in zip(timers, numbers, times, strict=True):
            measured.append(timer.timeit(count) / count)
    return [min(measured) for measured in times]


def statement(function, *args, **kwargs):
    """Return a call for timeit that does not pay for a lambda."""
    names = {"f": function} | {f"a{k}": arg for k, arg in enumerate(args)} | {f"k_{k}": v for k, v in kwargs.items()}
    text = ", ".join([f"a{k}" for k in range(len(args))] + [f"{k}=k_{k}" for k in kwargs])
    return f"f({text})", "pass", TIMER, names


def scaled(seconds):
    for unit, factor in (("s", 1), ("ms", 1e3), ("us", 1e6)):
        if seconds * factor >= 1:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e9:.0f} ns"


def row(case, ours, what, ratio, goal, holds, limit=None):
    against = f"{ours / limit:.1f}x ({scaled(limit)})" if limit else ""
    time = "" if ours is None else scaled(ours)
    ROWS.append((case, time, what, ratio, goal, "yes" if holds else "NO", against))
    print(f"{case:<36} {time:>8}  {what:<38} {ratio:>10}  goal {goal:<18} {ROWS[-1][5]:<3}  {against}", flush=True)


def cuts(r, n, seed):
    return np.sort(np.random.default_rng(seed).choice(n - 1, r, replace=False) + 1)


def gaps(r, seed, mean):
    return np.cumsum(np.random.default_rng(seed).integers(1, 2 * mean, r))


@numba.njit
def algorithm_1(c1, c2):
    """Algorithm 1 of the paper, transcribed, on arrays that start with 0 and end with n."""
    r, s = len(c1) - 1, len(c2) - 1
    d = 0
    b = 0
    for i in range(r):
        for j in range(b, s):
            m = min(c1[i + 1], c2[j + 1]) - max(c1[i], c2[j])
            m = max(0, m)
            d += m * abs(c1[i + 1] - c2[j + 1])
            if c1[i + 1] < c2[j + 1]:
                break
            b = j + 1
    n = c1[r]
    return 1 - d / (n * (n - 1) / 2)


def empty(truth, pred, *, n=None, duration=None):
    return None


def tiny():
    n = 1000
    truth, pred = [100, 250, 400, 700, 900], [110, 240, 410, 690, 901]
    labels = [ss.Segmentation(c, n=n).to_labels() for c in (truth, pred)]
    ours, nothing, theirs, slowest, limit = best(
        statement(ss.rand_index, truth, pred, n=n),
        statement(empty, truth, pred, n=n),
        statement(ruptures.metrics.randindex, [*truth, n], [*pred, n]),
        statement(sklearn.metrics.rand_score, *labels),
        ("f(a), f(b)", "pass", TIMER, {"f": sum, "a": truth, "b": pred}),
        number=[4000, 4000, 150, 3, 4000],
        repeat=200,
    )
    case = "two 5-element lists, n=1000"
    row(case, ours, "faster than ruptures.randindex", f"{theirs / ours:.0f}x", ">= 40x", theirs / ours >= 40, limit)
    row(
        case,
        ours,
        "faster than sklearn.rand_score",
        f"{slowest / ours:.0f}x",
        ">= 4000x",
        slowest / ours >= 4000,
        limit,
    )
    above = ours - nothing
    row(case, ours, "above an empty Python call", f"{above * 1e9:.0f} ns", "<= 250 ns", above <= 250e-9, limit)


def medium():
    r, n = 100_000, 10**7
    truth, pred = cuts(r, n, 1), cuts(r, n, 2)
    ends = [np.concatenate([[0], c, [n]]) for c in (truth, pred)]
    algorithm_1(*ends)
    lists = [[*c.tolist(), n] for c in (truth, pred)]
    ours, transcribed, limit, theirs = best(
        lambda: ss.rand_index(truth, pred, n=n),
        lambda: algorithm_1(*ends),
        lambda: (truth.sum(), pred.sum()),
        lambda: ruptures.metrics.randindex(*lists),
        number=[5, 5, 5, 1],
        repeat=9,
    )
    case = "r = s = 100,000, n = 1e7"
    row(case, ours, "faster than ruptures.randindex", f"{theirs / ours:.0f}x", ">= 300x", theirs / ours >= 300, limit)
    ratio = transcribed / ours
    row(case, ours, "faster than Algorithm 1 in numba", f"{ratio:.1f}x", ">= 1.5x", ratio >= 1.5, limit)


def large():
    r = 10**7
    truth, pred = gaps(r, 1, 100), gaps(r, 2, 100)
    n = int(max(truth[-1], pred[-1])) + 1
    ours, wide, all_counts, limit = best(
        lambda: ss.rand_index(truth, pred, n=n),
        lambda: ss.rand_index(truth, pred, n=10**12),
        lambda: ss.adjusted_rand_index(truth, pred, n=n),
        lambda: (truth.sum(), pred.sum()),
        repeat=11,
    )
    case = "r = s = 1e7"
    row(case, ours, "numpy sums of both, checks included", f"{ours / limit:.2f}x", "<= 4x", ours / limit <= 4, limit)
    row(case, wide, "the same at n = 1e12 (128-bit sums)", f"{wide / limit:.2f}x", "(no goal)", True, limit)
    row(case, all_counts, "the same for adjusted_rand_index", f"{all_counts / limit:.2f}x", "(no goal)", True, limit)


def family(name, **options):
    """Return a call of a score with options."""
    return lambda truth, pred, n: getattr(ss, name)(truth, pred, n=n, **options)


FAMILIES = {
    "information: mutual_information": family("mutual_information"),
    "overlap: covering": family("covering"),
    "boundaries: f1": family("f1", margin=5),
    "boundaries: hausdorff": family("hausdorff"),
    "delays: online_f1": family("online_f1", max_delay=20),
    "windows: pk": family("pk"),
    "windows: window_diff": family("window_diff"),
    "edits: boundary_similarity": family("boundary_similarity"),
    "all: compare": lambda truth, pred, n: ss.compare(truth, pred, n=n, margin=5),
}


def families():
    """Print how each family grows from 1e4 to 1e6 cuts a side."""
    for name, call in FAMILIES.items():
        times = []
        for r in (10**4, 10**5, 10**6):
            # Every turn has other cuts, because the processor learns the branches of a short input by heart.
            turns = [(gaps(r, k, 100), gaps(r, k + 100, 100)) for k in range(9)]
            inputs = iter([(truth, pred, int(max(truth[-1], pred[-1])) + 1) for truth, pred in turns])
            ours, limit = best(
                lambda call=call, inputs=inputs: call(*next(inputs)),
                lambda turns=turns: (turns[0][0].sum(), turns[0][1].sum()),
                repeat=len(turns),
            )
            times.append(ours)
        factor = max(times[1] / times[0], times[2] / times[1])
        row(
            f"{name}, r = s = 1e6",
            ours,
            "over a tenth of the cuts, at most",
            f"{factor:.1f}x",
            "<= 13x",
            factor <= 13,
            limit,
        )


def covering_by_sets(truth, pred, n):
    """Return the covering by its set-based definition, as TCPDBench computes it."""
    parts = [[set(range(a, b)) for a, b in ss.Segmentation(c, n=n).segments] for c in (truth, pred)]
    return sum(len(r) * max(len(r & s) / len(r | s) for s in parts[1]) for r in parts[0]) / n


def peers():
    n = 10**5
    truth, pred = gaps(5000, 1, 10), gaps(5000, 2, 10)
    length = int(max(truth[-1], pred[-1])) + 1
    near = np.unique(np.clip(truth + np.random.default_rng(3).integers(-3, 4, truth.size), 1, length - 1))
    for name, found, ours, theirs in (
        ("hausdorff", pred, family("hausdorff"), ruptures.metrics.hausdorff),
        ("hausdorff, errors up to 3", near, family("hausdorff"), ruptures.metrics.hausdorff),
        ("f1", pred, family("f1", margin=10), lambda *ends: ruptures.metrics.precision_recall(*ends, margin=10)),
    ):
        arguments = (truth, found, length)
        ends = [[*c.tolist(), length] for c in (truth, found)]
        mine, other, limit = best(
            lambda ours=ours, arguments=arguments: ours(*arguments),
            lambda theirs=theirs, ends=ends: theirs(*ends),
            lambda found=found: (truth.sum(), found.sum()),
            number=[20, 1, 20],
            repeat=3,
        )
        ratio = other / mine
        row(f"{name}, r = s = 5,000", mine, "faster than ruptures", f"{ratio:,.0f}x", ">= 5000x", ratio >= 5000, limit)

    truth, pred = cuts(1000, n, 3), cuts(1000, n, 4)
    arguments = (truth, pred, n)
    masses = [tuple(ss.Segmentation(c, n=n).lengths) for c in (pred, truth)]
    strings = ["".join("1" if c else "0" for c in ss.Segmentation(side, n=n).to_mask()[1:]) for side in (truth, pred)]
    k = 50
    for name, ours, peer, theirs, goal in (
        ("covering", family("covering"), "the set-based definition", lambda: covering_by_sets(*arguments), 50_000),
        ("pk", family("pk", k=k), "segeval", lambda: segeval.pk(*masses, window_size=k), 10_000),
        ("pk", family("pk", k=k), "nltk", lambda: nltk_segmentation.pk(*strings, k=k), 1000),
        (
            "window_diff",
            family("window_diff", k=k),
            "segeval",
            lambda: segeval.window_diff(*masses, window_size=k),
            10_000,
        ),
        (
            "window_diff",
            family("window_diff", k=k),
            "nltk",
            lambda: nltk_segmentation.windowdiff(*strings, k),
            1000,
        ),
    ):
        mine, limit = best(lambda ours=ours: ours(*arguments), lambda: (truth.sum(), pred.sum()), number=50, repeat=9)
        (other,) = best(theirs, repeat=1)
        ratio = other / mine
        row(
            f"{name}, 1,000 cuts, n = 1e5",
            mine,
            f"faster than {peer}",
            f"{ratio:,.0f}x",
            f">= {goal:,}x",
            ratio >= goal,
            limit,
        )

    n = 80_000
    sides = [cuts(400, n, seed) for seed in (5, 6)]
    labels = [ss.Segmentation(c, n=n).to_labels() for c in sides]
    mine, other = best(
        lambda: ss.adjusted_mutual_information(*sides, n=n),
        lambda: sklearn.metrics.adjusted_mutual_info_score(*labels),
        repeat=3,
    )
    ratio = other / mine
    row("AMI, r = s = 400, n = 8e4", mine, "faster than sklearn", f"{ratio:.1f}x", ">= 1x", ratio >= 1)


def together():
    """Compare() against calling each of its scores in turn."""
    small = [100, 250, 400, 700, 900], [110, 240, 410, 690, 901], 1000
    truth, pred = gaps(100_000, 1, 100), gaps(100_000, 2, 100)
    large = truth, pred, int(max(truth[-1], pred[-1])) + 1
    functions = [m for m in ss.METRICS.values() if m.cost == "O(r+s)" and not m.only_tables]
    for case, (truth, pred, n), number in (("two 5-element lists", small, 200), ("r = s = 100,000", large, 1)):

        def in_turn(truth=truth, pred=pred, n=n):
            for metric in functions:
                metric.function(truth, pred, n=n, **({"margin": 5} if metric.needs_margin else {}))

        all_at_once, each = best(
            lambda truth=truth, pred=pred, n=n: ss.compare(truth, pred, n=n, margin=5),
            in_turn,
            number=number,
            repeat=90 if number > 1 else 9,
        )
        share = all_at_once / each
        what = f"of calling its {len(functions)} scores in turn"
        row(f"compare, {case}", all_at_once, what, f"{share:.2f}", "<= 0.33", share <= 1 / 3)
        if number > 1:
            row(f"compare, {case}", all_at_once, "the whole of it", scaled(all_at_once), "<= 5 us", all_at_once <= 5e-6)


def growth():
    before = None
    for r in (10**k for k in range(2, 8)):
        truth, pred = gaps(r, 3, 100), gaps(r, 4, 100)
        n = int(max(truth[-1], pred[-1])) + 1
        ours, limit = best(
            lambda truth=truth, pred=pred, n=n: ss.rand_index(truth, pred, n=n),
            lambda truth=truth, pred=pred: (truth.sum(), pred.sum()),
            number=max(1, 100_000 // r),
            repeat=11,
        )
        factor = ours / before if before else 1.0
        shown = f"{factor:.1f}x" if before else ""
        row(f"growth: r = s = {r:,}", ours, "over a tenth of the cuts", shown, "<= 11.5x", factor <= 11.5, limit)
        before = ours
    truth, pred = gaps(1000, 5, 5), gaps(1000, 6, 5)
    calls = [statement(ss.rand_index, truth, pred, n=10_000 + 10**k) for k in range(4, 19, 2)]
    *times, limit = best(*calls, lambda: (truth.sum(), pred.sum()), number=300, repeat=15)
    flat = max(times) / min(times)
    case = "growth: n = 1e4 to 1e18, r = s = 1e3"
    row(case, times[0], "most over least", f"{flat:.2f}x", "<= 1.5x", flat <= 1.5, limit)


def memory():
    """Peak memory of one call on memory-mapped files, in a process of its own; the files' pages are not its memory."""
    r = 10**7
    code = """
import os, sys, threading, time
import numpy as np, segscore as ss
truth, pred = (np.load(f, mmap_mode="r") for f in sys.argv[1:3])
ss.rand_index(truth[:1000], pred[:1000], n=10**12)

def own():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("RssAnon"))

before, peak, done = own(), 0, False
def watch():
    global peak
    while not done:
        peak = max(peak, own())
        time.sleep(0.0005)
watcher = threading.Thread(target=watch)
watcher.start()
time.sleep(0.05)
before = own()
peak = 0
for _ in range(5):
    ss.rand_index(truth, pred, n=10**12)
done = True
watcher.join()
print(max(0, peak - before))
"""
    with tempfile.TemporaryDirectory() as folder:
        files = [str(Path(folder) / f"{k}.npy") for k in range(2)]
        for k, file in enumerate(files):
            np.save(file, gaps(r, k, 100))
        extra = int(subprocess.run([sys.executable, "-c", code, *files], capture_output=True, check=True).stdout)
    row("memory-mapped, r = s = 1e7", None, "extra peak memory", f"{extra} kB", "< 1024 kB", extra < 1024)


def beyond():
    """Time what no peer has: chance, consensus, blame, matrices, simulation."""
    rng = np.random.default_rng(1)
    n = 10**5
    sides = [cuts(50, n, seed) for seed in (1, 2)]
    (ours,) = best(lambda: ss.rand_test(*sides, n=n, rng=1), repeat=9)
    row("rand_test, r = s = 50", ours, "9,999 draws", scaled(ours), "about 20 ms", ours <= 25e-3)
    truth = ss.Segmentation(cuts(10**5, 10**12, 3), n=10**12)
    (ours,) = best(lambda: ss.expected_rand_index(truth, 10**5), repeat=5)
    row("expected_rand_index, r = s = 1e5", ours, "n = 1e12, closed form", scaled(ours), "(no goal)", True)

    inputs = [cuts(200, 10**6, seed) for seed in range(20)]
    (ours,) = best(lambda: ss.consensus(inputs, n=10**6), repeat=5)
    row("consensus, 20 inputs", ours, "4,000 different cuts", scaled(ours), "< 50 ms", ours < 50e-3)
    inputs = [cuts(10**4, 10**7, seed) for seed in range(10)]
    (ours,) = best(lambda: ss.consensus(inputs, n=10**7), repeat=3)
    row("consensus, 10 inputs", ours, "100,000 different cuts", scaled(ours), "< 5 s", ours < 5)

    times = []
    for r in (10**4, 10**5):
        pair = gaps(r, 3, 100), gaps(r, 4, 100)
        length = int(max(pair[0][-1], pair[1][-1])) + 1
        times += best(lambda pair=pair, length=length: ss.explain(*pair, n=length), repeat=3)
    factor = times[1] / times[0]
    row("explain, r = s = 1e5", times[1], "over a tenth of the cuts", f"{factor:.1f}x", "<= 13x", factor <= 13)

    times = []
    for r in (3000, 30_000):
        pair = [cuts(r, 300 * r, seed) for seed in (5, 6)]
        times += best(lambda pair=pair, r=r: ss.match(*pair, n=300 * r, margin=100_000), repeat=5)
    factor = times[1] / times[0]
    case = "match, r = s = 30,000, margin 100,000"
    row(case, times[1], "over a tenth of the cuts", f"{factor:.1f}x", "<= 15x", factor <= 15)

    many = [cuts(50, n, seed) for seed in range(2000)]
    lists = [[*side.tolist(), n] for side in many[:40]]
    pairs = [(a, b) for k, a in enumerate(lists) for b in lists[k:]]
    two, one, theirs = best(
        lambda: ss.pairwise(many, n=n, threads=2),
        lambda: ss.pairwise(many, n=n, threads=1),
        lambda: [ruptures.metrics.randindex(a, b) for a, b in pairs],
        repeat=5,
    )
    ratio = theirs / len(pairs) * (2000 * 2001 / 2) / two
    row("pairwise, 2,000 of 50 cuts", two, "faster than a loop over ruptures", f"{ratio:.0f}x", ">= 300x", ratio >= 300)
    row(
        "pairwise, 2,000 of 50 cuts",
        two,
        "of one thread's time, with two",
        f"{two / one:.2f}",
        "<= 0.65",
        two / one <= 0.65,
    )
    centres = [cuts(12, 10**4, seed) for seed in range(20)]
    near = [np.unique(np.clip(centres[k % 20] + rng.integers(-40, 41), 1, 9999)) for k in range(2064)]
    found = ss.nearest(near[:2000], near[2000:], 3, n=10**4)
    (ours,) = best(lambda: ss.nearest(near[:2000], near[2000:], 3, n=10**4), repeat=5)
    share = found.evaluated / (64 * 2000)
    row("nearest, 64 queries among 2,000", ours, "of all distances computed", f"{share:.3f}", "(no goal)", True)
    like = ss.Segmentation(sides[0], n=n)
    (ours,) = best(lambda: ss.simulate.segmentations(10**4, like, rng=1), repeat=5)
    row("simulate, 10,000 of 50 cuts", ours, "random segmentations", scaled(ours), "(no goal)", True)


def curves():
    """Time curves against one matching per point of the curve."""
    n = 10**5
    truth, pred = cuts(1000, n, 3), cuts(1000, n, 4)
    largest = int(ss.f1_curve(truth, pred, n=n).points[-1].margin)
    ours, loop = best(
        lambda: ss.f1_curve(truth, pred, n=n),
        lambda: [ss.f1(truth, pred, n=n, margin=margin) for margin in range(largest + 1)],
        repeat=9,
    )
    ratio = loop / ours
    case, what = "f1_curve, 1,000 cuts, n = 1e5", f"faster than f1 at each of {largest + 1:,} margins"
    row(case, ours, what, f"{ratio:.0f}x", ">= 5x", ratio >= 5)
    times = []
    for r in (10**4, 10**5):
        pair = [cuts(r, 100 * r, seed) for seed in (5, 6)]
        times += best(lambda pair=pair, r=r: ss.f1_area(*pair, n=100 * r, margin=100), repeat=5)
    factor = times[1] / times[0]
    row(
        "f1_area, r = s = 1e5, margin 100",
        times[1],
        "over a tenth of the cuts",
        f"{factor:.1f}x",
        "<= 30x",
        factor <= 30,
    )


def thresholds():
    """Time curves over thresholds against one matching per threshold."""
    n = 10**5
    truth, pred = cuts(1000, n, 3), cuts(1000, n, 4)
    confidence = np.random.default_rng(5).permutation(1000) / 1000
    ours, loop, matchings = best(
        lambda: ss.precision_recall_curve(truth, pred, confidence=confidence, n=n, margin=50),
        lambda: [ss.f1(truth, pred[confidence >= level], n=n, margin=50) for level in confidence],
        lambda: [ss.match(truth, pred[confidence >= level], n=n, margin=50) for level in confidence],
        repeat=9,
    )
    case = "precision_recall_curve, 1,000 cuts"
    for name, seconds, goal in (("f1", loop, 3), ("match", matchings, 30)):
        ratio = seconds / ours
        row(case, ours, f"faster than {name} at each threshold", f"{ratio:.0f}x", f">= {goal}x", ratio >= goal)
    times = []
    for r in (10**4, 10**5):
        pair = [cuts(r, 100 * r, seed) for seed in (5, 6)]
        sure = np.random.default_rng(7).random(r)
        times += best(
            lambda pair=pair, r=r, sure=sure: ss.average_precision(*pair, confidence=sure, n=100 * r, margin=50),
            repeat=5,
        )
    factor = times[1] / times[0]
    case = "average_precision, r = s = 1e5"
    row(case, times[1], "over a tenth of the cuts", f"{factor:.1f}x", "<= 30x", factor <= 30)


def streams():
    """Time streams of all points, of a window, and of alarms."""

    def stream(kind, events=10**4):
        running = kind()
        for t in range(1, events, 2):
            running.truth(t)
            running.pred(t + 1)
            running.at(t + 1)

    kinds = {
        "RunningRand": ss.RunningRand,
        "WindowedRand": lambda: ss.WindowedRand(1000),
        "RunningOnline": ss.RunningOnline,
        "RunningOnline in time": lambda: ss.RunningOnline(in_time=True),
    }
    times = best(*(lambda kind=kind: stream(kind) for kind in kinds.values()), repeat=5)
    for name, seconds in zip(kinds, times, strict=True):
        each = seconds / 1.5e4
        row(f"{name}, per event", each, "two cuts and one call of at()", scaled(each), "(no goal)", True)


def soft():
    """Time expected scores against the Rand Index, and the loss with its gradient against cross-entropy in JAX."""
    import jax

    n, r = 10**9, 10**6
    rng = np.random.default_rng(8)
    sides = [cuts(r, n, seed) for seed in (9, 10)]
    hard = [ss.Segmentation(side, n=n) for side in sides]
    uncertain = [ss.SoftSegmentation(side, rng.random(side.size), n=n) for side in sides]
    ours, rand = best(lambda: ss.soft_rand_index(*uncertain), lambda: ss.rand_index(*hard), repeat=25)
    row("soft_rand_index, r = s = 1e6", ours, "over rand_index", f"{ours / rand:.1f}x", "<= 4x", ours <= 4 * rand)

    @jax.jit
    @jax.value_and_grad
    def cross_entropy(z, y):
        return jax.numpy.mean(jax.numpy.maximum(z, 0) - z * y + jax.numpy.log1p(jax.numpy.exp(-abs(z))))

    logits, truth = rng.normal(size=10**7), (rng.random(10**7) < 0.01).astype(float)
    (once,) = best(lambda: logits[: 10**6].sum() + truth[: 10**6].sum(), repeat=25)
    for kind in (np.float64, np.float32):
        jax.config.update("jax_enable_x64", kind == np.float64)
        given = logits[: 10**6].astype(kind), truth[: 10**6].astype(kind)
        arrays = [jax.numpy.array(each) for each in given]
        cross_entropy(*arrays)
        mine, theirs = best(
            lambda z=given[0], y=given[1]: ss.soft_rand_loss(y, logits=z),
            lambda a=arrays: jax.block_until_ready(cross_entropy(*a)),
            number=20,  # the processor time of threads that still run is known only after some milliseconds
            repeat=9,
        )
        case, ratio = f"soft_rand_loss, 1e6 {kind.__name__} logits", mine / theirs
        row(case, mine, "over cross-entropy in JAX, with gradients", f"{ratio:.1f}x", "<= 5x", ratio <= 5, once)
    jax.config.update("jax_enable_x64", False)
    # Both calls get as much new memory for their gradients, so the ratio shows the growth of the work alone.
    rows = truth.reshape(10, -1), logits.reshape(10, -1)
    long, ten = best(
        lambda: ss.soft_rand_loss(truth, logits=logits), lambda: ss.soft_rand_loss(rows[0], logits=rows[1]), repeat=9
    )
    factor = long / ten
    row("soft_rand_loss, 1e7 logits", long, "over ten series of 1e6", f"{factor:.2f}x", "<= 1.15x", factor <= 1.15)


def list_column(rows, seed):
    """Return a column of lists of 0 to 20 cuts below 1000."""
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 21, rows)
    ends = np.cumsum(counts)
    gaps = np.cumsum(rng.integers(1, 48, ends[-1]))
    before = np.concatenate([[0], gaps])[ends - counts]
    return pa.LargeListArray.from_arrays(np.concatenate([[0], ends]), gaps - np.repeat(before, counts))


def run_and_measure(*arguments):
    """Return the seconds and the peak memory in MB of a command in a process of its own."""
    code = (
        "import resource, subprocess, sys, time; t = time.perf_counter(); subprocess.run(sys.argv[1:], check=True); "
        "print(time.perf_counter() - t, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)"
    )
    found = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True)
    seconds, peak = found.stdout.split()
    return float(seconds), int(peak)


def tables(rows=10**7):
    """Time whole tables: the kernel, Parquet to Parquet, memory, threads, and a loop in their place."""
    table = pa.table({"truth": list_column(rows, 1), "pred": list_column(rows, 2), "n": np.full(rows, 1000)})
    options = {"metrics": ["rand_index"]}
    two, one, limit = best(
        lambda: ss.score(table, **options, threads=2),
        lambda: ss.score(table, **options, threads=1),
        lambda: [np.asarray(table[side].chunk(0).values).sum() for side in ("truth", "pred")],
        repeat=3,
    )
    case = f"table, {rows:,} rows"
    row(case, two, "a row, two threads", f"{two / rows * 1e9:.0f} ns", "(no goal)", True, limit)
    row(case, two, "of one thread's time, with two", f"{two / one:.2f}", "<= 0.65", two / one <= 0.65)
    sample = table.slice(0, 2000).to_pylist()
    (theirs,) = best(
        lambda: [ruptures.metrics.randindex([*x["truth"], 1000], [*x["pred"], 1000]) for x in sample], repeat=3
    )
    ratio = theirs / len(sample) * rows / two
    row(case, two, "faster than a loop over ruptures", f"{ratio:.0f}x", "(no goal)", True)
    with tempfile.TemporaryDirectory() as folder:
        source, out = Path(folder) / "in.parquet", Path(folder) / "out.parquet"
        pq.write_table(table, source, compression="zstd", row_group_size=10**6)
        copy = f"import polars as pl; pl.scan_parquet({str(source)!r}).sink_parquet({str(out)!r})"
        score = "from segscore.cli import main; main()"
        copying, scoring, peaks = [], [], []
        for _ in range(3):
            copying.append(run_and_measure(sys.executable, "-c", copy)[0])
            arguments = ("score", str(source), "-o", str(out), "--metrics", "rand_index")
            seconds, peak = run_and_measure(sys.executable, "-c", score, *arguments)
            scoring.append(seconds)
            peaks.append(peak)
        share = min(copying) / min(scoring)
        row(
            "segscore score, Parquet",
            min(scoring),
            "of the speed of Polars copying it",
            f"{share:.2f}",
            ">= 0.7",
            share >= 0.7,
        )
        for k in range(5):
            os.symlink(source, Path(folder) / f"part{k}.parquet")
        arguments = ("score", str(Path(folder) / "part*.parquet"), "-o", str(out), "--metrics", "rand_index")
        seconds, peak = run_and_measure(sys.executable, "-c", score, *arguments)
        factor = peak / max(peaks)
        what = f"peak memory over that of a fifth ({max(peaks)} MB)"
        row(f"segscore score, {5 * rows:,} rows", seconds, what, f"{factor:.2f}", "<= 1.2", factor <= 1.2)


def start():
    """Time the import beyond that of numpy, and the command line from nothing to its help."""
    # As installed packages are, all are imported from bytecode: the first run writes it.
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}

    def run(code, *arguments):
        command = [sys.executable, "-c", code, *arguments]
        return lambda: subprocess.run(command, capture_output=True, check=True, env=kept)

    both, numpy = best(run("import numpy, segscore"), run("import numpy"), repeat=15)
    ours = both - numpy
    row("import segscore", ours, "beyond import numpy", f"{ours * 1e3:.0f} ms", "<= 60 ms", ours <= 0.06)
    (ours,) = best(run("from segscore.cli import main; main()", "--help"), repeat=15)
    row("segscore --help", ours, "until it is there", f"{ours * 1e3:.0f} ms", "<= 150 ms", ours <= 0.15)


def machine():
    name = platform.processor() or platform.machine()
    if Path("/proc/cpuinfo").exists():
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        name = next((line.split(": ")[1] for line in lines if line.startswith("model name")), name)
    return f"{name}, {os.cpu_count()} cores, {platform.system()}, CPython {platform.python_version()}, numpy {np.__version__}"


def main():
    print(machine(), flush=True)
    parts = [
        tiny,
        medium,
        large,
        growth,
        memory,
        together,
        peers,
        families,
        beyond,
        curves,
        thresholds,
        streams,
        soft,
        tables,
        start,
    ]
    named = [argument for argument in sys.argv[1:] if not argument.startswith("-")]
    for part in parts:
        if not named or part.__name__ in named:
            part()
    print("\n| case | segscore | compared | ratio | goal | met | times the limit (reading once) |")
    print("|---|---|---|---|---|---|---|")
    for line in ROWS:
        print("| " + " | ".join(line) + " |")
    print(f"\npeak of the whole bench: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB")
    return 0 if all(line[5] == "yes" for line in ROWS) else 1


if __name__ == "__main__":
    sys.exit(main())
