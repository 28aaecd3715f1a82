"""Rules on convolutions: tensor cores, types of their outputs, channels."""

from __future__ import annotations

from collections.abc import Iterator

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.rules.context import FLOATS, QUANTISED, Context
from trexreport.analyzer.rules.rule import Hit, rule

#: What a tensor passes on its way to the next convolution without being computed with.
_PASSED = frozenset({"Pooling", "ElementWise", "PointWise", "Activation", "Shuffle", "Slice"})


@rule(
    "TRX102",
    "convolution.float-output",
    "warning",
    many="{count} quantised convolutions write floating-point tensors.",
    section="layers",
)
def float_output(context: Context) -> Iterator[Hit]:
    """A quantised convolution writes a floating-point tensor.

    Cost:
        A float tensor takes two or four times the bytes of an INT8 or FP8 one, to write and to read again,
        and quantised layers behind it need a conversion first.

    Advice:
        Quantise what reads the tensor too: put Q/DQ nodes on every input of the residual Add, the pooling or
        the activation behind the convolution, so that TensorRT fuses the quantisation into the convolution.

    False alarm:
        The tensor is an output of the network, which is meant to be float; such convolutions are listed as
        information. Where the accuracy needs a float branch, suppress the rule there.

    Bound:
        The share of the convolution's traffic that the smaller output saves, taken of its time, as if it were
        bound by memory, and all the time of the conversions behind it.
    """
    for layer in context.layers:
        if not (context.is_convolution(layer) and layer.precision in QUANTISED):
            continue
        if layer.output_precision not in FLOATS:
            continue
        change = f"{layer.precision} → {layer.output_precision}"
        conversions = _conversions_behind(context, layer)
        if _reaches_quantised(context, layer):
            yield Hit(
                f"It computes in {layer.precision} and writes {layer.output_precision}, "
                f"which quantised layers read in the end.",
                (layer, *conversions),
                _saved_ms(layer) + context.time_ms(conversions),
                {"Types": change},
            )
        elif any(context.is_output(use.tensor) for use in layer.outputs):
            message = f"It writes {layer.output_precision}, but that is an output of the network."
            yield Hit(message, (layer,), None, {"Types": change}, severity="info")


def _conversions_behind(context: Context, layer: LayerFacts) -> list[LayerFacts]:
    """Return the reformats that make quantised tensors of a layer's result."""
    return [
        reader
        for reader in context.targets(layer)
        if context.is_reformat(reader) and reader.output_precision in QUANTISED
    ]


def _reaches_quantised(context: Context, layer: LayerFacts) -> bool:
    def passed(other: LayerFacts) -> bool:
        return context.is_reformat(other) or (other.type in _PASSED and other.precision in FLOATS)

    return any(reader.precision in QUANTISED for reader in context.targets(layer, through=passed))


def _saved_ms(layer: LayerFacts) -> float:
    """Return the time that an output of the input's type would save if all of it went into traffic."""
    if not (layer.time_ms and layer.moved_bytes and layer.output_bytes):
        return 0.0
    wide = {"FP32": 4, "FP16": 2, "BF16": 2}[layer.output_precision]
    return layer.time_ms * layer.output_bytes * (1 - 1 / wide) / layer.moved_bytes
