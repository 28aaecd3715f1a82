"""The texts in the boxes of layers, in TREx's three styles: a table, Keras's record, and a name.

Also the looks of nodes: TREx's colors of layers and tensors, highlights, and names that Graphviz takes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Sequence

from trexreport.numbers import format_ms, middle_ellipsis
from trexreport.trex._graphviz import as_html, literal
from trexreport.trex.activations import Activation
from trexreport.trex.colors import layer_colormap, precision_colormap
from trexreport.trex.layer import Layer

_MOST_ROWS = 8
_CHARACTERS = 120
_OPERATIONS, _FUSED = "#F0FFF0", "lightblue"
#: Characters that mean something in the label of a record.
_RECORD = str.maketrans({character: f"\\{character}" for character in "{}|<>\\"} | {"\n": "\\n"})

#: A text and the color behind it, if any.
_Row = tuple[str, str | None]

_LONGEST_ID = 1_000


def clean_layer_name(layer: Layer) -> str:
    """Return the name of a layer for the label of a record."""
    return _shorten(layer.name).translate(_RECORD)


def layer_node_renderer_simple(  # noqa: PLR0917 - TREx's order
    layer: Layer,
    latency: float | None,
    display_layer_names: bool = True,
    expand_layer_details: bool = False,
    stack_layer_names: bool = True,
    display_metadata: bool = True,
) -> str:
    """Return name and type of a layer."""
    del latency, expand_layer_details, stack_layer_names, display_metadata
    name = f"{clean_layer_name(layer)}\\n" if display_layer_names else ""
    return f"{name}{layer.type.translate(_RECORD)}"


def layer_node_renderer_keras(  # noqa: PLR0917 - TREx's order
    layer: Layer,
    latency: float | None,
    display_layer_names: bool = True,
    expand_layer_details: bool = False,
    stack_layer_names: bool = True,
    display_metadata: bool = True,
) -> str:
    """Return name, metadata and type of a layer beside the shapes of its inputs and outputs."""
    del latency, expand_layer_details, stack_layer_names
    texts = [clean_layer_name(layer)] if display_layer_names else []
    if display_metadata and layer.metadata:
        texts.append(_shorten(layer.metadata).translate(_RECORD))
    texts.append(layer.type.translate(_RECORD))
    shapes = ["".join(str(tensor.shape) for tensor in side) for side in (layer.inputs, layer.outputs)]
    return "\\n".join(texts) + f"|{{input:|output:}}|{{{{{shapes[0]}}}|{shapes[1]}}}"


def layer_node_configurable_renderer(  # noqa: PLR0917 - TREx's order
    layer: Layer,
    latency: float | None,
    display_layer_names: bool = True,
    expand_layer_details: bool = False,
    stack_layer_names: bool = True,
    display_metadata: bool = True,
) -> str:
    """Return a table: type, time in ms, names, metadata, origin of a reformat, and what is fused.

    Args:
        layer: The layer.
        latency: In ms, or None.
        display_layer_names: With its name.
        expand_layer_details: With fused operations and activations.
        stack_layer_names: With each part of a fused layer's name in a row of its own.
        display_metadata: With the layers of the original model.
    """
    rows: list[_Row] = [(layer.type or layer.subtype, None)]
    if latency:
        rows.append((format_ms(latency), None))
    if display_layer_names:
        rows += _plain(_stacked(layer.name, stack=stack_layer_names))
    if display_metadata and layer.metadata:
        rows += _plain(_stacked(layer.metadata, stack=stack_layer_names))
    if layer.type == "Reformat" and layer.raw_dict.get("Origin"):
        rows.append((f"Origin: {layer.raw_dict['Origin']}", None))
    if expand_layer_details:
        rows += _details(layer)
    return _table([row for row in rows if row[0]])


def _table(rows: Sequence[_Row]) -> str:
    cells = []
    for at, (text, color) in enumerate(rows):
        shown = as_html(_shorten(text).replace("\n", " ")) or " "
        background = f' BGCOLOR="{color}"' if color else ""
        cells.append(f"<TR><TD{background}>{f'<b>{shown}</b>' if at == 0 else shown}</TD></TR>")
    head = '<TABLE BORDER="0" CELLBORDER="1" CELLSPACING="0" CELLPADDING="4" COLOR="transparent">'
    return f"<{head}{''.join(cells) or '<TR><TD> </TD></TR>'}</TABLE>>"


def _shorten(text: str) -> str:
    return middle_ellipsis(text, _CHARACTERS)


def _plain(texts: Iterable[str]) -> list[_Row]:
    return [(text, None) for text in texts]


def _stacked(text: str, *, stack: bool) -> list[str]:
    parts = [part.strip() for part in text.split("+")] if stack else [text]
    return _few([part for part in parts if part])


def _few(texts: list[str]) -> list[str]:
    if len(texts) <= _MOST_ROWS:
        return texts
    return [*texts[: _MOST_ROWS - 1], f"and {len(texts) - _MOST_ROWS + 1} more"]


def _details(layer: Layer) -> list[_Row]:
    """Return what is fused into a layer: pointwise operations, a residual addition, an activation."""
    rows: list[_Row] = []
    is_convolution = layer.type in ("Convolution", "Deconvolution")
    if is_convolution and len(layer.inputs) > 1:
        rows.append(("Conv(input0) + input1", _FUSED))
    key = "PointWiseExpressionOperations" if is_convolution else "Operations"
    operations = layer.raw_dict.get(key)
    if isinstance(operations, list):
        texts = [str(each).removeprefix("const auto").strip() for each in operations]
        rows += [(text, _OPERATIONS) for text in _few(texts)]
    activation = layer.raw_dict.get("Activation")
    if isinstance(activation, str) and activation not in ("", "NONE") and not (operations and is_convolution):
        rows.append((f"Activation: {activation}", _FUSED))
    return rows


def tooltip_of(layer: Layer) -> str:
    """Return the raw attributes of a layer, short enough for Graphviz, shown as they are."""
    lines = (_shorten(line) for line in layer.tooltip().split("\\n")[:_MOST_LINES])
    return "\\n".join(map(literal, lines))


_MOST_LINES = 40


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
