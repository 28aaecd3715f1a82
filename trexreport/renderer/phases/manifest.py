"""The list of inputs that a report of several phases carries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from trexreport.analyzer.analysis.phases import PhasesReport
from trexreport.model import Source
from trexreport.reader.report_file import inputs_manifest


def phases_manifest(report: PhasesReport, embedded: Sequence[Sequence[Source]]) -> dict[str, Any]:
    """Return the list of inputs in the form of a comparison's, with the phases beside it.

    Args:
        report: What is reported.
        embedded: The files of each phase that the report carries.
    """
    engines = [
        inputs_manifest(analysis.identity.name, tuple(files), analysis.identity.optimization_profile)
        for analysis, files in zip(report.analyses, embedded, strict=True)
    ]
    stated = [{"name": phase.name, "times": phase.times} for phase in report.together.phases]
    return {"title": report.title, "phases": stated, "engines": engines}
