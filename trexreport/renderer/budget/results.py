"""The limits of a budget as results of checks: a check for each limit, a result for each that is not met."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace

from trexreport.analyzer.analysis.budget import BROKEN, OFF, UNKNOWN, BudgetCheck, LimitOutcome
from trexreport.renderer.budget.wording import in_order, limit_text, sentence, state_text, sum_up
from trexreport.renderer.check_results import results as checks
from trexreport.wording.budget import check_remarks, limit_title

_LEVELS: dict[str, checks.Level] = {"error": "error", "warn": "warning", "": "none"}
_MAX_LAYERS = 3


def budget_results(check: BudgetCheck) -> checks.CheckResults:
    """Return the outcome of the limits; those that are met or off have no result."""
    return outcome_results(
        checks.CheckResults(
            tool="trexreport-check",
            engine=check.engine,
            summary=sum_up(check),
            sources=check.sources,
            checks=(),
            results=(),
            annotations=(),
            remarks=tuple(check_remarks(check)),
        ),
        check.outcomes,
    )


def outcome_results(results: checks.CheckResults, outcomes: Sequence[LimitOutcome]) -> checks.CheckResults:
    """Return results with those of limits in place of their own."""
    not_met = [outcome for outcome in in_order(outcomes) if outcome.severity]
    return replace(
        results,
        checks=tuple(map(_check, outcomes)),
        results=tuple(map(_result, not_met)),
        annotations=tuple(
            checks.Annotation(
                _LEVELS[outcome.severity],
                f"{checks.short_name(limit_title(outcome))}: {state_text(outcome)}",
                (sentence(outcome), *_layer_lines(outcome)),
            )
            for outcome in not_met
        ),
    )


def _check(outcome: LimitOutcome) -> checks.Check:
    message, is_failed = sentence(outcome), outcome.severity == "error"
    is_skipped = outcome.state in (UNKNOWN, OFF) and not is_failed
    output = f"warning: {message}" if outcome.state == BROKEN else message
    return checks.Check(
        id=_id(outcome),
        name=outcome.id,
        title=checks.short_name(limit_title(outcome)),
        group=f"budget.{outcome.group}",
        description=f"{checks.short_name(limit_title(outcome))}: {limit_text(outcome)}.",
        help_text="A limit of the budget in the configuration, checked by `trexreport check`.",
        level=_LEVELS[outcome.severity],
        failure=message if is_failed else "",
        failure_kind="limit" if outcome.state == BROKEN else "unknown",
        failure_details=(message, *_layer_lines(outcome)),
        skipped=("The limit is off." if outcome.state == OFF else message) if is_skipped else "",
        output=() if is_failed or is_skipped else (output,),
    )


def _result(outcome: LimitOutcome) -> checks.Result:
    return checks.Result(
        check_id=_id(outcome),
        level=_LEVELS[outcome.severity],
        message=sentence(outcome),
        layers=tuple((name, name) for name in outcome.layers),
        fingerprint=hashlib.sha256(_id(outcome).encode("utf-8", "replace")).hexdigest()[:32],
        properties={"limit": outcome.limit, "value": outcome.value, "state": outcome.state},
    )


def _layer_lines(outcome: LimitOutcome) -> tuple[str, ...]:
    return tuple(f"- {checks.short_name(name)}" for name in outcome.layers[:_MAX_LAYERS])


def _id(outcome: LimitOutcome) -> str:
    return f"budget.{outcome.id}"
