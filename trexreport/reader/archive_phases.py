"""The phases in an archive of a set: their captures, and where `extract` puts their files.

Members keep names that no other has; the list states the phase of each and its own name.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from trexreport.errors import InputError
from trexreport.lazy_dataclass import dataclass
from trexreport.model import Source
from trexreport.reader.archive_file import Member, OpenArchive, note_of_archive, open_archive
from trexreport.reader.bounds import LARGEST_CAPTURE_BYTES, LARGEST_FILE_BYTES
from trexreport.reader.capture import Capture
from trexreport.reader.file_names import distinct_names, folder_names, plain_name, short_name
from trexreport.reader.phase_list import LIST_NAME
from trexreport.reader.values import integer, text


@dataclass(frozen=True)
class ArchivedPhase:
    """A phase in an archive.

    Attributes:
        times: As the list has it.
    """

    name: str
    times: Any
    capture: Capture


def read_archived_phases(path: Path) -> tuple[str, list[ArchivedPhase]]:
    """Return the title of a set in an archive and its phases; no phases of an archive of one engine.

    Raises:
        InputError: The archive is damaged or hostile, or a phase has no files.
    """
    with open_archive(path, path.name) as archive:
        if not archive.phases:
            return "", []
        wanted = [member for member in archive.members if member.kind == "capture"]
        if sum(member.size for member in wanted) > LARGEST_CAPTURE_BYTES:
            raise InputError(f"{path.name} unpacks to more than a capture can hold.", "Extract it.")
        return archive.engine, [_phase(archive, at) for at in range(len(archive.phases))]


def _phase(archive: OpenArchive, at: int) -> ArchivedPhase:
    stated = archive.phases[at]
    notes = [note_of_archive(message, archive.name) for message in archive.notes]
    sources = []
    for member in archive.members:
        if (member.kind, member.phase) != ("capture", at):
            continue
        name = own_name(archive, member)
        if member.size > LARGEST_FILE_BYTES:
            raise InputError(f"{short_name(name)} in {archive.name} is larger than a capture's file can be.")
        source = Source(member.role, name, b"".join(archive.chunks(member)))
        if source.sha256 != member.sha256:
            message = f"{short_name(name)} in {archive.name} is not what was archived."
            notes.append(note_of_archive(message, archive.name))
        sources.append(source)
    name = text(stated.get("name"))
    if not sources:
        raise InputError(f"{archive.name} has no files of the phase {short_name(name)}.", "Archive it again.")
    profile = integer(stated.get("optimization_profile"))
    capture = Capture(text(stated.get("engine")) or "engine", tuple(sources), tuple(notes), profile)
    return ArchivedPhase(name, stated.get("times"), capture)


def own_name(archive: OpenArchive, member: Member) -> str:
    """Return the name that a file of a phase had in its capture.

    Raises:
        InputError: No file can be called so.
    """
    name = member.own_name
    if name != plain_name(name) or not name.isprintable() or ":" in name:
        raise InputError(f"{archive.name} is refused: it calls a file {short_name(plain_name(name))}.")
    return name


def places(archive: OpenArchive) -> dict[str, Member]:
    """Return where each file of an archive goes below a folder: those of a phase into one of its own.

    Raises:
        InputError: Two files would go to one place.
    """
    shared = [member for member in archive.members if member.phase is None]
    folders = phase_folders(archive)
    found = [(member.name, member) for member in shared]
    found += [
        (f"{folders[member.phase]}/{own_name(archive, member)}", member)
        for member in archive.members
        if member.phase is not None
    ]
    keys = {unicodedata.normalize("NFC", place).casefold() for place, _ in found}
    if len(keys) < len(found):
        raise InputError(f"{archive.name} is refused: two of its files would go to one place.")
    return dict(found)


def phase_folders(archive: OpenArchive) -> list[str]:
    """Return the name of each phase's folder; none is that of a file."""
    taken = [member.name for member in archive.members if member.phase is None]
    names = folder_names([text(each.get("name")) for each in archive.phases])
    return distinct_names(names, [LIST_NAME, *taken])


def listed(archive: OpenArchive) -> Iterator[tuple[str, str, int | None]]:
    """Yield name, folder and runs of each phase, as the list of a set has them."""
    for stated, folder in zip(archive.phases, phase_folders(archive), strict=True):
        yield text(stated.get("name")), folder, integer(stated.get("times"))
