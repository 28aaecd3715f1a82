"""The findings of `lint` as text, JSON, SARIF, JUnit XML, Markdown and GitHub's workflow commands."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from trexreport.renderer.check_results import WRITERS
from trexreport.renderer.findings.document import print_findings, render_markdown, render_text
from trexreport.renderer.findings.json import render_findings_json
from trexreport.renderer.findings.results import lint_results
from trexreport.renderer.findings.run import LintRun


def _by(name: str) -> Callable[[LintRun], bytes]:
    return lambda run: WRITERS[name]([lint_results(run)])


#: Formats for programs, and what writes them.
FORMATS: Mapping[str, Callable[[LintRun], bytes]] = {
    "json": render_findings_json,
    "markdown": render_markdown,
    **{name: _by(name) for name in WRITERS},
}

__all__ = ["FORMATS", "LintRun", "print_findings", "render_text"]
