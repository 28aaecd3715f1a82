"""Find the files of Nsight's tools among those of a capture, and turn them into what a capture carries."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Container, Sequence
from pathlib import Path

from trexreport.errors import InputError
from trexreport.model import InputWarning, Source
from trexreport.reader.files import explained_reading, is_too_large, read_bytes, read_head
from trexreport.reader.foreign_files import explained
from trexreport.reader.json_text import decode_text
from trexreport.reader.nsight import REPORT_SUFFIXES, SQLITE_MAGIC, counters_file
from trexreport.reader.nsight.export import read_export
from trexreport.reader.nsight.ncu_csv import is_ncu_csv, read_ncu_csv
from trexreport.reader.nsight.nsys_columns import as_csv
from trexreport.reader.nsight.nsys_reports import read_reports
from trexreport.reader.nsight.nsys_tables import has_reports
from trexreport.reader.nsight.trace_file import SCHEMA, SUFFIX, write_trace
from trexreport.regex import regex

ENDING = ".sqlite"
#: Names of reports by their old and new schemes, and a time stamp that nsys may append to them.
_REPORT_ENDING = regex(
    r"[_.-]?(?:nvtx|cuda|gpu|kern|api)[a-z]*(?:_[a-z]+)*(?:_(?:base|mangled))?(?:[_.]\d+)?\Z", re.IGNORECASE
)
_HEAD_BYTES = 400


def kernel_source(path: Path) -> Source:
    """Return the kernels of an export of Nsight Systems as a file of a capture.

    Raises:
        InputError: The file is unreadable, or neither an export nor what a capture carries of one.
    """
    head = read_head(path, _HEAD_BYTES)
    if _is_kept(head, SCHEMA):
        return Source("kernels", path.name, read_bytes(path))
    with explained_reading(path):
        if head.startswith(SQLITE_MAGIC):
            return Source("kernels", f"{path.stem}{SUFFIX}", write_trace(read_export(path)))
        path.stat()
    return reports_source([path])


def reports_source(paths: Sequence[Path]) -> Source:
    """Return the kernels of reports of Nsight Systems, of one trace, as a file of a capture.

    Raises:
        InputError: A file is unreadable, or none has a report with kernels.
    """
    contents = [_report_text(path) for path in paths]
    first = paths[0]
    if not any(map(has_reports, contents)):
        with explained(Source("kernels", first.name, read_head(first, _HEAD_BYTES))):
            raise InputError(
                f"{first.name} is not an SQLite export of Nsight Systems, and no report of it.",
                "Make one: nsys export --type sqlite X.nsys-rep.",
            )
    return Source("kernels", f"{trace_name(first)}{SUFFIX}", write_trace(read_reports(contents, first.name)))


def _report_text(path: Path) -> str:
    """Return the text of a file, with tables of columns as CSV."""
    return as_csv(decode_text(read_bytes(path), path.name)[0])


def _is_kept(head: bytes, schema: str) -> bool:
    """Return whether a file is JSON of a capture with this schema, by its beginning."""
    return f'"{schema}"' in decode_text(head, "")[0]


def has_kernel_reports(path: Path) -> bool:
    """Return whether a file has a report of Nsight Systems, in CSV or as a table of text.

    Raises:
        InputError: The file is unreadable.
    """
    return not is_too_large(path) and has_reports(_report_text(path))


def trace_name(path: Path) -> str:
    """Return the name of the trace of a report: nsys appends that of the report, "X_nvtx_kern_sum"."""
    return _REPORT_ENDING.sub("", path.stem) or path.stem


def counters_source(path: Path) -> Source:
    """Return the counts of a CSV of Nsight Compute as a file of a capture.

    Raises:
        InputError: The file is unreadable, or neither such a CSV nor what a capture carries of one.
    """
    data = read_bytes(path)
    if _is_kept(data[:_HEAD_BYTES], counters_file.SCHEMA):
        return Source("counters", path.name, data)
    with explained(Source("counters", path.name, data)):
        counters = read_ncu_csv(decode_text(data, path.name)[0], path.name)
    return Source("counters", f"{path.stem}{counters_file.SUFFIX}", counters_file.write_counters(counters))


def has_counts(path: Path) -> bool:
    """Return whether a file has the table of Nsight Compute.

    Raises:
        InputError: The file is unreadable.
    """
    return not is_too_large(path) and is_ncu_csv(decode_text(read_bytes(path), path.name)[0])


def kernels_beside(
    files: Sequence[Path], prefix: str | None, logs: Container[str] = ()
) -> tuple[list[Source], list[InputWarning]]:
    """Return the kernels of the export that lies beside an engine's files.

    It is the one whose name begins as theirs do, else the only one. Damage is noted, as it was only found.

    Args:
        files: Of the folder.
        prefix: What the names of the engine's files begin with, if they follow the convention.
        logs: Names of logs below which there may be reports.
    """
    exports = [path for path in files if path.suffix.lower() == ENDING]
    stem = (prefix or "").removesuffix(".engine").removesuffix(".plan")
    chosen = [path for path in exports if stem and path.name.startswith(stem)] or exports
    if not chosen:
        return _reports_beside(files, stem, logs)
    if len(chosen) > 1:
        message = (
            f"The folder has {len(chosen)} SQLite files, of which none was read. Give one with --kernels."
        )
        return [], [InputWarning("info", "kernels-not-read", message, chosen[0].name)]
    path = chosen[0]
    try:
        return [kernel_source(path)], []
    except InputError as error:
        message = str(error).replace(str(path), path.name)
        return [], [InputWarning("info", "kernels-left-out", message, path.name, ("kernels",))]


def _reports_beside(
    files: Sequence[Path], stem: str, logs: Container[str]
) -> tuple[list[Source], list[InputWarning]]:
    """Return the kernels of the reports of one trace among CSV files, texts and logs; damage is noted."""
    traces: dict[str, list[Path]] = {}
    for path in files:
        if path.suffix.lower() in REPORT_SUFFIXES or path.name in logs:
            with contextlib.suppress(InputError):
                if has_kernel_reports(path):
                    traces.setdefault(trace_name(path), []).append(path)
    chosen = {name: own for name, own in traces.items() if stem and name.startswith(stem)} or traces
    if not chosen:
        return [], []
    paths = next(iter(chosen.values()))
    if len(chosen) > 1:
        message = f"The folder has reports of {len(chosen)} traces of Nsight Systems, of which none was read."
        hint = f"{message} Give one with --kernels."
        return [], [InputWarning("info", "kernels-not-read", hint, paths[0].name)]
    try:
        return [reports_source(paths)], []
    except InputError as error:
        message = str(error).replace(str(paths[0]), paths[0].name)
        return [], [InputWarning("info", "kernels-left-out", message, paths[0].name, ("kernels",))]


def counters_beside(files: Sequence[Path]) -> tuple[list[Source], list[InputWarning]]:
    """Return the counts of the CSV of Nsight Compute among files; damage is noted, as it was only found."""
    found, notes = [], []
    for path in files:
        if path.suffix.lower() != ".csv":
            continue
        try:
            if has_counts(path):
                found.append(counters_source(path))
        except InputError as error:
            message = str(error).replace(str(path), path.name)
            notes.append(InputWarning("info", "counters-left-out", message, path.name, ("roofline",)))
    if len(found) > 1:
        message = f"The folder has {len(found)} CSV files of Nsight Compute, of which none was read."
        notes.append(
            InputWarning("info", "counters-not-read", f"{message} Give one with --counters.", found[0].name)
        )
        return [], notes
    return found, notes
