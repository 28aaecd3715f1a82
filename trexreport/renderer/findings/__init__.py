"""The findings as text, JSON, SARIF, JUnit XML, Markdown and GitHub's workflow commands."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from trexreport.renderer.findings.github import render_github
from trexreport.renderer.findings.json import render_findings_json
from trexreport.renderer.findings.junit import render_junit
from trexreport.renderer.findings.markdown import render_markdown
from trexreport.renderer.findings.run import LintRun
from trexreport.renderer.findings.sarif import render_sarif
from trexreport.renderer.findings.text import print_findings, render_text

#: Formats for programs, and what writes them.
FORMATS: Mapping[str, Callable[[LintRun], bytes]] = {
    "json": render_findings_json,
    "sarif": render_sarif,
    "junit": render_junit,
    "markdown": render_markdown,
    "github": render_github,
}

__all__ = ["FORMATS", "LintRun", "print_findings", "render_text"]
