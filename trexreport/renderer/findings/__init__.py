"""The findings of `lint` in every format."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from trexreport.renderer.check_results import WRITERS
from trexreport.renderer.findings.document import print_findings, render_markdown, render_page, render_text
from trexreport.renderer.findings.run import LintRun


def _json(run: LintRun) -> bytes:
    # Imported late, as below: it needs the sentences of every output.
    from trexreport.renderer.findings.json import render_findings_json

    return render_findings_json(run)


def _by(name: str) -> Callable[[LintRun], bytes]:
    def write(run: LintRun) -> bytes:
        from trexreport.renderer.findings.results import lint_results

        return WRITERS[name]([lint_results(run)])

    return write


#: Formats for programs, and what writes them.
FORMATS: Mapping[str, Callable[[LintRun], bytes]] = {
    "json": _json,
    "markdown": render_markdown,
    "html": render_page,
    **{name: _by(name) for name in WRITERS},
}

__all__ = ["FORMATS", "LintRun", "print_findings", "render_text"]
