"""What the overview of several phases shows of each."""

from __future__ import annotations

from typing import Any

from trexreport.analyzer.analysis import Analysis
from trexreport.renderer.top_findings import top_first
from trexreport.wording.memory import memory_amounts
from trexreport.wording.sections import section_sentence

_MAX_FINDINGS = 3


def phase_overview(analysis: Analysis) -> dict[str, Any]:
    """Return the top findings of a phase and what else its overview has, by the names of the templates."""
    ranked = [each for each in top_first(analysis.lint.findings) if each.severity != "info"]
    return {
        "analysis": analysis,
        "sentence": section_sentence(analysis, "latency"),
        "findings": ranked[:_MAX_FINDINGS],
        "finding_count": len(ranked),
        "weights": memory_amounts(analysis.memory)["weights"],
    }
