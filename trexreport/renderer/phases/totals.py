"""How the totals of compared sets differ."""

from __future__ import annotations

from trexreport.analyzer.analysis.phases_comparison import PhasesComparison
from trexreport.wording.comparison import signed_percent


def total_change(comparison: PhasesComparison) -> str:
    """Return by how much the total of the only candidate differs; empty of several, and without totals."""
    if len(comparison.together) != 2:
        return ""
    before = comparison.together[comparison.baseline].total_ms
    after = comparison.together[1 - comparison.baseline].total_ms
    return signed_percent(after / before, 1) if before and after is not None else ""
