"""A worker process: runs one cell after the other, until it is told to stop, or killed."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import json
import os
import pickle
import random
import struct
import sys
import time
import traceback
import warnings
import zlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from .answers import cuts_of
from .calibration import step
from .detectors import Skip, ready

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["LONGEST_ERROR", "MESSAGES", "Task", "framed", "main", "unframed"]

HEAD = struct.Struct("<4sQI")  # each message is a frame: a mark, its length, its checksum, and its bytes
MARK = b"\xc5seg"
MESSAGES = ("ready", "loaded", "calibrated", "start", "done")  # a worker writes them in this order, as JSON
LONGEST_ERROR = 10_000  # characters of an error, and of its traceback


class Task(NamedTuple):
    """What a worker needs to run one cell."""

    method: str
    params: dict[str, Any] | None
    setting: str  # the parameters as text
    signal: Any
    seed: int
    memory: int | None = None  # the most bytes that the run may allocate
    calibrates: bool = False  # whether the signal is the calibration signal
    alone: bool = False  # whether the cell needs a process that has run nothing else
    again: bool = False  # whether the cell is repeated in its process, now that the first call is over
    warm: bool = False  # whether a setting is called on the calibration signal first
    patient: bool = False  # whether the first call on a series may take longer than the time limit


class _Calls(NamedTuple):
    """The calls that a process has made."""

    warm: dict[str, float]  # the seconds of the first calls of each setting, outside of runs
    settings: set[str]  # those that were called on a series
    kinds: set[tuple[str, int]]  # types and dimensions of series, for which libraries compile


def framed(body: bytes) -> bytes:
    """Return a message as it goes through a pipe."""
    return HEAD.pack(MARK, len(body), zlib.crc32(body)) + body


def unframed(buffer: bytearray, longest: int) -> bytes | None:
    """Take the first message off a buffer, or return None if it is not complete; raise if it is damaged or too long."""
    if len(buffer) < HEAD.size:
        return None
    mark, size, checksum = HEAD.unpack_from(buffer)
    if mark != MARK:
        raise ValueError("a message does not begin with its mark")
    if size > longest:
        raise ValueError("a message is longer than those of a worker")
    if len(buffer) < HEAD.size + size:
        return None
    body = bytes(buffer[HEAD.size : HEAD.size + size])
    if zlib.crc32(body) != checksum:
        raise ValueError("a message does not fit its checksum")
    del buffer[: HEAD.size + size]
    return body


def main() -> None:
    """Answer tasks of one method from standard input on standard output, which detectors cannot reach."""
    _end_with_parent()
    cores = int(os.environ.get("PYTHON_CPU_COUNT") or 0) or os.cpu_count()
    os.cpu_count = lambda: cores  # before Python 3.13, which reads the variable itself
    source, target, process = os.fdopen(os.dup(0), "rb"), os.dup(1), os.getpid()
    restored = _restoring()

    def tell(what: str, answer: object = None) -> None:
        if os.getpid() != process:  # a detector forked, and both processes have returned
            os._exit(0)
        data = memoryview(framed(json.dumps([what, answer]).encode()))
        while data:
            data = data[os.write(target, data) :]

    tell("ready")
    sys.path[:], detector = _message(source) or ([], b"")
    calls = _Calls({}, set(), set())
    while (task := _message(source)) is not None:
        _answer(task, detector, calls, tell, restored)


def _restoring() -> Callable[[], contextlib.AbstractContextManager[None]]:
    """Return a context in which a detector is called, after which the process is as it was before.

    This holds for the folder, the standard streams, the variables of the environment, the recursion limit, the filters
    of warnings, and how NumPy reacts to errors of numbers.
    """
    import numpy as np

    home, null = os.open(os.curdir, os.O_RDONLY), os.open(os.devnull, os.O_RDWR)
    variables, depth = dict(os.environ), sys.getrecursionlimit()

    def restore() -> None:
        os.fchdir(home)
        for place in (0, 1, 2):
            os.dup2(null, place)
        sys.stdin, sys.stdout, sys.stderr = (os.fdopen(k, m, closefd=False) for k, m in ((0, "r"), (1, "w"), (2, "w")))
        if os.environ != variables:
            os.environ.clear()
            os.environ.update(variables)
        sys.setrecursionlimit(depth)

    @contextlib.contextmanager
    def restored() -> Iterator[None]:
        restore()  # also what a thread of an earlier run has done since
        try:
            with warnings.catch_warnings(), np.errstate():
                yield
        finally:
            restore()

    restore()
    return restored


def _message(source: BinaryIO) -> Any:  # noqa: ANN401
    head = source.read(HEAD.size)
    if len(head) < HEAD.size:
        return None
    return pickle.loads(source.read(HEAD.unpack(head)[1]))


def _answer(
    task: Task,
    blob: bytes,
    calls: _Calls,
    tell: Callable[..., None],
    restored: Callable[[], contextlib.AbstractContextManager[None]],
) -> None:
    """Run one cell: first the parts that are not timed, then the message that the clock starts, then the call.

    The detector is unpickled for each run, so that no run sees what another run left in it.
    """
    n = len(task.signal)
    result: dict[str, Any] = {"status": "error", "pred": None, "error": None, "traceback": None, "memory": None}
    result |= {"seconds": None, "cpu_seconds": None, "warmup_seconds": None, "first_call": None, "random": None}
    kind = (task.signal.dtype.str, task.signal.ndim)
    try:
        detector = pickle.loads(blob)
        tell("loaded")
        if task.warm and task.setting not in calls.warm:
            first = step(0 if kind[1] == 1 else task.signal.shape[1])
            with restored():
                calls.warm[task.setting] = _warmed(detector, task, first)
            detector = pickle.loads(blob)
        tell("calibrated")
        warmed = task.patient and kind not in calls.kinds
        if warmed:  # longer series, and series of another type, may need other code than the calibration signal
            calls.kinds.add(kind)
            calls.settings.add(task.setting)
            with restored():
                seconds = _warmed(detector, task, task.signal.copy(order="K"))
            calls.warm[task.setting] = calls.warm.get(task.setting, 0.0) + seconds
            detector = pickle.loads(blob)
        result["warmup_seconds"] = calls.warm.get(task.setting)
        with restored():
            _seed(task.seed)
            own = ready(detector, task.params, task.seed)
            signal = own.prepare(task.signal)
            generators = _generators()
            result["first_call"] = task.setting not in calls.settings
            tell("start", "warmed" if warmed else "first" if result["first_call"] else "later")
            if not task.calibrates:
                calls.settings.add(task.setting)
            with _with_memory_limit(task.memory), _measured(result):
                answer = own.call(signal)
            result["random"] = own.seeded or _generators() != generators
            if task.setting not in calls.warm:  # a first call without a warm-up, as in the calibration
                calls.warm[task.setting] = result["seconds"]
                _settle()
            result["status"] = "invalid"  # unless the answer can be read
            result["pred"] = cuts_of(answer, n, own.kind, shift=own.shift)
            result["status"] = "ok"
    except Skip as error:
        result |= {"status": "skip", "error": _first_line(error) or "Skip"}
    except MemoryError as error:
        result |= {"status": "memory", **_error_and_traceback(error)}
    except BaseException as error:  # also SystemExit: a detector cannot end the study
        result |= _error_and_traceback(error)
    tell("done", result)


def _warmed(detector: Any, task: Task, signal: NDArray[Any]) -> float:  # noqa: ANN401
    """Call a detector on a signal outside of a run, which may compile something, and return the seconds of that."""
    start = time.perf_counter()
    with contextlib.suppress(BaseException), _with_memory_limit(task.memory):  # the run itself shows what is wrong
        _seed(0)
        first = ready(detector, task.params, 0)
        first.call(first.prepare(signal))
    seconds = time.perf_counter() - start
    _settle()
    return seconds


def _settle() -> None:
    """Take what libraries keep for good out of later collections, one of which precedes each run."""
    gc.collect()
    gc.freeze()


def _error_and_traceback(error: BaseException) -> dict[str, str]:
    """Return the type and the first line of an error, and its traceback."""
    name, line = type(error).__name__, _first_line(error)
    return {"error": f"{name}: {line}" if line else name, "traceback": traceback.format_exc()[-LONGEST_ERROR:]}


def _first_line(error: BaseException) -> str:
    """Return the first line of an error, which may be long, hold half a character, or fail to be text at all."""
    try:
        text = str(error)[:LONGEST_ERROR].encode("utf-8", "replace").decode()
    except BaseException:
        return ""
    return next(iter(text.strip().splitlines()), "")


def _seed(seed: int) -> None:
    import numpy as np

    random.seed(seed)
    np.random.seed(seed % 2**32)


def _generators() -> tuple[object, bytes]:
    """Return the states of the random generators of Python and NumPy."""
    import numpy as np

    return random.getstate(), pickle.dumps(np.random.get_state(legacy=False))


@contextlib.contextmanager
def _with_memory_limit(memory: int | None) -> Iterator[None]:
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
