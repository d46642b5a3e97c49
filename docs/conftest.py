"""The tutorial writes files, as a reader would: its test runs in a folder of its own."""

import pytest


@pytest.fixture(autouse=True)
def folder_of_its_own(request, tmp_path, monkeypatch):
    """Change to an empty folder for pages that write files."""
    if request.node.name == "tutorial.md":
        pytest.importorskip("ruptures", reason="ruptures is not installed")
        monkeypatch.chdir(tmp_path)
