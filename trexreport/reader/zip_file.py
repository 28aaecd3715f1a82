"""Read a zip archive with the files of a capture, such as TREx's `.tea`."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from pathlib import Path
from typing import IO

from trexreport.errors import InputError
from trexreport.model import InputWarning, Source
from trexreport.reader.bounds import LARGEST_CAPTURE_BYTES, LARGEST_FILE_BYTES, MOST_FILES, is_bomb
from trexreport.reader.file_names import plain_name, short_name
from trexreport.reader.roles import role_of_content, role_of_name

#: What zipfile raises on archives that are damaged, encrypted or packed in a way that it does not know.
ARCHIVE_ERRORS = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    NotImplementedError,
    EOFError,
    RuntimeError,
    ValueError,
    IndexError,
    OSError,
)
_READ_ENDINGS = (".json", ".log", ".txt")


def read_zip(file: Path | IO[bytes], name: str) -> tuple[list[Source], list[InputWarning]]:
    """Read the known files of an archive, such as TREx's `.tea`.

    Raises:
        InputError: It is not a readable zip, or it would unpack to more than a capture can hold.
    """
    try:
        with zipfile.ZipFile(file) as archive:
            packed_size = archive.fp.seek(0, io.SEEK_END) if archive.fp else 0
            return _read_members(archive, packed_size, name)
    except ARCHIVE_ERRORS:
        raise InputError(
            f"{name} is damaged, encrypted or not a usual zip archive.", "Write it again."
        ) from None


def _read_members(
    archive: zipfile.ZipFile, packed_size: int, name: str
) -> tuple[list[Source], list[InputWarning]]:
    members = [info for info in archive.infolist() if not info.is_dir()]
    wanted = [info for info in members if info.filename.lower().endswith(_READ_ENDINGS)]
    wanted.sort(key=lambda info: info.filename)
    total = sum(info.file_size for info in wanted)
    # All together: members may share their packed bytes, and many small ones are a large one.
    if len(members) > MOST_FILES or total > LARGEST_CAPTURE_BYTES or is_bomb(total, packed_size):
        raise InputError(f"{name} unpacks to more than a capture can hold.", "Unpack it and give its folder.")
    sources = []
    for info in wanted:
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise NotImplementedError  # TREx writes no others, and these unpack to far more.
        with archive.open(info) as member:
            content = member.read(LARGEST_FILE_BYTES + 1)
        if len(content) > LARGEST_FILE_BYTES:
            raise InputError(f"{short_name(info.filename)} in {name} is larger than a capture's file can be.")
        role = role_of_name(info.filename) or role_of_content(content)
        if role is not None:
            sources.append(Source(role, plain_name(info.filename), content))
    if not sources:
        raise InputError(f"{name} holds no file that trexreport knows.", "Is it an archive of a capture?")
    left = len(members) - len(sources)
    message = f"Files in {name} that are not used by reports, and so were left out: {left}."
    return sources, [InputWarning("info", "archive", message, name)] if left else []
