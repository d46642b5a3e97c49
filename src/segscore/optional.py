"""Optional libraries: all but NumPy."""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import altair
    import polars
    from polars.datatypes import DataTypeClass

__all__ = ["PolarsType", "altair", "library", "polars"]


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


class _Later(ModuleType):
    """A library with types, which is imported when one of its names is first used."""

    def __init__(self, name: str, extra: str) -> None:
        super().__init__(name)
        self._extra = extra

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        value = getattr(library(self.__name__, self._extra), name)
        setattr(self, name, value)
        return value


if TYPE_CHECKING:
    PolarsType = polars.DataType | DataTypeClass  # type of a column: pl.Int64, pl.List(pl.Int64)
else:
    altair, polars, PolarsType = _Later("altair", "report"), _Later("polars", "tables"), object
