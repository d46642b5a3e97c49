"""Detectors: functions, and adapted objects of ruptures, aeon, sktime, skchange and claspy."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import arguments
from ..optional import library
from .answers import ANSWER_KINDS, Kind

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Detector", "Grid", "Ready", "Skip", "canonical_params", "checked", "owner_of", "ready", "settings_of"]


class Skip(Exception):
    """Exception for signals that a detector cannot process.

    For example, the signal has several channels or missing values. The run gets the status ``skip``, which is not a
    failure.
    """


@dataclass(frozen=True)
class Detector:
    """A detector, with the kind and the shift of its answers.

    ``detect``
        A function ``signal -> cuts``, or an object of ruptures, aeon, sktime, skchange or claspy.
    ``predict``
        Keyword arguments for ``predict`` of ruptures: ``{"pen": 10}`` or ``{"n_bkps": 3}``.
    ``kind``
        What the answer holds: cuts, ends, labels or intervals, as in `cuts_of`.
    ``shift``
        A number that is added to each cut. If a shift is given, even 0, the detector is not checked with the
        calibration signal.
    ``knows``
        What the detector is told of the truth, in words, as ``"number of cuts"``. The column ``knows`` holds the words,
        and boards show the method as a reference.
    """

    detect: Any
    predict: Mapping[str, Any] = field(default_factory=dict)
    kind: Kind | None = None
    shift: int | None = None
    knows: str | None = None


@dataclass(frozen=True)
class Grid:
    """A detector with several settings: every combination of the values of its parameters.

    ``make``
        A class or a function that takes the parameters and returns a detector; or an object of ruptures, whose
        ``predict`` then takes the parameters.
    ``parameters``
        A mapping from each name to a list of values: numbers, text, bools or None.
    ``default``
        The setting that is the default of the method, if there is one.

    ``kind``, ``shift`` and ``knows`` are those of `Detector`.
    """

    make: Any
    parameters: Mapping[str, Sequence[Any]]
    default: Mapping[str, Any] | None = None
    kind: Kind | None = None
    shift: int | None = None
    knows: str | None = None


class Ready(NamedTuple):
    """A detector that can be called: the call, what the call needs, and how the answer is read."""

    prepare: Callable[[NDArray[Any]], Any]  # is not timed
    call: Callable[[Any], Any]
    kind: Kind | None
    shift: int
    seeded: bool  # whether the detector took the seed


# Classes of the five libraries that answer in another way than the rest of their library, in the versions where this
# was seen. In other versions the shape of the answer and the calibration signal decide.
CORRECTIONS: dict[tuple[str, str, str], dict[str, Any]] = {
    ("sktime", "BinarySegmentation", "1.2"): {"shift": 1},  # the last point of the old segment
    ("sktime", "GreedyGaussianSegmentation", "1.2"): {"kind": "labels"},  # n labels in the column ilocs
}
LIBRARIES = ("ruptures", "aeon", "skchange", "sktime", "claspy")


def owner_of(thing: object) -> str:
    """Return which of the five libraries an object belongs to, also by inheritance, or an empty text."""
    owners = [base.__module__.partition(".")[0] for base in type(thing).__mro__]
    return next((owner for owner in owners if owner in LIBRARIES), "")


def settings_of(name: str, detector: Any) -> list[tuple[dict[str, Any] | None, bool]]:  # noqa: ANN401
    """Return the settings of a detector in order, each with whether it is the default."""
    if not isinstance(detector, Grid):
        return [(None, True)]
    values = {}
    for key, choices in detector.parameters.items():
        if isinstance(choices, str | bytes | Mapping) or not isinstance(choices, Iterable):
            raise TypeError(f"detector {name!r} has {key!r} = {choices!r:.60}; expected a list of values")
        values[key] = list(choices)
        if not values[key]:
            raise ValueError(f"detector {name!r} has no value for {key!r}; expected a list with at least one value")
    settings = [dict(zip(values, chosen, strict=True)) for chosen in itertools.product(*values.values())]
    texts = [canonical_params(setting, name) for setting in settings]
    if len(set(texts)) < len(texts):
        raise ValueError(f"detector {name!r} has two settings that are equal; expected different values in each list")
    default = None if detector.default is None else canonical_params(detector.default, name)
    if default is not None and default not in texts:
        raise ValueError(f"detector {name!r} has the default {default}; expected a setting of its grid")
    return [(setting, text == default or len(texts) == 1) for setting, text in zip(settings, texts, strict=True)]


def canonical_params(params: Mapping[str, Any], name: str) -> str:
    """Return parameters as JSON with sorted keys, no spaces and the shortest numbers."""

    def plain(value: Any) -> Any:  # noqa: ANN401
        value = value.item() if hasattr(value, "item") and getattr(value, "ndim", 0) == 0 else value
        return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 2**53 else value

    try:
        return json.dumps({str(k): plain(v) for k, v in params.items()}, sort_keys=True, separators=(",", ":"))
    except (TypeError, ValueError):
        raise TypeError(
            f"detector {name!r} has the setting {dict(params)!r:.80}; expected numbers, text, bools or None as values "
            "(let make build other objects)"
        ) from None


def checked(name: str, detector: Any) -> Any:  # noqa: ANN401
    """Return a detector, or raise if it cannot be one."""
    if isinstance(detector, Detector | Grid):
        arguments.choice(detector.kind, "kind", (*ANSWER_KINDS, None))
        if detector.shift is not None:
            arguments.integer(detector.shift, "shift")
        if detector.knows is not None and (not isinstance(detector.knows, str) or not detector.knows.strip()):
            raise TypeError(
                f"detector {name!r} has knows = {detector.knows!r:.60}; expected words, as 'number of cuts', or None"
            )
    if isinstance(detector, Grid):
        for what, given in (("parameters", detector.parameters), ("default", detector.default or {})):
            if not isinstance(given, Mapping):
                raise TypeError(f"detector {name!r} has {what} = {given!r:.60}; expected a mapping")
    what = detector.make if isinstance(detector, Grid) else _detect(detector)
    owner = owner_of(what)
    if owner == "ruptures" and not isinstance(detector, Grid) and not _predict(detector):
        raise ValueError(
            f"detector {name!r} is {type(what).__name__} of ruptures, whose predict needs pen, n_bkps or epsilon; "
            f'expected study.Detector({type(what).__name__}(...), predict={{"pen": 10}})'
        )
    if owner != "ruptures" and _predict(detector):
        raise ValueError(
            f"detector {name!r} has predict = {_predict(detector)!r:.60}; expected predict= only for an object of "
            "ruptures"
        )
    if isinstance(detector, Grid) and not callable(what) and owner != "ruptures":
        raise TypeError(
            f"detector {name!r} has make = {what!r:.60}; expected a class or a function that returns a detector"
        )
    offers = callable(what) or hasattr(what, "fit_predict") or (hasattr(what, "fit") and hasattr(what, "predict"))
    if not offers and not hasattr(what, "update"):
        raise TypeError(
            f"detector {name!r} is {what!r:.60}; expected a function signal -> cuts, or an object with fit and predict"
        )
    if isinstance(what, type) and not isinstance(detector, Grid):
        raise TypeError(f"detector {name!r} is the class {what.__name__}; expected an object: {what.__name__}(...)")
    return detector


def _detect(detector: Any) -> Any:  # noqa: ANN401
    return detector.detect if isinstance(detector, Detector) else detector


def _predict(detector: Any) -> dict[str, Any]:  # noqa: ANN401
    return dict(detector.predict) if isinstance(detector, Detector) else {}


def ready(detector: Any, params: Mapping[str, Any] | None, seed: int) -> Ready:  # noqa: ANN401
    """Return a detector with one setting, for one run with one seed."""
    kind, shift, predict = getattr(detector, "kind", None), getattr(detector, "shift", None), _predict(detector)
    if isinstance(detector, Grid):
        what = detector.make
        if owner_of(what) == "ruptures":
            predict = dict(params or {})
        else:
            what = what(**dict(params or {}))
    else:
        what = _detect(detector)
    if isinstance(what, Detector):  # a function that makes detectors may say more about each
        kind, shift = kind or what.kind, what.shift if shift is None else shift
        if what.knows is not None and what.knows != detector.knows:
            raise ValueError(
                f"make returns a Detector with knows = {what.knows!r:.60}; expected it in Grid(..., knows=)"
            )
        predict, what = _predict(what), what.detect
    owner = owner_of(what)
    if callable(what) and not owner:
        taken = _seeds_taken(what, seed)
        call = (lambda signal: what(signal, **taken)) if taken else what
        return Ready(lambda signal: signal, call, kind, shift or 0, bool(taken))
    seeded = _seeded(what, seed)
    own = _with_one_job(what)
    prepare, call, usual = _ADAPTED.get(owner, _plain)(own, predict)
    known = CORRECTIONS.get((owner, type(what).__name__, _minor(owner)), {}) if owner else {}
    shift = known.get("shift", 0) if shift is None else shift
    return Ready(prepare, call, kind or known.get("kind", usual), int(shift), seeded)


def _minor(package: str) -> str:
    from importlib import metadata

    return ".".join(metadata.version(package).split(".")[:2])


def _seeds_taken(function: Callable[..., Any], seed: int) -> dict[str, int]:
    """Return the seed under the names that a function takes."""
    import inspect

    try:
        takes = inspect.signature(function).parameters
    except (TypeError, ValueError):  # a function of an extension that does not say what it takes
        return {}
    return {name: value for name, value in _seeds(seed).items() if name in takes}


def _seeded(own: Any, seed: int) -> bool:  # noqa: ANN401
    """Set the random_state or the seed of an object that is None, and return whether there is one."""
    if hasattr(own, "get_params") and hasattr(own, "set_params"):
        free = {name for name, value in own.get_params(deep=False).items() if value is None}
        given = {name: value for name, value in _seeds(seed).items() if name in free}
        if given:
            own.set_params(**given)
        return bool(given)
    return False


def _with_one_job(own: Any) -> Any:  # noqa: ANN401
    """Return an object with at most as many jobs as there are cores, of which a worker process shows those of the run.

    claspy replaces ``n_jobs=-1`` by the cores of the machine when the object is made, before it reaches a worker.
    """
    cores = os.cpu_count() or 1
    if isinstance(getattr(own, "n_jobs", None), int) and own.n_jobs > cores:
        with contextlib.suppress(AttributeError):  # a property or a frozen object is left as it is
            own.n_jobs = cores
    return own


def _seeds(seed: int) -> dict[str, int]:
    return {"random_state": seed % 2**32, "seed": seed}  # NumPy's old generators take 32 bits


# What an adapter returns: how the signal is prepared, the call, and what the answer holds (None: read by its shape).
Adapted = tuple[Callable[[Any], Any], Callable[[Any], Any], Kind | None]


def _plain(own: Any, predict: dict[str, Any]) -> Adapted:  # noqa: ANN401
    if hasattr(own, "fit_predict"):
        return lambda x: x, lambda x: own.fit_predict(x), None
    return lambda x: x, lambda x: own.fit(x).predict(x), None


def _ruptures(own: Any, predict: dict[str, Any]) -> Adapted:  # noqa: ANN401
    return lambda x: x, lambda x: own.fit(x).predict(**predict), "ends"


def _aeon(own: Any, predict: dict[str, Any]) -> Adapted:  # noqa: ANN401
    def prepare(x: Any) -> Any:  # noqa: ANN401
        channels = 1 if x.ndim == 1 else x.shape[1]
        _refuse_if(channels > 1 and not own.get_tag("capability:multivariate"), own, "several channels")
        _refuse_if(channels == 1 and not own.get_tag("capability:univariate"), own, "one channel")
        _refuse_if(_missing(x) and not own.get_tag("capability:missing_values"), own, "missing values")
        return x

    dense = own.get_tag("returns_dense")  # aeon calls positions of changes dense
    return prepare, lambda x: own.fit_predict(x, axis=0), "cuts" if dense else "labels"


def _adapted_sktime(own: Any, predict: dict[str, Any]) -> Adapted:  # noqa: ANN401
    task = own.get_tag("task", None, raise_error=False) if hasattr(own, "get_tag") else None
    if task == "anomaly_detection":
        raise TypeError(f"{type(own).__name__} of sktime finds anomalies; expected a detector of change points")

    def prepare(x: Any) -> Any:  # noqa: ANN401
        if not hasattr(own, "predict_segments"):  # a class that is older than sktime's base class of detectors
            return x.reshape(len(x), -1)
        pd = library("pandas", extra=None)
        return pd.Series(x) if x.ndim == 1 else pd.DataFrame(x)

    return prepare, lambda x: own.fit_predict(x), None


def _adapted_skchange(own: Any, predict: dict[str, Any]) -> Adapted:  # noqa: ANN401
    def prepare(x: Any) -> Any:  # noqa: ANN401
        tags = own.__sklearn_tags__().input_tags if hasattr(own, "__sklearn_tags__") else None
        several = x.ndim == 2 and x.shape[1] > 1
        _refuse_if(several and not getattr(tags, "multivariate", True), own, "several channels")
        _refuse_if(_missing(x) and not getattr(tags, "allow_nan", True), own, "missing values")
        return x.reshape(len(x), -1)

    return prepare, lambda x: own.fit(x).predict(x), "cuts"


def _claspy(own: Any, predict: dict[str, Any]) -> Adapted:  # noqa: ANN401
    def stream(x: Any) -> Any:  # noqa: ANN401
        # predict() gives the last change alone, counted from the start of a sliding window; the log counts from 0.
        own.log_cps = True
        for value in x:
            own.update(value)
        return own.change_points

    def prepare(x: Any) -> Any:  # noqa: ANN401
        _refuse_if(len(x) < own.n_warmup, own, f"fewer points than n_warmup = {own.n_warmup}")
        return x

    if hasattr(own, "update"):
        return prepare, stream, "cuts"
    return lambda x: x, lambda x: own.fit_predict(x), "cuts"


_ADAPTED = {
    "ruptures": _ruptures,
    "aeon": _aeon,
    "sktime": _adapted_sktime,
    "skchange": _adapted_skchange,
    "claspy": _claspy,
}


def _missing(x: Any) -> bool:  # noqa: ANN401
    import numpy as np

    return bool(np.isnan(x).any()) if x.dtype.kind == "f" else False


def _refuse_if(cannot: bool, own: object, what: str) -> None:
    if cannot:
        raise Skip(f"{type(own).__name__} of {owner_of(own)} does not take {what}")
