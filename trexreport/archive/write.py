"""Write an archive: the same contents give the same bytes."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

from trexreport import __version__
from trexreport.errors import InputError, explained
from trexreport.input_file import open_input
from trexreport.lazy_dataclass import dataclass
from trexreport.model import Phase, Source
from trexreport.reader import archive_file
from trexreport.reader.file_names import distinct_names, plain_name
from trexreport.reader.marks import ARCHIVE_LIST

#: The earliest time that a zip can state: an archive does not state when it was made.
_NO_TIME = (1980, 1, 1, 0, 0, 0)
_PLAIN_FILE = 0o100644 << 16
_UNIX = 3
_LARGEST_WITHOUT_ZIP64 = 2**31 - 1


@dataclass(frozen=True)
class ArchiveContents:
    """What goes into an archive.

    Attributes:
        name: Title of the engine, or of the set.
        sources: The files of the capture; none of a set.
        report: The page, or None for an archive without one.
        engine_file: The serialized engine, which may be larger than memory, or None.
        phases: Name, count and engine of each phase of a set.
    """

    name: str
    sources: tuple[Source, ...]
    optimization_profile: int = 0
    report: bytes | None = None
    engine_file: Path | None = None
    phases: tuple[Phase, ...] = ()


@dataclass(frozen=True)
class _Entry:
    kind: str
    name: str
    role: str
    content: bytes | Path
    phase: int | None = None
    own_name: str = ""

    @property
    def path(self) -> str:
        return f"{self.kind}/{self.name}"


def write_archive(file: BinaryIO, contents: ArchiveContents) -> None:
    """Write the list of the files with their hashes, then the files.

    Raises:
        InputError: The engine's file can't be read, or changed meanwhile.
    """
    entries = _entries(contents)
    files = [_described(entry) for entry in entries]
    manifest: dict[str, Any] = {
        "generator": "trexreport",
        "generator_version": __version__,
        "schema": archive_file.SCHEMA,
        "schema_version": archive_file.SET_SCHEMA_VERSION if contents.phases else archive_file.SCHEMA_VERSION,
        "engine": contents.name,
        **_phases(contents),
        "files": files,
    }
    manifest["sha256"] = archive_file.list_hash(manifest)
    with zipfile.ZipFile(file, "w") as archive:
        listing = json.dumps(manifest, indent=1) + "\n"
        archive.writestr(_info(ARCHIVE_LIST, zipfile.ZIP_DEFLATED), listing.encode("ascii"))
        for entry, described in zip(entries, files, strict=True):
            _add(archive, entry, described)


def _phases(contents: ArchiveContents) -> dict[str, Any]:
    """Return what the list says of phases, or of the only engine."""
    if not contents.phases:
        return {"optimization_profile": contents.optimization_profile}
    return {
        "phases": [
            {
                "name": phase.name,
                "times": phase.times,
                "engine": phase.engine.name,
                "optimization_profile": phase.engine.optimization_profile,
            }
            for phase in contents.phases
        ]
    }


def _entries(contents: ArchiveContents) -> list[_Entry]:
    """Return the files in a fixed order, each under a name that no other has in any folder."""
    given: list[_Entry] = []
    if contents.engine_file is not None:
        given.append(_Entry("engine", contents.engine_file.name, "", contents.engine_file))
    if contents.report is not None:
        given.append(_Entry("report", "report.html", "", contents.report))
    given += [_Entry("capture", source.name, source.role, source.data) for source in contents.sources]
    for at, phase in enumerate(contents.phases):
        sources = phase.engine.sources
        own = distinct_names([_storable(source.name) for source in sources])
        given += [
            _Entry("capture", source.name, source.role, source.data, at, name)
            for source, name in zip(sources, own, strict=True)
        ]
    names = distinct_names([_storable(entry.name) for entry in given], taken=[ARCHIVE_LIST])
    entries = [replace(entry, name=name) for entry, name in zip(given, names, strict=True)]
    # What is read most often comes first, the engine last.
    return sorted(entries, key=lambda entry: (("capture", "report", "engine").index(entry.kind), entry.name))


def _storable(name: str) -> str:
    """Return a file name with nothing in it that some system takes for something else."""
    return "".join(each if each.isprintable() and each not in ":\\/" else "_" for each in plain_name(name))


def _described(entry: _Entry) -> dict[str, Any]:
    sha256, size = archive_file.hash_of(_chunks(entry.content))
    of_phase = {} if entry.phase is None else {"phase": entry.phase, "name": entry.own_name}
    return {"path": entry.path, "role": entry.role, "size": size, "sha256": sha256, **of_phase}


def _add(archive: zipfile.ZipFile, entry: _Entry, described: dict[str, Any]) -> None:
    # An engine is weights, which do not shrink.
    info = _info(entry.path, zipfile.ZIP_STORED if entry.kind == "engine" else zipfile.ZIP_DEFLATED)
    info.file_size = described["size"]
    digest = hashlib.sha256()
    with archive.open(info, "w", force_zip64=info.file_size > _LARGEST_WITHOUT_ZIP64) as member:
        for chunk in _chunks(entry.content):
            digest.update(chunk)
            member.write(chunk)
    if digest.hexdigest() != described["sha256"]:
        raise InputError(f"{entry.name} changed while it was archived.", "Try again when it is finished.")


def _info(name: str, compression: int) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, _NO_TIME)
    info.compress_type = compression
    info.create_system = _UNIX
    info.external_attr = _PLAIN_FILE
    return info


def _chunks(content: bytes | Path) -> Iterator[bytes]:
    if isinstance(content, bytes):
        yield content
        return
    with explained(InputError, f"{content} can't be read"), open_input(content) as file:
        while chunk := file.read(archive_file.CHUNK_BYTES):
            yield chunk
