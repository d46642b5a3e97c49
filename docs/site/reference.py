"""The pages of the reference: every public name of segscore, found in the package itself.

A name is public if it is in the `__all__` of segscore, or of a module that users import by itself. The names of
segscore are listed by the module of their family. mkdocstrings takes signatures and docstrings from the source.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import itertools
from collections.abc import Iterator
from importlib.metadata import metadata
from importlib.util import find_spec
from types import ModuleType
from typing import NamedTuple

from docstrings import markdown

import segscore

BY_MODULE = ("scores", "analysis", "soft")  # packages with one page per module


class Entry(NamedTuple):
    """A public name: its path as users write it, and its value."""

    path: str
    value: object

    @property
    def meaning(self) -> str:
        """The first line of the docstring."""
        if inspect.isfunction(self.value) or inspect.isclass(self.value):
            return inspect.cleandoc(self.value.__doc__ or "").split("\n")[0]
        return below_assignment(*self.path.rsplit(".", 1))


class Page(NamedTuple):
    """A module with public names."""

    module: ModuleType
    entries: list[Entry]

    @property
    def label(self) -> str:
        """The name of the module."""
        return self.module.__name__.rpartition(".")[2]

    @property
    def file(self) -> str:
        """The path of the page."""
        return f"reference/{self.label}.md"


def below_assignment(module: str, name: str) -> str:
    """Return the text below the assignment of a value that is neither a function nor a class."""
    value = getattr(importlib.import_module(module), name)
    body = ast.parse(inspect.getsource(importlib.import_module(f"segscore.{home(value)}"))).body
    for assignment, text in itertools.pairwise(body):
        targets = getattr(assignment, "targets", [getattr(assignment, "target", None)])
        if any(getattr(target, "id", None) == name for target in targets):
            return text.value.value.split("\n")[0]
    raise ValueError(f"{module}.{name} is not assigned where it is expected")


def modules() -> Iterator[ModuleType]:
    """Yield the public modules: those of `segscore.__all__`, their public modules, and those named after extras."""
    waiting = [getattr(segscore, name) for name in segscore.__all__]
    extras = sorted(set(metadata("segscore").get_all("Provides-Extra")) - {"cli"})  # the command line has its own page
    waiting += [importlib.import_module(f"segscore.{extra}") for extra in extras if find_spec(f"segscore.{extra}")]
    seen = set()
    while waiting:
        value = waiting.pop(0)
        if inspect.ismodule(value) and value not in seen and hasattr(value, "__all__"):
            seen.add(value)
            yield value
            waiting += [getattr(value, name) for name in value.__all__]


def home(value: object) -> str:
    """Return the part of segscore, a module or a package, that defines a value."""
    if module := getattr(value, "__module__", None):
        _, package, *rest = module.split(".")
        return ".".join([package, *rest]) if package in BY_MODULE else package
    for page in ("scores.catalog", "simulate"):
        if any(value is other for other in vars(importlib.import_module(f"segscore.{page}")).values()):
            return page
    raise ValueError(f"{value!r:.40} is in no module that is searched for values")


def pages() -> list[Page]:
    """Return the pages: first the families of scores, then all other modules."""
    found: dict[str, Page] = {}

    def add(module: str, path: str, value: object) -> None:
        page = found.setdefault(module, Page(importlib.import_module(f"segscore.{module}"), []))
        if all(value is not entry.value for other in found.values() for entry in other.entries):
            page.entries.append(Entry(path, value))

    for name in segscore.__all__:
        value = getattr(segscore, name)
        if not inspect.ismodule(value):
            add(home(value), f"segscore.{name}", value)
    for module in modules():
        for name in module.__all__:
            value = getattr(module, name)
            if not inspect.ismodule(value):
                add(module.__name__.removeprefix("segscore."), f"{module.__name__}.{name}", value)
    families = dict.fromkeys(metric.family for metric in segscore.METRICS.values())
    first = ["segmentation", "catalog", "metric_text", "compare", *families]
    order = {name: place for place, name in enumerate(first)}
    return sorted(found.values(), key=lambda page: (order.get(page.label, len(order)), page.label))


def titled(module: ModuleType) -> tuple[str, str]:
    """Return the heading of a page, and the rest of the docstring of its module."""
    first, _, rest = inspect.cleandoc(module.__doc__ or "").partition("\n")
    heading, colon, lead = first.rstrip(".").partition(": ")
    if not colon:
        return heading.replace("`", ""), rest
    return heading.replace("`", ""), f"{lead[0].upper()}{lead[1:]}.\n{rest}"


def written(page: Page) -> str:
    """Return the Markdown of a page."""
    heading, rest = titled(page.module)
    parts = [f"# {heading}", markdown(rest, page.module.__name__)]
    parts += [f"::: {entry.path}" for entry in sorted(page.entries, key=lambda e: e.path.rsplit(".", 1)[1].lower())]
    return "\n\n".join(parts) + "\n"


def overview() -> str:
    """Return the Markdown of the page that lists every name with its first line."""
    parts = [
        "# Every name",
        "Every public name of segscore, with the first line of its docstring. After `import segscore as ss`, a name "
        "without a dot is `ss.name`. A name with a dot is in a module: `from segscore import study`, then `study.run`.",
    ]
    for page in pages():
        heading, _ = titled(page.module)
        rows = ["| name | meaning |", "|---|---|"]
        for path, value in page.entries:
            meaning = Entry(path, value).meaning.replace("|", "\\|")
            rows.append(f"| [`{path.removeprefix('segscore.')}`][{path}] | {markdown(meaning, page.module.__name__)} |")
        parts += [
            f"## {heading}",
            "\n".join(rows),
            f"[More about {page.label}]({page.file.removeprefix('reference/')})",
        ]
    return "\n\n".join(parts) + "\n"
