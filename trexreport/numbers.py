"""How numbers and names are written: three significant digits, commas, a dash for what is missing.

`static/js/format/numbers.js` writes the same numbers in a page; `tests/number_vectors.json` holds both to one
rule.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Sequence
from decimal import ROUND_HALF_UP, Context, Decimal
from functools import cache, lru_cache
from numbers import Integral, Real
from typing import Any

MISSING = "\u2013"  # en dash
MINUS = "\u2212"
TIMES = "\u00d7"
UNIT_SPACE = "\u00a0"  # without a line break: between a number and its unit
ELLIPSIS = "\u2026"
#: Maximum number of characters of a layer's name in a message.
_LABEL_WIDTH = 44
#: Together no more digits than that, and one by which a tie has more.
_LARGEST_QUICK, _DECIMALS_QUICK = 1e9, 5
#: Up to each of these, three significant digits have 5, 4, 3, 2, 1 and no decimals.
_LEAST_OF_THREE, _ENDS_OF_THREE = 0.001, (0.009995, 0.09995, 0.9995, 9.995, 99.95, 999.5)
#: What is smaller is written as "<0.001": more decimals than any of our sources can resolve.
RESOLUTION = Decimal("0.001")
#: A difference below this part of the numbers that it is the difference of is rounding noise.
NOISE = 1e-9
#: From here on digits say nothing: "≥1,000,000,000,000,000".
LARGEST = 10**15
#: Digits enough for the whole of any float, from 1.8e308 down to its last binary place.
_PRECISE = Context(prec=1500)
#: How many numbers are remembered as written: a page has most in its charts, its tables and their tooltips.
_REMEMBERED = 4096
_BYTE_UNITS = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")
#: In which a size can be set, the largest first.
_LIMIT_UNITS = {"GiB": 2**30, "GB": 10**9, "MiB": 2**20, "MB": 10**6, "KiB": 2**10, "kB": 10**3}


def is_measured(value: Any) -> bool:
    """Return whether a value is a finite number: not None, NaN, infinite, a text or a truth value."""
    if type(value) is float:
        # Most are, and asking the abstract types of all others takes ten times as long.
        return math.isfinite(value)
    if type(value) is not int and (not isinstance(value, Real) or isinstance(value, bool)):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number beyond all floats
        return False


def format_number(value: float | None, digits: int = 3) -> str:
    """Write a number with significant digits in fixed notation, or "<0.001" below the resolution.

    Whole numbers by type (`int`) get no decimals; a missing or infinite value becomes an en dash.
    """
    # Most are remembered as floats.
    if type(value) is not float and (value is None or not is_measured(value)):
        return MISSING
    return _written(value, digits)


@lru_cache(maxsize=_REMEMBERED, typed=True)
def _written(value: float, digits: int) -> str:
    if value == 0:
        return "0"
    if type(value) is float:
        if not math.isfinite(value):
            return MISSING
        size = abs(value)
        if digits == 3 and _LEAST_OF_THREE < size < _ENDS_OF_THREE[-1]:
            decimals = 5 - bisect_left(_ENDS_OF_THREE, size)
            if _is_far_from_tie(size, decimals):
                text = f"{size:.{decimals}f}"
                return text if value > 0 else MINUS + text
    rounded = _round_significant(value, digits)
    if abs(rounded) >= LARGEST:
        return _beyond(is_negative=value < 0)
    if abs(rounded) < RESOLUTION:
        return _below(RESOLUTION, is_negative=value < 0)
    decimals = 0 if isinstance(value, Integral) else max(0, digits - 1 - rounded.adjusted())
    return _fixed(rounded, decimals)


def format_fixed(value: float | None, decimals: int) -> str:
    """Write a number with the given count of decimals, as a column or an axis of equal steps needs."""
    if type(value) is not float and (value is None or not is_measured(value)):
        return MISSING
    return _written_fixed(value, decimals)


@lru_cache(maxsize=_REMEMBERED, typed=True)
def _written_fixed(value: float, decimals: int) -> str:
    if type(value) is float and not math.isfinite(value):
        return MISSING
    if abs(value) >= LARGEST:
        return _beyond(is_negative=value < 0)
    is_short = decimals <= _DECIMALS_QUICK and 0 < value < _LARGEST_QUICK
    if is_short and type(value) is float and _is_no_tie(value):
        return f"{value:,.{decimals}f}"
    return _fixed(_exact(value), decimals)


def format_count(value: float | None) -> str:
    """Write a whole number exactly, with commas between thousands."""
    return format_fixed(value, 0)


def format_rate(value: float | None) -> str:
    """Write how many there are per second with four significant digits, everywhere alike."""
    return format_number(value, 4)


def counted(number: int, noun: str, plural: str = "") -> str:
    """Write a number before its noun: "1 layer", "3 layers", "2 queries"."""
    return f"{format_count(number)} {noun if number == 1 else plural or noun + 's'}"


def list_names(names: Sequence[str], most: int) -> str:
    """Return the first names, and how many more there are: "a, b and 3 more"."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {format_count(more)} more" if more > 0 else "")


def join_names(names: Sequence[str], word: str = "and") -> str:
    """Return all names: "a, b and c", or another word before the last; an empty text for none."""
    return f" {word} ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def format_ms(value: float | None) -> str:
    """Write a duration given in milliseconds, unit included."""
    return with_unit(format_number(value), "ms")


def format_percent(fraction: float | None) -> str:
    """Write a fraction of one (0.649) as a percentage ("64.9%"), with two decimals at most."""
    if type(fraction) is not float and (fraction is None or not is_measured(fraction)):
        return MISSING
    return format_percentage(float(fraction) * 100)


def format_percentage(percent: float | None) -> str:
    """Write a percentage (64.9) with its sign ("64.9%"), with two decimals at most."""
    if percent is None or not is_measured(percent):
        return MISSING
    if percent == 0:
        return "0%"
    if abs(percent) < 0.005:
        return _below(Decimal("0.01"), is_negative=percent < 0) + "%"
    return _written_percentage(percent)


@lru_cache(maxsize=_REMEMBERED, typed=True)
def _written_percentage(percent: float) -> str:
    if type(percent) is float and 0 < percent < _ENDS_OF_THREE[-1]:
        decimals = min(2, 5 - bisect_left(_ENDS_OF_THREE, percent))
        if _is_far_from_tie(percent, decimals):
            return f"{percent:.{decimals}f}%"
    exponent = _round_significant(percent, 3).adjusted()
    return format_fixed(percent, min(2, max(0, 2 - exponent))) + "%"


def format_bytes(value: float | None) -> str:
    """Write a size given in bytes in binary units (B, KiB, MiB, GiB), as trtexec does."""
    if value is None or not is_measured(value):
        return MISSING
    unit, divisor = byte_unit(abs(value))
    if divisor == 1:
        return with_unit(format_count(value), unit)
    return with_unit(format_number(value / divisor), unit)


def format_signed(value: float | None, write: Callable[[float], str] = format_number) -> str:
    """Write a difference with its sign: "+1.50", "−0.250", "0"; below the resolution "+<0.001" or "−<0.001".

    Args:
        value: The difference, None if it is not known.
        write: How its magnitude is written, such as `format_ms`.
    """
    if value is None or not is_measured(value):
        return MISSING
    text = write(abs(value))
    if value == 0 or text.startswith("≥"):
        return write(value)
    return ("+" if value > 0 else MINUS) + text


def format_shape(dimensions: Sequence[int]) -> str:
    """Write the extents of a tensor, an unknown one (-1) as "?"."""
    return TIMES.join("?" if extent < 0 else str(extent) for extent in dimensions) or "scalar"


def format_limit(value: int) -> str:
    """Write a size that a user set in the unit in which it is round: 900 kB rather than 879 KiB."""
    for unit, size in _LIMIT_UNITS.items():
        if value >= size and value * 100 % size == 0:
            return with_unit(f"{value / size:g}", unit)
    return with_unit(format_number(value, len(str(value))), "B")


def byte_unit(magnitude: float) -> tuple[str, int]:
    """Return the binary unit in which a size reads best, and how many bytes it has."""
    index = 0
    while magnitude >= 1024 ** (index + 1) and index < len(_BYTE_UNITS) - 1:
        index += 1
    return _BYTE_UNITS[index], 1024**index


def without_noise(difference: float, *operands: float) -> float:
    """Return a difference; 0.0 where it is rounding noise, below a billionth of the largest operand."""
    return 0.0 if abs(difference) <= NOISE * max(map(abs, operands)) else difference


def with_unit(number: str, unit: str) -> str:
    """Put a unit after a written number, but not after the dash of a missing one; "%" without a space."""
    if number == MISSING or not unit:
        return number
    return number + unit if unit == "%" else number + UNIT_SPACE + unit


def middle_ellipsis(text: str, width: int) -> str:
    """Shorten a text to the given length by leaving out its middle; names differ at their ends."""
    if len(text) <= width:
        return text
    if width <= 1:
        return ELLIPSIS[: max(width, 0)]
    head = width // 2
    tail = width - 1 - head
    return text[:head] + ELLIPSIS + (text[-tail:] if tail else "")


def layer_label(name: str) -> str:
    """Return a layer's name as messages show it: on one line, and short enough for a sentence."""
    text = " ".join(name.split())
    if len(text) <= _LABEL_WIDTH:
        return text
    head, _, tail = middle_ellipsis(text, _LABEL_WIDTH).partition(ELLIPSIS)
    # A torn "||" or "+" between nodes reads as a part of a name.
    head = head.rstrip(" |+") if head.rstrip()[-1:] in "|+" else head
    tail = tail.lstrip(" |+") if tail.lstrip()[:1] in "|+" else tail
    return f"{head}{ELLIPSIS}{tail}"


def _is_far_from_tie(size: float, decimals: int) -> bool:
    """Return whether a float below a thousand clearly rounds up or down, which is quick to say."""
    return abs(size * 10.0**decimals % 1.0 - 0.5) > 1e-6


def _is_no_tie(value: float) -> bool:
    """Return whether a float is not in the middle between two numbers of fewer digits: then all round alike.

    One that is, and has fewer than 16 digits, has an exact text that ends in 5. The text of a whole number
    ends in 0, and in one with an exponent the last character says nothing.
    """
    text = repr(value)
    return text[-1] not in "05" and "e" not in text


def _exact(value: float) -> Decimal:
    """Return the number that a float is, not the shortest text for it: JavaScript rounds this one too."""
    if type(value) is float:
        return Decimal(value)
    return Decimal(int(value)) if isinstance(value, Integral) else Decimal(float(value))


def _round_significant(value: float, digits: int) -> Decimal:
    exact = _exact(value)
    return _quantize(exact, exact.adjusted() - digits + 1)


def _quantize(value: Decimal, exponent: int) -> Decimal:
    """Round to a power of ten, halves away from zero as `Number.toFixed` and `toPrecision` do."""
    return value.quantize(_power_of_ten(exponent), rounding=ROUND_HALF_UP, context=_PRECISE)


@cache
def _power_of_ten(exponent: int) -> Decimal:
    return Decimal(1).scaleb(exponent)


def _fixed(value: Decimal, decimals: int) -> str:
    text = f"{_quantize(value, -decimals):f}"
    negative = text.startswith("-") and any(character in "123456789" for character in text)
    whole, _, fraction = text.lstrip("-").partition(".")
    grouped = f"{int(whole):,}"
    return (MINUS if negative else "") + grouped + ("." + fraction if fraction else "")


def _below(limit: Decimal | float, *, is_negative: bool) -> str:
    # Rather than what is larger than a negative number, which few read at once.
    return f"{MINUS}<{limit}" if is_negative else f"<{limit}"


def _beyond(*, is_negative: bool) -> str:
    return f"≤{MINUS}{LARGEST:,}" if is_negative else f"≥{LARGEST:,}"
