"""Divide the nodes of a model into blocks by module, as layers are, and find the module of each layer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from trexreport.analyzer.analysis.blocks import Block, Blocks, leaf_blocks
from trexreport.analyzer.analysis.node_layers import folded_nodes, node_layers
from trexreport.analyzer.analysis.onnx import OnnxFacts, OnnxNodeFacts
from trexreport.analyzer.blocks import divide
from trexreport.analyzer.module_paths import Path, agreed_of_products
from trexreport.analyzer.operation_names import is_product
from trexreport.regex import regex

#: How blocks without a module are called: "layers 8 – 15", "other layers".
_LAYERS = regex(r"^layers? (\d+)(?: – (\d+))?|^other layers")


def node_blocks(nodes: Sequence[OnnxNodeFacts]) -> Blocks:
    """Return the nodes as blocks; how repeated ones differ is not stated, as for layers it is.

    Constants, and what arrows show, do not count in what is divided: they are where their reader is.
    """
    folded = folded_nodes(nodes)
    readers: list[list[int]] = [[] for _ in nodes]
    for node in nodes:
        for index in node.inputs:
            readers[index].append(node.index)
    main = [node.index for node in nodes if node.op_type != "Constant" and node.index not in folded]
    if not main:
        main = [node.index for node in nodes]
    place = {index: at for at, index in enumerate(main)}
    layers, tensors = node_layers(nodes)
    found = divide(
        [
            replace(
                layers[index], index=at, inputs=[use for use in layers[index].inputs if use.tensor in place]
            )
            for at, index in enumerate(main)
        ],
        [
            replace(
                tensor,
                producers=[place[each] for each in tensor.producers if each in place],
                consumers=[place[each] for each in tensor.consumers if each in place],
            )
            for tensor in tensors
        ],
        [tuple(nodes[index].module) for index in main],
    )
    home = _homes(readers, place, leaf_blocks(found.items))
    return replace(
        found,
        items=_with_all(found.items, main, home),
        series=[replace(series, odd=()) for series in found.series],
    )


def _homes(readers: Sequence[Sequence[int]], place: dict[int, int], leaves: dict[int, int]) -> list[int]:
    """Return the block of each node; one that does not count is where its first reader is."""
    first = leaves[0] if leaves else 0
    home = [first] * len(readers)
    # Readers come after what they read, but for graphs inside of nodes.
    for index in range(len(readers) - 1, -1, -1):
        if index in place:
            home[index] = leaves[place[index]]
        elif readers[index]:
            home[index] = home[readers[index][0]]
    return home


def _with_all(items: Sequence[Block], main: Sequence[int], home: Sequence[int]) -> list[Block]:
    """Return the blocks with all nodes, by their own indices."""
    held: list[list[int]] = [[] for _ in items]
    for index, leaf in enumerate(home):
        held[leaf].append(index)
    # Parents come before children.
    for block in reversed(items):
        if block.parent is not None:
            held[block.parent] += held[block.id]
    return [
        replace(
            block,
            label=_label(block, main),
            ranges=_ranges(held[block.id]),
            count=len(held[block.id]),
            differs=(),
        )
        for block in items
    ]


def _label(block: Block, main: Sequence[int]) -> str:
    found = _LAYERS.match(block.label) if block.kind == "layers" else None
    if found is None:
        return block.label
    first, last = found.groups()
    if first is None:
        return block.label.replace("layers", "nodes")
    ends = f"node {main[int(first)]}" if last is None else f"nodes {main[int(first)]} – {main[int(last)]}"
    return ends + block.label[found.end() :]


def _ranges(indices: Sequence[int]) -> list[list[int]]:
    """Return numbers as pairs of the first and the last of those that follow each other."""
    runs = groupby(enumerate(sorted(indices)), key=lambda each: each[1] - each[0])
    return [[run[0][1], run[-1][1]] for run in (list(group) for _, group in runs)]


def layer_modules(found: OnnxFacts | None) -> list[Path | None]:
    """Return what the modules of each layer's nodes agree on, None without nodes; nothing without a model."""
    if found is None or not found.nodes:
        return []
    mentioned = [(tuple(node.module), is_product(node.op_type)) for node in found.nodes]
    return [agreed_of_products([mentioned[index] for index in nodes]) for nodes in found.layer_nodes]
