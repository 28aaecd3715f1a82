"""Check whether the files in an archive or a report are unchanged."""

from __future__ import annotations

from pathlib import Path

from trexreport.errors import InputError
from trexreport.lazy_dataclass import dataclass
from trexreport.reader.archive_file import open_archive
from trexreport.reader.file_names import short_name
from trexreport.reader.files import read_bytes
from trexreport.reader.marks import is_archive_file, is_report
from trexreport.reader.report_file import read_carried


@dataclass(frozen=True)
class Verification:
    """The result of a check.

    Attributes:
        kind: "archive" or "report".
        files: How many were checked.
        faults: One sentence for each file that was changed; empty if none was.
    """

    kind: str
    files: int
    faults: tuple[str, ...]


def verify(path: Path) -> Verification:
    """Compare the files in an archive or a report with their hashes.

    Hashes find damage and careless edits. They are not a signature: anyone can rewrite a file with its hash.

    Raises:
        InputError: It can't be read, or is neither an archive nor a report with inputs.
    """
    if is_archive_file(path):
        with open_archive(path, path.name) as archive:
            edited = (
                f"{short_name(each.path)} was changed after it was archived." for each in archive.edited()
            )
            return Verification("archive", len(archive.members), (*archive.notes, *edited))
    data = read_bytes(path)
    if not is_report(data):
        raise InputError(
            f"{path} carries no hashes.", "Give an archive (.trexa) or a report that trexreport wrote."
        )
    carried, _ = read_carried(data, path.name)
    notes = tuple(note.message for each in carried for note in each.notes)
    return Verification("report", sum(len(each.sources) for each in carried), notes)
