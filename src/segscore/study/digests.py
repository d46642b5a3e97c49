"""Digests of code and data, which identify finished runs, and versions of packages."""

from __future__ import annotations

import functools
import hashlib
import json
import platform
import re
import sys
import types
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["code_of", "digest", "run_seed", "signal_digest", "versions_of"]


def digest(*parts: object) -> str:
    """Return the SHA-256 of values that JSON can hold."""
    text = json.dumps(parts, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def run_seed(*parts: object) -> int:
    """Return 64 bits of the SHA-256 of values, as the seed of one cell.

    >>> run_seed(0, "a", "PELT", None, 0) == run_seed(0, "a", "PELT", None, 0) != run_seed(0, "a", "PELT", None, 1)
    True
    """
    return int(digest(*parts)[:16], 16)


def signal_digest(signal: NDArray[Any]) -> str:
    """Return the SHA-256 of the values, the shape and the type of a signal."""
    import numpy as np

    found = hashlib.sha256(f"{signal.dtype.str}{signal.shape}".encode())
    found.update(np.ascontiguousarray(signal).tobytes())
    return found.hexdigest()


def code_of(detector: object) -> tuple[str, list[str]]:
    """Return the SHA-256 of a detector's code and settings, and the packages that it uses.

    Functions count by their compiled code, what they close over and the functions and values of their module that they
    use; objects by their class and their attributes. The digest is the same in another process.
    """
    walk = _Walk()
    text = walk.text(detector)
    return hashlib.sha256(text.encode()).hexdigest(), sorted(walk.packages)


def versions_of(packages: list[str]) -> dict[str, str]:
    """Return the versions of Python, NumPy, segscore and packages that are installed."""
    names = sorted({"numpy", "segscore", *packages})
    found = {name: version for name in names if (version := _version(name)) is not None}
    return {"python": platform.python_version(), **found}


def _version(package: str) -> str | None:
    from importlib import metadata

    try:
        return metadata.version(package)
    except (metadata.PackageNotFoundError, ValueError):
        version = getattr(sys.modules.get(package), "__version__", None)
        return version if isinstance(version, str) else None


class _Walk:
    """Turns code and values into text, each object once."""

    def __init__(self) -> None:
        self.seen: dict[int, int] = {}
        self.kept: list[object] = []  # so that no id is used twice
        self.packages: set[str] = set()

    def text(self, value: Any) -> str:  # noqa: ANN401
        if value is None or isinstance(value, bool | int | float | complex | str | bytes):
            return f"{type(value).__name__}:{value!r}"
        if id(value) in self.seen:
            return f"again:{self.seen[id(value)]}"
        self.seen[id(value)] = len(self.seen)
        self.kept.append(value)
        return f"{type(value).__name__}({self._inside(value)})"

    def _inside(self, value: Any) -> str:  # noqa: ANN401
        if isinstance(value, types.ModuleType):
            self._uses(value.__name__)
            return value.__name__
        if isinstance(value, types.CodeType):
            names = (value.co_names, value.co_varnames, value.co_freevars, value.co_argcount, value.co_flags)
            return ",".join([value.co_code.hex(), repr(names), *map(self.text, value.co_consts)])
        if isinstance(value, types.FunctionType):
            return self._function(value)
        if isinstance(value, functools.partial):
            return ",".join(map(self.text, (value.func, value.args, value.keywords)))
        if isinstance(value, type):
            self._uses(value.__module__)
            if self._installed(value.__module__):
                return str(value.__qualname__)
            return ",".join([value.__qualname__, self._attributes(vars(value)), *map(self.text, value.__bases__)])
        if isinstance(value, property):
            return ",".join(map(self.text, (value.fget, value.fset)))
        if isinstance(value, staticmethod | classmethod) or hasattr(value, "cache_parameters"):  # functools.lru_cache
            return self.text(value.__wrapped__)
        if isinstance(value, list | tuple):
            return ",".join(map(self.text, value))
        if isinstance(value, set | frozenset):
            return ",".join(sorted(_Walk().text(one) for one in value))
        if isinstance(value, dict):
            return ",".join(f"{self.text(key)}={self.text(one)}" for key, one in value.items())
        if hasattr(value, "tobytes") and hasattr(value, "dtype"):
            return f"{value.dtype}{value.shape}" + hashlib.sha256(value.tobytes()).hexdigest()
        if isinstance(value, types.MethodType):
            return self.text(value.__self__) + value.__name__
        kind = type(value)
        self._uses(kind.__module__)
        name = f"{kind.__module__}.{kind.__qualname__}:"
        slots = {key: getattr(value, key) for key in _slots(kind) if hasattr(value, key)}
        if slots or hasattr(value, "__dict__"):
            return name + self.text(kind) + self._attributes({**slots, **getattr(value, "__dict__", {})})
        return name + re.sub(r" at 0x[0-9a-f]+", "", repr(value))

    def _function(self, value: types.FunctionType) -> str:
        cells = map(_contents, value.__closure__ or ())
        parts = [value.__code__, value.__defaults__, value.__kwdefaults__, *cells]
        self._uses(value.__module__ or "")
        if self._installed(value.__module__):  # the version of the package stands for its code
            return f"{value.__module__}.{value.__qualname__}" + ",".join(map(self.text, parts[1:]))
        names = sorted(_names(value.__code__))
        used = [f"{name}={self.text(value.__globals__[name])}" for name in names if name in value.__globals__]
        return ",".join([*map(self.text, parts), *used])

    def _attributes(self, names: Any) -> str:  # noqa: ANN401
        """Return attributes as text; of the special ones, only methods count, because others differ without reason."""
        special = {k for k in names if k.startswith("__") and k.endswith("__")}
        own = {k: v for k, v in names.items() if k not in special or isinstance(v, types.FunctionType)}
        return ",".join(f"{key}={self.text(own[key])}" for key in sorted(own, key=str))

    def _uses(self, module: str) -> None:
        package = module.partition(".")[0]
        if package not in sys.stdlib_module_names and package not in ("__main__", "segscore", ""):
            self.packages.add(package)

    @staticmethod
    def _installed(module: str | None) -> bool:
        """Return whether the code of a module has a version: that of Python, of segscore or of an installed package."""
        package = (module or "").partition(".")[0]
        if package in sys.stdlib_module_names or package == "segscore":
            return package != "__main__"
        path = getattr(sys.modules.get(package), "__file__", None) or ""
        return "site-packages" in path or "dist-packages" in path


def _contents(cell: types.CellType) -> object:
    try:
        return cell.cell_contents
    except ValueError:  # a name that is not bound yet
        return None


def _slots(kind: type) -> list[str]:
    """Return the names of the attributes that objects of a class hold outside of a dictionary."""
    found = [vars(base).get("__slots__", ()) for base in kind.__mro__]
    names = [name for slots in found for name in ([slots] if isinstance(slots, str) else slots)]
    return [name for name in names if name not in ("__dict__", "__weakref__")]


def _names(code: types.CodeType) -> set[str]:
    """Return the names that code uses, in its inner functions too."""
    inner = [one for one in code.co_consts if isinstance(one, types.CodeType)]
    return set(code.co_names).union(*map(_names, inner))
