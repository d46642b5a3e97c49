"""Metrics with options as text, such as ``f1(margin=5)``: writing, reading and checking them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any

from .. import _core
from ..segmentation.lengths_of_time import LengthOfTime, is_length_of_time
from .catalog import LENGTH_OPTIONS, Metric, core_entry, metric_named, option_defaults

__all__ = ["canonical", "lacks_margin", "metric", "metric_of", "parsed", "short_names", "spelled", "written"]


def metric(name: str, **options: Any) -> str:  # noqa: ANN401
    """Write a metric with its options as the text that ``metrics=`` and ``metric=`` accept.

    The text is also the name of the column of scores. The options stand in the order of the metric's signature. Options
    that are equal to their default are left out, so that one definition has one text. For timestamps, ``margin``, ``k``
    and ``max_delay`` may be a timedelta, which is written as a number and one of the units d, h, min, s, ms, us, ns.

    >>> metric("f1", beta=2, margin=5.0)
    'f1(margin=5,beta=2)'
    >>> metric("f1", beta=1, margin=5)
    'f1(margin=5)'
    >>> from datetime import timedelta
    >>> metric("f1", margin=timedelta(minutes=5))
    'f1(margin=5min)'
    >>> from segscore import compare
    >>> compare([30], [34], n=100, metrics=[metric("f1", margin=3), "f1(margin=5)"]).to_dict()
    {'f1(margin=3)': 0.0, 'f1(margin=5)': 1.0}
    """
    if isinstance(name, str) and "(" in name:
        alone = metric_named(name.partition("(")[0].strip()).name
        raise ValueError(f"name = {name!r:.60} is not a name alone; expected metric({alone!r}, option=value)")
    definition = metric_named(name)
    checked = {key: LengthOfTime.of(x, key) if is_length_of_time(x) else x for key, x in options.items()}
    _check(definition, checked, definition.name)
    return written(definition, checked)


def parsed(text: str) -> tuple[Metric, dict[str, Any]]:
    """Return the metric that a text names, and the checked options in the text."""
    if not isinstance(text, str):
        raise TypeError(f"metric {text!r:.40} is {type(text).__name__}; expected the name of a metric")
    metric, options = _parsed(text)
    return metric, dict(options)


@lru_cache(maxsize=1024)
def _parsed(text: str) -> tuple[Metric, dict[str, Any]]:
    parts = re.fullmatch(r"\s*([^(),]*?)\s*(?:\(([^()]*)\)\s*)?", text)
    if parts is None:
        raise ValueError(
            f"metric {text!r:.60} is not of the form name(option=value,option=value); expected one metric per text"
        )
    name, rest = parts.groups()
    metric = metric_named(name)
    options: dict[str, Any] = {}
    for item in rest.split(",") if rest and rest.strip() else []:
        key, equals, value = (part.strip() for part in item.partition("="))
        if not equals or not value:
            raise ValueError(f"metric {text!r:.60} has {item.strip()!r:.40}; expected option=value")
        if key in options:
            raise ValueError(f"metric {text!r:.60} has {key} twice; expected each option once")
        options[key] = _value(value)
    _check(metric, options, text.strip(), f"{text.strip()}: ")
    return metric, options


@lru_cache(maxsize=1024)
def metric_of(column: str) -> Metric | None:
    """Return the metric whose scores a column holds, by the name of the column, or None.

    >>> metric_of("window_diff(k=20)").best, metric_of("seconds")
    (0.0, None)
    """
    try:
        return parsed(column)[0]
    except (ValueError, TypeError):
        return None


@lru_cache(maxsize=1024)
def lacks_margin(name: str) -> bool:
    """Whether a name is that of a metric at a margin, and does not say which margin.

    >>> lacks_margin("f1(beta=2)"), lacks_margin("f1(margin=5)"), lacks_margin("covering")
    (True, False, False)
    """
    known = metric_of(name)
    return known is not None and known.needs_margin and not {"margin", "relative_margin"} & set(parsed(name)[1])


def spelled(text: str, names: Iterable[str]) -> str:
    """Return the name that a text stands for: itself, or the only name of the metric that has the options of the text.

    Without such a name, the text is returned in its canonical form.

    >>> spelled("f1", ["covering", "f1(margin=5)"]), spelled("f1(margin=3.0)", ["f1(margin=5)"])
    ('f1(margin=5)', 'f1(margin=3)')
    """
    present = list(names)
    exact = canonical(text)
    known = metric_of(text) if isinstance(text, str) else None
    if text in present or exact in present or known is None:
        return text if text in present else exact
    asked = parsed(text)[1].items()
    fitting = [name for name in present if metric_of(name) is known and asked <= parsed(name)[1].items()]
    if len(fitting) > 1:
        raise ValueError(f"{text} fits {' and '.join(fitting)}; expected one of these names")
    return fitting[0] if fitting else exact


def short_names(names: Sequence[str]) -> tuple[str, list[str]]:
    """Return the margin that all names with a margin share, as text, and the names without this margin.

    If there is no such margin, the text is empty and the names are as they are.

    >>> short_names(["covering", "f1(margin=5,beta=2)"])
    ('margin=5', ['covering', 'f1(beta=2)'])
    """
    found = [(known, parsed(name)[1]) if (known := metric_of(name)) else (None, {}) for name in names]
    margins = {
        (key, value) for _, options in found for key, value in options.items() if key in ("margin", "relative_margin")
    }
    if len(margins) != 1:
        return "", list(names)
    ((key, value),) = margins
    short = [
        name if known is None else written(known, {option: x for option, x in options.items() if option != key})
        for name, (known, options) in zip(names, found, strict=True)
    ]
    return f"{key}={_text(value)}", short


def canonical(text: str) -> str:
    """Return the name of the column of a metric; return other names unchanged.

    >>> canonical("f1( margin = 5.0 )"), canonical("seconds")
    ('f1(margin=5)', 'seconds')
    """
    return written(*parsed(text)) if isinstance(text, str) and metric_of(text) else text


def _check(metric: Metric, options: Mapping[str, Any], text: str, where: str = "") -> None:
    """Raise an error if the metric takes no such options or values; ``where`` stands before an error about a value."""
    for key in options:
        if key not in metric.parameters:
            takes = ", ".join(metric.parameters) or "none"
            raise TypeError(f"{metric.name} has no option {key!r}; it takes {takes}")
    for key, value in options.items():
        if key in LENGTH_OPTIONS and isinstance(value, str) and value.endswith("m") and LengthOfTime.read(f"{value}in"):
            raise ValueError(f"{where}{key} = {value!r:.40} is not a length of time; expected {value}in for minutes")
        if not is_length_of_time(value):
            continue
        if key not in LENGTH_OPTIONS:
            raise TypeError(f"{text}: {key} = {value!r:.60} is a length of time; expected a number")
        if LengthOfTime.of(value, key).seconds < 0:
            raise ValueError(f"{text}: {key} = {value!r:.60} is negative; expected 0 or more")
    # Any number in place of a length of time passes, because its unit is not known yet.
    options = {key: 1 if is_length_of_time(value) else value for key, value in options.items()}
    margins = [options.get(key) for key in ("margin", "relative_margin")]
    if None not in margins:
        raise TypeError(f"{text} has both margin and relative_margin; expected one of them")
    try:
        if metric.only_tables:
            _core.Plan([], margins[0], margins[1])
        else:
            # The margin is for metrics without a margin of their own.
            _core.Plan([core_entry(metric, options)], 0, None)
    except (ValueError, TypeError) as error:
        raise type(error)(f"{where}{error}") from None


def written(metric: Metric, options: Mapping[str, object]) -> str:
    """Return the canonical text of a metric with options.

    Options stand in the order of the signature, without spaces, and each number has one text. Options that are equal to
    their default are left out, so that one definition has one text.
    """
    defaults = option_defaults(metric) if options else {}
    texts = {key: (_text(options[key]), _text(default)) for key, default in defaults.items() if key in options}
    others = [f"{key}={text}" for key, (text, default) in texts.items() if text not in ("None", default)]
    return f"{metric.name}({','.join(others)})" if others else metric.name


def _text(value: Any) -> str:  # noqa: ANN401
    """Return the one text of a value: a bool, a word, or a number, whatever type the number has.

    >>> _text(5.0), _text(1e-07), _text(10**20), _text(2**53 + 1)
    ('5', '1e-7', '1e20', '9007199254740993')
    """
    if isinstance(value, str | LengthOfTime | None) or type(value).__name__ in ("bool", "bool_"):
        return str(value)
    number = value.__index__() if hasattr(value, "__index__") else float(value)
    if abs(number) < 2**63 and number == int(number):
        return str(int(number))
    try:
        shown = repr(float(number))
    except OverflowError:
        shown = "inf"
    return re.sub(r"e\+?(-?)0*", r"e\1", shown)


def _value(text: str) -> Any:  # noqa: ANN401
    """Return the value of an option given as text: a number, a bool, a length of time as 5min, or a word.

    An integer may be written as 20.0.
    """
    if text in ("True", "true", "False", "false"):
        return text in ("True", "true")
    with suppress(ValueError):
        return int(text)
    with suppress(ValueError):
        number = float(text)
        return int(number) if number.is_integer() else number
    return LengthOfTime.read(text) or text
