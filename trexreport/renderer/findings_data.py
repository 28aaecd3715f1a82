"""The findings as the page's script gets them, and their names in addresses."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain, count
from typing import Any

from trexreport.analyzer.analysis import Analysis, Finding
from trexreport.analyzer.analysis.findings import Consequence
from trexreport.wording.gains import savings

#: Maximum number of different messages per finding in the page's data.
_MAX_MESSAGES = 200


def ids_of(findings: Sequence[Finding]) -> dict[int, str]:
    """Return the name of each finding and consequence, by its identity; findings have the simplest ones."""
    everything: list[Finding | Consequence] = [*findings]
    everything += [each for finding in findings for each in finding.consequences]
    return {id(each): name for each, name in zip(everything, finding_ids(everything), strict=True)}


def finding_ids(findings: Sequence[Finding | Consequence]) -> list[str]:
    """Return a unique name for each finding that is valid in an address and an element's id.

    The first finding of a rule is named by its code, another one by code and severity.
    """
    numbers: dict[str, Iterator[int]] = {}
    names: dict[str, None] = {}
    for finding in findings:
        code = _plain(finding.code)
        # Each number is tried once for a code, so that many findings of one stay cheap.
        further = (f"{code}-{number}" for number in numbers.setdefault(code, count(2)))
        proposals = chain([code, f"{code}-{_plain(finding.severity)}"], further)
        names[next(name for name in proposals if name not in names)] = None
    return list(names)


def findings_data(analysis: Analysis) -> list[dict[str, Any]]:
    """Return the findings for the page's script: each text once, places as [layers, savings, message]."""
    ids = ids_of(analysis.lint.findings)
    found = []
    for finding in analysis.lint.findings:
        found.append(_data(finding, ids[id(finding)], None))
        found += [_data(each, ids[id(each)], finding.code) for each in finding.consequences]
    return found


def _data(finding: Finding | Consequence, name: str, cause: str | None) -> dict[str, Any]:
    messages: dict[str, int] = {}
    places = []
    for place in finding.places:
        if place.message not in messages and len(messages) < _MAX_MESSAGES:
            messages[place.message] = len(messages)
        places.append(
            [place.layers, savings(place.gain) if place.gain else None, messages.get(place.message)]
        )
    return {
        "id": name,
        "code": finding.code,
        "name": finding.name,
        "severity": finding.severity,
        "title": finding.title,
        "cause": cause,
        "messages": list(messages),
        "places": places,
    }


def _plain(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "-", text)[:40] or "-"
