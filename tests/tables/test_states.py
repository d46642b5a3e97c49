"""States of rows and cells: one vocabulary and one numbering, defined in the core."""

import re
from pathlib import Path

import pytest

import segscore as ss
from segscore import _core
from segscore.boards import cells
from segscore.tables import states

PAGE = Path(ss.__file__).parent / "reports" / "page"
NAMES = ("scored", "undefined", "failed", "not run", "unreadable", "invalid", "without truth")


def constant(name):
    return name.upper().replace(" ", "_")


def test_every_user_has_the_numbers_of_the_core():
    assert _core.STATES == states.STATES == NAMES
    assert [getattr(states, constant(name)) for name in NAMES] == [*range(len(NAMES))]
    assert [getattr(cells, constant(name)) for name in cells.STATES] == [*range(len(cells.STATES))]
    assert NAMES[:5] == cells.STATES  # the page receives these names, and writes each state as one digit


def test_the_page_finds_its_states_by_the_names_in_its_data():
    script = "".join(path.read_text() for path in sorted(PAGE.rglob("*.js")))
    constants, names = re.search(r"const \[([A-Z_, ]+)\]\s*=\s*\[([^\]]+)\]\.map", script).groups()
    used = [name.strip('" ') for name in names.split(",")]
    assert constants.split(", ") == [constant(name) for name in used]
    assert {*used} == {*cells.STATES}
    assert not re.search(r"\bstates\[\w+\]\[\w+\] *[<>=!]=* *\d|count\(\d", script)  # no number is written out


def test_rows_have_these_states():
    pa = pytest.importorskip("pyarrow")
    table = pa.table({"truth": [[3], [3], [3], None, [30]], "pred": [[4], None, [40], [4], [4]]})
    plan = _core.Plan([(0, ())], None, None)
    _, found, errors, _ = _core.score_table(
        table.__arrow_c_stream__(), "truth", "pred", None, None, plan, 10, False, 1, False, False
    )
    assert [NAMES[state] for state in found] == ["scored", "failed", "invalid", "without truth", "unreadable"]
    assert sorted(errors) == [2, 4]
