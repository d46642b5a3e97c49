"""The journal of a study: one JSON line per finished cell, so that a killed study continues."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import zlib
from pathlib import Path
from types import TracebackType
from typing import Any

from ..outputs import check_output, unwritable

__all__ = ["Journal", "journal_of"]


def journal_of(out: Path) -> Path:
    """Return the path of the journal beside an output."""
    return out.with_name(f"{out.name}.journal")


class Journal:
    """The finished cells by their keys, in memory and, unless the path is None, in a file.

    Each line ends with a checksum of the rest. A line that was torn when a study was killed is removed when the journal
    is opened again; a line that was damaged later is refused.
    """

    def __init__(self, path: Path | None) -> None:
        self.path, self.file = path and check_output(path), -1
        self.rows: dict[str, dict[str, Any]] = {}
        if path is not None:
            self.file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
            try:
                self._lock(path)
                self._read(path)
            except BaseException:
                os.close(self.file)
                raise

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        if self.path is not None:
            os.close(self.file)

    def add(self, row: dict[str, Any]) -> None:
        """Append one finished cell; the line is complete in the file before this returns."""
        if self.path is not None:
            data = memoryview(_json_bytes({**row, "checksum": _checksum(row)}) + b"\n")
            try:
                while data:
                    data = data[os.write(self.file, data) :]
            except OSError as error:
                raise unwritable(self.path, error.errno or errno.EIO) from None
        self.rows[row["key"]] = row

    def _lock(self, path: Path) -> None:
        """Hold the journal, so that two studies at once do not write to it; the lock ends with the process."""
        try:
            import fcntl
        except ImportError:
            return
        try:
            fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ValueError(
                f"another study is writing to {path}; expected another output (or wait until the other study ends)"
            ) from None
        except OSError:
            return  # a file system without locks

    def _read(self, path: Path) -> None:
        with open(self.file, "rb", closefd=False) as file:
            file.seek(0)
            text = file.read()
        whole = text.rfind(b"\n") + 1
        if whole < len(text):
            os.truncate(path, whole)
        for number, line in enumerate(text[:whole].split(b"\n")[:-1], 1):
            row = None
            with contextlib.suppress(ValueError, RecursionError):
                row = json.loads(line)
            if not isinstance(row, dict) or "key" not in row or row.pop("checksum", None) != _checksum(row):
                raise ValueError(
                    f"{path}, line {number}: {line.decode(errors='replace')!r:.60} is not a finished cell, or is "
                    "damaged; expected a journal that segscore wrote (remove this line, or the file)"
                )
            self.rows[row["key"]] = row


def _json_bytes(row: dict[str, Any]) -> bytes:
    return json.dumps(row, separators=(",", ":"), ensure_ascii=True).encode()


def _checksum(row: dict[str, Any]) -> int:
    return zlib.crc32(_json_bytes(row))
