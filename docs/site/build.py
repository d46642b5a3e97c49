"""Build the site: `make docs`. The pages are staged in build/pages, and build/site/index.html is the front.

Everything that a page shows is made here, from the package: examples are run and compared with the text, charts are
drawn, the notebook, the reference and the demo report are written. Then Zensical builds the site; any warning, any
broken link and anything that would be loaded from another server is an error.
"""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import doctests
import notebooks
import pages
import pictures
import polars
import reference
from links import Site

import segscore

HERE = Path(__file__).parent
DOCS, ROOT = HERE.parent, HERE.parent.parent
BUILD = ROOT / "build"
STAGED, SITE = BUILD / "pages", BUILD / "site"
NOTEBOOK = "tutorial.md"  # the page that is also a notebook


def stage() -> None:
    """Write all pages and everything they show."""
    shutil.rmtree(STAGED, ignore_errors=True)
    for folder in ("reference", "charts"):
        (STAGED / folder).mkdir(parents=True)
    shutil.copytree(HERE / "assets", STAGED / "assets")
    shutil.copytree(DOCS / "images", STAGED / "images")
    for path in sorted(DOCS.glob("*.md")):
        stage_page(path.name, path.read_text())
    for source, name in pages.ROOT.items():
        (STAGED / name).write_text(pages.shown((ROOT / source).read_text(), {}))
    for page in reference.pages():
        (STAGED / page.file).write_text(reference.written(page))
    (STAGED / "reference" / "index.md").write_text(reference.overview())
    stage_core()
    (BUILD / "zensical.toml").write_text(configuration())


def stage_page(name: str, text: str) -> None:
    """Run the examples of a page, and write the page, its charts and its notebook."""
    charts, _ = doctests.run(name, text)
    shown = {}
    for chart, says in doctests.CHART.findall(text):
        lines = []
        for ground, ink in pictures.INKS.items():
            file = f"charts/{Path(name).stem}-{chart}-{ground}.svg"
            (STAGED / file).write_text(pictures.svg(charts[chart], ink))
            lines.append(f"![{says}]({file}#only-{ground}){{ .chart }}")
        shown[chart] = "\n".join(lines)
    if name == NOTEBOOK:
        file = Path(name).with_suffix(".ipynb")
        (STAGED / file).write_text(notebooks.notebook(text, charts))
        heading, rest = text.split("\n", 1)
        text = f"{heading}\n\n[This page as a Jupyter notebook]({file}){{ .md-button download }}\n{rest}"
    (STAGED / name).write_text(pages.shown(text, shown))


def stage_core() -> None:
    """Write the core for browsers and the facts about its metrics as scripts, which browsers load from disk."""
    assets, page = STAGED / "assets", ROOT / "src" / "segscore" / "reports" / "page"
    shutil.copy(next(page.rglob("core.js")), assets)
    module = base64.b64encode((page / "core.wasm").read_bytes()).decode()
    homes = {entry.path: Path(page.file).with_suffix(".html") for page in reference.pages() for entry in page.entries}
    facts = {
        name: {
            **{"meaning": m.meaning, "best": m.best, "low": m.low, "high": m.high, "margin": m.needs_margin},
            "page": f"{homes[f'segscore.{name}']}#segscore.{name}",
        }
        for name, m in segscore.METRICS.items()
    }
    text = json.dumps(facts)
    (assets / "core-data.js").write_text(f'const coreBytes = "{module}";\nconst coreMetrics = {text};\n')


def configuration() -> str:
    """Return the configuration of the site, with the pages of the reference in its navigation."""
    entries = [f"{{ {json.dumps(page.label)} = {json.dumps(page.file)} }}," for page in reference.pages()]
    text = (HERE / "zensical.toml").read_text()
    return text.replace('"reference/*",', "\n    ".join(entries))


def report() -> None:
    """Write the report of `segscore demo`, without the boards and tests that the command also prints."""
    table = polars.read_parquet(Path(segscore.__file__).with_name("study.parquet"))
    title = "Detectors of ruptures on the standard signals"
    segscore.report(table, STAGED / "demo-report.html", margin=5, title=title, command="segscore demo")


def generate() -> None:
    """Build the site, and refuse any warning."""
    shutil.rmtree(SITE, ignore_errors=True)
    command = [
        sys.executable,
        "-m",
        "zensical",
        "build",
        "--strict",
        "--clean",
        "--config-file",
        str(BUILD / "zensical.toml"),
    ]
    done = subprocess.run(
        command, cwd=BUILD, text=True, capture_output=True, env=os.environ | {"PYTHONPATH": str(HERE)}
    )
    said = re.sub(r"\x1b\[[\d;]*m", "", done.stdout + done.stderr)
    if done.returncode or re.search(r"warn|error|issue", said.replace("No issues found", ""), flags=re.IGNORECASE):
        sys.exit(f"{said}\ndocs: the site has warnings")


def check() -> None:
    """Refuse broken links, and everything that would be loaded from another server."""
    site = Site(SITE)
    faults = [f"broken link: {link}" for link in site.broken()]
    faults += [f"loaded from elsewhere: {link}" for link in site.foreign()]
    clicks = site.clicks()
    faults += [f"more than two clicks from the front: {page}" for page in site.pages if clicks.get(page, 3) > 2]
    if faults:
        sys.exit("\n".join(faults))
    print(f"docs: {len(site.pages)} pages, no warning, no broken link: {SITE / 'index.html'}")


if __name__ == "__main__":
    steps = {step.__name__: step for step in (stage, report, generate, check)}
    for step in [steps[name] for name in sys.argv[1:]] or steps.values():
        start = time.perf_counter()
        step()
        print(f"docs: {step.__name__}: {time.perf_counter() - start:.1f} s", flush=True)
