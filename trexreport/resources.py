"""Find the templates, static files, samples and tables, installed or in a checkout."""

from __future__ import annotations

import json
import sys
from functools import cache
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

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


def packaged_text(path: str) -> str:
    """Return the text of a file of the package, by its path below `trexreport`."""
    return (_PACKAGE / path).read_text(encoding="utf-8")


def packaged_table(path: str) -> Any:
    """Return what a TOML or JSON file of the package has, by its path below `trexreport`.

    What every command needs is JSON, which is read ten times as fast.
    """
    text = packaged_text(path)
    return json.loads(text) if path.endswith(".json") else tomllib.loads(text)
