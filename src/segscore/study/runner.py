"""The runner: every detector on every series, each run in a process that may fail alone."""

from __future__ import annotations

import os
import pickle
import platform
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Literal, NamedTuple

from .. import arguments
from ..optional import library
from ..tables.aside import aside
from .calibration import finds_step, step
from .collection import Series, read_series
from .detectors import canonical_params, checked, settings_of
from .digests import code_of, digest, seed_of, signal_digest, versions_of
from .journal import Journal, journal_of
from .pool import Answer, Pool
from .progress import Progress
from .worker import Task

__all__ = ["COLUMNS", "FAILED", "run", "run_chunk"]

COLUMNS = (
    *("series", "group", "method", "params", "default", "repeat", "n", "truth", "pred", "status", "error"),
    *("seconds", "cpu_seconds", "warmup_seconds", "memory", "seed", "started", "machine", "versions", "key"),
)
FAILED = ("error", "timeout", "memory", "crash", "invalid")


class Cell(NamedTuple):
    """One run of a study: a series, a method with one setting, and a repeat."""

    series: Series
    method: str
    params: dict[str, Any] | None
    setting: str | None  # the parameters as text
    default: bool
    repeat: int
    seed: int
    versions: str
    key: str

    def task(self, memory: int | None) -> Task:
        """Return what a worker needs to run the cell."""
        return Task(self.method, self.params, self.setting or "", self.series.signal, self.seed, memory)


class Limits(NamedTuple):
    """What a run may take."""

    timeout: float
    memory: int | None
    cores: int
    warmup: float


def run(
    detectors: Mapping[str, Any],
    series: Any,  # noqa: ANN401
    *,
    out: str | os.PathLike[str] | None = "runs.parquet",
    workers: int | None = None,
    timeout: float = 60,
    memory: int | None = None,
    repeats: int = 1,
    seed: int = 0,
    retry: Literal["failed"] | None = None,
    cores: int = 1,
    warmup: float = 60,
    executor: Any = None,  # noqa: ANN401
    progress: bool = True,
) -> Any:  # noqa: ANN401
    """Run every detector on every series, and return one row per run as a Polars DataFrame.

    Each run is a call in a process of its own kind: a run that takes too long, too much memory, raises an error or ends
    its process becomes a row with a ``status`` and an ``error``, and all others go on. Finished runs are kept in a
    journal beside ``out``. If the study is killed, the same call goes on where it was; changed detectors and signals
    are run again. The table is written when the study ends, and when Ctrl-C ends it.

    Parameters
    ----------
    detectors
        A mapping from names of methods to detectors: a function ``signal -> cuts``; an object of ruptures, aeon,
        sktime, skchange or claspy; a `Detector`; or a `Grid` of settings. Lambdas and functions of a notebook work.
    series
        A mapping from names to signals, or to results of `segscore.simulate.signal`; a table with the columns
        ``series``, ``signal`` and optionally ``truth`` and ``group``; or a folder of the Turing Change Point Dataset. A
        signal has one value per point, or one row per point with one value per channel.
    out
        The Parquet file; None writes neither the table nor the journal.
    workers
        The number of processes that run at once; by default the number of cores.
    timeout
        The most seconds of a run.
    memory
        The most bytes that a run may allocate beyond what its process has; by default there is no limit.
    repeats
        How often each run is repeated, with another seed.
    seed
        The seed of the study. Each run has a seed of its own, which depends on nothing but the study's seed, the
        series, the method, its parameters and the repeat. A detector gets this seed as ``random_state`` or ``seed`` if
        it takes one, and so do the generators of Python and NumPy.
    retry
        ``"failed"`` runs failed runs of the journal again.
    cores
        The number of threads that numerical libraries may use in a run.
    warmup
        The most seconds for loading a detector and calling it on the calibration signal, if ``timeout`` is less.
    executor
        A ``distributed.Client``: the runs are sent to the workers of Dask, in chunks.
    progress
        Whether the progress is shown on standard error: a bar on a terminal, otherwise a line per minute.

    """
    cloudpickle = library("cloudpickle", extra="study")
    library("polars", extra="study")
    target = None if out is None else Path(out)
    if target is not None and target.suffix.lower() != ".parquet":
        raise ValueError(f"out = {str(out)!r} ends with {target.suffix or 'nothing'!r}; expected .parquet")
    if retry not in (None, "failed"):
        raise ValueError(f"retry = {retry!r:.40} is unknown; expected 'failed' or None")
    limits = _limits(timeout, memory, cores, warmup)
    collected = read_series(series)
    methods = _methods(detectors)
    blobs = {name: cloudpickle.dumps(detector) for name, detector in methods.items()}
    cells = _cells(methods, collected, arguments.integer(repeats, "repeats", least=1), arguments.integer(seed, "seed"))
    count = arguments.threads(workers)
    with Journal(None if target is None else journal_of(target)) as journal:
        left = [cell for cell in cells if _is_left(journal.rows.get(cell.key), retry)]
        random.Random(seed).shuffle(left)
        shown = Progress(len(left), shown=progress)
        try:
            if left:
                with Pool(blobs, min(count, len(left)), limits.cores, limits.warmup) as pool:
                    used = {cell.method for cell in left}
                    _calibrate(pool, {k: v for k, v in methods.items() if k in used}, collected[0], limits, shown)
                    answers = _on_dask(executor, blobs, left, limits) if executor else _here(pool, left, limits, shown)
                    for cell, answer in answers:
                        journal.add(_row(cell, answer))
                        shown.finished(answer["status"] in FAILED)
                        shown.show()
        finally:
            shown.close()
            table = _table(cells, journal.rows)
            if target is not None:
                with aside(target) as part:
                    table.write_parquet(part)
    return table


def _limits(timeout: float, memory: int | None, cores: int, warmup: float) -> Limits:
    for name, value in (("timeout", timeout), ("warmup", warmup)):
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < float("inf"):
            raise ValueError(f"{name} = {value!r:.40} is not a time limit; expected a positive number of seconds")
    most = None if memory is None else arguments.integer(memory, "memory", least=1)
    return Limits(float(timeout), most, arguments.integer(cores, "cores", least=1), float(warmup))


def _methods(detectors: Mapping[str, Any]) -> dict[str, Any]:
    if not isinstance(detectors, Mapping):
        raise TypeError(f"detectors is a {type(detectors).__name__}; expected a mapping from names to detectors")
    if not detectors:
        raise ValueError("detectors is empty; expected a mapping from names to detectors")
    return {str(name): checked(str(name), detector) for name, detector in detectors.items()}


def _cells(methods: Mapping[str, Any], collected: Sequence[Series], repeats: int, seed: int) -> list[Cell]:
    """Return all cells in order: series, method, setting, repeat."""
    known = {}
    for name, detector in methods.items():
        code, packages = code_of(detector)
        versions = digestible(versions_of(packages))
        texts = [
            (params, None if params is None else canonical_params(params, name), default)
            for params, default in settings_of(name, detector)
        ]
        known[name] = (code, versions, texts)
    cells = []
    for one in collected:
        data = signal_digest(one.signal)
        for name, (code, versions, texts) in known.items():
            for params, text, default in texts:
                for repeat in range(repeats):
                    own = seed_of(seed, one.name, name, text, repeat)
                    key = digest(one.name, name, text, data, repeat, seed, versions, code)
                    cells.append(Cell(one, name, params, text, default, repeat, own, versions, key))
    return cells


def digestible(versions: Mapping[str, str]) -> str:
    """Return versions as JSON with sorted names."""
    import json

    return json.dumps(versions, sort_keys=True, separators=(",", ":"))


def _is_left(row: Mapping[str, Any] | None, retry: str | None) -> bool:
    return row is None or (retry == "failed" and row["status"] in FAILED)


def _calibrate(pool: Pool, methods: Mapping[str, Any], first: Series, limits: Limits, shown: Progress) -> None:
    """Give every detector the calibration signal, and raise if one is off by a point."""
    settings = {}
    for name, detector in methods.items():
        every = settings_of(name, detector)
        params = next((params for params, default in every if default), every[0][0])
        settings[name] = (params, "" if params is None else canonical_params(params, name))
    channels = 0 if first.signal.ndim == 1 else first.signal.shape[1]
    found: dict[str, list[list[int] | None]] = {name: [] for name in methods}
    for reverse in (False, True):
        names = [name for name in methods if not reverse or found[name] != [None]]
        tasks = [Task(name, *settings[name], step(channels, reverse=reverse), 0, warm=False) for name in names]
        for number, answer in pool.run(tasks, max(limits.warmup, limits.timeout)):
            found[names[number]].append(answer["pred"])
            if answer["status"] in ("timeout", "crash"):
                pool.cold.add((names[number], settings[names[number]][1]))
    unsure = [
        name
        for name, detector in methods.items()
        if getattr(detector, "shift", None) is None and not finds_step(name, *(*found[name], None)[:2])
    ]
    if unsure:
        shown.note(
            f"note: the convention of {', '.join(unsure)} is not checked, because the step of the calibration signal "
            "was not found"
        )


def _here(pool: Pool, cells: Sequence[Cell], limits: Limits, shown: Progress) -> Iterator[tuple[Cell, Answer]]:
    """Run cells in the processes of a pool of this machine."""
    place = _machine()

    def tick() -> None:
        running = pool.running()
        slowest = f"{running[0][1].method} has run for {running[0][0]:.0f} s" if running and running[0][0] > 2 else ""
        shown.show(slowest)

    for number, answer in pool.run((cell.task(limits.memory) for cell in cells), limits.timeout, tick):
        answer |= {"machine": place, "started": _started(answer)}
        yield cells[number], answer


def _on_dask(
    client: Any,  # noqa: ANN401
    blobs: Mapping[str, bytes],
    cells: Sequence[Cell],
    limits: Limits,
) -> Iterator[tuple[Cell, Answer]]:
    """Run cells on the workers of Dask, in chunks; a chunk of a worker that dies is run again on another."""
    distributed = library("distributed", extra="dask")
    threads = max(1, sum(client.nthreads().values()))
    size = max(1, min(50, -(-len(cells) // (4 * threads))))
    every = pickle.dumps(dict(blobs))  # goes with each chunk, so that no worker that dies takes it away
    chunks = {}
    for start in range(0, len(cells), size):
        part = cells[start : start + size]
        tasks = [cell.task(limits.memory) for cell in part]
        chunks[client.submit(run_chunk, every, tasks, limits, retries=3, pure=False)] = part
    try:
        for future, answers in distributed.as_completed(list(chunks), with_results=True):
            yield from zip(chunks.pop(future), answers, strict=True)
    finally:
        client.cancel(list(chunks))


def run_chunk(detectors: bytes, tasks: Sequence[Task], limits: Limits) -> list[Answer]:
    """Run cells in a process below a worker of Dask, and return their answers in order."""
    place, found = _machine(), {}
    with Pool(pickle.loads(detectors), 1, limits.cores, limits.warmup) as pool:
        for number, answer in pool.run(tasks, limits.timeout):
            found[number] = answer | {"machine": place, "started": _started(answer)}
    return [found[number] for number in range(len(tasks))]


def _started(answer: Answer) -> str:
    """Return when a run started, in UTC."""
    ended = datetime.now(timezone.utc).timestamp()
    start = datetime.fromtimestamp(ended - (answer["seconds"] or 0), timezone.utc)
    return start.isoformat(timespec="milliseconds")


def _machine() -> str:
    """Return the kind of machine: system, processor and number of cores."""
    name = platform.processor() or platform.machine()
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            name = next((line.partition(":")[2].strip() for line in file if line.startswith("model name")), name)
    except OSError:
        pass
    return f"{platform.system()} {platform.machine()}, {name}, {os.cpu_count()} cores"


def _row(cell: Cell, answer: Answer) -> dict[str, Any]:
    """Return what the journal keeps of a finished cell."""
    named = {"key": cell.key, "series": cell.series.name, "method": cell.method, "params": cell.setting}
    return {**named, "repeat": cell.repeat, "seed": cell.seed, "versions": cell.versions, **answer}


def _table(cells: Sequence[Cell], rows: Mapping[str, Mapping[str, Any]]) -> Any:  # noqa: ANN401
    """Return the finished cells in the order of the study, one row each."""
    pl = library("polars")
    done = [(cell, rows[cell.key]) for cell in cells if cell.key in rows]
    several = any(cell.series.annotators for cell, _ in done)
    cuts = pl.List(pl.Int64)

    def truth(cell: Cell) -> Any:  # noqa: ANN401
        known = cell.series.truth
        return known if known is None or several else known[0]

    own: dict[str, tuple[Any, Callable[[Cell], Any]]] = {
        "series": (pl.String, lambda cell: cell.series.name),
        "group": (pl.String, lambda cell: cell.series.group),
        "method": (pl.String, lambda cell: cell.method),
        "params": (pl.String, lambda cell: cell.setting),
        "default": (pl.Boolean, lambda cell: cell.default),
        "repeat": (pl.Int64, lambda cell: cell.repeat),
        "n": (pl.Int64, lambda cell: len(cell.series.signal)),
        "truth": (pl.List(cuts) if several else cuts, truth),
    }
    kept = {
        **{"pred": cuts, "status": pl.String, "error": pl.String},
        **{"seconds": pl.Float64, "cpu_seconds": pl.Float64, "warmup_seconds": pl.Float64, "memory": pl.Int64},
        **{"seed": pl.UInt64, "started": pl.String, "machine": pl.String, "versions": pl.String, "key": pl.String},
    }
    columns = [pl.Series(name, [make(cell) for cell, _ in done], kind) for name, (kind, make) in own.items()]
    columns += [pl.Series(name, [row[name] for _, row in done], kind) for name, kind in kept.items()]
    table = pl.DataFrame(columns).select(COLUMNS)
    return table.with_columns(pl.col("started").str.to_datetime(time_unit="ms", time_zone="UTC"))
