"""TRX421 precision.few-calibration-batches."""

from __future__ import annotations

from trexreport.analyzer.rules import Context, Hit, Hits, Threshold, built_in_rule
from trexreport.numbers import counted


@built_in_rule(
    "info",
    needs=(),
    thresholds=(Threshold("min_batches", 100, 1, 1e6, "Number of batches from which on they are enough."),),
)
def few_calibration_batches(context: Context, *, min_batches: float) -> Hits:
    """The calibration of INT8 scales ran few batches, or random inputs.

    Cost:
        The scales hold for what the calibration has seen. Few images show few of the largest values, so that
        others are clipped and the accuracy falls; random inputs show values that the network never has.

    Recommendation:
        Calibrate with some hundreds of inputs that represent those in use, and compare the accuracy. [if
        random-calibration: Polygraphy reads them from --data-loader-script. If only the time counts, nothing
        need be done.] [10.1..: A calibration in the builder is deprecated since TensorRT 10.1: quantize the
        model with Q/DQ nodes (ModelOpt).]

    False alarm:
        The log states the number of batches and not that of inputs: large batches hold enough of them.

    Est. savings:
        Not estimated: it concerns the results, not the time.
    """
    if context.build_fact("Inputs of the calibration") == "random":
        yield Hit("The INT8 scales are of a calibration with random inputs.", severity="warning")
        return
    last = context.build_fact("Last calibration batch")
    batches = int(last) + 1 if last.isdecimal() else 0
    if not 0 < batches < min_batches:
        return
    yield Hit(f"The INT8 scales are of a calibration with {counted(batches, 'batch', 'batches')}.")
