"""The plan of a study: the score, the rule for failures and the reference that are fixed before the runs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from .. import arguments
from ..scores.metric_text import canonical, lacks_margin, metric, metric_of, parsed
from ..tables.states import POLICIES, Failures

__all__ = ["Plan", "plan_of", "planned"]


@dataclass(frozen=True)
class Plan:
    """What is fixed before the runs of a study.

    ``score``
        The primary score, as ``"f1(margin=5)"``, or the name of a column of your own.
    ``margin``
        The margin of the score, if its text has none; it becomes part of ``score``.
    ``failures``
        How failures count, as in `segscore.leaderboard`.
    ``reference``
        The method that the others are compared to, if there is one.

    >>> Plan("f1", margin=5).score
    'f1(margin=5)'
    >>> Plan("f1")
    Traceback (most recent call last):
    ValueError: the plan has score = 'f1', which needs a margin; expected 'f1(margin=5)'
    """

    score: str
    margin: float | timedelta | None = None
    failures: Failures = "worst"
    reference: str | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.score, str) or not self.score:
            raise TypeError(f"the plan has score = {self.score!r:.40}; expected the name of a score")
        arguments.choice(self.failures, "failures", POLICIES)
        if self.reference is not None and not isinstance(self.reference, str):
            raise TypeError(f"the plan has reference = {self.reference!r:.40}; expected the name of a method")
        score = canonical(self.score) if "(" in self.score or metric_of(self.score) else self.score
        if self.margin is not None:
            if not lacks_margin(score):
                raise ValueError(
                    f"the plan has margin = {self.margin} and score = {self.score!r}; expected a metric that takes a "
                    "margin, and one margin"
                )
            known, options = parsed(score)
            score = metric(known.name, **options, margin=self.margin)
        if lacks_margin(score):
            raise ValueError(
                f"the plan has score = {self.score!r}, which needs a margin; expected '{self.score}(margin=5)'"
            )
        object.__setattr__(self, "score", score)
        object.__setattr__(self, "margin", None)

    @property
    def text(self) -> str:
        """The plan as JSON, as in the column ``plan`` of the runs."""
        return json.dumps(
            {"failures": self.failures, "reference": self.reference, "score": self.score},
            sort_keys=True,
            separators=(",", ":"),
        )

    @property
    def digest(self) -> str:
        """The first 12 digits of the SHA-256 of the text."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:12]


def plan_of(text: str) -> Plan | None:
    """Return the plan in a cell of the column ``plan``, or None if the text is none.

    >>> plan_of(Plan("covering").text) == Plan("covering"), plan_of("[]"), plan_of('{"score":3}')
    (True, None, None)
    """
    try:
        facts: Any = json.loads(text)
        found = Plan(facts["score"], failures=facts["failures"], reference=facts["reference"])
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    return found if found.text == text else None


def planned(plan: Plan | None, methods: Mapping[str, Any]) -> str | None:
    """Return the text of a plan, or raise if it names a method that is not run."""
    if plan is None:
        return None
    if not isinstance(plan, Plan):
        raise TypeError(f"plan = {plan!r:.60} is a {type(plan).__name__}; expected a segscore.study.Plan")
    if plan.reference is not None and plan.reference not in methods:
        raise ValueError(
            f"the plan has reference = {plan.reference!r:.60}, which is not run; expected {', '.join(methods)}"
        )
    return plan.text
