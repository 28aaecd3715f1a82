"""Make findings of the places of all rules: of each cause one, with what it explains."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any

from trexreport.analyzer.analysis import SEVERITIES, Finding, LayerFacts, Place, Severity
from trexreport.analyzer.analysis.findings import Consequence
from trexreport.analyzer.analysis.gains import Gain, GainBasis
from trexreport.analyzer.grouping import group_by
from trexreport.analyzer.rules.advice import Advice, fill_in_evidence
from trexreport.analyzer.rules.causes import causes_of
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.gains import add, are_joined, union
from trexreport.analyzer.rules.phrases import EXTENT, fill_in, state_extent, timed
from trexreport.analyzer.rules.ranking import in_order
from trexreport.analyzer.rules.rule import Rule
from trexreport.analyzer.rules.rule_place import RulePlace
from trexreport.analyzer.rules.savings import with_shares
from trexreport.analyzer.rules.severity import of_little_worth, settled
from trexreport.numbers import format_count, join_names

#: Rules that sum up layers that other rules may report for another reason.
_SUMMARIES = frozenset({"TRX205", "TRX305"})
#: Minimum part of the time of a summary for which it says that it is that of another finding.
_MIN_SHARED = 0.2
#: Rules on what layers take of memory.
_OF_MEMORY = frozenset({"TRX603"})
#: How many different values of the evidence a summary of several places lists.
_MAX_LISTED = 3
#: Rules of which what may be saved is not known where they state none, unless what they explain saves more
#: than this part of their layers' time: that of few reformats beside a plugin is little of it.
_NOT_ESTIMATED, _MUCH = frozenset({"TRX903"}), 0.5
#: How a rule's text begins that says why.
_WITHOUT_ESTIMATE = "Not estimated"
#: Rules whose places are of different kinds, each with a recommendation of its own among its evidence.
_ADVISED_BY_PLACE = frozenset({"TRX825", "TRX907", "TRX917", "TRX921", "TRX926"})


def make_findings(places: Sequence[RulePlace], context: Context) -> list[Finding]:
    """Return a finding for each rule and severity with places that no other place explains, in order.

    Those on the engine come first, with two states of the times that differ much, then those on the
    measurement and its files; before all that the times may be those of a first run. Of each come errors
    without savings, then the largest savings. Where savings are not estimated, a third of the time of the
    layers counts in their place, and a tenth of those that may be as fast as they can be; Myelin regions and
    plugins come after large savings. Information counts a third, unless it states where most of the time
    goes. Without times the share of the layers, with those of the consequences, of the engine's work counts:
    of roofline time, else of bytes or operations, else their number. Options of build and run come before
    another precision of the same layers, and faults before a quantization that may save little more.
    """
    cause_of = causes_of(places, context)
    judged = settled(places, cause_of, context)
    if little := of_little_worth(judged, cause_of, context):
        # What else they explain in part has another cause now, or none.
        return make_findings([each for index, each in enumerate(places) if index not in little], context)
    places = judged
    explained = group_by(cause_of, lambda index: cause_of[index].first)
    causes = [index for index in range(len(places)) if index not in cause_of]
    groups = group_by(causes, lambda index: _key(places[index]))
    in_part = {index for index, cause in cause_of.items() if cause.in_part}
    apart = in_part | {index for index, cause in cause_of.items() if cause.is_shared}
    for index in (index for index, cause in cause_of.items() if cause.is_replaced):
        places[index] = _saved_with_cause(places[index], places[cause_of[index].first])
    found = [_finding(members, places, explained, (in_part, apart), context) for members in groups.values()]
    return [
        _with_shared_time(finding, found, context) if finding.code in _SUMMARIES else finding
        for finding in in_order(found, context)
    ]


def _with_shared_time(finding: Finding, others: Iterable[Finding], context: Context) -> Finding:
    """Return a summary that names the findings with much of its time, as the two do not add up."""
    shared: dict[str, float] = {}
    own = set(finding.layers)
    for other in others:
        if other.code == finding.code or other.gain is None:
            continue
        both = own.intersection(other.layers)
        if (time_ms := context.time_of(both)) >= _MIN_SHARED * (finding.time_ms or math.inf):
            shared[other.code] = max(shared.get(other.code, 0.0), time_ms)
    if not shared:
        return finding
    codes = join_names(sorted(shared, key=lambda code: -shared[code]))
    return dataclasses.replace(finding, message=f"{finding.message} In part the same time as {codes}.")


def _saved_with_cause(each: RulePlace, cause: RulePlace) -> RulePlace:
    """Return a place whose layers a cause's remedy replaces.

    What the remedy saves of a layer is known where the cause states it. Of others nothing is certain where
    nothing of the cause is.
    """
    gain, remedy = each.place.gain, cause.place.gain
    if gain is None or not gain.parts:
        return each
    stated = {part.layer for part in remedy.parts} if remedy is not None else set()
    parts = [part for part in gain.parts if part.layer not in stated]
    if not parts:
        return dataclasses.replace(each, place=dataclasses.replace(each.place, gain=None))
    if remedy is None or not remedy.low_ms:
        parts = [dataclasses.replace(part, low_ms=0.0) for part in parts]
    if parts == gain.parts:
        return each
    low, high = (
        math.fsum(figures) for figures in zip(*((part.low_ms, part.high_ms) for part in parts), strict=True)
    )
    gain = Gain("estimate" if low < high else gain.kind, low, high, gain.bases, parts)
    return dataclasses.replace(each, place=dataclasses.replace(each.place, gain=gain))


def _key(each: RulePlace) -> tuple[str, Severity]:
    return each.rule.code, each.severity


def _ranking_ms(item: Finding | Place) -> float:
    return item.gain.ranking_ms if item.gain else 0.0


def _place_rank(place: Place, context: Context) -> tuple[float, bool, float, Sequence[int]]:
    time_ms = context.time_of(place.layers)
    return -_ranking_ms(place), bool(place.layers), -time_ms, place.layers[:1]


def _finding(
    members: Iterable[int],
    places: Sequence[RulePlace],
    explained: Mapping[int, Sequence[int]],
    parts: tuple[Container[int], Container[int]],
    context: Context,
) -> Finding:
    in_part, apart = parts
    rule, severity = places[next(iter(members))].rule, places[next(iter(members))].severity
    whole = {}
    for index in members:
        # Only a part of what a summary sums up belongs to this cause, and a single small place is none of it.
        also = [
            places[other].place
            for other in explained.get(index, ())
            if other not in apart and rule.explains.get(places[other].rule.code) != "single"
        ]
        is_known = places[index].place.gain is not None or rule.code not in _NOT_ESTIMATED
        is_known = is_known or _is_mostly(also, places[index].place, context)
        whole[index] = _with_savings_of(places[index], also if is_known else (), context)
    order = sorted(whole, key=lambda index: _place_rank(whole[index], context))
    own = [whole[index] for index in order]
    consequences = [
        (other, number) for number, index in enumerate(order) for other in explained.get(index, ())
    ]
    of_rules = group_by(consequences, lambda pair: _key(places[pair[0]]))
    summary = _summary(rule, severity, own, context)
    stated = {label for place in own for label in place.evidence}
    advice = Advice(context, [context.layers[layer] for layer in summary["layers"]], stated)
    gain = _gain(own, context)
    return Finding(
        **summary,
        about="measurement" if _is_about_run(rule, severity, gain, context) else "engine",
        section=rule.section,
        gain=gain,
        savings=_savings_text(advice.fitted(rule.savings), gain),
        cost=advice.fitted(rule.cost),
        recommendation=_recommendation(rule, own, advice),
        false_alarm=advice.fitted(rule.false_alarm),
        consequences=sorted(
            (_consequence(pairs, places, in_part, context) for pairs in of_rules.values()),
            key=lambda each: (SEVERITIES.index(each.severity), -(each.time_ms or 0.0), each.code),
        ),
    )


def _is_mostly(also: Sequence[Place], own: Place, context: Context) -> bool:
    """Return whether what a place explains saves a good part of the time of its own layers, or more."""
    gain = add([each.gain for each in also if each.gain is not None], context.savable_ms, context.query_ms)
    own_ms = context.time_ms(context.layers[layer] for layer in own.layers)
    return gain is not None and gain.high_ms > _MUCH * context.gpu_part * own_ms


def _recommendation(rule: Rule, places: Sequence[Place], advice: Advice) -> str:
    """Return what to do: what the rule says, or what its places say where these have nothing in common."""
    if rule.code not in _ADVISED_BY_PLACE:
        return fill_in_evidence(advice.fitted(rule.recommendation), _evidence(places))
    of_places = [text for place in places if (text := place.evidence.get("Recommendation"))]
    return " ".join(list(dict.fromkeys(of_places))[:_MAX_LISTED])


def _savings_text(text: str, gain: Gain | None) -> str:
    """Return what a rule says of its savings; those beside a finding that has none itself are of others."""
    begin, _, reason = text.partition(f"{_WITHOUT_ESTIMATE}:")
    if gain is None or begin or not reason:
        return text
    return f"Those of what it also resolves. By itself it is not estimated:{reason}"


def _is_about_run(rule: Rule, severity: Severity, gain: Gain | None, context: Context) -> bool:
    """Return whether findings of a rule concern the run or its files rather than the engine.

    Launches and transfers that limit the run do so in any other that launches and transfers as it does. What
    is wrong with another capture is about that one.
    """
    is_limit = severity != "info" and (
        rule.code in {"TRX805", "TRX825"} or (rule.code == "TRX806" and _is_most(gain, context))
    )
    return rule.section == "notes" or (rule.family == "measurement" and not is_limit)


def _is_most(gain: Gain | None, context: Context) -> bool:
    """Return whether savings are most of a query's time."""
    return gain is not None and gain.high_ms > context.query_ms / 2


def _consequence(
    pairs: Sequence[tuple[int, int]],
    places: Sequence[RulePlace],
    in_part: Container[int],
    context: Context,
) -> Consequence:
    """Return the places of one rule and severity, given with the numbers of the places that explain them."""
    found = [(places[index], cause) for index, cause in pairs]
    rule, severity = found[0][0].rule, found[0][0].severity
    return Consequence(
        **_summary(rule, severity, [_with_savings_of(each, (), context) for each, _ in found], context),
        causes=[cause for _, cause in found],
        in_part=any(index in in_part for index, _ in pairs),
    )


def _summary(rule: Rule, severity: Severity, places: list[Place], context: Context) -> dict[str, Any]:
    layers = sorted({layer for place in places for layer in place.layers})
    of_layers = [context.layers[layer] for layer in layers]
    measured = [layer for layer in of_layers if layer.avg_ms is not None]
    return {
        "code": rule.code,
        "name": rule.name,
        "severity": severity,
        "title": rule.title,
        "message": places[0].message if len(places) == 1 else _message(rule, places, of_layers, context),
        "places": places,
        "layers": layers,
        # A time says nothing of what takes memory.
        "time_ms": context.time_ms(measured) if measured and rule.code not in _OF_MEMORY else None,
    }


def _message(rule: Rule, places: Sequence[Place], layers: Sequence[LayerFacts], context: Context) -> str:
    """Return what several places have in common, with the values of the evidence that the rule asks for."""
    listed = _evidence(places)
    extent = state_extent(layers, context) if len(layers) > len(places) else timed(context, layers)
    return rule.many.format_map(listed | {"count": format_count(len(places)), "extent": extent})


def _evidence(places: Sequence[Place]) -> dict[str, str]:
    """Return by label the values of the evidence of several places."""
    values: dict[str, dict[str, None]] = {}
    for place in places:
        for label, text in place.evidence.items():
            values.setdefault(label, {})[text] = None
    return {label: join_names(list(texts)[:_MAX_LISTED], "or") for label, texts in values.items()}


def _with_savings_of(cause: RulePlace, others: Sequence[Place], context: Context) -> Place:
    """Return a place with the savings of all that it explains, no time twice, and with the layers of these.

    So no savings exceed the time of the layers beside which they stand.
    """
    place = cause.place
    if not others and _is_settled(place):
        return place
    known = [each.gain for each in (place, *others) if each.gain is not None]
    gain = union(known, context.savable_ms, context.query_ms)
    if gain is None:
        return place
    saving = (part.layer for part in gain.parts if part.high_ms > 0)
    layers = list(dict.fromkeys((*place.layers, *saving)))
    message = place.message
    if EXTENT in cause.message or not place.layers:
        message = fill_in(cause.message, [context.layers[layer] for layer in layers], context)
    gain = with_shares(context, gain)
    return Place(message, layers, gain, place.evidence, place.fingerprint)


def _is_settled(place: Place) -> bool:
    """Return whether a place states its savings as they are shown: of its own layers, with percentages."""
    gain = place.gain
    if gain is None or not gain.parts or gain.high_percent is None or not are_joined(gain.bases):
        return False
    return set(place.layers).issuperset([part.layer for part in gain.parts if part.high_ms > 0])


def _gain(places: Sequence[Place], context: Context) -> Gain | None:
    """Return the sum of the places' savings; what is not known of a place makes it an estimate."""
    known = [place.gain for place in places if place.gain is not None]
    gain = add(known, context.savable_ms, context.query_ms)
    if gain is None:
        return None
    if len(known) < len(places):
        gain = dataclasses.replace(gain, kind="estimate", bases=[*gain.bases, GainBasis("partial")])
    return with_shares(context, gain)
