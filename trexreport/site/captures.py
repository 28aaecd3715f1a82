"""Read what was found: the files of a capture, and whether a page carries one at all."""

from __future__ import annotations

from dataclasses import replace

from trexreport.errors import TrexReportError
from trexreport.pipeline.captures import CaptureInput
from trexreport.pipeline.phases import PhasesInput, choose_phases
from trexreport.reader import locate_with_model
from trexreport.reader.capture import Capture
from trexreport.reader.engine_folders import engines_in
from trexreport.reader.marks import is_pdf, is_report
from trexreport.reader.pdf_file import find_manifest
from trexreport.reader.report_file import is_comparison, listed_phases
from trexreport.redaction.kinds import Redaction
from trexreport.site.discovery import Found

#: What a page is made of.
Read = Capture | PhasesInput


def read_capture(found: Found) -> Capture:
    """Return the files of a capture, with its model; behind a URL only the structure of one is looked for.

    Raises:
        InputError: They can't be read, or are not a capture.
    """
    with found.folder.on_disk(found.files) as folder:
        return locate_with_model([folder / path for path in found.paths])


def read_found(found: Found, redaction: Redaction | None) -> Read:
    """Return the files of a capture, or the phases of a set with theirs.

    Raises:
        InputError: They can't be read, or are not a capture.
    """
    with found.folder.on_disk(found.files) as folder:
        # What another producer wrote may be several engines in one folder.
        if found.kind == "capture" and not engines_in(folder / found.paths[0]):
            return read_capture(found)
        phases = choose_phases(CaptureInput((str(folder / found.paths[0]),), redaction=redaction), (), ())
        if phases is None:
            return read_capture(found)
        # All that a job needs is in it: the machine that runs it may have no such file.
        carried = tuple(
            replace(phase, path="", capture=phase.capture or locate_with_model([phase.path]))
            for phase in phases.phases
        )
    return replace(phases, phases=carried, capture=replace(phases.capture, paths=(found.place,)))


def carries_inputs(found: Found) -> bool:
    """Return whether a page or PDF claims to carry one capture, so that it matters that it can't be read."""
    try:
        with found.folder.on_disk(found.files) as folder:
            data = (folder / found.paths[0]).read_bytes()
    except (TrexReportError, OSError):
        return True
    if is_comparison(data, found.paths[0]) and not listed_phases(data)[1]:
        return False
    if is_pdf(data):
        return find_manifest(data) is not None
    return is_report(data) and b'id="trexreport-inputs"' in data
