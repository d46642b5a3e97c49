"""Cuts at positions of an index: the times or the numbers at which the values of a series were measured.

The cut at position p stands at ``index[p]``, the first time of the new segment. The first segment starts at
``index[0]``. The last segment ends at ``end``; without ``end`` it ends one step after the last value of the index, and
the index must have one step throughout.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._core import load_cuts
from ..arguments import integer
from .conversions import first_where, integers_of, reals_of, refuse_first
from .timestamps import Origin, in_one_unit, instants_of, is_timestamps

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["cuts_of_index"]

ROUNDING = 1e-9  # rounding of the steps of a float index, as a share of its largest value


def cuts_of_index(
    index: Any,  # noqa: ANN401
    positions: Any,  # noqa: ANN401
    end: Any,  # noqa: ANN401
) -> tuple[NDArray[Any], int | float, Origin | None]:
    """Return cuts measured from the start of the index, the length, and the origin of timestamps."""
    import numpy as np

    if isinstance(index, str | bytes | set | frozenset | dict) or not hasattr(index, "__iter__"):
        raise TypeError(f"index is {index!r:.40}; expected a sequence of times or numbers")
    if not hasattr(index, "__array__"):
        index = list(index)
    values, origin, last = _read(index, end)
    if not values.size:
        raise ValueError("index is empty; expected at least one value")

    def shown(value: Any) -> str:  # noqa: ANN401
        return str(value) if origin is None else origin.shown(int(value))

    refuse_first(
        ~(values[1:] > values[:-1]),
        lambda k: (
            f"index[{k + 1}] = {shown(values[k + 1])} does not exceed index[{k}] = {shown(values[k])}; "
            "expected an index that strictly increases"
        ),
    )
    if last is None:
        last = _one_step_later(values, shown)
    elif not last > values[-1]:
        raise ValueError(
            f"end = {shown(last)} does not exceed index[{values.size - 1}] = {shown(values[-1])}; "
            "expected the end of the last segment"
        )
    first = values[0].item()
    if last - first >= 2**63 and values.dtype.kind != "f":
        raise ValueError("from index[0] to the end there are 2**63 or more; expected fewer (use a coarser index)")
    if origin is not None and last >= 2**63:
        raise ValueError(
            f"one step after index[{values.size - 1}] = {shown(values[-1])} is 2**63 {origin.unit} or more from 1970; "
            "expected end=, or a coarser index"
        )
    places = np.frombuffer(load_cuts(positions, values.size, None, "positions")[0], dtype=np.int64)
    moved = None if origin is None else Origin(first, origin.unit, origin.zone)
    return values[places] - first, last - first, moved


def _read(index: Any, end: Any) -> tuple[NDArray[Any], Origin | None, Any]:  # noqa: ANN401
    """Return an index as numbers, the origin of these numbers if they are times, and the end."""
    if is_timestamps(index):
        read = [instants_of(index, "index"), instants_of([] if end is None else [end], "end")]
        own, last = in_one_unit(read, ["index", "end"], None)
        return own.counts, Origin(0, own.unit, own.zone), None if end is None else int(last.counts[0])
    kind = getattr(getattr(index, "dtype", None), "kind", None) or (
        "f" if "Float" in str(getattr(index, "dtype", "")) else ""
    )
    if kind == "f" or (not kind and any(hasattr(x, "__float__") and not hasattr(x, "__index__") for x in index)):
        return reals_of(index, "index"), None, None if end is None else float(reals_of([end], "end")[0])
    return integers_of(index, "index"), None, None if end is None else integer(end, "end")


def _one_step_later(values: NDArray[Any], shown: Any) -> Any:  # noqa: ANN401
    """Return the end of an index with one step, or raise."""
    if values.size < 2:
        raise TypeError("index has one value, and so no step; expected end=, the end of the last segment")
    step = values[1] - values[0]
    if values.dtype.kind == "f":
        step = (values[-1] - values[0]) / (values.size - 1)
    allowed = ROUNDING * max(abs(values[0]), abs(values[-1])) if values.dtype.kind == "f" else 0
    k = first_where(abs(values[1:] - values[:-1] - step) > allowed)
    if k is not None:
        raise TypeError(
            f"index has no single step: it differs between index[{k}] = {shown(values[k])} and "
            f"index[{k + 1}] = {shown(values[k + 1])}; expected end=, the end of the last segment"
        )
    return values[-1].item() + step.item()
