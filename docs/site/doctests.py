"""The examples of a page: run when the site is built, and compared with the text.

An example is what doctest takes for one. A line `<!-- chart: name: text -->` shows the chart that the variable `name`
holds at this place: the page says how the chart is made, and the picture is the result of these very lines. The text is
for readers who do not see the picture.
"""

from __future__ import annotations

import doctest
import os
import re
import tempfile
from contextlib import contextmanager
from pathlib import Path

CHART = re.compile(r"^<!-- chart: (\w+): (.+) -->$", flags=re.MULTILINE)


class Failure(Exception):
    """An example whose result differs from the text of the page."""


def run(name: str, text: str) -> tuple[dict[str, object], dict[str, object]]:
    """Run the examples of a page in an empty folder; return its charts by variable, and all variables at the end."""
    variables: dict[str, object] = {"__name__": "__main__"}
    charts: dict[str, object] = {}
    runner = doctest.DocTestRunner(verbose=False)
    said: list[str] = []
    examples = doctest.DocTestParser().get_examples(text, name)
    for mark in re.finditer(r"^<!-- *chart.*", text, flags=re.MULTILINE):
        if not CHART.fullmatch(mark[0]):
            line = text.count("\n", 0, mark.start()) + 1
            raise Failure(f"{name}, line {line}: {mark[0]}; expected <!-- chart: name: what the picture shows -->")
    places = [(text.count("\n", 0, mark.start()), mark[1]) for mark in CHART.finditer(text)]
    with folder_of_its_own():
        for line, chart in [*places, (text.count("\n") + 1, None)]:
            before = [example for example in examples if example.lineno < line]
            examples = examples[len(before) :]
            test = doctest.DocTest(before, variables, name, name, 0, text)
            if runner.run(test, out=said.append, clear_globs=False).failed:
                raise Failure("".join(said))
            variables = test.globs
            if chart is not None:
                if chart in charts:
                    raise Failure(f"{name}, line {line + 1}: the chart {chart} is shown twice")
                charts[chart] = variables[chart]
    return charts, variables


@contextmanager
def folder_of_its_own():
    """Change to an empty folder: some pages write files, as a reader would."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)
