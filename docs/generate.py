"""Write the tables of docs/scores.md anew, from the code: `python docs/generate.py`. A test compares them."""

import math
import re
from pathlib import Path

import segscore as ss

PAGE = Path(__file__).parent / "scores.md"
EVERY = [1, 2, 3]
CASES = {  # what: truth, pred, n
    "n = 0": ([], [], 0),
    "n = 1": ([], [], 1),
    "n = 2, no cut": ([], [], 2),
    "n = 2, one missed": ([1], [], 2),
    "neither has a cut": ([], [], 4),
    "only truth has": ([2], [], 4),
    "only pred has": ([], [2], 4),
    "identical": ([2], [2], 4),
    "both cut everywhere": (EVERY, EVERY, 4),
    "all cut, none found": (EVERY, [], 4),
    "none, all cut": ([], EVERY, 4),
}


def scored(metric, truth, pred, n):
    margin = {"margin": 0} if metric.needs_margin else {}
    value = metric.function(truth, pred, n=n, **margin)
    return f"{value:.3g}" if math.isfinite(value) else str(float(value))


def bound(value):
    return f"{value:g}"


def catalog():
    lines = [
        "| score | family | best | bounds | symmetric | own parameters | `duration=` | cost | meaning | reference |"
    ]
    lines.append("|" + "---|" * 10)
    for m in ss.METRICS.values():
        parameters = ", ".join(f"`{name}`" for name in m.parameters)
        flags = "yes" if m.symmetric else "no", "yes" if m.in_time else "no"
        cells = [f"`{m.name}`", m.family, bound(m.best), f"[{bound(m.low)}, {bound(m.high)}]", flags[0], parameters]
        lines.append("| " + " | ".join([*cells, flags[1], m.cost, m.meaning, m.reference]) + " |")
    return "\n".join(lines)


def degenerate():
    lines = ["| score | " + " | ".join(CASES) + " |", "|" + "---|" * (len(CASES) + 1)]
    lines += [
        f"| `{m.name}` | " + " | ".join(scored(m, *c) for c in CASES.values()) + " |" for m in ss.METRICS.values()
    ]
    return "\n".join(lines)


TABLES = {"catalog": catalog, "degenerate": degenerate}


def rewritten(page):
    for name, table in TABLES.items():
        start, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
        page = re.sub(f"{start}.*?{end}", lambda _, t=table, s=start, e=end: f"{s}\n{t()}\n{e}", page, flags=re.S)
    return page


if __name__ == "__main__":
    PAGE.write_text(rewritten(PAGE.read_text()))
