"""TRX003 accuracy.range-drift."""

from __future__ import annotations

from trexreport.analyzer.rules import Context, Hit, Hits, Threshold, built_in_rule
from trexreport.analyzer.rules.phrases import LAYER
from trexreport.numbers import format_number

_MAX_PLACES = 20


@built_in_rule(
    "warning",
    needs=("accuracy",),
    many="{count} tensors have ranges that differ from the reference.",
    thresholds=(
        Threshold("factor", 10.0, 1.001, 1e9, "Minimum factor between the largest magnitudes of a tensor."),
    ),
)
def range_drift(context: Context, *, factor: float) -> Hits:
    """The range of a tensor differs much from that of the reference.

    Cost:
        The largest magnitude is many times smaller or larger than in the reference. Smaller: values are
        clipped, as by a scale of quantization that was calibrated on other data. Larger: an overflow was
        clipped to the end of the type, or the layer computes something else.

    Recommendation:
        Check that both runs had the same inputs and preprocessing. [if quantized: Check the scale of the
        quantization at this tensor, and calibrate with data like those of the application.]

    False alarm:
        The inputs of both runs differed, which the ranges of the first tensors show.

    Est. savings:
        Not estimated: it concerns the results, not the time.
    """
    accuracy = context.analysis.accuracy
    found = [
        (each, each.range_ratio)
        for each in (accuracy.tensors if accuracy else ())
        if each.layers and each.range_ratio is not None and not 1 / factor < each.range_ratio < factor
    ]
    for each, ratio in found[:_MAX_PLACES]:
        layers = tuple(context.layers[layer] for layer in reversed(each.layers))
        message = (
            f"{LAYER} writes a tensor whose largest magnitude is {format_number(ratio)} times that of the "
            "reference."
        )
        yield Hit(message, layers, None, {"Tensor": each.figures.name})
