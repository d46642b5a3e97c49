"""A worker process: runs one cell after the other, until it is told to stop, or killed."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
import pickle
import random
import struct
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO, NamedTuple

from .answers import cuts_of
from .calibration import step
from .detectors import Skip, ready

__all__ = ["HEAD", "Task", "main", "packed"]

HEAD = struct.Struct("<Q")  # each message is a pickle after its length
LONGEST = 10_000  # characters of an error, and of its traceback


class Task(NamedTuple):
    """What a worker needs to run one cell."""

    method: str
    params: dict[str, Any] | None
    setting: str  # the parameters as text
    signal: Any
    seed: int
    memory: int | None = None  # the most bytes that the run may allocate
    warm: bool = True  # whether the detector is called on the calibration signal first
    alone: bool = False  # whether the cell needs a process that has run nothing else
    detector: bytes | None = None  # None if the worker has the detector already


def packed(message: object) -> bytes:
    """Return a message as it goes through a pipe."""
    body = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    return HEAD.pack(len(body)) + body


def main() -> None:
    """Answer tasks from standard input on standard output, which detectors cannot reach."""
    _end_with_parent()
    cores = int(os.environ.get("PYTHON_CPU_COUNT") or 0) or os.cpu_count()
    os.cpu_count = lambda: cores  # before Python 3.13, which reads the variable itself
    source, target = os.fdopen(os.dup(0), "rb"), os.dup(1)
    home, null, process = os.open(os.curdir, os.O_RDONLY), os.open(os.devnull, os.O_RDWR), os.getpid()

    def tell(what: str, answer: object = None) -> None:
        if os.getpid() != process:  # a detector forked, and both processes have returned
            os._exit(0)
        _write(target, (what, answer))

    _tidy(home, null)
    sys.path[:] = _message(source) or []
    tell("ready")
    blobs: dict[str, bytes] = {}
    warm: dict[tuple[str, str], float] = {}
    while (task := _message(source)) is not None:
        _tidy(home, null)
        _answer(task, blobs, warm, tell)


def _tidy(home: int, null: int) -> None:
    """Undo what a run may have done to the process: another folder, and closed or replaced standard streams."""
    os.fchdir(home)
    for place in (0, 1, 2):
        os.dup2(null, place)
    sys.stdin, sys.stdout, sys.stderr = (os.fdopen(k, m, closefd=False) for k, m in ((0, "r"), (1, "w"), (2, "w")))


def _message(source: BinaryIO) -> Any:  # noqa: ANN401
    head = source.read(HEAD.size)
    if len(head) < HEAD.size:
        return None
    body = source.read(HEAD.unpack(head)[0])
    return pickle.loads(body)


def _write(target: int, message: object) -> None:
    data = memoryview(packed(message))
    while data:
        data = data[os.write(target, data) :]


def _answer(task: Task, blobs: dict[str, bytes], warm: dict[tuple[str, str], float], tell: Callable[..., None]) -> None:
    """Run one cell: first the parts that are not timed, then the message that the clock starts, then the call.

    The detector is unpickled for each run, so that no run sees what another run left in it.
    """
    key, n = (task.method, task.setting), len(task.signal)
    result: dict[str, Any] = {"status": "error", "pred": None, "error": None, "traceback": None, "memory": None}
    result |= {"seconds": None, "cpu_seconds": None, "warmup_seconds": None}
    try:
        if task.detector is not None:
            blobs[task.method] = task.detector
        detector = pickle.loads(blobs[task.method])
        tell("load")
        if task.warm and key not in warm:
            warm[key] = _warmed(detector, task)
            _settle()
            detector = pickle.loads(blobs[task.method])
        result["warmup_seconds"] = warm.get(key)
        _seed(task.seed)
        own = ready(detector, task.params, task.seed)
        signal = own.prepare(task.signal)
        tell("start")
        with _limited(task.memory), _measured(result):
            answer = own.call(signal)
        if key not in warm:  # a first call without a warm-up, as in the calibration
            warm[key] = result["seconds"]
            _settle()
        result["status"] = "invalid"  # unless the answer can be read
        result["pred"] = cuts_of(answer, n, own.kind, shift=own.shift)
        result["status"] = "ok"
    except Skip as error:
        result |= {"status": "skip", "error": _line(error) or "Skip"}
    except MemoryError as error:
        result |= {"status": "memory", **_described(error)}
    except BaseException as error:  # also SystemExit: a detector cannot end the study
        result |= _described(error)
    tell("done", result)


def _warmed(detector: Any, task: Task) -> float:  # noqa: ANN401
    """Call a detector on the calibration signal, which may compile something, and return the seconds of that."""
    start = time.perf_counter()
    with contextlib.suppress(BaseException):  # the run itself shows what is wrong
        _seed(0)
        first = ready(detector, task.params, 0)
        first.call(first.prepare(step(0 if task.signal.ndim == 1 else task.signal.shape[1])))
    return time.perf_counter() - start


def _settle() -> None:
    """Take what libraries keep for good out of later collections, one of which precedes each run."""
    gc.collect()
    gc.freeze()


def _described(error: BaseException) -> dict[str, str]:
    """Return the type and the first line of an error, and its traceback."""
    name, line = type(error).__name__, _line(error)
    return {"error": f"{name}: {line}" if line else name, "traceback": traceback.format_exc()[-LONGEST:]}


def _line(error: BaseException) -> str:
    """Return the first line of an error, which may be long, hold half a character, or fail to be text at all."""
    try:
        text = str(error)[:LONGEST].encode("utf-8", "replace").decode()
    except BaseException:
        return ""
    return next(iter(text.strip().splitlines()), "")


def _seed(seed: int) -> None:
    import numpy as np

    random.seed(seed)
    np.random.seed(seed % 2**32)


@contextlib.contextmanager
def _limited(memory: int | None) -> Iterator[None]:
    """Limit the address space that a run may take beyond what the process has already."""
    if memory is None:
        yield
        return
    import resource

    before = resource.getrlimit(resource.RLIMIT_AS)
    size = _status().get("VmSize", 0)
    resource.setrlimit(resource.RLIMIT_AS, (size + memory, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


@contextlib.contextmanager
def _measured(result: dict[str, Any]) -> Iterator[None]:
    """Note the seconds, the seconds of the processor and the peak of memory of a call."""
    gc.collect()
    _trim()
    before = _reset_peak()
    cpu, start = _cpu(), time.perf_counter()
    try:
        yield
    finally:
        result["seconds"], result["cpu_seconds"] = time.perf_counter() - start, _cpu() - cpu
        if before is not None:
            result["memory"] = max(0, _status().get("VmHWM", before) - before)


def _cpu() -> float:
    """Return the seconds of the processor that this process and its ended children used."""
    used = os.times()
    return time.process_time() + used.children_user + used.children_system


def _status() -> dict[str, int]:
    """Return the sizes of this process in bytes, as Linux gives them."""
    try:
        with open("/proc/self/status", encoding="ascii", errors="replace") as file:
            parts = (line.split() for line in file if line.startswith("Vm"))
            return {words[0].rstrip(":"): int(words[1]) * 1024 for words in parts}
    except OSError:
        return {}


def _reset_peak() -> int | None:
    """Set the peak of memory to what is resident now, and return that; None where this is not possible.

    The usual ``ru_maxrss`` is inherited: a process that does nothing reports the peak of its parent.
    """
    try:
        with open("/proc/self/clear_refs", "w", encoding="ascii") as file:
            file.write("5")
    except OSError:
        return None
    return _status().get("VmRSS")


def _trim() -> None:
    """Give freed memory back to the system, so that the next run is not measured in memory of the last."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


def _end_with_parent() -> None:
    """Ask Linux to kill this process if its parent dies, even in the middle of a call."""
    if sys.platform == "linux":
        pr_set_pdeathsig, sigkill = 1, 9
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(pr_set_pdeathsig, sigkill)
