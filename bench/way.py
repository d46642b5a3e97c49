"""The way of a command through the source: functions, files, and changes of file, over all calls and returns.

Run `python bench/way.py`.
"""

import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import polars as pl

import segscore

SOURCE = str(Path(segscore.__file__).parent)
ROWS = {
    "series": ["a", "a", "b", "b"],
    "method": ["x", "y", "x", "y"],
    "truth": [[30, 60], [30, 60], [50], [50]],
    "pred": [[31, 60], [40], [50], [20, 52]],
    "n": [100] * 4,
}


def way(call: Callable[[], object]) -> tuple[int, int, int, Counter[str]]:
    """Count the functions, the files, and the changes of file of a call, and how often each function is called."""
    functions, files = set(), set()
    calls: Counter[str] = Counter()
    last, changes = "", 0

    def note(frame, event, argument):
        nonlocal last, changes
        code = frame.f_code
        file = code.co_filename
        if event in ("call", "return") and file.startswith(SOURCE):
            name = f"{file[len(SOURCE) + 1 :]}:{getattr(code, 'co_qualname', code.co_name)}"
            if event == "call":
                calls[name] += 1
                functions.add(name)
                files.add(file)
            changes += file != last
            last = file

    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
    return len(functions), len(files), changes, calls


def main() -> None:
    """Print the way of `report`, of `score` and of `leaderboard` for a table of four rows."""
    table = pl.DataFrame(ROWS)
    with tempfile.TemporaryDirectory() as folder:
        commands = {
            "report": lambda: segscore.report(table, Path(folder) / "report.html"),
            "score and leaderboard": lambda: segscore.leaderboard(segscore.score(table)),
        }
        for name, call in commands.items():
            call()  # imports and caches are not counted
            functions, files, changes, calls = way(call)
            print(f"{name}: {functions} functions in {files} files, {changes} changes of file")
            for function, count in calls.most_common(12 if "--calls" in sys.argv else 0):
                print(f"{count:7,} {function}")


if __name__ == "__main__":
    main()
