"""The list of the phases of a set, `trexreport-phases.json`: how it is written."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import PurePosixPath

from trexreport.reader.json_text import json_object
from trexreport.reader.values import records, text

LIST_NAME = "trexreport-phases.json"
SCHEMA = "trexreport-phases"
SCHEMA_VERSION = 1
LARGEST_LIST_BYTES = 2**20


def listed_paths(data: bytes) -> list[str]:
    """Return the paths that a list of phases names, below its folder; none of a damaged list."""
    document = json_object(data) or {}
    if document.get("schema") != SCHEMA:
        return []
    paths = (PurePosixPath(text(entry.get("path"))) for entry in records(document.get("phases")))
    return [str(path) for path in paths if not path.is_absolute() and ".." not in path.parts]


def list_text(phases: Iterable[tuple[str, str, int | None]]) -> bytes:
    """Return a list of phases.

    Args:
        phases: Name, path below the folder of the list, and runs for one request, None if not stated.
    """
    listed = [
        {"name": name, "path": path, **({} if times is None else {"times": times})}
        for name, path, times in phases
    ]
    document = {"schema": SCHEMA, "schema_version": SCHEMA_VERSION, "phases": listed}
    return (json.dumps(document, indent=2) + "\n").encode("ascii")
