"""Conclusions: what the verdicts on the pairs of a leaderboard say, in at most three sentences."""

from __future__ import annotations

from collections.abc import Callable

from ..showing import count_text
from .alternatives import alternatives
from .flips import needed
from .ranking import Ranking
from .significance import BETTER, NOT_SHOWN, WORSE, Difference, Differences
from .wording import listed, named_score, series_words, signed

__all__ = ["conclusion", "is_testable"]


def conclusion(board: Ranking, found: Differences, compared: Callable[[Ranking], Differences], secondary: bool) -> str:
    """Say what is shown, what this depends on, and what is not shown.

    ``compared`` compares the methods of another leaderboard in the same way.
    """
    if not found.pairs:
        methods = count_text(len(board.methods), "method")
        return f"There is nothing to compare: {methods} on {len(board.series)} series."
    subject = found.reference or board.methods[0]
    own = found.of(subject)
    score = named_score(board) + (", a secondary score" if secondary else "")
    return " ".join(
        [
            f"By {score}, {_shown(board, found, own)}.",
            *_dependence(board, found, compared),
            *_not_shown(board, found, own),
        ]
    )


def is_testable(board: Ranking, found: Differences) -> bool:
    """Return whether the number of series or groups allows to show any difference."""
    return max((pair.units for pair in board.paired), default=0) >= needed(len(found.pairs))


def _shown(board: Ranking, found: Differences, own: list[Difference]) -> str:
    """Return the first sentence: what the tests show about the first method or the reference."""
    pairs, subject = len(found.pairs), own[0].method
    if not is_testable(board, found):
        unit = "series" if board.groups is None else "groups"
        units = max(pair.units for pair in board.paired)
        tests = "1 pair needs" if pairs == 1 else f"{pairs} pairs need"
        return f"no difference can be shown at the 5 % level: {tests} {needed(pairs)} {unit}, and there are {units}"
    how = f"5 % level, {found.tests}, {series_words(board)}"
    said = []
    for verdict in (BETTER, WORSE):
        some = [pair for pair in own if pair.verdict == verdict]
        sizes = sorted(abs(pair.mean) for pair in some)
        ends = list(dict.fromkeys(signed(size)[1:] for size in sizes[:1] + sizes[-1:]))
        by = "" if board.by_rank else f" (mean difference {' to '.join(ends)})"
        said += [f"{verdict} than {_method_list([pair.other for pair in some], len(own))}{by}"] if some else []
    if said:
        text = f'"{subject}" is {" and ".join(said)}'
        return f"{text} ({how})" if board.by_rank else f"{text[:-1]}; {how})"
    others = sum(pair.verdict != NOT_SHOWN for pair in found.pairs)
    if others:
        return f"{others} of the {pairs} pairs of methods differ ({how})"
    if pairs == 1:
        return f'no difference between "{subject}" and "{own[0].other}" is shown ({how})'
    among = f"between the {len(board.methods)} methods" if found.reference is None else f'to "{subject}"'
    return f"no difference {among} is shown ({how})"


def _not_shown(board: Ranking, found: Differences, own: list[Difference]) -> list[str]:
    """Return the third sentence: what is not shown about the first method or the reference."""
    same = [pair for pair in own if pair.verdict == NOT_SHOWN]
    if not same or not is_testable(board, found):
        return []
    if all(pair.verdict == NOT_SHOWN for pair in found.pairs):
        said = "This does not show that the methods are equal"
    else:
        said = f'"{own[0].method}" is not shown to differ from {_method_list([pair.other for pair in same], len(own))}'
    apart = [pair for pair in same if pair.excludes_0]
    if len(apart) == 1:
        (pair,) = apart
        ends = f"{signed(pair.mean)}, 95 % from {signed(pair.low or 0)} to {signed(pair.high or 0)}"
        said += f'; the interval of the difference to "{pair.other}" ({ends}), which is not corrected, excludes 0'
    elif apart:
        names = _method_list([pair.other for pair in apart], len(own))
        said += f"; the intervals of the differences to {names}, which are not corrected, exclude 0"
    return [f"{said}."]


def _dependence(board: Ranking, found: Differences, compared: Callable[[Ranking], Differences]) -> list[str]:
    """Return the second sentence: what the verdicts and the order depend on."""
    says = []
    turned = [pair for pair in found.pairs if pair.verdict == WORSE]
    if turned:
        names = f'"{turned[0].method}" has a better place than "{turned[0].other}"'
        says.append(f"the series, since {names} and is worse on the series of both")
    elif board.failures == "omit" and any(pair.n < len(board.series) for pair in found.pairs):
        says.append("the series, which are not the same for all methods")
    changes = _changes(board, found, compared)
    if changes:
        says.append(f"how rows without a score count ({'; '.join(changes)})")
    late = [(method, count) for method, count in board.cells.origins.late if method in board.methods]
    if late:
        runs = listed([f'{count} of "{method}"' for method, count in late])
        says.append(f"a time limit that stopped runs ({runs})")
    return [f"This depends on {listed(says)}."] if says else []


def _changes(board: Ranking, found: Differences, compared: Callable[[Ranking], Differences]) -> list[str]:
    """Return what changes if failures and rows without a score count in another way."""
    changes = []
    for words, other, _ in alternatives(board):
        if not other.series or not other.methods or (found.reference and found.reference not in other.methods):
            continue
        first = f'"{other.methods[0]}" is first' if other.places.get(board.methods[0], 2) > 1 else ""
        now, then = _verdicts(found), _verdicts(compared(other))
        turned = sum(verdict != then.get(pair) for pair, verdict in now.items())
        verdicts = f"the verdict on {turned} of {count_text(len(now), 'pair')} changes" if turned else ""
        if first or verdicts:
            changes.append(f"{words}, {' and '.join(filter(None, (first, verdicts)))}")
    return changes


def _verdicts(found: Differences) -> dict[frozenset[str], str]:
    """Return the better method of each pair, or an empty text."""
    return {frozenset(pair[:2]): {BETTER: pair.method, WORSE: pair.other}.get(pair.verdict, "") for pair in found.pairs}


def _method_list(names: list[str], of: int) -> str:
    """Return up to three names, or two names and the number of the others, or "all others"."""
    if len(names) == of and of > 2:
        return f"all {of} others"
    quoted = [f'"{name}"' for name in names]
    return listed(quoted if len(names) <= 3 else [*quoted[:2], f"{len(names) - 2} others"])
