"""Which part of the package computes each metric of a table.

Metrics of the catalog and those of all annotators together are computed by the core. Average precision needs
confidences, so it is computed in Python, row by row.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

from .. import _core
from ..scores.core_plans import entries_of, options_in
from ..segmentation.lengths_of_time import in_units, is_length_of_time

__all__ = ["Plans", "plans_of"]

PLAIN = (int, float, type(None))  # types of margins for which plans are cached


class Plans(NamedTuple):
    """The metrics of a table, by who computes them."""

    core: _core.Plan
    columns: tuple[str, ...]  # names of the columns of the core's plan
    sources: dict[str, str]  # names of metrics that are equal to another column
    confident: dict[str, dict[str, float | None]]  # margins of the average precision


def plans_of(
    names: tuple[str, ...],
    margin: Any,  # noqa: ANN401
    relative_margin: float | None,
    unit: str | None = None,
) -> Plans:
    """Return who computes which metric; the metrics are in the form that `segscore.metric` writes.

    ``unit`` is the unit of timestamps, for a margin and options that are lengths of time.
    """
    if type(margin) not in PLAIN and is_length_of_time(margin):
        margin = in_units(margin, "margin", unit)
    is_plain = type(margin) in PLAIN and type(relative_margin) in PLAIN
    return (_kept_plans if is_plain else _plans)(names, margin, relative_margin, unit)


def _plans(names: tuple[str, ...], margin: float | None, relative_margin: float | None, unit: str | None) -> Plans:
    plain: list[str] = []
    together: dict[str, tuple[str, float]] = {}
    sources: dict[str, str] = {}
    confident: dict[str, dict[str, float | None]] = {}
    for name in names:
        found, options = options_in(name, unit)
        if not found.only_tables:
            plain.append(name)
            continue
        if found.column is not None:
            common = {"margin": margin, "relative_margin": relative_margin}
            confident[name] = options or common  # a margin of its own replaces the common margin
            continue
        part = found.name.removeprefix("annotated_")
        own: Any = options.get("margin", margin)
        if found.needs_margin and own is None:  # there is only a relative margin
            raise TypeError(f"{name} has no margin; expected margin= (0 for the same cut)")
        if part == "covering":  # the mean over the annotators, which is what a table says of any metric
            sources[name] = "covering"
        else:
            together[name] = (part, own)
    plain += [source for source in dict.fromkeys(sources.values()) if source not in plain]
    core = _core.Plan(entries_of(tuple(plain), unit), margin, relative_margin, list(together.values()))
    return Plans(core, (*plain, *together), sources, confident)


_kept_plans = lru_cache(maxsize=256, typed=True)(_plans)
