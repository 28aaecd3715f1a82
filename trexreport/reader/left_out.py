"""Say which files beside those of a capture are logs and tables of known tools that are not read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from trexreport.model import InputWarning, Source
from trexreport.numbers import list_names
from trexreport.reader.by_content import SNIFFED
from trexreport.reader.files import read_head
from trexreport.reader.foreign_files import foreign_kind
from trexreport.reader.roles import MARKED_BYTES

_ARE = "is "
_OUTPUTS = ("a log of ", "a table of ", "a result of ", "a summary of ")
_MOST_NAMES = 3


def left_out_notes(files: Sequence[Path], sources: Sequence[Source]) -> list[InputWarning]:
    """Return a note on the outputs of other tools in a folder, if there are any.

    Args:
        files: Of the folder.
        sources: What is read of them.
    """
    read = {source.name for source in sources}
    found = []
    for path in files:
        if path.name not in read and path.suffix.lower() in SNIFFED:
            kind = foreign_kind(path.name, read_head(path, MARKED_BYTES))
            what = kind[0].removeprefix(_ARE).split(":")[0].split(",")[0] if kind else ""
            if what.startswith(_OUTPUTS):
                found.append(f"{path.name} ({what})")
    if not found:
        return []
    message = f"Not read, as {'it has' if len(found) == 1 else 'they have'} no layers of an engine: "
    message += f"{list_names(found, _MOST_NAMES)}."
    return [InputWarning("info", "files-not-read", message)]
