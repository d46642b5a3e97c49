"""Records with one segmentation each: the rows of JSON, CSV, Parquet and Arrow files."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, NoReturn

from ..segmentation.segmentation import Segmentation
from ..showing import count_text
from .besides import Besides
from .rows import Rows

__all__ = ["CUTS_COLUMNS", "TIERS", "Reader", "records_of"]

CUTS_COLUMNS = ("change_points", "cuts")
TIERS = ("tier", "annotator", "method")  # columns that name a tier; the first that is there does
SCORED = ("truth", "pred")


class Reader:
    """Turns the records of one file into rows, and counts the records without cuts."""

    def __init__(self, file: str, stem: str, word: str) -> None:
        self.file, self.stem, self.word = file, stem, word
        self.tiers = ""  # the column of tiers
        self.without_cuts = 0
        self.others: dict[str, None] = {}  # columns that are left out
        self.known: dict[tuple[str, ...], int] = {}

    def finish(self, besides: Besides) -> None:
        """Say what a tier is, and what the records hold that is left out."""
        besides.tiers = self.tiers or "tier"
        if self.without_cuts:
            besides.notes.append(f"{count_text(self.without_cuts, self.word)} without cuts (null)")
        if self.others:
            besides.notes.append(f"columns: {', '.join(self.others)}")

    def where(self, number: int) -> str:
        """Return the place of a record."""
        return f"{self.file}, {self.word} {number}"

    def names(self, record: Mapping[str, Any], number: int) -> tuple[str, str, str]:
        """Return the series, the tier and the parameters of a record, as text."""
        column = next((name for name in TIERS if name in record), "")
        if column:
            self.tiers = column
        series = self._name(record, "series", number) if "series" in record else self.stem
        tier = self._name(record, column, number) if column else ""
        return series, tier, self._name(record, "params", number) if "params" in record else ""

    def _name(self, record: Mapping[str, Any], column: str, number: int) -> str:
        value = record[column]
        if value is None:
            return ""
        if isinstance(value, str):
            return value
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        raise ValueError(
            f"{self.where(number)}: {column} = {value!r:.40} is a {type(value).__name__}; expected text or an integer"
        )

    def number(self, record: Mapping[str, Any], column: str, number: int) -> Any:  # noqa: ANN401
        """Return the number in a column of a record, or None."""
        value = record.get(column)
        if value is None:
            return None
        whole = column == "n"
        is_number = isinstance(value, int if whole else int | float) and not isinstance(value, bool)
        if not is_number or not math.isfinite(value) or value < 0:
            expected = "an integer" if whole else "a number"
            raise ValueError(f"{self.where(number)}: {column} = {value!r:.40}; expected {expected} of at least 0")
        return value

    def rows(self, record: Mapping[str, Any], number: int) -> Rows | None:
        """Return the rows of a record, or None if its cuts are null."""
        where = self.where(number)
        column = next((name for name in CUTS_COLUMNS if name in record), "")
        if not column:
            self.refuse_columns(record, where)
        series, tier, params = self.names(record, number)
        n, duration = self.number(record, "n", number), self.number(record, "duration", number)
        if n is not None and duration is not None:
            raise ValueError(f"{where} has n = {n} and duration = {duration}; expected one of them")
        used = {column, "series", self.tiers, "params", "n", "duration", "labels"}
        self.others |= {str(name): None for name in record if name not in used}
        if record[column] is None:
            self.without_cuts += 1
            return None
        name = (series, tier, params)
        if name in self.known:
            raise ValueError(
                f"{where} has the same series, {series!r:.60}, and tier, {tier!r:.60}, as {self.word} "
                f"{self.known[name]}; expected different names"
            )
        self.known[name] = number
        return Rows(
            where,
            series,
            tier,
            self._cuts(record[column], column, where),
            labels=self._labels(record.get("labels"), where),
            kind="points" if n is not None else "time" if duration is not None else None,
            length=n if duration is None else duration,
            detail=params,
        )

    def refuse_columns(self, record: Mapping[str, Any], where: str) -> NoReturn:
        """Raise for a record without cuts."""
        names = ", ".join(map(str, record))
        if set(SCORED) <= record.keys():
            raise ValueError(
                f"{where} has the columns truth and pred; expected one segmentation per row in change_points "
                "(segscore.score() scores tables of truth and pred)"
            )
        raise ValueError(f"{where} has {names or 'no columns':.200}; expected change_points")

    def _cuts(self, value: Any, column: str, where: str) -> list[Any]:  # noqa: ANN401
        if not isinstance(value, list):
            raise ValueError(f"{where}: {column} = {value!r:.40} is not a list; expected a list of cuts")
        if not {*map(type, value)} <= {int, float}:
            k = next(k for k, cut in enumerate(value) if type(cut) not in (int, float))
            raise ValueError(f"{where}: {column}[{k}] = {value[k]!r:.40} is not a number; expected a list of cuts")
        return value

    def _labels(self, value: Any, where: str) -> list[Any] | None:  # noqa: ANN401
        if value is None:
            return None
        if not isinstance(value, list):
            raise ValueError(f"{where}: labels = {value!r:.40} is not a list; expected one label per segment")
        for k, label in enumerate(value):
            if not isinstance(label, str | int | float) or label != label:
                raise ValueError(f"{where}: labels[{k}] = {label!r:.40}; expected text or a number")
        return value


def records_of(segmentations: Mapping[tuple[str, str], Segmentation], tiers: str) -> Iterator[dict[str, Any]]:
    """Give one record per segmentation; all have the same columns.

    The columns are series, the tier if one has a name, change_points, labels if one has labels, and n or duration.
    """
    every = segmentations.values()
    named = any(tier for _, tier in segmentations)
    labelled = any(each.labels is not None for each in every)
    lengths = [name for name in ("n", "duration") if any(getattr(each, name) is not None for each in every)]
    for (series, tier), each in segmentations.items():
        yield {
            "series": series,
            **({tiers: tier} if named else {}),
            "change_points": each.cuts,
            **({"labels": None if each.labels is None else list(each.labels)} if labelled else {}),
            **{name: getattr(each, name) for name in lengths},
        }
