"""Tables for papers: the same cells as LaTeX, Markdown, HTML and CSV."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any, NamedTuple

from ..optional import library
from ..optional import polars as pl
from ..showing import Result, Shown, plain

__all__ = ["ARROWS", "Cell", "Head", "Publication", "Typeset", "csv_of", "html_of", "latex_of", "markdown_of"]

ARROWS = {"": "", "high": " ↑", "low": " ↓"}  # whether higher or lower values are better


class Head(NamedTuple):
    """Head of a column."""

    text: str
    best: str = ""  # "high" or "low": an arrow says which values are better
    right: bool = True  # whether the column is aligned to the right


class Cell(NamedTuple):
    """Text of a cell and how it is printed."""

    text: str
    bold: bool = False
    underlined: bool = False


class Typeset(NamedTuple):
    """A table as it is printed, with its caption above and its notes below."""

    caption: str
    heads: Sequence[Head]
    rows: Sequence[Sequence[Cell]]
    rule: int | None = None  # number of the row above which a rule is drawn
    notes: Sequence[str] = ()


class Publication(Result):
    """A table for a paper, as LaTeX, Markdown, HTML or CSV.

    The best value of a column is bold, and so are all values that are printed equal. A value is underlined if its
    method is not significantly different from the best one. The caption says what the numbers are.
    """

    def __init__(self, typeset: Typeset, names: Sequence[str], records: Iterable[Sequence[Any]]) -> None:
        self._typeset, self._names, self._records = typeset, list(names), [list(record) for record in records]

    @property
    def caption(self) -> str:
        """What the numbers are, how they were made, and what bold and underlined mean."""
        return self._typeset.caption

    def to_latex(self) -> str:
        r"""Return a LaTeX ``table``, which needs ``\usepackage{booktabs}``."""
        return latex_of(self._typeset)

    def to_markdown(self) -> str:
        """Return a Markdown table."""
        return markdown_of(self._typeset)

    def to_html(self) -> str:
        """Return an HTML table."""
        return html_of(self._typeset)

    def to_csv(self) -> str:
        """Return CSV with one value per cell, at full precision."""
        return csv_of(self._names, self._records)

    def to_polars(self) -> pl.DataFrame:
        """Return the table as a Polars DataFrame, at full precision."""
        return pl.DataFrame(self._records, self._names, orient="row", infer_schema_length=None)

    def to_pandas(self) -> Any:  # noqa: ANN401
        """Return the table as a pandas DataFrame, at full precision."""
        return library("pandas", extra=None).DataFrame(self._records, columns=self._names)

    def to_dict(self) -> dict[str, Any]:
        """Return the caption, the notes and the rows as plain Python objects."""
        rows = [dict(zip(self._names, plain(record), strict=True)) for record in self._records]
        return {"caption": self.caption, "notes": list(self._typeset.notes), "rows": rows}

    def _shown(self) -> Shown:
        table = self._typeset
        heads = [head.text + ARROWS[head.best] for head in table.heads]
        align = "".join("r" if head.right else "l" for head in table.heads)
        return Shown([self.caption], heads, align, [[c.text for c in row] for row in table.rows], below=table.notes)


def latex_of(table: Typeset) -> str:
    """Return a table of LaTeX, which needs the package booktabs."""

    def line(cells: Sequence[str]) -> str:
        return " & ".join(cells) + r" \\"

    def text(cell: Cell) -> str:
        made = _latex(cell.text)
        made = rf"\textbf{{{made}}}" if cell.bold and made else made
        return rf"\underline{{{made}}}" if cell.underlined and made else made

    lines = [r"\begin{table}", r"\centering", rf"\caption{{{_latex(table.caption)}}}"]
    lines += [rf"\begin{{tabular}}{{{''.join('r' if head.right else 'l' for head in table.heads)}}}", r"\toprule"]
    lines += [line([_latex(head.text + ARROWS[head.best]) for head in table.heads]), r"\midrule"]
    for number, row in enumerate(table.rows):
        lines += [r"\midrule"] * (number == table.rule and number > 0)
        lines.append(line([text(cell) for cell in row]))
    lines += [r"\bottomrule", r"\end{tabular}"]
    lines += [rf"\par\smallskip\footnotesize {_latex(note)}" for note in table.notes]
    return "\n".join([*lines, r"\end{table}", ""])


def markdown_of(table: Typeset) -> str:
    """Return a table of Markdown, with the caption above it and the notes below it."""

    def line(cells: Sequence[str]) -> str:
        return f"| {' | '.join(cells)} |"

    def text(cell: Cell) -> str:
        made = _markdown(cell.text)
        made = f"**{made}**" if cell.bold and made else made
        return f"<ins>{made}</ins>" if cell.underlined and made else made

    lines = [_markdown(table.caption), "", line([_markdown(head.text) + ARROWS[head.best] for head in table.heads])]
    lines.append(f"|{'|'.join('---:' if head.right else ':---' for head in table.heads)}|")
    lines += [line([text(cell) for cell in row]) for row in table.rows]
    for note in table.notes:  # a dash or a number at the start of a note, which may be a name, would begin a list
        lines += ["", re.sub(r"^(\d*)([-+=.)])", r"\1\\\2", _markdown(note))]
    return "\n".join([*lines, ""])


def html_of(table: Typeset) -> str:
    """Return a table of HTML with all names escaped."""

    def tag(name: str, head: Head, inner: str) -> str:
        return f'<{name} style="text-align:{"right" if head.right else "left"}">{inner}</{name}>'

    def text(cell: Cell) -> str:
        made = escape(_one_line(cell.text))
        made = f"<strong>{made}</strong>" if cell.bold and made else made
        return f"<u>{made}</u>" if cell.underlined and made else made

    def row(cells: Sequence[Cell], style: str = "") -> str:
        return f"<tr{style}>{''.join(tag('td', h, text(c)) for h, c in zip(table.heads, cells, strict=True))}</tr>"

    heads = "".join(tag("th", head, escape(_one_line(head.text)) + ARROWS[head.best]) for head in table.heads)
    border = ' style="border-top:1px solid"'
    lines = ["<table>", f"<caption>{escape(_one_line(table.caption))}</caption>"]
    lines += [f"<thead><tr>{heads}</tr></thead>", "<tbody>"]
    lines += [row(cells, border if k == table.rule and k > 0 else "") for k, cells in enumerate(table.rows)]
    lines += ["</tbody>", "</table>", *(f"<p>{escape(_one_line(note))}</p>" for note in table.notes)]
    return "\n".join([*lines, ""])


def csv_of(names: Sequence[str], records: Iterable[Sequence[Any]]) -> str:
    """Return CSV with one value per cell; numbers have the fewest digits that read back the same."""
    return "".join(f"{','.join(map(_csv, record))}\n" for record in (names, *records))


def _csv(value: Any) -> str:  # noqa: ANN401
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    text = str(value)
    doubled = text.replace('"', '""')
    return f'"{doubled}"' if set(text) & set(',"\r\n') else text


def _one_line(text: str) -> str:
    return " ".join(text.split())


_LATEX = str.maketrans(
    {letter: f"\\{letter}" for letter in "_%&#${}"}
    | {"\\": r"\textbackslash{}", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}"}
    | {"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", "↑": r"$\uparrow$", "↓": r"$\downarrow$"}
)


def _latex(text: str) -> str:
    """Return text that LaTeX prints as it is; a bracket or a star after a line break would be an option."""
    made = _one_line(text).translate(_LATEX).replace("--", "-{}-")
    return f"{{}}{made}" if made[:1] in ("[", "*") else made


def _markdown(text: str) -> str:
    return re.sub(r"([\\|*_`<>\[\]&~$#])", r"\\\1", _one_line(text))
