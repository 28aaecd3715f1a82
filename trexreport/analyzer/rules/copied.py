"""What layers do that only copy."""

from __future__ import annotations

import re
from functools import lru_cache

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.rules.layer_tests import AnyLayer
from trexreport.analyzer.rules.patterns import operations
from trexreport.regex import regex

#: The operation of an ONNX node, or of the layer of that name: "Pad" of "/stem/reflection_pad/Pad_1".
_NODE = regex(r"([A-Z][A-Za-z]*)(?:__?\d+)?$", re.ASCII)
_LAYER_TYPES = {"Padding": "Pad", "Concatenation": "Concat"}
#: What a copy does if its type says that it slices, but its node that it pads.
PADS = "Pad"


@lru_cache(maxsize=1024)
def _node(end: str) -> str:
    """Return the operation that a name ends with, given what is after its last slash or space; "" if none."""
    match = _NODE.match(end)
    return match[1] if match else ""


def copied(layer: LayerFacts) -> frozenset[str]:
    """Return how a layer that only copies does so, such as "Concat" and "Slice"."""
    moves = ("Transpose",) if layer.type == "Shuffle" and _transposes(layer) else ()
    return _copied((layer.type, *operations(layer), *moves), (*layer.origins, layer.name))


def _transposes(layer: LayerFacts) -> bool:
    """Return whether a Shuffle states an order of dimensions that is not the order in which they are."""
    orders = (layer.attributes.get(key) for key in ("FirstTranspose", "SecondTranspose"))
    return any(isinstance(each, list) and each != list(range(len(each))) for each in orders)


# Each condition of advice asks it of all layers of a finding: all of them must be remembered until the next.
@lru_cache(maxsize=65536)
def _copied(kinds: tuple[str, ...], names: tuple[str, ...]) -> frozenset[str]:
    found = frozenset(_LAYER_TYPES.get(each, each) for each in kinds)
    # Names are long and have few different ends.
    nodes = frozenset(_node(each[max(each.rfind("/"), each.rfind(" ")) + 1 :]) for each in names) - {""}
    # TensorRT pads with a Slice layer.
    return found - {"Slice"} | {PADS} if PADS in nodes and "Slice" in found else found | nodes


def any_does(*names: str) -> AnyLayer:
    """Return a test whether any of the layers does one of these operations."""
    return AnyLayer(lambda layer: not copied(layer).isdisjoint(names))


def only_slices(layer: LayerFacts) -> bool:
    """Return whether a layer takes parts of a tensor as they are."""
    done = copied(layer)
    return not done.isdisjoint({"Slice", "Split"}) and "Transpose" not in done


def may_transpose(layer: LayerFacts) -> bool:
    """Return whether a layer transposes, or is a Shuffle whose name does not say that it only reshapes."""
    done = copied(layer)
    return "Transpose" in done or ("Shuffle" in done and "Reshape" not in done)
