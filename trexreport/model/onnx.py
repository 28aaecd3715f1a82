"""An ONNX model's structure: its nodes and how they are connected, without the values of its weights.

Field names follow onnx.proto (https://github.com/onnx/onnx/blob/main/onnx/onnx.proto).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from trexreport.lazy_dataclass import bulk_facts

#: A small attribute: a number, a text, or a list of them.
AttributeValue = int | float | str | tuple[int, ...] | tuple[float, ...] | tuple[str, ...]

#: An extent: a number, the name of a dynamic one (dim_param), or "" where neither is stated.
Extent = int | str


@bulk_facts
class OnnxValue:
    """A tensor of the graph: an input, an output, an intermediate one or an initializer.

    Attributes:
        data_type: Name of the element type in onnx.proto, such as "FLOAT16"; "" if not stated.
        shape: Extents; None if the rank is not stated.
    """

    name: str
    data_type: str = ""
    shape: tuple[Extent, ...] | None = None


@bulk_facts
class OnnxInitializer(OnnxValue):
    """A weight or another constant, without its values.

    Attributes:
        is_external: Whether its values are in another file.
        size_bytes: Of its values, where the file states it.
    """

    is_external: bool = False
    size_bytes: int | None = None


@bulk_facts
class OnnxNode:
    """One node.

    Attributes:
        name: As in the file; nodes may have none.
        domain: "" for the operators of ONNX itself.
        inputs: Names of tensors; "" for an optional one that is left out.
        attributes: Those with small values: numbers, texts of up to 16 KiB, lists of up to 1,000 of them.
        graphs: Graphs by the name of their attribute, such as "then_branch" and "else_branch" of an If; the
            number of a graph in a list follows the name in brackets.
        metadata: metadata_props, such as PyTorch's "namespace" and "pkg.torch.onnx.stack_trace".
        overload: Which of the local functions of this domain and name it calls, where there are several.
    """

    name: str
    op_type: str
    domain: str = ""
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    attributes: Mapping[str, AttributeValue] = field(default_factory=dict)
    graphs: Mapping[str, OnnxGraph] = field(default_factory=dict)
    metadata: Mapping[str, str] = field(default_factory=dict)
    overload: str = ""

    @property
    def parser_name(self) -> str:
        """The name that TensorRT's ONNX parser gives it (importerUtils.cpp, getNodeName)."""
        return self.name or f"node_of_{next(iter(self.outputs), '')}"


@bulk_facts
class OnnxGraph:
    """Nodes in the order of the file, which is a topological one.

    Attributes:
        inputs: Without those that only give an initializer a type.
        values: Types and shapes of intermediate tensors, where the file states them.
    """

    name: str = ""
    nodes: tuple[OnnxNode, ...] = ()
    inputs: tuple[OnnxValue, ...] = ()
    outputs: tuple[OnnxValue, ...] = ()
    initializers: tuple[OnnxInitializer, ...] = ()
    values: tuple[OnnxValue, ...] = ()


@bulk_facts
class OnnxFunction:
    """A local function: nodes that call it have its domain, its name as their type, and its overload.

    Attributes:
        opsets: Version by domain, of its nodes.
    """

    domain: str
    name: str
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    nodes: tuple[OnnxNode, ...] = ()
    opsets: Mapping[str, int] = field(default_factory=dict)
    overload: str = ""


@bulk_facts
class OnnxModel:
    """An ONNX file without the values of its weights.

    Attributes:
        file: Its name, without folders.
        sha256: Of the whole file, in hexadecimal; "" if it was not computed.
        size_bytes: Of the file, without external data.
        domain: Of the model, such as "com.example.team".
        opsets: Version by domain; "" is ONNX itself.
        metadata: metadata_props of the model.
    """

    file: str
    sha256: str = ""
    size_bytes: int = 0
    ir_version: int | None = None
    producer: str = ""
    producer_version: str = ""
    domain: str = ""
    model_version: int | None = None
    opsets: Mapping[str, int] = field(default_factory=dict)
    metadata: Mapping[str, str] = field(default_factory=dict)
    graph: OnnxGraph = field(default_factory=OnnxGraph)
    functions: tuple[OnnxFunction, ...] = ()
