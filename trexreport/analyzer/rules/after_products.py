"""What pointwise layers after convolutions and matrix multiplications are, where advice depends on it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.layer_names import is_named_reformat
from trexreport.analyzer.rules.patterns import activations, operations
from trexreport.regex import regex

#: The last product in the name of a layer, as the ONNX node that it is, or a fully connected layer.
_PRODUCT = regex(r"(?:^|[/ ])(?:(?P<conv>Conv(?:Transpose)?)|MatMul|Gemm)(?:__?\d+)?(?= \+ |$)", re.ASCII)
#: The operation of a node in the name of a pointwise layer.
_NODE = regex(r"([A-Z][A-Za-z]*)(?:_\d+)?(?=[),]|$)", re.ASCII)
#: The name of a fused layer that ends in an activation, as one of ONNX or of Torch-TensorRT.
ACTIVATED = regex(
    r"(?<![A-Za-z])(?:(?:Leaky|P)?Relu|Clip|[CS]?[Ee]lu|Erf|Gelu|(?:Hard)?(?:Sigmoid|Swish)|Mish|Mul|Softplus"
    r"|Softsign|Tanh)(?:__?\d+)?\)*$"
    r"|\[(?:ACTIVATION|CLIP|GELU_\w+|(?:HARD_)?SIGMOID|(?:LEAKY_)?RELU|S?ELU|SOFT\w+|TANH)\]-\S*$",
    re.ASCII,
)
#: Maximum number of layers between a product and its activation by name.
_MAX_BETWEEN = 8
#: From this part on, others are exceptions.
_MOST = 0.8
#: What an Add of two tensors reads.
_OPERANDS = 2
#: Functions that activations are made of, and the operations beside them that make one complete. LeakyReLU
#: and HardSwish are a maximum and a minimum, each of them or of their sum with a factor.
_WHOLE = {
    "Erf": {"Mul", "Add"},
    "Tanh": {"Mul", "Add"},
    "Sigmoid": {"Mul"},
    "Sigm": {"Mul"},
    "Exp": {"Neg", "Add", "Div"},
    "Hard": {"Mul"},
    "HardSigmoid": {"Mul"},
    "Max": {"Min", "Mul", "Add"},
    **{
        name: set[str]() for name in ("Gelu", "HardSwish", "Swish", "Mish", "Elu", "Selu", "Celu", "Softplus")
    },
    **{name: set[str]() for name in ("Leaky", "LeakyRelu", "Leaky_relu")},
}
_GATING = frozenset({"Sigm", "Sigmoid", "Tanh"})
#: Nodes of activations that kernels may compute by a maximum and a factor.
_NAMED = frozenset({"LeakyRelu", PRELU := "PRelu"})
#: Sines in an activation: Snake, SIREN.
_SINES = frozenset({"Sin", "Cos"})
#: A soft cap of scores divides by the cap, takes the Tanh and multiplies by the cap.
_SOFT_CAP, _FACTORS = frozenset({"Tanh", "Mul", "Div", "Cast"}), frozenset({"Mul", "Div"})
_CLIPS = frozenset({"Clip", "Relu", "Min", "Max"})
#: A batch normalization, or a factor or summand of constants.
_SCALES = frozenset({"BatchNormalization", "Mul", "Add", "Div", "Sub"})
#: The ONNX node of a sum in the name of a fused layer.
_ADD = regex(r"(?<![A-Za-z])Add(?![A-Za-z])", re.ASCII)
#: What may be done to a result before a tensor is added to it.
_BEFORE_SUM = frozenset({"Cast", "Move", "Mul", "Reshape", "Unsqueeze"})
#: Part of the time of all layers below which some need no advice of their own.
_NOTABLE = 0.1


def follow_matmuls(context: Context, layers: Sequence[LayerFacts]) -> bool | None:
    """Return whether nearly all layers follow matrix multiplications, not convolutions; None if some do."""
    return mostly(
        any(context.is_matmul(before) for before in context.predecessors(each, context.is_reformat))
        if each.type
        else _follows_matmul_by_name(context, each)
        for each in layers
        if not context.is_reformat(each)
    )


def mostly(answers: Iterable[bool]) -> bool | None:
    """Return what holds for nearly all; None if neither does."""
    found = list(answers)
    share = found.count(True) / max(len(found), 1)
    return share >= _MOST if share >= _MOST or share <= 1 - _MOST else None


def _follows_matmul_by_name(context: Context, layer: LayerFacts) -> bool:
    """Return whether the last product before a layer multiplies matrices by its name."""
    before = reversed(context.layers[max(0, layer.index - _MAX_BETWEEN) : layer.index])
    found = next((match for each in before if (match := _PRODUCT.search(each.name))), None)
    return found is not None and not found["conv"]


def are_whole(context: Context, layers: Sequence[LayerFacts]) -> bool | None:
    """Return whether nearly all layers are a whole activation after a product; None if some are."""
    return mostly(not context.is_reformat(each) and bool(_functions(context, each)) for each in layers)


def _functions(context: Context, layer: LayerFacts) -> set[str]:
    """Return the functions of which a layer computes the whole activation, perhaps with a sum behind it.

    What multiplies by another tensor is a gate (GRU, LSTM).
    """
    done = _done(layer)
    found = {function for function, others in _WHOLE.items() if function in done and done.issuperset(others)}
    operands = len(activations(context, layer))
    return {each for each in found if operands < _OPERANDS + ("Add" in done and "Add" not in _WHOLE[each])}


def gates_another(context: Context, layer: LayerFacts) -> bool:
    """Return whether a layer multiplies the activation of one tensor by another one (GRU, LSTM)."""
    done = _done(layer)
    return "Mul" in done and not done.isdisjoint(_GATING) and not _functions(context, layer)


def are_fused_elsewhere(context: Context, layers: Sequence[LayerFacts]) -> bool:
    """Return whether by name at least as many convolutions have the activation of layers in their kernel."""
    functions = {function for each in layers for function in _functions(context, each)}
    products = (each for each in context.untyped if not is_named_reformat(each))
    fused = [each for each in products if (found := _PRODUCT.search(each.name)) and found["conv"]]
    return sum(not functions.isdisjoint(_functions(context, each)) for each in fused) >= len(layers) > 0


def done_in_order(layer: LayerFacts) -> list[str]:
    """Return the operations of a layer, with activations that its name states; by the name without a type."""
    named = _NODE.findall(layer.name)
    return [*operations(layer), *(each for each in named if each in _NAMED)] if layer.type else named


def _done(layer: LayerFacts) -> set[str]:
    return set(done_in_order(layer))


def have_sines(_: Context, layers: Sequence[LayerFacts]) -> bool | None:
    """Return whether nearly all pointwise layers compute sines; None if some do."""
    return mostly(not _SINES.isdisjoint(_done(each)) for each in layers)


def cap_softly(context: Context, layers: Sequence[LayerFacts]) -> bool | None:
    """Return whether nearly all pointwise layers cap scores that leave the engine; None if some do.

    Those of an attention go through a softmax, for which a cap changes more than their order.
    """
    return mostly(
        "Tanh" in (done := _done(each))
        and not _FACTORS.isdisjoint(done)
        and _SOFT_CAP.issuperset(done)
        and len(activations(context, each)) == 1
        and any(context.is_output(use.tensor) for use in each.outputs)
        for each in _pointwise(context, layers)
    )


def cast_inside(layer: LayerFacts) -> bool:
    """Return whether a generated kernel casts what it reads, and its result back."""
    return list(operations(layer)).count("Cast") > 1


def rotate(layer: LayerFacts) -> bool:
    """Return whether a generated kernel rotates halves of vectors, as positions of queries and keys do."""
    return {"Neg", "Concat", "Mul", "Add"} <= set(operations(layer))


def gate(layer: LayerFacts) -> bool:
    """Return whether a generated kernel multiplies a part of what it reads by the activation of another."""
    done = _done(layer)
    return "Mul" in done and "Slice" in operations(layer) and not done.isdisjoint(_WHOLE)


def clip(context: Context, layers: Sequence[LayerFacts]) -> bool:
    """Return whether any of the layers is a ReLU or clips, without a sum and no other activation."""
    done = [(each, _done(each)) for each in _pointwise(context, layers)]
    return any(
        not _CLIPS.isdisjoint(some) and some.isdisjoint({"Add", PRELU}) and not _functions(context, each)
        for each, some in done
    )


def scale(context: Context, layers: Sequence[LayerFacts]) -> bool:
    """Return whether some of the layers only scale with constants and take a notable part of their time.

    They may add a residual to what they scale.
    """
    found = [
        each
        for each in _pointwise(context, layers)
        if (done := _done(each)) and _SCALES.issuperset(done)
        if len(activations(context, each)) < _OPERANDS + ({"Mul", "Add"} == done)
    ]
    return bool(found) and context.time_ms(found) >= _NOTABLE * context.time_ms(layers)


def is_scale(layer: LayerFacts) -> bool:
    """Return whether a layer is the scale and shift of a normalization, which TensorRT keeps as one."""
    return layer.type == "Scale"


def are_batch_norms(context: Context, layers: Sequence[LayerFacts]) -> bool | None:
    """Return whether nearly all layers are batch normalizations (Scale in TensorRT); None if some are."""
    return mostly(
        is_scale(each) or "BatchNormalization" in _done(each) for each in _pointwise(context, layers)
    )


def add_residuals(context: Context, layers: Sequence[LayerFacts]) -> bool:
    """Return whether some of the layers first add another tensor that is computed at run time, or may do so.

    After an activation no kernel of a convolution adds. They take a notable part of the layers' time.
    """
    found = [
        each
        for each in _pointwise(context, layers)
        if _adds_first(each) and (not each.type or len(activations(context, each)) >= _OPERANDS)
    ]
    return bool(found) and context.time_ms(found) >= _NOTABLE * context.time_ms(layers)


def _adds_first(layer: LayerFacts) -> bool:
    done = done_in_order(layer)
    return "Add" in done and _BEFORE_SUM.issuperset(done[: done.index("Add")])


def behind_products(context: Context, layers: Sequence[LayerFacts]) -> bool:
    """Return whether no product runs after any of the layers, by type or by name."""
    first = min((each.index for each in layers), default=0)
    return not any(
        each.index in context.product_indices or _PRODUCT.search(each.name) for each in context.layers[first:]
    )


def _pointwise(context: Context, layers: Sequence[LayerFacts]) -> list[LayerFacts]:
    return [each for each in layers if not context.is_reformat(each)]


def adds_elsewhere(context: Context, product: LayerFacts) -> bool:
    """Return whether another layer of the same implementation adds a tensor to its result."""
    return bool(context.cached(_adding).get(product.subtype, set()) - {product.index})


def _adding(context: Context) -> Mapping[str, set[int]]:
    """Return by implementation of products the layers that add a tensor to their result."""
    found = defaultdict(set)
    multiplying = {each.subtype for each in context.products}
    for layer in (each for each in context.layers if each.subtype in multiplying):
        adds = "Add" in layer.operations or _ADD.search(layer.name) is not None
        if layer.attributes.get("HasResidual") == 1 or (adds and len(activations(context, layer)) > 1):
            found[layer.subtype].add(layer.index)
    return found
