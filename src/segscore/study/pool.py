"""A pool of worker processes with time limits; a worker that fails loses only its own cell.

This is the model of Pebble, on ``subprocess`` alone, because the workers of Dask may have no children of
``multiprocessing``.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import TracebackType
from typing import Any, NamedTuple

from .worker import HEAD, Task, packed

__all__ = ["Answer", "Limits", "Pool"]

THREADS = ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "NUMBA", "BLIS", "VECLIB", "POLARS", "RAYON")
CORES = ("POLARS_MAX_THREADS", "PYTHON_CPU_COUNT")
LOADING = 600.0  # seconds in which a process must have started and imported what a detector needs
NO_WORKER = "a worker process ended before it could run anything; run python -m segscore.study to see why"

Answer = dict[str, Any]


class Limits(NamedTuple):
    """What a run may take."""

    timeout: float
    memory: int | None
    cores: int
    warmup: float


class Pool:
    """Processes that run one cell each, with the pickled detectors by method."""

    def __init__(self, detectors: Mapping[str, bytes], workers: int, limits: Limits) -> None:
        self.detectors, self.count, self.limits = detectors, workers, limits
        self.workers: list[_Worker] = []
        self.cold: set[tuple[str, str]] = set()  # settings that cannot be warmed up
        self.selector = selectors.DefaultSelector()

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        for worker in list(self.workers):
            self._end(worker)
        self.selector.close()

    def running(self) -> list[tuple[float, Task]]:
        """Return the cells that run now, with the seconds since each began, the slowest first."""
        now = time.monotonic()
        found = [(now - worker.since, worker.task) for worker in self.workers if worker.task and worker.started]
        return sorted(found, key=lambda pair: -pair[0])

    def run(
        self, tasks: Iterable[Task], timeout: float, tick: Callable[[], None] = lambda: None
    ) -> Iterator[tuple[int, Answer]]:
        """Yield the number and the answer of each task as it finishes; ``tick`` is called about once a second."""
        waiting = deque(enumerate(tasks))
        while waiting or self._busy():
            while waiting and (worker := self._free(waiting[0][1])) is not None:
                number, task = waiting.popleft()
                if not self._give(worker, number, task):
                    waiting.appendleft((number, task))  # the worker died while it had nothing to do
            for number, found in self._events(timeout):
                if isinstance(found, Task):
                    waiting.appendleft((number, found))
                else:
                    yield number, found
            tick()

    def _busy(self) -> list[_Worker]:
        return [worker for worker in self.workers if worker.task is not None]

    def _free(self, task: Task) -> _Worker | None:
        """Return a worker for a task, or None if all are busy."""
        idle = [worker for worker in self.workers if worker.task is None]
        if idle and not task.alone:
            return idle[-1]
        if len(self.workers) == self.count:  # never for a task that needs a new process: its last one has ended
            return None
        worker = _Worker(self.limits.cores)
        self.workers.append(worker)
        self.selector.register(worker.output, selectors.EVENT_READ, worker)
        return worker

    def _events(self, timeout: float) -> Iterator[tuple[int, Answer | Task]]:
        """Wait for at most a second, and yield what became of tasks: an answer, or a task that is to be run again."""
        until = min(worker.deadline for worker in self._busy())
        for worker in self._readable(min(1.0, max(0.0, until - time.monotonic()))):
            if worker.task is None:
                self._end(worker)  # it ended, or wrote, without a task
                continue
            number, found = worker.number, self._heard(worker, timeout)
            if found is not None:
                yield number, found
        unread = self._readable(0)  # answers that came while others were handled
        for worker in self._busy():
            if worker not in unread:
                number, found = worker.number, self._missed(worker, timeout)
                if found is not None:
                    yield number, found

    def _readable(self, seconds: float) -> list[_Worker]:
        return [key.data for key, _ in self.selector.select(seconds)]

    def _give(self, worker: _Worker, number: int, task: Task) -> bool:
        blob = None if task.method in worker.knows else self.detectors[task.method]
        cold = (task.method, task.setting) in self.cold
        given = task._replace(detector=blob, warm=task.warm and not cold)
        worker.task, worker.number, worker.started = given, number, False
        worker.since = time.monotonic()
        worker.deadline = worker.since + LOADING
        worker.knows.add(task.method)
        try:
            worker.send(packed(given))
        except OSError:
            worker.ended = True
            self._end(worker)
            if not worker.alive:
                raise RuntimeError(NO_WORKER) from None
            return False
        return True

    def _heard(self, worker: _Worker, timeout: float) -> Answer | Task | None:
        """Return the answer of a worker if it is complete, its task if that is to be run again, or None."""
        for message in worker.messages():
            if message is None:
                return self._lost(worker)
            what, answer = message
            if what == "ready":
                worker.alive = True
            elif what == "load":
                worker.deadline = time.monotonic() + max(self.limits.warmup, timeout)
            elif what == "start":
                worker.started, worker.since = True, time.monotonic()
                worker.deadline = worker.since + timeout
            else:
                worker.task, worker.used = None, True
                if (answer["seconds"] or 0) > timeout:
                    self._end(worker)
                    return _late(timeout)
                if answer["status"] == "memory":  # what was freed is not known
                    self._end(worker)
                return dict(answer)
        return None

    def _missed(self, worker: _Worker, timeout: float) -> Answer | Task | None:
        """Return what becomes of the task of a worker that says nothing: None while there is time."""
        if worker.process.poll() is not None:  # a process that it started may keep its pipe open
            worker.ended = True
            return self._lost(worker)
        if time.monotonic() < worker.deadline:
            return None
        task, started = worker.task, worker.started
        assert task is not None
        self._end(worker)
        if started:
            return _late(timeout)
        self.cold.add((task.method, task.setting))  # the warm-up hangs: the detector is run without one
        return task if task.warm else _failed("timeout", "the detector could not be loaded in time", timeout)

    def _lost(self, worker: _Worker) -> Answer | Task:
        """Return what becomes of the task of a worker that has ended."""
        task = worker.task
        assert task is not None
        if not worker.alive:
            raise RuntimeError(NO_WORKER)
        started, seconds = worker.started, time.monotonic() - worker.since
        code = self._end(worker)
        if not started and task.warm:  # the warm-up crashed: the detector is run without one
            self.cold.add((task.method, task.setting))
            return task
        if worker.used and not task.alone:  # perhaps an earlier run is to blame, so this one gets a new process
            return task._replace(alone=True)
        return _failed("crash", _ending(code), seconds)

    def _end(self, worker: _Worker) -> int:
        if worker in self.workers:
            self.workers.remove(worker)
            self.selector.unregister(worker.output)
        return worker.end()


class _Worker:
    """A process, its pipe, and the cell that it runs."""

    def __init__(self, cores: int) -> None:
        threads = dict.fromkeys([*(f"{name}_NUM_THREADS" for name in THREADS), *CORES], str(cores))
        self.process = subprocess.Popen(
            [sys.executable, "-m", "segscore.study"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            # The hashes of texts, and with them the order of sets, are the same in each process.
            env={"PYTHONHASHSEED": "0", **os.environ, **threads, "PYTHONSAFEPATH": "1"},
            start_new_session=True,  # its own group, which is killed as a whole, and which Ctrl-C does not reach
            bufsize=0,
        )
        assert self.process.stdout is not None
        self.output = self.process.stdout.fileno()
        self.buffer = bytearray()
        self.task: Task | None = None
        self.number, self.started = -1, False
        self.alive = self.ended = False  # whether it has said that it is there; whether it has ended by itself
        self.used = False  # whether it has finished a cell
        self.since = self.deadline = 0.0
        self.knows: set[str] = set()
        with contextlib.suppress(OSError):
            self.send(packed(list(sys.path)))

    def send(self, data: bytes) -> None:
        view = memoryview(data)
        assert self.process.stdin is not None
        while view:
            view = view[os.write(self.process.stdin.fileno(), view) :]

    def messages(self) -> list[Any]:
        """Return the complete messages that have arrived; None if the process has ended."""
        import pickle

        data = os.read(self.output, 1 << 20)
        self.buffer += data
        found: list[Any] = []
        while len(self.buffer) >= HEAD.size:
            size = HEAD.unpack_from(self.buffer)[0]
            if len(self.buffer) < HEAD.size + size:
                break
            found.append(pickle.loads(bytes(self.buffer[HEAD.size : HEAD.size + size])))
            del self.buffer[: HEAD.size + size]
        self.ended = not data
        return found if data else [*found, None]

    def end(self) -> int:
        """Kill the process and all that it started, and return its exit code."""
        if self.ended:  # the pipe is closed before the process can be waited for
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(5)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
        code = self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        return code


def _ending(code: int) -> str:
    """Return how a process ended, in words."""
    if code >= 0:
        return f"the process ended with exit code {code}"
    name = signal.Signals(-code).name if -code in signal.Signals._value2member_map_ else f"signal {-code}"
    hint = "; the system may have run out of memory" if -code == signal.SIGKILL else ""
    return f"the process was killed by {name}{hint}"


def _late(timeout: float) -> Answer:
    return _failed("timeout", f"the run took more than {timeout:g} s", timeout)


def _failed(status: str, error: str, seconds: float) -> Answer:
    nothing = {"pred": None, "traceback": None, "cpu_seconds": None, "warmup_seconds": None, "memory": None}
    return {"status": status, "error": error, "seconds": seconds, **nothing}
