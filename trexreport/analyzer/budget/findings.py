"""How much the rules found, where a budget limits that."""

from __future__ import annotations

from collections.abc import Sequence

from trexreport.analyzer.analysis import SEVERITIES, Analysis, Finding, UncheckedRule
from trexreport.analyzer.analysis.budget import LimitReason, MetricReason
from trexreport.analyzer.analysis.findings import Consequence, with_consequences
from trexreport.analyzer.budget.figures import slowest_names
from trexreport.analyzer.budget.limits import Limit, MetricValue
from trexreport.analyzer.rules.needs import NEEDS, NO_EXPORT, NO_LAYER_INFORMATION, NOT_EXPORTED
from trexreport.analyzer.rules.rule import Rule
from trexreport.analyzer.rules.settings import LintSettings, selects

#: Why a rule is skipped whose file every capture has: layer information, times of layers and of queries.
_FILES_MISSING = frozenset(
    (
        NO_LAYER_INFORMATION,
        NOT_EXPORTED,
        NO_EXPORT,
        *(NEEDS[need] for need in ("layers", "profile", "end-to-end", "queries")),
    )
)


def count_findings(
    limit: Limit, analysis: Analysis, rules: Sequence[Rule], settings: LintSettings, *, places: bool = False
) -> MetricValue:
    """Return how many findings, or places of them, a severity or a choice of rules has.

    What other findings explain counts where places or rules are limited, not among those of a severity.

    What a rule would have found is not known if it broke or lacks one of the files that every capture has,
    whatever its severity: what it finds may be more severe than usual. Of a rule that is named here it is not
    known either if it lacks anything else, or if the configuration leaves it out.

    Args:
        limit: Its key is a severity; or a code, start of a code, name or family.
        analysis: With the findings.
        rules: All that are installed.
        settings: With which they ran.
        places: Count the places, not the findings.
    """
    key, everything = limit.key, list(with_consequences(analysis.lint.findings))
    if key in SEVERITIES:
        found = [each for each in (everything if places else analysis.lint.findings) if each.severity == key]
        silent = _silent([each for each in analysis.lint.unchecked if _is_essential(each)])
        others = sum(not _is_essential(each) for each in analysis.lint.unchecked)
    else:
        meant = [rule for rule in rules if selects(key, rule)]
        codes = {rule.code for rule in meant}
        severities = SEVERITIES[: SEVERITIES.index(limit.severity) + 1]
        found = [each for each in everything if each.code in codes and each.severity in severities]
        left_out = [rule.code for rule in meant if not settings.wants(rule)]
        silent = [
            *_silent([each for each in analysis.lint.unchecked if each.code in codes]),
            *([MetricReason("rules-left-out", names=left_out)] if left_out else []),
        ]
        others = 0
    number = sum(len(each.places) for each in found) if places else len(found)
    remarks = [
        *([MetricReason("found-by", names=_codes(found))] if found else []),
        *([MetricReason("rules-without-rare-inputs", others)] if others else []),
    ]
    return MetricValue(number, silent, remarks, _layers(analysis, found))


def _is_essential(rule: UncheckedRule) -> bool:
    """Return whether a rule was not checked because it lacks what every capture has, or broke."""
    return rule.why == "broken" or rule.reason in _FILES_MISSING


def _silent(silent: Sequence[UncheckedRule]) -> list[LimitReason]:
    """Return the rules that could not run; of a single one also why."""
    if not silent:
        return []
    if len(silent) == 1:
        return [MetricReason("rule-not-run", 1, names=(silent[0].code, silent[0].reason))]
    return [MetricReason("rules-not-run", len(silent), names=[each.code for each in silent])]


def _codes(found: Sequence[Finding | Consequence]) -> list[str]:
    return list(dict.fromkeys(each.code for each in found))


def _layers(analysis: Analysis, found: Sequence[Finding | Consequence]) -> list[str]:
    indices = dict.fromkeys(index for each in found for index in each.layers)
    return slowest_names(analysis.layers[index] for index in indices)
