"""What rules ask about the logs of several measurements."""

from __future__ import annotations

from collections.abc import Sequence

from trexreport.analyzer.grouping import group_by
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.thresholds import ENQUEUE_SHARE
from trexreport.model.measured_log import TYPES, MeasuredLog, are_comparable, fastest
from trexreport.model.named_types import types_in_names
from trexreport.numbers import format_ms, format_number, format_percent, format_rate

#: Figures of at least this many digits are not equal by chance.
_MIN_FIGURES = 2
#: Two runs of one engine differ by about this much.
SPREAD = 0.01
#: Copies of the same inputs take about as long, where they are long enough to be measured.
_SAME_COPY, _LEAST_COPY_MS = 1.15, 0.05
#: Copies of outputs of one type that differ by this are of other sizes.
_OTHER_OUTPUT = 1.5
#: A number of items by transfers is a whole one, to this part.
_ROUNDED = 0.07
_QUANTIZED_FROM = TYPES.index("FP8")
Pair = tuple[MeasuredLog, MeasuredLog]


def copied(context: Context) -> list[list[MeasuredLog]]:
    """Return logs of different names that state the same figures to the last digit; use `Context.cached`."""
    whole = [log for log in context.analysis.logs if sum(map(bool, log.figures)) >= _MIN_FIGURES]
    return [logs for logs in group_by(whole, lambda log: log.figures).values() if len(logs) > 1]


def measured_once(context: Context) -> list[MeasuredLog]:
    """Return the logs whose figures are their own."""
    again = {log.file for logs in context.cached(copied) for log in logs}
    return [log for log in context.analysis.logs if log.file not in again and log.time_ms]


def pairs(context: Context, first: Sequence[str], second: Sequence[str]) -> list[Pair]:
    """Return the logs of two precisions, of one model at one batch size each; what states none may fit any.

    Args:
        context: The engine.
        first: Precisions that the first build was allowed.
        second: Those of the second.
    """
    logs = measured_once(context)
    of_second = [log for log in logs if log.types == tuple(second)]
    found = []
    for one in (log for log in logs if log.types == tuple(first)):
        others = [log for log in of_second if _is_of_same_run(one, log)]
        if len(others) == 1:
            found.append((one, others[0]))
    return sorted(found, key=lambda pair: pair[0].batch or 0)


def _is_of_same_run(one: MeasuredLog, other: MeasuredLog) -> bool:
    """Return whether logs are of one model, GPU and way of measuring, and may be of inputs of one size."""
    return one.model == other.model and are_comparable(one, other) and may_have_one_input(one, other)


def may_have_one_input(one: MeasuredLog, other: MeasuredLog) -> bool:
    """Return whether the queries of two logs may be of one size: by the batch, else by the copies.

    Outputs of other precisions may be of other types.
    """
    if None not in (one.batch, other.batch):
        return one.batch == other.batch
    inputs, outputs = _ratio(one.h2d_ms, other.h2d_ms), _ratio(one.d2h_ms, other.d2h_ms)
    return inputs <= _SAME_COPY and (one.types != other.types or outputs < _OTHER_OUTPUT)


def _ratio(one_ms: float | None, other_ms: float | None) -> float:
    """Return by what factor the longer of two copies is longer; 1 where they are too short to be measured."""
    least, most = sorted((one_ms or 0.0, other_ms or 0.0))
    return 1.0 if least < _LEAST_COPY_MS else most / least


def items_ratio(one: MeasuredLog, other: MeasuredLog) -> int | None:
    """Return how many times the items of one query another has, by both copies; None if not clear."""
    copies = [(one.h2d_ms or 0.0, other.h2d_ms or 0.0), (one.d2h_ms or 0.0, other.d2h_ms or 0.0)]
    if one.types != other.types or min(map(min, copies)) < _LEAST_COPY_MS:
        return None
    ratios = [more / less for less, more in copies]
    times = round(ratios[0])
    return times if times > 1 and all(abs(each - times) <= _ROUNDED * times for each in ratios) else None


def batches(logs: Sequence[MeasuredLog]) -> dict[str, int]:
    """Return the batch size of each log of one model, by file: as stated, else by its input transfers.

    The time to copy the inputs of a model is in proportion to the items in a batch.
    """
    known = {log.file: log.batch for log in logs if log.batch}
    long_copies = [log for log in logs if (log.h2d_ms or 0.0) >= _LEAST_COPY_MS]
    for log in long_copies:
        sizes = {
            round(size)
            for other in long_copies
            if other.batch and log.h2d_ms and other.h2d_ms
            if abs((size := other.batch * log.h2d_ms / other.h2d_ms) - round(size)) <= _ROUNDED * size
        }
        if log.file not in known and len(sizes) == 1 and min(sizes):
            known[log.file] = sizes.pop()
    return known


def tried_types(context: Context) -> frozenset[str]:
    """Return the types of other logs of the same model and inputs, which are no faster than the shown one."""
    logs = measured_once(context)
    if not logs:
        return frozenset()
    best = fastest(context.analysis.logs)
    others = (log for log in logs if _is_of_same_run(best, log))
    return frozenset(name for log in others for name in log.types if log is not best)


def has_failed_half(context: Context) -> bool:
    """Return whether a build in FP16 alone failed whose log lies beside, by its name."""
    failed = (each.file for each in context.analysis.log_findings if each.code == "TRX921")
    return any(types_in_names([name]) == ("FP16",) for name in failed)


def enqueue_share(log: MeasuredLog) -> float:
    """Return enqueue time as a part of GPU compute time where the host may limit the GPU, else 0."""
    share = (log.enqueue_ms or 0.0) / log.compute_ms if log.compute_ms else 0.0
    return share if share > ENQUEUE_SHARE else 0.0


def gains_of_types(context: Context) -> list[str]:
    """Return how much faster each lower precision is than the one before it, of one model and input size."""
    kinds = sorted({log.types for log in context.analysis.logs if log.types}, key=_rank)
    found = []
    for low in kinds:
        for high in _references(low, kinds):
            if both := pairs(context, high, low):
                found.append(f"{'+'.join(low)} {_ratios(both)} {'+'.join(high)}")
                break
    return found


def _rank(types: tuple[str, ...]) -> tuple[int, int]:
    # Of several types the lowest counts.
    return max(map(TYPES.index, types)), -len(types)


def _references(low: tuple[str, ...], kinds: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Return the precisions that one is compared with: a quantized one with the lowest float first."""
    higher = [high for high in kinds if _rank(high)[0] < min(_rank(low)[0], _QUANTIZED_FROM)]
    return higher[::-1] if _rank(low)[0] >= _QUANTIZED_FROM else higher


def _ratios(both: Sequence[Pair]) -> str:
    """Return how much faster the second log of each pair is than the first."""
    times = sorted(high.time_ms / low.time_ms for high, low in both)
    if max(times[-1] - 1, 1 - times[0]) <= SPREAD:
        return "is as fast as"
    if times[0] < 1 - SPREAD and times[-1] <= 1 + SPREAD:
        longer = dict.fromkeys(format_percent(1 / time - 1) for time in reversed(times))
        return f"takes {' to '.join(list(longer)[:: max(len(longer) - 1, 1)])} longer than"
    factors = dict.fromkeys(format_number(time, 3) for time in times)
    return f"is {' to '.join(list(factors)[:: max(len(factors) - 1, 1)])} times as fast as"


def shown_pair(one: MeasuredLog, other: MeasuredLog) -> str:
    """Return the times of two logs, with the precisions of those whose names do not state them."""
    return ", ".join(f"{_named(each)} {format_ms(each.time_ms)}" for each in (one, other))


def _named(log: MeasuredLog) -> str:
    is_in_name = all(each.casefold() in log.file.casefold() for each in log.types)
    return log.file if is_in_name else f"{log.file} ({types_of(log)})"


def shown(log: MeasuredLog) -> str:
    """Return what a log measured."""
    parts = [types_of(log), *log.options, f"batch {log.batch}" if log.batch else ""]
    parts += [f"{format_rate(log.throughput_qps)} qps" if log.throughput_qps else ""]
    rate = log.items_per_s
    parts += [f"{format_rate(rate)} items/s" if rate else ""]
    parts += [f"median latency {format_ms(log.latency_ms)}" if log.latency_ms else ""]
    return ", ".join(filter(None, parts))


def types_of(log: MeasuredLog) -> str:
    """Return the precisions of a log as texts show them."""
    return "+".join(log.types)
