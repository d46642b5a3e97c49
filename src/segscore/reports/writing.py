"""Writing of the page: one HTML file with its scripts, its data in compressed blocks, and its security policy."""

from __future__ import annotations

import base64
import gzip
import hashlib
import html
import json
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from ..charts.drawing import vega
from ..outputs import aside
from .prose import details

__all__ = ["write_page"]

# The scripts of the page, in this order. They share one scope.
SCRIPTS = (
    *("core.js", "scripts/elements.js", "scripts/store.js", "scripts/address.js", "scripts/standings.js"),
    *("scripts/charts.js", "scripts/overview.js", "scripts/board.js", "scripts/differences.js", "scripts/scores.js"),
    *("scripts/deciding.js", "scripts/curves.js", "scripts/timeline.js", "scripts/editor.js", "scripts/series.js"),
    *("scripts/about.js", "scripts/page.js"),
)


def write_page(summary: dict[str, Any], blocks: dict[str, Any], title: str, out: Path) -> Path:
    """Write the page. The summary is read at once; a block is decompressed when somebody wants to see it."""
    assets = resources.files(__package__) / "page"

    def text(name: str) -> str:
        return (assets / name).read_text(encoding="utf-8")

    script = '(() => {\n"use strict";\n' + "\n".join(map(text, SCRIPTS)) + "\n})();"
    shared = _shared()
    parts = {
        "title": html.escape(title),
        "hashes": f"'sha256-{_hash(script)}' 'sha256-{shared[1]}'",
        "css": text("page.css"),
        "data": _json(summary).replace("<", "\\u003c"),  # so that no name can end the script element
        "blocks": "\n".join([*(_data_block(name, _json(value).encode()) for name, value in blocks.items()), shared[0]]),
        "js": script,
        "reading": details("reading"),
        "third_party": details("third_party"),
    }
    pieces = text("page.html").split("{{")
    whole = pieces[0] + "".join(parts[name] + rest for name, rest in (piece.split("}}", 1) for piece in pieces[1:]))
    with aside(out) as part:
        part.write_text(whole, encoding="utf-8")
    return out


@cache
def _shared() -> tuple[str, str]:
    """Return the blocks that all pages share, the core and the library of charts, and the hash of the latter."""
    charts = vega()
    core = (resources.files(__package__) / "page" / "core.wasm").read_bytes()
    return "\n".join([_data_block("core", core), _data_block("vega", charts.encode())]), _hash(charts)


def _hash(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def _data_block(name: str, content: bytes) -> str:
    text = base64.b64encode(gzip.compress(content, 6, mtime=0)).decode()
    return f'<script type="application/gzip" data-block="{name}">{text}</script>'


_encoded = json.JSONEncoder(allow_nan=False, separators=(",", ":"), ensure_ascii=False).encode


def _json(value: dict[str, Any] | list[Any], depth: int = 2) -> str:
    """Write JSON. Entries of long values are written one by one: a single call cannot be interrupted."""
    nested = dict | list if depth > 1 else ()
    pieces = [
        _json(item, depth - 1) if item and isinstance(item, nested) else _encoded(item)
        for item in (value.values() if isinstance(value, dict) else value)
    ]
    if isinstance(value, dict):
        return "{" + ",".join(map("{}:{}".format, map(_encoded, value), pieces)) + "}"
    return "[" + ",".join(pieces) + "]"
