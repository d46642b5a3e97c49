"""A page as a Jupyter notebook, with the outputs that the page shows."""

from __future__ import annotations

import doctest
import json
import re

from doctests import CHART
from pictures import INKS, svg


def cells(text: str) -> list[tuple[str, str, str]]:
    """Return the cells of a page as a notebook: kind, source, and the output that the page shows."""
    found: list[tuple[str, str, str]] = []
    for part in re.split(r"^(```python\n.*?^```\n?|<!-- chart: [^\n]+ -->$)", text, flags=re.DOTALL | re.MULTILINE):
        if chart := CHART.match(part):
            found.append(("chart", chart[1], ""))
        elif part.startswith("```python\n>>> "):
            found += code_cells(part.removeprefix("```python\n").rstrip("`\n"))
        elif part.strip():
            # The other pages are not beside a notebook that somebody saved.
            found.append(("markdown", re.sub(r"\[([^]]+)\]\(\w+\.md[^)]*\)", r"*\1*", part.strip("\n")), ""))
    return found


def code_cells(block: str) -> list[tuple[str, str, str]]:
    """Return the cells of a block of examples; each output ends a cell."""
    found, sources = [], []
    for example in doctest.DocTestParser().get_examples(block):
        sources.append(example.source.split("# doctest:")[0].rstrip())
        if example.want:
            found.append(("code", "\n".join(sources), example.want.replace("<BLANKLINE>", "").rstrip("\n")))
            sources = []
    return found + ([("code", "\n".join(sources), "")] if sources else [])


def notebook(text: str, charts: dict[str, object]) -> str:
    """Return a page as a Jupyter notebook, with the outputs of this run."""
    made, count = [], 0
    for number, (kind, source, output) in enumerate(cells(text)):
        cell = {"id": f"cell-{number}", "cell_type": "markdown", "metadata": {}, "source": source}
        if kind != "markdown":
            count += 1
            shown = {"text/plain": output}
            if kind == "chart":
                shown = {"image/svg+xml": svg(charts[source], INKS["light"]), "text/plain": "segscore chart"}
            result = {"output_type": "execute_result", "execution_count": count, "metadata": {}, "data": shown}
            outputs = [result] if output or kind == "chart" else []
            cell |= {"cell_type": "code", "execution_count": count, "outputs": outputs}
        made.append(cell)
    about = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": about, "cells": made}, indent=1) + "\n"
