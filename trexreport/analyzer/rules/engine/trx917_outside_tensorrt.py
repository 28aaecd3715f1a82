"""TRX917 engine.outside-tensorrt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from trexreport.analyzer.analysis.execution import Execution, NodeUse
from trexreport.analyzer.execution import COPIES
from trexreport.analyzer.rules import Context, Hit, Hits, built_in_rule
from trexreport.analyzer.rules.limits import percent
from trexreport.numbers import counted, format_ms, format_percent, join_names, middle_ellipsis
from trexreport.regex import regex

_MAX_OPERATORS, _LONGEST = 5, 60
_CPU, _CUDA = "CPUExecutionProvider", "CUDAExecutionProvider"
#: What computes sizes and indices of few elements: with a GPU, ONNX Runtime leaves it on the CPU on purpose.
_OF_SIZES = frozenset(
    {"Shape", "Size", "Gather", "Slice", "Concat", "Unsqueeze", "Squeeze", "Cast", "Add", "Sub", "Mul", "Div"}
    | {"Range", "ConstantOfShape", "Reshape", "Equal", "Where", "Mod", "ReduceProd", "Constant", "Expand"}
)
_CONTROL = frozenset({"Loop", "If", "Scan"})
_NAMES = regex(r"[,; ]+")


@built_in_rule(
    "warning",
    needs=(),
    section="execution",
    thresholds=(
        percent("share_percent", 2.0, "Minimum share of the nodes' time, or of the operators without times."),
    ),
)
def outside_tensorrt(context: Context, *, share_percent: float) -> Hits:
    """ONNX Runtime or Torch-TensorRT runs nodes outside of TensorRT.

    Cost:
        Each part of the model between two engines is run node by node, with kernels that are not fused, and
        the engines before and after it lose the fusions across. Between GPU and CPU tensors are copied and
        the GPU waits.

    Recommendation:
        What each place states: replace these operators in the model, move them to its beginning or end, or
        write a plugin or converter. Where the options allow it, shape inference before the session
        (symbolic_shape_infer.py) and a lower trt_min_subgraph_size or min_block_size let TensorRT take more.

    False alarm:
        Steps before or after the network, such as the decoding of detections, may belong elsewhere, and a
        provider may be set on purpose. ONNX Runtime times nodes on the host: what a CUDA node leaves to the
        GPU counts for a later node.

    Est. savings:
        Not estimated: how fast TensorRT runs these nodes is not known.
    """
    execution = context.analysis.execution
    if execution is None:
        return
    nodes = execution.fallbacks
    parts = _parts(execution)
    evidence = {"File": execution.file, "Recommendation": _remedy(execution, parts)}
    computing = Counter(node.operator for node in parts.computing if node.operator)
    if operators := computing.most_common(_MAX_OPERATORS):
        listed = (f"{count} {middle_ellipsis(name, _LONGEST)}" for name, count in operators)
        evidence["Operators"] = ", ".join(listed)
    if not execution.nodes:
        if execution.copies:
            yield Hit(
                f"{counted(execution.copies, 'node copies', 'nodes copy')} tensors between CPU and GPU, as "
                "parts of the model run on the CPU.",
                evidence=evidence,
            )
        return
    if not execution.has_tensorrt:
        yield Hit("No part of the model ran on TensorRT.", (), None, evidence)
        return
    by_operators = execution.outside_operators if execution.outside_percent is None else None
    share = execution.outside_percent
    if by_operators is not None and execution.operators:
        share = 100 * by_operators / execution.operators
    if not nodes and not by_operators:
        return
    engines = [each.nodes for each in execution.providers if each.is_tensorrt]
    if sum(engines) > 1:
        evidence["Engines"] = str(sum(engines))
    if by_operators:
        what = counted(by_operators, "operator runs", "operators run") + " outside of TensorRT"
        amount = f" ({format_percent((share or 0) / 100)} of {execution.operators})"
    else:
        what, amount = parts.sentence(), ""
        if share is not None and execution.outside_ms is not None:
            amount = f" ({format_percent(share / 100)} of the nodes' time, {format_ms(execution.outside_ms)})"
    is_small = share < share_percent if share is not None else not (by_operators or parts.computing)
    yield Hit(f"{what}{amount}.", (), None, evidence, severity="info" if is_small else None)


class _Parts(NamedTuple):
    """What is outside of TensorRT: what computes, what computes sizes on the CPU, and what copies."""

    computing: list[NodeUse]
    sizes: list[NodeUse]
    copies: list[NodeUse]

    def sentence(self) -> str:
        """Return how many nodes run outside, apart from those that the runtime put or left there."""
        beside = [
            counted(len(nodes), f"node that {one}", f"nodes that {more}")
            for nodes, one, more in (
                (self.copies, "copies between CPU and GPU", "copy between CPU and GPU"),
                (self.sizes, "computes sizes on the CPU", "compute sizes on the CPU"),
            )
            if nodes
        ]
        if not self.computing:
            verb = "run" if len(self.sizes + self.copies) > 1 else "runs"
            return f"Only {join_names(beside)} {verb} outside of TensorRT"
        runs = counted(len(self.computing), "node runs", "nodes run")
        return f"{runs} outside of TensorRT{f', beside {join_names(beside)}' if beside else ''}"


def _parts(execution: Execution) -> _Parts:
    nodes = execution.fallbacks
    has_gpu = any(provider.name == _CUDA for provider in execution.providers)
    copies = [node for node in nodes if node.operator in COPIES]
    sizes = [node for node in nodes if has_gpu and node.provider == _CPU and node.operator in _OF_SIZES]
    apart = {id(node) for node in (*copies, *sizes)}
    return _Parts([node for node in nodes if id(node) not in apart], sizes, copies)


def _remedy(execution: Execution, parts: _Parts) -> str:
    """Return what moves nodes to TensorRT, as far as the options and the log do not show it."""
    is_onnx = execution.framework == "onnx-runtime"
    operators = {node.operator for node in parts.computing if node.operator}
    option = "trt_op_types_to_exclude" if is_onnx else "torch_executed_ops"
    excluded = operators & {*_NAMES.split(execution.options.get(option, ""))}
    loops = operators & _CONTROL
    computes = bool(parts.computing) or not (parts.sizes or parts.copies)
    found = []
    if excluded:
        found.append(
            f"{option} keeps {join_names(sorted(excluded))} out of TensorRT: leave out of it what TensorRT "
            "supports."
        )
    if loops:
        found.append(
            f"Compute what {join_names(sorted(loops))} {'does' if len(loops) == 1 else 'do'} before the "
            "session where it depends on sizes alone, or unroll it."
        )
    if not execution.nodes:
        found.append("Log with verbose severity, which lists the nodes of each provider.")
    elif not execution.has_tensorrt:
        found.append("The log of the session says why: a library was not found, or no engine could be built.")
    elif operators - excluded - loops or (computes and not operators):
        which = "the other operators" if excluded or loops else "these operators"
        found.append(f"Replace {which}, move them to the beginning or end of the model, or write a")
        found.append("plugin." if is_onnx else "converter.")
    if parts.sizes and not parts.computing:
        found.append("Sizes stay on the CPU by design; fixed shapes in the model remove them.")
    elif execution.has_tensorrt and computes and not excluded >= operators > set():
        found.append(_take_more(execution.options, is_onnx=is_onnx))
    if is_onnx and execution.copies:
        found.append(
            "The copies go with the nodes on the CPU; while there are any, no CUDA graph is possible."
        )
    return " ".join(filter(None, found))


def _take_more(options: Mapping[str, str], *, is_onnx: bool) -> str:
    """Return which options let TensorRT take more nodes; empty where they are set so."""
    least = "trt_min_subgraph_size" if is_onnx else "min_block_size"
    is_least = options.get(least) in {"0", "1"}
    infer = "shape inference before the session (symbolic_shape_infer.py)" if is_onnx else ""
    ways = [*filter(None, [infer]), *([] if is_least else [f"a lower {least}"])]
    return f"TensorRT may take more with {join_names(ways)}." if ways else ""
