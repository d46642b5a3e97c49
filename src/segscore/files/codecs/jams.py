"""JAMS: annotations of one recording as JSON, in seconds; each annotator's is a tier.

JAMS is parsed here, because the library `jams` brings pandas, jsonschema and mir_eval. Annotations of the namespaces
segment_* and multi_segment are read; others, such as chords, are read if ``tier=`` names their namespace.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ...segmentation.segmentation import Segmentation
from ...showing import count_text, path_text
from ..besides import Besides
from ..options import ReadOptions
from ..rows import Rows
from ..safe_json import load
from ..text import decimals

__all__ = ["read", "write"]

JAMS_FILE = 'a JAMS file with a list of "annotations"'
VERSION = "0.3.4"  # version of the schema that is written
NAMESPACE = "segment_open"  # the namespace that is written


def read(path: Path, name: str, options: ReadOptions, besides: Besides) -> Iterator[Rows]:
    """Give the segments of each annotation; each level of a multi_segment annotation is a tier."""
    file = path_text(path)
    content = load(path, JAMS_FILE, finite=False)  # fields that are not read may hold Infinity
    if not isinstance(content, dict) or not isinstance(content.get("annotations"), list):
        raise ValueError(f"{file} is not JAMS; expected {JAMS_FILE}")
    besides.tiers = "annotator"
    metadata = content.get("file_metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    if _says({**metadata, "duration": None, "jams_version": None, "sandbox": content.get("sandbox")}):
        besides.notes.append("metadata of the recording")
    whole = metadata.get("duration")
    others: dict[str, None] = {}
    spaces: dict[str, None] = {}  # namespaces that are read
    confidences = details = 0
    any_segments = False
    for number, annotation in enumerate(content["annotations"]):
        where = f"{file}: annotations[{number}]"
        if not isinstance(annotation, dict):
            raise ValueError(f"{where} is {annotation!r:.40}; expected an object")
        namespace = annotation.get("namespace")
        if not isinstance(namespace, str):
            raise ValueError(f"{where}: namespace = {namespace!r:.40}; expected text like 'segment_open'")
        if not (namespace.startswith("segment") or namespace == "multi_segment" or namespace == options.tier):
            others[namespace] = None
            continue
        spaces[namespace] = None
        about = annotation.get("annotation_metadata")
        about = about if isinstance(about, dict) else {}
        annotator = about.get("annotator")
        person = annotator.get("name") if isinstance(annotator, dict) else None
        known = {**annotator, "name": ""} if isinstance(annotator, dict) else annotator
        details += _says({**about, "annotator": known, "sandbox": annotation.get("sandbox")})
        observed = list(_observations(annotation.get("data"), where))
        if not observed:
            besides.counts["annotation", " without segments"] += 1
            continue
        confidences += sum(each["confidence"] is not None for each in observed)
        length = _finite_number(annotation.get("duration"), "duration", where, optional=True)
        if length is None:
            length = _finite_number(whole, "duration", f"{file}: file_metadata", optional=True)
        else:
            length += _finite_number(annotation.get("time"), "time", where, optional=True) or 0
        finest = max(decimals(repr(each[name])) for each in observed for name in ("time", "duration"))
        any_segments = True
        for level, rows in _levels(observed, namespace, where).items():
            labels = [each["value"] for each in rows]
            yield Rows(
                where,
                path.stem,
                person if isinstance(person, str) else "",
                [each["time"] for each in rows],
                [each["time"] + each["duration"] for each in rows],
                None if all(label is None for label in labels) else labels,
                [each["number"] for each in rows],
                "time",
                length,
                namespace if level is None else f"level {level}",
                namespace,
                "observation",
                finest,
            )
    if not any_segments:
        names = ", ".join([*spaces, *others]) or "none"
        raise ValueError(
            f"{file} has no segments; its namespaces are {names:.200}; expected segment_*, multi_segment, or tier= for "
            "another namespace"
        )
    if others:
        besides.notes.append(f"annotations of other namespaces: {', '.join(others)}")
    if confidences:
        besides.notes.append(count_text(confidences, "confidence"))
    if details:
        besides.notes.append(f"metadata of {count_text(details, 'annotation')}")
    if named := [namespace for namespace in spaces if namespace != NAMESPACE]:
        besides.notes.append(f"the namespaces {', '.join(named)}")


def _says(value: Any) -> bool:  # noqa: ANN401
    """Return whether metadata hold anything: a text, a number, or a list or object that holds anything."""
    if isinstance(value, dict | list):
        return any(map(_says, value.values() if isinstance(value, dict) else value))
    return value not in (None, "")


def _observations(data: Any, where: str) -> Iterator[dict[str, Any]]:  # noqa: ANN401
    """Give the observations of an annotation, which are a list of objects or an object of lists."""
    names = ("time", "duration", "value", "confidence")
    if isinstance(data, dict) and all(isinstance(data.get(name), list) for name in names):
        if len({len(data[name]) for name in names}) > 1:
            raise ValueError(f"{where}: data has lists of different lengths; expected one item per observation in each")
        data = [dict(zip(names, row, strict=True)) for row in zip(*(data[name] for name in names), strict=True)]
    if not isinstance(data, list):
        raise ValueError(f"{where}: data = {data!r:.40}; expected a list of observations")
    for number, each in enumerate(data):
        place = f"{where}, observation {number}"
        if not isinstance(each, dict):
            raise ValueError(f"{place} is {each!r:.40}; expected an object")
        value = each.get("value")
        yield {
            "number": number,
            "time": _finite_number(each.get("time"), "time", place),
            "duration": _finite_number(each.get("duration"), "duration", place),
            "value": json.dumps(value, ensure_ascii=False) if isinstance(value, list) else value,
            "confidence": each.get("confidence"),
        }


def _levels(observed: list[dict[str, Any]], namespace: str, where: str) -> dict[Any, list[dict[str, Any]]]:
    """Return the observations by their level; other namespaces than multi_segment have no level."""
    levels: dict[Any, list[dict[str, Any]]] = {}
    for each in observed:
        value, level = each["value"], None
        if isinstance(value, dict):
            if namespace == "multi_segment":
                level = value.get("level")
                if not isinstance(level, int):
                    raise ValueError(
                        f"{where}, observation {each['number']}: value = {value!r:.60}; expected a label and a level"
                    )
                value = value.get("label")
            else:
                value = json.dumps(value, ensure_ascii=False)
        if isinstance(value, dict | list):
            value = json.dumps(value, ensure_ascii=False)
        levels.setdefault(level, []).append({**each, "value": value})
    for rows in levels.values():  # a missing label beside others is a label of its own
        if any(each["value"] is not None for each in rows):
            for each in rows:
                each["value"] = "" if each["value"] is None else each["value"]
    return levels or {None: []}


def _finite_number(value: Any, name: str, where: str, *, optional: bool = False) -> Any:  # noqa: ANN401
    if value is None and optional:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or abs(value) >= 1e300:
        raise ValueError(f"{where}: {name} = {value!r:.40}; expected a number of seconds")
    return float(value)


def write(
    segmentations: Mapping[tuple[str, str], Segmentation], path: Path, name: str, tiers: str, lost: list[str]
) -> None:
    """Write each segmentation as an annotation of the namespace segment_open."""
    about = {"curator": {"name": "", "email": ""}, "version": "", "corpus": "", "annotation_tools": ""}
    about |= {"annotation_rules": "", "validation": "", "data_source": ""}
    metadata = {"title": "", "artist": "", "release": "", "identifiers": {}, "jams_version": VERSION}
    content = {
        "annotations": [
            {
                "annotation_metadata": {**about, "annotator": {"name": tier}},
                "namespace": NAMESPACE,
                "data": [
                    {"time": start, "duration": end - start, "value": label, "confidence": None}
                    for (start, end), label in zip(each.segments, each.labels or [None] * len(each), strict=True)
                ],
                "time": 0,
                "duration": each.duration,
                "sandbox": {},
            }
            for (_, tier), each in segmentations.items()
        ],
        "file_metadata": {**metadata, "duration": max(each.duration for each in segmentations.values())},
        "sandbox": {},
    }
    path.write_text(json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n", encoding="utf-8")
