"""A pool of worker processes with time limits; a worker that fails loses only its own cell.

This is the model of Pebble, on ``subprocess`` alone, because the workers of Dask may have no children of
``multiprocessing``. A worker runs cells of one method, so that no method changes what another method answers.
"""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import secrets
import selectors
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import pairwise
from types import TracebackType
from typing import Any, NamedTuple

from .worker import LONGEST_ERROR, MESSAGES, Task, framed, unframed

__all__ = ["Answer", "Limits", "Pool"]

THREADS = ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "NUMBA", "BLIS", "VECLIB", "POLARS", "RAYON")
CORES = ("POLARS_MAX_THREADS", "PYTHON_CPU_COUNT")
STARTING = 60.0  # seconds in which a process must have started
FAILED_STARTS = 10  # processes in a row that may fail to start
IDLE = 32  # processes that are kept for the next cell of their method
NO_WORKER = (
    f"{FAILED_STARTS} worker processes in a row ended before they could run anything; "
    "run python -m segscore.study to see why"
)
WROTE = "the run wrote to the pipe through which its answer is sent"
ANSWER_FIELDS: dict[str, tuple[type, ...]] = {
    **{"status": (str,), "error": (str, type(None)), "traceback": (str, type(None)), "pred": (list, type(None))},
    **dict.fromkeys(("seconds", "cpu_seconds", "warmup_seconds"), (float, type(None))),
    **{"memory": (int, type(None)), "first_call": (bool, type(None)), "random": (bool, type(None))},
}
ANSWER_STATUSES = ("ok", "invalid", "skip", "memory", "error")  # statuses that a worker writes
PHASES = ("starting", "ready", "loaded", "calibrated", "start", "late", "done")  # phases of a task, in this order
CALLS = ("warmed", "first", "later")  # calls of a worker before a run: on its signal, none, or on other series

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
        self.workers: list[_Worker] = []  # the one that was used last is the last
        self.cold: set[tuple[str, str]] = set()  # settings that cannot be called on the calibration signal
        self.slow: dict[str, int] = {}  # the shortest signal of each method whose first call took too long
        self.failed_starts = 0  # in a row
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
        busy = [worker for worker in self.workers if worker.phase in ("start", "late")]
        found = [(now - worker.since, worker.task) for worker in busy if worker.task is not None]
        return sorted(found, key=lambda pair: -pair[0])

    def run(
        self, tasks: Iterable[Task], timeout: float, tick: Callable[[], None] = lambda: None
    ) -> Iterator[tuple[int, Answer]]:
        """Yield the number and the answer of each task as it finishes; ``tick`` is called about once a second."""
        waiting: dict[str, deque[tuple[int, Task]]] = {}
        for number, task in enumerate(tasks):
            waiting.setdefault(task.method, deque()).append((number, task))
        while waiting or self._busy():
            while waiting and len(self._busy()) < self.count:
                method = self._next({method: queue[0][0] for method, queue in waiting.items()})
                number, task = waiting[method].popleft()
                if not waiting[method]:
                    del waiting[method]
                self._give(self._worker(task), number, task, timeout)
            for number, found in self._events(timeout):
                if isinstance(found, Task):
                    waiting.setdefault(found.method, deque()).appendleft((number, found))
                else:
                    yield number, found
            tick()

    def _busy(self) -> list[_Worker]:
        return [worker for worker in self.workers if worker.task is not None]

    def _next(self, first: Mapping[str, int]) -> str:
        """Return the method whose next cell, of the number that is given for each method, is run now.

        Cells are run in order, but a cell waits while all processes of its method are busy and another method has an
        idle one: so processes are reused, and no method needs more of them than there are cells at once.
        """
        busy = {worker.method for worker in self._busy()}
        idle = {worker.method for worker in self.workers if worker.task is None}
        free = [method for method in first if method in idle or method not in busy]
        return min(free or first, key=lambda method: first[method])

    def _worker(self, task: Task) -> _Worker:
        """Return an idle process of the method of a task, or a new process."""
        idle = [worker for worker in self.workers if worker.task is None]
        own = [worker for worker in idle if worker.method == task.method]
        if own and not task.alone:
            return own[-1]
        for worker in idle[: max(0, len(idle) - IDLE + 1)]:
            self._end(worker)
        worker = self._started(task.method)
        self.workers.append(worker)
        self.selector.register(worker.output, selectors.EVENT_READ, worker)
        return worker

    def _started(self, method: str) -> _Worker:
        """Return a new process, or raise if too many have failed to start."""
        try:
            return _Worker(method, self.detectors[method], self.limits.cores)
        except OSError as error:  # the system has no process or no memory left
            self._count_failed_start(error)
            time.sleep(1)
            return self._started(method)

    def _count_failed_start(self, error: OSError | None = None) -> None:
        self.failed_starts += 1
        if self.failed_starts >= FAILED_STARTS:
            raise RuntimeError(NO_WORKER) from error

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
        """Return the workers that have said something, and let those that can take more of their task take it."""
        found = []
        for key, _ in self.selector.select(seconds):
            if key.fd == key.data.output:
                found.append(key.data)
            elif not key.data.send():
                self.selector.unregister(key.fd)
        return found

    def _give(self, worker: _Worker, number: int, task: Task, timeout: float) -> None:
        """Send a task to a worker, as far as its pipe takes it now."""
        warm = not task.calibrates and (task.method, task.setting) not in self.cold
        short = len(task.signal) < self.slow.get(task.method, sys.maxsize)
        patient = not task.calibrates and not task.again and short
        worker.task, worker.number = task._replace(warm=warm, patient=patient), number
        self._enter(worker, "ready" if worker.alive else "starting", timeout)
        worker.unsent += framed(pickle.dumps(worker.task, protocol=pickle.HIGHEST_PROTOCOL))
        if worker.send():
            self.selector.register(worker.input, selectors.EVENT_WRITE, worker)

    def _enter(self, worker: _Worker, phase: str, timeout: float) -> None:
        """Note that a task has reached a phase, each of which has a time limit."""
        limit = {"starting": STARTING, "start": timeout}.get(phase, max(self.limits.warmup, timeout))
        worker.phase, worker.since = phase, time.monotonic()
        worker.deadline = worker.since + limit

    def _heard(self, worker: _Worker, timeout: float) -> Answer | Task | None:
        """Return the answer of a worker if it is complete, its task if that is to be run again, or None."""
        try:
            messages = worker.messages()
        except (ValueError, RecursionError):
            return self._lost(worker, WROTE)
        for what, answer in messages:
            task = worker.task
            if task is None or PHASES.index(what) <= PHASES.index(worker.phase):
                return self._lost(worker, WROTE)
            if what == "done":
                worker.task, worker.used = None, True
                self.workers.remove(worker)
                self.workers.append(worker)
                if (answer["seconds"] or 0) > timeout:
                    if worker.patient(task):  # the first call of a path is over: the run is repeated without it
                        self._give(worker, worker.number, task._replace(again=True), timeout)
                        return None
                    self._end(worker)
                    return _timed_out(timeout, worker.call == "first")
                if answer["status"] == "memory":  # nobody knows how much was freed
                    self._end(worker)
                return dict(answer)
            if what == "ready":
                worker.alive, self.failed_starts = True, 0
            elif what == "start":
                worker.call = answer
            self._enter(worker, what, timeout)
        return self._lost(worker) if worker.ended else None

    def _missed(self, worker: _Worker, timeout: float) -> Answer | Task | None:
        """Return what becomes of the task of a worker that says nothing: None while there is time."""
        if worker.process.poll() is not None:  # a process that it started may keep its pipe open
            worker.ended = True
            return self._lost(worker)
        if time.monotonic() < worker.deadline:
            return None
        task = worker.task
        assert task is not None
        if worker.phase == "starting":
            return self._lost(worker)
        if worker.phase == "start" and worker.patient(task):
            self._enter(worker, "late", timeout)  # the process is kept, with what it may be compiling
            return None
        self._end(worker)
        limit = max(self.limits.warmup, timeout)
        if worker.phase == "late" or (worker.phase == "calibrated" and task.patient):
            self.slow[task.method] = min(len(task.signal), self.slow.get(task.method, sys.maxsize))
        if worker.phase in ("start", "late"):
            return _timed_out(timeout, worker.call == "first")
        if worker.phase == "calibrated" and limit == timeout:
            return _timed_out(timeout, True)
        if worker.phase == "calibrated":
            return _failure(
                "timeout",
                f"the first call took more than {limit:g} s; raise warmup= if later calls are faster, else timeout=",
                timeout,
                True,
            )
        if worker.phase == "loaded" and task.warm:  # the warm-up hangs: the detector is run without one
            self.cold.add((task.method, task.setting))
            return task
        if worker.used and not task.alone:  # perhaps an earlier run has stopped the process
            return task._replace(alone=True)
        return _failure("timeout", f"the detector could not be loaded in {limit:g} s; raise warmup=", timeout)

    def _lost(self, worker: _Worker, error: str | None = None) -> Answer | Task:
        """Return what becomes of the task of a worker that has ended, or whose messages cannot be read."""
        task, seconds = worker.task, time.monotonic() - worker.since
        assert task is not None
        code = self._end(worker)
        if not worker.alive:
            self._count_failed_start()
            return task
        if not task.alone and (worker.used or worker.phase == "ready"):  # perhaps this run is not to blame
            return task._replace(alone=True)
        if worker.phase == "loaded" and task.warm:  # the warm-up crashed: the detector is run without one
            self.cold.add((task.method, task.setting))
            return task
        return _failure("crash", error or _ending(code), seconds)

    def _end(self, worker: _Worker) -> int:
        self.workers.remove(worker)
        for pipe in (worker.input, worker.output):
            with contextlib.suppress(KeyError):
                self.selector.unregister(pipe)
        return worker.end()


class _Worker:
    """A process for one method, its pipes, and the cell that it runs."""

    def __init__(self, method: str, detector: bytes, cores: int) -> None:
        threads = dict.fromkeys([*(f"{name}_NUM_THREADS" for name in THREADS), *CORES], str(cores))
        self.mark = f"SEGSCORE_WORKER={secrets.token_hex(8)}"  # all that the process starts inherits it
        name, _, value = self.mark.partition("=")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "segscore.study"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            # The hashes of texts, and with them the order of sets, are the same in each process.
            env={"PYTHONHASHSEED": "0", **os.environ, **threads, "PYTHONSAFEPATH": "1", name: value},
            start_new_session=True,  # its own group, which is killed as a whole, and which Ctrl-C does not reach
            bufsize=0,
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.input, self.output = self.process.stdin.fileno(), self.process.stdout.fileno()
        os.set_blocking(self.input, False)
        self.unsent = bytearray(framed(pickle.dumps((list(sys.path), detector))))
        self.buffer = bytearray()
        self.method = method
        self.task: Task | None = None
        self.number, self.phase, self.call = -1, "starting", ""
        self.alive = self.ended = False  # whether it has said that it is there; whether it has ended by itself
        self.used = False  # whether it has finished a cell
        self.since = self.deadline = 0.0

    def patient(self, task: Task) -> bool:
        """Return whether a run may take longer than its limit, because it may be the first call of its path."""
        return task.patient and self.call != "warmed"

    def send(self) -> bool:
        """Write what the pipe takes without waiting, and return whether anything is left."""
        try:
            while self.unsent:
                with memoryview(self.unsent) as view:
                    count = os.write(self.input, view[: 1 << 20])
                del self.unsent[:count]
        except BlockingIOError:
            return True
        except OSError:  # the process has ended, which is seen when its messages are read
            self.unsent.clear()
        return False

    def messages(self) -> list[tuple[str, Any]]:
        """Return the complete messages that have arrived, and note whether the process has ended.

        What a process writes is never unpickled: a detector may write to any of its descriptors.
        """
        data = os.read(self.output, 1 << 20)
        self.ended = not data
        self.buffer += data
        found = []
        n = 0 if self.task is None else len(self.task.signal)
        while (body := unframed(self.buffer, 12 * LONGEST_ERROR + 24 * n)) is not None:  # characters and cuts, as JSON
            message = json.loads(body)
            if not _is_message(message, n):
                raise ValueError("a message is not one of a worker")
            found.append((message[0], message[1]))
        return found

    def end(self) -> int:
        """Kill the process and all that it started, and return its exit code."""
        if self.ended:  # the pipe is closed before the process can be waited for
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(5)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
        with contextlib.suppress(subprocess.TimeoutExpired):  # a process that waits for a disk may not end yet
            self.process.wait(60)
        _end_marked(self.mark.encode())
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        return -signal.SIGKILL if self.process.returncode is None else self.process.returncode


def _end_marked(mark: bytes) -> None:
    """Kill the processes that have left the group of their worker, where the system shows the environment of each."""
    for _ in range(100 if sys.platform == "linux" else 0):  # a process that is killed may have started another
        found = [process for process in os.listdir("/proc") if process.isdigit() and mark in _environment(process)]
        for process in found:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(int(process), signal.SIGKILL)
        if not found:
            return
        time.sleep(0.01)


def _environment(process: str) -> list[bytes]:
    try:
        with open(f"/proc/{process}/environ", "rb") as file:
            return file.read().split(b"\0")
    except OSError:  # a process of another user, or one that has ended
        return []


def _is_message(message: Any, n: int) -> bool:  # noqa: ANN401
    """Return whether a message has the form of those that a worker writes about a series of n points."""
    if not isinstance(message, list) or len(message) != 2 or message[0] not in MESSAGES:
        return False
    answer = message[1]
    if message[0] != "done":
        return answer in CALLS if message[0] == "start" else answer is None
    if not isinstance(answer, dict) or answer.keys() != ANSWER_FIELDS.keys():
        return False
    if not all(type(answer[name]) in kinds for name, kinds in ANSWER_FIELDS.items()):
        return False
    sizes = [answer[name] or 0 for name in ("seconds", "cpu_seconds", "warmup_seconds", "memory")]
    if answer["status"] not in ANSWER_STATUSES or not all(0 <= size < 2**63 for size in sizes):
        return False
    cuts = [0, *(answer["pred"] or ()), n]
    typed = all(type(cut) is int for cut in cuts)
    return typed and (len(cuts) == 2 or all(cut < after for cut, after in pairwise(cuts)))


def _ending(code: int) -> str:
    """Return how a process ended, in words."""
    if code >= 0:
        return f"the process ended with exit code {code}"
    name = signal.Signals(-code).name if -code in signal.Signals._value2member_map_ else f"signal {-code}"
    hint = "; the system may have run out of memory" if -code == signal.SIGKILL else ""
    return f"the process was killed by {name}{hint}"


def _timed_out(timeout: float, first_call: bool) -> Answer:
    return _failure("timeout", f"the run took more than {timeout:g} s", timeout, first_call)


def _failure(status: str, error: str, seconds: float, first_call: bool | None = None) -> Answer:
    nothing = dict.fromkeys(("pred", "traceback", "cpu_seconds", "warmup_seconds", "memory", "random"))
    return {"status": status, "error": error, "seconds": seconds, "first_call": first_call, **nothing}
