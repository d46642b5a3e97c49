"""Some pages write files, as a reader would: their tests run in a folder of their own."""

import pytest

collect_ignore = ["site"]  # builds the site: needs the group `docs`, and `make docs` runs it


@pytest.fixture(autouse=True)
def folder_of_its_own(request, tmp_path, monkeypatch):
    """Change to an empty folder for pages that write files."""
    if request.node.name in ("tutorial.md", "files.md", "your_series.md"):
        if request.node.name == "tutorial.md":
            pytest.importorskip("ruptures", reason="ruptures is not installed")
        monkeypatch.chdir(tmp_path)
