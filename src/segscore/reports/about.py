"""The last section of the page: what its numbers mean, and where they come from."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..boards.references import CHANCE_DRAWS
from ..boards.wording import listed
from ..charts import axes
from ..charts.axes import Axis
from ..segmentation.lengths_of_time import LengthOfTime
from ..tables.units import Measure

if TYPE_CHECKING:
    import polars as pl

__all__ = ["IN_POINTS", "IN_SECONDS", "Unit", "conventions_shown", "dates_of", "provenance_shown"]


class Unit(NamedTuple):
    """What cuts are counted in."""

    name: str
    margin: float  # by default
    axis: Axis
    convention: str


IN_POINTS = Unit(
    "points",
    5,
    axes.POINTS,
    "The number of a cut is the number of points before the cut: cut 3 of 10 points separates the first three points "
    "from the other seven. The ends 0 and n are not cuts.",
)
IN_SECONDS = Unit(
    "seconds",
    0.5,
    Axis("time (seconds)", "seconds"),
    "A cut is a time in seconds from the start of its series. The start and the end of a series are not cuts.",
)
CONVENTIONS = (
    "A predicted cut may match a true cut if they are at most the margin apart (inclusive). Each cut is matched at "
    "most once, and as many cuts as possible are matched. Among all such matchings, the timeline shows the one with "
    "the least sum of errors.",
    "With several annotators, a score is the mean over the annotators. The scores annotated F1, annotated "
    "precision and annotated recall take all annotators together, so they differ from F1, precision and recall. If a "
    "method has several rows for one series, their scores are averaged. The section about one series shows the first "
    "of these rows, with the truth and the length of the first row of the series.",
    "The windows of Pk and window diff are half as long as the mean true segment.",
    "Intervals of means are 95 % intervals over series, or over groups of series if the table has a column group. An "
    "interval of fewer than 100 of these units is rough. Intervals of differences are not corrected for the number of "
    "pairs.",
    "A run is scored, undefined (the score has no value there), failed (there is no prediction, or one that cannot be "
    "scored), not run (there is no row, or no truth) or unreadable. Means, ranks, wins and tests of a score all use "
    "the same series and the same values; the line above the leaderboard says which, and what a failure counts as.",
    "Each pair of methods has one verdict at the 5 % level: better, worse, or not shown. The mean difference is tested "
    "by sign flips of series, or of groups of series, with Holm's correction over all pairs of one score; scores "
    "without a finite worst value have signed-rank tests. The first score is the primary one, and the others are "
    "secondary.",
    "Chance is the mean score of random segmentations with as many cuts as an annotator's segmentation, all equally "
    f"likely: exact for F1 in points, else of up to {CHANCE_DRAWS} random segmentations per series. Evenly spaced is "
    "the segmentation into equal parts with as many cuts as an annotator's. Human is the mean score of each annotator "
    "against the other annotators. All references are over the series of the leaderboard.",
)


def dates_of(measure: Measure) -> Unit:
    """Return the unit of timestamps."""
    where = "" if measure.zone is None else ", shown in UTC"
    convention = f"A cut is a time{where}. The start and the end of a series are not cuts."
    axis = Axis("time" if measure.zone is None else "time (UTC)", has_dates=True)
    return Unit("timestamps", 0, axis, convention)


def conventions_shown(margin: Any, unit: Unit, unsure: Iterable[str]) -> list[str]:  # noqa: ANN401
    """Return sentences about what the numbers mean; ``unsure`` are the scores whose margin is not recorded."""
    text = str(margin) if isinstance(margin, LengthOfTime) else f"{margin:g} {unit.name}"
    names = listed(list(unsure))
    return [
        f"The margin of {names} is not recorded in the table. The slider starts at {text}."
        if names
        else f"The margin is {text}, unless the name of a score gives another margin.",
        unit.convention,
        *CONVENTIONS,
    ]


def provenance_shown(
    rows: pl.DataFrame, command: str, sources: Iterable[str | os.PathLike[str]], seed: int, packages: Iterable[str]
) -> dict[str, str]:
    """Return facts about how the page was made; ``packages`` are those of the runs, with their versions."""
    import hashlib
    import platform
    from datetime import datetime, timezone
    from importlib import metadata

    inputs = {}
    for source in sources:
        with Path(source).open("rb") as file:
            digest = hashlib.sha256()
            while block := file.read(1 << 20):
                digest.update(block)
        inputs[f"Input {Path(source).name}"] = f"SHA-256 {digest.hexdigest()}"
    digest_of_rows = hashlib.sha256(rows.write_ndjson().encode()).hexdigest()
    libraries = ("segscore", "numpy", "polars", "scipy", "altair")
    versions = [f"{name} {metadata.version(name)}" for name in libraries]
    of_runs = ", ".join(packages)
    now = datetime.now(timezone.utc)
    return {
        "Made on": f"{now.day} {now:%B %Y, %H:%M} UTC",
        **inputs,
        "Rows": f"{rows.height}; SHA-256 of the input rows, as JSON Lines: {digest_of_rows}",
        "Command": command,
        "Seed": str(seed),
        "Versions": ", ".join([f"Python {platform.python_version()}", *versions]),
        **({"Versions of the runs": of_runs} if of_runs else {}),
    }
