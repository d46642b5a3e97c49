"""The documentation says what the code does: tables are compared, and nothing public is left out."""

import importlib.util
import inspect
import re
from pathlib import Path

import pytest

import segscore as ss
from segscore import dask, jax, spark, torch
from segscore.compat import aeon, mir_eval, nltk, ruptures, segeval, sklearn, tcpdbench

DOCS = Path(__file__).parents[1] / "docs"


def generator():
    spec = importlib.util.spec_from_file_location("generate", DOCS / "generate.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_generated_parts_of_the_documentation_are_those_of_the_code():
    pages = [path.read_text() for path in generator().PAGES]
    assert [generator().rewritten(page) for page in pages] == pages, "run python docs/generate.py"
    assert [page.count("<!-- end of ") for page in pages] == [2, 1, 1, 1]


NOT_A_SCORE = {"boundary_edits", "compare", "entropies", "match", "pair_counts", "pk_curve", "window_diff_curve"}
NOT_A_SCORE |= {"agreement", "annotated", "cohen_kappa", "consensus", "cross", "disagreements", "explain", "fleiss_pi"}
NOT_A_SCORE |= {
    "f1_curve",
    "label_error",
    "label_errors",
    "label_roc",
    "label_rocs",
    "online",
    "precision_recall_curve",
}
NOT_A_SCORE |= {"soft_pair_counts", "soft_rand_distance", "soft_rand_index", "soft_rand_loss"}
NOT_A_SCORE |= {"soft_brier", "soft_calibration", "soft_decode", "soft_threshold"}
NOT_A_SCORE |= {"metric", "publication", "read", "score", "score_long", "write"}
NOT_A_SCORE |= {
    "expected_rand_distance",
    "expected_rand_index",
    "leaderboard",
    "nearest",
    "pairwise",
    "exact_rand_index_variance",
    "rand_index_variance",
    "rand_test",
    "report",
}


def test_every_public_score_is_in_the_catalog_and_in_the_docs():
    functions = {name for name in ss.__all__ if inspect.isfunction(getattr(ss, name))}
    assert functions - NOT_A_SCORE == set(ss.METRICS)
    page = "".join(file.read_text() for file in sorted(DOCS.glob("*.md")))
    choosing = (DOCS / "choosing.md").read_text()
    for name in functions:
        assert f"`{name}`" in page or f"`{name}(" in page or f"`segscore.{name}" in page, name
    for family in {metric.family for metric in ss.METRICS.values()}:
        assert family in choosing


def public():
    """Yield the name and the docstring of every public function and class, and of their public methods."""
    modules = {
        ss: ss.__all__,
        ss.charts: ss.charts.__all__,
        ss.simulate: ss.simulate.__all__,
        ss.study: ss.study.__all__,
        spark: spark.__all__,
        dask: dask.__all__,
        jax: jax.__all__,
        torch: torch.__all__,
    }
    for module in (aeon, mir_eval.segment, nltk, ruptures, segeval, sklearn, tcpdbench):
        modules[module] = [
            name for name, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__
        ]
    for module, names in modules.items():
        for name in names:
            value = getattr(module, name)
            if name.startswith("_") or not (inspect.isfunction(value) or inspect.isclass(value)):
                continue
            yield f"{module.__name__}.{name}", inspect.getdoc(value)
            for inner, method in vars(value).items() if inspect.isclass(value) else ():
                if not inner.startswith("_") and (callable(method) or isinstance(method, classmethod | property)):
                    yield f"{module.__name__}.{name}.{inner}", inspect.getdoc(getattr(value, inner))


# The first line is all that METRICS, the command line, the report and editors show, so it stands alone.
@pytest.mark.parametrize(("name", "document"), [pytest.param(*case, id=case[0]) for case in public()])
def test_the_first_line_of_a_docstring_stands_alone(name, document):
    first = document.split("\n")[0]
    assert 10 < len(first) <= 90, first
    assert first.endswith("."), first
    assert not re.search(r"\b(it|its own|that one|this|those|one than|one less)\b", first), first
    assert not re.search(r"\ba (row|column|line|score|list|segment|series|task|query)s? an? ", first), first


def test_the_meaning_of_a_metric_is_a_noun_phrase():
    for name, metric in ss.METRICS.items():
        assert metric.meaning == metric.function.__doc__.split("\n")[0], name
        assert not re.match(r"(The|A|An|Return|Returns|Compute|How|What|By) ", metric.meaning), metric.meaning


def test_every_row_of_the_catalog_is_filled():
    for name, metric in ss.METRICS.items():
        assert metric.name == name == metric.function.__name__
        assert metric.function is getattr(ss, name)
        assert len(metric.meaning) > 20 and metric.meaning.endswith(".")
        assert 5 < len(metric.reference) < 200
        assert metric.cost.startswith("O(")
        assert metric.low <= metric.best <= metric.high
        assert ">>>" in metric.function.__doc__


def folders_of_the_map():
    """Yield each folder of the map of the tree in CONTRIBUTING.md, and what the map says of it."""
    block = (DOCS.parent / "CONTRIBUTING.md").read_text().split("## Where things are")[1].split("\n\n")[1]
    top, found = "", {}
    for line in block.split("\n"):
        outer, inner = re.match(r" {4}(\w\S*)/ ", line), re.match(r" {6}(\w+)/ ", line)
        if outer:
            top = here = outer[1]
        elif inner:
            here = f"{top}/{inner[1]}"
        elif re.match(r" {6}\w", line):
            here = top
        found[here] = found.get(here, "") + line + "\n"
    return found


def test_the_map_of_the_tree_names_every_file():
    src, found = DOCS.parent / "src", folders_of_the_map()
    families = {file.stem for file in (src / "core").iterdir()}
    missing = set()
    for folder in (
        src / "core",
        src / "bind",
        *(path for path in src.glob("segscore/*") if (path / "__init__.py").exists()),
    ):
        words = set(re.findall(r"\w+", found[f"src/{folder.relative_to(src)}"]))
        files = [file for kind in ("?pp", "py") for file in folder.rglob(f"*.{kind}")]
        parts = {part for file in files for part in file.relative_to(folder).with_suffix("").parts}
        missing |= {f"{folder.name}/{part}" for part in parts if not part.startswith("__") and part not in words}
    words = set(re.findall(r"[\w.]+", found["src/segscore"]))
    missing |= {f.name for f in src.glob("segscore/[!_]*.py") if f.stem not in families and f.name not in words}
    assert missing == set()
    for folder, text in found.items():
        named = set(re.findall(r"\w+\.[hcp]pp|\w+\.py\b", text))
        assert {name for name in named if not list((DOCS.parent / folder).rglob(name))} == set()
