"""Cells on a cluster: chunks of cells that the workers of Dask run in processes of their own."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..optional import library
from .cells import Cell
from .machines import stamped
from .pool import Answer, Limits, Pool
from .worker import Task

__all__ = ["on_dask", "run_chunk"]


def on_dask(
    client: Any,  # noqa: ANN401
    blobs: Mapping[str, bytes],
    cells: Sequence[Cell],
    limits: Limits,
) -> Iterator[tuple[Cell, Answer]]:
    """Run cells on the workers of Dask, in chunks of one method; if a worker dies, its chunk is run again."""
    distributed = library("distributed", extra="dask")
    threads = max(1, sum(client.nthreads().values()))
    size = max(1, min(50, -(-len(cells) // (4 * threads))))
    every = pickle.dumps(dict(blobs))  # sent with every chunk, so that it survives the death of a worker
    methods: dict[str, list[Cell]] = {}
    for cell in cells:
        methods.setdefault(cell.method, []).append(cell)
    chunks = {}
    for part in (own[start : start + size] for own in methods.values() for start in range(0, len(own), size)):
        tasks = [cell.task(limits.memory) for cell in part]
        chunks[client.submit(run_chunk, every, tasks, limits, retries=3, pure=False)] = part
    try:
        for future, answers in distributed.as_completed(list(chunks), with_results=True):
            yield from zip(chunks.pop(future), answers, strict=True)
    finally:
        client.cancel(list(chunks))


def run_chunk(detectors: bytes, tasks: Sequence[Task], limits: Limits) -> list[Answer]:
    """Run cells in a process below a worker of Dask, and return their answers in order."""
    with Pool(pickle.loads(detectors), 1, limits) as pool:
        found = {number: stamped(answer, shared=True) for number, answer in pool.run(tasks, limits.timeout)}
    return [found[number] for number in range(len(tasks))]
