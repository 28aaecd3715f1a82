"""Choose in a notebook how the graph of an engine is drawn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from trexreport.trex import graphing, interactive
from trexreport.trex._libraries import has_library
from trexreport.trex.engine_plan import EnginePlan
from trexreport.trex.notebook import display

#: Option of `to_dot`, whether it is on at first, and what it is called; one tuple for each column.
_COLUMNS = (
    (("display_constants", False, "Graph: Constant inputs"),),
    (
        ("display_latency", True, "Layers: Latency"),
        ("expand_layer_details", True, "Layers: Details"),
        ("display_layer_names", False, "Layers: Names"),
        ("stack_layer_names", True, "Layers: Stack names"),
        ("display_metadata", True, "Layers: Metadata"),
    ),
    (
        ("display_regions", False, "Tensors: As nodes"),
        ("display_region_reuse", True, "Tensors: Reuse"),
        ("display_forking_regions", True, "Tensors: Forking ones as nodes"),
        ("display_region_names", False, "Tensors: Names"),
    ),
    (
        ("display_edge_name", False, "Edges: Names"),
        ("display_edge_details", True, "Edges: Details"),
    ),
)
_ONNX_FILE = "trex_model.onnx"
_NETRON_PORT = 8082


def report_card_draw_plan_graph(plan: EnginePlan, engine_name: str) -> None:
    """Show a list of ways to draw the graph; each draws it into the file "<engine_name>.svg"."""

    def render(
        _: str, formatter: Any, display_regions: bool, expand: bool, display_layer_names: bool = True
    ) -> None:
        graph = graphing.to_dot(
            plan,
            formatter,
            display_regions=display_regions,
            expand_layer_details=expand,
            display_layer_names=display_layer_names,
        )
        graphing.render_dot(graph, engine_name, "svg")

    by_type, by_precision = graphing.layer_type_formatter, graphing.layer_precision_formatter
    choices = {
        "Color nodes by type": (by_type, False, False),
        "Color nodes by type (detailed)": (by_type, True, True),
        "Color nodes by precision": (by_precision, False, False),
        "Color nodes by precision (detailed)": (by_precision, True, True),
        "Minimalistic": (by_type, False, True, False),
    }
    interactive.InteractiveDiagram(render, choices, "Color formatting:")


def report_card_draw_plan_graph_extended(plan: EnginePlan, engine_name: str) -> None:
    """Show the options, and buttons that draw into "<engine_name>.svg" or write an ONNX model.

    Without ipywidgets the graph is drawn with the options that are on at first.
    """
    if not (has_library("ipywidgets") and has_library("IPython")):
        print("Install ipywidgets to choose what the graph shows.")
        options = {option: is_on for column in _COLUMNS for option, is_on, _ in column}
        graphing.render_dot(
            graphing.to_dot(plan, graphing.layer_type_formatter, **options), engine_name, "svg"
        )
        return
    from ipywidgets import widgets

    renderer = widgets.Dropdown(
        options=list(graphing.layer_node_renderers), value="Configurable", description="Renderer"
    )
    color = widgets.Dropdown(options=["Layer Type", "Layer Precision"], description="Color")
    latency = widgets.Dropdown(options=list(graphing.latency_types), description="Latency")
    boxes = [
        [(option, widgets.Checkbox(value=is_on, description=text)) for option, is_on, text in column]
        for column in _COLUMNS
    ]
    columns = [[box for _, box in column] for column in boxes]
    columns[0].insert(0, renderer)
    columns[1][:0] = [color, latency]
    svg, onnx = (widgets.Button(description=f"Render {kind} Graph") for kind in ("SVG", "ONNX"))
    output = widgets.Output()

    def draw(_: Any) -> None:
        by_type = color.value == "Layer Type"
        formatter = graphing.layer_type_formatter if by_type else graphing.layer_precision_formatter
        options = {option: box.value for column in boxes for option, box in column}
        with output:
            output.clear_output(wait=True)
            graph = graphing.to_dot(
                plan,
                formatter,
                layer_node_renderer=graphing.layer_node_renderers[renderer.value],
                latency_type=latency.value,
                **options,
            )
            graphing.render_dot(graph, engine_name, "svg")

    def write_onnx(_: Any) -> None:
        with output:
            output.clear_output(wait=True)
            _write_onnx(plan)

    svg.on_click(draw)
    onnx.on_click(write_onnx)
    rows = [widgets.HBox([widgets.VBox(column) for column in columns]), widgets.HBox([svg, onnx])]
    display(output, widgets.VBox(rows))


def _write_onnx(plan: EnginePlan) -> None:
    """Write the layers as an ONNX model, and show it in Netron if that is installed."""
    import onnx

    onnx.save(graphing.OnnxGraph(plan, display_forking_regions=False).onnx_model, _ONNX_FILE)
    print(f"Created file://{Path(_ONNX_FILE).resolve()}")
    if not has_library("netron"):
        print("Install netron to see it in the browser.")
        return
    import netron

    netron.start(_ONNX_FILE, _NETRON_PORT)
