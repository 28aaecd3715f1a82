"""Write the layers of a plan as nodes of an ONNX model, for viewers such as Netron; nothing can run it."""

from __future__ import annotations

from typing import Any

from trexreport.errors import MissingToolError
from trexreport.trex._libraries import has_library
from trexreport.trex._regions import Edge, PlanGraph
from trexreport.trex.activations import Activation
from trexreport.trex.engine_plan import EnginePlan
from trexreport.trex.layer import Layer

_NOT_ATTRIBUTES = {
    *("InputRegions", "OutputRegions", "Inputs", "Outputs", "Name", "name", "ParameterType", "LayerName"),
}
#: ONNX's name of a data type, where it is another.
_TYPES = {"FP32": "FLOAT", "FP16": "FLOAT16", "FP64": "DOUBLE", "BF16": "BFLOAT16", "FP8": "FLOAT8E4M3FN"}
_POOLINGS = {"AVERAGE": "AveragePool", "MAX": "MaxPool"}


class OnnxGraph:
    """The layers of a plan as an ONNX model.

    Args:
        plan: The engine.
        display_forking_regions: Give tensors with several writers or readers nodes of their own.

    Attributes:
        plan_graph: Layers, regions and edges.
        onnx_nodes: The model's nodes.
        onnx_model: The model.

    Raises:
        MissingToolError: The package onnx is not installed.
    """

    def __init__(self, plan: EnginePlan, display_forking_regions: bool = False) -> None:
        if not has_library("onnx"):
            raise MissingToolError("The package onnx is not installed.", "Install it: pip install onnx.")
        import onnx

        self.plan = plan
        self.plan_graph = PlanGraph(plan, include_forking_regions=display_forking_regions)
        inputs, outputs = self._values()
        self.onnx_nodes: list[Any] = [
            onnx.helper.make_node("Region", inputs.get(node.name, []), outputs.get(node.name, []), node.name)
            for node in self.plan_graph.memory_nodes
            if not node.is_user
        ]
        for layer in (node.layer for node in self.plan_graph.layer_nodes):
            if layer.type != "Constant":
                node = onnx.helper.make_node(
                    _operator(layer), inputs.get(layer.name, []), outputs.get(layer.name, []), layer.name
                )
                node.attribute.extend(_attributes(layer))
                self.onnx_nodes.append(node)
        read, written = ([make_onnx_tensor(tensor) for tensor in side] for side in plan.get_bindings())
        graph = onnx.helper.make_graph(self.onnx_nodes, plan.name or "engine", read, written)
        self.onnx_model = onnx.helper.make_model(graph, producer_name="trexreport")

    def _values(self) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
        """Return the names of values that each node reads, and of those that it writes."""
        inputs: dict[str, list[str]] = {}
        outputs: dict[str, list[str]] = {}
        for edge in self.plan_graph.edges_list:
            name = _value_name(edge)
            if edge.dst.port is not None:
                inputs.setdefault(edge.dst.layer_name, []).append(name)
            if edge.src.port is not None and name not in outputs.get(edge.src.layer_name, []):
                outputs.setdefault(edge.src.layer_name, []).append(name)
        return inputs, outputs


def _value_name(edge: Edge) -> str:
    """Return the name of what flows along an edge: an input or output of the engine, else its ends."""
    for end in (edge.dst, edge.src):
        if end.port is None:
            return end.layer_name
    return f"{edge.src.layer_name}:{edge.src.port}##{edge.dst.layer_name}:{edge.dst.port}"


def _operator(layer: Layer) -> str:
    """Return ONNX's name of the operator, by which viewers choose colors."""
    if layer.type == "Pooling":
        return _POOLINGS.get(str(layer.raw_dict.get("PoolingType")).upper(), layer.type)
    return "Conv" if layer.type == "Convolution" else layer.type or "Layer"


def _attributes(layer: Layer) -> list[Any]:
    import onnx

    made = []
    for key, value in sorted(layer.raw_dict.items()):
        if key in _NOT_ATTRIBUTES:
            continue
        is_plain = isinstance(value, (str, int, float)) or (
            isinstance(value, list) and value and len({type(each) for each in value} & {str, int, float}) == 1
        )
        try:
            made.append(onnx.helper.make_attribute(key, value if is_plain else str(value)))
        except (TypeError, ValueError, OverflowError):
            made.append(onnx.helper.make_attribute(key, str(value)))
    return made


def make_onnx_tensor(tensor: Activation) -> Any:
    """Return a tensor as ONNX describes inputs and outputs; dynamic extents have no value."""
    import onnx

    name = _TYPES.get(tensor.precision, tensor.precision.upper())
    element = getattr(onnx.TensorProto, name, onnx.TensorProto.UNDEFINED)
    shape = [extent if extent >= 0 else None for extent in tensor.shape]
    return onnx.helper.make_tensor_value_info(tensor.name, element, shape)
