"""The report as a PDF that is the archive too: `render_pdf`."""

from trexreport.renderer.pdf.report import render_pdf
from trexreport.renderer.pdf.writer import check_pdf_tools

__all__ = ["check_pdf_tools", "render_pdf"]
