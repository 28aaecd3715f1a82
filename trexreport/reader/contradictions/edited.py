"""Inputs of a report or an archive that are not those with which it was written."""

from __future__ import annotations

from collections.abc import Iterator

from trexreport.model import Contradiction, Engine, StatedValue
from trexreport.reader.capture import EDITED_ARCHIVE, EDITED_REPORT


def edited_inputs(engine: Engine) -> Iterator[Contradiction]:
    """Yield what was noted where the capture was read from a report or an archive: it contradicts itself."""
    for note in engine.notes:
        if note.slug in (EDITED_REPORT, EDITED_ARCHIVE):
            values = (
                StatedValue(note.source, "hashes of its inputs"),
                StatedValue(note.source, "inputs with other hashes"),
            )
            yield Contradiction("edited-inputs", values, "", note.message)
