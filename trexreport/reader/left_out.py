"""Say which files beside those of a capture are not read: outputs of other tools, and what is not a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from trexreport.model import InputWarning, Source
from trexreport.numbers import list_names
from trexreport.reader.by_content import SNIFFED
from trexreport.reader.files import read_head
from trexreport.reader.foreign_files import foreign_kind
from trexreport.reader.roles import MARKED_BYTES, role_of_marks, role_of_name, split_name

_ARE = "is "
_OUTPUTS = ("a log of ", "a table of ", "a result of ", "a summary of ")
#: What a table may have become on its way: a program that looks for its columns passes it over.
_TABLE, _DAMAGED = ".csv", ("empty", "compressed", "a pointer of Git LFS", "a web page", "begins with zeros")
_MOST_NAMES, _MOST_BELOW = 3, 200
_ENDINGS_BELOW = (".json", ".log", ".txt")


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
            what, is_table = _what(path), path.suffix.lower() == _TABLE
            if what.startswith(_OUTPUTS) or (is_table and what.startswith(_DAMAGED)):
                found.append(f"{path.name} ({what})")
    if not found:
        return []
    message = f"Not read, as {'it has' if len(found) == 1 else 'they have'} no layers of an engine: "
    message += f"{list_names(found, _MOST_NAMES)}."
    return [InputWarning("info", "files-not-read", message)]


def _what(path: Path) -> str:
    """Return what a file is of another program, or damaged, in few words; empty if that is not known."""
    head = read_head(path, MARKED_BYTES)
    if not head:
        return "empty"
    kind = foreign_kind(path.name, head)
    return kind[0].removeprefix(_ARE).split(":")[0].split(",")[0] if kind else ""


def notes_of_no_files(folder: Path, engine: str | None) -> list[InputWarning]:
    """Return a note on each entry of a folder that is called as a file of a capture and is not a file.

    Args:
        folder: Where the capture is.
        engine: What the names of its files begin with; None for any.
    """
    found = []
    for path in sorted(folder.iterdir()):
        prefix, role = split_name(path.name)
        if role is not None and engine in (None, prefix) and not path.is_file():
            message = f"{path.name} was left out: it is {_sort_of(path)}."
            hint = "Copy the file itself into the folder."
            found.append(InputWarning("degraded", "file-left-out", message, path.name, (), hint))
    return found


def notes_of_folders(folder: Path) -> list[InputWarning]:
    """Return a note on the folders in that of a capture that hold files of captures, if any do."""
    found, left = [], _MOST_BELOW
    for below in sorted(path for path in folder.iterdir() if path.is_dir()):
        paths = sorted(path for path in below.glob("*") if path.suffix in _ENDINGS_BELOW)[:left]
        left -= len(paths)
        found += [below.name] if any(map(_is_of_capture, paths)) else []
        if left <= 0:
            break
    if not found:
        return []
    holds = "the folder" if len(found) == 1 else "the folders"
    message = f"Logs or other files of captures in {holds} {list_names(found, _MOST_NAMES)} were not read."
    hint = "Give their folder, or move those of this engine beside the others."
    return [InputWarning("degraded", "folders-not-read", message, "", ("overview",), hint)]


def _is_of_capture(path: Path) -> bool:
    is_known = role_of_name(path.name) or role_of_marks(read_head(path, MARKED_BYTES))
    return bool(is_known) and path.is_file()


def _sort_of(path: Path) -> str:
    if path.is_dir():
        return "a folder"
    return "a pipe or a device" if path.exists() else "a link to a file that is not there"
