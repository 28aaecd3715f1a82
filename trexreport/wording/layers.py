"""Sentences about the layers: how many there are, and how few take most of the time."""

from __future__ import annotations

from collections.abc import Collection

from trexreport.analyzer.analysis import NOT_STATED, Analysis
from trexreport.numbers import counted, format_count, join_names

NO_LAYERS = "This capture has no layer information."
#: Of the operations that names show, the most frequent ones are stated.
_MOST_KINDS = 6
#: What sections about layers would show, with the keys of the sections.
_MISSING = {
    "graph": "graph",
    "latency": "layer times",
    "precision": "precisions",
    "memory": "tensors",
    "roofline": "roofline",
    "reformats": "reformats",
}
NAMES_ONLY = "Only the names of the layers are known, not their types, tensors and precisions."


def no_layers_sentence(analysis: Analysis) -> str:
    """Return that there is no layer information, and what the names of layers show that a log lists."""
    listed = analysis.by_operation
    if not listed:
        return NO_LAYERS
    total = sum(group.count for group in listed)
    shown = [group for group in listed if group.name != NOT_STATED][:_MOST_KINDS]
    names = f"{NO_LAYERS} The log lists the names of {counted(total, 'layer')}"
    if not shown:
        return f"{names}, which show no operations."
    kinds = [f"{group.name} ({format_count(group.count)})" for group in shown]
    if rest := total - sum(group.count for group in shown):
        kinds.append(counted(rest, "other"))
    return f"{names}: {join_names(kinds)}."


def missing_sections_sentence(sections: Collection[str]) -> str:
    """Return what a capture without layers has no sections for; `sections` has their keys, at least one."""
    missing = [_MISSING[each] for each in _MISSING if each in sections]
    return f"Sections that need it are left out: {join_names(missing)}."


def layers_sentence(analysis: Analysis) -> str:
    """Return how many layers there are, and how many of them take half of the layer time."""
    # As summaries and budgets count them: a no-op that takes time remains a no-op.
    computing = sum(not layer.structural for layer in analysis.layers)
    structural = len(analysis.layers) - computing
    text = counted(computing, "layer")
    if structural:
        kinds = "no-ops, constants, shape calls, synchronization"
        text += f" and {counted(structural, 'structural layer')} ({kinds})"
    slowest = analysis.latency.slowest_half_layers
    if slowest is None:
        return f"{text}; none has a time."
    if slowest == 1:
        return f"{text}; the slowest layer takes at least half of the layer time."
    return f"{text}; the {format_count(slowest)} slowest layers take half of the layer time."
