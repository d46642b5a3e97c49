"""The command for studies, and the study that `segscore demo --live` runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from .. import simulate, study
from ..optional import library
from ..optional import polars as pl
from ..showing import count_text
from ..study.scripts import read_study
from .printing import INTEGER, NUMBER, echo

__all__ = ["live", "run"]


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("-o", "--out", type=click.Path(dir_okay=False, path_type=Path), help="Output; runs.parquet by default.")
@click.option("--workers", type=INTEGER, help="Processes that run at once; by default the number of cores.")
@click.option("--timeout", type=NUMBER, help="The time limit of each run in seconds; 60 by default.")
@click.option("--memory", type=INTEGER, help="The memory limit of each run in bytes; by default there is no limit.")
@click.option("--repeats", type=INTEGER, help="The number of repeats of each run, each with its own seed.")
@click.option("--seed", type=INTEGER, help="The seed of the study; 0 by default.")
@click.option("--retry", type=click.Choice(["failed"]), help="Run failed runs of the journal again.")
@click.option("--check", is_flag=True, help="Check a TOML file and its series, and run and import nothing.")
def run(file: Path, check: bool, **given: Any) -> None:  # noqa: ANN401
    """Run the detectors of a study over its series.

    FILE is a Python file that defines `detectors` and `series`, as for segscore.study.run, and optionally `timeout` and
    the other options; or a TOML file. Options of the command line replace those of the file. If the command is killed,
    run the same command again: the study continues where it stopped.

    A study file is a program: run only files that you trust. A TOML file too names code to import and to call; --check
    looks at such a file without importing anything.

    \b
    segscore run study.py -o runs.parquet
    segscore report runs.parquet
    """
    options = read_study(file, {name: value for name, value in given.items() if value is not None}, check=check)
    if check:
        echo(f"{file} is a study of {count_text(len(options['detectors']), 'detector')}", err=True)
        return
    options.setdefault("out", "runs.parquet")
    table = study.run(options.pop("detectors"), options.pop("series"), **options)
    counts = table["status"].value_counts(sort=True)
    shown = ", ".join(f"{count} {status}" for status, count in counts.iter_rows())
    echo(f"{options['out']} is written: {count_text(table.height, 'run')} ({shown})", err=True)


def live() -> Any:  # noqa: ANN401
    """Run detectors of ruptures on the standard signals here, and return the runs with the signals."""
    rpt = library("ruptures", extra=None)
    noise = {"low noise": 0.5, "noise as in the literature": 1.0}
    series = {
        f"{name}, {level}": simulate.signal(name, sigma=model.sigma * factor, rng=1)
        for name, model in simulate.SIGNALS.items()
        for level, factor in noise.items()
    }

    def penalised(make: Any, factor: float) -> Any:  # noqa: ANN401
        def detect(signal: Any) -> Any:  # noqa: ANN401
            import numpy as np

            sigma = np.median(np.abs(np.diff(signal))) / (0.6745 * np.sqrt(2))  # standard deviation of the noise
            return make().fit(signal).predict(pen=factor * sigma**2 * np.log(len(signal)))

        return study.Detector(detect, kind="ends")

    detectors = {
        "PELT": penalised(lambda: rpt.KernelCPD(kernel="linear", min_size=2), 3),
        "PELT, low penalty": penalised(lambda: rpt.KernelCPD(kernel="linear", min_size=2), 1.5),
        "binary segmentation": penalised(lambda: rpt.Binseg(model="l2", min_size=2, jump=5), 3),
        "bottom-up": penalised(lambda: rpt.BottomUp(model="l2", min_size=2, jump=5), 3),
        "window of 20": penalised(lambda: rpt.Window(width=20, model="l2", jump=5), 3),
        "kernel, 10 cuts": study.Detector(rpt.KernelCPD(kernel="rbf", min_size=12), predict={"n_bkps": 10}),
    }
    runs = study.run(detectors, series, out=None, timeout=20)
    signals = pl.DataFrame({"series": list(series), "signal": [one.values for one in series.values()]})
    return runs.drop("error").join(signals, on="series", how="left", maintain_order="left")
