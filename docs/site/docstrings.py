"""Docstrings as Markdown, for the reference.

Docstrings are written for `help()` and editors: examples start with >>>, lists of arguments are indented, and tables
are drawn with "=". mkdocstrings loads `Markdown`, which rewrites every docstring before it is shown.
"""

from __future__ import annotations

import inspect
import itertools
import pydoc
import re
from functools import cache

from pages import title

try:
    from griffe import Class, Extension, Function
except ImportError:  # the tests of the conversion need no griffe
    Class = Extension = Function = object


def markdown(text: str, where: str) -> str:
    """Return a docstring as Markdown; `where` is the path of the object, to which names may be relative."""
    lines, shown = text.strip("\n").split("\n"), []
    while lines:
        take = next(take for start, take in STARTS if start(lines))
        shown += take(lines)
    return linked("\n".join(shown), where)


def indent_of(line: str) -> int:
    """Return the number of spaces before a line."""
    return len(line) - len(line.lstrip())


def is_section(lines: list[str]) -> bool:
    """Return whether a heading with a line of dashes follows."""
    return len(lines) > 1 and re.fullmatch(r"-{3,}", lines[1]) is not None and bool(lines[0].strip())


def is_term(lines: list[str]) -> bool:
    """Return whether a term with an indented explanation follows."""
    return len(lines) > 1 and lines[0][:1].strip() not in ("", "-", "|") and indent_of(lines[1]) == 4


def section(lines: list[str]) -> list[str]:
    """Take a heading with a line of dashes."""
    heading = lines.pop(0)
    lines.pop(0)
    return [f"**{heading.strip()}**", ""]


def example(lines: list[str]) -> list[str]:
    """Take an example, up to the next empty line."""
    space = indent_of(lines[0])
    taken = []
    while lines and lines[0].strip():
        taken.append(lines.pop(0)[space:])
    return ["", *(" " * space + line for line in ["```pycon", *taken, "```"]), ""]


def table(lines: list[str]) -> list[str]:
    """Take a table whose columns are below and above lines of "="."""
    starts = [match.start() for match in re.finditer("=+", lines.pop(0))]
    rows: list[list[str]] = []
    while not lines[0].startswith("="):
        line = lines.pop(0)
        cells = [line[a:b].strip() for a, b in zip(starts, [*starts[1:], None], strict=True)]
        rows.append([cell.replace("|", "\\|") for cell in cells])
    lines.pop(0)
    head = ["|" + " |" * len(starts), "|" + "---|" * len(starts)]
    return ["", *head, *(f"| {' | '.join(row)} |" for row in rows), ""]


def term(lines: list[str]) -> list[str]:
    """Take a term and its explanation, which is Markdown again."""
    words = [word.strip().strip("`") for word in lines.pop(0).split(",")]
    inside = []
    while lines and (not lines[0].strip() or indent_of(lines[0]) >= 4):
        inside.append(lines.pop(0)[4:])
    while inside and not inside[-1]:
        inside.pop()
    shown = []
    while inside:
        take = next(take for start, take in STARTS if start(inside))
        shown += take(inside)
    first, *others = shown
    return ["", ", ".join(f"`{word}`" for word in words), f":   {first}", *(f"    {line}" for line in others), ""]


STARTS = [
    (is_section, section),
    (lambda lines: lines[0].lstrip().startswith(">>> "), example),
    (lambda lines: re.fullmatch(r"=+( +=+)+", lines[0]) is not None, table),
    (is_term, term),
    (lambda lines: True, lambda lines: [lines.pop(0)]),
]


def linked(text: str, where: str) -> str:
    """Return Markdown in which names in single backticks are links, and stars between words are no emphasis."""
    parts = re.split(r"(^ *```.*?^ *```$)", text, flags=re.DOTALL | re.MULTILINE)
    for k in range(0, len(parts), 2):
        parts[k] = re.sub(r"(\.\s+)?``docs/(\w+)\.md``", page_link, parts[k])
        pieces = re.split(r"(``.*?``|`[^`]*`)", parts[k], flags=re.DOTALL)
        for at, piece in enumerate(pieces):
            if at % 2 == 0:
                pieces[at] = re.sub(r"(?<=\w)(\*\*?)(?=\w)", lambda m: m[0].replace("*", "\\*"), piece)
            elif not piece.startswith("``") and (path := resolved(piece.strip("`"), where)):
                pieces[at] = f"[{piece}][{path}]"
        parts[k] = "".join(pieces)
    return "".join(parts)


def page_link(found: re.Match[str]) -> str:
    """Return the link to a page that a docstring names, inside a sentence or at its start."""
    start = f"{found[1]}The" if found[1] else "the"
    return f"{start} page [{title(found[2])}](../{found[2]}.md)"


def is_documented(member: object) -> bool:
    """Return whether a member of a class is a method or a property with a docstring."""
    inner = getattr(member, "__func__", None) or getattr(member, "fget", None) or member
    return inspect.isfunction(inner) and bool(inner.__doc__)


@cache
def paths() -> dict[str, str]:
    """Return the path in the reference of every public name and method, by this path and by where it is defined."""
    import reference

    found = {}
    for page in reference.pages():
        for path, value in page.entries:
            found[path] = path
            if isinstance(value, type) or callable(value):
                defined = f"{value.__module__}.{value.__qualname__}"
                members = vars(value).items() if isinstance(value, type) else ()
                methods = [name for name, member in members if name[0] != "_" and is_documented(member)]
                found[defined] = path
                found |= {f"{start}.{name}": f"{path}.{name}" for name in methods for start in (path, defined)}
    return found


@cache
def resolved(name: str, where: str) -> str | None:
    """Return the path that a name in a docstring means: the nearest one, outward from the object."""
    if not re.fullmatch(r"[A-Za-z_][\w.]*", name) or where.endswith(f".{name}"):
        return None
    parts = where.split(".")
    tries = [".".join([*parts[:k], name]) for k in range(len(parts), 0, -1)]
    return next((paths()[path] for path in [*tries, name] if path in paths()), None)


def terms(text: str) -> set[str]:
    """Return the terms of a docstring: the names on lines that are followed by an indented explanation."""
    lines = text.split("\n")
    named = [line for line, below in itertools.pairwise(lines) if is_term([line, below])]
    return {name.strip().strip("`") for line in named for name in line.split(",")}


def show_constructor(found: Class) -> None:
    """Let mkdocstrings show how a class is called, also if `__new__` makes the objects of the class."""
    if "__new__" in found.members and "__init__" not in found.members:
        made = found.members["__new__"]
        found.members["__init__"] = Function("__init__", parameters=made.parameters, parent=found)
    elif "__init__" in found.members and not found.members["__init__"].is_alias:
        found.members["__init__"].docstring = None


def fields(found: Class) -> str:
    """Return a table of the fields of a class that its docstring does not explain, with their comments."""
    rows = []
    for name, field in found.members.items():
        if (
            field.is_attribute
            and field.docstring is None
            and name[0] != "_"
            and f"``{name}``" not in found.docstring.value
            and name not in terms(found.docstring.value)
        ):
            comment = field.source.partition("  # ")[2]
            kind = f"`{field.annotation}`" if field.annotation else ""
            rows.append(f"| `{name}` | {kind} | {comment} |")
    return "\n".join(["", "", "| field | type | |", "|---|---|---|", *rows]) if rows else ""


class Markdown(Extension):
    """Rewrites the docstrings of segscore as Markdown, and shows the defaults of shared options."""

    def on_function(self, *, func, **kwargs):
        """Show the defaults of the parameters that griffe found in a TypedDict, which has no defaults."""
        shared = [parameter for parameter in func.parameters if parameter.default == "..."]
        if shared and func.name != "__init__" and "_core" not in func.canonical_path:
            signature = inspect.signature(pydoc.locate(func.canonical_path))
            for parameter in shared:
                parameter.default = repr(signature.parameters[parameter.name].default)

    def on_package(self, *, pkg, **kwargs):
        """Rewrite the docstring of every object of a package that griffe has read."""
        waiting = [pkg]
        while waiting:
            here = waiting.pop()
            if here.is_alias:
                continue
            if here.is_class:
                show_constructor(here)
            if here.docstring is not None:
                extra = fields(here) if here.is_class else ""
                here.docstring.value = markdown(here.docstring.value, here.canonical_path) + extra
            waiting += here.members.values()
