"""Conclusions: the sentences that the tests of a leaderboard support."""

from __future__ import annotations

import math
from collections.abc import Callable

from ..showing import count_text
from .failures import Failures
from .intervals import LEAST, ROUGH
from .ranking import Ranking
from .signed_ranks import needed
from .significance import Difference, Differences
from .wording import listed, named_score, p_value, series_count, signed

__all__ = ["conclusion"]


def conclusion(board: Ranking, found: Differences, compared: Callable[[Ranking], Differences], secondary: bool) -> str:
    """Say what may be concluded, and what else a reader must know.

    ``compared`` compares the methods of another leaderboard in the same way.
    """
    if not found.pairs:
        methods = count_text(len(board.methods), "method")
        return f"There is nothing to compare: {methods} on {len(board.series)} series."
    exact = found.kind == "exact"
    most = max(pair.wins + pair.losses for pair in found.pairs) if exact else len(board.series)
    least = needed(len(found.pairs) if exact else 1)
    if found.kind == "bayes":
        says = _probable(board, found)
    elif most < least:
        says = [_no_test(board, most, least)]
    else:
        says = _test_results(board, found)
    return " ".join([*says, *_also(board, found, compared, secondary)])


def _no_test(board: Ranking, most: int, least: int) -> str:
    """Return sentence 1: no test is possible."""
    ties = f", and two methods differ on at most {most}" if most < len(board.series) else ""
    among = f" among {len(board.methods)} methods, which needs {least} series" if most >= needed(1) else ""
    what = f"no test can show a difference in {named_score(board)} at 5 %{among}"
    return f"{series_count(board)}{ties}: {what}; the order may be chance."


def _test_results(board: Ranking, found: Differences) -> list[str]:
    """Return sentences 2 to 4: what the tests found, about the first method or the reference."""
    subject = found.reference or board.methods[0]
    own = [pair for pair in found.pairs if subject in pair[:2]]
    how = f"5 % level, {found.tests}, {series_count(board)}"
    claims = _claims(subject, own, how)
    if claims:
        claims[0] = f"By {named_score(board)}, {claims[0]}"
    alike = [_opponent(pair, subject) for pair in own if pair.verdict == "undecided"]
    if not any(pair.significant for pair in found.pairs):
        return [_no_difference(board, found), "This does not prove that the methods are equal.", *claims]
    says = claims
    if not any(pair.significant for pair in own):
        start = "It" if says else f"By {named_score(board)}, {_in_quotes(subject)}"
        others = f"{sum(pair.significant for pair in found.pairs)} of the {len(found.pairs)} pairs differ ({how})"
        says.append(f"{start} cannot be told apart from {_method_list(alike, len(own))}, but {others}.")
    elif alike:
        says.append(f"It cannot be told apart from {_method_list(alike, len(own))}.")
    return says


def _no_difference(board: Ranking, found: Differences) -> str:
    """Return the first half of sentence 2: no difference was found."""
    how = "exact signed-rank tests, Holm" if found.kind == "exact" and len(found.pairs) > 1 else found.tests
    where = f"in {named_score(board)} at 5 % over {series_count(board)} ({how})"
    if len(found.pairs) == 1:
        return f"{_in_quotes(board.methods[0])} and {_in_quotes(board.methods[1])} cannot be told apart {where}."
    if found.reference is not None:
        return f"No method can be told apart from {_in_quotes(found.reference)} {where}."
    return f"No pair of the {len(board.methods)} methods differs {where}."


def _claims(subject: str, own: list[Difference], how: str) -> list[str]:
    """Return one sentence per claim about a method; the first one names the method and, if it is tested, the test."""
    claims = []
    for verb, mine in (("better", True), ("worse", False)):
        pairs = [pair for pair in own if pair.verdict == "better" and (pair.better == subject) == mine]
        if pairs:
            names = _method_list([_opponent(pair, subject) for pair in pairs], len(own))
            claims.append((f"is {verb} than {names} (mean difference {_range(pairs)}", True, ")"))
    for verb, mine in (("mostly better", True), ("mostly worse", False)):
        pairs = [pair for pair in own if pair.verdict == "mostly better" and (pair.better == subject) == mine]
        for but in dict.fromkeys(_but(pair, verb) for pair in pairs):
            alike = [pair for pair in pairs if _but(pair, verb) == but]
            groups = [alike] if len(alike) > 2 or "no interval" in but else [[pair] for pair in alike]
            claims += [_mostly_claim(group, subject, verb, but, len(own)) for group in groups]
    for verb, mine in (("better on average", True), ("worse on average", False)):
        pairs = [pair for pair in own if pair.verdict == "better on average" and (pair.better == subject) == mine]
        if len(pairs) > 2:
            names = _method_list([_opponent(pair, subject) for pair in pairs], len(own))
            claims.append((f"is {verb} than {names}, but the test does not show it", False, ""))
        claims += [(_average_claim(pair, subject, verb), False, "") for pair in pairs if len(pairs) <= 2]
    says, told = [], False
    for k, (start, tested, end) in enumerate(claims):
        told, how_now = told or tested, f"; {how}" if tested and not told else ""
        says.append(f"{'It' if k else _in_quotes(subject)} {start}{how_now}{end}.")
    return says


def _mostly_claim(pairs: list[Difference], subject: str, verb: str, but: str, of: int) -> tuple[str, bool, str]:
    """Return the first form of sentence 4: the test without the interval, for pairs of which the same holds."""
    names = _method_list([_opponent(pair, subject) for pair in pairs], of)
    wins = [str(pair.wins) for pair in sorted(pairs, key=lambda pair: pair.wins)]
    often = wins[0] if wins[0] == wins[-1] else f"{wins[0]} to {wins[-1]}"
    numbers = f" ({_mean_interval(pairs[0])})" if len(pairs) == 1 and pairs[0].low is not None else ""
    return f"is {verb} than {names} (on {often} of {pairs[0].n} series", True, f"), but {but}{numbers}"


def _but(pair: Difference, verb: str) -> str:
    """Return the caveat for a method that wins the test but not clearly the mean."""
    if pair.low is None or pair.high is None:
        why = (
            "because there are few series"
            if math.isfinite(pair.mean)
            else "because some runs failed or have infinite scores"
        )
        return f"there is no interval of the mean difference, {why}"
    if pair.low <= 0 <= pair.high:
        return "not clearly so on average"
    return "worse on average" if verb == "mostly better" else "better on average"


def _average_claim(pair: Difference, subject: str, verb: str) -> str:
    """Return the second form of sentence 4: the interval without the test."""
    wins, losses = (pair.wins, pair.losses) if pair.better == subject else (pair.losses, pair.wins)
    if pair.wins <= pair.losses:
        rest = f"but wins on {wins} series and loses on {losses}"
    else:
        rest = f"but the test does not show it: it wins on {wins} series and loses on {losses}"
        rest += "" if pair.corrected is None else f", corrected {p_value(pair.corrected)}"
    return f"is {verb} than {_in_quotes(_opponent(pair, subject))} ({_mean_interval(pair)}) {rest}"


def _probable(board: Ranking, found: Differences) -> list[str]:
    """Return what the Bayesian tests found about the first method or the reference."""
    subject = found.reference or board.methods[0]
    own = [pair for pair in found.pairs if subject in pair[:2]]
    how = f"probability of at least 95 %, {found.tests}, {series_count(board)}"
    parts = []
    for verb, verdict, mine in (("better than", "better", True), ("worse than", "better", False)):
        names = [_opponent(p, subject) for p in own if p.verdict == verdict and (p.better == subject) == mine]
        parts += [f"is {verb} {_method_list(names, len(own))}"] if names else []
    for verb, verdict in (("is practically the same as", "same"), ("is undecided against", "undecided")):
        names = [_opponent(p, subject) for p in own if p.verdict == verdict]
        parts += [f"{verb} {_method_list(names, len(own))}"] if names else []
    return [f"By {named_score(board)}, {_in_quotes(subject)} {'; '.join(parts)} ({how})."]


def _also(board: Ranking, found: Differences, compared: Callable[[Ranking], Differences], secondary: bool) -> list[str]:
    """Return sentences 5: what else a reader must know."""
    says = []
    if secondary:
        says.append(f"{named_score(board)} is a secondary score.")
    if board.failures == "omit" and any(pair.n < len(board.series) for pair in found.pairs):
        says.append("Methods are scored on different series.")
    changes = _policies(board, found, compared)
    if changes:
        says.append(f"This depends on how failures are counted: {'; '.join(changes)}.")
    late = [(method, count) for method, count in board.cells.origins.late if method in board.methods]
    if late:
        runs = listed([f"{count} of {_in_quotes(method)}" for method, count in late])
        says.append(f"Runs were stopped by a time limit: {runs}.")
    groups = len(set(board.groups)) if board.groups else None
    units = len(board.series) if groups is None else groups
    if groups is not None:
        says.append(
            f"The {series_count(board)} are in {count_text(groups, 'group')}; the tests assume that series are "
            "independent."
        )
    if LEAST <= units < ROUGH:
        says.append(f"The {'series' if groups is None else 'groups'} are few ({units}), so the intervals are rough.")
    return says


def _policies(board: Ranking, found: Differences, compared: Callable[[Ranking], Differences]) -> list[str]:
    """Return what changes if failures count in another way."""
    changes = []
    policies: tuple[Failures, ...] = ("worst", "no_cuts", "common") if board.failed else ()
    for policy in policies:
        if policy == board.failures:
            continue
        try:
            other = board.under(policy)
        except ValueError:  # the score of a prediction without cuts is not known
            continue
        how = {
            "worst": "if failures count as the worst value",
            "no_cuts": "if failures count as a prediction without cuts",
            "common": f"on the {len(other.series)} series without a failure",
        }[policy]
        if not other.series:
            continue
        first = f"{_in_quotes(other.methods[0])} is first" if other.places[board.methods[0]] > 1 else ""
        now = _verdicts(found)
        then = now if found.kind == "bayes" else _verdicts(compared(other))  # Bayesian tests take seconds
        turned = sum(now[key] != then.get(key) for key in now)
        verdicts = f"the verdict on {turned} of {count_text(len(now), 'pair')} changes" if turned else ""
        if first or verdicts:
            changes.append(f"{how}, {' and '.join(filter(None, (first, verdicts)))}")
    return changes


def _verdicts(found: Differences) -> dict[frozenset[str], tuple[str, str]]:
    decided = ("better", "mostly better", "better on average")
    return {frozenset(p[:2]): (p.verdict, p.better if p.verdict in decided else "") for p in found.pairs}


def _mean_interval(pair: Difference) -> str:
    low, high = (signed(end) if end is not None else "–" for end in (pair.low, pair.high))
    return f"{signed(pair.mean)}, 95 % from {low} to {high}"


def _range(pairs: list[Difference]) -> str:
    ends = [signed(abs(size))[1:] for size in sorted(abs(pair.mean) for pair in pairs)]
    return ends[0] if ends[0] == ends[-1] else f"{ends[0]} to {ends[-1]}"


def _opponent(pair: Difference, subject: str) -> str:
    return pair.worse if pair.better == subject else pair.better


def _in_quotes(name: str) -> str:
    return f'"{name}"'


def _method_list(names: list[str], of: int) -> str:
    """Return up to three names, or two names and the number of the others, or "all others"."""
    if len(names) == of and of > 2:
        return f"all {of} others"
    return listed(
        [*map(_in_quotes, names)] if len(names) <= 3 else [*map(_in_quotes, names[:2]), f"{len(names) - 2} others"]
    )
