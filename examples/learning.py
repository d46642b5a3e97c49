"""Training on the expected Rand distance: the experiment of docs/soft.md.

A small convolutional network gives a logit for each gap of a signal. It is trained with three losses on the same
signals: cross-entropy with smeared labels, the expected Rand distance, and their sum. Held-out signals are scored after
two ways of decoding: the segmentation with the highest expected Rand Index, and the threshold that is best on other
signals. The table and the charts of docs/soft.md are written anew. With `--quick` the experiment is too short to mean
anything, and nothing is written. Needs the extras `jax` and `report`.
"""

import itertools
import math
import re
import sys
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np

import segscore as ss
from segscore.jax import soft_rand_loss

PAGE = Path(__file__).parents[1] / "docs" / "soft.md"
N, CHANNELS, WIDTH, DILATIONS = 256, 16, 7, (1, 4, 16)
METRICS = ("rand_index", "adjusted_rand_index", "covering", "f1(margin=5)")
ARMS = {"cross-entropy": (1, 0), "Rand distance": (0, 1), "sum of both": (1, 1)}


def random_signals(count, rng):
    """Return standardised signals with random cuts and levels, and their cuts."""
    signals, truths = np.empty((count, N)), []
    for row in signals:
        like = ss.Segmentation(range(1, 1 + int(rng.integers(0, 11))), n=N)
        (truth,) = ss.simulate.segmentations(1, like, rng=int(rng.integers(2**32)))
        row[:] = np.repeat(rng.normal(0, 1.5, len(truth)), truth.lengths) + rng.normal(size=N)
        truths.append(truth)
    return standardised(signals), truths


def standard_signals(count, seed):
    """Return the five standard signals with noise, each with its cuts."""
    for name in ss.simulate.SIGNALS:
        drawn = ss.simulate.signal(name, count=count, rng=seed)
        yield standardised(drawn.values), [drawn.truth] * count


def standardised(signals):
    """Divide by the noise, which the differences of neighbours show, and subtract the median."""
    noise = np.median(np.abs(np.diff(signals)), axis=1, keepdims=True) / (0.6745 * math.sqrt(2))
    return ((signals - np.median(signals, axis=1, keepdims=True)) / noise).astype(np.float32)


def network(weights, signals):
    """Return one logit per gap of each signal."""
    values = signals[:, :, None]
    for k, (kernel, bias) in enumerate(weights):
        dilation = (*DILATIONS, 1)[k]
        form = ("NWC", "WIO", "NWC")
        passed = jax.lax.conv_general_dilated(
            values, kernel, (1,), "SAME", rhs_dilation=(dilation,), dimension_numbers=form
        )
        values = passed + bias if k == len(DILATIONS) else jax.nn.relu(passed + bias)
    return values[:, 1:, 0]


def first_weights(rng):
    """Return random weights; the first logits are near -3, since cuts are rare."""
    widths = [1, *[CHANNELS] * len(DILATIONS), 1]
    kernels = [rng.normal(0, math.sqrt(2 / (WIDTH * i)), (WIDTH, i, o)) for i, o in itertools.pairwise(widths)]
    biases = [np.zeros(o) for o in widths[1:-1]] + [np.full(1, -3.0)]
    return [(jnp.array(k, jnp.float32), jnp.array(b, jnp.float32)) for k, b in zip(kernels, biases, strict=True)]


def labels(truths):
    """Return 1 at each cut, and labels for cross-entropy with 0.5 beside each cut."""
    hard = np.array([truth.to_mask()[1:] for truth in truths], np.float32)
    smeared = hard.copy()
    smeared[:, 1:] = np.maximum(smeared[:, 1:], hard[:, :-1] / 2)
    smeared[:, :-1] = np.maximum(smeared[:, :-1], hard[:, 1:] / 2)
    return hard, smeared


def trained(arm, seed, steps):
    """Return the weights after so many steps of Adam; all arms see the same signals in the same order."""
    of_entropy, of_rand = ARMS[arm]
    rng = np.random.default_rng(seed)
    weights = first_weights(rng)

    def loss(weights, signals, hard, smeared):
        logits = network(weights, signals)
        entropy = jnp.maximum(logits, 0) - logits * smeared + jnp.log1p(jnp.exp(-jnp.abs(logits)))
        total = of_entropy * entropy.mean()
        return total + soft_rand_loss(hard, logits=logits).mean() if of_rand else total

    @jax.jit
    def step(state, rate, *batch):
        weights, means, squares, count = state
        gradient = jax.grad(loss)(weights, *batch)
        means = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, means, gradient)
        squares = jax.tree.map(lambda s, g: 0.999 * s + 0.001 * g * g, squares, gradient)
        count += 1

        def moved(w, m, s):
            return w - rate * (m / (1 - 0.9**count)) / (jnp.sqrt(s / (1 - 0.999**count)) + 1e-8)

        return jax.tree.map(moved, weights, means, squares), means, squares, count

    none = jax.tree.map(jnp.zeros_like, weights)
    state = weights, none, none, 0.0
    for k in range(steps):
        signals, truths = random_signals(32, rng)
        state = step(state, 3e-3 * 0.5 * (1 + math.cos(math.pi * k / steps)), signals, *labels(truths))
    return state[0]


def predicted(weights, signals):
    """Return the soft segmentation of each signal."""
    return [ss.SoftSegmentation.from_logits(logits) for logits in np.asarray(jax.jit(network)(weights, signals))]


def scores_of(preds, truths, decode):
    """Return the scores of each series, one row per series."""
    rows = [ss.compare(t, decode(p), n=t.n, metrics=METRICS).values() for t, p in zip(truths, preds, strict=True)]
    return np.array([list(row) for row in rows])


def runs(preds):
    """Return the decoded cuts per series, and the share of them within 2 points of the cut before."""
    cuts = [ss.soft_decode(pred).cuts for pred in preds]
    number = sum(map(len, cuts))
    return number / len(cuts), sum(int((np.diff(each) <= 2).sum()) for each in cuts) / max(number, 1)


def experiment(seeds, steps, tests, draws):
    """Return the scores of each set, decoding and arm (seeds, series, metrics), and the reliability curves."""
    held_out = {
        "random": [random_signals(tests, np.random.default_rng(10**6))],
        "standard": list(standard_signals(draws, 5)),
    }
    scores, curves = {}, {}
    for arm in ARMS:
        cases = []
        for seed in range(seeds):
            weights = trained(arm, seed, steps)
            signals, truths = random_signals(60, np.random.default_rng(10**7 + seed))
            threshold = ss.soft_threshold(truths, predicted(weights, signals)).threshold
            for name, sets in held_out.items():
                every = [
                    (p, t) for signals, truths in sets for p, t in zip(predicted(weights, signals), truths, strict=True)
                ]
                preds, truths = zip(*every, strict=True)
                rules = {
                    "highest expected Rand Index": lambda p: ss.soft_decode(p).cuts,
                    "threshold": lambda p, at=threshold: [
                        c for c, chance in zip(p.cuts, p.probability, strict=True) if chance >= at
                    ],
                }
                for rule, decode in rules.items():
                    scores.setdefault((name, rule, arm), []).append(scores_of(preds, truths, decode))
                cases += every if name == "random" else []
            per_series, close = runs([pred for pred, _ in cases[-tests:]])
            print(
                f"{arm}, seed {seed}: threshold {threshold:.3f}, {per_series:.1f} cuts per random signal, "
                f"{close:.0%} within 2 points of the cut before",
                flush=True,
            )
        preds, truths = zip(*cases, strict=True)
        curves[arm] = ss.soft_calibration(truths, preds, margin=2)
    return {key: np.array(each) for key, each in scores.items()}, curves


def table(scores):
    """Return the table: means of cross-entropy, and paired differences from it with 95 % intervals over the series."""
    names = [re.sub(r"\(margin=(\d+)\)", r" (margin \1)", name) for name in METRICS]
    lines = ["| signals | decoding | loss | " + " | ".join(f"`{n}`" if "(" not in n else n for n in names) + " |"]
    lines.append("|" + "---|" * (3 + len(names)))
    for (name, rule, arm), each in scores.items():
        series = each.mean(axis=0)  # over the seeds
        if arm == "cross-entropy":
            cells = [f"{mean:.3f}" for mean in series.mean(axis=0)]
        else:
            cells = []
            difference = series - scores[name, rule, "cross-entropy"].mean(axis=0)
            for column in difference.T:
                half = 1.96 * column.std(ddof=1) / math.sqrt(column.size)
                cells.append(f"{column.mean():+.3f} ± {half:.3f}")
        lines.append(f"| {name} | {rule} | {arm} | " + " | ".join(cells) + " |")
    order = sorted(lines[2:], key=lambda line: [line.split(" | ")[0], line.split(" | ")[1]])
    return "\n".join(lines[:2] + order)


def main():
    """Run the experiment, and write its table and its chart."""
    quick = "--quick" in sys.argv
    scores, curves = experiment(*((1, 3, 4, 1) if quick else (5, 400, 200, 20)))
    text = table(scores)
    print(text)
    for arm, curve in curves.items():
        print(f"expected calibration error at margin 2, {arm}: {curve.error:.3f}")
    if not quick:
        page = PAGE.read_text()
        part = re.compile(r"<!-- learning -->.*<!-- end of learning -->", re.S)
        PAGE.write_text(part.sub(f"<!-- learning -->\n{text}\n<!-- end of learning -->", page))
        ss.charts.calibration(curves).save(str(PAGE.parent / "images" / "soft-calibration.svg"))


if __name__ == "__main__":
    main()
