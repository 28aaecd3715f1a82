"""TRX516 fusion.integer-emulation."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable

from trexreport.analyzer.analysis import slowest_first
from trexreport.analyzer.rules import Context, Hit, Hits, LayerFacts, Threshold, built_in_rule
from trexreport.analyzer.rules.context import search
from trexreport.analyzer.rules.fusion.attention_parts import multiplies_activations
from trexreport.analyzer.rules.limits import min_share
from trexreport.analyzer.rules.patterns import is_pointwise_or_move
from trexreport.analyzer.rules.phrases import timed
from trexreport.analyzer.rules.savings import untimed_as_info
from trexreport.numbers import counted, middle_ellipsis
from trexreport.regex import regex

#: The module and the operation of an ONNX node in a name.
_NODE = regex(
    r"(?P<module>[\w./-]{1,200})/(?P<node>(?P<operation>[A-Z][A-Za-z0-9]{1,40})(?:_\d{1,9})?)\b", re.ASCII
)
#: What rounds values to integers.
_ROUNDS = frozenset({"Floor", "Round"})
#: Operations of the functions that are emulated.
_PARTS = {"softmax": {"ReduceMax", "ReduceSum"}, "normalization": {"ReduceMean", "Sqrt"}}
_OPERATORS = {"softmax": "Softmax", "normalization": "LayerNormalization"}
#: Products of an attention beside its softmax: Q x K, and the scores x V.
_MULTIPLIES, _PRODUCTS_OF_ATTENTION = frozenset({"MatMul", "Einsum"}), 2
_MAX_NAME_WIDTH = 60


@built_in_rule(
    "warning",
    needs=(),
    thresholds=(
        min_share(2.0, "all these layers together"),
        Threshold("min_count", 3, 2, 1e6, "Minimum number of Floor and Round nodes of a module."),
    ),
)
@untimed_as_info
def integer_emulation(context: Context, *, share_percent: float, min_count: float) -> Hits:
    """A softmax or normalization is emulated with integers.

    Cost:
        Models for devices without floating-point units (I-BERT, I-ViT) replace these functions with
        polynomials of integers, which Floor and Round make of floating-point values. A GPU computes the steps
        in FP32 one by one. An attention with such a softmax cannot be fused: its scores go through memory.

    Recommendation:
        Export the model with {Exported as|Softmax and LayerNormalization}, and Q/DQ nodes at the inputs of
        the matrix multiplications alone: TensorRT computes that in FP16 or FP32 within fused kernels. Compare
        the accuracy.

    False alarm:
        The engine only checks the results of an integer device, which must be equal bit by bit. It is found
        by at least three Floor or Round nodes in a module of the model that also has those of a softmax or
        normalization, by their names. A softmax outside of an attention is left out, as one
        kernel computes it either way: none of two activations reads it, and no two are in its module.

    Est. savings:
        Not estimated: what fused kernels save depends on the length of the sequence.
    """
    if not any(operation in context.all_names for operation in _ROUNDS):
        return
    texts = {
        layer.index: " ".join((layer.name, *layer.origins))
        for layer in context.layers
        if layer.index not in context.product_indices
    }
    rounding: defaultdict[str, set[str]] = defaultdict(set)
    operations: defaultdict[str, set[str]] = defaultdict(set)
    layers: defaultdict[str, dict[int, LayerFacts]] = defaultdict(dict)
    for index, text in texts.items():
        for match in _NODE.finditer(text):
            module = match["module"]
            operations[module].add(match["operation"])
            layers[module][index] = context.layers[index]
            if match["operation"] in _ROUNDS:
                rounding[module].add(match["node"])
    many = [module for module, nodes in rounding.items() if len(nodes) >= min_count]
    modules = [
        module
        for module in many
        if (kind := _kind(operations[module])) == "normalization"
        or (kind and _is_in_attention(context, module, layers[module].values()))
    ]
    found = {index: layer for module in modules for index, layer in layers[module].items()}
    if not found or not context.is_significant(found.values(), share_percent):
        return
    kinds = sorted({_kind(operations[module]) for module in modules})
    what = counted(len(modules), "module emulates", "modules emulate")
    first = middle_ellipsis(modules[0], _MAX_NAME_WIDTH)
    yield Hit(
        f"{what} {' and '.join(kinds)} with integers, such as {first}{timed(context, found.values())}.",
        tuple(slowest_first(found.values())),
        evidence={"Exported as": " and ".join(_OPERATORS[kind] for kind in kinds)},
    )


def _is_in_attention(context: Context, module: str, layers: Iterable[LayerFacts]) -> bool:
    """Return whether a product of two activations reads a softmax, or its module has two products."""
    readers, _ = search(list(layers), context.successors, is_pointwise_or_move)
    if any(multiplies_activations(context, each) for each in readers):
        return True
    outer = module.rpartition("/")[0]
    if not outer.strip("/"):
        return False
    names = (name for layer in context.products for name in (layer.name, *layer.origins))
    nodes = (match for name in names for match in _NODE.finditer(name))
    within = {
        f"{each['module']}/{each['node']}"
        for each in nodes
        if each["operation"] in _MULTIPLIES and f"{each['module']}/".startswith(f"{outer}/")
    }
    return len(within) >= _PRODUCTS_OF_ATTENTION


def _kind(operations: set[str]) -> str:
    """Return what the operations of a module compute; empty if it is neither."""
    return next((kind for kind, parts in _PARTS.items() if parts <= operations), "")
