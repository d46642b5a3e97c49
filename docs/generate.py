"""Write anew what the documentation takes from the package: `python docs/generate.py`. A test compares the two.

These are the tables of docs/scores.md, the families in README.md, and the texts that docs/report.md and
THIRD_PARTY_NOTICES.md share with the report.
"""

import importlib
import math
import re
from pathlib import Path

import segscore as ss
from segscore.reports import prose

DOCS = Path(__file__).parent
PAGES = (DOCS / "scores.md", DOCS / "report.md", DOCS.parent / "README.md", DOCS.parent / "THIRD_PARTY_NOTICES.md")
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
    given = {"margin": 0} if metric.needs_margin else {}
    if metric.column is not None:
        given[metric.column] = [1] * len(pred)
    truth = [truth] if metric.family == "annotators" else truth
    value = metric.function(truth, pred, n=n, **given)
    return f"{value:.3g}" if math.isfinite(value) else str(float(value))


def bound(value):
    return f"{value:g}"


def catalog():
    lines = ["| score | meaning | family | best | bounds | symmetric | own parameters | kinds | cost | reference |"]
    lines.append("|" + "---|" * 10)
    for m in ss.METRICS.values():
        parameters = ", ".join(f"`{name}`" for name in m.parameters)
        symmetric, kinds = "yes" if m.symmetric else "no", ", ".join(m.kinds)
        bounds = f"[{bound(m.low)}, {bound(m.high)}]"
        cells = [f"`{m.name}`", m.meaning, m.family, bound(m.best), bounds, symmetric, parameters, kinds, m.cost]
        lines.append("| " + " | ".join([*cells, m.reference]) + " |")
    return "\n".join(lines)


def degenerate():
    lines = ["| score | " + " | ".join(CASES) + " |", "|" + "---|" * (len(CASES) + 1)]
    lines += [
        f"| `{m.name}` | " + " | ".join(scored(m, *c) for c in CASES.values()) + " |" for m in ss.METRICS.values()
    ]
    return "\n".join(lines)


BESIDE = {"annotators": ("agreement", "annotated")}  # modules whose functions belong to a family, but are no metrics


def families():
    """Return the metrics of each family, and then the other functions of its module and the modules that go with it."""
    lines = ["| family | scores |", "|---|---|"]
    for family in dict.fromkeys(m.family for m in ss.METRICS.values()):
        metrics = [m.name for m in ss.METRICS.values() if m.family == family]
        modules = [importlib.import_module(f"segscore.scores.{name}") for name in (family, *BESIDE.get(family, ()))]
        others = [name for module in modules for name in module.__all__ if name.islower() and hasattr(ss, name)]
        lines.append(f"| {family} | " + ", ".join(f"`{name}`" for name in dict.fromkeys(metrics + others)) + " |")
    return "\n".join(lines)


def reading():
    return prose.text("reading")


def third_party():
    return prose.text("third_party")


PARTS = {
    "catalog": catalog,
    "degenerate": degenerate,
    "families": families,
    "reading": reading,
    "third party": third_party,
}


def rewritten(page):
    for name, part in PARTS.items():
        start, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
        page = re.sub(f"{start}.*?{end}", lambda _, p=part, s=start, e=end: f"{s}\n{p()}\n{e}", page, flags=re.S)
    return page


if __name__ == "__main__":
    for path in PAGES:
        path.write_text(rewritten(path.read_text()))
