"""Find the files of Nsight's tools; what reads them is imported only for captures that have them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from trexreport.model import InputWarning, Source
from trexreport.reader.nsight import REPORT_SUFFIXES
from trexreport.reader.roles import split_name

#: What a file of a user becomes in a capture.
NSIGHT_ROLES = ("kernels", "counters")
#: A title in the tables of nsys, which it prints below what the program printed with --stats=true.
_OF_TABLES = b"Total Time"


def nsight_source(role: str, path: Path) -> Source:
    """Return a file of Nsight's tools as what a capture carries.

    Args:
        role: One of `NSIGHT_ROLES`.
        path: Of an export of Nsight Systems, or of a CSV of Nsight Compute.

    Raises:
        InputError: The file is unreadable, or something else.
    """
    from trexreport.reader.nsight.companion import counters_source, kernel_source

    return kernel_source(path) if role == "kernels" else counters_source(path)


def is_ncu_table(path: Path) -> bool:
    """Return whether a file is a CSV of Nsight Compute; what the program printed may precede its table."""
    if path.suffix.lower() != ".csv":
        return False
    from trexreport.reader.nsight.companion import has_counts

    return has_counts(path)


def is_kernel_table(path: Path) -> bool:
    """Return whether a file has a report of Nsight Systems, in CSV or text; lines of nsys may precede it."""
    if path.suffix.lower() not in {*REPORT_SUFFIXES, ".log"}:
        return False
    from trexreport.reader.nsight.companion import has_kernel_reports

    return has_kernel_reports(path)


def nsight_beside(
    files: Sequence[Path], prefix: str | None, known: Sequence[Source]
) -> tuple[list[Source], list[InputWarning]]:
    """Return what Nsight's tools wrote beside an engine, unless its own files carry that."""
    endings = {path.suffix.lower() for path in files} & {".sqlite", *REPORT_SUFFIXES}
    roles = {source.role for source in known}
    logs = {source.name for source in known if source.role == "log" and _OF_TABLES in source.data}
    found: list[Source] = []
    notes: list[InputWarning] = []
    if endings or logs:
        from trexreport.reader.nsight.companion import counters_beside, kernels_beside

        if "kernels" not in roles:
            found, notes = kernels_beside(files, prefix, logs)
        if ".csv" in endings and "counters" not in roles:
            more = counters_beside(files)
            found, notes = [*found, *more[0]], [*notes, *more[1]]
    return found, notes


def with_engine_name(sources: Sequence[Source]) -> list[Source]:
    """Give what Nsight wrote the name that the files of its engine have, so that it stays with them."""
    prefixes = (split_name(each.name)[0] for each in sources if each.role == "graph")
    prefix = next(filter(None, prefixes), None)
    return [
        replace(each, name=f"{prefix}.{each.role}.json") if prefix and each.role in NSIGHT_ROLES else each
        for each in sources
    ]
