"""How an ONNX model's nodes and an engine's layers belong together, and what the nodes cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Literal

from trexreport.analyzer.analysis.blocks import Blocks
from trexreport.lazy_dataclass import bulk_facts, dataclass

#: What connects a node with a layer, the surest first: the layer's Metadata, its name, the name of a tensor
#: that it writes, or its place between the ends that a Myelin region states or a layer's tensors, or in the
#: order of execution. "ambiguous": the layer computes this node, or another one with its name.
NodeEvidence = Literal["metadata", "name", "tensor", "inferred", "ambiguous"]
#: What became of a node: a layer of its own, a part of a layer, parts of several layers, or nothing.
#: "unknown" also where only layers are known that it may be in.
NodeState = Literal["alone", "fused", "split", "vanished", "unknown"]
#: Why a node is in no layer: it is computed from constants while building; it changes nothing at inference;
#: it changes only a shape; it computes a shape; it is a Q/DQ that became the scale of a neighbor; its weights
#: are merged into a neighbor's; nothing reads its result.
VanishReason = Literal["constant", "no-op", "view", "shape", "quantization", "weights", "unused"]
#: Whether the ONNX model is the one that the engine was built from, as far as names show.
ModelMatch = Literal["same", "partly", "other", "unknown"]
#: What groups of layers are called: those of nodes of several others (the beginning of the name), those of no
#: node, of nodes that state no source line, and of nodes that are in no module.
SHARED = "shared: "
UNMAPPED = "not in the model"
UNSTATED = "no source line"
OUTERMOST = "outermost module"
#: Why it is not the same: inputs or outputs of the engine are others; too few of the nodes that the layers
#: name are in the model; the layers write other tensors than these nodes; their convolutions have other
#: kernels, strides or dilations; too many convolutions and matrix multiplications of it are in no layer.
MatchReason = Literal["ends", "names", "tensors", "convolutions", "not-executed"]
#: What a group of layers is: the whole model, a module, a source file, a function in it, a line in that;
#: layers of nodes of several groups beside it, of no node, or of nodes that state no source line.
TreeKind = Literal["model", "module", "file", "function", "line", "shared", "unmapped", "unstated"]


@bulk_facts
class OnnxQuantization:
    """What a QuantizeLinear or DequantizeLinear converts to or from, as far as the model states it.

    Attributes:
        data_type: Of the quantized values, such as "INT8"; "" if not stated.
        scale: None if it is not one number, or is with the weights, which are not read.
        axis: Along which the scales differ; None where one scale holds for all.
        values_of: Index of the node whose output it converts; None for weights and inputs of the model.
    """

    data_type: str
    scale: float | None
    axis: int | None
    values_of: int | None


@bulk_facts
class OnnxNodeFacts:
    """One node of the model, with those of local functions and subgraphs each in its place.

    Attributes:
        name: As TensorRT's parser names it: "node_of_" and the first output where the file states none.
        module: Path of the module that it belongs to, outermost first; empty for the outermost one.
        class_name: Class of that module, such as "torch.nn.modules.conv.Conv2d"; "" if not stated.
        source: File and line of the innermost frame outside of installed packages: "mnist/model.py:6"; "" if
            not stated.
        frames: All frames of the stack trace, outermost first: "FILE:LINE in FUNCTION".
        function: Name of the innermost local function that it is in, or "".
        inputs: Indices of the nodes whose outputs it reads.
        outputs: Names of the tensors that it writes.
        layers: Indices of the layers that compute it, or, where the evidence is ambiguous, may compute it.
        evidence: None where it is in no layer.
        reason: Why it is in no layer; None if it is in one, or if that is not known.
        alone_ms: Time of the layers that compute nothing else; None if no time is known. What is computed of
            constants only, such as the quantization of weights, takes no time beside other nodes.
        shared_ms: Time of the layers that it shares with other nodes; None if no time is known.
        quantization: Of QuantizeLinear and DequantizeLinear only.
        reads: Names of the tensors that it reads and other nodes write, each as often as it reads it.
    """

    index: int
    name: str
    op_type: str
    module: Sequence[str]
    class_name: str
    source: str
    frames: Sequence[str]
    function: str
    inputs: Sequence[int]
    outputs: Sequence[str]
    layers: Sequence[int]
    evidence: NodeEvidence | None
    state: NodeState
    reason: VanishReason | None
    alone_ms: float | None
    shared_ms: float | None
    quantization: OnnxQuantization | None = None
    reads: Sequence[str] = ()


@dataclass(frozen=True)
class OnnxGroup:
    """Nodes that share a property. Their cost is at least `alone_ms` and at most `alone_ms + shared_ms`.

    Attributes:
        name: The type, class, or source line; of modules, their path, joined by "/".
        nodes: Their number.
        layers: Number of layers that compute at least one of them.
        alone_ms: Time of the layers that compute nothing but them; None if no time is known.
        shared_ms: Time of the layers that compute something else too; None if no time is known.
    """

    name: str
    nodes: int
    layers: int
    alone_ms: float | None
    shared_ms: float | None


@dataclass(frozen=True)
class LayerTree:
    """The layers as the leaves of a tree: each is in one group, the innermost that has all of its nodes.

    No time is divided, so the times of what is in a group add up to its own.

    Attributes:
        names: Of each group, without the groups around it; "" for the model, and for what has no name.
        kinds: What each group is.
        parents: Position of the group around it, which comes before it; -1 for the model, which is the first.
        members: Of a shared group, the names of the groups beside it that its layers compute nodes of; "" for
            nodes that are directly in the group around it. Else empty.
        layers: For each layer, the position of its group.
    """

    names: Sequence[str]
    kinds: Sequence[TreeKind]
    parents: Sequence[int]
    members: Sequence[Sequence[str]]
    layers: Sequence[int] = field(repr=False)


@dataclass(frozen=True)
class OnnxFacts:
    """The ONNX model beside the engine. Without nodes and groups if it is another model.

    Attributes:
        sha256: Of the ONNX file; "" if it was not computed.
        opsets: Version by domain; "" is ONNX itself.
        match_reason: None where it is the same, or where that is not known.
        stated_names: Number of ONNX nodes that the engine's layers name.
        matched_names: How many of them are in the model.
        total_ms: Time of all layers; None if no time is known.
        unmapped_ms: Time of the layers that belong to no node, such as reformats; None if no time is known.
        unmapped_layers: Indices of those of them that take time, or of all where no time is known.
        layer_nodes: For each layer, the indices of its nodes.
        by_module: Each module with all that are in it; ordered as a tree.
        blocks: The nodes as a tree of blocks by module, as the layers of an engine: its layers are the nodes.
        module_tree: The layers by module; None if no node states one.
        source_tree: The layers by source file, function and line; None if no node states one.
    """

    file: str
    sha256: str
    size_bytes: int
    producer: str
    producer_version: str
    opsets: Mapping[str, int]
    match: ModelMatch
    stated_names: int
    matched_names: int
    match_reason: MatchReason | None = None
    total_ms: float | None = None
    unmapped_ms: float | None = None
    unmapped_layers: Sequence[int] = ()
    nodes: Sequence[OnnxNodeFacts] = ()
    layer_nodes: Sequence[Sequence[int]] = field(default=(), repr=False)
    by_op_type: Sequence[OnnxGroup] = ()
    by_module: Sequence[OnnxGroup] = ()
    by_class: Sequence[OnnxGroup] = ()
    by_source: Sequence[OnnxGroup] = ()
    blocks: Blocks = field(default_factory=Blocks, repr=False)
    module_tree: LayerTree | None = None
    source_tree: LayerTree | None = None
