"""The findings as results of checks: a check for each rule, a result for each place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from trexreport.analyzer.analysis import Finding, Place, RuleFacts, as_json
from trexreport.analyzer.analysis.findings import SuppressedPlace
from trexreport.numbers import format_count
from trexreport.renderer.check_results.results import Annotation, Check, CheckResults, Result
from trexreport.renderer.findings.run import LintRun, layer_names, sentence, sum_up
from trexreport.renderer.findings.source_lines import SourcePaths
from trexreport.renderer.rule_pages import rule_markdown, rule_text
from trexreport.visible import visible
from trexreport.wording.findings import which_part
from trexreport.wording.json_sentences import members_and_sentences

_MAX_PLACES = 5


def lint_results(run: LintRun) -> CheckResults:
    """Return the outcome of the rules."""
    lint, paths = run.analysis.lint, SourcePaths(run.analysis)
    broken = (
        Annotation("warning", f"{each.code} is broken", (each.reason,)) for each in run.unchecked("broken")
    )
    return CheckResults(
        tool="trexreport",
        engine=run.analysis.identity,
        summary=sum_up(run),
        sources=run.analysis.sources,
        checks=tuple(_check(run, rule) for rule in run.rules),
        results=(
            *(
                _result(run, paths, each, place, consequences=_consequences(run, each, number))
                for each in lint.findings
                for number, place in enumerate(each.places)
            ),
            *(_result(run, paths, each, each.place, suppression=each.reason) for each in lint.suppressed),
        ),
        annotations=(*(_annotation(run, paths, finding) for finding in lint.findings), *broken),
        remarks=tuple(lint.remarks),
        unchecked=tuple(lint.unchecked),
    )


def _check(run: LintRun, rule: RuleFacts) -> Check:
    lint = run.analysis.lint
    failing = [finding for finding in run.findings_of(rule) if run.fails(finding)]
    output = [line for each in run.findings_of(rule) if each not in failing for line in _lines(run, each)]
    output += [
        f"Explained by {finding.code}: {each.message}"
        for finding in lint.findings
        for each in finding.consequences
        if each.code == rule.code
    ]
    output += [
        f"Suppressed: {each.reason}: {layer_names(run, each.place)}".rstrip(": ")
        for each in lint.suppressed
        if each.code == rule.code
    ]
    reasons = {each.why: each.reason or each.why for each in lint.unchecked if each.code == rule.code}
    return Check(
        id=rule.code,
        name=rule.name,
        title=f"{rule.code} {rule.title}",
        group=rule.family,
        description=rule.cost,
        help_text=rule_text(rule),
        help_markdown=rule_markdown(rule),
        level=rule.severity,
        failure=" ".join(map(sentence, failing)),
        failure_kind=failing[0].severity if failing else "",
        failure_details=tuple(line for finding in failing for line in _lines(run, finding)),
        skipped=reasons.get("skipped", ""),
        error=reasons.get("broken", ""),
        output=() if reasons else tuple(output),
    )


def _lines(run: LintRun, finding: Finding) -> list[str]:
    places = [
        f"- {layer_names(run, place, 3) or 'the whole engine'}{_source(place)}: {sentence(place)}"
        for place in finding.places
    ]
    return [
        f"{finding.severity}: {sentence(finding)}",
        *places,
        *(f"- also resolved: {which_part(each)} {each.message}" for each in finding.consequences),
        *filter(None, finding.recommendation.splitlines()),
    ]


def _source(place: Place) -> str:
    source = place.evidence.get("source")
    return f" ({source})" if source else ""


def _annotation(run: LintRun, paths: SourcePaths, finding: Finding) -> Annotation:
    texts = [sentence(finding)]
    texts += [
        f"- {layer_names(run, place)}{_source(place)}"
        for place in finding.places[:_MAX_PLACES]
        if place.layers
    ]
    if len(finding.places) > _MAX_PLACES:
        texts.append(f"- and {format_count(len(finding.places) - _MAX_PLACES)} more")
    texts += [
        f"Also resolved: {which_part(each)} {each.message}" for each in finding.consequences[:_MAX_PLACES]
    ]
    title = f"{finding.code} {finding.name}"
    first = next((lines for place in finding.places if (lines := paths.lines(place))), None)
    file, line = first[0] if first else ("", 0)
    return Annotation(finding.severity, title, (*texts, *finding.recommendation.split("\n")), file, line)


def _consequences(run: LintRun, finding: Finding, number: int) -> list[dict[str, str]]:
    """Return what the place with this number explains."""
    return [
        {"code": each.code, "message": visible(place.message), "layers": visible(layer_names(run, place))}
        for each in finding.consequences
        for place, cause in zip(each.places, each.causes, strict=True)
        if cause == number
    ]


def _result(
    run: LintRun,
    paths: SourcePaths,
    item: Finding | SuppressedPlace,
    place: Place,
    *,
    suppression: str | None = None,
    consequences: Sequence[Mapping[str, str]] = (),
) -> Result:
    percent = place.gain.ranking_percent if suppression is None and place.gain else None
    names = layer_names(run, place)
    return Result(
        check_id=item.code,
        level=item.severity,
        message=f"{names}: {sentence(place)}" if names else sentence(place),
        lines=tuple(paths.lines(place)),
        layers=tuple((layer.key, layer.name) for layer in run.layers(place)),
        fingerprint=place.fingerprint,
        suppression=suppression,
        rank=None if percent is None else min(100.0, percent),
        properties={
            "gain": as_json(place.gain, members_and_sentences),
            "evidence": {visible(label): visible(text) for label, text in place.evidence.items()},
            **({"consequences": consequences} if consequences else {}),
        },
    )
