"""The caption of a table in a paper: what the numbers are, and how they were made."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from contextlib import suppress
from functools import cache

from ..scores.metric_text import lacks_margin, metric_of, parsed
from ..showing import plain
from ..tables.choices import choice_words
from ..tables.columns import KNOWN
from .alternatives import policy_words
from .marks import Marks
from .ranking import Ranking
from .wording import listed

__all__ = ["caption_of", "label_of", "spoken"]

SPELLINGS = {
    **{"f1": "F1", "rand": "Rand", "pk": "Pk", "iou": "IoU", "blanc": "BLANC"},
    **{"hausdorff": "Hausdorff", "jaccard": "Jaccard", "mirkin": "Mirkin", "fowlkes": "Fowlkes", "mallows": "Mallows"},
    **{"hamming": "Hamming"},
}


def label_of(name: str) -> str:
    """Return the name of a score as the head of a column: ``f1(margin=5)`` is "F1 at margin 5".

    >>> [label_of(name) for name in ("rand_index", "f1(margin=5)", "annotated_f1(margin=5)", "seconds")]
    ['Rand index', 'F1 at margin 5', 'Annotated F1 at margin 5', 'Seconds']
    """
    label = spoken(name)
    return label[:1].upper() + label[1:] if metric_of(name) is not None or name.islower() else name


@cache
def spoken(name: str) -> str:
    """Return the name of a score within a sentence.

    >>> [spoken(name) for name in ("adjusted_rand_index", "f1(margin=5)", "f1")]
    ['adjusted Rand index', 'F1 at margin 5', 'F1, margin not recorded']
    """
    known = metric_of(name)
    if known is None:
        return name.replace("_", " ") if name.islower() else name
    options = parsed(name)[1]
    at = [f" at {key} {options.pop(key)}" for key in ("margin", "relative_margin") if key in options]
    words = [known.name + "".join(at), *(f"{key} {value}" for key, value in options.items())]
    words += ["margin not recorded"] if lacks_margin(name) else []
    return ", ".join(
        " ".join(SPELLINGS.get(word, word) for word in text.replace("_", " ").split(" ")) for text in words
    )


def caption_of(boards: Sequence[Ranking], marks: Sequence[Marks]) -> str:
    """Return the caption: scores, series, failures, settings, marks, versions and data."""
    from importlib import metadata  # imported here so that the command line starts faster

    statistics = {mark.statistic for mark in marks}
    each = [_score_words(board, mark, len(statistics) > 1) for board, mark in zip(boards, marks, strict=True)]
    scores = listed(list(dict.fromkeys(each)))
    start = "Scores" if len(statistics) != 1 else ("Mean" if statistics == {"mean"} else "Median")
    parts = [
        f"{start}{': ' if start == 'Scores' else ' '}{scores} over {_series_words(boards)}.",
        *_failure_words(boards),
    ]
    origins = boards[0].cells.origins
    parts += _plan_words(boards, origins.plans)
    if origins.settings:
        parts.append(f"Settings: {listed(choice_words(origins.settings))}.")
    if any(mark.bold for mark in marks):
        bold = "Bold: best"
        tests = list(dict.fromkeys(mark.tests for mark in marks if mark.tests))
        if tests:
            bold += f"; underlined: not significantly different from the best (5 % level, {'; '.join(tests)})"
        parts.append(f"{bold}.")
    if origins.machines and any(board.metric in KNOWN for board in boards):
        parts.append(f"Machine: {listed(origins.machines)}.")
    versions = [f"segscore {metadata.version('segscore')}", *origins.versions]
    parts.append(f"{', '.join(versions)}; data {_digest(boards)}.")
    return " ".join(parts)


def _score_words(board: Ranking, mark: Marks, mixed: bool) -> str:
    known = board.cells.metric
    facts: list[str] = [mark.statistic] if mixed else []
    if known is not None and known.needs_margin:
        facts += ["ends included", "maximum matching"]
    facts += [board.column.unit] if board.column.unit else []
    better = "higher" if board.rising else "lower"
    return f"{spoken(board.metric)} ({', '.join(facts)}{'; ' if facts else ''}{better} is better)"


def _series_words(boards: Sequence[Ranking]) -> str:
    if len({board.metric for board in boards}) < len(boards):  # a leaderboard of each method alone
        return "the rows of each method"
    counts = {(len(board.series), board.total) for board in boards}
    groups = {len(set(board.groups)) for board in boards if board.groups is not None}
    inside = f" in {listed([str(count) for count in sorted(groups)])} groups" if groups else ""
    if len(counts) == 1:
        count, total = counts.pop()
        return f"{count} series{inside}" if count == total else f"{count} of {total} series{inside}"
    each = listed([f"{len(board.series)} for {label_of(board.metric)}" for board in boards])
    return f"{boards[0].total} series{inside} ({each})"


def _failure_words(boards: Sequence[Ranking]) -> list[str]:
    """Say how failures count, and how many there are."""
    counts = {s.method: s.failed for board in boards for s in (*board.standings, *board.below) if s.failed}
    words: dict[str, list[str]] = {}
    for board in boards:
        if board.failed or board.failures == "omit":
            words.setdefault(policy_words(board), []).append(label_of(board.metric))
    if not words:
        return []
    each = [f"{text} for {listed(labels)}" for text, labels in words.items()]
    said = "; ".join(each) if len(each) > 1 else next(iter(words))
    many = f" ({', '.join(f'{method}: {count}' for method, count in counts.items())})" if counts else ""
    return [f"{said[:1].upper()}{said[1:]}{many}."]


def _plan_words(boards: Sequence[Ranking], plans: Sequence[str]) -> list[str]:
    """Say which scores a plan fixed before the runs, and which were chosen after the runs."""
    if not any(plans):
        return []
    fixed = None
    if len(plans) == 1:
        with suppress(ValueError, TypeError, KeyError, RecursionError):  # of a text that is no plan
            facts = json.loads(plans[0])
            fixed = (facts["score"], facts["failures"])
    names: dict[bool, list[str]] = {True: [], False: []}
    for board in boards:
        names[(board.metric, board.failures) == fixed].append(spoken(board.metric))
    plan = f"plan {hashlib.sha256(plans[0].encode()).hexdigest()[:12]}"
    said = [f"Planned before the runs ({plan}): {listed(list(dict.fromkeys(names[True])))}."] if names[True] else []
    if names[False]:
        said.append(f"Chosen after the runs: {listed(list(dict.fromkeys(names[False])))}.")
    return said


def _digest(boards: Sequence[Ranking]) -> str:
    """Return a digest of all scores and states, whatever the order of the rows was.

    Scores have 12 digits, because the order of annotators changes the last digits of a mean over annotators.
    """
    cells = [(board.metric, board.cells) for board in boards]
    found = [
        [metric, c.methods, c.series, [f"{score:.12g}" for score in c.scores.ravel().tolist()], plain(c.states)]
        for metric, c in cells
    ]
    return hashlib.sha256(json.dumps(found).encode()).hexdigest()[:12]
