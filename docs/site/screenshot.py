"""Write docs/images/report.png anew, after a change of the report: `python docs/site/screenshot.py`. Needs Chromium."""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

PICTURE = Path(__file__).parents[1] / "images" / "report.png"

with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
    report = Path(folder) / "report.html"
    subprocess.run([sys.executable, "-m", "segscore", "demo", "-o", str(report)], check=True, stdout=subprocess.DEVNULL)
    browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
    page = browser.new_page(viewport={"width": 1120, "height": 820})
    page.goto(report.as_uri())
    page.wait_for_selector("html[data-ready=yes]", timeout=60_000)
    page.screenshot(path=PICTURE)
    browser.close()
