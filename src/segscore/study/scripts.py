"""Files that describe a study: a Python file or a TOML file with detectors and series."""

from __future__ import annotations

import functools
import importlib
import sys
import traceback
import types
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..optional import library
from ..tables.files import read
from .detectors import Detector, Grid, owner_of

__all__ = ["OPTIONS", "read_study"]

OPTIONS = ("out", "workers", "timeout", "memory", "repeats", "seed", "cores", "warmup")
MODULE = "segscore_study"  # the name under which a file is run


def read_study(path: Path) -> dict[str, Any]:
    """Return the detectors, the series and the options of a file, as keyword arguments of `run`."""
    if path.suffix.lower() not in (".py", ".toml"):
        raise ValueError(f"{path} ends with {path.suffix or 'nothing'!r}; expected .py or .toml")
    folder = str(path.resolve().parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    found = _from_python(path) if path.suffix.lower() == ".py" else _from_toml(path)
    for name in ("detectors", "series"):
        if name not in found:
            raise ValueError(f"{path} has no {name}; expected a study that defines detectors and series")
    if isinstance(found["series"], str):
        source = path.resolve().parent / found["series"]
        found["series"] = source if source.is_dir() else read(str(source))
    return {name: found[name] for name in ("detectors", "series", *OPTIONS) if name in found}


def _from_python(path: Path) -> dict[str, Any]:
    """Run a file as a module of its own, whose functions are sent to the workers by value."""
    module = types.ModuleType(MODULE)
    module.__file__ = str(path)
    sys.modules[MODULE] = module  # classes look their module up while they are made
    try:
        exec(compile(path.read_bytes(), str(path), "exec"), module.__dict__)
    except (Exception, SystemExit) as error:
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
        if isinstance(error, SyntaxError) and not lines:  # of the file itself
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
    found["detectors"] = {name: _described(name, given) for name, given in found.get("detectors", {}).items()}
    unknown = [name for name in found if name not in ("detectors", "series", *OPTIONS)]
    if unknown:
        known = ", ".join(("detectors", "series", *OPTIONS))
        raise ValueError(f"{path} has an unknown option {unknown[0]!r}; expected {known}")
    return found


def _described(name: str, given: Any) -> Any:  # noqa: ANN401
    """Return the detector that a table of TOML describes."""
    tables = ("with", "predict", "grid", "default")
    expected = "expected use = 'module:name', and optionally with, predict, grid, default, kind, shift"
    if not isinstance(given, Mapping):
        raise ValueError(f"detector {name!r} is {given!r:.40}; {expected}")
    unknown = [key for key in given if key not in ("use", *tables, "kind", "shift")]
    if unknown:
        raise ValueError(f"detector {name!r} has an unknown option {unknown[0]!r}; {expected}")
    if not isinstance(given.get("use"), str):
        found = f"use = {given['use']!r:.40}" if "use" in given else "no use"
        raise ValueError(f"detector {name!r} has {found}; {expected}")
    for key in tables:
        if not isinstance(given.get(key, {}), Mapping):
            raise ValueError(f"detector {name!r} has {key} = {given[key]!r:.40}; expected a table, as {{pen = 3}}")
    module, _, attribute = given["use"].partition(":")
    try:
        what = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise ValueError(
            f"detector {name!r} uses {given['use']!r}, which cannot be imported: {error}; expected 'module:name'"
        ) from None
    made = functools.partial(what, **given.get("with", {})) if given.get("with") else what
    rest = {"kind": given.get("kind"), "shift": given.get("shift")}
    if isinstance(what, type):
        is_ruptures = what.__module__.partition(".")[0] == "ruptures"
        if "grid" not in given or is_ruptures:
            made = made()
    if "grid" in given:
        return Grid(made, given["grid"], given.get("default"), **rest)
    if owner_of(made) or any(value is not None for value in rest.values()):
        return Detector(made, given.get("predict", {}), **rest)
    return made
