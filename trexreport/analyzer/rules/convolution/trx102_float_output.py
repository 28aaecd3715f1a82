"""TRX102 convolution.float-output."""

from __future__ import annotations

from collections.abc import Iterator

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.rules.context import FLOATS, QUANTIZED, Context
from trexreport.analyzer.rules.rule import Hit, rule
from trexreport.model.data_format import BITS

#: What a tensor passes on its way to the next convolution without being computed with.
_PASSED = frozenset({"Pooling", "ElementWise", "PointWise", "Activation", "Shuffle", "Slice"})


@rule(
    "TRX102",
    "convolution.float-output",
    "warning",
    many="{count} quantized convolutions write floating-point tensors.",
    section="layers",
    subject="movement",
)
def float_output(context: Context) -> Iterator[Hit]:
    """A quantized convolution writes a floating-point tensor.

    Cost:
        A float tensor takes two or four times the bytes of an INT8 or FP8 one, to write and to read again,
        and quantized layers behind it need a conversion first.

    Advice:
        Quantize what reads the tensor too: put Q/DQ nodes on every input of the residual Add, the pooling or
        the activation behind the convolution, so that TensorRT fuses the quantization into the convolution.
        The layer's output then has the type of its input, and the conversions behind it are gone.

    False alarm:
        The tensor is an output of the network, which is meant to be float; such convolutions are listed as
        information. Where the accuracy needs a float branch, suppress the rule there.

    Bound:
        The share of the convolution's traffic that the smaller output saves, taken of its time, as if it were
        bound by memory, and all the time of the conversions directly behind it. Not counted is what the other
        readers save, nor that the kernel for the wide type may be slow for other reasons too.
    """
    for layer in context.layers:
        if not (context.is_convolution(layer) and layer.precision in QUANTIZED):
            continue
        if layer.output_precision not in FLOATS:
            continue
        evidence = {"Types": f"{layer.precision} → {layer.output_precision}"}
        conversions = _conversions_behind(context, layer)
        if _reaches_quantized(context, layer):
            yield Hit(
                f"It computes in {layer.precision} and writes {layer.output_precision}, "
                f"which quantized layers read in the end.",
                (layer, *conversions),
                _saved_ms(layer) + context.time_ms(conversions),
                evidence,
            )
        elif any(context.is_output(use.tensor) for use in layer.outputs):
            message = f"It writes {layer.output_precision}, but that is an output of the network."
            yield Hit(message, (layer,), None, evidence, severity="info")


def _conversions_behind(context: Context, layer: LayerFacts) -> list[LayerFacts]:
    """Return the reformats that make quantized tensors of a layer's result."""
    return [
        reader
        for reader in context.targets(layer)
        if context.is_reformat(reader) and reader.output_precision in QUANTIZED
    ]


def _reaches_quantized(context: Context, layer: LayerFacts) -> bool:
    """Tell whether a float result is quantized in the end, or read by a layer that computes quantized."""

    def passed(other: LayerFacts) -> bool:
        if other.output_precision in QUANTIZED:
            return False
        return context.is_reformat(other) or (other.type in _PASSED and other.precision in FLOATS)

    return any(
        not QUANTIZED.isdisjoint((reader.precision, reader.output_precision))
        for reader in context.targets(layer, through=passed)
    )


def _saved_ms(layer: LayerFacts) -> float:
    """Return the time that an output of the input's type would save if all of it went into traffic."""
    if not (layer.avg_ms and layer.moved_bytes and layer.output_bytes):
        return 0.0
    kept = BITS[layer.precision] / BITS[layer.output_precision]
    return layer.avg_ms * layer.output_bytes * (1 - kept) / layer.moved_bytes
