"""The sentence that sums up each section of a report."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from trexreport.analyzer.analysis import Analysis
from trexreport.numbers import counted, format_count, format_number
from trexreport.wording.accuracy import accuracy_sentence
from trexreport.wording.execution import execution_sentence
from trexreport.wording.findings import findings_sentence
from trexreport.wording.kernels import kernels_sentence
from trexreport.wording.latency import gap_sentence, latency_sentence
from trexreport.wording.layers import NAMES_ONLY, layers_sentence, no_layers_sentence
from trexreport.wording.memory import memory_sentence
from trexreport.wording.onnx import onnx_sentence
from trexreport.wording.reformats import reformats_sentence
from trexreport.wording.roofline import roofline_sentence
from trexreport.wording.shares import percent
from trexreport.wording.tactics import tactics_sentence
from trexreport.wording.timing import timing_sentence

_MAX_GROUPS = 4


def _graph_sentence(analysis: Analysis) -> str:
    """Return how many layers, inputs, outputs and streams the engine has."""
    if analysis.identity.names_only:
        return NAMES_ONLY
    inputs = sum(binding.mode == "input" for binding in analysis.bindings)
    outputs = sum(binding.mode == "output" for binding in analysis.bindings)
    streams = {layer.stream for layer in analysis.layers if layer.stream is not None}
    ends = f"{counted(inputs, 'input')} to {counted(outputs, 'output')}"
    text = f"{counted(len(analysis.layers), 'layer')} from {ends}"
    return f"{text} on {len(streams)} streams." if len(streams) > 1 else f"{text}."


def _precision_sentence(analysis: Analysis) -> str:
    """Return the share of layer time and the number of layers of each precision."""
    if analysis.identity.names_only:
        return NAMES_ONLY
    groups = [group for group in analysis.by_precision if group.count][:_MAX_GROUPS]
    if not groups:
        return "No layer states the type of its input."
    parts = []
    for group in groups:
        layers = counted(group.count, "layer")
        share = "" if group.share_percent is None else f"{percent(group.share_percent)} of layer time in "
        parts.append(f"{group.name}: {share}{layers}")
    return f"By precision of the first input, {'; '.join(parts)}."


def _work_sentence(analysis: Analysis) -> str:
    """Return how many operations the layers do, how fast, and of how many layers that is not known."""
    found = analysis.multiplications
    if analysis.identity.names_only:
        return NAMES_ONLY
    if not found.layers:
        return "No layer of this engine is known as a convolution or matrix product."
    if not found.counted:
        return f"The operations of {_multiplying(found.layers)} are not known: their shapes leave them open."
    what = f"{format_number(found.macs / 1e9)} billion multiply-accumulate operations"
    if found.tflops is not None:
        what += f" at {format_number(found.tflops)} TFLOP/s on average"
    missing = found.layers - found.counted
    if not missing:
        return f"{_multiplying(found.counted)} {'does' if found.counted == 1 else 'do'} {what}."
    text = f"{format_count(found.counted)} of {_multiplying(found.layers)} could be counted: {what}"
    if found.uncounted_percent is None:
        return f"{text}."
    verb = "the other one takes" if missing == 1 else "the others take"
    return f"{text}; {verb} {percent(found.uncounted_percent)} of layer time."


def _multiplying(count: int) -> str:
    return counted(count, "convolution or matrix product", "convolutions and matrix products")


def _execution(analysis: Analysis) -> str:
    return execution_sentence(analysis.execution) if analysis.execution else ""


#: Sections about the layers, with one sentence for all where there are none.
_OF_LAYERS: Mapping[str, Callable[[Analysis], str]] = {
    "latency": latency_sentence,
    "layers": layers_sentence,
    "precision": _precision_sentence,
    "memory": memory_sentence,
    "roofline": roofline_sentence,
    "work": _work_sentence,
    "reformats": reformats_sentence,
    "graph": _graph_sentence,
}
_OTHERS: Mapping[str, Callable[[Analysis], str]] = {
    "timing": timing_sentence,
    "findings": findings_sentence,
    "gap": gap_sentence,
    "model": onnx_sentence,
    "execution": _execution,
    "tactics": tactics_sentence,
    "kernels": kernels_sentence,
    "accuracy": accuracy_sentence,
}
#: Sections that only captures with a file for them have, with the member of the facts.
_OPTIONAL = {
    "model": "onnx",
    "execution": "execution",
    "tactics": "tactics",
    "accuracy": "accuracy",
    "kernels": "kernels",
}


def section_sentence(analysis: Analysis, section: str) -> str:
    """Return the sentence that sums up one section.

    Args:
        analysis: The analysis.
        section: A key of what `section_sentences` returns.
    """
    if section in _OTHERS:
        return _OTHERS[section](analysis)
    return _OF_LAYERS[section](analysis) if analysis.layers else no_layers_sentence(analysis)


def section_sentences(analysis: Analysis) -> dict[str, str]:
    """Return section to sentence, for every section that the report has."""
    sections = (*_OF_LAYERS, *_OTHERS)
    shown = [each for each in sections if each not in _OPTIONAL or getattr(analysis, _OPTIONAL[each])]
    return {section: section_sentence(analysis, section) for section in shown}
