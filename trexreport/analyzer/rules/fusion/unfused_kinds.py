"""What is beside kernels that are not fused, where advice depends on it: see `advice.py`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from trexreport.analyzer.rules import Context, LayerFacts
from trexreport.analyzer.rules.after_products import behind_products, is_scale
from trexreport.analyzer.rules.layer_kinds import is_normalization, plugin_type
from trexreport.analyzer.rules.layer_names import is_named_move, is_named_reformat
from trexreport.analyzer.rules.layer_tests import AnyLayer, Test, all_layers, any_layer
from trexreport.analyzer.rules.patterns import is_conv_or_matmul, operations

#: Batch items, tokens, channels.
_TOKENS_RANK = 3


def _is_behind_plugin(context: Context, layer: LayerFacts) -> bool:
    return any(map(context.is_plugin, context.predecessors(layer, context.is_reformat)))


def _is_between_products(context: Context, layer: LayerFacts) -> bool:
    """Return whether a multiplication writes what a layer reads, and nothing else reads what it writes."""
    before = context.predecessors(layer, context.is_reformat)
    after = context.successors(layer, context.is_reformat)
    is_behind = any(is_conv_or_matmul(context, each) for each in before)
    return is_behind and bool(after) and all(is_conv_or_matmul(context, each) for each in after)


def _are_of_groups(context: Context, layers: Sequence[LayerFacts]) -> bool | None:
    """Return whether normalizations are of groups or instances, not of tokens; None if it does not show."""
    if any(
        is_normalization(f"{plugin_type(context, each)} {' '.join(each.origins)} {each.name}")
        for each in layers
    ):
        return True
    splits = any(list(each.operations[:1]) == ["Reshape"] for each in layers)
    ranks = {len(use.dimensions) for each in layers for use in each.outputs}
    return False if ranks and max(ranks) <= _TOKENS_RANK else splits or None


#: What advice may depend on, and the words for it where only some layers are so, or it is not known.
UNFUSED_CONDITIONS: Mapping[str, tuple[Test, str]] = {
    "behind-products": (behind_products, ""),
    "behind-plugin": (any_layer(_is_behind_plugin), ""),
    "between-products": (all_layers(_is_between_products), "Between multiplications"),
    "of-groups": (_are_of_groups, "For a normalization of groups"),
    "subtracts": (any_layer(lambda _, layer: "Sub" in operations(layer)), ""),
    "moves-beside": (any_layer(lambda _, layer: is_named_move(layer) or is_named_reformat(layer)), ""),
    "sigmoids": (AnyLayer(lambda layer: "Sigmoid" in operations(layer)), "For a sigmoid"),
    "scale-layers": (AnyLayer(is_scale), "For a Scale"),
    "reformats-between": (any_layer(lambda context, layer: context.is_reformat(layer)), ""),
}
