"""What reading leaves out of a file, and what reading changes, counted over the whole file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from ..showing import count_text

__all__ = ["Besides"]

ENDS = {
    "cut off": "cut off at the length",
    "filled": "filled up to the length",
    "extended": "longer than the length in the file",
}
SLIVER = 0.05  # seconds; a shorter gap or overlap is probably rounding


@dataclass
class _Sizes:
    """The number and the sizes of the changes of one kind."""

    count: int = 0
    shortest: float = float("inf")
    longest: float = 0.0
    slivers: int = 0
    unit: str = ""


@dataclass
class Besides:
    """What a file says besides its segmentations, and what becomes of its segments."""

    notes: list[str] = field(default_factory=list)  # sentences about what is left out
    tiers: str = "tier"  # the word for a tier
    counts: Counter[tuple[str, str]] = field(
        default_factory=Counter
    )  # numbers of things left out, by noun and the rest
    sizes: dict[str, _Sizes] = field(default_factory=dict)  # changes with sizes, by kind
    others: dict[str, None] = field(default_factory=dict)  # other changes

    def add(self, kind: str, sizes: Iterable[float], timed: bool) -> None:
        """Add the sizes of changes of one kind: "gap", "overlap", "closed", "empty" or one of ENDS."""
        for size in sizes:
            all_sizes = self.sizes.setdefault(kind, _Sizes(unit=" s" if timed else ""))
            all_sizes.count += 1
            all_sizes.shortest = min(all_sizes.shortest, size)
            all_sizes.longest = max(all_sizes.longest, size)
            all_sizes.slivers += timed and size < SLIVER

    def texts(self) -> tuple[str, ...]:
        """Return what is left out, one sentence each, without repetition."""
        counted = [count_text(count, noun) + rest for (noun, rest), count in self.counts.items()]
        return tuple(dict.fromkeys([*self.notes, *counted]))

    def changes(self) -> tuple[str, ...]:
        """Return what reading changed, one sentence each."""
        return (*self.others, *(_sentence(kind, sizes) for kind, sizes in self.sizes.items()))


def _sentence(kind: str, sizes: _Sizes) -> str:
    """Return a sentence about the changes of one kind."""
    shortest, longest = (f"{size:.6g}{sizes.unit}" for size in (sizes.shortest, sizes.longest))
    one = sizes.count == 1
    if kind == "empty":
        return f"{count_text(sizes.count, 'segment')} of no length {'was' if one else 'were'} left out"
    if kind == "closed":
        closed = "was closed" if one else "were closed"
        return f"{count_text(sizes.count, 'difference')} of at most {longest} between segments {closed} as rounding"
    if kind in ENDS:
        return (
            f"{count_text(sizes.count, 'segmentation')} {'was' if one else 'were'} {ENDS[kind]}, "
            f"by {'' if one else 'at most '}{longest}"
        )
    became = "became a segment, of" if one else "became segments, the shortest of"
    slivers = (
        f"; {sizes.slivers} shorter than {SLIVER} s may be rounding, which tolerance= closes" if sizes.slivers else ""
    )
    return f"{count_text(sizes.count, kind)} {became} {shortest}{slivers}"
