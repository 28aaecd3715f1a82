"""Read an archive of trexreport (.trexa): a zip whose first member lists the others with their hashes.

Members are `capture/NAME`, `report/NAME` and `engine/NAME`, one folder deep, so that no name leads anywhere.
Any other member, a duplicate, or a path that leads out of it is refused before anything is unpacked.
"""

from __future__ import annotations

import hashlib
import io
import json
import stat
import unicodedata
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from trexreport.errors import InputError
from trexreport.lazy_dataclass import dataclass
from trexreport.model import InputWarning, Source
from trexreport.numbers import counted
from trexreport.reader.bounds import LARGEST_CAPTURE_BYTES, LARGEST_FILE_BYTES, MOST_FILES, is_bomb
from trexreport.reader.capture import EDITED_ARCHIVE, Capture
from trexreport.reader.file_names import plain_name, short_name
from trexreport.reader.json_text import json_object
from trexreport.reader.marks import ARCHIVE_LIST
from trexreport.reader.values import integer, records, text
from trexreport.reader.zip_file import ARCHIVE_ERRORS

SCHEMA = "trexreport-archive"
SCHEMA_VERSION = 1
#: Of an archive of several phases, which earlier readers take for a newer one.
SET_SCHEMA_VERSION = 2
KINDS = ("capture", "report", "engine")
_LARGEST_MANIFEST_BYTES = 4 * 2**20
_ENCRYPTED = 1
CHUNK_BYTES = 2**20
_EDITED = "The archive was edited: use the original capture."


@dataclass(frozen=True)
class Member:
    """A file of an archive, as its list names it.

    Attributes:
        kind: One of `KINDS`.
        role: What a file of the capture is read as; empty for others.
        phase: Index of the phase that it is of, in an archive of a set; None for others.
        own_name: What it is called in the capture of its phase.
    """

    kind: str
    name: str
    role: str
    size: int
    sha256: str
    phase: int | None = None
    own_name: str = ""

    @property
    def path(self) -> str:
        """The name in the zip."""
        return f"{self.kind}/{self.name}"


@dataclass(frozen=True)
class OpenArchive:
    """An archive whose names and sizes are in order; what its members hold has not been looked at.

    Attributes:
        name: Of the archive's file, for messages.
        engine: Title of the engine, or of the set.
        members: In the order of the list.
        notes: What is wrong with the list itself.
        phases: What the list says of each phase of a set; empty for one engine.
    """

    name: str
    engine: str
    optimization_profile: int | None
    members: tuple[Member, ...]
    notes: tuple[str, ...]
    file: zipfile.ZipFile
    phases: tuple[dict[str, Any], ...] = ()

    def chunks(self, member: Member) -> Iterator[bytes]:
        """Yield the content of a member in pieces."""
        with self.file.open(member.path) as content:
            while chunk := content.read(CHUNK_BYTES):
                yield chunk

    def edited(self) -> list[Member]:
        """Return the members whose content is not what was archived."""
        return [each for each in self.members if hash_of(self.chunks(each))[0] != each.sha256]


def hash_of(chunks: Iterable[bytes]) -> tuple[str, int]:
    """Return the SHA-256 of a content in hexadecimal, and its size in bytes."""
    digest, size = hashlib.sha256(), 0
    for chunk in chunks:
        digest.update(chunk)
        size += len(chunk)
    return digest.hexdigest(), size


@contextmanager
def open_archive(file: Path | IO[bytes], name: str) -> Iterator[OpenArchive]:
    """Open an archive after checking every name and size in it.

    Raises:
        InputError: It is damaged, or holds a name or a size that no archive of trexreport has; also where
            reading a member shows damage.
    """
    try:
        with zipfile.ZipFile(file) as archive:
            infos = _checked(archive.infolist(), name)
            _refuse_bomb(archive, infos.values(), name)
            manifest = _manifest(archive, name)
            phases = tuple(records(manifest.get("phases")))
            members = tuple(
                _member(entry, infos, len(phases), name) for entry in records(manifest.get("files"))
            )
            if len(set(members)) < len(members):
                raise InputError(f"{name} is refused: its list names a file twice.")
            yield OpenArchive(
                name=name,
                engine=text(manifest.get("engine")) or "engine",
                optimization_profile=integer(manifest.get("optimization_profile")),
                members=members,
                notes=tuple(_faults_of_list(manifest, members, infos, name)),
                file=archive,
                phases=phases,
            )
    except ARCHIVE_ERRORS:
        raise InputError(f"{name} is a damaged archive.", "Take another copy of it.") from None


def read_archive(file: Path | IO[bytes], name: str) -> Capture:
    """Return the capture of an archive; a file that is not what was archived is noted.

    Raises:
        InputError: It is damaged, hostile, or holds no capture.
    """
    with open_archive(file, name) as archive:
        if archive.phases:
            raise InputError(
                f"{name} is an archive of {counted(len(archive.phases), 'phase')}, and one engine is wanted.",
                "Choose one with --phase NAME, or take them out with trexreport extract.",
            )
        wanted = [member for member in archive.members if member.kind == "capture"]
        if sum(member.size for member in wanted) > LARGEST_CAPTURE_BYTES:
            raise InputError(f"{name} unpacks to more than a capture can hold.", "Extract it.")
        notes = [note_of_archive(message, name) for message in archive.notes]
        sources = []
        for member in wanted:
            if member.size > LARGEST_FILE_BYTES:
                shown = short_name(member.name)
                raise InputError(f"{shown} in {name} is larger than a capture's file can be.")
            source = Source(member.role, member.name, b"".join(archive.chunks(member)))
            if source.sha256 != member.sha256:
                notes.append(
                    note_of_archive(f"{short_name(member.name)} in {name} is not what was archived.", name)
                )
            sources.append(source)
        if not sources:
            raise InputError(f"{name} is an archive without a capture.", "Give the capture itself.")
        return Capture(archive.engine, tuple(sources), tuple(notes), archive.optimization_profile)


def list_hash(manifest: Mapping[str, Any]) -> str:
    """Return the hash of all that the list of an archive says."""
    listed = {key: value for key, value in manifest.items() if key != "sha256"}
    return hashlib.sha256(json.dumps(listed, sort_keys=True).encode("ascii")).hexdigest()


def note_of_archive(message: str, name: str) -> InputWarning:
    """Return a note that an archive is not what was written."""
    return InputWarning("degraded", EDITED_ARCHIVE, message, name, hint=_EDITED)


def _checked(infos: Sequence[zipfile.ZipInfo], name: str) -> dict[str, zipfile.ZipInfo]:
    """Return the members by name, or raise for a name or a size that trexreport does not write."""
    if len(infos) > MOST_FILES:
        raise InputError(f"{name} holds more files than an archive can.")
    found: dict[str, zipfile.ZipInfo] = {}
    for info in infos:
        shown = short_name(plain_name(info.orig_filename))
        if not _is_ours(info.orig_filename):
            raise InputError(
                f"{name} is refused: its member {shown} leads elsewhere or is not trexreport's.",
                "trexreport did not write it so.",
            )
        if stat.S_IFMT(info.external_attr >> 16) not in (0, stat.S_IFREG):
            raise InputError(f"{name} is refused: its member {shown} is a link or not a plain file.")
        if info.flag_bits & _ENCRYPTED or info.compress_type not in (
            zipfile.ZIP_STORED,
            zipfile.ZIP_DEFLATED,
        ):
            raise InputError(f"{name} is refused: its member {shown} is packed as trexreport does not.")
        if is_bomb(info.file_size, info.compress_size):
            raise InputError(f"{name} is refused: its member {shown} unpacks to far more than it can hold.")
        # Names that some file systems take for one would overwrite each other when they are extracted.
        key = unicodedata.normalize("NFC", info.orig_filename.rsplit("/", 1)[-1]).casefold()
        if key in found:
            raise InputError(f"{name} is refused: it holds {shown} twice.")
        found[key] = info
    return {info.orig_filename: info for info in found.values()}


def _refuse_bomb(archive: zipfile.ZipFile, infos: Iterable[zipfile.ZipInfo], name: str) -> None:
    """Raise if all members together claim more than fits into the file: they may share their packed bytes."""
    file = archive.fp
    if file is None or not is_bomb(sum(info.file_size for info in infos), file.seek(0, io.SEEK_END)):
        return
    raise InputError(f"{name} is refused: its members unpack to far more than it can hold.")


def _is_ours(path: str) -> bool:
    if path == ARCHIVE_LIST:
        return True
    folder, _, name = path.partition("/")
    return folder in KINDS and name == plain_name(name) and name.isprintable() and ":" not in name


def _manifest(archive: zipfile.ZipFile, name: str) -> dict[str, Any]:
    with archive.open(ARCHIVE_LIST) as member:
        written = member.read(_LARGEST_MANIFEST_BYTES + 1)
    manifest = json_object(written) if len(written) <= _LARGEST_MANIFEST_BYTES else None
    if manifest is None or manifest.get("schema") != SCHEMA:
        raise InputError(f"{name} is a damaged archive: its list of files is unreadable.")
    known = SET_SCHEMA_VERSION if records(manifest.get("phases")) else SCHEMA_VERSION
    if (integer(manifest.get("schema_version")) or 0) > known:
        raise InputError(f"{name} was written by a newer trexreport.", "Update trexreport.")
    return manifest


def _member(
    entry: Mapping[str, Any], infos: Mapping[str, zipfile.ZipInfo], phase_count: int, name: str
) -> Member:
    kind, _, file_name = text(entry.get("path")).partition("/")
    info = infos.get(f"{kind}/{file_name}")
    if info is None or kind not in KINDS:
        raise InputError(f"{name} is a damaged archive: {short_name(plain_name(file_name))} is not in it.")
    phase = integer(entry.get("phase")) if phase_count and kind == "capture" else None
    if phase_count and kind == "capture" and not (phase is not None and 0 <= phase < phase_count):
        raise InputError(f"{name} is a damaged archive: {short_name(file_name)} belongs to no phase.")
    own_name = file_name if phase is None else text(entry.get("name"))
    role, sha256 = text(entry.get("role")), text(entry.get("sha256"))
    return Member(kind, file_name, role, info.file_size, sha256, phase, own_name)


def _faults_of_list(
    manifest: Mapping[str, Any], members: Sequence[Member], infos: Mapping[str, Any], name: str
) -> Iterator[str]:
    if manifest.get("sha256") != list_hash(manifest):
        yield f"The list of files in {name} is not what was written: its hash does not fit."
    for entry, member in zip(records(manifest.get("files")), members, strict=True):
        if integer(entry.get("size")) != member.size:
            yield f"{short_name(member.path)} in {name} does not have the size in its list of files."
    listed = {member.path for member in members}
    for path in infos:
        if path != ARCHIVE_LIST and path not in listed:
            yield f"{short_name(path)} in {name} is not in its list of files."
