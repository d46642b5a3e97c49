"""The built site: what leads where, and what it would load from elsewhere."""

from __future__ import annotations

import re
from functools import cached_property
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href", "object": "data"}
PASSIVE = {"canonical", "prev", "next", "alternate"}  # relations that a browser does not load


class Document(HTMLParser):
    """An HTML file: its anchors, its links, and what it loads."""

    def __init__(self, path: Path) -> None:
        """Read the file."""
        super().__init__()
        self.path = path
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.feed(path.read_text())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what an element refers to."""
        given = {name: value or "" for name, value in attrs}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        if tag in LOADED and LOADED[tag] in given and not set(given.get("rel", "").split()) & PASSIVE:
            self.loaded.append(given[LOADED[tag]])
        self.loaded += re.findall(r"url\(['\"]?([^'\")]+)", given.get("style", ""))


class Site:
    """All pages of a built site."""

    def __init__(self, root: Path) -> None:
        """Find the pages of the site in a folder."""
        self.root = root.resolve()

    @cached_property
    def pages(self) -> dict[Path, Document]:
        """Every page by its path, except the page for a server's errors and the report, which is a page of its own."""
        files = [path for path in self.root.rglob("*.html") if path.name not in ("404.html", "demo-report.html")]
        return {path: Document(path) for path in sorted(files)}

    def target(self, page: Path, link: str) -> tuple[Path, str] | None:
        """Return the file and the anchor that a link leads to, or None if the link leaves the site."""
        parts = urlsplit(link)
        if parts.scheme or parts.netloc:
            return None
        return (page.parent / unquote(parts.path)).resolve() if parts.path else page, unquote(parts.fragment)

    def broken(self) -> list[str]:
        """Return every link to a file or an anchor that is not there."""
        found = []
        for page, document in self.pages.items():
            for link in [*document.links, *document.loaded]:
                target = self.target(page, link)
                if target is None:
                    continue
                path, anchor = target
                other = self.pages.get(path)
                if not path.is_file() or (anchor and other and anchor not in other.anchors | {"__skip", "top"}):
                    found.append(f"{page.relative_to(self.root)}: {link}")
        return found

    def foreign(self) -> list[str]:
        """Return everything that a page or a style sheet would load from another server."""
        found = [
            f"{page.relative_to(self.root)}: {link}"
            for page, document in self.pages.items()
            for link in document.loaded
            if not link.startswith("data:") and self.target(page, link) is None
        ]
        for sheet in self.root.rglob("*.css"):
            found += [
                f"{sheet.name}: {url}" for url in re.findall(r"url\(['\"]?((?:https?:)?//[^'\")]+)", sheet.read_text())
            ]
        return found

    def clicks(self, front: str = "index.html") -> dict[Path, int]:
        """Return the number of clicks from the front to every page that can be reached."""
        found, waiting = {self.root / front: 0}, [self.root / front]
        for page in waiting:
            for link in self.pages[page].links:
                target = self.target(page, link)
                if target and target[0] in self.pages and target[0] not in found:
                    found[target[0]] = found[page] + 1
                    waiting.append(target[0])
        return found
