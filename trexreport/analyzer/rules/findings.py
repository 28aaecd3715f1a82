"""Make findings of the places of all rules: of each cause one, with what it explains."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from trexreport.analyzer.analysis import SEVERITIES, Finding, Place, Severity
from trexreport.analyzer.analysis.findings import Consequence
from trexreport.analyzer.grouping import group_by
from trexreport.analyzer.rules.causes import RulePlace, causes_of
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.rule import Rule
from trexreport.numbers import format_count

#: How many different values of the evidence a summary of several places lists.
_MAX_LISTED = 3


def make_findings(places: Sequence[RulePlace], context: Context) -> list[Finding]:
    """Return a finding for each rule and severity with places that no other place explains, in order.

    Those on the engine come first, then those on the measurement: of each errors without savings, then the
    largest savings, then those that are not estimated, by severity.
    """
    cause_of = causes_of(places, context)
    explained = group_by(cause_of, cause_of.__getitem__)
    causes = [index for index in range(len(places)) if index not in cause_of]
    groups = group_by(causes, lambda index: _key(places[index]))
    found = [_finding(members, places, explained, context) for members in groups.values()]
    return sorted(found, key=_order)


def _key(each: RulePlace) -> tuple[str, Severity]:
    return each.rule.code, each.severity


def _order(finding: Finding) -> tuple[Any, ...]:
    unknown, severity = finding.gain_ms is None, SEVERITIES.index(finding.severity)
    return (
        finding.about == "measurement",
        not (unknown and finding.severity == "error"),
        unknown,
        -(finding.gain_ms or 0.0),
        severity,
        -(finding.time_ms or 0.0),
        finding.code,
    )


def _finding(
    members: Iterable[int],
    places: Sequence[RulePlace],
    explained: Mapping[int, Sequence[int]],
    context: Context,
) -> Finding:
    rule, severity = places[next(iter(members))].rule, places[next(iter(members))].severity
    whole = {}
    for index in members:
        gains = [places[other].place for other in (index, *explained.get(index, ()))]
        whole[index] = dataclasses.replace(places[index].place, gain_ms=_union(gains, context))
    order = sorted(whole, key=lambda index: (-(whole[index].gain_ms or 0.0), whole[index].layers[:1]))
    own = [whole[index] for index in order]
    consequences = [
        (other, number) for number, index in enumerate(order) for other in explained.get(index, ())
    ]
    of_rules = group_by(consequences, lambda pair: _key(places[pair[0]]))
    gain_ms = _sum(own, context)
    return Finding(
        **_summary(rule, severity, own, context),
        about="measurement" if rule.family == "measurement" else "engine",
        section=rule.section,
        gain_ms=gain_ms,
        gain_percent=None,
        savings=rule.savings,
        cost=rule.cost,
        recommendation=rule.recommendation,
        false_alarm=rule.false_alarm,
        consequences=sorted(
            (_consequence(pairs, places, context) for pairs in of_rules.values()),
            key=lambda each: (SEVERITIES.index(each.severity), -(each.time_ms or 0.0), each.code),
        ),
    )


def _consequence(
    pairs: Iterable[tuple[int, int]], places: Sequence[RulePlace], context: Context
) -> Consequence:
    """Return the places of one rule and severity, given with the numbers of the places that explain them."""
    found = [(places[index], cause) for index, cause in pairs]
    rule, severity = found[0][0].rule, found[0][0].severity
    return Consequence(
        **_summary(rule, severity, [each.place for each, _ in found], context),
        causes=[cause for _, cause in found],
    )


def _summary(rule: Rule, severity: Severity, places: list[Place], context: Context) -> dict[str, Any]:
    layers = sorted({layer for place in places for layer in place.layers})
    measured = [context.layers[layer] for layer in layers if context.layers[layer].avg_ms is not None]
    return {
        "code": rule.code,
        "name": rule.name,
        "severity": severity,
        "title": rule.title,
        "message": places[0].message if len(places) == 1 else _message(rule, places),
        "places": places,
        "layers": layers,
        "time_ms": context.time_ms(measured) if measured else None,
    }


def _message(rule: Rule, places: Sequence[Place]) -> str:
    """Return what several places have in common, with the values of the evidence that the rule asks for."""
    values: dict[str, dict[str, None]] = {}
    for place in places:
        for label, text in place.evidence.items():
            values.setdefault(label, {})[text] = None
    listed = {label: " or ".join(list(texts)[:_MAX_LISTED]) for label, texts in values.items()}
    return rule.many.format_map(listed | {"count": format_count(len(places))})


def _union(places: Sequence[Place], context: Context) -> float | None:
    return _sum(places, context)


def _sum(places: Sequence[Place], context: Context) -> float | None:
    known = [place.gain_ms for place in places if place.gain_ms is not None]
    return min(math.fsum(known), context.total_ms or context.query_ms) if known else None
