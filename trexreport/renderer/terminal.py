"""Print the summary of an engine in the terminal."""

from __future__ import annotations

from trexreport.analyzer.analysis import Analysis
from trexreport.renderer.console import open_console
from trexreport.renderer.engine_summary import engine_summary
from trexreport.renderer.short_document.terminal import print_document


def print_summary(analysis: Analysis, max_layers: int) -> None:
    """Print the main figures, the top findings, the time by type and precision, and the slowest layers."""
    print_document(engine_summary(analysis, max_layers=max_layers, max_findings=None), open_console())
