"""The texts of the page that do not depend on the data: reading guide and licences."""

from __future__ import annotations

import html
import re
from importlib import resources

__all__ = ["details", "text"]


def text(name: str) -> str:
    """Return a text of the page as Markdown; the documentation holds the same text."""
    return (resources.files(__package__) / "page" / f"{name}.md").read_text(encoding="utf-8")


def details(name: str) -> str:
    """Return a text of the page as HTML that is collapsed under its heading.

    The texts use a small part of Markdown: headings, paragraphs, lists and bold words.
    """
    heading, *blocks = text(name).strip().split("\n\n")
    title = html.escape(heading.removeprefix("## "))
    return f"<details><summary>{title}</summary>\n" + "\n".join(map(_html_of, blocks)) + "\n</details>"


def _html_of(block: str) -> str:
    if block.startswith("### "):
        return f"<h3>{_html_in_line(block.removeprefix('### '))}</h3>"
    if block.startswith("- "):
        items = re.split(r"\n- ", block.removeprefix("- "))
        return "<ul>" + "".join(f"<li>{_html_in_line(item)}</li>" for item in items) + "</ul>"
    return f"<p>{_html_in_line(block)}</p>"


def _html_in_line(words: str) -> str:
    joined = html.escape(" ".join(words.split()), quote=False)
    return re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", joined)
