"""Make the benchmark that `segscore demo` scores: standard signals x noise x replications x detectors of ruptures.

    python examples/study.py

writes src/segscore/study.parquet: a row for each series and method, with the truth and the prediction (null where the
detector failed), and the signal in the first row of each series.
"""

from pathlib import Path

import numpy as np
import polars as pl
import ruptures
from ruptures.exceptions import BadSegmentationParameters

import segscore as ss

TARGET = Path(__file__).parent.parent / "src" / "segscore" / "study.parquet"
NOISE = {"low": 0.5, "as in the literature": 1.0, "high": 1.5}  # times the sigma of the literature
REPLICATIONS = 5


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
    "kernel, 12 points or more": lambda x, r: ruptures.KernelCPD(kernel="rbf", min_size=12).fit(x).predict(n_bkps=r),
    "optimal, number known": lambda x, r: ruptures.KernelCPD(kernel="linear", min_size=2).fit(x).predict(n_bkps=r),
}


def rows():
    """Yield a row for each series and method."""
    for name in ss.simulate.SIGNALS:
        for noise, factor in NOISE.items():
            for replication in range(1, REPLICATIONS + 1):
                sigma = ss.simulate.SIGNALS[name].sigma * factor
                made = ss.simulate.signal(name, sigma=sigma, rng=replication)
                values, truth = made.values.astype(np.float32).round(3), made.truth
                for method, detect in DETECTORS.items():
                    try:
                        pred = detect(values.astype(float), len(truth.cuts))[:-1]
                    except (BadSegmentationParameters, ValueError, AssertionError) as error:
                        print(f"{name}, {method}: {type(error).__name__} {error}")
                        pred = None
                    yield {
                        "series": f"{name}, {noise} noise, {replication}",
                        "method": method,
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
