"""Turn a comparison of engines into documents."""

from __future__ import annotations

from trexreport.renderer.comparison.html import render_comparison_html
from trexreport.renderer.comparison.markdown import render_comparison_markdown

__all__ = ["render_comparison_html", "render_comparison_markdown"]
