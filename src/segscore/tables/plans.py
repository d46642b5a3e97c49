"""Which part of the package computes each metric of a table.

Metrics of the catalog and those of all annotators together are computed by the core. Average precision needs
confidences, so it is computed in Python, row by row.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from .. import _core
from ..scores.core_plans import entries_of, options_in

__all__ = ["Plans", "plans_of"]


class Plans(NamedTuple):
    """The metrics of a table, by who computes them."""

    core: _core.Plan
    columns: tuple[str, ...]  # names of the columns of the core's plan
    sources: dict[str, str]  # names of metrics that are equal to another column
    confident: dict[str, dict[str, float | None]]  # margins of the average precision


@lru_cache(maxsize=256)
def plans_of(names: tuple[str, ...], unit: str | None = None) -> Plans:
    """Return who computes which metric; the metrics are in the form that `segscore.metric` writes.

    ``unit`` is the unit of timestamps, for options that are lengths of time.
    """
    plain: list[str] = []
    together: dict[str, tuple[str, float]] = {}
    sources: dict[str, str] = {}
    confident: dict[str, dict[str, float | None]] = {}
    for name in names:
        found, options = options_in(name, unit)
        part = found.name.removeprefix("annotated_")
        if not found.only_tables:
            plain.append(name)
        elif found.column is not None:
            confident[name] = options
        elif part == "covering":  # the mean over the annotators, which is what a table says of any metric
            sources[name] = "covering"
        else:
            together[name] = (part, options.get("margin", 0))
    plain += [source for source in dict.fromkeys(sources.values()) if source not in plain]
    core = _core.Plan(entries_of(tuple(plain), unit), None, None, list(together.values()))
    return Plans(core, (*plain, *together), sources, confident)
