"""What layers compute, by names: the names of ONNX and TensorFlow nodes and of Myelin's kernels.

A fused layer is called after its nodes, "conv1 + relu1", two that run as one "a || b", and a pointwise one
"PWN(Sigmoid_1, Mul_2)". A layer of TensorRT's API has its type in its name: "(Unnamed Layer* 3) [Pooling]".
A kernel of Myelin is called after its node, "NODE_myl1_3", or after its operations, of which three or four
letters are left: "__myl_MulAddMeanSub_myl2_26". What a name does not show is not stated.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from trexreport.analyzer.analysis import NOT_STATED, Group, LayerFacts
from trexreport.analyzer.analysis.layers import NamedLayer
from trexreport.analyzer.rules.layer_names import (
    KERNEL_NUMBER,
    is_named_copy,
    is_named_dla_part,
    is_named_reformat,
    is_named_region,
    named_plugin,
)
from trexreport.regex import regex

#: Kinds of operations and their names, in lower case; of several in one layer the first kind names it.
_NAMES = {
    "attention": "attention fmha mha multiheadattention",
    "convolution": (
        "conv conv1d conv2d conv2dbackpropinput conv3d convinteger convolution convtranspose deconv "
        "deconvolution deformconv depthwiseconv depthwiseconv2dnative qlinearconv"
    ),
    "matrix multiplication": (
        "addmm batchmatmul batchmatmulv2 bmm einsum fc fullyconnected gemm linear matmul matmulinteger "
        "matmulnbits matrixmultiply qlinearmatmul"
    ),
    "recurrence": "gru lstm rnn",
    "softmax": "logsoftmax softmax",
    "normalization": (
        "batchnormalization bn fusedbatchnorm fusedbatchnormv3 groupnormalization instancenormalization "
        "layernormalization lpnormalization lrn meanvariancenormalization norm normalization "
        "rmsnormalization"
    ),
    "pooling": (
        "averagepool avgpool globalaveragepool globalmaxpool lppool maxpool maxroipool pool pooling roialign"
    ),
    "reduction": (
        "argmax argmin cumsum mean nonmaxsuppression reduce reducel1 reducel2 reducelogsumexp reducemax "
        "reducemean reducemin reduceprod reducesum topk"
    ),
    "resize": "gridsample resize resizebilinear resizenearestneighbor upsample",
    "elementwise": (
        "abs activation add and ceil celu clip cos div elementwise elu equal erf exp floor gelu "
        "greater greaterorequal hardsigmoid hardswish leakyrelu less lessorequal log max min mish mod mul "
        "neg not or pow prelu pwn reciprocal relu relu6 round rsqrt scale selu sigmoid sign sin softplus "
        "softsign sqrt sub sum swish tan tanh truediv unary where"
    ),
    "quantization": "dequantizelinear quantizelinear",
    "data movement": (
        "cast concat concatenation constantofshape copy depthtospace expand flatten gather gatherelements "
        "gathernd identity pad padding permute reshape scatter scatterelements scatternd shape shuffle "
        "slice spacetodepth split squeeze tile transpose unsqueeze"
    ),
}
_KIND_OF = {name: kind for kind, names in _NAMES.items() for name in names.split()}
_ORDER = {kind: order for order, kind in enumerate(_NAMES)}
_PRODUCTS = ("convolution", "matrix multiplication")
#: Beside them other operations of a layer take little time.
_HEAVY = ("attention", *_PRODUCTS, "recurrence")
#: Starts of the operations in the names of Myelin's kernels, in the order of the kinds.
_MYELIN_STARTS = {
    "convolution": ("Conv", "Corr"),
    "matrix multiplication": ("Fc", "Gem", "Bat", "Bmm", "Mat"),
    "reduction": ("Mea", "Maxr", "Minr", "Sum", "Red"),
    "data movement": ("Mov", "Tra", "Res", "Sli", "Conc", "Pad", "Cas", "Spl", "Squ", "Uns", "Rep", "Expa"),
    "elementwise": (
        *("Abs", "Add", "And", "Cli", "Cos", "Div", "Equ", "Erf", "Exp", "Gel", "Gre", "Les", "Log", "Max"),
        *("Min", "Mul", "Neg", "Not", "Pow", "Rec", "Rel", "Rou", "Rsq", "Sel", "Sig", "Sin", "Sqr", "Sub"),
        *("Tan", "Whe"),
    ),
}

_MYELIN = regex(r"^__myl_((?:[A-Z][a-z0-9]*)+)$", re.ASCII)
_MOVES_AROUND = regex(r"^(?:reshape|shuffle)_(?:after|before|between)_|^\[?(?:HostToDevice|DeviceToHost)Copy")
_API = regex(r"\(Unnamed Layer\* \d+\) \[([A-Za-z ]+)\]", re.ASCII)
_SEPARATORS = regex(r" \+ | \|\| |[(),]")
#: Constants and other tensors, which are not operations.
_TENSOR = regex(r"^onnx::|:\d+(?:_clone_\d+)?$|^\s*\d+$", re.ASCII)
#: Converters from TensorFlow call a product after the addition of its bias.
_BIAS = regex(r"(?<=[^/])/BiasAdd(?:_\d+)?$", re.ASCII)
#: A name's first word with its digits and up to them: "conv2d" and "conv".
_WORDS = regex(r"(?=([a-z0-9]+))([a-z]+)")
_NUMBER = regex(r"(?:_clone_\d+)?(?:_\d+)?(?:_(?:de)?quantize_scale_node)?$", re.ASCII)
#: Layers that are called after their operation and a number, as Caffe's are: "fc6".
_NUMBERED = regex(r"(bn|conv|deconv|fc|lrn|norm|pool|prelu|relu|softmax)\d+[a-z]?$", re.ASCII)
#: How models of Caffe, Keras and NVIDIA's TAO call layers after their place, as "res4a_branch2a",
#: "block_1_expand", "inception_3a/3x3_reduce" and "conv1/dw" do; the first kind that fits.
_CONVENTIONS = {
    "elementwise": regex(
        r"(?:^|[/_])(?:M?p?re_?lu\d*|leaky\w*|clip|swish)(?:_|$)"
        r"|(?:^|/)(?:scale\d[a-z]\d*_branch\d[a-z]?|res\d[a-z]\d*)$",
        re.ASCII,
    ),
    "normalization": regex(r"(?:^|/)bn\d[a-z]\d*_branch\d[a-z]?$|_bn$", re.ASCII),
    "pooling": regex(
        r"(?:^|/)pool\d*(?:/\d+x\d+\w*|_stage\d+)?$"
        r"|(?:[Mm]ax|[Aa](?:vg|verage))_?[Pp]ool(?:ing)?[123][Dd](?:_\d+)?$|_pooling$",
        re.ASCII,
    ),
    # TensorRT calls layers after the tensor that they read and what they do: "Sum_reduce_min".
    "reduction": regex(
        r"_(?:arg(?:max|min)|reduce_(?:min|max|sum|prod|mean|avg))$|(?:[Ss]um|[Mm]ean)_reduce$", re.ASCII
    ),
    "convolution": regex(
        r"(?:^|[/_])(?:\d+x\d+(?:_s\d+|_reduce)?|pool_proj|dw|pw|(?:depth|point)wise(?:_\d+)?)$"
        r"|_(?:expand|project)$"
        r"|(?:^|/)(?:res\d(?:[a-z]\d*|_\d+)_branch\d[a-z]?(?:_\d+)?|M?conv\d+(?:_\w+)?|(?:up)?score(?:_\w+)?)$",
        re.ASCII,
    ),
    "matrix multiplication": regex(
        r"(?:^|[/_])(?:classifier|dense|linear|[Ll]ogits|predictions|[Ii]nner_?[Pp]roduct)(?:_?\d+)?$",
        re.ASCII,
    ),
    "softmax": regex(r"(?:^|/)prob$", re.ASCII),
}
#: What the last part of another name says: "conv0" of "resnetv15_stage1_conv0_fwd".
_PARTS = "activation avgpool bn concat conv deconv fc lrn maxpool pool prelu relu scale sigmoid softmax"
_KIND_OF_PART = {part: _KIND_OF[part] for part in _PARTS.split()} | {
    "batchnorm": "normalization",
    "dense": "matrix multiplication",
    "plus": "elementwise",
}
#: tf2onnx calls the transposes that it inserts "Transpose__34", and other nodes after their neighbors.
_INSERTED = regex(r"__\d+$", re.ASCII)
#: What copies between the memories of DLA and GPU, or waits for the end of a copy or a part.
_DLA_TRANSFER = regex(r" (?:to|from) nvm$|^nvm | finish$")
#: What converters call convolutions of one channel each.
_DEPTHWISE = regex(r"depthwise|(?:^|[/_.])dw(?:conv)?\d*(?:[/_.]|$)", re.IGNORECASE)
#: A reformat that takes this many times as long as a part of the network before it waits for that.
_MANY_TIMES = 10


class _Listed(NamedTuple):
    """A layer of which the name alone is known."""

    name: str
    type: str = ""


def operation_by_name(layer: NamedLayer) -> str:
    """Return the kind of operation that a layer of unknown type is by its name; empty if this shows none."""
    if layer.type:
        return ""
    if is_named_dla_part(layer.name):
        return "DLA part"
    if is_named_reformat(layer):
        return "data movement" if is_named_copy(layer) else "reformat"
    if is_named_region(layer):
        return "ForeignNode"
    if named_plugin(layer):
        return "plugin"
    if _MOVES_AROUND.match(layer.name):
        return "data movement"
    if layer.name.startswith("PWN("):
        return "elementwise"
    name = KERNEL_NUMBER.sub("", layer.name)
    if (found := _MYELIN.match(name)) and name != layer.name:
        return _of_kernel(found[1])
    return _of_nodes(list(_kinds(name)))


def operations_by_name(layers: Sequence[LayerFacts]) -> dict[int, str]:
    """Return by index what `operation_by_name` says of layers, and which of them wait for a DLA.

    What follows a part on a DLA waits for it: no reformat takes many times as long as all of a part of the
    network before it. Reformats of no time are apart: TensorRT lists them, and nothing runs.
    """
    found: dict[int, str] = {}
    part_ms: float | None = None
    has_dla = any(is_named_dla_part(layer.name) for layer in layers)
    for layer in layers:
        found[layer.index] = kind = operation_by_name(layer)
        if layer.name.startswith("{") and layer.name.endswith("}"):
            part_ms = layer.avg_ms
        elif kind != "reformat" and not layer.name.endswith(" finish"):
            part_ms = None
        elif part_ms is not None and (layer.avg_ms or 0.0) >= _MANY_TIMES * part_ms > 0:
            found[layer.index] = "waiting for a DLA"
        if kind == "reformat" and layer.avg_ms == 0:
            found[layer.index] = "reformat of no time"
        elif has_dla and _DLA_TRANSFER.search(layer.name):
            found[layer.index] = "DLA transfer"
    return found


@lru_cache(maxsize=4096)
def is_product(operation: str) -> bool:
    """Return whether an operation of a model, such as "MatMul_3", convolves or multiplies matrices."""
    words = _WORDS.match(operation.casefold())
    return words is not None and any(_KIND_OF.get(word) in _PRODUCTS for word in words.groups())


def listed_operations(names: Sequence[str]) -> list[Group]:
    """Return how many layers of each kind the names show, the most first, what they do not show last."""
    counts = Counter(_listed_operation(name) or NOT_STATED for name in names)
    kinds = sorted(counts, key=lambda kind: (kind == NOT_STATED, -counts[kind]))
    return [Group(kind, counts[kind], None, None) for kind in kinds]


def _listed_operation(name: str) -> str:
    kind = operation_by_name(_Listed(name))
    return f"depthwise {kind}" if kind == "convolution" and _DEPTHWISE.search(name) else kind


def _of_nodes(kinds: list[str]) -> str:
    """Return the first of the kinds of operations; empty if one that is not known may come before it."""
    first = min(filter(None, kinds), key=_ORDER.__getitem__, default="")
    return first if all(kinds) or first in _HEAVY else ""


def _kinds(name: str) -> Iterator[str]:
    """Yield the kind of each operation in a layer's name; empty texts for those that are not known."""
    yield from (_KIND_OF.get(found.replace(" ", "").casefold(), "") for found in _API.findall(name))
    for node in _SEPARATORS.split(_API.sub("", name)):
        if node.strip() and not _TENSOR.search(node):
            # Of kernels called "_gemm_mha_v2" each part may be an operation.
            named = _BIAS.sub("", node)
            parts = named.strip("_").split("_") if named.startswith("_") else [_operation(named)]
            for word in map(str.casefold, parts):
                yield _KIND_OF.get(word) or _numbered(word) or _by_convention(named.strip())


def _numbered(word: str) -> str:
    found = _NUMBERED.match(word)
    return _KIND_OF[found[1]] if found else ""


def _by_convention(node: str) -> str:
    """Return the kind of a node that has the name of a layer in a well-known model."""
    found = next((kind for kind, pattern in _CONVENTIONS.items() if pattern.search(node)), "")
    if found or _INSERTED.search(node):
        return found
    parts = re.findall("[a-z]+", node.rpartition("/")[2].casefold())
    return next((_KIND_OF_PART[part] for part in reversed(parts) if part in _KIND_OF_PART), "")


def _operation(node: str) -> str:
    path, _, last = node.strip().rpartition("/")
    if inserted := _INSERTED.search(last):
        # A name with a path is that of a neighbor.
        return last if path else last[: inserted.start()]
    return _NUMBER.sub("", last)


def _of_kernel(operations: str) -> str:
    """Return what a kernel of Myelin computes; empty where one of its operations is not known."""
    if "MaxrSubExp" in operations:
        return "softmax"
    kinds = [_start_of(each) for each in re.findall("[A-Z][a-z0-9]*", operations)]
    if "" in kinds:
        return ""
    if "Mea" in operations and re.search("Sqr|Rsq", operations):
        return "normalization"
    return min(kinds, key=_ORDER.__getitem__)


def _start_of(operation: str) -> str:
    return next((kind for kind, starts in _MYELIN_STARTS.items() if operation.startswith(starts)), "")
