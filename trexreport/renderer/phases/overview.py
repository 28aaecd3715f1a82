"""What the overview of several phases shows of each."""

from __future__ import annotations

from typing import Any

from trexreport.analyzer.analysis import Analysis
from trexreport.renderer.findings_data import ids_of
from trexreport.renderer.top_findings import count_top_findings, top_first
from trexreport.wording.gains import savings
from trexreport.wording.memory import memory_amounts
from trexreport.wording.sections import section_sentence

_MAX_FINDINGS = 3


def phase_overview(analysis: Analysis) -> dict[str, Any]:
    """Return the top findings of a phase and what else its overview has, by the names of the templates."""
    ranked, ids = top_first(analysis.lint.findings), ids_of(analysis.lint.findings)
    top = ranked[: min(count_top_findings(ranked), _MAX_FINDINGS)]
    return {
        "analysis": analysis,
        "sentence": section_sentence(analysis, "latency"),
        "findings": [{"finding": each, "id": ids[id(each)], "savings": savings(each.gain)} for each in top],
        "finding_count": sum(each.severity != "info" for each in ranked),
        "weights": memory_amounts(analysis.memory)["weights"],
    }
