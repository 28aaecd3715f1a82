"""What came of a budget as SARIF: a rule for each limit, a result for each that fails or warns."""

from __future__ import annotations

import hashlib
from typing import Any

from trexreport import __version__
from trexreport.analyzer.analysis.budget import BudgetCheck, LimitOutcome
from trexreport.renderer.budget.wording import allowed, in_order, sentence, short
from trexreport.renderer.sarif_document import (
    artifacts_of,
    file_location,
    sarif_document,
    sarif_message,
    subject_of,
)
from trexreport.visible import visible

_LEVELS = {"error": "error", "warn": "warning"}


def render_budget_sarif(check: BudgetCheck) -> bytes:
    """Return the outcome as SARIF; limits that hold, or are off, are rules without results."""
    subject = subject_of(check.sources)
    places = {outcome.id: number for number, outcome in enumerate(check.outcomes)}
    return sarif_document(
        {
            "tool": {
                "driver": {
                    "name": "trexreport",
                    "semanticVersion": __version__,
                    "rules": [_rule(outcome) for outcome in check.outcomes],
                }
            },
            "automationDetails": {"id": f"trexreport-check/{visible(check.engine.name)}"},
            "invocations": [
                {
                    "executionSuccessful": True,
                    "toolConfigurationNotifications": [
                        {"level": "warning", "message": sarif_message(remark)} for remark in check.remarks
                    ],
                }
            ],
            "artifacts": artifacts_of(check.sources),
            "results": [
                _result(outcome, places[outcome.id], subject)
                for outcome in in_order(check)
                if outcome.severity
            ],
        }
    )


def _rule(outcome: LimitOutcome) -> dict[str, Any]:
    title = sarif_message(f"{short(outcome.title)}: {allowed(outcome)}.")
    return {
        "id": _id(outcome),
        "shortDescription": title,
        "fullDescription": title,
        "help": sarif_message(
            "A limit of the budget in the configuration; `trexreport check` holds engines against it."
        ),
        "defaultConfiguration": {"level": _LEVELS.get(outcome.severity, "note")},
        "properties": {"tags": ["budget", outcome.group]},
    }


def _result(outcome: LimitOutcome, rule: int, subject: str) -> dict[str, Any]:
    location = file_location(subject)
    # No two logical locations may be the same.
    names = list(dict.fromkeys(visible(name) for name in outcome.layers))
    if names:
        location["logicalLocations"] = [{"name": name} for name in names]
    fingerprint = hashlib.sha256(_id(outcome).encode()).hexdigest()[:32]
    return {
        "ruleId": _id(outcome),
        "ruleIndex": rule,
        "level": _LEVELS[outcome.severity],
        "message": sarif_message(sentence(outcome)),
        "locations": [location],
        # GitHub tells alerts apart by the second one only.
        "partialFingerprints": {"trexreport/v1": fingerprint, "primaryLocationLineHash": fingerprint},
        "properties": {"limit": outcome.limit, "value": outcome.value, "state": outcome.state},
    }


def _id(outcome: LimitOutcome) -> str:
    return f"budget.{visible(outcome.id)}"
