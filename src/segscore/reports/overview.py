"""The first screen of the page: the findings in plain sentences, and the overview of methods by scores."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ..boards.alternatives import policy_words
from ..boards.captions import spoken
from ..boards.cells import FAILED
from ..boards.leaderboard import Leaderboard
from ..boards.marks import DECIMALS, decimal_text, marks_of
from ..boards.significance import Differences
from ..boards.wording import listed
from ..optional import polars as pl

__all__ = ["findings", "overview_shown", "seconds_of"]


def isolated(method: str) -> str:
    """Return the name of a method between Unicode isolates, which the page shows as bold type.

    Isolates also keep the direction of a name from changing the sentence around it.
    """
    return f"\u2068{method}\u2069"


def _with_names(text: str, methods: Sequence[str]) -> str:
    """Return a text in which names in quotes are bold on the page."""
    quoted = "|".join(re.escape(f'"{method}"') for method in sorted(methods, key=len, reverse=True))
    return re.sub(quoted, lambda found: isolated(found[0][1:-1]), text)


def findings(
    boards: Mapping[str, Leaderboard],
    differences: Differences | None,
    lines: Mapping[str, Mapping[str, float]],
    seconds: Mapping[str, float],
) -> list[str]:
    """Return sentences about the first method: its score, the conclusion, other scores, failures, references, time.

    ``differences`` are the tests of the first board, ``lines`` the scores of people and of chance, and ``seconds`` the
    median time of each method.
    """
    if not boards:
        return ["The table has no rows, so there is nothing to compare."]
    board = next(iter(boards.values()))
    if not board.methods and board.references:
        return ["No method is ranked, because all methods are told something of the truth."]
    first = [method for method, place in board.places.items() if place == 1]
    if not board.series or not first:
        return [
            f"No series has a {spoken(board.metric)} of all methods, so the methods cannot be ranked by this score."
        ]
    said = [_first(board, first)]
    if differences is not None and differences.pairs:
        said.append(_with_names(differences.conclusion, board.methods))
    said += _elsewhere(boards, first[0]) if len(first) == 1 and len(board.methods) > 1 else []
    said += _failed(board)
    said += _references(board, lines)
    known = {method: value for method, value in seconds.items() if method in board.methods}
    if len(known) > 1:
        quick = min(known, key=known.__getitem__)
        said.append(f"The fastest method is {isolated(quick)}, with a median of {_seconds(known[quick])} per series.")
    return said


def _first(board: Leaderboard, first: list[str]) -> str:
    score, where = spoken(board.metric), f"{len(board.series)} series"
    standing, names = board.standings[0], listed([*map(isolated, first)])
    if board.column.worst is None:
        if len(board.methods) == 1:
            median = _value(board, standing.median)
            return f"There is one method, {isolated(first[0])}, with a median {score} of {median} on {where}."
        return (
            f"{names} {'has' if len(first) == 1 else 'share'} the best mean rank by {score}, "
            f"{standing.rank:.2f} of {len(board.methods)} methods on {where}."
        )
    mean, extreme = _value(board, standing.mean), "highest" if board.rising else "lowest"
    if len(board.methods) == 1:
        return f"There is one method, {isolated(first[0])}, with a mean {score} of {mean} on {where}."
    if len(first) > 1:
        return f"{names} share the {extreme} mean {score}, {mean}, of {len(board.methods)} methods on {where}."
    return f"{isolated(first[0])} has the {extreme} mean {score} of {len(board.methods)} methods: {mean} on {where}."


def _elsewhere(boards: Mapping[str, Leaderboard], first: str) -> list[str]:
    """Say by how many of the other scores the first method is first too, and which method is first by the rest."""
    ranking = {name: bool(board.series) and 2 * len(board.series) >= board.total for name, board in boards.items()}
    others = [board for board in [*boards.values()][1:] if ranking[board.metric]]
    unranked = [spoken(name) for name in [*boards][1:] if not ranking[name]]
    return [
        *(_leaders(others, first) if others else ()),
        *([f"By {_by(unranked)}, the methods cannot be ranked."] if unranked else ()),
    ]


def _by(names: list[str]) -> str:
    return listed(names) if len(names) <= 3 else f"{len(names)} scores, such as {names[0]}"


def _leaders(others: list[Leaderboard], first: str) -> list[str]:
    same = [board for board in others if board.places.get(first) == 1]
    if len(same) == len(others):
        return ["The same method is first by the other score too." if len(others) == 1 else
                f"The same method is first by all {len(others)} other scores."]  # fmt: skip
    leaders: dict[str, list[str]] = {}
    for board in others:
        if board.places.get(first) != 1:
            leaders.setdefault(board.methods[0], []).append(spoken(board.metric))
    top = max(leaders, key=lambda method: len(leaders[method]))
    if len(others) == 1:
        return [f"By the other score, {leaders[top][0]}, {isolated(top)} is first."]
    count = f"{len(same) or 'none'} of the {len(others)} other scores"
    return [f"The same method is first by {count}; {isolated(top)} is first by {_by(leaders[top])}."]


def _failed(board: Leaderboard) -> list[str]:
    counts = {s.method: s for s in (*board.standings, *board.below) if s.failed}
    if not counts:
        return []
    said = [f"{isolated(method)} failed on {s.failed} of {s.run} series" for method, s in counts.items()]
    shown = said if len(said) <= 3 else [*said[:2], f"{len(said) - 2} other methods failed too"]
    return [f"{listed(shown)}; {policy_words(board)}."]


def _references(board: Leaderboard, lines: Mapping[str, Mapping[str, float]]) -> list[str]:
    words = {
        "human": "people score {} against each other",
        "no cuts": "a prediction without cuts scores {}",
        "evenly spaced": "evenly spaced cuts score {}",
        "chance": "random cuts score {}",
    }
    known = {name: lines[name][board.metric] for name in words if board.metric in lines.get(name, {})}
    said = [words[name].format(_value(board, value)) for name, value in known.items()]
    return [f"By the same score, {listed(said)}.", *_not_above(board, known)] if said else []


def _not_above(board: Leaderboard, known: Mapping[str, float]) -> list[str]:
    """Name the methods whose mean is not better than the mean of a prediction that ignores the signal."""
    blind = [value for name, value in known.items() if name != "human"]
    if not blind or board.column.worst is None:
        return []
    best = (max if board.rising else min)(blind)
    poor = [s.method for s in board.standings if not (s.mean > best if board.rising else s.mean < best)]
    if not poor:
        return []
    shown = listed([*map(isolated, poor)]) if len(poor) <= 3 else f"{len(poor)} of the {len(board.methods)} methods"
    have = "has" if len(poor) == 1 else "have"
    return [f"{shown} {have} no better mean than the best of these predictions that ignore the signal."]


def _value(board: Leaderboard, value: float) -> str:
    return decimal_text(value, DECIMALS, board.column.scale == "log").replace("inf", "∞")


def _seconds(value: float) -> str:
    return f"{value:.2g} s" if value < 100 else f"{value:.0f} s"


def overview_shown(
    boards: Mapping[str, Leaderboard], methods: Sequence[str], rows: pl.DataFrame, parts: Sequence[Sequence[str]]
) -> dict[str, Any]:
    """Return the overview: a value per score and method with its text and marks, failures, and seconds.

    ``parts`` are the series of each part of the study, which have failures and seconds of their own.
    """
    shown: dict[str, Any] = {}
    for name, board in boards.items():
        marks = marks_of(board, DECIMALS)
        values = {s.method: getattr(s, marks.statistic) for s in (*board.standings, *board.below)}
        ranked = set(board.methods)
        shown[name] = {
            "statistic": marks.statistic,
            "texts": [marks.text(values[method]).replace("inf", "∞") for method in methods],
            "bold": [int(method in marks.bold) for method in methods],
            "same": [int(method in marks.underlined) for method in methods],
            "ranked": [int(method in ranked) for method in methods],
        }
    of_parts = [_counts(boards, methods, rows.filter(pl.col("series").is_in(list(part)))) for part in parts]
    return {"scores": shown, **_counts(boards, methods, rows), "parts": of_parts}


def _counts(boards: Mapping[str, Leaderboard], methods: Sequence[str], rows: pl.DataFrame) -> dict[str, Any]:
    """Return the failures and the median seconds of each method on the series of some rows."""
    seconds, series = seconds_of(rows), set(rows["series"])
    failed = [0] * len(methods)
    for cells in (board.cells for board in boards.values()):
        own = [name in series for name in cells.series]
        counts = dict(zip(cells.methods, (cells.states[:, own] == FAILED).sum(axis=1).tolist(), strict=True))
        failed = [max(known, counts[method]) for known, method in zip(failed, methods, strict=True)]
    return {"failed": failed, "seconds": [seconds.get(method) for method in methods]}


def seconds_of(rows: pl.DataFrame) -> dict[str, float]:
    """Return the median seconds of the runs of each method; failed runs do not count, because a crash may be fast."""
    if "seconds" not in rows.columns or not rows.schema["seconds"].is_numeric():
        return {}
    kept = rows.filter(pl.col("pred").is_not_null()) if "pred" in rows.columns else rows
    kept = kept.filter(pl.col("seconds").is_finite())
    medians = kept.group_by("method", maintain_order=True).agg(pl.col("seconds").cast(pl.Float64).median())
    return {method: value for method, value in medians.iter_rows() if value is not None}
