"""TRX506 fusion.decomposed-gelu."""

from __future__ import annotations

from trexreport.analyzer.analysis import slowest_first
from trexreport.analyzer.rules import Context, Hit, built_in_rule
from trexreport.analyzer.rules.fusion.pointwise_parts import is_gelu, operations_evidence, shape_evidence
from trexreport.analyzer.rules.limits import min_gain
from trexreport.analyzer.rules.named_layers import named_gelus
from trexreport.analyzer.rules.patterns import pointwise_groups
from trexreport.analyzer.rules.phrases import timed
from trexreport.analyzer.rules.savings import fused, fused_by_name, worthwhile
from trexreport.numbers import counted, format_count


@built_in_rule(
    "warning",
    many="{count} GELU activations run as several kernels each{extent}.",
    needs=(),
    thresholds=(min_gain(0.2),),
    replaces=True,
)
@worthwhile
def decomposed_gelu(context: Context) -> list[Hit]:
    """A GELU activation runs as several kernels.

    Cost:
        The parts of x/2 (1 + erf(x/√2)), or of its approximation with tanh, each read and write a large
        tensor, in a transformer block the widest.

    Recommendation:
        [10.., unless old-gpu: Export the activation as one node: ONNX has Gelu since opset 20.] Keep the
        exporter's pattern complete: constants as constants, all of one type, no Cast, Transpose or Clip
        inside. [if pytorch: Call `torch.nn.functional.gelu` instead of writing the formula.] [10.., unless
        old-gpu, if tensorflow: tf2onnx writes the formula: put one Gelu node in its place in the ONNX file,
        as with ONNX GraphSurgeon.]

    False alarm:
        A part of the pattern is an output of the network or has another consumer, so it must be written.
        Where a file contains only names, layers of one module around its error function are found.

    Est. savings:
        An estimate: the time of the layers minus that of one kernel, which reads and writes what they
        exchange with others at the rate of the fastest or slowest of them. By names at least the time of the
        slowest stays.
    """
    return [*_by_name(context), *_by_type(context)]


def _by_name(context: Context) -> list[Hit]:
    groups = named_gelus(context.layers) if context.untyped else []
    layers = [layer for members in groups for layer in members]
    if not layers:
        return []
    activations = counted(len(groups), "GELU activation runs", "GELU activations run")
    return [
        Hit(
            f"By name, {activations} as {format_count(len(layers))} kernels{timed(context, layers)}.",
            tuple(slowest_first(layers)),
            fused_by_name(groups),
            {"Identified": "by name"},
        )
    ]


def _by_type(context: Context) -> list[Hit]:
    return [
        Hit(
            f"A GELU activation runs as {len(members)} kernels{timed(context, members)}.",
            tuple(members),
            fused(context, members),
            operations_evidence(members) | shape_evidence(members[-1]),
        )
        for members in context.cached(pointwise_groups)
        if is_gelu(members)
    ]
