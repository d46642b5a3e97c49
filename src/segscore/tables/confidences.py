"""Scores of predicted cuts with confidences, which a table holds in a column ``confidence``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..scores.thresholds import PrecisionRecallCurve, average_precision, precision_recall_curve

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["confidence_columns", "confidence_curves"]

COLUMN = "confidence"


def confidence_columns(
    rows: Sequence[tuple[list[list[Any]], list[Any], Any] | None],
    wanted: Mapping[str, Mapping[str, float | None]],
    table: Any,  # noqa: ANN401
    in_time: bool,
) -> tuple[dict[str, NDArray[np.float64]], dict[int, str]]:
    """Return one column of average precisions per name, and the errors of rows; nan in rows without scores.

    ``rows`` holds the checked truths, prediction and length of each row, and ``wanted`` the margins of each name. With
    several annotators, the score is the mean over the annotators.
    """
    import numpy as np

    columns = {name: np.full(len(rows), np.nan) for name in wanted}
    errors: dict[int, str] = {}
    for place, (row, given) in enumerate(zip(rows, _column(table), strict=True)):
        if row is None:
            continue
        truths, pred, n = row
        try:
            both: dict[str, Any] = {"duration" if in_time else "n": n, "confidence": numbers_of(given)}
            for name, margins in wanted.items():
                own = [average_precision(truth, pred, **(both | {**margins})) for truth in truths]
                columns[name][place] = sum(own) / len(own)
        except (ValueError, TypeError) as error:
            errors[place] = str(error)
    return columns, errors


def confidence_curves(
    truths: Sequence[list[float]],
    pred: list[float],
    length: dict[str, Any],
    confidence: Any,  # noqa: ANN401
    margin: float,
) -> list[PrecisionRecallCurve]:
    """Return the precision-recall curve of a row for each annotator; the length is n or duration."""
    own = numbers_of(confidence)
    return [precision_recall_curve(truth, pred, confidence=own, **length, margin=margin) for truth in truths]


def numbers_of(given: Any) -> Any:  # noqa: ANN401
    """Return the confidences of a row, which a CSV file holds as text."""
    if given is None or (isinstance(given, float) and given != given):  # pandas has nan for a missing cell
        raise ValueError("confidence is null; expected a list of numbers, one per predicted cut")
    if not isinstance(given, str):
        return given
    try:
        return [float(number) for number in given.strip(" []()").replace(",", " ").split()]
    except ValueError:
        raise ValueError(f"confidence = {given!r:.40} is not a list of numbers; expected one per cut") from None


def _column(table: Any) -> list[Any]:  # noqa: ANN401
    """Return the confidences of all rows of a pandas, Polars or pyarrow table."""
    column = table[COLUMN]
    found: list[Any] = column.to_pylist() if hasattr(column, "to_pylist") else column.to_list()
    return found
