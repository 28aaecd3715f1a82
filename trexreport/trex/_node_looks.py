"""The looks of nodes: TREx's colors of layers and tensors, highlights, and names that Graphviz takes."""

from __future__ import annotations

import hashlib
from collections.abc import Collection

from trexreport.trex._graphviz import literal
from trexreport.trex._node_labels import tooltip_of
from trexreport.trex.activations import Activation
from trexreport.trex.colors import layer_colormap, precision_colormap
from trexreport.trex.layer import Layer

_LONGEST_ID = 1_000


def _look(layer: Layer, color: str) -> dict[str, str]:
    return {
        "shape": "Mrecord",
        "style": "filled",
        "tooltip": tooltip_of(layer),
        "fillcolor": color,
        "color": "lightgray",
        "fontname": "Helvetica",
    }


def layer_type_formatter(layer: Layer) -> dict[str, str]:
    """Return the look of a layer colored by its type; a Reformat of QDQ origin counts as Quantize."""
    is_quantization = layer.type == "Reformat" and layer.raw_dict.get("Origin") == "QDQ"
    return _look(layer, layer_colormap["Quantize" if is_quantization else layer.type])


def layer_precision_formatter(layer: Layer) -> dict[str, str]:
    """Return the look of a layer colored by the precision of its first input."""
    return _look(layer, precision_colormap[layer.precision or ""])


#: The name of earlier versions of TREx.
precision_formatter = layer_precision_formatter


def region_precision_formatter(tensor: Activation, is_user: bool) -> dict[str, str]:
    """Return the look of a tensor's node in the color of its precision, dashed inside the engine."""
    return {
        "style": "filled" if is_user else "dashed",
        "tooltip": literal(tensor.name),
        "penwidth": "3",
        "color": precision_colormap[tensor.precision],
        "fontname": "Helvetica",
    }


def layer_node_highlighter(node_name: str, highlighted_layer_names: Collection[str] | None) -> dict[str, str]:
    """Return a red frame for a layer that is to be highlighted, nothing for any other."""
    if highlighted_layer_names and node_name in highlighted_layer_names:
        return {"penwidth": "6", "color": "red"}
    return {}


def get_dot_id(layer_name: str) -> str:
    """Return the name of a node: the layer's without colons, which begin a port; long ones have a hash."""
    name = layer_name.replace(":", "###")
    if len(name) <= _LONGEST_ID:
        return name
    return f"{name[:_LONGEST_ID]} {hashlib.sha256(layer_name.encode()).hexdigest()}"
