"""Measure how often a 95 % interval holds the mean.

The script draws paired differences, half of which are 0 while the others are skewed, and prints the share of samples
whose interval holds the true mean, for three kinds of intervals.

    python examples/coverage.py --samples 2000
"""

import argparse

import numpy as np
from scipy import stats

from segscore.boards.intervals import intervals

SIZES = (5, 10, 20, 40, 75)
KINDS = ("percentile, 1,000 draws", "BCa, 9,999 draws", "Student")
MEAN = 0.25  # of a difference
AT_ONCE = 100  # samples


def drawn(rng, samples, size):
    """Return samples of paired differences: 0 with probability 1/2, otherwise exponential, with mean 1, less 1/2."""
    return np.where(rng.random((samples, size)) < 0.5, 0.0, rng.exponential(1, (samples, size)) - 0.5)


def holds(rng, values):
    """Return for each kind of interval in how many samples it holds the mean."""
    size = values.shape[1]
    means = values[:, rng.integers(0, size, (1000, size))].mean(axis=2)
    percentile = np.quantile(means, [0.025, 0.975], axis=1)
    bca = np.array([each[:2] for each in intervals(values, seed=int(rng.integers(2**31)), least=2)]).T
    half = stats.t.ppf(0.975, size - 1) * values.std(axis=1, ddof=1) / np.sqrt(size)
    student = values.mean(axis=1) + np.array([-1, 1])[:, None] * half
    return [int(((low <= MEAN) & (high >= MEAN)).sum()) for low, high in (percentile, bca, student)]


def coverage(size, samples, seed=0):
    """Return the share of samples whose interval holds the mean, for each kind of interval."""
    rng = np.random.default_rng([seed, size])
    total = np.zeros(len(KINDS))
    for start in range(0, samples, AT_ONCE):
        total += holds(rng, drawn(rng, min(AT_ONCE, samples - start), size))
    return total / samples


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=2000, help="samples per number of series (default: 2000)")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    found = [coverage(size, asked.samples, asked.seed) for size in SIZES]
    print("| series |", " | ".join(map(str, SIZES)), "|")
    print("|---|" + "---|" * len(SIZES))
    for k, kind in enumerate(KINDS):
        print(f"| {kind} |", " | ".join(f"{row[k]:.3f}" for row in found), "|")


if __name__ == "__main__":
    main()
