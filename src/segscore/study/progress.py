"""The progress of a study: a bar with the time left on a terminal, otherwise a line per minute."""

from __future__ import annotations

import shutil
import sys
import time
from typing import TextIO

from ..showing import printable

__all__ = ["Progress", "duration"]

BAR = 24  # characters
EVERY = 60.0  # seconds between two lines, if the output is not a terminal


class Progress:
    """Counts finished and failed cells, and shows them on a stream."""

    def __init__(self, total: int, *, shown: bool, stream: TextIO | None = None) -> None:
        self.total, self.done, self.failed = total, 0, 0
        self.stream = stream or sys.stderr
        self.shown = shown
        self.terminal = shown and self.stream.isatty()
        self.start = self.last = time.monotonic()
        self.width = 0

    def note(self, text: str) -> None:
        """Print a line above the bar."""
        if self.shown:
            self._clear()
            print(printable(text), file=self.stream, flush=True)

    def finished(self, failed: bool) -> None:
        """Count one more cell."""
        self.done, self.failed = self.done + 1, self.failed + failed

    def show(self, slowest: str = "", *, now: bool = False) -> None:
        """Show how far the study is, if it is time for that."""
        moment = time.monotonic()
        if not self.shown or (not now and moment - self.last < (0.1 if self.terminal else EVERY)):
            return
        self.last = moment
        text = printable(self.text(moment - self.start, slowest))
        if self.terminal:
            self._clear()
            text = text[: shutil.get_terminal_size().columns - 1]  # a line that wraps cannot be removed
            self.stream.write(text)
            self.stream.flush()
            self.width = len(text)
        else:
            print(text, file=self.stream, flush=True)

    def text(self, seconds: float, slowest: str = "") -> str:
        """Return the counts, the rate, the time left and the slowest cell that runs."""
        rate = self.done / seconds if seconds > 0 else 0.0
        left = f"{duration((self.total - self.done) / rate)} left" if rate else "time left unknown"
        parts = [f"{self.done} of {self.total} runs", f"{self.failed} failed", f"{rate:.3g} per s", left]
        text = ", ".join(part for part in parts if part != "0 failed") + (f"; {slowest}" if slowest else "")
        if not self.terminal:
            return text
        full = BAR * self.done // max(1, self.total)
        return f"[{'#' * full}{'.' * (BAR - full)}] {text}"

    def close(self) -> None:
        """Remove the bar."""
        self._clear()

    def _clear(self) -> None:
        if self.terminal and self.width:
            self.stream.write("\r" + " " * self.width + "\r")
            self.stream.flush()
            self.width = 0


def duration(seconds: float) -> str:
    """Return a time in words.

    >>> duration(9.6), duration(75), duration(4000)
    ('10 s', '1 min 15 s', '1 h 6 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    return f"{whole // 60} min {whole % 60} s" if whole < 3600 else f"{whole // 3600} h {whole % 3600 // 60} min"
