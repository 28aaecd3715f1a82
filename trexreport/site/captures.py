"""Read what was found: the files of a capture, and whether a page carries one at all."""

from __future__ import annotations

from trexreport.errors import TrexReportError
from trexreport.reader import locate_with_model
from trexreport.reader.capture import Capture
from trexreport.reader.pdf_file import find_manifest, is_pdf
from trexreport.reader.report_file import is_comparison, is_report
from trexreport.site.discovery import Found


def read_capture(found: Found) -> Capture:
    """Return the files of a capture, with its model; behind a URL only the structure of one is looked for.

    Raises:
        InputError: They can't be read, or are no capture.
    """
    with found.folder.on_disk(found.files) as folder:
        return locate_with_model([folder / path for path in found.paths])


def carries_inputs(found: Found) -> bool:
    """Return whether a page or PDF claims to carry one capture, so that it matters that it can't be read."""
    try:
        with found.folder.on_disk(found.files) as folder:
            data = (folder / found.paths[0]).read_bytes()
    except (TrexReportError, OSError):
        return True
    if is_comparison(data, found.paths[0]):
        return False
    if is_pdf(data):
        return find_manifest(data) is not None
    return is_report(data) and b'id="trexreport-inputs"' in data
