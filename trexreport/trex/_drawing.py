"""Lay out what the graph of an `EnginePlan` shows: which layers and tensors, joined how, with which words."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from trexreport.numbers import format_ms
from trexreport.renderer.graph.dot import DotWriter, shorten
from trexreport.renderer.palette import color
from trexreport.trex.activations import Activation, readable
from trexreport.trex.layer import Layer

if TYPE_CHECKING:
    from trexreport.trex.engine_plan import EnginePlan

_MOST_ROWS = 8
#: What may be written into the boxes, under TREx's names.
_LATENCIES = {"avg_time": "avg_ms", "median_time": "median_ms", "time": "total_ms"}
_HIGHLIGHT = {"color": "red", "penwidth": 6}
#: Lasts as a node though nothing flows through it: it marks a training engine.
_NEVER_DISCONNECTED = "TrainStation"


@dataclass(frozen=True)
class DrawingOptions:
    """What the graph of a plan shows; the names and defaults are TREx's.

    Attributes:
        layer_node_highlighter: Gives more DOT attributes for a layer; None for none.
        layer_node_renderer: Not used: there is one way to write a node.
        region_formatter: Gives the DOT attributes of a tensor's node from the tensor and from whether it is
            an input or output of the engine.
        display_layer_names: Write names into the boxes.
        stack_layer_names: Give each part of a fused layer's name ("a + b") its own row.
        display_regions: Draw every tensor as a node.
        display_forking_regions: Draw tensors with several writers or readers as nodes.
        expand_layer_details: Write fused operations and activations into the boxes.
        display_constants: Draw constants, and tensors that nothing writes.
        display_latency: Write times into the boxes.
        latency_type: "avg_time", "median_time" or "time".
        display_region_reuse: Draw tensors whose name is used for several values in turn, with their number.
        display_region_names: Write names into the nodes of tensors that are no inputs or outputs.
        display_edge_name: Write the tensor's name beside its edge.
        display_edge_details: Write shape and format beside the edge.
        highlight_layers: Names, or positions in `plan.all_layers`, of layers to frame in red.
        remove_disconnected_layers: Leave layers without inputs and outputs out.
        display_metadata: Write the metadata (the layers of the original model) into the boxes.
    """

    layer_node_highlighter: Callable[[Layer], Mapping[str, object]] | None = None
    layer_node_renderer: Any = None
    region_formatter: Callable[[Activation, bool], Mapping[str, object]] | None = None
    display_layer_names: bool = True
    stack_layer_names: bool = True
    display_regions: bool = False
    display_forking_regions: bool = False
    expand_layer_details: bool = False
    display_constants: bool = False
    display_latency: bool = True
    latency_type: str = "avg_time"
    display_region_reuse: bool = False
    display_region_names: bool = False
    display_edge_name: bool = False
    display_edge_details: bool = True
    highlight_layers: Collection[str | int] | None = None
    remove_disconnected_layers: bool = False
    display_metadata: bool = True

    def __post_init__(self) -> None:
        if self.latency_type not in _LATENCIES:
            raise ValueError(f"latency_type is avg_time, median_time or time, not {self.latency_type!r}")
        if self.layer_node_renderer is not None:
            warnings.warn("layer_node_renderer is not used: there is one way to write a node.", stacklevel=4)


@dataclass
class _Region:
    """One value of a tensor, with the layers that write and read it."""

    tensor: Activation
    writers: list[int] = field(default_factory=list)
    readers: list[int] = field(default_factory=list)
    is_user: bool = False


def draw_plan(
    plan: EnginePlan, formatter: Callable[[Layer], Mapping[str, object]], options: DrawingOptions
) -> DotWriter:
    """Return the graph: layers as nodes, tensors as edges or as nodes between them."""
    writer = DotWriter(plan.name)
    layers = _shown_layers(plan, options)
    for layer in layers:
        writer.node(f"layer{layer.index}", _layer_attributes(layer, formatter, options))
    regions = _regions(plan, layers)
    generations = Counter(region.tensor.name for region in regions)
    for number, region in enumerate(regions):
        is_reused = generations[region.tensor.name] > 1
        if _is_node(region, options, is_reused=is_reused):
            _draw_region(writer, f"tensor{number}", region, options, is_reused=is_reused)
            continue
        for source in region.writers:
            for target in region.readers:
                writer.edge(f"layer{source}", f"layer{target}", _edge_attributes(region.tensor, options))
    return writer


def _shown_layers(plan: EnginePlan, options: DrawingOptions) -> list[Layer]:
    layers = plan.all_layers if options.display_constants else plan.layers
    if not options.remove_disconnected_layers:
        return list(layers)
    return [layer for layer in layers if layer.inputs or layer.outputs or layer.type == _NEVER_DISCONNECTED]


def _regions(plan: EnginePlan, layers: list[Layer]) -> list[_Region]:
    """Return every value that the layers touch, in the order in which they first do."""
    regions: dict[tuple[str, int], _Region] = {}
    for layer in layers:
        for tensor in layer.inputs:
            region = regions.setdefault((tensor.name, tensor.version), _Region(tensor))
            region.readers.append(layer.index)
        for tensor in layer.outputs:
            region = regions.setdefault((tensor.name, tensor.version), _Region(tensor))
            region.writers.append(layer.index)
            # Branches that fill one buffer each name their part; the largest view is the buffer.
            if tensor.size_bytes > region.tensor.size_bytes:
                region.tensor = tensor
    for tensor in (tensor for side in plan.get_bindings() for tensor in side):
        regions.setdefault((tensor.name, tensor.version), _Region(tensor)).is_user = True
    return list(regions.values())


def _is_node(region: _Region, options: DrawingOptions, *, is_reused: bool) -> bool:
    if region.is_user:
        return True
    if not region.writers and not options.display_constants:
        return False
    forks = len(region.readers) > 1 or len(region.writers) > 1
    return (
        options.display_regions
        or (options.display_forking_regions and forks)
        or (options.display_region_reuse and is_reused)
        or not region.writers
    )


def _draw_region(
    writer: DotWriter, key: str, region: _Region, options: DrawingOptions, *, is_reused: bool
) -> None:
    tensor = region.tensor
    rows = [shorten(tensor.name)] if region.is_user or options.display_region_names else []
    rows.append(f"{tensor.shape} {tensor.format}")
    if is_reused and options.display_region_reuse:
        rows[0] += f" (gen={tensor.version})"
    look = (options.region_formatter or region_precision_formatter)(tensor, region.is_user)
    writer.node(key, {"label": "\n".join(rows), "tooltip": f"{tensor.name}\n{tensor.tooltip()}", **look})
    for source in region.writers:
        writer.edge(f"layer{source}", key, _edge_attributes(tensor, options))
    for target in region.readers:
        writer.edge(key, f"layer{target}", _edge_attributes(tensor, options))


def region_precision_formatter(tensor: Activation, is_user: bool) -> dict[str, object]:
    """Return the look of a tensor's node in the color of its precision, dashed inside the engine."""
    stroke = color(f"precision:{tensor.precision}")
    return {"shape": "box", "style": "solid" if is_user else "dashed", "penwidth": 3, "color": stroke}


def _edge_attributes(tensor: Activation, options: DrawingOptions) -> dict[str, object]:
    rows = []
    if options.display_edge_name:
        rows.append(shorten(tensor.name))
    if options.display_edge_details:
        rows.append(f"{tensor.shape}\n{tensor.format}")
    attributes: dict[str, object] = {
        "color": color(f"precision:{tensor.precision}"),
        "tooltip": f"{tensor.name}\n{tensor.tooltip()}",
    }
    return {**attributes, "label": "\n".join(rows)} if rows else attributes


def _layer_attributes(
    layer: Layer, formatter: Callable[[Layer], Mapping[str, object]], options: DrawingOptions
) -> dict[str, object]:
    attributes: dict[str, object] = {"label": "\n".join(_rows(layer, options)), **formatter(layer)}
    # The label is not HTML and not a record: braces in names would cut it into fields.
    if str(attributes.get("shape", "")).lower() in ("record", "mrecord"):
        attributes |= {"shape": "box", "style": attributes.get("style", "rounded,filled")}
    if options.layer_node_highlighter is not None:
        attributes |= options.layer_node_highlighter(layer)
    marked = {readable(item) if isinstance(item, str) else item for item in options.highlight_layers or ()}
    return {**attributes, **_HIGHLIGHT} if marked & {layer.name, layer.index} else attributes


def _rows(layer: Layer, options: DrawingOptions) -> list[str]:
    """Return the lines of a layer's label."""
    rows = [layer.type or layer.subtype]
    if options.display_latency and layer.time is not None:
        rows.append(format_ms(getattr(layer.time, _LATENCIES[options.latency_type])))
    if options.display_layer_names:
        rows += _stacked(layer.name, stack=options.stack_layer_names)
    if options.display_metadata and layer.metadata:
        rows += _stacked(layer.metadata, stack=True)
    if layer.type == "Reformat" and layer.raw_dict.get("Origin"):
        rows.append(f"Origin: {layer.raw_dict['Origin']}")
    if options.expand_layer_details:
        rows += _details(layer)
    return [shorten(row) for row in rows if row]


def _stacked(text: str, *, stack: bool) -> list[str]:
    parts = [part.strip() for part in text.split("+")] if stack else [text]
    return _few([part for part in parts if part])


def _few(rows: list[str]) -> list[str]:
    if len(rows) <= _MOST_ROWS:
        return rows
    return [*rows[: _MOST_ROWS - 1], f"and {len(rows) - _MOST_ROWS + 1} more"]


def _details(layer: Layer) -> list[str]:
    """Return what is fused into a layer: pointwise operations, a residual addition, an activation."""
    rows = []
    operations = layer.raw_dict.get("Operations")
    if isinstance(operations, list):
        rows += _few([str(operation) for operation in operations])
    if layer.type == "Convolution" and len(layer.inputs) > 1:
        rows.append("Conv(input0) + input1")
    activation = layer.raw_dict.get("Activation")
    if isinstance(activation, str) and activation not in ("", "NONE"):
        rows.append(f"Activation: {activation}")
    return rows
