"""The page of a large report: its size, and how fast Chromium opens it.

Usage: python bench/page.py [methods series]. Needs playwright and Chromium (SEGSCORE_BROWSER, or chromium on the path). The bootstrap has 99 draws, because the page does
not depend on their number.
"""

import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl
from playwright.sync_api import sync_playwright

import segscore as ss
from segscore.boards import intervals


def runs(methods, series):
    """Return a synthetic table with eight true cuts and a signal per series."""
    rng, rows = np.random.default_rng(0), []
    for s in range(series):
        n = int(rng.integers(500, 2000))
        truth = np.sort(rng.choice(n - 1, 8, replace=False) + 1)
        for m in range(methods):
            pred = np.unique(np.clip(truth + rng.integers(-2 - m, 3 + m, 8), 1, n - 1))[: 8 - m % 4]
            signal = None if m else rng.normal(size=n).astype(np.float32).tolist()
            rows.append((f"series {s:04}", f"method {m:02}", n, truth.tolist(), pred.tolist(), signal, rng.random()))
    lists = {"truth": pl.List(pl.Int64), "pred": pl.List(pl.Int64), "signal": pl.List(pl.Float32)}
    kinds = {"series": pl.String, "method": pl.String, "n": pl.Int64, **lists, "seconds": pl.Float64}
    return pl.DataFrame(rows, schema=kinds, orient="row")


def timed(page, action):
    start = time.perf_counter()
    action()
    page.wait_for_selector("html[data-ready=yes]:not([data-busy])", timeout=100_000)
    return time.perf_counter() - start


def main(methods=20, series=5000):
    intervals.DRAWS = 99
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        path = ss.report(runs(methods, series), Path(folder) / "large.html")
        print(f"{methods} methods, {series} series: {path.stat().st_size / 1e6:.1f} MB")
        program = os.environ.get("SEGSCORE_BROWSER") or shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        found = {"open": [], "distributions": [], "one series": [], "another margin": [], "and another": []}
        for _ in range(3):
            page = browser.new_page()
            found["open"].append(timed(page, lambda page=page: page.goto(path.as_uri())))
            for name, view in (("distributions", "distributions"), ("one series", "series")):
                found[name].append(timed(page, lambda page=page, view=view: page.click(f"nav a[href='#{view}']")))
            page.click("nav a[href='#overview']")
            timed(page, lambda page=page: page.select_option("#metric", "f1(margin=5)"))
            for name, margin in (("another margin", "9"), ("and another", "7")):  # the first one reads all runs
                found[name].append(timed(page, lambda page=page, margin=margin: page.fill("#margin", margin)))
            page.close()
        for name, times in found.items():
            print(f"{name}: {min(times):.2f} s (best of 3)")
        browser.close()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
