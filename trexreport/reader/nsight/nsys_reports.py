"""Read reports of `nsys stats --format csv`: sums of kernels by NVTX range, and traces of their runs.

Which report has what: "nvtx_kern_sum" the kernels of each range, without their single runs;
"cuda_gpu_kern_sum" the same without ranges; "cuda_gpu_trace" runs and copies; "cuda_kern_exec_trace" runs
with the calls that launched them; "cuda_api_trace" calls; "nvtx_gpu_proj_trace" and "nvtx_pushpop_trace"
ranges. Together they have what the SQLite export has, apart from the nodes of CUDA graphs and the sizes of
copies. Source: User Guide of Nsight Systems, "Report Scripts".
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from trexreport.errors import InputError
from trexreport.model.kernel_trace import KernelTrace
from trexreport.reader.nsight.nsys_runs import read_runs
from trexreport.reader.nsight.nsys_sums import read_sums
from trexreport.reader.nsight.nsys_tables import REPORT_NAMES, ReportKind, ReportTable, read_tables

_ALONE = frozenset[ReportKind]({"api-trace", "ranges"})
_HINT = "Write more of them: nsys stats --format csv --report nvtx_kern_sum,cuda_gpu_trace X.sqlite."


def read_reports(contents: Sequence[str], name: str) -> KernelTrace:
    """Return the kernels of the reports in some texts.

    Args:
        contents: Of the files of one trace.
        name: Of the first file.

    Raises:
        InputError: There is no report, none with kernels, or one is there twice.
    """
    try:
        found = [table for content in contents for table in read_tables(content)]
    except csv.Error as error:
        raise InputError(
            f"{name} can't be read as CSV: {error}.", "Write it again with nsys stats --format csv."
        ) from None
    tables = _by_kind(found, name)
    if not tables.keys() - _ALONE:
        known = " and ".join(REPORT_NAMES[kind] for kind in sorted(tables)) or "no report"
        raise InputError(f"{name} has {known} of Nsight Systems: none has kernels.", _HINT)
    trace = _with_sums(read_runs(tables), tables)
    if not trace.runs and not trace.sums:
        raise InputError(f"{name} has no row of a kernel that can be read.", _HINT)
    reports = tuple(REPORT_NAMES[kind] for kind in REPORT_NAMES if kind in tables)
    left_out = sum(len(table.refused) for table in found)
    return replace(trace, file=name, reports=reports, rows_left_out=left_out)


def _by_kind(found: Iterable[ReportTable], name: str) -> Mapping[ReportKind, ReportTable]:
    tables: dict[ReportKind, ReportTable] = {}
    for table in found:
        if table.kind in tables and table.rows != tables[table.kind].rows:
            raise InputError(
                f"{name} has the report {REPORT_NAMES[table.kind]} twice.", "Give the reports of one trace."
            )
        tables.setdefault(table.kind, table)
    return tables


def _with_sums(trace: KernelTrace, tables: Mapping[ReportKind, ReportTable]) -> KernelTrace:
    configs = {config: place for place, config in enumerate(trace.configs)}
    ranges = {each: place for place, each in enumerate(trace.ranges)}
    sums, other_threads = read_sums(tables, configs, ranges)
    return replace(
        trace,
        configs=tuple(configs),
        ranges=tuple(ranges),
        sums=tuple(sums),
        other_threads=max(trace.other_threads, other_threads),
    )
