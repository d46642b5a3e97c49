"""Make the benchmark that `segscore demo` scores: 25 signals x noise x detectors of ruptures.

    python examples/study.py

writes src/segscore/study.parquet: a row for each series and method, with the truth and the prediction (null where the
detector failed), and the signal in the first row of each series. Five signals are the standard signals, and twenty are
random step functions. The signal is the group of a series: series of one signal are related.
"""

from pathlib import Path

import numpy as np
import polars as pl
import ruptures
from ruptures.exceptions import BadSegmentationParameters

import segscore as ss

TARGET = Path(__file__).parent.parent / "src" / "segscore" / "study.parquet"
NOISE = {"low": 0.5, "as in the literature": 1.0, "high": 1.5}  # times the sigma of the literature
RANDOM, SHORT = 20, 6  # random step functions, and how many of them have fewer than 40 points


def penalty(signal: np.ndarray, factor: float) -> float:
    """Return so many times the penalty of the BIC, with the noise estimated from the differences."""
    sigma = np.median(np.abs(np.diff(signal))) / (0.6745 * np.sqrt(2))
    return factor * sigma**2 * np.log(len(signal))


DETECTORS = {
    "PELT": lambda x, r: ruptures.Pelt(model="l2", min_size=2, jump=1).fit(x).predict(pen=penalty(x, 3)),
    "PELT, low penalty": lambda x, r: ruptures.Pelt(model="l2", min_size=2, jump=1).fit(x).predict(pen=penalty(x, 1)),
    "PELT, jump 5": lambda x, r: ruptures.Pelt(model="l2").fit(x).predict(pen=penalty(x, 3)),
    "PELT, absolute error": lambda x, r: (
        ruptures.Pelt(model="l1", min_size=2, jump=5).fit(x).predict(pen=penalty(x, 3) ** 0.5)
    ),
    "binary segmentation": lambda x, r: (
        ruptures.Binseg(model="l2", min_size=2, jump=1).fit(x).predict(pen=penalty(x, 3))
    ),
    "bottom-up": lambda x, r: ruptures.BottomUp(model="l2", min_size=2, jump=1).fit(x).predict(pen=penalty(x, 3)),
    "window of 20": lambda x, r: ruptures.Window(width=20, model="l2", jump=1).fit(x).predict(pen=penalty(x, 3)),
    "window of 150": lambda x, r: ruptures.Window(width=150, model="l2", jump=1).fit(x).predict(pen=penalty(x, 3)),
    "kernel, 20 points or more": lambda x, r: (
        ruptures.KernelCPD(kernel="rbf", min_size=20).fit(x).predict(pen=0.5 * np.log(len(x)))
    ),
    "optimal, number known": lambda x, r: ruptures.KernelCPD(kernel="linear", min_size=2).fit(x).predict(n_bkps=r),
}


KNOWS = {"optimal, number known": "number of cuts"}


def signals():
    """Yield name, truth, levels and noise of each signal."""
    for name, model in ss.simulate.SIGNALS.items():
        made = ss.simulate.signal(name, sigma=0)
        yield name, made.truth, made.levels, model.sigma
    for number in range(1, RANDOM + 1):
        rng = np.random.default_rng(number)
        n = int(rng.integers(30, 40) if number <= SHORT else rng.integers(120, 1000))
        count = 2 if number <= SHORT else int(rng.integers(3, 12))
        cuts = 10 * np.sort(rng.choice(np.arange(1, n // 10), count, replace=False)) + rng.integers(-3, 4, size=count)
        levels = np.repeat(rng.normal(scale=2, size=count + 1), np.diff([0, *cuts, n]))
        yield f"steps {number}", ss.Segmentation(cuts, n=n), levels, 1.0


def rows():
    """Yield a row for each series and method."""
    for number, (name, truth, levels, sigma) in enumerate(signals()):
        for k, (noise, factor) in enumerate(NOISE.items()):
            errors = np.random.default_rng([number, k]).normal(scale=sigma * factor, size=truth.n)
            values = (levels + errors).astype(np.float32).round(3)
            for method, detect in DETECTORS.items():
                try:
                    pred = detect(values.astype(float), len(truth.cuts))[:-1]
                except (BadSegmentationParameters, ValueError, AssertionError) as error:
                    print(f"{name}, {method}: {type(error).__name__} {error}")
                    pred = None
                yield {
                    "series": f"{name}, {noise} noise",
                    "group": name,
                    "method": method,
                    "knows": KNOWS.get(method),
                    "n": truth.n,
                    "truth": truth.cuts,
                    "pred": pred,
                    "signal": values.tolist() if method == next(iter(DETECTORS)) else None,
                }


def main():
    """Write the table."""
    types = {"n": pl.Int32, "truth": pl.List(pl.Int32), "pred": pl.List(pl.Int32), "signal": pl.List(pl.Float32)}
    table = pl.DataFrame(list(rows()), schema_overrides=types)
    table.write_parquet(TARGET, compression="zstd", compression_level=19)
    print(f"{table.height} rows, {table['pred'].null_count()} failures, {TARGET.stat().st_size // 1024} kB")


if __name__ == "__main__":
    main()
