"""How files begin that hold a whole capture: archives and earlier reports.

What reads them is imported only for captures that are one: it unpacks with half a dozen modules of Python.
"""

from __future__ import annotations

from pathlib import Path

from trexreport.reader.files import read_head

#: The first member of an archive of trexreport, which lists the others.
ARCHIVE_LIST = "trexreport.archive.json"
#: How a report marks its own beginning; the HTML template writes it.
REPORT_MARK = b'<meta name="generator" content="trexreport'
_REPORT_HEAD_BYTES = 4096
#: Of a member of a zip archive, before its name.
_ZIP_HEAD_BYTES = 30


def is_zip(data: bytes) -> bool:
    """Return whether the bytes begin as a zip archive does."""
    return data[:4] == b"PK\x03\x04" or data[:4] == b"PK\x05\x06"


def is_archive(head: bytes) -> bool:
    """Return whether bytes begin as an archive of trexreport does: with the list as the first member."""
    name = ARCHIVE_LIST.encode("ascii")
    return head.startswith(b"PK\x03\x04") and head[_ZIP_HEAD_BYTES : _ZIP_HEAD_BYTES + len(name)] == name


def is_archive_file(path: Path) -> bool:
    """Return whether a file is an archive of trexreport; what can't be read is none."""
    return is_archive(read_head(path, _ZIP_HEAD_BYTES + len(ARCHIVE_LIST)))


def is_pdf(data: bytes) -> bool:
    """Return whether the bytes begin as a PDF does."""
    return data.startswith(b"%PDF-")


def is_report(data: bytes) -> bool:
    """Return whether the bytes are a report of trexreport, in HTML or perhaps in PDF."""
    return REPORT_MARK in data[:_REPORT_HEAD_BYTES] or is_pdf(data)
