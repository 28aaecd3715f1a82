"""TRX917 engine.outside-tensorrt."""

from __future__ import annotations

from collections import Counter

from trexreport.analyzer.rules import Context, Hit, Hits, built_in_rule
from trexreport.analyzer.rules.limits import percent
from trexreport.numbers import counted, format_ms, format_percent, middle_ellipsis

_MAX_OPERATORS, _LONGEST = 5, 60


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
        Find out why TensorRT does not run these operators: the log of the session with verbose severity
        (ONNX Runtime) and the dryrun report (Torch-TensorRT) say which are not supported. Replace them in the
        model, move them to its beginning or end, or write a plugin or converter. Shape inference before the
        session (symbolic_shape_infer.py) and a lower trt_min_subgraph_size or min_block_size let TensorRT
        take more.

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
    evidence = {"File": execution.file}
    operators = Counter(node.operator for node in nodes if node.operator).most_common(_MAX_OPERATORS)
    if operators:
        listed = (f"{count} {middle_ellipsis(name, _LONGEST)}" for name, count in operators)
        evidence["Operators"] = ", ".join(listed)
    if not execution.has_tensorrt:
        yield Hit("No part of the model ran on TensorRT.", (), None, evidence)
        return
    by_operators = execution.outside_operators if execution.outside_percent is None else None
    share = execution.outside_percent
    if by_operators is not None and execution.operators:
        share = 100 * by_operators / execution.operators
    if not nodes and not by_operators:
        return
    parts = [each.nodes for each in execution.providers if each.is_tensorrt]
    if sum(parts) > 1:
        evidence["Engines"] = str(sum(parts))
    if by_operators:
        what = counted(by_operators, "operator runs", "operators run")
        amount = f" ({format_percent((share or 0) / 100)} of {execution.operators})"
    else:
        what = counted(len(nodes), "node runs", "nodes run")
        amount = ""
        if share is not None and execution.outside_ms is not None:
            amount = f" ({format_percent(share / 100)} of the nodes' time, {format_ms(execution.outside_ms)})"
    is_small = share is not None and share < share_percent
    yield Hit(
        f"{what} outside of TensorRT{amount}.", (), None, evidence, severity="info" if is_small else None
    )
