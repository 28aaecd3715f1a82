"""Settle the severities of findings when all places are known.

A rule judges the kind of a problem, and its thresholds each place. What all places of a warning take, with
those that they explain, shows whether it is worth a warning in this engine. Without times many rules inform,
as the structure shows no cost; what is the cause of a warning is one.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from trexreport.analyzer.analysis import SEVERITIES, Severity
from trexreport.analyzer.grouping import group_by
from trexreport.analyzer.rules.causes import Cause
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.gains import add
from trexreport.analyzer.rules.rule_place import RulePlace

#: A warning about layers that together take, or save, less than this share, in percent, is information.
_WORTH_A_WARNING = 2.5
#: Information that saves less is not worth reading.
_WORTH_READING = 1.0
#: Rules that only say what takes time, however it comes about.
_OF_SHARES = frozenset({"TRX205", "TRX508"})


class _Worth(NamedTuple):
    """What the places of a rule, with what they explain, take of layer time and at most save, in percent.

    Attributes:
        savings_percent: Infinite unless all places state savings.
    """

    time_percent: float
    savings_percent: float


def of_little_worth(places: Sequence[RulePlace], cause_of: Mapping[int, Cause], context: Context) -> set[int]:
    """Return the indices of information that is known to save very little, and of what it explains.

    What the configuration asks for stays.

    Args:
        places: From `settled`.
        cause_of: From `causes_of`.
        context: The engine.
    """
    little: set[int] = set()
    for members, also, worth in _worth_of_rules(places, cause_of, context, "info"):
        is_asked_for = any(places[index].is_asked_for for index in members)
        if context.total_ms and worth.savings_percent < _WORTH_READING and not is_asked_for:
            little.update(members, (index for index in also if not cause_of[index].in_part))
    return little


def settled(places: Sequence[RulePlace], cause_of: Mapping[int, Cause], context: Context) -> list[RulePlace]:
    """Return places with those of warnings as information whose layers take or save too little time.

    What the configuration states stays, as do rules of other packages, those on the measurement, and places
    without measured layers. Where each layer was timed once, perhaps in the first run of all, what follows
    from shares of layer time alone informs, without savings. Without times the places of a rule become as
    severe as the most severe one that they explain; with times as the most severe one whose layers they
    replace, except those that only say what takes time.

    Args:
        places: Of all rules.
        cause_of: From `causes_of`.
        context: The engine.
    """
    if context.may_be_first_run:
        places = [_doubted(each) if _is_of_shares(each, context) else each for each in places]
    if not context.total_ms:
        return _by_consequences(places, cause_of)
    replaced = {
        index: cause
        for index, cause in cause_of.items()
        if cause.is_replaced and places[index].rule.code not in _OF_SHARES
    }
    return _by_consequences(_by_time(places, cause_of, context), replaced)


def _doubted(each: RulePlace) -> RulePlace:
    """Return a place as information without savings, unless the configuration states its severity."""
    place = dataclasses.replace(each.place, gain=None)
    return dataclasses.replace(each, severity="info" if _may_change(each) else each.severity, place=place)


def _is_of_shares(each: RulePlace, context: Context) -> bool:
    """Return whether a place follows from shares of layer time rather than from the structure."""
    if not each.place.layers or not each.rule.code.startswith("TRX"):
        return False
    return context.analysis.identity.names_only or each.rule.code in _OF_SHARES


def _by_consequences(places: Sequence[RulePlace], cause_of: Mapping[int, Cause]) -> list[RulePlace]:
    most_severe: dict[str, Severity] = {}
    for index, cause in cause_of.items():
        code = places[cause.first].rule.code
        most_severe[code] = min(most_severe.get(code, "info"), places[index].severity, key=SEVERITIES.index)
    return [
        each
        if index in cause_of or each.is_severity_stated
        else _at_least(each, most_severe.get(each.rule.code, "info"))
        for index, each in enumerate(places)
    ]


def _at_least(each: RulePlace, severity: Severity) -> RulePlace:
    """Return a place that is at least as severe."""
    if SEVERITIES.index(each.severity) <= SEVERITIES.index(severity):
        return each
    return dataclasses.replace(each, severity=severity)


def _by_time(places: Sequence[RulePlace], cause_of: Mapping[int, Cause], context: Context) -> list[RulePlace]:
    lowered: set[int] = set()
    for members, also, worth in _worth_of_rules(places, cause_of, context, "warning"):
        if worth.time_percent > 0 and min(worth.time_percent, worth.savings_percent) < _WORTH_A_WARNING:
            lowered.update(index for index in (*members, *also) if _may_change(places[index]))
    return [
        dataclasses.replace(each, severity="info") if index in lowered else each
        for index, each in enumerate(places)
    ]


def _worth_of_rules(
    places: Sequence[RulePlace], cause_of: Mapping[int, Cause], context: Context, severity: Severity
) -> Iterator[tuple[Sequence[int], Sequence[int], _Worth]]:
    """Yield of each rule its places of a severity that nothing explains, what they explain, and the worth.

    What a finding on the measurement explains is judged by itself, as that one is not judged, and so is what
    a less severe one replaces.
    """
    explained = group_by(cause_of, lambda index: cause_of[index].first)
    causes = [
        index
        for index, each in enumerate(places)
        if _is_judged(each, severity)
        and (index not in cause_of or _is_judged_apart(each, cause_of[index], places))
    ]
    for members in group_by(causes, lambda index: places[index].rule.code).values():
        also = [index for each in members for index in explained.get(each, ())]
        whole = [index for index in also if not cause_of[index].in_part]
        yield members, also, _worth([places[index] for index in (*members, *whole)], context)


def _is_judged_apart(each: RulePlace, cause: Cause, places: Sequence[RulePlace]) -> bool:
    first = places[cause.first]
    less_severe = SEVERITIES.index(first.severity) > SEVERITIES.index(each.severity)
    return first.rule.family == "measurement" or (cause.is_replaced and less_severe)


def _worth(places: Sequence[RulePlace], context: Context) -> _Worth:
    layers = {layer for each in places for layer in each.place.layers}
    time_percent = context.share_percent(context.time_of(layers))
    known = [each.place.gain for each in places if each.place.gain is not None]
    if not known or len(known) < len(places):
        return _Worth(time_percent, math.inf)
    saved = add(known, context.savable_ms, context.query_ms)
    return _Worth(time_percent, 100 * saved.high_ms / context.savings_of_ms if saved else math.inf)


def _may_change(each: RulePlace) -> bool:
    return _is_judged(each, "warning")


def _is_judged(each: RulePlace, severity: Severity) -> bool:
    is_own = each.rule.code.startswith("TRX") and each.rule.family != "measurement"
    return is_own and each.severity == severity and not each.is_severity_stated
