"""TRX418 precision.slow-half."""

from __future__ import annotations

from trexreport.analyzer.rules import Context, Hit, Hits, built_in_rule


@built_in_rule("warning", needs=())
def slow_half(context: Context) -> Hits:
    """FP16 was allowed on a GPU without fast FP16.

    Cost:
        Such a GPU computes FP16 far slower than FP32, or converts it for each operation. FP16 halves the
        bytes of weights and tensors there, and no more.

    Recommendation:
        Build in FP32, and compare. [if dp4a: INT8 is the type that this GPU is faster in (dp4a).]

    False alarm:
        The builder chooses the faster type of each layer by its timing, so that little may change; or FP16
        serves to save memory.

    Est. savings:
        Not estimated: only another build shows it.
    """
    if context.build_fact("FP16 on this GPU"):
        yield Hit("TensorRT warns that the GPU has no native FP16, which the build was allowed.")
