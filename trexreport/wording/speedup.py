"""What a lower precision should save and what it saves, as texts."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping

from trexreport.analyzer.analysis import MISSING_ROWS
from trexreport.analyzer.analysis import speedup as facts
from trexreport.numbers import (
    TIMES,
    counted,
    format_count,
    format_ms,
    format_number,
    format_percent,
    format_signed,
    middle_ellipsis,
)
from trexreport.wording.texts import TEXTS

#: By kind; {low} is the lower precision.
_TITLES: Mapping[facts.GapKind, str] = {
    **TEXTS["speedup"]["titles"],
    "missing-rows": MISSING_ROWS,
}
_REASONS: Mapping[facts.SpeedupReason, str] = TEXTS["speedup"]["reasons"]
_OBSTACLES: Mapping[facts.SpeedupObstacle, str] = TEXTS["speedup"]["obstacles"]
#: Where there is no expectation, the time stays the measured one.
_BASES: Mapping[facts.SpeedupBasis, str] = TEXTS["speedup"]["bases"]
_MAX_NAME = 60


def speedup_title(speedup: facts.ExpectedSpeedup) -> str:
    """Return the precisions that are compared, such as "FP16 → INT8"."""
    high, low = speedup.reference_precision, speedup.precision
    return f"{high} → {low}" if high and high != low else f"{low} in more layers"


def speedup_sentences(speedup: facts.ExpectedSpeedup) -> list[str]:
    """Return the speedups, what is in the lower precision, and what the expectation rests on."""
    sentences = [_speedups(speedup), _coverage(speedup), _reformats(speedup)]
    return [*filter(None, sentences), *_bases(speedup)]


def gap_title(speedup: facts.ExpectedSpeedup, gap: facts.SpeedupGap) -> str:
    """Return the name of a part of the difference."""
    return _filled(_TITLES[gap.kind], speedup)


def gap_reasons(speedup: facts.ExpectedSpeedup, gap: facts.SpeedupGap) -> str:
    """Return what may be the cause of a part of the difference, with the number of places."""
    if gap.kind == "fallback" and speedup.has_few_products:
        missing = speedup.products - speedup.products_in_precision
        few = f"only {format_count(speedup.products_in_precision)} of {format_count(speedup.products)} in "
        few += f"{speedup.precision}, {format_count(missing)} in a wider type"
        return "; ".join(filter(None, [few, _counted_reasons(speedup, gap)]))
    return _counted_reasons(speedup, gap)


def place_reasons(speedup: facts.ExpectedSpeedup, reasons: Iterable[facts.SpeedupReason]) -> str:
    """Return what may be the cause at one place."""
    return ", ".join(_filled(_REASONS[reason], speedup) for reason in reasons)


def gap_sentences(speedup: facts.ExpectedSpeedup) -> list[str]:
    """Return one sentence for each part of the difference, in their order."""
    found = []
    for gap in speedup.gaps:
        text = f"{gap_title(speedup, gap)}: {format_signed(gap.cost_ms, format_ms)}"
        text += f" in {counted(len(gap.places), 'place')}" if gap.places else ""
        reasons = gap_reasons(speedup, gap)
        found.append(f"{text} ({reasons})." if reasons else f"{text}.")
        if gap.places:
            largest = gap.places[0]
            name = middle_ellipsis(largest.name, _MAX_NAME)
            found[-1] += f" Largest: {name}, {format_signed(largest.cost_ms, format_ms)}."
    return found


def _speedups(speedup: facts.ExpectedSpeedup) -> str:
    if speedup.obstacle:
        return _OBSTACLES[speedup.obstacle]
    if speedup.expected_ms is None or speedup.measured_ms is None:
        return ""
    gap_ms = math.fsum(gap.cost_ms for gap in speedup.gaps)
    result = "as fast as expected"
    if format_ms(speedup.expected_ms) != format_ms(speedup.measured_ms):
        result = f"{format_ms(abs(gap_ms))} {'slower' if gap_ms > 0 else 'faster'} than expected"
    lower, higher = (middle_ellipsis(name, _MAX_NAME) for name in (speedup.engine, speedup.reference))
    way = f"{format_ms(speedup.reference_ms)} → {format_ms(speedup.expected_ms)}"
    return (
        f"Expected speedup of {lower} over {higher} in {speedup.metric}: "
        f"{_times(speedup.expected_speedup)} ({way}); measured: {_times(speedup.measured_speedup)} "
        f"({format_ms(speedup.measured_ms)}), {result}."
    )


def _times(factor: float | None) -> str:
    return f"{format_number(factor)}{TIMES}" if factor is not None else "not known"


def _coverage(speedup: facts.ExpectedSpeedup) -> str:
    used, count = speedup.products_in_precision, speedup.products
    if speedup.obstacle == "no-types":
        return ""
    if count == 1:
        return f"The only convolution or matrix product computes in {speedup.precision}."
    some = f"{'Only ' if speedup.has_few_products else ''}{format_count(used)} of"
    verb = "computes" if used == 1 else "compute"
    products = f"{'All' if used == count else some} {format_count(count)} convolutions and matrix products"
    return f"{products} {verb} in {speedup.precision}."


def _reformats(speedup: facts.ExpectedSpeedup) -> str:
    before, after = speedup.reference_reformats, speedup.reformats
    if not before and not after:
        return ""
    return f"Reformat layers, Q/DQ included: {format_count(before)} → {format_count(after)}."


def _bases(speedup: facts.ExpectedSpeedup) -> list[str]:
    """Return what the expected time rests on, with the share of time for which it does."""
    if not speedup.basis_ms:
        return []
    total_ms = math.fsum(speedup.basis_ms.values())
    shares = {basis: time_ms / total_ms for basis, time_ms in speedup.basis_ms.items()}
    unknown = shares.pop("none", 0.0)
    parts = [
        f"{_BASES[basis].format(gpu=speedup.gpu)} ({format_percent(share)})"
        for basis, share in sorted(shares.items(), key=lambda part: -part[1])
    ]
    if len(parts) == 1 and not unknown:
        parts = [parts[0].rpartition(" (")[0]]
    launch = f"of which all but {format_ms(speedup.launch_ms)} for each launch of a kernel is "
    scaled = f"{launch if speedup.launch_ms else ''}scaled by {'; '.join(parts)}"
    found = [f"The expected time is that of {middle_ellipsis(speedup.reference, _MAX_NAME)}, {scaled}."]
    if unknown:
        found.append(f"For {format_percent(unknown)} of the layer time no saving is known; it is not scaled.")
    return found


def _counted_reasons(speedup: facts.ExpectedSpeedup, gap: facts.SpeedupGap) -> str:
    counts = Counter(reason for place in gap.places for reason in place.reasons)
    texts = []
    for reason, count in sorted(counts.items(), key=lambda each: (-each[1], each[0])):
        text = _filled(_REASONS[reason], speedup)
        texts.append(f"{text} ({format_count(count)})" if len(gap.places) > 1 else text)
    return ", ".join(texts)


def _filled(text: str, speedup: facts.ExpectedSpeedup) -> str:
    return text.format(low=speedup.precision)
