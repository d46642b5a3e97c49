"""A pool of worker processes: the parent owns the clock, and a late or dead worker loses only its own cell.

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
from typing import Any

from .worker import HEAD, Task, packed

__all__ = ["Pool"]

THREADS = ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "NUMBA", "BLIS", "VECLIB", "POLARS", "RAYON")
LOADING = 600.0  # seconds in which a process must have started and imported what a detector needs
NO_WORKER = "a worker process ended before it could run anything; run python -m segscore.study to see why"

Answer = dict[str, Any]


class Pool:
    """Processes that run cells, one each; with the detectors as bytes, by the names of their methods."""

    def __init__(self, detectors: Mapping[str, bytes], workers: int, cores: int, warmup: float) -> None:
        self.detectors, self.count, self.cores, self.warmup = detectors, workers, cores, warmup
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
        idle = [worker for worker in self.workers if worker.task is None]
        while waiting or any(worker.task is not None for worker in self.workers):
            while waiting and (idle or len(self.workers) < self.count):
                worker = idle.pop() if idle else self._start()
                number, task = waiting.popleft()
                if not self._give(worker, number, task, timeout):
                    waiting.appendleft((number, task))  # the worker died while it had nothing to do
            busy = [worker for worker in self.workers if worker.task is not None]
            until = min(worker.deadline for worker in busy)
            for key, _ in self.selector.select(min(1.0, max(0.0, until - time.monotonic()))):
                worker = key.data
                if worker.task is None:
                    self._end(worker)  # it ended, or wrote, without a task
                    idle = [other for other in idle if other is not worker]
                    continue
                number, given = worker.number, worker.task
                found = self._heard(worker, timeout)
                if found == "again":
                    waiting.appendleft((number, given))
                elif isinstance(found, dict):
                    if worker in self.workers:
                        idle.append(worker)
                    yield number, found
            unread = [key.data for key, _ in self.selector.select(0)]  # answers that came while others were handled
            for worker in [worker for worker in self.workers if worker.task is not None and worker not in unread]:
                if time.monotonic() < worker.deadline:
                    continue
                number, late, started = worker.number, worker.task, worker.started
                assert late is not None
                self._end(worker)
                if started:
                    yield number, _failed("timeout", f"the run took more than {timeout:g} s", timeout)
                else:  # the warm-up hangs: the detector is run without one
                    self.cold.add((late.method, late.setting))
                    if late.warm:
                        waiting.appendleft((number, late))
                    else:
                        yield number, _failed("timeout", "the detector could not be loaded in time", timeout)
            tick()

    def _start(self) -> _Worker:
        worker = _Worker(self.cores)
        self.workers.append(worker)
        self.selector.register(worker.output, selectors.EVENT_READ, worker)
        return worker

    def _give(self, worker: _Worker, number: int, task: Task, timeout: float) -> bool:
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

    def _heard(self, worker: _Worker, timeout: float) -> Answer | str | None:
        """Return the answer of a worker if it is complete, "again" if its cell is to be run again, or None."""
        task = worker.task
        assert task is not None
        for message in worker.messages():
            if message is None:
                if not worker.alive:
                    raise RuntimeError(NO_WORKER)
                started, seconds = worker.started, time.monotonic() - worker.since
                code = self._end(worker)
                if not started and task.warm:  # the warm-up crashed: the detector is run without one
                    self.cold.add((task.method, task.setting))
                    return "again"
                return _failed("crash", _ending(code), seconds)
            what, answer = message
            if what == "ready":
                worker.alive = True
                continue
            if what == "load":
                worker.deadline = time.monotonic() + max(self.warmup, timeout)
                continue
            if what == "start":
                worker.started, worker.since = True, time.monotonic()
                worker.deadline = worker.since + timeout
                continue
            worker.task = None
            if (answer["seconds"] or 0) > timeout:
                self._end(worker)
                return _failed("timeout", f"the run took more than {timeout:g} s", timeout)
            if answer["status"] == "memory":  # what was freed is not known
                self._end(worker)
            return dict(answer)
        return None

    def _end(self, worker: _Worker) -> int:
        if worker in self.workers:
            self.workers.remove(worker)
            self.selector.unregister(worker.output)
        return worker.end()


class _Worker:
    """A process, its pipe, and the cell that it runs."""

    def __init__(self, cores: int) -> None:
        threads = {f"{name}_NUM_THREADS": str(cores) for name in THREADS} | {"POLARS_MAX_THREADS": str(cores)}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "segscore.study"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **threads, "PYTHONSAFEPATH": "1"},
            start_new_session=True,  # its own group, which is killed as a whole, and which Ctrl-C does not reach
            bufsize=0,
        )
        assert self.process.stdout is not None
        self.output = self.process.stdout.fileno()
        self.buffer = bytearray()
        self.task: Task | None = None
        self.number, self.started = -1, False
        self.alive = self.ended = False  # whether it has said that it is there; whether its pipe is closed
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


def _failed(status: str, error: str, seconds: float) -> Answer:
    nothing = {"pred": None, "traceback": None, "cpu_seconds": None, "warmup_seconds": None, "memory": None}
    return {"status": status, "error": error, "seconds": seconds, **nothing}
