"""The list of the phases of a set, `trexreport-phases.json`: how it is written."""

from __future__ import annotations

import json
from collections.abc import Iterable

LIST_NAME = "trexreport-phases.json"
SCHEMA = "trexreport-phases"
SCHEMA_VERSION = 1


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
