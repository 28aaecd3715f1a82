"""Prepare the findings for the page: which are the top findings, what is cut, where links lead."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias

from trexreport.analyzer.analysis import Analysis, Finding, Place, UncheckedRule
from trexreport.analyzer.analysis.failures import FAILED_RUN
from trexreport.analyzer.analysis.findings import Consequence
from trexreport.lazy_dataclass import dataclass
from trexreport.numbers import layer_label, middle_ellipsis
from trexreport.renderer.code_parts import Line, code_parts
from trexreport.renderer.finding_overlaps import overlapping_findings
from trexreport.renderer.findings_data import ids_of
from trexreport.renderer.links import term
from trexreport.renderer.top_findings import (
    MAX_FIRST,
    MIN_PERCENT,
    large_findings,
    on_measurement_with_savings,
)
from trexreport.wording.findings import GROUP_TEXTS, rule_texts
from trexreport.wording.gains import savings, savings_basis, savings_ms

#: Maximum number of places in a finding's table; the layer table has all.
MAX_PLACES = 8
_MAX_EVIDENCE = 5
_MAX_CODES_PER_LAYER = 4
_MAX_TEXT = 4000


@dataclass(frozen=True)
class PlaceRow:
    """A place as a row of its finding's table.

    Attributes:
        evidence: A text for each evidence column of the table; empty where the place has none.
        time_ms: Of the place's layers together; None where none was measured.
        savings: In ms, as text; empty where not estimated.
    """

    place: Place
    evidence: list[str]
    time_ms: float | None
    savings: str


@dataclass(frozen=True)
class ConsequenceView:
    """A consequence as the page shows it below its finding.

    Attributes:
        id, query: As those of `FindingView`.
        finding: The consequence.
        rows: The places shown; without evidence.
    """

    id: str
    finding: Consequence
    query: str
    rows: list[PlaceRow]


@dataclass(frozen=True)
class FindingView:
    """A finding as the page shows it.

    Attributes:
        id: Its name in links and the filter: its code, with the severity where a code has two findings.
        query: Filters the layer table to its layers.
        message: That of its first place; empty where the table or the headline contains it.
        labels: Of the evidence columns.
        rows: The places shown, the largest first.
        with_messages: The places differ in more than their evidence, so that each needs its message.
        share_percent: Share of the time of its layers; None if not known.
        savings: Of all places, as text.
        basis: What the savings are based on; empty if not estimated.
        documented_by: The id of an earlier finding of the same rule with the rule's texts; else empty.
        explanations: Those texts as lines by label; none where `documented_by` has them.
        consequences: What fixing it also resolves.
        overlaps: Findings that share time with it: their ids, and what part of its time in percent.
    """

    id: str
    finding: Finding
    query: str
    message: str
    labels: list[str]
    rows: list[PlaceRow]
    with_messages: bool
    with_times: bool
    with_gains: bool
    share_percent: float | None
    savings: str
    basis: str
    documented_by: str
    explanations: dict[str, list[Line]]
    consequences: list[ConsequenceView]
    overlaps: list[tuple[str, float]]


@dataclass(frozen=True)
class FindingGroup:
    """Findings under one heading.

    Attributes:
        id: Of the heading in addresses.
        note: A sentence below the heading; may be empty.
    """

    id: str
    title: str
    note: str
    views: list[FindingView]


#: Layer to its first few findings and consequences.
OfLayer: TypeAlias = "dict[int, list[FindingView | ConsequenceView]]"


@dataclass(frozen=True)
class FindingsPage:
    """Everything that the templates show of the findings.

    Attributes:
        groups: The views by what they are for, without empty groups: opportunities, information, measurement.
        first: The top findings on the engine, without what failed, which a notice states above them; none
            where nothing is large enough.
        measurement: Those of the views that concern the run and its files.
        severities: Those that occur, the most severe first.
        of_layer: Layer to its first few findings, for the table without script.
        suppressed: Reason to the codes that have it, and how often: ["TRX102", "TRX205 (3 places)"].
        skipped: The same of the rules that were skipped.
    """

    views: list[FindingView]
    groups: list[FindingGroup]
    first: list[FindingView]
    measurement: list[FindingView]
    severities: list[str]
    with_gains: bool
    of_layer: OfLayer
    suppressed: dict[str, list[str]]
    skipped: dict[str, list[str]]
    broken: list[UncheckedRule]


def findings_page(analysis: Analysis) -> FindingsPage:
    """Return what the templates need to show `analysis.lint`."""
    lint = analysis.lint
    ids = ids_of(lint.findings)
    documented: dict[tuple[str, ...], str] = {}
    views = []
    overlaps = overlapping_findings(analysis)
    for finding in lint.findings:
        texts = (finding.code, finding.cost, finding.recommendation, finding.false_alarm, finding.savings)
        shared = [(ids[id(other)], percent) for other, percent in overlaps.get(id(finding), [])]
        views.append(_view(analysis, finding, ids, documented.get(texts, ""), shared))
        documented.setdefault(texts, ids[id(finding)])
    skipped = [each for each in lint.unchecked if each.why == "skipped"]
    present = {finding.severity for finding in lint.findings}
    is_large = large_findings(lint.findings)
    return FindingsPage(
        views=views,
        groups=_groups(views, is_large),
        first=(
            [view for view in views if is_large(view.finding) and view.finding.code != FAILED_RUN]
            or [view for view in views if on_measurement_with_savings(view.finding)]
        )[:MAX_FIRST],
        measurement=[view for view in views if view.finding.about == "measurement"],
        severities=[severity for severity in MIN_PERCENT if severity in present],
        with_gains=any(finding.gain is not None for finding in lint.findings),
        of_layer=_of_layer(views),
        suppressed=_grouped((each.reason, each.code) for each in lint.suppressed),
        skipped=_grouped((each.reason, each.code) for each in skipped),
        broken=[each for each in lint.unchecked if each.why != "skipped"],
    )


def _groups(views: Sequence[FindingView], is_large: Callable[[Finding], bool]) -> list[FindingGroup]:
    """Return the views by what they are for, each group in their order."""
    parts: dict[str, list[FindingView]] = {key: [] for key in GROUP_TEXTS}
    for view in views:
        finding = view.finding
        if finding.code == FAILED_RUN:
            parts["failed"].append(view)
        elif finding.about == "measurement":
            parts["measurement"].append(view)
        elif finding.severity != "info" or is_large(finding):
            parts["opportunities"].append(view)
        else:
            parts["information"].append(view)
    return [FindingGroup(key, *GROUP_TEXTS[key], found) for key, found in parts.items() if found]


def _view(
    analysis: Analysis,
    finding: Finding,
    ids: Mapping[int, str],
    documented_by: str,
    overlaps: list[tuple[str, float]],
) -> FindingView:
    name = ids[id(finding)]
    shown = finding.places[:MAX_PLACES]
    labels = list(dict.fromkeys(label for place in shown for label in place.evidence))[:_MAX_EVIDENCE]
    kinds = {_kind(analysis, place) for place in shown}
    with_messages = len(kinds) > 1 or (len({place.message for place in shown}) > 1 and not labels)
    rows = [
        PlaceRow(
            place,
            [place.evidence.get(label, "") for label in labels],
            _time_ms(analysis, place.layers),
            savings_ms(place.gain) if place.gain else "",
        )
        for place in shown
    ]
    # As the tables show the times: those of a finding may be medians.
    time_ms, total = _time_ms(analysis, finding.layers), analysis.latency.layer_sum_ms
    return FindingView(
        id=name,
        finding=finding,
        query=term("finding", name),
        message="" if with_messages or shown[0].message == finding.message else shown[0].message,
        labels=labels,
        rows=rows,
        with_messages=with_messages,
        with_times=any(row.time_ms is not None for row in rows),
        with_gains=any(place.gain is not None for place in shown),
        share_percent=100 * time_ms / total if total and time_ms is not None else None,
        savings=savings(finding.gain),
        basis=savings_basis(finding.gain) if finding.gain else "",
        documented_by=documented_by,
        explanations={} if documented_by else _explanations(finding),
        consequences=[_consequence(analysis, each, ids[id(each)]) for each in finding.consequences],
        overlaps=overlaps,
    )


def _consequence(analysis: Analysis, consequence: Consequence, name: str) -> ConsequenceView:
    shown = consequence.places[:MAX_PLACES]
    rows = [PlaceRow(place, [], _time_ms(analysis, place.layers), "") for place in shown]
    return ConsequenceView(name, consequence, term("finding", name), rows)


def _explanations(finding: Finding) -> dict[str, list[Line]]:
    return {
        label: [code_parts(line) for line in middle_ellipsis(text, _MAX_TEXT).split("\n")]
        for label, text in rule_texts(finding).items()
    }


def _kind(analysis: Analysis, place: Place) -> str:
    """Return a message without its layer, figures and types, in which places of one kind differ."""
    label = layer_label(analysis.layers[place.layers[0]].name) if place.layers else ""
    # Not by one pattern: on a long word it would look for a digit from each of its characters.
    words = re.split(r"(\s+)", place.message.replace(label, "") if label else place.message)
    return "".join("#" if any(map(str.isdecimal, word)) else word for word in words)


def _time_ms(analysis: Analysis, layers: Iterable[int]) -> float | None:
    times = [analysis.layers[index].avg_ms for index in dict.fromkeys(layers)]
    known = [time for time in times if time is not None]
    return math.fsum(known) if known else None


def _of_layer(views: Sequence[FindingView]) -> OfLayer:
    found: OfLayer = {}
    explained = [each for view in views for each in view.consequences]
    everything: list[FindingView | ConsequenceView] = [*views, *explained]
    for view in everything:
        for layer in view.finding.layers:
            of_layer = found.setdefault(layer, [])
            if len(of_layer) < _MAX_CODES_PER_LAYER:
                of_layer.append(view)
    return found


def _grouped(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Return reason to codes, in the order of their first occurrence."""
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for reason, code in pairs:
        counts[reason][code] += 1
    return {
        reason: [code if count == 1 else f"{code} ({count} places)" for code, count in codes.items()]
        for reason, codes in counts.items()
    }
