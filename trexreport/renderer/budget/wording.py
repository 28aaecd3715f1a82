"""How all formats word the limits of a budget and what came of them."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from numbers import Integral

from trexreport.analyzer.analysis import Identity
from trexreport.analyzer.analysis.budget import BROKEN, HELD, OFF, UNKNOWN, BudgetCheck, LimitOutcome
from trexreport.numbers import (
    counted,
    format_count,
    format_fixed,
    format_number,
    format_percent,
    is_measured,
    middle_ellipsis,
    with_unit,
)
from trexreport.visible import one_line

#: Long enough for a name, too short to hide what stands beside it.
_NAME_WIDTH = 160
_MOST_NAMES = 3
_MOST_DIGITS = 17
#: What fails stands first, then what warns; then what holds, and what was not looked at.
_RANKS = {"error": 0, "warn": 1}
_STATES = (BROKEN, UNKNOWN, HELD, OFF)
_BOUNDS = {"max": ("at most", "allowed"), "min": ("at least", "asked for")}


def in_order(check: BudgetCheck) -> list[LimitOutcome]:
    """Return the outcomes, the gravest first."""
    return sorted(
        check.outcomes,
        key=lambda outcome: (_RANKS.get(outcome.severity, len(_RANKS)), _STATES.index(outcome.state)),
    )


def headline(engine: Identity) -> str:
    """Return what an engine is, on one line."""
    version = engine.tensorrt_version and f"TensorRT {engine.tensorrt_version}"
    return one_line(" · ".join(part for part in (engine.name, engine.gpu, version) if part))


def sum_up(check: BudgetCheck) -> str:
    """Return in one line whether the budget is kept, and how many limits are how."""
    number = Counter((outcome.state, outcome.severity == "warn") for outcome in check.outcomes)
    held, warn = number[HELD, False], number[BROKEN, True]
    of = len(check.outcomes)
    holds = _verb(1 if of == 1 else held, "hold")
    parts = [f"{format_count(held)} of {counted(of, 'limit')} {holds}"]
    for count, what in (
        (number[BROKEN, False], "broken"),
        (warn, f"broken and only {_verb(warn, 'warn')}"),
        (check.counts[UNKNOWN], "not known"),
        (check.counts[OFF], "off"),
    ):
        if count:
            parts.append(f"{format_count(count)} {'is' if count == 1 else 'are'} {what}")
    return one_line(f"The budget is {'broken' if check.failed else 'kept'}: {', '.join(parts)}.")


def state_of(outcome: LimitOutcome) -> str:
    """Return in a few words what came of a limit, and what follows if that is not what one expects."""
    if outcome.state == BROKEN:
        return "broken" if outcome.severity == "error" else "broken, only warns"
    if outcome.state == UNKNOWN:
        return {"error": "not known, fails", "warn": "not known"}.get(outcome.severity, "not known, allowed")
    return "holds" if outcome.state == HELD else "off"


def allowed(outcome: LimitOutcome) -> str:
    """Return the limit exactly as it was written: "at most 12 ms"."""
    limit = outcome.limit
    if isinstance(limit, Integral):
        number = format_count(limit)
    else:
        exponent = Decimal(repr(limit)).as_tuple().exponent
        number = format_fixed(limit, max(0, -exponent) if isinstance(exponent, int) else 0)
    return one_line(f"{_BOUNDS[outcome.bound][0]} {with_unit(number, outcome.unit)}")


def amount(outcome: LimitOutcome) -> str:
    """Return the value with as many digits as show on which side of the limit it is."""
    value = outcome.value
    if value is None or not is_measured(value):
        return "not known"
    number = format_number(value, _digits(value, outcome.limit))
    sign = "+" if outcome.unit == "%" and _is_growth(outcome) and value > 0 else ""
    shown = with_unit(f"{sign}{number}", outcome.unit)
    return one_line(f"at least {shown}" if outcome.at_least else shown)


def margin(outcome: LimitOutcome) -> str:
    """Return how far the value is from the limit; empty where that says nothing."""
    value, limit = outcome.value, outcome.limit
    if value is None or not limit or outcome.state not in (HELD, BROKEN) or _is_growth(outcome):
        return ""
    if value == limit:
        return "at the limit"
    share = format_percent(abs(value - limit) / limit)
    if outcome.state == HELD:
        return one_line(f"{share} left")
    return one_line(f"{share} {'over' if outcome.bound == 'max' else 'short'}")


def sentence(outcome: LimitOutcome) -> str:
    """Return limit, value and what is to be said of them, on one line."""
    found = f"{short(outcome.title)}: {amount(outcome)}; {allowed(outcome)} is {_BOUNDS[outcome.bound][1]}."
    return one_line(" ".join(filter(None, (found, outcome.reason))))


def layer_names(outcome: LimitOutcome, width: int = _NAME_WIDTH) -> list[str]:
    """Return the first layers that are meant, shortened."""
    return [short(name, width) or "(no name)" for name in outcome.layers[:_MOST_NAMES]]


def short(name: str, width: int = _NAME_WIDTH) -> str:
    """Return a name on one line, shortened in its middle."""
    return middle_ellipsis(one_line(name), width)


def _is_growth(outcome: LimitOutcome) -> bool:
    """Tell whether the value is a difference, of which zero is no bound."""
    return outcome.group == "regression" or outcome.id.endswith(".regression-percent")


def _digits(value: float, limit: float) -> int:
    for digits in range(3, _MOST_DIGITS):
        rounded = float(f"{value:.{digits - 1}e}")
        if (rounded > limit) == (value > limit) and (rounded < limit) == (value < limit):
            return digits
    return _MOST_DIGITS


def _verb(number: int, verb: str) -> str:
    return f"{verb}s" if number == 1 else verb
