"""Hold the figures of a profile against each other: average, sum, count and percentage of each layer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from statistics import median

from trexreport.lazy_dataclass import bulk_facts, dataclass
from trexreport.model import InputWarning, LayerTime
from trexreport.numbers import format_percent
from trexreport.reader.impossible import ImpossibleValues, quoted

#: trtexec writes 6 significant digits: a product of two is off by 1e-5 at most.
_TOLERANCE = 1e-4
_TOLERANCE_PERCENT = 0.01
#: Below, a percentage has too few digits to give the sum that it is of.
_LEAST_SHARE_PERCENT = 0.05


#: Averages of so few decimals are less exact than the sums, which are off by half of their last decimal.
_FEW_DECIMALS, _SUM_ERROR_MS = 3, 0.005
#: Medians of all layers over their averages: in all captures seen at most 1.003.
_MEDIANS = 1.2
#: To how many decimals numbers are looked at.
_MOST_DECIMALS = 6
#: A list this short may have one number alone with all decimals.
_FEW_NUMBERS = 9
#: Tables round times to this many decimals; no file has fewer.
_LEAST_DECIMALS = 2
#: How many of the largest percentages give the whole, and the part that rounding alone may leave out.
_MOST_LARGE, _LEAST_LACK = 20, 0.01
#: Parts of 1 in place of percentages add up to 1, but for rounding.
_FRACTION_ERROR = 0.005
#: A percentage of this many times its rounding states the whole; fewer may be the wrong ones.
_EXACT, _LEAST_EXACT = 50, 3


@dataclass(frozen=True)
class _Digits:
    """By how much the figures of a profile may be wrong, as they are rounded: percentages and times."""

    percent: float
    total_ms: float
    avg_ms: float


@bulk_facts
class ProfileRow:
    """One layer of the profile; `time` is None where the figures were no numbers."""

    name: str
    time: LayerTime | None


def check_rows(
    rows: Sequence[ProfileRow], iterations: int | None, found: ImpossibleValues, *, is_whole: bool
) -> tuple[tuple[ProfileRow, ...], int | None]:
    """Return the rows without times that their other figures contradict, and the count if the rows agree.

    An average is the sum divided by the count of iterations, a percentage is the share of the sums, and no
    median of times of at least 0 is more than twice their average; each as far as its digits show.

    Args:
        rows: What the file states.
        iterations: Its count.
        found: Gets what is refused.
        is_whole: Whether these are all rows, so that their percentages add up to 100.
    """
    timed = [row.time for row in rows if row.time is not None]
    if not timed:
        return tuple(rows), iterations
    if iterations is None and _are_of_one_iteration(timed):
        iterations = 1
    count = iterations or _ratio([(each.total_ms, each.avg_ms) for each in timed])
    shares = [each.share_percent for each in timed if each.share_percent is not None]
    rounding = _rounding(shares)
    digits = _Digits(rounding, _error_ms([each.total_ms for each in timed]), _error_ms(_averages(timed)))
    wholes = _wholes(timed, rounding, is_whole=is_whole and len(timed) == len(rows))
    if is_whole and len(timed) == len(rows) and _are_shares_of_medians(timed, rounding):
        # A writer's choice: they say nothing of the sums, and no figure is made of them.
        wholes = []
    checked = [_checked(row, count, wholes, digits, found) for row in rows]
    wrong = sum(row.time is not None for row in rows) - sum(row.time is not None for row in checked)
    if iterations is not None and 2 * wrong > len(timed) and not _explains(timed, iterations):
        found.refuse("count", iterations, "is not the sum of a layer's times divided by their average")
        iterations = None
    medians = [(row.median_ms, row.avg_ms) for row in timed if row.median_ms is not None]
    if math.fsum(each for each, _ in medians) > _MEDIANS * math.fsum(each for _, each in medians):
        more = f"adds up to more than {_MEDIANS} times averageMs"
        found.mark("medianMs", f"{more}, though slow iterations raise averages and not medians")
    total = math.fsum(shares)
    if is_whole and len(shares) == len(rows) and abs(total - 1) <= _FRACTION_ERROR:
        # As percentages they would say that nearly all layers lack a row.
        found.refuse("percentage", f"{total:.4f} in all", "does not add up to 100")
        checked = [_with_share(row, None) for row in checked]
    # Fewer than 100 are those of a part of the rows: see `unlisted_part`.
    if is_whole and len(shares) == len(rows) and total > 100 + rounding * len(rows):
        found.refuse("percentage", f"{total:.4f} in all", "does not add up to 100")
    return tuple(checked), iterations


def check_averages(
    rows: Sequence[ProfileRow], iterations: int | None, found: ImpossibleValues
) -> tuple[tuple[ProfileRow, ...], int | None]:
    """Return what `check_rows` does for a table whose percentages have too few digits to give sums."""
    bare, count = check_rows([_with_share(row, None) for row in rows], iterations, found, is_whole=False)
    shares = [row.time.share_percent if row.time else None for row in rows]
    return tuple(_with_share(row, share) for row, share in zip(bare, shares, strict=True)), count


def _are_of_one_iteration(times: Sequence[LayerTime]) -> bool:
    """Return whether each sum is the average itself, and the median too where it is stated."""
    figures = [(each.total_ms, each.median_ms, each.avg_ms) for each in times]
    return any(total for total, _, _ in figures) and all(
        total == average and middle in {None, average} for total, middle, average in figures
    )


def _ratio(pairs: Sequence[tuple[float | None, float | None]]) -> float | None:
    """Return the middle of the quotients, so that a single wrong one has no weight."""
    found = [one / other for one, other in pairs if one and other]
    return median(found) if found else None


def _wholes(times: Sequence[LayerTime], rounding: float, *, is_whole: bool) -> list[float]:
    """Return what the percentages may be of: the sum of the times, and the whole of the largest of them."""
    figures = [(each.total_ms, each.share_percent) for each in times if each.total_ms and each.share_percent]
    large = sorted((each for each in figures if each[1] >= _LEAST_SHARE_PERCENT), key=lambda each: -each[1])
    exact = [each for each in large[:_MOST_LARGE] if each[1] >= _EXACT * rounding]
    stated = _ratio([(ms, share / 100) for ms, share in (exact if len(exact) >= _LEAST_EXACT else large)])
    summed = math.fsum(each.total_ms or 0.0 for each in times) if is_whole else 0.0
    return [each for each in (summed, stated) if each]


def _are_shares_of_medians(times: Sequence[LayerTime], rounding: float) -> bool:
    """Return whether the percentages are those of the medians in their sum."""
    whole = math.fsum(each.median_ms or 0.0 for each in times)
    figures = [(each.share_percent, each.median_ms) for each in times]
    return whole > 0 and all(
        share is not None and ms is not None and _agree(share, 100 * ms / whole, rounding)
        for share, ms in figures
    )


def unlisted_part(rows: Sequence[ProfileRow], whole_ms: float | None = None) -> float:
    """Return the time of the layers that a profile lacks, as a multiple of the time of those that it lists.

    Each percentage is that of all layers, so that few rows give the time of the whole.

    Args:
        rows: Those of the profile; nothing is known if one contradicts the others.
        whole_ms: The sum of all times, if it is stated.

    Returns:
        0 if the rows are all that there are, as far as their digits show.
    """
    figures = [
        (row.time.total_ms, row.time.share_percent)
        for row in rows
        if row.time is not None and row.time.total_ms is not None and row.time.share_percent is not None
    ]
    largest = sorted((each for each in figures if each[1] >= _LEAST_SHARE_PERCENT), key=lambda each: -each[1])
    shares = math.fsum(share for _, share in largest[:_MOST_LARGE])
    if len(figures) < len(rows) or not shares:
        return 0.0
    rounding = _rounding([share for _, share in figures])
    stated_ms = math.fsum(ms for ms, _ in largest[:_MOST_LARGE]) / shares * 100
    error = rounding * len(largest[:_MOST_LARGE]) / shares
    if not stated_ms:
        return 0.0
    if any(abs(share - 100 * ms / stated_ms) > 2 * rounding + error * share for ms, share in figures):
        return 0.0
    if whole_ms and abs(whole_ms / stated_ms - 1) <= error + _LEAST_LACK:
        stated_ms, error = whole_ms, 0.0
    listed = math.fsum(ms for ms, _ in figures) / stated_ms
    return 1 / listed - 1 if listed < 1 - max(_LEAST_LACK, 2 * error) else 0.0


def note_on_unlisted(part: float, name: str) -> InputWarning:
    """Return what to note of a profile that lacks rows, by the result of `unlisted_part`."""
    message = (
        f"The profile in {name} lists {format_percent(1 / (1 + part))} of layer time: rows are missing. "
        "Total layer time and shares follow from its percentages."
    )
    hint = "Give the whole profile."
    return InputWarning("degraded", "profile-rows-missing", message, name, ("latency", "layers"), hint)


def with_exact_averages(rows: Sequence[ProfileRow], iterations: int | None) -> tuple[ProfileRow, ...]:
    """Return the rows with averages of their sums, where a table of trtexec up to 7 rounds averages.

    It writes 2 decimals of both, which leaves nothing of a short average.
    """
    times = [row.time for row in rows if row.time is not None]
    decimals = _decimals([time.avg_ms for time in times])
    # Tables with medians have 4 decimals.
    newer = any(time.median_ms is not None for time in times)
    if newer or not iterations or decimals > _FEW_DECIMALS:
        return tuple(rows)
    error = 0.5 * 10.0**-decimals + _SUM_ERROR_MS / iterations + 1e-9
    return tuple(ProfileRow(row.name, _exact(row.time, iterations, error)) for row in rows)


def _exact(time: LayerTime | None, iterations: int, error_ms: float) -> LayerTime | None:
    if time is None or time.total_ms is None or abs(time.total_ms / iterations - time.avg_ms) > error_ms:
        return time
    return replace(time, avg_ms=time.total_ms / iterations)


def _decimals(numbers: Sequence[float]) -> int:
    """Return to how many decimals numbers are rounded; of many, a single one with more may be wrong."""
    needed = 2 if len(numbers) > _FEW_NUMBERS else 1
    found: list[int] = []
    for each in numbers:
        found.append(len(f"{each:.{_MOST_DECIMALS}f}".rstrip("0").partition(".")[2]))
        if found[-1] == _MOST_DECIMALS and found.count(_MOST_DECIMALS) == needed:
            return _MOST_DECIMALS
    return sorted(found)[-needed] if found else 0


def _rounding(shares: Sequence[float]) -> float:
    """Return by how much a percentage may be wrong, by the decimals of all."""
    return max(_TOLERANCE_PERCENT, 0.5 * 10.0 ** -_decimals(shares))


def _error_ms(times: Sequence[float | None]) -> float:
    """Return by how much a time may be wrong, by the decimals of all."""
    known = [each for each in times if each is not None]
    return 0.5 * 10.0 ** -max(_decimals(known), _LEAST_DECIMALS)


def _averages(times: Sequence[LayerTime]) -> list[float]:
    return [each.avg_ms for each in times]


def _with_share(row: ProfileRow, percent: float | None) -> ProfileRow:
    return ProfileRow(row.name, row.time and replace(row.time, share_percent=percent))


def _explains(times: Sequence[LayerTime], count: int) -> bool:
    agreeing = sum(each.total_ms is not None and _agree(each.avg_ms * count, each.total_ms) for each in times)
    return 2 * agreeing >= len(times)


def _agree(one: float, other: float, error: float = 0.0) -> bool:
    return abs(one - other) <= _TOLERANCE * max(one, other) + error


def _is_share(share: float, total_ms: float, wholes: Sequence[float], digits: _Digits) -> bool:
    """Return whether a percentage can be that of a sum of times in one of the wholes."""
    for each in wholes:
        if _agree(share, 100 * total_ms / each, digits.percent + 100 * digits.total_ms / each):
            return True
    return False


def _checked(
    row: ProfileRow,
    count: float | None,
    wholes: Sequence[float],
    digits: _Digits,
    found: ImpossibleValues,
) -> ProfileRow:
    time = row.time
    if time is None:
        return row
    place = quoted(row.name)
    total, share = time.total_ms, time.share_percent
    error_ms = digits.total_ms + (count or 0.0) * digits.avg_ms
    if total is not None and count is not None and not _agree(time.avg_ms * count, total, error_ms):
        found.refuse(f"{place}.averageMs", time.avg_ms, f"is not timeMs {total:g} / {count:g}")
        return ProfileRow(row.name, None)
    if total is not None and share is not None and wholes and not _is_share(share, total, wholes, digits):
        # Sum and average agree, and no figure is made of the file's own percentage.
        found.refuse(f"{place}.percentage", share, f"is not the share of timeMs {total:g}")
        time = replace(time, share_percent=None)
    if time.median_ms is not None and time.median_ms > 2 * time.avg_ms * (1 + _TOLERANCE) + 3 * digits.avg_ms:
        found.refuse(f"{place}.medianMs", time.median_ms, f"is more than twice the average {time.avg_ms:g}")
        time = replace(time, median_ms=None)
    elif time.median_ms == 0 and time.avg_ms > 0:
        found.mark(f"{place}.medianMs", f"is 0, the average {time.avg_ms:g} ms")
    return row if time is row.time else ProfileRow(row.name, time)
