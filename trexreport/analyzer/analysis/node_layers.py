"""The nodes of an ONNX model in the form of layers, for what divides and draws graphs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from trexreport.analyzer.analysis.layers import LayerFacts, TensorFacts, TensorUse
from trexreport.analyzer.analysis.onnx import OnnxNodeFacts


def node_layers(
    nodes: Sequence[OnnxNodeFacts], folded: Mapping[int, int | None] | None = None
) -> tuple[list[LayerFacts], list[TensorFacts]]:
    """Return a layer for each node, and for each node one tensor: all that it writes.

    Args:
        nodes: All nodes of the model.
        folded: Nodes that become part of the arrow from another node, or from nothing; they have no inputs
            and outputs. Those of them that nothing else reads have no arrow.
    """
    folded = folded or {}
    writes: list[list[int]] = [[] for _ in nodes]
    reads: list[list[int]] = [[] for _ in nodes]
    for node in nodes:
        source = folded.get(node.index, node.index)
        if source is not None:
            writes[source].append(node.index)
        if node.index not in folded:
            for index in node.inputs:
                reads[index].append(node.index)
    uses = [TensorUse(node.index, (), "", None) for node in nodes]
    # A folded node writes for the one before it only what is read.
    layers = [
        _layer(
            node,
            [uses[index] for index in node.inputs] if node.index not in folded else [],
            [uses[index] for index in writes[node.index] if index == node.index or reads[index]],
            is_folded=node.index in folded,
        )
        for node in nodes
    ]
    writers: list[list[int]] = [[] for _ in nodes]
    for layer in layers:
        for use in layer.outputs:
            writers[use.tensor].append(layer.index)
    tensors = [
        TensorFacts(
            name=", ".join(node.outputs),
            version=1,
            dimensions=(),
            format="",
            data_type="",
            layout="",
            size_bytes=None,
            role="activation",
            producers=writers[node.index],
            consumers=reads[node.index],
        )
        for node in nodes
    ]
    return layers, tensors


def folded_nodes(nodes: Sequence[OnnxNodeFacts]) -> dict[int, int | None]:
    """Return the nodes that an arrow shows, with the node that it comes from; None where it comes from none.

    These are each DequantizeLinear that something reads, each QuantizeLinear that only these read, and what
    nothing but their scales and zero points is computed with.
    """
    readers: list[list[int]] = [[] for _ in nodes]
    for node in nodes:
        for index in node.inputs:
            readers[index].append(node.index)
    hidden: set[int] = set()
    for node in reversed(nodes):
        after = [nodes[index] for index in readers[node.index]]
        if node.quantization is None:
            only = all(
                each.index in hidden and each.quantization and each.quantization.values_of != node.index
                for each in after
            )
        else:
            is_last = node.op_type == "DequantizeLinear"
            only = is_last or all(each.op_type == "DequantizeLinear" for each in after)
        if after and only:
            hidden.add(node.index)
    folded: dict[int, int | None] = {}
    for node in nodes:
        if node.index in hidden:
            source = node.quantization.values_of if node.quantization else None
            folded[node.index] = source if source is None else folded.get(source, source)
    return folded


def _layer(
    node: OnnxNodeFacts, inputs: list[TensorUse], outputs: list[TensorUse], *, is_folded: bool
) -> LayerFacts:
    return LayerFacts(
        index=node.index,
        key=node.name,
        name=node.name,
        type=node.op_type,
        subtype=node.op_type,
        precision="",
        output_precision="",
        tactic="",
        stream=None,
        structural=is_folded or node.op_type == "Constant",
        origins=(),
        operations=(),
        avg_ms=None,
        median_ms=None,
        share_percent=None,
        spread_ms=None,
        inputs=inputs,
        outputs=[] if is_folded else outputs,
        input_bytes=None,
        output_bytes=None,
        weights_bytes=None,
        weights_count=None,
        moved_bytes=None,
        bandwidth_gbs=None,
        work=None,
        attributes={},
    )
