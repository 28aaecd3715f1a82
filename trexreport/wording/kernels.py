"""Sentences about the kernels of a trace, and why no kernel ran."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from trexreport.analyzer.analysis import Analysis
from trexreport.analyzer.analysis.counters import CountersFacts
from trexreport.analyzer.analysis.kernels import IdleCause, IdleTime, KernelMatch, KernelTraceFacts
from trexreport.numbers import counted, format_count, format_ms, format_number, join_names
from trexreport.wording.shares import percent
from trexreport.wording.texts import TEXTS

#: Cause to its name and to what happens meanwhile.
IDLE_CAUSES: Mapping[IdleCause, Sequence[str]] = TEXTS["kernels"]["idle-causes"]
MATCHES: Mapping[KernelMatch, str] = TEXTS["kernels"]["matches"]
COPIES: Mapping[str, str] = TEXTS["kernels"]["copies"]
#: Streams beyond are left out of drawings: TensorRT uses eight at most.
MOST_STREAMS = 8
#: What the thread of the queries does on the CPU.
HOST_CALLS: Mapping[str, str] = {"query": "query is enqueued", "wait": "waits for the GPU"}
#: In place of the name of a kernel that is of no query.
NO_LAYER = "kernel of no query"
#: In place of a kernel's name, where a report has the work of a range without kernels.
ALL_WORK = "all work of the range, with copies and gaps"
#: The report with the kernels of each layer.
_RANGE_REPORT = "nvtx_kern_sum"
#: Smaller parts are not named in a sentence.
_NAMED_PERCENT = 0.5


def kernels_sentence(analysis: Analysis) -> str:
    """Return how many kernels a query runs, how long they take, and how long the GPU was idle."""
    found = analysis.kernels
    if found is None:
        return "There is no trace of the kernels."
    subject = "A query runs" if found.queries else "The trace has"
    which = "which take" if found.launches != 1 else "which takes"
    text = f"{subject} {_kernels(found.launches)}, {which} {format_ms(found.kernel_ms)}"
    if found.idle_percent is None:
        return f"{text}."
    causes = [
        f"{percent(each.percent)} {IDLE_CAUSES[each.cause][0]}"
        for each in found.idle
        if each.percent >= _NAMED_PERCENT
    ]
    why = f": {join_names(causes)}" if causes else ""
    return f"{text}. No kernel ran in {percent(found.idle_percent)} of the traced time{why}."


def _kernels(launches: float) -> str:
    if launches == int(launches):
        return counted(int(launches), "kernel")
    return f"{format_number(launches)} kernels"


def trace_sentence(found: KernelTraceFacts) -> str:
    """Return what was traced, and for which part of the kernels the layer is known."""
    subject = f"{found.tool}, {join_names(list(found.reports))}" if found.reports else found.tool
    text = f"{subject} on {found.device}: " if found.device else f"{subject}: "
    text += f"{_traced(found)}."
    if found.traced_ms is None:
        text += " These reports have sums without single runs: gaps and idle time are not known."
    if found.reports and not found.matched_percent:
        if _RANGE_REPORT in found.reports:
            return f"{text} No range in {_RANGE_REPORT} is a layer of this engine."
        return f"{text} The report {_RANGE_REPORT} or a SQLite export has the layers of the kernels."
    if found.matched_percent is None:
        return text
    text += f" The layer is known for {percent(found.matched_percent)} of the kernel time"
    if found.region_percent:
        text += f"; {percent(found.region_percent)} is of Myelin regions, which mark none of their layers"
    if found.traced_ms is None:
        return f"{text}."
    return f"{text}. A trace slows the CPU: gaps are shorter without it."


def _traced(found: KernelTraceFacts) -> str:
    if not found.queries:
        return "all kernels, as no query of TensorRT is marked"
    one, several = (
        ("launch of a CUDA graph", "launches of a CUDA graph")
        if found.query_kind == "graph"
        else ("query", "queries")
    )
    of_all = counted(found.queries_found, one, several)
    if found.other_queries:
        others = counted(found.other_queries, "query", "queries")
        return f"{format_count(found.queries)} of {of_all}, without {others} of another engine or profile"
    if found.queries == found.queries_found:
        return of_all
    return f"the last {format_count(found.queries)} of {of_all}"


def row_label(kind: str, stream: int | None = None) -> str:
    """Return what a row of the timeline of kernels is called."""
    name = {"cpu-query": "CPU, query", "cpu-wait": "CPU, waits", "gaps": "no kernel"}.get(kind, kind)
    return name if stream is None else f"{name}, {stream}"


def timeline_sentence(found: KernelTraceFacts) -> str:
    """Return which query the timeline of kernels shows; empty without one."""
    timeline = found.timeline
    if timeline is None:
        return ""
    begin = "its call" if timeline.query == 1 else "the last kernel of the query before it"
    text = (
        f"Query {format_count(timeline.query)} of {format_count(found.traced_queries)}, whose GPU time is "
        f"the median, as it was traced: {format_ms(timeline.total_ms)} from {begin} on."
    )
    streams = len({run.stream for run in timeline.runs})
    if streams > MOST_STREAMS:
        text += f" The first {MOST_STREAMS} of {streams} streams are shown."
    if timeline.left_out:
        text += f" {format_count(timeline.left_out)} more runs are not shown."
    return text


def counters_sentence(found: CountersFacts) -> str:
    """Return for how many layers bytes were measured, and how far those of the tensors are from them."""
    text = (
        f"Nsight Compute counted {counted(found.kernels, 'run')} of kernels, of which "
        f"{format_count(found.matched)} belong to known layers."
    )
    if found.is_other:
        return (
            f"Nsight Compute counted {counted(found.kernels, 'run')} of kernels of another engine or GPU: "
            "measured bytes and operations are not known."
        )
    if not found.matched:
        return (
            f"Nsight Compute counted {counted(found.kernels, 'run')} of kernels, none of which is known "
            f"to be of a layer: their names differ, or {found.file[:80] or 'the CSV'} is of another engine."
        )
    if found.median_percent is None:
        return f"{text} No layer has both measured bytes and bytes by its tensors."
    return (
        f"{text} The bytes of device memory are {percent(found.median_percent)} of those by tensors and "
        f"weights: the median of {counted(found.compared, 'layer')}, with a 10th to 90th percentile of "
        f"{percent(found.low_percent)} to {percent(found.high_percent)}; of all of them together they are "
        f"{percent(found.total_percent)}. This is the model error."
    ) + _operations(found)


def _operations(found: CountersFacts) -> str:
    if found.operations_percent is None:
        return ""
    return (
        f" Tensor Cores ran {percent(found.operations_percent)} of the operations by shapes, of "
        f"{counted(found.operations_compared, 'layer')} that use them."
    )


def idle_sentence(idle: IdleTime) -> str:
    """Return what happens during idle time of this cause."""
    return IDLE_CAUSES[idle.cause][1]
