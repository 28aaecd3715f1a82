"""The sentence that sums up each section of a report."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from trexreport.analyzer.analysis import Analysis
from trexreport.wording.findings import findings_sentence
from trexreport.wording.graph import graph_sentence
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
    "tactics": tactics_sentence,
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
    """Return section to sentence, for every section of the report; optional ones only if there are facts."""
    absent = {name for name, facts in (("model", analysis.onnx), ("tactics", analysis.tactics)) if not facts}
    sections = (section for section in (*_OF_LAYERS, *_OTHERS) if section not in absent)
    return {section: section_sentence(analysis, section) for section in sections}
