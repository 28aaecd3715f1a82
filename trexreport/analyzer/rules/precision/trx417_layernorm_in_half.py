"""TRX417 precision.layernorm-in-half."""

from __future__ import annotations

from trexreport.analyzer.rules import Context, Hit, Hits, built_in_rule


@built_in_rule("warning", needs=())
def layernorm_in_half(context: Context) -> Hits:
    """Layer normalizations compute in FP16, where their sums of squares may overflow.

    Cost:
        It concerns the results, not the time: the variance of values above 255 does not fit into FP16, and an
        overflow makes all that follows wrong. TensorRT warns of it where normalizations follow attention.

    Recommendation:
        [8.6..: Export the model with opset 17 or later, as LayerNormalization is one node there, whose sums
        TensorRT keeps in FP32.] [8.4..8.5: Keep the Pow and ReduceMean layers in FP32, with
        --precisionConstraints=obey and --layerPrecisions.] [8.6..10, unless typed: Or keep the Pow and
        ReduceMean layers in FP32: --precisionConstraints=obey with --layerPrecisions.] [if typed: Or leave
        the Pow and ReduceMean nodes in FP32 in the ONNX file.] [9.3..10, unless typed, if bf16-cores: --bf16
        does not overflow.] Compare the outputs with Polygraphy.

    False alarm:
        The outputs agree with those in FP32 for all inputs that occur: then values stay small enough.

    Est. savings:
        Not estimated: it concerns the results, not the time.
    """
    if context.build_fact("LayerNorm in FP16"):
        yield Hit("TensorRT warns that layer normalizations after attention may overflow in FP16.")
