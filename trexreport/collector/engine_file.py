"""Look at an engine's file for what precedes its plan, which trtexec can't load."""

from __future__ import annotations

import contextlib
import shlex
from pathlib import Path

from trexreport.reader.ultralytics import MOST_BYTES, EngineMetadata, engine_metadata

_LENGTH_BYTES = 4


def metadata_of(path: Path) -> EngineMetadata | None:
    """Return the metadata before the plan; None if there is none, or the file can't be read."""
    with contextlib.suppress(OSError, ValueError):
        if path.is_file():
            with path.open("rb") as file:
                return engine_metadata(file.read(MOST_BYTES + _LENGTH_BYTES))
    return None


def how_to_remove(path: Path, found: EngineMetadata) -> str:
    """Return the command that writes the plan alone."""
    return f"tail -c +{found.plan_at + 1} {shlex.quote(path.name)} > plan.engine"
