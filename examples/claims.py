"""Count how often a leaderboard says something false, and measure its power and its intervals: `make claims`.

The script draws studies of methods of which none is better, and prints the share of studies whose conclusion claims a
difference; then the power beside scipy's tests with Holm on the same draws, and the coverage of 95 % intervals. With
`--write` it puts the tables into docs/significance.md.
"""

import argparse
import re
from itertools import combinations
from pathlib import Path

import numpy as np
import polars as pl
from scipy import stats

import segscore as ss
from segscore.boards.flips import LEVEL, flipped, holm
from segscore.boards.intervals import intervals

PAGE = Path(__file__).parents[1] / "docs" / "significance.md"
SIZES = [(methods, series) for methods in (2, 5, 10) for series in (10, 30, 100)]
PER_GROUP = 4  # series
DRAWS = {  # scores between 0 and 1 of equal methods, by a random generator and a shape
    "continuous": lambda rng, shape: np.clip(rng.normal(0.5, 0.1, shape), 0, 1),
    "many ties": lambda rng, shape: rng.integers(0, 5, shape) / 4,
    "half at 1": lambda rng, shape: np.where(rng.random(shape) < 0.5, 1.0, rng.beta(4, 2, shape)),
    "skewed": lambda rng, shape: np.minimum(rng.exponential(0.15, shape), 1.0),
    "10 % failures": lambda rng, shape: np.where(rng.random(shape) < 0.1, np.nan, rng.beta(8, 4, shape)),
    "groups of 4": lambda rng, shape: in_groups(rng, shape),
}
MEANS = {  # values, and their mean
    "normal": (lambda rng, shape: rng.normal(0.5, 0.1, shape), 0.5),
    "60 % ties": (lambda rng, shape: np.where(rng.random(shape) < 0.6, 0, rng.normal(0.1, 0.1, shape)), 0.04),
    "80 % ties, skewed": (
        lambda rng, shape: np.where(rng.random(shape) < 0.8, 0, rng.exponential(1, shape) - 0.5),
        0.1,
    ),
    "10 % failures": (lambda rng, shape: np.where(rng.random(shape) < 0.1, 0, rng.normal(0.8, 0.1, shape)), 0.72),
    "half at the bound": (lambda rng, shape: np.where(rng.random(shape) < 0.5, 1, rng.beta(4, 2, shape)), 5 / 6),
}
KINDS = ("bootstrap-t", "inverted sign flips", "Student")


def in_groups(rng, shape):
    """Return scores of which each group of series shares a part: an intraclass correlation of 0.3."""
    shared = rng.normal(0, 1, (shape[0], -(-shape[1] // PER_GROUP))).repeat(PER_GROUP, axis=1)[:, : shape[1]]
    return np.clip(0.5 + 0.1 * (np.sqrt(0.3) * shared + np.sqrt(0.7) * rng.normal(0, 1, shape)), 0, 1)


def board_of(values, kind):
    """Return the leaderboard of scores, one row per method."""
    methods, series = values.shape
    names = {"method": [f"m{m}" for m in range(methods)], "series": [f"s{s:03}" for s in range(series)]}
    columns = {"method": np.repeat(names["method"], series), "series": np.tile(names["series"], methods)}
    table = pl.DataFrame({**columns, "f1(margin=5)": values.ravel()}).with_columns(
        pl.col("f1(margin=5)").fill_nan(None)
    )
    if kind.startswith("groups"):
        table = table.with_columns(group=pl.col("series").str.slice(1).cast(pl.Int64) // PER_GROUP)
    return ss.leaderboard(table, "f1")


def claims(kind, methods, series, studies):
    """Return the share of studies of equal methods whose conclusion claims a difference."""
    rng = np.random.default_rng([methods, series, *kind.encode()])
    found = 0
    for _ in range(studies):
        said = board_of(DRAWS[kind](rng, (methods, series)), kind).differences().conclusion
        found += bool(re.search(r" is (better|worse) than | pairs of methods differ ", said))
    return found / studies


def powers(methods, series, studies):
    """Return the share of the pairs of the one better method that are shown, by segscore and by scipy with Holm."""
    rng = np.random.default_rng([methods, series])
    shown = np.zeros(2)
    for _ in range(studies):
        values = np.clip(rng.normal(0.5, 0.1, (methods, series)), 0, 1)
        values[0] = np.minimum(values[0] + 0.35 / np.sqrt(series), 1)
        own = board_of(values, "continuous").differences().of("m0")
        pairs = list(combinations(range(methods), 2))
        p = [
            stats.permutation_test(
                (values[a] - values[b],),
                np.mean,
                permutation_type="samples",
                n_resamples=9999,
                vectorized=True,
                rng=rng,
            ).pvalue
            for a, b in pairs
        ]
        corrected = dict(zip(pairs, holm(p), strict=True))
        shown += [
            np.mean([pair.verdict == "better" for pair in own]),
            np.mean([corrected[0, k] <= LEVEL for k in range(1, methods)]),
        ]
    return shown / studies


def coverage(kind, series, samples):
    """Return the share of samples whose interval holds the mean, for each kind of interval."""
    rng = np.random.default_rng([series, *kind.encode()])
    draw, mean = MEANS[kind]
    values = draw(rng, (samples, series))
    half = stats.t.ppf(0.975, series - 1) * values.std(axis=1, ddof=1) / np.sqrt(series)
    ends = (
        [(-np.inf, np.inf) if each is None else each[:2] for each in intervals(values)],
        [each[1:] for each in flipped(values, np.ones(series))],
        np.stack([values.mean(axis=1) - half, values.mean(axis=1) + half], axis=1),
    )
    return [float(np.mean([low <= mean <= high for low, high in each])) for each in ends]


def tables(studies):
    """Return the table of false claims with that of powers, and the table of coverages, as Markdown."""
    lines = ["| scores of equal methods | " + " | ".join(f"{k} on {n}" for k, n in SIZES) + " |"]
    lines.append("|---|" + "---|" * len(SIZES))
    for kind in DRAWS:
        shares = [claims(kind, *size, studies) for size in SIZES]
        lines.append(f"| {kind} | " + " | ".join(f"{share:.3f}" for share in shares) + " |")
        print(lines[-1], flush=True)
    error = np.sqrt(0.05 * 0.95 / studies)
    lines += ["", f"({studies} studies per cell; the standard error at 0.05 is {error:.3f}.)", ""]
    lines += ["| power: methods on series | segscore | scipy's permutation test with Holm |", "|---|---|---|"]
    for size in ((2, 15), (5, 15), (5, 30)):
        own, peer = powers(*size, studies)
        lines.append(f"| {size[0]} on {size[1]} | {own:.3f} | {peer:.3f} |")
        print(lines[-1], flush=True)
    counts = (10, 20, 40, 100)
    covered = ["| values | interval | " + " | ".join(map(str, counts)) + " |", "|---|---|" + "---|" * len(counts)]
    for kind in MEANS:
        shares = np.array([coverage(kind, count, 2 * studies) for count in counts]).T
        for name, row in zip(KINDS, shares, strict=True):
            covered.append(f"| {kind} | {name} | " + " | ".join(f"{share:.3f}" for share in row) + " |")
            print(covered[-1], flush=True)
    return "\n".join(lines), "\n".join(covered)


def main():
    """Print the tables, and write them into the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--studies", type=int, default=400, help="studies per cell (default: 400)")
    parser.add_argument("--write", action="store_true", help="write the tables into docs/significance.md")
    asked = parser.parse_args()
    found = tables(asked.studies)
    if asked.write:
        page = PAGE.read_text()
        for name, table in zip(("claims", "coverage"), found, strict=True):
            part = re.compile(rf"<!-- {name} -->.*<!-- end of {name} -->", re.S)
            page = part.sub(f"<!-- {name} -->\n{table}\n<!-- end of {name} -->", page)
        PAGE.write_text(page)


if __name__ == "__main__":
    main()
