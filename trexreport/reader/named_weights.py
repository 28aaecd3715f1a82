"""Weights that layers name among their inputs, as Myelin's do."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence

from trexreport.model import Layer
from trexreport.regex import regex

#: The parameter of a module, as frameworks name it.
_PARAMETER = regex(r"[./](?:weight|bias|kernel|gamma|beta|embedding|qweight|scales|qzeros)$", re.ASCII)
#: Layers of one product, and of one lookup.
_PRODUCTS = frozenset({"gemm", "MatrixMultiply", "FullyConnected"})
_LOOKUPS = frozenset({"Gather"})
#: A matrix of weights or a table has rows and columns.
_RANK = 2


def is_named_as_parameter(name: str) -> bool:
    """Return whether a name is that of a parameter of a module, such as "encoder.0.weight"."""
    return _PARAMETER.search(name) is not None


def unlisted_weights(layers: Sequence[Layer], bindings: Container[str]) -> set[str]:
    """Return matrices of products and tables of lookups that no layer writes, beside a known operand.

    Args:
        layers: All of the engine.
        bindings: Names of the listed inputs and outputs, which are not weights.
    """
    written = {each.name for layer in layers for each in layer.outputs}
    found = set()
    for layer in layers:
        is_lookup = layer.type in _LOOKUPS
        if not is_lookup and layer.type not in _PRODUCTS:
            continue
        names = [each.name for each in layer.inputs]
        for at, each in enumerate(layer.inputs):
            others = [*names[:at], *names[at + 1 :]]
            is_known = any(other in written or other in bindings for other in others)
            if each.name in written or each.name in bindings or len(each.dimensions) != _RANK:
                continue
            # What is multiplied is the first operand, and the table of a lookup is.
            if is_known and (at == 0 if is_lookup else at > 0):
                found.add(each.name)
    return found
