"""Suggest limits that an engine keeps today, to begin with."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

from trexreport.analyzer.analysis import SEVERITIES
from trexreport.analyzer.analysis.budget import SuggestedLimit
from trexreport.analyzer.budget.figures import CONTRADICTIONS, FIGURES, Checked, Figure
from trexreport.analyzer.budget.findings import count_findings
from trexreport.analyzer.budget.limits import Limit, unless_contradicted
from trexreport.analyzer.budget.regression import TIME
from trexreport.analyzer.rules import LintSettings, Rule

#: How much worse than today a time or a size may become.
SPARE_PERCENT = 5
_REGRESSION_PERCENT = 2
_DIGITS = 3
#: Shares change with whatever else becomes faster, and most follow from the counts beside them.
_LEFT_OUT = "%"


def suggest_limits(
    checked: Checked, rules: Sequence[Rule], settings: LintSettings | None = None
) -> list[SuggestedLimit]:
    """Return limits that an engine keeps: counts as they are, all else with `SPARE_PERCENT` to spare.

    Args:
        checked: The engine.
        rules: All that are installed.
        settings: With which they ran.
    """
    found = []
    for key, figure in FIGURES.items():
        # Contradictions are limited to none anyway.
        if figure.unit != _LEFT_OUT and key != CONTRADICTIONS:
            known = unless_contradicted(figure.known(checked), figure.rests_on, checked[1])
            value = None if known.missing or known.value is None else _with_spare(known.value, figure)
            found.append(SuggestedLimit("budget", key, value, known.missing))
    for severity in SEVERITIES[:2]:
        counted = count_findings(Limit(severity, 0), checked[1], rules, settings or LintSettings())
        value = None if counted.missing else counted.value
        found.append(SuggestedLimit("budget.findings", severity, value, counted.missing))
    return [*found, SuggestedLimit("budget.regression", TIME, _REGRESSION_PERCENT)]


def _with_spare(value: float, figure: Figure) -> float:
    """Return a limit of a few digits on the far side of the value; counts stay as they are."""
    if not figure.unit:
        return value
    sign, rounding = (1, ROUND_CEILING) if figure.bound == "max" else (-1, ROUND_FLOOR)
    exact = Decimal(repr(float(value))) * (100 + sign * SPARE_PERCENT) / 100
    if not exact:
        return 0
    rounded = exact.quantize(Decimal(1).scaleb(exact.adjusted() - _DIGITS + 1), rounding=rounding)
    return int(rounded) if rounded == rounded.to_integral_value() else float(rounded)
