"""What is left of layers that a rule sums up, beside the findings of other rules."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from trexreport.analyzer.analysis import Finding
from trexreport.analyzer.analysis.findings import with_consequences
from trexreport.analyzer.rules.rule import Rule
from trexreport.analyzer.rules.rule_place import RulePlace


def reported_elsewhere(
    rule: Rule, places: Sequence[RulePlace], findings: Sequence[Finding]
) -> frozenset[int]:
    """Return the layers that a rule leaves out when it is asked again; empty if it reports none of them.

    Args:
        rule: That sums up layers; see `Rule.rest_of`.
        places: Of all rules.
        findings: What was made of these.
    """
    if rule.rest_of == "findings":
        own = {layer for each in places if each.rule.code == rule.code for layer in each.place.layers}
        others = {
            layer for each in with_consequences(findings) if each.code != rule.code for layer in each.layers
        }
    else:
        own = {layer for each in findings if each.code == rule.code for layer in each.layers}
        others = _with_savings(
            {each.rule.code for each in places if rule.code in each.rule.explains}, findings
        )
    return frozenset(others) if own & others else frozenset()


def with_parts(findings: Sequence[Finding]) -> list[Finding]:
    """Return findings of which a consequence is one in part where its rule also has a finding of its own."""
    own = {each.code for each in findings}
    return [
        dataclasses.replace(
            finding,
            consequences=[
                dataclasses.replace(each, in_part=each.in_part or each.code in own)
                for each in finding.consequences
            ],
        )
        if any(each.code in own for each in finding.consequences)
        else finding
        for finding in findings
    ]


def _with_savings(explaining: set[str], findings: Sequence[Finding]) -> set[int]:
    """Return the layers of which rules state savings."""
    # One without savings, such as that all kernels are short, says nothing of what these layers do.
    stated = (each for each in findings if _codes(each) & explaining and each.gain is not None)
    others = {layer for each in stated for layer in each.layers}
    # A consequence may state savings where its cause does not, as of reformats beside a plugin.
    beside = (other for each in findings for other in each.consequences if not other.in_part)
    others.update(
        layer
        for each in beside
        if each.code in explaining
        for place in each.places
        if place.gain is not None
        for layer in place.layers
    )
    return others


def _codes(finding: Finding) -> set[str]:
    """Return the codes of a finding and of what it explains whole."""
    return {finding.code, *(each.code for each in finding.consequences if not each.in_part)}
