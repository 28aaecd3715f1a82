"""Draw an `EnginePlan` with Graphviz, or write it as an ONNX model, under TREx's names.

    graph = to_dot(plan, layer_type_formatter)
    render_dot(graph, "resnet", "svg")

The report draws engines of any size by itself; this is for notebooks and for Graphviz's other formats.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from itertools import pairwise
from pathlib import Path
from typing import Any

from trexreport.output import write_output
from trexreport.trex._digraph import Digraph
from trexreport.trex._graphviz import literal, run_graphviz
from trexreport.trex._latencies import get_latency, latency_types, layer_times
from trexreport.trex._libraries import pass_on
from trexreport.trex._node_labels import (
    clean_layer_name,
    get_dot_id,
    layer_node_configurable_renderer,
    layer_node_highlighter,
    layer_node_renderer_keras,
    layer_node_renderer_simple,
    layer_precision_formatter,
    layer_type_formatter,
    precision_formatter,
    region_precision_formatter,
)
from trexreport.trex._onnx_graph import OnnxGraph, make_onnx_tensor
from trexreport.trex._regions import (
    Edge,
    LayerNode,
    MemoryNode,
    PlanGraph,
    PortDesc,
    Region,
    RegionGeneration,
    regions_factory,
)
from trexreport.trex.activations import Activation, readable
from trexreport.trex.colors import NVDA_GREEN, layer_colormap, precision_colormap
from trexreport.trex.engine_plan import EnginePlan
from trexreport.trex.layer import Layer

__all__ = [
    "NVDA_GREEN",
    "Activation",
    "Digraph",
    "DotGraph",
    "Edge",
    "EnginePlan",
    "Layer",
    "LayerNode",
    "MemoryNode",
    "OnnxGraph",
    "PlanGraph",
    "PortDesc",
    "Region",
    "RegionGeneration",
    "clean_layer_name",
    "get_dot_id",
    "get_latency",
    "latency_types",
    "layer_colormap",
    "layer_node_configurable_renderer",
    "layer_node_formatters",
    "layer_node_highlighter",
    "layer_node_renderer_keras",
    "layer_node_renderer_simple",
    "layer_node_renderers",
    "layer_precision_formatter",
    "layer_type_formatter",
    "make_onnx_tensor",
    "precision_colormap",
    "precision_formatter",
    "region_precision_formatter",
    "regions_factory",
    "render_dot",
    "to_dot",
]
__getattr__ = pass_on(__name__, __all__, "Callable Dict List onnx os warnings")

#: TREx's name since 0.2, which programs import although it is private.
_get_latency = get_latency
#: Lasts as a node though nothing flows through it: it marks a training engine.
_TRAIN_STATION = "TrainStation"

LayerFormatter = Callable[[Layer], Any]


layer_node_formatters = {
    "layer_type": layer_type_formatter,
    "layer_precision_formatter": layer_precision_formatter,
}
layer_node_renderers: dict[str, Callable[..., str]] = {
    "Minimal": layer_node_renderer_simple,
    "Keras": layer_node_renderer_keras,
    "Configurable": layer_node_configurable_renderer,
}


class DotGraph:
    """The graph of a plan in DOT.

    Args:
        plan: The engine.
        layer_node_formatter: Gives the DOT attributes of a layer's node.
        layer_node_highlighter: Gives more of them from the layer's name and the names to highlight.
        layer_node_renderer: Gives the label; one of `layer_node_renderers`.
        region_formatter: Gives the attributes of a tensor's node, from it and whether it is a binding.
        display_layer_names: Write names into the boxes.
        stack_layer_names: Give each part of a fused layer's name ("a + b") its own row.
        display_regions: Draw every tensor as a node.
        display_forking_regions: Draw tensors with several writers or readers as nodes.
        expand_layer_details: Write fused operations and activations into the boxes.
        display_constants: Draw constants, and tensors that nothing writes.
        display_latency: Write times into the boxes.
        latency_type: "avg_time", "median_time" or "time".
        display_region_reuse: Number the values of a name that is used for several in turn.
        display_region_names: Write names into the nodes of tensors that are not inputs or outputs.
        display_edge_name: Write the tensor's name beside its edge.
        display_edge_details: Write shape and format beside the edge.
        highlight_layers: Names, or positions in `plan.all_layers`, of layers to frame in red.
        remove_disconnected_layers: Leave layers without inputs and outputs out.
        display_metadata: Write the layers of the original model into the boxes.

    Attributes:
        dot: The graph, with the methods of graphviz.Digraph.

    Raises:
        ValueError: `latency_type` is none of `latency_types`.
    """

    def __init__(  # noqa: PLR0917 - TREx's order
        self,
        plan: EnginePlan,
        layer_node_formatter: LayerFormatter = layer_type_formatter,
        layer_node_highlighter: Callable[..., Any] = layer_node_highlighter,
        layer_node_renderer: Callable[..., str] = layer_node_configurable_renderer,
        region_formatter: Callable[..., Any] = region_precision_formatter,
        display_layer_names: bool = True,
        stack_layer_names: bool = True,
        display_regions: bool = False,
        display_forking_regions: bool = False,
        expand_layer_details: bool = False,
        display_constants: bool = False,
        display_latency: bool = True,
        latency_type: str = latency_types[0],
        display_region_reuse: bool = False,
        display_region_names: bool = False,
        display_edge_name: bool = False,
        display_edge_details: bool = True,
        highlight_layers: Collection[str | int] | None = None,
        remove_disconnected_layers: bool = False,
        display_metadata: bool = True,
    ) -> None:
        if latency_type not in latency_types:
            raise ValueError(f"latency_type is avg_time, median_time or time, not {latency_type!r}")
        self.layer_node_formatter = layer_node_formatter
        self.layer_node_highlighter = layer_node_highlighter
        self.layer_node_renderer = layer_node_renderer
        self.region_formatter = region_formatter
        self.display_region_reuse = display_region_reuse
        self.display_region_names = display_region_names
        self.display_edge_name = display_edge_name
        self.display_edge_details = display_edge_details
        self.highlighted_layers = _names(plan, highlight_layers)
        self._times = layer_times(plan, latency_type) if display_latency else {}
        self._texts = {
            "expand_layer_details": expand_layer_details,
            "display_layer_names": display_layer_names,
            "stack_layer_names": stack_layer_names,
            "display_metadata": display_metadata,
        }
        self.dot = Digraph()
        graph = PlanGraph(plan, display_regions, display_constants, display_forking_regions)
        layers = [
            node.layer
            for node in graph.layer_nodes
            if (display_constants or node.layer.type != "Constant")
            and not (remove_disconnected_layers and _is_disconnected(node.layer))
        ]
        self._ids = {layer.name: get_dot_id(layer.name) for layer in layers}
        taken = set(self._ids)
        for node in graph.memory_nodes:
            # A tensor may have the name of a layer.
            self._ids[f"\0{node.name}"] = get_dot_id(node.name) + (" (tensor)" if node.name in taken else "")
            self._add_region(node)
        for layer in layers:
            self._add_layer(layer)
        self._add_edges(graph)
        self._connect_train_stations(layers)

    def _add_region(self, node: MemoryNode) -> None:
        rows = [node.tensor.name] if self.display_region_names or node.is_user else []
        if self.display_region_reuse and node.region_gen > 0:
            rows = [f"{' '.join(rows)} (gen={node.region_gen})".strip()]
        label = "\\n".join([*map(literal, rows), node.tensor.tooltip()])
        look = {"shape": "rectangle", "fillcolor": "gray" if node.is_user else None}
        look |= self.region_formatter(node.tensor, node.is_user)
        self.dot.node(self._ids[f"\0{node.name}"], label, look)

    def _add_layer(self, layer: Layer) -> None:
        look = dict(self.layer_node_formatter(layer))
        look |= self.layer_node_highlighter(layer.name, self.highlighted_layers)
        label = self.layer_node_renderer(layer, self._times.get(layer.name) or None, **self._texts)
        # A formatter's own label wins.
        look = {"label": label, **look}
        if str(look["label"]).startswith("<") and str(look.get("shape")).lower() in ("record", "mrecord"):
            # Braces in an HTML-like label would cut a record into fields.
            look |= {"shape": "box", "style": f"rounded,{look.get('style', 'filled')}"}
        self.dot.node(self._ids[layer.name], None, look)

    def _add_edges(self, graph: PlanGraph) -> None:
        for edge in graph.edges_list:
            source, target = self._end(edge.src), self._end(edge.dst)
            if source is None or target is None:
                continue
            rows = [literal(edge.tensor.name)] if self.display_edge_name else []
            rows += [edge.tensor.tooltip()] if self.display_edge_details else []
            look = {"color": precision_colormap[edge.tensor.precision]}
            self.dot.edge(source, target, "\\n".join(rows) or None, look)

    def _end(self, port: PortDesc) -> str | None:
        """Return the node of an end of an edge; None if it is not drawn."""
        # Ports of inputs and outputs of the engine have no number.
        is_region = port.port is None or port.layer_name not in self._ids
        return self._ids.get(f"\0{port.layer_name}" if is_region else port.layer_name)

    def _connect_train_stations(self, layers: list[Layer]) -> None:
        """Join each station with its neighbors in the order of execution."""
        for before, after in pairwise(layers):
            if _TRAIN_STATION in {before.type, after.type}:
                ends = self._ids[before.name], self._ids[after.name]
                self.dot.edge(*ends, None, {"color": "lightgray", "style": "dashed"})


def _is_disconnected(layer: Layer) -> bool:
    return not layer.inputs and not layer.outputs and layer.type != _TRAIN_STATION


def _names(plan: EnginePlan, highlighted: Collection[str | int] | None) -> set[str]:
    """Return the names of layers that are given by name or position."""
    names = {readable(each) for each in highlighted or () if isinstance(each, str)}
    return names | {layer.name for layer in plan.all_layers if layer.index in (highlighted or ())}


def to_dot(*args: Any, **kwargs: Any) -> Digraph:
    """Return the graph of a plan; the arguments are those of `DotGraph`."""
    try:
        return DotGraph(*args, **kwargs).dot
    except TypeError as error:
        if "DotGraph.__init__()" not in str(error):
            raise
        raise TypeError(str(error).replace("DotGraph.__init__()", "to_dot()")) from None


def render_dot(
    dot_graph: Digraph | str, engine_name: str | Path, output_format: str = "svg", *, time_limit: float = 120
) -> str:
    """Draw a graph with Graphviz into the file "<engine_name>.<output_format>", and return its absolute path.

    Args:
        dot_graph: From `to_dot`, or a DOT text.
        engine_name: Path of the file without its ending; an older file is replaced.
        output_format: A format of the program `dot`, such as "svg", "png" or "pdf".
        time_limit: Seconds that `dot` may take.

    Raises:
        MissingToolError: Graphviz is not installed.
        UsageError: The format's name is none.
        OutputError: Graphviz failed or took too long, or the file can't be written.
    """
    data = run_graphviz(str(dot_graph), output_format, seconds=time_limit)
    path = Path(f"{engine_name}.{output_format.partition(':')[0]}").absolute()
    write_output(path, data, force=True)
    print(f"Created file://{path}")
    return str(path)
