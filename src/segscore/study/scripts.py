"""Files that describe a study: a Python file or a TOML file with detectors and series."""

from __future__ import annotations

import functools
import importlib
import re
import sys
import traceback
import types
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .. import arguments
from ..optional import library
from ..tables.files import read
from .answers import ANSWER_KINDS
from .collection import read_series
from .detectors import Detector, Grid, owner_of, settings_of
from .plans import Plan, planned
from .runner import checked_options

__all__ = ["read_study"]

STUDY_OPTIONS = ("out", "workers", "timeout", "memory", "repeats", "seed", "cores", "warmup")
PLAN_OPTIONS = ("score", "margin", "failures", "reference")
OFFERED = {"__call__", "fit_predict", "predict", "update"}  # one of them by each detector
MODULE = "segscore_study"  # the name under which a file is run


def read_study(path: Path, replaced: Mapping[str, Any] | None = None, *, check: bool = False) -> dict[str, Any]:
    """Return the detectors, the series and the options of a file, as keyword arguments of `run`.

    ``replaced`` holds options that replace those of the file. Everything in a TOML file is checked before the first
    detector is imported. With ``check``, nothing is imported, and the detectors are the tables that describe them.
    """
    is_toml = arguments.suffix(path, (".py", ".toml")) == ".toml"
    if check and not is_toml:
        raise ValueError(f"{path} is a Python file, which cannot be checked without running it; expected a TOML file")
    folder = path.resolve().parent
    if not is_toml:
        _import_from(folder)
    found = {**(_from_toml(path) if is_toml else _from_python(path)), **(replaced or {})}
    for name in ("detectors", "series"):
        if name not in found:
            raise ValueError(f"{path} has no {name}; expected a study that defines detectors and series")
    if isinstance(found["series"], str):
        source = folder / found["series"]
        found["series"] = source if source.is_dir() else read(str(source))
    if is_toml:
        checked_options(**{name: found[name] for name in STUDY_OPTIONS if name in found})
        read_series(found["series"])
        if not check:
            _import_from(folder)
            found["detectors"] = {name: _detector_of(name, given) for name, given in found["detectors"].items()}
    return {name: found[name] for name in ("detectors", "series", "plan", *STUDY_OPTIONS) if name in found}


def _import_from(folder: Path) -> None:
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))


def _from_python(path: Path) -> dict[str, Any]:
    """Run a file as a module of its own, whose functions are sent to the workers by value."""
    module = types.ModuleType(MODULE)
    module.__file__ = str(path)
    sys.modules[MODULE] = module  # classes look their module up while they are made
    try:
        exec(compile(path.read_bytes(), str(path), "exec"), module.__dict__)
    except (Exception, SystemExit) as error:
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
        if isinstance(error, SyntaxError) and not lines:  # an error of the file itself
            lines, error = [error.lineno], SyntaxError(error.msg)
        where = f"{path}, line {lines[-1]}" if lines else str(path)
        raise ValueError(f"{where}: {type(error).__name__}: {error}; expected a file that Python can run") from None
    finally:
        del sys.modules[MODULE]
    return module.__dict__


def _from_toml(path: Path) -> dict[str, Any]:
    if sys.version_info < (3, 11):
        raise ValueError(f"{path} needs Python 3.11, which reads TOML; expected a Python file")
    toml = library("tomllib", extra=None)
    try:
        found: dict[str, Any] = toml.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{path} is not TOML: {error}; expected a file that Python can read as TOML") from None
    if not isinstance(found.get("detectors", {}), Mapping):
        raise ValueError(
            f"{path} has detectors that are not a table; expected [detectors.NAME] with use = 'module:name'"
        )
    if not isinstance(found.get("series", ""), str):
        raise ValueError(
            f"{path} has series = {found['series']!r:.40}; expected the path of a table or a folder, as 'a.csv'"
        )
    for name, given in found.get("detectors", {}).items():
        _check_described(name, given)
    known = ("detectors", "series", "plan", *STUDY_OPTIONS)
    unknown = [name for name in found if name not in known]
    if unknown:
        raise ValueError(f"{path} has an unknown option {unknown[0]!r}; expected {', '.join(known)}")
    if "plan" in found:
        found["plan"] = _plan_of(found["plan"], path, found.get("detectors", {}))
    return found


def _plan_of(given: Any, path: Path, detectors: Mapping[str, Any]) -> Plan:  # noqa: ANN401
    """Return the plan that a table of TOML describes, or raise."""
    expected = "expected score = 'f1', and optionally margin, failures, reference"
    if not isinstance(given, Mapping):
        raise ValueError(f"{path} has plan = {given!r:.40}; {expected}")
    unknown = [name for name in given if name not in PLAN_OPTIONS]
    if unknown or "score" not in given:
        what = f"an unknown option {unknown[0]!r}" if unknown else "no score"
        raise ValueError(f"{path} has a plan with {what}; {expected}")
    plan = Plan(**given)
    planned(plan, detectors)
    return plan


def _check_described(name: str, given: Any) -> None:  # noqa: ANN401
    """Raise if a table of TOML cannot describe a detector, as far as that can be seen without an import."""
    tables = ("with", "predict", "grid", "default")
    expected = "expected use = 'module:name', and optionally with, predict, grid, default, kind, shift, knows"
    if not isinstance(given, Mapping):
        raise ValueError(f"detector {name!r} is {given!r:.40}; {expected}")
    unknown = [key for key in given if key not in ("use", *tables, "kind", "shift", "knows")]
    if unknown:
        raise ValueError(f"detector {name!r} has an unknown option {unknown[0]!r}; {expected}")
    if not isinstance(given.get("use"), str):
        found = f"use = {given['use']!r:.40}" if "use" in given else "no use"
        raise ValueError(f"detector {name!r} has {found}; {expected}")
    for key in tables:
        if not isinstance(given.get(key, {}), Mapping):
            raise ValueError(f"detector {name!r} has {key} = {given[key]!r:.40}; expected a table, as {{pen = 3}}")
    if not re.fullmatch(r"\w+(\.\w+)*:\w+", given["use"]):
        raise ValueError(f"detector {name!r} has use = {given['use']!r:.40}; {expected}")
    arguments.choice(given.get("kind"), "kind", (*ANSWER_KINDS, None))
    if "shift" in given:
        arguments.integer(given["shift"], "shift")
    if not isinstance(given.get("knows", ""), str):
        raise ValueError(f"detector {name!r} has knows = {given['knows']!r:.40}; expected words, as 'number of cuts'")
    settings_of(name, Grid(None, given["grid"], given.get("default")) if "grid" in given else None)


def _detector_of(name: str, given: Mapping[str, Any]) -> Any:  # noqa: ANN401
    """Return the detector that a table of TOML describes."""
    module, _, attribute = given["use"].partition(":")
    try:
        what = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise ValueError(
            f"detector {name!r} uses {given['use']!r}, which cannot be imported: {error}; expected 'module:name'"
        ) from None
    if isinstance(what, type) and not OFFERED.intersection(
        dir(what)
    ):  # before an object is made, which may do anything
        raise ValueError(
            f"detector {name!r} uses {given['use']!r}, a class whose objects are no detectors; expected a class with "
            "fit and predict, or with __call__"
        )
    made = functools.partial(what, **given.get("with", {})) if given.get("with") else what
    rest = {name: given.get(name) for name in ("kind", "shift", "knows")}
    if isinstance(what, type):
        is_ruptures = what.__module__.partition(".")[0] == "ruptures"
        if "grid" not in given or is_ruptures:
            made = made()
    if "grid" in given:
        return Grid(made, given["grid"], given.get("default"), **rest)
    if owner_of(made) or any(value is not None for value in rest.values()):
        return Detector(made, given.get("predict", {}), **rest)
    return made
