"""What the names of layers say where a file contains nothing else.

Names are those of TensorRT's layers in profiles: reformats are "Reformatting CopyNode for Input Tensor 0 to
conv", "conv input reformatter 0", "x copy" and "x_copy_input"; Myelin regions "{ForeignNode[a...b]}". Plugins
have the names of their ONNX nodes; those of TensorRT's own
(https://github.com/NVIDIA/TensorRT/tree/main/plugin) and of common packages contain "Plugin", end in "_TRT"
or name a deformable operation, which TensorRT has not. Kernels of Myelin are "NODE_myl1_3", or
"__myl_MaxrSubExpSumDivMul_myl1_4" after the operations of a softmax. A Q or DQ node that is not fused is a
layer with the name of the node, "QuantizeLinear_7", which TensorRT 8 follows by "_quantize_scale_node".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Literal

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.analysis.layers import NamedLayer
from trexreport.regex import regex

_REFORMAT = regex(
    r"^Reformatting CopyNode | (?:in|out)put reformatter \d+$| copy$|_copy_(?:in|out)put$", re.ASCII
)
_COPY = regex(r"[ _]copy(?:_(?:in|out)put)?$", re.ASCII)
#: ONNX nodes that only move data, the part of a layer's name between " + ". tf2onnx names the transposes that
#: it inserts around convolutions and poolings after these: "stem/Conv2D__7"
#: (https://github.com/onnx/tensorflow-onnx, insert_new_node_on_input).
_MOVE = regex(
    r"^(?:(?:\S*/)?(?:Transpose|Reshape|Flatten|Squeeze|Unsqueeze|Slice|Split|Concat|Pad|Expand|Tile"
    r"|DepthToSpace|SpaceToDepth)(?:__?\d+){0,2}"
    r"|\S*/(?:Conv2D|convolution|depthwise|MaxPool(?:2d)?|AvgPool)__\d+"
    r"|\(Unnamed Layer\* \d+\) \[Shuffle\])$",
    re.ASCII,
)
_PART = r"(?:\S*/)?"
_NUMBER = r"(?:__?\d+){0,2}"
_SHUFFLE = regex(
    rf"{_PART}DepthToSpace{_NUMBER}"
    rf"|{_PART}Reshape{_NUMBER} \+ {_PART}Transpose{_NUMBER} \+ {_PART}Reshape{_NUMBER}",
    re.ASCII,
)
_PRODUCT = regex(r"(?:^|[/ ])(?:Conv|ConvTranspose|Gemm|MatMul)(?:__?\d+)?(?= |$)", re.ASCII)
#: Products after the last enlargement of an image: few convolutions.
_MAX_BEHIND = 2
_PLUGIN = regex(
    r"(?:^|[/_. +])(?:\w*Plugin(?:V\d)?(?:Dynamic)?(?:_TRT)?|\w+_TRT|RPROIFused|\w*Deformable(?:Agg|Att)\w*?)"
    r"(?:_\d+)?$",
    re.ASCII,
)
#: A layer of one node: "PPScatter_0" or "/neck/PPScatter".
_ONE_NODE = regex(r"^(?:/(?:\S*/)?(?P<later>[A-Z]\w*?)(?:_\d+)?|(?P<first>[A-Z][A-Za-z0-9]*)_\d+)$", re.ASCII)
#: Operators of ONNX (https://onnx.ai/onnx/operators), and the layers of TensorRT that names of nodes contain.
_OPERATORS = """
Abs Acos Acosh Add And ArgMax ArgMin Asin Asinh Atan Atanh Attention AveragePool BatchNormalization BitShift
BitwiseAnd BitwiseNot BitwiseOr BitwiseXor BlackmanWindow Cast CastLike Ceil Celu CenterCropPad Clip Col2Im
Compress Concat ConcatFromSequence Constant ConstantOfShape Conv ConvInteger ConvTranspose Cos Cosh CumSum DFT
DeformConv DepthToSpace DequantizeLinear Det Div Dropout DynamicQuantizeLinear Einsum Elu Equal Erf Exp Expand
EyeLike Flatten Floor GRU Gather GatherElements GatherND Gelu Gemm GlobalAveragePool GlobalLpPool
GlobalMaxPool Greater GreaterOrEqual GridSample GroupNormalization HammingWindow HannWindow HardSigmoid
HardSwish Hardmax Identity If InstanceNormalization IsInf IsNaN LRN LSTM LayerNormalization LeakyRelu Less
LessOrEqual Log LogSoftmax Loop LpNormalization LpPool MatMul MatMulInteger Max MaxPool MaxRoiPool MaxUnpool
Mean MeanVarianceNormalization MelWeightMatrix Min Mish Mod Mul Multinomial NMS Neg NonMaxSuppression NonZero
Not OneHot Or PRelu Pad Pow QLinearConv QLinearMatMul QuantizeLinear RMSNormalization RNN RandomNormal
RandomNormalLike RandomUniform RandomUniformLike Range Reciprocal ReduceL1 ReduceL2 ReduceLogSum
ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum ReduceSumSquare Relu Reshape Resize
ReverseSequence RoiAlign RotaryEmbedding Round STFT Scan Scatter ScatterElements ScatterND Selu Shape Shrink
Shuffle Sigmoid Sign Sin Sinh Size Slice Softmax Softplus Softsign SpaceToDepth Split Sqrt Squeeze Sub Sum
Swish Tan Tanh TensorScatter ThresholdedRelu Tile TopK Transpose Trilu Unique Unsqueeze Upsample Where Xor
"""
ONNX_OPERATORS = frozenset(_OPERATORS.split())
_NODE = regex(r"^(?P<module>.*/)(?P<operation>[A-Za-z]+)(?:_\d+)?$", re.ASCII)
_OF_INPUT = regex(r"^Reformatting CopyNode for Input Tensor \d+ to | input reformatter \d+$", re.ASCII)
_OF_OUTPUT = regex(r"^Reformatting CopyNode for Output Tensor \d+ to | output reformatter \d+$", re.ASCII)
#: The end of the name of a kernel of Myelin.
KERNEL_NUMBER = regex(r"_myl\d+_\d+$", re.ASCII)
_MYELIN_SOFTMAX = regex(r"^__myl_\w*?MaxrSubExp", re.ASCII)
_QDQ = regex(
    r"^(?:(?:\S*/)?(?:Quantize|Dequantize)Linear(?:_\d+)?(?:_clone_\d+)?"
    r"|[^\s+(){}]+_(?:de)?quantize_scale_node(?:_clone_\d+)?)$",
    re.ASCII,
)
#: A name without an ONNX node's path or several nodes; what names of other operations contain.
_CAFFE_NAME = regex(r"[A-Za-z][\w.-]*", re.ASCII)
_KNOWN_KIND = regex(
    r"conv|pool|fc|gemm|matmul|linear|concat|norm|lrn|scale|bn|softmax|reshape|copy|(?<!p)relu", re.IGNORECASE
)
#: This many layers make a kind, and this part of them has reformats.
_MIN_OF_A_KIND, _MOSTLY = 5, 0.8
#: Letters of a first word that names an operation, such as "prelu".
_MIN_WORD = 4
#: Constants, and what separates the parts of an engine.
_AUXILIARY = regex(r"^\[|^\(Unnamed Layer\* |^$")
#: Maximum number of other layers between a softmax and a multiplication of its attention.
_MAX_BETWEEN = 8


def is_named_reformat(layer: NamedLayer) -> bool:
    """Return whether a layer of unknown type is a reformat by its name."""
    return not layer.type and bool(_REFORMAT.search(layer.name))


def named_service(name: str) -> str:
    """Return the words of a name for a reformat or copy, such as "input reformatter", else an empty text."""
    found = _REFORMAT.search(name) or _COPY.search(name)
    return found.group().strip(" _0123456789") if found else ""


def is_named_dla_part(name: str) -> bool:
    """Return whether a name is that of a part of the network on a DLA, as before TensorRT 8: "{a,b,c}".

    Converters to ONNX have names such as "{Cast}", too.
    """
    return name[:1] == "{" and name[-1] == "}" and "[" not in name and "," in name


def is_named_copy(layer: NamedLayer) -> bool:
    """Return whether a layer copies a tensor, such as a part of a Concat, by its name."""
    return bool(_COPY.search(layer.name))


def is_named_part(layer: LayerFacts) -> bool:
    """Return whether a layer copies a part of a Concat or Split, by its name."""
    return layer.name.endswith(" copy")


def is_named_move(layer: LayerFacts) -> bool:
    """Return whether a layer of unknown type only transposes or reshapes, by the ONNX nodes in its name."""
    return not layer.type and all(_MOVE.search(node) for node in layer.name.split(" + "))


def named_pixel_shuffles(layers: Sequence[LayerFacts]) -> set[int]:
    """Return the indices of the layers that by name and place move channels into pixels, as a model needs.

    A Reshape, Transpose and Reshape in one kernel directly after a convolution, or DepthToSpace, near the end
    of the network. Elsewhere the same nodes shuffle channels or cut windows.
    """
    if all(layer.type for layer in layers):
        return set()
    computing = (each for each in reversed(layers) if each.avg_ms != 0 and not is_named_reformat(each))
    behind, found = 0, set()
    for layer, before in pairwise(computing):
        if not layer.type and _SHUFFLE.fullmatch(layer.name) and _PRODUCT.search(before.name):
            found.add(layer.index)
        behind += _PRODUCT.search(layer.name) is not None
        if behind > _MAX_BEHIND:
            break
    return found


def named_io_reformats(layers: Sequence[LayerFacts], side: Literal["input", "output"]) -> list[LayerFacts]:
    """Return the layers that by name and order reformat what the first layer that computes reads.

    Or what the last one writes. Only where a file states no tensors for them.
    """
    name = _OF_INPUT if side == "input" else _OF_OUTPUT
    found: list[LayerFacts] = []
    for layer in layers if side == "input" else layers[::-1]:
        if not layer.avg_ms:
            continue
        if name.search(layer.name) and not layer.inputs:
            found.append(layer)
        elif computes_by_name(layer):
            return [each for each in found if name.sub("", each.name) == layer.name]
    return []


def reformatted_for(layer: LayerFacts) -> str:
    """Return the name of the layer whose input a layer reformats by name, else its own."""
    return _OF_INPUT.sub("", layer.name)


def is_named_region(layer: NamedLayer) -> bool:
    """Return whether a layer of unknown type is a ForeignNode by its name: of Myelin, or of a DLA."""
    return not layer.type and layer.name.startswith("{ForeignNode[")


def named_plugin(layer: NamedLayer) -> str:
    """Return the operation of a layer of unknown type that is a plugin by its name, else an empty text."""
    if layer.type or _REFORMAT.search(layer.name) or not _PLUGIN.search(layer.name):
        return ""
    return re.sub(r"_\d+$", "", re.split(r"[/ +]", layer.name)[-1])


def named_unknown(layer: LayerFacts) -> str:
    """Return the operation of a layer whose one node by name is not an operator of ONNX, else an empty text.

    Only a plugin computes it, in an engine that loads some.
    """
    found = None if layer.type else _ONE_NODE.match(layer.name)
    operation = (found["later"] or found["first"]) if found else ""
    return "" if operation in ONNX_OPERATORS or _REFORMAT.search(layer.name) else operation


def named_apart(layers: Sequence[LayerFacts]) -> tuple[list[LayerFacts], list[LayerFacts]]:
    """Return layers of kinds that by name have a reformat before each layer, and the reformats around them.

    Layers are of one kind whose names differ only in numbers, as those of a plugin in a model of Caffe
    are, and single ones that begin with the same word ("prelu4_2" beside "Mprelu1_L1"); names that state
    another operation are left out.
    """
    timed = [layer for layer in layers if layer.avg_ms]
    kinds: dict[str, list[int]] = {}
    for index, layer in enumerate(timed):
        if not layer.type and _CAFFE_NAME.fullmatch(layer.name) and not _KNOWN_KIND.search(layer.name):
            kinds.setdefault(re.sub(r"\d+", "#", layer.name), []).append(index)
    apart: list[int] = []
    around: set[int] = set()
    words: list[str] = []
    # The largest kinds first, which show how layers of the same operation in other places begin.
    for kind, members in sorted(kinds.items(), key=lambda item: -len(item[1])):
        word = _first_word(kind)
        is_of_known = any(
            each.endswith(word) or word.endswith(each) for each in words if len(each) >= _MIN_WORD
        )
        before = [index - 1 for index in members if _is_reformat_for(timed, index - 1, index)]
        least = 1 if is_of_known and len(word) >= _MIN_WORD else _MIN_OF_A_KIND
        if len(members) >= least and len(before) >= _MOSTLY * len(members):
            after = (index + 1 for index in members if _is_reformat_for(timed, index + 1, index + 2))
            apart += members
            around |= {*before, *after}
            words.append(word)
    return [timed[index] for index in sorted(apart)], [timed[index] for index in sorted(around)]


def _first_word(name: str) -> str:
    """Return the letters at the beginning of a name: "mprelu" of "Mprelu1_stage0"."""
    return re.split(r"[^A-Za-z]", name, maxsplit=1)[0].lower()


def _is_reformat_for(layers: Sequence[LayerFacts], reformat: int, reader: int) -> bool:
    """Return whether one of two successive layers reformats an input of the other by name."""
    if reformat < 0 or reader >= len(layers):
        return False
    return re.sub(r" input reformatter \d+$", "", layers[reformat].name) == layers[reader].name


def is_named_qdq(name: str) -> bool:
    """Return whether a name is that of a Q or DQ node."""
    return bool(_QDQ.search(name))


def computes_by_name(layer: LayerFacts) -> bool:
    """Return whether a layer computes by name: neither a move, nor a conversion, nor a constant."""
    moves = is_named_reformat(layer) or is_named_move(layer) or bool(_AUXILIARY.search(layer.name))
    return not moves and not is_named_qdq(layer.name)


def named_attentions(layers: Sequence[LayerFacts]) -> Iterator[tuple[LayerFacts, ...]]:
    """Yield the softmax and all layers between the two matrix multiplications around it, as names show them.

    All three are layers of their own, without another softmax between; the multiplications are nodes of one
    ONNX module, and so is a softmax that is named after a node.
    """
    if all(layer.type for layer in layers):
        return
    nodes = [_node(layer) for layer in layers]
    for index, node in enumerate(nodes):
        if node is None or node[1] != "Softmax":
            continue
        before = _product(nodes, index, -1, node[0])
        after = None if before is None else _product(nodes, index, 1, nodes[before][0])  # type: ignore[index]
        if before is not None and after is not None:
            between = (each for each in layers[before : after + 1] if each is not layers[index])
            yield (layers[index], *between)


def _node(layer: LayerFacts) -> tuple[str, str] | None:
    """Return module and operation of a layer that is one node by name; a softmax of Myelin has no module."""
    if layer.type or is_named_reformat(layer):
        return None
    if _MYELIN_SOFTMAX.search(layer.name):
        return "", "Softmax"
    found = _NODE.match(KERNEL_NUMBER.sub("", layer.name))
    return (found["module"], found["operation"]) if found else None


def is_myelin_kernel(layer: LayerFacts) -> bool:
    """Return whether a layer is a kernel of Myelin by its name."""
    return bool(layer.operations) or bool(KERNEL_NUMBER.search(layer.name))


def named_softmax(layer: LayerFacts) -> str | None:
    """Return the module of a layer of unknown type that is a softmax by name; None for others."""
    node = None if layer.type else _NODE.match(layer.name)
    return node["module"] if node and node["operation"] == "Softmax" else None


def _product(nodes: Sequence[tuple[str, str] | None], softmax: int, step: int, module: str) -> int | None:
    """Return the index of the nearest matrix multiplication of a module, any if "", in one direction."""
    for index in range(softmax + step, softmax + step * (_MAX_BETWEEN + 2), step):
        node = nodes[index] if 0 <= index < len(nodes) else None
        if node is None:
            continue
        if node[1] == "Softmax" and (not module or node[0] in {"", module}):
            return None
        if node[1] in {"MatMul", "Einsum", "Gemm"} and module in {"", node[0]}:
            return index
    return None
