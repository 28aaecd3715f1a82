"""TRX307 quantization.left-in-float."""

from __future__ import annotations

from trexreport.analyzer.analysis import slowest_first
from trexreport.analyzer.rules import Context, Gain, Hit, Hits, LayerFacts, built_in_rule
from trexreport.analyzer.rules.limits import min_share
from trexreport.analyzer.rules.memory.weights import (
    reads_weights,
    share_of_weights,
    weight_bits,
    with_fewer_bits,
)
from trexreport.analyzer.rules.phrases import EXTENT, LAYER, timed
from trexreport.analyzer.rules.precision.speedups import quantized
from trexreport.analyzer.rules.quantization.left_out import left_out, multiplied_type
from trexreport.analyzer.rules.quantization.quantized_names import named_left_out
from trexreport.analyzer.rules.quantization.scales import unless_calibrated
from trexreport.numbers import counted, format_count


@built_in_rule(
    "warning",
    needs=("profile",),
    many="{count} layers multiply in {Types} in a network that is quantized otherwise{extent}.",
    thresholds=(
        min_share(5, "all these layers together"),
        min_share(1, "one layer, or all smaller ones together", name="place_percent"),
    ),
    explains={"layers": ("TRX914",), "neighbors": ("TRX201",), "share": ("TRX601",)},
)
def left_in_float(context: Context, *, share_percent: float, place_percent: float) -> Hits:
    """A product is left in floating point in a network that is quantized otherwise.

    Cost:
        Its weights have two to four times the bytes of quantized ones, and its multiplications run at half
        the rate or less. Where few rows use the weights, as of the last layer of a language model that
        decodes, reading them takes the time.

    Recommendation:
        [unless calibrated: Quantize it, too, and compare the accuracy.] [if last-product, unless matmuls,
        unless untyped: What writes the results of the network, such as boxes and scores, loses most in 8
        bits.] [if last-product, if matmuls: Weights in INT8 with a scale for each column change the scores of
        the last product least.] [if last-product, if matmuls, if fp8: FP8 does so, too.] [if last-product, if
        matmuls: ModelOpt leaves it out by its name (`lm_head`, `proj_out`, `output_layer`) unless its
        quantizers are enabled.] [..10, if untyped: Build with --fp16 beside --int8: otherwise they compute in
        FP32.] [..10, if calibrated: Without Q/DQ nodes TensorRT has taken the faster type for each layer, as
        the calibration allows it.] [8.4..10, if calibrated: --layerPrecisions with
        --precisionConstraints=prefer asks for INT8 here: compare the time of the whole engine.]

    False alarm:
        The accuracy asks for it: first and last layers are often left in floating point on purpose. Products
        of attentions and of other computed tensors, first layers that read an image or other data of fewer
        than 16 channels, and grouped convolutions are not reported, nor is what INT8 hardly makes faster:
        layers about as short as a launch, and convolutions of fewer than 8 output channels (TRX112) unless
        the bandwidth bounds them. Nor is anything where less than half of the time of products is quantized
        (TRX304).

    Est. savings:
        An estimate: the time of quantized layers of this engine with the same multiplications, else what the
        GPU's peaks and half of the bytes allow, or published speedups of INT8 where they are not known; of a
        layer that mostly reads weights, what half to a quarter of their bits save. From 0 where a calibration
        left the choice to the builder. Not estimated where only
        names are known.
    """
    named, count = named_left_out(context.layers)
    if named and context.is_significant(named, share_percent):
        are, whole = "is" if len(named) == 1 else "are", counted(count, "convolution")
        yield Hit(
            f"By name, {format_count(len(named))} of {whole} {are} not quantized{timed(context, named)}.",
            tuple(slowest_first(named)),
            evidence={"Identified": "by name"},
        )
        return
    found = context.significant(context.cached(left_out), share_percent, place_percent)
    known = {each.index for each in found}
    smaller = [each for each in context.cached(left_out) if each.index not in known]
    if found and context.is_significant(smaller, place_percent):
        found += smaller
    for layer in found:
        multiplied = multiplied_type(context, layer)
        yield Hit(
            f"{LAYER} multiplies in {multiplied} in a network that is quantized otherwise{EXTENT}.",
            (layer,),
            unless_calibrated(context, _gain(context, layer)),
            {"Types": multiplied},
        )


def _gain(context: Context, layer: LayerFacts) -> Gain | None:
    if reads_weights(context, layer):
        shares = {layer.index: share_of_weights(context, layer)}
        return with_fewer_bits([(layer, weight_bits(context, layer))], shares)
    return quantized(context, [layer])
