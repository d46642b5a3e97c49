"""The columns and the scores that a report shows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..scores.catalog import METRICS, canonical, chosen_metrics, metric_of
from ..tables.options import lengths_in

__all__ = ["COLUMNS", "DEFAULT", "metrics_of"]

DEFAULT = (
    "rand_index",
    "adjusted_rand_index",
    "covering",
    "f1",
    "precision",
    "recall",
    "normalized_mutual_information",
    "variation_of_information",
    "window_diff",
    "pk",
    "mean_error",
    "count_error",
)
COLUMNS = (
    *("series", "method", "n", "duration", "start", "end"),
    *("truth", "pred", "truth_labels", "pred_labels", "confidence", "regions"),
    *("signal", "status", "error", "dataset", "group", "_annotators", "params", "settings", "versions", "machine"),
    "seconds",
)


def metrics_of(rows: Any, metrics: Iterable[str] | None) -> list[str]:  # noqa: ANN401
    """Return the scores to show: the requested ones, those in the table, or the usual ones."""
    order = {name: k for k, name in enumerate(METRICS)}
    places = {name: order[known.name] for name in rows.columns if (known := metric_of(name))}
    present = sorted(places, key=places.__getitem__)
    lengths = lengths_in(rows.columns) or ("n",)
    lacking = " and no ".join(name for name in ("truth", "pred", *lengths) if name not in rows.columns)
    if metrics is not None:
        asked = [metrics] if isinstance(metrics, str) else list(metrics)
        metrics = [name if name in rows.columns else canonical(name) for name in asked]
        if not metrics:
            raise ValueError("metrics is empty; expected names of scores")
        for name in metrics:
            if metrics.count(name) > 1:
                raise ValueError(f"{name} is asked for twice; expected each metric once")
        missing = [name for name in metrics if name not in rows.columns]
        if missing and lacking:
            raise ValueError(
                f"table has no column {missing[0]!r}, and no {lacking} to compute {missing[0]} with; it has "
                f"{', '.join(rows.columns)}; expected the columns truth, pred and n (or duration, or start and end), "
                f"or the column {missing[0]}"
            )
        if missing:
            chosen_metrics(missing, True, lengths == ("duration",), in_table=True)  # raises for an unknown metric
        return metrics
    if not present and lacking:
        raise ValueError(
            f"table has no scores, and no {lacking} to compute scores with; it has {', '.join(rows.columns)}; expected "
            "the columns truth, pred and n (or duration, or start and end), or columns of scores"
        )
    return present or [name for name in DEFAULT if METRICS[name].in_time or lengths != ("duration",)]
