"""TRX102 convolution.float-output."""

from __future__ import annotations

from trexreport.analyzer.rules import Context, Hit, Hits, LayerFacts, built_in_rule
from trexreport.analyzer.rules.context import FLOATS, QUANTIZED
from trexreport.analyzer.rules.patterns import is_reduction
from trexreport.analyzer.rules.phrases import LAYER
from trexreport.analyzer.rules.quantization.left_out import multiplied_type
from trexreport.analyzer.rules.quantization.scales import unless_calibrated
from trexreport.analyzer.rules.savings import removed_and_narrowed

#: Layers between a convolution and the next one that keep the type of the tensor.
_PASSED = frozenset({"Pooling", "ElementWise", "PointWise", "Activation", "Shuffle", "Slice"})


@built_in_rule(
    "warning",
    many="{count} quantized convolutions write floating-point tensors.",
    explains={"layers": ("TRX201", "TRX202", "TRX301"), "share": ("TRX205", "TRX305")},
)
def float_output(context: Context) -> Hits:
    """A quantized convolution writes a floating-point tensor.

    Cost:
        A floating-point tensor has two or four times the bytes of an INT8 or FP8 one, to write and to read,
        and quantized layers after it need a conversion first.

    Recommendation:
        [unless at-output, unless calibrated: Also quantize what reads the tensor: put Q/DQ nodes on every
        input of the residual Add, the pooling or the activation after the convolution, so that TensorRT fuses
        the quantization into the convolution. Then the layer's output has the type of its input, and the
        conversions after it are gone.] [if at-output, unless calibrated: If what reads the output of the
        network takes INT8, quantize it, too.] [..10, if calibrated: Without Q/DQ nodes TensorRT has taken the
        faster type for each layer, as the calibration allows it.] [8.4..10, if calibrated: --layerPrecisions
        with --precisionConstraints=prefer asks for INT8 here: compare the time of the whole engine.]

    False alarm:
        Accuracy needs a floating-point branch: suppress the rule there. Convolutions that write an output of
        the network are not reported. Where no file states the types of the tensors, as in layer information
        without shapes, the name of the kernel does, and it is information.

    Est. savings:
        An estimate: the time of the conversions directly after the convolution, plus what the smaller output
        saves. Quantized convolutions of this engine with the same multiplications show that, else the
        roofline time with fewer bytes, at the share of the roofline that others reach. Savings in other
        consumers are not included.
    """
    for layer in context.convolutions:
        if hit := _by_kernel(context, layer):
            yield hit
        if multiplied_type(context, layer) not in QUANTIZED or layer.output_precision not in FLOATS:
            continue
        evidence = {"Types": f"{layer.precision} → {layer.output_precision}"}
        after = filter(context.is_reformat, context.successors(layer))
        conversions = [reader for reader in after if reader.output_precision in QUANTIZED]
        if _reaches_quantized(context, layer):
            yield Hit(
                f"{LAYER} computes in {layer.precision} but writes {layer.output_precision}, which quantized "
                f"layers read later.",
                (layer, *conversions),
                unless_calibrated(
                    context, removed_and_narrowed(context, conversions, [(layer, layer.outputs)])
                ),
                evidence,
            )


def _by_kernel(context: Context, layer: LayerFacts) -> Hit | None:
    """Return the information that a kernel reads INT8 and writes floating point, where tensors state no type.

    Names of such kernels begin with the types that they read and write: "i8f32_i8i32_f32".
    """
    kernel = context.kernel(layer)
    states_types = {layer.precision, layer.output_precision} & (FLOATS | QUANTIZED)
    written = [each for each in kernel.data_types if each in FLOATS]
    if states_types or kernel.math_type not in QUANTIZED or not written:
        return None
    at_end = any(context.is_output(use.tensor) for use in layer.outputs)
    end = ", an output of the network, which may need it" if at_end else ""
    return Hit(
        f"By its kernel, {LAYER} computes in {kernel.math_type} and writes {written[0]}{end}; no file states "
        "the types of its tensors.",
        (layer,),
        evidence={"Types": f"{kernel.math_type} → {written[0]}"},
        severity="info",
    )


def _reaches_quantized(context: Context, layer: LayerFacts) -> bool:
    """Return whether a floating-point result is quantized later, or read by a quantized layer."""

    def passed(other: LayerFacts) -> bool:
        if other.output_precision in QUANTIZED:
            return False
        return context.is_reformat(other) or (other.type in _PASSED and other.precision in FLOATS)

    return any(
        not QUANTIZED.isdisjoint((reader.precision, reader.output_precision))
        for reader in context.successors(layer, through=passed)
        if not _needs_float(reader)
    )


def _needs_float(layer: LayerFacts) -> bool:
    """Return whether a layer normalizes floating-point values and only quantizes the result."""
    if layer.precision not in FLOATS:
        return False
    return layer.type in {"Normalization", "SoftMax"} or is_reduction(layer)
