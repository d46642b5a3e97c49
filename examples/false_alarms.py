"""Measure how often tests find a difference between methods that are equal.

The script draws studies of k methods on n series, in which no method is better than another (or all but one, which is
far worse). It prints the share of studies in which at least one difference between equal methods is significant at 5 %.

    python examples/false_alarms.py --studies 2000
"""

import argparse
from functools import cache
from itertools import combinations

import numpy as np
from scipy import stats

from segscore.boards.signed_ranks import holm, signed_ranks

LEVEL = 0.05
RULES = ("exact tests, Holm", "Friedman gate, then Holm", "Nemenyi", "aeon's rule", "uncorrected")
CASES = (
    (3, 20, 0),
    (5, 20, 0),
    (10, 20, 0),
    (10, 75, 0),
    (10, 20, 1),
    (10, 75, 1),
)  # methods, series, far worse methods


@cache
def critical(k, n):
    """Return the smallest difference of mean ranks that Nemenyi's test finds significant."""
    return stats.studentized_range.ppf(1 - LEVEL, k, np.inf) * np.sqrt(k * (k + 1) / (12 * n))


def alarms(values, worse):
    """Return for each rule whether it finds a difference between two methods that are equal.

    ``values`` has one row per method and one column per series; the last ``worse`` methods are worse than the others.
    """
    k, n = values.shape
    pairs = list(combinations(range(k), 2))
    equal = np.array([b < k - worse for _, b in pairs])
    tests = [signed_ranks(values[a] - values[b]) for a, b in pairs]
    p = np.array([test.p for test in tests])
    ranks = stats.rankdata(-values, axis=0).mean(axis=1)
    gate = stats.friedmanchisquare(*values).pvalue < LEVEL
    corrected = np.array(holm(p.tolist())) < LEVEL
    apart = np.array([ranks[b] - ranks[a] for a, b in pairs])
    # aeon tests in the direction of the mean ranks, on one side, all pairs at the level of the first of k - 1 tests.
    agrees = np.array([test.positive - test.negative for test in tests]) * apart > 0
    found = (
        corrected,
        gate & corrected,
        np.abs(apart) > critical(k, n),
        gate & agrees & (p / 2 < LEVEL / (k - 1)),
        p < LEVEL,
    )
    return [bool((each & equal).any()) for each in found]


def share(k, n, worse, studies, seed=0):
    """Return the share of studies with a false alarm, for each rule."""
    rng = np.random.default_rng([seed, k, n, worse])
    total = np.zeros(len(RULES))
    for _ in range(studies):
        values = rng.normal(size=(k, n))
        values[k - worse :] -= 5
        total += alarms(values, worse)
    return total / studies


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--studies", type=int, default=2000, help="studies per row (default: 2000)")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    print("| truth | methods, series |", " | ".join(RULES), "|")
    print("|---|---|" + "---|" * len(RULES))
    for k, n, worse in CASES:
        truth = "all equal" if not worse else "all equal but one, which is far worse"
        found = share(k, n, worse, asked.studies, asked.seed)
        print(f"| {truth} | {k}, {n} |", " | ".join(f"{x:.3f}" for x in found), "|", flush=True)


if __name__ == "__main__":
    main()
