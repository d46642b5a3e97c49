"""Optional libraries: all but NumPy."""

from __future__ import annotations

from typing import Any

__all__ = ["library"]


def library(name: str, extra: str = "tables") -> Any:  # noqa: ANN401
    """Import an optional library or one of its modules; the error names the extra to install."""
    import importlib

    try:
        return importlib.import_module(name)
    except ImportError:
        package = name.partition(".")[0]
        raise ImportError(f"{package} is not installed; install the extra: pip install 'segscore[{extra}]'") from None
