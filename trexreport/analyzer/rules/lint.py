"""Run the rules on an analysis and rank what they find."""

from __future__ import annotations

import contextlib
import hashlib
import sys
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from trexreport.analyzer.analysis import Analysis, Finding, Lint, Place, Severity, UncheckedRule
from trexreport.analyzer.analysis.findings import SuppressedPlace
from trexreport.analyzer.grouping import group_by
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.findings import make_findings
from trexreport.analyzer.rules.first_run import follows_from_first_run
from trexreport.analyzer.rules.needs import NEEDS, NO_ENGINE, NO_EXPORT, NO_LAYER_INFORMATION, NOT_EXPORTED
from trexreport.analyzer.rules.phrases import fill_in
from trexreport.analyzer.rules.possible import possible
from trexreport.analyzer.rules.registry import Registry, error_text
from trexreport.analyzer.rules.rest import reported_elsewhere, with_parts
from trexreport.analyzer.rules.rule import Hit, Rule
from trexreport.analyzer.rules.rule_place import RulePlace
from trexreport.analyzer.rules.settings import LintSettings, Suppression, selects
from trexreport.model.commands import builds_detailed
from trexreport.numbers import list_names

_MAX_ORIGINS = 3
#: Rules on a run that left no engine: why it failed, whether its files are wrong, and what its options and
#: the log of its build show of the next build; what makes an engine faster comes later.
_OF_FAILED_RUNS = frozenset(
    {"TRX906", "TRX907", "TRX908", "TRX909", "TRX921"}
    | {"TRX410", "TRX416", "TRX421", "TRX707", "TRX813", "TRX905", "TRX922"}
)


def lint(
    analysis: Analysis,
    registry: Registry,
    settings: LintSettings | None = None,
    *,
    with_advice: bool = True,
) -> Lint:
    """Return what the rules find in an analysis; its `lint` is not used.

    A rule that raises is reported as broken; the others still run.

    Args:
        analysis: The engine.
        registry: The rules, and which packages failed to load.
        settings: What the configuration and options change; the defaults if None.
        with_advice: State why and what to do about each finding, not only which there are.

    Returns:
        Findings by rank, suppressed places, and the rules that did not run.
    """
    settings = settings or LintSettings()
    context = Context(analysis, gives_advice=with_advice)
    places: list[RulePlace] = []
    unchecked: list[UncheckedRule] = []
    checked = 0
    suppressions = _Suppressions(settings)
    # What a rule prints must not mix with the findings.
    with contextlib.redirect_stdout(sys.stderr):
        for rule in registry.rules:
            if not settings.wants(rule):
                continue
            if reason := _missing(rule, context) or _unasked(rule, settings):
                unchecked.append(UncheckedRule(rule.code, rule.name, "skipped", reason))
                continue
            try:
                found = _checked(rule, context, settings, suppressions)
            except KeyboardInterrupt:
                raise
            except BaseException as error:  # noqa: BLE001 - one rule must not cost the report or end the program
                unchecked.append(_broken(rule, error))
                continue
            checked += 1
            places += found
    findings, broken = _findings(places, context)
    with contextlib.redirect_stdout(sys.stderr):
        if rest := _without_reported(places, findings, context, settings, suppressions):
            findings, broken = _findings(rest, context)
    order = {rule.code: number for number, rule in enumerate(registry.rules)}
    unchecked = sorted([*unchecked, *broken], key=lambda each: order[each.code])
    unused = suppressions.unused(registry.rules, {each.code for each in unchecked})
    return Lint(
        findings=with_parts(findings),
        suppressed=suppressions.suppressed,
        unchecked=unchecked,
        remarks=[*registry.failures, *unused],
        checked=checked - len(broken),
    )


def _checked(
    rule: Rule, context: Context, settings: LintSettings, suppressions: _Suppressions
) -> list[RulePlace]:
    """Return the places that a rule finds, and that are not suppressed."""
    hits = list(rule.check(context, **_thresholds(rule, settings)))
    return _places(rule, hits, context, settings, suppressions)


def _without_reported(
    places: Sequence[RulePlace],
    findings: Sequence[Finding],
    context: Context,
    settings: LintSettings,
    suppressions: _Suppressions,
) -> list[RulePlace]:
    """Return all places with those of sums without what other findings report; empty if nothing changes."""
    changed = list(places)
    for rule in {each.rule.code: each.rule for each in places if each.rule.rest_of}.values():
        if reported := reported_elsewhere(rule, places, findings):
            context.reported = reported
            rest = [each for each in changed if each.rule.code != rule.code]
            changed = [*rest, *_checked(rule, context, settings, suppressions)]
            context.reported = frozenset()
    return [] if changed == list(places) else changed


def _findings(
    places: Sequence[RulePlace], context: Context
) -> tuple[Sequence[Finding], Sequence[UncheckedRule]]:
    """Return the findings, and the rules whose texts for them raise, which have none."""
    # Of places that replace each other the first one is the cause, whatever the order of the rules.
    places = sorted(places, key=lambda each: each.rule.code)
    try:
        return make_findings(places, context), []
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001 - see `lint`
        by_rule = group_by(places, lambda each: each.rule.code).values()
        broken = [each for each in (_unspoken(of_rule, context) for of_rule in by_rule) if each]
    codes = {each.code for each in broken}
    return make_findings([each for each in places if each.rule.code not in codes], context), broken


def _unspoken(places: Sequence[RulePlace], context: Context) -> UncheckedRule | None:
    """Return the rule of places if its texts raise where findings are made of these alone."""
    try:
        make_findings(places, context)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - see `lint`
        return _broken(places[0].rule, error)
    return None


def _broken(rule: Rule, error: BaseException) -> UncheckedRule:
    return UncheckedRule(rule.code, rule.name, "broken", f"The rule raised {error_text(error)}.")


def _missing(rule: Rule, context: Context) -> str:
    """Return why a rule cannot run, or an empty text."""
    is_own = rule.code.startswith("TRX")
    if is_own and context.has_no_engine and rule.code not in _OF_FAILED_RUNS:
        return NO_ENGINE
    missing = next((need for need in rule.needs if not context.has(need)), None)
    if missing == "layers" and not context.has_layer_information:
        if context.exports_no_layers:
            return NO_EXPORT
        return NOT_EXPORTED if builds_detailed(context.analysis.commands) else NO_LAYER_INFORMATION
    return NEEDS[missing] if missing else ""


def _unasked(rule: Rule, settings: LintSettings) -> str:
    """Return why a rule does not run unasked, or an empty text."""
    return (
        f"It runs on request: --select {rule.code}."
        if rule.on_request and not settings.asks_for(rule)
        else ""
    )


def _thresholds(rule: Rule, settings: LintSettings) -> dict[str, float]:
    changed = settings.thresholds.get(rule.code, {})
    return {each.name: changed.get(each.name, each.default) for each in rule.thresholds}


def _places(
    rule: Rule, hits: Iterable[Hit], context: Context, settings: LintSettings, suppressions: _Suppressions
) -> list[RulePlace]:
    """Return a rule's hits that are not suppressed as places."""
    places: list[RulePlace] = []
    seen: dict[str, int] = {}
    for hit in hits:
        if follows_from_first_run(rule, hit, context):
            continue
        place = _place(rule, hit, context, seen)
        severity = settings.severities.get(rule.code) or hit.severity or rule.severity
        if not suppressions.take(rule, place, severity, context):
            affected = frozenset(layer.index for layer in (*hit.layers, *hit.affected))
            stated = rule.code in settings.severities, settings.asks_for(rule)
            places.append(RulePlace(rule, severity, place, affected, hit.message, *stated))
    return places


def _place(rule: Rule, hit: Hit, context: Context, seen: dict[str, int]) -> Place:
    # A layer that reads what it writes may be its own neighbor.
    layers = list(dict.fromkeys([layer.index for layer in hit.layers]))
    if layers and not 0 <= min(layers) <= max(layers) < len(context.layers):
        raise ValueError("the layers of a hit must be those of the context")
    gain = None
    takes_time = any(each.avg_ms for each in hit.layers) if layers else context.query_ms > 0
    if hit.gain is not None and takes_time:
        # Savings never exceed the time of the layers, and unmeasured layers save nothing.
        gain = possible(hit.gain, hit.layers, context)
        if gain.kind == "estimate" and not gain.high_ms:
            gain = None  # a range without extent says nothing
    identity = "\n".join([rule.code, *(layer.key for layer in hit.layers)])
    seen[identity] = seen.get(identity, 0) + 1
    digest = hashlib.sha256(f"{identity}\n{seen[identity]}".encode("utf-8", "surrogatepass"))
    return Place(
        message=fill_in(hit.message, [context.layers[layer] for layer in layers], context),
        layers=layers,
        gain=gain,
        # Untyped layers leave some of it empty.
        evidence={label: text for label, text in {**hit.evidence, **_origin(hit, context)}.items() if text},
        fingerprint=digest.hexdigest()[:16],
    )


def _origin(hit: Hit, context: Context) -> dict[str, str]:
    """Return the nodes and the source lines of a hit's layers, as far as the ONNX model states them."""
    model = context.analysis.onnx
    if model is None or not model.layer_nodes:
        return {}
    nodes = [(layer, model.nodes[index]) for layer in hit.layers for index in model.layer_nodes[layer.index]]
    # Most layers have the names of their nodes; generated kernels do not.
    names = dict.fromkeys(node.name for layer, node in nodes if node.name not in layer.name)
    sources = dict.fromkeys(node.source for _, node in nodes if node.source)
    found = {"nodes": list(names), "source": list(sources)}
    return {label: list_names(texts, _MAX_ORIGINS) for label, texts in found.items() if texts}


@dataclass
class _Suppressions:
    """The suppressions of the configuration, and which of them have suppressed a place."""

    settings: LintSettings
    suppressed: list[SuppressedPlace] = field(default_factory=list)
    used: set[int] = field(default_factory=set)

    def take(self, rule: Rule, place: Place, severity: Severity, context: Context) -> bool:
        """Return whether a place is suppressed, and record it if it is."""
        name = context.layers[place.layers[0]].name if place.layers else ""
        for number, each in enumerate(self.settings.suppressions):
            if selects(each.rule, rule) and each.fits_layer(name) and not self._has_expired(each):
                self.used.add(number)
                self.suppressed.append(SuppressedPlace(rule.code, severity, place, each.reason))
                return True
        return False

    def unused(self, rules: Sequence[Rule], unchecked: Collection[str]) -> list[str]:
        """Return a remark for each suppression that has expired or matches nothing although its rules ran.

        Args:
            rules: All rules.
            unchecked: Codes of those that did not run to their end.
        """
        remarks = []
        ran = [rule for rule in rules if self.settings.wants(rule)]
        for number, each in enumerate(self.settings.suppressions):
            meant = [rule for rule in ran if selects(each.rule, rule)]
            what = f"{each.position or 'A suppression'} of {each.rule}"
            what += f" in layers '{each.layers}'" if each.layers else ""
            if self._has_expired(each):
                remarks.append(f"{what} expired on {each.until}.")
            elif number not in self.used and meant and not all(rule.code in unchecked for rule in meant):
                remarks.append(f"{what} matches nothing; remove it.")
        return remarks

    def _has_expired(self, suppression: Suppression) -> bool:
        today = self.settings.today
        return today is not None and suppression.until is not None and suppression.until < today
