"""Decide whether an ONNX model is the one that an engine was built from."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Sequence
from collections.abc import Set as AbstractSet

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.analysis.onnx import MatchReason, ModelMatch
from trexreport.analyzer.onnx.flat_graph import FlatGraph, FlatNode, TensorId
from trexreport.analyzer.onnx.stated_nodes import StatedNodes
from trexreport.analyzer.onnx.vanished import Vanishing
from trexreport.lazy_dataclass import dataclass
from trexreport.model.fused_names import is_reformat_name
from trexreport.regex import regex

#: Layers that move data between others, whatever their tensors are called.
MOVING = frozenset({"Reformat", "NoOp", "Constant", "signal", "wait", "shape_call"})
#: What may be between a convolution and its weights without changing their extents.
_KEEP_EXTENTS = frozenset({"QuantizeLinear", "DequantizeLinear", "Cast", "Identity"})
#: Nodes that no optimization of a build leaves out, unless their result is constant or unused.
_COMPUTING = frozenset({"Conv", "ConvTranspose", "ConvInteger", "QLinearConv", "Gemm", "MatMul"})
#: Of the nodes that an engine names, the part that the model must have to be the same, and not another; the
#: first is also the part of the nodes above that an engine whose layers are all known must have.
SAME_MODEL, OTHER_MODEL = 0.9, 0.5
#: "Conv_12", "node_conv2d_12", "318": numbers of an exporter. ResNet34 has up to half of those of a ResNet18.
_NUMBERED = regex(r"(?:[A-Z][A-Za-z]*_|node_\w+_)?\d+", re.ASCII)
#: Fewer names of this kind may be those of any model.
_ENOUGH_NUMBERS = 8
#: Of the tensors that the layers of matched nodes write, the part that these nodes must write.
_OTHER_TENSORS, _ENOUGH_TENSORS = 0.1, 8
#: Of the convolutions that the layers name, the part whose kernels must be those of the model, and how many
#: decide. Of 14 engines with the graphs of eight networks (ResNet18 to ResNet101, MobileNetV2), all agree
#: with their own, and up to 47% with another one.
_OTHER_KERNELS, _ENOUGH_CONVOLUTIONS = 0.75, 3
#: What of a convolution no build changes: attribute of the node to that of the layer.
_STEPS = {"strides": "Stride", "dilations": "Dilation"}


@dataclass(frozen=True)
class ModelVerdict:
    """See `OnnxFacts` for each field."""

    match: ModelMatch
    reason: MatchReason | None = None


def compare_model(
    graph: FlatGraph,
    layers: Sequence[LayerFacts],
    stated: Sequence[StatedNodes],
    pairs: Sequence[tuple[Collection[int], Collection[int]]],
    *,
    names: tuple[AbstractSet[str], AbstractSet[str]],
    holds_ends: bool | None,
    has_other_ends: bool = False,
) -> ModelVerdict:
    """Compare what an engine states with a model; mere names may be those of any model of an exporter.

    Args:
        graph: The model.
        layers: The engine.
        stated: What each layer states.
        pairs: For each layer that names nodes and writes tensors of the model: the nodes that it may compute,
            and those that write the tensors.
        names: Those that the layers state and the model has, and those that it does not have.
        holds_ends: Whether the model has inputs and outputs of the engine; None if these are not known.
        has_other_ends: Whether those that both have contradict each other.
    """
    matched, unmatched = names
    all_names = matched | unmatched
    if has_other_ends:
        return ModelVerdict("other", "ends")
    if not all_names:
        return ModelVerdict("unknown")
    # With one node more, all numbers behind it are those of other nodes.
    is_numbered = 2 * sum(map(_is_numbered, all_names)) > len(all_names)
    if len(matched) < (SAME_MODEL if is_numbered else OTHER_MODEL) * len(all_names):
        return ModelVerdict("other", "names")
    agreeing = sum(any(node in own for node in nodes) for own, nodes in pairs)
    if len(pairs) >= _ENOUGH_TENSORS and agreeing < _OTHER_TENSORS * len(pairs):
        return ModelVerdict("other", "tensors")
    if is_numbered and len(matched) < _ENOUGH_NUMBERS and holds_ends is False:
        return ModelVerdict("other", "tensors")
    kernels = list(_kernels_agree(graph, layers, stated))
    part = sum(kernels) / len(kernels) if len(kernels) >= _ENOUGH_CONVOLUTIONS else 1.0
    if part < _OTHER_KERNELS:
        return ModelVerdict("other", "convolutions")
    if len(matched) < SAME_MODEL * len(all_names):
        return ModelVerdict("partly", "names")
    return ModelVerdict("partly", "convolutions") if part < SAME_MODEL else ModelVerdict("same")


def _is_numbered(name: str) -> bool:
    return bool(_NUMBERED.fullmatch(name))


def has_more(
    graph: FlatGraph,
    layers: Sequence[LayerFacts],
    stated: Sequence[StatedNodes],
    found: Sequence[Collection[int]],
    vanishing: Vanishing,
) -> bool:
    """Return whether a model computes what no layer does: ResNet34 has all the nodes of a ResNet18.

    Layers that name nothing may compute anything: with such a layer it is not decided.
    """
    missing = 0
    for layer, each in zip(layers, stated, strict=True):
        if not each.nodes and layer.type not in MOVING and not is_reformat_name(layer.name):
            if not each.unmatched or each.ends:
                return False
            missing += len(each.unmatched)
    inside = {index for nodes in found for index in nodes}
    computing = [
        node.index
        for node in graph.nodes
        if not node.node.domain and node.node.op_type in _COMPUTING and vanishing.reason(node) is None
    ]
    return sum(index in inside for index in computing) + missing < SAME_MODEL * len(computing)


def _kernels_agree(
    graph: FlatGraph, layers: Sequence[LayerFacts], stated: Sequence[StatedNodes]
) -> Iterator[bool]:
    """Yield for each layer that computes one convolution whether kernel and steps are those of the node.

    Only the number of elements of the kernel counts: one dimension may have become two.
    """
    for layer, each in zip(layers, stated, strict=True):
        kernel, maps = layer.attributes.get("Kernel"), layer.attributes.get("OutMaps")
        nodes = [graph.nodes[index] for index in each.nodes]
        convolutions = [node for node in nodes if node.node.op_type == "Conv" and not node.node.domain]
        if layer.type != "Convolution" or len(convolutions) != 1 or not isinstance(kernel, list):
            continue
        shape = _weight_shape(graph, convolutions[0])
        if shape is not None and isinstance(maps, int) and all(type(extent) is int for extent in kernel):
            steps = ((key, layer.attributes.get(of_layer)) for key, of_layer in _STEPS.items())
            yield (shape[0], math.prod(shape[2:])) == (maps, math.prod(kernel)) and all(
                _are_equal_steps(convolutions[0].node.attributes.get(key), stated) for key, stated in steps
            )


def _are_equal_steps(of_node: object, of_layer: object) -> bool:
    """Return whether a layer has the strides or dilations of a node, which are 1 where it states none."""
    return not isinstance(of_layer, list) or [each for each in of_layer if each != 1] == [
        each for each in (of_node if isinstance(of_node, tuple) else ()) if each != 1
    ]


def _weight_shape(graph: FlatGraph, node: FlatNode) -> tuple[int, ...] | None:
    """Return the extents of a convolution's weights, also of those behind Q/DQ; None if not stated.

    Other nodes, such as a transposition, may change what the extents are.
    """
    tensor: TensorId | None = node.inputs[1] if len(node.inputs) > 1 else None
    for _ in range(8):
        if tensor is None or tensor in graph.constants:
            break
        producer = graph.producer.get(tensor)
        if producer is None or graph.nodes[producer].node.op_type not in _KEEP_EXTENTS:
            return None
        tensor = next(iter(graph.nodes[producer].inputs), None)
    initializer = graph.constants.get(tensor) if tensor is not None else None
    shape = initializer.shape if initializer else None
    if shape is None or len(shape) < 3:
        return None
    extents = tuple(extent for extent in shape if isinstance(extent, int))
    return extents if len(extents) == len(shape) else None
