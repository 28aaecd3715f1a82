"""JSON that a capture keeps in place of files of Nsight tools."""

from __future__ import annotations

from typing import Any

from trexreport.errors import InputError
from trexreport.model import InputWarning
from trexreport.reader.json_text import parse_json


def read_kept(
    content: str, name: str, schema: str, version: int
) -> tuple[dict[str, Any], list[InputWarning]]:
    """Return a document that states its version under the name of its schema, and what is noted of its text.

    Raises:
        InputError: It is something else, or of another version.
    """
    document: dict[str, Any]
    document, notes = parse_json(content, name, lambda value: isinstance(value, dict) and schema in value)
    if document[schema] != version:
        raise InputError(
            f"{name} has version {document[schema]} of its format; this release reads {version}.",
            "Use the release of trexreport that wrote it, or a later one.",
        )
    return document, notes
