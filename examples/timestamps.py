"""A week of machine timestamps: three detectors, scored, ranked and reported.

    python examples/timestamps.py [folder]

Twelve machines report a value each minute in Berlin, in the week in which clocks go back one hour. Each machine is off
for some hours, so there are gaps. The load of a machine changes at some times, which the detectors have to find. They
see only the values, and give positions, which are timestamps of the samples.
"""

from __future__ import annotations

import sys
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import polars as pl

import segscore as ss

ZONE = ZoneInfo("Europe/Berlin")
START, END = datetime(2024, 10, 24, tzinfo=ZONE), datetime(2024, 10, 31, tzinfo=ZONE)
MINUTES = (END.timestamp() - START.timestamp()) // 60  # 7 days and 1 hour, because clocks go back on 27 October


def machine(rng: np.random.Generator) -> tuple[list[datetime], np.ndarray[Any, Any], list[datetime]]:
    """Return the times of the samples, the values, and the times at which the load changed."""
    minutes = np.arange(int(MINUTES))
    for _ in range(3):  # gaps
        off = rng.integers(0, int(MINUTES) - 600)
        minutes = minutes[(minutes < off) | (minutes >= off + rng.integers(60, 500))]
    changes = np.sort(rng.choice(minutes[200:-200:50], size=rng.integers(3, 8), replace=False))
    loads = np.cumsum(rng.choice([-1.0, 1.0], size=changes.size + 1) * rng.uniform(0.8, 2.0, size=changes.size + 1))
    values = loads[np.searchsorted(changes, minutes, side="right")] + rng.normal(0, 0.5, size=minutes.size)
    return [at(int(minute)) for minute in minutes], values, [at(int(minute)) for minute in changes]


def at(minute: int) -> datetime:
    """Return the time that is a number of minutes after the start; a wall clock would skip or repeat an hour."""
    return (START.astimezone(ZoneInfo("UTC")) + timedelta(minutes=minute)).astimezone(ZONE)


def jumps(values: np.ndarray[Any, Any], window: int, least: float) -> list[int]:
    """Return the positions at which the means of the windows before and after differ most, and by at least a size."""
    sums = np.concatenate([[0.0], np.cumsum(values)])
    places = np.arange(window, values.size - window)
    sizes = abs((sums[places + window] - sums[places]) - (sums[places] - sums[places - window])) / window
    found: list[int] = []
    while sizes.size and sizes.max() >= least:
        best = int(sizes.argmax())
        found.append(int(places[best]))
        sizes[max(0, best - window) : best + window] = 0
    return sorted(found)


DETECTORS = {
    "wide window": lambda values: jumps(values, 120, 0.5),
    "narrow window": lambda values: jumps(values, 15, 0.8),
    "late by 20 samples": lambda values: [p + 20 for p in jumps(values, 120, 0.5)],
}


def runs(seed: int = 0) -> pl.DataFrame:
    """Return the runs of all detectors on all machines: lists of timestamps, from start to end."""
    rng, rows = np.random.default_rng(seed), []
    for number in range(12):
        times, values, changes = machine(rng)
        for method, detect in DETECTORS.items():
            pred = [times[place] for place in detect(values)]
            rows.append({"series": f"machine {number + 1}", "method": method, "truth": changes, "pred": pred})
    return pl.DataFrame(rows).with_columns(start=pl.lit(START), end=pl.lit(END))


def main(folder: str = ".") -> None:
    """Score the runs, print the leaderboard, and write the runs and the report into a folder."""
    table = runs()
    table.write_parquet(Path(folder) / "week.parquet")
    metrics = ["f1", ss.metric("f1", margin=timedelta(hours=1)), "mean_error", "covering"]
    scores = ss.score(table, start="start", end="end", metrics=metrics, margin=timedelta(minutes=15))
    print(ss.leaderboard(scores, "f1(margin=15min)"))
    print(ss.leaderboard(scores, "mean_error"))
    page = ss.report(table, Path(folder) / "week.html", metrics=metrics, margin=timedelta(minutes=15))
    print(f"The report is {page}. The same from the shell: segscore report week.parquet --margin 15min")


if __name__ == "__main__":
    main(*sys.argv[1:])
