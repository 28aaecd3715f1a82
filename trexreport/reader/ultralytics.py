"""Read what Ultralytics writes before the plan in its `.engine` files, and where the plan begins.

A signed 32-bit little-endian length, that many bytes of JSON, then the plan, which trtexec loads only without
what precedes it. Source: Exporter.export_engine in Ultralytics' exporter.py (8.3); TensorRT files of
other programs have the same form.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from trexreport.lazy_dataclass import dataclass
from trexreport.reader.values import mapping, number, text

_LENGTH_BYTES = 4
#: Names of classes are most of it: 1,000 of them take 30 kB.
MOST_BYTES = 2**20
_MOST_CHARACTERS = 200
_TEXTS = ("description", "task", "version", "date")
_OPTIONS = ("batch", "half", "int8", "dynamic", "nms", "fraction")
_MOST_EXTENTS = 4


@dataclass(frozen=True)
class EngineMetadata:
    """What precedes a plan.

    Attributes:
        plan_at: Offset of the plan in the file, in bytes.
        facts: Key to text of what identifies the model, such as "description", "task" and "version".
    """

    plan_at: int
    facts: Mapping[str, str]

    def __str__(self) -> str:
        return ", ".join(f"{key} {value}" for key, value in self.facts.items())


def engine_metadata(head: bytes) -> EngineMetadata | None:
    """Return the metadata before a plan; None if the file begins otherwise.

    Args:
        head: The first bytes of the file, `_LENGTH_BYTES` + `MOST_BYTES` at most.
    """
    length = int.from_bytes(head[:_LENGTH_BYTES], "little", signed=True)
    end = _LENGTH_BYTES + length
    if not 2 <= length <= MOST_BYTES or head[_LENGTH_BYTES : _LENGTH_BYTES + 1] != b"{" or len(head) < end:
        return None
    try:
        document = json.loads(head[_LENGTH_BYTES:end])
    except (ValueError, RecursionError):
        return None
    return EngineMetadata(end, dict(_facts(document))) if isinstance(document, dict) else None


def _facts(document: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for key in _TEXTS:
        if stated := " ".join(text(document.get(key)).split()):
            yield key, stated[:_MOST_CHARACTERS]
    extents = document.get("imgsz")
    listed = extents if isinstance(extents, list) else [extents]
    if 0 < len(listed) <= _MOST_EXTENTS and all(number(each) is not None for each in listed):
        yield "imgsz", "x".join(f"{number(each):g}" for each in listed)
    options = {"batch": document.get("batch"), **mapping(document.get("args"))}
    for key in _OPTIONS:
        value = options.get(key)
        if isinstance(value, bool):
            yield key, str(value)
        elif value is not None and number(value) is not None:
            yield key, f"{number(value):g}"
