"""Which findings one engine has and another does not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from operator import attrgetter

from trexreport.analyzer.analysis import SEVERITIES, Analysis, Finding, LayerFacts
from trexreport.analyzer.analysis.alignment import Alignment
from trexreport.analyzer.analysis.comparison import FindingChange
from trexreport.analyzer.analysis.failures import FAILED_RUN, has_no_engine
from trexreport.analyzer.analysis.findings import Consequence, with_consequences
from trexreport.analyzer.grouping import group_by

_LOOK, _LOOK_OF_USE = attrgetter("type", "precision", "tactic"), attrgetter("dimensions", "format")


def finding_changes(
    baseline: Analysis, candidate: Analysis, alike: tuple[frozenset[int], frozenset[int]]
) -> tuple[list[FindingChange], list[FindingChange]]:
    """Return the rules that find something only in the candidate, and those that do only in the baseline.

    Where one side has no engine, only its failure is new or resolved: of all else nothing is known.

    Args:
        baseline: The baseline.
        candidate: The other engine.
        alike: The layers of both that the other has alike.
    """
    new, resolved = _only_in(candidate, baseline, alike[1]), _only_in(baseline, candidate, alike[0])
    if has_no_engine(baseline) or has_no_engine(candidate):
        return [each for each in new if each.code == FAILED_RUN], [
            each for each in resolved if each.code == FAILED_RUN
        ]
    return new, resolved


def alike_layers(
    alignment: Alignment, analyses: Sequence[Analysis], engine: int
) -> tuple[frozenset[int], frozenset[int]]:
    """Return the layers of the baseline, and of an engine, that are the same in both but for their times."""
    found: tuple[set[int], set[int]] = set(), set()
    pair = alignment.baseline, engine
    for row in alignment.rows:
        one, other = ([*row.layers[at], *row.helpers[at]] for at in pair)
        if len(one) != len(other):
            continue
        looks, other_looks = (
            [_look(analyses[at].layers[index]) for index in side]
            for at, side in zip(pair, (one, other), strict=True)
        )
        # Most rows have one layer of each.
        if looks == other_looks or (len(one) > 1 and Counter(looks) == Counter(other_looks)):
            found[0].update(one)
            found[1].update(other)
    return frozenset(found[0]), frozenset(found[1])


def _look(layer: LayerFacts) -> tuple[object, ...]:
    return (*_LOOK(layer), *map(_LOOK_OF_USE, layer.inputs), None, *map(_LOOK_OF_USE, layer.outputs))


def _only_in(one: Analysis, other: Analysis, alike: frozenset[int]) -> list[FindingChange]:
    # What the configuration suppresses is not resolved, nor what has another cause now.
    elsewhere = {finding.code for finding in with_consequences(other.lint.findings)}
    elsewhere |= {place.code for place in other.lint.suppressed}
    unchecked = {rule.code for rule in other.lint.unchecked}
    # Of a finding that both have, what it explains may still be new; otherwise it is part of the finding.
    causes = [finding for finding in one.lint.findings if finding.code in elsewhere]
    found: dict[str, list[Finding | Consequence]] = group_by(
        [*one.lint.findings, *(each for cause in causes for each in cause.consequences)],
        lambda finding: finding.code,
    )
    return [
        _change(findings, checked=code not in unchecked and _would_show(findings, one, other))
        for code, findings in found.items()
        if code not in elsewhere and not _are_of_both(findings, alike)
    ]


def _are_of_both(findings: Sequence[Finding | Consequence], alike: frozenset[int]) -> bool:
    """Return whether all findings are of layers that both engines have alike.

    Then so are these, whatever else of one of the engines keeps a rule from reporting them.
    """
    layers = {layer for finding in findings for layer in finding.layers}
    return bool(layers) and layers <= alike


def _would_show(findings: Sequence[Finding | Consequence], one: Analysis, other: Analysis) -> bool:
    """Return whether the files of another engine would show what a rule found in one, if it were there too.

    Rules that need no certain file find what logs, times or names state.
    """
    if any(finding.layers for finding in findings):
        return bool(other.layers)
    return _is_of_files(findings[0]) or _evidence(one) <= _evidence(other)


def _is_of_files(finding: Finding | Consequence) -> bool:
    return isinstance(finding, Finding) and finding.section == "notes"


def _evidence(analysis: Analysis) -> set[str]:
    """Return the kinds of evidence that an engine's files have for what concerns no single layer."""
    latency = analysis.latency
    known = {
        "logs": any(source.role == "log" for source in analysis.sources),
        "queries": bool(latency.gpu_compute or latency.end_to_end),
        "layer times": latency.layer_sum_ms is not None,
    }
    return {name for name, is_known in known.items() if is_known}


def _change(findings: Sequence[Finding | Consequence], *, checked: bool) -> FindingChange:
    worst = min(findings, key=lambda finding: SEVERITIES.index(finding.severity))
    places = sum(len(finding.places) for finding in findings)
    return FindingChange(worst.code, worst.name, worst.severity, worst.title, worst.message, places, checked)
