"""The summary of one engine as Markdown, for a CI step, a pull request or a chat."""

from __future__ import annotations

from trexreport.analyzer.analysis import Analysis
from trexreport.renderer.engine_summary import engine_summary
from trexreport.renderer.short_document.markdown import MAX_BYTES, render_markdown


def render_summary_markdown(analysis: Analysis, max_bytes: int = MAX_BYTES) -> bytes:
    """Return the summary; where it is too long, it has fewer rows and says how many are not shown."""
    return render_markdown(engine_summary(analysis), max_bytes)
