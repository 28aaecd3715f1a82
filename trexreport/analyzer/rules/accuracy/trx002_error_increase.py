"""TRX002 accuracy.error-increase."""

from __future__ import annotations

from trexreport.analyzer.rules import Context, Hit, Hits, built_in_rule
from trexreport.analyzer.rules.limits import percent
from trexreport.analyzer.rules.phrases import LAYER
from trexreport.numbers import format_count
from trexreport.wording.shares import percent as written

_MEASURES = frozenset({"relative", "cosine"})
#: Layers that are named; the section has all.
_MAX_PLACES = 20


@built_in_rule(
    "warning",
    needs=("accuracy",),
    many="{count} layers add much to the error.",
    thresholds=(
        percent("increase_percent", 5.0, "Minimum increase of a layer's error, in percent of the reference."),
    ),
)
def error_increase(context: Context, *, increase_percent: float) -> Hits:
    """A layer adds much to the error.

    Cost:
        The error of its output is well above what its inputs explain, so the layer itself causes it: by the
        precision in which it computes, by a scale of its quantization that does not fit, or by a defect.

    Recommendation:
        Keep it in a higher precision; the report's section on accuracy has flags and names of nodes, and an
        estimate of the time. [if quantized: For a quantized layer, first check its scales: a few large values
        stretch the range of all others (calibrate with percentiles or entropy, or quantize by channel).]

    False alarm:
        A function that is steep by nature, such as a division by small values. What counts is the accuracy of
        the whole model on your data.

    Est. savings:
        Not estimated: it concerns the results, not the time.
    """
    accuracy = context.analysis.accuracy
    if accuracy is None or accuracy.measure not in _MEASURES:
        return
    found = [each for each in accuracy.tensors if 100 * (each.increase or 0.0) >= increase_percent]
    for each in [each for each in found if each.layers][:_MAX_PLACES]:
        error, inputs = 100 * (each.error or 0.0), 100 * (each.input_error or 0.0)
        layers = tuple(context.layers[layer] for layer in reversed(each.layers))
        message = f"{LAYER} has an error of {written(error)}, of which its inputs explain {written(inputs)}."
        if each.steps > 1 and each.between_count > 1:
            # No tensor between is known: the layer may pass on what one before it caused.
            message = (
                f"The error at {LAYER} is {written(error)}, of which the known tensors before explain "
                f"{written(inputs)}: one of {format_count(each.between_count)} layers adds it."
            )
        yield Hit(message, layers, None, {"Tensor": each.figures.name, "Precision": layers[0].precision})
