"""The summary of an engine, of phases or of a comparison in Markdown, within a budget of tokens.

It is the summary that people read, with the most important parts first; nothing is written for it alone.
"""

from __future__ import annotations

from trexreport.analyzer.analysis import Analysis
from trexreport.analyzer.analysis.comparison import Comparison
from trexreport.analyzer.analysis.phases import PhasesReport
from trexreport.analyzer.analysis.phases_comparison import PhasesComparison
from trexreport.renderer.short_document.document import ShortDocument
from trexreport.renderer.short_document.token_budget import write_within

#: What is summarized.
Summarized = Analysis | Comparison | PhasesReport | PhasesComparison
_MAX_ROWS = 1000
_MORE = "More: a larger budget, or trexreport report."
_MORE_OF_COMPARISON = "More: a larger budget, or trexreport compare."


def token_summary(result: Summarized, max_tokens: int, *, max_rows: int | None = None) -> str:
    """Return a summary in Markdown that has at most a number of estimated tokens.

    The same result and budget give the same text, and a larger budget shows all that a smaller one shows.

    Args:
        result: An analysis, a comparison, or those of several phases.
        max_tokens: As `estimate_tokens` counts them, from 100 to 1,000,000.
        max_rows: How many layers, and rows of a comparison, are listed if there is room; 1,000 by default.

    Raises:
        UsageError: Not even the identity fits, or there is no such budget.
    """
    is_one = isinstance(result, (Analysis, PhasesReport))
    return write_within(
        _document(result, _MAX_ROWS if max_rows is None else max_rows),
        max_tokens,
        _MORE if is_one else _MORE_OF_COMPARISON,
    )


def _document(result: Summarized, max_rows: int) -> ShortDocument:
    if isinstance(result, Analysis):
        from trexreport.renderer.engine_summary import engine_summary

        return engine_summary(result, max_layers=max_rows, max_findings=_MAX_ROWS)
    if isinstance(result, PhasesReport):
        from trexreport.renderer.phases.summary import phases_summary

        return phases_summary(result, max_layers=max_rows)
    if isinstance(result, Comparison):
        from trexreport.renderer.comparison.summary import comparison_summary

        return comparison_summary(result, max_rows=max_rows)
    from trexreport.renderer.phases.comparison_summary import phase_comparison_summary

    return phase_comparison_summary(result, max_rows=max_rows)
