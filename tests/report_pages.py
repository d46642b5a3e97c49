"""Tables of results for tests of the report, and what a page holds."""

import base64
import gzip
import json
import re

import numpy as np
import polars as pl

from segscore.scores.metric_text import spelled


def runs(methods=("good", "poor", "none"), series=("a", "b", "c", "d"), annotators=1, seed=0):
    """Return a table of results; "none" never cuts, "fails" has no prediction."""
    rng = np.random.default_rng(seed)
    rows = []
    for name in series:
        n = int(rng.integers(60, 200))
        truth = sorted(rng.choice(np.arange(5, n - 5), 5, replace=False).tolist())
        people = [sorted({int(np.clip(c + rng.integers(-2, 3), 1, n - 1)) for c in truth}) for _ in range(annotators)]
        for method in methods:
            off = {"good": 2, "poor": 15}.get(method, 6)
            pred = sorted({int(np.clip(c + rng.integers(-off, off + 1), 1, n - 1)) for c in truth})
            pred = {"none": [], "fails": None}.get(method, pred)
            rows.append((name, method, n, people, pred))
    kinds = {"series": pl.String, "method": pl.String, "n": pl.Int64}
    lists = {"truth": pl.List(pl.List(pl.Int64)), "pred": pl.List(pl.Int64)}
    table = pl.DataFrame(rows, schema=kinds | lists, orient="row")
    return table if annotators > 1 else table.with_columns(pl.col("truth").list.first())


class ByName(dict):
    """What a page holds by the name of a score, which may be short."""

    def __missing__(self, name):
        if spelled(name, self) not in self:
            raise KeyError(name)
        return self[spelled(name, self)]


def content(path):
    """Return what a page holds: the summary, and the boards, scores, runs and other blocks, by metric where they have one."""
    text = path.read_text()
    found = json.loads(re.search(r'id="data">(.*?)</script>', text, re.S)[1])
    blocks = {}
    for name, packed in re.findall(r'data-block="([\w-]+)">([^<]*)</script>', text):
        if name not in ("core", "vega"):
            blocks[name] = json.loads(gzip.decompress(base64.b64decode(packed)))
    names = [metric["name"] for metric in found["metrics"]]
    found["boards"] = ByName((name, blocks[f"board-{k}"]) for k, name in enumerate(names))
    found["scores"] = ByName((name, blocks[f"scores-{k}"]) for k, name in enumerate(names))
    found["values"] = ByName((name, own["values"]) for name, own in found["scores"].items())
    several = sorted((name for name in blocks if name.startswith("runs-")), key=lambda name: int(name[5:]))
    found["runs"] = [run for name in several for run in blocks[name]] or None
    found["states"] = {name: own["states"] for name, own in found["scores"].items()}
    return found | blocks["failures"] | {name: blocks.get(name) for name in ("curves", "specs")}


def data_of(chart):
    """Return the named data of a chart."""
    found = {}

    def look(node):
        if isinstance(node, dict):
            if isinstance(node.get("data"), dict) and "values" in node["data"]:
                found[node["data"]["name"]] = json.loads(node["data"]["values"])
            for child in node.values():
                look(child)
        elif isinstance(node, list):
            for child in node:
                look(child)

    look(chart.to_dict())
    return found
