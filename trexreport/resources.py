"""Find the templates, static files and samples, installed or in a checkout."""

from __future__ import annotations

from functools import cache
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


@cache
def resource_folder(kind: str) -> Path:
    """Return the folder of `kind`: "templates", "static" or "samples".

    A wheel carries them below `trexreport/_assets`; a checkout has them at its top.
    """
    shipped = _PACKAGE / "_assets" / kind
    return shipped if shipped.is_dir() else _PACKAGE.parent / kind


@cache
def resource_text(kind: str, name: str) -> str:
    """Return the text of one shipped file, with Unix line ends."""
    return (resource_folder(kind) / name).read_text(encoding="utf-8").replace("\r\n", "\n")
