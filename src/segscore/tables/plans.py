"""Which part of the package computes each metric of a table.

Metrics of the catalog and those of all annotators together are computed by the core. The numbers of TCPDBench depend on
the order of a Python set, and average precision needs confidences, so they are computed in Python, row by row.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import _core
from ..scores.catalog import entries_of, options_in
from ..segmentation.timestamps import in_units, is_length_of_time

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Plans", "plans_of", "tcpdbench_columns"]

Row = tuple[list[list[int]], list[int], int]  # truths, pred, n
PLAIN = (int, float, type(None))  # types of margins for which plans are cached


class Plans(NamedTuple):
    """The metrics of a table, by who computes them."""

    core: _core.Plan
    columns: tuple[str, ...]  # names of the columns of the core's plan
    sources: dict[str, str]  # names of metrics that are equal to another column
    tcpdbench: dict[str, tuple[str, float]]  # names in TCPDBench, and margins
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
    peers: dict[str, tuple[str, float]] = {}
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
        library, part = found.name.split("_")
        own: Any = options.get("margin", margin)
        if found.needs_margin and own is None:  # there is only a relative margin
            raise TypeError(f"{name} has no margin; expected margin= (0 for the same cut)")
        if library == "tcpdbench":
            peers[name] = ("cover", 5) if part == "covering" else (part, own)
        elif part == "covering":  # the mean over the annotators, which is what a table says of any metric
            sources[name] = "covering"
        else:
            together[name] = (part, own)
    plain += [source for source in dict.fromkeys(sources.values()) if source not in plain]
    core = _core.Plan(entries_of(tuple(plain), unit), margin, relative_margin, list(together.values()))
    return Plans(core, (*plain, *together), sources, peers, confident)


_kept_plans = lru_cache(maxsize=256, typed=True)(_plans)


def tcpdbench_columns(
    rows: Sequence[Row | None], wanted: dict[str, tuple[str, float]], against_others: bool
) -> dict[str, NDArray[np.float64]]:
    """Return the columns of the metrics of TCPDBench; nan in rows that have no scores."""
    import numpy as np

    from ..compat import tcpdbench

    margins = {margin for _, margin in wanted.values()}
    columns = {name: np.full(len(rows), np.nan) for name in wanted}
    for place, row in enumerate(rows):
        if row is None:
            continue
        truths, pred, n = row
        left_out = range(len(truths)) if against_others else [len(truths)]
        for margin in margins:
            found = [
                tcpdbench.scores({k: truth for k, truth in enumerate(truths) if k != out}, pred, n, margin)
                for out in left_out
            ]
            for name, (part, own) in wanted.items():
                if own == margin:
                    columns[name][place] = sum(scores[part] for scores in found) / len(found)
    return columns
