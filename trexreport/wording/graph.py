"""The sentence about the graph of the engine."""

from __future__ import annotations

from trexreport.analyzer.analysis import Analysis
from trexreport.numbers import counted
from trexreport.wording.layers import NAMES_ONLY


def graph_sentence(analysis: Analysis) -> str:
    """Return how many layers, inputs, outputs and streams the engine has."""
    if analysis.identity.names_only:
        return NAMES_ONLY
    inputs = sum(binding.mode == "input" for binding in analysis.bindings)
    outputs = sum(binding.mode == "output" for binding in analysis.bindings)
    streams = {layer.stream for layer in analysis.layers if layer.stream is not None}
    ends = f"{counted(inputs, 'input')} to {counted(outputs, 'output')}"
    text = f"{counted(len(analysis.layers), 'layer')} from {ends}"
    return f"{text} on {len(streams)} streams." if len(streams) > 1 else f"{text}."
