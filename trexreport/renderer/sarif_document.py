"""What all SARIF 2.1.0 of ours has in common, the form that GitHub's code scanning and many viewers read.

Source: OASIS, Static Analysis Results Interchange Format (SARIF) Version 2.1.0 Plus Errata 01, whose section
numbers stand below.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from trexreport.analyzer.analysis import SourceFacts
from trexreport.visible import visible

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


def sarif_document(run: dict[str, Any]) -> bytes:
    """Return a log with one run, as JSON in ASCII."""
    document = {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "properties": {"generator": "trexreport"},
        "runs": [run],
    }
    return (json.dumps(document, indent=1, allow_nan=False) + "\n").encode("ascii")


def sarif_message(text: str) -> dict[str, str]:
    """Return a plain message: braces would be placeholders (3.11.5), brackets links (3.11.6)."""
    shown = visible(text).replace("{", "{{").replace("}", "}}")
    return {"text": shown.replace("[", "\\[").replace("]", "\\]")}


def subject_of(sources: Sequence[SourceFacts]) -> str:
    """Return the reference of the file that the layers stand in; empty if there is none."""
    graph = next((source for source in sources if source.role == "graph"), sources[0] if sources else None)
    return file_uri(graph.name) if graph else ""


def file_location(uri: str) -> dict[str, Any]:
    """Return the location of a file; without a file an empty one.

    GitHub takes no result without a line; JSON of an engine often has but one.
    """
    if not uri:
        return {}
    return {"physicalLocation": {"artifactLocation": {"uri": uri}, "region": {"startLine": 1}}}


def artifacts_of(sources: Sequence[SourceFacts]) -> list[dict[str, Any]]:
    """Return the files that were read; the same file twice is one."""
    files = {(source.name, source.sha256): source for source in sources}
    return [
        {
            "location": {"uri": file_uri(source.name)},
            "length": source.size_bytes,
            "hashes": {"sha-256": source.sha256},
            "roles": ["analysisTarget"],
        }
        for source in files.values()
    ]


def file_uri(name: str) -> str:
    """Return a file's name as a relative reference; a lone surrogate has no place in one."""
    return quote(name.encode("utf-8", "replace").decode("utf-8"), safe="") or "unnamed"
