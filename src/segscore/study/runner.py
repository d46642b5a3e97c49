"""The runner: every detector on every series, in processes whose failure ends only one run."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator, Mapping, Sequence
from numbers import Real
from pathlib import Path
from typing import Any, Literal, NamedTuple

from .. import arguments
from ..optional import library
from ..outputs import aside, check_output
from .calibration import finds_step, step
from .cells import FAILED_STATUSES, Cell, row_of, study_cells, table_of
from .cluster import on_dask
from .collection import Series, checked_name, read_series
from .detectors import canonical_params, checked, settings_of
from .journal import Journal, journal_of
from .machines import stamped
from .plans import Plan, planned
from .pool import Answer, Limits, Pool
from .progress import Progress
from .worker import Task

__all__ = ["checked_options", "run"]


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
    plan: Plan | None = None,
    retry: Literal["failed"] | None = None,
    cores: int = 1,
    warmup: float = 60,
    executor: Any = None,  # noqa: ANN401
    progress: bool = True,
) -> Any:  # noqa: ANN401
    """Run every detector on every series, and return one row per run as a Polars DataFrame.

    Each run is a call in a worker process. A run that takes too long or too much memory, raises an error or ends its
    process becomes a row with a ``status`` and an ``error``, and all other runs go on. Finished runs are kept in a
    journal beside ``out``. If the study is killed, the same call continues where the study stopped; changed detectors
    and signals are run again. The table is written when the study ends, and when Ctrl-C ends it.

    Parameters
    ----------
    detectors
        A mapping from names of methods to detectors: a function ``signal -> cuts``; an object of ruptures, aeon,
        sktime, skchange or claspy; a `Detector`; or a `Grid` of settings. Lambdas and functions of notebooks work too.
    series
        A mapping from names to signals, to pairs ``(signal, cuts)``, or to results of `segscore.simulate.signal`; a
        table with the columns ``series``, ``signal`` and optionally ``truth`` and ``group``; a folder of CSV files,
        with their truths in ``truths.csv``; or a folder of the Turing Change Point Dataset. A signal has one value per
        point, or one row per point with one value per channel. Cuts may also be a `Segmentation`, or a mapping or a
        list of the cuts of several annotators.
    out
        The Parquet file; None writes neither the table nor the journal.
    workers
        The number of processes that run at once; by default the number of cores.
    timeout
        The time limit of each run, in seconds.
    memory
        The memory limit of each run, in bytes beyond what its process has already; by default there is no limit.
    repeats
        The number of repeats of each run; each repeat has its own seed. The column ``random`` says which runs took a
        seed, or drew from the random generators of Python or NumPy.
    seed
        The seed of the study. Each run has a seed of its own, which depends only on the study's seed, the series, the
        method, its parameters and the repeat. A detector that takes ``random_state`` or ``seed`` gets this seed, and
        the random generators of Python and NumPy are seeded with it.
    plan
        A `Plan`: the score, the rule for failures and the reference that are fixed before the runs. Each run keeps the
        plan with which it was made, and captions say whether a score was planned.
    retry
        ``"failed"`` runs failed runs of the journal again.
    cores
        The number of threads that numerical libraries may use in a run.
    warmup
        The time limit, in seconds, of loading a detector, and of each of its first calls in a process: on the
        calibration signal, and on the first series, where a detector may compile. A larger ``timeout`` replaces this
        limit.
    executor
        A ``distributed.Client``: the runs are sent to the workers of Dask, in chunks.
    progress
        Whether the progress is shown on standard error: a bar on a terminal, otherwise a line per minute.

    """
    cloudpickle = library("cloudpickle", extra="study")
    library("polars", extra="study")
    progress = arguments.flag(progress, "progress")
    arguments.choice(retry, "retry", ("failed", None))
    if executor is not None and not (hasattr(executor, "submit") and hasattr(executor, "nthreads")):
        raise TypeError(f"executor = {executor!r:.40} is a {type(executor).__name__}; expected a distributed.Client")
    target, count, limits, repeats, seed = checked_options(
        out=out,
        workers=workers,
        timeout=timeout,
        memory=memory,
        repeats=repeats,
        seed=seed,
        cores=cores,
        warmup=warmup,
    )
    collected = read_series(series)
    methods = _methods(detectors)
    text = planned(plan, methods)
    blobs = {name: _pickled(cloudpickle, name, detector) for name, detector in methods.items()}
    cells = study_cells(methods, collected, repeats, seed)
    with Journal(None if target is None else journal_of(target)) as journal:
        left = [cell for cell in cells if _is_left(journal.rows.get(cell.key), retry)]
        random.Random(seed).shuffle(left)
        shown = Progress(len(left), shown=progress)
        try:
            if left:
                with Pool(blobs, min(count, len(left)), limits) as pool:
                    used = {cell.method for cell in left}
                    _calibrate(pool, {k: v for k, v in methods.items() if k in used}, collected[0], limits, shown)
                    answers = on_dask(executor, blobs, left, limits) if executor else _here(pool, left, limits, shown)
                    for cell, answer in answers:
                        journal.add(row_of(cell, answer, text))
                        shown.finished(answer["status"] in FAILED_STATUSES)
                        shown.show()
        except ValueError:  # a detector is off by a point: nothing has run
            raise
        except BaseException:  # Ctrl-C, a full disk, or workers that do not start any more
            _write_runs(cells, journal, target)
            raise
        finally:
            shown.close()
        return _write_runs(cells, journal, target)


def _write_runs(cells: Sequence[Cell], journal: Journal, target: Path | None) -> Any:  # noqa: ANN401
    """Return the table of what is done, and write it."""
    table = table_of(cells, journal.rows)
    if target is not None:
        with aside(target) as part:
            table.write_parquet(part)
    return table


class StudyOptions(NamedTuple):
    """The options of a study that are the same for every run."""

    out: Path | None
    workers: int
    limits: Limits
    repeats: int
    seed: int


def checked_options(
    *,
    out: str | os.PathLike[str] | None = "runs.parquet",
    workers: int | None = None,
    timeout: float = 60,
    memory: int | None = None,
    repeats: int = 1,
    seed: int = 0,
    cores: int = 1,
    warmup: float = 60,
) -> StudyOptions:
    """Return the options of `run`, or raise."""
    target = None if out is None else Path(out)
    if target is not None:
        arguments.suffix(target, (".parquet",))
        check_output(target)  # now, and not after hours
    for name, value in (("timeout", timeout), ("warmup", warmup)):
        if isinstance(value, bool) or not isinstance(value, Real) or not 0 < value < float("inf"):
            raise ValueError(f"{name} = {value!r:.40} is not a time limit; expected a positive number of seconds")
    most = None if memory is None else arguments.integer(memory, "memory", least=1)
    limits = Limits(float(timeout), most, arguments.integer(cores, "cores", least=1), float(warmup))
    count, seed = arguments.threads(workers, "workers"), arguments.integer(seed, "seed")
    return StudyOptions(target, count, limits, arguments.integer(repeats, "repeats", least=1), seed)


def _methods(detectors: Mapping[str, Any]) -> dict[str, Any]:
    if not isinstance(detectors, Mapping):
        raise TypeError(f"detectors is a {type(detectors).__name__}; expected a mapping from names to detectors")
    if not detectors:
        raise ValueError("detectors is empty; expected a mapping from names to detectors")
    methods = {str(name): checked(str(name), detector) for name, detector in detectors.items()}
    if len(methods) < len(detectors):
        raise ValueError("detectors has two names that are equal as text; expected different names")
    for name in methods:
        checked_name(name, "the name of a detector")
    return methods


def _pickled(cloudpickle: Any, name: str, detector: Any) -> bytes:  # noqa: ANN401
    """Return a detector as bytes for the workers, or raise."""
    try:
        return bytes(cloudpickle.dumps(detector))
    except Exception as error:
        raise TypeError(
            f"detector {name!r} cannot be sent to another process: {error}; expected a detector that opens files, "
            "locks and connections when it is called"
        ) from None


def _is_left(row: Mapping[str, Any] | None, retry: str | None) -> bool:
    return row is None or (retry == "failed" and row["status"] in FAILED_STATUSES)


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
        tasks = [Task(name, *settings[name], step(channels, reverse=reverse), 0, calibrates=True) for name in names]
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

    def tick() -> None:
        running = pool.running()
        slowest = f"{running[0][1].method} has run for {running[0][0]:.0f} s" if running and running[0][0] > 2 else ""
        shown.show(slowest)

    for number, answer in pool.run((cell.task(limits.memory) for cell in cells), limits.timeout, tick):
        yield cells[number], stamped(answer)
