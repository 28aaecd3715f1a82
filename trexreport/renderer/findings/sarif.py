"""The findings as SARIF; numbers of sections below are those of the standard."""

from __future__ import annotations

from typing import Any

from trexreport import __version__
from trexreport.analyzer.analysis import Finding, Place, RuleFacts, UncheckedRule
from trexreport.renderer.findings.run import LintRun, layer_names, sentence
from trexreport.renderer.rule_pages import rule_markdown, rule_text
from trexreport.renderer.sarif_document import (
    artifacts_of,
    file_location,
    sarif_document,
    sarif_message,
    subject_of,
)
from trexreport.visible import visible

_LEVELS = {"error": "error", "warning": "warning", "info": "note"}


def render_sarif(run: LintRun) -> bytes:
    """Return the outcome as SARIF, a result for each place."""
    return sarif_document(_Log(run).as_run())


class _Log:
    """Makes the parts of one run."""

    def __init__(self, run: LintRun) -> None:
        self.run = run
        self.lint = run.analysis.lint
        self.index = {rule.code: number for number, rule in enumerate(run.rules)}
        self.subject = subject_of(run.analysis.sources)

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
            "artifacts": artifacts_of(self.run.analysis.sources),
            "results": results + self._suppressed(),
        }

    def _invocation(self) -> dict[str, Any]:
        return {
            "executionSuccessful": not self.run.unchecked("broken"),
            "toolExecutionNotifications": [self._notification(each) for each in self.lint.unchecked],
            "toolConfigurationNotifications": [
                {"level": "warning", "message": sarif_message(remark)} for remark in self.lint.remarks
            ],
        }

    def _notification(self, rule: UncheckedRule) -> dict[str, Any]:
        return {
            "level": "error" if rule.why == "broken" else "note",
            "message": sarif_message(f"{rule.code} {rule.name}: {rule.reason}"),
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
            "message": sarif_message(f"{names}: {sentence(place)}" if names else sentence(place)),
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
        location = file_location(self.subject)
        # By their keys, as no two of these may be the same.
        layers = {visible(layer.key): visible(layer.name) for layer in self.run.layers(place)}
        if layers:
            location["logicalLocations"] = [
                {"name": name, "fullyQualifiedName": key, "kind": "layer"} for key, name in layers.items()
            ]
        return location


def _rule(rule: RuleFacts) -> dict[str, Any]:
    return {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": sarif_message(f"{rule.title}."),
        "fullDescription": sarif_message(rule.cost or f"{rule.title}."),
        "help": {"text": sarif_message(rule_text(rule))["text"], "markdown": rule_markdown(rule)},
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
        "properties": {"tags": [rule.family]},
    }
