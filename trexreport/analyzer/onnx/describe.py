"""Describe an ONNX model beside the engine that was built from it."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from trexreport.analyzer.analysis import LayerFacts, TensorFacts
from trexreport.analyzer.analysis.onnx import NodeEvidence, NodeState, OnnxFacts, OnnxNodeFacts
from trexreport.analyzer.onnx.costs import (
    LayerNodes,
    group_nodes,
    known_sum,
    module_tree,
    node_costs,
    slowest_first,
    source_tree,
)
from trexreport.analyzer.onnx.flat_graph import FlatGraph, flatten
from trexreport.analyzer.onnx.mapping import Mapping, map_nodes
from trexreport.analyzer.onnx.names import NodeNames
from trexreport.analyzer.onnx.node_origin import node_origin
from trexreport.analyzer.onnx.quantization import node_quantization
from trexreport.analyzer.onnx.vanished import Vanishing
from trexreport.model.onnx import OnnxModel

_EVIDENCE: tuple[NodeEvidence, ...] = ("metadata", "name", "tensor", "inferred", "ambiguous")


def describe_onnx(
    model: OnnxModel,
    layers: Sequence[LayerFacts],
    tensors: Sequence[TensorFacts],
    *,
    has_other_ends: bool = False,
) -> OnnxFacts:
    """Return how the nodes of a model and the layers of an engine belong together, and what nodes cost.

    Args:
        model: The model.
        layers: Those of the engine.
        tensors: Likewise.
        has_other_ends: Whether inputs or outputs of the engine contradict those of the model.
    """
    graph = flatten(model)
    vanishing = Vanishing(graph)
    mapping = map_nodes(graph, NodeNames(graph), layers, tensors, vanishing, has_other_ends=has_other_ends)
    facts = OnnxFacts(
        file=model.file,
        sha256=model.sha256,
        size_bytes=model.size_bytes,
        producer=model.producer,
        producer_version=model.producer_version,
        opsets=dict(model.opsets),
        match=mapping.verdict.match,
        match_reason=mapping.verdict.reason,
        stated_names=mapping.stated,
        matched_names=mapping.matched,
    )
    if not any(mapping.layer_nodes):
        return facts
    timed = [
        LayerNodes(layer.avg_ms, vanishing.computing(nodes))
        for layer, nodes in zip(layers, mapping.layer_nodes, strict=True)
    ]
    facts = replace(facts, layer_nodes=[list(nodes) for nodes in mapping.layer_nodes])
    return _with_costs(facts, _nodes(graph, mapping, timed, vanishing), timed, layers)


def _with_costs(
    facts: OnnxFacts,
    nodes: Sequence[OnnxNodeFacts],
    timed: Sequence[LayerNodes],
    layers: Sequence[LayerFacts],
) -> OnnxFacts:
    is_timed = any(layer.avg_ms is not None for layer in timed)
    unmapped = [
        layer.index
        for layer, own in zip(layers, timed, strict=True)
        if not own.nodes and (layer.avg_ms if is_timed else not layer.structural)
    ]
    modules = group_nodes(nodes, timed, lambda node: tuple(_paths(node.module)))
    order = {group.name: at for at, group in enumerate(modules)}
    # Names of modules may contain what separates them.
    chains: dict[str, Sequence[str]] = {}
    for node in nodes:
        paths = list(_paths(node.module))
        for depth, path in enumerate(paths, start=1):
            chains.setdefault(path, paths[:depth])
    return replace(
        facts,
        total_ms=math.fsum(layer.avg_ms or 0.0 for layer in timed) if is_timed else None,
        unmapped_ms=math.fsum(layers[index].avg_ms or 0.0 for index in unmapped) if is_timed else None,
        unmapped_layers=unmapped,
        nodes=nodes,
        by_op_type=slowest_first(group_nodes(nodes, timed, lambda node: (node.op_type,))),
        by_module=sorted(modules, key=lambda group: [order[path] for path in chains[group.name]]),
        by_class=slowest_first(
            group_nodes(nodes, timed, lambda node: (node.class_name,) * bool(node.class_name))
        ),
        by_source=slowest_first(group_nodes(nodes, timed, lambda node: (node.source,) * bool(node.source))),
        module_tree=module_tree(nodes, timed),
        source_tree=source_tree(nodes, timed),
    )


def _paths(module: Sequence[str]) -> Iterator[str]:
    """Yield the path of the outermost module, which is empty, and of each one inside it."""
    for depth in range(len(module) + 1):
        yield "/".join(module[:depth])


def _nodes(
    graph: FlatGraph, mapping: Mapping, layers: Sequence[LayerNodes], vanishing: Vanishing
) -> list[OnnxNodeFacts]:
    is_timed = any(layer.avg_ms is not None for layer in layers)
    alone, shared = node_costs(layers)
    layers_of: dict[int, list[int]] = {}
    evidence_of: dict[int, NodeEvidence] = {}
    for index, nodes in enumerate(mapping.layer_nodes):
        for node, evidence in nodes.items():
            layers_of.setdefault(node, []).append(index)
            evidence_of[node] = min(evidence, evidence_of.get(node, evidence), key=_EVIDENCE.index)
    found = []
    for flat in graph.nodes:
        own = layers_of.get(flat.index, [])
        reason = None if own else vanishing.reason(flat)
        origin = node_origin(flat.name, flat.node.metadata)
        found.append(
            OnnxNodeFacts(
                index=flat.index,
                name=flat.name,
                op_type=flat.node.op_type,
                module=list(origin.module),
                class_name=origin.class_name,
                source=origin.source,
                frames=list(origin.frames),
                function=flat.functions[-1] if flat.functions else "",
                inputs=list(dict.fromkeys(graph.producers_of(flat))),
                reads=[name for _, name in graph.reads_of(flat)],
                outputs=[name for _, name in flat.outputs],
                layers=own,
                evidence=evidence_of.get(flat.index),
                state="unknown"
                if evidence_of.get(flat.index) == "ambiguous"
                else _state(own, mapping.layer_nodes, is_explained=reason is not None),
                reason=reason,
                alone_ms=known_sum(alone, flat.index, is_timed=is_timed),
                shared_ms=known_sum(shared, flat.index, is_timed=is_timed),
                quantization=node_quantization(flat, graph),
            )
        )
    return found


def _state(own: Sequence[int], layers: Sequence[Collection[int]], *, is_explained: bool) -> NodeState:
    if len(own) > 1:
        return "split"
    if own:
        return "alone" if len(layers[own[0]]) == 1 else "fused"
    return "vanished" if is_explained else "unknown"
