"""Scores on a Dask cluster, one task per file."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .tables.files import score_files
from .tables.options import Options, PairOptions, shows_options

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["score"]


@shows_options(PairOptions)
def score(
    client: Any,  # noqa: ANN401
    paths: Iterable[str | Path],
    out: str | Path,
    truth: str = "truth",
    pred: str = "pred",
    n: str | int | None = "n",
    *,
    retries: int = 3,
    **options: Unpack[PairOptions],
) -> list[Path]:
    """Score files into a folder on a Dask cluster, one task per file, and return the outputs.

    Files are .parquet, .csv or .jsonl. ``client`` is a ``distributed.Client``; the files and the folder are on a disk
    that all workers share. Each output is written under another name and renamed when it is complete, so a worker that
    dies leaves no partial output. Its files are scored again on another worker, up to ``retries`` times. The numbers
    are bit for bit those of a single machine. The outputs are returned in the order of the inputs.
    """
    checked = Options(truth=truth, pred=pred, n=n, threads=1, **options)
    sources = [str(path) for path in paths]
    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    targets = [folder / Path(source).name for source in sources]
    if len(set(targets)) < len(targets):
        raise ValueError("two files have the same name; expected different names in one output folder")
    futures = [
        client.submit(score_files, [source], target, checked, retries=retries, pure=False)
        for source, target in zip(sources, targets, strict=True)
    ]
    for source, notes in zip(sources, client.gather(futures), strict=True):
        for note in notes:
            warnings.warn(f"{source}: {note}", stacklevel=2)
    return targets
