"""TRX503 fusion.attention-not-fused."""

from __future__ import annotations

from collections.abc import Iterator

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.fusion import fusion_rule
from trexreport.analyzer.rules.fusion.attention_parts import products_around
from trexreport.analyzer.rules.gains import estimate
from trexreport.analyzer.rules.limits import min_gain
from trexreport.analyzer.rules.patterns import is_softmax
from trexreport.analyzer.rules.phrases import describe_shape, timed
from trexreport.analyzer.rules.rule import Hit
from trexreport.analyzer.rules.savings import worthwhile


@fusion_rule("warning", many="{count} attentions are not fused.", thresholds=(min_gain(0.5),))
@worthwhile
def attention_not_fused(context: Context) -> Iterator[Hit]:
    """An attention is not fused and runs as two matrix multiplications with a softmax between.

    Cost:
        The scores, sequence length squared per head, are written and read several times. A fused kernel keeps
        them on the chip, so its memory traffic grows with the sequence length and not with its square.

    Recommendation:
        Use FP16, BF16 or FP8 for Q, K and V (FP32 is not fused), keep casts and other consumers of the scores
        out of the pattern MatMul, scale, mask, Softmax, MatMul, scale Q or K before the first multiplication,
        and pass the mask as an addition or a boolean. Keep the head size a multiple of 16 (TensorRT 10.14 and
        newer pad others). From TensorRT 10.14 on a network can state an attention: IAttention, in ONNX
        Attention. A fused one has "mha" or "fmha" in its kernel name.

    False alarm:
        Short sequences, where TensorRT measured separate kernels as faster; scores that another layer reads.

    Est. savings:
        The full time of the layers between the two multiplications, plus the share of the multiplications'
        traffic that is scores.
    """
    for layer in context.layers:
        found = products_around(context, layer) if is_softmax(layer) else None
        if found is None:
            continue
        first, inner, second = found
        layers = (layer, first, second, *inner)
        scores = describe_shape(first.outputs[0].dimensions)
        yield Hit(
            f"An attention is not fused and runs as {len(layers)} kernels{timed(context, layers)}.",
            layers,
            estimate(
                0.0,
                context.time_ms((layer, *inner)) + _share_ms(first, True) + _share_ms(second, False),
                "fused-kernel",
            ),
            {"Scores": scores, "Type": first.output_precision},
        )


def _share_ms(product: LayerFacts, writes: bool) -> float:
    """Return the part of a multiplication's time in ms that its scores take, if it is memory-bound."""
    size = product.outputs[0].size_bytes if writes else product.inputs[0].size_bytes
    if not (product.avg_ms and product.moved_bytes and size):
        return 0.0
    return product.avg_ms * min(size / product.moved_bytes, 1.0)
