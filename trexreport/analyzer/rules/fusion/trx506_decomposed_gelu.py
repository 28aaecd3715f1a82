"""TRX506 fusion.decomposed-gelu."""

from __future__ import annotations

from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.fusion.pointwise_parts import (
    is_gelu,
    operations_evidence,
    shape_evidence,
)
from trexreport.analyzer.rules.patterns import (
    pointwise_groups,
)
from trexreport.analyzer.rules.phrases import for_time
from trexreport.analyzer.rules.rule import Hit, rule
from trexreport.analyzer.rules.savings import least_gain, saved_by_fusing, worthwhile


@rule(
    "TRX506",
    "fusion.decomposed-gelu",
    "warning",
    many="{count} GELU activations run as several kernels each.",
    subject="fusion",
    thresholds=(least_gain(0.2),),
)
def decomposed_gelu(context: Context, *, gain_percent: float) -> list[Hit]:
    """A GELU activation runs as several pointwise kernels.

    Cost:
        The parts of x/2 (1 + erf(x/√2)), or of its approximation with tanh, each read and write the widest
        tensor of a transformer block.

    Advice:
        Export the activation as one node: ONNX has Gelu since opset 20 (TensorRT 10). With older ones keep
        the exporter's pattern whole: constants as constants, all of one type, no Cast and no clip inside. In
        PyTorch call `torch.nn.functional.gelu` rather than a formula of one's own.

    False alarm:
        A part of the pattern is an output of the network or read elsewhere, and so has to be written.

    Bound:
        The time of the parts but for the slowest: one kernel in place of all is taken to need at least as
        long as that one.
    """
    hits = [
        Hit(
            f"A GELU activation takes {len(members)} kernels{for_time(context, members)}.",
            tuple(members),
            saved_by_fusing(members),
            operations_evidence(members) | shape_evidence(members[-1]),
        )
        for members in context.once(pointwise_groups)
        if is_gelu(members)
    ]
    return worthwhile(context, hits, gain_percent)
