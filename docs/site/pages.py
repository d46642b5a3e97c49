"""A page of docs/ as the site shows it: the same text, with highlighted examples, charts, formulas and links.

docs/*.md is what people read in the repository too, so it is plain Markdown: formulas are ```math blocks and $`...`$,
as forges show them, and nothing in them needs the site.
"""

from __future__ import annotations

import re
from pathlib import Path

from doctests import CHART

DOCS = Path(__file__).parents[1]
# Files of the project that are pages of the site under another name.
ROOT = {"CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md", "THIRD_PARTY_NOTICES.md": "notices.md"}
FENCE = re.compile(r"(^```.*?^```$)", flags=re.DOTALL | re.MULTILINE)
INDENTED = r"^(?: {4}.*\n)+"


# What the site shows where a page has a comment with this word: in the repository there is nothing to see.
LIVE = {
    "playground": (
        '<div id="playground"><p>This part of the page needs JavaScript.</p></div>\n'
        '<script src="assets/core.js"></script>\n<script src="assets/core-data.js"></script>\n'
        '<script src="assets/playground.js"></script>'
    ),
    "report": (
        '<iframe class="live" src="demo-report.html" title="The report of segscore demo"></iframe>\n\n'
        "[Open the report in a page of its own](demo-report.html)"
    ),
}


def shown(text: str, charts: dict[str, str]) -> str:
    """Return the Markdown of the site for the Markdown of a page; `charts` holds the text that shows each chart."""
    text = CHART.sub(lambda mark: charts[mark[1]], text)
    text = re.sub(r"^<!-- (\w+) -->$", lambda mark: LIVE.get(mark[1], mark[0]), text, flags=re.MULTILINE)
    parts = FENCE.split(text)
    for k, part in enumerate(parts):
        parts[k] = fenced(part) if k % 2 else prose(part)
    return "".join(parts)


def fenced(block: str) -> str:
    """Return a block of code, or a formula."""
    opening, _, inside = block.removesuffix("```").partition("\n")
    if opening == "```math":
        drawn = "\n".join(formula(part, display=True) for part in formulas(inside))
        return f'<div class="formula">{drawn}</div>'
    if opening == "```python" and inside.startswith(">>>"):
        inside = re.sub(r" *# doctest:.*", "", inside).replace("<BLANKLINE>", "")
        return f"```pycon\n{inside.rstrip()}\n```"
    return block


def prose(text: str) -> str:
    """Return text outside blocks of code: formulas are drawn, links lead to pages, and names to the reference."""
    text = re.sub(r"\$`([^`]+)`\$", lambda found: formula(found[1], display=False), text)
    text = re.sub(r"\]\((?:\.\./)?(?:docs/)?([\w./-]+\.md)", lambda found: f"]({ROOT.get(found[1], found[1])}", text)
    text = re.sub(r"\[(?:docs/)?(\w+)\.md\](?=\()", lambda found: f"[{title(found[1])}]", text)
    for page in {found for found in re.findall(r"`docs/(\w+)\.md`", text) if (DOCS / f"{found}.md").is_file()}:
        text = text.replace(f"`docs/{page}.md`", f"[{title(page)}]({page}.md)")
    return "".join(
        part if k % 2 else named(part) for k, part in enumerate(re.split(rf"({INDENTED}|^#.*\n)", text, flags=re.M))
    )


def title(page: str) -> str:
    """Return the name of a page in a sentence: its heading, up to a colon."""
    path = DOCS / f"{page}.md" if (DOCS / f"{page}.md").is_file() else DOCS.parent / f"{page}.md"
    return f"“{path.read_text().split(chr(10))[0].removeprefix('# ').split(':')[0]}”"


def named(text: str) -> str:
    """Return text in which the first mention of each public name in a section is a link to the reference."""
    from docstrings import paths

    seen: set[str] = set()

    def link(found: re.Match[str]) -> str:
        name = found[1]
        full = name if name.startswith("segscore.") else f"segscore.{name.removeprefix('ss.')}"
        # Short words such as `f1`, `match` or `score` are also attributes, columns and options.
        clear = "_" in name or "." in name or name[:1].isupper()
        if not clear or full in seen or full not in paths():
            return found[0]
        seen.add(full)
        return f"[`{name}`][{paths()[full]}]"

    return re.sub(r"(?<![`\[])`([A-Za-z_][\w.]*)`(?![`\]])", link, text)


def formulas(latex: str) -> list[str]:
    """Return the formulas of a block, which wide spaces separate: on a narrow screen they stand below each other."""
    return [part for part in re.split(r"\\q?quad\b\s*", latex.strip()) if part]


def formula(latex: str, *, display: bool) -> str:
    """Return a formula as MathML, which browsers draw by themselves."""
    from math_core import LatexToMathML

    made = LatexToMathML().convert_with_local_state(latex.strip(), displaystyle=display)
    # Markdown takes a line that starts with a formula for a block of HTML, unless the formula is inside a text element.
    return made if display else f"<span>{made}</span>"
