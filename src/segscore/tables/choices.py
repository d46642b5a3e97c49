"""How the settings of methods were chosen: the text in the column settings, and the words for it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from ..showing import count_text

__all__ = ["REFERENCE_RULES", "Chosen", "choice_words", "chosen_of"]

REFERENCE_RULES = ("best", "oracle")  # their settings were chosen on the series that are scored
WORDS = {
    "default": "defaults",
    "cv": "chosen by cross-validation",
    "split": "chosen on other series",
    "best": "best for all series, chosen on these series",
    "oracle": "best on each series (oracle)",
    "each": "each is a method of its own",
}
FIELDS = ("folds", "on", "of", "groups", "seed", "settings")


class Chosen(NamedTuple):
    """How the setting of a method was chosen."""

    rule: str
    settings: int | None = None  # number of settings of the method
    seed: int | None = None  # seed of the folds or halves
    folds: int | None = None
    on: int | None = None  # number of units on which the settings were chosen
    of: int | None = None  # number of all units
    groups: bool = False  # whether the units are groups

    @property
    def text(self) -> str:
        """The text in the column ``settings``: the rule, and its facts in the order of their names.

        >>> Chosen("cv", settings=7, seed=0, folds=5).text, Chosen("default").text
        ('cv(folds=5,seed=0,settings=7)', 'default')
        """
        facts = {name: getattr(self, name) for name in sorted(FIELDS)}
        shown = [f"{name}={value:d}" for name, value in facts.items() if value is not None and value is not False]
        return f"{self.rule}({','.join(shown)})" if shown else self.rule


def chosen_of(text: str) -> Chosen:
    """Return what a text in the column ``settings`` says; a text in another form is a rule of its own.

    >>> chosen_of("cv(folds=5,seed=0,settings=7)").folds, chosen_of("by hand").rule
    (5, 'by hand')
    """
    found = re.fullmatch(r"(\w+)\(((?:\w+=-?\d{1,40})(?:,\w+=-?\d{1,40})*)\)", text)
    if found is None or found[1] not in WORDS:
        return Chosen(text)
    facts = dict(part.split("=") for part in found[2].split(","))
    if not set(facts) <= set(FIELDS):
        return Chosen(text)
    numbers = {name: int(value) for name, value in facts.items() if name != "groups"}
    return Chosen(found[1], groups="groups" in facts, **numbers)


def choice_words(texts: Iterable[str]) -> list[str]:
    """Return how settings were chosen, in words: one text per rule.

    >>> choice_words(["cv(folds=5,seed=0,settings=7)", "cv(folds=5,seed=0,settings=3)"])
    ['chosen by 5-fold cross-validation over 3 to 7 settings']
    """
    rules: dict[Chosen, list[int]] = {}
    for chosen in map(chosen_of, texts):
        rules.setdefault(chosen._replace(settings=None), []).append(chosen.settings or 0)
    return [_words(rule, counts) for rule, counts in rules.items()]


def _words(chosen: Chosen, counts: list[int]) -> str:
    """Return one rule in words, with the numbers of settings of the methods; 0 is unknown."""
    if set(counts) == {1} and chosen.rule in ("cv", *REFERENCE_RULES):
        return "one per method"
    counts = [count for count in counts if count > 1]
    words = WORDS.get(chosen.rule, chosen.rule)
    if chosen.rule == "cv" and chosen.folds is not None:
        words = f"chosen by {chosen.folds}-fold cross-validation"
    if chosen.rule == "split" and chosen.on is not None and chosen.of is not None:
        half = "group" if chosen.groups else "series"
        units = f"{chosen.of} series" if half == "series" else count_text(chosen.of, half)
        words = f"chosen on a random {chosen.on} of {units}, which are not scored"
    if not counts or chosen.rule in ("default", "each"):
        return words
    over = str(counts[0]) if len(set(counts)) == 1 else f"{min(counts)} to {max(counts)}"
    return f"{words} over {over} settings" if chosen.rule == "cv" else f"{words} ({over} settings)"
