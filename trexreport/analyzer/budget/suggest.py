"""Suggest limits that an engine keeps today, to begin with."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

from trexreport.analyzer.analysis import SEVERITIES
from trexreport.analyzer.analysis.budget import LimitBound, LimitReason, MetricReason, SuggestedLimit
from trexreport.analyzer.analysis.phases import PhasesFacts
from trexreport.analyzer.budget.figures import FIGURES, ZERO_BY_DEFAULT, Checked, Figure
from trexreport.analyzer.budget.findings import count_findings
from trexreport.analyzer.budget.limits import Limit, unless_contradicted
from trexreport.analyzer.budget.regression import TIME
from trexreport.analyzer.rules import LintSettings, Rule
from trexreport.regex import regex

#: How much worse than today a time or a size may become.
SPARE_PERCENT = 5
_REGRESSION_PERCENT = 2
_DIGITS = 3
_BARE_KEY = regex(r"[A-Za-z0-9_-]+", re.ASCII)
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
        # Contradictions and failures are limited to none anyway.
        if figure.unit != _LEFT_OUT and key not in ZERO_BY_DEFAULT:
            known = unless_contradicted(figure.known(checked), figure.rests_on, checked[1])
            value = None if known.missing or known.value is None else _with_spare(known.value, figure)
            found.append(SuggestedLimit("budget", key, value, known.missing))
    for severity in SEVERITIES[:2]:
        counted = count_findings(Limit(severity, 0), checked[1], rules, settings or LintSettings())
        value = None if counted.missing else counted.value
        found.append(SuggestedLimit("budget.findings", severity, value, counted.missing))
    return [*found, SuggestedLimit("budget.regression", TIME, _REGRESSION_PERCENT)]


def suggest_total(together: PhasesFacts, left_out: Sequence[str]) -> list[SuggestedLimit]:
    """Return a limit on what the phases of a set take together.

    Args:
        together: What they take.
        left_out: Phases of the set that are not among them.
    """
    missing: list[LimitReason] = [MetricReason("phases-left-out", names=left_out)] if left_out else []
    uncounted = [phase.name for phase in together.phases if phase.times is None]
    if uncounted:
        missing.append(MetricReason("no-count-of-phases", names=uncounted))
    elif together.total_ms is None:
        missing.append(MetricReason("no-time-of-all-phases"))
    value = None if missing or together.total_ms is None else _spared(together.total_ms, "max")
    return [SuggestedLimit("budget.total", "time-ms", value, missing)]


def in_phase(table: str, phase: str) -> str:
    """Return the heading of a phase's own table: "budget.findings" as "budget.phase.decode.findings"."""
    if _BARE_KEY.fullmatch(phase):
        return f"budget.phase.{phase}{table.removeprefix('budget')}"
    # TOML escapes as JSON does, but for what is not a character and for one that JSON leaves as it is.
    whole = phase.encode("utf-8", "replace").decode("utf-8")
    key = json.dumps(whole, ensure_ascii=False).replace("\x7f", "\\u007f")
    return f"budget.phase.{key}{table.removeprefix('budget')}"


def _with_spare(value: float, figure: Figure) -> float:
    """Return a limit of a few digits on the far side of the value; counts stay as they are."""
    return _spared(value, figure.bound) if figure.unit else value


def _spared(value: float, bound: LimitBound) -> float:
    sign, rounding = (1, ROUND_CEILING) if bound == "max" else (-1, ROUND_FLOOR)
    exact = Decimal(repr(float(value))) * (100 + sign * SPARE_PERCENT) / 100
    if not exact:
        return 0
    rounded = exact.quantize(Decimal(1).scaleb(exact.adjusted() - _DIGITS + 1), rounding=rounding)
    return int(rounded) if rounded == rounded.to_integral_value() else float(rounded)
