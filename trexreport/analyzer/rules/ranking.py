"""Put first what could gain most, and let no problem that several rules tell of stand there several times."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping

from trexreport.analyzer.analysis import SEVERITIES, Finding
from trexreport.analyzer.rules.context import Context

#: How a finding without a bound is ranked among the others: as if it gained so many percent.
_RANK_PERCENT = {"error": 5.0, "warning": 1.0, "info": 0.05}
#: What one that larger ones stand for is ranked as at the least, so that it stands before information.
_LEAST_PERCENT = 0.1
#: The part of a finding's layers from which on larger ones stand for it.
_MOSTLY = 0.75


def rank(findings: Iterable[Finding], context: Context, subjects: Mapping[str, str]) -> list[Finding]:
    """Return findings in the order in which to look at them, each with its `overlaps`.

    A finding counts with the part of its gain that its layers have which no larger one of its subject has
    told of; only one that is at least as grave and has a bound tells of its layers.

    Args:
        findings: In any order.
        context: Knows the layers' times.
        subjects: Code of a rule to its subject.
    """
    told: dict[tuple[str, int], dict[int, str]] = {}
    ranked = []
    for finding in sorted(findings, key=lambda each: (-_percent(each), *_tie(each))):
        subject, gravity = subjects.get(finding.code, ""), SEVERITIES.index(finding.severity)
        before = told.get((subject, gravity), {}) if subject else {}
        shared = [layer for layer in finding.layers if layer in before]
        part = _part(finding, shared, context)
        larger = dict.fromkeys(before[layer] for layer in shared) if part >= _MOSTLY else ()
        percent = max(_percent(finding) * (1 - part), min(_percent(finding), _LEAST_PERCENT))
        if finding.gain_ms is not None:
            for lighter in range(gravity, len(SEVERITIES)):
                of_subject = told.setdefault((subject, lighter), {})
                for layer in finding.layers:
                    of_subject.setdefault(layer, finding.code)
        ranked.append((percent, dataclasses.replace(finding, overlaps=list(larger))))
    ranked.sort(key=lambda pair: (-pair[0], *_tie(pair[1])))
    return [finding for _, finding in ranked]


def _percent(finding: Finding) -> float:
    return _RANK_PERCENT[finding.severity] if finding.gain_percent is None else finding.gain_percent


def _tie(finding: Finding) -> tuple[int, str]:
    return SEVERITIES.index(finding.severity), finding.code


def _part(finding: Finding, shared: list[int], context: Context) -> float:
    """Return the part of a finding's layers that some of them are, by time or else by number."""
    if not shared:
        return 0.0
    if finding.time_ms:
        return min(context.time_ms(context.layers[layer] for layer in shared) / finding.time_ms, 1.0)
    return len(shared) / len(finding.layers)
