"""The graph of the ONNX model: the data with which the page's script draws it beside that of the engine.

It is a second graph for the same viewer (`docs/graph-data.md`): its layers are the nodes, its tensors what
each node writes.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from trexreport.analyzer.analysis import Analysis
from trexreport.analyzer.analysis.node_layers import folded_nodes, node_layers
from trexreport.analyzer.analysis.onnx import OnnxFacts, OnnxNodeFacts, OnnxQuantization
from trexreport.renderer.graph.coloring import stream_color
from trexreport.renderer.graph.viewer_data import viewer_data
from trexreport.renderer.packing import in_columns, six_digits
from trexreport.renderer.palette import colors_in_order
from trexreport.wording.onnx import EVIDENCE, NO_REASON, REASONS

#: What is drawn besides what is always: nodes without inputs and outputs are folded ones.
_SHOWN = frozenset({"noops"})
#: Colors of neighboring groups of nodes.
_GROUP_COLORS = 8


def model_graph(analysis: Analysis) -> dict[str, Any] | None:
    """Return nodes, blocks and geometry of the ONNX model, ready for JSON; None without its blocks."""
    found = analysis.onnx
    if found is None or not found.blocks.items:
        return None
    folded = folded_nodes(found.nodes)
    stacks: dict[tuple[str, ...], int] = {(): 0}
    for node in found.nodes:
        stacks.setdefault(tuple(node.frames), len(stacks))
    frames: dict[str, int] = {}
    for stack in stacks:
        for frame in stack:
            frames.setdefault(frame, len(frames))
    return {
        "nodes": in_columns([_node(node, stacks[tuple(node.frames)]) for node in found.nodes]),
        "frames": list(frames),
        "stacks": [[frames[frame] for frame in stack] for stack in stacks],
        "folded": [[index, -1 if source is None else source] for index, source in folded.items()],
        "plans": [_plan(analysis, found, given) for given in ([folded, {}] if folded else [{}])],
        "typeColors": colors_in_order("type", {node.op_type for node in found.nodes}),
        "groupColors": [stream_color(number) for number in range(_GROUP_COLORS)],
    }


def _plan(analysis: Analysis, found: OnnxFacts, folded: dict[int, int | None]) -> dict[str, Any]:
    layers, tensors = node_layers(found.nodes, folded)
    return viewer_data(replace(analysis, layers=layers, tensors=tensors, blocks=found.blocks), _SHOWN)


def _node(node: OnnxNodeFacts, stack: int) -> dict[str, Any]:
    """Return what the script needs of a node; the times and precisions of its layers it has."""
    record = {
        "name": node.name,
        "type": node.op_type,
        "module": "/".join(node.module),
        "class": node.class_name,
        "source": node.source,
        "stack": stack or None,
        "function": node.function,
        "inputs": list(node.inputs),
        "outputs": list(node.outputs),
        "layers": list(node.layers),
        "evidence": node.evidence and EVIDENCE[node.evidence],
        "reason": None if node.layers else REASONS[node.reason] if node.reason else NO_REASON,
        "vanished": (node.state == "vanished") or None,
        "alone_ms": None if node.alone_ms is None else six_digits(node.alone_ms),
        "shared_ms": None if node.shared_ms is None else six_digits(node.shared_ms),
        "quantized": node.quantization and _quantized(node.quantization),
    }
    return {key: value for key, value in record.items() if value not in (None, "", [])}


def _quantized(found: OnnxQuantization) -> list[Any]:
    """Return data type, scale, and the axis of several scales or -1."""
    return [found.data_type, found.scale, -1 if found.axis is None else found.axis]
