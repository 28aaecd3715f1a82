"""The findings as JSON: everything that the rules found, with the layers' names."""

from __future__ import annotations

import json
from typing import Any

from trexreport import __version__
from trexreport.analyzer.analysis import Finding, Place, as_json
from trexreport.analyzer.analysis.findings import Consequence
from trexreport.renderer.findings.run import LintRun
from trexreport.wording.json_sentences import members_and_sentences

#: Name and version of the form; docs/lint.schema.json describes it.
SCHEMA = "trexreport.lint"
SCHEMA_VERSION = 3


def render_findings_json(run: LintRun) -> bytes:
    """Return the outcome as JSON in ASCII; what is not known is null, never NaN."""
    return (json.dumps(findings_document(run), indent=1, allow_nan=False) + "\n").encode("ascii")


def findings_document(run: LintRun) -> dict[str, Any]:
    """Return the outcome as what JSON can state."""
    lint = run.analysis.lint
    return {
        "generator": "trexreport",
        "version": __version__,
        "schema": SCHEMA,
        "schema_version": SCHEMA_VERSION,
        "engine": as_json(run.analysis.identity, members_and_sentences),
        "layer_sum_ms": run.analysis.latency.layer_sum_ms,
        "fail_on": run.fail_on,
        "failed": run.failed,
        "counts": run.counts(),
        "findings": [
            {**_finding(run, each), "consequences": [_finding(run, one) for one in each.consequences]}
            for each in lint.findings
        ],
        "suppressed": [
            {
                "code": each.code,
                "severity": each.severity,
                "reason": each.reason,
                "place": _place(run, each.place),
            }
            for each in lint.suppressed
        ],
        "unchecked": as_json(lint.unchecked),
        "remarks": lint.remarks,
        "rules": as_json(list(run.rules)),
        "sources": as_json(run.analysis.sources),
    }


def _finding(run: LintRun, finding: Finding | Consequence) -> dict[str, Any]:
    return {
        **as_json(finding, members_and_sentences),
        "places": [_place(run, place) for place in finding.places],
    }


def _place(run: LintRun, place: Place) -> dict[str, Any]:
    layers = [
        {"index": layer.index, "name": layer.name, "type": layer.type, "time_ms": layer.avg_ms}
        for layer in run.layers(place)
    ]
    return {**as_json(place, members_and_sentences), "layers": layers}
