"""Which precisions were asked for and which are used."""

from __future__ import annotations

from collections.abc import Sequence

from trexreport.analyzer.rules.context import LOW_PRECISIONS, Context
from trexreport.model.data_format import BITS


def used_types(context: Context) -> frozenset[str]:
    """Return the types of all tensors and weights, and those that kernels' names tell."""
    return context.once(_used_types)


def _used_types(context: Context) -> frozenset[str]:
    found = {tensor.data_type for tensor in context.tensors}
    found.update(group.name for group in context.analysis.memory.weights_by_type)
    for layer in context.layers:
        kernel = context.kernel(layer)
        found.update((kernel.math_type, *kernel.data_types))
    return frozenset(found)


def asked_but_unused(context: Context, types: Sequence[str]) -> list[str]:
    """Return those of some types that were asked for and that nothing uses, nor any as narrow.

    None where opaque layers hide what they compute in.
    """
    if any(context.is_opaque(layer) for layer in context.layers):
        return []
    used = used_types(context)
    narrowest = min((BITS[name] for name in used & LOW_PRECISIONS), default=BITS["FP32"])
    return [name for name in types if name in context.asked_precisions and BITS[name] < narrowest]


def describe_use(context: Context) -> dict[str, str]:
    """Return what was asked for and what layers compute in, as evidence."""
    computed = {layer.precision for layer in context.layers if not layer.structural} - {""}
    return {"Asked for": context.analysis.identity.precisions, "Used": ", ".join(sorted(computed))}
