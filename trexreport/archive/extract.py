"""Unpack an archive into a folder."""

from __future__ import annotations

import os
from pathlib import Path
from typing import BinaryIO

from trexreport.errors import InputError, OutputError, explained
from trexreport.output import write_output, write_output_in_parts
from trexreport.reader.archive_file import Member, OpenArchive, open_archive
from trexreport.reader.archive_phases import listed, places
from trexreport.reader.file_names import short_name
from trexreport.reader.phase_list import LIST_NAME, list_text


def extract_archive(path: Path, folder: Path, *, force: bool = False) -> dict[Path, int]:
    """Write every file of an archive into a folder, created if need be; return their sizes in bytes.

    Files of a phase go into a folder of its own, beside the list that makes all of them a set.

    Nothing is written if a file was changed, or would replace a file with other content.

    Raises:
        InputError: The archive is damaged, edited or hostile.
        OutputError: A file is in the way (without `force`), or writing failed.
    """
    with open_archive(path, path.name) as archive:
        faults = [*archive.notes, *(_fault(each, archive.name) for each in archive.edited())]
        if faults:
            raise InputError(faults[0], "Nothing was written. Use another copy of the archive.")
        targets = {folder / place: member for place, member in places(archive).items()}
        written = list_text(listed(archive)) if archive.phases else None
        if not force:
            for target, member in targets.items():
                if os.path.lexists(target) and not _holds(target, archive, member):
                    raise OutputError(
                        f"{target} exists with different content.", "Use --force, or another folder."
                    )
            if written is not None and _differs(folder / LIST_NAME, written):
                raise OutputError(
                    f"{folder / LIST_NAME} exists with different content.", "Use --force, or another folder."
                )
        for needed in dict.fromkeys((folder, *(target.parent for target in targets))):
            with explained(OutputError, f"{needed} can't be created"):
                needed.mkdir(parents=True, exist_ok=True)
        sizes = {target: _write(target, archive, member) for target, member in targets.items()}
        if written is not None:
            write_output(folder / LIST_NAME, written, force=True)
            sizes[folder / LIST_NAME] = len(written)
        return sizes


def _differs(path: Path, data: bytes) -> bool:
    if not os.path.lexists(path):
        return False
    try:
        return path.read_bytes() != data
    except OSError:
        return True


def _fault(member: Member, archive: str) -> str:
    return f"{short_name(member.name)} in {archive} was changed after it was archived."


def _write(target: Path, archive: OpenArchive, member: Member) -> int:
    def copy(file: BinaryIO) -> None:
        file.writelines(archive.chunks(member))

    return write_output_in_parts(target, copy, force=True)


def _holds(path: Path, archive: OpenArchive, member: Member) -> bool:
    try:
        if not path.is_file() or path.stat().st_size != member.size:
            return False
        with path.open("rb") as file:
            return all(file.read(len(chunk)) == chunk for chunk in archive.chunks(member))
    except OSError:
        return False
