"""The runs of a report: the true and the predicted cuts of each series, and its signal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ...optional import library
from ...tables.options import length_in
from ..charts import of_cuts

__all__ = ["BLOCK", "filter_shown", "runs_shown"]

BLOCK = 64  # series of one compressed block
SIGNALS = 60_000  # points of all signals together, unless each has `FEWEST`
FEWEST = 200


def runs_shown(scored: Any) -> tuple[list[dict[str, Any]], list[Any]]:  # noqa: ANN401
    """Return the cuts and the signal of each series.

    A run has the length of its series, the cuts and the labels of each annotator, for each method the predictions of
    its rows (None for a row without a prediction) and their labels, and the reasons of the failures.
    """
    pl = library("polars")
    methods = {m: k for k, m in enumerate(scored["method"].unique(maintain_order=True))}
    points = max(FEWEST, min(of_cuts.SIGNAL, SIGNALS // scored["series"].n_unique()))
    names = [name for name in ("method", "pred", "pred_labels", "error") if name in scored.columns]
    length = length_in(scored.columns) or "n"
    whole: Callable[[Any], float] = int if length == "n" else float
    runs, signals = [], []
    for (series,), part in scored.group_by("series", maintain_order=True):
        known = part.filter(pl.col("truth").is_not_null() & pl.col(length).is_not_null())
        truths = known["truth"][0].to_list() if known.height else []
        people = known["_annotators"][0] if "_annotators" in part.columns and known.height else None
        if people is None:
            people = ["truth"] if len(truths) == 1 else [f"annotator {k + 1}" for k in range(len(truths))]
        n = whole(known[length][0]) if known.height else 0
        rows: list[list[list[float] | None]] = [[] for _ in methods]
        labels: list[list[list[Any] | None]] = [[] for _ in methods]
        errors: dict[int, str] = {}
        for row in part.select(names).iter_rows(named=True):
            k, reason = methods[row["method"]], row.get("error")
            if reason:
                errors.setdefault(k, reason)
            rows[k].append(None if reason or row["pred"] is None else _inside(row["pred"], n))
            labels[k].append(None if rows[k][-1] is None else row.get("pred_labels"))
        own = known["truth_labels"][0] if "truth_labels" in part.columns and known.height else None
        true_labels = [None] * len(truths) if own is None else own.to_list()
        sides = [side for side in zip(map(str, people), truths, true_labels, strict=True) if side[1] is not None]
        runs.append(
            {
                "length": n,
                "truths": [{"name": name, "cuts": _inside(cuts, n), "labels": own} for name, cuts, own in sides],
                "rows": rows,
                "labels": labels,
                "errors": errors,
            }
        )
        signal = part["signal"].drop_nulls() if "signal" in part.columns else []
        signals.append(_signal(signal[0], n, series, points) if len(signal) and n else None)
    return runs, signals


def filter_shown(rows: Any, series: Sequence[str]) -> dict[str, Any] | None:  # noqa: ANN401
    """Return the parts of a study that readers may look at alone, by the column dataset or else group."""
    pl = library("polars")
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


def _inside(cuts: Iterable[float | None], n: float) -> list[float]:
    return [cut for cut in cuts if cut is not None and 0 < cut < n]  # the ends 0 and n may be given, and are dropped


def _signal(values: Any, n: float, series: str, points: int) -> list[list[float | None]]:  # noqa: ANN401
    """Return the places and the values of the points of a signal that are drawn."""
    try:
        rows = of_cuts.thinned(values, n, points, isinstance(n, int))
    except (ValueError, TypeError) as error:
        raise ValueError(f"series {series!r}: {error}") from None
    return [[row["start"] for row in rows], [row["value"] for row in rows]]
