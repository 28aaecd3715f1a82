"""Which precisions were requested, which are used, and what another one saves."""

from __future__ import annotations

from collections.abc import Sequence

from trexreport.analyzer.rules import Context, LayerFacts
from trexreport.analyzer.rules.context import FLOATS, LOW_PRECISIONS, QUANTIZED
from trexreport.analyzer.rules.patterns import is_conv_or_matmul, is_conversion
from trexreport.model.data_format import BITS

#: Layers that move data compute nothing; the type is that of the layer that writes the data.
MOVING_TYPES = frozenset({"Shuffle", "Slice", "Concat", "Concatenation", "Gather", "Copy", "Cast", "Select"})


def computed_types(context: Context, layer: LayerFacts) -> frozenset[str]:
    """Return the types in which a layer computes; none where it only moves or converts data, or may do so.

    The kernel's name counts first, as it states what is multiplied. Without it a layer computes in the type
    of its first input; a layer other than a convolution or matrix multiplication whose output is wider or
    narrower converts besides, so that its tensors, which may be those of the engine, prove no type.
    """
    return context.cached(_types_of_layers)[layer.index]


def _types_of_layers(context: Context) -> list[frozenset[str]]:
    """Return the types of each layer, of which several rules ask."""
    return context.by_kind(lambda layer: _computed_types(context, layer))


def _computed_types(context: Context, layer: LayerFacts) -> frozenset[str]:
    if layer.structural or layer.type in MOVING_TYPES or is_conversion(context, layer):
        return frozenset()
    kernel = context.kernel(layer)
    if kernel.math_type:
        return frozenset((kernel.math_type, *(each for each in kernel.data_types if each in QUANTIZED)))
    is_product = is_conv_or_matmul(context, layer)
    if not is_product and layer.precision in FLOATS and layer.output_precision != layer.precision:
        return frozenset()
    return frozenset({layer.precision} if layer.precision else ())


def used_types(context: Context) -> frozenset[str]:
    """Return the types in which layers compute, and those of quantized weights; I/O tensors do not count."""
    found = {group.name for group in context.analysis.memory.weights_by_type} & QUANTIZED
    # Layers have few different sets of types.
    return frozenset(found.union(*set(context.cached(_types_of_layers))))


def product_types(context: Context) -> frozenset[str]:
    """Return the types in which convolutions and matrix multiplications compute."""
    return frozenset().union(*(computed_types(context, layer) for layer in context.products))


def requested_but_unused(context: Context, types: Sequence[str]) -> list[str]:
    """Return those of some types that were requested although nothing uses them or one as narrow.

    None where Myelin regions (ForeignNode) hide the types in which they compute.
    """
    if context.opaque:
        return []
    used = context.cached(used_types)
    narrowest = min((BITS[name] for name in used & LOW_PRECISIONS), default=BITS["FP32"])
    return [name for name in types if name in context.requested_precisions and BITS[name] < narrowest]


def describe_use(context: Context) -> dict[str, str]:
    """Return the requested precisions and those in which layers compute, as evidence."""
    computed = frozenset().union(*context.cached(_types_of_layers))
    return {"Requested": context.analysis.identity.precisions, "Used": ", ".join(sorted(computed))}


def speed_up(context: Context, layer: LayerFacts, other: str) -> float | None:
    """Return the peak of another type divided by that of the kernel's current one; None if not known."""
    gpu = context.analysis.roofline.gpu
    if gpu is None:
        return None
    # FP16 accumulation has a higher peak on some boards.
    peaks = (gpu.tensor_tflops.get(key) for key in (other, f"{other}/FP16"))
    peak = max((each for each in peaks if each), default=None)
    on_tensor_cores = context.kernel(layer).tensor_cores is True
    now = gpu.tensor_tflops.get("TF32") if on_tensor_cores else gpu.vector_tflops.get("FP32")
    return peak / now if peak and now else None
