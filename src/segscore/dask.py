"""Scores on a Dask cluster, one task per file."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from datetime import timedelta
from pathlib import Path
from typing import Any, Literal

from .tables.files import score_files
from .tables.options import Options

__all__ = ["score"]


def score(
    client: Any,  # noqa: ANN401
    paths: Iterable[str | Path],
    out: str | Path,
    truth: str = "truth",
    pred: str = "pred",
    n: str | int | None = "n",
    *,
    metrics: Iterable[str] | None = None,
    margin: float | timedelta | None = None,
    relative_margin: float | None = None,
    duration: str | float | None = None,
    start: Any = None,  # noqa: ANN401
    end: Any = None,  # noqa: ANN401
    truth_labels: str | None = None,
    pred_labels: str | None = None,
    ends: bool = False,
    on_error: Literal["raise", "null"] = "raise",
    against: Literal["all", "others"] = "all",
    retries: int = 3,
) -> list[Path]:
    """Score files into a folder on a Dask cluster, one task per file, and return the outputs.

    Files are .parquet, .csv or .jsonl. ``client`` is a ``distributed.Client``; the files and the folder are on a disk
    that all workers share. Each output is written under another name and renamed when it is complete, so a worker that
    dies leaves no partial output. Its files are scored again on another worker, up to ``retries`` times. The numbers
    are bit for bit those of a single machine. The outputs are returned in the order of the inputs.
    """
    options = Options(
        truth=truth,
        pred=pred,
        n=n,
        metrics=metrics,
        margin=margin,
        relative_margin=relative_margin,
        duration=duration,
        start=start,
        end=end,
        truth_labels=truth_labels,
        pred_labels=pred_labels,
        ends=ends,
        on_error=on_error,
        threads=1,
        against=against,
    )
    sources = [str(path) for path in paths]
    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    targets = [folder / Path(source).name for source in sources]
    if len(set(targets)) < len(targets):
        raise ValueError("two files have the same name; expected different names in one output folder")
    futures = [
        client.submit(score_files, [source], target, options, retries=retries, pure=False)
        for source, target in zip(sources, targets, strict=True)
    ]
    for source, notes in zip(sources, client.gather(futures), strict=True):
        for note in notes:
            warnings.warn(f"{source}: {note}", stacklevel=2)
    return targets
