"""The segmentations of a file, by series and tier."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..arguments import choice
from ..segmentation.segmentation import Segmentation
from ..showing import Shown
from .records import TIERS

__all__ = ["Segmentations"]

Name = tuple[str, str]


class Segmentations(Mapping[Name, Segmentation]):
    """Segmentations of a file, by (series, tier).

    A tier is one segmentation of a series: that of an annotator, of a method, or of a layer of the file. The tier is
    ``""`` in formats with one segmentation per series.

    Attributes
    ----------
    notes
        What the file holds besides the segmentations, which is left out here: one sentence each.
    changes
        What reading changed, such as gaps that became segments: one sentence each.
    tiers
        What a tier is: ``"annotator"``, ``"method"`` or ``"tier"``. The column of `to_polars` has this name.

    Examples
    --------
    >>> found = Segmentations({("nile", "Ada"): Segmentation([28], n=100), ("nile", "Ben"): Segmentation([], n=100)})
    >>> found["nile", "Ada"]
    Segmentation([28], n=100)
    >>> found.of("nile")
    {'Ada': Segmentation([28], n=100), 'Ben': Segmentation([], n=100)}
    >>> found.only(tier="Ben")
    Segmentation([], n=100)
    >>> found
    series  tier  segments  length  labels
    nile    Ada          2     100       -
    nile    Ben          1     100       -

    """

    __slots__ = ("_found", "changes", "file", "notes", "tiers")

    def __init__(
        self,
        segmentations: Mapping[Name, Segmentation],
        *,
        tiers: str = "tier",
        notes: tuple[str, ...] = (),
        changes: tuple[str, ...] = (),
        file: str = "the mapping",
    ) -> None:
        choice(tiers, "tiers", TIERS)
        self._found = dict(segmentations)
        self.tiers = tiers
        self.notes = notes
        self.changes = changes
        self.file = file

    def __getitem__(self, name: Name) -> Segmentation:
        return self._found[name]

    def __iter__(self) -> Iterator[Name]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    def __repr__(self) -> str:
        return self._shown().text()

    def _repr_html_(self) -> str:
        return self._shown().html()

    def _shown(self) -> Shown:
        most = 50
        rows = [
            [
                series,
                tier,
                str(len(each)),
                _length_text(each),
                "-" if each.labels is None else str(len(set(each.labels))),
            ]
            for (series, tier), each in list(self._found.items())[:most]
        ]
        head = ["series", "tier", "segments", "length", "labels"]
        below = [f"Left out: {note}" for note in self.notes] + [f"Changed: {change}" for change in self.changes]
        return Shown([], head, "llrrr", rows, most, below, len(self))

    def only(self, series: str | None = None, tier: str | None = None) -> Segmentation:
        """Return the only segmentation, or the only one of a series or tier."""
        found = [
            each
            for (own, layer), each in self._found.items()
            if (series is None or own == series) and (tier is None or layer == tier)
        ]
        if len(found) == 1:
            return found[0]
        asked = [f"{what} {name!r:.60}" for what, name in (("series", series), ("tier", tier)) if name is not None]
        of = f" of {' and '.join(asked)}" if asked else ""
        names = ", ".join(
            f"{own!r:.40}" if not layer else f"({own!r:.40}, {layer!r:.40})" for own, layer in list(self)[:8]
        )
        more = f" and {len(self) - 8} more" if len(self) > 8 else ""
        remedy = "series= or tier=" if len({own for own, _ in self}) > 1 else "tier="
        raise ValueError(
            f"{self.file} has {len(found)} segmentations{of}; expected one: choose with {remedy} among {names}{more}"
        )

    def of(self, series: str) -> dict[str, Segmentation]:
        """Return the segmentations of a series by tier, as `segscore.annotated` takes annotators."""
        found = {tier: each for (own, tier), each in self._found.items() if own == series}
        if not found:
            names = ", ".join(dict.fromkeys(repr(own) for own, _ in self._found))
            raise ValueError(f"{self.file} has no series {series!r:.60}; it has {names:.400}")
        return found

    def to_polars(self) -> Any:  # noqa: ANN401
        """Return a Polars DataFrame with one row per segmentation.

        The columns are series, the tier, change_points, labels, and n or duration. `segscore.score_long` and the
        command line take such tables as truths. The column of tiers is named by what a tier is, and is absent if no
        tier has a name.
        """
        from .codecs.arrow import frame_of

        return frame_of(self, self.tiers)


def _length_text(segmentation: Segmentation) -> str:
    return str(segmentation.n) if segmentation.duration is None else f"{segmentation.duration:.12g}"
