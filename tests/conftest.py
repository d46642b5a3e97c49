import os
import shutil
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("segscore", deadline=None, max_examples=int(os.environ.get("SEGSCORE_EXAMPLES", "80")))
settings.load_profile("segscore")

# The check of the stubs needs mypy: `make types` runs it. Clusters need Java and time, detectors of other libraries and
# PyTorch environments of their own, and the site must be built: `make test-cluster`, `make test-peers`,
# `make test-learning` and `make test-docs` ask for them.
asked = {
    "cluster": "SEGSCORE_CLUSTER",
    "peers": "SEGSCORE_PEERS",
    "learning": "SEGSCORE_LEARNING",
    "site": "SEGSCORE_SITE",
}
collect_ignore = ["check_stubs.py", *(folder for folder, name in asked.items() if not os.environ.get(name))]


@pytest.fixture(scope="session")
def published_data():
    """The folder of published numbers. Its tests skip where there is none, but fail if SEGSCORE_DATA asks for it."""
    asked = os.environ.get("SEGSCORE_DATA")
    folder = Path(asked) if asked else Path(__file__).parents[2] / "shared" / "data"
    for file in ("segmentations.parquet", "expected.parquet"):
        if not (folder / file).is_file():
            report = pytest.fail if asked else pytest.skip
            report(f"{folder} has no {file}; expected the published data (docs/reproducing.md describes it)")
    return folder


@pytest.fixture(scope="session")
def browser():
    """Chromium, if there is one or SEGSCORE_BROWSER names one."""
    found = os.environ.get("SEGSCORE_BROWSER", shutil.which("chromium") or "")
    if not found:
        pytest.skip("there is no Chromium on this machine, or it is not asked for")
    from playwright.sync_api import sync_playwright

    switches = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(
            executable_path=found, args=[*switches, "--disable-sync", "--no-first-run"]
        )
        yield launched
        launched.close()
