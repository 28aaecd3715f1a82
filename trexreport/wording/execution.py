"""Sentences on where a framework runs the nodes of a model."""

from __future__ import annotations

from trexreport.analyzer.analysis.execution import ComparedExecution, Execution
from trexreport.numbers import counted, format_ms
from trexreport.wording.shares import percent

FRAMEWORKS = {"onnx-runtime": "ONNX Runtime", "torch-tensorrt": "Torch-TensorRT"}


def execution_sentence(execution: Execution) -> str:
    """Return what runs outside of TensorRT, and how much of the time or the operators that is."""
    count = len(execution.fallbacks)
    framework = FRAMEWORKS[execution.framework]
    if not execution.nodes:
        return f"The log of {framework} does not list where nodes run."
    if not execution.has_tensorrt:
        return f"{framework} runs no part of the model on TensorRT."
    if execution.outside_operators is not None and execution.operators:
        if not execution.outside_operators:
            return f"{framework} runs all {counted(execution.operators, 'operator')} on TensorRT."
        share = percent(100 * execution.outside_operators / execution.operators)
        runs = counted(execution.outside_operators, "operator runs", "operators run")
        return f"{runs} outside of TensorRT, {share} of {execution.operators}."
    if not count:
        return f"{framework} runs the whole model on TensorRT."
    runs = counted(count, "node runs", "nodes run")
    if execution.outside_percent is None or execution.outside_ms is None:
        return f"{runs} outside of TensorRT."
    takes = "takes" if count == 1 else "take"
    share, time = percent(execution.outside_percent), format_ms(execution.outside_ms)
    return f"{runs} outside of TensorRT and {takes} {share} of the nodes' time ({time})."


def run_note(execution: Execution) -> str:
    """Return of which runs the mean time of a run is: "2 runs of ONNX Runtime"."""
    runs = execution.runs and counted(execution.runs - execution.warm_up_runs, "run")
    return f"{runs or 'runs'} of {FRAMEWORKS[execution.framework]}"


def execution_remarks(execution: Execution) -> list[str]:
    """Return what to know of the times, and what the division costs."""
    remarks = []
    if execution.runs is not None:
        of = f"Times are means of {counted(execution.runs - execution.warm_up_runs, 'run')} of the model"
        left_out = (
            f"; the first of {execution.runs} is left out as a warm-up" if execution.warm_up_runs else ""
        )
        remarks.append(f"{of}{left_out}.")
    if execution.framework == "onnx-runtime" and execution.nodes_ms is not None:
        remarks.append(
            "ONNX Runtime times nodes on the host. CUDA nodes return before the GPU has finished, so their "
            "work can count for a later node that waits."
        )
    if execution.run_ms is not None and execution.nodes_ms is not None:
        remarks.append(
            f"A run takes {format_ms(execution.run_ms)}, its nodes {format_ms(execution.nodes_ms)} together."
        )
    if execution.switches and execution.has_tensorrt:
        times = counted(execution.switches, "time")
        remarks.append(f"Execution changes {times} between TensorRT and other providers in a run.")
    if execution.copies:
        time = f", {format_ms(execution.copies_ms)}" if execution.copies_ms is not None else ""
        remarks.append(
            f"{counted(execution.copies, 'node copies', 'nodes copy')} tensors between CPU and GPU{time}."
        )
    if execution.build_ms is not None:
        remarks.append(
            f"TensorRT built {counted(execution.builds, 'engine')} in this session, in "
            f"{format_ms(execution.build_ms)}."
        )
    if execution.operators and execution.supported_operators is not None:
        remarks.append(
            f"TensorRT supports {execution.supported_operators} of "
            f"{counted(execution.operators, 'operator')}."
        )
    return remarks


def compared_execution_sentence(execution: ComparedExecution) -> str:
    """Return how many nodes run elsewhere than in the baseline, and what the change of their time is."""
    before, after = execution.outside
    moved = [node for node in execution.moved if node.before and node.after]
    left = [node for node in execution.moved if not node.before]
    entered = [node for node in execution.moved if not node.after]
    parts = [
        text
        for count, text in (
            (moved, f"{counted(len(moved), 'node')} moved to another provider"),
            (left, f"{counted(len(left), 'node is', 'nodes are')} outside of TensorRT in the candidate only"),
            (entered, f"{counted(len(entered), 'node is', 'nodes are')} outside in the baseline only"),
        )
        if count
    ]
    if execution.unnamed:
        parts.append(f"{counted(execution.unnamed, 'node has', 'nodes have')} no name and can't be compared")
    if not parts:
        return f"{counted(after, 'node runs', 'nodes run')} outside of TensorRT, the same as in the baseline."
    listed = "; ".join(parts)
    total = f"Outside of TensorRT: {counted(before, 'node')} in the baseline, {after} here"
    one, other = execution.outside_ms
    if one is not None and other is not None:
        total += f" ({format_ms(one)} and {format_ms(other)} in a run)"
    return f"{listed[0].upper()}{listed[1:]}. {total}."
