"""A comparison as Markdown, for a CI step, a pull request or a chat."""

from __future__ import annotations

from trexreport.analyzer.analysis.comparison import Comparison
from trexreport.renderer.comparison.summary import comparison_summary
from trexreport.renderer.short_document.markdown import MAX_BYTES, render_markdown


def render_comparison_markdown(comparison: Comparison, max_bytes: int = MAX_BYTES) -> bytes:
    """Return the summary; where it is too long, it has fewer rows and sections and counts the others.

    The page and the JSON have all rows and steps.
    """
    return render_markdown(comparison_summary(comparison), max_bytes)
