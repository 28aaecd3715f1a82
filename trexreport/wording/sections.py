"""The sentence that sums up each section of a report."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from trexreport.analyzer.analysis import Analysis
from trexreport.wording.accuracy import accuracy_sentence
from trexreport.wording.execution import execution_sentence
from trexreport.wording.findings import findings_sentence
from trexreport.wording.graph import graph_sentence
from trexreport.wording.kernels import kernels_sentence
from trexreport.wording.latency import gap_sentence, latency_sentence
from trexreport.wording.layers import NO_LAYERS, layers_sentence
from trexreport.wording.memory import memory_sentence
from trexreport.wording.onnx import onnx_sentence
from trexreport.wording.precision import precision_sentence
from trexreport.wording.reformats import reformats_sentence
from trexreport.wording.roofline import roofline_sentence
from trexreport.wording.tactics import tactics_sentence
from trexreport.wording.timing import timing_sentence
from trexreport.wording.work import work_sentence


def _execution(analysis: Analysis) -> str:
    return execution_sentence(analysis.execution) if analysis.execution else ""


#: Sections about the layers, with one sentence for all where there are none.
_OF_LAYERS: Mapping[str, Callable[[Analysis], str]] = {
    "latency": latency_sentence,
    "layers": layers_sentence,
    "precision": precision_sentence,
    "memory": memory_sentence,
    "roofline": roofline_sentence,
    "work": work_sentence,
    "reformats": reformats_sentence,
    "graph": graph_sentence,
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
    return _OF_LAYERS[section](analysis) if analysis.layers else NO_LAYERS


def section_sentences(analysis: Analysis) -> dict[str, str]:
    """Return section to sentence, for every section that the report has."""
    sections = (*_OF_LAYERS, *_OTHERS)
    shown = [each for each in sections if each not in _OPTIONAL or getattr(analysis, _OPTIONAL[each])]
    return {section: section_sentence(analysis, section) for section in shown}
