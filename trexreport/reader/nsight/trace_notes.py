"""What is noted of the kernels of a trace."""

from __future__ import annotations

from collections import Counter

from trexreport.model import IMPOSSIBLE, InputWarning
from trexreport.model.kernel_trace import WHOLE_GRAPH, KernelTrace
from trexreport.numbers import counted, format_percent

#: A kernel may begin shortly before the one before it ends (programmatic dependent launch).
_MOST_OVERLAP = 0.5


def trace_notes(trace: KernelTrace, refused: int, name: str) -> list[InputWarning]:
    """Return what is noted of a trace.

    Args:
        trace: The kernels.
        refused: How many rows and values nothing can have.
        name: Of the file.
    """
    notes = []
    if refused := refused + trace.rows_left_out:
        message = f"Rows and values of {trace.file or name} that are impossible were left out: {refused:,}."
        hint = "Export the trace again, or correct the program that writes it."
        notes.append(InputWarning("degraded", IMPOSSIBLE, message, name, ("kernels",), hint))
    if not trace.queries and trace.runs and not trace.sums:
        message = (
            f"{name} marks no queries of TensorRT: the section Kernels counts everything that the GPU ran."
        )
        hint = "Record with nsys profile --trace=cuda,nvtx, of an engine without a CUDA graph."
        if trace.reports:
            hint = "Give the export, or the reports cuda_kern_exec_trace and nvtx_gpu_proj_trace, too."
        notes.append(InputWarning("degraded", "no-traced-queries", message, name, ("kernels",), hint))
    if trace.queries and trace.runs and all(each.query is None for each in trace.runs):
        message = f"{name} has no call that launched a kernel of a query, so that no kernel has a layer."
        hint = "Export the whole trace again: nsys export --type sqlite."
        if trace.reports:
            hint = "Give the report cuda_kern_exec_trace, too."
        notes.append(InputWarning("degraded", "kernels-without-calls", message, name, ("kernels",), hint))
    if fault := _fault_of_streams(trace, name):
        hint = "Export the trace again, or correct the program that writes it."
        notes.append(InputWarning("degraded", "kernels-overlap", fault, name, ("kernels",), hint))
    if lost := _lost_kernels(trace):
        kernels = counted(lost, "kernel")
        message = (
            f"Queries of {name} lack {kernels} of layers that others run: means of them count too little."
        )
        hint = "Rows are missing, the recording ended before, or a condition skips layers: record again."
        notes.append(InputWarning("degraded", "kernels-missing", message, name, ("kernels",), hint))
    if any(each.name == WHOLE_GRAPH for each in trace.configs):
        message = f"{name} has CUDA graphs without their kernels: the layers of their time are not known."
        hint = "Record again with nsys profile --cuda-graph-trace=node."
        notes.append(InputWarning("degraded", "graphs-without-kernels", message, name, ("kernels",), hint))
    if trace.other_threads:
        others = counted(trace.other_threads, "other thread")
        message = f"{others} ran queries, too: their kernels count as busy time only."
        notes.append(InputWarning("info", "other-threads", message, name, ("kernels",)))
    if trace.other_devices:
        message = f"Kernels of {counted(trace.other_devices, 'other GPU')} were left out."
        notes.append(InputWarning("info", "other-gpus", message, name, ("kernels",)))
    if trace.is_cut:
        message = f"The trace has more kernels than are read: {len(trace.runs):,} were kept."
        notes.append(InputWarning("degraded", "trace-cut", message, name, ("kernels",)))
    return notes


def _fault_of_streams(trace: KernelTrace, name: str) -> str:
    """Return how kernels of one stream did not run one after another; empty where they may have."""
    if trace.query_kind != "enqueue" or any(each.origin == "graph-node" for each in trace.runs):
        # Nodes of a graph are on the stream that launched it.
        return ""
    busy_ns = twice_ns = misplaced = 0
    until: dict[int, tuple[int, int]] = {}
    # Other threads may have streams with the same numbers.
    for run in trace.runs:
        if run.query is None or run.stream is None:
            continue
        last, called = until.get(run.stream, (run.begin_ns, 0))
        call = called if run.call_begin_ns is None else run.call_begin_ns
        twice_ns += max(0, min(last, run.end_ns) - run.begin_ns)
        busy_ns += max(0, run.end_ns - max(last, run.begin_ns))
        misplaced += call < called or run.begin_ns < run.end_ns < last
        until[run.stream] = max(last, run.end_ns), max(called, call)
    if twice_ns > _MOST_OVERLAP * busy_ns:
        share = format_percent(min(1.0, twice_ns / busy_ns))
        return (
            f"Kernels that {name} has on one stream overlap for {share} of their time, and "
            "a stream runs one after another: they began at other times, or took less."
        )
    if misplaced:
        kernels = counted(misplaced, "kernel")
        return (
            f"A stream runs one kernel after another, as they were launched, and {name} has {kernels} inside "
            "or after a later one: rows have other times, or calls of other kernels."
        )
    return ""


def _lost_kernels(trace: KernelTrace) -> int:
    """Return how many kernels of layers queries lack that most of them run once, if they run no others."""
    found: list[Counter[tuple[int, int]]] = [Counter() for _ in trace.queries]
    for run in trace.runs:
        if run.query is not None and run.range is not None:
            found[run.query][run.range, run.config] += 1
    whole = max(found, key=Counter.total, default=Counter[tuple[int, int]]())
    # Other shapes have other kernels, and loops run theirs more or less often.
    if trace.is_cut or any(each - whole for each in found):
        return 0
    lost = sum((whole - each for each in found if each), Counter[tuple[int, int]]())
    ran = sum(map(bool, found))
    if not all(whole[each] == 1 and 2 * lost[each] < ran for each in lost):
        return 0
    return lost.total() + whole.total() * (len(found) - ran)
