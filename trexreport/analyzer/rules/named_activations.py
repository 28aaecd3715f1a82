"""Activations after convolutions and matrix multiplications that names show; see `layer_names.py`.

Convolutions that read the same tensor are one kernel, "/cv1/conv/Conv || /cv2/conv/Conv"; the activations of
both may run much later.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise, takewhile

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.rules.layer_names import is_named_move, is_named_reformat
from trexreport.regex import regex

_ACTIVATION_NODES = """
Abs BatchNormalization Celu Clip Div Elu Exp Gelu HardSigmoid HardSwish LeakyRelu Log Mish Neg PRelu
Reciprocal Relu Selu Sigmoid Softplus Softsign Sqrt Swish Tanh ThresholdedRelu
"""
_ACTIVATIONS = frozenset(_ACTIVATION_NODES.split())
#: They activate in a generalized divisive normalization, beside its convolution; else they mostly compute
#: with results, such as boxes.
_ARITHMETIC = frozenset({"Abs", "Div", "Exp", "Log", "Neg", "Reciprocal", "Sqrt"})
#: Alone they compute with results in any case.
_NEVER_ALONE = frozenset({"Exp", "Log", "Neg", "Reciprocal"})
#: A GELU whose parts are one kernel.
_GELU = frozenset({"Erf", "Mul"})
#: An operand of a pointwise layer that is a constant, as parts of names without parentheses: "209" in
#: "PWN(209 + (Unnamed Layer* 11) [Shuffle] + Add_43, Clip_46)".
_CONSTANT = regex(r"\s*(?:\d+|Unnamed Layer\* \d+|\[(?:Shuffle|Constant)\])?\s*", re.ASCII)
#: A node that computes with single elements; TensorRT calls a kernel of some "PWN(PWN(x/Sigmoid), x/Mul)".
_POINTWISE_NODE = regex(
    r"(?:[^\s(),+]*/)?(Add|Erf|Mul|Sub|" + "|".join(sorted(_ACTIVATIONS)) + r")(?:__?\d+)?",
    re.ASCII,
)
#: A convolution or matrix multiplication without another operation after it but the sum with its bias.
_PRODUCT = regex(
    r"(?:^|[/ ])(?:Conv|ConvTranspose|Gemm|MatMul)(?:__?\d+)?(?: \+ (?:[^ +]*/)?(?:Bias)?Add(?:_\d+)?)?$",
    re.ASCII,
)
#: Between the nodes of a name: those of one kernel, and those of convolutions side by side.
_BETWEEN_NODES = regex(r" \+ | \|\| |, |PWN\(|[()]")
#: A node of an export that numbers all nodes of a model in order.
_NUMBERED = regex(r"(?P<operation>[A-Z][A-Za-z0-9]*)_(?P<number>\d{1,9})", re.ASCII)
#: This many rows whose times only fall are in the order of their times, not of execution.
_MIN_SORTED = 12
#: The number of members of a module that has nothing else.
_PRODUCT_AND_LAYER = 2


def named_activations(layers: Sequence[LayerFacts], rows: Sequence[LayerFacts]) -> list[LayerFacts]:
    """Return the layers that by name only activate the result of a convolution or matrix multiplication.

    That has no activation of its own, and runs directly before, in a module with the layer where names state
    modules; or nothing else is in a module with the two; or it is the node with the number before. Layers
    that take no time or only move data are looked through. A batch normalization that is not folded into the
    weights counts, too.

    Args:
        layers: All layers of an engine.
        rows: The same as the file has them, with mean times; without order if they are sorted by these.
    """
    measured = [layer for layer in layers if layer.avg_ms]
    timed = [layer for layer in measured if not is_named_reformat(layer) and not is_named_move(layer)]
    found = {layer.index: layer for layer in timed if _is_named_activation(layer)}
    in_order = not _are_sorted(rows)
    shown = {*_alone_with_product(timed, found, in_order), *_next_numbers(timed, found)}
    if in_order:
        pairs = ((before, after) for before, after in pairwise(timed) if after.index in found)
        shown.update(after.index for before, after in pairs if _follows(before, after))
    return [layer for layer in found.values() if layer.index in shown]


def _are_sorted(rows: Sequence[LayerFacts]) -> bool:
    times = [layer.avg_ms for layer in rows if layer.avg_ms]
    return len(times) >= _MIN_SORTED and times == sorted(times, reverse=True)


def _nodes(name: str) -> list[str]:
    parts = _BETWEEN_NODES.split(name)
    return [part for part in parts if not _CONSTANT.fullmatch(part)] or [name]


def _path(node: str) -> tuple[str, ...]:
    return tuple(node.strip("/").split("/"))


def _common(one: tuple[str, ...], other: tuple[str, ...]) -> int:
    """Return the number of modules around two paths that are the same."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _follows(before: LayerFacts, after: LayerFacts) -> bool:
    """Return whether a layer is one of products alone, and the next layer may be in a module with one."""
    products = [each for each in before.name.split(" || ") if _PRODUCT.search(each)]
    are_close = _are_beside if _only_computes(after) else _are_in_one_module
    return any(are_close(product, after.name) for product in products)


def _only_computes(layer: LayerFacts) -> bool:
    """Return whether all that activates in the name of a layer may as well compute with results."""
    return _ACTIVATIONS.intersection(_operations(layer)) <= _ARITHMETIC


def _operations(layer: LayerFacts) -> set[str]:
    found = (_POINTWISE_NODE.fullmatch(part) for part in _nodes(layer.name))
    return {match[1] for match in found if match}


def _are_beside(before: str, after: str) -> bool:
    """Return whether the first node of a name is in the module of the last of another one, or beside it."""
    product, first = _path(_nodes(before)[-1]), _path(_nodes(after)[0])
    return first[:-1] in (product[:-1], product[:-2]) or first[:-2] == product[:-2]


def _are_in_one_module(before: str, after: str) -> bool:
    """Return whether the last node of a name and the first of another may be of one module.

    A node's own module, such as "conv" in "/stage/block/conv/Conv", and what is around it are left out: those
    of the two nodes may be siblings, as may be theirs.
    """
    around = [_path(node)[:-2] for node in (_nodes(before)[-1], _nodes(after)[0])]
    common = _common(*around)
    shortest = min(map(len, around))
    return common >= min(1, shortest) and common >= shortest - 1


def _is_named_activation(layer: LayerFacts) -> bool:
    """Return whether all nodes in the name of a layer of unknown type are pointwise, and one activates."""
    operations = _operations(layer)
    activates = not _ACTIVATIONS.isdisjoint(operations - _NEVER_ALONE) or operations >= _GELU
    return not layer.type and activates and all(map(_POINTWISE_NODE.fullmatch, _nodes(layer.name)))


def _alone_with_product(
    layers: Sequence[LayerFacts], found: Mapping[int, LayerFacts], in_order: bool
) -> Iterator[int]:
    """Yield the indices of those layers whose first node is in a module with one product and nothing else.

    The product runs before. Where the order is not known, modules with the same nodes elsewhere, whose
    activation is fused, show that theirs does.
    """
    firsts = {index: _path(_nodes(layer.name)[0]) for index, layer in found.items()}
    modules = {index: [each for each in (path[:-1], path[:-2]) if each] for index, path in firsts.items()}
    members = _members(layers, {module for each in modules.values() for module in each})
    fused = frozenset() if in_order else frozenset(_fused_pairs(layers))
    for after, module in ((index, module) for index, each in modules.items() for module in each):
        if len(members[module]) != _PRODUCT_AND_LAYER:
            continue
        before, product = next((each for each in members[module] if each[0] != after), (after, ""))
        last, first = _path(_nodes(product)[-1]), firsts[after]
        if not _PRODUCT.search(product) or last[: len(module)] != module:
            continue
        if before < after if in_order else (last[len(module) :], first[len(module) :]) in fused:
            yield after


def _members(
    layers: Sequence[LayerFacts], modules: Collection[tuple[str, ...]]
) -> dict[tuple[str, ...], list[tuple[int, str]]]:
    """Return the layers with a node in each of some modules, and which of several side by side it is."""
    members: dict[tuple[str, ...], list[tuple[int, str]]] = {module: [] for module in modules}
    depths = {len(module) for module in modules}
    for layer in layers if modules else ():
        for part in layer.name.split(" || "):
            paths = {_path(node)[:-1] for node in _nodes(part)}
            for module in {path[:depth] for path in paths for depth in depths if depth <= len(path)}:
                if module in members:
                    members[module].append((layer.index, part))
    return members


def _fused_pairs(layers: Sequence[LayerFacts]) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Yield, as paths within their module, each product and the node after it that are one kernel."""
    for layer in layers:
        for before, after in pairwise(map(_path, _nodes(layer.name))):
            depth = _common(before, after)
            yield before[depth:], after[depth:]


def _next_numbers(layers: Sequence[LayerFacts], found: Mapping[int, LayerFacts]) -> Iterator[int]:
    """Yield the indices of those layers whose first node has the number after that of a product.

    None where two nodes have one number, as where each operation is numbered on its own.
    """
    operations: dict[int, str] = {}
    products = set()
    for part in (part for layer in layers for part in layer.name.split(" || ")):
        numbered = [_NUMBERED.fullmatch(node) for node in _nodes(part)]
        for match in filter(None, numbered):
            if operations.setdefault(int(match["number"]), match["operation"]) != match["operation"]:
                return
        if numbered[-1] is not None and _PRODUCT.search(part):
            products.add(int(numbered[-1]["number"]))
    for index, layer in found.items():
        first = _NUMBERED.fullmatch(_nodes(layer.name)[0])
        if first is not None and int(first["number"]) - 1 in products:
            yield index
