"""TRX005 accuracy.failed-comparison."""

from __future__ import annotations

from trexreport.analyzer.rules import Context, Hit, Hits, built_in_rule


@built_in_rule("warning", needs=(), section="notes")
def failed_comparison(context: Context) -> Hits:
    """Outputs differ from those of the reference by more than the tolerance.

    Cost:
        Polygraphy compared the engine with a reference, such as ONNX Runtime, and states outputs whose error
        is beyond the tolerance that was given. The times are those of an engine that may not be usable.

    Recommendation:
        [if not-finite: In FP16, values beyond 65,504 become infinite, and their differences NaN: keep the
        layers with such values, such as Pow and ReduceMean of a normalization, in FP32.] [9.3.., if
        not-finite, if bf16-cores: BF16 has the range of FP32.] [unless not-finite: First see whether the
        tolerance fits the type: FP16 has 11 bits and BF16 8, so that errors of 0.1% and 1% of the largest
        values are usual after many layers, and relative errors of values near zero state nothing. Compare the
        results of the task then, and go on only if they are worse.] Find the layers that cause it (polygraphy
        run with --onnx-outputs and --trt-outputs for some tensors at a time, or polygraphy debug precision)
        and keep them in FP32.

    False alarm:
        The default tolerance of 0.00001 suits FP32 alone.

    Est. savings:
        Not estimated: it concerns the results, not the time.
    """
    count, _, names = context.build_fact("Outputs beyond the tolerance").partition(": ")
    if not count:
        return
    tolerance = context.build_fact("Tolerance of the comparison")
    failed, _, compared = count.partition(" of ")
    outputs = "output" if compared == "1" else "outputs"
    differ = "differs" if failed == "1" else "differ"
    broken = context.build_fact("Outputs with NaN or infinity")
    writes = f" The engine writes NaN or infinite values to {broken}." if broken else ""
    yield Hit(
        f"{failed} of {compared} {outputs} {differ} from the reference by more than the tolerance "
        f"({tolerance}): {names}.{writes}",
        evidence={"NaN or infinity": broken} if broken else {},
    )
