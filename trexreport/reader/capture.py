"""The files of a capture, before anything is read of them."""

from __future__ import annotations

from pathlib import Path

from trexreport.lazy_dataclass import dataclass
from trexreport.model import InputWarning, Source

#: Input warnings of a report or an archive: what it carries has another hash than it states.
EDITED_REPORT, EDITED_ARCHIVE = "report-edited", "archive-edited"


@dataclass(frozen=True)
class Capture:
    """The files that belong to one engine, and the name they give it.

    Attributes:
        optimization_profile: The one that a report or an archive shows, where the files come from one.
        models: ONNX files beside the others, which may be what the engine was built from.
        model_folder: Where they are instead, if the user named a folder; empty if not.
    """

    name: str
    sources: tuple[Source, ...]
    notes: tuple[InputWarning, ...] = ()
    optimization_profile: int | None = None
    models: tuple[Path, ...] = ()
    model_folder: str = ""
