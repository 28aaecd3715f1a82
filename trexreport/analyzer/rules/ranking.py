"""Rank findings by estimated savings, so that a problem that several rules report ranks high only once."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping

from trexreport.analyzer.analysis import SEVERITIES, Finding
from trexreport.analyzer.rules.context import Context

#: Rank of a finding without an estimate, as if it saved this percentage.
_RANK_PERCENT = {"error": 5.0, "warning": 1.0, "info": 0.05}
#: Minimum rank of a finding that larger ones include, so that it ranks before information.
_MIN_PERCENT = 0.1
#: Share of a finding's layers from which on larger findings include it.
_MOSTLY = 0.75


def rank(findings: Iterable[Finding], context: Context, subjects: Mapping[str, str]) -> list[Finding]:
    """Return findings by rank, each with its `overlaps`.

    A finding counts with the part of its savings whose layers no larger finding of its subject has reported.
    Only findings with an estimate and at least the same severity count as larger.

    Args:
        findings: In any order.
        context: Knows the layers' times.
        subjects: Code of a rule to its subject.

    Returns:
        The findings, the largest first.
    """
    reported: dict[tuple[str, int], dict[int, str]] = {}
    ranked = []
    for finding in sorted(findings, key=lambda each: (-_percent(each), *_tie_breaker(each))):
        subject, severity = subjects.get(finding.code, ""), SEVERITIES.index(finding.severity)
        before = reported.get((subject, severity), {}) if subject else {}
        shared = [layer for layer in finding.layers if layer in before]
        part = _shared_part(finding, shared, context)
        larger = dict.fromkeys(before[layer] for layer in shared) if part >= _MOSTLY else ()
        percent = max(_percent(finding) * (1 - part), min(_percent(finding), _MIN_PERCENT))
        if finding.gain is not None:
            for lower in range(severity, len(SEVERITIES)):
                of_subject = reported.setdefault((subject, lower), {})
                for layer in finding.layers:
                    of_subject.setdefault(layer, finding.code)
        ranked.append((percent, dataclasses.replace(finding, overlaps=list(larger))))
    ranked.sort(key=lambda pair: (-pair[0], *_tie_breaker(pair[1])))
    return [finding for _, finding in ranked]


def _percent(finding: Finding) -> float:
    known = finding.gain.ranking_percent if finding.gain else None
    return _RANK_PERCENT[finding.severity] if known is None else known


def _tie_breaker(finding: Finding) -> tuple[int, str]:
    return SEVERITIES.index(finding.severity), finding.code


def _shared_part(finding: Finding, shared: list[int], context: Context) -> float:
    """Return which part of a finding's layers is shared, by time or, without times, by number."""
    if not shared:
        return 0.0
    if finding.time_ms:
        return min(context.time_ms(context.layers[layer] for layer in shared) / finding.time_ms, 1.0)
    return len(shared) / len(finding.layers)
