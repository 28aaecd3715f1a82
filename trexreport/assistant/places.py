"""The folders that an assistant may read, and nothing outside of them.

An assistant names captures as `list_captures` does: the label of a folder, then the path in it. Before a
capture is read, every file that the reader may open is checked, as a link in a folder can lead anywhere.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

from trexreport.errors import InputError, UsageError
from trexreport.lazy_dataclass import dataclass
from trexreport.numbers import format_bytes, format_count, middle_ellipsis
from trexreport.site.discovery import discover
from trexreport.site.folders import LocalInput, open_inputs
from trexreport.urls import is_url
from trexreport.visible import one_line

#: Entries below a folder that are looked at, and those below a single capture.
MAX_ENTRIES, MAX_CAPTURE_ENTRIES = 50_000, 2_000
#: Size of the files of a capture together that an answer is made of.
MAX_BYTES = 512 * 2**20
_MAX_DEPTH = 12
_MAX_SHOWN = 120
#: What is read as it is. Archives are refused, as they hold files of any size.
_FILES = (".json", ".log", ".txt", ".trace", ".csv", ".html", ".htm", ".pdf")


class _BoundedInput(LocalInput):
    """A folder of which only regular files are seen that are in it, and not too many.

    Attributes:
        was_cut: There are more entries than are looked at.
        left_out: Files that are links out of the folder, or no regular files.
    """

    was_cut, left_out = False, 0

    def files(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for number, (name, status) in enumerate(_entries(self.path, MAX_ENTRIES)):
            if number == MAX_ENTRIES:
                self.was_cut = True
                break
            is_inside = Path(os.path.realpath(self.path / name)).is_relative_to(self.whole)
            if status is not None and stat.S_ISREG(status.st_mode) and is_inside:
                found[name] = f"{status.st_size} {status.st_mtime_ns}"
            elif status is None or not (stat.S_ISDIR(status.st_mode) and is_inside):
                self.left_out += 1
        return found


@dataclass(frozen=True)
class Captures:
    """What is below the folders.

    Attributes:
        names: Of captures and reports, as an assistant calls them.
        was_cut: There are more files than are looked at.
        left_out: Links out of the folders, pipes and what can't be read.
    """

    names: list[str]
    was_cut: bool
    left_out: int


@dataclass(frozen=True)
class Place:
    """A capture that may be read.

    Attributes:
        name: As an assistant calls it.
        path: Where it is.
        version: Changes when one of its files does.
    """

    name: str
    path: Path
    version: tuple[tuple[str, int, int], ...]


class Places:
    """The folders that were given.

    Args:
        folders: Of this machine, none within another.

    Raises:
        InputError: A folder is missing, or lies in another one.
        UsageError: None is given, or one is a URL.
    """

    def __init__(self, folders: Sequence[str]) -> None:
        if not folders:
            raise UsageError("There is no folder to read.", "Give one or more folders with captures.")
        remote = next((each for each in folders if is_url(each)), None)
        if remote is not None:
            raise UsageError("A URL is not a folder of this machine.", "Give folders of this machine.")
        inputs = [each for each in open_inputs(folders) if isinstance(each, LocalInput)]
        self._roots = {each.label: Path(each.whole) for each in inputs}

    def captures(self) -> Captures:
        """Return the names of all captures and reports, and what was not looked at."""
        names, was_cut, left_out = [], False, 0
        for label, root in self._roots.items():
            folder = _BoundedInput(str(root), label)
            # Answers are about one engine, so that the phases of a set have names of their own.
            for found in discover(folder, with_sets=False):
                if found.kind != "archive":
                    inside = "" if found.paths[0] == "." else f"/{found.paths[0]}"
                    names.append(f"{label}{inside}")
            was_cut, left_out = was_cut or folder.was_cut, left_out + folder.left_out
        return Captures(sorted(set(names)), was_cut=was_cut, left_out=left_out)

    def without_paths(self, text: str) -> str:
        """Return a message with the labels of the folders in place of their whole paths."""
        for label, root in sorted(self._roots.items(), key=lambda each: -len(str(each[1]))):
            text = text.replace(str(root), label)
        return text

    def find(self, name: str) -> Place:
        """Return a capture by its name.

        Raises:
            InputError: There is no such capture, it leads out of the folders, or is too large.
        """
        shown = middle_ellipsis(one_line(name), _MAX_SHOWN)
        label = next((each for each in self._roots if name == each or name.startswith(f"{each}/")), None)
        parts = [] if label is None else [part for part in name[len(label) :].split("/") if part]
        if label is None or ".." in parts or any(_is_unusable(part) for part in parts):
            raise InputError(f"{shown} is not a capture below the folders.", "list_captures has their names.")
        root = self._roots[label]
        path = Path(os.path.realpath(root.joinpath(*parts)))
        if not path.is_relative_to(root):
            raise InputError(f"{shown} leads out of the folders.", "Only files below them are read.")
        if path.is_dir():
            return Place(name, path, _checked(shown, path, root))
        if not path.is_file():
            raise InputError(f"{shown} does not exist.", "list_captures has the names of all.")
        if path.suffix.lower() not in _FILES:
            raise InputError(f"{shown} is not a folder, report or file that is read.", "Give its folder.")
        return Place(name, path, _checked(shown, path.parent, root, path))


def _is_unusable(part: str) -> bool:
    """Return whether a part of a name can be no file, or means another one on some systems."""
    return part == "." or "\0" in part or "\\" in part or len(part) > 255 or part.endswith(":")


def _checked(
    name: str, folder: Path, root: Path, only: Path | None = None
) -> tuple[tuple[str, int, int], ...]:
    """Check what the reader may open, and return sizes and times.

    Raises:
        InputError: A link leads out of the folders, or there is too much.
    """
    found, size = [], 0
    for number, (inside, status) in enumerate(_entries(folder, MAX_CAPTURE_ENTRIES)):
        path = folder / inside
        if number == MAX_CAPTURE_ENTRIES:
            raise InputError(
                f"{name} has more than {format_count(MAX_CAPTURE_ENTRIES)} files.", "Give one of its folders."
            )
        if path.is_symlink() and not Path(os.path.realpath(path)).is_relative_to(root):
            raise InputError(f"{name} has a link that leads out of the folders.", "Remove it.")
        if status is None:
            continue
        if not stat.S_ISREG(status.st_mode) and not stat.S_ISDIR(status.st_mode):
            raise InputError(f"{name} has a pipe, socket or device.", "Remove it.")
        found.append((inside, status.st_size, status.st_mtime_ns))
        if path.suffix.lower() in _FILES and only in (None, path):
            size += status.st_size
    if size > MAX_BYTES:
        raise InputError(f"{name} has {format_bytes(size)}, too much for an answer.", "Use the command line.")
    return tuple(found)


def _entries(folder: Path, limit: int) -> Iterator[tuple[str, os.stat_result | None]]:
    """Yield up to one entry more than the limit, each with its path in the folder and its own status.

    Links to folders are not followed. What can't be read has no status.
    """
    count = 0
    for place, folders, names in os.walk(folder):
        inside = Path(place).relative_to(folder)
        folders.sort()
        if len(inside.parts) >= _MAX_DEPTH:
            folders.clear()
        for name in sorted((*folders, *names)):
            try:
                status = Path(place, name).stat()
            except OSError:
                status = None
            yield (inside / name).as_posix(), status
            count += 1
            if count > limit:
                return
