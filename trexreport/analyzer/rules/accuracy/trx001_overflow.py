"""TRX001 accuracy.overflow."""

from __future__ import annotations

from trexreport.analyzer.analysis.accuracy import TensorErrorFacts
from trexreport.analyzer.rules import Context, Hit, Hits, built_in_rule
from trexreport.analyzer.rules.phrases import LAYER
from trexreport.numbers import format_number
from trexreport.wording.accuracy import beside_reference

#: The largest finite value of FP16.
_LARGEST_FP16 = 65_504.0
_FP16 = frozenset({"FP16"})


@built_in_rule("error", needs=("accuracy",), many="{count} layers overflow.")
def overflow(context: Context) -> Hits:
    """A layer computes NaN or infinity, or values that its type can't hold.

    Cost:
        Everything that is computed from NaN or infinity is wrong. Where the reference has values above
        65,504 and the layer writes FP16, they become infinite, or are clipped.

    Recommendation:
        Let this layer compute in FP32. [9.3.., if bf16-cores: BF16 has the range of FP32, too.] [8.4..10,
        unless typed: --layerPrecisions with the names of its ONNX nodes does so.] [if typed: A Cast in the
        model does so.] [if matmuls: Scale before the product, not after it.]

    False alarm:
        A mask of -inf that only Softmax reads; the reference has it too, and then nothing is reported.

    Est. savings:
        Not estimated: it concerns the results, not the time.
    """
    accuracy = context.analysis.accuracy
    for each in accuracy.tensors if accuracy else ():
        layers = tuple(context.layers[layer] for layer in reversed(each.layers))
        name = LAYER if layers else f"The tensor {each.figures.name[:80]}"
        evidence = {"Tensor": each.figures.name, **_ranges(each)}
        if accuracy and each.begins_non_finite:
            beside = beside_reference(accuracy, each)
            yield Hit(f"{name} writes NaN or infinity{beside}.", layers, None, evidence)
        elif layers and layers[0].output_precision in _FP16 and _magnitude(each) > _LARGEST_FP16:
            largest = format_number(_magnitude(each))
            message = f"{name} writes FP16, which ends at 65,504; the reference reaches {largest}."
            yield Hit(message, layers, None, evidence)


def _magnitude(each: TensorErrorFacts) -> float:
    return max(map(abs, each.figures.reference_range or (0.0,)))


def _ranges(each: TensorErrorFacts) -> dict[str, str]:
    both = (("Range", each.figures.candidate_range), ("Reference", each.figures.reference_range))
    return {
        label: f"{format_number(limits[0])} to {format_number(limits[1])}" for label, limits in both if limits
    }
