"""Optional libraries: all but NumPy."""

from __future__ import annotations

from typing import Any

__all__ = ["library"]


def library(name: str, extra: str | None = "tables") -> Any:  # noqa: ANN401
    """Import an optional library or one of its modules; the error names the extra to install.

    A library that belongs to no extra is installed by its own name.
    """
    import importlib

    try:
        return importlib.import_module(name)
    except ImportError:
        package = name.partition(".")[0]
        remedy = f"install it: pip install {package}"
        if extra is not None:
            remedy = f"install the extra: pip install 'segscore[{extra}]'"
        raise ImportError(f"{package} is not installed; {remedy}") from None
