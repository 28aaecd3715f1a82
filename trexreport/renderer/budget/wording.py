"""The sentences about the limits of a budget that all formats share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from numbers import Integral

from trexreport.analyzer.analysis.budget import BROKEN, HELD, OFF, UNKNOWN, BudgetCheck, LimitOutcome
from trexreport.numbers import counted, format_count, format_fixed, format_percent, is_measured, with_unit
from trexreport.renderer.check_results.results import short_name
from trexreport.visible import one_line
from trexreport.wording.budget import limit_reason, limit_title

_MAX_DIGITS = 17
#: Failed limits come first, then warnings; then the limits that are met, and those that were not checked.
_RANKS = {"error": 0, "warn": 1}
_STATES = (BROKEN, UNKNOWN, HELD, OFF)
_SIGNS = {"max": "\u2264", "min": "\u2265"}


def in_order(outcomes: Sequence[LimitOutcome]) -> list[LimitOutcome]:
    """Return the outcomes, the most severe first."""
    return sorted(
        outcomes,
        key=lambda outcome: (_RANKS.get(outcome.severity, len(_RANKS)), _STATES.index(outcome.state)),
    )


def sum_up(check: BudgetCheck) -> str:
    """Return in one line whether the check passed, and how many limits passed, failed or are unknown."""
    return sum_up_outcomes(check.outcomes, failed=check.failed)


def sum_up_outcomes(outcomes: Sequence[LimitOutcome], *, failed: bool) -> str:
    """Return what `sum_up` does, of the limits of one engine or of several phases."""
    number = Counter((outcome.state, outcome.severity == "warn") for outcome in outcomes)
    states = Counter(outcome.state for outcome in outcomes)
    parts = [f"{format_count(number[HELD, False])} of {counted(len(outcomes), 'limit')} met"]
    for count, what in (
        (number[BROKEN, False], "failed"),
        (number[BROKEN, True], "failed (warning only)"),
        (states[UNKNOWN], "unknown"),
        (states[OFF], "off"),
    ):
        if count:
            parts.append(f"{format_count(count)} {what}")
    return one_line(f"Budget check {'failed' if failed else 'passed'}: {', '.join(parts)}.")


def state_text(outcome: LimitOutcome) -> str:
    """Return the result of a limit in a few words, and what follows where that is not expected."""
    if outcome.state == BROKEN:
        return "failed" if outcome.severity == "error" else "failed (warning only)"
    if outcome.state == UNKNOWN:
        return {"error": "unknown, fails", "warn": "unknown"}.get(outcome.severity, "unknown, allowed")
    return "met" if outcome.state == HELD else "off"


def limit_text(outcome: LimitOutcome) -> str:
    """Return the limit exactly as it was written: "≤ 12 ms"."""
    limit = outcome.limit
    if isinstance(limit, Integral):
        number = format_count(limit)
    else:
        exponent = Decimal(repr(limit)).as_tuple().exponent
        number = format_fixed(limit, max(0, -exponent) if isinstance(exponent, int) else 0)
    return one_line(f"{_SIGNS[outcome.bound]} {_with_unit(number, outcome)}")


def amount(outcome: LimitOutcome) -> str:
    """Return the value with as many digits as are needed to see on which side of the limit it is."""
    value = outcome.value
    if value is None or not is_measured(value):
        return "unknown"
    number = _number(value, _digits(value, outcome.limit))
    sign = "+" if outcome.unit == "%" and _is_growth(outcome) and value > 0 else ""
    shown = _with_unit(f"{sign}{number}", outcome)
    return one_line(f"{_SIGNS['min']} {shown}" if outcome.at_least else shown)


def margin(outcome: LimitOutcome) -> str:
    """Return how far the value is from the limit, in percent of the limit; empty where undefined."""
    value, limit = outcome.value, outcome.limit
    if value is None or not limit or outcome.state not in (HELD, BROKEN) or _is_growth(outcome):
        return ""
    if value == limit:
        return "at the limit"
    share = format_percent(abs(value - limit) / limit)
    if outcome.state == HELD:
        return f"{share} left"
    return f"{share} {'over' if outcome.bound == 'max' else 'short'}"


def sentence(outcome: LimitOutcome) -> str:
    """Return figure, value, limit and reason, on one line."""
    found = f"{short_name(limit_title(outcome))}: {amount(outcome)} (limit: {limit_text(outcome)})."
    return one_line(" ".join(filter(None, (found, limit_reason(outcome)))))


def _with_unit(number: str, outcome: LimitOutcome) -> str:
    return with_unit(number, {"queries/s": "qps"}.get(outcome.unit, outcome.unit))


def _is_growth(outcome: LimitOutcome) -> bool:
    """Return whether the value is a difference, which may be below zero."""
    return outcome.group == "regression" or outcome.id.endswith((".regression-percent", "total.time-percent"))


def _number(value: float, digits: int) -> str:
    """Return a number with the given significant digits, however small it is: a limit may be small too."""
    if isinstance(value, Integral):
        return format_count(value)
    exponent = int(f"{value:.{digits - 1}e}".partition("e")[2])
    return format_fixed(value, max(0, digits - 1 - exponent))


def _digits(value: float, limit: float) -> int:
    for digits in range(3, _MAX_DIGITS):
        rounded = float(f"{value:.{digits - 1}e}")
        if (rounded > limit) == (value > limit) and (rounded < limit) == (value < limit):
            return digits
    return _MAX_DIGITS
