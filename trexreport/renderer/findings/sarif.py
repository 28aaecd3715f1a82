"""The findings as SARIF 2.1.0, the form that GitHub's code scanning and many viewers read.

Source: OASIS, Static Analysis Results Interchange Format (SARIF) Version 2.1.0 Plus Errata 01, whose section
numbers stand below.
"""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

from trexreport import __version__
from trexreport.analyzer.analysis import Finding, Place, RuleFacts, SourceFacts, UncheckedRule
from trexreport.renderer.findings.run import LintRun, layer_names, sentence
from trexreport.renderer.rule_pages import rule_markdown, rule_text
from trexreport.visible import visible

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS = {"error": "error", "warning": "warning", "info": "note"}


def render_sarif(run: LintRun) -> bytes:
    """Return the outcome as SARIF, a result for each place."""
    document = {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "properties": {"generator": "trexreport"},
        "runs": [_Log(run).as_run()],
    }
    return (json.dumps(document, indent=1, allow_nan=False) + "\n").encode("ascii")


class _Log:
    """Makes the parts of one run."""

    def __init__(self, run: LintRun) -> None:
        self.run = run
        self.lint = run.analysis.lint
        self.index = {rule.code: number for number, rule in enumerate(run.rules)}
        sources = run.analysis.sources
        graph = next(
            (source for source in sources if source.role == "graph"), sources[0] if sources else None
        )
        #: Name of the file that the layers stand in; empty if there is none.
        self.subject = _uri(graph.name) if graph else ""
        self.artifacts = _artifacts(sources)

    def as_run(self) -> dict[str, Any]:
        results = [self._result(finding, place) for finding in self.lint.findings for place in finding.places]
        return {
            "tool": {
                "driver": {
                    "name": "trexreport",
                    "semanticVersion": __version__,
                    "rules": [_rule(rule) for rule in self.run.rules],
                }
            },
            "automationDetails": {"id": f"trexreport/{visible(self.run.analysis.identity.name)}"},
            "invocations": [self._invocation()],
            "artifacts": self.artifacts,
            "results": results + self._suppressed(),
        }

    def _invocation(self) -> dict[str, Any]:
        return {
            "executionSuccessful": not self.run.unchecked("broken"),
            "toolExecutionNotifications": [self._notification(each) for each in self.lint.unchecked],
            "toolConfigurationNotifications": [
                {"level": "warning", "message": _message(remark)} for remark in self.lint.remarks
            ],
        }

    def _notification(self, rule: UncheckedRule) -> dict[str, Any]:
        return {
            "level": "error" if rule.why == "broken" else "note",
            "message": _message(f"{rule.code} {rule.name}: {rule.reason}"),
            "descriptor": {"id": f"{rule.why}-rule"},
            "associatedRule": self._reference(rule.code),
        }

    def _reference(self, code: str) -> dict[str, Any]:
        return {"id": code, **({"index": self.index[code]} if code in self.index else {})}

    def _result(self, finding: Finding, place: Place) -> dict[str, Any]:
        result = self._place(finding.code, place)
        # An empty list says that nothing suppresses it, a missing one that nobody knows (3.27.23).
        result |= {"level": _LEVELS[finding.severity], "suppressions": []}
        total_ms = self.run.analysis.latency.layer_sum_ms
        if place.gain_ms is not None and total_ms:
            result["rank"] = min(100.0, 100 * place.gain_ms / total_ms)
        return result

    def _suppressed(self) -> list[dict[str, Any]]:
        return [
            {
                **self._place(each.code, each.place),
                "level": _LEVELS[each.severity],
                "suppressions": [
                    {"kind": "external", "status": "accepted", "justification": visible(each.reason)}
                ],
            }
            for each in self.lint.suppressed
        ]

    def _place(self, code: str, place: Place) -> dict[str, Any]:
        names = layer_names(self.run, place)
        reference = self._reference(code)
        return {
            "ruleId": code,
            **({"ruleIndex": reference["index"]} if "index" in reference else {}),
            "message": _message(f"{names}: {sentence(place)}" if names else sentence(place)),
            "locations": [self._location(place)],
            # GitHub tells alerts apart by the second one only.
            "partialFingerprints": {
                "trexreport/v1": place.fingerprint,
                "primaryLocationLineHash": place.fingerprint,
            },
            "properties": {
                "gain_ms": place.gain_ms,
                "evidence": {visible(label): visible(text) for label, text in place.evidence.items()},
            },
        }

    def _location(self, place: Place) -> dict[str, Any]:
        location: dict[str, Any] = {}
        if self.subject:
            # GitHub takes no result without a line; JSON of an engine often has but one.
            location["physicalLocation"] = {
                "artifactLocation": {"uri": self.subject},
                "region": {"startLine": 1},
            }
        # By their keys, as no two of these may be the same.
        layers = {visible(layer.key): visible(layer.name) for layer in self.run.layers(place)}
        if layers:
            location["logicalLocations"] = [
                {"name": name, "fullyQualifiedName": key, "kind": "layer"} for key, name in layers.items()
            ]
        return location


def _artifacts(sources: list[SourceFacts]) -> list[dict[str, Any]]:
    """Return the files that were read; the same file twice is one."""
    files = {(source.name, source.sha256): source for source in sources}
    return [
        {
            "location": {"uri": _uri(source.name)},
            "length": source.size_bytes,
            "hashes": {"sha-256": source.sha256},
            "roles": ["analysisTarget"],
        }
        for source in files.values()
    ]


def _rule(rule: RuleFacts) -> dict[str, Any]:
    return {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": _message(f"{rule.title}."),
        "fullDescription": _message(rule.cost or f"{rule.title}."),
        "help": {"text": _message(rule_text(rule))["text"], "markdown": rule_markdown(rule)},
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
        "properties": {"tags": [rule.family]},
    }


def _message(text: str) -> dict[str, str]:
    """Return a plain message: braces would be placeholders (3.11.5), brackets links (3.11.6)."""
    shown = visible(text).replace("{", "{{").replace("}", "}}")
    return {"text": shown.replace("[", "\\[").replace("]", "\\]")}


def _uri(name: str) -> str:
    """Return a file's name as a relative reference; a lone surrogate has no place in one."""
    return quote(name.encode("utf-8", "replace").decode("utf-8"), safe="") or "unnamed"
