"""Prepare what the rules found for the page: which findings stand first, what is cut, where links lead."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, count
from typing import Any

from trexreport.analyzer.analysis import Analysis, Finding, Place, UncheckedRule
from trexreport.numbers import middle_ellipsis
from trexreport.renderer.links import term

#: How many findings stand at the top of the page.
MOST_FIRST = 5
#: How many places of a finding its table shows; the table of layers has them all.
MOST_PLACES = 8
#: A bound below this share of the time is no reason to look at a finding first.
_LEAST_PERCENT = {"error": 0.0, "warning": 0.1, "info": 1.0}
#: A place of more layers than this means them all, not the first of them.
_MOST_MEANT = 8
#: As in "Two reformats beside it take long."; at its end a sentence means something that it names itself.
_SPEAKS_OF_A_LAYER = re.compile(r"\bit\b(?!\.$)", re.IGNORECASE)
_MOST_EVIDENCE = 5
_MOST_CODES_OF_A_LAYER = 4
#: Where a rule's text has code: between backticks, or an option of a command.
_CODE = re.compile(r"`([^`\n]+)`|(?<![\w-])(--?[A-Za-z](?:[\w-]*\w)?(?:=[\w:,./-]*\w)?)")
_MOST_TEXT = 4000
#: How many different messages of a finding's places the page's data holds.
_MOST_MESSAGES = 200


@dataclass(frozen=True)
class Explanation:
    """One of a rule's texts.

    Attributes:
        paragraphs: Each as a list of (text, whether it is code).
    """

    term: str
    paragraphs: list[list[tuple[str, bool]]]


@dataclass(frozen=True)
class PlaceRow:
    """A place as a row of its finding's table.

    Attributes:
        evidence: A text for each of the table's evidence columns; empty where the place has none.
        time_ms: Of the place's layers together; None where none was measured.
    """

    place: Place
    evidence: list[str]
    time_ms: float | None


@dataclass(frozen=True)
class FindingView:
    """A finding as the page shows it.

    Attributes:
        id: What links and the filter call it: its code, with the severity where a code has two findings.
        headline: One line that can be understood without the rest.
        query: Filters the table of layers to its layers.
        message: What its dearest place says, or all alike; empty where the table or the headline says it.
        labels: Of the evidence columns.
        rows: The places shown, the dearest first; `more` others are not.
        with_messages: The places say more than their evidence does, so that each needs its message.
        share_percent: Share of the time of its layers; None if not known.
        told_by: The id of an earlier finding of the same rule, which has the rule's texts; else empty.
        explanations: Those texts; none where `told_by` has them.
    """

    id: str
    finding: Finding
    headline: str
    query: str
    message: str
    labels: list[str]
    rows: list[PlaceRow]
    more: int
    with_messages: bool
    with_times: bool
    with_gains: bool
    share_percent: float | None
    told_by: str
    explanations: list[Explanation]


@dataclass(frozen=True)
class Grouped:
    """A reason, and how often each code goes with it, such as ["TRX102", "TRX205, 3 places"]."""

    reason: str
    codes: list[str]


@dataclass(frozen=True)
class FindingsPage:
    """All that the templates say of the rules' outcome.

    Attributes:
        first: The findings to look at first; none where nothing is worth it.
        severities: Those that occur, from grave to slight.
        of_layer: Layer to its findings, the first few, for the table that needs no script.
    """

    views: list[FindingView]
    first: list[FindingView]
    severities: list[str]
    with_gains: bool
    of_layer: dict[int, list[FindingView]]
    suppressed: list[Grouped]
    suppressed_places: int
    skipped: list[Grouped]
    broken: list[UncheckedRule]
    remarks: Sequence[str]


def findings_page(analysis: Analysis) -> FindingsPage:
    """Return what the templates need to show `analysis.lint`."""
    lint = analysis.lint
    ids = finding_ids(lint.findings)
    teller: dict[tuple[str, ...], str] = {}
    views = []
    for finding, name in zip(lint.findings, ids, strict=True):
        texts = (finding.code, finding.cost, finding.advice, finding.false_alarm, finding.bound)
        views.append(_view(analysis, finding, name, teller.get(texts, "")))
        teller.setdefault(texts, name)
    skipped = [each for each in lint.unchecked if each.why == "skipped"]
    present = {finding.severity for finding in lint.findings}
    return FindingsPage(
        views=views,
        first=_first(views),
        severities=[severity for severity in _LEAST_PERCENT if severity in present],
        with_gains=any(finding.gain_ms is not None for finding in lint.findings),
        of_layer=_of_layer(views),
        suppressed=_grouped((each.reason, each.code) for each in lint.suppressed),
        suppressed_places=len(lint.suppressed),
        skipped=_grouped((each.reason, each.code) for each in skipped),
        broken=[each for each in lint.unchecked if each.why != "skipped"],
        remarks=lint.remarks,
    )


def finding_ids(findings: Sequence[Finding]) -> list[str]:
    """Return a different name for each finding that an address and an element's id can hold.

    The first finding of a rule is called by its code, another one by code and severity.
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
    """Return the findings for the page's script: each text once, places as [layers, gain in ms, message]."""
    ids = finding_ids(analysis.lint.findings)
    return [_data(finding, ids[at]) for at, finding in enumerate(analysis.lint.findings)]


def _data(finding: Finding, name: str) -> dict[str, Any]:
    messages: dict[str, int] = {}
    places = []
    for place in finding.places:
        if place.message not in messages and len(messages) < _MOST_MESSAGES:
            messages[place.message] = len(messages)
        places.append([place.layers, _rounded(place.gain_ms), messages.get(place.message)])
    return {
        "id": name,
        "code": finding.code,
        "name": finding.name,
        "severity": finding.severity,
        "title": finding.title,
        "messages": list(messages),
        "places": places,
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.4g}")


def _plain(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "-", text)[:40] or "-"


def _view(analysis: Analysis, finding: Finding, name: str, told_by: str) -> FindingView:
    shown = finding.places[:MOST_PLACES]
    labels = list(dict.fromkeys(label for place in shown for label in place.evidence))[:_MOST_EVIDENCE]
    kinds = {_kind(place.message) for place in shown}
    with_messages = len(kinds) > 1 or (len({place.message for place in shown}) > 1 and not labels)
    rows = [
        PlaceRow(place, [place.evidence.get(label, "") for label in labels], _time_ms(analysis, place.layers))
        for place in shown
    ]
    headline = finding_headline(analysis, finding)
    total = analysis.latency.layer_sum_ms
    return FindingView(
        id=name,
        finding=finding,
        headline=headline,
        query=term("finding", name),
        message="" if with_messages or shown[0].message == headline else shown[0].message,
        labels=labels,
        rows=rows,
        more=len(finding.places) - len(shown),
        with_messages=with_messages,
        with_times=any(row.time_ms is not None for row in rows),
        with_gains=any(place.gain_ms is not None for place in shown),
        share_percent=100 * finding.time_ms / total if total and finding.time_ms is not None else None,
        told_by=told_by,
        explanations=[] if told_by else _explanations(finding),
    )


def _explanations(finding: Finding) -> list[Explanation]:
    texts = {
        "Why it costs time": finding.cost,
        "What to do": finding.advice,
        "When it is a false alarm": finding.false_alarm,
        "How the gain is bounded": finding.bound,
    }
    return [
        Explanation(term, [_with_code(line) for line in middle_ellipsis(text, _MOST_TEXT).split("\n")])
        for term, text in texts.items()
        if text
    ]


def _with_code(line: str) -> list[tuple[str, bool]]:
    """Return the parts of a line and whether each is code."""
    parts: list[tuple[str, bool]] = []
    end = 0
    for found in _CODE.finditer(line):
        parts += [(line[end : found.start()], False), (found.group(1) or found.group(2), True)]
        end = found.end()
    return [part for part in (*parts, (line[end:], False)) if part[0]]


def finding_headline(analysis: Analysis, finding: Finding) -> str:
    """Return the message, or where that speaks of one layer without its name, the rule's title with it."""
    place = finding.places[0]
    if len(finding.places) > 1 or not place.layers:
        return finding.message
    if len(place.layers) > 1 and not _SPEAKS_OF_A_LAYER.search(place.message):
        return finding.message
    if len(place.layers) > _MOST_MEANT:
        return f"{finding.title}."
    return f"{finding.title}: {middle_ellipsis(analysis.layers[place.layers[0]].name, 44)}"


def _kind(message: str) -> str:
    """Return a message without its figures and types: places whose messages differ in these are alike."""
    # Not by one pattern: on a long word it would look for a digit from each of its characters.
    words = re.split(r"(\s+)", message)
    return "".join("#" if any(map(str.isdecimal, word)) else word for word in words)


def _time_ms(analysis: Analysis, layers: Iterable[int]) -> float | None:
    times = [analysis.layers[index].avg_ms for index in dict.fromkeys(layers)]
    known = [time for time in times if time is not None]
    return math.fsum(known) if known else None


def _first(views: Sequence[FindingView]) -> list[FindingView]:
    """Return the findings to look at first: errors and warnings, then what is information but costs a lot."""
    worth = [view for view in views if _is_worth_a_look(view.finding)]
    worth.sort(key=lambda view: view.finding.severity == "info")
    return worth[:MOST_FIRST]


def _is_worth_a_look(finding: Finding) -> bool:
    if finding.overlaps:
        return False
    if finding.gain_percent is None:
        return finding.severity != "info"
    return finding.gain_percent >= _LEAST_PERCENT[finding.severity]


def _of_layer(views: Sequence[FindingView]) -> dict[int, list[FindingView]]:
    found: dict[int, list[FindingView]] = {}
    for view in views:
        for layer in view.finding.layers:
            of_layer = found.setdefault(layer, [])
            if len(of_layer) < _MOST_CODES_OF_A_LAYER:
                of_layer.append(view)
    return found


def _grouped(pairs: Iterable[tuple[str, str]]) -> list[Grouped]:
    """Return reason to codes, in the order of their first occurrence."""
    counts: dict[str, dict[str, int]] = {}
    for reason, code in pairs:
        codes = counts.setdefault(reason, {})
        codes[code] = codes.get(code, 0) + 1
    return [
        Grouped(reason, [code if count == 1 else f"{code} ({count} places)" for code, count in codes.items()])
        for reason, codes in counts.items()
    ]
