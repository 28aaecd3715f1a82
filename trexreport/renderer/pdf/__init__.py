"""Reports and comparisons as PDF that is the archive too: `render_pdf`, `render_comparison_pdf`."""

from trexreport.renderer.pdf.comparison import render_comparison_pdf
from trexreport.renderer.pdf.phases import render_phase_comparison_pdf, render_phases_pdf
from trexreport.renderer.pdf.report import render_pdf
from trexreport.renderer.pdf.writer import check_pdf_tools

__all__ = [
    "check_pdf_tools",
    "render_comparison_pdf",
    "render_pdf",
    "render_phase_comparison_pdf",
    "render_phases_pdf",
]
