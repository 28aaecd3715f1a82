"""What a layer computes, according to its type, parameters and kernel name, and which layers it feeds.

TensorRT's own layers have a type and parameters ("ElementWise" with "SUM"; a PointWise layer lists its
expressions). Myelin kernels have only the operations in their names, which the reader decodes.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.flops import ELEMENTWISE
from trexreport.analyzer.reformats import MOVES
from trexreport.analyzer.rules.context import FLOATS, QUANTIZED, Context, search
from trexreport.regex import regex

_POINTWISE_TYPES = frozenset({"ElementWise", "PointWise", "Activation", "Scale", "Unary", "ParametricReLU"})
#: Operations that combine or change elements one by one.
_POINTWISE = ELEMENTWISE | {"Clip", "Eql", "Lt"}
#: ONNX operations that TensorRT turns into pointwise layers.
_NODES = _POINTWISE | {"Elu", "HardSigmoid", "HardSwish", "LeakyRelu", "Mish", "PRelu", "Selu"}
_NODES |= {"Softplus", "Softsign"}
#: Operations that a pointwise kernel does without another pass over the data.
_ALONGSIDE = frozenset({"Cast", "Reshape", "Unsqueeze", "Move"})
_MOVING_TYPES = frozenset({"Concat", "Concatenation", "MyelinReformat", "Reformat", "Shuffle", "Slice"})
_COMPUTES, _COMPUTES_OR_MOVES = _POINTWISE | _ALONGSIDE, _POINTWISE | MOVES
#: Operations of the kernel that applies a normalization.
ROOTS = frozenset({"Sqrt", "Rsqrt"})
_REDUCTIONS = frozenset({"Mean", "Sum", "Reduce", "MaxReduce", "Maxr"})

#: Operations of a kernel that only quantizes or dequantizes.
_QUANTIZING = MOVES | {"Mul", "Div", "Min", "Max", "Round"}
_QUANTIZING_TYPES = frozenset({"Reformat", "MyelinReformat", "Scale", "Quantize", "Dequantize", "Cast"})

_COPYING_TYPES = frozenset({"Slice", "Concat", "Concatenation", "Shuffle", "Padding", "Gather", "Scatter"})
#: Operations of a kernel that only copies, if its input and output types are equal.
_COPYING = MOVES | {"Gather", "Scatter"}
_LOOKING_UP = _ALONGSIDE | {"Gather", "Sum", "Mean", "Transpose"}

#: TensorRT's names of the operations of ElementWise, Unary, Activation and Reduce layers to those above.
_PARAMETERS = {"SUM": "Add", "PROD": "Mul"}
_PARAMETER_KEYS = ("ElementWiseOperation", "UnaryOperation", "Operation", "ActivationType")
_EXPRESSION = regex(r"pwgen::i([A-Z][a-z]+)")
_EXPRESSIONS = {"Plus": "Add", "Minus": "Sub", "Product": "Mul"}
#: An ONNX node in a name: "PWN(PWN(/norm/Sqrt), Div_51)" has "Sqrt" and "Div".
_NODE = regex(r"(?:^|[(/ ])([A-Z][A-Za-z]{1,30})(?:_\d{1,9})?(?=$|[),]| \+)", re.ASCII)

_PRODUCT_NODE = regex(r"(?:Conv|ConvTranspose|Gemm|MatMul)(?:_\d+)?", re.ASCII)
_QDQ = ("QuantizeLinear", "DequantizeLinear")
#: Part of the names of kernels of a whole attention.
_IN_ATTENTIONS = "_mha_"


def operations(layer: LayerFacts) -> Sequence[str]:
    """Return the operations of a layer, in order if it is known; empty if they are not known.

    Those of a pointwise layer without parameters are the ONNX nodes in its name.
    """
    if layer.operations:
        return layer.operations
    if layer.type == "Scale":
        return ["Mul", "Add"]
    if layer.type == "Reduce":
        return ["Reduce"]
    expressions = layer.attributes.get("Operations")
    if isinstance(expressions, list):
        found = _EXPRESSION.findall("\n".join(each for each in expressions if isinstance(each, str)))
        if found:
            return [_EXPRESSIONS.get(each, each) for each in found]
    stated = next((layer.attributes[key] for key in _PARAMETER_KEYS if key in layer.attributes), None)
    if isinstance(stated, str) and stated:
        return [_PARAMETERS.get(stated, stated.capitalize())]
    # A log states no parameters; the nodes in the name are what the layer was made of.
    named = _NODE.findall(layer.name) if layer.type in _POINTWISE_TYPES else []
    return [each for each in named if each in _NODES]


def is_pointwise(layer: LayerFacts) -> bool:
    """Return whether each element of a layer's result depends on one element of each input only."""
    if layer.type in _POINTWISE_TYPES:
        return True
    found = layer.operations
    return bool(found) and _COMPUTES.issuperset(found) and not _ALONGSIDE.issuperset(found)


def is_pointwise_or_move(layer: LayerFacts) -> bool:
    """Return whether a layer is pointwise, moves data, or does both in one kernel."""
    if layer.type in _POINTWISE_TYPES or layer.type in _MOVING_TYPES:
        return True
    return bool(layer.operations) and _COMPUTES_OR_MOVES.issuperset(layer.operations)


def prepares_scores(layer: LayerFacts) -> bool:
    """Return whether a layer does what may be done to scores before a softmax, as subtracting the maximum."""
    found = set(layer.operations)
    if {"Reduce", "Max", "Sub"} <= found:
        return _COMPUTES_OR_MOVES.issuperset(found - {"Reduce"})
    return is_pointwise_or_move(layer)


def only_copies(layer: LayerFacts) -> bool:
    """Return whether a layer moves data and neither computes nor converts it."""
    if layer.precision != layer.output_precision:
        return False
    return layer.type in _COPYING_TYPES or (bool(layer.operations) and _COPYING.issuperset(layer.operations))


def looks_up(layer: LayerFacts) -> bool:
    """Return whether a layer only reads elements at places that another tensor states, as embeddings.

    It may add up or average those of a bag, as recommender systems do, or write them in another order.
    """
    found = layer.operations
    return layer.type == "Gather" or ("Gather" in found and _LOOKING_UP.issuperset(found))


def is_reduction(layer: LayerFacts) -> bool:
    """Return whether a layer sums or averages over elements, other than in a matrix multiplication."""
    return layer.type == "Reduce" or not _REDUCTIONS.isdisjoint(layer.operations)


def is_softmax(layer: LayerFacts) -> bool:
    """Return whether a layer computes a softmax, or at least its exponentials and their sum."""
    found = layer.operations
    return layer.type == "SoftMax" or "Softmax" in found or ("Exp" in found and "Sum" in found)


def is_conv_or_matmul(context: Context, layer: LayerFacts) -> bool:
    """Return whether a layer is a convolution or matrix multiplication, with or without fused operations."""
    return layer.index in context.product_indices


def is_fused_attention(context: Context, layer: LayerFacts) -> bool:
    """Return whether one kernel computes a whole attention, multiplications and softmax."""
    return _IN_ATTENTIONS in layer.name or _states_attention(context, layer)


def _states_attention(context: Context, layer: LayerFacts) -> bool:
    found = layer.operations
    # One kernel that Myelin generated of both multiplications and the softmax between them.
    is_generated = found.count("FullyConnected") > 1 and is_softmax(layer)
    return is_generated or "MultiHeadAttention" in found or context.kernel(layer).family == "attention"


def fused_attentions(context: Context) -> list[LayerFacts]:
    """Return the kernels that compute a whole attention each; call it through `Context.cached`."""
    state_it = context.by_kind(lambda each: _states_attention(context, each))
    return [each for each in context.layers if state_it[each.index] or _IN_ATTENTIONS in each.name]


def changes_quantization(layer: LayerFacts) -> bool:
    """Return whether a layer reads a quantized tensor and writes a floating-point one, or vice versa."""
    before, after = layer.precision, layer.output_precision
    return (before in QUANTIZED and after in FLOATS) or (before in FLOATS and after in QUANTIZED)


def only_quantizes(layer: LayerFacts) -> bool:
    """Return whether a layer only quantizes or dequantizes, perhaps into another layout."""
    if not changes_quantization(layer):
        return False
    if layer.operations:
        return _QUANTIZING.issuperset(layer.operations)
    return layer.type in _QUANTIZING_TYPES


def quantized_attention(context: Context, layer: LayerFacts) -> LayerFacts | None:
    """Return the kernel of a whole attention whose result a layer only quantizes, if it does."""
    if not only_quantizes(layer) or layer.output_precision not in QUANTIZED:
        return None
    before = context.predecessors(layer, context.is_reformat)
    return next((each for each in before if is_fused_attention(context, each)), None)


def quantizes_attention(context: Context, layer: LayerFacts) -> bool:
    """Return whether a layer only quantizes what one kernel of a whole attention writes."""
    return quantized_attention(context, layer) is not None


def dequantizes_weights(context: Context, layer: LayerFacts) -> bool:
    """Return whether a layer only writes quantized weights as floating-point ones, for another to read."""
    if layer.precision not in QUANTIZED or layer.output_precision not in FLOATS or not layer.inputs:
        return False
    return not is_conv_or_matmul(context, layer) and not activations(context, layer)


def has_quantized_weights_alone(layer: LayerFacts) -> bool:
    """Return whether Q/DQ nodes are only on the weights of a convolution or matrix multiplication.

    It reads floating point, and one pair in the module of its node is all that its ONNX nodes have.
    """
    nodes = [tuple(each.rpartition("/")[::2]) for each in layer.origins]
    modules = {path for path, node in nodes if _PRODUCT_NODE.fullmatch(node)}
    pairs = [{path for path, node in nodes if node.startswith(each)} for each in _QDQ]
    inputs = {use.format for use in layer.inputs}
    return (
        layer.precision in FLOATS
        and len(inputs) == 1
        and pairs[0] == pairs[1]
        and len(pairs[0]) == 1
        and any(f"{path}/".startswith(f"{module}/") for path in pairs[0] for module in modules if module)
        and sum(node.startswith("DequantizeLinear") for _, node in nodes) == 1
    )


def quantizes_and_back(layer: LayerFacts) -> bool:
    """Return whether a layer quantizes a floating-point tensor and at once dequantizes it.

    Only where it states ONNX nodes: a network may also scale, round and clamp values for another purpose.
    """
    return (
        "Round" in layer.operations
        and layer.precision in FLOATS
        and layer.output_precision in FLOATS
        and _QUANTIZING.issuperset(layer.operations)
        and any("QuantizeLinear" in origin for origin in layer.origins)
    )


def is_conversion(context: Context, layer: LayerFacts) -> bool:
    """Return whether a layer computes nothing: a reformat, or one that only quantizes or dequantizes."""
    if layer.index in context.reformat_of:
        return True
    # Nearly all layers read and write one type.
    return layer.precision != layer.output_precision and only_quantizes(layer)


def movers(context: Context) -> list[LayerFacts]:
    """Return the layers that only move or convert data."""
    found = {
        layer.index for layer in context.of_kinds(lambda each: only_copies(each) or only_quantizes(each))
    }
    return [context.layers[index] for index in sorted(found | context.reformat_of.keys())]


def activations(context: Context, layer: LayerFacts) -> list[int]:
    """Return the tensors that a layer reads and that are not constant, each once."""
    bases, varying = context.bases, context.cached(_varying)
    values = {bases[use.tensor]: use.tensor for use in layer.inputs}
    return [tensor for tensor in values.values() if varying[tensor]]


def _varying(context: Context) -> list[bool]:
    """Return of each tensor whether it is not constant: rules ask for the inputs of a layer many times."""
    has_constants = context.has_kind(lambda each: each.type == "Constant")
    return [
        tensor.role != "constant"
        and not (has_constants and any(writer.type == "Constant" for writer in context.producers(at)))
        for at, tensor in enumerate(context.tensors)
    ]


def has_quantized(context: Context) -> bool:
    """Return whether any layer reads or writes a quantized tensor first; call it through `Context.cached`."""
    return bool(
        context.of_kinds(lambda each: each.precision in QUANTIZED or each.output_precision in QUANTIZED)
    )


def only_consumer(context: Context, layer: LayerFacts) -> LayerFacts | None:
    """Return the later layer that is the only consumer of a layer's only output, or None."""
    if len(layer.outputs) != 1:
        return None
    tensor = layer.outputs[0].tensor
    readers = context.consumers(tensor)
    if len(readers) != 1 or context.is_output(tensor) or len(context.producers(tensor)) != 1:
        return None
    return readers[0] if readers[0].index > layer.index else None


def path_to_only_consumer(context: Context, layer: LayerFacts) -> tuple[list[LayerFacts], LayerFacts | None]:
    """Return the reformats after a layer and the only consumer after them, or None."""
    between = []
    reader = only_consumer(context, layer)
    while reader is not None and context.is_reformat(reader) and len(reader.inputs) == 1:
        between.append(reader)
        reader = only_consumer(context, reader)
    return between, reader


def pointwise_groups(context: Context) -> list[list[LayerFacts]]:
    """Return chains of pointwise layers with one consumer each, with the reformats between, in order."""
    group: dict[int, list[LayerFacts]] = {}
    for layer in context.of_kinds(is_pointwise):
        between, reader = path_to_only_consumer(context, layer)
        if reader is None or not is_pointwise(reader):
            continue
        parts = [group.get(each.index, [each]) for each in (layer, reader)]
        # The larger one absorbs the other, so that a long chain stays cheap.
        large, small = sorted(parts, key=len, reverse=True)
        large += [*small, *between]
        group.update((each.index, large) for each in (*small, *between, large[0]))
    distinct = {id(members): members for members in group.values()}
    return [sorted(members, key=lambda each: each.index) for members in distinct.values()]


def reachable(context: Context, starts: Iterable[LayerFacts], within: Collection[int]) -> list[LayerFacts]:
    """Return the layers, among those given by index, that depend on the starts, in execution order."""
    _, found = search(starts, context.successors, lambda layer: layer.index in within)
    return sorted(found, key=lambda layer: layer.index)
