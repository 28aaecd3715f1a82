"""The sentence about what the rules found, and the labels of a rule's texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from trexreport.analyzer.analysis import SEVERITIES, Analysis, Finding, Lint, RuleFacts
from trexreport.analyzer.analysis.findings import Consequence
from trexreport.numbers import counted, format_count, format_ms, middle_ellipsis
from trexreport.wording.gains import savings

#: Title of each group of findings, and what it is.
GROUP_TEXTS: dict[str, tuple[str, str]] = {
    "opportunities": (
        "Opportunities",
        "What can make the engine faster, the largest savings first; information counts a third.",
    ),
    "information": (
        "Information",
        "Good to know about the engine; as far as known, fixing these saves little or nothing.",
    ),
    "measurement": ("Measurement", "These findings concern the run and its files, not the engine."),
}


def findings_sentence(analysis: Analysis) -> str:
    """Return how many findings there are of each severity, and which has the largest savings."""
    lint = analysis.lint
    others = _unchecked(lint)
    if not lint.findings:
        checked = f"{counted(lint.checked, 'rule')} checked{others}"
        return f"{checked}; no findings." if lint.checked else f"No rule was checked{others}."
    return f"{_counts(lint)}; {counted(lint.checked, 'rule')} checked{others}.{_largest(lint)}"


def _unchecked(lint: Lint) -> str:
    """Return how many rules were not checked, in parentheses; empty if all were."""
    parts = [
        f"{counted(count, 'rule')} {verb}"
        for verb, why in (("skipped: input missing", "skipped"), ("failed", "broken"))
        if (count := sum(each.why == why for each in lint.unchecked))
    ]
    return f" ({', '.join(parts)})" if parts else ""


def _counts(lint: Lint) -> str:
    counts = Counter(finding.severity for finding in lint.findings if finding.about == "engine")
    kinds = [counted(counts[severity], severity) for severity in SEVERITIES[:2] if counts[severity]]
    if counts["info"]:
        kinds.append(f"{format_count(counts['info'])} for information")
    if count := sum(finding.about == "measurement" for finding in lint.findings):
        kinds.append(f"{format_count(count)} on the measurement")
    return ", ".join(kinds)


def _largest(lint: Lint) -> str:
    gains = [
        (finding.gain.ranking_ms, finding)
        for finding in lint.findings
        if finding.gain and finding.gain.ranking_ms
    ]
    if not gains:
        return ""
    _, largest = max(gains, key=lambda pair: pair[0])
    return f" Largest savings: {middle_ellipsis(largest.code, 40)}, {savings(largest.gain)}."


def on_measurement(findings: Iterable[Finding]) -> str:
    """Return what the findings on the measurement have in common; empty if there are none."""
    count = sum(finding.about == "measurement" for finding in findings)
    return f"{counted(count, 'finding')} on the run and its files, not on the engine." if count else ""


def consequence_lines(finding: Finding) -> list[str]:
    """Return what fixing a finding also resolves: code, message and time of each consequence."""
    return [f"{which_part(each)}: {each.message.rstrip('.')}{_time(each)}." for each in finding.consequences]


def which_part(consequence: Consequence) -> str:
    """Return the code of a consequence, and whether other findings explain a part of it."""
    return f"{consequence.code}{' (in part)' if consequence.in_part else ''}"


def _time(consequence: Consequence) -> str:
    # The message of a single place states the time itself.
    if len(consequence.places) == 1 or not consequence.time_ms:
        return ""
    text = format_ms(consequence.time_ms)
    return "" if text in consequence.message else f" ({text})"


def rule_texts(rule: RuleFacts | Finding) -> dict[str, str]:
    """Return label to text, for each text of a rule's documentation that is not empty."""
    texts = {
        "Cost": rule.cost,
        "Recommendation": rule.recommendation,
        "False alarm": rule.false_alarm,
        "Est. savings": rule.savings,
    }
    return {label: text for label, text in texts.items() if text}
