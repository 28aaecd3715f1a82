"""Folders behind URLs, by way of fsspec: every failure becomes one line."""

from __future__ import annotations

import asyncio
import contextlib
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any

from trexreport.errors import InputError, MissingToolError, OutputError, TrexReportError
from trexreport.regex import regex
from trexreport.urls import without_secrets

_WEB = regex(r"https?://", re.IGNORECASE)
#: How long a web server may send nothing, how long one file or list may take (a byte now and then could
#: otherwise take for ever), and how large a file may be, which is far more than a capture.
_PATIENCE_S = 30.0
_MAX_TOTAL_S = 1800.0
_MAX_BYTES = 2 << 30
_MAX_DEPTH = 64
#: Properties that change with a file behind a URL, by the names of several file systems.
_VERSION_KEYS = (
    "ETag",
    "etag",
    "mtime",
    "LastModified",
    "Last-Modified",
    "last_modified",
    "updated",
    "created",
)


class _Remote:
    """A folder behind a URL."""

    def __init__(self, place: str) -> None:
        self.place, self.whole = without_secrets(place), place
        self.system, self.root = _file_system(place)

    def _path(self, name: str) -> str:
        return f"{self.root.rstrip('/')}/{name}"


class RemoteInput(_Remote):
    """A folder behind a URL that is read; see `trexreport.site.folders.LocalInput`."""

    def __init__(self, place: str, label: str) -> None:
        super().__init__(place)
        self.label = label
        self.unreadable: dict[str, str] = {}

    def files(self) -> dict[str, str]:
        """Return each file with its version, as far as the file system states one."""
        with _explained(InputError, f"{self.place} can't be listed"):
            listed = self._listed()
        if not listed:
            raise InputError(f"{self.place} is empty or does not exist.", "Check the URL.")
        found = {}
        for path, info in listed.items():
            name = self._relative(path)
            if name and not any(part.startswith(".") for part in name.split("/")):
                found[name] = self._version(path, info)
        return found

    def _listed(self) -> Mapping[str, Mapping[str, Any]]:
        """Return all files by path, with their properties."""
        if not _WEB.match(self.whole):
            found: Mapping[str, Mapping[str, Any]] = self.system.find(self.root, detail=True)
            return found
        # On the web fsspec passes over what does not answer, as if there were nothing.
        files, waiting, known = {}, [self.root], set[str]()
        while waiting:
            folder = waiting.pop()
            for info in self._in_folder(folder):
                name = info["name"].rstrip("/")
                if info["type"] != "directory":
                    files[name] = info
                elif (inside := self._relative(name)) and name not in known:
                    if inside.count("/") > _MAX_DEPTH:
                        raise ValueError("its folders are nested too deeply")
                    known.add(name)
                    waiting.append(f"{name}/")
        return files

    def _in_folder(self, folder: str) -> Sequence[Mapping[str, Any]]:
        try:
            listed: Sequence[Mapping[str, Any]] = self.system.ls(folder, detail=True)
        except Exception as error:
            if folder == self.root:
                raise
            self.unreadable[self._relative(folder)] = f"It can't be listed: {_error_text(error)}."
            return ()
        return listed

    def _relative(self, path: str) -> str:
        """Return a path below the folder; nothing if it leads elsewhere."""
        root = self.root.rstrip("/")
        name = path[len(root) :].strip("/") if path.startswith(root) else ""
        return "" if ".." in name.split("/") or "\\" in name else name.partition("?")[0].partition("#")[0]

    def _version(self, path: str, info: Mapping[str, Any]) -> str:
        versions = {key: str(info[key]) for key in _VERSION_KEYS if info.get(key)}
        if not versions and info.get("size") is None:
            # A plain web server states more about a single file than in its list of files.
            with contextlib.suppress(Exception):
                info = self.system.info(path)
                versions = {key: str(info[key]) for key in _VERSION_KEYS if info.get(key)}
        return f"{info.get('size')} {sorted(versions.items())}" if versions else ""

    def head(self, name: str, size: int) -> bytes:
        """Return the first bytes of a file."""
        # A web server that knows no ranges would else send all of it.
        streaming = {"block_size": 0} if _WEB.match(self.whole) else {}
        try:
            with self.system.open(self._path(name), "rb", **streaming) as file:
                data: bytes = file.read(size)
        except Exception:  # noqa: BLE001 - reading the whole file will report why
            return b""
        return data[:size]

    @contextmanager
    def on_disk(self, names: Sequence[str]) -> Iterator[Path]:
        """Fetch the files into a folder that goes afterward."""
        with tempfile.TemporaryDirectory(prefix="trexreport-") as temporary:
            # A capture whose files have no name of their own is called after its folder.
            folder = Path(
                temporary, re.sub(r"[^\w.-]", "_", self.label.rpartition("/")[2]).strip(".") or "captures"
            )
            folder.mkdir()
            for name in names:
                target = folder.joinpath(*PurePosixPath(name).parts)
                target.parent.mkdir(parents=True, exist_ok=True)
                with _explained(InputError, f"{name} can't be fetched"):
                    self.system.get_file(self._path(name), str(target), callback=_limit())
            yield folder


class RemoteOutput(_Remote):
    """A folder behind a URL that a site is written to; see `trexreport.site.folders.LocalOutput`."""

    def is_empty(self) -> bool:
        """Whether the folder is empty."""
        return not self.names()

    def read(self, name: str) -> bytes | None:
        """Return a file's content; None if there is no such file."""
        with _explained(OutputError, f"{self.place} can't be read"):
            data: bytes | None = None
            with contextlib.suppress(FileNotFoundError):
                data = self.system.cat_file(self._path(name))
        return data

    def names(self) -> set[str]:
        """Return all files."""
        found: list[str] = []
        with _explained(OutputError, f"{self.place} can't be read"), contextlib.suppress(FileNotFoundError):
            self.system.invalidate_cache()
            found = self.system.find(self.root)
        return {path[len(self.root) :].strip("/") for path in found}

    def write(self, name: str, data: bytes) -> None:
        """Write a file as a whole, from the disk: so object stores derive the media type from the ending."""
        with (
            _explained(OutputError, f"{self.place}/{name} can't be written"),
            tempfile.TemporaryDirectory(prefix="trexreport-") as folder,
        ):
            with contextlib.suppress(NotImplementedError):
                self.system.makedirs(self._path(name).rpartition("/")[0], exist_ok=True)
            source = Path(folder, PurePosixPath(name).name)
            source.write_bytes(data)
            self.system.put_file(str(source), self._path(name))

    def remove(self, name: str) -> None:
        """Remove a file if it is there."""
        problem = f"{self.place}/{name} can't be removed"
        with _explained(OutputError, problem), contextlib.suppress(FileNotFoundError):
            self.system.rm_file(self._path(name))

    def clear(self) -> None:
        """Do nothing: what is sent is there as a whole or not at all."""


@contextmanager
def _explained(kind: type[TrexReportError], problem: str) -> Iterator[None]:
    """Turn whatever a file system raises into one line."""
    try:
        yield
    except Exception as error:  # noqa: BLE001 - each file system raises errors of its own
        raise kind(f"{problem}: {_error_text(error)}.") from None


def _file_system(place: str) -> tuple[Any, str]:
    """Return the file system of a URL and the path in it."""
    shown = without_secrets(place)
    try:
        from fsspec.core import url_to_fs
    except ImportError:
        raise MissingToolError(
            f"{shown} is a URL, and fsspec is not installed.", "pip install 'trexreport[remote]'"
        ) from None
    try:
        system, root = url_to_fs(place, **_patience(place))
    except ImportError as error:
        raise MissingToolError(
            f"{shown} needs a library that is not installed: {_error_text(error)}."
        ) from None
    except Exception as error:  # noqa: BLE001 - each file system raises errors of its own
        raise InputError(f"{shown} is not a usable URL: {_error_text(error)}.") from None
    return system, root


def _patience(place: str) -> dict[str, Any]:
    """Return the options that limit how long a web server may take."""
    if not _WEB.match(place):
        return {}
    try:
        from aiohttp import ClientTimeout
    except ImportError:
        return {}
    patience = ClientTimeout(total=_MAX_TOTAL_S, sock_connect=_PATIENCE_S, sock_read=_PATIENCE_S)
    return {"client_kwargs": {"timeout": patience}}


def _limit() -> Any:
    """Return what ends the fetching of a file that has no end."""
    from fsspec.callbacks import Callback

    class Limit(Callback):  # type: ignore[misc]
        def relative_update(self, inc: int = 1) -> None:
            super().relative_update(inc)
            if self.value > _MAX_BYTES:
                raise ValueError(f"it is larger than {_MAX_BYTES >> 20} MiB")

    return Limit()


def _error_text(error: BaseException) -> str:
    if isinstance(error, (TimeoutError, asyncio.TimeoutError)):
        return "it does not answer in time"
    if isinstance(error, FileNotFoundError):
        # What it says is often but the URL again.
        return "it does not exist"
    if getattr(error, "status", None) == 0:
        # What aiohttp says of redirects that go round in circles has no words.
        return type(error).__name__
    lines = without_secrets(str(error)).strip().splitlines()
    return (lines[0].rstrip(".") if lines else "") or type(error).__name__
