"""Files that appear when they are complete: written under another name, then renamed."""

from __future__ import annotations

import atexit
import errno
import glob
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from .showing import path_text

__all__ = ["aside", "check_name", "check_output", "is_aside", "resolved", "unwritable"]

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)  # errors that only an output can have
ASIDE = ".segscore"  # suffix of the folders in which outputs are written


@contextmanager
def aside(target: Path) -> Iterator[Path]:
    """Give a path to write to; the file replaces the target if no error occurs.

    The path is in a hidden folder of its own beside the target. The folder is removed at the end, even if Ctrl-C is
    pressed twice; a writer that still runs then fails. A run that is killed leaves its folder, and the next run with
    the same target removes it. If the target is a link, the link stays, and the file that it points to is replaced. A
    file that is replaced passes its permissions on.
    """
    target = check_output(target)
    for left in target.parent.glob(f".{glob.escape(target.name)}.*{ASIDE}"):
        with suppress(OSError, ImportError):  # the run is alive, or another run removes the folder
            lock = _locked(left)
            shutil.rmtree(left, ignore_errors=True)
            os.close(lock)
    folder, held = _own_folder(target)

    def remove() -> None:
        shutil.rmtree(folder, ignore_errors=True)

    atexit.register(remove)
    try:
        yield folder / ".part"
        with suppress(FileNotFoundError):  # there is no file to replace
            (folder / ".part").chmod(stat.S_IMODE(target.stat().st_mode))
        (folder / ".part").replace(target)
    except Exception as error:
        number = _error_number(error)
        if number in FULL or (number is not None and str(folder) in str(error)):
            raise unwritable(target, number) from error
        raise
    finally:
        remove()
        atexit.unregister(remove)
        if held is not None:
            os.close(held)


def _error_number(error: Exception) -> int | None:
    """Return the number of an error of the system, which Polars gives only in its text."""
    if isinstance(error, OSError) and error.errno is not None:
        return error.errno
    number = re.search(r"\(os error ([0-9]+)\)", str(error))
    return int(number[1]) if number else None


def unwritable(target: Path, number: int) -> OSError:
    """Return the error for an output that cannot be written, with the number that the system gave."""
    kind = type(OSError(number, ""))  # the class of this number, as PermissionError
    return kind(f"{target} cannot be written: {os.strerror(number)}")


def check_output(target: Path) -> Path:
    """Return where an output will be, with links followed, or raise if it cannot be there."""
    if target.is_symlink():
        target = resolved(target)
    check_name(target)
    if target.exists() and not target.is_file():
        kind = "a folder" if target.is_dir() else "a FIFO, a socket or a device"
        raise ValueError(f"{target} is {kind}; expected a regular file or a new name as output")
    if not target.parent.is_dir():
        raise ValueError(f"there is no folder {target.parent} for {target.name}; make it first")
    return target


def resolved(path: Path) -> Path:
    """Return a path without links."""
    real = Path(os.path.realpath(path))
    if real.is_symlink():
        raise ValueError(f"{path} is a link that leads back to itself; remove the link, or choose another output")
    return real


def is_aside(path: str) -> bool:
    """Return whether a path is one that `aside` gives, or its folder."""
    return any(part.startswith(".") and part.endswith(ASIDE) for part in Path(path).parts)


def _own_folder(target: Path) -> tuple[Path, int | None]:
    """Make a folder beside the target, and hold a lock that shows that this run is alive."""
    while True:
        try:
            folder = Path(tempfile.mkdtemp(prefix=f".{target.name}.", suffix=ASIDE, dir=target.parent))
        except OSError as error:
            raise unwritable(target, error.errno or errno.EIO) from None
        try:
            return folder, _locked(folder)
        except (BlockingIOError, FileNotFoundError):  # another run removed the folder before it was locked
            continue
        except (OSError, ImportError):  # this system has no locks, so no run removes leftovers
            return folder, None


def _locked(folder: Path) -> int:
    """Return an open file whose lock marks a folder as used, or raise OSError.

    The lock ends with the process.
    """
    import fcntl

    file = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        (folder / ".lock").stat()  # raises if the folder was removed in the meantime
    except OSError:
        os.close(file)
        raise
    return file


def check_name(path: str | os.PathLike[str]) -> None:
    """Refuse a name that Polars cannot open."""
    try:
        str(path).encode()
    except UnicodeEncodeError:
        raise ValueError(f"the name of {path_text(path)} is not UTF-8; rename the file or its folder") from None
