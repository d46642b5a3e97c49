"""Packages: they import in one direction, use public names of each other, and no function hides a module."""

import ast
import graphlib
import importlib
import inspect
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import segscore as ss

SOURCE = Path(ss.__file__).parent
CORE = "segscore._core"  # the compiled core; its name starts with an underscore, but not its functions


def modules():
    """Return the name of every module of the package, with its path and whether it is a package."""
    names = {"segscore": SOURCE / "__init__.py"}
    for found in pkgutil.walk_packages(ss.__path__, "segscore."):
        if found.name != CORE:
            inside = SOURCE.joinpath(*found.name.split(".")[1:])
            names[found.name] = inside / "__init__.py" if found.ispkg else inside.with_suffix(".py")
    return names


def package_of(name, path):
    return name if path.name == "__init__.py" else name.rpartition(".")[0]


def imported(node, package):
    """Return the module that an import statement of a package reads from."""
    if not node.level:
        return node.module
    start = package.split(".")[: len(package.split(".")) - node.level + 1]
    return ".".join([*start, *([node.module] if node.module else [])])


def test_no_underscore_name_crosses_a_package():
    known, crossing = modules(), []
    for name, path in known.items():
        package, tree, aliases = package_of(name, path), ast.parse(path.read_text()), {}
        for node in ast.walk(tree):
            if not isinstance(node, ast.ImportFrom) or not (source := imported(node, package)).startswith("segscore"):
                continue
            for alias in node.names:
                whole = f"{source}.{alias.name}"
                if whole in known:
                    aliases[alias.asname or alias.name] = whole
                private = any(part.startswith("_") for part in whole.split("."))
                owner = package_of(source, known[source]) if source in known else source
                if private and not whole.startswith(CORE) and owner != package:
                    crossing.append(f"{name}: {whole}")
        for node in ast.walk(tree):
            is_private = isinstance(node, ast.Attribute) and node.attr.startswith("_") and node.attr[:2] != "__"
            if is_private and isinstance(node.value, ast.Name) and node.value.id in aliases:
                crossing.append(f"{name}: {aliases[node.value.id]}.{node.attr}")
    assert crossing == []


def test_names_that_cross_a_package_are_in_all_of_their_module():
    known, missing = modules(), set()
    for name, path in known.items():
        package = package_of(name, path)
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.ImportFrom) or (source := imported(node, package)) not in known:
                continue
            if package_of(source, known[source]) != package:
                offered = {*getattr(importlib.import_module(source), "__all__", ()), "*"}
                missing |= (
                    {f"{source}.{a.name}" for a in node.names} - {f"{source}.{n}" for n in offered} - {CORE, *known}
                )
    assert missing == set()


# Each package imports only packages before it; single modules stand where their importers need them.
ORDER = ["optional", "showing", "arguments", "outputs", "segmentation", "scores", "simulate", "soft", "files", "tables"]
ORDER += ["analysis", "study", "boards", "publications", "charts", "reports", "compat", "cli"]
BEFORE_COMPAT = {"arguments", "optional", "outputs", "showing", "segmentation", "scores", "compat"}
ADAPTERS = {"spark", "dask", "torch", "jax", "__main__"}  # they may import anything, and nothing imports them


def imports():
    """Return the modules that each module imports, late imports and those for type checkers included."""
    known, graph = modules(), {}
    for name, path in known.items():
        package, tree = package_of(name, path), ast.parse(path.read_text())
        graph[name] = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and (source := imported(node, package)).split(".")[0] == "segscore":
                whole = {f"{source}.{alias.name}" for alias in node.names}
                graph[name] |= (whole & set(known)) or ({source} - {CORE} if whole != {CORE} else set())
    return graph


def test_packages_import_only_packages_before_them():
    against = set()
    for name, others in imports().items():
        package = name.split(".")[1] if "." in name else None
        for other in others:
            above = other.split(".")[1] if "." in other else None
            if package is None or package in ADAPTERS or package == above:
                continue
            is_before = above in ORDER and ORDER.index(above) < ORDER.index(package)
            if not is_before or (package == "compat" and above not in BEFORE_COMPAT):
                against.add(f"{name} imports {other}")
    assert against == set()


def test_no_modules_import_each_other_in_a_circle():
    graphlib.TopologicalSorter(imports()).prepare()


def test_packages_have_few_modules():
    folders = [SOURCE, *(file.parent for file in SOURCE.rglob("__init__.py") if file.parent != SOURCE)]
    sizes = {folder.name: len(list(folder.glob("*.py"))) for folder in folders}
    assert sizes.pop("segscore") <= 12
    assert max(sizes.values()) <= 20


def test_tests_mirror_the_packages():
    apart = {"core", "cluster", "learning", "peers", "site"}  # the core, and tests that run by targets of their own
    folders = {path.parent.name for path in Path(__file__).parent.glob("*/test_*.py")}
    assert folders - apart <= set(ORDER)
    assert {name for name in ORDER if (SOURCE / name / "__init__.py").exists()} <= folders


def test_no_function_hides_a_module():
    for name in modules():
        parent, _, own = name.rpartition(".")
        if parent and name not in ("segscore.spark", "segscore.dask"):
            module = importlib.import_module(name)
            assert getattr(importlib.import_module(parent), own) is module
            assert inspect.ismodule(module)


CLASSES = {
    *("Agreement", "Annotated", "BoundaryEdits", "Column", "Consensus", "Differences", "Disagreements", "Entropies"),
    *("Explanation", "Leaderboard", "Match", "Metric", "Nearest", "PairCounts", "RandTest"),
    *(
        "LabelError",
        "LabelErrors",
        "LabelRoc",
        "MarginCurve",
        "Online",
        "OnlineCounts",
        "PrecisionRecallCurve",
        "Publication",
    ),
    *("RunningOnline", "WindowedRand"),
    *("SoftCalibration", "SoftPairCounts", "SoftSegmentation"),
    *("RunningRand", "Scores", "Segmentation", "Segmentations", "bernoulli", "poisson"),
}


def test_the_top_level_has_functions_and_the_classes_that_users_make_or_name():
    assert len(ss.__all__) == len(set(ss.__all__))
    assert set(ss.__all__) == {name for name in dir(ss) if not name.startswith("__")}
    kinds = {name: getattr(ss, name) for name in ss.__all__}
    assert {name for name, value in kinds.items() if inspect.isclass(value)} == CLASSES
    assert {name for name, value in kinds.items() if inspect.ismodule(value)} == {
        "charts",
        "compat",
        "simulate",
        "study",
    }
    others = {name for name, value in kinds.items() if not (inspect.isclass(value) or inspect.ismodule(value))}
    assert others - {"METRICS"} == {name for name in others if inspect.isfunction(kinds[name])}


@pytest.mark.parametrize("name", sorted(name for name in ss.__all__ if inspect.ismodule(getattr(ss, name))))
def test_modules_of_the_top_level_can_be_imported_by_their_name(name):
    code = f"import segscore.{name}; from segscore.{name} import *; print(segscore.{name}.__name__)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (found.stderr, found.stdout) == ("", f"segscore.{name}\n")


def test_what_is_imported_later_is_listed_from_the_start():
    code = "import segscore, sys; print(sorted({'charts', 'compat', 'report', 'study'} & set(dir(segscore))), 'numpy' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert found.stdout == "['charts', 'compat', 'report', 'study'] False\n"


def test_nothing_is_printed_when_python_ends_and_another_library_keeps_our_objects():
    code = """
import polars as pl, segscore as ss, sys
runs = pl.DataFrame({"truth": [[3]], "pred": [[4]], "n": [10]})
kept = []
def keep():
    kept.extend([kept, ss.score(runs.lazy()), runs.lazy().map_batches(lambda table: ss.score(table))])
    ss.score(runs, metrics=["f1(margin=-3)"])
try:
    keep()
except ValueError as error:
    sys.last_exc = error
    kept.append(error)
"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert (found.stdout, found.stderr) == ("", "")
