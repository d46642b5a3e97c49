"""Where and when a run was measured."""

from __future__ import annotations

import functools
import os
import platform
from collections.abc import Mapping
from datetime import datetime, timezone
from typing import Any

from ..showing import count_text

__all__ = ["SHARED", "machine", "stamped"]

SHARED = "shared cluster: "  # how the machine of a run begins whose seconds depend on what others run there


def stamped(answer: Mapping[str, Any], *, shared: bool = False) -> dict[str, Any]:
    """Return an answer with the start of its run, in UTC, and its machine."""
    start = datetime.now(timezone.utc).timestamp() - (answer["seconds"] or 0)
    started = datetime.fromtimestamp(start, timezone.utc).isoformat(timespec="milliseconds")
    return {**answer, "started": started, "machine": f"{SHARED if shared else ''}{machine()}"}


@functools.cache
def machine() -> str:
    """Return the kind of this machine: system, processor and number of cores."""
    name = platform.machine()
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            name = next((line.partition(":")[2].strip() for line in file if line.startswith("model name")), name)
    except OSError:
        name = platform.processor() or name
    return f"{platform.system()} {platform.machine()}, {name}, {count_text(os.cpu_count() or 1, 'core')}"
