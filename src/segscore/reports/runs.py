"""The runs of a report: the true and the predicted cuts of each series, and its signal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ..charts import cuts as cut_charts
from ..optional import polars as pl
from ..segmentation.timestamps import SECONDS, Origin
from ..tables.options import length_in
from ..tables.units import Measure

__all__ = ["BLOCK", "filter_shown", "runs_shown", "time_shown"]

BLOCK = 64  # series of one compressed block
SIGNALS = 60_000  # points of all signals together, unless each has `FEWEST`
FEWEST = 200
EXACT = 2**53  # from here on, the numbers of a page are not exact


def time_shown(scored: pl.DataFrame, measure: Measure | None) -> dict[str, Any] | None:
    """Return how the page counts timestamps: its unit, and the milliseconds and seconds of a unit.

    A long time in a fine unit is counted in a coarser one (``coarse``), so that the numbers of the page are exact.
    """
    if measure is None:
        return None
    units = list(SECONDS)[::-1]
    place, coarse = units.index(measure.unit), 1
    longest: Any = scored["n"].max()
    while (longest or 0) // coarse >= EXACT and SECONDS[units[place]] < 1:
        place, coarse = place + 1, coarse * 1000
    step = float(SECONDS[units[place]])
    sizes = {"step": 1000 * step, "seconds": step, "coarse": coarse}
    return {"unit": units[place], **sizes, "utc": measure.zone is not None}


def runs_shown(
    scored: pl.DataFrame, measure: Measure | None = None, coarse: int = 1
) -> tuple[list[dict[str, Any]], list[Any]]:
    """Return the cuts and the signal of each series; timestamps are counted, in ``coarse`` units at a time.

    A run has the length of its series, the cuts and the labels of each annotator, for each method the predictions of
    its rows (None for a row without a prediction) and their labels, and the reasons of the failures. A series whose
    places the numbers of a page cannot tell apart is only ``too_fine``.
    """
    methods = {m: k for k, m in enumerate(scored["method"].unique(maintain_order=True))}
    points = max(FEWEST, min(cut_charts.SIGNAL, SIGNALS // scored["series"].n_unique()))
    names = [name for name in ("method", "pred", "pred_labels", "error") if name in scored.columns]
    length = length_in(scored.columns) or "n"
    whole: Callable[[Any], float] = int if length == "n" else float
    runs: list[dict[str, Any]] = []
    signals: list[Any] = []
    for (series,), part in scored.group_by("series", maintain_order=True):
        known = part.filter(pl.col("truth").is_not_null() & pl.col(length).is_not_null())
        truths = known["truth"][0].to_list() if known.height else []
        people = known["_annotators"][0] if "_annotators" in part.columns and known.height else None
        if people is None:
            people = ["truth"] if len(truths) == 1 else [f"annotator {k + 1}" for k in range(len(truths))]
        n = whole(known[length][0]) if known.height else 0
        n = n // coarse if measure is not None else n

        def inside(cuts: Iterable[float | None], n: float = n) -> list[float]:
            return _inside([cut if cut is None else cut // coarse for cut in cuts] if coarse > 1 else cuts, n)

        rows: list[list[list[float] | None]] = [[] for _ in methods]
        labels: list[list[list[Any] | None]] = [[] for _ in methods]
        errors: dict[int, str] = {}
        for row in part.select(names).iter_rows(named=True):
            k, reason = methods[row["method"]], row.get("error")
            if reason:
                errors.setdefault(k, reason)
            rows[k].append(None if reason or row["pred"] is None else inside(row["pred"]))
            labels[k].append(None if rows[k][-1] is None else row.get("pred_labels"))
        own = known["truth_labels"][0] if "truth_labels" in part.columns and known.height else None
        true_labels = [None] * len(truths) if own is None else own.to_list()
        sides = [
            (name, inside(cuts), own)
            for name, cuts, own in zip(map(str, people), truths, true_labels, strict=True)
            if cuts is not None
        ]
        cuts_shown = [*(cuts for _, cuts, _ in sides), *(cuts for given in rows for cuts in given if cuts is not None)]
        if (length == "n" and n >= EXACT) or (coarse > 1 and any(len({*cuts}) < len(cuts) for cuts in cuts_shown)):
            runs.append({"length": 0, "truths": [], "rows": [], "labels": [], "errors": {}, "too_fine": True})
            signals.append(None)
            continue
        runs.append(
            {
                "length": n,
                "truths": [{"name": name, "cuts": cuts, "labels": own} for name, cuts, own in sides],
                "rows": rows,
                "labels": labels,
                "errors": errors,
                **({} if measure is None or not known.height else _start_shown(int(known["_start"][0]), measure)),
            }
        )
        signal: Any = part["signal"].drop_nulls() if "signal" in part.columns else []
        signals.append(_signal(signal[0], n, series, points, measure is None) if len(signal) and n else None)
    return runs, signals


def filter_shown(rows: pl.DataFrame, series: Sequence[str]) -> dict[str, Any] | None:
    """Return the parts of a study that readers may look at alone, by the column dataset or else group."""
    for name in ("dataset", "group"):
        if name not in rows.columns or rows.schema[name].is_nested():
            continue
        own = rows.select("series", pl.col(name).cast(pl.String)).drop_nulls().unique("series", maintain_order=True)
        of = dict(own.iter_rows())
        parts = list(dict.fromkeys(of.values()))
        if 1 < len(parts) < len(series):
            place = {part: k for k, part in enumerate(parts)}
            return {"name": name, "parts": parts, "of": [place[of[one]] if one in of else None for one in series]}
    return None


def _start_shown(start: int, measure: Measure) -> dict[str, Any]:
    """Return the start of a series: exact as text for Python, and in milliseconds since 1970 for drawing."""
    origin = Origin(start, measure.unit, None)
    return {"start": str(origin.at(0)), "origin": float(start * SECONDS[measure.unit] * 1000)}


def _inside(cuts: Iterable[float | None], n: float) -> list[float]:
    return [cut for cut in cuts if cut is not None and 0 < cut < n]  # the ends 0 and n may be given, and are dropped


def _signal(values: Any, n: float, series: str, points: int, in_points: bool) -> list[list[float | None]]:  # noqa: ANN401
    """Return the places and the values of the points of a signal that are drawn."""
    try:
        rows = cut_charts.thinned(values, n, points, in_points and isinstance(n, int))
    except (ValueError, TypeError) as error:
        raise ValueError(f"series {series!r}: {error}") from None
    return [[row["start"] for row in rows], [row["value"] for row in rows]]
