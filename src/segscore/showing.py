"""How results become text, HTML, plain Python objects, and tables of Polars and pandas."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from .optional import library
from .optional import polars as pl

__all__ = [
    "Result",
    "Shown",
    "Table",
    "count_text",
    "number_text",
    "pandas_table",
    "path_text",
    "plain",
    "polars_table",
    "printable",
    "same",
]

WIDTH = 120  # columns of text
NARROW = 12  # columns of text below which names are not cut further while numbers can be


class Shown(NamedTuple):
    """Lines of text above and below a table: what a notebook or a terminal shows of a result."""

    lines: Sequence[str]
    head: Sequence[str]
    align: str  # one letter per column: l for left, r for right
    rows: Sequence[Sequence[str]]
    most: int = 50  # rows that are shown
    below: Sequence[str] = ()  # lines of text below the table
    number: int | None = None  # number of all rows, if only the first are given

    def text(self) -> str:
        """Return text of at most 120 columns; a wider table has its texts cut, and then its numbers."""
        import textwrap  # imported here so that the command line starts faster

        def wrapped(lines: Sequence[str]) -> list[str]:
            return [part for line in lines for part in textwrap.wrap(printable(line), WIDTH)]

        lines = wrapped(self.lines)
        cells = [[printable(cell) for cell in row] for row in (self.head, *self.rows[: self.most])]
        widths = [min(WIDTH, max(map(len, column))) for column in zip(*cells, strict=True)]
        while sum(widths) + 2 * (len(widths) - 1) > WIDTH:
            texts = [w if side == "l" and w > NARROW else 0 for w, side in zip(widths, self.align, strict=True)]
            cut_from = texts if any(texts) else widths
            widths[cut_from.index(max(cut_from))] -= 1
        for row in cells if self.head else []:
            cut = [c if len(c) <= width else c[: width - 1] + "…" for c, width in zip(row, widths, strict=True)]
            sides = zip(cut, widths, self.align, strict=True)
            lines.append("  ".join(c.rjust(w) if side == "r" else c.ljust(w) for c, w, side in sides).rstrip())
        return "\n".join([*lines, *wrapped(self._more())])

    def html(self) -> str:
        """Return paragraphs and a table, with all names escaped."""
        from html import escape

        def row(cells: Sequence[str], tag: str) -> str:
            styles = ("" if side == "r" else " style='text-align:left'" for side in self.align)
            parts = zip(cells, styles, strict=True)
            return "<tr>" + "".join(f"<{tag}{s}>{escape(printable(c))}</{tag}>" for c, s in parts) + "</tr>"

        body = "".join(row(cells, "td") for cells in self.rows[: self.most])
        table = f"<table>{row(self.head, 'th')}{body}</table>" if self.head else ""
        above, below = ("".join(f"<p>{escape(printable(line))}</p>" for line in p) for p in (self.lines, self._more()))
        return above + table + below

    def _more(self) -> list[str]:
        left_out = (len(self.rows) if self.number is None else self.number) - self.most
        return [*([f"... and {left_out} more"] if left_out > 0 else []), *self.below]


def printable(text: str) -> str:
    r"""Return a text with its control characters escaped, so that a terminal shows the text and does not obey it.

    >>> print(printable("\x1b[31mred\n"))
    \x1b[31mred\n
    """
    return text if text.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def number_text(value: float) -> str:
    """Return a number as text: integers in full, and other numbers to six digits without an exponent if possible.

    >>> number_text(1234567), number_text(1234567.25), number_text(2 / 3)
    ('1234567', '1234567', '0.666667')
    """
    if isinstance(value, int):
        return str(value)
    return f"{value:.0f}" if 1e5 <= abs(value) < 1e16 else f"{value:.6g}"


def path_text(path: str | os.PathLike[str]) -> str:
    """Return the name of a file as text that can be printed; bytes that are not UTF-8 are escaped."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def count_text(count: float, noun: str) -> str:
    """Return a count with its noun, in the plural unless the count is 1.

    >>> count_text(1, "line"), count_text(2, "line"), count_text(0.5, "error")
    ('1 line', '2 lines', '0.5 errors')
    """
    return f"{number_text(count)} {noun}{'' if count == 1 else 's'}"


def plain(value: Any) -> Any:  # noqa: ANN401
    """Return a value as dicts, lists, text, numbers, bools and None."""
    if hasattr(value, "tolist"):  # arrays and scalars of NumPy
        return plain(value.tolist())
    if hasattr(value, "_asdict"):
        return plain(value._asdict())
    if isinstance(value, Mapping):
        names = {key: plain(key) for key in value}
        return {k if isinstance(k, str | int | float) else str(k): plain(value[key]) for key, k in names.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    return value if value is None or isinstance(value, str | int | float) else str(value)


def same(one: Any, other: Any) -> bool:  # noqa: ANN401
    """Return whether two plain values are equal; nan equals nan, so that a result equals its copy."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other or (one != one and other != other))


class Result:
    """A result that shows itself as text and HTML, and that equals its copies.

    Subclasses have `to_dict` and ``_shown``, which returns what is shown. A NamedTuple cannot be a subclass.
    """

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain Python objects."""
        raise NotImplementedError

    def _shown(self) -> Shown:
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:  # without a hash, since results are not constant
        return same(self.to_dict(), other.to_dict()) if isinstance(other, type(self)) else NotImplemented

    def __repr__(self) -> str:
        return self._shown().text()

    def _repr_html_(self) -> str:
        return self._shown().html()


class Table:
    """A result that is a table; ``_table`` returns a NamedTuple class and the rows."""

    __slots__ = ()

    def _table(self) -> tuple[type[Any], Iterable[Sequence[Any]]]:
        raise NotImplementedError

    def to_polars(self) -> Any:  # noqa: ANN401
        """Return the table as a Polars DataFrame."""
        return polars_table(*self._table())

    def to_pandas(self) -> Any:  # noqa: ANN401
        """Return the table as a pandas DataFrame."""
        return pandas_table(*self._table())


def polars_table(kind: type[Any], rows: Iterable[Sequence[Any]]) -> Any:  # noqa: ANN401
    """Return rows of one kind of NamedTuple as a Polars DataFrame."""
    types = {name: _TYPES[hint][0] for name, hint in _hints(kind).items()}
    schema = {name: getattr(pl, dtype) for name, dtype in types.items()}
    return pl.DataFrame(list(map(tuple, rows)), schema, orient="row")


def pandas_table(kind: type[Any], rows: Iterable[Sequence[Any]]) -> Any:  # noqa: ANN401
    """Return rows of one kind of NamedTuple as a pandas DataFrame."""
    pd = library("pandas", extra=None)
    types = {name: _TYPES[hint][1] for name, hint in _hints(kind).items()}
    return pd.DataFrame(list(map(tuple, rows)), columns=list(types)).astype(types)


def _hints(kind: type[Any]) -> dict[str, Any]:
    from typing import get_type_hints

    return get_type_hints(kind)


# The types of columns of Polars and pandas.
_TYPES: dict[Any, tuple[str, str]] = {
    str: ("String", "object"),
    str | None: ("String", "object"),
    bool: ("Boolean", "bool"),
    int: ("Int64", "int64"),
    int | None: ("Int64", "Int64"),
    float: ("Float64", "float64"),
    float | None: ("Float64", "float64"),
}
