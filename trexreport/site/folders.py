"""Folders to read from and to write to, on this machine or behind a URL that fsspec knows."""

from __future__ import annotations

import contextlib
import hashlib
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

from trexreport.errors import InputError, OutputError, explained
from trexreport.output import write_through_temporary
from trexreport.site.urls import RemoteInput, RemoteOutput
from trexreport.urls import is_url, without_secrets

_TEMPORARY = ".trexreport-"
#: Age after which a temporary file was left by a killed program.
_ABANDONED_S = 86_400.0


def local_path(place: str) -> str:
    """Return the path that a file:// URL means; anything else as it is."""
    return url2pathname(urlsplit(place).path) if place.lower().startswith("file://") else place


class LocalInput:
    """Files below a folder of this machine, by path relative to it with "/" between its parts.

    Attributes:
        whole: Its whole path.
        unreadable: Folders that can't be read, with the reason; known after `files()`.
    """

    def __init__(self, place: str, label: str) -> None:
        self.path, self.label, self.whole = Path(place), label, os.path.realpath(place)
        self.unreadable: dict[str, str] = {}
        if not self.path.is_dir():
            what = "is a file" if self.path.exists() else "does not exist"
            raise InputError(f"{without_secrets(place)} {what}.", "Give folders with captures or reports.")

    def files(self) -> dict[str, str]:
        """Return each file with what changes when it does: its size and time.

        Hidden folders and links to folders are left out.
        """
        found = {}
        for folder, below, names in os.walk(self.path, onerror=self._note):
            below[:] = sorted(name for name in below if not name.startswith("."))
            inside = Path(folder).relative_to(self.path)
            for name in names:
                with contextlib.suppress(OSError):
                    status = os.stat(os.path.join(folder, name))  # noqa: PTH116, PTH118 - many files
                    if os.path.isfile(os.path.join(folder, name)):  # noqa: PTH113, PTH118
                        found[(inside / name).as_posix()] = f"{status.st_size} {status.st_mtime_ns}"
        return found

    def _note(self, error: OSError) -> None:
        place = Path(str(error.filename))
        reason = f"{place} can't be read: {error.strerror}."
        if place == self.path:
            raise InputError(reason, "Check the permissions.") from None
        self.unreadable[place.relative_to(self.path).as_posix()] = reason

    def head(self, name: str, size: int) -> bytes:
        """Return the first bytes of a file; none if it can't be read, which is reported later."""
        with contextlib.suppress(OSError), (self.path / name).open("rb") as file:
            return file.read(size)
        return b""

    @contextmanager
    def on_disk(self, names: Sequence[str]) -> Iterator[Path]:
        """Yield the folder itself."""
        del names
        yield self.path


class LocalOutput:
    """A folder of this machine that a site is written to, its files by path relative to it.

    Links that lead out of it are not followed.
    """

    def __init__(self, place: str) -> None:
        self.place, self.path = place, Path(os.path.realpath(place))
        if self.path.exists() and not self.path.is_dir():
            raise OutputError(f"{place} is a file.", "Give a folder for the site.")
        self._made: set[Path] = set()

    def is_empty(self) -> bool:
        """Whether the folder is empty or does not exist.

        What a program left that was killed before its first file was whole is nothing either.
        """
        with explained(OutputError, f"{self.place} can't be read"):
            found = self.path.rglob("*") if self.path.exists() else ()
            return all(each.is_dir() or each.name.startswith(_TEMPORARY) for each in found)

    def read(self, name: str) -> bytes | None:
        """Return a file's content; None if there is no such file."""
        try:
            return (self.path / name).read_bytes()
        except OSError:
            return None

    def names(self) -> set[str]:
        """Return all files."""
        return {
            (Path(folder) / name).relative_to(self.path).as_posix()
            for folder, _, names in os.walk(self.path)
            for name in names
        }

    def write(self, name: str, data: bytes) -> None:
        """Write a file through a temporary one beside it, so that the old or the new one is there.

        Unlike a single report, a site of thousands is not flushed to the disk file by file.
        """
        target = self.path / name
        with explained(OutputError, f"{target} can't be written"):
            self._make(target.parent)
            write_through_temporary(
                target, lambda file: file.write(data), prefix=_TEMPORARY, is_durable=False
            )

    def clear(self) -> None:
        """Remove temporary files that a program left which was killed a day ago or earlier."""
        for left in (*self.path.glob(f"{_TEMPORARY}*"), *self.path.glob(f"*/{_TEMPORARY}*")):
            with contextlib.suppress(OSError):
                if time.time() - left.lstat().st_mtime > _ABANDONED_S:
                    left.unlink()

    def _make(self, folder: Path) -> None:
        if folder in self._made:
            return
        folder.mkdir(parents=True, exist_ok=True)
        if os.path.realpath(folder) != str(folder):
            raise OutputError(f"{folder} is a link to another folder.", "Choose another folder.")
        self._made.add(folder)

    def remove(self, name: str) -> None:
        """Remove a file if it is there; a folder that links elsewhere is left alone."""
        target = self.path / name
        if os.path.realpath(target.parent) == str(target.parent):
            with explained(OutputError, f"{target} can't be removed"):
                target.unlink(missing_ok=True)


InputFolder = LocalInput | RemoteInput
OutputFolder = LocalOutput | RemoteOutput


def open_inputs(places: Sequence[str]) -> list[InputFolder]:
    """Return the folders to read, each with a label of its own.

    Raises:
        InputError: A folder is missing, or lies in another one.
        MissingToolError: A URL needs a library that is not installed.
    """
    places = [local_path(place) for place in places]
    shown = [without_secrets(place) if is_url(place) else place for place in places]
    whole = [place.rstrip("/") if is_url(place) else os.path.realpath(place) for place in shown]
    for at, (place, path) in enumerate(zip(shown, whole, strict=True)):
        for its_at, (other, its_path) in enumerate(zip(shown, whole, strict=True)):
            if at != its_at and f"{path}/".startswith(f"{its_path}/"):
                raise InputError(f"{place} is inside of {other}, or the same folder.", "Give one of them.")
    return [
        RemoteInput(place, label) if is_url(place) else LocalInput(place, label)
        for place, label in zip(places, _labels(whole), strict=True)
    ]


def _labels(paths: Sequence[str]) -> list[str]:
    """Return the shortest ends of paths that differ: addresses of pages are made of them."""
    parts = [path.replace("\\", "/").split("/") for path in paths]
    return [
        next(
            label
            for depth in range(1, len(own) + 1)
            if [tuple(other[-depth:]) for other in parts].count(tuple(own[-depth:])) == 1
            for label in ["/".join(own[-depth:])]
        )
        for own in parts
    ]


def open_output(place: str) -> OutputFolder:
    """Return the folder to write to.

    Raises:
        OutputError: It is a file.
        MissingToolError: A URL needs a library that is not installed.
    """
    place = local_path(place)
    return RemoteOutput(place) if is_url(place) else LocalOutput(place)


def hash_of(*parts: str) -> str:
    """Return one hash of several texts."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(b"%d:" % len(data) + data)
    return digest.hexdigest()
