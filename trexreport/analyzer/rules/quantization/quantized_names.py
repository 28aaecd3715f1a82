"""What names of layers show of quantization, where a file states only these.

TensorRT names a layer after its ONNX nodes, and after the Q node of its weights. See `layer_names`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from trexreport.analyzer.operation_names import operation_by_name
from trexreport.analyzer.rules import LayerFacts
from trexreport.analyzer.rules.layer_names import computes_by_name, is_named_qdq
from trexreport.regex import regex

_NAMED_QUANTIZED = regex(r"(?:^|[\s(/])QuantizeLinear|_quantize_scale_node", re.ASCII)
#: Fewer quantized convolutions do not make a quantized network.
_MIN_QUANTIZED = 3


def named_qdq(layers: Sequence[LayerFacts]) -> tuple[list[LayerFacts], list[LayerFacts]]:
    """Return the layers that are only a Q or DQ node by name: inside the network, and at its ends."""
    found = [layer for layer in layers if not layer.type and is_named_qdq(layer.name)]
    if not found:
        return [], []
    computing = [index for index, layer in enumerate(layers) if layer.avg_ms != 0 and computes_by_name(layer)]
    inside: list[LayerFacts] = []
    at_ends: list[LayerFacts] = []
    for each in found:
        is_inside = computing and computing[0] < each.index < computing[-1]
        (inside if is_inside else at_ends).append(each)
    return inside, at_ends


def named_left_out(layers: Sequence[LayerFacts]) -> tuple[list[LayerFacts], int]:
    """Return the convolutions that by name are not quantized, where most are, and how many there are.

    TensorRT also names a layer after the Q node of its weights. The first one, which reads the input, is left
    out.
    """
    untyped = (each for each in layers if not each.type and each.avg_ms)
    products = [each for each in untyped if operation_by_name(each) == "convolution"]
    others = [each for each in products if not _NAMED_QUANTIZED.search(each.name)]
    if len(products) - len(others) < max(_MIN_QUANTIZED, len(others) + 1):
        return [], len(products)
    return [each for each in others if each is not products[0]], len(products)
