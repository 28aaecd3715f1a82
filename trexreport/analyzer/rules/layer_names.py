"""What the names of layers say where a file contains nothing else.

Names are those of TensorRT's layers in profiles: reformats are "Reformatting CopyNode for Input Tensor 0 to
conv", "conv input reformatter 0", "x copy" and "x_copy_input"; Myelin regions "{ForeignNode[a...b]}". Plugins
have the names of their ONNX nodes; those of TensorRT's own (https://github.com/NVIDIA/TensorRT/tree/main/plugin)
and of common packages contain "Plugin", end in "_TRT" or name a deformable operation, which TensorRT has not.
A Q or DQ node that is not fused is a layer with the name of the node, "QuantizeLinear_7", which TensorRT 8
follows by "_quantize_scale_node".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from trexreport.analyzer.analysis import LayerFacts

_REFORMAT = re.compile(
    r"^Reformatting CopyNode | (?:in|out)put reformatter \d+$| copy$|_copy_(?:in|out)put$", re.ASCII
)
#: ONNX nodes that only move data, the part of a layer's name between " + ".
_MOVE = re.compile(r"^(?:\S*/)?(?:Transpose|Reshape|Flatten|Squeeze|Unsqueeze)(?:_\d+)?$", re.ASCII)
_PLUGIN = re.compile(
    r"(?:^|[/_. +])(?:\w*Plugin(?:V\d)?(?:Dynamic)?(?:_TRT)?|\w+_TRT|\w*Deformable(?:Agg|Att)\w*?)(?:_\d+)?$",
    re.ASCII,
)
_NODE = re.compile(r"^(?P<module>.*/)(?P<operation>[A-Za-z]+)(?:_\d+)?$", re.ASCII)
_QDQ = re.compile(
    r"^(?:\S*/)?(?:Quantize|Dequantize)Linear(?:_\d+)?(?:_clone_\d+)?(?:_(?:de)?quantize_scale_node)?$",
    re.ASCII,
)
_BEFORE_QUANTIZED = re.compile(r"^Reformatting CopyNode for Input Tensor \d+ to .*QuantizeLinear")
#: Constants, and what separates the parts of an engine.
_AUXILIARY = re.compile(r"^\[|^\(Unnamed Layer\* |^$")
#: Maximum number of other layers between a softmax and a multiplication of its attention.
_MAX_BETWEEN = 8


def is_named_reformat(layer: LayerFacts) -> bool:
    """Return whether a layer of unknown type is a reformat by its name."""
    return not layer.type and bool(_REFORMAT.search(layer.name))


def is_named_move(layer: LayerFacts) -> bool:
    """Return whether a layer of unknown type only transposes or reshapes, by the ONNX nodes in its name."""
    return not layer.type and all(_MOVE.search(node) for node in layer.name.split(" + "))


def is_named_region(layer: LayerFacts) -> bool:
    """Return whether a layer of unknown type is a ForeignNode by its name: of Myelin, or of a DLA."""
    return not layer.type and layer.name.startswith("{ForeignNode[")


def named_plugin(layer: LayerFacts) -> str:
    """Return the operation of a layer of unknown type that is a plugin by its name, else an empty text."""
    if layer.type or _REFORMAT.search(layer.name) or not _PLUGIN.search(layer.name):
        return ""
    return re.sub(r"_\d+$", "", re.split(r"[/ +]", layer.name)[-1])


def named_qdq(layers: Sequence[LayerFacts]) -> tuple[list[LayerFacts], list[LayerFacts]]:
    """Return the layers that are only a Q or DQ node by name: inside the network, and at its ends."""
    computing = [index for index, layer in enumerate(layers) if layer.avg_ms != 0 and _computes(layer)]
    found = [layer for layer in layers if not layer.type and _QDQ.search(layer.name)]
    inside = [each for each in found if computing and computing[0] < each.index < computing[-1]]
    return inside, [each for each in found if each not in inside]


def named_before_quantized(layers: Sequence[LayerFacts]) -> list[LayerFacts]:
    """Return the layers that reformat the input of a quantized layer by name."""
    return [layer for layer in layers if not layer.type and _BEFORE_QUANTIZED.search(layer.name)]


def _computes(layer: LayerFacts) -> bool:
    moves = is_named_reformat(layer) or is_named_move(layer) or bool(_AUXILIARY.search(layer.name))
    return not moves and not _QDQ.search(layer.name)


def named_attentions(layers: Sequence[LayerFacts]) -> Iterator[tuple[LayerFacts, ...]]:
    """Yield the softmax and all layers between the two matrix multiplications around it, as names show them.

    All three are layers of their own, named after nodes of one ONNX module, without another softmax between.
    """
    nodes = [None if layer.type or is_named_reformat(layer) else _NODE.match(layer.name) for layer in layers]
    for index, node in enumerate(nodes):
        if node is None or node["operation"] != "Softmax":
            continue
        sides = [_product(nodes, index, step) for step in (-1, 1)]
        if None not in sides:
            first, last = sides
            between = layers[first : last + 1]  # type: ignore[operator]
            yield (layers[index], *(each for each in between if each is not layers[index]))


def _product(nodes: Sequence[re.Match[str] | None], softmax: int, step: int) -> int | None:
    """Return the index of the nearest matrix multiplication of a softmax's module in one direction."""
    at = nodes[softmax]
    for index in range(softmax + step, softmax + step * (_MAX_BETWEEN + 2), step):
        node = nodes[index] if 0 <= index < len(nodes) else None
        if at is None or node is None or node["module"] != at["module"]:
            continue
        if node["operation"] == "Softmax":
            return None
        if node["operation"] in {"MatMul", "Einsum", "Gemm"}:
            return index
    return None
